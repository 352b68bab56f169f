//! Colours: sRGB bytes at input and output, linear light where colours are mixed, OKLab where they are compared as the eye does.

mod depth;
mod dither;
mod indexed;
mod terminal;

pub use depth::ColorDepth;
pub use indexed::{color_index, xterm_rgb};
pub use terminal::TerminalColors;

use crate::math::Elementary;
use ratatui_core::style::Color;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// Red, green and blue in linear light, 0 to 1. Coverage is an area, so edges are mixed in this space.
pub type LinearRgb = [f32; 3];

/// An sRGB colour: code values of red, green and blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// No light.
    pub const BLACK: Rgb = Rgb(0, 0, 0);
    /// Full light.
    pub const WHITE: Rgb = Rgb(255, 255, 255);

    /// Returns the colour in linear light.
    pub fn linear(self) -> LinearRgb {
        static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
        let table = TABLE.get_or_init(|| std::array::from_fn(|v| decode(v as f32 / 255.0)));
        [self.0, self.1, self.2].map(|v| table[usize::from(v)])
    }

    /// Returns the sRGB colour nearest to a colour in linear light.
    #[inline(always)]
    pub fn from_linear([r, g, b]: LinearRgb) -> Self {
        static TABLE: OnceLock<Box<[u8; LIGHT_STEPS + 1]>> = OnceLock::new();
        let encode = |step: usize| (255.0 * encode(step as f32 / LIGHT_STEPS as f32)).round() as u8;
        let table = TABLE.get_or_init(|| Box::new(std::array::from_fn(encode)));
        let byte = |light: f32| table[((light * LIGHT_STEPS as f32 + 0.5) as usize).min(LIGHT_STEPS)];
        Self(byte(r), byte(g), byte(b))
    }

    /// Returns the colour in OKLab: lightness, from 0 to 1, and the two axes of chroma, about −0.4 to 0.4.
    pub fn oklab(self) -> [f32; 3] {
        oklab(self.linear())
    }

    /// Whether no channel differs from another colour's by more than `tolerance` code values.
    #[inline(always)]
    pub fn is_within(self, tolerance: u8, other: Self) -> bool {
        self.0.abs_diff(other.0).max(self.1.abs_diff(other.1)).max(self.2.abs_diff(other.2)) <= tolerance
    }
}

/// `#rrggbb`.
impl FromStr for Rgb {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, r, g, b] =
            value.ok_or_else(|| format!("`{text}` is not a colour: write it as \"#rrggbb\""))?.to_be_bytes();
        Ok(Self(r, g, b))
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl From<Rgb> for Color {
    fn from(Rgb(r, g, b): Rgb) -> Self {
        Self::Rgb(r, g, b)
    }
}

/// Mixes a fraction of `b`, from 0 to 1, into `a`.
#[inline(always)]
pub fn mix(a: LinearRgb, b: LinearRgb, fraction: f32) -> LinearRgb {
    [a[0] + (b[0] - a[0]) * fraction, a[1] + (b[1] - a[1]) * fraction, a[2] + (b[2] - a[2]) * fraction]
}

/// Applies sRGB's transfer function (IEC 61966-2-1), from code value to light, both 0 to 1.
fn decode(v: f32) -> f32 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).power(2.4) }
}

fn encode(v: f32) -> f32 {
    if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.power(1.0 / 2.4) - 0.055 }
}

/// Steps of the table behind [`Rgb::from_linear`], which resolve the darkest steps of sRGB: 1/(255 · 12.92) = 1/3295 of light.
const LIGHT_STEPS: usize = 8192;

/// Björn Ottosson's OKLab ("A perceptual color space for image processing", 2020): equal distances look about equal. The first
/// matrix takes linear sRGB to cone responses, whose cube roots the second takes to lightness and chroma.
pub fn oklab([r, g, b]: LinearRgb) -> [f32; 3] {
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cube_root();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cube_root();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cube_root();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// Converts back from OKLab, clamped to the colours of sRGB.
pub fn from_oklab([l, a, b]: [f32; 3]) -> LinearRgb {
    let x = (l + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let y = (l - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let z = (l - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * x - 3.307_711_6 * y + 0.230_969_94 * z,
        -1.268_438 * x + 2.609_757_4 * y - 0.341_319_38 * z,
        -0.004_196_086_3 * x - 0.703_418_6 * y + 1.707_614_7 * z,
    ]
    .map(|v| v.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_linear_light_and_oklab() {
        for v in 0..=255u8 {
            let rgb = Rgb(v, 255 - v, v / 2);
            assert_eq!(Rgb::from_linear(rgb.linear()), rgb);
            assert_eq!(Rgb::from_linear(from_oklab(rgb.oklab())), rgb);
        }
    }

    #[test]
    fn hex_is_read_and_nonsense_refused_with_advice() {
        assert_eq!("#0a64FF".parse(), Ok(Rgb(10, 100, 255)));
        for bad in ["", "#fff", "0a64ff", "#0a64fg", "#+a64ff"] {
            assert!(bad.parse::<Rgb>().unwrap_err().contains("#rrggbb"), "{bad}");
        }
    }
}
