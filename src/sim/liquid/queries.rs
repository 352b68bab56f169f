//! What pictures, measurements and couplings ask of a liquid.

use crate::sim::heat::particles::Heat;
use crate::sim::liquid::pressure::wcsph::{self, SphMaterial};
use crate::sim::liquid::pressure::{Force, Pressure};
use crate::sim::liquid::{Fluid, Liquid, ParticleStore, Phases, Springs, Whitening};
use crate::sim::particles::Particles;
use glam::Vec2;
use std::ops::{Add, Mul};

/// See [`Liquid::film_speed`], at the reference's scale.
const FILM_SPEED: f32 = 0.1;

impl Liquid {
    /// Interaction radius, metres.
    pub fn h(&self) -> f32 {
        self.store.h
    }

    /// The distance between neighbours at rest, metres.
    pub fn spacing(&self) -> f32 {
        self.store.spacing()
    }

    /// The area that one particle represents, m². It is also its mass, if the liquid is water.
    pub fn particle_area(&self) -> f32 {
        self.store.particle_area()
    }

    /// The particles, in the order of memory.
    pub fn particles(&self) -> &Particles {
        &self.store.particles
    }

    /// The stages of viscosity beyond the first in a substep of `dt` seconds, if it consisted of `finer` times as many particles:
    /// in the mean over all particles, because those without a viscosity take no part.
    pub fn viscous_stages(&self, dt: f32, finer: f32) -> f32 {
        let viscous = self.viscous();
        let further = viscous.stages(&self.store, dt, finer) - 1;
        further as f32 * self.fraction(|id| viscous.viscosity_of(id) > 0.0)
    }

    /// The fraction of its particles that make springs while they flow.
    pub fn springy_fraction(&self) -> f32 {
        self.fraction(|id| self.phases.params_of(id).elastic.makes_springs())
    }

    /// The fraction of its particles that are so, by id.
    fn fraction(&self, is_so: impl Fn(u32) -> bool) -> f32 {
        let p = &self.store.particles;
        let count = p.alive().filter(|&slot| is_so(p.id[slot])).count();
        count as f32 / p.len().max(1) as f32
    }

    /// Whether it makes springs while it flows.
    pub fn makes_springs(&self) -> bool {
        self.phases.params.iter().any(|phase| phase.elastic.makes_springs())
    }

    /// The slots of particles that are no gas, which is neither drawn nor measured.
    pub fn liquid_slots(&self) -> impl Iterator<Item = usize> + '_ {
        let (p, phases, has_gas) = (&self.store.particles, &self.phases, self.phases.has_gas());
        p.alive().filter(move |&slot| !has_gas || !phases.params_of(p.id[slot]).gas)
    }

    /// Minimum distance of a new particle from others, metres. On a grid no force makes room, but what is crowded grows.
    pub(in crate::sim) fn clearance(&self) -> f32 {
        if self.is_on_grid() { 0.45 * self.spacing() } else { 0.6 * self.spacing() }
    }

    /// Whether a place has no particle within a distance, metres.
    pub(in crate::sim) fn has_room(&self, at: Vec2, distance: f32) -> bool {
        let p = &self.store.particles;
        self.store.grid.slots_around(at).all(|slot| !p.is_alive(slot) || p.position(slot).distance(at) > distance)
    }

    /// Sets the velocity of the particles within a fraction of the spacing around a place.
    pub(in crate::sim) fn push_out(&mut self, at: Vec2, fraction: f32, velocity: Vec2) {
        let least = fraction * self.spacing();
        let ParticleStore { grid, particles: p, .. } = &mut self.store;
        for slot in grid.slots_around(at) {
            if p.is_alive(slot) && p.position(slot).distance(at) <= least {
                p.set_velocity(slot, velocity);
            }
        }
    }

    /// The parameters of the first fluid.
    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// The parameters of a liquid of smoothed particles.
    pub fn material(&self) -> Option<&SphMaterial> {
        if let Pressure::Wcsph(sph) = &self.pressure { Some(&sph.material) } else { None }
    }

    /// Its phases, and the phase of each particle.
    pub fn phases(&self) -> &Phases {
        &self.phases
    }

    /// The springs between its particles.
    pub fn springs(&self) -> &Springs {
        &self.springs
    }

    /// The amount of whitewater that a phase emits.
    pub fn whitening(&self, phase: u8) -> Whitening {
        self.phases.params[usize::from(phase)].whitening
    }

    /// Whether any of its fluids makes whitewater.
    pub fn makes_whitewater(&self) -> bool {
        self.phases.params.iter().any(|phase| phase.whitening.foam > 0.0 || phase.whitening.embers > 0.0)
    }

    /// Mass of the particle in a slot. One square metre of water has mass 1.
    pub fn mass(&self, slot: usize) -> f32 {
        self.particle_area() * self.phases.mass_of(self.particles().id[slot])
    }

    /// Mass of a particle of a phase for each metre of the tank's depth, kg.
    pub fn thermal_mass(&self, phase: u8) -> f64 {
        self.phases.thermal_mass(phase, self.particle_area())
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    pub fn relative_density(&self, slot: usize) -> f32 {
        self.pressure.relative_density(&self.store, self.density.get(slot).copied())
    }

    /// Pressure at a slot, kPa, of the forces exchanged with neighbours: the virial, in two dimensions `p A = ½ Σ r · F` over the
    /// pairs. Double densities leave out walls and bodies: a particle beside one then shows its own P alone.
    pub fn pressure(&self, slot: usize) -> f32 {
        let at = self.particles().position(slot);
        match &self.pressure {
            Pressure::Relaxation(_, None) => self.virial(slot, self.store.grid.slots_around(at)),
            Pressure::Relaxation(_, Some(grid)) => grid.pressure_at(at),
            Pressure::Wcsph(sph) => sph.pressure(slot),
        }
    }

    fn virial(&self, slot: usize, others: impl Iterator<Item = usize>) -> f32 {
        let (p, h) = (self.particles(), self.store.h);
        let at = p.position(slot);
        let virial = others.filter(|&other| other != slot).map(|other| {
            let r = at.distance(p.position(other));
            if r < h { r * self.pair_force(slot, other, r) } else { 0.0 }
        });
        self.relative_density(slot) * 0.25 * virial.sum::<f32>()
    }

    /// Force by which two slots `r` metres apart repel each other, without viscosity, m/s² for water: eq. 6.
    pub fn pair_force(&self, slot: usize, other: usize, r: f32) -> f32 {
        match &self.pressure {
            Pressure::Relaxation(..) => {
                let g = (1.0 - r / self.store.h).max(0.0);
                let push = |slot: usize| {
                    let [pressure, near_pressure] = self.pressures(slot);
                    let phase = self.phases.phase_of(self.particles().id[slot]);
                    self.phases.stiffness(phase) * (pressure * g + near_pressure * g * g)
                };
                0.5 / self.store.h * (push(slot) + push(other))
            }
            Pressure::Wcsph(sph) => sph.pair_force(&self.store, slot, other, r),
        }
    }

    /// P and P_near of a slot of double densities (eqs. 3 and 5) as they are applied, times h, in m²/s².
    pub fn pressures(&self, slot: usize) -> [f32; 2] {
        let Pressure::Relaxation(double, _) = &self.pressure else { return [0.0; 2] };
        double.pressures(&self.store, &self.fluid, &self.density, slot)
    }

    /// A force per mass at a slot, m/s², if the method keeps forces separately.
    pub fn force(&self, force: Force, slot: usize) -> Option<Vec2> {
        if let Pressure::Wcsph(sph) = &self.pressure { Some(sph.force(force, slot)) } else { None }
    }

    /// Nearness of a slot to the surface: 0 inside, 1 on it.
    pub fn surface(&self, slot: usize) -> f32 {
        self.pressure.surface(&self.store, &self.density, slot)
    }

    /// Its heat, if it has a temperature.
    pub fn heat(&self) -> Option<&Heat> {
        self.conduction.as_ref().map(|conduction| &conduction.heat)
    }

    /// The temperature of a slot, °C, if it has one.
    pub fn temperature(&self, slot: usize) -> Option<f32> {
        self.heat().map(|heat| heat.temperature(self.particles().id[slot]))
    }

    /// Vapour fraction of a slot: the part that has boiled and is still in the liquid.
    pub fn vapor_fraction(&self, slot: usize) -> f32 {
        let Some(heat) = self.heat() else { return 0.0 };
        let id = self.particles().id[slot];
        self.phases.params_of(id).thermal.vapor_fraction(heat.enthalpy(id))
    }

    /// Whether any of its fluids can boil.
    pub fn boils(&self) -> bool {
        self.conduction.is_some() && self.phases.params.iter().any(|fluid| fluid.thermal.boiling_heat > 0.0)
    }

    /// Where steam has left the liquid in the last step.
    pub fn steam(&self) -> &[Vec2] {
        self.heat().map_or(&[], |heat| &heat.boiling.left)
    }

    /// Velocity at a place, m/s: the weighted mean of the particles within h; none if there are none. Visits every particle.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        self.mean(at, |slot| self.store.particles.velocity(slot))
    }

    /// Weighted mean of a per-slot quantity over the particles within h of a place; none if there are none.
    pub fn mean<T: Default + Add<Output = T> + Mul<f32, Output = T>>(
        &self,
        at: Vec2,
        quantity: impl Fn(usize) -> T,
    ) -> Option<T> {
        let (mut sum, mut weights, p) = (T::default(), 0.0, &self.store.particles);
        for slot in p.alive() {
            let weight = 1.0 - p.position(slot).distance(at) / self.store.h;
            if weight > 0.0 {
                sum = sum + quantity(slot) * weight;
                weights += weight;
            }
        }
        (weights > 0.0).then(|| sum * (1.0 / weights))
    }

    /// Pressure at a place, kPa: the weighted mean of [`Self::pressure`] over the particles within h, plus tension and the
    /// momentum of the jitter; none if there are none. Visits every particle.
    pub fn pressure_at(&self, at: Vec2) -> Option<f32> {
        let (p, mean) = (self.particles(), self.velocity(at)?);
        self.mean(at, |slot| {
            let jitter = 0.5 * (p.velocity(slot) - mean).length_squared();
            let density = self.phases.mass_of(p.id[slot]);
            // With the pull of surface tension, where that is a separate force; then without walls.
            let pressure = match &self.pressure {
                Pressure::Relaxation(..) => self.pressure(slot),
                Pressure::Wcsph(_) => self.virial(slot, p.alive()),
            };
            density * self.relative_density(slot) * jitter + pressure
        })
    }

    /// Temperature at a place, °C, where there is liquid with a temperature.
    pub fn temperature_at(&self, at: Vec2) -> Option<f32> {
        let heat = self.heat()?;
        self.mean(at, |slot| heat.temperature(self.particles().id[slot]))
    }

    /// Mass that a particle would have in the first fluid.
    pub(in crate::sim) fn first_mass(&self) -> f32 {
        self.particle_area() * self.phases.params[0].density
    }

    /// Whether it consists of smoothed particles. Their forces change velocities by leap-frog, over half of the substep in which
    /// they are computed and half of the next, and not at once over the whole. The bodies get the opposite impulses at the same
    /// time and over the same duration.
    pub(in crate::sim) fn is_sph(&self) -> bool {
        self.material().is_some()
    }

    /// How far behind a body's surface the half-plane begins, in h, so that the outline lies midway between its liquid and the
    /// liquid that it displaces, and Archimedes' law holds. A particle deeper than that is inside the body.
    pub(in crate::sim) fn boundary_offset(&self) -> f32 {
        if self.is_sph() { wcsph::BOUNDARY_OFFSET } else { self.fluid.body_inset() }
    }

    /// The speed, m/s, up to which liquid beside a body sticks to it as a film does, where a grid carries the liquid.
    pub(in crate::sim) fn film_speed(&self) -> Option<f32> {
        self.is_on_grid().then_some(FILM_SPEED * self.fluid.scale.speed)
    }
}
