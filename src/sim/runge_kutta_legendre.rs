//! Diffusion in explicit stages that are stable for any time step, because their number grows as its root: the
//! Runge–Kutta–Legendre schemes of C. Meyer, D. Balsara, T. Aslam, "A stabilized Runge–Kutta–Legendre method for explicit
//! super-time-stepping of parabolic and mixed equations", Journal of Computational Physics 2014.

/// The weights of a stage of first order: of the difference between the last two stages, and of the change. (Weights of the two
/// stages themselves, which sum to 1 up to rounding, would let momentum drift.)
#[derive(Clone, Copy, Debug)]
pub struct RklStage {
    pub onward: f32,
    pub change: f32,
}

impl RklStage {
    /// Returns stage `number`, counted from 1, of `stages`.
    pub fn of(number: u32, stages: u32) -> Self {
        let [j, s] = [number, stages].map(|count| count as f32);
        Self { onward: (j - 1.0) / j, change: (2.0 * j - 1.0) / j * 2.0 / (s * s + s) }
    }
}

/// Returns the number of stages of first order that is stable up to `fastest`, a mode's rate times the time step.
pub fn stages(fastest: f32) -> u32 {
    // s² + s ≥ fastest.
    ((0.25 + fastest).sqrt() - 0.5).ceil().max(1.0) as u32
}

/// The weights of a stage of second order. With L the change in a time step, the values after stage j are
/// `Yⱼ = Y₀ + last (Yⱼ₋₁ − Y₀) + before (Yⱼ₋₂ − Y₀) + change L(Yⱼ₋₁) + start L(Y₀)`.
#[derive(Clone, Copy, Debug)]
pub struct Rkl2Stage {
    pub last: f32,
    pub before: f32,
    pub change: f32,
    pub start: f32,
}

impl Rkl2Stage {
    /// Returns stage `number`, counted from 1, of `stages`, at least 2.
    pub fn of(number: u32, stages: u32) -> Self {
        let [j, s] = [number, stages].map(|count| count as f32);
        let w = 4.0 / (s * s + s - 2.0);
        if number == 1 {
            return Self { last: 0.0, before: 0.0, change: 0.0, start: w / 3.0 };
        }
        let b = |j: f32| if j < 2.0 { 1.0 / 3.0 } else { (j * j + j - 2.0) / (2.0 * j * (j + 1.0)) };
        let last = (2.0 * j - 1.0) / j * b(j) / b(j - 1.0);
        let change = last * w;
        Self { last, before: -(j - 1.0) / j * b(j) / b(j - 2.0), change, start: -(1.0 - b(j - 1.0)) * change }
    }
}

/// Returns the number of stages of second order that is stable up to `fastest`, a mode's rate times the time step.
pub fn rkl2_stages(fastest: f32) -> u32 {
    // s² + s − 2 ≥ 2 fastest.
    ((2.25 + 2.0 * fastest).sqrt() - 0.5).ceil().max(2.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_stages_as_are_stable() {
        assert_eq!([0.0, 2.0, 2.01, 6.0, 6.01, 12.0, 90.0].map(stages), [1, 1, 2, 2, 3, 3, 9]);
        for s in 1..30 {
            for z in [1e-3, 0.3, 1.0, 0.9 * (s * s + s) as f32] {
                let (mut last, mut before) = (1.0, 1.0);
                for stage in (1..=s).map(|number| RklStage::of(number, s)) {
                    let next = last + stage.onward * (last - before) - stage.change * z * last;
                    (last, before) = (next, last);
                }
                assert!(f32::abs(last) < 1.0, "{s} stages make {last} of a mode of rate {z}");
                assert!(z > 0.5 || (last - (-z).exp()).abs() < 0.05, "{s} stages make {last} of a mode of rate {z}");
            }
        }
    }

    #[test]
    fn stages_of_second_order_are_stable_and_of_second_order() {
        assert_eq!([0.0, 2.0, 2.01, 5.0, 5.01, 9.0].map(rkl2_stages), [2, 2, 3, 3, 4, 4]);
        for s in 2..30u32 {
            for z in [1e-3, 0.1, 0.3, 0.49 * (s * s + s - 2) as f32] {
                let (mut last, mut before) = (1.0, 1.0);
                for stage in (1..=s).map(|number| Rkl2Stage::of(number, s)) {
                    let next = 1.0 + stage.last * (last - 1.0) + stage.before * (before - 1.0)
                        - stage.change * z * last
                        - stage.start * z;
                    (last, before) = (next, last);
                }
                assert!(f32::abs(last) <= 1.0, "{s} stages make {last} of a mode of rate {z}");
                let off = (last - (-z).exp()).abs();
                // Each stage rounds to single precision.
                let rounding = f32::EPSILON * s as f32;
                assert!(z > 0.5 || off < 0.2 * z.powi(3) + rounding, "{s} stages make {last} of a mode of rate {z}");
            }
        }
    }
}
