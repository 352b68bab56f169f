//! The known capabilities of terminals, by name, from their sources. Windows Terminal and iTerm2 leave sextants to the font.

use crate::cell::glyph_mode::GlyphMode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownTerminal {
    pub glyphs: GlyphMode,
    pub octants: bool,
    pub repeat: bool,
    pub true_color: bool,
}

type TerminalVersion = (u32, u32);

const NEVER: Option<TerminalVersion> = None;
const ANY: TerminalVersion = (0, 0);

/// Name; the richest glyphs that it draws well, and the first version with them, before which it gets quadrants; the first version
/// with octants; whether it repeats characters; whether it has true colour.
type TerminalEntry = (&'static str, GlyphMode, TerminalVersion, Option<TerminalVersion>, bool, bool);

/// The first entry whose name the reported name begins with applies.
const TERMINALS: [TerminalEntry; 14] = [
    ("kitty", GlyphMode::Wedge, ANY, Some((0, 40)), true, true),
    ("wezterm", GlyphMode::Wedge, ANY, Some((20250000, 0)), true, true),
    ("ghostty", GlyphMode::Wedge, ANY, Some((1, 2)), true, true),
    // VTE draws the legacy blocks since 0.62, which it reports as 6200.
    ("vte", GlyphMode::Wedge, (6200, 0), Some((7800, 0)), true, true),
    ("konsole", GlyphMode::Wedge, ANY, NEVER, true, true),
    ("xterm.js", GlyphMode::Wedge, ANY, NEVER, true, true),
    ("foot", GlyphMode::Wedge, ANY, Some((1, 20)), true, true),
    ("contour", GlyphMode::Wedge, ANY, NEVER, true, true),
    ("rio", GlyphMode::Sextant, ANY, NEVER, false, true),
    // Its developers decided on sextants only (alacritty/alacritty#7534).
    ("alacritty", GlyphMode::Sextant, (0, 14), NEVER, true, true),
    ("iterm2", GlyphMode::Quadrant, ANY, NEVER, true, true),
    ("apple_terminal", GlyphMode::Quadrant, ANY, NEVER, false, false),
    ("mintty", GlyphMode::Quadrant, ANY, NEVER, true, true),
    ("xterm", GlyphMode::Quadrant, ANY, NEVER, true, false),
];

/// What is known of a reported name, such as `kitty(0.31.0)` or `XTerm(379)`.
pub fn lookup(name: &str) -> Option<KnownTerminal> {
    let lower = name.to_lowercase();
    let (name, glyphs, since, octants, repeat, true_color) =
        TERMINALS.into_iter().find(|(known, ..)| lower.starts_with(known))?;
    let version = version(&lower[name.len()..]);
    // Without a version, as from TERM, only capabilities that are some years old are assumed.
    let glyphs = if version.is_some_and(|version| version < since) { GlyphMode::Quadrant } else { glyphs };
    let octants = octants.zip(version).is_some_and(|(since, version)| version >= since);
    Some(KnownTerminal { glyphs, octants, repeat, true_color })
}

fn version(text: &str) -> Option<TerminalVersion> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let first = numbers.next()?.parse().ok()?;
    Some((first, numbers.next().and_then(|digits| digits.parse().ok()).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions() {
        for (name, glyphs, octants) in [
            ("kitty(0.31.0)", GlyphMode::Wedge, false),
            ("kitty(0.42.1)", GlyphMode::Wedge, true),
            ("kitty", GlyphMode::Wedge, false),
            ("VTE(6003)", GlyphMode::Quadrant, false),
            ("VTE(7603)", GlyphMode::Wedge, false),
            ("foot(1.20.2)", GlyphMode::Wedge, true),
            ("WezTerm 20240203-110809-5046fc22", GlyphMode::Wedge, false),
            ("xterm.js(5.5.0)", GlyphMode::Wedge, false),
            ("XTerm(379)", GlyphMode::Quadrant, false),
            ("alacritty 0.13.1", GlyphMode::Quadrant, false),
            ("alacritty", GlyphMode::Sextant, false),
        ] {
            let known = lookup(name).unwrap_or_else(|| panic!("{name} is not known"));
            assert_eq!((known.glyphs, known.octants), (glyphs, octants), "{name}");
        }
        assert_eq!(lookup("quux 3"), None);
    }
}
