//! Timed actions in a headless run: `--at T ACTION`. Each action is one row of `ACTIONS`.

use crate::app::action::Direction;
use crate::scene::fluids::{self, NamedFluid};
use crate::sim::World;
use crate::sim::forces::{PointerForce, PointerForceKind};
use crate::sim::world::pointer::{Pointer, PointerMode, Poured};
use glam::Vec2;
use std::str::SplitWhitespace;
use std::sync::Arc;

type Effect = Arc<dyn Fn(&mut World, &mut Pointer) + Send + Sync>;

type ReadEffect = fn(&mut Args) -> Option<Effect>;

/// The actions: an example, the description of the arguments, and how they are read.
const ACTIONS: [(&str, &str, ReadEffect); 13] = [
    ("tilt 10deg", "degrees from straight down, up to 3600", |args| {
        let word = args.words.next()?;
        word.strip_suffix("deg").unwrap_or(word).parse().ok().filter(within(3600.0)).map(tilt)
    }),
    ("gravity 9.81", "m/s², from 0 to 1000", |args| {
        let gravity = args.number(1000.0).filter(|&gravity| gravity >= 0.0)?;
        Some(Arc::new(move |world, _| world.set_gravity(gravity)))
    }),
    ("shake left", "left, right, up or down", |args| {
        let name = args.words.next()?;
        let direction = Direction::ALL.into_iter().find(|direction| direction.name() == name)?;
        Some(Arc::new(move |world, _| world.shake(direction.unit())))
    }),
    ("pour 100", "a number of particles, up to a million", |args| {
        let count = args.count()?;
        Some(Arc::new(move |world, _| world.pour(count)))
    }),
    ("drain 100", "a number of particles, up to a million", |args| {
        let count = args.count()?;
        Some(Arc::new(move |world, _| world.drain(count)))
    }),
    ("burst X Y", "a position, as fractions of the tank's size", |args| {
        let place = args.place()?;
        Some(Arc::new(move |world, _| poke(world, place, PointerForceKind::Explode { strength: 1.0 })))
    }),
    ("push X Y VX VY", "a position, as fractions of the tank's size, and a velocity, up to 20 m/s", |args| {
        let place = args.place()?;
        let velocity = Vec2::new(args.number(20.0)?, args.number(20.0)?);
        Some(Arc::new(move |world, _| poke(world, place, PointerForceKind::Push { velocity })))
    }),
    (
        "press push X Y",
        "a tool (push, pull, pour, drain, wall, or the fluid to pour), and a position, as fractions of the tank's size",
        |args| {
            let (mode, fluid) = tool(args.words.next()?)?;
            let place = args.place()?;
            Some(Arc::new(move |world, pointer| {
                pointer.pours = Poured::Matter(fluid.and_then(|fluid| fluid.number_in(world)).unwrap_or(0));
                let place = place * world.size();
                pointer.close(world, mode, place);
            }))
        },
    ),
    ("move X Y", "the pointer's new position, as fractions of the tank's size", |args| {
        let place = args.place()?;
        Some(Arc::new(move |world, pointer| {
            let (place, slack) = (place * world.size(), SLACK * side(world));
            pointer.go_to(world, place, slack);
        }))
    }),
    ("release", "nothing", |_| Some(Arc::new(|_, pointer| pointer.open()))),
    ("wall X Y X Y", "two positions, as fractions of the tank's size", |args| {
        let ends = [args.place()?, args.place()?];
        Some(Arc::new(move |world, _| {
            let [from, to] = ends.map(|end| end * world.size());
            world.draw_wall(from, to, WALL * side(world));
        }))
    }),
    ("lift 1", "the number of one of the scene's obstacles, counted from 1", |args| {
        let number = args.count().filter(|number| (1..=args.obstacles).contains(number))?;
        Some(Arc::new(move |world, _| world.remove_obstacle(number - 1)))
    }),
    ("aspect 2", "width over height, more than 0", |args| {
        let aspect = args.number(1e3).filter(|&aspect| aspect > 0.0)?;
        Some(Arc::new(move |world, _| world.set_aspect(aspect)))
    }),
];

/// Radius of the brush, and half the thickness of a wall, as fractions of a square tank's side.
const BRUSH: f32 = 0.1;
const WALL: f32 = 0.02;

/// Movement of the pointer that is ignored, as a fraction of a square tank's side: half a cell of 80.
const SLACK: f32 = 0.006;

struct Args<'a> {
    words: SplitWhitespace<'a>,
    obstacles: usize,
}

impl Args<'_> {
    fn number(&mut self, most: f32) -> Option<f32> {
        self.words.next()?.parse().ok().filter(within(most))
    }

    fn count(&mut self) -> Option<usize> {
        self.number(1e6).filter(|&n| n >= 0.0 && n.fract() == 0.0).map(|n| n as usize)
    }

    fn place(&mut self) -> Option<Vec2> {
        Some(Vec2::new(self.number(2.0)?, self.number(2.0)?))
    }
}

fn within(most: f32) -> impl Fn(&f32) -> bool {
    move |value| value.abs() <= most
}

fn tilt(degrees: f32) -> Effect {
    Arc::new(move |world, _| world.tilt_to(degrees.to_radians()))
}

/// The side of a square tank of the same area, metres.
fn side(world: &World) -> f32 {
    world.size().element_product().sqrt()
}

fn poke(world: &mut World, place: Vec2, kind: PointerForceKind) {
    world.add_pointer_force(PointerForce { at: place * world.size(), radius: BRUSH * side(world), kind });
}

fn tool(name: &str) -> Option<(PointerMode, Option<&'static NamedFluid>)> {
    let mode = PointerMode::ALL.into_iter().find(|mode| mode.name() == name);
    let fluid = || fluids::embedded().iter().find(|fluid| fluid.name == name);
    mode.map(|mode| (mode, None)).or_else(|| fluid().map(|fluid| (PointerMode::Pour, Some(fluid))))
}

#[derive(Clone)]
pub struct TimelineEntry {
    pub at: f64,
    pub effect: Effect,
}

impl TimelineEntry {
    /// Reads `DEGREES` or `DEGREES@SECONDS`: the direction of gravity from then on.
    pub fn read_tilt(text: &str) -> Result<Self, String> {
        let (degrees, at) = text.split_once('@').unwrap_or((text, "0"));
        let tilt = degrees.parse().ok().filter(within(3600.0)).map(tilt);
        let at = at.parse().ok().filter(|at| *at >= 0.0);
        let entry = tilt.zip(at).map(|(effect, at)| Self { at, effect });
        entry.ok_or_else(|| "must be degrees, or degrees@seconds, as 90 or 180@5".to_owned())
    }

    /// Reads `T ACTION T ACTION …`, the words of all `--at` flags in a row, for a scene with `obstacles` obstacles.
    pub fn read(words: &[String], obstacles: usize) -> Result<Vec<TimelineEntry>, String> {
        let text = words.join(" ");
        let mut args = Args { words: text.split_whitespace(), obstacles };
        let mut entries = Vec::new();
        while let Some(time) = args.words.next() {
            let at = time.parse().ok().filter(|at| (0.0..=36_000.0).contains(at));
            let at =
                at.ok_or_else(|| format!("--at {time}: must be seconds and an action, as in --at 2 tilt 10deg"))?;
            let verb = args.words.next().unwrap_or_default();
            let row = ACTIONS.iter().find(|(example, ..)| example.split(' ').next() == Some(verb));
            let Some((example, takes, read)) = row else {
                let examples = ACTIONS.map(|(example, ..)| example).join(", ");
                return Err(format!("--at {time} {verb}: must be one of {examples}"));
            };
            let effect = read(&mut args).ok_or_else(|| match (verb, obstacles) {
                ("lift", 0) => format!("--at {time} lift: the scene has no obstacles"),
                _ => format!("--at {time} {verb}: takes {takes}, as in --at {time} {example}"),
            })?;
            entries.push(TimelineEntry { at, effect });
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::WorldOptions;
    use crate::sim::definition::WorldDef;

    fn read(text: &str) -> Result<Vec<TimelineEntry>, String> {
        TimelineEntry::read(&[text.to_owned()], 2)
    }

    #[test]
    fn actions_are_read_one_after_the_other() {
        let entries = read("2 tilt 10deg 3.5 gravity 0 4 wall 0 0.5 0.4 0.5").expect("three entries");
        assert_eq!(entries.iter().map(|entry| entry.at).collect::<Vec<_>>(), [2.0, 3.5, 4.0]);
        let mut world = World::new(&WorldDef::default(), &WorldOptions::default());
        let mut pointer = Pointer::new(Vec2::ZERO);
        entries.iter().for_each(|entry| (entry.effect)(&mut world, &mut pointer));
        assert_eq!(world.tilt_target(), 10_f32.to_radians());
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
            let error = read(text).err().expect(text);
            assert!(error.contains(words), "for {text:?} the error is {error}");
        }
    }
}
