//! The intact parts of a cloth: its meshes, their triangles, and the triangle behind a place.

use crate::sim::cloth::{Cloth, SheetRange, SpringKind};
use glam::{DVec2, DVec3};

impl Cloth {
    /// The meshes of sheets seen from the front with an intact triangle, by their four corners: a node, the one on its
    /// right, the one below it, and the one across.
    pub fn meshes(&self) -> impl Iterator<Item = [usize; 4]> + Clone + '_ {
        let front = self.sheets.iter().filter(|range| !range.is_edge_on());
        let corners = front.flat_map(|range| {
            let rows = 0..range.rows - 1;
            rows.flat_map(move |row| (0..range.columns - 1).map(move |column| range.node(column, row)))
                .map(|node| [node, node + 1, node + range.columns, node + range.columns + 1])
        });
        corners.filter(|&corners| self.triangles(corners).iter().any(Option::is_some))
    }

    /// Whether a triangle on either side of a node's thread is intact.
    pub fn has_cloth_beside(&self, range: &SheetRange, [column, row]: [usize; 2], kind: SpringKind) -> bool {
        let mesh = |column: usize, row: usize| {
            let node = range.node(column, row);
            self.triangles([node, node + 1, node + range.columns, node + range.columns + 1])
        };
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

    /// The point of a mesh, named by its first node, behind a place: its depth (towards the viewer), the nodes around
    /// it, and their weights.
    pub fn triangle_at(&self, mesh: usize, place: DVec2) -> Option<(f64, [usize; 3], [f64; 3])> {
        let columns = self.sheets.iter().find(|range| range.nodes().contains(&mesh))?.columns;
        let triangles = self.triangles([mesh, mesh + 1, mesh + columns, mesh + columns + 1]);
        triangles.into_iter().flatten().find_map(|nodes| {
            let at = nodes.map(|node| self.at[node]);
            let weights = barycentric(at.map(DVec3::truncate), place)?;
            Some((at[0].z * weights[0] + at[1].z * weights[1] + at[2].z * weights[2], nodes, weights))
        })
    }
}

/// The barycentric weights of a triangle's corners at a place inside it.
fn barycentric([a, b, c]: [DVec2; 3], place: DVec2) -> Option<[f64; 3]> {
    let area = (b - a).perp_dot(c - a);
    let weights = [(b - place).perp_dot(c - place), (c - place).perp_dot(a - place), (a - place).perp_dot(b - place)];
    let inside = area != 0.0 && weights.iter().all(|weight| weight / area >= 0.0);
    inside.then(|| weights.map(|weight| weight / area))
}
