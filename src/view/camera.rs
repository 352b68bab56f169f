//! The camera: from metres in the tank to cells of the screen and back.

use crate::math::direction;
use crate::sim::World;
use glam::Vec2;
use ratatui_core::layout::Rect;

/// Width and height of a cell in pixels where the terminal does not report them: the usual 1:2.
pub const CELL_PIXELS: (u16, u16) = (8, 16);

/// The turn of a tank about its middle, for the picture of one that is turned over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    middle: Vec2,
    /// Cosine and sine of the angle.
    rotor: Vec2,
}

impl Default for Turn {
    fn default() -> Self {
        Self { middle: Vec2::ZERO, rotor: Vec2::X }
    }
}

impl Turn {
    /// The turn that keeps gravity down while flips turn it in the tank.
    pub fn of(world: &World) -> Self {
        Self { middle: world.size() / 2.0, rotor: direction(-world.flipped()) }
    }

    /// The position in the upright picture of a position in the tank, both in metres.
    #[inline(always)]
    pub fn there(&self, world: Vec2) -> Vec2 {
        if self.rotor == Vec2::X { world } else { self.middle + self.direction(world - self.middle) }
    }

    pub fn back(&self, upright: Vec2) -> Vec2 {
        if self.rotor == Vec2::X {
            return upright;
        }
        self.middle + Vec2::new(self.rotor.x, -self.rotor.y).rotate(upright - self.middle)
    }

    #[inline(always)]
    pub fn direction(&self, world: Vec2) -> Vec2 {
        if self.rotor == Vec2::X { world } else { self.rotor.rotate(world) }
    }

    /// The size of the smallest upright rectangle around a turned tank.
    fn extent(&self, tank: Vec2) -> Vec2 {
        let Vec2 { x: cosine, y: sine } = self.rotor.abs();
        Vec2::new(cosine * tank.x + sine * tank.y, sine * tank.x + cosine * tank.y)
    }
}

/// The place of a tank in a rectangle of cells: as large as it fits, centred, its aspect kept. Positions on the screen are in
/// cells with a fraction, in the buffer's coordinates, y down: the middle of the cell in column 3 is at 3.5. Only the camera
/// flips y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The rectangle of cells that the camera fills.
    pub area: Rect,
    corner: Vec2,
    /// Cells per metre, across and down.
    pub scale: Vec2,
    /// Width and height of the tank that is shown, in metres.
    pub tank: Vec2,
    pub(super) turn: Turn,
}

impl Camera {
    /// Creates the camera that shows a tank of `tank` metres in `area`. A cell size of zero counts as 8×16 pixels.
    pub fn new(area: Rect, cell_pixels: (u16, u16), tank: Vec2) -> Self {
        Self::turned(area, cell_pixels, tank, Turn::default())
    }

    /// Creates the camera that shows `world` in `area`: a tank that its scene turns over is turned in the picture.
    pub fn of(world: &World, area: Rect, cell_pixels: (u16, u16)) -> Self {
        Self::turned(area, cell_pixels, world.size(), Turn::of(world))
    }

    fn turned(area: Rect, cell_pixels: (u16, u16), tank: Vec2, turn: Turn) -> Self {
        let cell = pixels(cell_pixels);
        let cells = Vec2::new(f32::from(area.width), f32::from(area.height));
        let window = cells * cell;
        let pixels_per_metre = (window / turn.extent(tank)).min_element();
        let scale = Vec2::splat(pixels_per_metre) / cell;
        let corner = Vec2::new(f32::from(area.x), f32::from(area.y)) + (cells - tank * scale) / 2.0;
        Self { area, corner, scale, tank, turn }
    }

    /// Returns width over height of `area` in pixels: the aspect that a tank must have to fill it.
    pub fn aspect(area: Rect, cell_pixels: (u16, u16)) -> f32 {
        let cell = pixels(cell_pixels);
        cell.x * f32::from(area.width.max(1)) / (cell.y * f32::from(area.height.max(1)))
    }

    /// Returns the cells that the tank takes of that rectangle.
    pub fn visible(&self) -> Rect {
        let (first, last) = (self.corner.floor(), (self.corner + self.tank * self.scale).ceil());
        let [x, y] = [first.x.max(0.0) as u16, first.y.max(0.0) as u16];
        Rect::new(x, y, last.x as u16 - x, last.y as u16 - y).intersection(self.area)
    }

    /// Returns the position in the tank, m, of a position on the screen; both may lie outside.
    pub fn to_world(&self, cell: Vec2) -> Vec2 {
        self.turn.back(self.to_upright(cell))
    }

    /// As [`Camera::to_world`], in a tank that is not turned over.
    pub(super) fn to_upright(self, cell: Vec2) -> Vec2 {
        let from_corner = (cell - self.corner) / self.scale;
        Vec2::new(from_corner.x, self.tank.y - from_corner.y)
    }

    /// Returns the position on the screen of a position in the tank, m.
    pub fn to_cell(&self, world: Vec2) -> Vec2 {
        let world = self.turn.there(world);
        self.corner + Vec2::new(world.x, self.tank.y - world.y) * self.scale
    }
}

fn pixels((width, height): (u16, u16)) -> Vec2 {
    let (width, height) = if width == 0 || height == 0 { CELL_PIXELS } else { (width, height) };
    Vec2::new(f32::from(width), f32::from(height))
}
