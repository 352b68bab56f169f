//! The part of a particle's kernel that walls and bodies in reach cut off.

use crate::sim::liquid::body_contacts::{BodyContact, WallContact};

/// See [`LiquidCoupling::boundary_offset`](crate::sim::liquid::body_contacts::LiquidCoupling). Calibrated with floating boxes.
pub(in crate::sim::liquid) const BOUNDARY_OFFSET: f32 = 0.06;

/// Distance of a particle from a wall, in h, at least zero: a particle that has crossed the wall counts as on it.
pub(super) fn beside_wall(contact: &WallContact, h: f32) -> f32 {
    (contact.distance / h).max(0.0)
}

/// Distance of a particle from the half-plane that represents a body, in h.
pub(super) fn beside_body(contact: &BodyContact, h: f32) -> f32 {
    (contact.distance / h + BOUNDARY_OFFSET).max(0.0)
}
