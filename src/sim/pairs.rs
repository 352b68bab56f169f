//! The passes over pairs of neighbours, where nearly all the time goes.
//!
//! Every pair is met once (see [`super::grid`]); what it does to the one is done to the other with the sign turned, so
//! momentum is conserved to rounding. A block of `BLOCK` consecutive particles looks at the same vectors of eight
//! candidates; the candidates' sums are updated by contiguous reads and writes, without a scatter.
//!
//! Only operations that IEEE 754 rounds exactly are used (no reciprocal estimates, no fused multiply–add) and always
//! eight lanes wide, so every instruction set computes the same bits.

use super::drowse::Sweep;
use super::grid::Grid;
use super::particles::Particles;
use fearless_simd::{Level, dispatch, f32x4, f32x8, f64x2, prelude::*};
use fearless_simd_macros::simd;
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
    /// The sums in vectors of N.
    #[inline(always)]
    fn vectors<const N: usize>(&mut self) -> [&mut [[f32; N]]; 2] {
        let [a, b] = self.of.each_mut().map(|sums| sums.as_chunks_mut().0);
        // Of one length, so that one check of an index is good for both.
        let shorter = a.len().min(b.len());
        [&mut a[..shorter], &mut b[..shorter]]
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

/// What happens when two particles meet, each of which brings its place and so many other things that it is K numbers.
trait Meeting<S: Simd, V: Lanes<S>, const K: usize> {
    /// Whether a particle receives the opposite of what it gives (an impulse) or the same (a share of density).
    const RECOIL: bool;

    /// The two quantities that the particle gives to the candidates.
    fn meet(&self, simd: S, particle: [V; K], candidates: [V; K], offset: Offset<V>) -> [V; 2];
}

/// Who may be in reach of a block of particles.
trait Reach {
    /// Whether it wants to be told who was.
    const ASKS: bool;

    /// The slots that may hold neighbours of the particles from `first` on, as far as they have not met: in their own
    /// row and in the row above. From there on `sure` are in.
    fn runs(&self, row: usize, first: usize, last: usize) -> [Range<usize>; 2];

    /// In their own row the last one in reach was before slot `own_end`; above, they were between these.
    fn found(&mut self, first: usize, own_end: usize, above: Range<usize>);
}

/// Asks the grid, and notes for each block who is in reach.
struct Search<'a> {
    grid: &'a Grid,
    x: &'a [f32],
    base: usize,
    found: &'a mut [[u32; BLOCK]],
}

impl Reach for Search<'_> {
    const ASKS: bool = true;

    #[inline(always)]
    fn runs(&self, row: usize, first: usize, last: usize) -> [Range<usize>; 2] {
        self.grid.runs(row, first, self.x[first], self.x[last])
    }

    #[inline(always)]
    fn found(&mut self, first: usize, own_end: usize, above: Range<usize>) {
        self.found[(first - self.base) / BLOCK] = [own_end as u32, above.start as u32, above.end as u32, 0];
    }
}

/// Knows from the search before.
struct Known<'a> {
    found: &'a [[u32; BLOCK]],
}

impl Reach for Known<'_> {
    const ASKS: bool = false;

    #[inline(always)]
    fn runs(&self, _: usize, first: usize, _: usize) -> [Range<usize>; 2] {
        let [own_end, above_start, above_end, _] = self.found[first / BLOCK].map(|slot| slot as usize);
        [first + 1..own_end, above_start..above_end]
    }

    #[inline(always)]
    fn found(&mut self, _: usize, _: usize, _: Range<usize>) {}
}

/// Squared distances for those of a vector's lanes that a particle in it, `MET[lane]`, has met already or is itself.
const MET: [[f32; WIDTH]; WIDTH] = {
    let mut met = [[0.0; WIDTH]; WIDTH];
    let mut own = 0;
    while own < WIDTH {
        let mut other = 0;
        while other <= own {
            met[own][other] = 1e30;
            other += 1;
        }
        own += 1;
    }
    met
};

/// Lets every pair of neighbours of which one is in `rows` meet once, and adds up what they give each other.
#[inline(always)]
fn sweep<S: Simd, V: Lanes<S>, const N: usize, const K: usize, M: Meeting<S, V, K>, R: Reach>(
    simd: S,
    grid: &Grid,
    brought: [&[f32]; K],
    rows: &Sweep,
    reach: &mut R,
    meeting: &M,
    out: [Sums; 2],
) {
    let slots = brought[0].len();
    let brought = brought.map(|values| &values[..slots]);
    let vectors = brought.map(|values| &values.as_chunks::<N>().0[..slots / N]);
    let [mut own_sums, mut above_sums] = out;
    let (own_first, above_first) = (own_sums.first / N, above_sums.first / N);
    let own_block = own_sums.first / BLOCK;
    let passes = WIDTH / N;
    let zero = V::splat(simd, 0.0);
    for row in rows.rows.clone() {
        let slots = grid.row(row);
        for first in rows.blocks::<BLOCK>(grid, row) {
            let last = (first + BLOCK - 1).min(slots.end - 1);
            let [own, above] = reach.runs(row, first, last);
            let mut block = [[zero; K]; BLOCK];
            for i in 0..BLOCK {
                for k in 0..K {
                    block[i][k] = V::splat(simd, brought[k][first + i]);
                }
            }
            let mut total = [[f32x4::splat(simd, 0.0); BLOCK]; 2];
            let mut own_end = 0;
            let mut hit_above = usize::MAX..0;
            for half in 0..passes {
                let mut gathered = [[zero; BLOCK]; 2];
                let own_vector = first / N;
                if own_vector % passes == half {
                    let [a, b] = own_sums.vectors::<N>();
                    let v = own_vector;
                    let given = [&mut a[v - own_first], &mut b[v - own_first]];
                    let met = Some(&MET[first % N..]);
                    meet(simd, &block, vectors.map(|values| &values[v]), met, meeting, &mut gathered, given);
                }
                let [a, b] = own_sums.vectors::<N>();
                let mut v = own_vector + 1;
                v += (v + half) % passes;
                while v * N < own.end {
                    let given = [&mut a[v - own_first], &mut b[v - own_first]];
                    let hit = meet(simd, &block, vectors.map(|values| &values[v]), None, meeting, &mut gathered, given);
                    v += passes;
                    if R::ASKS && hit.simd_gt(zero).any_true() {
                        own_end = own_end.max((v + 1 - passes) * N);
                    }
                }
                let [a, b] = above_sums.vectors::<N>();
                let mut v = above.start / N;
                v += (v + half) % passes;
                while v * N < above.end {
                    let given = [&mut a[v - above_first], &mut b[v - above_first]];
                    let hit = meet(simd, &block, vectors.map(|values| &values[v]), None, meeting, &mut gathered, given);
                    if R::ASKS && hit.simd_gt(zero).any_true() {
                        hit_above = hit_above.start.min(v * N)..hit_above.end.max((v + 1) * N);
                    }
                    v += passes;
                }
                for k in 0..2 {
                    for i in 0..BLOCK {
                        total[k][i] += gathered[k][i].fold();
                    }
                }
            }
            reach.found(first, own_end, hit_above);
            for (out, total) in own_sums.vectors::<BLOCK>().into_iter().zip(total) {
                let out = &mut out[first / BLOCK - own_block];
                let (sum, total) = (f32x4::from_slice(simd, out), totals(total));
                (if M::RECOIL { sum - total } else { sum + total }).store_slice(out);
            }
        }
    }
}

/// The block meets a vector of candidates.
#[inline(always)]
fn meet<S: Simd, V: Lanes<S>, const N: usize, const K: usize, M: Meeting<S, V, K>>(
    simd: S,
    block: &[[V; K]; BLOCK],
    candidates: [&[f32; N]; K],
    met: Option<&[[f32; WIDTH]]>,
    meeting: &M,
    gathered: &mut [[V; BLOCK]; 2],
    given: [&mut [f32; N]; 2],
) -> V {
    let zero = V::splat(simd, 0.0);
    let mut theirs = [zero; K];
    for k in 0..K {
        theirs[k] = V::from_slice(simd, candidates[k]);
    }
    let candidates = theirs;
    let mut gives = [[zero; 2]; BLOCK];
    for i in 0..BLOCK {
        let (x, y) = (candidates[0] - block[i][0], candidates[1] - block[i][1]);
        let mut r2 = x * x + y * y;
        if let Some(met) = met {
            r2 = r2.max(V::from_slice(simd, &met[i][..N]));
        }
        gives[i] = meeting.meet(simd, block[i], candidates, Offset { x, y, r2 });
        gathered[0][i] += gives[i][0];
        gathered[1][i] += gives[i][1];
    }
    for k in 0..2 {
        let sum = (gives[0][k] + gives[1][k]) + (gives[2][k] + gives[3][k]);
        (V::from_slice(simd, given[k]) + sum).store_slice(given[k]);
        gives[0][k] = sum;
    }
    gives[0][0]
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
/// these rows, and what falls to the rows above them. Notes in `found` who is in reach, for [`relax`].
pub fn density(level: Level, grid: &Grid, p: &Particles, h: f32, rows: &Sweep, found: &mut [u32], out: [Sums; 2]) {
    dispatch!(level, simd => density_with(simd, grid, p, h, rows, found, out));
}

#[simd]
fn density_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, h: f32, rows: &Sweep, found: &mut [u32], out: [Sums; 2]) {
    let mut search = Search { grid, x: &p.x, base: out[0].first, found: found.as_chunks_mut().0 };
    let crowding = Crowding { per_h: 1.0 / h };
    let brought: [&[f32]; 2] = [&p.x, &p.y];
    if S::f32s::LEN == 4 {
        sweep::<S, f32x4<S>, 4, 2, _, _>(simd, grid, brought, rows, &mut search, &crowding, out);
    } else {
        sweep::<S, f32x8<S>, 8, 2, _, _>(simd, grid, brought, rows, &mut search, &crowding, out);
    }
}

struct Crowding {
    per_h: f32,
}

impl<S: Simd, V: Lanes<S>> Meeting<S, V, 2> for Crowding {
    const RECOIL: bool = false;

    #[inline(always)]
    fn meet(&self, simd: S, _: [V; 2], _: [V; 2], offset: Offset<V>) -> [V; 2] {
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
    /// Who is in reach, as [`density`] has found.
    pub found: &'a [u32],
}

/// Displacements `½ dt² ((Pᵢ + Pⱼ) g + (P_nearᵢ + P_nearⱼ) g²) r̂ + ½ dt² g (σ u + β u²) r̂`, outwards for both of a
/// pair; u is the speed with which they approach each other, if they do.
///
/// The viscosity impulse is met here, where the offsets are at hand, and not in a sweep of its own before the advance:
/// 10 ns a particle instead of 30. An impulse I before the advance moves a particle by dt I and changes its velocity
/// by I, which is what a displacement of dt I does; only the offsets are those after the advance.
pub fn relax(level: Level, grid: &Grid, p: &Particles, exchange: &Exchange, rows: &Sweep, out: [Sums; 2]) {
    dispatch!(level, simd => relax_with(simd, grid, p, exchange, rows, out));
}

#[simd]
fn relax_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, exchange: &Exchange, rows: &Sweep, out: [Sums; 2]) {
    let &Exchange { pressures: [pressure, near], viscosity, dt, h, found } = exchange;
    let mut reach = Known { found: found.as_chunks().0 };
    let pushing = Pushing { per_h: 1.0 / h, same: COINCIDENT * h * h };
    if viscosity == [0.0; 2] {
        let brought: [&[f32]; 4] = [&p.x, &p.y, pressure, near];
        if S::f32s::LEN == 4 {
            sweep::<S, f32x4<S>, 4, 4, _, _>(simd, grid, brought, rows, &mut reach, &pushing, out);
        } else {
            sweep::<S, f32x8<S>, 8, 4, _, _>(simd, grid, brought, rows, &mut reach, &pushing, out);
        }
    } else {
        let [sigma, beta] = viscosity;
        let braking = Braking { pushing, sigma, beta, most: MOST_VISCOUS * dt };
        let brought: [&[f32]; 6] = [&p.x, &p.y, pressure, near, &p.vx, &p.vy];
        if S::f32s::LEN == 4 {
            sweep::<S, f32x4<S>, 4, 6, _, _>(simd, grid, brought, rows, &mut reach, &braking, out);
        } else {
            sweep::<S, f32x8<S>, 8, 6, _, _>(simd, grid, brought, rows, &mut reach, &braking, out);
        }
    }
}

/// Pressure alone.
struct Pushing {
    per_h: f32,
    same: f32,
}

impl<S: Simd, V: Lanes<S>> Meeting<S, V, 4> for Pushing {
    const RECOIL: bool = true;

    #[inline(always)]
    fn meet(&self, simd: S, own: [V; 4], theirs: [V; 4], offset: Offset<V>) -> [V; 2] {
        let r = offset.r2.max(V::splat(simd, self.same)).sqrt();
        let g = kernel(simd, r, self.per_h);
        let push = g * (own[2] + theirs[2] + (own[3] + theirs[3]) * g) / r;
        [push * offset.x, push * offset.y]
    }
}

/// Pressure and viscosity.
struct Braking {
    pushing: Pushing,
    sigma: f32,
    beta: f32,
    most: f32,
}

impl<S: Simd, V: Lanes<S>> Meeting<S, V, 6> for Braking {
    const RECOIL: bool = true;

    #[inline(always)]
    fn meet(&self, simd: S, own: [V; 6], theirs: [V; 6], offset: Offset<V>) -> [V; 2] {
        let r = offset.r2.max(V::splat(simd, self.pushing.same)).sqrt();
        let per_r = V::splat(simd, 1.0) / r;
        let g = kernel(simd, r, self.pushing.per_h);
        let approach = ((own[4] - theirs[4]) * offset.x + (own[5] - theirs[5]) * offset.y) * per_r;
        let u = approach.max(V::splat(simd, 0.0));
        let viscous = u * (u * self.beta + self.sigma).min(V::splat(simd, self.most));
        let push = g * (own[2] + theirs[2] + (own[3] + theirs[3]) * g + viscous) * per_r;
        [push * offset.x, push * offset.y]
    }
}
