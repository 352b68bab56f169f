//! The picture on a cloth: a PNG file, or text with ANSI colours.

use crate::app::action::Window;
use crate::app::demo::screen_capture::ScreenCapture;
use crate::app::files;
use crate::cell::color::Rgb;
use crate::sim::cloth::{ClothDef, Sheet};
use png::{ColorType, Decoder, Transformations};
use std::io::Cursor;
use std::path::Path;

const MAX_BYTES: u64 = 16 << 20;

const MAX_PIXELS: usize = 1 << 24;

/// Upper limits on a text, in cells.
const MAX_COLUMNS: u16 = 400;
const MAX_ROWS: u16 = 200;

/// Linear red, green and blue, and opacity, row by row from the top.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

/// Reads the file at `path` onto the sheets: each node takes the mean of the pixels nearer to it than to others.
pub fn apply(definition: &mut ClothDef, path: &Path) -> Result<(), String> {
    let picture = read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let nodes = definition.sheet.iter().flat_map(|sheet| node_colors(sheet, &picture));
    definition.node_colors = nodes.collect();
    Ok(())
}

fn read(path: &Path) -> Result<Picture, String> {
    let bytes = files::open(path).and_then(|file| files::read(file, MAX_BYTES, "texture"));
    let bytes = bytes.map_err(|error| error.to_string())?;
    if bytes.starts_with(b"\x89PNG") {
        return from_png(bytes).map_err(|error| format!("is no sound PNG picture: {error}"));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| "is neither a PNG picture nor text in UTF-8: a texture is one of them".to_owned())?;
    from_text(&text)
}

fn from_png(bytes: Vec<u8>) -> Result<Picture, String> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let size = reader.output_buffer_size().filter(|_| width.saturating_mul(height) <= MAX_PIXELS);
    let size = size.ok_or_else(|| format!("it has {width} × {height} pixels, and may have {MAX_PIXELS} in all"))?;
    let mut values = vec![0; size];
    let info = reader.next_frame(&mut values).map_err(|error| error.to_string())?;
    let channels = info.color_type.samples();
    let is_gray = matches!(info.color_type, ColorType::Grayscale | ColorType::GrayscaleAlpha);
    let pixel = |values: &[u8]| {
        let color = if is_gray { Rgb(values[0], values[0], values[0]) } else { Rgb(values[0], values[1], values[2]) };
        let opacity = if channels % 2 == 0 { f32::from(values[channels - 1]) / 255.0 } else { 1.0 };
        opaque(color, opacity)
    };
    let rows = values[..info.buffer_size()].chunks_exact(info.line_size);
    let pixels = rows.flat_map(|row| row.chunks_exact(channels)).map(pixel).collect();
    Ok(Picture { width, height, pixels })
}

fn opaque(color: Rgb, opacity: f32) -> [f32; 4] {
    let [r, g, b] = color.linear();
    [r, g, b, opacity]
}

fn from_text(text: &str) -> Result<Picture, String> {
    let rows = text.lines().count().clamp(1, MAX_ROWS.into()) as u16;
    let page = ScreenCapture::read(text, Window { columns: MAX_COLUMNS, rows, cell: [0; 2] });
    let page = page.map_err(|_| "is empty: a texture is a PNG picture or text with colours".to_owned())?;
    let (width, height, pixels) = page.pixels();
    let pixels = pixels.into_iter().map(|pixel| pixel.map_or([0.0; 4], |color| opaque(color, 1.0))).collect();
    Ok(Picture { width, height, pixels })
}

fn node_colors(sheet: &Sheet, picture: &Picture) -> impl Iterator<Item = [f32; 4]> {
    let [columns, rows] = sheet.nodes;
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row))).map(move |(column, row)| {
        let xs = nearest(column, columns, picture.width);
        let mut sum = [0.0; 4];
        let mut count = 0.0;
        for y in nearest(row, rows, picture.height) {
            for &[r, g, b, opacity] in &picture.pixels[y * picture.width..][xs.clone()] {
                for (sum, value) in sum.iter_mut().zip([r * opacity, g * opacity, b * opacity, opacity]) {
                    *sum += value;
                }
                count += 1.0;
            }
        }
        let [r, g, b, opacity] = sum;
        if opacity > 0.0 { [r / opacity, g / opacity, b / opacity, opacity / count] } else { [0.0; 4] }
    })
}

/// The pixels that are nearer to a node than to its neighbours, and at least the nearest one, of `pixels` along a side.
fn nearest(node: usize, nodes: usize, pixels: usize) -> std::ops::Range<usize> {
    if nodes == 1 {
        return 0..pixels;
    }
    let edge = |half: usize| (half.saturating_sub(1) * pixels / (2 * (nodes - 1))).min(pixels - 1);
    let (first, end) = (edge(2 * node), edge(2 * node + 2));
    first..if node + 1 == nodes { pixels } else { end.max(first + 1) }
}
