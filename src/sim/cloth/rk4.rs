//! The classical Runge–Kutta method (W. Kutta 1901) for `x' = v`, `v' = a(x, v)`.

/// Bound of `z = λ dt` within which a step damps every damped mode and amplifies none: the half disc of this radius on the left
/// of the imaginary axis, where the region of stability comes down to 2.61 from the origin.
pub const STABLE: f64 = 2.6;

#[derive(Clone, Debug, Default)]
pub struct Rk4 {
    /// Positions and velocities of the present stage.
    x: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// `k₁ + 2 k₂ + 2 k₃ + k₄` of the velocities and of the accelerations.
    dx: Vec<f64>,
    dv: Vec<f64>,
}

impl Rk4 {
    /// Makes one step of `dt` seconds. `accelerate` computes the accelerations for positions and velocities.
    #[inline(always)]
    pub fn step(
        &mut self,
        at: &mut [f64],
        velocity: &mut [f64],
        dt: f64,
        mut accelerate: impl FnMut(&[f64], &[f64], &mut [f64]),
    ) {
        for array in [&mut self.x, &mut self.v, &mut self.a, &mut self.dx, &mut self.dv] {
            array.resize(at.len(), 0.0);
        }
        let Self { x, v, a, dx, dv } = self;
        let [x, v, a, dx, dv] = [x, v, a, dx, dv].map(|array| &mut array[..at.len()]);
        let velocity = &mut velocity[..at.len()];
        accelerate(at, velocity, a);
        dx.copy_from_slice(velocity);
        dv.copy_from_slice(a);
        v.copy_from_slice(velocity);
        for (stage, weight) in [(0.5 * dt, 2.0), (0.5 * dt, 2.0), (dt, 1.0)] {
            for i in 0..at.len() {
                x[i] = at[i] + stage * v[i];
                v[i] = velocity[i] + stage * a[i];
            }
            accelerate(x, v, a);
            for i in 0..at.len() {
                dx[i] += weight * v[i];
                dv[i] += weight * a[i];
            }
        }
        for i in 0..at.len() {
            at[i] += dt / 6.0 * dx[i];
            velocity[i] += dt / 6.0 * dv[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factor on `exp(λ t)` of one step, as a complex number, for `z = λ dt`.
    fn growth(re: f64, im: f64) -> f64 {
        let times = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
        let (mut sum, mut power) = ((1.0, 0.0), (1.0, 0.0));
        for n in 1..=4 {
            power = times(power, (re / n as f64, im / n as f64));
            sum = (sum.0 + power.0, sum.1 + power.1);
        }
        sum.0.hypot(sum.1)
    }

    #[test]
    fn nothing_grows_within_the_bound_and_something_does_not_far_beyond() {
        let worst = |radius: f64| {
            let angle = |step: i32| std::f64::consts::PI * (0.5 + f64::from(step) / 400.0);
            (0..=400).map(|step| growth(radius * angle(step).cos(), radius * angle(step).sin())).fold(0.0, f64::max)
        };
        for step in 1..=260 {
            assert!(worst(f64::from(step) * 0.01 * STABLE / 2.6) <= 1.0 + 1e-12, "at {}", f64::from(step) * 0.01);
        }
        assert!(worst(1.05 * STABLE) > 1.0);
    }
}
