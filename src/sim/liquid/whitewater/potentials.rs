//! Where specks are created: the article's three potentials, from 0 to 1, and the rate that follows from them.

use super::specks::{Kind, Speck, SpeckStep, random};
use super::surroundings::LiquidSampler;
use crate::math::ramp;
use crate::sim::liquid::{Liquid, Whitening};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::Vec2;

/// Specks per second and square metre of liquid where all potentials are 1: from trapped air, and from crests. These and all speeds
/// are those of the reference: see [`SpeckStep::scale`].
const TRAPPED_RATE: f32 = 120_000.0;
const CREST_RATE: f32 = 200_000.0;

/// Speeds between which a particle's kinetic energy begins to make specks, m/s.
const SPEED: [f32; 2] = [0.7, 2.2];

/// Relative density below which a particle is near enough to the air to trap any.
const NEAR_AIR: f32 = 0.97;

/// Closing speeds between which air is trapped, m/s: jitter makes up to 0.5, and a grid evens out what is closer than a cell.
const CLOSING: [f32; 2] = [0.55, 1.6];
const CLOSING_ON_GRID: [f32; 2] = [0.35, 1.1];

/// Factor on the spray of a crest on a grid, which has fewer particles of its own in the air.
const CREST_ON_GRID: f32 = 2.0;

/// Relative densities between which the surface is a crest: it is 0.62 on a flat one, below a half where the radius is h.
const CREST: [f32; 2] = [0.6, 0.4];

/// Relative densities between which a particle counts as part of a larger volume: small drops have no crest.
const ATTACHED: [f32; 2] = [0.25, 0.4];

/// Minimum cosine between a crest's normal and its velocity: the article's 0.6.
const CREST_ADVANCE: f32 = 0.6;

/// Distance in front of a crest's particle at which its spray starts, in h: outside the liquid as it is drawn.
const CREST_START: f32 = 0.45;

/// Maximum deviation of spray from its particle's velocity, to either side, as a fraction of the speed.
const SPREAD: f32 = 0.25;

/// Embers per second and m² of lava's surface particles, the speeds between which they begin, and their own, m/s.
const EMBER_RATE: f32 = 5000.0;
const EMBER_SPEED: [f32; 2] = [0.06, 0.5];
const EMBER_START: [f32; 2] = [0.5, 1.6];

/// Relative density below which a particle belongs to the surface.
const SURFACE: f32 = 0.75;

/// Drops that a particle throws up when it leaves as steam, and their speed, m/s.
const STEAM_DROPS: u32 = 5;
const STEAM_START: [f32; 2] = [0.5, 1.8];

/// Emits spray where steam leaves the surface and bubbles break.
pub(super) fn emit_where_steam_leaves(liquid: &Liquid, now: &SpeckStep, specks: &mut Vec<Speck>, limit: usize) {
    let up = -now.gravity.normalize_or_zero();
    // The fluid that foams most: it is water that boils on lava, not lava.
    let foams = |phase: &usize| liquid.whitening(*phase as u8).foam;
    let phases = 0..liquid.phases().params.len();
    let phase = phases.rev().max_by(|a, b| foams(a).total_cmp(&foams(b))).unwrap_or_default() as u8;
    for (&at, id) in liquid.steam().iter().zip(0u32..) {
        for number in 0..STEAM_DROPS.min(limit.saturating_sub(specks.len()) as u32) {
            let [a, b, c] = [1, 2, 3].map(|purpose| random(id, now.number, 8 * number + purpose));
            let thrown = up * (STEAM_START[0] + (STEAM_START[1] - STEAM_START[0]) * a * b) + up.perp() * (c - 0.5);
            let thrown = now.scale.speed * thrown;
            let (start, _) = now.walls.end_of_way(at, at + 0.5 * liquid.spacing() * up);
            specks.push(Speck::new(Kind::Spray, [at, start], thrown, phase, [id, now.number, number]));
        }
    }
}

/// Adds the specks that a liquid creates in `dt` seconds.
#[simd]
pub(super) fn emit<S: Simd>(
    simd: S,
    liquid: &Liquid,
    around: &LiquidSampler,
    now: &SpeckStep,
    specks: &mut Vec<Speck>,
    limit: usize,
) {
    let SpeckStep { walls, gravity, dt, number: step, scale } = *now;
    let p = around.particles;
    let slowest = (scale.speed * SPEED[0].min(EMBER_SPEED[0])).powi(2);
    // A nearly full tank gets fewer new specks everywhere, so that they are not missing in one place only.
    let room = 1.0 - specks.len() as f32 / limit.max(1) as f32;
    let area = liquid.particle_area() * dt * room / (scale.length * scale.length * scale.time());
    let (closing, crest_rate) = match liquid.is_on_grid() {
        true => (CLOSING_ON_GRID, CREST_ON_GRID * CREST_RATE),
        false => (CLOSING, CREST_RATE),
    };
    for slot in 0..p.slots() {
        let velocity = p.velocity(slot);
        if velocity.length_squared() < slowest || !p.is_alive(slot) {
            continue;
        }
        let density = liquid.relative_density(slot);
        if density > NEAR_AIR {
            continue;
        }
        let (id, at, speed) = (p.id[slot], p.position(slot), velocity.length() / scale.speed);
        let number = |expected: f32| (expected + random(id, step, 0)) as usize;
        let phase = liquid.phases().phase_of(id);
        let Whitening { foam, embers } = liquid.whitening(phase);
        let mut add = |kind: Kind, start: Vec2, velocity: Vec2, number: u32| {
            if specks.len() < limit {
                let (start, _) = walls.end_of_way(at, start);
                specks.push(Speck::new(kind, [at, start], velocity, phase, [id, step, number]));
            }
        };
        if foam > 0.0 && speed > SPEED[0] {
            let here = around.look(simd, at, velocity, walls);
            let energy = ramp(speed, SPEED);
            let normal = here.outward.normalize_or_zero();
            let advance = normal.dot(velocity) / (speed * scale.speed);
            let curled = ramp(density, CREST).min(ramp(density, ATTACHED));
            let crest = if advance > CREST_ADVANCE { curled } else { 0.0 };
            let trapped = ramp(here.closing / scale.speed, closing);
            let rate = foam * area * energy;
            for n in 0..number(rate * TRAPPED_RATE * trapped) as u32 {
                let [a, b] = [1, 2].map(|purpose| random(id, step, 8 * n + purpose) - 0.5);
                add(Kind::Foam, at + around.h * 0.8 * Vec2::new(a, b), here.velocity, n);
            }
            for n in 0..number(rate * crest_rate * crest) as u32 {
                let [a, b, c] = [3, 4, 5].map(|purpose| 2.0 * random(id, step, 8 * n + purpose) - 1.0);
                let start = at + around.h * (CREST_START * normal + 0.3 * a * normal.perp());
                let thrown = velocity * (1.0 + SPREAD * b) + velocity.perp() * (SPREAD * c);
                add(Kind::Spray, start + dt * (0.5 + 0.5 * b) * velocity, thrown, n + 64);
            }
        }
        if embers > 0.0 && density < SURFACE {
            for n in 0..number(embers * area * EMBER_RATE * ramp(speed, EMBER_SPEED)) as u32 {
                let [a, b, c] = [1, 2, 3].map(|purpose| random(id, step, 8 * n + purpose));
                let up = -gravity.normalize_or_zero();
                let thrown = up * (EMBER_START[0] + (EMBER_START[1] - EMBER_START[0]) * a * b);
                let aside = up.perp() * (0.8 * (c - 0.5));
                add(Kind::Ember, at + 0.5 * around.h * up, scale.speed * (thrown + aside) + velocity, n);
            }
        }
    }
}
