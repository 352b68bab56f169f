//! A scene that plays with no terminal: what `probe`, `render` and `bench` stand on.

pub mod progress;
pub mod timeline;

use crate::app::auto_particles;
use crate::app::auto_particles::Fineness;
use crate::app::demo::screen_capture::Ink;
use crate::app::demo::{Act, Plot};
use crate::app::error;
use crate::app::error::Failure;
use crate::app::threads;
use crate::cli::StageArgs;
use crate::cli::settings::layers;
use crate::cli::settings::{Settings, palette_of};
use crate::data::Setting;
use crate::scene::Scene;
use crate::sim::clock::STEP;
use crate::sim::{Setup, World};
use crate::view::camera::CELL_PIXELS;
use crate::view::{Camera, Look, Rgb};
use ratatui_core::buffer::Buffer;
use std::str::FromStr;
use timeline::Cue;

/// A world, and what is to happen to it when.
pub struct Stage {
    pub scene: Scene,
    pub world: World,
    pub settings: Settings,
    act: Option<Act>,
    /// For a clock: seconds past midnight at the start.
    start: u32,
    cues: Vec<Cue>,
}

impl Stage {
    /// Sets the scene; `flags` are what else was said on the command line.
    pub fn new(args: &StageArgs, flags: Vec<Setting>) -> Result<Self, Failure> {
        let settings = layers::settings([args.scene.settings(), flags].concat())?;
        let plot = args.plot()?;
        let mut act = plot.as_ref().map(Plot::act).transpose().map_err(Failure::Input)?;
        let scene = act.as_ref().map_or_else(|| args.scene.load(&settings), |act| Ok(act.scene()))?;
        let aspect = args.size.aspect();
        let instructions = settings.instructions;
        // Here the number is the scene's own, for the sake of equal frames everywhere, unless somebody insists.
        let suited = || {
            Fineness::new(auto_particles::time_a_particle(instructions)).suited_to(
                &scene.world,
                aspect,
                args.size.cells(),
            )
        };
        let particles = args.scene.particles_auto().then(suited);
        let threads = settings.threads.unwrap_or_else(threads::suitable);
        let setup =
            Setup { particles, seed: settings.seed.unwrap_or(0), aspect, threads, instructions, ..Setup::default() };
        let mut cues: Vec<Cue> = args.tilt.iter().map(|tilt| Cue::tilt(tilt.degrees, tilt.at)).collect();
        cues.extend(Cue::read(&args.at, scene.world.obstacle.len()).map_err(Failure::Input)?);
        let world = act.as_mut().map_or_else(|| World::new(&scene.world, &setup), |act| act.set(&scene.world, &setup));
        let start = plot.as_ref().and_then(Plot::begins).unwrap_or(0);
        Ok(Self { scene, world, settings, act, start, cues })
    }

    /// How the scene is shown where there is no terminal to ask.
    pub fn look(&self) -> Result<Look, Failure> {
        let Settings { glyphs, palette, palettes, drive, weave, color, background, .. } = &self.settings;
        if !drive.is_in(&self.world) {
            let (scene, drive) = (&self.scene.name, drive.name());
            error::warn(&format!("nothing in {scene} has a {drive}; the colour stands for density"));
        }
        Ok(Look {
            glyphs: glyphs.unwrap_or_default(),
            palette: palette.clone().map_or_else(|| palette_of(&self.scene, palettes), Ok)?,
            drive: *drive,
            weave: *weave,
            depth: color.unwrap_or_default(),
            background: background.on(Rgb::BLACK),
        })
    }

    /// Sees to it that nothing is to happen after the end, at so many seconds.
    pub fn ends_at(&self, seconds: f64) -> Result<(), Failure> {
        match self.cues.iter().find(|cue| cue.is_after(seconds)) {
            Some(cue) => Err(Failure::Input(format!("{cue} is after the end, which is at {seconds} s (--seconds)"))),
            None => Ok(()),
        }
    }

    /// Plays up to the fixed step that is nearest to `seconds`.
    pub fn play_to(&mut self, seconds: f64) {
        let due = (seconds / f64::from(STEP)).round() as u64;
        while self.world.steps() < due {
            self.act();
            self.world.step();
        }
    }

    fn act(&mut self) {
        let now = self.world.time();
        for cue in self.cues.extract_if(.., |cue| cue.is_due(now)) {
            cue.perform(&mut self.world);
        }
        if let Some(act) = &mut self.act {
            act.tell(self.start + now as u32);
            act.direct(&mut self.world);
        }
    }

    /// Draws what lies over the picture.
    pub fn overprint(&mut self, look: &Look, buf: &mut Buffer) {
        if let Some(act) = &mut self.act {
            let camera = Camera::new(buf.area, CELL_PIXELS, self.world.size());
            act.overprint(&self.world, &camera, &Ink { depth: look.depth, unicode: true }, buf);
        }
    }
}

/// `DEGREES` or `DEGREES@SECONDS`: where gravity is to point from then on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt {
    degrees: f32,
    at: f64,
}

impl FromStr for Tilt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (degrees, at) = text.split_once('@').unwrap_or((text, "0"));
        let tilt = degrees.parse().ok().zip(at.parse().ok()).map(|(degrees, at)| Tilt { degrees, at });
        tilt.filter(|tilt| tilt.degrees.abs() <= 3600.0 && tilt.at >= 0.0)
            .ok_or_else(|| "must be degrees, or degrees@seconds, as 90 or 180@5".to_owned())
    }
}
