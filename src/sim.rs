//! The simulation: numerics alone. It knows no terminal, no wall clock, no files, no text format and no colours by name. Each
//! floor imports only from those below it: world; coupling; liquid, grid_fluid, cloth and rigid; particles, neighbors, boundary
//! and parallel.

mod band_matrix;
pub mod boundary;
pub mod clock;
pub mod cloth;
pub mod coupling;
pub mod definition;
pub mod forces;
pub mod grid_fluid;
pub mod heat;
pub mod life;
pub mod liquid;
pub mod neighbors;
pub mod observer;
pub mod parallel;
pub mod parameters;
pub mod particles;
mod poisson;
pub mod rigid;
mod runge_kutta_legendre;
pub mod statistics;
mod step_context;
pub mod world;

pub use definition::ASPECTS;
pub use step_context::StepContext;
pub use world::{MAX_PARTICLES, PARALLEL_THRESHOLD, World, WorldOptions};
