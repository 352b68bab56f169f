pub mod args;
pub mod completions;
pub mod config;
pub mod demos;
pub mod doctor;
#[cfg(unix)]
pub mod feed;
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
use crate::cli::settings::table::SETTINGS;
use crate::data;
use args::toy::ToyArgs;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// A tank of fluid in your terminal: tilt it with the arrow keys, push it with the mouse
#[derive(Parser)]
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

#[derive(Subcommand)]
enum Command {
    List(list::ListArgs),
    Scene(scene::SceneFileArgs),
    Render(render::RenderArgs),
    Probe(probe::ProbeArgs),
    Config(config::ConfigArgs),
    Doctor(doctor::DoctorArgs),
    /// Play the screensaver: the autopilot plays until a key is pressed
    Saver(ToyArgs),
    Init(shell_init::InitArgs),
    Play(play::PlayArgs),
    Clock(demos::ClockArgs),
    Timer(demos::TimerArgs),
    Text(demos::TextArgs),
    Melt(demos::MeltArgs),
    #[cfg(unix)]
    Feed(feed::FeedArgs),
    Host(host::HostArgs),
    Join(join::JoinArgs),
    #[cfg(unix)]
    #[command(hide = true)]
    WaitIdle(idle_wait::WaitArgs),
    /// Print the completions for a shell
    Completions {
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// The flags of settings that `-h` lists; `--help` lists all.
const COMMON_FLAGS: [&str; 5] = ["palette", "glyphs", "particles", "color-by", "size"];

/// Shortens the help for `-h`: the common flags, the first clause of each description, commands by their names alone.
fn with_short_help(command: clap::Command) -> clap::Command {
    let names: Vec<&str> =
        command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
    let commands = match names.is_empty() {
        true => String::new(),
        false => textwrap::fill(&format!("Commands: {}", names.join(", ")), 78) + "\n\n",
    };
    let rare = |id: &str| {
        ["force", "output_only"].contains(&id)
            || SETTINGS.iter().any(|setting| setting.name == id) && !COMMON_FLAGS.contains(&id)
    };
    let usage = "{about}\n\n{usage-heading} {usage}";
    let options = "Options, more of them with --help:\n{options}\n{after-help}";
    command
        .mut_args(|arg| {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let clause = [" (", ": ", "; ", " [", ", as in"].iter().filter_map(|end| help.find(end)).min();
            let help = help[..clause.unwrap_or(help.len())].to_owned();
            let hidden = arg.is_hide_set() || rare(arg.get_id().as_str()) && !arg.is_positional();
            arg.help(help).help_heading(None::<&str>).hide(hidden)
        })
        .help_template(format!("{usage}\n\n{commands}{options}"))
        .mut_subcommands(with_short_help)
}

/// Converts arguments such as `-20deg` after `tilt` to `-20`, because clap reads anything but a negative number with a hyphen as
/// a flag.
fn signed(args: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut after_tilt = false;
    args.into_iter().map(move |arg| {
        let degrees = arg.to_str().and_then(|text| text.strip_suffix("deg")).filter(|text| text.starts_with('-'));
        let number = degrees.filter(|text| after_tilt && text.parse::<f32>().is_ok()).map(OsString::from);
        after_tilt = arg == "tilt";
        number.unwrap_or(arg)
    })
}

impl Cli {
    /// The help and the version are errors too.
    pub fn parse_args(args: impl Iterator<Item = OsString>) -> Result<Self, clap::Error> {
        let args: Vec<OsString> = signed(args).collect();
        let command =
            if args.iter().any(|arg| arg == "-h") { with_short_help(Self::command()) } else { Self::command() };
        let second_scene = |error: clap::Error| match error.get(ContextKind::InvalidSubcommand) {
            Some(word) => {
                let message = format!("unexpected argument '{word}': one scene is played at a time");
                Self::command().error(ErrorKind::UnknownArgument, message)
            }
            None => error,
        };
        Self::from_arg_matches(&command.try_get_matches_from(args).map_err(second_scene)?)
    }

    pub fn run(self) -> Result<(), Error> {
        if self.command.is_some() && self.toy != ToyArgs::default() {
            let message = "the scene and its flags go after the subcommand, as in `slosh probe dam --seed 3`";
            return Err(Error::Input(message.to_owned()));
        }
        match self.command {
            Some(Command::List(args)) => list::run(&args),
            Some(Command::Scene(args)) => scene::run(&args),
            Some(Command::Render(args)) => render::run(&args),
            Some(Command::Probe(args)) => probe::run(&args),
            Some(Command::Doctor(args)) => doctor::run(&args),
            Some(Command::Config(args)) => config::run(&args),
            Some(Command::Play(args)) => play::run(&args),
            Some(Command::Clock(args)) => demos::clock(&args),
            Some(Command::Timer(args)) => demos::timer(&args),
            Some(Command::Text(args)) => demos::text(&args),
            Some(Command::Melt(args)) => demos::melt(&args),
            #[cfg(unix)]
            Some(Command::Feed(args)) => feed::run(&args),
            Some(Command::Host(args)) => host::run(&args),
            Some(Command::Join(args)) => join::run(&args),
            Some(Command::Init(args)) => shell_init::run(&args),
            #[cfg(unix)]
            Some(Command::WaitIdle(args)) => idle_wait::run(&args),
            Some(Command::Completions { shell }) => completions::print(shell),
            Some(Command::Man) => man::print(Self::command()),
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
        match data::mistyped(word, &all) {
            Some(near) if commands.contains(&near) => {
                Err(Error::Input(format!("unknown command or scene {word:?}; did you mean `slosh {near}`?")))
            }
            _ => Ok(()),
        }
    }
}
