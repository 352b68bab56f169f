//! Light that falls into the liquid from above. Beer and Lambert: over a path of d metres in liquid, light falls to e^(−d /
//! `FADE`). It is carried row by row along gravity and spreads a little to the sides. In air `1 − light` falls to e^(−d /
//! `RECOVERY`) of itself. With [`LightMode::FULL`] the surface responds to that light, each material in its own way
//! ([`crate::view::optics`]).

mod glow;
mod reflections;
mod relief;

use crate::math::{Elementary, transpose};
use crate::view::field::Field;
use crate::view::grid_layout::{GridLayout, LANES, SAMPLES};
use crate::view::light::relief::Relief;
use crate::view::light_mode::{LightElement, LightMode};
use crate::view::render_style::RenderStyle;
use crate::view::sample::Lit;
use crate::view::wall_layer::WallLayer;
use fearless_simd::f32x4;
use fearless_simd::prelude::*;
use glam::Vec2;

/// Samples of the field per sample of light, each way.
pub const COARSE: usize = 2;

/// Metres of liquid in which light falls to 1/e: a metre down, a tenth is left. Metres of light are those of a tank of ordinary
/// size: a model of it looks the same.
const FADE: f32 = 0.42;

/// Metres of air in which a shadow falls to 1/e. Chosen by eye.
const RECOVERY: f32 = 0.1;

/// Spread of light at each step: distances to the side in samples, and the fraction that comes from both sides together at each.
/// Narrower, and drops cast streaks; wider, and a wave no longer shades its trough.
const SPREAD: [(usize, f32); 3] = [(2, 0.3), (4, 0.2), (6, 0.1)];

const REACH: usize = 6;

/// Returns the field's first element in a sample of light.
#[inline(always)]
pub(super) fn element(grid: &GridLayout, column: usize, row: usize) -> usize {
    grid.index(1 + COARSE * column, 1 + COARSE * row)
}

/// Density of smoke relative to liquid; and the fraction of its light that smoke keeps where no light comes in from above.
const SMOKE_DENSITY: f32 = 0.9;
const SMOKE_AMBIENT: f32 = 0.45;

/// Light on a grid [`COARSE`] times as coarse as the field, from 1 at the surface towards 0.
#[derive(Clone, Debug, Default)]
pub struct Light {
    /// Samples of light in a row.
    pub(super) columns: usize,
    rows: usize,
    lit: Vec<Lit>,
    light: Vec<f32>,
    mass: Vec<f32>,
    free: Vec<f32>,
    fine: Relief,
    broad: Relief,
    whole: Relief,
    pub(super) glow: glow::Glow,
    /// Fraction of liquid, smoke included, in each sample of light, 0 to 1; −1 where it is solid.
    pub(super) wet: Vec<f32>,
    above: Vec<f32>,
    incoming: Vec<f32>,
}

/// The light at eight samples, by its four numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct LitSamples(pub [[f32; LANES]; 4]);

impl From<[Lit; LANES]> for LitSamples {
    fn from(samples: [Lit; LANES]) -> Self {
        let samples: [[f32; 4]; LANES] = samples.map(Lit::into);
        Self(std::array::from_fn(|number| samples.map(|sample| sample[number])))
    }
}

/// One pass over the grid: whole rows or columns, whichever lie more across gravity.
struct Sweep {
    lines: usize,
    length: usize,
    /// Elements from one line to the next, and from one sample of a line to the next.
    stride: usize,
    step: usize,
    forward: bool,
    /// Number of samples that light moves along a line on its way to the next one.
    skew: f32,
    path: f32,
}

impl Light {
    /// Lights the field from the side that gravity (m/s², y up) points away from; from above where there is none.
    /// `is_round`: all bodies of liquid are round, whatever their material.
    pub fn update(&mut self, field: &Field, walls: &WallLayer, gravity: Vec2, is_round: bool, style: &RenderStyle) {
        self.columns = (field.grid.columns - 2) / COARSE;
        self.rows = (field.grid.rows - 2) / COARSE;
        let full = style.light != LightMode::FLAT;
        self.find_liquid(field, walls);
        if full {
            // This is computed before smoke counts as liquid.
            self.mass.clear();
            self.free.clear();
            // A ramp over samples that are from a tenth to nine tenths full. Solid samples are −1, so they get 0.
            self.mass.extend(self.wet.iter().map(|wet| (1.25 * wet - 0.125).clamp(0.0, 1.0)));
            self.free.extend(self.wet.iter().map(|wet| if *wet < 0.0 { 0.0 } else { 1.0 }));
            if !field.smoke.is_empty() {
                // Smoke absorbs light as liquid does.
                for (sample, wet) in self.wet.iter_mut().enumerate().filter(|(_, wet)| **wet >= 0.0) {
                    let here = element(&field.grid, sample % self.columns, sample / self.columns);
                    *wet = wet.max(SMOKE_DENSITY * field.smoke.planes[3][here]);
                }
            }
        }
        self.light.clear();
        self.light.resize(self.columns * self.rows, 1.0);
        let side = field.grid.spacing.abs() * COARSE as f32 / field.scale.length;
        let down = gravity.try_normalize().unwrap_or(Vec2::NEG_Y) * Vec2::new(1.0, -1.0);
        let sweep = self.sweep(side, down);
        self.carry(sweep);
        self.glow.shines = false;
        if full && field.reach > 0.0 {
            let is_round = is_round && style.light.has(LightElement::Roundness);
            self.reflect(field, style, side.min_element(), down, is_round);
        } else {
            self.lit.clear();
            self.lit.extend(self.light.iter().map(|&light| Lit { light, ..Lit::default() }));
        }
    }

    fn sweep(&self, side: Vec2, down: Vec2) -> Sweep {
        let toward = down / side;
        let (columns, rows) = (self.columns, self.rows);
        if toward.y.abs() >= toward.x.abs() {
            let path = side.y / down.y.abs();
            let (forward, skew) = (toward.y > 0.0, toward.x / toward.y.abs());
            Sweep { lines: rows, length: columns, stride: columns, step: 1, forward, skew, path }
        } else {
            let path = side.x / down.x.abs();
            let (forward, skew) = (toward.x > 0.0, toward.y / toward.x.abs());
            Sweep { lines: columns, length: rows, stride: 1, step: columns, forward, skew, path }
        }
    }

    /// Lights smoke from above and lays the glow of liquid over the air. `field` may be denser than the one that was lit.
    pub fn shade_air(&self, field: &mut Field, style: &RenderStyle) {
        let grid = field.grid;
        if style.light.has(LightElement::Smoke) && !field.smoke.is_empty() {
            for row in 0..grid.rows {
                for column in 0..grid.columns {
                    let here = grid.index(column, row);
                    if field.smoke.planes[3][here] > 0.0 {
                        let light = self.at(grid.in_ordinary(column), grid.in_ordinary(row)).light;
                        // Smoke is thin. To make its shadow visible, it is that of four times the depth.
                        let through = (light * light) * (light * light);
                        let lit = SMOKE_AMBIENT + (1.0 - SMOKE_AMBIENT) * through;
                        (0..3).for_each(|channel| field.smoke.planes[channel][here] *= lit);
                    }
                }
            }
        }
        self.glow.shine(self, field);
    }

    fn find_liquid(&mut self, field: &Field, walls: &WallLayer) {
        self.wet.clear();
        for row in 0..self.rows {
            let from = element(&field.grid, 0, row);
            let lines = [&field.coverage[from..], &field.coverage[from + field.grid.stride..], &walls.distance[from..]];
            let [upper, lower, free] = lines.map(|samples| &samples.as_chunks::<COARSE>().0[..self.columns]);
            self.wet.extend(upper.iter().zip(lower).zip(free).map(|((upper, lower), free)| {
                let sum = upper[0] + upper[1] + lower[0] + lower[1];
                if free[0] < 0.0 { -1.0 } else { (sum * 0.5 - 0.5).clamp(0.0, 1.0) }
            }));
        }
        if !field.bodies.is_empty() {
            for (sample, wet) in self.wet.iter_mut().enumerate() {
                let here = element(&field.grid, sample % self.columns, sample / self.columns);
                if field.bodies.shows_in(here, [1, 1], &field.grid) {
                    *wet = -1.0;
                }
            }
        }
    }

    fn carry(&mut self, sweep: Sweep) {
        let Sweep { lines, length, stride, step, forward, skew, path } = sweep;
        let (fade, shadow) = ((-path / FADE).exponential(), (-path / RECOVERY).exponential());
        let at = |number: usize| if forward { number * stride } else { (lines - 1 - number) * stride };
        self.above.resize(length + 2 * REACH, 1.0);
        self.incoming.resize(length, 1.0);
        for number in 1..lines {
            self.shift(at(number - 1), step, length, skew);
            let here = at(number);
            self.spread(length);
            let (light, wet) = (&mut self.light[here..], &self.wet[here..]);
            let samples = light.iter_mut().step_by(step).zip(wet.iter().step_by(step));
            for ((light, &wet), &incoming) in samples.zip(&self.incoming) {
                let in_air = 1.0 - (1.0 - incoming) * shadow;
                let lit = in_air + (incoming * fade - in_air) * wet;
                *light = if wet < 0.0 { incoming } else { lit };
            }
        }
    }

    /// Computes the light that comes in along the line below `above`, in a loop that the compiler vectorizes.
    fn spread(&mut self, length: usize) {
        let straight = 1.0 - SPREAD.iter().map(|(_, part)| part).sum::<f32>();
        let above = |from: usize| &self.above[from..][..length];
        let middle = above(REACH);
        let [a, b, c] = SPREAD.map(|(far, part)| (0.5 * part, above(REACH - far), above(REACH + far)));
        for (along, incoming) in self.incoming[..length].iter_mut().enumerate() {
            let sides =
                a.0 * (a.1[along] + a.2[along]) + b.0 * (b.1[along] + b.2[along]) + c.0 * (c.1[along] + c.2[along]);
            *incoming = straight * middle[along] + sides;
        }
    }

    /// Copies a line of light to `above`, shifted by `skew` samples and extended by its end values.
    fn shift(&mut self, line: usize, step: usize, length: usize, skew: f32) {
        let last = length as isize - 1;
        let whole = skew.floor();
        let share = skew - whole;
        let get = |along: isize| self.light[line + along.clamp(0, last) as usize * step];
        for (place, value) in (0..).zip(&mut self.above) {
            let from = place - REACH as isize - whole as isize;
            let (near, far) = (get(from), get(from - 1));
            *value = near + (far - near) * share;
        }
    }

    /// The light in the middle of a cell's quarters, row by row, in the first four elements.
    #[inline(always)]
    pub fn quarters(&self, column: usize, row: usize) -> LitSamples {
        let mut samples = LitSamples::default();
        let (left, right) = (column.saturating_sub(1), (column + 1).min(self.columns - 1));
        for half in 0..2 {
            let line = &self.lit[(2 * row + half) * self.columns..][..self.columns];
            for (x, far) in [line[left], line[right]].into_iter().enumerate() {
                let (near, far): ([f32; 4], [f32; 4]) = (line[column].into(), far.into());
                for (k, samples) in samples.0.iter_mut().enumerate() {
                    samples[2 * half + x] = 0.75 * near[k] + 0.25 * far[k];
                }
            }
        }
        samples
    }

    /// Returns the light at a position in samples of the field, margin included, interpolated.
    #[inline(always)]
    pub fn at(&self, x: f32, y: f32) -> Lit {
        self.interpolate(
            #[inline(always)]
            |sample| self.lit[sample].into(),
            x,
            y,
        )
        .into()
    }

    /// Equals [`Light::at`] at each sample of a cell, but the interpolation that two samples share is computed once. (Loops,
    /// because a closure that is not inlined is compiled for no instruction set.)
    #[inline(always)]
    pub fn at_samples<S: Simd>(&self, simd: S, (left, top): (usize, usize)) -> LitSamples {
        let (right, down) = self.steps();
        let (first, _) = Self::place(top as f32, self.rows);
        let (last, _) = Self::place((top + SAMPLES.1 - 1) as f32, self.rows);
        // The rows of light that the samples lie between.
        let mut between = [[f32x4::splat(simd, 0.0); SAMPLES.0]; SAMPLES.1];
        for (row, between) in (first..=last + usize::from(down > 0)).zip(&mut between) {
            for (x, between) in between.iter_mut().enumerate() {
                let (column, share) = Self::place((left + x) as f32, self.columns);
                let here = row * self.columns + column;
                let (a, b): ([f32; 4], [f32; 4]) = (self.lit[here].into(), self.lit[here + right].into());
                let (a, b) = (f32x4::from_slice(simd, &a), f32x4::from_slice(simd, &b));
                *between = a + (b - a) * share;
            }
        }
        let mut samples = [f32x4::splat(simd, 0.0); LANES];
        for y in 0..SAMPLES.1 {
            let (row, share) = Self::place((top + y) as f32, self.rows);
            let upper = between[row - first];
            let lower = between[row - first + usize::from(down > 0)];
            for x in 0..SAMPLES.0 {
                samples[y * SAMPLES.0 + x] = upper[x] + (lower[x] - upper[x]) * share;
            }
        }
        let mut lit = LitSamples::default();
        for (plane, values) in lit.0.iter_mut().zip(transpose(samples)) {
            values.store_slice(plane);
        }
        lit
    }

    /// The sample of light before a position in samples of the field, and how far beyond it the position lies, 0 to 1.
    #[inline(always)]
    fn place(at: f32, count: usize) -> (usize, f32) {
        let at = ((at - 1.5) / COARSE as f32).clamp(0.0, count as f32 - 1.0);
        let low = (at as usize).min(count.saturating_sub(2));
        (low, at - low as f32)
    }

    #[inline(always)]
    fn steps(&self) -> (usize, usize) {
        (usize::from(self.columns > 1), if self.rows > 1 { self.columns } else { 0 })
    }

    #[inline(always)]
    fn interpolate<const N: usize>(&self, value: impl Fn(usize) -> [f32; N], x: f32, y: f32) -> [f32; N] {
        let ((column, fx), (row, fy)) = (Self::place(x, self.columns), Self::place(y, self.rows));
        let (here, (right, down)) = (row * self.columns + column, self.steps());
        let (a, b, c, d) = (value(here), value(here + right), value(here + down), value(here + right + down));
        let mut between = [0.0; N];
        for (k, between) in between.iter_mut().enumerate() {
            let (upper, lower) = (a[k] + (b[k] - a[k]) * fx, c[k] + (d[k] - c[k]) * fx);
            *between = upper + (lower - upper) * fy;
        }
        between
    }
}
