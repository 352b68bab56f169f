//! The passes over pairs of neighbours, where nearly all the time goes.
//!
//! Every pair is met once (see [`super::grid`]); what it does to the one is done to the other with the sign turned, so
//! momentum is conserved to rounding. A block of [`BLOCK`] consecutive particles looks at the same vectors of eight
//! candidates; the candidates' sums are updated by contiguous reads and writes, without a scatter.
//!
//! Only operations that IEEE 754 rounds exactly are used (no reciprocal estimates, no fused multiply–add) and always
//! eight lanes wide, so every instruction set computes the same bits.

use super::ddr::Fluid;
use super::grid::Grid;
use super::particles::Particles;
use fearless_simd::{Level, dispatch, prelude::*};
use fearless_simd_macros::simd;
use glam::Vec2;
use std::array::from_fn;
use std::ops::Range;

/// How many candidates are looked at together; rows of particles are padded to a multiple of it.
pub const WIDTH: usize = 8;

/// How many particles look at them together. Three measured best: two 5 % slower, four spill registers.
const BLOCK: usize = 3;

type Lanes<S> = fearless_simd::f32x8<S>;

/// Squared distance, as a share of h², under which two particles count as being in the same place.
const COINCIDENT: f32 = 1e-10;

/// The most of a pair's speed of approach that viscosity may take in one substep, for each of the two. All pairs act
/// at once, and with some thirty of them more would overshoot.
const MOST_VISCOUS: f32 = 0.1;

/// A quantity summed over neighbours. What a particle gathers itself and what others give it are kept apart: a vector
/// that is read right after one of its elements was written alone stalls the processor.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    gathered: Vec<f32>,
    given: Vec<f32>,
}

impl Sums {
    /// Zero for every slot.
    pub fn clear(&mut self, slots: usize) {
        for array in [&mut self.gathered, &mut self.given] {
            array.clear();
            array.resize(slots, 0.0);
        }
    }

    /// Zero for a slot that has not been summed yet.
    #[inline]
    pub fn of(&self, slot: usize) -> f32 {
        match (self.gathered.get(slot), self.given.get(slot)) {
            (Some(gathered), Some(given)) => gathered + given,
            _ => 0.0,
        }
    }

    #[inline]
    pub fn add(&mut self, slot: usize, amount: f32) {
        self.gathered[slot] += amount;
    }

    /// Adds the two parts up, so that [`Self::merged`] is the whole.
    pub fn merge(&mut self) {
        for (gathered, given) in self.gathered.iter_mut().zip(&mut self.given) {
            *gathered += std::mem::take(given);
        }
    }

    pub fn merged(&self) -> &[f32] {
        &self.gathered
    }
}

/// The two pressures (eqs. 4 and 5) with a step's dt²/h multiplied in, so that they yield displacements.
#[derive(Clone, Copy, Debug)]
pub struct Pressure {
    pub rest_density: f32,
    pub stiffness: f32,
    pub near_stiffness: f32,
}

impl Pressure {
    pub fn new(fluid: &Fluid, scale: f32) -> Self {
        Self {
            rest_density: fluid.rest_density,
            stiffness: fluid.stiffness * scale,
            near_stiffness: fluid.near_stiffness * scale,
        }
    }
}

/// A block of particles of one row, in lanes.
struct Block<S: Simd> {
    first: usize,
    count: usize,
    x: [Lanes<S>; BLOCK],
    y: [Lanes<S>; BLOCK],
}

impl<S: Simd> Block<S> {
    /// The particles from slot `first` on, as many as are left before `end`. Missing ones are out of everyone's reach.
    #[inline(always)]
    fn new(simd: S, p: &Particles, first: usize, end: usize) -> Self {
        let count = BLOCK.min(end - first);
        let spread = |values: &[f32]| from_fn(|b| Lanes::splat(simd, if b < count { values[first + b] } else { -1e9 }));
        Self { first, count, x: spread(&p.x), y: spread(&p.y) }
    }

    /// Offsets from particle `b` of the block to the vector of candidates at `at`, and their squared distances, with
    /// candidates that have met the particle already put beyond reach.
    #[inline(always)]
    fn offsets(&self, simd: S, b: usize, (xj, yj): (Lanes<S>, Lanes<S>), at: usize, beyond: f32) -> [Lanes<S>; 3] {
        let (dx, dy) = (xj - self.x[b], yj - self.y[b]);
        let r2 = dx * dx + dy * dy;
        let lane = Lanes::from_slice(simd, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let unmet = lane.simd_ge((self.first + b + 1).saturating_sub(at) as f32);
        [dx, dy, unmet.select(r2, Lanes::splat(simd, beyond))]
    }
}

/// The first slots of the whole vectors that cover `run`.
#[inline(always)]
fn vectors(run: &Range<usize>) -> impl Iterator<Item = usize> + use<> {
    (run.start / WIDTH..run.end.div_ceil(WIDTH)).map(|vector| vector * WIDTH)
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32], at: usize) -> Lanes<S> {
    Lanes::from_slice(simd, &values[at..at + WIDTH])
}

#[inline(always)]
fn store<S: Simd>(lanes: Lanes<S>, values: &mut [f32], at: usize) {
    lanes.store_slice(&mut values[at..at + WIDTH]);
}

/// Sum over the lanes, in the same order on every instruction set.
#[inline(always)]
fn total<S: Simd>(lanes: Lanes<S>) -> f32 {
    let (low, high) = lanes.split();
    let four = low + high;
    (four[0] + four[2]) + (four[1] + four[3])
}

/// Density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`.
pub fn density(grid: &Grid, p: &Particles, h: f32, out: (&mut Sums, &mut Sums)) {
    dispatch!(Level::new(), simd => density_with(simd, grid, p, h, out));
}

#[simd]
fn density_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, h: f32, (density, near): (&mut Sums, &mut Sums)) {
    let zero = Lanes::splat(simd, 0.0);
    let (one, per_h) = (Lanes::splat(simd, 1.0), Lanes::splat(simd, 1.0 / h));
    for row in 0..grid.rows() {
        let slots = grid.row(row);
        for first in slots.clone().step_by(BLOCK) {
            let block = Block::new(simd, p, first, slots.end);
            let (mut sum, mut near_sum) = ([zero; BLOCK], [zero; BLOCK]);
            for run in grid.runs(row, first, p.x[first], p.x[first + block.count - 1]) {
                for at in vectors(&run) {
                    let candidates = (load(simd, &p.x, at), load(simd, &p.y, at));
                    let (mut given, mut near_given) = (load(simd, &density.given, at), load(simd, &near.given, at));
                    for b in 0..BLOCK {
                        let [_, _, r2] = block.offsets(simd, b, candidates, at, 4.0 * h * h);
                        let g = (one - r2.sqrt() * per_h).max(zero);
                        let (g2, g3) = (g * g, g * g * g);
                        sum[b] += g2;
                        near_sum[b] += g3;
                        given += g2;
                        near_given += g3;
                    }
                    store(given, &mut density.given, at);
                    store(near_given, &mut near.given, at);
                }
            }
            for b in 0..block.count {
                density.gathered[first + b] = total(sum[b]);
                near.gathered[first + b] = total(near_sum[b]);
            }
        }
    }
}

/// Displacements `½ ((Pᵢ + Pⱼ) g + (P_nearᵢ + P_nearⱼ) g²) r̂`, outwards for both of a pair.
pub fn relax(
    grid: &Grid,
    p: &Particles,
    densities: (&[f32], &[f32]),
    h: f32,
    eos: Pressure,
    out: (&mut Sums, &mut Sums),
) {
    dispatch!(Level::new(), simd => relax_with(simd, grid, p, densities, h, eos, out));
}

#[simd]
fn relax_with<S: Simd>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    (density, near_density): (&[f32], &[f32]),
    h: f32,
    eos: Pressure,
    (dx, dy): (&mut Sums, &mut Sums),
) {
    let zero = Lanes::splat(simd, 0.0);
    let (one, per_h) = (Lanes::splat(simd, 1.0), Lanes::splat(simd, 1.0 / h));
    let (half_k, half_near) = (Lanes::splat(simd, 0.5 * eos.stiffness), Lanes::splat(simd, 0.5 * eos.near_stiffness));
    let same_place = COINCIDENT * h * h;
    for row in 0..grid.rows() {
        let slots = grid.row(row);
        for first in slots.clone().step_by(BLOCK) {
            let block = Block::new(simd, p, first, slots.end);
            let own = |values: &[f32], b: usize| if b < block.count { values[first + b] } else { 0.0 };
            let rho: [_; BLOCK] = from_fn(|b| Lanes::splat(simd, own(density, b) - 2.0 * eos.rest_density));
            let near: [_; BLOCK] = from_fn(|b| Lanes::splat(simd, own(near_density, b)));
            let (mut sum_x, mut sum_y) = ([zero; BLOCK], [zero; BLOCK]);
            let mut closest = one;
            for run in grid.runs(row, first, p.x[first], p.x[first + block.count - 1]) {
                for at in vectors(&run) {
                    let candidates = (load(simd, &p.x, at), load(simd, &p.y, at));
                    let (rho_j, near_j) = (load(simd, density, at), load(simd, near_density, at));
                    let (mut given_x, mut given_y) = (load(simd, &dx.given, at), load(simd, &dy.given, at));
                    for b in 0..BLOCK {
                        let [x, y, r2] = block.offsets(simd, b, candidates, at, 4.0 * h * h);
                        closest = closest.min(r2);
                        let r = r2.max(same_place).sqrt();
                        let g = (one - r * per_h).max(zero);
                        let push = g * (half_k * (rho[b] + rho_j) + half_near * (near[b] + near_j) * g);
                        let along = push / r;
                        let (push_x, push_y) = (along * x, along * y);
                        sum_x[b] += push_x;
                        sum_y[b] += push_y;
                        given_x += push_x;
                        given_y += push_y;
                    }
                    store(given_x, &mut dx.given, at);
                    store(given_y, &mut dy.given, at);
                }
            }
            for b in 0..block.count {
                dx.gathered[first + b] -= total(sum_x[b]);
                dy.gathered[first + b] -= total(sum_y[b]);
            }
            if closest.simd_lt(same_place).any_true() {
                for i in first..first + block.count {
                    let pressures = (density, near_density);
                    part_coincident(grid.runs(row, i, p.x[i], p.x[i]), p, i, pressures, same_place, eos, (dx, dy));
                }
            }
        }
    }
}

/// Parts particle `i` from those of `runs` that are in the same place, where the line between them has no direction.
fn part_coincident(
    runs: [Range<usize>; 2],
    p: &Particles,
    i: usize,
    (density, near_density): (&[f32], &[f32]),
    same_place: f32,
    eos: Pressure,
    (dx, dy): (&mut Sums, &mut Sums),
) {
    for j in runs.into_iter().flatten().filter(|&j| p.at(i).distance_squared(p.at(j)) < same_place) {
        let pressure = eos.stiffness * (density[i] + density[j] - 2.0 * eos.rest_density);
        let near_pressure = eos.near_stiffness * (near_density[i] + near_density[j]);
        let apart = 0.5 * (pressure + near_pressure) * tie_break(p.id[i], p.id[j]);
        dx.gathered[j] += apart.x;
        dy.gathered[j] += apart.y;
        dx.gathered[i] -= apart.x;
        dy.gathered[i] -= apart.y;
    }
}

/// The direction in which particle `b` leaves particle `a` when both are in the same place: a hash of the two, so
/// that it is the same on every run and opposite for the other of the pair.
fn tie_break(a: u32, b: u32) -> Vec2 {
    let mut hash = (u64::from(a.min(b)) << 32 | u64::from(a.max(b))).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let turn = (hash >> 40) as f32 / (1u32 << 24) as f32 * std::f32::consts::TAU;
    if a < b { Vec2::from_angle(turn) } else { -Vec2::from_angle(turn) }
}

/// Changes of velocity `−½ (1 − q)(σ dt u + β dt u²) r̂` for pairs that approach each other with speed u.
pub fn viscosity(grid: &Grid, p: &Particles, h: f32, sigma_beta: (f32, f32), out: (&mut Sums, &mut Sums)) {
    dispatch!(Level::new(), simd => viscosity_with(simd, grid, p, h, sigma_beta, out));
}

#[simd]
fn viscosity_with<S: Simd>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    h: f32,
    (sigma, beta): (f32, f32),
    (dvx, dvy): (&mut Sums, &mut Sums),
) {
    let zero = Lanes::splat(simd, 0.0);
    let (one, per_h) = (Lanes::splat(simd, 1.0), Lanes::splat(simd, 1.0 / h));
    let (sigma, beta) = (Lanes::splat(simd, 0.5 * sigma), Lanes::splat(simd, 0.5 * beta));
    let most = Lanes::splat(simd, MOST_VISCOUS);
    for row in 0..grid.rows() {
        let slots = grid.row(row);
        for first in slots.clone().step_by(BLOCK) {
            let block = Block::new(simd, p, first, slots.end);
            let own = |values: &[f32], b: usize| if b < block.count { values[first + b] } else { 0.0 };
            let vx: [_; BLOCK] = from_fn(|b| Lanes::splat(simd, own(&p.vx, b)));
            let vy: [_; BLOCK] = from_fn(|b| Lanes::splat(simd, own(&p.vy, b)));
            let (mut sum_x, mut sum_y) = ([zero; BLOCK], [zero; BLOCK]);
            for run in grid.runs(row, first, p.x[first], p.x[first + block.count - 1]) {
                for at in vectors(&run) {
                    let candidates = (load(simd, &p.x, at), load(simd, &p.y, at));
                    let (vx_j, vy_j) = (load(simd, &p.vx, at), load(simd, &p.vy, at));
                    let (mut given_x, mut given_y) = (load(simd, &dvx.given, at), load(simd, &dvy.given, at));
                    for b in 0..BLOCK {
                        let [x, y, r2] = block.offsets(simd, b, candidates, at, 4.0 * h * h);
                        let r = r2.max(COINCIDENT * h * h).sqrt();
                        let g = (one - r * per_h).max(zero);
                        let per_r = one / r;
                        let u = (((vx[b] - vx_j) * x + (vy[b] - vy_j) * y) * per_r).max(zero);
                        let impulse = u * (g * (sigma + beta * u)).min(most);
                        let along = impulse * per_r;
                        let (push_x, push_y) = (along * x, along * y);
                        sum_x[b] += push_x;
                        sum_y[b] += push_y;
                        given_x += push_x;
                        given_y += push_y;
                    }
                    store(given_x, &mut dvx.given, at);
                    store(given_y, &mut dvy.given, at);
                }
            }
            for b in 0..block.count {
                dvx.gathered[first + b] = -total(sum_x[b]);
                dvy.gathered[first + b] = -total(sum_y[b]);
            }
        }
    }
}
