//! Integrators for `x' = v`, `v' = a(x, v)`, and the longest step of each that is stable.
//!
//! The classical Runge–Kutta method (W. Kutta 1901) evaluates the forces four times a step. Velocity Verlet (W. C. Swope et al.
//! 1982) does so twice, and is of second order, but of first order in forces that depend on velocities. The explicit Euler method
//! does so once, is of first order, and adds energy to every motion that is not damped.

use serde::Serialize;

named! {
    /// An integrator.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Integrator {
        /// The classical Runge–Kutta method.
        #[default]
        Rk4 => "rk4",
        /// Velocity Verlet.
        Verlet => "verlet",
        /// The explicit Euler method.
        Euler => "euler",
    }
}

/// Bounds of the rates of a linear system `x'' = −ω² x − (ω² τ + c) x'`.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// ω², 1/s², of the fastest mode.
    pub square: f64,
    /// τ, seconds.
    pub damping: f64,
    /// c, 1/s, at least, and at most.
    pub linear: [f64; 2],
}

/// Bound of `z = λ dt` within which a Runge–Kutta step damps every damped mode and amplifies none: the half disc of this radius
/// on the left of the imaginary axis. On the axis itself 2.83 would do, on the real one 2.78; between them the region of
/// stability comes down to 2.61 from the origin.
const RK4_STABLE: f64 = 2.6;

/// The same for Verlet, of ω dt, with any damping: with q = 1 − ½ d dt for a damping d, a step is stable while
/// (ω dt)² ≤ 4 (1 + q²)/(1 + q) and d dt ≤ 4; the minimum of the first over q is 8 (√2 − 1).
const VERLET_STABLE: f64 = 1.82;

/// The same, of d dt. At 4 an error grows in proportion to the number of steps.
const VERLET_DAMPED: f64 = 3.9;

impl Integrator {
    /// Whether it is the one of a scene that names none.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The longest stable step, seconds; 0 if no step is.
    pub fn max_step(self, rates: Rates) -> f64 {
        let Rates { square, damping, linear: [least, most] } = rates;
        let rate = square.sqrt();
        match self {
            Self::Rk4 => RK4_STABLE / (rate.max(square * damping) + most),
            Self::Verlet => (VERLET_STABLE / rate).min(VERLET_DAMPED / (square * damping + most)),
            // Of 1 + λ dt: the product of both is at most 1, and neither is below −1. Springs do not damp what moves across them,
            // so for the product only `c` counts.
            Self::Euler => (least / square).min(2.0 / (square * damping + most)),
        }
    }
}

/// Buffers of an integrator, so that a step allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// Positions and velocities of the present stage.
    x: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// `k₁ + 2 k₂ + 2 k₃ + k₄` of the velocities and of the accelerations.
    dx: Vec<f64>,
    dv: Vec<f64>,
}

impl Stages {
    /// Makes one step of `dt` seconds. `accelerate` computes the accelerations for positions and velocities.
    #[inline(always)]
    pub fn step(
        &mut self,
        integrator: Integrator,
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
        match integrator {
            Integrator::Rk4 => {}
            Integrator::Verlet => {
                add(velocity, a, 0.5 * dt);
                add(at, velocity, dt);
                accelerate(at, velocity, a);
                return add(velocity, a, 0.5 * dt);
            }
            Integrator::Euler => {
                add(at, velocity, dt);
                return add(velocity, a, dt);
            }
        }
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

#[inline(always)]
fn add(values: &mut [f64], change: &[f64], factor: f64) {
    for (value, change) in values.iter_mut().zip(change) {
        *value += factor * change;
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
            assert!(worst(f64::from(step) * 0.01 * RK4_STABLE / 2.6) <= 1.0 + 1e-12, "at {}", f64::from(step) * 0.01);
        }
        assert!(worst(1.05 * RK4_STABLE) > 1.0);
    }

    /// The amplitude, after 2000 steps, of the slowest or the fastest mode that `rates` allows; it starts at 1.
    fn amplitude(integrator: Integrator, rates: Rates, dt: f64, square: f64) -> f64 {
        let (mut at, mut velocity, mut stages) = ([1.0], [0.0], Stages::default());
        for _ in 0..2000 {
            let damping = square * rates.damping + rates.linear[0];
            stages.step(integrator, &mut at, &mut velocity, dt, |x, v, a| a[0] = -square * x[0] - damping * v[0]);
        }
        at[0].abs().max(velocity[0].abs() / square.sqrt())
    }

    #[test]
    fn every_integrator_is_stable_at_its_longest_step_and_verlet_not_far_beyond() {
        for damping in [0.0, 1e-5, 2e-4, 3e-3] {
            for linear in [0.0, 0.4, 30.0] {
                let rates = Rates { square: 1e6, damping, linear: [linear, linear] };
                for (name, integrator) in Integrator::ALL.map(|it| (it.name(), it)) {
                    let dt = integrator.max_step(rates);
                    let modes =
                        || [1e2, 1e4, 1e5, 3e5, 1e6].map(|square| (square, amplitude(integrator, rates, dt, square)));
                    assert!(dt == 0.0 || modes().iter().all(|mode| mode.1 < 1.5), "{name} {rates:?}: {:?}", modes());
                    let beyond = amplitude(integrator, rates, 1.6 * dt + 1e-4, 1e6);
                    assert!(
                        integrator != Integrator::Verlet || beyond.is_nan() || beyond > 1.1,
                        "{name} {rates:?}: {beyond}"
                    );
                }
            }
        }
    }
}
