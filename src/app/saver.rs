//! The screensaver: what ends it.

/// What ends the screensaver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dismissal {
    /// Any key.
    #[default]
    Key,
    /// Any key, a button of the mouse, or a movement of it.
    KeyOrMouse,
    /// The same, or that the window gets the focus.
    Focus,
    /// Nothing but a signal.
    None,
}

impl Dismissal {
    pub const ALL: [Dismissal; 4] = [Self::Key, Self::KeyOrMouse, Self::Focus, Self::None];

    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::KeyOrMouse => "key+mouse",
            Self::Focus => "focus",
            Self::None => "none",
        }
    }
}
