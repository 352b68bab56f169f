//! The terminal device (`device`), the session on it (`session`), its signals (`signals`), and the one place that waits
//! (`platform`; on Windows `windows`, on crossterm).

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
