//! What has no surface: smoke and dye, as a veil over the ground.
//!
//! Beer and Lambert again: a share c of dye lets `e^(−κ c)` of the ground through and shows its own colour for the rest;
//! where dyes meet, each counts by its share. Under the drives that stand for a quantity of the fluid (speed, pressure)
//! all of the fluid is shown, dyed or not.

use crate::cell::color::{Linear, Rgb};
use crate::sim::boundary::Shape;
use crate::sim::grid_fluid::Smoke;
use crate::view::Drive;
use crate::view::field::{Lattice, Scale};
use crate::view::palette::Palette;
use glam::Vec2;

/// Smoke is so many times slower than water that falls.
const GENTLE: f32 = 4.0;

/// κ: how little dye it takes. Full dye hides all but a fiftieth of the ground.
const THICKNESS: f32 = 4.0;

/// How much of the ground the fluid hides where all of it is shown.
const SOLID: f32 = 0.92;

/// How much of the ground glass hides, inside of a vessel and on its outline; and how wide that is, in samples.
const GLASS: (f32, f32) = (0.16, 0.4);
const GLASS_WIDTH: f32 = 1.1;

/// A veil thinner than this is none.
pub const THINNEST: f32 = 0.006;

/// Per sample of the field: the veil's colour, in linear light, times how much of the ground it hides, and that share.
/// Empty where there is nothing of the sort in the tank.
#[derive(Clone, Debug, Default)]
pub struct Haze {
    /// Red, green, blue, and the share that is hidden.
    pub planes: [Vec<f32>; 4],
    colours: Vec<Option<Linear>>,
}

impl Haze {
    pub fn clear(&mut self) {
        self.planes.iter_mut().for_each(Vec::clear);
    }

    pub fn is_empty(&self) -> bool {
        self.planes[3].is_empty()
    }

    /// The ground as it is seen through the haze at an element of the planes.
    pub fn over(&self, ground: Linear, here: usize) -> Linear {
        if self.is_empty() {
            return ground;
        }
        [0, 1, 2].map(|c| self.planes[c][here] + ground[c] * (1.0 - self.planes[3][here]))
    }

    /// Draws glass: outlines, and a breath of it inside.
    pub fn glaze(
        &mut self,
        vessels: &[Shape],
        lattice: &Lattice,
        (columns, rows, stride): (usize, usize, usize),
        palette: &Palette,
    ) {
        if vessels.is_empty() {
            return;
        }
        self.planes.iter_mut().for_each(|plane| plane.resize(rows * stride, 0.0));
        for vessel in vessels {
            let (low, high) = vessel.bounds();
            let [left, right] = [low.x, high.x].map(|x| (x - lattice.first.x) / lattice.pitch.x);
            let [top, bottom] = [high.y, low.y].map(|y| (y - lattice.first.y) / lattice.pitch.y);
            for row in top.max(0.0) as usize..(bottom.max(0.0) as usize + 2).min(rows) {
                for column in left.max(0.0) as usize..(right.max(0.0) as usize + 2).min(columns) {
                    let distance = vessel.contact(lattice.at(column, row)).distance / lattice.pitch.x;
                    let edge = GLASS.1 * (1.0 - distance.abs() / GLASS_WIDTH).max(0.0);
                    let veil = if distance < 0.0 { edge.max(GLASS.0) } else { edge };
                    if veil > 0.0 {
                        for (plane, part) in
                            self.planes.iter_mut().zip([palette.wall[0], palette.wall[1], palette.wall[2], 1.0])
                        {
                            plane[row * stride + column] = part * veil;
                        }
                    }
                }
            }
        }
    }

    /// Looks at the smoke at every sample of a lattice of `columns` × `rows`, whose rows are `stride` long.
    pub fn spread(
        &mut self,
        smoke: &Smoke,
        lattice: &Lattice,
        (columns, rows, stride): (usize, usize, usize),
        scale: Scale,
        palette: &Palette,
    ) {
        self.planes.iter_mut().for_each(|plane| plane.resize(rows * stride, 0.0));
        self.colours.clear();
        let own = |color: &Option<String>| color.as_ref().and_then(|text| text.parse().ok()).map(Rgb::linear);
        self.colours.extend(smoke.medium().dye.iter().map(|dye| own(&dye.color)));
        let size = smoke.mac().size();
        for row in 0..rows {
            for column in 0..columns {
                let at = lattice.at(column, row);
                if at.min_element() < 0.0 || (size - at).min_element() < 0.0 {
                    continue;
                }
                let (colour, veil) = match scale.drive {
                    Drive::Density | Drive::Force(_) | Drive::Surface => self.mixed(smoke, palette, at),
                    Drive::Amount => plain(smoke, palette, at),
                    Drive::Speed => (palette.at(smoke.velocity(at).length() * GENTLE / scale.full), SOLID),
                    Drive::Pressure => {
                        let pressure = smoke.pressure(at) * GENTLE * GENTLE / scale.full;
                        (palette.at((0.5 - pressure).clamp(0.0, 1.0)), SOLID)
                    }
                };
                let here = row * stride + column;
                for (plane, part) in self.planes.iter_mut().zip([colour[0], colour[1], colour[2], 1.0]) {
                    plane[here] = part * veil;
                }
            }
        }
    }

    /// Dyes in their own colours.
    fn mixed(&self, smoke: &Smoke, palette: &Palette, at: Vec2) -> (Linear, f32) {
        let (mut sum, mut colour) = (0.0, [0.0; 3]);
        for (number, own) in self.colours.iter().enumerate() {
            let share = smoke.dye(number, at);
            let dye = own.unwrap_or_else(|| palette.at(share));
            (0..3).for_each(|c| colour[c] += share * dye[c]);
            sum += share;
        }
        (colour.map(|part| part / f32::max(sum, 1e-6)), hidden(sum))
    }
}

/// All dyes alike, the denser the further up the palette.
fn plain(smoke: &Smoke, palette: &Palette, at: Vec2) -> (Linear, f32) {
    let sum: f32 = (0..smoke.medium().dye.len()).map(|dye| smoke.dye(dye, at)).sum();
    (palette.at(sum.min(1.0)), hidden(sum))
}

fn hidden(share: f32) -> f32 {
    1.0 - (-THICKNESS * share).exp()
}
