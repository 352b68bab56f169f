//! What the terminal can do: first as its environment suggests, then as it says itself.
//!
//! [`Env`] is the only reader of environment variables here, and a plain value, so a test can be any
//! terminal. [`Caps::guess`] is what we start with, before a single byte is exchanged. Then
//! [`Caps::questions`] go out in one burst, which **nothing waits for**, and [`Caps::learn`] takes the
//! answers as they come, or never.

use super::event::Reply;
use crate::view::ColorDepth;

/// The variables that say something about the terminal; an empty one counts as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Env {
    pub term: String,
    pub colorterm: String,
    pub term_program: String,
    pub force_color: Option<String>,
    pub no_color: bool,
    pub clicolor_force: bool,
    /// The first of LC_ALL, LC_CTYPE and LANG that is set.
    pub locale: String,
    pub tmux: bool,
    pub screen: bool,
    pub ssh: bool,
    pub windows_terminal: bool,
}

impl Env {
    pub fn read() -> Self {
        Self::from_lookup(|name| std::env::var(name).ok())
    }

    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| lookup(name).unwrap_or_default();
        let has = |name: &str| !get(name).is_empty();
        Self {
            term: get("TERM"),
            colorterm: get("COLORTERM"),
            term_program: get("TERM_PROGRAM"),
            force_color: lookup("FORCE_COLOR"),
            no_color: has("NO_COLOR"),
            clicolor_force: !matches!(&*get("CLICOLOR_FORCE"), "" | "0"),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].map(get).into_iter().find(|v| !v.is_empty()).unwrap_or_default(),
            tmux: has("TMUX"),
            screen: has("STY"),
            ssh: has("SSH_TTY") || has("SSH_CONNECTION"),
            windows_terminal: has("WT_SESSION"),
        }
    }
}

/// Who draws our bytes, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// A terminal emulator, by all we know.
    Emulator,
    /// tmux: answers questions itself, so its answers say nothing about the link behind it.
    Tmux,
    /// GNU screen.
    Screen,
    /// The console of the Linux kernel: sixteen colours, one small font, prints what it does not know.
    LinuxConsole,
    /// Windows' pseudo console.
    ConPty,
    /// TERM=dumb or unset: nothing is known to work.
    Dumb,
}

/// The richest family of sub-cell glyphs that is likely to be drawn well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Glyphs {
    Ascii,
    /// Half and full blocks: in every console font.
    Half,
    /// Quadrants and eighth blocks: in almost every font with UTF-8.
    Quadrants,
    /// The terminal draws sextants itself.
    Sextants,
    /// And the diagonals U+1FB3C–U+1FB6F.
    Wedges,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps {
    pub depth: ColorDepth,
    /// The user chose the depth (flag or environment); no answer changes it.
    pub depth_fixed: bool,
    pub utf8: bool,
    pub glyphs: Glyphs,
    pub host: Host,
    pub ssh: bool,
    /// XTVERSION, such as `tmux 3.4` or `kitty(0.31.0)`.
    pub name: Option<String>,
    /// Synchronized updates (2026): `None` as long as nobody said.
    pub sync: Option<bool>,
    /// The mouse can be reported in pixels (1016).
    pub pixel_mouse: bool,
    /// Key releases are reported: kitty keyboard flag 2 is in force.
    pub key_release: bool,
    /// A cell in pixels, width and height.
    pub cell_pixels: Option<(u16, u16)>,
    pub background: Option<[u8; 3]>,
    /// REP is known to work.
    pub repeat: bool,
}

impl Caps {
    /// What the environment suggests; `depth` is the user's flag, which goes before all else.
    pub fn guess(env: &Env, depth: Option<ColorDepth>) -> Self {
        let host = host(env);
        let utf8 = cfg!(windows) || is_utf8(&env.locale);
        let chosen = depth.or_else(|| chosen_depth(env));
        Self {
            depth: chosen.unwrap_or_else(|| likely_depth(env, host)),
            depth_fixed: chosen.is_some(),
            utf8,
            glyphs: likely_glyphs(host, utf8),
            host,
            ssh: env.ssh,
            name: None,
            sync: None,
            pixel_mouse: false,
            key_release: false,
            cell_pixels: None,
            background: None,
            repeat: false,
        }
    }

    /// Escape sequences that a terminal may not know are ignored by it, not printed.
    pub fn is_modern(&self) -> bool {
        !matches!(self.host, Host::Dumb | Host::LinuxConsole)
    }

    /// One burst of questions, ended by one that everyone answers (DA1): whether a true colour is taken
    /// (XTGETTCAP `RGB` and `Tc`; DECRQSS of SGR after setting one), DECRQM 2026 and 1016, OSC 11, cell
    /// size in pixels, kitty flags, XTVERSION.
    ///
    /// GNU screen and tmux treat DCS in ways of their own, so those are asked of emulators only.
    pub fn questions(&self) -> String {
        const ALL: &str = "\x1b[?2026$p\x1b[?1016$p\x1b]11;?\x1b\\\x1b[16t\x1b[?u\x1b[>0q\x1b[c";
        const COLOR: &str = "\x1bP+q524742\x1b\\\x1bP+q5463\x1b\\\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[m";
        match self.host {
            Host::Dumb | Host::LinuxConsole => String::new(),
            Host::Emulator => format!("{COLOR}{ALL}"),
            _ => ALL.to_owned(),
        }
    }

    /// Takes an answer; true if it changed anything.
    pub fn learn(&mut self, reply: &Reply) -> bool {
        let before = self.clone();
        match reply {
            Reply::Capability { name, known: true, .. } if name == "RGB" || name == "Tc" => {
                self.raise(ColorDepth::TrueColor)
            }
            Reply::Rendition(sgr) if keeps_true_color(sgr) => self.raise(ColorDepth::TrueColor),
            Reply::Mode { mode: 2026, state } => self.sync = Some(*state != 0),
            Reply::Mode { mode: 1016, state } => self.pixel_mouse = (1..=3).contains(state),
            Reply::Background(rgb) => self.background = Some(*rgb),
            Reply::CellPixels { width: w @ 1.., height: h @ 1.. } => self.cell_pixels = Some((*w, *h)),
            Reply::KeyboardFlags(flags) => self.key_release = flags & 2 != 0,
            Reply::Version(name) => self.recognise(name),
            _ => {}
        }
        *self != before
    }

    fn raise(&mut self, depth: ColorDepth) {
        if !self.depth_fixed {
            self.depth = self.depth.max(depth);
        }
    }

    /// What a terminal of this name is known to do. Glyphs: read in their sources (who draws block
    /// elements himself does not depend on the font). REP: in all of these for years; tmux has it too, but repeats
    /// nothing after a character beyond ASCII (seen in 3.3a).
    fn recognise(&mut self, version: &str) {
        self.name = Some(version.to_owned());
        let lower = version.to_lowercase();
        let is = |names: &[&str]| names.iter().any(|name| lower.starts_with(name));
        if is(&["tmux"]) {
            self.host = Host::Tmux;
        }
        self.repeat |= is(&["xterm", "kitty", "foot", "wezterm", "ghostty", "konsole", "vte", "contour", "iterm2"]);
        if is(&["kitty", "foot", "wezterm", "ghostty", "konsole", "vte", "contour", "iterm2"]) {
            self.raise(ColorDepth::TrueColor);
        }
        if self.utf8 && is(&["kitty", "wezterm", "ghostty", "konsole", "vte", "xterm.js"]) {
            self.glyphs = self.glyphs.max(Glyphs::Wedges);
        }
        if self.utf8 && is(&["foot", "contour", "alacritty"]) {
            self.glyphs = self.glyphs.max(Glyphs::Sextants);
        }
    }
}

/// The colour we set is still there as such, in either notation (`48;2;1;2;3`, `48:2::1:2:3`, `48:2:1:2:3`);
/// who has no true colour gives the nearest of a palette, `48;5;n`, or nothing.
fn keeps_true_color(sgr: &str) -> bool {
    let sgr = sgr.replace(';', ":");
    sgr.contains("48:2:") && sgr.contains(":1:2:3")
}

fn host(env: &Env) -> Host {
    match &*env.term {
        "dumb" => Host::Dumb,
        "" if !cfg!(windows) => Host::Dumb,
        "linux" => Host::LinuxConsole,
        _ if env.tmux || env.term.starts_with("tmux") => Host::Tmux,
        _ if env.screen || env.term.starts_with("screen") => Host::Screen,
        _ if cfg!(windows) || env.windows_terminal => Host::ConPty,
        _ => Host::Emulator,
    }
}

/// FORCE_COLOR (force-color.org, with the levels of chalk), then NO_COLOR (no-color.org), then
/// CLICOLOR_FORCE (bixense.com/clicolors). The ones that force mean "at least".
fn chosen_depth(env: &Env) -> Option<ColorDepth> {
    let at_least = |depth: ColorDepth| Some(depth.max(likely_depth(env, host(env))));
    match env.force_color.as_deref() {
        Some("0" | "false") => return Some(ColorDepth::Mono),
        Some("2") => return Some(ColorDepth::Ansi256),
        Some("3") => return Some(ColorDepth::TrueColor),
        Some("1" | "true") => return at_least(ColorDepth::Ansi16),
        Some(other) if !other.is_empty() => return at_least(ColorDepth::Ansi16),
        _ => {}
    }
    if env.no_color {
        return Some(ColorDepth::Mono);
    }
    if env.clicolor_force { at_least(ColorDepth::Ansi16) } else { None }
}

fn likely_depth(env: &Env, host: Host) -> ColorDepth {
    let term = &*env.term;
    let has = |part: &str| term.contains(part);
    let true_terms = ["-direct", "kitty", "ghostty", "alacritty", "foot", "wezterm", "contour"];
    let mono_terms = ["vt52", "vt100", "vt102", "vt220", "vt320", "-mono", "-m"];
    match host {
        Host::Dumb => ColorDepth::Mono,
        Host::LinuxConsole => ColorDepth::Ansi16,
        // The outer terminal's COLORTERM is inherited, but screen itself passes 256 colours at most.
        Host::Screen => ColorDepth::Ansi256,
        Host::ConPty => ColorDepth::TrueColor,
        _ if matches!(&*env.colorterm, "truecolor" | "24bit") => ColorDepth::TrueColor,
        _ if true_terms.iter().any(|t| has(t)) => ColorDepth::TrueColor,
        _ if has("256color") || !env.colorterm.is_empty() => ColorDepth::Ansi256,
        Host::Tmux => ColorDepth::Ansi256,
        _ if mono_terms.iter().any(|t| term.ends_with(t)) => ColorDepth::Mono,
        _ => ColorDepth::Ansi16,
    }
}

fn likely_glyphs(host: Host, utf8: bool) -> Glyphs {
    match host {
        _ if !utf8 => Glyphs::Ascii,
        Host::Dumb => Glyphs::Ascii,
        Host::LinuxConsole => Glyphs::Half,
        _ => Glyphs::Quadrants,
    }
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.ends_with("utf-8") || locale.ends_with("utf8") || locale.contains("utf-8@") || locale.contains("utf8@")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(vars: &[(&str, &str)]) -> Caps {
        let find = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        Caps::guess(&Env::from_lookup(find), None)
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
        let mut caps = Caps::guess(&env, Some(ColorDepth::Ansi256));
        let yes = Reply::Capability { name: "RGB".into(), value: "8".into(), known: true };
        assert!(!caps.learn(&yes));
        assert_eq!(caps.depth, ColorDepth::Ansi256);
    }

    #[test]
    fn answers_improve_what_the_environment_suggested() {
        let mut caps = caps(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SSH_TTY", "/dev/pts/1")]);
        assert_eq!((caps.depth, caps.glyphs), (ColorDepth::Ansi256, Glyphs::Quadrants));
        assert!(caps.learn(&Reply::Capability { name: "RGB".into(), value: "8".into(), known: true }));
        assert!(!caps.learn(&Reply::Rendition("0;48:2::1:2:3".into())), "known already");
        assert!(caps.learn(&Reply::Version("WezTerm 20240203".into())));
        assert!(caps.learn(&Reply::Mode { mode: 1016, state: 2 }));
        assert!(caps.learn(&Reply::CellPixels { width: 9, height: 18 }));
        assert!(caps.learn(&Reply::KeyboardFlags(3)));
        assert!(!caps.learn(&Reply::KeyboardFlags(3)));
        assert_eq!((caps.depth, caps.glyphs), (ColorDepth::TrueColor, Glyphs::Wedges));
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
            caps.learn(&Reply::Rendition(sgr.into()));
            assert_eq!(caps.depth, depth, "{sgr}");
        }
    }

    #[test]
    fn terminals_that_print_what_they_do_not_know_are_not_asked() {
        assert_eq!(caps(&[("TERM", "dumb")]).questions(), "");
        assert_eq!(caps(&[("TERM", "linux")]).questions(), "");
        assert!(caps(&[("TERM", "xterm")]).questions().ends_with("\x1b[c"));
        assert!(!caps(&[("TERM", "tmux-256color"), ("TMUX", "/x")]).questions().contains('P'));
    }

    #[test]
    fn glyphs_follow_locale_and_host() {
        let utf8 = ("LANG", "en_US.UTF-8");
        assert_eq!(caps(&[("TERM", "xterm"), utf8]).glyphs, Glyphs::Quadrants);
        assert_eq!(caps(&[("TERM", "xterm"), utf8, ("LC_ALL", "C")]).glyphs, Glyphs::Ascii);
        assert_eq!(caps(&[("TERM", "linux"), utf8]).glyphs, Glyphs::Half);
        assert_eq!(caps(&[("TERM", "xterm")]).glyphs, Glyphs::Ascii);
    }
}
