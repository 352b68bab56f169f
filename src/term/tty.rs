//! The terminal device, the session on it, its signals, and the one place that waits.

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
