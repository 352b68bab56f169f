//! Half blocks, quadrants and eighths.

use super::{Division, Ink, Mark, Patch, Sum, divide, minus, plus};
use ratatui_core::symbols::pixel::QUADRANTS;

/// Glyphs that fill the lower so many eighths of a cell.
pub const LOWER: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Glyphs that fill the left so many eighths.
pub const LEFT: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// The two other eighths that Unicode had from the start.
pub const UPPER_EIGHTH: char = '▔';
pub const RIGHT_EIGHTH: char = '▕';

/// How much better than quadrants an eighth must be, as a share of the gain: keeps the choice from flickering between
/// glyphs that are as good as each other.
const WORTH: f32 = 1.000_02;

/// The most of a single eighth that may be ground.
const SLIVER: f32 = 0.4;

pub fn half(patch: &Patch, ink: Ink) -> Mark {
    let parts = patch.parts::<2>(1, 2);
    // Without a colour for the ground a half is on or off; with one, both halves say what they hold.
    let division = divide(&parts, ink);
    let glyph = [' ', '▀', '▄', '█'][division.mask];
    ink.mark(glyph, division.on, division.off)
}

pub fn quadrant(patch: &Patch, ink: Ink) -> Mark {
    let quarters = divide(&patch.parts::<4>(2, 2), ink);
    let mut best = (QUADRANTS[quarters.mask], quarters);
    let mut consider = |glyph: char, division: Division| {
        if division.gain > best.1.gain * WORTH + 1e-5 {
            best = (glyph, division);
        }
    };
    let rows = patch.parts::<8>(1, 8);
    let columns = patch.parts::<8>(8, 1);
    let total = rows.iter().copied().fold(Sum::default(), plus);
    sweep(rows.iter().rev(), total, ink, |count, division| consider(LOWER[count], division));
    sweep(columns.iter(), total, ink, |count, division| consider(LEFT[count], division));
    // With both colours free these are seven lower or left eighths inside out.
    if ink != Ink::Two {
        sweep(rows[..1].iter(), total, ink, |_, division| consider(UPPER_EIGHTH, division));
        sweep(columns[7..].iter(), total, ink, |_, division| consider(RIGHT_EIGHTH, division));
    }
    ink.mark(best.0, best.1.on, best.1.off)
}

/// Adds eighths to the foreground one by one. Areas are counted in quarters of a cell, as for quadrants, so that gains
/// compare.
fn sweep<'a>(eighths: impl Iterator<Item = &'a Sum>, total: Sum, ink: Ink, mut found: impl FnMut(usize, Division)) {
    let total = total.map(|v| v * 0.5);
    let mut on = Sum::default();
    for (count, eighth) in (1..).zip(eighths) {
        on = plus(on, eighth.map(|v| v * 0.5));
        let n_on = count as f32 * 0.5;
        // A sliver that is mostly ground reads as a dim stroke that sticks out of the liquid.
        if ink != Ink::Two && count == 1 && on[3] > SLIVER * n_on {
            continue;
        }
        let (on, off) = ((on, n_on), (minus(total, on), 4.0 - n_on));
        found(count, Division { mask: 0, on, off, gain: ink.gain(on, off) });
    }
}
