//! Ordered dithering: mixes the colours of a terminal in a pattern that is fixed to the screen.

use crate::cell::color::Rgb;
use crate::cell::color::indexed::{exact_of_16, exact_of_240, indexed};
use std::ops::{Range, RangeInclusive};
use std::sync::{LazyLock, OnceLock};

/// The indices a colour is dithered among, darkest first: one for every two of the matrix's 16 thresholds.
type DitherPattern = [u8; 8];

/// Bayer's 4×4 matrix.
const BAYER: [[usize; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Levels per channel of a wanted colour: finer differences share a mixture, so the table has 64³ entries. With 32 levels a
/// gradient that runs along the border between two colours changes between them several times.
const LEVELS: usize = 64;

type Lab = [f32; 3];

/// A range of indexed colours, and the mixture for each wanted colour, computed on first use.
pub(super) struct DitherPalette {
    exact: fn(Rgb) -> Option<u8>,
    /// Weight of a candidate's own distance relative to that of the mixture's mean. With a small weight, means are exact but made
    /// of opposite hues; with a large one, there are bands.
    candidate_weight: f32,
    /// Weight of a difference of hue relative to one of lightness; at 1, blue water has lilac and teal in it.
    hue_weight: f32,
    /// The largest distance at which the nearest colour stands for a wanted one of any hue, without dithering: of a few dots in
    /// an even colour, one sees the dots.
    flat_within: f32,
    /// The largest distance from the nearest colour of those that are mixed with it: the eye sees the dots of others.
    max_contrast: f32,
    /// The tangent of the largest angle by which a part of the mixture for a vivid blue is nearer to violet: beside the rest of the
    /// water such a colour looks violet.
    max_turn_to_violet: f32,
    colors: Vec<(u8, Lab)>,
    mixtures: Vec<OnceLock<DitherPattern>>,
}

pub(super) static ANSI_16: LazyLock<DitherPalette> =
    LazyLock::new(|| DitherPalette::new(0..=15, exact_of_16, [0.6, 1.4, 0.25, f32::INFINITY, 0.55]));
pub(super) static XTERM_240: LazyLock<DitherPalette> =
    LazyLock::new(|| DitherPalette::new(16..=255, exact_of_240, [0.4, 2.0, 0.09, 0.08, 0.14]));

/// The largest difference of lightness of a colour that stands for another without dithering.
const FLAT_LIGHTNESS: f32 = 0.08;

/// The largest difference of lightness between a few dots and the rest: of more, one sees the dots. Black ones look like holes.
const MAX_DOT_CONTRAST: f32 = 0.3;
const MAX_DOTS: usize = 1;
const MAX_HOLES: usize = 3;

/// Chroma up to which a candidate counts as grey, which may be a part of any mixture.
const GREY_CHROMA: f32 = 0.04;

/// Chroma above which a blue has colours of its own hue among the 240.
const VIVID_CHROMA: f32 = 0.08;

/// Minimum component of a candidate's chroma along the wanted hue for it to count as of that hue.
const MIN_HUE_COMPONENT: f32 = 0.01;

/// Range of lightness outside which a colour has almost no hue and may be a part of any mixture.
const NEITHER_BLACK_NOR_WHITE: Range<f32> = 0.05..0.95;

impl DitherPalette {
    fn new(run: RangeInclusive<u8>, exact: fn(Rgb) -> Option<u8>, weights: [f32; 5]) -> Self {
        let [candidate_weight, hue_weight, flat_within, max_contrast, max_turn_to_violet] = weights;
        let colors = run.map(|number| (number, indexed(number).oklab())).collect();
        let mixtures = (0..LEVELS.pow(3)).map(|_| OnceLock::new()).collect();
        Self { exact, candidate_weight, hue_weight, flat_within, max_contrast, max_turn_to_violet, colors, mixtures }
    }

    /// The index for `rgb` in the cell of column and row `at`, by Thomas Knoll's pattern dithering (US patent 6606166, expired
    /// 2019): of a few colours whose mean is near the wanted one, the threshold at the cell selects one. Distances are those of
    /// OKLab.
    pub fn dither(&self, rgb: Rgb, (x, y): (u16, u16)) -> u8 {
        if let Some(exact) = (self.exact)(rgb) {
            return exact;
        }
        let coarse = |v: u8| usize::from(v >> 2);
        let key = (coarse(rgb.0) * LEVELS + coarse(rgb.1)) * LEVELS + coarse(rgb.2);
        let middle = |v: u8| v & 0xfc | v >> 6;
        let find = || self.mixture(Rgb(middle(rgb.0), middle(rgb.1), middle(rgb.2)));
        self.mixtures[key].get_or_init(find)[BAYER[usize::from(y % 4)][usize::from(x % 4)] / 2]
    }

    /// Greedily picks the colour that brings the mean of those picked nearest to `rgb`.
    fn mixture(&self, rgb: Rgb) -> DitherPattern {
        let wanted = rgb.oklab();
        let squared_distance = |[l, a, b]: Lab, to: Lab| {
            (l - to[0]).powi(2) + self.hue_weight * self.hue_weight * ((a - to[1]).powi(2) + (b - to[2]).powi(2))
        };
        let error = |color| squared_distance(color, wanted);
        let suited = || self.colors.iter().copied().filter(|(_, color)| self.suits(wanted, *color));
        let nearest = suited().min_by(|a, b| error(a.1).total_cmp(&error(b.1))).expect("black suits any colour");
        let is_as_light = (nearest.1[0] - wanted[0]).abs() < FLAT_LIGHTNESS;
        if is_as_light && error(nearest.1) < self.flat_within * self.flat_within {
            return [nearest.0; 8];
        }
        let (mut picked, mut sum) = ([(0, 0.0); 8], [0f32; 3]);
        for (count, slot) in picked.iter_mut().enumerate() {
            let mean = |color: Lab| [0, 1, 2].map(|axis| (sum[axis] + color[axis]) / (count + 1) as f32);
            let cost = |color: Lab| error(mean(color)) + self.candidate_weight * error(color);
            let mixes =
                |(_, color): &(u8, Lab)| squared_distance(*color, nearest.1) <= self.max_contrast * self.max_contrast;
            let best = suited().filter(mixes).min_by(|a, b| cost(a.1).total_cmp(&cost(b.1)));
            let (number, color) = best.expect("the nearest mixes with itself");
            *slot = (number, color[0]);
            (0..3).for_each(|axis| sum[axis] += color[axis]);
        }
        picked.sort_by(|a, b| a.1.total_cmp(&b.1));
        let count = |number| picked.iter().filter(|own| own.0 == number).count();
        let main = *picked.iter().max_by_key(|own| count(own.0)).expect("eight colours");
        picked.map(|(number, lightness)| {
            let is_dot = count(number) <= if lightness < NEITHER_BLACK_NOR_WHITE.start { MAX_HOLES } else { MAX_DOTS };
            if is_dot && (lightness - main.1).abs() > MAX_DOT_CONTRAST { main.0 } else { number }
        })
    }

    /// Whether `color` may be a part of `wanted`: distance alone finds greys for every muted colour, red specks for a dull blue,
    /// and for the blue of water the violet that is "bright blue" among the sixteen.
    fn suits(&self, wanted: Lab, color: Lab) -> bool {
        let ([_, a, b], chroma_wanted) = (wanted, chroma(wanted));
        let is_violet = color[1] > 0.0 && color[2] < -GREY_CHROMA;
        let (along, across) = (color[1] * a + color[2] * b, color[2] * a - color[1] * b);
        let is_vivid_blue = chroma_wanted > VIVID_CHROMA && a < 0.0 && b < 0.0;
        let is_too_violet = is_vivid_blue && chroma(color) > GREY_CHROMA && across > self.max_turn_to_violet * along;
        chroma_wanted <= GREY_CHROMA
            || !NEITHER_BLACK_NOR_WHITE.contains(&color[0])
            || along > MIN_HUE_COMPONENT * chroma_wanted && !(is_violet && a < 0.0) && !is_too_violet
    }
}

fn chroma([_, a, b]: Lab) -> f32 {
    (a * a + b * b).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::color::{ColorDepth, xterm_rgb};
    use ratatui_core::style::Color;

    #[test]
    fn dithering_keeps_the_mean_brightness_and_is_exact_where_a_colour_exists() {
        for index in 16..=255u8 {
            let exact = xterm_rgb(Color::Indexed(index), Rgb::BLACK);
            for at in [(0, 0), (1, 2), (3, 3)] {
                assert_eq!(xterm_rgb(ColorDepth::Ansi256.color(exact, at), Rgb::BLACK), exact, "{index} at {at:?}");
            }
        }
        // Of the sixteen, few dots in an even colour are left out.
        for (depth, tolerance) in [(ColorDepth::Ansi256, 0.08), (ColorDepth::Ansi16, 0.12)] {
            let wanted = Rgb(40, 110, 190);
            let places = (0..4).flat_map(|x| (0..4).map(move |y| (x, y)));
            let mean = places.map(|at| xterm_rgb(depth.color(wanted, at), Rgb::BLACK).oklab()[0]).sum::<f32>() / 16.0;
            assert!((mean - wanted.oklab()[0]).abs() < tolerance, "{depth:?}: {mean} for {}", wanted.oklab()[0]);
        }
    }

    #[test]
    fn the_blues_of_water_do_not_turn_violet() {
        for depth in [ColorDepth::Ansi256, ColorDepth::Ansi16] {
            for wanted in [Rgb(97, 154, 212), Rgb(61, 123, 190), Rgb(103, 160, 213), Rgb(16, 90, 160)] {
                let places = (0..4).flat_map(|x| (0..4).map(move |y| (x, y)));
                for Rgb(red, green, _) in places.map(|at| xterm_rgb(depth.color(wanted, at), Rgb::BLACK)) {
                    assert!(green >= red && (red, green) != (95, 135), "{depth:?}: {red} {green} for {wanted:?}");
                }
            }
        }
    }

    #[test]
    fn no_colour_has_holes_of_black() {
        for wanted in (0..16 * 16 * 16).map(|n| Rgb(n as u8 % 16 * 17, (n / 16) as u8 % 16 * 17, (n / 256) as u8 * 17))
        {
            let places = (0..4).flat_map(|x| (0..4).map(move |y| (x, y)));
            let black = places.filter(|at| ColorDepth::Ansi16.color(wanted, *at) == Color::Indexed(0)).count();
            assert!(black == 0 || black >= 8, "{black} of 16 cells of {wanted:?} are black");
        }
    }
}
