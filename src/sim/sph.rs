//! Smoothed particle hydrodynamics: a liquid that is nearly incompressible, with a surface that draws together.
//!
//! M. Müller, D. Charypar, M. Gross, "Particle-Based Fluid Simulation for Interactive Applications", Symposium on
//! Computer Animation 2003; pressure by Tait's equation, as J. Monaghan, "Simulating Free Surface Flows with SPH",
//! Journal of Computational Physics 1994, has it. Equations below are Müller's.
//!
//! | term | the paper | here |
//! |---|---|---|
//! | kernels | normalised in space | normalised in the plane (`sph/kernels.rs` has the figures) |
//! | pressure | `k (ρ − ρ₀)` | Tait, `k ((ρ/ρ₀)⁷ − 1)`, never negative |
//! | viscosity | along the difference of velocities: stops a drop from spinning | its share along the line between the two, four times: in the plane that is ∇²v too, and keeps angular momentum |
//! | tension | `−σ ∇²c n/\|n\|`, which pushes the whole drop about | along n alike, but as the force of an energy: what particles lack of the colour, `K Σ (1 − c)`, as M. Becker and M. Teschner (2007) have it: keeps both momenta |
//! | walls | reflect, damped | the same; and the half-plane of liquid that they cut off is felt, or a twelfth of the tank would lie on them |
//! | time | leap-frog, 10 ms | leap-frog, in substeps as short as sound, viscosity and capillary waves ask for |

//!
//! What falls short: cold particles under a strong tension set in a hexagonal lattice, which bears shear. A square drop
//! becomes round to a few per cent, but it swings as a solid under tension, `ω² = (6 σ/R + 8 G) / (ρ R²)`: on the lattice of
//! 21 neighbours G is 0.12 K, a drop of R = 5 h was to swing in 0.91 s by that, did in 1.00 s, and has 3.1 s by Lamb. K grows
//! as 1/h, so it is the worse the finer it is. G changes its sign with the number of neighbours (at 27, 39 and 47) and is
//! small for smoother kernels, but a drop then passes from one lattice to another, in jerks. What helps is heat: where
//! nothing is viscous, particles that jitter by 0.2 m/s and more (G would melt at about `v² = 0.1 G/ρ`) are a liquid, whose
//! drops have Lamb's period within 5 % with the σ that Laplace's law gives (the scene `quiver`).
//!
//! Tried and dropped: the energy `σ ∫ |∇c|`, which is nearest to the paper (threads of particles have none of it, so that
//! drops dissolve into threads), and to let only those above the threshold attract (the inside of a drop is then a powder
//! without any pressure, and sets where it is).

pub mod kernels;
mod meet;
mod substance;

pub use substance::{Acting, Substance};

use super::Env;
use super::bands::{Band, ByBand, Split, share};
use super::coincident::{LOOK_FOR_COINCIDENT, part_coincident};
use super::couple::bodies::{self, Banks, Kicks, Wet};
use super::drowse::{Drowse, Sweep, Zone};
use super::grains::GrainsMut;
use super::grid::Grid;
use super::instructions::Instructions;
use super::pairs::{Sums, add, rows_above, zero};
use super::particles::{Moved, Particles, room};
use super::rest::Rest;
use super::walls::{Contact, Walls};
use super::watch::{Pass, Watch};
use fearless_simd::Level;
use glam::Vec2;
use kernels::{Cut, Cuts, POLY6, POLY6_SLOPE, SPIKY_SLOPE, edge_slope};
use meet::Exchange;
use std::f32::consts::PI;

/// The farthest that a particle may move in one substep, in h. A guard, not met where the substeps have been counted.
const FARTHEST_MOVE: f32 = 0.4;

/// How strongly a wall damps the motion towards it and away, as a share of what would stop sound.
const WALL_DAMPING: f32 = 0.3;

/// A liquid is no lattice: its pressure answers to the density by so much less. Measured in a pool at rest, where
/// pressure grows by g with depth.
const DISORDER: f32 = 0.91;

/// What a flat surface lacks of the colour, `∫ (1 − c)` over its inside, in h: the first moment of poly6's line integral,
/// `∫ t W̄(t) dt`, is 1/9 of 128/35π.
const FLAT_SURFACE: f32 = 128.0 / (35.0 * 9.0 * PI);

/// How much of that is left once the outermost have drawn together, so that Laplace's law holds: the pressure in the middle
/// of a drop, the momentum of its jitter counted, is σ/R. Drops of 500 to 1,200 warm particles (0.15 to 0.35 m/s) had 0.49
/// to 0.59 of the σ that they would have had without it.
const DRAWN_TOGETHER: f32 = 0.55;

/// See [`Wet::inset`]. Boxes 0.26 m high of density 0.3, 0.5 and 0.9 in 2,500 particles of 24 mm lie 0.276, 0.477 and
/// 0.914 deep at 0, and 0.299, 0.504 and 0.960 deep at 0.09.
const INSET: f32 = 0.06;

/// One of the three forces between particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Force {
    Pressure,
    Viscosity,
    Tension,
}

impl Force {
    pub const ALL: [Force; 3] = [Self::Pressure, Self::Viscosity, Self::Tension];
}

/// A body of liquid.
#[derive(Clone, Debug)]
pub struct Sph {
    substance: Substance,
    h: f32,
    rest: Rest,
    /// The instruction set that the pair passes use.
    level: Level,
    /// Since the beginning.
    substeps: u32,
    /// g × depth at the most, m²/s²: what the stiffness has to bear.
    weight: f32,
    particles: Particles,
    grid: Grid,
    /// Everybody is awake in it, always.
    drowse: Drowse,
    cuts: Cuts,
    lattice: Lattice,
    /// ρ/ρ₀, and its inverse.
    density: Vec<f32>,
    thinness: Vec<f32>,
    /// p/ρ₀ over the square of ρ/ρ₀, m²/s².
    pressure: Vec<f32>,
    /// The colour field, and how much of the surface a particle is by it, 0 to 1.
    colour: Vec<f32>,
    surface: Vec<f32>,
    /// m/s², without gravity: of all forces, and the magnitude of each, where somebody looks.
    acceleration: [Vec<f32>; 2],
    felt: [Vec<f32>; 3],
    /// Room for sums over pairs, and for what rows give to those above.
    sums: [Vec<f32>; 2],
    above: [Vec<f32>; 2],
    found: Vec<u32>,
    /// The grid's patches that are within reach of a wall.
    shore: Vec<u32>,
    /// Particles within reach of walls, of each band.
    touching: Vec<Vec<Touch>>,
    /// Bodies, and the particles within reach of them.
    banks: Banks,
}

/// Density on the lattice at rest, where by definition it is ρ₀.
///
/// The sum over a lattice is not the kernel's integral: with 21 neighbours spiky's is 11 % more, most of it what a
/// particle counts for itself. Nor does it change with the crowd in proportion.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    /// What `Σ (1 − q)³`, itself included, is multiplied by.
    share: f32,
    /// `d ln Σ / d ln crowd`.
    response: f32,
}

impl Lattice {
    fn at_rest(substance: &Substance) -> Self {
        let spacing = rest(substance).spacing;
        let kernel = |q: f32| substance.density.at(q) / substance.density.at(0.0);
        let sum = |scale: f32| 1.0 + hexagonal(spacing * scale).map(kernel).sum::<f32>();
        // A crowd is as the inverse square of the spacing.
        Self { share: 1.0 / sum(1.0), response: (sum(0.99) / sum(1.01)).ln() / (2.0 * (1.01f32 / 0.99).ln()) }
    }
}

/// Distances of the neighbours of a node of a hexagonal lattice, up to 1.
fn hexagonal(spacing: f32) -> impl Iterator<Item = f32> {
    let reach = (1.2 / spacing).ceil() as i32;
    let node = move |(a, b)| spacing * ((a * a + a * b + b * b) as f32).sqrt();
    let nodes = (-reach..=reach).flat_map(move |a| (-reach..=reach).map(move |b| (a, b)));
    nodes.filter(|&node| node != (0, 0)).map(node).filter(|&r| r < 1.0)
}

/// A particle near a wall, and what it feels of it.
#[derive(Clone, Copy, Debug)]
struct Touch {
    slot: u32,
    normal: Vec2,
    /// Distance, in h.
    distance: f32,
    cut: Cut,
}

/// The liquid at rest: a hexagonal lattice on which every particle has so many neighbours.
pub fn rest(substance: &Substance) -> Rest {
    let crowd = (substance.neighbours + 1.0) / PI;
    Rest { spacing: (2.0 / (3f32.sqrt() * crowd)).sqrt(), density: 1.0, near_density: 0.0, crowd }
}

impl Sph {
    /// An empty liquid of interaction radius `h` metres.
    pub fn new(substance: Substance, h: f32) -> Self {
        Self {
            rest: rest(&substance),
            substance,
            h,
            level: Level::new(),
            substeps: 0,
            weight: 0.0,
            particles: Particles::default(),
            grid: Grid::default(),
            drowse: Drowse::default(),
            cuts: Cuts::new(substance.density),
            lattice: Lattice::at_rest(&substance),
            density: Vec::new(),
            thinness: Vec::new(),
            pressure: Vec::new(),
            colour: Vec::new(),
            surface: Vec::new(),
            acceleration: Default::default(),
            felt: Default::default(),
            sums: Default::default(),
            above: Default::default(),
            found: Vec::new(),
            shore: Vec::new(),
            touching: Vec::new(),
            banks: Banks::default(),
        }
    }

    /// An empty liquid of the same sort, of interaction radius `h` metres.
    pub(super) fn like(&self, h: f32) -> Self {
        Self { level: self.level, ..Self::new(self.substance, h) }
    }

    /// Takes on other numbers while it flows. How many neighbours a particle has, and by which kernel its density is
    /// found, stay as they are.
    pub fn retune(&mut self, substance: Substance) {
        let Substance { neighbours, density, .. } = self.substance;
        self.substance = Substance { neighbours, density, ..substance };
    }

    pub fn substance(&self) -> &Substance {
        &self.substance
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

    /// For whoever adds particles, takes them out or gives them velocities; they take part from the next step on.
    pub(super) fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// The liquid as bodies in it see it.
    pub(super) fn wet(&mut self) -> Wet<'_> {
        let (area, spacing, h) = (self.particle_area(), self.spacing(), self.h);
        let Self { banks, particles, .. } = self;
        let grains = GrainsMut { particles, mixture: None, h, spacing, area };
        Wet { banks, grains, kicks: Kicks::Halves, inset: INSET }
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    pub fn relative_density(&self, slot: usize) -> f32 {
        at(&self.density, slot)
    }

    /// Pressure at a slot over ρ₀, m²/s².
    pub fn pressure(&self, slot: usize) -> f32 {
        DISORDER * self.lattice.response * at(&self.pressure, slot) * at(&self.density, slot).powi(2)
    }

    /// Acceleration by which pressure and tension push two slots `r` metres apart, each off the other: as
    /// [`meet::forces`] has it.
    pub(super) fn push(&self, slot: usize, other: usize, r: f32) -> f32 {
        let (q, h) = ((r / self.h).min(1.0), self.h);
        let weighed = self.lattice.share / self.substance.density.at(0.0);
        let pressure = weighed * (at(&self.pressure, slot) + at(&self.pressure, other));
        let tension = 2.0 * self.cohesion() / self.rest.crowd;
        (pressure * SPIKY_SLOPE * (1.0 - q).powi(2) - tension * POLY6_SLOPE * q * (1.0 - q * q).powi(2)) / h
    }

    /// How much of the surface a slot is, 0 to 1.
    pub fn surface(&self, slot: usize) -> f32 {
        at(&self.surface, slot)
    }

    /// Magnitude of one of the forces at a slot, m/s², as it was at the end of the last step.
    pub fn force(&self, force: Force, slot: usize) -> f32 {
        at(&self.felt[force as usize], slot)
    }

    /// Uses these instructions from now on, or the best there are if this machine does not have them.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.level = instructions.level().unwrap_or_else(Level::new);
    }

    /// Divides the passes among so many threads from the next step on; whoever steps must work in a crew of as many.
    pub fn divide(&mut self, threads: usize) {
        self.grid.divide(threads);
    }

    /// The substeps a fixed step of `step` seconds must be divided into under `gravity` (m/s²) in a tank of `size`
    /// metres, as the liquid moves now, if there were fractions of a substep.
    pub fn exact_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32 {
        let acting = Acting::of(&self.substance, gravity * size.max_element() + self.cohesion());
        acting.substeps(step, self.h, self.particles.fastest())
    }

    /// K, m²/s²: with how much pressure the liquid draws itself together, over ρ₀.
    fn cohesion(&self) -> f32 {
        self.substance.tension / self.substance.rest_density / (DRAWN_TOGETHER * FLAT_SURFACE * self.h)
    }

    /// Fits the liquid to walls that have moved, or to what has been added: sorts it in and computes its densities.
    pub fn fit(&mut self, walls: &Walls) {
        self.grid.lay(walls.size(), self.h);
        self.grid.sort(self.level, &mut self.particles);
        self.drowse.lay(self.grid.rows(), self.grid.across());
        // Half a patch's diagonal is 0.71 h.
        let near = |&(_, middle): &(usize, Vec2)| walls.distance(middle) < 1.72 * self.h;
        self.shore.clear();
        self.shore.extend(self.grid.patches().enumerate().filter(near).map(|(number, _)| number as u32));
        self.compute_density(walls);
        let still = Acting::of(&self.substance, self.weight + self.cohesion());
        self.compute_pressure(&still);
        self.find_surface();
        // Order has changed; what acted on the old slots acts on nobody.
        let slots = self.particles.slots();
        self.acceleration.iter_mut().chain(&mut self.felt).for_each(|array| room(array, slots).fill(0.0));
    }

    /// One substep by leap-frog: half a kick, a drift, forces where the particles are then, and the other half.
    pub fn step(&mut self, env: &Env, watch: &mut impl Watch) {
        self.weight = env.gravity.length() * env.walls.size().max_element();
        let acting = Acting::of(&self.substance, self.weight + self.cohesion()).within(env.dt, self.h);
        self.kick(env.gravity, 0.5 * env.dt);
        self.apply_pokes(env);
        watch.passed(Pass::Forces);
        self.drift(env.dt);
        self.hold_in_tank(env);
        watch.passed(Pass::Advance);
        self.grid.sort(self.level, &mut self.particles);
        self.part_coincident();
        watch.passed(Pass::Sort);
        self.compute_density(env.walls);
        self.compute_pressure(&acting);
        self.find_surface();
        watch.passed(Pass::Density);
        self.compute_forces(&acting, env.shown);
        watch.passed(Pass::Relax);
        self.kick(env.gravity, 0.5 * env.dt);
        self.rub_walls(env, acting.sound());
        watch.passed(Pass::Walls);
    }

    /// Changes velocities by what acts for `dt` seconds.
    fn kick(&mut self, gravity: Vec2, dt: f32) {
        let [ax, ay] = &self.acceleration;
        share(self.grid.bands(), self.particles.moved().0, &|band, p| {
            let own = band.slots.start..band.slots.end.min(ax.len());
            accelerate(p.vx, &ax[own.clone()], gravity.x, dt);
            accelerate(p.vy, &ay[own], gravity.y, dt);
        });
    }

    fn apply_pokes(&mut self, env: &Env) {
        if env.pokes.is_empty() {
            return;
        }
        share(self.grid.bands(), self.particles.moved().0, &|_, mut p| {
            env.pokes.iter().for_each(|poke| poke.push(&mut p, env.dt));
        });
    }

    /// Moves every particle by its velocity. The speed limit is a guard: see [`FARTHEST_MOVE`].
    fn drift(&mut self, dt: f32) {
        let limit = FARTHEST_MOVE * self.h / dt;
        share(self.grid.bands(), self.particles.moved().0, &|_, p| {
            drift(p.x, p.vx, limit, dt);
            drift(p.y, p.vy, limit, dt);
        });
    }

    fn part_coincident(&mut self) {
        self.substeps = self.substeps.wrapping_add(1);
        if self.substeps.is_multiple_of(LOOK_FOR_COINCIDENT) {
            part_coincident(&mut self.particles, &self.grid, self.h);
        }
    }

    /// Eq. 3: density `Σ m W`, over ρ₀, and the colour field. A particle counts itself, and the liquid that walls have cut
    /// off.
    fn compute_density(&mut self, walls: &Walls) {
        let Self { level, grid, drowse, particles: p, h, found, density, colour, above, .. } = self;
        let (level, h, slots, kernel) = (*level, *h, p.slots(), self.substance.density);
        sum_pairs(grid, [density, colour], above, slots, room(found, slots), |band, sums, found| {
            meet::density(level, kernel, grid, p, h, &everybody(drowse, band), found, sums);
        });
        let Self { grid, particles: p, shore, cuts, density, touching, banks, .. } = self;
        let whole = self.lattice.share;
        let beyond = whole * self.rest.crowd / kernel.at(0.0);
        touching.resize(grid.bands().len(), Vec::new());
        let (hulls, touches) = banks.lists(grid.bands().len());
        share(grid.bands(), (&mut density[..], ByBand(touching), touches), &|band, (density, touching, touches)| {
            density.iter_mut().for_each(|density| *density = (1.0 + *density) * whole);
            let touching = &mut touching.0[0];
            touching.clear();
            for slot in grid.patches_in(band, shore).flatten() {
                walls.contacts(p.at(slot), h, |Contact { distance, normal }| {
                    let distance = (distance / h).max(0.0);
                    let cut = cuts.at(distance);
                    density[slot - band.slots.start] += beyond * cut.density;
                    touching.push(Touch { slot: slot as u32, normal, distance, cut });
                });
            }
            bodies::find(hulls, (grid, band), p, h, &mut touches.0[0], |touch| {
                let cut = cuts.at(beside_body(touch, h));
                density[touch.slot as usize - band.slots.start] += beyond * cut.density;
                touch.push = beyond * cut.push / h;
            });
        });
    }

    /// Tait's equation; negative pressure is none.
    fn compute_pressure(&mut self, acting: &Acting) {
        let (density, scale) = (&self.density, self.lattice.response.powi(-2));
        let arrays = [&mut self.pressure, &mut self.thinness].map(|array| room(array, density.len()));
        share(self.grid.bands(), arrays, &|band, [pressure, thinness]| {
            let density = &density[band.slots.clone()];
            for ((pressure, thinness), &density) in pressure.iter_mut().zip(thinness).zip(density) {
                *thinness = 1.0 / density;
                *pressure = scale * acting.pressure(density) * *thinness * *thinness;
            }
        });
    }

    /// Eq. 15: the colour field c, 1 inside of the liquid and ½ on its surface; and how much of the surface a particle is
    /// by what it lacks of 1. From half the threshold to one and a half it fades in: a switch would let every particle
    /// there flicker.
    fn find_surface(&mut self) {
        let Substance { threshold, wetting, .. } = self.substance;
        let scale = POLY6 / self.rest.crowd;
        let (h, cuts, touches) = (self.h, &self.cuts, self.banks.lists(self.grid.bands().len()).1);
        let arrays = [&mut self.colour[..], room(&mut self.surface, self.particles.slots())];
        let written = (arrays, ByBand(&mut self.touching), touches);
        share(self.grid.bands(), written, &|band, ([colour, surface], touching, touches)| {
            colour.iter_mut().for_each(|colour| *colour = (1.0 + *colour) * scale);
            for touch in &touching.0[0] {
                colour[touch.slot as usize - band.slots.start] += wetting * touch.cut.colour;
            }
            for touch in &touches.0[0] {
                colour[touch.slot as usize - band.slots.start] += wetting * cuts.at(beside_body(touch, h)).colour;
            }
            for (surface, colour) in surface.iter_mut().zip(colour) {
                *surface = above_threshold(1.0 - *colour, threshold);
            }
        });
    }

    /// Eqs. 10, 14 and 19, as [`meet::forces`] has them; where somebody looks, one after the other.
    fn compute_forces(&mut self, acting: &Acting, shown: bool) {
        let strength = [1.0, acting.viscosity, acting.tension / (DRAWN_TOGETHER * FLAT_SURFACE * self.h)];
        for array in &mut self.acceleration {
            room(array, self.particles.slots()).fill(0.0);
        }
        if !shown {
            return self.add_forces(strength);
        }
        for force in Force::ALL {
            let mut one = [0.0; 3];
            one[force as usize] = strength[force as usize];
            self.add_forces(one);
            let ([x, y], felt) = (&self.sums, room(&mut self.felt[force as usize], self.particles.slots()));
            for ((felt, x), y) in felt.iter_mut().zip(x).zip(y) {
                *felt = (x * x + y * y).sqrt();
            }
        }
    }

    /// Adds forces of these strengths to the accelerations, and leaves them in the sums.
    fn add_forces(&mut self, strength: [f32; 3]) {
        let Self { level, grid, drowse, particles: p, h, found, above, sums, pressure, thinness, banks, .. } = self;
        let (level, slots) = (*level, p.slots());
        let scale = self.lattice.share / self.substance.density.at(0.0);
        let (beyond, areas) = (scale * self.rest.crowd, [scale * *h * *h, *h * *h / self.rest.crowd]);
        let exchange = Exchange { pressure, thinness, strength, areas, h: *h, found };
        let [x, y] = sums;
        sum_pairs(grid, [x, y], above, slots, (), |band, sums, ()| {
            meet::forces(level, grid, p, &exchange, &everybody(drowse, band), sums);
        });
        let (touching, wetting) = (&self.touching, self.substance.wetting);
        for touch in touching.iter().flatten() {
            let slot = touch.slot as usize;
            // No more than the wall adds to the density: a mirrored pressure, twice as much, is no energy's force.
            let push = strength[0] * pressure[slot] * beyond * touch.cut.push / *h;
            let draw = 2.0 * strength[2] * wetting * edge_slope(touch.distance) / *h;
            x[slot] += (push - draw) * touch.normal.x;
            y[slot] += (push - draw) * touch.normal.y;
        }
        for touch in banks.lists(grid.bands().len()).1.0.iter_mut().flatten() {
            let slot = touch.slot as usize;
            let draw = 2.0 * strength[2] * wetting * edge_slope(beside_body(touch, *h)) / *h;
            let given = touch.give(strength[0] * pressure[slot] * touch.push - draw);
            x[slot] += given.x;
            y[slot] += given.y;
        }
        let sums = &*sums;
        let [ax, ay] = &mut self.acceleration;
        share(grid.bands(), [&mut ax[..], ay], &|band, [ax, ay]| {
            add(ax, &sums[0][band.slots.clone()]);
            add(ay, &sums[1][band.slots.clone()]);
        });
    }

    /// Slows the liquid along walls.
    fn rub_walls(&mut self, env: &Env, sound: f32) {
        let rub = [self.substance.wall_friction, WALL_DAMPING * sound].map(|speed| speed / self.h * env.dt);
        share(self.grid.bands(), (self.particles.moved().0, ByBand(&mut self.touching)), &|_, (mut p, touching)| {
            for touch in &touching.0[0] {
                rub_wall(&mut p, touch, rub, env.walls);
            }
        });
    }

    /// Puts back what has crossed a wall, and reflects it with what the wall leaves of its speed.
    fn hold_in_tank(&mut self, env: &Env) {
        let (grid, shore, loss) = (&self.grid, &self.shore, self.substance.wall_loss);
        share(grid.bands(), self.particles.moved().0, &|band, mut p| {
            // What has been added lies behind all rows.
            let added = band.slots.end..p.slots().end;
            for slot in grid.patches_in(band, shore).chain([added]).flatten() {
                let (at, Some(normal)) = env.walls.hold(p.at(slot)) else { continue };
                p.put(slot, at);
                let wall = env.walls.wall_velocity(normal);
                let relative = p.velocity(slot) - wall;
                let inward = relative.dot(normal).min(0.0);
                p.set_velocity(slot, relative - (2.0 - loss) * inward * normal + wall);
            }
        });
    }
}

/// How far a particle is from the half-plane that a body is to it, in h.
fn beside_body(touch: &bodies::Touch, h: f32) -> f32 {
    (touch.distance / h + INSET).max(0.0)
}

/// The rows of a band, with everybody in them.
fn everybody<'a>(drowse: &'a Drowse, band: &Band) -> Sweep<'a> {
    Sweep { drowse, zone: Zone::Everybody, rows: band.rows.clone() }
}

/// Sums two quantities over all pairs, band by band, and what rows give to those above.
fn sum_pairs<W: Split>(
    grid: &Grid,
    out: [&mut Vec<f32>; 2],
    above: &mut [Vec<f32>; 2],
    slots: usize,
    written: W,
    sweep: impl Fn(&Band, [Sums; 2], W) + Sync,
) {
    let bands = grid.bands();
    let mut sums = out.map(|sums| room(sums, slots));
    let rows = rows_above(above, slots, bands);
    share(bands, (sums.each_mut().map(|sums| &mut **sums), rows, written), &|band, (sums, above, written)| {
        sweep(band, zero(band, sums, above), written);
    });
    share(bands, sums, &|band, [x, y]| {
        add(x, &above[0][band.slots.clone()]);
        add(y, &above[1][band.slots.clone()]);
    });
}

/// How much of the surface somebody is who lacks so much of the colour, 0 to 1.
fn above_threshold(lack: f32, threshold: f32) -> f32 {
    (lack / threshold - 0.5).clamp(0.0, 1.0)
}

/// Slows the liquid along a wall, at `rate` times what the wall has cut off of its neighbours.
fn rub_wall(p: &mut Moved, touch: &Touch, rates: [f32; 2], walls: &Walls) {
    let slot = touch.slot as usize;
    let v = p.velocity(slot) - walls.wall_velocity(touch.normal);
    let across = v.dot(touch.normal) * touch.normal;
    let [along, across] = [v - across, across];
    let [share, cross] = rates.map(|rate| (rate * touch.cut.density).min(1.0));
    p.set_velocity(slot, p.velocity(slot) - along * share - across * cross);
}

/// Moves along one axis.
fn drift(at: &mut [f32], v: &mut [f32], limit: f32, dt: f32) {
    for (at, v) in at.iter_mut().zip(v) {
        *v = v.clamp(-limit, limit);
        *at += *v * dt;
    }
}

/// What has been added since the forces were computed feels gravity alone.
fn accelerate(v: &mut [f32], acceleration: &[f32], gravity: f32, dt: f32) {
    let (known, added) = v.split_at_mut(acceleration.len());
    for (v, acceleration) in known.iter_mut().zip(acceleration) {
        *v += (acceleration + gravity) * dt;
    }
    added.iter_mut().for_each(|v| *v += gravity * dt);
}

/// Zero for a particle that was added after the array was filled.
fn at(array: &[f32], slot: usize) -> f32 {
    array.get(slot).copied().unwrap_or(0.0)
}
