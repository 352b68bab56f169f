//! The timer: its last drop falls when no time is left, whatever happened before; and what the program does then.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH, folder};
use crate::pty::{Pty, Setup};
use slosh::app::action::Action;
use slosh::app::demo::timer::{TimerDemo, TimerSpec};
use slosh::app::demo::{Demo, DemoSpec};
use slosh::app::{App, Options, Request};
use slosh::sim::{World, WorldOptions};
use std::time::Duration;

struct Bench {
    demo: Demo,
    world: World,
    whole: u32,
}

impl Bench {
    fn new(seconds: u32) -> Self {
        let whole = 1000 * seconds;
        let mut demo = Demo::Timer(TimerDemo::new(TimerSpec { whole, digits: false, bell: false }));
        let world = demo.set(&demo.scene().world, &WorldOptions::default());
        Self { demo, world, whole }
    }

    /// One step at this time left, milliseconds.
    fn step(&mut self, left: u32) {
        self.demo.show_time(Action::SetTimeLeft(left));
        self.demo.before_step(&mut self.world);
        self.world.step();
    }

    /// Steps of 1/60 s from one time left to another.
    fn run(&mut self, from: u32, to: u32) {
        (0..(from - to) * 60 / 1000).for_each(|step| self.step(from - step * 1000 / 60));
    }

    fn above(&self) -> usize {
        let p = self.world.liquid().expect("liquid").particles();
        p.alive().filter(|&slot| p.y[slot] > 0.5 * self.world.size().y).count()
    }

    #[track_caller]
    fn assert_ends_on_the_second(&mut self, from: u32) {
        self.run(from, 200);
        assert!(self.above() > 0, "empty 0.2 s too early");
        self.run(200, 0);
        (0..12).for_each(|_| self.step(0));
        assert_eq!(self.above(), 0, "0.2 s after the end, of {} ms", self.whole);
    }
}

/// On a machine that makes one step a second until the last seconds.
#[test]
fn the_last_drop_of_25_minutes_falls_on_the_second() {
    let mut bench = Bench::new(1500);
    let full = bench.above();
    for left in (4..1500).rev() {
        bench.step(1000 * left);
        if left % 300 == 0 {
            let above = bench.above() as f32 / full as f32;
            assert!((above - left as f32 / 1500.0).abs() < 0.02, "{above} with {left} s left");
        }
    }
    bench.assert_ends_on_the_second(4000);
}

#[test]
fn a_suspended_machine_and_other_liquid_change_no_end() {
    let mut bench = Bench::new(60);
    let full = bench.above();
    bench.run(60_000, 58_000);
    // The lid was closed for 50 seconds.
    bench.run(8_000, 4_000);
    let share = bench.above() as f32 / full as f32;
    assert!((share - 4.0 / 60.0).abs() < 0.03, "{share} is above");
    bench.world.pour(60);
    bench.assert_ends_on_the_second(4_000);
    // A stream has as little time as it takes.
    Bench::new(3).assert_ends_on_the_second(3_000);
}

/// The app asks for a bell, once, and then ends without having been told.
#[test]
fn the_app_rings_and_ends() {
    let spec = DemoSpec::Timer(TimerSpec { whole: 500, digits: true, bell: true });
    let demo = spec.build().expect("a timer");
    let mut app = App::new(Options { demo: Some(demo.clone()), ..Options::new(demo.scene(), Vec::new()) });
    let mut requests = Vec::new();
    for step in 0..400_u32 {
        app.update(Action::SetTimeLeft(500_u32.saturating_sub(step * 16)));
        app.tick(Duration::from_nanos(1_000_000_000 / 60 + 1), 1);
        requests.extend(app.take_request().map(|request| (request, step)));
    }
    let kinds: Vec<Request> = requests.iter().map(|(request, _)| *request).collect();
    assert_eq!(kinds[..2], [Request::Ring, Request::Quit], "{requests:?}");
    assert!((31..60).contains(&requests[0].1), "{requests:?}");
}

fn timer(args: &[&str]) -> Pty {
    let mut pty = Setup::new([SLOSH, "timer"].into_iter().chain(args.iter().copied())).start();
    pty.wait_for_picture();
    pty
}

#[test]
fn it_ends_by_itself_with_a_bell_or_a_command() {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut pty = timer(&["1s", "--digits"]);
            pty.assert_ends(Duration::from_secs(20), 0);
            assert!(pty.output.contains(&7), "no bell");
        });
        scope.spawn(|| {
            let mut pty = timer(&["0:01", "--then", "echo tea is ready"]);
            pty.assert_ends(Duration::from_secs(20), 0);
            assert!(pty.screen().contents().contains("tea is ready") && !pty.output.contains(&7), "{}", pty.tail());
        });
        scope.spawn(|| {
            let mut pty = timer(&["1s", "--then", "exit 3"]);
            assert_eq!(pty.end(Duration::from_secs(20)).map(Pty::code), Some(1));
            assert!(pty.screen().contents().contains("exit 3"), "{}", pty.tail());
        });
        scope.spawn(|| {
            // Paused for longer than it lasts.
            let mut pty = timer(&["2s"]);
            pty.send(b" ");
            pty.pump(Duration::from_millis(3500));
            assert!(pty.screen().contents().contains("paused"), "{}", pty.screen().contents());
            pty.send(b" ");
            pty.assert_ends(Duration::from_secs(20), 0);
        });
        scope.spawn(|| {
            let mut pty = timer(&["1h30m"]);
            assert!(pty.screen().contents().contains("m: time left"), "{}", pty.screen().contents());
            pty.send(b"q");
            assert_eq!(pty.end(Duration::from_secs(20)).map(Pty::code), Some(1));
            assert!(pty.screen().contents().contains("timer was stopped with 1:"), "{}", pty.screen().contents());
        });
    });
}

#[test]
fn times_are_read_or_refused() {
    use slosh::app::demo::timer::duration;
    for (text, seconds) in
        [("25m", 1500), ("90s", 90), ("1h30m", 5400), ("1:30:00", 5400), ("2:05", 125), ("1.5h", 5400), ("3min", 180)]
    {
        assert_eq!(duration(text), Ok(1000 * seconds), "{text}");
    }
    for wrong in [
        "", "25", "m", "25x", "1:60", "1:60:00", "1:00:60", "1:2:3:4", "1e1:00", "1:1e1", "+1:00", "1:+5", "-5s",
        "1e9h", "0s", "101h", "nans", "１m", "5m 3",
    ] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_recorded_timer_plays_again() {
    let folder = folder("timer-log");
    let log = folder.join("timer.slosh");
    for args in [
        format!("render --timer 3s --size 60x20 --seconds 4 --frames 20 --out {}", log.display()),
        format!("render {} --frames 4 --out {}", log.display(), folder.join("timer.gif").display()),
    ] {
        let output = program::slosh().args(args.split(' ')).finished();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
