//! Target positions: a force that takes particles to given positions and holds them there. A particle with a target approaches
//! the velocity w, by v' = G (w − v), with w = −R (x − target), |w| ≤ W; gravity does not act on it. Near the target that is a
//! critically damped spring of strength G R (G = 4 R), from afar a flight at constant speed. R grows near the target, and
//! neighbours push only in part, so that late particles pass those at their targets. Targets do not act within a pointer's
//! radius. The owner of the shape sets them by id between steps.

use crate::sim::StepContext;
use crate::sim::particles::{INVALID_ID, ParticleSliceMut};
use glam::Vec2;
use std::ops::Range;

/// R far from the target, per second.
const FAR_RATE: f32 = 8.0;

/// R at the target, per second.
const NEAR_RATE: f32 = 60.0;

/// G over R: critical damping.
const GAIN: f32 = 4.0;

/// The distance from the target, in h, at which R is the mean of the two.
const NEAR: f32 = 0.8;

/// Fraction of the neighbours' push that acts on a particle with a target.
const NEIGHBOR_PUSH_SCALE: f32 = 0.1;

/// W, m/s.
const MAX_SPEED: f32 = 2.2;

/// Targets of particles, by id.
#[derive(Clone, Debug, Default)]
pub struct TargetPositions {
    /// By id: the target, metres; NaN without a target.
    at: Vec<Vec2>,
    /// Number of particles that have a target.
    pub held: usize,
}

impl TargetPositions {
    /// Gives a particle a target, in metres of the tank, or takes it away.
    pub fn set(&mut self, id: u32, target: Option<Vec2>) {
        let number = id as usize;
        if self.at.len() <= number {
            self.at.resize(number + 1, Vec2::NAN);
        }
        let before = std::mem::replace(&mut self.at[number], target.unwrap_or(Vec2::NAN));
        self.held = self.held + usize::from(target.is_some()) - usize::from(!before.is_nan());
    }

    /// The target of a particle, metres.
    #[inline]
    pub fn of(&self, id: u32) -> Option<Vec2> {
        self.at.get(id as usize).copied().filter(|target| !target.is_nan())
    }

    /// Over a substep in which gravity has added `kick`; `h` is the interaction radius.
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
            let rate = FAR_RATE + (NEAR_RATE - FAR_RATE) / (1.0 + away.length_squared() / (NEAR * h).powi(2));
            let wanted = (away * rate).clamp_length_max(MAX_SPEED);
            let v = p.velocity(slot) - kick;
            // Implicit Euler: stable for any step.
            let share = GAIN * rate * env.dt;
            p.set_velocity(slot, v + (wanted - v) * (share / (1.0 + share)));
        }
    }

    /// Removes most of the neighbours' push, which begins at slot `first`, from particles with targets.
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
