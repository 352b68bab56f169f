//! chafa's result for a picture, and its time.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use slosh::app::action::Window;
use slosh::app::error::Error;
use slosh::app::record::png;
use slosh::view::image::Image;
use slosh::view::raster::rasterize;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::compare::psnr;

/// Common flags of chafa: exactly as many cells as slosh, in all colours, on one thread as slosh.
const ALWAYS: [&str; 9] = [
    "--colors=full",
    "--format=symbols",
    "--stretch",
    "--animate=off",
    "--polite=on",
    "--optimize=0",
    "--threads=1",
    "--bg=black",
    "-",
];

/// The candidates for its best settings: its finest symbols and its default ones, which have less error on smooth
/// pictures, in two colour spaces, with two colour extractors, at full work.
const SYMBOLS: [&str; 2] = ["--symbols=sextant+wedge+block", "--symbols=block+border+space-wide-inverted"];
const SPACES: [&str; 2] = ["--color-space=rgb", "--color-space=din99d"];
const EXTRACTORS: [&str; 2] = ["--color-extractor=average", "--color-extractor=median"];
const HARDEST: [&str; 2] = ["--work=9", "--dither=none"];

/// Number of timed runs; the fastest counts, since all disturbances make a process slower.
const RUNS: usize = 3;

/// chafa's result for a picture.
pub struct Fit {
    /// The settings.
    pub settings: String,
    pub shown: Image,
    pub ms: f64,
}

pub fn is_installed() -> bool {
    Command::new("chafa").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Returns the setting with the least error against `ideal`, and the default one; empty if chafa is not installed.
pub fn fits(ideal: &Image, size: Window) -> Result<Vec<Fit>, Error> {
    if !is_installed() {
        return Ok(Vec::new());
    }
    let file = png::encode(ideal)?;
    let pairs = SPACES.into_iter().flat_map(|space| EXTRACTORS.map(|extractor| [space, extractor]));
    let all = pairs.flat_map(|[space, extractor]| SYMBOLS.map(|symbols| [symbols, space, extractor]));
    let mut best: Option<(f64, [&str; 3], Image)> = None;
    for named in all {
        let shown = rasterize(&cells(&fit(&file, size, &[&named[..], &HARDEST].concat())?, size));
        let near = psnr(&shown, ideal);
        if best.as_ref().is_none_or(|(so_far, ..)| near > *so_far) {
            best = Some((near, named, shown));
        }
    }
    let Some((_, named, shown)) = best else { return Ok(Vec::new()) };
    let names = named.map(|flag| flag.rsplit('=').next().unwrap_or_default()).join(", ");
    let ms = time(&file, size, &[&named[..], &HARDEST].concat())?;
    let best = Fit { settings: format!("--work 9, {names}"), shown, ms };
    let shown = rasterize(&cells(&fit(&file, size, &[])?, size));
    Ok(vec![best, Fit { settings: "as it is unasked".to_owned(), shown, ms: time(&file, size, &[])? }])
}

/// The time of its process, less that of one that reads the same picture and fits a single cell.
fn time(file: &[u8], size: Window, settings: &[&str]) -> Result<f64, Error> {
    Ok(quickest(file, size, settings)? - quickest(file, Window { columns: 1, rows: 1, cell: [0, 0] }, settings)?)
}

fn quickest(file: &[u8], size: Window, settings: &[&str]) -> Result<f64, Error> {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        fit(file, size, settings)?;
        least = least.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(least)
}

/// Returns chafa's output for a PNG file.
fn fit(file: &[u8], size: Window, settings: &[&str]) -> Result<String, Error> {
    let failed = |error: std::io::Error| Error::Run(format!("chafa: {error}"));
    let mut command = Command::new("chafa");
    command.arg(format!("--size={}x{}", size.columns, size.rows)).args(settings).args(ALWAYS);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    // It reads all input before it writes.
    child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(file)).map_err(failed)?;
    let output = child.wait_with_output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The cells of chafa's output: glyphs, SGR and line ends; other escapes are skipped.
fn cells(text: &str, size: Window) -> Buffer {
    let mut cells = Buffer::empty(Rect::new(0, 0, size.columns, size.rows));
    let (mut pen, mut at) = (Pen::default(), (0, 0));
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            '\x1b' => {
                // Reads the bracket, then up to the final letter.
                let (mut body, mut last) = (String::new(), ' ');
                for c in rest.by_ref().skip(1) {
                    last = c;
                    if c.is_ascii_alphabetic() {
                        break;
                    }
                    body.push(c);
                }
                if last == 'm' {
                    pen.select(&body);
                }
            }
            '\n' => at = (0, at.1 + 1),
            '\r' => at.0 = 0,
            glyph => {
                if at.0 < size.columns && at.1 < size.rows {
                    let cell = &mut cells[at];
                    cell.set_char(glyph);
                    (cell.fg, cell.bg, cell.modifier) = (pen.fg, pen.bg, pen.modifier);
                }
                at.0 += 1;
            }
        }
    }
    cells
}

#[derive(Clone, Copy, Debug, Default)]
struct Pen {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Pen {
    fn select(&mut self, sgr: &str) {
        let mut codes = sgr.split(';').map(|code| code.parse::<u8>().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Self::default(),
                7 => self.modifier |= Modifier::REVERSED,
                27 => self.modifier -= Modifier::REVERSED,
                39 => self.fg = Color::Reset,
                49 => self.bg = Color::Reset,
                38 | 48 => {
                    let mut next = || codes.next().unwrap_or(0);
                    let color = if next() == 2 { Color::Rgb(next(), next(), next()) } else { Color::Indexed(next()) };
                    *(if code == 38 { &mut self.fg } else { &mut self.bg }) = color;
                }
                _ => {}
            }
        }
    }
}

/// Panics if the reader of chafa's output is wrong.
pub fn self_test() {
    let text = "\x1b[?25l\x1b[0m\x1b[38;2;1;2;3;48;2;4;5;6m▄\x1b[7m▌\x1b[0m\n\x1b[48;2;9;9;9m \x1b[?25h";
    let cells = cells(text, Window { columns: 2, rows: 2, cell: [0, 0] });
    let [half, reversed, blank, last] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|at| &cells[at]);
    assert_eq!((half.symbol(), half.fg, half.bg), ("▄", Color::Rgb(1, 2, 3), Color::Rgb(4, 5, 6)));
    assert!(reversed.modifier.contains(Modifier::REVERSED));
    assert_eq!((blank.symbol(), blank.bg, last.bg), (" ", Color::Rgb(9, 9, 9), Color::Reset));
}
