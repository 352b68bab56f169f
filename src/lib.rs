//! slosh: a tank of fluid in your terminal.
//!
//! Arrows point inward: `app` → `view` → `sim`. The simulation knows no terminal, no wall clock and no files; the
//! view turns a world into cells of a ratatui buffer and knows no terminal session; only the app does I/O.

#[cfg(feature = "app")]
pub mod app;
pub mod data;
pub mod sim;
pub mod view;

/// The README's example is compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
