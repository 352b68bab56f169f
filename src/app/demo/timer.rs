//! The timer: an hourglass whose neck is a valve. The liquid above runs out in drops of equal shares of what is left, one whenever
//! the time left has fallen by another share, so that the last one falls when no time is left, whatever happened before: a pause, a
//! suspended machine, liquid that was poured in or drained.

use crate::app::demo::glyph_outlines::{self, Font};
use crate::app::demo::{carry, sorted};
use crate::sim::boundary::region::Region;
use crate::sim::definition::WorldDef;
use crate::sim::{World, WorldOptions};
use crate::view::Decor;
use glam::Vec2;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Particle count, those of a drop, and upper limit on those that pass the neck in a second: a short time has less liquid.
const PARTICLES: usize = 1200;
const DROP: usize = 5;
const MAX_RATE: usize = 180;

/// Upper limit on the particles that pass the neck in a step, as a stream, after a suspension: twice that rate. Speed of a drop
/// and of the stream, m/s.
const MAX_PER_STEP: usize = 6;
const SPEED: [f32; 2] = [1.2, 2.0];

/// The inside of the glass: height, and half the width there, in heights of the tank; the lower half is its mirror image.
const GLASS: [(f32, f32); 16] = [
    (0.5, 0.012),
    (0.515, 0.013),
    (0.53, 0.021),
    (0.55, 0.036),
    (0.575, 0.06),
    (0.605, 0.096),
    (0.64, 0.142),
    (0.68, 0.197),
    (0.72, 0.249),
    (0.76, 0.29),
    (0.81, 0.319),
    (0.86, 0.315),
    (0.91, 0.302),
    (0.95, 0.283),
    (0.97, 0.25),
    (0.975, 0.0),
];

/// Half the thickness of the glass, metres.
const THICKNESS: f32 = 0.009;

/// Up to where the glass is filled at the start, in heights of the tank.
const FULL: f32 = 0.84;

/// Aspect ratio below which the glass is narrowed.
const NARROWEST: f32 = 0.72;

/// Aspect ratio from which on the time has room beside the waist.
const ROOM_FOR_DIGITS: f32 = 1.1;

/// Steps from the last drop to the end: it falls, and its ring spreads.
const FINISH: u32 = 120;

/// Steps for which the keys are shown at the start.
const HINT: u32 = 300;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimerSpec {
    /// The whole time, milliseconds.
    pub whole: u32,
    pub digits: bool,
    pub bell: bool,
}

#[derive(Clone, Debug, Default)]
pub struct TimerDemo {
    spec: TimerSpec,
    /// Milliseconds.
    left: u32,
    /// Drops that had not fallen before this step.
    drops: u32,
    /// Particles that have still to pass the neck.
    backlog: f32,
    steps: u32,
    /// Steps since the last drop fell.
    ended: Option<u32>,
    pub rings: bool,
    size: Vec2,
    spacing: f32,
    /// The seconds that the outlines show.
    shown: Option<u32>,
    font: Font,
    pub decor: Arc<Decor>,
}

impl TimerDemo {
    pub fn new(spec: TimerSpec) -> Self {
        Self { spec, left: spec.whole, size: Vec2::ONE, spacing: 0.01, ..Self::default() }
    }

    pub fn set(&mut self, definition: &WorldDef, setup: &WorldOptions) -> World {
        let mut definition = definition.clone();
        let tank = definition.tank.size(definition.aspect(setup.aspect));
        definition.obstacle = glass(tank);
        let mut world = World::new(&definition, setup);
        self.size = world.size();
        let above = |spacing: f32| self.sites(spacing, 0.52, FULL);
        // The full upper half has all particles.
        let spacing = glyph_outlines::spacing_of(PARTICLES, 0.002, 14, |spacing| above(spacing).len());
        let upper = above(spacing);
        self.spacing = spacing;
        self.drops = self.drops_left();
        let whole = upper.len().min(self.particles());
        let held = whole * self.drops as usize / self.all_drops() as usize;
        let lower = self.sites(spacing, 0.03, 0.46);
        let sites: Vec<Vec2> = upper[..held].iter().chain(lower.iter().take(whole - held)).copied().collect();
        world.spawn_at(spacing, &sites, setup.instructions);
        self.backlog = 0.0;
        self.shown = None;
        self.update_digits();
        world
    }

    /// Places for particles in the glass between two heights, from below.
    fn sites(&self, spacing: f32, from: f32, to: f32) -> Vec<Vec2> {
        let pitch = spacing * 0.75f32.sqrt();
        let rows = ((to - from) * self.size.y / pitch) as usize;
        let mut sites = Vec::new();
        for row in 0..rows {
            let y = from * self.size.y + (row as f32 + 0.5) * pitch;
            let half = half_width(y, self.size) - THICKNESS - 0.5 * spacing;
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let columns = (half / spacing - shift).floor();
            if columns >= 0.0 {
                let first = -columns - shift;
                let count = (2.0 * (columns + shift)) as usize + 1;
                sites.extend((0..count).map(|at| Vec2::new(self.size.x / 2.0 + (first + at as f32) * spacing, y)));
            }
        }
        sites
    }

    fn particles(&self) -> usize {
        PARTICLES.min(MAX_RATE * self.spec.whole as usize / 1000)
    }

    fn all_drops(&self) -> u32 {
        (self.particles() / DROP).max(1) as u32
    }

    fn drops_left(&self) -> u32 {
        let all = u64::from(self.all_drops());
        (all * u64::from(self.left)).div_ceil(u64::from(self.spec.whole.max(1))).min(all) as u32
    }

    pub fn set_time_left(&mut self, left: u32) {
        self.left = left.min(self.spec.whole);
        self.update_digits();
    }

    pub fn digits(&self) -> Option<String> {
        self.spec.digits.then(|| clock_text(self.left))
    }

    pub fn toggle_digits(&mut self) -> &'static str {
        self.spec.digits = !self.spec.digits;
        self.update_digits();
        if self.spec.digits { "the time left" } else { "no digits" }
    }

    /// The digits, if they have no room beside the glass.
    pub fn line(&self) -> Option<String> {
        self.digits().filter(|_| self.size.x < ROOM_FOR_DIGITS * self.size.y)
    }

    pub fn is_beginning(&self) -> bool {
        self.steps < HINT
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_some_and(|steps| steps >= FINISH)
    }

    pub fn before_step(&mut self, world: &mut World) {
        self.steps = self.steps.saturating_add(1);
        self.ended = self.ended.map(|steps| steps + 1);
        let due = self.drops_left();
        if due >= self.drops && self.backlog < 1.0 && (self.left > 0 || self.ended.is_some()) {
            return;
        }
        let above = self.above(world);
        if due < self.drops {
            let waiting = above.len() as f32 - self.backlog;
            self.backlog += waiting * (self.drops - due) as f32 / self.drops as f32;
            self.drops = due;
        }
        let count = if due == 0 { above.len() } else { self.backlog as usize }.min(MAX_PER_STEP).min(above.len());
        self.backlog = (self.backlog - count as f32).max(0.0);
        self.release(world, &above[..count]);
        if due == 0 && above.len() == count {
            (self.ended, self.rings) = (Some(0), self.spec.bell);
        }
    }

    /// The particles above the neck, the lowest first.
    fn above(&self, world: &World) -> Vec<u32> {
        let neck = 0.5 * self.size;
        sorted(world, |p, slot| (p.y[slot] > neck.y).then(|| p.position(slot).distance_squared(neck)))
    }

    fn release(&self, world: &mut World, drop: &[u32]) {
        if drop.is_empty() {
            return;
        }
        let speed = SPEED[usize::from(drop.len() > DROP)];
        let mouth = Vec2::new(0.5, 0.462) * self.size;
        let place = |at: usize| {
            let (column, row) = ((at % 3) as f32 - 1.0, (at / 3) as f32);
            let shift = if (at / 3).is_multiple_of(2) { 0.0 } else { 0.5 };
            mouth + self.spacing * Vec2::new(column + shift, 0.87 * row)
        };
        carry(world, drop.iter().copied().zip((0..).map(place)), Vec2::new(0.0, -speed));
    }

    /// The time beside the waist: seconds on the right, the rest on the left.
    fn update_digits(&mut self) {
        let seconds = self.left.div_ceil(1000);
        let wanted = (self.spec.digits && self.size.x >= ROOM_FOR_DIGITS * self.size.y).then_some(seconds);
        if wanted == self.shown && wanted.is_some() != self.decor.ghost_outlines.is_empty() {
            return;
        }
        self.shown = wanted;
        let mut outlines = Vec::new();
        if wanted.is_some() {
            let text = clock_text(self.left);
            let (rest, seconds) = text.rsplit_once(':').unwrap_or(("0", &text));
            let half = 0.5 * self.size.x;
            let room = (half - 0.17 * self.size.y).min(0.55 * self.size.y);
            let (low, high) = (0.4 * self.size.y, 0.6 * self.size.y);
            let gap = 0.13 * self.size.y;
            for (words, left) in [(rest, half - gap - room), (seconds, half + gap)] {
                let area = [Vec2::new(left, low), Vec2::new(left + room, high)];
                let letters = glyph_outlines::place(&[words.to_owned()], area);
                outlines.extend(letters.iter().filter_map(|letter| self.font.shape(letter)));
            }
        }
        self.decor = Arc::new(Decor { ghost_outlines: outlines, ..Decor::default() });
    }
}

const MAX_HOURS: f64 = 100.0;

/// Milliseconds of `25m`, `90s`, `1h30m`, `1:30` (minutes and seconds) or `1:30:00`.
pub fn duration(text: &str) -> Result<u32, String> {
    let wrong = || format!("{text:?} is no time such as 25m, 90s, 1h30m or 1:30:00");
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = |text: &str| text.parse::<f64>().ok().filter(|_| is_plain(text));
    let seconds = if text.contains(':') {
        let parts: Option<Vec<f64>> = text.split(':').map(number).collect();
        let parts = parts.filter(|parts| parts.len() <= 3 && parts[1..].iter().all(|part| *part < 60.0));
        parts.ok_or_else(wrong)?.iter().fold(0.0, |whole, part| 60.0 * whole + part)
    } else {
        text.parse::<SignedDuration>().map_err(|_| wrong())?.as_secs_f64()
    };
    if !(0.1..=3600.0 * MAX_HOURS).contains(&seconds) {
        return Err(format!("{text:?} must be from 0.1 s to {MAX_HOURS} hours"));
    }
    Ok((1000.0 * seconds).round() as u32)
}

/// `M:SS` or `H:MM:SS`; a second counts until it is over.
pub fn clock_text(milliseconds: u32) -> String {
    let seconds = milliseconds.div_ceil(1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Half the width of the glass at a height, metres.
fn half_width(y: f32, size: Vec2) -> f32 {
    let height = 0.5 + (y / size.y - 0.5).abs();
    let at = GLASS.windows(2).find(|pair| height <= pair[1].0);
    let wide = at.map_or(0.0, |pair| {
        let part = (height - pair[0].0) / (pair[1].0 - pair[0].0);
        pair[0].1 + part * (pair[1].1 - pair[0].1)
    });
    wide * size.y * (size.x / size.y / NARROWEST).min(1.0)
}

/// The glass and its valve, in fractions of the tank.
fn glass(size: Vec2) -> Vec<Region> {
    let mut walls = Vec::new();
    let place = |height: f32, side: f32| {
        let half = half_width(height * size.y, size).max(0.0);
        [0.5 + side * half / size.x, height]
    };
    for pair in GLASS.windows(2) {
        for side in [-1.0, 1.0] {
            for mirror in [|y: f32| y, |y: f32| 1.0 - y] {
                let (from, to) = (place(mirror(pair[0].0), side), place(mirror(pair[1].0), side));
                walls.push(Region::Capsule { from, to, radius: THICKNESS });
            }
        }
    }
    walls.push(Region::Capsule { from: place(0.5, -1.0), to: place(0.5, 1.0), radius: THICKNESS });
    walls
}
