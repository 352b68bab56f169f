//! Bodies in a liquid (Clavet, Beaudoin & Poulin 2005, section 6), with conservation of momentum both ways.
//!
//! The paper lets particles into the body and throws them out with an impulse that cancels their normal velocity. At
//! rest that leaves no pressure on the body but what falls on it, and particles crowd on its outline. So here a body
//! is to the liquid what a wall is: within h the half-plane behind its surface adds to a particle's density and pushes
//! it off (see [`crate::sim::boundary::halfplane`]), and what pushes the particle pushes the body back. The sum of that
//! over the outline is the pressure's: buoyancy, and its torque, come out by themselves.
//!
//! Unlike a wall's, this half-plane is as dense as the liquid at rest, it pulls as well as it pushes, and half as
//! hard: the gradient of the energy that a particle has by its density, so that no motion draws work from it, and to
//! the liquid beside it a body is as good as more liquid: the surface meets it at a right angle. The other half is what
//! the matter behind the surface would push by its own pressures at rest: a function of the distance only, which takes
//! no part in this, and of which only the push is kept. What boxes of 0.4 m × 0.2 m of density 0.3 and 0.9 made of that
//! in 2,500 particles (share submerged, and the fastest particle beside them once all is calm):
//!
//! | half-plane | 0.3 | 0.9 | m/s |
//! |---|---|---|---|
//! | as a wall's: repels, and surface tension lifts the body out | 0.14 | 0.67 | 0.01 |
//! | as dense as liquid, pulling and pushing with the whole of its pressure | 0.28 | 0.88 | 1 |
//! | half of that, particles held at the outline where it is too weak | 0.25 | 0.85 | 0.4 |
//! | and the push at rest | 0.22 | 0.84 | 0.01 |
//! | and the half-plane set back by the boundary_offset | 0.29 | 0.92 | 0.01 |
//!
//! ```text
//! meet   bodies set out; every liquid is told where they are     Algorithm 6, lines 1–4
//!        (the liquid steps, and notes how hard each particle is pushed)
//! part   what it has pushed back goes to the bodies              lines 5–9
//!        they go on and collide with each other                  lines 10–11
//!        particles rub on them, stick to them and leave them     lines 12–15, eqs. 16 and 17
//! ```
//!
//! Written against the particle store and the grid: a liquid keeps a [`BodyContacts`], finds the particles near bodies where
//! it sums densities, and calls [`BodyContact::add_reaction`] where it moves particles.

use crate::sim::boundary::convex::Hull;
use crate::sim::boundary::{Contact, Walls};
use crate::sim::coupling::split_off;
use crate::sim::liquid::body_contacts::{BodyContact, BodyContacts, ImpulseTiming, LiquidCoupling, ParticleLiquidMut};
use crate::sim::rigid::{Bodies, Body};
use crate::sim::{Matter, StepContext};
use glam::{DMat3, DVec3, Vec2, Vec3};

/// Rate at which liquid at a body of friction 1 takes on its velocity, m/s per h.
const WET_FRICTION: f32 = 2.0;

/// Predicts the bodies and updates their shapes in every liquid.
pub fn begin_coupling(matter: &mut [Matter], env: &StepContext) {
    let Some((bodies, mut others)) = split_off(matter, Matter::as_bodies_mut) else { return };
    let mut liquid = all_liquids(&mut others);
    for liquid in liquid.iter_mut().flatten().filter(|liquid| liquid.impulse_timing == ImpulseTiming::HalfSteps) {
        liquid.apply_reaction(bodies, 0.5 * env.dt);
    }
    bodies.predict(env);
    liquid.iter_mut().flatten().for_each(|liquid| update_body_shapes(liquid.body_contacts, bodies));
}

/// Updates the bodies' shapes in every liquid, between substeps.
pub fn update_shapes(matter: &mut [Matter]) {
    let Some((bodies, others)) = split_off(matter, Matter::as_bodies_mut) else { return };
    others
        .filter_map(Matter::as_liquid_coupling_mut)
        .for_each(|liquid| update_body_shapes(liquid.body_contacts, bodies));
}

/// Copies the bodies' outlines into a liquid's contacts.
pub(in crate::sim) fn update_body_shapes(body_contacts: &mut BodyContacts, bodies: &Bodies) {
    body_contacts.update_shapes(bodies.all().iter().map(Body::hull), !bodies.is_asleep());
}

/// Returns the liquids that touch bodies, at most four: the bodies move between the passes before and after.
fn all_liquids<'a>(others: &mut impl Iterator<Item = &'a mut Matter>) -> [Option<LiquidCoupling<'a>>; 4] {
    std::array::from_fn(|_| others.by_ref().find_map(Matter::as_liquid_coupling_mut))
}

/// Applies the reactions to the bodies, moves them, and applies friction and adhesion to the particles. Returns whether
/// there are bodies.
pub fn end_coupling(matter: &mut [Matter], env: &StepContext) -> bool {
    let Some((bodies, mut others)) = split_off(matter, Matter::as_bodies_mut) else { return false };
    let mut liquid = all_liquids(&mut others);
    if bodies.is_asleep() {
        for liquid in liquid.iter_mut().flatten() {
            liquid.report_motion(bodies);
            for (number, body) in bodies.all().iter().enumerate() {
                liquid.refresh_contacts(number, body.hull());
                liquid.depenetrate(number, env.walls);
            }
        }
        return true;
    }
    for liquid in liquid.iter_mut().flatten() {
        liquid.apply_reaction(
            bodies,
            if liquid.impulse_timing == ImpulseTiming::HalfSteps { 0.5 * env.dt } else { env.dt },
        );
    }
    bodies.solve(env);
    for liquid in liquid.iter_mut().flatten() {
        for (number, body) in bodies.all_mut().iter_mut().enumerate() {
            liquid.refresh_contacts(number, body.hull());
            liquid.apply_adhesion(number, body, env.dt);
            liquid.apply_friction(number, body, env.dt);
            liquid.depenetrate(number, env.walls);
        }
        liquid.report_motion(bodies);
    }
    true
}

impl LiquidCoupling<'_> {
    /// Applies the reaction of the particles' push for `dt` seconds: the pressure on the bodies, at the recorded
    /// positions.
    fn apply_reaction(&self, bodies: &mut Bodies, dt: f32) {
        for (number, body) in bodies.all_mut().iter_mut().enumerate() {
            for contact in self.body_contacts.of(number) {
                body.apply_impulse(-self.liquid.area * contact.reaction * dt * contact.out, contact.at);
            }
        }
    }

    /// Updates distance and normal after all have moved.
    fn refresh_contacts(&mut self, number: usize, hull: &Hull) {
        for contacts in &mut self.body_contacts.contacts {
            let start = contacts.partition_point(|contact| usize::from(contact.body) < number);
            for contact in contacts[start..].iter_mut().take_while(|contact| usize::from(contact.body) == number) {
                Contact { distance: contact.distance, normal: contact.normal } =
                    hull.contact(self.liquid.particles.position(contact.slot as usize));
            }
        }
    }

    /// Eq. 17: a pull `k_stick d (1 − d/d_stick)` on particles within `d_stick` (here h), and the opposite on the body.
    fn apply_adhesion(&mut self, number: usize, body: &mut Body, dt: f32) {
        let most = 4.0 * body.material().stickiness * dt;
        if most == 0.0 {
            return;
        }
        let Self { liquid, body_contacts, .. } = self;
        for contact in body_contacts.of(number) {
            let (slot, share) = (contact.slot as usize, contact.distance / liquid.h);
            let pull = -most * (share * (1.0 - share)).max(0.0) * contact.normal;
            body.apply_impulse(-liquid.mass(slot) * pull, liquid.particles.position(slot));
            liquid.particles.set_velocity(slot, liquid.particles.velocity(slot) + pull);
        }
    }

    /// Eq. 16, `I = v_normal + μ v_tangent`: a particle inside the body loses its velocity into it, and one beside it
    /// is slowed along it. Many particles act on one body at once, so the body's change is computed first from the sum
    /// of what they require, and they then follow its new velocity: a light body in a thick liquid is carried along
    /// without shaking, whatever the step, and momentum is conserved.
    fn apply_friction(&mut self, number: usize, body: &mut Body, dt: f32) {
        let h = self.liquid.h;
        let rate = body.material().friction.min(1.0) * WET_FRICTION / h * dt;
        // The fractions of a particle's velocity, along the normal and across it, that friction removes.
        let shares = |liquid: &ParticleLiquidMut, contact: &BodyContact, relative: Vec2| {
            let into = contact.distance < -self.boundary_offset * h && relative.dot(contact.normal) < 0.0;
            let near = (1.0 - contact.distance.max(0.0) / h).powi(2);
            let slot = contact.slot as usize;
            // The rates contain the particle's mass as a factor.
            let viscous = self.viscous.get(slot).map_or(0.0, |rate| rate * liquid.area / liquid.mass(slot));
            [if into { 1.0 } else { 0.0 }, (rate * near + viscous * h * h * contact.drag).min(1.0)]
        };
        let mut answer = DMat3::from_diagonal(Vec3::new(body.mass(), body.mass(), body.inertia()).as_dvec3());
        let mut wanted = DVec3::ZERO;
        for contact in self.body_contacts.of(number) {
            let p = &*self.liquid.particles;
            let at = p.position(contact.slot as usize);
            let relative = p.velocity(contact.slot as usize) - body.velocity_at(at);
            for (share, direction) in
                shares(&self.liquid, contact, relative).into_iter().zip([contact.normal, contact.normal.perp()])
            {
                let lever = direction.extend((at - body.at).perp_dot(direction)).as_dvec3();
                let weight = f64::from(self.liquid.mass(contact.slot as usize) * share);
                let scaled = weight * lever;
                answer += DMat3::from_cols(scaled * lever.x, scaled * lever.y, scaled * lever.z);
                wanted += scaled * f64::from(relative.dot(direction));
            }
        }
        let (velocity, spin, middle) = (body.velocity, body.angular_velocity, body.at);
        let change = (answer.inverse() * wanted).as_vec3();
        body.velocity += change.truncate();
        body.angular_velocity += change.z;
        for contact in self.body_contacts.of(number) {
            let (p, slot) = (&*self.liquid.particles, contact.slot as usize);
            let (at, v) = (p.position(slot), p.velocity(slot));
            let shares = shares(&self.liquid, contact, v - velocity - spin * (at - middle).perp());
            let relative = v - body.velocity_at(at);
            let lost = [contact.normal, contact.normal.perp()].map(|direction| relative.dot(direction) * direction);
            self.liquid.particles.set_velocity(slot, v - shares[0] * lost[0] - shares[1] * lost[1]);
        }
    }

    /// Moves particles that are still inside the body out of it.
    fn depenetrate(&mut self, number: usize, walls: &Walls) {
        let (p, h) = (&mut *self.liquid.particles, self.liquid.h);
        for contact in self.body_contacts.of(number) {
            let slot = contact.slot as usize;
            let depth = -self.boundary_offset * h - contact.distance;
            if depth > 0.0 {
                p.set_position(slot, walls.project_to_free(p.position(slot) + depth * contact.normal).0);
            }
        }
    }

    /// Reports to the bodies whether something beside them moves.
    fn report_motion(&self, bodies: &mut Bodies) {
        let fast = |contact: &BodyContact| {
            self.liquid.particles.velocity(contact.slot as usize).length()
                > crate::sim::neighbors::sleep_map::SLEEP_SPEED
        };
        bodies.report_motion(self.body_contacts.contacts.iter().flatten().any(fast));
    }
}
