//! The implicit step of sheets seen edge on, for a liquid that they bear: D. Baraff, A. Witkin, "Large Steps in Cloth Simulation",
//! SIGGRAPH 1998. (M + dt² K) v = M v₀ + dt f. A spring under pressure is taken to resist along its direction alone, so that K has no
//! negative eigenvalues.

use crate::sim::band_matrix::BandMatrix;
use crate::sim::cloth::Cloth;
use glam::{DMat2, DVec2};

/// The mass that a kinematic node is given, kg.
const HELD: f64 = 1e6;

impl Cloth {
    /// Writes M + dt² K, and M v₀ + dt f, both of x and y node by node, for the sheets that are seen edge on.
    pub fn implicit_step(&self, gravity: DVec2, dt: f64, inertia: &mut BandMatrix, momentum: &mut Vec<f64>) {
        inertia.clear(2 * self.at.len());
        momentum.clear();
        for (node, velocity) in self.velocity.iter().enumerate() {
            let (mass, weight) =
                if self.kinematic.is_kinematic[node] { (HELD, DVec2::ZERO) } else { (self.mass[node], gravity) };
            momentum.extend((mass * (velocity.truncate() + dt * weight)).to_array());
            inertia.add(2 * node, 2 * node, mass);
            inertia.add(2 * node + 1, 2 * node + 1, mass);
        }
        for spring in &self.topology.springs {
            let [a, b] = spring.ends.map(|end| end as usize);
            if b - a > 2 || self.topology.sheets.iter().any(|sheet| !sheet.is_edge_on() && sheet.nodes().contains(&a)) {
                continue;
            }
            let along = (self.at[b] - self.at[a]).truncate();
            let (length, Some(direction)) = (along.length(), along.try_normalize()) else { continue };
            let pull = dt * spring.stiffness * (length - spring.rest) * direction;
            let own = DMat2::from_cols(direction * direction.x, direction * direction.y);
            let slack = (1.0 - spring.rest / length).max(0.0);
            let stiffness = dt * (dt + f64::from(self.definition.damping)) * spring.stiffness;
            let block = stiffness * (slack * DMat2::IDENTITY + (1.0 - slack) * own);
            for axis in 0..2 {
                momentum[2 * a + axis] += pull[axis];
                momentum[2 * b + axis] -= pull[axis];
                for other in 0..2 {
                    inertia.add(2 * b + axis, 2 * a + other, -block.col(other)[axis]);
                }
                for other in 0..=axis {
                    inertia.add(2 * a + axis, 2 * a + other, block.col(other)[axis]);
                    inertia.add(2 * b + axis, 2 * b + other, block.col(other)[axis]);
                }
            }
        }
    }
}
