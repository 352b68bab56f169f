//! Froude similarity: a tank of another size, or under another gravity, shows the same experiment. Flows driven by gravity are
//! similar when lengths scale with L, times with √(L/g) and all speeds with √(g L), that of sound, whose square is the stiffness,
//! among them. A fluid's parameters are those at the reference, a tank of 2 m² under 9.81 m/s².

/// The reference: m/s², m² of tank, and its width over its height.
const GRAVITY: f32 = 9.81;
const AREA: f32 = 2.0;
const ASPECT: f32 = 5.0 / 3.0;

defaults! {
    /// Scale of a scene's lengths and speeds relative to the reference; the default is that of the reference itself.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FroudeScale {
        /// Length of the scene that corresponds to one metre of the reference, metres.
        pub length: f32 = 1.0;
        /// Speed of the scene that corresponds to 1 m/s of the reference, m/s.
        pub speed: f32 = 1.0;
    }
}

impl FroudeScale {
    /// The scale of a tank of `area` m² under `gravity`, m/s², more than 0. The length is that of a square with the tank's area.
    /// In a tank of fixed aspect that is longer one way than the reference, its longest wave or deepest column counts.
    pub fn new(area: f32, aspect: Option<f32>, gravity: f32) -> Self {
        let longer = |aspect: f32| aspect.max(1.0 / aspect).sqrt();
        let stretch = aspect.map_or(1.0, |aspect| (longer(aspect) / longer(ASPECT)).max(1.0));
        let length = (area / AREA).sqrt() * stretch;
        Self { length, speed: (length * gravity / GRAVITY).sqrt() }
    }

    /// Ratio of durations to the reference's.
    pub fn time(self) -> f32 {
        self.length / self.speed
    }
}
