use crate::app::error::Error;
use crate::app::record::png;
use crate::term::encoder::packed_cell::CellStyle;
use crate::term::encoder::sgr::push_params;
use crate::term::sanitize::without_hidden;
use crate::view::raster;
use clap::ValueEnum;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Glyphs in their colours
    Ansi,
    /// Glyphs only
    Text,
    /// A picture of 8×16 pixels per cell
    Png,
}

impl Format {
    pub fn ending(self) -> &'static str {
        match self {
            Format::Ansi => "ansi",
            Format::Text => "txt",
            Format::Png => "png",
        }
    }

    pub fn write(self, frame: &Buffer) -> Result<Vec<u8>, Error> {
        match self {
            Format::Ansi => Ok(ansi(frame).into_bytes()),
            Format::Text => Ok(text(frame).into_bytes()),
            Format::Png => png::encode(&raster::rasterize(frame)),
        }
    }
}

/// Returns the cells of a row, except those that the right halves of wide characters cover.
fn seen(row: &[Cell]) -> impl Iterator<Item = &Cell> {
    let covered = |column: usize| column > 0 && row[column - 1].symbol().width() > 1;
    row.iter().enumerate().filter(move |&(column, _)| !covered(column)).map(|(_, cell)| cell)
}

/// Returns the text of a cell without hidden characters, because frames of recordings made by others are written too.
fn symbol(cell: &Cell) -> Cow<'_, str> {
    let symbol = without_hidden(cell.symbol());
    if symbol.is_empty() { Cow::Borrowed(" ") } else { symbol }
}

fn text(frame: &Buffer) -> String {
    let mut text = String::new();
    for row in frame.content.chunks(usize::from(frame.area.width)) {
        let line: String = seen(row).map(symbol).collect();
        text += line.trim_end();
        text.push('\n');
    }
    text
}

const WRITTEN: Modifier = Modifier::BOLD.union(Modifier::DIM).union(Modifier::REVERSED);

/// One line of coloured glyphs for each row. Every line begins and ends with the terminal's own colours, so that it can
/// be cut out.
fn ansi(frame: &Buffer) -> String {
    let mut ansi = String::new();
    for row in frame.content.chunks(usize::from(frame.area.width)) {
        let mut style = CellStyle::PLAIN;
        for cell in seen(row) {
            let attributes = cell.modifier & WRITTEN;
            let wanted = CellStyle { fg: cell.fg.into(), bg: cell.bg.into(), attributes };
            if wanted != style {
                let mut params = Vec::new();
                push_params(&mut params, None, wanted);
                ansi += &format!("\x1b[0{}m", String::from_utf8_lossy(&params));
                style = wanted;
            }
            ansi += &symbol(cell);
        }
        ansi += "\x1b[0m\n";
    }
    ansi
}
