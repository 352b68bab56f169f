use crate::sim::cloth::definition::ClothDef;
use crate::sim::cloth::rk4;
use crate::sim::cloth::topology::{ClothSpring, Topology};
use glam::DVec3;

/// Minimum length of a spring, metres: nearer ends have no line between them along which to push.
const COINCIDENT: f64 = 1e-9;

/// Speed of a node, m/s, up to which the bound of the step holds against air drag.
const MAX_AIR_SPEED: f64 = 20.0;

#[derive(Clone, Copy, Debug)]
pub struct Forces<'a> {
    pub topology: &'a Topology,
    pub mass: &'a [f64],
    /// Pinned or grabbed nodes, whose velocities are prescribed.
    pub kinematic: &'a [bool],
    /// Velocity of the air at each node, m/s.
    pub wind: &'a [DVec3],
    /// m/s².
    pub gravity: DVec3,
    pub damping: f64,
    pub linear_damping: f64,
    pub drag_coefficient: f64,
}

impl Forces<'_> {
    /// Computes the accelerations of nodes at `x` with velocities `v`.
    pub fn accelerate(&self, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        a.fill(DVec3::ZERO);
        self.spring_forces(x, v, a);
        if self.drag_coefficient > 0.0 {
            self.wind_forces(x, v, a);
        }
        for i in 0..a.len() {
            a[i] = if self.kinematic[i] {
                DVec3::ZERO
            } else {
                a[i] / self.mass[i] + self.gravity - self.linear_damping * v[i]
            };
        }
    }

    /// Hooke and Kelvin–Voigt: `k (l − l₀) + k τ dl/dt` along every spring.
    fn spring_forces(&self, x: &[DVec3], v: &[DVec3], force: &mut [DVec3]) {
        for spring in self.topology.springs() {
            let [a, b] = spring.ends.map(|end| end as usize);
            let offset = x[b] - x[a];
            let length = offset.length();
            if length < COINCIDENT {
                continue;
            }
            let along = offset / length;
            let lengthening = along.dot(v[b] - v[a]);
            let pull = spring.stiffness * (length - spring.rest + self.damping * lengthening) * along;
            force[a] += pull;
            force[b] -= pull;
        }
    }

    /// Air pressure on the cloth: `air · u²` for the component u of the relative velocity along the normal.
    fn wind_forces(&self, x: &[DVec3], v: &[DVec3], force: &mut [DVec3]) {
        for i in 0..x.len() {
            let area = self.area(x, i);
            let size = area.length();
            if size > 0.0 {
                let met = (self.wind[i] - v[i]).dot(area) / size;
                force[i] += self.drag_coefficient * met * met.abs() * area;
            }
        }
    }

    /// Vector area of the cloth around a node: its normal, with the area (m²) as its length. A front that the viewer sees has a
    /// normal that points to the viewer.
    fn area(&self, x: &[DVec3], node: usize) -> DVec3 {
        vector_area(x, self.topology.neighbors()[node], self.topology.edge_on()[node])
    }
}

/// Vector area of the cloth between a node's neighbours.
pub fn vector_area(x: &[DVec3], [left, right, up, down]: [u32; 4], edge_on: bool) -> DVec3 {
    let across = 0.5 * (x[right as usize] - x[left as usize]);
    let upward = if edge_on { DVec3::NEG_Z } else { 0.5 * (x[up as usize] - x[down as usize]) };
    across.cross(upward)
}

/// The longest stable substep, seconds: [`rk4::STABLE`] over the cloth's greatest rate. No ω² exceeds the greatest sum of 2 k/m
/// over the springs of a node (Gershgorin 1931). Damping by `τ` makes the rate at most `ω² τ` where that exceeds ω.
pub fn max_substep(definition: &ClothDef, springs: &[ClothSpring], mass: &[f64]) -> f64 {
    let mut sums = vec![0.0; mass.len()];
    for spring in springs {
        for end in spring.ends {
            sums[end as usize] += 2.0 * spring.stiffness / mass[end as usize];
        }
    }
    let square = sums.into_iter().fold(0.0, f64::max);
    let wind = definition.wind.map(f64::from);
    let gale = MAX_AIR_SPEED + 2.0 * (wind[0].powi(2) + wind[1].powi(2) + wind[2].powi(2)).sqrt();
    let air = f64::from(definition.linear_damping)
        + 2.0 * f64::from(definition.drag_coefficient) * gale / f64::from(definition.mass);
    rk4::STABLE / (square.sqrt().max(square * f64::from(definition.damping)) + air)
}
