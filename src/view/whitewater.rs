//! Specks in the picture: beads of spray, foam, bubbles and embers, over liquid and air alike. A bead fills a part of a cell that
//! glyphs can draw, so that it has the same shape and brightness wherever it is; in a cell of nothing but liquid or air it is a
//! dot of braille, where the font has those. In the reference image it is that dot, or a disc of the area of that part. Where
//! beads overlap they are mixed, and many merge into a white sheet.

use crate::cell::braille;
use crate::cell::color::{ColorDepth, LinearRgb, mix};
use crate::cell::glyph_mode::GlyphMode;
use crate::sim::World;
use crate::sim::liquid::whitewater::specks::{Kind, Speck};
use crate::sim::liquid::{Liquid, MAX_PHASES};
use crate::view::cloth_raster::ClothRaster;
use crate::view::color_scale::ColorScale;
use crate::view::field::Field;
use crate::view::grid_layout::GridLayout;
use crate::view::light_mode::LightElement;
use crate::view::palette::Palette;
use crate::view::render_style::{LiquidStyle, RenderStyle};
use crate::view::wall_layer::WallLayer;
use glam::Vec2;
use std::f32::consts::PI;
use std::ops::Range;

/// A bead in samples, across and down, where glyphs divide a cell in halves, in quarters, and in eighths or dots.
const BEADS: [[usize; 2]; 3] = [[2, 2], [1, 2], [1, 1]];

/// Cells of a window from which on every speck of spray and foam is drawn. In a smaller window the fraction that is drawn is the
/// root of the ratio: a speck takes more of a small picture.
const WHOLE: f32 = 22_000.0;

/// The fraction of bubbles that is drawn: they are faint, and cost bytes in water that would otherwise not change.
const BUBBLES: f32 = 0.1;

/// The opacity of a bead, by kind.
const SPRAY_OPACITY: f32 = 0.7;
const FOAM_OPACITY: f32 = 0.6;
const BUBBLE_OPACITY: f32 = 0.4;
const EMBER_OPACITY: f32 = 1.3;

/// The factor on the opacity of dots, which are smaller than other beads.
const DOT_CONTRAST: f32 = 1.5;

/// The factors on the opacity between which specks differ: dots of one brightness would be a lattice.
const FAINTEST: f32 = 0.45;
const BOLDEST: f32 = 1.3;

/// The fraction of white in a speck of foam: as in the foam of the field, thin foam has more of the palette's light end.
const FOAM_WHITE: f32 = 0.6;

/// The opacity below which a bead is not drawn.
pub const VISIBLE: f32 = 0.15;

#[expect(clippy::reversed_empty_ranges, reason = "it is empty until it is united with another")]
const NOTHING: Range<usize> = usize::MAX..0;

/// The fraction of a cell with dots that may be liquid where the rest is air, or air where the rest is liquid.
const MAX_SLIVER: f32 = 0.12;

/// The beads of a cell: the greatest opacity of its elements, and whether they are drawn as dots.
#[derive(Clone, Copy, Debug, Default)]
struct CellBeads {
    peak: f32,
    has_dots: bool,
}

/// What else is in the picture; dots stand in a cell that has only one of it.
pub struct Surroundings<'a> {
    pub field: &'a Field,
    pub walls: &'a WallLayer,
    pub cloth: &'a ClothRaster,
}

#[derive(Clone, Debug, Default)]
pub struct WhitewaterLayer {
    /// Their colour times their opacity, in linear light; and the opacity. Where dots overlap, the opacity may be more than 1;
    /// then all four values count as divided by it.
    pub planes: [Vec<f32>; 4],
    /// The elements of each row that were drawn on, which alone are cleared again.
    drawn: Vec<Range<usize>>,
    cells: Vec<CellBeads>,
    columns: usize,
    /// The part of a cell that a bead fills, in samples.
    part: [usize; 2],
}

impl WhitewaterLayer {
    /// None in flat light, in which a quantity may be read from the colours.
    pub fn draw(&mut self, world: &World, around: &Surroundings, style: &RenderStyle) {
        let grid = &around.field.grid;
        self.cells.clear();
        self.erase(grid);
        self.part = BEADS[match style.glyphs {
            GlyphMode::Half => 0,
            GlyphMode::Ascii | GlyphMode::Braille => 2,
            _ => 1,
        }]
        .map(|samples| samples * grid.oversampling);
        match world.liquid().filter(|_| style.liquid_style == LiquidStyle::Particles) {
            Some(liquid) => self.draw_particles(world, liquid, around, style),
            None if style.light.has(LightElement::Foam) => self.draw_specks(world, around, style),
            None => {}
        }
    }

    fn draw_specks(&mut self, world: &World, around: &Surroundings, style: &RenderStyle) {
        let grid = &around.field.grid;
        if !world.liquid().is_some_and(|liquid| liquid.makes_whitewater()) && world.specks().is_empty() {
            return;
        }
        // The memory is allocated now, and not in the frame in which the first speck appears.
        self.planes.iter_mut().for_each(|plane| plane.reserve(grid.elements()));
        self.drawn.reserve(grid.rows);
        if world.specks().is_empty() {
            return;
        }
        self.resize(grid);
        let phases = world.liquid().map(Liquid::phases);
        let palette_of = |phase: u8| {
            let named = phases.and_then(|phases| phases.labels.get(usize::from(phase))?.as_deref());
            style.find_palette(named).unwrap_or(&style.palette)
        };
        let drawn = (self.cells.len() as f32 / WHOLE).sqrt();
        for speck in world.specks() {
            let fraction = match speck.kind {
                Kind::Spray | Kind::Foam => drawn,
                Kind::Bubble => BUBBLES,
                Kind::Ember => 1.0,
            };
            // The low digits of a speck's variation, which do not affect its size, decide whether it is drawn.
            if (speck.variation * 1021.0).fract() > fraction {
                continue;
            }
            let (color, opacity) = color(speck, palette_of(speck.phase));
            let own = FAINTEST + (BOLDEST - FAINTEST) * (speck.variation * 331.0).fract();
            self.add(grid.to_samples(speck.at), color, own * opacity * speck.strength(), around, style);
        }
    }

    /// A bead for each particle, in the colours of the quantity.
    fn draw_particles(&mut self, world: &World, liquid: &Liquid, around: &Surroundings, style: &RenderStyle) {
        let grid = &around.field.grid;
        self.resize(grid);
        let scale = ColorScale::new(world, style.color_by.within(world));
        let phases = liquid.phases();
        let palettes: [&Palette; MAX_PHASES] = std::array::from_fn(|phase| {
            let named = phases.labels.get(phase).and_then(|name| style.find_palette(name.as_deref()));
            named.filter(|_| phase > 0).unwrap_or(&style.palette)
        });
        let p = liquid.particles();
        for slot in liquid.liquid_slots() {
            let palette = palettes[usize::from(phases.phase_of(p.id[slot]))];
            self.add(
                grid.to_samples(p.position(slot)),
                palette.at(scale.of_particle(liquid, slot)),
                1.0,
                around,
                style,
            );
        }
    }

    fn resize(&mut self, grid: &GridLayout) {
        self.planes.iter_mut().for_each(|plane| plane.resize(grid.elements(), 0.0));
        self.drawn.resize(grid.rows, NOTHING);
        let (across, down) = grid.samples_per_cell();
        self.columns = (grid.columns - 2) / across;
        self.cells.resize(self.columns * ((grid.rows - 2) / down), CellBeads::default());
    }

    fn erase(&mut self, grid: &GridLayout) {
        if self.planes[0].len() == grid.elements() && self.drawn.len() == grid.rows {
            for row in self.drawn.iter_mut().filter(|row| row.start < row.end) {
                self.planes.iter_mut().for_each(|plane| plane[row.clone()].fill(0.0));
                *row = NOTHING;
            }
        } else {
            self.planes.iter_mut().for_each(Vec::clear);
            self.drawn.clear();
        }
    }

    #[inline(always)]
    pub fn peak(&self, column: usize, row: usize) -> f32 {
        if self.cells.is_empty() { 0.0 } else { self.cells[row * self.columns + column].peak }
    }

    /// The glyph of a cell whose beads are dots, and its most opaque element.
    pub fn dots(&self, column: usize, row: usize, grid: &GridLayout) -> Option<(char, usize)> {
        let number = row * self.columns + column;
        let cell = self.cells.get(number).filter(|cell| cell.has_dots)?;
        let opacity = |here: usize| self.planes[3][here];
        let visible = self.elements(number, grid).enumerate().filter(|&(_, here)| opacity(here) > VISIBLE);
        let glyph = braille::dots(visible.fold(0, |mask, (dot, _)| mask | 1 << dot));
        self.elements(number, grid).find(|&here| opacity(here) == cell.peak).map(|peak| (glyph, peak))
    }

    /// The elements of a cell, row by row.
    fn elements(&self, cell: usize, grid: &GridLayout) -> impl Iterator<Item = usize> + use<> {
        let (across, down) = grid.samples_per_cell();
        let (first, stride) = (grid.first_of_cell(cell % self.columns, cell / self.columns), grid.stride);
        (0..down).flat_map(move |row| first + row * stride..first + row * stride + across)
    }

    pub fn over(&self, behind: LinearRgb, here: usize) -> LinearRgb {
        let [red, green, blue, opacity] = &self.planes;
        match opacity.get(here) {
            Some(opacity) => {
                let (own, share) = ([red, green, blue].map(|plane| plane[here]), 1.0 / opacity.max(1.0));
                [0, 1, 2].map(|c| behind[c] * (1.0 - opacity * share) + own[c] * share)
            }
            None => behind,
        }
    }

    /// `at`: in samples.
    fn add(&mut self, at: Vec2, color: LinearRgb, opacity: f32, around: &Surroundings, style: &RenderStyle) {
        let grid = &around.field.grid;
        let (across, down) = grid.samples_per_cell();
        // The margin of one sample belongs to no cell.
        let (column, row) = ((at.x - 0.5) / across as f32, (at.y - 0.5) / down as f32);
        if opacity < VISIBLE || column < 0.0 || row < 0.0 {
            return;
        }
        let (column, row) = (column as usize, row as usize);
        let cell = row * self.columns + column;
        if column >= self.columns || cell >= self.cells.len() {
            return;
        }
        let has_dots = style.glyphs.has_dots()
            && style.liquid_style != LiquidStyle::Particles
            && self.is_uniform(cell, around, style);
        self.cells[cell].has_dots = has_dots;
        let (opacity, [wide, high]) =
            if has_dots { (opacity * DOT_CONTRAST, [grid.oversampling; 2]) } else { (opacity, self.part) };
        // The first sample of the part of a cell in which it is.
        let corner = |at: f32, step: usize| (at - 0.5) as usize / step * step + 1;
        let (left, top) = (corner(at.x, wide), corner(at.y, high));
        if grid.oversampling == 1 {
            for row in top..(top + high).min(grid.rows - 1) {
                for column in left..(left + wide).min(grid.columns - 1) {
                    self.put(grid, [column, row], color, opacity);
                }
            }
            return;
        }
        let middle = |first: usize, count: usize| first as f32 + 0.5 * (count - 1) as f32;
        let at = Vec2::new(middle(left, wide), middle(top, high));
        let radius = if has_dots { braille::DOT_RADIUS * across as f32 } else { ((wide * high) as f32 / PI).sqrt() };
        let span = |at: f32, count: usize| {
            (at - radius).max(1.0).ceil() as usize..((at + radius + 1.0).max(0.0) as usize).min(count - 1)
        };
        for row in span(at.y, grid.rows) {
            for column in span(at.x, grid.columns) {
                let (dx, dy) = (column as f32 - at.x, row as f32 - at.y);
                let share = (0.5 + radius - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0);
                if share > 0.0 {
                    self.put(grid, [column, row], color, opacity * share);
                }
            }
        }
    }

    /// Whether a cell has liquid alone, or air alone, which may be smoke. Without colours a dot in liquid would be a hole.
    fn is_uniform(
        &self,
        cell: usize,
        Surroundings { field, walls, cloth }: &Surroundings,
        style: &RenderStyle,
    ) -> bool {
        let grid = &field.grid;
        let (column, row) = (cell % self.columns, cell / self.columns);
        let (first, samples) = (grid.first_of_cell(column, row), grid.samples_per_cell());
        let (mut wet, mut count) = (0.0, 0.0);
        for here in self.elements(cell, grid) {
            if walls.distance[here] < 0.0 {
                return false;
            }
            wet += f32::from(field.coverage[here] > 0.5);
            count += 1.0;
        }
        let is_dry = wet <= MAX_SLIVER * count;
        (is_dry || style.depth != ColorDepth::Mono && wet >= (1.0 - MAX_SLIVER) * count)
            && !field.bodies.shows_in(first, samples.into(), grid)
            && cloth.tile(column, row).is_none()
    }

    fn put(&mut self, grid: &GridLayout, [column, row]: [usize; 2], color: LinearRgb, opacity: f32) {
        let here = grid.index(column, row);
        let line = &mut self.drawn[row];
        *line = line.start.min(here)..line.end.max(here + 1);
        for (plane, part) in self.planes.iter_mut().zip([color[0], color[1], color[2], 1.0]) {
            plane[here] += opacity * part;
        }
        let (across, down) = grid.samples_per_cell();
        let peak = &mut self.cells[(column - 1) / across + (row - 1) / down * self.columns].peak;
        *peak = self.planes[3][here].max(*peak);
    }
}

/// The colour and the opacity of a speck; that of embers is more than 1.
fn color(speck: &Speck, palette: &Palette) -> (LinearRgb, f32) {
    let light_end = palette.at(1.0);
    match speck.kind {
        Kind::Spray => (mix(light_end, palette.foam, 0.75), SPRAY_OPACITY),
        Kind::Foam => (mix(light_end, palette.foam, FOAM_WHITE), FOAM_OPACITY),
        Kind::Bubble => (light_end, BUBBLE_OPACITY),
        // The palette's deep end is the glowing end.
        Kind::Ember => {
            let heat = speck.heat();
            (mix(palette.at(0.7 * (1.0 - heat)), palette.deep, heat * heat), EMBER_OPACITY)
        }
    }
}
