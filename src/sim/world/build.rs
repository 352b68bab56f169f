//! Builds the matter that a scene's tank holds at the start.

use crate::sim::boundary::{Shape, Walls};
use crate::sim::clock::STEP;
use crate::sim::cloth::Cloth;
use crate::sim::coupling::{liquid_bodies, split_off};
use crate::sim::definition::{LiquidRegion, WorldDef};
use crate::sim::grid_fluid::GridFluid;
use crate::sim::heat::HeaterDef;
use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::fill::ThermalVelocity;
use crate::sim::liquid::froude::FroudeScale;
use crate::sim::liquid::particle_liquid::LiquidMethod;
use crate::sim::liquid::phases::PhaseDef;
use crate::sim::liquid::rest_state::RestState;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::sph::{Sph, Start};
use crate::sim::liquid::{fill, sph};
use crate::sim::matter::Matter;
use crate::sim::rigid::Bodies;
use crate::sim::solver::Solver;
use crate::sim::{WorldOptions, grid_fluid};
use glam::Vec2;

/// Creates the matter of a scene's tank, and returns it with the distance from a wall within which walls act on it,
/// metres.
pub fn fill(definition: &WorldDef, setup: &WorldOptions, walls: &Walls, scale: FroudeScale) -> (Vec<Matter>, f32) {
    let mut matter = Vec::new();
    let mut bodies = Bodies::new(definition.body.iter().map(|body| body.build(walls.size())).collect());
    if definition.has_heat() {
        let heat = definition.heat.unwrap_or_default();
        bodies.all_mut().iter_mut().for_each(|body| _ = body.temperature.get_or_insert(heat.temperature.into()));
    }
    let tank = EmptyTank { definition, setup, walls, bodies: &bodies };
    if definition.has_liquid() {
        let mut liquid = DoubleDensityLiquid::new(definition.fluid.at_scale(scale), 0.0);
        liquid.use_instructions(setup.instructions);
        let others = definition.other_phases();
        for phase in &others {
            liquid.add_phase(PhaseDef { fluid: &phase.fluid.at_scale(scale), ..*phase });
        }
        let number = |pool: &LiquidRegion| pool.number_among(&others);
        if definition.has_heat() {
            liquid.enable_heat(definition.heat.unwrap_or_default(), &definition.heater);
        }
        matter.extend(pour(
            &Matter::Liquid(liquid),
            &definition.liquid,
            number,
            &RestState::of(&definition.fluid.pressure),
            &tank,
        ));
    }
    if let Some(sph) = &definition.sph {
        let mut liquid = Sph::new(sph.material, 0.0);
        liquid.use_instructions(setup.instructions);
        matter.extend(pour(&Matter::Sph(liquid), &sph.liquid, |_| 0, &sph::rest(&sph.material), &tank));
    }
    if let Some(medium) = &definition.smoke {
        let cells = medium.cells.or(setup.cells).unwrap_or(grid_fluid::DEFAULT_CELLS);
        let mut fluid = GridFluid::new(medium.clone(), cells, walls);
        if definition.has_liquid() || definition.sph.is_some() {
            fluid.set_shortest_substep(STEP);
        }
        // Beside a liquid it is the air that carries steam: a heater's power goes to the liquid.
        let heat = definition.heat.unwrap_or_default();
        if definition.has_heat() && !definition.has_liquid() {
            fluid.enable_heat(heat, &definition.heater);
        } else if definition.has_heat() && (heat.air_loss > 0.0 || medium.has_heat()) {
            fluid.enable_heat_of_air(heat, &definition.heater);
        }
        matter.push(Matter::GridFluid(fluid));
    }
    if let Some(fabric) = &definition.cloth {
        matter.push(Matter::Cloth(Cloth::new(fabric.clone(), walls.size())));
    }
    if !bodies.all().is_empty() {
        matter.push(Matter::Bodies(bodies));
    }
    connect_heat(&mut matter, &definition.heater);
    let reach = matter.iter().filter_map(|matter| matter.wall_reach()).reduce(f32::max);
    (matter, reach.unwrap_or(0.1 * walls.size().min_element()))
}

/// Connects the vapour of boiling liquids with the air, and tells a liquid whether its air has a temperature.
pub fn connect_heat(matter: &mut [Matter], heaters: &[HeaterDef]) {
    let Some((grid, others)) = split_off(matter, Matter::as_grid_fluid_mut) else { return };
    for liquid in others.filter_map(Matter::as_liquid_mut).filter(|liquid| liquid.heat().is_some()) {
        let phases = (0u8..).zip(liquid.phases().params());
        let boiling = phases.filter_map(|(phase, fluid)| Some((phase, fluid.thermal.condensate()?)));
        grid.enable_vapor(boiling, heaters);
        if grid.has_temperature() {
            liquid.share_heat_with_air();
        }
    }
}

/// Updates a matter's parameters to the present definition.
pub fn set_params(matter: &mut Matter, definition: &WorldDef, scale: FroudeScale) {
    match matter {
        Matter::Liquid(liquid) => liquid.set_fluid(definition.fluid.at_scale(scale)),
        Matter::Sph(sph) => definition.sph.iter().for_each(|def| sph.set_params(def.material)),
        Matter::GridFluid(fluid) => definition.smoke.iter().for_each(|def| fluid.set_params(def)),
        Matter::Cloth(cloth) => definition.cloth.iter().for_each(|def| cloth.set_params(def)),
        Matter::Bodies(bodies) => bodies.set_materials(definition.body.iter().map(|body| &body.material)),
    }
}

/// A tank before its liquids are in it.
struct EmptyTank<'a> {
    definition: &'a WorldDef,
    setup: &'a WorldOptions,
    walls: &'a Walls,
    bodies: &'a Bodies,
}

/// Creates the liquid of `pools`, of the kind of `empty`; `number` gives each pool's phase.
fn pour(
    empty: &Matter,
    pools: &[LiquidRegion],
    number: impl Fn(&LiquidRegion) -> u8,
    rest: &RestState,
    tank: &EmptyTank,
) -> Option<Matter> {
    let EmptyTank { definition, setup, walls: tank, bodies } = *tank;
    let walls = &bodies.as_obstacles(tank);
    let count = setup.particles.unwrap_or(definition.particles).max(1);
    let shapes: Vec<Shape> = pools.iter().map(|pool| pool.region.shape(walls.size())).collect();
    let (places, h) = fill::fill(&shapes, walls, rest, count, setup.seed);
    let mut liquid = empty.empty_copy(h)?;
    liquid.particles_mut()?.reserve(places.len());
    let mut jitter = vec![ThermalVelocity::default(); pools.len()];
    let mut rng = fastrand::Rng::with_seed(setup.seed ^ 0x6a69_7474_6572);
    let mut next_id = 0;
    for &place in &places {
        let Some(pool) = pool_of(&shapes, place) else { continue };
        let velocity = Vec2::from(pools[pool].velocity) + jitter[pool].next(pools[pool].thermal_speed, &mut rng);
        liquid.add_with_phase(number(&pools[pool]), place, velocity);
        pools[pool].temperature.into_iter().for_each(|temperature| liquid.set_temperature(next_id, temperature));
        next_id += 1;
    }
    liquid.fit(walls);
    if let Matter::Sph(sph) = &mut liquid {
        let owners: Vec<usize> = places.iter().filter_map(|&place| pool_of(&shapes, place)).collect();
        let mut pools: Vec<Start> = shapes.iter().map(|shape| Start::new(stands(shape))).collect();
        liquid_bodies::update_body_shapes(sph.coupling().body_contacts, bodies);
        sph.find_places(&mut pools, |id| owners[id as usize], definition.gravity, tank);
    }
    liquid.create_springs(|_| RestStretch::REST);
    Some(liquid)
}

/// Height of a pool's surface, if it stands on the floor with level sides.
fn stands(shape: &Shape) -> Option<f32> {
    let (min, max) = shape.bounds();
    (matches!(shape, Shape::Box { .. }) && min.y <= 0.0).then_some(max.y)
}

/// The first pool that contains a place, or the nearest: places are shaken, so one may lie just outside its own.
fn pool_of(shapes: &[Shape], place: Vec2) -> Option<usize> {
    let far = |shape: &Shape| shape.contact(place).distance.max(0.0);
    (0..shapes.len()).min_by(|&a, &b| far(&shapes[a]).total_cmp(&far(&shapes[b])))
}
