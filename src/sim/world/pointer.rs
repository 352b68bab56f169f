//! The hand in the tank, moved by a pointer or by keys. The pointer moves in jumps; the hand follows it with a short lag and
//! pushes with its own velocity, so that it carries the fluid exactly as far as the pointer moved, whatever the frame rate.

use crate::math::Elementary;
use crate::sim::World;
use crate::sim::clock::STEP;
use crate::sim::forces::{PointerForce, PointerForceKind};
use crate::sim::life::Life;
use glam::Vec2;
use serde::{Deserialize, Serialize};

/// Lag of the hand behind the pointer, seconds of real time.
const LAG: f32 = 0.04;

/// Time constant of the path's turning rate, seconds; the fastest turn, rad/s; and the speed of the slowest path that turns, m/s.
const TURN_LAG: f32 = 0.08;
const MAX_TURN: f32 = 20.0;
const MIN_TURNING_SPEED: f32 = 0.15;

/// Turn (radians) and rate (rad/s) from which on the path stirs; and seconds for which the vortex is maintained, and in which its
/// rate falls by e: the method's own viscosity would halve it in less than one.
const STIRRING: (f32, f32) = (4.7, 1.5);
const WHIRL: (f32, f32) = (4.0, 3.0);

/// Maximum speed of a pushing hand, m/s.
const FASTEST: f32 = 8.0;

/// Smallest, default and largest brush as fractions of a square tank's side, and the step of the wheel.
const BRUSH: (f32, f32, f32) = (0.03, 0.3, 0.5);
const BRUSH_STEP: f32 = 1.2;

/// Number of steps of a click's burst.
const BURST_STEPS: u32 = 3;

/// Seconds after which an unmoved pointer repels, and the fraction of the brush that it may move before it carries.
const HOLD_DELAY: f32 = 0.12;
const HOLD_SLACK: f32 = 0.1;

/// Half the thickness of a drawn wall, as a fraction of the brush, and its minimum, metres: nothing squeezes through.
const STROKE: (f32, f32) = (0.067, 0.015);

/// Half the width of the poured stream, as a fraction of the brush, and its speed, m/s.
const STREAM: (f32, f32) = (0.15, 1.5);

/// Seconds of real time between two crumbs and two fish that are poured, and for which a moved hand is seen by fish.
const CRUMB_INTERVAL: f32 = 0.12;
const FISH_INTERVAL: f32 = 0.5;
const SEEN_FOR: f32 = 1.0;

const MEAL: u32 = 5;

/// What a hand pours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poured {
    /// The phase or the dye of this number.
    Matter(u8),
    Food,
    /// Fish of the species of this number in the scene.
    Fish(u8),
}

named! {
    /// The action of a closed hand.
    #[non_exhaustive]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum PointerMode {
        /// Carries the fluid along; without motion it keeps the fluid away, or bursts it if it opens soon.
        #[default]
        Push => "push",
        /// Draws the fluid to itself and carries it.
        Pull => "pull",
        /// Pours fluid, or dye.
        Pour => "pour",
        /// Removes fluid; dilutes dyes.
        Drain => "drain",
        /// Draws a wall, or erases walls if it closed on a drawn one.
        Wall => "wall",
        /// Heats the matter under it.
        Heat => "heat",
        /// Cools the matter under it.
        Cool => "cool",
    }
}

impl Default for Poured {
    fn default() -> Self {
        Self::Matter(0)
    }
}

/// The state of the hand. Places are in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pointer {
    pub target: Vec2,
    /// Position of the hand, which follows the pointer.
    at: Vec2,
    grip: Option<PointerMode>,
    /// Where it closed, if it has not been moved since.
    closed_at: Option<Vec2>,
    /// Last point of the wall that is being drawn; none while erasing.
    stroke: Option<Vec2>,
    /// Its last velocity, m/s, and the turning rate of that, rad/s.
    velocity: Vec2,
    spin: f32,
    /// Angle by which it has turned in one direction, radians.
    turned: f32,
    whirl: Option<StirredVortex>,
    /// Seconds of real time since it closed.
    closed_for: f32,
    /// Remaining steps of a burst.
    bursting: u32,
    pub pours: Poured,
    /// Seconds until the next crumb or fish is poured, and for which fish still see the hand.
    next_poured: f32,
    seen_for: f32,
    clicked: bool,
    /// Crumbs of a click that are still to fall.
    meal: u32,
    /// Brush, as a fraction of a square tank's side.
    brush: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct StirredVortex {
    at: Vec2,
    /// Angular velocity, rad/s, and radius of the core, metres.
    spin: f32,
    core: f32,
    /// Seconds since it was stirred.
    age: f32,
}

impl Pointer {
    pub fn new(at: Vec2) -> Self {
        Self { target: at, at, brush: BRUSH.1, ..Self::default() }
    }

    /// The mode of a closed hand.
    pub fn grip(&self) -> Option<PointerMode> {
        self.grip
    }

    /// Radius of the brush in this world, metres.
    pub fn radius(&self, world: &World) -> f32 {
        let size = world.size();
        self.brush * (size.x * size.y).sqrt()
    }

    /// Radius of its action in a mode, metres.
    pub fn reach(&self, world: &World, mode: PointerMode) -> f32 {
        match mode {
            PointerMode::Pour => STREAM.0 * self.radius(world),
            PointerMode::Wall => self.stroke_radius(world),
            _ => self.radius(world),
        }
    }

    pub fn brush(&self) -> f32 {
        self.brush
    }

    pub fn set_brush(&mut self, brush: f32) {
        self.brush = brush.clamp(BRUSH.0, BRUSH.2);
    }

    pub fn resize(&mut self, larger: bool) {
        let factor = if larger { BRUSH_STEP } else { 1.0 / BRUSH_STEP };
        self.set_brush(self.brush * factor);
    }

    pub fn close(&mut self, world: &mut World, grip: PointerMode, at: Vec2) {
        (self.target, self.at) = (at, at);
        self.grip = Some(grip);
        self.closed_at = Some(at);
        (self.velocity, self.spin, self.turned, self.closed_for) = (Vec2::ZERO, 0.0, 0.0, 0.0);
        self.whirl = None;
        self.stroke = None;
        (self.next_poured, self.seen_for) = (0.0, SEEN_FOR);
        if grip == PointerMode::Wall && !world.erase_walls(at, self.stroke_radius(world)) {
            self.stroke = Some(at);
            world.draw_wall(at, at, self.stroke_radius(world));
        }
    }

    /// Moves the pointer to `at`. A hand that has moved no further than `slack` still counts as unmoved.
    pub fn go_to(&mut self, world: &mut World, at: Vec2, slack: f32) {
        self.target = at;
        self.seen_for = SEEN_FOR;
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

    /// Continues the wall, or the erasing, up to `at`.
    fn draw_on(&mut self, world: &mut World, at: Vec2) {
        let radius = self.stroke_radius(world);
        match self.stroke {
            // Segments shorter than the wall's thickness would only cost time.
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

    fn is_held_still(&self) -> bool {
        self.closed_at.is_some() && self.closed_for > HOLD_DELAY
    }

    /// Opens the hand. A pushing hand that opens soon where it closed bursts the fluid, or feeds the fish in it.
    pub fn open(&mut self) {
        let click = self.closed_at.is_some() && !self.is_held_still();
        if self.grip.take() == Some(PointerMode::Push) && click {
            self.clicked = true;
        }
        self.closed_at = None;
    }

    pub fn catch_up(&mut self) {
        self.at = self.target;
    }

    /// Opens the hand without a burst: the window lost the focus and will not report the button's release.
    pub fn drop_all(&mut self) {
        self.grip = None;
        self.closed_at = None;
        self.whirl = None;
    }

    /// Throws the fluid around the pointer outwards, once.
    pub fn burst(&mut self) {
        self.bursting = BURST_STEPS;
    }

    fn stroke_radius(&self, world: &World) -> f32 {
        (self.radius(world) * STROKE.0).max(STROKE.1)
    }

    /// Acts on the world's next step, which represents `seconds` of real time.
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
        self.tend_fish(world, seconds);
        if self.bursting > 0 {
            self.bursting -= 1;
            let (radius, strength) = (self.radius(world), world.definition().pointer_strength);
            world.add_pointer_force(PointerForce {
                at: self.target,
                radius,
                kind: PointerForceKind::Explode { strength },
            });
        }
    }

    /// A click feeds the fish of a tank that has any; else it bursts. Fish see a hand that moves.
    fn tend_fish(&mut self, world: &mut World, seconds: f32) {
        let has_fish = world.life().is_some_and(Life::has_fish);
        if std::mem::take(&mut self.clicked) {
            if has_fish {
                self.meal = MEAL;
            } else {
                self.burst();
            }
        }
        if !has_fish {
            return;
        }
        if self.seen_for > 0.0 {
            self.seen_for -= seconds;
            world.show_pointer(self.at);
        }
        let pours = if self.grip == Some(PointerMode::Pour) { self.pours } else { Poured::default() };
        self.next_poured -= seconds;
        if self.next_poured > 0.0 {
            return;
        }
        match pours {
            Poured::Fish(species) => {
                world.stock(usize::from(species), self.at);
                self.next_poured = FISH_INTERVAL;
            }
            _ if self.meal > 0 || pours == Poured::Food => {
                self.meal = self.meal.saturating_sub(1);
                world.feed(self.at);
                self.next_poured = CRUMB_INTERVAL;
            }
            _ => {}
        }
    }

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
            self.whirl =
                Some(StirredVortex { at: self.at + velocity.perp() / self.spin, spin: self.spin, core, age: 0.0 });
        }
    }

    /// Maintains the stirred vortex after the stirring has ended.
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

    fn carries(&self) -> bool {
        self.grip == Some(PointerMode::Push) && self.closed_at.is_none()
    }

    /// Returns its force on the fluid at this velocity, and the radius, metres.
    fn force(&self, world: &World, velocity: Vec2) -> Option<(PointerForceKind, f32)> {
        let mode = self.grip?;
        let strength = world.definition().pointer_strength;
        let kind = match mode {
            PointerMode::Push if self.carries() => PointerForceKind::Carry { velocity, spin: self.spin },
            PointerMode::Push if self.is_held_still() => PointerForceKind::Repel { strength },
            PointerMode::Pull => PointerForceKind::Attract { strength },
            PointerMode::Pour => {
                let Poured::Matter(number) = self.pours else { return None };
                let velocity = velocity + STREAM.1 * world.tank_motion.gravity_dir();
                PointerForceKind::Pour { velocity, number }
            }
            PointerMode::Drain => PointerForceKind::Drain,
            PointerMode::Heat => PointerForceKind::HeatBrush { rate: 1.0 },
            PointerMode::Cool => PointerForceKind::HeatBrush { rate: -1.0 },
            PointerMode::Push | PointerMode::Wall => return None,
        };
        Some((kind, self.reach(world, mode)))
    }
}
