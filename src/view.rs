//! The picture: a world in, cells of a ratatui buffer out. It knows no terminal session. [`widget`] is the picture as a ratatui
//! widget; `painter` has the order of a frame: the layers are sampled (`layers`, `field`), lit (`light`), and each cell gets the
//! glyph and colours nearest to it (`cell_painter`, `glyph`).

mod air_pockets;
mod arrows;
pub mod body;
pub mod camera;
mod cell_painter;
mod cloth;
mod cloth_raster;
mod color_scale;
mod creature;
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
pub use observer::PaintStage;
pub use optics::Optics;
pub use painter::Painter;
pub use palette::Palette;
pub use render_style::{Background, ClothStyle, ColorBy, LiquidStyle, RenderStyle};
pub use widget::{Slosh, SloshState};
