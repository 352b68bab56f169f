//! The best division of a few equal parts of a cell in two, where every division is a glyph.

use crate::view::glyph::texel_block::{TexelSet, TexelSum, minus, plus, square};

/// Largest deficit in gain with which a division with more foreground is still chosen, so that ties become full cells.
const TIE: f32 = 1e-6;

#[derive(Clone, Copy, Debug)]
pub(super) struct Partition {
    /// A bit for each part that gets the foreground.
    mask: usize,
    /// The sums of the foreground and of the rest; areas in parts.
    pub on: TexelSet,
    pub off: TexelSet,
    gain: f32,
}

/// The best division of N equal parts of a cell in two colours. Parts are ordered along the axis in which they differ most; only
/// the N + 1 divisions of that order can be best.
pub(super) fn best_partition<const N: usize>(parts: &[TexelSum; N]) -> Partition {
    // As in `ColorMode::gains`, with both colours free.
    let free = |set: TexelSet| if set.area > 0.0 { square(set.sum) / set.area } else { 0.0 };
    let total = parts.iter().copied().fold(TexelSum::default(), plus);
    let axis = axis(parts, total);
    let mut order: [(f32, usize); N] = std::array::from_fn(|part| {
        let p = parts[part];
        (p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2] + p[3] * axis[3], part)
    });
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let n = N as f32;
    let all = TexelSet { sum: total, area: n };
    let nothing = Partition { mask: 0, on: TexelSet::default(), off: all, gain: f32::NEG_INFINITY };
    let mut best = Partition { gain: free(nothing.on) + free(nothing.off), ..nothing };
    let mut next = nothing;
    for (count, &(_, part)) in order.iter().enumerate() {
        next.mask |= 1 << part;
        next.on = TexelSet { sum: plus(next.on.sum, parts[part]), area: count as f32 + 1.0 };
        next.off = TexelSet { sum: minus(total, next.on.sum), area: n - count as f32 - 1.0 };
        next.gain = free(next.on) + free(next.off);
        if next.gain >= best.gain - TIE {
            best = next;
        }
    }
    // Either set may be the foreground; it is always the one with the last part, because inverting cells of still water would
    // cost bytes.
    if best.mask >> (N - 1) & 1 == 0 {
        best = Partition { on: best.off, off: best.on, ..best };
    }
    best
}

/// The axis along which the parts are ordered: from the mean towards the part that is farthest from it.
fn axis<const N: usize>(parts: &[TexelSum; N], total: TexelSum) -> TexelSum {
    let mean = total.map(|v| v / N as f32);
    let from_mean = parts.iter().map(|&part| minus(part, mean));
    let mut axis = from_mean.max_by(|a, b| square(*a).total_cmp(&square(*b))).unwrap_or_default();
    axis[3] = 0.0;
    axis
}
