//! The capability queries, and the interpretation of their replies.

use crate::cell::color::ColorDepth;
use crate::cell::glyph_mode::GlyphMode;
use crate::term::capabilities::{Caps, Fact, Provenance, TerminalKind};
use crate::term::input::event::Reply;

/// An octant without a look-alike among the older blocks, then a block, each at the left of a row that is erased again in one
/// synchronized update. The cursor columns give their widths; a block is wide in some East Asian fonts.
const WIDTH_PROBE: &str = "\r\u{1cd00}\x1b[6n\r\u{2580}\x1b[6n\r\x1b[K";

const COLORS_QUERY: &str = "\x1b]10;?\x1b\\\
                            \x1b]4;0;?;1;?;2;?;3;?;4;?;5;?;6;?;7;?;8;?;9;?;10;?;11;?;12;?;13;?;14;?;15;?\x1b\\";

/// Nine tabs from the left of a row: cursor column 73 confirms that tab stops are eight columns apart.
const TAB_PROBE: &str = "\r\t\t\t\t\t\t\t\t\t\x1b[6n\r";
const TAB_COLUMN: u16 = 73;

/// Attribute in the reply to DA1: OSC 52 writes to the clipboard.
const CLIPBOARD: u16 = 52;

impl Caps {
    /// Returns one burst of queries, ended by one that every terminal replies to (DA1): whether a true colour is kept (XTGETTCAP
    /// `RGB` and `Tc`; DECRQSS of SGR), width of an octant and a block, DECRQM 2026, 1016, 2048 and 2031, OSC 11 (and 10 and 4),
    /// cell size, kitty flags, XTVERSION. Queries in DCS go to emulators only; mosh replies only to the oldest ones.
    pub fn queries(&self) -> String {
        const COLOR: &str = "\x1bP+q524742\x1b\\\x1bP+q5463\x1b\\\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[m";
        const ALL: &str = "\x1b[?2026$p\x1b[?1016$p\x1b[?2048$p\x1b[?2031$p\x1b]11;?\x1b\\\x1b[16t\x1b[?u\x1b[>0q";
        const LAST: &str = "\x1b[c";
        let width = if self.utf8 { WIDTH_PROBE } else { "" };
        let width = format!("\x1b[?2026h{width}{TAB_PROBE}\x1b[?2026l");
        let colors = if self.asks_colors { COLORS_QUERY } else { "" };
        match self.kind {
            _ if !self.is_modern() => String::new(),
            TerminalKind::Mosh => LAST.to_owned(),
            TerminalKind::Emulator => format!("{COLOR}{width}{ALL}{colors}{LAST}"),
            _ => format!("{width}{ALL}{colors}{LAST}"),
        }
    }

    pub fn apply_reply(&mut self, reply: &Reply) -> bool {
        let before = self.clone();
        match reply {
            Reply::Capability(query) => self.set_true_color(Provenance::Answer(query)),
            Reply::Rendition(sgr) if keeps_true_color(sgr) => self.set_true_color(Provenance::Answer("DECRQSS")),
            Reply::Mode { mode, state } => self.apply_mode(*mode, *state),
            Reply::Background(rgb) => {
                self.colors.background = Some(*rgb);
                self.note_reply(Fact::Background, "OSC 11");
            }
            Reply::Foreground(rgb) => self.colors.foreground = Some(*rgb),
            Reply::NamedColors(named) => {
                for &(index, rgb) in named {
                    self.colors.named[usize::from(index)] = Some(rgb);
                }
            }
            Reply::CellPixels { width: w @ 1.., height: h @ 1.. } => {
                self.cell_pixels = Some((*w, *h));
                self.note_reply(Fact::CellPixels, "CSI 16 t");
            }
            Reply::Size { columns: c @ 1.., rows: r @ 1.., width, height } if width >= c && height >= r => {
                self.cell_pixels = Some((width / c, height / r));
                self.note_reply(Fact::CellPixels, "resize report");
            }
            Reply::KeyboardFlags(flags) => {
                self.key_release = flags & 2 != 0;
                self.note_reply(Fact::KeyRelease, "kitty keyboard flags");
            }
            Reply::Cursor { column: TAB_COLUMN } if !self.tabs => self.tabs = true,
            // Later reports do not answer this program's query, and F3 with modifiers looks the same.
            Reply::Cursor { column } if self.octant_fits.is_none() => {
                self.octant_fits = Some(*column == 2);
                self.note_reply(Fact::Octants, "cursor position after an octant");
            }
            Reply::Cursor { column } if self.blocks_fit.is_none() => {
                self.blocks_fit = Some(*column != 3);
                if *column == 3 {
                    self.utf8 = false;
                    self.glyphs = GlyphMode::Ascii;
                    self.note_reply(Fact::Glyphs, "cursor position after a block, which takes two columns");
                }
            }
            // The first number is the class of the terminal, the others are what it supports.
            Reply::PrimaryAttributes(attributes) => {
                self.clipboard = attributes.iter().skip(1).any(|&attribute| attribute == CLIPBOARD);
                self.note_reply(Fact::Clipboard, "DA1");
                // It ends the burst: later cursor positions are no replies to the probes.
                self.blocks_fit.get_or_insert(true);
            }
            Reply::Version(name) => self.apply_name(name, "XTVERSION"),
            _ => {}
        }
        *self != before
    }

    /// DECRPM: in state 0 the mode is unknown, in state 4 it is permanently reset.
    fn apply_mode(&mut self, mode: u16, state: u16) {
        let (known, fact, question) = match mode {
            2026 => (self.sync.get_or_insert_default(), Fact::Sync, "DECRQM 2026"),
            1016 => (&mut self.pixel_mouse, Fact::PixelMouse, "DECRQM 1016"),
            2048 => (&mut self.resizes, Fact::Resizes, "DECRQM 2048"),
            2031 => (&mut self.scheme_changes, Fact::SchemeChanges, "DECRQM 2031"),
            _ => return,
        };
        *known = matches!(state, 1..=3);
        self.note_reply(fact, question);
    }

    fn note_reply(&mut self, fact: Fact, question: &'static str) {
        self.provenance[fact as usize] = Provenance::Answer(question);
    }

    /// The terminals of all clients of tmux have 24-bit colours. COLORTERM does not tell: it does not cross ssh. Returns whether
    /// that is new.
    pub fn accept_true_color_of_clients(&mut self) -> bool {
        let before = self.depth;
        self.set_true_color(Provenance::Answer("client_termfeatures of tmux"));
        self.depth != before
    }

    pub(super) fn set_true_color(&mut self, source: Provenance) {
        if !self.depth_fixed && self.depth < ColorDepth::TrueColor {
            self.depth = ColorDepth::TrueColor;
            self.provenance[Fact::Depth as usize] = source;
        }
    }
}

/// Whether the true colour that was set is still in force, in any notation (`48;2;1;2;3`, `48:2::1:2:3`, `48:2:1:2:3`).
fn keeps_true_color(sgr: &str) -> bool {
    let sgr = sgr.replace(';', ":");
    sgr.contains("48:2:") && sgr.contains(":1:2:3")
}
