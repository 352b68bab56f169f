//! The reference image: the picture that cells approximate, one sample of the field for every pixel, with the same light and
//! shading. The fidelity of every glyph mode is measured against it.

use crate::cell::color::{Rgb, mix};
use crate::cell::glyph_shape::CELL;
use crate::sim::World;
use crate::view::camera::Camera;
use crate::view::cell_painter::edge::MIN_BODY_LIGHT;
use crate::view::decor::Decor;
use crate::view::grid_layout::{LANES, SAMPLES};
use crate::view::image::Image;
use crate::view::layers::Layers;
use crate::view::render_style::RenderStyle;
use crate::view::sample::Lit;
use crate::view::shade::Shade;
use ratatui_core::layout::Rect;

const OVERSAMPLING: usize = CELL.0 / SAMPLES.0;

/// Paints `world` in `area`, at 8×16 pixels a cell in full colour. `cell_pixels` is the size of a cell in the terminal, as for
/// `Painter::paint`.
pub fn paint_reference(
    world: &World,
    decor: Option<&Decor>,
    style: &RenderStyle,
    cell_pixels: (u16, u16),
    area: Rect,
) -> Image {
    let mut image = Image::new(usize::from(area.width) * CELL.0, usize::from(area.height) * CELL.1);
    if area.is_empty() {
        return image;
    }
    let camera = Camera::of(world, area, cell_pixels);
    let style = &style.legible();
    let plain = Decor::default();
    let decor = decor.unwrap_or(&plain);
    // Light and cloth have the resolution of the cells; only the field is finer.
    let mut layers = Layers::default();
    layers.sample(world, decor, style, &camera, 1);
    layers.illuminate(world, style);
    let mut fine = Layers::default();
    fine.sample(world, decor, style, &camera, OVERSAMPLING);
    layers.light.shade_air(&mut fine.field, style);
    layers.air_pockets.fill(&mut fine.field);
    let Layers { field, walls, whitewater, .. } = fine;
    let wall = style.palette.wall;
    let shade = Shade::new(style, &field);
    for y in 0..image.height {
        let background = style.background_of_row(y / CELL.1, area.height.into()).0.linear();
        let (mut lit, mut bodies) = ([Lit::default(); LANES], [[0.0; LANES]; 3]);
        for x in 0..image.width {
            let here = field.grid.index(x + 1, y + 1);
            // The middle of a pixel, in samples of the ordinary density.
            let place = |x: usize| [x, y].map(|pixel| field.grid.in_ordinary(pixel + 1));
            let lane = x % LANES;
            if lane == 0 {
                lit = std::array::from_fn(|lane| layers.light.at(place(x + lane)[0], place(x + lane)[1]));
                bodies = shade.bodies_at(std::array::from_fn(|lane| here + lane), lit);
            }
            let inside = |distance: f32| (0.5 + distance * OVERSAMPLING as f32).clamp(0.0, 1.0);
            let free = inside(walls.distance[here]);
            let solid = (1.0 - free) * inside(walls.rim[here]);
            let wet = free * inside(shade.depth(field.coverage[here]));
            let glow = layers.light.glow.on_wall(&layers.light, place(x)[0], place(x)[1]);
            let light = walls.shade[here] * (1.0 - walls.wetness * field.coverage[here].clamp(0.0, 1.0));
            let wall = [0, 1, 2].map(|c| (wall[c] * light + glow[c]).min(1.0));
            let (coverage, light) = (field.coverage[here], lit[lane].light);
            let rim = shade.rim(field.phase_fractions(here));
            let liquid = mix(bodies.map(|channel| channel[lane]), rim, shade.line(coverage, light));
            let outside = (1.0 - wet - solid).max(0.0);
            let liquid = match field.own_color_at(here) {
                Some((own, fraction)) => shade.dyed(liquid, own, fraction, light),
                None => liquid,
            };
            let behind = field.smoke.over(background, here);
            let mixed = [0, 1, 2].map(|c| behind[c] * outside + liquid[c] * wet + wall[c] * solid);
            let mixed = mix(whitewater.over(mixed, here), mixed, solid);
            let cloth = layers.cloth.tile(x / CELL.0, y / CELL.1);
            let mixed = match cloth.and_then(|tile| tile[y % CELL.1].texel(x % CELL.0)) {
                Some((color, true)) => mix(color, wall, solid),
                Some((color, false)) => [0, 1, 2].map(|c| mixed[c] + (color[c] - behind[c]) * outside),
                None => mixed,
            };
            let body = if field.bodies.is_empty() { 0.0 } else { 1.0 - inside(field.bodies.distance[here]) };
            let lit = MIN_BODY_LIGHT + (1.0 - MIN_BODY_LIGHT) * light;
            let over = [0, 1, 2].map(|c| {
                let own = if body > 0.0 { field.bodies.color[c][here] * lit } else { 0.0 };
                mixed[c] * (1.0 - body) + own * body
            });
            image.put(x, y, Rgb::from_linear(over));
        }
    }
    image
}
