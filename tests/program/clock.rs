//! The clock: its pictures are read at every minute of a day and while digits change; and the time that it shows.
#![cfg(unix)]

use crate::program::SLOSH;
use crate::pty::Setup as Terminal;
use crate::reader;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use slosh::app::action::Action;
use slosh::app::demo::Demo;
use slosh::app::demo::clock::{ClockDemo, ClockFormat};
use slosh::app::demo::wall_clock::{TimeOfDay, WallClock};
use slosh::sim::{World, WorldOptions};
use slosh::view::{GlyphMode, Painter, RenderStyle, palette};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
const DIGITS: &str = "0123456789:";
const MINUTES: ClockFormat = ClockFormat { twelve: false, seconds: false };
const SECONDS: ClockFormat = ClockFormat { twelve: false, seconds: true };

/// A clock, its tank and the painter.
struct Bench {
    demo: Demo,
    world: World,
    painter: Painter,
    look: RenderStyle,
    buf: Buffer,
}

impl Bench {
    fn new(face: ClockFormat, now: u32, (columns, rows): (u16, u16)) -> Self {
        let mut demo = Demo::Clock(ClockDemo::new(face, now));
        let aspect = f32::from(columns) / f32::from(rows) / 2.0;
        let world = demo.set(&demo.scene().world, &WorldOptions { aspect, ..WorldOptions::default() });
        let look =
            RenderStyle { palette: palette::find("lagoon").expect("a palette").clone(), ..RenderStyle::default() };
        Self { demo, world, painter: Painter::default(), look, buf: Buffer::empty(Rect::new(0, 0, columns, rows)) }
    }

    fn step(&mut self, steps: u32) {
        for _ in 0..steps {
            self.demo.before_step(&mut self.world);
            self.world.step();
        }
    }

    fn read(&mut self) -> String {
        self.painter.decor = Some(self.demo.decor().clone());
        self.painter.paint(&self.world, &self.look, (8, 16), self.buf.area, &mut self.buf);
        // Below is the pool.
        reader::read(&self.buf, self.buf.area.height * 3 / 4, DIGITS)
    }
}

fn seconds(hour: u32, minute: u32, second: u32) -> u32 {
    hour * 3600 + minute * 60 + second
}

#[test]
fn every_minute_of_a_day_is_legible_in_the_picture() {
    let read_hour = |hour: u32| {
        let mut bench = Bench::new(MINUTES, 0, (80, 24));
        // Simpler glyphs are legible too, and are painted in half the time.
        bench.look.glyphs = GlyphMode::Quadrant;
        let scene = bench.demo.scene();
        for minute in 0..60 {
            bench.demo.show_time(Action::SetWallClock(seconds(hour, minute, minute)));
            bench.world = bench.demo.set(&scene.world, &WorldOptions::default());
            assert_eq!(bench.read(), format!("{hour:02}:{minute:02}"));
        }
    };
    std::thread::scope(|scope| {
        for half in [0..12, 12..24] {
            scope.spawn(|| half.for_each(read_hour));
        }
    });
}

#[test]
fn seconds_twelve_hours_and_other_windows_are_legible() {
    for (hour, shown) in [(0, "12:07"), (1, "1:07"), (11, "11:07"), (12, "12:07"), (13, "1:07"), (22, "10:07")] {
        let face = ClockFormat { twelve: true, seconds: false };
        assert_eq!(Bench::new(face, seconds(hour, 7, 0), (80, 24)).read(), shown);
    }
    for second in 0..60 {
        let (hour, minute) = (second * 7 % 24, (second * 11 + 3) % 60);
        let mut bench = Bench::new(SECONDS, seconds(hour, minute, second), (80, 24));
        assert_eq!(bench.read(), format!("{hour:02}:{minute:02}:{second:02}"));
    }
    for size in [(120, 40), (200, 60), (80, 50), (60, 20)] {
        assert_eq!(Bench::new(MINUTES, seconds(23, 58, 0), size).read(), "23:58", "{size:?}");
    }
}

/// All digits at once, one digit, and similar digits; held shapes stay legible over time.
#[test]
fn changing_digits_pour_out_and_are_legible_within_a_second() {
    for (before, after, shown) in [
        (seconds(9, 59, 59), seconds(10, 0, 0), "10:00:00"),
        (seconds(19, 59, 59), seconds(20, 0, 0), "20:00:00"),
        (seconds(12, 34, 58), seconds(12, 34, 59), "12:34:59"),
        (seconds(0, 0, 8), seconds(0, 0, 6), "00:00:06"),
    ] {
        let mut bench = Bench::new(SECONDS, before, (80, 24));
        bench.step(90);
        let particles = bench.world.particles();
        bench.demo.show_time(Action::SetWallClock(after));
        bench.step(16);
        let (p, height) = (bench.world.liquid().expect("liquid").particles(), bench.world.size().y);
        let falling = p.alive().filter(|&slot| p.vy[slot] < -0.8 && p.y[slot] < 0.4 * height).count();
        assert!(falling > 60, "only {falling} particles fall");
        bench.step(41);
        assert_eq!(bench.read(), shown, "57 steps after {before} s");
        assert_eq!(bench.world.particles(), particles, "the amount of liquid is constant");
    }
}

#[test]
fn a_minute_by_minute_clock_sleeps_between_and_its_frames_are_the_same_every_time() {
    let play = |steps: u32| {
        let mut bench = Bench::new(MINUTES, seconds(11, 11, 59), (80, 24));
        bench.step(20);
        bench.demo.show_time(Action::SetWallClock(seconds(11, 12, 0)));
        bench.step(steps);
        assert_eq!(bench.read(), "11:12");
        bench
    };
    assert_eq!(play(64).buf, play(64).buf);
    assert!(play(600).world.is_asleep(), "ten seconds after a change something still moves");
}

#[test]
fn times_and_zones_are_parsed_or_refused() {
    for (text, time) in [
        ("12:34", (seconds(12, 34, 0), false, false)),
        ("00:00:07", (7, true, false)),
        ("9:34pm", (seconds(21, 34, 0), false, true)),
        ("12:00:01 AM", (1, true, true)),
    ] {
        let (seconds, exact, twelve) = time;
        assert_eq!(text.parse(), Ok(TimeOfDay { seconds, exact, twelve }), "{text}");
    }
    for wrong in [
        "",
        "24:00",
        "25:00",
        "12:60",
        "12:00:60",
        "23:59:60",
        "9:34:60pm",
        "13:00pm",
        "0:10am",
        "12",
        "1:2:3:4",
        "12:3x",
        "noon",
        ":",
        "１2:00",
        "+1:00",
    ] {
        let reason = wrong.parse::<TimeOfDay>().expect_err(wrong);
        assert!(reason.contains("12:34"), "{reason}");
    }
    let at = |zone: &str| i64::from(WallClock::new(Some(zone), None).expect("a zone").seconds());
    for (zone, ahead) in [("Asia/Tokyo", 9 * 3600), ("Asia/Kolkata", 19_800), ("XYZ-5", 5 * 3600), ("UTC", 0)] {
        let apart = (at(zone) - at("UTC") - ahead).rem_euclid(86_400);
        assert!(apart <= 2 || apart >= 86_398, "{zone} is {apart} s off");
    }
    assert!(WallClock::new(Some("Mars/Olympus"), None).expect_err("no zone").contains("Europe/Paris"));
    let set = WallClock::new(Some("UTC"), "12:34:50".parse().ok()).expect("a zone").seconds();
    assert!((seconds(12, 34, 50)..seconds(12, 34, 55)).contains(&set), "{set}");
}

/// The cells of a terminal's screen.
fn cells(screen: &vt100::Screen) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
    let color = |color: vt100::Color| match color {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    };
    for (x, y) in (0..24).flat_map(|y| (0..80).map(move |x| (x, y))) {
        let Some(cell) = screen.cell(y, x) else { continue };
        let symbol = if cell.has_contents() { cell.contents() } else { " " };
        buf[(x, y)].set_symbol(symbol).set_fg(color(cell.fgcolor())).set_bg(color(cell.bgcolor()));
    }
    buf
}

#[test]
fn in_a_terminal_it_shows_the_time_of_the_zone_that_is_set() {
    let mut terminal = Terminal::new([SLOSH, "clock", "--palette", "lagoon"])
        .var("TZ", "Asia/Kolkata")
        .var("COLORTERM", "truecolor")
        .answering()
        .start();
    terminal.wait_for_picture();
    let now = || {
        let passed = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
        let minutes = (passed.as_secs() + 19_800) / 60 % 1440;
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    };
    let right =
        terminal.pump_until(Duration::from_secs(8), |it| reader::read(&cells(it.screen()), 18, DIGITS) == now());
    assert!(right, "it shows {}, and it is {}", reader::read(&cells(terminal.screen()), 18, DIGITS), now());
    terminal.send(b"q");
    terminal.assert_ends(Duration::from_secs(5), 0);
}

/// Without seconds too: once a second a drop falls from the colon into the pool, and between drops the tank may sleep.
#[test]
fn a_drop_falls_every_second() {
    let mut bench = Bench::new(MINUTES, seconds(11, 11, 7), (80, 24));
    bench.step(120);
    let falling = |bench: &Bench| {
        let (p, height) = (bench.world.liquid().expect("liquid").particles(), bench.world.size().y);
        p.alive().filter(|&slot| p.vy[slot] < -0.3 && p.y[slot] < 0.4 * height).count()
    };
    for second in 8..12 {
        bench.demo.show_time(Action::SetWallClock(seconds(11, 11, second)));
        bench.step(6);
        assert!(falling(&bench) > 8, "{} particles fall in second {second}", falling(&bench));
        bench.step(54);
        assert_eq!(bench.read(), "11:11");
    }
}
