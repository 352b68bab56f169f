//! A tank that shows a value by how full it is: a widget on top of the library.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Alignment, Rect};
use ratatui_core::text::Line;
use ratatui_core::widgets::{StatefulWidget, Widget};
use slosh::OverFluid;
use slosh::sim::WorldOptions;
use slosh::sim::boundary::region::Region;
use slosh::sim::definition::{TankDef, WorldDef};
use slosh::view::camera::{CELL_PIXELS, Camera};
use slosh::{Slosh, SloshState};
use std::time::Duration;

/// The area of the tank, m²: small, so that a stream fills it in two seconds.
const AREA: f32 = 0.5;

/// Particles of a full tank per cell, for a smooth surface; and their limits.
const PARTICLES_PER_CELL: f32 = 5.0;
const PARTICLES: [f32; 2] = [300.0, 2500.0];

/// Fill below which a tank begins full and is emptied: a lower region has too few particles to derive their size from.
const MIN_FILL: f32 = 0.02;

/// Shows a value from 0 to 1. When it changes, fluid is poured in or drained out.
pub struct Gauge<'a> {
    fill: f32,
    label: Line<'a>,
}

impl<'a> Gauge<'a> {
    pub fn new(fill: f64, label: impl Into<Line<'a>>) -> Self {
        let fill = if fill.is_nan() { 0.0 } else { fill.clamp(0.0, 1.0) };
        Self { fill: fill as f32, label: label.into() }
    }
}

impl StatefulWidget for Gauge<'_> {
    type State = GaugeState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut GaugeState) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let tank = state.tank.get_or_insert_with(|| tank(area, self.fill));
        tank.world_mut().set_fill_level(self.fill);
        OverFluid::new(Middle(self.label), Slosh::new()).render(area, buf, tank);
    }
}

/// A line in the middle.
struct Middle<'a>(Line<'a>);

impl Widget for Middle<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let row = Rect { y: area.y + area.height / 2, height: 1, ..area };
        self.0.alignment(Alignment::Center).render(row, buf);
    }
}

/// The tank, kept from frame to frame. It is created at the first drawing, with the fill of that time.
#[derive(Default)]
pub struct GaugeState {
    tank: Option<SloshState>,
}

impl GaugeState {
    /// Simulates the time since the last frame.
    pub fn advance(&mut self, elapsed: Duration) {
        if let Some(tank) = &mut self.tank {
            tank.advance(elapsed);
        }
    }
}

fn tank(area: Rect, fill: f32) -> SloshState {
    let full = (PARTICLES_PER_CELL * area.area() as f32).clamp(PARTICLES[0], PARTICLES[1]);
    let height = if fill < MIN_FILL { 1.0 } else { fill };
    let scene = WorldDef {
        particles: (full * height) as usize,
        liquid: vec![Region::Box([0.0, 0.0, 1.0, height]).into()],
        tank: TankDef { area: AREA, ..TankDef::default() },
        ..WorldDef::default()
    };
    let aspect = Camera::aspect(area, CELL_PIXELS);
    let mut tank = SloshState::with_setup(&scene, WorldOptions { aspect, ..WorldOptions::default() });
    if fill < MIN_FILL {
        tank.world_mut().empty();
    }
    tank
}
