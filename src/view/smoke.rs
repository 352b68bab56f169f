//! Smoke and dye: a translucent layer over the background. By Beer and Lambert's law, dye of concentration c transmits `e^(−κ c)`
//! of the background, and the rest is its own colour. Where dyes meet, each is weighted by its concentration. If colours
//! represent a quantity of the fluid, it is shown with or without dye, and is as opaque as its quantity differs from that of air
//! at rest: still air hides nothing.

use crate::cell::color::LinearRgb;
use crate::math::Elementary;
use crate::sim::boundary::Shape;
use crate::sim::grid_fluid::GridFluid;
use crate::view::color_scale::ColorScale;
use crate::view::glyph::texel_block::TexelRow;
use crate::view::grid_layout::{GridLayout, LANES};
use crate::view::palette::{Palette, label_color};
use crate::view::render_style::ColorBy;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;
use glam::Vec2;

/// Smoke is about four times slower than falling water, so its palette spans a quarter of the speed and a sixteenth of the
/// pressure.
const SLOWNESS: f32 = 4.0;

/// κ, for concentrations from 0 to 1. Full dye leaves e⁻⁴, a fiftieth of the background.
const ABSORPTION: f32 = 4.0;

/// The opacity of a ghost outline: inside, and on the line itself.
const INSIDE_OPACITY: f32 = 0.16;
const OUTLINE_OPACITY: f32 = 0.4;

/// Distance over which the line of a ghost outline fades to each side, in samples.
const OUTLINE_WIDTH: f32 = 1.1;

/// Opacity below which nothing is drawn: less than two of 255 code values, even for white on black.
pub const MIN_OPACITY: f32 = 0.006;

/// Concentration of dye whose opacity is zero in 32 bits.
const INVISIBLE: f32 = 1e-8;

#[derive(Clone, Debug, Default)]
pub struct SmokeLayer {
    /// Red, green and blue in linear light, each times the opacity; and the opacity.
    pub planes: [Vec<f32>; 4],
    dye_colors: Vec<Option<LinearRgb>>,
}

impl SmokeLayer {
    pub fn clear(&mut self) {
        self.planes.iter_mut().for_each(Vec::clear);
    }

    pub fn is_empty(&self) -> bool {
        self.planes[3].is_empty()
    }

    pub fn over(&self, background: LinearRgb, here: usize) -> LinearRgb {
        if self.is_empty() {
            return background;
        }
        [0, 1, 2].map(|c| self.planes[c][here] + background[c] * (1.0 - self.planes[3][here]))
    }

    pub fn draw_outlines(&mut self, outlines: &[Shape], grid: &GridLayout, palette: &Palette) {
        if outlines.is_empty() {
            return;
        }
        self.resize(grid);
        for outline in outlines {
            let (Vec2 { x: left, y: top }, Vec2 { x: right, y: bottom }) = grid.bounds(outline.bounds());
            for row in top.max(0.0) as usize..(bottom.max(0.0) as usize + 2).min(grid.rows) {
                for column in left.max(0.0) as usize..(right.max(0.0) as usize + 2).min(grid.columns) {
                    let distance = outline.contact(grid.position(column, row)).distance / grid.spacing.x;
                    let line = OUTLINE_OPACITY * (1.0 - distance.abs() / OUTLINE_WIDTH).max(0.0);
                    let opacity = if distance < 0.0 { line.max(INSIDE_OPACITY) } else { line };
                    if opacity > 0.0 {
                        self.put(grid.index(column, row), palette.wall, opacity);
                    }
                }
            }
        }
    }

    pub fn draw(&mut self, smoke: &GridFluid, grid: &GridLayout, scale: ColorScale, palette: &Palette) {
        self.resize(grid);
        let (by_dye, by_quantity) = match scale.color_by {
            ColorBy::Density | ColorBy::Force(_) | ColorBy::Surface => (true, false),
            // Dye without a temperature, such as a flame, keeps its own colour under that of warm air.
            ColorBy::Temperature => (!smoke.definition.has_heat(), smoke.has_temperature()),
            _ => (false, true),
        };
        if by_dye {
            self.dye_colors.clear();
            self.dye_colors.extend(smoke.definition.dye.iter().map(|dye| label_color(dye.label.as_deref())));
            dispatch!(Level::new(), simd => mix_dyes(simd, self, smoke, grid, palette));
        }
        if !by_quantity {
            return;
        }
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                let at = grid.position(column, row);
                if is_inside(smoke, at) {
                    let (color, opacity) = quantity(smoke, at, scale, palette);
                    self.add(grid.index(column, row), color, opacity);
                }
            }
        }
    }

    pub(super) fn resize(&mut self, grid: &GridLayout) {
        self.planes.iter_mut().for_each(|plane| plane.resize(grid.elements(), 0.0));
    }

    /// Takes the memory of a layer that may be drawn in a later frame.
    pub(super) fn reserve(&mut self, grid: &GridLayout) {
        self.planes.iter_mut().for_each(|plane| plane.reserve(grid.elements() - plane.len()));
    }

    #[inline(always)]
    pub(super) fn add(&mut self, here: usize, color: LinearRgb, opacity: f32) {
        for (plane, part) in self.planes.iter_mut().zip([color[0], color[1], color[2], 1.0]) {
            plane[here] += (part - plane[here]) * opacity;
        }
    }

    pub(super) fn put(&mut self, here: usize, color: LinearRgb, opacity: f32) {
        for (plane, part) in self.planes.iter_mut().zip([color[0], color[1], color[2], 1.0]) {
            plane[here] = part * opacity;
        }
    }
}

fn is_inside(smoke: &GridFluid, at: Vec2) -> bool {
    at.min_element() >= 0.0 && (smoke.grid.size() - at).min_element() >= 0.0
}

/// The colour and the opacity of the fluid at a place, where colours represent a quantity.
fn quantity(smoke: &GridFluid, at: Vec2, scale: ColorScale, palette: &Palette) -> (LinearRgb, f32) {
    let dye = || (0..smoke.definition.dye.len()).map(|dye| smoke.dye(dye, at)).sum::<f32>();
    let (value, shown) = match scale.color_by {
        ColorBy::Temperature => {
            let value = scale.of_temperature(smoke.temperature(at).unwrap_or(scale.tank));
            let dye = if smoke.definition.has_heat() { dye() } else { 0.0 };
            (value, (value - scale.of_temperature(scale.tank)).abs().max(dye))
        }
        ColorBy::Speed => {
            let value = smoke.velocity(at).length() * SLOWNESS / scale.full;
            (value, value.max(dye()))
        }
        ColorBy::Pressure => {
            let value = smoke.pressure(at) * SLOWNESS * SLOWNESS / scale.full;
            (0.5 - value, value.abs().max(dye()))
        }
        _ => {
            let sum = dye();
            (sum, sum)
        }
    };
    (palette.at(value.clamp(0.0, 1.0)), opacity(shown))
}

/// Draws dyes mixed in their own colours. A dye without one has the palette's colour at its concentration.
#[simd]
fn mix_dyes<S: Simd>(simd: S, layer: &mut SmokeLayer, smoke: &GridFluid, grid: &GridLayout, palette: &Palette) {
    let SmokeLayer { planes, dye_colors } = layer;
    for row in 0..grid.rows {
        for first in (0..grid.columns).step_by(LANES) {
            let mut places = [[0.0; LANES]; 2];
            let mut inside = [0.0; LANES];
            for lane in 0..LANES {
                let at = grid.position(first + lane, row);
                (places[0][lane], places[1][lane]) = (at.x, at.y);
                inside[lane] = if is_inside(smoke, at) { 1.0 } else { 0.0 };
            }
            let [x, y] = [TexelRow::from_slice(simd, &places[0]), TexelRow::from_slice(simd, &places[1])];
            let mut sum = TexelRow::splat(simd, 0.0);
            let mut mixed = [sum; 3];
            for (dye, own) in dye_colors.iter().enumerate() {
                let concentration = smoke.dye_at_each(simd, dye, [x, y]);
                sum += concentration;
                let colors = match own {
                    Some(color) => color.map(|part| [part; LANES]),
                    None => palette.at_each(concentration.into()),
                };
                for (mixed, color) in mixed.iter_mut().zip(&colors) {
                    *mixed += concentration * TexelRow::from_slice(simd, color);
                }
            }
            if !sum.simd_gt(INVISIBLE).any_true() {
                continue;
            }
            let mut opacities = inside;
            for (opaque, &sum) in opacities.iter_mut().zip(sum.as_slice()) {
                *opaque *= opacity(sum);
            }
            let opacities = TexelRow::from_slice(simd, &opacities);
            let share = opacities / sum.max(1e-6);
            let here = grid.index(first, row);
            for (plane, color) in planes.iter_mut().zip(mixed) {
                (color * share).store_slice(&mut plane[here..here + LANES]);
            }
            opacities.store_slice(&mut planes[3][here..here + LANES]);
        }
    }
}

fn opacity(concentration: f32) -> f32 {
    1.0 - (-ABSORPTION * concentration).exponential()
}
