use crate::sim::MAX_PARTICLES;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::clock::STEP;
use crate::sim::cloth::Cloth;
use crate::sim::coupling::liquid_bodies;
use crate::sim::definition::{LiquidRegion, WorldDef, number_among};
use crate::sim::grid_fluid::{Dye, GridFluid, GridFluidDef};
use crate::sim::heat::HeaterDef;
use crate::sim::life::Life;
use crate::sim::liquid::fill::{self, Resolution, ThermalVelocity};
use crate::sim::liquid::settle::Start;
use crate::sim::liquid::{FroudeScale, Liquid, PhaseDef};
use crate::sim::rigid::{Bodies, Body};
use crate::sim::{WorldOptions, grid_fluid};
use glam::Vec2;

/// Cells of the air that a boiling liquid gets: steam is smooth.
const CELLS_OF_AIR: usize = 3000;

pub struct Contents {
    pub liquid: Option<Liquid>,
    pub grid: Option<GridFluid>,
    pub cloth: Option<Cloth>,
    pub bodies: Option<Bodies>,
    pub life: Option<Life>,
}

impl Contents {
    pub fn new(definition: &WorldDef, setup: &WorldOptions, walls: &Walls, scale: FroudeScale) -> Self {
        let mut bodies = Bodies::new(definition.body.iter().map(|body| body.build(walls.size())).collect());
        bodies.separate(walls);
        let heat = definition.heat.unwrap_or_default();
        if definition.has_heat() {
            bodies.all.iter_mut().for_each(|body| _ = body.temperature.get_or_insert(heat.temperature.into()));
        }
        let is_lifeless = definition.fish.is_empty() && definition.weed.is_empty() && definition.bubbles.is_empty();
        let life = (!is_lifeless).then(|| {
            let pools = definition.liquid.iter().chain(definition.sph.iter().flat_map(|sph| &sph.liquid));
            let pools: Vec<Shape> = pools.map(|pool| pool.region.shape(walls.size())).collect();
            let defs = (&*definition.fish, &*definition.weed, &*definition.bubbles);
            Life::new(defs, &pools, walls, &mut bodies, setup.seed)
        });
        let mut liquid = if definition.has_liquid() {
            let mut liquid = Liquid::new(definition.tank_fluid().at_scale(scale), 0.0);
            let others = definition.other_phases();
            for phase in &others {
                liquid.add_phase(PhaseDef { fluid: &phase.fluid.at_scale(scale), ..*phase });
            }
            if definition.has_heat() {
                liquid.enable_heat(heat, &definition.heater);
            }
            let number = |pool: &LiquidRegion| number_among(&pool.fluid, &pool.fluid_label, &others).unwrap_or(0);
            Some(pour(liquid, &definition.liquid, number, (definition, setup), (walls, &bodies)))
        } else {
            definition.sph.as_ref().map(|sph| {
                let liquid = Liquid::wcsph(sph.material, 0.0);
                pour(liquid, &sph.liquid, |_| 0, (definition, setup), (walls, &bodies))
            })
        };
        let mut grid = definition.smoke.as_ref().map(|medium| {
            let cells = medium.cells.or(setup.cells).unwrap_or(grid_fluid::DEFAULT_CELLS);
            let mut grid = GridFluid::new(medium.clone(), cells, walls);
            grid.use_instructions(setup.instructions);
            if liquid.is_some() {
                grid.shortest_substep = STEP;
            }
            if definition.has_heat() && (!definition.has_liquid() || heat.air_loss > 0.0 || medium.has_heat()) {
                grid.enable_heat(heat, &heaters_of_grid(definition));
            }
            grid
        });
        if let (Some(liquid), Some(grid)) = (&mut liquid, &mut grid) {
            connect_heat(liquid, grid, definition);
        }
        let cloth = definition.cloth.as_ref().map(|fabric| {
            let mut cloth = Cloth::new(fabric.clone(), walls.size());
            cloth.use_instructions(setup.instructions);
            cloth
        });
        let bodies = Some(bodies).filter(|bodies| life.is_some() || !bodies.all.is_empty());
        Self { liquid, grid, cloth, bodies, life }
    }

    /// Distance within which walls act on any of it, metres. `spawn_at` sets that of an empty tank.
    pub fn support_radius(&self, walls: &Walls) -> f32 {
        let each = [
            self.liquid.as_ref().map(Liquid::wall_reach),
            self.grid.as_ref().map(GridFluid::wall_reach),
            self.cloth.as_ref().map(Cloth::support_radius),
        ];
        each.into_iter().flatten().reduce(f32::max).unwrap_or(walls.support_radius())
    }
}

/// The air that takes the steam of a liquid in a scene without one.
pub fn air(walls: &Walls) -> GridFluid {
    let dye = vec![Dye::steam()];
    let definition = GridFluidDef { cells: Some(CELLS_OF_AIR), density: 0.0012, dye, ..GridFluidDef::default() };
    let mut air = GridFluid::new(definition, CELLS_OF_AIR, walls);
    air.shortest_substep = STEP;
    air
}

/// Connects the vapour of a boiling liquid with the air, and tells the liquid whether its air has a temperature.
pub fn connect_heat(liquid: &mut Liquid, grid: &mut GridFluid, definition: &WorldDef) {
    if liquid.heat().is_none() {
        return;
    }
    // The vapour of a solid is that of its melt.
    let phases = (0u8..).zip(&liquid.phases().params).filter(|&(phase, _)| !liquid.phases().is_solid(phase));
    let boiling = phases.map(|(phase, fluid)| (phase, fluid.thermal)).filter(|(_, thermal)| thermal.boiling_heat > 0.0);
    grid.enable_vapor(boiling, &heaters_of_grid(definition));
    if let Some((conduction, _)) = liquid.heated() {
        conduction.heat.has_air = grid.has_temperature();
    }
}

/// The heaters of a scene as its grid feels them: beside a liquid, which gets their power, only the walls that they keep.
pub fn heaters_of_grid(definition: &WorldDef) -> Vec<HeaterDef> {
    let power = |heater: &HeaterDef| heater.power.filter(|_| !definition.has_liquid());
    definition.heater.iter().map(|heater| HeaterDef { power: power(heater), ..heater.clone() }).collect()
}

/// Creates the liquid of `pools`, of the kind of the empty `liquid`; `number` gives each pool's phase.
fn pour(
    mut liquid: Liquid,
    pools: &[LiquidRegion],
    number: impl Fn(&LiquidRegion) -> u8,
    (definition, setup): (&WorldDef, &WorldOptions),
    (tank, bodies): (&Walls, &Bodies),
) -> Liquid {
    // Particles may be added where there is no body.
    let walls = &tank.with(bodies.all.iter().map(Body::shape));
    let resolution = match (setup.particles, definition.interaction_radius) {
        (None, Some(h)) => Resolution::Radius(h),
        (count, _) => Resolution::Count(count.unwrap_or(definition.particles).clamp(1, MAX_PARTICLES)),
    };
    let shapes: Vec<Shape> = pools.iter().map(|pool| pool.region.shape(walls.size())).collect();
    liquid.use_instructions(setup.instructions);
    let (places, h) = fill::fill(&shapes, walls, &liquid.store.rest, resolution, setup.seed);
    liquid.store.h = h;
    liquid.store.particles.reserve(places.len());
    let mut jitter = vec![ThermalVelocity::default(); pools.len()];
    let mut rng = fastrand::Rng::with_seed(setup.seed ^ 0x6a69_7474_6572);
    for &place in &places {
        let Some(pool) = pool_of(&shapes, place) else { continue };
        let velocity = Vec2::from(pools[pool].velocity) + jitter[pool].next(pools[pool].thermal_speed, &mut rng);
        liquid.add_with_phase(number(&pools[pool]), place, velocity);
        if pools[pool].temperature.is_some() {
            liquid.set_temperature_of_last(pools[pool].temperature);
        }
    }
    liquid.fit(walls);
    if liquid.is_sph() {
        let owners: Vec<usize> = places.iter().filter_map(|&place| pool_of(&shapes, place)).collect();
        let mut pools: Vec<Start> = shapes.iter().map(|shape| Start { standing: stands(shape), energy: 0.0 }).collect();
        liquid_bodies::update_shapes(&mut liquid, bodies, 0.0);
        liquid.find_places(&mut pools, |id| owners[id as usize], definition.gravity, tank);
    }
    liquid.create_springs();
    liquid
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
