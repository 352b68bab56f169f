//! Thrift: what of a changed cell is worth its bytes.
//!
//! Rate–distortion choice. The encoder knows what the screen shows and with what pen it would draw; for every changed
//! cell it can leave what is there, draw exactly what is wanted, draw it with one or both colours of the pen, turn it
//! inside out, or make it flat. Each has an error on the screen and a price in bytes, and the least of
//! *error + λ · bytes* is chosen. At λ = 0 nothing that can be seen is spared; as λ rises, ever larger differences
//! are. Since the exact cell has no error, none is ever left with more than λ times the bytes of the exact one.
//!
//! The error of a cell is the sum over its 8×16 pixels of the squared difference of red, green and blue in sRGB code
//! values, for which the eye's steps are about even. (In linear light a dark drop that has gone would cost next to
//! nothing, and its ghost would stay. Nothing is mixed here, so linear light has nothing to offer.)
//!
//! Text, and everything else whose shape is not known, is always exact.

use crate::view::Rgb;
use crate::view::color::shown;
use ratatui_core::style::Color;

use super::color::Paint;
use super::coverage::{PIXELS, Shape, shape};
use super::screen::{Glyph, Pen, Tile};

/// Between colours of which one is the user's own and not known: never alike.
const FAR: u32 = 3 * 255 * 255;
/// The price of moving the cursor to a cell that does not follow the last.
const MOVE: u32 = 4;

/// A cell as pixels.
#[derive(Clone, Copy)]
struct Pixels {
    shape: Shape,
    fg: Paint,
    bg: Paint,
}

impl Pixels {
    /// `None` if its shape is not known.
    #[inline]
    fn of(tile: Tile) -> Option<Self> {
        let known = shape(tile.glyph.code()).filter(|_| tile.pen.attributes.is_empty());
        known.map(|shape| Self { shape, fg: tile.pen.fg, bg: tile.pen.bg })
    }

    /// The error of showing `self` where `other` is wanted.
    #[inline]
    fn error(self, other: Self) -> u32 {
        let both = self.shape.common(other.shape);
        let (here, there) = (self.shape.lit - both, other.shape.lit - both);
        let neither = PIXELS - both - here - there;
        both * apart(self.fg, other.fg)
            + here * across(self.fg, other.bg)
            + there * across(self.bg, other.fg)
            + neither * apart(self.bg, other.bg)
    }
}

/// The error of showing `here` where `wanted` is; `None` where it cannot be counted.
#[inline]
pub fn error(here: Tile, wanted: Tile) -> Option<u32> {
    Some(Pixels::of(here)?.error(Pixels::of(wanted)?))
}

#[inline]
fn apart(a: Paint, b: Paint) -> u32 {
    match (a, b) {
        (Paint::Rgb(r, g, b), Paint::Rgb(x, y, z)) => square(r, x) + square(g, y) + square(b, z),
        _ if a == b => 0,
        (Paint::Default, _) | (_, Paint::Default) => FAR,
        _ => {
            let (Rgb(r, g, b), Rgb(x, y, z)) = (rgb(a), rgb(b));
            square(r, x) + square(g, y) + square(b, z)
        }
    }
}

/// Between a text colour and a background: the user's own two are not the same.
#[inline]
fn across(a: Paint, b: Paint) -> u32 {
    if a == Paint::Default || b == Paint::Default { FAR } else { apart(a, b) }
}

#[inline]
fn square(a: u8, b: u8) -> u32 {
    let d = u32::from(a.abs_diff(b));
    d * d
}

fn rgb(paint: Paint) -> Rgb {
    match paint {
        Paint::Default => Rgb::BLACK,
        Paint::Index(index) => shown(Color::Indexed(index), Rgb::BLACK),
        Paint::Rgb(r, g, b) => Rgb(r, g, b),
    }
}

/// The choice in progress along a row.
pub struct Thrift {
    lambda: u32,
    /// What the encoder's pen will be, where that is known.
    pen: Option<Pen>,
    /// The cursor will be at the next cell.
    adjacent: bool,
}

impl Thrift {
    /// With the pen as it is at the start of a row.
    pub fn new(lambda: u32, pen: Option<Pen>) -> Self {
        Self { lambda, pen: pen.filter(|pen| pen.attributes.is_empty()), adjacent: false }
    }

    /// A cell is passed over.
    pub fn pass(&mut self) {
        self.adjacent = false;
    }

    /// What is to be shown of `wanted` in the place of `shown`, and its error.
    pub fn choose(&mut self, shown: Tile, wanted: Tile) -> (Tile, u32) {
        let spared = error(shown, wanted);
        if let Some(error) = spared.filter(|&error| error <= self.lambda) {
            self.pass();
            return (shown, error);
        }
        let mut best = Best { tile: wanted, error: 0, cost: self.cost(0, self.price(wanted)) };
        if let Some(error) = spared {
            best.offer(shown, error, self.cost(error, 0));
            self.consider(wanted, &mut best);
        }
        if best.tile == shown {
            self.pass();
        } else {
            self.draw(best.tile);
        }
        (best.tile, best.error)
    }

    fn consider(&self, wanted: Tile, best: &mut Best) {
        let (Some(shape), Pen { fg, bg, .. }) = (shape(wanted.glyph.code()), wanted.pen) else { return };
        let lit = shape.lit;
        let mut offer = |glyph: char, pen: Pen, error: u32| {
            let tile = Tile { glyph: Glyph::from(glyph), pen }.normal();
            best.offer(tile, error, self.cost(error, self.price(tile)));
        };
        let ground = |paint: Paint| lit * across(paint, fg) + (PIXELS - lit) * apart(paint, bg);
        offer(' ', wanted.pen, ground(bg));
        // The other half of the choices swap text and background, which the user's own two colours forbid.
        let swaps = fg != Paint::Default && bg != Paint::Default;
        let inverse = shape.inverse.filter(|_| swaps);
        if swaps {
            offer(' ', Pen { bg: fg, ..Pen::PLAIN }, ground(fg));
            let mean = mean(fg, bg, lit);
            offer(' ', Pen { bg: mean, ..Pen::PLAIN }, ground(mean));
        }
        if let Some(inverse) = inverse {
            offer(inverse, Pen { fg: bg, bg: fg, ..Pen::PLAIN }, 0);
        }
        let Some(pen) = self.pen else { return };
        offer(' ', pen, ground(pen.bg));
        offer('█', pen, lit * apart(pen.fg, fg) + (PIXELS - lit) * across(pen.fg, bg));
        let upright = wanted.glyph.char().map(|glyph| (glyph, lit, fg, bg));
        let turned = inverse.map(|glyph| (glyph, PIXELS - lit, bg, fg));
        for (glyph, lit, fg, bg) in upright.into_iter().chain(turned) {
            let (on, off) = (lit * apart(pen.fg, fg), (PIXELS - lit) * apart(pen.bg, bg));
            offer(glyph, Pen { fg: pen.fg, bg, ..Pen::PLAIN }, on);
            offer(glyph, Pen { fg, bg: pen.bg, ..Pen::PLAIN }, off);
            offer(glyph, pen, on + off);
        }
    }

    /// Error and price as one; among equals the shorter.
    fn cost(&self, error: u32, price: u32) -> u64 {
        u64::from(error + self.lambda * price) << 8 | u64::from(price)
    }

    /// About how many bytes it takes to draw a tile.
    fn price(&self, tile: Tile) -> u32 {
        let (fg, bg) = self.pen.map_or((true, true), |pen| (pen.fg != tile.pen.fg, pen.bg != tile.pen.bg));
        let fg = fg && !tile.shows_only_background();
        let colours = if fg { length(tile.pen.fg) } else { 0 } + if bg { length(tile.pen.bg) } else { 0 };
        let sgr = if fg || bg { colours + 2 } else { 0 };
        let glyph = tile.glyph.char().map_or(4, char::len_utf8) as u32;
        glyph + sgr + if self.adjacent { 0 } else { MOVE }
    }

    fn draw(&mut self, tile: Tile) {
        self.adjacent = true;
        let keeps_fg = tile.shows_only_background();
        self.pen = match self.pen {
            _ if !tile.pen.attributes.is_empty() => None,
            Some(pen) if keeps_fg => Some(Pen { bg: tile.pen.bg, ..pen }),
            _ => Some(tile.pen),
        };
    }
}

/// The cheapest so far.
struct Best {
    tile: Tile,
    error: u32,
    cost: u64,
}

impl Best {
    fn offer(&mut self, tile: Tile, error: u32, cost: u64) {
        if cost < self.cost {
            *self = Self { tile, error, cost };
        }
    }
}

/// Both colours by their share of the cell, where they can be mixed.
fn mean(fg: Paint, bg: Paint, lit: u32) -> Paint {
    let (Paint::Rgb(r, g, b), Paint::Rgb(x, y, z)) = (fg, bg) else { return bg };
    let mix = |on: u8, off: u8| ((u32::from(on) * lit + u32::from(off) * (PIXELS - lit) + PIXELS / 2) / PIXELS) as u8;
    Paint::Rgb(mix(r, x), mix(g, y), mix(b, z))
}

/// Bytes of a colour in an SGR, with the separator or the end after it.
fn length(paint: Paint) -> u32 {
    let digits = |v: u8| 1 + u32::from(v > 9) + u32::from(v > 99);
    match paint {
        Paint::Default => 3,
        Paint::Index(..16) => 3,
        Paint::Index(index) => 6 + digits(index),
        Paint::Rgb(r, g, b) => 8 + digits(r) + digits(g) + digits(b),
    }
}
