//! Contacts of bodies with walls and each other: sequential impulses (E. Catto, "Iterative dynamics with temporal coherence",
//! Game Developers Conference 2005), which begin with those of the substep before. Overlaps are corrected without adding
//! velocity. An elastic body ends a substep with the reverse of its velocity at the beginning, and moves with the mean of the
//! two, so it keeps its energy (J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", 1988); that mean
//! motion is held back at walls by impulses of its own.

use crate::math::{Elementary, direction};
use crate::sim::StepContext;
use crate::sim::boundary::{Hull, Shape};
use crate::sim::rigid::Body;
use crate::sim::rigid::manifold::manifold;
use glam::Vec2;

/// Maximum number of iterations over all contacts, and the change of speed, m/s, at which they end.
const MAX_VELOCITY_ITERATIONS: usize = 60;
const SPEED_TOLERANCE: f32 = 1e-5;

/// Iterations over all contacts for overlaps.
const POSITION_ITERATIONS: usize = 4;

/// Overlap that is not corrected, metres, so that a resting contact persists.
const SLOP: f32 = 0.0005;

/// Overlap with a wall, metres, of a body that has no room: corrections leave less.
const STUCK: f32 = 10.0 * SLOP;

/// Fraction of an overlap that one position iteration removes (Baumgarte factor, as in Box2D), and its maximum, metres.
const CORRECTION_FRACTION: f32 = 0.2;
const MAX_CORRECTION: f32 = 0.02;

/// Slower impacts (m/s) do not bounce; otherwise resting bodies would hop.
const RESTITUTION_THRESHOLD: f32 = 0.15;

/// Number of points along the outline of a body near a drawing.
const OUTLINE_POINTS: usize = 32;

/// In keys of contacts, the numbers from which obstacles, drawings and the tank itself count; lower ones are bodies'.
const OBSTACLES: usize = 1 << 22;
const DRAWINGS: usize = 2 << 22;
const CONTAINER: usize = 3 << 22;

const WALL: usize = usize::MAX;

/// A contact as it is found.
#[derive(Clone, Copy, Debug)]
struct Touch {
    /// The numbers of the bodies; the second is [`WALL`] for a wall.
    pair: (usize, usize),
    /// The touching features, to find the contact again in the next substep.
    key: u64,
    at: Vec2,
    /// Unit vector out of the second, towards the first.
    normal: Vec2,
    /// Distance, metres; negative where they overlap.
    separation: f32,
}

#[derive(Clone, Copy, Debug)]
struct ContactConstraint {
    touch: Touch,
    wall_velocity: Vec2,
    friction: f32,
    restitution: f32,
    /// Minimum speed of separation, m/s: negative while there is a gap.
    velocity_bias: f32,
    /// Speed of approach before the substep, m/s, and speed of separation after an impact.
    initial_normal_speed: f32,
    bounce: f32,
    /// It bounces in this substep: its impulse then does not help to estimate the next.
    bounces: bool,
    mass: [f32; 2],
    /// Accumulated impulses, along the normal and across it.
    impulse: [f32; 2],
    /// Accumulated impulse on the mean velocity of the bodies' motion, along the normal.
    mean_impulse: f32,
    /// Position of the contact in the frames of the bodies.
    anchors: [Vec2; 2],
}

/// Capacity of the contact list per body: six equal ones around it with two points each, shared, and walls.
const CONTACTS_PER_BODY: usize = 10;

#[derive(Clone, Debug, Default)]
pub struct Contacts {
    now: Vec<ContactConstraint>,
    before: Vec<(u64, [f32; 2])>,
}

impl Contacts {
    /// Finds all contacts of the bodies at the beginning of the substep.
    pub fn find(&mut self, bodies: &[Body], hulls: &[Hull], drawings: &[Shape], env: &StepContext) {
        self.before.clear();
        let capacity = bodies.len() * CONTACTS_PER_BODY;
        if self.now.capacity() < capacity {
            self.before.reserve(capacity);
            self.now.reserve(capacity - self.now.len());
        }
        let lasting = self.now.iter().filter(|contact| !contact.bounces);
        self.before.extend(lasting.map(|contact| (contact.touch.key, contact.impulse)));
        self.before.sort_unstable_by_key(|&(key, _)| key);
        debug_assert!(self.before.windows(2).all(|pair| pair[0].0 < pair[1].0), "each contact has a key of its own");
        self.now.clear();
        for a in 0..bodies.len() {
            self.collide_container(bodies, a, env);
            for (number, hull) in hulls.iter().enumerate() {
                self.collide(bodies, (a, WALL), hull, OBSTACLES + number, env);
            }
            for (number, shape) in drawings.iter().enumerate() {
                self.collide_sdf(bodies, a, shape, DRAWINGS + number, env);
            }
            for b in a + 1..bodies.len() {
                self.collide(bodies, (a, b), &bodies[b].hull, b, env);
            }
        }
    }

    /// Contacts of a body's corners with the sides of the tank.
    fn collide_container(&mut self, bodies: &[Body], a: usize, env: &StepContext) {
        let body = &bodies[a];
        let margin = margin(body, env.dt);
        for (number, corner) in body.hull.corners.iter().enumerate() {
            env.walls.container_contacts(*corner, body.hull.radius + margin, |contact| {
                let separation = contact.distance - body.hull.radius;
                let at = *corner - contact.normal * (contact.distance - 0.5 * separation.max(0.0));
                // The side's number for the key: the four sides' angles, times 1.3, round to 0, ±2 and 4, which differ modulo 8.
                let side = (contact.normal.y.arc_tangent(contact.normal.x) * 1.3).round() as i64 & 7;
                let key = key(a, CONTAINER, number << 3 | side as usize);
                self.add(bodies, Touch { pair: (a, WALL), key, at, normal: contact.normal, separation }, env);
            });
        }
    }

    /// Contacts of points along the outline of a body with a drawing, which is known by distances only.
    fn collide_sdf(&mut self, bodies: &[Body], a: usize, shape: &Shape, other: usize, env: &StepContext) {
        let margin = margin(&bodies[a], env.dt);
        let hull = &bodies[a].hull;
        let corners = &hull.corners;
        let points_per_side = (OUTLINE_POINTS / corners.len()).max(1);
        for number in 0..corners.len() * points_per_side {
            let from = corners[number / points_per_side];
            let to = corners[(number / points_per_side + 1) % corners.len()];
            let p = from + (to - from) * ((number % points_per_side) as f32 / points_per_side as f32);
            let contact = shape.contact(p);
            let separation = contact.distance - hull.radius;
            if separation < margin {
                let key = key(a, other, number);
                let at = p - contact.normal * hull.radius;
                self.add(bodies, Touch { pair: (a, WALL), key, at, normal: contact.normal, separation }, env);
            }
            if corners.len() == 1 {
                break;
            }
        }
    }

    /// Contacts of a body with another hull, which is number `other`.
    fn collide(&mut self, bodies: &[Body], (a, b): (usize, usize), hull: &Hull, other: usize, env: &StepContext) {
        let body = &bodies[a];
        let margin = margin(body, env.dt) + bodies.get(b).map_or(0.0, |b| self::margin(b, env.dt));
        let (min, max) = body.hull.bounds();
        let (low, high) = hull.bounds();
        if (min - margin).cmpgt(high).any() || (max + margin).cmplt(low).any() {
            return;
        }
        let manifold = manifold(&body.hull, hull, margin);
        for point in manifold.points() {
            let key = key(a, other, usize::from(point.feature));
            let (at, separation) = (point.at, point.separation);
            self.add(bodies, Touch { pair: (a, b), key, at, normal: manifold.normal, separation }, env);
        }
    }

    fn add(&mut self, bodies: &[Body], touch: Touch, env: &StepContext) {
        let (dt, Touch { pair: (a, b), key, at, normal, separation }) = (env.dt, touch);
        let wall_velocity = if b == WALL { env.walls.wall_velocity(at, normal) } else { Vec2::ZERO };
        let one = &bodies[a];
        let other = bodies.get(b);
        // A wall is as rough and as elastic as the body.
        let [mine, theirs] = [one, other.unwrap_or(one)].map(|body| &body.material);
        let friction = (mine.friction * theirs.friction).sqrt();
        let restitution = mine.restitution.max(theirs.restitution);
        let effective_mass = |direction: Vec2| {
            let of = |body: &Body| 1.0 / body.mass + (at - body.at).perp_dot(direction).powi(2) / body.inertia;
            1.0 / (of(one) + other.map_or(0.0, of))
        };
        let speed = |velocity| normal.dot(relative(bodies, (a, b), at, velocity) - wall_velocity);
        let initial_normal_speed = speed(Body::velocity_before);
        let pressing = speed(Body::velocity_at);
        let place = self.before.binary_search_by_key(&key, |&(key, _)| key);
        let contact = ContactConstraint {
            touch,
            wall_velocity,
            friction,
            restitution,
            velocity_bias: -separation.max(0.0) / dt,
            initial_normal_speed,
            bounce: bounce(restitution, -initial_normal_speed, (initial_normal_speed - pressing) / dt, separation, dt),
            bounces: false,
            mass: [effective_mass(normal), effective_mass(normal.perp())],
            impulse: place.map_or([0.0; 2], |place| self.before[place].1),
            mean_impulse: 0.0,
            anchors: [one.to_local(at), other.map_or(at, |other| other.to_local(at))],
        };
        self.now.push(contact);
    }

    pub fn solve(&mut self, bodies: &mut [Body]) {
        for contact in &self.now {
            let ([along, across], normal) = (contact.impulse, contact.touch.normal);
            contact.apply(bodies, along * normal + across * normal.perp(), Body::apply_impulse);
        }
        self.iterate(|contact| contact.solve_friction(bodies).max(contact.solve_normal(bodies, contact.velocity_bias)));
        // Only stopped contacts bounce, and all at once: the corners of a box that falls flat share its impulse.
        for contact in &mut self.now {
            contact.bounces = contact.initial_normal_speed < -RESTITUTION_THRESHOLD
                && contact.restitution > 0.0
                && contact.impulse[0] > 0.0;
        }
        if !self.now.iter().any(|contact| contact.bounces) {
            return;
        }
        self.iterate(|contact| {
            contact.solve_normal(bodies, if contact.bounces { contact.bounce } else { contact.velocity_bias })
        });
    }

    /// Forwards and backwards in turn, until the speeds hardly change: a stack's weight passes down in one direction, and the
    /// floor's reaction up in the other. `solve` returns the change of speed.
    fn iterate(&mut self, mut solve: impl FnMut(&mut ContactConstraint) -> f32) {
        for iteration in 0..MAX_VELOCITY_ITERATIONS {
            let change = if iteration % 2 == 0 {
                self.now.iter_mut().map(&mut solve).fold(0.0, f32::max)
            } else {
                self.now.iter_mut().rev().map(&mut solve).fold(0.0, f32::max)
            };
            if change < SPEED_TOLERANCE {
                break;
            }
        }
    }

    /// Bodies in contact that do not bounce move with final velocities: the mean has no damping, and a stack would rock for ever.
    pub fn settle_mean_velocity(&self, bodies: &mut [Body]) {
        let is_of = |number: usize, (a, b): (usize, usize)| a == number || b == number;
        let bounces = |number: usize| self.now.iter().any(|c| c.bounces && is_of(number, c.touch.pair));
        for contact in self.now.iter().filter(|contact| contact.impulse[0] > 0.0) {
            let (a, b) = contact.touch.pair;
            for number in [a, b] {
                if let Some(body) = bodies.get_mut(number).filter(|_| !bounces(number)) {
                    body.mean = (body.velocity, body.angular_velocity);
                }
            }
        }
    }

    /// Limits the mean velocities so that no two bodies approach by more than the gap between them.
    pub fn solve_mean_velocity(&mut self, bodies: &mut [Body]) {
        self.now.iter_mut().for_each(|contact| contact.mean_impulse = 0.0);
        self.iterate(|contact| contact.solve_mean_velocity(bodies));
    }

    /// The number of a body that is in an obstacle.
    pub fn stuck(&self) -> Option<usize> {
        let mut touches = self.now.iter().map(|contact| contact.touch);
        touches.find(|touch| touch.pair.1 == WALL && touch.separation < -STUCK).map(|touch| touch.pair.0)
    }

    pub fn solve_position(&mut self, bodies: &mut [Body]) {
        for _ in 0..POSITION_ITERATIONS {
            for contact in &self.now {
                contact.solve_position(bodies);
            }
        }
    }
}

/// Speed after a substep in which a body approaches at `speed` (m/s) from a distance of `gap` metres, accelerated towards the
/// contact by `pressed` m/s²: its energy is e² of that at the impact. It moves by the mean of the two speeds.
fn bounce(e: f32, speed: f32, pressed: f32, gap: f32, dt: f32) -> f32 {
    let pressed = pressed.max(0.0);
    let gap = gap.max(0.0);
    let left = e * e * (speed * speed + 2.0 * pressed * gap);
    let half = 0.5 * pressed * dt;
    let after = (half * half + left + pressed * (speed * dt - 2.0 * gap)).max(0.0).sqrt() - half;
    // Where that would lead into the wall it ends on it.
    if gap + 0.5 * (after - speed) * dt < 0.0 { left.sqrt() } else { after.max(0.0) }
}

/// Distance within which a body looks for contacts: as far as it may move in a substep.
fn margin(body: &Body, dt: f32) -> f32 {
    2.0 * SLOP + body.speed() * dt
}

fn key(a: usize, b: usize, feature: usize) -> u64 {
    (a as u64) << 44 | (b as u64) << 20 | feature as u64
}

/// Velocity of `a` at a place relative to `b`, by one of the velocities of a body.
fn relative(bodies: &[Body], (a, b): (usize, usize), at: Vec2, velocity: fn(&Body, Vec2) -> Vec2) -> Vec2 {
    velocity(&bodies[a], at) - bodies.get(b).map_or(Vec2::ZERO, |b| velocity(b, at))
}

impl ContactConstraint {
    /// Applies an impulse to the first body, and its opposite to the second.
    fn apply(&self, bodies: &mut [Body], impulse: Vec2, to: fn(&mut Body, Vec2, Vec2)) {
        to(&mut bodies[self.touch.pair.0], impulse, self.touch.at);
        if let Some(b) = bodies.get_mut(self.touch.pair.1) {
            to(b, -impulse, self.touch.at);
        }
    }

    /// Makes them separate with at least `velocity_bias`, m/s; it never pulls. Returns the change of speed, m/s.
    fn solve_normal(&mut self, bodies: &mut [Body], velocity_bias: f32) -> f32 {
        let speed = self.touch.normal.dot(self.speed(bodies, Body::velocity_at));
        let whole = (self.impulse[0] - self.mass[0] * (speed - velocity_bias)).max(0.0);
        let change = whole - self.impulse[0];
        self.impulse[0] = whole;
        self.apply(bodies, change * self.touch.normal, Body::apply_impulse);
        (change / self.mass[0]).abs()
    }

    fn speed(&self, bodies: &[Body], velocity: fn(&Body, Vec2) -> Vec2) -> Vec2 {
        relative(bodies, self.touch.pair, self.touch.at, velocity) - self.wall_velocity
    }

    /// Limits their mean motion so that they do not pass beyond touching. Returns the change of speed, m/s.
    fn solve_mean_velocity(&mut self, bodies: &mut [Body]) -> f32 {
        let speed = self.touch.normal.dot(self.speed(bodies, Body::mean_velocity));
        let whole = (self.mean_impulse - self.mass[0] * (speed - self.velocity_bias)).max(0.0);
        let change = (whole - self.mean_impulse) * self.touch.normal;
        self.mean_impulse = whole;
        self.apply(bodies, change, Body::apply_mean_impulse);
        change.length() / self.mass[0]
    }

    /// Coulomb's friction: an impulse of at most μ times the normal one. Returns the change of speed, m/s.
    fn solve_friction(&mut self, bodies: &mut [Body]) -> f32 {
        let speed = self.touch.normal.perp().dot(self.speed(bodies, Body::velocity_at));
        let max = self.friction * self.impulse[0];
        let whole = (self.impulse[1] - self.mass[1] * speed).clamp(-max, max);
        let change = whole - self.impulse[1];
        self.impulse[1] = whole;
        self.apply(bodies, change * self.touch.normal.perp(), Body::apply_impulse);
        (change / self.mass[1]).abs()
    }

    fn solve_position(&self, bodies: &mut [Body]) {
        let place = |body: &Body, anchor: Vec2| body.at + direction(body.angle).rotate(anchor);
        let a = place(&bodies[self.touch.pair.0], self.anchors[0]);
        let b = bodies.get(self.touch.pair.1).map_or(self.anchors[1], |body| place(body, self.anchors[1]));
        let separation = self.touch.separation + self.touch.normal.dot(a - b);
        let back = (CORRECTION_FRACTION * -(separation + SLOP)).clamp(0.0, MAX_CORRECTION);
        if back == 0.0 {
            return;
        }
        let push = back * self.mass[0] * self.touch.normal;
        shift(&mut bodies[self.touch.pair.0], push, a);
        if let Some(body) = bodies.get_mut(self.touch.pair.1) {
            shift(body, -push, b);
        }
    }
}

/// Displaces a body as an impulse changes its velocity.
fn shift(body: &mut Body, push: Vec2, at: Vec2) {
    let arm = at - body.at;
    body.at += push / body.mass;
    body.angle += arm.perp_dot(push) / body.inertia;
}
