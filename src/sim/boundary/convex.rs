//! Convex outlines: discs, polygons, and capsules for walls drawn by hand. A hull is the convex polygon around its corners, grown
//! by a radius: one corner with a radius is a disc, two are a capsule, three or more without a radius a polygon.

use crate::math::direction;
use crate::sim::boundary::contact::Contact;
use glam::Vec2;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    pub corners: Vec<Vec2>,
    /// Outward normal of each side, from the corner of the same number to the next.
    pub normals: Vec<Vec2>,
    /// Radius by which the hull extends beyond the polygon of its corners, metres.
    pub radius: f32,
}

/// Mass properties of a hull at density 1: its area (m²), its centroid, and its second moment about that (m⁴).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassData {
    pub area: f32,
    pub center: Vec2,
    pub second_moment: f32,
}

impl Hull {
    pub fn disc(at: Vec2, radius: f32) -> Self {
        Self { corners: vec![at], normals: vec![Vec2::ZERO], radius }
    }

    /// Returns the capsule of all points within `radius` of the line between two points.
    pub fn capsule(from: Vec2, to: Vec2, radius: f32) -> Self {
        if from == to { Self::disc(from, radius) } else { Self::of(vec![from, to], radius) }
    }

    /// Returns the polygon with these corners, in either sense of rotation. It must be convex.
    pub fn polygon(mut corners: Vec<Vec2>) -> Self {
        if twice_area(&corners) < 0.0 {
            corners.reverse();
        }
        Self::of(corners, 0.0)
    }

    fn of(corners: Vec<Vec2>, radius: f32) -> Self {
        let side = |number: usize| corners[(number + 1) % corners.len()] - corners[number];
        let normals = (0..corners.len()).map(|number| -side(number).perp().normalize_or_zero()).collect();
        Self { corners, normals, radius }
    }

    /// Sets it to `local`, turned by `turn` (cosine and sine) and then moved to `at`. Reuses its memory.
    pub fn place(&mut self, local: &Hull, at: Vec2, turn: Vec2) {
        self.radius = local.radius;
        self.corners.clear();
        self.corners.extend(local.corners.iter().map(|corner| at + turn.rotate(*corner)));
        self.normals.clear();
        self.normals.extend(local.normals.iter().map(|normal| turn.rotate(*normal)));
    }

    /// The corners of the smallest upright box around it.
    pub fn bounds(&self) -> (Vec2, Vec2) {
        let around = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        let (min, max) = self.corners.iter().fold(around, |(lo, hi), corner| (lo.min(*corner), hi.max(*corner)));
        (min - self.radius, max + self.radius)
    }

    /// Signed distance of `p` and the outward normal, as of an obstacle.
    pub fn contact(&self, p: Vec2) -> Contact {
        let (side, over) = self.nearest_side(p);
        self.contact_at_side(p, side, over)
    }

    /// As [`Self::contact`], of places closer than `reach`, metres.
    pub fn contact_within(&self, p: Vec2, reach: f32) -> Option<Contact> {
        let (side, over) = self.nearest_side(p);
        // No place before a side is nearer than that side's line.
        if over >= reach + self.radius {
            return None;
        }
        Some(self.contact_at_side(p, side, over)).filter(|contact| contact.distance < reach)
    }

    /// The side whose line `p` is farthest beyond, and how far, metres.
    fn nearest_side(&self, p: Vec2) -> (usize, f32) {
        self.support(|number| self.normals[number].dot(p - self.corners[number]))
    }

    fn contact_at_side(&self, p: Vec2, side: usize, over: f32) -> Contact {
        let (a, b) = (self.corners[side], self.corners[(side + 1) % self.corners.len()]);
        if over <= 0.0 && self.corners.len() > 1 {
            return Contact { distance: over - self.radius, normal: self.normals[side] };
        }
        let along = b - a;
        let fraction = ((p - a).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let offset = p - a - fraction * along;
        let fallback = if self.corners.len() > 1 { self.normals[side] } else { Vec2::Y };
        Contact { distance: offset.length() - self.radius, normal: offset.try_normalize().unwrap_or(fallback) }
    }

    /// Returns the side for which `measure` is greatest, and that value.
    pub fn support(&self, measure: impl Fn(usize) -> f32) -> (usize, f32) {
        let measured = (0..self.corners.len()).map(|number| (number, measure(number)));
        measured.reduce(|best, next| if next.1 > best.1 { next } else { best }).unwrap_or((0, 0.0))
    }

    pub fn bounding_radius(&self) -> f32 {
        self.corners.iter().map(|corner| corner.length()).fold(0.0, f32::max) + self.radius
    }

    pub fn mass_data(&self) -> MassData {
        if let [center] = self.corners[..] {
            let area = std::f32::consts::PI * self.radius * self.radius;
            return MassData { area, center, second_moment: 0.5 * area * self.radius * self.radius };
        }
        // By triangles from the first corner, which loses no precision far from the origin.
        let base = self.corners[0];
        let mut twice = 0.0;
        let mut moment = Vec2::ZERO;
        let mut second = 0.0;
        for pair in self.corners[1..].windows(2) {
            let (a, b) = (pair[0] - base, pair[1] - base);
            let cross = a.perp_dot(b);
            twice += cross;
            moment += cross * (a + b) / 3.0;
            second += cross * (a.dot(a) + a.dot(b) + b.dot(b)) / 12.0;
        }
        let (area, offset) = (0.5 * twice, moment / twice);
        MassData { area, center: base + offset, second_moment: second - area * offset.length_squared() }
    }

    /// Whether a polygon is convex: it turns the same way at every corner, and once around in all.
    pub fn is_convex(corners: &[Vec2]) -> bool {
        let side = |number: usize| corners[(number + 1) % corners.len()] - corners[number % corners.len()];
        let sense = twice_area(corners).signum();
        let turns = (0..corners.len()).map(|number| sense * side(number).angle_to(side(number + 1)));
        turns.clone().all(|turn| turn > 1e-4) && (turns.sum::<f32>() - std::f32::consts::TAU).abs() < 0.1
    }

    /// Fraction of its area below `height` in the direction `up`.
    pub fn fraction_below(&self, up: Vec2, height: f32) -> f32 {
        let outline = self.outline();
        let whole = twice_area(&outline);
        let mut below = Vec::with_capacity(outline.len() + 2);
        for (number, &a) in outline.iter().enumerate() {
            let b = outline[(number + 1) % outline.len()];
            let (over_a, over_b) = (up.dot(a) - height, up.dot(b) - height);
            if over_a <= 0.0 {
                below.push(a);
            }
            if (over_a <= 0.0) != (over_b <= 0.0) {
                below.push(a + (b - a) * (over_a / (over_a - over_b)));
            }
        }
        if below.len() < 3 { 0.0 } else { (twice_area(&below) / whole).clamp(0.0, 1.0) }
    }

    /// Returns it as a polygon; a disc as one of 64 corners.
    fn outline(&self) -> Vec<Vec2> {
        match self.corners[..] {
            [center] => (0..64)
                .map(|number| center + self.radius * direction(number as f32 / 64.0 * std::f32::consts::TAU))
                .collect(),
            _ => self.corners.clone(),
        }
    }
}

/// Twice the enclosed area, positive for corners in counter-clockwise order.
pub fn twice_area(corners: &[Vec2]) -> f32 {
    let base = corners[0];
    corners.windows(2).map(|pair| (pair[0] - base).perp_dot(pair[1] - base)).sum()
}

/// Cuts a simple polygon, in either sense of rotation, into convex pieces: ear clipping (G. Meisters 1975).
pub fn convex_decompose(corners: &[Vec2]) -> Vec<Hull> {
    let mut left: Vec<Vec2> = corners.to_vec();
    if twice_area(&left) < 0.0 {
        left.reverse();
    }
    let mut pieces = Vec::new();
    while left.len() > 3 && !Hull::is_convex(&left) {
        let count = left.len();
        let corner = |number: usize| (left[(number + count - 1) % count], left[number], left[(number + 1) % count]);
        // Where rounding leaves no ear, a sliver is cut off.
        let ear = (0..count).find(|&number| is_ear(corner(number), &left)).unwrap_or(0);
        let (a, b, c) = corner(ear);
        if (b - a).perp_dot(c - a) > 1e-9 {
            pieces.push(Hull::polygon(vec![a, b, c]));
        }
        left.remove(ear);
    }
    pieces.push(Hull::polygon(left));
    pieces
}

/// Whether the triangle at a corner lies within the polygon.
fn is_ear((a, b, c): (Vec2, Vec2, Vec2), corners: &[Vec2]) -> bool {
    let within = |p: Vec2| {
        let side = |from: Vec2, to: Vec2| (to - from).perp_dot(p - from) >= 0.0;
        p != a && p != b && p != c && side(a, b) && side(b, c) && side(c, a)
    };
    (b - a).perp_dot(c - a) > 0.0 && !corners.iter().any(|&p| within(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_box() -> Hull {
        Hull::polygon(vec![Vec2::ZERO, Vec2::Y, Vec2::ONE, Vec2::X])
    }

    #[test]
    fn mass_of_a_box_and_of_a_disc() {
        let mass_data = unit_box().mass_data();
        assert!((mass_data.area - 1.0).abs() < 1e-6 && mass_data.center.distance(Vec2::splat(0.5)) < 1e-6);
        assert!((mass_data.second_moment - 1.0 / 6.0).abs() < 1e-6, "{mass_data:?}");
        let disc = Hull::disc(Vec2::ONE, 0.5).mass_data();
        assert!((disc.second_moment - 0.5 * disc.area * 0.25).abs() < 1e-6);
    }

    #[test]
    fn contacts_tell_the_way_out() {
        let hull = unit_box();
        for (p, distance, normal) in [
            (Vec2::new(0.9, 0.5), -0.1, Vec2::X),
            (Vec2::new(0.5, -0.25), 0.25, Vec2::NEG_Y),
            (Vec2::new(4.0, 5.0), 5.0, Vec2::new(0.6, 0.8)),
        ] {
            let contact = hull.contact(p);
            assert!(
                (contact.distance - distance).abs() < 1e-6 && contact.normal.distance(normal) < 1e-6,
                "{contact:?}"
            );
        }
    }

    #[test]
    fn a_fraction_lies_below_a_level() {
        assert!((unit_box().fraction_below(Vec2::Y, 0.3) - 0.3).abs() < 1e-6);
        assert!((Hull::disc(Vec2::ZERO, 1.0).fraction_below(Vec2::X, 0.0) - 0.5).abs() < 1e-3);
        assert_eq!(unit_box().fraction_below(Vec2::Y, -1.0), 0.0);
        assert_eq!(unit_box().fraction_below(Vec2::Y, 7.0), 1.0);
    }

    #[test]
    fn a_star_is_cut_into_convex_pieces_of_the_same_area() {
        let tip = |number: usize| {
            let radius = if number.is_multiple_of(2) { 1.0 } else { 0.4 };
            radius * Vec2::from_angle(number as f32 / 10.0 * std::f32::consts::TAU)
        };
        let star: Vec<Vec2> = (0..10).map(tip).collect();
        assert!(!Hull::is_convex(&star));
        let pieces = convex_decompose(&star);
        let area: f32 = pieces.iter().map(|piece| piece.mass_data().area).sum();
        assert!((area - 0.5 * twice_area(&star)).abs() < 1e-5 && pieces.len() > 4);
        assert!(pieces.iter().all(|piece| Hull::is_convex(&piece.corners)));
    }
}
