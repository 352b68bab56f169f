//! `.slosh`: not frames but what makes them. A line of JSON for how the app began, then a line for everything that
//! happened (see `replay/journal.rs`).

use super::whole::Whole;
use crate::app::Options;
use crate::app::act::{Act, Plot};
use crate::app::fineness::Fineness;
use crate::app::settings::sources::Sources;
use crate::data::Error;
use crate::sim::scene::{self, Scene};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;

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
    set: Vec<String>,
}

/// What was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Show {
    /// The scene that was shown first, and all that there were: by name if they come with slosh, else as TOML.
    Scenes(String, Vec<String>),
    Act(Plot),
}

impl Show {
    fn of(scene: &Scene, scenes: &[Scene]) -> Self {
        Self::Scenes(text_of(scene), scenes.iter().map(text_of).collect())
    }

    /// The scenes, or the act and what it takes place in.
    fn read(&self, source: &str) -> Result<(Scene, Vec<Scene>, Option<Act>), Error> {
        let scene = |text: &String| match scene::find(text) {
            Some(embedded) => Scene::parse(embedded, text),
            None => Scene::parse(text, source),
        };
        match self {
            Self::Scenes(first, all) => Ok((scene(first)?, all.iter().map(scene).collect::<Result<_, _>>()?, None)),
            Self::Act(plot) => {
                let act = plot.act().map_err(|message| Error::new(&format!("{source}:1"), message))?;
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
            seed: options.seed,
            work: options.fineness.as_ref().map(Fineness::work),
            saver: options.saver,
            set: options.set.clone(),
        }
    }

    /// Reads the first line of a recording.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let value: serde_json::Value = serde_json::from_str(line).map_err(|_| "is no recording of slosh".to_owned())?;
        match value.get("slosh").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {
                serde_json::from_value(value).map_err(|error| error.to_string())
            }
            Some(version) => Err(format!("is in version {version} of the format; this slosh reads version {VERSION}")),
            None => Err("is no recording of slosh".to_owned()),
        }
    }

    /// With what the app began, as far as it decides about frames. `source` names the recording in errors.
    ///
    /// # Errors
    /// If a setting or a scene is not as it must be.
    pub fn options(&self, source: &str) -> Result<Options, Error> {
        // What it does not say, because there was no such setting yet, is as usual.
        let said = Some((source.to_owned(), self.settings.clone()));
        let settings = Sources { file: said, ..Sources::default() }.settings()?;
        let (scene, scenes, act) = self.show.read(source)?;
        Ok(Options {
            act,
            fineness: self.work.map(Fineness::of_work),
            seed: self.seed,
            saver: self.saver,
            set: self.set.clone(),
            ..Options::of(&settings, scene, scenes)
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
        file.append(format!("{}\n", serde_json::to_string(header)?).as_bytes())?;
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
