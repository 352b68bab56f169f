//! `.slosh` recordings: seed and input, which give the same frames again.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH, SOON, folder};
use crate::pty::{Pty, Setup};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::app::action::{Action, Direction, PointerMode, TerminalCaps, Window, table};
use slosh::app::record::Header;
use slosh::app::record::replay::Replay;
use slosh::app::{App, Options};
use slosh::cli::launch::recorded_options;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::definition::WorldDef;
use slosh::view::{ColorDepth, GlyphMode};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

fn run(args: &[&str]) -> Output {
    let mut command = program::slosh();
    command.args(args).stdin(Stdio::null());
    command.finished()
}

#[track_caller]
fn good(args: &[&str]) -> Vec<u8> {
    let output = run(args);
    assert!(output.status.success(), "slosh {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The error for an invalid recording.
#[track_caller]
fn refused(file: &Path) -> String {
    let output = run(&["render", text(file)]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    assert!(said.contains(text(file)), "the file is not named: {said}");
    said
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// A session with all kinds of input.
fn record(file: &Path) {
    let args = [SLOSH, "circle", "--particles", "2500", "--seed", "7", "--set", "sigma=0.02", "--record", text(file)];
    let mut pty = Setup::new(args).start();
    pty.wait_for_picture();
    for keys in ["\x1b[C\x1b[C", "\x1b[<0;20;20M\x1b[<32;40;15M\x1b[<0;40;15m", "+", "s", "?", "?", "n", "c", "g", "y"]
    {
        pty.send(keys.as_bytes());
        pty.pump(Duration::from_millis(120));
    }
    pty.resize(61, 18);
    pty.pump(Duration::from_millis(400));
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

/// Runs slosh, and returns the number of workers of a tank, where the system lists them by name.
#[track_caller]
fn workers_of(args: &[&str]) -> usize {
    let mut command = program::slosh();
    command.args(args).stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("slosh starts");
    let mut names = BTreeSet::new();
    while child.try_wait().expect("a child").is_none() {
        let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
        let all = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
        // Workers of the previous tank may still exist when the next one starts; their names are the same.
        names.extend(all.filter(|name| name.starts_with("slosh ")));
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = program::finish(child);
    assert!(output.status.success(), "slosh {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    names.len()
}

#[test]
fn a_replay_has_the_same_frames_on_any_number_of_threads() {
    let folder = folder("replay");
    let file = folder.join("session.slosh");
    record(&file);
    // Every frame is compared with the checksum of the one that was shown.
    let frames = fs::read_to_string(&file).expect("a file").matches("{\"frame\":").count();
    assert!(frames > 15, "{frames} frames");
    let outcomes = [1, 2, 3].map(|threads| {
        let cast = folder.join(format!("{threads}.cast"));
        let render = ["render", text(&file), "--threads", &threads.to_string(), "--out", text(&cast)];
        let workers = workers_of(&render);
        // A tank with one thread has no workers. Only Linux lists them.
        let expected = if threads == 1 { 0 } else { threads };
        assert!(!cfg!(target_os = "linux") || workers == expected, "--threads {threads}: {workers} workers");
        let cast = fs::read_to_string(&cast).expect("a cast");
        cast.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    });
    assert!(outcomes[0].len() > 15 && outcomes[0] == outcomes[1] && outcomes[1] == outcomes[2]);

    let mut pty = Setup::new([SLOSH, "play", text(&file)]).start();
    pty.wait_for_picture();
    pty.assert_ends(Duration::from_secs(20), 0);
    let mut pty = Setup::new([SLOSH, "play", text(&file)]).start();
    pty.wait_for_picture();
    pty.send(b"q");
    pty.assert_ends(Duration::from_millis(1500), 0);
}

/// Records this many seconds of an app with these settings, without a terminal and by a simulated clock. Returns the
/// file and its number of frames. `meddle` runs before each frame and gets its number.
fn record_headless(
    name: &str,
    settings: &str,
    change: impl Fn(&mut Options),
    seconds: u32,
    meddle: impl Fn(u32, &mut App),
) -> (PathBuf, usize) {
    record_in(Window { columns: 32, rows: 10, cell: [8, 16] }, name, settings, change, seconds as f32, meddle)
}

/// As [`record_headless`], in a window of this size.
fn record_in(
    window: Window,
    name: &str,
    settings: &str,
    change: impl Fn(&mut Options),
    seconds: f32,
    meddle: impl Fn(u32, &mut App),
) -> (PathBuf, usize) {
    static SCENES: LazyLock<Vec<Scene>> = LazyLock::new(|| {
        let few = |scene: Scene| Scene {
            world: WorldDef {
                particles: scene.world.particles.min(200),
                interaction_radius: None,
                ..scene.world.clone()
            },
            ..scene
        };
        scene::EMBEDDED.iter().map(|(name, text)| few(Scene::parse(text, name).unwrap())).collect()
    });
    // The app of the run loop has the options of the command line, not those that the header tells.
    let settings_file = settings.to_owned();
    let mut given = Options { window, settings_file, ..recorded_options(settings, "the test").expect("sound options") };
    given.set_scenes(SCENES[0].clone(), SCENES.clone());
    change(&mut given);
    let header = Header::new(&given);
    let mut app = App::new(given);
    app.log.start();
    let (glyphs, depth) = (GlyphMode::Quadrant, ColorDepth::TrueColor);
    app.update(Action::Terminal(TerminalCaps { glyphs, depth, ..TerminalCaps::default() }));
    app.update(Action::Resize(window));
    let mut frame = Buffer::empty(Rect::new(0, 0, window.columns, window.rows));
    // Realistic frame times: mostly even, sometimes long, and some steps are cut short.
    let (mut passed, mut frames) = (Duration::ZERO, 0);
    while passed.as_secs_f32() < seconds {
        meddle(frames, &mut app);
        let elapsed = Duration::from_micros([50_000, 50_017, 49_983, 120_000][(frames % 4) as usize]);
        let most = [9, 9, 3][(frames % 3) as usize];
        let mut steps = 0;
        app.tick_observed(elapsed, most, &mut (), || {
            steps += 1;
            frames % 11 == 5 && steps == 3
        });
        if app.is_idle() {
            app.rest(Duration::from_millis(20));
        }
        passed += elapsed;
        app.draw(&mut frame);
        frames += 1;
    }
    let file = folder(name).join("headless.slosh");
    let header = serde_json::to_string(&header).expect("plain data");
    fs::write(&file, format!("{header}\n{}", app.log.take())).expect("a file");
    (file, frames as usize)
}

/// Plays a recording. Every frame is compared with the checksum of the one that was drawn.
#[track_caller]
fn assert_plays(file: &Path, frames: usize, what: &str) {
    let mut replay = Replay::open(file, 1, recorded_options).unwrap_or_else(|failure| panic!("{what}: {failure}"));
    let mut played = 0;
    while replay.advance().unwrap_or_else(|failure| panic!("{what}, after {played} frames: {failure}")).is_some() {
        played += 1;
    }
    assert_eq!(played, frames, "{what}");
}

/// Every action that a key, the mouse or the picker's search can trigger in a window of this size.
fn all_actions(window: Window) -> Vec<Action> {
    let [x, y] = [window.columns, window.rows].map(f32::from);
    let places = [[0.5, 0.5], [0.3 * x, 0.7 * y], [0.6 * x, 0.4 * y], [x - 0.5, y - 0.5]];
    let tools = [PointerMode::Push, PointerMode::Pull, PointerMode::Pour, PointerMode::Drain];
    let more = [PointerMode::Wall, PointerMode::Heat, PointerMode::Cool];
    let keys = table::actions().map(|spec| spec.action);
    let mouse = places.into_iter().flat_map(|at| [Action::PressTool(at), Action::Move(at), Action::Release(at)]);
    let buttons = tools.into_iter().chain(more).map(|tool| Action::Press(tool, places[2]));
    let held = [Direction::Left, Direction::Right, Direction::Up, Direction::Down]
        .map(|side| [Action::HoldDirection(side), Action::ReleaseDirection(side)]);
    let typed = [Action::Type('d'), Action::Type('a'), Action::Erase, Action::Choose, Action::UnknownKey];
    keys.chain(mouse).chain(buttons).chain(held.into_iter().flatten()).chain(typed).collect()
}

/// The header of a recording and its first window, then any actions in any order.
fn sessions() -> impl Strategy<Value = (Window, Vec<Action>)> {
    let window = (1..=220_u16, 1..=70_u16, select(vec![[0, 0], [8, 16], [7, 15], [10, 10]]))
        .prop_map(|(columns, rows, cell)| Window { columns, rows, cell });
    window.prop_flat_map(|window| {
        let actions = all_actions(window);
        let most = actions.len();
        (Just(window), subsequence(actions, 1..=most).prop_shuffle())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// As the run loop does: the app starts with the window of the terminal, which only the header tells.
    #[test]
    fn every_command_is_replayed_in_every_window((window, actions) in sessions(), seed in 0..100_u64, saver: bool) {
        let start = |options: &mut Options| {
            (options.simulation.seed, options.saver.from_start) = (seed, saver && seed % 4 == 0);
        };
        let (file, frames) = record_in(window, "replay-commands", "", start, 0.05 * actions.len() as f32, |number, app| {
            if let Some(&action) = actions.get(number as usize) {
                app.update(action);
                app.take_request();
            }
        });
        assert_plays(&file, frames, "the session");
    }
}

/// The pointer starts in the middle of the window, and its tools act there.
#[test]
fn a_tool_used_by_key_is_replayed_from_a_terminal_of_any_size() {
    let folder = folder("replay-window");
    std::thread::scope(|scope| {
        for (columns, rows) in [(120, 40), (60, 16), (200, 50)] {
            let file = folder.join(format!("{columns}x{rows}.slosh"));
            scope.spawn(move || {
                let args = [SLOSH, "dam", "--particles", "300", "--record", text(&file)];
                let mut pty = Setup::new(args).size(columns, rows).start();
                pty.wait_for_picture();
                for keys in ["6", "w", "2", "3", "i", "b", ">", "\x1b[<64;5;5M"] {
                    pty.send(keys.as_bytes());
                    pty.pump(Duration::from_millis(100));
                }
                pty.send(b"q");
                pty.assert_ends(SOON, 0);
                good(&["render", text(&file), "--format", "text"]);
            });
        }
    });
}

#[test]
fn the_autopilots_actions_are_replayed() {
    // The first change of scene comes after 20 to 30 s, and fades for 2.5 s.
    for (seed, calm, seconds) in [(7, false, 65), (1, false, 40), (2, true, 40)] {
        let saver = |options: &mut Options| (options.saver.from_start, options.simulation.seed) = (true, seed);
        let (file, frames) =
            record_headless("replay-saver", &format!("reduced-motion = {calm}"), saver, seconds, |_, _| {});
        assert_plays(&file, frames, &format!("the screensaver of seed {seed}"));
    }
}

#[test]
fn idle_play_and_its_end_are_replayed() {
    for seed in [4, 5] {
        let frame = Duration::from_micros(67_500).as_secs_f32();
        let touch = (40.0 / frame) as u32;
        let toy = |options: &mut Options| options.simulation.seed = seed;
        let (file, frames) = record_headless("replay-idle", "idle = 5", toy, 75, |number, app| {
            if number == 3 {
                app.update(Action::NextScene);
            }
            if number == touch {
                assert!(app.is_played_idly(), "no input for {touch} frames");
                app.update(Action::Pour);
                assert!(!app.is_played_idly());
            }
        });
        assert_plays(&file, frames, &format!("the idle toy of seed {seed}"));
    }
}

/// The same with flags, in a terminal.
#[test]
fn the_screensaver_and_the_idle_toy_are_recorded_in_a_terminal() {
    let folder = folder("replay-saver-pty");
    let small = ["--particles", "200", "--seed", "7", "--record"];
    std::thread::scope(|scope| {
        for (name, args) in [("saver", &["saver", "fountain"][..]), ("idle", &["circle", "--idle", "1"])] {
            let file = folder.join(name).with_extension("slosh");
            scope.spawn(move || {
                let args = [&[SLOSH], args, &small, &[text(&file)]].concat();
                let mut pty = Setup::new(args).start();
                pty.wait_for_picture();
                // The autopilot waits for a second and a half before its first action.
                pty.pump(Duration::from_millis(3500));
                pty.signal(rustix::process::Signal::TERM);
                pty.assert_ends(SOON, 143);
                good(&["render", text(&file), "--format", "text"]);
            });
        }
    });
}

/// The last frame of a recording.
#[track_caller]
fn last(file: &Path) -> String {
    String::from_utf8(good(&["render", text(file), "--format", "text"])).expect("text")
}

#[test]
fn clocks_words_and_pages_are_replayed() {
    let folder = folder("replay-acts");
    fs::write(folder.join("page.txt"), b"\x1b[31mred \x1b[42mon green\x1b[0m\nand \xc3\xbc\xff more\n")
        .expect("a file");
    let acts = [
        ("clock", "clock --record clock.slosh --time 12:34:58 --seconds"),
        ("text", "text --record text.slosh HI"),
        ("page", "melt --record page.slosh < page.txt"),
    ];
    std::thread::scope(|scope| {
        for (name, act) in acts {
            let file = folder.join(name).with_extension("slosh");
            let run = format!("cd {} && exec {SLOSH} {act}", folder.display());
            scope.spawn(move || {
                let mut pty = Setup::new(["sh", "-c", &run]).start();
                pty.wait_for_picture();
                let shown = |pty: &Pty| pty.output.windows(8).filter(|bytes| *bytes == b"\x1b[?2026l").count();
                for keys in ["m", "\x1b[C\x1b[C", "m"] {
                    let enough = shown(&pty) + 6;
                    pty.send(keys.as_bytes());
                    assert!(pty.pump_until(SOON, |pty| shown(pty) >= enough), "{name}: {}", pty.tail());
                }
                pty.send(b"q");
                pty.assert_ends(SOON, 0);
                // Every frame is compared with the checksum of the one that was shown.
                let frames = fs::read_to_string(&file).expect("a file").matches("{\"frame\":").count();
                assert!(frames > 15, "{name}: {frames} frames");
                assert!(last(&file).chars().any(|c| !c.is_whitespace()), "{name}");
            });
        }
    });
}

#[test]
fn render_logs_clocks_words_and_pages() {
    let folder = folder("replay-render-acts");
    fs::write(folder.join("page.txt"), "a page of text\n").expect("a file");
    let page = folder.join("page.txt");
    let small = ["--size", "50x14", "--seconds", "1", "--color", "mono"];
    for (name, act, shown) in [("text", "HI", ""), ("clock", "12:34:58", ""), ("melt", text(&page), "a page of text")] {
        let (file, flag) = (folder.join(name).with_extension("slosh"), format!("--{name}"));
        good(&[&["render", &flag, act, "--frames", "3", "--out", text(&file)][..], &small].concat());
        let direct = String::from_utf8(good(&[&["render", &flag, act, "--format", "text"][..], &small].concat()));
        let (direct, again) = (direct.expect("text"), last(&file));
        let wet = |frame: &str| frame.chars().filter(|c| !c.is_whitespace()).count();
        assert!(again.contains(shown) && wet(&again).abs_diff(wet(&direct)) < 20, "{name}:\n{again}\n{direct}");
    }
    let whole = fs::read_to_string(folder.join("melt.slosh")).expect("a file");
    for (from, to, wanted) in [
        ("\"text\":\"a page of text\\n\"", "\"text\":\"\"", "nothing to melt"),
        ("\"columns\":50", "\"columns\":50000", "a window of 50000"),
    ] {
        let file = folder.join("wrong.slosh");
        fs::write(&file, whole.replacen(from, to, 1)).expect("a file");
        assert!(refused(&file).contains(wanted), "{}", refused(&file));
    }
}

#[test]
fn render_writes_a_log_that_shows_the_same_frames() {
    let folder = folder("replay-render");
    let file = folder.join("drop.slosh");
    good(&["render", "drop", "--particles", "300", "--seconds", "1", "--size", "40x12", "--out", text(&file)]);
    let again = good(&["render", text(&file), "--format", "text"]);
    let direct =
        good(&["render", "drop", "--particles", "300", "--seconds", "1", "--size", "40x12", "--format", "text"]);
    assert_eq!(String::from_utf8_lossy(&again).lines().count(), 12);
    let wet = |frame: &[u8]| String::from_utf8_lossy(frame).chars().filter(|c| !c.is_whitespace()).count();
    assert!(wet(&again).abs_diff(wet(&direct)) < 15, "{} and {}", wet(&again), wet(&direct));
    let pages = folder.join("pages");
    good(&["render", text(&file), "--frames", "5", "--out", text(&pages)]);
    assert_eq!(fs::read_dir(&pages).expect("a folder").count(), 5);
}

#[test]
fn a_truncated_recording_plays_to_its_end_and_errors_are_named() {
    let folder = folder("replay-wrong");
    let file = folder.join("whole.slosh");
    good(&["render", "dam", "--particles", "100", "--seconds", "0.4", "--size", "20x6", "--out", text(&file)]);
    let whole = fs::read_to_string(&file).expect("a file");
    let with = |name: &str, content: &str| {
        let file = folder.join(name);
        fs::write(&file, content).expect("a file");
        file
    };
    good(&["render", text(&with("cut.slosh", &whole[..whole.len() - 9]))]);

    // A flag for a value that the recording contains is an error; it is neither applied nor ignored.
    for (flag, value) in [
        ("--particles", "50"),
        ("--seed", "2"),
        ("--set", "gravity=1"),
        ("--size", "80x24"),
        ("--seconds", "2"),
        ("--tilt", "10"),
        ("--text", "words"),
        ("--palette", "lava"),
        ("--color", "16"),
    ] {
        let output = run(&["render", text(&file), flag, value]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flag}: {said}");
        assert!(said.contains(text(&file)) && said.contains(flag) && output.stdout.is_empty(), "{flag}: {said}");
    }

    let lines: Vec<&str> = whole.lines().collect();
    let frame = lines.iter().rposition(|line| line.starts_with("{\"frame\"")).expect("a frame");
    let changed = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n") + "\n"
    };
    assert!(refused(&with("sum.slosh", &changed(frame, "{\"frame\":1}"))).contains(&format!(":{}:", frame + 1)));
    assert!(refused(&with("line.slosh", &changed(3, "{\"tick\":}"))).contains(":4:"));
    assert!(refused(&with("action.slosh", &changed(1, "{\"do\":\"implode\"}"))).contains(":2:"));
    let window = "{\"do\":{\"resize\":{\"columns\":60000,\"rows\":60000,\"cell\":[0,0]}}}";
    assert!(refused(&with("window.slosh", &changed(1, window))).contains(":2:"));
    assert!(refused(&with("other.slosh", "hello\n")).contains(":1:"));
    assert!(refused(&with("empty.slosh", "")).contains("not a slosh recording"));
    let newer = lines[0].replace("{\"slosh\":3,", "{\"slosh\":9,");
    assert!(refused(&with("newer.slosh", &changed(0, &newer))).contains("version 9"));
    let hostile = lines[0].replace("particles = 100\\n", "particles = 1000000000000\\n");
    assert!(refused(&with("hostile.slosh", &changed(0, &hostile))).contains("particles"));
    assert!(refused(&folder.join("missing.slosh")).contains("No such file"));
}

#[test]
fn a_log_can_only_be_recorded_from_the_start() {
    let folder = folder("replay-r");
    let file = folder.join("first.slosh");
    let mut pty: Pty = Setup::new([SLOSH, "dam", "--particles", "300", "--record", text(&file)]).start();
    pty.wait_for_picture();
    pty.send(b"RR");
    let said = |pty: &Pty| pty.screen().contents().contains("recorded from the start");
    assert!(pty.pump_until(SOON, said), "{}", pty.tail());
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
    good(&["render", text(&file), "--format", "text"]);
}
