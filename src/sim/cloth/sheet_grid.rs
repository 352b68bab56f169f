//! A sheet as a grid: its nodes as planes of coordinates, its springs as shifted rows. A spring of one kind leads from a
//! node to the node a fixed number of places on, so a vector of springs reads two runs of nodes; torn and missing
//! springs have no stiffness.

use crate::sim::boundary::Walls;
use crate::sim::cloth::contacts::{self, NodeContact};
use crate::sim::cloth::definition::ClothDef;
use crate::sim::cloth::integrator::Stages;
use crate::sim::cloth::topology::{SheetRange, SpringKind, Topology};
use crate::sim::cloth::wind::Wind;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::{DVec2, DVec3};

/// The number of lanes of the widest vectors; planes are multiples of it.
const MAX_LANES: usize = 8;

/// Nodes whose pulls are all stored before any is loaded: a load that overlaps a store of a moment before waits for it.
const BLOCK: usize = 64;

/// Square of the minimum length of a spring, m²: nearer ends have no line between them along which to push.
const COINCIDENT: f64 = 1e-18;

/// Square of the minimum vector area of a node, m⁴.
const MIN_AREA: f64 = 1e-60;

/// Maximum speed of a node, m/s: a guard that cloth which hangs, tears or falls does not reach.
const MAX_SPEED: f64 = 40.0;

#[derive(Clone, Debug)]
struct Springs {
    /// Places from the owner to the ends.
    ends: [usize; 2],
    rest: f64,
    /// By owner, N/m.
    stiffness: Vec<f64>,
    /// By owner, the force on its first end, N, a plane for each coordinate; zeros before each.
    pull: Vec<f64>,
    any: bool,
}

/// The nodes of a sheet during a substep of the world.
#[derive(Clone, Debug)]
pub struct SheetGrid {
    pub springs: SpringGrid,
    pub position: Vec<f64>,
    velocity: Vec<f64>,
    stages: Stages,
    contacts: Vec<NodeContact>,
}

/// The springs of a sheet, and what else its nodes' accelerations depend on. A vector of three coordinates is three planes,
/// one after the other, with room on both sides for springs that lead out of them.
#[derive(Clone, Debug)]
pub struct SpringGrid {
    range: SheetRange,
    /// Length of a plane.
    plane: usize,
    /// Places before the first plane, and after the last one.
    margin: usize,
    kinds: [Springs; 6],
    /// By node, one half if the thread to the right, and the thread downwards, is intact; zeros before them.
    half_right: Vec<f64>,
    half_below: Vec<f64>,
    /// By node, the inverse of its mass, 1/kg, and 1; both 0 for kinematic nodes.
    inverse_mass: Vec<f64>,
    is_free: Vec<f64>,
    /// Velocity of the air, m/s.
    air: Vec<f64>,
    /// By node, another force in the plane, N.
    load: Vec<f64>,
}

/// Loads a vector.
#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f64], at: usize) -> S::f64s {
    S::f64s::from_slice(simd, &values[at..at + S::f64s::LEN])
}

#[inline(always)]
fn store<S: Simd>(vector: S::f64s, values: &mut [f64], at: usize) {
    vector.store_slice(&mut values[at..at + S::f64s::LEN]);
}

impl SheetGrid {
    /// A sheet without springs.
    pub fn new(range: SheetRange) -> Self {
        let springs = SpringGrid::new(range);
        let vectors = || vec![0.0; 3 * springs.plane + 2 * springs.margin];
        Self {
            position: vectors(),
            velocity: vectors(),
            stages: Stages::default(),
            contacts: Vec::with_capacity(springs.plane),
            springs,
        }
    }

    /// Takes over positions, velocities, masses and which nodes are kinematic, of the nodes of all sheets.
    pub fn gather(&mut self, at: &[DVec3], velocity: &[DVec3], mass: &[f64], kinematic: &[bool]) {
        for (place, node) in self.springs.range.nodes().enumerate() {
            self.springs.is_free[place] = if kinematic[node] { 0.0 } else { 1.0 };
            self.springs.inverse_mass[place] = self.springs.is_free[place] / mass[node];
            self.set_node(place, at[node], velocity[node]);
        }
    }

    /// Hands positions and velocities back.
    pub fn scatter(&self, at: &mut [DVec3], velocity: &mut [DVec3]) {
        for (place, node) in self.springs.range.nodes().enumerate() {
            (at[node], velocity[node]) = self.node(place);
        }
    }

    fn node(&self, place: usize) -> (DVec3, DVec3) {
        let planes = self.springs.planes(place);
        (DVec3::from(planes.map(|at| self.position[at])), DVec3::from(planes.map(|at| self.velocity[at])))
    }

    fn set_node(&mut self, place: usize, at: DVec3, velocity: DVec3) {
        let coordinates = at.to_array().into_iter().zip(velocity.to_array());
        for (at, (x, v)) in self.springs.planes(place).into_iter().zip(coordinates) {
            self.position[at] = x;
            self.velocity[at] = v;
        }
    }

    /// Finds what its nodes, of those of all sheets, may touch within `dt` seconds, and by node the distance `free` of walls, metres.
    pub fn find_contacts(&mut self, walls: &Walls, at: &[DVec3], velocity: &[DVec3], dt: f64, free: &mut [f64]) {
        self.contacts.clear();
        for (place, node) in self.springs.range.nodes().enumerate() {
            free[node] =
                contacts::find(walls, place, at[node], velocity[node], dt, |contact| self.contacts.push(contact));
        }
        self.contacts.retain(|contact| self.springs.is_free[contact.place] > 0.0);
    }

    /// Stops the nodes that have crossed what they touch, after a step of `dt` seconds.
    pub fn resolve_contacts(&mut self, dt: f64) {
        let mut contacts = std::mem::take(&mut self.contacts);
        for contact in &mut contacts {
            let (mut at, mut velocity) = self.node(contact.place);
            contact.resolve(&mut at, &mut velocity, dt);
            self.set_node(contact.place, at, velocity);
        }
        self.contacts = contacts;
    }

    /// Makes one step of `dt` seconds under `gravity`, m/s².
    #[simd]
    pub fn step<S: Simd>(&mut self, simd: S, cloth: &ClothDef, gravity: DVec3, dt: f64) {
        let Self { springs, position, velocity, stages, contacts } = self;
        let accelerate = |x: &[f64], v: &[f64], a: &mut [f64]| {
            springs.accelerate(simd, cloth, gravity, x, v, a);
            for contact in contacts.iter_mut().filter(|contact| contact.bears) {
                contact.bear(springs.planes(contact.place), a);
            }
        };
        stages.step(cloth.integrator, position, velocity, dt, accelerate);
        self.limit_speed();
    }

    #[inline(always)]
    fn limit_speed(&mut self) {
        let (x, rest) = self.velocity[self.springs.margin..].split_at_mut(self.springs.plane);
        let (y, z) = rest.split_at_mut(self.springs.plane);
        let is_too_fast = |((x, y), z): ((&f64, &f64), &f64)| x * x + y * y + z * z > MAX_SPEED * MAX_SPEED;
        if x.iter().zip(&*y).zip(&*z).fold(false, |any, node| any | is_too_fast(node)) {
            for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
                [*x, *y, *z] = DVec3::new(*x, *y, *z).clamp_length_max(MAX_SPEED).to_array();
            }
        }
    }
}

impl SpringGrid {
    /// A sheet without springs.
    fn new(range: SheetRange) -> Self {
        let plane = range.nodes().len().next_multiple_of(MAX_LANES);
        let margin = 2 * range.columns + MAX_LANES;
        let kinds = SpringKind::ALL.map(|kind| Springs {
            ends: kind.ends().map(|[column, row]| column + row * range.columns),
            rest: 0.0,
            stiffness: vec![0.0; plane],
            pull: vec![0.0; 3 * (margin + plane)],
            any: false,
        });
        Self {
            range,
            plane,
            margin,
            kinds,
            half_right: vec![0.0; margin + plane],
            half_below: vec![0.0; margin + plane],
            inverse_mass: vec![0.0; plane],
            is_free: vec![0.0; plane],
            air: vec![0.0; 3 * plane],
            load: vec![0.0; 3 * plane],
        }
    }

    /// Where the coordinates of a node are.
    fn planes(&self, place: usize) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.margin + axis * self.plane + place)
    }

    /// Takes over which springs are intact.
    pub fn set_springs(&mut self, topology: &Topology) {
        for springs in &mut self.kinds {
            springs.stiffness.fill(0.0);
            springs.any = false;
        }
        self.half_right.fill(0.0);
        self.half_below.fill(0.0);
        let nodes = self.range.nodes();
        for spring in topology.springs.iter().filter(|spring| nodes.contains(&(spring.owner as usize))) {
            let owner = spring.owner as usize - nodes.start;
            let springs = &mut self.kinds[spring.kind as usize];
            debug_assert_eq!(springs.ends.map(|end| nodes.start + owner + end), spring.ends.map(|end| end as usize));
            springs.any = true;
            springs.rest = spring.rest;
            springs.stiffness[owner] = spring.stiffness;
            match spring.kind {
                SpringKind::Across => self.half_right[self.margin + owner] = 0.5,
                SpringKind::Down => self.half_below[self.margin + owner] = 0.5,
                _ => {}
            }
        }
    }

    /// Takes over the forces on the nodes of all sheets.
    pub fn set_load(&mut self, load: &[DVec2]) {
        for (place, node) in self.range.nodes().enumerate() {
            [self.load[place], self.load[self.plane + place]] = load[node].to_array();
        }
    }

    /// Evaluates the wind at every node.
    #[simd]
    pub fn sample_wind<S: Simd>(&mut self, simd: S, position: &[f64], wind: &Wind, time: f64) {
        let plane = self.plane;
        for at in (0..plane).step_by(S::f64s::LEN) {
            let place = self.margin + at;
            let air = wind.at(simd, [load(simd, position, place), load(simd, position, place + plane)], time);
            for (axis, &air) in air.iter().enumerate() {
                store::<S>(air, &mut self.air, axis * plane + at);
            }
        }
    }

    /// Computes the accelerations `a` of nodes at `x` with velocities `v`.
    #[simd]
    fn accelerate<S: Simd>(&mut self, simd: S, cloth: &ClothDef, gravity: DVec3, x: &[f64], v: &[f64], a: &mut [f64]) {
        let [damping, linear_damping, drag] =
            [cloth.damping, cloth.linear_damping, cloth.drag_coefficient].map(f64::from);
        let mut force = [[0.0; BLOCK]; 3];
        for first in (0..self.plane).step_by(BLOCK) {
            let count = BLOCK.min(self.plane - first);
            if drag > 0.0 {
                for at in (0..count).step_by(S::f64s::LEN) {
                    let by_air = self.air_force(simd, drag, x, v, first + at);
                    for (by_air, force) in by_air.iter().zip(&mut force) {
                        store::<S>(*by_air, force, at);
                    }
                }
            } else {
                force = [[0.0; BLOCK]; 3];
            }
            for springs in &mut self.kinds {
                if springs.any {
                    springs.stretch(simd, damping, [x, v], [self.margin, self.plane], [first, count]);
                    springs.pull(simd, [self.margin, self.plane], [first, count], &mut force);
                }
            }
            for axis in 0..3 {
                let gravity = S::f64s::splat(simd, gravity[axis]);
                let place = self.margin + axis * self.plane + first;
                let (v, a) = (&v[place..place + count], &mut a[place..place + count]);
                let inverse_mass = &self.inverse_mass[first..first + count];
                let is_free = &self.is_free[first..first + count];
                let place = axis * self.plane + first;
                let own = &self.load[place..place + count];
                for at in (0..count).step_by(S::f64s::LEN) {
                    let body = gravity - load(simd, v, at) * linear_damping;
                    let pull = (load(simd, &force[axis], at) + load(simd, own, at)) * load(simd, inverse_mass, at);
                    store::<S>(pull + body * load(simd, is_free, at), a, at);
                }
            }
        }
    }

    /// Air pressure on the cloth: `air · u²` for the component u of the relative velocity along the normal. The vector
    /// area of a node is its normal, with the area (m²) as its length.
    #[inline(always)]
    fn air_force<S: Simd>(&self, simd: S, coefficient: f64, x: &[f64], v: &[f64], at: usize) -> [S::f64s; 3] {
        let (columns, base) = (self.range.columns, self.margin + at);
        let half = [
            load(simd, &self.half_right, base),
            load(simd, &self.half_right, base - 1),
            load(simd, &self.half_below, base - columns),
            load(simd, &self.half_below, base),
        ];
        let mut across = [S::f64s::splat(simd, 0.0); 3];
        let mut upward = [0.0, 0.0, -1.0].map(|normal| S::f64s::splat(simd, normal));
        let mut relative = across;
        for axis in 0..3 {
            let place = base + axis * self.plane;
            let here = load(simd, x, place);
            let to_right = half[0] * (load(simd, x, place + 1) - here);
            across[axis] = to_right + half[1] * (here - load(simd, x, place - 1));
            if !self.range.is_edge_on() {
                let from_above = half[2] * (load(simd, x, place - columns) - here);
                upward[axis] = from_above + half[3] * (here - load(simd, x, place + columns));
            }
            relative[axis] = load(simd, &self.air, axis * self.plane + at) - load(simd, v, place);
        }
        let area = [
            across[1] * upward[2] - across[2] * upward[1],
            across[2] * upward[0] - across[0] * upward[2],
            across[0] * upward[1] - across[1] * upward[0],
        ];
        let flux = relative[0] * area[0] + relative[1] * area[1] + relative[2] * area[2];
        let square = area[0] * area[0] + area[1] * area[1] + area[2] * area[2];
        let scale = flux * flux.abs() * coefficient / square.max(S::f64s::splat(simd, MIN_AREA));
        [area[0] * scale, area[1] * scale, area[2] * scale]
    }

    /// Whether a spring is longer than `stretch` times its rest length.
    #[simd]
    pub fn is_overstretched<S: Simd>(&self, simd: S, x: &[f64], stretch: f64) -> bool {
        let zero = S::f64s::splat(simd, 0.0);
        for springs in &self.kinds {
            let limit = S::f64s::splat(simd, (stretch * springs.rest).powi(2));
            let length = if springs.any { self.plane } else { 0 };
            for at in (0..length).step_by(S::f64s::LEN) {
                let mut square = zero;
                for axis in 0..3 {
                    let place = self.margin + axis * self.plane + at;
                    let along = load(simd, x, place + springs.ends[1]) - load(simd, x, place + springs.ends[0]);
                    square += along * along;
                }
                let exists = load(simd, &springs.stiffness, at).simd_gt(zero);
                if exists.select(square, zero).simd_gt(limit).any_true() {
                    return true;
                }
            }
        }
        false
    }
}

/// Runs of `count` values, one in each of three planes, the first of them from `at` on.
#[inline(always)]
fn runs(values: &[f64], at: usize, plane: usize, count: usize) -> [&[f64]; 3] {
    [&values[at..at + count], &values[at + plane..at + plane + count], &values[at + 2 * plane..at + 2 * plane + count]]
}

impl Springs {
    /// Hooke and Kelvin–Voigt: finds `k (l − l₀) + k τ dl/dt` along the springs whose owners are `count` nodes from `first` on.
    #[inline(always)]
    fn stretch<S: Simd>(
        &mut self,
        simd: S,
        damping: f64,
        [x, v]: [&[f64]; 2],
        [margin, plane]: [usize; 2],
        [first, count]: [usize; 2],
    ) {
        let [from, to] = self.ends;
        let place = margin + first;
        let (x_from, x_to) = (runs(x, place + from, plane, count), runs(x, place + to, plane, count));
        let (v_from, v_to) = (runs(v, place + from, plane, count), runs(v, place + to, plane, count));
        let stiffness = &self.stiffness[first..first + count];
        let (pull_x, rest) = self.pull.split_at_mut(margin + plane);
        let (pull_y, pull_z) = rest.split_at_mut(margin + plane);
        let pulls =
            [&mut pull_x[place..place + count], &mut pull_y[place..place + count], &mut pull_z[place..place + count]];
        let (one, coincident) = (S::f64s::splat(simd, 1.0), S::f64s::splat(simd, COINCIDENT));
        for at in (0..count).step_by(S::f64s::LEN) {
            let dx = load(simd, x_to[0], at) - load(simd, x_from[0], at);
            let dy = load(simd, x_to[1], at) - load(simd, x_from[1], at);
            let dz = load(simd, x_to[2], at) - load(simd, x_from[2], at);
            let dvx = load(simd, v_to[0], at) - load(simd, v_from[0], at);
            let dvy = load(simd, v_to[1], at) - load(simd, v_from[1], at);
            let dvz = load(simd, v_to[2], at) - load(simd, v_from[2], at);
            let square = dx * dx + dy * dy + dz * dz;
            let inverse = one / square.max(coincident).sqrt();
            let rate = (dx * dvx + dy * dvy + dz * dvz) * damping * (inverse * inverse);
            let scale = load(simd, stiffness, at) * (one - inverse * self.rest + rate);
            store::<S>(scale * dx, pulls[0], at);
            store::<S>(scale * dy, pulls[1], at);
            store::<S>(scale * dz, pulls[2], at);
        }
    }

    /// Adds the pull of the springs to the `force` on their ends among `count` nodes from `first` on.
    #[inline(always)]
    fn pull<S: Simd>(
        &self,
        simd: S,
        [margin, plane]: [usize; 2],
        [first, count]: [usize; 2],
        force: &mut [[f64; BLOCK]; 3],
    ) {
        let place = margin + first;
        let on_first = runs(&self.pull, place - self.ends[0], margin + plane, count);
        let on_second = runs(&self.pull, place - self.ends[1], margin + plane, count);
        for axis in 0..3 {
            let force = &mut force[axis][..count];
            for at in (0..count).step_by(S::f64s::LEN) {
                let sum = load(simd, force, at) + load(simd, on_first[axis], at) - load(simd, on_second[axis], at);
                store::<S>(sum, force, at);
            }
        }
    }
}
