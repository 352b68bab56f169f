//! What chafa makes of a picture, and how long it takes over it.

use crate::app::capture::png;
use crate::app::config::Size;
use crate::app::failure::Failure;
use crate::view::raster::{Image, rasterize};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::compare::psnr;

/// What is asked of chafa whatever the setting: its finest symbols, at its hardest, exactly as many cells as ours.
const ALWAYS: [&str; 11] = [
    "--symbols=sextant+wedge+block",
    "--work=9",
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

/// The settings that its best is sought among.
const SETTINGS: [[&str; 3]; 4] = [
    ["--color-space=rgb", "--color-extractor=average", "--dither=none"],
    ["--color-space=rgb", "--color-extractor=median", "--dither=none"],
    ["--color-space=din99d", "--color-extractor=average", "--dither=none"],
    ["--color-space=din99d", "--color-extractor=median", "--dither=none"],
];

/// Runs that are timed; the quickest counts, since all that can happen to a process makes it slower.
const RUNS: usize = 3;

/// Chafa's best.
pub struct Best {
    /// The settings that it was reached with.
    pub settings: String,
    pub shown: Image,
    /// The time of its process, less that of one that reads the same picture and fits a single cell.
    pub ms: f64,
}

pub fn is_installed() -> bool {
    Command::new("chafa").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The setting that comes nearest to `ideal`, if chafa is there.
pub fn best(ideal: &Image, size: Size) -> Result<Option<Best>, Failure> {
    if !is_installed() {
        return Ok(None);
    }
    let file = png(ideal)?;
    let mut best: Option<(f64, [&str; 3], Image)> = None;
    for settings in SETTINGS {
        let shown = rasterize(&cells(&fit(&file, size, &settings)?, size));
        let near = psnr(&shown, ideal);
        if best.as_ref().is_none_or(|(so_far, ..)| near > *so_far) {
            best = Some((near, settings, shown));
        }
    }
    let Some((_, settings, shown)) = best else { return Ok(None) };
    let whole = quickest(&file, size, &settings)?;
    let overhead = quickest(&file, Size { width: 1, height: 1 }, &settings)?;
    let settings = settings[..2].iter().map(|flag| flag.rsplit('=').next().unwrap_or_default());
    Ok(Some(Best { settings: settings.collect::<Vec<_>>().join(", "), shown, ms: whole - overhead }))
}

fn quickest(file: &[u8], size: Size, settings: &[&str]) -> Result<f64, Failure> {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        fit(file, size, settings)?;
        least = least.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(least)
}

/// What chafa writes for a PNG file.
fn fit(file: &[u8], size: Size, settings: &[&str]) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::Run(format!("chafa: {error}"));
    let mut command = Command::new("chafa");
    command.arg(format!("--size={}x{}", size.width, size.height)).args(settings).args(ALWAYS);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    // It reads all before it writes any.
    child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(file)).map_err(failed)?;
    let output = child.wait_with_output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The cells of chafa's text: glyphs, SGR and line ends; other escapes are passed over.
fn cells(text: &str, size: Size) -> Buffer {
    let mut cells = Buffer::empty(Rect::new(0, 0, size.width, size.height));
    let (mut pen, mut at) = (Pen::default(), (0, 0));
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            '\x1b' => {
                // The bracket, then up to the letter that ends it.
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
                if at.0 < size.width && at.1 < size.height {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_text_becomes_cells() {
        let text = "\x1b[?25l\x1b[0m\x1b[38;2;1;2;3;48;2;4;5;6m▄\x1b[7m▌\x1b[0m\n\x1b[48;2;9;9;9m \x1b[?25h";
        let cells = cells(text, Size { width: 2, height: 2 });
        assert_eq!(
            (cells[(0, 0)].symbol(), cells[(0, 0)].fg, cells[(0, 0)].bg),
            ("▄", Color::Rgb(1, 2, 3), Color::Rgb(4, 5, 6))
        );
        assert!(cells[(1, 0)].modifier.contains(Modifier::REVERSED));
        assert_eq!(
            (cells[(0, 1)].symbol(), cells[(0, 1)].bg, cells[(1, 1)].bg),
            (" ", Color::Rgb(9, 9, 9), Color::Reset)
        );
    }
}
