//! Forces that act on all matter within a radius: a file each, and a line in the list below.

mod attract;
mod carry;
mod drain;
mod explode;
mod heat_brush;
mod pour;
mod push;
mod repel;
mod whirl;

pub use attract::Attract;
pub use carry::Carry;
pub use drain::Drain;
pub use explode::Explode;
pub use heat_brush::HeatBrush;
pub use pour::Pour;
pub use push::Push;
pub use repel::Repel;
pub use whirl::Whirl;

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

/// The matter at a point, as a force finds it.
#[derive(Clone, Copy, Debug)]
pub struct MatterAt {
    /// Position relative to the centre of the force, metres.
    pub offset: Vec2,
    /// Distance from the centre over the radius.
    pub fraction: f32,
    /// Strength of the force there: 1 in the middle, and 0 with no slope at the edge, which leaves no visible seam.
    pub weight: f32,
    /// Velocity, m/s.
    pub velocity: Vec2,
}

/// What a force does. Each default is that of a force without the effect.
pub trait ForceAction {
    /// The velocity of matter after `dt` seconds.
    fn velocity_after(&self, matter: MatterAt, _dt: f32) -> Vec2 {
        matter.velocity
    }

    /// Whether it acts on bodies and cloth.
    fn acts_on_solids(&self) -> bool {
        true
    }

    /// The velocity with which it drags along the nearest point of a body, or the nodes of cloth that it has grabbed, m/s.
    fn drag(&self) -> Option<Vec2> {
        None
    }

    /// Rate at which it brakes the rotation of a body, 1/s.
    fn angular_drag(&self) -> f32 {
        0.0
    }

    /// Its effect on the dyes of a grid.
    fn dye(&self) -> DyeEffect {
        DyeEffect::None
    }

    /// The rate at which it heats, as a fraction of the full rate; a negative one cools.
    fn heating(&self) -> f32 {
        0.0
    }
}

/// The effect of a force on the dyes of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DyeEffect {
    /// None.
    None,
    /// Adds a dye, the next one for each stroke, at this rate, 1/s.
    Stroke(f32),
    /// Adds the dye of this number at this rate, 1/s.
    Pour(u8, f32),
    /// Removes all dyes at this rate, 1/s.
    Dilute(f32),
}

macro_rules! forces {
    ($($(#[$about:meta])+ $name:ident,)+) => {
        /// The action of a force.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum PointerForceKind {
            $($(#[$about])+ $name($name),)+
        }

        impl PointerForceKind {
            /// What it does.
            pub fn force(&self) -> &dyn ForceAction {
                match self {
                    $(Self::$name(force) => force,)+
                }
            }
        }
    };
}

forces! {
    /// Drags matter along with a moving pointer.
    Push,
    /// As a push, for a pointer moved by hand: it turns the fluid with its path.
    Carry,
    /// Keeps fluid turning about a point.
    Whirl,
    /// Draws matter to the pointer and holds it there.
    Attract,
    /// Throws matter outwards.
    Explode,
    /// Keeps matter away from the pointer while it acts.
    Repel,
    /// Pours a stream from the pointer.
    Pour,
    /// Draws fluid to the pointer and removes it there.
    Drain,
    /// Heats or cools the matter.
    HeatBrush,
}

/// Rate at which a pushed fluid takes on the pointer's velocity, per second.
const DRAG_RATE: f32 = 30.0;

impl PointerForce {
    /// Velocity of matter at `offset` from the centre after `dt` seconds of this force.
    pub fn apply(&self, offset: Vec2, velocity: Vec2, dt: f32) -> Vec2 {
        let fraction = offset.length() / self.radius;
        let weight = (1.0 - fraction * fraction).max(0.0).powi(2);
        self.kind.force().velocity_after(MatterAt { offset, fraction, weight, velocity }, dt)
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

/// The matter is drawn to the pointer with `pull` m/s² times s (1 − s²) at a fraction s of the radius. It loses its velocity at 6
/// per second, so that it gathers instead of orbiting.
fn attract(pull: f32, MatterAt { offset, fraction, weight, velocity }: MatterAt, dt: f32) -> Vec2 {
    let drag = (6.0 * weight * dt).min(1.0);
    let toward = -offset.normalize_or_zero();
    velocity * (1.0 - drag) + toward * pull * fraction.min(1.0) * (1.0 - fraction * fraction).max(0.0) * dt
}

/// Velocity of matter that is thrown outwards with `acceleration` m/s² in the middle.
fn throw(acceleration: f32, MatterAt { offset, weight, velocity, .. }: MatterAt, dt: f32) -> Vec2 {
    velocity + offset.normalize_or(Vec2::Y) * acceleration * weight * dt
}
