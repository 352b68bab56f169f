//! Cells: what every cell of one frame shows.
//!
//! Cells without liquid are blank, cells full of it are a slope of colour that is split once, and only the few percent
//! of cells that an edge passes through are looked at texel by texel. The field is smooth, so between its samples it is
//! interpolated: at 8×16 texels a cell that is off by less than a tenth of a texel.

pub(super) mod edge;

use crate::cell::color::{ColorDepth, LinearRgb, Rgb};
use crate::view::glyph::atlas::{Atlas, Choice};
use crate::view::glyph::gradient::Slope;
use crate::view::glyph::texel_block::{Tone, tone};
use crate::view::glyph::{Ink, Mark, Patch, fit_after};
use crate::view::grid_layout::SAMPLES;
use crate::view::layers::Layers;
use crate::view::render_style::RenderStyle;
use crate::view::shade::{Sample, Shade};
use crate::view::smoke::MIN_OPACITY;
use fearless_simd::prelude::*;
use ratatui_core::buffer::Cell;
use ratatui_core::style::{Color, Modifier};

/// Everything that cells of one frame have in common.
pub(super) struct Brush<'a, S: Simd> {
    simd: S,
    layers: &'a Layers,
    look: &'a RenderStyle,
    shade: Shade<'a>,
    ground: LinearRgb,
    ground_tone: Tone,
    /// What a cell has where there is nothing.
    bare: Color,
    /// Whether cells at an edge may mix the ground's colour with others.
    mixed: bool,
    /// Whether what is behind a sign shows liquid: dithered, that is a chequerboard with letters on it.
    bodied: bool,
    interior: f32,
    exterior: f32,
    atlas: &'static Atlas,
}

impl<'a, S: Simd> Brush<'a, S> {
    pub fn new(simd: S, layers: &'a Layers, look: &'a RenderStyle) -> Self {
        let shade = Shade::new(&look.palette, layers.field.palettes, layers.field.reach);
        let (ground, painted) = look.background.resolve(&look.palette);
        Self {
            simd,
            layers,
            look,
            ground: ground.linear(),
            ground_tone: tone(ground.linear()),
            bare: if painted { look.depth.nearest(Color::Rgb(ground.0, ground.1, ground.2)) } else { Color::Reset },
            // Dithered, a mixture would be a speck beside the liquid.
            mixed: painted && look.depth == ColorDepth::TrueColor,
            bodied: look.glyphs.is_blocks() || look.depth == ColorDepth::TrueColor,
            interior: shade.interior(),
            exterior: shade.exterior(),
            shade,
            atlas: Atlas::of(look.glyphs),
        }
    }

    /// What a cell shows, given the least and the most of the field in and around it, and what it showed before.
    #[inline(always)]
    pub fn cell(&self, (column, row): (usize, usize), (least, most): (f32, f32), past: Choice) -> Choice {
        let cells = (self.layers.field.grid.columns - 2) / SAMPLES.0;
        let walled = self.layers.walls.walled_cells[row * cells + column];
        let hazy = self.is_hazy(column, row);
        let has_body = self.has_body(column, row);
        if !(walled || hazy || has_body || self.layers.cloth.tile(column, row).is_some()) {
            if most <= self.exterior {
                return Choice::BLANK;
            }
            if least >= self.interior {
                return self.full((column, row), past);
            }
        }
        self.edge((column, row), [walled, hazy, has_body], past)
    }

    /// A cell full of liquid: two colours across the direction in which it changes, or one where they are alike.
    #[inline(always)]
    fn full(&self, (column, row): (usize, usize), past: Choice) -> Choice {
        let slope = self.slope(column, row);
        if !self.look.glyphs.is_blocks() || self.look.depth == ColorDepth::Mono {
            let light = self.layers.light.cell(column, row);
            let light = 0.25 * (light[0] + light[1] + light[2] + light[3]);
            return fit_after(
                self.simd,
                self.look.glyphs,
                &Patch::plain(slope.mean, self.ground_tone, light),
                self.ink(0.0, false),
                past,
            );
        }
        // Where colours are dithered, a cell's two halves are two points of the pattern.
        self.atlas.split(&slope, self.look.depth == ColorDepth::TrueColor, past)
    }

    /// The colours of a cell full of liquid, from those of its quarters.
    #[inline(always)]
    fn slope(&self, column: usize, row: usize) -> Slope {
        let light = self.layers.light.cell(column, row);
        let (x, y) = (1 + column * SAMPLES.0, 1 + row * SAMPLES.1);
        let a = self.quarter(x, y, light[0]);
        let b = self.quarter(x + 1, y, light[1]);
        let c = self.quarter(x, y + 2, light[2]);
        let d = self.quarter(x + 1, y + 2, light[3]);
        let mut slope = Slope::default();
        for k in 0..3 {
            slope.mean[k] = 0.25 * ((a[k] + b[k]) + (c[k] + d[k]));
            slope.right[k] = (b[k] + d[k]) - (a[k] + c[k]);
            slope.down[k] = (c[k] + d[k]) - (a[k] + b[k]);
        }
        slope
    }

    /// The colour of a sample and the one below it, so far inside that there is no line of the surface.
    #[inline(always)]
    fn quarter(&self, x: usize, y: usize, light: f32) -> LinearRgb {
        self.dyed(self.shade.body(self.pair(x, y, light)), (x, y), light)
    }

    /// The colour of liquid at a sample, but for the line of its surface.
    #[inline(always)]
    fn body(&self, x: usize, y: usize) -> LinearRgb {
        let sample = self.sample(x, y);
        self.dyed(self.shade.body(sample), (x, y), sample.light)
    }

    /// The colour of liquid at a sample, where some of it may have a colour of its own.
    #[inline(always)]
    fn dyed(&self, body: LinearRgb, at: (usize, usize), light: f32) -> LinearRgb {
        let share = self.dye(at);
        if share == 0.0 {
            return body;
        }
        let field = &self.layers.field;
        let here = at.1 * field.grid.stride + at.0;
        let own = [0, 1, 2].map(|channel| field.tint[channel][here] / field.tint[3][here]);
        self.shade.dyed(body, own, share, light)
    }

    /// The share of liquid that has a colour of its own at a sample.
    #[inline(always)]
    fn dye(&self, (x, y): (usize, usize)) -> f32 {
        let field = &self.layers.field;
        if field.tint[3].is_empty() {
            return 0.0;
        }
        let here = y * field.grid.stride + x;
        if field.tint[3][here] > 1e-6 { (field.tint[3][here] / field.cover[here]).min(1.0) } else { 0.0 }
    }

    /// The mean of a sample and the one below it.
    #[inline(always)]
    fn pair(&self, x: usize, y: usize, light: f32) -> Sample {
        let field = &self.layers.field;
        let here = y * field.grid.stride + x;
        let sum = |array: &[f32]| array[here] + array[here + field.grid.stride];
        let cover = sum(&field.cover);
        let share = 1.0 / cover.max(1e-6);
        let (drive, foam) = (sum(&field.drive) * share, sum(&field.foam) * share);
        let tint = field.tint(here, field.cover[here]);
        Sample { cover: 0.5 * cover, drive: drive.min(1.0), foam: foam.min(1.0), light, tint }
    }

    /// One sample of the field, with the light there.
    #[inline(always)]
    fn sample(&self, x: usize, y: usize) -> Sample {
        let field = &self.layers.field;
        let here = y * field.grid.stride + x;
        let cover = field.cover[here];
        let share = 1.0 / cover.max(1e-6);
        Sample {
            cover,
            drive: (field.drive[here] * share).min(1.0),
            foam: (field.foam[here] * share).min(1.0),
            light: self.layers.light.at(x as f32, y as f32),
            tint: field.tint(here, cover),
        }
    }

    /// Whether a body covers a part of a cell.
    fn has_body(&self, column: usize, row: usize) -> bool {
        let field = &self.layers.field;
        let first = (1 + row * SAMPLES.1) * field.grid.stride + 1 + column * SAMPLES.0;
        field.bodies.shows_in(first, SAMPLES.into(), &field.grid)
    }

    /// Whether there is haze in or around a cell.
    fn is_hazy(&self, column: usize, row: usize) -> bool {
        let (haze, stride) = (&self.layers.field.smoke, self.layers.field.grid.stride);
        !haze.is_empty()
            && (row * SAMPLES.1..(row + 1) * SAMPLES.1 + 2).any(|y| {
                let first = y * stride + column * SAMPLES.0;
                haze.planes[3][first..first + SAMPLES.0 + 2].iter().any(|&veil| veil > MIN_OPACITY)
            })
    }

    /// What the colours of a cell may be, given the share of it that is ground. Edges keep to a ground that the terminal
    /// lends, and signs to any. What is hazy does not: the terminal lends no colour for a veil over its ground.
    fn ink(&self, outside: f32, hazy: bool) -> Ink {
        let kept = outside > 0.01 && !self.mixed;
        match self.look.depth {
            ColorDepth::Mono => Ink::Shape,
            _ if !hazy && (kept || !self.look.glyphs.is_blocks()) => Ink::Over(self.ground_tone),
            _ => Ink::Two,
        }
    }

    /// Writes a cell.
    #[inline(always)]
    pub fn put(&self, mark: Mark, (x, y): (u16, u16), cell: &mut Cell) {
        let color = |rgb: Option<Rgb>, y: u16| rgb.map_or(self.bare, |rgb| self.look.depth.color(rgb, (x, y)));
        // Two rows of thresholds a cell of blocks: its colours are mostly its upper and its lower half. Signs have one
        // colour that counts, and every other row of the pattern alone would be stripes.
        let (upper, lower) = if self.look.glyphs.is_blocks() { (2 * y, 2 * y + 1) } else { (y, y) };
        let fg = color(mark.fg, lower);
        let bg = match mark.bg {
            Some(_) if !self.bodied => self.bare,
            Some(bg) if mark.fg == Some(bg) => fg,
            bg => color(bg, upper),
        };
        let same_halves = mark.glyph == '▄' && fg == bg && mark.bg.is_some();
        cell.set_char(if same_halves { '█' } else { mark.glyph });
        cell.fg = if mark.fg.is_some() { fg } else { Color::Reset };
        cell.bg = bg;
        cell.modifier = Modifier::empty();
    }
}
