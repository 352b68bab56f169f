//! The tank's walls and obstacles as signed distance functions.
//!
//! Distances are in metres, positive in free space and negative inside solid matter; normals point into free space.
//! The tank's own walls are met one by one (in a corner both push), obstacles as one union (only the nearest pushes).

pub mod convex;
pub mod drawing;
pub mod halfplane;
pub mod lookup_table;
pub mod region;
pub mod sdf_grid;
mod shape;

use glam::Vec2;
pub use shape::{Contact, Shape};

/// The inside of the tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Container {
    #[default]
    Box,
    /// The ellipse that touches all four sides (a circle where the tank is square).
    Circle,
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
    /// Velocity of the upper right corner while the tank changes shape, m/s.
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

    /// Velocity of the wall at `at` whose normal is `normal`, m/s: not zero only while the tank changes its shape. It
    /// stretches about its lower left corner, and obstacles with it, which are placed in shares of the tank; only their
    /// radii stay. Nothing slides along itself.
    pub fn wall_velocity(&self, at: Vec2, normal: Vec2) -> Vec2 {
        (self.closing * at / self.size).dot(normal) * normal
    }
}
