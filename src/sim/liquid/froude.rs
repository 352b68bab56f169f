//! Froude similarity: a tank of another size, or under another gravity, shows the same experiment.
//!
//! Flows under gravity are similar at two sizes when lengths scale with L, times with √(L/g) and speeds with √(g L). For a
//! similar liquid all its own speeds must scale in that proportion: above all the speed of sound, whose square is the
//! stiffness, but also the thermal speed and the speeds of wall and pane friction. With the unscaled values of the reference,
//! a tank of 0.02 m² is ten times too stiff and three times too hot, and one of 50 m² sags under its own weight.
//!
//! So the parameters of a fluid hold at the reference: a tank of 2 m² under 9.81 m/s². Every world scales them for its own
//! size and gravity, and again when its gravity changes. A liquid at rest then stays at rest, because its pressure changes
//! with its weight.

/// The reference: m/s², m² of tank, and its width over its height.
const GRAVITY: f32 = 9.81;
const AREA: f32 = 2.0;
const ASPECT: f32 = 5.0 / 3.0;

/// Ratios of a scene's lengths and speeds to those of the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FroudeScale {
    /// Ratio of lengths.
    pub length: f32,
    /// Ratio of speeds.
    pub speed: f32,
}

impl Default for FroudeScale {
    /// Returns the scale of the reference, 1.
    fn default() -> Self {
        Self { length: 1.0, speed: 1.0 }
    }
}

impl FroudeScale {
    /// Of a tank of `area` m² under `gravity`, m/s², downwards and more than 0. Its length is that of a square as large as the
    /// tank, which no window changes. A tank whose aspect is fixed may be longer one way than the reference, whose longest
    /// wave or deepest column then counts. (By its area, a tank of 2 m × 0.48 m lost three eighths of its first mode's
    /// amplitude in three swings, and a quarter so.)
    pub fn new(area: f32, aspect: Option<f32>, gravity: f32) -> Self {
        let longer = |aspect: f32| aspect.max(1.0 / aspect).sqrt();
        let stretch = aspect.map_or(1.0, |aspect| (longer(aspect) / longer(ASPECT)).max(1.0));
        let length = (area / AREA).sqrt() * stretch;
        Self { length, speed: (length * gravity / GRAVITY).sqrt() }
    }

    /// Returns the ratio of times.
    pub fn time(self) -> f32 {
        self.length / self.speed
    }
}
