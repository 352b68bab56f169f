//! What lives in a tank: fish, crawlers, weeds, and the food that they get. Fish are rigid bodies in the liquid. A fish decides
//! where to (`steering`, after C. Reynolds, "Flocks, herds, and schools", SIGGRAPH 1987), and its muscles push the water
//! (`swimmer`): every impulse on a body has its opposite on the liquid, or on the floor. Drag, and being carried by a wave, are
//! those of any body in the liquid. All of it happens once a step, before the substeps.

pub mod definition;
pub mod fish;
mod food;
mod steering;
mod swimmer;
mod weeds;

pub use fish::Fish;
pub use food::Crumb;
pub use weeds::Weed;

use crate::sim::boundary::{Shape, Walls};
use crate::sim::clock::STEP;
use crate::sim::life::definition::{BubblesDef, FishDef, Habitat, WeedDef};
use crate::sim::liquid::Liquid;
use crate::sim::rigid::{Bodies, Body, Material};
use fastrand::Rng;
use fish::Group;
use food::MAX_CRUMBS;
use glam::Vec2;
use std::f32::consts::TAU;
use std::sync::Arc;

/// Upper limit on the fish and crawlers of a tank.
pub const MAX_FISH: usize = 80;

/// Places that are tried for a fish at the start.
const ATTEMPTS: usize = 300;

/// Density of a swimmer and of a crawler, relative to the liquid, before its bladder regulates it.
const DENSITY: [f32; 2] = [1.0, 1.5];

/// Seconds for which a place of the pointer frightens.
const POINTER_MEMORY: f32 = 1.5;

#[derive(Clone, Copy, Debug)]
struct Threat {
    at: Vec2,
    age: f32,
}

/// The animals and plants of a tank.
#[derive(Clone, Debug)]
pub struct Life {
    /// The species, in the order of the definition.
    pub species: Vec<FishDef>,
    /// The fish.
    pub fish: Vec<Fish>,
    groups: Vec<Group>,
    /// The weeds.
    pub weeds: Vec<Weed>,
    /// The food that is not yet eaten.
    pub crumbs: Vec<Crumb>,
    bubbles: Vec<BubblesDef>,
    threats: Vec<Threat>,
    rng: Rng,
}

/// A sample of the fish.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LifeStats {
    /// Number of fish and crawlers.
    pub fish: usize,
    /// Of these, the number that for more than two seconds have been above the water, in a wall, or unable to move.
    pub stranded: usize,
    /// Mean speed of those that swim and do not rest, body lengths a second.
    pub speed: f32,
    /// Mean length, metres.
    pub length: f32,
}

impl Life {
    /// Puts the fish of a definition as bodies into a tank whose liquid will be in `pools`.
    pub fn new(
        (fish, weeds, bubbles): (&[FishDef], &[WeedDef], &[BubblesDef]),
        pools: &[Shape],
        walls: &Walls,
        bodies: &mut Bodies,
        seed: u64,
    ) -> Self {
        let mut life = Self {
            species: fish.to_vec(),
            fish: Vec::with_capacity(MAX_FISH),
            groups: Vec::with_capacity(MAX_FISH),
            weeds: weeds.iter().map(|def| Weed::new(def, walls)).collect(),
            crumbs: Vec::with_capacity(MAX_CRUMBS),
            bubbles: bubbles.to_vec(),
            threats: Vec::with_capacity(MAX_FISH),
            rng: Rng::with_seed(seed ^ 0x6669_7368),
        };
        // The largest first, while there is room.
        let mut order: Vec<usize> = (0..fish.len()).collect();
        order.sort_by(|&a, &b| fish[b].species.length.total_cmp(&fish[a].species.length));
        for number in order {
            for _ in 0..fish[number].count {
                if let Some(at) = life.find_place(number, pools, walls, bodies) {
                    life.add(number, at, 1.0, bodies);
                }
            }
        }
        life
    }

    /// A free place in the pools for a fish of this species; beside the last one of its school.
    fn find_place(&mut self, species: usize, pools: &[Shape], walls: &Walls, bodies: &Bodies) -> Option<Vec2> {
        let def = Arc::clone(&self.species[species].species);
        let half = def.length * def.body().1;
        let mate = self.fish.iter().rev().find(|fish| fish.species == species).map(|fish| bodies.all[fish.body].at);
        let size = walls.size();
        for attempt in 0..ATTEMPTS {
            let random = Vec2::new(self.rng.f32(), self.rng.f32());
            let at = match (def.habitat, mate) {
                (Habitat::Floor, _) => {
                    let x = half.x + random.x * (size.x - 2.0 * half.x);
                    Vec2::new(x, walls.floor_at(x) + half.y + 0.01)
                }
                (Habitat::Water, Some(mate)) if def.school > 1 && attempt < ATTEMPTS / 2 => {
                    mate + 4.0 * def.length * (random - 0.5)
                }
                _ => random * size,
            };
            let reach = half.length();
            let is_wet = pools.iter().any(|pool| pool.contact(at).distance < -half.y);
            let is_clear = def.habitat == Habitat::Floor || walls.distance(at) >= reach.min(walls.support_radius());
            let apart = |other: &Body| other.at.distance(at) > reach + other.bounding_radius();
            if is_wet && is_clear && bodies.all.iter().all(apart) {
                return Some(at);
            }
        }
        None
    }

    /// Adds a fish whose body displaces `volume` of its full size at first.
    fn add(&mut self, species: usize, at: Vec2, volume: f32, bodies: &mut Bodies) {
        if self.fish.len() == MAX_FISH {
            return;
        }
        let def = &Arc::clone(&self.species[species].species);
        let (density, friction) = match def.habitat {
            Habitat::Water => (DENSITY[0], 0.1),
            // No liquid is below it, and the whole of the water above presses it down: its legs hold it, not friction.
            Habitat::Floor => (DENSITY[1], 0.0),
        };
        let material = Material { density, friction, restitution: 0.0, ..Material::default() };
        let mut body = Body::new(def.outline(def.length), material, at, 0.0);
        body.inflate(volume.sqrt());
        let group = self.group_of(species);
        let facing = if self.rng.bool() { 1.0 } else { -1.0 };
        self.groups[group].members += 1;
        let length = def.length;
        self.fish.push(Fish {
            species,
            group,
            body: bodies.all.len(),
            length,
            facing,
            turn: facing,
            beat: TAU * self.rng.f32(),
            variation: self.rng.f32(),
            volume,
            hunger: 0.6 * self.rng.f32(),
            ..Fish::default()
        });
        bodies.add(body);
    }

    /// The last group of a species if it has room for one more, or a new one.
    fn group_of(&mut self, species: usize) -> usize {
        let school = self.species[species].species.school;
        let with_room = |group: &Group| group.species == species && group.members < school;
        self.groups.iter().rposition(with_room).unwrap_or_else(|| {
            self.groups.push(Group { species, ..Group::default() });
            self.groups.len() - 1
        })
    }

    /// Adds a fish of a species, by its number in the definition, at a place in the tank. Returns whether there was room.
    pub fn stock(&mut self, species: usize, at: Vec2, walls: &Walls, bodies: &mut Bodies) -> bool {
        if species >= self.species.len() || self.fish.len() >= MAX_FISH {
            return false;
        }
        let reach = self.species[species].species.length;
        let at = at.clamp(Vec2::splat(0.5 * reach), (walls.size() - 0.5 * reach).max(Vec2::splat(0.5 * reach)));
        let at = walls.project_to_free(at).0;
        let free = bodies.all.iter().all(|other| other.hull.contact(at).distance > 0.3 * reach);
        if free {
            self.add(species, at, swimmer::NEWCOMER, bodies);
        }
        free
    }

    /// Lets the animals see a pointer that moves at a place.
    pub fn show_pointer(&mut self, at: Vec2) {
        if let Some(known) = self.threats.iter_mut().find(|known| known.at.distance(at) < 0.1) {
            *known = Threat { at, age: 0.0 };
        } else if self.threats.len() < MAX_FISH {
            self.threats.push(Threat { at, age: 0.0 });
        }
    }

    /// Adapts to walls that have moved.
    pub fn fit(&mut self, walls: &Walls) {
        self.weeds.iter_mut().for_each(|weed| weed.fit(walls));
        self.groups.iter_mut().for_each(|group| group.until = 0.0);
    }

    /// One step: all decide by what they see, and then move their muscles.
    pub fn step(&mut self, liquid: &mut Liquid, bodies: &mut Bodies, walls: &Walls, gravity: Vec2) {
        self.threats.iter_mut().for_each(|threat| threat.age += STEP);
        self.threats.retain(|threat| threat.age < POINTER_MEMORY);
        let up = -gravity.try_normalize().unwrap_or(Vec2::NEG_Y);
        self.choose_goals(bodies, walls, liquid);
        self.decide(bodies, walls, liquid, up);
        for fish in &mut self.fish {
            let species = &self.species[fish.species].species;
            let body = &mut bodies.all[fish.body];
            swimmer::Water { liquid: &mut *liquid, walls, up }.swim(fish, species, body);
        }
        self.eat(bodies);
        self.move_crumbs(liquid, walls, gravity);
        self.weeds.iter_mut().for_each(|weed| weed.step(liquid, walls, gravity));
    }

    /// Whether it has fish, or may get some.
    pub fn has_fish(&self) -> bool {
        !self.species.is_empty()
    }

    /// Whether more fish may be added.
    pub fn has_room(&self) -> bool {
        self.fish.len() < MAX_FISH
    }

    /// Where bubbles leave in a tank of `size` metres, and how many a second: places of the scene, and fish that breathe out.
    pub fn bubble_sources(&self, size: Vec2, bodies: &[Body]) -> impl Iterator<Item = (Vec2, f32)> {
        let places = self.bubbles.iter().map(move |def| (Vec2::from(def.at) * size, def.rate));
        let breathing = self.fish.iter().filter(|fish| fish.breathes());
        places.chain(breathing.map(|fish| (bodies[fish.body].at + 0.45 * fish.length * fish.heading, 8.0)))
    }

    /// Measures the fish.
    pub fn stats(&self, bodies: &[Body]) -> LifeStats {
        let swims = |fish: &&Fish| {
            self.species[fish.species].species.habitat == Habitat::Water && !self.groups[fish.group].rests
        };
        let speeds = || self.fish.iter().filter(swims).map(|fish| bodies[fish.body].velocity.length() / fish.length);
        LifeStats {
            fish: self.fish.len(),
            stranded: self.fish.iter().filter(|fish| fish.is_stranded()).count(),
            speed: speeds().sum::<f32>() / speeds().count().max(1) as f32,
            length: self.fish.iter().map(|fish| fish.length).sum::<f32>() / self.fish.len().max(1) as f32,
        }
    }
}
