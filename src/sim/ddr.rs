//! Double-density relaxation: the liquid.
//!
//! S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", Symposium on Computer Animation
//! 2005. Sections and equations below are the paper's.
//!
//! One departure: the paper relaxes pairs one after the other, each seeing what the last one moved. Here all densities
//! are computed first and all displacements are applied at once (Jacobi instead of Gauss–Seidel). It is the same
//! fluid; it settles a thousand times calmer, has no bias from the order of particles, and every pass is a loop over
//! flat arrays. It bears a quarter of the stiffness per step, which costs no more: a step takes half the time. The
//! sequential form is kept in the tests as the oracle.

mod fluid;
pub mod meet;
mod shore;

use super::Env;
use super::bands::{share, share_light};
use super::cast::Tint;
use super::coincident::{LOOK_FOR_COINCIDENT, part_coincident};
use super::couple::bodies::{Banks, Kicks, Wet};
use super::drowse::{Drowse, SLEEPY, Sweep, Zone};
use super::grains::GrainsMut;
use super::grid::Grid;
use super::halfplane::HalfPlane;
use super::home::Homes;
use super::instructions::Instructions;
use super::mixture::{self, Mixture};
use super::pairs::{rows_above, zero};
use super::particles::{Particles, room};
use super::poke::Poke;
use super::rest::Rest;
use super::springs::{Elastic, Springs};
use super::strain::Strain;
use super::walls::Walls;
use super::watch::{Pass, Watch};
use fearless_simd::Level;
pub use fluid::{Fluid, WallResponse};
use glam::Vec2;
use meet::{Exchange, Mixed};
use shore::Touch;

/// The largest `stiffness · dt²/h²` that a step may have. The scheme is stable to about twice this; overlapping
/// particles stiffen it, hence the margin.
const STIFFEST_STEP: f32 = 0.005;

/// The farthest that a particle may move in one substep by its velocity, and again by its displacement, in h. A guard,
/// not met in ordinary flow: with it, who was not within h of a wall before a move cannot have crossed one.
const FARTHEST_MOVE: f32 = 0.4;

/// See [`Wet::inset`].
const INSET: f32 = 0.13;

/// A body of liquid.
#[derive(Clone, Debug)]
pub struct Liquid {
    fluid: Fluid,
    h: f32,
    /// The instruction set that the pair passes use.
    level: Level,
    /// Since the beginning.
    substeps: u32,
    particles: Particles,
    homes: Homes,
    /// By id.
    tints: Vec<Tint>,
    /// The ids of those who have been taken out, for those who come.
    spare_ids: Vec<u32>,
    springs: Springs,
    /// Of which fluids it is, if of several.
    mixture: Mixture,
    grid: Grid,
    drowse: Drowse,
    half_plane: HalfPlane,
    rest: Rest,
    density: Vec<f32>,
    near_density: Vec<f32>,
    /// As displacements: see [`Self::compute_pressure`].
    pressure: Vec<f32>,
    near_pressure: Vec<f32>,
    /// Displacements, metres.
    dx: Vec<f32>,
    dy: Vec<f32>,
    /// What a pass over pairs gives to the row above each, apart from what it gives within rows: so the rows may be
    /// divided among threads, and the sums do not depend on how.
    above: [Vec<f32>; 2],
    /// Who is in reach of whom, as the density pass found.
    found: Vec<u32>,
    /// The grid's patches that are within reach of a wall: nobody else needs to ask for one.
    shore: Vec<u32>,
    /// Particles within reach of walls, as the density pass found them in each band.
    touching: Vec<Vec<Touch>>,
    /// Bodies, and the particles within reach of them.
    banks: Banks,
}

impl Liquid {
    /// An empty liquid of interaction radius `h` metres.
    pub fn new(fluid: Fluid, h: f32) -> Self {
        Self {
            rest: Rest::of(&fluid),
            half_plane: HalfPlane::new(),
            fluid,
            h,
            level: Level::new(),
            substeps: 0,
            particles: Particles::default(),
            homes: Homes::default(),
            tints: Vec::new(),
            spare_ids: Vec::new(),
            springs: Springs::default(),
            mixture: Mixture::of(fluid),
            grid: Grid::default(),
            drowse: Drowse::default(),
            density: Vec::new(),
            near_density: Vec::new(),
            pressure: Vec::new(),
            near_pressure: Vec::new(),
            dx: Vec::new(),
            dy: Vec::new(),
            above: Default::default(),
            found: Vec::new(),
            shore: Vec::new(),
            touching: Vec::new(),
            banks: Banks::default(),
        }
    }

    /// The substeps a fixed step of `step` seconds must be divided into for this liquid to be stable.
    pub fn least_substeps(&self, step: f32) -> u32 {
        (self.exact_substeps(step).ceil() as u32).max(1)
    }

    /// As [`Self::least_substeps`], if there were fractions of a substep.
    pub fn exact_substeps(&self, step: f32) -> f32 {
        let stiffest = self.fluid.stiffness.max(self.fluid.near_stiffness / 2.86);
        let pressed = step / self.h * (stiffest / STIFFEST_STEP).sqrt() * self.mixture.haste();
        self.mixture.elastic().iter().map(|elastic| step / elastic.longest_step(self.h)).fold(pressed, f32::max)
    }

    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// Changes the parameters while the liquid flows. Its interaction radius stays.
    pub fn set_fluid(&mut self, fluid: Fluid) {
        self.rest = Rest::of(&fluid);
        self.fluid = fluid;
        self.mixture.set_first(fluid);
        self.wake();
    }

    /// Uses these instructions from now on, or the best there are if this machine does not have them.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.level = instructions.level().unwrap_or_else(Level::new);
    }

    /// An empty liquid of the same sort, of interaction radius `h` metres.
    pub(super) fn like(&self, h: f32) -> Self {
        let mut liquid = Self { level: self.level, ..Self::new(self.fluid, h) };
        for (fluid, palette) in self.mixture.fluids().iter().zip(self.mixture.palettes()).skip(1) {
            liquid.mix(*fluid, palette.as_deref());
        }
        liquid
    }

    /// Makes room for so many more particles.
    pub fn reserve(&mut self, more: usize) {
        self.particles.reserve(more);
    }

    /// Interaction radius, metres.
    pub fn h(&self) -> f32 {
        self.h
    }

    /// Distance between neighbours at rest, metres.
    pub fn spacing(&self) -> f32 {
        self.rest.spacing * self.h
    }

    /// Adds another fluid to those that it may be made of, with the palette it is shown in, and says what its number is.
    /// How densely and how stiffly it lies, and what walls do to it, is as with the first.
    pub fn mix(&mut self, fluid: Fluid, palette: Option<&str>) -> u8 {
        self.mixture.add(fluid, palette)
    }

    /// The fluids that it is made of, and who is of which.
    pub fn mixture(&self) -> &Mixture {
        &self.mixture
    }

    /// Mass of the particle in a slot, a square metre of the first fluid having mass 1.
    pub fn mass(&self, slot: usize) -> f32 {
        self.particle_area() * self.mixture.mass_of(self.particles.id[slot])
    }

    /// The area that one particle stands for, m².
    pub fn particle_area(&self) -> f32 {
        self.h * self.h / self.rest.crowd
    }

    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// The liquid as bodies in it see it.
    pub(super) fn wet(&mut self) -> Wet<'_> {
        let (area, spacing, h) = (self.particle_area(), self.spacing(), self.h);
        let Self { banks, particles, mixture, .. } = self;
        let grains = GrainsMut { particles, mixture: Some(mixture), h, spacing, area };
        Wet { banks, grains, kicks: Kicks::Whole, inset: INSET }
    }

    /// Where particles belong, to be changed.
    pub(super) fn homes_mut(&mut self) -> &mut Homes {
        &mut self.homes
    }

    /// Gives particles colours of their own, by id.
    pub(super) fn set_tints(&mut self, tints: Vec<Tint>) {
        self.tints = tints;
    }

    /// Whether any particles have colours of their own.
    pub fn is_tinted(&self) -> bool {
        !self.tints.is_empty()
    }

    /// The own colour of the particle in a slot, if it has one.
    pub fn tint(&self, slot: usize) -> Option<Tint> {
        self.tints.get(self.particles.id[slot] as usize).copied()
    }

    /// Takes particles, by id, to other places and velocities.
    pub(super) fn carry(&mut self, mut to: impl FnMut(u32) -> Option<(Vec2, Vec2)>) {
        for slot in 0..self.particles.slots() {
            if self.particles.is_alive(slot)
                && let Some((at, velocity)) = to(self.particles.id[slot])
            {
                self.particles.put(slot, at);
                self.particles.set_velocity(slot, velocity);
            }
        }
    }

    /// For passes in which it meets another matter. Velocities may change, and places by less than h; nobody may be added.
    pub(super) fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    pub fn relative_density(&self, slot: usize) -> f32 {
        // A particle does not count itself, so the sum falls short of the integral by a constant.
        let integral = self.rest.crowd * std::f32::consts::PI / 6.0;
        (summed(&self.density, slot) - self.rest.density + integral) / integral
    }

    /// Pressure at a slot, in m²/s² (per unit of density): stiffness times the excess over the rest density.
    pub fn pressure(&self, slot: usize) -> f32 {
        self.fluid.stiffness * (summed(&self.density, slot) - self.fluid.rest_density)
            + self.fluid.near_stiffness * summed(&self.near_density, slot)
    }

    /// P and P_near of a slot (eqs. 3 and 5) as they are applied, times h: m²/s².
    pub(super) fn pressures(&self, slot: usize) -> (f32, f32) {
        let Fluid { stiffness, near_stiffness, rest_density, cohesion, .. } = self.fluid;
        let near = near_stiffness * summed(&self.near_density, slot);
        let pressure = stiffness * (summed(&self.density, slot) - rest_density);
        let at_rest = stiffness * (self.rest.density - rest_density);
        (pressure + (1.0 - cohesion) * (at_rest - pressure).max(0.0), near)
    }

    /// Acceleration by which two slots `r` metres apart are pushed off each other (eq. 6).
    pub(super) fn push(&self, slot: usize, other: usize, r: f32) -> f32 {
        let ((own, own_near), (others, others_near)) = (self.pressures(slot), self.pressures(other));
        let g = (1.0 - r / self.h).max(0.0);
        0.5 / self.h * ((own + others) * g + (own_near + others_near) * g * g)
    }

    /// Adds a particle; it takes part from the next step on. It is of the fluid that somebody was of who has been taken
    /// out, or of the first.
    pub fn add(&mut self, at: Vec2, velocity: Vec2) {
        let number = self.spare_ids.last().map_or(0, |&id| self.mixture.number(id));
        self.add_of(number, at, velocity);
    }

    /// Adds a particle of the fluid with this number.
    pub fn add_of(&mut self, number: u8, at: Vec2, velocity: Vec2) {
        self.drowse.stir(self.grid.patch_at(at));
        let id = self.spare_ids.pop().unwrap_or(self.particles.ids() as u32);
        if id as usize == self.particles.ids() {
            self.particles.push(at, velocity);
        } else {
            self.particles.push_as(id, at, velocity);
        }
        self.mixture.enroll(id, number);
    }

    /// Makes somebody's colour of these shares of the fluids' colours.
    pub(super) fn dye(&mut self, id: u32, tint: mixture::Tint) {
        self.mixture.set_tint(id, tint);
    }

    /// Takes a particle out.
    pub(super) fn remove(&mut self, slot: usize) {
        self.drowse.stir(self.grid.patch_at(self.particles.at(slot)));
        let id = self.particles.id[slot];
        self.springs.forget(id);
        self.spare_ids.push(id);
        self.particles.remove(slot);
    }

    /// Wakes every part of the liquid that sleeps.
    pub fn wake(&mut self) {
        self.drowse.wake();
    }

    /// Lets those parts sleep, until something comes near them, that have been at rest for long. To be called before
    /// the substeps of a step, with what is going to disturb them: a liquid of which it is never called stays awake.
    pub fn drowse(&mut self, pokes: &[Poke]) {
        let Self { grid, particles: p, drowse, h, banks, .. } = self;
        let fast = |slot: usize| p.velocity(slot).length_squared() > SLEEPY * SLEEPY;
        // A patch reaches 0.71 h from its middle.
        let poked = |middle: Vec2| {
            pokes.iter().any(|poke| poke.at.distance(middle) < poke.radius + *h) || banks.stirs(middle, 1.72 * *h)
        };
        drowse.count(grid.patches().enumerate().map(|(patch, middle)| grid.patch(patch).any(fast) || poked(middle)));
        for patch in (0..grid.rows() * grid.across()).filter(|&patch| drowse.is_asleep(patch)) {
            let slots = grid.patch(patch);
            p.vx[slots.clone()].fill(0.0);
            p.vy[slots].fill(0.0);
        }
    }

    /// Computes the densities of those who sleep, if nobody did in the last substep: for a picture between substeps.
    pub fn weigh(&mut self, walls: &Walls) {
        if self.awake() < self.particles.len() {
            self.compute_density(walls, Zone::Everybody);
        }
    }

    /// How many particles are awake.
    pub fn awake(&self) -> usize {
        let slots = |row| self.drowse.slots(Zone::Moved, &self.grid, row).map(|slots| slots.len());
        (0..self.grid.rows()).flat_map(slots).sum()
    }

    /// Divides the passes among so many threads from the next step on; whoever steps must work in a crew of as many.
    pub fn divide(&mut self, threads: usize) {
        self.grid.divide(threads);
    }

    /// Fits the liquid to walls that have moved, or to what has been added: sorts it in and computes its densities.
    pub fn fit(&mut self, walls: &Walls) {
        self.grid.lay(walls.size(), self.h);
        self.grid.sort(self.level, &mut self.particles);
        self.drowse.lay(self.grid.rows(), self.grid.across());
        self.find_shore(walls);
        self.compute_density(walls, Zone::Everybody);
    }

    /// Ties all neighbours to each other that are not yet, if the fluid has springs: at the distance that they have now
    /// they are at rest. For what is whole from the beginning, as a jelly is. To be called when the liquid has been
    /// fitted.
    pub fn tie(&mut self) {
        self.tie_strained(|_| Strain::REST);
    }

    /// As [`Self::tie`], those who are not at rest now but strained as `strain` says by id.
    pub(super) fn tie_strained(&mut self, strain: impl Fn(u32) -> Strain) {
        if self.mixture.elastic().iter().any(|elastic| elastic.spring > 0.0) {
            self.tie_those(|elastic, ends, offset| {
                (elastic.spring > 0.0).then(|| Strain::between(ends.map(&strain)).length(offset))
            });
        }
    }

    /// Ties those neighbours of one fluid that are not tied yet by springs of the length that `length` says, given what
    /// the fluid is made of, their ids and the way from the one to the other.
    fn tie_those(&mut self, length: impl Fn(&Elastic, [u32; 2], Vec2) -> Option<f32>) {
        let mixture = &self.mixture;
        let at = (self.level, &self.grid, &self.particles);
        self.springs.tie(at, (self.h, self.rest.neighbours()), |a, b, offset| {
            let number = mixture.number(a);
            let elastic = &mixture.elastic()[usize::from(number)];
            if number == mixture.number(b) { length(elastic, [a, b], offset) } else { None }
        });
    }

    /// The springs between its particles.
    pub fn springs(&self) -> &Springs {
        &self.springs
    }

    /// One substep: the paper's Algorithm 1. Its viscosity impulses, which come before the advance, are part of
    /// [`meet::relax`]; why, and why that is the same, is said there.
    pub fn step(&mut self, env: &Env, watch: &mut impl Watch) {
        self.advance(env);
        watch.passed(Pass::Advance);
        if !self.springs.is_empty() {
            self.pull_springs(env.dt);
            watch.passed(Pass::Springs);
        }
        self.grid.sort(self.level, &mut self.particles);
        self.part_coincident();
        watch.passed(Pass::Sort);
        if self.mixture.elastic().iter().any(Elastic::makes_springs) && self.springs.is_time(env.dt) {
            self.add_springs();
            watch.passed(Pass::Springs);
        }
        self.compute_density(env.walls, if env.shown { Zone::Everybody } else { Zone::Weighed });
        watch.passed(Pass::Density);
        self.relax(env);
        watch.passed(Pass::Relax);
        self.hold_in_tank(env);
        watch.passed(Pass::Walls);
        if self.mixture.is_time(env.dt) {
            // In the order of this substep's sort; nobody has moved far since.
            self.mixture.exchange_colors((self.level, &self.grid), &self.particles, self.h, self.rest.crowd);
            watch.passed(Pass::Diffuse);
        }
    }

    /// Gravity, which those who sleep do not feel, the way home and the pointer's pokes; then every particle moves by its velocity.
    /// The speed limit is a guard: see [`FARTHEST_MOVE`].
    fn advance(&mut self, env: &Env) {
        let (kick, limit) = (env.gravity * env.dt, FARTHEST_MOVE * self.h / env.dt);
        let (grid, drowse, homes, h) = (&self.grid, &self.drowse, &self.homes, self.h);
        let (p, id) = self.particles.moved();
        share_light(grid.bands(), p, &|band, mut p| {
            // What has been added lies behind all rows.
            let added = band.slots.end..p.slots().end;
            for slots in drowse.moved(grid, band).chain([added]) {
                let own = slots.start - band.slots.start..slots.end - band.slots.start;
                p.vx[own.clone()].iter_mut().for_each(|vx| *vx += kick.x);
                p.vy[own].iter_mut().for_each(|vy| *vy += kick.y);
                homes.pull(&mut p, id, slots, (kick, h), env);
            }
            for poke in env.pokes {
                poke.push(&mut p, env.dt);
            }
            drift(p.x, p.vx, limit, env.dt);
            drift(p.y, p.vy, limit, env.dt);
        });
    }

    /// Section 5.1 and 5.2, Algorithms 3 and 4: springs yield, tear and pull.
    fn pull_springs(&mut self, dt: f32) {
        let bands = self.grid.bands();
        let fluids = (self.mixture.elastic(), self.mixture.fluid_of());
        self.springs.pull((self.level, bands.len()), &self.particles, fluids, (dt, self.h));
        let (springs, id) = (&self.springs, &self.particles.id);
        let sums = [&mut self.dx, &mut self.dy].map(|sums| room(sums, id.len()));
        share(bands, sums, &|band, [dx, dy]| {
            for ((dx, dy), &id) in dx.iter_mut().zip(dy).zip(&id[band.slots.clone()]) {
                [*dx, *dy] = springs.moved(id);
            }
        });
        self.move_by_displacement(dt);
    }

    /// New springs between new neighbours, which the paper gives a length of h: they pull at nobody before they have
    /// yielded. They are looked for now and then, because asking every pair takes five times as long as the springs do.
    fn add_springs(&mut self) {
        let h = self.h;
        self.tie_those(|elastic, _, _| elastic.makes_springs().then_some(h));
    }

    /// Coincident particles are rare, and until they are looked for they do each other nothing: looking in every
    /// substep cost 2 ns a particle.
    fn part_coincident(&mut self) {
        self.substeps = self.substeps.wrapping_add(1);
        if self.substeps.is_multiple_of(LOOK_FOR_COINCIDENT) {
            part_coincident(&mut self.particles, &self.grid, self.h);
        }
    }

    /// Section 4.1, eqs. 1 and 5: density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`.
    fn compute_density(&mut self, walls: &Walls, zone: Zone) {
        let (level, grid, drowse, p, h) = (self.level, &self.grid, &self.drowse, &self.particles, self.h);
        let bands = grid.bands();
        let sums = [&mut self.density, &mut self.near_density].map(|sums| room(sums, p.slots()));
        let above = rows_above(&mut self.above, p.slots(), bands);
        share(bands, (sums, above, room(&mut self.found, p.slots())), &|band, (sums, above, found)| {
            let rows = Sweep { drowse, zone, rows: band.rows.clone() };
            meet::density(level, grid, p, h, &rows, found, zero(band, sums, above));
        });
        self.feel_walls(walls);
    }

    /// Section 4, eqs. 3 to 6, and section 5.3, Algorithm 5: each pair of neighbours is pushed apart by the displacement
    /// `dt² (P (1 − q) + P_near (1 − q)²) r̂`, and where they approach each other braked by the viscosity impulse
    /// `I = dt (1 − q)(σ u + β u²) r̂`; half to each.
    ///
    /// Displacements are added up apart from the positions: an increment below a position's last bit would vanish
    /// for one partner only, and momentum with it.
    fn relax(&mut self, env: &Env) {
        let dt = env.dt;
        self.compute_pressure(dt);
        if !self.mixture.is_plain() {
            self.weigh_in(dt);
        }
        let (level, grid, drowse, p) = (self.level, &self.grid, &self.drowse, &self.particles);
        let [sigma, beta] = self.viscosity_scales(dt);
        let exchange = Exchange {
            pressures: [&self.pressure, &self.near_pressure],
            viscosity: [sigma * self.fluid.sigma, beta * self.fluid.beta],
            dt,
            h: self.h,
            found: &self.found,
        };
        let Mixture { kind, mass, sigma, beta, .. } = &self.mixture;
        let mixed = (!self.mixture.is_plain()).then(|| Mixed {
            brought: [sigma, beta, mass, kind],
            aversion: 0.5 * dt * dt / (self.h * self.h) * self.mixture.aversion(),
        });
        let bands = grid.bands();
        let sums = [&mut self.dx, &mut self.dy].map(|sums| room(sums, p.slots()));
        let above = rows_above(&mut self.above, p.slots(), bands);
        share(bands, (sums, above), &|band, (sums, above)| {
            let rows = Sweep { drowse, zone: Zone::Neighbours, rows: band.rows.clone() };
            match mixed {
                None => meet::relax(level, grid, p, &exchange, &rows, zero(band, sums, above)),
                Some(mixed) => meet::relax_mixed(level, grid, p, (&exchange, &mixed), &rows, zero(band, sums, above)),
            }
        });
        self.push_off_walls(dt, env.gravity);
        self.divide_by_mass();
        self.move_by_displacement(dt);
    }

    /// Eqs. 4 and 5: `P = k (ρ − ρ₀)` and `P_near = k_near ρ_near`, halved, because a pair shares each displacement, times
    /// dt²/h, k being given times h, and over h and h² for the kernel of [`meet::relax`].
    fn compute_pressure(&mut self, dt: f32) {
        let Fluid { stiffness, near_stiffness, rest_density, .. } = self.fluid;
        let scale = 0.5 * dt * dt / (self.h * self.h);
        let (k, k_near) = (scale * stiffness, scale / self.h * near_stiffness);
        let (density, near_density) = (&self.density, &self.near_density);
        let pressures = [&mut self.pressure, &mut self.near_pressure].map(|array| room(array, density.len()));
        share_light(self.grid.bands(), pressures, &|band, [pressure, near_pressure]| {
            for (pressure, density) in pressure.iter_mut().zip(&density[band.slots.clone()]) {
                *pressure = k * (density - rest_density);
            }
            for (near_pressure, near_density) in near_pressure.iter_mut().zip(&near_density[band.slots.clone()]) {
                *near_pressure = k_near * near_density;
            }
        });
        if self.fluid.cohesion < 1.0 {
            self.ease_tension(k * (self.rest.density - rest_density));
        }
    }

    /// Takes away what `cohesion` does not leave of the tension: of that part of a pull P that is more than the one that
    /// holds the near-pressure's push in balance where the liquid is at rest.
    ///
    /// The tension is what makes a surface contract, and grows with the stiffness, as if one could not have water that
    /// is hard to compress without its being sticky. P stays a function of the density alone, so there is an energy that
    /// is kept; a pull limited by the near-pressure made the liquid boil.
    fn ease_tension(&mut self, at_rest: f32) {
        let eased = 1.0 - self.fluid.cohesion;
        share(self.grid.bands(), &mut self.pressure[..], &|_, pressure: &mut [f32]| {
            pressure.iter_mut().for_each(|pressure| *pressure += eased * (at_rest - *pressure).max(0.0));
        });
    }

    /// What σ and β are times in [`meet::relax`]: half of dt², over h for its kernel, and over the h² and the h that they
    /// are given times.
    fn viscosity_scales(&self, dt: f32) -> [f32; 2] {
        let scale = 0.5 * dt * dt / (self.h * self.h);
        [scale / self.h, scale]
    }

    /// Several fluids: gives everybody the viscosity and the mass of its own, and pressures the mass.
    fn weigh_in(&mut self, dt: f32) {
        self.mixture.arrange(&self.particles, self.viscosity_scales(dt));
        for pressure in [&mut self.pressure, &mut self.near_pressure] {
            pressure.iter_mut().zip(&self.mixture.mass).for_each(|(pressure, mass)| *pressure *= mass);
        }
    }

    /// Several fluids: what has been added up are impulses, which move the heavy by less.
    fn divide_by_mass(&mut self) {
        if !self.mixture.is_plain() {
            for moved in [&mut self.dx, &mut self.dy] {
                moved.iter_mut().zip(&self.mixture.mass).for_each(|(moved, mass)| *moved /= mass);
            }
        }
    }

    /// Applies the accumulated displacement Δ: x += Δ, and v += Δ/dt. The paper derives the velocity from the
    /// positions before and after, `(x − x_prev)/dt`; kept apart it loses nothing to the rounding of positions.
    fn move_by_displacement(&mut self, dt: f32) {
        let per_dt = 1.0 / dt;
        let most = FARTHEST_MOVE * self.h;
        let (dx, dy) = (&self.dx, &self.dy);
        let (grid, drowse) = (&self.grid, &self.drowse);
        share_light(grid.bands(), self.particles.moved().0, &|band, p| {
            for slots in drowse.moved(grid, band) {
                let own = slots.start - band.slots.start..slots.end - band.slots.start;
                displace(&mut p.x[own.clone()], &mut p.vx[own.clone()], &dx[slots.clone()], most, per_dt);
                displace(&mut p.y[own.clone()], &mut p.vy[own], &dy[slots], most, per_dt);
            }
        });
    }
}

/// Moves along one axis. On its own, the compiler sees that nothing overlaps: 0.3 ns a particle instead of 1.4.
fn drift(at: &mut [f32], v: &mut [f32], limit: f32, dt: f32) {
    for (at, v) in at.iter_mut().zip(v) {
        *v = v.clamp(-limit, limit);
        *at += *v * dt;
    }
}

/// Moves by displacements along one axis, and changes the velocity accordingly.
fn displace(at: &mut [f32], v: &mut [f32], moved: &[f32], most: f32, per_dt: f32) {
    for ((at, v), moved) in at.iter_mut().zip(v).zip(moved) {
        let moved = moved.clamp(-most, most);
        *at += moved;
        *v += moved * per_dt;
    }
}

/// Zero for a particle that was added after the last sum.
fn summed(sums: &[f32], slot: usize) -> f32 {
    sums.get(slot).copied().unwrap_or(0.0)
}
