//! From direction keys to the angle of gravity.
//!
//! Where the terminal tells when a key is let go, a direction tilts for as long as it is held, further and further,
//! and letting go of all returns upright. Elsewhere each press tilts by [`NOTCH`] and stays. The world turns gravity
//! smoothly towards the angle that comes out of this.

use crate::app::action::Side;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// What one press of a key tilts, radians.
pub const NOTCH: f32 = PI / 12.0;

/// How quickly a held key tilts on, radians a second: lying on its side after two thirds of a second.
const TURN: f32 = 2.0;

/// Which directions are held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tilt {
    held: [bool; 4],
    /// Something was held a moment ago, so there is something to return from.
    leaning: bool,
}

/// The multiple of a whole turn that is nearest: upright, without turning back through somersaults; from upside down,
/// the way that a half turn came.
pub fn upright(angle: f32) -> f32 {
    TAU * (angle / TAU).round_ties_even()
}

/// `angle` after one press: left and right turn, down goes back towards upright, up away from it.
pub fn notched(angle: f32, side: Side) -> f32 {
    let centre = upright(angle);
    let lean = angle - centre;
    match side {
        Side::Left => angle - NOTCH,
        Side::Right => angle + NOTCH,
        Side::Down => centre + approach(lean, 0.0, NOTCH),
        Side::Up => centre + approach(lean, PI.copysign(lean), NOTCH),
    }
}

impl Tilt {
    /// A direction is held from now on; what `angle` becomes at once, so that the shortest tap tilts too.
    pub fn hold(&mut self, angle: f32, side: Side) -> f32 {
        self.mark(side);
        self.leaning = true;
        self.turned(angle, NOTCH)
    }

    /// A direction is held, for something else than tilting.
    pub fn mark(&mut self, side: Side) {
        self.held[side as usize] = true;
    }

    pub fn let_go(&mut self, side: Side) {
        self.held[side as usize] = false;
    }

    /// Nothing is held any more: the window lost the focus and will not tell.
    pub fn let_go_all(&mut self) {
        self.held = [false; 4];
    }

    pub fn is_held(&self) -> bool {
        self.held.contains(&true)
    }

    /// Where the held directions point, x to the right and y up.
    pub fn direction(&self) -> (f32, f32) {
        let held = |side: Side| f32::from(u8::from(self.held[side as usize]));
        (held(Side::Right) - held(Side::Left), held(Side::Up) - held(Side::Down))
    }

    /// What `angle` becomes after `seconds` of what is held now.
    pub fn advance(&mut self, angle: f32, seconds: f32) -> f32 {
        if self.is_held() {
            return self.turned(angle, TURN * seconds);
        }
        if std::mem::take(&mut self.leaning) { upright(angle) } else { angle }
    }

    fn turned(&self, angle: f32, by: f32) -> f32 {
        let centre = upright(angle);
        let lean = angle - centre;
        centre + approach(lean, self.wanted(lean), by)
    }

    /// The angle that the held directions lead to in the end.
    fn wanted(&self, lean: f32) -> f32 {
        let (x, y) = self.direction();
        match (x == 0.0, y) {
            (true, 1.0) => PI.copysign(lean),
            (true, _) => 0.0,
            (false, y) => x * (FRAC_PI_2 + y * FRAC_PI_4),
        }
    }
}

fn approach(from: f32, to: f32, by: f32) -> f32 {
    from + (to - from).clamp(-by, by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::*;

    fn degrees(angle: f32) -> i32 {
        angle.to_degrees().round() as i32
    }

    #[test]
    fn presses_turn_by_notches() {
        for (presses, expected) in [
            (&[Left][..], -15),
            (&[Right, Right], 30),
            (&[Up], 15),
            (&[Left, Up], -30),
            (&[Left, Left, Down], -15),
            (&[Right, Down, Down], 0),
            (&[Up; 20], 180),
            (&[Left; 25], -375),
        ] {
            let angle = presses.iter().fold(0.0, |angle, &side| notched(angle, side));
            assert_eq!(degrees(angle), expected, "{presses:?}");
        }
    }

    #[test]
    fn upright_is_the_nearest_whole_turn() {
        for (angle, expected) in [(0, 0), (-90, 0), (170, 0), (200, 360), (-375, -360)] {
            assert_eq!(degrees(upright((angle as f32).to_radians())), expected);
        }
    }

    #[test]
    fn held_directions_lead_to_where_they_point_and_letting_go_returns() {
        for (held, expected) in [
            (&[Left][..], -90),
            (&[Right], 90),
            (&[Up], 180),
            (&[Down], 0),
            (&[Left, Up], -135),
            (&[Right, Down], 45),
            (&[Left, Right], 0),
        ] {
            let mut tilt = Tilt::default();
            let mut angle = held.iter().fold(0.0, |angle, &side| tilt.hold(angle, side));
            for _ in 0..300 {
                angle = tilt.advance(angle, 1.0 / 60.0);
            }
            assert_eq!(degrees(angle), expected, "{held:?}");
            held.iter().for_each(|&side| tilt.let_go(side));
            assert_eq!(degrees(tilt.advance(angle, 1.0 / 60.0)), 0);
        }
    }

    #[test]
    fn the_shortest_tap_tilts() {
        let mut tilt = Tilt::default();
        assert_eq!(degrees(tilt.hold(0.0, Left)), -15);
    }
}
