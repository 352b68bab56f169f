//! The tank's walls and obstacles as signed distance functions, metres, positive in free space and negative inside solid matter;
//! normals point into free space. Contacts are with each of the tank's own walls and the nearest obstacle.

mod contact;
pub mod convex;
pub mod drawing;
pub mod halfplane;
pub mod lookup_table;
pub mod region;
pub mod sdf_grid;
mod shape;

use crate::math::slide_along;
pub use contact::Contact;
pub use convex::Hull;
use glam::{USizeVec2, Vec2};
pub use lookup_table::LookupTable;
pub use region::Region;
use serde::Serialize;
pub use shape::{Shape, closest_on_segment};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Height to which matter may rise over a tank without a ceiling, in heights of the tank: a tank that is turned over keeps it.
const OPEN_HEIGHT: f32 = 3.0;

/// The shortest step of [`Walls::first_hit`], in support radii.
const MIN_TRACE: f32 = 0.01;

/// The longest way that is traced, in widths and heights of the tank.
const MAX_TRACE: f32 = 4.0;

/// Side of a square of the broadphase, in support radii: a little less than half of a liquid's h.
const SQUARE_SIDE: f32 = 0.25;

/// Upper limit on the number of squares: 6 MB.
const MAX_SQUARES: f32 = 2e5;

/// Number of versions whose changes are remembered: a picture is drawn every few steps.
const REMEMBERED_VERSIONS: usize = 8;

/// The version of the walls that change next.
static NEXT_VERSION: AtomicU64 = AtomicU64::new(1);

/// Distance from an obstacle at which a way along it runs, in support radii.
const CLEARANCE: f32 = 1e-4;

named! {
    /// The inside of the tank.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Container {
        /// A box.
        #[default]
        Box => "box",
        /// The ellipse that touches all four sides (a circle where the tank is square).
        Circle => "circle",
        /// A box without a ceiling: what leaves through it falls back.
        OpenTop => "open-top",
    }
}

/// An obstacle near a square of the tank.
#[derive(Clone, Debug)]
struct NearObstacle {
    number: usize,
    /// Range of those edges in [`Walls::edges`] that matter in the square.
    edges: Range<usize>,
    /// Signed distance of the square's centre, metres.
    distance: f32,
}

/// The tank with its obstacles.
#[derive(Clone, Debug, Default)]
pub struct Walls {
    size: Vec2,
    container: Container,
    obstacles: Vec<Shape>,
    /// Velocities of the obstacles, m/s; empty if none moves.
    velocities: Vec<Vec2>,
    /// The obstacles within the support radius of each square.
    broadphase: Vec<Vec<NearObstacle>>,
    /// Its columns and rows.
    broadphase_size: USizeVec2,
    /// Side of a square, metres.
    square_side: f32,
    /// The edges of polygons near each square.
    edges: Vec<[Vec2; 2]>,
    support_radius: f32,
    /// Velocity of the upper right corner while the tank changes shape, m/s.
    pub(super) corner_velocity: Vec2,
    version: u64,
    /// What the last versions have changed, the oldest first.
    changes: Vec<Change>,
}

/// An obstacle has moved.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The version of the walls before it.
    since: u64,
    /// Corners of the smallest upright box around the obstacle before and after it, metres.
    bounds: (Vec2, Vec2),
}

impl Change {
    /// The box within `margin` metres of which something has changed.
    pub fn bounds(self, margin: Vec2) -> (Vec2, Vec2) {
        (self.bounds.0 - margin, self.bounds.1 + margin)
    }
}

impl Walls {
    /// Creates a tank of `size` metres whose obstacles act up to `support_radius` metres away, and go on beyond its sides.
    pub fn new(size: Vec2, container: Container, obstacles: Vec<Shape>, support_radius: f32) -> Self {
        let mut walls = Self { container, support_radius, ..Self::default() };
        walls.rebuild(size, obstacles);
        walls
    }

    /// Returns width and height of the tank, metres.
    pub fn size(&self) -> Vec2 {
        self.size
    }

    /// The tank itself.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The walls and obstacles of the tank.
    pub fn obstacles(&self) -> &[Shape] {
        &self.obstacles
    }

    /// Changes whenever the size or the obstacles do, so that a cached picture of the walls can be checked. Walls that differ
    /// have different versions, those of other worlds too.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Changes the tank's size and obstacles.
    pub fn rebuild(&mut self, size: Vec2, obstacles: Vec<Shape>) {
        self.size = size;
        self.obstacles = obstacles.into_iter().map(|shape| shape.beyond(size)).collect();
        self.velocities.clear();
        self.rebuild_broadphase();
    }

    /// Gives obstacles, by their numbers, new shapes and velocities. Returns whether any moves, or did until now.
    pub(super) fn move_obstacles(&mut self, moved: impl Iterator<Item = (usize, Shape, Vec2)>) -> bool {
        let moved_before = self.obstacles_move();
        self.velocities.resize(self.obstacles.len(), Vec2::ZERO);
        let remembered = self.changes.len();
        for (number, shape, velocity) in moved {
            let shape = shape.beyond(self.size);
            if velocity != Vec2::ZERO {
                let [before, after] = [&self.obstacles[number], &shape].map(Shape::bounds);
                let bounds = (before.0.min(after.0), before.1.max(after.1));
                self.changes.push(Change { since: self.version, bounds });
            }
            (self.obstacles[number], self.velocities[number]) = (shape, velocity);
        }
        let count = self.changes.len() - remembered;
        if count > 0 {
            while self.changes.len() > REMEMBERED_VERSIONS * count {
                let oldest = self.changes[0].since;
                self.changes.retain(|change| change.since != oldest);
            }
            self.fill_broadphase();
        }
        count > 0 || moved_before
    }

    /// What has changed since a version; none if that may be anything.
    pub fn changes_since(&self, version: u64) -> Option<&[Change]> {
        if version == self.version {
            return Some(&[]);
        }
        let first = self.changes.iter().position(|change| change.since == version)?;
        Some(&self.changes[first..])
    }

    /// Returns the same tank with additional obstacles.
    pub fn with(&self, more: impl Iterator<Item = Shape>) -> Self {
        let mut walls = self.clone();
        walls.obstacles.extend(more);
        walls.rebuild_broadphase();
        walls
    }

    /// Distance up to which obstacles act, metres.
    pub fn support_radius(&self) -> f32 {
        self.support_radius
    }

    /// Changes the distance up to which obstacles act, metres.
    pub fn set_support_radius(&mut self, support_radius: f32) {
        self.support_radius = support_radius;
        self.rebuild_broadphase();
    }

    fn rebuild_broadphase(&mut self) {
        self.changes.clear();
        self.fill_broadphase();
    }

    fn fill_broadphase(&mut self) {
        self.version = NEXT_VERSION.fetch_add(1, Ordering::Relaxed);
        let side = (SQUARE_SIDE * self.support_radius).max((self.size.element_product() / MAX_SQUARES).sqrt());
        self.square_side = side;
        self.broadphase_size = (self.size / side).ceil().as_usizevec2() + 1;
        self.edges.clear();
        self.broadphase.iter_mut().for_each(Vec::clear);
        self.broadphase.resize(self.broadphase_size.element_product(), Vec::new());
        for (number, shape) in self.obstacles.iter().enumerate() {
            let (min, max) = shape.bounds();
            let first = ((min - self.support_radius) / side).floor().max(Vec2::ZERO).as_usizevec2();
            let last = ((max + self.support_radius) / side).floor().max(Vec2::ZERO).as_usizevec2();
            for row in first.y..=last.y.min(self.broadphase_size.y - 1) {
                for column in first.x..=last.x.min(self.broadphase_size.x - 1) {
                    let center = (Vec2::new(column as f32, row as f32) + 0.5) * side;
                    // A corner is 0.71 sides away, and the distance to a drawing changes by up to 1.41 a metre.
                    let distance = shape.contact(center).distance;
                    if distance - side < self.support_radius {
                        let first = self.edges.len();
                        self.edges.extend(shape.edges_near(center, side, distance.abs()));
                        let edges = first..self.edges.len();
                        let square = &mut self.broadphase[row * self.broadphase_size.x + column];
                        square.push(NearObstacle { number, edges, distance });
                    }
                }
            }
        }
    }

    /// The obstacles near the square that serves `p`, and its column and row if it were not the outermost.
    fn square(&self, p: Vec2) -> (&[NearObstacle], USizeVec2) {
        let place = (p / self.square_side).max(Vec2::ZERO).as_usizevec2();
        let outermost = place.min(self.broadphase_size - 1);
        (&self.broadphase[outermost.y * self.broadphase_size.x + outermost.x], place)
    }

    /// The nearest of the obstacles that may be closer to `p` than `within`, and the contact with it.
    fn nearest_obstacle(&self, p: Vec2, within: f32) -> Option<(usize, Contact)> {
        let (obstacles, place) = self.square(p);
        let side = self.square_side;
        // The outermost squares serve all places beyond them too, which have other distances, and where other edges matter.
        let is_in_square = p.min_element() >= 0.0 && place.cmplt(self.broadphase_size).all();
        if is_in_square && obstacles.iter().all(|near| near.distance - side >= within) {
            return None;
        }
        let from_center = p.distance((place.as_vec2() + 0.5) * side);
        let mut nearest: Option<(usize, Contact)> = None;
        for &NearObstacle { number, ref edges, distance } in obstacles {
            if is_in_square && nearest.is_some_and(|(_, it)| distance - side > it.distance) {
                continue;
            }
            let shape = &self.obstacles[number];
            let contact = if is_in_square {
                // The rest is for rounding.
                let within = 1.01 * (distance.abs() + from_center) + 0.01 * self.support_radius;
                shape.contact_near(&self.edges[edges.clone()], within, p)
            } else {
                shape.contact(p)
            };
            if nearest.is_none_or(|(_, it)| contact.distance.total_cmp(&it.distance).is_lt()) {
                nearest = Some((number, contact));
            }
        }
        nearest
    }

    /// The contact with the union of obstacles, if one is within the support radius of `p`.
    pub fn obstacle(&self, p: Vec2) -> Option<Contact> {
        self.obstacle_within(p, self.support_radius)
    }

    /// As [`Walls::obstacle`], for a grid of nodes `spacing` metres apart. What is so thin that nodes could miss it grows on both
    /// of its sides, until the nodes within it are neighbours all along it (a standard line of digital geometry).
    pub fn obstacle_on_grid(&self, p: Vec2, spacing: f32) -> Option<Contact> {
        let contact = self.obstacle(p)?;
        let width = spacing * contact.normal.abs().element_sum();
        if contact.distance.abs() >= width {
            return Some(contact);
        }
        // As deep behind the surface as it is to be thick, a thin one has ended.
        let behind = p - (contact.distance + width) * contact.normal;
        let missing = self.obstacle(behind).map_or(width, |there| there.distance.clamp(0.0, width));
        Some(Contact { distance: contact.distance - 0.5 * missing, ..contact })
    }

    /// The contact with the union of obstacles, if it is closer than `within` (at most the support radius).
    #[inline]
    fn obstacle_within(&self, p: Vec2, within: f32) -> Option<Contact> {
        if self.obstacles.is_empty() {
            return None;
        }
        let (_, contact) = self.nearest_obstacle(p, within)?;
        (contact.distance < within.min(self.support_radius)).then_some(contact)
    }

    /// Where a point that moves from `from` to `to` first touches an obstacle, and the normal there. A way that begins inside of
    /// one, as by rounding it does at its surface, may only lead out of it. Sphere tracing, which may miss a plate thinner than a
    /// hundredth of the support radius.
    pub fn first_hit(&self, from: Vec2, to: Vec2) -> Option<(Vec2, Vec2)> {
        if self.obstacles.is_empty() {
            return None;
        }
        let length = from.distance(to);
        if length == 0.0 || !length.is_finite() {
            return None;
        }
        let direction = (to - from) / length;
        // No obstacle is farther from another place of the tank; steps would be lost in the rounding of a longer way.
        let length = length.min(MAX_TRACE * (self.size.x + self.extent().y));
        let min_step = MIN_TRACE * self.support_radius;
        let mut passed = 0f32;
        let mut last = from;
        loop {
            let at = from + passed.min(length) * direction;
            // What is farther than the rest of the way is not on it.
            let rest = (length - passed).max(0.0);
            let distance = match self.obstacle_within(at, rest.min(self.support_radius)) {
                Some(Contact { distance, normal })
                    if distance < 0.0 && (passed > 0.0 || normal.dot(direction) < 0.0) =>
                {
                    return Some((last, normal));
                }
                Some(contact) => contact.distance,
                None if rest <= self.support_radius => return None,
                None => self.support_radius,
            };
            last = at;
            passed += distance.max(min_step);
        }
    }

    /// The end of a way to `to` that has met an obstacle (as [`Walls::first_hit`] returns it): on along it, up to a second one, and
    /// the normal of that.
    pub fn end_along(&self, to: Vec2, (stopped, normal): (Vec2, Vec2)) -> (Vec2, Option<Vec2>) {
        // Rounding must not put the way along the surface inside of it.
        let start = stopped + CLEARANCE * self.support_radius * normal;
        let end = start + slide_along(to - stopped, normal);
        self.first_hit(start, end).map_or((end, None), |(second, normal)| (second, Some(normal)))
    }

    /// The free end of a way, which no wall lets through, however thin it is, and the normal of the wall that it met first.
    pub fn end_of_way(&self, from: Vec2, to: Vec2) -> (Vec2, Option<Vec2>) {
        match self.first_hit(from, to) {
            Some(hit) => (self.project_to_free(self.end_along(to, hit).0).0, Some(hit.1)),
            None => self.project_to_free(to),
        }
    }

    /// Calls `met` with every contact of the tank and its obstacles closer than `within` (at most the support radius).
    #[inline]
    pub fn contacts(&self, p: Vec2, within: f32, mut met: impl FnMut(Contact)) {
        self.container_contacts(p, within, &mut met);
        if let Some(contact) = self.obstacle_within(p, within) {
            met(contact);
        }
    }

    /// Calls `met` with every contact of the tank itself closer than `within`.
    #[inline]
    pub fn container_contacts(&self, p: Vec2, within: f32, mut met: impl FnMut(Contact)) {
        let mut near = |contact: Contact| {
            if contact.distance < within {
                met(contact);
            }
        };
        match self.container {
            Container::Box | Container::OpenTop => self.sides(p).into_iter().for_each(near),
            Container::Circle => near(self.ellipse_contact(p)),
        }
    }

    fn sides(&self, p: Vec2) -> [Contact; 4] {
        [
            Contact { distance: p.x, normal: Vec2::X },
            Contact { distance: self.size.x - p.x, normal: Vec2::NEG_X },
            Contact { distance: p.y, normal: Vec2::Y },
            Contact { distance: self.extent().y - p.y, normal: Vec2::NEG_Y },
        ]
    }

    /// Contact with the round container. Exact in a square tank; elsewhere the ellipse's first-order distance, exact on the rim.
    fn ellipse_contact(&self, p: Vec2) -> Contact {
        let half = self.size / 2.0;
        let scaled = (p - half) / half;
        let slope = scaled / half;
        let inward = -slope.try_normalize().unwrap_or(Vec2::Y);
        if scaled == Vec2::ZERO {
            return Contact { distance: half.min_element(), normal: inward };
        }
        let r = scaled.length();
        Contact { distance: r * (1.0 - r) / slope.length(), normal: inward }
    }

    /// Signed distance to the nearest solid: negative in obstacles and outside the tank.
    pub fn distance(&self, p: Vec2) -> f32 {
        let mut min = self.support_radius;
        self.contacts(p, self.support_radius, |contact| min = min.min(contact.distance));
        min
    }

    /// Signed distance to the nearest solid but the sides of a box, which are faces of a grid; none where no solid is near.
    /// As [`Walls::obstacle_on_grid`]; with a `spacing` of 0, as it is.
    pub fn distance_from_sides(&self, p: Vec2, spacing: f32) -> Option<f32> {
        let obstacle = self.obstacle_on_grid(p, spacing).map(|contact| contact.distance);
        match self.container {
            Container::Box | Container::OpenTop => obstacle,
            Container::Circle => Some(obstacle.unwrap_or(self.support_radius).min(self.ellipse_contact(p).distance)),
        }
    }

    /// The nearest free place to `p`, and the normal of the last wall that moved it there, if one did. Two walls may disagree (a
    /// peg against the floor), so the push is repeated; the tank has the last word.
    pub fn project_to_free(&self, p: Vec2) -> (Vec2, Option<Vec2>) {
        let mut at = p;
        let mut pushed = None;
        for _ in 0..4 {
            let before = at;
            if let Some(contact) = self.obstacle_within(at, 0.0) {
                at -= contact.normal * contact.distance;
                pushed = Some(contact.normal);
            }
            let inside = self.clamp_to_container(at);
            if inside != at {
                pushed = Some((inside - at).normalize_or(Vec2::Y));
                at = inside;
            }
            if at == before {
                break;
            }
        }
        (at, pushed)
    }

    /// Height of the floor at `x`, metres: of the first free place from below.
    pub fn floor_at(&self, x: f32) -> f32 {
        const STEP: f32 = 0.003;
        let mut y = 0.0;
        while y < self.size.y {
            match self.obstacle_within(Vec2::new(x, y), 0.0) {
                Some(contact) => y += (-contact.distance).max(STEP),
                None => break,
            }
        }
        y
    }

    fn clamp_to_container(&self, p: Vec2) -> Vec2 {
        let boxed = p.clamp(Vec2::ZERO, self.extent());
        match self.container {
            Container::Box | Container::OpenTop => boxed,
            Container::Circle => {
                let half = self.size / 2.0;
                let scaled = (boxed - half) / half;
                if scaled.length_squared() <= 1.0 {
                    return boxed;
                }
                // Slightly inside, so that rounding cannot leave it outside again.
                half + scaled.normalize() * 0.999_999 * half
            }
        }
    }

    /// Velocity of the wall at `at`, m/s: the tank stretches about its lower left corner. Walls do not slide along themselves.
    pub fn wall_velocity(&self, at: Vec2, normal: Vec2) -> Vec2 {
        self.solid_velocity(at, |contact| contact.normal.dot(normal) > 0.9).dot(normal) * normal
    }

    /// Velocity of the solid at `at`, m/s: of the tank, and of the nearest obstacle, if that is the one which is `met`.
    pub fn solid_velocity(&self, at: Vec2, met: impl Fn(Contact) -> bool) -> Vec2 {
        self.corner_velocity * at / self.size + self.obstacle_velocity(at, met)
    }

    /// Velocity of the nearest obstacle at `at`, m/s, if it is the one which is `met`.
    pub fn obstacle_velocity(&self, at: Vec2, met: impl Fn(Contact) -> bool) -> Vec2 {
        let moves = |near: &NearObstacle| self.velocities[near.number] != Vec2::ZERO;
        if self.velocities.is_empty() || !self.square(at).0.iter().any(moves) {
            return Vec2::ZERO;
        }
        let nearest = self.nearest_obstacle(at, f32::INFINITY);
        nearest.filter(|it| met(it.1)).map_or(Vec2::ZERO, |(number, _)| self.velocities[number])
    }

    /// Whether any wall or obstacle has a velocity.
    pub fn moves(&self) -> bool {
        self.corner_velocity != Vec2::ZERO || self.obstacles_move()
    }

    /// Whether any obstacle has a velocity.
    pub fn obstacles_move(&self) -> bool {
        self.velocities.iter().any(|velocity| *velocity != Vec2::ZERO)
    }

    /// The extent of the space that matter may fill, metres: a tank without a ceiling reaches higher than its sides are drawn.
    pub fn extent(&self) -> Vec2 {
        let is_open = self.container == Container::OpenTop;
        Vec2::new(self.size.x, self.size.y * if is_open { OPEN_HEIGHT } else { 1.0 })
    }
}

/// Fraction of a face that is open, by the signed distances at its ends (Ng, Min, Gibou 2009); less than `min` is closed.
pub fn open_fraction([a, b]: [f32; 2], min: f32) -> f32 {
    let (least, most) = (a.min(b), a.max(b));
    if least >= 0.0 {
        return 1.0;
    }
    let open = if most <= 0.0 { 0.0 } else { most / (most - least) };
    if open < min { 0.0 } else { open }
}
