//! From direction keys to the angle of gravity.
//!
//! Where the terminal reports key releases, a direction tilts for as long as it is held, and releasing all directions
//! returns upright. Elsewhere each press tilts by [`NOTCH`] and stays. The world turns gravity smoothly to the
//! resulting angle.

use crate::app::action::Direction;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// Tilt of one key press, radians.
pub const NOTCH: f32 = PI / 12.0;

/// Rate of a held key, radians a second: a right angle in under a second.
const TURN: f32 = 2.0;

/// Which directions are held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tilt {
    held: [bool; 4],
    /// A direction was held since the last return to upright.
    leaning: bool,
}

/// The nearest multiple of a whole turn: upright without unwinding earlier turns; from upside down, back the way of the
/// last half turn.
pub fn upright(angle: f32) -> f32 {
    TAU * (angle / TAU).round_ties_even()
}

/// `angle` after one press: left and right turn, down returns towards upright, up goes away from it.
pub fn notched(angle: f32, side: Direction) -> f32 {
    let centre = upright(angle);
    let lean = angle - centre;
    match side {
        Direction::Left => angle - NOTCH,
        Direction::Right => angle + NOTCH,
        Direction::Down => centre + approach(lean, 0.0, NOTCH),
        Direction::Up => centre + approach(lean, PI.copysign(lean), NOTCH),
    }
}

impl Tilt {
    /// Starts to hold a direction. Returns the new angle at once, so that the shortest press tilts too.
    pub fn hold(&mut self, angle: f32, side: Direction) -> f32 {
        self.mark(side);
        self.leaning = true;
        self.turned(angle, NOTCH)
    }

    /// Starts to hold a direction for something else than tilting.
    pub fn mark(&mut self, side: Direction) {
        self.held[side as usize] = true;
    }

    pub fn let_go(&mut self, side: Direction) {
        self.held[side as usize] = false;
    }

    /// Releases all directions: a window without the focus gets no releases.
    pub fn let_go_all(&mut self) {
        self.held = [false; 4];
    }

    pub fn is_held(&self) -> bool {
        self.held.contains(&true)
    }

    /// The direction of what is held, x to the right and y up.
    pub fn direction(&self) -> (f32, f32) {
        let held = |side: Direction| f32::from(u8::from(self.held[side as usize]));
        (held(Direction::Right) - held(Direction::Left), held(Direction::Up) - held(Direction::Down))
    }

    /// `angle` after `seconds` with the directions that are held.
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

    /// The angle that the held directions end at.
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
    use Direction::*;

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
