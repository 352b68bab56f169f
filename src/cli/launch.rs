//! Prepares a run in a terminal, or a recording of one: settings in force, scenes and options.

use crate::app::Options;
use crate::app::demo::DemoSpec;
use crate::app::demo::wall_clock::DemoClock;
use crate::app::error::Error;
use crate::app::record::replay::Replay;
use crate::app::record::session::Recorder;
use crate::app::session::interactive::{self, TerminalSettings};
use crate::app::tank::auto_particles::{self, AutoParticles};
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::scene_lookup;
use crate::cli::args::toy::{ShowArgs, ToyArgs};
use crate::cli::own_scenes;
use crate::cli::settings::layers::Sources;
use crate::cli::settings::{Settings, layers, listing};
use crate::data::{self, Setting};
use crate::scene::{self, Scene};
use std::path::Path;

/// Reads the settings in force, and prepares the toy; `flags` are the settings among the arguments.
pub fn scene_options(args: &SceneArgs, flags: Vec<Setting>) -> Result<(Settings, Options), Error> {
    let tree = Sources::read(flags)?.tree()?;
    let settings = Settings::read(&tree)?;
    let first = args.load(&settings)?;
    // An override applies to every scene that has the overridden key. A scene that rejects one is loaded without any.
    let load = |name: &str| args.load_as(name, &settings).or_else(|_| scene_lookup::load(name, &[]));
    let mut all: Vec<Scene> = scene::names().iter().map(|name| load(name)).collect::<Result<_, _>>()?;
    let mut note = None;
    for own in own_scenes::all() {
        let checked = |scene| scene_lookup::check_palettes(&own.name, &scene, &settings).map(|()| scene);
        match load(&own.name).and_then(checked) {
            Ok(scene) => insert(&mut all, scene),
            // The toy plays without that scene, and shows the error.
            Err(error) => note = note.or_else(|| Some(error.to_string())),
        }
    }
    check_names(&settings, &all)?;
    let settings_file = listing::portable(&tree, &settings)?;
    let set = args.overrides(&settings);
    let mut options = Options { set, note, settings_file, ..settings.options(first, all) };
    if settings.particles.is_none() {
        let time = auto_particles::time_a_particle(settings.instructions);
        options.simulation.auto_particles = Some(AutoParticles::new(time));
    }
    Ok((settings, options))
}

pub fn demo_options(
    spec: DemoSpec,
    clock: Option<DemoClock>,
    flags: Vec<Setting>,
) -> Result<(Settings, Options), Error> {
    let tree = Sources::read(flags)?.tree()?;
    let settings = Settings::read(&tree)?;
    let demo = spec.build().map_err(Error::Input)?;
    let settings_file = listing::portable(&tree, &settings)?;
    let mut options = Options { clock, settings_file, ..settings.options(demo.scene(), Vec::new()) };
    (options.demo, options.demo_spec, options.saver.idle) = (Some(demo), Some(spec), None);
    Ok((settings, options))
}

pub fn show(settings: &Settings, mut options: Options, args: &ShowArgs) -> Result<(), Error> {
    options.simulation.seed = settings.seed_or_random();
    let recorder = Recorder::new(args.record.clone(), args.force, settings.controls.recording)?;
    let asks_colors = matches!(options.demo_spec, Some(DemoSpec::ScreenCapture { .. }));
    let terminal = TerminalSettings { output_only: args.output_only, asks_colors, ..settings.terminal };
    interactive::play(options, &terminal, recorder)
}

fn insert(all: &mut Vec<Scene>, own: Scene) {
    if let Some(namesake) = all.iter_mut().find(|scene| scene.name == own.name) {
        *namesake = own;
    } else {
        let laboratory = all.iter().position(|scene| scene::is_of_laboratory(&scene.name));
        all.insert(laboratory.unwrap_or(all.len()), own);
    }
}

fn check_names(settings: &Settings, all: &[Scene]) -> Result<(), Error> {
    let names: Vec<&str> = all.iter().map(|scene| &*scene.name).collect();
    let unknown = settings.named_scenes.iter().find(|(name, _)| !names.contains(&&**name));
    let Some((name, origin)) = unknown else { return Ok(()) };
    let advice = data::advice_of_many(name, &names, "slosh list");
    Err(Error::Input(format!("{origin}: unknown scene {name:?}; {advice}")))
}

pub fn play(args: &ToyArgs, saver: bool) -> Result<(), Error> {
    let (mut settings, mut options) = scene_options(&args.scene, args.settings())?;
    options.saver.from_start = saver;
    if saver {
        let seed = settings.seed_or_random();
        (settings.seed, options.simulation.seed) = (Some(seed), seed);
        // If the user named a scene, the screensaver starts with it.
        if args.scene.flags.value("scene").is_none() {
            options.first = options.playlist().first(options.first).unwrap_or(options.first);
        }
        let simulation = &mut options.simulation;
        simulation.auto_particles = simulation.auto_particles.take().map(AutoParticles::for_screensaver);
    }
    show(&settings, options, &args.show)
}

pub fn play_recording(path: &Path) -> Result<(), Error> {
    let settings = layers::settings(Vec::new())?;
    let replay = open_recording(path, &settings)?;
    interactive::replay(replay, &settings.terminal, &settings.controls)
}

pub fn open_recording(path: &Path, settings: &Settings) -> Result<Replay, Error> {
    Replay::open(path, settings.threads_or_suitable(), recorded_options)
}

/// The options of a recording's settings, without its scenes. A setting that an older recording does not have gets its default.
pub fn recorded_options(settings_file: &str, source: &str) -> Result<Options, data::DataError> {
    let file = Some((source.to_owned(), settings_file.to_owned()));
    let settings = Sources { file, ..Sources::default() }.settings()?;
    Ok(settings.options(Scene::default(), Vec::new()))
}
