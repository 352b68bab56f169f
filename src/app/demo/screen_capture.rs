//! The content of a terminal screen, to be melted: its cells, and their liquid. A terminal emulator, the crate vt100, reads the
//! text (see `page_text`). Controls and characters of no width are left out.

use crate::app::action::{TerminalCaps, Window};
use crate::app::demo::page_text::{self, CROSSED_OUT};
use crate::cell::color::TerminalColors;
use crate::sim::World;
use crate::sim::particles::Particles;
use crate::term::sanitize::without_hidden;
use crate::view::raster::{CELL, coverage};
use crate::view::{Camera, ColorDepth, Rgb};
use glam::{USizeVec2, Vec2};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use std::num::NonZeroU16;
use std::ops::Range;

/// Upper limit on the particles of a page, unless every cell needs at least one.
const MAX_PARTICLES: usize = 6500;

/// Numbers of parts of a cell, across and down: the finest division with which a page is within the limit.
const PARTS: [(usize, usize); 3] = [(2, 4), (1, 2), (1, 1)];

const INKED: usize = 70;

const ON_BLANKS: Modifier = Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT);

/// A particle within this distance of its target, in columns, has arrived.
const ARRIVED: f32 = 0.45;

#[derive(Clone, Debug)]
struct PageCell {
    column: u16,
    row: u16,
    wide: bool,
    look: Cell,
    particles: Range<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct ScreenCapture {
    columns: u16,
    rows: u16,
    cell_aspect: f32,
    /// The non-empty cells, row by row.
    cells: Vec<PageCell>,
    parts: (usize, usize),
    /// Targets of particles, in cells from the page's upper left corner, and their colours.
    sites: Vec<(Vec2, Rgb)>,
    /// The particles that have not arrived, and the cells near one of them.
    away: Vec<bool>,
    stirred: Vec<bool>,
    taken: Vec<bool>,
    colors: TerminalColors,
}

impl ScreenCapture {
    /// The end of the text, if it is longer than the window. A window without a cell size in pixels has an unknown one.
    pub fn read(text: &str, window: Window) -> Result<Self, String> {
        let Window { columns, rows, cell } = window;
        let mut terminal = emulator(window)?;
        // A final line feed would scroll the first line away, and the empty lines below a page all of it.
        let text = page_text::rewritten(text.trim_end_matches(['\r', '\n']));
        for line in text.split_inclusive('\n') {
            terminal.process(line.as_bytes());
            if line.ends_with('\n') {
                terminal.process(b"\r");
            }
        }
        let screen = terminal.screen();
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let cells: Vec<PageCell> =
            all.filter_map(|at| screen.cell(at.1, at.0).and_then(|cell| read(cell, at))).collect();
        if cells.is_empty() {
            return Err("nothing to melt in the input".to_owned());
        }
        let cell_aspect = if cell.contains(&0) { 0.5 } else { f32::from(cell[0]) / f32::from(cell[1]) };
        let mut taken = vec![false; usize::from(columns) * usize::from(rows)];
        for cell in &cells {
            let first = usize::from(cell.row) * usize::from(columns) + usize::from(cell.column);
            taken[first..=first + usize::from(cell.wide && cell.column + 1 < columns)].fill(true);
        }
        let mut page = Self { columns, rows, cell_aspect, cells, parts: PARTS[0], taken, ..Self::default() };
        page.divide();
        Ok(page)
    }

    pub fn set_terminal_colors(&mut self, colors: &TerminalColors) {
        self.colors = *colors;
        self.divide();
    }

    /// The page as a picture, without the empty columns on its right and rows at its end: width, height, and pixels row by row.
    pub fn pixels(&self) -> (usize, usize, Vec<Option<Rgb>>) {
        let end =
            |side: fn(&PageCell) -> u16| self.cells.iter().map(|cell| usize::from(side(cell)) + 1).max().unwrap_or(0);
        let (width, height) =
            (end(|cell| cell.column + u16::from(cell.wide)) * self.parts.0, end(|cell| cell.row) * self.parts.1);
        let mut pixels = vec![None; width * height];
        for &(site, color) in &self.sites {
            let (x, y) = ((site.x * self.parts.0 as f32) as usize, (site.y * self.parts.1 as f32) as usize);
            pixels[y * width + x] = Some(color);
        }
        (width, height, pixels)
    }

    pub fn particle_colors(&self) -> Vec<Rgb> {
        self.sites.iter().map(|&(_, tint)| tint).collect()
    }

    fn divide(&mut self) {
        for parts in PARTS {
            self.parts = parts;
            self.sites.clear();
            let across = Vec2::new(parts.0 as f32, parts.1 as f32);
            for cell in &mut self.cells {
                let (first, corner) = (self.sites.len(), Vec2::new(f32::from(cell.column), f32::from(cell.row)));
                let inked = inks(&cell.look, parts, &self.colors);
                self.sites.extend(inked.map(|(part, tint)| (corner + (part.as_vec2() + 0.5) / across, tint)));
                cell.particles = first..self.sites.len();
            }
            if self.sites.len() <= MAX_PARTICLES {
                break;
            }
        }
    }

    pub fn aspect(&self) -> f32 {
        self.cell_aspect * f32::from(self.columns) / f32::from(self.rows)
    }

    pub fn fill(&self, size: Vec2) -> (Vec<Vec2>, f32) {
        let pitch = self.pitch(size);
        let places = self.sites.iter().map(|&(site, _)| home(site, pitch, size)).collect();
        // The spacing of a hexagonal lattice with the same area per particle.
        let room = pitch.element_product() / (self.parts.0 * self.parts.1) as f32;
        (places, (room / 0.75f32.sqrt()).sqrt())
    }

    /// Prints the cells whose liquid has arrived, and clears those between them, if the window shows the page at its original
    /// size.
    pub fn overprint(&mut self, world: &World, camera: &Camera, terminal: &TerminalCaps, buf: &mut Buffer) {
        let (Some(liquid), size) = (world.liquid(), world.size()) else { return };
        let pitch = self.pitch(size);
        if (camera.scale * pitch - 1.0).abs().max_element() > 0.02 {
            return;
        }
        self.look_who_is_away(liquid.particles(), pitch, size);
        let corner = camera.to_cell(Vec2::new(0.0, size.y)).round();
        let place = |column: usize, row: usize| {
            let at = corner + Vec2::new(column as f32, row as f32);
            (at.x as u16, at.y as u16)
        };
        if corner.min_element() < 0.0 {
            return;
        }
        for number in (0..self.taken.len()).filter(|&number| !self.taken[number] && !self.stirred[number]) {
            let columns = usize::from(self.columns);
            if let Some(cell) = buf.cell_mut(place(number % columns, number / columns)) {
                cell.reset();
            }
        }
        for cell in &self.cells {
            let whole = !self.away[cell.particles.clone()].contains(&true);
            if whole {
                cell.print(place(cell.column.into(), cell.row.into()), terminal, &self.colors, buf);
            }
        }
    }

    fn pitch(&self, size: Vec2) -> Vec2 {
        size / Vec2::new(f32::from(self.columns), f32::from(self.rows))
    }

    fn look_who_is_away(&mut self, p: &Particles, pitch: Vec2, size: Vec2) {
        self.away.clear();
        self.stirred.clear();
        self.stirred.resize(self.taken.len(), false);
        // Drained particles do not return.
        self.away.resize(self.sites.len(), true);
        let near = (ARRIVED * pitch.x).powi(2);
        for slot in p.alive() {
            let (id, at) = (p.id[slot] as usize, p.position(slot));
            let is_home = |&(site, _): &(Vec2, Rgb)| home(site, pitch, size).distance_squared(at) <= near;
            // Particles that the user has added have no site.
            if self.sites.get(id).is_some_and(is_home) {
                self.away[id] = false;
            } else {
                self.stir(Vec2::new(at.x, size.y - at.y) / pitch);
            }
        }
    }

    fn stir(&mut self, at: Vec2) {
        let (columns, rows) = (usize::from(self.columns), usize::from(self.rows));
        let (column, row) = (at.x.max(0.0) as usize, at.y.max(0.0) as usize);
        for row in row.saturating_sub(1)..(row + 2).min(rows) {
            for column in column.saturating_sub(1)..(column + 2).min(columns) {
                self.stirred[row * columns + column] = true;
            }
        }
    }
}

fn home(site: Vec2, pitch: Vec2, size: Vec2) -> Vec2 {
    Vec2::new(site.x * pitch.x, size.y - site.y * pitch.y)
}

impl PageCell {
    fn print(&self, (x, y): (u16, u16), terminal: &TerminalCaps, colors: &TerminalColors, buf: &mut Buffer) {
        let last = x + u16::from(self.wide);
        if !buf.area.contains((last, y).into()) {
            return;
        }
        let color = |color: Color| match (terminal.depth, color) {
            (ColorDepth::Mono, _) => Color::Reset,
            (ColorDepth::TrueColor, color) => color,
            (_, color @ (Color::Reset | Color::Indexed(0..16))) => color,
            (ColorDepth::Ansi256, color @ Color::Indexed(_)) => color,
            (depth, color) => depth.color(colors.text(color), (x, y)),
        };
        let cell = &mut buf[(x, y)];
        cell.clone_from(&self.look);
        if !terminal.unicode && !cell.symbol().is_ascii() {
            cell.set_symbol("?");
        }
        (cell.fg, cell.bg) = (color(cell.fg), color(cell.bg));
        if self.wide {
            let bg = cell.bg;
            buf[(last, y)].reset();
            buf[(last, y)].bg = bg;
        }
    }
}

pub fn emulator(window: Window) -> Result<vt100::Parser, String> {
    emulated_size(window).map(|(rows, columns)| vt100::Parser::new(rows, columns, 0))
}

pub fn emulated_size(window: Window) -> Result<(NonZeroU16, NonZeroU16), String> {
    let Window { columns, rows, .. } = window.validated()?;
    let size = |cells| NonZeroU16::new(cells).unwrap_or(NonZeroU16::MIN);
    Ok((size(rows), size(columns)))
}

pub fn show(screen: &vt100::Screen, buf: &mut Buffer) {
    let (rows, columns) = screen.size();
    buf.resize(Rect::new(0, 0, columns.get(), rows.get()));
    buf.reset();
    for at in buf.area.positions() {
        let Some(cell) = screen.cell(at.y, at.x).filter(|cell| !cell.is_wide_continuation()) else { continue };
        buf[at] = look(cell, &without_hidden(cell.contents()));
    }
}

fn look(cell: &vt100::Cell, symbol: &str) -> Cell {
    let color = |color: vt100::Color| match color {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    };
    let modifiers = [
        (cell.bold(), Modifier::BOLD),
        (cell.dim(), Modifier::DIM),
        (cell.italic(), Modifier::ITALIC),
        (cell.underline(), Modifier::UNDERLINED),
        (cell.inverse(), Modifier::REVERSED),
        (cell.contents().contains(CROSSED_OUT), Modifier::CROSSED_OUT),
    ];
    let mut look = Cell::default();
    look.set_symbol(if symbol.is_empty() { " " } else { symbol });
    (look.fg, look.bg) = (color(cell.fgcolor()), color(cell.bgcolor()));
    look.modifier = modifiers.into_iter().filter(|(is, _)| *is).map(|(_, modifier)| modifier).collect();
    look
}

fn read(cell: &vt100::Cell, (column, row): (u16, u16)) -> Option<PageCell> {
    if cell.is_wide_continuation() {
        return None;
    }
    let symbol = without_hidden(cell.contents()).replace(CROSSED_OUT, "");
    let symbol = if symbol.trim().is_empty() { "" } else { &symbol };
    let look = look(cell, symbol);
    let is_visible = !symbol.is_empty() || look.bg != Color::Reset || look.modifier.intersects(ON_BLANKS);
    is_visible.then(|| PageCell { column, row, wide: cell.is_wide(), look, particles: 0..0 })
}

/// The inked parts of a cell's character, or all parts if the cell has its own background, and their colours. At least the part
/// with the most ink becomes a particle.
fn inks(
    cell: &Cell,
    (across, down): (usize, usize),
    colors: &TerminalColors,
) -> impl Iterator<Item = (USizeVec2, Rgb)> + use<> {
    let mut fg = colors.text(cell.fg);
    let mut ground = (cell.bg != Color::Reset).then(|| colors.text(cell.bg));
    if cell.modifier.contains(Modifier::REVERSED) {
        (fg, ground) = (ground.unwrap_or(colors.background()), Some(fg));
    }
    let glyph = match cell.symbol().chars().next().unwrap_or(' ') {
        ' ' if cell.modifier.contains(Modifier::UNDERLINED) => '_',
        ' ' if cell.modifier.contains(Modifier::CROSSED_OUT) => '-',
        glyph => glyph,
    };
    let (width, height) = (CELL.0 / across, CELL.1 / down);
    let ink = move |part: USizeVec2| -> usize {
        let pixels = (0..width * height).map(|at| (part.x * width + at % width, part.y * height + at / width));
        pixels.map(|(x, y)| usize::from(coverage(glyph, x, y))).sum::<usize>() / (width * height)
    };
    let parts = move || (0..across * down).map(move |part| USizeVec2::new(part % across, part / across));
    let least = parts().map(ink).max().unwrap_or(0).min(INKED);
    parts().filter_map(move |part| {
        let inked = glyph != ' ' && ink(part) >= least;
        let tint = if inked { Some(fg) } else { ground };
        tint.map(|tint| (part, tint))
    })
}
