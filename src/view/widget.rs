//! The tank as a ratatui widget, on `ratatui-core` alone. [`Slosh`] draws any world, and
//! [`OverFluid`](text_over_fluid::OverFluid) another widget over one.

pub mod text_over_fluid;

use crate::sim::clock::{Clock, STEP};
use crate::sim::definition::WorldDef;
use crate::sim::world::pointer::{Pointer, PointerMode};
use crate::sim::{World, WorldOptions};
use crate::view::camera::{CELL_PIXELS, Camera};
use crate::view::{Background, ColorBy, ColorDepth, GlyphMode, Painter, Palette, RenderStyle};
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::widgets::StatefulWidget;
use std::time::Duration;

/// Draws a tank of fluid into any rectangle. The tank takes on the rectangle's shape.
///
/// ```
/// use ratatui_core::{buffer::Buffer, layout::Rect, widgets::StatefulWidget};
/// use slosh::style::{GlyphMode, find_palette};
/// use slosh::{PointerMode, Scene, Slosh, SloshState, scene};
/// use std::time::Duration;
///
/// let dam = Scene::parse(scene::find("dam").unwrap(), "dam")?;
/// let mut state = SloshState::new(&dam.world);
/// let lava = Slosh::new().palette(find_palette("lava").unwrap().clone()).glyphs(GlyphMode::Half);
///
/// // In your app's loop: draw, and say how much time has passed.
/// let area = Rect::new(0, 0, 40, 12);
/// let mut buffer = Buffer::empty(area);
/// for _frame in 0..3 {
///     (&lava).render(area, &mut buffer, &mut state);
///     state.advance(Duration::from_millis(33));
/// }
/// assert_ne!(buffer[(0, 11)].symbol(), " ", "the dam stands on the left");
/// assert_eq!(buffer[(39, 11)].symbol(), " ", "and has not come far yet");
///
/// // Tilt it, in radians, and the lava runs to the right.
/// state.tilt_to(0.5);
///
/// // A mouse button goes down in column 10, row 8 of the terminal, is dragged and goes up: the lava is carried along.
/// state.press(PointerMode::Push, 10.5, 8.5);
/// state.drag_to(14.5, 8.5);
/// state.advance(Duration::from_millis(33));
/// state.release();
/// # Ok::<(), slosh::DataError>(())
/// ```
#[must_use = "a widget does nothing until it is rendered"]
#[derive(Clone, Debug, PartialEq)]
pub struct Slosh {
    style: RenderStyle,
    cell_pixels: (u16, u16),
}

impl Default for Slosh {
    fn default() -> Self {
        Self { style: RenderStyle::default(), cell_pixels: CELL_PIXELS }
    }
}

impl Slosh {
    /// Creates the widget in the default style, for cells of 8×16 pixels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the whole style at once.
    pub fn style(mut self, style: RenderStyle) -> Self {
        self.style = style;
        self
    }

    /// Sets the glyphs of the picture.
    pub fn glyphs(mut self, glyphs: GlyphMode) -> Self {
        self.style.glyphs = glyphs;
        self
    }

    /// Sets the colours of liquid, foam and walls.
    pub fn palette(mut self, palette: Palette) -> Self {
        self.style.palette = palette;
        self
    }

    /// Sets the quantity that colours represent.
    pub fn color_by(mut self, color_by: ColorBy) -> Self {
        self.style.color_by = color_by;
        self
    }

    /// Sets the number of colours of the terminal.
    pub fn depth(mut self, depth: ColorDepth) -> Self {
        self.style.depth = depth;
        self
    }

    /// Sets the background behind the fluid.
    pub fn background(mut self, background: Background) -> Self {
        self.style.background = background;
        self
    }

    /// Sets width and height of a cell in pixels, which keep circles round; 8×16 by default.
    pub fn cell_pixels(mut self, cell_pixels: (u16, u16)) -> Self {
        self.cell_pixels = cell_pixels;
        self
    }
}

impl StatefulWidget for &Slosh {
    type State = SloshState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut SloshState) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        state.fit(Camera::aspect(area, self.cell_pixels));
        state.painter.paint(&state.world, &self.style, self.cell_pixels, area, buf);
        state.camera = Some(Camera::of(&state.world, area, self.cell_pixels));
    }
}

impl StatefulWidget for Slosh {
    type State = SloshState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut SloshState) {
        (&self).render(area, buf, state);
    }
}

/// A tank, kept from frame to frame.
#[derive(Clone, Debug)]
pub struct SloshState {
    world: World,
    /// Its aspect is that of the window for which the world was built, or to which its walls move.
    setup: WorldOptions,
    /// Whether the world has only been built and tilted, so that it can be built anew for another window.
    is_new: bool,
    clock: Clock,
    painter: Painter,
    camera: Option<Camera>,
    hand: Pointer,
    sheet: Buffer,
}

impl SloshState {
    /// Creates the tank of a scene at its start.
    pub fn new(definition: &WorldDef) -> Self {
        Self::with_setup(definition, WorldOptions::default())
    }

    /// As [`SloshState::new`], with a number of particles, a seed or a first shape of the tank.
    pub fn with_setup(definition: &WorldDef, setup: WorldOptions) -> Self {
        let world = World::new(definition, &setup);
        Self {
            hand: Pointer::new(world.size() / 2.0),
            world,
            setup,
            is_new: true,
            clock: Clock::default(),
            painter: Painter::default(),
            camera: None,
            sheet: Buffer::default(),
        }
    }

    /// Simulates the fixed steps that are due after `elapsed` real time, of which at most a quarter of a second counts.
    pub fn advance(&mut self, elapsed: Duration) {
        for _ in 0..self.clock.advance(elapsed) {
            self.hand.act(&mut self.world, STEP / self.clock.speed());
            self.world.step();
        }
    }

    /// Turns gravity, smoothly, to `angle` radians from straight down; positive is to the right.
    pub fn tilt_to(&mut self, angle: f32) {
        self.world.tilt_to(angle);
    }

    /// Presses a button at a position on the screen: columns and rows of the buffer, with a fraction, as in [`Camera`]. It has no
    /// effect before the tank is drawn for the first time.
    pub fn press(&mut self, grip: PointerMode, column: f32, row: f32) {
        if let Some(at) = self.place(column, row) {
            self.is_new = false;
            self.hand.close(&mut self.world, grip, at);
        }
    }

    /// Moves the pointer to a position on the screen. With the button down it carries the fluid along. Less than half a cell does
    /// not count as a move.
    pub fn drag_to(&mut self, column: f32, row: f32) {
        if let (Some(at), Some(camera)) = (self.place(column, row), &self.camera) {
            self.hand.go_to(&mut self.world, at, 0.5 / camera.scale.x);
        }
    }

    /// Releases the button. A push that was not moved makes the fluid burst.
    pub fn release(&mut self) {
        self.hand.open();
    }

    /// In metres of the tank; `None` before the tank is drawn, or if the position is not finite.
    fn place(&self, column: f32, row: f32) -> Option<Vec2> {
        let at = Vec2::new(column, row);
        self.camera.filter(|_| at.is_finite()).map(|camera| camera.to_world(at))
    }

    /// Returns the world that is shown.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world, for shaking, pouring and its other commands. From then on it is never built anew: if it has not been drawn
    /// yet, it has the shape of its setup, and the walls move to that of the window.
    pub fn world_mut(&mut self) -> &mut World {
        self.is_new = false;
        &mut self.world
    }

    /// Returns the clock, for pausing and for changing the speed.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Returns the camera with which the tank was drawn last. It converts the cell under a pointer to a position in the tank.
    pub fn camera(&self) -> Option<&Camera> {
        self.camera.as_ref()
    }

    /// Gives the tank the shape of the window: at once before the first step, by moving walls afterwards, and in a tank to which
    /// something has been done.
    fn fit(&mut self, aspect: f32) {
        if self.setup.aspect == aspect {
            return;
        }
        self.setup.aspect = aspect;
        if self.is_new && self.world.steps() == 0 {
            let tilt = self.world.tilt_target();
            self.world = World::new(&self.world.definition().clone(), &self.setup);
            self.world.tilt_to(tilt);
        } else {
            self.world.set_aspect(aspect);
        }
    }
}
