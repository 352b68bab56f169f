//! The temperature of a fluid on a grid: advected and diffused as a dye is, through walls that are kept at a temperature as
//! well, and lifting the fluid (Boussinesq 1903).

use crate::math::Elementary;
use crate::sim::StepContext;
use crate::sim::clock::STEP;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::grid_fluid::advect::MIDDLE;
use crate::sim::grid_fluid::definition::GridFluidDef;
use crate::sim::grid_fluid::diffuse::{Diffusion, DiffusionStep, FixedNeighbor};
use crate::sim::grid_fluid::forces::{circle, each_cell_in, inside};
use crate::sim::grid_fluid::mac_grid::{FieldLocation, MacGrid};
use crate::sim::grid_fluid::transport::Transport;
use crate::sim::heat::exchange::{self, Neighbor};
use crate::sim::heat::heaters::Heaters;
use crate::sim::heat::{ABSOLUTE_ZERO, HeatDef, HeaterDef};
use crate::sim::statistics::Stats;
use glam::Vec2;

/// Mass of a square metre of density 1 per metre of depth, kg: water's.
const WATER_DENSITY: f32 = 1000.0;

/// A fluid in which a temperature changes faster than this, K/s, is not at rest.
const CHANGING: f32 = 0.05;

/// Minimum distance from the centre of a cell to an obstacle's surface, in cells: nearer, the coupling would grow without bound.
const LEAST_DISTANCE: f32 = 0.25;

/// Rate at which a hot or cold brush changes the temperature under it, K/s, and the temperatures beyond which it has no effect,
/// °C. Half of the rate in a liquid, because air is stirred by it at once.
const HAND_RATE: f32 = 50.0;
const HAND_LIMITS: (f32, f32) = (-60.0, 300.0);

#[derive(Clone, Debug, Default)]
pub struct GridHeat {
    def: HeatDef,
    heaters: Heaters,
    /// By cell: K above the tank's temperature, on which buoyancy depends.
    excess: Vec<f32>,
    /// Cells beside walls that are kept at a temperature, by the axis across the wall.
    fixed: [Vec<FixedNeighbor>; 2],
    beside_liquid: bool,
    /// Heat received through walls, from heaters and by brushes, J/m.
    received: f64,
    before: Vec<f32>,
    /// The fastest change in the last step, K/s.
    fastest_change: f32,
    /// Number of cells that are not solid, counted when walls or bodies were first there: bodies that move change it from step to
    /// step, but not the amount of fluid.
    cells: Option<f64>,
}

impl GridHeat {
    fn new(grid: &MacGrid, def: HeatDef, heaters: Heaters) -> Self {
        Self {
            def,
            heaters,
            excess: vec![0.0; grid.len()],
            before: vec![0.0; grid.len()],
            fastest_change: f32::INFINITY,
            ..Self::default()
        }
    }

    fn fit(&mut self, grid: &MacGrid) {
        self.heaters.fit(grid.size());
        self.fixed.iter_mut().for_each(Vec::clear);
        let own = self.def.temperature;
        let Self { fixed, heaters, .. } = self;
        each_wall_kept_at(grid, heaters, |axis, wall| {
            fixed[axis].push(FixedNeighbor { value: wall.value - own, ..wall });
        });
        self.cells = None;
    }

    /// Heat flow through each side of the tank, W/m, and the mean temperature of its kept walls: left, right, floor, ceiling.
    fn through_sides(&self, grid: &MacGrid, conductance: f32) -> [Option<(f64, f64)>; 4] {
        let mut sides = [(0.0, 0.0, 0.0); 4];
        for (number, fixed) in self.fixed.iter().enumerate() {
            let (axis, lengths) = if number == 0 {
                (&grid.x, grid.cell_size.y / grid.cell_size.x)
            } else {
                (&grid.y, grid.cell_size.x / grid.cell_size.y)
            };
            for it in fixed {
                let cell = it.cell as usize;
                let k = if number == 0 { cell % grid.stride } else { cell / grid.stride };
                let side = &mut sides[2 * number + usize::from(2 * k > axis.cells)];
                let flow = conductance * lengths * it.weight * (it.value - self.excess[cell]);
                *side = (side.0 + f64::from(flow), side.1 + f64::from(it.value), side.2 + 1.0);
            }
        }
        sides.map(|(flow, sum, count)| (count > 0.0).then(|| (flow, sum / count)))
    }

    /// Nusselt number: heat flow from one side to the opposite one over that of conduction alone. Zero where no two opposite
    /// sides are kept at different temperatures.
    fn nusselt(&self, grid: &MacGrid) -> f64 {
        let size = grid.size().as_dvec2();
        let [left, right, floor, ceiling] = self.through_sides(grid, 1.0);
        for (low, high, shape) in [(left, right, size.y / size.x), (floor, ceiling, size.x / size.y)] {
            if let (Some((into, cold)), Some((out, warm))) = (low, high)
                && cold != warm
            {
                return 0.5 * (out - into) / ((warm - cold) * shape);
            }
        }
        0.0
    }

    /// Whether its walls have different temperatures. Then heat flows for ever, and convection may start however slow
    /// the flow is.
    fn is_driven(&self) -> bool {
        let mut values = self.fixed.iter().flatten().map(|it| it.value);
        let first = values.next();
        (!self.beside_liquid && self.heaters.powered().next().is_some()) || values.any(|value| Some(value) != first)
    }

    /// Shifts the temperature everywhere so that its mean above the tank's is `wanted`, K.
    fn shift_mean_to(&mut self, grid: &MacGrid, wanted: f32) {
        let more = wanted - mean(grid, &self.excess);
        self.excess.iter_mut().for_each(|excess| *excess += more);
        grid.apply_cell_boundary(&mut self.excess);
    }

    /// Advects and diffuses the heat; returns the inflow of heat through walls, in kelvins of a cell.
    fn carry(
        &mut self,
        grid: &MacGrid,
        transport: &mut Transport,
        diffusion: &mut Diffusion,
        rate: f32,
        dt: f32,
    ) -> f64 {
        let mut received = 0.0;
        let Self { excess, .. } = self;
        let bodies = !grid.immersed_bodies.is_empty();
        let sum = if bodies { mean(grid, excess) } else { 0.0 };
        transport.carry(grid, excess);
        if bodies && grid.is_closed() {
            self.shift_mean_to(grid, sum);
        }
        let Self { excess, before, fixed, .. } = self;
        if rate > 0.0 {
            let walls = fixed.iter().any(|fixed| !fixed.is_empty());
            let carried = if walls { grid.sum(excess) } else { 0.0 };
            let at_walls = [&fixed[0][..], &fixed[1]];
            diffusion.diffuse(grid, excess, &DiffusionStep { field: FieldLocation::Cells, rate, dt, fixed: at_walls });
            received = if walls { grid.sum(excess) - carried } else { 0.0 };
            grid.apply_cell_boundary(excess);
            // So that a value read beside a wall lies between the last cell's and the wall's.
            for (axis, fixed) in [&grid.x, &grid.y].into_iter().zip(fixed) {
                for it in fixed {
                    let cell = it.cell as usize;
                    let k = if axis.step == 1 { cell % grid.stride } else { cell / grid.stride };
                    let inner = excess[cell];
                    if k == 1 {
                        excess[cell - axis.step] = 2.0 * it.value - inner;
                    } else if k == axis.cells {
                        excess[cell + axis.step] = 2.0 * it.value - inner;
                    }
                }
            }
        }
        let cells = grid.cells();
        let change = cells.map(|at| (excess[at] - before[at]).abs()).fold(0.0, f32::max);
        self.fastest_change = change / dt;
        received
    }
}

/// For the cells beside walls that heaters keep at a temperature, °C, with the axis across the wall: 0 is x.
pub(super) fn each_wall_kept_at(grid: &MacGrid, heaters: &Heaters, mut with: impl FnMut(usize, FixedNeighbor)) {
    if !heaters.keep_walls() {
        return;
    }
    for cell in grid.fluid_cells() {
        let (i, j) = (cell % grid.stride, cell / grid.stride);
        let place = Vec2::new(i as f32, j as f32);
        for (axis, faces, by) in [(&grid.x, &grid.face_fraction_x, Vec2::X), (&grid.y, &grid.face_fraction_y, Vec2::Y)]
        {
            let k = if axis.step == 1 { i } else { j };
            for (face, sign, is_end, end) in [(cell, -1.0, k == 1, 0), (cell + axis.step, 1.0, k == axis.cells, 1)] {
                let closed = 1.0 - faces[face];
                if closed <= 0.0 || (is_end && !axis.ends[end].rule().is_wall) {
                    continue;
                }
                // Half a cell to the tank's side; to an obstacle, the distance of its surface.
                let distance = if is_end { 0.5 } else { distance_to_obstacle(grid, cell) };
                let reach = if is_end { 0.5 } else { distance + LEAST_DISTANCE };
                let Some(value) = heaters.wall_temperature(grid.at(place + sign * reach * by)) else { continue };
                with(
                    usize::from(axis.step != 1),
                    FixedNeighbor { cell: cell as u32, weight: closed / distance, value },
                );
            }
        }
    }
}

/// Distance from the centre of a cell to the nearest obstacle, in cells.
fn distance_to_obstacle(grid: &MacGrid, cell: usize) -> f32 {
    let corners = [cell, cell + 1, cell + grid.stride, cell + grid.stride + 1];
    let middle: f32 = corners.into_iter().map(|corner| 0.25 * grid.static_sdf[corner]).sum();
    (middle / grid.cell_size.min_element()).clamp(LEAST_DISTANCE, 1.0)
}

impl GridFluid {
    /// Gives the fluid a temperature.
    pub fn enable_heat(&mut self, def: HeatDef, heaters: &[HeaterDef]) {
        let mut heat = GridHeat::new(&self.grid, def, Heaters::new(heaters));
        heat.fit(&self.grid);
        for initial in &self.definition.initial_dye {
            let Some(temperature) = initial.temperature else { continue };
            let shape = initial.region.shape(self.grid.size());
            for at in self.grid.cells() {
                let fraction = inside(&self.grid, &shape, at);
                heat.excess[at] += fraction * (temperature - def.temperature - heat.excess[at]);
            }
        }
        self.grid.apply_cell_boundary(&mut heat.excess);
        self.heat = Some(Box::new(heat));
    }

    /// As `enable_heat`, for the air over a liquid: the power of heaters goes into the liquid.
    pub(in crate::sim) fn enable_heat_of_air(&mut self, def: HeatDef, heaters: &[HeaterDef]) {
        self.enable_heat(def, heaters);
        let Self { grid, heat: Some(heat), .. } = self else { return };
        heat.beside_liquid = true;
        heat.fit(grid);
    }

    /// Exchanges heat with an object of `temperature` °C and heat `capacity` (J/K per metre of depth) through `conductance` (J/K
    /// in this step); returns the heat that the object gets, J/m. It is the exact solution for two uniform temperatures.
    pub(in crate::sim) fn exchange_heat(&mut self, at: Vec2, temperature: f64, conductance: f64, capacity: f64) -> f64 {
        let Self { grid, heat: Some(heat), definition, .. } = self else { return 0.0 };
        let cell = grid.cell_at(at);
        if grid.is_solid(cell) {
            return 0.0;
        }
        let own = f64::from(heat_capacity(definition, grid));
        let both = own * capacity / (own + capacity);
        let share = exchange::fraction(conductance / both);
        let before = heat.excess[cell];
        let warmer = f64::from(heat.def.temperature) + f64::from(before) - temperature;
        heat.excess[cell] = before - (share * warmer * both / own) as f32;
        // The heat that the cell has lost, after rounding.
        (f64::from(before) - f64::from(heat.excess[cell])) * own
    }

    /// Exchanges a step's heat with a body of `temperature` °C and heat `capacity` J/K, by conduction from its surface to the
    /// centres of the cells beside it; returns the body's new temperature.
    pub(in crate::sim) fn exchange_heat_with_body(&mut self, body: usize, temperature: f64, capacity: f64) -> f64 {
        let Self { grid, heat: Some(heat), definition, .. } = self else { return temperature };
        let own = f64::from(heat_capacity(definition, grid));
        // κ over the area of a cell, times the step.
        let rate = f64::from(STEP * definition.conductivity / (grid.cell_size.x * grid.cell_size.y));
        let taken = |across: f32| own * exchange::fraction(rate * f64::from(across));
        let neighbors = grid
            .cells_at_body(body)
            .map(|(cell, across)| Neighbor { conductance: taken(across), temperature: f64::from(heat.excess[cell]) });
        let tank = f64::from(heat.def.temperature);
        let after = exchange::with_body(temperature - tank, capacity, neighbors);
        let mut given = 0.0;
        for (cell, across) in grid.cells_at_body(body) {
            let before = heat.excess[cell];
            heat.excess[cell] = before + (taken(across) * (after - f64::from(before)) / own) as f32;
            // The heat that the cell has received, after rounding.
            given += (f64::from(heat.excess[cell]) - f64::from(before)) * own;
        }
        temperature - given / capacity
    }

    /// Temperature at a place, °C, if it has one.
    pub fn temperature(&self, at: Vec2) -> Option<f32> {
        let heat = self.heat.as_deref()?;
        Some(heat.def.temperature + self.read(&heat.excess, MIDDLE, at))
    }

    /// Sets the temperature everywhere, °C, if it has one.
    pub fn set_temperature(&mut self, temperature: impl Fn(Vec2) -> f32) {
        let Self { grid, heat: Some(heat), .. } = self else { return };
        for at in grid.cells() {
            heat.excess[at] = temperature(grid.center(at)) - heat.def.temperature;
        }
        grid.apply_cell_boundary(&mut heat.excess);
    }

    /// Transfers the temperature of another grid of the same tank.
    pub(super) fn take_heat(&mut self, old: &GridFluid, per: Vec2) {
        let Some(from) = old.heat.as_deref() else { return };
        let mut heat = GridHeat::new(&self.grid, from.def, Heaters::new(&from.heaters.defs));
        for at in self.grid.cells() {
            heat.excess[at] = old.read(&from.excess, MIDDLE, self.grid.center(at) * per);
        }
        (heat.beside_liquid, heat.received) = (from.beside_liquid, from.received);
        self.heat = Some(Box::new(heat));
    }

    pub(super) fn fit_heat(&mut self) {
        let Self { grid, heat: Some(heat), .. } = self else { return };
        heat.fit(grid);
        grid.apply_cell_boundary(&mut heat.excess);
    }

    /// Mean temperature above the tank's, K, before bodies move; none in a tank with inflow or outflow, and without heat.
    pub(super) fn mean_excess(&self) -> Option<f32> {
        let heat = self.heat.as_deref().filter(|_| self.grid.is_closed())?;
        Some(mean(&self.grid, &heat.excess))
    }

    /// Bodies cover cells and uncover others, which must not change the heat.
    pub(super) fn restore_mean_excess(&mut self, before: f32) {
        let Self { grid, heat: Some(heat), .. } = self else { return };
        heat.shift_mean_to(grid, before);
        heat.cells.get_or_insert_with(|| grid.fluid_cells().count() as f64);
    }

    pub(super) fn add_heat(&mut self, env: &StepContext) {
        let Self { grid, heat: Some(heat), definition, sources, .. } = self else { return };
        let GridHeat { excess, before, heaters, beside_liquid, def, received, .. } = &mut **heat;
        let powered = || heaters.powered().filter(|_| !*beside_liquid);
        before.copy_from_slice(excess);
        for (source, shape) in definition.source.iter().zip(&*sources) {
            let Some(temperature) = source.temperature else { continue };
            let own = temperature - def.temperature;
            each_cell_in(grid, shape, |at, fraction| {
                excess[at] += (own - excess[at]) * (1.0 - (-source.rate * fraction * env.dt).exponential());
            });
        }
        for force in env.pointer_forces {
            let rate = force.kind.heating();
            if rate == 0.0 {
                continue;
            }
            let (least, most) = (HAND_LIMITS.0 - def.temperature, HAND_LIMITS.1 - def.temperature);
            each_cell_in(grid, &circle(force), |at, fraction| {
                let more = rate * HAND_RATE * fraction * env.dt;
                excess[at] = if rate > 0.0 { (excess[at] + more).min(most) } else { (excess[at] + more).max(least) };
            });
        }
        let capacity = heat_capacity(definition, grid);
        for (shape, power) in powered() {
            let mut cells = 0.0;
            each_cell_in(grid, shape, |_, fraction| cells += fraction);
            let more = power * env.dt / (capacity * f32::max(cells, 1.0));
            let coldest = ABSOLUTE_ZERO - def.temperature;
            each_cell_in(grid, shape, |at, fraction| excess[at] = (excess[at] + more * fraction).max(coldest));
        }
        let hands = env.pointer_forces.iter().any(|force| force.kind.heating() != 0.0);
        if hands || powered().next().is_some() || definition.source.iter().any(|source| source.temperature.is_some()) {
            *received += f64::from(capacity) * (grid.sum(excess) - grid.sum(before));
        }
    }

    pub(super) fn add_thermal_lift(&mut self, gravity: Vec2) {
        let Self { grid, heat: Some(heat), fx, fy, definition, .. } = self else { return };
        let push = -definition.expansion * gravity;
        for at in grid.cells() {
            fx[at] += push.x * heat.excess[at];
            fy[at] += push.y * heat.excess[at];
        }
    }

    /// Advects heat by the flow that `transport` follows, and lets it diffuse.
    pub(super) fn carry_heat(&mut self, dt: f32) {
        let Self { grid, heat: Some(heat), transport, diffusion, definition, .. } = self else { return };
        let conductivity = definition.conductivity;
        let received = heat.carry(grid, transport, diffusion, conductivity, dt);
        heat.received += f64::from(heat_capacity(definition, grid)) * received;
    }

    /// Whether a temperature is changing, or heat passes through it.
    pub(super) fn heat_is_changing(&self) -> bool {
        self.heat.as_ref().is_some_and(|heat| heat.is_driven() || heat.fastest_change > CHANGING)
    }

    pub(super) fn measure_heat(&self, stats: &mut Stats) {
        let Some(heat) = self.heat.as_deref() else { return };
        let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
        (stats.temperature_min, stats.temperature_max) = (least, most);
        let (mut sum, mut count) = (0.0, 0.0);
        for at in self.grid.fluid_cells() {
            let temperature = f64::from(heat.def.temperature) + f64::from(heat.excess[at]);
            stats.temperature_min = stats.temperature_min.min(temperature);
            stats.temperature_max = stats.temperature_max.max(temperature);
            sum += temperature;
            count += 1.0;
        }
        if count == 0.0 {
            (stats.temperature_min, stats.temperature_max) = (0.0, 0.0);
            return;
        }
        let capacity = f64::from(heat_capacity(&self.definition, &self.grid));
        let all = heat.cells.unwrap_or(count);
        stats.temperature = sum / count;
        stats.heat = capacity * sum / count * all;
        stats.warm_mass = capacity * all / f64::from(self.definition.heat_capacity);
        stats.nusselt = heat.nusselt(&self.grid);
        stats.heat_in += heat.received;
    }
}

fn mean(grid: &MacGrid, values: &[f32]) -> f32 {
    (grid.sum(values) / f64::max(grid.fluid_cells().count() as f64, 1.0)) as f32
}

fn heat_capacity(definition: &GridFluidDef, grid: &MacGrid) -> f32 {
    definition.density * WATER_DENSITY * grid.cell_size.x * grid.cell_size.y * definition.heat_capacity
}
