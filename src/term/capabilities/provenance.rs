//! What a decision about the terminal rests on.

use std::fmt;

/// Why something is believed of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provenance {
    /// Nothing spoke for anything else.
    #[default]
    Default,
    /// The user said so on the command line.
    Flag,
    /// This variable of the environment.
    Variable(&'static str),
    /// A process that we descend from.
    Ancestor,
    /// The terminal's answer to this question.
    Answer(&'static str),
    /// What a terminal of this name is known to do; who told the name.
    Known(&'static str),
    /// A setting: a flag, a variable or the file; `slosh config` tells which.
    Setting,
    /// The kernel's idea of the window.
    Device,
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Flag => f.write_str("flag"),
            Self::Variable(name) => write!(f, "environment: {name}"),
            Self::Ancestor => f.write_str("environment: a mosh server above us"),
            Self::Answer(question) => write!(f, "terminal's answer: {question}"),
            Self::Known(by) => write!(f, "known of this terminal, named by {by}"),
            Self::Setting => f.write_str("setting (slosh config tells whose)"),
            Self::Device => f.write_str("terminal device"),
        }
    }
}

/// What there is to know of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    Kind,
    Name,
    Depth,
    Glyphs,
    Octants,
    Sync,
    PixelMouse,
    KeyRelease,
    CellPixels,
    Background,
    Repeat,
    Erase,
    Resizes,
}

impl Fact {
    const COUNT: usize = Self::Resizes as usize + 1;
}

/// For each fact its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Provenances([Provenance; Fact::COUNT]);

impl Provenances {
    pub fn get(&self, fact: Fact) -> Provenance {
        self.0[fact as usize]
    }

    pub(super) fn set(&mut self, fact: Fact, source: Provenance) {
        self.0[fact as usize] = source;
    }
}
