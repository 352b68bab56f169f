//! Once warm, neither a step nor a frame allocates.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::widgets::StatefulWidget;
use slosh::data::Setting;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::{World, WorldOptions};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::{ColorDepth, GlyphMode, Painter, RenderStyle, Slosh, SloshState};
use std::thread;

fn dam() -> World {
    let scene = Scene::parse(scene::find("dam").expect("dam is embedded"), "dam").expect("dam is sound").world;
    World::new(&scene, &WorldOptions { particles: Some(800), ..WorldOptions::default() })
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocation_counter::measure(|| drop(std::hint::black_box(vec![0u8; 100]))).count_total, 1);
}

/// The splash has passed and the tank still moves: all buffers have their final size.
#[test]
fn a_warm_step_allocates_nothing() {
    let mut world = dam();
    (0..240).for_each(|_| world.step());
    let used = allocation_counter::measure(|| (0..120).for_each(|_| world.step()));
    assert!(world.stats().mean_speed > 0.001, "the tank had come to rest");
    assert_eq!(used.count_total, 0, "{used:?}");
}

/// The widget asks for the shape of the window in every frame.
#[test]
fn a_warm_widget_with_bodies_allocates_nothing() {
    let scene = Scene::parse(scene::find("marbles").expect("embedded"), "marbles").expect("sound").world;
    let mut state = SloshState::new(&scene);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 20));
    let widget = Slosh::new();
    let mut draw = || (&widget).render(buffer.area, &mut buffer, &mut state);
    (0..3).for_each(|_| draw());
    assert_eq!(allocation_counter::measure(draw).count_total, 0);
}

/// Every kind of matter, stepped and drawn: SPH, smoke and dye, springs that yield and form, fluids that separate and
/// that mix, inlets and outlets, bodies, cloth alone and with water on it.
#[test]
fn a_warm_step_and_frame_of_everything_allocate_nothing() {
    let scenes = [
        "dam grid_pressure=true",
        "sph-splash",
        "sph-dam neighbours=55",
        "smoke",
        "balloons",
        "jelly",
        "clay",
        "lava",
        "oil",
        "paint",
        "fountain",
        "boats",
        "aquarium",
        "hammock",
        "curtain",
        "zero-g",
        "spectrum",
    ];
    // Each counts for its own thread.
    thread::scope(|scope| {
        for name in scenes {
            scope.spawn(move || assert_allocates_nothing(name));
        }
    });
}

/// `name` may be followed by a setting.
fn assert_allocates_nothing(name: &str) {
    let area = Rect::new(0, 0, 40, 12);
    let (name, set) = name.split_once(' ').unwrap_or((name, "particles=600"));
    let text = scene::find(name).expect("it is embedded");
    let set = Setting::parse(set, "a test").expect("a setting");
    let scene = Scene::parse_with(text, name, &[set], &[]).expect("it is sound").world;
    let setup = WorldOptions { particles: Some(600), cells: Some(800), ..WorldOptions::default() };
    let mut world = World::new(&scene, &setup);
    let (mut painter, mut buffer, look) = (Painter::default(), Buffer::empty(area), RenderStyle::default());
    let mut play = |steps: u32| {
        for step in 0..steps {
            if step % 30 == 0 {
                world.shake(glam::Vec2::X);
            }
            world.step();
            if step % 4 == 0 {
                painter.paint(&world, &look, CELL_PIXELS, area, &mut buffer);
            }
        }
    };
    play(240);
    let used = allocation_counter::measure(|| play(240));
    assert_eq!(used.count_total, 0, "{name}: {used:?}");
}

#[test]
fn a_warm_frame_allocates_nothing() {
    let area = Rect::new(0, 0, 100, 30);
    let deep = GlyphMode::ALL.map(|glyphs| (glyphs, ColorDepth::TrueColor));
    let shallow = ColorDepth::ALL.map(|depth| (GlyphMode::Wedge, depth));
    for (glyphs, depth) in deep.into_iter().chain(shallow) {
        let (mut world, mut painter, mut buffer) = (dam(), Painter::default(), Buffer::empty(area));
        let look = RenderStyle { glyphs, depth, ..RenderStyle::default() };
        for _ in 0..60 {
            world.step();
            painter.paint(&world, &look, CELL_PIXELS, area, &mut buffer);
        }
        let used = allocation_counter::measure(|| painter.paint(&world, &look, CELL_PIXELS, area, &mut buffer));
        assert_eq!(used.count_total, 0, "{glyphs} {depth:?}: {used:?}");
    }
}

/// After the splash, the encoder's buffers have their final size.
#[cfg(feature = "app")]
#[test]
fn a_warm_frame_is_encoded_without_allocating() {
    use slosh::term::encoder::{FrameEncoder, OutputCaps, RateTarget};

    let area = Rect::new(0, 0, 100, 30);
    let (mut world, mut painter, mut buffer) = (dam(), Painter::default(), Buffer::empty(area));
    let mut screen = FrameEncoder::new(OutputCaps { repeat: true, ..OutputCaps::default() });
    let mut bytes = 0;
    for frame in 0..120 {
        world.step();
        painter.paint(&world, &RenderStyle::default(), CELL_PIXELS, area, &mut buffer);
        let lambda = [0, 50, 300, 3000][frame % 4];
        let encode = || bytes += screen.encode_lossy(&buffer, RateTarget { lambda, max_bytes: usize::MAX }).len();
        let used = allocation_counter::measure(encode);
        assert!(frame < 90 || used.count_total == 0, "frame {frame}: {used:?}");
    }
    assert!(bytes > 10_000, "nothing was encoded");
}
