//! Capabilities: what the terminal understands, first from its environment (`env`), then from its replies (`query_replies`) and
//! its name (`terminal_db`). [`Caps::queries`] go out in one burst, and nothing waits for the replies; `query` is the blocking
//! variant for `slosh doctor`.

mod env;
mod provenance;
pub(crate) mod query;
mod query_replies;
mod terminal_db;

use crate::cell::color::{ColorDepth, TerminalColors};
use crate::cell::glyph_mode::GlyphMode;

pub use env::Env;
pub use provenance::{Fact, Provenance, Provenances};

named! {
    /// The kind of program that draws the output.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum TerminalKind {
        #[default]
        Emulator => "terminal emulator",
        /// tmux: answers queries itself, so its answers say nothing about the link behind it.
        Tmux => "tmux",
        GnuScreen => "GNU screen",
        /// mosh: replies itself, and sends its own selection of frames.
        Mosh => "mosh",
        /// The console of the Linux kernel: sixteen colours, one small font, prints what it does not know.
        LinuxConsole => "Linux console",
        ConPty => "Windows pseudo console",
        /// A VT100 or one of its successors: it may ignore private modes, and prints the content of strings (DCS).
        VideoTerminal => "video terminal",
        /// Output only, as in GNU screen's blanker: replies go to another process, and modes are not restored.
        OneWay => "terminal that is only written to",
        /// TERM=dumb or unset: nothing is known to work.
        Dumb => "dumb terminal",
    }
}

/// What a terminal understands. `None` stands for "not known yet".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    pub depth: ColorDepth,
    /// Whether the user chose the depth; no reply changes it then.
    pub depth_fixed: bool,
    pub utf8: bool,
    pub glyphs: GlyphMode,
    pub kind: TerminalKind,
    pub ssh: bool,
    /// XTVERSION, such as `tmux 3.4` or `kitty(0.31.0)`; before its reply, the name that the environment suggests.
    pub name: Option<String>,
    /// Whether it supports synchronized updates (2026); `None` until a reply tells.
    pub sync: Option<bool>,
    pub pixel_mouse: bool,
    /// Resizes in the stream of input (2048).
    pub resizes: bool,
    pub scheme_changes: bool,
    pub key_release: bool,
    pub cell_pixels: Option<(u16, u16)>,
    pub colors: TerminalColors,
    pub asks_colors: bool,
    pub repeat: bool,
    pub erase: bool,
    /// A reply tells that tab stops are eight columns apart, so that HT is a short move.
    pub tabs: bool,
    /// Whether an octant takes one column; `None` until a reply tells.
    pub octant_fits: Option<bool>,
    /// Whether a block takes one column. Where it does not, text counts as ASCII.
    pub blocks_fit: Option<bool>,
    /// Whether the terminal draws block elements itself, instead of leaving them to the font.
    pub draws_blocks: Option<bool>,
    /// Whether the terminal reports that it writes to the clipboard (OSC 52).
    pub clipboard: bool,
    /// Whether a terminal of this name and version is known to draw octants.
    pub draws_octants: bool,
    pub provenance: Provenances,
}

impl Caps {
    /// `depth` is the user's flag, which overrides all else.
    pub fn from_env(env: &Env, depth: Option<ColorDepth>) -> Self {
        let (kind, by_host) = env.kind();
        let chosen = depth.map(|depth| (depth, Provenance::Flag)).or_else(|| env.chosen_depth());
        let (likely, by_depth) = chosen.unwrap_or_else(|| env.likely_depth(kind));
        let (glyphs, by_glyphs) = env.likely_glyphs(kind);
        let mut caps = Self {
            depth: likely,
            depth_fixed: chosen.is_some(),
            utf8: env.is_utf8(),
            glyphs,
            kind,
            ssh: env.ssh,
            sync: (kind == TerminalKind::Mosh).then_some(false),
            // ECH came with the VT220.
            erase: kind != TerminalKind::Dumb && !matches!(&*env.term, "vt52" | "vt100" | "vt102"),
            draws_blocks: (kind == TerminalKind::LinuxConsole).then_some(true),
            ..Self::default()
        };
        let provenance =
            [(Fact::Kind, by_host), (Fact::Depth, by_depth), (Fact::Glyphs, by_glyphs), (Fact::Erase, by_host)];
        provenance.into_iter().for_each(|(fact, source)| caps.provenance[fact as usize] = source);
        // Inside a multiplexer the variables describe a terminal that may have been detached since.
        if let Some((name, variable)) = env.name().filter(|_| kind == TerminalKind::Emulator) {
            caps.apply_name(&name, variable);
        }
        caps
    }

    /// Whether it has replied to the last query, so that no other reply follows.
    pub fn is_last_query_answered(&self) -> bool {
        self.provenance[Fact::Clipboard as usize] == Provenance::Answer("DA1")
    }

    /// Whether it has replied to the last query, and not told its background: tmux before 3.4, GNU screen, mosh.
    pub fn hides_background(&self) -> bool {
        self.colors.background.is_none() && self.is_last_query_answered()
    }

    pub fn is_modern(&self) -> bool {
        !matches!(
            self.kind,
            TerminalKind::Dumb | TerminalKind::LinuxConsole | TerminalKind::VideoTerminal | TerminalKind::OneWay
        )
    }

    /// XTVERSION overrides variables. tmux repeats nothing after a character beyond ASCII (3.3a), so REP is not used in it.
    fn apply_name(&mut self, name: &str, by: &'static str) {
        let told = by == "XTVERSION";
        self.name = Some(name.to_owned());
        self.provenance[Fact::Name as usize] = if told { Provenance::Answer(by) } else { Provenance::Variable(by) };
        if name.to_lowercase().starts_with("tmux") {
            self.kind = TerminalKind::Tmux;
            self.provenance[Fact::Kind as usize] = Provenance::Answer(by);
        }
        let Some(known) = terminal_db::lookup(name) else { return };
        let source = Provenance::Known(by);
        (self.repeat, self.draws_octants) = (known.repeat, known.octants);
        // A terminal that draws sextants draws these too.
        self.draws_blocks = Some(matches!(known.glyphs, GlyphMode::Sextant | GlyphMode::Wedge));
        self.provenance[Fact::Repeat as usize] = source;
        self.provenance[Fact::Blocks as usize] = source;
        if known.true_color {
            self.set_true_color(source);
        }
        if self.utf8 && known.glyphs != self.glyphs {
            self.glyphs = known.glyphs;
            self.provenance[Fact::Glyphs as usize] = source;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::color::Rgb;
    use crate::term::input::event::Reply;

    fn caps(vars: &[(&str, &str)]) -> Caps {
        let find = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        Caps::from_env(&Env::from_lookup(find), None)
    }

    #[test]
    fn the_order_of_the_colour_variables() {
        let x = ("TERM", "xterm-256color");
        let cases: &[(&[(&str, &str)], ColorDepth)] = &[
            (&[x], ColorDepth::Ansi256),
            (&[x, ("COLORTERM", "truecolor")], ColorDepth::TrueColor),
            (&[x, ("NO_COLOR", "1"), ("COLORTERM", "truecolor")], ColorDepth::Mono),
            (&[x, ("NO_COLOR", "")], ColorDepth::Ansi256),
            (&[x, ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], ColorDepth::Mono),
            (&[x, ("NO_COLOR", "1"), ("FORCE_COLOR", "3")], ColorDepth::TrueColor),
            (&[x, ("FORCE_COLOR", "0")], ColorDepth::Mono),
            (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], ColorDepth::Ansi16),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], ColorDepth::Mono),
            (&[("TERM", "linux")], ColorDepth::Ansi16),
            (&[("TERM", "vt100")], ColorDepth::Mono),
            (&[("TERM", "screen.xterm-256color"), ("STY", "1.x"), ("COLORTERM", "truecolor")], ColorDepth::Ansi256),
            (&[], ColorDepth::Mono),
        ];
        for (vars, depth) in cases {
            assert_eq!(caps(vars).depth, *depth, "{vars:?}");
        }
    }

    #[test]
    fn a_flag_goes_before_everything_and_stays() {
        let env = Env { term: "xterm".into(), no_color: true, ..Env::default() };
        let mut caps = Caps::from_env(&env, Some(ColorDepth::Ansi256));
        let yes = Reply::Capability("XTGETTCAP RGB");
        assert!(!caps.apply_reply(&yes));
        assert_eq!(caps.depth, ColorDepth::Ansi256);
    }

    #[test]
    fn answers_improve_what_the_environment_suggested() {
        let mut caps = caps(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SSH_TTY", "/dev/pts/1")]);
        assert_eq!((caps.depth, caps.glyphs), (ColorDepth::Ansi256, GlyphMode::Quadrant));
        assert!(caps.apply_reply(&Reply::Capability("XTGETTCAP RGB")));
        assert!(!caps.apply_reply(&Reply::Rendition("0;48:2::1:2:3".into())), "known already");
        assert!(caps.apply_reply(&Reply::Version("WezTerm 20240203".into())));
        assert!(caps.apply_reply(&Reply::Mode { mode: 1016, state: 2 }));
        assert!(caps.apply_reply(&Reply::CellPixels { width: 9, height: 18 }));
        assert!(caps.apply_reply(&Reply::KeyboardFlags(3)));
        assert!(!caps.apply_reply(&Reply::KeyboardFlags(3)));
        assert_eq!((caps.depth, caps.glyphs), (ColorDepth::TrueColor, GlyphMode::Wedge));
        assert!(caps.pixel_mouse && caps.key_release && caps.repeat);
        assert_eq!(caps.cell_pixels, Some((9, 18)));
    }

    #[test]
    fn a_true_colour_that_is_kept_is_known() {
        for (sgr, depth) in [
            ("0;48;2;1;2;3", ColorDepth::TrueColor),
            ("48:2::1:2:3", ColorDepth::TrueColor),
            ("0;48:2:1:2:3", ColorDepth::TrueColor),
            ("0;48;5;16", ColorDepth::Ansi256),
            ("0", ColorDepth::Ansi256),
        ] {
            let mut caps = caps(&[("TERM", "xterm-256color")]);
            caps.apply_reply(&Reply::Rendition(sgr.into()));
            assert_eq!(caps.depth, depth, "{sgr}");
        }
    }

    #[test]
    fn terminals_that_print_unknown_queries_get_none() {
        assert_eq!(caps(&[("TERM", "dumb")]).queries(), "");
        assert_eq!(caps(&[("TERM", "linux")]).queries(), "");
        for term in ["vt52", "vt100", "vt102", "vt220", "vt320-w", "vt420"] {
            let caps = caps(&[("TERM", term)]);
            assert_eq!((caps.queries(), caps.is_modern()), (String::new(), false), "{term}");
        }
        assert!(caps(&[("TERM", "vte-256color")]).is_modern());
        assert!(caps(&[("TERM", "xterm")]).queries().ends_with("\x1b[c"));
        assert!(!caps(&[("TERM", "tmux-256color"), ("TMUX", "/x")]).queries().contains('P'));
    }

    #[test]
    fn glyphs_follow_locale_and_host() {
        let utf8 = ("LANG", "en_US.UTF-8");
        assert_eq!(caps(&[("TERM", "xterm"), utf8]).glyphs, GlyphMode::Quadrant);
        assert_eq!(caps(&[("TERM", "xterm"), utf8, ("LC_ALL", "C")]).glyphs, GlyphMode::Ascii);
        assert_eq!(caps(&[("TERM", "linux"), utf8]).glyphs, GlyphMode::Half);
        assert_eq!(caps(&[("TERM", "xterm")]).glyphs, GlyphMode::Ascii);
    }

    #[test]
    fn glyphs_by_the_terminals_name() {
        let utf8 = ("LANG", "en_US.UTF-8");
        let (tmux, xterm) = (("TMUX", "/x"), ("TERM", "xterm-256color"));
        let cases: &[(&[(&str, &str)], GlyphMode)] = &[
            (&[("TERM", "xterm-kitty"), utf8], GlyphMode::Wedge),
            (&[("TERM", "xterm-ghostty"), utf8], GlyphMode::Wedge),
            (&[("TERM", "alacritty"), utf8], GlyphMode::Sextant),
            (&[xterm, ("VTE_VERSION", "7603"), utf8], GlyphMode::Wedge),
            (&[xterm, ("VTE_VERSION", "6001"), utf8], GlyphMode::Quadrant),
            (&[xterm, ("KONSOLE_VERSION", "230805"), utf8], GlyphMode::Wedge),
            (&[xterm, ("TERM_PROGRAM", "vscode"), utf8], GlyphMode::Wedge),
            (&[xterm, ("TERM_PROGRAM", "WezTerm"), utf8], GlyphMode::Wedge),
            (&[xterm, ("TERM_PROGRAM", "Apple_Terminal"), utf8], GlyphMode::Quadrant),
            (&[("TERM", "tmux-256color"), tmux, ("VTE_VERSION", "7603"), utf8], GlyphMode::Quadrant),
            (&[("TERM", "xterm-kitty")], GlyphMode::Ascii),
        ];
        for (vars, glyphs) in cases {
            assert_eq!(caps(vars).glyphs, *glyphs, "{vars:?}");
        }
    }

    #[test]
    fn replies_override_inherited_variables() {
        // As if started from within kitty.
        let mut caps = caps(&[("TERM", "xterm-kitty"), ("LANG", "C.UTF-8")]);
        assert_eq!(
            (caps.glyphs, caps.provenance[Fact::Glyphs as usize]),
            (GlyphMode::Wedge, Provenance::Known("TERM"))
        );
        caps.apply_reply(&Reply::Version("XTerm(379)".into()));
        assert_eq!(
            (caps.glyphs, caps.provenance[Fact::Glyphs as usize]),
            (GlyphMode::Quadrant, Provenance::Known("XTVERSION"))
        );
    }

    fn has_octants(caps: &Caps) -> bool {
        caps.draws_octants && caps.octant_fits == Some(true)
    }

    #[test]
    fn octants_need_both_a_width_and_a_name() {
        let utf8 = [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")];
        let mut tester = caps(&utf8);
        assert!(tester.queries().contains('\u{1cd00}'));
        assert!(tester.apply_reply(&Reply::Cursor { column: 2 }));
        assert!(!has_octants(&tester), "its font is not known");
        assert!(tester.apply_reply(&Reply::Version("kitty(0.42.0)".into())));
        assert!(has_octants(&tester));
        let mut deletes = caps(&utf8);
        deletes.apply_reply(&Reply::Version("kitty(0.42.0)".into()));
        deletes.apply_reply(&Reply::Cursor { column: 1 });
        // This may be Shift and F3, or the reply to another program's query.
        deletes.apply_reply(&Reply::Cursor { column: 2 });
        assert!(!has_octants(&deletes));
    }

    #[test]
    fn wide_blocks_leave_ascii() {
        let mut caps = caps(&[("TERM", "xterm-256color"), ("LANG", "ja_JP.UTF-8")]);
        caps.apply_reply(&Reply::Cursor { column: 3 });
        assert!(caps.utf8, "a wide octant alone");
        caps.apply_reply(&Reply::Cursor { column: 3 });
        assert_eq!((caps.utf8, caps.glyphs), (false, GlyphMode::Ascii));
        // The name comes later.
        caps.apply_reply(&Reply::Version("kitty(0.42.0)".into()));
        assert_eq!(caps.glyphs, GlyphMode::Ascii);
        assert!(!has_octants(&caps));
    }

    #[test]
    fn a_key_like_a_reply_after_the_burst_changes_nothing() {
        let mut caps = caps(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")]);
        caps.apply_reply(&Reply::PrimaryAttributes(vec![62]));
        // Alt and F3.
        for _ in 0..3 {
            caps.apply_reply(&Reply::Cursor { column: 3 });
        }
        assert!(caps.utf8);
    }

    #[test]
    fn the_terminals_own_colours_are_known() {
        let mut caps = caps(&[("TERM", "xterm-256color")]);
        assert!(!caps.queries().contains("]10;?"), "only where they are needed");
        caps.asks_colors = true;
        assert!(caps.queries().contains("]10;?") && caps.queries().contains("]4;0;?"));
        caps.apply_reply(&Reply::Foreground(Rgb(1, 2, 3)));
        caps.apply_reply(&Reply::NamedColors(vec![(1, Rgb(200, 0, 0))]));
        assert_eq!((caps.colors.foreground, caps.colors.named[1]), (Some(Rgb(1, 2, 3)), Some(Rgb(200, 0, 0))));
    }

    #[test]
    fn grounds_follow_the_facts() {
        let mut caps = caps(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")]);
        assert_eq!(caps.provenance[Fact::Depth as usize], Provenance::Variable("TERM"));
        caps.apply_reply(&Reply::Capability("XTGETTCAP Tc"));
        caps.apply_reply(&Reply::Mode { mode: 2026, state: 0 });
        assert_eq!(caps.provenance[Fact::Depth as usize], Provenance::Answer("XTGETTCAP Tc"));
        assert_eq!((caps.sync, caps.provenance[Fact::Sync as usize]), (Some(false), Provenance::Answer("DECRQM 2026")));
        assert_eq!(caps.provenance[Fact::Background as usize], Provenance::Default);
    }

    #[test]
    fn mosh_gets_no_query_that_it_does_not_know() {
        let caps = caps(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("MOSH_CONNECTION", "x")]);
        assert_eq!((caps.kind, caps.sync, &*caps.queries()), (TerminalKind::Mosh, Some(false), "\x1b[c"));
    }
}
