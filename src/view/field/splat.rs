//! The splat: adds particles' kernels to the samples within their reach, row by row, in vectors.

use crate::cell::color::LinearRgb;
use crate::sim::definition::Metaballs;
use crate::sim::liquid::Liquid;
use crate::view::field::Field;
use crate::view::glyph::texel_block::TexelRow;
use crate::view::grid_layout::{GridLayout, LANES};
use crate::view::sample::OTHER_PHASES;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::Vec2;
use std::ops::Range;

/// Minimum relative density of a particle: it bounds the particle's weight.
const MIN_DENSITY: f32 = 0.05;

/// The field's value at the surface.
const SURFACE: f32 = 0.5;

#[derive(Clone, Copy, Debug)]
pub(super) struct SplatKernel {
    /// R in samples, across and down.
    pub reach: Vec2,
    /// 1/S.
    norm: f32,
}

impl SplatKernel {
    pub fn new(liquid: &Liquid, metaballs: &Metaballs, grid: &GridLayout, least_reach: f32) -> Self {
        let spacing = grid.spacing.abs();
        let radius = (metaballs.radius * liquid.h()).max(least_reach * spacing.max_element());
        // ∫ (1 − d²/R²)³ 2πd dd from 0 to R is πR² ∫ (1 − u)³ du = πR²/4.
        let sum = std::f32::consts::FRAC_PI_4 * radius * radius / liquid.particle_area();
        Self { reach: radius / spacing, norm: SURFACE / (metaballs.threshold * sum) }
    }

    pub fn weight(&self, relative_density: f32) -> f32 {
        self.norm / relative_density.clamp(MIN_DENSITY, 1.0)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Blob {
    pub at: Vec2,
    /// Factors of its kernel in the three arrays that every liquid has.
    pub coverage: f32,
    pub color_value: f32,
    pub foam: f32,
    pub phases: [f32; OTHER_PHASES],
    /// Its own colour, if it has one, and the fraction of the palette's colour that it hides.
    pub own_color: Option<(LinearRgb, f32)>,
}

/// Every row of a blob gets the same few vectors, though the first and last ones need fewer: squared distances across are then
/// computed once a blob, and no branch is unpredictable.
#[simd]
pub(super) fn splat<S: Simd>(simd: S, field: &mut Field, kernel: &SplatKernel, blobs: impl Iterator<Item = Blob>) {
    for blob in blobs {
        let columns = span(blob.at.x, kernel.reach.x, field.grid.columns);
        match columns.len().div_ceil(LANES) {
            0 => {}
            1 => add::<S, 1>(simd, field, kernel, &blob, columns.start),
            2 => add::<S, 2>(simd, field, kernel, &blob, columns.start),
            3 => add::<S, 3>(simd, field, kernel, &blob, columns.start),
            _ => columns.step_by(LANES).for_each(|left| add::<S, 1>(simd, field, kernel, &blob, left)),
        }
    }
}

#[inline(always)]
fn add<S: Simd, const N: usize>(simd: S, field: &mut Field, kernel: &SplatKernel, blob: &Blob, left: usize) {
    let steps = TexelRow::from_slice(simd, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let per_reach = 1.0 / kernel.reach;
    let mut across = [TexelRow::splat(simd, 0.0); N];
    for (vector, across) in across.iter_mut().enumerate() {
        let dx = (steps + ((left + vector * LANES) as f32 - blob.at.x)) * per_reach.x;
        *across = dx * dx;
    }
    let rows = span(blob.at.y, kernel.reach.y, field.grid.rows);
    if rows.is_empty() {
        return;
    }
    let dy = |row: usize| (row as f32 - blob.at.y) * per_reach.y;
    field.samples_touched += rows.len() * N * LANES;
    let stride = field.grid.stride;
    let first = rows.start * stride + left;
    let (coverage, color_value) = (&mut field.coverage[first..], &mut field.color_value[first..]);
    for (row, (coverage, value)) in rows.clone().zip(coverage.chunks_mut(stride).zip(color_value.chunks_mut(stride))) {
        let cubes = cubes(simd, across, dy(row));
        put(simd, &cubes, blob.coverage, coverage);
        put(simd, &cubes, blob.color_value, value);
    }
    // Few particles have foam, and each is of few phases.
    let foam = (blob.foam > 0.0).then_some((blob.foam, &mut field.foam));
    let phases = blob.phases.into_iter().zip(&mut field.phases).filter(|(share, _)| *share > 0.0);
    for (share, plane) in foam.into_iter().chain(phases) {
        for (row, samples) in rows.clone().zip(plane[first..].chunks_mut(stride)) {
            put(simd, &cubes(simd, across, dy(row)), share, samples);
        }
    }
    if field.own_color[0].is_empty() {
        return;
    }
    let ([red, green, blue], dyed) =
        blob.own_color.map_or(([0.0; 3], 0.0), |(color, hides)| (color.map(|part| part * hides), hides));
    for row in rows {
        // (1 − d²/R²)¹²: the nearest particle dominates.
        let sharp = cubes(simd, across, dy(row)).map(
            #[inline(always)]
            |cube| cube * cube * cube * cube,
        );
        for (plane, part) in field.own_color.iter_mut().zip([red, green, blue, dyed, 1.0]) {
            put(simd, &sharp, blob.coverage * part, &mut plane[row * stride + left..]);
        }
    }
}

/// The values of a row of the kernel, (1 − d²/R²)³: from squares of distances across, and the distance down, in R.
#[inline(always)]
fn cubes<S: Simd, const N: usize>(simd: S, across: [TexelRow<S>; N], dy: f32) -> [TexelRow<S>; N] {
    let room = TexelRow::splat(simd, 1.0 - dy * dy);
    let mut cubes = across;
    for cube in &mut cubes {
        let near = (room - *cube).max(TexelRow::splat(simd, 0.0));
        *cube = near * near * near;
    }
    cubes
}

/// Adds a row of a kernel, times a factor, to the samples under it.
#[inline(always)]
fn put<S: Simd, const N: usize>(simd: S, cubes: &[TexelRow<S>; N], factor: f32, samples: &mut [f32]) {
    let samples = &mut samples[..N * LANES];
    for vector in 0..N {
        let here = &mut samples[vector * LANES..(vector + 1) * LANES];
        (TexelRow::from_slice(simd, here) + cubes[vector] * factor).store_slice(here);
    }
}

/// The samples of a row or column of `count` that lie within `reach` of `at`.
#[inline(always)]
fn span(at: f32, reach: f32, count: usize) -> Range<usize> {
    (at - reach).max(0.0).ceil() as usize..((at + reach + 1.0).max(0.0) as usize).min(count)
}
