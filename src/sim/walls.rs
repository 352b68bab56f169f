//! The tank's walls and obstacles as signed distance functions.
//!
//! Distances are in metres, positive in free space and negative inside solid matter; normals point into free space.
//! The tank's own walls are met one by one (in a corner both push), obstacles as one union (only the nearest pushes).

use super::relief::Relief;
use glam::Vec2;
use std::sync::Arc;

/// A solid obstacle, in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Circle {
        at: Vec2,
        radius: f32,
    },
    Box {
        min: Vec2,
        max: Vec2,
    },
    Capsule {
        from: Vec2,
        to: Vec2,
        radius: f32,
    },
    /// A simple polygon of at least three corners, in either sense of rotation.
    Polygon(Vec<Vec2>),
    /// A drawing: its lower left corner, and the width of one of its samples.
    Relief {
        relief: Arc<Relief>,
        corner: Vec2,
        pitch: f32,
    },
}

/// What a wall is to a particle nearby: how far, and which way is out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Distance to the surface, metres; negative inside the solid.
    pub distance: f32,
    /// Unit vector out of the solid.
    pub normal: Vec2,
}

/// The inside of the tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Container {
    #[default]
    Box,
    /// The ellipse that touches all four sides (a circle where the tank is square).
    Circle,
}

impl Shape {
    /// Distance and outward normal at `p` (Quilez, "2D distance functions": the exact ones).
    pub fn contact(&self, p: Vec2) -> Contact {
        match self {
            Shape::Circle { at, radius } => around(p - *at, *radius),
            Shape::Capsule { from, to, radius } => around(p - nearest_on(*from, *to, p), *radius),
            Shape::Box { min, max } => around_box(p - (*min + *max) / 2.0, (*max - *min) / 2.0),
            Shape::Polygon(corners) => around_polygon(corners, p),
            Shape::Relief { relief, corner, pitch } => {
                let contact = relief.contact((p - corner) / pitch);
                Contact { distance: contact.distance * pitch, ..contact }
            }
        }
    }

    /// The corners of the smallest upright box around the shape.
    pub fn bounds(&self) -> (Vec2, Vec2) {
        match self {
            Shape::Circle { at, radius } => (at - *radius, at + *radius),
            Shape::Capsule { from, to, radius } => (from.min(*to) - *radius, from.max(*to) + *radius),
            Shape::Box { min, max } => (*min, *max),
            Shape::Polygon(corners) => {
                corners.iter().fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(lo, hi), c| (lo.min(*c), hi.max(*c)))
            }
            Shape::Relief { relief, corner, pitch } => (*corner, corner + relief.size() * *pitch),
        }
    }
}

/// A disc's contact for a point `from_centre`; its centre, where no direction is nearest, is left upwards.
fn around(from_centre: Vec2, radius: f32) -> Contact {
    let normal = from_centre.try_normalize().unwrap_or(Vec2::Y);
    Contact { distance: from_centre.length() - radius, normal }
}

fn nearest_on(a: Vec2, b: Vec2, p: Vec2) -> Vec2 {
    let along = b - a;
    let t = (p - a).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    a + along * t.clamp(0.0, 1.0)
}

fn around_box(from_centre: Vec2, half: Vec2) -> Contact {
    let side = Vec2::new(1f32.copysign(from_centre.x), 1f32.copysign(from_centre.y));
    let over = from_centre.abs() - half;
    let (distance, normal) = if over.x > 0.0 && over.y > 0.0 {
        (over.length(), over.normalize_or_zero())
    } else if over.x > over.y {
        (over.x, Vec2::X)
    } else {
        (over.y, Vec2::Y)
    };
    Contact { distance, normal: normal * side }
}

fn around_polygon(corners: &[Vec2], p: Vec2) -> Contact {
    let mut nearest = Vec2::ZERO;
    let mut least = f32::INFINITY;
    let mut edge = Vec2::X;
    let mut inside = false;
    let mut a = corners[corners.len() - 1];
    for &b in corners {
        let offset = p - nearest_on(a, b, p);
        if offset.length_squared() < least {
            (least, nearest, edge) = (offset.length_squared(), offset, b - a);
        }
        // Even–odd rule: count the edges that a ray to the right crosses.
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y) {
            inside = !inside;
        }
        a = b;
    }
    let sign = if inside { -1.0 } else { 1.0 };
    // On the outline itself no offset tells the way out; the edge's normal does, turned by the polygon's sense.
    let normal = nearest
        .try_normalize()
        .unwrap_or_else(|| edge.perp().normalize_or(Vec2::Y) * -signed_area(corners).signum() * sign);
    Contact { distance: sign * least.sqrt(), normal: sign * normal }
}

/// Twice the enclosed area, positive for corners in counter-clockwise order.
fn signed_area(corners: &[Vec2]) -> f32 {
    let mut a = corners[corners.len() - 1];
    let mut sum = 0.0;
    for &b in corners {
        sum += a.perp_dot(b);
        a = b;
    }
    sum
}

/// The tank with its obstacles.
#[derive(Clone, Debug)]
pub struct Walls {
    size: Vec2,
    container: Container,
    obstacles: Vec<Shape>,
    /// Which obstacles are within `reach` of each square of the tank, so that a particle in the open asks none.
    near: Vec<Vec<u16>>,
    near_columns: usize,
    reach: f32,
    /// Velocity of the right wall and of the ceiling while the tank changes shape, m/s.
    pub(super) closing: Vec2,
    version: u64,
}

impl Walls {
    /// A tank of `size` metres whose obstacles are felt up to `reach` metres away.
    pub fn new(size: Vec2, container: Container, obstacles: Vec<Shape>, reach: f32) -> Self {
        let mut walls = Self {
            size,
            container,
            obstacles,
            near: Vec::new(),
            near_columns: 0,
            reach,
            closing: Vec2::ZERO,
            version: 0,
        };
        walls.index();
        walls
    }

    /// Width and height of the tank, metres.
    pub fn size(&self) -> Vec2 {
        self.size
    }

    pub fn container(&self) -> Container {
        self.container
    }

    pub fn obstacles(&self) -> &[Shape] {
        &self.obstacles
    }

    /// Changes whenever size or obstacles do: a picture of the walls is good for as long as this stays.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Gives the tank another size and other obstacles.
    pub fn rebuild(&mut self, size: Vec2, obstacles: Vec<Shape>) {
        (self.size, self.obstacles) = (size, obstacles);
        self.index();
    }

    /// The same tank with these obstacles too.
    pub fn with(&self, more: impl Iterator<Item = Shape>) -> Self {
        let obstacles = self.obstacles.iter().cloned().chain(more).collect();
        Self::new(self.size, self.container, obstacles, self.reach)
    }

    /// How far obstacles are felt, metres.
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// Changes how far obstacles are felt, metres.
    pub fn set_reach(&mut self, reach: f32) {
        self.reach = reach;
        self.index();
    }

    fn index(&mut self) {
        self.version += 1;
        self.near.iter_mut().for_each(Vec::clear);
        self.near_columns = (self.size.x / self.reach).ceil() as usize + 1;
        let rows = (self.size.y / self.reach).ceil() as usize + 1;
        self.near.resize(self.near_columns * rows, Vec::new());
        for (number, shape) in self.obstacles.iter().enumerate() {
            let (min, max) = shape.bounds();
            let first = ((min / self.reach).floor() - 1.0).max(Vec2::ZERO).as_usizevec2();
            let last = ((max / self.reach).floor() + 1.0).max(Vec2::ZERO).as_usizevec2();
            for row in first.y..=last.y.min(rows - 1) {
                for column in first.x..=last.x.min(self.near_columns - 1) {
                    let middle = (Vec2::new(column as f32, row as f32) + 0.5) * self.reach;
                    // Half a square's diagonal is 0.71 of its side.
                    if shape.contact(middle).distance < 1.75 * self.reach {
                        self.near[row * self.near_columns + column].push(number as u16);
                    }
                }
            }
        }
    }

    fn obstacles_near(&self, p: Vec2) -> &[u16] {
        let square = (p / self.reach).max(Vec2::ZERO).as_usizevec2();
        match self.near.get(square.y * self.near_columns + square.x.min(self.near_columns - 1)) {
            Some(near) => near,
            None => &[],
        }
    }

    /// The contact with the union of obstacles, if one is within reach of `p`.
    pub fn obstacle(&self, p: Vec2) -> Option<Contact> {
        self.obstacles_near(p)
            .iter()
            .map(|&number| self.obstacles[number as usize].contact(p))
            .min_by(|a, b| a.distance.total_cmp(&b.distance))
            .filter(|contact| contact.distance < self.reach)
    }

    /// Calls `met` with every contact of the tank and its obstacles closer than `within` (at most the reach).
    #[inline]
    pub fn contacts(&self, p: Vec2, within: f32, mut met: impl FnMut(Contact)) {
        self.rims(p, within, &mut met);
        if let Some(contact) = self.obstacle(p).filter(|contact| contact.distance < within) {
            met(contact);
        }
    }

    /// Calls `met` with every contact of the tank itself closer than `within`.
    #[inline]
    pub fn rims(&self, p: Vec2, within: f32, mut met: impl FnMut(Contact)) {
        match self.container {
            Container::Box => {
                for contact in self.sides(p) {
                    if contact.distance < within {
                        met(contact);
                    }
                }
            }
            Container::Circle => {
                let contact = self.rim(p);
                if contact.distance < within {
                    met(contact);
                }
            }
        }
    }

    fn sides(&self, p: Vec2) -> [Contact; 4] {
        [
            Contact { distance: p.x, normal: Vec2::X },
            Contact { distance: self.size.x - p.x, normal: Vec2::NEG_X },
            Contact { distance: p.y, normal: Vec2::Y },
            Contact { distance: self.size.y - p.y, normal: Vec2::NEG_Y },
        ]
    }

    /// The round container. Exact in a square tank; elsewhere the ellipse's first-order distance, exact on the rim.
    fn rim(&self, p: Vec2) -> Contact {
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
        let mut least = self.reach;
        self.contacts(p, self.reach, |contact| least = least.min(contact.distance));
        least
    }

    /// The nearest free place to `p`, and the normal of the last wall that moved it there, if one did.
    ///
    /// Two walls may disagree (a peg against the floor), so the push is repeated; the tank has the last word.
    pub fn hold(&self, p: Vec2) -> (Vec2, Option<Vec2>) {
        let (mut at, mut pushed) = (p, None);
        for _ in 0..4 {
            let before = at;
            if let Some(contact) = self.obstacle(at).filter(|contact| contact.distance < 0.0) {
                at -= contact.normal * contact.distance;
                pushed = Some(contact.normal);
            }
            let inside = self.inside_tank(at);
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

    fn inside_tank(&self, p: Vec2) -> Vec2 {
        let boxed = p.clamp(Vec2::ZERO, self.size);
        match self.container {
            Container::Box => boxed,
            Container::Circle => {
                let half = self.size / 2.0;
                let scaled = (boxed - half) / half;
                if scaled.length_squared() <= 1.0 {
                    return boxed;
                }
                // A hair inside, so that rounding cannot leave it outside again.
                half + scaled.normalize() * 0.999_999 * half
            }
        }
    }

    /// Velocity of the wall whose inward normal is `normal`, m/s: not zero only while the tank changes shape.
    pub fn wall_velocity(&self, normal: Vec2) -> Vec2 {
        Vec2::new(
            if normal.x < -0.5 { self.closing.x } else { 0.0 },
            if normal.y < -0.5 { self.closing.y } else { 0.0 },
        )
    }
}
