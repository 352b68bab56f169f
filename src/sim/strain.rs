//! How far a springy body is from its shape at rest: what has to be known of it when it is made anew out of other
//! particles.

use super::particles::Particles;
use super::springs::Springs;
use glam::{Mat3, Vec2, Vec3};

/// The symmetric matrix A for which a spring in the direction d (of length 1) would at rest be `d·A d` times as long as
/// it is: its entries xx, xy and yy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain(pub [f32; 3]);

/// How many springs the assumption that nothing is strained is worth, where there are too few to tell.
const DOUBT: f32 = 0.1;

impl Strain {
    /// None: at rest.
    pub const REST: Strain = Strain([1.0, 0.0, 1.0]);

    /// What a spring over this distance would measure at rest.
    pub fn length(self, offset: Vec2) -> f32 {
        let along = offset.normalize_or_zero();
        let [xx, xy, yy] = self.0;
        offset.length() * (xx * along.x * along.x + 2.0 * xy * along.x * along.y + yy * along.y * along.y)
    }

    /// Halfway between two.
    pub fn between([a, b]: [Strain; 2]) -> Strain {
        Strain([0, 1, 2].map(|k| 0.5 * (a.0[k] + b.0[k])))
    }
}

/// The strain around everybody, by id: least squares over their springs.
pub fn of(springs: &Springs, p: &Particles) -> Vec<Strain> {
    let mut places = vec![Vec2::ZERO; p.ids()];
    p.alive().for_each(|slot| places[p.id[slot] as usize] = p.at(slot));
    let mut fits = vec![Fit::default(); p.ids()];
    for spring in springs.iter() {
        let [a, b] = spring.ends.map(|end| end as usize);
        let offset = places[b] - places[a];
        let (along, share) = (offset.normalize_or_zero(), spring.length / offset.length().max(1e-6));
        fits[a].add(along, share);
        fits[b].add(along, share);
    }
    fits.iter().map(Fit::solve).collect()
}

/// The normal equations of one least squares fit of three numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Fit {
    /// Σ f fᵀ and Σ f share, for the features f = (x², 2 x y, y²) of a direction.
    squares: [Vec3; 3],
    right: Vec3,
}

impl Fit {
    fn add(&mut self, along: Vec2, share: f32) {
        let features = Vec3::new(along.x * along.x, 2.0 * along.x * along.y, along.y * along.y);
        for (column, feature) in self.squares.iter_mut().zip(features.to_array()) {
            *column += feature * features;
        }
        self.right += share * features;
    }

    /// With the doubt on its diagonal the matrix has an inverse.
    fn solve(&self) -> Strain {
        let [a, b, c] = self.squares;
        let squares = Mat3::from_cols(a, b, c) + Mat3::from_diagonal(Vec3::splat(DOUBT));
        Strain((squares.inverse() * (self.right + DOUBT * Vec3::from(Strain::REST.0))).to_array())
    }
}
