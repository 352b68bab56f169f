//! Cloth: nodes with mass, and springs between them, integrated by the classical Runge–Kutta method.
//!
//! X. Provot, "Deformation Constraints in a Mass–ClothSpring Model to Describe Rigid Cloth Behavior", Graphics Interface
//! 1995: structural springs along the threads, shear springs across each mesh, bend springs from a node to the one after
//! the next. Nodes live in space, seen from the front: x and y are the tank's, z points to the viewer, so that a curtain
//! folds and billows. A sheet of a single row is seen edge on and stays in the picture's plane: a chain, a hammock.
//!
//! Substeps are as many as the stiffest springs ask for (`forces::max_substep`), so nothing explodes whatever the
//! figures. Everything is in double precision: cloth is small beside a liquid, and the method's fourth order shows only
//! above the rounding.
//!
//! Cloth does not meet itself: folds pass through each other. They lie one behind the other in the picture.

mod definition;
mod forces;
mod mesh;
mod pins;
mod queries;
pub mod rk4;
mod tear;
mod topology;
mod wind;

pub use definition::{ClothDef, Edge, MAX_NODES, Pins, Sheet};
pub use forces::vector_area;
pub use mesh::{SheetRange, SpringKind};

use crate::math::Elementary;
use crate::sim::boundary::Walls;
use forces::{Forces, max_substep};
use glam::{DVec2, DVec3, Vec2};
use mesh::ClothSpring;
use pins::{Grabs, Pin};
use rk4::Rk4;
use wind::Wind;

/// Nothing is faster, m/s: a guard, not met by cloth that hangs, tears or falls.
const MAX_SPEED: f64 = 40.0;

/// How far the tank reaches towards the viewer and away, metres.
const DEPTH: f64 = 0.3;

/// How quickly a wall stops what slides along it, 1/s.
const WALL_FRICTION_RATE: f64 = 20.0;

/// All cloth in a tank.
#[derive(Clone, Debug)]
pub struct Cloth {
    definition: ClothDef,
    sheets: Vec<SheetRange>,
    at: Vec<DVec3>,
    velocity: Vec<DVec3>,
    /// Where nodes were when the substep of the world began.
    previous: Vec<DVec3>,
    mass: Vec<f64>,
    springs: Vec<ClothSpring>,
    /// How many springs there were at first.
    initial_springs: usize,
    /// A bit for each of a node's threads that is whole; see [`SpringKind::bit`].
    intact: Vec<u8>,
    neighbors: Vec<[u32; 4]>,
    edge_on: Vec<bool>,
    pins: Vec<Pin>,
    kinematic: Vec<bool>,
    grabs: Grabs,
    wind: Wind,
    air: Vec<DVec3>,
    rk4: Rk4,
    max_substep: f64,
    /// Made in one substep of the world, and seconds since the start.
    substeps: u32,
    time: f64,
}

impl Cloth {
    /// Hangs a definition's sheets in a tank of `size` metres.
    pub fn new(definition: ClothDef, size: Vec2) -> Self {
        let sheets = mesh::sheet_ranges(&definition);
        let (mut mass, mut springs, mut edge_on) = (Vec::new(), Vec::new(), Vec::new());
        for (sheet, range) in definition.sheet.iter().zip(&sheets) {
            mass.extend(mesh::masses(&definition, sheet));
            mesh::create_springs(&definition, sheet, range, &mut springs);
            edge_on.resize(mass.len(), range.is_edge_on());
        }
        let nodes = mass.len();
        let mut cloth = Self {
            max_substep: max_substep(&definition, &springs, &mass),
            wind: Wind::new(definition.wind, definition.gusts),
            at: vec![DVec3::ZERO; nodes],
            velocity: vec![DVec3::ZERO; nodes],
            previous: vec![DVec3::ZERO; nodes],
            air: vec![DVec3::ZERO; nodes],
            intact: vec![0; nodes],
            neighbors: (0..nodes as u32).map(|node| [node; 4]).collect(),
            kinematic: vec![false; nodes],
            pins: Vec::new(),
            grabs: Grabs::default(),
            rk4: Rk4::default(),
            initial_springs: springs.len(),
            substeps: 0,
            time: 0.0,
            definition,
            sheets,
            mass,
            springs,
            edge_on,
        };
        cloth.hang(size);
        cloth.pin(size);
        cloth.rebuild_topology();
        cloth.previous.copy_from_slice(&cloth.at);
        cloth
    }

    /// Takes on a definition's numbers. Its sheets stay as they hang, and what is torn stays torn.
    pub fn set_params(&mut self, definition: &ClothDef) {
        let initial_springs = self.initial_spring_kinds();
        self.definition = ClothDef { sheet: std::mem::take(&mut self.definition.sheet), ..definition.clone() };
        self.wind = Wind::new(definition.wind, definition.gusts);
        self.mass.clear();
        self.springs.clear();
        for (sheet, range) in self.definition.sheet.iter().zip(&self.sheets) {
            self.mass.extend(mesh::masses(&self.definition, sheet));
            mesh::create_springs(&self.definition, sheet, range, &mut self.springs);
        }
        self.initial_springs = self.springs.len();
        let torn = |node: usize| initial_springs[node] & !self.intact[node];
        self.springs.retain(|spring| torn(spring.owner as usize) & spring.kind.bit() == 0);
        self.max_substep = max_substep(&self.definition, &self.springs, &self.mass);
        self.rebuild_topology();
    }

    /// A bit for each of a node's threads that there was at first.
    fn initial_spring_kinds(&self) -> Vec<u8> {
        let mut springs = Vec::with_capacity(self.initial_springs);
        for (sheet, range) in self.definition.sheet.iter().zip(&self.sheets) {
            mesh::create_springs(&self.definition, sheet, range, &mut springs);
        }
        let mut initial_springs = vec![0; self.at.len()];
        springs.iter().for_each(|spring: &ClothSpring| initial_springs[spring.owner as usize] |= spring.kind.bit());
        initial_springs
    }

    /// The substeps of a step of `dt` seconds.
    pub fn min_substeps(&self, dt: f32) -> u32 {
        (f64::from(dt) / self.max_substep).ceil().max(1.0) as u32
    }

    /// Looks up the wind at every node: once a substep of the world, because gusts are slow beside springs.
    fn sample_wind(&mut self) {
        if self.wind.blows() {
            for (air, at) in self.air.iter_mut().zip(&self.at) {
                *air = self.wind.at(*at, self.time);
            }
        }
    }

    /// `dt` seconds under springs, weight and air, in as many substeps as that takes.
    fn integrate(&mut self, gravity: Vec2, dt: f64) {
        self.substeps = self.min_substeps(dt as f32);
        let forces = Forces {
            springs: &self.springs,
            mass: &self.mass,
            kinematic: &self.kinematic,
            neighbors: &self.neighbors,
            edge_on: &self.edge_on,
            wind: &self.air,
            gravity: gravity.as_dvec2().extend(0.0),
            damping: self.definition.damping.into(),
            linear_damping: self.definition.linear_damping.into(),
            drag_coefficient: self.definition.drag_coefficient.into(),
        };
        for _ in 0..self.substeps {
            let dt = dt / f64::from(self.substeps);
            self.rk4.step(&mut self.at, &mut self.velocity, dt, |x, v, a| forces.accelerate(x, v, a));
            self.velocity.iter_mut().for_each(|v| *v = v.clamp_length_max(MAX_SPEED));
        }
    }

    /// Puts back what has crossed a wall or the glass; there it stops, and slides on with friction.
    fn resolve_walls(&mut self, walls: &Walls, dt: f64) {
        let slides = (-WALL_FRICTION_RATE * dt).exponential();
        for node in 0..self.at.len() {
            if self.kinematic[node] {
                continue;
            }
            let (at, velocity) = (&mut self.at[node], &mut self.velocity[node]);
            if at.z.abs() > DEPTH {
                at.z = at.z.clamp(-DEPTH, DEPTH);
                velocity.z = 0.0;
            }
            if let (place, Some(normal)) = walls.project_to_free(at.truncate().as_vec2()) {
                *at = place.as_dvec2().extend(at.z);
                let wall = walls.wall_velocity(place, normal).as_dvec2().extend(0.0);
                let normal = normal.as_dvec2().extend(0.0);
                let relative = *velocity - wall;
                let inward = relative.dot(normal).min(0.0) * normal;
                *velocity = wall + (relative - inward) * slides;
            }
        }
    }

    /// What it was made from, with the parameters that it has now.
    pub fn definition(&self) -> &ClothDef {
        &self.definition
    }

    /// The nodes of each sheet.
    pub fn sheets(&self) -> &[SheetRange] {
        &self.sheets
    }

    /// Places of the nodes, metres; row by row, sheet by sheet.
    pub fn places(&self) -> &[DVec3] {
        &self.at
    }

    /// Velocities of the nodes, m/s.
    pub fn velocities(&self) -> &[DVec3] {
        &self.velocity
    }

    /// Masses of the nodes, kg.
    pub fn masses(&self) -> &[f64] {
        &self.mass
    }

    /// Left, right, upper and lower neighbours of each node; itself where it has none.
    pub fn neighbors(&self) -> &[[u32; 4]] {
        &self.neighbors
    }

    /// Whether a node's thread of that sort is whole.
    pub fn is_intact(&self, node: usize, kind: SpringKind) -> bool {
        self.intact[node] & kind.bit() != 0
    }

    /// How many springs hold, and how many are torn.
    pub fn springs(&self) -> (usize, usize) {
        (self.springs.len(), self.initial_springs - self.springs.len())
    }

    /// The pinned nodes.
    pub fn pinned(&self) -> impl Iterator<Item = usize> + '_ {
        self.pins.iter().map(|pin| pin.node())
    }

    /// Substeps in one of the world's, as made last.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// The distance from which walls are felt, metres.
    pub fn reach(&self) -> f32 {
        let pitch = self.definition.sheet.iter().map(|sheet| sheet.pitch()[0] as f32).fold(0.0, f32::max);
        pitch.max(0.02)
    }
}

/// What something that meets the cloth sees of it.
impl Cloth {
    /// Where a node was when the substep began, and is now, in the picture's plane; metres.
    pub fn node_motion(&self, node: usize) -> (DVec2, DVec2) {
        (self.previous[node].truncate(), self.at[node].truncate())
    }

    /// The inverse of a node's mass, 1/kg: nothing for those that are kinematic.
    pub fn inverse_mass(&self, node: usize) -> f64 {
        if self.kinematic[node] { 0.0 } else { 1.0 / self.mass[node] }
    }

    /// Gives a node an impulse, kg m/s. Kinematic nodes have infinite mass and do not move.
    pub fn push(&mut self, node: usize, impulse: DVec2) {
        let inverse_mass = self.inverse_mass(node);
        self.velocity[node] += (impulse * inverse_mass).extend(0.0);
    }
}
