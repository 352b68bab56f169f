//! What a sample of the picture shows.

use crate::sim::liquid::MAX_PHASES;
use crate::view::light::Lit;

/// Phases of a liquid beside the first.
pub const OTHER_PHASES: usize = MAX_PHASES - 1;

/// What a sample of the picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The field: ½ on the surface.
    pub coverage: f32,
    /// Place on the palette, 0 to 1.
    pub color_value: f32,
    /// Fraction of foam, 0 to 1.
    pub foam: f32,
    /// The light there.
    pub lit: Lit,
    /// Fractions of the other phases than the first, 0 to 1.
    pub phases: [f32; OTHER_PHASES],
}
