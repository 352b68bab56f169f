//! The numbers of a scene that can be changed while it plays.

use super::Scene;
use super::fluid::NUMBERS;
use super::sph;
use crate::sim::ddr::Fluid;
use crate::sim::sph::Substance;
use crate::sim::stam::Medium;
use std::ops::RangeInclusive;

/// One of them: its key, as `--set` knows it, and its range.
#[derive(Clone, Debug)]
pub struct Knob {
    pub key: &'static str,
    pub range: RangeInclusive<f32>,
    place: Place,
}

/// Where in the scene it is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Gravity,
    Fluid(fn(&mut Fluid) -> &mut f32),
    Sph(fn(&mut Substance) -> &mut f32),
    Smoke(fn(&mut Medium) -> &mut f32),
}

/// A number of a grid's medium: its key, its range, and where it is.
type Number = (&'static str, RangeInclusive<f32>, fn(&mut Medium) -> &mut f32);

const SMOKE: [Number; 4] = [
    ("viscosity", 0.0..=10.0, |medium| &mut medium.viscosity),
    ("diffusion", 0.0..=10.0, |medium| &mut medium.diffusion),
    ("confinement", 0.0..=20.0, |medium| &mut medium.confinement),
    ("lid", -20.0..=20.0, |medium| &mut medium.lid),
];

impl Scene {
    /// Those that its matter has.
    pub fn knobs(&self) -> Vec<Knob> {
        let mut knobs = vec![Knob { key: "gravity", range: 0.0..=1000.0, place: Place::Gravity }];
        if !self.liquid.is_empty() {
            knobs.extend(NUMBERS.map(|(key, range, value)| Knob { key, range, place: Place::Fluid(value) }));
        }
        if self.sph.is_some() {
            knobs.extend(sph::NUMBERS.map(|(key, range, value)| Knob { key, range, place: Place::Sph(value) }));
        }
        if self.smoke.is_some() {
            knobs.extend(SMOKE.map(|(key, range, value)| Knob { key, range, place: Place::Smoke(value) }));
        }
        knobs
    }
}

impl Knob {
    /// What it is in a scene that has it; 0 in others.
    pub fn value(&self, scene: &Scene) -> f32 {
        let mut scene = scene.clone();
        self.of(&mut scene).map_or(0.0, |value| *value)
    }

    /// Changes it, within its range.
    pub fn turn(&self, scene: &mut Scene, to: f32) {
        if let Some(value) = self.of(scene).filter(|_| to.is_finite()) {
            *value = to.clamp(*self.range.start(), *self.range.end());
        }
    }

    fn of<'a>(&self, scene: &'a mut Scene) -> Option<&'a mut f32> {
        match self.place {
            Place::Gravity => Some(&mut scene.gravity),
            Place::Fluid(value) => Some(value(&mut scene.fluid)),
            Place::Sph(value) => scene.sph.as_mut().map(|sph| value(&mut sph.substance)),
            Place::Smoke(value) => scene.smoke.as_mut().map(value),
        }
    }
}
