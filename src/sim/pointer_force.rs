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

/// What a pointer does to what is within its radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerForceKind {
    /// The pointer moves with this velocity (m/s) and drags the fluid along.
    Push {
        /// The pointer's, m/s.
        velocity: Vec2,
    },
    /// The fluid is drawn to the pointer and held there.
    Pull,
    /// The fluid is thrown outwards (the click of CS184's project), with an acceleration that grows towards the
    /// centre and is clamped there.
    Explode,
}

/// How quickly a pushed fluid takes on the pointer's velocity, per second.
const DRAG_RATE: f32 = 30.0;

/// Pull towards the pointer, m/s²: so many times `s (1 − s²)` at a share s of the brush's radius. That is nothing in the
/// middle and at the edge, and 46 m/s² at 0.58 of the radius: 4.7 times gravity, so that it can lift.
const PULL: f32 = 120.0;

/// How much of the speed a pulled fluid loses per second, so that it gathers instead of orbiting.
const PULL_DRAG: f32 = 6.0;

/// The strongest outward acceleration of a burst, m/s².
const EXPLODE_ACCELERATION: f32 = 120.0;

impl PointerForce {
    /// The velocity of matter at `from_pointer` after `dt` seconds of this force.
    pub fn apply(&self, from_pointer: Vec2, velocity: Vec2, dt: f32) -> Vec2 {
        let share = from_pointer.length() / self.radius;
        // Full strength in the middle, flat at the edge: no seam shows where the brush ends.
        let weight = (1.0 - share * share).max(0.0).powi(2);
        match self.kind {
            PointerForceKind::Push { velocity: pointer } => {
                velocity + (pointer - velocity) * (DRAG_RATE * weight * dt).min(1.0)
            }
            PointerForceKind::Pull => {
                let drag = (PULL_DRAG * weight * dt).min(1.0);
                velocity * (1.0 - drag)
                    - from_pointer.normalize_or_zero() * PULL * share.min(1.0) * (1.0 - share * share).max(0.0) * dt
            }
            PointerForceKind::Explode => {
                velocity + from_pointer.normalize_or(Vec2::Y) * EXPLODE_ACCELERATION * weight * dt
            }
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
