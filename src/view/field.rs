//! The liquid as a field: metaballs (Blinn 1982), sampled finer than the cells: c(x) = Σ V (1 − d²/R²)³ / S over particles nearer
//! than R, with the surface at c = ½. S is the kernel's sum in still liquid, V = 1/ρ the volume of a particle (ρ relative to the
//! liquid at rest). So c is 1 inside of a pool and of a thin sheet alike, and a lone particle is a disc of radius 0.3 R. R is 2.5
//! spacings: enough to hide the lattice. At a wall c is divided by the part of the kernel that is left (`wall_layer`).

mod drops;
mod splat;

use crate::cell::color::LinearRgb;
use crate::math::ramp;
use crate::sim::World;
use crate::sim::definition::Metaballs;
use crate::sim::liquid::Liquid;
use crate::sim::liquid::froude::FroudeScale;
use crate::sim::liquid::phases::Phases;
use crate::sim::particles::Particles;
use crate::view::body::{BodyLayer, CutField};
use crate::view::camera::Camera;
use crate::view::color_scale::ColorScale;
use crate::view::decor::Decor;
use crate::view::glyph::texel_block::TexelRow;
use crate::view::grid_layout::{GridLayout, LANES};
use crate::view::incandescence;
use crate::view::light_mode::LightElement;
use crate::view::palette::Palette;
use crate::view::render_style::{ColorBy, LiquidStyle, RenderStyle};
use crate::view::sample::OTHER_PHASES;
use crate::view::smoke::SmokeLayer;
use crate::view::wall_layer::WallLayer;
use drops::Drops;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
pub(super) use splat::SURFACE;
use splat::{Blob, SplatKernel, splat};

/// Minimum radius of the kernel in samples: with fewer, samples miss the kernel's peak now and then, and the liquid twinkles.
const MIN_REACH: f32 = 1.9;

/// Smallest weight at which the own colour of particles is drawn.
const MIN_DYE: f32 = 1e-30;

/// Speeds between which a crest of foaming liquid turns white, m/s in a tank of ordinary size; relative densities between which it
/// counts as thin; and those below which it is a drop.
const FOAM_SPEED: [f32; 2] = [0.9, 3.0];
const FOAM_DENSITY: [f32; 2] = [0.45, 0.72];
const DROP_DENSITY: [f32; 2] = [0.5, 0.62];

/// Speeds between which a crust breaks up, m/s in such a tank; the fraction of particles that are cracks in it; and the number of
/// particles that started side by side and are cracks together.
const CRUST_SPEED: [f32; 2] = [0.15, 0.9];
const CRACKS: f32 = 0.27;
const CRACK_LENGTH: u32 = 2;

#[derive(Clone, Debug, Default)]
pub struct Field {
    pub grid: GridLayout,
    /// c: 1 in liquid, 0 in air, ½ on the surface.
    pub coverage: Vec<f32>,
    /// c times the palette position.
    pub color_value: Vec<f32>,
    /// c times the fraction of foam.
    pub foam: Vec<f32>,
    /// c times the fractions of the other phases than the first; empty where there are none.
    pub phases: [Vec<f32>; OTHER_PHASES],
    pub phase_palettes: [Option<Palette>; OTHER_PHASES],
    /// Whether no phase diffuses into the others, so that they meet at a line.
    pub immiscible: bool,
    /// Sums over particles, by a kernel so sharp that the nearest particle dominates: the colours of particles with their own, in
    /// linear light; the weights of these; and all weights. Empty where no particle has a colour of its own.
    pub own_color: [Vec<f32>; 5],
    pub smoke: SmokeLayer,
    pub bodies: BodyLayer,
    drops: Drops,
    /// R in samples of the ordinary density.
    pub reach: f32,
    /// Lengths and speeds that were chosen by eye are those in a tank of ordinary size.
    pub scale: FroudeScale,
    pub samples_touched: usize,
}

impl Field {
    /// Returns the fractions of the phases other than the first, at an element.
    #[inline(always)]
    pub fn phase_fractions(&self, here: usize) -> [f32; OTHER_PHASES] {
        let mut fractions = [0.0; OTHER_PHASES];
        let share = 1.0 / self.coverage[here].max(1e-6);
        let present = self.phases.iter().take_while(|plane| !plane.is_empty()).count();
        let others = &mut fractions[..present];
        let mut own = 1.0;
        for (fraction, plane) in others.iter_mut().zip(&self.phases) {
            *fraction = (plane[here] * share).min(1.0);
            own -= *fraction;
        }
        if self.immiscible && present > 0 {
            others.iter_mut().for_each(|share| *share = tighten(*share));
            let whole = tighten(own) + others.iter().sum::<f32>();
            others.iter_mut().for_each(|share| *share /= whole);
        }
        fractions
    }

    /// [`Field::phase_fractions`] of eight samples, and the number of other phases. `share` is 1 over the samples' coverage, and
    /// `read` reads them from a plane.
    #[inline(always)]
    pub fn phase_fractions_of<S: Simd>(
        &self,
        simd: S,
        share: TexelRow<S>,
        read: impl Fn(&[f32]) -> [f32; LANES],
    ) -> ([TexelRow<S>; OTHER_PHASES], usize) {
        let (zero, one) = (TexelRow::splat(simd, 0.0), TexelRow::splat(simd, 1.0));
        let present = self.phases.iter().take_while(|plane| !plane.is_empty()).count();
        let (mut fractions, mut own) = ([zero; OTHER_PHASES], one);
        for (fraction, plane) in fractions[..present].iter_mut().zip(&self.phases) {
            *fraction = (TexelRow::from_slice(simd, &read(plane)) * share).min(one);
            own -= *fraction;
        }
        if self.immiscible && present > 0 {
            let mut whole = tighten_each(simd, own);
            for fraction in &mut fractions[..present] {
                *fraction = tighten_each(simd, *fraction);
                whole += *fraction;
            }
            for fraction in &mut fractions[..present] {
                *fraction /= whole;
            }
        }
        (fractions, present)
    }

    /// The own colour of the particles around an element, and the fraction of the palette's colour that it hides, if it has one.
    #[inline(always)]
    pub fn own_color_at(&self, here: usize) -> Option<(LinearRgb, f32)> {
        let weight = *self.own_color[3].get(here)?;
        (weight > MIN_DYE).then(|| {
            ([0, 1, 2].map(|channel| self.own_color[channel][here] / weight), weight / self.own_color[4][here])
        })
    }

    /// Sizes the grid for `camera`, at `oversampling` times the ordinary density; the memory is kept.
    pub fn resize(&mut self, camera: &Camera, oversampling: usize) {
        self.grid = GridLayout::new(camera, oversampling);
        for array in [&mut self.coverage, &mut self.color_value, &mut self.foam] {
            array.clear();
            array.resize(self.grid.elements(), 0.0);
        }
        self.phases.iter_mut().for_each(Vec::clear);
        self.own_color.iter_mut().for_each(Vec::clear);
        self.smoke.clear();
        self.bodies.distance.clear();
        self.samples_touched = 0;
        self.reach = 0.0;
    }

    pub fn splat(&mut self, world: &World, decor: &Decor, style: &RenderStyle) {
        let (grid, palette) = (self.grid, &style.palette);
        self.scale = world.scale();
        let scale = ColorScale::new(world, style.color_by.within(world));
        self.smoke.draw_outlines(&decor.ghost_outlines, &grid, palette);
        // Cloth is drawn separately, because it is sharper than the samples.
        if let Some(liquid) = world.liquid().filter(|_| style.liquid_style != LiquidStyle::Particles) {
            self.splat_liquid(liquid, &world.definition().metaballs, decor, scale, style);
        }
        if let Some(smoke) = world.smoke() {
            self.smoke.draw(smoke, &grid, scale, palette);
        }
        if !world.bodies().is_empty() || world.life().is_some() || !world.definition().mark.is_empty() {
            let liquid = CutField { coverage: &self.coverage, reach: self.reach };
            self.bodies.draw(world, &grid, liquid, palette);
        }
    }

    fn splat_liquid(
        &mut self,
        liquid: &Liquid,
        metaballs: &Metaballs,
        decor: &Decor,
        scale: ColorScale,
        style: &RenderStyle,
    ) {
        let grid = self.grid;
        let kernel = SplatKernel::new(liquid, metaballs, &grid, MIN_REACH * grid.oversampling as f32);
        self.reach = kernel.reach.x / grid.oversampling as f32;
        let p = liquid.particles();
        self.resize_phases(liquid.phases(), style);
        let mixture = Some(liquid.phases()).filter(|mixture| !mixture.is_single_phase());
        // Colours by temperature, as the palette has them in the ordinary picture.
        let by_temperature = scale.color_by == ColorBy::Density && liquid.heat().is_some();
        let palettes: [Option<&Palette>; OTHER_PHASES + 1] = std::array::from_fn(|phase| match phase.checked_sub(1) {
            None => Some(&style.palette),
            Some(other) => self.phase_palettes[other].as_ref(),
        });
        let temperatures = palettes.map(|palette| palette?.temperatures.filter(|_| by_temperature));
        let by_temperature = temperatures.iter().any(Option::is_some);
        let is_hot = |slot| liquid.temperature(slot).and_then(incandescence::at).is_some();
        let glows = scale.color_by == ColorBy::Density && liquid.heat().is_some() && p.alive().any(is_hot);
        if glows || !decor.particle_colors.is_empty() {
            self.own_color.iter_mut().for_each(|plane| plane.resize(self.coverage.len(), 0.0));
        }
        let optics = palettes.map(|own| own.unwrap_or(&style.palette).optics.drawn_in(style.light));
        let crusts = optics.iter().any(|optics| optics.crust > 0.0);
        let foams: [f32; OTHER_PHASES + 1] = std::array::from_fn(|phase| match style.light.has(LightElement::Foam) {
            true if phase < liquid.phases().params.len() => liquid.whitening(phase as u8).foam.min(1.0),
            _ => 0.0,
        });
        let boils = liquid.boils();
        let unit_speed = self.scale.speed;
        // The reference image is fine enough for drops to be where they are.
        let mut drops = (grid.oversampling == 1).then(|| std::mem::take(&mut self.drops));
        if let Some(drops) = &mut drops {
            let places = liquid.liquid_slots().map(|slot| grid.to_samples(p.position(slot)));
            drops.find(places, &grid, kernel.reach, style.glyphs);
        }
        let blobs = liquid.liquid_slots().map(
            #[inline(always)]
            |slot| {
                let coverage = kernel.weight(liquid.relative_density(slot));
                let coverage = if boils { coverage * (1.0 - bubble(liquid.vapor_fraction(slot))) } else { coverage };
                let [_, shares @ ..] = mixture.map_or([0.0; OTHER_PHASES + 1], |mixture| mixture.fractions(p.id[slot]));
                let mut value = scale.of_particle(liquid, slot);
                // Of clear liquid the thickness decides, which the light finds.
                let phase = usize::from(mixture.map_or(0, |mixture| mixture.phase_of(p.id[slot])));
                value += (scale.at_rest() - value) * (1.25 * optics[phase].clarity).min(1.0);
                let cracks = if liquid.phases().is_solid(phase as u8) { optics[phase].cracks } else { 0.0 };
                let is_crack = cracks > 0.0 && is_crack(p, slot);
                if is_crack {
                    value += cracks;
                }
                if by_temperature {
                    let temperature = liquid.temperature(slot).unwrap_or_default();
                    let own = 1.0 - shares.iter().sum::<f32>();
                    let mixed = value;
                    for (share, ends) in std::iter::once(&own).chain(&shares).zip(&temperatures) {
                        if let Some(ends) = ends {
                            value += (ramp(temperature, *ends) - mixed) * share;
                        }
                    }
                }
                if crusts {
                    let crust = optics[0].crust * (1.0 - shares.iter().sum::<f32>())
                        + shares.iter().zip(&optics[1..]).map(|(share, optics)| share * optics.crust).sum::<f32>();
                    value += (coolness(p, slot, unit_speed) - value) * crust;
                }
                let own_color = decor.particle_colors.get(p.id[slot] as usize).map(|color| (color.linear(), 1.0));
                let heat = if glows { liquid.temperature(slot).and_then(incandescence::at) } else { None };
                // Between its cracks hot rock has a crust.
                let crust = if is_crack { 0.0 } else { cracks };
                let own_color = heat.map(|(light, hidden)| (light, hidden * (1.0 - crust))).or(own_color);
                let place = grid.to_samples(p.position(slot));
                Blob {
                    at: drops.as_ref().map_or(place, |drops| place + drops.way(place)),
                    coverage,
                    color_value: coverage * value,
                    foam: match foams[phase] {
                        foams if foams > 0.0 => coverage * foams * foam(liquid, slot, unit_speed),
                        _ => 0.0,
                    },
                    phases: shares.map(|share| coverage * share),
                    own_color,
                }
            },
        );
        dispatch!(Level::new(), simd => splat(simd, self, &kernel, blobs));
        self.drops = drops.unwrap_or_default();
    }

    fn resize_phases(&mut self, mixture: &Phases, style: &RenderStyle) {
        let palettes = mixture.labels.iter().skip(1);
        self.immiscible = mixture.params.iter().all(|fluid| fluid.diffusion == 0.0);
        for ((plane, own), name) in self.phases.iter_mut().zip(&mut self.phase_palettes).zip(palettes) {
            plane.resize(self.grid.elements(), 0.0);
            let named = style.find_palette(name.as_deref());
            if own.as_ref() != named {
                *own = named.cloned();
            }
        }
    }

    pub fn compensate(&mut self, walls: &WallLayer) {
        let planes = self.phases.iter_mut().chain(&mut self.own_color).filter(|plane| !plane.is_empty());
        for array in [&mut self.coverage, &mut self.color_value, &mut self.foam].into_iter().chain(planes) {
            walls.compensate(array);
        }
        self.bodies.compensate(&walls.gain, [&mut self.coverage, &mut self.color_value, &mut self.foam]);
    }
}

/// The fraction of a particle that is drawn as a bubble, by its vapour fraction: by mass a thousandth of water would already be
/// more than half.
fn bubble(vapor: f32) -> f32 {
    (BUBBLE_SIZE * vapor.sqrt()).min(1.0)
}

/// A bubble has its full size from a vapour fraction of the inverse square of this on.
const BUBBLE_SIZE: f32 = 3.0;

/// The coolness of a particle of crusting matter, 0 to 1.
fn coolness(p: &Particles, slot: usize, unit_speed: f32) -> f32 {
    if is_crack(p, slot) { 0.0 } else { 1.0 - ramp(p.velocity(slot).length() / unit_speed, CRUST_SPEED) }
}

/// Some particles are cracks, wherever they go, so the pattern moves with the matter.
fn is_crack(p: &Particles, slot: usize) -> bool {
    // Not a multiplicative hash: rows of consecutive numbers would show it as stripes.
    fastrand::Rng::with_seed(u64::from(p.id[slot] / CRACK_LENGTH)).f32() < CRACKS
}

/// Returns the foam fraction of a particle of foaming liquid, 0 to 1. Crests are fast and thin, and are not drops.
fn foam(liquid: &Liquid, slot: usize, unit_speed: f32) -> f32 {
    let density = liquid.relative_density(slot);
    let thin = (1.0 - ramp(density, FOAM_DENSITY)) * ramp(density, DROP_DENSITY);
    if thin == 0.0 { 0.0 } else { thin * ramp(liquid.particles().velocity(slot).length() / unit_speed, FOAM_SPEED) }
}

/// Sharpens a fraction so that, after normalization, kernels of two phases meet at a line that is a fraction of a kernel wide.
#[inline(always)]
fn tighten(share: f32) -> f32 {
    let square = share * share;
    (square * square).max(1e-9)
}

#[inline(always)]
fn tighten_each<S: Simd>(simd: S, share: TexelRow<S>) -> TexelRow<S> {
    let square = share * share;
    (square * square).max(TexelRow::splat(simd, 1e-9))
}
