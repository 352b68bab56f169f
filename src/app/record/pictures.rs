//! Frames as pictures of 8×16 pixels a cell, or fewer: of each, the rectangle that differs from the previous one.

use crate::app::record::{FormatWriter, Start};
use crate::view::image::Image;
use crate::view::raster::{self, CELL};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

pub trait PictureEncoder {
    /// The frame that is drawn in place of one at this time, if the format cannot take every detail.
    fn approximate(&mut self, _at: Duration, _frame: &Buffer) -> Option<Buffer> {
        None
    }

    fn write(&mut self, part: &DirtyRect, from: Duration, until: Duration) -> io::Result<()>;
}

pub struct DirtyRect {
    pub image: Image,
    pub unchanged: Vec<bool>,
    /// Width and height of a cell in pixels.
    pub cell: [usize; 2],
    pub left: usize,
    pub top: usize,
}

pub struct Pictures<E> {
    encoder: E,
    last: Buffer,
    scale: usize,
    /// The picture that is shown until the next one, and its time.
    pending: Option<(Duration, DirtyRect)>,
}

/// Bytes from an encoder that are not in the file yet.
#[derive(Clone, Debug, Default)]
pub struct Pipe(Rc<RefCell<Vec<u8>>>);

impl Pipe {
    pub fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Downscaling factor of a picture, and its width and height in pixels.
pub fn scaled_size(start: &Start) -> (usize, [usize; 2]) {
    let [width, height] = [usize::from(start.area.width) * CELL.0, usize::from(start.area.height) * CELL.1];
    let fits = |scale: &usize| width * height / (scale * scale) <= start.max_pixels;
    let scale = [1, 2, 4].into_iter().find(fits).unwrap_or(8);
    (scale, [width / scale, height / scale])
}

impl<E: PictureEncoder> Pictures<E> {
    pub fn new(encoder: E, start: &Start) -> Self {
        Self { encoder, last: Buffer::empty(start.area), scale: scaled_size(start).0, pending: None }
    }

    /// Draws the smallest rectangle around all changes; of the first frame, all of it.
    fn changes(&mut self, frame: &Buffer) -> Option<DirtyRect> {
        let mut now = Buffer::empty(self.last.area);
        copy(frame, frame.area.intersection(now.area), &mut now);
        let is_first = self.pending.is_none();
        let area = if is_first { now.area } else { changed(&self.last, &now)? };
        let mut part = Buffer::empty(Rect { x: 0, y: 0, ..area });
        copy(&now, area, &mut part);
        let unchanged = area.positions().map(|at| !is_first && now[at] == self.last[at]).collect();
        self.last = now;
        let cell = [CELL.0 / self.scale, CELL.1 / self.scale];
        let [left, top] = [usize::from(area.x) * cell[0], usize::from(area.y) * cell[1]];
        Some(DirtyRect { image: raster::rasterize_at(&part, self.scale), unchanged, cell, left, top })
    }
}

impl<E: PictureEncoder> FormatWriter for Pictures<E> {
    fn frame(&mut self, at: Duration, frame: &Buffer, _: &str) -> io::Result<()> {
        let approximate = self.encoder.approximate(at, frame);
        let Some(part) = self.changes(approximate.as_ref().unwrap_or(frame)) else { return Ok(()) };
        let Some((from, part)) = self.pending.replace((at, part)) else { return Ok(()) };
        self.encoder.write(&part, from, at)
    }

    fn finish(&mut self, end: Duration, _: &str) -> io::Result<()> {
        let Some((from, part)) = self.pending.take() else { return Ok(()) };
        self.encoder.write(&part, from, end)
    }
}

fn copy(from: &Buffer, area: Rect, to: &mut Buffer) {
    for at in area.positions() {
        to[(at.x - area.x, at.y - area.y)].clone_from(&from[at]);
    }
}

fn changed(last: &Buffer, now: &Buffer) -> Option<Rect> {
    let cells = now.area.positions().zip(last.content.iter().zip(&now.content));
    let differing = cells.filter(|(_, (before, after))| before != after).map(|(at, _)| Rect::new(at.x, at.y, 1, 1));
    differing.reduce(Rect::union)
}
