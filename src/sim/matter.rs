//! The list of matters that a tank can hold.
//!
//! A new matter is a folder with an implementation of [`Solver`], a line in the list below, a field of
//! [`WorldDef`](crate::sim::definition::WorldDef), an arm each where matters are built from a definition and where they take
//! on a changed one (`world/build.rs`), and an arm each where they are coupled (`coupling.rs`) and drawn (`view/field.rs`). In
//! `scene` it has a file, a line in `scene/read.rs`, and a line in `scene/parameters.rs` for its numbers. All other code
//! uses the [`Solver`], and names no matter.

use crate::sim::cloth::Cloth;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::liquid::body_contacts::LiquidCoupling;
use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::particle_liquid::{LiquidMethod, ParticleLiquid};
use crate::sim::liquid::phases::{PhaseFractions, Phases, Removable};
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::sph::Sph;
use crate::sim::particles::Particles;
use crate::sim::rigid::Bodies;
use crate::sim::solver::Solver;
use glam::Vec2;
use std::ops::{Deref, DerefMut};

macro_rules! matters {
    ($($name:ident($solver:ty) $get:ident $get_mut:ident)*) => {
        /// One of the things in a tank. It dereferences to its [`Solver`].
        // A tank has one or two of them, so the size of the larger does not matter.
        #[allow(clippy::large_enum_variant)]
        #[derive(Clone, Debug)]
        pub enum Matter {
            $(
                #[doc = concat!("See [`", stringify!($solver), "`].")]
                $name($solver),
            )*
        }

        impl Matter {
            $(
                /// Returns it as this kind of matter, if it is one.
                pub fn $get(&self) -> Option<&$solver> {
                    if let Matter::$name(solver) = self { Some(solver) } else { None }
                }

                /// The same, mutable.
                pub fn $get_mut(&mut self) -> Option<&mut $solver> {
                    if let Matter::$name(solver) = self { Some(solver) } else { None }
                }
            )*
        }

        impl Deref for Matter {
            type Target = dyn Solver;

            fn deref(&self) -> &(dyn Solver + 'static) {
                match self {
                    $(Matter::$name(solver) => solver,)*
                }
            }
        }

        impl DerefMut for Matter {
            fn deref_mut(&mut self) -> &mut (dyn Solver + 'static) {
                match self {
                    $(Matter::$name(solver) => solver,)*
                }
            }
        }
    };
}

matters! {
    Liquid(DoubleDensityLiquid) as_liquid as_liquid_mut
    Sph(Sph) as_sph as_sph_mut
    GridFluid(GridFluid) as_grid_fluid as_grid_fluid_mut
    Bodies(Bodies) as_bodies as_bodies_mut
    Cloth(Cloth) as_cloth as_cloth_mut
}

/// Queries that apply to particle liquids only.
impl Matter {
    /// Returns it as a particle liquid, if it is one.
    pub fn particle_liquid(&self) -> Option<&dyn LiquidMethod> {
        match self {
            Matter::Liquid(liquid) => Some(liquid),
            Matter::Sph(sph) => Some(sph),
            _ => None,
        }
    }

    /// The same, mutable.
    pub(super) fn particle_liquid_mut(&mut self) -> Option<&mut dyn LiquidMethod> {
        match self {
            Matter::Liquid(liquid) => Some(liquid),
            Matter::Sph(sph) => Some(sph),
            _ => None,
        }
    }

    /// Returns the same liquid without particles, for an interaction radius of `h` metres; none if it is not made of
    /// particles.
    pub(super) fn empty_copy(&self, h: f32) -> Option<Matter> {
        match self {
            Matter::Liquid(liquid) => Some(Matter::Liquid(liquid.empty_copy(h))),
            Matter::Sph(sph) => Some(Matter::Sph(sph.empty_copy(h))),
            _ => None,
        }
    }

    /// Returns its particles; they may be moved as [`ParticleLiquid::particles_mut`] allows.
    pub(super) fn particles_mut(&mut self) -> Option<&mut Particles> {
        self.particle_liquid_mut().map(|liquid| ParticleLiquid::particles_mut(liquid))
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.particle_liquid().map_or(0, |liquid| liquid.particles().len())
    }

    /// Adds a particle; it takes part from the next step on.
    pub fn add(&mut self, at: Vec2, velocity: Vec2) {
        match self {
            Matter::Liquid(liquid) => liquid.add(at, velocity),
            _ => self.add_with_phase(0, at, velocity),
        }
    }

    /// Adds a particle of the phase with this number.
    pub(super) fn add_with_phase(&mut self, phase: u8, at: Vec2, velocity: Vec2) {
        if let Some(liquid) = self.particle_liquid_mut() {
            liquid.add_with_phase(phase, at, velocity);
        }
    }

    /// Adds a particle of its gas, if it has one, and returns whether it has.
    pub(super) fn add_gas(&mut self, at: Vec2, velocity: Vec2) -> bool {
        let gases = self.particle_liquid().and_then(LiquidMethod::phases).and_then(Phases::gases);
        let Some(number) = gases.and_then(|gases| gases.iter().position(|&gas| gas)) else { return false };
        self.add_with_phase(number as u8, at, velocity);
        true
    }

    /// Removes at most `max` particles for whose position `taken` returns true, and returns their number. Without `only`
    /// it removes particles in all states.
    pub fn remove_where(&mut self, max: usize, only: Option<Removable>, mut taken: impl FnMut(Vec2) -> bool) -> usize {
        let Some(liquid) = self.particle_liquid_mut() else { return 0 };
        let mut taken = |liquid: &dyn LiquidMethod, slot: usize| {
            let p = liquid.particles();
            taken(p.position(slot)) && only.is_none_or(|only| only.includes(liquid.phases(), p.id[slot]))
        };
        let mut removed = 0;
        for slot in 0..liquid.particles().slots() {
            if removed == max {
                break;
            }
            if liquid.particles().is_alive(slot) && taken(liquid, slot) {
                liquid.remove(slot);
                removed += 1;
            }
        }
        removed
    }

    /// Sets a particle's phase fractions, by id, in a liquid of several fluids.
    pub(super) fn set_phase_fractions(&mut self, id: u32, fractions: PhaseFractions) {
        if let Matter::Liquid(liquid) = self {
            liquid.set_phase_fractions(id, fractions);
        }
    }

    /// Sets the temperature of a particle, °C, by id, if it has one.
    pub(super) fn set_temperature(&mut self, id: u32, temperature: f32) {
        if let Matter::Liquid(liquid) = self {
            liquid.set_temperature(id, temperature);
        }
    }

    /// Sets the temperature of the last added particle, °C, if it has one.
    pub(super) fn set_temperature_of_last(&mut self, temperature: f32) {
        // Added particles lie behind all rows.
        if let Some(&id) = self.particle_liquid().and_then(|liquid| liquid.particles().id.last()) {
            self.set_temperature(id, temperature);
        }
    }

    /// Sets the heat of a particle, J/kg, by id, if it has any.
    pub(super) fn set_enthalpy(&mut self, id: u32, enthalpy: f64) {
        if let Matter::Liquid(liquid) = self {
            liquid.set_enthalpy(id, enthalpy);
        }
    }

    /// Creates the springs of the start between neighbours, if the fluid has any; `stretch` gives the rest stretch by
    /// id.
    pub(super) fn create_springs(&mut self, stretch: impl Fn(u32) -> RestStretch) {
        if let Matter::Liquid(liquid) = self {
            liquid.create_stretched_springs(stretch);
        }
    }

    /// Sets the velocity of every particle by its id.
    pub(super) fn set_velocities(&mut self, velocity: impl Fn(u32) -> Vec2) {
        self.particles_mut().into_iter().for_each(|particles| particles.set_velocities(&velocity));
    }

    /// Returns it as a liquid that bodies interact with, if it is one.
    pub fn as_liquid_coupling_mut(&mut self) -> Option<LiquidCoupling<'_>> {
        self.particle_liquid_mut().map(LiquidMethod::coupling)
    }
}
