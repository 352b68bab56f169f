//! Contact manifolds of two hulls: the separating-axis test, and clipping (as in E. Catto's Box2D).

use crate::sim::boundary::{Hull, closest_on_segment};
use glam::Vec2;

/// How much farther apart, metres, the other hull's side must show the two: else a contact loses its impulse.
const SIDE_BIAS: f32 = 0.0005;

/// The contact of two hulls that are near each other or overlap: one point, or two along a side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// Unit vector out of the second, towards the first.
    pub normal: Vec2,
    points: [ContactPoint; 2],
    count: usize,
}

/// One of the points at which two outlines touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Halfway between the two surfaces.
    pub at: Vec2,
    pub separation: f32,
    /// A number that stays the same while the same corner is near the same side.
    pub feature: u16,
}

impl Manifold {
    /// The points, one or two.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    fn push(&mut self, point: ContactPoint) {
        if self.count < 2 {
            self.points[self.count] = point;
            self.count += 1;
        }
    }

    fn flipped(mut self) -> Self {
        self.normal = -self.normal;
        self
    }
}

/// Returns the manifold of `a` and `b` where they are nearer than `margin` (metres).
pub fn manifold(a: &Hull, b: &Hull, margin: f32) -> Manifold {
    if let [center] = a.corners[..] {
        return circle(center, a.radius, b, margin);
    }
    if let [center] = b.corners[..] {
        return circle(center, b.radius, a, margin).flipped();
    }
    let of_a = max_separation(a, b);
    let of_b = max_separation(b, a);
    if of_a.1.max(of_b.1) > margin + a.radius + b.radius {
        return Manifold::default();
    }
    if of_b.1 > of_a.1 + SIDE_BIAS { clip(b, of_b, a, margin) } else { clip(a, of_a, b, margin).flipped() }
}

fn circle(center: Vec2, radius: f32, hull: &Hull, margin: f32) -> Manifold {
    let contact = hull.contact(center);
    let separation = contact.distance - radius;
    let mut manifold = Manifold { normal: contact.normal, ..Manifold::default() };
    if separation < margin {
        let at = center - contact.normal * (radius + 0.5 * separation);
        manifold.push(ContactPoint { at, separation, feature: 0 });
    }
    manifold
}

/// The side of `a` that separates the two best, and their distance along its normal.
fn max_separation(a: &Hull, b: &Hull) -> (usize, f32) {
    a.support(|side| {
        let normal = a.normals[side];
        let from = a.corners[side];
        b.corners.iter().map(|corner| normal.dot(*corner - from)).fold(f32::INFINITY, f32::min)
    })
}

/// Clips the side of `other` that faces the given side of `reference` to the region in front of that side.
fn clip(reference: &Hull, (side, separation): (usize, f32), other: &Hull, margin: f32) -> Manifold {
    let normal = reference.normals[side];
    let ends = |hull: &Hull, side: usize| (hull.corners[side], hull.corners[(side + 1) % hull.corners.len()]);
    let facing = other.support(|side| -normal.dot(other.normals[side])).0;
    let (a, b) = ends(reference, side);
    let (c, d) = ends(other, facing);
    let rounding = reference.radius + other.radius;
    if rounding > 0.0
        && separation > 0.0
        && let Some(manifold) = corner_to_corner((a, b), (c, d), [reference.radius, other.radius], margin)
    {
        return manifold;
    }
    let along = (b - a).normalize_or_zero();
    let length = a.distance(b);
    let mut manifold = Manifold { normal, ..Manifold::default() };
    for (number, (p, q)) in [(c, d), (d, c)].into_iter().enumerate() {
        let (from, to) = (along.dot(p - a), along.dot(q - a));
        let within = from.clamp(0.0, length);
        if from != to && (within - from) / (to - from) > 1.0 {
            continue;
        }
        let at = if from == to { p } else { p + (q - p) * ((within - from) / (to - from)) };
        let over = normal.dot(at - a);
        let separation = over - rounding;
        if separation < margin {
            let at = at + normal * 0.5 * (reference.radius - other.radius - over);
            let feature = (side << 8 | facing << 1 | number) as u16;
            manifold.push(ContactPoint { at, separation, feature });
        }
    }
    manifold
}

/// The manifold of two rounded hulls that are nearest at corners.
fn corner_to_corner((a, b): (Vec2, Vec2), (c, d): (Vec2, Vec2), radii: [f32; 2], margin: f32) -> Option<Manifold> {
    let along = b - a;
    // The corner of the other that is nearest to the side, and whether it is beyond the side's ends.
    let nearest = |p: Vec2| (p - a).dot(along) / along.length_squared();
    let distance = |p: Vec2| p.distance(closest_on_segment(a, b, p));
    let p = if distance(c) <= distance(d) { c } else { d };
    let fraction = nearest(p);
    if (0.0..=1.0).contains(&fraction) {
        return None;
    }
    let q = if fraction < 0.0 { a } else { b };
    let normal = (p - q).try_normalize()?;
    let over = p.distance(q);
    let mut manifold = Manifold { normal, ..Manifold::default() };
    if over - radii[0] - radii[1] < margin {
        let at = q + normal * 0.5 * (over + radii[0] - radii[1]);
        manifold.push(ContactPoint { at, separation: over - radii[0] - radii[1], feature: u16::MAX });
    }
    Some(manifold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(at: Vec2, half: Vec2) -> Hull {
        Hull::polygon(vec![at - half, at + Vec2::new(half.x, -half.y), at + half, at + Vec2::new(-half.x, half.y)])
    }

    #[test]
    fn a_box_on_a_box_touches_at_two_points() {
        let lower = block(Vec2::ZERO, Vec2::new(1.0, 0.5));
        let upper = block(Vec2::new(0.2, 0.99), Vec2::splat(0.5));
        for (manifold, up) in [(manifold(&upper, &lower, 0.01), 1.0), (manifold(&lower, &upper, 0.01), -1.0)] {
            assert_eq!(manifold.points().len(), 2);
            assert!(manifold.normal.distance(Vec2::new(0.0, up)) < 1e-6);
            for point in manifold.points() {
                assert!((point.separation + 0.01).abs() < 1e-5, "{point:?}");
                assert!((point.at.y - 0.495).abs() < 1e-5 && (point.at.x - 0.2).abs() < 0.501, "{point:?}");
            }
        }
    }

    #[test]
    fn discs_touch_along_the_line_between_them() {
        let (a, b) = (Hull::disc(Vec2::new(3.0, 4.0), 2.0), Hull::disc(Vec2::ZERO, 2.5));
        let touching = manifold(&a, &b, 1.0);
        assert!(touching.normal.distance(Vec2::new(0.6, 0.8)) < 1e-6);
        assert!((touching.points()[0].separation - 0.5).abs() < 1e-5);
        assert!(manifold(&a, &b, 0.4).points().is_empty());
    }

    #[test]
    fn a_corner_meets_the_round_end_of_a_capsule() {
        let capsule = Hull::capsule(Vec2::new(-2.0, 0.0), Vec2::ZERO, 1.0);
        let diagonal = 1.05 * Vec2::splat(0.5f32.sqrt());
        let corner = block(diagonal + 0.5, Vec2::splat(0.5));
        let touching = manifold(&corner, &capsule, 0.1);
        assert!((touching.points()[0].separation - 0.05).abs() < 1e-5, "{touching:?}");
        assert!(touching.normal.distance(Vec2::splat(0.5f32.sqrt())) < 1e-5);
    }
}
