mod grid_bodies;
pub mod liquid_bodies;
pub(super) mod liquid_cloth;
mod spatial_hash;
pub(super) mod specks;
pub mod submersion;

use crate::sim::StepContext;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::liquid::Liquid;
use crate::sim::rigid::Bodies;

/// Predicts the bodies, and gives their outlines to what flows around them, before it makes a substep.
pub fn begin_with_bodies(
    bodies: &mut Bodies,
    liquid: Option<&mut Liquid>,
    mut grid: Option<&mut GridFluid>,
    env: &StepContext,
) {
    bodies.begin_substep();
    if let Some(grid) = &mut grid {
        grid_bodies::apply_buoyancy(grid, bodies, env);
    }
    if let Some(liquid) = liquid.as_deref().filter(|liquid| liquid.is_sph()) {
        // The half of its last forces that belongs to this substep.
        liquid.apply_reaction(bodies, 0.5 * env.dt);
    }
    bodies.predict(env);
    if let Some(liquid) = liquid {
        liquid_bodies::update_shapes(liquid, bodies, env.gravity.length() * env.dt);
    }
    if let Some(grid) = grid {
        grid_bodies::begin_coupling(grid, bodies, env);
    }
}

/// Moves the bodies by the forces of what flows around them, after it has made a substep.
pub fn end_with_bodies(
    bodies: &mut Bodies,
    liquid: Option<&mut Liquid>,
    grid: Option<&mut GridFluid>,
    env: &StepContext,
) {
    if let Some(grid) = grid {
        grid_bodies::end_coupling(grid, bodies);
    }
    match liquid {
        Some(liquid) => liquid_bodies::end_coupling(liquid, bodies, env),
        None => bodies.solve(env),
    }
}
