//! The temperature of a fluid on a grid: carried like a dye, spread like one, but through walls that are kept at a
//! temperature too, and what is warm rises (Boussinesq 1903: the density counts only where gravity acts on it).
//!
//! A fluid without a temperature has none of this: no array, no pass.

use crate::math::Elementary;
use crate::sim::StepContext;
use crate::sim::boundary::Shape;
use crate::sim::clock::STEP;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::grid_fluid::advect::MIDDLE;
use crate::sim::grid_fluid::boundary::Side;
use crate::sim::grid_fluid::definition::GridFluidDef;
use crate::sim::grid_fluid::diffuse::{Diffusion, DiffusionStep, FieldLocation, FixedNeighbor};
use crate::sim::grid_fluid::forces::{circle, each_cell_in, inside};
use crate::sim::grid_fluid::mac_grid::MacGrid;
use crate::sim::grid_fluid::transport::Transport;
use crate::sim::heat::{HeatDef, HeaterDef};
use crate::sim::pointer_force::PointerForceKind;
use crate::sim::statistics::Stats;
use glam::Vec2;

/// Mass of a square metre of density 1, a metre deep, kg: water's.
const WATER_DENSITY: f32 = 1000.0;

/// A fluid whose temperatures change faster than this, K/s, is not at rest.
const CHANGING: f32 = 0.05;

/// The surface of an obstacle is taken to be at least this part of a cell away from the middle of a cell, or a sliver
/// of wall would count without bound.
const LEAST_DISTANCE: f32 = 0.25;

/// How quickly a hot or a cold hand changes the temperature of what is under it, K/s, and what it cannot heat or cool
/// beyond, °C: half of what it does to a liquid, because air is stirred by it at once.
const HAND_RATE: f32 = 50.0;
const HAND_LIMITS: (f32, f32) = (-60.0, 300.0);

/// The temperature of a grid, and what heats and cools it.
#[derive(Clone, Debug)]
pub struct GridHeat {
    def: HeatDef,
    heater_defs: Vec<HeaterDef>,
    /// By cell: K above the tank's temperature. The difference and not the whole, because lift is of it alone.
    excess: Vec<f32>,
    /// Cells beside walls that are kept at a temperature, by the axis across the wall.
    fixed: [Vec<FixedNeighbor>; 2],
    /// Whether it is the air over a liquid, whose the watts of heaters are.
    beside_liquid: bool,
    /// Heat that has come in through walls, from heaters and by hand, J/m.
    received: f64,
    /// Places that get so many W/m.
    powered: Vec<(Shape, f32)>,
    /// What it was before a step.
    before: Vec<f32>,
    /// The fastest change in the last step, K/s.
    fastest_change: f32,
}

impl GridHeat {
    fn new(grid: &MacGrid, def: HeatDef, heater_defs: Vec<HeaterDef>) -> Self {
        let zeros = || vec![0.0; grid.len()];
        let (excess, before) = (zeros(), zeros());
        let fastest_change = f32::INFINITY;
        Self {
            def,
            heater_defs,
            excess,
            fixed: Default::default(),
            beside_liquid: false,
            received: 0.0,
            powered: Vec::new(),
            before,
            fastest_change,
        }
    }

    /// Takes in where walls and heaters are now.
    fn fit(&mut self, grid: &MacGrid) {
        let size = grid.size();
        let shapes: Vec<_> = self.heater_defs.iter().map(|heater| (heater.region.shape(size), heater)).collect();
        self.powered.clear();
        if !self.beside_liquid {
            self.powered.extend(shapes.iter().filter_map(|(shape, heater)| Some((shape.clone(), heater.power?))));
        }
        for fixed in &mut self.fixed {
            fixed.clear();
        }
        let (fixed, own) = (&mut self.fixed, self.def.temperature);
        each_wall_kept_at(grid, &self.heater_defs, |axis, wall| {
            fixed[axis].push(FixedNeighbor { value: wall.value - own, ..wall });
        });
        self.fixed[0].sort_by_key(|it| it.along(&grid.x));
    }

    /// The heat that comes in through each side of the tank, W/m, and the mean temperature of its walls that are kept at
    /// one: left, right, floor, ceiling.
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

    /// Nusselt's number: what passes from one side to the opposite one beside what conduction alone would carry. Zero
    /// where no two opposite sides are kept at different temperatures.
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
}

/// Calls `with` with the cells beside walls that heaters keep at a temperature, °C, by the axis across the wall: 0 is x.
pub(super) fn each_wall_kept_at(grid: &MacGrid, heaters: &[HeaterDef], mut with: impl FnMut(usize, FixedNeighbor)) {
    let size = grid.size();
    let kept = heaters.iter().filter_map(|heater| Some((heater.region.shape(size), heater.temperature?)));
    let kept: Vec<_> = kept.collect();
    let kept_at = |at: Vec2| {
        let mut here = kept.iter().rev().filter(|(shape, _)| shape.contact(at).distance <= 0.0);
        here.next().map(|&(_, temperature)| temperature)
    };
    for cell in (1..=grid.ny).flat_map(|j| grid.row(j)).filter(|&cell| !grid.is_solid(cell)) {
        let (i, j) = (cell % grid.stride, cell / grid.stride);
        let place = Vec2::new(i as f32, j as f32);
        for (axis, faces, by) in [(&grid.x, &grid.face_fraction_x, Vec2::X), (&grid.y, &grid.face_fraction_y, Vec2::Y)]
        {
            let k = if axis.step == 1 { i } else { j };
            for (face, sign, is_end, end) in [(cell, -1.0, k == 1, 0), (cell + axis.step, 1.0, k == axis.cells, 1)] {
                let closed = 1.0 - faces[face];
                if closed <= 0.0 || (is_end && !matches!(axis.ends[end], Side::NoSlip | Side::FreeSlip)) {
                    continue;
                }
                // Half a cell to the tank's side; to an obstacle's surface, and a little into it.
                let distance = if is_end { 0.5 } else { distance_to_obstacle(grid, cell) };
                let reach = if is_end { 0.5 } else { distance + LEAST_DISTANCE };
                let Some(value) = kept_at(grid.at(place + sign * reach * by)) else { continue };
                with(
                    usize::from(axis.step != 1),
                    FixedNeighbor { cell: cell as u32, weight: closed / distance, value },
                );
            }
        }
    }
}

/// From the middle of a cell to the nearest obstacle, in cells.
fn distance_to_obstacle(grid: &MacGrid, cell: usize) -> f32 {
    let corners = [cell, cell + 1, cell + grid.stride, cell + grid.stride + 1];
    let middle: f32 = corners.into_iter().map(|corner| 0.25 * grid.static_sdf[corner]).sum();
    (middle / grid.cell_size.min_element()).clamp(LEAST_DISTANCE, 1.0)
}

impl GridFluid {
    /// Gives it a temperature.
    pub fn enable_heat(&mut self, def: HeatDef, heaters: &[HeaterDef]) {
        let mut heat = GridHeat::new(&self.grid, def, heaters.to_vec());
        heat.fit(&self.grid);
        for initial in &self.definition.initial_dye {
            let Some(temperature) = initial.temperature else { continue };
            let shape = initial.region.shape(self.grid.size());
            for at in (1..=self.grid.ny).flat_map(|j| self.grid.row(j)) {
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

    /// Exchanges heat with something of a temperature, °C, that takes so many J/K for each metre of the tank's depth, through so many
    /// J/K in this step; returns what it gets, J/m.
    ///
    /// The exact answer of two that have each one temperature: neither comes to be beyond the other's.
    pub(in crate::sim) fn exchange_heat(&mut self, at: Vec2, temperature: f64, conductance: f64, capacity: f64) -> f64 {
        let Self { grid, heat: Some(heat), definition, .. } = self else { return 0.0 };
        let most = Vec2::new(grid.nx as f32, grid.ny as f32);
        let place = grid.place(at).round().clamp(Vec2::ONE, most).as_usizevec2();
        let cell = place.y * grid.stride + place.x;
        if grid.is_solid(cell) {
            return 0.0;
        }
        let own = f64::from(heat_capacity(definition, grid));
        let both = own * capacity / (own + capacity);
        let share = 1.0 - (-conductance / both).exponential();
        let before = heat.excess[cell];
        let warmer = f64::from(heat.def.temperature) + f64::from(before) - temperature;
        heat.excess[cell] = before - (share * warmer * both / own) as f32;
        // What the cell has lost as it is rounded.
        (f64::from(before) - f64::from(heat.excess[cell])) * own
    }

    /// Exchanges a step's heat with the body of that number, which has a temperature, °C, and takes so many J/K for each degree; returns
    /// the temperature that it has then.
    ///
    /// By conduction from its surface to the middles of the cells beside it. Implicit in the body's temperature, and for each cell the
    /// exact answer to a body that keeps it: stable for any two.
    pub(in crate::sim) fn exchange_heat_with_body(&mut self, body: usize, temperature: f64, capacity: f64) -> f64 {
        let Self { grid, heat: Some(heat), definition, .. } = self else { return temperature };
        let own = f64::from(heat_capacity(definition, grid));
        // κ over the area of a cell, times the step.
        let rate = f64::from(STEP * definition.conductivity / (grid.cell_size.x * grid.cell_size.y));
        let taken = |across: f32| own * (1.0 - (-rate * f64::from(across)).exponential());
        let (mut wanted, mut all) = (0.0, 0.0);
        for (cell, across) in grid.cells_at_body(body) {
            wanted += taken(across) * f64::from(heat.excess[cell]);
            all += taken(across);
        }
        let tank = f64::from(heat.def.temperature);
        let after = (capacity * (temperature - tank) + wanted) / (capacity + all);
        let mut given = 0.0;
        for (cell, across) in grid.cells_at_body(body) {
            let before = heat.excess[cell];
            heat.excess[cell] = before + (taken(across) * (after - f64::from(before)) / own) as f32;
            // What the cell has got as it is rounded.
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
        for j in 1..=grid.ny {
            for at in grid.row(j) {
                let middle = grid.at(Vec2::new((at % grid.stride) as f32, j as f32));
                heat.excess[at] = temperature(middle) - heat.def.temperature;
            }
        }
        grid.apply_cell_boundary(&mut heat.excess);
    }

    /// The temperature of another grid of the same tank, laid out anew.
    pub(super) fn take_heat(&mut self, old: &GridFluid, per: Vec2) {
        let Some(from) = old.heat.as_deref() else { return };
        let mut heat = GridHeat::new(&self.grid, from.def, from.heater_defs.clone());
        for j in 1..=self.grid.ny {
            for at in self.grid.row(j) {
                let middle = self.grid.at(Vec2::new((at % self.grid.stride) as f32, j as f32));
                heat.excess[at] = old.read(&from.excess, MIDDLE, middle * per);
            }
        }
        (heat.beside_liquid, heat.received) = (from.beside_liquid, from.received);
        self.heat = Some(Box::new(heat));
    }

    /// Takes in where walls and heaters are now.
    pub(super) fn fit_heat(&mut self) {
        let Self { grid, heat: Some(heat), .. } = self else { return };
        heat.fit(grid);
        grid.apply_cell_boundary(&mut heat.excess);
    }

    /// What sources and heaters bring in a substep.
    pub(super) fn add_heat(&mut self, env: &StepContext) {
        let Self { grid, heat: Some(heat), definition, sources, .. } = self else { return };
        let GridHeat { excess, before, powered, def, received, .. } = &mut **heat;
        before.copy_from_slice(excess);
        for (source, shape) in definition.source.iter().zip(&*sources) {
            let Some(temperature) = source.temperature else { continue };
            let own = temperature - def.temperature;
            each_cell_in(grid, shape, |at, fraction| {
                excess[at] += (own - excess[at]) * (1.0 - (-source.rate * fraction * env.dt).exponential());
            });
        }
        for force in env.pointer_forces {
            let PointerForceKind::Heat { rate } = force.kind else { continue };
            let (least, most) = (HAND_LIMITS.0 - def.temperature, HAND_LIMITS.1 - def.temperature);
            each_cell_in(grid, &circle(force), |at, fraction| {
                let more = rate * HAND_RATE * fraction * env.dt;
                excess[at] = if rate > 0.0 { (excess[at] + more).min(most) } else { (excess[at] + more).max(least) };
            });
        }
        let capacity = heat_capacity(definition, grid);
        for (shape, power) in &*powered {
            let mut cells = 0.0;
            each_cell_in(grid, shape, |_, fraction| cells += fraction);
            let more = *power * env.dt / (capacity * f32::max(cells, 1.0));
            each_cell_in(grid, shape, |at, fraction| excess[at] += more * fraction);
        }
        let hands = env.pointer_forces.iter().any(|force| matches!(force.kind, PointerForceKind::Heat { .. }));
        if hands || !powered.is_empty() || definition.source.iter().any(|source| source.temperature.is_some()) {
            *received += f64::from(capacity) * (sum_of(grid, excess) - sum_of(grid, before));
        }
    }

    /// What is warmer than the tank is lighter.
    pub(super) fn add_thermal_lift(&mut self, gravity: Vec2) {
        let Self { grid, heat: Some(heat), fx, fy, definition, .. } = self else { return };
        let push = -definition.expansion * gravity;
        for at in (1..=grid.ny).flat_map(|j| grid.row(j)) {
            fx[at] += push.x * heat.excess[at];
            fy[at] += push.y * heat.excess[at];
        }
    }

    /// Heat is carried by the flow that `transport` follows, and spreads.
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

    /// Adds what can be measured of its heat.
    pub(super) fn measure_heat(&self, stats: &mut Stats) {
        let Some(heat) = self.heat.as_deref() else { return };
        let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
        (stats.temperature_min, stats.temperature_max) = (least, most);
        let (mut sum, mut count) = (0.0, 0.0);
        for at in (1..=self.grid.ny).flat_map(|j| self.grid.row(j)).filter(|&at| !self.grid.is_solid(at)) {
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
        stats.temperature = sum / count;
        stats.heat = capacity * sum;
        stats.warm_mass = capacity * count / f64::from(self.definition.heat_capacity);
        stats.nusselt = heat.nusselt(&self.grid);
        stats.heat_in += heat.received;
    }
}

impl GridHeat {
    /// Whether its walls have different temperatures. Then heat flows for ever, and convection may start however slow the flow is.
    fn is_driven(&self) -> bool {
        let mut values = self.fixed.iter().flatten().map(|it| it.value);
        let first = values.next();
        !self.powered.is_empty() || values.any(|value| Some(value) != first)
    }

    /// Says what has come in through walls, in kelvins of a cell.
    fn carry(
        &mut self,
        grid: &MacGrid,
        transport: &mut Transport,
        diffusion: &mut Diffusion,
        rate: f32,
        dt: f32,
    ) -> f64 {
        let mut received = 0.0;
        let Self { excess, before, fixed, .. } = self;
        let bodies = !grid.immersed_bodies.is_empty();
        let sum = if bodies { mean(grid, excess) } else { 0.0 };
        transport.carry(grid, excess);
        if bodies && grid.is_closed() {
            let more = sum - mean(grid, excess);
            excess.iter_mut().for_each(|excess| *excess += more);
            grid.apply_cell_boundary(excess);
        }
        if rate > 0.0 {
            let walls = fixed.iter().any(|fixed| !fixed.is_empty());
            let carried = if walls { sum_of(grid, excess) } else { 0.0 };
            let at_walls = [&fixed[0][..], &fixed[1]];
            diffusion.diffuse(grid, excess, &DiffusionStep { kind: FieldLocation::Cells, rate, dt, fixed: at_walls });
            received = if walls { sum_of(grid, excess) - carried } else { 0.0 };
            grid.apply_cell_boundary(excess);
            // So that what is read beside a wall is between the last cell's and the wall's.
            for (axis, fixed) in [&grid.x, &grid.y].into_iter().zip(fixed) {
                for it in fixed {
                    let (cell, k) = (it.cell as usize, it.along(axis));
                    let inner = excess[cell];
                    if k == 1 {
                        excess[cell - axis.step] = 2.0 * it.value - inner;
                    } else if k == axis.cells {
                        excess[cell + axis.step] = 2.0 * it.value - inner;
                    }
                }
            }
        }
        let cells = (1..=grid.ny).flat_map(|j| grid.row(j));
        let change = cells.map(|at| (excess[at] - before[at]).abs()).fold(0.0, f32::max);
        self.fastest_change = change / dt;
        received
    }
}

/// The sum over the cells that are not solid.
fn sum_of(grid: &MacGrid, values: &[f32]) -> f64 {
    let cells = (1..=grid.ny).flat_map(|j| grid.row(j)).filter(|&at| !grid.is_solid(at));
    cells.map(|at| f64::from(values[at])).sum()
}

/// The mean over the cells that are not solid.
fn mean(grid: &MacGrid, values: &[f32]) -> f32 {
    let cells = (1..=grid.ny).flat_map(|j| grid.row(j)).filter(|&at| !grid.is_solid(at));
    let (sum, count) = cells.fold((0.0, 0.0), |(sum, count), at| (sum + f64::from(values[at]), count + 1.0));
    (sum / f64::max(count, 1.0)) as f32
}

/// What a cell takes for a degree, J/K for each metre of the tank's depth.
fn heat_capacity(definition: &GridFluidDef, grid: &MacGrid) -> f32 {
    definition.density * WATER_DENSITY * grid.cell_size.x * grid.cell_size.y * definition.heat_capacity
}
