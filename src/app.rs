//! The app.
pub mod term;
