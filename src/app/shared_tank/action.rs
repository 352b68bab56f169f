//! The actions of a guest: a small closed set, without paths and without text.

use crate::sim::world::pointer::PointerMode;
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;

/// Largest distance of a pointer from the tank, in sizes of the tank: it may be in the margin of a letterboxed window.
const OUTSIDE: f32 = 100.0;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuestAction {
    /// Holds the tank at this angle: radians from upright, −π to π, positive to the right.
    Tilt {
        radians: f32,
    },
    ReleaseTilt,
    /// Shakes the tank to a side; only the direction counts.
    Shake {
        direction: [f32; 2],
    },
    /// Moves the pointer, in fractions of the tank from its upper left corner, and presses or releases its button.
    Pointer {
        x: f32,
        y: f32,
        tool: PointerMode,
        pressed: bool,
    },
    HidePointer,
    /// Pushes everything around the pointer outward, once.
    Burst,
    Brush {
        larger: bool,
    },
    /// Pours the next of the fluids or dyes that the tank can hold.
    NextFluid,
    /// Shows the scene of this index.
    Scene(u16),
    Reset,
}

impl GuestAction {
    pub(super) fn validated(self, scenes: usize) -> Result<Self, &'static str> {
        match self {
            // NaN is outside every range.
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
