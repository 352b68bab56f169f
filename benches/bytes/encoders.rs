//! Several encoders on the same frames: ratatui's own, slosh's plain difference, and slosh's lossy encoder as the toy
//! uses it, on a link that is just fast enough and on an unlimited one. Measures bytes, and the fidelity of the
//! terminal to the ideal picture.
//!
//! ratatui counts twice: with every frame fitted without a memory, as by an app without one, and with the frames of the
//! other encoders, whose cells keep their glyphs unless another choice is clearly better.

use ratatui::backend::Backend;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use serde::Serialize;
use slosh::term::encoder::rate_control::{LAMBDA_ECONOMY, LAMBDA_FINE, RateController};
use slosh::term::encoder::{FrameEncoder, OutputCaps};
use slosh::view::image::Image;
use slosh::view::raster::rasterize;
use std::time::Instant;

/// One in this many frames is compared with the ideal picture, which is slow to draw.
const COMPARED: usize = 10;

/// The measurements of one encoder over a run of frames.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EncoderStats {
    pub name: String,
    /// Mean bytes per frame.
    pub bytes: f64,
    /// Ratio of ratatui's bytes for the same frames to this encoder's: the gain of the encoder.
    pub fewer_than_same: f64,
    /// Ratio of ratatui's bytes, with every frame fitted without a memory, to this encoder's: the joint gain of the
    /// encoder and the painter's memory.
    pub fewer_than_afresh: f64,
    /// PSNR of the screen against the ideal picture, in dB: at 8×16 pixels per cell, in sRGB.
    pub psnr: f64,
    /// Mean milliseconds per frame.
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
    /// The number of counted frames, and of compared ones.
    frames: usize,
    compared: usize,
    bytes: [f64; ENCODERS],
    errors: [f64; ENCODERS],
    ms: [f64; ENCODERS],
}

/// ratatui's diff and its output.
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

/// The capabilities that nearly all terminals confirm.
fn output_caps() -> OutputCaps {
    OutputCaps { tabs: true, ..OutputCaps::default() }
}

/// slosh's encoder as the toy uses it.
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
        self.quality.record(bytes, self.screen.unchanged);
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

    /// Encodes with the toy's encoder on a slow link, so that its time is part of the frame's; [`Encoders::count`]
    /// counts its bytes.
    pub fn encode(&mut self, frame: &Buffer) {
        let start = Instant::now();
        self.thrifty.encode(frame);
        self.ms[THRIFTILY] += start.elapsed().as_secs_f64() * 1e3;
    }

    /// Counts the bytes of a frame, after [`Encoders::encode`]; `afresh` is the same frame fitted without a memory.
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

    /// Returns the counts since the last call.
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
