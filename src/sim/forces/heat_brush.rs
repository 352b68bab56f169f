use crate::sim::forces::ForceAction;

/// Heats or cools the matter under the brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatBrush {
    /// 1 heats at the full rate; −1 cools.
    pub rate: f32,
}

impl ForceAction for HeatBrush {
    fn acts_on_solids(&self) -> bool {
        false
    }

    fn heating(&self) -> f32 {
        self.rate
    }
}
