//! asciicast v2 (<https://docs.asciinema.org/manual/asciicast/v2/>): a line of JSON with a time for each output.

use crate::app::record::atomic_file::AtomicFile;
use crate::app::record::{Format, FormatWriter, PLAYER, Start};
use crate::term::encoder::{FrameEncoder, OutputCaps};
use crate::view::ColorDepth;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub const FORMAT: Format =
    Format { endings: &["cast"], player: PLAYER, shortest: Duration::ZERO, interval: Duration::ZERO, open };

/// Sequences that every player understands; none that needs a reply.
const OUTPUT_CAPS: OutputCaps =
    OutputCaps { depth: ColorDepth::TrueColor, sync: false, row_order: false, erase: true, repeat: false, tabs: false };

/// Hides the player's cursor and switches wrapping off, so that the last column does not scroll.
const BEGIN: &str = "\x1b[?25l\x1b[?7l\x1b[2J";

struct Cast {
    file: AtomicFile,
    screen: FrameEncoder,
    area: Rect,
}

fn open(file: File, start: &Start) -> io::Result<Box<dyn FormatWriter>> {
    let area = start.area;
    let mut header = json!({
        "version": 2, "width": area.width, "height": area.height, "title": "slosh", "env": { "TERM": "xterm-256color" },
    });
    if let Ok(since) = SystemTime::now().duration_since(UNIX_EPOCH) {
        header["timestamp"] = since.as_secs().into();
    }
    let mut file = AtomicFile::new(file, b"");
    file.append(format!("{header}\n{}", line(Duration::ZERO, "o", BEGIN)).as_bytes())?;
    Ok(Box::new(Cast { file, screen: FrameEncoder::new(OUTPUT_CAPS), area }))
}

impl FormatWriter for Cast {
    fn frame(&mut self, at: Duration, frame: &Buffer, _: &str) -> io::Result<()> {
        let mut lines = String::new();
        if frame.area != self.area {
            self.area = frame.area;
            lines += &line(at, "r", &format!("{}x{}", frame.area.width, frame.area.height));
            self.screen.invalidate();
        }
        let output = String::from_utf8_lossy(self.screen.encode(frame));
        if !output.is_empty() {
            lines += &line(at, "o", &output);
        }
        if lines.is_empty() { Ok(()) } else { self.file.append(lines.as_bytes()) }
    }

    /// The length of a cast is the time of its last event.
    fn finish(&mut self, end: Duration, _: &str) -> io::Result<()> {
        self.file.append(line(end, "o", "").as_bytes())
    }
}

fn line(at: Duration, kind: &str, data: &str) -> String {
    format!("{}\n", json!([at.as_micros() as f64 / 1e6, kind, data]))
}
