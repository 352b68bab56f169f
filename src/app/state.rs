use crate::app::Options;
use crate::app::action::{TerminalCaps, Window};
use crate::app::auto_particles::AutoCells;
use crate::app::demo::Demo;
use crate::app::error::Error;
use crate::app::feed::Feed;
use crate::app::input::tilt::Tilt;
use crate::app::input::tools::Tools;
use crate::app::saver::Pilot;
use crate::app::saver::fade::{Fade, PaletteTransition};
use crate::app::saver::flash_limiter::FlashLimiter;
use crate::app::tank::Source;
use crate::sim::World;
use crate::sim::clock::Clock;
use crate::sim::world::pointer::Pointer;
use crate::view::{Painter, Palette, RenderStyle};
use glam::Vec2;
use std::collections::BTreeMap;
use std::time::Duration;

pub struct Tank {
    /// Index among the scenes of the options, which have the initial parameters; the world has the present ones.
    pub scene_index: usize,
    pub world: World,
    pub demo: Option<Demo>,
    pub leaving: Duration,
    pub clock: Clock,
    pub source: Source,
    pub failure: Option<Error>,
    pub auto_cells: AutoCells,
    pub feed: Feed,
}

impl Tank {
    pub fn new(options: &mut Options) -> Self {
        let scene_index = options.insert_first_scene();
        let mut demo = options.demo.take();
        Self {
            scene_index,
            world: options.build_world(&options.scene.world, demo.as_mut(), options.window),
            demo,
            leaving: Duration::ZERO,
            clock: Clock::default(),
            source: Source::default(),
            failure: None,
            auto_cells: AutoCells::default(),
            feed: Feed::new(&options.scene),
        }
    }

    pub fn is_here(&self) -> bool {
        matches!(self.source, Source::Here)
    }

    pub fn tilt(&self) -> (f32, f32) {
        match &self.source {
            #[cfg(unix)]
            Source::Remote(remote) => (remote.status.tilt, remote.status.tilt),
            _ => (self.world.tilt(), self.world.tilt_target()),
        }
    }
}

#[derive(Debug)]
pub struct Input {
    pub tilt: Tilt,
    pub pointer: Pointer,
    pub pointer_shown: bool,
    pub tools: Tools,
    pub focused: bool,
}

impl Input {
    pub fn new(pointer: Vec2) -> Self {
        Self {
            tilt: Tilt::default(),
            pointer: Pointer::new(pointer),
            pointer_shown: false,
            tools: Tools::default(),
            focused: true,
        }
    }
}

#[derive(Debug, Default)]
pub struct Picture {
    pub look: RenderStyle,
    pub painter: Painter,
    pub window: Window,
    pub terminal: TerminalCaps,
    pub fade: Option<Fade>,
    pub palette_transition: Option<PaletteTransition>,
    /// Palettes that the user has chosen, by the index of the scene.
    pub chosen_palettes: BTreeMap<usize, Palette>,
    pub stale: bool,
    /// Upper limit on the movement of any particle since the last frame, in samples of the picture.
    pub drift: f32,
    /// As of the last tick.
    pub seen: SeenWorld,
}

/// Changes of the world that need a new frame even if no particle moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenWorld {
    pub walls: u64,
    pub particles: usize,
}

impl Picture {
    pub fn new(options: &Options) -> Self {
        let look = options.look.style(&TerminalCaps::default());
        Self { look, window: options.window, stale: true, ..Self::default() }
    }
}

#[derive(Debug, Default)]
pub struct SaverState {
    pub pilot: Option<Pilot>,
    pub idle_time: Duration,
    pub resting: bool,
    pub flash_limiter: FlashLimiter,
}
