//! The motion of the tank: the direction of gravity in it, shakes, and the motions that a scene defines.

use crate::math::{Elementary, smoothstep};
use crate::sim::clock::STEP;
use crate::sim::definition::TankMotionDef;
use glam::Vec2;
use std::f32::consts::{PI, TAU};

/// Rate at which the tilt approaches its target, 1/s.
const TILT_RATE: f32 = 9.0;

/// Acceleration of a shake, m/s², and its duration in each of its two directions, seconds.
const SHAKE: (f32, f32) = (25.0, 0.12);

/// Duration of a flip, seconds: in one second an hourglass spills, and two look slow.
pub const FLIP_TIME: f32 = 1.4;

/// Duration of a knock, seconds: three steps, which keep a stiff liquid stable.
const KNOCK_TIME: f32 = 0.05;

/// Angles of gravity from straight down, radians; positive is to the right.
#[derive(Clone, Copy, Debug, Default)]
pub struct TankMotion {
    /// The angle of gravity from straight down by the user's tilt, radians.
    pub tilt: f32,
    pub target: f32,
    shake: Option<(Vec2, f32)>,
    /// The motions that the scene defines, their angle now, and their acceleration now, m/s².
    own: TankMotionDef,
    own_angle: f32,
    own_acceleration: Vec2,
    /// The part of the angle by which flips have turned the tank over.
    pub flipped: f32,
}

impl TankMotionDef {
    fn angle(&self, time: f64) -> f32 {
        self.rolled(time) + self.flipped(time)
    }

    fn rolled(&self, time: f64) -> f32 {
        self.roll.map_or(0.0, |roll| {
            let since = (time - f64::from(roll.first)).max(0.0);
            let phase = (since / f64::from(roll.period)).fract() as f32;
            roll.angle.to_radians() * (TAU * phase).sine()
        })
    }

    fn flipped(&self, time: f64) -> f32 {
        self.flip.filter(|flip| time >= f64::from(flip.first)).map_or(0.0, |flip| {
            let flips = (time - f64::from(flip.first)) / f64::from(flip.every);
            // After two flips it stands as at first.
            PI * ((flips as u64 % 2) as f32 + smoothstep(flips.fract() as f32 * flip.every, [0.0, FLIP_TIME]))
        })
    }

    /// The acceleration of the contents by a knock at a time in seconds, m/s².
    fn knock_acceleration(&self, time: f64) -> Vec2 {
        let Some(knock) = self.knock.filter(|knock| time >= f64::from(knock.first)) else { return Vec2::ZERO };
        let since = (time - f64::from(knock.first)).rem_euclid(f64::from(knock.every)) as f32;
        if since < KNOCK_TIME { Vec2::from(knock.velocity) / KNOCK_TIME } else { Vec2::ZERO }
    }
}

impl TankMotion {
    pub fn new(own: TankMotionDef) -> Self {
        Self { own, ..Self::default() }
    }

    pub fn tilt_to(&mut self, angle: f32) {
        if angle.is_finite() {
            self.target = angle;
        }
    }

    /// Shakes the tank: its contents are accelerated in `direction`, and then back.
    pub fn shake(&mut self, direction: Vec2) {
        self.shake = direction.try_normalize().map(|direction| (direction, 0.0));
    }

    /// Whether the motion changes in the step that begins at a time in seconds.
    pub fn is_turning(&self, time: f64) -> bool {
        let own_moves = self.own.angle(time) != self.own_angle || self.own.knock_acceleration(time) != Vec2::ZERO;
        self.tilt != self.target || self.shake.is_some() || own_moves
    }

    /// Advances by a step that begins at a time in seconds.
    pub fn advance(&mut self, time: f64) {
        (self.own_angle, self.own_acceleration) = (self.own.angle(time), self.own.knock_acceleration(time));
        self.flipped = self.own.flipped(time);
        self.tilt += (self.target - self.tilt) * (1.0 - (-TILT_RATE * STEP).exponential());
        if (self.target - self.tilt).abs() < 1e-4 {
            self.tilt = self.target;
        }
        if let Some((_, since)) = &mut self.shake {
            *since += STEP;
        }
        self.shake = self.shake.filter(|&(_, since)| since < 2.0 * SHAKE.1);
    }

    pub fn gravity_dir(&self) -> Vec2 {
        let angle = self.tilt + self.own_angle;
        Vec2::new(angle.sine(), -angle.cosine())
    }

    /// The acceleration of the contents by a shake and by knocks, m/s².
    pub fn shake_acceleration(&self) -> Vec2 {
        let Some((direction, since)) = self.shake else { return self.own_acceleration };
        direction * SHAKE.0 * (PI * since / SHAKE.1).sine() + self.own_acceleration
    }
}
