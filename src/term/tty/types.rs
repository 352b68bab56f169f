//! Types that the devices of all platforms share.

/// A mode that is switched on in the terminal, and off again in the end.
///
/// Kitty keeps one stack of keyboard flags per screen, so they are pushed after the alternate screen is entered and
/// popped before it is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalMode {
    /// DECSET 1049: the alternate screen, with the cursor saved.
    AlternateScreen,
    HiddenCursor,
    /// DECAWM off: a cell written at the right edge, even the last one, never scrolls.
    NoWrap,
    /// All kitty keyboard flags: unambiguous codes (1), press, repeat and release (2), the key on a US layout (4), codes
    /// also for keys that type text (8), and that text (16).
    Keyboard,
    /// DECSET 2004: pasted text is bracketed.
    Paste,
    /// DECSET 1004: focus in and out.
    Focus,
    /// DECSET 1000, 1002 and 1003 (each terminal takes the best it knows), in SGR form (1006).
    Mouse,
    /// DECSET 1016: the same in pixels.
    PixelMouse,
    /// DECSET 2048: resizes are reported in the stream of input, with the size in pixels, which ssh does not pass on.
    Resizes,
    /// DECSET 2031: a change from dark to light colours, or back, is reported.
    ColorScheme,
}

/// The result of a wait, besides events.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitResult {
    /// Whether the terminal accepts more output.
    pub writable: bool,
    /// Whether a signal requests a stop.
    pub stop: bool,
    /// Whether the process was stopped without a request (SIGSTOP) and continues.
    pub continued: bool,
    /// Whether the descriptor that is watched beside the terminal is ready.
    pub watched: bool,
}

/// Size in cells, and in pixels where the terminal reports them (else 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
    /// Width in pixels, or 0.
    pub width: u16,
    /// Height in pixels, or 0.
    pub height: u16,
}
