//! slosh in a page: the functions that `index.html` calls, over shared memory.
//!
//! Numbers are passed as arguments. Text goes in through [`input`], and comes out through [`output`] and
//! [`output_len`]. There are no generated bindings: a page of one file needs none, and the page's script names every
//! function.

mod pixels;
mod tank;

use std::cell::RefCell;
use tank::Tank;

/// The state of the page: one tank, and the text on its way in and out.
struct Page {
    tank: Tank,
    input: Vec<u8>,
    output: String,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::new(Page { tank: Tank::default(), input: Vec::new(), output: String::new() });
}

fn with<R>(act: impl FnOnce(&mut Page) -> R) -> R {
    PAGE.with_borrow_mut(act)
}

/// Runs an action that may fail. On failure the output is its message, otherwise empty.
fn attempt(act: impl FnOnce(&mut Tank, &str) -> Result<(), String>) -> bool {
    with(|page| {
        let text = String::from_utf8_lossy(&page.input).into_owned();
        page.output = act(&mut page.tank, &text).err().unwrap_or_default();
        page.output.is_empty()
    })
}

/// Returns a buffer for this many bytes of text, for the next call that takes text.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    with(|page| {
        page.input.clear();
        page.input.resize(len, 0);
        page.input.as_mut_ptr()
    })
}

/// Returns the address of the text that the last call left.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    with(|page| page.output.as_ptr())
}

/// Returns its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    with(|page| page.output.len())
}

/// Leaves all choices as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn choices() {
    with(|page| page.output = tank::choices());
}

/// Sets the size of the canvas in pixels, and of a cell.
#[unsafe(no_mangle)]
pub extern "C" fn resize(width: usize, height: usize, cell_width: f32) {
    with(|page| page.tank.resize(width, height, cell_width));
}

/// Shows the scene named by the input, with this seed.
#[unsafe(no_mangle)]
pub extern "C" fn open_scene(seed: u32) -> bool {
    attempt(|tank, name| tank.open_scene(name, seed.into()))
}

/// Shows the scene of the share code in the input.
#[unsafe(no_mangle)]
pub extern "C" fn open_code() -> bool {
    attempt(Tank::open_code)
}

/// Leaves the share code of the shown scene.
#[unsafe(no_mangle)]
pub extern "C" fn share_code() {
    with(|page| page.output = page.tank.share_code());
}

/// Leaves the shown state as JSON: scene, palette, particles and the panel's parameters.
#[unsafe(no_mangle)]
pub extern "C" fn describe() {
    with(|page| page.output = page.tank.describe());
}

/// Restarts the scene.
#[unsafe(no_mangle)]
pub extern "C" fn restart() {
    with(|page| page.tank.restart());
}

/// Sets the palette named by the input; the scene's own if it is empty.
#[unsafe(no_mangle)]
pub extern "C" fn set_palette() -> bool {
    attempt(Tank::set_palette)
}

/// Sets the glyph mode named by the input; `smooth` is the ideal picture.
#[unsafe(no_mangle)]
pub extern "C" fn set_glyphs() -> bool {
    attempt(Tank::set_glyphs)
}

/// Sets the quantity that colours show, named by the input.
#[unsafe(no_mangle)]
pub extern "C" fn set_color_by() -> bool {
    attempt(Tank::set_color_by)
}

/// Sets the background behind the fluid, for palettes without one.
#[unsafe(no_mangle)]
pub extern "C" fn set_background(red: u8, green: u8, blue: u8) {
    with(|page| page.tank.set_background(red, green, blue));
}

/// Sets one of the panel's parameters.
#[unsafe(no_mangle)]
pub extern "C" fn set_parameter(number: usize, value: f32) {
    with(|page| page.tank.set_parameter(number, value));
}

/// A pointer is pressed (0), moved (1), released (2) or lost (3), at pixels of the canvas. `tool` is numbered like the
/// keys.
#[unsafe(no_mangle)]
pub extern "C" fn pointer(id: i32, what: u32, tool: usize, x: f32, y: f32) {
    with(|page| page.tank.pointer(id, what, tool, x, y));
}

/// Turns gravity, smoothly, to this angle in radians from straight down; positive is to the right.
#[unsafe(no_mangle)]
pub extern "C" fn tilt(angle: f32) {
    with(|page| page.tank.tilt(angle));
}

/// Shakes the tank in a direction.
#[unsafe(no_mangle)]
pub extern "C" fn shake(x: f32, y: f32) {
    with(|page| page.tank.shake(x, y));
}

/// Pours a fraction of the initial amount, or drains it if negative.
#[unsafe(no_mangle)]
pub extern "C" fn pour(share: f32) {
    with(|page| page.tank.pour(share));
}

/// Multiplies the present particle count by this factor from the next scene on.
#[unsafe(no_mangle)]
pub extern "C" fn refine(factor: f32) {
    with(|page| page.tank.refine(factor));
}

/// Multiplies the pixels of the smooth picture by this factor.
#[unsafe(no_mangle)]
pub extern "C" fn sharpen(factor: f32) {
    with(|page| page.tank.sharpen(factor));
}

/// Pauses, or resumes.
#[unsafe(no_mangle)]
pub extern "C" fn pause() {
    with(|page| page.tank.pause());
}

/// Simulates the steps that are due after this many milliseconds. Returns their number; 0 at rest.
#[unsafe(no_mangle)]
pub extern "C" fn advance(milliseconds: f64) -> u32 {
    with(|page| page.tank.advance(milliseconds))
}

/// Paints a frame. Returns the address of its pixels: four bytes each, row by row.
#[unsafe(no_mangle)]
pub extern "C" fn draw() -> *const u8 {
    with(|page| page.tank.draw().as_ptr())
}

/// Returns width and height of that frame in pixels, as `width << 16 | height`.
#[unsafe(no_mangle)]
pub extern "C" fn frame_size() -> u32 {
    with(|page| page.tank.frame_size())
}

/// Leaves the cells of the last frame as text, for tests: one line per cell with code point, foreground and background.
#[unsafe(no_mangle)]
pub extern "C" fn cells() {
    with(|page| page.output = page.tank.cells());
}
