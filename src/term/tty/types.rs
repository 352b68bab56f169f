//! What the devices of all platforms share.

use std::sync::Once;

/// A mode of the terminal. Kitty keeps one stack of keyboard flags per screen, so they are pushed after the alternate screen is
/// entered and popped before it is left. In the order in which a session switches them on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalMode {
    /// DECSET 1049: the alternate screen, with the cursor saved.
    AlternateScreen,
    HiddenCursor,
    /// DECAWM off: a cell written at the right edge never scrolls.
    NoWrap,
    /// All kitty keyboard flags: unambiguous codes (1), press, repeat and release (2), the key on a US layout (4), codes also for
    /// keys that type text (8), and that text (16).
    Keyboard,
    /// DECSET 2004.
    Paste,
    /// DECSET 1004: focus in and out.
    Focus,
    /// DECSET 1000, 1002 and 1003 (each terminal takes the best it knows), in SGR form (1006).
    Mouse,
    /// DECSET 1016.
    PixelMouse,
    /// DECSET 2048: resizes in the stream of input, with the size in pixels, which ssh does not pass on.
    Resizes,
    /// DECSET 2031: changes from dark to light colours, or back.
    ColorScheme,
}

/// Restores the terminal before the message of a panic, in any thread.
pub fn restore_on_panic(restore: fn()) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            print(panic);
        }));
    });
}

#[derive(Clone, Copy, Debug, Default)]
pub struct WaitResult {
    pub writable: bool,
    pub stop: bool,
    /// The process was stopped without a request (SIGSTOP) and continues.
    pub continued: bool,
    /// The descriptor that is watched beside the terminal is ready.
    pub watched: bool,
}

/// In cells, and in pixels where the terminal reports them (else 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
    pub width: u16,
    pub height: u16,
}
