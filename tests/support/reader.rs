//! Reads letters from a picture: splits it into separate shapes, and finds the most similar letter of the font for
//! each. It does not use the positions at which letters were drawn.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};
use ratatui_core::buffer::Buffer;
use ratatui_core::style::Color;
use slosh::cell::color::xterm_rgb;
use slosh::view::Rgb;
use slosh::view::raster::coverage;

/// Every shape is compared on a grid of this many columns and rows.
const GRID: (usize, usize) = (12, 18);

/// Points brighter than this are liquid, not the glass around it.
const BRIGHT: u32 = 105;

/// Gaps narrower than this (in points, four per cell) are within a letter.
const GAP: usize = 2;

/// A black-and-white picture, row by row.
struct Bitmap {
    width: usize,
    ink: Vec<bool>,
}

impl Bitmap {
    fn columns(&self, from: usize, to: usize) -> Bitmap {
        let rows = self.ink.chunks(self.width).flat_map(|row| row[from..to].to_vec());
        Bitmap { width: to - from, ink: rows.collect() }
    }

    /// Returns the bitmap without the empty rows above and below.
    fn trimmed(&self) -> Bitmap {
        let rows: Vec<&[bool]> = self.ink.chunks(self.width).collect();
        let first = rows.iter().position(|row| row.contains(&true)).unwrap_or(0);
        let last = rows.iter().rposition(|row| row.contains(&true)).unwrap_or(0);
        Bitmap { width: self.width, ink: rows[first..=last].concat() }
    }

    /// Returns the parts between empty columns.
    fn split(&self) -> Vec<Bitmap> {
        let inked = |column: usize| self.ink.iter().skip(column).step_by(self.width).any(|&ink| ink);
        let mut parts: Vec<(usize, usize)> = Vec::new();
        for column in (0..self.width).filter(|&column| inked(column)) {
            match parts.last_mut() {
                Some((_, end)) if column <= *end + GAP => *end = column,
                _ => parts.push((column, column)),
            }
        }
        parts.iter().map(|&(from, to)| self.columns(from, to + 1).trimmed()).collect()
    }

    /// Returns width over height, and the coverage of each square of the grid.
    fn look(&self) -> (f32, Vec<f32>) {
        let height = self.ink.len() / self.width;
        let mut sums = vec![(0.0f32, 0.0f32); GRID.0 * GRID.1];
        // Each point counts as two by two, so that small letters have no holes.
        for at in 0..self.ink.len() * 4 {
            let (x, y) = (at % (2 * self.width), at / (2 * self.width));
            let square = y * GRID.1 / (2 * height) * GRID.0 + x * GRID.0 / (2 * self.width);
            sums[square].0 += f32::from(u8::from(self.ink[y / 2 * self.width + x / 2]));
            sums[square].1 += 1.0;
        }
        (self.width as f32 / height as f32, sums.iter().map(|(ink, all)| ink / all.max(1.0)).collect())
    }
}

/// A letter of the font. The font's zero is slashed; the demo's is not.
fn letter(character: char) -> Bitmap {
    let drawn = if character == '0' { 'O' } else { character };
    let raster = get_raster(drawn, FontWeight::Bold, RasterHeight::Size32).expect("the font has it");
    let ink = (0..raster.width() * raster.height())
        .map(|at| raster.pixel(at % raster.width(), at / raster.width()).unwrap_or(0) > 128)
        .collect();
    let whole = Bitmap { width: raster.width(), ink };
    let (from, to) = (0..whole.width).fold((usize::MAX, 0), |(from, to), column| {
        let inked = whole.ink.iter().skip(column).step_by(whole.width).any(|&ink| ink);
        if inked { (from.min(column), column + 1) } else { (from, to) }
    });
    whole.columns(from, to).trimmed()
}

/// Reads the text in the rows of cells above `rows`, in letters of `alphabet`.
pub fn read(buf: &Buffer, rows: u16, alphabet: &str) -> String {
    let letters: Vec<(char, (f32, Vec<f32>))> = alphabet.chars().map(|it| (it, letter(it).look())).collect();
    let nearest = |part: &Bitmap| {
        let (aspect, squares) = part.look();
        let distance = |(own, look): &(f32, Vec<f32>)| {
            let apart: f32 = squares.iter().zip(look).map(|(a, b)| (a - b).powi(2)).sum();
            apart / squares.len() as f32 + 0.3 * (aspect / own).ln().powi(2)
        };
        letters.iter().min_by(|a, b| distance(&a.1).total_cmp(&distance(&b.1))).map_or('?', |(character, _)| *character)
    };
    // Small drops are not letters.
    picture(buf, rows).split().iter().filter(|part| part.ink.len() > 150).map(nearest).collect()
}

/// The bright points, at 4×8 per cell.
fn picture(buf: &Buffer, rows: u16) -> Bitmap {
    let columns = usize::from(buf.area.width);
    let mut ink = vec![false; columns * 4 * usize::from(rows) * 8];
    let lit = |color: Color| {
        let Rgb(r, g, b) = xterm_rgb(color, Rgb::BLACK);
        (2 * u32::from(r) + 5 * u32::from(g) + u32::from(b)) / 8 > BRIGHT
    };
    for (number, cell) in buf.content[..columns * usize::from(rows)].iter().enumerate() {
        let (glyph, fg, bg) = (cell.symbol().chars().next().unwrap_or(' '), lit(cell.fg), lit(cell.bg));
        for (x, y) in (0..8).flat_map(|y| (0..4).map(move |x| (x, y))).filter(|_| fg || bg) {
            let row = number / columns * 8 + y;
            let covered = coverage(glyph, 2 * x, 2 * y) > 127;
            ink[row * columns * 4 + number % columns * 4 + x] = if covered { fg } else { bg };
        }
    }
    Bitmap { width: columns * 4, ink }
}
