//! The actions of a guest: a small closed set, without paths and without text.

use crate::sim::ASPECTS;
use crate::sim::world::pointer::PointerMode;
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;

/// Largest distance of a pointer from the tank, in sizes of the tank: it may be in the margin of a letterboxed window.
const OUTSIDE: f32 = 100.0;

/// An action of a guest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuestAction {
    /// Holds the tank at this angle: radians from upright, −π to π, positive to the right.
    Tilt { radians: f32 },
    /// Releases the tilt.
    ReleaseTilt,
    /// Shakes the tank to a side; only the direction counts.
    Shake { direction: [f32; 2] },
    /// Moves the pointer, in fractions of the tank from its upper left corner, and presses or releases its button.
    Pointer { x: f32, y: f32, tool: PointerMode, pressed: bool },
    /// Hides the ring of the pointer.
    HidePointer,
    /// Pushes everything around the pointer outward, once.
    Burst,
    /// Makes the brush larger or smaller by a step.
    Brush { larger: bool },
    /// Pours the next of the fluids or dyes that the tank can hold.
    NextFluid,
    /// Votes for the scene of this index.
    Scene(u16),
    /// Votes to restart the scene.
    Reset,
}

impl GuestAction {
    /// Checks every number; `scenes` is the number of scenes.
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

/// An action of the host, which needs no vote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostAction {
    /// Shows the scene of this index.
    Scene(u16),
    /// Restarts the scene.
    Reset,
    /// Gives the tank another shape: over the next steps the walls move there, and push the liquid in front of them.
    Reshape {
        /// Width over height.
        aspect: f32,
        /// Walls where panes end, as lines from one place to another in fractions of the tank, y up.
        seams: Vec<[f32; 4]>,
    },
}

/// Upper limit on the walls where panes end: four for each of 32 panes.
pub const MAX_SEAMS: usize = 128;

impl HostAction {
    pub(super) fn validated(self, scenes: usize) -> Result<Self, &'static str> {
        match &self {
            Self::Scene(number) if usize::from(*number) >= scenes => Err("there is no such scene"),
            Self::Reshape { aspect, .. } if !ASPECTS.contains(aspect) => Err("the aspect is out of range"),
            Self::Reshape { seams, .. } if seams.len() > MAX_SEAMS => Err("there are too many panes"),
            Self::Reshape { seams, .. } if !seams.iter().flatten().all(|share| (0.0..=1.0).contains(share)) => {
                Err("a pane ends outside of the tank")
            }
            _ => Ok(self),
        }
    }
}

/// The result of a guest's action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    /// The reason for the refusal.
    Refused(&'static str),
}
