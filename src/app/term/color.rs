//! Colours as the terminal takes them, and their reduction to what it can show.

use ratatui_core::style::Color;

/// How many colours the terminal shows. Ordered: more is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// No colours at all; only attributes such as bold and reverse.
    Mono,
    /// The 16 of the user's own palette.
    #[default]
    Ansi16,
    /// xterm's 256: those 16, a 6×6×6 cube and 24 greys.
    Ansi256,
    Truecolor,
}

/// A colour on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Paint {
    /// The terminal's own text or background colour.
    #[default]
    Default,
    /// An entry of the terminal's palette.
    Index(u8),
    Rgb(u8, u8, u8),
}

impl Paint {
    /// The nearest colour that `depth` can show.
    pub fn reduce(color: Color, depth: Depth) -> Self {
        let paint = Self::from(color);
        match (depth, paint) {
            (Depth::Mono, _) => Self::Default,
            (Depth::Ansi256, Self::Rgb(r, g, b)) => Self::Index(nearest_256([r, g, b])),
            (Depth::Ansi16, Self::Rgb(r, g, b)) => Self::Index(nearest_16([r, g, b])),
            (Depth::Ansi16, Self::Index(i @ 16..)) => Self::Index(nearest_16(xterm_rgb(i))),
            _ => paint,
        }
    }
}

impl From<Color> for Paint {
    fn from(color: Color) -> Self {
        use Color::*;
        let index = match color {
            Reset => return Self::Default,
            Rgb(r, g, b) => return Self::Rgb(r, g, b),
            Indexed(i) => i,
            Black => 0,
            Red => 1,
            Green => 2,
            Yellow => 3,
            Blue => 4,
            Magenta => 5,
            Cyan => 6,
            Gray => 7,
            DarkGray => 8,
            LightRed => 9,
            LightGreen => 10,
            LightYellow => 11,
            LightBlue => 12,
            LightMagenta => 13,
            LightCyan => 14,
            White => 15,
        };
        Self::Index(index)
    }
}

/// xterm's first 16. Every user has others; these are the ones programs assume.
const BASE: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// The levels of the 6×6×6 cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn xterm_rgb(index: u8) -> [u8; 3] {
    match index {
        0..16 => BASE[usize::from(index)],
        16..232 => {
            let i = index - 16;
            [i / 36, i / 6 % 6, i % 6].map(|level| LEVELS[usize::from(level)])
        }
        232.. => [8 + (index - 232) * 10; 3],
    }
}

/// Of the cube's nearest entry and the ramp's nearest grey, the nearer; the first 16 are the user's
/// to redefine, so they are left alone.
fn nearest_256(rgb: [u8; 3]) -> u8 {
    let [r, g, b] = rgb.map(nearest_level);
    let cube = 16 + 36 * r + 6 * g + b;
    let mean = rgb.iter().map(|&c| u32::from(c)).sum::<u32>() / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    if distance(rgb, xterm_rgb(grey)) < distance(rgb, xterm_rgb(cube)) { grey } else { cube }
}

fn nearest_level(c: u8) -> u8 {
    match c {
        0..48 => 0,
        48..115 => 1,
        _ => (c - 35) / 40,
    }
}

fn nearest_16(rgb: [u8; 3]) -> u8 {
    (0..16u8).min_by_key(|&i| distance(rgb, BASE[usize::from(i)])).unwrap_or(0)
}

/// The "redmean" distance: nearly as good as a perceptual space for a few operations
/// (Riemersma, compuphase.com/cmetric.htm).
fn distance(a: [u8; 3], b: [u8; 3]) -> i32 {
    let mean = (i32::from(a[0]) + i32::from(b[0])) / 2;
    let [r, g, b] = [0, 1, 2].map(|i| i32::from(a[i]) - i32::from(b[i]));
    (((512 + mean) * r * r) >> 8) + 4 * g * g + (((767 - mean) * b * b) >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_palette_holds_is_found_exactly() {
        for i in 16..=255 {
            let [r, g, b] = xterm_rgb(i);
            let found = nearest_256([r, g, b]);
            assert_eq!(xterm_rgb(found), [r, g, b], "index {i}");
        }
    }

    #[test]
    fn mono_has_no_colours() {
        for color in [Color::Red, Color::Rgb(1, 2, 3), Color::Indexed(200), Color::Reset] {
            assert_eq!(Paint::reduce(color, Depth::Mono), Paint::Default);
        }
    }

    #[test]
    fn sixteen_take_any_colour_to_the_first_sixteen() {
        assert_eq!(Paint::reduce(Color::Rgb(250, 10, 10), Depth::Ansi16), Paint::Index(9));
        assert_eq!(Paint::reduce(Color::Indexed(196), Depth::Ansi16), Paint::Index(9));
        assert_eq!(Paint::reduce(Color::Cyan, Depth::Ansi16), Paint::Index(6));
    }
}
