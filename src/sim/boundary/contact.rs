//! The contact of a point with a solid.

use glam::Vec2;

/// A wall as a nearby particle sees it: its distance, and its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Distance to the surface, metres; negative inside the solid.
    pub distance: f32,
    /// Unit vector out of the solid.
    pub normal: Vec2,
}
