//! The picture: a world in, cells of a ratatui buffer out. Knows no terminal session.
//!
//! ```text
//! field     every particle's kernel is splatted to samples, 2×4 a cell      view/field.rs
//! backdrop  walls, kept until they change                                   view/backdrop.rs
//! light     fades with depth along gravity                                  view/light.rs
//! shade     samples → colours, a pure function                              view/shade.rs
//! glyph     a patch of colours → the glyph and two colours nearest to it    view/glyph/*.rs
//! color     linear light → what the terminal shows                          view/color.rs
//! ```
//!
//! Cells without liquid cost nothing beyond a look at the field, full cells two samples, and only the few percent of
//! cells that an edge passes through are looked at closely: the field is smooth, so between its samples it is
//! interpolated as finely as the glyphs ask for.

pub mod backdrop;
pub mod camera;
pub mod color;
pub mod field;
pub mod glyph;
#[cfg(feature = "app")]
pub mod ideal;
pub mod light;
pub mod palette;
#[cfg(feature = "app")]
pub mod raster;
pub mod shade;
pub mod widget;

pub use camera::Camera;
pub use color::{ColorDepth, Rgb};
pub use glyph::Glyphs;
pub use palette::Palette;
pub use widget::{Slosh, SloshState};

use crate::sim::World;
use backdrop::Backdrop;
use color::{Linear, mix};
use field::{Field, Lattice};
use glam::Vec2;
use glyph::{Ink, MOST_TEXELS, Mark, Patch, Sum};
use light::Light;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use shade::{Sample, Shade};
use std::str::FromStr;

/// Samples of the field in a cell, across and down: square where cells are twice as high as wide.
pub const SAMPLES: (usize, usize) = (2, 4);

/// What the liquid's colour stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Drive {
    /// From the densest to the thinnest.
    #[default]
    Density,
    /// From the slowest to the fastest.
    Speed,
    /// From the highest to the lowest.
    Pressure,
}

impl Drive {
    pub const ALL: [Drive; 3] = [Self::Density, Self::Speed, Self::Pressure];

    pub fn name(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::Speed => "speed",
            Self::Pressure => "pressure",
        }
    }
}

impl FromStr for Drive {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|drive| drive.name() == name)
            .ok_or_else(|| format!("no drive `{name}`: choose density, speed or pressure"))
    }
}

/// What lies behind the liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// The palette's where it has one, else the terminal's own, taken to be black.
    #[default]
    Palette,
    /// The terminal's own. It is never painted; the colour is what it is taken to have where edges are mixed.
    Terminal(Rgb),
    /// This colour, painted.
    Painted(Rgb),
}

impl Background {
    /// The colour, and whether it is painted.
    fn resolve(self, palette: &Palette) -> (Rgb, bool) {
        match self {
            Self::Palette => palette.background.map_or((Rgb::BLACK, false), |rgb| (rgb, true)),
            Self::Terminal(rgb) => (rgb, false),
            Self::Painted(rgb) => (rgb, true),
        }
    }
}

/// How a world is to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    pub glyphs: Glyphs,
    pub palette: Palette,
    pub drive: Drive,
    pub depth: ColorDepth,
    pub background: Background,
}

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
    backdrop: Backdrop,
    light: Light,
    ranges: Ranges,
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
        self.field.splat(world, camera, look.drive);
        self.backdrop.update(world.walls(), camera, &self.field);
        self.field.compensate(&self.backdrop.gain);
    }

    fn fill(&mut self, look: &Look, area: Rect, buf: &mut Buffer) {
        let mut ranges = std::mem::take(&mut self.ranges);
        let brush = Brush::new(self, look);
        for row in 0..area.height {
            ranges.measure(&self.field, usize::from(row));
            for column in 0..area.width {
                let range = ranges.of(usize::from(column));
                let mark = brush.cell(usize::from(column), usize::from(row), range);
                let at = (area.x + column, area.y + row);
                brush.put(mark, at, buf);
            }
        }
        self.ranges = ranges;
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
    fn of(&self, column: usize) -> (f32, f32) {
        let around = column * SAMPLES.0..(column + 1) * SAMPLES.0 + 2;
        let least = self.least[around.clone()].iter().copied().fold(f32::INFINITY, f32::min);
        (least, self.most[around].iter().copied().fold(f32::NEG_INFINITY, f32::max))
    }
}

/// Everything that cells of one frame have in common.
struct Brush<'a> {
    painter: &'a Painter,
    look: &'a Look,
    shade: Shade<'a>,
    ground: Rgb,
    ground_light: Linear,
    painted: bool,
    interior: f32,
    exterior: f32,
}

impl<'a> Brush<'a> {
    fn new(painter: &'a Painter, look: &'a Look) -> Self {
        let shade = Shade::new(&look.palette, painter.field.reach);
        let (ground, painted) = look.background.resolve(&look.palette);
        Self {
            painter,
            look,
            ground,
            ground_light: ground.linear(),
            painted,
            interior: shade.interior(),
            exterior: shade.exterior(),
            shade,
        }
    }

    /// What a cell shows: nothing, a full cell of liquid, or something that must be looked at closely.
    fn cell(&self, column: usize, row: usize, (least, most): (f32, f32)) -> Mark {
        let cells = (self.painter.field.columns - 2) / SAMPLES.0;
        let walled = self.painter.backdrop.walled[row * cells + column];
        if walled {
            return self.edge(column, row, true);
        }
        if most <= self.exterior {
            Mark::BLANK
        } else if least >= self.interior {
            self.full(column, row)
        } else {
            self.edge(column, row, false)
        }
    }

    /// The sample nearest to a place in samples of the field, with the light there.
    #[inline]
    fn sample(&self, x: f32, y: f32) -> Sample {
        let field = &self.painter.field;
        let here = (y + 0.5) as usize * field.stride + (x + 0.5) as usize;
        let cover = field.cover[here];
        let share = 1.0 / cover.max(1e-6);
        Sample {
            cover,
            drive: (field.drive[here] * share).min(1.0),
            foam: (field.foam[here] * share).min(1.0),
            light: self.painter.light.at(x, y),
        }
    }

    /// A cell full of liquid: an upper and a lower colour, or one where they are alike.
    fn full(&self, column: usize, row: usize) -> Mark {
        let x = 1.5 + (column * SAMPLES.0) as f32;
        let y = 1.5 + (row * SAMPLES.1) as f32;
        let (upper, lower) = (self.sample(x, y), self.sample(x, y + 2.0));
        let light = 0.5 * (upper.light + lower.light);
        let (upper, lower) = (self.shade.liquid(upper), self.shade.liquid(lower));
        let mean = mix(upper, lower, 0.5);
        if matches!(self.look.glyphs, Glyphs::Braille | Glyphs::Ascii) || self.look.depth == ColorDepth::Mono {
            let (columns, rows) = self.look.glyphs.grid();
            let texels = [[mean[0], mean[1], mean[2], 0.0]; MOST_TEXELS];
            return self.look.glyphs.fit(&Patch { columns, rows, texels, solid: 0.0, light }, self.ink(false));
        }
        let (above, below) = (Rgb::from_linear(upper), Rgb::from_linear(lower));
        // Where colours are dithered, a cell's two halves are two points of the pattern.
        if alike(above, below) && self.look.depth == ColorDepth::TrueColor {
            let mean = Some(Rgb::from_linear(mean));
            return Mark { glyph: '█', fg: mean, bg: mean };
        }
        Mark { glyph: '▄', fg: Some(below), bg: Some(above) }
    }

    /// A cell that is looked at as finely as its glyphs can show it.
    fn edge(&self, column: usize, row: usize, walled: bool) -> Mark {
        let (columns, rows) = self.look.glyphs.grid();
        let corner = (1 + column * SAMPLES.0, 1 + row * SAMPLES.1);
        let liquid = self.colours(corner);
        let (x, y) = (corner.0 as f32, corner.1 as f32);
        let light = self.painter.light.at(x + 0.5, y + 1.5);
        let mut patch = Patch { columns, rows, texels: [[0.0; 4]; MOST_TEXELS], solid: 0.0, light };
        let (wide, high) = (SAMPLES.0 as f32 / columns as f32, SAMPLES.1 as f32 / rows as f32);
        let mut outside = 0.0;
        for number in 0..columns * rows {
            let (from_left, from_top) = (number % columns, number / columns);
            let at = Vec2::new(x - 0.5 + (from_left as f32 + 0.5) * wide, y - 0.5 + (from_top as f32 + 0.5) * high);
            let nearest = from_top * SAMPLES.1 / rows * SAMPLES.0 + from_left * SAMPLES.0 / columns;
            let (field, cover) = self.cover(at, high, walled);
            let colour = self.shade.lined(liquid[nearest], field, light);
            patch.texels[number] = self.over_ground(cover, colour);
            patch.solid += cover.solid;
            outside += cover.outside();
        }
        let area = (columns * rows) as f32;
        patch.solid /= area;
        if outside > area * 0.995 {
            return Mark::BLANK;
        }
        self.look.glyphs.fit(&patch, self.ink(outside > area * 0.01))
    }

    /// The colours of liquid at a cell's samples, row by row, without the line of its surface.
    fn colours(&self, corner: (usize, usize)) -> [Linear; SAMPLES.0 * SAMPLES.1] {
        std::array::from_fn(|number| {
            let (x, y) = (corner.0 + number % SAMPLES.0, corner.1 + number / SAMPLES.0);
            self.shade.body(self.sample(x as f32, y as f32))
        })
    }

    /// The field at a point, and what covers it if the point is of `size` samples.
    #[inline]
    fn cover(&self, at: Vec2, size: f32, walled: bool) -> (f32, Cover) {
        let spot = Spot::new(at, self.painter.field.stride);
        let share = |distance: f32| (0.5 + distance / size).clamp(0.0, 1.0);
        let field = spot.read(&self.painter.field.cover);
        let wet = share(self.shade.depth(field));
        if !walled {
            return (field, Cover { wet, solid: 0.0 });
        }
        let free = share(spot.read(&self.painter.backdrop.free));
        let solid = (1.0 - free) * share(spot.read(&self.painter.backdrop.rim));
        (field, Cover { wet: wet * free, solid })
    }

    #[inline]
    fn over_ground(&self, cover: Cover, liquid: Linear) -> Sum {
        let (ground, wall, outside) = (self.ground_light, self.look.palette.wall, cover.outside());
        let [r, g, b] = [0, 1, 2].map(|c| ground[c] * outside + liquid[c] * cover.wet + wall[c] * cover.solid);
        [r, g, b, outside]
    }

    fn ink(&self, ground_shows: bool) -> Ink {
        match (self.look.depth, ground_shows && !self.painted) {
            (ColorDepth::Mono, _) => Ink::Shape,
            (_, true) => Ink::Over(self.ground_light),
            (_, false) => Ink::Two,
        }
    }

    /// Writes a cell.
    fn put(&self, mark: Mark, (x, y): (u16, u16), buf: &mut Buffer) {
        let ground = if self.painted { self.look.depth.color(self.ground, (x, y)) } else { Color::Reset };
        let color = |rgb: Option<Rgb>, y: u16| rgb.map_or(ground, |rgb| self.look.depth.color(rgb, (x, y)));
        let cell = &mut buf[(x, y)];
        // Two rows of thresholds a cell: its colours are mostly its upper and its lower half.
        let (fg, bg) = (color(mark.fg, 2 * y + 1), color(mark.bg, 2 * y));
        let same = mark.fg == mark.bg && mark.fg.is_some();
        let same_halves = mark.glyph == '▄' && fg == bg && mark.bg.is_some();
        cell.set_char(if same_halves { '█' } else { mark.glyph });
        cell.fg = if mark.fg.is_some() { fg } else { Color::Reset };
        cell.bg = if same { fg } else { bg };
        cell.modifier = Modifier::empty();
    }
}

/// Whether two colours cannot be told apart at a glance.
fn alike(a: Rgb, b: Rgb) -> bool {
    a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)).max(a.2.abs_diff(b.2)) <= 3
}

/// Shares of a point that are liquid and wall; the rest is outside of both.
#[derive(Clone, Copy)]
struct Cover {
    wet: f32,
    solid: f32,
}

impl Cover {
    fn outside(self) -> f32 {
        (1.0 - self.wet - self.solid).max(0.0)
    }
}

/// A place between four samples.
#[derive(Clone, Copy)]
struct Spot {
    here: usize,
    stride: usize,
    x: f32,
    y: f32,
}

impl Spot {
    fn new(at: Vec2, stride: usize) -> Self {
        let (column, row) = (at.x as usize, at.y as usize);
        Self { here: row * stride + column, stride, x: at.x - column as f32, y: at.y - row as f32 }
    }

    #[inline]
    fn read(&self, array: &[f32]) -> f32 {
        let (upper, lower) = (&array[self.here..self.here + 2], &array[self.here + self.stride..][..2]);
        let above = upper[0] + (upper[1] - upper[0]) * self.x;
        let below = lower[0] + (lower[1] - lower[0]) * self.x;
        above + (below - above) * self.y
    }
}
