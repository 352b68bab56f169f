//! One tank behind several panes: each pane shows the part of the tank that corresponds to its place on the screen.
//!
//! The tank fills the bounding box of all panes. This box is painted once, and the part of each pane is cut out. So the light
//! and every glyph are the same as in a single window.

use crate::sim::ASPECTS;
use crate::view::Camera;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Upper limits on the box, in columns and rows: those of a window.
const LARGEST: (u16, u16) = (1000, 500);

/// Upper limit on the panes.
pub const MAX_PANES: usize = 32;

/// Whether there are walls where panes end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seams {
    /// The fluid runs from pane to pane.
    #[default]
    Open,
    /// Each pane is a tank of its own.
    Walls,
}

impl Seams {
    pub const ALL: [Self; 2] = [Self::Open, Self::Walls];

    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Walls => "walls",
        }
    }
}

impl FromStr for Seams {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|seams| seams.name() == name);
        known.ok_or_else(|| format!("seams are open or walls, not {name:?}"))
    }
}

/// The place of a pane on the screen, in cells: tmux's `pane_left`, `pane_top`, `pane_width` and `pane_height`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pane {
    pub left: u16,
    pub top: u16,
    pub width: u16,
    pub height: u16,
}

impl Pane {
    /// Checks that it has at least one cell and lies within the largest window.
    ///
    /// # Errors
    /// If it does not.
    pub fn validated(self) -> Result<Self, String> {
        let Self { left, top, width, height } = self;
        let ends = |start: u16, length: u16, most: u16| length >= 1 && start <= most && length <= most - start;
        match ends(left, width, LARGEST.0) && ends(top, height, LARGEST.1) {
            true => Ok(self),
            false => Err(format!("a pane of {width}×{height} cells at {left},{top} is out of range")),
        }
    }

    fn right(self) -> u16 {
        self.left + self.width
    }

    fn bottom(self) -> u16 {
        self.top + self.height
    }
}

/// All panes, and the box around them.
#[derive(Clone, Debug, PartialEq)]
pub struct PaneLayout {
    panes: Vec<Pane>,
    bounds: Pane,
}

impl PaneLayout {
    /// The layout of validated panes; none without panes. Panes beyond [`MAX_PANES`] are left out.
    pub fn new(panes: impl IntoIterator<Item = Pane>) -> Option<Self> {
        let panes: Vec<Pane> = panes.into_iter().take(MAX_PANES).collect();
        let (left, top) = (panes.iter().map(|pane| pane.left).min()?, panes.iter().map(|pane| pane.top).min()?);
        let right = panes.iter().map(|pane| pane.right()).max()?;
        let bottom = panes.iter().map(|pane| pane.bottom()).max()?;
        Some(Self { panes, bounds: Pane { left, top, width: right - left, height: bottom - top } })
    }

    /// The box around all panes, as a window of its own.
    pub fn window(&self) -> Rect {
        Rect::new(0, 0, self.bounds.width, self.bounds.height)
    }

    /// Width over height of the tank that fills the box.
    pub fn aspect(&self, cell_pixels: (u16, u16)) -> f32 {
        Camera::aspect(self.window(), cell_pixels).clamp(*ASPECTS.start(), *ASPECTS.end())
    }

    /// The cells of that window that a pane shows.
    pub fn part(&self, pane: Pane) -> Rect {
        let (x, y) = (pane.left.saturating_sub(self.bounds.left), pane.top.saturating_sub(self.bounds.top));
        Rect::new(x, y, pane.width, pane.height).intersection(self.window())
    }

    /// The walls between panes, as lines `[x, y, x, y]` in fractions of the tank, y up. `narrowing` is the aspect of the tank
    /// over that of the box, in which a tank of another shape is letterboxed.
    pub fn seams(&self, seams: Seams, narrowing: f32) -> Vec<[f32; 4]> {
        if seams == Seams::Open {
            return Vec::new();
        }
        let Pane { left, top, width, height } = self.bounds;
        // The border between two panes is one cell wide; the wall is in its middle.
        let place =
            |cell: f32, start: u16, length: u16| ((cell - f32::from(start)) / f32::from(length)).clamp(0.0, 1.0);
        let across = |cell: f32| letterboxed(place(cell, left, width), narrowing.min(1.0));
        let down = |cell: f32| letterboxed(1.0 - place(cell, top, height), (1.0 / narrowing).min(1.0));
        let mut lines: Vec<[f32; 4]> = Vec::new();
        for pane in &self.panes {
            let [x0, x1] = [f32::from(pane.left) - 0.5, f32::from(pane.right()) + 0.5];
            let [y0, y1] = [f32::from(pane.top) - 0.5, f32::from(pane.bottom()) + 0.5];
            let inner = [
                (pane.left > left, [x0, y0, x0, y1]),
                (pane.right() < self.bounds.right(), [x1, y0, x1, y1]),
                (pane.top > top, [x0, y0, x1, y0]),
                (pane.bottom() < self.bounds.bottom(), [x0, y1, x1, y1]),
            ];
            for (_, [x0, y0, x1, y1]) in inner.into_iter().filter(|(inner, _)| *inner) {
                let line = [across(x0), down(y0), across(x1), down(y1)];
                // Adjacent panes share a wall.
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines
    }
}

/// Converts a fraction of the box to one of the tank, which fills the fraction `share` of the box in its middle.
fn letterboxed(fraction: f32, share: f32) -> f32 {
    (0.5 + (fraction - 0.5) / share).clamp(0.0, 1.0)
}

/// Copies as much of a part of a picture as fits to the upper left corner of a buffer, and clears the rest of the buffer.
pub fn cut(whole: &Buffer, part: Rect, buf: &mut Buffer) {
    buf.reset();
    let area = buf.area;
    for (row, y) in (0..area.height).zip(part.y..part.bottom().min(whole.area.height)) {
        for (column, x) in (0..area.width).zip(part.x..part.right().min(whole.area.width)) {
            buf[(area.x + column, area.y + row)].clone_from(&whole[(x, y)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(left: u16, top: u16, width: u16, height: u16) -> Pane {
        Pane { left, top, width, height }
    }

    #[test]
    fn the_box_is_around_all_panes_and_each_shows_its_part() {
        let panes = [pane(0, 0, 40, 24), pane(41, 0, 39, 11), pane(41, 12, 39, 12)];
        let layout = PaneLayout::new(panes).expect("three panes");
        assert_eq!(layout.window(), Rect::new(0, 0, 80, 24));
        assert_eq!(layout.part(panes[2]), Rect::new(41, 12, 39, 12));
        assert!((layout.aspect((8, 16)) - 80.0 / 48.0).abs() < 1e-6);
        let right = PaneLayout::new([panes[1], panes[2]]).expect("two panes");
        assert_eq!((right.window(), right.part(panes[1])), (Rect::new(0, 0, 39, 24), Rect::new(0, 0, 39, 11)));
        assert_eq!(PaneLayout::new([]), None);
    }

    #[test]
    fn walls_stand_in_the_middle_of_the_borders() {
        let layout = PaneLayout::new([pane(0, 0, 40, 24), pane(41, 0, 39, 11), pane(41, 12, 39, 12)]).expect("panes");
        assert_eq!(layout.seams(Seams::Open, 1.0), Vec::<[f32; 4]>::new());
        let lines = layout.seams(Seams::Walls, 1.0);
        let (x, y) = (40.5 / 80.0, 1.0 - 11.5 / 24.0);
        // The entire height beside the left pane, its two halves beside the right ones, and one wall between those.
        assert_eq!(lines, [[x, 1.0, x, 0.0], [x, 1.0, x, y], [x, y, 1.0, y], [x, y, x, 0.0]]);
        // In a tank half as wide as the box, the same position is farther from the middle.
        let narrow = layout.seams(Seams::Walls, 0.5)[0][0];
        assert!((narrow - (0.5 + 0.5 / 80.0 / 0.5)).abs() < 1e-6, "{narrow}");
    }

    #[test]
    fn panes_out_of_range_are_refused() {
        assert!(pane(0, 0, 80, 24).validated().is_ok());
        for bad in [pane(0, 0, 0, 24), pane(999, 0, 2, 1), pane(65535, 65535, 65535, 65535), pane(0, 400, 1, 101)] {
            assert!(bad.validated().is_err(), "{bad:?}");
        }
    }
}
