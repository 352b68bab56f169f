//! The glow of hot matter: its emitted light, spread over the air and the walls around it.

use super::Light;
use crate::cell::color::LinearRgb;
use crate::view::field::{Field, SURFACE};
use crate::view::light::relief::Relief;
use crate::view::optics::Optics;
use crate::view::palette::Palette;
use crate::view::smoke::MIN_OPACITY;

/// Half of the reach of the glow, m: the glow is spread twice over this distance.
const REACH: f32 = 0.075;

const IN_AIR: f32 = 0.42;
const ON_WALL: f32 = 0.6;

/// Palette position of the colour of the glow of a material with a crust; without a crust it is 1 minus this.
const GLOWING: f32 = 0.12;

/// The largest rise of the field from the surface over a sample, times the kernel's radius in samples.
const STEEPEST: f32 = 2.2;

/// The light that matter emits, on the grid of the light; valid only if `shines`.
#[derive(Clone, Debug, Default)]
pub struct Glow {
    pub shines: bool,
    hot: Vec<f32>,
    near: Relief,
    /// The glow after both passes: its mean is the light.
    far: Relief,
    color: LinearRgb,
}

impl Glow {
    /// The light that liquid casts on a wall at a position in samples of the field, margin included.
    #[inline(always)]
    pub fn on_wall(&self, lights: &Light, x: f32, y: f32) -> LinearRgb {
        if !self.shines {
            return [0.0; 3];
        }
        let light = self.at(lights, x, y);
        self.color.map(|part| part * light * ON_WALL)
    }

    #[inline(always)]
    fn at(&self, lights: &Light, x: f32, y: f32) -> f32 {
        let [light] = lights.interpolate(
            #[inline(always)]
            |sample| [self.far.mean[sample]],
            x,
            y,
        );
        light
    }

    pub fn shine(&self, lights: &Light, field: &mut Field) {
        if !self.shines {
            return;
        }
        let Field { grid, coverage, smoke, reach, .. } = field;
        smoke.resize(grid);
        // The texels around a sample this full are liquid too.
        let covered = SURFACE + STEEPEST / reach.max(1.0);
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                if coverage[grid.index(column, row)] > covered {
                    continue;
                }
                let light = self.at(lights, grid.in_ordinary(column), grid.in_ordinary(row));
                let opacity = IN_AIR * light;
                if opacity > MIN_OPACITY {
                    smoke.add(grid.index(column, row), self.color, opacity);
                }
            }
        }
    }
}

impl Light {
    /// Spreads the light of the samples' matter, in the colour of the palette that glows.
    pub(super) fn find_glow(&mut self, palette: &Palette, optics: impl Fn(usize) -> Optics, side: f32) {
        let glow = &mut self.glow;
        glow.color = palette.at(if palette.optics.crust > 0.0 { GLOWING } else { 1.0 - GLOWING });
        glow.hot.clear();
        glow.hot.extend(self.mass.iter().zip(&self.lit).enumerate().map(|(sample, (mass, lit))| {
            let Optics { glow, crust, .. } = optics(sample);
            // A crust moves the colour up the palette.
            mass * glow * (1.0 - crust * (0.5 + lit.shift).clamp(0.0, 1.0))
        }));
        let (size, radius) = ([self.columns, self.rows], ((REACH / side).round() as usize).max(1));
        // Walls are lit as the air is.
        glow.near.update(&glow.hot, None, size, radius);
        glow.far.update(&glow.near.mean, None, size, radius);
        glow.shines = true;
    }
}
