//! Kinematic nodes: pins, which follow the tank's shape, and nodes that a pointer holds.

use crate::sim::clock::STEP;
use crate::sim::cloth::Cloth;
use crate::sim::cloth::mesh::InitialPose;
use crate::sim::pointer_force::PointerForce;
use glam::{DVec2, DVec3, Vec2};

/// Radius within which a pointer grabs nodes, as a fraction of the brush's.
const GRAB_RADIUS: f32 = 0.5;

/// Maximum speed at which a pin or a pointer leads a node, m/s: a tank changes shape more slowly.
const MAX_PIN_SPEED: f64 = 4.0;
const MAX_GRAB_SPEED: f64 = 12.0;

/// A pinned node, and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pin {
    node: u32,
    place: DVec3,
}

impl Pin {
    pub fn node(&self) -> usize {
        self.node as usize
    }
}

/// Maximum number of pointers that hold cloth at once.
const MAX_GRABS: usize = 8;

/// Nodes that a pointer holds, and the offset of each from the pointer.
#[derive(Clone, Debug, Default)]
struct Grab {
    /// Last position of the pointer; none while it holds nothing.
    middle: Option<DVec2>,
    /// Index of its force in this substep.
    force: Option<usize>,
    nodes: Vec<(u32, DVec2)>,
}

/// The nodes that pointers hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Grabs([Grab; MAX_GRABS]);

impl Grabs {
    /// Assigns each dragging force its grab: the one whose pointer was nearest in the last substep, or a new one.
    /// Pointers without a force release their nodes.
    fn assign(&mut self, pointer_forces: &[PointerForce], at: &[DVec3]) {
        let Self(grabs) = self;
        grabs.iter_mut().for_each(|grab| grab.force = None);
        let pushing = || pointer_forces.iter().enumerate().filter(|(_, force)| force.kind.drag().is_some());
        // The nearest pairs first, so that a new grab takes no cloth from another.
        for _ in 0..MAX_GRABS {
            let waiting = |number: usize| grabs.iter().all(|grab| grab.force != Some(number));
            let held = |grab: &Grab| grab.middle.filter(|_| grab.force.is_none());
            let pairs = pushing().filter(|&(number, _)| waiting(number)).flat_map(|(number, force)| {
                let middles = grabs.iter().enumerate().filter_map(|(slot, grab)| Some((slot, held(grab)?)));
                middles.map(move |(slot, middle)| (number, slot, middle.distance_squared(force.at.as_dvec2())))
            });
            let Some((number, slot, _)) = pairs.min_by(|a, b| a.2.total_cmp(&b.2)) else { break };
            grabs[slot].force = Some(number);
        }
        for grab in grabs.iter_mut().filter(|grab| grab.force.is_none()) {
            grab.middle = None;
        }
        for (number, force) in pushing() {
            if grabs.iter().all(|grab| grab.force != Some(number))
                && let Some(free) = grabs.iter_mut().find(|grab| grab.force.is_none())
            {
                free.force = Some(number);
                free.close(force, at);
            }
        }
    }
}

impl Grab {
    /// Grabs the nodes nearby.
    fn close(&mut self, force: &PointerForce, at: &[DVec3]) {
        let middle = force.at.as_dvec2();
        self.nodes.clear();
        let palm = f64::from(GRAB_RADIUS * force.radius);
        let near = at.iter().enumerate().filter(|(_, at)| at.truncate().distance(middle) < palm);
        self.nodes.extend(near.map(|(node, at)| (node as u32, at.truncate() - middle)));
    }
}

impl Cloth {
    /// Records which nodes are pinned, and their places in a tank of `size` metres.
    pub(super) fn pin(&mut self, size: Vec2) {
        self.pins.clear();
        for (sheet, range) in self.definition.sheet.iter().zip(&self.sheets) {
            let hanging = InitialPose::new(sheet, size);
            for (column, row) in (0..range.rows).flat_map(|row| (0..range.columns).map(move |column| (column, row))) {
                if sheet.is_pinned(column, row) {
                    self.pins.push(Pin { node: range.node(column, row) as u32, place: hanging.place(column, row) });
                }
            }
        }
    }

    /// Moves everything to its place at the start in a tank of `size` metres.
    pub(super) fn hang(&mut self, size: Vec2) {
        for (sheet, range) in self.definition.sheet.iter().zip(&self.sheets) {
            let hanging = InitialPose::new(sheet, size);
            for (column, row) in (0..range.rows).flat_map(|row| (0..range.columns).map(move |column| (column, row))) {
                self.at[range.node(column, row)] = hanging.place(column, row);
            }
        }
        self.velocity.fill(DVec3::ZERO);
    }

    /// Sets the velocities of kinematic nodes, so that they reach their target positions.
    pub(super) fn drive_kinematic(&mut self, pointer_forces: &[PointerForce], dt: f64) {
        self.kinematic.fill(false);
        for pin in &self.pins {
            let node = pin.node as usize;
            self.kinematic[node] = true;
            self.velocity[node] = ((pin.place - self.at[node]) / dt).clamp_length_max(MAX_PIN_SPEED);
        }
        self.drag_grabbed(pointer_forces);
    }

    /// Leads the nodes that pointers hold to the pointers.
    fn drag_grabbed(&mut self, pointer_forces: &[PointerForce]) {
        self.grabs.assign(pointer_forces, &self.at);
        for grab in &mut self.grabs.0 {
            let Some(force) = grab.force else { continue };
            let middle = pointer_forces[force].at.as_dvec2();
            grab.middle = Some(middle);
            for &(node, offset) in &grab.nodes {
                let node = node as usize;
                if !self.kinematic[node] {
                    self.kinematic[node] = true;
                    let way = middle + offset - self.at[node].truncate();
                    self.velocity[node] = (way / f64::from(STEP)).clamp_length_max(MAX_GRAB_SPEED).extend(0.0);
                }
            }
        }
    }

    /// Applies pulls and bursts, as to any matter.
    pub(super) fn apply_pointer_forces(&mut self, pointer_forces: &[PointerForce], dt: f32) {
        let acts = |force: &&PointerForce| force.kind.acts_on_solids() && force.kind.drag().is_none();
        for force in pointer_forces.iter().filter(acts) {
            for (node, at) in self.at.iter().enumerate().filter(|&(node, _)| !self.kinematic[node]) {
                let from_pointer = at.truncate().as_vec2() - force.at;
                if from_pointer.length_squared() < force.radius * force.radius {
                    let v = &mut self.velocity[node];
                    *v = force.apply(from_pointer, v.truncate().as_vec2(), dt).as_dvec2().extend(v.z);
                }
            }
        }
    }
}
