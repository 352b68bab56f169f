//! Vapour that has boiled out of a liquid, with its enthalpy, as the air carries it. At a wall colder than the boiling point it
//! condenses to a film; when the films together contain a drop, it detaches at the thickest place that is free of liquid.

use crate::math::Elementary;
use crate::sim::grid_fluid::diffuse::FixedNeighbor;
use crate::sim::grid_fluid::mac_grid::MacGrid;
use crate::sim::grid_fluid::transport::Transport;
use crate::sim::heat::Thermal;
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

/// The vapour of one phase of a liquid.
#[derive(Clone, Debug)]
pub struct PhaseVapor {
    pub phase: u8,
    thermal: Thermal,
    /// By cell, kg/m³; and the total, kg/m.
    pub density: Vec<f32>,
    pub mass: f64,
    /// The film on each cold wall.
    films: Vec<Film>,
}

impl PhaseVapor {
    /// No vapour yet, on a grid of so many cells with so many cold walls.
    pub fn new(phase: u8, thermal: Thermal, cells: usize, walls: usize) -> Self {
        // Without walls the film is kept until there is one.
        Self { phase, thermal, density: vec![0.0; cells], mass: 0.0, films: vec![Film::default(); walls.max(1)] }
    }

    pub fn fit(&mut self, grid: &MacGrid, walls: usize) {
        let films = self.films.drain(..).fold(Film::default(), |mut all, film| {
            all.add(film);
            all
        });
        self.films.resize(walls.max(1), Film::default());
        self.films[0] = films;
        grid.apply_cell_boundary(&mut self.density);
        self.keep_mass(grid);
    }

    /// Transports it by the flow that `transport` follows, and condenses it on cold walls; returns the heat received from them, J/m.
    pub fn carry(&mut self, grid: &MacGrid, walls: &[FixedNeighbor], transport: &mut Transport, dt: f32) -> f64 {
        transport.carry(grid, &mut self.density);
        if grid.is_closed() {
            self.keep_mass(grid);
        } else {
            self.mass = self.airborne(grid);
        }
        let received = self.condense(grid, walls, dt);
        grid.apply_cell_boundary(&mut self.density);
        received
    }

    fn airborne(&self, grid: &MacGrid) -> f64 {
        grid.sum(&self.density) * grid.cell_area()
    }

    pub fn film_mass(&self) -> f64 {
        self.films.iter().map(|film| film.mass).sum()
    }

    /// Its mass, kg/m, and its heat, J/m, with those of the films.
    pub fn measure(&self, grid: &MacGrid) -> [f64; 2] {
        let airborne = self.airborne(grid);
        let heat = self.films.iter().map(|film| film.heat).sum::<f64>();
        [airborne + self.film_mass(), airborne * self.thermal.vapor_enthalpy() + heat]
    }

    /// The acceleration of air by a density of 1 kg/m³, m/s², where a cell full of its dye has this buoyancy.
    pub fn lift(&self, buoyancy: f32, gravity: Vec2) -> Vec2 {
        -buoyancy / FULL_DENSITY * gravity
    }

    pub fn is_condensing(&self, walls: &[FixedNeighbor]) -> bool {
        self.mass > 0.0
            && walls.iter().any(|wall| wall.value < self.thermal.boiling_point)
            && self.density.iter().any(|&it| it > MIN_DENSITY)
    }

    /// The flow is divergence-free only to a thousandth, and cells are of single precision.
    fn keep_mass(&mut self, grid: &MacGrid) {
        let now = self.airborne(grid);
        if now > 0.0 {
            let share = (self.mass / now) as f32;
            self.density.iter_mut().for_each(|density| *density *= share);
        }
    }

    /// Condenses vapour on cold walls, and returns the heat received from them, J/m.
    fn condense(&mut self, grid: &MacGrid, walls: &[FixedNeighbor], dt: f32) -> f64 {
        let (area, enthalpy) = (grid.cell_area(), self.thermal.vapor_enthalpy());
        let mut received = 0.0;
        for (wall, film) in walls.iter().zip(&mut self.films) {
            let (colder, cell) = (self.thermal.boiling_point - wall.value, wall.cell as usize);
            if colder <= 0.0 || self.density[cell] <= 0.0 {
                continue;
            }
            let speed = DEPOSITION * 0.01 * colder * wall.weight.min(1.0);
            let share = 1.0 - (-speed * dt / grid.cell_size.min_element()).exponential();
            let before = self.density[cell];
            let left = before * (1.0 - share);
            self.density[cell] = left;
            let mass = f64::from(before - left) * area;
            let heat = mass * self.thermal.liquid_enthalpy(wall.value);
            film.add(Film { mass, heat });
            self.mass -= mass;
            received -= mass * enthalpy - heat;
        }
        received
    }

    /// Adds `mass` kg/m in a puff of `radius` metres; returns whether there was room in the air.
    pub fn add(&mut self, grid: &MacGrid, at: Vec2, radius: f32, mass: f64) -> bool {
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
        cells().for_each(|at| self.density[at] += each as f32);
        self.mass += mass;
        true
    }

    /// Takes a drop of `mass` kg/m from the films, from the thickest place where `free` returns true and what is next to it.
    /// Returns its phase, its place, and its enthalpy, J/kg.
    pub fn take_drop(
        &mut self,
        grid: &MacGrid,
        walls: &[FixedNeighbor],
        mass: f64,
        inset: f32,
        free: impl Fn(Vec2) -> bool,
    ) -> Option<(u8, Vec2, f64)> {
        let inset = inset.max(0.5 * grid.cell_size.min_element());
        let place = |wall: usize| grid.center(walls[wall].cell as usize).clamp(Vec2::splat(inset), grid.size() - inset);
        let thick = (0..walls.len()).filter(|&wall| self.films[wall].mass > 0.0 && free(place(wall)));
        let thickest = thick.max_by(|&a, &b| self.films[a].mass.total_cmp(&self.films[b].mass))?;
        let mut drop = Film::default();
        for far in 0..walls.len() {
            for wall in [thickest.checked_sub(far), Some(thickest + far)].into_iter().flatten() {
                if let Some(film) = self.films.get_mut(wall)
                    && drop.mass < mass
                {
                    drop.add(film.take(mass - drop.mass));
                }
            }
        }
        Some((self.phase, place(thickest), drop.heat / drop.mass))
    }
}
