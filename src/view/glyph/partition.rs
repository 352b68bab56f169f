//! The best division of a few equal parts of a cell in two, where every division is a glyph.

use crate::view::glyph::texel_block::{minus, plus, square};
use crate::view::glyph::{Ink, Sum};

/// A division of parts: the set bits are those that get the foreground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub mask: usize,
    /// Sum and area of what gets the foreground, and of the rest; areas in parts.
    pub on: (Sum, f32),
    pub off: (Sum, f32),
    pub gain: f32,
}

/// The best division of N equal parts of a cell.
///
/// Parts are ordered along the axis in which they differ most; only divisions of that order can be best, up to
/// exotic ties, and there are N + 1 of them.
pub(super) fn divide<const N: usize>(parts: &[Sum; N], ink: Ink) -> Division {
    let total = parts.iter().copied().fold(Sum::default(), plus);
    let axis = axis(parts, total, ink);
    let mut order: [(f32, usize); N] = std::array::from_fn(|part| {
        let p = parts[part];
        (p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2] + p[3] * axis[3], part)
    });
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let n = N as f32;
    let nothing = Division { mask: 0, on: (Sum::default(), 0.0), off: (total, n), gain: f32::NEG_INFINITY };
    let mut best = Division { gain: ink.gain(nothing.on, nothing.off), ..nothing };
    let mut next = nothing;
    for (count, &(_, part)) in order.iter().enumerate() {
        next.mask |= 1 << part;
        next.on = (plus(next.on.0, parts[part]), count as f32 + 1.0);
        next.off = (minus(total, next.on.0), n - count as f32 - 1.0);
        next.gain = ink.gain(next.on, next.off);
        // A little more is asked of a smaller foreground, so that ties are full cells.
        if next.gain >= best.gain - 1e-6 {
            best = next;
        }
    }
    // Either set may be the foreground when both colours are free. Always the same one, or still water would cost
    // bytes by turning cells inside out.
    let last = 1 << (N - 1);
    if ink == Ink::Two && best.mask & last == 0 {
        best = Division { mask: best.mask ^ (2 * last - 1), on: best.off, off: best.on, ..best };
    }
    best
}

/// The direction in which the parts are told apart: out of the ground where it shows, else from the mean towards the
/// part that is farthest from it (which is the principal axis for all that two colours can express).
fn axis<const N: usize>(parts: &[Sum; N], total: Sum, ink: Ink) -> Sum {
    if ink != Ink::Two {
        return [0.0, 0.0, 0.0, -1.0];
    }
    let mean = total.map(|v| v / N as f32);
    let from_mean = parts.iter().map(|&part| minus(part, mean));
    let mut axis = from_mean.max_by(|a, b| square(*a).total_cmp(&square(*b))).unwrap_or_default();
    axis[3] = 0.0;
    axis
}
