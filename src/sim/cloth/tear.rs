//! Tearing: which springs break, and what no longer hangs together then.

use crate::sim::boundary::Shape;
use crate::sim::cloth::Cloth;
use crate::sim::cloth::mesh::{Spring, Thread};
use glam::{DVec3, Vec2};

impl Cloth {
    /// Breaks what is drawn out too far.
    pub(super) fn tear(&mut self) {
        let most = 1.0 + f64::from(self.fabric.tear);
        self.unravel(|spring, at| {
            let [a, b] = spring.ends.map(|end| at[end as usize]);
            a.distance_squared(b) > (most * spring.rest).powi(2)
        });
    }

    /// Cuts every spring that the stroke from one place to another meets, `radius` metres to each side.
    pub fn cut(&mut self, from: Vec2, to: Vec2, radius: f32) {
        let stroke = Shape::Capsule { from, to, radius };
        self.unravel(|spring, at| {
            let [a, b] = spring.ends.map(|end| at[end as usize].truncate().as_vec2());
            // Springs are short beside strokes: a few points of each tell.
            (0..=4).any(|quarter| stroke.contact(a.lerp(b, quarter as f32 / 4.0)).distance < 0.0)
        });
    }

    /// Takes springs out, and those that kept a fold flat over a thread that is no more.
    fn unravel(&mut self, breaks: impl Fn(&Spring, &[DVec3]) -> bool) {
        let (before, at) = (self.springs.len(), &self.at);
        self.springs.retain(|spring| !breaks(spring, at));
        if self.springs.len() == before {
            return;
        }
        self.tie();
        let (whole, links) = (&self.whole, &self.links);
        let is_whole = |node: u32, thread: Thread| whole[node as usize] & thread.bit() != 0;
        let straight = |owner: u32, thread: Thread, side: usize| {
            is_whole(owner, thread) && is_whole(links[owner as usize][side], thread)
        };
        self.springs.retain(|spring| match spring.thread {
            Thread::BendAcross => straight(spring.owner, Thread::Across, 1),
            Thread::BendDown => straight(spring.owner, Thread::Down, 3),
            _ => true,
        });
    }

    /// Notes which threads are whole, and who is whose neighbour by them.
    pub(super) fn tie(&mut self) {
        self.whole.fill(0);
        for spring in &self.springs {
            self.whole[spring.owner as usize] |= spring.thread.bit();
        }
        for (node, links) in self.links.iter_mut().enumerate() {
            *links = [node as u32; 4];
        }
        for spring in &self.springs {
            let [a, b] = spring.ends;
            match spring.thread {
                Thread::Across => (self.links[a as usize][1], self.links[b as usize][0]) = (b, a),
                Thread::Down => (self.links[a as usize][3], self.links[b as usize][2]) = (b, a),
                _ => {}
            }
        }
    }
}
