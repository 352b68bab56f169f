//! With what the app starts, and the tanks that follow from it.

use crate::app::action::Window;
use crate::app::action::keymap::Keymap;
use crate::app::auto_particles::Fineness;
use crate::app::demo::Act;
use crate::app::demo::wall_clock::Dial;
use crate::app::saver::Dismissal;
use crate::app::threads;
use crate::cli::settings::{Ground, Settings};
use crate::scene::Scene;
use crate::sim::parallel::instructions::Instructions;
use crate::sim::world::definition::WorldDef;
use crate::sim::{Setup, World};
use crate::view;
use crate::view::{Camera, Drive, Glyphs, Palette, Rgb, Weave, palette};
use ratatui_core::layout::Rect;
use std::time::Duration;

/// Cells of a grid at the most: with these a step takes some 10 ms of a core.
pub(super) const MOST_CELLS: usize = 60_000;

/// With what the app starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is shown first.
    pub scene: Scene,
    /// What `n` and `p` walk through; `scene` joins them, or takes the place of its namesake.
    pub scenes: Vec<Scene>,
    /// The user's choice; the best that the terminal shows where there is none.
    pub glyphs: Option<Glyphs>,
    /// The user's choice; each scene's own where there is none.
    pub palette: Option<Palette>,
    /// What can be chosen from.
    pub palettes: Vec<Palette>,
    pub background: Ground,
    /// Text and ground of what is written over the picture; white on black where there is none.
    pub overlay: Option<[Rgb; 2]>,
    pub drive: Drive,
    pub weave: Weave,
    /// Instead of the scenes' own number.
    pub particles: Option<usize>,
    /// How many threads share the simulation, and whether that follows what else the machine has to do.
    pub threads: usize,
    pub threads_follow: bool,
    /// Which vector instructions the simulation uses.
    pub instructions: Instructions,
    /// How many particles there are is chosen and adapted, beginning with a guess.
    pub fineness: Option<Fineness>,
    /// The most cells that a grid gets: what the machine was found to manage.
    pub most_cells: usize,
    pub seed: u64,
    /// The window as it is at the start.
    pub window: Window,
    /// Frames a second, at most; 1 to 240.
    pub fps: u32,
    pub keymap: Keymap,
    /// The autopilot plays from the start, and what ends it ends the program.
    pub saver: bool,
    /// After how long without a touch the autopilot takes over.
    pub idle: Option<Duration>,
    pub dismiss: Dismissal,
    /// Reduced motion.
    pub calm: bool,
    /// What is played instead of scenes.
    pub act: Option<Act>,
    /// Where that is told the time from.
    pub dial: Option<Dial>,
    /// What was laid over the scenes, as `KEY=VALUE`, for share codes.
    pub set: Vec<String>,
}

impl Options {
    /// Everything as it is without flags.
    pub fn new(scene: Scene, scenes: Vec<Scene>) -> Self {
        Self {
            scene,
            scenes,
            glyphs: None,
            palette: None,
            palettes: palette::embedded().to_vec(),
            background: Ground::default(),
            overlay: None,
            drive: Drive::default(),
            weave: Weave::default(),
            particles: None,
            threads: 1,
            threads_follow: false,
            instructions: Instructions::Best,
            fineness: None,
            most_cells: MOST_CELLS,
            seed: 0,
            window: Window { columns: 80, rows: 24, cell: [0, 0] },
            fps: 60,
            keymap: Keymap::default(),
            saver: false,
            idle: None,
            dismiss: Dismissal::default(),
            calm: false,
            act: None,
            dial: None,
            set: Vec::new(),
        }
    }

    /// What the settings say.
    pub fn of(settings: &Settings, scene: Scene, scenes: Vec<Scene>) -> Self {
        Self {
            glyphs: settings.glyphs,
            palette: settings.palette.clone(),
            palettes: settings.palettes.clone(),
            background: settings.background,
            overlay: settings.overlay,
            drive: settings.drive,
            weave: settings.weave,
            threads: settings.threads.unwrap_or_else(threads::suitable),
            threads_follow: settings.threads.is_none(),
            instructions: settings.instructions,
            fps: settings.fps,
            keymap: settings.keymap.clone(),
            idle: settings.idle,
            dismiss: settings.dismiss,
            calm: settings.calm,
            ..Self::new(scene, scenes)
        }
    }

    /// Puts the first scene among the others, in the place of its namesake, and says where.
    pub(super) fn join(&mut self) -> usize {
        let namesake = self.scenes.iter().position(|scene| scene.name == self.scene.name);
        if let Some(at) = namesake {
            self.scenes[at] = self.scene.clone();
        } else {
            self.scenes.insert(0, self.scene.clone());
        }
        namesake.unwrap_or(0)
    }
}

/// A scene's tank as the options want it in this window.
pub(super) fn set_scene(definition: &WorldDef, options: &Options, act: Option<&mut Act>, window: Window) -> World {
    let setup = setup(options, window);
    if let Some(act) = act {
        return act.set(definition, &setup);
    }
    let cells = usize::from(window.columns) * usize::from(window.rows);
    let suited = options.fineness.as_ref().map(|fineness| fineness.suited_to(definition, setup.aspect, cells));
    World::new(definition, &Setup { particles: suited.or(setup.particles), ..setup })
}

/// Samples of the picture in a window: grids are as fine as these.
pub(super) fn samples(window: Window) -> usize {
    usize::from(window.columns) * usize::from(window.rows) * view::SAMPLES.0 * view::SAMPLES.1
}

pub(super) fn setup(options: &Options, window: Window) -> Setup {
    let area = Rect::new(0, 0, window.columns, window.rows);
    let aspect = Camera::aspect(area, window.cell.into());
    Setup {
        particles: options.particles,
        cells: Some(samples(window).min(options.most_cells)),
        seed: options.seed,
        aspect,
        threads: options.threads,
        instructions: options.instructions,
    }
}
