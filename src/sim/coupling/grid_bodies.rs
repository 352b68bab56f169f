//! Bodies in a fluid on a grid: predicted, they become solid cells; one pressure moves both; then the fluid's impulses act on
//! them. The grid has no hydrostatic pressure, so buoyancy is a force of its own.

use crate::sim::StepContext;
use crate::sim::grid_fluid::{GridFluid, ImmersedSolid};
use crate::sim::rigid::Bodies;
use glam::{Vec2, Vec3};

/// The fluid lifts bodies by the weight of the fluid in their place.
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
    let solids = bodies.all().iter().map(|body| ImmersedSolid {
        outline: body.hull(),
        at: body.at,
        velocity: body.velocity.extend(body.angular_velocity),
        contact_delta_v: body.contact_delta_v,
        mass: Vec3::new(body.mass(), body.mass(), body.inertia()),
    });
    fluid.rasterize_bodies(solids, env.gravity.length() * env.dt);
}

pub fn end_coupling(fluid: &GridFluid, bodies: &mut Bodies) {
    for (body, impulse) in bodies.all_mut().iter_mut().zip(fluid.grid().immersed_bodies.impulses()) {
        body.apply_impulse(Vec2::new(impulse.x, impulse.y), body.at);
        body.apply_angular_impulse(impulse.z);
    }
}
