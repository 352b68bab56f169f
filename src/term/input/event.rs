//! Events from the terminal, the same on every platform, in the vocabulary of crossterm.

use crate::cell::color::Rgb;
pub use crossterm::event::{KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Key(Key),
    Mouse(Mouse),
    Focus(bool),
    Paste(String),
    Resize,
    /// A reply to a query, however late it arrives.
    Reply(Reply),
    /// The process was stopped and continues; the next frame redraws the whole screen.
    Resume,
    /// The terminal has hung up. No output is possible any more.
    Hangup,
    /// A signal requests the end of the program; see [`end_by`](crate::term::end_by).
    Quit(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// What was typed. Shift is folded into the character: `Char('A')`, never `Char('a')` with shift. `Null` is a key without a
    /// name.
    pub code: KeyCode,
    /// What the key types without modifiers, on a US layout where the terminal reports that (kitty); equal in its press and
    /// release.
    pub base: KeyCode,
    pub mods: KeyModifiers,
    /// Terminals without the kitty keyboard protocol report only `Press`, repeats included.
    pub kind: KeyEventKind,
}

impl Key {
    /// In any keyboard layout.
    pub fn is_interrupt(&self) -> bool {
        self.base == KeyCode::Char('c') && self.mods == KeyModifiers::CONTROL && self.kind == KeyEventKind::Press
    }
}

/// `x` and `y` are in cells from the top left corner; .5 if the terminal reports whole cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouse {
    pub kind: MouseEventKind,
    pub mods: KeyModifiers,
    pub x: f32,
    pub y: f32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// DA1, `CSI ? … c`: nearly every terminal sends it, so its request is the last of a burst.
    PrimaryAttributes(Vec<u16>),
    /// DSR, `CSI 0 n`: everything sent before the request has been read.
    Status,
    /// CPR, `CSI row ; column R`, counted from one.
    Cursor { column: u16 },
    /// DECRPM, `CSI ? mode ; state $ y`: 0 unknown, 1 set, 2 reset, 3/4 permanently set/reset.
    Mode { mode: u16, state: u16 },
    /// XTVERSION, `DCS > | name ST`.
    Version(String),
    /// XTGETTCAP, `DCS 1 + r name [= value] ST`: the terminal has this capability, one of those that stand for true colour.
    Capability(&'static str),
    /// DECRQSS of SGR, `DCS 1 $ r … m ST`: the rendition in force, as parameters.
    Rendition(String),
    /// OSC 11, the colour of the background, as 8-bit channels.
    Background(Rgb),
    /// OSC 10, the colour of text.
    Foreground(Rgb),
    /// OSC 4, some of the sixteen named colours by number.
    NamedColors(Vec<(u8, Rgb)>),
    /// `CSI ? 997 ; 1 or 2 n`: the user has switched to dark or light colours.
    ColorScheme,
    /// `CSI ? flags u`: the kitty keyboard flags in force.
    KeyboardFlags(u8),
    /// `CSI 6 ; height ; width t`: a cell in pixels.
    CellPixels { width: u16, height: u16 },
    /// `CSI 48 ; rows ; columns ; height ; width t`: an in-band report of a resize.
    Size { columns: u16, rows: u16, width: u16, height: u16 },
    /// A well-formed reply to no query of this layer.
    Other,
}

/// Keeps only the last event of each uninterrupted run of pointer motion, so that a drag still ends at the same place.
pub(in crate::term) fn coalesce_motion(events: &mut Vec<Event>) {
    events.dedup_by(|next, kept| match (&*kept, &*next) {
        (Event::Mouse(Mouse { kind, mods, .. }), Event::Mouse(b))
            if matches!(kind, MouseEventKind::Moved | MouseEventKind::Drag(_))
                && (*kind, *mods) == (b.kind, b.mods) =>
        {
            *kept = next.clone();
            true
        }
        _ => false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mouse(kind: MouseEventKind, x: f32) -> Event {
        Event::Mouse(Mouse { kind, mods: KeyModifiers::NONE, x, y: 0.5 })
    }

    #[test]
    fn only_the_last_of_a_run_of_motion_is_kept() {
        use MouseEventKind::Moved;
        let down = MouseEventKind::Down(MouseButton::Left);
        let drag = MouseEventKind::Drag(MouseButton::Left);
        let up = MouseEventKind::Up(MouseButton::Left);
        let mut events =
            vec![mouse(Moved, 1.), mouse(Moved, 2.), mouse(down, 2.), mouse(drag, 3.), mouse(drag, 4.), mouse(up, 4.)];
        coalesce_motion(&mut events);
        assert_eq!(events, [mouse(Moved, 2.), mouse(down, 2.), mouse(drag, 4.), mouse(up, 4.)]);
    }
}
