//! The look of the picture: glyphs, palettes, the quantity that colours represent, cloth.

use crate::app::App;
use crate::app::saver::fade::{PaletteTransition, QUICK_COLORS, SLOW_COLORS};
use crate::view::{ClothStyle, ColorBy, GlyphMode, LiquidStyle, Palette, Rgb};
use std::time::Duration;

impl App {
    pub(super) fn next_glyphs(&mut self) {
        if self.picture.terminal.unicode {
            self.picture.look.glyphs = after(&GlyphMode::ALL, self.picture.look.glyphs);
        }
        self.options.look.glyphs = Some(self.picture.look.glyphs);
        self.overlay.status.show_message(format!("glyphs: {}", self.picture.look.glyphs.name()));
    }

    pub(super) fn next_palette(&mut self) {
        let all = &self.options.look.palettes;
        let at = all.iter().position(|palette| palette.name() == self.palette().name());
        let next = all[at.map_or(0, |at| at + 1) % all.len()].clone();
        self.overlay.status.show_message(match next == self.usual_palette() {
            true => format!("palette: {}, the usual one", next.name()),
            false => format!("palette: {}", next.name()),
        });
        self.picture.chosen_palettes.insert(self.tank.scene_index, next.clone());
        self.recolor_to(next, QUICK_COLORS);
    }

    /// Changes slowly to the similar palette of this index.
    pub(super) fn recolor(&mut self, number: usize) {
        let count = self.similar_palettes().count().max(1);
        let chosen = self.similar_palettes().nth(number % count).cloned();
        if let Some(palette) = chosen {
            self.recolor_to(palette, SLOW_COLORS);
        }
    }

    /// The palettes whose background is light if the current one's is, and dark if it is dark.
    pub(super) fn similar_palettes(&self) -> impl Iterator<Item = &Palette> {
        let ground = |palette: &Palette| self.picture.look.background.resolve(palette).0;
        let is_light = |ground: Rgb| ground.oklab()[0] > 0.5;
        let own = ground(self.palette());
        let light = is_light(own);
        // Shortcut: this runs every step of the autopilot, and most palettes have the terminal's background.
        self.options
            .look
            .palettes
            .iter()
            .filter(move |palette| ground(palette) == own || is_light(ground(palette)) == light)
    }

    pub(super) fn recolor_to(&mut self, palette: Palette, lasts: Duration) {
        if palette != *self.palette() {
            self.picture.palette_transition =
                Some(PaletteTransition::new(self.picture.look.palette.clone(), palette, lasts));
        }
    }

    pub fn palette(&self) -> &Palette {
        self.picture.palette_transition.as_ref().map_or(&self.picture.look.palette, PaletteTransition::target)
    }

    pub(super) fn next_drive(&mut self) {
        // Quantities that the tank does not have are skipped.
        self.picture.look.color_by = after(&ColorBy::ALL, self.picture.look.color_by);
        while self.is_local() && !self.picture.look.color_by.is_in(&self.tank.world) {
            self.picture.look.color_by = after(&ColorBy::ALL, self.picture.look.color_by);
        }
        self.overlay.status.show_message(format!("colour: {}", self.picture.look.color_by.name()));
    }

    /// Switches what a cloth is drawn as, or in a tank without any, a liquid.
    pub(super) fn next_weave(&mut self) {
        if self.tank.world.cloth().is_none() {
            self.picture.look.liquid_style = after(&LiquidStyle::ALL, self.picture.look.liquid_style);
            let style = self.picture.look.liquid_style.name();
            return self.overlay.status.show_message(format!("liquid: {style}"));
        }
        self.picture.look.cloth_style = after(&ClothStyle::ALL, self.picture.look.cloth_style);
        self.overlay.status.show_message(format!("cloth: {}", self.picture.look.cloth_style.name()));
    }

    /// Takes the palette that was chosen in this scene, else its usual one.
    pub(super) fn choose_palette(&mut self) {
        let chosen = self.picture.chosen_palettes.get(&self.tank.scene_index).cloned();
        self.picture.look.palette = chosen.unwrap_or_else(|| self.usual_palette());
        self.picture.palette_transition = None;
    }

    fn usual_palette(&self) -> Palette {
        self.options.look.palette_for(self.tank.world.definition())
    }

    pub(super) fn advance_fades(&mut self, elapsed: Duration) {
        self.picture.stale |= self.picture.fade.is_some() || self.picture.palette_transition.is_some();
        self.picture.fade = self.picture.fade.take().and_then(|mut fade| (!fade.advance(elapsed)).then_some(fade));
        if let Some(recolor) = &mut self.picture.palette_transition {
            let (palette, arrived) = recolor.advance(elapsed);
            self.picture.look.palette = palette;
            if arrived {
                self.picture.palette_transition = None;
            }
        }
    }
}

pub(super) fn after<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|item| *item == current).unwrap_or(0);
    all[(at + 1) % all.len()]
}
