//! ASCII by shape: the eight parts of a cell, in or out, select the character that draws the same outline.

use std::sync::OnceLock;

/// Characters and the 2×4 parts of a cell that they represent, row by row from the top: `#` in, `.` out. Of equal fits the
/// earlier is chosen. The choice follows how outlines of liquid read: an edge is a stroke of its slope.
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

/// Returns the character whose shape is nearest to a set of parts: a bit each, row by row from the upper left.
pub fn outline(mask: usize) -> char {
    static TABLE: OnceLock<[char; 256]> = OnceLock::new();
    TABLE.get_or_init(|| std::array::from_fn(nearest))[mask]
}

fn nearest(mask: usize) -> char {
    let parts = |shape: &str| {
        let marks = shape.bytes().filter(|b| *b != b' ').enumerate();
        marks.fold(0, |parts, (bit, mark)| if mark == b'#' { parts | 1 << bit } else { parts })
    };
    let difference = |shape: &str| (parts(shape) ^ mask as u32).count_ones();
    SHAPES.iter().min_by_key(|(_, shape)| difference(shape)).map_or(' ', |shape| shape.0)
}

/// Returns the character of a full cell at a brightness, 0 to 1. Depth shows in the character too, for terminals without colours.
pub fn full(light: f32) -> char {
    let step = (light.clamp(0.0, 1.0) * DEPTHS.len() as f32) as usize;
    char::from(DEPTHS[step.min(DEPTHS.len() - 1)])
}
