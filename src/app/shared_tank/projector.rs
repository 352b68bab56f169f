//! Pictures of a shared tank for many guests: what they have in common is made once.
//!
//! One field for each size and palette, one fit for each of its glyph sets and colour depths; guests with the same of all
//! these get the same cells. What differs from guest to guest is the encoder's memory of its screen, which is not here.

use crate::app::overlay::OverlayTheme;
use crate::app::shared_tank::SharedTank;
use crate::app::shared_tank::hands_layer;
use crate::view::{Camera, CellFits, Painter, RenderStyle};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

/// Steps after which a picture that nobody asked for is forgotten: two seconds.
const FORGOTTEN: u64 = 120;

/// What a guest's picture depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewSpec {
    /// Columns and rows.
    pub window: (u16, u16),
    /// Width and height of a cell in pixels; 0 where unknown.
    pub cell_pixels: (u16, u16),
    pub style: RenderStyle,
    pub theme: OverlayTheme,
}

impl ViewSpec {
    /// Whether the samples of another picture serve for this one.
    fn shares_field(&self, other: &Self) -> bool {
        let RenderStyle { glyphs, depth, .. } = other.style;
        (self.window, self.cell_pixels) == (other.window, other.cell_pixels)
            && RenderStyle { glyphs, depth, ..self.style.clone() } == other.style
    }
}

/// A picture as the guests with this view get it.
#[derive(Debug)]
struct Picture {
    spec: ViewSpec,
    cells: CellFits,
    buffer: Buffer,
    /// The step that it shows, and the one when it was last asked for.
    shows: Option<u64>,
    used: u64,
}

/// Samples, and the pictures that are made of them.
#[derive(Debug)]
struct Projection {
    painter: Painter,
    /// The step that the samples are of.
    sampled: Option<u64>,
    pictures: Vec<Picture>,
}

/// Makes the pictures of all guests.
#[derive(Debug, Default)]
pub struct Projector {
    projections: Vec<Projection>,
    /// How many fields were sampled and how many pictures fitted, since the start.
    counts: (u64, u64),
}

impl Projector {
    /// The picture of the tank in this step, with the hands as they were when a guest first asked for it: what is done
    /// between two steps is seen in the next.
    pub fn picture(&mut self, tank: &SharedTank, spec: &ViewSpec) -> &Buffer {
        let now = tank.steps();
        self.forget(now);
        let at = self.find(spec);
        let projection = &mut self.projections[at.0];
        let Projection { painter, sampled, pictures } = projection;
        let picture = &mut pictures[at.1];
        picture.used = now;
        if picture.shows != Some(now) {
            let Picture { spec, cells, buffer, shows, .. } = picture;
            let (world, area) = (tank.world(), buffer.area);
            if *sampled != Some(now) {
                painter.sample(world, &spec.style, spec.cell_pixels, area);
                *sampled = Some(now);
                self.counts.0 += 1;
            }
            painter.paint_again(cells, world, &spec.style, spec.cell_pixels, area, buffer);
            let camera = Camera::new(area, spec.cell_pixels, world.size());
            hands_layer::draw_hands(tank.hands(), &camera, &spec.theme, spec.style.glyphs, buffer);
            *shows = Some(now);
            self.counts.1 += 1;
        }
        &self.projections[at.0].pictures[at.1].buffer
    }

    /// How many fields were sampled and how many pictures fitted, since the start.
    pub fn counts(&self) -> (u64, u64) {
        self.counts
    }

    /// The indices of the projection and of the picture, which are made where they are missing.
    fn find(&mut self, spec: &ViewSpec) -> (usize, usize) {
        let shared = |projection: &Projection| projection.pictures.iter().any(|it| it.spec.shares_field(spec));
        let projection = self.projections.iter().position(shared).unwrap_or_else(|| {
            self.projections.push(Projection { painter: Painter::default(), sampled: None, pictures: Vec::new() });
            self.projections.len() - 1
        });
        let pictures = &mut self.projections[projection].pictures;
        let picture = pictures.iter().position(|picture| picture.spec == *spec).unwrap_or_else(|| {
            let buffer = Buffer::empty(Rect::new(0, 0, spec.window.0, spec.window.1));
            pictures.push(Picture { spec: spec.clone(), cells: CellFits::default(), buffer, shows: None, used: 0 });
            pictures.len() - 1
        });
        (projection, picture)
    }

    /// Forgets what nobody has asked for.
    fn forget(&mut self, step: u64) {
        for projection in &mut self.projections {
            projection.pictures.retain(|picture| step < picture.used + FORGOTTEN);
        }
        self.projections.retain(|projection| !projection.pictures.is_empty());
    }
}
