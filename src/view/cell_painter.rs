//! The cells of one frame. Cells without liquid are blank. Cells full of it have a gradient of colour, which is divided once.
//! Only the cells that an edge crosses are computed texel by texel.

mod cloth;
pub(super) mod edge;

use crate::cell::color::{ColorDepth, LinearRgb, Rgb};
use crate::view::glyph::atlas::Atlas;
use crate::view::glyph::gradient::ColorGradient;
use crate::view::glyph::texel_block::{SqrtLinearRgb, sqrt_linear};
use crate::view::glyph::{ColorMode, FittedCell, GlyphFit, TexelBlock, fit_after, fit_shade};
use crate::view::grid_layout::{LANES, SAMPLES};
use crate::view::layers::Layers;
use crate::view::light::LitSamples;
use crate::view::light_mode::LightMode;
use crate::view::render_style::RenderStyle;
use crate::view::sample::OTHER_PHASES;
use crate::view::shade::Shade;
use crate::view::smoke::MIN_OPACITY;
use crate::view::whitewater::VISIBLE;
use fearless_simd::prelude::*;
use ratatui_core::buffer::Cell;
use ratatui_core::style::{Color, Modifier};

/// The way that a level surface goes back before its cell follows at once, in samples.
const MIN_REVERSAL: f32 = 0.9;

const STEPS_A_SECOND: f32 = 60.0;

/// Fraction of background in a cell from which on it counts as an edge.
const MIN_OUTSIDE: f32 = 0.01;

#[derive(Clone, Copy, Debug)]
struct CellContents {
    wall: bool,
    straight: bool,
    smoke: bool,
    body: bool,
    specks: f32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CellMemory {
    pub fit: GlyphFit,
    /// The version of the cell's walls if it contained nothing else; otherwise 0.
    dry_walls: u32,
    level: Option<Level>,
}

/// A level surface in a cell, as it was drawn when the cell changed last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Its height above the bottom of the cell, in samples.
    height: f32,
    since: u64,
    rose: bool,
}

impl Level {
    /// Whether the cell stays as it is while its surface is at `height` at the step `now`. It changes at most once a second while
    /// its surface moves by less than a sample a second, and a surface that trembles does not reverse it.
    fn stays(&self, height: f32, now: u64) -> bool {
        let (moved, age) = (height - self.height, now.saturating_sub(self.since) as f32 / STEPS_A_SECOND);
        let reverses = (moved > 0.0) != self.rose;
        age < 1.0 && (moved.abs() < age || reverses && moved.abs() < MIN_REVERSAL)
    }
}

impl Default for CellMemory {
    fn default() -> Self {
        GlyphFit::BLANK.into()
    }
}

impl From<GlyphFit> for CellMemory {
    fn from(fit: GlyphFit) -> Self {
        Self { fit, dry_walls: 0, level: None }
    }
}

pub(super) struct CellPainter<'a, S: Simd> {
    simd: S,
    layers: &'a Layers,
    style: &'a RenderStyle,
    shade: Shade<'a>,
    background: LinearRgb,
    background_tone: SqrtLinearRgb,
    bare: Color,
    /// See [`RenderStyle::bare_color`].
    bare_color: Option<Rgb>,
    /// Whether cells at an edge may mix the background's colour with others.
    mixes_background: bool,
    /// Liquid is drawn in the background of a character cell: with dithered colours that would be a chequerboard.
    signs_have_bodies: bool,
    interior: f32,
    exterior: f32,
    /// All liquid is of the first phase, in the palette's colours; and the colour that the line of its surface tends to.
    plain: bool,
    rim: LinearRgb,
    /// Whether a cell of walls alone is the same in every frame: in block modes, and without light on walls.
    walls_rest: bool,
    atlas: &'static Atlas,
    now: u64,
    /// Whether cells of a slow surface stay as they are: where the liquid under it has one colour.
    keeps_level: bool,
}

impl<'a, S: Simd> CellPainter<'a, S> {
    pub fn new(simd: S, layers: &'a Layers, style: &'a RenderStyle, now: u64) -> Self {
        let shade = Shade::new(style, &layers.field);
        let (_, painted) = style.background.resolve(&style.palette);
        let mut painter = Self {
            simd,
            layers,
            style,
            background: LinearRgb::default(),
            background_tone: SqrtLinearRgb::default(),
            bare: Color::Reset,
            bare_color: style.bare_color(),
            // With dithered colours a mixture would be a speck beside the liquid.
            mixes_background: painted && style.depth == ColorDepth::TrueColor,
            signs_have_bodies: style.glyphs.is_blocks() || style.depth == ColorDepth::TrueColor,
            interior: shade.interior(),
            exterior: shade.exterior(),
            plain: layers.field.phases[0].is_empty() && layers.field.own_color[3].is_empty(),
            walls_rest: style.glyphs.is_blocks() && !layers.light.glow.shines,
            rim: shade.rim([0.0; OTHER_PHASES]),
            shade,
            atlas: Atlas::of(style.glyphs),
            now,
            keeps_level: style.light != LightMode::FLAT && style.glyphs.is_blocks(),
        };
        painter.keeps_level &= painter.plain;
        painter.start_row(0, 1);
        painter
    }

    #[inline(always)]
    pub fn start_row(&mut self, row: usize, rows: usize) {
        let (background, painted) = self.style.background_of_row(row, rows);
        self.background = background.linear();
        self.background_tone = sqrt_linear(self.background);
        self.bare = if painted { self.style.depth.nearest(background) } else { Color::Reset };
    }

    /// `least` and `most`: the range of the field in the cell.
    #[inline(always)]
    pub fn fit(&self, column: usize, row: usize, [least, most]: [f32; 2], former: CellMemory) -> CellMemory {
        let field = &self.layers.field;
        let walls = self.layers.walls.cells[row * ((field.grid.columns - 2) / SAMPLES.0) + column];
        let contents = CellContents {
            wall: walls.is_walled,
            straight: walls.is_walled && walls.is_straight,
            smoke: self.has_smoke(column, row),
            body: field.bodies.shows_in(field.grid.first_of_cell(column, row), SAMPLES.into(), &field.grid),
            specks: self.layers.whitewater.peak(column, row),
        };
        let CellContents { wall, smoke, body, specks, .. } = contents;
        let mut dry = 0;
        let cloth = self.layers.cloth.tile(column, row);
        if let Some(tile) = cloth.filter(|_| !wall && !smoke && !body && specks <= VISIBLE && most <= self.exterior) {
            let corner = (1 + column * SAMPLES.0, 1 + row * SAMPLES.1);
            let light = self.layers.light.at(corner.0 as f32 + 0.5, corner.1 as f32 + 1.5).light;
            return self.fit_cloth(tile, light, former.fit).into();
        }
        if !(body || specks > VISIBLE || cloth.is_some()) {
            if most > self.exterior {
                // Smoke is in the air, of which there is none here.
                if !wall && least >= self.interior {
                    return self.fit_interior(column, row, former.fit).into();
                }
            } else if !smoke {
                if !wall {
                    return self.blank(former);
                }
                dry = walls.version;
                if self.walls_rest && former.dry_walls == dry {
                    return former;
                }
            }
        }
        CellMemory { dry_walls: dry, ..self.fit_edge(column, row, contents, former) }
    }

    /// A blank cell, which a surface that has just left it does not enter again at once.
    #[inline(always)]
    fn blank(&self, former: CellMemory) -> CellMemory {
        let level = former.level.map(|drawn| match former.fit.cell {
            FittedCell::BLANK => drawn,
            _ => Level { height: 0.0, since: self.now, rose: false },
        });
        CellMemory { level, ..CellMemory::default() }
    }

    /// Two colours across the direction in which the colour changes, or one where they are equal.
    #[inline(always)]
    fn fit_interior(&self, column: usize, row: usize, former: GlyphFit) -> GlyphFit {
        let gradient = self.gradient(column, row);
        if !self.style.glyphs.is_blocks() || self.style.depth == ColorDepth::Mono {
            let [light, ..] = self.layers.light.quarters(column, row).0;
            let light = 0.25 * (light[0] + light[1] + light[2] + light[3]);
            if self.style.glyphs.is_blocks() {
                return fit_shade(light, former);
            }
            return fit_after(
                self.simd,
                self.style.glyphs,
                &TexelBlock::uniform(gradient.mean, self.background_tone, light),
                self.color_mode(0.0, false),
                former,
            );
        }
        // Where colours are dithered, the two halves of a cell are two points of the dithering pattern.
        self.atlas.fit_gradient(&gradient, self.style.depth == ColorDepth::TrueColor, former)
    }

    /// The colours of a cell far inside the liquid, from those of its quarters: each from a sample and the one below it.
    #[inline(always)]
    fn gradient(&self, column: usize, row: usize) -> ColorGradient {
        let (left, top) = (1 + column * SAMPLES.0, 1 + row * SAMPLES.1);
        // The second half of the vectors repeats the first.
        let bodies = self.bodies(
            #[inline(always)]
            |plane| {
                let [a, b, c, d, e, f, g, h] = self.samples(plane, left, top);
                let (upper, lower) = ([a + c, b + d], [e + g, f + h]);
                [upper[0], upper[1], lower[0], lower[1], upper[0], upper[1], lower[0], lower[1]]
            },
            #[inline(always)]
            |lane| (left + lane % 2, top + 2 * (lane / 2 % 2)),
            &self.layers.light.quarters(column, row),
        );
        let mut gradient = ColorGradient::default();
        for (k, [a, b, c, d, ..]) in bodies.into_iter().enumerate() {
            gradient.mean[k] = 0.25 * ((a + b) + (c + d));
            gradient.right[k] = (b + d) - (a + c);
            gradient.down[k] = (c + d) - (a + b);
        }
        gradient
    }

    /// Computes the colours of liquid at a cell's samples without the surface line, row by row, by channel.
    #[inline(always)]
    fn sample_bodies(&self, left: usize, top: usize) -> [[f32; LANES]; 3] {
        self.bodies(
            #[inline(always)]
            |plane| self.samples(plane, left, top),
            #[inline(always)]
            |lane| (left + lane % SAMPLES.0, top + lane / SAMPLES.0),
            &self.layers.light.at_samples(self.simd, (left, top)),
        )
    }

    /// The values of a plane at a cell's samples, row by row.
    #[inline(always)]
    fn samples(&self, plane: &[f32], left: usize, top: usize) -> [f32; LANES] {
        let grid = &self.layers.field.grid;
        let mut samples = [0.0; LANES];
        for (row, samples) in samples.as_chunks_mut::<{ SAMPLES.0 }>().0.iter_mut().enumerate() {
            samples.copy_from_slice(&plane[grid.index(left, top + row)..][..SAMPLES.0]);
        }
        samples
    }

    /// The colours of eight samples of liquid, by channel: `read` reads them from a plane, and `place` is where they lie.
    #[inline(always)]
    fn bodies(
        &self,
        read: impl Fn(&[f32]) -> [f32; LANES],
        place: impl Fn(usize) -> (usize, usize),
        lit: &LitSamples,
    ) -> [[f32; LANES]; 3] {
        let field = &self.layers.field;
        let bodies = self.shade.bodies(self.simd, read, lit);
        let [mut red, mut green, mut blue]: [[f32; LANES]; 3] = bodies.map(
            #[inline(always)]
            |channel| channel.into(),
        );
        if !field.own_color[3].is_empty() {
            for lane in 0..LANES {
                let (x, y) = place(lane);
                let body = [red[lane], green[lane], blue[lane]];
                [red[lane], green[lane], blue[lane]] = self.dyed(body, field.grid.index(x, y), lit.0[0][lane]);
            }
        }
        [red, green, blue]
    }

    /// Returns the colour of liquid at an element that may contain particles with colours of their own.
    #[inline(always)]
    fn dyed(&self, body: LinearRgb, here: usize, light: f32) -> LinearRgb {
        let own = self.layers.field.own_color_at(here);
        if let Some((own, fraction)) = own { self.shade.dyed(body, own, fraction, light) } else { body }
    }

    fn has_smoke(&self, column: usize, row: usize) -> bool {
        let (smoke, stride) = (&self.layers.field.smoke, self.layers.field.grid.stride);
        !smoke.is_empty()
            && (row * SAMPLES.1..(row + 1) * SAMPLES.1 + 2).any(|y| {
                let first = y * stride + column * SAMPLES.0;
                smoke.planes[3][first..first + SAMPLES.0 + 2].iter().any(|&opacity| opacity > MIN_OPACITY)
            })
    }

    /// An edge keeps the background unless it may be mixed, and a character always keeps it. A cell with smoke does not.
    /// `outside` is the fraction that is background.
    fn color_mode(&self, outside: f32, smoke: bool) -> ColorMode {
        let keeps_background = outside > MIN_OUTSIDE && !self.mixes_background;
        match self.style.depth {
            ColorDepth::Mono => ColorMode::ShapeOnly,
            _ if !smoke && (keeps_background || !self.style.glyphs.is_blocks()) => {
                ColorMode::OnBackground { tone: self.background_tone, color: self.bare_color }
            }
            _ => ColorMode::TwoColors,
        }
    }

    #[inline(always)]
    pub fn write(&self, fitted: FittedCell, x: u16, y: u16, cell: &mut Cell) {
        let color = |rgb: Option<Rgb>, y: u16| rgb.map_or(self.bare, |rgb| self.style.depth.color(rgb, (x, y)));
        // A cell of blocks takes two rows of the dithering pattern, because its colours are mostly those of its upper and lower
        // half.
        let (upper, lower) = if self.style.glyphs.is_blocks() { (y << 1, y << 1 | 1) } else { (y, y) };
        let fg = color(fitted.fg, lower);
        let bg = match fitted.bg {
            Some(_) if !self.signs_have_bodies => self.bare,
            Some(bg) if fitted.fg == Some(bg) => fg,
            bg => color(bg, upper),
        };
        let same_halves = fitted.glyph == '▄' && fg == bg && fitted.bg.is_some();
        // Most of a tank is air, and remains so.
        if fitted.glyph != ' ' || cell.symbol() != " " {
            cell.set_char(if same_halves { '█' } else { fitted.glyph });
        }
        cell.fg = if fitted.fg.is_some() { fg } else { Color::Reset };
        cell.bg = bg;
        cell.modifier = Modifier::empty();
    }
}
