//! Overlays: the hint, the status row, and the scene picker, as a user sees them.

use insta::assert_snapshot;
use ratatui_core::buffer::Buffer;
use ratatui_core::style::Color;
use slosh::app::action::{Action, TerminalCaps, Window};
use slosh::app::{App, ControlOptions, LookOptions, Options, SimulationOptions};
use slosh::cell::color::xterm_rgb;
use slosh::scene;
use slosh::scene::Scene;
use slosh::term::input::Parser;
use slosh::view::{ColorDepth, GlyphMode, Rgb};
use std::time::Duration;

const FRAME: Duration = Duration::from_nanos(16_666_667);
const HINT: &str = "← → tilt · drag push · n next scene · ? help";

fn options(name: &str) -> Options {
    let scenes: Vec<Scene> = scene::EMBEDDED.iter().map(|(name, text)| Scene::parse(text, name).unwrap()).collect();
    let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap();
    let simulation = SimulationOptions { particles: Some(60), ..SimulationOptions::default() };
    Options { simulation, ..Options::new(scene, scenes) }
}

fn app(name: &str) -> App {
    let mut app = App::new(options(name));
    resize(&mut app, 80, 24);
    app
}

fn resize(app: &mut App, columns: u16, rows: u16) {
    app.update(Action::Resize(Window { columns, rows, cell: [8, 16] }));
}

/// Sends the bytes of some keys.
fn type_in(app: &mut App, keys: &str) {
    let (mut parser, mut events) = (Parser::default(), Vec::new());
    parser.feed(keys.as_bytes(), &mut events);
    parser.flush(&mut events);
    for event in events {
        if let Some(action) = app.map_event(&event) {
            app.update(action);
        }
    }
}

fn wait(app: &mut App, seconds: f32) {
    for _ in 0..(seconds / FRAME.as_secs_f32()).round() as u32 {
        app.tick(FRAME, 1);
    }
}

fn screen(app: &mut App) -> Vec<String> {
    let mut buffer = Buffer::empty(app.window_area());
    app.draw(&mut buffer);
    let (width, height) = (buffer.area.width, buffer.area.height);
    (0..height).map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect()).collect()
}

#[test]
fn statistics_name_every_row_once_and_show_simulated_and_real_time() {
    for (name, _) in scene::EMBEDDED.iter() {
        let mut app = app(name);
        resize(&mut app, 120, 80);
        type_in(&mut app, "s");
        wait(&mut app, 0.5);
        let rows = screen(&mut app);
        let names: Vec<String> = rows
            .iter()
            .skip(1)
            .take_while(|row| row.starts_with('│'))
            .map(|row| {
                let row: String = row.chars().skip(1).take(12).collect();
                row.trim().to_owned()
            })
            .collect();
        for needed in ["time", "real time", "substeps"] {
            assert!(names.iter().any(|name| name == needed), "{name}: {needed} in {names:?}");
        }
        for (at, row) in names.iter().enumerate() {
            assert!(!names[..at].contains(row), "{name}: two rows {row:?}");
        }
    }
}

/// A screen as snapshots keep it: the liquid below the overlays is one shade, so that another choice of its glyphs is no change of
/// an overlay.
pub fn layers(screen: &[String]) -> String {
    screen.join("\n").replace(|glyph| ('▀'..='▟').contains(&glyph), "░")
}

fn picture(app: &mut App) -> String {
    layers(&screen(app))
}

fn says(app: &mut App, text: &str) -> bool {
    screen(app).iter().any(|line| line.contains(text))
}

#[test]
fn the_hint_stays_six_seconds_and_comes_back_for_three_after_a_key_that_means_nothing() {
    let mut app = app("dam");
    assert_snapshot!("hint", picture(&mut app));
    wait(&mut app, 5.8);
    assert!(says(&mut app, HINT));
    wait(&mut app, 0.4);
    assert!(!says(&mut app, HINT));
    for (keys, hints) in [("n", false), ("Q", true), ("\x1b[15~", true), ("\x1b[200~Q\x1b[201~", false)] {
        type_in(&mut app, keys);
        assert_eq!(says(&mut app, HINT), hints, "{keys:?}");
        wait(&mut app, 2.8);
        assert_eq!(says(&mut app, HINT), hints, "{keys:?}, still");
        wait(&mut app, 0.4);
        assert!(!says(&mut app, HINT), "{keys:?}, after three seconds");
    }
}

#[test]
fn neither_a_quiet_toy_nor_a_demo_shows_a_hint() {
    let mut app =
        App::new(Options { controls: ControlOptions { hint: false, ..ControlOptions::default() }, ..options("dam") });
    type_in(&mut app, "Q");
    assert!(!says(&mut app, "help"));
}

/// Black on a light background and white on a dark one, whatever is below a letter, and legible there.
#[test]
fn a_line_of_text_over_the_picture_has_one_lightness() {
    for (name, background) in ["ink", "smoke", "candle", "dam"]
        .into_iter()
        .flat_map(|name| [Rgb::BLACK, Rgb::WHITE, Rgb(0xfd, 0xf6, 0xe3)].map(|background| (name, background)))
    {
        let mut app = App::new(Options {
            simulation: SimulationOptions::default(),
            look: LookOptions { palette: slosh::view::palette::find("water").cloned(), ..LookOptions::default() },
            ..options(name)
        });
        app.update(Action::Terminal(TerminalCaps {
            glyphs: GlyphMode::Quadrant,
            unicode: true,
            depth: ColorDepth::TrueColor,
            background: Some(background),
            hides_background: false,
            key_release: false,
        }));
        resize(&mut app, 80, 24);
        let luminance = |color: Color, default: Rgb| {
            let [r, g, b] = xterm_rgb(color, default).linear();
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        for _ in 0..3 {
            wait(&mut app, 1.5);
            let mut buffer = Buffer::empty(app.window_area());
            app.draw(&mut buffer);
            let letters = (0..80).filter(|&x| buffer[(x, 0)].symbol().chars().all(char::is_alphabetic));
            let contrasts: Vec<f32> = letters
                .map(|x| {
                    let cell = &buffer[(x, 0)];
                    let ground = luminance(cell.bg, background);
                    let text = luminance(cell.fg, background);
                    let [light, dark] = [text.max(ground) + 0.05, text.min(ground) + 0.05];
                    assert_eq!(text > ground, background == Rgb::BLACK, "{name} on {background}: {cell:?} at {x}");
                    light / dark
                })
                .collect();
            assert!(contrasts.len() > 15, "{name}: no hint");
            let least = contrasts.iter().copied().fold(99.0, f32::min);
            assert!(least > 4.5, "{name} on {background}: {least}");
        }
    }
}

#[test]
fn in_a_narrow_window_the_hint_says_less_and_never_covers_the_middle() {
    for (columns, rows, expected) in [
        (200, 60, HINT),
        (60, 20, HINT),
        (40, 12, "← → tilt · n next scene · ? help"),
        (20, 6, "← → tilt · ? help"),
        (10, 4, "? help"),
    ] {
        let mut app = app("dam");
        resize(&mut app, columns, rows);
        let screen = screen(&mut app);
        assert!(screen[0].contains(expected), "{columns}×{rows}: {:?}", screen[0]);
        assert!(screen[1..].iter().all(|line| !line.contains("help")), "{columns}×{rows}");
    }
    let mut app = app("dam");
    for (columns, rows) in [(1, 1), (3, 1), (7, 2)] {
        resize(&mut app, columns, rows);
        screen(&mut app);
    }
    let ascii = TerminalCaps {
        glyphs: GlyphMode::Ascii,
        unicode: false,
        depth: ColorDepth::Mono,
        background: None,
        hides_background: false,
        key_release: false,
    };
    resize(&mut app, 80, 24);
    app.update(Action::Terminal(ascii));
    assert!(says(&mut app, "left right tilt | drag push | n next scene | ? help"), "{:#?}", screen(&mut app));
}

/// The statistics, the panel and the picker are where the hint is.
#[test]
fn what_is_opened_takes_the_place_of_the_hint() {
    for key in ["s", "\t", "/"] {
        let mut app = app("dam");
        assert!(says(&mut app, HINT));
        type_in(&mut app, key);
        assert!(!says(&mut app, HINT), "{key:?}");
    }
    let mut app = app("dam");
    type_in(&mut app, "sQ");
    assert!(!says(&mut app, HINT), "a key without a meaning over the statistics");
}

#[test]
fn a_narrow_window_shows_values_whole() {
    let mut app = app("dam");
    for columns in [80, 45, 30, 22] {
        resize(&mut app, columns, 14);
        type_in(&mut app, "\t");
        let gravity = screen(&mut app).into_iter().find(|line| line.contains("gravity") || line.contains("gravi"));
        let gravity = gravity.unwrap_or_else(|| panic!("{columns}: {:#?}", screen(&mut app)));
        assert!(gravity.contains("9.81"), "{columns}: {gravity:?}");
        type_in(&mut app, "\t");
    }
    resize(&mut app, 20, 30);
    type_in(&mut app, "s");
    let count = app.world().particles().to_string();
    assert!(
        screen(&mut app).iter().any(|line| line.contains("particl") && line.contains(&count)),
        "{:#?}",
        screen(&mut app)
    );
}

#[test]
fn pause_speed_scene_and_level_share_one_row() {
    let mut app = app("dam");
    type_in(&mut app, " n[\x1b[C");
    // In narrower windows all items are shortened before one is dropped.
    let rows = [120, 80, 60, 40, 30, 20, 10].map(|columns| {
        resize(&mut app, columns, 24);
        screen(&mut app).pop().expect("a row")
    });
    assert_snapshot!("status_row_in_narrower_and_narrower_windows", rows.join("\n"));
    // A change while paused expires first, and the pause last.
    wait(&mut app, 10.0);
    assert!(says(&mut app, "paused"), "{:#?}", screen(&mut app));
    assert!(!says(&mut app, "circle"), "{:#?}", screen(&mut app));
}

#[test]
fn messages_are_plain_and_one_that_is_wider_than_the_window_is_shown_whole() {
    let mut app = app("dam");
    type_in(&mut app, "+");
    assert!(says(&mut app, "+3 particles"), "{:#?}", screen(&mut app));
    type_in(&mut app, "-");
    assert!(says(&mut app, "-3 particles"), "{:#?}", screen(&mut app));
    resize(&mut app, 40, 12);
    let code: String = ('a'..='z').cycle().take(100).collect();
    app.show_message(code.clone());
    type_in(&mut app, " ");
    let screen = screen(&mut app);
    let shown: String = screen[8..11].concat().chars().filter(char::is_ascii_lowercase).collect();
    assert_eq!(shown, code, "{screen:#?}");
    assert!(screen[11].trim().ends_with("paused"), "{screen:#?}");
}

fn favorites(name: &str) -> App {
    let favorites = ["dam", "fountain", "honey"].map(str::to_owned).into();
    let mut app = App::new(Options {
        controls: ControlOptions { hint: false, favorites, ..ControlOptions::default() },
        ..options(name)
    });
    resize(&mut app, 80, 24);
    app
}

#[test]
fn the_picker_lists_scenes_in_groups_and_typing_narrows() {
    let mut app = favorites("dam");
    resize(&mut app, 100, 72);
    type_in(&mut app, "/");
    let all = screen(&mut app).join("\n");
    for &(name, _) in scene::EMBEDDED.iter() {
        let about = Scene::parse(scene::find(name).unwrap(), name).unwrap().about;
        let about: String = about.chars().take(20).collect();
        assert!(all.contains(name) && all.contains(&about), "{name}: {about} in\n{all}");
    }
    let heading = |group: &str| all.find(&format!("│ {group} ")).unwrap_or_else(|| panic!("no {group}"));
    assert!(scene::GROUPS.windows(2).all(|pair| heading(pair[0].name) < heading(pair[1].name)));
    resize(&mut app, 80, 24);
    assert_snapshot!("picker", picture(&mut app));
    // In the picker, keys are text.
    type_in(&mut app, "hon");
    assert_snapshot!("picker_with_hon_typed", picture(&mut app));
    type_in(&mut app, "\x7f\x7f\x7fzzz");
    assert_snapshot!("picker_without_a_match", picture(&mut app));
    type_in(&mut app, "\r");
    assert_eq!(app.scene().name, "dam", "there is nothing to go to");
    type_in(&mut app, "\x1b");
    assert!(!says(&mut app, "enter go"));
    assert_eq!(app.take_request(), None, "esc closes it and does not quit");
}

#[test]
fn enter_digits_and_mouse_select_in_the_picker() {
    for (keys, expected) in [
        ("/hon\r", "honey"),
        ("/cloth\r", "curtain"),
        ("/ham\r", "hammock"),
        ("/seiche\r", "seiche"),
        ("/\x1b[B\r", "circle"),
        ("/\x1b[A\r", scene::EMBEDDED[scene::EMBEDDED.len() - 1].0),
        ("/\x1b[F\r", scene::EMBEDDED[scene::EMBEDDED.len() - 1].0),
        ("/\x1b[F\x1b[H\x1b[B\r", "circle"),
        ("/2", "fountain"),
        ("/3", "honey"),
        ("/9", "dam"),
        ("/h2\x1b", "dam"),
    ] {
        let mut app = favorites("dam");
        type_in(&mut app, keys);
        assert_eq!(app.scene().name, expected, "{keys:?}");
        assert_eq!(says(&mut app, "enter go"), keys == "/9", "{keys:?}");
    }
    let mut app = favorites("dam");
    type_in(&mut app, "/");
    let row = screen(&mut app).iter().position(|line| line.contains("fountain")).expect("a line");
    type_in(&mut app, &format!("\x1b[<0;20;{}M", row + 1));
    assert_eq!(app.scene().name, "fountain");
    assert_eq!(app.hand().grip(), None, "the click does not reach the water");
    type_in(&mut app, &format!("\x1b[<0;20;{}m/\x1b[<0;1;1M", row + 1));
    assert!(!says(&mut app, "enter go"), "a click beside it closes it");
}

#[test]
fn the_picker_fits_any_window_and_the_selected_scene_is_in_sight() {
    for (columns, rows) in [(40, 12), (200, 60), (24, 8), (9, 4), (1, 1)] {
        let mut app = favorites("dam");
        resize(&mut app, columns, rows);
        type_in(&mut app, "/");
        for &(name, _) in scene::EMBEDDED.iter() {
            if columns >= 24 {
                assert!(says(&mut app, name), "{name} in {columns}×{rows}: {:#?}", screen(&mut app));
            }
            screen(&mut app);
            type_in(&mut app, "\x1b[B");
        }
    }
}
