//! Rigid bodies that float, sink, tip and collide (Clavet, Beaudoin, Poulin 2005, section 6, Algorithm 6). In every substep they
//! move as if nothing were in their way ([`Bodies::predict`]); the forces there are summed; then they move again from where they
//! began, and collide ([`Bodies::solve`]) by sequential impulses ([`contact`]; E. Catto, "Iterative dynamics", 2005).

mod body;
pub mod contact;
pub mod definition;
pub mod manifold;

pub use body::{Body, Material};

use crate::math::slide_along;
use crate::sim::StepContext;
use crate::sim::boundary::convex::convex_decompose;
use crate::sim::boundary::{Container, Hull, Shape, Walls};
use crate::sim::clock::STEP;
use crate::sim::forces::PointerForce;
use crate::sim::neighbors::{SLEEP_SPEED, STEPS_TO_SLEEP};
use crate::sim::statistics::Stats;
use contact::Contacts;
use glam::Vec2;

/// Distance that a body may stick out of the tank, metres: more than the slop of contacts.
const TOLERANCE: f32 = 0.001;

/// Limit on the rounds in which bodies that overlap are moved apart.
const MAX_SEPARATIONS: usize = 100;

/// All bodies of a tank.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    pub(super) all: Vec<Body>,
    contacts: Contacts,
    /// The tank's obstacles that are discs, capsules or polygons, as convex pieces.
    hull_obstacles: Vec<Hull>,
    /// The obstacles without convex pieces: drawings.
    sdf_obstacles: Vec<Shape>,
    /// Steps since any of them last moved.
    steps_at_rest: u8,
    /// Whether something moved beside them in this step.
    pub(super) neighbor_moved: bool,
}

impl Bodies {
    /// Creates the bodies, awake.
    pub fn new(bodies: Vec<Body>) -> Self {
        Self { all: bodies, ..Self::default() }
    }

    /// Moves bodies that overlap walls or each other apart: in a step they would drive the liquid before them. Returns the number
    /// of one that is still in an obstacle.
    pub fn separate(&mut self, walls: &Walls) -> Option<usize> {
        self.fit(walls);
        let env = StepContext { dt: STEP, gravity: Vec2::ZERO, walls, pointer_forces: &[] };
        for _ in 0..MAX_SEPARATIONS {
            let poses: Vec<_> = self.all.iter().map(|body| (body.at, body.angle)).collect();
            self.contacts.find(&self.all, &self.hull_obstacles, &self.sdf_obstacles, &env);
            self.contacts.solve_position(&mut self.all);
            self.all.iter_mut().for_each(Body::update_transform);
            self.clamp_to_tank(walls);
            if self.all.iter().map(|body| (body.at, body.angle)).eq(poses) {
                break;
            }
        }
        std::mem::take(&mut self.contacts).stuck()
    }

    pub(in crate::sim) fn add(&mut self, body: Body) {
        self.all.push(body);
        self.wake();
    }

    /// Changes their materials, one by one.
    pub fn set_materials<'a>(&mut self, material: impl Iterator<Item = &'a Material>) {
        self.all.iter_mut().zip(material).for_each(|(body, material)| body.set_material(material));
        self.wake();
    }

    /// Begins a substep: changes of velocity from now on act in it.
    pub fn begin_substep(&mut self) {
        self.all.iter_mut().for_each(|body| body.before = (body.velocity, body.angular_velocity));
    }

    /// Algorithm 6, lines 1 to 4: applies forces, and moves all as if nothing were in their way.
    pub fn predict(&mut self, env: &StepContext) {
        if self.is_asleep() {
            return;
        }
        for body in &mut self.all {
            body.velocity += env.gravity * env.dt;
            env.pointer_forces.iter().for_each(|force| body.apply_pointer(force, env.dt));
            body.limit_speed();
            body.start_pose = (body.at, body.angle);
            body.update_mean_velocity();
            body.integrate(env.dt);
            body.update_transform();
        }
    }

    /// Algorithm 6, lines 8 to 11: moves them again with the velocities that the liquid has changed, and resolves contacts.
    pub fn solve(&mut self, env: &StepContext) {
        if self.is_asleep() {
            return;
        }
        for body in &mut self.all {
            (body.at, body.angle) = body.start_pose;
            body.limit_speed();
            body.update_transform();
            body.contact_delta_v = -body.velocity;
        }
        self.contacts.find(&self.all, &self.hull_obstacles, &self.sdf_obstacles, env);
        self.contacts.solve(&mut self.all);
        self.all.iter_mut().for_each(Body::update_mean_velocity);
        self.contacts.settle_mean_velocity(&mut self.all);
        self.contacts.solve_mean_velocity(&mut self.all);
        self.all.iter_mut().for_each(|body| body.integrate(env.dt));
        self.contacts.solve_position(&mut self.all);
        self.all.iter_mut().for_each(Body::update_transform);
        self.clamp_to_tank(env.walls);
        for body in &mut self.all {
            body.contact_delta_v += body.velocity;
            body.velocity *= 1.0 - body.settling;
            body.angular_velocity *= 1.0 - body.settling;
        }
    }

    /// A body that sticks out of the tank is moved back and loses its outward velocity.
    fn clamp_to_tank(&mut self, walls: &Walls) {
        let extent = walls.extent();
        for body in &mut self.all {
            let (min, max) = body.hull.bounds();
            let mut back = (-min).max(Vec2::ZERO) - (max - extent).max(Vec2::ZERO);
            if walls.container() == Container::Circle {
                back += container_correction(body, walls);
            }
            if back.length() < TOLERANCE {
                continue;
            }
            body.at += back;
            let normal = back.normalize();
            body.velocity = slide_along(body.velocity, normal);
            body.update_transform();
        }
    }

    /// Whether all are at rest until something disturbs them.
    pub fn is_asleep(&self) -> bool {
        self.steps_at_rest >= STEPS_TO_SLEEP
    }

    /// Adapts to walls that have moved.
    pub fn fit(&mut self, walls: &Walls) {
        self.hull_obstacles.clear();
        self.sdf_obstacles.clear();
        for shape in walls.obstacles() {
            match shape {
                Shape::Circle { at, radius } => self.hull_obstacles.push(Hull::disc(*at, *radius)),
                Shape::Capsule { from, to, radius } => self.hull_obstacles.push(Hull::capsule(*from, *to, *radius)),
                Shape::Box { min, max } => {
                    let corners = vec![*min, Vec2::new(max.x, min.y), *max, Vec2::new(min.x, max.y)];
                    self.hull_obstacles.push(Hull::polygon(corners));
                }
                Shape::Polygon(corners) => self.hull_obstacles.extend(convex_decompose(corners)),
                Shape::SdfGrid { .. } => self.sdf_obstacles.push(shape.clone()),
            }
        }
        self.clamp_to_tank(walls);
        self.wake();
    }

    /// All bodies fall asleep together when none of them and nothing beside them has moved for long.
    pub fn update_sleep(&mut self, pointer_forces: &[PointerForce]) {
        let poked = self.all.iter().any(|body| pointer_forces.iter().any(|force| body.is_touched(force)));
        let moves = poked || std::mem::take(&mut self.neighbor_moved) || self.max_speed() >= SLEEP_SPEED;
        self.steps_at_rest = if moves { 0 } else { self.steps_at_rest.saturating_add(1) };
        if self.is_asleep() {
            self.zero_velocities();
        }
    }

    /// Whether no body moves; on a grid's pressure, where a crowd never stops trembling, whether all stay. Once a step.
    pub fn is_at_rest(&mut self, floats: bool) -> bool {
        if !floats {
            return self.max_speed() < SLEEP_SPEED;
        }
        self.all.iter_mut().map(Body::stays).filter(|stays| !stays).count() == 0
    }

    /// Wakes all bodies.
    pub fn wake(&mut self) {
        self.steps_at_rest = 0;
        self.all.iter_mut().for_each(|body| body.steps_in_place = 0);
    }

    /// Sets all velocities to zero.
    pub fn zero_velocities(&mut self) {
        for body in &mut self.all {
            (body.velocity, body.angular_velocity) = (Vec2::ZERO, 0.0);
        }
    }

    /// Speed of the fastest point of any of them, m/s.
    pub fn max_speed(&self) -> f32 {
        self.all.iter().map(Body::speed).fold(0.0, f32::max)
    }

    /// Velocity at a place, m/s, where there is a body.
    pub fn velocity_at(&self, at: Vec2) -> Option<Vec2> {
        let here = self.all.iter().find(|body| body.hull.contact(at).distance < 0.0)?;
        Some(here.velocity_at(at))
    }

    /// Measures them under `gravity` (m/s²).
    pub fn stats(&self, gravity: Vec2) -> Stats {
        let mut stats = Stats { max_speed: f64::from(self.max_speed()), ..Stats::default() };
        for body in &self.all {
            let mass = f64::from(body.mass);
            let inertia = f64::from(body.inertia);
            stats.add_mass(mass, body.at.as_dvec2(), body.velocity.as_dvec2(), gravity.as_dvec2());
            stats.kinetic += 0.5 * inertia * f64::from(body.angular_velocity).powi(2);
            // The extent of a disc or a box itself counts in its spread as that of a disc of equal inertia.
            stats.spread += 0.5 * inertia;
            if let Some(temperature) = body.temperature {
                stats.add_warm_mass(1000.0 * mass, temperature, body.thermal_capacity() * temperature);
            }
        }
        stats.divide_by_mass();
        stats
    }
}

/// Displacement back into a round tank: that of the corner that sticks out the farthest.
fn container_correction(body: &Body, walls: &Walls) -> Vec2 {
    let mut back = Vec2::ZERO;
    for &corner in &body.hull.corners {
        walls.container_contacts(corner, body.hull.radius, |contact| {
            let over = body.hull.radius - contact.distance;
            if over * over > back.length_squared() {
                back = contact.normal * over;
            }
        });
    }
    back
}
