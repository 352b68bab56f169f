use std::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provenance {
    #[default]
    Default,
    Flag,
    Variable(&'static str),
    Ancestor,
    /// The terminal's reply to this query.
    Answer(&'static str),
    /// The database entry for a terminal of this name; the string is the source of the name.
    Known(&'static str),
    Setting,
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
    SchemeChanges,
    Clipboard,
    Blocks,
}

pub type Provenances = [Provenance; Fact::Blocks as usize + 1];
