//! Neighbour search: a uniform grid filled by counting sort.
//!
//! Rows are one interaction radius `h` high and columns a quarter of it wide, so all candidates of one row for a
//! particle are a single contiguous run of slots, from four columns left of it to four columns right. A pair is visited
//! once: a particle looks to the right along its own row and along the row above, never below.
//!
//! Columns of h/4 make the run shorter than columns of h would, by the slack on both sides.

mod grid;
mod layout;
pub mod pairs;
pub mod row_chunks;
pub mod separate;
pub mod sleep_map;
mod sort;

pub use grid::Grid;
pub use layout::WIDTH;
