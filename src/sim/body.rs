//! Rigid bodies: discs, boxes and convex polygons that float, sink, tip and collide.
//!
//! S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", 2005, section 6, Algorithm 6. In
//! every substep the bodies set out as if nothing were in their way ([`Bodies::set_out`]); the liquid finds them there,
//! and what it does to them is added up; then they go the same way again with the velocities that this has made of
//! theirs, and collide with walls and with each other ([`Bodies::arrive`]). What passes between a body and a liquid is
//! in [`super::couple::bodies`].
//!
//! Body against body and wall: sequential impulses with friction and restitution (E. Catto, "Iterative dynamics with
//! temporal coherence", 2005), see [`contact`].

pub mod contact;
pub mod draught;
pub mod hull;
pub mod touch;

use super::Env;
use super::drowse::SLEEP_AFTER;
use super::poke::{Poke, PokeKind};
use super::stats::Stats;
use super::walls::{Container, Shape, Walls};
use contact::Contacts;
use glam::Vec2;
use hull::{Hull, pieces};
use serde::Serialize;

/// The fastest that a body moves, m/s, and that its rim does for turning. A guard, not met in ordinary scenes.
const FASTEST: f32 = 15.0;

/// How far a body may stick out of the tank, metres: more than what contacts leave alone.
const TOLERANCE: f32 = 0.001;

/// How near its edge a large body is pulled or burst, in brushes: in the middle nothing pulls, and the edge is beyond
/// reach.
const HOLD: f32 = 0.6;

/// What a body is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stuff {
    /// Relative to the liquid at rest, 0.02 to 20. Less than 1 floats.
    pub density: f32,
    /// Coulomb's coefficient against walls and other bodies (of two, the geometric mean counts), and the paper's μ
    /// against the liquid, where all above 1 counts as 1: 0 slips, 1 sticks. 0 to 2.
    pub friction: f32,
    /// The strongest pull on liquid beside it, m/s², 0 to 100: the paper's `k_stick d_stick / 4` (eq. 17).
    pub stickiness: f32,
    /// Share of the speed of an impact that comes back, 0 to 1. Of two, the greater counts.
    pub restitution: f32,
    /// `#rrggbb`; the palette's where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

impl Default for Stuff {
    fn default() -> Self {
        Self { density: 0.5, friction: 0.4, stickiness: 0.0, restitution: 0.1, color: None }
    }
}

/// One body.
#[derive(Clone, Debug)]
pub struct Body {
    stuff: Stuff,
    /// Around its centre of mass.
    local: Hull,
    /// Where it is.
    hull: Hull,
    /// Its centre of mass, metres.
    pub at: Vec2,
    /// Radians, counter-clockwise.
    pub angle: f32,
    /// m/s.
    pub velocity: Vec2,
    /// Radians a second, counter-clockwise.
    pub spin: f32,
    mass: f32,
    /// kg m², a square metre of liquid having mass 1.
    inertia: f32,
    /// Where it set out from in this substep.
    from: (Vec2, f32),
}

impl Body {
    /// A body of this outline, wherever that lies, with its centre of mass `at` some place.
    pub fn new(outline: Hull, stuff: Stuff, at: Vec2, angle: f32) -> Self {
        let bulk = outline.bulk();
        let local = outline.moved(-bulk.middle);
        let (mass, inertia) = (stuff.density * bulk.area, stuff.density * bulk.second_moment);
        let hull = Hull::default();
        let from = (at, angle);
        let mut body = Self { stuff, local, hull, at, angle, velocity: Vec2::ZERO, spin: 0.0, mass, inertia, from };
        body.place();
        body
    }

    pub fn stuff(&self) -> &Stuff {
        &self.stuff
    }

    /// Makes it of something else.
    fn retune(&mut self, stuff: &Stuff) {
        let ratio = stuff.density / self.stuff.density;
        (self.mass, self.inertia) = (self.mass * ratio, self.inertia * ratio);
        self.stuff.clone_from(stuff);
    }

    /// Its outline where it is now.
    pub fn hull(&self) -> &Hull {
        &self.hull
    }

    /// A square metre of liquid has mass 1.
    pub fn mass(&self) -> f32 {
        self.mass
    }

    /// About its centre of mass.
    pub fn inertia(&self) -> f32 {
        self.inertia
    }

    /// The farthest that anything of it is from its centre of mass, metres.
    pub fn reach(&self) -> f32 {
        self.local.reach()
    }

    /// Velocity of the point of it that is at `p`.
    pub fn velocity_at(&self, p: Vec2) -> Vec2 {
        self.velocity + self.spin * (p - self.at).perp()
    }

    /// A place in the tank as the body sees it: from its centre of mass, turned as it was made.
    pub fn to_local(&self, p: Vec2) -> Vec2 {
        Vec2::from_angle(-self.angle).rotate(p - self.at)
    }

    /// Changes its velocities by an impulse at `p`.
    pub fn push(&mut self, impulse: Vec2, p: Vec2) {
        self.velocity += impulse / self.mass;
        self.spin += (p - self.at).perp_dot(impulse) / self.inertia;
    }

    /// The shape as an obstacle.
    pub fn shape(&self) -> Shape {
        match self.hull.corners() {
            [at] => Shape::Circle { at: *at, radius: self.hull.radius() },
            corners => Shape::Polygon(corners.to_vec()),
        }
    }

    /// Puts its outline where it is.
    fn place(&mut self) {
        self.hull.place(&self.local, self.at, Vec2::from_angle(self.angle));
    }

    fn limit_speed(&mut self) {
        self.velocity = self.velocity.clamp_length_max(FASTEST);
        let most = FASTEST / self.reach();
        self.spin = self.spin.clamp(-most, most);
    }

    /// Goes from where it set out, by its velocities.
    fn go(&mut self, dt: f32) {
        (self.at, self.angle) = (self.from.0 + self.velocity * dt, self.from.1 + self.spin * dt);
    }

    /// Whether the pointer's brush touches it.
    fn is_touched(&self, poke: &Poke) -> bool {
        self.hull.contact(poke.at).distance < poke.radius
    }

    /// Lets the pointer act. It drags the nearest point of the body, as a finger on it would; it pulls and bursts
    /// the body as a whole.
    fn feel(&mut self, poke: &Poke, dt: f32) {
        if !self.is_touched(poke) {
            return;
        }
        let contact = self.hull.contact(poke.at);
        if let PokeKind::Push { .. } = poke.kind {
            let finger = poke.at - contact.normal * contact.distance.max(0.0);
            let v = self.velocity_at(finger);
            self.shove(poke.apply(finger - poke.at, v, dt) - v, finger);
        } else {
            let offset = (self.at - poke.at).clamp_length_max(HOLD * poke.radius);
            self.velocity = poke.apply(offset, self.velocity, dt);
            if let PokeKind::Pull = poke.kind {
                self.spin *= 1.0 - (4.0 * dt).min(1.0);
            }
        }
    }

    /// Changes the velocity of the point at `p` by `change`, with one impulse there.
    fn shove(&mut self, change: Vec2, p: Vec2) {
        let arm = p - self.at;
        let (by_mass, by_inertia) = (1.0 / self.mass, 1.0 / self.inertia);
        // The point's answer to an impulse is the matrix K = 1/m − [r]× 1/I [r]×.
        let k = glam::Mat2::from_cols(
            Vec2::new(by_mass + by_inertia * arm.y * arm.y, -by_inertia * arm.x * arm.y),
            Vec2::new(-by_inertia * arm.x * arm.y, by_mass + by_inertia * arm.x * arm.x),
        );
        self.push(k.inverse() * change, p);
    }
}

/// All bodies of a tank.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    bodies: Vec<Body>,
    contacts: Contacts,
    /// What is solid in the tank, in convex pieces.
    solid: Vec<Hull>,
    /// And what has no pieces: drawings.
    drawn: Vec<Shape>,
    /// For how many steps nothing has moved on any of them.
    still: u8,
    /// Whether something moved in the liquid beside them.
    stirred: bool,
}

impl Bodies {
    pub fn new(bodies: Vec<Body>) -> Self {
        Self { bodies, ..Self::default() }
    }

    pub fn all(&self) -> &[Body] {
        &self.bodies
    }

    /// The tank with them in it as obstacles, for who is to be put where they are not.
    pub fn as_obstacles(&self, walls: &Walls) -> Walls {
        walls.with(self.bodies.iter().map(Body::shape))
    }

    pub fn all_mut(&mut self) -> &mut [Body] {
        &mut self.bodies
    }

    /// Makes them of these, one by one.
    pub fn retune<'a>(&mut self, stuff: impl Iterator<Item = &'a Stuff>) {
        self.bodies.iter_mut().zip(stuff).for_each(|(body, stuff)| body.retune(stuff));
        self.wake();
    }

    /// Takes in where the walls are now.
    pub fn fit(&mut self, walls: &Walls) {
        self.solid.clear();
        self.drawn.clear();
        for shape in walls.obstacles() {
            match shape {
                Shape::Circle { at, radius } => self.solid.push(Hull::disc(*at, *radius)),
                Shape::Capsule { from, to, radius } => self.solid.push(Hull::stadium(*from, *to, *radius)),
                Shape::Box { min, max } => {
                    let corners = vec![*min, Vec2::new(max.x, min.y), *max, Vec2::new(min.x, max.y)];
                    self.solid.push(Hull::polygon(corners));
                }
                Shape::Polygon(corners) => self.solid.extend(pieces(corners)),
                Shape::Relief { .. } => self.drawn.push(shape.clone()),
            }
        }
        self.keep_inside(walls);
        self.wake();
    }

    /// Algorithm 6, lines 1 to 4: forces act, and all move as if nothing were in their way.
    pub fn set_out(&mut self, env: &Env) {
        if self.is_asleep() {
            return;
        }
        for body in &mut self.bodies {
            body.velocity += env.gravity * env.dt;
            env.pokes.iter().for_each(|poke| body.feel(poke, env.dt));
            body.limit_speed();
            body.from = (body.at, body.angle);
            body.go(env.dt);
            body.place();
        }
    }

    /// Algorithm 6, lines 8 to 11: with what the liquid has made of their velocities they go again from where they set
    /// out, and mind walls and each other.
    pub fn arrive(&mut self, env: &Env) {
        if self.is_asleep() {
            return;
        }
        for body in &mut self.bodies {
            (body.at, body.angle) = body.from;
            body.limit_speed();
            body.place();
        }
        self.contacts.find(&self.bodies, (&self.solid, &self.drawn), env);
        self.contacts.solve(&mut self.bodies);
        for body in &mut self.bodies {
            body.go(env.dt);
        }
        self.contacts.part(&mut self.bodies);
        self.bodies.iter_mut().for_each(Body::place);
        self.keep_inside(env.walls);
    }

    /// Whatever has happened, none leaves the tank: who sticks out is put back, and stops there.
    fn keep_inside(&mut self, walls: &Walls) {
        let size = walls.size();
        for body in &mut self.bodies {
            let (min, max) = body.hull.bounds();
            let mut back = (-min).max(Vec2::ZERO) - (max - size).max(Vec2::ZERO);
            if walls.container() == Container::Circle {
                back += out_of_the_rim(body, walls);
            }
            if back.length() < TOLERANCE {
                continue;
            }
            body.at += back;
            let normal = back.normalize();
            body.velocity -= body.velocity.dot(normal).min(0.0) * normal;
            body.place();
        }
    }

    /// Notes whether something moved beside them in this substep.
    pub fn stir(&mut self, moves: bool) {
        self.stirred |= moves;
    }

    /// Another step begins: lets them sleep when nothing has moved on them or beside them for long, all together, until
    /// something does.
    pub fn drowse(&mut self, pokes: &[Poke]) {
        let poked = self.bodies.iter().any(|body| pokes.iter().any(|poke| body.is_touched(poke)));
        let moves = poked || std::mem::take(&mut self.stirred) || !self.is_slower_than(super::drowse::SLEEPY);
        self.still = if moves { 0 } else { self.still.saturating_add(1) };
        if self.is_asleep() {
            self.halt();
        }
    }

    pub fn is_asleep(&self) -> bool {
        self.still >= SLEEP_AFTER
    }

    pub fn wake(&mut self) {
        self.still = 0;
    }

    /// Whether no point of them is faster than `speed`, m/s.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        self.fastest() < speed
    }

    /// Speed of the fastest point of any of them, m/s.
    pub fn fastest(&self) -> f32 {
        let speed = |body: &Body| body.velocity.length() + body.spin.abs() * body.reach();
        self.bodies.iter().map(speed).fold(0.0, f32::max)
    }

    /// Takes all speed out.
    pub fn halt(&mut self) {
        for body in &mut self.bodies {
            (body.velocity, body.spin) = (Vec2::ZERO, 0.0);
        }
    }

    /// Velocity at a place, m/s, where there is one.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        let here = self.bodies.iter().find(|body| body.hull.contact(at).distance < 0.0)?;
        Some(here.velocity_at(at))
    }

    /// Measures them under `gravity`, m/s².
    pub fn stats(&self, gravity: Vec2) -> Stats {
        let mut stats = Stats { max_speed: f64::from(self.fastest()), ..Stats::default() };
        for body in &self.bodies {
            let (mass, v) = (f64::from(body.mass), body.velocity.as_dvec2());
            let (inertia, spin) = (f64::from(body.inertia), f64::from(body.spin));
            stats.kinetic += 0.5 * (mass * v.length_squared() + inertia * spin * spin);
            stats.potential -= mass * gravity.as_dvec2().dot(body.at.as_dvec2());
            stats.momentum += mass * v;
        }
        stats
    }
}

/// The way back into a round tank: by the corner that sticks out the farthest.
fn out_of_the_rim(body: &Body, walls: &Walls) -> Vec2 {
    let mut back = Vec2::ZERO;
    for corner in body.hull.corners() {
        walls.rims(*corner, body.hull.radius(), |contact| {
            let over = body.hull.radius() - contact.distance;
            if over * over > back.length_squared() {
                back = contact.normal * over;
            }
        });
    }
    back
}
