//! Cells as pixels: the output of a terminal with a perfect font, 8×16 pixels a cell.

use crate::cell::color::{Rgb, mix, xterm_rgb};
use crate::cell::{braille, glyph_shape};
use crate::view::image::Image;
use glam::Vec2;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};
use ratatui_core::buffer::Buffer;
use ratatui_core::style::Modifier;
use std::collections::BTreeMap;

pub use crate::cell::glyph_shape::CELL;

/// The colours of a terminal's default foreground and background: light grey on black, as in most terminals.
const DEFAULT_FG: Rgb = Rgb(208, 208, 208);
const DEFAULT_BG: Rgb = Rgb::BLACK;

/// Draws every cell of `buf` by its glyph's coverage.
pub fn rasterize(buf: &Buffer) -> Image {
    rasterize_at(buf, 1)
}

/// Draws every cell at a smaller size: each pixel is the mean of `scale` × `scale` pixels (1, 2, 4 or 8).
pub fn rasterize_at(buf: &Buffer, scale: usize) -> Image {
    let (columns, rows) = (usize::from(buf.area.width), usize::from(buf.area.height));
    let (wide, high) = (CELL.0 / scale, CELL.1 / scale);
    let mut image = Image::new(columns * wide, rows * high);
    // The coverage is computed once per glyph: a window has few distinct glyphs and many cells.
    let mut covers: BTreeMap<char, Vec<f32>> = BTreeMap::new();
    for (number, cell) in buf.content.iter().enumerate() {
        let glyph = cell.symbol().chars().next().unwrap_or(' ');
        let cover = covers.entry(glyph).or_insert_with(|| squares(glyph, scale));
        let (fg, bg) = (xterm_rgb(cell.fg, DEFAULT_FG), xterm_rgb(cell.bg, DEFAULT_BG));
        let (fg, bg) = if cell.modifier.contains(Modifier::REVERSED) { (bg, fg) } else { (fg, bg) };
        let corner = (number % columns * wide, number / columns * high);
        for (at, &ink) in cover.iter().enumerate() {
            let color = match ink {
                0.0 => bg,
                1.0 => fg,
                _ => Rgb::from_linear(mix(bg.linear(), fg.linear(), ink)),
            };
            image.put(corner.0 + at % wide, corner.1 + at / wide, color);
        }
    }
    image
}

const ASCII_RAMP: &[u8] = b" .:-=+*#%@";

/// Replaces symbols by ASCII characters with about the same ink coverage.
pub fn to_ascii(buf: &mut Buffer) {
    for cell in buf.content.iter_mut().filter(|cell| !cell.symbol().is_ascii()) {
        let glyph = cell.symbol().chars().next().unwrap_or(' ');
        let pixels = (0..CELL.1).flat_map(|y| (0..CELL.0).map(move |x| (x, y)));
        let ink: usize = pixels.map(|(x, y)| usize::from(coverage(glyph, x, y))).sum();
        let level = ink * ASCII_RAMP.len() / (255 * CELL.0 * CELL.1 + 1);
        cell.set_char(char::from(ASCII_RAMP[level]));
    }
}

fn squares(glyph: char, scale: usize) -> Vec<f32> {
    let (wide, high) = (CELL.0 / scale, CELL.1 / scale);
    let square = |at: usize| {
        let (x, y) = (at % wide * scale, at / wide * scale);
        let pixels = (0..scale * scale).map(|pixel| coverage(glyph, x + pixel % scale, y + pixel / scale));
        pixels.map(f32::from).sum::<f32>() / (255 * scale * scale) as f32
    };
    (0..wide * high).map(square).collect()
}

pub fn coverage(glyph: char, x: usize, y: usize) -> u8 {
    let full = |lit: bool| if lit { 255 } else { 0 };
    match glyph {
        ' ' => 0,
        '░' => 64,
        '▒' => 128,
        '▓' => 192,
        '←'..='↓' | '↖'..='↙' | '▸' | '▾' => full(is_arrow(glyph, x, y)),
        '…' => full((11..13).contains(&y) && x % 3 == 1),
        '\u{2800}'..='\u{28ff}' => full(braille::covers(glyph, x, y)),
        '\u{2500}'..='\u{257f}' => full(line(glyph, x, y)),
        '‹' => letter('<', x, y),
        '›' => letter('>', x, y),
        '!'..='~' | '\u{a1}'..='\u{ff}' => letter(glyph, x, y),
        _ => {
            glyph_shape::pixels(glyph).map_or(full((1..7).contains(&x) && (3..13).contains(&y)), |pixels| pixels[y][x])
        }
    }
}

/// Whether a box-drawing character covers a pixel. Common lines are strokes from the middle; rarer ones show as a cross.
fn line(glyph: char, x: usize, y: usize) -> bool {
    let reaches = |without: &str| !without.contains(glyph);
    let (up, down) = (reaches("─━╌┄┌╭┏┐╮┓┬"), reaches("─━╌┄└╰┗┘╯┛┴"));
    let (left, right) = (reaches("│┃╎┆┌╭┏└╰┗├"), reaches("│┃╎┆┐╮┓┘╯┛┤"));
    // Heavy lines are four pixels wide, the others two.
    let (mid_x, mid_y) = match glyph {
        '━' | '┃' | '┏' | '┓' | '┗' | '┛' => ((2..6).contains(&x), (6..10).contains(&y)),
        _ => (x == 3 || x == 4, y == 7 || y == 8),
    };
    mid_y && (left && x <= 4 || right && x >= 3) || mid_x && (up && y <= 8 || down && y >= 7)
}

/// Whether a pixel belongs to an arrow or a triangle, which the font of [`letter`] does not have.
fn is_arrow(glyph: char, x: usize, y: usize) -> bool {
    let direction = match glyph {
        '←' => Vec2::NEG_X,
        '↑' => Vec2::NEG_Y,
        '→' | '▸' => Vec2::X,
        '↖' => Vec2::new(-1.0, -1.0),
        '↗' => Vec2::new(1.0, -1.0),
        '↘' => Vec2::new(1.0, 1.0),
        '↙' => Vec2::new(-1.0, 1.0),
        _ => Vec2::Y,
    };
    let (direction, from_center) = (direction.normalize(), Vec2::new(x as f32 - 3.5, y as f32 - 7.5));
    let (along, across) = (from_center.dot(direction), from_center.perp_dot(direction).abs());
    match glyph {
        '▸' | '▾' => along >= -2.0 && across <= 2.5 - along,
        _ => along >= 0.5 && across <= 3.6 - along || across <= 0.6 && along.abs() <= 3.5,
    }
}

/// Returns the coverage of a letter in a pixel, from Noto Sans Mono at 16 pixels. Letters are 7 pixels wide, so one
/// column stays free.
fn letter(glyph: char, x: usize, y: usize) -> u8 {
    let raster = get_raster(glyph, FontWeight::Regular, RasterHeight::Size16);
    raster.and_then(|raster| raster.pixel(x, y)).unwrap_or(0)
}
