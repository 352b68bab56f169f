//! Cells with cloth and nothing else: most cells of a curtain or a flag.

use crate::cell::color::ColorDepth;
use crate::math::horizontal_sum;
use crate::view::cell_painter::CellPainter;
use crate::view::cell_painter::edge::NOTHING_ELSE;
use crate::view::cloth_raster::ClothTile;
use crate::view::glyph::gradient::ColorGradient;
use crate::view::glyph::texel_block::{TEXEL_COUNT, TEXELS};
use crate::view::glyph::{GlyphFit, TexelBlock, fit_after, fit_shade};
use fearless_simd::prelude::*;

/// Squared error of a linear gradient, as tones squared and summed over the channels, up to which it stands for the texels: three
/// code values.
const MAX_GRADIENT_ERROR: f32 = 3.0 * 3.0 * 3.0 / (255.0 * 255.0);

/// Sums of the squared distances from the middle of a cell over its texels, in cells: across and down.
const SQUARES: [f32; 2] = [square_sum(TEXELS.0), square_sum(TEXELS.1)];

const fn square_sum(n: usize) -> f32 {
    let n = n as f32;
    TEXEL_COUNT as f32 * (n * n - 1.0) / (12.0 * n * n)
}

impl<S: Simd> CellPainter<'_, S> {
    #[inline(always)]
    pub(super) fn fit_cloth(&self, tile: &ClothTile, light: f32, former: GlyphFit) -> GlyphFit {
        let is_mono = self.style.depth == ColorDepth::Mono;
        if self.style.glyphs.is_blocks()
            && !is_mono
            && let Some(gradient) = self.cloth_gradient(tile)
        {
            if self.atlas.keeps(&gradient, former) {
                return former;
            }
            return self.atlas.fit_gradient(&gradient, self.style.depth == ColorDepth::TrueColor, former);
        }
        let (zero, one) = (self.all(0.0), self.all(1.0));
        let mut block = TexelBlock::uniform([0.0; 3], self.background_tone, light);
        let mut outside = zero;
        let mut brightness = zero;
        for (y, cloth) in tile.iter().enumerate() {
            let covered = cloth.covered(self.simd);
            let tones = cloth.colors(self.simd).map(|color| color.sqrt());
            for ((plane, tone), background) in block.planes.iter_mut().zip(tones).zip(self.background_tone) {
                covered.select(tone, self.all(background)).store_slice(&mut plane[y]);
            }
            brightness += covered.select(tones[0].max(tones[1]).max(tones[2]), zero);
            let bare = covered.select(zero, one);
            bare.store_slice(&mut block.planes[3][y]);
            outside += bare;
        }
        let outside = horizontal_sum(outside) / TEXEL_COUNT as f32;
        if outside > NOTHING_ELSE {
            return GlyphFit::BLANK;
        }
        if is_mono {
            // Folds are shades.
            block.light = horizontal_sum(brightness) / (TEXEL_COUNT as f32 * (1.0 - outside));
            if self.style.glyphs.is_blocks() && outside == 0.0 {
                return fit_shade(block.light, former);
            }
        }
        fit_after(self.simd, self.style.glyphs, &block, self.color_mode(outside, false), former)
    }

    /// The linear gradient nearest to the colours of a tile (least squares), if cloth covers all of it and the gradient is near
    /// enough.
    #[inline(always)]
    fn cloth_gradient(&self, tile: &ClothTile) -> Option<ColorGradient> {
        let offsets = self.row(&std::array::from_fn(|x| (x as f32 + 0.5) / TEXELS.0 as f32 - 0.5));
        let [mut sums, mut downs, mut squares] = [[self.all(0.0); 3]; 3];
        for (y, cloth) in tile.iter().enumerate() {
            if !cloth.covered(self.simd).all_true() {
                return None;
            }
            let down = (y as f32 + 0.5) / TEXELS.1 as f32 - 0.5;
            for (k, color) in cloth.colors(self.simd).into_iter().enumerate() {
                sums[k] += color;
                downs[k] += color * down;
                squares[k] += color * color;
            }
        }
        let mut gradient = ColorGradient::default();
        let mut error = 0.0;
        for k in 0..3 {
            let mean = horizontal_sum(sums[k]) / TEXEL_COUNT as f32;
            let right = horizontal_sum(sums[k] * offsets) / SQUARES[0];
            let down = horizontal_sum(downs[k]) / SQUARES[1];
            let explained = TEXEL_COUNT as f32 * mean * mean + SQUARES[0] * right * right + SQUARES[1] * down * down;
            // A tone t = √c changes by dc / 2t.
            error += (horizontal_sum(squares[k]) - explained) / (4.0 * TEXEL_COUNT as f32 * mean.max(1e-4));
            (gradient.mean[k], gradient.right[k], gradient.down[k]) = (mean, right, down);
        }
        (error <= MAX_GRADIENT_ERROR).then_some(gradient)
    }
}
