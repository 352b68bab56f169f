//! The pointer's hand in the fluid.

use crate::sim::particles::ParticleSliceMut;
use glam::Vec2;

/// A force with a smooth edge around a point, applied for as long as it is given to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerForce {
    /// Centre, metres.
    pub at: Vec2,
    /// Radius of the brush, metres.
    pub radius: f32,
    /// What it does.
    pub kind: PointerForceKind,
}

/// A pointer's action on everything within its radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerForceKind {
    /// The pointer moves with this velocity (m/s) and drags the fluid along.
    Push {
        /// The pointer's, m/s.
        velocity: Vec2,
    },
    /// As a push, for a pointer that is moved by hand: the fluid under the brush goes round the middle of the curve with it,
    /// so a small circle with a large brush leaves a vortex and no wave. A pointer at rest lets the fluid flow on.
    Carry {
        /// The pointer's, m/s.
        velocity: Vec2,
        /// The rate at which its path turns, rad/s.
        spin: f32,
    },
    /// Fluid that goes round a place goes on doing so, beyond the core as around a vortex. It speeds up what has become
    /// slower and brakes nothing.
    Whirl {
        /// rad/s in the core.
        spin: f32,
        /// Radius of the core, metres.
        core: f32,
    },
    /// The fluid is drawn to the pointer and held there.
    Pull,
    /// The fluid is thrown outwards (the click of CS184's project), with an acceleration that grows towards the
    /// centre and is clamped there.
    Explode,
    /// The fluid is kept away from the pointer for as long as this lasts.
    Repel,
    /// A stream leaves the pointer with this velocity, m/s: it carries along what is in its way. A liquid gets particles of
    /// the phase of this number, a grid the dye of this number.
    Pour {
        /// The stream's, m/s.
        velocity: Vec2,
        /// Of the phase or the dye.
        number: u8,
    },
    /// The fluid is drawn to the pointer and taken out there; the dyes of a grid fade.
    Drain,
    /// What is under the brush is heated, or cooled.
    Heat {
        /// 1 heats as strongly as a hand does; −1 cools.
        rate: f32,
    },
}

impl PointerForceKind {
    /// Whether bodies and cloth feel it. A stream acts on them by its fluid.
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

/// How quickly a pushed fluid takes on the pointer's velocity, per second.
const DRAG_RATE: f32 = 30.0;

/// Below this speed, m/s, a carrying pointer lets go in proportion: a hand that stops before it lets go would stop the
/// vortex that it has stirred.
const LETS_FLOW: f32 = 0.3;

/// How quickly what is too slow in a whirl is sped up, per second.
const WHIRL_RATE: f32 = 4.0;

/// Pull towards the pointer, m/s²: so many times `s (1 − s²)` at a share s of the brush's radius. That is nothing in the
/// middle and at the edge, and 46 m/s² at 0.58 of the radius: 4.7 times gravity, so that it can lift.
const PULL: f32 = 120.0;

/// How much of the speed a pulled fluid loses per second, so that it gathers instead of orbiting.
const PULL_DRAG: f32 = 6.0;

/// The strongest outward acceleration of a burst, m/s².
const EXPLODE_ACCELERATION: f32 = 120.0;

/// The strongest outward acceleration of a pointer that keeps fluid away, m/s².
const REPEL_ACCELERATION: f32 = 140.0;

/// Pull of a drain, as [`PULL`], m/s².
const DRAIN_PULL: f32 = 80.0;

impl PointerForce {
    /// The velocity of matter at `from_pointer` after `dt` seconds of this force.
    pub fn apply(&self, from_pointer: Vec2, velocity: Vec2, dt: f32) -> Vec2 {
        let share = from_pointer.length() / self.radius;
        // Full strength in the middle, flat at the edge: no seam shows where the brush ends.
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

    /// Acts on the particles in its reach for `dt` seconds.
    pub fn apply_to_particles(&self, p: &mut ParticleSliceMut, dt: f32) {
        for slot in p.slots() {
            let from_pointer = p.at(slot) - self.at;
            if from_pointer.length_squared() < self.radius * self.radius {
                p.set_velocity(slot, self.apply(from_pointer, p.velocity(slot), dt));
            }
        }
    }
}

/// The velocity, off the pointer, of a flow that goes round the middle of the curve that the pointer follows: as a solid
/// does up to the pointer, and as the field of a vortex does, in inverse proportion to the radius, beyond. All of it as a
/// solid, tried first, threw the water at the rim of the brush out of the pool.
fn round(pointer: Vec2, spin: f32, from_pointer: Vec2) -> Vec2 {
    let solid = pointer + spin * from_pointer.perp();
    // The square of the radius, in that of the pointer's own.
    let radius = solid.length_squared() / pointer.length_squared().max(f32::MIN_POSITIVE);
    solid / radius.max(1.0)
}

/// The velocity of what is drawn to the pointer, after `dt` seconds.
fn attract(pull: f32, from_pointer: Vec2, share: f32, weight: f32, velocity: Vec2, dt: f32) -> Vec2 {
    let drag = (PULL_DRAG * weight * dt).min(1.0);
    let toward = -from_pointer.normalize_or_zero();
    velocity * (1.0 - drag) + toward * pull * share.min(1.0) * (1.0 - share * share).max(0.0) * dt
}
