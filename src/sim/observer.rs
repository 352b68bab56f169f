//! Observation of the passes of a step. The simulation has no clock; an observer that measures time brings one.

/// The named passes of a substep, in order: those of a liquid, then those that only a grid has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Forces, which change velocities.
    Forces,
    /// Motion by the velocity.
    Advance,
    /// Yielding and forces of springs.
    Springs,
    /// The sort into the neighbour grid.
    Sort,
    /// Densities.
    Density,
    /// Displacements by pressure and impulses by viscosity.
    Relax,
    /// Friction of walls, and the bounce off them.
    Walls,
    /// Diffusion of velocities, of heat, or of fractions between phases.
    Diffuse,
    /// The projection to a flow without divergence.
    Project,
    /// Dyes on the grid.
    Dye,
    /// The springs of a cloth.
    Cloth,
    /// The couplings of matters.
    Couple,
    /// The world around the matter: tilt, inlets and outlets, a change of the tank's shape.
    World,
}

impl Pass {
    /// All passes, in order.
    pub const ALL: [Pass; 13] = [
        Pass::Forces,
        Pass::Advance,
        Pass::Springs,
        Pass::Sort,
        Pass::Density,
        Pass::Relax,
        Pass::Walls,
        Pass::Diffuse,
        Pass::Project,
        Pass::Dye,
        Pass::Cloth,
        Pass::Couple,
        Pass::World,
    ];

    /// Its name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Forces => "forces",
            Pass::Advance => "advance",
            Pass::Springs => "springs",
            Pass::Sort => "sort",
            Pass::Density => "density",
            Pass::Relax => "relax",
            Pass::Walls => "walls",
            Pass::Diffuse => "diffuse",
            Pass::Project => "project",
            Pass::Dye => "dye",
            Pass::Cloth => "cloth",
            Pass::Couple => "couple",
            Pass::World => "world",
        }
    }
}

/// An observer of the passes of a step, called on the thread that runs the step.
pub trait StepObserver: Send {
    /// Called when `pass` has just ended, and the next one begins.
    fn pass_finished(&mut self, pass: Pass);
}

/// Observes nothing.
impl StepObserver for () {
    fn pass_finished(&mut self, _: Pass) {}
}
