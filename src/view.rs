//! The picture: a world in, cells of a ratatui buffer out. Knows no terminal session.
//!
//! ```text
//! field     every particle's kernel is splatted to samples, 2×4 a cell      view/field.rs, view/field/splat.rs
//! drapery   cloth, texel by texel                                             view/cloth.rs, view/cloth_raster.rs
//! haze      smoke and dye, as a veil over the ground                          view/smoke.rs
//! backdrop  walls, kept until they change                                   view/wall_layer.rs
//! body      bodies, over all else                                           view/body.rs
//! light     fades with depth along gravity                                  view/light.rs
//! shade     samples → colours, a pure function                              view/shade.rs
//! brush     what each cell shows: nothing, a slope of colour, or an edge    view/cell_painter.rs, view/cell_painter/edge.rs
//! glyph     a patch of colours → the glyph and two colours nearest to it    view/glyph/*.rs
//! color     linear light → what the terminal shows                          cell/color.rs
//! ```

pub mod body;
pub mod camera;
mod cell_painter;
mod cloth;
mod cloth_raster;
pub mod field;
pub mod glyph;
pub mod light;
pub mod palette;
#[cfg(feature = "app")]
pub mod raster;
#[cfg(feature = "app")]
pub mod reference_image;
mod render_style;
pub mod shade;
pub mod smoke;
pub mod wall_layer;
pub mod widget;

pub use crate::cell::color::{ColorDepth, Rgb};
pub use camera::Camera;
pub use glyph::Glyphs;
pub use palette::Palette;
pub use render_style::{Background, Drive, Look, Weave};
pub use widget::{Slosh, SloshState};

use crate::sim::World;
use cell_painter::Brush;
use cloth_raster::{Corner, Drapery};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;
use field::{Field, Lattice};
use glyph::atlas::Choice;
use light::Light;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::sync::Arc;
use wall_layer::Backdrop;

/// Samples of the field in a cell, across and down: square where cells are twice as high as wide.
pub const SAMPLES: (usize, usize) = (2, 4);

/// The stages of a picture, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    Field,
    Light,
    Glyph,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Self::Field, Self::Light, Self::Glyph];

    pub fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Light => "light",
            Self::Glyph => "glyph",
        }
    }
}

/// Somebody who watches the stages go by, with a clock of their own.
pub trait Watch {
    /// `stage` has just ended, and the next one begins.
    fn passed(&mut self, stage: Stage);
}

/// Nobody watches.
impl Watch for () {
    fn passed(&mut self, _: Stage) {}
}

/// Paints worlds. Owns every buffer that takes, so that after the first frame nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct Painter {
    field: Field,
    drapery: Drapery,
    corners: Vec<Corner>,
    backdrop: Backdrop,
    light: Light,
    ranges: Ranges,
    memory: Memory,
}

/// What every cell showed in the last frame, so that a still surface keeps still: a new choice must be better, not only
/// other (see `glyph/atlas.rs`). Forgotten when the window or the look changes.
#[derive(Clone, Debug, Default)]
struct Memory {
    cells: Vec<Choice>,
    made_for: Option<(Camera, Look)>,
    /// That look, legible.
    legible: Arc<Look>,
}

impl Memory {
    /// Forgets what was shown otherwise, and says how `look` is to be painted.
    fn recall(&mut self, camera: &Camera, look: &Look) -> Arc<Look> {
        if self.made_for.as_ref().is_none_or(|(c, l)| c != camera || l != look) {
            self.made_for = Some((*camera, look.clone()));
            self.legible = Arc::new(look.legible());
            self.cells.clear();
            self.cells.resize(camera.area().area() as usize, Choice::BLANK);
        }
        Arc::clone(&self.legible)
    }
}

impl Painter {
    /// Paints `world` into every cell of `area` that lies in `buf`. `cell_pixels` are a cell's width and height; zero
    /// where unknown.
    pub fn paint(&mut self, world: &World, look: &Look, cell_pixels: (u16, u16), area: Rect, buf: &mut Buffer) {
        self.paint_watched(world, look, cell_pixels, area, buf, &mut ());
    }

    /// As [`Painter::paint`], under the eyes of `watch`.
    pub fn paint_watched(
        &mut self,
        world: &World,
        look: &Look,
        cell_pixels: (u16, u16),
        area: Rect,
        buf: &mut Buffer,
        watch: &mut impl Watch,
    ) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let camera = Camera::new(area, cell_pixels, world.size());
        let look = &*self.memory.recall(&camera, look);
        self.sample(world, look, &camera);
        watch.passed(Stage::Field);
        self.light.shine(&self.field, &self.backdrop, &Lattice::of(&camera, 1), world.gravity());
        watch.passed(Stage::Light);
        self.fill(look, area, buf);
        watch.passed(Stage::Glyph);
    }

    /// How many samples the last picture's particles were splatted to: the cost of the field.
    pub fn samples_touched(&self) -> usize {
        self.field.touched
    }

    fn sample(&mut self, world: &World, look: &Look, camera: &Camera) {
        self.field.lay(camera, 1);
        self.field.splat(world, camera, look);
        self.drape(world, camera, look);
        self.backdrop.update(world.walls(), camera, &self.field);
        self.field.compensate(&self.backdrop);
    }

    /// Draws what is sharper than the field's samples.
    fn drape(&mut self, world: &World, camera: &Camera, look: &Look) {
        self.drapery.lay(camera.area().width.into(), camera.area().height.into());
        if let Some(cloth) = world.cloth() {
            let scale = field::Scale::of(world, look.drive);
            cloth::draw(cloth, camera, look, scale, &mut self.drapery, &mut self.corners);
        }
    }

    fn fill(&mut self, look: &Look, area: Rect, buf: &mut Buffer) {
        let (mut ranges, mut cells) = (std::mem::take(&mut self.ranges), std::mem::take(&mut self.memory.cells));
        dispatch!(Level::new(), simd => fill(simd, self, (&mut ranges, &mut cells), look, area, buf));
        (self.ranges, self.memory.cells) = (ranges, cells);
    }
}

/// Paints all cells of `area`, in code for the instruction set at hand.
#[simd]
fn fill<S: Simd>(
    simd: S,
    painter: &Painter,
    (ranges, cells): (&mut Ranges, &mut [Choice]),
    look: &Look,
    area: Rect,
    buf: &mut Buffer,
) {
    let brush = Brush::new(simd, painter, look);
    for (row, cells) in (0..area.height).zip(cells.chunks_mut(area.width.into())) {
        ranges.measure(&painter.field, usize::from(row));
        let y = area.y + row;
        let first = buf.index_of(area.x, y);
        let line = &mut buf.content[first..first + usize::from(area.width)];
        for ((column, cell), shown) in cells.iter_mut().enumerate().zip(line) {
            *cell = brush.cell((column, row.into()), ranges.of(column), *cell);
            brush.put(cell.mark, (area.x + column as u16, y), shown);
        }
    }
}

/// The least and the greatest value of the field down each column of samples of one row of cells.
#[derive(Clone, Debug, Default)]
struct Ranges {
    least: Vec<f32>,
    most: Vec<f32>,
}

impl Ranges {
    /// Looks at a row of cells and the samples right above and below it.
    #[inline(always)]
    fn measure(&mut self, field: &Field, row: usize) {
        let line = |y: usize| &field.cover[(row * SAMPLES.1 + y) * field.stride..][..field.columns];
        for array in [&mut self.least, &mut self.most] {
            array.clear();
            array.extend_from_slice(line(0));
        }
        for y in 1..SAMPLES.1 + 2 {
            for ((least, most), &cover) in self.least.iter_mut().zip(&mut self.most).zip(line(y)) {
                *least = least.min(cover);
                *most = most.max(cover);
            }
        }
    }

    /// The range in a cell and the samples around it.
    #[inline(always)]
    fn of(&self, column: usize) -> (f32, f32) {
        let around = column * SAMPLES.0..(column + 1) * SAMPLES.0 + 2;
        let least = self.least[around.clone()].iter().copied().fold(f32::INFINITY, f32::min);
        (least, self.most[around].iter().copied().fold(f32::NEG_INFINITY, f32::max))
    }
}
