//! What does not move: walls and obstacles as the picture needs them, kept until walls or camera change.

use crate::sim::boundary::Walls;
use crate::view::SAMPLES;
use crate::view::camera::Camera;
use crate::view::field::{Field, Lattice};
use std::ops::Range;

/// How thick the rim of a tank is drawn, as a share of the smaller side of the picture, and in samples at least.
const RIM: (f32, f32) = (0.012, 2.0);

/// How far in front of a wall the liquid is taken to end, in R, and the most the field is raised for it. Particles
/// keep up to a spacing off walls, so a gain for exactly the missing half leaves the field near ½ there, and glass
/// and liquid part and meet at random; with this, water wets the glass.
pub(super) const STAND_OFF: f32 = 0.2;
pub(super) const MOST_GAIN: f32 = 10.0;

/// Steps of the table of cut-off kernels, from −R to R.
const CUT_STEPS: usize = 64;

/// A sample far from everything.
pub(super) const OPEN: f32 = 1.0e3;

/// Per sample of the field: distances to what is solid, in samples of the ordinary density, and the liquid's gain.
#[derive(Clone, Debug, Default)]
pub struct Backdrop {
    /// Distance to the nearest wall, in samples; negative inside of it.
    pub free: Vec<f32>,
    /// How far the solid still goes outward, in samples: negative beyond the rim of the tank.
    pub rim: Vec<f32>,
    /// What the field is multiplied by: 1 in the open, 2 on a plain wall; and runs of samples where that is not 1.
    pub gain: Vec<f32>,
    raised: Vec<Range<usize>>,
    /// Whether anything but open tank shows in a cell.
    pub walled: Vec<bool>,
    /// Whether any cell is.
    pub plain: bool,
    made_for: Option<(u64, Camera, u32)>,
}

impl Backdrop {
    /// Brings the backdrop up to date with the walls, for a kernel of `field.reach` samples.
    pub fn update(&mut self, walls: &Walls, camera: &Camera, field: &Field) {
        let key = Some((walls.version(), *camera, field.reach.to_bits()));
        if self.made_for == key {
            return;
        }
        self.made_for = key;
        self.measure(walls, camera, field);
        self.find_raised();
        self.find_walled_cells(camera, field);
    }

    /// Divides an array of the field by the share of the kernel that walls have left free.
    pub fn compensate(&self, array: &mut [f32]) {
        for run in self.raised.iter().cloned() {
            for (value, gain) in array[run.clone()].iter_mut().zip(&self.gain[run]) {
                *value *= gain;
            }
        }
    }

    fn measure(&mut self, walls: &Walls, camera: &Camera, field: &Field) {
        let lattice = Lattice::of(camera, field.fine);
        let cut = Cut::new();
        let fine = field.fine as f32;
        let per_sample = 1.0 / (lattice.pitch.x * fine);
        let rim = (RIM.0 * field.columns.min(field.rows) as f32 / fine).max(RIM.1);
        for array in [&mut self.free, &mut self.rim] {
            array.clear();
            array.resize(field.rows * field.stride, OPEN);
        }
        self.gain.clear();
        self.gain.resize(field.rows * field.stride, 1.0);
        for row in 0..field.rows {
            for column in 0..field.columns {
                let at = lattice.at(column, row);
                let here = row * field.stride + column;
                walls.contacts(at, f32::INFINITY, |contact| {
                    let distance = contact.distance * per_sample;
                    self.free[here] = self.free[here].min(distance);
                    self.gain[here] /= cut.free_share(distance / field.reach.max(1.0) - STAND_OFF);
                });
                self.gain[here] = self.gain[here].min(MOST_GAIN);
                let obstacle = walls.obstacle(at).is_some_and(|o| o.distance * per_sample <= self.free[here]);
                self.rim[here] = if obstacle { OPEN } else { self.free[here] + rim };
            }
        }
    }

    fn find_raised(&mut self) {
        self.raised.clear();
        let mut from = 0;
        for run in self.gain.chunk_by(|a, b| (*a == 1.0) == (*b == 1.0)) {
            if run[0] != 1.0 {
                self.raised.push(from..from + run.len());
            }
            from += run.len();
        }
    }

    fn find_walled_cells(&mut self, camera: &Camera, field: &Field) {
        let samples = (SAMPLES.0 * field.fine, SAMPLES.1 * field.fine);
        let (width, height) = (usize::from(camera.area().width), usize::from(camera.area().height));
        self.walled.clear();
        self.walled.reserve(width * height);
        for row in 0..height {
            for column in 0..width {
                // The cell's own samples: the margin around the window lies beyond the tank and is not seen.
                let own = (0..samples.1).flat_map(|y| {
                    let first = (1 + row * samples.1 + y) * field.stride + 1 + column * samples.0;
                    first..first + samples.0
                });
                let least = own.map(|sample| self.free[sample]).fold(OPEN, f32::min);
                self.walled.push(least < 0.49);
            }
        }
        self.plain = !self.walled.contains(&true);
    }
}

/// The share of the kernel's integral that lies on the near side of a straight wall.
#[derive(Clone, Debug)]
pub(super) struct Cut([f32; CUT_STEPS + 1]);

impl Default for Cut {
    fn default() -> Self {
        Self::new()
    }
}

impl Cut {
    fn new() -> Self {
        // Across the wall, the kernel's integral along it is (1 − t²)^3.5 up to a factor.
        let slice = |step: usize| {
            let t = (step as f32 + 0.5) / CUT_STEPS as f32 * 2.0 - 1.0;
            (1.0 - t * t).powf(3.5)
        };
        let mut sums = [0.0; CUT_STEPS + 1];
        for step in 0..CUT_STEPS {
            sums[step + 1] = sums[step] + slice(step);
        }
        Self(sums.map(|sum| sum / sums[CUT_STEPS]))
    }

    /// For a sample at `distance` from the wall, in R.
    pub fn free_share(&self, distance: f32) -> f32 {
        let place = (distance.clamp(-1.0, 1.0) + 1.0) / 2.0 * CUT_STEPS as f32;
        let step = (place as usize).min(CUT_STEPS - 1);
        let share = self.0[step] + (self.0[step + 1] - self.0[step]) * (place - step as f32);
        share.max(1.0 / MOST_GAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_through_the_middle_leaves_half_the_kernel() {
        let cut = Cut::new();
        assert!((cut.free_share(0.0) - 0.5).abs() < 1e-3);
        assert!((cut.free_share(1.0) - 1.0).abs() < 1e-3 && cut.free_share(9.0) <= 1.0);
        assert!(cut.free_share(-9.0) > 0.0);
    }
}
