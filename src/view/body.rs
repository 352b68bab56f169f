//! Bodies in the picture: filled outlines over everything else, exact to less than a sample. They are signed distances, as walls
//! are, but sampled anew in every frame, around each body only. The liquid's kernels are cut off at them as at a wall.

use crate::cell::color::{LinearRgb, mix};
use crate::math::Elementary;
use crate::sim::World;
use crate::sim::boundary::Shape;
use crate::sim::life::{Life, Weed};
use crate::sim::rigid::Body;
use crate::view::creature::Drawings;
use crate::view::grid_layout::GridLayout;
use crate::view::kernel_truncation::{self, MAX_GAIN, OPEN, VISIBLE};
use crate::view::palette::{Palette, label_color};
use glam::Vec2;

/// Width over which a body's edge fades, in samples.
const EDGE_WIDTH: f32 = 1.6;

/// Fraction of the light on an edge that faces sideways or down; one that faces up gets all of it.
const EDGE_LIGHT: f32 = 0.35;

/// Brightness of an edge that faces up, relative to the body's face.
const EDGE_BOOST: f32 = 1.15;

/// Fraction of the light on one half of a disc: without a mark its rotation would not be visible.
const DARK_HALF: f32 = 0.72;

/// The highlight of a disc: its place and its size in radii, and its opacity in the middle.
const HIGHLIGHT_AT: Vec2 = Vec2::new(-0.35, 0.4);
const HIGHLIGHT_SIZE: f32 = 0.45;
const HIGHLIGHT: f32 = 0.9;

/// The grain of bodies with corners: distance of its lines, m, their bends, m and 1/m, and the light that they take.
const GRAIN: f32 = 0.05;
const GRAIN_BEND: f32 = 0.006;
const GRAIN_WAVE: f32 = 14.0;
const GRAIN_DEPTH: f32 = 0.35;

/// Fraction of foam in the colour of a body without one of its own; the rest is the colour of walls.
const FOAM_SHARE: f32 = 0.5;

/// An animal is drawn narrower than it is while its width relative to its length is less than this.
const TURNING: f32 = 0.9;

/// The field of full liquid, and the value from which on light and edges take it for full.
const FULL: f32 = 1.0;
const NEARLY_FULL: f32 = 0.8;

/// Samples around a figure in which its edge fades.
const FADE_RANGE: f32 = 2.0;

/// Radius of a crumb of food, metres, and its colour.
const CRUMB: f32 = 0.009;
const CRUMB_COLOR: LinearRgb = [0.62, 0.3, 0.1];

/// How much lighter the upper edge of an animal is, and darker its lower one.
const FISH_SHADING: f32 = 0.45;

/// Colour of a mark without one of its own.
const MARK_COLOR: LinearRgb = [1.0, 0.22, 0.05];

/// Colour of a weed without one of its own; how much narrower its tip is, and every second link; and the light at its root.
const WEED_COLOR: LinearRgb = [0.06, 0.3, 0.08];
const WEED_TAPER: f32 = 0.6;
const WEED_NOTCH: f32 = 0.7;
const ROOT_LIGHT: f32 = 0.45;

#[derive(Clone, Debug, Default)]
pub struct BodyLayer {
    /// Distance to the nearest body, in samples of the ordinary density; negative inside.
    pub distance: Vec<f32>,
    pub color: [Vec<f32>; 3],
    /// 1 over the fraction of the liquid's kernel that bodies leave free.
    gain: Vec<f32>,
    /// Samples inside an animal that is drawn narrower than it is: it turns, and its liquid is seen behind it.
    behind: Vec<u32>,
    drawings: Drawings,
}

/// The liquid's field whose kernels bodies cut off.
#[derive(Clone, Copy, Debug)]
pub struct CutField<'a> {
    pub coverage: &'a [f32],
    /// The span of its kernel, in samples of the ordinary density.
    pub reach: f32,
}

impl BodyLayer {
    pub fn is_empty(&self) -> bool {
        self.distance.is_empty()
    }

    /// Whether a body is visible in a block of `across` × `down` samples from the element `first` on.
    pub fn shows_in(&self, first: usize, [across, down]: [usize; 2], grid: &GridLayout) -> bool {
        let visible = |row: usize| {
            self.distance[first + row * grid.stride..][..across].iter().any(|&distance| distance < VISIBLE)
        };
        !self.is_empty() && (0..down).any(visible)
    }

    pub fn draw(&mut self, world: &World, grid: &GridLayout, liquid: CutField, palette: &Palette) {
        let (bodies, life) = (world.bodies(), world.life());
        self.distance.resize(grid.elements(), OPEN);
        self.gain.clear();
        self.gain.resize(grid.elements(), 1.0);
        self.behind.clear();
        self.color.iter_mut().for_each(|plane| plane.resize(grid.elements(), 0.0));
        life.into_iter().flat_map(|life| &life.weeds).for_each(|weed| self.draw_weed(weed, grid));
        let animals = life.map_or(&[][..], |life| &life.fish);
        for (number, body) in bodies.iter().enumerate() {
            if animals.iter().any(|animal| animal.body == number) {
                continue;
            }
            let own = label_color(body.material.label.as_deref())
                .unwrap_or_else(|| mix(palette.wall, palette.foam, FOAM_SHARE));
            let look = |at: Vec2| body.hull.contact(at);
            self.stamp(
                body.hull.bounds(),
                grid,
                Some(liquid),
                |at| look(at).distance,
                |at, distance| shade(body, own, at, distance, grid.turn.direction(look(at).normal)),
            );
        }
        if let Some(life) = life {
            self.behind.reserve(grid.elements());
            self.draw_life(life, bodies, grid, liquid);
        }
        self.draw_marks(world, grid);
    }

    /// Draws what theory expects, over everything else. Lines are half a cell high, so that every set of glyphs shows them.
    fn draw_marks(&mut self, world: &World, grid: &GridLayout) {
        let radius = 1.1 / grid.samples_per_metre();
        for mark in &world.definition().mark {
            let own = label_color(mark.label.as_deref()).unwrap_or(MARK_COLOR);
            let mut points = mark.points(world.time() as f32).map(|point| point * world.size());
            let Some(mut from) = points.next() else { continue };
            for to in points {
                let shape = Shape::Capsule { from, to, radius };
                self.stamp(shape.bounds(), grid, None, |at| shape.contact(at).distance, |_, _| own);
                from = to;
            }
        }
    }

    /// Draws a figure over those before it, by its signed distance in metres at a place, and its colour there, which also depends
    /// on the distance in samples. With the liquid's field, the figure displaces liquid.
    fn stamp(
        &mut self,
        bounds: (Vec2, Vec2),
        grid: &GridLayout,
        liquid: Option<CutField>,
        distance_at: impl Fn(Vec2) -> f32,
        color_at: impl Fn(Vec2, f32) -> LinearRgb,
    ) {
        let scale = grid.samples_per_metre();
        visit_around(bounds, grid, FADE_RANGE, liquid, |here, at, cut| {
            let distance = distance_at(at) * scale;
            self.cut(here, distance, cut);
            if distance < self.distance[here].min(FADE_RANGE) {
                self.distance[here] = distance;
                let color = color_at(at, distance);
                (0..3).for_each(|c| self.color[c][here] = color[c]);
            }
        });
    }

    /// Cuts the liquid's kernels off at a sample, `distance` samples from a figure.
    fn cut(&mut self, here: usize, distance: f32, liquid: Option<CutField>) {
        if let Some(CutField { reach, .. }) = liquid
            && distance < kernel_truncation::range(reach)
        {
            self.gain[here] /= kernel_truncation::free_before(distance, reach);
        }
    }

    fn draw_life(&mut self, life: &Life, bodies: &[Body], grid: &GridLayout, liquid: CutField) {
        for crumb in &life.crumbs {
            let bounds = (crumb.at - CRUMB, crumb.at + CRUMB);
            self.stamp(bounds, grid, None, |at| at.distance(crumb.at) - CRUMB, |_, _| CRUMB_COLOR);
        }
        let mut drawings = std::mem::take(&mut self.drawings);
        drawings.prepare(&life.species, grid.samples_per_metre());
        // Small ones are in front.
        let by_size = |&number: &usize| life.fish.iter().filter(move |fish| fish.species == number);
        for fish in drawings.order.iter().flat_map(by_size) {
            let pose = drawings.pose(fish, &bodies[fish.body]);
            let color = |at: Vec2, distance: f32| {
                let (upward, color) = pose.look(at);
                let edge = (1.0 + distance / EDGE_WIDTH).clamp(0.0, 1.0);
                let lit = 1.0 + FISH_SHADING * upward * edge;
                color.map(|light| (light * lit).min(1.0))
            };
            if fish.turn.abs() < TURNING {
                self.stamp(pose.bounds(), grid, None, |at| pose.distance(at), color);
                self.show_liquid_behind(&bodies[fish.body], grid, liquid);
            } else {
                self.stamp(pose.bounds(), grid, Some(liquid), |at| pose.distance(at), color);
            }
        }
        self.drawings = drawings;
    }

    /// Fills the place of a body that is drawn narrower than it is.
    fn show_liquid_behind(&mut self, body: &Body, grid: &GridLayout, liquid: CutField) {
        let (range, scale) = (kernel_truncation::range(liquid.reach), grid.samples_per_metre());
        visit_around(body.hull.bounds(), grid, 0.0, Some(liquid), |here, at, cut| {
            let Some(contact) = body.hull.contact_within(at, range / scale) else { return };
            self.cut(here, contact.distance * scale, cut);
            if contact.distance < 0.0 {
                self.behind.push(here as u32);
            }
        });
    }

    /// A weed displaces no liquid.
    fn draw_weed(&mut self, weed: &Weed, grid: &GridLayout) {
        let own = label_color(weed.def.label.as_deref()).unwrap_or(WEED_COLOR);
        let links = weed.nodes.len() - 1;
        for (number, link) in weed.nodes.windows(2).enumerate() {
            let [a, b] = [link[0], link[1]];
            let share = number as f32 / links as f32;
            let leaf = if number % 2 == 0 { 1.0 } else { WEED_NOTCH };
            let radius = 0.5 * weed.def.width * (1.0 - WEED_TAPER * share) * leaf;
            let shape = Shape::Capsule { from: a, to: b, radius };
            let light = ROOT_LIGHT + (1.0 - ROOT_LIGHT) * share;
            self.stamp(shape.bounds(), grid, None, |at| shape.contact(at).distance, |_, _| own.map(|c| c * light));
        }
    }

    /// Raises planes of the field where bodies cut the kernels off. `raised` is the gain by walls so far; both together stay
    /// below [`MAX_GAIN`].
    pub fn compensate(&self, raised: &[f32], [coverage, value, foam]: [&mut Vec<f32>; 3]) {
        if self.is_empty() {
            return;
        }
        for plane in [&mut *coverage, value, foam] {
            for ((value, gain), raised) in plane.iter_mut().zip(&self.gain).zip(raised) {
                *value *= gain.min(MAX_GAIN / raised);
            }
        }
        for &here in &self.behind {
            coverage[here as usize] = coverage[here as usize].max(FULL);
        }
    }
}

/// Visits the samples within `near` ordinary samples of a box in the tank, and those around it whose liquid the box may cut off,
/// with their positions and, of the latter, their liquid.
#[inline(always)]
fn visit_around<'a>(
    bounds: (Vec2, Vec2),
    grid: &GridLayout,
    near: f32,
    liquid: Option<CutField<'a>>,
    mut visit: impl FnMut(usize, Vec2, Option<CutField<'a>>),
) {
    let within = |range: f32| grid.samples_around(bounds, range * grid.oversampling as f32);
    let [near_columns, near_rows] = within(near);
    let [columns, rows] = within(liquid.map_or(near, |liquid| kernel_truncation::range(liquid.reach).max(near)));
    for row in rows {
        let is_near_row = near_rows.contains(&row);
        for column in columns.clone() {
            let here = grid.index(column, row);
            let cut = liquid.filter(|liquid| (f32::MIN_POSITIVE..NEARLY_FULL).contains(&liquid.coverage[here]));
            if cut.is_some() || (is_near_row && near_columns.contains(&column)) {
                visit(here, grid.position(column, row), cut);
            }
        }
    }
}

/// The colour at a position in the tank, `distance` samples from the edge (negative inside), whose normal there is `normal`. A
/// disc has a highlight, any other body a grain along it.
fn shade(body: &Body, own: LinearRgb, at: Vec2, distance: f32, normal: Vec2) -> LinearRgb {
    let local = body.to_local(at);
    let face = match body.hull.corners[..] {
        [center] => {
            let face = if local.x < 0.0 { own.map(|light| light * DARK_HALF) } else { own };
            let away = (at - center) / body.hull.radius - HIGHLIGHT_AT;
            mix(face, [1.0; 3], HIGHLIGHT * (1.0 - away.length_squared() / (HIGHLIGHT_SIZE * HIGHLIGHT_SIZE)).max(0.0))
        }
        _ => {
            let wave = local.y + GRAIN_BEND * (local.x * GRAIN_WAVE).sine();
            let dark = 0.5 + 0.5 * (wave * (std::f32::consts::TAU / GRAIN)).sine();
            own.map(|light| light * (1.0 - GRAIN_DEPTH * dark * dark))
        }
    };
    let edge = (1.0 + distance / EDGE_WIDTH).clamp(0.0, 1.0);
    let lit = EDGE_LIGHT + (1.0 - EDGE_LIGHT) * normal.y.max(0.0);
    mix(face, face.map(|light| (light * lit * EDGE_BOOST).min(1.0)), edge)
}
