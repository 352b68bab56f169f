//! Letters as shapes that can be filled, from the bitmaps of a font.

use crate::sim::boundary::Shape;
use crate::sim::boundary::sdf_grid::SdfGrid;
use glam::Vec2;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use textwrap::WordSplitter;

/// Bold, because two particles must fit side by side into every stroke; 32 pixels give smooth outlines at any size.
const WEIGHT: FontWeight = FontWeight::Bold;
const HEIGHT: RasterHeight = RasterHeight::Size32;

const FINE: usize = 3;

/// Distance between letters and between lines, in the font's pixels; and the least gap between letters.
const ADVANCE: f32 = 18.0;
const LINE: f32 = 33.0;
const GAP: f32 = 3.0;

const INK: f32 = 128.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Letter {
    pub character: char,
    pub corner: Vec2,
    /// Metres for each of the font's pixels.
    pub pitch: f32,
}

#[derive(Clone, Debug, Default)]
pub struct Font {
    outlines: BTreeMap<char, Arc<SdfGrid>>,
}

impl Font {
    /// The inside of a letter; none for a blank.
    pub fn shape(&mut self, letter: &Letter) -> Option<Shape> {
        let raster = raster(letter.character)?;
        let relief = self.outlines.entry(letter.character).or_insert_with(|| Arc::new(outline(&raster)));
        Some(Shape::SdfGrid { relief: Arc::clone(relief), corner: letter.corner, pitch: letter.pitch / FINE as f32 })
    }
}

fn raster(character: char) -> Option<RasterizedChar> {
    match character {
        ' ' => None,
        // The font's zero is crossed, and liquid closes the gaps that this leaves.
        '0' => get_raster('O', WEIGHT, HEIGHT),
        other => get_raster(other, WEIGHT, HEIGHT),
    }
}

pub fn is_missing(character: char) -> bool {
    raster(character).is_none()
}

fn outline(raster: &RasterizedChar) -> SdfGrid {
    let ink = |x: usize, y: usize| f32::from(raster.pixel(x, y).unwrap_or(0));
    let (wide, high) = (raster.width() * FINE, raster.height() * FINE);
    let solid = (0..wide * high).map(|at| {
        // Between the centres of pixels, ink is interpolated.
        let place =
            |sample: usize, count: usize| ((sample as f32 + 0.5) / FINE as f32 - 0.5).clamp(0.0, count as f32 - 1.001);
        let (x, y) = (place(at % wide, raster.width()), place(at / wide, raster.height()));
        let (column, row, dx, dy) = (x as usize, y as usize, x.fract(), y.fract());
        let upper = ink(column, row) * (1.0 - dx) + ink(column + 1, row) * dx;
        let lower = ink(column, row + 1) * (1.0 - dx) + ink(column + 1, row + 1) * dx;
        upper * (1.0 - dy) + lower * dy > INK
    });
    SdfGrid::new(wide, &solid.collect::<Vec<bool>>())
}

/// Left and right end, upper and lower end of a letter's ink, in pixels from the upper left corner.
fn ink(character: char) -> Option<[f32; 4]> {
    let raster = raster(character)?;
    let dark = |x: usize, y: usize| raster.pixel(x, y).is_some_and(|ink| f32::from(ink) > INK);
    let columns: Vec<usize> = (0..raster.width()).filter(|&x| (0..raster.height()).any(|y| dark(x, y))).collect();
    let rows: Vec<usize> = (0..raster.height()).filter(|&y| (0..raster.width()).any(|x| dark(x, y))).collect();
    let (left, right) = (*columns.first()? as f32, *columns.last()? as f32 + 1.0);
    Some([left, right, *rows.first()? as f32, *rows.last()? as f32 + 1.0])
}

/// Distance from a letter's left end to the next one's: characters as narrow as a colon take less room than digits.
fn advance(character: char) -> f32 {
    let narrow =
        |[left, right, ..]: [f32; 4]| if right - left < ADVANCE / 2.0 { right - left + 2.0 * GAP } else { ADVANCE };
    ink(character).map_or(ADVANCE, narrow)
}

/// Places lines of letters as large as possible between two corners of a box (metres), in its middle.
pub fn place(lines: &[String], [low, high]: [Vec2; 2]) -> Vec<Letter> {
    let width = |line: &String| line.chars().map(advance).sum::<f32>();
    let Some((top, bottom)) = ends(lines) else { return Vec::new() };
    let size = Vec2::new(lines.iter().map(width).fold(0.0, f32::max), bottom - top);
    let pitch = ((high - low) / size).min_element();
    let upper = (low + high) / 2.0 + Vec2::new(0.0, size.y / 2.0 + top) * pitch;
    let mut letters = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut x = -width(line) / 2.0;
        for character in line.chars() {
            // Narrow characters are centred in their bitmaps.
            let shift = (advance(character) - ADVANCE) / 2.0;
            let down = number as f32 * LINE + raster('0').map_or(LINE, |raster| raster.height() as f32);
            let corner = upper + Vec2::new(x + shift, -down) * pitch;
            letters.push(Letter { character, corner, pitch });
            x += advance(character);
        }
    }
    letters
}

/// The upper end of the first line's ink and the lower end of the last one's, in pixels.
fn ends(lines: &[String]) -> Option<(f32, f32)> {
    let inks = lines.iter().enumerate().flat_map(|(number, line)| {
        line.chars()
            .filter_map(ink)
            .map(move |[.., top, bottom]| (number as f32 * LINE + top, number as f32 * LINE + bottom))
    });
    inks.reduce(|(top, bottom), (upper, lower)| (top.min(upper), bottom.max(lower)))
}

/// Breaks text into the lines that make it largest in a box of `size`: between words where possible.
pub fn wrap(text: &str, size: Vec2) -> Vec<String> {
    let text = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = text.collect::<Vec<_>>().join("\n");
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let word = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
    let fits = |lines: &Vec<String>| {
        let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(1).max(1);
        (size.x / (columns as f32 * ADVANCE)).min(size.y / (lines.len() as f32 * LINE))
    };
    let wrapped = |columns| {
        let options = textwrap::Options::new(columns).break_words(false).word_splitter(WordSplitter::NoHyphenation);
        textwrap::wrap(&text, options).into_iter().map(Cow::into_owned).collect()
    };
    // Of two that are equally large, the narrower one.
    let tries = (word.max(1)..=longest.max(1)).rev().map(wrapped);
    tries.max_by(|a, b| fits(a).total_cmp(&fits(b))).unwrap_or_default()
}

pub fn sites(shape: &Shape, spacing: f32) -> Vec<Vec2> {
    let (low, high) = shape.bounds();
    let pitch = Vec2::new(spacing, spacing * 0.75f32.sqrt());
    let rows = ((high.y - low.y) / pitch.y) as usize;
    let columns = ((high.x - low.x) / pitch.x) as usize + 1;
    let nodes = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let place = |(column, row): (usize, usize)| {
        let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
        low + pitch * Vec2::new(column as f32 + shift, row as f32 + 0.5)
    };
    nodes.map(place).filter(|&at| shape.contact(at).distance < -0.3 * spacing).collect()
}

pub fn spacing(shapes: &[Shape], count: usize) -> f32 {
    spacing_of(count, 0.003, 12, |spacing| shapes.iter().map(|shape| sites(shape, spacing).len()).sum())
}

/// The spacing above `tight` at which there are at most `count` particles, by so many bisections.
pub fn spacing_of(count: usize, mut tight: f32, bisections: u32, particles: impl Fn(f32) -> usize) -> f32 {
    let mut loose = 0.1;
    for _ in 0..bisections {
        let middle = f32::sqrt(tight * loose);
        if particles(middle) > count { tight = middle } else { loose = middle }
    }
    loose
}
