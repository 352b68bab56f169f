use crate::sim::liquid::MAX_PHASES;

/// Phases of a liquid beside the first.
pub const OTHER_PHASES: usize = MAX_PHASES - 1;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lit {
    /// Light that reaches it through the liquid, 0 to 1.
    pub light: f32,
    /// Shift of the colour up the palette, in thin parts and in a crust.
    pub shift: f32,
    /// The fraction of its colour that is reflected from above.
    pub sky: f32,
    /// The fraction of its colour that is reflected from below.
    pub ground: f32,
}

impl From<Lit> for [f32; 4] {
    #[inline(always)]
    fn from(Lit { light, shift, sky, ground }: Lit) -> Self {
        [light, shift, sky, ground]
    }
}

impl From<[f32; 4]> for Lit {
    #[inline(always)]
    fn from([light, shift, sky, ground]: [f32; 4]) -> Self {
        Self { light, shift, sky, ground }
    }
}
