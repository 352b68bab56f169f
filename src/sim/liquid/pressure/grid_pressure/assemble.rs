//! Assembly of the equations `∇·((1/ρ) ∇ψ) = ∇·u − κ e/dt` on the liquid cells. Beyond the surface ψ is 0, at the distance that
//! [`Surface::depth`] gives (F. Gibou, R. Fedkiw, L.-T. Cheng, M. Kang, Journal of Computational Physics 176, 2002): else small
//! waves do not swing. The last term takes back what is compressed, e being the excess of density (T. Kugelstadt, A. Longva, N.
//! Thuerey, J. Bender, "Implicit Density Projection for Volume Conserving Liquids", IEEE TVCG 2019).

use crate::sim::liquid::Source;
use crate::sim::liquid::pressure::grid_pressure::Wet;
use crate::sim::poisson::ConjugateGradients;
use fearless_simd::Level;
use glam::Vec2;

/// κ: the fraction of an excess or a lack of density that is corrected in a substep.
const CORRECTION: f32 = 0.05;

/// That of what deviates by more than this, unless the liquid is calm. Violent flow compressed water by a twentieth to a tenth; in
/// calm water as much would feed waves.
const STRONG_CORRECTION: f32 = 0.25;
const BAND: f32 = 0.05;

/// The weak compressibility of every cell, in units of the coefficient of an open face of water. Without it the equations of a
/// region that has no surface have no solution. A constant in ψ moves nothing.
const COMPRESSIBILITY: f32 = 1e-5;

/// The largest excess that is corrected: more is a splash that falls into the liquid.
const MAX_EXCESS: f32 = 0.5;

/// The coefficients at the faces.
#[derive(Clone, Debug, Default)]
pub(super) struct Equations {
    /// Per left and lower face: the velocity, 1/m, by a difference of 1 in ψ, which is 0 in a cell that is no liquid.
    pub per_difference: [Vec<f32>; 2],
}

impl Equations {
    /// Sets up the equations of a substep of `dt` seconds, and the residual of the last `psi`. `calm` is 1 where the liquid rests.
    pub fn assemble(
        &mut self,
        level: Level,
        wet: Wet,
        dt: f32,
        calm: f32,
        solver: &mut ConjugateGradients,
        psi: &mut [f32],
    ) {
        let Wet { cells, surface, .. } = wet;
        for (psi, is_liquid) in psi.iter_mut().zip(&surface.is_liquid) {
            if !is_liquid {
                *psi = 0.0;
            }
        }
        let faces = &mut self.per_difference;
        solver.grids.fit(|finest| {
            for (anchor, is_liquid) in finest.anchor.iter_mut().zip(&surface.is_liquid) {
                *anchor = if *is_liquid { COMPRESSIBILITY } else { 0.0 };
            }
            let coefficients = [&mut finest.ax, &mut finest.ay];
            for (axis, (per_difference, coefficients)) in faces.iter_mut().zip(coefficients).enumerate() {
                per_difference.clear();
                per_difference.resize(cells.len(), 0.0);
                let back = cells.back(axis);
                let length = [cells.size.y, cells.size.x][axis];
                let inv_size = 1.0 / cells.size[axis];
                for at in cells.stride..cells.len() - 1 {
                    coefficients[at] = 0.0;
                    let other = at - back;
                    let open = cells.open[axis][at];
                    let liquid = (surface.is_liquid[at], surface.is_liquid[other]);
                    if open == 0.0 || liquid == (false, false) {
                        continue;
                    }
                    if liquid == (true, true) {
                        let density = 0.5 * (surface.mass_density[at] + surface.mass_density[other]);
                        per_difference[at] = inv_size / density;
                        coefficients[at] = per_difference[at] * open * length;
                    } else {
                        let (inside, outside) = if liquid.0 { (at, other) } else { (other, at) };
                        let density = surface.mass_density[inside] * surface.depth(inside, outside);
                        per_difference[at] = inv_size / density;
                        finest.anchor[inside] += per_difference[at] * open * length;
                    }
                }
            }
        });
        solver.grids.finest().apply(level, psi, &mut solver.residual);
        let strong = CORRECTION + (1.0 - calm) * (STRONG_CORRECTION - CORRECTION);
        for at in cells.inner() {
            let residual = &mut solver.residual[at];
            *residual = if surface.is_liquid[at] {
                correction(wet, at, strong) / dt - outflow(wet, at) - *residual
            } else {
                0.0
            };
        }
    }
}

/// Adds what comes and goes through no face, to the cells around its place that are inside of liquid or, for a drain, on a floor:
/// the surface rises and falls by itself.
pub(super) fn add_sources(wet: Wet, sources: &[Source], gravity: Vec2, residual: &mut [f32]) {
    let Wet { cells, surface, .. } = wet;
    for source in sources {
        let place = cells.place(source.at);
        let is_compressed = |at: usize| surface.density[at] > surface.rest_density + BAND;
        let holds = |at: usize| {
            surface.is_liquid[at]
                && (is_inside(wet, at) || source.rate < 0.0 && cells.stands_on_wall(at, gravity))
                && !(source.draws && is_compressed(at))
        };
        let weights = place.weights();
        let around = cells.nodes(&place).into_iter().zip(weights).filter(|(at, _)| holds(*at));
        let sum: f32 = around.clone().map(|(_, weight)| weight).sum();
        around.for_each(|(at, weight)| residual[at] += source.rate * weight / sum.max(f32::MIN_POSITIVE));
    }
}

/// A liquid without tension does not pull: ceilings drip, and jets leave walls. In a full tank the lowest ψ is 0, because it has
/// no room to come apart.
pub(super) fn limit(Wet { cells, surface, .. }: Wet, psi: &mut [f32]) {
    if surface.is_full {
        let open = || cells.inner().filter(|&at| cells.is_open(at));
        let least = open().map(|at| psi[at]).fold(f32::INFINITY, f32::min);
        open().for_each(|at| psi[at] -= least);
    }
    psi.iter_mut().for_each(|psi| *psi = psi.max(0.0));
}

/// The outflow of a cell through its faces, m²/s.
fn outflow(Wet { cells, momentum, .. }: Wet, at: usize) -> f32 {
    let ([left, lower], [u, v]) = (&cells.open, &momentum.velocity);
    let above = at + cells.stride;
    let horizontal = |face: usize| u[face] * left[face] + cells.wall_flow(0, face);
    let vertical = |face: usize| v[face] * lower[face] + cells.wall_flow(1, face);
    (horizontal(at + 1) - horizontal(at)) * cells.size.y + (vertical(above) - vertical(at)) * cells.size.x
}

/// Whether a cell has liquid or a wall on all sides.
fn is_inside(Wet { cells, surface, .. }: Wet, at: usize) -> bool {
    let [left, lower] = &cells.open;
    let is_wet = |other: usize, open: f32| open == 0.0 || surface.is_liquid[other];
    let above = at + cells.stride;
    is_wet(at - 1, left[at])
        && is_wet(at + 1, left[at + 1])
        && is_wet(at - cells.stride, lower[at])
        && is_wet(above, lower[above])
}

/// The area by which a cell is to grow, m²; `strong` is the fraction of large deviations that is corrected. What one at the surface lacks is air; a thin plate mixes both its sides.
fn correction(wet: Wet, at: usize, strong: f32) -> f32 {
    let Wet { cells, surface, .. } = wet;
    if cells.is_beside_plate[at] {
        return 0.0;
    }
    let excess = surface.density[at] - surface.rest_density;
    let is_inside = is_inside(wet, at);
    if excess <= 0.0 && !is_inside {
        return 0.0;
    }
    let excess = excess.min(MAX_EXCESS);
    let beyond = if is_inside { excess - excess.clamp(-BAND, BAND) } else { 0.0 };
    (CORRECTION * (excess - beyond) + strong * beyond) * cells.free[at] * cells.area()
}
