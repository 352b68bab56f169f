//! Where each animal wants to go: its school, goal, food and fear, and the walls, floor and surface, which it avoids.

use crate::math::Elementary;
use crate::sim::boundary::Walls;
use crate::sim::clock::STEP;
use crate::sim::life::Life;
use crate::sim::life::definition::Habitat;
use crate::sim::life::fish::Fish;
use crate::sim::liquid::Liquid;
use crate::sim::rigid::{Bodies, Body};
use glam::Vec2;

/// Seconds for which a goal is kept, and the distance at which it is reached, metres.
const GOAL_TIME: [f32; 2] = [5.0, 14.0];
const GOAL_REACHED: f32 = 0.12;

/// Hunger from which on food is looked for, and how far it is seen, metres.
const HUNGRY: f32 = 0.1;
const SIGHT: f32 = 1.2;

/// An animal that is longer by this factor is feared within its own length.
const PREDATOR: f32 = 2.2;

/// Distance at which separation begins, as a fraction of the lengths of both.
const SEPARATION: f32 = 0.55;

/// Rates at which an intention follows what an animal sees, 1/s: calm, and in fright.
const ATTENTION: [f32; 2] = [2.5, 15.0];

/// How far ahead walls are seen, in body lengths, and the distance that is kept from them, metres, beyond half a length.
const LOOK_AHEAD: f32 = 1.0;
const CLEARANCE: f32 = 0.08;

/// Full fraction above the back below which the surface is near.
const SURFACE: f32 = 0.8;

/// Vertical motions relative to horizontal ones: fish like to swim level.
const LEVEL: f32 = 0.7;

impl Life {
    /// Chooses another goal for each group that has reached its own or has had it for long.
    pub(super) fn choose_goals(&mut self, bodies: &Bodies, walls: &Walls, liquid: &Liquid) {
        let size = walls.size();
        let level = (liquid.particles().len() as f32 * liquid.particle_area() / size.x).min(size.y);
        for number in 0..self.groups.len() {
            let members = || self.fish.iter().filter(|fish| fish.group == number);
            let count = members().count().max(1) as f32;
            let middle = members().map(|fish| bodies.all[fish.body].at).sum::<Vec2>() / count;
            let blocked = members().any(|fish| fish.stuck > 1.0);
            let group = &mut self.groups[number];
            let species = &self.species[group.species].species;
            group.until -= STEP;
            let reached = !group.rests && middle.distance(group.goal) < GOAL_REACHED.max(0.5 * species.length);
            if group.until > 0.0 && !reached && !blocked {
                continue;
            }
            let random = |rng: &mut fastrand::Rng, [from, to]: [f32; 2]| from + (to - from) * rng.f32();
            if reached && species.rest[1] > 0.0 {
                group.rests = true;
                group.until = random(&mut self.rng, species.rest);
                continue;
            }
            let half = species.length * species.body().1;
            let margin = (half.x + CLEARANCE).min(0.5 * size.x);
            // The far side is more likely: a fish that turns on the spot looks lost.
            // One that rests goes to the other side.
            let near = if species.rest[1] > 0.0 { 0.3 } else { 0.6 };
            let far = if middle.x > 0.5 * size.x { [0.0, near] } else { [1.0 - near, 1.0] };
            let x = margin + random(&mut self.rng, far) * (size.x - 2.0 * margin);
            let floor = walls.floor_at(x) + half.y;
            let y = match species.habitat {
                Habitat::Floor => floor,
                Habitat::Water => {
                    let lowest = floor + CLEARANCE;
                    lowest + random(&mut self.rng, species.depth) * (level - half.y - CLEARANCE - lowest).max(0.0)
                }
            };
            group.goal = Vec2::new(x, y);
            group.rests = false;
            // One that rests keeps its goal until it is there.
            let slow = if species.rest[1] > 0.0 { 4.0 } else { 1.0 };
            group.until = slow * random(&mut self.rng, GOAL_TIME);
        }
    }

    /// Changes the velocity that each wants, by what all do now.
    pub(super) fn decide(&mut self, bodies: &Bodies, walls: &Walls, liquid: &Liquid, up: Vec2) {
        for number in 0..self.fish.len() {
            self.frighten(number, bodies);
        }
        for number in 0..self.fish.len() {
            let velocity = self.wanted_velocity(number, bodies, walls, liquid, up);
            let fish = &mut self.fish[number];
            let attention = ATTENTION[0] + (ATTENTION[1] - ATTENTION[0]) * fish.alarm;
            fish.aim += (velocity - fish.aim) * (attention * STEP);
        }
    }

    /// Pointers and animals that are much larger frighten.
    fn frighten(&mut self, number: usize, bodies: &Bodies) {
        let fish = &self.fish[number];
        let at = bodies.all[fish.body].at;
        let shyness = self.species[fish.species].species.shyness;
        let pointed = self.threats.iter().any(|threat| threat.at.distance(at) < shyness);
        let hunted = self.fish.iter().any(|other| other.is_feared_by(fish, bodies));
        if pointed || hunted {
            self.fish[number].alarm = 1.0;
        }
    }

    fn wanted_velocity(&self, number: usize, bodies: &Bodies, walls: &Walls, liquid: &Liquid, up: Vec2) -> Vec2 {
        let fish = &self.fish[number];
        let group = &self.groups[fish.group];
        let species = &self.species[fish.species].species;
        let body = &bodies.all[fish.body];
        let (at, length) = (body.at, fish.length);
        let right = -up.perp();
        let food = if fish.hunger > HUNGRY { self.nearest_crumb(at) } else { None };
        // One that is faster than the rest for a while: no two beat alike.
        let mut speed = species.speed * length * (0.8 + 0.4 * (0.05 * fish.beat + 9.0 * fish.variation).sine().abs());
        if species.habitat == Habitat::Floor {
            let goal = food.unwrap_or(group.goal);
            let way = right.dot(goal - at);
            let still = group.rests && food.is_none() && fish.alarm == 0.0;
            let away = if fish.alarm > 0.0 { self.flight(number, bodies).dot(right).signum() } else { way.signum() };
            speed += (species.burst * length - speed) * fish.alarm;
            let wanted = if still || way.abs() < 0.3 * length { 0.0 } else { speed * away };
            return wanted * right;
        }
        let mut toward = Vec2::ZERO;
        if let Some(food) = food {
            // The mouth, not the middle, is to get there.
            let nose = at + 0.35 * length * fish.heading;
            toward += 1.5 * (food - nose).normalize_or_zero();
            speed *= 1.8;
        } else if !group.rests {
            toward += (group.goal - at).normalize_or_zero();
        }
        toward += self.flock(number, bodies);
        if fish.alarm > 0.0 {
            toward += 3.0 * fish.alarm * self.flight(number, bodies);
            speed += (species.burst * length - speed) * fish.alarm;
        }
        let rests = group.rests && food.is_none() && fish.alarm == 0.0;
        if rests {
            toward += ((group.goal - at) / length).clamp_length_max(1.0);
        }
        toward = right * right.dot(toward) + up * (LEVEL * up.dot(toward));
        toward =
            toward.clamp_length_max(1.0) + avoid_walls(at, fish, walls) + self.avoid_surface(fish, body, liquid, up);
        // Rules that cancel each other do not stop a fish: it goes on.
        let toward = if rests { toward.clamp_length_max(1.0) } else { toward.normalize_or(fish.heading) };
        speed * toward
    }

    /// Separation, alignment and cohesion (Reynolds 1987). Separation counts among all animals.
    fn flock(&self, number: usize, bodies: &Bodies) -> Vec2 {
        let fish = &self.fish[number];
        let species = &self.species[fish.species].species;
        let at = bodies.all[fish.body].at;
        let (mut apart, mut velocity, mut middle, mut mates) = (Vec2::ZERO, Vec2::ZERO, Vec2::ZERO, 0.0);
        for (other_number, other) in self.fish.iter().enumerate() {
            let body = &bodies.all[other.body];
            let offset = at - body.at;
            let distance = offset.length();
            if other_number == number || distance > 8.0 * fish.length.max(other.length) {
                continue;
            }
            let near = SEPARATION * (fish.length + other.length);
            if distance < near {
                apart += offset.normalize_or(Vec2::Y) * (1.0 - distance / near);
            }
            if other.group == fish.group {
                velocity += body.velocity;
                middle += body.at;
                mates += 1.0;
            }
        }
        let mut rules = 1.3 * species.separation * apart;
        if mates > 0.0 {
            rules += species.alignment * 0.6 * (velocity / mates / (species.speed * fish.length)).clamp_length_max(1.0);
            rules += species.cohesion * 0.25 * ((middle / mates - at) / fish.length).clamp_length_max(2.0);
        }
        rules
    }

    /// The direction away from what frightens.
    fn flight(&self, number: usize, bodies: &Bodies) -> Vec2 {
        let fish = &self.fish[number];
        let at = bodies.all[fish.body].at;
        let shyness = self.species[fish.species].species.shyness;
        let pointers = self.threats.iter().map(|threat| threat.at).filter(|place| place.distance(at) < 2.0 * shyness);
        let hunters = self.fish.iter().filter(|other| other.is_feared_by(fish, bodies));
        let away = |from: Vec2| (at - from).normalize_or(Vec2::X);
        let sum: Vec2 = pointers.chain(hunters.map(|other| bodies.all[other.body].at)).map(away).sum();
        if sum == Vec2::ZERO { fish.heading } else { sum.normalize_or(Vec2::X) }
    }

    fn nearest_crumb(&self, at: Vec2) -> Option<Vec2> {
        let seen = self.crumbs.iter().map(|crumb| crumb.at).filter(|crumb| crumb.distance(at) < SIGHT);
        seen.min_by(|a, b| a.distance(at).total_cmp(&b.distance(at)))
    }

    /// Down, where there is little water above the back.
    fn avoid_surface(&self, fish: &Fish, body: &Body, liquid: &Liquid, up: Vec2) -> Vec2 {
        let half = fish.length * self.species[fish.species].species.body().1.y;
        let above = liquid.around(body.at + up * (half + 0.6 * liquid.h()));
        -up * (2.5 * (1.0 - above.full / SURFACE).clamp(0.0, 1.0))
    }
}

impl Fish {
    /// Whether a smaller animal beside it is afraid of it.
    fn is_feared_by(&self, other: &Fish, bodies: &Bodies) -> bool {
        let distance = bodies.all[self.body].at.distance(bodies.all[other.body].at);
        self.length > PREDATOR * other.length && distance < 0.7 * self.length
    }
}

/// Away from the walls and obstacles around it and in its way.
fn avoid_walls(at: Vec2, fish: &Fish, walls: &Walls) -> Vec2 {
    let reach = 0.5 * fish.length + CLEARANCE;
    let mut away = Vec2::ZERO;
    for place in [at, at + LOOK_AHEAD * fish.length * fish.heading] {
        walls.contacts(place, reach, |contact| {
            away += contact.normal * (1.0 - contact.distance / reach).clamp(0.0, 1.5);
        });
    }
    2.0 * away
}
