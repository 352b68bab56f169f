//! Fluids, bodies and cloth against physical laws, and every scene.

mod air;
mod bodies;
mod clavet;
mod cloth;
mod convection;
mod grid_pressure;
mod heat;
mod laws;
mod life;
mod liquid;
mod phases;
mod play;
mod scenes;
mod sleep;
mod smoke;
mod sources;
mod sph;
mod whitewater;

#[path = "../support/oracle.rs"]
mod oracle;
#[path = "../support/picture.rs"]
mod picture;
