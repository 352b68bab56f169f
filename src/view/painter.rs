//! One picture: samples, light, and for each cell the glyph and colours nearest to them.

use crate::sim::World;
use crate::view::air_pockets::AirPockets;
use crate::view::arrows::ArrowLayer;
use crate::view::camera::Camera;
use crate::view::cell_painter::edge::AROUND;
use crate::view::cell_painter::{CellMemory, CellPainter};
use crate::view::decor::Decor;
use crate::view::field::Field;
use crate::view::grid_layout::SAMPLES;
use crate::view::layers::Layers;
use crate::view::observer::PaintStage;
use crate::view::render_style::{LiquidStyle, RenderStyle};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::sync::Arc;

/// Paints worlds. It owns all buffers, so that nothing is allocated after the first frame.
#[derive(Clone, Debug, Default)]
pub struct Painter {
    layers: Layers,
    ranges: ColumnRanges,
    arrows: ArrowLayer,
    history: CellHistory,
    pub decor: Option<Arc<Decor>>,
}

/// The glyphs of the last frame. A new glyph must be clearly better than the one before, so that a still surface does not
/// flicker.
#[derive(Clone, Debug, Default)]
struct CellHistory {
    cells: Vec<CellMemory>,
    camera: Option<Camera>,
    style: Option<RenderStyle>,
    legible: Arc<RenderStyle>,
}

impl CellHistory {
    /// Forgets the glyphs and the air of another window or style, and returns the legible form of `style`.
    fn recall(&mut self, camera: &Camera, style: &RenderStyle, air_pockets: &mut AirPockets) -> Arc<RenderStyle> {
        let is_same_style = self.style.as_ref() == Some(style);
        if !is_same_style {
            self.legible = Arc::new(style.legible());
            self.style = Some(style.clone());
        }
        if !is_same_style || self.camera != Some(*camera) {
            self.camera = Some(*camera);
            self.cells.clear();
            self.cells.resize(camera.area.area() as usize, CellMemory::default());
            air_pockets.forget();
        }
        Arc::clone(&self.legible)
    }
}

impl Painter {
    /// Paints `world` into every cell of `area` that lies in `buf`. `cell_pixels` are a cell's width and height in pixels, zero
    /// where unknown.
    pub fn paint(&mut self, world: &World, style: &RenderStyle, cell_pixels: (u16, u16), area: Rect, buf: &mut Buffer) {
        self.paint_observed(world, style, cell_pixels, area, buf, |_| ());
    }

    /// As [`Painter::paint`]; calls `finished` when each stage ends.
    pub fn paint_observed(
        &mut self,
        world: &World,
        style: &RenderStyle,
        cell_pixels: (u16, u16),
        area: Rect,
        buf: &mut Buffer,
        mut finished: impl FnMut(PaintStage),
    ) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let camera = Camera::of(world, area, cell_pixels);
        let style = &*self.history.recall(&camera, style, &mut self.layers.air_pockets);
        self.layers.sample(world, self.decor.as_deref().unwrap_or(&Decor::default()), style, &camera, 1);
        finished(PaintStage::Field);
        self.layers.illuminate(world, style);
        finished(PaintStage::Light);
        let (layers, ranges, memories) = (&self.layers, &mut self.ranges, &mut self.history.cells);
        let picture = Picture { layers, now: world.steps(), style, ranges, memories, area, buf };
        dispatch!(Level::new(), simd => fill(simd, picture));
        if style.liquid_style == LiquidStyle::Arrows {
            self.arrows.draw(world, style, &camera, area, buf);
        }
        finished(PaintStage::Glyph);
    }

    pub fn samples_touched(&self) -> usize {
        self.layers.field.samples_touched
    }
}

/// The prepared layers, and the cells to fill from them.
struct Picture<'a> {
    layers: &'a Layers,
    now: u64,
    style: &'a RenderStyle,
    ranges: &'a mut ColumnRanges,
    memories: &'a mut [CellMemory],
    area: Rect,
    buf: &'a mut Buffer,
}

/// SSE4.2 draws no faster than SSE2, and would be another 130 KB of program.
#[inline(always)]
fn fill<S: Simd>(simd: S, picture: Picture) {
    match simd.level() {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        level @ Level::Sse4_2(_) => fill_by(level.as_sse2().expect("SSE4.2 has SSE2"), picture),
        _ => fill_by(simd, picture),
    }
}

#[simd]
fn fill_by<S: Simd>(simd: S, picture: Picture) {
    let Picture { layers, now, style, ranges, memories, area, buf } = picture;
    let mut painter = CellPainter::new(simd, layers, style, now);
    for (row, memories) in (0..area.height).zip(memories.chunks_mut(area.width.into())) {
        painter.start_row(row.into(), area.height.into());
        ranges.update(&layers.field, usize::from(row));
        let y = area.y + row;
        let first = buf.index_of(area.x, y);
        let line = &mut buf.content[first..first + usize::from(area.width)];
        for ((column, memory), cell) in memories.iter_mut().enumerate().zip(line) {
            *memory = painter.fit(column, row.into(), ranges.in_cell(column), *memory);
            painter.write(memory.fit.cell, area.x + column as u16, y, cell);
        }
    }
}

/// The range of the field down each column of samples, between the outermost texels of one row of cells.
#[derive(Clone, Debug, Default)]
struct ColumnRanges {
    min: Vec<f32>,
    max: Vec<f32>,
}

impl ColumnRanges {
    #[inline(always)]
    fn update(&mut self, field: &Field, row: usize) {
        let line = |y: usize| &field.coverage[field.grid.index(0, row * SAMPLES.1 + y)..][..field.grid.columns];
        for array in [&mut self.min, &mut self.max] {
            array.clear();
            array.extend_from_slice(line(1));
        }
        for y in 2..SAMPLES.1 + 1 {
            for ((min, max), &value) in self.min.iter_mut().zip(&mut self.max).zip(line(y)) {
                *min = min.min(value);
                *max = max.max(value);
            }
        }
        for [outer, inner] in [[0, 1], [SAMPLES.1 + 1, SAMPLES.1]] {
            let lines = line(outer).iter().zip(line(inner));
            for ((min, max), (&outer, &inner)) in self.min.iter_mut().zip(&mut self.max).zip(lines) {
                let value = inner + (outer - inner) * AROUND;
                *min = min.min(value);
                *max = max.max(value);
            }
        }
    }

    #[inline(always)]
    fn in_cell(&self, column: usize) -> [f32; 2] {
        let first = column * SAMPLES.0;
        let ends = |column: &[f32]| {
            let (left, right) = (column[0] - column[1], column[SAMPLES.0 + 1] - column[SAMPLES.0]);
            [column[1] + left * AROUND, column[SAMPLES.0] + right * AROUND]
        };
        let (min, max) = (&self.min[first..first + SAMPLES.0 + 2], &self.max[first..first + SAMPLES.0 + 2]);
        let ([left_min, right_min], [left_max, right_max]) = (ends(min), ends(max));
        let mut range = [left_min.min(right_min), left_max.max(right_max)];
        for sample in 1..SAMPLES.0 + 1 {
            range[0] = range[0].min(min[sample]);
            range[1] = range[1].max(max[sample]);
        }
        range
    }
}
