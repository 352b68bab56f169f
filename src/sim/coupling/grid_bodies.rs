//! Bodies in a fluid on a grid: it flows round them and drags them along (see [`crate::sim::grid_fluid`],
//! `immersed_bodies.rs`).
//!
//! ```text
//! apply_buoyancy  the fluid lifts bodies by its weight in their place   Archimedes; the grid has no hydrostatic pressure
//!                 (the bodies are predicted)
//! begin_coupling  their shapes and velocities become solid cells
//!                 (the fluid makes its substep: one pressure moves both)
//! end_coupling    the fluid's impulses act on the bodies
//!                 (the bodies are solved)
//! ```

use crate::sim::StepContext;
use crate::sim::boundary::convex::Hull;
use crate::sim::grid_fluid::{GridFluid, ImmersedSolid};
use crate::sim::rigid::{Bodies, Body};
use glam::Vec2;

/// Applies buoyancy: the fluid lifts bodies by the weight of the fluid in their place.
pub fn apply_buoyancy(fluid: &GridFluid, bodies: &mut Bodies, env: &StepContext) {
    // The flow around bodies never comes to rest, so bodies in it do not sleep.
    bodies.report_motion(true);
    let density = fluid.definition().density;
    for body in bodies.all_mut() {
        body.velocity -= env.gravity * env.dt * (density / body.material().density);
    }
}

/// Turns the predicted bodies into solid cells.
pub fn begin_coupling(fluid: &mut GridFluid, bodies: &Bodies, env: &StepContext) {
    fluid.rasterize_bodies(bodies.all(), env.gravity.length() * env.dt);
}

/// Applies the fluid's impulses to the bodies.
pub fn end_coupling(fluid: &GridFluid, bodies: &mut Bodies) {
    for (body, impulse) in bodies.all_mut().iter_mut().zip(fluid.impulses()) {
        body.apply_impulse(Vec2::new(impulse.x, impulse.y), body.at);
        body.apply_angular_impulse(impulse.z);
    }
}

impl ImmersedSolid for Body {
    fn outline(&self) -> &Hull {
        self.hull()
    }

    fn center(&self) -> Vec2 {
        self.at
    }

    fn velocity(&self) -> Vec2 {
        self.velocity
    }

    fn angular_velocity(&self) -> f32 {
        self.angular_velocity
    }

    fn contact_delta_v(&self) -> Vec2 {
        self.contact_delta_v
    }

    fn mass(&self) -> f32 {
        Body::mass(self)
    }

    fn inertia(&self) -> f32 {
        Body::inertia(self)
    }
}
