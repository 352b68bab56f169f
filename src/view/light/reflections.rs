//! Reflections of the surface: the glint of the light, the sky above and the dark ground below. The relief gives each sample a
//! normal. The glint is Blinn and Phong's power of the normal's component along the half vector of light and viewer; grazing
//! angles reflect more, by Fresnel: `sin² θ` replaces Schlick's fifth power of 1 − cos θ, which is a line thinner than a cell.
//! Constants are chosen by eye.

use super::relief::Relief;
use super::{Light, element};
use crate::cell::color::ColorDepth;
use crate::math::{ramp, smoothstep};
use crate::view::field::Field;
use crate::view::grid_layout::LANES;
use crate::view::optics::Optics;
use crate::view::palette::Palette;
use crate::view::render_style::RenderStyle;
use crate::view::sample::Lit;
use crate::view::shade::NEARLY_NONE;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use fearless_simd_macros::simd;
use glam::Vec2;

/// The half vector of the light, which comes from above, from the left and from the viewer's side, and of the viewer: along
/// `side`, up, and out of the picture.
const HALF_VECTOR: [f32; 3] = [-0.26, 0.43, 0.864];

/// Half of the distance from the edge, in metres, over which the relief rises: of that near the surface, of that of thin parts, and
/// of that of a round body.
const FINE: f32 = 0.016;
const BROAD: f32 = 0.055;
const WHOLE: f32 = 0.1;

/// Direction towards the light, for the shading of a round body; and the fractions of its light that the side which is turned away
/// keeps, and that a highlight adds, whose width falls with this power.
const LIGHT: [f32; 3] = [-0.42, 0.62, 0.663];
const AVERTED: f32 = 0.35;
const HIGHLIGHT: f32 = 0.9;
const SPOT: i32 = 96;

/// Shift up the palette opposite to the light, where a round clear body collects what it refracts.
const REFRACTED: f32 = 0.7;

/// Light below which no sky is reflected: a hollow so deep inside the liquid reflects liquid.
const SHADED: f32 = 0.25;

/// The fraction of a material's Fresnel reflection that shows at grazing angles: a cell of two colours shows no surface of three
/// brightnesses.
const GRAZING: f32 = 0.4;

/// Fraction of the ground's colour on the underside at grazing angles, relative to the sky's.
const UNDERSIDE: f32 = 0.6;

/// Shift up the palette of translucent matter where it is thinnest, and the fraction of its lost light that shines through it
/// there.
const THIN_SHIFT: f32 = 0.75;
const THIN_LIGHT: f32 = 0.85;

/// Shift down the palette of clear matter in the middle of its thinnest parts.
const CLEAR: f32 = 1.0;

/// Light at which a mirror's horizon lies, and the weight of the light from above beside the relief in a mirror's sky.
const HORIZON_LIGHT: f32 = 0.9;
const BY_LIGHT: f32 = 2.2;

/// Upward component of a mirror's normal at which it shows the ground alone, and the sky alone.
const HORIZON: [f32; 2] = [-0.1, 0.65];

/// Slope of the relief, and distance of its mean from 1, below which it is not seen.
const FLAT: f32 = 1e-3;

/// Mean coolness of particles from which a crust begins to close, and at which it is closed; and the relief's mean in
/// the core, and at the skin.
const CRACKED: [f32; 2] = [0.4, 0.66];
const SKIN: [f32; 2] = [0.98, 0.7];

impl Light {
    /// Computes the reflections, thickness and emission of the samples, which are `side` metres wide.
    pub(super) fn reflect(&mut self, field: &Field, style: &RenderStyle, side: f32, down: Vec2, is_round: bool) {
        let size = [self.columns, self.rows];
        let drawn = |palette: &Palette| {
            let optics = palette.optics.drawn_in(style.light);
            Optics { roundness: if is_round { 1.0 } else { optics.roundness }, ..optics }
        };
        let first = drawn(&style.palette);
        let others = field.phase_palettes.each_ref().map(|palette| palette.as_ref().map_or(first, drawn));
        let most = others.iter().fold(first, |sum, &other| sum.plus(other));
        let radius = |metres: f32| ((metres / side).round() as usize).max(1);
        let free = self.free.contains(&0.0).then_some(&self.free[..]);
        self.fine.update(&self.mass, free, size, radius(FINE));
        if most.roundness > 0.0 {
            // In a round tank the walls are part of the outline.
            self.whole.update(&self.mass, free.filter(|_| !is_round), size, radius(WHOLE));
        }
        let is_broad = most.reflectance + most.translucency + most.crust + most.glow > 0.0;
        let is_deep = is_broad || most.roundness > 0.0;
        if is_broad {
            self.broad.update(&self.mass, free, size, radius(BROAD));
        }
        self.lit.clear();
        self.lit.resize(self.columns * self.rows, Lit::default());
        let mixed = !field.phases[0].is_empty();
        if !is_deep && !mixed {
            dispatch!(Level::new(), simd => self.reflect_surface(simd, first, down));
            return;
        }
        // A mirror and a crust show even where the liquid is flat.
        let shows_flat = most.reflectance + most.crust > 0.0;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let sample = row * self.columns + column;
                let (light, fine) = (self.light[sample], self.fine.mean[sample]);
                let normal = |relief: &Relief| turn(relief.normal(column, row, size), down);
                let (near, mut deep, mut whole) = (normal(&self.fine), [0.0; 2], [0.0; 2]);
                if is_broad {
                    deep = normal(&self.broad);
                }
                if most.roundness > 0.0 {
                    whole = normal(&self.whole);
                }
                let is_flat = [near, deep, whole].as_flattened().iter().all(|slope| slope.abs() < FLAT);
                let is_full = fine.min(if is_broad { self.broad.mean[sample] } else { 1.0 }) > 1.0 - FLAT;
                if is_flat && is_full && !shows_flat {
                    self.lit[sample] = Lit { light, ..Lit::default() };
                    continue;
                }
                let here = element(&field.grid, column, row);
                let optics = if mixed { blend(first, &others, field, here) } else { first };
                // Far inside the liquid there is no relief, and outside of it there is nothing to light.
                if !is_deep && !(0.001..=0.999).contains(&fine) {
                    self.lit[sample] = Lit { light, shift: -CLEAR * optics.clarity * (1.0 - fine), ..Lit::default() };
                    continue;
                }
                let mut lit = surface(optics, near, light, fine);
                if is_broad {
                    self.add_body(&mut lit, optics, sample, near, deep);
                }
                if optics.roundness > 0.0 {
                    add_roundness(&mut lit, optics.roundness, whole);
                }
                if optics.crust > 0.0 {
                    let share = 1.0 / field.coverage[here].max(1e-6);
                    let cool = (field.color_value[here] * share).min(1.0);
                    let closed = ramp(cool, CRACKED) * ramp(self.broad.mean[sample], SKIN);
                    lit.shift += optics.crust * (closed - cool);
                }
                self.lit[sample] = lit;
            }
        }
        // With few colours the glow would be dithered, and in character modes there is no room for it.
        let colors = matches!(style.depth, ColorDepth::TrueColor | ColorDepth::Ansi256);
        if most.glow > 0.0 && colors && style.glyphs.is_blocks() {
            let palettes = field.phase_palettes.iter().flatten();
            let lamp =
                palettes.fold(&style.palette, |lamp, own| if own.optics.glow > lamp.optics.glow { own } else { lamp });
            let columns = self.columns;
            let optics = |sample: usize| {
                if mixed {
                    blend(first, &others, field, element(&field.grid, sample % columns, sample / columns))
                } else {
                    first
                }
            };
            self.find_glow(lamp, optics, side);
        }
    }

    #[simd]
    fn reflect_surface<S: Simd>(&mut self, simd: S, optics: Optics, down: Vec2) {
        let (columns, rows, radius) = (self.columns, self.rows, self.fine.radius);
        let size = [columns, rows];
        let mean = &self.fine.mean[..];
        for (row, (lit, light)) in self.lit.chunks_exact_mut(columns).zip(self.light.chunks_exact(columns)).enumerate()
        {
            let line = &mean[row * columns..][..columns];
            let mut column = 0;
            while column < columns {
                // Vectors where all neighbours are in the same row; at its ends, sample by sample.
                let inside = column >= radius && column + LANES + radius <= columns;
                let count = if inside { LANES } else { 1 };
                let fine = if inside {
                    f32x8::from_slice(simd, &line[column..column + LANES])
                } else {
                    f32x8::splat(simd, line[column])
                };
                let relief = fine.simd_ge(0.001) & fine.simd_le(0.999);
                let any = relief.any_true();
                if any && inside {
                    let normal = self.fine.normals(simd, column, row, size);
                    let incoming = f32x8::from_slice(simd, &light[column..column + LANES]);
                    let (sky, ground) = surfaces(simd, optics, turn_each(normal, down), incoming);
                    let zero = f32x8::splat(simd, 0.0);
                    let steep = (normal[0] * normal[0] + normal[1] * normal[1]).sqrt();
                    let thin = f32x8::splat(simd, 1.0) - fine - steep;
                    let shift: [f32; LANES] = (thin.max(zero) * (-CLEAR * optics.clarity)).into();
                    let (sky, ground): ([f32; LANES], [f32; LANES]) =
                        (relief.select(sky, zero).into(), relief.select(ground, zero).into());
                    for lane in 0..LANES {
                        lit[column + lane] = [light[column + lane], shift[lane], sky[lane], ground[lane]].into();
                    }
                } else if any {
                    let normal = turn(self.fine.normal(column, row, size), down);
                    lit[column] = surface(optics, normal, light[column], line[column]);
                } else {
                    let shift: [f32; LANES] = ((f32x8::splat(simd, 1.0) - fine) * (-CLEAR * optics.clarity)).into();
                    for ((lit, &light), shift) in
                        lit[column..column + count].iter_mut().zip(&light[column..]).zip(shift)
                    {
                        *lit = Lit { light, shift, ..Lit::default() };
                    }
                }
                column += count;
            }
        }
    }

    /// Adds the light that depends on the whole body: a mirror's sky, and thin parts that light shines through.
    #[inline(always)]
    fn add_body(&self, lit: &mut Lit, optics: Optics, sample: usize, fine: [f32; 2], deep: [f32; 2]) {
        let thin = 1.0 - self.broad.mean[sample];
        lit.light += optics.translucency * THIN_LIGHT * thin * (1.0 - lit.light);
        lit.shift += optics.translucency * THIN_SHIFT * thin;
        if optics.reflectance > 0.0 {
            let up = 0.45 * fine[1] + 0.9 * deep[1] + BY_LIGHT * (self.light[sample] - HORIZON_LIGHT);
            let sky = smoothstep(up, HORIZON);
            let left = 1.0 - lit.sky - lit.ground;
            lit.sky += left * optics.reflectance * sky;
            lit.ground += left * optics.reflectance * (1.0 - sky);
        }
    }
}

/// Shades a round body: Lambert's cosine, a highlight, and opposite to the light what the body refracts.
#[inline(always)]
fn add_roundness(lit: &mut Lit, roundness: f32, [side, up]: [f32; 2]) {
    let out = (1.0 - side * side - up * up).max(0.0).sqrt();
    let across = LIGHT[0] * side + LIGHT[1] * up;
    let facing = ((across + LIGHT[2] * out) / LIGHT[2]).clamp(0.0, 1.0);
    lit.light *= 1.0 - roundness * (1.0 - AVERTED) * (1.0 - facing);
    let opposite = across.min(0.0);
    lit.shift += roundness * REFRACTED * opposite * opposite * out;
    let along = (HALF_VECTOR[0] * side + HALF_VECTOR[1] * up + HALF_VECTOR[2] * out).max(0.0);
    lit.sky += (1.0 - lit.sky - lit.ground) * roundness * HIGHLIGHT * along.powi(SPOT);
}

#[inline(always)]
fn surface(optics: Optics, [side, up]: [f32; 2], light: f32, mean: f32) -> Lit {
    let out = (1.0 - side * side - up * up).max(0.0).sqrt();
    let along = (HALF_VECTOR[0] * side + HALF_VECTOR[1] * up + HALF_VECTOR[2] * out).max(0.0);
    let power = |value: f32| value * value;
    // The 32nd power.
    let glint = power(power(power(power(power(along)))));
    // Flat matter faces the viewer everywhere, which must not be a highlight.
    let relief = (side * side + up * up).min(1.0);
    let graze = GRAZING * relief;
    let sky = (0.6 * up + 0.4).clamp(0.0, 1.0);
    let open = ramp(light, [SHADED, 1.0]);
    let bright = open * (optics.gloss * glint * relief.sqrt() + optics.fresnel * graze * sky);
    let dark = optics.fresnel * UNDERSIDE * graze * (1.0 - sky);
    let bright = bright.min(0.95);
    let thin = (1.0 - mean - (side * side + up * up).sqrt()).max(0.0);
    Lit { light, shift: -CLEAR * optics.clarity * thin, sky: bright, ground: dark.min(1.0 - bright) }
}

/// Computes [`surface`] for eight samples: the reflections of the sky and of the ground.
#[inline(always)]
fn surfaces<S: Simd>(simd: S, optics: Optics, [side, up]: [f32x8<S>; 2], light: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let steep = side * side + up * up;
    let out = (one - side * side - up * up).max(zero).sqrt();
    let along = (side * HALF_VECTOR[0] + up * HALF_VECTOR[1] + out * HALF_VECTOR[2]).max(zero);
    // The 32nd power.
    let mut glint = along;
    for _ in 0..5 {
        glint = glint * glint;
    }
    let relief = steep.min(one);
    let graze = relief * GRAZING;
    let sky = (up * 0.6 + 0.4).max(zero).min(one);
    let open = ((light - SHADED) / f32x8::splat(simd, 1.0 - SHADED)).max(zero).min(one);
    let bright = open * (glint * optics.gloss * relief.sqrt() + graze * optics.fresnel * sky);
    let dark = graze * (optics.fresnel * UNDERSIDE) * (one - sky);
    let bright = bright.min(f32x8::splat(simd, 0.95));
    (bright, dark.min(one - bright))
}

/// Turns eight normals, as [`turn`] does.
#[inline(always)]
fn turn_each<S: Simd>([x, y]: [f32x8<S>; 2], down: Vec2) -> [f32x8<S>; 2] {
    [x * down.y - y * down.x, -(x * down.x + y * down.y)]
}

#[inline(always)]
fn turn([x, y]: [f32; 2], down: Vec2) -> [f32; 2] {
    [x * down.y - y * down.x, -(x * down.x + y * down.y)]
}

#[inline(always)]
fn blend(first: Optics, others: &[Optics], field: &Field, here: usize) -> Optics {
    let fractions = field.phase_fractions(here);
    let own = (1.0 - fractions.iter().sum::<f32>()).max(0.0);
    let parts = others.iter().zip(fractions).filter(|(_, fraction)| *fraction > NEARLY_NONE);
    parts.fold(first.scaled(own), |sum, (optics, fraction)| sum.plus(optics.scaled(fraction)))
}
