//! The values an app starts with, and the worlds that follow from them.

use crate::app::action::{TerminalCaps, Window};
use crate::app::demo::wall_clock::DemoClock;
use crate::app::demo::{Demo, DemoSpec};
use crate::app::input::keymap::Keymap;
use crate::app::input::tilt::TiltMode;
use crate::app::saver::ExitOn;
use crate::app::saver::playlist::Playlist;
use crate::app::tank::auto_particles::AutoParticles;
use crate::app::tank::feed::FeedReader;
use crate::scene::{self, Scene};
use crate::sim::definition::WorldDef;
use crate::sim::parallel::instructions::Instructions;
use crate::sim::{World, WorldOptions};
use crate::view::{
    self, Background, Camera, ClothStyle, ColorBy, GlyphMode, LightMode, LiquidStyle, Palette, RenderStyle, Rgb,
    palette,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Upper limit on the cells of a grid: at this size a step takes about 5 ms of one core.
pub const MAX_GRID_CELLS: usize = 60_000;

/// Number of cells up to which a grid is as fine as the picture.
const FINE_GRID_CELLS: usize = 16_000;

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub scenes: Vec<Scene>,
    /// Index of the scene at the start.
    pub first: usize,
    pub look: LookOptions,
    pub controls: ControlOptions,
    pub simulation: SimulationOptions,
    pub saver: SaverOptions,
    pub window: Window,
    pub note: Option<String>,
    pub demo: Option<Demo>,
    pub clock: Option<DemoClock>,
    pub feed: Option<FeedReader>,
    /// Overrides of the scenes, as `KEY=VALUE`, for share codes.
    pub set: Vec<String>,
    /// These options as a settings file that has the same effect on any machine, and the specification of the demo, for
    /// recordings.
    pub settings_file: String,
    pub demo_spec: Option<DemoSpec>,
}

defaults! {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct LookOptions {
        /// `None`: the best that the terminal shows.
        pub glyphs: Option<GlyphMode> = None;
        /// `None`: the palette of each scene.
        pub palette: Option<Palette> = None;
        /// Those to choose from. They do not travel: a host puts its own.
        #[serde(skip)]
        pub palettes: Vec<Palette> = palette::embedded().to_vec();
        pub background: Background = Background::default();
        /// Text and background of the overlay; `None`: white on black.
        #[serde(skip)]
        pub overlay: Option<[Rgb; 2]> = None;
        pub color_by: ColorBy = ColorBy::default();
        pub cloth_style: ClothStyle = ClothStyle::default();
        pub liquid_style: LiquidStyle = LiquidStyle::default();
        pub light: LightMode = LightMode::default();
        /// Upper limit on frames a second; 1 to 240.
        pub fps: u32 = 60;
    }
}

impl LookOptions {
    pub fn style(&self, terminal: &TerminalCaps) -> RenderStyle {
        let background = match self.background.over(terminal.background) {
            // Shades of the colour that it is taken for would be dark outlines on a light one.
            Background::Palette(None) if terminal.hides_background => Background::PaletteOr(Rgb::BLACK),
            known => known,
        };
        let own = self.palettes.iter().filter(|palette| !palette::embedded().contains(palette));
        RenderStyle {
            glyphs: self.glyphs.unwrap_or(terminal.glyphs),
            palettes: own.cloned().collect(),
            color_by: self.color_by,
            liquid_style: self.liquid_style,
            cloth_style: self.cloth_style,
            light: self.light,
            depth: terminal.depth,
            background,
            ..RenderStyle::default()
        }
    }

    /// The user's palette, else the scene's, else the first.
    pub fn palette_for(&self, scene: &WorldDef) -> Palette {
        let named = |name: &str| self.palettes.iter().find(|palette| palette.name() == name).cloned();
        let own = || scene.fluid_label.as_deref().and_then(named);
        self.palette.clone().or_else(own).unwrap_or_default()
    }
}

defaults! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct ControlOptions {
        pub keymap: Keymap = Keymap::default();
        pub tilt: TiltMode = TiltMode::default();
        pub mouse: bool = true;
        pub hint: bool = true;
        pub favorites: Vec<String> = Vec::new();
        pub recording: &'static str = "gif";
    }
}

#[derive(Clone, Debug, Default)]
pub struct SimulationOptions {
    pub particles: Option<usize>,
    /// Chooses and adapts the particle count, starting from its estimate; overrides `particles`.
    pub auto_particles: Option<AutoParticles>,
    /// `None`: 60,000.
    pub max_grid_cells: Option<usize>,
    pub seed: u64,
    /// 0 counts as 1.
    pub threads: usize,
    pub threads_follow_load: bool,
    pub instructions: Instructions,
}

defaults! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct SaverOptions {
        /// The autopilot plays from the start, and input that ends it ends the program.
        pub from_start: bool = false;
        pub idle: Option<Duration> = None;
        pub every: Duration = Duration::from_secs(25);
        pub scenes: Option<Vec<String>> = None;
        pub shuffle: bool = false;
        pub exit_on: ExitOn = ExitOn::default();
        pub reduced_motion: bool = false;
    }
}

impl Options {
    pub fn playlist(&self) -> Playlist {
        let SaverOptions { scenes, shuffle, .. } = &self.saver;
        Playlist::new(&self.scenes, self.tour(), scenes.as_deref(), *shuffle, self.simulation.seed)
    }

    /// The number of scenes that keys and the screensaver go through: those before the laboratory's, which come last.
    pub(super) fn tour(&self) -> usize {
        let laboratory = self.scenes.iter().position(|scene| scene::is_of_laboratory(&scene.name));
        // A laboratory scene that was given by name may be the only scene.
        laboratory.filter(|&first| first > 0).unwrap_or(self.scenes.len())
    }

    pub fn new(first: Scene, scenes: Vec<Scene>) -> Self {
        let mut options = Self { window: Window { columns: 80, rows: 24, cell: [0, 0] }, ..Self::default() };
        options.set_scenes(first, scenes);
        options
    }

    /// The first scene replaces the one of its name, or else comes before the others.
    pub fn set_scenes(&mut self, first: Scene, mut scenes: Vec<Scene>) {
        let namesake = scenes.iter().position(|scene| scene.name == first.name);
        match namesake {
            Some(at) => scenes[at] = first,
            None => scenes.insert(0, first),
        }
        (self.scenes, self.first) = (scenes, namesake.unwrap_or(0));
    }

    pub(super) fn build_world(&self, definition: &WorldDef, demo: Option<&mut Demo>, window: Window) -> World {
        let options = self.world_options(window);
        if let Some(demo) = demo {
            return demo.set(definition, &options);
        }
        let cells = usize::from(window.columns) * usize::from(window.rows);
        // A scene that gives its interaction radius has no use for another count.
        let auto = self.simulation.auto_particles.as_ref().filter(|_| definition.interaction_radius.is_none());
        let suited = auto.map(|auto| auto.suited_to(definition, options.aspect, cells));
        World::new(definition, &WorldOptions { particles: suited.or(options.particles), ..options })
    }

    pub(super) fn world_options(&self, window: Window) -> WorldOptions {
        let aspect = Camera::aspect(window.area(), window.cell.into());
        let SimulationOptions { particles, max_grid_cells, seed, threads, instructions, .. } = self.simulation;
        let cells = Some(grid_cells(window).min(max_grid_cells.unwrap_or(MAX_GRID_CELLS)));
        WorldOptions { particles, cells, seed, aspect, threads, instructions }
    }
}

/// Cells of a grid in a window: as many as the picture has samples, up to [`FINE_GRID_CELLS`], and then fewer, because smoke
/// that is resolved so finely gains less by more of them than a step costs.
pub(super) fn grid_cells(window: Window) -> usize {
    let samples = usize::from(window.columns) * usize::from(window.rows) * view::SAMPLES.0 * view::SAMPLES.1;
    let fine = samples.min(FINE_GRID_CELLS);
    fine + 2 * (samples - fine) / 5
}
