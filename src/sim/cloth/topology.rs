//! The springs between the nodes of sheets, which of them are intact, and the triangles between them. A spring represents the
//! strip of cloth nearer to it than to the next, half of one along an edge; a node the rectangle around it. So mass and stiffness
//! do not depend on the number of nodes.

use crate::sim::cloth::definition::{ClothDef, Sheet};
use glam::{DVec2, DVec3};
use std::ops::Range;

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
    pub const ALL: [Self; 6] =
        [Self::Across, Self::Down, Self::Falling, Self::Rising, Self::BendAcross, Self::BendDown];

    /// Columns and rows from the owner to both ends.
    pub fn ends(self) -> [[usize; 2]; 2] {
        match self {
            Self::Across => [[0, 0], [1, 0]],
            Self::Down => [[0, 0], [0, 1]],
            Self::Falling => [[0, 0], [1, 1]],
            Self::Rising => [[1, 0], [0, 1]],
            Self::BendAcross => [[0, 0], [2, 0]],
            Self::BendDown => [[0, 0], [0, 2]],
        }
    }

    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothSpring {
    pub ends: [u32; 2],
    pub rest: f64,
    pub stiffness: f64,
    /// The node whose mask contains the spring's bit.
    pub owner: u32,
    pub kind: SpringKind,
}

/// The nodes of one sheet, in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetRange {
    pub first: usize,
    pub columns: usize,
    pub rows: usize,
}

impl SheetRange {
    pub fn nodes(&self) -> Range<usize> {
        self.first..self.first + self.columns * self.rows
    }

    pub fn node(&self, column: usize, row: usize) -> usize {
        self.first + row * self.columns + column
    }

    /// Its nodes with their columns and rows, row by row.
    pub(super) fn grid(self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| (self.node(column, row), column, row)))
    }

    /// The corners of the mesh whose first node is at a column and row.
    fn mesh(&self, column: usize, row: usize) -> [usize; 4] {
        let node = self.node(column, row);
        [node, node + 1, node + self.columns, node + self.columns + 1]
    }

    pub fn is_edge_on(&self) -> bool {
        self.rows == 1
    }
}

fn sheet_ranges(definition: &ClothDef) -> Vec<SheetRange> {
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

/// The springs of all sheets, and what follows from those that are intact.
#[derive(Clone, Debug)]
pub struct Topology {
    pub sheets: Vec<SheetRange>,
    pub springs: Vec<ClothSpring>,
    initial_springs: usize,
    /// By node, a bit for each intact thread; see [`SpringKind::bit`].
    intact: Vec<u8>,
    /// Left, right, upper and lower neighbours of each node; itself where it has none.
    pub neighbors: Vec<[u32; 4]>,
}

impl Topology {
    /// The sheets of a definition, all springs intact.
    pub(super) fn new(definition: &ClothDef) -> Self {
        let sheets = sheet_ranges(definition);
        let nodes = sheets.iter().map(|range| range.nodes().len()).sum();
        let springs = create_springs(definition, &sheets);
        let mut topology = Self {
            initial_springs: springs.len(),
            intact: vec![0; nodes],
            neighbors: vec![[0; 4]; nodes],
            sheets,
            springs,
        };
        topology.rebuild();
        topology
    }

    /// Changes the springs to those of a definition with the same sheets. Torn threads stay torn.
    pub(super) fn set_params(&mut self, before: &ClothDef, now: &ClothDef) {
        let mut torn = vec![0; self.intact.len()];
        for spring in create_springs(before, &self.sheets) {
            torn[spring.owner as usize] |= spring.kind.bit();
        }
        torn.iter_mut().zip(&self.intact).for_each(|(torn, intact)| *torn &= !intact);
        self.springs = create_springs(now, &self.sheets);
        self.initial_springs = self.springs.len();
        self.springs.retain(|spring| torn[spring.owner as usize] & spring.kind.bit() == 0);
        self.rebuild();
    }

    /// The masses of the nodes, kg.
    pub(super) fn masses(&self, definition: &ClothDef) -> Vec<f64> {
        let sheets = definition.sheet.iter().zip(&self.sheets);
        let masses = sheets.flat_map(|(sheet, &range)| {
            let [across, down] = sheet.pitch();
            let whole = f64::from(definition.mass) * across * down;
            let factor = move |column, row| edge_factor(column, range.columns) * edge_factor(row, range.rows);
            range.grid().map(move |(_, column, row)| whole * factor(column, row))
        });
        masses.collect()
    }

    pub fn nodes(&self) -> usize {
        self.intact.len()
    }

    pub fn torn(&self) -> usize {
        self.initial_springs - self.springs.len()
    }

    /// Whether a node's thread of that kind is intact.
    pub fn is_intact(&self, node: usize, kind: SpringKind) -> bool {
        self.intact[node] & kind.bit() != 0
    }

    /// Removes springs, and the bend springs across a thread that was removed. Returns whether there were any.
    pub(super) fn remove_springs(&mut self, breaks: impl Fn(&ClothSpring) -> bool) -> bool {
        let before = self.springs.len();
        self.springs.retain(|spring| !breaks(spring));
        if self.springs.len() == before {
            return false;
        }
        self.rebuild();
        let Self { intact, neighbors, springs, .. } = self;
        let is_intact = |node: u32, kind: SpringKind| intact[node as usize] & kind.bit() != 0;
        let straight = |owner: u32, kind: SpringKind, side: usize| {
            is_intact(owner, kind) && is_intact(neighbors[owner as usize][side], kind)
        };
        springs.retain(|spring| match spring.kind {
            SpringKind::BendAcross => straight(spring.owner, SpringKind::Across, 1),
            SpringKind::BendDown => straight(spring.owner, SpringKind::Down, 3),
            _ => true,
        });
        true
    }

    fn rebuild(&mut self) {
        self.intact.fill(0);
        for spring in &self.springs {
            self.intact[spring.owner as usize] |= spring.kind.bit();
        }
        for (node, neighbors) in self.neighbors.iter_mut().enumerate() {
            *neighbors = [node as u32; 4];
        }
        for spring in &self.springs {
            let [a, b] = spring.ends;
            match spring.kind {
                SpringKind::Across => (self.neighbors[a as usize][1], self.neighbors[b as usize][0]) = (b, a),
                SpringKind::Down => (self.neighbors[a as usize][3], self.neighbors[b as usize][2]) = (b, a),
                _ => {}
            }
        }
    }

    /// The meshes of sheets seen from the front with an intact triangle: a node, those right of and below it, the one across.
    pub fn meshes(&self) -> impl Iterator<Item = [usize; 4]> + Clone + '_ {
        let front = self.sheets.iter().filter(|range| !range.is_edge_on());
        let corners = front.flat_map(|range| {
            (0..range.rows - 1).flat_map(move |row| (0..range.columns - 1).map(move |column| range.mesh(column, row)))
        });
        corners.filter(|&corners| self.triangles(corners).iter().any(Option::is_some))
    }

    /// Whether a triangle on either side of a node's thread is intact.
    pub fn has_cloth_beside(&self, range: &SheetRange, [column, row]: [usize; 2], kind: SpringKind) -> bool {
        let mesh = |column: usize, row: usize| self.triangles(range.mesh(column, row));
        let (inside, before, after) = match kind {
            SpringKind::Across => (column + 1 < range.columns, (column, row.wrapping_sub(1)), row + 1 < range.rows),
            _ => (row + 1 < range.rows, (column.wrapping_sub(1), row), column + 1 < range.columns),
        };
        inside
            && ((after && mesh(column, row)[0].is_some())
                || (before.0 < range.columns && before.1 < range.rows && mesh(before.0, before.1)[1].is_some()))
    }

    /// The two triangles of a mesh that are intact: all three of their threads hold.
    pub fn triangles(&self, [a, b, c, d]: [usize; 4]) -> [Option<[usize; 3]>; 2] {
        let holds = |threads: [(usize, SpringKind); 3]| threads.iter().all(|&(node, kind)| self.is_intact(node, kind));
        let upper = [(a, SpringKind::Across), (a, SpringKind::Down), (a, SpringKind::Rising)];
        let lower = [(c, SpringKind::Across), (b, SpringKind::Down), (a, SpringKind::Rising)];
        [holds(upper).then_some([a, b, c]), holds(lower).then_some([b, d, c])]
    }

    /// The point of a mesh behind `point` in the picture's plane: its depth (towards the viewer), its nodes, their weights.
    pub fn triangle_at(&self, positions: &[DVec3], mesh: usize, point: DVec2) -> Option<(f64, [usize; 3], [f64; 3])> {
        let columns = self.sheets.iter().find(|range| range.nodes().contains(&mesh))?.columns;
        let triangles = self.triangles([mesh, mesh + 1, mesh + columns, mesh + columns + 1]);
        triangles.into_iter().flatten().find_map(|nodes| {
            let at = nodes.map(|node| positions[node]);
            let weights = barycentric(at.map(DVec3::truncate), point)?;
            Some((at[0].z * weights[0] + at[1].z * weights[1] + at[2].z * weights[2], nodes, weights))
        })
    }
}

fn create_springs(definition: &ClothDef, sheets: &[SheetRange]) -> Vec<ClothSpring> {
    let mut springs = Vec::new();
    for (sheet, range) in definition.sheet.iter().zip(sheets) {
        add_springs(definition, sheet, range, &mut springs);
    }
    springs
}

fn add_springs(definition: &ClothDef, sheet: &Sheet, range: &SheetRange, springs: &mut Vec<ClothSpring>) {
    let [across, down] = sheet.pitch();
    let [stretch, shear, bend] = [definition.stretch, definition.shear, definition.bend].map(f64::from);
    let diagonal = (across * across + down * down).sqrt();
    let strengths = [
        (across, stretch * down / across),
        (down, stretch * across / down),
        (diagonal, shear),
        (diagonal, shear),
        (2.0 * across, 0.5 * bend * down / across),
        (2.0 * down, 0.5 * bend * across / down),
    ];
    for (kind, (rest, stiffness)) in SpringKind::ALL.into_iter().zip(strengths).filter(|(_, (_, k))| *k > 0.0) {
        for (node, column, row) in range.grid() {
            let ends = kind.ends().map(|[x, y]| [column + x, row + y]);
            if ends.iter().any(|&[column, row]| column >= range.columns || row >= range.rows) {
                continue;
            }
            // A thread along an edge has cloth on one side only.
            let strip = match kind {
                SpringKind::Across | SpringKind::BendAcross => edge_factor(row, range.rows),
                SpringKind::Down | SpringKind::BendDown => edge_factor(column, range.columns),
                SpringKind::Falling | SpringKind::Rising => 1.0,
            };
            springs.push(ClothSpring {
                ends: ends.map(|[column, row]| range.node(column, row) as u32),
                rest,
                stiffness: stiffness * strip,
                owner: node as u32,
                kind,
            });
        }
    }
}

fn barycentric([a, b, c]: [DVec2; 3], point: DVec2) -> Option<[f64; 3]> {
    let area = (b - a).perp_dot(c - a);
    let weights = [(b - point).perp_dot(c - point), (c - point).perp_dot(a - point), (a - point).perp_dot(b - point)];
    let inside = area != 0.0 && weights.iter().all(|weight| weight / area >= 0.0);
    inside.then(|| weights.map(|weight| weight / area))
}
