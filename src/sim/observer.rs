//! Observation of the passes of a step. The simulation has no clock; an observer that measures time brings one.

named! {
    /// The named passes of a substep, in order: those of a liquid, then those that only a grid has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Pass {
        /// Gravity, forces and the transport of particles.
        Advance => "advance",
        /// Springs of viscoelastic fluids.
        Springs => "springs",
        /// The sort of particles into cells.
        Sort => "sort",
        /// Densities, and the neighbours that they are found with.
        Density => "density",
        /// Displacements by pressure and impulses by viscosity.
        Relax => "relax",
        /// Friction of walls, and the bounce off them.
        Walls => "walls",
        /// Diffusion of heat, or of fractions between phases.
        Diffuse => "diffuse",
        /// Advection of a grid's velocities.
        Advect => "advect",
        /// Forces on a grid, and its viscosity.
        Forces => "forces",
        /// The pressure that makes a grid's velocities divergence-free.
        Project => "project",
        /// Transport and decay of a grid's dyes.
        Dye => "dye",
        /// The steps of cloth.
        Cloth => "cloth",
        /// What matters exchange: momentum and heat.
        Couple => "couple",
        /// The world around the matter: tilt, inlets and outlets, a change of the tank's shape.
        World => "world",
    }
}

impl Pass {
    /// The passes that only a grid has.
    pub const OF_GRID: [Self; 4] = [Self::Advect, Self::Forces, Self::Project, Self::Dye];
}

/// An observer of the passes of a step, called on the thread that runs the step.
pub trait StepObserver: Send {
    /// Called when `pass` has just ended, and the next one begins.
    fn pass_finished(&mut self, pass: Pass);
}

impl StepObserver for () {
    fn pass_finished(&mut self, _: Pass) {}
}
