//! Cells: what every cell of one frame shows.
//!
//! Cells without liquid are blank, cells full of it are a slope of colour that is split once, and only the few percent
//! of cells that an edge passes through are looked at texel by texel. The field is smooth, so between its samples it is
//! interpolated: at 8×16 texels a cell that is off by less than a tenth of a texel.

use super::color::{Linear, Rgb};
use super::drapery::Tile;
use super::glyph::atlas::{Atlas, Choice};
use super::glyph::patch::{COUNT, Lanes, Plane, TEXELS, Tone, across, tone};
use super::glyph::slope::Slope;
use super::glyph::{Ink, Mark, Patch};
use super::haze::THINNEST;
use super::shade::{Sample, Shade};
use super::{ColorDepth, Look, Painter, SAMPLES};
use fearless_simd::prelude::*;
use ratatui_core::buffer::Cell;
use ratatui_core::style::{Color, Modifier};

/// Distance over which an edge fades, in samples: a pixel and a half of the ideal picture's sixteen a cell.
const EDGE: f32 = 0.25;

/// The share of its light that a body keeps where liquid lets none through.
pub(super) const LIT: f32 = 0.35;

/// A plane of nothing.
const BARE: Plane = [[0.0; TEXELS.0]; TEXELS.1];

/// Everything that cells of one frame have in common.
pub(super) struct Brush<'a, S: Simd> {
    simd: S,
    painter: &'a Painter,
    look: &'a Look,
    shade: Shade<'a>,
    ground: Linear,
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
    pub fn new(simd: S, painter: &'a Painter, look: &'a Look) -> Self {
        let shade = Shade::new(&look.palette, painter.field.palettes, painter.field.reach);
        let (ground, painted) = look.background.resolve(&look.palette);
        Self {
            simd,
            painter,
            look,
            ground: ground.linear(),
            ground_tone: tone(ground.linear()),
            bare: if painted { look.depth.nearest(Color::Rgb(ground.0, ground.1, ground.2)) } else { Color::Reset },
            // Dithered, a mixture would be a speck beside the liquid.
            mixed: painted && look.depth == ColorDepth::TrueColor,
            bodied: look.glyphs.are_blocks() || look.depth == ColorDepth::TrueColor,
            interior: shade.interior(),
            exterior: shade.exterior(),
            shade,
            atlas: Atlas::of(look.glyphs),
        }
    }

    /// What a cell shows, given the least and the most of the field in and around it, and what it showed before.
    #[inline(always)]
    pub fn cell(&self, (column, row): (usize, usize), (least, most): (f32, f32), past: Choice) -> Choice {
        let cells = (self.painter.field.columns - 2) / SAMPLES.0;
        let walled = self.painter.backdrop.walled[row * cells + column];
        let hazy = self.is_hazy(column, row);
        let has_body = self.has_body(column, row);
        if !(walled || hazy || has_body || self.painter.drapery.tile(column, row).is_some()) {
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
        if !self.look.glyphs.are_blocks() || self.look.depth == ColorDepth::Mono {
            let light = self.painter.light.cell(column, row);
            let light = 0.25 * (light[0] + light[1] + light[2] + light[3]);
            return self.look.glyphs.fit_after(
                self.simd,
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
        let light = self.painter.light.cell(column, row);
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
    fn quarter(&self, x: usize, y: usize, light: f32) -> Linear {
        self.dyed(self.shade.body(self.pair(x, y, light)), (x, y), light)
    }

    /// The colour of liquid at a sample, but for the line of its surface.
    #[inline(always)]
    fn body(&self, x: usize, y: usize) -> Linear {
        let sample = self.sample(x, y);
        self.dyed(self.shade.body(sample), (x, y), sample.light)
    }

    /// The colour of liquid at a sample, where some of it may have a colour of its own.
    #[inline(always)]
    fn dyed(&self, body: Linear, at: (usize, usize), light: f32) -> Linear {
        let share = self.dye(at);
        if share == 0.0 {
            return body;
        }
        let field = &self.painter.field;
        let here = at.1 * field.stride + at.0;
        let own = [0, 1, 2].map(|channel| field.tint[channel][here] / field.tint[3][here]);
        self.shade.dyed(body, own, share, light)
    }

    /// The share of liquid that has a colour of its own at a sample.
    #[inline(always)]
    fn dye(&self, (x, y): (usize, usize)) -> f32 {
        let field = &self.painter.field;
        if field.tint[3].is_empty() {
            return 0.0;
        }
        let here = y * field.stride + x;
        if field.tint[3][here] > 1e-6 { (field.tint[3][here] / field.cover[here]).min(1.0) } else { 0.0 }
    }

    /// The mean of a sample and the one below it.
    #[inline(always)]
    fn pair(&self, x: usize, y: usize, light: f32) -> Sample {
        let field = &self.painter.field;
        let here = y * field.stride + x;
        let sum = |array: &[f32]| array[here] + array[here + field.stride];
        let cover = sum(&field.cover);
        let share = 1.0 / cover.max(1e-6);
        let (drive, foam) = (sum(&field.drive) * share, sum(&field.foam) * share);
        let tint = field.tint(here, field.cover[here]);
        Sample { cover: 0.5 * cover, drive: drive.min(1.0), foam: foam.min(1.0), light, tint }
    }

    /// A cell that is looked at as finely as glyphs can show it.
    #[inline(always)]
    fn edge(&self, (column, row): (usize, usize), [walled, hazy, has_body]: [bool; 3], past: Choice) -> Choice {
        let corner = (1 + column * SAMPLES.0, 1 + row * SAMPLES.1);
        let light = self.painter.light.at(corner.0 as f32 + 0.5, corner.1 as f32 + 1.5);
        let mut patch = Patch { planes: [BARE; 4], ground: self.ground_tone, solid: 0.0, light };
        let field = self.read(&self.painter.field.cover, corner);
        let cover = self.cover(&field, corner, walled);
        self.color(&mut patch, &field, &cover, corner);
        patch.solid = if walled { self.total(&cover.solid) / COUNT as f32 } else { 0.0 };
        if hazy {
            self.tint(&mut patch, corner);
        }
        if let Some(tile) = self.painter.drapery.tile(column, row) {
            self.hang(&mut patch, &cover, tile);
        }
        if has_body {
            patch.solid += (1.0 - patch.solid) * self.lay_body(&mut patch, corner);
        }
        let outside = self.total(&patch.planes[3]) / COUNT as f32;
        if !hazy && outside > 0.995 {
            return Choice::BLANK;
        }
        self.look.glyphs.fit_after(self.simd, &patch, self.ink(outside, hazy), past)
    }

    /// Lays bodies over a cell and says which share of it they cover. Under liquid they are as dim as it is dark there.
    #[inline(always)]
    fn lay_body(&self, patch: &mut Patch, corner: (usize, usize)) -> f32 {
        let bodies = &self.painter.field.bodies;
        let mut share = self.read(&bodies.free, corner);
        for texels in &mut share {
            (self.all(1.0) - self.share(self.row(texels))).store_slice(texels);
        }
        let lit = LIT + (1.0 - LIT) * patch.light;
        for (channel, color) in bodies.color.iter().enumerate() {
            let color = self.read(color, corner);
            for y in 0..TEXELS.1 {
                let (tone, share) = (self.row(&patch.planes[channel][y]), self.row(&share[y]));
                let light = tone * tone;
                let over = light + (self.row(&color[y]) * lit - light) * share;
                over.max(self.all(0.0)).sqrt().store_slice(&mut patch.planes[channel][y]);
            }
        }
        for (outside, share) in patch.planes[3].iter_mut().zip(&share) {
            (self.row(outside) * (self.all(1.0) - self.row(share))).store_slice(outside);
        }
        self.total(&share) / COUNT as f32
    }

    /// Lays the haze over what is outside of liquid and walls.
    #[inline(never)]
    fn tint(&self, patch: &mut Patch, corner: (usize, usize)) {
        let [red, green, blue, veil] = &self.painter.field.haze.planes;
        let veil = self.read(veil, corner);
        for (channel, haze) in [red, green, blue].into_iter().enumerate() {
            let haze = self.read(haze, corner);
            for y in 0..TEXELS.1 {
                let over = self.row(&haze[y]) - self.row(&veil[y]) * self.ground[channel];
                let tone = self.row(&patch.planes[channel][y]);
                let light = tone * tone + self.row(&patch.planes[3][y]) * over;
                light.max(self.all(0.0)).sqrt().store_slice(&mut patch.planes[channel][y]);
            }
        }
        for (outside, veil) in patch.planes[3].iter_mut().zip(&veil) {
            (self.row(outside) * (self.all(1.0) - self.row(veil))).store_slice(outside);
        }
    }

    /// Lays cloth over what is behind it: the ground, or the liquid too. Walls stay before both.
    #[inline(never)]
    fn hang(&self, patch: &mut Patch, cover: &Cover, tile: &Tile) {
        for (x, y) in (0..COUNT).map(|texel| (texel % TEXELS.0, texel / TEXELS.0)) {
            let (there, front) = tile.at(x, y);
            if !there {
                continue;
            }
            let outside = patch.planes[3][y][x];
            let (behind, share) = if front { (None, 1.0 - cover.solid[y][x]) } else { (Some(self.ground), outside) };
            let color = tile.color(x, y);
            for channel in 0..3 {
                let tone = &mut patch.planes[channel][y][x];
                let light = *tone * *tone;
                let hidden = behind.map_or(light, |ground| ground[channel]);
                *tone = (light + (color[channel] - hidden) * share).max(0.0).sqrt();
            }
            patch.planes[3][y][x] = if front { outside * (1.0 - share) } else { 0.0 };
        }
    }

    /// An array of the field, interpolated to a cell's texels.
    #[inline(always)]
    fn read(&self, array: &[f32], (left, top): (usize, usize)) -> Plane {
        // A sample's texels lie a quarter sample apart, and the first ones before the sample itself.
        const SHARE: [f32; TEXELS.0] = [0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375];
        let stride = self.painter.field.stride;
        let share = self.row(&SHARE);
        let mut rows = [self.all(0.0); SAMPLES.1 + 2];
        for (row, across) in rows.iter_mut().enumerate() {
            let samples = &array[(top + row - 1) * stride + left - 1..][..4];
            let [a, b, c, d] = [samples[0], samples[1], samples[2], samples[3]];
            let (from, to) = (self.row(&[a, a, b, b, b, b, c, c]), self.row(&[b, b, c, c, c, c, d, d]));
            *across = from + (to - from) * share;
        }
        let mut plane = BARE;
        for (y, texels) in plane.iter_mut().enumerate() {
            let (upper, lower) = (rows[(y + 2) / 4], rows[(y + 2) / 4 + 1]);
            (upper + (lower - upper) * SHARE[y % 4]).store_slice(texels);
        }
        plane
    }

    /// How much of each texel lies on the near side of an edge, by distances in samples.
    #[inline(always)]
    fn share(&self, distance: Lanes<S>) -> Lanes<S> {
        (distance * (1.0 / EDGE) + 0.5).max(self.all(0.0)).min(self.all(1.0))
    }

    /// What of a cell is liquid, and what is wall.
    #[inline(always)]
    fn cover(&self, field: &Plane, corner: (usize, usize), walled: bool) -> Cover {
        let mut cover = Cover { wet: BARE, solid: BARE };
        for (wet, field) in cover.wet.iter_mut().zip(field) {
            self.share((self.row(field) - 0.5) * self.shade.distance).store_slice(wet);
        }
        if walled {
            let free = self.read(&self.painter.backdrop.free, corner);
            let rim = self.read(&self.painter.backdrop.rim, corner);
            for y in 0..TEXELS.1 {
                let free = self.share(self.row(&free[y]));
                (self.row(&cover.wet[y]) * free).store_slice(&mut cover.wet[y]);
                ((self.all(1.0) - free) * self.share(self.row(&rim[y]))).store_slice(&mut cover.solid[y]);
            }
        }
        cover
    }

    /// Mixes liquid, walls and ground.
    #[inline(always)]
    fn color(&self, patch: &mut Patch, field: &Plane, cover: &Cover, (left, top): (usize, usize)) {
        let (ground, wall) = (self.ground, self.look.palette.wall);
        let rim = self.shade.rim(self.sample(left, top + 1).tint);
        // The line is in the palette's colours.
        let bright = self.shade.brightest_line(patch.light) * (1.0 - self.dye((left, top + 1)));
        for sample_row in 0..SAMPLES.1 {
            let (a, b) = (self.body(left, top + sample_row), self.body(left + 1, top + sample_row));
            let mut body = [self.all(0.0); 3];
            for (k, body) in body.iter_mut().enumerate() {
                *body = self.row(&[a[k], a[k], a[k], a[k], b[k], b[k], b[k], b[k]]);
            }
            for (y, field) in field.iter().enumerate().skip(4 * sample_row).take(4) {
                let (wet, solid) = (self.row(&cover.wet[y]), self.row(&cover.solid[y]));
                let outside = (self.all(1.0) - wet - solid).max(self.all(0.0));
                let below = (self.row(field) - 0.5) * (1.0 / self.shade.width);
                let above = self.all(1.0) - below.max(self.all(0.0)).min(self.all(1.0));
                let line = above * above * bright;
                for (channel, body) in body.into_iter().enumerate() {
                    let liquid = body + (self.all(rim[channel]) - body) * line;
                    let light = outside * ground[channel] + liquid * wet + solid * wall[channel];
                    light.sqrt().store_slice(&mut patch.planes[channel][y]);
                }
                outside.store_slice(&mut patch.planes[3][y]);
            }
        }
    }

    #[inline(always)]
    fn total(&self, plane: &Plane) -> f32 {
        let mut sum = self.all(0.0);
        for row in plane {
            sum += self.row(row);
        }
        across(sum.into())
    }

    #[inline(always)]
    fn row(&self, values: &[f32; TEXELS.0]) -> Lanes<S> {
        Lanes::from_slice(self.simd, values)
    }

    #[inline(always)]
    fn all(&self, value: f32) -> Lanes<S> {
        Lanes::splat(self.simd, value)
    }

    /// One sample of the field, with the light there.
    #[inline(always)]
    fn sample(&self, x: usize, y: usize) -> Sample {
        let field = &self.painter.field;
        let here = y * field.stride + x;
        let cover = field.cover[here];
        let share = 1.0 / cover.max(1e-6);
        Sample {
            cover,
            drive: (field.drive[here] * share).min(1.0),
            foam: (field.foam[here] * share).min(1.0),
            light: self.painter.light.at(x as f32, y as f32),
            tint: field.tint(here, cover),
        }
    }

    /// Whether a body covers a part of a cell.
    fn has_body(&self, column: usize, row: usize) -> bool {
        let field = &self.painter.field;
        let first = (1 + row * SAMPLES.1) * field.stride + 1 + column * SAMPLES.0;
        field.bodies.show(first, SAMPLES, field.stride)
    }

    /// Whether there is haze in or around a cell.
    fn is_hazy(&self, column: usize, row: usize) -> bool {
        let (haze, stride) = (&self.painter.field.haze, self.painter.field.stride);
        !haze.is_empty()
            && (row * SAMPLES.1..(row + 1) * SAMPLES.1 + 2).any(|y| {
                let first = y * stride + column * SAMPLES.0;
                haze.planes[3][first..first + SAMPLES.0 + 2].iter().any(|&veil| veil > THINNEST)
            })
    }

    /// What the colours of a cell may be, given the share of it that is ground. Edges keep to a ground that the terminal
    /// lends, and signs to any. What is hazy does not: the terminal lends no colour for a veil over its ground.
    fn ink(&self, outside: f32, hazy: bool) -> Ink {
        let kept = outside > 0.01 && !self.mixed;
        match self.look.depth {
            ColorDepth::Mono => Ink::Shape,
            _ if !hazy && (kept || !self.look.glyphs.are_blocks()) => Ink::Over(self.ground_tone),
            _ => Ink::Two,
        }
    }

    /// Writes a cell.
    #[inline(always)]
    pub fn put(&self, mark: Mark, (x, y): (u16, u16), cell: &mut Cell) {
        let color = |rgb: Option<Rgb>, y: u16| rgb.map_or(self.bare, |rgb| self.look.depth.color(rgb, (x, y)));
        // Two rows of thresholds a cell of blocks: its colours are mostly its upper and its lower half. Signs have one
        // colour that counts, and every other row of the pattern alone would be stripes.
        let (upper, lower) = if self.look.glyphs.are_blocks() { (2 * y, 2 * y + 1) } else { (y, y) };
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

/// Shares of texels that are liquid and wall; the rest is outside of both.
struct Cover {
    wet: Plane,
    solid: Plane,
}
