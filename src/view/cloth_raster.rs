//! Cloth in the picture: triangles and threads, drawn texel by texel with a depth.
//!
//! A cloth's edges and creases are sharper than the field's samples, so it is no part of the field. It is drawn into
//! tiles of a cell's texels each, kept only for the cells that it touches, which the cell painter lays over the rest of
//! the picture. A sheet seen from the front lies behind the liquid, one seen edge on before it.

use crate::cell::color::{LinearRgb, mix};
use crate::math::direction;
use crate::view::camera::Camera;
use crate::view::glyph::texel_block::{TEXELS, TexelPlane};
use glam::{Vec2, Vec3};

/// The cloth in one cell.
#[derive(Clone, Debug)]
pub struct ClothTile {
    color: [TexelPlane; 3],
    /// Depth towards the viewer, m; [`NO_CLOTH`] where there is none.
    depth: TexelPlane,
    before_liquid: [[bool; TEXELS.0]; TEXELS.1],
}

/// One texel of cloth.
#[derive(Clone, Copy, Debug)]
pub struct ClothTexel {
    /// Its colour with light, linear.
    pub color: LinearRgb,
    /// Whether it hides the liquid; otherwise the liquid hides it.
    pub before_liquid: bool,
}

/// The depth where there is no cloth.
const NO_CLOTH: f32 = f32::NEG_INFINITY;

/// The tile index of a cell without a tile.
const NO_TILE: u32 = u32::MAX;

impl ClothTile {
    const EMPTY: ClothTile = ClothTile {
        color: [[[0.0; TEXELS.0]; TEXELS.1]; 3],
        depth: [[NO_CLOTH; TEXELS.0]; TEXELS.1],
        before_liquid: [[false; TEXELS.0]; TEXELS.1],
    };

    /// Returns the cloth in a texel, if there is any.
    #[inline(always)]
    pub fn texel(&self, x: usize, y: usize) -> Option<ClothTexel> {
        (self.depth[y][x] > NO_CLOTH).then(|| ClothTexel {
            color: [0, 1, 2].map(|channel| self.color[channel][y][x]),
            before_liquid: self.before_liquid[y][x],
        })
    }
}

/// A vertex of a triangle.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// Position, in texels from the upper left of the window.
    pub at: Vec2,
    /// Depth towards the viewer, m.
    pub depth: f32,
    /// Its colour with light, linear.
    pub color: LinearRgb,
}

impl Vertex {
    /// Projects a point in space, m, by the camera.
    pub fn new(camera: &Camera, point: Vec3, color: LinearRgb) -> Self {
        let corner = Vec2::new(f32::from(camera.area().x), f32::from(camera.area().y));
        let at = (camera.to_cell(point.truncate()) - corner) * Vec2::new(TEXELS.0 as f32, TEXELS.1 as f32);
        Self { at, depth: point.z, color }
    }
}

/// The tiles of one frame.
#[derive(Clone, Debug, Default)]
pub struct ClothRaster {
    columns: usize,
    rows: usize,
    /// The tile index of each cell.
    cells: Vec<u32>,
    tiles: Vec<ClothTile>,
    used: usize,
    /// Whether the triangles drawn from now on lie before the liquid.
    pub before_liquid: bool,
}

impl ClothRaster {
    /// Clears everything for a window of `columns` × `rows` cells; the memory is kept.
    pub fn resize(&mut self, columns: usize, rows: usize) {
        (self.columns, self.rows, self.used) = (columns, rows, 0);
        self.cells.clear();
        self.cells.resize(columns * rows, NO_TILE);
    }

    /// Returns the cloth in a cell, if there is any.
    #[inline(always)]
    pub fn tile(&self, column: usize, row: usize) -> Option<&ClothTile> {
        self.tiles.get(self.cells[row * self.columns + column] as usize)
    }

    fn tile_mut(&mut self, cell: usize) -> &mut ClothTile {
        if self.cells[cell] == NO_TILE {
            self.cells[cell] = self.used as u32;
            if self.used == self.tiles.len() {
                self.tiles.push(ClothTile::EMPTY);
            }
            self.tiles[self.used].depth = ClothTile::EMPTY.depth;
            self.used += 1;
        }
        &mut self.tiles[self.cells[cell] as usize]
    }

    /// Draws a triangle wherever nothing is nearer to the viewer. Its vertices may be in either order of rotation.
    ///
    /// A texel's barycentric weights are the areas of the triangles that its centre p makes with two vertices each, over
    /// the whole area: `w_a = (b − p) × (c − p) / (b − a) × (c − a)`. p is inside where none is negative.
    pub fn draw_triangle(&mut self, [a, b, c]: [Vertex; 3]) {
        let area = (b.at - a.at).perp_dot(c.at - a.at);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let within = |texel: f32, count: usize| (texel.max(0.0) as usize).min(count);
        let (width, height) = (self.columns * TEXELS.0, self.rows * TEXELS.1);
        let (low, high) = (a.at.min(b.at).min(c.at), a.at.max(b.at).max(c.at));
        for y in within(low.y, height)..within(high.y + 1.0, height) {
            for x in within(low.x, width)..within(high.x + 1.0, width) {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let weights = [
                    (b.at - p).perp_dot(c.at - p) / area,
                    (c.at - p).perp_dot(a.at - p) / area,
                    (a.at - p).perp_dot(b.at - p) / area,
                ];
                if weights[0] >= 0.0 && weights[1] >= 0.0 && weights[2] >= 0.0 {
                    let sum = |part: fn(&Vertex) -> f32| {
                        part(&a) * weights[0] + part(&b) * weights[1] + part(&c) * weights[2]
                    };
                    let color = [sum(|c| c.color[0]), sum(|c| c.color[1]), sum(|c| c.color[2])];
                    self.put(x, y, sum(|c| c.depth), color);
                }
            }
        }
    }

    #[inline(always)]
    fn put(&mut self, x: usize, y: usize, depth: f32, color: LinearRgb) {
        let before_liquid = self.before_liquid;
        let cell = y / TEXELS.1 * self.columns + x / TEXELS.0;
        let (x, y) = (x % TEXELS.0, y % TEXELS.1);
        let tile = self.tile_mut(cell);
        if depth > tile.depth[y][x] {
            tile.depth[y][x] = depth;
            tile.before_liquid[y][x] = before_liquid;
            (0..3).for_each(|channel| tile.color[channel][y][x] = color[channel]);
        }
    }

    /// Draws a thread `width` texels wide between two vertices, `nearer` metres nearer to the viewer than they are.
    pub fn draw_thread(&mut self, a: Vertex, b: Vertex, width: f32, nearer: f32) {
        let along = b.at - a.at;
        let aside = along.try_normalize().unwrap_or(Vec2::X).perp() * 0.5 * width;
        // The ends are square and a quarter of the width long, so that there is no gap where a thread bends.
        let end = along.try_normalize().unwrap_or_default() * 0.25 * width;
        let vertex = |of: Vertex, at: Vec2| Vertex { at, depth: of.depth + nearer, ..of };
        let (p, q) = (vertex(a, a.at - end - aside), vertex(a, a.at - end + aside));
        let (r, s) = (vertex(b, b.at + end - aside), vertex(b, b.at + end + aside));
        self.draw_triangle([p, q, r]);
        self.draw_triangle([q, s, r]);
    }

    /// Draws a disc of `radius` texels, as a polygon.
    pub fn draw_dot(&mut self, center: Vertex, radius: f32) {
        // A polygon of ten sides is nowhere farther than a twentieth of its radius from the circle.
        const SIDES: usize = 10;
        let rim = |nth: usize| {
            let angle = std::f32::consts::TAU * nth as f32 / SIDES as f32;
            Vertex { at: center.at + radius * direction(angle), ..center }
        };
        (0..SIDES).for_each(|nth| self.draw_triangle([center, rim(nth), rim(nth + 1)]));
    }
}

/// Direction of the light: from the left, above and the viewer's side. A unit vector, to two digits.
const LIGHT: Vec3 = Vec3::new(-0.48, 0.48, 0.73);

/// The unit vector between the light and the viewer (Blinn's halfway vector), (LIGHT + Z) / |LIGHT + Z|.
const HALFWAY: Vec3 = Vec3::new(-0.258, 0.258, 0.931);

/// Weights of the Blinn–Phong model: ambient light, light from [`LIGHT`], and gloss, with its exponent. Chosen by eye
/// for folds that read as cloth: with less ambient light, creases turn black; with more gloss, it looks like foil.
const AMBIENT: f32 = 0.16;
const DIFFUSE: f32 = 1.0;
const GLOSS: f32 = 0.12;
const GLOSS_EXPONENT: i32 = 22;

/// Fraction of the light on the back of a cloth, so that a turned corner is visible.
const BACK_LIGHT: f32 = 0.62;

/// Loss of light per metre of depth in a fold, and the least that is left.
const HOLLOW_SHADE: f32 = 3.5;
const MIN_HOLLOW_LIGHT: f32 = 0.3;

/// Returns the shaded colour of a cloth of `color`, for a normal of any length and a depth towards the viewer in
/// metres.
pub fn shade(color: LinearRgb, normal: Vec3, depth: f32) -> LinearRgb {
    let normal = normal.normalize_or(Vec3::Z);
    let (side, share) = if normal.z < 0.0 { (-normal, BACK_LIGHT) } else { (normal, 1.0) };
    let hollow = (1.0 + HOLLOW_SHADE * depth.min(0.0)).max(MIN_HOLLOW_LIGHT);
    let light = (AMBIENT + DIFFUSE * side.dot(LIGHT).max(0.0)) * share * hollow;
    let gloss = GLOSS * side.dot(HALFWAY).max(0.0).powi(GLOSS_EXPONENT) * share;
    mix(color.map(|part| part * light), [1.0; 3], gloss * light)
}
