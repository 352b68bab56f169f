//! slosh: a tank of fluid in your terminal, as a ratatui widget and as a program.
//!
//! - [`view::widget::Slosh`] draws a tank of fluid into a ratatui buffer; [`view::widget::SloshState`] is what is in it.
//! - [`sim::World`] is the simulation without a picture.
//! - [`scene::Scene`] reads a world from TOML.
//!
//! Without the default feature `app` the crate is these three, on `ratatui-core`: no terminal, no clock, no files.
//! `docs/architecture.md` has the floors, the path of one frame, the house rules and the code map. `docs/physics.md` has
//! the methods and what was measured.

#![warn(missing_docs)]

#[cfg(feature = "app")]
#[allow(missing_docs, reason = "the program, which is no part of the library's interface")]
pub mod app;
pub mod cell;
#[cfg(feature = "app")]
#[allow(missing_docs, reason = "the program, which is no part of the library's interface")]
pub mod cli;
pub mod data;
pub mod math;
pub mod scene;
pub mod sim;
#[cfg(feature = "app")]
pub mod term;
pub mod view;

/// The examples of README and of `docs/embedding.md` are compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/embedding.md")]
struct Examples;
