//! Who sleeps: parts of a liquid at rest that keep their place and cost next to nothing.
//!
//! The grid's patches, squares of h × h, are what falls asleep and wakes. One in which something has moved within the
//! last [`SLEEP_AFTER`] steps *stirs*. Everybody within `MARGIN` of one that stirs is moved; who is farther off has
//! no speed and stays where he is, held by the pressure that he was under. Two rings more are needed around those who
//! are moved: their neighbours must have a pressure, and for that their neighbours' neighbours a density.
//!
//! Sound crosses some four patches in a step, so whatever comes along finds the patches ahead of it awake. What it
//! makes of a sleeper that is too slow to stir is lost: a wave whose water moves slower than [`SLEEPY`].
//!
//! 20,000 particles in a pool, a corner of it disturbed for two seconds (36 substeps, one thread): with a small stir 32 %
//! are awake and a step takes 26 ms instead of 54; with a finger that lifts water and lets it fall, 66 % and 41 ms. The
//! sort still goes through everybody.

use crate::sim::neighbors::Grid;
use crate::sim::neighbors::row_chunks::Band;
use std::ops::Range;

/// Nothing moves faster than this (m/s) where a liquid sleeps, and has not for so many steps: longer than half a
/// period of the slowest sloshing, which is still at its turning points.
pub const SLEEPY: f32 = 0.005;
pub const SLEEP_AFTER: u8 = 90;

/// How far around a patch that stirs particles are moved, in patches.
const MARGIN: u8 = 6;

/// Who takes part in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Those that are moved.
    Moved,
    /// Those that may exchange something with them.
    Neighbours,
    /// Those that add to the density of either.
    Weighed,
    Everybody,
}

impl Zone {
    const ALL: [Zone; 4] = [Zone::Moved, Zone::Neighbours, Zone::Weighed, Zone::Everybody];

    /// How far around a patch that stirs it goes, in patches.
    fn reach(self) -> u8 {
        match self {
            Zone::Moved => MARGIN,
            Zone::Neighbours => MARGIN + 1,
            Zone::Weighed => MARGIN + 2,
            Zone::Everybody => u8::MAX,
        }
    }
}

/// The parts of the rows that belong to a zone, as columns of patches.
#[derive(Clone, Debug, Default)]
struct Runs {
    /// Where each row's begin, and the end of the last row's.
    first: Vec<u32>,
    runs: Vec<Range<u32>>,
}

/// The bookkeeping of sleep, a patch at a time.
#[derive(Clone, Debug, Default)]
pub struct Drowse {
    across: usize,
    /// For how many steps nothing has moved in a patch.
    still: Vec<u8>,
    /// From each patch to the nearest one that stirs, in patches, diagonally too.
    distance: Vec<u8>,
    /// Whether the zones have been marked with everybody in them.
    whole: bool,
    zones: [Runs; 4],
}

impl Drowse {
    /// Begins anew for a grid of `rows` × `across` patches, with everybody awake.
    pub fn lay(&mut self, rows: usize, across: usize) {
        self.across = across;
        self.still.resize(rows * across, 0);
        // As many runs as there can be, every other patch being one: which patches stir changes while it plays.
        for Runs { first, runs } in &mut self.zones {
            first.clear();
            first.reserve_exact(rows + 1);
            runs.clear();
            runs.reserve_exact(rows * across.div_ceil(2));
        }
        self.whole = false;
        self.wake();
    }

    /// Wakes everybody.
    pub fn wake(&mut self) {
        self.still.fill(0);
        self.mark();
    }

    /// Wakes the surroundings of a patch, from the next step on.
    pub fn stir(&mut self, patch: usize) {
        if let Some(still) = self.still.get_mut(patch) {
            *still = 0;
        }
    }

    /// Another step begins: notes of each patch in turn whether something moves in it, and marks who takes part.
    pub fn count(&mut self, moves: impl Iterator<Item = bool>) {
        for (still, moves) in self.still.iter_mut().zip(moves) {
            *still = if moves { 0 } else { still.saturating_add(1) };
        }
        self.mark();
    }

    /// Whether the particles of a patch stay where they are.
    pub fn is_asleep(&self, patch: usize) -> bool {
        self.distance[patch] > MARGIN
    }

    /// The slots of those in `row` that belong to `zone`, from left to right.
    pub fn slots<'a>(&'a self, zone: Zone, grid: &'a Grid, row: usize) -> impl Iterator<Item = Range<usize>> + 'a {
        let Runs { first, runs } = &self.zones[zone as usize];
        let runs = &runs[first[row] as usize..first[row + 1] as usize];
        runs.iter().map(move |run| grid.stretch(row, run.start as usize..run.end as usize))
    }

    /// The slots of those in a band that are moved.
    pub fn moved<'a>(&'a self, grid: &'a Grid, band: &Band) -> impl Iterator<Item = Range<usize>> + 'a {
        band.rows.clone().flat_map(|row| self.slots(Zone::Moved, grid, row))
    }

    /// Marks the zones. As long as every patch has stirred of late, which is the rule, everybody is in all of them, and
    /// that has to be noted once only.
    fn mark(&mut self) {
        let whole = self.still.iter().all(|&still| still < SLEEP_AFTER);
        if whole && self.whole {
            return;
        }
        self.whole = whole;
        self.measure();
        let rows = self.still.len() / self.across.max(1);
        for zone in Zone::ALL {
            let Runs { first, runs } = &mut self.zones[zone as usize];
            first.clear();
            runs.clear();
            for row in 0..rows {
                first.push(runs.len() as u32);
                let distances = &self.distance[row * self.across..(row + 1) * self.across];
                find_runs(distances, zone.reach(), runs);
            }
            first.push(runs.len() as u32);
        }
    }

    /// The distances, by one sweep up and one down (Rosenfeld & Pfaltz 1968: exact where diagonals count as one).
    fn measure(&mut self) {
        let stirs = |&still: &u8| if still < SLEEP_AFTER { 0 } else { u8::MAX };
        self.distance.clear();
        self.distance.extend(self.still.iter().map(stirs));
        let (across, patches) = (self.across, self.distance.len());
        for patch in 0..patches {
            let column = patch % across;
            let below = patch.checked_sub(across);
            let left = (column > 0).then(|| patch - 1);
            self.approach(patch, [left, below.filter(|_| column > 0).map(|p| p - 1), below, below.map(|p| p + 1)]);
        }
        for patch in (0..patches).rev() {
            let column = patch % across;
            let last = column + 1 == across;
            let above = Some(patch + across).filter(|&p| p < patches);
            let right = (!last).then_some(patch + 1);
            let above_left = above.filter(|_| column > 0).map(|p| p - 1);
            self.approach(patch, [right, above_left, above, above.filter(|_| !last).map(|p| p + 1)]);
        }
    }

    fn approach(&mut self, patch: usize, neighbours: [Option<usize>; 4]) {
        let nearest = neighbours.into_iter().flatten().map(|n| self.distance[n].saturating_add(1)).min();
        self.distance[patch] = self.distance[patch].min(nearest.unwrap_or(u8::MAX));
    }
}

/// The stretches of `distances` up to `reach`.
fn find_runs(distances: &[u8], reach: u8, runs: &mut Vec<Range<u32>>) {
    let mut start = None;
    for (column, &distance) in distances.iter().enumerate() {
        match (distance <= reach, start) {
            (true, None) => start = Some(column as u32),
            (false, Some(from)) => {
                runs.push(from..column as u32);
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|from| from..distances.len() as u32));
}

/// The rows of a band, as far as they belong to a zone: what a pass over pairs goes through.
#[derive(Clone)]
pub struct Sweep<'a> {
    pub drowse: &'a Drowse,
    pub zone: Zone,
    pub rows: Range<usize>,
}

impl Sweep<'_> {
    /// The blocks of `N` particles in `row`, counted from its beginning, that hold one of the zone: stretches of them,
    /// each to be gone through in steps of `N`. (One iterator over all of a row's blocks cost a tenth of a step.)
    #[inline(always)]
    pub fn blocks<'a, const N: usize>(&'a self, grid: &'a Grid, row: usize) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut done = 0;
        self.drowse.slots(self.zone, grid, row).map(move |slots| {
            let blocks = (slots.start / N * N).max(done)..slots.end;
            done = done.max(slots.end.next_multiple_of(N));
            blocks
        })
    }
}
