//! Neighbour search: a uniform grid filled by counting sort. Rows are one interaction radius `h` high and columns a quarter of it
//! wide, so all candidates of one row for a particle are a single contiguous run of slots, four columns to each side. A pair is
//! visited once: a particle looks to the right along its own row and along the row above, never below.

mod grid;
mod layout;
pub mod pairs;
pub mod row_chunks;
pub mod separate;
pub mod sleep_map;
mod sort;

pub use grid::Grid;
pub use layout::WIDTH;
pub use pairs::{Lanes, Offset, PairKernel};
pub use row_chunks::{RowChunk, Split, Stretch, parallel_for, parallel_for_coarse};
pub use sleep_map::{SLEEP_SPEED, STEPS_TO_SLEEP, SleepMap, Zone};
