//! Colours: sRGB bytes at the edges, linear light wherever colours are mixed, OKLab wherever they are compared by eye.

use ratatui_core::style::Color;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// Red, green and blue in linear light, 0 to 1. Coverage is an area, so edges are mixed in this space.
pub type Linear = [f32; 3];

/// An sRGB colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    pub const BLACK: Rgb = Rgb(0, 0, 0);
    pub const WHITE: Rgb = Rgb(255, 255, 255);

    pub fn linear(self) -> Linear {
        [self.0, self.1, self.2].map(|v| decode(f32::from(v) / 255.0))
    }

    /// The nearest sRGB colour to one in linear light.
    pub fn from_linear(linear: Linear) -> Self {
        let [r, g, b] = linear.map(encode_byte);
        Self(r, g, b)
    }

    pub fn oklab(self) -> [f32; 3] {
        oklab(self.linear())
    }
}

/// `#rrggbb`.
impl FromStr for Rgb {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, r, g, b] =
            value.ok_or_else(|| format!("`{text}` is no colour: write it as \"#rrggbb\""))?.to_be_bytes();
        Ok(Self(r, g, b))
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// `a` with a share of `b`, from 0 to 1, mixed in.
#[inline(always)]
pub fn mix(a: Linear, b: Linear, share: f32) -> Linear {
    [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share]
}

/// sRGB's transfer function (IEC 61966-2-1), from code value to light.
fn decode(v: f32) -> f32 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

fn encode(v: f32) -> f32 {
    if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

/// Steps of the table behind [`encode_byte`]. Dark steps of sRGB are 1/3295 wide, so this resolves every one.
const LIGHT_STEPS: usize = 8192;

fn encode_byte(light: f32) -> u8 {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        (0..=LIGHT_STEPS).map(|i| (255.0 * encode(i as f32 / LIGHT_STEPS as f32)).round() as u8).collect()
    });
    table[(light.clamp(0.0, 1.0) * LIGHT_STEPS as f32 + 0.5) as usize]
}

/// Björn Ottosson's OKLab (2020): equal distances look about equal, and mixtures keep their hue.
pub fn oklab([r, g, b]: Linear) -> [f32; 3] {
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// Back from OKLab, clamped to what a screen can show.
pub fn from_oklab([l, a, b]: [f32; 3]) -> Linear {
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

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorDepth {
    /// None at all: the shape of the glyphs is the picture.
    Mono,
    /// The sixteen named ones, whatever the user's theme makes of them.
    Ansi16,
    /// xterm's 6×6×6 cube and 24 greys.
    Ansi256,
    #[default]
    TrueColor,
}

impl ColorDepth {
    pub const ALL: [ColorDepth; 4] = [Self::TrueColor, Self::Ansi256, Self::Ansi16, Self::Mono];

    pub fn name(self) -> &'static str {
        match self {
            Self::Mono => "mono",
            Self::Ansi16 => "16",
            Self::Ansi256 => "256",
            Self::TrueColor => "truecolor",
        }
    }

    /// What this depth shows for `rgb` at a place on the screen.
    ///
    /// Where colours are few they are dithered in an ordered pattern that is fixed to the screen, so a picture that
    /// rests is still; (noise or error diffusion would crawl, or change far from where something moved).
    pub fn color(self, rgb: Rgb, at: (u16, u16)) -> Color {
        match self {
            Self::Mono => Color::Reset,
            Self::Ansi16 => Color::Indexed(SIXTEEN.dither(rgb, threshold(at))),
            Self::Ansi256 => Color::Indexed(CUBE_AND_GREYS.dither(rgb, threshold(at))),
            Self::TrueColor => Color::Rgb(rgb.0, rgb.1, rgb.2),
        }
    }

    /// The colour of this depth that is nearest to `color`, the same all over the screen: for text, which dithering
    /// would tear. The sixteen are the user's to redefine, so at 256 colours nothing is reduced to them.
    pub fn nearest(self, color: Color) -> Color {
        match (self, color) {
            (Self::Mono, _) => Color::Reset,
            (Self::Ansi256, Color::Rgb(r, g, b)) => Color::Indexed(nearest_of_256(Rgb(r, g, b))),
            (Self::Ansi16, Color::Rgb(r, g, b)) => Color::Indexed(nearest_of_16(Rgb(r, g, b))),
            (Self::Ansi16, Color::Indexed(index @ 16..)) => Color::Indexed(nearest_of_16(indexed(index))),
            _ => color,
        }
    }
}

fn nearest_of_16(rgb: Rgb) -> u8 {
    nearer(rgb, 0..16)
}

/// Of the cube's nearest entry and the nearest grey, the nearer.
fn nearest_of_256(rgb: Rgb) -> u8 {
    let level = |v: u8| (0..6u8).min_by_key(|&i| CUBE[usize::from(i)].abs_diff(v)).unwrap_or(0);
    let mean = (u16::from(rgb.0) + u16::from(rgb.1) + u16::from(rgb.2)) / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    nearer(rgb, [16 + 36 * level(rgb.0) + 6 * level(rgb.1) + level(rgb.2), grey])
}

/// The index whose colour looks most like `rgb`.
fn nearer(rgb: Rgb, indices: impl IntoIterator<Item = u8>) -> u8 {
    let wanted = rgb.oklab();
    let off = |index: u8| -> f32 { indexed(index).oklab().iter().zip(wanted).map(|(a, b)| (a - b).powi(2)).sum() };
    indices.into_iter().min_by(|&a, &b| off(a).total_cmp(&off(b))).unwrap_or(0)
}

impl FromStr for ColorDepth {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|depth| depth.name() == name)
            .ok_or_else(|| format!("no colour depth `{name}`: choose truecolor, 256, 16 or mono"))
    }
}

/// Bayer's 4×4 matrix, as thresholds between 0 and 1.
fn threshold((x, y): (u16, u16)) -> f32 {
    const BAYER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    (f32::from(BAYER[usize::from(y % 4)][usize::from(x % 4)]) + 0.5) / 16.0
}

/// The named colours as xterm draws them. Themes differ; the order of brightness and hue is what counts.
const NAMED: [Rgb; 16] = [
    Rgb(0, 0, 0),
    Rgb(205, 0, 0),
    Rgb(0, 205, 0),
    Rgb(205, 205, 0),
    Rgb(0, 0, 238),
    Rgb(205, 0, 205),
    Rgb(0, 205, 205),
    Rgb(229, 229, 229),
    Rgb(127, 127, 127),
    Rgb(255, 0, 0),
    Rgb(0, 255, 0),
    Rgb(255, 255, 0),
    Rgb(92, 92, 255),
    Rgb(255, 0, 255),
    Rgb(0, 255, 255),
    Rgb(255, 255, 255),
];

/// Candidates a colour is dithered among, darkest first.
type Mixture = [u8; 8];

/// A run of indexed colours, and what each wanted colour is mixed from, found when it is first wanted.
struct Indexed {
    first: u8,
    last: u8,
    /// How much a candidate's own distance counts beside that of the mixture. Little, and mean colours are exact but
    /// made of loud opposites; much, and there are bands. Chosen by eye on water, lava and honey.
    likeness: f32,
    mixtures: OnceLock<Vec<OnceLock<Mixture>>>,
}

static SIXTEEN: Indexed = Indexed { first: 0, last: 15, likeness: 0.6, mixtures: OnceLock::new() };
static CUBE_AND_GREYS: Indexed = Indexed { first: 16, last: 255, likeness: 0.4, mixtures: OnceLock::new() };

impl Indexed {
    /// Thomas Knoll's pattern dithering (US patent 6606166, expired 2019): a few colours whose mean comes near the
    /// wanted one, and the screen's threshold chooses among them. Compared in OKLab, so that blue water is dithered
    /// from blues; rounding each channel of the cube by itself makes it of purple and teal.
    fn dither(&self, rgb: Rgb, threshold: f32) -> u8 {
        if let Some(exact) = (self.first..=self.last).find(|&index| indexed(index) == rgb) {
            return exact;
        }
        let mixtures = self.mixtures.get_or_init(|| (0..1 << 15).map(|_| OnceLock::new()).collect());
        let coarse = |v: u8| usize::from(v >> 3);
        let key = coarse(rgb.0) << 10 | coarse(rgb.1) << 5 | coarse(rgb.2);
        let middle = |v: u8| v & 0xf8 | v >> 5;
        let find = || self.mixture(Rgb(middle(rgb.0), middle(rgb.1), middle(rgb.2)));
        mixtures[key].get_or_init(find)[(threshold * 8.0) as usize]
    }

    /// Greedily picks the colour that brings the mean of those picked nearest to `rgb`.
    fn mixture(&self, rgb: Rgb) -> Mixture {
        let wanted = rgb.oklab();
        let chroma = |lab: &[f32; 3]| lab[1].hypot(lab[2]);
        // Where there are few colours, a mere distance finds greys for every muted one.
        let dull = |lab: &[f32; 3]| chroma(&wanted) > 0.04 && chroma(lab) < 0.01 && (0.05..0.95).contains(&lab[0]);
        let all = (self.first..=self.last).map(|index| (index, indexed(index).oklab()));
        let candidates: Vec<(u8, [f32; 3])> = all.filter(|(_, lab)| !dull(lab)).collect();
        let mut picked = [(0, [0.0; 3]); 8];
        let mut sum = [0f32; 3];
        for (count, slot) in picked.iter_mut().enumerate() {
            let off = |candidate: &[f32; 3]| -> f32 {
                let mean = |axis: usize| (sum[axis] + candidate[axis]) / (count + 1) as f32;
                let apart = |axis: usize| (candidate[axis] - wanted[axis]).powi(2);
                (0..3).map(|axis| (mean(axis) - wanted[axis]).powi(2) + self.likeness * apart(axis)).sum()
            };
            let best = candidates.iter().min_by(|a, b| off(&a.1).total_cmp(&off(&b.1)));
            *slot = *best.expect("a run is not empty");
            (0..3).for_each(|axis| sum[axis] += slot.1[axis]);
        }
        picked.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
        picked.map(|(index, _)| index)
    }
}

/// Code values of xterm's colour cube along each axis.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// xterm's 256 colours.
fn indexed(index: u8) -> Rgb {
    match index {
        0..16 => NAMED[usize::from(index)],
        16..232 => {
            let level = |step: u8| CUBE[usize::from((index - 16) / step % 6)];
            Rgb(level(36), level(6), level(1))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            Rgb(grey, grey, grey)
        }
    }
}

/// What a terminal with xterm's own theme shows for `color`, or `default` for the terminal's default colour.
pub fn shown(color: Color, default: Rgb) -> Rgb {
    let index = match color {
        Color::Reset => return default,
        Color::Rgb(r, g, b) => return Rgb(r, g, b),
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    indexed(index)
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

    #[test]
    fn what_the_palette_holds_is_found_exactly() {
        for index in 16..=255 {
            let rgb = indexed(index);
            let nearest = ColorDepth::Ansi256.nearest(Color::Rgb(rgb.0, rgb.1, rgb.2));
            assert_eq!(shown(nearest, Rgb::BLACK), rgb, "index {index}");
        }
        assert_eq!(ColorDepth::Ansi256.nearest(Color::Red), Color::Red);
    }

    #[test]
    fn dithering_keeps_the_mean_brightness_and_is_exact_where_a_colour_exists() {
        for index in 16..=255u8 {
            let exact = shown(Color::Indexed(index), Rgb::BLACK);
            for at in [(0, 0), (1, 2), (3, 3)] {
                assert_eq!(shown(ColorDepth::Ansi256.color(exact, at), Rgb::BLACK), exact, "{index} at {at:?}");
            }
        }
        for depth in [ColorDepth::Ansi256, ColorDepth::Ansi16] {
            let wanted = Rgb(40, 110, 190);
            let places = (0..4).flat_map(|x| (0..4).map(move |y| (x, y)));
            let mean = places.map(|at| shown(depth.color(wanted, at), Rgb::BLACK).oklab()[0]).sum::<f32>() / 16.0;
            assert!((mean - wanted.oklab()[0]).abs() < 0.08, "{depth:?}: {mean} for {}", wanted.oklab()[0]);
        }
    }
}
