//! Vapour that has boiled out of a liquid, as the air carries it: its mass, and with every kilogram the enthalpy of boiling
//! liquid and the heat of boiling. At a wall colder than the boiling point it condenses to a film. When the films together
//! contain a drop, which is a particle, it detaches at the thickest place that is free of liquid.

use crate::math::Elementary;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::grid_fluid::diffuse::FixedNeighbor;
use crate::sim::grid_fluid::heat::each_wall_kept_at;
use crate::sim::grid_fluid::mac_grid::MacGrid;
use crate::sim::grid_fluid::transport::Transport;
use crate::sim::heat::HeaterDef;
use crate::sim::heat::enthalpy::Condensate;
use crate::sim::heat::heaters::Heaters;
use crate::sim::statistics::Stats;
use glam::Vec2;

/// Deposition velocity of vapour at a wall that is 100 K colder than its boiling point, m/s.
const DEPOSITION: f32 = 0.3;

/// Vapour density that lifts the air as a full cell of its dye does, kg/m³.
const FULL_DENSITY: f32 = 100.0;

/// Density that counts as none, kg/m³.
const MIN_DENSITY: f32 = 1e-3;

#[derive(Clone, Copy, Debug, Default)]
struct Film {
    mass: f64,
    /// Heat, J/m.
    heat: f64,
}

impl Film {
    fn add(&mut self, other: Film) {
        self.mass += other.mass;
        self.heat += other.heat;
    }

    fn take(&mut self, mass: f64) -> Film {
        let share = if self.mass > mass { mass / self.mass } else { 1.0 };
        let taken = Film { mass: share * self.mass, heat: share * self.heat };
        *self = Film { mass: self.mass - taken.mass, heat: self.heat - taken.heat };
        taken
    }
}

#[derive(Clone, Debug)]
struct PhaseVapor {
    phase: u8,
    condensate: Condensate,
    /// By cell, kg/m³; and the total, kg/m.
    density: Vec<f32>,
    mass: f64,
    /// The film on each cold wall.
    films: Vec<Film>,
}

impl PhaseVapor {
    fn carry(&mut self, grid: &MacGrid, transport: &mut Transport) {
        transport.carry(grid, &mut self.density);
        if grid.is_closed() {
            self.keep_mass(grid);
        } else {
            self.mass = self.measure(grid);
        }
    }

    fn measure(&self, grid: &MacGrid) -> f64 {
        grid.sum(&self.density) * grid.cell_area()
    }

    /// The flow is divergence-free only to a thousandth, and cells are of single precision.
    fn keep_mass(&mut self, grid: &MacGrid) {
        let now = self.measure(grid);
        if now > 0.0 {
            let share = (self.mass / now) as f32;
            self.density.iter_mut().for_each(|density| *density *= share);
        }
    }

    /// Condenses vapour on cold walls, and returns the heat received from them, J/m.
    fn condense(&mut self, grid: &MacGrid, walls: &[FixedNeighbor], dt: f32) -> f64 {
        let (area, enthalpy) = (grid.cell_area(), self.condensate.vapor_enthalpy());
        let mut received = 0.0;
        for (wall, film) in walls.iter().zip(&mut self.films) {
            let (colder, cell) = (self.condensate.boiling_point - wall.value, wall.cell as usize);
            if colder <= 0.0 || self.density[cell] <= 0.0 {
                continue;
            }
            let speed = DEPOSITION * 0.01 * colder * wall.weight.min(1.0);
            let share = 1.0 - (-speed * dt / grid.cell_size.min_element()).exponential();
            let before = self.density[cell];
            let left = before * (1.0 - share);
            self.density[cell] = left;
            let mass = f64::from(before - left) * area;
            // It does not freeze on the wall.
            let heat = mass * self.condensate.liquid_enthalpy(wall.value.max(self.condensate.min_temperature));
            film.add(Film { mass, heat });
            self.mass -= mass;
            received -= mass * enthalpy - heat;
        }
        received
    }
}

#[derive(Clone, Debug)]
pub(super) struct GridVapor {
    heaters: Heaters,
    /// The cells at walls that are kept at a temperature, with °C.
    walls: Vec<FixedNeighbor>,
    vapors: Vec<PhaseVapor>,
    /// Heat received from cold walls so far, J/m: negative.
    received: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Drop {
    pub phase: u8,
    pub at: Vec2,
    /// Enthalpy, J/kg.
    pub enthalpy: f64,
}

impl GridVapor {
    fn new(heaters: &[HeaterDef]) -> Self {
        Self { heaters: Heaters::new(heaters), walls: Vec::new(), vapors: Vec::new(), received: 0.0 }
    }

    fn fit(&mut self, grid: &MacGrid) {
        self.walls.clear();
        self.heaters.fit(grid.size());
        let Self { walls, heaters, .. } = self;
        each_wall_kept_at(grid, heaters, |_, wall| walls.push(wall));
        for vapor in &mut self.vapors {
            let films = vapor.films.drain(..).fold(Film::default(), |mut all, film| {
                all.add(film);
                all
            });
            // Without walls the film is kept until there is one.
            vapor.films.resize(self.walls.len().max(1), Film::default());
            vapor.films[0] = films;
        }
    }

    /// Mass in the air, kg/m, without the films.
    fn airborne(&self) -> f64 {
        self.vapors.iter().map(|vapor| vapor.mass).sum()
    }
}

impl GridFluid {
    /// Prepares the air for the vapour of a liquid with these phases, as far as it is not.
    pub(in crate::sim) fn enable_vapor(
        &mut self,
        boiling: impl Iterator<Item = (u8, Condensate)>,
        heaters: &[HeaterDef],
    ) {
        let vapor = |(phase, condensate): (u8, Condensate)| PhaseVapor {
            phase,
            condensate,
            density: vec![0.0; self.grid.len()],
            mass: 0.0,
            films: Vec::new(),
        };
        let mut all = self.vapor.take().unwrap_or_else(|| Box::new(GridVapor::new(heaters)));
        for (phase, condensate) in boiling {
            if all.vapors.iter().all(|known| known.phase != phase) {
                all.vapors.push(vapor((phase, condensate)));
            }
        }
        if !all.vapors.is_empty() {
            all.fit(&self.grid);
            self.vapor = Some(all);
        }
    }

    pub(super) fn fit_vapor(&mut self) {
        let Self { grid, vapor: Some(vapor), .. } = self else { return };
        vapor.fit(grid);
        for vapor in &mut vapor.vapors {
            grid.apply_cell_boundary(&mut vapor.density);
            vapor.keep_mass(grid);
        }
    }

    /// Transfers the vapour of another grid of the same tank.
    pub(super) fn take_vapor(&mut self, old: &GridFluid, per: Vec2) {
        let Some(from) = old.vapor.as_deref() else { return };
        let mut new = from.clone();
        for (vapor, from) in new.vapors.iter_mut().zip(&from.vapors) {
            vapor.density = vec![0.0; self.grid.len()];
            for at in self.grid.cells() {
                vapor.density[at] = old.read(&from.density, Vec2::ZERO, self.grid.center(at) * per);
            }
        }
        self.vapor = Some(Box::new(new));
    }

    /// Adds a particle of vapour in a puff of `radius` metres; returns whether there was room in the air.
    pub(in crate::sim) fn add_vapor(&mut self, phase: u8, at: Vec2, radius: f32, mass: f64) -> bool {
        let Self { grid, vapor: Some(vapor), .. } = self else { return false };
        let Some(vapor) = vapor.vapors.iter_mut().find(|vapor| vapor.phase == phase) else { return false };
        let grid = &*grid;
        let cells = || {
            let (low, high) = (grid.place(at - radius), grid.place(at + radius));
            let most = Vec2::new(grid.nx as f32, grid.ny as f32);
            let [low, high] = [low, high].map(|it| it.round().clamp(Vec2::ONE, most).as_usizevec2());
            (low.y..=high.y)
                .flat_map(move |j| (low.x..=high.x).map(move |i| j * grid.stride + i))
                .filter(|&at| !grid.is_solid(at))
        };
        let count = cells().count();
        if count == 0 {
            return false;
        }
        let each = mass / (count as f64 * grid.cell_area());
        cells().for_each(|at| vapor.density[at] += each as f32);
        vapor.mass += mass;
        true
    }

    /// Transports vapour by the flow that `transport` follows, and condenses it on cold walls.
    pub(super) fn carry_vapor(&mut self, dt: f32) {
        let Self { grid, transport, vapor: Some(all), .. } = self else { return };
        let GridVapor { walls, vapors, received, .. } = &mut **all;
        for vapor in vapors.iter_mut().filter(|vapor| vapor.mass > 0.0) {
            vapor.carry(grid, transport);
            *received += vapor.condense(grid, walls, dt);
            grid.apply_cell_boundary(&mut vapor.density);
        }
    }

    /// Returns a drop of the phase, if its films contain that mass, kg/m. It forms at a wall, `inset` metres from it,
    /// where `free` returns true.
    pub(in crate::sim) fn drop_from_wall(
        &mut self,
        mass_of: impl Fn(u8) -> f64,
        inset: f32,
        free: impl Fn(Vec2) -> bool,
    ) -> Option<Drop> {
        let Self { grid, vapor: Some(all), .. } = self else { return None };
        let GridVapor { walls, vapors, .. } = &mut **all;
        let half = 0.5 * grid.cell_size.min_element();
        for vapor in vapors {
            let mass = mass_of(vapor.phase);
            if walls.is_empty() || vapor.films.iter().map(|film| film.mass).sum::<f64>() < mass {
                continue;
            }
            let place = |wall: usize| {
                let cell = walls[wall].cell as usize;
                let size = grid.size();
                grid.center(cell).clamp(Vec2::splat(inset.max(half)), size - inset.max(half))
            };
            let thick = (0..walls.len()).filter(|&wall| vapor.films[wall].mass > 0.0 && free(place(wall)));
            let thickest = thick.max_by(|&a, &b| vapor.films[a].mass.total_cmp(&vapor.films[b].mass))?;
            let mut drop = Film::default();
            for far in 0..walls.len() {
                for wall in [thickest.checked_sub(far), Some(thickest + far)].into_iter().flatten() {
                    if let Some(film) = vapor.films.get_mut(wall)
                        && drop.mass < mass
                    {
                        drop.add(film.take(mass - drop.mass));
                    }
                }
            }
            return Some(Drop { phase: vapor.phase, at: place(thickest), enthalpy: drop.heat / drop.mass });
        }
        None
    }

    /// Adds the buoyancy of vapour to each cell.
    pub(super) fn add_vapor_lift(&mut self, gravity: Vec2) {
        let Self { grid, fx, fy, definition, vapor: Some(all), .. } = self else { return };
        let buoyancy = definition.dye.last().map_or(0.0, |dye| dye.buoyancy);
        for vapor in all.vapors.iter().filter(|vapor| vapor.mass > 0.0 && buoyancy != 0.0) {
            let push = -buoyancy / FULL_DENSITY * gravity;
            for at in grid.cells() {
                fx[at] += push.x * vapor.density[at];
                fy[at] += push.y * vapor.density[at];
            }
        }
    }

    pub(super) fn vapor_is_changing(&self) -> bool {
        self.vapor.as_ref().is_some_and(|all| {
            let colder = |vapor: &PhaseVapor| all.walls.iter().any(|wall| wall.value < vapor.condensate.boiling_point);
            all.vapors
                .iter()
                .any(|vapor| vapor.mass > 0.0 && colder(vapor) && vapor.density.iter().any(|&it| it > MIN_DENSITY))
        })
    }

    pub(super) fn measure_vapor(&self, stats: &mut Stats) {
        let Some(all) = self.vapor.as_deref() else { return };
        for vapor in &all.vapors {
            let mass = vapor.measure(&self.grid);
            stats.vapor += mass + vapor.films.iter().map(|film| film.mass).sum::<f64>();
            stats.heat +=
                mass * vapor.condensate.vapor_enthalpy() + vapor.films.iter().map(|film| film.heat).sum::<f64>();
        }
        stats.heat_in += all.received;
    }

    /// Mass of the vapour in the air, kg/m.
    pub fn vapor(&self) -> f64 {
        self.vapor.as_ref().map_or(0.0, |all| all.airborne())
    }
}
