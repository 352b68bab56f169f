//! Commands that change a world between two steps.

use crate::sim::World;
use crate::sim::definition::WorldDef;
use crate::sim::forces::PointerForce;
use crate::sim::heat::HeatDef;
use crate::sim::liquid::{Liquid, PhaseDef, PhaseParams};
use crate::sim::world::build;
use crate::sim::world::inlets_outlets::InletsOutlets;
use glam::Vec2;

impl World {
    /// Turns gravity smoothly to `angle` radians from straight down.
    pub fn tilt_to(&mut self, angle: f32) {
        self.tank_motion.tilt_to(angle);
    }

    /// Changes the strength of gravity, m/s².
    pub fn set_gravity(&mut self, gravity: f32) {
        if gravity.is_finite() {
            self.wake();
            self.definition.gravity = gravity;
            self.set_params();
        }
    }

    /// Shakes the tank, so that the fluid is thrown in `direction` and comes back.
    pub fn shake(&mut self, direction: Vec2) {
        self.tank_motion.shake(direction);
    }

    /// Applies a force during the next step. One with a number that is not finite, or out of range, has no effect; only its
    /// radius may be infinite.
    pub fn add_pointer_force(&mut self, force: PointerForce) {
        if force.at.is_finite() && force.radius > 0.0 && force.kind.is_valid() {
            if force.kind.heating() != 0.0 {
                self.enable_heat();
            }
            self.pointer_forces.push(force);
        }
    }

    /// Each fluid gets the temperature at which it is poured: lava is not rock before a brush has warmed it.
    fn enable_heat(&mut self) {
        self.liquid.iter_mut().for_each(Liquid::enable_heat_by_fluid);
        if let Some(grid) = self.grid.as_mut().filter(|grid| !grid.has_temperature()) {
            grid.enable_heat(HeatDef::default(), &build::heaters_of_grid(&self.definition));
        }
        self.connect_heat();
    }

    fn connect_heat(&mut self) {
        if let (Some(liquid), Some(grid)) = (&mut self.liquid, &mut self.grid) {
            build::connect_heat(liquid, grid, &self.definition);
        }
    }

    /// Adds air above a liquid that boils in a tank without any: it carries the steam.
    pub(super) fn add_air(&mut self) {
        if self.grid.is_none()
            && self.liquid.as_ref().and_then(Liquid::heat).is_some_and(|heat| !heat.boiling.leaving.is_empty())
        {
            let mut air = build::air(&self.walls);
            self.walls.set_support_radius(air.wall_reach().max(self.walls.support_radius()));
            air.fit(&self.walls);
            self.grid = Some(air);
            self.connect_heat();
        }
    }

    /// Pours `count` more particles in, from the middle of the upper side, and cancels any remaining draining.
    pub fn pour(&mut self, count: usize) {
        // The last of a liquid may never reach the outlet.
        self.inlets_outlets.draining = 0;
        self.inlets_outlets.pouring = self.inlets_outlets.pouring.saturating_add(count);
    }

    /// The number of this fluid's phase, added where new; none without room. With a hot fluid the tank gets temperatures.
    pub fn find_or_add_phase(&mut self, phase: PhaseDef) -> Option<u8> {
        let fluid = phase.fluid.at_scale(self.scale);
        let pool = self.inlets_outlets.pool_count() > 0;
        let liquid = self.liquid.as_mut()?;
        let number = liquid.find_or_add_phase(PhaseDef { fluid: &fluid, ..phase }, pool)?;
        if liquid.heat().is_none() && liquid.phases().params.iter().any(PhaseParams::is_poured_hot) {
            self.enable_heat();
        }
        self.connect_heat();
        Some(number)
    }

    /// Drains `count` particles out, from the middle of the lower side; first those that are not yet poured.
    pub fn drain(&mut self, count: usize) {
        let undone = self.inlets_outlets.pouring.min(count);
        self.inlets_outlets.pouring -= undone;
        self.inlets_outlets.draining = self.inlets_outlets.draining.saturating_add(count - undone);
    }

    /// Pours or drains as much as it takes to fill `share` of the tank, 0 to 1.
    pub fn set_fill_level(&mut self, share: f32) {
        let Some(liquid) = self.liquid.as_ref().filter(|_| share.is_finite()) else { return };
        let size = self.size();
        let wanted = (share.clamp(0.0, 1.0) * size.x * size.y / liquid.particle_area()).round() as usize;
        self.inlets_outlets.pouring = wanted.saturating_sub(self.particles());
        self.inlets_outlets.draining = self.particles().saturating_sub(wanted);
    }

    /// Adds a fish of a species of the scene, by its number there, at a place. Returns whether there was room.
    pub fn stock(&mut self, species: usize, at: Vec2) -> bool {
        match (&mut self.life, &mut self.bodies) {
            (Some(life), Some(bodies)) => life.stock(species, at, &self.walls, bodies),
            _ => false,
        }
    }

    /// Drops a crumb of food at a place of a tank with fish.
    pub fn feed(&mut self, at: Vec2) {
        let at = at.clamp(Vec2::ZERO, self.size());
        self.life.iter_mut().filter(|_| at.is_finite()).for_each(|life| life.feed(at));
    }

    pub(super) fn show_pointer(&mut self, at: Vec2) {
        self.life.iter_mut().for_each(|life| life.show_pointer(at));
    }

    /// Removes all liquid at once.
    pub fn empty(&mut self) {
        self.wake();
        if let Some(liquid) = &mut self.liquid {
            liquid.remove_where(usize::MAX, None, |_| true);
        }
        let InletsOutlets { pouring, draining, pool_count, gas_count, .. } = &mut self.inlets_outlets;
        [pouring, draining, pool_count, gas_count].into_iter().for_each(|count| *count = 0);
        self.whitewater.specks.clear();
    }

    /// Changes grids to about `cells` cells, unless the scene prescribes a number.
    pub fn set_cells(&mut self, cells: usize) {
        if let Some(grid) = &mut self.grid {
            grid.set_cells(cells, &self.walls);
        }
    }

    /// Sets the number of threads that share a step, started when first needed, and never for fewer than
    /// [`PARALLEL_THRESHOLD`](crate::sim::PARALLEL_THRESHOLD) particles. The result has the same bits for any number.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Changes the parameters of its definition while it runs. What is no parameter applies to the next world, except the tank's area,
    /// which it gets when its shape changes.
    pub fn edit_parameters(&mut self, edit: impl FnOnce(&mut WorldDef)) {
        edit(&mut self.definition);
        self.set_params();
    }

    fn set_params(&mut self) {
        self.wake();
        self.scale = self.definition.scale().unwrap_or(self.scale);
        let Self { definition, liquid, grid, cloth, bodies, .. } = self;
        if let Some(liquid) = liquid {
            let fluid = definition.tank_fluid().at_scale(self.scale);
            if definition.sph.is_none() && fluid != *liquid.fluid() {
                liquid.set_fluid(fluid);
            }
            definition.sph.iter().for_each(|sph| liquid.set_material(sph.material));
        }
        if let (Some(grid), Some(def)) = (grid, &definition.smoke) {
            grid.set_params(def);
        }
        if let (Some(cloth), Some(def)) = (cloth, &definition.cloth) {
            cloth.set_params(def);
        }
        let inlets = self.inlets_outlets.inlets.iter_mut().zip(&definition.inlet);
        inlets.for_each(|(inlet, def)| inlet.def.speed = def.speed);
        if let Some(bodies) = bodies {
            bodies.set_materials(definition.body.iter().map(|body| &body.material));
        }
        self.update_substeps();
    }
}
