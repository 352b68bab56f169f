//! The fluids that there are to choose from, and what they are made of: data, as scenes and palettes are.

/// Different fluids that one tank may hold.
pub const MOST_FLUIDS: usize = 4;
