//! A tank of fluid as a ratatui widget: water, honey, smoke and cloth, drawn in Unicode blocks, pushed by the mouse.
//!
//! - [`Slosh`] is the widget, [`SloshState`] the tank from frame to frame.
//! - [`Scene`] reads a tank from TOML; [`scene::names`] lists those that come with the crate.
//! - [`view::widget`] has a gauge, a loading screen, fluid behind text, and tanks side by side.
//! - [`sim::World`] is the simulation without a picture, [`view::reference_image`] a picture in pixels.
//!
//! ```
//! use ratatui_core::{buffer::Buffer, layout::Rect, widgets::StatefulWidget};
//! use slosh::{Scene, Slosh, SloshState, scene};
//! use std::time::Duration;
//!
//! let fountain = Scene::parse(scene::find("fountain").unwrap(), "fountain")?;
//! let mut tank = SloshState::new(&fountain.world);
//!
//! // In the loop of your app:
//! let area = Rect::new(0, 0, 40, 12);
//! let mut buffer = Buffer::empty(area);
//! (&Slosh::new()).render(area, &mut buffer, &mut tank);
//! tank.advance(Duration::from_millis(33));
//! # Ok::<(), slosh::data::Error>(())
//! ```
//!
//! Whole apps with keys and mouse are in `examples`: `embed`, `gauges` and `behind`.
//!
//! # Features
//!
//! None is needed: without default features the crate knows no terminal, no clock and no files. `raster` draws cells as
//! pixels, `share` reads and writes share codes. The default, `app`, is the program, and no part of the library's
//! interface.

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

pub use scene::Scene;
pub use view::{Slosh, SloshState};

/// The examples of README and of `docs/embedding.md` are compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/embedding.md")]
struct Examples;
