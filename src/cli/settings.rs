//! Settings: what can be set, and what is in force.
//!
//! ```text
//! usual < config.toml < SLOSH_* < flags      settings/sources.rs: layers on one tree, each value with its origin
//! tree → Settings                            here: values by key and range; unknown keys are refused
//! ```

pub mod config_command;
pub mod layers;
pub mod theme;

use crate::app::action::keymap::Keymap;
use crate::app::error::Failure;
use crate::app::recorder::Edition;
use crate::app::saver::Dismissal;
use crate::data::{Entry, Error, Fields, Node, Setting};
use crate::scene::{PARTICLES, Scene};
use crate::sim::parallel;
use crate::sim::parallel::instructions::Instructions;
use crate::view::{Background, ColorDepth, Drive, Glyphs, Palette, Rgb, Weave, palette};
use std::time::Duration;
use theme::Theme;

/// One key of the configuration. The flag `--name` and the variable `SLOSH_NAME` go by the same name.
pub struct Key {
    pub name: &'static str,
    /// What it is where nobody says anything, as TOML.
    pub usual: &'static str,
    /// What it stands for and what it may be: a comment of a line.
    pub about: &'static str,
}

const fn key(name: &'static str, usual: &'static str, about: &'static str) -> Key {
    Key { name, usual, about }
}

/// Everything that can be set once and for all. Keys are bound in a table of their own, `[keys]`.
pub const KEYS: [Key; 20] = [
    key("scene", "\"dam\"", "What is shown first: a scene by name (slosh list names them) or a file"),
    key(
        "particles",
        "\"auto\"",
        "What the liquid is made of: 1 to 2000000 particles, or auto for what the machine can",
    ),
    key("seed", "\"auto\"", "Where chance begins: a whole number, or auto for another one every time"),
    key("threads", "\"auto\"", "How many threads share the simulation: 1 to 64; auto is the cores that are free"),
    key(
        "simd",
        "\"auto\"",
        "Vector instructions of the simulation: sse2, sse4.2, avx2 or avx512; auto is the best there are",
    ),
    key("fps", "60", "Frames a second, at most: 1 to 240; half as many on battery (Linux)"),
    key("glyphs", "\"auto\"", "wedge, sextant, quadrant, half, ascii, braille or octant; auto suits the terminal"),
    key("theme", "\"none\"", "Several of these at once, by one name (slosh list names them); none is none"),
    key("palette", "\"auto\"", "The liquid's colours (slosh list names them); auto is the scene's own"),
    key(
        "background",
        "\"auto\"",
        "Behind the fluid: auto is the palette's where it has one, else the terminal's; terminal keeps that; or #rrggbb",
    ),
    key(
        "overlay",
        "\"auto\"",
        "Text and ground of what is written over the picture, as [\"#e8e8e8\", \"#101820\"]; auto is white on black",
    ),
    key("color", "\"auto\"", "How many colours: truecolor, 256, 16 or mono; auto suits the terminal"),
    key("drive", "\"density\"", "What the colour stands for: density, speed, pressure, amount, surface or a force"),
    key("cloth", "\"surface\"", "What of a cloth is drawn: surface, wire or both"),
    key("mouse", "true", "Whether the mouse plays; without, the terminal selects text with it"),
    key("bandwidth", "\"auto\"", "The most bytes a second that are sent, as 20K or 1.5M; auto is what the link takes"),
    key(
        "cast",
        "\"v2\"",
        "What a .cast is written in: asciicast v2, which every player reads, or v3, from asciinema 3 on",
    ),
    key("calm", "false", "Reduced motion: the screensaver tilts and stirs gently and never shakes"),
    key("idle", "0", "Seconds without a touch until the screensaver plays in the toy; 0 is never"),
    key("dismiss", "\"key\"", "What ends the screensaver: key, key+mouse, focus or none"),
];

/// Bytes a second. With less no key would have an effect in time.
const LEAST_BANDWIDTH: i64 = 500;
const MOST_BANDWIDTH: i64 = 1_000_000_000;

/// What is in force. Nothing stands for "whatever suits": the terminal, or the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub scene: String,
    /// Where the scene is named.
    pub scene_origin: String,
    /// To be laid over the scene.
    pub particles: Option<Setting>,
    pub seed: Option<u64>,
    /// How many threads share the simulation; 1 to 64.
    pub threads: Option<usize>,
    /// Vector instructions that this machine has.
    pub instructions: Instructions,
    /// Frames a second, at most; 1 to 240.
    pub fps: u32,
    pub glyphs: Option<Glyphs>,
    pub palette: Option<Palette>,
    /// The user's own, then those that slosh comes with.
    pub palettes: Vec<Palette>,
    pub background: Ground,
    /// Text and ground of what is written over the picture.
    pub overlay: Option<[Rgb; 2]>,
    pub color: Option<ColorDepth>,
    pub drive: Drive,
    pub weave: Weave,
    pub mouse: bool,
    /// Bytes a second, at most.
    pub bandwidth: Option<u32>,
    pub cast: Edition,
    pub calm: bool,
    /// After how long the autopilot takes over.
    pub idle: Option<Duration>,
    pub dismiss: Dismissal,
    pub keymap: Keymap,
}

impl Settings {
    /// The seed, or any one that can be given back as a setting: share codes are read that way.
    pub fn seed_or_any(&self) -> u64 {
        self.seed.unwrap_or_else(|| fastrand::u64(..=i64::MAX as u64))
    }

    /// Reads a tree that has all [`KEYS`].
    ///
    /// # Errors
    /// Names the origin and the key of what is unknown, of another type or out of range, and what would be right.
    pub fn of(tree: &Node) -> Result<Self, Error> {
        let mut fields = tree.fields()?;
        let scene = fields.need("scene")?;
        let palettes = palettes(&mut fields)?;
        // What a theme says has been laid on the tree with the rest.
        named_theme(&mut fields, &Theme::all(tree)?)?;
        fields.get("themes");
        let settings = Self {
            scene: scene.text()?.to_owned(),
            scene_origin: scene.origin(),
            particles: auto(&mut fields, "particles", |entry| {
                entry.integer(PARTICLES).map(|_| entry.setting("particles"))
            })?,
            seed: auto(&mut fields, "seed", |entry| entry.integer(0..=i64::MAX).map(|seed| seed as u64))?,
            threads: auto(&mut fields, "threads", |entry| {
                entry.integer(1..=parallel::MOST_THREADS as i64).map(|threads| threads as usize)
            })?,
            instructions: instructions(&fields.need("simd")?)?,
            fps: fields.need("fps")?.integer(1..=240)? as u32,
            glyphs: auto(&mut fields, "glyphs", |entry| entry.word(&Glyphs::ALL.map(|it| (it.name(), it))))?,
            palette: auto(&mut fields, "palette", |entry| find_palette(entry, &palettes))?,
            palettes,
            background: ground(&fields.need("background")?)?,
            overlay: auto(&mut fields, "overlay", overlay)?,
            color: fields.need("color")?.word(&depths())?,
            drive: fields.need("drive")?.word(&Drive::ALL.map(|it| (it.name(), it)))?,
            weave: fields.need("cloth")?.word(&Weave::ALL.map(|it| (it.name(), it)))?,
            mouse: fields.need("mouse")?.switch()?,
            bandwidth: auto(&mut fields, "bandwidth", bandwidth)?,
            cast: fields.need("cast")?.word(&Edition::ALL.map(|it| (it.name(), it)))?,
            calm: fields.need("calm")?.switch()?,
            idle: Some(fields.need("idle")?.number(0.0..=86_400.0)?)
                .filter(|&seconds| seconds > 0.0)
                .map(Duration::from_secs_f32),
            dismiss: fields.need("dismiss")?.word(&Dismissal::ALL.map(|it| (it.name(), it)))?,
            keymap: match fields.get("keys") {
                Some(keys) => Keymap::default().overlaid_by(keys.fields()?)?,
                None => Keymap::default(),
            },
        };
        fields.done()?;
        Ok(settings)
    }
}

/// The theme that is named, if one is.
pub fn named_theme(fields: &mut Fields, themes: &[Theme]) -> Result<Option<Theme>, Error> {
    let named = themes.iter().map(|theme| (theme.name.as_str(), Some(theme)));
    let choices: Vec<(&str, Option<&Theme>)> = [("none", None)].into_iter().chain(named).collect();
    Ok(fields.get("theme").map(|entry| entry.word(&choices)).transpose()?.flatten().cloned())
}

/// Two colours: of text, and of its ground.
fn overlay(entry: &Entry) -> Result<[Rgb; 2], Error> {
    let wrong = || entry.error("must be auto, or the colours of text and ground, as [\"#e8e8e8\", \"#101820\"]");
    let colors: Vec<Rgb> =
        entry.list(2).map_err(|_| wrong())?.iter().filter_map(|it| it.text().ok()?.parse().ok()).collect();
    <[Rgb; 2]>::try_from(colors).map_err(|_| wrong())
}

/// Nothing if the value is "auto".
fn auto<T>(
    fields: &mut Fields,
    key: &'static str,
    read: impl Fn(&Entry) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let entry = fields.need(key)?;
    if entry.text() == Ok("auto") { Ok(None) } else { read(&entry).map(Some) }
}

/// Refuses those that this machine lacks: whoever names some wants to know how fast these are.
fn instructions(entry: &Entry) -> Result<Instructions, Error> {
    let wanted = entry.word(&Instructions::ALL.map(|it| (it.name(), it)))?;
    if wanted.available() {
        return Ok(wanted);
    }
    let here: Vec<&str> = Instructions::ALL.into_iter().filter(|it| it.available()).map(Instructions::name).collect();
    Err(entry.error(format_args!(
        "is {:?}, which this machine does not have; it has {}",
        wanted.name(),
        here.join(", ")
    )))
}

/// Bytes a second: a number, or one with K or M for thousands and millions.
fn bandwidth(entry: &Entry) -> Result<u32, Error> {
    let Ok(text) = entry.text() else { return entry.integer(LEAST_BANDWIDTH..=MOST_BANDWIDTH).map(|n| n as u32) };
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1e3),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1.0), |digits| (digits, 1e6)),
    };
    let bytes = digits.trim().parse::<f64>().map_or(f64::NAN, |number| number * unit);
    if (LEAST_BANDWIDTH as f64..=MOST_BANDWIDTH as f64).contains(&bytes) {
        return Ok(bytes as u32);
    }
    Err(entry.error(format_args!("must be bytes a second from 500 to 1000M, as 20K or 1.5M, or auto; not {text:?}")))
}

/// What is behind the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// The palette's where it has one, else the terminal's.
    #[default]
    Auto,
    Terminal,
    Color(Rgb),
}

impl Ground {
    /// On a terminal whose own is taken to be `terminal`.
    pub fn on(self, terminal: Rgb) -> Background {
        match self {
            Self::Auto => Background::Palette(terminal),
            Self::Terminal => Background::Terminal(terminal),
            Self::Color(rgb) => Background::Painted(rgb),
        }
    }
}

fn ground(entry: &Entry) -> Result<Ground, Error> {
    match entry.text()? {
        "auto" => Ok(Ground::Auto),
        "terminal" => Ok(Ground::Terminal),
        text => text.parse().map(Ground::Color).map_err(|_| {
            entry.error(format_args!("must be auto, terminal or a colour such as \"#101018\", not {text:?}"))
        }),
    }
}

/// The user's own palettes, `[[palettes]]`, before those that slosh comes with: a namesake takes the other's place.
fn palettes(fields: &mut Fields) -> Result<Vec<Palette>, Error> {
    let mut all = Palette::read_all(&fields.list("palettes", palette::MOST)?, palette::embedded())?;
    let own = all.len();
    for palette in palette::embedded() {
        if all[..own].iter().all(|other| other.name() != palette.name()) {
            all.push(palette.clone());
        }
    }
    Ok(all)
}

fn find_palette(entry: &Entry, palettes: &[Palette]) -> Result<Palette, Error> {
    let all: Vec<(&str, &Palette)> = palettes.iter().map(|palette| (palette.name(), palette)).collect();
    entry.word(&all).cloned()
}

/// `auto` is no depth: it leaves the choice to the terminal.
fn depths() -> Vec<(&'static str, Option<ColorDepth>)> {
    let depths = ColorDepth::ALL.map(|depth| (depth.name(), Some(depth)));
    [("auto", None)].into_iter().chain(depths).collect()
}

pub fn names_of_depths() -> Vec<&'static str> {
    depths().into_iter().map(|(name, _)| name).collect()
}

/// The palette that a scene was made for, or the default.
pub fn palette_of(scene: &Scene, palettes: &[Palette]) -> Result<Palette, Failure> {
    let Some(name) = scene.world.appearance.as_deref() else { return Ok(Palette::default()) };
    let names: Vec<&str> = palettes.iter().map(Palette::name).collect();
    let unknown = || format!("{}: no palette is called {name:?}; {}", scene.name, crate::data::advice(name, &names));
    palettes.iter().find(|palette| palette.name() == name).cloned().ok_or_else(|| Failure::Input(unknown()))
}
