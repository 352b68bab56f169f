//! What encoders make of the same frames: ratatui's own, ours cell by cell, and ours with thrift, as the toy uses it
//! on a link that just takes it, and on one that takes everything at once. Bytes, and how near to the ideal picture the
//! terminal then is.
//!
//! ratatui counts twice: with every frame fitted afresh, as an app draws that knows nothing of what went before, and
//! with the frames that the other encoders get, whose cells keep what they showed unless another choice is clearly
//! better.

use ratatui_core::backend::Backend;
use ratatui_core::buffer::Buffer;
use ratatui_crossterm::CrosstermBackend;
use serde::Serialize;
use slosh::term::encoder::rate_control::{LAMBDA_ECONOMY, LAMBDA_FINE, RateController};
use slosh::term::encoder::{FrameEncoder, OutputCaps};
use slosh::view::image::Image;
use slosh::view::raster::rasterize;
use std::time::Instant;

/// One in so many frames is compared with the ideal picture, which takes a while to draw.
const COMPARED: usize = 10;

/// What one encoder took for a run of frames.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EncoderStats {
    pub name: String,
    /// Mean bytes a frame.
    pub bytes: f64,
    /// How many times fewer than ratatui's, of the same frames: what the encoder does.
    pub fewer_than_same: f64,
    /// How many times fewer than ratatui's with every frame fitted afresh: what the encoder and the painter's memory do
    /// together.
    pub fewer_than_afresh: f64,
    /// Of what is shown against the ideal picture, in dB: over 8×16 pixels a cell, in sRGB.
    pub psnr: f64,
    /// Mean milliseconds a frame.
    pub ms: f64,
}

/// The encoders, in the order of their tallies.
const AFRESH: usize = 0;
const RATATUI: usize = 1;
const EXACT: usize = 2;
const THRIFTILY: usize = 3;
const FINELY: usize = 4;
const ENCODERS: usize = 5;

pub struct Encoders {
    afresh: Ratatui,
    ratatui: Ratatui,
    exact: FrameEncoder,
    thrifty: LossyEncoder,
    fine: LossyEncoder,
    /// Frames that were counted, and those that were compared.
    frames: usize,
    compared: usize,
    bytes: [f64; ENCODERS],
    errors: [f64; ENCODERS],
    ms: [f64; ENCODERS],
}

/// ratatui's diff and what it writes of it.
#[derive(Default)]
struct Ratatui {
    before: Buffer,
    written: Vec<u8>,
}

impl Ratatui {
    fn encode(&mut self, frame: &Buffer) -> usize {
        if self.before.area != frame.area {
            self.before = Buffer::empty(frame.area);
        }
        self.written.clear();
        let changes = self.before.diff(frame).into_iter();
        CrosstermBackend::new(&mut self.written).draw(changes).expect("memory takes everything");
        self.before.clone_from(frame);
        self.written.len()
    }
}

/// What nearly all terminals confirm when they are asked.
fn output_caps() -> OutputCaps {
    OutputCaps { tabs: true, ..OutputCaps::default() }
}

/// Our encoder as the toy uses it.
struct LossyEncoder {
    screen: FrameEncoder,
    quality: RateController,
}

impl LossyEncoder {
    fn new(quality: RateController) -> Self {
        Self { screen: FrameEncoder::new(output_caps()), quality }
    }

    fn encode(&mut self, frame: &Buffer) -> usize {
        let terms = self.quality.target(usize::MAX);
        let bytes = self.screen.encode_lossy(frame, terms).len();
        self.quality.record(bytes, self.screen.is_unchanged());
        bytes
    }
}

impl Encoders {
    pub fn new() -> Self {
        Self {
            afresh: Ratatui::default(),
            ratatui: Ratatui::default(),
            exact: FrameEncoder::new(output_caps()),
            thrifty: LossyEncoder::new(RateController::economical()),
            fine: LossyEncoder::new(RateController::default()),
            frames: 0,
            compared: 0,
            bytes: [0.; ENCODERS],
            errors: [0.; ENCODERS],
            ms: [0.; ENCODERS],
        }
    }

    /// The toy's own encoder on a slow link, whose time is part of a frame's; its bytes are counted by
    /// [`Encoders::count`].
    pub fn encode(&mut self, frame: &Buffer) {
        let start = Instant::now();
        self.thrifty.encode(frame);
        self.ms[THRIFTILY] += start.elapsed().as_secs_f64() * 1e3;
    }

    /// Counts what a frame took, after [`Encoders::encode`]; `afresh` is the same one fitted with no memory.
    pub fn count(&mut self, frame: &Buffer, afresh: &Buffer, ideal: impl FnOnce() -> Image) {
        let mut timed = |encoder: usize, encode: &mut dyn FnMut() -> usize| {
            let start = Instant::now();
            self.bytes[encoder] += encode() as f64;
            self.ms[encoder] += start.elapsed().as_secs_f64() * 1e3;
        };
        timed(AFRESH, &mut || self.afresh.encode(afresh));
        timed(RATATUI, &mut || self.ratatui.encode(frame));
        timed(EXACT, &mut || self.exact.encode(frame).len());
        timed(FINELY, &mut || self.fine.encode(frame));
        self.bytes[THRIFTILY] += self.thrifty.screen.bytes().len() as f64;
        self.frames += 1;
        if self.frames.is_multiple_of(COMPARED) {
            self.compare(frame, afresh, &ideal());
        }
    }

    fn compare(&mut self, frame: &Buffer, afresh: &Buffer, ideal: &Image) {
        let error = |shown: &Buffer| mean_square(&rasterize(shown), ideal);
        let whole = error(frame);
        let [thrifty, fine] = [&self.thrifty, &self.fine].map(|careful| error(&careful.screen.shown()));
        let errors = [error(afresh), whole, whole, thrifty, fine];
        (0..ENCODERS).for_each(|encoder| self.errors[encoder] += errors[encoder]);
        self.compared += 1;
    }

    /// What was counted since the last call.
    pub fn take(&mut self) -> Vec<EncoderStats> {
        let (counted, compared) = (self.frames.max(1) as f64, self.compared.max(1) as f64);
        let psnr = |error: f64| 10. * (255. * 255. * compared / error.max(1e-9)).log10();
        let ours = |lambda: u32| format!("slosh, λ = {lambda}");
        let theirs = ["ratatui, fitted afresh", "ratatui, same frames", "slosh, exact"].map(str::to_owned);
        let names = [&theirs[..], &[ours(LAMBDA_ECONOMY), ours(LAMBDA_FINE)]].concat();
        let tally = |encoder: usize| EncoderStats {
            name: names[encoder].clone(),
            ms: self.ms[encoder] / counted,
            bytes: self.bytes[encoder] / counted,
            fewer_than_same: self.bytes[RATATUI] / self.bytes[encoder].max(1.),
            fewer_than_afresh: self.bytes[AFRESH] / self.bytes[encoder].max(1.),
            psnr: psnr(self.errors[encoder]),
        };
        let tallies = (0..ENCODERS).map(tally).collect();
        (self.frames, self.compared) = (0, 0);
        (self.bytes, self.errors, self.ms) = ([0.; ENCODERS], [0.; ENCODERS], [0.; ENCODERS]);
        tallies
    }
}

fn mean_square(a: &Image, b: &Image) -> f64 {
    let squares = a.rgb.iter().zip(&b.rgb).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
    squares.sum::<f64>() / a.rgb.len() as f64
}
