//! The motion of specks, and how they change their kind and expire.

use super::surroundings::LiquidSampler;
use crate::math::smoothstep;
use crate::sim::boundary::Walls;
use crate::sim::liquid::FroudeScale;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::Vec2;

/// Full fractions of the kernel that tell the kinds apart. The article's 6 and 20 of some 33 neighbours are 0.18 and 0.6; in the
/// plane 0.18 would leave foam hanging over the water, whose surface is drawn at one half.
const SPRAY_BELOW: f32 = 0.3;
const BUBBLE_ABOVE: f32 = 0.72;

/// What a speck of white water is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In the air, in free flight.
    Spray,
    /// On the surface, moving with it.
    Foam,
    /// In the liquid, rising.
    Bubble,
    /// A spark of lava, which cools.
    Ember,
}

/// Full fractions between which foam settles, each speck at its own: a band under the surface, and a little over it.
const FLOATS: [f32; 2] = [0.46, 0.66];

/// Speed at which foam moves to its depth, m/s per unit of the difference in full fraction.
const FLOAT_SPEED: f32 = 0.9;

/// Rise speeds of the smallest and the largest bubble, m/s, and the rate at which they reach them, 1/s.
const RISE: [f32; 2] = [0.25, 0.8];
const RISE_RATE: f32 = 10.0;

/// Deviation of each bubble from the stream, as a fraction of its speed, so that bubbles do not line up.
const STRAY: f32 = 0.3;

/// Drag of air on spray and on embers, 1/s.
const SPRAY_DRAG: f32 = 0.25;
const EMBER_DRAG: f32 = 0.9;

/// The share of their weight that embers feel: hot air carries them.
const EMBER_WEIGHT: f32 = 0.22;

/// Lifetime of foam, seconds, its final fade, and the lifetime of embers.
const FOAM_LIFE: [f32; 2] = [1.4, 2.8];
const FADE: f32 = 0.8;
const EMBER_LIFE: [f32; 2] = [0.6, 1.7];

/// Rate at which spray and bubbles age, relative to foam.
const SPRAY_AGING: f32 = 0.3;
const BUBBLE_AGING: f32 = 1.3;

/// Seconds in which a new speck fades in.
const RISE_TIME: f32 = 0.06;

/// Share of the speed of spray that is left after hitting a wall, and the lifetime that a hit takes, seconds.
const RESTITUTION: f32 = 0.25;
const HIT: f32 = 0.5;

/// A drop of spray, a bubble, or what else is too small for the liquid's particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speck {
    /// What it is.
    pub kind: Kind,
    /// The number of its fluid.
    pub phase: u8,
    /// Position, metres.
    pub at: Vec2,
    /// Position at the beginning of the step, or that of the particle that created it, metres.
    pub before: Vec2,
    /// Velocity, m/s.
    pub velocity: Vec2,
    /// A constant of each speck from 0 to 1, which determines its size and depth.
    pub variation: f32,
    /// Age, and remaining lifetime, seconds of the reference.
    age: f32,
    life: f32,
}

#[derive(Clone, Copy)]
pub(super) struct SpeckStep<'a> {
    pub walls: &'a Walls,
    /// Gravity, m/s².
    pub gravity: Vec2,
    /// Time step, seconds.
    pub dt: f32,
    pub number: u32,
    /// Speeds, lifetimes and rates of specks are those of the reference.
    pub scale: FroudeScale,
}

impl Speck {
    /// Made at `at` by what is at `before`; its random numbers follow from the id of that, the step, and its own number there.
    pub(super) fn new(
        kind: Kind,
        [before, at]: [Vec2; 2],
        velocity: Vec2,
        phase: u8,
        [id, step, number]: [u32; 3],
    ) -> Self {
        let [from, to] = if kind == Kind::Ember { EMBER_LIFE } else { FOAM_LIFE };
        let life = from + (to - from) * random(id, step, 8 * number + 6);
        Self { kind, phase, at, before, velocity, variation: random(id, step, 8 * number + 7), age: 0.0, life }
    }

    /// Whether this step has made it.
    pub fn is_new(&self) -> bool {
        self.age == 0.0
    }

    fn meet_walls(&mut self, walls: &Walls) {
        let (at, wall) = walls.end_of_way(self.before, self.at);
        match wall {
            Some(normal) => self.hit(at, normal, Vec2::ZERO),
            None => self.at = at,
        }
    }

    /// Moves it to `at`, on a surface of velocity `surface` and normal `normal`; it bounces and loses lifetime.
    pub fn hit(&mut self, at: Vec2, normal: Vec2, surface: Vec2) {
        self.deflect(at, normal, surface);
        self.wear();
    }

    /// Moves it to `at`, on a surface of velocity `surface` and normal `normal`; it bounces.
    pub fn deflect(&mut self, at: Vec2, normal: Vec2, surface: Vec2) {
        let into = (self.velocity - surface).dot(normal).min(0.0);
        self.at = at;
        self.velocity -= (1.0 + RESTITUTION) * into * normal;
    }

    /// Ages spray that has hit something: it soon is a film too thin to see.
    pub fn wear(&mut self) {
        self.life -= if self.kind == Kind::Spray { HIT } else { 0.0 };
    }

    /// Its visibility, 0 to 1.
    pub fn strength(&self) -> f32 {
        smoothstep(self.life, [0.0, FADE]) * (self.age / RISE_TIME).min(1.0)
    }

    /// Heat of an ember, from 1 when new to 0.
    pub fn heat(&self) -> f32 {
        (self.life / EMBER_LIFE[1]).clamp(0.0, 1.0)
    }
}

/// Advances the specks by a step, and removes those that have expired.
#[simd]
pub(super) fn advance<S: Simd>(simd: S, specks: &mut Vec<Speck>, around: &LiquidSampler, step: &SpeckStep) {
    let SpeckStep { walls, gravity, dt, scale, .. } = *step;
    let (aged, unit) = (dt / scale.time(), scale.speed);
    let mut number = 0;
    // Not `retain_mut`: its closure is code for no instruction set, in which every operation on vectors is a call.
    while number < specks.len() {
        let speck = &mut specks[number];
        speck.before = speck.at;
        let here = around.look(simd, speck.at, speck.velocity, walls);
        let up = -gravity.normalize_or_zero();
        if speck.kind != Kind::Ember {
            speck.kind = match here.full {
                full if full < SPRAY_BELOW => Kind::Spray,
                full if full > BUBBLE_ABOVE => Kind::Bubble,
                _ => Kind::Foam,
            };
        }
        let aging = match speck.kind {
            Kind::Spray => {
                speck.velocity = (speck.velocity + gravity * dt) * (1.0 - SPRAY_DRAG * aged);
                SPRAY_AGING
            }
            Kind::Foam => {
                let level = FLOATS[0] + (FLOATS[1] - FLOATS[0]) * speck.variation;
                speck.velocity = here.velocity + up * (unit * FLOAT_SPEED * (here.full - level));
                1.0
            }
            Kind::Bubble => {
                let rise = unit * (RISE[0] + (RISE[1] - RISE[0]) * speck.variation);
                let stray = [37.0, 91.0].map(|factor: f32| (factor * speck.variation).fract() - 0.5);
                let rising = here.velocity + up * rise + Vec2::from(stray) * (STRAY * here.velocity.length());
                speck.velocity += (rising - speck.velocity) * (RISE_RATE * aged).min(1.0);
                BUBBLE_AGING
            }
            Kind::Ember => {
                speck.velocity = (speck.velocity + gravity * (EMBER_WEIGHT * dt)) * (1.0 - EMBER_DRAG * aged);
                if here.full > 0.5 { 4.0 } else { 1.0 }
            }
        };
        speck.age += aged;
        speck.life -= aging * aged;
        let way = speck.velocity * dt;
        speck.at += way;
        // Most have no wall within their path.
        if way.length() >= here.wall {
            speck.meet_walls(walls);
        }
        if speck.life > 0.0 {
            number += 1;
        } else {
            specks.swap_remove(number);
        }
    }
}

/// A random number from 0 to 1 that depends only on the particle, the step and the purpose (C. Wellons' `lowbias32`, over a Weyl
/// sequence for each of the three), so the order of threads does not matter.
pub(super) fn random(id: u32, step: u32, purpose: u32) -> f32 {
    let mut x = id.wrapping_mul(0x9e37_79b9) ^ step.wrapping_mul(0x85eb_ca6b) ^ purpose.wrapping_mul(0xc2b2_ae35);
    for factor in [0x7feb_352d_u32, 0x846c_a68b] {
        x ^= x >> 16;
        x = x.wrapping_mul(factor);
        x ^= x >> 15;
    }
    (x >> 8) as f32 / (1 << 24) as f32
}
