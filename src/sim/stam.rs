//! Stable fluids: smoke, ink, and the air or water that carries them, on a grid.
//!
//! J. Stam, "Stable Fluids", SIGGRAPH 1999, and "Real-Time Fluid Dynamics for Games", GDC 2003: the equations of
//! Navier and Stokes, one term after the other, each by a method that never blows up. The steps are Stam's; three of
//! the methods are not, because his are known to be weak:
//!
//! | step | Stam | here |
//! |---|---|---|
//! | advection | semi-Lagrangian: swirls blur within seconds | MacCormack, limited (`advect.rs`) |
//! | diffusion | twenty sweeps of Gauss–Seidel | alternating directions, exact (`diffuse.rs`) |
//! | projection | twenty sweeps of Gauss–Seidel | conjugate gradients over multigrid, to a thousandth (`project.rs`) |
//! | grid | everything in the cells' middles | staggered, with faces that are open in part (`mac.rs`) |
//!
//! Boundaries of every sort meet here: walls, a lid that slides, wind that comes in and leaves, sides that wrap.

mod advect;
mod curl;
mod diffuse;
mod mac;
mod medium;
mod multigrid;
mod project;
mod rooms;
mod swim;

pub use mac::{Mac, Side, Sides};
pub use medium::{Cloud, Dye, Medium, Source};
pub use project::Divergence;

use super::Env;
use super::body::Body;
use super::poke::{Poke, PokeKind};
use super::stats::Stats;
use super::walls::{Shape, Walls};
use super::watch::{Pass, Watch};
use advect::{BELOW, Flow, LEFT, MIDDLE, Paths, sample};
use diffuse::{Diffusion, Kind};
use glam::{DVec2, Vec2, Vec3};
use project::Projection;

/// Cells where neither the scene nor the setup says: 2×4 in each cell of a terminal of 80×24.
pub const CELLS: usize = 15_360;

/// The fewest and the most.
pub const FEWEST: usize = 64;
pub const MOST: usize = 1_000_000;

/// When a cell has become so much longer one way than the other, the grid is laid anew.
const CROOKED: f32 = 1.25;

/// Dye that a moving pointer gives off, and a bursting one, as a rate, 1/s.
const POINTER_DYE: f32 = 6.0;
const BURST_DYE: f32 = 25.0;

/// Seconds without a pointer after which the next one brings the next dye.
const STROKE_ENDS: f32 = 0.15;

/// Nothing is faster, m/s: a guard.
const FASTEST: f32 = 100.0;

/// Less dye than this is none.
const TRACE: f32 = 1e-4;

/// A tank full of one fluid, and the dyes in it.
#[derive(Clone, Debug)]
pub struct Smoke {
    medium: Medium,
    /// About how many cells the grid is to have.
    cells: usize,
    mac: Mac,
    /// Velocity, m/s, on the cells' left and lower faces.
    u: Vec<f32>,
    v: Vec<f32>,
    /// Share of each dye in each cell, 0 to 1.
    dyes: Vec<Vec<f32>>,
    /// Acceleration in the cells' middles, m/s².
    fx: Vec<f32>,
    fy: Vec<f32>,
    /// Where sources are, in metres.
    sources: Vec<Shape>,
    projection: Projection,
    diffusion: Diffusion,
    paths: [Paths; 2],
    /// Velocity with half of the pressure ahead.
    ahead: [Vec<f32>; 2],
    /// Room to work in.
    spare: [Vec<f32>; 3],
    divergence: Divergence,
    /// The last substep, seconds.
    dt: f32,
    /// Which dye the pointer brings, and for how long there has been no pointer, seconds.
    pointer: (usize, f32),
}

impl Smoke {
    /// A tank with what the medium says is there at the start, on about `cells` cells.
    pub fn new(medium: Medium, cells: usize, walls: &Walls) -> Self {
        let mut smoke = Self::still(medium, cells, walls);
        let clouds = std::mem::take(&mut smoke.medium.cloud);
        for cloud in &clouds {
            smoke.add_cloud(cloud);
        }
        smoke.medium.cloud = clouds;
        smoke.settle(walls);
        if smoke.medium.swirl != 0.0 {
            smoke.swirl(walls.size());
        }
        smoke
    }

    /// Taylor & Green 1937: `u = s sin kx cos ky, v = −s cos kx sin ky`, once across the tank.
    fn swirl(&mut self, size: Vec2) {
        let speed = self.medium.swirl;
        self.stir(|at| {
            let (sin, cos) = (at * std::f32::consts::TAU / size).sin_cos();
            speed * Vec2::new(sin.x * cos.y, -cos.x * sin.y)
        });
    }

    /// The grid with nothing in it but the wind.
    fn still(medium: Medium, cells: usize, walls: &Walls) -> Self {
        let cells = cells.clamp(FEWEST, MOST);
        let mac = Mac::new(cells, walls.size(), &medium);
        let filled = |value: f32| vec![value; mac.len()];
        Self {
            cells,
            u: filled(medium.wind[0]),
            v: filled(medium.wind[1]),
            dyes: medium.dye.iter().map(|_| filled(0.0)).collect(),
            fx: filled(0.0),
            fy: filled(0.0),
            sources: Vec::new(),
            projection: Projection::new(&mac),
            diffusion: Diffusion::new(&mac),
            paths: [Paths::new(&mac), Paths::new(&mac)],
            ahead: [filled(0.0), filled(0.0)],
            spare: [filled(0.0), filled(0.0), filled(0.0)],
            divergence: Divergence::default(),
            dt: 1.0,
            pointer: (0, f32::INFINITY),
            medium,
            mac,
        }
    }

    fn add_cloud(&mut self, cloud: &Cloud) {
        let shape = cloud.region.shape(self.mac.size());
        let dye = self.medium.dye_called(&cloud.dye);
        let velocity = Vec2::from(cloud.velocity);
        for at in (1..=self.mac.ny).flat_map(|j| self.mac.row(j)) {
            let share = inside(&self.mac, &shape, at);
            if share > 0.0 {
                let amount = &mut self.dyes[dye][at];
                *amount = amount.max(share * cloud.amount);
                self.u[at] += share * velocity.x;
                self.v[at] += share * velocity.y;
            }
        }
    }

    /// Sets the velocity everywhere, and takes the divergence out of it.
    pub fn stir(&mut self, velocity: impl Fn(Vec2) -> Vec2) {
        for j in 1..=self.mac.ny + 1 {
            for i in 1..=self.mac.nx + 1 {
                let (at, middle) = (j * self.mac.stride + i, Vec2::new(i as f32, j as f32));
                self.u[at] = velocity(self.mac.at(middle + LEFT)).x;
                self.v[at] = velocity(self.mac.at(middle + BELOW)).y;
            }
        }
        self.projection.forget();
        self.projection.predict(&mut self.mac, &mut self.u, &mut self.v);
        self.divergence = self.projection.project(&mut self.mac, &mut self.u, &mut self.v);
        self.projection.forget();
    }

    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Takes on another viscosity, diffusion, confinement and lid. What is in the tank stays.
    pub fn retune(&mut self, medium: &Medium) {
        let Medium { viscosity, diffusion, confinement, lid, wind, .. } = *medium;
        self.medium = Medium { viscosity, diffusion, confinement, lid, wind, ..self.medium.clone() };
        for (own, dye) in self.medium.dye.iter_mut().zip(&medium.dye) {
            (own.lift, own.fade) = (dye.lift, dye.fade);
        }
    }

    /// Takes in where bodies are and how they move: see [`Mac::immerse`].
    pub(super) fn immerse(&mut self, bodies: &[Body], weight: f32) {
        self.mac.immerse(bodies, self.medium.density, weight);
        self.projection.fit(&self.mac);
    }

    /// What each body has been given in the last substep: kg m/s along x and along y, and kg m²/s.
    pub(super) fn impulses(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.mac.swimmers.impulses()
    }

    pub fn mac(&self) -> &Mac {
        &self.mac
    }

    /// What the last projection found and left.
    pub fn divergence(&self) -> Divergence {
        self.divergence
    }

    /// Fits the fluid to walls that have moved. It is carried along as the tank changes its shape: a tank that keeps
    /// its area does that without compressing anything. A wall drawn into it pushes it aside.
    pub fn fit(&mut self, walls: &Walls) {
        self.mac.fit(walls);
        let crooked = self.mac.pitch.x / self.mac.pitch.y;
        if !(1.0 / CROOKED..=CROOKED).contains(&crooked) {
            self.refine(self.cells, walls);
        } else {
            self.settle(walls);
        }
    }

    /// Lays the grid anew with about `cells` cells, and takes over what was on the old one.
    pub fn refine(&mut self, cells: usize, walls: &Walls) {
        let mut new = Self::still(self.medium.clone(), cells, walls);
        let per = self.mac.size() / walls.size();
        let (old, mac) = (&*self, new.mac.clone());
        for j in 1..=mac.ny + 1 {
            for i in 1..=mac.nx + 1 {
                let (at, middle) = (j * mac.stride + i, Vec2::new(i as f32, j as f32));
                let read = |array: &[f32], seat: Vec2| old.read(array, seat, mac.at(middle + seat) * per);
                new.u[at] = read(&old.u, LEFT);
                new.v[at] = read(&old.v, BELOW);
                for (new, old) in new.dyes.iter_mut().zip(&old.dyes) {
                    new[at] = read(old, MIDDLE);
                }
            }
        }
        new.pointer = self.pointer;
        *self = new;
        self.settle(walls);
    }

    /// Takes in where walls and sources are now.
    fn settle(&mut self, walls: &Walls) {
        self.mac.fit(walls);
        self.projection.fit(&self.mac);
        self.sources.clear();
        self.sources.extend(self.medium.source.iter().map(|source| source.region.shape(self.mac.size())));
        for dye in &mut self.dyes {
            self.mac.edge_cells(dye);
        }
        self.projection.forget();
        self.projection.predict(&mut self.mac, &mut self.u, &mut self.v);
        self.divergence = self.projection.project(&mut self.mac, &mut self.u, &mut self.v);
        self.projection.forget();
    }

    /// One substep: Stam 1999, section 2.2, fig. 1.
    pub fn step(&mut self, env: &Env, watch: &mut impl Watch) {
        self.dt = env.dt;
        self.advect_velocity(env.dt);
        watch.passed(Pass::Advance);
        self.add_dye(env);
        self.add_forces(env);
        watch.passed(Pass::Forces);
        self.projection.predict(&mut self.mac, &mut self.u, &mut self.v);
        self.diffuse_velocity(env.dt);
        watch.passed(Pass::Diffuse);
        self.divergence = self.projection.project(&mut self.mac, &mut self.u, &mut self.v);
        if !env.pokes.is_empty() || !self.mac.swimmers.is_empty() {
            // The pressure of a blow is over with it; remembered, it would turn its sign from step to step for ever. So
            // would that of bodies that fall on the floor, in cells that are theirs by then.
            self.projection.forget();
        }
        watch.passed(Pass::Project);
        self.carry_dyes(env.dt);
        watch.passed(Pass::Dye);
    }

    /// What sources and the pointer bring: each fills its cells towards 1 at its rate.
    fn add_dye(&mut self, env: &Env) {
        for (source, shape) in self.medium.source.iter().zip(&self.sources) {
            let dye = &mut self.dyes[self.medium.dye_called(&source.dye)];
            each_cell_in(&self.mac, shape, |at, share| pour(&mut dye[at], source.rate * share * env.dt));
        }
        self.pointer.1 += env.dt;
        for poke in env.pokes {
            let rate = match poke.kind {
                PokeKind::Push { .. } => POINTER_DYE,
                PokeKind::Burst => BURST_DYE,
                PokeKind::Pull => continue,
            };
            let (number, since) = self.pointer;
            self.pointer = (if since > STROKE_ENDS { (number + 1) % self.dyes.len() } else { number }, 0.0);
            let (dye, brush) = (&mut self.dyes[self.pointer.0], Shape::Circle { at: poke.at, radius: poke.radius });
            each_cell_in(&self.mac, &brush, |at, share| pour(&mut dye[at], rate * share * env.dt));
        }
    }

    /// Lift, the pointer's hand, sources that blow, and the spin that the grid has worn down.
    fn add_forces(&mut self, env: &Env) {
        self.fx.fill(0.0);
        self.fy.fill(0.0);
        self.add_lift(env.gravity);
        for poke in env.pokes {
            self.poke(poke, env.dt);
        }
        for (source, shape) in self.medium.source.iter().zip(&self.sources) {
            let Some(velocity) = source.velocity.map(Vec2::from) else { continue };
            let (mac, u, v, fx, fy) = (&self.mac, &self.u, &self.v, &mut self.fx, &mut self.fy);
            each_cell_in(mac, shape, |at, share| {
                let missing = (velocity - middle_velocity(mac, u, v, at)) * (share / env.dt);
                (fx[at], fy[at]) = (fx[at] + missing.x, fy[at] + missing.y);
            });
        }
        if self.medium.confinement > 0.0 {
            let [curl, ..] = &mut self.spare;
            let force = [&mut self.fx[..], &mut self.fy[..]];
            curl::confine(&self.mac, &self.u, &self.v, self.medium.confinement, curl, force);
        }
        self.accelerate(env.dt);
    }

    /// Boussinesq: what is lighter than its surroundings by a share is pushed against gravity by that share of it.
    fn add_lift(&mut self, gravity: Vec2) {
        for (dye, amount) in self.medium.dye.iter().zip(&self.dyes).filter(|(dye, _)| dye.lift != 0.0) {
            let push = -dye.lift * gravity;
            for at in (1..=self.mac.ny).flat_map(|j| self.mac.row(j)) {
                self.fx[at] += push.x * amount[at];
                self.fy[at] += push.y * amount[at];
            }
        }
    }

    fn poke(&mut self, poke: &Poke, dt: f32) {
        let (mac, u, v, fx, fy) = (&self.mac, &self.u, &self.v, &mut self.fx, &mut self.fy);
        let brush = Shape::Circle { at: poke.at, radius: poke.radius };
        each_cell_in(mac, &brush, |at, _| {
            let before = middle_velocity(mac, u, v, at);
            let change = (poke.apply(middle(mac, at) - poke.at, before, dt) - before) / dt;
            (fx[at], fy[at]) = (fx[at] + change.x, fy[at] + change.y);
        });
    }

    /// Half of each cell's acceleration goes to each of its faces.
    fn accelerate(&mut self, dt: f32) {
        self.mac.edge_cells(&mut self.fx);
        self.mac.edge_cells(&mut self.fy);
        let (half, up) = (0.5 * dt, self.mac.stride);
        for at in (1..=self.mac.ny).flat_map(|j| self.mac.row(j)) {
            self.u[at] = (self.u[at] + half * (self.fx[at - 1] + self.fx[at])).clamp(-FASTEST, FASTEST);
            self.v[at] = (self.v[at] + half * (self.fy[at - up] + self.fy[at])).clamp(-FASTEST, FASTEST);
        }
        self.mac.edge_velocity(&mut self.u, &mut self.v);
    }

    /// The flow carries itself.
    fn advect_velocity(&mut self, dt: f32) {
        let Self { mac, u, v, ahead: [ahead_u, ahead_v], projection, paths, spare, .. } = self;
        let ([paths_u, paths_v], [new_u, new_v, corrected]) = (paths, spare);
        ahead_u.copy_from_slice(u);
        ahead_v.copy_from_slice(v);
        projection.reflect(mac, ahead_u, ahead_v);
        let flow = Flow { mac, u, v, scale: dt / mac.pitch };
        paths_u.trace(&flow, LEFT);
        paths_v.trace(&flow, BELOW);
        paths_u.carry(mac, ahead_u, new_u);
        paths_v.carry(mac, ahead_v, new_v);
        mac.edge_velocity(new_u, new_v);
        paths_u.correct(mac, new_u, ahead_u, corrected);
        paths_v.correct(mac, new_v, ahead_v, corrected);
        std::mem::swap(u, ahead_u);
        std::mem::swap(v, ahead_v);
        mac.edge_velocity(u, v);
    }

    fn diffuse_velocity(&mut self, dt: f32) {
        let (rate, Self { mac, u, v, diffusion, .. }) = (self.medium.viscosity, &mut *self);
        if rate > 0.0 {
            diffusion.diffuse(mac, u, Kind::AlongX, rate, dt);
            diffusion.diffuse(mac, v, Kind::AlongY, rate, dt);
        }
    }

    /// Dyes are carried by the flow that has just been freed of its divergence, spread and fade.
    fn carry_dyes(&mut self, dt: f32) {
        let Self { mac, u, v, dyes, medium, paths: [paths, _], spare: [new, corrected, _], diffusion, .. } = self;
        paths.trace(&Flow { mac, u, v, scale: dt / mac.pitch }, MIDDLE);
        for (dye, amount) in medium.dye.iter().zip(dyes) {
            let before = total(mac, amount);
            paths.carry(mac, amount, new);
            mac.edge_cells(new);
            paths.correct(mac, new, amount, corrected);
            if mac.is_closed() {
                keep_total(mac, amount, before);
            }
            mac.edge_cells(amount);
            if medium.diffusion > 0.0 {
                diffusion.diffuse(mac, amount, Kind::Cells, medium.diffusion, dt);
            }
            if dye.fade > 0.0 {
                let left = (-dye.fade * dt).exp();
                amount.iter_mut().for_each(|amount| *amount *= left);
            }
            mac.edge_cells(amount);
        }
    }
}

/// What can be asked of it.
impl Smoke {
    /// An array of values that sit at `seat`, at a place in the tank in metres.
    fn read(&self, array: &[f32], seat: Vec2, at: Vec2) -> f32 {
        let most = Vec2::new(self.mac.nx as f32, self.mac.ny as f32) + 0.5;
        sample(array, &self.mac, self.mac.place(at).clamp(Vec2::splat(0.5), most) - seat)
    }

    /// Velocity at a place in the tank, m/s.
    pub fn velocity(&self, at: Vec2) -> Vec2 {
        Vec2::new(self.read(&self.u, LEFT, at), self.read(&self.v, BELOW, at))
    }

    /// Pressure over density at a place, m²/s², up to a constant.
    pub fn pressure(&self, at: Vec2) -> f32 {
        2.0 * self.read(self.projection.phi(), MIDDLE, at) / self.dt
    }

    /// How much of dye number `dye` there is at a place, 0 to 1.
    pub fn dye(&self, dye: usize, at: Vec2) -> f32 {
        self.read(&self.dyes[dye], MIDDLE, at)
    }

    /// Spin at a place, 1/s, counter-clockwise.
    pub fn spin(&self, at: Vec2) -> f32 {
        let most = Vec2::new(self.mac.nx as f32, self.mac.ny as f32);
        let cell = self.mac.place(at).round().clamp(Vec2::ONE, most).as_usizevec2();
        curl::spin(&self.mac, &self.u, &self.v, cell.y * self.mac.stride + cell.x)
    }

    /// Velocities in the middles of the cells that are not solid.
    fn velocities(&self) -> impl Iterator<Item = Vec2> + '_ {
        let cells = (1..=self.mac.ny).flat_map(|j| self.mac.row(j)).filter(|&at| !self.mac.is_solid(at));
        cells.map(|at| middle_velocity(&self.mac, &self.u, &self.v, at))
    }

    /// Speed of the fastest fluid, m/s.
    pub fn fastest(&self) -> f32 {
        self.velocities().map(Vec2::length_squared).fold(0.0, f32::max).sqrt()
    }

    /// Whether it is slower than `speed` (m/s) everywhere, nothing drives it, and no dye is about to change.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        let driven = !self.medium.source.is_empty() || self.medium.lid != 0.0 || self.medium.wind != [0.0, 0.0];
        let spreads = |dye: &Dye| self.medium.diffusion > 0.0 || dye.fade > 0.0;
        let mut dyes = self.medium.dye.iter().zip(&self.dyes);
        let changing = |(dye, amount): (&Dye, &Vec<f32>)| spreads(dye) && amount.iter().any(|&share| share > TRACE);
        !driven && self.fastest() < speed && !dyes.any(changing)
    }

    /// Leaves `share` of every dye.
    pub fn thin(&mut self, share: f32) {
        self.dyes.iter_mut().flatten().for_each(|amount| *amount *= share);
    }

    /// Takes all speed out.
    pub fn halt(&mut self) {
        self.u.fill(0.0);
        self.v.fill(0.0);
    }

    /// What flows through a cell, over its area: of faces that are open in part only that part.
    fn flow(&self, at: usize) -> Vec2 {
        let (mac, up) = (&self.mac, at + self.mac.stride);
        let sides = self.u[at] * mac.open_x[at] + self.u[at + 1] * mac.open_x[at + 1];
        0.5 * Vec2::new(sides, self.v[at] * mac.open_y[at] + self.v[up] * mac.open_y[up])
    }

    /// Measures the fluid. The density is that of all dyes together.
    pub fn stats(&self) -> Stats {
        let mass = f64::from(self.medium.density * self.mac.pitch.x * self.mac.pitch.y);
        let mut stats = Stats::default();
        let (mut count, mut dyed) = (0.0, 0.0);
        for at in (1..=self.mac.ny).flat_map(|j| self.mac.row(j)).filter(|&at| !self.mac.is_solid(at)) {
            let v = middle_velocity(&self.mac, &self.u, &self.v, at).as_dvec2();
            let dye: f64 = self.dyes.iter().map(|dye| f64::from(dye[at])).sum();
            count += 1.0;
            dyed += dye;
            stats.kinetic += 0.5 * mass * v.length_squared();
            stats.momentum += mass * self.flow(at).as_dvec2();
            stats.centre_of_mass += dye * middle(&self.mac, at).as_dvec2();
            stats.mean_speed += v.length();
            stats.max_speed = stats.max_speed.max(v.length());
            stats.density_max = stats.density_max.max(dye);
        }
        stats.mean_speed /= f64::max(count, 1.0);
        stats.density_mean = dyed / f64::max(count, 1.0);
        stats.centre_of_mass = if dyed > 0.0 { stats.centre_of_mass / dyed } else { DVec2::ZERO };
        stats.divergence_max = f64::from(self.divergence.after);
        stats.divergence_before = f64::from(self.divergence.before);
        stats
    }
}

/// The middle of a cell, metres.
fn middle(mac: &Mac, at: usize) -> Vec2 {
    mac.at(Vec2::new((at % mac.stride) as f32, (at / mac.stride) as f32))
}

fn middle_velocity(mac: &Mac, u: &[f32], v: &[f32], at: usize) -> Vec2 {
    0.5 * Vec2::new(u[at] + u[at + 1], v[at] + v[at + mac.stride])
}

/// The share of a cell that is inside of a shape, to about the width of a cell.
fn inside(mac: &Mac, shape: &Shape, at: usize) -> f32 {
    (0.5 - shape.contact(middle(mac, at)).distance / mac.pitch.min_element()).clamp(0.0, 1.0)
}

/// Calls `with` with every cell that is inside of a shape, and the share of it that is.
fn each_cell_in(mac: &Mac, shape: &Shape, mut with: impl FnMut(usize, f32)) {
    let (min, max) = shape.bounds();
    let most = Vec2::new(mac.nx as f32, mac.ny as f32);
    let first = (mac.place(min) - 0.5).clamp(Vec2::ONE, most).as_usizevec2();
    let last = (mac.place(max) + 1.5).clamp(Vec2::ONE, most).as_usizevec2();
    for at in (first.y..=last.y).flat_map(|j| (first.x..=last.x).map(move |i| j * mac.stride + i)) {
        let share = inside(mac, shape, at);
        if share > 0.0 && !mac.is_solid(at) {
            with(at, share);
        }
    }
}

/// The sum over all cells that are not solid.
fn total(mac: &Mac, amount: &[f32]) -> f32 {
    let rows = (1..=mac.ny).map(|j| mac.row(j).filter(|&at| !mac.is_solid(at)).map(|at| amount[at]).sum::<f32>());
    rows.sum()
}

/// Paths that are asked for values lose and make dye where they part and meet, by half of it in ten seconds of curls.
/// Nobody can say where; so all of it is scaled to what there was.
fn keep_total(mac: &Mac, amount: &mut [f32], before: f32) {
    let after = total(mac, amount);
    if after > 0.0 {
        let share = (before / after).clamp(0.9, 1.1);
        amount.iter_mut().for_each(|amount| *amount *= share);
    }
}

/// Brings a share nearer to 1.
fn pour(share: &mut f32, much: f32) {
    *share += (1.0 - *share) * (1.0 - (-much).exp());
}
