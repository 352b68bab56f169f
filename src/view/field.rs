//! The liquid as a field: metaballs, sampled finer than the cells.
//!
//! CS184's picture is the set of points where `Σ r²/d² ≥ 1` over all particles (Blinn 1982): a lone particle is a disc
//! of radius r, near ones reach for each other and merge smoothly. Its kernel never ends, so every sample asks every
//! particle; and because sums grow with the crowd, deep liquid swells far beyond its particles. Here
//!
//! ```text
//! c(x) = Σ V (1 − d²/R²)³ / S   over particles nearer than R,    surface at c = ½
//! ```
//!
//! has the same look, a lone disc that reaches for its neighbours and merges, with a kernel that ends at R, so that
//! the cost is the sum of what particles cover plus the samples, never the product of both. S is the kernel's sum in
//! still liquid and V = 1/ρ the room that a particle has (ρ relative to the liquid at rest), the usual weights of
//! SPH's colour field: c is 1 inside of a pool and inside of a thin sheet alike, whatever the number of particles,
//! so the ½ contour lies where the liquid ends and a drop of one particle is still seen: its density is what it counts
//! for itself, which gives c = ⅔ at its centre and a disc of radius 0.3 R, whatever the liquid. R is the liquid's own
//! interaction radius, 2.5 spacings: enough to hide the lattice in a calm surface, not so much that drops vanish.
//!
//! At a wall the other half of the kernel sees no particles. [`crate::view::wall_layer`] knows which share of it is missing
//! and c is divided by what remains, so liquid meets glass without a gap.

mod splat;

use crate::cell::color::Rgb;
use crate::sim::liquid::particle_liquid::Grains;
use crate::sim::liquid::phases::MAX_PHASES;
use crate::sim::liquid::phases::{Mixture, Tint};
use crate::sim::particles::Particles;
use crate::sim::{Matter, World};
use crate::view::body::Bodies;
use crate::view::camera::Camera;
use crate::view::palette;
use crate::view::palette::Palette;
use crate::view::smoke::Haze;
use crate::view::wall_layer::Backdrop;
use crate::view::{Drive, Look, SAMPLES};
use fearless_simd::{Level, dispatch};
use glam::Vec2;
use splat::{Blob, Kernel, WIDTH, splat};

/// Fluids besides the first.
pub const OTHERS: usize = MAX_PHASES - 1;

/// The kernel spans at least so many samples, however small the tank is on the screen: with fewer, the samples would
/// miss the kernel's peak now and then, and the liquid would twinkle.
const LEAST_REACH: f32 = 1.9;

/// Speeds (m/s) between which liquid that is thin turns to foam, and the densities between which it counts as thin.
const FOAM_SPEED: (f32, f32) = (0.9, 3.0);
const FOAM_DENSITY: (f32, f32) = (0.45, 0.9);

impl Field {
    /// The shares that other fluids than the first have at a place in the arrays where the field is `cover`.
    #[inline(always)]
    pub fn tint(&self, here: usize, cover: f32) -> [f32; OTHERS] {
        if self.tints[0].is_empty() {
            return [0.0; OTHERS];
        }
        let share = 1.0 / cover.max(1e-6);
        let mut tint = self.tints.each_ref().map(|plane| plane.get(here).map_or(0.0, |tint| (tint * share).min(1.0)));
        if self.parted {
            let (own, others) = (tighten(1.0 - tint.iter().sum::<f32>()), tint.map(tighten));
            let whole = own + others.iter().sum::<f32>();
            tint = others.map(|share| share / whole);
        }
        tint
    }
}

/// Samples of the field over an area of cells, with a margin of one sample around it.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// Samples across and down, margin included; rows are `stride` long.
    pub columns: usize,
    pub rows: usize,
    pub stride: usize,
    /// c: 1 in liquid, 0 in air, ½ on the surface.
    pub cover: Vec<f32>,
    /// c times the driven value, and c times the share of foam.
    pub drive: Vec<f32>,
    pub foam: Vec<f32>,
    /// c times the shares of other fluids than the first, and what these look like; no planes where there are none.
    pub tints: [Vec<f32>; OTHERS],
    pub palettes: [Option<&'static Palette>; OTHERS],
    /// Whether none of the fluids runs into the others, so that they meet at a line.
    parted: bool,
    /// c times the own colour of those particles that have one, in linear light, and their c. Empty where none has.
    pub tint: [Vec<f32>; 4],
    /// What has no surface.
    pub haze: Haze,
    /// What lies over all else.
    pub bodies: Bodies,
    /// R in samples of the ordinary density.
    pub reach: f32,
    /// How many times as dense as [`SAMPLES`] the samples are, each way: 1, but for the ideal picture.
    pub fine: usize,
    /// How many samples particles have been splatted to; what the field costs.
    pub touched: usize,
}

/// Where samples are: the grid's corner and pitch in the tank.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    pub first: Vec2,
    /// Metres from a sample to the next, across and down the screen (the latter negative).
    pub pitch: Vec2,
}

impl Lattice {
    /// For samples `fine` times as dense as [`SAMPLES`].
    pub fn of(camera: &Camera, fine: usize) -> Self {
        let area = camera.area();
        let per_cell = Vec2::new(SAMPLES.0 as f32, SAMPLES.1 as f32) * fine as f32;
        let corner = Vec2::new(f32::from(area.x), f32::from(area.y));
        Self {
            first: camera.to_world(corner - 0.5 / per_cell),
            pitch: Vec2::new(1.0, -1.0) / (camera.scale() * per_cell),
        }
    }

    /// The place in the tank of a sample.
    pub fn at(&self, column: usize, row: usize) -> Vec2 {
        self.first + self.pitch * Vec2::new(column as f32, row as f32)
    }

    /// A place in the tank, in samples from the grid's corner.
    pub(super) fn samples(&self, world: Vec2) -> Vec2 {
        (world - self.first) / self.pitch
    }
}

impl Field {
    /// Sizes the grid for `camera`, at `fine` times the ordinary density; the memory is kept.
    pub fn lay(&mut self, camera: &Camera, fine: usize) {
        let area = camera.area();
        self.fine = fine;
        self.columns = usize::from(area.width) * SAMPLES.0 * fine + 2;
        self.rows = usize::from(area.height) * SAMPLES.1 * fine + 2;
        // Room for whole vectors beyond the last sample.
        self.stride = (self.columns + 4 * WIDTH).next_multiple_of(WIDTH);
        for array in [&mut self.cover, &mut self.drive, &mut self.foam] {
            array.clear();
            array.resize(self.rows * self.stride, 0.0);
        }
        self.tints.iter_mut().for_each(Vec::clear);
        self.tint.iter_mut().for_each(Vec::clear);
        self.haze.clear();
        self.bodies.clear();
        self.touched = 0;
        self.reach = 0.0;
    }

    /// Splats all matter of `world`.
    pub fn splat(&mut self, world: &World, camera: &Camera, look: &Look) {
        let lattice = Lattice::of(camera, self.fine);
        let scale = Scale::of(world, look.drive.within(world));
        self.haze.glaze(world.vessels(), &lattice, (self.columns, self.rows, self.stride), &look.palette);
        for matter in world.matter() {
            match matter {
                Matter::Liquid(liquid) => self.splat_liquid(Grains::Liquid(liquid), &lattice, scale),
                Matter::Sph(sph) => self.splat_liquid(Grains::Sph(sph), &lattice, scale),
                Matter::Smoke(smoke) => {
                    let shape = (self.columns, self.rows, self.stride);
                    self.haze.spread(smoke, &lattice, shape, scale, &look.palette);
                }
                Matter::Bodies(bodies) => {
                    let (shape, fine) = ((self.columns, self.rows, self.stride), (self.fine, self.reach));
                    self.bodies.draw(bodies.all(), &lattice, shape, fine, &look.palette);
                }
                // Drawn apart: it is sharper than the samples.
                Matter::Cloth(_) => {}
            }
        }
    }

    fn splat_liquid(&mut self, liquid: Grains, lattice: &Lattice, scale: Scale) {
        let kernel = Kernel::new(liquid, lattice, LEAST_REACH * self.fine as f32);
        self.reach = kernel.reach.x / self.fine as f32;
        let p = liquid.particles();
        let mixture = liquid.mixture();
        mixture.into_iter().for_each(|mixture| self.lay_tints(mixture));
        let mixture = mixture.filter(|mixture| !mixture.is_plain());
        if liquid.is_tinted() {
            self.tint.iter_mut().for_each(|plane| plane.resize(self.cover.len(), 0.0));
        }
        let blobs = p.alive().map(
            #[inline(always)]
            |slot| {
                let cover = kernel.weight(liquid.relative_density(slot));
                let (drive, foam) = (cover * scale.value(liquid, slot), cover * foam(liquid, p, slot));
                let shares = mixture.map_or([0.0; OTHERS], |mixture| others(mixture.tint(p.id[slot])));
                let shares = shares.map(|share| cover * share);
                let tint = liquid.tint(slot).map(|[r, g, b]| Rgb(r, g, b).linear());
                Blob { at: lattice.samples(p.at(slot)), cover, drive, foam, shares, tint }
            },
        );
        dispatch!(Level::new(), simd => splat(simd, self, &kernel, blobs));
    }

    /// Makes room for the colours of several fluids, if there are several.
    fn lay_tints(&mut self, mixture: &Mixture) {
        let palettes = mixture.palettes().iter().skip(1);
        self.parted = mixture.fluids().iter().all(|fluid| fluid.diffusion == 0.0);
        for ((plane, own), name) in self.tints.iter_mut().zip(&mut self.palettes).zip(palettes) {
            plane.resize(self.rows * self.stride, 0.0);
            *own = name.as_deref().and_then(palette::find);
        }
    }

    /// Divides by the share of the kernel that walls and bodies have left free.
    pub fn compensate(&mut self, backdrop: &Backdrop) {
        let planes = self.tints.iter_mut().chain(&mut self.tint).filter(|plane| !plane.is_empty());
        for array in [&mut self.cover, &mut self.drive, &mut self.foam].into_iter().chain(planes) {
            backdrop.compensate(array);
        }
        self.bodies.compensate(&backdrop.gain, [&mut self.cover, &mut self.drive, &mut self.foam]);
    }
}

/// What the driven value is measured against.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub drive: Drive,
    /// m/s, m²/s² or m/s².
    pub full: f32,
}

impl Scale {
    pub fn of(world: &World, drive: Drive) -> Self {
        // A fall, and a column of liquid, of half the tank's typical height. In weightless scenes: as under gravity.
        let gravity = if world.definition().gravity > 0.0 { world.definition().gravity } else { 9.81 };
        let depth = 0.5 * (world.size().x * world.size().y).sqrt();
        let full = match drive {
            Drive::Density | Drive::Amount | Drive::Surface => 1.0,
            Drive::Force(_) => gravity,
            Drive::Speed => (2.0 * gravity * depth).sqrt(),
            Drive::Pressure => gravity * depth,
        };
        Self { drive, full }
    }

    /// The place on the palette of a particle, 0 to 1.
    fn value(&self, liquid: Grains, slot: usize) -> f32 {
        let value = match self.drive {
            // Still liquid is a quarter up the palette: compression shows below, spray above.
            Drive::Density | Drive::Amount => (1.2 - liquid.relative_density(slot)) / 0.8,
            Drive::Speed => liquid.particles().velocity(slot).length() / self.full,
            Drive::Pressure => 1.0 - liquid.pressure(slot) / self.full,
            // Forces span decades: gravity's strength is in the middle.
            Drive::Force(force) => {
                let force = liquid.force(force, slot);
                force / (force + self.full)
            }
            Drive::Surface => liquid.surface(slot),
        };
        value.clamp(0.0, 1.0)
    }
}

/// How much of a particle is foam, 0 to 1: what is both fast and thin.
fn foam(liquid: Grains, p: &Particles, slot: usize) -> f32 {
    let thin = 1.0 - ramp(FOAM_DENSITY, liquid.relative_density(slot));
    if thin > 0.0 { thin * ramp(FOAM_SPEED, p.velocity(slot).length()) } else { 0.0 }
}

/// 0 below, 1 above, straight between.
fn ramp((from, to): (f32, f32), value: f32) -> f32 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// What makes of kernels that overlap a line that is a fraction of one wide.
#[inline(always)]
fn tighten(share: f32) -> f32 {
    let square = share * share;
    (square * square).max(1e-9)
}

/// The shares of other fluids than the first.
fn others([_, others @ ..]: Tint) -> [f32; OTHERS] {
    others
}
