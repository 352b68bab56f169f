//! Liquids made of particles: what the two methods share, and the methods.
//!
//! ```text
//! double_density   Clavet, Beaudoin & Poulin 2005
//! sph              Müller, Charypar & Gross 2003
//! particle_liquid  what both stand on, and what pictures, measurements and couplings ask of either
//! fluid            the parameters of the first; phases: several fluids in one tank; springs: elastic and plastic ones
//! froude           how the figures of a fluid go with the size of a tank and its gravity
//! rest_state       a liquid at rest; fill: its particles at the start; targets: places that particles are drawn to
//! whitewater       spray, foam, bubbles and embers, which push nothing
//! thermal          what a fluid makes of heat; heat: the heat of each particle
//! body_contacts    the particles near each body; region_probe, statistics: measurements
//! ```

pub mod body_contacts;
pub mod double_density;
pub mod fill;
pub mod fluid;
pub mod froude;
pub mod heat;
pub mod particle_liquid;
pub mod phases;
pub mod region_probe;
pub mod rest_state;
pub mod rest_stretch;
mod solver;
pub mod sph;
pub mod springs;
pub mod statistics;
pub mod targets;
pub mod thermal;
pub mod whitewater;

/// Maximum number of fluids in one tank.
pub const MAX_PHASES: usize = 4;

/// A linear ramp: 0 at `from`, 1 at `to`.
fn ramp(value: f32, [from, to]: [f32; 2]) -> f32 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}
