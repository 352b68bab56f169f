//! Characters: glyphs that stand in their cell instead of dividing it, as letters and dots do. At an edge a character draws the
//! outline, over whatever is behind it: two free colours would put a box around every character. The background of a full cell
//! shows the liquid as well, darker than the character.

use crate::cell::blocks;
use crate::cell::color::mix;
use crate::math::ramp;
use crate::view::glyph::color_mode::ColorMode;
use crate::view::glyph::fitted_cell::{FittedCell, GlyphFit};
use crate::view::glyph::partition::best_partition;
use crate::view::glyph::texel_block::{SqrtLinearRgb, TexelBlock, TexelSet, TexelSum, plus, to_rgb};

/// Parts of a cell by which characters are distinguished, across and down.
const PARTS: (usize, usize) = (2, 4);

const ALL: usize = 0xff;

/// The fraction of the liquid's tone in a full cell's background; the rest is the tone of what lies behind.
const BODY: f32 = 0.67;

/// Light right below a surface, and where liquid is deep enough for all of [`BODY`]. In between, the liquid's background fades
/// in.
const DEPTH: [f32; 2] = [0.97, 0.75];

/// Amount by which a part's fraction of background may exceed a half before the part changes sides.
const PART_HYSTERESIS: f32 = 0.08;

/// Amount by which light may pass the step to another character before a full cell changes.
const LIGHT_HYSTERESIS: f32 = 0.02;

/// Largest difference in code values at which the former cell's colours are kept.
const COLOR_TOLERANCE: u8 = 2;

/// The character for a block, in a cell that showed `former`: `outline` returns the character for a set of parts, row by row from
/// the upper left, and `full` that of a full cell at a brightness.
pub(super) fn fit(
    block: &TexelBlock,
    mode: ColorMode,
    former: GlyphFit,
    outline: fn(usize) -> char,
    full: fn(f32) -> char,
) -> GlyphFit {
    let parts = block.parts::<8>(PARTS.0, PARTS.1);
    // A part counts as completely inside or outside, whatever its colour.
    let inside = (0..8).filter(|&part| parts[part][3] < max_background(former, part));
    let (mask, sum, count) = inside.fold((0, TexelSum::default(), 0.0), |(mask, sum, count), part| {
        (mask | 1 << part, plus(sum, parts[part]), count + 1.0)
    });
    let body = |fraction: f32| on_body(keep_sign(full, block.light, former), &parts, block.background, fraction);
    let cell = match (mask, mode) {
        (_, ColorMode::TwoColors) => body(BODY),
        (ALL, ColorMode::OnBackground { .. }) => body(BODY * ramp(block.light, DEPTH).max(block.solid)),
        (0, _) => FittedCell::BLANK,
        _ => match if mask == ALL { keep_sign(full, block.light, former) } else { outline(mask) } {
            ' ' => FittedCell::BLANK,
            glyph => {
                let rest = TexelSet { sum: TexelSum::default(), area: 8.0 - count };
                mode.cell(glyph, TexelSet { sum, area: count }, rest)
            }
        },
    };
    if former.cell.is_like(cell, COLOR_TOLERANCE) { former } else { GlyphFit::new(mask, cell) }
}

fn max_background(former: GlyphFit, part: usize) -> f32 {
    match former.index() {
        Some(mask) if mask >> part & 1 == 1 => 0.5 + PART_HYSTERESIS,
        Some(_) => 0.5 - PART_HYSTERESIS,
        None => 0.5,
    }
}

/// Returns the character of a full cell: the former one, if a little more or less light would give it.
fn keep_sign(full: fn(f32) -> char, light: f32, former: GlyphFit) -> char {
    let near = [light - LIGHT_HYSTERESIS, light + LIGHT_HYSTERESIS].map(full);
    near.into_iter().find(|&glyph| glyph == former.cell.glyph).unwrap_or_else(|| full(light))
}

/// A full cell at a brightness, 0 to 1, as a shade, for blocks without colours.
pub(in crate::view) fn fit_shade(light: f32, former: GlyphFit) -> GlyphFit {
    GlyphFit::without_index(FittedCell { glyph: keep_sign(blocks::shade, light, former), fg: None, bg: None })
}

/// A full cell, whose background has a fraction of its tone. It has two colours if its parts differ, as at an obstacle or where
/// there is a bead: the character has the brighter one.
fn on_body(glyph: char, parts: &[TexelSum; 8], background: SqrtLinearRgb, fraction: f32) -> FittedCell {
    let best = best_partition(parts);
    let mean = |TexelSet { sum, area }: TexelSet| [sum[0] / area, sum[1] / area, sum[2] / area];
    let fg = mean(best.on);
    let under = if best.off.area > 0.0 { mean(best.off) } else { fg };
    let brightness = |tone: SqrtLinearRgb| tone.iter().sum::<f32>();
    let (fg, under) = if brightness(under) > brightness(fg) { (under, fg) } else { (fg, under) };
    let bg = mix(background, under, fraction);
    FittedCell { glyph, fg: Some(to_rgb(fg)), bg: (fraction > 0.0).then(|| to_rgb(bg)) }
}
