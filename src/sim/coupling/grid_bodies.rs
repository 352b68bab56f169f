//! Bodies in a fluid on a grid: it flows round them and drags them along (see [`crate::sim::grid_fluid`], `immersed_bodies.rs`).
//!
//! ```text
//! lift   what the fluid weighs pushes bodies up                  Archimedes; its grid knows no resting pressure
//!        (the bodies set out)
//! meet   their shapes and velocities become solid cells
//!        (the fluid steps: one pressure moves both)
//! part   what it has given to each
//!        (the bodies arrive)
//! ```

use crate::sim::boundary::convex::Hull;
use crate::sim::coupling::split_off;
use crate::sim::grid_fluid::{GridFluid, ImmersedSolid};
use crate::sim::rigid::{Bodies, Body};
use crate::sim::{Matter, StepContext};
use glam::Vec2;

/// Returns the fluid and the bodies of a tank that has both.
fn fluid_and_bodies(matter: &mut [Matter]) -> Option<(&mut GridFluid, &mut Bodies)> {
    let (bodies, mut others) = split_off(matter, Matter::as_bodies_mut)?;
    Some((others.find_map(Matter::as_grid_fluid_mut)?, bodies))
}

/// Applies buoyancy: the fluid lifts bodies by the weight of the fluid in their place.
pub fn apply_buoyancy(matter: &mut [Matter], env: &StepContext) {
    let Some((fluid, bodies)) = fluid_and_bodies(matter) else { return };
    // The flow around bodies never comes to rest, so bodies in it do not sleep.
    bodies.report_motion(true);
    let density = fluid.definition().density;
    for body in bodies.all_mut() {
        body.velocity -= env.gravity * env.dt * (density / body.material().density);
    }
}

/// Turns the predicted bodies into solid cells.
pub fn begin_coupling(matter: &mut [Matter], env: &StepContext) {
    if let Some((fluid, bodies)) = fluid_and_bodies(matter) {
        fluid.rasterize_bodies(bodies.all(), env.gravity.length() * env.dt);
    }
}

/// Applies the fluid's impulses to the bodies.
pub fn end_coupling(matter: &mut [Matter]) {
    let Some((fluid, bodies)) = fluid_and_bodies(matter) else { return };
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
