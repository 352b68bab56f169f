//! Stable fluids: smoke, ink, and the air or water that carries them, on a grid.
//!
//! J. Stam, "Stable Fluids", SIGGRAPH 1999, and "Real-Time Fluid Dynamics for Games", GDC 2003: the equations of
//! Navier and Stokes, one term after the other, each by a method that never blows up. The steps are Stam's; four of
//! the methods are not, because his are known to be weak:
//!
//! | step | Stam | here |
//! |---|---|---|
//! | advection | semi-Lagrangian: swirls blur within seconds | the same by cubic polynomials (`advect.rs`) |
//! | dye | the same | what leaves a cell comes into the next (`transport.rs`) |
//! | diffusion | twenty sweeps of Gauss–Seidel | alternating directions, exact (`diffuse.rs`) |
//! | projection | twenty sweeps of Gauss–Seidel | conjugate gradients over multigrid, to a thousandth (`project.rs`) |
//! | grid | everything in the cells' middles | staggered, with faces that are open in part (`mac.rs`) |
//!
//! Boundaries of every sort meet here: walls, a lid that slides, wind that comes in and leaves, sides that wrap.

mod advect;
mod boundary;
mod components;
mod definition;
mod diffuse;
mod forces;
mod immersed_bodies;
mod mac_grid;
mod multigrid;
mod project;
mod queries;
mod transport;
mod vorticity;

pub use boundary::{Side, Sides};
pub use definition::{Cloud, Dye, Medium, Source};
pub use mac_grid::Mac;
pub use project::Divergence;

use crate::sim::StepContext;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::observer::{Pass, StepObserver};
use advect::{BELOW, Flow, LEFT, MIDDLE};
use diffuse::{Diffusion, Kind};
use forces::inside;
use glam::{Vec2, Vec3};
pub use immersed_bodies::ImmersedSolid;
use project::Projection;
use transport::Transport;

/// Cells where neither the scene nor the setup says: 2×4 in each cell of a terminal of 80×24.
pub const CELLS: usize = 15_360;

/// The fewest and the most.
pub const FEWEST: usize = 64;
pub const MOST: usize = 1_000_000;

/// When a cell has become so much longer one way than the other, the grid is laid anew.
const CROOKED: f32 = 1.25;

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
    transport: Transport,
    /// Velocity with half of the pressure ahead.
    ahead: [Vec<f32>; 2],
    /// Room to work in.
    spare: [Vec<f32>; 2],
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
            transport: Transport::new(&mac),
            ahead: [filled(0.0), filled(0.0)],
            spare: [filled(0.0), filled(0.0)],
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
        self.divergence = self.projection.clean(&mut self.mac, &mut self.u, &mut self.v);
    }

    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Takes on another viscosity, diffusion, confinement, lid and wind. What is in the tank stays; where sides wrap, a
    /// change of the wind is a push to all of it.
    pub fn retune(&mut self, medium: &Medium) {
        let Medium { viscosity, diffusion, confinement, lid, wind, .. } = *medium;
        let change = Vec2::from(wind) - Vec2::from(self.medium.wind);
        let blown = change != Vec2::ZERO || lid != self.medium.lid;
        self.medium = Medium { viscosity, diffusion, confinement, lid, wind, ..self.medium.clone() };
        for (own, dye) in self.medium.dye.iter_mut().zip(&medium.dye) {
            (own.lift, own.fade) = (dye.lift, dye.fade);
        }
        if blown {
            self.mac.set_edge_speeds(&self.medium);
            for (array, axis, change) in [(&mut self.u, self.mac.x, change.x), (&mut self.v, self.mac.y, change.y)] {
                if axis.wraps() {
                    array.iter_mut().for_each(|value| *value += change);
                }
            }
            self.projection.project_blow(&mut self.mac, &mut self.u, &mut self.v);
        }
    }

    /// Takes in where bodies are and how they move: see [`Mac::immerse`].
    pub(super) fn immerse(&mut self, bodies: &[impl ImmersedSolid], weight: f32) {
        self.mac.immerse(bodies, self.medium.density, weight);
        self.projection.fit(&self.mac);
        self.diffusion.fit(&self.mac);
    }

    /// What each body has been given in the last substep: kg m/s along x and along y, and kg m²/s.
    pub(super) fn impulses(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.mac.swimmers.impulses()
    }

    /// What there is to say of it, by name: for people to read.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("cells", (self.mac.nx * self.mac.ny).to_string())]
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
        self.diffusion.fit(&self.mac);
        self.sources.clear();
        self.sources.extend(self.medium.source.iter().map(|source| source.region.shape(self.mac.size())));
        for dye in &mut self.dyes {
            self.mac.edge_cells(dye);
        }
        self.divergence = self.projection.clean(&mut self.mac, &mut self.u, &mut self.v);
    }

    /// Leaves `share` of every dye.
    pub fn thin(&mut self, share: f32) {
        self.dyes.iter_mut().flatten().for_each(|amount| *amount *= share);
    }

    /// Takes all speed out.
    pub fn zero_velocities(&mut self) {
        self.u.fill(0.0);
        self.v.fill(0.0);
    }

    /// One substep: Stam 1999, section 2.2, fig. 1.
    pub fn step(&mut self, env: &StepContext, observer: &mut impl StepObserver) {
        self.dt = env.dt;
        self.projection.begin();
        self.poke(env);
        self.advect_velocity(env.dt);
        observer.pass_finished(Pass::Advance);
        self.add_dye(env);
        self.add_forces(env);
        observer.pass_finished(Pass::Forces);
        self.projection.predict(&mut self.mac, &mut self.u, &mut self.v);
        self.diffuse_velocity(env.dt);
        observer.pass_finished(Pass::Diffuse);
        self.divergence = self.projection.project(&mut self.mac, &mut self.u, &mut self.v);
        if !self.mac.swimmers.is_empty() {
            self.projection.forget();
        }
        observer.pass_finished(Pass::Project);
        self.carry_dyes(env.dt);
        observer.pass_finished(Pass::Dye);
    }

    /// The flow carries itself.
    fn advect_velocity(&mut self, dt: f32) {
        let Self { mac, u, v, ahead: [ahead_u, ahead_v], projection, spare: [new_u, new_v], .. } = self;
        ahead_u.copy_from_slice(u);
        ahead_v.copy_from_slice(v);
        projection.reflect(mac, ahead_u, ahead_v);
        let flow = Flow { mac, u, v, scale: dt / mac.pitch };
        flow.carry_along_x(ahead_u, new_u);
        flow.carry_along_y(ahead_v, new_v);
        std::mem::swap(u, new_u);
        std::mem::swap(v, new_v);
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
        let Self { mac, u, v, dyes, medium, transport, diffusion, .. } = self;
        transport.follow(mac, u, v, dt);
        for (dye, amount) in medium.dye.iter().zip(dyes) {
            let before = total(mac, amount);
            transport.carry(mac, amount);
            if mac.is_closed() && !mac.swimmers.is_empty() {
                keep_total(mac, amount, before);
            }
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

/// The middle of a cell, metres.
fn middle(mac: &Mac, at: usize) -> Vec2 {
    mac.at(Vec2::new((at % mac.stride) as f32, (at / mac.stride) as f32))
}

fn middle_velocity(mac: &Mac, u: &[f32], v: &[f32], at: usize) -> Vec2 {
    0.5 * Vec2::new(u[at] + u[at + 1], v[at] + v[at + mac.stride])
}

/// The sum over all cells that are not solid.
fn total(mac: &Mac, amount: &[f32]) -> f32 {
    let rows = (1..=mac.ny).map(|j| mac.row(j).filter(|&at| !mac.is_solid(at)).map(|at| amount[at]).sum::<f32>());
    rows.sum()
}

/// Bodies that move cover cells and uncover others, with the dye of their neighbours. That is not quite what they have
/// covered; so all of it is scaled to what there was.
fn keep_total(mac: &Mac, amount: &mut [f32], before: f32) {
    let after = total(mac, amount);
    if after > 0.0 {
        let share = (before / after).clamp(0.9, 1.1);
        amount.iter_mut().for_each(|amount| *amount *= share);
    }
}
