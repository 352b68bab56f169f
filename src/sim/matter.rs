//! What a tank can hold: the one list of it.
//!
//! A new matter is a file of its own, a variant here, and an arm in `view/field.rs`; whoever moves, measures or shows
//! a tank asks the verbs below and knows no matter by name.

use super::body::Bodies;
use super::cloth::Cloth;
use super::couple::bodies::Wet;
use super::ddr::Liquid;
use super::gauge;
use super::rest::Rest;
use super::scene::Scene;
use super::stam::{self, Smoke};
use super::stats::Stats;
use super::walls::{Shape, Walls};
use super::watch::Watch;
use super::{Env, Setup};
use glam::Vec2;

/// How far liquid feels obstacles, in h.
pub const WALL_REACH: f32 = 1.75;

/// One of the things in a tank.
// A tank has one or two of them, so what the larger takes more does not count.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Matter {
    Liquid(Liquid),
    Smoke(Smoke),
    Bodies(Bodies),
    Cloth(Cloth),
}

/// What the scene says is in the tank, and the distance from which it feels walls, metres.
pub fn fill(scene: &Scene, setup: &Setup, walls: &Walls) -> (Vec<Matter>, f32) {
    let mut matter = Vec::new();
    let bodies = Bodies::new(scene.body.iter().map(|body| body.build(walls.size())).collect());
    // Cloth can be poured on, so it has a liquid, if only an empty one.
    if !scene.liquid.is_empty() || scene.cloth.is_some() {
        matter.push(Matter::Liquid(pour(scene, setup, &bodies.as_obstacles(walls))));
    }
    if let Some(medium) = &scene.smoke {
        let cells = medium.cells.or(setup.cells).unwrap_or(stam::CELLS);
        matter.push(Matter::Smoke(Smoke::new(medium.clone(), cells, walls)));
    }
    if let Some(fabric) = &scene.cloth {
        matter.push(Matter::Cloth(Cloth::new(fabric.clone(), walls.size())));
    }
    if !bodies.all().is_empty() {
        matter.push(Matter::Bodies(bodies));
    }
    let reach = matter.iter().filter_map(Matter::reach).reduce(f32::max);
    (matter, reach.unwrap_or(0.1 * walls.size().min_element()))
}

/// The scene's pools of liquid.
fn pour(scene: &Scene, setup: &Setup, walls: &Walls) -> Liquid {
    let count = setup.particles.unwrap_or(scene.particles).max(1);
    let pools: Vec<Shape> = scene.liquid.iter().map(|pool| pool.region.shape(walls.size())).collect();
    let (places, h) = super::fill::fill(&pools, walls, &Rest::of(&scene.fluid), count, setup.seed);
    let mut liquid = Liquid::new(scene.fluid, h);
    liquid.use_instructions(setup.instructions);
    liquid.reserve(places.len());
    let others: Vec<_> = scene.other_fluids();
    for &(fluid, palette) in &others {
        liquid.mix(*fluid, palette);
    }
    for place in places {
        match scene.liquid.iter().zip(&pools).find(|(_, shape)| shape.contact(place).distance < 0.0) {
            Some((pool, _)) => liquid.add_of(pool.number_among(&others), place, pool.velocity.into()),
            None => liquid.add_of(0, place, Vec2::ZERO),
        }
    }
    liquid.fit(walls);
    liquid.tie();
    liquid
}

impl Matter {
    /// The distance from which walls are felt, metres, if there is one.
    fn reach(&self) -> Option<f32> {
        match self {
            Matter::Liquid(liquid) => Some(WALL_REACH * liquid.h()),
            Matter::Smoke(smoke) => Some(2.0 * smoke.mac().pitch.max_element()),
            Matter::Bodies(_) => None,
            Matter::Cloth(cloth) => Some(cloth.reach()),
        }
    }

    /// One substep, on so many threads at the most.
    pub fn step(&mut self, env: &Env, threads: usize, watch: &mut impl Watch) {
        match self {
            Matter::Liquid(liquid) => {
                liquid.divide(threads);
                liquid.step(env, watch);
            }
            Matter::Smoke(smoke) => smoke.step(env, watch),
            // They set out before the others and arrive after them: see `couple/bodies.rs`.
            Matter::Bodies(_) => {}
            Matter::Cloth(cloth) => cloth.step(env, watch),
        }
    }

    /// Takes in where the walls are now.
    pub fn fit(&mut self, walls: &Walls) {
        match self {
            Matter::Liquid(liquid) => liquid.fit(walls),
            Matter::Smoke(smoke) => smoke.fit(walls),
            Matter::Bodies(bodies) => bodies.fit(walls),
            Matter::Cloth(cloth) => cloth.fit(walls),
        }
    }

    /// Takes on about `cells` cells, if it has cells and they are not the scene's own business.
    pub fn refine(&mut self, cells: usize, walls: &Walls) {
        match self {
            Matter::Smoke(smoke) if smoke.medium().cells.is_none() => smoke.refine(cells, walls),
            _ => {}
        }
    }

    /// Takes on what the scene's numbers are now.
    pub fn retune(&mut self, scene: &Scene) {
        match self {
            Matter::Liquid(liquid) => liquid.set_fluid(scene.fluid),
            Matter::Smoke(smoke) => scene.smoke.iter().for_each(|medium| smoke.retune(medium)),
            Matter::Cloth(_) | Matter::Bodies(_) => {}
        }
    }

    /// The substeps a fixed step of `step` seconds must be divided into.
    pub fn least_substeps(&self, step: f32) -> u32 {
        match self {
            Matter::Liquid(liquid) => liquid.least_substeps(step),
            // Cloth divides its steps by itself.
            Matter::Smoke(_) | Matter::Cloth(_) | Matter::Bodies(_) => 1,
        }
    }

    /// Whether nothing is faster than `speed` (m/s), or about to be.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        match self {
            Matter::Liquid(liquid) => liquid.is_slower_than(speed),
            Matter::Smoke(smoke) => smoke.is_slower_than(speed),
            Matter::Bodies(bodies) => bodies.is_slower_than(speed),
            Matter::Cloth(cloth) => cloth.is_slower_than(speed),
        }
    }

    /// Takes all speed out.
    pub fn halt(&mut self) {
        match self {
            Matter::Liquid(liquid) => liquid.halt(),
            Matter::Smoke(smoke) => smoke.halt(),
            Matter::Bodies(bodies) => bodies.halt(),
            Matter::Cloth(cloth) => cloth.halt(),
        }
    }

    /// Speed of what moves fastest, m/s.
    pub fn fastest(&self) -> f32 {
        match self {
            Matter::Liquid(liquid) => {
                let p = liquid.particles();
                p.alive().map(|slot| p.velocity(slot).length_squared()).fold(0.0, f32::max).sqrt()
            }
            Matter::Smoke(smoke) => smoke.fastest(),
            Matter::Bodies(bodies) => bodies.fastest(),
            Matter::Cloth(cloth) => cloth.fastest(),
        }
    }

    /// Velocity at a place, m/s, where there is any of it.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        match self {
            Matter::Liquid(liquid) => liquid.velocity(at),
            Matter::Smoke(smoke) => Some(smoke.velocity(at)),
            Matter::Bodies(bodies) => bodies.velocity(at),
            Matter::Cloth(cloth) => cloth.velocity(at),
        }
    }

    /// Pressure at a place over the density at rest, m²/s², where that can be said.
    pub fn pressure(&self, at: Vec2) -> Option<f32> {
        match self {
            Matter::Liquid(liquid) => gauge::pressure(liquid, at),
            Matter::Smoke(_) | Matter::Cloth(_) | Matter::Bodies(_) => None,
        }
    }

    pub fn particles(&self) -> usize {
        match self {
            Matter::Liquid(liquid) => liquid.particles().len(),
            Matter::Smoke(_) | Matter::Cloth(_) | Matter::Bodies(_) => 0,
        }
    }

    /// Measures it, under `gravity` (m/s²) in a tank of `size` metres.
    pub fn stats(&self, gravity: Vec2, size: Vec2) -> Stats {
        match self {
            Matter::Liquid(liquid) => Stats::of(liquid, gravity, size),
            Matter::Smoke(smoke) => smoke.stats(),
            Matter::Bodies(bodies) => bodies.stats(gravity),
            Matter::Cloth(cloth) => cloth.stats(gravity),
        }
    }

    /// What there is to say of it beside its particles.
    pub fn facts(&self, gravity: Vec2) -> Vec<(&'static str, String)> {
        match self {
            Matter::Cloth(cloth) => cloth.facts(gravity),
            _ => Vec::new(),
        }
    }

    pub fn as_liquid(&self) -> Option<&Liquid> {
        if let Matter::Liquid(liquid) = self { Some(liquid) } else { None }
    }

    pub fn as_liquid_mut(&mut self) -> Option<&mut Liquid> {
        if let Matter::Liquid(liquid) = self { Some(liquid) } else { None }
    }

    pub fn as_smoke(&self) -> Option<&Smoke> {
        if let Matter::Smoke(smoke) = self { Some(smoke) } else { None }
    }

    pub fn as_smoke_mut(&mut self) -> Option<&mut Smoke> {
        if let Matter::Smoke(smoke) = self { Some(smoke) } else { None }
    }

    pub fn as_bodies(&self) -> Option<&Bodies> {
        if let Matter::Bodies(bodies) = self { Some(bodies) } else { None }
    }

    pub fn as_bodies_mut(&mut self) -> Option<&mut Bodies> {
        if let Matter::Bodies(bodies) = self { Some(bodies) } else { None }
    }

    pub fn as_cloth(&self) -> Option<&Cloth> {
        if let Matter::Cloth(cloth) = self { Some(cloth) } else { None }
    }

    pub fn as_cloth_mut(&mut self) -> Option<&mut Cloth> {
        if let Matter::Cloth(cloth) = self { Some(cloth) } else { None }
    }

    /// What can make bodies wet.
    pub fn as_wet_mut(&mut self) -> Option<Wet<'_>> {
        match self {
            Matter::Liquid(liquid) => Some(liquid.wet()),
            _ => None,
        }
    }
}
