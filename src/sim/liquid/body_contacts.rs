//! What a liquid of particles knows of the bodies in it: their outlines, and the particles near each.
//!
//! The liquid finds them where it sums densities and notes what it pushes with [`BodyContact::add_reaction`] where it
//! moves particles; `coupling/liquid_bodies.rs` hands the reaction to the bodies.

use crate::sim::boundary::Contact;
use crate::sim::boundary::convex::Hull;
use crate::sim::liquid::phases::Phases;
use crate::sim::neighbors::Grid;
use crate::sim::neighbors::row_chunks::{PerChunk, RowChunk, clear_list};
use crate::sim::particles::Particles;
use glam::Vec2;

/// What a matter of particles knows of the bodies in the tank.
#[derive(Clone, Debug, Default)]
pub struct BodyContacts {
    hulls: Vec<Hull>,
    /// Whether the bodies move, or may.
    awake: bool,
    /// For each chunk: the particles within reach, body by body.
    pub(in crate::sim) contacts: Vec<Vec<BodyContact>>,
}

/// A particle near a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyContact {
    /// The particle's slot.
    pub slot: u32,
    /// The body's number.
    pub body: u16,
    /// Where it was when it was found, and the normal there: what it was pushed along, wherever it has gone since. (With
    /// the normal of where it has got to, half of the reaction went another way than the push: a drop with a box in it
    /// drove itself on.)
    pub(in crate::sim) at: Vec2,
    pub(in crate::sim) out: Vec2,
    /// Metres to the body's surface; negative inside.
    pub distance: f32,
    /// Out of the body.
    pub normal: Vec2,
    /// What pushes it off, before its own pressures are known.
    pub push: f32,
    /// The same of the near-pressure.
    pub near_push: f32,
    /// What a viscosity is times that drags it along.
    pub drag: f32,
    /// How hard it is pushed, m/s²: the force over the mass that its area has of the first of the liquid's fluids.
    pub(in crate::sim) reaction: f32,
}

impl BodyContact {
    /// Notes that the particle is pushed off the body, so hard (m/s²) more, and says which way.
    pub fn add_reaction(&mut self, acceleration: f32) -> Vec2 {
        self.reaction += acceleration;
        acceleration * self.out
    }
}

impl BodyContacts {
    /// Takes in where the bodies are. Reuses its memory.
    pub(in crate::sim) fn update_shapes<'a>(&mut self, outlines: impl ExactSizeIterator<Item = &'a Hull>, awake: bool) {
        self.hulls.resize_with(outlines.len(), Hull::default);
        for (hull, outline) in self.hulls.iter_mut().zip(outlines) {
            hull.place(outline, Vec2::ZERO, Vec2::X);
        }
        self.awake = awake;
    }

    /// Where the bodies are, and the list of contacts of each of so many chunks, to be shared among threads.
    pub fn lists(&mut self, chunks: usize) -> (&[Hull], PerChunk<'_, Vec<BodyContact>>) {
        self.contacts.resize(chunks, Vec::new());
        (&self.hulls, PerChunk(&mut self.contacts))
    }

    /// Whether a body that is awake is within `reach` of a place.
    pub fn is_active_near(&self, at: Vec2, reach: f32) -> bool {
        let near = |hull: &Hull| {
            let (min, max) = hull.bounds();
            at.cmpgt(min - reach).all() && at.cmplt(max + reach).all() && hull.contact(at).distance < reach
        };
        self.awake && self.hulls.iter().any(near)
    }

    /// The contacts of one body, in the order of the grid's rows, however they are divided into chunks: so sums over them
    /// are the same bits on any number of threads.
    pub(in crate::sim) fn of(&self, body: usize) -> impl Iterator<Item = &BodyContact> + Clone {
        self.contacts.iter().flat_map(move |contacts| {
            let start = contacts.partition_point(|contact| usize::from(contact.body) < body);
            contacts[start..].iter().take_while(move |contact| usize::from(contact.body) == body)
        })
    }
}

/// Lists the particles of a chunk that are within `reach` metres of a body, body by body.
pub(super) fn find(
    hulls: &[Hull],
    grid: &Grid,
    chunk: &RowChunk,
    p: &Particles,
    reach: f32,
    contacts: &mut Vec<BodyContact>,
) {
    if hulls.is_empty() {
        contacts.clear();
    } else {
        clear_list(contacts, chunk);
    }
    for (body, hull) in hulls.iter().enumerate() {
        let (min, max) = hull.bounds();
        for slot in grid.slots_in_box(chunk, min - reach, max + reach) {
            let at = p.position(slot);
            let Contact { distance, normal } = hull.contact(at);
            if distance < reach {
                let (slot, body) = (slot as u32, body as u16);
                let (push, near_push, drag, reaction) = (0.0, 0.0, 0.0, 0.0);
                let out = normal;
                contacts.push(BodyContact { slot, body, at, out, distance, normal, push, near_push, drag, reaction });
            }
        }
    }
}

/// A liquid of particles, as bodies see it.
pub struct LiquidCoupling<'a> {
    /// The particles near each body.
    pub body_contacts: &'a mut BodyContacts,
    /// The particles.
    pub liquid: ParticleLiquidMut<'a>,
    /// When its forces act.
    pub impulse_timing: ImpulseTiming,
    /// How far behind a body's surface the half-plane begins, in h. Particles keep off it, by what would be half a spacing
    /// between them; with this the body's outline lies in the middle between its liquid and what it displaces, and
    /// Archimedes' law holds. A particle is inside the body when it is deeper than that.
    pub boundary_offset: f32,
    /// For each slot the viscosity that drags it along, as [`viscosity`] has it; nothing where there is none.
    ///
    /// [`viscosity`]: crate::sim::liquid::double_density::viscosity
    pub viscous: &'a [f32],
}

/// When the liquid's forces change the velocities of its particles. The bodies get the opposite impulses at the same time and
/// over the same duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpulseTiming {
    /// In the substep in which they are found, for the whole of it.
    FullStep,
    /// By leap-frog: for half of the substep in which they are found, and for half of the next.
    HalfSteps,
}

/// The same liquid, for couplings that move its particles.
#[derive(Debug)]
pub struct ParticleLiquidMut<'a> {
    /// The store.
    pub particles: &'a mut Particles,
    /// Its phases and the phase of each particle, if it may have several.
    pub phases: Option<&'a Phases>,
    /// Interaction radius, metres.
    pub h: f32,
    /// Distance between neighbours at rest, metres.
    pub spacing: f32,
    /// The area that one particle stands for, m².
    pub area: f32,
}

impl ParticleLiquidMut<'_> {
    /// Mass of the particle in a slot, a square metre of the first fluid having mass 1.
    #[inline]
    pub fn mass(&self, slot: usize) -> f32 {
        self.area * self.phases.map_or(1.0, |phases| phases.mass_of(self.particles.id[slot]))
    }
}
