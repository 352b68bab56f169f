//! The panes before and behind the liquid, which brake it and the bodies in it.

use crate::sim::liquid::fluid::Fluid;
use glam::Vec2;

/// What brakes the liquid along the panes before and behind it.
pub(super) struct PaneFriction<'a> {
    pub fluid: &'a Fluid,
    /// Calmness of the liquid: see [`Fluid::friction`].
    pub calm: f32,
    pub gravity: Vec2,
    pub dt: f32,
}
