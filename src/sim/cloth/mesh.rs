//! The construction of sheets: nodes in rows, springs between them, and the mass and stiffness that each represents.
//!
//! A spring between neighbours represents the strip of cloth that is nearer to it than to the next, half of one along
//! an edge; a node represents the rectangle around it. So a cloth has the same mass and stiffness with any number of
//! nodes.

use crate::math::Elementary;
use crate::sim::cloth::definition::{ClothDef, Sheet};
use glam::{DVec3, Vec2};
use std::ops::Range;

/// Columns per fold, where the scene does not give the number of folds.
const COLUMNS_A_FOLD: usize = 8;

/// Distance of a row's ends from the walls, metres, at least.
const MARGIN: f32 = 0.02;

/// The kinds of springs. Those between neighbours, and across a mesh, also hold the faces between them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpringKind {
    /// Structure: from a node to the next in its row, and to the one below it.
    Across,
    /// Structure: from a node to the one below.
    Down,
    /// Shear: from a node to the one below on the right.
    Falling,
    /// Shear: from the node on its right to the one below on the left.
    Rising,
    /// Bend: from a node to the second one on its right.
    BendAcross,
    /// Bend: from a node to the second one below.
    BendDown,
}

impl SpringKind {
    /// Its bit in a node's mask of intact springs.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A spring between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothSpring {
    pub ends: [u32; 2],
    /// Rest length, metres.
    pub rest: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// The node whose mask contains the spring's bit.
    pub owner: u32,
    pub kind: SpringKind,
}

/// The nodes of one sheet, in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetRange {
    /// The number of its first node.
    pub first: usize,
    /// Nodes in a row.
    pub columns: usize,
    /// Nodes in a column.
    pub rows: usize,
}

impl SheetRange {
    /// The numbers of its nodes, row by row.
    pub fn nodes(&self) -> Range<usize> {
        self.first..self.first + self.columns * self.rows
    }

    /// The number of a node.
    pub fn node(&self, column: usize, row: usize) -> usize {
        self.first + row * self.columns + column
    }

    /// Whether it is seen edge on.
    pub fn is_edge_on(&self) -> bool {
        self.rows == 1
    }
}

/// Returns the ranges of nodes of a definition's sheets.
pub fn sheet_ranges(definition: &ClothDef) -> Vec<SheetRange> {
    let mut first = 0;
    let range = |sheet: &Sheet| {
        let [columns, rows] = sheet.nodes;
        first += columns * rows;
        SheetRange { first: first - columns * rows, columns, rows }
    };
    definition.sheet.iter().map(range).collect()
}

/// Width of a strip, as a fraction of a full one: one half for the first and the last.
fn edge_factor(nth: usize, count: usize) -> f64 {
    if count > 1 && (nth == 0 || nth + 1 == count) { 0.5 } else { 1.0 }
}

/// The masses of a sheet's nodes, kg, row by row.
pub fn masses(definition: &ClothDef, sheet: &Sheet) -> impl Iterator<Item = f64> {
    let [columns, rows] = sheet.nodes;
    let [across, down] = sheet.pitch();
    let whole = f64::from(definition.mass) * across * down;
    (0..rows).flat_map(move |row| {
        (0..columns).map(move |column| whole * edge_factor(column, columns) * edge_factor(row, rows))
    })
}

/// Adds a sheet's springs, kind by kind.
pub fn create_springs(definition: &ClothDef, sheet: &Sheet, range: &SheetRange, springs: &mut Vec<ClothSpring>) {
    let [across, down] = sheet.pitch();
    let [stretch, shear, bend] = [definition.stretch, definition.shear, definition.bend].map(f64::from);
    let diagonal = (across * across + down * down).sqrt();
    let (columns, rows) = (range.columns, range.rows);
    let threads = [
        (SpringKind::Across, [0, 0], [1, 0], across, stretch * down / across),
        (SpringKind::Down, [0, 0], [0, 1], down, stretch * across / down),
        (SpringKind::Falling, [0, 0], [1, 1], diagonal, shear),
        (SpringKind::Rising, [1, 0], [0, 1], diagonal, shear),
        (SpringKind::BendAcross, [0, 0], [2, 0], 2.0 * across, 0.5 * bend * down / across),
        (SpringKind::BendDown, [0, 0], [0, 2], 2.0 * down, 0.5 * bend * across / down),
    ];
    for (kind, from, to, rest, stiffness) in threads.into_iter().filter(|spring| spring.4 > 0.0) {
        let reach = [from[0].max(to[0]), from[1].max(to[1])];
        let (across, down) = (columns.saturating_sub(reach[0]), rows.saturating_sub(reach[1]));
        // Springs along a row are ordered by columns: in row order each would wait for the sum of forces that the last
        // has just stored.
        let by_columns = matches!(kind, SpringKind::Across | SpringKind::BendAcross);
        let (outer, inner) = if by_columns { (across, down) } else { (down, across) };
        for outer in 0..outer {
            for inner in 0..inner {
                let (column, row) = if by_columns { (outer, inner) } else { (inner, outer) };
                // A thread along an edge has cloth on one side only.
                let strip = match kind {
                    SpringKind::Across | SpringKind::BendAcross => edge_factor(row, rows),
                    SpringKind::Down | SpringKind::BendDown => edge_factor(column, columns),
                    SpringKind::Falling | SpringKind::Rising => 1.0,
                };
                let end = |[x, y]: [usize; 2]| range.node(column + x, row + y) as u32;
                springs.push(ClothSpring {
                    ends: [end(from), end(to)],
                    rest,
                    stiffness: stiffness * strip,
                    owner: range.node(column, row) as u32,
                    kind,
                });
            }
        }
    }
}

/// The pose of a sheet at the start in a tank of a given size. Lengths along rows are kept: where the first row is hung
/// over less than its length, a sheet seen edge on hangs in a catenary, and one seen from the front is laid in folds.
#[derive(Clone, Debug)]
pub struct InitialPose<'a> {
    sheet: &'a Sheet,
    tank: Vec2,
    along: Vec2,
    down: Vec2,
    anchor: Vec2,
    /// Distance over which the first row is hung, metres.
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
        let folds = sheet.folds.unwrap_or(sheet.nodes[0].div_ceil(COLUMNS_A_FOLD)).max(1) as f32;
        let catenary = catenary(sheet.size[0], span);
        Self { sheet, tank, along, down, anchor, span, slack, folds, catenary }
    }

    /// Where a node is.
    pub fn place(&self, column: usize, row: usize) -> DVec3 {
        let sheet = self.sheet;
        let [across, down] = sheet.size;
        let share = column as f32 / (sheet.nodes[0] - 1) as f32;
        let (along, below, depth) = if sheet.is_edge_on() {
            let (along, below) = self.hanging(share);
            (along, below, 0.0)
        } else {
            let fold = across / self.folds;
            (share, down * row as f32 / (sheet.nodes[1] - 1) as f32, self.slack * fold * zigzag(share * self.folds))
        };
        let place = self.anchor + self.along * (along - sheet.anchor) * self.span;
        let margin = Vec2::splat(MARGIN).min(0.5 * self.tank);
        (place + self.down * below).clamp(margin, self.tank - margin).extend(depth).as_dvec3()
    }

    /// Place on the catenary of a fraction of its length: as a fraction of the span, and in metres below the ends.
    fn hanging(&self, share: f32) -> (f32, f32) {
        let a = self.catenary;
        if a.is_infinite() {
            return (share, 0.0);
        }
        let from_middle = a * ((share - 0.5) * self.sheet.size[0] / a).asinh();
        let below = a * ((0.5 * self.span / a).hyperbolic_cosine() - (from_middle / a).hyperbolic_cosine());
        (0.5 + from_middle / self.span, below.max(0.0))
    }
}

/// The parameter a of the catenary of `length` between two ends that are `span` apart: length = 2 a sinh(span / 2a).
/// Infinite if it is taut.
fn catenary(length: f32, span: f32) -> f32 {
    let stretched = length / span;
    // Beyond this, `sinh` in single precision is not accurate: the two halves hang side by side.
    const MOST: f32 = 20.0;
    if stretched < 1.0 + 1e-4 {
        return f32::INFINITY;
    }
    let (mut low, mut high) = (0.0, MOST);
    for _ in 0..40 {
        let u: f32 = 0.5 * (low + high);
        if u.hyperbolic_sine() < stretched * u { low = u } else { high = u }
    }
    0.5 * span / high
}

/// The wanted span, limited to the room that the tank has along the first row.
fn span(sheet: &Sheet, anchor: Vec2, along: Vec2, tank: Vec2) -> f32 {
    let room = |direction: Vec2| {
        let side = Vec2::select(direction.cmpgt(Vec2::ZERO), tank, Vec2::ZERO);
        let steps = (side - anchor) / direction;
        let axis = |steps: f32, direction: f32| if direction.abs() < 1e-6 { f32::INFINITY } else { steps };
        (axis(steps.x, direction.x).min(axis(steps.y, direction.y)) - MARGIN).max(MARGIN)
    };
    let wanted = sheet.span.unwrap_or(sheet.size[0]).min(sheet.size[0]);
    let before = if sheet.anchor > 0.0 { room(-along) / sheet.anchor } else { f32::INFINITY };
    let after = if sheet.anchor < 1.0 { room(along) / (1.0 - sheet.anchor) } else { f32::INFINITY };
    wanted.min(before).min(after)
}

/// A triangle wave of slope 1 and period 1: up from 0, down through 0, and back.
fn zigzag(t: f32) -> f32 {
    let t = t.rem_euclid(1.0);
    if t < 0.25 {
        t
    } else if t < 0.75 {
        0.5 - t
    } else {
        t - 1.0
    }
}
