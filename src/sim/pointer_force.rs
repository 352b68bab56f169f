//! Forces of a pointer on matter.

use crate::sim::particles::ParticleSliceMut;
use glam::Vec2;

/// A force with a smooth edge around a point, which acts during the steps for which it is given to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerForce {
    /// Centre, metres.
    pub at: Vec2,
    /// Radius of the brush, metres.
    pub radius: f32,
    /// Its action.
    pub kind: PointerForceKind,
}

/// The action of a pointer on everything within its radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerForceKind {
    /// The pointer moves with this velocity (m/s) and drags the fluid along.
    Push {
        /// Velocity of the pointer, m/s.
        velocity: Vec2,
    },
    /// As a push, for a pointer moved by hand: the fluid under the brush turns with it about the centre of its path's
    /// curvature, so a small circle with a large brush leaves a vortex and no wave. A pointer at rest lets the fluid
    /// flow on.
    Carry {
        /// Velocity of the pointer, m/s.
        velocity: Vec2,
        /// The rate at which its path turns, rad/s.
        spin: f32,
    },
    /// Keeps fluid turning about a place, beyond the core as around a vortex. It accelerates fluid that has become
    /// slower and brakes none.
    Whirl {
        /// Angular velocity of the core, rad/s.
        spin: f32,
        /// Radius of the core, metres.
        core: f32,
    },
    /// Draws the fluid to the pointer and holds it there.
    Pull,
    /// Throws the fluid outwards (the click of CS184's project), with an acceleration that grows towards the centre and
    /// is limited there.
    Explode,
    /// Keeps the fluid away from the pointer while it acts.
    Repel,
    /// Pours a stream from the pointer with this velocity, m/s, which carries along the fluid in its way. A liquid gets
    /// particles of the phase of this number, a grid the dye of this number.
    Pour {
        /// Velocity of the stream, m/s.
        velocity: Vec2,
        /// Number of the phase or the dye.
        number: u8,
    },
    /// Draws the fluid to the pointer and removes it there; the dyes of a grid fade.
    Drain,
    /// Heats or cools the matter under the brush.
    Heat {
        /// 1 heats at the full rate; −1 cools.
        rate: f32,
    },
}

impl PointerForceKind {
    /// Whether it acts on bodies and cloth. A stream acts on them by its fluid.
    pub fn acts_on_solids(self) -> bool {
        !matches!(self, Self::Pour { .. } | Self::Drain | Self::Whirl { .. } | Self::Heat { .. })
    }

    /// The velocity of the pointer that drags a solid along, m/s.
    pub fn drag(self) -> Option<Vec2> {
        match self {
            Self::Push { velocity } | Self::Carry { velocity, .. } => Some(velocity),
            _ => None,
        }
    }
}

/// Rate at which a pushed fluid takes on the pointer's velocity, per second.
const DRAG_RATE: f32 = 30.0;

/// Speed below which a carrying pointer acts in proportion to its speed, m/s: a hand that stops before it releases
/// would stop the vortex that it has stirred.
const LETS_FLOW: f32 = 0.3;

/// Rate at which slow fluid in a whirl is accelerated, per second.
const WHIRL_RATE: f32 = 4.0;

/// Pull towards the pointer, m/s²: this times `s (1 − s²)` at a fraction s of the brush's radius. It is zero in the
/// middle and at the edge, and 46 m/s² at 0.58 of the radius: 4.7 times gravity, so that it can lift.
const PULL: f32 = 120.0;

/// Rate at which a pulled fluid loses its velocity, per second, so that it gathers instead of orbiting.
const PULL_DRAG: f32 = 6.0;

/// Largest outward acceleration of a burst, m/s².
const EXPLODE_ACCELERATION: f32 = 120.0;

/// Largest outward acceleration of a pointer that keeps fluid away, m/s².
const REPEL_ACCELERATION: f32 = 140.0;

/// Pull of a drain, as [`PULL`], m/s².
const DRAIN_PULL: f32 = 80.0;

impl PointerForce {
    /// The velocity of matter at `from_pointer` after `dt` seconds of this force.
    pub fn apply(&self, from_pointer: Vec2, velocity: Vec2, dt: f32) -> Vec2 {
        let share = from_pointer.length() / self.radius;
        // Full strength in the middle, flat at the edge: the edge of the brush leaves no visible seam.
        let weight = (1.0 - share * share).max(0.0).powi(2);
        match self.kind {
            PointerForceKind::Push { velocity: pointer } | PointerForceKind::Pour { velocity: pointer, .. } => {
                velocity + (pointer - velocity) * (DRAG_RATE * weight * dt).min(1.0)
            }
            PointerForceKind::Carry { velocity: pointer, spin } => {
                let rate = DRAG_RATE * (pointer.length() / LETS_FLOW).min(1.0);
                velocity + (round(pointer, spin, from_pointer) - velocity) * (rate * weight * dt).min(1.0)
            }
            PointerForceKind::Whirl { spin, core } => {
                let radius = from_pointer.length().max(f32::MIN_POSITIVE);
                let around = from_pointer.perp() * (spin.signum() / radius);
                let missing = spin.abs() * radius.min(core * core / radius) - velocity.dot(around);
                velocity + around * missing.max(0.0) * (WHIRL_RATE * weight * dt).min(1.0)
            }
            PointerForceKind::Pull => attract(PULL, from_pointer, share, weight, velocity, dt),
            PointerForceKind::Drain => attract(DRAIN_PULL, from_pointer, share, weight, velocity, dt),
            PointerForceKind::Heat { .. } => velocity,
            PointerForceKind::Explode => {
                velocity + from_pointer.normalize_or(Vec2::Y) * EXPLODE_ACCELERATION * weight * dt
            }
            PointerForceKind::Repel => velocity + from_pointer.normalize_or(Vec2::Y) * REPEL_ACCELERATION * weight * dt,
        }
    }

    /// Acts on the particles within its radius for `dt` seconds.
    pub fn apply_to_particles(&self, p: &mut ParticleSliceMut, dt: f32) {
        for slot in p.slots() {
            let from_pointer = p.at(slot) - self.at;
            if from_pointer.length_squared() < self.radius * self.radius {
                p.set_velocity(slot, self.apply(from_pointer, p.velocity(slot), dt));
            }
        }
    }
}

/// Velocity, off the pointer, of a flow around the centre of curvature of the pointer's path: as a solid's up to the
/// pointer, and as a vortex's, in inverse proportion to the radius, beyond. All of it as a solid, tried first, threw
/// the water at the rim of the brush out of the pool.
fn round(pointer: Vec2, spin: f32, from_pointer: Vec2) -> Vec2 {
    let solid = pointer + spin * from_pointer.perp();
    // The squared radius, relative to the pointer's own.
    let radius = solid.length_squared() / pointer.length_squared().max(f32::MIN_POSITIVE);
    solid / radius.max(1.0)
}

/// Velocity of matter drawn to the pointer, after `dt` seconds.
fn attract(pull: f32, from_pointer: Vec2, share: f32, weight: f32, velocity: Vec2, dt: f32) -> Vec2 {
    let drag = (PULL_DRAG * weight * dt).min(1.0);
    let toward = -from_pointer.normalize_or_zero();
    velocity * (1.0 - drag) + toward * pull * share.min(1.0) * (1.0 - share * share).max(0.0) * dt
}
