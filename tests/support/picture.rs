//! Buffers as text, and as a hash over all cells.

use ratatui_core::buffer::Buffer;

/// The glyphs, one line per row.
pub fn text(buffer: &Buffer) -> Vec<String> {
    let width = usize::from(buffer.area.width);
    buffer.content.chunks(width).map(|row| row.iter().map(|cell| cell.symbol()).collect()).collect()
}

/// FNV-1a over every cell's glyph and colours.
pub fn hash(buffer: &Buffer) -> u64 {
    let cells =
        buffer.content.iter().map(|cell| format!("{}{:?}{:?}{:?}", cell.symbol(), cell.fg, cell.bg, cell.modifier));
    cells
        .flat_map(String::into_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
