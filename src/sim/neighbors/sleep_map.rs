//! Parts of a liquid at rest sleep: they keep their positions and cost next to nothing. The unit is a block of the grid, h × h. A
//! block in which something has moved within the last [`STEPS_TO_SLEEP`] steps is *moving*. Particles within `ACTIVE_RADIUS` of a
//! moving block are advanced; the others have no velocity. Two more rings around the advanced ones get a pressure and a density.
//! A wave whose water moves slower than [`SLEEP_SPEED`] is lost. The sort still visits all particles.

use crate::sim::neighbors::grid::Grid;
use crate::sim::neighbors::row_chunks::RowChunk;
use std::ops::Range;

/// Maximum speed of a sleeping liquid, m/s, for [`STEPS_TO_SLEEP`] steps: half a period of the slowest sloshing.
pub const SLEEP_SPEED: f32 = 0.005;
/// Steps without motion after which a block sleeps.
pub const STEPS_TO_SLEEP: u8 = 90;

/// Distance from a moving block within which particles are advanced, in blocks.
const ACTIVE_RADIUS: u8 = 6;

/// The largest distance that makes a difference: that of [`Zone::DensityHalo`].
const FARTHEST: u8 = ACTIVE_RADIUS + 2;

/// The blocks that take part in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Blocks whose particles are advanced.
    Active,
    /// The neighbours of active blocks as well, which exchange forces with them.
    ForceHalo,
    /// The neighbours of those as well, which add to their densities.
    DensityHalo,
    All,
}

impl Zone {
    const ALL: [Zone; 4] = [Zone::Active, Zone::ForceHalo, Zone::DensityHalo, Zone::All];

    fn radius(self) -> u8 {
        match self {
            Zone::Active => ACTIVE_RADIUS,
            Zone::ForceHalo => ACTIVE_RADIUS + 1,
            Zone::DensityHalo => FARTHEST,
            Zone::All => u8::MAX,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct RowRanges {
    /// Index of each row's first range, and the end of the last row's.
    first: Vec<u32>,
    ranges: Vec<Range<u32>>,
}

#[derive(Clone, Debug, Default)]
pub struct SleepMap {
    blocks_per_row: usize,
    /// By block: steps since something last moved in it.
    steps_at_rest: Vec<u8>,
    /// By block: distances to the nearest moving block in its row, and of all; diagonals count as one.
    along: Vec<u8>,
    distance: Vec<u8>,
    /// Whether the zones hold all blocks.
    all_awake: bool,
    zones: [RowRanges; 4],
}

impl SleepMap {
    /// Restarts for a grid of `rows` × `blocks_per_row` blocks, all awake.
    pub fn resize(&mut self, rows: usize, blocks_per_row: usize) {
        self.blocks_per_row = blocks_per_row;
        self.steps_at_rest.resize(rows * blocks_per_row, 0);
        // Room for the largest possible number of ranges, every second block: which blocks move changes all the time.
        for RowRanges { first, ranges } in &mut self.zones {
            first.clear();
            first.reserve_exact(rows + 1);
            ranges.clear();
            ranges.reserve_exact(rows * blocks_per_row.div_ceil(2));
        }
        self.all_awake = false;
        self.wake();
    }

    pub fn wake(&mut self) {
        self.steps_at_rest.fill(0);
        self.rebuild_zones();
    }

    /// Wakes the surroundings of a block from the next step on.
    pub fn wake_block(&mut self, block: usize) {
        if let Some(steps_at_rest) = self.steps_at_rest.get_mut(block) {
            *steps_at_rest = 0;
        }
    }

    /// `moves`: whether each block, in turn, contains a moving particle.
    pub fn count_steps(&mut self, moves: impl Iterator<Item = bool>) {
        for (steps_at_rest, moves) in self.steps_at_rest.iter_mut().zip(moves) {
            *steps_at_rest = if moves { 0 } else { steps_at_rest.saturating_add(1) };
        }
        self.rebuild_zones();
    }

    pub fn is_asleep(&self, block: usize) -> bool {
        self.distance[block] > ACTIVE_RADIUS
    }

    /// Returns the slots of the blocks in `row` that belong to `zone`, from left to right.
    pub fn slots<'a>(&'a self, zone: Zone, grid: &'a Grid, row: usize) -> impl Iterator<Item = Range<usize>> + 'a {
        let RowRanges { first, ranges } = &self.zones[zone as usize];
        let ranges = &ranges[first[row] as usize..first[row + 1] as usize];
        ranges.iter().map(move |run| grid.block_slots(row, run.start as usize..run.end as usize))
    }

    pub fn active_slots<'a>(&'a self, grid: &'a Grid, chunk: &RowChunk) -> impl Iterator<Item = Range<usize>> + 'a {
        chunk.rows.clone().flat_map(|row| self.slots(Zone::Active, grid, row))
    }

    /// The batches of `N` particles in `row` that contain a particle of the zone; step through each by `N`.
    #[inline(always)]
    pub fn batches<'a, const N: usize>(
        &'a self,
        zone: Zone,
        grid: &'a Grid,
        row: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut done = 0;
        self.slots(zone, grid, row).map(move |slots| {
            let blocks = (slots.start / N * N).max(done)..slots.end;
            done = done.max(slots.end.next_multiple_of(N));
            blocks
        })
    }

    /// While every block has moved recently, which is the usual case, all blocks are in all zones, and that is noted only once.
    fn rebuild_zones(&mut self) {
        let all_awake = self.steps_at_rest.iter().all(|&steps_at_rest| steps_at_rest < STEPS_TO_SLEEP);
        if all_awake && self.all_awake {
            return;
        }
        self.all_awake = all_awake;
        self.distance_transform();
        let rows = self.steps_at_rest.len() / self.blocks_per_row.max(1);
        for zone in Zone::ALL {
            let RowRanges { first, ranges } = &mut self.zones[zone as usize];
            first.clear();
            ranges.clear();
            for row in 0..rows {
                first.push(ranges.len() as u32);
                let distances = &self.distance[row * self.blocks_per_row..(row + 1) * self.blocks_per_row];
                ranges_within(distances, zone.radius(), ranges);
            }
            first.push(ranges.len() as u32);
            debug_assert!(first.is_sorted() && first.len() == rows + 1, "the rows' ranges are in order");
        }
    }

    /// Along the rows, then across them: exact up to [`FARTHEST`], where diagonals count as one.
    fn distance_transform(&mut self) {
        let Self { blocks_per_row, steps_at_rest, along, distance, .. } = self;
        let is_moving = |&steps_at_rest: &u8| if steps_at_rest < STEPS_TO_SLEEP { 0 } else { u8::MAX };
        along.clear();
        along.extend(steps_at_rest.iter().map(is_moving));
        let relax = |before: u8, distance: &mut u8| {
            *distance = (*distance).min(before.saturating_add(1));
            *distance
        };
        for row in along.chunks_mut((*blocks_per_row).max(1)) {
            row.iter_mut().fold(u8::MAX, relax);
            row.iter_mut().rev().fold(u8::MAX, relax);
        }
        distance.clone_from(along);
        for rows in 1..=FARTHEST {
            let shift = along.len().min(usize::from(rows) * *blocks_per_row);
            let relax = |(distance, other): (&mut u8, &u8)| *distance = (*distance).min((*other).max(rows));
            distance.iter_mut().zip(&along[shift..]).for_each(relax);
            distance[shift..].iter_mut().zip(&*along).for_each(relax);
        }
    }
}

/// Finds the ranges of `distances` that are at most `radius`.
fn ranges_within(distances: &[u8], radius: u8, ranges: &mut Vec<Range<u32>>) {
    let mut from = 0;
    for run in distances.chunk_by(|a, b| (*a <= radius) == (*b <= radius)) {
        let end = from + run.len() as u32;
        ranges.extend((run[0] <= radius).then_some(from..end));
        from = end;
    }
}
