//! The picture and its encoding, from outside: worlds in, cells and bytes out.

mod cells;
mod embed;
mod light;
mod rate_distortion;

#[cfg(feature = "raster")]
#[path = "../support/picture.rs"]
mod picture;
