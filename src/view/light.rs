//! Light that falls into the liquid from above: depth shading for the price of one pass over a coarse grid.
//!
//! Beer and Lambert: in liquid, light fades by the same factor every metre. It is carried row by row along gravity
//! (so "deep" turns with the tilt), spreads a little to the sides on its way, which takes the streaks out, and comes
//! back in air, so that a drop in the air dims what is below it only softly. A true distance to the surface was the
//! other road: it costs more, and a bubble would tear a hole into the shading of everything around it.

use super::backdrop::Backdrop;
use super::field::{Field, Lattice};
use glam::Vec2;

/// Samples of the field per sample of light, each way.
pub const COARSE: usize = 2;

/// Metres of liquid in which light falls to 1/e, and metres of air in which a shadow does.
const FADE: f32 = 0.42;
const RECOVERY: f32 = 0.1;

/// How light spreads at each step: shares that come from two, four and six samples to each side together, the rest
/// from straight above. Narrower, and drops cast streaks; wider, and a wave no longer shades its trough.
const SPREAD: [(isize, f32); 3] = [(2, 0.3), (4, 0.2), (6, 0.1)];

/// Light on a grid [`COARSE`] times as coarse as the field, from 1 at the surface towards 0.
#[derive(Clone, Debug, Default)]
pub struct Light {
    columns: usize,
    rows: usize,
    light: Vec<f32>,
    /// Share of liquid in each sample; negative where it is solid.
    wet: Vec<f32>,
}

impl Light {
    /// Lights the field from where gravity (m/s², y up) does not pull; from above where there is none.
    pub fn shine(&mut self, field: &Field, backdrop: &Backdrop, lattice: &Lattice, gravity: Vec2) {
        self.columns = (field.columns - 2) / COARSE;
        self.rows = (field.rows - 2) / COARSE;
        self.find_liquid(field, backdrop);
        self.light.clear();
        self.light.resize(self.columns * self.rows, 1.0);
        let side = lattice.pitch.abs() * COARSE as f32;
        let down = gravity.try_normalize().unwrap_or(Vec2::NEG_Y) * Vec2::new(1.0, -1.0);
        let toward = down / side;
        let (columns, rows) = (self.columns, self.rows);
        if toward.y.abs() >= toward.x.abs() {
            let path = side.y / down.y.abs();
            self.carry((rows, columns), (columns, 1), toward.y > 0.0, toward.x / toward.y.abs(), path);
        } else {
            let path = side.x / down.x.abs();
            self.carry((columns, rows), (1, columns), toward.x > 0.0, toward.y / toward.x.abs(), path);
        }
    }

    fn find_liquid(&mut self, field: &Field, backdrop: &Backdrop) {
        self.wet.clear();
        for row in 0..self.rows {
            let from = (1 + COARSE * row) * field.stride + 1;
            for column in 0..self.columns {
                let here = from + COARSE * column;
                let next = here + field.stride;
                let sum = field.cover[here] + field.cover[here + 1] + field.cover[next] + field.cover[next + 1];
                let solid = backdrop.free[here] < 0.0;
                self.wet.push(if solid { -1.0 } else { (sum * 0.5 - 0.5).clamp(0.0, 1.0) });
            }
        }
    }

    /// Carries light over `lines` lines of `length` samples; `(line, step)` are the strides between lines and between
    /// the samples of one. Each sample is lit from the line before, `skew` samples further back.
    fn carry(
        &mut self,
        (lines, length): (usize, usize),
        (line, step): (usize, usize),
        forward: bool,
        skew: f32,
        path: f32,
    ) {
        let (fade, shadow) = ((-path / FADE).exp(), (-path / RECOVERY).exp());
        let at = |number: usize| if forward { number * line } else { (lines - 1 - number) * line };
        let last = length as isize - 1;
        for number in 1..lines {
            let (before, here) = (at(number - 1), at(number));
            for along in 0..length {
                let from = along as f32 - skew;
                let nearest = from.floor();
                let share = from - nearest;
                let get =
                    |offset: isize| self.light[before + (nearest as isize + offset).clamp(0, last) as usize * step];
                let beside = |offset: isize| get(offset) + (get(offset + 1) - get(offset)) * share;
                let middle = beside(0);
                let sides = SPREAD.map(|(far, part)| part * (0.5 * (beside(-far) + beside(far)) - middle));
                let incoming = middle + sides.iter().sum::<f32>();
                let wet = self.wet[here + along * step];
                let lit = if wet < 0.0 {
                    incoming
                } else {
                    let in_air = 1.0 - (1.0 - incoming) * shadow;
                    in_air + (incoming * fade - in_air) * wet
                };
                self.light[here + along * step] = lit;
            }
        }
    }

    /// The light at a place in samples of the field, margin included.
    #[inline]
    pub fn at(&self, x: f32, y: f32) -> f32 {
        let place = |v: f32, count: usize| {
            let v = ((v - 1.5) / COARSE as f32).clamp(0.0, count as f32 - 1.0);
            let low = (v as usize).min(count.saturating_sub(2));
            (low, v - low as f32)
        };
        let ((column, fx), (row, fy)) = (place(x, self.columns), place(y, self.rows));
        let here = row * self.columns + column;
        let right = here + usize::from(self.columns > 1);
        let down = if self.rows > 1 { self.columns } else { 0 };
        let upper = self.light[here] + (self.light[right] - self.light[here]) * fx;
        let lower = self.light[here + down] + (self.light[right + down] - self.light[here + down]) * fx;
        upper + (lower - upper) * fy
    }
}
