//! Walls and bodies as a liquid knows them: the outlines of bodies, and the particles near each. The liquid finds the contacts
//! where it sums densities, and records the force on a particle with [`BodyContact::add_reaction`].

use crate::math::direction;
use crate::sim::boundary::{Contact, Hull};
use crate::sim::neighbors::row_chunks::clear_list;
use crate::sim::neighbors::{Grid, RowChunk};
use crate::sim::particles::Particles;
use glam::{Vec2, Vec3};

#[derive(Clone, Debug, Default)]
pub struct BodyContacts {
    pub(super) hulls: Vec<Hull>,
    /// Whether any body moves or may start to move.
    awake: bool,
    /// Per chunk: the particles within reach of a body, grouped by body.
    pub(in crate::sim) contacts: Vec<Vec<BodyContact>>,
    /// The bodies as the grid of the pressure knows them.
    pub(in crate::sim) immersed: Vec<ImmersedBody>,
}

/// A body in the solve of the pressure on a grid.
#[derive(Clone, Debug, Default)]
pub struct ImmersedBody {
    /// Its outline around its centre of mass, and in the tank at the beginning of the substep.
    pub(in crate::sim) local: Hull,
    pub(in crate::sim) hull: Hull,
    pub(in crate::sim) at: Vec2,
    pub(in crate::sim) angle: f32,
    /// m/s twice, and radians a second: before the solve as predicted, with what contacts will take away again; then after it.
    pub(in crate::sim) velocity: Vec3,
    /// What contacts will take away again, m/s.
    pub(in crate::sim) held: Vec2,
    /// Area, m².
    pub(in crate::sim) area: f32,
    /// 1/m twice and 1/I; zero if it sleeps, or rests on something: nothing moves it then.
    pub(in crate::sim) inverse_mass: Vec3,
    /// The impulse of the pressure in this substep, and its moment about the centre of mass.
    pub(in crate::sim) impulse: Vec3,
    /// How far it has come to rest, from 0 to 1.
    pub(in crate::sim) restfulness: f32,
    /// The fraction of its velocity that it loses at the end of the substep because it rests.
    pub(in crate::sim) settling: f32,
    /// Whether the grid presses on it.
    pub(in crate::sim) is_carried: bool,
    /// Whether viscosity has dragged it: see `liquid/viscosity.rs`.
    pub(in crate::sim) is_dragged: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct WallContact {
    pub slot: u32,
    /// The particle's position when the contact was found.
    pub at: Vec2,
    /// Distance to the wall, metres.
    pub distance: f32,
    /// Unit vector out of the wall.
    pub normal: Vec2,
    /// Of the part of the kernel that the wall cuts off, as the method of the pressure needs them.
    pub integrals: [f32; 4],
}

#[derive(Clone, Copy, Debug, Default)]
pub struct BodyContact {
    pub slot: u32,
    pub body: u16,
    /// The particle's position when the contact was found. Push and reaction act along the normal there.
    pub(in crate::sim) at: Vec2,
    pub(in crate::sim) out: Vec2,
    /// Metres to the body's surface; negative inside.
    pub distance: f32,
    pub normal: Vec2,
    /// As those of a wall.
    pub integrals: [f32; 4],
    /// Accumulated push on the particle, m/s²: the force over the mass that the particle's area has in the first fluid.
    pub(in crate::sim) reaction: f32,
}

impl BodyContact {
    /// Adds `acceleration` (m/s²) to the push on the particle, and returns the push as a vector.
    pub fn add_reaction(&mut self, acceleration: f32) -> Vec2 {
        self.reaction += acceleration;
        acceleration * self.out
    }
}

impl BodyContacts {
    /// Copies the bodies' outlines. Reuses its memory.
    pub(in crate::sim) fn update_shapes<'a>(&mut self, outlines: impl ExactSizeIterator<Item = &'a Hull>, awake: bool) {
        self.hulls.resize_with(outlines.len(), Hull::default);
        for (hull, outline) in self.hulls.iter_mut().zip(outlines) {
            hull.place(outline, Vec2::ZERO, Vec2::X);
        }
        self.awake = awake;
    }

    /// Moves the outlines from the beginning of the substep with the velocities after the solve.
    pub(in crate::sim::liquid) fn move_outlines(&mut self, dt: f32) {
        for (hull, body) in self.hulls.iter_mut().zip(&self.immersed) {
            let is_fixed = body.inverse_mass == Vec3::ZERO;
            let at = body.at + if is_fixed { Vec2::ZERO } else { (body.velocity.truncate() - body.held) * dt };
            hull.place(&body.local, at, direction(body.angle + body.velocity.z * dt));
        }
    }

    /// The speed of the fastest body in the last substep, m/s.
    pub(in crate::sim::liquid) fn max_speed(&self) -> f32 {
        self.immersed.iter().map(|body| body.velocity.truncate().length()).fold(0.0, f32::max)
    }

    /// Whether a body that is awake is within `reach` of a place.
    pub fn is_active_near(&self, at: Vec2, reach: f32) -> bool {
        let near = |hull: &Hull| {
            let (min, max) = hull.bounds();
            at.cmpgt(min - reach).all() && at.cmplt(max + reach).all() && hull.contact_within(at, reach).is_some()
        };
        self.awake && self.hulls.iter().any(near)
    }

    /// In the order of the grid's rows, however the rows are divided into chunks, so that sums have the same bits.
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
            if let Some(Contact { distance, normal }) = hull.contact_within(at, reach) {
                let (slot, body, unset) = (slot as u32, body as u16, BodyContact::default());
                contacts.push(BodyContact { slot, body, at, out: normal, distance, normal, ..unset });
            }
        }
    }
}
