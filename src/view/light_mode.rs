use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

named! {
    /// A response of matter to light, besides the darkening with depth.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LightElement {
        /// Glints where the surface faces the light.
        Gloss => "gloss",
        /// The sky in the mirror of a metal.
        Reflectance => "reflectance",
        /// The sky and the ground in a surface at grazing angles.
        Fresnel => "fresnel",
        /// Thin parts that light shines through.
        Translucency => "translucency",
        /// Clear liquid: its thin parts show the dark behind them, and air that it encloses shows the liquid behind it.
        Clarity => "clarity",
        /// A dark crust over cool and slow matter.
        Crust => "crust",
        /// Light that matter emits to air and walls.
        Glow => "glow",
        /// Shadows in smoke.
        Smoke => "smoke",
        /// Spray, foam, bubbles and embers.
        Foam => "foam",
        /// The shading of round bodies.
        Roundness => "roundness",
    }
}

/// The set of light elements that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LightMode(u16);

impl Default for LightMode {
    fn default() -> Self {
        Self::FULL
    }
}

impl LightMode {
    /// All elements: each material has its own optics.
    pub const FULL: Self = Self((1 << LightElement::ALL.len()) - 1);
    /// No elements: liquid is darker with depth only.
    pub const FLAT: Self = Self(0);

    /// Whether an element is drawn.
    #[inline(always)]
    pub fn has(self, element: LightElement) -> bool {
        self.0 & 1 << element as u16 != 0
    }

    /// Returns the mode with an element, or without it.
    #[must_use]
    pub fn with(self, element: LightElement, drawn: bool) -> Self {
        Self(if drawn { self.0 | 1 << element as u16 } else { self.0 & !(1 << element as u16) })
    }
}

impl FromStr for LightMode {
    type Err = String;

    /// `full`, `flat`, the elements that are drawn (`gloss,fresnel`), or those that are not (`no-clarity,no-foam`).
    fn from_str(text: &str) -> Result<Self, String> {
        let mut mode = None;
        for word in text.split(',').map(str::trim) {
            let (name, drawn) = word.strip_prefix("no-").map_or((word, true), |name| (name, false));
            mode = Some(match (word, LightElement::ALL.into_iter().find(|element| element.name() == name)) {
                ("full", _) => Self::FULL,
                ("flat", _) => Self::FLAT,
                // The first word decides whether the others are removed from all or added to none.
                (_, Some(element)) => mode.unwrap_or(if drawn { Self::FLAT } else { Self::FULL }).with(element, drawn),
                _ => {
                    let names = LightElement::ALL.map(LightElement::name).join(", ");
                    return Err(format!(
                        "must be full, flat, or a list of {names}, each with `no-` before it to leave it out; not {word:?}"
                    ));
                }
            });
        }
        mode.ok_or_else(|| "must not be empty".to_owned())
    }
}

impl fmt::Display for LightMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |prefix: &str, drawn: bool| {
            let elements = LightElement::ALL.into_iter().filter(|element| self.has(*element) == drawn);
            elements.map(|element| format!("{prefix}{}", element.name())).collect::<Vec<_>>()
        };
        let (with, without) = (list("", true), list("no-", false));
        match *self {
            Self::FULL => f.write_str("full"),
            Self::FLAT => f.write_str("flat"),
            _ if without.len() <= with.len() => f.write_str(&without.join(",")),
            _ => f.write_str(&with.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_add_to_flat_or_take_from_full_and_are_written_as_they_are_read() {
        let read = |text: &str| text.parse::<LightMode>().unwrap();
        assert_eq!(read("no-clarity,no-foam"), {
            LightMode::FULL.with(LightElement::Clarity, false).with(LightElement::Foam, false)
        });
        assert_eq!(read("gloss, fresnel"), {
            LightMode::FLAT.with(LightElement::Gloss, true).with(LightElement::Fresnel, true)
        });
        assert_eq!(read("full,no-glow"), LightMode::FULL.with(LightElement::Glow, false));
        for text in ["full", "flat", "no-clarity,no-foam", "gloss,fresnel"] {
            assert_eq!(read(text).to_string(), text);
        }
        assert!("no-shine".parse::<LightMode>().unwrap_err().contains("clarity") && "".parse::<LightMode>().is_err());
    }
}
