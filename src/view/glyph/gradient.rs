//! Cells full of liquid: a colour that changes linearly, divided in the direction in which it changes most. With the colour `c +
//! r x + d y` at (x, y) from the middle, dividing a cell into sets of areas a and 1 − a, with centroids p and q, lowers the
//! squared error by `a (1 − a) |r·(p − q)ₓ + d·(p − q)ᵧ|²`, so the best division for each direction is tabulated once.

use crate::cell::color::{LinearRgb, Rgb};
use crate::math::Elementary;
use crate::view::glyph::fitted_cell::FittedCell;
use crate::view::glyph::glyph_mask::GlyphMask;

/// Directions, over half a turn, for which the best division is tabulated: 2.8° apart.
pub(super) const DIRECTIONS: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
pub struct ColorGradient {
    pub mean: LinearRgb,
    /// Change over a whole cell, to the right.
    pub right: LinearRgb,
    /// Change over a whole cell, downward.
    pub down: LinearRgb,
}

impl ColorGradient {
    /// The number of the direction in which the colour changes most. The squared change along (cos φ, sin φ) is `½ (R + D) + ½ (R
    /// − D) cos 2φ + r·d sin 2φ`, with R = |r|² and D = |d|²: greatest where 2φ is the angle of (R − D, 2 r·d).
    #[inline(always)]
    pub(super) fn direction(&self) -> usize {
        let (across, down) = (dot(self.right, self.right), dot(self.down, self.down));
        number_of(across - down, 2.0 * dot(self.right, self.down))
    }

    #[inline(always)]
    pub(super) fn tones(&self) -> Self {
        let mean = self.mean.map(|c| c.max(1e-4).sqrt());
        let per_light = |change: LinearRgb| [0, 1, 2].map(|k| change[k] / (2.0 * mean[k]));
        Self { mean, right: per_light(self.right), down: per_light(self.down) }
    }

    #[inline(always)]
    pub(super) fn cell(&self, mask: &GlyphMask) -> FittedCell {
        let (mut on, mut off) = (self.mean, self.mean);
        for c in 0..3 {
            on[c] += self.right[c] * mask.on[0] + self.down[c] * mask.on[1];
            off[c] += self.right[c] * mask.off[0] + self.down[c] * mask.off[1];
        }
        FittedCell { glyph: mask.glyph, fg: Some(Rgb::from_linear(on)), bg: Some(Rgb::from_linear(off)) }
    }

    #[inline(always)]
    pub(super) fn gain(&self, mask: &GlyphMask) -> f32 {
        let (x, y) = (mask.on[0] - mask.off[0], mask.on[1] - mask.off[1]);
        let mut difference = [0.0; 3];
        for (c, difference) in difference.iter_mut().enumerate() {
            *difference = self.right[c] * x + self.down[c] * y;
        }
        mask.area * (1.0 - mask.area) * dot(difference, difference)
    }
}

pub(super) fn best_by_direction(masks: &[GlyphMask]) -> [usize; DIRECTIONS] {
    std::array::from_fn(|number| {
        let (x, y) = direction_of(number);
        let unit = ColorGradient { right: [x, 0.0, 0.0], down: [y, 0.0, 0.0], ..ColorGradient::default() };
        let gains = masks.iter().map(|mask| unit.gain(mask)).enumerate();
        gains.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map_or(0, |(index, _)| index)
    })
}

#[inline(always)]
fn dot(a: LinearRgb, b: LinearRgb) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The number of a direction, given by any vector at twice its angle. Angles are counted around a diamond, which needs no arc
/// tangent.
#[inline(always)]
fn number_of(x: f32, y: f32) -> usize {
    let along = y / (x.abs() + y.abs()).max(1e-20);
    let around = if x >= 0.0 { along } else { 2.0 - along };
    // This runs from −1 to 3.
    ((around + 1.0) * (DIRECTIONS as f32 / 4.0)) as usize % DIRECTIONS
}

fn direction_of(number: usize) -> (f32, f32) {
    let around = (number as f32 + 0.5) / (DIRECTIONS as f32 / 4.0) - 1.0;
    let along = if around <= 1.0 { around } else { 2.0 - around };
    let x = if around <= 1.0 { 1.0 - along.abs() } else { along.abs() - 1.0 };
    let angle = 0.5 * along.arc_tangent(x);
    (angle.cosine(), angle.sine())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_directions_agree() {
        for number in 0..DIRECTIONS {
            let (x, y) = direction_of(number);
            assert_eq!(number_of(x * x - y * y, 2.0 * x * y), number);
        }
    }
}
