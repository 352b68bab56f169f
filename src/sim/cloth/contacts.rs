//! Walls and panes that nodes touch. A node that came out of a wall only once in a substep of the world would be driven by that
//! correction at the rate of its fastest vibrations, so that a sheet on the floor would never rest.

use crate::sim::boundary::Walls;
use glam::{DVec2, DVec3, Vec2};

/// Depth of the tank towards the viewer and away, metres.
const DEPTH: f64 = 0.3;

/// Coulomb's coefficient of friction of cloth on a wall.
const FRICTION: f64 = 0.4;

/// Distance at which a wall is touched by a node at rest, metres.
const TOUCH: f64 = 1e-3;

/// Distance below which a node lies on a wall, metres, which is beyond the rounding of single precision.
const ON_WALL: f64 = 1e-6;

/// A plane that a node does not pass during a substep of the world.
#[derive(Clone, Copy, Debug)]
pub struct NodeContact {
    /// Place of the node in its sheet.
    pub place: usize,
    /// A point of the plane, metres, and its unit normal.
    point: DVec3,
    normal: DVec3,
    /// Velocity of the wall, m/s.
    velocity: DVec3,
    /// Whether the node lies on it, so that it takes the node's load.
    pub bears: bool,
    /// Acceleration that it takes, m/s².
    load: f64,
}

/// Calls `met` with each plane that a node which moves at `velocity` may reach within `dt` seconds. Returns the distance within
/// which the node meets no wall, metres.
pub fn find(walls: &Walls, place: usize, at: DVec3, velocity: DVec3, dt: f64, mut met: impl FnMut(NodeContact)) -> f64 {
    let reach = (TOUCH + velocity.abs().element_sum() * dt).min(walls.support_radius().into());
    let mut free = reach;
    let mut add = |distance: f64, normal: DVec3, velocity: DVec3| {
        free = 0.0;
        met(NodeContact {
            place,
            point: at - distance * normal,
            normal,
            velocity,
            bears: distance < ON_WALL,
            load: 0.0,
        });
    };
    let in_picture = at.truncate().as_vec2();
    walls.contacts(in_picture, reach as f32, |contact| {
        let velocity = wall_velocity(walls, in_picture, contact.normal);
        add(contact.distance.into(), contact.normal.as_dvec2().extend(0.0), velocity);
    });
    let from_pane = DEPTH - at.z.abs();
    if from_pane < reach {
        add(from_pane, DVec3::NEG_Z * at.z.signum(), DVec3::ZERO);
    }
    free
}

impl NodeContact {
    /// After a step of `dt` seconds, puts a node that has crossed the plane back; on it, the node slides with friction.
    pub fn resolve(&mut self, at: &mut DVec3, velocity: &mut DVec3, dt: f64) {
        let depth = (self.point - *at).dot(self.normal);
        self.bears = depth > -1e-9;
        if depth > 0.0 {
            *at += depth * self.normal;
        }
        if self.bears {
            *velocity = slide(*velocity - self.velocity, self.normal, self.load * dt) + self.velocity;
        }
        self.load = 0.0;
    }

    /// Takes the acceleration into the wall away; `planes` are the places of the node's coordinates.
    pub fn bear(&mut self, planes: [usize; 3], acceleration: &mut [f64]) {
        let inward = DVec3::from(planes.map(|at| acceleration[at])).dot(self.normal).min(0.0);
        self.load = -inward;
        for (at, normal) in planes.into_iter().zip(self.normal.to_array()) {
            acceleration[at] -= inward * normal;
        }
    }
}

/// Puts a node that has crossed a wall on its way from `before`, or a pane, back.
pub fn put_back(walls: &Walls, before: DVec2, at: &mut DVec3, velocity: &mut DVec3) {
    if at.z.abs() > DEPTH {
        at.z = at.z.clamp(-DEPTH, DEPTH);
        velocity.z = 0.0;
    }
    if let (free, Some(normal)) = walls.end_of_way(before.as_vec2(), at.truncate().as_vec2()) {
        *at = free.as_dvec2().extend(at.z);
        let wall = wall_velocity(walls, free, normal);
        *velocity = slide(*velocity - wall, normal.as_dvec2().extend(0.0), 0.0) + wall;
    }
}

fn wall_velocity(walls: &Walls, at: Vec2, normal: Vec2) -> DVec3 {
    walls.wall_velocity(at, normal).as_dvec2().extend(0.0)
}

/// What is left of a velocity relative to a wall that takes `pressed` (m/s) beside what moves into it: Coulomb's friction.
fn slide(relative: DVec3, normal: DVec3, pressed: f64) -> DVec3 {
    let inward = relative.dot(normal).min(0.0);
    let along = relative - inward * normal;
    let tangential = along - along.dot(normal) * normal;
    let speed = tangential.length();
    let lost = (FRICTION * (pressed - inward)).min(speed);
    along - tangential * (lost / speed.max(1e-12))
}
