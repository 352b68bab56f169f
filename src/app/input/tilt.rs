//! From direction keys to the angle of gravity. Where the terminal reports key releases, a direction tilts while it is held.
//! Elsewhere each press tilts by [`NOTCH`], and a held key is a run of presses, which ends at the next right angle. After the
//! release the tank returns upright (after a while where there are no releases), unless the tilt is to stay.

use crate::app::action::Direction;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// Tilt of one key press, radians.
pub const NOTCH: f32 = PI / 12.0;

/// Rate of a held key, radians a second: a right angle in under a second.
const TURN: f32 = 2.0;

/// The longest time between two presses of a key that repeats, seconds: systems repeat 11 to 40 times a second.
const REPEAT_GAP: f32 = 0.12;

/// The same at a right angle that a held key has reached, where late repetitions would turn the tank further.
const RELEASE_GAP: f32 = 0.25;

/// An angle that is off a right angle by so much, radians or quarter turns, counts as that right angle.
const ROUNDING: f32 = 1e-3;

/// The longest time from a press to its first repetition, seconds: 0.25 to 0.66 in X, Windows and macOS.
const REPEAT_DELAY: f32 = 0.7;

/// Seconds after which a tilt returns, and the shortest press where the terminal reports releases.
const RETURN_AFTER: f32 = 3.0;
const SHORTEST: f32 = 0.25;

named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum TiltMode {
        #[default]
        Return => "return",
        Hold => "hold",
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tilt {
    held: [bool; 4],
    /// Seconds until the tank returns upright, once nothing is held.
    return_in: Option<f32>,
    run: Option<KeyRun>,
}

/// Presses of one key that may come from holding it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct KeyRun {
    side: Direction,
    /// Seconds since the last press.
    since: f32,
    limit: f32,
    /// The angle at which it ends if the last press was the first repetition of a held key.
    limit_before: f32,
}

/// Upright without unwinding earlier turns; from upside down, opposite to the last half turn.
pub fn upright(angle: f32) -> f32 {
    TAU * (angle / TAU).round_ties_even()
}

/// `angle` after one press: left and right turn, down returns towards upright, up goes away from it.
fn notched(angle: f32, side: Direction) -> f32 {
    let centre = upright(angle);
    let lean = angle - centre;
    match side {
        Direction::Left => angle - NOTCH,
        Direction::Right => angle + NOTCH,
        Direction::Down => centre + approach(lean, 0.0, NOTCH),
        Direction::Up => centre + approach(lean, PI.copysign(lean), NOTCH),
    }
}

fn next_right_angle(angle: f32, side: Direction) -> f32 {
    let quarters = angle / FRAC_PI_2;
    match side {
        Direction::Left => FRAC_PI_2 * ((quarters - ROUNDING).ceil() - 1.0),
        _ => FRAC_PI_2 * ((quarters + ROUNDING).floor() + 1.0),
    }
}

impl Tilt {
    /// Handles a press of a direction, on a terminal that does not report its duration. Returns the new angle.
    pub fn press(&mut self, angle: f32, side: Direction) -> f32 {
        self.return_in = Some(RETURN_AFTER);
        let next = notched(angle, side);
        if matches!(side, Direction::Up | Direction::Down) {
            self.run = None;
            return next;
        }
        let limit = next_right_angle(angle, side);
        // The longest time until a press that still belongs to the run.
        let gap = |run: KeyRun| if (angle - run.limit).abs() < ROUNDING { RELEASE_GAP } else { REPEAT_GAP };
        let run = match self.run.filter(|run| run.side == side) {
            Some(run) if run.since < gap(run) => KeyRun { limit: run.limit_before, ..run },
            // A new press, or the first repetition of a held key: the next press decides.
            Some(run) => KeyRun { limit, limit_before: run.limit, ..run },
            None => KeyRun { side, since: 0.0, limit, limit_before: limit },
        };
        self.run = Some(KeyRun { since: 0.0, ..run });
        if side == Direction::Left { next.max(run.limit) } else { next.min(run.limit) }
    }

    pub fn pass(&mut self, seconds: f32) {
        if let Some(run) = &mut self.run {
            run.since += seconds;
        }
        self.run = self.run.filter(|run| run.since < REPEAT_DELAY);
    }

    /// Forgets the presses, because something else has tilted the tank: the tilt does not return.
    pub fn forget(&mut self) {
        (self.return_in, self.run) = (None, None);
    }

    /// Starts to hold a direction. Returns the new angle at once, so that the shortest press tilts too.
    pub fn hold(&mut self, angle: f32, side: Direction) -> f32 {
        self.mark(side);
        self.return_in = Some(SHORTEST);
        self.turned(angle, NOTCH)
    }

    /// Starts to hold a direction for another purpose than tilting.
    pub fn mark(&mut self, side: Direction) {
        self.held[side as usize] = true;
    }

    pub fn let_go(&mut self, side: Direction) {
        self.held[side as usize] = false;
    }

    pub fn let_go_all(&mut self) {
        self.held = [false; 4];
    }

    pub fn holds(&self, side: Direction) -> bool {
        self.held[side as usize]
    }

    pub fn is_held(&self) -> bool {
        self.held.contains(&true)
    }

    /// The sum of the held directions, x to the right and y up.
    pub fn direction(&self) -> (f32, f32) {
        let held = |side: Direction| f32::from(u8::from(self.held[side as usize]));
        (held(Direction::Right) - held(Direction::Left), held(Direction::Up) - held(Direction::Down))
    }

    /// Whether the angle is about to change, or depends on the time of the next press.
    pub fn is_pending(&self, returns: bool) -> bool {
        self.is_held() || self.run.is_some() || (returns && self.return_in.is_some())
    }

    /// Returns `angle` after `seconds` with the held directions. `returns`: a tilt returns once none is held.
    pub fn advance(&mut self, angle: f32, seconds: f32, returns: bool) -> f32 {
        if returns && let Some(left) = &mut self.return_in {
            *left -= seconds;
        }
        if self.is_held() {
            return self.turned(angle, TURN * seconds);
        }
        if returns && self.return_in.is_some_and(|left| left <= 0.0) {
            self.return_in = None;
            return upright(angle);
        }
        angle
    }

    fn turned(&self, angle: f32, by: f32) -> f32 {
        let centre = upright(angle);
        let lean = angle - centre;
        centre + approach(lean, self.wanted(lean), by)
    }

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
            let mut tilt = Tilt::default();
            let angle = presses.iter().fold(0.0, |angle, &side| {
                // Separate presses, too slow for key repeat.
                tilt.pass(1.0);
                tilt.press(angle, side)
            });
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
    fn held_directions_tilt_to_their_angle_and_a_release_returns() {
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
                angle = tilt.advance(angle, 1.0 / 60.0, true);
            }
            assert_eq!(degrees(angle), expected, "{held:?}");
            held.iter().for_each(|&side| tilt.let_go(side));
            assert_eq!(degrees(tilt.advance(angle, 1.0 / 60.0, true)), 0);
        }
    }

    #[test]
    fn the_shortest_tap_tilts_for_a_moment() {
        let mut tilt = Tilt::default();
        let angle = tilt.hold(0.0, Left);
        tilt.let_go(Left);
        assert_eq!(degrees(tilt.advance(angle, 0.1, true)), -15);
        assert_eq!(degrees(tilt.advance(angle, 0.2, true)), 0);
    }

    /// Presses `(seconds since the last, side)`, from `angle`.
    fn typed(mut angle: f32, presses: &[(f32, Direction)]) -> i32 {
        let mut tilt = Tilt::default();
        for &(gap, side) in presses {
            tilt.pass(gap);
            angle = tilt.press(angle, side);
        }
        degrees(angle)
    }

    #[test]
    fn key_repeat_ends_at_the_next_right_angle() {
        for (delay, rate) in [(0.25, 0.025), (0.5, 0.033), (0.66, 0.04), (0.4, 0.09), (0.0, 0.0)] {
            let held = |side| [vec![(1.0, side), (delay, side)], vec![(rate, side); 40]].concat();
            assert_eq!(typed(0.0, &held(Right)), 90, "after {delay} s, every {rate} s");
            assert_eq!(typed(0.0, &held(Left)), -90);
            // The first repetition is already beyond the next right angle.
            assert_eq!(typed(FRAC_PI_2 - NOTCH, &held(Right)), 90);
            assert_eq!(typed(FRAC_PI_2, &held(Right)), 180, "pressed again");
            assert_eq!(typed(0.0, &[held(Right), held(Right)].concat()), 180, "pressed again");
            assert_eq!(typed(0.0, &[held(Right), held(Left)].concat()), 0);
        }
    }

    #[test]
    fn repetitions_that_arrive_late_do_not_turn_the_tank_over() {
        let held = [vec![(1.0, Right), (0.5, Right)], vec![(0.033, Right); 40]].concat();
        for late in [0.13, 0.2, 0.24] {
            let arrival = [held.clone(), vec![(late, Right); 6], vec![(0.033, Right); 10]].concat();
            assert_eq!(typed(0.0, &arrival), 90, "every {late} s");
        }
        // Longer stalls are each followed by what has queued up.
        let stall = [vec![(0.5, Right)], vec![(0.0, Right); 14]].concat();
        assert_eq!(typed(0.0, &[held.clone(), stall.clone(), stall].concat()), 90);
        assert_eq!(typed(0.0, &[held, vec![(0.3, Right)]].concat()), 105, "pressed again");
    }

    #[test]
    fn a_press_returns_after_a_while_unless_held() {
        for (returns, expected) in [(true, 0), (false, 15)] {
            let mut tilt = Tilt::default();
            let mut angle = tilt.press(0.0, Right);
            angle = tilt.advance(angle, 2.9, returns);
            assert_eq!(degrees(angle), 15);
            angle = tilt.advance(angle, 0.2, returns);
            assert_eq!(degrees(angle), expected);
            tilt.pass(1.0);
            assert!(!tilt.is_pending(returns));
        }
    }
}
