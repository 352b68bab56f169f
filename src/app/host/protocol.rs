//! The messages between host and guest, each with its length in front.
//!
//! Both sides begin with [`PREAMBLE`] and the version of the protocol, two bytes. Then messages follow: the length as four
//! bytes, little-endian, and the content. Frames are binary; all other messages are JSON. A message that is too long or not
//! valid ends the connection.

use crate::app::action::{TerminalCaps, Window};
use crate::app::shared_tank::panes::Pane;
use crate::app::shared_tank::{GuestAction, LinkMeters};
use crate::view::{GlyphMode, Optics, Palette, Rgb};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The first bytes of either side.
pub const PREAMBLE: [u8; 6] = *b"slosh\0";

/// The version of the protocol. Both sides must have the same.
pub const VERSION: u16 = 2;

/// Bytes of the preamble and the version.
pub const GREETING: usize = PREAMBLE.len() + 2;

/// The longest message of a guest, in bytes.
pub const MAX_TO_HOST: usize = 2048;

/// The longest message of the host, in bytes: a frame of all cells of the largest window, each in a separate run.
pub const MAX_TO_GUEST: usize = 16 << 20;

/// The longest name of a palette or of a quantity, in bytes.
const MAX_WORD: usize = 64;

/// The first bytes of a side.
pub fn greeting() -> [u8; GREETING] {
    let mut bytes = [0; GREETING];
    bytes[..PREAMBLE.len()].copy_from_slice(&PREAMBLE);
    bytes[PREAMBLE.len()..].copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

/// The version in the other side's first bytes; `None`: it is not slosh.
pub fn version_of(greeting: [u8; GREETING]) -> Option<u16> {
    let (preamble, version) = greeting.split_at(PREAMBLE.len());
    (preamble == PREAMBLE).then(|| u16::from_le_bytes([version[0], version[1]]))
}

/// Messages of a guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToHost {
    /// The first message: the guest's name and view.
    Hello {
        /// The user's name, which the host cleans.
        name: String,
        view: ViewSettings,
        /// Frames a second at most.
        fps: u16,
    },
    /// Its window or its look has changed.
    View(ViewSettings),
    Act(GuestAction),
    /// It has room for a frame.
    Next,
    /// The measurements of its link.
    Meters(LinkMeters),
    /// It shows the list of guests (`true`), or has closed it.
    Roster(bool),
    /// It requests the share code of the tank, for its clipboard.
    Copy,
}

/// A guest's view of the tank, in numbers and in names that are built into slosh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ViewSettings {
    pub window: Window,
    pub terminal: TerminalCaps,
    /// `None`: the best that the terminal shows.
    pub glyphs: Option<GlyphMode>,
    /// The name of a built-in palette; `None`: that of the scene.
    pub palette: Option<String>,
    /// The colours of the guest's own palette, in place of `palette`.
    pub colors: Option<PaletteColors>,
    pub background: ViewBackground,
    /// Names as in settings.
    pub color_by: String,
    pub cloth_style: String,
    pub light: String,
    /// The place of the window on the screen, if it is a known pane: for a tank that spans several panes.
    pub pane: Option<Pane>,
}

/// Upper limit on the stops of a palette that is sent. Palettes with more stops are approximated to 0.03 in OKLab, which a
/// test checks for the embedded ones.
pub const MAX_STOPS: usize = 16;

/// A palette of a guest's own, as colours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PaletteColors {
    /// From dense, slow, deep liquid to thin, fast, shallow liquid: 2 to [`MAX_STOPS`].
    stops: Vec<[u8; 3]>,
    deep: [u8; 3],
    foam: [u8; 3],
    wall: [u8; 3],
    background: Option<[u8; 3]>,
    background_low: Option<[u8; 3]>,
    /// Gloss, reflectance, fresnel, translucency, caustics, crust and glow, from 0 to 1.
    optics: [f32; 7],
    /// °C at the first stop and at the last.
    temperatures: Option<[f32; 2]>,
}

impl PaletteColors {
    /// The colours of a palette.
    pub fn of(palette: &Palette) -> Self {
        let bytes = |Rgb(r, g, b)| [r, g, b];
        let stop = |nth: usize| Rgb::from_linear(palette.at(nth as f32 / (MAX_STOPS - 1) as f32));
        let Optics { gloss, reflectance, fresnel, translucency, caustics, crust, glow } = palette.optics;
        Self {
            stops: (0..MAX_STOPS).map(|nth| bytes(stop(nth))).collect(),
            deep: bytes(Rgb::from_linear(palette.deep)),
            foam: bytes(Rgb::from_linear(palette.foam)),
            wall: bytes(Rgb::from_linear(palette.wall)),
            background: palette.background.map(bytes),
            background_low: palette.background_low.map(bytes),
            optics: [gloss, reflectance, fresnel, translucency, caustics, crust, glow],
            temperatures: palette.temperatures,
        }
    }

    /// The palette of these colours; none if there are too few.
    pub fn palette(&self) -> Option<Palette> {
        let rgb = |[r, g, b]: [u8; 3]| Rgb(r, g, b);
        let stops: Vec<Rgb> = self.stops.iter().copied().map(rgb).collect();
        let [gloss, reflectance, fresnel, translucency, caustics, crust, glow] = self.optics;
        let mut palette = Palette::default().with_stops("own", &stops)?;
        (palette.deep, palette.foam) = (rgb(self.deep).linear(), rgb(self.foam).linear());
        palette.wall = rgb(self.wall).linear();
        palette.background = self.background.map(rgb);
        palette.background_low = self.background_low.map(rgb);
        palette.optics = Optics { gloss, reflectance, fresnel, translucency, caustics, crust, glow };
        palette.temperatures = self.temperatures;
        Some(palette)
    }

    fn validate(&self) -> Result<(), String> {
        if !(2..=MAX_STOPS).contains(&self.stops.len()) {
            return Err(format!("a palette has 2 to {MAX_STOPS} stops, not {}", self.stops.len()));
        }
        if !self.optics.iter().all(|fraction| (0.0..=1.0).contains(fraction)) {
            return Err("how a palette answers light are numbers from 0 to 1".to_owned());
        }
        if self.background_low.is_some() && self.background.is_none() {
            return Err("a background that changes downward needs one at the top".to_owned());
        }
        match self.temperatures {
            Some([low, high]) if low == high || ![low, high].iter().all(|end| (-273.0..=5000.0).contains(end)) => {
                Err("the temperatures of a palette are two different ones from -273 to 5000".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// The background of the fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ViewBackground {
    Auto,
    Terminal,
    Color([u8; 3]),
}

/// Messages of the host, except frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToGuest {
    /// The guest has joined.
    Welcome {
        /// Its name after cleaning.
        name: String,
        /// The names of the scenes, in the order of their numbers.
        scenes: Vec<String>,
        /// The tank spans panes: the guest must send the place of its own.
        spans: bool,
    },
    /// The status of the tank; sent when it changes.
    Status(TankStatus),
    /// The part of the tank's picture that the window shows now; none is all of it.
    Part(Option<PicturePart>),
    /// A line to show.
    Tell(String),
    Roster(Vec<RosterRow>),
    /// The share code of the tank: letters, digits, `-` and `_`.
    Copy(String),
    /// The host ends the connection, for this reason.
    Goodbye(String),
}

/// The part of a picture that a window shows: columns and rows of the whole, and the first column and row of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PicturePart {
    pub columns: u16,
    pub rows: u16,
    pub left: u16,
    pub top: u16,
}

/// The status of the tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TankStatus {
    /// The number of the scene.
    pub scene: u16,
    /// Width over height of the tank.
    pub aspect: f32,
    pub guests: u16,
    /// The tilt of gravity, radians.
    pub tilt: f32,
}

/// A guest in the list of guests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RosterRow {
    pub name: String,
    pub color: u8,
    pub link: LinkMeters,
}

impl ToHost {
    /// Reads a message and checks its numbers, except those of an action, which the tank checks.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn read(content: &[u8]) -> Result<Self, String> {
        let message: Self = read_json(content)?;
        match &message {
            Self::Hello { view, fps, .. } => {
                view.validate()?;
                if !(1..=240).contains(fps) {
                    return Err(format!("{fps} frames a second are out of range, which is 1 to 240"));
                }
            }
            Self::View(view) => view.validate()?,
            Self::Meters(LinkMeters { frames, bytes, delay }) => {
                let numbers = [*frames, *bytes, delay.unwrap_or(0.0)];
                if !numbers.iter().all(|number| (0.0..1e12).contains(number)) {
                    return Err("a measurement is out of range".to_owned());
                }
            }
            Self::Act(_) | Self::Next | Self::Roster(_) | Self::Copy => {}
        }
        Ok(message)
    }
}

impl ViewSettings {
    fn validate(&self) -> Result<(), String> {
        self.window.validated()?;
        self.pane.map(Pane::validated).transpose()?;
        let words = [Some(&self.color_by), Some(&self.cloth_style), Some(&self.light), self.palette.as_ref()];
        if words.into_iter().flatten().any(|word| word.len() > MAX_WORD) {
            return Err("a name is too long".to_owned());
        }
        if let Some(colors) = &self.colors {
            colors.validate()?;
        }
        Ok(())
    }
}

/// Reads a message of either side.
///
/// # Errors
/// Says what is wrong with it.
pub fn read_json<T: DeserializeOwned>(content: &[u8]) -> Result<T, String> {
    serde_json::from_slice(content).map_err(|error| error.to_string())
}

/// A message with its length in front.
pub fn framed(message: &impl Serialize) -> Vec<u8> {
    let content = serde_json::to_vec(message).expect("messages are plain data");
    let mut bytes = Vec::with_capacity(content.len() + 4);
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(content);
    bytes
}

/// Splits received bytes into messages.
#[derive(Debug)]
pub struct Splitter {
    bytes: Vec<u8>,
    limit: usize,
}

impl Splitter {
    /// A splitter for messages of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Received bytes that have not been taken: at most an incomplete message, once [`Splitter::next`] has returned `None`.
    pub fn waiting(&self) -> usize {
        self.bytes.len()
    }

    /// The greeting, once it is complete.
    pub fn greeting(&mut self) -> Option<[u8; GREETING]> {
        let greeting = *self.bytes.first_chunk()?;
        self.bytes.drain(..GREETING);
        Some(greeting)
    }

    /// The content of the next message, if it is complete.
    ///
    /// # Errors
    /// If it is longer than the limit.
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

/// A cell as it is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireCell {
    pub character: char,
    /// Colours as four bytes: the kind, then red, green and blue, or the index.
    pub fg: [u8; 4],
    pub bg: [u8; 4],
    pub modifier: u16,
}

/// Bytes of a cell.
const CELL: usize = 14;

/// The first byte of a frame; no JSON begins with it.
const FRAME: u8 = 0xF5;

/// Bytes in front of the cells of a run: the index of the first, and their number.
const RUN_HEAD: usize = 6;

/// A frame as a message, with its length in front: the cells for which `changed` is true, of a part of a picture that is
/// `stride` cells wide.
pub fn frame(part: Rect, stride: u16, cells: &[WireCell], changed: impl Fn(usize) -> bool) -> Vec<u8> {
    let (width, stride) = (usize::from(part.width).max(1), usize::from(stride));
    let first = usize::from(part.y) * stride + usize::from(part.x);
    let in_picture = |at: usize| first + at / width * stride + at % width;
    let changed = |at: usize| changed(in_picture(at));
    let area = part.area() as usize;
    let mut bytes = vec![0; 4];
    bytes.push(FRAME);
    bytes.extend(part.width.to_le_bytes());
    bytes.extend(part.height.to_le_bytes());
    let mut at = 0;
    while at < area {
        if !changed(at) {
            at += 1;
            continue;
        }
        let start = at;
        while at < area && at - start < usize::from(u16::MAX) && changed(at) {
            at += 1;
        }
        bytes.extend((start as u32).to_le_bytes());
        bytes.extend(((at - start) as u16).to_le_bytes());
        for cell in (start..at).map(|at| cells[in_picture(at)]) {
            bytes.extend(u32::from(cell.character).to_le_bytes());
            bytes.extend(cell.fg);
            bytes.extend(cell.bg);
            bytes.extend(cell.modifier.to_le_bytes());
        }
    }
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// A frame that was received.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedFrame<'a> {
    pub columns: u16,
    pub rows: u16,
    runs: &'a [u8],
}

impl<'a> ReceivedFrame<'a> {
    /// Reads a frame; `None` if the message is not a frame.
    ///
    /// # Errors
    /// If its size is out of range.
    pub fn read(content: &'a [u8]) -> Result<Option<Self>, String> {
        let [FRAME, columns_low, columns_high, rows_low, rows_high, runs @ ..] = content else {
            return Ok(None);
        };
        let columns = u16::from_le_bytes([*columns_low, *columns_high]);
        let rows = u16::from_le_bytes([*rows_low, *rows_high]);
        Window { columns, rows, cell: [0, 0] }.validated()?;
        Ok(Some(Self { columns, rows, runs }))
    }

    /// Calls `set` with the index of every changed cell.
    ///
    /// # Errors
    /// If the frame is malformed.
    pub fn apply(self, mut set: impl FnMut(usize, WireCell)) -> Result<(), String> {
        let broken = || "the host sent a frame that is broken".to_owned();
        let area = usize::from(self.columns) * usize::from(self.rows);
        let mut rest = self.runs;
        while !rest.is_empty() {
            let (head, cells) = rest.split_at_checked(RUN_HEAD).ok_or_else(broken)?;
            let start = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
            let count = usize::from(u16::from_le_bytes([head[4], head[5]]));
            let (cells, after) = cells.split_at_checked(count * CELL).ok_or_else(broken)?;
            if count == 0 || start + count > area {
                return Err(broken());
            }
            for (nth, cell) in cells.chunks_exact(CELL).enumerate() {
                set(start + nth, WireCell::read(cell).ok_or_else(broken)?);
            }
            rest = after;
        }
        Ok(())
    }
}

impl WireCell {
    fn read(bytes: &[u8]) -> Option<Self> {
        let character = char::from_u32(u32::from_le_bytes(*bytes.first_chunk()?))?;
        let color = |at: usize| bytes[at..].first_chunk().copied();
        let modifier = u16::from_le_bytes([bytes[12], bytes[13]]);
        (!character.is_control()).then_some(Self { character, fg: color(4)?, bg: color(8)?, modifier })
    }

    /// The cell of a picture.
    pub fn of(cell: &ratatui::buffer::Cell) -> Self {
        Self {
            character: cell.symbol().chars().next().unwrap_or(' '),
            fg: packed(cell.fg),
            bg: packed(cell.bg),
            modifier: cell.modifier.bits(),
        }
    }

    /// Puts it into a picture.
    pub fn put(self, cell: &mut ratatui::buffer::Cell) {
        cell.set_char(self.character);
        (cell.fg, cell.bg) = (unpacked(self.fg), unpacked(self.bg));
        cell.modifier = Modifier::from_bits_truncate(self.modifier);
    }
}

/// The kinds of colours that pictures have: the terminal's own, an index of 256, and 24 bits. The sixteen named colours
/// are sent as their indices plus [`NAMED`].
const RESET: u8 = 0;
const INDEXED: u8 = 1;
const RGB: u8 = 2;
const NAMED: u8 = 3;

/// The named colours in the order of their numbers.
const NAMES: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

fn packed(color: Color) -> [u8; 4] {
    match color {
        Color::Reset => [RESET, 0, 0, 0],
        Color::Indexed(index) => [INDEXED, index, 0, 0],
        Color::Rgb(r, g, b) => [RGB, r, g, b],
        named => [NAMED, NAMES.iter().position(|&it| it == named).unwrap_or(0) as u8, 0, 0],
    }
}

fn unpacked([kind, a, b, c]: [u8; 4]) -> Color {
    match kind {
        INDEXED => Color::Indexed(a),
        RGB => Color::Rgb(a, b, c),
        NAMED => NAMES[usize::from(a) % NAMES.len()],
        _ => Color::Reset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::palette;

    #[test]
    fn a_palette_is_sent_as_colours() {
        for own in palette::embedded() {
            let sent = PaletteColors::of(own);
            sent.validate().expect("a palette");
            assert!(framed(&sent).len() < MAX_TO_HOST / 2, "{}", own.name());
            let there = sent.palette().expect("a palette");
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
        let good = PaletteColors::of(&Palette::default());
        let bad = [
            PaletteColors { stops: vec![[0; 3]], ..good.clone() },
            PaletteColors { stops: vec![[0; 3]; MAX_STOPS + 1], ..good.clone() },
            PaletteColors { optics: [f32::NAN; 7], ..good.clone() },
            PaletteColors { optics: [1.5; 7], ..good.clone() },
            PaletteColors { background: None, background_low: Some([0; 3]), ..good.clone() },
            PaletteColors { temperatures: Some([20.0, 20.0]), ..good.clone() },
            PaletteColors { temperatures: Some([20.0, f32::INFINITY]), ..good },
        ];
        for colors in bad {
            assert!(colors.validate().is_err(), "{colors:?}");
        }
    }
}
