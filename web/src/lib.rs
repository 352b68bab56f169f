//! slosh in a page: what `index.html` calls, over memory that both see.
//!
//! Numbers are passed as arguments; text goes in through [`input`], and comes out through [`output`] and [`output_len`].
//! No generated bindings: a page of one file needs none, and every function is named in the page's script.

mod pixels;
mod tank;

use std::cell::RefCell;
use tank::Tank;

/// What the page holds: one tank, and the text on its way in and out.
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

/// Does what may fail; the output is its message then, and empty otherwise.
fn attempt(act: impl FnOnce(&mut Tank, &str) -> Result<(), String>) -> bool {
    with(|page| {
        let text = String::from_utf8_lossy(&page.input).into_owned();
        page.output = act(&mut page.tank, &text).err().unwrap_or_default();
        page.output.is_empty()
    })
}

/// Room for so many bytes of text, for the next call that takes text.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    with(|page| {
        page.input.clear();
        page.input.resize(len, 0);
        page.input.as_mut_ptr()
    })
}

/// Where the text is that the last call left.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    with(|page| page.output.as_ptr())
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    with(|page| page.output.len())
}

/// What there is to choose from, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn choices() {
    with(|page| page.output = tank::choices());
}

/// Takes the size of the canvas in pixels, and of a cell.
#[unsafe(no_mangle)]
pub extern "C" fn resize(width: usize, height: usize, cell_width: f32) {
    with(|page| page.tank.resize(width, height, cell_width));
}

/// Shows the scene of the input, from this seed.
#[unsafe(no_mangle)]
pub extern "C" fn open_scene(seed: u32) -> bool {
    attempt(|tank, name| tank.open_scene(name, seed.into()))
}

/// Shows what the share code of the input stands for.
#[unsafe(no_mangle)]
pub extern "C" fn open_code() -> bool {
    attempt(Tank::open_code)
}

/// Leaves the share code of what is shown.
#[unsafe(no_mangle)]
pub extern "C" fn share_code() {
    with(|page| page.output = page.tank.share_code());
}

/// What is shown, as JSON: scene, palette, particles and the panel's numbers.
#[unsafe(no_mangle)]
pub extern "C" fn describe() {
    with(|page| page.output = page.tank.describe());
}

/// The scene from its start.
#[unsafe(no_mangle)]
pub extern "C" fn restart() {
    with(|page| page.tank.restart());
}

/// Takes the palette of the input; the scene's own if it is empty.
#[unsafe(no_mangle)]
pub extern "C" fn set_palette() -> bool {
    attempt(Tank::set_palette)
}

/// Takes the glyph mode of the input; `smooth` is the picture that cells approximate.
#[unsafe(no_mangle)]
pub extern "C" fn set_glyphs() -> bool {
    attempt(Tank::set_glyphs)
}

/// Takes the quantity of the input as what colours stand for.
#[unsafe(no_mangle)]
pub extern "C" fn set_color_by() -> bool {
    attempt(Tank::set_color_by)
}

/// What lies behind the fluid, where the palette has no ground of its own.
#[unsafe(no_mangle)]
pub extern "C" fn set_background(red: u8, green: u8, blue: u8) {
    with(|page| page.tank.set_background(red, green, blue));
}

/// Turns one of the panel's numbers.
#[unsafe(no_mangle)]
pub extern "C" fn set_parameter(number: usize, value: f32) {
    with(|page| page.tank.set_parameter(number, value));
}

/// A pointer goes down (0), moves (1), goes up (2) or is lost (3), at pixels of the canvas. `tool` counts as keys do.
#[unsafe(no_mangle)]
pub extern "C" fn pointer(id: i32, what: u32, tool: usize, x: f32, y: f32) {
    with(|page| page.tank.pointer(id, what, tool, x, y));
}

/// Turns gravity, smoothly, to so many radians from straight down; positive is to the right.
#[unsafe(no_mangle)]
pub extern "C" fn tilt(angle: f32) {
    with(|page| page.tank.tilt(angle));
}

/// Throws what is in the tank in a direction.
#[unsafe(no_mangle)]
pub extern "C" fn shake(x: f32, y: f32) {
    with(|page| page.tank.shake(x, y));
}

/// Pours in (or with a negative share drains out) a share of what the scene starts with.
#[unsafe(no_mangle)]
pub extern "C" fn pour(share: f32) {
    with(|page| page.tank.pour(share));
}

/// Makes the liquid of fewer or more particles by this factor.
#[unsafe(no_mangle)]
pub extern "C" fn refine(factor: f32) {
    with(|page| page.tank.refine(factor));
}

/// Draws the smooth picture with fewer or more pixels by this factor.
#[unsafe(no_mangle)]
pub extern "C" fn sharpen(factor: f32) {
    with(|page| page.tank.sharpen(factor));
}

/// Pauses, or goes on.
#[unsafe(no_mangle)]
pub extern "C" fn pause() {
    with(|page| page.tank.pause());
}

/// Simulates the steps that are due after so many milliseconds. Returns how many those were; none at rest.
#[unsafe(no_mangle)]
pub extern "C" fn advance(milliseconds: f64) -> u32 {
    with(|page| page.tank.advance(milliseconds))
}

/// Paints a frame. Returns where its pixels are: four bytes each, row by row.
#[unsafe(no_mangle)]
pub extern "C" fn draw() -> *const u8 {
    with(|page| page.tank.draw().as_ptr())
}

/// Width and height of that frame in pixels, as `width << 16 | height`.
#[unsafe(no_mangle)]
pub extern "C" fn frame_size() -> u32 {
    with(|page| page.tank.frame_size())
}

/// Leaves the cells of the last frame as text, for tests: a line for each, of code point, foreground and background.
#[unsafe(no_mangle)]
pub extern "C" fn cells() {
    with(|page| page.output = page.tank.cells());
}
