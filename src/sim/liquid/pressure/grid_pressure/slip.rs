//! Drops and films of one fluid in another that are smaller than a cell, whose faces have one velocity for both: they sink or
//! rise through it, and the tension between the fluids draws them to more of their own.

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::pressure::grid_pressure::cells::Cells;
use crate::sim::liquid::pressure::grid_pressure::classify::Surface;
use crate::sim::liquid::{MAX_PHASES, ParticleStore, Phases};
use crate::sim::particles::INVALID_ID;
use glam::Vec2;

/// The fraction of liquid cells around a particle below which it lies on top of the liquid.
const ON_TOP: f32 = 0.75;

/// The speed at which a drop is drawn to its own fluid, in units of the root of the interfacial repulsion.
const DRAWN: f32 = 0.1;

/// The change of a fluid's fraction from a cell to the next from which on a drop is drawn at full speed.
const CLEAR: f32 = 0.25;

/// The cosine of the largest angle between the way to another particle and that on which a particle is to go.
const ALIGNED: f32 = 0.5;

/// The part of a spacing from which on a particle changes places.
const FULL: f32 = 0.99;

/// What a cell holds of the fluids, by the tent kernel.
#[derive(Clone, Copy, Debug, Default)]
struct Mixture {
    /// The number of particles, and that of each phase.
    number: f32,
    by_phase: [f32; MAX_PHASES],
    /// See [`Medium::weight_of`].
    weight: f32,
}

/// The mixture in each cell, and what the particles in the lesser fluid are to move.
#[derive(Clone, Debug, Default)]
pub(super) struct Slip {
    mixtures: Vec<Mixture>,
    /// By id: what it was to move since it last changed places, metres.
    owed: Vec<Vec2>,
}

impl Slip {
    /// Moves the particles of the lesser fluid of a cell beside the flow. They change places with particles of other fluids, so
    /// that spacing and density stay. Fluids of one density without tension do not part.
    pub fn apply(&mut self, medium: &mut Medium, cells: &Cells, surface: &Surface, env: &StepContext) {
        let densities = medium.phases.params.iter().map(|phase| phase.density);
        let heaviest = densities.clone().fold(0.0, f32::max);
        let drawn = DRAWN * medium.phases.interfacial_repulsion().sqrt();
        if medium.phases.is_single_phase() || (drawn == 0.0 && densities.clone().all(|density| density == heaviest)) {
            return;
        }
        self.gather(medium, cells);
        let down = env.gravity.normalize_or_zero();
        let displacements = Displacements {
            mixtures: &self.mixtures,
            cells,
            surface,
            sinking: (env.gravity.length() * medium.store.h / heaviest).sqrt() * env.dt * down,
            drawn: drawn * env.dt,
            below: down.x.round() as isize + down.y.round() as isize * cells.stride as isize,
        };
        let (weight_of, phases) = (medium.weight_of(), medium.phases);
        let store = &mut *medium.store;
        let spacing = store.spacing();
        self.owed.resize(store.particles.id_capacity(), Vec2::ZERO);
        for slot in 0..store.particles.slots() {
            let (id, at) = (store.particles.id[slot], store.particles.position(slot));
            if id == INVALID_ID || is_asleep(store, at) {
                continue;
            }
            let moved = displacements.of(usize::from(phases.phase_of(id)), weight_of(id), at);
            let owed = &mut self.owed[id as usize];
            *owed = if moved == Vec2::ZERO { Vec2::ZERO } else { (*owed + moved).clamp_length_max(spacing) };
            if moved == Vec2::ZERO || owed.length() < FULL * spacing {
                continue;
            }
            if let Some(other) = partner(store, phases, slot, *owed, env.walls) {
                let there = store.particles.position(other);
                store.particles.set_position(slot, there);
                store.particles.set_position(other, at);
                *owed -= there - at;
            }
        }
    }

    fn gather(&mut self, medium: &Medium, cells: &Cells) {
        self.mixtures.clear();
        self.mixtures.resize(cells.len(), Mixture::default());
        let p = &medium.store.particles;
        let weight_of = medium.weight_of();
        for slot in p.alive() {
            let phase = usize::from(medium.phases.phase_of(p.id[slot]));
            let weight = weight_of(p.id[slot]);
            let place = cells.place(p.position(slot));
            for (node, part) in cells.nodes(&place).into_iter().zip(place.weights()) {
                let mixture = &mut self.mixtures[node];
                mixture.number += part;
                mixture.by_phase[phase] += part;
                mixture.weight += part * weight;
            }
        }
    }
}

fn is_asleep(store: &ParticleStore, at: Vec2) -> bool {
    store.sleep_map.is_asleep(store.grid.block_at(at))
}

/// The particle of another fluid, within h, that is nearest to where a particle is to go.
fn partner(store: &ParticleStore, phases: &Phases, slot: usize, owed: Vec2, walls: &Walls) -> Option<usize> {
    let ParticleStore { grid, particles: p, h, .. } = store;
    let (at, own) = (p.position(slot), phases.phase_of(p.id[slot]));
    let (mut nearest, mut least) = (None, f32::INFINITY);
    for row in grid.rows_near(at.y, *h) {
        for other in grid.slots_near(row, at.x, *h) {
            let there = p.position(other);
            let to = there - at;
            let off = (to - owed).length_squared();
            let is_closer = off < least && to.length() < *h && to.dot(owed) > ALIGNED * to.length() * owed.length();
            if is_closer && phases.phase_of(p.id[other]) != own && !is_asleep(store, there) {
                (nearest, least) = (Some(other), off);
            }
        }
    }
    nearest.filter(|&other| walls.first_hit(at, p.position(other)).is_none())
}

struct Displacements<'a> {
    mixtures: &'a [Mixture],
    cells: &'a Cells,
    surface: &'a Surface,
    /// What a drop sinks in a substep whose weight differs from its surroundings by 1, metres.
    sinking: Vec2,
    /// What tension moves a drop in a substep, metres.
    drawn: f32,
    /// From a cell to the one below it.
    below: isize,
}

impl Displacements<'_> {
    /// What a particle of a phase moves in a substep, metres, where less than half of what is around it is of its phase. A drop of
    /// size d sinks at `√(g d Δρ/ρ)`; on top of the liquid, into what is lighter below.
    fn of(&self, phase: usize, weight: f32, at: Vec2) -> Vec2 {
        let place = self.cells.place(at);
        let nodes = self.cells.nodes(&place);
        // The fraction of the phase, the mean weight, and the fraction of cells that are liquid.
        let around = |offset: isize| {
            let (mut sum, mut wet) = ([0.0; 3], 0.0);
            for (part, node) in place.weights().into_iter().zip(nodes) {
                let node = node.wrapping_add_signed(offset);
                if self.surface.is_liquid.get(node) == Some(&true) {
                    let Mixture { number, by_phase, weight } = &self.mixtures[node];
                    let values = [*number, by_phase[phase], *weight];
                    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += part * value);
                    wet += part;
                }
            }
            [sum[1] / sum[0], sum[2] / sum[0], wet]
        };
        let [mut fraction, mut mean, mut wet] = around(0);
        let on_top = wet < ON_TOP;
        if on_top {
            [fraction, mean, wet] = around(self.below);
            mean = mean.min(weight);
        }
        // Not a number where no particle reaches the cells: narrow gaps beside bodies.
        if wet < 0.5 || fraction.is_nan() || fraction >= 0.5 {
            return Vec2::ZERO;
        }
        let minority = 1.0 - 2.0 * fraction;
        let excess = (weight - mean) / (1.0 - fraction);
        let sinks = excess.signum() * excess.abs().sqrt() * self.sinking;
        if on_top {
            return minority * sinks;
        }
        let fractions = nodes.map(|node| {
            let Mixture { number, by_phase, .. } = &self.mixtures[node];
            if *number > 0.0 { by_phase[phase] / number } else { fraction }
        });
        let drawn = (Vec2::from(place.gradient(fractions)) / CLEAR).clamp_length_max(1.0);
        minority * (sinks + self.drawn * drawn)
    }
}
