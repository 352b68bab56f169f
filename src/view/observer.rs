named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PaintStage {
        /// Matter is sampled: splats, smoke, bodies, cloth and walls.
        Field => "field",
        Light => "light",
        Glyph => "glyph",
    }
}
