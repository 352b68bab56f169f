use crate::sim::boundary::contact::Contact;
use crate::sim::boundary::convex::twice_area;
use crate::sim::boundary::sdf_grid::SdfGrid;
use glam::Vec2;
use std::sync::Arc;

/// A solid obstacle, in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Circle {
        at: Vec2,
        radius: f32,
    },
    /// Its lower left and its upper right corner.
    Box {
        min: Vec2,
        max: Vec2,
    },
    /// A thick line with round ends.
    Capsule {
        from: Vec2,
        to: Vec2,
        radius: f32,
    },
    /// A simple polygon of at least three corners, in either sense of rotation.
    Polygon(Vec<Vec2>),
    /// A drawing: its lower left corner, and the width of one of its samples.
    SdfGrid {
        relief: Arc<SdfGrid>,
        corner: Vec2,
        pitch: f32,
    },
}

/// How far an obstacle goes on beyond a side at which it ends, in tank sizes: else liquid creeps along that side.
const BEYOND: f32 = 0.1;

impl Shape {
    /// The shape, continued beyond the sides of a tank of `size` metres at which it ends.
    pub fn beyond(self, size: Vec2) -> Self {
        let margin = BEYOND * size.max_element();
        let on_side = |x: f32, side: f32| (x - side).abs() <= 1e-5 * size.max_element();
        match self {
            Shape::Box { mut min, mut max } => {
                for axis in 0..2 {
                    if on_side(min[axis], 0.0) {
                        min[axis] = -margin;
                    }
                    if on_side(max[axis], size[axis]) {
                        max[axis] = size[axis] + margin;
                    }
                }
                Shape::Box { min, max }
            }
            Shape::Polygon(mut corners) => {
                // Pairs of neighbours along a side move outwards, each along its other edge.
                let count = corners.len();
                let before = corners.clone();
                for (number, corner) in corners.iter_mut().enumerate() {
                    let [last, next] = [before[(number + count - 1) % count], before[(number + 1) % count]];
                    let own = before[number];
                    for axis in 0..2 {
                        for side in [0.0, size[axis]] {
                            let is_on = |place: Vec2| on_side(place[axis], side);
                            let inner = match (is_on(own), is_on(last), is_on(next)) {
                                (true, true, false) => next,
                                (true, false, true) => last,
                                _ => continue,
                            };
                            let rise = (own - inner)[axis].abs();
                            *corner += (own - inner) * (margin / rise.max(0.05 * own.distance(inner)));
                        }
                    }
                }
                Shape::Polygon(corners)
            }
            Shape::Capsule { from, to, radius } => {
                let along = (to - from).normalize_or_zero();
                // How far an end goes on: by the margin if it touches a side towards which the line points.
                let more = |end: Vec2, out: Vec2| {
                    let reaches = |axis: usize| {
                        let gap = if out[axis] < 0.0 { end[axis] } else { size[axis] - end[axis] };
                        out[axis].abs() > 0.5 && gap <= radius
                    };
                    if reaches(0) || reaches(1) { end + margin * out } else { end }
                };
                Shape::Capsule { from: more(from, -along), to: more(to, along), radius }
            }
            same => same,
        }
    }

    /// Distance and outward normal at `p` (the exact forms of Quilez, "2D distance functions").
    pub fn contact(&self, p: Vec2) -> Contact {
        match self {
            Shape::Circle { at, radius } => sdf_circle(p - *at, *radius),
            Shape::Capsule { from, to, radius } => sdf_circle(p - closest_on_segment(*from, *to, p), *radius),
            Shape::Box { min, max } => sdf_box(p - (*min + *max) / 2.0, (*max - *min) / 2.0),
            Shape::Polygon(corners) => sdf_polygon(corners, edges(corners), f32::INFINITY, p),
            Shape::SdfGrid { relief, corner, pitch } => {
                let contact = relief.contact((p - corner) / pitch);
                Contact { distance: contact.distance * pitch, ..contact }
            }
        }
    }

    /// As [`Self::contact`], from edges that [`Self::edges_near`] has found, at a place less than `within` from the outline.
    pub fn contact_near(&self, near: &[[Vec2; 2]], within: f32, p: Vec2) -> Contact {
        match self {
            Shape::Polygon(corners) => sdf_polygon(corners, near.iter().copied(), within * within, p),
            _ => self.contact(p),
        }
    }

    /// The edges of a polygon that decide what the contact is in a square whose `center` is at `distance` from the outline:
    /// those that may be nearest, and those that a ray to the right may cross.
    pub fn edges_near(&self, center: Vec2, side: f32, distance: f32) -> impl Iterator<Item = [Vec2; 2]> {
        let corners: &[Vec2] = if let Shape::Polygon(corners) = self { corners } else { &[] };
        // A square's diagonal is 1.42 of its side; the rest is for rounding.
        let (half, within) = (0.51 * side, distance + 1.45 * side);
        edges(corners).filter(move |&[a, b]| {
            let (min, max) = (a.min(b), a.max(b));
            let is_crossed = max.x >= center.x - half && max.y >= center.y - half && min.y <= center.y + half;
            is_crossed || center.distance(closest_on_segment(a, b, center)) < within
        })
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
            Shape::SdfGrid { relief, corner, pitch } => (*corner, corner + relief.size() * *pitch),
        }
    }
}

/// Contact of a disc for a point `from_centre`; at the centre, where no direction is nearest, the normal points upwards.
fn sdf_circle(from_centre: Vec2, radius: f32) -> Contact {
    let normal = from_centre.try_normalize().unwrap_or(Vec2::Y);
    Contact { distance: from_centre.length() - radius, normal }
}

pub fn closest_on_segment(a: Vec2, b: Vec2, p: Vec2) -> Vec2 {
    let along = b - a;
    let t = (p - a).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    a + along * t.clamp(0.0, 1.0)
}

fn sdf_box(from_centre: Vec2, half: Vec2) -> Contact {
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

/// The edges of a polygon, from the last corner to the first and so on.
fn edges(corners: &[Vec2]) -> impl Iterator<Item = [Vec2; 2]> {
    let mut last = corners.last().copied().unwrap_or_default();
    corners.iter().map(move |&corner| [std::mem::replace(&mut last, corner), corner])
}

/// The nearest of the edges is less than √`min_r2` away.
fn sdf_polygon(corners: &[Vec2], edges: impl Iterator<Item = [Vec2; 2]>, mut min_r2: f32, p: Vec2) -> Contact {
    let mut nearest = Vec2::ZERO;
    let mut edge = Vec2::X;
    let mut inside = false;
    for [a, b] in edges {
        // Most edges are farther than the nearest so far by the box around them.
        let beyond = (a.min(b) - p).max(p - a.max(b)).max(Vec2::ZERO);
        if beyond.length_squared() < min_r2 {
            let offset = p - closest_on_segment(a, b, p);
            if offset.length_squared() < min_r2 {
                (min_r2, nearest, edge) = (offset.length_squared(), offset, b - a);
            }
        }
        // Even–odd rule: count the edges that a ray to the right crosses.
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y) {
            inside = !inside;
        }
    }
    let sign = if inside { -1.0 } else { 1.0 };
    // On the outline itself the offset is zero; the edge's normal is used, oriented by the polygon's sense of rotation.
    let normal = nearest
        .try_normalize()
        .unwrap_or_else(|| edge.perp().normalize_or(Vec2::Y) * -twice_area(corners).signum() * sign);
    Contact { distance: sign * min_r2.sqrt(), normal: sign * normal }
}
