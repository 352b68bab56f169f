//! The ideal picture: what the cells try to be, one sample of the field for every pixel.
//!
//! The same field, light and shade as [`crate::view::Painter`]'s, with no glyph in between: the reference that the fidelity
//! of every glyph mode is measured against.

use crate::cell::color::{Rgb, mix};
use crate::sim::World;
use crate::view::cell_painter::edge::LIT;
use crate::view::field::Lattice;
use crate::view::raster::{CELL, Image};
use crate::view::shade::{Sample, Shade};
use crate::view::{Backdrop, Camera, Field, Look, Painter, SAMPLES};
use ratatui_core::layout::Rect;

/// Pixels per sample, each way.
const FINE: usize = CELL.0 / SAMPLES.0;

/// Paints `world` as it would be in `area`, at 8×16 pixels a cell in full colour. `cell_pixels` are what the terminal
/// says of its cells, as for [`Painter::paint`].
pub fn ideal(world: &World, look: &Look, cell_pixels: (u16, u16), area: Rect) -> Image {
    let mut image = Image::new(usize::from(area.width) * CELL.0, usize::from(area.height) * CELL.1);
    if area.is_empty() {
        return image;
    }
    let camera = Camera::new(area, cell_pixels, world.size());
    let look = &look.legible();
    let mut painter = Painter::default();
    painter.sample(world, look, &camera);
    painter.light.shine(&painter.field, &painter.backdrop, &Lattice::of(&camera, 1), world.gravity());
    let (mut field, mut backdrop) = (Field::default(), Backdrop::default());
    field.lay(&camera, FINE);
    field.splat(world, &camera, look);
    backdrop.update(world.walls(), &camera, &field);
    field.compensate(&backdrop);
    let (ground, wall) = (look.background.resolve(&look.palette).0.linear(), look.palette.wall);
    let shade = Shade::new(&look.palette, field.palettes, field.reach);
    for y in 0..image.height {
        for x in 0..image.width {
            let here = (y + 1) * field.stride + x + 1;
            let share = |distance: f32| (0.5 + distance * FINE as f32).clamp(0.0, 1.0);
            let free = share(backdrop.free[here]);
            let solid = (1.0 - free) * share(backdrop.rim[here]);
            let wet = free * share(shade.depth(field.cover[here]));
            // The middle of the pixel, in samples of the painter's own field.
            let place = |pixel: usize| (pixel as f32 + 0.5) / FINE as f32 + 0.5;
            let sample = sample(&field, here, painter.light.at(place(x), place(y)));
            let (liquid, outside) = (shade.liquid(sample), (1.0 - wet - solid).max(0.0));
            let ground = field.haze.over(ground, here);
            let mixed = [0, 1, 2].map(|c| ground[c] * outside + liquid[c] * wet + wall[c] * solid);
            let cloth = painter.drapery.tile(x / CELL.0, y / CELL.1).map(|tile| {
                let (x, y) = (x % CELL.0, y % CELL.1);
                (tile.color(x, y), tile.at(x, y))
            });
            let mixed = match cloth {
                Some((color, (true, true))) => mix(color, wall, solid),
                Some((color, (true, false))) => [0, 1, 2].map(|c| mixed[c] + (color[c] - ground[c]) * outside),
                _ => mixed,
            };
            let body = if field.bodies.is_empty() { 0.0 } else { 1.0 - share(field.bodies.free[here]) };
            let lit = LIT + (1.0 - LIT) * sample.light;
            let over = [0, 1, 2].map(|c| {
                let own = if body > 0.0 { field.bodies.color[c][here] * lit } else { 0.0 };
                mixed[c] * (1.0 - body) + own * body
            });
            image.put(x, y, Rgb::from_linear(over));
        }
    }
    image
}

fn sample(field: &Field, here: usize, light: f32) -> Sample {
    let cover = field.cover[here];
    let share = 1.0 / cover.max(1e-6);
    let (drive, foam) = ((field.drive[here] * share).min(1.0), (field.foam[here] * share).min(1.0));
    Sample { cover, drive, foam, light, tint: field.tint(here, cover) }
}
