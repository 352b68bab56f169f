//! `slosh` without a subcommand: the toy in this terminal.

use crate::app::auto_particles;
use crate::app::auto_particles::Fineness;
use crate::app::demo::Plot;
use crate::app::demo::wall_clock::Dial;
use crate::app::error::Failure;
use crate::app::files::failed;
use crate::app::recorder::session::Reel;
use crate::app::recorder::{Header, Kind, Manner};
use crate::app::replay::Replay;
use crate::app::replay::playback;
use crate::app::{Options, run, threads};
use crate::cli::args::scene_lookup;
use crate::cli::settings::layers::Sources;
use crate::cli::settings::{Settings, palette_of};
use crate::cli::settings::{config_command, layers};
use crate::cli::{ShowArgs, ToyArgs};
use crate::data::{Node, Setting};
use crate::scene;
use crate::term;
use crate::term::{Caps, Env, TermOptions};
use std::io::{self, IsTerminal};
use std::path::Path;

/// What the toy begins with.
pub struct SetUp {
    pub options: Options,
    pub settings: Settings,
    plot: Option<Plot>,
    tree: Node,
}

impl SetUp {
    /// What the flags, the environment and the file say.
    ///
    /// # Errors
    /// If any of it is not as it must be.
    pub fn new(args: &ToyArgs, saver: bool) -> Result<Self, Failure> {
        let tree = Sources::read(args.settings())?.tree()?;
        let settings = Settings::of(&tree)?;
        Ok(Self { options: Options { saver, ..options(args, &settings)? }, settings, plot: None, tree })
    }

    /// An act instead of scenes; `flags` are what the command line says about it.
    ///
    /// # Errors
    /// The same, or if there is no such act.
    pub fn of_act(plot: Plot, dial: Option<Dial>, flags: Vec<Setting>) -> Result<Self, Failure> {
        let tree = Sources::read(flags)?.tree()?;
        let settings = Settings::of(&tree)?;
        let act = plot.act().map_err(Failure::Input)?;
        let usual = Options::of(&settings, act.scene(), Vec::new());
        let options = Options { act: Some(act), seed: settings.seed_or_any(), dial, idle: None, ..usual };
        Ok(Self { options, settings, plot: Some(plot), tree })
    }

    /// The same for a recording.
    ///
    /// # Errors
    /// None today.
    pub fn header(&self) -> Result<Header, Failure> {
        let settings = config_command::portable(&self.tree, &self.settings)?;
        Ok(Header::new(&self.options, settings, self.plot.clone()))
    }
}

/// Plays until somebody ends it, or as a screensaver until somebody is there. Does not return if a signal did.
pub fn play(args: &ToyArgs, saver: bool) -> Result<(), Failure> {
    start(SetUp::new(args, saver)?, &args.show)
}

/// Plays what has been set up until somebody ends it. Does not return if a signal did.
pub fn start(setup: SetUp, args: &ShowArgs) -> Result<(), Failure> {
    let mut reel = reel(args, &setup.settings)?;
    let terminal = terminal(&setup.settings, args.output_only)?;
    if reel.is_log() {
        reel.head(setup.header()?);
    }
    end(run::run(setup.options, &terminal, reel)?)
}

/// What is recorded, if anything.
fn reel(args: &ShowArgs, settings: &Settings) -> Result<Reel, Failure> {
    if let Some(path) = &args.record {
        Kind::needed(path)?;
        if path.exists() && !args.keep.force {
            return Err(failed(path, &io::ErrorKind::AlreadyExists.into()));
        }
    }
    let manner = Manner { force: args.keep.force, edition: settings.cast, live: true };
    Ok(Reel::new(args.record.clone(), manner))
}

/// Plays a recording of slosh's own again. Does not return if a signal ended it.
pub fn replay(path: &Path) -> Result<(), Failure> {
    let settings = layers::settings(Vec::new())?;
    let replay = Replay::open(path, settings.threads.unwrap_or_else(threads::suitable))?;
    end(playback::run(replay, &terminal(&settings, false)?, &settings.keymap)?)
}

/// How this terminal is to be used, if there is one.
fn terminal(settings: &Settings, output_only: bool) -> Result<TermOptions, Failure> {
    if !io::stdout().is_terminal() {
        let message = "standard output is not a terminal; `slosh render` draws frames without one";
        return Err(Failure::Input(message.to_owned()));
    }
    let env = Env::read();
    let caps = Caps::guess(&if output_only { env.of_one_way() } else { env }, settings.color);
    Ok(TermOptions { caps, mouse: settings.mouse, bandwidth: settings.bandwidth })
}

fn end(signal: Option<i32>) -> Result<(), Failure> {
    signal.map_or(Ok(()), |signal| term::end_by(signal))
}

fn options(args: &ToyArgs, settings: &Settings) -> Result<Options, Failure> {
    let first = args.scene.load(settings)?;
    palette_of(&first, &settings.palettes)?;
    // What the flags change is changed in every scene that has it.
    let load = |name: &&str| args.scene.load_as(name, settings).or_else(|_| scene_lookup::load(name, &[]));
    let all = scene::names().iter().map(load).collect::<Result<_, _>>()?;
    Ok(Options {
        fineness: settings
            .particles
            .is_none()
            .then(|| Fineness::new(auto_particles::time_a_particle(settings.instructions))),
        seed: settings.seed_or_any(),
        set: args.scene.set_with(settings),
        ..Options::of(settings, first, all)
    })
}
