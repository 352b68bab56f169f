//! The command line.

use super::act::Act;
use super::capture::Format;
use super::dial::TimeOfDay;
use super::drawing::Drawing;
use super::failure::Failure;
use super::named::{Named, SCENES};
use super::probe::{Piece, Section};
use super::saver::Dismissal;
use super::settings::{Layer, Settings, flag};
use super::share::Recipe;
use super::snippet::{self, Place};
use super::stage::Tilt;
#[cfg(unix)]
use super::wait;
use super::{bench, capture, configure, doctor, list, manual, perform, probe, replay, scenes, toy};
use crate::data::Setting;
use crate::sim::scene::Scene;
use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::str::FromStr;

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

/// What the toy itself takes.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ToyArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub show: ShowArgs,
    /// Play the screensaver, as `slosh saver` does
    #[arg(long, help_heading = "Screensaver")]
    screensaver: bool,
    /// Let the screensaver play once nobody has touched anything for so many seconds, until somebody does
    #[arg(long, value_name = "SECONDS", help_heading = "Screensaver", allow_negative_numbers = true)]
    idle: Option<String>,
    /// What ends the screensaver: key, key+mouse, focus or none
    #[arg(long, value_name = "BY", help_heading = "Screensaver", value_parser = Named(|| Dismissal::ALL.map(Dismissal::name).to_vec()), hide_possible_values = true)]
    dismiss: Option<String>,
    /// Reduced motion
    #[arg(long, help_heading = "Screensaver")]
    calm: bool,
}

/// How whatever is played is shown in this terminal.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub look: Layer,
    /// Frames a second, at most
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    fps: Option<String>,
    /// Record into a file that ends in .cast, .gif, .png, .apng or .slosh; R stops, and starts another
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Overwrite the file that is there
    #[arg(long)]
    pub force: bool,
    /// Leave the mouse to the terminal
    #[arg(long)]
    no_mouse: bool,
    /// Bytes a second that are sent, at most, as 20K or 1.5M; auto is what the link takes
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    bandwidth: Option<String>,
}

impl ShowArgs {
    fn settings(&self) -> Vec<Setting> {
        let mut settings = self.look.settings();
        settings.extend(flag("fps", self.fps.as_ref()));
        settings.extend(switched(self.no_mouse, "mouse", "false", "--no-mouse"));
        settings.extend(flag("bandwidth", self.bandwidth.as_ref()));
        settings
    }
}

fn switched(on: bool, key: &str, value: &str, flag: &str) -> Option<Setting> {
    on.then(|| Setting::of_origin(key, value, flag))
}

/// How an act is played in this terminal.
#[derive(Debug, Args)]
pub struct ActArgs {
    #[command(flatten)]
    pub show: ShowArgs,
    /// Where chance begins: the same seed gives the same frames
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<String>,
    /// How many threads share the simulation, or auto for as many as there are free cores; all give the same frames
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<String>,
}

impl ActArgs {
    /// What the flags say, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        let flags = [flag("seed", self.seed.as_ref()), flag("threads", self.threads.as_ref())];
        self.show.settings().into_iter().chain(flags.into_iter().flatten()).collect()
    }
}

/// Show the time: digits are vessels, and what they hold falls and is poured anew
///
/// In the time zone that TZ names, or the system's.
#[derive(Debug, Args)]
pub struct ClockArgs {
    /// Show seconds too
    #[arg(long)]
    pub seconds: bool,
    /// Hours from 1 to 12
    #[arg(long = "12h")]
    pub twelve: bool,
    /// Another time zone, as Europe/Paris or UTC
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// As if it were this time now, as 12:34, 12:34:50 or 9:34pm
    #[arg(long, value_name = "TIME")]
    pub time: Option<TimeOfDay>,
    #[command(flatten)]
    pub act: ActArgs,
}

/// Write words in liquid: they hold, melt, and flow back at m and at the end
#[derive(Debug, Args)]
pub struct TextArgs {
    /// What to write; - reads standard input
    #[arg(required = true, value_name = "WORDS")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub act: ActArgs,
}

/// Melt what is on the screen: what is piped in, with its colours, or in tmux this pane
///
/// It flows back at m and at the end.
#[derive(Debug, Args)]
pub struct MeltArgs {
    #[command(flatten)]
    pub act: ActArgs,
}

impl ToyArgs {
    /// A toy with this scene and these looks, and all else as it is usual.
    pub fn of(scene: SceneArgs, look: Layer) -> Self {
        Self { scene, show: ShowArgs { look, ..ShowArgs::default() }, ..Self::default() }
    }

    /// What a share code stands for, in place of what these flags say.
    fn following(mut self, recipe: Recipe) -> Self {
        self.scene.scene = Some(recipe.scene);
        self.scene.seed = Some(recipe.seed.to_string());
        // What was set stands in the code with the number of particles, over whatever this user has in his file.
        self.scene.particles = Some("auto".to_owned());
        self.scene.set = recipe.set;
        self.show.look.palette = Some(recipe.palette);
        self.show.look.drive = Some(recipe.drive);
        self
    }

    /// What the flags say, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = self.scene.settings();
        settings.extend(self.show.settings());
        settings.extend(flag("idle", self.idle.as_ref()));
        settings.extend(flag("dismiss", self.dismiss.as_ref()));
        settings.extend(switched(self.calm, "calm", "true", "--calm"));
        settings
    }
}

/// Which scene, and how it is set up.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SceneArgs {
    /// A scene by name (`slosh list` names them), or a file such as my-scene.toml [default: dam]
    #[arg(value_parser = Named(SCENES), hide_possible_values = true)]
    scene: Option<String>,
    /// How many particles the liquid is made of: more make it finer; auto, as many as the machine can [default: auto in
    /// the toy, else the scene's own]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    particles: Option<String>,
    /// Where chance begins: the same seed gives the same frames
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<String>,
    /// How many threads share the simulation, or auto for as many as there are free cores; all give the same frames
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<String>,
    /// Change any key of the scene, as in gravity=1.6, stiffness=8 or tank.area=1; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Solid walls in the tank, drawn in a text file: whatever is not blank is solid; - reads standard input
    #[arg(long, value_name = "FILE", value_parser = Drawing::read)]
    obstacles: Option<Drawing>,
}

impl SceneArgs {
    /// What the flags say, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        let scene = self.scene.as_ref().map(|scene| Setting::of_text("scene", scene, "the command line"));
        let flags = [("particles", &self.particles), ("seed", &self.seed), ("threads", &self.threads)]
            .map(|(key, value)| flag(key, value.as_ref()));
        scene.into_iter().chain(flags.into_iter().flatten()).collect()
    }

    /// The recording of slosh's own that is named in the place of a scene.
    pub fn replay(&self) -> Option<&Path> {
        self.scene.as_deref().map(Path::new).filter(|path| replay::is_one(path))
    }

    /// Whether it is to have another number of particles than the scene's own.
    pub fn particles_given(&self) -> bool {
        self.particles.is_some()
    }

    /// Whether it is to have as many as suit the machine.
    pub fn particles_auto(&self) -> bool {
        self.particles.as_deref() == Some("auto")
    }

    /// Reads the scene that is in force, with what is set laid over it.
    pub fn load(&self, settings: &Settings) -> Result<Scene, Failure> {
        self.load_as(&settings.scene, settings).map_err(|failure| match failure {
            Failure::Input(message) if self.scene.is_none() => {
                Failure::Input(format!("{}: {message}", settings.scene_origin))
            }
            failure => failure,
        })
    }

    /// All that is laid over the scene, as texts.
    pub fn set_with(&self, settings: &Settings) -> Vec<String> {
        self.set.iter().cloned().chain(settings.particles.as_ref().map(Setting::to_text)).collect()
    }

    /// Reads another scene with what is set laid over it.
    pub fn load_as(&self, name: &str, settings: &Settings) -> Result<Scene, Failure> {
        let mut over = Vec::new();
        for text in &self.set {
            over.push(Setting::parse(text, "--set")?);
        }
        over.extend(settings.particles.clone());
        let scene = scenes::load(name, &over)?;
        self.obstacles.as_ref().map_or(Ok(scene.clone()), |drawing| drawing.lay_in(scene))
    }
}

/// A scene that plays with no terminal.
#[derive(Clone, Debug, Args)]
pub struct StageArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The window, in cells that are twice as high as wide
    #[arg(long, value_name = "WxH", default_value = "80x24")]
    pub size: Size,
    /// Turn gravity by so many degrees, from some second on; may be repeated
    #[arg(long, value_name = "DEG[@T]", allow_hyphen_values = true)]
    pub tilt: Vec<Tilt>,
    /// Do something at a second, such as 2 tilt 10deg or 3 gravity 0; may be repeated
    #[arg(long, value_names = ["T", "ACTION"], num_args = 1..=6, allow_negative_numbers = true)]
    pub at: Vec<String>,
    /// Instead of a scene, the clock from this time on, as 12:34, 12:34:50 or 9:34pm
    #[arg(long, value_name = "TIME", conflicts_with_all = ["text", "melt"])]
    pub clock: Option<TimeOfDay>,
    /// Instead of a scene, these words
    #[arg(long, value_name = "WORDS")]
    pub text: Option<String>,
    /// Instead of a scene, the text in this file with its colours; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub melt: Option<PathBuf>,
}

impl StageArgs {
    /// What is played instead of a scene, if anything.
    pub fn act(&self) -> Result<Option<Act>, Failure> {
        perform::staged(self)
    }

    /// Whether anything is done on it.
    pub fn acts(&self) -> bool {
        !(self.tilt.is_empty() && self.at.is_empty())
    }
}

/// Draw frames of a scene with no terminal
///
/// Writes to standard output, or to files in the folder given by --out.
#[derive(Debug, Args)]
pub struct RenderArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    #[command(flatten)]
    pub look: Layer,
    /// Simulated seconds until the last frame
    #[arg(long, value_name = "T", default_value = "2", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Frames, evenly spaced up to the last [default: 1, or 25 a second for a recording]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// What frames are written as [default: ansi, or png with --out]
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// The picture that the cells try to be, at 8x16 pixels a cell; needs --format png or ppm
    #[arg(long)]
    pub ideal: bool,
    /// Write frame-0001.png and so on into this folder; or a recording, where it ends in .cast, .gif, .png,
    /// .apng or .slosh
    #[arg(long, value_name = "DIR|FILE", visible_alias = "record")]
    pub out: Option<PathBuf>,
    /// Overwrite what is there
    #[arg(long)]
    pub force: bool,
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

/// Measure where the time goes
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    #[command(flatten)]
    pub look: Layer,
    /// How near every glyph set comes to the ideal picture, at three sizes, and chafa where it is installed
    #[arg(long, help_heading = "Sections")]
    pub fidelity: bool,
    /// Bytes a frame by ratatui's encoder and by ours, of the same frames, at three sizes
    #[arg(long, help_heading = "Sections")]
    pub bytes: bool,
    /// Measure the solver alone: pools of 1k, 5k, 20k and 100k particles at rest, or of --particles
    #[arg(long, help_heading = "Sections")]
    pub solver: bool,
    /// Measure the scene alone: its steps, its frames and their bytes
    #[arg(long, help_heading = "Sections")]
    pub play: bool,
    /// As JSON, for scripts
    #[arg(long)]
    pub json: bool,
    /// The solver's table for the README
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
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

/// Measure a scene over time and print it as CSV
#[derive(Debug, Args)]
pub struct ProbeArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    /// Simulated seconds
    #[arg(long, value_name = "T", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Simulated seconds from one row to the next
    #[arg(long, value_name = "DT", default_value = "0.1", value_parser = interval, allow_negative_numbers = true)]
    pub every: f64,
    /// Print velocities and pressures along a line at the end instead: x=0.5 is upright through the middle, y=0.5 level
    #[arg(long, value_name = "x=S|y=S")]
    pub line: Option<Section>,
    /// Measure what is in a piece of the tank too, given in shares of it; may be repeated
    #[arg(long, value_name = "LEFT,BOTTOM,RIGHT,TOP")]
    pub within: Vec<Piece>,
    /// Print where the nodes of the cloth are at the end instead
    #[arg(long, conflicts_with = "line")]
    pub nodes: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let valid = text.parse().ok().filter(|seconds| (0.0..=36_000.0).contains(seconds));
    valid.ok_or_else(|| "must be seconds, from 0 to 36000".to_owned())
}

fn interval(text: &str) -> Result<f64, String> {
    let valid = text.parse().ok().filter(|seconds| (0.001..=36_000.0).contains(seconds));
    valid.ok_or_else(|| "must be seconds, from 0.001 to 36000".to_owned())
}

/// A window's size in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u16,
    pub height: u16,
}

impl Size {
    /// Width over height, of cells twice as high as wide.
    pub fn aspect(self) -> f32 {
        f32::from(self.width) / (2.0 * f32::from(self.height))
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (width, height) = text.split_once(['x', 'X', '×']).unwrap_or((text, ""));
        let size = width.parse().ok().zip(height.parse().ok()).map(|(width, height)| Size { width, height });
        size.filter(|size| (1..=1000).contains(&size.width) && (1..=500).contains(&size.height))
            .ok_or_else(|| "must be COLUMNSxROWS, as 80x24, from 1x1 to 1000x500".to_owned())
    }
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
            Some(Command::Render(args)) => capture::run(&args),
            Some(Command::Bench(args)) => bench::run(&args),
            Some(Command::Probe(args)) => probe::run(&args),
            Some(Command::Doctor(args)) => doctor::run(&args),
            Some(Command::Config(args)) => configure::run(&args),
            Some(Command::Play(args)) if replay::is_one(Path::new(&args.code)) => toy::replay(Path::new(&args.code)),
            Some(Command::Play(args)) => {
                let said = |message| Failure::Input(format!("{}: {message}", args.code));
                let recipe = Recipe::of(&args.code).map_err(said)?;
                toy::play(&ToyArgs::default().following(recipe), false)
            }
            Some(Command::Clock(args)) => perform::clock(&args),
            Some(Command::Text(args)) => perform::text(&args),
            Some(Command::Melt(args)) => perform::melt(&args),
            Some(Command::Init(args)) => snippet::run(&args),
            #[cfg(unix)]
            Some(Command::WaitIdle(args)) => wait::run(&args),
            Some(Command::Completions { shell }) => manual::completions(shell),
            Some(Command::Man) => manual::man(),
            Some(Command::Saver(args)) => toy::play(&args, true),
            None => toy::play(&self.toy, self.toy.screensaver),
        }
    }
}
