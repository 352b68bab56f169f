//! A region as a drawing in text: what is not blank belongs to it.

use crate::sim::boundary::Shape;
use crate::sim::boundary::sdf_grid::Relief;
use glam::Vec2;
use serde::{Serialize, Serializer};
use std::sync::Arc;
use unicode_width::UnicodeWidthChar;

/// Columns and lines of a drawing, at the most.
const MOST: (usize, usize) = (1000, 500);

/// Samples for each column's width, and in all.
const FINE: usize = 6;
const MOST_SAMPLES: usize = 1_500_000;

/// What a tabulator goes to a multiple of.
const TAB: usize = 8;

/// A drawing. A character is twice as high as wide, as in a terminal; the whole is as large as it fits into the tank,
/// in its middle.
#[derive(Clone, Debug, PartialEq)]
pub struct Art {
    text: String,
    /// Samples for each column's width.
    fine: usize,
    relief: Arc<Relief>,
}

impl Serialize for Art {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(to)
    }
}

impl Art {
    /// Reads a drawing.
    ///
    /// # Errors
    /// Says what is wrong with it: nothing in it, too much of it, or what is no text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rows: Vec<Vec<bool>> =
            text.lines().enumerate().map(|(number, line)| row(line, number + 1)).collect::<Result<_, _>>()?;
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if !rows.iter().flatten().any(|&solid| solid) {
            return Err("holds no drawing: every character that is not blank becomes solid".to_owned());
        }
        if columns > MOST.0 || rows.len() > MOST.1 {
            let (most, high) = MOST;
            return Err(format!("is {columns} columns by {} lines; a drawing may have {most} by {high}", rows.len()));
        }
        let fine = (1..=FINE).rev().find(|fine| 2 * columns * rows.len() * fine * fine <= MOST_SAMPLES).unwrap_or(1);
        let wide = columns * fine;
        let mut solid = vec![false; wide * rows.len() * 2 * fine];
        for (number, samples) in solid.chunks_exact_mut(wide).enumerate() {
            let row = &rows[number / (2 * fine)];
            samples.iter_mut().enumerate().for_each(|(at, solid)| *solid = row.get(at / fine) == Some(&true));
        }
        Ok(Self { text: text.to_owned(), fine, relief: Arc::new(Relief::new(wide, &solid)) })
    }

    /// Columns, and lines counted double: a line is as high as two columns are wide.
    pub fn size(&self) -> Vec2 {
        self.relief.size() / self.fine as f32
    }

    /// The drawing in a tank of this size.
    pub fn shape(&self, tank: Vec2) -> Shape {
        let pitch = (tank / self.relief.size()).min_element();
        let corner = (tank - pitch * self.relief.size()) / 2.0;
        Shape::Relief { relief: Arc::clone(&self.relief), corner, pitch }
    }
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
