//! Heat: conduction among the particles, exchange with walls, heaters, the air and brushes, and weight. Neighbours exchange
//! (P. Cleary, J. Monaghan, Journal of Computational Physics 1999) dEᵢ/dt = Σ K g² (Tⱼ − Tᵢ), g = 1 − r/h, K = 4 κ C/(h² S), S
//! = Σ (1 − q)² q² over q = r/h at rest, C a particle's mass times its heat capacity. A wall that a heater keeps at T_w
//! exchanges `n K (T_w − T)` times ∫ₜ¹ (1 − r)² (2 r/t) √(r² − t²) dr at distance t. A particle's share of gravity is `1 − β
//! (T − 20 °C)` (Boussinesq). Steps take parts or Runge–Kutta–Legendre stages, and step the energy (see `enthalpy`).

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::boundary::lookup_table::LookupTable;
use crate::sim::clock::STEP;
use crate::sim::forces::PointerForce;
use crate::sim::heat::enthalpy::{Thermal, WATER_DENSITY};
use crate::sim::heat::exchange::Neighbor;
use crate::sim::heat::heaters::Heaters;
use crate::sim::heat::{ABSOLUTE_ZERO, HeatDef, HeaterDef, exchange};
use crate::sim::liquid::Liquid;
use crate::sim::liquid::heat::{Heat, Puff, Vapor};
use crate::sim::liquid::phases::MAX_PHASES;
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::pressure::Pressure;
use crate::sim::liquid::springs::Springs;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::pairs::{Lanes, Offset, PairKernel};
use crate::sim::neighbors::sleep_map::Zone;
use crate::sim::particles::{INVALID_ID, resize_buffer};
use crate::sim::runge_kutta_legendre::{RklStage, stages};
use fearless_simd::prelude::*;
use glam::Vec2;

/// The largest exchange of a particle, in units of D = K Σ g²/C at rest: D with its neighbours, or D/2 with them and 1.3 D with
/// each of two walls that are kept at a temperature.
const GREATEST_EXCHANGE: f32 = 3.0;

const MAX_PARTS: f32 = 16.0;

/// Minimum distance from a wall in the heat exchange, in h.
const LEAST_DISTANCE: f32 = 0.1;

/// Rate at which a hot or cold brush changes the temperature under its middle, K/s.
const HAND_RATE: f32 = 100.0;

/// Value of [`Liquid::surface`] from which on steam leaves a particle.
const AT_SURFACE: f32 = 0.35;

/// Value of [`Liquid::surface`] from which on a particle may have a free surface; and the gradient of the colour field, times h,
/// below which it has none: 1.27 in the first row of a level surface, and noise below the third.
const NEAR_SURFACE: f32 = 0.1;
const LEAST_GRADIENT: f32 = 0.3;

/// The derivative of the kernel (1 − r)² of integral 1, in units of h, is this times 1 − r.
const COLOR_GRADIENT: f32 = 12.0 / std::f32::consts::PI;

/// Temperatures beyond which the hot and the cold brush have no effect, °C.
const HAND_LIMITS: (f32, f32) = (-60.0, 1300.0);

/// A liquid's heat, and the buffers of the conduction pass.
#[derive(Clone, Debug)]
pub(super) struct Conduction {
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
    /// Particles at walls that are kept at a temperature: slot, K times the step, and the wall's temperature, °C.
    walls: Vec<(u32, f32, f32)>,
}

impl Conduction {
    fn new(heat: Heat) -> Self {
        Self {
            heat,
            wall: LookupTable::new(|t| [wall_integral(t.max(LEAST_DISTANCE)), wall_gradient(t)]),
            outward: Vec::new(),
            free_surface: Vec::new(),
            temperature: Vec::new(),
            rate: Vec::new(),
            energy: Vec::new(),
            other: Vec::new(),
            inv_mass: Vec::new(),
            fluid: Vec::new(),
            walls: Vec::new(),
        }
    }

    /// One step: conducts heat, adds that of heaters, and freezes, melts and boils particles.
    fn step(&mut self, liquid: &mut HeatedLiquid, env: &StepContext) {
        self.gather(liquid, env.walls);
        self.spread(liquid);
        if self.heat.def.air_loss > 0.0 {
            self.find_free_surface(liquid);
        }
        self.add(liquid, env);
        self.keep(liquid);
        self.collect_vapor(liquid);
    }

    /// Copies each particle's heat into slot order, and finds the particles at heated and cooled walls.
    fn gather(&mut self, liquid: &HeatedLiquid, walls: &Walls) {
        let HeatedLiquid { store: base, phases, density, .. } = liquid;
        let (h, slots) = (base.h, base.particles.slots());
        let Self { heat, wall, temperature, rate, energy, other, inv_mass, fluid, walls: at_walls, .. } = self;
        let (temperature, rate) = (resize_buffer(temperature, slots), resize_buffer(rate, slots));
        let (energy, inv_mass) = (resize_buffer(energy, slots), resize_buffer(inv_mass, slots));
        let (other, fluid) = (resize_buffer(other, slots), resize_buffer(fluid, slots));
        let scale = STEP * 4.0 / (h * h * base.rest.viscous_moment) / (h * h);
        let masses: [f64; MAX_PHASES] = std::array::from_fn(|phase| fluid_mass(phases, base, phase));
        for (slot, &id) in base.particles.id.iter().enumerate() {
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
        let thermals: [Option<Thermal>; MAX_PHASES] =
            std::array::from_fn(|phase| phases.params.get(phase).map(|it| it.thermal));
        let best = thermals.iter().flatten().map(|thermal| thermal.conductivity).fold(0.0, f32::max);
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
            let Self { temperature, rate, energy, other, inv_mass, fluid, walls, .. } = self;
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
                if let Some(thermal) = &thermals[usize::from(fluid[slot])] {
                    temperature[slot] = thermal.temperature(next * inv_mass[slot]);
                }
            }
            std::mem::swap(energy, other);
        }
        self.heat.received += received;
    }

    /// The length of free surface at every particle: twice its area times the gradient of the colour field, of which the liquid's
    /// side has half (J. Brackbill, D. Kothe, C. Zemach, "A continuum method for modeling surface tension", Journal of
    /// Computational Physics 1992).
    fn find_free_surface(&mut self, liquid: &HeatedLiquid) {
        let store = &*liquid.store;
        let (p, h, area) = (&store.particles, store.h, store.particle_area());
        let Self { wall, outward, free_surface, .. } = self;
        outward.clear();
        outward.resize(p.slots(), Vec2::ZERO);
        for slot in p.alive().filter(|&slot| liquid.surface(slot) > NEAR_SURFACE) {
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

    fn add(&mut self, liquid: &HeatedLiquid, env: &StepContext) {
        let Self { heat, energy, inv_mass, temperature, fluid, free_surface, .. } = self;
        let p = &liquid.store.particles;
        let thermal = |slot: usize| &liquid.phases.params[usize::from(fluid[slot])].thermal;
        let (def, mut received) = (heat.def, 0.0);
        for (shape, power) in heat.heaters.powered() {
            let inside = |slot: usize| shape.contact(p.position(slot)).distance <= 0.0;
            let mass: f64 = p.alive().filter(|&slot| inside(slot)).map(|slot| 1.0 / inv_mass[slot]).sum();
            if mass > 0.0 {
                let given = f64::from(power) * f64::from(STEP);
                for slot in p.alive().filter(|&slot| inside(slot)) {
                    let before = energy[slot];
                    let coldest = thermal(slot).enthalpy(ABSOLUTE_ZERO) / inv_mass[slot];
                    energy[slot] = (before + given / (mass * inv_mass[slot])).max(coldest);
                    received += energy[slot] - before;
                }
            }
        }
        if def.air_loss > 0.0 && !heat.has_air {
            let through = f64::from(def.air_loss * STEP);
            for slot in p.alive() {
                let surface = f64::from(free_surface[slot]);
                if surface > 0.0 {
                    // At most the heat that brings the particle to the temperature of the air.
                    let most = f64::from(thermal(slot).heat_capacity) / inv_mass[slot];
                    let share = exchange::fraction(through * surface / most);
                    let given = share * most * f64::from(def.temperature - temperature[slot]);
                    energy[slot] += given;
                    received += given;
                }
            }
        }
        for force in env.pointer_forces {
            let &PointerForce { at, radius, kind } = force;
            let rate = kind.heating();
            if rate == 0.0 {
                continue;
            }
            for slot in p.alive() {
                let share = p.position(slot).distance(at) / radius;
                let beyond =
                    if rate > 0.0 { temperature[slot] > HAND_LIMITS.1 } else { temperature[slot] < HAND_LIMITS.0 };
                if share < 1.0 && !beyond {
                    let weight = (1.0 - share * share).powi(2);
                    let given =
                        f64::from(rate * HAND_RATE * weight * thermal(slot).heat_capacity * STEP) / inv_mass[slot];
                    energy[slot] += given;
                    received += given;
                }
            }
        }
        heat.received += received;
    }

    /// Writes each particle's heat back by id, and changes the phase of particles that have frozen or melted.
    fn keep(&mut self, liquid: &mut HeatedLiquid) {
        let Self { heat, energy, inv_mass, fluid, .. } = self;
        let HeatedLiquid { store, phases, springs, .. } = liquid;
        let capacities: [f64; MAX_PHASES] = std::array::from_fn(|phase| {
            phases.params.get(phase).map_or(1.0, |fluid| f64::from(fluid.thermal.heat_capacity))
        });
        let mut fastest = 0f64;
        heat.max_viscosity = 0.0;
        for (slot, &id) in store.particles.id.iter().enumerate() {
            if id == INVALID_ID {
                continue;
            }
            let enthalpy = energy[slot] * inv_mass[slot];
            let change = (enthalpy - heat.enthalpy(id)).abs() / capacities[usize::from(fluid[slot])];
            if change == 0.0 {
                heat.keep_viscosity(id, phases);
                continue;
            }
            fastest = fastest.max(change);
            set_heat(heat, phases, springs, id, enthalpy);
        }
        heat.fastest_change = fastest as f32 / STEP;
    }

    /// Vapour leaves at the surface; a particle that is all vapour leaves wherever it is. Latent heat is accumulated until it
    /// makes a whole particle: then the last particle that contributed leaves, with all its heat.
    fn collect_vapor(&mut self, liquid: &mut HeatedLiquid) {
        let heat = &mut self.heat;
        heat.vapor.left.clear();
        // Where there is no air yet, it has not left.
        heat.vapor.pending += heat.vapor.leaving.drain(..).map(|puff| puff.latent).sum::<f64>();
        if liquid.phases.params.iter().all(|fluid| fluid.thermal.boiling_heat == 0.0) {
            return;
        }
        for slot in 0..liquid.store.particles.slots() {
            let id = liquid.store.particles.id[slot];
            if id == INVALID_ID {
                continue;
            }
            let number = liquid.phases.phase_of(id);
            let thermal = liquid.phases.params[usize::from(number)].thermal;
            let enthalpy = heat.enthalpy(id);
            let fraction = f64::from(thermal.vapor_fraction(enthalpy));
            if fraction == 0.0 || (fraction < 1.0 && liquid.surface(slot) < AT_SURFACE) {
                continue;
            }
            let latent = f64::from(thermal.boiling_heat);
            let mass = particle_mass(liquid.phases, liquid.store, id);
            // All heat above that of the boiling liquid: the particle may be hotter than steam.
            let given = enthalpy - thermal.enthalpy(thermal.boiling_point);
            heat.vapor.pending += given * mass;
            heat.set_enthalpy(id, enthalpy - given, liquid.phases);
            if heat.vapor.pending >= latent * mass && liquid.store.particles.len() > heat.vapor.leaving.len() + 1 {
                heat.vapor.pending -= latent * mass;
                let at = liquid.store.particles.position(slot);
                heat.vapor.leaving.push(Puff { slot, at, phase: number, mass, latent: latent * mass });
                heat.vapor.left.push(at);
            }
        }
    }
}

struct HeatedLiquid<'a> {
    store: &'a mut ParticleStore,
    phases: &'a mut Phases,
    pressure: &'a Pressure,
    springs: &'a mut Springs,
    density: &'a [f32],
    sums: &'a mut [Vec<f32>; 2],
}

impl HeatedLiquid<'_> {
    fn surface(&self, slot: usize) -> f32 {
        self.pressure.surface(self.store, self.density, slot)
    }
}

/// Midpoint rule over r from t to 1.
fn integral(t: f32, of: impl Fn(f32) -> f32) -> f32 {
    // The table's interpolation is off by 3e-3 of the largest value, this sum by 1e-5.
    const SLICES: usize = 400;
    let dr = (1.0 - t) / SLICES as f32;
    (0..SLICES).map(|slice| of(t + (slice as f32 + 0.5) * dr) * dr).sum()
}

/// Exchange of heat with the half-plane at a distance t, in units of h.
fn wall_integral(t: f32) -> f32 {
    integral(t, |r| (1.0 - r).powi(2) * 2.0 * r / t * (r * r - t * t).max(0.0).sqrt())
}

/// Gradient of the colour field, times h, by the half-plane at a distance t.
fn wall_gradient(t: f32) -> f32 {
    COLOR_GRADIENT * integral(t, |r| (1.0 - r) * 2.0 * (r * r - t * t).max(0.0).sqrt())
}

impl Liquid {
    /// The liquid has no particles yet. Heaters take part once it has been fitted to the walls.
    pub(in crate::sim) fn enable_heat(&mut self, def: HeatDef, heaters: &[HeaterDef]) {
        self.conduction = Some(Box::new(Conduction::new(Heat::new(def, Heaters::new(heaters)))));
    }

    /// Each particle gets the temperature at which its fluid is poured, if the liquid has none. Smoothed particles have none.
    pub(in crate::sim) fn enable_heat_by_fluid(&mut self) {
        if self.conduction.is_some() || !self.is_double_density() {
            return;
        }
        let mut heat = Heat::new(HeatDef::default(), Heaters::default());
        heat.by_fluid = true;
        let ids = self.store.particles.id.iter().filter(|&&id| id != INVALID_ID);
        ids.for_each(|&id| heat.begin(id, &mut self.phases));
        self.conduction = Some(Box::new(Conduction::new(heat)));
        self.wake();
    }

    /// Mass of a particle per metre of the tank's depth, kg.
    pub fn thermal_mass(&self, id: u32) -> f64 {
        particle_mass(&self.phases, &self.store, id)
    }

    /// Sets the temperature of a particle, °C; none is that at which its fluid is poured.
    pub(in crate::sim) fn set_temperature(&mut self, id: u32, temperature: Option<f32>) {
        if let Some(conduction) = &mut self.conduction {
            let temperature = temperature.unwrap_or_else(|| conduction.heat.poured_temperature(id, &self.phases));
            conduction.heat.set_temperature(id, temperature, &mut self.phases);
        }
    }

    pub(in crate::sim) fn set_enthalpy(&mut self, id: u32, enthalpy: f64) {
        if let Some(conduction) = &mut self.conduction {
            conduction.heat.set_enthalpy(id, enthalpy, &mut self.phases);
        }
    }

    /// Changes gravity by the thermal expansion: warm liquid is lighter.
    pub(super) fn apply_thermal_weight(&mut self, env: &StepContext) {
        let Some(conduction) = &self.conduction else { return };
        let kick = env.gravity * env.dt;
        let ParticleStore { grid, sleep_map, particles, .. } = &mut self.store;
        let (mut p, id) = particles.slice_mut();
        for chunk in &grid.chunks {
            for slots in sleep_map.active_slots(grid, chunk) {
                for slot in slots {
                    let weight = conduction.heat.excess_weight(id[slot]);
                    p.set_velocity(slot, p.velocity(slot) + weight * kick);
                }
            }
        }
    }

    /// Call it after the densities and before anything has moved.
    pub(super) fn conduct(&mut self, env: &StepContext) {
        if env.pointer_forces.iter().any(|force| force.kind.heating() != 0.0) {
            self.wake();
        }
        let Self { store, phases, pressure, springs, conduction: Some(conduction), density, sums, .. } = self else {
            return;
        };
        conduction.step(&mut HeatedLiquid { store, phases, pressure, springs, density, sums }, env);
    }

    /// Moves the particles that have turned to steam into the air through `to_air`, which returns whether it has room; the others
    /// leave later.
    pub(in crate::sim) fn release_vapor(&mut self, mut to_air: impl FnMut(Puff) -> bool) {
        let Self { store, springs, conduction: Some(conduction), .. } = self else { return };
        let Vapor { leaving, pending, .. } = &mut conduction.heat.vapor;
        for puff in leaving.drain(..) {
            if to_air(puff) {
                springs.remove_all(store.take(puff.slot));
                store.keep_id_for_drop();
            } else {
                *pending += puff.latent;
            }
        }
    }

    pub(in crate::sim) fn add_drop(&mut self, phase: u8, at: Vec2, enthalpy: f64) {
        let id = self.store.next_id_of_drop();
        self.add_with_phase(phase, at, Vec2::ZERO);
        self.set_enthalpy(id, enthalpy);
    }

    /// Mass of a particle of a phase for each metre of the tank's depth, kg.
    pub(in crate::sim) fn mass_of_phase(&self, phase: u8) -> f64 {
        fluid_mass(&self.phases, &self.store, phase.into())
    }

    /// Notes that the air has a temperature of its own.
    pub(in crate::sim) fn share_heat_with_air(&mut self) {
        if let Some(conduction) = &mut self.conduction {
            conduction.heat.has_air = true;
        }
    }

    /// Exchanges a step's heat between the surface and the air, if it has a temperature. `air` receives the position, the
    /// particle's temperature, the conductance (J/K) and the particle's heat capacity (J/K), and returns the heat that the
    /// particle gets, J/m.
    pub(in crate::sim) fn exchange_heat_with_air(&mut self, mut air: impl FnMut(Vec2, f64, f64, f64) -> f64) {
        let Self { store, phases, springs, conduction: Some(conduction), .. } = self else { return };
        let Conduction { heat, free_surface, .. } = &mut **conduction;
        let through = f64::from(heat.def.air_loss * STEP);
        if !heat.has_air || through == 0.0 {
            return;
        }
        for (slot, surface) in free_surface.iter().enumerate() {
            if *surface > 0.0 && store.particles.is_alive(slot) {
                let (id, at) = (store.particles.id[slot], store.particles.position(slot));
                let mass = particle_mass(phases, store, id);
                let capacity = f64::from(phases.params_of(id).thermal.heat_capacity) * mass;
                let given = air(at, heat.temperature(id).into(), through * f64::from(*surface), capacity);
                set_heat(heat, phases, springs, id, heat.enthalpy(id) + given / mass);
            }
        }
    }

    /// Connects particles that have frozen with their solid neighbours, at the present distances.
    pub(super) fn connect_what_has_set(&mut self) {
        let Self { store, phases, springs, conduction: Some(conduction), .. } = self else { return };
        let heat = &mut conduction.heat;
        if std::mem::take(&mut heat.any_fresh) {
            let (h, fresh) = (store.h, &heat.fresh);
            let solids: [bool; MAX_PHASES] = std::array::from_fn(|phase| phases.is_solid(phase as u8));
            springs.create_in_phases(store, phases, |elastic, phase, ends, offset| {
                let any = ends.iter().any(|&id| fresh.get(id as usize).copied().unwrap_or(false));
                (any && solids[usize::from(phase)] && elastic.spring > 0.0).then(|| offset.length().min(h))
            });
            heat.fresh.fill(false);
        }
    }

    /// Exchanges a step's heat with a body of `temperature` °C and heat `capacity` J/K, and returns the body's new temperature.
    pub(in crate::sim) fn exchange_heat_with_body(&mut self, body: usize, temperature: f64, capacity: f64) -> f64 {
        let Self { store, phases, springs, fluid, density, conduction: Some(conduction), .. } = self else {
            return temperature;
        };
        let Conduction { heat, wall, walls: contacts, .. } = &mut **conduction;
        let (h, inset) = (store.h, fluid.body_inset());
        let scale = STEP * 4.0 / (h * h * store.rest.viscous_moment) * store.rest.number_density;
        contacts.clear();
        for contact in store.body_contacts.of(body) {
            let (slot, id) = (contact.slot as usize, store.particles.id[contact.slot as usize]);
            let thermal = &phases.params_of(id).thermal;
            let loose = store.rest.density / density[slot].max(store.rest.density);
            let [integral, _] = wall.at(contact.distance / h + inset);
            let share = exchange::fraction(f64::from(scale * thermal.conductivity * loose * integral));
            let taken = share * f64::from(thermal.heat_capacity) * particle_mass(phases, store, id);
            contacts.push((id, taken as f32, heat.temperature(id)));
        }
        let neighbors = contacts.iter().map(|&(_, conductance, temperature)| Neighbor {
            conductance: conductance.into(),
            temperature: temperature.into(),
        });
        let after = exchange::with_body(temperature, capacity, neighbors);
        let mut given = 0.0;
        for &(id, taken, temperature) in &*contacts {
            let own = f64::from(taken) * (after - f64::from(temperature));
            given += own;
            set_heat(heat, phases, springs, id, heat.enthalpy(id) + own / particle_mass(phases, store, id));
        }
        temperature - given / capacity
    }
}

/// Sets a particle's heat, J/kg; a particle that has melted or frozen loses its springs.
fn set_heat(heat: &mut Heat, phases: &mut Phases, springs: &mut Springs, id: u32, enthalpy: f64) {
    if heat.set_enthalpy(id, enthalpy, phases) {
        springs.remove_all(id);
    }
}

/// Mass of a particle of a phase for each metre of the tank's depth, kg.
fn fluid_mass(phases: &Phases, base: &ParticleStore, phase: usize) -> f64 {
    let density = phases.params.get(phase).map_or(1.0, |fluid| fluid.density);
    WATER_DENSITY * f64::from(density) * f64::from(base.particle_area())
}

fn particle_mass(phases: &Phases, base: &ParticleStore, id: u32) -> f64 {
    fluid_mass(phases, base, usize::from(phases.phase_of(id)))
}

/// Heat flow from the warmer particle of a pair to the colder, J/m.
#[derive(Clone, Copy)]
struct ConductionKernel {
    h: f32,
}

impl PairKernel<4> for ConductionKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate<S: Simd, V: Lanes<S>>(&self, simd: S, own: [V; 4], theirs: [V; 4], offset: Offset<V>) -> [V; 2] {
        let zero = V::splat(simd, 0.0);
        let sum = (own[3] + theirs[3]).max(V::splat(simd, f32::MIN_POSITIVE));
        let mean = own[3] * theirs[3] * 2.0 / sum;
        let g = (V::splat(simd, self.h) - offset.r2.sqrt()).max(zero);
        [mean * g * g * (own[2] - theirs[2]), zero]
    }
}
