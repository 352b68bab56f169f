//! Classification: which cells hold liquid, and where its surface lies between their centres.

use crate::sim::liquid::pressure::grid_pressure::cells::Cells;
use crate::sim::liquid::pressure::grid_pressure::transfer::Momentum;

/// The density, relative to the liquid at rest, from which on a cell is liquid: that of a cell through whose centre a
/// flat surface passes.
const LIQUID: f32 = 0.5;

/// Lower limit on the free fraction by which a density is divided: what a sliver of a cell holds says little.
const MIN_FREE: f32 = 0.2;

/// Cells with a smaller free fraction are solid.
const SOLID: f32 = 0.02;

/// The smallest distance from a centre to the surface, in cells. Distances from 0.3 on shift the periods of waves by 3 %.
const MIN_DEPTH: f32 = 0.1;

/// The liquid's surface as the cells know it.
#[derive(Clone, Debug, Default)]
pub(super) struct Surface {
    /// Per cell: density relative to the liquid at rest.
    pub density: Vec<f32>,
    /// Per cell: mean density of its fluids, water having 1.
    pub mass_density: Vec<f32>,
    /// Per cell: whether it is liquid.
    pub is_liquid: Vec<bool>,
    /// Per cell: distance to a flat surface, in cells; negative inside the liquid.
    phi: Vec<f32>,
}

impl Surface {
    pub fn classify(&mut self, momentum: &Momentum, cells: &Cells) {
        let len = cells.len();
        for values in [&mut self.density, &mut self.mass_density, &mut self.phi] {
            values.resize(len, 0.0);
        }
        self.is_liquid.resize(len, false);
        let [left, lower] = &cells.open;
        for j in 1..=cells.ny {
            for at in cells.row(j) {
                let [number, mass] = momentum.cells[at];
                let free = cells.free[at];
                let is_open = left[at] + left[at + 1] + lower[at] + lower[at + cells.stride] > 0.0;
                let density = if free > SOLID { number * momentum.particle_area / free.max(MIN_FREE) } else { 0.0 };
                self.density[at] = density;
                self.mass_density[at] = if number > 0.0 { mass / number } else { 1.0 };
                self.is_liquid[at] = density >= LIQUID && is_open;
                self.phi[at] = distance_to_surface(density, self.is_liquid[at]);
            }
        }
    }

    /// The distance from the centre of a liquid cell to the surface, towards a neighbour without liquid, in cells.
    #[inline]
    pub fn depth(&self, liquid: usize, other: usize) -> f32 {
        (self.phi[liquid] / (self.phi[liquid] - self.phi[other])).clamp(MIN_DEPTH, 1.0)
    }
}

/// Distance from a cell's centre to a flat surface, in cells, from the density that the tent kernel then finds: the
/// integral of the tent up to φ is ½ + φ − φ²/2 for φ ≥ 0.
fn distance_to_surface(density: f32, is_liquid: bool) -> f32 {
    if density >= 1.0 {
        -1.0
    } else if density >= LIQUID || is_liquid {
        -(1.0 - (2.0 - 2.0 * density.max(LIQUID)).sqrt())
    } else {
        1.0 - (2.0 * density).sqrt()
    }
}
