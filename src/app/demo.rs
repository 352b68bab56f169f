//! Demos: tanks in which the liquid starts in a shape, in place of a scene. A demo reads no clock but the steps of the world, and
//! plays alike in the toy and in `render`.

pub mod clock;
pub mod glyph_outlines;
mod page_text;
pub mod screen_capture;
pub mod text;
pub mod wall_clock;

use crate::app::action::Window;
use crate::cell::color::TerminalColors;
use crate::scene::Scene;
use crate::sim::definition::{TankDef, WorldDef};
use crate::sim::liquid::fluid::Fluid;
use crate::sim::{World, WorldOptions};
use crate::view::{Camera, Decor};
use clock::{ClockDemo, ClockFormat};
use glam::Vec2;
use ratatui::buffer::Buffer;
use screen_capture::{CellColors, ScreenCapture};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use text::TextDemo;

/// The specification of a demo, from which it can be built again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DemoSpec {
    /// The time of day, starting at `now` seconds past midnight.
    Clock { format: ClockFormat, now: u32 },
    /// Words.
    Text(String),
    /// A coloured text as a terminal window shows it.
    ScreenCapture { text: String, window: Window },
}

impl DemoSpec {
    pub fn build(&self) -> Result<Demo, String> {
        Ok(match self {
            DemoSpec::Clock { format, now } => Demo::Clock(ClockDemo::new(*format, *now)),
            DemoSpec::Text(text) => Demo::Text(TextDemo::from_text(text)?),
            DemoSpec::ScreenCapture { text, window } => {
                Demo::Text(TextDemo::from_capture(ScreenCapture::read(text, *window)?))
            }
        })
    }

    pub fn begins(&self) -> Option<u32> {
        if let DemoSpec::Clock { now, .. } = self { Some(*now) } else { None }
    }
}

#[derive(Clone, Debug)]
pub enum Demo {
    Clock(ClockDemo),
    Text(TextDemo),
}

impl Demo {
    /// The scene without the liquid of the shape.
    pub fn scene(&self) -> Scene {
        match self {
            Demo::Clock(_) => ClockDemo::scene(),
            Demo::Text(words) => words.scene(),
        }
    }

    pub fn set(&mut self, definition: &WorldDef, setup: &WorldOptions) -> World {
        match self {
            Demo::Clock(clock) => clock.set(definition, setup),
            Demo::Text(words) => words.set(definition, setup),
        }
    }

    pub fn decor(&self) -> &Arc<Decor> {
        match self {
            Demo::Clock(clock) => clock.decor(),
            Demo::Text(words) => words.decor(),
        }
    }

    /// Whether it is laid out again for every aspect of the window.
    pub fn follows_window(&self) -> bool {
        match self {
            Demo::Clock(_) => true,
            Demo::Text(words) => !words.is_page(),
        }
    }

    pub fn before_step(&mut self, world: &mut World) {
        match self {
            Demo::Clock(clock) => clock.before_step(world),
            Demo::Text(words) => words.before_step(world),
        }
    }

    pub fn set_time(&mut self, seconds: u32) {
        if let Demo::Clock(clock) = self {
            clock.set_time(seconds);
        }
    }

    pub fn text_mut(&mut self) -> Option<&mut TextDemo> {
        match self {
            Demo::Clock(_) => None,
            Demo::Text(words) => Some(words),
        }
    }

    /// Whether something will happen although the tank is at rest.
    pub fn is_waiting(&self) -> bool {
        match self {
            Demo::Clock(clock) => clock.is_changing(),
            Demo::Text(words) => words.is_waiting(),
        }
    }

    pub fn set_terminal_colors(&mut self, colors: &TerminalColors) {
        if let Some(words) = self.text_mut() {
            words.set_terminal_colors(colors);
        }
    }

    pub fn overprint(&mut self, world: &World, camera: &Camera, ink: &CellColors, buf: &mut Buffer) {
        if let Some(page) = self.text_mut().and_then(TextDemo::page_mut) {
            page.overprint(world, camera, ink, buf);
        }
    }
}

/// A scene of soft liquid, which costs half the substeps of water, and looks the same at the depth of a demo.
fn soft_scene(name: &str, about: &str, tank: TankDef) -> Scene {
    let fluid = Fluid { pressure: Fluid::blob().pressure.stiffened(0.5), ..Fluid::blob() };
    let world = WorldDef { tank, fluid, ..WorldDef::default() };
    Scene { name: name.to_owned(), about: about.to_owned(), world }
}

/// Gives particles targets, which hold them, or releases them.
fn set_targets(world: &mut World, targets: impl IntoIterator<Item = (usize, Option<Vec2>)>) {
    if let Some(all) = world.targets_mut() {
        targets.into_iter().for_each(|(id, target)| all.set(id as u32, target));
    }
}
