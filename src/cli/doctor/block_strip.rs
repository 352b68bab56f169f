//! A strip of block glyphs for the user to look at: in many fonts the blocks do not tile, and liquid is drawn with a grid on it.
//! No terminal reports its font.

use std::io::{self, Write};

/// The left area of the strip: glyphs that meet at every border of a cell. The right area has the same shape, drawn
/// with the background colour alone.
const GLYPHS: [&str; 4] = ["▗▄▄▄▄▄▄▄▄▄▄▖", "▐██▛▀▜██▛▀▜▌", "▐██▙▄▟██▙▄▟▌", "▝▀▀▀▀▀▀▀▀▀▀▘"];

const ADVICE: &str = "\
Lines across the left area are gaps that the font leaves between blocks; the
right area has none. Without gaps in xterm: Inconsolata (-fa Inconsolata) and
the bitmap font -misc-fixed-medium-r-normal--18-*-iso10646-1 (-fn). With gaps at
most sizes: DejaVu Sans Mono, Noto Sans Mono, Noto Mono, Liberation Mono, Hack,
JetBrains Mono, Fira Code, FreeMono, Nimbus Mono, Terminus (TTF). No font has
gaps in kitty, foot, Ghostty, WezTerm, Konsole, VTE and Alacritty, which draw
blocks themselves.
";

pub fn write(out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    for (row, glyphs) in GLYPHS.iter().enumerate() {
        // The outer rows of the area are half a cell high. The background colour alone cannot fill half a cell, so the
        // right area has the two inner rows only.
        let inverse = if row == 0 || row == GLYPHS.len() - 1 {
            " ".repeat(12)
        } else {
            format!("\x1b[7m{}\x1b[m", " ".repeat(12))
        };
        writeln!(out, "{:16}{glyphs}    {inverse}", "")?;
    }
    write!(out, "\n{ADVICE}")
}
