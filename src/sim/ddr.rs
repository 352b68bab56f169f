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

use super::Env;
use super::grid::Grid;
use super::halfplane::HalfPlane;
use super::lanes::{Lanes, WIDTH};
use super::particles::Particles;
use super::poke::Poke;
use super::walls::{Contact, Walls};
use super::watch::{Pass, Watch};
use glam::Vec2;
use multiversion::multiversion;
use serde::{Deserialize, Serialize};

/// What a liquid is made of. None of the figures depends on the resolution: with more particles, a smaller
/// interaction radius h and shorter steps it stays the same liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fluid {
    /// ρ₀ (eq. 4): the sum of `(1 − r/h)²` over the neighbours at which pressure is zero. Dimensionless, 2 to 12.
    /// More means more neighbours: smoother and slower.
    pub rest_density: f32,
    /// k (eq. 4) times h, in m²/s²: the square of a speed. Sound travels at about 1.9 √stiffness. 0 to 100.
    pub stiffness: f32,
    /// k_near (eq. 5) times h, in m²/s². Keeps particles apart, and holds the surface together. 0 to 300.
    pub near_stiffness: f32,
    /// σ (section 5.3) times h², in m²/s: viscosity that grows with the speed of approach. 0 to 1.
    pub sigma: f32,
    /// β (section 5.3) times h, dimensionless: viscosity that grows with its square; stops particles from passing
    /// through each other. 0 to 10.
    pub beta: f32,
    /// How walls answer.
    pub wall: WallResponse,
    /// Share of the speed along a wall's normal that is lost on impact, 0 to 1. The rest comes back.
    pub wall_loss: f32,
    /// For `anti-stick`: speed with which a wall lets go of a particle, in h a second. 0 to 10.
    pub wall_speed: f32,
    /// For `half-plane`: density of the liquid that is imagined behind a wall, as a share of the rest density, 0 to 1.
    /// At 0.75 as few particles lie on the wall as at 1, and the surface meets it level.
    pub wall_density: f32,
    /// For `half-plane`: how much of the pull of thin liquid (P < 0) a wall exerts, 0 to 1. At 0 the surface stands off
    /// from a wall, near 0.7 it meets it level, at 1 films climb it and never come to rest.
    pub wetting: f32,
    /// For `half-plane`: friction of a wall on the liquid beside it, m/s. 0 to 10.
    pub wall_friction: f32,
}

impl Default for Fluid {
    fn default() -> Self {
        Self {
            rest_density: 5.0,
            stiffness: 5.0,
            near_stiffness: 14.3,
            sigma: 0.004,
            beta: 0.3,
            wall: WallResponse::HalfPlane,
            wall_loss: 1.0,
            wall_speed: 0.5,
            wall_density: 0.75,
            wetting: 0.7,
            wall_friction: 1.0,
        }
    }
}

/// How a wall answers a particle. Whatever is chosen, a particle that has crossed a wall is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WallResponse {
    /// The particle comes back with what `wall_loss` leaves of its speed.
    Bounce,
    /// Kuepers' cure for sticking: a wall that was touched sends the particle off with `wall_speed`.
    AntiStick,
    /// The density and the push of the half-plane of liquid that the wall cuts off are added analytically, so that
    /// the liquid near a wall is like the liquid elsewhere and does not crowd onto the wall.
    HalfPlane,
}

/// The largest `stiffness · dt²/h²` that a step may have. The scheme is stable to about twice this; overlapping
/// particles stiffen it, hence the margin.
const STIFFEST_STEP: f32 = 0.005;

/// The farthest that a particle may move in one substep, in h. Meant as a guard, not met in ordinary flow.
const FARTHEST_MOVE: f32 = 0.4;

/// Squared distance, in h², under which two particles count as being in the same place.
const COINCIDENT: f32 = 1e-10;

/// A body of liquid.
#[derive(Clone, Debug)]
pub struct Liquid {
    fluid: Fluid,
    h: f32,
    particles: Particles,
    grid: Grid,
    half_plane: HalfPlane,
    rest: Rest,
    density: Vec<f32>,
    near_density: Vec<f32>,
    dx: Vec<f32>,
    dy: Vec<f32>,
    /// Particles within reach of walls, as the density pass found them.
    touching: Vec<Touch>,
}

/// A particle near a wall and the integrals of the cut-off half-plane that it feels.
#[derive(Clone, Copy, Debug)]
struct Touch {
    slot: u32,
    normal: Vec2,
    push: f32,
    near_push: f32,
}

impl Liquid {
    /// An empty liquid of interaction radius `h` metres.
    pub fn new(fluid: Fluid, h: f32) -> Self {
        Self {
            rest: Rest::of(&fluid),
            half_plane: HalfPlane::new(),
            fluid,
            h,
            particles: Particles::default(),
            grid: Grid::default(),
            density: Vec::new(),
            near_density: Vec::new(),
            dx: Vec::new(),
            dy: Vec::new(),
            touching: Vec::new(),
        }
    }

    /// The substeps a fixed step of `step` seconds must be divided into for this liquid to be stable.
    pub fn least_substeps(&self, step: f32) -> u32 {
        let stiffest = self.fluid.stiffness.max(self.fluid.near_stiffness / 2.86);
        ((step / self.h * (stiffest / STIFFEST_STEP).sqrt()).ceil() as u32).max(1)
    }

    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// Changes the parameters while the liquid flows. Its interaction radius stays.
    pub fn set_fluid(&mut self, fluid: Fluid) {
        self.rest = Rest::of(&fluid);
        self.fluid = fluid;
    }

    /// Interaction radius, metres.
    pub fn h(&self) -> f32 {
        self.h
    }

    /// Distance between neighbours at rest, metres.
    pub fn spacing(&self) -> f32 {
        self.rest.spacing * self.h
    }

    /// The area that one particle stands for, m²; also its mass, a square metre of liquid having mass 1.
    pub fn particle_area(&self) -> f32 {
        self.h * self.h / self.rest.crowd
    }

    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    pub fn relative_density(&self, slot: usize) -> f32 {
        // A particle does not count itself, so the sum falls short of the integral by a constant.
        let integral = self.rest.crowd * std::f32::consts::PI / 6.0;
        (self.density[slot] - self.rest.density + integral) / integral
    }

    /// Pressure at a slot, in m²/s² (per unit of density): stiffness times the excess over the rest density.
    pub fn pressure(&self, slot: usize) -> f32 {
        self.fluid.stiffness * (self.density[slot] - self.fluid.rest_density)
            + self.fluid.near_stiffness * self.near_density[slot]
    }

    /// Adds a particle; it takes part from the next step on.
    pub fn add(&mut self, at: Vec2, velocity: Vec2) {
        self.particles.push(at, velocity);
        self.density.push(0.0);
        self.near_density.push(0.0);
    }

    /// Takes out the particles of which `taken` says so, at most `most` of them, and says how many that were.
    pub fn remove_where(&mut self, most: usize, mut taken: impl FnMut(Vec2) -> bool) -> usize {
        let mut removed = 0;
        for slot in 0..self.particles.slots() {
            if removed == most {
                break;
            }
            if self.particles.is_alive(slot) && taken(self.particles.at(slot)) {
                self.particles.remove(slot);
                removed += 1;
            }
        }
        removed
    }

    /// Fits the liquid to walls that have moved, or to what has been added: sorts it in and computes its densities.
    pub fn fit(&mut self, walls: &Walls) {
        self.grid.lay(walls.size(), self.h);
        self.grid.sort(&mut self.particles);
        self.compute_density(walls);
    }

    /// One substep: the paper's Algorithm 1.
    pub fn step(&mut self, env: &Env, watch: &mut impl Watch) {
        self.apply_forces(env);
        watch.passed(Pass::Forces);
        self.apply_viscosity(env.dt);
        watch.passed(Pass::Viscosity);
        self.advance(env.dt);
        watch.passed(Pass::Advance);
        self.grid.sort(&mut self.particles);
        watch.passed(Pass::Sort);
        self.compute_density(env.walls);
        watch.passed(Pass::Density);
        self.relax(env.dt);
        watch.passed(Pass::Relax);
        self.hold_in_tank(env);
        watch.passed(Pass::Walls);
    }

    /// Gravity, and the pointer's pokes.
    fn apply_forces(&mut self, env: &Env) {
        let p = &mut self.particles;
        let kick = env.gravity * env.dt;
        p.vx.iter_mut().for_each(|vx| *vx += kick.x);
        p.vy.iter_mut().for_each(|vy| *vy += kick.y);
        for poke in env.pokes {
            self.poke(poke, env.dt);
        }
    }

    fn poke(&mut self, poke: &Poke, dt: f32) {
        for slot in 0..self.particles.slots() {
            let from_pointer = self.particles.at(slot) - poke.at;
            if from_pointer.length_squared() < poke.radius * poke.radius {
                let v = self.particles.velocity(slot);
                self.particles.set_velocity(slot, poke.apply(from_pointer, v, dt));
            }
        }
    }

    /// Section 5.3, Algorithm 5: impulses between approaching neighbours,
    /// `I = dt (1 − q)(σ u + β u²) r̂`, half to each.
    ///
    /// Uses the last step's grid: particles have since moved by less than a column, and the pairs it may miss are
    /// those at q ≈ 1, whose impulse is nil.
    fn apply_viscosity(&mut self, dt: f32) {
        let (sigma, beta) = (self.fluid.sigma / (self.h * self.h), self.fluid.beta / self.h);
        if sigma > 0.0 || beta > 0.0 {
            viscosity_pass(&self.grid, &mut self.particles, self.h, dt * sigma, dt * beta);
        }
    }

    /// Moves every particle by its velocity. The speed limit is a guard: see [`FARTHEST_MOVE`].
    fn advance(&mut self, dt: f32) {
        let limit = FARTHEST_MOVE * self.h / dt;
        let p = &mut self.particles;
        for slot in 0..p.slots() {
            let v = Vec2::new(p.vx[slot], p.vy[slot]).clamp_length_max(limit);
            (p.vx[slot], p.vy[slot]) = (v.x, v.y);
            p.x[slot] += v.x * dt;
            p.y[slot] += v.y * dt;
        }
    }

    /// Section 4.1, eqs. 1 and 5: density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`.
    fn compute_density(&mut self, walls: &Walls) {
        for array in [&mut self.density, &mut self.near_density] {
            array.clear();
            array.resize(self.particles.slots(), 0.0);
        }
        density_pass(&self.grid, &self.particles, self.h, &mut self.density, &mut self.near_density);
        self.feel_walls(walls);
    }

    /// Adds what the half-plane behind each wall in reach would have added, and notes its push for [`Self::relax`].
    fn feel_walls(&mut self, walls: &Walls) {
        self.touching.clear();
        if self.fluid.wall != WallResponse::HalfPlane {
            return;
        }
        let crowd = self.rest.crowd * self.fluid.wall_density;
        for row in 0..self.grid.rows() {
            for slot in self.grid.row(row) {
                walls.contacts(self.particles.at(slot), self.h, |Contact { distance, normal }| {
                    let cut = self.half_plane.at(distance / self.h);
                    self.density[slot] += crowd * cut.density;
                    self.near_density[slot] += crowd * cut.near_density;
                    let (push, near_push) = (crowd * cut.push, crowd * cut.near_push);
                    self.touching.push(Touch { slot: slot as u32, normal, push, near_push });
                });
            }
        }
    }

    /// Section 4, eqs. 3 to 6: displacement `dt² (P (1 − q) + P_near (1 − q)²) r̂`, half to each of the pair.
    ///
    /// Displacements are added up apart from the positions: an increment below a position's last bit would vanish
    /// for one partner only, and momentum with it.
    fn relax(&mut self, dt: f32) {
        for array in [&mut self.dx, &mut self.dy] {
            array.clear();
            array.resize(self.particles.slots(), 0.0);
        }
        let eos = Pressure::new(&self.fluid, dt * dt / self.h);
        relax_pass(
            &self.grid,
            &self.particles,
            (&self.density, &self.near_density),
            self.h,
            eos,
            (&mut self.dx, &mut self.dy),
        );
        for touch in &self.touching {
            let slot = touch.slot as usize;
            let pressure = eos.stiffness * (self.density[slot] - eos.rest_density);
            let near_pressure = eos.near_stiffness * self.near_density[slot];
            let wetted = if pressure > 0.0 { pressure } else { pressure * self.fluid.wetting };
            let push = wetted * touch.push + near_pressure * touch.near_push;
            self.dx[slot] += push * touch.normal.x;
            self.dy[slot] += push * touch.normal.y;
        }
        self.move_by_displacement(dt);
    }

    /// Applies the accumulated displacement Δ: x += Δ, and v += Δ/dt. The paper derives the velocity from the
    /// positions before and after, `(x − x_prev)/dt`; kept apart it loses nothing to the rounding of positions.
    fn move_by_displacement(&mut self, dt: f32) {
        let p = &mut self.particles;
        let per_dt = 1.0 / dt;
        for slot in 0..p.slots() {
            p.x[slot] += self.dx[slot];
            p.y[slot] += self.dy[slot];
            p.vx[slot] += self.dx[slot] * per_dt;
            p.vy[slot] += self.dy[slot] * per_dt;
        }
    }

    /// Puts back what has crossed a wall, and lets the wall answer.
    fn hold_in_tank(&mut self, env: &Env) {
        self.rub_walls(env);
        let fluid = self.fluid;
        for row in 0..self.grid.rows() {
            for slot in self.grid.row(row) {
                let (at, Some(normal)) = env.walls.hold(self.particles.at(slot)) else { continue };
                self.particles.put(slot, at);
                let wall = env.walls.wall_velocity(normal);
                let relative = self.particles.velocity(slot) - wall;
                let inward = relative.dot(normal).min(0.0);
                let mut bounced = relative - (2.0 - fluid.wall_loss) * inward * normal;
                if fluid.wall == WallResponse::AntiStick {
                    bounced += fluid.wall_speed * self.h * normal;
                }
                self.particles.set_velocity(slot, bounced + wall);
            }
        }
    }

    /// Slows the liquid along the walls. Without it the last slow rocking of a tank goes on for minutes.
    fn rub_walls(&mut self, env: &Env) {
        let rate = self.fluid.wall_friction / self.h * env.dt;
        for touch in &self.touching {
            let slot = touch.slot as usize;
            let v = self.particles.velocity(slot) - env.walls.wall_velocity(touch.normal);
            let along = v - v.dot(touch.normal) * touch.normal;
            let weight = 2.0 * touch.push / self.rest.crowd;
            let slowed = self.particles.velocity(slot) - along * (rate * weight).min(1.0);
            self.particles.set_velocity(slot, slowed);
        }
    }
}

/// The two pressures (eqs. 4 and 5) with a step's dt²/h multiplied in, so that they yield displacements.
#[derive(Clone, Copy)]
struct Pressure {
    rest_density: f32,
    stiffness: f32,
    near_stiffness: f32,
}

impl Pressure {
    fn new(fluid: &Fluid, scale: f32) -> Self {
        Self {
            rest_density: fluid.rest_density,
            stiffness: fluid.stiffness * scale,
            near_stiffness: fluid.near_stiffness * scale,
        }
    }
}

/// The liquid at rest, found on a hexagonal lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Distance between neighbours, in h.
    pub spacing: f32,
    /// ρ there.
    pub density: f32,
    /// Particles per h².
    pub crowd: f32,
}

impl Rest {
    /// Finds the lattice spacing at which the mean pressure (the virial, `Σ r · D(r)`) is zero.
    pub fn of(fluid: &Fluid) -> Self {
        let (mut tight, mut loose) = (0.05, 1.0);
        for _ in 0..40 {
            let spacing = 0.5 * (tight + loose);
            if Lattice::new(spacing).virial(fluid) > 0.0 { tight = spacing } else { loose = spacing }
        }
        let spacing = 0.5 * (tight + loose);
        let crowd = 2.0 / (3f32.sqrt() * spacing * spacing);
        Self { spacing, density: Lattice::new(spacing).sums(|g, _| g * g), crowd }
    }
}

/// The neighbours of one particle of a hexagonal lattice, as their distances in h.
struct Lattice(Vec<f32>);

impl Lattice {
    fn new(spacing: f32) -> Self {
        let reach = (1.2 / spacing).ceil() as i32;
        let node =
            |(a, b): (i32, i32)| spacing * Vec2::new(a as f32 + 0.5 * b as f32, 0.75f32.sqrt() * b as f32).length();
        let nodes = (-2 * reach..=2 * reach).flat_map(|a| (-2 * reach..=2 * reach).map(move |b| (a, b)));
        Self(nodes.map(node).filter(|&r| r > 0.0 && r < 1.0).collect())
    }

    fn sums(&self, term: impl Fn(f32, f32) -> f32) -> f32 {
        self.0.iter().map(|&r| term(1.0 - r, r)).sum()
    }

    fn virial(&self, fluid: &Fluid) -> f32 {
        let pressure = fluid.stiffness * (self.sums(|g, _| g * g) - fluid.rest_density);
        let near_pressure = fluid.near_stiffness * self.sums(|g, _| g * g * g);
        self.sums(|g, r| r * (pressure * g + near_pressure * g * g))
    }
}

/// Calls `meet(at, last)` for every vector of slots, starting at `at`, that may hold neighbours which particle `i` of
/// `row` has not met yet. Lanes up to and including `last` are `i` itself and particles that have met it.
#[inline(always)]
fn candidates(grid: &Grid, row: usize, i: usize, x: f32, mut meet: impl FnMut(usize, isize)) {
    let own = i + 1..grid.run(row, x).end;
    for at in (own.start / WIDTH * WIDTH..own.end).step_by(WIDTH) {
        meet(at, i as isize - at as isize);
    }
    if row + 1 < grid.rows() {
        let above = grid.run(row + 1, x);
        for at in (above.start / WIDTH * WIDTH..above.end).step_by(WIDTH) {
            meet(at, -1);
        }
    }
}

/// The offsets from a particle to a vector of candidates, and their squared distances in h².
#[derive(Clone, Copy)]
struct Offsets {
    dx: Lanes,
    dy: Lanes,
    r2: Lanes,
}

impl Offsets {
    #[inline(always)]
    fn new(p: &Particles, i: usize, at: usize, last: isize, per_h: f32) -> Self {
        let dx = (Lanes::load(&p.x, at) - Lanes::splat(p.x[i])) * Lanes::splat(per_h);
        let dy = (Lanes::load(&p.y, at) - Lanes::splat(p.y[i])) * Lanes::splat(per_h);
        // Hidden lanes are put beyond h, where every kernel is zero.
        Self { dx, dy, r2: (dx * dx + dy * dy).keep_above(last, 4.0) }
    }

    /// `g = 1 − r/h`, zero beyond h; r² is kept off zero for [`Self::per_r`].
    #[inline(always)]
    fn kernel(&self) -> (Lanes, Lanes) {
        let r = self.r2.max(COINCIDENT).sqrt();
        ((Lanes::splat(1.0) - r).max(0.0), r)
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn density_pass(grid: &Grid, p: &Particles, h: f32, density: &mut [f32], near_density: &mut [f32]) {
    let per_h = 1.0 / h;
    for row in 0..grid.rows() {
        for i in grid.row(row) {
            let (mut sum, mut near_sum) = (Lanes::splat(0.0), Lanes::splat(0.0));
            candidates(grid, row, i, p.x[i], |at, last| {
                let (g, _) = Offsets::new(p, i, at, last, per_h).kernel();
                let g2 = g * g;
                let g3 = g2 * g;
                sum = sum + g2;
                near_sum = near_sum + g3;
                g2.add_to(density, at);
                g3.add_to(near_density, at);
            });
            density[i] += sum.sum();
            near_density[i] += near_sum.sum();
        }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn relax_pass(
    grid: &Grid,
    p: &Particles,
    (density, near_density): (&[f32], &[f32]),
    h: f32,
    eos: Pressure,
    (dx, dy): (&mut [f32], &mut [f32]),
) {
    let per_h = 1.0 / h;
    let (half_k, half_near) = (Lanes::splat(0.5 * eos.stiffness), Lanes::splat(0.5 * eos.near_stiffness));
    for row in 0..grid.rows() {
        for i in grid.row(row) {
            let (mut sum_x, mut sum_y) = (Lanes::splat(0.0), Lanes::splat(0.0));
            let (rho, near) = (Lanes::splat(density[i] - 2.0 * eos.rest_density), Lanes::splat(near_density[i]));
            candidates(grid, row, i, p.x[i], |at, last| {
                let offsets = Offsets::new(p, i, at, last, per_h);
                let (g, r) = offsets.kernel();
                let pressure = half_k * (rho + Lanes::load(density, at));
                let near_pressure = half_near * (near + Lanes::load(near_density, at));
                let push = g * (pressure + near_pressure * g);
                let along = push * r.recip();
                let (push_x, push_y) = (along * offsets.dx, along * offsets.dy);
                sum_x = sum_x + push_x;
                sum_y = sum_y + push_y;
                push_x.add_to(dx, at);
                push_y.add_to(dy, at);
                if offsets.r2.any_below(COINCIDENT) {
                    for j in (at..at + WIDTH).filter(|&j| offsets.r2.0[j - at] < COINCIDENT) {
                        let apart = push.0[j - at] * tie_break(p.id[i], p.id[j]);
                        dx[j] += apart.x;
                        dy[j] += apart.y;
                        dx[i] -= apart.x;
                        dy[i] -= apart.y;
                    }
                }
            });
            dx[i] -= sum_x.sum();
            dy[i] -= sum_y.sum();
        }
    }
}

/// The direction in which particle `b` leaves particle `a` when both are in the same place: a hash of the two, so
/// that it is the same on every run and opposite for the other of the pair.
fn tie_break(a: u32, b: u32) -> Vec2 {
    let mut hash = (u64::from(a.min(b)) << 32 | u64::from(a.max(b))).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let turn = (hash >> 40) as f32 / (1u32 << 24) as f32 * std::f32::consts::TAU;
    if a < b { Vec2::from_angle(turn) } else { -Vec2::from_angle(turn) }
}

#[multiversion(targets("x86_64+avx2"))]
fn viscosity_pass(grid: &Grid, p: &mut Particles, h: f32, sigma_dt: f32, beta_dt: f32) {
    let per_h = 1.0 / h;
    let (sigma, beta) = (Lanes::splat(0.5 * sigma_dt), Lanes::splat(0.5 * beta_dt));
    for row in 0..grid.rows() {
        for i in grid.row(row) {
            let (mut sum_x, mut sum_y) = (Lanes::splat(0.0), Lanes::splat(0.0));
            candidates(grid, row, i, p.x[i], |at, last| {
                let offsets = Offsets::new(p, i, at, last, per_h);
                let (g, r) = offsets.kernel();
                let per_r = r.recip();
                let (rx, ry) = (offsets.dx * per_r, offsets.dy * per_r);
                let (vx, vy) = (Lanes::load(&p.vx, at), Lanes::load(&p.vy, at));
                // Speed of approach; pairs that part are left alone.
                let u = (rx * (Lanes::splat(p.vx[i]) - vx) + ry * (Lanes::splat(p.vy[i]) - vy)).max(0.0);
                // Never more than would stop the approach.
                let impulse = (g * u * (sigma + beta * u)).min(u * Lanes::splat(0.5));
                let (ix, iy) = (impulse * rx, impulse * ry);
                sum_x = sum_x + ix;
                sum_y = sum_y + iy;
                ix.add_to(&mut p.vx, at);
                iy.add_to(&mut p.vy, at);
            });
            p.vx[i] -= sum_x.sum();
            p.vy[i] -= sum_y.sum();
        }
    }
}
