//! The look of the picture: glyphs, palettes, the quantity that colours represent, cloth.

use crate::app::layers::panel::Look;
use crate::app::picture::Picture;
use crate::app::saver::fade::{PaletteTransition, QUICK_COLORS, SLOW_COLORS};
use crate::app::tank::Tank;
use crate::app::{App, Options};
use crate::view::{ClothStyle, ColorBy, GlyphMode, LiquidStyle, Palette, RenderStyle, Rgb};
use std::time::Duration;

impl App {
    /// Shows the look beside the current one. In a tank that is drawn elsewhere, the host draws it.
    pub(in crate::app) fn turn_look(&mut self, look: Look, forward: bool) {
        let is_remote = !self.tank.is_here();
        let turn = |app: &mut Self| {
            let done = match look {
                Look::Glyphs => app.turn_glyphs(forward),
                Look::Palette if is_remote => app.turn_palette_or_none(forward),
                Look::Palette => app.turn_palette(forward),
                Look::ColorBy => app.turn_color_by(forward),
                Look::Matter => app.turn_matter(forward),
            };
            app.restyle();
            app.overlay.status.show_message(done);
        };
        self.change_view(turn);
    }

    fn turn_glyphs(&mut self, forward: bool) -> String {
        let mut glyphs = self.picture.look.glyphs;
        if self.picture.terminal.unicode {
            glyphs = beside(&GlyphMode::ALL, glyphs, forward);
        }
        self.options.look.glyphs = Some(glyphs);
        format!("glyphs: {}", glyphs.name())
    }

    fn turn_palette(&mut self, forward: bool) -> String {
        let all = &self.options.look.palettes;
        let at = all.iter().position(|palette| palette.name() == self.palette().name());
        let next = all[at.map_or(0, |at| place_beside(all.len(), at, forward))].clone();
        let usual = if next == self.usual_palette() { ", the usual one" } else { "" };
        let done = format!("palette: {}{usual}", next.name());
        self.picture.chosen_palettes.insert(self.tank.scene_index, next.clone());
        self.recolor_to(next, QUICK_COLORS);
        done
    }

    /// The same for a tank that is drawn elsewhere; after the last palette each scene has its own again.
    fn turn_palette_or_none(&mut self, forward: bool) -> String {
        let look = &mut self.options.look;
        let all = &look.palettes;
        let none = all.len();
        let at = look.palette.as_ref().and_then(|now| all.iter().position(|it| it.name() == now.name()));
        look.palette = all.get(place_beside(none + 1, at.unwrap_or(none), forward)).cloned();
        format!("palette: {}", palette_name(&self.tank, &self.options, &self.picture))
    }

    pub(in crate::app) fn recolor(&mut self, number: usize) {
        let count = self.similar_palettes().count().max(1);
        let chosen = self.similar_palettes().nth(number % count).cloned();
        if let Some(palette) = chosen {
            self.recolor_to(palette, SLOW_COLORS);
        }
    }

    /// The palettes whose background is light if the current one's is, and dark if it is dark.
    pub(in crate::app) fn similar_palettes(&self) -> impl Iterator<Item = &Palette> {
        let ground = |palette: &Palette| self.picture.look.background.resolve(palette).0;
        let is_light = |ground: Rgb| ground.oklab()[0] > 0.5;
        let own = ground(self.palette());
        let light = is_light(own);
        // Shortcut: this runs every step of the autopilot, and most palettes have the terminal's background.
        let is_similar = move |palette: &&Palette| ground(palette) == own || is_light(ground(palette)) == light;
        self.options.look.palettes.iter().filter(is_similar)
    }

    pub(in crate::app) fn recolor_to(&mut self, palette: Palette, lasts: Duration) {
        if palette != *self.palette() {
            self.picture.palette_transition =
                Some(PaletteTransition::new(self.picture.look.palette.clone(), palette, lasts));
        }
    }

    pub fn palette(&self) -> &Palette {
        palette(&self.picture)
    }

    fn turn_color_by(&mut self, forward: bool) -> String {
        let color_by = &mut self.options.look.color_by;
        // Quantities that the tank does not have are skipped.
        loop {
            *color_by = beside(&ColorBy::ALL, *color_by, forward);
            if !self.tank.is_here() || color_by.is_in(&self.tank.world) {
                break;
            }
        }
        format!("colour: {}", color_by.name())
    }

    fn turn_matter(&mut self, forward: bool) -> String {
        let look = &mut self.options.look;
        if self.tank.world.cloth().is_none() {
            look.liquid_style = beside(&LiquidStyle::ALL, look.liquid_style, forward);
            return format!("view: {}", look.liquid_style.name());
        }
        look.cloth_style = beside(&ClothStyle::ALL, look.cloth_style, forward);
        format!("cloth: {}", look.cloth_style.name())
    }

    /// Applies the options and the terminal to the picture, whose palette stays.
    pub(in crate::app) fn restyle(&mut self) {
        let palette = std::mem::take(&mut self.picture.look.palette);
        self.picture.look = RenderStyle { palette, ..self.options.look.style(&self.picture.terminal) };
    }

    pub(in crate::app) fn choose_palette(&mut self) {
        let chosen = self.picture.chosen_palettes.get(&self.tank.scene_index).cloned();
        self.picture.look.palette = chosen.unwrap_or_else(|| self.usual_palette());
        self.picture.palette_transition = None;
    }

    fn usual_palette(&self) -> Palette {
        self.options.look.palette_for(self.tank.world.definition())
    }

    pub(in crate::app) fn advance_fades(&mut self, elapsed: Duration) {
        self.picture.stale |= self.picture.fade.is_some() || self.picture.palette_transition.is_some();
        self.picture.fade.take_if(|fade| fade.advance(elapsed));
        self.picture.palette_transition.take_if(|transition| {
            let (palette, arrived) = transition.advance(elapsed);
            self.picture.look.palette = palette;
            arrived
        });
    }
}

fn palette(picture: &Picture) -> &Palette {
    picture.palette_transition.as_ref().map_or(&picture.look.palette, |transition| &transition.to)
}

pub(in crate::app) fn palette_name<'a>(tank: &Tank, options: &'a Options, picture: &'a Picture) -> &'a str {
    match &options.look.palette {
        _ if tank.is_here() => palette(picture).name(),
        Some(palette) => palette.name(),
        None => "each scene's own",
    }
}

fn beside<T: Copy + PartialEq>(all: &[T], current: T, forward: bool) -> T {
    let at = all.iter().position(|item| *item == current).unwrap_or(0);
    all[place_beside(all.len(), at, forward)]
}

/// The place after or before another in a list whose ends meet.
fn place_beside(count: usize, at: usize, forward: bool) -> usize {
    (at + if forward { 1 } else { count - 1 }) % count
}
