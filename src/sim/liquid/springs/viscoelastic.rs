//! Parameters of viscoelastic springs.

use crate::sim::parameters::parameters;
use serde::Serialize;

/// The largest `spring · dt²/h²` of a step: with some twenty neighbours the scheme is stable to about 1.
const STABILITY_LIMIT: f32 = 0.25;

parameters! {
    /// Parameters of viscoelastic springs.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct Viscoelastic {
        /// k_spring (section 5.1) times h², in m²/s²: the square of a speed. At 0 there are no springs.
        pub spring: f32 = 0.0, 0.0..=500.0, 2 "springiness" "How strongly it springs back into its shape";
        /// γ (section 5.2): the fraction of its length by which a spring may be stretched or compressed before it yields.
        pub yield_ratio: f32 = 0.1, 0.0..=1.0, 7 "yield" "The strain above which it deforms for good";
        /// α (section 5.2): rate at which the rest length yields to the excess, 1/s. At 0 it never does.
        pub plasticity: f32 = 0.0, 0.0..=100.0, 3 "softness" "How quickly it takes on a new shape";
        /// Whether neighbours without a spring get one, of length h, while the fluid flows.
        pub dynamic_springs: bool = false;
    }
}

impl Viscoelastic {
    /// Whether new springs are created while the fluid flows.
    pub fn makes_springs(&self) -> bool {
        self.spring > 0.0 && self.dynamic_springs
    }

    /// The longest stable step, seconds, for this material at the interaction radius `h` metres.
    pub fn longest_step(&self, h: f32) -> f32 {
        h * (STABILITY_LIMIT / self.spring.max(f32::MIN_POSITIVE)).sqrt()
    }
}
