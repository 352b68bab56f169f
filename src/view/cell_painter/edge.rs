//! Edge cells, which a surface, a wall or another feature sharper than a cell crosses, computed texel by texel.

use crate::cell::color::{ColorDepth, Rgb};
use crate::math::horizontal_sum;
use crate::view::cell_painter::{CellContents, CellMemory, CellPainter, Level};
use crate::view::cloth_raster::ClothTile;
use crate::view::glyph::texel_block::{TEXEL_COUNT, TEXELS, TexelPlane, TexelRow};
use crate::view::glyph::{FittedCell, GlyphFit, TexelBlock, fit_after};
use crate::view::grid_layout::SAMPLES;
use crate::view::shade::EDGE_WIDTH;
use crate::view::whitewater::VISIBLE;
use fearless_simd::prelude::*;

/// Fraction of its light that a body keeps in liquid that lets no light through. Chosen by eye.
pub(in crate::view) const MIN_BODY_LIGHT: f32 = 0.35;

/// Weight of the later of the two samples between which a texel lies. A sample's texels are a quarter sample apart.
const SHARE: [f32; TEXELS.0] = [0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375];

/// Weight of the samples around a cell in its outermost texels.
pub(in crate::view) const AROUND: f32 = 1.0 - SHARE[0];

/// Fraction of background from which on a cell is blank: less than a texel of anything else is left.
pub(super) const NOTHING_ELSE: f32 = 0.995;

/// Fraction of background below which a cell with cloth is filled: two colours are liquid and cloth.
const MAX_CLOTH_GAP: f32 = 0.4;

/// Largest difference in code values at which the former cell with dots is kept.
const DOT_TOLERANCE: u8 = 4;

const ZEROS: TexelPlane = [[0.0; TEXELS.0]; TEXELS.1];

impl<S: Simd> CellPainter<'_, S> {
    #[inline(always)]
    pub(super) fn fit_edge(&self, column: usize, row: usize, contents: CellContents, former: CellMemory) -> CellMemory {
        let corner = (1 + column * SAMPLES.0, 1 + row * SAMPLES.1);
        let field = self.read(&self.layers.field.coverage, corner);
        let coverage = self.coverage(&field, corner, contents.wall);
        let bare = !contents.smoke && !contents.body && contents.specks <= VISIBLE;
        let tile = self.layers.cloth.tile(column, row);
        let level = bare && tile.is_none() && !contents.wall && self.keeps_level;
        let level = level.then(|| self.level(&coverage)).flatten();
        if let (Some(height), Some(drawn)) = (level, former.level)
            && drawn.stays(height, self.now)
        {
            return former;
        }
        if bare && tile.is_none() && self.air(&coverage) > NOTHING_ELSE {
            return self.blank(former);
        }
        let light = self.layers.light.at(corner.0 as f32 + 0.5, corner.1 as f32 + 1.5).light;
        let solid = if contents.wall { self.total(&coverage.solid) / TEXEL_COUNT as f32 } else { 0.0 };
        let straight = contents.straight && solid > 0.0;
        let (planes, background) = ([ZEROS; 4], self.background_tone);
        let mut block = TexelBlock { planes, background, solid, light, straight };
        self.color(&mut block, &field, &coverage, corner, contents.wall);
        if contents.smoke {
            self.add_smoke(&mut block, corner);
        }
        if contents.specks > VISIBLE {
            if let Some(dots) = self.layers.whitewater.dots(column, row, &self.layers.field.grid) {
                return self.dots(dots, &block, &coverage, contents.smoke, former.fit).into();
            }
            self.add_specks(&mut block, &coverage, corner);
        }
        if let Some(tile) = tile {
            self.add_cloth(&mut block, &coverage, tile);
        }
        if contents.body {
            block.solid += (1.0 - block.solid) * self.add_bodies(&mut block, corner);
        }
        let outside = self.total(&block.planes[3]) / TEXEL_COUNT as f32;
        if !contents.smoke && outside > NOTHING_ELSE {
            return CellMemory::default();
        }
        // Over a mixture of liquid and cloth in one colour, the background would be kept for little.
        let mode = self.color_mode(outside, contents.smoke || tile.is_some() && outside < MAX_CLOTH_GAP);
        let fit = fit_after(self.simd, self.style.glyphs, &block, mode, former.fit);
        let level = level.map(|height| match former.level {
            Some(drawn) if fit == former.fit => drawn,
            Some(drawn) => Level { height, since: self.now, rose: height > drawn.height },
            None => Level { height, since: self.now, rose: true },
        });
        CellMemory { level, ..fit.into() }
    }

    /// A cell of liquid or air with beads, the colour of which is that of an element: dots, and one colour around them.
    #[inline(always)]
    fn dots(
        &self,
        (glyph, peak): (char, usize),
        block: &TexelBlock,
        coverage: &EdgeCoverage,
        smoke: bool,
        former: GlyphFit,
    ) -> GlyphFit {
        let is_bare = !smoke && self.total(&coverage.wet) < 0.5 * TEXEL_COUNT as f32;
        // Of a cell with liquid, what the liquid covers.
        let outside = if smoke || is_bare { 0.0 } else { self.total(&block.planes[3]) / TEXEL_COUNT as f32 };
        let behind = [0, 1, 2].map(|channel| {
            let tone = self.total(&block.planes[channel]) / TEXEL_COUNT as f32;
            let tone = (tone - outside * self.background_tone[channel]).max(0.0) / (1.0 - outside);
            tone * tone
        });
        let color = |light| Some(Rgb::from_linear(light));
        let over = |light| color(self.layers.whitewater.over(light, peak));
        let cell = match self.style.depth {
            ColorDepth::Mono => FittedCell { glyph, fg: None, bg: None },
            _ if is_bare => FittedCell { glyph, fg: over(self.background), bg: None },
            _ => FittedCell { glyph, fg: over(behind), bg: color(behind) },
        };
        if former.cell.is_like(cell, DOT_TOLERANCE) { former } else { GlyphFit::without_index(cell) }
    }

    /// The height of the liquid in a cell that is full below or empty above, in samples.
    #[inline(always)]
    fn level(&self, coverage: &EdgeCoverage) -> Option<f32> {
        let (first, last) = (self.row(&coverage.wet[0]), self.row(&coverage.wet[TEXELS.1 - 1]));
        let (full_below, full) = (last.simd_ge(self.all(1.0)).all_true(), first.simd_ge(self.all(1.0)).all_true());
        let empty_above = first.simd_le(self.all(0.0)).all_true();
        (!full && (full_below || empty_above))
            .then(|| self.total(&coverage.wet) * (SAMPLES.1 as f32 / TEXEL_COUNT as f32))
    }

    /// Draws bodies over a cell and returns the fraction of it that they cover. In deep liquid they are dim.
    #[inline(always)]
    fn add_bodies(&self, block: &mut TexelBlock, corner: (usize, usize)) -> f32 {
        let bodies = &self.layers.field.bodies;
        let mut share = self.read(&bodies.distance, corner);
        for texels in &mut share {
            (self.all(1.0) - self.share(self.row(texels))).store_slice(texels);
        }
        let lit = MIN_BODY_LIGHT + (1.0 - MIN_BODY_LIGHT) * block.light;
        for (channel, color) in bodies.color.iter().enumerate() {
            let color = self.read(color, corner);
            for y in 0..TEXELS.1 {
                let (tone, share) = (self.row(&block.planes[channel][y]), self.row(&share[y]));
                let light = tone * tone;
                let over = light + (self.row(&color[y]) * lit - light) * share;
                over.max(self.all(0.0)).sqrt().store_slice(&mut block.planes[channel][y]);
            }
        }
        for (outside, share) in block.planes[3].iter_mut().zip(&share) {
            (self.row(outside) * (self.all(1.0) - self.row(share))).store_slice(outside);
        }
        self.total(&share) / TEXEL_COUNT as f32
    }

    #[inline(always)]
    fn add_smoke(&self, block: &mut TexelBlock, corner: (usize, usize)) {
        let [red, green, blue, opacity] = &self.layers.field.smoke.planes;
        let opacity = self.read(opacity, corner);
        for (channel, color) in [red, green, blue].into_iter().enumerate() {
            let color = self.read(color, corner);
            for y in 0..TEXELS.1 {
                let over = self.row(&color[y]) - self.row(&opacity[y]) * self.background[channel];
                let tone = self.row(&block.planes[channel][y]);
                let light = tone * tone + self.row(&block.planes[3][y]) * over;
                light.max(self.all(0.0)).sqrt().store_slice(&mut block.planes[channel][y]);
            }
        }
        for (outside, opacity) in block.planes[3].iter_mut().zip(&opacity) {
            (self.row(outside) * (self.all(1.0) - self.row(opacity))).store_slice(outside);
        }
    }

    #[inline(always)]
    fn add_specks(&self, block: &mut TexelBlock, coverage: &EdgeCoverage, (left, top): (usize, usize)) {
        let planes = &self.layers.whitewater.planes;
        let one = self.all(1.0);
        for sample_row in 0..SAMPLES.1 {
            let here = self.layers.field.grid.index(left, top + sample_row);
            if planes[3][here] + planes[3][here + 1] == 0.0 {
                continue;
            }
            // Beads are not interpolated: they would spread to the cells around.
            let [red, green, blue, own] = [0, 1, 2, 3].map(|k| {
                let (a, b) = (planes[k][here], planes[k][here + 1]);
                [a, a, a, a, b, b, b, b]
            });
            let own = self.row(&own);
            for y in 4 * sample_row..4 * sample_row + 4 {
                // In total at most 1, and zero on walls.
                let share = (one - self.row(&coverage.solid[y])) / own.max(one);
                let opacity = own * share;
                for (plane, color) in block.planes.iter_mut().zip([&red, &green, &blue]) {
                    let tone = self.row(&plane[y]);
                    let light = tone * tone;
                    let over = light + self.row(color) * share - light * opacity;
                    over.max(self.all(0.0)).sqrt().store_slice(&mut plane[y]);
                }
                let outside = self.row(&block.planes[3][y]);
                (outside * (one - opacity)).store_slice(&mut block.planes[3][y]);
            }
        }
    }

    /// Draws cloth over the background, or over background and liquid. Walls stay in front of both.
    #[inline(always)]
    fn add_cloth(&self, block: &mut TexelBlock, coverage: &EdgeCoverage, tile: &ClothTile) {
        let (zero, one) = (self.all(0.0), self.all(1.0));
        for (y, cloth) in tile.iter().enumerate() {
            let (covered, before) = (cloth.covered(self.simd), cloth.before_liquid(self.simd));
            let outside = self.row(&block.planes[3][y]);
            let share = before.select(one - self.row(&coverage.solid[y]), outside);
            for (channel, color) in cloth.colors(self.simd).into_iter().enumerate() {
                let tone = self.row(&block.planes[channel][y]);
                let light = tone * tone;
                let hidden = before.select(light, self.all(self.background[channel]));
                let over = (light + (color - hidden) * share).max(zero).sqrt();
                covered.select(over, tone).store_slice(&mut block.planes[channel][y]);
            }
            let left = before.select(outside * (one - share), zero);
            covered.select(left, outside).store_slice(&mut block.planes[3][y]);
        }
    }

    #[inline(always)]
    fn read(&self, array: &[f32], (left, top): (usize, usize)) -> TexelPlane {
        let stride = self.layers.field.grid.stride;
        let share = self.row(&SHARE);
        let mut rows = [self.all(0.0); SAMPLES.1 + 2];
        for (row, across) in rows.iter_mut().enumerate() {
            let samples = &array[(top + row - 1) * stride + left - 1..][..4];
            let [a, b, c, d] = [samples[0], samples[1], samples[2], samples[3]];
            let (from, to) = (self.row(&[a, a, b, b, b, b, c, c]), self.row(&[b, b, c, c, c, c, d, d]));
            *across = from + (to - from) * share;
        }
        let mut plane = ZEROS;
        for (y, texels) in plane.iter_mut().enumerate() {
            let (upper, lower) = (rows[(y + 2) / 4], rows[(y + 2) / 4 + 1]);
            (upper + (lower - upper) * SHARE[y % 4]).store_slice(texels);
        }
        plane
    }

    #[inline(always)]
    fn share(&self, distance: TexelRow<S>) -> TexelRow<S> {
        (distance * (1.0 / EDGE_WIDTH) + 0.5).max(self.all(0.0)).min(self.all(1.0))
    }

    #[inline(always)]
    fn coverage(&self, field: &TexelPlane, corner: (usize, usize), walled: bool) -> EdgeCoverage {
        let mut coverage = EdgeCoverage { wet: ZEROS, solid: ZEROS };
        for (wet, field) in coverage.wet.iter_mut().zip(field) {
            self.share((self.row(field) - 0.5) * self.shade.distance).store_slice(wet);
        }
        if walled {
            let free = self.read(&self.layers.walls.distance, corner);
            let rim = self.read(&self.layers.walls.rim, corner);
            for y in 0..TEXELS.1 {
                let free = self.share(self.row(&free[y]));
                (self.row(&coverage.wet[y]) * free).store_slice(&mut coverage.wet[y]);
                ((self.all(1.0) - free) * self.share(self.row(&rim[y]))).store_slice(&mut coverage.solid[y]);
            }
        }
        coverage
    }

    #[inline(always)]
    fn air(&self, coverage: &EdgeCoverage) -> f32 {
        let mut sum = self.all(0.0);
        for (wet, solid) in coverage.wet.iter().zip(&coverage.solid) {
            sum += (self.all(1.0) - self.row(wet) - self.row(solid)).max(self.all(0.0));
        }
        horizontal_sum(sum) / TEXEL_COUNT as f32
    }

    /// Groups of four rows of texels, those of a row of samples, have the background's tone where they are all air.
    #[inline(always)]
    fn color(
        &self,
        block: &mut TexelBlock,
        field: &TexelPlane,
        coverage: &EdgeCoverage,
        (left, top): (usize, usize),
        walled: bool,
    ) {
        let light = &self.layers.light;
        let glow = light.glow.on_wall(light, left as f32 + 0.5, top as f32 + 1.5);
        let (background, wall) = (self.background, self.style.palette.wall);
        let shade = if walled { self.read(&self.layers.walls.shade, (left, top)) } else { ZEROS };
        let rim = if self.plain {
            self.rim
        } else {
            let here = self.layers.field.grid.index(left, top + 1);
            self.shade.rim(self.layers.field.phase_fractions(here))
        };
        // The surface line has the palette's colours, so it fades where the liquid has its own. The greatest fraction in the cell
        // counts.
        let mut dye = 0.0f32;
        if !self.plain {
            for sample in 0..SAMPLES.0 * SAMPLES.1 {
                let here = self.layers.field.grid.index(left + sample % SAMPLES.0, top + sample / SAMPLES.0);
                dye = dye.max(self.layers.field.own_color_at(here).map_or(0.0, |(_, fraction)| fraction));
            }
        }
        let bright = self.shade.brightest_line(block.light) * (1.0 - dye);
        let bodies = self.sample_bodies(left, top);
        let (zero, one) = (self.all(0.0), self.all(1.0));
        for sample_row in 0..SAMPLES.1 {
            let rows = 4 * sample_row..4 * sample_row + 4;
            let mut most = zero;
            for wet in &coverage.wet[rows.clone()] {
                most = most.max(self.row(wet));
            }
            if !walled && most.simd_le(zero).all_true() {
                let [red, green, blue] = self.background_tone;
                for (plane, tone) in block.planes.iter_mut().zip([red, green, blue, 1.0]) {
                    plane[rows.clone()].fill([tone; TEXELS.0]);
                }
                continue;
            }
            let mut body = [self.all(0.0); 3];
            for (body, samples) in body.iter_mut().zip(&bodies) {
                let (a, b) = (samples[SAMPLES.0 * sample_row], samples[SAMPLES.0 * sample_row + 1]);
                *body = self.row(&[a, a, a, a, b, b, b, b]);
            }
            for (y, field) in field.iter().enumerate().skip(4 * sample_row).take(4) {
                let (wet, solid) = (self.row(&coverage.wet[y]), self.row(&coverage.solid[y]));
                let outside = (self.all(1.0) - wet - solid).max(self.all(0.0));
                let below = (self.row(field) - 0.5) * (1.0 / self.shade.width);
                let above = self.all(1.0) - below.max(self.all(0.0)).min(self.all(1.0));
                let line = above * above * bright;
                let wetness = self.row(field).max(self.all(0.0)).min(one) * self.layers.walls.wetness;
                let lit = self.row(&shade[y]) * (one - wetness);
                for (channel, body) in body.into_iter().enumerate() {
                    let liquid = body + (self.all(rim[channel]) - body) * line;
                    let wall = (lit * wall[channel] + glow[channel]).min(one);
                    let light = outside * background[channel] + liquid * wet + solid * wall;
                    light.sqrt().store_slice(&mut block.planes[channel][y]);
                }
                outside.store_slice(&mut block.planes[3][y]);
            }
        }
    }

    #[inline(always)]
    fn total(&self, plane: &TexelPlane) -> f32 {
        let mut sum = self.all(0.0);
        for row in plane {
            sum += self.row(row);
        }
        horizontal_sum(sum)
    }

    #[inline(always)]
    pub(super) fn row(&self, values: &[f32; TEXELS.0]) -> TexelRow<S> {
        TexelRow::from_slice(self.simd, values)
    }

    #[inline(always)]
    pub(super) fn all(&self, value: f32) -> TexelRow<S> {
        TexelRow::splat(self.simd, value)
    }
}

/// The share of each texel that is liquid and that is wall; the rest is outside of both.
struct EdgeCoverage {
    wet: TexelPlane,
    solid: TexelPlane,
}
