//! The strain of an elastic body, which is needed when it is resampled with another number of particles.
//!
//! Measured: a block of 600 particles with a `spring` of 60, squeezed to less than 0.6 of its length and then resampled
//! with 400 particles, does not come back (by −0.03 of what it lost) if the new springs begin at rest where they are.
//! It comes back by 0.84 with the strain alone, and by 0.87 to 1.13 with the packing correction.

use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::springs::Springs;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::particles::Particles;
use glam::{Mat3, Vec2, Vec3};

/// The symmetric matrix A for which a spring in the unit direction d has a rest length of `d·A d` times its length: the
/// entries xx, xy and yy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestStretch(pub [f32; 3]);

/// Weight of the assumption of no strain, in springs: it decides where there are too few springs for a fit.
const REGULARIZATION: f32 = 0.1;

impl RestStretch {
    /// No strain.
    pub const REST: RestStretch = RestStretch([1.0, 0.0, 1.0]);

    /// Returns the rest length of a spring over this distance.
    pub fn length(self, offset: Vec2) -> f32 {
        let along = offset.normalize_or_zero();
        let [xx, xy, yy] = self.0;
        offset.length() * (xx * along.x * along.x + 2.0 * xy * along.x * along.y + yy * along.y * along.y)
    }

    /// Returns the mean of two.
    pub fn between([a, b]: [RestStretch; 2]) -> RestStretch {
        RestStretch([0, 1, 2].map(|k| 0.5 * (a.0[k] + b.0[k])))
    }
}

/// Resistance of the particle packing itself to a change of shape, as springs of this many times near_stiffness would
/// have. Without it a jelly that was resampled while it was bent came 0.55, 0.83 and 0.95 of the way back with a
/// `spring` of 20, 60 and 200; with it 1.09, 1.00 and 0.97, and with twice the near-pressure 1.1.
const PACKING_STIFFNESS: f32 = 0.6;

/// Upper limit on the packing correction, as a fraction of the springs' own displacement. Higher values tore springs of
/// stiffness 20.
const MAX_PACKING: f32 = 0.4;

/// The rest stretch of each particle of a liquid, by id; empty without springs.
pub(super) fn of_liquid(springs: &Springs, store: &ParticleStore, phases: &Phases, fluid: &Fluid) -> Vec<RestStretch> {
    if springs.is_empty() {
        return Vec::new();
    }
    let packing = PACKING_STIFFNESS * fluid.pressure.near_stiffness;
    of(springs, &store.particles, store.h, |id| {
        let spring = phases.params_of(id).elastic.spring;
        (packing / spring.max(f32::MIN_POSITIVE)).min(MAX_PACKING)
    })
}

/// Returns the rest stretch that springs between new particles must have around each particle, by id: that of the
/// existing springs, by least squares, and the share of the old particle order in the stress.
///
/// The particle order resists deformation as springs would that are `packing(id)` times as stiff as those of the fluid.
/// New particles are placed in the deformed shape, and their order would preserve it.
pub fn of(springs: &Springs, p: &Particles, h: f32, packing: impl Fn(u32) -> f32) -> Vec<RestStretch> {
    let mut places = vec![Vec2::ZERO; p.id_capacity()];
    p.alive().for_each(|slot| places[p.id[slot] as usize] = p.position(slot));
    let mut fits = vec![Fit::default(); p.id_capacity()];
    for spring in springs.iter() {
        let [a, b] = spring.ends.map(|end| end as usize);
        let offset = places[b] - places[a];
        for end in [a, b] {
            fits[end].spread += spread(offset);
            // Springs at the length limit are left out: without the limit they would be longer.
            if spring.length < h {
                fits[end].add(offset, spring.length);
            }
        }
    }
    fits.iter().zip(0..).map(|(fit, id)| fit.packing_correction(packing(id), fit.solve())).collect()
}

/// x², x y and y².
fn spread(offset: Vec2) -> Vec3 {
    Vec3::new(offset.x * offset.x, offset.x * offset.y, offset.y * offset.y)
}

/// The normal equations of one least squares fit of three numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Fit {
    /// Σ f fᵀ and Σ f share, for the features f = (x², 2 x y, y²) of a direction.
    squares: [Vec3; 3],
    right: Vec3,
    /// Σ x², Σ x y and Σ y² of the offsets to the other ends.
    spread: Vec3,
}

impl Fit {
    fn add(&mut self, offset: Vec2, length: f32) {
        let (along, share) = (offset.normalize_or_zero(), length / offset.length().max(1e-6));
        let features = Vec3::new(1.0, 2.0, 1.0) * spread(along);
        for (column, feature) in self.squares.iter_mut().zip(features.to_array()) {
            *column += feature * features;
        }
        self.right += share * features;
    }

    /// Returns the strain plus `packing` times the strain of the particle order: offsets of equal length in every
    /// direction that were then strained by ε have a spread of 1 + 2 ε.
    fn packing_correction(&self, packing: f32, RestStretch([xx, xy, yy]): RestStretch) -> RestStretch {
        let [wide, askew, high] = (self.spread / (self.spread.x + self.spread.z).max(f32::MIN_POSITIVE)).to_array();
        let lean = 0.5 * (wide - high);
        RestStretch([xx - packing * lean, xy - packing * askew, yy + packing * lean])
    }

    /// Regularized on its diagonal, the matrix has an inverse.
    fn solve(&self) -> RestStretch {
        let [a, b, c] = self.squares;
        let squares = Mat3::from_cols(a, b, c) + Mat3::from_diagonal(Vec3::splat(REGULARIZATION));
        RestStretch((squares.inverse() * (self.right + REGULARIZATION * Vec3::from(RestStretch::REST.0))).to_array())
    }
}
