//! Bodies that a grid carries, in the stages of viscosity: otherwise their drag would be limited to the momentum of the particles
//! beside them. A stage is implicit in a body's velocity, so that bodies need no stages of their own.

use crate::sim::liquid::{BodyContact, BodyContacts, ImmersedBody, ParticleStore};
use crate::sim::particles::Particles;
use crate::sim::runge_kutta_legendre::RklStage;
use glam::{DMat3, DVec3, Vec2, Vec3};

/// Particles of which a body has the mass, at least, to take part. The velocity of a lighter one alternated from substep to substep
/// between its pressure and its drag; the coupling drags it, at most as much as the particles beside it.
const MIN_PARTICLES: f32 = 4.0;

/// Velocities are m/s twice and radians a second; masses are in those of a particle of the first fluid.
#[derive(Clone, Copy, Debug)]
struct DraggedBody {
    /// Its velocity before the first stage, and before the last one.
    initial: Vec3,
    before: Vec3,
    /// Its mass twice, and its moment of inertia.
    inertia: DVec3,
    /// In a substep: the drag for each component of its velocity, and that of the particles' velocities.
    drag: DMat3,
    pull: DVec3,
}

#[derive(Clone, Debug, Default)]
pub(super) struct DraggedBodies(Vec<DraggedBody>);

impl DraggedBodies {
    /// Prepares the bodies, and returns the largest drag of a particle by one in the step. `rates` are w dt/h² by slot.
    pub fn begin(&mut self, rates: &[f32], first_mass: f32, store: &mut ParticleStore) -> f32 {
        let ParticleStore { body_contacts, grid, particles: p, h, .. } = store;
        let BodyContacts { contacts, immersed, .. } = body_contacts;
        contacts.resize(grid.chunks.len(), Vec::new());
        self.0.clear();
        self.0.extend(immersed.iter_mut().map(|body| {
            let inverse_mass = first_mass * body.inverse_mass;
            body.is_dragged = MIN_PARTICLES * inverse_mass.x < 1.0;
            let (drag, pull) = (DMat3::ZERO, DVec3::ZERO);
            let inertia = inverse_mass.as_dvec3().recip();
            DraggedBody { initial: body.velocity, before: body.velocity, inertia, drag, pull }
        }));
        let mut largest = 0f32;
        for contact in contacts.iter().flatten() {
            let Some(body) = dragged(contact, immersed) else { continue };
            let (along, rate) = (lever(contact, body, p), drag(contact, rates, *h));
            let (scaled, along) = ((rate * along).as_dvec3(), along.as_dvec3());
            let matrix = &mut self.0[usize::from(contact.body)].drag;
            *matrix += DMat3::from_cols(scaled * along.x, scaled * along.y, scaled * along.z);
            largest = largest.max(rate);
        }
        largest
    }

    /// A stage of the bodies' velocities, with those of the particles before it.
    pub fn stage(&mut self, stage: RklStage, rates: &[f32], store: &mut ParticleStore) {
        let ParticleStore { body_contacts, particles: p, h, .. } = store;
        let BodyContacts { contacts, immersed, .. } = body_contacts;
        self.0.iter_mut().for_each(|it| it.pull = DVec3::ZERO);
        for contact in contacts.iter().flatten() {
            let Some(body) = dragged(contact, immersed) else { continue };
            let pull = drag(contact, rates, *h) * particle_speed(contact, body, p) * lever(contact, body, p);
            self.0[usize::from(contact.body)].pull += pull.as_dvec3();
        }
        for (body, it) in immersed.iter_mut().zip(&mut self.0).filter(|(body, _)| moves(body)) {
            let (before, change) = (std::mem::replace(&mut it.before, body.velocity), f64::from(stage.change));
            let onward = body.velocity + stage.onward * (body.velocity - before);
            let matrix = DMat3::from_diagonal(it.inertia) + change * it.drag;
            body.velocity = (matrix.inverse() * (it.inertia * onward.as_dvec3() + change * it.pull)).as_vec3();
        }
    }

    /// Adds what the stages have changed to the bodies' impulses.
    pub fn end(&self, bodies: &mut [ImmersedBody]) {
        for (body, it) in bodies.iter_mut().zip(&self.0).filter(|(body, _)| moves(body)) {
            body.impulse += (body.velocity - it.initial) / body.inverse_mass;
        }
    }
}

/// What a body takes from the velocity of a particle beside it, in masses of one of the first fluid, m/s.
pub(super) fn loss(contact: &BodyContact, bodies: &[ImmersedBody], rates: &[f32], h: f32, p: &Particles) -> Vec2 {
    let Some(body) = dragged(contact, bodies) else { return Vec2::ZERO };
    let speed = particle_speed(contact, body, p) - body.velocity.dot(lever(contact, body, p));
    drag(contact, rates, h) * speed * contact.normal.perp()
}

/// A body that sleeps drags, and is not dragged.
fn moves(body: &ImmersedBody) -> bool {
    body.is_dragged && body.inverse_mass.x > 0.0
}

fn dragged<'a>(contact: &BodyContact, bodies: &'a [ImmersedBody]) -> Option<&'a ImmersedBody> {
    bodies.get(usize::from(contact.body)).filter(|body| body.is_dragged)
}

fn drag(contact: &BodyContact, rates: &[f32], h: f32) -> f32 {
    rates[contact.slot as usize] * (h * h) * contact.integrals[2]
}

/// The direction along a body at a particle, and the moment of a unit force there.
fn lever(contact: &BodyContact, body: &ImmersedBody, p: &Particles) -> Vec3 {
    let along = contact.normal.perp();
    along.extend((p.position(contact.slot as usize) - body.at).perp_dot(along))
}

/// A particle's velocity along a body, as the body's own is counted.
fn particle_speed(contact: &BodyContact, body: &ImmersedBody, p: &Particles) -> f32 {
    (p.velocity(contact.slot as usize) + body.held).dot(contact.normal.perp())
}
