//! A tank of fluid as a ratatui widget: water, honey, smoke, floating bodies and cloth, drawn in the cells of a terminal.
//!
//! - [`Slosh`] draws a tank of fluid into a ratatui buffer; [`SloshState`] is what is in it.
//! - [`Scene`] reads a world from TOML, and [`scene::find`] has those that come with slosh.
//! - [`OverFluid`](view::widget::text_over_fluid::OverFluid) is fluid behind another widget.
//! - [`sim::World`] is the simulation without a picture; [`view::reference_image`] is a picture without cells.
//!
//! ```
//! use ratatui_core::{buffer::Buffer, layout::Rect, widgets::StatefulWidget};
//! use slosh::{Scene, Slosh, SloshState, scene};
//! use std::time::Duration;
//!
//! let dam = Scene::parse(scene::find("dam").unwrap(), "dam.toml")?;
//! let mut state = SloshState::new(&dam.world);
//!
//! // For each frame of your app:
//! let area = Rect::new(0, 0, 40, 12);
//! let mut buffer = Buffer::empty(area);
//! (&Slosh::new()).render(area, &mut buffer, &mut state);
//! state.advance(Duration::from_millis(33));
//! # Ok::<(), slosh::data::DataError>(())
//! ```
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | none | the fluid alone, on `ratatui-core`: no terminal, no clock, no files |
//! | `raster` | cells as pixels, letters included |
//! | `share` | share codes |
//! | `app` (default) | the program; its modules are no stable interface |
//!
//! The same state, input and time give the same frames, on any number of threads and with any vector instructions.
//! `examples/` has small apps; `docs/embedding.md` has more about embedding, and `docs/architecture.md` the way around the
//! code for those who change it.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![warn(clippy::missing_errors_doc)]

#[cfg(feature = "app")]
#[allow(missing_docs, clippy::missing_errors_doc, reason = "the program, which is no part of the library's interface")]
pub mod app;
pub mod cell;
#[cfg(feature = "app")]
#[allow(missing_docs, clippy::missing_errors_doc, reason = "the program, which is no part of the library's interface")]
pub mod cli;
pub mod data;
pub mod math;
pub mod scene;
pub mod sim;
#[cfg(feature = "app")]
pub mod term;
pub mod view;

pub use scene::Scene;
pub use view::widget::{Slosh, SloshState};

/// Compiles and runs the examples of README and of `docs/embedding.md` with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/embedding.md")]
struct Examples;
