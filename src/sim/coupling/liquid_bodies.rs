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
//! | and the half-plane set back by the inset | 0.29 | 0.92 | 0.01 |
//!
//! ```text
//! meet   bodies set out; every liquid is told where they are     Algorithm 6, lines 1–4
//!        (the liquid steps, and notes how hard each particle is pushed)
//! part   what it has pushed back goes to the bodies              lines 5–9
//!        they go on and collide with each other                  lines 10–11
//!        particles rub on them, stick to them and leave them     lines 12–15, eqs. 16 and 17
//! ```
//!
//! Written against the particle store and the grid: whoever has these keeps a [`Banks`], calls [`find`] where it
//! sums densities and [`Touch::give`] where it moves particles.

use crate::sim::boundary::convex::Hull;
use crate::sim::boundary::{Contact, Walls};
use crate::sim::coupling::apart;
use crate::sim::liquid::body_contacts::{Banks, Kicks, Touch, Wet};
use crate::sim::rigid::{Bodies, Body};
use crate::sim::{Matter, StepContext};
use glam::{DMat3, DVec3, Vec2, Vec3};

/// How quickly liquid right at a body of friction 1 takes on its speed, in m/s per h.
const WET_FRICTION: f32 = 2.0;

/// Lets the bodies set out and tells everybody where they are.
pub fn meet(matter: &mut [Matter], env: &StepContext) {
    let Some((bodies, mut others)) = apart(matter, Matter::as_bodies_mut) else { return };
    let mut wet = all_wet(&mut others);
    for wet in wet.iter_mut().flatten().filter(|wet| wet.kicks == Kicks::Halves) {
        wet.push_back(bodies, 0.5 * env.dt);
    }
    bodies.set_out(env);
    wet.iter_mut().flatten().for_each(|wet| survey_bodies(wet.banks, bodies));
}

/// Tells everybody where the bodies are, between substeps.
pub fn survey(matter: &mut [Matter]) {
    let Some((bodies, others)) = apart(matter, Matter::as_bodies_mut) else { return };
    others.filter_map(Matter::as_wet_mut).for_each(|wet| survey_bodies(wet.banks, bodies));
}

/// Tells a liquid where the bodies are.
pub(in crate::sim) fn survey_bodies(banks: &mut Banks, bodies: &Bodies) {
    banks.survey(bodies.all().iter().map(Body::hull), !bodies.is_asleep());
}

/// The matters that may wet bodies, at most four of them: bodies move between what these do before and after.
fn all_wet<'a>(others: &mut impl Iterator<Item = &'a mut Matter>) -> [Option<Wet<'a>>; 4] {
    std::array::from_fn(|_| others.by_ref().find_map(Matter::as_wet_mut))
}

/// Gives the bodies what they have pushed off, lets them arrive, and lets the particles feel them go by. Says whether
/// there are any.
pub fn part(matter: &mut [Matter], env: &StepContext) -> bool {
    let Some((bodies, mut others)) = apart(matter, Matter::as_bodies_mut) else { return false };
    let mut wet = all_wet(&mut others);
    if bodies.is_asleep() {
        for wet in wet.iter_mut().flatten() {
            wet.stir(bodies);
            for (number, body) in bodies.all().iter().enumerate() {
                wet.look_again(number, body.hull());
                wet.leave(number, env.walls);
            }
        }
        return true;
    }
    for wet in wet.iter_mut().flatten() {
        wet.push_back(bodies, if wet.kicks == Kicks::Halves { 0.5 * env.dt } else { env.dt });
    }
    bodies.arrive(env);
    for wet in wet.iter_mut().flatten() {
        for (number, body) in bodies.all_mut().iter_mut().enumerate() {
            wet.look_again(number, body.hull());
            wet.stick(number, body, env.dt);
            wet.rub(number, body, env.dt);
            wet.leave(number, env.walls);
        }
        wet.stir(bodies);
    }
    true
}

impl Wet<'_> {
    /// For `dt` seconds the reaction of what pushed the particles: the pressure on the bodies, at the places where they
    /// were.
    fn push_back(&self, bodies: &mut Bodies, dt: f32) {
        for (number, body) in bodies.all_mut().iter_mut().enumerate() {
            for touch in self.banks.of(number) {
                body.push(-self.grains.area * touch.given * dt * touch.out, touch.at);
            }
        }
    }

    /// Where the particles are now that all have moved.
    fn look_again(&mut self, number: usize, hull: &Hull) {
        for touches in &mut self.banks.touches {
            let start = touches.partition_point(|touch| usize::from(touch.body) < number);
            for touch in touches[start..].iter_mut().take_while(|touch| usize::from(touch.body) == number) {
                Contact { distance: touch.distance, normal: touch.normal } =
                    hull.contact(self.grains.particles.position(touch.slot as usize));
            }
        }
    }

    /// Eq. 17: a pull `k_stick d (1 − d/d_stick)` on what is within `d_stick` (here h), and on the body as much.
    fn stick(&mut self, number: usize, body: &mut Body, dt: f32) {
        let most = 4.0 * body.stuff().stickiness * dt;
        if most == 0.0 {
            return;
        }
        let Self { grains, banks, .. } = self;
        for touch in banks.of(number) {
            let (slot, share) = (touch.slot as usize, touch.distance / grains.h);
            let pull = -most * (share * (1.0 - share)).max(0.0) * touch.normal;
            body.push(-grains.mass(slot) * pull, grains.particles.position(slot));
            grains.particles.set_velocity(slot, grains.particles.velocity(slot) + pull);
        }
    }

    /// Eq. 16, `I = v_normal + μ v_tangent`: what has got into the body loses its velocity into it, and what is beside
    /// it is rubbed along. Many particles act on one body at once, so the body's change is found first, from what all of
    /// them want of it, and they follow the velocity that it then has: a light body in thick liquid is carried along and
    /// not shaken, whatever the step, and nothing of the momentum is lost.
    fn rub(&mut self, number: usize, body: &mut Body, dt: f32) {
        let (p, h) = (&*self.grains.particles, self.grains.h);
        let rate = body.stuff().friction.min(1.0) * WET_FRICTION / h * dt;
        // The shares of a particle's velocity, along and across the normal, that it gives up.
        let shares = |touch: &Touch, relative: Vec2| {
            let into = touch.distance < -self.inset * h && relative.dot(touch.normal) < 0.0;
            let near = (1.0 - touch.distance.max(0.0) / h).powi(2);
            [if into { 1.0 } else { 0.0 }, (rate * near).min(1.0)]
        };
        let mut answer = DMat3::from_diagonal(Vec3::new(body.mass(), body.mass(), body.inertia()).as_dvec3());
        let mut wanted = DVec3::ZERO;
        for touch in self.banks.of(number) {
            let at = p.position(touch.slot as usize);
            let relative = p.velocity(touch.slot as usize) - body.velocity_at(at);
            for (share, direction) in shares(touch, relative).into_iter().zip([touch.normal, touch.normal.perp()]) {
                let lever = direction.extend((at - body.at).perp_dot(direction)).as_dvec3();
                let weight = f64::from(self.grains.mass(touch.slot as usize) * share);
                let scaled = weight * lever;
                answer += DMat3::from_cols(scaled * lever.x, scaled * lever.y, scaled * lever.z);
                wanted += scaled * f64::from(relative.dot(direction));
            }
        }
        let (velocity, spin, middle) = (body.velocity, body.spin, body.at);
        let change = (answer.inverse() * wanted).as_vec3();
        body.velocity += change.truncate();
        body.spin += change.z;
        let p = &mut *self.grains.particles;
        for touch in self.banks.of(number) {
            let slot = touch.slot as usize;
            let (at, v) = (p.position(slot), p.velocity(slot));
            let shares = shares(touch, v - velocity - spin * (at - middle).perp());
            let relative = v - body.velocity_at(at);
            let lost = [touch.normal, touch.normal.perp()].map(|direction| relative.dot(direction) * direction);
            p.set_velocity(slot, v - shares[0] * lost[0] - shares[1] * lost[1]);
        }
    }

    /// Puts out particles that are still inside the body.
    fn leave(&mut self, number: usize, walls: &Walls) {
        let (p, h) = (&mut *self.grains.particles, self.grains.h);
        for touch in self.banks.of(number) {
            let slot = touch.slot as usize;
            let depth = -self.inset * h - touch.distance;
            if depth > 0.0 {
                p.set_position(slot, walls.hold(p.position(slot) + depth * touch.normal).0);
            }
        }
    }

    /// Tells the bodies whether something beside them moves.
    fn stir(&self, bodies: &mut Bodies) {
        let fast = |touch: &Touch| {
            self.grains.particles.velocity(touch.slot as usize).length() > crate::sim::neighbors::sleep_map::SLEEP_SPEED
        };
        bodies.stir(self.banks.touches.iter().flatten().any(fast));
    }
}
