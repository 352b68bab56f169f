//! Milliseconds to paint a splash: by window, and by glyph mode at 120×40. `cargo bench --bench paint`.

use divan::Bencher;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::{World, WorldOptions};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::{Camera, GlyphMode, Painter, RenderStyle};

fn main() {
    divan::main();
}

/// The dam, 0.8 s after it broke: a wave up the wall, liquid in the air.
fn splash(area: Rect) -> World {
    let scene = Scene::parse(scene::find("dam").expect("dam is embedded"), "dam").expect("dam is sound").world;
    let mut world =
        World::new(&scene, &WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() });
    (0..48).for_each(|_| world.step());
    world
}

fn paint(bencher: Bencher, (width, height): (u16, u16), look: &RenderStyle) {
    let area = Rect::new(0, 0, width, height);
    let world = splash(area);
    let mut painter = Painter::default();
    let mut buffer = Buffer::empty(area);
    bencher.bench_local(|| painter.paint(&world, look, CELL_PIXELS, area, &mut buffer));
}

#[divan::bench(args = [(80, 24), (120, 40), (200, 60), (500, 200)])]
fn window(bencher: Bencher, size: (u16, u16)) {
    paint(bencher, size, &RenderStyle::default());
}

#[divan::bench(args = GlyphMode::ALL)]
fn glyphs(bencher: Bencher, glyphs: GlyphMode) {
    paint(bencher, (120, 40), &RenderStyle { glyphs, ..RenderStyle::default() });
}
