//! Cells full of liquid: colours that change evenly, split in the direction in which they change most.

use crate::cell::color::{LinearRgb, Rgb};
use crate::view::glyph::Mark;
use crate::view::glyph::atlas::{Atlas, Choice, Shape};

/// What a cell showed before is kept while its colours are off by so many code values at the most, and its split is worth
/// this share of the best.
const STILL: u8 = 1;
const ENOUGH: f32 = 0.8;

/// Code values by which the two colours of a slope must differ for it to be split: less cannot be told apart.
const FLAT: u8 = 2;

/// Directions, over half a turn, for which the best split of a slope of colour is kept.
pub(super) const DIRECTIONS: usize = 64;

/// A colour that changes evenly across a cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slope {
    /// In the middle.
    pub mean: LinearRgb,
    /// Change over a whole cell, to the right and downward.
    pub right: LinearRgb,
    pub down: LinearRgb,
}

impl Atlas {
    /// The cell that comes nearest to an even change of colour: split across the direction in which it changes most, or
    /// flat; or what it was, if that is nearly as near.
    #[inline(always)]
    pub fn split(&self, slope: &Slope, flatten: bool, past: Choice) -> Choice {
        let (across, down) = (dot(slope.right, slope.right), dot(slope.down, slope.down));
        let place = self.slopes[step(across - down, 2.0 * dot(slope.right, slope.down))];
        let best = &self.shapes[place];
        let mark = best.at(slope);
        if let Some(former) = past.place().filter(|&place| place < self.divisions) {
            let same = former == place;
            let former = &self.shapes[former];
            let enough = same || former.gain(slope) >= ENOUGH * best.gain(slope);
            if enough && past.mark.is_like(if same { mark } else { former.at(slope) }, STILL) {
                return past;
            }
        }
        match (mark.fg, mark.bg) {
            (Some(a), Some(b)) if flatten && a.is_within(FLAT, b) => {
                let mean = Some(Rgb::from_linear(slope.mean));
                Choice::at(self.full, Mark { glyph: '█', fg: mean, bg: mean })
            }
            _ => Choice::at(place, mark),
        }
    }

    /// The division that takes the most off the error of a unit slope along `(x, y)`.
    fn best_for_direction(&self, (x, y): (f32, f32)) -> usize {
        let unit = Slope { right: [x, 0.0, 0.0], down: [y, 0.0, 0.0], ..Slope::default() };
        let divisions = self.shapes[..self.divisions].iter().map(|shape| shape.gain(&unit)).enumerate();
        divisions.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map_or(0, |(place, _)| place)
    }

    /// The best division for a slope in each direction.
    pub(super) fn best_for_directions(&self) -> [usize; DIRECTIONS] {
        std::array::from_fn(|step| self.best_for_direction(direction(step)))
    }
}

impl Shape {
    /// The cell of a slope that is divided like this.
    #[inline(always)]
    fn at(&self, slope: &Slope) -> Mark {
        let (mean, right, down) = (slope.mean, slope.right, slope.down);
        let (mut on, mut off) = (mean, mean);
        for c in 0..3 {
            on[c] += right[c] * self.on[0] + down[c] * self.on[1];
            off[c] += right[c] * self.off[0] + down[c] * self.off[1];
        }
        Mark { glyph: self.glyph, fg: Some(Rgb::from_linear(on)), bg: Some(Rgb::from_linear(off)) }
    }

    /// What dividing a slope like this takes off its squared error.
    #[inline(always)]
    fn gain(&self, slope: &Slope) -> f32 {
        let (x, y) = (self.on[0] - self.off[0], self.on[1] - self.off[1]);
        let apart = [0, 1, 2].map(
            #[inline(always)]
            |c| slope.right[c] * x + slope.down[c] * y,
        );
        self.area * (1.0 - self.area) * dot(apart, apart)
    }
}

#[inline(always)]
fn dot(a: LinearRgb, b: LinearRgb) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The step of a direction that is given by its double: twice the angle, as any vector along it. Angles are counted
/// around a diamond instead of a circle, which needs no arc tangent.
#[inline(always)]
fn step(x: f32, y: f32) -> usize {
    let along = y / (x.abs() + y.abs()).max(1e-20);
    let around = if x >= 0.0 { along } else { 2.0 - along };
    // From −1 to 3.
    ((around + 1.0) * (DIRECTIONS as f32 / 4.0)) as usize % DIRECTIONS
}

/// The direction in the middle of a step.
fn direction(step: usize) -> (f32, f32) {
    let around = (step as f32 + 0.5) / (DIRECTIONS as f32 / 4.0) - 1.0;
    let along = if around <= 1.0 { around } else { 2.0 - around };
    let x = if around <= 1.0 { 1.0 - along.abs() } else { along.abs() - 1.0 };
    let angle = 0.5 * along.atan2(x);
    (angle.cos(), angle.sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_directions_agree() {
        for number in 0..DIRECTIONS {
            let (x, y) = direction(number);
            assert_eq!(step(x * x - y * y, 2.0 * x * y), number);
        }
    }
}
