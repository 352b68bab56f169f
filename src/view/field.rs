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
use crate::sim::liquid::MAX_PHASES;
use crate::sim::liquid::particle_liquid::Grains;
use crate::sim::liquid::phases::{Mixture, Tint};
use crate::sim::particles::Particles;
use crate::sim::{Matter, World};
use crate::view::body::BodyLayer;
use crate::view::camera::Camera;
use crate::view::color_scale::ColorScale;
use crate::view::grid_layout::GridLayout;
use crate::view::palette;
use crate::view::palette::Palette;
use crate::view::render_style::RenderStyle;
use crate::view::smoke::SmokeLayer;
use crate::view::wall_layer::WallLayer;
use fearless_simd::{Level, dispatch};
use splat::{Blob, Kernel, splat};

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
    pub grid: GridLayout,
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
    pub smoke: SmokeLayer,
    /// What lies over all else.
    pub bodies: BodyLayer,
    /// R in samples of the ordinary density.
    pub reach: f32,
    /// How many samples particles have been splatted to; what the field costs.
    pub touched: usize,
}

impl Field {
    /// Sizes the grid for `camera`, at `oversampling` times the ordinary density; the memory is kept.
    pub fn resize(&mut self, camera: &Camera, oversampling: usize) {
        self.grid = GridLayout::new(camera, oversampling);
        for array in [&mut self.cover, &mut self.drive, &mut self.foam] {
            array.clear();
            array.resize(self.grid.len(), 0.0);
        }
        self.tints.iter_mut().for_each(Vec::clear);
        self.tint.iter_mut().for_each(Vec::clear);
        self.smoke.clear();
        self.bodies.clear();
        self.touched = 0;
        self.reach = 0.0;
    }

    /// Splats all matter of `world` to the grid.
    pub fn splat(&mut self, world: &World, look: &RenderStyle) {
        let (grid, palette) = (self.grid, &look.palette);
        let scale = ColorScale::new(world, look.color_by.within(world));
        self.smoke.draw_outlines(world.vessels(), &grid, palette);
        for matter in world.matter() {
            match matter {
                Matter::Liquid(liquid) => self.splat_liquid(Grains::Liquid(liquid), scale),
                Matter::Sph(sph) => self.splat_liquid(Grains::Sph(sph), scale),
                Matter::Smoke(smoke) => self.smoke.draw(smoke, &grid, scale, palette),
                Matter::Bodies(bodies) => self.bodies.draw(bodies.all(), &grid, self.reach, palette),
                // Drawn apart: it is sharper than the samples.
                Matter::Cloth(_) => {}
            }
        }
    }

    fn splat_liquid(&mut self, liquid: Grains, scale: ColorScale) {
        let grid = self.grid;
        let kernel = Kernel::new(liquid, &grid, LEAST_REACH * grid.oversampling as f32);
        self.reach = kernel.reach.x / grid.oversampling as f32;
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
                let (drive, foam) = (cover * scale.of_particle(liquid, slot), cover * foam(liquid, p, slot));
                let shares = mixture.map_or([0.0; OTHERS], |mixture| others(mixture.tint(p.id[slot])));
                let shares = shares.map(|share| cover * share);
                let tint = liquid.tint(slot).map(|[r, g, b]| Rgb(r, g, b).linear());
                Blob { at: grid.to_samples(p.position(slot)), cover, drive, foam, shares, tint }
            },
        );
        dispatch!(Level::new(), simd => splat(simd, self, &kernel, blobs));
    }

    /// Makes room for the colours of several fluids, if there are several.
    fn lay_tints(&mut self, mixture: &Mixture) {
        let palettes = mixture.palettes().iter().skip(1);
        self.parted = mixture.fluids().iter().all(|fluid| fluid.diffusion == 0.0);
        for ((plane, own), name) in self.tints.iter_mut().zip(&mut self.palettes).zip(palettes) {
            plane.resize(self.grid.len(), 0.0);
            *own = name.as_deref().and_then(palette::find);
        }
    }

    /// Divides by the share of the kernel that walls and bodies have left free.
    pub fn compensate(&mut self, walls: &WallLayer) {
        let planes = self.tints.iter_mut().chain(&mut self.tint).filter(|plane| !plane.is_empty());
        for array in [&mut self.cover, &mut self.drive, &mut self.foam].into_iter().chain(planes) {
            walls.compensate(array);
        }
        self.bodies.compensate(&walls.gain, [&mut self.cover, &mut self.drive, &mut self.foam]);
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
