//! Any number of solid cells as one shape: a grid of signed distances, at twice the resolution of the drawing. It costs one
//! lookup whatever it shows, and has no seams. Distances between samples are exact, by two passes of lower envelopes of parabolas
//! (P. Felzenszwalb, D. Huttenlocher, "Distance Transforms of Sampled Functions", Theory of Computing 8, 2012).

use crate::sim::boundary::contact::Contact;
use glam::Vec2;

/// Samples of empty space around the drawing, so that distances near it are accurate.
const MARGIN: usize = 12;

/// Larger than any squared distance.
const INFINITE_DISTANCE: f32 = 1e12;

/// Signed distances over a drawing, in samples: negative in solid characters.
#[derive(Clone, Debug, PartialEq)]
pub struct SdfGrid {
    /// Samples across and down, margins included.
    columns: usize,
    rows: usize,
    distance: Vec<f32>,
}

impl SdfGrid {
    /// Computes the distances of a drawing `columns` samples wide, row by row from the top.
    pub fn new(columns: usize, solid: &[bool]) -> Self {
        let wide = columns + 2 * MARGIN;
        let high = solid.len() / columns.max(1) + 2 * MARGIN;
        let mut solid_samples = vec![false; wide * high];
        for (row, solid) in solid.chunks_exact(columns.max(1)).enumerate() {
            let first = (row + MARGIN) * wide + MARGIN;
            solid_samples[first..first + columns].copy_from_slice(solid);
        }
        let to_solid = nearest(wide, &solid_samples, true);
        let to_free = nearest(wide, &solid_samples, false);
        // An edge lies halfway between a solid sample and a free one.
        let distance = to_solid
            .iter()
            .zip(&to_free)
            .map(|(solid, free)| if *solid > 0.0 { solid.sqrt() - 0.5 } else { 0.5 - free.sqrt() });
        Self { columns: wide, rows: high, distance: distance.collect() }
    }

    /// Width and height of the drawing, in samples.
    pub fn size(&self) -> Vec2 {
        Vec2::new((self.columns - 2 * MARGIN) as f32, (self.rows - 2 * MARGIN) as f32)
    }

    /// In samples from the drawing's lower left corner. Beyond the margin the distance is slightly too large.
    pub fn contact(&self, p: Vec2) -> Contact {
        let max = Vec2::new((self.columns - 2) as f32, (self.rows - 2) as f32);
        let from_top = Vec2::new(p.x, self.size().y - p.y) + MARGIN as f32 - 0.5;
        let within = from_top.clamp(Vec2::ZERO, max);
        let (column, row) = (within.x as usize, within.y as usize);
        let (x, y) = (within.x - column as f32, within.y - row as f32);
        let here = row * self.columns + column;
        let [a, b] = [self.distance[here], self.distance[here + 1]];
        let [c, d] = [self.distance[here + self.columns], self.distance[here + self.columns + 1]];
        let (upper, lower) = (a + (b - a) * x, c + (d - c) * x);
        let slope = Vec2::new((b - a) * (1.0 - y) + (d - c) * y, upper - lower);
        let outside = from_top - within;
        let away = Vec2::new(outside.x, -outside.y);
        let distance = upper + (lower - upper) * y + away.length();
        Contact { distance, normal: (slope + away).try_normalize().unwrap_or(Vec2::Y) }
    }
}

/// The square of the distance from every sample to the nearest that is `solid` (or is not).
fn nearest(columns: usize, solid_samples: &[bool], solid: bool) -> Vec<f32> {
    let rows = solid_samples.len() / columns;
    let mut squares: Vec<f32> =
        solid_samples.iter().map(|&is| if is == solid { 0.0 } else { INFINITE_DISTANCE }).collect();
    let (mut envelope, mut line) = (Vec::new(), Vec::new());
    for column in 0..columns {
        line.clear();
        line.extend((0..rows).map(|row| squares[row * columns + column]));
        for (row, square) in minima(&mut envelope, &line).enumerate() {
            squares[row * columns + column] = square;
        }
    }
    for row in squares.chunks_exact_mut(columns) {
        line.clear();
        line.extend_from_slice(row);
        row.iter_mut().zip(minima(&mut envelope, &line)).for_each(|(square, min)| *square = min);
    }
    squares
}

/// The minimum of `f(q) + (p − q)²` over all q, for every p. `envelope` becomes the lower envelope of these parabolas: each one's
/// vertex, and the place from which on it is the lowest.
fn minima<'a>(envelope: &'a mut Vec<(usize, f32)>, f: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
    let height = |q: usize| f[q] + (q * q) as f32;
    envelope.clear();
    for q in 0..f.len() {
        let mut from = f32::NEG_INFINITY;
        while let Some(&(last, since)) = envelope.last() {
            from = (height(q) - height(last)) / (2 * (q - last)) as f32;
            if from > since {
                break;
            }
            envelope.pop();
            from = f32::NEG_INFINITY;
        }
        envelope.push((q, from));
    }
    let mut parabola = 0;
    (0..f.len()).map(move |p| {
        while envelope.get(parabola + 1).is_some_and(|&(_, from)| from < p as f32) {
            parabola += 1;
        }
        let q = envelope[parabola].0;
        f[q] + (p.abs_diff(q) * p.abs_diff(q)) as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of 6 × 4 samples in a drawing of 20 × 10, its lower left corner at (7, 3).
    fn block() -> SdfGrid {
        let solid: Vec<bool> = (0..200).map(|at| (7..13).contains(&(at % 20)) && (3..7).contains(&(at / 20))).collect();
        SdfGrid::new(20, &solid)
    }

    #[test]
    fn distances_and_normals_are_those_of_the_block() {
        let relief = block();
        for (at, distance, normal) in [
            ([4.0, 5.0], 3.0, [-1.0, 0.0]),
            ([16.25, 5.0], 3.25, [1.0, 0.0]),
            ([10.0, 9.0], 2.0, [0.0, 1.0]),
            ([10.0, 0.5], 2.5, [0.0, -1.0]),
            ([7.5, 5.0], -0.5, [-1.0, 0.0]),
            ([10.0, -30.0], 33.0, [0.0, -1.0]),
        ] {
            let contact = relief.contact(Vec2::from(at));
            assert!((contact.distance - distance).abs() < 0.02, "{at:?}: {contact:?}");
            assert!(contact.normal.distance(Vec2::from(normal)) < 0.02, "{at:?}: {contact:?}");
        }
        // Round the corner (13, 7): 3 across and 4 up are 5.
        assert!((relief.contact(Vec2::new(16.0, 11.0)).distance - 5.0).abs() < 0.4);
    }

    #[test]
    fn empty_and_full_drawings_have_distances() {
        for solid in [false, true] {
            let relief = SdfGrid::new(3, &[solid; 9]);
            let contact = relief.contact(Vec2::splat(1.5));
            assert!(contact.distance.is_finite() && contact.normal.is_finite());
            assert_eq!(contact.distance < 0.0, solid);
        }
    }
}
