//! Forces that act on all matter within a radius.

use crate::sim::particles::ParticleSliceMut;
use glam::Vec2;

/// A force with a smooth edge around a point, which acts during the steps for which it is given to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerForce {
    /// Centre, metres.
    pub at: Vec2,
    /// Radius within which it acts, metres; infinite for a force that acts everywhere alike.
    pub radius: f32,
    /// Its action.
    pub kind: PointerForceKind,
}

/// The action of a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerForceKind {
    /// Drags matter along with a moving pointer.
    Push {
        /// Velocity of the pointer, m/s.
        velocity: Vec2,
    },
    /// As a push, for a pointer moved by hand: the fluid under the brush turns with it about the centre of curvature of its path.
    Carry {
        /// Velocity of the pointer, m/s.
        velocity: Vec2,
        /// The rate at which its path turns, rad/s.
        spin: f32,
    },
    /// A vortex that accelerates slower fluid: as a solid in the core, and in inverse proportion to the radius beyond.
    Whirl {
        /// Angular velocity of the core, rad/s.
        spin: f32,
        /// Radius of the core, metres.
        core: f32,
    },
    /// Draws matter to the pointer and holds it there.
    Attract {
        /// Factor on the acceleration, at most 100.
        strength: f32,
    },
    /// Throws matter outwards in a burst (the click of CS184's project), limited in the middle.
    Explode {
        /// Factor on the acceleration, at most 100.
        strength: f32,
    },
    /// Keeps matter away from the pointer while it acts.
    Repel {
        /// Factor on the acceleration, at most 100.
        strength: f32,
    },
    /// A stream from the pointer, which carries along the fluid in its way. It acts on bodies and cloth by its fluid.
    Pour {
        /// Velocity of the stream, m/s.
        velocity: Vec2,
        /// Number of the phase that a liquid gets, or of the dye that a grid gets.
        number: u8,
    },
    /// Draws fluid to the pointer and removes it there; the dyes of a grid fade.
    Drain,
    /// Heats or cools the matter under the brush.
    HeatBrush {
        /// 1 heats at the full rate; −1 cools.
        rate: f32,
    },
}

/// The greatest factor on accelerations.
const MAX_STRENGTH: f32 = 100.0;

/// Rate at which a pushed fluid takes on the pointer's velocity, per second.
const DRAG_RATE: f32 = 30.0;

/// Speed below which a carrying pointer acts in proportion to its speed, m/s: a hand that stops keeps the vortex.
const MIN_CARRY_SPEED: f32 = 0.3;

/// Rate at which a whirl accelerates slow fluid, per second.
const WHIRL_RATE: f32 = 4.0;

/// Largest accelerations, m/s². The pull reaches 46 m/s² at 0.58 of the radius, 4.7 times gravity, so that it can lift.
const ATTRACTION: f32 = 120.0;
const EXPLOSION: f32 = 120.0;
const REPULSION: f32 = 140.0;
const SUCTION: f32 = 80.0;

impl PointerForceKind {
    /// Whether its numbers are finite and its strength is in its range.
    pub(in crate::sim) fn is_valid(self) -> bool {
        match self {
            Self::Push { velocity } | Self::Pour { velocity, .. } => velocity.is_finite(),
            Self::Carry { velocity, spin } => velocity.is_finite() && spin.is_finite(),
            Self::Whirl { spin, core } => spin.is_finite() && core.is_finite(),
            Self::Attract { strength } | Self::Explode { strength } | Self::Repel { strength } => {
                strength.abs() <= MAX_STRENGTH
            }
            Self::HeatBrush { rate } => rate.is_finite(),
            Self::Drain => true,
        }
    }

    /// Whether it acts on bodies and cloth.
    pub fn acts_on_solids(self) -> bool {
        !matches!(self, Self::Whirl { .. } | Self::Pour { .. } | Self::Drain | Self::HeatBrush { .. })
    }

    /// The velocity with which it drags along the nearest point of a body, or the nodes of cloth that it has grabbed, m/s.
    pub fn drag(self) -> Option<Vec2> {
        match self {
            Self::Push { velocity } | Self::Carry { velocity, .. } => Some(velocity),
            _ => None,
        }
    }

    /// Rate at which it brakes the rotation of a body, 1/s.
    pub fn angular_drag(self) -> f32 {
        if matches!(self, Self::Attract { .. }) { 4.0 } else { 0.0 }
    }

    /// The rate at which it heats, as a fraction of the full rate; a negative one cools.
    pub fn heating(self) -> f32 {
        if let Self::HeatBrush { rate } = self { rate } else { 0.0 }
    }
}

impl PointerForce {
    /// Velocity of matter at `offset` from the centre after `dt` seconds of this force.
    pub fn apply(&self, offset: Vec2, velocity: Vec2, dt: f32) -> Vec2 {
        let fraction = offset.length() / self.radius;
        // 1 in the middle, and 0 with no slope at the edge, which leaves no visible seam.
        let weight = (1.0 - fraction * fraction).max(0.0).powi(2);
        // By `pull` m/s² times s (1 − s²) at a fraction s of the radius. Velocity is lost at 6 per second, so that matter gathers.
        let attract = |pull: f32| {
            let drag = (6.0 * weight * dt).min(1.0);
            let toward = -offset.normalize_or_zero();
            velocity * (1.0 - drag) + toward * pull * fraction.min(1.0) * (1.0 - fraction * fraction).max(0.0) * dt
        };
        let throw = |acceleration: f32| velocity + offset.normalize_or(Vec2::Y) * acceleration * weight * dt;
        match self.kind {
            PointerForceKind::Push { velocity: wanted } | PointerForceKind::Pour { velocity: wanted, .. } => {
                velocity + (wanted - velocity) * (DRAG_RATE * weight * dt).min(1.0)
            }
            PointerForceKind::Carry { velocity: carried, spin } => {
                let rate = DRAG_RATE * (carried.length() / MIN_CARRY_SPEED).min(1.0);
                // As a solid's up to the pointer, and as a vortex's, in inverse proportion to the radius, beyond.
                let solid = carried + spin * offset.perp();
                let squared_radius = solid.length_squared() / carried.length_squared().max(f32::MIN_POSITIVE);
                velocity + (solid / squared_radius.max(1.0) - velocity) * (rate * weight * dt).min(1.0)
            }
            PointerForceKind::Whirl { spin, core } => {
                let radius = offset.length().max(f32::MIN_POSITIVE);
                let around = offset.perp() * (spin.signum() / radius);
                let missing = spin.abs() * radius.min(core * core / radius) - velocity.dot(around);
                velocity + around * missing.max(0.0) * (WHIRL_RATE * weight * dt).min(1.0)
            }
            PointerForceKind::Attract { strength } => attract(strength * ATTRACTION),
            PointerForceKind::Drain => attract(SUCTION),
            PointerForceKind::Explode { strength } => throw(strength * EXPLOSION),
            PointerForceKind::Repel { strength } => throw(strength * REPULSION),
            PointerForceKind::HeatBrush { .. } => velocity,
        }
    }

    /// Acts on the particles within its radius for `dt` seconds.
    pub fn apply_to_particles(&self, p: &mut ParticleSliceMut, dt: f32) {
        for slot in p.slots() {
            let offset = p.at(slot) - self.at;
            if offset.length_squared() < self.radius * self.radius {
                p.set_velocity(slot, self.apply(offset, p.velocity(slot), dt));
            }
        }
    }
}
