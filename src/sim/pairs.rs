//! The passes over pairs of neighbours, where nearly all the time goes.
//!
//! Every pair is met once (see [`super::grid`]); what it does to the one is done to the other with the sign turned, so
//! momentum is conserved to rounding. A block of `BLOCK` consecutive particles looks at the same vectors of eight
//! candidates; the candidates' sums are updated by contiguous reads and writes, without a scatter.
//!
//! Only operations that IEEE 754 rounds exactly are used (no reciprocal estimates, no fused multiply–add) and always
//! eight lanes wide, so every instruction set computes the same bits.

use super::grid::Grid;
use super::particles::Particles;
use fearless_simd::{Level, dispatch, f32x4, f32x8, f64x2, prelude::*};
use fearless_simd_macros::simd;
use std::array::from_fn;
use std::ops::Range;

/// Rows of particles are padded to a multiple of so many.
pub const WIDTH: usize = 8;

/// How many particles look at a vector of candidates together. Four measured best: two cost 15 % more.
const BLOCK: usize = 4;

/// The least squared distance, in h², that is divided by. Whoever is closer has been parted before (see
/// `Liquid::part_coincident`).
const COINCIDENT: f32 = 1e-10;

/// The most of a pair's speed of approach that viscosity may take from each of the two in one substep. All pairs act at
/// once, and with some thirty of them more would overshoot.
const MOST_VISCOUS: f32 = 0.1;

/// Where two quantities are summed over neighbours: a stretch of slots that begins with a row's.
pub struct Sums<'a> {
    pub first: usize,
    pub of: [&'a mut [f32]; 2],
}

impl Sums<'_> {
    /// The sums of the `len` slots from `at` on.
    #[inline(always)]
    fn at(&mut self, at: usize, len: usize) -> [&mut [f32]; 2] {
        let [a, b] = &mut self.of;
        let at = at - self.first;
        [&mut a[at..at + len], &mut b[at..at + len]]
    }
}

/// As many candidates as a register holds: eight, or four where registers hold no more.
trait Lanes<S: Simd>: SimdFloat<S, Element = f32> {
    /// The upper four lanes added to the lower four.
    fn fold(self) -> f32x4<S>;
}

impl<S: Simd> Lanes<S> for f32x8<S> {
    #[inline(always)]
    fn fold(self) -> f32x4<S> {
        let (low, high) = self.split();
        low + high
    }
}

impl<S: Simd> Lanes<S> for f32x4<S> {
    #[inline(always)]
    fn fold(self) -> f32x4<S> {
        self
    }
}

/// From one particle to a vector of candidates: the offsets, and their squared length. Candidates that have met the
/// particle already appear to be out of reach.
#[derive(Clone, Copy)]
struct Offset<V> {
    x: V,
    y: V,
    r2: V,
}

/// What happens when two particles meet.
trait Meeting<S: Simd, V: Lanes<S>> {
    /// What each brings along besides its place.
    type Side: Copy;
    /// Whether a particle receives the opposite of what it gives (an impulse) or the same (a share of density).
    const RECOIL: bool;

    /// One particle's side, in all lanes.
    fn particle(&self, simd: S, slot: usize) -> Self::Side;

    /// The sides of the vector of candidates that begins at `slot`.
    fn candidates(&self, simd: S, slot: usize) -> Self::Side;

    /// The two quantities that the particle gives to the candidates.
    fn meet(&self, simd: S, particle: Self::Side, candidates: Self::Side, offset: Offset<V>) -> [V; 2];
}

/// Consecutive particles of one row, each in all lanes.
struct Block<V, Side> {
    first: usize,
    x: [V; BLOCK],
    y: [V; BLOCK],
    side: [Side; BLOCK],
}

impl<V: Copy, Side: Copy> Block<V, Side> {
    #[inline(always)]
    fn new<S: Simd, M: Meeting<S, V, Side = Side>>(simd: S, p: &Particles, first: usize, meeting: &M) -> Self
    where
        V: Lanes<S>,
    {
        Self {
            first,
            x: from_fn(|i| V::splat(simd, p.x[first + i])),
            y: from_fn(|i| V::splat(simd, p.y[first + i])),
            side: from_fn(|i| meeting.particle(simd, first + i)),
        }
    }

    /// The block meets the vector of candidates that begins at slot `at`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn meet<S: Simd, M: Meeting<S, V, Side = Side>>(
        &self,
        simd: S,
        p: &Particles,
        at: usize,
        in_block: Option<V>,
        meeting: &M,
        gathered: &mut [[V; BLOCK]; 2],
        given: [&mut [f32]; 2],
    ) where
        V: Lanes<S>,
    {
        let (xs, ys) = (V::from_slice(simd, &p.x[at..][..V::LEN]), V::from_slice(simd, &p.y[at..][..V::LEN]));
        let candidates = meeting.candidates(simd, at);
        let [out_a, out_b] = given;
        let (mut a, mut b) = (V::from_slice(simd, out_a), V::from_slice(simd, out_b));
        for i in 0..BLOCK {
            let (dx, dy) = (xs - self.x[i], ys - self.y[i]);
            let mut r2 = dx * dx + dy * dy;
            if let Some(beyond) = in_block {
                let lane = V::from_slice(simd, &LANE[..V::LEN]);
                r2 = lane.simd_gt(V::splat(simd, (self.first + i) as f32 - at as f32)).select(r2, beyond);
            }
            let gives = meeting.meet(simd, self.side[i], candidates, Offset { x: dx, y: dy, r2 });
            gathered[0][i] += gives[0];
            gathered[1][i] += gives[1];
            a += gives[0];
            b += gives[1];
        }
        a.store_slice(out_a);
        b.store_slice(out_b);
    }
}

const LANE: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Lets every pair of neighbours of which one is in `rows` meet once, and adds up what they give each other.
#[inline(always)]
fn sweep<S: Simd, V: Lanes<S>, M: Meeting<S, V>>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    h: f32,
    rows: Range<usize>,
    meeting: &M,
    [mut own_sums, mut above_sums]: [Sums; 2],
) {
    let passes = WIDTH / V::LEN;
    let beyond = V::splat(simd, 4.0 * h * h);
    for row in rows {
        let slots = grid.row(row);
        for first in slots.clone().step_by(BLOCK) {
            let last = (first + BLOCK - 1).min(slots.end - 1);
            let [own, above] = grid.runs(row, first, p.x[first], p.x[last]);
            let block = Block::new(simd, p, first, meeting);
            let mut total = [[f32x4::splat(simd, 0.0); BLOCK]; 2];
            for half in 0..passes {
                let mut gathered = [[V::splat(simd, 0.0); BLOCK]; 2];
                let own_vector = first / V::LEN;
                if own_vector % passes == half {
                    let at = own_vector * V::LEN;
                    let given = own_sums.at(at, V::LEN);
                    block.meet(simd, p, at, Some(beyond), meeting, &mut gathered, given);
                }
                let own = own_vector + 1..own.end.div_ceil(V::LEN);
                let above = above.start / V::LEN..above.end.div_ceil(V::LEN);
                for (run, sums) in [(own, &mut own_sums), (above, &mut above_sums)] {
                    let mut v = run.start + ((run.start + half) % passes);
                    while v < run.end {
                        let at = v * V::LEN;
                        let given = sums.at(at, V::LEN);
                        block.meet(simd, p, at, None, meeting, &mut gathered, given);
                        v += passes;
                    }
                }
                for k in 0..2 {
                    for i in 0..BLOCK {
                        total[k][i] += gathered[k][i].fold();
                    }
                }
            }
            for (out, total) in own_sums.at(first, BLOCK).into_iter().zip(total) {
                let (sum, total) = (f32x4::from_slice(simd, out), totals(total));
                (if M::RECOIL { sum - total } else { sum + total }).store_slice(out);
            }
        }
    }
}

/// The sums over the lanes of four vectors, in the same order on every instruction set.
#[inline(always)]
fn totals<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> f32x4<S> {
    let ab: f64x2<S> = (a.zip_low(b) + a.zip_high(b)).bitcast();
    let cd: f64x2<S> = (c.zip_low(d) + c.zip_high(d)).bitcast();
    ab.zip_low(cd).bitcast::<f32x4<S>>() + ab.zip_high(cd).bitcast::<f32x4<S>>()
}

/// `g = 1 − r/h`, zero beyond h.
#[inline(always)]
fn kernel<S: Simd, V: Lanes<S>>(simd: S, r: V, per_h: f32) -> V {
    (V::splat(simd, 1.0) - r * per_h).max(V::splat(simd, 0.0))
}

/// Density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`, of the pairs of which the lower is in `rows`: what falls to
/// these rows, and what falls to the rows above them.
pub fn density(level: Level, grid: &Grid, p: &Particles, h: f32, rows: Range<usize>, out: [Sums; 2]) {
    dispatch!(level, simd => density_with(simd, grid, p, h, rows, out));
}

#[simd]
fn density_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, h: f32, rows: Range<usize>, out: [Sums; 2]) {
    let crowding = Crowding { per_h: 1.0 / h };
    if S::f32s::LEN == 4 {
        sweep::<S, f32x4<S>, _>(simd, grid, p, h, rows, &crowding, out);
    } else {
        sweep::<S, f32x8<S>, _>(simd, grid, p, h, rows, &crowding, out);
    }
}

struct Crowding {
    per_h: f32,
}

impl<S: Simd, V: Lanes<S>> Meeting<S, V> for Crowding {
    type Side = ();
    const RECOIL: bool = false;

    #[inline(always)]
    fn particle(&self, _: S, _: usize) {}

    #[inline(always)]
    fn candidates(&self, _: S, _: usize) {}

    #[inline(always)]
    fn meet(&self, simd: S, (): (), (): (), offset: Offset<V>) -> [V; 2] {
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
pub fn relax(level: Level, grid: &Grid, p: &Particles, exchange: &Exchange, rows: Range<usize>, out: [Sums; 2]) {
    dispatch!(level, simd => relax_with(simd, grid, p, exchange, rows, out));
}

#[simd]
fn relax_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, exchange: &Exchange, rows: Range<usize>, out: [Sums; 2]) {
    let &Exchange { pressures, viscosity: [sigma, beta], dt, h } = exchange;
    let pushing =
        Pushing { p, pressures, sigma, beta, most: MOST_VISCOUS * dt, per_h: 1.0 / h, same: COINCIDENT * h * h };
    if S::f32s::LEN == 4 {
        sweep::<S, f32x4<S>, _>(simd, grid, p, h, rows, &pushing, out);
    } else {
        sweep::<S, f32x8<S>, _>(simd, grid, p, h, rows, &pushing, out);
    }
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

impl<S: Simd, V: Lanes<S>> Meeting<S, V> for Pushing<'_> {
    /// The two pressures and the velocity.
    type Side = [V; 4];
    const RECOIL: bool = true;

    #[inline(always)]
    fn particle(&self, simd: S, slot: usize) -> Self::Side {
        self.sides().map(|values| V::splat(simd, values[slot]))
    }

    #[inline(always)]
    fn candidates(&self, simd: S, slot: usize) -> Self::Side {
        self.sides().map(|values| V::from_slice(simd, &values[slot..][..V::LEN]))
    }

    #[inline(always)]
    fn meet(&self, simd: S, own: Self::Side, theirs: Self::Side, offset: Offset<V>) -> [V; 2] {
        let r = offset.r2.max(V::splat(simd, self.same)).sqrt();
        let per_r = V::splat(simd, 1.0) / r;
        let g = kernel(simd, r, self.per_h);
        let approach = ((own[2] - theirs[2]) * offset.x + (own[3] - theirs[3]) * offset.y) * per_r;
        let u = approach.max(V::splat(simd, 0.0));
        let viscous = u * (u * self.beta + self.sigma).min(V::splat(simd, self.most));
        let push = g * (own[0] + theirs[0] + (own[1] + theirs[1]) * g + viscous) * per_r;
        [push * offset.x, push * offset.y]
    }
}
