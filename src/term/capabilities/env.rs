use crate::cell::color::ColorDepth;
use crate::cell::glyph_mode::GlyphMode;
use crate::term::capabilities::TerminalKind;
use crate::term::capabilities::provenance::Provenance;

/// The variables about the terminal; an empty one counts as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Env {
    pub term: String,
    pub colorterm: String,
    pub term_program: String,
    pub term_program_version: String,
    pub force_color: Option<String>,
    pub no_color: bool,
    pub clicolor_force: bool,
    pub locale: String,
    pub tmux: bool,
    pub screen: bool,
    pub ssh: bool,
    /// A variable of mosh is set, or a mosh server is an ancestor process.
    pub mosh: bool,
    pub windows_terminal: bool,
    pub one_way: bool,
    /// `7603` stands for VTE 0.76.3.
    pub vte_version: String,
    pub konsole_version: String,
}

/// Variables that users of mosh set. mosh itself sets none.
const MOSH_VARIABLES: [&str; 4] =
    ["MOSH_CONNECTION", "MOSH_SERVER_NETWORK_TMOUT", "MOSH_SERVER_SIGNAL_TMOUT", "MOSH_KEY"];

impl Env {
    pub fn read() -> Self {
        let env = Self::from_lookup(|name| std::env::var(name).ok());
        let mosh = !env.tmux && !env.screen && (env.mosh || has_ancestor("mosh-server"));
        Self { mosh, ..env }
    }

    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| lookup(name).unwrap_or_default();
        let has = |name: &str| !get(name).is_empty();
        Self {
            term: get("TERM"),
            colorterm: get("COLORTERM"),
            term_program: get("TERM_PROGRAM"),
            term_program_version: get("TERM_PROGRAM_VERSION"),
            force_color: lookup("FORCE_COLOR"),
            no_color: has("NO_COLOR"),
            clicolor_force: !matches!(&*get("CLICOLOR_FORCE"), "" | "0"),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].map(get).into_iter().find(|v| !v.is_empty()).unwrap_or_default(),
            tmux: has("TMUX"),
            screen: has("STY"),
            ssh: has("SSH_TTY") || has("SSH_CONNECTION"),
            mosh: MOSH_VARIABLES.into_iter().any(has),
            windows_terminal: has("WT_SESSION"),
            one_way: false,
            vte_version: get("VTE_VERSION"),
            konsole_version: get("KONSOLE_VERSION"),
        }
    }

    /// For a terminal whose input goes to another process, as in the blanker of a multiplexer. Only TERM describes that terminal.
    pub fn for_output_only(self) -> Self {
        let Self { term, force_color, no_color, clicolor_force, locale, .. } = self;
        Self { term, force_color, no_color, clicolor_force, locale, one_way: true, ..Self::default() }
    }

    pub fn is_utf8(&self) -> bool {
        // What comes after the charset, as in de_DE.UTF-8@euro, is left out.
        let locale = self.locale.split('@').next().unwrap_or_default().to_ascii_lowercase();
        cfg!(windows) || locale.ends_with("utf-8") || locale.ends_with("utf8")
    }

    /// The name of the terminal as XTVERSION would report it, and the variable that gives it, the most specific one first: TERM
    /// crosses ssh, and the others are inherited.
    pub fn name(&self) -> Option<(String, &'static str)> {
        let known = ["kitty", "ghostty", "alacritty", "foot", "wezterm", "contour", "konsole"];
        let by_term = known.into_iter().find(|name| self.term.contains(name));
        let program = match &*self.term_program {
            "vscode" => "xterm.js",
            "iTerm.app" => "iterm2",
            other => other,
        };
        if let Some(name) = by_term {
            Some((name.to_owned(), "TERM"))
        } else if !program.is_empty() {
            Some((format!("{} {}", program.to_lowercase(), self.term_program_version), "TERM_PROGRAM"))
        } else if !self.vte_version.is_empty() {
            Some((format!("vte({})", self.vte_version), "VTE_VERSION"))
        } else {
            (!self.konsole_version.is_empty()).then(|| ("konsole".to_owned(), "KONSOLE_VERSION"))
        }
    }

    pub fn kind(&self) -> (TerminalKind, Provenance) {
        let by = Provenance::Variable;
        match &*self.term {
            "dumb" => (TerminalKind::Dumb, by("TERM")),
            "" if !cfg!(windows) => (TerminalKind::Dumb, Provenance::Default),
            _ if self.one_way => (TerminalKind::OneWay, Provenance::Flag),
            "linux" => (TerminalKind::LinuxConsole, by("TERM")),
            term if is_vt(term) => (TerminalKind::VideoTerminal, by("TERM")),
            _ if self.tmux => (TerminalKind::Tmux, by("TMUX")),
            term if term.starts_with("tmux") => (TerminalKind::Tmux, by("TERM")),
            _ if self.screen => (TerminalKind::GnuScreen, by("STY")),
            term if term.starts_with("screen") => (TerminalKind::GnuScreen, by("TERM")),
            _ if self.mosh => (TerminalKind::Mosh, Provenance::Ancestor),
            _ if self.windows_terminal => (TerminalKind::ConPty, by("WT_SESSION")),
            _ if cfg!(windows) => (TerminalKind::ConPty, Provenance::Default),
            _ => (TerminalKind::Emulator, by("TERM")),
        }
    }

    /// The depth that FORCE_COLOR (force-color.org, levels of chalk), NO_COLOR (no-color.org) or CLICOLOR_FORCE
    /// (bixense.com/clicolors) sets. The variables that force colours set a minimum.
    pub fn chosen_depth(&self) -> Option<(ColorDepth, Provenance)> {
        let at_least = |depth: ColorDepth| depth.max(self.likely_depth(self.kind().0).0);
        let forced = match self.force_color.as_deref() {
            Some("0" | "false") => Some(ColorDepth::Mono),
            Some("2") => Some(ColorDepth::Ansi256),
            Some("3") => Some(ColorDepth::TrueColor),
            Some(other) if !other.is_empty() => Some(at_least(ColorDepth::Ansi16)),
            _ => None,
        };
        if let Some(depth) = forced {
            Some((depth, Provenance::Variable("FORCE_COLOR")))
        } else if self.no_color {
            Some((ColorDepth::Mono, Provenance::Variable("NO_COLOR")))
        } else {
            self.clicolor_force.then(|| (at_least(ColorDepth::Ansi16), Provenance::Variable("CLICOLOR_FORCE")))
        }
    }

    pub fn likely_depth(&self, kind: TerminalKind) -> (ColorDepth, Provenance) {
        let by = Provenance::Variable;
        let has = |part: &str| self.term.contains(part);
        let true_terms = ["-direct", "kitty", "ghostty", "alacritty", "foot", "wezterm", "contour"];
        let mono_terms = ["vt52", "vt100", "vt102", "vt220", "vt320", "-mono", "-m"];
        match kind {
            TerminalKind::Dumb | TerminalKind::VideoTerminal => (ColorDepth::Mono, by("TERM")),
            TerminalKind::LinuxConsole => (ColorDepth::Ansi16, by("TERM")),
            // COLORTERM is inherited from the outer terminal, but screen passes at most 256 colours on.
            TerminalKind::GnuScreen => (ColorDepth::Ansi256, self.kind().1),
            TerminalKind::ConPty => (ColorDepth::TrueColor, self.kind().1),
            _ if matches!(&*self.colorterm, "truecolor" | "24bit") => (ColorDepth::TrueColor, by("COLORTERM")),
            _ if true_terms.iter().any(|t| has(t)) => (ColorDepth::TrueColor, by("TERM")),
            _ if has("256color") => (ColorDepth::Ansi256, by("TERM")),
            _ if !self.colorterm.is_empty() => (ColorDepth::Ansi256, by("COLORTERM")),
            TerminalKind::Tmux => (ColorDepth::Ansi256, self.kind().1),
            _ if mono_terms.iter().any(|t| self.term.ends_with(t)) => (ColorDepth::Mono, by("TERM")),
            _ => (ColorDepth::Ansi16, Provenance::Default),
        }
    }

    pub fn likely_glyphs(&self, kind: TerminalKind) -> (GlyphMode, Provenance) {
        match kind {
            TerminalKind::Dumb => (GlyphMode::Ascii, Provenance::Variable("TERM")),
            _ if !self.is_utf8() => (GlyphMode::Ascii, Provenance::Variable("LC_ALL, LC_CTYPE, LANG")),
            _ if self.term == "linux" => (GlyphMode::Half, Provenance::Variable("TERM")),
            _ => (GlyphMode::Quadrant, Provenance::Default),
        }
    }
}

/// Whether TERM names a DEC terminal or an emulation of one: `vt100`, `vt220-w`; not `vte`.
fn is_vt(term: &str) -> bool {
    term.strip_prefix("vt").is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit()))
}

const MAX_ANCESTORS: usize = 12;

/// Whether a process of this name is an ancestor (Linux). mosh leaves no other trace in its children.
fn has_ancestor(name: &str) -> bool {
    let mut pid = "self".to_owned();
    for _ in 0..MAX_ANCESTORS {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        // `pid (name) state parent …`: the name ends at the last parenthesis.
        let Some((before, after)) = stat.rsplit_once(") ") else { return false };
        if before.split_once('(').is_some_and(|(_, command)| command == name) {
            return true;
        }
        let Some(parent) = after.split(' ').nth(1) else { return false };
        pid = parent.to_owned();
    }
    false
}
