//! The parts of a picture that are not matter, and take no part in the simulation.

use crate::cell::color::Rgb;
use crate::sim::boundary::Shape;

/// Colours and outlines that an app adds to the picture of a tank. It is replaced as a whole, never changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decor {
    /// Colours of particles, by id. Particles beyond the list have the palette's.
    pub particle_colors: Vec<Rgb>,
    /// Outlines, in metres of the tank, that are drawn and are not obstacles: the digits that a clock fills.
    pub ghost_outlines: Vec<Shape>,
}
