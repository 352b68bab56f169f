//! The paper's own sequential relaxation (Clavet, Beaudoin & Poulin 2005, Algorithms 1 and 2), scalar and slow, with
//! plain walls: what the two-pass form is held against.

use glam::Vec2;
use slosh::sim::World;
use slosh::sim::clock::STEP;
use slosh::sim::ddr::Fluid;
use std::collections::HashMap;

pub struct Sequential {
    fluid: Fluid,
    h: f32,
    size: Vec2,
    gravity: Vec2,
    substeps: u32,
    at: Vec<Vec2>,
    velocity: Vec<Vec2>,
}

impl Sequential {
    /// Takes over the particles of a world as they are now.
    pub fn of(world: &World) -> Self {
        let liquid = world.liquid().expect("a tank of liquid");
        let p = liquid.particles();
        Self {
            fluid: *liquid.fluid(),
            h: liquid.h(),
            size: world.size(),
            gravity: world.gravity(),
            substeps: world.substeps(),
            at: p.alive().map(|slot| p.at(slot)).collect(),
            velocity: p.alive().map(|slot| p.velocity(slot)).collect(),
        }
    }

    pub fn run(&mut self, seconds: f32) {
        let substeps = (seconds / STEP) as u32 * self.substeps;
        for _ in 0..substeps {
            self.step(STEP / self.substeps as f32);
        }
    }

    /// Mean height of the particles.
    pub fn height(&self) -> f64 {
        self.at.iter().map(|p| f64::from(p.y)).sum::<f64>() / self.at.len() as f64
    }

    /// Rightmost particle.
    pub fn front(&self) -> f64 {
        f64::from(self.at.iter().map(|p| p.x).fold(0.0, f32::max))
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
        for (i, around) in neighbours.iter().enumerate() {
            self.relax(i, around, dt);
        }
        for (i, at) in self.at.iter_mut().enumerate() {
            *at = at.clamp(Vec2::ZERO, self.size);
            self.velocity[i] = (*at - before[i]) / dt;
        }
    }

    /// For each particle, those within h of it.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let cell = |p: Vec2| ((p.x / self.h).floor() as i32, (p.y / self.h).floor() as i32);
        let mut cells: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
        for (i, &p) in self.at.iter().enumerate() {
            cells.entry(cell(p)).or_default().push(i);
        }
        let around = |i: usize| {
            let (x, y) = cell(self.at[i]);
            let nine = (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
            let near = |&j: &usize| j != i && self.at[j].distance_squared(self.at[i]) < self.h * self.h;
            nine.filter_map(|key| cells.get(&key)).flatten().copied().filter(near).collect()
        };
        (0..self.at.len()).map(around).collect()
    }

    /// Algorithm 5.
    fn apply_viscosity(&mut self, neighbours: &[Vec<usize>], dt: f32) {
        let (sigma, beta) = (self.fluid.sigma / (self.h * self.h), self.fluid.beta / self.h);
        for (i, around) in neighbours.iter().enumerate() {
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

    /// Algorithm 2 for one particle: its neighbours move at once, and the next particle sees them moved.
    fn relax(&mut self, i: usize, around: &[usize], dt: f32) {
        let kernel = |at: &[Vec2], j: usize| (1.0 - at[i].distance(at[j]) / self.h).max(0.0);
        let (mut density, mut near_density) = (0.0, 0.0);
        for &j in around {
            let g = kernel(&self.at, j);
            density += g * g;
            near_density += g * g * g;
        }
        let pressure = self.fluid.stiffness / self.h * (density - self.fluid.rest_density);
        let near_pressure = self.fluid.near_stiffness / self.h * near_density;
        let mut recoil = Vec2::ZERO;
        for &j in around {
            let g = kernel(&self.at, j);
            let direction = (self.at[j] - self.at[i]).normalize_or_zero();
            let displacement = dt * dt * (pressure * g + near_pressure * g * g) * direction / 2.0;
            self.at[j] += displacement;
            recoil -= displacement;
        }
        self.at[i] += recoil;
    }
}
