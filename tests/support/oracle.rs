//! The paper's own sequential relaxation (Clavet, Beaudoin & Poulin 2005, Algorithms 1 and 2), scalar and slow, with
//! simple walls: the reference for the two-pass form.

use glam::{IVec2, Vec2};
use slosh::sim::World;
use slosh::sim::clock::STEP;
use slosh::sim::liquid::fluid::Fluid;

pub struct Sequential {
    fluid: Fluid,
    h: f32,
    size: Vec2,
    gravity: Vec2,
    substeps: u32,
    at: Vec<Vec2>,
    velocity: Vec<Vec2>,
    /// The kernel and the direction of each neighbour of the particle that [`Self::relax`] moves.
    kernels: Vec<(f32, Vec2)>,
}

/// The neighbours of each particle, as concatenated lists.
struct Neighbours {
    first: Vec<usize>,
    all: Vec<usize>,
}

impl Neighbours {
    fn of_each(&self) -> impl Iterator<Item = &[usize]> {
        self.first.windows(2).map(|list| &self.all[list[0]..list[1]])
    }
}

impl Sequential {
    /// Copies the particles of a world.
    pub fn of(world: &World) -> Self {
        let liquid = world.liquid().expect("a tank of liquid");
        let p = liquid.particles();
        Self {
            fluid: *liquid.fluid(),
            h: liquid.h(),
            size: world.size(),
            gravity: world.gravity(),
            substeps: world.substeps(),
            at: p.alive().map(|slot| p.position(slot)).collect(),
            velocity: p.alive().map(|slot| p.velocity(slot)).collect(),
            kernels: Vec::new(),
        }
    }

    pub fn run(&mut self, seconds: f32) {
        let substeps = (seconds / STEP) as u32 * self.substeps;
        for _ in 0..substeps {
            self.step(STEP / self.substeps as f32);
        }
    }

    /// In metres.
    pub fn places(&self) -> &[Vec2] {
        &self.at
    }

    /// In metres per second.
    pub fn velocities(&self) -> &[Vec2] {
        &self.velocity
    }

    fn step(&mut self, dt: f32) {
        for velocity in &mut self.velocity {
            *velocity += self.gravity * dt;
        }
        let neighbours = self.neighbours();
        self.apply_viscosity(&neighbours, dt);
        let before = self.at.clone();
        for (at, velocity) in self.at.iter_mut().zip(&self.velocity) {
            *at += velocity * dt;
        }
        let neighbours = self.neighbours();
        for (i, around) in neighbours.of_each().enumerate() {
            self.relax(i, around, dt);
        }
        for (i, at) in self.at.iter_mut().enumerate() {
            *at = at.clamp(Vec2::ZERO, self.size);
            self.velocity[i] = (*at - before[i]) / dt;
        }
    }

    /// Returns the particles within h of each one, from a grid of h × h cells that is filled by counting.
    fn neighbours(&self) -> Neighbours {
        let cells = (self.size / self.h).floor().as_ivec2() + 1;
        // A particle that is outside of the tank for the moment counts in the outermost cell.
        let cell = |p: Vec2| (p / self.h).floor().as_ivec2().clamp(IVec2::ZERO, cells - 1);
        let number = |cell: IVec2| (cell.y * cells.x + cell.x) as usize;
        let mut end = vec![0; (cells.x * cells.y + 1) as usize];
        self.at.iter().for_each(|&p| end[number(cell(p)) + 1] += 1);
        (1..end.len()).for_each(|cell| end[cell] += end[cell - 1]);
        let mut members = vec![0; self.at.len()];
        let mut next = end.clone();
        for (i, &p) in self.at.iter().enumerate() {
            let next = &mut next[number(cell(p))];
            members[*next] = i;
            *next += 1;
        }
        let mut neighbours = Neighbours { first: vec![0], all: Vec::with_capacity(40 * self.at.len()) };
        let mut count = 0;
        for (i, &p) in self.at.iter().enumerate() {
            let (low, high) = ((cell(p) - 1).max(IVec2::ZERO), (cell(p) + 1).min(cells - 1));
            for row in low.y..=high.y {
                let run = end[number(IVec2::new(low.x, row))]..end[number(IVec2::new(high.x, row)) + 1];
                // Each is written, and overwritten if it is not near: a branch here would be mispredicted half the time.
                neighbours.all.resize(count + run.len(), 0);
                for &j in &members[run] {
                    neighbours.all[count] = j;
                    count += usize::from(j != i && self.at[j].distance_squared(p) < self.h * self.h);
                }
            }
            neighbours.first.push(count);
        }
        neighbours
    }

    /// Algorithm 5.
    fn apply_viscosity(&mut self, neighbours: &Neighbours, dt: f32) {
        let (sigma, beta) =
            (self.fluid.phase.viscous.sigma / (self.h * self.h), self.fluid.phase.viscous.beta / self.h);
        for (i, around) in neighbours.of_each().enumerate() {
            for &j in around.iter().filter(|&&j| j > i) {
                let offset = self.at[j] - self.at[i];
                let (g, direction) = (1.0 - offset.length() / self.h, offset.normalize_or_zero());
                let u = (self.velocity[i] - self.velocity[j]).dot(direction);
                if u > 0.0 {
                    let impulse = dt * g * (sigma * u + beta * u * u) * direction / 2.0;
                    self.velocity[i] -= impulse;
                    self.velocity[j] += impulse;
                }
            }
        }
    }

    /// Algorithm 2 for one particle: its neighbours move at once, so the next particle sees their new positions.
    fn relax(&mut self, i: usize, around: &[usize], dt: f32) {
        let (mut density, mut near_density) = (0.0, 0.0);
        self.kernels.clear();
        for &j in around {
            let offset = self.at[j] - self.at[i];
            let distance = offset.length();
            let g = (1.0 - distance / self.h).max(0.0);
            self.kernels.push((g, if distance > 0.0 { offset / distance } else { Vec2::ZERO }));
            density += g * g;
            near_density += g * g * g;
        }
        let pressure = self.fluid.pressure.stiffness / self.h * (density - self.fluid.pressure.rest_density);
        let near_pressure = self.fluid.pressure.near_stiffness / self.h * near_density;
        let mut recoil = Vec2::ZERO;
        for (&j, &(g, direction)) in around.iter().zip(&self.kernels) {
            let displacement = dt * dt * (pressure * g + near_pressure * g * g) * direction / 2.0;
            self.at[j] += displacement;
            recoil -= displacement;
        }
        self.at[i] += recoil;
    }
}
