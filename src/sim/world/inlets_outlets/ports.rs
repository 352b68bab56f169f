//! Inlets and outlets.

use crate::sim::boundary::Walls;
use crate::sim::definition::{DropTimes, InletDef, OutletDef};
use crate::sim::liquid::Liquid;
use crate::sim::liquid::phases::{PhaseDef, Removable};
use glam::Vec2;

/// Distance to the nearest particle, as a fraction of the spacing, below which none is added: water that has fallen into
/// the mouth of a jet would throw the jet apart, at six times its speed. In a liquid at rest a quarter of all places have
/// so much room.
const ROOM: f32 = 0.45;

/// A running inlet, in metres.
#[derive(Clone, Debug)]
pub struct Inlet {
    /// Centre of its mouth, metres.
    pub at: Vec2,
    /// Unit vector of the stream.
    pub toward: Vec2,
    /// Width, metres.
    pub width: f32,
    /// Speed, m/s.
    pub speed: f32,
    /// The times of drops; none is a continuous stream.
    pub drops: Option<DropTimes>,
    /// Whether it pours the liquid's gas.
    pub gas: bool,
    /// Temperature of the stream, °C, in a tank that has one; else the tank's.
    pub temperature: Option<f32>,
    /// Whether it pours at the temperature at which its fluid is poured where `temperature` is none.
    pub is_by_hand: bool,
    /// The phase that it pours; none pours what outlets have removed.
    pub phase: Option<u8>,
    /// Length of the stream for which no particles have been added yet, metres.
    carry_over: f32,
}

impl Inlet {
    /// Creates an inlet that has poured nothing yet.
    pub fn new(at: Vec2, toward: Vec2, width: f32, speed: f32) -> Self {
        Self {
            at,
            toward: toward.normalize_or(Vec2::NEG_Y),
            width,
            speed,
            drops: None,
            gas: false,
            temperature: None,
            is_by_hand: true,
            phase: None,
            carry_over: 0.0,
        }
    }

    /// Creates the inlet of a definition, in a tank of this size (metres) with these phases beside the first.
    pub fn from_def(def: &InletDef, tank: Vec2, others: &[PhaseDef]) -> Self {
        let inlet = Self::new(Vec2::from(def.at) * tank, Vec2::from(def.toward), def.width, def.speed);
        let phase = def.number_among(others);
        Self { drops: def.drops, gas: def.gas, temperature: def.temperature, is_by_hand: false, phase, ..inlet }
    }

    /// Advances the stream by `dt` seconds from `time` on: whole rows of particles leave the mouth, one rest spacing
    /// apart, as long as `pool_count` lasts.
    pub fn pour(&mut self, liquid: &mut Liquid, walls: &Walls, time: f64, dt: f32, pool_count: &mut usize) {
        let spacing = liquid.spacing();
        let opening = self.drops.map_or(1.0, |drops| drops.opening(time));
        if opening == 0.0 {
            self.carry_over = 0.0;
            return;
        }
        self.carry_over += self.speed * dt;
        while self.carry_over >= spacing && *pool_count > 0 {
            self.carry_over -= spacing;
            let across = self.toward.perp();
            let count_per_row = ((opening * self.width / spacing) as usize).max(1);
            for number in 0..count_per_row.min(*pool_count) {
                let side = (number as f32 - 0.5 * (count_per_row - 1) as f32) * spacing;
                let (at, _) = walls.project_to_free(self.at + across * side + self.toward * self.carry_over);
                // A gas is mostly poured in below a liquid, and displaces it.
                if !self.gas && !liquid.has_room(at, ROOM) {
                    continue;
                }
                let velocity = self.toward * self.speed;
                match self.phase {
                    _ if self.gas => {
                        if !liquid.add_gas(at, velocity) {
                            return;
                        }
                    }
                    Some(phase) => liquid.add_with_phase(phase, at, velocity),
                    None => liquid.add(at, velocity),
                }
                if self.is_by_hand || self.temperature.is_some() {
                    liquid.set_temperature_of_last(self.temperature);
                }
                *pool_count -= 1;
            }
        }
        // An inlet with nothing to pour does not accumulate.
        self.carry_over = self.carry_over.min(spacing);
    }
}

/// An open outlet, in metres.
#[derive(Clone, Debug)]
pub struct Outlet {
    /// The region from which it takes particles.
    pub region: crate::sim::boundary::Shape,
    /// Rate, m² a second.
    pub rate: f32,
    /// The particles that it removes.
    pub removes: Removable,
    /// Number of particles removed in the last step.
    pub taken: usize,
    carry_over: f32,
}

impl Outlet {
    /// Creates an outlet that has removed nothing yet.
    pub fn new(region: crate::sim::boundary::Shape, rate: f32) -> Self {
        Self { region, rate, removes: Removable::default(), taken: 0, carry_over: 0.0 }
    }

    /// Creates the outlet of a definition, in a tank of this size (metres).
    pub fn from_def(def: &OutletDef, tank: Vec2) -> Self {
        Self { removes: def.removes, ..Self::new(def.region.shape(tank), def.rate) }
    }

    /// Removes as many particles of `area` m² each as its rate allows in `dt` seconds, and returns their number.
    pub fn take(&mut self, liquid: &mut Liquid, dt: f32, area: f32) -> usize {
        self.carry_over = (self.carry_over + self.rate * dt / area).min(64.0);
        let due = self.carry_over as usize;
        let taken = liquid.remove_where(due, Some(self.removes), |p| self.region.contact(p).distance < 0.0);
        self.carry_over -= taken as f32;
        self.taken = taken;
        taken
    }
}
