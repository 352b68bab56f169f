//! asciicast v2 and v3 (<https://docs.asciinema.org/manual/asciicast/v3/>): a line of JSON with a time for each output.
//! Version 2 counts times from the beginning of the recording, version 3 from the previous event.

use crate::app::recorder::atomic_file::AtomicFile;
use crate::term::encoder::{FrameEncoder, OutputCaps};
use crate::view::ColorDepth;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};
use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Sequences that every player understands; none that needs a reply.
const OUTPUT_CAPS: OutputCaps =
    OutputCaps { depth: ColorDepth::TrueColor, sync: false, row_order: false, erase: true, repeat: false, tabs: false };

/// The terminal type in the header.
const TERM: &str = "xterm-256color";

/// Hides the player's cursor and switches wrapping off, so that the last column does not scroll.
const BEGIN: &str = "\x1b[?25l\x1b[?7l\x1b[2J";

/// The version of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CastVersion {
    /// The version that every player reads.
    #[default]
    V2,
    /// Written by asciinema since version 3; older versions cannot play it.
    V3,
}

impl CastVersion {
    pub const ALL: [CastVersion; 2] = [Self::V2, Self::V3];

    pub fn name(self) -> &'static str {
        match self {
            Self::V2 => "v2",
            Self::V3 => "v3",
        }
    }

    fn header(self, size: Rect) -> Value {
        match self {
            Self::V2 => json!({
                "version": 2, "width": size.width, "height": size.height, "env": { "TERM": TERM },
            }),
            Self::V3 => json!({
                "version": 3, "term": { "cols": size.width, "rows": size.height, "type": TERM },
            }),
        }
    }
}

#[derive(Debug)]
pub struct Cast {
    file: AtomicFile,
    version: CastVersion,
    screen: FrameEncoder,
    area: Rect,
    /// Time of the last event, in microseconds since the start.
    last: u128,
}

impl Cast {
    /// # Errors
    /// If the file cannot be written.
    pub fn new(file: File, first: &Buffer, version: CastVersion) -> io::Result<Self> {
        let file = AtomicFile::new(file, b"");
        let mut cast = Self { file, version, screen: FrameEncoder::new(OUTPUT_CAPS), area: first.area, last: 0 };
        let mut header = version.header(first.area);
        header["title"] = "slosh".into();
        if let Ok(since) = SystemTime::now().duration_since(UNIX_EPOCH) {
            header["timestamp"] = since.as_secs().into();
        }
        let begin = cast.line(Duration::ZERO, "o", BEGIN);
        cast.file.append(format!("{header}\n{begin}").as_bytes())?;
        Ok(cast)
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn frame(&mut self, at: Duration, frame: &Buffer) -> io::Result<()> {
        let mut lines = String::new();
        if frame.area != self.area {
            self.area = frame.area;
            lines += &self.line(at, "r", &format!("{}x{}", frame.area.width, frame.area.height));
            self.screen.invalidate();
        }
        let output = String::from_utf8_lossy(self.screen.encode(frame)).into_owned();
        if !output.is_empty() {
            lines += &self.line(at, "o", &output);
        }
        if lines.is_empty() { Ok(()) } else { self.file.append(lines.as_bytes()) }
    }

    /// An event line. Times are whole microseconds, so that intervals add up exactly.
    fn line(&mut self, at: Duration, kind: &str, data: &str) -> String {
        let at = at.as_micros();
        let before = std::mem::replace(&mut self.last, at);
        let micros = match self.version {
            CastVersion::V2 => at,
            CastVersion::V3 => at.saturating_sub(before),
        };
        format!("{}\n", json!([micros as f64 / 1e6, kind, data]))
    }
}
