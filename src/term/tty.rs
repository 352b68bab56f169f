//! The terminal device: the session on it, its signals, and the one place that waits.
//!
//! ```text
//!  platform  TerminalConnection: poll(tty, signals) ──▶ bytes to `input`, signals to events
//!    ├ device   Tty: a file description of its own, non-blocking read, write and size
//!    ├ session  raw mode and DEC modes on; all of them off again on any exit
//!    ├ signals  signals as bytes on a pipe; stop and exit as a shell expects
//!    └ types    modes, sizes and wait results, the same on all platforms
//! ```
//!
//! `windows.rs` stands in for `platform` there, on crossterm.

#[cfg(unix)]
pub(crate) mod device;
#[cfg(unix)]
pub(crate) mod platform;
#[cfg(unix)]
pub(crate) mod session;
#[cfg(unix)]
pub(crate) mod signals;
pub(crate) mod types;

#[cfg(windows)]
#[path = "tty/windows.rs"]
pub(crate) mod platform;
