//! A cell of the picture as finely as glyphs are told apart: 8×16 texels, the pixels of the ideal picture.
//!
//! With 8×8 texels the rows of sextants end within a texel, and level water at such a height lost 3 dB; with four
//! columns the same happens to the left blocks ▏ ▍ ▋ ▉.
//!
//! Texels are mixed in linear light, as edges of any optics are, and then kept as *tones*, the square roots of it, which
//! are nearly the code values of sRGB. Least squares of tones is what PSNR counts and about what the eye does; of light,
//! a tenth of liquid in a dark cell comes out as a grey box around the edge, and costs 0.8 dB where both colours of a
//! cell are free.

use crate::cell::color::{LinearRgb, Rgb};
use fearless_simd::prelude::*;

/// Texels of a cell, across and down.
pub const TEXELS: (usize, usize) = (8, 16);

/// Texels of a cell.
pub const COUNT: usize = TEXELS.0 * TEXELS.1;

/// A row of texels.
pub type Lanes<S> = fearless_simd::f32x8<S>;

/// One value for every texel, row by row.
pub type Plane = [[f32; TEXELS.0]; TEXELS.1];

/// Square roots of linear light: red, green, blue.
pub type Tone = [f32; 3];

#[inline(always)]
pub fn tone(light: LinearRgb) -> Tone {
    light.map(f32::sqrt)
}

#[inline(always)]
pub fn shown(tone: Tone) -> Rgb {
    Rgb::from_linear(tone.map(|v| v * v))
}

/// Sums over a set of texels: tones of red, green and blue, and the share that is outside of everything.
pub type Sum = [f32; 4];

/// A cell of the ideal picture.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Tones of red, green and blue, mixed over the ground, and the share that is ground.
    pub planes: [Plane; 4],
    /// What lies behind.
    pub ground: Tone,
    /// Share of the cell that is wall.
    pub solid: f32,
    /// Light in the middle of the cell, 0 to 1; letters show it where they can.
    pub light: f32,
}

impl Patch {
    /// A cell of texels, each by its column and row: its colour over black ground, and the share of it that is ground.
    pub fn of(light: f32, texel: impl Fn(usize, usize) -> (LinearRgb, f32)) -> Self {
        let mut planes = [[[0.0; TEXELS.0]; TEXELS.1]; 4];
        for (x, y) in (0..COUNT).map(|number| (number % TEXELS.0, number / TEXELS.0)) {
            let (color, ground) = texel(x, y);
            let [red, green, blue] = tone(color);
            (0..4).for_each(|plane| planes[plane][y][x] = [red, green, blue, ground][plane]);
        }
        Self { planes, ground: [0.0; 3], solid: 0.0, light }
    }

    /// A cell of one colour over some ground.
    #[inline(always)]
    pub fn plain(color: LinearRgb, ground: Tone, light: f32) -> Self {
        let [red, green, blue] = tone(color).map(|v| [[v; TEXELS.0]; TEXELS.1]);
        Self { planes: [red, green, blue, [[0.0; TEXELS.0]; TEXELS.1]], ground, solid: 0.0, light }
    }

    /// The sum over all texels weighted by `weights`, as a share of the cell.
    #[inline(always)]
    pub fn sum<S: Simd>(&self, simd: S, weights: &Plane) -> Sum {
        let mut lanes = [Lanes::splat(simd, 0.0); 4];
        for (y, weights) in weights.iter().enumerate() {
            let weights = Lanes::from_slice(simd, weights);
            for (sum, plane) in lanes.iter_mut().zip(&self.planes) {
                *sum += Lanes::from_slice(simd, &plane[y]) * weights;
            }
        }
        let [red, green, blue, ground] = lanes;
        [across(red.into()), across(green.into()), across(blue.into()), across(ground.into())]
            .map(|sum| sum * (1.0 / COUNT as f32))
    }

    /// The mean over all texels.
    #[inline(always)]
    pub fn mean<S: Simd>(&self, simd: S) -> Sum {
        self.sum(simd, &[[1.0; TEXELS.0]; TEXELS.1])
    }

    /// Means over `columns` × `rows` equal parts, row by row.
    #[inline(always)]
    pub fn parts<const N: usize>(&self, columns: usize, rows: usize) -> [Sum; N] {
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

/// The sum of eight lanes, in one fixed order.
#[inline(always)]
pub fn across(v: [f32; 8]) -> f32 {
    ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
}

#[inline(always)]
pub(super) fn plus(a: Sum, b: Sum) -> Sum {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

#[inline(always)]
pub(super) fn minus(a: Sum, b: Sum) -> Sum {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

#[inline(always)]
pub(super) fn square(v: Sum) -> f32 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}
