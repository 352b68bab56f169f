//! Crumbs of food: they fall, sink slowly, and drift with the liquid, to which they give what they lose.

use crate::math::{Elementary, slide_along};
use crate::sim::boundary::Walls;
use crate::sim::clock::STEP;
use crate::sim::life::Life;
use crate::sim::liquid::Liquid;
use crate::sim::rigid::Bodies;
use glam::Vec2;

/// Upper limit on the crumbs in a tank; then the oldest one dissolves.
pub(super) const MAX_CRUMBS: usize = 60;

/// Mass of a crumb, a square metre of water having mass 1, and seconds until it dissolves.
const MASS: f32 = 8e-5;
const LIFETIME: f32 = 60.0;

/// Share of its weight left in the liquid, and its rate of taking on the liquid's velocity, 1/s: it sinks at 5 cm/s.
const WEIGHT_IN_LIQUID: f32 = 0.05;
const DRAG_RATE: f32 = 10.0;

/// Spread of dropped food, metres.
const SCATTER: f32 = 0.06;

/// Distance from the nose, in body lengths, at which a fish gets a crumb, and the part of its hunger that this stills.
const BITE: f32 = 0.22;
const FILLING: f32 = 0.35;

/// Share of its final growth that a meal brings.
const GROWTH_PER_MEAL: f32 = 0.08;

/// A crumb of food.
#[derive(Clone, Copy, Debug)]
pub struct Crumb {
    /// Metres.
    pub at: Vec2,
    /// m/s.
    pub(super) velocity: Vec2,
    age: f32,
}

impl Life {
    /// Drops a crumb of food at a place.
    pub fn feed(&mut self, at: Vec2) {
        let scatter = Vec2::new(self.rng.f32(), self.rng.f32()) - 0.5;
        if self.crumbs.len() == MAX_CRUMBS {
            self.crumbs.remove(0);
        }
        self.crumbs.push(Crumb { at: at + SCATTER * scatter, velocity: Vec2::ZERO, age: 0.0 });
    }

    pub(super) fn move_crumbs(&mut self, liquid: &mut Liquid, walls: &Walls, gravity: Vec2) {
        for crumb in &mut self.crumbs {
            crumb.age += STEP;
            let around = liquid.around(crumb.at);
            let wet = around.full.min(1.0);
            crumb.velocity += gravity * STEP * (1.0 + (WEIGHT_IN_LIQUID - 1.0) * wet);
            let share = wet * (1.0 - (-DRAG_RATE * STEP).exponential());
            let wanted = MASS * share * (around.velocity - crumb.velocity);
            crumb.velocity -= liquid.push_around(&around, -wanted) / MASS;
            let (at, wall) = walls.end_of_way(crumb.at, crumb.at + crumb.velocity * STEP);
            crumb.at = at;
            if let Some(normal) = wall {
                crumb.velocity = 0.8 * slide_along(crumb.velocity, normal);
            }
        }
        self.crumbs.retain(|crumb| crumb.age < LIFETIME);
    }

    /// The crumbs that are at a mouth are eaten, and their eaters grow a little.
    pub(super) fn eat(&mut self, bodies: &mut Bodies) {
        let Self { fish, crumbs, species, .. } = self;
        for fish in fish.iter_mut().filter(|fish| fish.hunger > 0.0) {
            let body = &mut bodies.all[fish.body];
            let nose = body.at + 0.35 * fish.length * fish.heading;
            let bite = BITE * fish.length + 0.01;
            let Some(got) = crumbs.iter().position(|crumb| crumb.at.distance(nose) < bite) else { continue };
            let crumb = crumbs.remove(got);
            body.absorb(MASS, crumb.velocity);
            fish.hunger = (fish.hunger - FILLING).max(0.0);
            let species = &species[fish.species].species;
            let grown = species.length * species.growth;
            let length = fish.length + (grown - fish.length) * GROWTH_PER_MEAL;
            let factor = length / fish.length;
            fish.length = length;
            body.inflate(factor);
            // It is as dense as before; what it is made of was at rest.
            body.absorb(body.mass * (factor * factor - 1.0), Vec2::ZERO);
        }
    }
}
