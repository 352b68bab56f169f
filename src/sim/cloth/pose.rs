use crate::math::Elementary;
use crate::sim::cloth::definition::Sheet;
use glam::{DVec3, Vec2};

/// Columns per fold, where the scene does not give the number of folds.
const COLUMNS_PER_FOLD: usize = 8;

/// Minimum distance of a row's ends from the walls, metres.
const MARGIN: f32 = 0.02;

/// The pose of a sheet at the start. Lengths along rows are kept: where the first row is hung over less than its length, a sheet
/// seen edge on hangs in a catenary, and one seen from the front is laid in folds.
#[derive(Clone, Debug)]
pub struct InitialPose<'a> {
    sheet: &'a Sheet,
    tank: Vec2,
    along: Vec2,
    down: Vec2,
    anchor: Vec2,
    span: f32,
    /// Distance that a metre of a row covers in other directions than along it.
    slack: f32,
    folds: f32,
    /// The parameter a of the catenary y = a cosh(x/a) in which a sheet seen edge on hangs, metres; infinite if it is taut.
    catenary: f32,
}

impl<'a> InitialPose<'a> {
    /// Computes the pose in a tank of `tank` metres.
    pub fn new(sheet: &'a Sheet, tank: Vec2) -> Self {
        let [along, down] = sheet.directions();
        let anchor = Vec2::from(sheet.at) * tank;
        let span = span(sheet, anchor, along, tank);
        let gathered = span / sheet.size[0];
        let slack = (1.0 - gathered * gathered).max(0.0).sqrt();
        let folds = sheet.folds.unwrap_or(sheet.nodes[0].div_ceil(COLUMNS_PER_FOLD)).max(1) as f32;
        let catenary = catenary(sheet.size[0], span);
        Self { sheet, tank, along, down, anchor, span, slack, folds, catenary }
    }

    /// Position of a node, metres.
    pub fn position(&self, column: usize, row: usize) -> DVec3 {
        let sheet = self.sheet;
        let [across, down] = sheet.size;
        let fraction = column as f32 / (sheet.nodes[0] - 1) as f32;
        let (along, below, depth) = if sheet.is_edge_on() {
            let (along, below) = self.hanging(fraction);
            (along, below, 0.0)
        } else {
            let fold = across / self.folds;
            (
                fraction,
                down * row as f32 / (sheet.nodes[1] - 1) as f32,
                self.slack * fold * zigzag(fraction * self.folds),
            )
        };
        let in_row = self.anchor + self.along * (along - sheet.anchor) * self.span;
        let margin = Vec2::splat(MARGIN).min(0.5 * self.tank);
        (in_row + self.down * below).clamp(margin, self.tank - margin).extend(depth).as_dvec3()
    }

    /// Position on the catenary at a fraction of its length: as a fraction of the span, and in metres below the ends.
    fn hanging(&self, fraction: f32) -> (f32, f32) {
        let a = self.catenary;
        if a.is_infinite() {
            return (fraction, 0.0);
        }
        let from_center = a * ((fraction - 0.5) * self.sheet.size[0] / a).arc_hyperbolic_sine();
        let below = a * ((0.5 * self.span / a).hyperbolic_cosine() - (from_center / a).hyperbolic_cosine());
        (0.5 + from_center / self.span, below.max(0.0))
    }
}

/// The parameter a of the catenary: length = 2 a sinh(span / 2a). Infinite if it is taut.
fn catenary(length: f32, span: f32) -> f32 {
    let stretched = length / span;
    // Beyond this, `sinh` in single precision is not accurate: the two halves hang side by side.
    const MAX_HALF_ANGLE: f32 = 20.0;
    if stretched < 1.0 + 1e-4 {
        return f32::INFINITY;
    }
    let (mut low, mut high) = (0.0, MAX_HALF_ANGLE);
    for _ in 0..40 {
        let u: f32 = 0.5 * (low + high);
        if u.hyperbolic_sine() < stretched * u { low = u } else { high = u }
    }
    0.5 * span / high
}

/// The span of the definition, limited to the room that the tank has along the first row.
fn span(sheet: &Sheet, anchor: Vec2, along: Vec2, tank: Vec2) -> f32 {
    let room = |direction: Vec2| {
        let side = Vec2::select(direction.cmpgt(Vec2::ZERO), tank, Vec2::ZERO);
        let steps = (side - anchor) / direction;
        let axis = |steps: f32, direction: f32| if direction.abs() < 1e-6 { f32::INFINITY } else { steps };
        (axis(steps.x, direction.x).min(axis(steps.y, direction.y)) - MARGIN).max(MARGIN)
    };
    let target = sheet.span.unwrap_or(sheet.size[0]).min(sheet.size[0]);
    let before = if sheet.anchor > 0.0 { room(-along) / sheet.anchor } else { f32::INFINITY };
    let after = if sheet.anchor < 1.0 { room(along) / (1.0 - sheet.anchor) } else { f32::INFINITY };
    target.min(before).min(after)
}

/// A triangle wave of slope 1 and period 1: up from 0, down through 0, and back.
fn zigzag(t: f32) -> f32 {
    match t.rem_euclid(1.0) {
        t if t < 0.25 => t,
        t if t < 0.75 => 0.5 - t,
        t => t - 1.0,
    }
}
