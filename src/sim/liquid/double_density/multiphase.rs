//! The liquid as a mixture of several fluids, each with a mass and a viscosity of its own.

use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::phases::{PhaseDef, PhaseFractions, Phases};

impl DoubleDensityLiquid {
    /// Adds a phase and returns its number. Rest density, stiffness and the response of walls are those of the first
    /// phase.
    pub fn add_phase(&mut self, phase: PhaseDef) -> u8 {
        self.phases.add(phase.fluid.phase, phase.label)
    }

    /// Returns the number of a phase for particles that are poured in while the liquid flows, adding it where it is
    /// new; none if all phases are taken.
    pub fn find_or_add_phase(&mut self, phase: PhaseDef) -> Option<u8> {
        self.wake();
        self.phases.find_or_add(phase, self.base.particles())
    }

    /// Its phases, and the phase of each particle.
    pub fn phases(&self) -> &Phases {
        &self.phases
    }

    /// Sets a particle's phase fractions, by id.
    pub(in crate::sim) fn set_phase_fractions(&mut self, id: u32, fractions: PhaseFractions) {
        self.phases.set_fractions(id, fractions);
    }

    /// With several fluids: multiplies pressures by the particle's mass.
    pub(super) fn scale_by_mass(&mut self) {
        let pressures = [&mut self.pressure, &mut self.near_pressure];
        if let Some(stiffness) = self.phases.stiffness_with_gas() {
            for pressure in pressures {
                let phases = self.phases.phase.iter();
                pressure.iter_mut().zip(phases).for_each(|(pressure, phase)| *pressure *= stiffness[*phase as usize]);
            }
            return;
        }
        for pressure in pressures {
            pressure.iter_mut().zip(&self.phases.mass).for_each(|(pressure, mass)| *pressure *= mass);
        }
    }

    /// With several fluids: the sums are impulses; dividing them by the mass gives displacements.
    pub(super) fn divide_by_mass(&mut self) {
        if !self.phases.is_single_phase() {
            for moved in [&mut self.dx, &mut self.dy] {
                moved.iter_mut().zip(&self.phases.mass).for_each(|(moved, mass)| *moved /= mass);
            }
        }
    }
}
