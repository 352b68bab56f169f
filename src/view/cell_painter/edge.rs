//! Edges: cells that a surface, a wall or anything else that is sharper than a cell passes through, texel by texel.

use crate::view::cell_painter::Brush;
use crate::view::cloth_raster::{ClothTexel, ClothTile};
use crate::view::glyph::atlas::Choice;
use crate::view::glyph::texel_block::{COUNT, Lanes, Plane, TEXELS, across};
use crate::view::glyph::{Patch, fit_after};
use crate::view::grid_layout::SAMPLES;
use fearless_simd::prelude::*;

/// Distance over which an edge fades, in samples: a pixel and a half of the ideal picture's sixteen a cell.
const EDGE: f32 = 0.25;

/// The share of its light that a body keeps where liquid lets none through.
pub(in crate::view) const LIT: f32 = 0.35;

/// A plane of nothing.
const BARE: Plane = [[0.0; TEXELS.0]; TEXELS.1];

impl<S: Simd> Brush<'_, S> {
    /// A cell that is looked at as finely as glyphs can show it.
    #[inline(always)]
    pub(super) fn edge(
        &self,
        (column, row): (usize, usize),
        [walled, hazy, has_body]: [bool; 3],
        past: Choice,
    ) -> Choice {
        let corner = (1 + column * SAMPLES.0, 1 + row * SAMPLES.1);
        let light = self.layers.light.at(corner.0 as f32 + 0.5, corner.1 as f32 + 1.5);
        let mut patch = Patch { planes: [BARE; 4], ground: self.ground_tone, solid: 0.0, light };
        let field = self.read(&self.layers.field.cover, corner);
        let cover = self.cover(&field, corner, walled);
        self.color(&mut patch, &field, &cover, corner);
        patch.solid = if walled { self.total(&cover.solid) / COUNT as f32 } else { 0.0 };
        if hazy {
            self.tint(&mut patch, corner);
        }
        if let Some(tile) = self.layers.cloth.tile(column, row) {
            self.hang(&mut patch, &cover, tile);
        }
        if has_body {
            patch.solid += (1.0 - patch.solid) * self.lay_body(&mut patch, corner);
        }
        let outside = self.total(&patch.planes[3]) / COUNT as f32;
        if !hazy && outside > 0.995 {
            return Choice::BLANK;
        }
        fit_after(self.simd, self.look.glyphs, &patch, self.ink(outside, hazy), past)
    }

    /// Lays bodies over a cell and says which share of it they cover. Under liquid they are as dim as it is dark there.
    #[inline(always)]
    fn lay_body(&self, patch: &mut Patch, corner: (usize, usize)) -> f32 {
        let bodies = &self.layers.field.bodies;
        let mut share = self.read(&bodies.distance, corner);
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

    /// Lays the haze over what is outside of liquid and walls. (Not inlined it is code for no instruction set, in which
    /// every sum of vectors is a call: that took a third of the picture of `karman`.)
    #[inline(always)]
    fn tint(&self, patch: &mut Patch, corner: (usize, usize)) {
        let [red, green, blue, veil] = &self.layers.field.smoke.planes;
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
    fn hang(&self, patch: &mut Patch, cover: &Cover, tile: &ClothTile) {
        for (x, y) in (0..COUNT).map(|texel| (texel % TEXELS.0, texel / TEXELS.0)) {
            let Some(ClothTexel { color, before_liquid }) = tile.texel(x, y) else { continue };
            let outside = patch.planes[3][y][x];
            let (behind, share) =
                if before_liquid { (None, 1.0 - cover.solid[y][x]) } else { (Some(self.ground), outside) };
            for channel in 0..3 {
                let tone = &mut patch.planes[channel][y][x];
                let light = *tone * *tone;
                let hidden = behind.map_or(light, |ground| ground[channel]);
                *tone = (light + (color[channel] - hidden) * share).max(0.0).sqrt();
            }
            patch.planes[3][y][x] = if before_liquid { outside * (1.0 - share) } else { 0.0 };
        }
    }

    /// An array of the field, interpolated to a cell's texels.
    #[inline(always)]
    fn read(&self, array: &[f32], (left, top): (usize, usize)) -> Plane {
        // A sample's texels lie a quarter sample apart, and the first ones before the sample itself.
        const SHARE: [f32; TEXELS.0] = [0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375];
        let stride = self.layers.field.grid.stride;
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
            let free = self.read(&self.layers.walls.distance, corner);
            let rim = self.read(&self.layers.walls.rim, corner);
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
}

/// Shares of texels that are liquid and wall; the rest is outside of both.
struct Cover {
    wet: Plane,
    solid: Plane,
}
