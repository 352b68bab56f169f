//! The command line.

pub mod args;
pub mod bench;
pub mod demos;
pub mod doctor;
#[cfg(unix)]
pub mod idle_wait;
pub mod list;
pub mod man_and_completions;
pub mod probe;
pub mod render;
pub mod settings;
pub mod shell_init;

use crate::app::error::Failure;
use crate::app::share_code::Recipe;
use crate::app::{interactive as play, replay};
use crate::cli::settings::config_command;
use crate::cli::shell_init::Place;
pub use args::demos::{ActArgs, ClockArgs, MeltArgs, TextArgs};
pub use args::headless::{BenchArgs, ProbeArgs, RenderArgs, Size, StageArgs};
pub use args::look::LookArgs;
pub use args::output::KeepArgs;
pub use args::scene::SceneArgs;
pub use args::toy::{ShowArgs, ToyArgs};
use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};

/// A tank of fluid in your terminal: tilt it with the arrow keys, push it with the mouse
#[derive(Debug, Parser)]
#[command(
    version,
    override_usage = "slosh [OPTIONS] [SCENE | FILE.toml]\n       slosh <COMMAND>",
    subcommand_precedence_over_arg = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    toy: ToyArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Name the scenes, palettes, glyph modes and drives
    List,
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
    #[cfg(unix)]
    #[command(hide = true)]
    WaitIdle(WaitArgs),
    /// Print the completions for a shell
    Completions {
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Print what is in force, and where each value comes from
///
/// Flags go before variables such as SLOSH_PALETTE, which go before $XDG_CONFIG_HOME/slosh/config.toml, which goes
/// before the defaults.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(flatten)]
    pub toy: ToyArgs,
    /// Write a file in which everything that can be set is explained; --force overwrites one that is there
    #[arg(long)]
    pub init: bool,
}

/// Tell what this terminal can do, and what each decision rests on
///
/// Asks the terminal, and waits a second at most for what it answers.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub toy: ToyArgs,
    /// As JSON, for scripts
    #[arg(long)]
    pub json: bool,
}

/// Play what a share code holds, which y in the toy copies; or again what --record FILE.slosh recorded
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// Such as slosh1-R3VkYW0KMTIKd2F0ZXIKZGVuc2l0eQ, or a file that ends in .slosh
    #[arg(value_name = "CODE|FILE")]
    pub code: String,
}

/// Print what starts the screensaver on idle in a shell, in tmux or in screen
///
/// In ~/.zshrc: eval "$(slosh init zsh)". In ~/.bashrc: eval "$(slosh init bash)". In config.fish: slosh init fish |
/// source. Others: slosh init tmux >> ~/.tmux.conf, slosh init screen >> ~/.screenrc.
#[derive(Debug, Args)]
pub struct InitArgs {
    pub place: Place,
    /// After how many seconds without a key
    #[arg(long, value_name = "N", default_value = "300", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub seconds: u32,
    /// What is run when the screensaver ends, such as vlock
    #[arg(long, value_name = "COMMAND")]
    pub lock: Option<String>,
}

/// Wake a shell once nobody has typed for a while: for `slosh init`
#[cfg(unix)]
#[derive(Debug, Args)]
pub struct WaitArgs {
    #[arg(long)]
    pub seconds: u32,
    /// The process that gets SIGALRM
    #[arg(long)]
    pub signal: i32,
    /// The terminal it reads
    #[arg(long)]
    pub tty: PathBuf,
}

impl Cli {
    /// Does what the command line says.
    pub fn run(self) -> Result<(), Failure> {
        if self.command.is_some() && self.toy != ToyArgs::default() {
            let message = "the scene and its flags go after the subcommand, as in `slosh probe dam --seed 3`";
            return Err(Failure::Input(message.to_owned()));
        }
        match self.command {
            Some(Command::List) => list::run(),
            Some(Command::Render(args)) => render::run(&args),
            Some(Command::Bench(args)) => bench::run(&args),
            Some(Command::Probe(args)) => probe::run(&args),
            Some(Command::Doctor(args)) => doctor::run(&args),
            Some(Command::Config(args)) => config_command::run(&args),
            Some(Command::Play(args)) if replay::is_one(Path::new(&args.code)) => play::replay(Path::new(&args.code)),
            Some(Command::Play(args)) => {
                let said = |message| Failure::Input(format!("{}: {message}", args.code));
                let recipe = Recipe::of(&args.code).map_err(said)?;
                play::play(&ToyArgs::default().following(recipe), false)
            }
            Some(Command::Clock(args)) => demos::clock(&args),
            Some(Command::Text(args)) => demos::text(&args),
            Some(Command::Melt(args)) => demos::melt(&args),
            Some(Command::Init(args)) => shell_init::run(&args),
            #[cfg(unix)]
            Some(Command::WaitIdle(args)) => idle_wait::run(&args),
            Some(Command::Completions { shell }) => man_and_completions::completions(shell),
            Some(Command::Man) => man_and_completions::man(),
            Some(Command::Saver(args)) => play::play(&args, true),
            None => play::play(&self.toy, self.toy.screensaver),
        }
    }
}
