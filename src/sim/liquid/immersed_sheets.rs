//! Sheets of cloth seen edge on, as a liquid knows them.

use crate::sim::band_matrix::BandMatrix;
use glam::Vec2;

#[derive(Clone, Copy, Debug, Default)]
pub struct SheetNode {
    pub(in crate::sim) at: Vec2,
    /// m/s.
    pub(in crate::sim) velocity: Vec2,
    /// The impulse of the liquid in this substep, kg m/s.
    pub(in crate::sim) load: Vec2,
}

/// The nodes, and the threads between them.
#[derive(Clone, Debug, Default)]
pub struct ImmersedSheets {
    pub(in crate::sim) nodes: Vec<SheetNode>,
    /// The first nodes of intact threads; each leads to the node after it.
    pub(in crate::sim) threads: Vec<u32>,
    /// Half the thickness, metres.
    pub(in crate::sim) thickness: f32,
    /// The velocities of the nodes after a substep are those that this matrix makes the `momentum`, x and y node by node, kg m/s.
    pub(in crate::sim) inertia: BandMatrix,
    pub(in crate::sim) momentum: Vec<f64>,
}
