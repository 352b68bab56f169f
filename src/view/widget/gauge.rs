//! A gauge: a tank that fills to a share.

use crate::sim::boundary::region::Region;
use crate::sim::world::definition::TankDef;
use crate::sim::world::definition::WorldDef;
use crate::sim::{Setup, World};
use crate::view::camera::Camera;
use crate::view::widget::text_over_fluid::write;
use crate::view::widget::{Slosh, SloshState};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Alignment, Rect};
use ratatui_core::text::Line;
use ratatui_core::widgets::StatefulWidget;
use std::time::Duration;

/// A gauge's tank, m²: small, so that a stream fills it in two seconds.
const AREA: f32 = 0.5;

/// Particles of a full tank for every cell, and at the least and the most.
const PER_CELL: f32 = 5.0;
const PARTICLES: (f32, f32) = (300.0, 2500.0);

/// A tank that shows a share by how full it is. When the share changes, fluid is poured in or drained out.
///
/// ```
/// use ratatui_core::{buffer::Buffer, layout::Rect, widgets::StatefulWidget};
/// use slosh::view::widget::gauge::{Gauge, GaugeState};
/// use std::time::Duration;
///
/// let mut state = GaugeState::default();
/// let mut buffer = Buffer::empty(Rect::new(0, 0, 30, 8));
/// for frame in 0..60 {
///     Gauge::new(0.6).label("disk 60 %").render(buffer.area, &mut buffer, &mut state);
///     state.advance(Duration::from_millis(33));
/// }
/// assert!((state.level() - 0.6).abs() < 0.02);
/// ```
#[derive(Clone, Debug)]
pub struct Gauge<'a> {
    share: f64,
    label: Line<'a>,
    slosh: Slosh,
}

impl<'a> Gauge<'a> {
    /// `share` is from 0, empty, to 1, full; what is not a number counts as 0.
    pub fn new(share: f64) -> Self {
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        Self { share, label: Line::default(), slosh: Slosh::new() }
    }

    /// A line in the middle.
    pub fn label(mut self, label: impl Into<Line<'a>>) -> Self {
        self.label = label.into();
        self
    }

    /// How the fluid looks.
    pub fn slosh(mut self, slosh: Slosh) -> Self {
        self.slosh = slosh;
        self
    }
}

impl StatefulWidget for Gauge<'_> {
    type State = GaugeState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut GaugeState) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let tank = state.tank_for(area, &self.slosh, self.share as f32);
        tank.world.fill_to(self.share as f32);
        (&self.slosh).render(area, buf, tank);
        if self.label.width() > 0 {
            let middle = Rect { y: area.y + area.height / 2, height: 1, ..area };
            write(self.label.alignment(Alignment::Center), middle, &self.slosh, tank, buf);
        }
    }
}

/// A gauge's tank between frames. It is set up when it is drawn for the first time, with the share that it has then.
#[derive(Clone, Debug, Default)]
pub struct GaugeState {
    tank: Option<SloshState>,
}

impl GaugeState {
    /// Simulates what is due after so much real time, at most a quarter of a second of it.
    pub fn advance(&mut self, elapsed: Duration) {
        if let Some(tank) = &mut self.tank {
            tank.advance(elapsed);
        }
    }

    /// How full the tank is by now, 0 to 1.
    pub fn level(&self) -> f64 {
        let liquid = self.tank.as_ref().and_then(|tank| tank.world().liquid());
        liquid.map_or(0.0, |liquid| f64::from(liquid.particle_area() * liquid.particles().len() as f32 / AREA))
    }

    /// The tank, once it was drawn: for tilting and shaking it, and for a hand in it.
    pub fn tank_mut(&mut self) -> Option<&mut SloshState> {
        self.tank.as_mut()
    }

    fn tank_for(&mut self, area: Rect, slosh: &Slosh, share: f32) -> &mut SloshState {
        // As long as it stands still, nothing is lost by setting it up anew for what it is now to be.
        let fresh = self.tank.take().filter(|tank| tank.world().steps() > 0);
        self.tank.insert(fresh.unwrap_or_else(|| tank(area, slosh, share)))
    }
}

/// A tank that is as full as it is to be, its fluid as fine as this many cells can show.
fn tank(area: Rect, slosh: &Slosh, share: f32) -> SloshState {
    let full = (PER_CELL * area.area() as f32).clamp(PARTICLES.0, PARTICLES.1);
    let aspect = Camera::aspect(area, slosh.cell_pixels);
    // The particles' size comes from how many there are in a region, so an empty tank begins as a full one.
    let height = if share < 0.02 { 1.0 } else { share };
    let scene = WorldDef {
        particles: (full * height) as usize,
        liquid: vec![Region::Box([0.0, 0.0, 1.0, height]).into()],
        tank: TankDef { area: AREA, ..TankDef::default() },
        ..WorldDef::default()
    };
    let setup = Setup { aspect, ..Setup::default() };
    let mut world = World::new(&scene, &setup);
    if share < 0.02 {
        world.empty();
    }
    SloshState::of(world, setup)
}
