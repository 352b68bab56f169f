//! Bodies in a liquid (Clavet, Beaudoin & Poulin 2005, section 6). The paper expels particles from a body; here the half-plane
//! behind its surface pushes them off within h ([`crate::sim::boundary::halfplane`]), and the opposite push acts on the body:
//! half is the gradient of the particle's energy, which pulls as well, half the push at rest. See docs/physics.md.

use crate::math::direction;
use crate::sim::StepContext;
use crate::sim::boundary::{Contact, Hull, Walls};
use crate::sim::liquid::{BodyContact, ImmersedBody, Liquid};
use crate::sim::neighbors::SLEEP_SPEED;
use crate::sim::rigid::{Bodies, Body};
use glam::{DMat3, DVec3, Vec2, Vec3};

/// Rate at which liquid at a body of friction 1 takes on its velocity, m/s per h.
const WET_FRICTION: f32 = 2.0;

/// Where a grid carries the liquid, the friction beside a body at rest in units of that, along the outline and across it.
const FILM: f32 = 3.0;

/// Half of the width of a slit too narrow for liquid, what a particle in one moves in a substep, and how far it looks for room, in
/// h.
const SLIT: f32 = 0.12;
const SQUEEZE: f32 = 0.1;
const LOOK_AHEAD: f32 = 0.5;

/// The largest velocity that contacts took from a body in the last substep and are expected to take again, m/s.
const MAX_HELD: f32 = 0.2;

/// The part of its weight from which on contacts support a body at rest: the pressure meets it as a wall.
const SUPPORTED: f32 = 0.03;

/// The fraction of a change of it that is expected to last: a crowd of bodies would amplify its noise.
const FOLLOWED: f32 = 0.2;

/// `weight`: what gravity adds to velocities in a substep, m/s.
pub fn update_shapes(liquid: &mut Liquid, bodies: &Bodies, weight: f32) {
    let outlines = bodies.all.iter().map(|body| &body.hull);
    let is_on_grid = liquid.is_on_grid();
    let body_contacts = &mut liquid.store.body_contacts;
    body_contacts.update_shapes(outlines, !bodies.is_asleep());
    if !is_on_grid {
        body_contacts.immersed.clear();
        return;
    }
    body_contacts.immersed.resize_with(bodies.all.len(), ImmersedBody::default);
    for (immersed, body) in body_contacts.immersed.iter_mut().zip(&bodies.all) {
        immerse(immersed, body, bodies.is_asleep(), weight);
    }
}

/// Prepares a body for the solve of the pressure on a grid.
fn immerse(immersed: &mut ImmersedBody, body: &Body, is_asleep: bool, weight: f32) {
    let (at, angle) = if is_asleep { (body.at, body.angle) } else { body.start_pose };
    immersed.local.place(&body.local, Vec2::ZERO, Vec2::X);
    immersed.hull.place(&body.local, at, direction(angle));
    (immersed.at, immersed.angle) = (at, angle);
    let held = body.contact_delta_v.clamp_length_max(MAX_HELD);
    immersed.held += FOLLOWED * (held - immersed.held);
    let velocity = (body.velocity + immersed.held).extend(body.angular_velocity);
    immersed.restfulness = body.restfulness();
    immersed.area = body.mass / body.material.density;
    let inverse_mass = 1.0 / Vec3::new(body.mass, body.mass, body.inertia);
    let is_supported = body.restfulness() >= 1.0 && immersed.held.length() > SUPPORTED * weight;
    // Free, it would move the liquid in the solve, and contacts would stop it after that: the liquid would never rest.
    (immersed.velocity, immersed.inverse_mass) =
        if is_asleep || is_supported { (Vec3::ZERO, Vec3::ZERO) } else { (velocity, inverse_mass) };
    (immersed.impulse, immersed.is_carried, immersed.settling) = (Vec3::ZERO, false, 0.0);
    immersed.is_dragged = false;
}

/// Moves the bodies by the reactions (Algorithm 6, lines 5 to 11); friction and adhesion act on particles (12 to 15).
pub fn end_coupling(liquid: &mut Liquid, bodies: &mut Bodies, env: &StepContext) {
    let is_asleep = bodies.is_asleep();
    if !is_asleep {
        liquid.apply_reaction(bodies, if liquid.is_sph() { 0.5 * env.dt } else { env.dt });
        bodies.solve(env);
    }
    for (number, body) in bodies.all.iter_mut().enumerate() {
        liquid.refresh_contacts(number, &body.hull);
        if !is_asleep {
            liquid.apply_adhesion(number, body, env.dt);
            liquid.apply_friction(number, body, env);
        }
        liquid.depenetrate(number, env.walls);
    }
    if !is_asleep && liquid.is_on_grid() {
        liquid.squeeze_out(&bodies.all, env.walls);
    }
    liquid.report_motion(bodies);
}

impl Liquid {
    /// Applies the reaction of the particles' push for `dt` seconds: the pressure on the bodies, at the recorded positions.
    pub(super) fn apply_reaction(&self, bodies: &mut Bodies, dt: f32) {
        for (number, body) in bodies.all.iter_mut().enumerate() {
            let immersed = self.store.body_contacts.immersed.get(number);
            body.is_carried = immersed.is_some_and(|immersed| immersed.is_carried);
            body.settling = immersed.map_or(0.0, |immersed| immersed.settling);
            if let Some(ImmersedBody { impulse, .. }) = immersed {
                // About its centre of mass at the beginning of the substep.
                body.apply_impulse(impulse.truncate(), body.at);
                body.apply_angular_impulse(impulse.z);
            }
            for contact in self.store.body_contacts.of(number) {
                body.apply_impulse(-self.first_mass() * contact.reaction * dt * contact.out, contact.at);
            }
        }
    }

    /// Updates distance and normal after all have moved.
    fn refresh_contacts(&mut self, number: usize, hull: &Hull) {
        for contacts in &mut self.store.body_contacts.contacts {
            let start = contacts.partition_point(|contact| usize::from(contact.body) < number);
            for contact in contacts[start..].iter_mut().take_while(|contact| usize::from(contact.body) == number) {
                Contact { distance: contact.distance, normal: contact.normal } =
                    hull.contact(self.store.particles.position(contact.slot as usize));
            }
        }
    }

    /// Eq. 17: a pull `k_stick d (1 − d/d_stick)` on particles within `d_stick` (here h), and the opposite on the body.
    fn apply_adhesion(&mut self, number: usize, body: &mut Body, dt: f32) {
        let most = 4.0 * body.material.stickiness * dt;
        if most == 0.0 {
            return;
        }
        for contact in self.store.body_contacts.of(number) {
            let (slot, share) = (contact.slot as usize, contact.distance / self.h());
            let pull = -most * (share * (1.0 - share)).max(0.0) * contact.normal;
            body.apply_impulse(-self.mass(slot) * pull, self.store.particles.position(slot));
            self.store.particles.set_velocity(slot, self.store.particles.velocity(slot) + pull);
        }
    }

    /// Eq. 16, `I = v_normal + μ v_tangent`. The body's change is computed first from what all its particles require, and they
    /// then follow its new velocity, so a light body in a thick liquid does not shake.
    fn apply_friction(&mut self, number: usize, body: &mut Body, env: &StepContext) {
        let (h, first_mass, boundary_offset) = (self.h(), self.first_mass(), self.boundary_offset());
        let rate = body.material.friction.min(1.0) * WET_FRICTION / h * env.dt;
        let up = -env.gravity.normalize_or_zero();
        let is_dragged = self.store.body_contacts.immersed.get(number).is_some_and(|immersed| immersed.is_dragged);
        // Between bodies at rest liquid is squeezed, and no face of the grid moves it.
        let film_speed = self.film_speed();
        let film = film_speed.map_or(0.0, |speed| FILM / (1.0 + (body.speed() / speed).powi(2)));
        let rates = &self.viscosity.rates;
        // The fractions of a particle's velocity, along the normal and across it, that friction removes.
        let shares = |mass: f32, contact: &BodyContact, relative: Vec2| {
            let into = contact.distance < -boundary_offset * h && relative.dot(contact.normal) < 0.0;
            let near = (1.0 - contact.distance.max(0.0) / h).powi(2);
            let [along, across] = match film_speed {
                // From its top it runs off.
                Some(_) => [(1.0 - contact.normal.dot(up)).min(1.0) * film * rate * near; 2],
                None => [0.0, rate * near],
            };
            // The rates contain the particle's mass as a factor.
            let drag = |rate: &f32| rate * first_mass / mass;
            let viscous = if is_dragged { 0.0 } else { rates.get(contact.slot as usize).map_or(0.0, drag) };
            [if into { 1.0 } else { along.min(1.0) }, (across + viscous * h * h * contact.integrals[2]).min(1.0)]
        };
        let mut answer = DMat3::from_diagonal(Vec3::new(body.mass, body.mass, body.inertia).as_dvec3());
        let mut wanted = DVec3::ZERO;
        for contact in self.store.body_contacts.of(number) {
            let p = &self.store.particles;
            let at = p.position(contact.slot as usize);
            let relative = p.velocity(contact.slot as usize) - body.velocity_at(at);
            let mass = self.mass(contact.slot as usize);
            let across = [contact.normal, contact.normal.perp()];
            for (share, direction) in shares(mass, contact, relative).into_iter().zip(across) {
                let lever = direction.extend((at - body.at).perp_dot(direction)).as_dvec3();
                let weight = f64::from(mass * share);
                let scaled = weight * lever;
                answer += DMat3::from_cols(scaled * lever.x, scaled * lever.y, scaled * lever.z);
                wanted += scaled * f64::from(relative.dot(direction));
            }
        }
        let (velocity, spin, middle) = (body.velocity, body.angular_velocity, body.at);
        let change = (answer.inverse() * wanted).as_vec3();
        body.velocity += change.truncate();
        body.angular_velocity += change.z;
        for contact in self.store.body_contacts.of(number) {
            let (p, slot) = (&self.store.particles, contact.slot as usize);
            let (at, v) = (p.position(slot), p.velocity(slot));
            let shares = shares(self.mass(slot), contact, v - velocity - spin * (at - middle).perp());
            let relative = v - body.velocity_at(at);
            let lost = [contact.normal, contact.normal.perp()].map(|direction| relative.dot(direction) * direction);
            self.store.particles.set_velocity(slot, v - shares[0] * lost[0] - shares[1] * lost[1]);
        }
    }

    /// Moves particles that are still inside the body out of it.
    fn depenetrate(&mut self, number: usize, walls: &Walls) {
        let (h, boundary_offset) = (self.h(), self.boundary_offset());
        let p = &mut self.store.particles;
        for contact in self.store.body_contacts.of(number) {
            let slot = contact.slot as usize;
            let depth = -boundary_offset * h - contact.distance;
            if depth > 0.0 {
                let at = p.position(slot);
                p.set_position(slot, walls.end_of_way(at, at + depth * contact.normal).0);
            }
        }
    }

    /// Moves particles out of slits between a body and a wall or another body: no face of the grid is open there, so no
    /// pressure would drive them out as the slit closes. They go along it, to where less liquid is: what is trapped between
    /// bodies leaves where they touch. Each sees where those before it went, so the order is that of
    /// `BodyContacts::of`, however the rows are divided.
    fn squeeze_out(&mut self, bodies: &[Body], walls: &Walls) {
        let h = self.h();
        let width = SLIT * h;
        let is_opposite = |normal: Vec2, other: Contact| other.distance < width && other.normal.dot(normal) < -0.7;
        let body_contacts = std::mem::take(&mut self.store.body_contacts);
        let contacts = (0..bodies.len()).flat_map(|body| body_contacts.of(body));
        for &BodyContact { slot, normal, .. } in contacts.filter(|contact| contact.distance < width) {
            let at = self.store.particles.position(slot as usize);
            let mut is_in_slit = false;
            walls.contacts(at, width, |wall| is_in_slit |= is_opposite(normal, wall));
            if !is_in_slit && !bodies.iter().any(|other| is_opposite(normal, other.hull.contact(at))) {
                continue;
            }
            let along = h * normal.perp();
            let crowding = |at: Vec2| if walls.distance(at) > 0.0 { self.around(at).full } else { f32::INFINITY };
            let is_free_ahead = crowding(at + LOOK_AHEAD * along) < crowding(at - LOOK_AHEAD * along);
            let step = if is_free_ahead { SQUEEZE } else { -SQUEEZE } * along;
            self.store.particles.set_position(slot as usize, walls.end_of_way(at, at + step).0);
        }
        self.store.body_contacts = body_contacts;
    }

    fn report_motion(&self, bodies: &mut Bodies) {
        let fast = |it: &BodyContact| self.store.particles.velocity(it.slot as usize).length() > SLEEP_SPEED;
        bodies.neighbor_moved |= self.is_on_grid() || self.store.body_contacts.contacts.iter().flatten().any(fast);
    }
}
