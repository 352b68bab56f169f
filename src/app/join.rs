//! The connection of a guest to a shared tank. The session on it is the app, with the host's tank as its source.

pub mod connection;
#[cfg(unix)]
pub mod ssh;
