//! The terminal on Windows, by way of crossterm: the console gives events, not bytes. Writes block, because it has no others. No
//! query is sent, and the link is paced by its fixed cap.

use std::io::{self, Write, stdout};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use crossterm::event as ct;
use crossterm::terminal;

use crate::term::input::event::{Event, KeyCode, KeyModifiers, Mouse};
use crate::term::input::keys::{self, without_alt_gr};
use crate::term::pacing::tmux_rate::ClientState;
use crate::term::tty::types::restore_on_panic;
pub use crate::term::tty::types::{Size, TerminalMode, WaitResult};

const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?2026l\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l";

static OPEN: AtomicBool = AtomicBool::new(false);

pub struct TerminalConnection;

impl TerminalConnection {
    pub const CAN_REPLY: bool = false;

    pub fn open(modes: &[TerminalMode]) -> io::Result<Self> {
        restore_on_panic(restore_now);
        terminal::enable_raw_mode()?;
        OPEN.store(true, SeqCst);
        // Of all modes, only the mouse has an effect on a Windows console.
        if modes.contains(&TerminalMode::Mouse) {
            crossterm::execute!(stdout(), ct::EnableMouseCapture)?;
        }
        stdout().write_all(ENTER.as_bytes())?;
        stdout().flush()?;
        Ok(Self)
    }

    pub fn size(&self) -> Option<Size> {
        window_size()
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        stdout().write_all(bytes)?;
        stdout().flush()?;
        Ok(bytes.len())
    }

    pub fn poll_clients(&mut self, _: Instant) -> Option<ClientState> {
        None
    }

    pub fn awaits_clients(&self, _: Instant) -> bool {
        false
    }

    pub fn query_sent(&self) {}

    pub fn clear_pending(&self) {}

    pub fn input_age(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }

    pub fn enable(&mut self, _: TerminalMode) {}

    pub fn set_pixel_mouse(&mut self, _: Option<(f32, f32)>) {}

    pub fn set_reply_time(&self, _: std::time::Duration) {}

    pub fn wait(&mut self, until: Instant, _: bool, out: &mut Vec<Event>) -> io::Result<WaitResult> {
        let mut left = until.saturating_duration_since(Instant::now());
        while ct::poll(left)? {
            out.push(translate(ct::read()?));
            left = std::time::Duration::ZERO;
        }
        Ok(WaitResult { writable: true, ..WaitResult::default() })
    }

    pub fn stop(&mut self, _: bool, _: &mut Vec<Event>) -> io::Result<Option<i32>> {
        Ok(None)
    }

    pub fn reassert(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for TerminalConnection {
    fn drop(&mut self) {
        restore_now();
    }
}

pub fn window_size() -> Option<Size> {
    let (columns, rows) = terminal::size().ok()?;
    Some(Size { columns, rows, width: 0, height: 0 })
}

pub fn restore_now() {
    if OPEN.swap(false, SeqCst) {
        let _ = crossterm::execute!(stdout(), ct::DisableMouseCapture);
        let _ = stdout().write_all(LEAVE.as_bytes());
        let _ = stdout().flush();
        let _ = terminal::disable_raw_mode();
    }
}

/// Exits with the code that a shell reports for the signal.
pub fn end_by(signal: i32) -> ! {
    std::process::exit(128 + signal)
}

fn translate(event: ct::Event) -> Event {
    match event {
        ct::Event::Key(key) => {
            let code = if key.code == KeyCode::BackTab { KeyCode::Tab } else { key.code };
            let mods = match code {
                KeyCode::Char(c) => without_alt_gr(c, key.modifiers) - KeyModifiers::SHIFT,
                _ => key.modifiers,
            };
            Event::Key(keys::key(code, mods, key.kind))
        }
        ct::Event::Mouse(mouse) => {
            let (x, y) = (f32::from(mouse.column) + 0.5, f32::from(mouse.row) + 0.5);
            Event::Mouse(Mouse { kind: mouse.kind, mods: mouse.modifiers, x, y })
        }
        ct::Event::FocusGained => Event::Focus(true),
        ct::Event::FocusLost => Event::Focus(false),
        ct::Event::Paste(text) => Event::Paste(text),
        ct::Event::Resize(..) => Event::Resize,
    }
}
