//! The geometry and colours of a cloth: its triangles and threads.

use crate::cell::color::{LinearRgb, mix};
use crate::sim::cloth::{Cloth, SheetRange, SpringKind, vector_area};
use crate::view::camera::Camera;
use crate::view::cloth_raster::{ClothRaster, Vertex, shade};
use crate::view::color_scale::ColorScale;
use crate::view::glyph::texel_block::TEXELS;
use crate::view::palette::{distinct, label_color};
use crate::view::render_style::{ClothStyle, ColorBy, RenderStyle};
use glam::Vec3;

/// Palette position of a cloth without a colour of its own: above the middle, where palettes are neither dark nor washed out.
const PLAIN: f32 = 0.55;

/// Width of a mesh's threads, in texels.
const THREAD_WIDTH: f32 = 2.6;

/// Minimum distance of drawn threads, in texels (3½ cells across): nearer ones merge.
const THREAD_DISTANCE: f32 = 28.0;

/// Offset of threads towards the viewer from the surface, m: more than a fold bends within a thread's width.
const THREAD_LIFT: f32 = 0.004;

/// Fraction of the light on a thread on the surface.
const GROOVE_LIGHT: f32 = 0.35;

/// Minimum width of a sheet seen edge on, in texels: thinner ones have gaps, as threads do.
const MIN_EDGE_WIDTH: f32 = 4.0;

const PEG_SIZE: f32 = 1.7;

/// Draws a cloth into `raster`. `vertices` is a buffer that is kept from frame to frame.
pub fn draw(
    cloth: &Cloth,
    camera: &Camera,
    style: &RenderStyle,
    scale: ColorScale,
    raster: &mut ClothRaster,
    vertices: &mut Vec<Vertex>,
) {
    vertices.clear();
    let own = label_color(cloth.definition.label.as_deref());
    let background = style.background.resolve(&style.palette).0;
    for piece in &cloth.topology.sheets {
        vertices.extend(piece.nodes().map(|node| {
            let point = cloth.at[node].as_vec3();
            let area = vector_area(&cloth.at, cloth.topology.neighbors[node], piece.is_edge_on()).as_vec3();
            // Of a sheet that is seen edge on, the light falls on the upper side.
            let upper = if area.y < 0.0 { -area } else { area };
            let normal = if piece.is_edge_on() { upper + 0.5 * area.length() * Vec3::Z } else { area };
            let color = color(cloth, node, own, style, scale);
            // Bare threads have no side that could be in the shade.
            let bare = style.cloth_style == ClothStyle::Wire && !piece.is_edge_on();
            let shaded = if bare { color } else { shade(color, normal, point.z) };
            Vertex::new(camera, point, distinct(shaded, background))
        }));
    }
    for piece in &cloth.topology.sheets {
        raster.before_liquid = piece.is_edge_on();
        if piece.is_edge_on() {
            draw_edge(cloth, piece, camera, style, raster, vertices);
        } else {
            draw_front(cloth, piece, style.cloth_style, raster, vertices);
        }
    }
}

fn color(cloth: &Cloth, node: usize, own: Option<LinearRgb>, style: &RenderStyle, scale: ColorScale) -> LinearRgb {
    let at = |value: f32| style.palette.at(value.clamp(0.0, 1.0));
    match scale.color_by {
        ColorBy::Density | ColorBy::Force(_) | ColorBy::Surface | ColorBy::Temperature => {
            let plain = own.unwrap_or_else(|| at(PLAIN));
            let texture = cloth.definition.node_colors.get(node);
            texture.map_or(plain, |&[r, g, b, opacity]| mix(plain, [r, g, b], opacity))
        }
        ColorBy::Amount => at(PLAIN),
        ColorBy::Speed => at(cloth.velocity[node].length() as f32 / scale.full),
        // Taut cloth has the palette's deep colours, and loose cloth the colour of its light end.
        ColorBy::Pressure => at(1.0 - 3.0 * cloth.strain(node) as f32 / cloth.definition.break_strain.min(1.0)),
    }
}

/// Draws a sheet seen from the front: its triangles, its threads, and the threads and nodes that remain where it is torn.
fn draw_front(cloth: &Cloth, piece: &SheetRange, style: ClothStyle, raster: &mut ClothRaster, vertices: &[Vertex]) {
    if style != ClothStyle::Wire {
        for mesh in cloth.topology.meshes().filter(|mesh| piece.nodes().contains(&mesh[0])) {
            for triangle in cloth.topology.triangles(mesh).into_iter().flatten() {
                raster.draw_triangle(triangle.map(|node| vertices[node]));
            }
        }
    }
    let [every_column, every_row] =
        [SpringKind::Across, SpringKind::Down].map(|thread| stride(piece, thread, vertices));
    for row in 0..piece.rows {
        for column in 0..piece.columns {
            let node = piece.node(column, row);
            for (thread, step, (nth, last), every) in [
                (SpringKind::Across, 1, (row, piece.rows - 1), every_row),
                (SpringKind::Down, piece.columns, (column, piece.columns - 1), every_column),
            ] {
                if !cloth.topology.is_intact(node, thread) {
                    continue;
                }
                let is_drawn = nth % every == 0 || nth == last;
                let loose = !cloth.topology.has_cloth_beside(piece, [column, row], thread);
                if loose || (style != ClothStyle::Surface && is_drawn) {
                    let groove = if style == ClothStyle::Both && !loose { GROOVE_LIGHT } else { 1.0 };
                    let dim = |vertex: Vertex| Vertex { color: mix([0.0; 3], vertex.color, groove), ..vertex };
                    raster.draw_thread(dim(vertices[node]), dim(vertices[node + step]), THREAD_WIDTH, THREAD_LIFT);
                }
            }
            if cloth.topology.neighbors[node] == [node as u32; 4] {
                raster.draw_dot(vertices[node], THREAD_WIDTH);
            }
        }
    }
}

/// Returns the number of threads from one drawn thread to the next, counted along `thread`.
fn stride(piece: &SheetRange, thread: SpringKind, vertices: &[Vertex]) -> usize {
    let (first, last, count) = match thread {
        SpringKind::Down => (piece.node(0, 0), piece.node(0, piece.rows - 1), piece.rows),
        _ => (piece.node(0, 0), piece.node(piece.columns - 1, 0), piece.columns),
    };
    let length = vertices[first].at.distance(vertices[last].at);
    (THREAD_DISTANCE * (count - 1) as f32 / length.max(1.0)).ceil().clamp(1.0, count as f32) as usize
}

/// Draws a sheet seen edge on: a ribbon of its thickness, beads at its nodes, and pegs at its pins.
fn draw_edge(
    cloth: &Cloth,
    piece: &SheetRange,
    camera: &Camera,
    style: &RenderStyle,
    raster: &mut ClothRaster,
    vertices: &[Vertex],
) {
    let per_metre = camera.scale.x * TEXELS.0 as f32;
    let thick = (2.0 * cloth.definition.thickness * per_metre).max(MIN_EDGE_WIDTH);
    let (width, bead) = match style.cloth_style {
        ClothStyle::Surface => (thick, 0.0),
        ClothStyle::Wire => (THREAD_WIDTH, 0.35 * thick),
        ClothStyle::Both => (0.6 * thick, 0.6 * thick),
    };
    for node in piece.nodes() {
        let vertex = vertices[node];
        if cloth.topology.is_intact(node, SpringKind::Across) {
            raster.draw_thread(vertex, vertices[node + 1], width, 0.0);
        }
        let loose = cloth.topology.neighbors[node] == [node as u32; 4];
        if bead > 0.0 || loose {
            raster.draw_dot(Vertex { depth: vertex.depth + THREAD_LIFT, ..vertex }, bead.max(0.5 * THREAD_WIDTH));
        }
    }
    for node in cloth.pinned().filter(|node| piece.nodes().contains(node)) {
        let peg =
            Vertex { color: style.palette.wall, depth: vertices[node].depth + 2.0 * THREAD_LIFT, ..vertices[node] };
        raster.draw_dot(peg, PEG_SIZE * 0.5 * thick);
    }
}
