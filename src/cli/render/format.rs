//! What a frame is written as: text, coloured text, or a picture.

use crate::app::error::Error;
use crate::app::recorder::png;
use crate::term::encoder::color;
use crate::term::encoder::color::PackedColor;
use crate::term::sanitize::without_hidden;
use crate::view::raster;
use crate::view::raster::Image;
use clap::ValueEnum;
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// What a frame is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// GlyphMode in their colours
    Ansi,
    /// GlyphMode only
    Text,
    /// A picture of 8×16 pixels a cell, as binary PPM
    Ppm,
    /// A picture of 8×16 pixels a cell
    Png,
}

impl Format {
    pub fn ending(self) -> &'static str {
        match self {
            Format::Ansi => "ansi",
            Format::Text => "txt",
            Format::Ppm => "ppm",
            Format::Png => "png",
        }
    }

    pub fn is_picture(self) -> bool {
        matches!(self, Format::Ppm | Format::Png)
    }

    pub fn write(self, frame: &Buffer) -> Result<Vec<u8>, Error> {
        match self {
            Format::Ansi => Ok(ansi(frame).into_bytes()),
            Format::Text => Ok(text(frame).into_bytes()),
            Format::Ppm | Format::Png => self.picture(&raster::rasterize(frame)),
        }
    }

    pub fn picture(self, image: &Image) -> Result<Vec<u8>, Error> {
        if self == Format::Png { png::encode(image) } else { Ok(image.to_ppm()) }
    }
}

/// The cells of a row without those that the right halves of wide characters cover.
fn seen(row: &[Cell]) -> impl Iterator<Item = &Cell> {
    let covered = |column: usize| column > 0 && row[column - 1].symbol().width() > 1;
    row.iter().enumerate().filter(move |&(column, _)| !covered(column)).map(|(_, cell)| cell)
}

/// What a cell shows. Frames of other people's recordings come here too.
fn symbol(cell: &Cell) -> Cow<'_, str> {
    let symbol = without_hidden(cell.symbol());
    if symbol.is_empty() { Cow::Borrowed(" ") } else { symbol }
}

/// A row of glyphs a line.
fn text(frame: &Buffer) -> String {
    let mut text = String::new();
    for row in frame.content.chunks(usize::from(frame.area.width)) {
        let line: String = seen(row).map(symbol).collect();
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A row of coloured glyphs a line; every line begins and ends with the terminal's own colours, so that any of them
/// can be cut out.
fn ansi(frame: &Buffer) -> String {
    let mut ansi = String::new();
    for row in frame.content.chunks(usize::from(frame.area.width)) {
        let mut style = CellStyle::default();
        for cell in seen(row) {
            let wanted = CellStyle { fg: cell.fg, bg: cell.bg, modifier: cell.modifier };
            if wanted != style {
                ansi += &sgr(wanted);
                style = wanted;
            }
            ansi += &symbol(cell);
        }
        ansi += "\x1b[0m\n";
    }
    ansi
}

/// The style of a cell; the default is the terminal's own.
#[derive(Clone, Copy, Default, PartialEq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

/// Selects a style, whatever came before.
fn sgr(CellStyle { fg, bg, modifier }: CellStyle) -> String {
    let mut codes = vec!["0".to_owned()];
    for (flag, code) in [(Modifier::BOLD, "1"), (Modifier::DIM, "2"), (Modifier::REVERSED, "7")] {
        if modifier.contains(flag) {
            codes.push(code.to_owned());
        }
    }
    codes.extend(color_code(fg, 30));
    codes.extend(color_code(bg, 40));
    format!("\x1b[{}m", codes.join(";"))
}

/// `base` is 30 for the foreground and 40 for the background. The first sixteen colours are said as every terminal
/// knows them, the bright ones 60 above.
fn color_code(color: Color, base: u8) -> Option<String> {
    match PackedColor::from(color).kind() {
        color::ColorKind::Default => None,
        color::ColorKind::Index(index @ 0..8) => Some((base + index).to_string()),
        color::ColorKind::Index(index @ 8..16) => Some((base + 60 + index - 8).to_string()),
        color::ColorKind::Index(index) => Some(format!("{};5;{index}", base + 8)),
        color::ColorKind::Rgb(r, g, b) => Some(format!("{};2;{r};{g};{b}", base + 8)),
    }
}
