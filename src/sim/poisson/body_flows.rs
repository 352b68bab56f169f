//! Bodies in an equation of pressure, which moves the fluid and the bodies at once (C. Batty, F. Bertails, R. Bridson, "A Fast
//! Variational Framework for Accurate Solid–Fluid Coupling", SIGGRAPH 2007). The outflow of the cells by a body's motion is D · (vₓ,
//! v_y, ω), the body's impulse is Dᵀ φ, and the equations gain D M⁻¹ Dᵀ, M = (m, m, I): symmetric, and stable for any mass.

use glam::{Vec2, Vec3};

/// D of a body: the cells beside it, each with its outflow per unit of the body's velocities.
#[derive(Clone, Debug, Default)]
pub struct BodyFlows(pub Vec<(usize, Vec3)>);

impl BodyFlows {
    /// Finds them from the faces that the body covers: the cells behind and before each, and the flow that its motion makes
    /// there. `takes`: whether a cell has an equation. `flow` is zero in all cells, and stays so.
    pub fn gather(
        &mut self,
        faces: impl Iterator<Item = ([usize; 2], Vec3)>,
        takes: impl Fn(usize) -> bool,
        flow: &mut [Vec3],
    ) {
        self.0.clear();
        for ([behind, before], outflow) in faces {
            for (cell, outflow) in [(before, -outflow), (behind, outflow)] {
                if takes(cell) {
                    if flow[cell] == Vec3::ZERO {
                        self.0.push((cell, Vec3::ZERO));
                    }
                    flow[cell] += outflow;
                }
            }
        }
        // A cell whose outflow was zero in between is listed twice, and gets it once.
        self.0.iter_mut().for_each(|(cell, outflow)| *outflow = std::mem::take(&mut flow[*cell]));
    }

    /// Dᵀ φ.
    pub fn impulse(&self, phi: &[f32]) -> Vec3 {
        self.0.iter().map(|&(cell, outflow)| phi[cell] * outflow).sum()
    }

    /// `out` += D `velocity`.
    pub fn add(&self, velocity: Vec3, out: &mut [f32]) {
        for &(cell, outflow) in &self.0 {
            out[cell] += outflow.dot(velocity);
        }
    }
}

/// What a face across an axis, at `arm` from a body's centre of mass, has of the body's motion (vₓ, v_y, ω).
pub fn face_motion(axis: usize, arm: Vec2) -> Vec3 {
    if axis == 0 { Vec3::new(1.0, 0.0, -arm.y) } else { Vec3::new(0.0, 1.0, arm.x) }
}
