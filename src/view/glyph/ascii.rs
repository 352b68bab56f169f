//! ASCII chosen by shape: a cell's eight parts, in or out, pick the sign that draws the same outline.

use super::divide::divide;
use super::patch::plus;
use super::{Ink, Mark, Patch, Sum, on_body};
use std::sync::OnceLock;

/// Signs and the parts of a cell that they stand for, two by two from the top: `#` in, `.` out. Where two fit equally
/// well, the earlier wins. They are chosen for how outlines of liquid read, not by the ink of any one font: the edge
/// between what is below a slope and the air above is drawn with the slope itself.
const SHAPES: [(char, &str); 45] = [
    (' ', ".. .. .. .."),
    ('#', "## ## ## ##"),
    ('_', ".. .. .. ##"),
    ('.', ".. .. .. #."),
    ('.', ".. .. .. .#"),
    ('o', ".. .. ## ##"),
    ('-', ".. ## .. .."),
    ('-', ".. .. ## .."),
    ('=', ".. ## ## .."),
    ('"', "## .. .. .."),
    ('\'', "#. .. .. .."),
    ('\'', ".# .. .. .."),
    ('\'', "#. #. .. .."),
    ('\'', ".# .# .. .."),
    ('m', ".. ## ## ##"),
    ('*', "## ## .. .."),
    ('Y', "## ## ## .."),
    (',', ".. .. #. #."),
    (',', ".. .. .# .#"),
    ('|', "#. #. #. #."),
    ('|', ".# .# .# .#"),
    ('/', ".. .# .# ##"),
    ('/', ".# .# ## ##"),
    ('/', ".. .# ## ##"),
    ('/', ".# ## ## ##"),
    ('/', ".# .# #. #."),
    ('/', "## ## #. #."),
    ('/', "## #. #. .."),
    ('/', "## ## #. .."),
    ('\\', ".. #. #. ##"),
    ('\\', "#. #. ## ##"),
    ('\\', ".. #. ## ##"),
    ('\\', "#. ## ## ##"),
    ('\\', "#. #. .# .#"),
    ('\\', "## ## .# .#"),
    ('\\', "## .# .# .."),
    ('\\', "## ## .# .."),
    ('L', "#. #. #. ##"),
    ('J', ".# .# .# ##"),
    ('F', "## #. #. #."),
    ('7', "## .# .# .#"),
    ('P', "## ## ## #."),
    ('?', "## ## ## .#"),
    ('(', ".# ## ## .#"),
    (')', "#. ## ## #."),
];

/// Full cells from the darkest to the brightest.
const DEPTHS: &[u8] = b":+*#@";

/// The sign for a set of parts, row by row from the upper left.
pub fn ascii_of(mask: usize) -> char {
    static TABLE: OnceLock<[char; 256]> = OnceLock::new();
    TABLE.get_or_init(|| std::array::from_fn(nearest))[mask]
}

fn nearest(mask: usize) -> char {
    let parts = |shape: &str| {
        let marks = shape.bytes().filter(|b| *b != b' ').enumerate();
        marks.fold(0, |parts, (bit, mark)| if mark == b'#' { parts | 1 << bit } else { parts })
    };
    let off = |shape: &str| (parts(shape) ^ mask as u32).count_ones();
    SHAPES.iter().min_by_key(|(_, shape)| off(shape)).map_or(' ', |shape| shape.0)
}

pub fn fit(patch: &Patch, ink: Ink) -> Mark {
    let parts = patch.parts::<8>(2, 4);
    if ink == Ink::Two {
        return on_body(full_sign(patch.light), &divide(&parts, ink));
    }
    let inside = (0..8).filter(|&part| parts[part][3] < 0.5);
    let (mask, on, count) = inside.fold((0, Sum::default(), 0.0), |(mask, sum, count), part| {
        (mask | 1 << part, plus(sum, parts[part]), count + 1.0)
    });
    let glyph = if mask == 0xff { full_sign(patch.light) } else { ascii_of(mask) };
    if glyph == ' ' { Mark::BLANK } else { ink.mark(glyph, (on, count), (Sum::default(), 8.0 - count)) }
}

/// Depth shows in the sign too, for where there are no colours.
fn full_sign(light: f32) -> char {
    let step = (light.clamp(0.0, 1.0) * DEPTHS.len() as f32) as usize;
    char::from(DEPTHS[step.min(DEPTHS.len() - 1)])
}
