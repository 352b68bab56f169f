//! asciicast, versions 2 and 3 (<https://docs.asciinema.org/manual/asciicast/v3/>), as `R` or asciinema wrote it: the output goes
//! through the terminal emulator vt100, and each event is a frame.

use crate::app::action::Window;
use crate::app::demo::screen_capture::{emulated_size, emulator, show};
use crate::app::record::replay::Played;
use ratatui::buffer::Buffer;
use serde::Deserialize;
use std::time::Duration;

/// Upper limit on a line, in bytes: a first frame of a large window, escaped.
pub const MAX_LINE: usize = 4 << 20;

#[derive(Deserialize)]
struct Header {
    version: u32,
    #[serde(default)]
    width: u16,
    #[serde(default)]
    height: u16,
    #[serde(default)]
    term: Size,
    idle_time_limit: Option<f64>,
}

#[derive(Default, Deserialize)]
struct Size {
    cols: u16,
    rows: u16,
}

pub struct CastPlayer {
    terminal: vt100::Parser,
    /// Times are those since the event before (version 3), not since the start.
    intervals: bool,
    longest_pause: f64,
    /// Time of the last event in the file, and as it is played, seconds.
    last: f64,
    now: f64,
}

impl CastPlayer {
    /// Reads the first line; `None` if it is none of an asciicast.
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        let Header { version, width, height, term, idle_time_limit } = serde_json::from_str(line).ok()?;
        let (columns, rows) = if version == 3 { (term.cols, term.rows) } else { (width, height) };
        let terminal = match version {
            2 | 3 => emulator(Window { columns, rows, cell: [0, 0] }),
            _ => Err(format!("is an asciicast of version {version}; slosh plays versions 2 and 3")),
        };
        Some(terminal.map(|terminal| Self {
            terminal,
            intervals: version == 3,
            longest_pause: idle_time_limit.unwrap_or(f64::INFINITY),
            last: 0.0,
            now: 0.0,
        }))
    }

    pub fn show(&self, frame: &mut Buffer) {
        show(self.terminal.screen(), frame);
    }

    pub fn play(&mut self, line: &str, frame: &mut Buffer) -> Result<Played, String> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(Played::LogEntry);
        }
        let (time, kind, data): (f64, String, String) =
            serde_json::from_str(line).map_err(|_| "must be [time, \"kind\", \"data\"]".to_owned())?;
        let pause = if self.intervals { time } else { time - self.last };
        self.last = time;
        self.now += pause.clamp(0.0, self.longest_pause.max(0.0));
        let at = Duration::try_from_secs_f64(self.now).map_err(|_| format!("{time} is no time"))?;
        match &*kind {
            "o" => self.terminal.process(data.as_bytes()),
            "r" => {
                let cells =
                    data.split_once('x').and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
                let (columns, rows) =
                    cells.ok_or_else(|| format!("must resize to a size such as 80x24, not {data:?}"))?;
                let (rows, columns) = emulated_size(Window { columns, rows, cell: [0, 0] })?;
                self.terminal.screen_mut().set_size(rows, columns);
            }
            "x" => return Ok(Played::All),
            _ => return Ok(Played::LogEntry),
        }
        self.show(frame);
        Ok(Played::Frame(at))
    }
}
