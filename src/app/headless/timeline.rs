//! Timed actions in a headless run: `--at T ACTION`.

use crate::scene::fluids;
use crate::sim::World;
use crate::sim::clock::STEP;
use crate::sim::forces::{Explode, PointerForce, PointerForceKind, Push};
use crate::sim::world::pointer::{Pointer, PointerMode};
use glam::Vec2;
use std::fmt;

/// The actions: an example, and a description of the arguments.
const ACTIONS: [(&str, &str); 13] = [
    ("tilt 10deg", "degrees from straight down, up to 3600"),
    ("gravity 9.81", "m/s², from 0 to 1000"),
    ("shake left", "left, right, up or down"),
    ("pour 100", "a number of particles, up to a million"),
    ("drain 100", "a number of particles, up to a million"),
    ("burst X Y", "a position, as fractions of the tank's size"),
    ("push X Y VX VY", "a position, as fractions of the tank's size, and a velocity, up to 20 m/s"),
    (
        "press push X Y",
        "a tool (push, pull, pour, drain, wall, or the fluid to pour), and a position, as fractions of the tank's size",
    ),
    ("move X Y", "the pointer's new position, as fractions of the tank's size"),
    ("release", "nothing"),
    ("wall X Y X Y", "two positions, as fractions of the tank's size"),
    ("lift 1", "the number of one of the scene's obstacles, counted from 1"),
    ("aspect 2", "width over height, more than 0"),
];

/// Radius of the brush, and half the thickness of a wall, as fractions of a square tank's side.
const BRUSH: f32 = 0.1;
const WALL: f32 = 0.02;

/// Movement of the pointer that is ignored, as a fraction of a square tank's side: half a cell of a window of 80
/// columns.
const SLACK: f32 = 0.006;

/// An action on the tank.
#[derive(Clone, Copy, Debug, PartialEq)]
enum TimelineAction {
    /// Radians from straight down.
    Tilt(f32),
    /// m/s².
    Gravity(f32),
    Shake(Vec2),
    Pour(usize),
    Drain(usize),
    /// A position as a fraction of the tank.
    Burst(Vec2),
    /// A position, and the pointer's velocity, m/s.
    Push(Vec2, Vec2),
    /// The pointer's tool from now on, the number of the embedded fluid that it pours, and its position.
    Press(PointerMode, Option<usize>, Vec2),
    Move(Vec2),
    Release,
    Wall(Vec2, Vec2),
    /// Removes the scene's obstacle of this number, from 1.
    Lift(usize),
    Aspect(f32),
}

/// An action and its time in simulated seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineEntry {
    at: f64,
    action: TimelineAction,
}

impl TimelineEntry {
    /// Turns gravity to `degrees` from straight down.
    pub fn tilt(degrees: f32, at: f64) -> Self {
        Self { at, action: TimelineAction::Tilt(degrees.to_radians()) }
    }

    /// Reads `T ACTION T ACTION …`, the words of all `--at` flags in a row, for a scene with `obstacles` obstacles.
    pub fn read(words: &[String], obstacles: usize) -> Result<Vec<TimelineEntry>, String> {
        let text = words.join(" ");
        let mut words = text.split_whitespace().peekable();
        let mut entries = Vec::new();
        while let Some(time) = words.next() {
            let at = time.parse().ok().filter(|at| (0.0..=36_000.0).contains(at));
            let at =
                at.ok_or_else(|| format!("--at {time}: must be seconds and an action, as in --at 2 tilt 10deg"))?;
            let verb = words.next().unwrap_or_default();
            let action = action(verb, &mut words)
                .filter(|action| !matches!(action, TimelineAction::Lift(number) if *number > obstacles));
            entries.push(TimelineEntry { at, action: action.ok_or_else(|| wrong(time, verb, obstacles))? });
        }
        Ok(entries)
    }

    /// Whether it is due in the step that begins at `time`.
    pub fn is_due(&self, time: f64) -> bool {
        self.at <= time + 0.5 * f64::from(STEP)
    }

    /// Whether it comes after the end of the run.
    pub fn is_after(&self, seconds: f64) -> bool {
        self.at > seconds
    }

    pub fn perform(&self, world: &mut World, pointer: &mut Pointer) {
        let size = world.size();
        let side = (size.x * size.y).sqrt();
        let poke = |place: Vec2, kind: PointerForceKind| PointerForce { at: place * size, radius: BRUSH * side, kind };
        match self.action {
            TimelineAction::Tilt(angle) => world.tilt_to(angle),
            TimelineAction::Gravity(gravity) => world.set_gravity(gravity),
            TimelineAction::Shake(direction) => world.shake(direction),
            TimelineAction::Pour(count) => world.pour(count),
            TimelineAction::Drain(count) => world.drain(count),
            TimelineAction::Burst(place) => world.add_pointer_force(poke(place, PointerForceKind::Explode(Explode))),
            TimelineAction::Push(place, velocity) => {
                world.add_pointer_force(poke(place, PointerForceKind::Push(Push { velocity })))
            }
            TimelineAction::Press(mode, fluid, place) => {
                let fluid = fluid.map(|number| &fluids::embedded()[number]);
                let number = fluid.and_then(|named| named.number_in(world));
                pointer.pours = number.unwrap_or(0);
                pointer.close(world, mode, place * size);
            }
            TimelineAction::Move(place) => pointer.go_to(world, place * size, SLACK * side),
            TimelineAction::Release => pointer.open(),
            TimelineAction::Wall(from, to) => world.draw_wall(from * size, to * size, WALL * side),
            TimelineAction::Lift(number) => world.remove_obstacle(number - 1),
            TimelineAction::Aspect(aspect) => world.set_aspect(aspect),
        }
    }
}

impl fmt::Display for TimelineEntry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the action at {} s", self.at)
    }
}

/// The error for an entry with an unknown action, or with wrong arguments.
fn wrong(time: &str, verb: &str, obstacles: usize) -> String {
    match ACTIONS.iter().find(|(form, _)| form.split(' ').next() == Some(verb)) {
        Some(_) if verb == "lift" && obstacles == 0 => format!("--at {time} lift: the scene has no obstacles"),
        Some((form, takes)) => format!("--at {time} {verb}: takes {takes}, as in --at {time} {form}"),
        None => format!("--at {time} {verb}: must be one of {}", ACTIONS.map(|(form, _)| form).join(", ")),
    }
}

/// Reads the action of `verb` with its arguments from the next words.
fn action<'a>(verb: &str, words: &mut impl Iterator<Item = &'a str>) -> Option<TimelineAction> {
    if verb == "shake" {
        let sides = [("left", Vec2::NEG_X), ("right", Vec2::X), ("up", Vec2::Y), ("down", Vec2::NEG_Y)];
        let side = words.next()?;
        return sides
            .into_iter()
            .find(|(name, _)| *name == side)
            .map(|(_, direction)| TimelineAction::Shake(direction));
    }
    if verb == "release" {
        return Some(TimelineAction::Release);
    }
    let tool = if verb == "press" { Some(tool(words.next()?)?) } else { None };
    let mut number = |most: f32| {
        let word = words.next()?;
        let word = if verb == "tilt" { word.strip_suffix("deg").unwrap_or(word) } else { word };
        word.parse().ok().filter(|value: &f32| value.abs() <= most)
    };
    let whole = |number: Option<f32>| number.filter(|&n| n >= 0.0 && n.fract() == 0.0).map(|n| n as usize);
    Some(match verb {
        "tilt" => TimelineAction::Tilt(number(3600.0)?.to_radians()),
        "gravity" => TimelineAction::Gravity(number(1000.0).filter(|&gravity| gravity >= 0.0)?),
        "pour" => TimelineAction::Pour(whole(number(1e6))?),
        "drain" => TimelineAction::Drain(whole(number(1e6))?),
        "burst" => TimelineAction::Burst(Vec2::new(number(2.0)?, number(2.0)?)),
        "push" => TimelineAction::Push(Vec2::new(number(2.0)?, number(2.0)?), Vec2::new(number(20.0)?, number(20.0)?)),
        "press" => {
            let (mode, fluid) = tool?;
            TimelineAction::Press(mode, fluid, Vec2::new(number(2.0)?, number(2.0)?))
        }
        "move" => TimelineAction::Move(Vec2::new(number(2.0)?, number(2.0)?)),
        "wall" => TimelineAction::Wall(Vec2::new(number(2.0)?, number(2.0)?), Vec2::new(number(2.0)?, number(2.0)?)),
        "lift" => TimelineAction::Lift(whole(number(1e6)).filter(|&number| number > 0)?),
        "aspect" => TimelineAction::Aspect(number(1e3).filter(|&aspect| aspect > 0.0)?),
        _ => return None,
    })
}

/// Reads a tool by name, or pouring by the name of a fluid.
fn tool(name: &str) -> Option<(PointerMode, Option<usize>)> {
    let mode = PointerMode::ALL.into_iter().find(|mode| mode.name() == name);
    let fluid = || fluids::embedded().iter().position(|fluid| fluid.name == name);
    mode.map(|mode| (mode, None)).or_else(|| fluid().map(|number| (PointerMode::Pour, Some(number))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<TimelineEntry>, String> {
        TimelineEntry::read(&[text.to_owned()], 2)
    }

    #[test]
    fn actions_are_read_one_after_the_other() {
        let entries = read("2 tilt 10deg 3.5 gravity 0 4 wall 0 0.5 0.4 0.5").expect("three entries");
        assert_eq!(entries[0], TimelineEntry::tilt(10.0, 2.0));
        assert_eq!(entries[1], TimelineEntry { at: 3.5, action: TimelineAction::Gravity(0.0) });
        assert_eq!(
            entries[2],
            TimelineEntry { at: 4.0, action: TimelineAction::Wall(Vec2::new(0.0, 0.5), Vec2::new(0.4, 0.5)) }
        );
    }

    #[test]
    fn an_unknown_action_is_refused_with_the_known_ones() {
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
            ("2 press sideways 0.5 0.5", "takes a tool (push, pull"),
            ("2 press push 0.5", "takes a tool"),
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
