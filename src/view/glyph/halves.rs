use crate::cell::color::LinearRgb;
use crate::math::horizontal_sums;
use crate::view::glyph::texel_block::{TEXELS, TexelBlock, TexelRow, TexelSum};
use fearless_simd::prelude::*;

#[inline(always)]
pub(super) fn inside<S: Simd>(simd: S, block: &TexelBlock) -> u128 {
    bits(
        #[inline(always)]
        |y| TexelRow::splat(simd, 0.5).simd_gt(TexelRow::from_slice(simd, &block.planes[3][y])),
    )
}

/// Returns the texels that lie beyond the mean along the colour axis in which they differ most.
#[inline(always)]
pub(super) fn split<S: Simd>(simd: S, block: &TexelBlock, mean: TexelSum) -> u128 {
    let axis = principal_axis(simd, block, mean);
    let middle = TexelRow::splat(simd, mean[0] * axis[0] + mean[1] * axis[1] + mean[2] * axis[2]);
    bits(
        #[inline(always)]
        |y| {
            let red = TexelRow::from_slice(simd, &block.planes[0][y]);
            let green = TexelRow::from_slice(simd, &block.planes[1][y]);
            let blue = TexelRow::from_slice(simd, &block.planes[2][y]);
            (red * axis[0] + green * axis[1] + blue * axis[2]).simd_gt(middle)
        },
    )
}

#[inline(always)]
fn bits<S: Simd, M: SimdMask<S>>(mut row: impl FnMut(usize) -> M) -> u128 {
    let mut bits = 0;
    for y in 0..TEXELS.1 {
        bits |= u128::from(row(y).to_bitmask()) << (y * TEXELS.0);
    }
    bits
}

/// The course of a set of texels beyond the cell, in bits. A bit is set where the first, middle and last row differ, and where
/// the first, middle and last column do. The bits of the rows count twice, because a row has half as many texels as a column.
#[inline(always)]
pub(super) fn course_bits(set: u128) -> u64 {
    const ROW: usize = TEXELS.0;
    let (first, middle, last) =
        (set as u64, (set >> (ROW * TEXELS.1 / 2)) as u64, (set >> (ROW * (TEXELS.1 - 1))) as u64);
    let rows = ((first ^ middle) & 0xff) | ((middle ^ last) & 0xff) << 8;
    // Bit 8 y of these is set where the columns differ in row y.
    let left = set ^ (set >> (ROW / 2));
    let right = (set >> (ROW / 2)) ^ (set >> (ROW - 1));
    rows | rows << 16 | first_column(left) << 32 | first_column(right) << 48
}

/// A bit for each row. A product shifts bit 8 y of eight rows to bit 56 + y.
#[inline(always)]
fn first_column(set: u128) -> u64 {
    const COLUMN: u64 = 0x0101_0101_0101_0101;
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (upper, lower) = (set as u64 & COLUMN, (set >> 64) as u64 & COLUMN);
    upper.wrapping_mul(GATHER) >> 56 | lower.wrapping_mul(GATHER) >> 56 << 8
}

/// The bits of [`course_bits`] for the course of an upright edge, and those for a level one.
pub(super) const COURSE_MASKS: [u64; 2] = [0xffff_ffff, !0xffff_ffff];

/// The direction of greatest variance of the colours: two steps of power iteration on their covariance matrix, scaled before
/// each, which start from the row of the channel that varies most.
#[inline(always)]
fn principal_axis<S: Simd>(simd: S, block: &TexelBlock, mean: TexelSum) -> LinearRgb {
    let mut lanes = [TexelRow::splat(simd, 0.0); 6];
    for y in 0..TEXELS.1 {
        let r = TexelRow::from_slice(simd, &block.planes[0][y]) - mean[0];
        let g = TexelRow::from_slice(simd, &block.planes[1][y]) - mean[1];
        let b = TexelRow::from_slice(simd, &block.planes[2][y]) - mean[2];
        lanes[0] += r * r;
        lanes[1] += r * g;
        lanes[2] += r * b;
        lanes[3] += g * g;
        lanes[4] += g * b;
        lanes[5] += b * b;
    }
    let [rr, rg, rb, gg]: [f32; 4] = horizontal_sums([lanes[0], lanes[1], lanes[2], lanes[3]]).into();
    let [gb, bb, ..]: [f32; 4] = horizontal_sums([lanes[4], lanes[5], lanes[4], lanes[5]]).into();
    let rows = [[rr, rg, rb], [rg, gg, gb], [rb, gb, bb]];
    let widest = if rr >= gg && rr >= bb {
        0
    } else if gg >= bb {
        1
    } else {
        2
    };
    let mut axis = rows[widest];
    for _ in 0..2 {
        let scale = 1.0 / axis[0].abs().max(axis[1].abs()).max(axis[2].abs()).max(1e-20);
        let from = [axis[0] * scale, axis[1] * scale, axis[2] * scale];
        for (part, row) in axis.iter_mut().zip(&rows) {
            *part = row[0] * from[0] + row[1] * from[1] + row[2] * from[2];
        }
    }
    axis
}
