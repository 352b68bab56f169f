//! `slosh` without a subcommand: the toy in this terminal.

use super::config::ToyArgs;
use super::failure::Failure;
use super::files::failed;
use super::fineness::{self, Fineness};
use super::record::Kind;
use super::reel::Reel;
use super::settings::{Settings, palette_of};
use super::term::{self, Caps, Env, TermOptions};
use super::{Options, run, scenes, sources, threads};
use crate::sim::scene;
use std::io::{self, IsTerminal};

/// Plays until somebody ends it, or as a screensaver until somebody is there. Does not return if a signal did.
pub fn play(args: &ToyArgs, saver: bool) -> Result<(), Failure> {
    let settings = sources::settings(args.settings())?;
    let options = Options { saver, ..options(args, &settings)? };
    if !io::stdout().is_terminal() {
        let message = "standard output is not a terminal; `slosh render` draws frames without one";
        return Err(Failure::Input(message.to_owned()));
    }
    if let Some(path) = &args.record {
        Kind::needed(path)?;
        if path.exists() && !args.force {
            return Err(failed(path, &io::ErrorKind::AlreadyExists.into()));
        }
    }
    let terminal = TermOptions {
        caps: Caps::guess(&Env::read(), settings.color),
        mouse: settings.mouse,
        bandwidth: settings.bandwidth,
    };
    match run::run(options, &terminal, Reel::new(args.record.clone(), args.force))? {
        Some(signal) => term::end_by(signal),
        None => Ok(()),
    }
}

fn options(args: &ToyArgs, settings: &Settings) -> Result<Options, Failure> {
    let first = args.scene.load(settings)?;
    palette_of(&first)?;
    // What the flags change is changed in every scene that has it.
    let load = |name: &&str| args.scene.load_as(name, settings).or_else(|_| scenes::load(name, &[]));
    let all = scene::names().iter().map(load).collect::<Result<_, _>>()?;
    Ok(Options {
        glyphs: settings.glyphs,
        fineness: settings.particles.is_none().then(|| Fineness::new(fineness::time_a_particle(settings.instructions))),
        palette: settings.palette.clone(),
        drive: settings.drive,
        threads: settings.threads.unwrap_or_else(threads::suitable),
        threads_follow: settings.threads.is_none(),
        instructions: settings.instructions,
        seed: settings.seed.unwrap_or_else(|| fastrand::u64(..)),
        fps: settings.fps,
        keymap: settings.keymap.clone(),
        idle: settings.idle,
        dismiss: settings.dismiss,
        calm: settings.calm,
        set: args.scene.set_with(settings),
        ..Options::new(first, all)
    })
}
