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

/// Maximum speed of a node, m/s: a guard that cloth which hangs, tears or falls does not reach.
const MAX_SPEED: f64 = 40.0;

/// Depth of the tank towards the viewer and away, metres.
const DEPTH: f64 = 0.3;

/// Rate at which a wall stops cloth that slides along it, 1/s.
const WALL_FRICTION_RATE: f64 = 20.0;

/// All cloth in a tank.
#[derive(Clone, Debug)]
pub struct Cloth {
    definition: ClothDef,
    sheets: Vec<SheetRange>,
    at: Vec<DVec3>,
    velocity: Vec<DVec3>,
    /// Positions of the nodes when the world's substep began.
    previous: Vec<DVec3>,
    mass: Vec<f64>,
    springs: Vec<ClothSpring>,
    /// Number of springs at the start.
    initial_springs: usize,
    /// By node, a bit for each intact thread; see [`SpringKind::bit`].
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
    /// Substeps in the last substep of the world; and seconds since the start.
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

    /// Changes the parameters to a definition's. The sheets stay as they hang, and torn threads stay torn.
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

    /// By node, a bit for each thread that existed at the start.
    fn initial_spring_kinds(&self) -> Vec<u8> {
        let mut springs = Vec::with_capacity(self.initial_springs);
        for (sheet, range) in self.definition.sheet.iter().zip(&self.sheets) {
            mesh::create_springs(&self.definition, sheet, range, &mut springs);
        }
        let mut initial_springs = vec![0; self.at.len()];
        springs.iter().for_each(|spring: &ClothSpring| initial_springs[spring.owner as usize] |= spring.kind.bit());
        initial_springs
    }

    /// Returns the number of substeps in a step of `dt` seconds.
    pub fn min_substeps(&self, dt: f32) -> u32 {
        (f64::from(dt) / self.max_substep).ceil().max(1.0) as u32
    }

    /// Evaluates the wind at every node: once in a substep of the world, because gusts are slow compared with springs.
    fn sample_wind(&mut self) {
        if self.wind.blows() {
            for (air, at) in self.air.iter_mut().zip(&self.at) {
                *air = self.wind.at(*at, self.time);
            }
        }
    }

    /// Integrates `dt` seconds under springs, gravity and air, in as many substeps as stability requires.
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

    /// Puts back nodes that have crossed a wall or a pane; there they stop, and slide with friction.
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

    /// The definition that it was made from, with the present parameters.
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

    /// Whether a node's thread of that kind is intact.
    pub fn is_intact(&self, node: usize, kind: SpringKind) -> bool {
        self.intact[node] & kind.bit() != 0
    }

    /// Returns the number of intact springs, and of torn ones.
    pub fn springs(&self) -> (usize, usize) {
        (self.springs.len(), self.initial_springs - self.springs.len())
    }

    /// The pinned nodes.
    pub fn pinned(&self) -> impl Iterator<Item = usize> + '_ {
        self.pins.iter().map(|pin| pin.node())
    }

    /// Substeps in the world's last substep.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// Distance at which walls act, metres.
    pub fn reach(&self) -> f32 {
        let pitch = self.definition.sheet.iter().map(|sheet| sheet.pitch()[0] as f32).fold(0.0, f32::max);
        pitch.max(0.02)
    }
}

/// The cloth as other matters interact with it.
impl Cloth {
    /// Position of a node when the substep began, and now, in the picture's plane, metres.
    pub fn node_motion(&self, node: usize) -> (DVec2, DVec2) {
        (self.previous[node].truncate(), self.at[node].truncate())
    }

    /// Inverse mass of a node, 1/kg; zero for kinematic nodes.
    pub fn inverse_mass(&self, node: usize) -> f64 {
        if self.kinematic[node] { 0.0 } else { 1.0 / self.mass[node] }
    }

    /// Gives a node an impulse, kg m/s. Kinematic nodes have infinite mass and do not move.
    pub fn push(&mut self, node: usize, impulse: DVec2) {
        let inverse_mass = self.inverse_mass(node);
        self.velocity[node] += (impulse * inverse_mass).extend(0.0);
    }
}
