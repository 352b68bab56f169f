//! Kinematic nodes: pins, which follow the tank's shape, and the pointer's hand.

use crate::sim::clock::STEP;
use crate::sim::cloth::Cloth;
use crate::sim::cloth::mesh::InitialPose;
use crate::sim::pointer_force::PointerForce;
use glam::{DVec2, DVec3, Vec2};

/// The part of the brush, as a share of its radius, in which the hand takes hold.
const GRAB_RADIUS: f32 = 0.5;

/// The fastest that a node is led by a pin and by the hand, m/s: a tank changes shape more slowly.
const MAX_PIN_SPEED: f64 = 4.0;
const MAX_GRAB_SPEED: f64 = 12.0;

/// Nodes that keep their place, and where that is.
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

/// Nodes in the pointer's hand, and where each is from its middle.
#[derive(Clone, Debug, Default)]
pub(super) struct Grab {
    closed: bool,
    nodes: Vec<(u32, DVec2)>,
}

impl Cloth {
    /// Notes which nodes are pinned, and where in a tank of `size` metres.
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

    /// Puts everything where it hangs at the start in a tank of `size` metres.
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

    /// A hand that pushes holds what it closed on, until it opens.
    fn drag_grabbed(&mut self, pointer_forces: &[PointerForce]) {
        let pushing = pointer_forces.iter().find(|force| force.kind.drag().is_some());
        let Some(force) = pushing else {
            self.grab.closed = false;
            return;
        };
        let middle = force.at.as_dvec2();
        if !self.grab.closed {
            self.grab.closed = true;
            self.grab.nodes.clear();
            let palm = f64::from(GRAB_RADIUS * force.radius);
            let near = self.at.iter().enumerate().filter(|(_, at)| at.truncate().distance(middle) < palm);
            self.grab.nodes.extend(near.map(|(node, at)| (node as u32, at.truncate() - middle)));
        }
        for &(node, offset) in &self.grab.nodes {
            let node = node as usize;
            if !self.kinematic[node] {
                self.kinematic[node] = true;
                let way = middle + offset - self.at[node].truncate();
                self.velocity[node] = (way / f64::from(STEP)).clamp_length_max(MAX_GRAB_SPEED).extend(0.0);
            }
        }
    }

    /// Pulls and bursts act on the cloth as on anything else.
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
