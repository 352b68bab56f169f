//! The app.
pub mod config;
pub mod failure;
pub mod probe;
pub mod scenes;
pub mod stage;
pub mod term;
