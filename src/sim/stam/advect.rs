//! Advection of the velocity: the flow carries itself.
//!
//! Stam's semi-Lagrangian step asks where the fluid in a place was before and takes the value from there. It never blows
//! up; between four values it blurs at every step, so here it is taken from sixteen, by Lagrange's cubic polynomials in
//! both directions. Paths are traced back by the midpoint rule.
//!
//! The scheme of MacCormack (Selle et al. 2008), which was here before, traces each path forwards too and takes values
//! from four places on each: at about the same error it took 2.6 times as long.

use super::mac::Mac;
use glam::{IVec2, Vec2};

/// Where in a cell an array's values sit, from its middle, in cells.
pub const MIDDLE: Vec2 = Vec2::ZERO;
pub const LEFT: Vec2 = Vec2::new(-0.5, 0.0);
pub const BELOW: Vec2 = Vec2::new(0.0, -0.5);

/// The flow, as paths need it.
#[derive(Clone, Copy)]
pub struct Flow<'a> {
    pub mac: &'a Mac,
    pub u: &'a [f32],
    pub v: &'a [f32],
    /// Cells a step for each m/s.
    pub scale: Vec2,
}

impl Flow<'_> {
    /// Velocity at a place, m/s.
    #[inline(always)]
    fn at(&self, place: Vec2) -> Vec2 {
        Vec2::new(sample(self.u, self.mac, place - LEFT), sample(self.v, self.mac, place - BELOW))
    }

    /// Keeps a place within the tank.
    #[inline(always)]
    fn keep(&self, mut place: Vec2) -> Vec2 {
        let (nx, ny) = (self.mac.nx as f32, self.mac.ny as f32);
        if self.mac.x.wraps() {
            place.x += if place.x < 0.5 { nx } else { 0.0 } - if place.x >= nx + 0.5 { nx } else { 0.0 };
        }
        if self.mac.y.wraps() {
            place.y += if place.y < 0.5 { ny } else { 0.0 } - if place.y >= ny + 0.5 { ny } else { 0.0 };
        }
        place.clamp(Vec2::splat(0.5), Vec2::new(nx + 0.5, ny + 0.5))
    }

    /// Where the fluid at `place`, which has velocity `here`, was a step before.
    #[inline(always)]
    fn origin(&self, place: Vec2, here: Vec2) -> Vec2 {
        let middle = self.keep(place - 0.5 * self.scale * here);
        self.keep(place - self.scale * self.at(middle))
    }

    /// Carries velocities along x, which sit to the left of the cells, from `old` into `new`.
    pub fn carry_along_x(&self, old: &[f32], new: &mut [f32]) {
        let (u, v, up) = (self.u, self.v, self.mac.stride);
        for j in 1..=self.mac.ny {
            for i in 1..=self.mac.nx + 1 {
                let at = j * up + i;
                let across = 0.25 * ((v[at - 1] + v[at]) + (v[at - 1 + up] + v[at + up]));
                let from = self.origin(Vec2::new(i as f32, j as f32) + LEFT, Vec2::new(u[at], across));
                new[at] = sample_smoothly(old, self.mac, from - LEFT);
            }
        }
    }

    /// The same for those along y, which sit below the cells.
    pub fn carry_along_y(&self, old: &[f32], new: &mut [f32]) {
        let (u, v, up) = (self.u, self.v, self.mac.stride);
        for j in 1..=self.mac.ny + 1 {
            for i in 1..=self.mac.nx {
                let at = j * up + i;
                let across = 0.25 * ((u[at] + u[at + 1]) + (u[at - up] + u[at + 1 - up]));
                let from = self.origin(Vec2::new(i as f32, j as f32) + BELOW, Vec2::new(across, v[at]));
                new[at] = sample_smoothly(old, self.mac, from - BELOW);
            }
        }
    }
}

/// The value between four elements, at a place in an array's own coordinates.
#[inline(always)]
pub fn sample(array: &[f32], mac: &Mac, place: Vec2) -> f32 {
    let (i, j) = ((place.x as usize).min(mac.nx), (place.y as usize).min(mac.ny));
    let (here, share) = (j * mac.stride + i, place - Vec2::new(i as f32, j as f32));
    let (lower, upper) = (&array[here..here + 2], &array[here + mac.stride..here + mac.stride + 2]);
    let below = lower[0] + (lower[1] - lower[0]) * share.x;
    let above = upper[0] + (upper[1] - upper[0]) * share.x;
    below + (above - below) * share.y
}

/// The value among sixteen elements, those around a place where the array has them, the last sixteen at its edges.
#[inline(always)]
fn sample_smoothly(array: &[f32], mac: &Mac, place: Vec2) -> f32 {
    let last = IVec2::new(mac.nx as i32 - 2, mac.ny as i32 - 2);
    let first = (place.as_ivec2() - 1).clamp(IVec2::ZERO, last);
    let [x, y] = (place - first.as_vec2() - 1.0).to_array().map(cubic);
    let (here, up) = (first.y as usize * mac.stride + first.x as usize, mac.stride);
    let all = &array[here..here + 3 * up + 4];
    let row = |number: usize| {
        let row = &all[number * up..number * up + 4];
        (row[0] * x[0] + row[1] * x[1]) + (row[2] * x[2] + row[3] * x[3])
    };
    (row(0) * y[0] + row(1) * y[1]) + (row(2) * y[2] + row(3) * y[3])
}

/// How much the values at −1, 0, 1 and 2 count at `t`.
#[inline(always)]
fn cubic(t: f32) -> [f32; 4] {
    let (before, after) = ((t + 1.0) * t, (t - 1.0) * (t - 2.0));
    [-(1.0 / 6.0) * t * after, 0.5 * (t + 1.0) * after, -0.5 * before * (t - 2.0), (1.0 / 6.0) * before * (t - 1.0)]
}
