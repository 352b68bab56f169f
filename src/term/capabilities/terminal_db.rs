//! What terminals are known to do, by name.
//!
//! Read in their sources. Who draws block elements himself does not depend on the font; Windows Terminal and iTerm2
//! leave sextants to it, so they are not here for glyphs.

use crate::term::capabilities::Glyphs;

/// A terminal, and since which version it does what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    name: &'static str,
    pub glyphs: Glyphs,
    /// The first version with these glyphs; before, quadrants.
    since: Version,
    /// The first version that draws octants, if any does.
    octants: Option<Version>,
    /// REP.
    pub repeat: bool,
    pub true_color: bool,
}

type Version = (u32, u32);

/// Never.
const NO: Option<Version> = None;
const ANY: Version = (0, 0);

/// The first whose name a terminal's begins with.
const KNOWN: [Known; 14] = [
    row("kitty", Glyphs::Wedges, ANY, Some((0, 40)), true, true),
    row("wezterm", Glyphs::Wedges, ANY, Some((20250000, 0)), true, true),
    row("ghostty", Glyphs::Wedges, ANY, Some((1, 2)), true, true),
    // VTE 0.62 drew the legacy blocks first; it tells its version as 6200.
    row("vte", Glyphs::Wedges, (6200, 0), Some((7800, 0)), true, true),
    row("konsole", Glyphs::Wedges, ANY, NO, true, true),
    row("xterm.js", Glyphs::Wedges, ANY, NO, true, true),
    row("foot", Glyphs::Wedges, ANY, Some((1, 20)), true, true),
    row("contour", Glyphs::Wedges, ANY, NO, true, true),
    row("rio", Glyphs::Sextants, ANY, NO, false, true),
    // Its makers wanted sextants and no more (alacritty/alacritty#7534).
    row("alacritty", Glyphs::Sextants, (0, 14), NO, true, true),
    row("iterm2", Glyphs::Quadrants, ANY, NO, true, true),
    row("apple_terminal", Glyphs::Quadrants, ANY, NO, false, false),
    row("mintty", Glyphs::Quadrants, ANY, NO, true, true),
    row("xterm", Glyphs::Quadrants, ANY, NO, true, false),
];

const fn row(
    name: &'static str,
    glyphs: Glyphs,
    since: Version,
    octants: Option<Version>,
    repeat: bool,
    true_color: bool,
) -> Known {
    Known { name, glyphs, since, octants, repeat, true_color }
}

/// The entry for a terminal that calls itself so, such as `kitty(0.31.0)` or `XTerm(379)`; and whether it draws
/// octants.
pub fn find(name: &str) -> Option<(Known, bool)> {
    let lower = name.to_lowercase();
    let known = KNOWN.into_iter().find(|known| lower.starts_with(known.name))?;
    let version = version(&lower[known.name.len()..]);
    // Where the version is not told, as by TERM, what all of some years' age can do is believed; octants are not.
    let glyphs = match version {
        Some(version) if version < known.since => known.glyphs.min(Glyphs::Quadrants),
        _ => known.glyphs,
    };
    let octants = known.octants.zip(version).is_some_and(|(since, version)| version >= since);
    Some((Known { glyphs, ..known }, octants))
}

/// The first two numbers.
fn version(text: &str) -> Option<Version> {
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
            ("kitty(0.31.0)", Glyphs::Wedges, false),
            ("kitty(0.42.1)", Glyphs::Wedges, true),
            ("kitty", Glyphs::Wedges, false),
            ("VTE(6003)", Glyphs::Quadrants, false),
            ("VTE(7603)", Glyphs::Wedges, false),
            ("foot(1.20.2)", Glyphs::Wedges, true),
            ("WezTerm 20240203-110809-5046fc22", Glyphs::Wedges, false),
            ("xterm.js(5.5.0)", Glyphs::Wedges, false),
            ("XTerm(379)", Glyphs::Quadrants, false),
            ("alacritty 0.13.1", Glyphs::Quadrants, false),
            ("alacritty", Glyphs::Sextants, false),
        ] {
            let (known, draws_octants) = find(name).unwrap_or_else(|| panic!("{name} is not known"));
            assert_eq!((known.glyphs, draws_octants), (glyphs, octants), "{name}");
        }
        assert_eq!(find("quux 3"), None);
    }
}
