//! One rigid body: its material, its pose, and its response to impulses.

use crate::math::direction;
use crate::sim::boundary::{Hull, Shape};
use crate::sim::clock::STEP;
use crate::sim::forces::{PointerForce, PointerForceKind};
use crate::sim::neighbors::{SLEEP_SPEED, STEPS_TO_SLEEP};
use crate::sim::parameters::parameters;
use glam::Vec2;
use serde::Serialize;

/// Maximum speed of a body, and of its rim by rotation, m/s. A guard that ordinary scenes do not reach.
const MAX_SPEED: f32 = 15.0;

/// How far a floating body that rests may be from its mean place, metres: bodies in a crowd tremble.
const TREMBLE: f32 = 2.0 * SLEEP_SPEED * STEPS_TO_SLEEP as f32 * STEP;

/// Time constant of the mean place, seconds.
const PLACE_MEMORY: f32 = 0.75;

/// Distance from its edge at which a large body is pulled or burst, in brush radii.
const HOLD_RADIUS: f32 = 0.6;

parameters! {
    /// The material of a body.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct Material {
        /// Density relative to the liquid at rest. Less than 1 floats. In smoke a body floats if it is lighter than the smoke.
        pub density: f32 = 0.5, 0.02..=20.0, 3 "weight" "How heavy it is: below 1 it floats on water";
        /// Coulomb's coefficient against walls and other bodies (of two, the geometric mean counts), and the paper's μ against
        /// the liquid, at most 1: 0 slips, 1 sticks.
        pub friction: f32 = 0.4, 0.0..=2.0, 6 "roughness" "How much friction it has on other surfaces";
        /// The largest pull on liquid beside it, m/s²: the paper's `k_stick d_stick / 4` (eq. 17).
        pub stickiness: f32 = 0.0, 0.0..=100.0, 8 "stickiness" "How strongly liquid clings to it";
        /// Fraction of the speed of an impact that is returned. Of two, the greater counts.
        pub restitution: f32 = 0.1, 0.0..=1.0, 4 "bounce" "How much of its speed it keeps where it hits something";
        /// Heat capacity, J/(kg K).
        pub heat_capacity: f32 = 1000.0, 100.0..=20_000.0,
            12 "heat capacity" "How much heat warms it by one degree";
        /// A label for the view, such as a colour; the simulation does not read it. A scene file calls it `color`.
        #[serde(rename = "color")]
        pub label: Option<String> = None;
    }
}

/// One body.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Its material.
    pub material: Material,
    /// Its outline around its centre of mass.
    pub(in crate::sim) local: Hull,
    /// Its outline in the tank.
    pub hull: Hull,
    /// Its centre of mass, metres.
    pub at: Vec2,
    /// Radians, counter-clockwise.
    pub angle: f32,
    /// m/s.
    pub velocity: Vec2,
    /// Radians a second, counter-clockwise.
    pub angular_velocity: f32,
    /// Change of its velocity by contacts in the last substep, m/s.
    pub(in crate::sim) contact_delta_v: Vec2,
    /// Temperature, °C, in a tank that has one.
    pub temperature: Option<f64>,
    /// Mass; one square metre of water has mass 1.
    pub mass: f32,
    /// Moment of inertia about its centre of mass, kg m², one square metre of water having mass 1.
    pub inertia: f32,
    /// Its pose and velocities at the beginning of the substep.
    pub(in crate::sim) start_pose: (Vec2, f32),
    /// Whether the pressure of a liquid on a grid presses on it.
    pub(in crate::sim) is_carried: bool,
    /// The fraction of its velocity that it loses at the end of the substep, because it rests in a liquid at rest.
    pub(in crate::sim) settling: f32,
    pub(super) before: (Vec2, f32),
    /// The mean pose of the last moments, and the mean of that mean.
    mean_poses: [(Vec2, f32); 2],
    /// Number of steps for which it has stayed there.
    pub(super) steps_in_place: u8,
    /// The velocities of its motion in this substep: the mean of those before and after.
    pub(super) mean: (Vec2, f32),
}

impl Body {
    /// Creates a body of this outline with its centre of mass at `at`, wherever the outline itself lies.
    pub fn new(mut local: Hull, material: Material, at: Vec2, angle: f32) -> Self {
        let mass_data = local.mass_data();
        local.corners.iter_mut().for_each(|corner| *corner -= mass_data.center);
        let mut body = Self {
            mass: material.density * mass_data.area,
            inertia: material.density * mass_data.second_moment,
            material,
            local,
            at,
            angle,
            start_pose: (at, angle),
            mean_poses: [(at, angle); 2],
            ..Self::default()
        };
        body.update_transform();
        body
    }

    /// Heat capacity, J/K for each metre of the tank's depth; a square metre of water has a mass of a tonne.
    pub fn thermal_capacity(&self) -> f64 {
        1000.0 * f64::from(self.mass * self.material.heat_capacity)
    }

    pub(super) fn set_material(&mut self, material: &Material) {
        let ratio = material.density / self.material.density;
        (self.mass, self.inertia) = (self.mass * ratio, self.inertia * ratio);
        self.material.clone_from(material);
    }

    /// Largest distance of a point of it from its centre of mass, metres.
    pub fn bounding_radius(&self) -> f32 {
        self.local.bounding_radius()
    }

    /// Speed of its fastest point at most, m/s.
    pub(in crate::sim) fn speed(&self) -> f32 {
        self.velocity.length() + self.angular_velocity.abs() * self.bounding_radius()
    }

    /// Velocity of the point of it that is at `p`.
    pub fn velocity_at(&self, p: Vec2) -> Vec2 {
        self.velocity + self.angular_velocity * (p - self.at).perp()
    }

    /// Converts a place in the tank to the body's frame: from its centre of mass, in its original orientation.
    pub fn to_local(&self, p: Vec2) -> Vec2 {
        direction(-self.angle).rotate(p - self.at)
    }

    /// Whether its outline has long stayed within [`TREMBLE`] of a place that moves no faster than [`SLEEP_SPEED`], as one that
    /// sinks slowly does not. Once a step.
    pub(super) fn stays(&mut self) -> bool {
        // A disc may turn.
        let corners = self.bounding_radius() - self.local.radius;
        let mut pose = (self.at, self.angle);
        let mut lags = [0.0; 2];
        for (mean, lag) in self.mean_poses.iter_mut().zip(&mut lags) {
            mean.0 += STEP / PLACE_MEMORY * (pose.0 - mean.0);
            mean.1 += STEP / PLACE_MEMORY * (pose.1 - mean.1);
            *lag = pose.0.distance(mean.0) + (pose.1 - mean.1).abs() * corners;
            pose = *mean;
        }
        let stays = lags[0] < TREMBLE && lags[1] < SLEEP_SPEED * PLACE_MEMORY;
        self.steps_in_place = if stays { self.steps_in_place.saturating_add(1) } else { 0 };
        stays
    }

    /// How far it has come to rest: from 0 when it leaves its place to 1 after the time that it takes to fall asleep.
    pub(in crate::sim) fn restfulness(&self) -> f32 {
        (f32::from(self.steps_in_place) / f32::from(STEPS_TO_SLEEP)).min(1.0)
    }

    /// Changes its velocities by an impulse at `p`.
    pub fn apply_impulse(&mut self, impulse: Vec2, p: Vec2) {
        self.velocity += impulse / self.mass;
        self.apply_angular_impulse((p - self.at).perp_dot(impulse));
    }

    /// Changes its spin by an angular impulse, kg m²/s.
    pub fn apply_angular_impulse(&mut self, impulse: f32) {
        self.angular_velocity += impulse / self.inertia;
    }

    /// The shape as an obstacle.
    pub fn shape(&self) -> Shape {
        match self.hull.corners[..] {
            [at] => Shape::Circle { at, radius: self.hull.radius },
            _ => Shape::Polygon(self.hull.corners.clone()),
        }
    }

    /// Enlarges its outline by a factor. Its mass stays.
    pub(in crate::sim) fn inflate(&mut self, factor: f32) {
        self.local.radius *= factor;
        self.local.corners.iter_mut().for_each(|corner| *corner *= factor);
        self.update_transform();
    }

    /// Adds mass that moves at `velocity` (m/s), as by eating it.
    pub(in crate::sim) fn absorb(&mut self, mass: f32, velocity: Vec2) {
        let whole = self.mass + mass;
        self.velocity = (self.mass * self.velocity + mass * velocity) / whole;
        (self.inertia, self.mass) = (self.inertia * whole / self.mass, whole);
    }

    pub(super) fn update_transform(&mut self) {
        self.hull.place(&self.local, self.at, direction(self.angle));
    }

    pub(super) fn limit_speed(&mut self) {
        self.velocity = self.velocity.clamp_length_max(MAX_SPEED);
        let max_spin = MAX_SPEED / self.bounding_radius();
        self.angular_velocity = self.angular_velocity.clamp(-max_spin, max_spin);
    }

    /// Computes the velocities of its motion: the trapezoidal rule, which is exact under a constant force. With it a
    /// body that bobs on a grid's pressure would gain energy; there the velocities after the substep count.
    pub(super) fn update_mean_velocity(&mut self) {
        if self.is_carried {
            self.mean = (self.velocity, self.angular_velocity);
            return;
        }
        self.mean = (0.5 * (self.before.0 + self.velocity), 0.5 * (self.before.1 + self.angular_velocity));
    }

    /// Moves it from its pose at the beginning of the substep.
    pub(super) fn integrate(&mut self, dt: f32) {
        (self.at, self.angle) = (self.start_pose.0 + self.mean.0 * dt, self.start_pose.1 + self.mean.1 * dt);
    }

    /// Velocity of its point at `p`: before this substep, and in the mean.
    pub(super) fn velocity_before(&self, p: Vec2) -> Vec2 {
        self.before.0 + self.before.1 * (p - self.at).perp()
    }

    pub(super) fn mean_velocity(&self, p: Vec2) -> Vec2 {
        self.mean.0 + self.mean.1 * (p - self.at).perp()
    }

    /// Changes the velocities of its motion, and not those afterwards, by an impulse at `p`.
    pub(super) fn apply_mean_impulse(&mut self, impulse: Vec2, p: Vec2) {
        self.mean.0 += impulse / self.mass;
        self.mean.1 += (p - self.at).perp_dot(impulse) / self.inertia;
    }

    /// Whether the pointer's brush touches it.
    pub(super) fn is_touched(&self, force: &PointerForce) -> bool {
        self.hull.contact(force.at).distance < force.radius
    }

    /// It drags the nearest point of the body, as a finger on it would; it pulls and bursts the body as a whole.
    pub(super) fn apply_pointer(&mut self, force: &PointerForce, dt: f32) {
        let action = force.kind;
        if !action.acts_on_solids() || !self.is_touched(force) {
            return;
        }
        let contact = self.hull.contact(force.at);
        if let Some(velocity) = action.drag() {
            let force = PointerForce { kind: PointerForceKind::Push { velocity }, ..*force };
            let finger = force.at - contact.normal * contact.distance.max(0.0);
            let v = self.velocity_at(finger);
            self.change_point_velocity(force.apply(finger - force.at, v, dt) - v, finger);
        } else {
            let offset = (self.at - force.at).clamp_length_max(HOLD_RADIUS * force.radius);
            self.velocity = force.apply(offset, self.velocity, dt);
            self.angular_velocity *= 1.0 - (action.angular_drag() * dt).min(1.0);
        }
    }

    /// Changes the velocity of the point at `p` by `change`, by one impulse there.
    fn change_point_velocity(&mut self, change: Vec2, p: Vec2) {
        let arm = p - self.at;
        let by_mass = 1.0 / self.mass;
        let by_inertia = 1.0 / self.inertia;
        // The response of the point to an impulse is the matrix K = 1/m − [r]× 1/I [r]×.
        let k = glam::Mat2::from_cols(
            Vec2::new(by_mass + by_inertia * arm.y * arm.y, -by_inertia * arm.x * arm.y),
            Vec2::new(-by_inertia * arm.x * arm.y, by_mass + by_inertia * arm.x * arm.x),
        );
        self.apply_impulse(k.inverse() * change, p);
    }
}
