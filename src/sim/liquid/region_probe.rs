//! The contents of a region of a liquid. SI units with y up; one square metre of water has mass 1.

use crate::sim::boundary::Shape;
use crate::sim::liquid::Liquid;
use glam::{DVec2, Vec2};

/// Contents of a region of the tank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegionProbe {
    /// Area that the liquid would have at rest, m².
    pub area: f64,
    /// Centre of mass, metres.
    pub at: DVec2,
    /// Mean velocity, m/s.
    pub velocity: DVec2,
    /// Root of the mean square speed, m/s.
    pub speed: f64,
    /// Mean height of the surface, metres.
    pub level: f64,
}

impl RegionProbe {
    pub(in crate::sim) fn measure(liquid: &Liquid, piece: &Shape) -> Self {
        let p = liquid.particles();
        let mut probe = Self::default();
        let mut count = 0.0;
        let mut tops = Tops::new(piece, 0.8 * liquid.h());
        for slot in liquid.liquid_slots().filter(|&slot| piece.contact(p.position(slot)).distance <= 0.0) {
            count += 1.0;
            probe.at += p.position(slot).as_dvec2();
            probe.velocity += p.velocity(slot).as_dvec2();
            probe.speed += p.velocity(slot).as_dvec2().length_squared();
            tops.take(p.position(slot));
        }
        if count > 0.0 {
            probe.area = count * f64::from(liquid.particle_area());
            probe.at /= count;
            probe.velocity /= count;
            probe.speed = (probe.speed / count).sqrt();
            probe.level = tops.mean() + 0.5 * f64::from(liquid.spacing());
        }
        probe
    }
}

/// The highest particle in each of several vertical strips.
struct Tops {
    left: f32,
    width: f32,
    highest: Vec<f32>,
}

impl Tops {
    /// Creates strips of about `width` metres.
    fn new(piece: &Shape, width: f32) -> Self {
        let (min, max) = piece.bounds();
        let strips = ((max.x - min.x) / width).ceil().clamp(1.0, 1e5);
        Self { left: min.x, width: (max.x - min.x) / strips, highest: vec![f32::NEG_INFINITY; strips as usize] }
    }

    fn take(&mut self, at: Vec2) {
        let strip = ((at.x - self.left) / self.width).max(0.0) as usize;
        let strip = strip.min(self.highest.len() - 1);
        self.highest[strip] = self.highest[strip].max(at.y);
    }

    /// Mean over the strips that contain particles.
    fn mean(&self) -> f64 {
        let wet = self.highest.iter().filter(|top| top.is_finite());
        let (sum, count) = wet.fold((0.0, 0.0), |(sum, count), &top| (sum + f64::from(top), count + 1.0));
        sum / count
    }
}
