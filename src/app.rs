//! The app.

pub mod action;
pub mod config;
pub mod failure;
pub mod keymap;
pub mod pointer;
pub mod probe;
pub mod scenes;
pub mod stage;
pub mod term;
pub mod tilt;
