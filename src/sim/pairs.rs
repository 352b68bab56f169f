//! The passes over pairs of neighbours, where nearly all the time goes.
//!
//! Every pair is met once (see [`super::grid`]); what it does to the one is done to the other with the sign turned, so
//! momentum is conserved to rounding. A block of `BLOCK` consecutive particles looks at the same vectors of eight
//! candidates; the candidates' sums are updated by contiguous reads and writes, without a scatter.
//!
//! Only operations that IEEE 754 rounds exactly are used (no reciprocal estimates, no fused multiply–add) and always
//! eight lanes wide, so every instruction set computes the same bits.

use super::grid::Grid;
use super::particles::{FAR, Particles};
use fearless_simd::{Level, dispatch, prelude::*};
use fearless_simd_macros::simd;
use std::array::from_fn;

/// How many candidates are looked at together; rows of particles are padded to a multiple of it.
pub const WIDTH: usize = 8;

/// How many particles look at them together. Four measured best: two cost 15 % more.
const BLOCK: usize = 4;

type Lanes<S> = fearless_simd::f32x8<S>;

/// The least squared distance, in h², that is divided by. Whoever is closer has been parted before (see
/// `Liquid::part_coincident`).
const COINCIDENT: f32 = 1e-10;

/// The most of a pair's speed of approach that viscosity may take from each of the two in one substep. All pairs act at
/// once, and with some thirty of them more would overshoot.
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

    /// The sums in slot order.
    pub fn all(&self) -> impl Iterator<Item = f32> + '_ {
        self.gathered.iter().zip(&self.given).map(|(gathered, given)| gathered + given)
    }
}

/// From one particle to a vector of candidates: the offsets, and their squared length. Candidates that have met the
/// particle already appear to be out of reach.
#[derive(Clone, Copy)]
struct Offset<S: Simd> {
    x: Lanes<S>,
    y: Lanes<S>,
    r2: Lanes<S>,
}

/// What happens when two particles meet.
trait Meeting<S: Simd> {
    /// What each brings along besides its place.
    type Side: Copy;
    /// Whether a particle receives the opposite of what it gives (an impulse) or the same (a share of density).
    const RECOIL: bool;

    /// One particle's side, in all lanes.
    fn particle(&self, simd: S, slot: usize) -> Self::Side;

    /// The sides of a vector of candidates.
    fn candidates(&self, simd: S, vector: usize) -> Self::Side;

    /// The two quantities that the particle gives to the candidates.
    fn meet(&self, simd: S, particle: Self::Side, candidates: Self::Side, offset: Offset<S>) -> [Lanes<S>; 2];
}

/// Consecutive particles of one row, each in all lanes, and what they gather.
struct Block<S: Simd, Side> {
    slot: [Lanes<S>; BLOCK],
    x: [Lanes<S>; BLOCK],
    y: [Lanes<S>; BLOCK],
    side: [Side; BLOCK],
    gathered: [[Lanes<S>; BLOCK]; 2],
}

impl<S: Simd, Side: Copy> Block<S, Side> {
    /// The particles from `first` to `last`. Where those are fewer than a block, `last` stands in for the missing
    /// ones, out of everybody's reach.
    #[inline(always)]
    fn new(simd: S, p: &Particles, first: usize, last: usize, side: impl Fn(usize) -> Side) -> Self {
        let spread = |value: f32| Lanes::splat(simd, value);
        let place = |at: &[f32], b: usize| if first + b <= last { at[first + b] } else { -FAR };
        Self {
            slot: from_fn(|b| spread((first + b) as f32)),
            x: from_fn(|b| spread(place(&p.x, b))),
            y: from_fn(|b| spread(place(&p.y, b))),
            side: from_fn(|b| side((first + b).min(last))),
            gathered: [[spread(0.0); BLOCK]; 2],
        }
    }
}

/// Lets every pair of neighbours meet once and adds up what they give each other.
#[inline(always)]
fn sweep<S: Simd, M: Meeting<S>>(simd: S, grid: &Grid, p: &Particles, h: f32, meeting: &M, out: [&mut Sums; 2]) {
    let [out_a, out_b] = out;
    let (xs, ys) = (vectors(&p.x), vectors(&p.y));
    let given = [&mut out_a.given, &mut out_b.given].map(|values| values.as_chunks_mut::<WIDTH>().0);
    let lane = Lanes::from_slice(simd, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let beyond = Lanes::splat(simd, 4.0 * h * h);
    for row in 0..grid.rows() {
        let slots = grid.row(row);
        for first in slots.clone().step_by(BLOCK) {
            let last = (first + BLOCK - 1).min(slots.end - 1);
            let mut block = Block::new(simd, p, first, last, |slot| meeting.particle(simd, slot));
            let [own, above] = grid.runs(row, first, p.x[first], p.x[last]);
            for (run, in_own_row) in [(own, true), (above, false)] {
                for v in run.start / WIDTH..run.end.div_ceil(WIDTH) {
                    let (x, y) = (Lanes::from_slice(simd, &xs[v]), Lanes::from_slice(simd, &ys[v]));
                    let candidates = meeting.candidates(simd, v);
                    let [mut a, mut b] = [&given[0][v], &given[1][v]].map(|values| Lanes::from_slice(simd, values));
                    let slot = lane + (v * WIDTH) as f32;
                    for i in 0..BLOCK {
                        let (dx, dy) = (x - block.x[i], y - block.y[i]);
                        let mut r2 = dx * dx + dy * dy;
                        if in_own_row {
                            r2 = slot.simd_gt(block.slot[i]).select(r2, beyond);
                        }
                        let gives = meeting.meet(simd, block.side[i], candidates, Offset { x: dx, y: dy, r2 });
                        block.gathered[0][i] += gives[0];
                        block.gathered[1][i] += gives[1];
                        a += gives[0];
                        b += gives[1];
                    }
                    a.store_slice(&mut given[0][v]);
                    b.store_slice(&mut given[1][v]);
                }
            }
            for (i, slot) in (first..=last).enumerate() {
                let sums = block.gathered.map(|sums| total(sums[i]));
                out_a.gathered[slot] += if M::RECOIL { -sums[0] } else { sums[0] };
                out_b.gathered[slot] += if M::RECOIL { -sums[1] } else { sums[1] };
            }
        }
    }
}

/// The whole vectors of an array.
#[inline(always)]
fn vectors(values: &[f32]) -> &[[f32; WIDTH]] {
    values.as_chunks().0
}

/// Sum over the lanes, in the same order on every instruction set.
#[inline(always)]
fn total<S: Simd>(lanes: Lanes<S>) -> f32 {
    let (low, high) = lanes.split();
    let four = low + high;
    (four[0] + four[2]) + (four[1] + four[3])
}

/// `g = 1 − r/h`, zero beyond h.
#[inline(always)]
fn kernel<S: Simd>(simd: S, r: Lanes<S>, per_h: f32) -> Lanes<S> {
    (Lanes::splat(simd, 1.0) - r * per_h).max(Lanes::splat(simd, 0.0))
}

/// Density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`.
pub fn density(grid: &Grid, p: &Particles, h: f32, out: [&mut Sums; 2]) {
    dispatch!(Level::new(), simd => density_with(simd, grid, p, h, out));
}

#[simd]
fn density_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, h: f32, out: [&mut Sums; 2]) {
    sweep(simd, grid, p, h, &Crowding { per_h: 1.0 / h }, out);
}

struct Crowding {
    per_h: f32,
}

impl<S: Simd> Meeting<S> for Crowding {
    type Side = ();
    const RECOIL: bool = false;

    #[inline(always)]
    fn particle(&self, _: S, _: usize) {}

    #[inline(always)]
    fn candidates(&self, _: S, _: usize) {}

    #[inline(always)]
    fn meet(&self, simd: S, (): (), (): (), offset: Offset<S>) -> [Lanes<S>; 2] {
        let g = kernel(simd, offset.r2.sqrt(), self.per_h);
        let g2 = g * g;
        [g2, g2 * g]
    }
}

/// What neighbours do to each other in [`relax`], as displacements.
pub struct Exchange<'a> {
    /// Pressure and near-pressure of every slot: halved, because a pair shares each displacement, and times dt²/h.
    pub pressures: [&'a [f32]; 2],
    /// σ and β, halved and times dt².
    pub viscosity: [f32; 2],
    /// Seconds.
    pub dt: f32,
    /// Metres.
    pub h: f32,
}

/// Displacements `½ dt² ((Pᵢ + Pⱼ) g + (P_nearᵢ + P_nearⱼ) g²) r̂ + ½ dt² g (σ u + β u²) r̂`, outwards for both of a
/// pair; u is the speed with which they approach each other, if they do.
///
/// The viscosity impulse is met here, where the offsets are at hand, and not in a sweep of its own before the advance:
/// 10 ns a particle instead of 30. An impulse I before the advance moves a particle by dt I and changes its velocity
/// by I, which is what a displacement of dt I does; only the offsets are those after the advance.
pub fn relax(grid: &Grid, p: &Particles, exchange: &Exchange, out: [&mut Sums; 2]) {
    dispatch!(Level::new(), simd => relax_with(simd, grid, p, exchange, out));
}

#[simd]
fn relax_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, exchange: &Exchange, out: [&mut Sums; 2]) {
    let &Exchange { pressures, viscosity: [sigma, beta], dt, h } = exchange;
    let pushing =
        Pushing { p, pressures, sigma, beta, most: MOST_VISCOUS * dt, per_h: 1.0 / h, same: COINCIDENT * h * h };
    sweep(simd, grid, p, h, &pushing, out);
}

struct Pushing<'a> {
    p: &'a Particles,
    pressures: [&'a [f32]; 2],
    sigma: f32,
    beta: f32,
    most: f32,
    per_h: f32,
    same: f32,
}

impl Pushing<'_> {
    #[inline(always)]
    fn sides(&self) -> [&[f32]; 4] {
        [self.pressures[0], self.pressures[1], &self.p.vx, &self.p.vy]
    }
}

impl<S: Simd> Meeting<S> for Pushing<'_> {
    /// The two pressures and the velocity.
    type Side = [Lanes<S>; 4];
    const RECOIL: bool = true;

    #[inline(always)]
    fn particle(&self, simd: S, slot: usize) -> Self::Side {
        self.sides().map(|values| Lanes::splat(simd, values[slot]))
    }

    #[inline(always)]
    fn candidates(&self, simd: S, vector: usize) -> Self::Side {
        self.sides().map(|values| Lanes::from_slice(simd, &vectors(values)[vector]))
    }

    #[inline(always)]
    fn meet(&self, simd: S, own: Self::Side, theirs: Self::Side, offset: Offset<S>) -> [Lanes<S>; 2] {
        let r = offset.r2.max(Lanes::splat(simd, self.same)).sqrt();
        let per_r = Lanes::splat(simd, 1.0) / r;
        let g = kernel(simd, r, self.per_h);
        let approach = ((own[2] - theirs[2]) * offset.x + (own[3] - theirs[3]) * offset.y) * per_r;
        let u = approach.max(Lanes::splat(simd, 0.0));
        let viscous = u * (u * self.beta + self.sigma).min(Lanes::splat(simd, self.most));
        let push = g * (own[0] + theirs[0] + (own[1] + theirs[1]) * g + viscous) * per_r;
        [push * offset.x, push * offset.y]
    }
}
