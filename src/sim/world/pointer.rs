//! The hand in the tank, moved by a pointer or by keys.
//!
//! The pointer moves in jumps, as often as the terminal reports it. The hand follows it with a short lag and pushes
//! with its own velocity: smooth, and because all of the way is made good, the fluid is carried exactly as far as the
//! pointer went, whatever the frame rate and however reports bunch up on the line. Velocities from the times of reports
//! were considered first: a burst of late reports has no honest times.

use crate::math::Elementary;
use crate::sim::World;
use crate::sim::clock::STEP;
use crate::sim::pointer_force::{PointerForce, PointerForceKind};
use glam::Vec2;
use serde::{Deserialize, Serialize};

/// How far the hand lags behind the pointer, seconds of real time.
const LAG: f32 = 0.04;

/// How quickly the estimate of how its path turns follows, seconds of simulated time; the fastest turn, rad/s; and the
/// speed below which a direction means nothing, m/s.
const TURN_LAG: f32 = 0.08;
const MAX_TURN: f32 = 20.0;
const MIN_TURNING_SPEED: f32 = 0.15;

/// From so much of a turn on (radians), faster than this (rad/s), the path stirs. What has been stirred is kept going for so
/// many seconds, at a spin that falls by e in the second number of them: the method's own viscosity halves a vortex of 15 cm
/// in less than a second, as water in a jar of a metre does not.
const STIRRING: (f32, f32) = (4.7, 1.5);
const WHIRL: (f32, f32) = (4.0, 3.0);

/// The fastest a hand pushes, m/s.
const FASTEST: f32 = 8.0;

/// Smallest, usual and largest brush as shares of a square tank's side, and the step of the wheel. The usual one moves a
/// wave; one of a tenth, tried first, moved a dent.
const BRUSH: (f32, f32, f32) = (0.03, 0.3, 0.5);
const BRUSH_STEP: f32 = 1.2;

/// How many steps a click bursts.
const BURST_STEPS: u32 = 3;

/// From so many seconds on, a pointer that is pressed and not moved keeps the fluid away: most clicks are shorter. It
/// may tremble then by this share of the brush before it carries instead.
const HOLD_DELAY: f32 = 0.12;
const HOLD_SLACK: f32 = 0.1;

/// Half the thickness of a drawn wall, as a share of the brush, and its least, metres: nothing squeezes through.
const STROKE: (f32, f32) = (0.067, 0.015);

/// Half the width of the stream that is poured, as a share of the brush, and its speed, m/s.
const STREAM: (f32, f32) = (0.15, 1.5);

/// What a closed hand does.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointerMode {
    /// Carries the fluid along; where it is not moved it keeps the fluid away, or bursts it if it opens soon.
    Push,
    /// Draws the fluid to itself and carries it.
    Pull,
    /// Pours fluid, or dye.
    Pour,
    /// Takes fluid out; thins dyes.
    Drain,
    /// Draws a wall, or erases walls if it closed on one that was drawn.
    Wall,
    /// Heats what is under it.
    Heat,
    /// Cools it.
    Cool,
}

impl PointerMode {
    /// All modes, in the order of the keys that choose them.
    pub const ALL: [Self; 7] = [Self::Push, Self::Pull, Self::Pour, Self::Drain, Self::Wall, Self::Heat, Self::Cool];

    /// Its name, as the status row and timelines have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Pull => "pull",
            Self::Pour => "pour",
            Self::Drain => "drain",
            Self::Wall => "wall",
            Self::Heat => "heat",
            Self::Cool => "cool",
        }
    }
}

/// Where the hand is and what it does. Places are in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Where the pointer is.
    pub target: Vec2,
    /// Where the hand is on its way there.
    at: Vec2,
    grip: Option<PointerMode>,
    /// Where it closed; it has not been moved since.
    closed_at: Option<Vec2>,
    /// The wall being drawn goes on from here; nothing while erasing.
    stroke: Option<Vec2>,
    /// Its last velocity, m/s, and the rate at which that turns, rad/s.
    velocity: Vec2,
    spin: f32,
    /// How far it has turned one way, radians.
    turned: f32,
    /// What it has stirred.
    whirl: Option<Whirl>,
    /// Seconds of real time since it closed.
    closed_for: f32,
    /// Steps that a burst goes on.
    bursting: u32,
    /// The phase or the dye that it pours.
    pub pours: u8,
    /// Share of a square tank's side.
    brush: f32,
}

/// Fluid that was stirred and goes on turning.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Whirl {
    at: Vec2,
    /// rad/s, and up to how far, metres.
    spin: f32,
    core: f32,
    /// Seconds since it was stirred.
    age: f32,
}

impl Pointer {
    /// An open hand at `at`.
    pub fn new(at: Vec2) -> Self {
        Self {
            target: at,
            at,
            grip: None,
            closed_at: None,
            stroke: None,
            velocity: Vec2::ZERO,
            spin: 0.0,
            turned: 0.0,
            whirl: None,
            closed_for: 0.0,
            bursting: 0,
            pours: 0,
            brush: BRUSH.1,
        }
    }

    /// What the pointer does while it is held down.
    pub fn grip(&self) -> Option<PointerMode> {
        self.grip
    }

    /// Radius of the brush in this world, metres.
    pub fn radius(&self, world: &World) -> f32 {
        let size = world.size();
        self.brush * (size.x * size.y).sqrt()
    }

    /// How far it acts in a mode, metres.
    pub fn reach(&self, world: &World, mode: PointerMode) -> f32 {
        match mode {
            PointerMode::Push | PointerMode::Pull | PointerMode::Drain | PointerMode::Heat | PointerMode::Cool => {
                self.radius(world)
            }
            PointerMode::Pour => STREAM.0 * self.radius(world),
            PointerMode::Wall => self.stroke_radius(world),
        }
    }

    /// Its brush, as a fraction of a square tank's side.
    pub fn brush(&self) -> f32 {
        self.brush
    }

    /// Gives it a brush, as a fraction of a square tank's side, within the limits.
    pub fn set_brush(&mut self, brush: f32) {
        self.brush = brush.clamp(BRUSH.0, BRUSH.2);
    }

    /// Makes the brush larger, or smaller.
    pub fn resize(&mut self, larger: bool) {
        let factor = if larger { BRUSH_STEP } else { 1.0 / BRUSH_STEP };
        self.set_brush(self.brush * factor);
    }

    /// Closes at `at`.
    pub fn close(&mut self, world: &mut World, grip: PointerMode, at: Vec2) {
        (self.target, self.at) = (at, at);
        self.grip = Some(grip);
        self.closed_at = Some(at);
        (self.velocity, self.spin, self.turned, self.closed_for) = (Vec2::ZERO, 0.0, 0.0, 0.0);
        self.whirl = None;
        self.stroke = None;
        if grip == PointerMode::Wall && !world.erase_walls(at, self.stroke_radius(world)) {
            self.stroke = Some(at);
            world.draw_wall(at, at, self.stroke_radius(world));
        }
    }

    /// The pointer is at `at` now. A hand that has moved no further than `slack` still rests.
    pub fn go_to(&mut self, world: &mut World, at: Vec2, slack: f32) {
        self.target = at;
        if self.grip.is_none() {
            self.at = at;
        }
        let slack = if self.is_held_still() { slack.max(HOLD_SLACK * self.radius(world)) } else { slack };
        if self.closed_at.is_some_and(|from| from.distance(at) > slack) {
            self.closed_at = None;
        }
        if self.grip == Some(PointerMode::Wall) {
            self.draw_on(world, at);
        }
    }

    /// Goes on with the wall, or with the erasing, up to `at`.
    fn draw_on(&mut self, world: &mut World, at: Vec2) {
        let radius = self.stroke_radius(world);
        match self.stroke {
            // Pieces shorter than the wall is thick would only cost.
            Some(from) if from.distance(at) > radius => {
                world.draw_wall(from, at, radius);
                self.stroke = Some(at);
            }
            Some(_) => {}
            None => {
                world.erase_walls(at, radius);
            }
        }
    }

    /// Whether it has been closed for so long where it closed that it is no click.
    fn is_held_still(&self) -> bool {
        self.closed_at.is_some() && self.closed_for > HOLD_DELAY
    }

    /// Opens. A pushing hand that opens soon where it closed bursts the fluid.
    pub fn open(&mut self) {
        let click = self.closed_at.is_some() && !self.is_held_still();
        if self.grip.take() == Some(PointerMode::Push) && click {
            self.burst();
        }
        self.closed_at = None;
    }

    /// The hand is where the pointer is.
    pub fn catch_up(&mut self) {
        self.at = self.target;
    }

    /// Opens and does nothing further: the window lost the focus and will not tell when the button goes up.
    pub fn drop_all(&mut self) {
        self.grip = None;
        self.closed_at = None;
        self.whirl = None;
    }

    /// Throws what is around the pointer outward, once.
    pub fn burst(&mut self) {
        self.bursting = BURST_STEPS;
    }

    fn stroke_radius(&self, world: &World) -> f32 {
        (self.radius(world) * STROKE.0).max(STROKE.1)
    }

    /// Acts on the world's next step, which stands for `seconds` of real time.
    pub fn act(&mut self, world: &mut World, seconds: f32) {
        let before = self.at;
        self.at += (self.target - self.at) * (1.0 - (-seconds / LAG).exponential());
        let velocity = ((self.at - before) / STEP).clamp_length_max(FASTEST);
        self.update_turn(velocity);
        let clicked = !self.is_held_still();
        self.closed_for += seconds;
        if clicked && self.is_held_still() && self.grip == Some(PointerMode::Push) {
            self.burst();
        }
        if let Some((kind, reach)) = self.force(world, velocity) {
            world.add_pointer_force(PointerForce { at: self.at, radius: reach, kind });
        }
        self.keep_stirred(world);
        if self.bursting > 0 {
            self.bursting -= 1;
            let radius = self.radius(world);
            world.add_pointer_force(PointerForce { at: self.target, radius, kind: PointerForceKind::Explode });
        }
    }

    /// Notes how the path turns.
    fn update_turn(&mut self, velocity: Vec2) {
        let turning = self.velocity.length().min(velocity.length()) > MIN_TURNING_SPEED;
        let turn = if turning { self.velocity.angle_to(velocity) / STEP } else { 0.0 };
        let share = 1.0 - (-STEP / TURN_LAG).exponential();
        self.spin += (turn.clamp(-MAX_TURN, MAX_TURN) - self.spin) * share;
        self.velocity = velocity;
        let stirs = self.carries() && self.spin.abs() > STIRRING.1;
        let same_way = self.turned * self.spin >= 0.0;
        self.turned = if stirs { self.spin * STEP + if same_way { self.turned } else { 0.0 } } else { 0.0 };
        if self.turned.abs() > STIRRING.0 {
            let core = velocity.length() / self.spin.abs();
            self.whirl = Some(Whirl { at: self.at + velocity.perp() / self.spin, spin: self.spin, core, age: 0.0 });
        }
    }

    /// Keeps going what it has stirred, once it stirs no more.
    fn keep_stirred(&mut self, world: &mut World) {
        let radius = self.radius(world);
        let Some(whirl) = &mut self.whirl else { return };
        if whirl.age > 0.0 {
            let kind =
                PointerForceKind::Whirl { spin: whirl.spin * (-whirl.age / WHIRL.1).exponential(), core: whirl.core };
            world.add_pointer_force(PointerForce { at: whirl.at, radius, kind });
        }
        whirl.age += STEP;
        self.whirl = self.whirl.filter(|whirl| whirl.age < WHIRL.0);
    }

    /// Whether it carries the fluid along.
    fn carries(&self) -> bool {
        self.grip == Some(PointerMode::Push) && self.closed_at.is_none()
    }

    /// What it does to the fluid at this velocity, and how far, metres.
    fn force(&self, world: &World, velocity: Vec2) -> Option<(PointerForceKind, f32)> {
        let mode = self.grip?;
        let kind = match mode {
            PointerMode::Push if self.carries() => PointerForceKind::Carry { velocity, spin: self.spin },
            PointerMode::Push if self.is_held_still() => PointerForceKind::Repel,
            PointerMode::Pull => PointerForceKind::Pull,
            PointerMode::Pour => {
                let velocity = velocity + STREAM.1 * world.tank_motion.gravity_dir();
                PointerForceKind::Pour { velocity, number: self.pours }
            }
            PointerMode::Drain => PointerForceKind::Drain,
            PointerMode::Heat => PointerForceKind::Heat { rate: 1.0 },
            PointerMode::Cool => PointerForceKind::Heat { rate: -1.0 },
            PointerMode::Push | PointerMode::Wall => return None,
        };
        Some((kind, self.reach(world, mode)))
    }
}
