//! Advection: everything is carried along by the flow.
//!
//! Stam's semi-Lagrangian step asks where the fluid in a place was before and takes the value from there. It never
//! blows up and blurs at every step. Here it is the predictor of MacCormack's scheme (A. Selle, R. Fedkiw, B. Kim,
//! Y. Liu, J. Rossignac, "An Unconditionally Stable MacCormack Method", Journal of Scientific Computing 2008):
//!
//! ```text
//! φ̂ = A(φⁿ)              carried forward
//! φ̄ = A⁻¹(φ̂)             and back: what comes of φⁿ by two steps that should be none
//! φ = φ̂ + ½ (φⁿ − φ̄)     half of that error is the forward step's
//! ```
//!
//! limited to the range of the values that the predictor was interpolated from, so that nothing overshoots. Paths are
//! traced by the midpoint rule. Where one leaves the tank or starts in a solid, the predictor stands.

use super::mac::Mac;
use glam::Vec2;

/// Where in a cell an array's values sit, from its middle, in cells.
pub const MIDDLE: Vec2 = Vec2::ZERO;
pub const LEFT: Vec2 = Vec2::new(-0.5, 0.0);
pub const BELOW: Vec2 = Vec2::new(0.0, -0.5);

/// The flow, as paths need it.
#[derive(Clone, Copy)]
pub struct Flow<'a> {
    pub mac: &'a Mac,
    pub u: &'a [f32],
    pub v: &'a [f32],
    /// Cells a step for each m/s.
    pub scale: Vec2,
}

impl Flow<'_> {
    /// Cells that the fluid at a place goes in a step.
    #[inline(always)]
    fn at(&self, place: Vec2) -> Vec2 {
        Vec2::new(sample(self.u, self.mac, place - LEFT), sample(self.v, self.mac, place - BELOW)) * self.scale
    }

    /// Keeps a place within the tank; the second says whether it was.
    #[inline(always)]
    fn keep(&self, mut place: Vec2) -> (Vec2, bool) {
        let (nx, ny) = (self.mac.nx as f32, self.mac.ny as f32);
        if self.mac.x.wraps() {
            place.x += if place.x < 0.5 { nx } else { 0.0 } - if place.x >= nx + 0.5 { nx } else { 0.0 };
        }
        if self.mac.y.wraps() {
            place.y += if place.y < 0.5 { ny } else { 0.0 } - if place.y >= ny + 0.5 { ny } else { 0.0 };
        }
        let kept = place.clamp(Vec2::splat(0.5), Vec2::new(nx + 0.5, ny + 0.5));
        (kept, kept == place)
    }

    /// Where the fluid at `place` is a step later, or earlier if `sense` is −1.
    #[inline(always)]
    fn trace(&self, place: Vec2, sense: f32) -> (Vec2, bool) {
        let (middle, _) = self.keep(place + 0.5 * sense * self.at(place));
        self.keep(place + sense * self.at(middle))
    }
}

/// Where the fluid at each element of an array was, and where it will be.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    from: Vec<Vec2>,
    /// A path that leaves the tank has none.
    to: Vec<Vec2>,
}

/// In place of an end that is outside of the tank.
const LOST: Vec2 = Vec2::NEG_ONE;

impl Paths {
    pub fn new(mac: &Mac) -> Self {
        Self { from: vec![LOST; mac.len()], to: vec![LOST; mac.len()] }
    }

    /// Traces the paths of an array whose values sit at `seat`.
    pub fn trace(&mut self, flow: &Flow, seat: Vec2) {
        for j in 1..=flow.mac.ny + 1 {
            for i in 1..=flow.mac.nx + 1 {
                let here = j * flow.mac.stride + i;
                let (place, _) = flow.keep(Vec2::new(i as f32, j as f32) + seat);
                let (from, came_in) = flow.trace(place, -1.0);
                let (to, stays) = flow.trace(place, 1.0);
                self.from[here] = from - seat;
                self.to[here] = if came_in && stays { to - seat } else { LOST };
            }
        }
    }

    /// The predictor: carries `old` along, into `new`.
    pub fn carry(&self, mac: &Mac, old: &[f32], new: &mut [f32]) {
        for j in 1..=mac.ny + 1 {
            let row = j * mac.stride + 1..=j * mac.stride + mac.nx + 1;
            for (new, from) in new[row.clone()].iter_mut().zip(&self.from[row]) {
                *new = sample(old, mac, *from);
            }
        }
    }

    /// The corrector: `old` becomes what `predicted`, with its ghosts filled, says when its own error is taken off.
    pub fn correct(&self, mac: &Mac, predicted: &[f32], old: &mut [f32], corrected: &mut [f32]) {
        for j in 1..=mac.ny + 1 {
            for here in j * mac.stride + 1..=j * mac.stride + mac.nx + 1 {
                corrected[here] = predicted[here];
                if self.to[here] != LOST {
                    let back = sample(predicted, mac, self.to[here]);
                    let (least, most) = range(old, mac, self.from[here]);
                    corrected[here] = (predicted[here] + 0.5 * (old[here] - back)).clamp(least, most);
                }
            }
        }
        old.copy_from_slice(corrected);
    }
}

/// The value between four elements, at a place in an array's own coordinates.
#[inline(always)]
pub fn sample(array: &[f32], mac: &Mac, place: Vec2) -> f32 {
    let (here, share) = corner(mac, place);
    let (lower, upper) = (&array[here..here + 2], &array[here + mac.stride..here + mac.stride + 2]);
    let below = lower[0] + (lower[1] - lower[0]) * share.x;
    let above = upper[0] + (upper[1] - upper[0]) * share.x;
    below + (above - below) * share.y
}

/// The least and the greatest of these four elements.
#[inline(always)]
fn range(array: &[f32], mac: &Mac, place: Vec2) -> (f32, f32) {
    let (here, _) = corner(mac, place);
    let (lower, upper) = (&array[here..here + 2], &array[here + mac.stride..here + mac.stride + 2]);
    let least = lower[0].min(lower[1]).min(upper[0].min(upper[1]));
    (least, lower[0].max(lower[1]).max(upper[0].max(upper[1])))
}

/// The element to the lower left of a place, never the last of its row or column, and the way from there.
#[inline(always)]
fn corner(mac: &Mac, place: Vec2) -> (usize, Vec2) {
    let (i, j) = ((place.x as usize).min(mac.nx), (place.y as usize).min(mac.ny));
    (j * mac.stride + i, place - Vec2::new(i as f32, j as f32))
}
