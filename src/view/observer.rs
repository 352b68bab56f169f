named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PaintStage {
        /// Matter is sampled: splats, smoke, bodies, cloth and walls.
        Field => "field",
        Light => "light",
        Glyph => "glyph",
    }
}

/// Called when a stage of a picture ends.
pub trait FrameObserver {
    fn stage_finished(&mut self, stage: PaintStage);
}

impl FrameObserver for () {
    fn stage_finished(&mut self, _: PaintStage) {}
}
