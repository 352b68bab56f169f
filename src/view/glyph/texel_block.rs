//! A cell of the picture at the resolution of glyphs: 8×16 texels, the pixels of the reference image. Texels are mixed in linear
//! light, and then kept as *tones*: the square roots of linear light, which are nearly the code values of sRGB. The squared error
//! of tones is what PSNR measures.

use crate::cell::color::{LinearRgb, Rgb};
use crate::math::horizontal_sums;
use fearless_simd::f32x4;
use fearless_simd::prelude::*;
use std::sync::OnceLock;

pub const TEXELS: (usize, usize) = (8, 16);

pub const TEXEL_COUNT: usize = TEXELS.0 * TEXELS.1;

pub type TexelRow<S> = fearless_simd::f32x8<S>;

/// One value for every texel, row by row.
pub type TexelPlane = [[f32; TEXELS.0]; TEXELS.1];

/// A tone: square roots of linear light, red, green and blue, 0 to 1.
pub type SqrtLinearRgb = [f32; 3];

#[inline(always)]
pub fn sqrt_linear(light: LinearRgb) -> SqrtLinearRgb {
    light.map(f32::sqrt)
}

#[inline(always)]
pub fn tone_of(Rgb(r, g, b): Rgb) -> SqrtLinearRgb {
    static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
    let table = TABLE.get_or_init(|| std::array::from_fn(|v| sqrt_linear(Rgb(v as u8, 0, 0).linear())[0]));
    [table[usize::from(r)], table[usize::from(g)], table[usize::from(b)]]
}

#[inline(always)]
pub fn to_rgb(tone: SqrtLinearRgb) -> Rgb {
    Rgb::from_linear(tone.map(|v| v * v))
}

/// Sums over a set of texels: tones of red, green and blue, and the share of background.
pub type TexelSum = [f32; 4];

/// A set of texels, reduced to what its error in one colour depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct TexelSet {
    pub sum: TexelSum,
    /// The number of texels, as a fraction of the cell or in parts of it.
    pub area: f32,
}

/// The course of a cell's contents beyond its borders, downward and across, from its first and last row and column of texels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Course<T> {
    /// The mean of the first minus that of the last: zero for an edge that is upright, or level.
    pub slant: [T; 2],
    /// The mean of both minus that of the cell, twice: zero for an edge that is straight.
    pub bend: [T; 2],
}

/// The texels of a cell. (Aligned, because a vector that lies in two lines of the cache takes two loads.)
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct TexelBlock {
    /// Tones of red, green and blue, mixed over the background, and the fraction that is background.
    pub planes: [TexelPlane; 4],
    pub background: SqrtLinearRgb,
    /// Share of the cell that is wall or body, 0 to 1.
    pub solid: f32,
    pub light: f32,
    /// Whether there are walls in it, all level or upright: a slanted glyph would break their edges.
    pub straight: bool,
}

impl TexelBlock {
    #[inline(always)]
    pub fn uniform(color: LinearRgb, background: SqrtLinearRgb, light: f32) -> Self {
        let [red, green, blue] = sqrt_linear(color).map(|v| [[v; TEXELS.0]; TEXELS.1]);
        Self { planes: [red, green, blue, [[0.0; TEXELS.0]; TEXELS.1]], background, solid: 0.0, light, straight: false }
    }

    #[inline(always)]
    pub fn sum<S: Simd>(&self, simd: S, weights: &TexelPlane) -> f32x4<S> {
        let mut lanes = [TexelRow::splat(simd, 0.0); 4];
        for y in 0..TEXELS.1 {
            let weights = TexelRow::from_slice(simd, &weights[y]);
            for (sum, plane) in lanes.iter_mut().zip(&self.planes) {
                *sum += TexelRow::from_slice(simd, &plane[y]) * weights;
            }
        }
        horizontal_sums(lanes) * (1.0 / TEXEL_COUNT as f32)
    }

    /// Returns the mean over all texels, and the course beyond the cell's borders.
    #[inline(always)]
    pub(super) fn mean_and_course<S: Simd>(&self, simd: S) -> (TexelSum, Course<TexelSum>) {
        let mut columns = [TexelRow::splat(simd, 0.0); 4];
        let (mut first, mut last) = (columns, columns);
        let (mut left, mut right) = ([0.0; 4], [0.0; 4]);
        for (k, plane) in self.planes.iter().enumerate() {
            for row in plane {
                columns[k] += TexelRow::from_slice(simd, row);
            }
            let columns: [f32; TEXELS.0] = columns[k].into();
            (left[k], right[k]) = (columns[0], columns[TEXELS.0 - 1]);
            first[k] = TexelRow::from_slice(simd, &plane[0]);
            last[k] = TexelRow::from_slice(simd, &plane[TEXELS.1 - 1]);
        }
        let mean = horizontal_sums(columns) * (1.0 / TEXEL_COUNT as f32);
        let (first, last) = (horizontal_sums(first), horizontal_sums(last));
        let down = [first * (1.0 / TEXELS.0 as f32), last * (1.0 / TEXELS.0 as f32)];
        let (left, right) = (f32x4::from_slice(simd, &left), f32x4::from_slice(simd, &right));
        let across = [left * (1.0 / TEXELS.1 as f32), right * (1.0 / TEXELS.1 as f32)];
        let mut course = Course::<TexelSum>::default();
        for (axis, [first, last]) in [down, across].into_iter().enumerate() {
            course.slant[axis] = (first - last).into();
            course.bend[axis] = (first + last - mean * 2.0).into();
        }
        (mean.into(), course)
    }

    #[inline(always)]
    pub fn parts<const N: usize>(&self, columns: usize, rows: usize) -> [TexelSum; N] {
        debug_assert_eq!(columns * rows, N);
        let (wide, high) = (TEXELS.0 / columns, TEXELS.1 / rows);
        let share = 1.0 / (wide * high) as f32;
        std::array::from_fn(|part| {
            let (left, top) = (part % columns * wide, part / columns * high);
            let rows = top..top + high;
            self.planes
                .map(|plane| plane[rows.clone()].iter().flat_map(|row| &row[left..left + wide]).sum::<f32>() * share)
        })
    }
}

#[inline(always)]
pub(super) fn plus(a: TexelSum, b: TexelSum) -> TexelSum {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

#[inline(always)]
pub(super) fn minus(a: TexelSum, b: TexelSum) -> TexelSum {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

#[inline(always)]
pub(super) fn square(v: TexelSum) -> f32 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}
