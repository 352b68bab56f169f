//! Numbers on standard input drive a scene: how lines are read, what the water does, and the program with a pipe.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH, folder};
use crate::pty::{Pty, Setup};
use slosh::app::action::Action;
use slosh::app::tank::feed::{Feed, FeedReader};
use slosh::app::{App, Options};
use slosh::data::Setting;
use slosh::scene::{self, Scene};
use std::time::Duration;

fn scene(name: &str) -> Scene {
    let few = [Setting::parse("particles=1400", "--set").expect("a setting")];
    Scene::parse_with(scene::find(name).expect("a scene"), name, &few, &[]).expect("a scene")
}

/// The numbers that a reader of all columns gives the six pistons of `levels`, and the count of lines without numbers.
fn read(columns: &[usize], text: &str) -> (Vec<(u16, f32)>, u32) {
    let feed = Feed::new(&scene("levels"));
    let mut reader = FeedReader::new(columns.to_vec());
    let mut bad = 0;
    let mut numbers = Vec::new();
    for action in reader.take(text.as_bytes(), &feed).into_iter().chain(reader.end(&feed)) {
        match action {
            Action::Feed(index, number) => numbers.push((index, number)),
            Action::FeedReport(lines, _) => bad = lines,
            other => panic!("{other:?}"),
        }
    }
    (numbers, bad)
}

#[test]
fn lines_of_all_kinds_are_read_and_garbage_is_counted() {
    let all = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        .into_iter()
        .enumerate()
        .map(|(index, it)| (index as u16, it))
        .collect::<Vec<_>>();
    for text in [
        "1 2 3 4 5 6\n",
        "  1\t2 3   4 5 6",
        "1;2;3;4;5;6;\n",
        "1, 2, 3%, 4, \"5\", 6\n",
        "[1, 2, 3, 4, 5, \"6\"]\n",
        "{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6}\n",
        "9 9 9 9 9 9\n1 2 3 4 5 6\n",
    ] {
        assert_eq!(read(&[], text), (all.clone(), 0), "{text:?}");
    }
    // Of twelve bands each piston has the larger one of two; of two columns each three pistons have one.
    assert_eq!(read(&[], "1 2 3 4 5 6 7 8 9 10 11 12").0[5], (5, 12.0));
    assert_eq!(read(&[], "7 8").0.iter().map(|(_, it)| *it).collect::<Vec<_>>(), [7.0, 7.0, 7.0, 8.0, 8.0, 8.0]);
    assert_eq!(read(&[3], "1 2 3 4").0[0], (0, 3.0));
    let garbage = "procs memory\n r b swpd\n\u{1b}[31m\u{0}\n{\"a\": [}\nnan inf -\n\n1 2 3\n";
    let (numbers, bad) = read(&[], garbage);
    assert_eq!((numbers.len(), bad), (6, 5));
    assert_eq!(read(&[4], "1 2 3\n"), (Vec::new(), 1), "a column that is not there");
    let long = format!("{}\n1 2 3\n", "1 ".repeat(100_000));
    assert_eq!(read(&[], &long).1, 1);
}

fn toy(name: &str) -> App {
    let scene = scene(name);
    App::new(Options::new(scene.clone(), vec![scene]))
}

fn play(app: &mut App, steps: u32) {
    (0..steps).for_each(|_| _ = app.tick(Duration::from_nanos(1_000_000_000 / 60 + 1), 1));
}

/// The height of the water in each tube, as a fraction of the tank: the highest particle with others just below.
fn heights(app: &App) -> Vec<f32> {
    let (p, size) = (app.world().liquid().expect("water").particles(), app.world().size());
    let top = |column: usize| {
        let middle = (column as f32 + 0.5) / 6.0;
        let mut all: Vec<f32> = p
            .alive()
            .filter(|&slot| (p.x[slot] / size.x - middle).abs() < 0.03)
            .map(|slot| p.y[slot] / size.y)
            .collect();
        all.sort_unstable_by(f32::total_cmp);
        all[all.len().saturating_sub(5)]
    };
    (0..6).map(top).collect()
}

/// Values from 0 to 100 stand at heights that grow with them evenly, and no water is lost.
#[test]
fn columns_stand_as_high_as_their_values() {
    let mut app = toy("levels");
    let count = app.world().particles();
    for (column, value) in [0.0, 20.0, 40.0, 60.0, 80.0, 100.0].into_iter().enumerate() {
        app.update(Action::Feed(column as u16, value));
    }
    play(&mut app, 260);
    let heights = heights(&app);
    let (low, high) = (heights[0], heights[5]);
    assert!(high - low > 0.4, "{heights:?}");
    for (column, height) in heights.iter().enumerate() {
        let even = low + (high - low) * column as f32 / 5.0;
        assert!((height - even).abs() < 0.06, "column {column} of {heights:?}");
    }
    assert_eq!(app.world().particles(), count);
}

/// A band that jumps throws a wave, in the next frames; afterwards the pistons no longer move by themselves.
#[test]
fn a_band_makes_a_wave_at_once() {
    let mut app = toy("spectrum");
    (0..12).for_each(|band| app.update(Action::Feed(band, 10.0)));
    play(&mut app, 200);
    let before = app.world().stats().mean_speed;
    app.update(Action::Feed(5, 0.0));
    app.update(Action::Feed(0, 0.0));
    play(&mut app, 3);
    let after = app.world().stats().mean_speed;
    assert!(after > 2.0 * before && after > 0.05, "from {before} to {after} m/s in 50 ms");
}

fn fed(command: &str) -> Pty {
    Setup::new(["sh", "-c", command]).size(80, 24).start()
}

#[test]
fn a_pipe_drives_it_and_keys_still_work() {
    let folder = folder("feed");
    let log = folder.join("feed.slosh");
    let input = "echo bands; for n in 1 2 3 4 5 6 7 8; do echo \"$n;2;9;4;1;7;\"; sleep 0.05; done";
    let mut pty = fed(&format!("({input}) | {SLOSH} feed levels -n 800 --record {}", log.display()));
    let says = |pty: &Pty, what: &str| pty.screen().contents().contains(what);
    assert!(pty.pump_until(Duration::from_secs(20), |pty| says(pty, "input ended")), "{}", pty.screen().contents());
    assert!(says(&pty, "1 line without numbers"), "{}", pty.screen().contents());
    pty.send(b"?");
    assert!(pty.pump_until(Duration::from_secs(5), |pty| says(pty, "this help")), "{}", pty.screen().contents());
    pty.send(b"?q");
    pty.assert_ends(Duration::from_secs(10), 0);
    // The values are in the recording.
    let text = std::fs::read_to_string(&log).expect("a recording");
    assert!(text.contains("{\"do\":{\"feed\":[0,8.0]}}"), "no value in the log");
    let copy = folder.join("feed.gif");
    let args = format!("render {} --frames 3 --out {}", log.display(), copy.display());
    let output = program::slosh().args(args.split(' ')).finished();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn any_scene_can_be_bound_by_flags_and_mistakes_are_named() {
    let mut pty = fed(&format!(
        "echo 'cpu 50' | {SLOSH} feed fountain -n 300 --column 2 --to inlet.0.speed --range 0,2 --from 0,100"
    ));
    let ended = |pty: &Pty| pty.screen().contents().contains("input ended");
    assert!(pty.pump_until(Duration::from_secs(20), ended), "{}", pty.screen().contents());
    pty.send(b"q");
    pty.assert_ends(Duration::from_secs(10), 0);
    let text = "particles = 9\n[[liquid]]\nbox = [0, 0, 1, 1]\n[[feed]]\nto = \"piston.0.position\"\n";
    let error = Scene::parse(text, "mine.toml").expect_err("no piston").to_string();
    assert!(error.contains("mine.toml:4") && error.contains("piston.0.position"), "{error}");
}
