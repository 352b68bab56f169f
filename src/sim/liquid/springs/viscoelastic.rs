//! Parameters of viscoelastic springs.

use serde::Serialize;

/// The largest `spring · dt²/h²` of a step: with some twenty neighbours the scheme is stable to about 1.
const STABILITY_LIMIT: f32 = 0.25;

/// Parameters of viscoelastic springs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Viscoelastic {
    /// k_spring (section 5.1) times h², in m²/s²: the square of a speed. 0 to 500. Without it there are no springs.
    pub spring: f32,
    /// γ (section 5.2): the share of its length by which a spring may be stretched or compressed before it yields. 0 to
    /// 1.
    pub yield_ratio: f32,
    /// α (section 5.2): rate at which the rest length yields to the excess, 1/s. 0 to 100. At 0 it never does.
    pub plasticity: f32,
    /// Whether neighbours without a spring get one, of length h, while the fluid flows; else only the springs of the
    /// start exist.
    pub dynamic_springs: bool,
}

impl Default for Viscoelastic {
    fn default() -> Self {
        Self { spring: 0.0, yield_ratio: 0.1, plasticity: 0.0, dynamic_springs: false }
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
