//! Kinematic viscosity, m²/s, the same with any number of particles and substeps. Each pair changes its velocities along the
//! line between the two: dvᵢ/dt = Σ w g² ((vⱼ − vᵢ)·r̂) r̂, g = 1 − r/h. In a smooth flow with ∇·v = 0 this is `∇²v / 16 · Σ w
//! g² r²`, so ν = w h² S/16, S = Σ (1 − q)² q² over q = r/h at rest (RestState::viscous_moment). A denser particle has its w
//! reduced by as much, so no mode is faster than 2 D, `D = w ρ` at rest. Beyond `D dt = 1` a substep takes stages (RKL1: C.
//! Meyer et al., Journal of Computational Physics 2014). Walls do not slip (`boundary/halfplane.rs`, *drag*).

mod dragged_bodies;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::heat::particles::Heat;
use crate::sim::liquid::{BodyContacts, ParticleStore, PhaseParams, Phases, WallContact};
use crate::sim::neighbors::pairs::add;
use crate::sim::neighbors::{Lanes, Offset, PairKernel, Stretch, Zone, parallel_for, parallel_for_coarse};
use crate::sim::particles::{Particles, resize_buffer};
use crate::sim::runge_kutta_legendre::{RklStage, stages};
use dragged_bodies::DraggedBodies;
use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Rate of the fastest mode, in D: pairs alone make at most 2; beside a wall its drag adds at most 0.45.
const FASTEST: f32 = 2.2;

#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Viscosity {
    /// Per slot: `w dt/h²`, times the particle's mass where there are several fluids. Empty where no fluid is viscous.
    pub rates: Vec<f32>,
    /// Velocities of the alternate stages.
    other: [Vec<f32>; 2],
    /// Positions with which the density pass found the neighbours; the pressures have moved the particles since.
    at: [Vec<f32>; 2],
    bodies: DraggedBodies,
}

/// The parts of a liquid that determine its viscosity.
pub(in crate::sim) struct ViscousLiquid<'a> {
    pub phases: &'a Phases,
    pub density: &'a [f32],
    pub heat: Option<&'a Heat>,
}

impl ViscousLiquid<'_> {
    /// The viscosity of a particle, m²/s.
    #[inline]
    pub fn viscosity_of(&self, id: u32) -> f32 {
        let warm = self.heat.and_then(|heat| heat.viscosity(id));
        warm.unwrap_or_else(|| self.phases.params_of(id).viscous.viscosity)
    }

    /// Returns the largest viscosity that any particle may have, m²/s.
    pub fn max_viscosity(&self) -> f32 {
        let warm = self.heat.map(|heat| heat.max_viscosity);
        let varies = |phase: &&PhaseParams| warm.is_some() && !phase.thermal.viscosity_at.is_empty();
        let fixed = self.phases.params.iter().filter(|phase| !varies(phase)).map(|phase| phase.viscous.viscosity);
        fixed.fold(warm.unwrap_or(0.0), f32::max)
    }

    /// Rate of the fastest mode, 1/s.
    pub fn fastest_rate(&self, store: &ParticleStore) -> f32 {
        // The harmonic mean is up to twice the lesser of two.
        let means = if self.phases.is_single_phase() { 1.0 } else { 2.0 };
        means * FASTEST * viscous_rate(store, self.max_viscosity()) * store.rest.density
    }

    /// The stages of a substep of `dt` seconds, if the liquid consisted of `finer` times as many particles.
    pub fn stages(&self, store: &ParticleStore, dt: f32, finer: f32) -> u32 {
        stages(finer * self.fastest_rate(store) * dt)
    }
}

/// Returns w of a fluid of this viscosity, 1/s.
fn viscous_rate(store: &ParticleStore, viscosity: f32) -> f32 {
    16.0 * viscosity / (store.h * store.h * store.rest.viscous_moment)
}

impl Viscosity {
    pub fn record_positions(&mut self, p: &Particles) {
        for (recorded, at) in self.at.iter_mut().zip([&p.x, &p.y]) {
            resize_buffer(recorded, at.len()).copy_from_slice(at);
        }
    }

    pub fn substep(
        &mut self,
        liquid: &ViscousLiquid,
        store: &mut ParticleStore,
        sums: &mut [Vec<f32>; 2],
        env: &StepContext,
    ) {
        if liquid.max_viscosity() == 0.0 {
            self.rates.clear();
            return;
        }
        let fastest = liquid.fastest_rate(store) * env.dt;
        self.find_rates(liquid, store, env.dt);
        let first_mass = store.particle_area() * liquid.phases.params[0].density;
        let stages = stages(fastest + self.bodies.begin(&self.rates, first_mass, store));
        for (other, v) in self.other.iter_mut().zip([&store.particles.vx, &store.particles.vy]) {
            resize_buffer(other, v.len()).copy_from_slice(v);
        }
        for number in 1..=stages {
            self.stage(RklStage::of(number, stages), liquid.phases, store, sums, env.walls);
            self.swap_velocities(&mut store.particles);
        }
        // Swaps the arrays back, so that each keeps the memory reserved for it.
        if !stages.is_multiple_of(2) {
            self.swap_velocities(&mut store.particles);
            let [vx, vy] = &self.other;
            store.particles.vx.copy_from_slice(vx);
            store.particles.vy.copy_from_slice(vy);
        }
        self.bodies.end(&mut store.body_contacts.immersed);
    }

    fn swap_velocities(&mut self, p: &mut Particles) {
        let [vx, vy] = &mut self.other;
        std::mem::swap(&mut p.vx, vx);
        std::mem::swap(&mut p.vy, vy);
    }

    /// Computes w dt of every slot, lowered where particles lie more densely than at rest.
    fn find_rates(&mut self, liquid: &ViscousLiquid, store: &ParticleStore, dt: f32) {
        let &ViscousLiquid { phases, density, heat } = liquid;
        let whole = dt * viscous_rate(store, 1.0) / (store.h * store.h);
        let (rest, id) = (store.rest.density, &store.particles.id);
        let only = whole * phases.params[0].viscous.viscosity;
        let single = phases.is_single_phase();
        let rates = resize_buffer(&mut self.rates, density.len());
        parallel_for_coarse(&store.grid.chunks, rates, &|chunk, rates: &mut [f32]| {
            let slots = chunk.slots.clone().zip(rates);
            let loose = |slot: usize| rest / density[slot].max(rest);
            if single && heat.is_none() {
                slots.for_each(|(slot, rate)| *rate = only * loose(slot));
                return;
            }
            for (slot, rate) in slots {
                let mass = if single { 1.0 } else { phases.mass[slot] };
                *rate = whole * mass * liquid.viscosity_of(id[slot]) * loose(slot);
            }
        });
    }

    /// Computes the next velocities in the array of those before the last.
    fn stage(
        &mut self,
        stage: RklStage,
        phases: &Phases,
        store: &mut ParticleStore,
        sums: &mut [Vec<f32>; 2],
        walls: &Walls,
    ) {
        let [at_x, at_y] = &self.at;
        let (rates, several) = (&self.rates, !phases.is_single_phase());
        let h = store.h;
        let (p, pairs) = store.pairs(Zone::ForceHalo);
        let attributes: [&[f32]; 5] = [at_x, at_y, &p.vx, &p.vy, rates];
        if several {
            pairs.visit(attributes, ViscosityKernel::<true> { h }, sums.each_mut());
        } else {
            pairs.visit(attributes, ViscosityKernel::<false> { h }, sums.each_mut());
        }
        self.bodies.stage(stage, &self.rates, store);
        let (rates, [next_x, next_y]) = (&self.rates, &mut self.other);
        let ParticleStore { level, grid, sleep_map, particles: p, upper_sums, wall_contacts, body_contacts, .. } =
            store;
        let BodyContacts { contacts: body_contacts, immersed, .. } = body_contacts;
        let h2 = h * h;
        let contacts = (Stretch::per_chunk(wall_contacts), Stretch::per_chunk(body_contacts));
        let written = ((sums.each_mut().map(|sums| &mut sums[..]), [&mut next_x[..], next_y]), contacts);
        parallel_for(&grid.chunks, written, &|chunk, (([dx, dy], [next_x, next_y]), (contacts, at_bodies))| {
            let first = chunk.slots.start;
            add(dx, &upper_sums[0][chunk.slots.clone()]);
            add(dy, &upper_sums[1][chunk.slots.clone()]);
            for &WallContact { slot, normal, integrals: [_, _, drag, _], .. } in &contacts.all[0] {
                let slot = slot as usize;
                if rates[slot] == 0.0 {
                    continue;
                }
                let relative = p.velocity(slot) - walls.wall_velocity(p.position(slot), normal);
                let along = relative - relative.dot(normal) * normal;
                dx[slot - first] -= rates[slot] * h2 * drag * along.x;
                dy[slot - first] -= rates[slot] * h2 * drag * along.y;
            }
            for contact in &at_bodies.all[0] {
                let lost = dragged_bodies::loss(contact, immersed, rates, h, p);
                dx[contact.slot as usize - first] -= lost.x;
                dy[contact.slot as usize - first] -= lost.y;
            }
            for slots in sleep_map.active_slots(grid, chunk) {
                let own = slots.start - first..slots.end - first;
                let mass = several.then(|| &phases.mass[slots.clone()]);
                for (next, v, change) in [(&mut *next_x, &p.vx, &*dx), (&mut *next_y, &p.vy, &*dy)] {
                    let (next, v, change) = (&mut next[own.clone()], &v[slots.clone()], &change[own.clone()]);
                    dispatch!(*level, simd => next_velocities(simd, stage, next, v, change, mass));
                }
            }
        });
    }
}

/// Replaces the velocities before the last by the next ones. `changes` are multiplied by the mass where there is one.
#[simd]
fn next_velocities<S: Simd>(
    _: S,
    stage: RklStage,
    velocities: &mut [f32],
    last: &[f32],
    changes: &[f32],
    mass: Option<&[f32]>,
) {
    let RklStage { onward, change } = stage;
    let all = velocities.iter_mut().zip(last).zip(changes);
    if let Some(mass) = mass {
        for (((next, v), d), mass) in all.zip(mass) {
            *next = v + onward * (v - *next) + change / mass * d;
        }
    } else {
        all.for_each(|((next, v), d)| *next = v + onward * (v - *next) + change * d);
    }
}

/// Viscosity: changes of velocity `w g² ((vⱼ − vᵢ)·r̂) r̂`, g being h − r. Between several fluids w is the harmonic mean of the
/// two, and the results are changes of velocity times the mass.
#[derive(Clone, Copy)]
struct ViscosityKernel<const SEVERAL: bool> {
    h: f32,
}

impl<const SEVERAL: bool> PairKernel<5> for ViscosityKernel<SEVERAL> {
    const ANTISYMMETRIC: bool = true;

    /// Most of a tank may be water.
    #[inline(always)]
    fn acts_on(&self, batch: [&[f32]; 5]) -> bool {
        batch[4].iter().any(|&rate| rate > 0.0)
    }

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, [own, theirs]: [[Lanes<S>; 5]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let rate = if SEVERAL {
            own[4] * theirs[4] * 2.0 / (own[4] + theirs[4]).max(Lanes::splat(simd, f32::MIN_POSITIVE))
        } else {
            own[4].min(theirs[4])
        };
        let r = offset.length(simd, self.h);
        let g = (Lanes::splat(simd, self.h) - r).max(Lanes::splat(simd, 0.0)) / r;
        let push = rate * (g * g * offset.dot([own[2] - theirs[2], own[3] - theirs[3]]));
        [push * offset.x, push * offset.y]
    }
}
