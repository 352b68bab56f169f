use crate::sim::boundary::Walls;
use crate::sim::clock::STEP;
use crate::sim::definition::{InletDef, OutletDef, number_among};
use crate::sim::liquid::{Liquid, PhaseDef, Removable};
use glam::Vec2;

/// Distance from an outlet, in h, from which it draws liquid on a grid when it lacks some: it may be smaller than a cell.
const DRAWN_WITHIN: f32 = 0.5;

/// Distance from the mouth, in spacings, within which everything moves at the speed of the stream, as before a piston.
const PISTON: f32 = 0.9;

#[derive(Clone, Debug, Default)]
pub struct Inlet {
    pub def: InletDef,
    /// Centre of its mouth, metres.
    pub at: Vec2,
    /// Unit vector of the stream.
    pub toward: Vec2,
    /// It pours at the temperature at which its fluid is poured where its definition has none.
    is_by_hand: bool,
    /// The phase that it pours; none pours what outlets have removed.
    phase: Option<u8>,
    /// For each place in a row: length of the stream for which no particle has been added yet, metres.
    carry_over: Vec<f32>,
}

impl Inlet {
    /// An inlet of the user, of this width (metres) and speed (m/s).
    pub fn by_hand(width: f32, speed: f32) -> Self {
        Self { def: InletDef { width, speed, ..InletDef::default() }, is_by_hand: true, ..Self::default() }
    }

    /// The inlet of a definition, in a tank of this size (metres) with these phases beside the first.
    pub fn from_def(def: &InletDef, tank: Vec2, others: &[PhaseDef]) -> Self {
        let toward = Vec2::from(def.toward).normalize_or(Vec2::NEG_Y);
        let phase = number_among(&def.fluid, &def.fluid_label, others);
        Self { def: def.clone(), at: Vec2::from(def.at) * tank, toward, phase, ..Self::default() }
    }

    /// The width that is open, metres, the number of places in a row, and these places.
    fn mouth(&self, spacing: f32, time: f64) -> (f32, usize, impl Fn(usize) -> Vec2 + use<>) {
        let width = self.def.width * self.def.drops.map_or(1.0, |drops| drops.opening(time));
        let count = (width / spacing).round().max(1.0);
        let (at, across) = (self.at, self.toward.perp() * width);
        (width, count as usize, move |number| at + across * ((number as f32 + 0.5) / count - 0.5))
    }

    /// Tells the pressure what the stream is to bring in a step: in its mouth below the surface nothing else makes room for it.
    pub fn feed(&self, liquid: &mut Liquid, time: f64) {
        let (width, count, place) = self.mouth(liquid.spacing(), time);
        (0..count).for_each(|number| liquid.feed(place(number), self.def.speed * width / count as f32));
    }

    /// Rows as far apart as makes the stream's area that of its particles. A particle without room waits.
    pub fn pour(&mut self, liquid: &mut Liquid, walls: &Walls, time: f64, dt: f32, pool_count: &mut usize) {
        let spacing = liquid.spacing();
        let (width, count_per_row, place) = self.mouth(spacing, time);
        // As many places as there are in the widest row, so that drops that widen allocate nothing.
        let most = (self.def.width / spacing).round().max(1.0) as usize;
        self.carry_over.reserve(most.saturating_sub(self.carry_over.len()));
        if width == 0.0 {
            self.carry_over.fill(0.0);
            return;
        }
        let row_spacing = count_per_row as f32 * spacing * spacing / width;
        self.carry_over.resize(count_per_row, 0.0);
        let velocity = self.toward * self.def.speed;
        for (number, carry_over) in self.carry_over.iter_mut().enumerate() {
            let place = place(number);
            if *pool_count > 0 {
                liquid.push_out(place, PISTON, velocity);
            }
            *carry_over += self.def.speed * dt;
            while *carry_over >= row_spacing && *pool_count > 0 {
                let (at, _) = walls.end_of_way(place, place + self.toward * (*carry_over - row_spacing));
                if !liquid.has_room(at, liquid.clearance()) {
                    break;
                }
                *carry_over -= row_spacing;
                match self.phase {
                    _ if self.def.gas => {
                        if !liquid.add_gas(at, velocity) {
                            return;
                        }
                    }
                    Some(phase) => liquid.add_with_phase(phase, at, velocity),
                    None => liquid.add(at, velocity),
                }
                if self.is_by_hand || self.def.temperature.is_some() {
                    liquid.set_temperature_of_last(self.def.temperature);
                }
                *pool_count -= 1;
            }
            // An inlet with nothing to pour does not accumulate.
            *carry_over = carry_over.min(row_spacing);
        }
    }
}

#[derive(Clone, Debug)]
pub struct Outlet {
    pub region: crate::sim::boundary::Shape,
    pub rate: f32,
    pub removes: Removable,
    /// Number of particles removed in the last step.
    pub taken: usize,
    carry_over: f32,
}

impl Outlet {
    /// The outlet of a definition, in a tank of this size (metres), that has removed nothing yet.
    pub fn from_def(def: &OutletDef, tank: Vec2) -> Self {
        Self { region: def.region.shape(tank), rate: def.rate, removes: def.removes, taken: 0, carry_over: 0.0 }
    }

    /// Removes as many particles as its rate allows in a step, and returns their number.
    pub fn take(&mut self, liquid: &mut Liquid) -> usize {
        self.carry_over += self.rate * STEP / liquid.particle_area();
        let due = self.carry_over as usize;
        let taken = liquid.remove_where(due, Some(self.removes), |p| self.region.contact(p).distance < 0.0);
        // What it lacks in one step it does not make up for in a later one.
        self.carry_over = (self.carry_over - taken as f32).min(1.0);
        self.taken = taken;
        let lack = due.saturating_sub(taken);
        if lack > 0 && liquid.is_on_grid() {
            let reach = DRAWN_WITHIN * liquid.h();
            let rate = lack as f32 * liquid.particle_area() / STEP;
            liquid.draw_within(rate, reach, |p| self.region.contact(p).distance);
        }
        taken
    }
}
