//! TODO describe this room.

pub mod double_density;
pub mod fill;
pub mod particle_liquid;
pub mod phases;
pub mod rest_state;
pub mod rest_stretch;
pub mod separate;
pub mod sph;
pub mod springs;
pub mod targets;
