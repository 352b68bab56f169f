//! From a block of texels to one cell: the glyph that divides the cell into two sets such that one colour for each set leaves the
//! least squared error. The error of a division is closed-form (see `ColorMode::gains`), so the task is to find the few glyphs
//! that are worth scoring: `atlas` finds them by the two sets into which the block itself divides; `partition` tries the n + 1
//! divisions of 2ⁿ that can be best.

pub mod atlas;
pub mod color_mode;
pub mod fitted_cell;
mod glyph_mask;
pub mod gradient;
mod halves;
mod partition;
pub mod texel_block;
mod text_glyphs;

pub use color_mode::ColorMode;
pub use fitted_cell::{FittedCell, GlyphFit};
pub use texel_block::TexelBlock;
pub(super) use text_glyphs::fit_shade;

use crate::cell::glyph_mode::{GlyphMode, Repertoire};
use atlas::Atlas;
use fearless_simd::prelude::*;

/// Fraction of wall in a cell from which on it is drawn as wall where there are no colours.
const MOSTLY_WALL: f32 = 0.5;

/// Compiled for an instruction set, for a cell that showed `former`, which is kept if it is nearly as near.
#[inline(always)]
pub fn fit_after<S: Simd>(
    simd: S,
    mode: GlyphMode,
    block: &TexelBlock,
    colors: ColorMode,
    former: GlyphFit,
) -> GlyphFit {
    if colors == ColorMode::ShapeOnly && block.solid > MOSTLY_WALL {
        return GlyphFit::without_index(FittedCell { glyph: mode.wall(), fg: None, bg: None });
    }
    match mode.repertoire() {
        Repertoire::Blocks(_) => Atlas::of(mode).fit(simd, block, colors, former),
        Repertoire::Signs { outline, full } => text_glyphs::fit(block, colors, former, outline, full),
    }
}
