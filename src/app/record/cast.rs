//! asciicast v2 (<https://docs.asciinema.org/manual/asciicast/v2/>): a line of JSON for what the terminal gets when.

use super::whole::Whole;
use crate::app::term::screen::{Dialect, Screen};
use crate::view::ColorDepth;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde_json::json;
use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What every player of casts understands, and nothing that needs an answer.
const DIALECT: Dialect = Dialect { depth: ColorDepth::TrueColor, sync: false, erase: true, repeat: false };

/// The player's cursor would stand in the picture, and the last column must not scroll it.
const BEGIN: &str = "\x1b[?25l\x1b[?7l\x1b[2J";

#[derive(Debug)]
pub struct Cast {
    file: Whole,
    screen: Screen,
    area: Rect,
}

impl Cast {
    /// # Errors
    /// If the file cannot be written.
    pub fn new(file: File, first: &Buffer) -> io::Result<Self> {
        let mut file = Whole::new(file, b"");
        let mut header = json!({
            "version": 2, "width": first.area.width, "height": first.area.height,
            "title": "slosh", "env": { "TERM": "xterm-256color" },
        });
        if let Ok(since) = SystemTime::now().duration_since(UNIX_EPOCH) {
            header["timestamp"] = since.as_secs().into();
        }
        file.append(format!("{header}\n{}", line(Duration::ZERO, "o", BEGIN)).as_bytes())?;
        Ok(Self { file, screen: Screen::new(DIALECT), area: first.area })
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn frame(&mut self, at: Duration, frame: &Buffer) -> io::Result<()> {
        let mut lines = String::new();
        if frame.area != self.area {
            self.area = frame.area;
            lines += &line(at, "r", &format!("{}x{}", frame.area.width, frame.area.height));
            self.screen.forget();
        }
        let bytes = self.screen.encode(frame);
        if !bytes.is_empty() {
            lines += &line(at, "o", &String::from_utf8_lossy(bytes));
        }
        if lines.is_empty() { Ok(()) } else { self.file.append(lines.as_bytes()) }
    }
}

fn line(at: Duration, kind: &str, data: &str) -> String {
    format!("{}\n", json!([at.as_micros() as f64 / 1e6, kind, data]))
}
