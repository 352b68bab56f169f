//! Classification: which cells hold liquid, and where its surface lies between their centres.

use crate::sim::liquid::pressure::grid_pressure::cells::Cells;
use crate::sim::liquid::pressure::grid_pressure::transfer::Momentum;

/// The relative density of a cell through whose centre a flat surface passes, and that from which on a cell is liquid. A surface
/// just above a centre, found by a few particles, would give its faces coefficients as large as they are uncertain: liquid in a
/// tilted tank never came to rest.
const AT_SURFACE: f32 = 0.5;
const LIQUID: f32 = 0.6;

/// The fraction of the tank's area from which on the liquid fills it.
const FULL: f32 = 0.97;

/// Lower limit on the free fraction by which a density is divided: what a sliver of a cell holds says little.
const MIN_FREE: f32 = 0.2;

/// In place of a density.
const UNKNOWN: f32 = -1.0;

/// The largest distance from a centre to the surface along an axis, in cells.
const MAX_DEPTH: f32 = 10.0;

/// The liquid's surface as the cells know it.
#[derive(Clone, Debug, Default)]
pub(super) struct Surface {
    /// Per cell: density relative to the liquid at rest.
    pub density: Vec<f32>,
    /// Per cell: mean density of its fluids, water having 1.
    pub mass_density: Vec<f32>,
    pub is_liquid: Vec<bool>,
    /// Whether it fills the tank, nearly or without any surface.
    pub is_full: bool,
    /// The density to which cells are corrected: 1, but that of a full tank if it is less, else there would be holes in it.
    pub rest_density: f32,
    /// Narrow cells without a density so far; and those that get one, with it and the density of their fluids.
    gaps: Vec<usize>,
    found: Vec<(usize, f32, f32)>,
}

impl Surface {
    pub fn classify(&mut self, momentum: &Momentum, cells: &Cells) {
        let len = cells.len();
        for values in [&mut self.density, &mut self.mass_density] {
            values.resize(len, 0.0);
        }
        self.is_liquid.clear();
        self.is_liquid.resize(len, false);
        for at in cells.inner() {
            let [number, mass] = momentum.cells[at];
            let free = cells.free[at].max(MIN_FREE);
            self.density[at] = if cells.is_in_tank(at) { number * momentum.particle_area / free } else { 0.0 };
            self.mass_density[at] = if number > 0.0 { mass / number } else { 1.0 };
        }
        let [filled, free] =
            cells.inner().fold([0.0; 2], |[filled, free], at| [filled + momentum.cells[at][0], free + cells.free[at]]);
        let fraction = filled * momentum.particle_area / free;
        self.rest_density = if fraction >= FULL { fraction.min(1.0) } else { 1.0 };
        self.fill_gaps(cells);
        for at in cells.inner() {
            self.is_liquid[at] = self.density[at] >= LIQUID && cells.is_open(at);
        }
        self.is_full = fraction >= FULL || cells.inner().all(|at| self.is_liquid[at] || !cells.is_open(at));
    }

    /// Gaps between solids too narrow for particles take the density around them, at most that at rest: else no force there, and
    /// liquid would be thrown into them. From their ends inwards through open faces, and where none is open, from the corners.
    fn fill_gaps(&mut self, cells: &Cells) {
        let Self { density, mass_density, gaps, found, .. } = self;
        gaps.clear();
        gaps.reserve(cells.len());
        found.reserve(cells.len());
        for at in cells.inner().filter(|&at| cells.is_narrow(at)) {
            density[at] = UNKNOWN;
            gaps.push(at);
        }
        let [left, lower] = &cells.open;
        let mut by_corners = false;
        while !gaps.is_empty() {
            found.clear();
            gaps.retain(|&at| {
                let above = at + cells.stride;
                let below = at - cells.stride;
                let around = if by_corners {
                    [below - 1, below + 1, above - 1, above + 1].map(|at| (at, 1.0))
                } else {
                    [(at - 1, left[at]), (at + 1, left[at + 1]), (below, lower[at]), (above, lower[above])]
                };
                let (mut sum, mut mass, mut weights) = (0.0, 0.0, 0.0);
                for (other, open) in around {
                    if density[other] != UNKNOWN && cells.is_in_tank(other) {
                        sum += open * density[other];
                        mass += open * density[other] * mass_density[other];
                        weights += open;
                    }
                }
                if weights > 0.0 {
                    found.push((at, (sum / weights).min(1.0), if sum > 0.0 { mass / sum } else { 1.0 }));
                }
                weights == 0.0
            });
            for &(at, new, mass) in &*found {
                (density[at], mass_density[at]) = (new, mass);
            }
            if found.is_empty() && by_corners {
                break;
            }
            by_corners = found.is_empty();
        }
        gaps.iter().for_each(|&at| density[at] = 0.0);
    }

    /// The distance from the centre of a liquid cell to the surface, towards a neighbour without liquid, in cells. It may lie
    /// beyond the centre of that neighbour.
    #[inline]
    pub fn depth(&self, liquid: usize, other: usize) -> f32 {
        let [inside, outside] = [liquid, other].map(|at| distance_to_surface(self.density[at]));
        -inside / (outside - inside).max(-inside / MAX_DEPTH)
    }
}

/// Distance from a cell's centre to a flat surface, in cells, negative inside the liquid, by its density: the tent's integral up to
/// φ ≥ 0, ½ + φ − φ²/2.
fn distance_to_surface(density: f32) -> f32 {
    if density >= 1.0 {
        -1.0
    } else if density >= AT_SURFACE {
        -(1.0 - (2.0 - 2.0 * density).sqrt())
    } else {
        1.0 - (2.0 * density).sqrt()
    }
}
