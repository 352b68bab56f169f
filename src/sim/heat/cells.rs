//! The heat of a fluid on a grid: its temperature, advected and diffused as a dye is, through walls that are kept at a temperature
//! as well, and lifting the fluid (Boussinesq 1903); and the vapour that it carries.

use crate::math::Elementary;
use crate::sim::StepContext;
use crate::sim::boundary::Shape;
use crate::sim::clock::STEP;
use crate::sim::grid_fluid::definition::GridFluidDef;
use crate::sim::grid_fluid::diffuse::{Diffusion, DiffusionStep, FixedNeighbor};
use crate::sim::grid_fluid::mac_grid::{FieldLocation, MacGrid};
use crate::sim::grid_fluid::sides::Ghost;
use crate::sim::grid_fluid::transport::Transport;
use crate::sim::heat::enthalpy::WATER_DENSITY;
use crate::sim::heat::exchange::{self, Contact};
use crate::sim::heat::heaters::HeatedParts;
use crate::sim::heat::steam::PhaseVapor;
use crate::sim::heat::{ABSOLUTE_ZERO, HeatDef, HeaterDef, Heaters, Thermal};
use crate::sim::statistics::Stats;
use glam::Vec2;

/// A fluid in which a temperature changes faster than this, K/s, is not at rest.
const CHANGING: f32 = 0.05;

/// Minimum distance from the centre of a cell to an obstacle's surface, in cells: nearer, the coupling would grow without bound.
const LEAST_DISTANCE: f32 = 0.25;

#[derive(Clone, Debug, Default)]
pub struct GridHeat {
    def: HeatDef,
    heaters: Heaters,
    /// The cells at walls that are kept at a temperature, with °C.
    walls: Vec<FixedNeighbor>,
    /// By cell: K above the tank's temperature, on which buoyancy depends. Empty where the air only carries vapour.
    excess: Vec<f32>,
    before: Vec<f32>,
    vapors: Vec<PhaseVapor>,
    /// Heat received through walls, from heaters and by brushes, J/m.
    received: f64,
    /// The fastest change in the last step, K/s.
    fastest_change: f32,
    /// Number of fluid cells when walls or bodies were first there: moving bodies change it, but not the amount of fluid.
    cells: Option<f64>,
    at_body: Vec<Contact>,
}

impl GridHeat {
    /// Heat that is nowhere yet: neither a temperature nor vapour.
    pub fn new(grid: &MacGrid, heaters: &[HeaterDef]) -> Self {
        let mut heat = Self { heaters: Heaters::new(heaters), ..Self::default() };
        heat.fit(grid);
        heat
    }

    pub fn has_temperature(&self) -> bool {
        !self.excess.is_empty()
    }

    /// Gives every cell a temperature, that of the tank.
    pub fn enable_temperature(&mut self, grid: &MacGrid, def: HeatDef, fluid: &GridFluidDef) {
        self.def = def;
        self.excess = vec![0.0; grid.elements()];
        self.before = vec![0.0; grid.elements()];
        self.fastest_change = f32::INFINITY;
        for initial in &fluid.initial_dye {
            let Some(temperature) = initial.temperature else { continue };
            let shape = initial.region.shape(grid.size());
            for at in grid.cells() {
                self.excess[at] += grid.inside(&shape, at) * (temperature - def.temperature - self.excess[at]);
            }
        }
        grid.apply_cell_boundary(&mut self.excess);
    }

    /// Prepares the air for the vapour of a phase, if it is not.
    pub fn enable_vapor(&mut self, grid: &MacGrid, phase: u8, thermal: Thermal) {
        if self.vapors.iter().all(|known| known.phase != phase) {
            self.vapors.push(PhaseVapor::new(phase, thermal, grid.elements(), self.walls.len()));
        }
    }

    pub fn fit(&mut self, grid: &MacGrid) {
        self.heaters.fit(grid.size());
        let Self { walls, heaters, .. } = self;
        walls.clear();
        find_kept_walls(grid, heaters, walls);
        self.cells = None;
        if self.has_temperature() {
            grid.apply_cell_boundary(&mut self.excess);
        }
        self.vapors.iter_mut().for_each(|vapor| vapor.fit(grid, self.walls.len()));
    }

    /// The same heat on another grid of the same tank; `read` interpolates one of its arrays at the centre of a new cell.
    pub fn on_grid(&self, grid: &MacGrid, read: impl Fn(&[f32], Vec2) -> f32) -> Self {
        let moved = |array: &[f32]| {
            let mut new = vec![0.0; grid.elements()];
            grid.cells().for_each(|cell| new[cell] = read(array, grid.center(cell)));
            new
        };
        let mut new = self.clone();
        if self.has_temperature() {
            new.excess = moved(&self.excess);
            new.before = vec![0.0; grid.elements()];
            new.fastest_change = f32::INFINITY;
        }
        new.vapors.iter_mut().for_each(|vapor| vapor.density = moved(&vapor.density));
        new
    }

    /// Heat flow through each side of the tank, W/m, and the mean temperature of its kept walls: left, right, floor, ceiling.
    fn through_sides(&self, grid: &MacGrid, conductance: f32) -> [Option<(f64, f64)>; 4] {
        let mut sides = [(0.0, 0.0, 0.0); 4];
        let slope = grid.cell_size.y / grid.cell_size.x;
        for &FixedNeighbor { cell, axis, weight, value } in &self.walls {
            let cell = cell as usize;
            let (number, cells, length) = if axis == 0 {
                (cell % grid.stride, grid.nx, slope)
            } else {
                (cell / grid.stride, grid.ny, 1.0 / slope)
            };
            let side = &mut sides[2 * axis + usize::from(2 * number > cells)];
            let flow = conductance * length * weight * (value - self.def.temperature - self.excess[cell]);
            *side = (side.0 + f64::from(flow), side.1 + f64::from(value), side.2 + 1.0);
        }
        sides.map(|(flow, sum, count)| (count > 0.0).then(|| (flow, sum / count)))
    }

    /// Nusselt number: heat flow between opposite sides kept at different temperatures over that of conduction; else 0.
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

    /// With walls of different temperatures heat flows for ever, and convection may start however slow the flow is.
    fn is_driven(&self) -> bool {
        let mut values = self.walls.iter().map(|it| it.value);
        let first = values.next();
        self.heaters.powers().next().is_some() || values.any(|value| Some(value) != first)
    }

    /// Whether a temperature is changing, heat passes through the fluid, or vapour condenses.
    pub fn is_changing(&self) -> bool {
        let is_warming = self.has_temperature() && (self.is_driven() || self.fastest_change > CHANGING);
        is_warming || self.vapors.iter().any(|vapor| vapor.is_condensing(&self.walls))
    }

    /// Shifts the temperature everywhere so that its mean above the tank's is `target`, K.
    fn shift_mean_to(&mut self, grid: &MacGrid, target: f32) {
        let more = target - mean(grid, &self.excess);
        self.excess.iter_mut().for_each(|excess| *excess += more);
        grid.apply_cell_boundary(&mut self.excess);
    }

    /// Mean temperature above the tank's, K, before bodies move; none in a tank with inflow or outflow, and without a temperature.
    pub fn mean_excess(&self, grid: &MacGrid) -> Option<f32> {
        (grid.is_closed() && self.has_temperature()).then(|| mean(grid, &self.excess))
    }

    /// Bodies cover cells and uncover others, which must not change the heat.
    pub fn restore_mean_excess(&mut self, grid: &MacGrid, before: f32) {
        self.shift_mean_to(grid, before);
        self.cells.get_or_insert_with(|| grid.fluid_cells().count() as f64);
    }

    /// Adds the heat of warm sources in `sources`, of heaters and of brushes.
    pub fn add(&mut self, grid: &MacGrid, fluid: &GridFluidDef, sources: &[Shape], env: &StepContext) {
        if !self.has_temperature() {
            return;
        }
        let Self { excess, before, heaters, def, received, .. } = self;
        let capacity = heat_capacity(fluid, grid);
        before.copy_from_slice(excess);
        for (source, shape) in fluid.source.iter().zip(sources) {
            let Some(temperature) = source.temperature else { continue };
            let own = temperature - def.temperature;
            grid.each_cell_in(shape, |at, fraction| {
                let more = (own - excess[at]) * (1.0 - (-source.rate * fraction * env.dt).exponential());
                excess[at] += more;
                *received += f64::from(capacity) * f64::from(more);
            });
        }
        let mut cells = WarmCells { grid, excess, tank: def.temperature, capacity: capacity.into() };
        *received += heaters.apply(&mut cells, env.pointer_forces, env.dt);
    }

    /// Adds the buoyancy of warm fluid and of vapour to the acceleration of each cell, m/s².
    pub fn add_lift(&self, grid: &MacGrid, fluid: &GridFluidDef, gravity: Vec2, acceleration: &mut [Vec<f32>; 2]) {
        if self.has_temperature() {
            grid.accelerate(-fluid.expansion * gravity, &self.excess, acceleration);
        }
        let buoyancy = fluid.dye.last().map_or(0.0, |dye| dye.buoyancy);
        for vapor in self.vapors.iter().filter(|vapor| vapor.mass > 0.0 && buoyancy != 0.0) {
            grid.accelerate(vapor.lift(buoyancy, gravity), &vapor.density, acceleration);
        }
    }

    /// Carries vapour by the flow that `transport` follows; it condenses on cold walls.
    pub fn carry_vapor(&mut self, grid: &MacGrid, transport: &mut Transport, dt: f32) {
        for vapor in self.vapors.iter_mut().filter(|vapor| vapor.mass > 0.0) {
            self.received += vapor.carry(grid, &self.walls, transport, dt);
        }
    }

    /// Carries the temperature by the same flow, and lets it diffuse.
    pub fn carry(
        &mut self,
        grid: &MacGrid,
        fluid: &GridFluidDef,
        transport: &mut Transport,
        diffusion: &mut Diffusion,
        dt: f32,
    ) {
        if !self.has_temperature() {
            return;
        }
        let mean = if grid.solids_move() { self.mean_excess(grid) } else { None };
        transport.carry(grid, &mut self.excess);
        if let Some(mean) = mean {
            self.shift_mean_to(grid, mean);
        }
        let Self { excess, before, walls, def, received, .. } = self;
        if fluid.conductivity > 0.0 {
            let carried = if walls.is_empty() { 0.0 } else { grid.sum(excess) };
            let fixed = (&walls[..], def.temperature);
            let step = DiffusionStep { field: FieldLocation::Cells, rate: fluid.conductivity, dt, fixed };
            diffusion.diffuse(grid, excess, &step);
            if !walls.is_empty() {
                *received += f64::from(heat_capacity(fluid, grid)) * (grid.sum(excess) - carried);
            }
            grid.apply_cell_boundary(excess);
            // So that a value read beside a wall lies between the last cell's and the wall's.
            for wall in walls {
                let (axis, cell) = ([&grid.x, &grid.y][wall.axis], wall.cell as usize);
                let k = if wall.axis == 0 { cell % grid.stride } else { cell / grid.stride };
                let ghost = 2.0 * (wall.value - def.temperature) - excess[cell];
                if k == 1 {
                    excess[cell - axis.step] = ghost;
                } else if k == axis.cells {
                    excess[cell + axis.step] = ghost;
                }
            }
        }
        let cells = grid.cells();
        let change = cells.map(|at| (excess[at] - before[at]).abs()).fold(0.0, f32::max);
        self.fastest_change = change / dt;
    }

    /// By cell: K above the tank's temperature, and that, °C.
    pub fn excess(&self) -> (&[f32], f32) {
        (&self.excess, self.def.temperature)
    }

    /// Sets the temperature everywhere, °C.
    pub fn set_temperature(&mut self, grid: &MacGrid, temperature: impl Fn(Vec2) -> f32) {
        for at in grid.cells() {
            self.excess[at] = temperature(grid.center(at)) - self.def.temperature;
        }
        grid.apply_cell_boundary(&mut self.excess);
    }

    /// Adds a particle of vapour in a puff of `radius` metres; returns whether there was room in the air.
    pub fn add_vapor(&mut self, grid: &MacGrid, phase: u8, at: Vec2, radius: f32, mass: f64) -> bool {
        let vapor = self.vapors.iter_mut().find(|vapor| vapor.phase == phase);
        vapor.is_some_and(|vapor| vapor.add(grid, at, radius, mass))
    }

    /// A drop of a phase whose films contain `mass_of` it, kg/m; it forms `inset` metres from a wall where `free` is true.
    pub fn drop_from_wall(
        &mut self,
        grid: &MacGrid,
        mass_of: impl Fn(u8) -> f64,
        inset: f32,
        free: impl Fn(Vec2) -> bool,
    ) -> Option<(u8, Vec2, f64)> {
        let Self { walls, vapors, .. } = self;
        let mut full = vapors.iter_mut().filter(|vapor| vapor.film_mass() >= mass_of(vapor.phase));
        full.find_map(|vapor| vapor.take_drop(grid, walls, mass_of(vapor.phase), inset, &free))
    }

    pub fn measure(&self, grid: &MacGrid, fluid: &GridFluidDef, stats: &mut Stats) {
        if self.has_temperature() {
            let capacity = f64::from(heat_capacity(fluid, grid));
            let mass = capacity / f64::from(fluid.heat_capacity);
            let mut count = 0.0;
            for at in grid.fluid_cells() {
                let temperature = f64::from(self.def.temperature) + f64::from(self.excess[at]);
                stats.add_warm_mass(mass, temperature, capacity * temperature);
                count += 1.0;
            }
            stats.divide_by_mass();
            let cells = self.cells.unwrap_or(count) / f64::max(count, 1.0);
            (stats.heat, stats.warm_mass) = (stats.heat * cells, stats.warm_mass * cells);
            stats.nusselt = self.nusselt(grid);
        }
        for vapor in &self.vapors {
            let [mass, heat] = vapor.measure(grid);
            (stats.vapor, stats.heat) = (stats.vapor + mass, stats.heat + heat);
        }
        stats.heat_in += self.received;
    }
}

/// A fluid on a grid with a temperature or vapour, as exchanges of heat see it.
pub struct HeatedGrid<'a> {
    pub heat: &'a mut GridHeat,
    pub grid: &'a MacGrid,
    pub fluid: &'a GridFluidDef,
}

impl HeatedGrid<'_> {
    /// Exchanges heat with an object of `temperature` °C and heat `capacity` (J/K per metre of depth) through `conductance` (J/K
    /// in this step); returns the heat that the object gets, J/m.
    pub fn exchange(&mut self, at: Vec2, temperature: f64, conductance: f64, capacity: f64) -> f64 {
        let Self { heat: GridHeat { def, excess, .. }, grid, fluid } = self;
        let cell = grid.cell_at(at);
        if grid.is_solid(cell) {
            return 0.0;
        }
        let own = f64::from(heat_capacity(fluid, grid));
        let warmer = f64::from(def.temperature) + f64::from(excess[cell]) - temperature;
        let given = exchange::between(own * capacity / (own + capacity), conductance, warmer);
        -add_to_cell(excess, cell, -given, own)
    }

    /// Exchanges a step's heat with a body of `temperature` °C and heat `capacity` J/K, by conduction from its surface to the
    /// centres of the cells beside it; returns the body's new temperature.
    pub fn exchange_with_body(&mut self, body: usize, temperature: f64, capacity: f64) -> f64 {
        let Self { heat: GridHeat { def, excess, at_body, .. }, grid, fluid } = self;
        if excess.is_empty() {
            return temperature;
        }
        let own = f64::from(heat_capacity(fluid, grid));
        // κ over the area of a cell, times the step.
        let rate = f64::from(STEP * fluid.conductivity / (grid.cell_size.x * grid.cell_size.y));
        let tank = f64::from(def.temperature);
        at_body.clear();
        at_body.extend(grid.cells_at_body(body).map(|(cell, across)| Contact {
            part: cell as u32,
            conductance: own * exchange::fraction(rate * f64::from(across)),
            temperature: tank + f64::from(excess[cell]),
        }));
        exchange::with_body(temperature, capacity, at_body, |cell, heat| add_to_cell(excess, cell as usize, heat, own))
    }
}

struct WarmCells<'a> {
    grid: &'a MacGrid,
    excess: &'a mut [f32],
    /// The tank's temperature, °C.
    tank: f32,
    /// Of a cell, J/K for each metre of depth.
    capacity: f64,
}

impl HeatedParts for WarmCells<'_> {
    const MAX_BRUSHED: f32 = 300.0;

    fn list_inside(&self, shape: &Shape, parts: &mut Vec<(usize, f64)>) {
        parts.clear();
        self.grid.each_cell_in(shape, |cell, fraction| parts.push((cell, 1.0 / f64::from(fraction))));
    }

    fn position(&self, cell: usize) -> Vec2 {
        self.grid.center(cell)
    }

    fn temperature(&self, cell: usize) -> f32 {
        self.tank + self.excess[cell]
    }

    fn heat_capacity(&self, _: usize) -> f64 {
        self.capacity
    }

    fn add_heat(&mut self, cell: usize, heat: f64) -> f64 {
        let coldest = f64::from(ABSOLUTE_ZERO - self.tank - self.excess[cell]) * self.capacity;
        add_to_cell(self.excess, cell, heat.max(coldest), self.capacity)
    }
}

/// Adds heat to a cell of heat `capacity`, and returns how much it got after rounding.
fn add_to_cell(excess: &mut [f32], cell: usize, heat: f64, capacity: f64) -> f64 {
    let before = excess[cell];
    excess[cell] = before + (heat / capacity) as f32;
    (f64::from(excess[cell]) - f64::from(before)) * capacity
}

/// Lists the cells beside walls that heaters keep at a temperature, with °C.
fn find_kept_walls(grid: &MacGrid, heaters: &Heaters, walls: &mut Vec<FixedNeighbor>) {
    if !heaters.keep_walls() {
        return;
    }
    for cell in grid.fluid_cells() {
        let (i, j) = (cell % grid.stride, cell / grid.stride);
        let place = Vec2::new(i as f32, j as f32);
        for (number, axis, faces, by) in
            [(0, &grid.x, &grid.face_fraction[0], Vec2::X), (1, &grid.y, &grid.face_fraction[1], Vec2::Y)]
        {
            let k = [i, j][number];
            for (face, sign, is_end, end) in [(cell, -1.0, k == 1, 0), (cell + axis.step, 1.0, k == axis.cells, 1)] {
                let closed = 1.0 - faces[face];
                if closed <= 0.0 || (is_end && axis.ends[end].rule().across != Ghost::Wall) {
                    continue;
                }
                // Half a cell to the tank's side; to an obstacle, the distance of its surface.
                let distance = if is_end { 0.5 } else { distance_to_obstacle(grid, cell) };
                let reach = if is_end { 0.5 } else { distance + LEAST_DISTANCE };
                let Some(value) = heaters.wall_temperature(grid.at(place + sign * reach * by)) else { continue };
                walls.push(FixedNeighbor { cell: cell as u32, axis: number, weight: closed / distance, value });
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

fn mean(grid: &MacGrid, values: &[f32]) -> f32 {
    (grid.sum(values) / f64::max(grid.fluid_cells().count() as f64, 1.0)) as f32
}

/// Heat capacity of a cell, J/K for each metre of the tank's depth.
fn heat_capacity(fluid: &GridFluidDef, grid: &MacGrid) -> f32 {
    fluid.density * WATER_DENSITY as f32 * grid.cell_size.x * grid.cell_size.y * fluid.heat_capacity
}
