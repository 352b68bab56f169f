//! Muscles: how an animal reaches the velocity that it wants. A tail pushes the water behind it back, fins push the water beside it,
//! and legs the floor. What the water takes is what the body gets, so the momentum of both changes by walls and gravity alone. A
//! bladder changes the volume, and thus what the pressure of the water lifts.

use crate::math::{Elementary, slide_along};
use crate::sim::boundary::{Contact, Walls};
use crate::sim::clock::STEP;
use crate::sim::life::definition::{Habitat, Species};
use crate::sim::life::fish::Fish;
use crate::sim::liquid::Liquid;
use crate::sim::rigid::Body;
use glam::Vec2;
use std::f32::consts::TAU;

/// Rate at which it corrects its velocity, 1/s, and those at which it beats harder while it is too slow, 1/s², and forgets that,
/// 1/s: in coarse liquid drag is strong. Its greatest acceleration by the tail, in bursts (body lengths a second) a second; that by
/// fins is a share of it.
const RESPONSE: f32 = 10.0;
const EFFORT_RATE: f32 = 40.0;
const EFFORT_DECAY: f32 = 0.5;
const TAIL_ACCELERATION: f32 = 10.0;
const FIN_SHARE: f32 = 0.6;

/// Distance from the outline at which the pushed water is, in h: beside it, the pressure would return most of the push.
const JET_DISTANCE: f32 = 0.8;

/// Stiffness and damping of its attitude, 1/s² and 1/s, and its greatest angular acceleration, rad/s².
const ATTITUDE: [f32; 2] = [300.0, 30.0];
const MAX_SPIN_UP: f32 = 400.0;

/// Steepest pitch, radians.
const MAX_PITCH: f32 = 0.4;

/// Seconds of a turn to the other side.
const TURN_TIME: f32 = 0.45;

/// Beats of the tail a second: at rest, and per body length a second.
const BEAT: [f32; 2] = [0.7, 1.1];

/// Limits on the volume that a bladder makes, the rate at which it corrects it, 1/s per m/s of wrong vertical speed, and its
/// fastest change, 1/s. A newcomer grows from a part of it.
const VOLUME: [f32; 2] = [0.65, 1.4];
const BLADDER_RATE: f32 = 1.5;
const MAX_INFLATION: f32 = 0.6;
pub(super) const NEWCOMER: f32 = 0.3;

/// Acceleration of legs, m/s², and the gap over the floor up to which they reach it, metres.
const LEGS: f32 = 3.0;
const LEG_REACH: f32 = 0.015;

/// Seconds until one that cannot move pushes itself off a wall, and for which it does; speed, m/s; reach of the wall, metres.
const PUSH_OFF: [f32; 2] = [0.4, 0.8];
const PUSH_OFF_SPEED: f32 = 0.12;
const PUSH_OFF_GAP: f32 = 0.03;

/// Share of the wanted speed below which it is unable to move, if that is at least this many body lengths a second.
const STUCK: [f32; 2] = [0.1, 0.4];

/// Full fraction of the kernels above and below under which it is out of the water.
const DRY: f32 = 0.3;

/// The water that animals swim in.
pub(super) struct Water<'a> {
    pub liquid: &'a mut Liquid,
    pub walls: &'a Walls,
    pub up: Vec2,
}

impl Water<'_> {
    pub fn swim(mut self, fish: &mut Fish, species: &Species, body: &mut Body) {
        fish.age(species.appetite, STEP);
        let half = fish.length * species.body().1;
        let right = -self.up.perp();
        self.face(fish, right);
        let along = right.dot(fish.aim).abs();
        let pitch = self.up.dot(fish.aim).arc_tangent(along.max(species.speed * fish.length));
        let pitch = if species.habitat == Habitat::Floor { 0.0 } else { pitch.clamp(-MAX_PITCH, MAX_PITCH) };
        let level = right.y.arc_tangent(right.x);
        fish.heading = crate::math::direction(body.angle).rotate(Vec2::X) * fish.facing;
        let spin_up = spin_up(body, level + pitch * fish.facing);
        let bend = (0.004 * spin_up).clamp(-0.25, 0.25) * fish.facing;
        fish.bend += (bend - fish.bend) * (6.0 * STEP);
        if species.habitat == Habitat::Floor {
            self.walk(fish, body, half, spin_up);
        } else {
            self.turn(body, half.x, spin_up);
            self.swim_on(fish, species, body, half);
            self.push_off(fish, body, half);
            self.regulate_bladder(fish, body);
        }
        self.watch(fish, species, body, half);
    }

    /// Turns to the side where it wants to go, if it wants that clearly.
    fn face(&self, fish: &mut Fish, right: Vec2) {
        let along = right.dot(fish.aim);
        if along * fish.facing < -0.35 * fish.aim.length() {
            fish.facing = -fish.facing;
        }
        let step = 2.0 * STEP / TURN_TIME;
        fish.turn += (fish.facing - fish.turn).clamp(-step, step);
    }

    /// A couple of a fin in front and the tail behind turns it.
    fn turn(&mut self, body: &mut Body, arm: f32, spin_up: f32) {
        let arm = arm + JET_DISTANCE * self.liquid.h();
        let force = body.inertia * spin_up / (2.0 * arm);
        let along = crate::math::direction(body.angle);
        for side in [1.0, -1.0] {
            let place = body.at + side * arm * along;
            let impulse = side * force * STEP * along.perp();
            let taken = self.liquid.push(place, -impulse);
            body.apply_impulse(-taken, place);
        }
    }

    /// The tail drives it ahead; fins do the rest.
    fn swim_on(&mut self, fish: &mut Fish, species: &Species, body: &mut Body, half: Vec2) {
        let max = TAIL_ACCELERATION * species.burst * fish.length;
        let lack = fish.aim - body.velocity;
        fish.drive += (EFFORT_RATE * lack - EFFORT_DECAY * fish.drive) * STEP;
        let wanted = RESPONSE * lack + fish.drive;
        let ahead = wanted.dot(fish.heading).clamp(0.0, max);
        // While it turns, the tail does not point back.
        let by_tail = ahead * fish.turn.abs() * (0.7 + 0.6 * (2.0 * fish.beat).sine().abs());
        let behind = JET_DISTANCE * self.liquid.h();
        let place = body.at - (half.x + behind) * fish.heading;
        let taken = self.liquid.push(place, -body.mass * by_tail * STEP * fish.heading);
        body.apply_impulse(-taken, body.at);
        let by_fins = (wanted - wanted.dot(fish.heading).max(0.0) * fish.heading).clamp_length_max(FIN_SHARE * max);
        if let Some(side) = by_fins.try_normalize() {
            let local = Vec2::new(side.dot(fish.heading), side.dot(fish.heading.perp()));
            let place = body.at - side * ((local * half).length() + behind);
            let taken = self.liquid.push(place, -body.mass * by_fins * STEP);
            body.apply_impulse(-taken, body.at);
        }
        let pace = BEAT[0] + BEAT[1] * body.velocity.length() / fish.length;
        fish.beat += TAU * pace * STEP;
        let effort = (3.0 * by_tail / max + 0.35).min(1.0);
        fish.effort += (effort - fish.effort) * (4.0 * STEP);
    }

    /// One that cannot move pushes itself off the wall beside it: with no particle between, the water presses it there.
    fn push_off(&self, fish: &mut Fish, body: &mut Body, half: Vec2) {
        if fish.stuck > PUSH_OFF[0] {
            fish.pushing = PUSH_OFF[1];
        }
        if fish.pushing <= 0.0 {
            return;
        }
        fish.pushing -= STEP;
        let mut nearest: Option<Contact> = None;
        let reach = (half.length() + PUSH_OFF_GAP).min(self.walls.support_radius());
        self.walls.contacts(body.at, reach, |contact| {
            if nearest.is_none_or(|nearest| contact.distance < nearest.distance) {
                nearest = Some(contact);
            }
        });
        if let Some(Contact { normal, .. }) = nearest {
            body.at += PUSH_OFF_SPEED * STEP * normal;
            body.velocity = slide_along(body.velocity, normal);
        }
    }

    fn regulate_bladder(&mut self, fish: &mut Fish, body: &mut Body) {
        let wrong = self.up.dot(fish.aim - body.velocity);
        let rate = if fish.volume < VOLUME[0] { MAX_INFLATION } else { BLADDER_RATE * wrong };
        let rate = rate.clamp(-MAX_INFLATION, MAX_INFLATION);
        let lowest = fish.volume.min(VOLUME[0]);
        let volume = (fish.volume + rate * STEP).clamp(lowest, VOLUME[1]);
        body.inflate((volume / fish.volume).sqrt());
        fish.volume = volume;
    }

    /// Legs push the floor, while they reach it.
    fn walk(&mut self, fish: &mut Fish, body: &mut Body, half: Vec2, spin_up: f32) {
        let right = -self.up.perp();
        let reach = half.y + LEG_REACH;
        let mut stands = false;
        self.walls.contacts(body.at, reach.min(self.walls.support_radius()), |contact| {
            stands |= contact.normal.dot(self.up) > 0.3;
        });
        let wanted = right.dot(fish.aim - body.velocity) * RESPONSE;
        if stands {
            body.apply_impulse(body.mass * wanted.clamp(-LEGS, LEGS) * STEP * right, body.at);
            body.apply_angular_impulse(body.inertia * spin_up * STEP);
        } else {
            self.turn(body, half.x, spin_up);
        }
        let pace = right.dot(body.velocity).abs() / fish.length;
        fish.beat += TAU * (3.0 * pace) * STEP;
        fish.effort = pace.min(1.0);
    }

    /// Notes whether it is where it can live.
    fn watch(&self, fish: &mut Fish, species: &Species, body: &Body, half: Vec2) {
        let beyond = half.y + 0.3 * self.liquid.h();
        let full = |side: f32| self.liquid.around(body.at + side * beyond * self.up).full;
        let swims = species.habitat == Habitat::Water;
        let dry = swims && full(1.0).max(full(-1.0)) < DRY;
        let in_wall = self.walls.distance(body.at) < 0.3 * half.y;
        fish.dry = if dry || in_wall { fish.dry + STEP } else { 0.0 };
        let wanted = fish.aim.length();
        let blocked = wanted > STUCK[1] * fish.length && body.velocity.length() < STUCK[0] * wanted;
        fish.stuck = if blocked { fish.stuck + STEP } else { 0.0 };
    }
}

/// The angular acceleration that brings a body to an attitude, rad/s².
fn spin_up(body: &Body, wanted: f32) -> f32 {
    let off = (wanted - body.angle).sine().arc_tangent((wanted - body.angle).cosine());
    (ATTITUDE[0] * off - ATTITUDE[1] * body.angular_velocity).clamp(-MAX_SPIN_UP, MAX_SPIN_UP)
}
