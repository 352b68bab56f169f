//! The picture: a world in, cells of a ratatui buffer out. It knows no terminal session.
//!
//! ```text
//! camera         cells of the screen ↔ metres in the tank                     camera.rs, grid_layout.rs
//! field          every particle's kernel is splatted to samples, 2×4 a cell    field.rs, field/splat.rs
//! smoke          smoke and dye, as a veil over the background                  smoke.rs
//! body           bodies, over all else                                         body.rs
//! wall_layer     walls, kept until they change                                 wall_layer.rs, kernel_truncation.rs
//! decor          colours and outlines that an app adds                         decor.rs
//! cloth          cloth, texel by texel                                         cloth.rs, cloth_raster.rs
//! whitewater     specks of spray, foam, bubbles and embers                      whitewater.rs
//! light          fades with depth along gravity                                light.rs, light_mode.rs, optics.rs
//! shade          samples → colours, a pure function                            shade.rs, color_scale.rs, palette.rs
//! cell_painter   what each cell shows: nothing, a gradient, or an edge         cell_painter.rs, cell_painter/edge.rs
//! glyph          a block of texels → the glyph and two colours nearest to it   glyph.rs, glyph/
//! painter        all of this in order, for one frame                           painter.rs, layers.rs
//! ```
//!
//! What a terminal makes of colours and glyphs is [`crate::cell`]. [`widget`] is the picture as a ratatui widget; `raster`
//! and `reference_image` are cells as pixels, and the picture that cells approximate.

pub mod body;
pub mod camera;
mod cell_painter;
mod cloth;
mod cloth_raster;
mod color_scale;
mod decor;
pub mod field;
pub mod glyph;
pub mod grid_layout;
pub mod image;
mod incandescence;
pub mod kernel_truncation;
mod layers;
pub mod light;
pub mod light_mode;
pub mod observer;
pub mod optics;
mod painter;
pub mod palette;
#[cfg(feature = "raster")]
pub mod raster;
pub mod reference_image;
mod render_style;
pub mod sample;
pub mod shade;
pub mod smoke;
pub mod wall_layer;
pub mod whitewater;
pub mod widget;

pub use crate::cell::color::{ColorDepth, Rgb};
pub use crate::cell::glyph_mode::GlyphMode;
pub use camera::Camera;
pub use decor::Decor;
pub use grid_layout::SAMPLES;
pub use light_mode::{LightElement, LightMode};
pub use observer::{FrameObserver, PaintStage};
pub use optics::Optics;
pub use painter::Painter;
pub use palette::Palette;
pub use render_style::{Background, ClothStyle, ColorBy, RenderStyle};
pub use widget::{Slosh, SloshState};
