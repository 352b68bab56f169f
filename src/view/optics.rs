//! The optical properties of a material: part of its palette, as data.

use crate::data::{DataError, Fields};
use crate::view::light_mode::{LightElement, LightMode};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    /// How much lighter the cracks of set matter are.
    pub cracks: f32,
    /// How much its bodies are shaded as round ones. All liquid in free fall and in glass is round.
    pub roundness: f32,
}

impl Default for Optics {
    /// Returns the properties of water.
    fn default() -> Self {
        Self {
            gloss: 0.55,
            reflectance: 0.0,
            fresnel: 0.35,
            translucency: 0.0,
            clarity: 0.6,
            crust: 0.0,
            glow: 0.0,
            cracks: 0.0,
            roundness: 0.0,
        }
    }
}

impl Optics {
    pub const NONE: Self = Self {
        gloss: 0.0,
        reflectance: 0.0,
        fresnel: 0.0,
        translucency: 0.0,
        clarity: 0.0,
        crust: 0.0,
        glow: 0.0,
        cracks: 0.0,
        roundness: 0.0,
    };

    /// Reads the keys of a palette; missing ones are those of `parent`, or else of water.
    pub(super) fn read(fields: &mut Fields, parent: Option<Self>) -> Result<Self, DataError> {
        let base = parent.unwrap_or_default();
        let mut fraction = |key, default| fields.number(key, 0.0..=1.0, default);
        Ok(Self {
            gloss: fraction("gloss", base.gloss)?,
            reflectance: fraction("reflectance", base.reflectance)?,
            fresnel: fraction("fresnel", base.fresnel)?,
            translucency: fraction("translucency", base.translucency)?,
            clarity: fraction("clarity", base.clarity)?,
            crust: fraction("crust", base.crust)?,
            glow: fraction("glow", base.glow)?,
            cracks: fraction("cracks", base.cracks)?,
            roundness: fraction("roundness", base.roundness)?,
        })
    }

    /// Returns the properties that a light mode draws; the others are zero.
    #[must_use]
    pub(super) fn drawn_in(self, light: LightMode) -> Self {
        let fraction = |element, own| if light.has(element) { own } else { 0.0 };
        Self {
            gloss: fraction(LightElement::Gloss, self.gloss),
            reflectance: fraction(LightElement::Reflectance, self.reflectance),
            fresnel: fraction(LightElement::Fresnel, self.fresnel),
            translucency: fraction(LightElement::Translucency, self.translucency),
            clarity: fraction(LightElement::Clarity, self.clarity),
            crust: fraction(LightElement::Crust, self.crust),
            glow: fraction(LightElement::Glow, self.glow),
            cracks: fraction(LightElement::Crust, self.cracks),
            roundness: fraction(LightElement::Roundness, self.roundness),
        }
    }

    #[inline(always)]
    #[must_use]
    pub fn scaled(self, factor: f32) -> Self {
        self.zip(Self::NONE, |own, _| own * factor)
    }

    #[inline(always)]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self {
            gloss: f(self.gloss, other.gloss),
            reflectance: f(self.reflectance, other.reflectance),
            fresnel: f(self.fresnel, other.fresnel),
            translucency: f(self.translucency, other.translucency),
            clarity: f(self.clarity, other.clarity),
            crust: f(self.crust, other.crust),
            glow: f(self.glow, other.glow),
            cracks: f(self.cracks, other.cracks),
            roundness: f(self.roundness, other.roundness),
        }
    }
}
