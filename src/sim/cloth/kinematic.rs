//! Kinematic nodes, whose motion is prescribed: pins, which follow the tank's shape, and nodes that a pointer holds.

use crate::sim::clock::STEP;
use crate::sim::cloth::definition::ClothDef;
use crate::sim::cloth::pose::InitialPose;
use crate::sim::cloth::topology::Topology;
use crate::sim::forces::PointerForce;
use glam::{DVec2, DVec3, Vec2};

/// Radius within which a pointer grabs nodes, as a fraction of the brush's.
const GRAB_RADIUS: f32 = 0.5;

/// Maximum speed at which a pin leads a node, m/s: a tank changes shape more slowly.
const MAX_PIN_SPEED: f64 = 4.0;

/// Maximum speed at which a pointer leads a node, m/s.
const MAX_GRAB_SPEED: f64 = 12.0;

/// Maximum number of pointers that hold cloth at once.
const MAX_GRABS: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct KinematicNodes {
    /// Nodes, and where they are pinned.
    pub(super) pins: Vec<(usize, DVec3)>,
    grabs: [Grab; MAX_GRABS],
    /// By node, whether it is kinematic in this substep.
    pub is_kinematic: Vec<bool>,
}

/// Nodes that a pointer holds, and the offset of each from the pointer.
#[derive(Clone, Debug, Default)]
struct Grab {
    /// Last position of the pointer; none while it holds nothing.
    pointer: Option<DVec2>,
    /// Index of its force in this substep.
    force: Option<usize>,
    nodes: Vec<(u32, DVec2)>,
}

impl KinematicNodes {
    /// Records which nodes are pinned, and their positions in a tank of `size` metres.
    pub fn pin(&mut self, definition: &ClothDef, topology: &Topology, size: Vec2) {
        self.is_kinematic.resize(topology.nodes(), false);
        self.pins.clear();
        for (sheet, range) in definition.sheet.iter().zip(&topology.sheets) {
            let pose = InitialPose::new(sheet, size);
            for (node, column, row) in range.grid().filter(|&(_, column, row)| sheet.is_pinned(column, row)) {
                self.pins.push((node, pose.position(column, row)));
            }
        }
    }

    /// Kinematic nodes reach their target positions: pins in a substep of `dt` seconds, grabbed nodes in a step.
    pub fn drive(&mut self, forces: &[PointerForce], positions: &[DVec3], velocity: &mut [DVec3], dt: f64) {
        self.is_kinematic.fill(false);
        for &(node, position) in &self.pins {
            self.is_kinematic[node] = true;
            velocity[node] = ((position - positions[node]) / dt).clamp_length_max(MAX_PIN_SPEED);
        }
        self.assign_grabs(forces, positions);
        for grab in &mut self.grabs {
            let Some(force) = grab.force else { continue };
            let pointer = forces[force].at.as_dvec2();
            grab.pointer = Some(pointer);
            for &(node, offset) in &grab.nodes {
                let node = node as usize;
                if !self.is_kinematic[node] {
                    self.is_kinematic[node] = true;
                    let path = pointer + offset - positions[node].truncate();
                    velocity[node] = (path / f64::from(STEP)).clamp_length_max(MAX_GRAB_SPEED).extend(0.0);
                }
            }
        }
    }

    /// Each dragging force gets the grab whose pointer was nearest in the last substep, or a new one; other grabs let go.
    fn assign_grabs(&mut self, forces: &[PointerForce], positions: &[DVec3]) {
        let grabs = &mut self.grabs;
        grabs.iter_mut().for_each(|grab| grab.force = None);
        let dragging = || forces.iter().enumerate().filter(|(_, force)| force.kind.drag().is_some());
        // The nearest pairs first, so that a new grab takes no cloth from another.
        for _ in 0..MAX_GRABS {
            let is_waiting = |number: usize| grabs.iter().all(|grab| grab.force != Some(number));
            let held = |grab: &Grab| grab.pointer.filter(|_| grab.force.is_none());
            let pairs = dragging().filter(|&(number, _)| is_waiting(number)).flat_map(|(number, force)| {
                let pointers = grabs.iter().enumerate().filter_map(|(slot, grab)| Some((slot, held(grab)?)));
                pointers.map(move |(slot, pointer)| (number, slot, pointer.distance_squared(force.at.as_dvec2())))
            });
            let Some((number, slot, _)) = pairs.min_by(|a, b| a.2.total_cmp(&b.2)) else { break };
            grabs[slot].force = Some(number);
        }
        for grab in grabs.iter_mut().filter(|grab| grab.force.is_none()) {
            grab.pointer = None;
        }
        for (number, force) in dragging() {
            if grabs.iter().all(|grab| grab.force != Some(number))
                && let Some(free) = grabs.iter_mut().find(|grab| grab.force.is_none())
            {
                free.force = Some(number);
                free.close(force, positions);
            }
        }
    }
}

impl Grab {
    fn close(&mut self, force: &PointerForce, positions: &[DVec3]) {
        let pointer = force.at.as_dvec2();
        let radius = f64::from(GRAB_RADIUS * force.radius);
        self.nodes.clear();
        let near = positions.iter().enumerate().filter(|(_, at)| at.truncate().distance(pointer) < radius);
        self.nodes.extend(near.map(|(node, at)| (node as u32, at.truncate() - pointer)));
    }
}
