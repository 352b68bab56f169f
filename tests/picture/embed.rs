//! Fluid in another app, by the public API only and without a terminal.

#[path = "../../examples/gauges/gauge.rs"]
mod gauge;

use gauge::{Gauge, GaugeState};
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Style};
use ratatui_core::text::{Line, Text};
use ratatui_core::widgets::StatefulWidget;
use slosh::OverFluid;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::definition::WorldDef;
use slosh::sim::liquid::fluid::Fluid;
use slosh::sim::world::pointer::PointerMode;
use slosh::view::{ColorDepth, Slosh, SloshState};
use std::time::Duration;

/// The time of a frame of an app at 30 frames per second.
const FRAME: Duration = Duration::from_millis(33);

fn dam() -> SloshState {
    SloshState::new(&Scene::parse(scene::find("dam").expect("embedded"), "dam").expect("good").world)
}

/// The cells of `area` in which there is fluid.
fn wet(buffer: &Buffer, area: Rect) -> usize {
    area.positions().filter(|at| buffer[*at].symbol() != " " || buffer[*at].bg != Color::Reset).count()
}

fn row(buffer: &Buffer, y: u16) -> String {
    (buffer.area.left()..buffer.area.right()).map(|x| buffer[(x, y)].symbol()).collect()
}

#[test]
fn the_widget_stays_within_any_rectangle() {
    let whole = Rect::new(0, 0, 30, 12);
    let rects = [
        Rect::new(0, 0, 0, 0),
        Rect::new(3, 2, 1, 1),
        Rect::new(5, 4, 10, 3),
        Rect::new(29, 11, 40, 40),
        Rect::new(60, 60, 5, 5),
    ];
    for area in rects {
        let (mut state, mut buffer) = (dam(), Buffer::filled(whole, ratatui_core::buffer::Cell::new("x")));
        for _ in 0..5 {
            Slosh::new().render(area, &mut buffer, &mut state);
            state.advance(FRAME);
        }
        let outside = whole.positions().filter(|at| !area.contains(*at));
        assert!(outside.into_iter().all(|at| buffer[at].symbol() == "x"), "{area:?}");
    }
}

/// With the blob, which has come to rest in the corner while the default water still throws drops.
#[test]
fn a_tilt_and_a_pointer_in_cells_move_the_fluid() {
    let (area, mut buffer) = (Rect::new(10, 5, 40, 12), Buffer::empty(Rect::new(0, 0, 60, 20)));
    let right_half = Rect { x: 30, width: 20, ..area };
    let dam = Scene::parse(scene::find("dam").expect("embedded"), "dam").expect("good").world;
    let mut state = SloshState::new(&WorldDef { fluid: Fluid::blob(), ..dam });
    state.press(PointerMode::Push, 12.0, 10.0);
    state.drag_to(40.0, 10.0);
    for _ in 0..90 {
        Slosh::new().render(area, &mut buffer, &mut state);
        state.tilt_to(-1.2);
        state.advance(FRAME);
    }
    assert_eq!(wet(&buffer, right_half), 0, "it was tilted to the left");
    assert!(wet(&buffer, area) > 80, "and all of it is there");
    // The pointer throws some of it up and to the right.
    state.press(PointerMode::Push, 12.0, 15.0);
    for step in 0..12 {
        state.drag_to(12.0 + 2.0 * step as f32, 15.0 - 0.5 * step as f32);
        state.advance(FRAME);
    }
    state.release();
    Slosh::new().render(area, &mut buffer, &mut state);
    assert!(wet(&buffer, right_half) > 0, "nothing was carried to the right");
}

#[test]
fn a_pointer_before_the_first_frame_or_at_invalid_positions_has_no_effect() {
    let mut state = dam();
    state.press(PointerMode::Wall, 3.0, 3.0);
    state.drag_to(f32::NAN, 1.0);
    state.release();
    state.advance(Duration::MAX);
    assert_eq!(state.world().steps(), 15, "a quarter of a second at most");
    assert!(state.world().stats().kinetic.is_finite());
}

/// A first drawing gives a new tank the shape of the window at once; what an app has done to it before stays.
#[test]
fn what_was_done_before_the_first_drawing_stays() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 41, 12));
    let mut tilted = dam();
    tilted.tilt_to(0.5);
    Slosh::new().render(buffer.area, &mut buffer, &mut tilted);
    let aspect = |state: &SloshState| state.world().size().x / state.world().size().y;
    assert!((aspect(&tilted) - 41.0 / 24.0).abs() < 1e-3, "{}", aspect(&tilted));
    assert_eq!(tilted.world().tilt_target(), 0.5);

    let mut changed = dam();
    changed.world_mut().draw_wall(Vec2::ZERO, Vec2::ONE, 0.03);
    Slosh::new().render(buffer.area, &mut buffer, &mut changed);
    assert_eq!(changed.world().drawn_walls(), 1);

    let mut drawn_on = dam();
    Slosh::new().render(buffer.area, &mut buffer, &mut drawn_on);
    drawn_on.press(PointerMode::Wall, 20.5, 5.5);
    drawn_on.release();
    let narrow = Rect { width: 30, ..buffer.area };
    Slosh::new().render(narrow, &mut buffer, &mut drawn_on);
    assert!(drawn_on.world().drawn_walls() > 0, "a resize of a paused tank lost its walls");
}

#[test]
fn an_area_may_be_high_or_far_down() {
    for area in [Rect::new(0, 0, 1, u16::MAX), Rect::new(0, 40_000, 4, 10)] {
        let mut buffer = Buffer::empty(area);
        Slosh::new().render(area, &mut buffer, &mut dam());
        assert!(wet(&buffer, area) > 0, "{area:?}");
    }
}

/// The widget of `examples/gauges`.
#[test]
fn a_gauge_on_top_of_the_library_follows_its_value_up_and_down() {
    let mut state = GaugeState::default();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 24, 8));
    for value in [0.3, 0.9, 0.5, 0.0, 0.7] {
        for _ in 0..120 {
            Gauge::new(value, format!("{:.0} %", 100.0 * value)).render(buffer.area, &mut buffer, &mut state);
            state.advance(FRAME);
        }
        let drawn = wet(&buffer, buffer.area) as f64 / 192.0;
        assert!((drawn - value).abs() < 0.12, "for {value}, {drawn} of the cells show fluid");
        assert!(row(&buffer, 4).contains(&format!("{:.0} %", 100.0 * value)), "{:?}", row(&buffer, 4));
    }
}

#[test]
fn text_over_the_fluid_is_legible_and_unchanged_elsewhere() {
    let text = Text::from(vec![
        Line::raw("dark or light"),
        Line::styled("mine", Style::new().fg(Color::Red)),
        Line::raw("漢 wide"),
    ]);
    let mut state = dam();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 12));
    let pool = Rect::new(0, 5, 16, 3);
    OverFluid::new(text, Slosh::new()).render(pool, &mut buffer, &mut state);
    for (y, words) in [(5, "dark or light"), (6, "mine"), (7, "漢 ")] {
        assert!(row(&buffer, y).starts_with(words), "{:?}", row(&buffer, y));
    }
    let lightness = |color: Color| slosh::cell::color::xterm_rgb(color, slosh::view::Rgb::BLACK).oklab()[0];
    let letters = pool.positions().filter(|at| at.y == 5 && buffer[*at].symbol().chars().all(char::is_alphabetic));
    for at in letters {
        let cell = &buffer[at];
        let ground = if cell.bg == Color::Reset { 0.0 } else { lightness(cell.bg) };
        let ink = if cell.fg == Color::Reset { 0.8 } else { lightness(cell.fg) };
        assert!((ground - ink).abs() > 0.4, "{cell:?} at {at:?}");
    }
    assert!((0..4).all(|x| buffer[(x, 6)].fg == Color::Red), "its own colour");
    assert!(buffer[(0, 6)].bg != Color::Reset, "on the fluid");
    assert!(wet(&buffer, Rect { y: 6, height: 1, x: 4, width: 2 }) == 2, "blank cells show the fluid");
}

#[test]
fn without_colours_text_is_unchanged() {
    let mut state = dam();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 6));
    OverFluid::new(Text::raw("plain"), Slosh::new().depth(ColorDepth::Mono)).render(
        buffer.area,
        &mut buffer,
        &mut state,
    );
    assert!(row(&buffer, 0).starts_with("plain"));
    assert!((0..5).all(|x| (buffer[(x, 0)].fg, buffer[(x, 0)].bg) == (Color::Reset, Color::Reset)));
}
