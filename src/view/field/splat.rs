//! The splat: particles' kernels added to the samples they reach, row by row, in vectors.

use crate::cell::color::LinearRgb;
use crate::sim::liquid::particle_liquid::ParticleLiquidRef;
use crate::view::field::{Field, OTHERS};
use crate::view::glyph::texel_block::Lanes;
use crate::view::grid_layout::{GridLayout, LANES};
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::Vec2;
use std::ops::Range;

/// A particle alone is this thin at the least; keeps the division sane.
const THINNEST: f32 = 0.05;

/// The kernel `(1 − d²/R²)³` for one liquid at one scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    /// R in samples, across and down.
    pub reach: Vec2,
    /// 1/S.
    norm: f32,
}

impl Kernel {
    pub fn new(liquid: ParticleLiquidRef, grid: &GridLayout, least_reach: f32) -> Self {
        let spacing = grid.spacing.abs();
        let radius = liquid.h().max(least_reach * spacing.max_element());
        // ∫ (1 − d²/R²)³ over the disc is πR²/4.
        let sum = std::f32::consts::FRAC_PI_4 * radius * radius / liquid.particle_area();
        Self { reach: radius / spacing, norm: 1.0 / sum }
    }

    /// V/S of a particle.
    pub fn weight(&self, relative_density: f32) -> f32 {
        self.norm / relative_density.clamp(THINNEST, 1.0)
    }
}

/// What one particle adds to the field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blob {
    /// Its place, in samples.
    pub at: Vec2,
    /// What its kernel is multiplied by in each of the three arrays.
    pub cover: f32,
    pub drive: f32,
    pub foam: f32,
    /// And in those of other fluids.
    pub shares: [f32; OTHERS],
    /// Its own colour, if it has one.
    pub tint: Option<LinearRgb>,
}

/// Adds blobs to the rows that their kernels reach and counts the samples.
///
/// Every row of a blob gets the same few vectors, though the first and last ones need fewer (the kernel is zero in
/// the surplus lanes): squared distances across are then computed once a blob, and nothing depends on a root or on a
/// count that no processor can foresee. That took the splat from 160 to 60 ns a particle at 120×40 cells. Vectors
/// aligned to the grid were tried and were slower: more of them, for loads that cost nothing. The arrays are taken out of
/// the field as slices, and a row is checked once against each: a fifth less again.
#[simd]
pub(super) fn splat<S: Simd>(simd: S, field: &mut Field, kernel: &Kernel, blobs: impl Iterator<Item = Blob>) {
    for blob in blobs {
        let columns = span(blob.at.x, kernel.reach.x, field.grid.columns);
        match columns.len().div_ceil(LANES) {
            0 => {}
            1 => add::<S, 1>(simd, field, kernel, &blob, columns.start),
            2 => add::<S, 2>(simd, field, kernel, &blob, columns.start),
            3 => add::<S, 3>(simd, field, kernel, &blob, columns.start),
            4 => add::<S, 4>(simd, field, kernel, &blob, columns.start),
            // Few particles on a large screen, or the ideal picture.
            _ => columns.step_by(LANES).for_each(|left| add::<S, 1>(simd, field, kernel, &blob, left)),
        }
    }
}

/// Adds a blob to N vectors of every row it reaches, from the column `left`.
#[inline(always)]
fn add<S: Simd, const N: usize>(simd: S, field: &mut Field, kernel: &Kernel, blob: &Blob, left: usize) {
    let steps = Lanes::from_slice(simd, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let per_reach = 1.0 / kernel.reach;
    let mut across = [Lanes::splat(simd, 0.0); N];
    for (vector, across) in across.iter_mut().enumerate() {
        let dx = (steps + ((left + vector * LANES) as f32 - blob.at.x)) * per_reach.x;
        *across = dx * dx;
    }
    let rows = span(blob.at.y, kernel.reach.y, field.grid.rows);
    field.touched += rows.len() * N * LANES;
    let (stride, tinted) = (field.grid.stride, blob.shares != [0.0; OTHERS]);
    let (cover, drive, foam) = (&mut field.cover[..], &mut field.drive[..], &mut field.foam[..]);
    for row in rows {
        let dy = (row as f32 - blob.at.y) * per_reach.y;
        let room = Lanes::splat(simd, 1.0 - dy * dy);
        let mut cubes = across;
        for cube in &mut cubes {
            let near = (room - *cube).max(Lanes::splat(simd, 0.0));
            *cube = near * near * near;
        }
        let here = row * stride + left;
        put(simd, &cubes, blob.cover, &mut cover[here..]);
        put(simd, &cubes, blob.drive, &mut drive[here..]);
        // Little is foam.
        if blob.foam > 0.0 {
            put(simd, &cubes, blob.foam, &mut foam[here..]);
        }
        if tinted {
            for (share, plane) in blob.shares.iter().zip(&mut field.tints).filter(|(share, _)| **share > 0.0) {
                put(simd, &cubes, *share, &mut plane[here..]);
            }
        }
        if let Some([red, green, blue]) = blob.tint {
            for (plane, part) in field.tint.iter_mut().zip([red, green, blue, 1.0]) {
                put(simd, &cubes, blob.cover * part, &mut plane[here..]);
            }
        }
    }
}

/// Adds so many times a row of a kernel to the samples it lies on.
#[inline(always)]
fn put<S: Simd, const N: usize>(simd: S, cubes: &[Lanes<S>; N], times: f32, samples: &mut [f32]) {
    for (samples, cube) in samples.as_chunks_mut::<LANES>().0[..N].iter_mut().zip(cubes) {
        (Lanes::from_slice(simd, samples) + *cube * times).store_slice(samples);
    }
}

/// The samples of a row or column of `count` that lie within `reach` of `at`.
#[inline(always)]
fn span(at: f32, reach: f32, count: usize) -> Range<usize> {
    (at - reach).max(0.0).ceil() as usize..((at + reach + 1.0).max(0.0) as usize).min(count)
}
