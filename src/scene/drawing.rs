//! Regions drawn as text: every character that is not blank is solid.

use crate::sim::boundary::drawing::Drawing;
use unicode_width::UnicodeWidthChar;

/// Upper limit on the columns and lines of a drawing.
const MAX_SIZE: (usize, usize) = (1000, 500);

const TAB: usize = 8;

/// A character is twice as high as wide, as in a terminal.
///
/// # Errors
/// If the drawing is empty, too large, or not plain text.
pub fn parse(text: &str) -> Result<Drawing, String> {
    let rows: Vec<Vec<bool>> =
        text.lines().enumerate().map(|(number, line)| row(line, number + 1)).collect::<Result<_, _>>()?;
    if !rows.iter().flatten().any(|&solid| solid) {
        return Err("holds no drawing: every character that is not blank becomes solid".to_owned());
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns > MAX_SIZE.0 || rows.len() > MAX_SIZE.1 {
        let (width, height) = MAX_SIZE;
        return Err(format!("is {columns} columns by {} lines; a drawing may have {width} by {height}", rows.len()));
    }
    Ok(Drawing::new(&rows, text.to_owned()))
}

/// The columns of a line, without the blank ones at its end.
fn row(line: &str, number: usize) -> Result<Vec<bool>, String> {
    let mut columns = Vec::new();
    for character in line.trim_end().chars() {
        if character == '\t' {
            columns.resize((columns.len() / TAB + 1) * TAB, false);
            continue;
        }
        if character.is_control() {
            return Err(format!("line {number} holds the control character {character:?}; a drawing is plain text"));
        }
        let blank = character.is_whitespace() || character == '\u{2800}';
        columns.resize(columns.len() + character.width().unwrap_or(0), !blank);
    }
    Ok(columns)
}
