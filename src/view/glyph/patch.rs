//! A cell of the picture as finely as glyphs are told apart: 8×8 texels.
//!
//! Eight columns and not four: an eighth of a block is a column wide, and with half as many the left blocks ▏ ▍ ▋ ▉ and
//! the slants of wedges were told from their neighbours too late.

use super::Linear;

/// Texels of a cell, across and down.
pub const TEXELS: (usize, usize) = (8, 8);

/// One value for every texel, row by row: a row is a vector.
pub type Plane = [[f32; TEXELS.0]; TEXELS.1];

/// Sums over a set of texels: red, green and blue in linear light, and the share that is outside of everything.
pub type Sum = [f32; 4];

/// A cell of the ideal picture.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Red, green and blue, mixed over the ground, and the share that is ground.
    pub planes: [Plane; 4],
    /// Share of the cell that is wall.
    pub solid: f32,
    /// Light in the middle of the cell, 0 to 1; letters show it where they can.
    pub light: f32,
}

impl Patch {
    /// A cell of one colour, none of it ground.
    pub fn of(color: Linear, light: f32) -> Self {
        let [red, green, blue] = color.map(|v| [[v; TEXELS.0]; TEXELS.1]);
        Self { planes: [red, green, blue, [[0.0; TEXELS.0]; TEXELS.1]], solid: 0.0, light }
    }

    /// The sum over all texels weighted by `weights`, as a share of the cell.
    #[inline(always)]
    pub fn sum(&self, weights: &Plane) -> Sum {
        self.planes.map(|plane| {
            let mut lanes = [0.0; TEXELS.0];
            for (row, weights) in plane.iter().zip(weights) {
                (0..TEXELS.0).for_each(|x| lanes[x] += row[x] * weights[x]);
            }
            across(lanes) * (1.0 / (TEXELS.0 * TEXELS.1) as f32)
        })
    }

    /// The mean over all texels.
    #[inline(always)]
    pub fn mean(&self) -> Sum {
        self.sum(&[[1.0; TEXELS.0]; TEXELS.1])
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
pub(super) fn across(v: [f32; 8]) -> f32 {
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
