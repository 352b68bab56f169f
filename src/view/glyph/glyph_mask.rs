use crate::cell::color::Rgb;
use crate::cell::glyph_shape::{self, CELL};
use crate::view::glyph::fitted_cell::FittedCell;
use crate::view::glyph::texel_block::{Course, TEXEL_COUNT, TEXELS, TexelBlock, TexelPlane, TexelSet, TexelSum, minus};
use fearless_simd::prelude::*;

/// Largest deviation of the sum of two glyphs' weights from 1, in any texel, for them to be inverse to each other.
const INVERSE_TOLERANCE: f32 = 0.01;

#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(super) struct GlyphMask {
    /// The fraction of each texel that is covered. (First, and aligned, so that no vector lies in two lines of the cache.)
    pub weights: TexelPlane,
    pub glyph: char,
    /// Whether it has the part that the glyph leaves, which stays the cell's background.
    pub is_reversed: bool,
    pub area: f32,
    /// The centroids of the covered and the uncovered part, from the middle of the cell, in cells.
    pub on: [f32; 2],
    pub off: [f32; 2],
    pub course: Course<f32>,
}

impl GlyphMask {
    pub fn new(glyph: char) -> Option<Self> {
        let pixels = glyph_shape::pixels(glyph)?;
        let (wide, high) = (CELL.0 / TEXELS.0, CELL.1 / TEXELS.1);
        let weight = |x: usize, y: usize| {
            let rows = &pixels[y * high..(y + 1) * high];
            let covered =
                rows.iter().flat_map(|row| &row[x * wide..(x + 1) * wide]).map(|&v| u32::from(v)).sum::<u32>();
            covered as f32 / (255 * wide * high) as f32
        };
        let weights: TexelPlane = std::array::from_fn(|y| std::array::from_fn(|x| weight(x, y)));
        let area = weights.iter().flatten().sum::<f32>() / TEXEL_COUNT as f32;
        let centroid = |value: &dyn Fn(f32) -> f32| {
            let texels = (0..TEXEL_COUNT).map(|n| (n % TEXELS.0, n / TEXELS.0));
            let place = |number: usize, count: usize| (number as f32 + 0.5) / count as f32 - 0.5;
            let sums = texels.fold([0.0f32; 3], |[sx, sy, s], (x, y)| {
                let weight = value(weights[y][x]);
                [sx + weight * place(x, TEXELS.0), sy + weight * place(y, TEXELS.1), s + weight]
            });
            if sums[2] > 0.0 { [sums[0] / sums[2], sums[1] / sums[2]] } else { [0.0; 2] }
        };
        let column = |x: usize| weights.iter().map(|row| row[x]).sum::<f32>() / TEXELS.1 as f32;
        let row = |y: usize| weights[y].iter().sum::<f32>() / TEXELS.0 as f32;
        let ends = [[row(0), row(TEXELS.1 - 1)], [column(0), column(TEXELS.0 - 1)]];
        let course = Course {
            slant: ends.map(|[first, last]| first - last),
            bend: ends.map(|[first, last]| first + last - 2.0 * area),
        };
        Some(Self {
            glyph,
            is_reversed: false,
            on: centroid(&|w| w),
            off: centroid(&|w| 1.0 - w),
            course,
            weights,
            area,
        })
    }

    /// The rest of the cell, drawn as the background of the same glyph.
    pub fn reversed(&self) -> Self {
        let Course { slant, bend } = self.course;
        Self {
            weights: self.weights.map(|row| row.map(|weight| 1.0 - weight)),
            is_reversed: true,
            area: 1.0 - self.area,
            on: self.off,
            off: self.on,
            course: Course { slant: slant.map(|at| -at), bend: bend.map(|at| -at) },
            ..*self
        }
    }

    /// A cell in which this mask has the foreground and the rest is bare, as it is drawn if bare cells have this colour; or the
    /// other way.
    pub fn swapped(&self, cell: FittedCell, bare: Option<Rgb>) -> FittedCell {
        if self.is_reversed { FittedCell { fg: bare, bg: cell.fg, ..cell } } else { cell }
    }

    /// Returns the sums over the covered and the uncovered part of a block; `total` is the sum of both.
    #[inline(always)]
    pub fn divide<S: Simd>(&self, simd: S, block: &TexelBlock, total: TexelSum) -> [TexelSet; 2] {
        let on = block.sum(simd, &self.weights).into();
        [TexelSet { sum: on, area: self.area }, TexelSet { sum: minus(total, on), area: 1.0 - self.area }]
    }

    pub fn bits(&self) -> u128 {
        let covered = self.weights.iter().flatten().enumerate().filter(|(_, weight)| **weight >= 0.5);
        covered.fold(0, |bits, (texel, _)| bits | 1 << texel)
    }

    pub fn covers_last(&self) -> bool {
        self.weights[TEXELS.1 - 1][TEXELS.0 - 1] > 0.5
    }

    pub fn is_inverse_of(&self, other: &Self) -> bool {
        let pairs = self.weights.iter().flatten().zip(other.weights.iter().flatten());
        pairs.map(|(a, b)| (a + b - 1.0).abs()).fold(0.0, f32::max) < INVERSE_TOLERANCE
    }
}
