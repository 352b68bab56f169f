//! Cloth: nodes with mass, and springs between them, integrated by the classical Runge–Kutta method or a simpler one (X. Provot,
//! "Deformation Constraints in a Mass–Spring Model to Describe Rigid Cloth Behavior", Graphics Interface 1995). Nodes have three
//! coordinates, seen from the front (z points to the viewer); a sheet of a single row is seen edge on and stays in the plane.
//! Values are in double precision: fourth order shows only above the rounding. Cloth does not collide with itself.

mod contacts;
mod definition;
mod forces;
mod implicit;
pub mod integrator;
mod kinematic;
mod pose;
mod sheet_grid;
mod statistics;
mod topology;
mod wind;

pub use definition::{ClothDef, Edge, MAX_NODES, Pins, Sheet};
pub use forces::vector_area;
pub use topology::{SheetRange, SpringKind, Topology};

use crate::sim::StepContext;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::forces::PointerForce;
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::parallel::instructions::Instructions;
use fearless_simd::{Level, dispatch};
use forces::rates;
use glam::{DVec2, DVec3, Vec2};
use integrator::{Integrator, Rates};
use kinematic::KinematicNodes;
use pose::InitialPose;
use sheet_grid::SheetGrid;
use topology::ClothSpring;
use wind::Wind;

/// All cloth in a tank.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// The definition that it was made from, with the present parameters.
    pub definition: ClothDef,
    /// Its sheets, springs and triangles.
    pub topology: Topology,
    level: Level,
    /// Positions of the nodes, metres; row by row, sheet by sheet.
    pub at: Vec<DVec3>,
    /// Velocities of the nodes, m/s.
    pub velocity: Vec<DVec3>,
    /// Positions of the nodes when the world's substep began.
    previous: Vec<DVec3>,
    /// Masses of the nodes, kg.
    pub mass: Vec<f64>,
    kinematic: KinematicNodes,
    /// By node, how far it could move without meeting a wall when the world's substep began, metres.
    free: Vec<f64>,
    wind: Wind,
    grids: Vec<SheetGrid>,
    rates: Rates,
    substeps: u32,
    time: f64,
    /// By node, the force of a liquid in this substep, N.
    pub(super) load: Vec<DVec2>,
}

impl Cloth {
    /// Hangs a definition's sheets in a tank of `size` metres.
    pub fn new(definition: ClothDef, size: Vec2) -> Self {
        let topology = Topology::new(&definition);
        let mass = topology.masses(&definition);
        let mut cloth = Self {
            rates: rates(&definition, &topology.springs, &mass),
            wind: Wind::new(definition.wind, definition.gusts),
            at: initial_positions(&definition, &topology, size),
            velocity: vec![DVec3::ZERO; mass.len()],
            previous: Vec::new(),
            free: vec![0.0; mass.len()],
            grids: topology.sheets.iter().copied().map(SheetGrid::new).collect(),
            kinematic: KinematicNodes::default(),
            substeps: 0,
            time: 0.0,
            load: vec![DVec2::ZERO; mass.len()],
            level: Level::new(),
            definition,
            topology,
            mass,
        };
        cloth.previous.clone_from(&cloth.at);
        cloth.set_springs();
        cloth.kinematic.pin(&cloth.definition, &cloth.topology, size);
        cloth
    }

    /// Selects the instruction set.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.level = instructions.level_or_best();
    }

    /// One substep of the world.
    pub fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver) {
        let dt = f64::from(env.dt);
        self.previous.copy_from_slice(&self.at);
        self.kinematic.drive(env.pointer_forces, &self.at, &mut self.velocity, dt);
        self.apply_pointer_forces(env.pointer_forces, env.dt);
        if self.integrate(env.walls, env.gravity, dt) {
            let max_stretch = self.max_stretch();
            self.break_springs(|spring, [a, b]| a.distance_squared(b) > (max_stretch * spring.rest).powi(2));
        }
        self.resolve_walls(env.walls);
        self.time += dt;
        observer.pass_finished(Pass::Cloth);
    }

    fn apply_pointer_forces(&mut self, forces: &[PointerForce], dt: f32) {
        let acts = |force: &&PointerForce| force.kind.acts_on_solids() && force.kind.drag().is_none();
        for force in forces.iter().filter(acts) {
            for (node, at) in self.at.iter().enumerate().filter(|&(node, _)| !self.kinematic.is_kinematic[node]) {
                let from_pointer = at.truncate().as_vec2() - force.at;
                if from_pointer.length_squared() < force.radius * force.radius {
                    let v = &mut self.velocity[node];
                    *v = force.apply(from_pointer, v.truncate().as_vec2(), dt).as_dvec2().extend(v.z);
                }
            }
        }
    }

    /// Integrates `dt` seconds. Returns whether a spring is too long. Gusts are slow: the wind is evaluated once.
    fn integrate(&mut self, walls: &Walls, gravity: Vec2, dt: f64) -> bool {
        self.substeps = self.min_substeps(dt as f32);
        let gravity = gravity.as_dvec2().extend(0.0);
        let (max_stretch, level) = (self.max_stretch(), self.level);
        let mut is_overstretched = false;
        for grid in &mut self.grids {
            grid.gather(&self.at, &self.velocity, &self.mass, &self.kinematic.is_kinematic);
            grid.springs.set_load(&self.load);
            grid.find_contacts(walls, &self.at, &self.velocity, dt, &mut self.free);
            if self.wind.blows() {
                dispatch!(level, simd => grid.springs.sample_wind(simd, &grid.position, &self.wind, self.time));
            }
            let dt = dt / f64::from(self.substeps);
            for _ in 0..self.substeps {
                dispatch!(level, simd => grid.step(simd, &self.definition, gravity, dt));
                grid.resolve_contacts(dt);
            }
            is_overstretched |=
                dispatch!(level, simd => grid.springs.is_overstretched(simd, &grid.position, max_stretch));
            grid.scatter(&mut self.at, &mut self.velocity);
        }
        is_overstretched
    }

    /// Length of a spring, as a multiple of its rest length, at which it breaks.
    fn max_stretch(&self) -> f64 {
        1.0 + f64::from(self.definition.break_strain)
    }

    fn set_springs(&mut self) {
        for grid in &mut self.grids {
            grid.springs.set_springs(&self.topology);
        }
    }

    /// Removes the springs that break, of which each is given with the positions of its ends.
    fn break_springs(&mut self, breaks: impl Fn(&ClothSpring, [DVec3; 2]) -> bool) {
        let at = &self.at;
        if self.topology.remove_springs(|spring| breaks(spring, spring.ends.map(|end| at[end as usize]))) {
            self.set_springs();
        }
    }

    /// Nodes that have crossed a wall or a pane stop there.
    fn resolve_walls(&mut self, walls: &Walls) {
        for node in 0..self.at.len() {
            let moved = self.previous[node].distance_squared(self.at[node]);
            if moved >= self.free[node] * self.free[node] && !self.kinematic.is_kinematic[node] {
                let before = self.previous[node].truncate();
                contacts::put_back(walls, before, &mut self.at[node], &mut self.velocity[node]);
            }
        }
    }

    /// The sheets stay as they hang, and torn threads stay torn.
    pub fn set_params(&mut self, definition: &ClothDef) {
        let definition = ClothDef { sheet: self.definition.sheet.clone(), ..definition.clone() };
        self.topology.set_params(&self.definition, &definition);
        self.set_springs();
        self.wind = Wind::new(definition.wind, definition.gusts);
        self.mass = self.topology.masses(&definition);
        self.definition = definition;
        self.rates = rates(&self.definition, &self.topology.springs, &self.mass);
    }

    /// Adapts to walls that have moved.
    pub fn fit(&mut self, walls: &Walls) {
        self.kinematic.pin(&self.definition, &self.topology, walls.size());
    }

    /// Cuts every spring that crosses the stroke from one point to another, within `radius` metres.
    pub fn cut(&mut self, from: Vec2, to: Vec2, radius: f32) {
        let stroke = Shape::Capsule { from, to, radius };
        self.break_springs(|_, ends| {
            let [a, b] = ends.map(|end| end.truncate().as_vec2());
            // Springs are short compared with strokes: a few points of each suffice.
            (0..=4).any(|quarter| stroke.contact(a.lerp(b, quarter as f32 / 4.0)).distance < 0.0)
        });
    }

    /// Sets all velocities to zero.
    pub fn zero_velocities(&mut self) {
        self.velocity.fill(DVec3::ZERO);
    }

    /// Gives a node an impulse, kg m/s. Kinematic nodes have infinite mass and do not move.
    pub fn push(&mut self, node: usize, impulse: DVec2) {
        let inverse_mass = self.inverse_mass(node);
        self.velocity[node] += (impulse * inverse_mass).extend(0.0);
    }

    /// The substeps in a step of `dt` seconds: as many as the Runge–Kutta method needs, so that integrators compare.
    pub fn min_substeps(&self, dt: f32) -> u32 {
        (f64::from(dt) / Integrator::Rk4.max_step(self.rates)).ceil().max(1.0) as u32
    }

    /// The longest step at which its integrator is stable, seconds; 0 if there is none.
    pub fn max_step(&self) -> f64 {
        self.definition.integrator.max_step(self.rates)
    }

    /// Velocity in the picture's plane of the point with these weights between nodes, m/s.
    pub fn point_velocity(&self, nodes: &[usize], weights: &[f64]) -> DVec2 {
        nodes.iter().zip(weights).map(|(&node, weight)| self.velocity[node].truncate() * *weight).sum()
    }

    /// The pinned nodes.
    pub fn pinned(&self) -> impl Iterator<Item = usize> + '_ {
        self.kinematic.pins.iter().map(|pin| pin.0)
    }

    /// Position of a node when the substep began, and now, in the picture's plane, metres.
    pub fn node_motion(&self, node: usize) -> (DVec2, DVec2) {
        (self.previous[node].truncate(), self.at[node].truncate())
    }

    /// Inverse mass of a node, 1/kg; zero for kinematic nodes.
    pub fn inverse_mass(&self, node: usize) -> f64 {
        if self.kinematic.is_kinematic[node] { 0.0 } else { 1.0 / self.mass[node] }
    }

    /// Whether the substeps of a scene may be fewer than it says, because it divides them itself.
    pub fn bears_any_substep(&self) -> bool {
        self.definition.integrator == Integrator::Rk4
    }

    /// Distance at which walls act, metres.
    pub fn support_radius(&self) -> f32 {
        let pitch = self.definition.sheet.iter().map(|sheet| sheet.pitch()[0] as f32).fold(0.0, f32::max);
        pitch.max(0.02)
    }
}

fn initial_positions(definition: &ClothDef, topology: &Topology, size: Vec2) -> Vec<DVec3> {
    let sheets = definition.sheet.iter().zip(&topology.sheets);
    let positions = sheets.flat_map(|(sheet, range)| {
        let pose = InitialPose::new(sheet, size);
        range.grid().map(move |(_, column, row)| pose.position(column, row))
    });
    positions.collect()
}
