//! The autopilot plays the tank through Actions. It alternates behaviours and rests: a slow tilt there and back, a stir, a pour
//! that is drained later, sometimes a shake. As a screensaver it goes from scene to scene; in a toy without input it is gentle,
//! and stays in the scene. It runs once per fixed step, so the same seed gives the same play.

use crate::app::action::{Action, Direction, PointerMode};
use crate::app::saver::playlist::Playlist;
use crate::math::Elementary;
use crate::sim::World;
use crate::sim::clock::STEP;
use crate::sim::life::Life;
use fastrand::Rng;
use ratatui::layout::Rect;
use std::f32::consts::{PI, TAU};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutopilotInput {
    /// The tank's place in the window, cells.
    pub tank: Rect,
    pub scene: usize,
    /// The number of similar palettes, and the current one.
    pub palettes: usize,
    pub palette: usize,
    /// Whether a tilt moves anything, and whether there is liquid that may fall in.
    pub tilts: bool,
    pub pours: bool,
    /// Seconds until an experiment starts again, if the scene is one: it is not touched otherwise.
    pub repeats_in: Option<f32>,
    /// Whether there are fish: they are fed, and nothing else happens to their tank.
    pub feeds: bool,
}

impl AutopilotInput {
    /// What there is to do in this world, without a choice of scenes and palettes.
    pub fn of(world: &World, tank: Rect) -> Self {
        let (weight, liquid) = (world.definition().gravity > 0.0, world.liquid().is_some());
        let tilts = weight && (liquid || !world.bodies().is_empty() || world.cloth().is_some());
        let feeds = world.life().is_some_and(Life::has_fish);
        let repeats_in = world.definition().repeat.map(|repeat| repeat - world.time() as f32);
        Self { tank, scene: 0, palettes: 0, palette: 0, tilts, pours: weight && liquid, repeats_in, feeds }
    }
}

/// A style of play. Angles in radians, times in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Upper limit on the turning rate of gravity, radians a second: a third of a radian keeps the surface whole.
    turn: f32,
    /// The largest tilt, and the number of tilts of which one turns the tank over instead.
    lean: f32,
    over: u32,
    /// Times between two behaviours, palettes, shakes.
    rest: Range<f32>,
    palette: Range<f32>,
    shake: Option<f32>,
    /// Rate of a stir, turns a second.
    stir: f32,
    /// It pours and drains drops instead of full portions.
    drops: bool,
    /// Amplitude and period of a sway that never ends: it keeps waves in the tank between two behaviours.
    sway: (f32, f32),
}

pub const LIVELY: Profile = Profile {
    turn: 0.35,
    lean: 0.6,
    over: 8,
    rest: 1.5..4.0,
    palette: 25.0..45.0,
    shake: Some(30.0),
    stir: 0.45,
    drops: false,
    sway: (0.0, 1.0),
};

pub const CALM: Profile = Profile {
    turn: 0.1,
    lean: 0.2,
    over: u32::MAX,
    rest: 6.0..14.0,
    palette: 60.0..90.0,
    shake: None,
    stir: 0.15,
    ..LIVELY
};

/// In a toy without input: a swell, a slow tilt, a drop, a breeze. It never rests: a still picture looks like a stopped program.
pub const GENTLE: Profile = Profile {
    turn: 0.12,
    lean: 0.25,
    over: u32::MAX,
    rest: 0.5..1.5,
    palette: f32::INFINITY..f32::INFINITY,
    shake: None,
    stir: 0.12,
    drops: true,
    sway: (0.05, 4.1),
};

pub const GENTLE_AND_CALM: Profile =
    Profile { turn: 0.06, lean: 0.15, rest: 8.0..16.0, stir: 0.08, sway: (0.03, 6.1), ..GENTLE };

/// Share of the time between two scenes by which it varies, to each side.
const SCENE_JITTER: f32 = 0.2;

/// Duration of the first rest in a scene, seconds: most scenes begin with a motion of their own.
const FIRST_REST: f32 = 4.0;

/// Range of the centre of a stir, as fractions of the window.
const MARGIN: Range<f32> = 0.25..0.75;

/// Height from which fish are fed, as a fraction of the window from its top, and seconds until they get more.
const FEEDING_HEIGHT: f32 = 0.2;
const FEEDING_PAUSE: Range<f32> = 15.0..30.0;

const MAX_POURED: u32 = 3;

#[derive(Clone, Debug, Default, PartialEq)]
enum Behavior {
    #[default]
    Rest,
    Turn {
        from: f32,
        to: f32,
    },
    /// The pointer circles in the liquid; cells: `radius` to each side and half as much up and down.
    Stir {
        middle: [f32; 2],
        radius: f32,
        from: f32,
        turns: f32,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Autopilot {
    rng: Rng,
    profile: Profile,
    behavior: Behavior,
    since: f32,
    duration: f32,
    time: f32,
    /// Angle of gravity at the start, to which it returns, and its present angle.
    pub home: f32,
    angle: f32,
    poured: u32,
    /// Seconds until the next palette, the next scene, and the next possible shake.
    palette_in: f32,
    scene_in: f32,
    shake_in: f32,
    playlist: Option<Playlist>,
    every: f32,
}

impl Autopilot {
    pub fn new(seed: u64, profile: Profile) -> Self {
        let mut pilot = Self {
            rng: Rng::with_seed(seed),
            duration: 1.5,
            scene_in: f32::INFINITY,
            shake_in: profile.shake.unwrap_or(f32::INFINITY),
            profile,
            every: f32::INFINITY,
            ..Self::default()
        };
        pilot.palette_in = pilot.between(pilot.profile.palette.clone());
        pilot
    }

    pub fn with_scenes(mut self, playlist: Playlist, every: f32) -> Self {
        if playlist.changes() {
            (self.every, self.palette_in) = (every, f32::INFINITY);
            self.scene_in = self.next_scene_in();
        }
        self.playlist = Some(playlist);
        self
    }

    pub fn at_angle(self, angle: f32) -> Self {
        Self { home: angle, angle, ..self }
    }

    fn next_scene_in(&mut self) -> f32 {
        let every = self.every;
        self.between((1.0 - SCENE_JITTER) * every..(1.0 + SCENE_JITTER) * every)
    }

    /// Plays a step; `out` performs the Actions.
    pub fn act(&mut self, input: &AutopilotInput, out: &mut dyn FnMut(Action)) {
        for left in [&mut self.palette_in, &mut self.scene_in, &mut self.shake_in] {
            *left -= STEP;
        }
        self.since += STEP;
        self.time += STEP;
        self.continue_behavior(input, out);
        if self.scene_in <= 0.0 && self.change_scene(input, out) {
            return;
        }
        if self.since >= self.duration {
            self.finish(out);
            self.choose(input, out);
        }
    }

    fn continue_behavior(&mut self, input: &AutopilotInput, out: &mut dyn FnMut(Action)) {
        let progress = (self.since / self.duration).min(1.0);
        match self.behavior {
            Behavior::Rest => {}
            Behavior::Turn { from, to } => self.angle = from + (to - from) * eased(progress),
            Behavior::Stir { middle, radius, from, turns } => {
                out(Action::Move(on_ring(middle, radius, from + turns * TAU * eased(progress))));
            }
        }
        let (amplitude, period) = self.profile.sway;
        let sways = amplitude > 0.0 && input.tilts && !input.feeds && input.repeats_in.is_none();
        if sways || matches!(self.behavior, Behavior::Turn { .. }) {
            let sway = if sways { amplitude * (TAU * (self.time / period).fract()).sine() } else { 0.0 };
            out(Action::SetTilt(self.angle + sway));
        }
    }

    fn finish(&mut self, out: &mut dyn FnMut(Action)) {
        if let Behavior::Stir { middle, radius, from, turns } = self.behavior {
            out(Action::Release(on_ring(middle, radius, from + turns * TAU)));
        }
    }

    fn choose(&mut self, input: &AutopilotInput, out: &mut dyn FnMut(Action)) {
        if self.behavior != Behavior::Rest {
            let rest = self.between(self.profile.rest.clone());
            return self.begin(Behavior::Rest, rest);
        }
        if let Some(left) = input.repeats_in {
            if left <= 0.0 {
                out(Action::Reset);
            }
            return self.begin(Behavior::Rest, if left > 0.0 { left } else { FIRST_REST });
        }
        if input.feeds {
            return self.feed(input, out);
        }
        if self.palette_in <= 0.0 && input.palettes > 1 {
            let another = (input.palette + self.rng.usize(1..input.palettes)) % input.palettes;
            out(Action::SetPalette(another as u16));
            self.palette_in = self.between(self.profile.palette.clone());
            return self.begin(Behavior::Rest, 2.0);
        }
        match self.rng.u32(0..10) {
            0..5 if input.tilts => self.turn(),
            8 if self.shake_in <= 0.0 => self.shake(out),
            8.. if input.pours && self.pour(out) => {}
            _ => self.stir(input, out),
        }
    }

    fn begin(&mut self, behavior: Behavior, duration: f32) {
        (self.behavior, self.since, self.duration) = (behavior, 0.0, duration);
    }

    fn turn(&mut self) {
        let upright = self.home + TAU * ((self.angle - self.home) / TAU).round();
        let lean = self.profile.lean * (0.4 + 0.6 * self.rng.f32()) * self.sign();
        let to = if (self.angle - upright).abs() > 0.01 {
            upright
        } else if self.profile.over < u32::MAX && self.rng.u32(0..self.profile.over) == 0 {
            // One half turn now, and the other after a rest.
            self.angle + PI * self.sign()
        } else {
            self.angle + lean
        };
        let duration = STEEPEST * (to - self.angle).abs() / self.profile.turn;
        self.begin(Behavior::Turn { from: self.angle, to }, duration.max(STEP));
    }

    fn stir(&mut self, input: &AutopilotInput, out: &mut dyn FnMut(Action)) {
        let (columns, rows) = (f32::from(input.tank.width), f32::from(input.tank.height));
        let middle = place(input, self.between(MARGIN), self.between(0.5..0.9));
        let radius = 0.25 * columns.min(2.0 * rows) * (0.5 + 0.5 * self.rng.f32());
        let (from, turns) = (TAU * self.rng.f32(), (1.0 + 1.5 * self.rng.f32()) * self.sign());
        out(Action::Press(PointerMode::Push, on_ring(middle, radius, from)));
        self.begin(Behavior::Stir { middle, radius, from, turns }, STEEPEST * turns.abs() / self.profile.stir);
    }

    fn feed(&mut self, input: &AutopilotInput, out: &mut dyn FnMut(Action)) {
        let at = place(input, self.between(MARGIN), FEEDING_HEIGHT);
        out(Action::Press(PointerMode::Push, at));
        out(Action::Release(at));
        let pause = self.between(FEEDING_PAUSE);
        self.begin(Behavior::Rest, pause);
    }

    fn shake(&mut self, out: &mut dyn FnMut(Action)) {
        out(Action::Shake(if self.rng.bool() { Direction::Left } else { Direction::Right }));
        self.shake_in = self.profile.shake.unwrap_or(f32::INFINITY);
        self.begin(Behavior::Rest, 6.0);
    }

    /// Pours, or drains what it has poured; returns whether there was something to do.
    fn pour(&mut self, out: &mut dyn FnMut(Action)) -> bool {
        if self.poured < MAX_POURED && self.rng.bool() {
            self.poured += 1;
            out(if self.profile.drops { Action::Drop } else { Action::Pour });
        } else if self.poured > 0 {
            self.poured -= 1;
            out(if self.profile.drops { Action::DrainDrop } else { Action::Drain });
        } else {
            return false;
        }
        self.begin(Behavior::Rest, 3.0);
        true
    }

    /// Changes the scene, if there is another; a new scene starts upright.
    fn change_scene(&mut self, input: &AutopilotInput, out: &mut dyn FnMut(Action)) -> bool {
        self.scene_in = self.next_scene_in();
        let Some(next) = self.playlist.as_mut().and_then(|playlist| playlist.next(input.scene)) else { return false };
        self.finish(out);
        out(Action::SetScene(next as u16));
        (self.home, self.angle, self.poured) = (0.0, 0.0, 0);
        // Each scene has its own palette, which another might resemble.
        self.palette_in = f32::INFINITY;
        self.begin(Behavior::Rest, FIRST_REST);
        true
    }

    fn between(&mut self, range: Range<f32>) -> f32 {
        if range.start.is_infinite() { range.start } else { range.start + (range.end - range.start) * self.rng.f32() }
    }

    fn sign(&mut self) -> f32 {
        if self.rng.bool() { 1.0 } else { -1.0 }
    }
}

/// From 0 to 1 with zero velocity and acceleration at the ends (minimum-jerk movement, Flash & Hogan 1985).
pub fn eased(progress: f32) -> f32 {
    progress.powi(3) * (10.0 + progress * (6.0 * progress - 15.0))
}

/// The ratio of the largest to the mean rate of [`eased`].
const STEEPEST: f32 = 1.875;

fn place(input: &AutopilotInput, across: f32, down: f32) -> [f32; 2] {
    let Rect { x, y, width, height } = input.tank;
    [f32::from(x) + across * f32::from(width), f32::from(y) + down * f32::from(height)]
}

fn on_ring([x, y]: [f32; 2], radius: f32, angle: f32) -> [f32; 2] {
    [x + radius * angle.cos(), y + 0.5 * radius * angle.sin()]
}
