//! From samples of the field to colours, for every glyph mode and the reference image. Where no other reason is given, constants
//! are chosen by eye.

use crate::cell::color::{LinearRgb, mix};
use crate::math::Elementary;
use crate::view::field::Field;
use crate::view::glyph::texel_block::TexelRow;
use crate::view::grid_layout::LANES;
use crate::view::light::LitSamples;
use crate::view::light_mode::LightMode;
use crate::view::palette::Palette;
use crate::view::render_style::RenderStyle;
use crate::view::sample::{Lit, OTHER_PHASES};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;

/// The fraction of the deep colour in liquid that no light reaches.
const DEEP_FRACTION: f32 = 0.92;

/// The fraction of the rim's colour in the line of the surface, and of the foam's colour in foam.
const LINE_FRACTION: f32 = 0.55;
const FOAM_FRACTION: f32 = 0.9;

/// The fraction of the foam's colour in the rim's; the rest is the palette's light end.
const RIM_FOAM: f32 = 0.2;

/// Shift up the palette, as a fraction of it, that full light causes directly below the surface.
const GLOW: f32 = 0.3;

/// The fraction of its light that liquid with a colour of its own loses where no light reaches it, and the fraction that it gains
/// under the surface.
const SHADOW: f32 = 0.55;
const SHINE: f32 = 0.15;

/// Width of the line of the surface, in samples; and the largest part of the field's rise from 0 to 1 that it may take.
const LINE_WIDTH: f32 = 1.4;
const MAX_LINE_RISE: f32 = 0.33;

/// Distance over which an edge fades, in samples: one texel, of four a sample.
pub(super) const EDGE_WIDTH: f32 = 0.25;

/// Slope of the field across a calm surface, per R. For half a plane of liquid it is 1 / ∫ (1 − t²)^3.5 dt = 1/0.859 = 1.16; a
/// surface of particles is steeper.
const SLOPE: f32 = 1.4;

/// The fraction of a fluid above which it counts as unmixed, at an error of less than a code value.
const NEARLY_ALL: f32 = 0.998;

/// The fraction of a fluid up to which it does not count: a tenth of a code value at most, where fractions never are zero.
pub(super) const NEARLY_NONE: f32 = 1e-4;

/// The least reflectance of a little paint in a mixture: with a channel of zero, every mixture would be black in it.
const MIN_REFLECTANCE: f32 = 0.01;

pub struct Shade<'a> {
    field: &'a Field,
    palette: &'a Palette,
    immiscible: bool,
    /// Samples per unit of the field, along the normal of the surface.
    pub distance: f32,
    /// The fraction of the rim's colour in the line of the surface.
    line: f32,
    /// Rise of the field across the line of the surface.
    pub width: f32,
}

impl<'a> Shade<'a> {
    pub fn new(style: &'a RenderStyle, field: &'a Field) -> Self {
        let distance = field.reach.max(1.0) / SLOPE;
        let optics = style.palette.optics.drawn_in(style.light);
        Self {
            field,
            palette: &style.palette,
            immiscible: field.immiscible && style.light != LightMode::FLAT,
            // A surface that reflects the sky needs less of a line.
            line: LINE_FRACTION * (1.0 - optics.fresnel),
            distance,
            width: (LINE_WIDTH / distance).min(MAX_LINE_RISE),
        }
    }

    /// Returns the distance below the surface, in samples; negative above it. Valid only near the surface.
    #[inline(always)]
    pub fn depth(&self, coverage: f32) -> f32 {
        (coverage - 0.5) * self.distance
    }

    /// Returns the field value above which there is neither an edge nor the surface line.
    pub fn interior(&self) -> f32 {
        0.5 + self.width.max(0.5 * EDGE_WIDTH / self.distance)
    }

    /// The field value up to which a texel is empty, at least 0: with small kernels the line would begin below zero.
    pub fn exterior(&self) -> f32 {
        (0.5 - 0.5 * EDGE_WIDTH / self.distance).max(0.0)
    }

    /// The colours of eight samples of liquid, by channel: with the reflections of the surface, in which the foam's colour stands
    /// for the sky and the deep colour for the ground, and without its line. `read` reads the samples from a plane of the field.
    #[inline(always)]
    pub fn bodies<S: Simd>(
        &self,
        simd: S,
        read: impl Fn(&[f32]) -> [f32; LANES],
        lit: &LitSamples,
    ) -> [TexelRow<S>; 3] {
        let Field { coverage, color_value, foam, .. } = self.field;
        let one = TexelRow::splat(simd, 1.0);
        let share = one / TexelRow::from_slice(simd, &read(coverage)).max(TexelRow::splat(simd, 1e-6));
        let value = (TexelRow::from_slice(simd, &read(color_value)) * share).min(one);
        let foam = (TexelRow::from_slice(simd, &read(foam)) * share).min(one);
        let (phases, present) = self.field.phase_fractions_of(simd, share, read);
        if present > 0 {
            return self.blended_bodies(simd, [value, foam], lit, &phases[..present]);
        }
        let mut bodies = palette_bodies(simd, self.palette, value, foam, lit);
        let [sky, ground, left] = reflected(simd, lit);
        for (c, body) in bodies.iter_mut().enumerate() {
            *body = *body * left + sky * self.palette.foam[c] + ground * self.palette.deep[c];
        }
        bodies
    }

    /// [`Shade::bodies`] of samples anywhere in the field.
    pub fn bodies_at(&self, places: [usize; LANES], lit: [Lit; LANES]) -> [[f32; LANES]; 3] {
        dispatch!(Level::new(), simd => {
            self.bodies(simd, |plane| places.map(|here| plane[here]), &lit.into()).map(<[f32; LANES]>::from)
        })
    }

    /// [`Shade::bodies`] of several phases: compiled once, because most liquids have one. Fluids that mix do so subtractively, like
    /// paints: the product of the colours to the power of the fractions.
    #[simd]
    fn blended_bodies<S: Simd>(
        &self,
        simd: S,
        [color_value, foam]: [TexelRow<S>; 2],
        lit: &LitSamples,
        phases: &[TexelRow<S>],
    ) -> [TexelRow<S>; 3] {
        let (zero, one) = (TexelRow::splat(simd, 0.0), TexelRow::splat(simd, 1.0));
        let [sky, ground, left] = reflected(simd, lit);
        let mut others = zero;
        for fraction in phases {
            others += *fraction;
        }
        let own = (one - others).max(zero);
        let pure = own.simd_gt(NEARLY_ALL);
        let mut bodies = [if self.immiscible { zero } else { one }; 3];
        let mut mirrored = [zero; 3];
        for number in 0..=phases.len() {
            let fraction = if number == 0 { pure.select(one, own) } else { pure.select(zero, phases[number - 1]) };
            let counts = fraction.simd_gt(NEARLY_NONE);
            if !counts.any_true() {
                continue;
            }
            let fraction = counts.select(fraction, zero);
            let palette = self.palette_of(number);
            let colors = palette_bodies(simd, palette, color_value, foam, lit);
            for (c, color) in colors.into_iter().enumerate() {
                bodies[c] = if self.immiscible {
                    bodies[c] + color * fraction
                } else {
                    bodies[c] * power(simd, color.max((one - fraction) * MIN_REFLECTANCE), fraction)
                };
                mirrored[c] += (sky * palette.foam[c] + ground * palette.deep[c]) * fraction;
            }
        }
        for (body, mirrored) in bodies.iter_mut().zip(mirrored) {
            *body = *body * left + mirrored;
        }
        bodies
    }

    /// Mixes into `body` the fraction of liquid that has a colour of its own, which is darker with depth and lighter right under
    /// the surface.
    pub fn dyed(&self, body: LinearRgb, own: LinearRgb, fraction: f32, light: f32) -> LinearRgb {
        let lit = light * light;
        let shaded = own.map(|part| part * (1.0 - SHADOW * (1.0 - light)));
        mix(body, shaded.map(|part| (part * (1.0 + SHINE * lit * lit)).min(1.0)), fraction)
    }

    /// The colour that the line of the surface tends to, mixed as [`Shade::bodies`].
    pub fn rim(&self, phases: [f32; OTHER_PHASES]) -> LinearRgb {
        let of = |palette: &Palette| mix(palette.at(1.0), palette.foam, RIM_FOAM);
        let own = (1.0 - phases.iter().sum::<f32>()).max(0.0);
        if own > NEARLY_ALL {
            return of(self.palette);
        }
        let mut rim = [if self.immiscible { 0.0 } else { 1.0 }; 3];
        let fractions = std::iter::once(own).chain(phases).enumerate();
        for (number, fraction) in fractions.filter(|(_, fraction)| *fraction > NEARLY_NONE) {
            for (rim, color) in rim.iter_mut().zip(of(self.palette_of(number))) {
                if self.immiscible {
                    *rim += color * fraction;
                } else {
                    *rim *= color.max(MIN_REFLECTANCE * (1.0 - fraction)).power(fraction);
                }
            }
        }
        rim
    }

    /// The palette of a phase, by its number.
    fn palette_of(&self, number: usize) -> &Palette {
        let other = number.checked_sub(1).and_then(|other| self.field.phase_palettes[other].as_ref());
        other.unwrap_or(self.palette)
    }

    /// Returns the fraction of the rim's colour in a sample, which draws the line of the surface.
    #[inline(always)]
    pub fn line(&self, coverage: f32, light: f32) -> f32 {
        let above = 1.0 - ((coverage - 0.5) / self.width).clamp(0.0, 1.0);
        above * above * self.brightest_line(light)
    }

    #[inline(always)]
    pub fn brightest_line(&self, light: f32) -> f32 {
        self.line * light * light
    }
}

/// The fractions of eight samples' colours that are reflected from above and from below, and that are their own.
#[inline(always)]
fn reflected<S: Simd>(simd: S, lit: &LitSamples) -> [TexelRow<S>; 3] {
    let (sky, ground) = (TexelRow::from_slice(simd, &lit.0[2]), TexelRow::from_slice(simd, &lit.0[3]));
    [sky, ground, TexelRow::splat(simd, 1.0) - sky - ground]
}

#[inline(always)]
fn palette_bodies<S: Simd>(
    simd: S,
    palette: &Palette,
    color_value: TexelRow<S>,
    foam: TexelRow<S>,
    lit: &LitSamples,
) -> [TexelRow<S>; 3] {
    let crust = palette.optics.crust;
    let (zero, one) = (TexelRow::splat(simd, 0.0), TexelRow::splat(simd, 1.0));
    let light = TexelRow::from_slice(simd, &lit.0[0]);
    let squared = light * light;
    let place = color_value + TexelRow::from_slice(simd, &lit.0[1]) + squared * GLOW * squared * (1.0 - crust);
    // A crust hides the deep colour.
    let deep = (one - light) * DEEP_FRACTION * (one - place.max(zero).min(one) * crust);
    let colors = palette.at_each(place.into());
    let light_end = palette.at(1.0);
    let white = foam * FOAM_FRACTION * foam;
    let mut bodies = [zero; 3];
    for (c, body) in bodies.iter_mut().enumerate() {
        let color = TexelRow::from_slice(simd, &colors[c]);
        let color = color + (TexelRow::splat(simd, palette.deep[c]) - color) * deep;
        // First to the palette's light end, because a direct mixture of deep blue and white is lilac.
        let color = color + (TexelRow::splat(simd, light_end[c]) - color) * foam;
        *body = color + (TexelRow::splat(simd, palette.foam[c]) - color) * white;
    }
    bodies
}

#[inline(always)]
fn power<S: Simd>(simd: S, base: TexelRow<S>, exponent: TexelRow<S>) -> TexelRow<S> {
    let (mut values, exponents): ([f32; LANES], [f32; LANES]) = (base.into(), exponent.into());
    for (value, exponent) in values.iter_mut().zip(exponents) {
        *value = value.power(exponent);
    }
    TexelRow::from_slice(simd, &values)
}
