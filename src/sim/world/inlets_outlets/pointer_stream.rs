//! Streams that the pointer pours or drains. Particles are added only where the liquid has room, which the stream's force makes.

use crate::sim::boundary::Walls;
use crate::sim::clock::STEP;
use crate::sim::forces::{PointerForce, PointerForceKind};
use crate::sim::liquid::Liquid;
use glam::Vec2;

/// Upper limit on the liquid poured by hand, as a fraction of the tank's area.
pub const MAX_FILL: f32 = 0.9;

/// Where a particle may be poured instead, in spacings.
const GAPS: [[f32; 2]; 5] = [[0.0, 0.0], [0.3, 0.0], [-0.3, 0.0], [0.0, 0.3], [0.0, -0.3]];

/// Minimum distance of a new particle from walls, in spacings at rest.
const WALL_CLEARANCE: f32 = 0.4;

/// Mean density around the mouth, relative to that at rest, from which on pouring stops.
const MAX_DENSITY: f32 = 1.08;

/// Rate of draining, m² a second, and the radius of the drain's mouth, relative to that of its force.
const DRAIN_RATE: f32 = 0.5;
const DRAIN_MOUTH: f32 = 0.35;

/// Number of streams, and of drains, in one step that have a carry-over of their own; further ones share the last.
const SLOTS: usize = 16;

#[derive(Clone, Debug, Default)]
pub struct PointerStream {
    /// For each stream of a step, in order: the length that has left the mouth and has no particles yet, metres.
    carry_over: [f32; SLOTS],
    /// For each drain of a step: the particles that were due and not yet drained, with fractions.
    drain_carry_over: [f32; SLOTS],
    nearby: Vec<Vec2>,
}

impl PointerStream {
    pub fn run(&mut self, liquid: &mut Liquid, walls: &Walls, forces: &[PointerForce]) {
        let (mut streams, mut drains) = (0, 0);
        for force in forces {
            match force.kind {
                PointerForceKind::Pour { velocity, number } => {
                    let slot = streams.min(SLOTS - 1);
                    self.carry_over[slot] = self.pour(liquid, walls, force, velocity, number, self.carry_over[slot]);
                    streams += 1;
                }
                PointerForceKind::Drain => {
                    let slot = drains.min(SLOTS - 1);
                    self.drain_carry_over[slot] = drain(liquid, force, self.drain_carry_over[slot]);
                    drains += 1;
                }
                _ => {}
            }
        }
    }

    /// Emits rows of particles from the mouth, one spacing apart. Returns the carry-over.
    fn pour(
        &mut self,
        liquid: &mut Liquid,
        walls: &Walls,
        force: &PointerForce,
        velocity: Vec2,
        number: u8,
        mut carry_over: f32,
    ) -> f32 {
        let spacing = liquid.spacing();
        let mut room = max_particles(liquid, walls.size()).saturating_sub(liquid.particles().len());
        let density = self.survey(liquid, force.at, force.radius + 2.0 * spacing);
        let clearance = liquid.clearance();
        let toward = velocity.normalize_or(Vec2::NEG_Y);
        let per_row = ((2.0 * force.radius / spacing) as usize).max(1);
        carry_over += velocity.length() * STEP;
        while carry_over >= spacing {
            carry_over -= spacing;
            for nth in 0..per_row {
                let side = (nth as f32 - 0.5 * (per_row - 1) as f32) * spacing;
                let place = force.at + toward.perp() * side + toward * carry_over;
                if room == 0 || density >= MAX_DENSITY {
                    continue;
                }
                // Within liquid there is room in the gaps only.
                let mut places = GAPS.map(|[x, y]| place + spacing * Vec2::new(x, y)).into_iter();
                if let Some(place) = places.find(|&place| self.is_free(place, walls, spacing, clearance)) {
                    liquid.add_with_phase(number, place, velocity);
                    liquid.set_temperature_of_last(None);
                    self.nearby.push(place);
                    room -= 1;
                }
            }
        }
        carry_over
    }

    /// Collects the particles within `reach` of a place, and returns their mean density, relative to that at rest.
    fn survey(&mut self, liquid: &Liquid, at: Vec2, reach: f32) -> f32 {
        let p = liquid.particles();
        let mut sum = 0.0;
        self.nearby.clear();
        for slot in p.alive().filter(|&slot| p.position(slot).distance_squared(at) < reach * reach) {
            self.nearby.push(p.position(slot));
            sum += liquid.relative_density(slot);
        }
        sum / self.nearby.len().max(1) as f32
    }

    fn is_free(&self, place: Vec2, walls: &Walls, spacing: f32, clearance: f32) -> bool {
        let clearance = clearance * clearance;
        walls.distance(place) > WALL_CLEARANCE * spacing
            && self.nearby.iter().all(|other| other.distance_squared(place) > clearance)
    }
}

/// Removes particles at the mouth, and returns the carry-over.
fn drain(liquid: &mut Liquid, force: &PointerForce, carry_over: f32) -> f32 {
    let area = liquid.particle_area();
    // An empty mouth does not accumulate.
    let due = carry_over.fract() + DRAIN_RATE * STEP / area;
    let mouth = (DRAIN_MOUTH * force.radius).powi(2);
    due - liquid.remove_where(due as usize, None, |p| p.distance_squared(force.at) < mouth) as f32
}

/// Maximum number of particles that may be poured by hand into a tank of `size`.
pub fn max_particles(liquid: &Liquid, size: Vec2) -> usize {
    (MAX_FILL * size.element_product() / liquid.particle_area()) as usize
}
