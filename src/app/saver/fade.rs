//! Cross-fades: one picture goes over into another, one palette into another.
//!
//! A cell has one glyph and two colours, so two pictures cannot be mixed as light is. What can be mixed is the mean
//! light of every cell, and that goes straight from the old to the new. The contrast within a cell goes to nothing up
//! to the middle, where the old glyph gives way to the new one unseen, and comes back. Where colours cannot be mixed
//! (16, mono) cells go over one by one, in an order that the eye does not find.

use crate::app::saver::autopilot::eased;
use crate::cell::color::{LinearRgb, mix, xterm_rgb};
use crate::sim::World;
use crate::view::{ColorDepth, Painter, Palette, RenderStyle, Rgb};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use std::time::Duration;

/// How long a scene goes over into another.
pub const SCENE: Duration = Duration::from_millis(2500);

/// How long the autopilot's palettes take, and those that somebody asks for: long enough that no key, however fast it
/// repeats, makes the picture flash.
pub const SLOW_COLORS: Duration = Duration::from_millis(4000);
pub const QUICK_COLORS: Duration = Duration::from_millis(400);

/// The scene that goes: it moves until it is gone.
#[derive(Debug)]
pub struct Fade {
    pub world: World,
    look: RenderStyle,
    painter: Painter,
    picture: Buffer,
    passed: Duration,
}

impl Fade {
    pub fn new(world: World, look: RenderStyle) -> Self {
        Self { world, look, painter: Painter::default(), picture: Buffer::default(), passed: Duration::ZERO }
    }

    /// Time passes; says whether the old scene is gone.
    pub fn advance(&mut self, elapsed: Duration) -> bool {
        self.passed += elapsed;
        self.passed >= SCENE
    }

    /// Lays what is left of the old scene over the new one. `depth` is what the terminal shows.
    pub fn draw(&mut self, cell: (u16, u16), depth: ColorDepth, buf: &mut Buffer) {
        self.picture.resize(Rect::new(0, 0, buf.area.width, buf.area.height));
        self.painter.paint(&self.world, &self.look, cell, self.picture.area, &mut self.picture);
        let share = eased((self.passed.as_secs_f32() / SCENE.as_secs_f32()).min(1.0));
        let columns = usize::from(buf.area.width.max(1));
        for (number, (old, new)) in self.picture.content.iter().zip(&mut buf.content).enumerate() {
            let at = ((number % columns) as u16, (number / columns) as u16);
            match depth {
                _ if old == new => {}
                ColorDepth::TrueColor | ColorDepth::Ansi256 => cross(old, new, share, |rgb| depth.color(rgb, at)),
                _ if turn(at) >= share => new.clone_from(old),
                _ => {}
            }
        }
    }
}

/// `new` becomes what is seen when `share` of the way from `old` to it is gone.
fn cross(old: &Cell, new: &mut Cell, share: f32, color: impl Fn(Rgb) -> Color) {
    let light = mix(mean(old), mean(new), share);
    let source = if share < 0.5 { old } else { &*new };
    let contrast = (1.0 - 2.0 * share).abs();
    let towards = |own: Color| Rgb::from_linear(mix(light, moved(own, mean(source), light), contrast));
    let (fg, bg) = (color(towards(source.fg)), color(towards(source.bg)));
    // Where neither picture paints the ground it stays the terminal's own.
    let bare = old.bg == Color::Reset && new.bg == Color::Reset;
    let symbol = source.symbol().to_owned();
    new.set_symbol(&symbol).set_fg(fg).set_bg(if bare { Color::Reset } else { bg });
}

/// `own`, shifted with the mean of its cell from `from` to `to`.
fn moved(own: Color, from: LinearRgb, to: LinearRgb) -> LinearRgb {
    let own = xterm_rgb(own, Rgb::BLACK).linear();
    [0, 1, 2].map(|channel| (own[channel] + to[channel] - from[channel]).clamp(0.0, 1.0))
}

/// The light of a cell, as far as its glyph is known: full, blank, or half and half.
fn mean(cell: &Cell) -> LinearRgb {
    let [fg, bg] = [cell.fg, cell.bg].map(|color| xterm_rgb(color, Rgb::BLACK).linear());
    match cell.symbol() {
        " " => bg,
        "█" => fg,
        _ => mix(bg, fg, 0.5),
    }
}

/// When a cell's turn comes, from 0 to 1: the golden ratio's sequence spreads neighbours evenly over time.
fn turn((x, y): (u16, u16)) -> f32 {
    (f32::from(x) * 0.754_877_7 + f32::from(y) * 0.569_840_3).fract()
}

/// A palette on its way to another.
#[derive(Clone, Debug)]
pub struct Recolor {
    from: Palette,
    to: Palette,
    passed: Duration,
    lasts: Duration,
}

impl Recolor {
    pub fn new(from: Palette, to: Palette, lasts: Duration) -> Self {
        Self { from, to, passed: Duration::ZERO, lasts }
    }

    /// Time passes. Returns the palette as it is now, and whether it has arrived.
    pub fn advance(&mut self, elapsed: Duration) -> (Palette, bool) {
        self.passed += elapsed;
        if self.passed >= self.lasts {
            return (self.to.clone(), true);
        }
        let share = self.passed.as_secs_f32() / self.lasts.as_secs_f32();
        (self.from.towards(&self.to, share), false)
    }

    /// Where it goes.
    pub fn target(&self) -> &Palette {
        &self.to
    }
}
