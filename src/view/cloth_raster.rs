//! Cloth in the picture: triangles and threads, drawn texel by texel with a depth.
//!
//! A cloth's edges and creases are sharper than the field's samples, so it is not part of the field: it is drawn into
//! tiles of a cell's texels each, kept only for the cells that it touches, and the brush lays them over what is there.
//! A sheet seen from the front lies behind the liquid, one seen edge on before it.

use crate::cell::color::{Linear, mix};
use crate::view::camera::Camera;
use crate::view::glyph::texel_block::{Plane, TEXELS};
use glam::{Vec2, Vec3};

/// The cloth in one cell.
#[derive(Clone, Debug)]
pub struct Tile {
    pub color: [Plane; 3],
    /// Towards the viewer, metres; [`NOTHING`] where there is no cloth.
    depth: Plane,
    front: [[bool; TEXELS.0]; TEXELS.1],
}

/// The depth where there is no cloth.
const NOTHING: f32 = f32::NEG_INFINITY;

/// No tile.
const BARE: u32 = u32::MAX;

impl Tile {
    const EMPTY: Tile = Tile {
        color: [[[0.0; TEXELS.0]; TEXELS.1]; 3],
        depth: [[NOTHING; TEXELS.0]; TEXELS.1],
        front: [[false; TEXELS.0]; TEXELS.1],
    };

    /// Whether there is cloth in a texel, and whether it lies before the liquid.
    #[inline(always)]
    pub fn at(&self, x: usize, y: usize) -> (bool, bool) {
        let there = self.depth[y][x] > NOTHING;
        (there, there && self.front[y][x])
    }

    pub fn color(&self, x: usize, y: usize) -> Linear {
        [0, 1, 2].map(|channel| self.color[channel][y][x])
    }
}

/// A corner of a triangle.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// In texels from the upper left of the window.
    pub at: Vec2,
    /// Towards the viewer, metres.
    pub depth: f32,
    pub color: Linear,
}

impl Corner {
    /// Where a place in space is on the screen.
    pub fn new(camera: &Camera, place: Vec3, color: Linear) -> Self {
        let corner = Vec2::new(f32::from(camera.area().x), f32::from(camera.area().y));
        let at = (camera.to_cell(place.truncate()) - corner) * Vec2::new(TEXELS.0 as f32, TEXELS.1 as f32);
        Self { at, depth: place.z, color }
    }
}

/// The tiles of one frame.
#[derive(Clone, Debug, Default)]
pub struct Drapery {
    columns: usize,
    rows: usize,
    /// Which tile each cell has.
    cells: Vec<u32>,
    tiles: Vec<Tile>,
    used: usize,
    /// What is drawn lies before the liquid.
    pub front: bool,
}

impl Drapery {
    /// Clears everything for a window of so many cells; the memory is kept.
    pub fn lay(&mut self, columns: usize, rows: usize) {
        (self.columns, self.rows, self.used) = (columns, rows, 0);
        self.cells.clear();
        self.cells.resize(columns * rows, BARE);
    }

    /// The cloth in a cell, if there is any.
    #[inline(always)]
    pub fn tile(&self, column: usize, row: usize) -> Option<&Tile> {
        self.tiles.get(self.cells[row * self.columns + column] as usize)
    }

    fn tile_mut(&mut self, cell: usize) -> &mut Tile {
        if self.cells[cell] == BARE {
            self.cells[cell] = self.used as u32;
            if self.used == self.tiles.len() {
                self.tiles.push(Tile::EMPTY);
            }
            self.tiles[self.used].depth = Tile::EMPTY.depth;
            self.used += 1;
        }
        &mut self.tiles[self.cells[cell] as usize]
    }

    /// Draws a triangle wherever nothing is nearer to the viewer. Corners of either sense of rotation will do.
    pub fn triangle(&mut self, [a, b, c]: [Corner; 3]) {
        let area = (b.at - a.at).perp_dot(c.at - a.at);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let (low, high) = (a.at.min(b.at).min(c.at), a.at.max(b.at).max(c.at));
        let (first, last) = (self.within(low.y, self.rows * TEXELS.1), self.within(high.y + 1.0, self.rows * TEXELS.1));
        for y in first..last {
            let at = |x: usize| Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let width = self.columns * TEXELS.0;
            for x in self.within(low.x, width)..self.within(high.x + 1.0, width) {
                let p = at(x);
                let weights = [
                    (b.at - p).perp_dot(c.at - p) / area,
                    (c.at - p).perp_dot(a.at - p) / area,
                    (a.at - p).perp_dot(b.at - p) / area,
                ];
                if weights[0] >= 0.0 && weights[1] >= 0.0 && weights[2] >= 0.0 {
                    let sum = |part: fn(&Corner) -> f32| {
                        part(&a) * weights[0] + part(&b) * weights[1] + part(&c) * weights[2]
                    };
                    let color = [sum(|c| c.color[0]), sum(|c| c.color[1]), sum(|c| c.color[2])];
                    self.put(x, y, sum(|c| c.depth), color);
                }
            }
        }
    }

    fn within(&self, texel: f32, count: usize) -> usize {
        (texel.max(0.0) as usize).min(count)
    }

    #[inline(always)]
    fn put(&mut self, x: usize, y: usize, depth: f32, color: Linear) {
        let front = self.front;
        let cell = y / TEXELS.1 * self.columns + x / TEXELS.0;
        let (x, y) = (x % TEXELS.0, y % TEXELS.1);
        let tile = self.tile_mut(cell);
        if depth > tile.depth[y][x] {
            tile.depth[y][x] = depth;
            tile.front[y][x] = front;
            (0..3).for_each(|channel| tile.color[channel][y][x] = color[channel]);
        }
    }

    /// Draws a thread `width` texels wide between two places, so much nearer to the viewer than they are.
    pub fn thread(&mut self, a: Corner, b: Corner, width: f32, nearer: f32) {
        let along = b.at - a.at;
        let aside = along.try_normalize().unwrap_or(Vec2::X).perp() * 0.5 * width;
        // Square ends: no gap where a thread bends.
        let end = along.try_normalize().unwrap_or_default() * 0.25 * width;
        let corner = |of: Corner, at: Vec2| Corner { at, depth: of.depth + nearer, ..of };
        let (p, q) = (corner(a, a.at - end - aside), corner(a, a.at - end + aside));
        let (r, s) = (corner(b, b.at + end - aside), corner(b, b.at + end + aside));
        self.triangle([p, q, r]);
        self.triangle([q, s, r]);
    }

    /// Draws a disc.
    pub fn dot(&mut self, middle: Corner, radius: f32) {
        const SIDES: usize = 10;
        let rim = |nth: usize| {
            let angle = std::f32::consts::TAU * nth as f32 / SIDES as f32;
            Corner { at: middle.at + radius * Vec2::from_angle(angle), ..middle }
        };
        (0..SIDES).for_each(|nth| self.triangle([middle, rim(nth), rim(nth + 1)]));
    }
}

/// Where the light comes from: from the left, from above and from where the viewer is.
const LIGHT: Vec3 = Vec3::new(-0.48, 0.48, 0.73);

/// Between the light and the viewer.
const HALFWAY: Vec3 = Vec3::new(-0.258, 0.258, 0.931);

/// Light that comes from everywhere, light that comes from [`LIGHT`], and the gloss of the cloth.
const AMBIENT: f32 = 0.16;
const DIFFUSE: f32 = 1.0;
const GLOSS: (f32, i32) = (0.12, 22);

/// How much darker the back of a cloth is, and how much darker a fold is for every metre that it lies further back.
const BACK: f32 = 0.62;
const HOLLOW: f32 = 3.5;

/// The colour of a cloth of `color` with this normal, of any length, at a depth in metres.
pub fn lit(color: Linear, normal: Vec3, depth: f32) -> Linear {
    let normal = normal.normalize_or(Vec3::Z);
    let (side, share) = if normal.z < 0.0 { (-normal, BACK) } else { (normal, 1.0) };
    let hollow = (1.0 + HOLLOW * depth.min(0.0)).max(0.3);
    let light = (AMBIENT + DIFFUSE * side.dot(LIGHT).max(0.0)) * share * hollow;
    let gloss = GLOSS.0 * side.dot(HALFWAY).max(0.0).powi(GLOSS.1) * share;
    mix(color.map(|part| part * light), [1.0; 3], gloss * light)
}
