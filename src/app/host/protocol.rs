//! The messages between host and guest. Both sides begin with [`PREAMBLE`] and the version, two bytes. Then messages follow: the
//! length as four bytes, little-endian, and the content in the format of postcard. A message that is too long or not valid ends
//! the connection.

use crate::app::action::{TerminalCaps, Window};
use crate::app::options::LookOptions;
use crate::app::shared_tank::{GuestAction, GuestStatus, LinkMeters};
use crate::term::encoder::color::PackedColor;
use crate::view::{Palette, palette};
use ratatui::buffer::Cell;
use ratatui::style::Modifier;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Write};

pub const PREAMBLE: [u8; 6] = *b"slosh\0";

pub const VERSION: u16 = 4;

pub const GREETING: usize = PREAMBLE.len() + 2;

pub const MAX_TO_HOST: usize = 2048;

/// The longest message of the host, in bytes: a frame of all cells of the largest window, each in a separate run.
pub const MAX_TO_GUEST: usize = 16 << 20;

const MAX_WORD: usize = 64;

pub fn greeting() -> Vec<u8> {
    [&PREAMBLE[..], &VERSION.to_le_bytes()].concat()
}

/// The version in the other side's first bytes; `None`: it is not slosh.
pub fn version_of(greeting: [u8; GREETING]) -> Option<u16> {
    let (preamble, version) = greeting.split_at(PREAMBLE.len());
    (preamble == PREAMBLE).then(|| u16::from_le_bytes([version[0], version[1]]))
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToHost {
    Hello {
        name: String,
        view: GuestView,
        /// The guest came over a network.
        remote: bool,
    },
    View(GuestView),
    Act(GuestAction),
    /// It has room for a frame.
    Next,
    Meters(LinkMeters),
    /// It shows the list of guests (`true`), or has closed it.
    Roster(bool),
    /// It requests the share code of the tank, for its clipboard.
    Copy,
    /// The host removes the guests of this name. Without a hello.
    Kick(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuestView {
    pub window: Window,
    pub terminal: TerminalCaps,
    pub look: LookOptions,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToGuest<'a> {
    Welcome {
        name: String,
        scenes: Vec<String>,
    },
    Frame(Frame<'a>),
    Status(TankStatus),
    Tell(String),
    Roster(Vec<GuestStatus>),
    /// The share code of the tank: letters, digits, `-` and `_`.
    Copy(String),
    /// The guest's terminal may get this many bytes a second; `None`: as many as its link carries.
    Bandwidth(Option<u32>),
    Goodbye(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TankStatus {
    pub scene: u16,
    pub aspect: f32,
    pub guests: u16,
    /// The tilt of gravity, radians from −π to π.
    pub tilt: f32,
}

impl ToHost {
    /// Reads a message and checks its numbers, except those of an action, which the tank checks.
    pub fn read(content: &[u8]) -> Result<Self, String> {
        let mut message: Self = read(content)?;
        match &mut message {
            Self::Hello { view, .. } | Self::View(view) => view.validate()?,
            Self::Meters(LinkMeters { frames, bytes, delay }) => {
                let numbers = [*frames, *bytes, delay.unwrap_or(0.0)];
                if !numbers.iter().all(|number| (0.0..1e12).contains(number)) {
                    return Err("a measurement is out of range".to_owned());
                }
            }
            Self::Act(_) | Self::Next | Self::Roster(_) | Self::Copy | Self::Kick(_) => {}
        }
        Ok(message)
    }
}

impl GuestView {
    /// Also puts the palettes that slosh comes with in place of their serialized copies.
    fn validate(&mut self) -> Result<(), String> {
        self.window.validated()?;
        let fps = self.look.fps;
        if !(1..=240).contains(&fps) {
            return Err(format!("{fps} frames a second are out of range, which is 1 to 240"));
        }
        if let Some(own) = &mut self.look.palette {
            validate_palette(own)?;
            if let Some(known) = palette::find(own.name()).filter(|known| framed(known) == framed(own)) {
                *own = known.clone();
            }
        }
        Ok(())
    }
}

fn validate_palette(palette: &Palette) -> Result<(), String> {
    if palette.name().len() > MAX_WORD {
        return Err("the name of a palette is too long".to_owned());
    }
    let mut optics = palette.optics;
    let optics = optics.parts().into_iter().map(|part| *part);
    let fractions = [palette.deep, palette.foam, palette.wall].into_iter().flatten().chain(optics);
    if !fractions.into_iter().all(|fraction| (0.0..=1.0).contains(&fraction)) {
        return Err("the colours and the optics of a palette are numbers from 0 to 1".to_owned());
    }
    if palette.background_low.is_some() && palette.background.is_none() {
        return Err("a background that changes downward needs one at the top".to_owned());
    }
    match palette.temperatures {
        Some([low, high]) if low == high || ![low, high].iter().all(|end| (-273.0..=5000.0).contains(end)) => {
            Err("the temperatures of a palette are two different ones from -273 to 5000".to_owned())
        }
        _ => Ok(()),
    }
}

pub fn read<T: DeserializeOwned>(content: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(content) {
        Ok((message, [])) => Ok(message),
        Ok(_) => Err("there are bytes after a message".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

pub fn framed(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = postcard::to_extend(message, vec![0; 4]).expect("messages are plain data");
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Writes what the other side takes now, and removes it. Returns the number of bytes; an error if the other side has gone.
pub fn send(out: &mut VecDeque<u8>, mut to: impl Write) -> io::Result<usize> {
    let waiting = out.len();
    while !out.is_empty() {
        match to.write(out.as_slices().0) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => drop(out.drain(..count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(waiting - out.len())
}

pub struct Splitter {
    /// At most an incomplete message, once [`Splitter::next`] has returned `None`.
    bytes: Vec<u8>,
    limit: usize,
}

impl Splitter {
    pub fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub fn greeting(&mut self) -> Option<[u8; GREETING]> {
        let greeting = *self.bytes.first_chunk()?;
        self.bytes.drain(..GREETING);
        Some(greeting)
    }

    /// The content of the next message, if it is complete; an error if it is longer than the limit.
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot fail")]
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, String> {
        let Some(length) = self.bytes.first_chunk().map(|length| u32::from_le_bytes(*length) as usize) else {
            return Ok(None);
        };
        if length > self.limit {
            return Err(format!("a message of {length} bytes is too long; the limit is {}", self.limit));
        }
        if self.bytes.len() < 4 + length {
            return Ok(None);
        }
        let content = self.bytes[4..4 + length].to_vec();
        self.bytes.drain(..4 + length);
        Ok(Some(content))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame<'a> {
    pub columns: u16,
    pub rows: u16,
    /// The index of the first cell, and the cells.
    runs: Vec<(u32, Cow<'a, [WireCell]>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireCell {
    pub character: char,
    pub fg: PackedColor,
    pub bg: PackedColor,
    pub modifier: u16,
}

impl<'a> Frame<'a> {
    /// The cells that have changed after version `from`; `changed` are the versions of their last changes.
    pub fn new(columns: u16, rows: u16, cells: &'a [WireCell], changed: &[u32], from: u32) -> Self {
        let (mut runs, mut start) = (Vec::new(), 0);
        for run in changed.chunk_by(|a, b| (*a > from) == (*b > from)) {
            let end = start + run.len();
            if run[0] > from {
                runs.push((start as u32, Cow::Borrowed(&cells[start..end])));
            }
            start = end;
        }
        Self { columns, rows, runs }
    }

    /// Calls `set` with the index of every changed cell; an error if the frame is malformed.
    pub fn apply(&self, mut set: impl FnMut(usize, WireCell)) -> Result<(), String> {
        Window { columns: self.columns, rows: self.rows, cell: [0, 0] }.validated()?;
        let area = usize::from(self.columns) * usize::from(self.rows);
        for (start, cells) in &self.runs {
            let start = *start as usize;
            if start + cells.len() > area || cells.iter().any(|cell| cell.character.is_control()) {
                return Err("the host sent a frame that is broken".to_owned());
            }
            cells.iter().enumerate().for_each(|(nth, cell)| set(start + nth, *cell));
        }
        Ok(())
    }
}

impl WireCell {
    pub fn of(cell: &Cell) -> Self {
        Self {
            character: cell.symbol().chars().next().unwrap_or(' '),
            fg: cell.fg.into(),
            bg: cell.bg.into(),
            modifier: cell.modifier.bits(),
        }
    }

    pub fn put(self, cell: &mut Cell) {
        cell.set_char(self.character);
        (cell.fg, cell.bg) = (self.fg.into(), self.bg.into());
        cell.modifier = Modifier::from_bits_truncate(self.modifier);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Rgb;

    fn sent(palette: &Palette) -> Palette {
        read(&framed(palette)[4..]).expect("a palette")
    }

    #[test]
    fn a_palette_is_sent_as_colours() {
        for own in palette::embedded() {
            let there = sent(own);
            validate_palette(&there).expect("a palette");
            assert!(framed(own).len() < MAX_TO_HOST / 4, "{}", own.name());
            let apart = |value: f32| {
                let [a, b] = [own, &there].map(|palette| Rgb::from_linear(palette.at(value)).oklab());
                (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
            };
            let most = (0..=100).map(|nth| apart(nth as f32 / 100.0)).fold(0.0, f32::max);
            assert!(most < 0.03, "{} differs by {most}", own.name());
            assert_eq!(
                (there.background, there.optics, there.temperatures),
                (own.background, own.optics, own.temperatures)
            );
        }
    }

    #[test]
    fn colours_out_of_range_are_refused() {
        let bad: [fn(&mut Palette); 6] = [
            |palette| palette.deep = [f32::NAN; 3],
            |palette| palette.wall = [1.5; 3],
            |palette| palette.optics.gloss = f32::NAN,
            |palette| (palette.background, palette.background_low) = (None, Some(Rgb(0, 0, 0))),
            |palette| palette.temperatures = Some([20.0, 20.0]),
            |palette| palette.temperatures = Some([20.0, f32::INFINITY]),
        ];
        for spoil in bad {
            let mut palette = Palette::default();
            spoil(&mut palette);
            assert!(validate_palette(&palette).is_err(), "{palette:?}");
        }
    }
}
