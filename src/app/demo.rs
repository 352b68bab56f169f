//! Demos: tanks in which the liquid starts in a shape, in place of a scene. A demo reads no clock but the steps of the world, and
//! plays alike in the toy and in `render`.

pub mod clock;
pub mod glyph_outlines;
mod page_text;
pub mod screen_capture;
pub mod text;
pub mod timer;
pub mod wall_clock;

use crate::app::action::{Action, Window};
use crate::scene::Scene;
use crate::sim::definition::{TankDef, WorldDef};
use crate::sim::liquid::fluid::Fluid;
use crate::sim::particles::Particles;
use crate::sim::{World, WorldOptions};
use crate::view::Decor;
use clock::{ClockDemo, ClockFormat};
use glam::Vec2;
use screen_capture::ScreenCapture;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use text::TextDemo;
use timer::{TimerDemo, TimerSpec};

pub const NOTHING_TO_MELT: &str = "nothing here can melt";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DemoSpec {
    /// The time of day, starting at `now` seconds past midnight.
    Clock {
        format: ClockFormat,
        now: u32,
    },
    Timer(TimerSpec),
    Text(String),
    /// A coloured text as a terminal window shows it; `loops`: it melts again and again.
    ScreenCapture {
        text: String,
        window: Window,
        #[serde(default)]
        loops: bool,
    },
}

impl DemoSpec {
    pub fn build(&self) -> Result<Demo, String> {
        Ok(match self {
            DemoSpec::Clock { format, now } => Demo::Clock(ClockDemo::new(*format, *now)),
            DemoSpec::Timer(spec) => Demo::Timer(TimerDemo::new(*spec)),
            DemoSpec::Text(text) => Demo::Text(TextDemo::from_text(text)?),
            DemoSpec::ScreenCapture { text, window, loops } => {
                Demo::Text(TextDemo::from_capture(ScreenCapture::read(text, *window)?, *loops))
            }
        })
    }

    /// The Action that gives the demo its time in a run without a clock, `since` seconds after the start.
    pub fn time_at(&self, since: f64) -> Option<Action> {
        match self {
            DemoSpec::Clock { now, .. } => Some(Action::SetWallClock(now + since as u32)),
            DemoSpec::Timer(spec) => Some(Action::SetTimeLeft(spec.whole.saturating_sub((1000.0 * since) as u32))),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Demo {
    Clock(ClockDemo),
    Timer(TimerDemo),
    Text(TextDemo),
}

impl Demo {
    /// The scene without the liquid of the shape.
    pub fn scene(&self) -> Scene {
        match self {
            Demo::Clock(_) => lagoon("clock", "every digit is a container"),
            Demo::Timer(_) => lagoon("timer", "the last drop falls on the second"),
            Demo::Text(words) => words.scene(),
        }
    }

    pub fn set(&mut self, definition: &WorldDef, setup: &WorldOptions) -> World {
        match self {
            Demo::Clock(clock) => clock.set(definition, setup),
            Demo::Timer(timer) => timer.set(definition, setup),
            Demo::Text(words) => words.set(definition, setup),
        }
    }

    pub fn decor(&self) -> &Arc<Decor> {
        match self {
            Demo::Clock(clock) => &clock.decor,
            Demo::Timer(timer) => &timer.decor,
            Demo::Text(words) => &words.decor,
        }
    }

    pub fn before_step(&mut self, world: &mut World) {
        match self {
            Demo::Clock(clock) => clock.before_step(world),
            Demo::Timer(timer) => timer.before_step(world),
            Demo::Text(words) => words.before_step(world),
        }
    }

    /// Shows a time of day or the time left. Returns whether the digits of the status row have changed.
    pub fn show_time(&mut self, time: Action) -> bool {
        match (self, time) {
            (Demo::Clock(clock), Action::SetWallClock(seconds)) => clock.set_time(seconds),
            (Demo::Timer(timer), Action::SetTimeLeft(left)) => {
                let before = timer.digits();
                timer.set_time_left(left);
                return timer.digits() != before;
            }
            _ => {}
        }
        false
    }

    /// Melts words or lets them flow back, or shows or hides the time left. Returns a message.
    pub fn toggle(&mut self, world: &mut World) -> &'static str {
        match self {
            Demo::Clock(_) => NOTHING_TO_MELT,
            Demo::Timer(timer) => timer.toggle_digits(),
            Demo::Text(words) => words.toggle(world),
        }
    }

    pub fn text(&mut self) -> Option<&mut TextDemo> {
        if let Demo::Text(words) = self { Some(words) } else { None }
    }

    pub fn timer(&self) -> Option<&TimerDemo> {
        if let Demo::Timer(timer) = self { Some(timer) } else { None }
    }

    pub fn is_molten(&self) -> bool {
        matches!(self, Demo::Text(words) if words.is_molten())
    }

    /// Whether something will happen although the tank is at rest.
    pub fn is_waiting(&self) -> bool {
        match self {
            Demo::Clock(clock) => clock.is_changing(),
            Demo::Timer(_) => true,
            Demo::Text(words) => words.is_waiting(),
        }
    }

    pub fn is_page(&self) -> bool {
        matches!(self, Demo::Text(words) if words.is_page())
    }

    /// The page of a terminal that melts.
    pub fn page(&mut self) -> Option<&mut ScreenCapture> {
        self.text()?.page_mut()
    }
}

/// A scene of soft liquid, which costs half the substeps of water, and looks the same at the depth of a demo.
fn soft_scene(name: &str, about: &str, tank: TankDef) -> Scene {
    let fluid = Fluid { pressure: Fluid::blob().pressure.stiffened(0.5), ..Fluid::blob() };
    let world = WorldDef { tank, fluid, ..WorldDef::default() };
    Scene { name: name.to_owned(), about: about.to_owned(), world, ..Scene::default() }
}

fn lagoon(name: &str, about: &str) -> Scene {
    let mut scene = soft_scene(name, about, TankDef::default());
    (scene.world.fluid_label, scene.world.substeps) = (Some("lagoon".to_owned()), 4);
    scene
}

/// The particles of the slots for which `order` returns a number, in its order.
fn sorted(world: &World, mut order: impl FnMut(&Particles, usize) -> Option<f32>) -> Vec<u32> {
    let Some(liquid) = world.liquid() else { return Vec::new() };
    let p = liquid.particles();
    let mut sorted: Vec<(f32, u32)> = p.alive().filter_map(|slot| Some((order(p, slot)?, p.id[slot]))).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    sorted.into_iter().map(|(_, id)| id).collect()
}

fn carry(world: &mut World, places: impl Iterator<Item = (u32, Vec2)>, velocity: Vec2) {
    let places: BTreeMap<u32, Vec2> = places.collect();
    world.teleport(|id| Some((*places.get(&id)?, velocity)));
}

fn set_targets(world: &mut World, targets: impl IntoIterator<Item = (usize, Option<Vec2>)>) {
    if let Some(all) = world.targets_mut() {
        targets.into_iter().for_each(|(id, target)| all.set(id as u32, target));
    }
}
