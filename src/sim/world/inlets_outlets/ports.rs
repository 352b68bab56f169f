//! Taps and drains.

use crate::sim::boundary::Walls;
use crate::sim::definition::{InletDef, OutletDef};
use crate::sim::liquid::particle_liquid::Grains;
use crate::sim::matter::Matter;
use glam::Vec2;

/// A running tap, in metres.
#[derive(Clone, Debug)]
pub struct Tap {
    pub at: Vec2,
    pub toward: Vec2,
    pub width: f32,
    pub speed: f32,
    /// Length of the stream that has left the mouth but is not yet particles.
    owed: f32,
}

impl Tap {
    pub fn new(at: Vec2, toward: Vec2, width: f32, speed: f32) -> Self {
        Self { at, toward: toward.normalize_or(Vec2::NEG_Y), width, speed, owed: 0.0 }
    }

    pub fn of(tap: &InletDef, tank: Vec2) -> Self {
        Self::new(Vec2::from(tap.at) * tank, Vec2::from(tap.toward), tap.width, tap.speed)
    }

    /// Lets the stream advance by `dt` seconds: whole rows of particles leave the mouth, one rest spacing apart, as
    /// long as `reserve` lasts.
    pub fn pour(&mut self, liquid: &mut Matter, walls: &Walls, dt: f32, reserve: &mut usize) {
        let Some(spacing) = liquid.grains().map(Grains::spacing) else { return };
        self.owed += self.speed * dt;
        while self.owed >= spacing && *reserve > 0 {
            self.owed -= spacing;
            let across = self.toward.perp();
            let abreast = ((self.width / spacing) as usize).max(1);
            for number in 0..abreast.min(*reserve) {
                let side = (number as f32 - 0.5 * (abreast - 1) as f32) * spacing;
                let (at, _) = walls.hold(self.at + across * side + self.toward * self.owed);
                liquid.add(at, self.toward * self.speed);
                *reserve -= 1;
            }
        }
        // A dry tap does not save up.
        self.owed = self.owed.min(spacing);
    }
}

/// An open drain, in metres.
#[derive(Clone, Debug)]
pub struct Drain {
    pub region: crate::sim::boundary::Shape,
    /// m² a second.
    pub rate: f32,
    owed: f32,
}

impl Drain {
    pub fn new(region: crate::sim::boundary::Shape, rate: f32) -> Self {
        Self { region, rate, owed: 0.0 }
    }

    pub fn of(drain: &OutletDef, tank: Vec2) -> Self {
        Self::new(drain.region.shape(tank), drain.rate)
    }

    /// Takes out what `dt` seconds allow, particles of `area` m² each, and returns how many that were.
    pub fn take(&mut self, liquid: &mut Matter, dt: f32, area: f32) -> usize {
        self.owed = (self.owed + self.rate * dt / area).min(64.0);
        let taken = liquid.remove_where(self.owed as usize, |p| self.region.contact(p).distance < 0.0);
        self.owed -= taken as f32;
        taken
    }
}
