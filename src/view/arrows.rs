//! Arrows on a coarse grid of cells, over the picture: the velocity, or the force that the colours represent.

use crate::cell::color::{Rgb, mix};
use crate::cell::glyph_mode::GlyphMode;
use crate::cell::glyph_shape::{covered_fraction, mean_color};
use crate::math::Elementary;
use crate::sim::World;
use crate::view::camera::Camera;
use crate::view::color_scale::ColorScale;
use crate::view::render_style::{ColorBy, RenderStyle};
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use std::f32::consts::{FRAC_PI_8, PI};

/// Columns and rows of cells for each arrow: about a square.
const BLOCK: [u16; 2] = [4, 2];

/// The fraction of the quantity's scale below which there is no arrow, and that at which an arrow is half as bright as the
/// brightest one.
const STILL: f32 = 0.01;
const HALF_BRIGHT: f32 = 0.15;

/// From the right counter-clockwise.
const SIGNS: [char; 8] = ['→', '↗', '↑', '↖', '←', '↙', '↓', '↘'];
const ASCII_SIGNS: [char; 8] = ['>', '/', '^', '\\', '<', '/', 'v', '\\'];

#[derive(Clone, Debug, Default)]
pub struct ArrowLayer(Vec<Block>);

/// The vectors in a block of cells.
#[derive(Clone, Copy, Debug)]
struct Block {
    sum: Vec2,
    count: f32,
    /// The cell of the sign: of the particle that is nearest to the middle, which itself may lie in a wall or in the air.
    cell: Option<[u16; 2]>,
    /// The distance of that particle's cell from the middle, in cells, squared; infinite for smoke.
    off: f32,
}

impl Block {
    const EMPTY: Self = Self { sum: Vec2::ZERO, count: 0.0, cell: None, off: f32::INFINITY };
}

impl ArrowLayer {
    pub fn draw(&mut self, world: &World, style: &RenderStyle, camera: &Camera, area: Rect, buf: &mut Buffer) {
        let quantity = match style.color_by.within(world) {
            force @ ColorBy::Force(_) => force,
            _ => ColorBy::Speed,
        };
        let scale = ColorScale::new(world, quantity).full;
        let [columns, rows] = [area.width.div_ceil(BLOCK[0]), area.height.div_ceil(BLOCK[1])];
        self.find(world, quantity, camera, area, [columns, rows]);
        let signs = match style.glyphs {
            // In terminals of few glyphs; of those with wide arrows, too.
            GlyphMode::Ascii | GlyphMode::Braille => &ASCII_SIGNS,
            _ => &SIGNS,
        };
        for &Block { sum, count, cell: place, off } in &self.0 {
            let Some(place) = place else { continue };
            let vector = camera.turn.direction(sum / count) / scale;
            let length = vector.length();
            if length < STILL || place[0] >= area.width || place[1] >= area.height {
                continue;
            }
            let direction =
                ((vector.y.arc_tangent(vector.x) + FRAC_PI_8).rem_euclid(2.0 * PI) / (2.0 * FRAC_PI_8)) as usize % 8;
            let color = mix(style.palette.at(1.0), style.palette.foam, length / (length + HALF_BRIGHT));
            let at = (area.x + place[0], area.y + place[1]);
            let cell = &mut buf[at];
            let (background, _) = style.background_of_row(place[1].into(), area.height.into());
            let is_bare = cell.bg == Color::Reset || cell.bg == style.depth.color(background, at);
            let covered = covered_fraction(cell.symbol().chars().next().unwrap_or(' '));
            // A cell with a little liquid is air.
            if off.is_finite() && is_bare && covered.is_some_and(|covered| covered < 0.5) {
                continue;
            }
            // A sign has its cell's mean colour behind it: without, the surface would have a notch there.
            if let Some(mean) = mean_color(cell, background).filter(|_| cell.fg != Color::Reset) {
                cell.bg = style.depth.color(mean, at);
            }
            cell.set_char(signs[direction]).set_fg(style.depth.color(Rgb::from_linear(color), at));
        }
    }

    fn find(&mut self, world: &World, quantity: ColorBy, camera: &Camera, area: Rect, [columns, rows]: [u16; 2]) {
        self.0.clear();
        self.0.resize(usize::from(columns) * usize::from(rows), Block::EMPTY);
        let corner = Vec2::new(area.x.into(), area.y.into());
        let is_free = |cell: Vec2| world.walls().distance(camera.to_world(corner + cell + 0.5)) > 0.0;
        if let Some(liquid) = world.liquid() {
            let p = liquid.particles();
            for slot in liquid.liquid_slots() {
                let cell = (camera.to_cell(p.position(slot)) - corner).max(Vec2::ZERO).floor();
                let column = (cell.x as u16 / BLOCK[0]).min(columns - 1);
                let row = (cell.y as u16 / BLOCK[1]).min(rows - 1);
                let vector = match quantity {
                    ColorBy::Force(force) => liquid.force(force, slot).unwrap_or_default(),
                    _ => p.velocity(slot),
                };
                let nth = usize::from(row) * usize::from(columns) + usize::from(column);
                let off = cell.distance_squared(middle(nth, columns));
                let block = &mut self.0[nth];
                block.sum += vector;
                block.count += 1.0;
                if off < block.off && is_free(cell) {
                    block.off = off;
                    block.cell = Some(cell.as_u16vec2().to_array());
                }
            }
        }
        let Some(grid) = world.smoke() else { return };
        for (nth, block) in self.0.iter_mut().enumerate().filter(|(_, block)| block.count == 0.0) {
            let cell = middle(nth, columns);
            let at = camera.to_world(corner + cell + 0.5);
            if at.cmpge(Vec2::ZERO).all() && at.cmple(world.size()).all() && world.walls().obstacle(at).is_none() {
                let place = Some(cell.as_u16vec2().to_array());
                *block = Block { sum: grid.velocity(at), count: 1.0, cell: place, off: f32::INFINITY };
            }
        }
    }
}

/// The cell in the middle of a block.
fn middle(nth: usize, columns: u16) -> Vec2 {
    let [column, row] = [nth % usize::from(columns), nth / usize::from(columns)];
    Vec2::new(column as f32, row as f32) * Vec2::from(BLOCK.map(f32::from)) + 0.5 * Vec2::from(BLOCK.map(f32::from))
}
