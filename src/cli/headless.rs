use crate::app::action::TerminalCaps;
use crate::app::error::{self, Error};
use crate::app::record::headless::HeadlessRun;
use crate::app::record::headless::timeline::TimelineEntry;
use crate::app::tank::auto_particles::{self, AutoParticles};
use crate::cli::args::headless::HeadlessArgs;
use crate::cli::demos;
use crate::cli::settings::{Settings, layers};
use crate::data::Setting;
use crate::sim::WorldOptions;
use crate::view::{Camera, RenderStyle};

pub struct HeadlessJob {
    pub run: HeadlessRun,
    pub settings: Settings,
}

impl HeadlessJob {
    pub fn new(args: &HeadlessArgs, flags: Vec<Setting>) -> Result<Self, Error> {
        let settings = layers::settings([args.scene.flags.settings(), flags].concat())?;
        let demo = demos::headless(args)?;
        let options = WorldOptions {
            seed: settings.seed.unwrap_or(0),
            aspect: Camera::aspect(args.window().area(), args.window().cell.into()),
            threads: settings.threads_or_suitable(),
            instructions: settings.instructions,
            ..WorldOptions::default()
        };
        let mut run = match &demo {
            Some(demo) => HeadlessRun::of_demo(demo, &options).map_err(Error::Input)?,
            None => {
                let scene = args.scene.load(&settings)?;
                // Without a flag the scene's own count is used, so that the frames are the same on any machine.
                let auto = || AutoParticles::new(auto_particles::time_a_particle(settings.instructions));
                let suited = || auto().suited_to(&scene.world, options.aspect, args.window().area().area() as usize);
                let particles = (args.scene.particles_auto() && scene.world.interaction_radius.is_none()).then(suited);
                HeadlessRun::new(scene, &WorldOptions { particles, ..options })
            }
        };
        run.timeline.extend(args.tilt.iter().cloned());
        run.timeline.extend(TimelineEntry::read(&args.at, run.scene.world.obstacle.len()).map_err(Error::Input)?);
        Ok(Self { run, settings })
    }

    pub fn look(&self) -> Result<RenderStyle, Error> {
        let (look, scene) = (&self.settings.look, &self.run.scene);
        if !look.color_by.is_in(&self.run.world) {
            let (scene, quantity) = (&scene.name, look.color_by.name());
            error::warn(&format!("nothing in {scene} has a {quantity}; the colour shows the density"));
        }
        let depth = self.settings.terminal.color.unwrap_or_default();
        let style = look.style(&TerminalCaps { depth, ..TerminalCaps::default() });
        Ok(RenderStyle { palette: look.palette_for(&scene.world), ..style })
    }

    pub fn check_end(&self, seconds: f64) -> Result<(), Error> {
        let late = self.run.timeline.iter().find(|entry| entry.at > seconds);
        let Some(TimelineEntry { at, .. }) = late else { return Ok(()) };
        Err(Error::Input(format!("the action at {at} s is after the end, which is at {seconds} s (--seconds)")))
    }
}
