//! Tearing: which springs break, and which parts of the cloth still hang together.

use crate::sim::boundary::Shape;
use crate::sim::cloth::Cloth;
use crate::sim::cloth::mesh::{ClothSpring, SpringKind};
use glam::{DVec3, Vec2};

impl Cloth {
    /// Breaks the springs whose strain is too large.
    pub(super) fn tear(&mut self) {
        let most = 1.0 + f64::from(self.definition.break_strain);
        self.remove_springs(|spring, at| {
            let [a, b] = spring.ends.map(|end| at[end as usize]);
            a.distance_squared(b) > (most * spring.rest).powi(2)
        });
    }

    /// Cuts every spring that crosses the stroke from one place to another, within `radius` metres.
    pub fn cut(&mut self, from: Vec2, to: Vec2, radius: f32) {
        let stroke = Shape::Capsule { from, to, radius };
        self.remove_springs(|spring, at| {
            let [a, b] = spring.ends.map(|end| at[end as usize].truncate().as_vec2());
            // Springs are short compared with strokes: a few points of each suffice.
            (0..=4).any(|quarter| stroke.contact(a.lerp(b, quarter as f32 / 4.0)).distance < 0.0)
        });
    }

    /// Removes springs, and the bend springs across a thread that was removed.
    fn remove_springs(&mut self, breaks: impl Fn(&ClothSpring, &[DVec3]) -> bool) {
        let (before, at) = (self.springs.len(), &self.at);
        self.springs.retain(|spring| !breaks(spring, at));
        if self.springs.len() == before {
            return;
        }
        self.rebuild_topology();
        let (intact, neighbors) = (&self.intact, &self.neighbors);
        let is_intact = |node: u32, kind: SpringKind| intact[node as usize] & kind.bit() != 0;
        let straight = |owner: u32, kind: SpringKind, side: usize| {
            is_intact(owner, kind) && is_intact(neighbors[owner as usize][side], kind)
        };
        self.springs.retain(|spring| match spring.kind {
            SpringKind::BendAcross => straight(spring.owner, SpringKind::Across, 1),
            SpringKind::BendDown => straight(spring.owner, SpringKind::Down, 3),
            _ => true,
        });
    }

    /// Recomputes which springs are intact and the neighbours of each node along them.
    pub(super) fn rebuild_topology(&mut self) {
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
}
