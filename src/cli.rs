//! The command line.

pub mod args;
pub mod bench;
pub mod completions;
pub mod config;
pub mod demos;
pub mod doctor;
pub mod headless;
pub mod host;
#[cfg(unix)]
pub mod idle_wait;
pub mod join;
pub mod launch;
pub mod list;
pub mod man;
mod own_scenes;
pub mod play;
pub mod probe;
mod progress;
pub mod render;
pub mod scene;
pub mod settings;
pub mod shell_init;

use crate::app::error::Error;
use crate::cli::args::scene_lookup;
use crate::data;
use args::toy::ToyArgs;
use bench::BenchArgs;
use clap::{CommandFactory, Parser, Subcommand};
use config::ConfigArgs;
use demos::{ClockArgs, MeltArgs, TextArgs};
use doctor::DoctorArgs;
use host::HostArgs;
#[cfg(unix)]
use idle_wait::WaitArgs;
use join::JoinArgs;
use list::ListArgs;
use man::ManArgs;
use play::PlayArgs;
use probe::ProbeArgs;
use render::RenderArgs;
use scene::SceneFileArgs;
use shell_init::InitArgs;

/// A tank of fluid in your terminal: tilt it with the arrow keys, push it with the mouse
#[derive(Debug, Parser)]
#[command(
    version,
    override_usage = "slosh [OPTIONS] [SCENE | FILE.toml]\n       slosh <COMMAND>",
    subcommand_precedence_over_arg = true,
    max_term_width = 100,
    after_help = man::EXAMPLES
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    toy: ToyArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArgs),
    Scene(SceneFileArgs),
    Render(RenderArgs),
    Probe(ProbeArgs),
    Bench(BenchArgs),
    Config(ConfigArgs),
    Doctor(DoctorArgs),
    /// Play the screensaver: the autopilot plays until a key is pressed
    Saver(ToyArgs),
    Init(InitArgs),
    Play(PlayArgs),
    Clock(ClockArgs),
    Text(TextArgs),
    Melt(MeltArgs),
    Host(HostArgs),
    Join(JoinArgs),
    #[cfg(unix)]
    #[command(hide = true)]
    WaitIdle(WaitArgs),
    /// Print the completions for a shell
    Completions {
        shell: clap_complete::Shell,
    },
    Man(ManArgs),
}

impl Cli {
    /// Runs the command.
    pub fn run(self) -> Result<(), Error> {
        if self.command.is_some() && self.toy != ToyArgs::default() {
            let message = "the scene and its flags go after the subcommand, as in `slosh probe dam --seed 3`";
            return Err(Error::Input(message.to_owned()));
        }
        match self.command {
            Some(Command::List(args)) => list::run(&args),
            Some(Command::Scene(args)) => scene::run(&args),
            Some(Command::Render(args)) => render::run(&args),
            Some(Command::Bench(args)) => bench::run(&args),
            Some(Command::Probe(args)) => probe::run(&args),
            Some(Command::Doctor(args)) => doctor::run(&args),
            Some(Command::Config(args)) => config::run(&args),
            Some(Command::Play(args)) => play::run(&args),
            Some(Command::Clock(args)) => demos::clock(&args),
            Some(Command::Text(args)) => demos::text(&args),
            Some(Command::Melt(args)) => demos::melt(&args),
            Some(Command::Host(args)) => host::run(&args),
            Some(Command::Join(args)) => join::run(&args),
            Some(Command::Init(args)) => shell_init::run(&args),
            #[cfg(unix)]
            Some(Command::WaitIdle(args)) => idle_wait::run(&args),
            Some(Command::Completions { shell }) => completions::print(shell),
            Some(Command::Man(args)) => man::print(Self::command(), &args),
            Some(Command::Saver(args)) => launch::play(&args, true),
            None => {
                self.refuse_mistyped_command()?;
                launch::play(&self.toy, self.toy.screensaver)
            }
        }
    }

    /// Rejects a word that is not a scene but close to the name of a command: `slosh rendr`.
    fn refuse_mistyped_command(&self) -> Result<(), Error> {
        let Some(word) = self.toy.scene.flags.value("scene") else { return Ok(()) };
        if !scene_lookup::is_unknown(word) {
            return Ok(());
        }
        let mut command = Self::command();
        command.build();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let commands: Vec<&str> = visible.map(clap::Command::get_name).collect();
        let all = [&commands[..], crate::scene::names()].concat();
        match data::nearest(word, &all) {
            Some(near) if commands.contains(&near) => {
                Err(Error::Input(format!("unknown command or scene {word:?}; did you mean `slosh {near}`?")))
            }
            _ => Ok(()),
        }
    }
}
