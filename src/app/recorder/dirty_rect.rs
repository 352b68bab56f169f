//! The rectangle of a frame that differs from the previous frame, as a picture of 8×16 pixels a cell, or fewer.

use crate::view::image::Image;
use crate::view::raster;
use crate::view::raster::CELL;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The previous frame, in the size of the first.
#[derive(Debug)]
pub struct DirtyRects {
    last: Buffer,
    began: bool,
    /// Downscaling factor, across and down.
    scale: usize,
}

/// A part of a picture and its upper left corner, in pixels.
#[derive(Debug)]
pub struct DirtyRect {
    pub image: Image,
    pub left: usize,
    pub top: usize,
}

impl DirtyRects {
    /// Starts with a picture of at most `most` pixels, as far as the scales allow.
    pub fn new(area: Rect, most: usize) -> Self {
        let whole = usize::from(area.width) * CELL.0 * usize::from(area.height) * CELL.1;
        let scale = [1, 2, 4].into_iter().find(|scale| whole / (scale * scale) <= most).unwrap_or(8);
        Self { last: Buffer::empty(area), began: false, scale }
    }

    /// Width and height of a cell, in pixels.
    fn cell(&self) -> (usize, usize) {
        (CELL.0 / self.scale, CELL.1 / self.scale)
    }

    /// Width and height of the whole picture, in pixels.
    pub fn size(&self) -> (usize, usize) {
        let cell = self.cell();
        (usize::from(self.last.area.width) * cell.0, usize::from(self.last.area.height) * cell.1)
    }

    /// The smallest rectangle around all changes; of the first frame, all of it.
    pub fn of(&mut self, frame: &Buffer) -> Option<DirtyRect> {
        let mut now = Buffer::empty(self.last.area);
        for y in 0..now.area.height.min(frame.area.height) {
            for x in 0..now.area.width.min(frame.area.width) {
                now[(x, y)] = frame[(x, y)].clone();
            }
        }
        let area = if std::mem::replace(&mut self.began, true) { changed(&self.last, &now)? } else { now.area };
        let mut part = Buffer::empty(Rect::new(0, 0, area.width, area.height));
        for y in 0..area.height {
            for x in 0..area.width {
                part[(x, y)] = now[(area.x + x, area.y + y)].clone();
            }
        }
        self.last = now;
        let cell = self.cell();
        let (left, top) = (usize::from(area.x) * cell.0, usize::from(area.y) * cell.1);
        Some(DirtyRect { image: raster::rasterize_at(&part, self.scale), left, top })
    }
}

fn changed(last: &Buffer, now: &Buffer) -> Option<Rect> {
    let columns = usize::from(now.area.width.max(1));
    let differ = |number: &usize| last.content[*number] != now.content[*number];
    let cells = || (0..now.content.len()).filter(differ).map(|number| (number % columns, number / columns));
    let (left, right) = (cells().map(|(x, _)| x).min()?, cells().map(|(x, _)| x).max()?);
    let (top, bottom) = (cells().map(|(_, y)| y).min()?, cells().map(|(_, y)| y).max()?);
    Some(Rect::new(left as u16, top as u16, (right - left + 1) as u16, (bottom - top + 1) as u16))
}
