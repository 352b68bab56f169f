//! A cloth as triangles and threads: what of it is drawn, and in which colour.

use crate::cell::color::{Linear, Rgb, mix};
use crate::sim::cloth::{Cloth, Piece, Thread, vector_area};
use crate::view::camera::Camera;
use crate::view::cloth_raster::{Corner, Drapery, lit};
use crate::view::field::Scale;
use crate::view::glyph::texel_block::TEXELS;
use crate::view::{Drive, Look, Weave};
use glam::Vec3;

/// Place on the palette of a cloth that has no colour of its own.
const PLAIN: f32 = 0.55;

/// Threads of a mesh, in texels: how wide they are, and how far apart at the least, so that they can be told apart. Of
/// threads of 1.5 texels glyphs left out every third cell.
const THREAD: f32 = 2.6;
const APART: f32 = 28.0;

/// How much nearer to the viewer threads are than the surface, metres, and what is left of its light where they cross it.
const ABOVE: f32 = 0.004;
const GROOVE: f32 = 0.35;

/// The least width of a sheet seen edge on, in texels, and the radius of what it is pinned by, in its thicknesses.
const EDGE: f32 = 3.0;
const PEG: f32 = 1.7;

/// Draws a cloth into `drapery`. `corners` is memory that is kept.
pub fn draw(
    cloth: &Cloth,
    camera: &Camera,
    look: &Look,
    scale: Scale,
    drapery: &mut Drapery,
    corners: &mut Vec<Corner>,
) {
    corners.clear();
    let own: Option<Linear> =
        cloth.fabric().color.as_ref().and_then(|text| text.parse().ok()).map(|color: Rgb| color.linear());
    for piece in cloth.pieces() {
        corners.extend(piece.nodes().map(|node| {
            let place = cloth.places()[node].as_vec3();
            let area = vector_area(cloth.places(), cloth.links()[node], piece.is_edge_on()).as_vec3();
            // Edge on, its upper side is what the light falls on.
            let normal = if piece.is_edge_on() { upper(area) + 0.5 * area.length() * Vec3::Z } else { area };
            let color = color(cloth, node, own, look, scale);
            // Bare threads have no side that could lie in the shade.
            let bare = look.weave == Weave::Wire && !piece.is_edge_on();
            Corner::new(camera, place, if bare { color } else { lit(color, normal, place.z) })
        }));
    }
    for piece in cloth.pieces() {
        drapery.front = piece.is_edge_on();
        if piece.is_edge_on() {
            draw_edge(cloth, piece, camera, look, drapery, corners);
        } else {
            draw_front(cloth, piece, look.weave, drapery, corners);
        }
    }
}

/// A normal in the picture's plane, turned so that it points up.
fn upper(normal: Vec3) -> Vec3 {
    if normal.y < 0.0 { -normal } else { normal }
}

/// What the cloth's colour stands for.
fn color(cloth: &Cloth, node: usize, own: Option<Linear>, look: &Look, scale: Scale) -> Linear {
    let at = |value: f32| look.palette.at(value.clamp(0.0, 1.0));
    match scale.drive {
        Drive::Density | Drive::Force(_) | Drive::Surface => own.unwrap_or_else(|| at(PLAIN)),
        Drive::Amount => at(PLAIN),
        Drive::Speed => at(cloth.velocities()[node].length() as f32 / scale.full),
        // The tauter the deeper; at the palette's end where it hangs loose.
        Drive::Pressure => at(1.0 - 3.0 * cloth.strain(node) as f32 / cloth.fabric().tear.min(1.0)),
    }
}

/// A sheet seen from the front: its triangles, its threads, and threads and nodes that are left of what is torn.
fn draw_front(cloth: &Cloth, piece: &Piece, weave: Weave, drapery: &mut Drapery, corners: &[Corner]) {
    if weave != Weave::Wire {
        for mesh in cloth.meshes().filter(|mesh| piece.nodes().contains(&mesh[0])) {
            for triangle in cloth.triangles(mesh).into_iter().flatten() {
                drapery.triangle(triangle.map(|node| corners[node]));
            }
        }
    }
    let every = [Thread::Across, Thread::Down].map(|thread| every(piece, thread, corners));
    for row in 0..piece.rows {
        for column in 0..piece.columns {
            let node = piece.node(column, row);
            for (thread, step, (nth, last), every) in [
                (Thread::Across, 1, (row, piece.rows - 1), every[1]),
                (Thread::Down, piece.columns, (column, piece.columns - 1), every[0]),
            ] {
                if !cloth.is_whole(node, thread) {
                    continue;
                }
                let woven = nth % every == 0 || nth == last;
                let loose = !cloth.has_cloth_beside(piece, [column, row], thread);
                if loose || (weave != Weave::Surface && woven) {
                    let groove = if weave == Weave::Both && !loose { GROOVE } else { 1.0 };
                    let dim = |corner: Corner| Corner { color: mix([0.0; 3], corner.color, groove), ..corner };
                    drapery.thread(dim(corners[node]), dim(corners[node + step]), THREAD, ABOVE);
                }
            }
            if cloth.links()[node] == [node as u32; 4] {
                drapery.dot(corners[node], THREAD);
            }
        }
    }
}

/// Which of the threads that follow each other along `thread` are drawn: every nth.
fn every(piece: &Piece, thread: Thread, corners: &[Corner]) -> usize {
    let (first, last, count) = match thread {
        Thread::Down => (piece.node(0, 0), piece.node(0, piece.rows - 1), piece.rows),
        _ => (piece.node(0, 0), piece.node(piece.columns - 1, 0), piece.columns),
    };
    let length = corners[first].at.distance(corners[last].at);
    (APART * (count - 1) as f32 / length.max(1.0)).ceil().clamp(1.0, count as f32) as usize
}

/// A sheet seen edge on: a ribbon as thick as it is, beads where its nodes are, and pegs where it is pinned.
fn draw_edge(cloth: &Cloth, piece: &Piece, camera: &Camera, look: &Look, drapery: &mut Drapery, corners: &[Corner]) {
    let per_metre = camera.scale().x * TEXELS.0 as f32;
    let thick = (2.0 * cloth.fabric().thickness * per_metre).max(EDGE);
    let (width, bead) = match look.weave {
        Weave::Surface => (thick, 0.0),
        Weave::Wire => (THREAD, 0.35 * thick),
        Weave::Both => (0.6 * thick, 0.6 * thick),
    };
    for node in piece.nodes() {
        let corner = corners[node];
        if cloth.is_whole(node, Thread::Across) {
            drapery.thread(corner, corners[node + 1], width, 0.0);
        }
        let loose = cloth.links()[node] == [node as u32; 4];
        if bead > 0.0 || loose {
            drapery.dot(Corner { depth: corner.depth + ABOVE, ..corner }, bead.max(0.5 * THREAD));
        }
    }
    for node in cloth.pinned().filter(|node| piece.nodes().contains(node)) {
        let peg = Corner { color: look.palette.wall, depth: corners[node].depth + 2.0 * ABOVE, ..corners[node] };
        drapery.dot(peg, PEG * 0.5 * thick);
    }
}
