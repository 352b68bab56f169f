//! Conduction among particles, and their exchange with walls, bodies and the air. Neighbours exchange
//! (P. Cleary, J. Monaghan, Journal of Computational Physics 1999) dEᵢ/dt = Σ K g² (Tⱼ − Tᵢ), g = 1 − r/h, K = 4 κ C/(h² S), S
//! = Σ (1 − q)² q² over q = r/h at rest, C a particle's mass times its heat capacity. A wall that a heater keeps at T_w
//! exchanges `n K (T_w − T)` times ∫ₜ¹ (1 − r)² (2 r/t) √(r² − t²) dr at distance t. A particle's share of gravity is `1 − β
//! (T − 20 °C)` (Boussinesq). Steps take parts or Runge–Kutta–Legendre stages, and step the energy (see `enthalpy`).

use crate::sim::StepContext;
use crate::sim::boundary::lookup_table::integrate;
use crate::sim::boundary::{LookupTable, Shape, Walls};
use crate::sim::clock::STEP;
use crate::sim::heat::exchange::{self, Contact};
use crate::sim::heat::heaters::HeatedParts;
use crate::sim::heat::particles::{Boiling, Heat, Puff};
use crate::sim::heat::{ABSOLUTE_ZERO, Thermal};
use crate::sim::liquid::{MAX_PHASES, ParticleStore, Phases, Springs};
use crate::sim::neighbors::{Lanes, Offset, PairKernel, Zone};
use crate::sim::particles::{INVALID_ID, Particles, resize_buffer};
use crate::sim::runge_kutta_legendre::{RklStage, stages};
use fearless_simd::prelude::*;
use glam::Vec2;

/// The largest exchange of a particle, in units of D = K Σ g²/C at rest: D/2 with neighbours, 1.3 D with each of two walls.
const GREATEST_EXCHANGE: f32 = 3.0;

const MAX_PARTS: f32 = 16.0;

/// Minimum distance from a wall in the heat exchange, in h.
const LEAST_DISTANCE: f32 = 0.1;

/// Value of `Liquid::surface` from which on a particle may have a free surface; and the gradient of the colour field, times h,
/// below which it has none: 1.27 in the first row of a level surface, and noise below the third.
const NEAR_SURFACE: f32 = 0.1;
const LEAST_GRADIENT: f32 = 0.3;

/// The derivative of the kernel (1 − r)² of integral 1, in units of h, is this times 1 − r.
const COLOR_GRADIENT: f32 = 12.0 / std::f32::consts::PI;

/// A liquid's heat, and the buffers of the conduction pass.
#[derive(Clone, Debug, Default)]
pub struct Conduction {
    pub heat: Heat,
    /// Integrals over the half-plane behind a wall: for the exchange of heat with it, and for the gradient of the colour field.
    wall: LookupTable<2>,
    /// By slot: outward gradient of the colour field times h, near the surface; and the length of free surface, metres.
    outward: Vec<Vec2>,
    free_surface: Vec<f32>,
    /// By slot: temperature, °C; and K over h² (for the kernel), times the step.
    temperature: Vec<f32>,
    rate: Vec<f32>,
    /// By slot, J/m: in this stage and in the one before.
    energy: Vec<f64>,
    other: Vec<f64>,
    /// By slot: 1/mass, m/kg, and the number of the fluid.
    inv_mass: Vec<f64>,
    fluid: Vec<u8>,
    /// By slot: whether it keeps its latent heat below the melting point.
    undercools: Vec<bool>,
    /// Particles at walls that are kept at a temperature: slot, K times the step, and the wall's temperature, °C.
    walls: Vec<(u32, f32, f32)>,
    at_body: Vec<Contact>,
}

impl Conduction {
    pub fn new(heat: Heat) -> Self {
        Self { heat, wall: LookupTable::new(wall_integrals), ..Self::default() }
    }

    /// Conducts and adds heat; freezes, melts and boils particles. Call it after the densities, before anything has moved.
    pub fn step(&mut self, liquid: &mut HeatedLiquid, env: &StepContext, surface: SurfaceOf) {
        self.heat.nucleate(liquid.store, liquid.phases);
        self.gather(liquid, env.walls);
        self.spread(liquid);
        if self.heat.def.air_loss > 0.0 {
            self.find_free_surface(liquid, surface);
        }
        self.add(liquid, env);
        self.keep(liquid);
        let HeatedLiquid { store, phases, .. } = liquid;
        self.heat.collect_vapor(store, phases, |slot| surface(store, slot));
    }

    /// Copies each particle's heat into slot order, and finds the particles at heated and cooled walls.
    fn gather(&mut self, liquid: &HeatedLiquid, walls: &Walls) {
        let HeatedLiquid { store: base, phases, density, .. } = liquid;
        let (h, slots) = (base.h, base.particles.slots());
        let Self { heat, wall, temperature, rate, energy, other, inv_mass, fluid, undercools, walls: at_walls, .. } =
            self;
        undercools.clear();
        let (temperature, rate) = (resize_buffer(temperature, slots), resize_buffer(rate, slots));
        let (energy, inv_mass) = (resize_buffer(energy, slots), resize_buffer(inv_mass, slots));
        let (other, fluid) = (resize_buffer(other, slots), resize_buffer(fluid, slots));
        let scale = STEP * 4.0 / (h * h * base.rest.viscous_moment) / (h * h);
        let area = base.particle_area();
        let masses: [f64; MAX_PHASES] = std::array::from_fn(|phase| phases.thermal_mass(phase as u8, area));
        for (slot, &id) in base.particles.id.iter().enumerate() {
            undercools.push(id != INVALID_ID && heat.may_undercool(id, phases));
            if id == INVALID_ID {
                (temperature[slot], rate[slot], inv_mass[slot]) = (0.0, 0.0, 0.0);
                (energy[slot], other[slot], fluid[slot]) = (0.0, 0.0, 0);
                continue;
            }
            let phase = usize::from(phases.phase_of(id));
            let (thermal, mass) = (&phases.params[phase].thermal, masses[phase]);
            (fluid[slot], inv_mass[slot]) = (phase as u8, 1.0 / mass);
            energy[slot] = heat.enthalpy(id) * mass;
            other[slot] = energy[slot];
            temperature[slot] = heat.temperature(id);
            let loose = base.rest.density / density[slot].max(base.rest.density);
            rate[slot] = scale * thermal.conductivity * thermal.heat_capacity * mass as f32 * loose;
        }
        at_walls.clear();
        if !heat.heaters.keep_walls() {
            return;
        }
        let full = base.rest.number_density * h * h;
        for contact in base.wall_contacts.iter().flatten() {
            let slot = contact.slot as usize;
            // The wall may be slightly off from the contact that was recorded.
            let on_wall = base.particles.position(slot) - contact.distance * contact.normal;
            let on_wall = on_wall.clamp(Vec2::ZERO, walls.size());
            if let Some(kept) = heat.heaters.wall_temperature(on_wall) {
                let [integral, _] = wall.at(contact.distance / h);
                at_walls.push((contact.slot, rate[slot] * full * integral, kept));
            }
        }
    }

    fn spread(&mut self, liquid: &mut HeatedLiquid) {
        let HeatedLiquid { store, phases, sums, .. } = liquid;
        let best = phases.params.iter().map(|phase| phase.thermal.conductivity).fold(0.0, f32::max);
        if best == 0.0 {
            return;
        }
        let means = if phases.is_single_phase() { 1.0 } else { 2.0 };
        let rest = store.rest;
        let per_second = 4.0 * best / (store.h * store.h * rest.viscous_moment) * rest.density;
        let exchange = means * GREATEST_EXCHANGE * STEP * per_second;
        let parts = exchange.ceil().clamp(1.0, MAX_PARTS);
        // The fastest mode is at most twice this rate.
        let stages = stages(2.0 * exchange / parts);
        // Heat through walls goes through the same stages.
        let (mut received, mut received_before) = (0.0, 0.0);
        for number in (0..parts as u32).flat_map(|_| 1..=stages) {
            if number == 1 {
                received_before = received;
            }
            let RklStage { onward, change } = RklStage::of(number, stages);
            let Self { temperature, rate, energy, other, inv_mass, fluid, undercools, walls, .. } = self;
            let h = store.h;
            let (p, pairs) = store.pairs(Zone::All);
            let attributes: [&[f32]; 4] = [&p.x, &p.y, temperature, rate];
            pairs.visit(attributes, ConductionKernel { h }, sums.each_mut());
            let (flux, from_below) = (&mut sums[0], &store.upper_sums[0]);
            let mut through_walls = 0.0;
            for &(slot, rate, kept) in &*walls {
                let own = rate * (kept - temperature[slot as usize]);
                flux[slot as usize] += own;
                through_walls += f64::from(own);
            }
            let (onward, change) = (f64::from(onward), f64::from(change / parts));
            let next = received + onward * (received - received_before) + change * through_walls;
            (received_before, received) = (received, next);
            for slot in 0..energy.len() {
                let given = f64::from(flux[slot]) + f64::from(from_below[slot]);
                let next = energy[slot] + onward * (energy[slot] - other[slot]) + change * given;
                other[slot] = next;
                let thermal = &phases.params[usize::from(fluid[slot])].thermal;
                temperature[slot] = thermal.temperature(next * inv_mass[slot], undercools[slot]);
            }
            std::mem::swap(energy, other);
        }
        self.heat.received += received;
    }

    /// The length of free surface at every particle: twice its area times the gradient of the colour field, of which the liquid's
    /// side has half (J. Brackbill, D. Kothe, C. Zemach, Journal of Computational Physics 1992).
    fn find_free_surface(&mut self, liquid: &HeatedLiquid, surface: SurfaceOf) {
        let store = &*liquid.store;
        let (p, h, area) = (&store.particles, store.h, store.particle_area());
        let Self { wall, outward, free_surface, .. } = self;
        resize_buffer(outward, p.slots()).fill(Vec2::ZERO);
        for slot in p.alive().filter(|&slot| surface(store, slot) > NEAR_SURFACE) {
            let at = p.position(slot);
            let around = store.grid.slots_around(at).filter(|&other| other != slot && p.is_alive(other));
            let push = around.map(|other| {
                let offset = at - p.position(other);
                (1.0 - offset.length() / h).max(0.0) * offset.normalize_or_zero()
            });
            outward[slot] = COLOR_GRADIENT * area / (h * h) * push.sum::<Vec2>();
        }
        let walls = store.wall_contacts.iter().flatten().map(|it| (it.slot, it.distance, it.normal));
        let bodies = store.body_contacts.contacts.iter().flatten().map(|it| (it.slot, it.distance, it.normal));
        for (slot, distance, normal) in walls.chain(bodies) {
            let outward = &mut outward[slot as usize];
            if *outward != Vec2::ZERO {
                *outward += wall.at(distance / h)[1] * normal;
            }
        }
        free_surface.clear();
        free_surface.extend(outward.iter().map(|outward| {
            let gradient = outward.length();
            if gradient > LEAST_GRADIENT { 2.0 * area / h * gradient } else { 0.0 }
        }));
    }

    /// Adds the heat of heaters and brushes, and takes that which the air takes.
    fn add(&mut self, liquid: &HeatedLiquid, env: &StepContext) {
        let Self { heat, energy, inv_mass, temperature, fluid, free_surface, .. } = self;
        let (phases, particles) = (&*liquid.phases, &liquid.store.particles);
        let mut parts = WarmParticles { particles, phases, fluid, inv_mass, temperature, energy };
        let Heat { def, heaters, received, has_air, .. } = heat;
        *received += heaters.apply(&mut parts, env.pointer_forces, STEP);
        if def.air_loss > 0.0 && !*has_air {
            let conductance = f64::from(def.air_loss * STEP);
            for slot in particles.alive().filter(|&slot| free_surface[slot] > 0.0) {
                // At most the heat that brings the particle to the temperature of the air.
                let warmer = f64::from(def.temperature - parts.temperature[slot]);
                let surface = f64::from(free_surface[slot]);
                let given = exchange::between(parts.heat_capacity(slot), conductance * surface, warmer);
                parts.energy[slot] += given;
                *received += given;
            }
        }
    }

    /// Writes each particle's heat back by id, and changes the phase of particles that have frozen or melted.
    fn keep(&mut self, liquid: &mut HeatedLiquid) {
        let Self { heat, energy, inv_mass, fluid, .. } = self;
        let HeatedLiquid { store, phases, springs, .. } = liquid;
        let mut fastest = 0f64;
        heat.max_viscosity = 0.0;
        for (slot, &id) in store.particles.id.iter().enumerate() {
            if id == INVALID_ID {
                continue;
            }
            let enthalpy = energy[slot] * inv_mass[slot];
            let capacity = phases.params[usize::from(fluid[slot])].thermal.heat_capacity;
            let change = (enthalpy - heat.enthalpy(id)).abs() / f64::from(capacity);
            if change == 0.0 {
                heat.keep_viscosity(id, phases);
                continue;
            }
            fastest = fastest.max(change);
            heat.set_with_springs(id, enthalpy, phases, springs);
        }
        heat.fastest_change = fastest as f32 / STEP;
    }

    /// Moves particles that are steam into the air through `to_air`, which returns whether it has room; the others wait.
    pub fn release_vapor(&mut self, liquid: HeatedLiquid, mut to_air: impl FnMut(Puff) -> bool) {
        let HeatedLiquid { store, springs, .. } = liquid;
        let Boiling { leaving, pending, .. } = &mut self.heat.boiling;
        for puff in leaving.drain(..) {
            if to_air(puff) {
                springs.remove_all(store.take(puff.slot));
                store.keep_id_for_drop();
            } else {
                *pending += puff.latent;
            }
        }
    }

    /// Exchanges a step's heat with air that has a temperature. `air` gets position, temperature, conductance and heat capacity
    /// (J/K) of a particle, and returns the heat that it gets, J/m.
    pub fn exchange_with_air(&mut self, liquid: HeatedLiquid, mut air: impl FnMut(Vec2, f64, f64, f64) -> f64) {
        let HeatedLiquid { store, phases, springs, .. } = liquid;
        let Self { heat, free_surface, .. } = self;
        let through = f64::from(heat.def.air_loss * STEP);
        if !heat.has_air || through == 0.0 {
            return;
        }
        for (slot, surface) in free_surface.iter().enumerate() {
            if *surface > 0.0 && store.particles.is_alive(slot) {
                let (id, at) = (store.particles.id[slot], store.particles.position(slot));
                let mass = phases.thermal_mass(phases.phase_of(id), store.particle_area());
                let capacity = f64::from(phases.params_of(id).thermal.heat_capacity) * mass;
                let given = air(at, heat.temperature(id).into(), through * f64::from(*surface), capacity);
                heat.set_with_springs(id, heat.enthalpy(id) + given / mass, phases, springs);
            }
        }
    }

    /// Exchanges a step's heat with a body of `temperature` °C and heat `capacity` J/K, and returns the body's new temperature.
    pub fn exchange_with_body(&mut self, liquid: HeatedLiquid, body: usize, temperature: f64, capacity: f64) -> f64 {
        let HeatedLiquid { store, phases, springs, density, body_inset, .. } = liquid;
        let Self { heat, wall, at_body, .. } = self;
        let (h, area) = (store.h, store.particle_area());
        let scale = STEP * 4.0 / (h * h * store.rest.viscous_moment) * store.rest.number_density;
        at_body.clear();
        at_body.extend(store.body_contacts.of(body).map(|contact| {
            let (slot, id) = (contact.slot as usize, store.particles.id[contact.slot as usize]);
            let thermal = &phases.params_of(id).thermal;
            let loose = store.rest.density / density[slot].max(store.rest.density);
            let [integral, _] = wall.at(contact.distance / h + body_inset);
            let fraction = exchange::fraction(f64::from(scale * thermal.conductivity * loose * integral));
            let mass = phases.thermal_mass(phases.phase_of(id), area);
            let conductance = fraction * f64::from(thermal.heat_capacity) * mass;
            Contact { part: id, conductance, temperature: heat.temperature(id).into() }
        }));
        exchange::with_body(temperature, capacity, at_body, |id, given| {
            let mass = phases.thermal_mass(phases.phase_of(id), area);
            heat.set_with_springs(id, heat.enthalpy(id) + given / mass, phases, springs);
            given
        })
    }

    /// Connects particles that have frozen with their solid neighbours, at the present distances.
    pub fn connect_frozen(&mut self, liquid: HeatedLiquid) {
        let HeatedLiquid { store, phases, springs, .. } = liquid;
        if std::mem::take(&mut self.heat.any_fresh) {
            let (h, fresh) = (store.h, &self.heat.fresh);
            springs.create_in_phases(store, phases, |elastic, phase, ends, offset| {
                let any = ends.iter().any(|&id| fresh.get(id as usize).copied().unwrap_or(false));
                (any && phases.is_solid(phase) && elastic.spring > 0.0).then(|| offset.length().min(h))
            });
            self.heat.fresh.fill(false);
        }
    }
}

struct WarmParticles<'a> {
    particles: &'a Particles,
    phases: &'a Phases,
    fluid: &'a [u8],
    inv_mass: &'a [f64],
    temperature: &'a [f32],
    energy: &'a mut [f64],
}

impl WarmParticles<'_> {
    fn thermal(&self, slot: usize) -> &Thermal {
        &self.phases.params[usize::from(self.fluid[slot])].thermal
    }
}

impl HeatedParts for WarmParticles<'_> {
    const MAX_BRUSHED: f32 = 1300.0;

    fn list_inside(&self, shape: &Shape, parts: &mut Vec<(usize, f64)>) {
        let inside = |&slot: &usize| shape.contact(self.position(slot)).distance <= 0.0;
        parts.clear();
        parts.extend(self.particles.alive().filter(inside).map(|slot| (slot, self.inv_mass[slot])));
    }

    fn position(&self, slot: usize) -> Vec2 {
        self.particles.position(slot)
    }

    fn temperature(&self, slot: usize) -> f32 {
        self.temperature[slot]
    }

    fn heat_capacity(&self, slot: usize) -> f64 {
        f64::from(self.thermal(slot).heat_capacity) / self.inv_mass[slot]
    }

    fn add_heat(&mut self, slot: usize, heat: f64) -> f64 {
        let coldest = self.thermal(slot).enthalpy(ABSOLUTE_ZERO) / self.inv_mass[slot];
        let before = self.energy[slot];
        self.energy[slot] = (before + heat).max(coldest);
        self.energy[slot] - before
    }
}

/// A liquid with a temperature, as the passes of heat see it.
pub struct HeatedLiquid<'a> {
    pub store: &'a mut ParticleStore,
    pub phases: &'a mut Phases,
    pub springs: &'a mut Springs,
    pub density: &'a [f32],
    pub sums: &'a mut [Vec<f32>; 2],
    /// How far behind a body's surface its half-plane begins, in h.
    pub body_inset: f32,
}

/// Returns the nearness of a slot to the surface: 0 inside, 1 on it.
pub type SurfaceOf<'a> = &'a dyn Fn(&ParticleStore, usize) -> f32;

/// The integrals over the half-plane behind a wall at t: its exchange of heat, and its gradient of the colour field times h.
fn wall_integrals(t: f32) -> [f32; 2] {
    let height = |t: f32, r: f32| (r * r - t * t).max(0.0).sqrt();
    let near = t.max(LEAST_DISTANCE);
    let [exchange] = integrate(near, |r, dr| [(1.0 - r).powi(2) * 2.0 * r / near * height(near, r) * dr]);
    let [gradient] = integrate(t, |r, dr| [(1.0 - r) * 2.0 * height(t, r) * dr]);
    [exchange, COLOR_GRADIENT * gradient]
}

/// Heat flow from the warmer particle of a pair to the colder, J/m.
#[derive(Clone, Copy)]
struct ConductionKernel {
    h: f32,
}

impl PairKernel<4> for ConductionKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, [own, theirs]: [[Lanes<S>; 4]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let zero = Lanes::splat(simd, 0.0);
        let sum = (own[3] + theirs[3]).max(Lanes::splat(simd, f32::MIN_POSITIVE));
        let mean = own[3] * theirs[3] * 2.0 / sum;
        let g = (Lanes::splat(simd, self.h) - offset.r2.sqrt()).max(zero);
        [mean * g * g * (own[2] - theirs[2]), zero]
    }
}
