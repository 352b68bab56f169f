//! The app from outside, without a terminal: bytes as a terminal sends them → Actions → state and buffer.

use crate::overlay::layers;
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::app::action::table::ActionSpec;
use slosh::app::action::{Action, Direction, PointerMode, TerminalCaps, Window, table};
use slosh::app::input::keymap::Keymap;
use slosh::app::input::tilt::TiltMode;
use slosh::app::session::frame_metrics::FrameMetrics;
use slosh::app::tank::auto_particles::AutoParticles;
use slosh::app::{App, ControlOptions, Options, Request, SimulationOptions};
use slosh::data::{DataError, Node};
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::World;
use slosh::sim::definition::WorldDef;
use slosh::sim::observer::Pass;
use slosh::term::encoder::rate_control::RateController;
use slosh::term::encoder::{FrameEncoder, OutputCaps};
use slosh::term::input::Parser;
use slosh::view::{ColorDepth, GlyphMode};
use std::time::Duration;

const FRAME: Duration = Duration::from_nanos(16_666_667);

/// A terminal that reports key releases.
const KITTY: TerminalCaps = TerminalCaps {
    glyphs: GlyphMode::Quadrant,
    unicode: true,
    depth: ColorDepth::TrueColor,
    background: None,
    hides_background: false,
    key_release: true,
};

const PLAIN: TerminalCaps = TerminalCaps {
    glyphs: GlyphMode::Ascii,
    unicode: false,
    depth: ColorDepth::Mono,
    background: None,
    hides_background: false,
    key_release: false,
};

/// A tank half full of water at rest.
const POOL: &str = "name = \"pool\"\nabout = \"Still water\"\n[[liquid]]\nbox = [0.0, 0.0, 1.0, 0.6]";

fn options(name: &str, particles: usize) -> Options {
    let scenes: Vec<Scene> = scene::EMBEDDED.iter().map(|(name, text)| Scene::parse(text, name).unwrap()).collect();
    let scene = Scene::parse(scene::find(name).unwrap_or(POOL), name).unwrap();
    let simulation = SimulationOptions { particles: Some(particles), ..SimulationOptions::default() };
    // The hint appears and disappears by itself; tests/program/overlay.rs tests it.
    Options {
        simulation,
        controls: ControlOptions { hint: false, ..ControlOptions::default() },
        ..Options::new(scene, scenes)
    }
}

/// An app in a window of 80×24, with the input parser.
struct Toy {
    app: App,
    parser: Parser,
    asked: Vec<Request>,
}

impl Toy {
    fn new(name: &str) -> Self {
        Self::with(name, 400)
    }

    fn with(name: &str, particles: usize) -> Self {
        let mut app = App::new(options(name, particles));
        app.update(Action::Resize(Window { columns: 80, rows: 24, cell: [8, 16] }));
        Self { app, parser: Parser::default(), asked: Vec::new() }
    }

    /// Sends the bytes of some keys, with a frame after each piece.
    fn type_in(&mut self, keys: &[&str]) -> &mut Self {
        for key in keys {
            self.send(key.as_bytes());
            self.wait(1);
        }
        self
    }

    fn send(&mut self, bytes: &[u8]) {
        let mut events = Vec::new();
        self.parser.feed(bytes, &mut events);
        // An incomplete sequence was a key after all.
        self.parser.flush(&mut events);
        for event in events {
            if let Some(action) = self.app.map_event(&event) {
                self.app.update(action);
            }
            self.asked.extend(self.app.take_request());
        }
    }

    fn wait(&mut self, frames: u32) -> &mut Self {
        for _ in 0..frames {
            self.app.tick(FRAME, u32::MAX);
        }
        self
    }

    fn mouse(&mut self, button: u8, column: f32, row: f32, end: char) -> &mut Self {
        // SGR reports count cells from one.
        self.send(format!("\x1b[<{button};{};{}{end}", column as u16 + 1, row as u16 + 1).as_bytes());
        self
    }

    fn screen(&mut self) -> String {
        let mut buffer = Buffer::empty(self.window());
        self.app.draw(&mut buffer);
        text(&buffer)
    }

    fn window(&self) -> Rect {
        self.app.camera().area
    }

    fn pool_shot(&mut self) -> Buffer {
        let mut buffer = Buffer::empty(self.window());
        self.app.draw(&mut buffer);
        buffer
    }

    fn momentum(&self) -> Vec2 {
        let stats = self.app.world().stats();
        stats.momentum.as_vec2()
    }

    fn degrees(&self) -> i32 {
        self.app.world().tilt_target().to_degrees().round() as i32
    }

    /// The number and mean velocity of the particles within a radius (m) of a cell.
    fn around(&self, column: f32, row: f32, radius: f32) -> (usize, Vec2) {
        let centre = self.app.camera().to_world(Vec2::new(column, row));
        let liquid = self.app.world().liquid().expect("a tank of liquid");
        let particles = liquid.particles();
        let near: Vec<usize> =
            particles.alive().filter(|&slot| particles.position(slot).distance(centre) < radius).collect();
        let outward =
            |slot: usize| (particles.position(slot) - centre).normalize_or_zero().dot(particles.velocity(slot));
        let mean =
            |of: &dyn Fn(usize) -> f32| near.iter().map(|&slot| of(slot)).sum::<f32>() / near.len().max(1) as f32;
        (near.len(), Vec2::new(mean(&|slot| particles.velocity(slot).x), mean(&outward)))
    }
}

fn text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let row = |cells: &[ratatui_core::buffer::Cell]| cells.iter().map(|cell| cell.symbol()).collect::<String>();
    buffer.content.chunks(width.max(1)).map(row).collect::<Vec<_>>().join("\n")
}

const LEFT: &str = "\x1b[D";
const RIGHT: &str = "\x1b[C";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const ESC: &str = "\x1b";

/// A check of a table.
#[derive(Clone, Copy, Debug)]
enum Ask {
    Tilt,
    Paused,
    Speed,
    Scene,
    GlyphMode,
    Palette,
    ColorBy,
    Help,
    Stats,
    Steps,
    Asked,
    Says,
}

fn answer(toy: &Toy, ask: Ask) -> String {
    let app = &toy.app;
    match ask {
        Ask::Tilt => toy.degrees().to_string(),
        Ask::Paused => app.clock().paused().to_string(),
        Ask::Speed => app.clock().speed().to_string(),
        Ask::Scene => app.scene().name.clone(),
        Ask::GlyphMode => app.look().glyphs.name().to_owned(),
        Ask::Palette => app.look().palette.name().to_owned(),
        Ask::ColorBy => app.look().color_by.name().to_owned(),
        Ask::Help => app.overlay().help.open.to_string(),
        Ask::Stats => app.overlay().stats.open.to_string(),
        Ask::Steps => app.world().steps().to_string(),
        Ask::Asked => format!("{:?}", toy.asked),
        Ask::Says => app.overlay().status.message().unwrap_or("").to_owned(),
    }
}

#[test]
fn keys_have_their_documented_effect() {
    let second_palette = slosh::view::palette::embedded()[1].name();
    let last_scene =
        scene::names().iter().copied().rfind(|name| !scene::is_of_laboratory(name)).expect("there are scenes");
    let table: &[(&str, &[&str], Ask, &str)] = &[
        ("dam", &[LEFT], Ask::Tilt, "-15"),
        ("dam", &["h", "h"], Ask::Tilt, "-30"),
        ("dam", &["\x1bOC"], Ask::Tilt, "15"),
        ("dam", &[RIGHT, RIGHT, DOWN], Ask::Tilt, "15"),
        ("dam", &[RIGHT, UP, UP], Ask::Tilt, "45"),
        ("dam", &["l", "l", "l", "u"], Ask::Tilt, "0"),
        ("dam", &[LEFT, LEFT, "\x1b[H"], Ask::Tilt, "0"),
        ("dam", &[" "], Ask::Paused, "true"),
        ("dam", &[" ", " "], Ask::Paused, "false"),
        ("dam", &[" ", ".", ".", "."], Ask::Steps, "3"),
        ("dam", &["."], Ask::Paused, "true"),
        ("dam", &["["], Ask::Speed, "0.5"),
        ("dam", &["[", "]", "]", "]", "]", "]", "]"], Ask::Speed, "4"),
        ("dam", &["n"], Ask::Scene, "circle"),
        ("dam", &["p"], Ask::Scene, last_scene),
        ("circle", &["n", "p"], Ask::Scene, "circle"),
        ("dam", &["n"], Ask::Says, "circle: A round glass: tilt it and the water runs round"),
        ("dam", &["r"], Ask::Steps, "1"),
        ("dam", &[LEFT, "r"], Ask::Tilt, "0"),
        ("dam", &["g"], Ask::GlyphMode, "half"),
        ("dam", &["g", "g", "g", "g", "g", "g", "g"], Ask::GlyphMode, "quadrant"),
        ("dam", &["g"], Ask::Says, "glyphs: half"),
        ("dam", &["c"], Ask::Palette, second_palette),
        ("dam", &["\x1b[1089::99;1;1089u"], Ask::Palette, second_palette),
        ("dam", &["\x1b[1089:1057:99;2;1057u", "\x1b[1089::99;5u"], Ask::Asked, "[Quit]"),
        // A chosen palette belongs to the scene in which it was chosen.
        ("lava", &["c", "n"], Ask::Palette, "jelly"),
        ("lava", &["c", "p", "n"], Ask::Palette, "basalt"),
        ("dam", &["v"], Ask::ColorBy, "speed"),
        ("dam", &["v", "v", "v"], Ask::ColorBy, "surface"),
        ("curtain", &["f"], Ask::Says, "cloth: wire"),
        ("curtain", &["f", "f", "f"], Ask::Says, "cloth: surface"),
        ("dam", &["?"], Ask::Help, "true"),
        ("dam", &["?", "?"], Ask::Help, "false"),
        ("dam", &["?", DOWN, LEFT], Ask::Tilt, "0"),
        ("dam", &["s"], Ask::Stats, "true"),
        ("dam", &["q"], Ask::Asked, "[Quit]"),
        ("dam", &["\x03"], Ask::Asked, "[Quit]"),
        ("dam", &["\x1a"], Ask::Asked, "[Suspend]"),
        ("dam", &[ESC], Ask::Asked, "[Quit]"),
        ("dam", &["?", ESC], Ask::Asked, "[]"),
        ("dam", &["?", ESC, ESC], Ask::Asked, "[Quit]"),
        ("dam", &["s", ESC], Ask::Asked, "[]"),
        ("dam", &["s", ESC, ESC], Ask::Asked, "[Quit]"),
        ("dam", &["w", ESC], Ask::Asked, "[]"),
        ("dam", &["w", LEFT, "h", "H"], Ask::Tilt, "0"),
        ("dam", &["\x1b[200~q\x03\x1b[201~"], Ask::Asked, "[]"),
        ("dam", &["\x1b[0n\x1b]11;rgb:00/00/00\x1b\\\x1b[?62;4c"], Ask::Asked, "[]"),
        ("dam", &["\x1b[1;3D", "\x18", "Q"], Ask::Tilt, "0"),
    ];
    for (scene, keys, ask, expected) in table {
        let mut toy = Toy::with(scene, 60);
        toy.type_in(keys);
        assert_eq!(answer(&toy, *ask), *expected, "{ask:?} after {keys:?} in {scene}");
    }
}

#[test]
fn held_keys_tilt_and_letting_go_returns_upright() {
    let (hold, go) = ("\x1b[1;1:1D", "\x1b[1;1:3D");
    for (keys, frames, expected) in [
        (&[hold][..], 0, -15..=-14),
        (&[hold], 120, -90..=-90),
        (&[hold, "\x1b[1;1:2D", "\x1b[1;1:2D"], 120, -90..=-90),
        (&[hold, go], 1, -15..=-15),
        (&[hold, go], 16, 0..=0),
        (&["\x1b[104;1:1u"], 120, -90..=-90),
        (&["\x1b[104;1:1u", "\x1b[104;1:3u"], 16, 0..=0),
        // With Shift pressed in between, the release still belongs to the same key.
        (&[hold, "\x1b[1;2:3D"], 16, 0..=0),
        (&["\x1b[104;1:1u", "\x1b[104:72;2:3u"], 16, 0..=0),
        (&["\x1b[1;1:1C", "\x1b[1;1:1A"], 120, 135..=135),
        // After the window loses the focus, no release is reported.
        (&[hold, "\x1b[O"], 16, 0..=0),
    ] {
        let mut toy = Toy::with("dam", 60);
        toy.app.update(Action::Terminal(KITTY));
        for key in keys {
            toy.send(key.as_bytes());
        }
        toy.wait(frames);
        assert!(expected.contains(&toy.degrees()), "{keys:?} gave {}", toy.degrees());
    }
}

/// Whatever is open by then, and whatever the key is called.
#[test]
fn a_release_ends_what_its_press_began() {
    let (hold, go) = ("\x1b[1;1:1D", "\x1b[1;1:3D");
    for (file, keys, expected) in [
        ("", &[hold, "/", go, ESC][..], 0),
        ("", &[hold, "?", go, ESC], 0),
        ("", &[hold, "\t", go, ESC], 0),
        ("tilt-left = \"A\"", &["\x1b[97:65;2;65u", "\x1b[97:65;2:3u"], 0),
        ("tilt-left = \"A\"", &["\x1b[97:65;2;65u", "\x1b[97;1:3u"], 0),
        ("tilt-left = \"alt+left\"", &["\x1b[1;3:1D", "\x1b[1;3:3D"], 0),
        ("tilt-left = \"alt+left\"", &["\x1b[1;3:1D", "\x1b[1;1:3D"], 0),
        // Another key still holds the direction.
        ("", &[hold, "\x1b[104;1:1u", go], -90),
    ] {
        let mut toy = Toy::with("dam", 60);
        let keymap = keymap(file).unwrap();
        let controls = ControlOptions { keymap, hint: false, ..ControlOptions::default() };
        toy.app = App::new(Options { controls, ..options("dam", 60) });
        toy.app.update(Action::Terminal(KITTY));
        for key in keys {
            toy.send(key.as_bytes());
            toy.wait(2);
        }
        toy.wait(120);
        assert_eq!(toy.degrees(), expected, "{file} {keys:?}");
        assert_eq!(toy.asked, []);
    }
}

/// A held arrow moves through an open list, as the key repeats.
#[test]
fn a_held_key_repeats_in_what_is_open() {
    let mut toy = Toy::with("dam", 60);
    toy.app.update(Action::Terminal(KITTY));
    toy.type_in(&["\t"]);
    let selected = |toy: &mut Toy| toy.screen().lines().position(|line| line.contains('›')).expect("a selected row");
    let before = selected(&mut toy);
    toy.type_in(&["\x1b[1;1:1B", "\x1b[1;1:2B"]);
    assert_eq!(selected(&mut toy), before + 2);
}

/// The button was released outside of the window, so that only motion without a button tells.
#[test]
fn motion_without_a_button_ends_a_press() {
    for (button, drag) in [(0, 32), (1, 33), (2, 34)] {
        let mut toy = Toy::new("pool");
        toy.mouse(button, 40.0, 20.0, 'M').mouse(drag, 45.0, 20.0, 'M').wait(2);
        assert!(toy.app.hand().grip().is_some());
        toy.mouse(35, 50.0, 10.0, 'M').wait(2);
        assert_eq!(toy.app.hand().grip(), None, "button {button}");
    }
    // A press by key is not affected.
    let mut toy = Toy::new("pool");
    toy.type_in(&["w", "\r"]).mouse(35, 50.0, 10.0, 'M');
    assert!(toy.app.hand().grip().is_some());
}

#[test]
fn a_held_arrow_of_a_terminal_that_reports_no_releases_ends_at_a_right_angle_and_returns() {
    for (tilt, expected) in [(TiltMode::Return, 0), (TiltMode::Hold, 90)] {
        let mut toy = Toy::with("dam", 60);
        toy.app = App::new(Options {
            controls: ControlOptions { tilt, hint: false, ..ControlOptions::default() },
            ..options("dam", 60)
        });
        // A press, half a second of delay, and then thirty repetitions per second.
        toy.type_in(&[RIGHT]).wait(29);
        for _ in 0..30 {
            toy.type_in(&[RIGHT]).wait(1);
        }
        assert_eq!(toy.degrees(), 90);
        toy.wait(60);
        assert_eq!(toy.degrees(), 90, "some seconds");
        toy.wait(180);
        assert_eq!(toy.degrees(), expected);
        toy.type_in(&[" "]).wait(180);
        assert!(toy.app.is_idle(), "a paused tank has no due step");
    }
    let mut toy = Toy::with("dam", 60);
    (0..7).for_each(|_| _ = toy.type_in(&[LEFT]).wait(15));
    assert_eq!(toy.degrees(), -105, "pressed again, it resumes");
}

#[test]
fn a_tap_shorter_than_a_frame_tilts() {
    for (terminal, keys) in [(PLAIN, LEFT), (KITTY, "\x1b[1;1:1D\x1b[1;1:3D")] {
        let mut toy = Toy::new("pool");
        toy.app.update(Action::Terminal(terminal));
        toy.wait(60).type_in(&[keys]).wait(8);
        let tilt = toy.app.world().tilt().to_degrees();
        assert!(tilt < -8.0, "{tilt}°");
        toy.wait(240);
        assert_eq!(toy.degrees(), 0);
    }
}

#[test]
fn number_keys_choose_what_the_left_button_does() {
    let mut toy = Toy::new("pool");
    for (keys, label, mode) in [
        (&["2"][..], "pull", PointerMode::Pull),
        (&["3"], "pour water", PointerMode::Pour),
        (&["i"], "pour oil", PointerMode::Pour),
        (&["4"], "drain", PointerMode::Drain),
        (&["5"], "draw walls", PointerMode::Wall),
        (&["x"], "drain", PointerMode::Drain),
        (&["x"], "draw walls", PointerMode::Wall),
        (&["1"], "push", PointerMode::Push),
        (&["3", ESC], "push", PointerMode::Push),
    ] {
        toy.type_in(keys);
        assert_eq!(toy.app.tool_label(), label, "{keys:?}");
        assert!(toy.screen().contains(label), "{label}:\n{}", toy.screen());
        toy.mouse(0, 40.0, 4.0, 'M');
        assert_eq!(toy.app.hand().grip(), Some(mode));
        toy.mouse(0, 40.0, 4.0, 'm').wait(150);
        assert!(!toy.screen().contains(label), "{label} stays:\n{}", toy.screen());
    }
    assert_eq!(toy.asked, [], "esc brought back the usual tool");
}

#[test]
fn tilted_water_runs_down_and_the_level_shows_it() {
    let mut toy = Toy::new("pool");
    toy.wait(30);
    assert!(!toy.screen().contains('↘'), "the level shows without need");
    toy.type_in(&[RIGHT, RIGHT, RIGHT]).wait(20);
    assert!(toy.screen().contains("↘"), "no level:\n{}", toy.screen());
    assert!(toy.momentum().x > 0.05, "{}", toy.momentum());
    toy.type_in(&["u"]).wait(150);
    assert!(!toy.screen().contains('↓'), "the level stays:\n{}", toy.screen());
}

#[test]
fn shaking_throws_the_water() {
    for (key, towards) in [("\x1b[1;2C", Vec2::X), ("H", Vec2::NEG_X), ("K", Vec2::Y)] {
        let mut toy = Toy::new("pool");
        toy.wait(60);
        let before = toy.momentum();
        toy.type_in(&[key]).wait(5);
        assert!((toy.momentum() - before).dot(towards) > 0.1, "{key:?}: {before} → {}", toy.momentum());
    }
}

#[test]
fn a_drag_carries_the_water_as_far_as_the_pointer_goes() {
    for steps_a_frame in [1, 4] {
        let mut toy = Toy::with("pool", 1500);
        toy.wait(30);
        toy.mouse(0, 30.0, 16.0, 'M');
        for frame in 0..40 / steps_a_frame {
            let column = 30.0 + 0.5 * (frame * steps_a_frame) as f32;
            toy.mouse(32, column, 16.0, 'M').wait(steps_a_frame as u32);
        }
        // Twenty columns in two thirds of a second.
        let wanted = 30.0 / toy.app.camera().scale.x;
        let (near, velocity) = toy.around(49.0, 16.0, 0.06);
        assert!(near > 5 && (0.4..1.3).contains(&(velocity.x / wanted)), "{steps_a_frame}: {velocity} of {wanted} m/s");
        toy.mouse(0, 49.0, 16.0, 'm').wait(3);
        assert!(
            toy.around(51.0, 16.0, 0.1).1.x > 0.2 * wanted,
            "no momentum is left: {}",
            toy.around(51.0, 16.0, 0.1).1
        );
    }
}

#[test]
fn a_click_throws_the_water_outwards() {
    let mut toy = Toy::with("pool", 1500);
    toy.wait(30).mouse(0, 40.0, 11.0, 'M').wait(1).mouse(0, 40.0, 11.0, 'm').wait(2);
    let (near, velocity) = toy.around(40.0, 11.0, 0.15);
    assert!(near > 20 && velocity.y > 0.2, "{near} particles, {velocity}");
}

#[test]
fn the_right_button_lifts_water_and_letting_go_drops_it() {
    let mut toy = Toy::with("pool", 1500);
    // Just above the surface.
    let lifted = |toy: &Toy| toy.around(40.0, 8.0, 0.12).0;
    let before = lifted(toy.wait(30));
    let held = lifted(toy.mouse(2, 40.0, 8.0, 'M').wait(45));
    let after = lifted(toy.mouse(2, 40.0, 8.0, 'm').wait(60));
    assert!(held > before + 20 && after < held, "{before}, {held}, {after} particles");
}

#[test]
fn a_drag_is_no_click() {
    let mut toy = Toy::with("zero-g", 400);
    toy.type_in(&[" "]);
    toy.mouse(0, 2.0, 2.0, 'M').mouse(32, 9.0, 2.0, 'M').mouse(32, 2.0, 2.0, 'M').mouse(0, 2.0, 2.0, 'm');
    assert_eq!(toy.app.hand().grip(), None);
    let before = toy.momentum();
    toy.type_in(&["."]);
    assert!((toy.momentum() - before).length() < 1e-3);
}

#[test]
fn the_wheel_and_keys_size_the_brush_and_show_it() {
    let mut toy = Toy::new("pool");
    let radius = |toy: &Toy| toy.app.hand().radius(toy.app.world());
    let usual = radius(&toy);
    toy.mouse(64, 40.0, 5.0, 'M');
    assert!(radius(&toy) > usual);
    let ring = |screen: &str| screen.chars().filter(|sign| ('\u{2801}'..='\u{28ff}').contains(sign)).count();
    assert!(ring(&toy.screen()) > 20, "no ring:\n{}", toy.screen());
    toy.mouse(65, 40.0, 5.0, 'M').type_in(&["<"]);
    assert!(radius(&toy) < usual);
    for _ in 0..50 {
        toy.mouse(64, 40.0, 5.0, 'M');
    }
    assert!(radius(&toy) < toy.app.world().size().max_element(), "the brush grows without end");
    toy.wait(120);
    assert_eq!(ring(&toy.screen()), 0, "the ring stays:\n{}", toy.screen());
}

#[test]
fn walls_are_drawn_and_erased_by_strokes() {
    let walls = |toy: &Toy| toy.app.world().walls().obstacles().len();
    // The middle button; shift and the left one; the left one once `x` has been struck.
    for (keys, button) in [(&[][..], 1), (&[], 4), (&["x"], 0)] {
        let mut toy = Toy::new("pool");
        toy.type_in(keys);
        toy.mouse(button, 20.0, 4.0, 'M').mouse(button + 32, 60.0, 4.0, 'M').mouse(button, 60.0, 4.0, 'm');
        assert!(walls(&toy) >= 2, "nothing is drawn with {button}");
        toy.mouse(35, 30.0, 8.0, 'M');
        assert!(walls(&toy) >= 2);
        toy.mouse(button, 60.0, 4.0, 'M').mouse(button + 32, 40.0, 4.0, 'M').mouse(button, 20.0, 4.0, 'm');
        assert_eq!(walls(&toy), 0, "a stroke that begins on a wall erases");
    }
}

#[test]
fn a_stroke_that_the_tank_cannot_hold_is_reported() {
    let mut toy = Toy::with("pool", 50);
    toy.mouse(1, 20.0, 4.0, 'M');
    for _ in 0..World::MAX_DRAWN_WALLS / 2 {
        toy.mouse(33, 60.0, 4.0, 'M').mouse(33, 20.0, 4.0, 'M');
    }
    assert!(toy.wait(1).screen().contains("the tank holds no more walls"), "{}", toy.screen());
}

#[test]
fn a_drawn_wall_holds_water() {
    let mut toy = Toy::with("dam", 800);
    toy.type_in(&[" "]);
    // Beside the column, from floor to ceiling.
    toy.mouse(1, 36.0, 0.0, 'M').mouse(33, 36.0, 23.9, 'M').mouse(1, 36.0, 23.9, 'm').type_in(&[" "]).wait(90);
    let wall = toy.app.camera().to_world(Vec2::new(38.0, 12.0)).x;
    let front = toy.app.world().stats().front_x;
    assert!(front < f64::from(wall), "the water is at {front}, behind the wall at {wall}");
}

#[test]
fn every_action_of_the_mouse_has_its_keys() {
    let mut toy = Toy::with("pool", 1500);
    toy.wait(30).type_in(&["w"]);
    assert!(toy.screen().contains('+'), "the hand is not shown");
    let start = toy.app.hand().target;
    toy.type_in(&[DOWN, "j", "J", LEFT, "H"]);
    assert!(toy.app.hand().target.y < start.y && toy.app.hand().target.x < start.x);

    toy.type_in(&["\r"]);
    assert_eq!(toy.app.hand().grip(), Some(PointerMode::Push));
    for _ in 0..6 {
        toy.type_in(&[RIGHT]).wait(2);
    }
    let at = toy.app.camera().to_cell(toy.app.hand().target);
    assert!(toy.around(at.x - 2.0, at.y, 0.1).1.x > 0.1, "the hand does not carry: {}", toy.around(at.x, at.y, 0.1).1);

    toy.type_in(&["a"]);
    assert_eq!(toy.app.hand().grip(), Some(PointerMode::Pull));
    toy.type_in(&["a"]);
    assert_eq!(toy.app.hand().grip(), None);

    // The number of particles thrown outwards in any of the four steps of a burst; nearly incompressible water has
    // turned back after three. The liquid still moves from the drag, and the burst adds to that.
    let at = toy.app.camera().to_cell(toy.app.hand().target);
    let before = toy.wait(60).around(at.x, at.y, 0.15).1.y;
    toy.type_in(&["b"]);
    let steps = [0, 1, 1, 1].map(|frames| toy.wait(frames).around(at.x, at.y, 0.15).1.y);
    let most = steps.into_iter().fold(f32::MIN, f32::max);
    assert!(most - before > 0.2, "no burst: {before} m/s outwards became {steps:?}");

    toy.type_in(&["K", "x", "\r", RIGHT, RIGHT, RIGHT]);
    assert_eq!(toy.app.hand().grip(), Some(PointerMode::Wall));
    let drawn = toy.app.world().walls().obstacles().len();
    assert!(drawn > 0);
    toy.type_in(&["\r", "\r", LEFT, LEFT, LEFT]);
    assert!(toy.app.world().walls().obstacles().len() < drawn, "the second stroke began on the wall and erases");
    toy.type_in(&["w"]);
    assert_eq!((toy.app.hand().grip(), toy.degrees()), (None, 0));
}

#[test]
fn pouring_and_draining_change_the_number_of_particles() {
    let mut toy = Toy::with("pool", 400);
    toy.wait(10).type_in(&["+"]).wait(240);
    assert_eq!(toy.app.world().particles(), 420);
    toy.type_in(&["-", "-"]).wait(240);
    assert_eq!(toy.app.world().particles(), 380);
    for _ in 0..100 {
        toy.type_in(&["-"]).wait(2);
    }
    // A film on the floor no longer runs to the drain.
    let left = toy.wait(120).app.world().particles();
    assert!(left < 150, "{left}");
    toy.type_in(&["+"]).wait(240);
    assert_eq!(toy.app.world().particles(), left + 20, "a drain that finds no liquid is not continued later");
}

/// However the number of particles is chosen, of which a tank of ink has none.
#[test]
fn pouring_into_a_gas_is_a_stream_of_dye() {
    let poured = |auto: Option<AutoParticles>| {
        let mut options = options("ink", 400);
        options.simulation.particles = None;
        options.simulation.auto_particles = auto;
        let mut app = App::new(options);
        app.update(Action::Resize(Window { columns: 80, rows: 24, cell: [8, 16] }));
        let mut toy = Toy { app, parser: Parser::default(), asked: Vec::new() };
        let dye = |toy: &Toy| {
            let (size, gas) = (toy.app.world().size(), toy.app.world().smoke().expect("a grid"));
            let mouth = (0..20).map(|down| Vec2::new(0.5, 1.0 - 0.02 * down as f32) * size);
            mouth.map(|at| gas.dye(0, at) + gas.dye(1, at)).sum::<f32>()
        };
        let before = dye(&toy);
        dye(toy.type_in(&["+"]).wait(12)) - before
    };
    let (fixed, auto) = (poured(None), poured(Some(AutoParticles::new(40.0))));
    assert!(fixed > 1.0 && (auto / fixed - 1.0).abs() < 0.2, "{fixed}, {auto} where the number is automatic");
}

#[test]
fn a_full_tank_takes_no_more() {
    let mut toy = Toy::with("pool", 200);
    for _ in 0..60 {
        toy.type_in(&["+"]).wait(20);
    }
    assert_eq!(answer(&toy, Ask::Says), "the tank is full");
    let size = toy.app.world().size();
    let liquid = toy.app.world().liquid().expect("a tank of liquid");
    assert!(toy.app.world().particles() as f32 * liquid.particle_area() < size.x * size.y);
}

#[test]
fn help_fits_80_by_24_and_names_every_key() {
    let mut toy = Toy::new("dam");
    let screen = toy.type_in(&["?"]).screen();
    for ActionSpec { name, action, .. } in table::actions() {
        for chord in Keymap::default().combos(*action) {
            let said = match action {
                Action::Tilt(_) | Action::Shake(_) => "arrows".to_owned(),
                _ => chord.to_string(),
            };
            assert!(screen.contains(&said), "{name} ({said}) is not on the screen:\n{screen}");
        }
    }
    insta::assert_snapshot!("help", screen);
}

#[test]
fn help_scrolls_where_it_does_not_fit() {
    let mut toy = Toy::new("dam");
    toy.app.update(Action::Resize(Window { columns: 44, rows: 10, cell: [8, 16] }));
    toy.type_in(&["?"]);
    assert!(toy.screen().contains("arrows hjkl") && !toy.screen().contains("save as a scene"));
    for _ in 0..80 {
        toy.type_in(&[DOWN]);
        toy.screen();
    }
    assert!(toy.screen().contains("save as a scene"), "{}", toy.screen());
    toy.type_in(&[UP]);
    assert!(!toy.screen().contains("save as a scene"), "scrolled past the end:\n{}", toy.screen());
}

#[test]
fn a_grid_that_is_too_much_for_the_machine_becomes_coarser_and_finer_again_where_it_is_not() {
    let mut toy = Toy::new("karman");
    let cells = |toy: &Toy| toy.app.world().smoke().map_or(0, |smoke| smoke.grid.nx * smoke.grid.ny);
    let measured = |ms: f32| {
        let mut meters = FrameMetrics { steps: 60.0, frames: 60.0, ..FrameMetrics::default() };
        meters.passes[0] = ms;
        Action::Measured(meters)
    };
    let full = cells(&toy);
    // The slow part is the picture, which fewer particles do not make cheaper.
    for _ in 0..20 {
        toy.app.update(Action::Measured(FrameMetrics {
            steps: 60.0,
            passes: [0.3; 14],
            stages: [6.0; 3],
            ..FrameMetrics::default()
        }));
    }
    assert_eq!(cells(&toy), full, "the picture is the slow part");
    for _ in 0..4 {
        // A step takes two frames, in proportion to the number of cells.
        let ms = 33.0 * cells(&toy) as f32 / full as f32;
        toy.app.update(measured(ms));
    }
    let coarse = cells(&toy);
    assert!((0.15..0.5).contains(&(coarse as f32 / full as f32)), "{full} became {coarse}");
    let share = cells(&toy) as f32 / full as f32;
    for _ in 0..300 {
        toy.app.update(measured(33.0 * share));
    }
    assert_eq!(cells(&toy), coarse, "it stays as long as nothing else changes");
    for _ in 0..400 {
        toy.app.update(measured(0.5));
    }
    assert!((0.97..1.03).contains(&(cells(&toy) as f32 / full as f32)), "{coarse} became {} of {full}", cells(&toy));
}

/// The particles of the next scene follow what a plain liquid takes; not the grid above it, whose cells are adapted, and not a
/// liquid with heat, unless it runs late.
#[test]
fn only_a_slow_machine_makes_the_next_scene_coarser() {
    let cases = [
        ("dam", Pass::Relax, 10.0, true),
        // The estimate was too high, but there is time enough.
        ("dam", Pass::Relax, 1.5, false),
        ("aquarium", Pass::Relax, 10.0, false),
        ("balloons", Pass::Project, 10.0, false),
        ("paint", Pass::Relax, 10.0, false),
        ("kettle", Pass::Project, 20.0, false),
        ("kettle", Pass::Relax, 10.0, false),
        ("kettle", Pass::Relax, 20.0, true),
    ];
    for (scene, pass, ms, is_slow) in cases {
        let mut options = options(scene, 400);
        options.simulation.auto_particles = Some(AutoParticles::new(40.0));
        let mut app = App::new(options);
        app.update(Action::Resize(Window { columns: 80, rows: 24, cell: [8, 16] }));
        let mut toy = Toy { app, parser: Parser::default(), asked: Vec::new() };
        toy.wait(60);
        let mut meters = FrameMetrics { steps: 60.0, frames: 60.0, ..FrameMetrics::default() };
        meters.passes[pass as usize] = ms;
        (0..10).for_each(|_| toy.app.update(Action::Measured(meters)));
        let screen = toy.screen();
        assert_eq!(screen.contains("slow machine"), is_slow, "{scene}, {} {ms} ms:\n{screen}", pass.name());
    }
}

#[test]
fn stats_show_what_was_measured() {
    let mut toy = Toy::new("dam");
    let meters = FrameMetrics {
        // Half the required rate: the machine is too slow.
        steps: 30.0,
        frames: 30.0,
        bytes: 36_000.0,
        passes: [0.25, 0.0, 0.25, 0.25, 0.25, 0.25, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25],
        stages: [0.5; 3],
        send: 0.1,
    };
    toy.app.update(Action::Measured(meters));
    insta::assert_snapshot!("stats", layers(&[toy.type_in(&["s"]).screen()]));
}

#[test]
fn everything_is_drawn_into_any_window() {
    for (columns, rows) in
        [(1, 1), (2, 1), (1, 50), (10, 3), (23, 24), (41, 12), (79, 23), (80, 24), (300, 2), (500, 200)]
    {
        for terminal in [KITTY, PLAIN] {
            let mut toy = Toy::with("dam", 100);
            toy.app.update(Action::Terminal(terminal));
            toy.app.update(Action::Resize(Window { columns, rows, cell: [0, 0] }));
            toy.type_in(&[LEFT, "w", ">", "s", "n"]);
            toy.screen();
            toy.type_in(&["?"]);
            let screen = toy.screen();
            assert!(terminal.unicode || screen.is_ascii(), "{columns}×{rows}:\n{screen}");
        }
    }
}

#[test]
fn many_window_sizes_lose_no_particle() {
    let mut toy = Toy::with("dam", 500);
    let mut random = fastrand::Rng::with_seed(7);
    let sizes = (0..60).map(|_| (random.u16(1..=500), random.u16(1..=200))).chain([(1, 1), (500, 200), (80, 24)]);
    for (columns, rows) in sizes {
        toy.app.update(Action::Resize(Window { columns, rows, cell: [8, 16] }));
        toy.wait(3);
    }
    toy.wait(60);
    toy.screen();
    let liquid = toy.app.world().liquid().expect("a tank of liquid");
    let particles = liquid.particles();
    assert_eq!(particles.len(), 500);
    assert!(particles.alive().all(|slot| particles.position(slot).is_finite()));
}

#[test]
fn the_tank_takes_the_shape_of_the_window_in_pixels() {
    for (columns, rows, cell, aspect) in [(80, 24, [8, 16], 5.0 / 3.0), (100, 50, [10, 20], 1.0), (80, 40, [0, 0], 1.0)]
    {
        let mut toy = Toy::with("dam", 60);
        toy.wait(1);
        toy.app.update(Action::Resize(Window { columns, rows, cell }));
        toy.wait(120);
        let size = toy.app.world().size();
        assert!((size.x / size.y / aspect - 1.0).abs() < 0.01, "{columns}×{rows}: {size}");
    }
}

/// The number of frames, of this many ticks, that would have been drawn.
fn frames_wanted(toy: &mut Toy, frames: u32) -> u32 {
    let mut drawn = 0;
    for _ in 0..frames {
        toy.wait(1);
        if toy.app.wants_frame() {
            toy.screen();
            drawn += 1;
        }
    }
    drawn
}

#[test]
fn nothing_is_drawn_where_nothing_moves() {
    let mut toy = Toy::with("pool", 1500);
    toy.type_in(&[LEFT]);
    assert!(frames_wanted(&mut toy, 60) > 30, "water that runs is watched");
    toy.type_in(&[LEFT, " "]);
    frames_wanted(&mut toy, 120);
    assert_eq!(frames_wanted(&mut toy, 60), 0, "a paused tank");
    assert!(toy.app.is_idle());
    toy.type_in(&[" ", "u"]);
    frames_wanted(&mut toy, 4800);
    let drawn = frames_wanted(&mut toy, 60);
    assert!(drawn < 20, "{drawn} frames a second of water at rest");
    toy.type_in(&[LEFT]);
    assert!(toy.app.wants_frame());
}

/// A sleeping tank costs nothing, measured by counts and not by time: the run loop may wait for events, no frame is
/// wanted, and a frame that is drawn anyway takes no byte.
#[test]
fn a_sleeping_tank_is_idle_and_sends_nothing() {
    // Honey, because so few particles of water tremble for a minute.
    let still = POOL.replace("[[liquid]]", "[fluid]\npreset = \"honey\"\n[[liquid]]");
    let scene = Scene::parse(&still, "still").unwrap();
    let mut options = options("pool", 300);
    options.scenes[options.first] = scene;
    let mut toy = Toy { app: App::new(options), ..Toy::with("pool", 300) };
    toy.app.update(Action::Resize(Window { columns: 80, rows: 24, cell: [8, 16] }));
    let falls_asleep = (0..1700).any(|_| {
        toy.wait(1);
        toy.app.world().is_asleep()
    });
    assert!(falls_asleep, "still honey does not sleep");
    let (mut encoder, mut quality) = (FrameEncoder::new(OutputCaps::default()), RateController::default());
    let mut send = |toy: &mut Toy| {
        let bytes = encoder.encode_lossy(&toy.pool_shot(), quality.target(usize::MAX)).len();
        quality.record(bytes, encoder.unchanged);
        bytes
    };
    // The last frame before, and the corrections of what it left inexact.
    let sent: usize = (0..40).map(|_| send(&mut toy)).sum();
    assert!(sent > 0, "there is a picture");
    for _ in 0..30 {
        toy.wait(1);
        assert!(toy.app.is_idle(), "the run loop does not wait for events");
        assert!(!toy.app.wants_frame(), "a frame of a sleeping tank");
        assert_eq!(send(&mut toy), 0, "bytes of a sleeping tank");
    }
}

#[test]
fn an_overloaded_machine_slows_the_simulation_and_not_the_input() {
    let mut app = App::new(options("dam", 60));
    assert_eq!(app.tick(Duration::from_millis(250), 2), 2);
    assert_eq!(app.tick(FRAME, 2), 1, "steps that could not be made are dropped");
    assert_eq!(app.tick(Duration::from_secs(3600), u32::MAX), 15);
}

/// A minute of all kinds of Actions.
fn medley() -> Vec<Action> {
    let mut actions = vec![Action::Resize(Window { columns: 60, rows: 20, cell: [9, 18] }), Action::Terminal(KITTY)];
    actions.extend([
        Action::Press(PointerMode::Push, [10.0, 15.0]),
        Action::Move([12.5, 14.0]),
        Action::Move([20.0, 13.0]),
    ]);
    actions.extend([
        Action::Release([20.0, 13.0]),
        Action::HoldDirection(Direction::Left),
        Action::Stats,
        Action::ReleaseDirection(Direction::Left),
    ]);
    actions.extend([
        Action::Press(PointerMode::Wall, [30.0, 5.0]),
        Action::Move([40.0, 9.0]),
        Action::Release([40.0, 9.0]),
    ]);
    actions.extend(table::actions().map(|spec| spec.action));
    actions.extend([
        Action::Reset,
        Action::Focus(false),
        Action::Focus(true),
        Action::Help,
        Action::Shake(Direction::Up),
    ]);
    actions
}

#[test]
fn the_same_actions_give_the_same_frames_also_after_a_trip_through_a_log() {
    let log = serde_json::to_string(&medley()).unwrap();
    let replayed: Vec<Action> = serde_json::from_str(&log).unwrap();
    assert_eq!(replayed, medley());
    let play = |actions: &[Action]| {
        let mut toy = Toy::with("dam", 300);
        let frames = actions.iter().map(|&action| {
            toy.app.update(action);
            toy.wait(3).pool_shot()
        });
        frames.collect::<Vec<_>>()
    };
    assert!(play(&medley()) == play(&replayed));
}

fn keymap(toml: &str) -> Result<Keymap, DataError> {
    Keymap::default().merged_with(Node::parse(toml, "keys.toml")?.fields()?)
}

#[test]
fn a_key_file_overrides_keys_and_the_help() {
    let keymap = keymap("pause = \"P\"\nnext-scene = [\"tab\", \"space\"]").unwrap();
    let mut toy = Toy::new("dam");
    toy.app = App::new(Options {
        controls: ControlOptions { keymap, hint: false, ..ControlOptions::default() },
        ..options("dam", 60)
    });
    toy.type_in(&["P"]);
    assert_eq!(answer(&toy, Ask::Paused), "true");
    toy.type_in(&[" ", "\t"]);
    assert_eq!(answer(&toy, Ask::Scene), "drop");
    toy.type_in(&["n"]);
    assert_eq!(answer(&toy, Ask::Scene), "drop", "n has no action any more");
    let screen = toy.type_in(&["?"]).screen();
    assert!(screen.contains("P . [ ]           pause"), "{screen}");
    assert!(screen.contains("tab p space"), "{screen}");
}

#[test]
fn an_invalid_key_file_is_refused_with_line_and_key() {
    let files = [
        "paus = \"x\"",
        "\npause = \"ctrl+\"",
        "pause = \"shift+p\"",
        "pause = \"lefft\"",
        "pause = 3",
        "pause = [\"a\", 3]",
        "pause = \"x\"\nstep = [\"y\", \"x\"]",
        "pause = ",
        "pause = [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]",
    ];
    let with_error = |toml| format!("{toml}\n→ {}\n", keymap(toml).expect_err(toml));
    insta::assert_snapshot!("errors_of_keys", files.map(with_error).join("\n"));
}

/// `n` and `p` visit all scenes except those of the laboratory, which are reached by name, and lead back from there.
#[test]
fn keys_go_through_every_scene_but_those_of_the_laboratory() {
    let scenes: Vec<Scene> = scene::EMBEDDED.iter().map(|(name, text)| Scene::parse(text, name).unwrap()).collect();
    let fewer = |scene: Scene| Scene { world: WorldDef { particles: 50, ..scene.world }, ..scene };
    let scenes: Vec<Scene> = scenes.into_iter().map(fewer).collect();
    let tour: Vec<&str> = scene::names().iter().copied().filter(|name| !scene::is_of_laboratory(name)).collect();
    assert_eq!(tour.len() + scene::LABORATORY.scenes.len(), scenes.len());

    let mut app = App::new(Options::new(scenes[0].clone(), scenes.clone()));
    for name in tour[1..].iter().chain(&tour[..1]) {
        app.update(Action::NextScene);
        assert_eq!(app.scene().name, *name);
        // The entire picture may not change more often than this.
        app.tick(Duration::from_secs(1), 1);
    }
    app.update(Action::PreviousScene);
    assert_eq!(app.scene().name, tour[tour.len() - 1]);

    let seiche = scenes.iter().find(|scene| scene.name == "seiche").expect("a scene of the laboratory").clone();
    let mut app = App::new(Options::new(seiche, scenes));
    assert_eq!(app.scene().name, "seiche");
    app.update(Action::NextScene);
    assert_eq!(app.scene().name, tour[0]);
}
