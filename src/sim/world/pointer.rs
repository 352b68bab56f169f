//! The hand in the tank, moved by a pointer or by keys.
//!
//! The pointer moves in jumps, as often as the terminal reports it. The hand follows it with a short lag and pushes
//! with its own velocity: smooth, and because all of the way is made good, the fluid is carried exactly as far as the
//! pointer went, whatever the frame rate and however reports bunch up on the line. Velocities from the times of reports
//! were considered first: a burst of late reports has no honest times.

use crate::sim::World;
use crate::sim::clock::STEP;
use crate::sim::pointer_force::{PointerForce, PointerForceKind};
use glam::Vec2;
use serde::{Deserialize, Serialize};

/// How far the hand lags behind the pointer, seconds of real time.
const LAG: f32 = 0.04;

/// The fastest a hand pushes, m/s.
const FASTEST: f32 = 8.0;

/// Smallest, usual and largest brush as shares of a square tank's side, and the step of the wheel.
const BRUSH: (f32, f32, f32) = (0.03, 0.1, 0.4);
const BRUSH_STEP: f32 = 1.2;

/// How many steps a click bursts.
const BURST_STEPS: u32 = 4;

/// Half the thickness of a drawn wall, as a share of the brush, and its least, metres: nothing squeezes through.
const STROKE: (f32, f32) = (0.2, 0.015);

/// What a closed hand does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointerMode {
    /// Carries the fluid along; bursts it if it opens where it closed.
    Push,
    /// Draws the fluid to itself.
    Pull,
    /// Draws a wall, or erases walls if it closed on one that was drawn.
    Wall,
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
    /// Steps that a burst goes on.
    bursting: u32,
    /// Share of a square tank's side.
    brush: f32,
}

impl Pointer {
    /// An open hand at `at`.
    pub fn new(at: Vec2) -> Self {
        Self { target: at, at, grip: None, closed_at: None, stroke: None, bursting: 0, brush: BRUSH.1 }
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

    /// Makes the brush larger, or smaller.
    pub fn resize(&mut self, larger: bool) {
        let factor = if larger { BRUSH_STEP } else { 1.0 / BRUSH_STEP };
        self.brush = (self.brush * factor).clamp(BRUSH.0, BRUSH.2);
    }

    /// Closes at `at`.
    pub fn close(&mut self, world: &mut World, grip: PointerMode, at: Vec2) {
        (self.target, self.at) = (at, at);
        self.grip = Some(grip);
        self.closed_at = Some(at);
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

    /// Opens. A pushing hand that opens where it closed bursts the fluid.
    pub fn open(&mut self) {
        if self.grip.take() == Some(PointerMode::Push) && self.closed_at.is_some() {
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
        self.at += (self.target - self.at) * (1.0 - (-seconds / LAG).exp());
        let velocity = ((self.at - before) / STEP).clamp_length_max(FASTEST);
        let radius = self.radius(world);
        match self.grip {
            Some(PointerMode::Push) if self.closed_at.is_none() => {
                world.add_pointer_force(PointerForce {
                    at: self.at,
                    radius,
                    kind: PointerForceKind::Push { velocity },
                });
            }
            Some(PointerMode::Pull) => {
                world.add_pointer_force(PointerForce { at: self.at, radius, kind: PointerForceKind::Pull })
            }
            _ => {}
        }
        if self.bursting > 0 {
            self.bursting -= 1;
            world.add_pointer_force(PointerForce { at: self.target, radius, kind: PointerForceKind::Explode });
        }
    }
}
