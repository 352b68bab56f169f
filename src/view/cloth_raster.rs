//! Cloth in the picture: triangles and threads, drawn texel by texel with a depth, because its edges are sharper than the field's
//! samples. It is drawn into tiles of a cell's texels, which the cell painter lays over the rest of the picture. A sheet seen
//! from the front lies behind the liquid, one seen edge on before it.

use crate::cell::color::{LinearRgb, mix};
use crate::math::direction;
use crate::view::camera::Camera;
use crate::view::glyph::texel_block::{TEXELS, TexelRow};
use crate::view::grid_layout::LANES;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, i32x8, mask32x8};
use fearless_simd_macros::simd;
use glam::{Vec2, Vec3};

/// The cloth in one cell, row by row: a triangle is filled in rows.
pub type ClothTile = [ClothRow; TEXELS.1];

/// A row of texels in one cache line: most of the time of a curtain's picture is the way of its texels to memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct ClothRow {
    /// The upper half of a word: the depth, 0 without cloth; so the nearer of two words is the larger. The lower half: blue.
    depth_and_blue: [i32; TEXELS.0],
    /// Red in the upper half of a word, green in the lower.
    red_and_green: [i32; TEXELS.0],
}

/// The depth of the farthest texel, m: no tank is as deep.
const FARTHEST: f32 = -8.0;

/// Added to the depth of cloth that hides the liquid, m.
const BEFORE_LIQUID: f32 = 16.0;

/// Steps of depth a metre: a quarter of the lift of threads, or less.
const DEPTH_STEPS: f32 = MAX_DEPTH / 32.0;
const MAX_DEPTH: f32 = 32_767.0;

/// Words of the depth that hides the liquid are larger.
const LEAST_BEFORE: i32 = ((0.5 * BEFORE_LIQUID - FARTHEST) * DEPTH_STEPS) as i32 * HALF_WORD;

/// Steps of a colour's linear light, which gloss makes brighter than 1, to twice that.
const COLOR_STEPS: f32 = 32_767.0;

/// Limits of the steps of depth, red, green and blue.
const MIN_STEPS: [f32; 4] = [1.0, 0.0, 0.0, 0.0];
const MAX_STEPS: [f32; 4] = [MAX_DEPTH, 65_535.0, 65_535.0, 65_535.0];

/// A step of the upper half of a word.
const HALF_WORD: i32 = 1 << 16;
const LOWER_HALF: i32 = HALF_WORD - 1;

const NO_TILE: u32 = u32::MAX;

const EMPTY_ROW: ClothRow = ClothRow { depth_and_blue: [0; TEXELS.0], red_and_green: [0; TEXELS.0] };

impl ClothRow {
    /// The colour of the cloth, and whether it hides the liquid; otherwise the liquid hides it.
    pub fn texel(&self, x: usize) -> Option<(LinearRgb, bool)> {
        let (near, color) = (self.depth_and_blue[x], self.red_and_green[x]);
        let color = [color >> 16, color, near].map(|part| (part & LOWER_HALF) as f32 / COLOR_STEPS);
        (near >= HALF_WORD).then_some((color, near > LEAST_BEFORE))
    }

    #[inline(always)]
    pub fn colors<S: Simd>(&self, simd: S) -> [TexelRow<S>; 3] {
        let (near, color) = (words(simd, &self.depth_and_blue), words(simd, &self.red_and_green));
        [color >> 16, color, near].map(
            #[inline(always)]
            |part| (part & LOWER_HALF).to_float::<TexelRow<S>>() * (1.0 / COLOR_STEPS),
        )
    }

    #[inline(always)]
    pub fn covered<S: Simd>(&self, simd: S) -> mask32x8<S> {
        words(simd, &self.depth_and_blue).simd_ge(i32x8::splat(simd, HALF_WORD))
    }

    /// Returns the mask of the texels in which cloth hides the liquid; elsewhere the liquid hides it.
    #[inline(always)]
    pub fn before_liquid<S: Simd>(&self, simd: S) -> mask32x8<S> {
        words(simd, &self.depth_and_blue).simd_gt(i32x8::splat(simd, LEAST_BEFORE))
    }
}

#[inline(always)]
fn words<S: Simd>(simd: S, words: &[i32; TEXELS.0]) -> i32x8<S> {
    i32x8::from_slice(simd, words)
}

#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    pub at: Vec2,
    pub depth: f32,
    pub color: LinearRgb,
}

impl Vertex {
    pub fn new(camera: &Camera, point: Vec3, color: LinearRgb) -> Self {
        let corner = Vec2::new(f32::from(camera.area.x), f32::from(camera.area.y));
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
                Some(tile) => tile.iter_mut().for_each(|row| row.depth_and_blue = [0; TEXELS.0]),
                None => self.tiles.push([EMPTY_ROW; TEXELS.1]),
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

impl Gradient {
    #[inline(always)]
    fn scaled(self, factor: f32) -> Self {
        Self { from: factor * self.from, change: factor * self.change }
    }
}

struct Fill {
    from: Vec2,
    depth: Gradient,
    color: [Gradient; 3],
}

/// A side of a polygon as a function of y: `x = at.x + slope (y − at.y)`.
struct Side {
    at: Vec2,
    slope: f32,
    is_left: bool,
}

impl Side {
    /// A side that bounds no row.
    const LEVEL: Self = Self { at: Vec2::new(f32::NEG_INFINITY, 0.0), slope: 0.0, is_left: true };

    /// Returns the side between two corners: the same line whichever comes first, so that neighbours leave no gap.
    #[inline(always)]
    fn new(a: Vec2, b: Vec2, clockwise: bool) -> Self {
        let (upper, lower) = if a.y < b.y { (a, b) } else { (b, a) };
        let slope = (lower.x - upper.x) / (lower.y - upper.y);
        if slope.is_finite() { Self { at: upper, slope, is_left: (a.y > b.y) == clockwise } } else { Self::LEVEL }
    }
}

/// Fills a convex polygon row by row: in each row, the texels whose middles lie between its left and right sides. What depends on
/// the row alone is found for eight rows at once.
#[simd]
fn fill_rows<S: Simd, const N: usize>(
    simd: S,
    raster: &mut ClothRaster,
    corners: &[Vec2; N],
    clockwise: bool,
    fill: &Fill,
) {
    let eight = |value: f32| TexelRow::splat(simd, value);
    let middles = TexelRow::from_slice(simd, &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]);
    let sides: [Side; N] = std::array::from_fn(|n| Side::new(corners[n], corners[(n + 1) % N], clockwise));
    let (mut top, mut bottom) = (f32::INFINITY, f32::NEG_INFINITY);
    for corner in corners {
        (top, bottom) = (top.min(corner.y), bottom.max(corner.y));
    }
    let (width, height) = (raster.columns * TEXELS.0, raster.rows * TEXELS.1);
    let before = if raster.before_liquid { BEFORE_LIQUID } else { 0.0 };
    let [red, green, blue] = fill.color.map(|gradient| gradient.scaled(COLOR_STEPS));
    let depth = Gradient { from: fill.depth.from + (before - FARTHEST), ..fill.depth }.scaled(DEPTH_STEPS);
    let gradients = [depth, red, green, blue];
    // The first row whose middle is not above the polygon, and the first one below it.
    let begin = (top - 0.5).max(0.0).ceil() as usize;
    let end = ((bottom + 0.5).max(0.0).floor() as usize).min(height);
    for first in (begin..end).step_by(LANES) {
        let y = middles + first as f32;
        let (mut left, mut right) = (eight(f32::NEG_INFINITY), eight(f32::INFINITY));
        for side in &sides {
            let x = (y - side.at.y) * side.slope + side.at.x;
            (left, right) = if side.is_left { (left.max(x), right) } else { (left, right.min(x)) };
        }
        let (left, right): ([f32; LANES], [f32; LANES]) = (left.into(), right.into());
        let down = y - fill.from.y;
        let mut starts = [[0.0; LANES]; 4];
        for (start, gradient) in starts.iter_mut().zip(&gradients) {
            (down * gradient.change.y + gradient.from).store_slice(start);
        }
        for (row, y) in (first..end.min(first + LANES)).enumerate() {
            let (left, right) = (left[row], right[row]);
            if !(left <= right && right > 0.0 && left < width as f32) {
                continue;
            }
            for tile in left.max(0.0) as usize / TEXELS.0..=(right as usize).min(width - 1) / TEXELS.0 {
                let x = middles + (tile * TEXELS.0) as f32;
                let within = x.simd_ge(eight(left)) & x.simd_le(eight(right));
                if !within.any_true() {
                    continue;
                }
                let x = x - fill.from.x;
                let mut steps = [i32x8::splat(simd, 0); 4];
                for (plane, steps) in steps.iter_mut().enumerate() {
                    let value = x * gradients[plane].change.x + starts[plane][row];
                    *steps = value.max(eight(MIN_STEPS[plane])).min(eight(MAX_STEPS[plane])).to_int();
                }
                let [depth, red, green, blue] = steps;
                let texels = &mut raster.tile_mut(y / TEXELS.1 * raster.columns + tile)[y % TEXELS.1];
                let (nearest, below) = (words(simd, &texels.depth_and_blue), words(simd, &texels.red_and_green));
                let zero = i32x8::splat(simd, 0);
                let near = within.select((depth << 16) | blue, zero).max(nearest);
                // A sum: compilers turn a selection that goes back to where it came from into a masked store, which takes five
                // times as long on some processors.
                let change = near.simd_gt(nearest).select(((red << 16) | green) - below, zero);
                (below + change).store_slice(&mut texels.red_and_green);
                near.store_slice(&mut texels.depth_and_blue);
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
