//! `.slosh`: the input of the app instead of its frames. The first line of JSON describes the start of the app, each other line
//! an event (see `replay/event_log.rs`).

use crate::app::action::Window;
use crate::app::demo::{Demo, DemoSpec};
use crate::app::record::atomic_file::AtomicFile;
use crate::app::record::{Format, FormatWriter, PLAYER, Start};
use crate::app::shared_tank::TankConfig;
use crate::app::shared_tank::view::RecordedView;
use crate::app::tank::auto_particles::AutoParticles;
use crate::app::{Options, SimulationOptions};
use crate::data::DataError;
use crate::scene::{self, PARTICLES, Scene};
use ratatui::buffer::Buffer;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fs::File;
use std::ops::RangeInclusive;
use std::time::Duration;
use std::{fmt, io};

pub const FORMAT: Format =
    Format { endings: &["slosh"], player: PLAYER, shortest: Duration::ZERO, interval: Duration::ZERO, open };

/// Upper limit on the header, in bytes: a screen capture is the longest part by far (4 MiB, and more as JSON).
pub const MAX_HEADER: usize = 16 << 20;

/// Reads the settings file in a recording; `source` names the recording. Settings are read by `cli`, which this module may not
/// import.
pub type ReadSettings = fn(settings_file: &str, source: &str) -> Result<Options, DataError>;

const VERSION: u32 = 3;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    slosh: u32,
    version: String,
    settings: String,
    content: Content,
    /// The window at the start, in which the pointer starts, or that of all frames of a shared tank.
    window: Window,
    seed: u64,
    /// Estimate of the particles × substeps per step that the machine can compute, if the count is automatic.
    work: Option<f32>,
    saver: bool,
    set: BoundedList,
}

#[derive(Deserialize)]
struct HeaderVersion {
    slosh: u64,
    #[serde(default)]
    version: String,
}

/// Upper limit on the texts of a list: there are some 50 scenes, and a scene has some 30 keys.
const MAX_TEXTS: usize = 200;

/// Upper limit on the bytes of the settings, and of all scenes that are not embedded: that of their files.
const MAX_BYTES: usize = 1 << 20;

/// Limits on `work`: larger values overflow, and create worlds of gigabytes.
const WORK_RANGE: RangeInclusive<f32> = 1.0..=1e8;

/// A longer list is refused while it is read: a line of JSON takes eight times its bytes in memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
struct BoundedList(Vec<String>);

impl<'de> Deserialize<'de> for BoundedList {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = BoundedList;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, "a list of at most {MAX_TEXTS} texts")
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut texts: S) -> Result<BoundedList, S::Error> {
                let mut all = Vec::new();
                while let Some(text) = texts.next_element()? {
                    if all.len() == MAX_TEXTS {
                        return Err(S::Error::invalid_length(MAX_TEXTS + 1, &self));
                    }
                    all.push(text);
                }
                Ok(BoundedList(all))
            }
        }
        from.deserialize_seq(Reader)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Content {
    /// The first scene, and all scenes: by name if embedded, else as TOML.
    Scenes(String, BoundedList),
    Demo(DemoSpec),
    /// A shared tank: its scenes, as above, and its start.
    Tank(BoundedList, TankConfig),
}

impl Content {
    fn read(&self, source: &str) -> Result<(Scene, Vec<Scene>, Option<Demo>), DataError> {
        let scene = |text: &String| match scene::find(text) {
            Some(embedded) => Scene::parse(embedded, text),
            None => Scene::parse(text, source),
        };
        let all = |texts: &BoundedList| texts.0.iter().map(scene).collect::<Result<Vec<_>, _>>();
        match self {
            Self::Scenes(first, scenes) => Ok((scene(first)?, all(scenes)?, None)),
            Self::Tank(scenes, TankConfig { scene: first, .. }) => {
                let all = all(scenes)?;
                let first = all.get(*first).cloned().ok_or_else(|| {
                    DataError::new(format!("{source}:1"), format!("there is no scene of number {first}"))
                })?;
                Ok((first, all, None))
            }
            Self::Demo(demo) => {
                let act = demo.build().map_err(|message| DataError::new(format!("{source}:1"), message))?;
                Ok((act.scene(), Vec::new(), Some(act)))
            }
        }
    }
}

impl Header {
    pub fn new(options: &Options) -> Self {
        let scenes = || Content::Scenes(text_of(&options.scenes[options.first]), texts_of(&options.scenes));
        let content = options.demo_spec.clone().map_or_else(scenes, Content::Demo);
        Self {
            work: options.simulation.auto_particles.as_ref().map(|auto| auto.work),
            saver: options.saver.from_start,
            set: BoundedList(options.set.clone()),
            ..Self::of(content, &options.settings_file, options.window, options.simulation.seed)
        }
    }

    pub fn of_tank(config: &TankConfig, view: &RecordedView) -> Self {
        let content = Content::Tank(texts_of(&config.scenes), config.clone());
        Self::of(content, &view.settings, view.window, config.seed)
    }

    fn of(content: Content, settings: &str, window: Window, seed: u64) -> Self {
        let (version, set) = (env!("CARGO_PKG_VERSION").to_owned(), BoundedList(Vec::new()));
        let settings = settings.to_owned();
        Self { slosh: VERSION, version, settings, content, window, seed, work: None, saver: false, set }
    }

    /// Returns the start of the shared tank, and the look of its frames; `None` for a recording of one toy.
    pub fn tank(&self, source: &str, read: ReadSettings) -> Result<Option<(TankConfig, RecordedView)>, DataError> {
        let Content::Tank(_, spec) = &self.content else { return Ok(None) };
        let wrong = |message: String| DataError::new(format!("{source}:1"), message);
        if let Some(particles) = spec.particles.filter(|&particles| !PARTICLES.contains(&(particles as i64))) {
            return Err(wrong(format!("{particles} particles are out of range")));
        }
        let options = self.options(source, read)?;
        let SimulationOptions { threads, instructions, .. } = options.simulation;
        let config = TankConfig { scenes: options.scenes, seed: self.seed, threads, instructions, ..spec.clone() };
        let view = RecordedView { look: options.look, settings: self.settings.clone(), window: self.window };
        Ok(Some((config, view)))
    }

    pub fn parse(line: &str) -> Result<Self, String> {
        let read = serde_json::from_str::<HeaderVersion>(line).map_err(|error| {
            let cut = error.is_eof() && line.starts_with("{\"slosh\":");
            if cut {
                "the recording is cut off in its first line"
            } else {
                "is not a slosh recording, nor an asciicast"
            }
        })?;
        if read.slosh != u64::from(VERSION) {
            let HeaderVersion { slosh: format, version } = read;
            return Err(format!(
                "slosh {version} recorded it in version {format} of the format; this is slosh {}, which plays version \
                 {VERSION} only",
                env!("CARGO_PKG_VERSION")
            ));
        }
        serde_json::from_str::<Self>(line).map_err(|error| error.to_string())?.validated()
    }

    fn validated(self) -> Result<Self, String> {
        let wrong =
            |what: &str, most: usize, count: usize| Err(format!("its {what} have {count} bytes; they can have {most}"));
        if let Some(work) = self.work.filter(|work| !WORK_RANGE.contains(work)) {
            let (least, most) = (WORK_RANGE.start(), WORK_RANGE.end());
            return Err(format!("`work` must be a number from {least} to {most}, not {work}"));
        }
        self.window.validated()?;
        if self.settings.len() > MAX_BYTES {
            return wrong("settings", MAX_BYTES, self.settings.len());
        }
        let texts = match &self.content {
            Content::Scenes(first, all) => Some((first.len(), all)),
            Content::Tank(all, _) => Some((0, all)),
            Content::Demo(_) => None,
        };
        if let Some((first, all)) = texts {
            let bytes = first + all.0.iter().map(String::len).sum::<usize>();
            if bytes > MAX_BYTES {
                return wrong("scenes", MAX_BYTES, bytes);
            }
        }
        Ok(self)
    }

    pub fn options(&self, source: &str, read: ReadSettings) -> Result<Options, DataError> {
        let mut options = read(&self.settings, source)?;
        let (first, scenes, demo) = self.content.read(source)?;
        options.set_scenes(first, scenes);
        options.demo = demo;
        options.window = self.window;
        options.simulation.seed = self.seed;
        options.simulation.auto_particles = self.work.map(|work| AutoParticles::from_estimate(work, self.saver));
        options.saver.from_start = self.saver;
        options.set = self.set.0.clone();
        Ok(options)
    }
}

fn text_of(scene: &Scene) -> String {
    if Scene::embedded(&scene.name).as_ref() == Some(scene) { scene.name.clone() } else { scene.to_toml() }
}

fn texts_of(scenes: &[Scene]) -> BoundedList {
    BoundedList(scenes.iter().map(text_of).collect())
}

struct InputLog(AtomicFile);

fn open(file: File, start: &Start) -> io::Result<Box<dyn FormatWriter>> {
    let header = start.header.ok_or_else(|| io::Error::other("has no header"))?;
    let line = format!("{}\n", serde_json::to_string(header)?);
    if line.len() > MAX_HEADER || header.clone().validated().is_err() {
        return Err(io::Error::other("the recording is too long for a .slosh; record a .cast"));
    }
    let mut file = AtomicFile::new(file, b"");
    file.append(line.as_bytes())?;
    Ok(Box::new(InputLog(file)))
}

impl FormatWriter for InputLog {
    fn frame(&mut self, _: Duration, _: &Buffer, entries: &str) -> io::Result<()> {
        if entries.is_empty() { Ok(()) } else { self.0.append(entries.as_bytes()) }
    }

    fn finish(&mut self, end: Duration, entries: &str) -> io::Result<()> {
        self.frame(end, &Buffer::default(), entries)
    }
}
