//! Indexed colours, as xterm draws them.

use crate::cell::color::Rgb;
use ratatui_core::style::Color;

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

/// Code values of xterm's 6×6×6 colour cube along each axis.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

pub(super) fn indexed(index: u8) -> Rgb {
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

/// Returns the colour that a terminal with xterm's own theme shows; `default` stands for the terminal's default colour.
pub fn xterm_rgb(color: Color, default: Rgb) -> Rgb {
    match (color, color_index(color)) {
        (_, Some(index)) => indexed(index),
        (Color::Rgb(r, g, b), None) => Rgb(r, g, b),
        _ => default,
    }
}

/// Returns the number of a named or an indexed colour in the terminal's palette; `None` for the default colours and RGB.
#[inline]
pub fn color_index(color: Color) -> Option<u8> {
    Some(match color {
        Color::Reset | Color::Rgb(..) => return None,
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
    })
}

pub(super) fn exact_of_16(rgb: Rgb) -> Option<u8> {
    NAMED.iter().position(|&named| named == rgb).map(|number| number as u8)
}

/// Returns the entry of the cube or the greys that is exactly `rgb`.
pub(super) fn exact_of_240(Rgb(red, green, blue): Rgb) -> Option<u8> {
    let level = |v: u8| CUBE.iter().position(|&level| level == v);
    let cube = || Some((16 + 36 * level(red)? + 6 * level(green)? + level(blue)?) as u8);
    let grey = || (red == green && green == blue && red % 10 == 8 && red < 240).then(|| 232 + red / 10);
    cube().or_else(grey)
}

pub(super) fn nearest_of_16(rgb: Rgb) -> u8 {
    nearer(rgb, 0..16)
}

pub(super) fn nearest_of_256(rgb: Rgb) -> u8 {
    let level = |v: u8| (0..6u8).min_by_key(|&i| CUBE[usize::from(i)].abs_diff(v)).unwrap_or(0);
    let mean = (u16::from(rgb.0) + u16::from(rgb.1) + u16::from(rgb.2)) / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    nearer(rgb, [16 + 36 * level(rgb.0) + 6 * level(rgb.1) + level(rgb.2), grey])
}

fn nearer(rgb: Rgb, indices: impl IntoIterator<Item = u8>) -> u8 {
    let wanted = rgb.oklab();
    let error = |index: u8| -> f32 { indexed(index).oklab().iter().zip(wanted).map(|(a, b)| (a - b).powi(2)).sum() };
    indices.into_iter().min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::color::ColorDepth;

    #[test]
    fn what_the_palette_holds_is_found_exactly() {
        for index in 16..=255 {
            let rgb = indexed(index);
            let nearest = ColorDepth::Ansi256.nearest(rgb);
            assert_eq!(xterm_rgb(nearest, Rgb::BLACK), rgb, "index {index}");
        }
        assert_eq!(ColorDepth::Ansi256.nearest(Color::Red), Color::Red);
    }
}
