//! Arrows on a coarse grid of cells, over the picture: the velocity, or the force that the colours represent.

use crate::cell::color::{Rgb, mix};
use crate::cell::glyph_mode::GlyphMode;
use crate::cell::glyph_shape::mean_color;
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

/// The sums of the vectors in each block, and their number.
#[derive(Clone, Debug, Default)]
pub struct ArrowLayer(Vec<(Vec2, f32)>);

impl ArrowLayer {
    pub fn draw(&mut self, world: &World, style: &RenderStyle, camera: &Camera, area: Rect, buf: &mut Buffer) {
        let quantity = match style.color_by.within(world) {
            force @ ColorBy::Force(_) => force,
            _ => ColorBy::Speed,
        };
        let scale = ColorScale::new(world, quantity).full;
        let [columns, rows] = [area.width.div_ceil(BLOCK[0]), area.height.div_ceil(BLOCK[1])];
        self.find(world, quantity, camera, area, [columns, rows]);
        let (background, _) = style.background.resolve(&style.palette);
        let signs = match style.glyphs {
            // In terminals of few glyphs; of those with wide arrows, too.
            GlyphMode::Ascii | GlyphMode::Braille => &ASCII_SIGNS,
            _ => &SIGNS,
        };
        for (block, &(sum, count)) in self.0.iter().enumerate() {
            let place = center(block, columns);
            let vector = camera.turn.direction(sum / count.max(1.0)) / scale;
            let length = vector.length();
            if length < STILL || place[0] >= area.width || place[1] >= area.height {
                continue;
            }
            let direction =
                ((vector.y.arc_tangent(vector.x) + FRAC_PI_8).rem_euclid(2.0 * PI) / (2.0 * FRAC_PI_8)) as usize % 8;
            let color = mix(style.palette.at(1.0), style.palette.foam, length / (length + HALF_BRIGHT));
            let at = (area.x + place[0], area.y + place[1]);
            let cell = &mut buf[at];
            // A sign has its cell's mean colour behind it: without, the surface would have a notch there.
            if let Some(mean) = mean_color(cell, background).filter(|_| cell.fg != Color::Reset) {
                cell.bg = style.depth.color(mean, at);
            }
            cell.set_char(signs[direction]).set_fg(style.depth.color(Rgb::from_linear(color), at));
        }
    }

    fn find(&mut self, world: &World, quantity: ColorBy, camera: &Camera, area: Rect, [columns, rows]: [u16; 2]) {
        self.0.clear();
        self.0.resize(usize::from(columns) * usize::from(rows), (Vec2::ZERO, 0.0));
        if let Some(liquid) = world.liquid() {
            let p = liquid.particles();
            for slot in liquid.liquid_slots() {
                let cell = camera.to_cell(p.position(slot)) - Vec2::new(area.x.into(), area.y.into());
                let column = ((cell.x.max(0.0) as u16) / BLOCK[0]).min(columns - 1);
                let row = ((cell.y.max(0.0) as u16) / BLOCK[1]).min(rows - 1);
                let vector = match quantity {
                    ColorBy::Force(force) => liquid.force(force, slot).unwrap_or_default(),
                    _ => p.velocity(slot),
                };
                let sum = &mut self.0[usize::from(row) * usize::from(columns) + usize::from(column)];
                *sum = (sum.0 + vector, sum.1 + 1.0);
            }
        }
        let Some(grid) = world.smoke() else { return };
        for (block, sum) in self.0.iter_mut().enumerate().filter(|(_, (_, count))| *count == 0.0) {
            let cell = center(block, columns);
            let cell = Vec2::new(f32::from(area.x + cell[0]), f32::from(area.y + cell[1])) + 0.5;
            let at = camera.to_world(cell);
            if at.cmpge(Vec2::ZERO).all() && at.cmple(world.size()).all() && world.walls().obstacle(at).is_none() {
                *sum = (grid.velocity(at), 1.0);
            }
        }
    }
}

fn center(block: usize, columns: u16) -> [u16; 2] {
    let columns = usize::from(columns);
    [(block % columns) as u16 * BLOCK[0] + BLOCK[0] / 2, (block / columns) as u16 * BLOCK[1] + BLOCK[1] / 2]
}
