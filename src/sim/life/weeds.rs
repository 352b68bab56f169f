//! Weeds: chains of nodes, lighter than water, that stand up from the floor and bend with the stream. They displace no liquid; a
//! node has its weight less that of the water in its place, and gives its motion relative to the liquid to the liquid. Lengths are
//! kept by projection (M. Müller and others, "Position based dynamics", 2007), from the root outwards.

use crate::math::Elementary;
use crate::sim::boundary::Walls;
use crate::sim::clock::STEP;
use crate::sim::life::definition::WeedDef;
use crate::sim::liquid::Liquid;
use glam::Vec2;

/// Length of a link, metres, and the limits on the links of a weed.
const LINK: f32 = 0.045;
const LINKS: [usize; 2] = [3, 40];

/// Density relative to water, and the rate at which a leaf takes on the liquid's velocity, 1/s.
const DENSITY: f32 = 0.92;
const DRAG_RATE: f32 = 5.0;

/// Rounds over the links of a weed, and the share of a bend that a round straightens.
const ROUNDS: usize = 6;
const STRAIGHTENING: f32 = 0.06;

/// A weed.
#[derive(Clone, Debug)]
pub struct Weed {
    /// Its definition.
    pub def: WeedDef,
    /// Its nodes from the root to the tip, metres.
    pub nodes: Vec<Vec2>,
    velocities: Vec<Vec2>,
    before: Vec<Vec2>,
}

fn root(def: &WeedDef, walls: &Walls) -> Vec2 {
    let x = def.at * walls.size().x;
    Vec2::new(x, walls.floor_at(x))
}

impl Weed {
    pub(super) fn new(def: &WeedDef, walls: &Walls) -> Self {
        let links = ((def.length / LINK) as usize).clamp(LINKS[0], LINKS[1]);
        let link = def.length / links as f32;
        let root = root(def, walls);
        // Not quite straight, so that no two are alike.
        let lean = 0.3 * (17.0 * def.at).sine();
        let node = |number: usize| root + number as f32 * link * Vec2::new(lean, 1.0).normalize();
        let nodes: Vec<Vec2> = (0..=links).map(node).collect();
        let velocities = vec![Vec2::ZERO; nodes.len()];
        Self { def: def.clone(), before: nodes.clone(), nodes, velocities }
    }

    /// Moves it with the floor.
    pub(super) fn fit(&mut self, walls: &Walls) {
        let moved = root(&self.def, walls) - self.nodes[0];
        self.nodes.iter_mut().for_each(|node| *node += moved);
    }

    pub(super) fn step(&mut self, liquid: &mut Liquid, walls: &Walls, gravity: Vec2) {
        let link = self.def.length / (self.nodes.len() - 1) as f32;
        let volume = link * self.def.width;
        let mass = DENSITY * volume;
        let share = 1.0 - (-DRAG_RATE * STEP).exponential();
        self.before.copy_from_slice(&self.nodes);
        for (node, velocity) in self.nodes.iter().zip(&mut self.velocities).skip(1) {
            let around = liquid.around(*node);
            let wet = around.full.min(1.0);
            let drag = mass * share * wet * (around.velocity - *velocity);
            *velocity += gravity * STEP * (1.0 - wet / DENSITY) - liquid.push_around(&around, -drag) / mass;
            // In the air it is limp, and not fast.
            *velocity = velocity.clamp_length_max(2.0);
        }
        for (node, velocity) in self.nodes.iter_mut().zip(&self.velocities).skip(1) {
            *node += *velocity * STEP;
        }
        for _ in 0..ROUNDS {
            self.straighten();
            self.keep_lengths(link);
        }
        for ((node, velocity), before) in self.nodes.iter_mut().zip(&mut self.velocities).zip(&self.before).skip(1) {
            *node = walls.end_of_way(*before, *node).0;
            *velocity = (*node - *before) / STEP;
        }
    }

    fn keep_lengths(&mut self, link: f32) {
        for number in 1..self.nodes.len() {
            let along = self.nodes[number] - self.nodes[number - 1];
            let length = along.length();
            let stretch = along * ((length - link) / length.max(1e-6));
            if number == 1 {
                self.nodes[1] -= stretch;
            } else {
                self.nodes[number - 1] += 0.5 * stretch;
                self.nodes[number] -= 0.5 * stretch;
            }
        }
    }

    /// Each node is drawn to the middle of those beside it, which are drawn the other way.
    fn straighten(&mut self) {
        for number in 1..self.nodes.len() - 1 {
            let middle = 0.5 * (self.nodes[number - 1] + self.nodes[number + 1]);
            let shift = STRAIGHTENING * (middle - self.nodes[number]);
            self.nodes[number] += shift;
            self.nodes[number + 1] -= 0.5 * shift;
            if number > 1 {
                self.nodes[number - 1] -= 0.5 * shift;
            }
        }
    }
}
