//! Smoke and dye: a translucent layer over the background. By Beer and Lambert's law, dye of concentration c transmits `e^(−κ c)`
//! of the background, and the rest is its own colour. Where dyes meet, each is weighted by its concentration. If colours
//! represent a quantity of the fluid, all of it is shown, with or without dye.

use crate::cell::color::LinearRgb;
use crate::math::Elementary;
use crate::sim::boundary::Shape;
use crate::sim::grid_fluid::GridFluid;
use crate::view::color_scale::ColorScale;
use crate::view::grid_layout::GridLayout;
use crate::view::palette::{Palette, label_color};
use crate::view::render_style::ColorBy;
use glam::Vec2;

/// Smoke is about four times slower than falling water, so its palette spans a quarter of the speed and a sixteenth of the
/// pressure.
const SLOWNESS: f32 = 4.0;

/// κ, for concentrations from 0 to 1. Full dye leaves e⁻⁴, a fiftieth of the background.
const ABSORPTION: f32 = 4.0;

/// The opacity of the fluid where all of it is shown: a little of the background is visible, as through full dye.
const FULL_OPACITY: f32 = 0.92;

/// The opacity of a ghost outline: inside, and on the line itself.
const INSIDE_OPACITY: f32 = 0.16;
const OUTLINE_OPACITY: f32 = 0.4;

/// Distance over which the line of a ghost outline fades to each side, in samples.
const OUTLINE_WIDTH: f32 = 1.1;

/// Opacity below which nothing is drawn: less than two of 255 code values, even for white on black.
pub const MIN_OPACITY: f32 = 0.006;

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
        self.dye_colors.clear();
        self.dye_colors.extend(smoke.definition().dye.iter().map(|dye| label_color(dye.label.as_deref())));
        let size = smoke.grid().size();
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                let at = grid.position(column, row);
                if at.min_element() < 0.0 || (size - at).min_element() < 0.0 {
                    continue;
                }
                let (color, opacity) = self.look_at(smoke, at, scale, palette);
                if opacity > 0.0 {
                    self.put(grid.index(column, row), color, opacity);
                }
            }
        }
    }

    pub(super) fn resize(&mut self, grid: &GridLayout) {
        self.planes.iter_mut().for_each(|plane| plane.resize(grid.len(), 0.0));
    }

    /// Takes the memory of a layer that may be drawn in a later frame.
    pub(super) fn reserve(&mut self, grid: &GridLayout) {
        self.planes.iter_mut().for_each(|plane| plane.reserve(grid.len() - plane.len()));
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

    fn look_at(&self, smoke: &GridFluid, at: Vec2, scale: ColorScale, palette: &Palette) -> (LinearRgb, f32) {
        match scale.color_by {
            ColorBy::Density | ColorBy::Force(_) | ColorBy::Surface => self.mix_dyes(smoke, palette, at),
            ColorBy::Amount => {
                let sum: f32 = smoke.dyes_at(at).sum();
                (palette.at(sum.min(1.0)), opacity(sum))
            }
            ColorBy::Temperature => {
                let temperature = smoke.temperature(at).unwrap_or_default();
                (palette.at(scale.of_temperature(temperature).clamp(0.0, 1.0)), FULL_OPACITY)
            }
            ColorBy::Speed => (palette.at(smoke.velocity(at).length() * SLOWNESS / scale.full), FULL_OPACITY),
            ColorBy::Pressure => {
                let pressure = smoke.pressure(at) * SLOWNESS * SLOWNESS / scale.full;
                (palette.at((0.5 - pressure).clamp(0.0, 1.0)), FULL_OPACITY)
            }
        }
    }

    /// Mixes dyes in their own colours. A dye without one has the palette's colour at its concentration.
    fn mix_dyes(&self, smoke: &GridFluid, palette: &Palette, at: Vec2) -> (LinearRgb, f32) {
        let (mut sum, mut mixed) = (0.0, [0.0; 3]);
        for (concentration, own) in smoke.dyes_at(at).zip(&self.dye_colors) {
            let color = own.unwrap_or_else(|| palette.at(concentration));
            (0..3).for_each(|c| mixed[c] += concentration * color[c]);
            sum += concentration;
        }
        if sum == 0.0 {
            return ([0.0; 3], 0.0);
        }
        (mixed.map(|part| part / f32::max(sum, 1e-6)), opacity(sum))
    }
}

fn opacity(concentration: f32) -> f32 {
    1.0 - (-ABSORPTION * concentration).exponential()
}
