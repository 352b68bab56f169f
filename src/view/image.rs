use crate::cell::color::Rgb;

/// An sRGB picture: three bytes a pixel, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// `3 * width * height` code values.
    pub rgb: Vec<u8>,
}

impl Image {
    /// Creates a black picture.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, rgb: vec![0; 3 * width * height] }
    }

    /// Sets a pixel.
    pub fn put(&mut self, x: usize, y: usize, Rgb(r, g, b): Rgb) {
        let at = 3 * (y * self.width + x);
        self.rgb[at..at + 3].copy_from_slice(&[r, g, b]);
    }
}
