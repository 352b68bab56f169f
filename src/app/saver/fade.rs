//! Cross-fades of pictures and of palettes. A cell has one glyph and two colours, so the mean light of each cell is blended
//! linearly. The contrast within a cell falls to zero in the middle of the fade, where the glyph changes, and rises again. Where
//! colours cannot be blended (16, mono) cells change one by one, in a low-discrepancy order.

use crate::app::saver::autopilot::eased;
use crate::cell::color::{LinearRgb, mix, xterm_rgb};
use crate::sim::World;
use crate::view::{ColorDepth, Painter, Palette, RenderStyle, Rgb};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;
use std::time::Duration;

pub const SCENE: Duration = Duration::from_millis(2500);

/// Long enough that key repeat does not make the picture flash.
pub const SLOW_COLORS: Duration = Duration::from_millis(4000);
pub const QUICK_COLORS: Duration = Duration::from_millis(400);

/// The scene that fades out. It continues to move meanwhile.
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

    pub fn advance(&mut self, elapsed: Duration) -> bool {
        self.passed += elapsed;
        self.passed >= SCENE
    }

    /// Blends the old scene over the new one, which is in `area`. `depth` is what the terminal shows.
    pub fn draw(&mut self, cell: (u16, u16), depth: ColorDepth, area: Rect, buf: &mut Buffer) {
        self.picture.resize(area);
        self.painter.paint(&self.world, &self.look, cell, self.picture.area, &mut self.picture);
        let progress = eased((self.passed.as_secs_f32() / SCENE.as_secs_f32()).min(1.0));
        for at in area.positions() {
            let (old, new) = (&self.picture[at], &mut buf[at]);
            let at = at.into();
            match depth {
                _ if old == new => {}
                ColorDepth::TrueColor | ColorDepth::Ansi256 => cross(old, new, progress, |rgb| depth.color(rgb, at)),
                _ if turn(at) >= progress => new.clone_from(old),
                _ => {}
            }
        }
    }
}

fn cross(old: &Cell, new: &mut Cell, progress: f32, color: impl Fn(Rgb) -> Color) {
    let light = mix(mean(old), mean(new), progress);
    let source = if progress < 0.5 { old } else { &*new };
    let contrast = (1.0 - 2.0 * progress).abs();
    let towards = |own: Color| Rgb::from_linear(mix(light, moved(own, mean(source), light), contrast));
    let (fg, bg) = (color(towards(source.fg)), color(towards(source.bg)));
    // If neither picture paints the background, it stays the terminal's.
    let bare = old.bg == Color::Reset && new.bg == Color::Reset;
    let symbol = source.symbol().to_owned();
    new.set_symbol(&symbol).set_fg(fg).set_bg(if bare { Color::Reset } else { bg });
}

fn moved(own: Color, from: LinearRgb, to: LinearRgb) -> LinearRgb {
    let own = xterm_rgb(own, Rgb::BLACK).linear();
    [0, 1, 2].map(|channel| (own[channel] + to[channel] - from[channel]).clamp(0.0, 1.0))
}

/// The mean light of a cell, by an estimate of its glyph's coverage: full, blank, or half.
fn mean(cell: &Cell) -> LinearRgb {
    let [fg, bg] = [cell.fg, cell.bg].map(|color| xterm_rgb(color, Rgb::BLACK).linear());
    match cell.symbol() {
        " " => bg,
        "█" => fg,
        _ => mix(bg, fg, 0.5),
    }
}

/// The time at which a cell changes, from 0 to 1: the R2 sequence (plastic number, Roberts 2018) spreads neighbours evenly.
fn turn((x, y): (u16, u16)) -> f32 {
    (f32::from(x) * 0.754_877_7 + f32::from(y) * 0.569_840_3).fract()
}

#[derive(Clone, Debug)]
pub struct PaletteTransition {
    from: Palette,
    pub to: Palette,
    passed: Duration,
    duration: Duration,
}

impl PaletteTransition {
    pub fn new(from: Palette, to: Palette, duration: Duration) -> Self {
        Self { from, to, passed: Duration::ZERO, duration }
    }

    pub fn advance(&mut self, elapsed: Duration) -> (Palette, bool) {
        self.passed += elapsed;
        if self.passed >= self.duration {
            return (self.to.clone(), true);
        }
        let progress = self.passed.as_secs_f32() / self.duration.as_secs_f32();
        (self.from.towards(&self.to, progress), false)
    }
}
