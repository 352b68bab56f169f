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
pub(in crate::view) const SURFACE: f32 = 0.5;

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
    field.samples_touched += rows.len() * N * LANES;
    let stride = field.grid.stride;
    // Most particles are of one phase.
    let last_phase = blob.phases.iter().rposition(|share| *share > 0.0).map_or(0, |last| last + 1);
    let (coverage, color_value, foam) = (&mut field.coverage[..], &mut field.color_value[..], &mut field.foam[..]);
    for row in rows {
        let dy = (row as f32 - blob.at.y) * per_reach.y;
        let room = TexelRow::splat(simd, 1.0 - dy * dy);
        let mut cubes = across;
        for cube in &mut cubes {
            let near = (room - *cube).max(TexelRow::splat(simd, 0.0));
            *cube = near * near * near;
        }
        let here = row * stride + left;
        put(simd, &cubes, blob.coverage, &mut coverage[here..]);
        put(simd, &cubes, blob.color_value, &mut color_value[here..]);
        // Few particles have foam.
        if blob.foam > 0.0 {
            put(simd, &cubes, blob.foam, &mut foam[here..]);
        }
        let phases = blob.phases[..last_phase].iter().zip(&mut field.phases);
        for (share, plane) in phases.filter(|(share, _)| **share > 0.0) {
            put(simd, &cubes, *share, &mut plane[here..]);
        }
        if !field.own_color[0].is_empty() {
            // (1 − d²/R²)¹²: the nearest particle dominates.
            let sharp = cubes.map(
                #[inline(always)]
                |cube| cube * cube * cube * cube,
            );
            let ([red, green, blue], dyed) =
                blob.own_color.map_or(([0.0; 3], 0.0), |(color, hides)| (color.map(|part| part * hides), hides));
            for (plane, part) in field.own_color.iter_mut().zip([red, green, blue, dyed, 1.0]) {
                put(simd, &sharp, blob.coverage * part, &mut plane[here..]);
            }
        }
    }
}

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
