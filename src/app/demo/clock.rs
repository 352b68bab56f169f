//! The clock: digits are containers. The liquid of a digit that changes is released into the pool below; as much as the new digit
//! holds is moved from the pool to a spout above it. Liquid is conserved: there is enough for the widest time. A new digit is
//! full a second after it is due, and its outline is shown from the start. Every second a drop falls from the colon.

use crate::app::demo::glyph_outlines::{Font, Letter};
use crate::app::demo::{carry, glyph_outlines, set_targets, sorted};
use crate::math::direction;
use crate::sim::boundary::Shape;
use crate::sim::definition::WorldDef;
use crate::sim::{World, WorldOptions};
use crate::view::Decor;
use glam::Vec2;
use serde::{Deserialize, Serialize};
use std::f32::consts::PI;
use std::sync::Arc;

/// Particle count of the widest time (all eights), and the fraction that the pool holds even then.
const PARTICLES: usize = 2600;
const POOL: f32 = 0.5;

/// Lower left and upper right corner of the digits, in sizes of the tank.
const TEXT_AREA: [Vec2; 2] = [Vec2::new(0.04, 0.27), Vec2::new(0.96, 0.88)];

/// Steps to pour a digit, and the speed of the stream (m/s).
const POURING: usize = 34;
const STREAM: f32 = 1.6;

const DAY: u32 = 86_400;

/// Particles of the drop that falls every second, and its speed at first, m/s.
const DROP: usize = 14;
const DROP_SPEED: f32 = 0.3;

/// No digit: the particle is in the pool, or on the way there.
const FREE: u8 = u8::MAX;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockFormat {
    /// Hours from 1 to 12 instead of 0 to 23.
    pub twelve: bool,
    pub seconds: bool,
}

impl ClockFormat {
    pub fn text(self, seconds: u32) -> String {
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let hour = if self.twelve { format!("{:2}", (hour + 11) % 12 + 1) } else { format!("{hour:02}") };
        if self.seconds { format!("{hour}:{minute:02}:{second:02}") } else { format!("{hour}:{minute:02}") }
    }
}

#[derive(Clone, Debug)]
struct DigitContainer {
    letter: Letter,
    shape: Option<Shape>,
    /// The particle positions in it, in filling order, and how many are taken.
    sites: Vec<Vec2>,
    filled: usize,
    spout: Vec2,
}

#[derive(Clone, Debug, Default)]
pub struct ClockDemo {
    format: ClockFormat,
    /// Seconds past midnight, and the text that the containers show.
    now: u32,
    shown: String,
    /// The second for which a drop has fallen.
    dropped: u32,
    font: Font,
    /// The tank size of the layout, and its particle count.
    size: Vec2,
    particles: usize,
    spacing: f32,
    containers: Vec<DigitContainer>,
    /// By particle: the index of its container.
    owner: Vec<u8>,
    pub decor: Arc<Decor>,
}

impl ClockDemo {
    pub fn new(format: ClockFormat, now: u32) -> Self {
        Self { format, now: now % DAY, dropped: now % DAY, spacing: 0.01, ..Self::default() }
    }

    pub fn set_time(&mut self, seconds: u32) {
        self.now = seconds % DAY;
    }

    pub fn is_changing(&self) -> bool {
        self.dropped != self.now
            || self.shown != self.format.text(self.now)
            || self.containers.iter().any(|container| container.filled < container.sites.len())
    }

    pub fn set(&mut self, definition: &WorldDef, setup: &WorldOptions) -> World {
        let mut world = World::new(definition, setup);
        if self.size != world.size() {
            (self.size, self.particles) = (world.size(), self.lay_out(world.size()));
        }
        self.shown = self.format.text(self.now);
        let mut places = Vec::new();
        self.owner.clear();
        for (number, character) in self.shown.clone().chars().enumerate() {
            self.set_character(number, character);
            let container = &mut self.containers[number];
            container.filled = container.sites.len();
            places.extend_from_slice(&container.sites);
            self.owner.resize(places.len(), number as u8);
        }
        let held = places.len();
        places.extend(pool(world.size(), self.spacing, self.particles.saturating_sub(held), setup.seed));
        self.owner.resize(places.len(), FREE);
        world.spawn_at(self.spacing, &places, setup.instructions);
        set_targets(&mut world, places[..held].iter().map(|&place| Some(place)).enumerate());
        self.update_outlines();
        world
    }

    fn lay_out(&mut self, size: Vec2) -> usize {
        let area = TEXT_AREA.map(|corner| corner * size);
        let widest = self.format.text(0).replace(|digit: char| digit.is_ascii_digit(), "8");
        let letters = glyph_outlines::place(&[widest], area);
        let shapes: Vec<Shape> = letters.iter().filter_map(|letter| self.font.shape(letter)).collect();
        self.spacing = glyph_outlines::spacing(&shapes, PARTICLES);
        let spout = |shape: &Shape| {
            let (low, high) = shape.bounds();
            Vec2::new((low.x + high.x) / 2.0, high.y.min(size.y) - self.spacing)
        };
        let containers = letters.iter().zip(&shapes).map(|(&letter, shape)| DigitContainer {
            letter,
            shape: None,
            sites: Vec::new(),
            filled: 0,
            spout: spout(shape),
        });
        self.containers = containers.collect();
        let whole: usize = shapes.iter().map(|shape| glyph_outlines::sites(shape, self.spacing).len()).sum();
        whole + (POOL * whole as f32) as usize
    }

    fn set_character(&mut self, number: usize, character: char) {
        let container = &mut self.containers[number];
        container.letter.character = character;
        container.shape = self.font.shape(&container.letter);
        container.sites =
            container.shape.as_ref().map_or_else(Vec::new, |shape| glyph_outlines::sites(shape, self.spacing));
        // The positions farthest from the stream come first, because the path to them must not lead through others.
        let aside = |site: &Vec2| (site.x - container.spout.x).abs();
        container.sites.sort_by(|a, b| a.y.total_cmp(&b.y).then(aside(b).total_cmp(&aside(a))));
        container.filled = 0;
    }

    fn update_outlines(&mut self) {
        let shapes = self.containers.iter().filter_map(|container| container.shape.clone());
        self.decor = Arc::new(Decor { ghost_outlines: shapes.collect(), ..Decor::default() });
    }

    pub fn before_step(&mut self, world: &mut World) {
        let wanted = self.format.text(self.now);
        if wanted != self.shown {
            for (number, (old, new)) in self.shown.clone().chars().zip(wanted.chars()).enumerate() {
                if old != new {
                    self.set_character(number, new);
                    self.release(world, number);
                }
            }
            self.shown = wanted;
            self.update_outlines();
        }
        if self.containers.iter().any(|container| container.filled < container.sites.len()) {
            self.fill(world);
        }
        if self.dropped != self.now {
            self.dropped = self.now;
            // Where digits change, they move, and need the liquid.
            if !self.is_changing() {
                self.drop_second(world);
            }
        }
    }

    /// Carries the lowest liquid of the pool below the colons, from where it falls.
    fn drop_second(&mut self, world: &mut World) {
        let spacing = self.spacing;
        let lowest = self.pool(world);
        let colons = self.containers.iter().filter(|container| container.letter.character == ':');
        let bounds = colons.filter_map(|colon| colon.shape.as_ref().map(Shape::bounds));
        let radius = spacing * (DROP as f32 / PI).sqrt();
        let places = bounds.flat_map(|(low, high)| {
            let mouth = Vec2::new((low.x + high.x) / 2.0, low.y);
            (0..DROP).map(move |at| {
                // Vogel 1979: points of a disc that are equally far from each other.
                let turn = 2.399_963 * at as f32;
                let out = radius * ((at as f32 + 0.5) / DROP as f32).sqrt();
                mouth - Vec2::new(0.0, radius + spacing) + out * direction(turn)
            })
        });
        carry(world, lowest.into_iter().zip(places), Vec2::new(0.0, -DROP_SPEED));
    }

    fn release(&mut self, world: &mut World, number: usize) {
        let owned = self.owner.iter_mut().enumerate().filter(|(_, owner)| **owner == number as u8);
        let freed = owned.map(|(id, owner)| (id, std::mem::replace(owner, FREE)));
        set_targets(world, freed.map(|(id, _)| (id, None)));
    }

    fn fill(&mut self, world: &mut World) {
        let mut lowest = self.pool(world).into_iter();
        let mut carried: Vec<(u32, Vec2)> = Vec::new();
        let Some(targets) = world.targets_mut() else { return };
        for (number, container) in self.containers.iter_mut().enumerate() {
            let portion = container.sites.len().div_ceil(POURING);
            for abreast in 0..portion.min(container.sites.len() - container.filled) {
                let Some(id) = lowest.next() else { break };
                targets.set(id, Some(container.sites[container.filled]));
                self.owner[id as usize] = number as u8;
                container.filled += 1;
                let (column, row) = (abreast % 4, abreast / 4);
                carried.push((id, container.spout + self.spacing * Vec2::new(column as f32 - 1.5, row as f32)));
            }
        }
        carry(world, carried.into_iter(), Vec2::new(0.0, -STREAM));
    }

    /// The particles of no container, from below.
    fn pool(&mut self, world: &World) -> Vec<u32> {
        sorted(world, |p, slot| {
            let id = p.id[slot] as usize;
            // Those that the user has added are new.
            self.owner.resize(self.owner.len().max(id + 1), FREE);
            (self.owner[id] == FREE).then(|| p.y[slot])
        })
    }
}

fn pool(size: Vec2, spacing: f32, count: usize, seed: u64) -> Vec<Vec2> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let columns = (size.x / spacing) as usize;
    let pitch = Vec2::new(size.x / columns as f32, spacing * 0.75f32.sqrt());
    let place = |number: usize| {
        let (column, row) = (number % columns, number / columns);
        let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
        let shaken = 0.1 * Vec2::new(rng.f32() - 0.5, rng.f32() - 0.5);
        pitch * (Vec2::new(column as f32 + shift, row as f32 + 0.5) + shaken)
    };
    (0..count).map(place).collect()
}
