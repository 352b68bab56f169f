//! `.slosh`: not frames but what makes them. A line of JSON for how the app began, then a line for everything that
//! happened (see `replay/journal.rs`).

use crate::app::auto_particles::Fineness;
use crate::app::demo::{Act, Plot};
use crate::app::recorder::atomic_file::Whole;
use crate::app::{Options, SaverOptions, SimulationOptions};
use crate::data::Error;
use crate::scene;
use crate::scene::Scene;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;

/// Bytes of the header at most: a page to be melted is the longest part by far (4 MiB, and more as JSON).
pub const LONGEST_HEADER: usize = 16 << 20;

/// Reads a settings file that is in a recording, whose name it gets for errors, into options without scenes. Settings
/// are read above this floor.
pub type ReadSettings = fn(settings_file: &str, source: &str) -> Result<Options, Error>;

/// Of the format. Another one is not read.
const VERSION: u32 = 1;

/// How the app began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Of the format.
    slosh: u32,
    /// The program that recorded.
    version: String,
    /// All settings, as a settings file.
    settings: String,
    show: Show,
    seed: u64,
    /// Particles × substeps that the machine was thought to manage in a step, where that decided.
    work: Option<f32>,
    saver: bool,
    set: Few,
}

/// The version of a header that may have been written by another slosh.
#[derive(Deserialize)]
struct Version {
    slosh: u64,
}

/// Texts that a header may have in a list: there are 41 scenes, and a scene has some 30 keys.
const MOST: usize = 200;

/// Bytes of settings, and of all scenes that do not come with slosh: as many as they may have in files.
const LONGEST: usize = 1 << 20;

/// What a machine may be thought to manage: a hundred times what one of 2026 does on a core. More of it has made the
/// numbers overflow, and tanks of gigabytes.
const WORK: RangeInclusive<f32> = 1.0..=1e8;

/// A list of a few texts. It is refused while it is read: as a list of any length a line of JSON takes eight times as
/// much memory as it has bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
struct Few(Vec<String>);

impl<'de> Deserialize<'de> for Few {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Few;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, "a list of at most {MOST} texts")
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut texts: S) -> Result<Few, S::Error> {
                let mut all = Vec::new();
                while let Some(text) = texts.next_element()? {
                    if all.len() == MOST {
                        return Err(S::Error::invalid_length(MOST + 1, &self));
                    }
                    all.push(text);
                }
                Ok(Few(all))
            }
        }
        from.deserialize_seq(Reader)
    }
}

/// What was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Show {
    /// The scene that was shown first, and all that there were: by name if they come with slosh, else as TOML.
    Scenes(String, Few),
    Act(Plot),
}

impl Show {
    fn of(scene: &Scene, scenes: &[Scene]) -> Self {
        Self::Scenes(text_of(scene), Few(scenes.iter().map(text_of).collect()))
    }

    /// The scenes, or the act and what it takes place in.
    fn read<'a>(&'a self, source: &str) -> Result<(Scene, Vec<Scene>, Option<Act>), Error> {
        // One that is named often is read once.
        let mut known: Vec<(&str, Scene)> = Vec::new();
        let mut scene = |text: &'a String| {
            if let Some((_, scene)) = known.iter().find(|(known, _)| *known == text) {
                return Ok(scene.clone());
            }
            let scene = match scene::find(text) {
                Some(embedded) => Scene::parse(embedded, text),
                None => Scene::parse(text, source),
            }?;
            known.push((text, scene.clone()));
            Ok(scene)
        };
        match self {
            Self::Scenes(first, all) => {
                Ok((scene(first)?, all.0.iter().map(scene).collect::<Result<_, Error>>()?, None))
            }
            Self::Act(plot) => {
                let act = plot.act().map_err(|message| Error::new(format!("{source}:1"), message))?;
                Ok((act.scene(), Vec::new(), Some(act)))
            }
        }
    }
}

impl Header {
    /// `settings` are those in force, as a settings file; `plot` is what is played instead of scenes.
    pub fn new(options: &Options, settings: String, plot: Option<Plot>) -> Self {
        Self {
            slosh: VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings,
            show: plot.map_or_else(|| Show::of(&options.scene, &options.scenes), Show::Act),
            seed: options.simulation.seed,
            work: options.simulation.auto_particles.as_ref().map(Fineness::work),
            saver: options.saver.from_start,
            set: Few(options.set.clone()),
        }
    }

    /// Reads the first line of a recording.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let read = serde_json::from_str::<Version>(line).map_err(|_| "is no recording of slosh".to_owned())?;
        if read.slosh != u64::from(VERSION) {
            let version = read.slosh;
            return Err(format!("is in version {version} of the format; this slosh reads version {VERSION}"));
        }
        serde_json::from_str::<Self>(line).map_err(|error| error.to_string())?.believed()
    }

    /// Itself, if there may be such a recording.
    fn believed(self) -> Result<Self, String> {
        let wrong =
            |what: &str, most: usize, count: usize| Err(format!("its {what} have {count} bytes; they can have {most}"));
        if let Some(work) = self.work.filter(|work| !WORK.contains(work)) {
            return Err(format!("`work` must be a number from {} to {}, not {work}", WORK.start(), WORK.end()));
        }
        if self.settings.len() > LONGEST {
            return wrong("settings", LONGEST, self.settings.len());
        }
        if let Show::Scenes(first, all) = &self.show {
            let bytes = first.len() + all.0.iter().map(String::len).sum::<usize>();
            if bytes > LONGEST {
                return wrong("scenes", LONGEST, bytes);
            }
        }
        Ok(self)
    }

    /// The options that the app started with, as far as frames depend on them. `source` names the recording in errors.
    ///
    /// # Errors
    /// If a setting or a scene is not as it must be.
    pub fn options(&self, source: &str, read_settings: ReadSettings) -> Result<Options, Error> {
        let options = read_settings(&self.settings, source)?;
        let (scene, scenes, demo) = self.show.read(source)?;
        Ok(Options {
            scene,
            scenes,
            demo,
            simulation: SimulationOptions {
                auto_particles: self.work.map(Fineness::of_work),
                seed: self.seed,
                ..options.simulation
            },
            saver: SaverOptions { from_start: self.saver, ..options.saver },
            set: self.set.0.clone(),
            ..options
        })
    }
}

/// The name of a scene that comes with slosh and is as it came; TOML for others.
fn text_of(scene: &Scene) -> String {
    let embedded = scene::find(&scene.name).and_then(|text| Scene::parse(text, &scene.name).ok());
    if embedded.as_ref() == Some(scene) { scene.name.clone() } else { scene.to_toml() }
}

#[derive(Debug)]
pub struct Log {
    file: Whole,
}

impl Log {
    /// # Errors
    /// If the file cannot be written.
    pub fn new(file: File, header: &Header) -> io::Result<Self> {
        let mut file = Whole::new(file, b"");
        let line = format!("{}\n", serde_json::to_string(header)?);
        if line.len() > LONGEST_HEADER || header.clone().believed().is_err() {
            return Err(io::Error::other("what is played is too long for a .slosh; record a .cast"));
        }
        file.append(line.as_bytes())?;
        Ok(Self { file })
    }

    /// Takes lines of notes.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn notes(&mut self, lines: &str) -> io::Result<()> {
        if lines.is_empty() { Ok(()) } else { self.file.append(lines.as_bytes()) }
    }
}
