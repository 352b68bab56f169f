//! What a tank can hold: the one list of it.
//!
//! A new matter is a file of its own, a variant here, and an arm in `view/field.rs`; code that moves, measures or shows
//! a tank asks the verbs below and knows no matter by name.

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::cloth::Cloth;
use crate::sim::definition::WorldDef;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::liquid::body_contacts::LiquidCoupling;
use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::froude::FroudeScale;
use crate::sim::liquid::particle_liquid::{LiquidMethod, ParticleLiquid};
use crate::sim::liquid::phases::PhaseFractions;
use crate::sim::liquid::region_probe;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::sph::Sph;
use crate::sim::liquid::statistics;
use crate::sim::observer::StepObserver;
use crate::sim::particles::Particles;
use crate::sim::rigid::Bodies;
use crate::sim::statistics::Stats;
use glam::Vec2;

/// How far liquid feels obstacles, in h.
pub const WALL_REACH: f32 = 1.75;

/// One of the things in a tank.
// A tank has one or two of them, so what the larger takes more does not count.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Matter {
    Liquid(DoubleDensityLiquid),
    Sph(Sph),
    GridFluid(GridFluid),
    Bodies(Bodies),
    Cloth(Cloth),
}

impl Matter {
    /// The distance from which walls are felt, metres, if there is one.
    pub(super) fn reach(&self) -> Option<f32> {
        match self {
            Matter::Liquid(liquid) => Some(WALL_REACH * liquid.h()),
            Matter::Sph(sph) => Some(WALL_REACH * sph.h()),
            Matter::GridFluid(fluid) => Some(2.0 * fluid.grid().cell_size.max_element()),
            Matter::Bodies(_) => None,
            Matter::Cloth(cloth) => Some(cloth.reach()),
        }
    }

    /// One substep, on so many threads at the most.
    pub fn step(&mut self, env: &StepContext, threads: usize, observer: &mut impl StepObserver) {
        match self {
            Matter::Liquid(liquid) => {
                liquid.set_threads(threads);
                liquid.step(env, observer);
            }
            Matter::Sph(sph) => {
                sph.set_threads(threads);
                sph.step(env, observer);
            }
            Matter::GridFluid(fluid) => fluid.step(env, observer),
            // They set out before the others and arrive after them: see `couple/bodies.rs`.
            Matter::Bodies(_) => {}
            Matter::Cloth(cloth) => cloth.step(env, observer),
        }
    }

    /// Takes in where the walls are now.
    pub fn fit(&mut self, walls: &Walls) {
        match self {
            Matter::Liquid(liquid) => liquid.fit(walls),
            Matter::Sph(sph) => sph.fit(walls),
            Matter::GridFluid(fluid) => fluid.fit(walls),
            Matter::Bodies(bodies) => bodies.fit(walls),
            Matter::Cloth(cloth) => cloth.fit(walls),
        }
    }

    /// Takes on about `cells` cells, if it has cells and they are not the scene's own business.
    pub fn set_resolution(&mut self, cells: usize, walls: &Walls) {
        match self {
            Matter::GridFluid(fluid) if fluid.definition().cells.is_none() => fluid.set_resolution(cells, walls),
            _ => {}
        }
    }

    /// Takes on what the scene's numbers are now.
    pub fn set_params(&mut self, definition: &WorldDef, scale: FroudeScale) {
        match self {
            Matter::Liquid(liquid) => liquid.set_fluid(definition.fluid.at_scale(scale)),
            Matter::Sph(sph) => definition.sph.iter().for_each(|def| sph.set_params(def.material)),
            Matter::GridFluid(fluid) => definition.smoke.iter().for_each(|def| fluid.set_params(def)),
            Matter::Cloth(cloth) => definition.cloth.iter().for_each(|fabric| cloth.set_params(fabric)),
            Matter::Bodies(bodies) => bodies.set_materials(definition.body.iter().map(|body| &body.material)),
        }
    }

    /// None of the same liquid, to be made of particles of another interaction radius `h` (metres); nothing if it has no
    /// particles.
    pub(super) fn empty_copy(&self, h: f32) -> Option<Matter> {
        match self {
            Matter::Liquid(liquid) => Some(Matter::Liquid(liquid.empty_copy(h))),
            Matter::Sph(sph) => Some(Matter::Sph(sph.empty_copy(h))),
            Matter::GridFluid(_) | Matter::Cloth(_) | Matter::Bodies(_) => None,
        }
    }

    /// Adds a particle, if it has any; it takes part from the next step on.
    pub fn add(&mut self, at: Vec2, velocity: Vec2) {
        match self {
            Matter::Liquid(liquid) => liquid.add(at, velocity),
            _ => self.add_with_phase(0, at, velocity),
        }
    }

    /// Adds a particle of the phase with this number, if it has any.
    pub(super) fn add_with_phase(&mut self, phase: u8, at: Vec2, velocity: Vec2) {
        if let Some(liquid) = self.particle_liquid_mut() {
            liquid.add_with_phase(phase, at, velocity);
        }
    }

    /// Sets a particle's phase fractions, by id, if it is made of several.
    pub(super) fn set_color(&mut self, id: u32, tint: PhaseFractions) {
        if let Matter::Liquid(liquid) = self {
            liquid.set_color(id, tint);
        }
    }

    /// Ties neighbours with the springs that they have from the start, if it has such, and is strained as `strain`
    /// says by id.
    pub(super) fn tie(&mut self, strain: impl Fn(u32) -> RestStretch) {
        if let Matter::Liquid(liquid) = self {
            liquid.tie_strained(strain);
        }
    }

    /// Takes out the particles of which `taken` says so, at most `most` of them, and says how many that were.
    pub fn remove_where(&mut self, most: usize, mut taken: impl FnMut(Vec2) -> bool) -> usize {
        let Some(liquid) = self.particle_liquid_mut() else { return 0 };
        let mut removed = 0;
        for slot in 0..liquid.particles().slots() {
            if removed == most {
                break;
            }
            if liquid.particles().is_alive(slot) && taken(liquid.particles().position(slot)) {
                liquid.remove(slot);
                removed += 1;
            }
        }
        removed
    }

    /// The substeps, with fractions, that a fixed step of `step` seconds must be divided into under `gravity` (m/s²), in a
    /// tank of `size` metres.
    pub fn required_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32 {
        match self {
            Matter::Liquid(liquid) => liquid.required_substeps(step),
            Matter::Sph(sph) => sph.required_substeps(step, gravity, size),
            // Cloth divides its steps by itself.
            Matter::GridFluid(_) | Matter::Cloth(_) | Matter::Bodies(_) => 1.0,
        }
    }

    /// Whether nothing is faster than `speed` (m/s), or about to be.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        match self {
            Matter::Liquid(liquid) => liquid.is_slower_than(speed),
            Matter::Sph(_) => self.max_speed() < speed,
            Matter::GridFluid(fluid) => fluid.is_slower_than(speed),
            Matter::Bodies(bodies) => bodies.is_slower_than(speed),
            Matter::Cloth(cloth) => cloth.is_slower_than(speed),
        }
    }

    /// Takes all speed out.
    pub fn zero_velocities(&mut self) {
        match self {
            Matter::Liquid(liquid) => liquid.particles_mut().zero_velocities(),
            Matter::Sph(sph) => sph.particles_mut().zero_velocities(),
            Matter::GridFluid(fluid) => fluid.zero_velocities(),
            Matter::Bodies(bodies) => bodies.zero_velocities(),
            Matter::Cloth(cloth) => cloth.zero_velocities(),
        }
    }

    /// Speed of what moves fastest, m/s.
    pub fn max_speed(&self) -> f32 {
        match self {
            Matter::Liquid(liquid) => liquid.particles().max_speed(),
            Matter::Sph(sph) => sph.particles().max_speed(),
            Matter::GridFluid(fluid) => fluid.max_speed(),
            Matter::Bodies(bodies) => bodies.max_speed(),
            Matter::Cloth(cloth) => cloth.max_speed(),
        }
    }

    /// Velocity at a place, m/s, where there is any of it.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        match self {
            Matter::Liquid(_) | Matter::Sph(_) => self.particle_liquid().and_then(|liquid| liquid.velocity(at)),
            Matter::GridFluid(fluid) => Some(fluid.velocity(at)),
            Matter::Bodies(bodies) => bodies.velocity(at),
            Matter::Cloth(cloth) => cloth.velocity(at),
        }
    }

    /// Pressure at a place over the density at rest, m²/s², where that can be said; on a grid up to a constant.
    pub fn pressure(&self, at: Vec2) -> Option<f32> {
        match self {
            Matter::Liquid(_) | Matter::Sph(_) => {
                self.particle_liquid().and_then(|grains| region_probe::pressure(grains, at))
            }
            Matter::GridFluid(fluid) => Some(fluid.pressure(at)),
            Matter::Bodies(_) | Matter::Cloth(_) => None,
        }
    }

    pub fn particles(&self) -> usize {
        self.particle_liquid().map_or(0, |grains| grains.particles().len())
    }

    /// Number of particles that are not asleep.
    pub fn awake(&self) -> usize {
        match self {
            Matter::Liquid(liquid) => liquid.awake(),
            Matter::Sph(sph) => sph.particles().len(),
            Matter::GridFluid(_) | Matter::Cloth(_) | Matter::Bodies(_) => 0,
        }
    }

    /// Measures it, under `gravity` (m/s²) in a tank of `size` metres.
    pub fn stats(&self, gravity: Vec2, size: Vec2) -> Stats {
        match self {
            Matter::Liquid(liquid) => statistics::measure(liquid, gravity, size),
            Matter::Sph(sph) => statistics::measure(sph, gravity, size),
            Matter::GridFluid(fluid) => fluid.stats(),
            Matter::Bodies(bodies) => bodies.stats(gravity),
            Matter::Cloth(cloth) => cloth.stats(gravity),
        }
    }

    /// What there is to say of it beside its particles.
    pub fn describe(&self, gravity: Vec2) -> Vec<(&'static str, String)> {
        match self {
            Matter::Cloth(cloth) => cloth.describe(gravity),
            Matter::GridFluid(fluid) => fluid.describe(),
            _ => Vec::new(),
        }
    }

    /// It as a liquid made of particles, if it is one.
    pub fn particle_liquid(&self) -> Option<&dyn LiquidMethod> {
        match self {
            Matter::Liquid(liquid) => Some(liquid),
            Matter::Sph(sph) => Some(sph),
            _ => None,
        }
    }

    pub(super) fn particle_liquid_mut(&mut self) -> Option<&mut dyn LiquidMethod> {
        match self {
            Matter::Liquid(liquid) => Some(liquid),
            Matter::Sph(sph) => Some(sph),
            _ => None,
        }
    }

    /// Its particles, to be moved as [`ParticleLiquid::particles_mut`] allows.
    pub(super) fn particles_mut(&mut self) -> Option<&mut Particles> {
        self.particle_liquid_mut().map(|liquid| ParticleLiquid::particles_mut(liquid))
    }

    /// Gives every particle the velocity that is meant for its id.
    pub(super) fn set_velocities(&mut self, velocity: impl Fn(u32) -> Vec2) {
        self.particles_mut().into_iter().for_each(|particles| particles.set_velocities(&velocity));
    }

    pub fn as_liquid(&self) -> Option<&DoubleDensityLiquid> {
        if let Matter::Liquid(liquid) = self { Some(liquid) } else { None }
    }

    pub fn as_liquid_mut(&mut self) -> Option<&mut DoubleDensityLiquid> {
        if let Matter::Liquid(liquid) = self { Some(liquid) } else { None }
    }

    pub fn as_sph(&self) -> Option<&Sph> {
        if let Matter::Sph(sph) = self { Some(sph) } else { None }
    }

    pub fn as_grid_fluid(&self) -> Option<&GridFluid> {
        if let Matter::GridFluid(fluid) = self { Some(fluid) } else { None }
    }

    pub fn as_grid_fluid_mut(&mut self) -> Option<&mut GridFluid> {
        if let Matter::GridFluid(fluid) = self { Some(fluid) } else { None }
    }

    pub fn as_bodies(&self) -> Option<&Bodies> {
        if let Matter::Bodies(bodies) = self { Some(bodies) } else { None }
    }

    pub fn as_bodies_mut(&mut self) -> Option<&mut Bodies> {
        if let Matter::Bodies(bodies) = self { Some(bodies) } else { None }
    }

    pub fn as_cloth(&self) -> Option<&Cloth> {
        if let Matter::Cloth(cloth) = self { Some(cloth) } else { None }
    }

    pub fn as_cloth_mut(&mut self) -> Option<&mut Cloth> {
        if let Matter::Cloth(cloth) = self { Some(cloth) } else { None }
    }

    /// What can make bodies wet.
    pub fn as_liquid_coupling_mut(&mut self) -> Option<LiquidCoupling<'_>> {
        self.particle_liquid_mut().map(LiquidMethod::coupling)
    }
}
