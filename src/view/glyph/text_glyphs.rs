//! Signs: glyphs that stand in their cell instead of dividing it, as letters and dots do.
//!
//! At an edge a sign draws the outline, on whatever lies behind, painted or not: two free colours would put a box around
//! every sign. Where a cell is full, most of it is still the background, so that shows the liquid too, darker than the
//! sign.

use crate::view::glyph::atlas::Choice;
use crate::view::glyph::partition::divide;
use crate::view::glyph::texel_block::{Tone, plus, shown};
use crate::view::glyph::{Ink, Mark, Patch, Sum};

/// Parts of a cell that signs are told apart by, across and down.
const PARTS: (usize, usize) = (2, 4);

/// All of them.
const ALL: usize = 0xff;

/// The share of its tone that a full cell's background has of the liquid; the rest is of the ground.
const BODY: f32 = 0.67;

/// Light right below a surface, and where liquid is deep enough for all of that. Between them the background fades in: a
/// cell that happens to be full in a jet, among signs on bare ground, was a box.
const DEPTH: (f32, f32) = (0.97, 0.75);

/// By how much the ground's share of a part may pass a half, and light the step to another sign, before the cell changes;
/// and code values that its colours may be off.
const SLACK: f32 = 0.08;
const DIM: f32 = 0.02;
const STILL: u8 = 2;

/// The sign for a patch, in a cell that was `past`: `outline` has those for sets of parts, row by row from the upper left,
/// and `full` that of a full cell in some light.
pub(super) fn fit(patch: &Patch, ink: Ink, past: Choice, outline: fn(usize) -> char, full: fn(f32) -> char) -> Choice {
    let parts = patch.parts::<8>(PARTS.0, PARTS.1);
    // A part stands for all of itself, whatever its colour.
    let inside = (0..8).filter(|&part| parts[part][3] < most_ground(past, part));
    let (mask, sum, count) = inside.fold((0, Sum::default(), 0.0), |(mask, sum, count), part| {
        (mask | 1 << part, plus(sum, parts[part]), count + 1.0)
    });
    let body = |share: f32| on_body(steady(full, patch.light, past), &parts, patch.ground, share);
    let mark = match (mask, ink) {
        (_, Ink::Two) => body(BODY),
        (ALL, Ink::Over(_)) => body(BODY * depth(patch).max(patch.solid)),
        (0, _) => Mark::BLANK,
        _ => {
            let glyph = if mask == ALL { steady(full, patch.light, past) } else { outline(mask) };
            if glyph == ' ' { Mark::BLANK } else { ink.mark(glyph, (sum, count), (Sum::default(), 8.0 - count)) }
        }
    };
    if past.mark.is_like(mark, STILL) { past } else { Choice::at(mask, mark) }
}

/// The share of ground below which a part counts as inside.
fn most_ground(past: Choice, part: usize) -> f32 {
    match past.place() {
        Some(mask) if mask >> part & 1 == 1 => 0.5 + SLACK,
        Some(_) => 0.5 - SLACK,
        None => 0.5,
    }
}

/// The sign of a full cell: the former one, if a little more or less light would have it.
fn steady(full: fn(f32) -> char, light: f32, past: Choice) -> char {
    let former = [light - DIM, light + DIM].map(full).into_iter().find(|&glyph| glyph == past.mark.glyph);
    former.unwrap_or_else(|| full(light))
}

/// How deep a patch lies in liquid, 0 to 1.
fn depth(patch: &Patch) -> f32 {
    ((DEPTH.0 - patch.light) / (DEPTH.0 - DEPTH.1)).clamp(0.0, 1.0)
}

/// A full cell, whose background has a `share` of its tone; two colours if its parts differ, as at an obstacle.
fn on_body(glyph: char, parts: &[Sum; 8], ground: Tone, share: f32) -> Mark {
    let division = divide(parts, Ink::Two);
    let mean = |(sum, n): (Sum, f32)| [sum[0] / n, sum[1] / n, sum[2] / n];
    let fg = mean(division.on);
    let under = if division.off.1 > 0.0 { mean(division.off) } else { fg };
    let bg = [0, 1, 2].map(|channel| ground[channel] + (under[channel] - ground[channel]) * share);
    Mark { glyph, fg: Some(shown(fg)), bg: (share > 0.0).then(|| shown(bg)) }
}
