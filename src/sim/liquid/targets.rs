//! TargetPositions: places that particles keep to, so that a liquid holds a shape.
//!
//! A particle that has a target wants to be on its way there, the faster the farther it is, up to a limit, and takes on
//! the velocity that it wants; its weight is held too:
//!
//! ```text
//! w = −R (x − target),  |w| ≤ W          v' = G (w − v)
//! ```
//!
//! That is a critically damped spring of strength G R (G = 4 R) near target, so shapes neither ring nor sag, and a flight
//! at an even speed from afar, where a spring alone, with its force growing without bound, would make a crash.
//!
//! R grows towards target, and a particle with a target feels only a fraction of what its neighbours do to it. Liquid draws itself
//! together: held as gently as it is fetched (R = 8/s throughout), a stroke of three particles' width became a drop within
//! a second. And a late particle must get past those already at their targets: with all of its neighbours' push, one in
//! five never got into a page full of text, and letters came back with gaps. Whom the pointer touches it has to itself,
//! and so shapes can still be stirred.

use crate::sim::StepContext;
use crate::sim::particles::{INVALID_ID, ParticleSliceMut};
use glam::Vec2;
use std::ops::Range;

/// R from afar and at target, per second, and G in terms of it.
const RETURN_RATE: (f32, f32) = (8.0, 60.0);
const GRIP: f32 = 4.0;

/// Half of the difference between the two is felt so far from target, in h.
const NEAR: f32 = 0.8;

/// Fraction of the neighbours' push that a particle with a target feels.
const NEIGHBOR_PUSH_SCALE: f32 = 0.1;

/// W, m/s.
const FASTEST: f32 = 2.2;

/// Who has a target where. Particles go by their ids.
#[derive(Clone, Debug, Default)]
pub struct TargetPositions {
    /// Not a number for those that have none.
    at: Vec<Vec2>,
    held: usize,
}

impl TargetPositions {
    /// Gives a particle a target, another one, or none.
    pub fn set(&mut self, id: u32, target: Option<Vec2>) {
        let number = id as usize;
        if self.at.len() <= number {
            self.at.resize(number + 1, Vec2::NAN);
        }
        let before = std::mem::replace(&mut self.at[number], target.unwrap_or(Vec2::NAN));
        self.held = self.held + usize::from(target.is_some()) - usize::from(!before.is_nan());
    }

    /// Where a particle belongs.
    #[inline]
    pub fn of(&self, id: u32) -> Option<Vec2> {
        self.at.get(id as usize).copied().filter(|target| !target.is_nan())
    }

    /// How many have a target.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Changes the velocities of the particles in these slots over a substep, in which gravity has given them `kick`;
    /// `h` is their interaction radius.
    pub(in crate::sim) fn pull(
        &self,
        p: &mut ParticleSliceMut,
        id: &[u32],
        slots: Range<usize>,
        kick: Vec2,
        h: f32,
        env: &StepContext,
    ) {
        if self.held == 0 {
            return;
        }
        for slot in slots.filter(|&slot| id[slot] != INVALID_ID) {
            let (at, Some(target)) = (p.at(slot), self.of(id[slot])) else { continue };
            if env.pointer_forces.iter().any(|force| force.at.distance_squared(at) < force.radius * force.radius) {
                continue;
            }
            let away = target - at;
            let rate =
                RETURN_RATE.0 + (RETURN_RATE.1 - RETURN_RATE.0) / (1.0 + away.length_squared() / (NEAR * h).powi(2));
            let wanted = (away * rate).clamp_length_max(FASTEST);
            let v = p.velocity(slot) - kick;
            // Implicit Euler: stable for any step.
            let share = GRIP * rate * env.dt;
            p.set_velocity(slot, v + (wanted - v) * (share / (1.0 + share)));
        }
    }

    /// Takes most of the neighbours' push, which begins at slot `first`, from particles with targets.
    pub(in crate::sim) fn damp_neighbor_push(&self, id: &[u32], first: usize, dx: &mut [f32], dy: &mut [f32]) {
        if self.held == 0 {
            return;
        }
        for (number, (dx, dy)) in dx.iter_mut().zip(dy).enumerate() {
            let id = id[first + number];
            if id != INVALID_ID && self.of(id).is_some() {
                (*dx, *dy) = (NEIGHBOR_PUSH_SCALE * *dx, NEIGHBOR_PUSH_SCALE * *dy);
            }
        }
    }
}
