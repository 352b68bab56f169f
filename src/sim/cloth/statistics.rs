//! Measurements of cloth: at a node, at a point, and of the whole.

use crate::sim::cloth::Cloth;
use crate::sim::cloth::topology::ClothSpring;
use crate::sim::statistics::Stats;
use glam::Vec2;

impl Cloth {
    /// The largest strain of the springs at a node: elongation over rest length.
    pub fn strain(&self, node: usize) -> f64 {
        let Some(number) = self.topology.sheets.iter().position(|range| range.nodes().contains(&node)) else {
            return 0.0;
        };
        let [across, down] = self.definition.sheet[number].pitch();
        let [left, right, up, below] =
            self.topology.neighbors[node].map(|other| self.at[node].distance(self.at[other as usize]));
        ((left.max(right)) / across - 1.0).max(up.max(below) / down - 1.0).max(0.0)
    }

    /// Elastic energy of the springs, joules.
    pub fn elastic(&self) -> f64 {
        let energy = |spring: &ClothSpring| {
            let [a, b] = spring.ends.map(|end| self.at[end as usize]);
            0.5 * spring.stiffness * (a.distance(b) - spring.rest).powi(2)
        };
        self.topology.springs.iter().map(energy).sum()
    }

    /// Whether nothing is faster than `speed` (m/s), and no wind blows.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        !self.wind.blows() && self.max_speed() < speed
    }

    /// Largest speed of a node, m/s.
    pub fn max_speed(&self) -> f32 {
        self.velocity.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt() as f32
    }

    /// Velocity of the nearest node, m/s, if one is near enough.
    pub fn velocity_at(&self, at: Vec2) -> Option<Vec2> {
        let distance = |node: &usize| self.at[*node].truncate().distance_squared(at.as_dvec2());
        let nearest = (0..self.at.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let radius = f64::from(self.support_radius());
        (distance(&nearest) < radius * radius).then(|| self.velocity[nearest].truncate().as_vec2())
    }

    /// Measures it under `gravity` (m/s²).
    pub fn stats(&self, gravity: Vec2) -> Stats {
        let mut stats = Stats {
            elastic: self.elastic(),
            springs: self.topology.springs.len(),
            torn: self.topology.torn(),
            nodes: self.at.len(),
            samples: self.at.len() as f64,
            ..Stats::default()
        };
        for ((at, v), mass) in self.at.iter().zip(&self.velocity).zip(&self.mass) {
            stats.add_mass(*mass, at.truncate(), v.truncate(), gravity.as_dvec2());
            stats.kinetic += 0.5 * mass * v.z * v.z;
            stats.max_speed = stats.max_speed.max(v.length());
            stats.mean_speed += v.length() / self.at.len() as f64;
        }
        stats.divide_by_mass();
        stats
    }

    /// Size, torn springs and energies, as text for users.
    pub fn describe(&self, gravity: Vec2) -> Vec<(&'static str, String)> {
        let stats = self.stats(gravity);
        vec![
            ("nodes", stats.nodes.to_string()),
            ("springs", stats.springs.to_string()),
            ("torn", stats.torn.to_string()),
            ("kinetic", format!("{:.2} mJ", 1e3 * stats.kinetic)),
            ("potential", format!("{:.0} mJ", 1e3 * stats.potential)),
            ("elastic", format!("{:.2} mJ", 1e3 * stats.elastic)),
            ("cloth steps", self.substeps.to_string()),
        ]
    }
}
