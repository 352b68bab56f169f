//! Cells as pixels of a canvas of any size. Glyphs are computed from geometry, so their edges lie on whole pixels.

use glam::Vec2;
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::Color;
use slosh::cell::{glyph_shape, wedge};
use slosh::view::Rgb;
use std::collections::BTreeMap;

/// Sample points of a pixel in each direction, for slanted edges.
const PROBES: usize = 4;

/// A picture of cells, four bytes per pixel. Only changed cells are drawn again.
#[derive(Default)]
pub struct Canvas {
    width: usize,
    height: usize,
    /// Where columns and rows begin, and where the last ones end: cells of whole pixels that fill the canvas.
    columns: Vec<usize>,
    rows: Vec<usize>,
    pixels: Vec<u8>,
    drawn: Vec<Option<Drawn>>,
    masks: BTreeMap<(char, usize, usize), Vec<u8>>,
}

/// The content of a cell.
#[derive(Clone, Copy, PartialEq)]
struct Drawn {
    glyph: char,
    fg: Rgb,
    bg: Rgb,
}

/// The colour of a cell, if it has one.
pub fn rgb(color: Color) -> Option<Rgb> {
    match color {
        Color::Rgb(r, g, b) => Some(Rgb(r, g, b)),
        _ => None,
    }
}

impl Canvas {
    pub fn resize(&mut self, width: usize, height: usize, columns: u16, rows: u16) {
        let edges = |pixels: usize, cells: u16| -> Vec<usize> {
            (0..=usize::from(cells)).map(|cell| cell * pixels / usize::from(cells)).collect()
        };
        (self.width, self.height) = (width, height);
        (self.columns, self.rows) = (edges(width, columns), edges(height, rows));
        self.pixels.clear();
        self.pixels.resize(4 * width * height, 255);
        self.masks.clear();
        self.drawn.clear();
        self.drawn.resize(usize::from(columns) * usize::from(rows), None);
    }

    /// Draws everything again in the next frame.
    pub fn forget(&mut self) {
        self.drawn.fill(None);
    }

    pub fn size(&self) -> Vec2 {
        Vec2::new(self.width as f32, self.height as f32)
    }

    pub fn pixels(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Width over height.
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height as f32
    }

    /// Width and height of a cell, in pixels.
    pub fn cell(&self) -> Vec2 {
        self.size() / Vec2::new((self.columns.len() - 1) as f32, (self.rows.len() - 1) as f32)
    }

    /// Draws the cells on the background `ground`.
    pub fn draw(&mut self, cells: &Buffer, ground: Rgb) -> &[u8] {
        let across = self.columns.len() - 1;
        for (number, cell) in cells.content.iter().enumerate() {
            let now = Drawn::of(cell, ground);
            if self.drawn[number] != Some(now) {
                self.drawn[number] = Some(now);
                self.draw_cell(number % across, number / across, now);
            }
        }
        &self.pixels
    }

    fn draw_cell(&mut self, column: usize, row: usize, Drawn { glyph, fg, bg }: Drawn) {
        let (left, right) = (self.columns[column], self.columns[column + 1]);
        let (top, bottom) = (self.rows[row], self.rows[row + 1]);
        let stride = 4 * self.width;
        let (wide, high) = (right - left, bottom - top);
        let flat = match glyph {
            ' ' => Some(bg),
            '█' => Some(fg),
            _ => (fg == bg).then_some(fg),
        };
        if let Some(Rgb(r, g, b)) = flat {
            for line in self.pixels[top * stride..bottom * stride].chunks_exact_mut(stride) {
                line[4 * left..4 * right].chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[r, g, b, 255]));
            }
            return;
        }
        let mask = self.masks.entry((glyph, wide, high)).or_insert_with(|| mask(glyph, wide, high));
        // Edges are mixed in linear light, in which cells are fitted: 17 shades between the two colours are enough.
        let (under, over) = (bg.linear(), fg.linear());
        let shade = |ink: u8| -> [u8; 4] {
            let share = f32::from(ink) / 255.0;
            let Rgb(r, g, b) = Rgb::from_linear([0, 1, 2].map(|c| under[c] + (over[c] - under[c]) * share));
            [r, g, b, 255]
        };
        let (none, all) = ([bg.0, bg.1, bg.2, 255], [fg.0, fg.1, fg.2, 255]);
        let lines = self.pixels[top * stride..bottom * stride].chunks_exact_mut(stride);
        for (line, inks) in lines.zip(mask.chunks_exact(wide)) {
            for (pixel, &ink) in line[4 * left..4 * right].chunks_exact_mut(4).zip(inks) {
                pixel.copy_from_slice(&match ink {
                    0 => none,
                    255 => all,
                    ink => shade(ink),
                });
            }
        }
    }
}

impl Drawn {
    fn of(cell: &Cell, ground: Rgb) -> Self {
        let glyph = cell.symbol().chars().next().unwrap_or(' ');
        Self { glyph, fg: rgb(cell.fg).unwrap_or(ground), bg: rgb(cell.bg).unwrap_or(ground) }
    }
}

/// The coverage of each pixel by a glyph in a cell of this size, 0 to 255, row by row.
fn mask(glyph: char, wide: usize, high: usize) -> Vec<u8> {
    if wedge::all().contains(&glyph) {
        let place = |pixel: usize, probe: usize, pixels: usize| {
            (pixel as f32 + (probe as f32 + 0.5) / PROBES as f32) / pixels as f32
        };
        let share = |x: usize, y: usize| {
            let probes = (0..PROBES * PROBES).map(|probe| (probe % PROBES, probe / PROBES));
            let inside = |&(h, v): &(usize, usize)| wedge::covers(glyph, place(x, h, wide), place(y, v, high));
            (probes.filter(inside).count() * 255 / (PROBES * PROBES)) as u8
        };
        return (0..wide * high).map(|at| share(at % wide, at / wide)).collect();
    }
    // The table has 8×16 points; the centre of each pixel decides.
    let (across, down) = glyph_shape::CELL;
    let in_table = |pixel: usize, pixels: usize, table: usize| (2 * pixel + 1) * table / (2 * pixels);
    let ink = |x: usize, y: usize| {
        let (x, y) = (in_table(x, wide, across), in_table(y, high, down));
        match glyph {
            '\u{2800}'..='\u{28ff}' => 255 * u8::from(slosh::cell::braille::covers(glyph, x, y)),
            '░' => 64,
            '▒' => 128,
            '▓' => 192,
            _ => glyph_shape::pixels(glyph).map_or(0, |pixels| pixels[y][x]),
        }
    };
    (0..wide * high).map(|at| ink(at % wide, at / wide)).collect()
}
