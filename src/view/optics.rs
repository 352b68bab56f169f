//! The optical properties of a material: part of its palette, as data.

use crate::data::{DataError, Fields};
use crate::view::light_mode::{LightElement, LightMode};
use serde::{Deserialize, Serialize};

/// The key of each property in a palette, and the element of light to which it belongs.
const PARTS: [(&str, LightElement); 9] = [
    ("gloss", LightElement::Gloss),
    ("reflectance", LightElement::Reflectance),
    ("fresnel", LightElement::Fresnel),
    ("translucency", LightElement::Translucency),
    ("clarity", LightElement::Clarity),
    ("crust", LightElement::Crust),
    ("glow", LightElement::Glow),
    ("cracks", LightElement::Crust),
    ("roundness", LightElement::Roundness),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Optics {
    /// Strength of the highlight where the surface faces the light.
    pub gloss: f32,
    /// The fraction of the sky's light that it reflects at normal incidence: that of a metal is high.
    pub reflectance: f32,
    /// The additional fraction that it reflects at grazing angles.
    pub fresnel: f32,
    /// Additional brightness of thin parts, 0 to 1.
    pub translucency: f32,
    /// How dark thin parts are, 0 to 1: clear liquid shows what is behind it.
    pub clarity: f32,
    /// The fraction that a cool crust covers where the material is slow and near the air.
    pub crust: f32,
    /// The light that it emits to the air and to walls.
    pub glow: f32,
    /// How much lighter the cracks of set matter are, and the fraction of its glow that the crust between them hides.
    pub cracks: f32,
    /// How much its bodies are shaded as round ones. All liquid in free fall and in glass is round.
    pub roundness: f32,
}

impl Optics {
    /// Reads the keys of a palette; missing ones are those of `parent`, or else of water.
    pub(super) fn read(fields: &mut Fields, parent: Option<Self>) -> Result<Self, DataError> {
        let mut own = parent.unwrap_or(Self { gloss: 0.55, fresnel: 0.35, clarity: 0.6, ..Self::default() });
        for ((key, _), part) in PARTS.into_iter().zip(own.parts()) {
            *part = fields.number(key, 0.0..=1.0, *part)?;
        }
        Ok(own)
    }

    /// Returns the properties that a light mode draws; the others are zero.
    #[must_use]
    pub(super) fn drawn_in(mut self, light: LightMode) -> Self {
        let parts = PARTS.into_iter().zip(self.parts());
        parts.filter(|((_, element), _)| !light.has(*element)).for_each(|(_, part)| *part = 0.0);
        self
    }

    #[inline(always)]
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        self.parts().into_iter().for_each(|part| *part *= factor);
        self
    }

    #[inline(always)]
    #[must_use]
    pub fn plus(mut self, mut other: Self) -> Self {
        self.parts().into_iter().zip(other.parts()).for_each(|(part, other)| *part += *other);
        self
    }

    /// Every property, in the order in which they are declared.
    #[inline(always)]
    pub fn parts(&mut self) -> [&mut f32; PARTS.len()] {
        let Self { gloss, reflectance, fresnel, translucency, clarity, crust, glow, cracks, roundness } = self;
        [gloss, reflectance, fresnel, translucency, clarity, crust, glow, cracks, roundness]
    }
}
