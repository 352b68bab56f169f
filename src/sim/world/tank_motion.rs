//! How the tank stands: which way is down in it, and how it is shaken.

use crate::math::Elementary;
use crate::sim::clock::STEP;
use glam::Vec2;

/// How quickly gravity turns towards the tilt that was asked for, per second.
const TILT_RATE: f32 = 9.0;

/// Strength of a shake, m/s², and how long it pushes one way before it pulls back, seconds.
const SHAKE: (f32, f32) = (25.0, 0.12);

/// Angles of gravity from straight down, radians; positive is to the right.
#[derive(Clone, Copy, Debug, Default)]
pub struct TankMotion {
    tilt: f32,
    target: f32,
    /// Direction of a shake and seconds since it began.
    shake: Option<(Vec2, f32)>,
}

impl TankMotion {
    /// The angle of gravity from straight down, radians.
    pub fn tilt(&self) -> f32 {
        self.tilt
    }

    /// The angle that gravity is turning to.
    pub fn target(&self) -> f32 {
        self.target
    }

    /// Turns gravity, smoothly, to `angle`.
    pub fn tilt_to(&mut self, angle: f32) {
        if angle.is_finite() {
            self.target = angle;
        }
    }

    /// Jerks the tank so that what is in it is thrown in `direction` and comes back.
    pub fn shake(&mut self, direction: Vec2) {
        self.shake = direction.try_normalize().map(|direction| (direction, 0.0));
    }

    /// Whether it changes.
    pub fn is_turning(&self) -> bool {
        self.tilt != self.target || self.shake.is_some()
    }

    /// One step of time passes.
    pub fn advance(&mut self) {
        self.tilt += (self.target - self.tilt) * (1.0 - (-TILT_RATE * STEP).exponential());
        if (self.target - self.tilt).abs() < 1e-4 {
            self.tilt = self.target;
        }
        if let Some((_, since)) = &mut self.shake {
            *since += STEP;
        }
        self.shake = self.shake.filter(|&(_, since)| since < 2.0 * SHAKE.1);
    }

    /// The direction of gravity in the tank.
    pub fn gravity_dir(&self) -> Vec2 {
        Vec2::new(self.tilt.sine(), -self.tilt.cosine())
    }

    /// The acceleration of the shaken tank, as what is in it feels it, m/s²: one way, then back.
    pub fn shake_acceleration(&self) -> Vec2 {
        let Some((direction, since)) = self.shake else { return Vec2::ZERO };
        direction * SHAKE.0 * (std::f32::consts::PI * since / SHAKE.1).sine()
    }
}
