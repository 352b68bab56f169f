//! The world and its matter.
