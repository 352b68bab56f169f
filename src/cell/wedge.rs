//! Wedges: the diagonals U+1FB3C–U+1FB6F of Unicode 13, cells cut by one straight line, or by two through the middle.

const FIRST: u32 = 0x1fb3c;

/// The glyphs that keep the part below a cut come first, then, in the same order, those that keep the part above.
const CUTS: usize = 22;

/// An end of a cut, in halves of a cell across and thirds of a cell down: Unicode's "lower middle left" is `(0, 2)`.
type CutEnd = (u8, u8);

/// The cuts, from their left to their right end, in the order of code points.
const ENDS: [(CutEnd, CutEnd); CUTS] = [
    ((0, 2), (1, 3)),
    ((0, 2), (2, 3)),
    ((0, 1), (1, 3)),
    ((0, 1), (2, 3)),
    ((0, 0), (1, 3)),
    ((0, 1), (1, 0)),
    ((0, 1), (2, 0)),
    ((0, 2), (1, 0)),
    ((0, 2), (2, 0)),
    ((0, 3), (1, 0)),
    ((0, 2), (2, 1)),
    ((1, 3), (2, 2)),
    ((0, 3), (2, 2)),
    ((1, 3), (2, 1)),
    ((0, 3), (2, 1)),
    ((1, 3), (2, 0)),
    ((1, 0), (2, 1)),
    ((0, 0), (2, 1)),
    ((1, 0), (2, 2)),
    ((0, 0), (2, 2)),
    ((1, 0), (2, 3)),
    ((0, 1), (2, 2)),
];

pub fn all() -> [char; 52] {
    std::array::from_fn(|number| char::from_u32(FIRST + number as u32).expect("a test draws all wedges"))
}

/// Whether a wedge covers a point of its cell, 0 to 1 from the left and from the top.
pub fn covers(wedge: char, x: f32, y: f32) -> bool {
    let number = (u32::from(wedge) - FIRST) as usize;
    match number {
        0..CUTS => y > cut(ENDS[number], x),
        CUTS..44 => y <= cut(ENDS[number - CUTS], x),
        // First come the glyphs of three quarters, then those of one.
        44..48 => !quarter(number - 44, x, y),
        _ => quarter(number - 48, x, y),
    }
}

/// Returns how far down the cell a cut is at `x`, inside the cell or beyond it.
fn cut(((left, from), (right, to)): (CutEnd, CutEnd), x: f32) -> f32 {
    let (left, right) = (f32::from(left) / 2.0, f32::from(right) / 2.0);
    let (from, to) = (f32::from(from) / 3.0, f32::from(to) / 3.0);
    from + (to - from) * (x - left) / (right - left)
}

/// Whether a point is in one of the quarters between the diagonals: left, upper, right, lower.
fn quarter(number: usize, x: f32, y: f32) -> bool {
    let (below_falling, below_rising) = (y > x, y > 1.0 - x);
    [(true, false), (false, false), (false, true), (true, true)][number] == (below_falling, below_rising)
}
