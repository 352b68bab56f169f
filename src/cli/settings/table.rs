//! The settings, one declaration each: name, default, help, flag, and a function that checks and stores the value. Everything
//! that lists settings follows from [`SETTINGS`]. A new setting is an entry here and the field that it stores to.

use crate::app::input::tilt::TiltMode;
use crate::app::saver::ExitOn;
use crate::cli::settings::theme;
use crate::cli::settings::values::Settings;
use crate::data::{DataError, Entry};
use crate::scene::{self, PARTICLES};
use crate::sim::parallel;
use crate::sim::parallel::instructions::Instructions;
use crate::view::{
    Background, ClothStyle, ColorBy, ColorDepth, GlyphMode, LightElement, LightMode, LiquidStyle, Palette, Rgb, palette,
};
use std::time::Duration;

/// One setting. The flag is `--name`, the variable `SLOSH_NAME`, the key in the settings file `name`.
pub struct SettingSpec {
    pub name: &'static str,
    /// The default as TOML.
    pub default: &'static str,
    /// One line: the meaning of the setting and the values that it takes.
    pub help: &'static str,
    pub flag: Option<Flag>,
    pub store: fn(&Entry, &mut Settings) -> Result<(), DataError>,
}

pub struct Flag {
    /// The letter of the short form, for flags that are typed often.
    pub short: Option<char>,
    /// The group of the flag. A command takes all flags of its groups.
    pub group: u8,
    pub form: FlagForm,
    pub values: Option<fn() -> Vec<&'static str>>,
}

pub enum FlagForm {
    Positional(&'static str),
    Value(&'static str),
    /// A flag without a value: it selects one value of the setting.
    Switch {
        flag: &'static str,
        value: &'static str,
        help: &'static str,
    },
}

pub mod group {
    pub const SCENE: u8 = 1;
    pub const SIMULATION: u8 = 2;
    pub const PICTURE: u8 = 4;
    pub const TERMINAL: u8 = 8;
    pub const SAVER: u8 = 32;
}

pub fn heading(group: u8) -> Option<&'static str> {
    match group {
        group::PICTURE => Some("Picture"),
        group::SAVER => Some("Screensaver"),
        _ => None,
    }
}

const fn flag(group: u8, value_name: &'static str) -> Option<Flag> {
    Some(Flag { short: None, group, form: FlagForm::Value(value_name), values: None })
}

const fn choice(group: u8, value_name: &'static str, values: fn() -> Vec<&'static str>) -> Option<Flag> {
    Some(Flag { short: None, group, form: FlagForm::Value(value_name), values: Some(values) })
}

const fn positional(group: u8, name: &'static str, values: fn() -> Vec<&'static str>) -> Option<Flag> {
    Some(Flag { short: None, group, form: FlagForm::Positional(name), values: Some(values) })
}

const fn switch(group: u8, flag: &'static str, value: &'static str, help: &'static str) -> Option<Flag> {
    Some(Flag { short: None, group, form: FlagForm::Switch { flag, value, help }, values: None })
}

const fn short(letter: char, flag: Option<Flag>) -> Option<Flag> {
    match flag {
        Some(Flag { group, form, values, .. }) => Some(Flag { short: Some(letter), group, form, values }),
        None => None,
    }
}

macro_rules! settings {
    ($($name:literal = $default:literal, $flag:expr, $help:literal => $store:expr;)+) => {
        pub const SETTINGS: &[SettingSpec] = &[
            $(SettingSpec { name: $name, default: $default, help: $help, flag: $flag, store: $store },)+
        ];
    };
}

settings! {
    "scene" = "\"dam\"", positional(group::SCENE, "SCENE", || scene::names().to_vec()),
        "The first scene: a name (`slosh list` names them), or a file such as my-scene.toml"
        => |entry, settings| {
            settings.scene = entry.text()?.to_owned();
            settings.scene_origin = entry.origin();
            Ok(())
        };
    "particles" = "\"auto\"", short('n', flag(group::SCENE, "N")),
        "Particle count, 1 to 2000000: resolution, not volume; auto follows the machine's speed in the toy, and is \
         the scene's own count elsewhere"
        => |entry, settings| {
            auto(&mut settings.particles, entry, |it| it.integer(PARTICLES).map(|_| it.setting("particles")))
        };
    "seed" = "\"auto\"", flag(group::SIMULATION, "S"),
        "Seed of the random numbers: the same seed gives the same frames; auto is a new random seed"
        => |entry, settings| auto(&mut settings.seed, entry, |it| it.integer(0..=i64::MAX).map(|seed| seed as u64));
    "threads" = "\"auto\"", flag(group::SIMULATION, "N"),
        "Threads of the simulation, 1 to 64; auto is 1, and the number of free cores where 1 is busy; the frames are the same with any"
        => |entry, settings| {
            auto(&mut settings.threads, entry, |it| it.integer(1..=parallel::MAX_THREADS as i64).map(|it| it as usize))
        };
    "simd" = "\"auto\"", None,
        "Vector instructions of the simulation: sse2, sse4.2, avx2 or avx512; auto is the best available"
        => |entry, settings| set(&mut settings.instructions, instructions(entry));
    "fps" = "60", flag(group::TERMINAL, "N"),
        "Upper limit on frames a second, 1 to 240; halved on battery (Linux), at most 30 as a screensaver"
        => |entry, settings| set(&mut settings.look.fps, entry.integer(1..=240).map(|number| number as u32));
    "glyphs" = "\"auto\"", short('g', choice(group::PICTURE, "G", || GlyphMode::ALL.map(GlyphMode::name).to_vec())),
        "Glyph set: wedge, sextant, quadrant, half, ascii, braille or octant; auto suits the terminal"
        => |entry, settings| {
            auto(&mut settings.look.glyphs, entry, |it| it.one_of(GlyphMode::ALL, GlyphMode::name))
        };
    "theme" = "\"none\"",
        short('t', choice(group::PICTURE, "T", || { theme::embedded().iter().map(|theme| &*theme.name).chain(["none"]).collect() })),
        "Palette, background, glyphs and overlay colours under one name (`slosh list` names them), or none"
        // The layers expand the theme to its values.
        => |_, _| Ok(());
    "palette" = "\"auto\"", short('p', choice(group::PICTURE, "P", palette::names)),
        "Colours of the liquid (`slosh list` names the palettes); auto is the scene's own"
        => |entry, settings| {
            auto(&mut settings.look.palette, entry, |it| find_palette(it, &settings.look.palettes))
        };
    "background" = "\"auto\"", flag(group::PICTURE, "B"),
        "Background: auto is the palette's own, or else the terminal's, or black where it does not tell its own; terminal is the terminal's; or #rrggbb"
        => |entry, settings| set(&mut settings.look.background, background(entry));
    "overlay" = "\"auto\"", None,
        "Colours of text over the picture and of its background, as [\"#e8e8e8\", \"#101820\"]; auto is white on \
         black, or black on white on a light background"
        => |entry, settings| auto(&mut settings.look.overlay, entry, overlay);
    "color" = "\"auto\"", choice(group::PICTURE, "C", || depths().into_iter().map(|(name, _)| name).collect()),
        "Colour depth: truecolor, 256, 16 or mono; auto suits the terminal"
        => |entry, settings| set(&mut settings.terminal.color, entry.word(&depths()));
    "color-by" = "\"density\"", short('c', choice(group::PICTURE, "Q", || ColorBy::ALL.map(ColorBy::name).to_vec())),
        "Quantity that the colour shows: density, speed, pressure, temperature, amount (of dye), surface or a force \
         (`slosh list` names them)"
        => |entry, settings| set(&mut settings.look.color_by, entry.one_of(ColorBy::ALL, ColorBy::name));
    "cloth-style" = "\"surface\"", choice(group::PICTURE, "W", || ClothStyle::ALL.map(ClothStyle::name).to_vec()),
        "Parts of a cloth that are drawn: surface, wire or both"
        => |entry, settings| set(&mut settings.look.cloth_style, entry.one_of(ClothStyle::ALL, ClothStyle::name));
    "view" = "\"surface\"", choice(group::PICTURE, "V", || LiquidStyle::ALL.map(LiquidStyle::name).to_vec()),
        "What a liquid is drawn as: surface, particles, or arrows (of velocity, or of the force that color-by shows)"
        => |entry, settings| {
            set(&mut settings.look.liquid_style, entry.one_of(LiquidStyle::ALL, LiquidStyle::name))
        };
    "light" = "\"full\"", choice(group::PICTURE, "L", light_words),
        "Light: full, flat (only darker with depth), or a list of effects to draw: gloss, reflectance, fresnel, \
         translucency, clarity, crust, glow, smoke, foam and roundness; no- before a name leaves that effect out, as in \
         no-clarity,no-foam"
        => |entry, settings| set(&mut settings.look.light, light(entry));
    "mouse" = "true", switch(group::TERMINAL, "no-mouse", "false", "Leave the mouse to the terminal"),
        "Whether the mouse acts on the tank; if false, the terminal selects text with it"
        => |entry, settings| set(&mut settings.controls.mouse, entry.switch());
    "tilt" = "\"return\"", choice(group::TERMINAL, "T", || TiltMode::ALL.map(TiltMode::name).to_vec()),
        "Tilt after the keys are released: return (to upright; after three seconds where the terminal does not report \
         releases) or hold"
        => |entry, settings| set(&mut settings.controls.tilt, entry.one_of(TiltMode::ALL, TiltMode::name));
    "hint" = "true", switch(group::TERMINAL, "quiet", "false", "Do not list keys at the start"),
        "Whether a line lists the first keys: for six seconds at the start, for three after a key without a \
         meaning"
        => |entry, settings| set(&mut settings.controls.hint, entry.switch());
    "recording" = "\"gif\"", choice(group::TERMINAL, "F", || RECORDINGS.to_vec()),
        "Format of the recordings of the key R: gif, png (animated) or cast (asciicast)"
        => |entry, settings| set(&mut settings.controls.recording, entry.word(&RECORDINGS.map(|it| (it, it))));
    "bandwidth" = "\"auto\"", flag(group::TERMINAL, "RATE"),
        "Upper limit on bytes a second, as 20K or 1.5M; auto follows the rate of the link"
        => |entry, settings| auto(&mut settings.terminal.bandwidth, entry, bandwidth);
    "reduced-motion" = "false", switch(group::SAVER, "reduced-motion", "true", "Tilt and stir gently, and never shake"),
        "Reduced motion: the screensaver tilts and stirs gently and never shakes"
        => |entry, settings| set(&mut settings.saver.reduced_motion, entry.switch());
    "every" = "25", flag(group::SAVER, "SECONDS"),
        "Seconds for each scene of the screensaver, 5 to 3600, varied at random by up to a fifth"
        => |entry, settings| {
            set(&mut settings.saver.every, entry.number(5.0..=3600.0).map(Duration::from_secs_f32))
        };
    "scenes" = "\"all\"", choice(group::SAVER, "A,B,C", || scene::names().to_vec()),
        "Scenes of the screensaver in order, as dam,lava,ink or [\"dam\", \"lava\"]; all shows the scenes of n, with no two \
         similar ones in a row"
        => |entry, settings| {
            settings.saver.scenes = if entry.text() == Ok("all") { None } else { Some(scenes(entry, settings)?) };
            Ok(())
        };
    "shuffle" = "false", switch(group::SAVER, "shuffle", "true", "Show the scenes in random order"),
        "Whether the screensaver shows its scenes in random order"
        => |entry, settings| set(&mut settings.saver.shuffle, entry.switch());
    "favorites" = "[\"dam\", \"fountain\", \"honey\", \"lava\", \"smoke\", \"ink\", \"curtain\", \"boats\", \"hourglass\"]",
        None,
        "The scenes of the keys 1 to 9 in the picker (/)"
        => |entry, settings| {
            settings.controls.favorites = scenes(entry, settings)?;
            Ok(())
        };
    "idle" = "8", flag(group::SAVER, "SECONDS"),
        "Seconds without input after which an autopilot plays gently, until the next input; ten minutes later the toy \
         rests; 0 switches both off"
        => |entry, settings| {
            let seconds = entry.number(0.0..=86_400.0)?;
            settings.saver.idle = (seconds > 0.0).then(|| Duration::from_secs_f32(seconds));
            Ok(())
        };
    "exit-on" = "\"key\"", choice(group::SAVER, "BY", || ExitOn::ALL.map(ExitOn::name).to_vec()),
        "What ends the screensaver: key, key+mouse, focus or none"
        => |entry, settings| set(&mut settings.saver.exit_on, entry.one_of(ExitOn::ALL, ExitOn::name));
}

const RECORDINGS: [&str; 3] = ["gif", "png", "cast"];

pub fn find(name: &str) -> Option<&'static SettingSpec> {
    SETTINGS.iter().find(|spec| spec.name == name)
}

/// Limits of `bandwidth`, bytes per second. Below the lower limit a key has no visible effect for seconds.
const MIN_BANDWIDTH: i64 = 500;
const MAX_BANDWIDTH: i64 = 1_000_000_000;

const MAX_SCENES: usize = 100;

/// Reads names of scenes, as a list or separated by commas. Whether the scenes exist is checked later, where the user's
/// own scenes are known too.
fn scenes(entry: &Entry, settings: &mut Settings) -> Result<Vec<String>, DataError> {
    let names: Vec<String> = match entry.text() {
        Ok(text) => text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect(),
        Err(_) => {
            entry.list(MAX_SCENES)?.iter().map(|name| name.text().map(str::to_owned)).collect::<Result<_, _>>()?
        }
    };
    if names.is_empty() || names.len() > MAX_SCENES {
        return Err(
            entry.error(format_args!("must name 1 to {MAX_SCENES} scenes, as in [\"dam\", \"lava\"] or dam,lava"))
        );
    }
    settings.named_scenes.extend(names.iter().map(|name| (name.clone(), entry.origin())));
    Ok(names)
}

fn set<T>(to: &mut T, value: Result<T, DataError>) -> Result<(), DataError> {
    *to = value?;
    Ok(())
}

fn auto<T>(to: &mut Option<T>, entry: &Entry, read: impl Fn(&Entry) -> Result<T, DataError>) -> Result<(), DataError> {
    set(to, if entry.text() == Ok("auto") { Ok(None) } else { read(entry).map(Some) })
}

/// Rejects instructions that this machine lacks: a user who sets them wants their speed.
fn instructions(entry: &Entry) -> Result<Instructions, DataError> {
    let wanted = entry.one_of(Instructions::ALL, Instructions::name)?;
    if wanted.available() {
        return Ok(wanted);
    }
    let here: Vec<&str> = Instructions::ALL.into_iter().filter(|it| it.available()).map(Instructions::name).collect();
    let (wanted, here) = (wanted.name(), here.join(", "));
    Err(entry.error(format_args!("is {wanted:?}, which this machine does not have; it has {here}")))
}

fn bandwidth(entry: &Entry) -> Result<u32, DataError> {
    let Ok(text) = entry.text() else { return entry.integer(MIN_BANDWIDTH..=MAX_BANDWIDTH).map(|n| n as u32) };
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1e3),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1.0), |digits| (digits, 1e6)),
    };
    let bytes = digits.trim().parse::<f64>().map_or(f64::NAN, |number| number * unit);
    if (MIN_BANDWIDTH as f64..=MAX_BANDWIDTH as f64).contains(&bytes) {
        return Ok(bytes as u32);
    }
    Err(entry.error(format_args!("must be bytes a second from 500 to 1000M, as 20K or 1.5M, or auto; not {text:?}")))
}

fn overlay(entry: &Entry) -> Result<[Rgb; 2], DataError> {
    let wrong = || entry.error("must be auto, or the colours of text and background, as [\"#e8e8e8\", \"#101820\"]");
    let colors: Vec<Rgb> =
        entry.list(2).map_err(|_| wrong())?.iter().filter_map(|it| it.text().ok()?.parse().ok()).collect();
    colors.try_into().map_err(|_| wrong())
}

fn background(entry: &Entry) -> Result<Background, DataError> {
    match entry.text()? {
        "auto" => Ok(Background::default()),
        "terminal" => Ok(Background::Terminal(Rgb::BLACK)),
        text => text.parse().map(Background::Painted).map_err(|_| {
            entry.error(format_args!("must be auto, terminal or a colour such as \"#101018\", not {text:?}"))
        }),
    }
}

fn find_palette(entry: &Entry, palettes: &[Palette]) -> Result<Palette, DataError> {
    let all: Vec<(&str, &Palette)> = palettes.iter().map(|palette| (palette.name(), palette)).collect();
    entry.word(&all).cloned()
}

fn light_words() -> Vec<&'static str> {
    ["full", "flat"].into_iter().chain(LightElement::ALL.map(LightElement::name)).collect()
}

/// Reads a word or a list of elements, as text with commas or as a list.
fn light(entry: &Entry) -> Result<LightMode, DataError> {
    let words = entry.one_or_list(2 * LightElement::ALL.len())?;
    let words = words.iter().map(Entry::text).collect::<Result<Vec<_>, _>>()?;
    words.join(",").parse().map_err(|message| entry.error(message))
}

fn depths() -> Vec<(&'static str, Option<ColorDepth>)> {
    let depths = ColorDepth::ALL.into_iter().rev().map(|depth| (depth.name(), Some(depth)));
    [("auto", None)].into_iter().chain(depths).collect()
}
