//! The `[[mark]]` entries of a scene: lines that show what theory expects.

use crate::data::{DataError, Entry, Fields};
use crate::scene::region::color;
use crate::sim::definition::{MarkDef, MarkSwingDef};
use std::ops::RangeInclusive;

const MAX_POINTS: usize = 60;

const PLACE: RangeInclusive<f32> = -0.5..=1.5;

pub fn mark(fields: &mut Fields) -> Result<MarkDef, DataError> {
    let line = fields.need("line")?;
    let mark = MarkDef {
        line: line.points(MAX_POINTS, PLACE)?,
        swing: fields.table("swing", swing)?,
        path: fields.get("path").map_or(Ok(Vec::new()), |entry| by_times(&entry, "[[0, 0, 0], [1, 0.2, 0]]"))?,
        widths: fields.get("widths").map_or(Ok(Vec::new()), |entry| by_times(&entry, "[[0, 1], [1, 0.5]]"))?,
        label: color(fields)?,
    };
    if mark.line.len() < 2 {
        return Err(line.error(format_args!("must have at least 2 points, not {}", mark.line.len())));
    }
    Ok(mark)
}

fn swing(fields: &mut Fields) -> Result<MarkSwingDef, DataError> {
    Ok(MarkSwingDef {
        by: fields.need("by")?.numbers(-1.0..=1.0)?,
        period: fields.need("period")?.number(0.05..=3600.0)?,
        damping: fields.number("damping", 0.0..=100.0, 0.0)?,
    })
}

fn by_times<const N: usize>(entry: &Entry, example: &str) -> Result<Vec<[f32; N]>, DataError> {
    let rows: Vec<[f32; N]> = entry.points(MAX_POINTS, -1.0..=3600.0)?;
    if rows.windows(2).any(|pair| pair[0][0] >= pair[1][0]) {
        return Err(entry.error(format_args!("must have later and later times, as {example}")));
    }
    Ok(rows)
}
