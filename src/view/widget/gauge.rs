//! A gauge: a tank whose fill shows a value.

use crate::sim::boundary::region::Region;
use crate::sim::definition::{TankDef, WorldDef};
use crate::sim::{World, WorldOptions};
use crate::view::camera::Camera;
use crate::view::widget::text_over_fluid::write;
use crate::view::widget::{Slosh, SloshState};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Alignment, Rect};
use ratatui_core::text::Line;
use ratatui_core::widgets::StatefulWidget;
use std::time::Duration;

/// The area of a gauge's tank, m²: small, so that a stream fills it in two seconds.
const AREA: f32 = 0.5;

/// Number of particles of a full tank per cell: enough for a smooth surface.
const PARTICLES_PER_CELL: f32 = 5.0;

/// Minimum number of particles of a full tank, so that the content of a small tank still looks liquid; and the maximum,
/// which bounds the cost of a step.
const MIN_PARTICLES: f32 = 300.0;
const MAX_PARTICLES: f32 = 2500.0;

/// Fill below which a tank counts as empty: a region so low holds too few particles to derive their size from.
const MIN_FILL: f32 = 0.02;

/// A tank that shows a value from 0 to 1 by how full it is. When the value changes, fluid is poured in or drained out.
///
#[cfg_attr(doc, doc = include_str!("moving/gauge.md"))]
///
/// ```
/// use ratatui_core::{buffer::Buffer, layout::Rect, widgets::StatefulWidget};
/// use slosh::view::widget::gauge::{FluidGauge, FluidGaugeState};
/// use std::time::Duration;
///
/// let mut state = FluidGaugeState::default();
/// let mut buffer = Buffer::empty(Rect::new(0, 0, 30, 8));
/// for frame in 0..60 {
///     FluidGauge::new(0.6).label("disk 60 %").render(buffer.area, &mut buffer, &mut state);
///     state.advance(Duration::from_millis(33));
/// }
/// assert!((state.level() - 0.6).abs() < 0.02);
/// ```
#[must_use = "a widget does nothing until it is rendered"]
#[derive(Clone, Debug)]
pub struct FluidGauge<'a> {
    fill: f64,
    label: Line<'a>,
    slosh: Slosh,
}

impl<'a> FluidGauge<'a> {
    /// Creates a gauge. `fill` is from 0, empty, to 1, full; a value that is not a number counts as 0.
    pub fn new(fill: f64) -> Self {
        let fill = if fill.is_nan() { 0.0 } else { fill.clamp(0.0, 1.0) };
        Self { fill, label: Line::default(), slosh: Slosh::new() }
    }

    /// Sets a line of text in the middle.
    pub fn label(mut self, label: impl Into<Line<'a>>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the look of the fluid.
    pub fn slosh(mut self, slosh: Slosh) -> Self {
        self.slosh = slosh;
        self
    }
}

impl StatefulWidget for FluidGauge<'_> {
    type State = FluidGaugeState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut FluidGaugeState) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let tank = state.tank_for(area, &self.slosh, self.fill as f32);
        tank.world.set_fill_level(self.fill as f32);
        (&self.slosh).render(area, buf, tank);
        if self.label.width() > 0 {
            let middle = Rect { y: area.y + area.height / 2, height: 1, ..area };
            write(self.label.alignment(Alignment::Center), middle, &self.slosh, tank, buf);
        }
    }
}

/// A gauge's tank, kept from frame to frame. It is created at the first drawing, with the fill of that time.
#[derive(Clone, Debug, Default)]
pub struct FluidGaugeState {
    tank: Option<SloshState>,
}

impl FluidGaugeState {
    /// Simulates the steps that are due after `elapsed` real time, of which at most a quarter of a second counts.
    pub fn advance(&mut self, elapsed: Duration) {
        if let Some(tank) = &mut self.tank {
            tank.advance(elapsed);
        }
    }

    /// Returns the present fill of the tank, 0 to 1.
    pub fn level(&self) -> f64 {
        let liquid = self.tank.as_ref().and_then(|tank| tank.world().liquid());
        liquid.map_or(0.0, |liquid| f64::from(liquid.particle_area() * liquid.particles().len() as f32 / AREA))
    }

    /// Returns the tank, for tilting, shaking and the pointer; `None` before it is drawn.
    pub fn tank_mut(&mut self) -> Option<&mut SloshState> {
        self.tank.as_mut()
    }

    fn tank_for(&mut self, area: Rect, slosh: &Slosh, fill: f32) -> &mut SloshState {
        // Before its first step a tank is set up again for the present fill, which loses nothing.
        let fresh = self.tank.take().filter(|tank| tank.world().steps() > 0);
        self.tank.insert(fresh.unwrap_or_else(|| tank(area, slosh, fill)))
    }
}

/// Creates a tank of a fill from 0 to 1, with as many particles as the cells of `area` can show.
fn tank(area: Rect, slosh: &Slosh, fill: f32) -> SloshState {
    let full = (PARTICLES_PER_CELL * area.area() as f32).clamp(MIN_PARTICLES, MAX_PARTICLES);
    let aspect = Camera::aspect(area, slosh.cell_pixels);
    // The size of particles follows from their number in a region, so an empty tank begins as a full one.
    let height = if fill < MIN_FILL { 1.0 } else { fill };
    let scene = WorldDef {
        particles: (full * height) as usize,
        liquid: vec![Region::Box([0.0, 0.0, 1.0, height]).into()],
        tank: TankDef { area: AREA, ..TankDef::default() },
        ..WorldDef::default()
    };
    let setup = WorldOptions { aspect, ..WorldOptions::default() };
    let mut world = World::new(&scene, &setup);
    if fill < MIN_FILL {
        world.empty();
    }
    SloshState::of(world, setup)
}
