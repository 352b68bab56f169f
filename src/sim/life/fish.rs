use glam::Vec2;

/// Seconds after which one that is out of the water, in a wall, or cannot move counts as stranded.
const STRANDED_AFTER: f32 = 2.0;

/// Seconds between two breaths, and their length.
const BREATH: [f32; 2] = [9.0, 0.35];

/// One fish or crawler. Its place and velocity are those of its body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fish {
    /// Number of its species in the definition.
    pub species: usize,
    /// Its school.
    pub(super) group: usize,
    /// Number of its body.
    pub body: usize,
    /// Metres.
    pub length: f32,
    /// The side that it is about to face: 1 is the right, −1 the left.
    pub(super) facing: f32,
    /// The side that it faces, from −1 to 1: between the two it is seen from the front.
    pub turn: f32,
    /// Phase of its tail, radians.
    pub beat: f32,
    /// Strength of the beat, 0 to 1.
    pub effort: f32,
    /// The velocity that it wants, m/s, which changes smoothly.
    pub(super) aim: Vec2,
    /// Acceleration that it keeps up against drag, m/s².
    pub(super) drive: Vec2,
    /// Curvature of its spine, by which the ends lie below the middle, in body lengths.
    pub bend: f32,
    /// A constant of each from 0 to 1.
    pub(super) variation: f32,
    /// Volume that it displaces, relative to its size, by its bladder.
    pub(super) volume: f32,
    /// 0 has eaten, 1 is hungry.
    pub hunger: f32,
    /// Fright, which fades: 0 to 1.
    pub alarm: f32,
    /// Seconds for which it has been out of the water or in a wall, and for which it could not move.
    pub(super) dry: f32,
    pub(super) stuck: f32,
    /// Seconds for which it still pushes itself off a wall.
    pub(super) pushing: f32,
    /// Seconds since its last breath.
    pub(super) breath: f32,
    pub(super) heading: Vec2,
}

impl Fish {
    pub(super) fn is_stranded(&self) -> bool {
        self.dry.max(self.stuck) > STRANDED_AFTER
    }

    /// Whether it lets air out.
    pub(super) fn breathes(&self) -> bool {
        self.breath < BREATH[1]
    }

    pub(super) fn age(&mut self, appetite: f32, dt: f32) {
        self.hunger = (self.hunger + appetite * dt / 60.0).min(1.0);
        self.alarm = (self.alarm - 0.8 * dt).max(0.0);
        self.breath += dt;
        if self.breath > BREATH[0] * (0.5 + 2.0 * self.variation) {
            self.breath = 0.0;
        }
    }
}

/// Fish of one species that swim together: a school, or one alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub species: usize,
    pub members: usize,
    pub goal: Vec2,
    /// Seconds until another goal is chosen, and whether it rests until then.
    pub until: f32,
    pub rests: bool,
}
