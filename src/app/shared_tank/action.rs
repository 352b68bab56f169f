//! What a guest may ask for: a small closed set, without paths and without text.

use crate::sim::world::pointer::PointerMode;
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;

/// How far outside of the tank a pointer may be, in sizes of the tank: margins of a letterboxed window are outside.
const OUTSIDE: f32 = 100.0;

/// What a guest asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuestAction {
    /// Holds the tank at this angle: radians from upright, −π to π, positive to the right.
    Tilt { radians: f32 },
    /// Lets the tank go.
    ReleaseTilt,
    /// Jerks the tank to a side; only the direction counts.
    Shake { direction: [f32; 2] },
    /// The pointer is there, as fractions of the tank from its upper left corner, and its button is down or up.
    Pointer { x: f32, y: f32, tool: PointerMode, pressed: bool },
    /// The pointer is gone: its ring is no longer shown.
    HidePointer,
    /// Throws what is around the pointer outward, once.
    Burst,
    /// Makes the brush larger or smaller by a step.
    Brush { larger: bool },
    /// Pours the next of the fluids or dyes that the tank can hold.
    NextFluid,
    /// Asks for the scene of this index.
    Scene(u16),
    /// Asks to begin the scene again.
    Reset,
}

impl GuestAction {
    /// Checks every number; `scenes` is how many there are.
    pub(super) fn validated(self, scenes: usize) -> Result<Self, &'static str> {
        match self {
            // NaN is in no range.
            Self::Tilt { radians } if !(-PI..=PI).contains(&radians) => Err("a tilt is an angle from -pi to pi"),
            Self::Shake { direction: [x, y] } if !(x.abs() <= 1.0 && y.abs() <= 1.0) => {
                Err("the components of a direction are at most 1")
            }
            Self::Pointer { x, y, .. } if !(x.abs() <= OUTSIDE && y.abs() <= OUTSIDE) => {
                Err("the pointer is too far from the tank")
            }
            Self::Scene(number) if usize::from(number) >= scenes => Err("there is no such scene"),
            action => Ok(action),
        }
    }
}

/// What became of a guest's wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    /// Says why not.
    Refused(&'static str),
}
