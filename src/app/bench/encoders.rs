//! What three encoders make of the same frames: ratatui's own, ours cell by cell, and ours with thrift, as the toy
//! uses it where the link takes everything. Bytes, and how near to the ideal picture the terminal then is.

use crate::app::term::quality::Quality;
use crate::app::term::screen::{Dialect, Screen};
use crate::view::raster::{Image, rasterize};
use ratatui_core::backend::Backend;
use ratatui_core::buffer::Buffer;
use ratatui_crossterm::CrosstermBackend;
use serde::Serialize;

/// One in so many frames is compared with the ideal picture, which takes a while to draw.
const COMPARED: usize = 10;

/// What one encoder took for a run of frames.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tally {
    pub name: &'static str,
    /// Mean bytes a frame.
    pub bytes: f64,
    /// How many times fewer than ratatui's.
    pub fewer: f64,
    /// Of what is shown against the ideal picture, in dB: over 8×16 pixels a cell, in sRGB.
    pub psnr: f64,
}

pub struct Encoders {
    before: Buffer,
    written: Vec<u8>,
    exact: Screen,
    thrifty: Screen,
    quality: Quality,
    /// Frames, and those that were compared.
    frames: usize,
    compared: usize,
    bytes: [f64; 3],
    errors: [f64; 3],
}

impl Encoders {
    pub fn new() -> Self {
        Self {
            before: Buffer::default(),
            written: Vec::new(),
            exact: Screen::new(Dialect::default()),
            thrifty: Screen::new(Dialect::default()),
            quality: Quality::default(),
            frames: 0,
            compared: 0,
            bytes: [0.; 3],
            errors: [0.; 3],
        }
    }

    /// The toy's own encoder, whose time is measured; its bytes are counted by [`Encoders::count`].
    pub fn encode(&mut self, frame: &Buffer) {
        let terms = self.quality.terms(usize::MAX);
        let bytes = self.thrifty.encode_thriftily(frame, terms).len();
        self.quality.took(bytes, self.thrifty.is_still());
    }

    /// Counts what a frame took, after [`Encoders::encode`]. The first one, which fills the screen, is not counted.
    pub fn count(&mut self, frame: &Buffer, ideal: impl FnOnce() -> Image) {
        let bytes = [self.ratatui(frame), self.exact.encode(frame).len(), self.thrifty.bytes().len()];
        if self.frames > 0 {
            (0..3).for_each(|encoder| self.bytes[encoder] += bytes[encoder] as f64);
            if self.frames.is_multiple_of(COMPARED) {
                self.compare(frame, &ideal());
            }
        }
        self.frames += 1;
    }

    fn ratatui(&mut self, frame: &Buffer) -> usize {
        if self.before.area != frame.area {
            self.before = Buffer::empty(frame.area);
        }
        self.written.clear();
        let changes = self.before.diff(frame).into_iter();
        CrosstermBackend::new(&mut self.written).draw(changes).expect("memory takes everything");
        self.before.clone_from(frame);
        self.written.len()
    }

    fn compare(&mut self, frame: &Buffer, ideal: &Image) {
        let whole = mean_square(&rasterize(frame), ideal);
        let thrifty = mean_square(&rasterize(&self.thrifty.shown()), ideal);
        (0..3).for_each(|encoder| self.errors[encoder] += [whole, whole, thrifty][encoder]);
        self.compared += 1;
    }

    /// What was counted since the last call.
    pub fn take(&mut self) -> Vec<Tally> {
        let (counted, compared) = (self.frames.saturating_sub(1).max(1) as f64, self.compared.max(1) as f64);
        let psnr = |error: f64| 10. * (255. * 255. * compared / error.max(1e-9)).log10();
        let names = ["ratatui", "slosh, exact", "slosh"];
        let tally = |encoder: usize| Tally {
            name: names[encoder],
            bytes: self.bytes[encoder] / counted,
            fewer: self.bytes[0] / self.bytes[encoder].max(1.),
            psnr: psnr(self.errors[encoder]),
        };
        let tallies = (0..3).map(tally).collect();
        (self.frames, self.compared, self.bytes, self.errors) = (0, 0, [0.; 3], [0.; 3]);
        tallies
    }
}

fn mean_square(a: &Image, b: &Image) -> f64 {
    let squares = a.rgb.iter().zip(&b.rgb).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
    squares.sum::<f64>() / a.rgb.len() as f64
}
