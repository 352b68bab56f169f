//! Writes frames one by one, to a folder or to standard output.

use crate::app::error::Error;
use crate::app::files::failed;
use crate::cli::progress::Progress;
use crate::cli::render::args::RenderArgs;
use crate::cli::render::format::Format;
use crate::term::{Caps, Env};
use crate::view::ColorDepth;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

pub struct FrameWriter<'a> {
    folder: Option<&'a Path>,
    pub format: Format,
    /// The number of frames of the run, and the number written so far.
    pub count: u32,
    pub done: u32,
    /// The frames go to a terminal that shows nothing but ASCII.
    pub shows_ascii: bool,
    progress: Option<Progress>,
}

impl<'a> FrameWriter<'a> {
    /// Fails if a file of the run exists, unless `--force` is given.
    pub fn new(args: &'a RenderArgs, count: u32) -> Result<Self, Error> {
        let folder = args.out();
        let terminal = (folder.is_none() && io::stdout().is_terminal()).then(|| Caps::from_env(&Env::read(), None));
        let format = args.format.unwrap_or(match &terminal {
            _ if folder.is_some() => Format::Png,
            Some(caps) if caps.depth == ColorDepth::Mono => Format::Text,
            _ => Format::Ansi,
        });
        check(args, format)?;
        let progress = folder.map(|_| Progress::new(count.into()));
        let shows_ascii = terminal.is_some_and(|caps| !caps.utf8);
        let pages = Self { folder, format, count, done: 0, shows_ascii, progress };
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
            let there = (1..=count).map(|number| folder.join(pages.name(number))).find(|path| path.exists());
            if let Some(path) = there.filter(|_| !args.force) {
                return Err(failed(&path, &io::ErrorKind::AlreadyExists.into()));
            }
        }
        Ok(pages)
    }

    fn name(&self, number: u32) -> String {
        format!("frame-{number:04}.{}", self.format.ending())
    }

    pub fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.done += 1;
        match self.folder {
            Some(folder) => save(folder, &self.name(self.done), bytes)?,
            None => io::stdout().lock().write_all(bytes)?,
        }
        if let Some(progress) = &mut self.progress {
            progress.at(self.done.into());
        }
        Ok(())
    }

    pub fn finish(self) -> Result<(), Error> {
        Ok(io::stdout().flush()?)
    }
}

fn check(args: &RenderArgs, format: Format) -> Result<(), Error> {
    let advice = "give --out DIR";
    if args.ideal && format != Format::Png {
        return Err(Error::Input("--ideal draws a picture, not cells: give --format png".to_owned()));
    }
    if args.out().is_none() && format == Format::Png && io::stdout().is_terminal() {
        let ending = format.ending();
        return Err(Error::Input(format!(
            "a terminal cannot show a {ending} file; {advice}, or write to a file with >"
        )));
    }
    if args.out().is_none() && format == Format::Png && args.frames.is_some_and(|frames| frames > 1) {
        return Err(Error::Input(format!("standard output can hold only one PNG file; {advice}, or --out FILE.gif")));
    }
    Ok(())
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let (part, whole) = (folder.join(format!(".{name}.part")), folder.join(name));
    let saved = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &whole));
    saved.map_err(|error| {
        let _ = fs::remove_file(&part);
        at(&whole, error)
    })
}

fn at(path: &Path, error: io::Error) -> Error {
    Error::Run(format!("{}: {error}", path.display()))
}
