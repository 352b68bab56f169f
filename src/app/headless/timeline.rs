//! What is to happen when, in a scene that plays with no terminal: `--at T ACTION`.

use crate::sim::World;
use crate::sim::clock::STEP;
use crate::sim::pointer_force::{Poke, PokeKind};
use glam::Vec2;
use std::fmt;

/// What can be done to a tank, as it is written and in words.
const ACTIONS: [(&str, &str); 10] = [
    ("tilt 10deg", "degrees from straight down, up to 3600"),
    ("gravity 9.81", "m/s², from 0 to 1000"),
    ("shake left", "left, right, up or down"),
    ("pour 100", "a number of particles, up to a million"),
    ("drain 100", "a number of particles, up to a million"),
    ("burst X Y", "a place, in shares of the tank"),
    ("push X Y VX VY", "a place, in shares of the tank, and a velocity, up to 20 m/s"),
    ("wall X Y X Y", "two places, in shares of the tank"),
    ("lift 1", "the number of one of the scene's obstacles, the first being 1"),
    ("aspect 2", "width over height, more than 0"),
];

/// Radius of the hand's brush, and half the thickness of a wall, as shares of a square tank's side.
const BRUSH: f32 = 0.1;
const WALL: f32 = 0.02;

/// Something done to the tank.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    /// Radians from straight down.
    Tilt(f32),
    /// m/s².
    Gravity(f32),
    Shake(Vec2),
    Pour(usize),
    Drain(usize),
    /// A place as a share of the tank.
    Burst(Vec2),
    /// A place, and the hand's velocity, m/s.
    Push(Vec2, Vec2),
    Wall(Vec2, Vec2),
    /// The scene's obstacle of that number, the first being 1, is taken away.
    Lift(usize),
    Aspect(f32),
}

/// An act and the simulated second in which it is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cue {
    at: f64,
    act: Act,
}

impl Cue {
    /// Gravity points so many degrees from straight down, from then on.
    pub fn tilt(degrees: f32, at: f64) -> Self {
        Self { at, act: Act::Tilt(degrees.to_radians()) }
    }

    /// Reads `T ACTION T ACTION …`, as the words of all `--at` flags in a row, for a scene with so many obstacles.
    pub fn read(words: &[String], obstacles: usize) -> Result<Vec<Cue>, String> {
        let text = words.join(" ");
        let mut words = text.split_whitespace().peekable();
        let mut cues = Vec::new();
        while let Some(time) = words.next() {
            let at = time.parse().ok().filter(|at| (0.0..=36_000.0).contains(at));
            let at =
                at.ok_or_else(|| format!("--at {time}: must be seconds and an action, as in --at 2 tilt 10deg"))?;
            let verb = words.next().unwrap_or_default();
            let act = act(verb, &mut words).filter(|act| !matches!(act, Act::Lift(number) if *number > obstacles));
            cues.push(Cue { at, act: act.ok_or_else(|| wrong(time, verb, obstacles))? });
        }
        Ok(cues)
    }

    /// Whether it is due in the step that begins at `time`.
    pub fn is_due(&self, time: f64) -> bool {
        self.at <= time + 0.5 * f64::from(STEP)
    }

    /// Whether it comes after all else: what ends then never sees it.
    pub fn is_after(&self, seconds: f64) -> bool {
        self.at > seconds
    }

    pub fn perform(&self, world: &mut World) {
        let size = world.size();
        let side = (size.x * size.y).sqrt();
        let poke = |place: Vec2, kind: PokeKind| Poke { at: place * size, radius: BRUSH * side, kind };
        match self.act {
            Act::Tilt(angle) => world.tilt_to(angle),
            Act::Gravity(gravity) => world.set_gravity(gravity),
            Act::Shake(direction) => world.shake(direction),
            Act::Pour(count) => world.pour(count),
            Act::Drain(count) => world.drain(count),
            Act::Burst(place) => world.poke(poke(place, PokeKind::Burst)),
            Act::Push(place, velocity) => world.poke(poke(place, PokeKind::Push { velocity })),
            Act::Wall(from, to) => world.draw_wall(from * size, to * size, WALL * side),
            Act::Lift(number) => world.lift(number - 1),
            Act::Aspect(aspect) => world.reshape(aspect),
        }
    }
}

impl fmt::Display for Cue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "what is to happen at {} s", self.at)
    }
}

/// What is wrong with a cue whose verb is none, or is followed by something else than it takes.
fn wrong(time: &str, verb: &str, obstacles: usize) -> String {
    match ACTIONS.iter().find(|(form, _)| form.split(' ').next() == Some(verb)) {
        Some(_) if verb == "lift" && obstacles == 0 => format!("--at {time} lift: the scene has no obstacles"),
        Some((form, takes)) => format!("--at {time} {verb}: takes {takes}, as in --at {time} {form}"),
        None => format!("--at {time} {verb}: must be one of {}", ACTIONS.map(|(form, _)| form).join(", ")),
    }
}

/// The act that `verb` and as many of the next words as it needs stand for.
fn act<'a>(verb: &str, words: &mut impl Iterator<Item = &'a str>) -> Option<Act> {
    if verb == "shake" {
        let sides = [("left", Vec2::NEG_X), ("right", Vec2::X), ("up", Vec2::Y), ("down", Vec2::NEG_Y)];
        let side = words.next()?;
        return sides.into_iter().find(|(name, _)| *name == side).map(|(_, direction)| Act::Shake(direction));
    }
    let mut number = |most: f32| {
        let word = words.next()?;
        let word = if verb == "tilt" { word.strip_suffix("deg").unwrap_or(word) } else { word };
        word.parse().ok().filter(|value: &f32| value.abs() <= most)
    };
    let whole = |number: Option<f32>| number.filter(|&n| n >= 0.0 && n.fract() == 0.0).map(|n| n as usize);
    Some(match verb {
        "tilt" => Act::Tilt(number(3600.0)?.to_radians()),
        "gravity" => Act::Gravity(number(1000.0).filter(|&gravity| gravity >= 0.0)?),
        "pour" => Act::Pour(whole(number(1e6))?),
        "drain" => Act::Drain(whole(number(1e6))?),
        "burst" => Act::Burst(Vec2::new(number(2.0)?, number(2.0)?)),
        "push" => Act::Push(Vec2::new(number(2.0)?, number(2.0)?), Vec2::new(number(20.0)?, number(20.0)?)),
        "wall" => Act::Wall(Vec2::new(number(2.0)?, number(2.0)?), Vec2::new(number(2.0)?, number(2.0)?)),
        "lift" => Act::Lift(whole(number(1e6)).filter(|&number| number > 0)?),
        "aspect" => Act::Aspect(number(1e3).filter(|&aspect| aspect > 0.0)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Cue>, String> {
        Cue::read(&[text.to_owned()], 2)
    }

    #[test]
    fn cues_are_read_one_after_the_other() {
        let cues = read("2 tilt 10deg 3.5 gravity 0 4 wall 0 0.5 0.4 0.5").expect("three cues");
        assert_eq!(cues[0], Cue::tilt(10.0, 2.0));
        assert_eq!(cues[1], Cue { at: 3.5, act: Act::Gravity(0.0) });
        assert_eq!(cues[2], Cue { at: 4.0, act: Act::Wall(Vec2::new(0.0, 0.5), Vec2::new(0.4, 0.5)) });
    }

    #[test]
    fn what_is_no_cue_is_told_what_would_be() {
        for (text, words) in [
            ("tilt 10", "--at tilt: must be seconds"),
            ("-1 tilt 10", "--at -1: must be seconds"),
            ("2", "--at 2 : must be one of tilt"),
            ("2 fly 3", "--at 2 fly: must be one of tilt"),
            ("2 tilt", "--at 2 tilt: takes degrees"),
            ("2 tilt 10dge", "as in --at 2 tilt 10deg"),
            ("2 tilt 10degdeg", "takes degrees"),
            ("2 gravity NaN", "takes m/s², from 0 to 1000"),
            ("2 gravity -3", "takes m/s²"),
            ("2 pour -3", "takes a number of particles"),
            ("2 drain 2.5", "takes a number of particles"),
            ("2 lift 0", "takes the number of one of the scene's obstacles"),
            ("2 lift 3", "takes the number of one of the scene's obstacles"),
            ("2 shake sideways", "takes left, right, up or down"),
            ("2 tilt 10 dam", "--at dam: must be seconds"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(words), "for {text:?} the error is {error}");
        }
    }
}
