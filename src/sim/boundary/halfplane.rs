//! The part of a particle's kernel that a flat wall cuts off, integrated. The half-plane behind a wall at distance t, filled
//! evenly with n particles per h², would add n times these integrals over the part of the unit disc beyond t (lengths in h, θ the
//! angle to the normal): density ∫ (1 − r)² dA = ∫ₜ¹ (1 − r)² 2 r acos(t/r) dr, near-density ∫ (1 − r)³ dA, push ∫ (1 − r) cos θ
//! dA = ∫ₜ¹ (1 − r) 2 √(r² − t²) dr, near-push ∫ (1 − r)² cos θ dA, and drag of a wall that does not slip ∫ (1 − r)² sin² θ (r
//! cos θ/t) dA = ∫ₜ¹ (1 − r)² ⅔ (r²/t) sin³(acos(t/r)) dr.

use crate::math::Elementary;
use crate::sim::boundary::lookup_table::integrate;

/// Minimum distance from a wall, in h, at which its drag is evaluated, because the drag grows without bound towards the wall.
const MIN_DISTANCE: f32 = 0.1;

/// Density, near-density, push, near-push and drag, for one particle in h² beyond a wall at distance `t` (in h).
pub fn integrals(t: f32) -> [f32; 5] {
    integrate(t, |r, dr| {
        let g = 1.0 - r;
        let arc = 2.0 * r * (t / r).min(1.0).arc_cosine() * dr;
        let chord = 2.0 * (r * r - t * t).max(0.0).sqrt() * dr;
        let sine = (1.0 - (t / r).powi(2)).max(0.0).sqrt();
        let drag = g * g * 2.0 / 3.0 * r * r / t.max(MIN_DISTANCE) * sine.powi(3) * dr;
        [g * g * arc, g * g * g * arc, g * chord, g * g * chord, drag]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::boundary::lookup_table::LookupTable;

    #[test]
    fn on_the_wall_half_the_disc_is_cut_off() {
        let [density, near_density, push, near_push, _] = integrals(0.0);
        // The whole disc: 2π ∫ (1 − r)² r dr = π/6 and 2π ∫ (1 − r)³ r dr = π/10.
        assert!((density - std::f32::consts::PI / 12.0).abs() < 1e-4);
        assert!((near_density - std::f32::consts::PI / 20.0).abs() < 1e-4);
        // 2 ∫ (1 − r) r dr = 1/3 and 2 ∫ (1 − r)² r dr = 1/6.
        assert!((push - 1.0 / 3.0).abs() < 1e-4);
        assert!((near_push - 1.0 / 6.0).abs() < 1e-4);
    }

    #[test]
    fn out_of_reach_nothing_is_cut_off() {
        assert_eq!([1.0, 7.0].map(|t| LookupTable::new(integrals).at(t)), [[0.0; 5]; 2]);
    }
}
