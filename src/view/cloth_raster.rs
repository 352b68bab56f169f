//! Cloth in the picture: triangles and threads, drawn texel by texel with a depth, because its edges are sharper than the field's
//! samples. It is drawn into tiles of a cell's texels, which the cell painter lays over the rest of the picture. A sheet seen
//! from the front lies behind the liquid, one seen edge on before it.

use crate::cell::color::{LinearRgb, mix};
use crate::math::direction;
use crate::view::camera::Camera;
use crate::view::glyph::texel_block::{TEXELS, TexelRow};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, mask32x8};
use fearless_simd_macros::simd;
use glam::{Vec2, Vec3};

/// The cloth in one cell, row by row: a triangle is filled in rows.
#[derive(Clone, Debug)]
pub struct ClothTile {
    pub rows: [ClothRow; TEXELS.1],
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct ClothRow {
    pub color: [[f32; TEXELS.0]; 3],
    depth: [f32; TEXELS.0],
}

#[derive(Clone, Copy, Debug)]
pub struct ClothTexel {
    pub color: LinearRgb,
    /// Whether it hides the liquid; otherwise the liquid hides it.
    pub before_liquid: bool,
}

const NO_CLOTH: f32 = f32::NEG_INFINITY;

/// Added to the depth of cloth that hides the liquid, m: no tank is as deep. A row of texels is two cache lines because it needs no
/// other mark.
const BEFORE_LIQUID: f32 = 8.0;

const NO_TILE: u32 = u32::MAX;

impl ClothTile {
    const EMPTY: ClothTile =
        ClothTile { rows: [ClothRow { color: [[0.0; TEXELS.0]; 3], depth: [NO_CLOTH; TEXELS.0] }; TEXELS.1] };

    pub fn texel(&self, x: usize, y: usize) -> Option<ClothTexel> {
        let row = &self.rows[y];
        (row.depth[x] > NO_CLOTH).then(|| ClothTexel {
            color: row.color.map(|channel| channel[x]),
            before_liquid: row.depth[x] > 0.5 * BEFORE_LIQUID,
        })
    }
}

impl ClothRow {
    #[inline(always)]
    pub fn covered<S: Simd>(&self, simd: S) -> mask32x8<S> {
        TexelRow::from_slice(simd, &self.depth).simd_gt(TexelRow::splat(simd, NO_CLOTH))
    }

    /// Returns the mask of the texels in which cloth hides the liquid; elsewhere the liquid hides it.
    #[inline(always)]
    pub fn before_liquid<S: Simd>(&self, simd: S) -> mask32x8<S> {
        TexelRow::from_slice(simd, &self.depth).simd_gt(TexelRow::splat(simd, 0.5 * BEFORE_LIQUID))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    pub at: Vec2,
    pub depth: f32,
    pub color: LinearRgb,
}

impl Vertex {
    pub fn new(camera: &Camera, point: Vec3, color: LinearRgb) -> Self {
        let corner = Vec2::new(f32::from(camera.area().x), f32::from(camera.area().y));
        let at = (camera.to_cell(point.truncate()) - corner) * Vec2::new(TEXELS.0 as f32, TEXELS.1 as f32);
        Self { at, depth: point.z, color }
    }
}

#[derive(Clone, Debug, Default)]
pub struct ClothRaster {
    columns: usize,
    rows: usize,
    cells: Vec<u32>,
    tiles: Vec<ClothTile>,
    used: usize,
    pub before_liquid: bool,
}

impl ClothRaster {
    pub fn resize(&mut self, columns: usize, rows: usize) {
        (self.columns, self.rows, self.used) = (columns, rows, 0);
        self.cells.clear();
        self.cells.resize(columns * rows, NO_TILE);
    }

    #[inline(always)]
    pub fn tile(&self, column: usize, row: usize) -> Option<&ClothTile> {
        self.tiles.get(self.cells[row * self.columns + column] as usize)
    }

    #[inline(always)]
    fn tile_mut(&mut self, cell: usize) -> &mut ClothTile {
        if self.cells[cell] == NO_TILE {
            self.cells[cell] = self.used as u32;
            match self.tiles.get_mut(self.used) {
                Some(tile) => tile.rows.iter_mut().for_each(|row| row.depth = [NO_CLOTH; TEXELS.0]),
                None => self.tiles.push(ClothTile::EMPTY),
            }
            self.used += 1;
        }
        &mut self.tiles[self.cells[cell] as usize]
    }

    /// Draws a triangle wherever nothing is nearer to the viewer. Its vertices may be in either order of rotation.
    pub fn draw_triangle(&mut self, [a, b, c]: [Vertex; 3]) {
        let (ab, ac) = (b.at - a.at, c.at - a.at);
        let area = ab.perp_dot(ac);
        // The gradients solve `g · ab = b − a` and `g · ac = c − a`.
        let per_area = 1.0 / area;
        let (to_b, to_c) = (-per_area * ac.perp(), per_area * ab.perp());
        let gradient = |from: f32, [b, c]: [f32; 2]| Gradient { from, change: (b - from) * to_b + (c - from) * to_c };
        let color = std::array::from_fn(|k| gradient(a.color[k], [b.color[k], c.color[k]]));
        let fill = Fill { from: a.at, depth: gradient(a.depth, [b.depth, c.depth]), color };
        self.fill(&[a.at, b.at, c.at], area, &fill);
    }

    /// Draws a thread `width` texels wide between two vertices, `nearer` metres nearer to the viewer than they are.
    pub fn draw_thread(&mut self, a: Vertex, b: Vertex, width: f32, nearer: f32) {
        let along = b.at - a.at;
        let length = along.length();
        let forward = along / length;
        let aside = 0.5 * width * forward.perp();
        // The ends are square and a quarter of the width long, so that there is no gap where a thread bends.
        let end = 0.25 * width * forward;
        let per_texel = forward / (length + 0.5 * width);
        let gradient = |from: f32, to: f32| Gradient { from, change: (to - from) * per_texel };
        let (p, q) = (a.at - end, b.at + end);
        let color = std::array::from_fn(|k| gradient(a.color[k], b.color[k]));
        let fill = Fill { from: p, depth: gradient(a.depth + nearer, b.depth + nearer), color };
        self.fill(&[p - aside, q - aside, q + aside, p + aside], 2.0 * width * length, &fill);
    }

    /// Draws a disc of `radius` texels, as a polygon.
    pub fn draw_dot(&mut self, center: Vertex, radius: f32) {
        // A polygon of ten sides is nowhere farther than a twentieth of its radius from the circle.
        const SIDES: usize = 10;
        let rim = |nth: usize| center.at + radius * direction(std::f32::consts::TAU * nth as f32 / SIDES as f32);
        let flat = |from: f32| Gradient { from, change: Vec2::ZERO };
        let fill = Fill { from: center.at, depth: flat(center.depth), color: center.color.map(flat) };
        self.fill(&std::array::from_fn::<_, SIDES, _>(rim), radius * radius, &fill);
    }

    /// Fills a convex polygon. The sign of `area` is that of its corners' rotation.
    fn fill<const N: usize>(&mut self, corners: &[Vec2; N], area: f32, fill: &Fill) {
        if area.abs() >= MIN_AREA && area.is_finite() {
            dispatch!(Level::new(), simd => fill_rows(simd, self, corners, area > 0.0, fill));
        }
    }
}

/// Twice the area in texels below which a triangle is seen edge on and left out.
const MIN_AREA: f32 = 1e-2;

#[derive(Clone, Copy, Debug)]
struct Gradient {
    from: f32,
    change: Vec2,
}

#[derive(Clone, Copy, Debug)]
struct Fill {
    from: Vec2,
    depth: Gradient,
    color: [Gradient; 3],
}

/// A side of a polygon as a function of y: `x = at.x + slope (y − at.y)`.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    at: Vec2,
    slope: f32,
    is_left: bool,
}

impl Side {
    /// Returns the side between two corners: the same line whichever comes first, so that neighbours leave no gap.
    #[inline(always)]
    fn new(a: Vec2, b: Vec2, clockwise: bool) -> Self {
        let (upper, lower) = if a.y < b.y { (a, b) } else { (b, a) };
        Self { at: upper, slope: (lower.x - upper.x) / (lower.y - upper.y), is_left: (a.y > b.y) == clockwise }
    }
}

/// Fills a convex polygon row by row: in each row, the texels whose middles lie between its left and right sides.
#[simd]
fn fill_rows<S: Simd, const N: usize>(
    simd: S,
    raster: &mut ClothRaster,
    corners: &[Vec2; N],
    clockwise: bool,
    fill: &Fill,
) {
    let row = |values: &[f32; TEXELS.0]| TexelRow::from_slice(simd, values);
    let middles = row(&std::array::from_fn(|x| x as f32 + 0.5));
    let sides: [Side; N] = std::array::from_fn(|n| Side::new(corners[n], corners[(n + 1) % N], clockwise));
    let (mut top, mut bottom) = (f32::INFINITY, f32::NEG_INFINITY);
    for corner in corners {
        (top, bottom) = (top.min(corner.y), bottom.max(corner.y));
    }
    let (width, height) = (raster.columns * TEXELS.0, raster.rows * TEXELS.1);
    let before = if raster.before_liquid { BEFORE_LIQUID } else { 0.0 };
    // The first row whose middle is not above the polygon, and the first one below it.
    let begin = (top - 0.5).max(0.0).ceil() as usize;
    let end = ((bottom + 0.5).max(0.0).floor() as usize).min(height);
    for y in begin..end {
        let middle = y as f32 + 0.5;
        let (mut left, mut right) = (f32::NEG_INFINITY, f32::INFINITY);
        // A level side bounds no row.
        for side in sides.iter().filter(|side| side.slope.is_finite()) {
            let x = side.at.x + (middle - side.at.y) * side.slope;
            (left, right) = if side.is_left { (left.max(x), right) } else { (left, right.min(x)) };
        }
        if !(left <= right && right > 0.0 && left < width as f32) {
            continue;
        }
        let tiles = left.max(0.0) as usize / TEXELS.0..=(right as usize).min(width - 1) / TEXELS.0;
        let down = middle - fill.from.y;
        let at_row = |gradient: &Gradient| gradient.from + gradient.change.y * down;
        let (depth_here, color_here) = (at_row(&fill.depth) + before, fill.color.each_ref().map(at_row));
        for tile in tiles {
            let x = middles + (tile * TEXELS.0) as f32;
            let within = x.simd_ge(TexelRow::splat(simd, left)) & x.simd_le(TexelRow::splat(simd, right));
            if !within.any_true() {
                continue;
            }
            let x = x - fill.from.x;
            let texels = &mut raster.tile_mut(y / TEXELS.1 * raster.columns + tile).rows[y % TEXELS.1];
            let depth = x * fill.depth.change.x + depth_here;
            let nearest = row(&texels.depth);
            let shown = within & depth.simd_gt(nearest);
            within.select(depth, TexelRow::splat(simd, NO_CLOTH)).max(nearest).store_slice(&mut texels.depth);
            // A blend by 1 and 0: compilers turn a selection that goes back to where it came from into a masked store, which
            // takes five times as long on some processors.
            let (zero, one) = (TexelRow::splat(simd, 0.0), TexelRow::splat(simd, 1.0));
            let new = shown.select(one, zero);
            for ((plane, gradient), here) in texels.color.iter_mut().zip(&fill.color).zip(color_here) {
                let color = x * gradient.change.x + here;
                (color * new + row(plane) * (one - new)).store_slice(plane);
            }
        }
    }
}

/// Direction of the light: from the left, above and the viewer's side. A unit vector, to two digits.
const LIGHT: Vec3 = Vec3::new(-0.48, 0.48, 0.73);

/// The unit vector between the light and the viewer (Blinn's halfway vector), (LIGHT + Z) / |LIGHT + Z|.
const HALFWAY: Vec3 = Vec3::new(-0.258, 0.258, 0.931);

/// Weights of the Blinn–Phong model: ambient light, light from [`LIGHT`], and gloss, with its exponent.
const AMBIENT: f32 = 0.16;
const DIFFUSE: f32 = 1.0;
const GLOSS: f32 = 0.12;
const GLOSS_EXPONENT: i32 = 22;

/// Fraction of the light on the back of a cloth, so that a turned corner is visible.
const BACK_LIGHT: f32 = 0.62;

/// Loss of light per metre of depth in a fold, and the least that is left.
const HOLLOW_SHADE: f32 = 3.5;
const MIN_HOLLOW_LIGHT: f32 = 0.3;

/// Returns the shaded colour of a cloth of `color`, for a normal of any length and a depth towards the viewer in metres.
pub fn shade(color: LinearRgb, normal: Vec3, depth: f32) -> LinearRgb {
    let normal = normal.normalize_or(Vec3::Z);
    let (side, share) = if normal.z < 0.0 { (-normal, BACK_LIGHT) } else { (normal, 1.0) };
    let hollow = (1.0 + HOLLOW_SHADE * depth.min(0.0)).max(MIN_HOLLOW_LIGHT);
    let light = (AMBIENT + DIFFUSE * side.dot(LIGHT).max(0.0)) * share * hollow;
    let gloss = GLOSS * side.dot(HALFWAY).max(0.0).powi(GLOSS_EXPONENT) * share;
    mix(color.map(|part| part * light), [1.0; 3], gloss * light)
}
