#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaintStage {
    /// Matter is sampled: splats, smoke, bodies, cloth and walls.
    Field,
    Light,
    Glyph,
}

impl PaintStage {
    pub const ALL: [PaintStage; 3] = [Self::Field, Self::Light, Self::Glyph];

    /// Returns the name that the statistics show, one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Light => "light",
            Self::Glyph => "glyph",
        }
    }
}

/// Called when a stage of a picture ends.
pub trait FrameObserver {
    fn stage_finished(&mut self, stage: PaintStage);
}

impl FrameObserver for () {
    fn stage_finished(&mut self, _: PaintStage) {}
}
