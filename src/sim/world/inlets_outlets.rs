pub mod pointer_stream;
pub mod ports;

use crate::sim::StepContext;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::clock::STEP;
use crate::sim::definition::WorldDef;
use crate::sim::forces::{PointerForce, PointerForceKind};
use crate::sim::grid_fluid::GridFluid;
use crate::sim::liquid::{Liquid, Removable, Whitewater};
use crate::sim::particles::Particles;
use crate::sim::world::inlets_outlets::pointer_stream::{PointerStream, max_particles};
use crate::sim::world::inlets_outlets::ports::{Inlet, Outlet};
use glam::Vec2;

/// Width (m) and speed (m/s) of the stream poured by key.
const HAND_TAP: (f32, f32) = (0.12, 2.0);

/// Distance below the upper side at which that stream begins, as a fraction of the tank.
const HAND_TAP_INSET: f32 = 0.08;

/// Particles that a step of pouring or draining by key counts for in a tank without a liquid.
const DYE_PER_STEP: usize = 24;

/// Rate at which that drain's mouth widens while nothing is in reach, m/s to each side: the last film does not flow.
const OUTLET_WIDENING_RATE: f32 = 3.0;

/// Factor of dyes per step of draining.
const DILUTION: f32 = 0.93;

#[derive(Clone, Debug, Default)]
pub struct InletsOutlets {
    pub(super) inlets: Vec<Inlet>,
    outlets: Vec<Outlet>,
    /// Number of particles in the pipes: removed by outlets and not yet poured.
    pub(super) pool_count: usize,
    /// The same for gas.
    pub(super) gas_count: usize,
    /// Particles that the user has still to pour in or drain out.
    pub(super) pouring: usize,
    pub(super) draining: usize,
    /// Fraction of a particle still to be drained by key.
    drain_carry: f32,
    hand_tap: Inlet,
    pointer_stream: PointerStream,
    /// Half the width of the drain beyond its mouth, metres.
    outlet_width: f32,
}

impl InletsOutlets {
    pub fn new(definition: &WorldDef, size: Vec2) -> Self {
        let mut all = Self { hand_tap: Inlet::by_hand(HAND_TAP.0, HAND_TAP.1), ..Self::default() };
        all.fit(definition, size);
        all
    }

    pub fn fit(&mut self, definition: &WorldDef, size: Vec2) {
        let others = definition.other_phases();
        self.inlets = definition.inlet.iter().map(|inlet| Inlet::from_def(inlet, size, &others)).collect();
        self.outlets = definition.outlet.iter().map(|outlet| Outlet::from_def(outlet, size)).collect();
    }

    pub fn is_open(&self) -> bool {
        self.pouring + self.draining + self.inlets.len() + self.outlets.len() > 0
    }

    pub fn pool_count(&self) -> usize {
        self.pool_count + self.gas_count
    }

    /// Without a liquid, pouring by key adds a stream of dye to the `pointer_forces`, and draining dilutes the dyes.
    pub fn run(
        &mut self,
        liquid: Option<&mut Liquid>,
        grid: Option<&mut GridFluid>,
        walls: &Walls,
        down: Vec2,
        pointer_forces: &mut Vec<PointerForce>,
    ) {
        if let Some(liquid) = liquid {
            self.pointer_stream.run(liquid, walls, pointer_forces);
            self.drain_by_hand(liquid, walls.size(), down);
        } else {
            pointer_forces.extend(self.inject_dye(walls.size(), down));
            if self.draining > 0 {
                self.draining -= self.draining.min(DYE_PER_STEP);
                grid.into_iter().for_each(|fluid| fluid.dilute(DILUTION));
            }
        }
    }

    /// Lets outlets take what they take in a step, and inlets prepare the next one.
    pub fn drain(&mut self, time: f64, liquid: &mut Liquid) {
        liquid.forget_sources();
        for outlet in &mut self.outlets {
            let taken = outlet.take(liquid);
            *(if outlet.removes.gas { &mut self.gas_count } else { &mut self.pool_count }) += taken;
        }
        let pipes = self.inlets.iter().map(|inlet| (inlet, self.pool_count)).chain([(&self.hand_tap, self.pouring)]);
        pipes.filter(|(inlet, count)| *count > 0 && !inlet.def.gas).for_each(|(inlet, _)| inlet.feed(liquid, time));
    }

    /// Runs inlets, and pouring by key, at the end of a substep: a row enters only where the one before it has left.
    pub fn pour(&mut self, time: f64, liquid: &mut Liquid, env: &StepContext, down: Vec2) {
        for inlet in &mut self.inlets {
            let count = if inlet.def.gas { &mut self.gas_count } else { &mut self.pool_count };
            inlet.pour(liquid, env.walls, time, env.dt, count);
        }
        self.hand_tap.at = far_side(env.walls.size(), -down, HAND_TAP_INSET);
        self.hand_tap.toward = down;
        if liquid.particles().len() < max_particles(liquid, env.walls.size()) {
            self.hand_tap.pour(liquid, env.walls, time, env.dt, &mut self.pouring);
        }
    }

    /// Removes the same share of the specks in each outlet as of the liquid there.
    pub fn drain_specks(&self, whitewater: &mut Whitewater, particles: &Particles) {
        for outlet in self.outlets.iter().filter(|outlet| outlet.taken > 0) {
            let inside = |at: Vec2| outlet.region.contact(at).distance < 0.0;
            let left = || particles.alive().filter(|&slot| inside(particles.position(slot))).count();
            whitewater.remove_share(inside, || outlet.taken as f32 / (outlet.taken + left()) as f32);
        }
    }

    fn drain_by_hand(&mut self, liquid: &mut Liquid, size: Vec2, down: Vec2) {
        let floor = if down.x.abs() > down.y.abs() { Vec2::Y } else { Vec2::X };
        let (middle, along) = (far_side(size, down, 0.0), self.outlet_width * floor);
        let mouth = Shape::Capsule { from: middle - along, to: middle + along, radius: HAND_TAP.0 };
        // As much as the stream by key pours.
        self.drain_carry += HAND_TAP.0 * HAND_TAP.1 * STEP / liquid.particle_area();
        let due = self.draining.min(self.drain_carry as usize);
        self.drain_carry = self.drain_carry.fract();
        let taken = liquid.remove_where(due, Some(Removable::default()), |p| mouth.contact(p).distance < 0.0);
        self.draining -= taken;
        self.outlet_width = match (self.draining, taken) {
            (0, _) => 0.0,
            (_, 0) if due > 0 => (self.outlet_width + OUTLET_WIDENING_RATE * STEP).min(size.max_element()),
            _ => self.outlet_width,
        };
    }

    fn inject_dye(&mut self, size: Vec2, down: Vec2) -> Option<PointerForce> {
        let flows = self.pouring > 0;
        self.pouring -= self.pouring.min(DYE_PER_STEP);
        let (radius, kind) = (HAND_TAP.0, PointerForceKind::Push { velocity: HAND_TAP.1 * down });
        flows.then(|| PointerForce { at: far_side(size, -down, HAND_TAP_INSET), radius, kind })
    }
}

/// Centre of the side of the tank that lies in `direction`, moved inwards by `inset` of the tank.
fn far_side(size: Vec2, direction: Vec2, inset: f32) -> Vec2 {
    size / 2.0 + direction / direction.abs().max_element() * size * (0.5 - inset)
}
