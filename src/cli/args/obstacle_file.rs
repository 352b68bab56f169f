//! `--obstacles FILE`: walls drawn as text.

use crate::app::error::Error;
use crate::app::files::{self, read_text};
use crate::scene::{Scene, drawing};
use crate::sim::boundary::drawing::Drawing;
use std::io::{self, IsTerminal};
use std::path::Path;

#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleFile {
    name: String,
    drawing: Drawing,
}

impl ObstacleFile {
    /// Reads a file, or standard input if the name is `-`, once, even if several scenes use it.
    pub fn read(name: &str) -> Result<Self, String> {
        let text = text_of(name).map_err(|error| error.to_string())?;
        Ok(Self { name: name.to_owned(), drawing: drawing::parse(&text)? })
    }

    pub fn lay_in(&self, scene: Scene) -> Result<Scene, Error> {
        let filled = scene.with_obstacle(self.drawing.clone());
        filled.map_err(|wrong| Error::Input(format!("{}: {wrong}", self.name)))
    }
}

fn text_of(name: &str) -> io::Result<String> {
    if name != "-" {
        return read_text(files::open(Path::new(name))?, "drawing");
    }
    if io::stdin().is_terminal() {
        return Err(io::Error::other("standard input is a terminal; pipe the drawing in"));
    }
    read_text(io::stdin().lock(), "drawing")
}
