//! The pixels that every block glyph covers, from geometry. Terminals that draw these glyphs themselves put sixths and eighths on
//! whole pixels and smooth slanted edges; so does this table, at 8×16 pixels a cell. A sextant's rows are 5, 6 and 5 high.

use crate::cell::blocks::{LEFT, LOWER, RIGHT_EIGHTH, UPPER_EIGHTH};
use crate::cell::color::{Rgb, mix, xterm_rgb};
use crate::cell::wedge;
use ratatui_core::buffer::Cell;
use ratatui_core::symbols::pixel::{OCTANTS, QUADRANTS, SEXTANTS};
use std::sync::OnceLock;

/// Pixels of a cell, across and down.
pub const CELL: (usize, usize) = (8, 16);

/// Covered fraction of each pixel, 0 to 255, row by row from the top.
pub type Pixels = [[u8; CELL.0]; CELL.1];

/// Sample points of a pixel on a slanted edge, in each direction. Odd, so that a glyph and its inverse never tie.
const PROBES: usize = 7;

/// Returns the pixels that a block glyph covers; `None` for other glyphs, such as letters and dots.
pub fn pixels(glyph: char) -> Option<&'static Pixels> {
    static TABLE: OnceLock<Vec<(char, Pixels)>> = OnceLock::new();
    let table = TABLE.get_or_init(table);
    table.binary_search_by_key(&glyph, |entry| entry.0).ok().map(|place| &table[place].1)
}

/// Returns the fraction of its cell that a block glyph covers; `None` for other glyphs.
pub fn covered_fraction(glyph: char) -> Option<f32> {
    let covered: u32 = pixels(glyph)?.iter().flatten().map(|&pixel| u32::from(pixel)).sum();
    Some(covered as f32 / (255 * CELL.0 * CELL.1) as f32)
}

/// The single colour that is nearest to a cell's content over a background, which the terminal may paint by itself; `None` if its
/// glyph is no block.
pub fn mean_color(cell: &Cell, background: Rgb) -> Option<Rgb> {
    let covered = covered_fraction(cell.symbol().chars().next().unwrap_or(' '))?;
    let [bg, fg] = [cell.bg, cell.fg].map(|own| xterm_rgb(own, background).linear());
    Some(Rgb::from_linear(mix(bg, fg, covered)))
}

fn table() -> Vec<(char, Pixels)> {
    let bit = |mask: usize, part: usize| mask >> part & 1 == 1;
    let mut table: Vec<(char, Pixels)> = Vec::new();
    for eighths in 0..=8 {
        table.push((LOWER[eighths], aligned(|_, y| y >= CELL.1 - 2 * eighths)));
        table.push((LEFT[eighths], aligned(|x, _| x < eighths)));
    }
    table.push((UPPER_EIGHTH, aligned(|_, y| y < 2)));
    table.push((RIGHT_EIGHTH, aligned(|x, _| x == 7)));
    table.extend((0..16).map(|mask| (QUADRANTS[mask], aligned(|x, y| bit(mask, y / 8 * 2 + x / 4)))));
    table.extend((0..64).map(|mask| (SEXTANTS[mask], aligned(|x, y| bit(mask, (3 * y + 1) / 16 * 2 + x / 4)))));
    table.extend((0..256).map(|mask| (OCTANTS[mask], aligned(|x, y| bit(mask, y / 4 * 2 + x / 4)))));
    table.extend(wedge::all().map(|glyph| (glyph, slanted(|x, y| wedge::covers(glyph, x, y)))));
    table.sort_unstable_by_key(|entry| entry.0);
    table.dedup_by_key(|entry| entry.0);
    table
}

fn aligned(covers: impl Fn(usize, usize) -> bool) -> Pixels {
    std::array::from_fn(|y| std::array::from_fn(|x| if covers(x, y) { 255 } else { 0 }))
}

/// Builds pixels by the fraction of their sample points that are covered; `covers` takes a point of the cell, 0 to 1.
fn slanted(covers: impl Fn(f32, f32) -> bool) -> Pixels {
    let place = |pixel: usize, probe: usize, pixels: usize| {
        (pixel as f32 + (probe as f32 + 0.5) / PROBES as f32) / pixels as f32
    };
    let share = |x: usize, y: usize| {
        let probes = (0..PROBES * PROBES).map(|probe| (probe % PROBES, probe / PROBES));
        let hits = probes.filter(|probe| covers(place(x, probe.0, CELL.0), place(y, probe.1, CELL.1))).count();
        (hits as f32 * 255.0 / (PROBES * PROBES) as f32).round() as u8
    };
    std::array::from_fn(|y| std::array::from_fn(|x| share(x, y)))
}
