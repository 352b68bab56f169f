//! How specks move, change their kind and end.

use super::random;
use super::surroundings::Liquid;
use crate::sim::boundary::Walls;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::Vec2;

/// Which kind a speck is goes by the fraction of the kernel around it that is full of liquid. The article has fewer than 6
/// neighbours for spray and more than 20 for bubbles, of some 33 that a place in still liquid has in space: 0.18 and 0.6. In the
/// plane a place 0.2 h below a flat surface has 0.63 and one as far above it 0.37.
///
/// A speck is drawn where it is, and the liquid's surface at one half: 0.18 would leave foam hanging half of h, more than a cell,
/// over the water.
const SPRAY_BELOW: f32 = 0.3;
const BUBBLE_ABOVE: f32 = 0.72;

/// What a speck is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In the air, on its own.
    Spray,
    /// On the surface, carried along.
    Foam,
    /// In the liquid, on its way up.
    Bubble,
    /// A spark of lava, which cools.
    Ember,
}

/// The fractions between which foam settles, each speck at its own: a band under the surface, and a little over it.
const FLOATS: [f32; 2] = [0.46, 0.66];

/// How fast foam comes to its depth, m/s for each unit of the fraction that it is off.
const FLOAT_SPEED: f32 = 0.9;

/// How fast bubbles rise, m/s, at 9.81 m/s² (with the root of gravity), the smallest and the largest, and how soon they do, 1/s.
const RISE: [f32; 2] = [0.25, 0.8];
const RISE_RATE: f32 = 10.0;

/// How far each bubble departs from the stream, as a fraction of its speed: without it, bubbles that a stream drags down string
/// themselves along it like beads.
const STRAY: f32 = 0.3;

/// Drag of air on spray and on embers, 1/s.
const SPRAY_DRAG: f32 = 0.25;
const EMBER_DRAG: f32 = 0.9;

/// The share of their weight that embers feel: hot air carries them.
const EMBER_WEIGHT: f32 = 0.22;

/// Seconds that foam lasts, and seconds over which it fades in the end; embers.
const FOAM_LIFE: [f32; 2] = [1.4, 2.8];
const FADE: f32 = 0.8;
const EMBER_LIFE: [f32; 2] = [0.6, 1.7];

/// How quickly life passes for spray and bubbles. Bubbles far from where they were made are specks without a cause.
const SPRAY_AGING: f32 = 0.3;
const BUBBLE_AGING: f32 = 1.3;

/// Seconds in which a new speck comes up.
const RISE_TIME: f32 = 0.06;

/// What a wall leaves of the speed with which spray hits it, and the life that a hit takes, seconds.
const RESTITUTION: f32 = 0.25;
const HIT: f32 = 0.5;

/// A speck of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speck {
    /// What it is.
    pub kind: Kind,
    /// The number of the fluid that it is of.
    pub phase: u8,
    /// Metres.
    pub at: Vec2,
    /// Where it was when the step began, or the particle that it is from.
    before: Vec2,
    /// m/s.
    pub velocity: Vec2,
    /// From 0 to 1, its own for ever: size and depth go by it.
    pub variation: f32,
    /// Seconds since it was born, and seconds that it still has.
    age: f32,
    life: f32,
}

/// What the random numbers of a new speck depend on.
#[derive(Clone, Copy)]
pub(super) struct SpeckSeed {
    /// The particle that it is from, and where that is, metres.
    pub id: u32,
    pub from: Vec2,
    pub step: u32,
    /// Which one of that particle and step it is.
    pub number: u32,
}

/// What acts on all specks in one step.
#[derive(Clone, Copy)]
pub(super) struct SpeckStep<'a> {
    pub walls: &'a Walls,
    /// m/s².
    pub gravity: Vec2,
    /// Seconds.
    pub dt: f32,
    /// Of the step.
    pub number: u32,
}

impl Speck {
    /// A new one.
    pub(super) fn new(kind: Kind, at: Vec2, velocity: Vec2, phase: u8, seed: SpeckSeed) -> Self {
        let SpeckSeed { id, from: before, step, number } = seed;
        let [from, to] = if kind == Kind::Ember { EMBER_LIFE } else { FOAM_LIFE };
        let life = from + (to - from) * random(id, step, 8 * number + 6);
        Self { kind, phase, at, before, velocity, variation: random(id, step, 8 * number + 7), age: 0.0, life }
    }

    /// Where it was when the step began; if it is new, where the particle is that it is from.
    pub fn before(&self) -> Vec2 {
        self.before
    }

    /// Whether it has come up in this step.
    pub fn is_new(&self) -> bool {
        self.age == 0.0
    }

    /// Puts it back into free space, if it has gone into a wall.
    fn meet_walls(&mut self, walls: &Walls) {
        let (at, wall) = walls.project_to_free(self.at);
        match wall {
            Some(normal) => self.hit(at, normal, Vec2::ZERO),
            None => self.at = at,
        }
    }

    /// Puts it to `at`, on a surface that moves at `surface` and faces `normal`, and takes what that costs it.
    pub fn hit(&mut self, at: Vec2, normal: Vec2, surface: Vec2) {
        self.deflect(at, normal, surface);
        self.wear();
    }

    /// Puts it to `at`, on a surface that moves at `surface` and faces `normal`: it bounces.
    pub fn deflect(&mut self, at: Vec2, normal: Vec2, surface: Vec2) {
        let into = (self.velocity - surface).dot(normal).min(0.0);
        self.at = at;
        self.velocity -= (1.0 + RESTITUTION) * into * normal;
    }

    /// Spray that has hit something is soon a film that is not seen.
    pub fn wear(&mut self) {
        self.life -= if self.kind == Kind::Spray { HIT } else { 0.0 };
    }

    /// How much of it is still to be seen, 0 to 1.
    pub fn strength(&self) -> f32 {
        let fading = (self.life / FADE).clamp(0.0, 1.0);
        fading * fading * (3.0 - 2.0 * fading) * (self.age / RISE_TIME).min(1.0)
    }

    /// Its heat, from 1 for what has just been spat to 0.
    pub fn heat(&self) -> f32 {
        (self.life / EMBER_LIFE[1]).clamp(0.0, 1.0)
    }
}

/// Moves the specks for `dt` seconds, and takes out those whose time is over.
#[simd]
pub(super) fn advance<S: Simd>(simd: S, specks: &mut Vec<Speck>, around: &Liquid, step: &SpeckStep) {
    let SpeckStep { walls, gravity, dt, .. } = *step;
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
                speck.velocity = (speck.velocity + gravity * dt) * (1.0 - SPRAY_DRAG * dt);
                SPRAY_AGING
            }
            Kind::Foam => {
                let level = FLOATS[0] + (FLOATS[1] - FLOATS[0]) * speck.variation;
                speck.velocity = here.velocity + up * (FLOAT_SPEED * (here.full - level));
                1.0
            }
            Kind::Bubble => {
                let rise = (RISE[0] + (RISE[1] - RISE[0]) * speck.variation) * (gravity.length() / 9.81).sqrt();
                let stray = [37.0, 91.0].map(|factor: f32| (factor * speck.variation).fract() - 0.5);
                let rising = here.velocity + up * rise + Vec2::from(stray) * (STRAY * here.velocity.length());
                speck.velocity += (rising - speck.velocity) * (RISE_RATE * dt).min(1.0);
                BUBBLE_AGING
            }
            Kind::Ember => {
                speck.velocity = (speck.velocity + gravity * (EMBER_WEIGHT * dt)) * (1.0 - EMBER_DRAG * dt);
                if here.full > 0.5 { 4.0 } else { 1.0 }
            }
        };
        speck.age += dt;
        speck.life -= aging * dt;
        let way = speck.velocity * dt;
        speck.at += way;
        // Most have no wall within their way.
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
