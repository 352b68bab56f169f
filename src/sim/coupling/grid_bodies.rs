//! Bodies in a fluid on a grid: predicted, they become solid cells; one pressure moves both; then the fluid's impulses act on
//! them. The grid has no hydrostatic pressure, so buoyancy is a force of its own.

use crate::sim::StepContext;
use crate::sim::grid_fluid::{GridFluid, ImmersedBody};
use crate::sim::rigid::Bodies;
use glam::{Vec2, Vec3};

/// The fluid lifts bodies by the weight of the fluid in their place.
pub fn apply_buoyancy(fluid: &GridFluid, bodies: &mut Bodies, env: &StepContext) {
    // The flow around bodies never comes to rest, so bodies in it do not sleep.
    bodies.neighbor_moved = true;
    let density = fluid.definition.density;
    for body in &mut bodies.all {
        body.velocity -= env.gravity * env.dt * (density / body.material.density);
    }
}

/// Turns the predicted bodies into solid cells.
pub fn begin_coupling(fluid: &mut GridFluid, bodies: &Bodies, env: &StepContext) {
    let (density, weight) = (fluid.definition.density, env.gravity.length() * env.dt);
    let all = &mut fluid.grid.immersed_bodies;
    all.resize_with(bodies.all.len(), ImmersedBody::default);
    for (immersed, body) in all.iter_mut().zip(&bodies.all) {
        immersed.outline.place(&body.hull, Vec2::ZERO, Vec2::X);
        immersed.at = body.at;
        // What contacts removed in the last substep they will remove again, up to the weight: else the fluid would flow as if a
        // body at rest on the floor began to fall anew in every substep.
        let held = body.contact_delta_v.clamp_length_max(weight);
        immersed.velocity = (body.velocity + held).extend(body.angular_velocity);
        immersed.inverse_mass = density / Vec3::new(body.mass, body.mass, body.inertia);
        (immersed.impulse, immersed.held) = (Vec3::ZERO, body.contact_delta_v != Vec2::ZERO);
    }
    fluid.rasterize_bodies();
}

pub fn end_coupling(fluid: &GridFluid, bodies: &mut Bodies) {
    for (body, immersed) in bodies.all.iter_mut().zip(&fluid.grid.immersed_bodies) {
        let impulse = fluid.definition.density * immersed.impulse;
        body.apply_impulse(impulse.truncate(), body.at);
        body.apply_angular_impulse(impulse.z);
    }
}
