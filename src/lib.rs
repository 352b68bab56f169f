//! A tank of fluid as a ratatui widget: water, honey, smoke, floating bodies and cloth, drawn in the cells of a terminal.
//!
//! - [`Slosh`] draws a tank of fluid into a ratatui buffer; [`SloshState`] is the tank. [`OverFluid`] is fluid behind
//!   another widget.
//! - [`Scene`] reads a tank from TOML, and [`scene::find`] has the scenes that come with slosh.
//! - [`World`] is the simulation without a picture, built from a [`WorldDef`]; [`paint_reference`] is a picture in pixels.
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
//! # Ok::<(), slosh::DataError>(())
//! ```
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | none | the fluid alone, on `ratatui-core`: no terminal, no clock, no files |
//! | `raster` | cells as pixels, letters included |
//! | `share` | share codes |
//! | `app` (default) | the program |
//! | `internals` | every module is public, for the program's own tests: no stable interface. `app` contains it |
//!
//! The same state, input and time give the same frames, on any number of threads and with any vector instructions.
//! `examples/` has small apps; `docs/embedding.md` has more about embedding, and `docs/architecture.md` the way around the
//! code for those who change it.

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "internals"), warn(missing_docs, clippy::missing_errors_doc))]
#![cfg_attr(not(feature = "internals"), allow(dead_code, unused_imports, reason = "the program and its tests use it"))]

/// Declares an enum of plain variants, each with the name by which users choose it.
macro_rules! named {
    ($(#[$about:meta])* $vis:vis enum $enum:ident {
        $($(#[$variant_about:meta])* $variant:ident => $name:literal,)+
    }) => {
        $(#[$about])*
        $vis enum $enum {
            $($(#[$variant_about])* $variant,)+
        }

        impl $enum {
            /// All of them, in the order of lists and keys.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name in settings and lists.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

/// Declares a struct, each field with its default.
macro_rules! defaults {
    ($(#[$about:meta])* $vis:vis struct $struct:ident {
        $($(#[$field_about:meta])* $field_vis:vis $field:ident: $type:ty = $default:expr;)+
    }) => {
        $(#[$about])*
        $vis struct $struct {
            $($(#[$field_about])* $field_vis $field: $type,)+
        }

        impl Default for $struct {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }
    };
}

#[cfg(feature = "app")]
pub mod app;
#[cfg(not(feature = "internals"))]
mod cell;
#[cfg(feature = "internals")]
pub mod cell;
#[cfg(feature = "app")]
pub mod cli;
#[cfg(not(feature = "internals"))]
mod data;
#[cfg(feature = "internals")]
pub mod data;
#[cfg(not(feature = "internals"))]
mod math;
#[cfg(feature = "internals")]
pub mod math;
pub mod scene;
#[cfg(not(feature = "internals"))]
mod sim;
#[cfg(feature = "internals")]
pub mod sim;
#[cfg(feature = "app")]
pub mod term;
#[cfg(not(feature = "internals"))]
mod view;
#[cfg(feature = "internals")]
pub mod view;

pub use data::{DataError, Setting};
pub use scene::Scene;
pub use sim::clock::Clock;
pub use sim::definition::WorldDef;
pub use sim::statistics::Stats;
pub use sim::world::pointer::PointerMode;
pub use sim::{World, WorldOptions};
#[cfg(feature = "raster")]
pub use view::raster::rasterize;
pub use view::reference_image::paint_reference;
pub use view::widget::text_over_fluid::OverFluid;
pub use view::{Slosh, SloshState};

/// What a [`WorldDef`] consists of, and the forces and values of a [`World`].
pub mod world {
    pub use crate::sim::boundary::drawing::Drawing;
    pub use crate::sim::boundary::region::Region;
    pub use crate::sim::boundary::{Contact, Container, Walls};
    pub use crate::sim::clock::{MAX_FRAME, SPEEDS, STEP};
    pub use crate::sim::cloth::integrator::Integrator;
    pub use crate::sim::cloth::{Cloth, ClothDef, Edge, Pins, Sheet};
    pub use crate::sim::definition::*;
    pub use crate::sim::forces::*;
    pub use crate::sim::grid_fluid::{
        Dye, GridFluid, GridFluidDef, InitialDye, MAX_CELLS, MIN_CELLS, Side, Sides, Source,
    };
    pub use crate::sim::heat::enthalpy::{Thermal, ViscosityCurve};
    pub use crate::sim::heat::{HeatDef, HeaterDef};
    pub use crate::sim::life::definition::{BubblesDef, FishDef, Habitat, Part, PartShape, Species, WeedDef};
    pub use crate::sim::life::{Crumb, Fish, Life, LifeStats, Weed};
    pub use crate::sim::liquid::Liquid;
    pub use crate::sim::liquid::fluid::{
        Fluid, PhaseParams, PressureParams, SolidForm, ViscousParams, WallParams, WallResponse,
    };
    pub use crate::sim::liquid::froude::FroudeScale;
    pub use crate::sim::liquid::phases::{PhaseDef, Removable};
    pub use crate::sim::liquid::pressure::wcsph::SphMaterial;
    pub use crate::sim::liquid::region_probe::RegionProbe;
    pub use crate::sim::liquid::springs::Viscoelastic;
    pub use crate::sim::liquid::targets::TargetPositions;
    pub use crate::sim::liquid::whitewater::specks::{Kind as SpeckKind, Speck};
    pub use crate::sim::observer::{Pass, StepObserver};
    pub use crate::sim::parallel::instructions::Instructions;
    pub use crate::sim::parallel::{MAX_THREADS, cores};
    pub use crate::sim::particles::Particles;
    pub use crate::sim::rigid::definition::{BodyDef, Outline};
    pub use crate::sim::rigid::{Bodies, Body, Material};
    pub use crate::sim::{ASPECTS, MAX_PARTICLES, PARALLEL_THRESHOLD};
}

/// The style of a picture: palette, glyphs, light, and the quantity that colours show.
pub mod style {
    pub use crate::view::camera::{CELL_PIXELS, Camera};
    pub use crate::view::image::Image;
    pub use crate::view::palette::{Palette, find as find_palette};
    pub use crate::view::{
        Background, ClothStyle, ColorBy, ColorDepth, Decor, GlyphMode, LightElement, LightMode, LiquidStyle,
        RenderStyle, Rgb,
    };
}

/// Compiles and runs the examples of README and of `docs/embedding.md` with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/embedding.md")]
struct Examples;
