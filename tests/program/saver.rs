//! The screensaver: the autopilot's actions, their limits, and the input that ends it.

use crate::program::{SLOSH, SOON};
use crate::stillness;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use slosh::app::action::{Action, Activity, Direction, PointerMode, TerminalCaps, Window};
use slosh::app::saver::autopilot::{Autopilot, AutopilotInput, CALM, LIVELY};
use slosh::app::saver::playlist::Playlist;
use slosh::app::saver::{ARMING, ExitOn, IDLE_PLAY};
use slosh::app::{App, LookOptions, Options, Request, SaverOptions, SimulationOptions};
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::clock::STEP;
use slosh::view::{ColorDepth, GlyphMode, Rgb};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;

const SIGHT: AutopilotInput = AutopilotInput {
    tank: Rect::new(0, 0, 80, 24),
    scene: 0,
    palettes: 17,
    palette: 0,
    tilts: true,
    pours: true,
    repeats_in: None,
    feeds: false,
};

static SCENES: LazyLock<Vec<Scene>> =
    LazyLock::new(|| scene::EMBEDDED.iter().map(|(name, text)| Scene::parse(text, name).unwrap()).collect());

/// The number of scenes before the laboratory.
fn tour() -> usize {
    SCENES.iter().position(|scene| scene::is_of_laboratory(&scene.name)).expect("a laboratory")
}

fn playlist(seed: u64, saver: SaverOptions) -> Playlist {
    let mut options = Options { saver, ..Options::new(SCENES[0].clone(), SCENES.clone()) };
    options.simulation.seed = seed;
    options.playlist()
}

/// The autopilot's actions in this time, each with its time in seconds.
fn deeds(seed: u64, calm: bool, seconds: f32) -> Vec<(f32, Action)> {
    let pilot = Autopilot::new(seed, if calm { CALM } else { LIVELY });
    deeds_of(pilot.with_scenes(playlist(seed, SaverOptions::default()), 25.0), seconds)
}

fn deeds_of(mut pilot: Autopilot, seconds: f32) -> Vec<(f32, Action)> {
    let (mut deeds, mut out, mut input) = (Vec::new(), Vec::new(), SIGHT);
    for step in 0..(seconds / STEP) as u32 {
        pilot.act(&input, &mut |action| out.push(action));
        for action in out.drain(..) {
            if let Action::SetScene(number) = action {
                input.scene = number.into();
            }
            deeds.push((step as f32 * STEP, action));
        }
    }
    deeds
}

fn times(deeds: &[(f32, Action)], what: impl Fn(&Action) -> bool) -> Vec<f32> {
    deeds.iter().filter(|(_, action)| what(action)).map(|&(at, _)| at).collect()
}

fn least_gap(times: &[f32]) -> f32 {
    times.windows(2).map(|pair| pair[1] - pair[0]).fold(f32::INFINITY, f32::min)
}

#[test]
fn the_same_seed_gives_the_same_actions_and_no_other_does() {
    assert_eq!(deeds(1, false, 300.0), deeds(1, false, 300.0));
    let pieces: Vec<_> = (0..20).map(|seed| deeds(seed, false, 60.0)).collect();
    for (a, piece) in pieces.iter().enumerate() {
        assert!(pieces[..a].iter().all(|other| other != piece), "seed {a} gives the same actions as another seed");
    }
}

#[test]
fn an_hour_has_every_kind_of_action() {
    let deeds = deeds(7, false, 3600.0);
    for (what, least, of) in [
        ("tilts", 1000, (|action| matches!(action, Action::SetTilt(_))) as fn(&Action) -> bool),
        ("stirs", 30, |action| matches!(action, Action::Press(PointerMode::Push, _))),
        ("pours", 5, |action| matches!(action, Action::Pour)),
        ("shakes", 5, |action| matches!(action, Action::Shake(_))),
        ("scenes", 120, |action| matches!(action, Action::SetScene(_))),
    ] {
        assert!(times(&deeds, of).len() >= least, "{} {what} in an hour", times(&deeds, of).len());
    }
    let presses = times(&deeds, |action| matches!(action, Action::Press(..))).len();
    let releases = times(&deeds, |action| matches!(action, Action::Release(_))).len();
    assert!(presses - releases <= 1, "every press is followed by a release");
    // With only one scene, the palette changes.
    let colors = deeds_of(Autopilot::new(7, LIVELY), 3600.0);
    assert!(times(&colors, |action| matches!(action, Action::SetPalette(_))).len() >= 50);
}

#[test]
fn scenes_change_every_20_to_30_seconds_and_no_two_in_a_row_look_alike() {
    let changes = times(&deeds(3, false, 600.0), |action| matches!(action, Action::SetScene(_)));
    for pair in changes.windows(2) {
        assert!((20.0..=30.1).contains(&(pair[1] - pair[0])), "{changes:?}");
    }
    let group = |number: usize| scene::group_of(&SCENES[number].name);
    let palette = |number: usize| SCENES[number].world.fluid_label.clone();
    for (seed, shuffle) in [(1, false), (2, false), (3, true), (4, true)] {
        let mut playlist = playlist(seed, SaverOptions { shuffle, ..SaverOptions::default() });
        let mut current = playlist.first(0).expect("a scene");
        assert_ne!(current, 0, "seed {seed}: it starts where the toy does");
        let mut seen = vec![current];
        for _ in 0..3 * tour() {
            let next = playlist.next(current).expect("another scene");
            let pair = (&SCENES[current].name, &SCENES[next].name);
            assert_ne!(group(current), group(next), "seed {seed}: {pair:?}");
            assert!(palette(current).is_none() || palette(current) != palette(next), "seed {seed}: {pair:?}");
            current = next;
            seen.push(current);
        }
        assert!((0..tour()).all(|number| seen[..tour() + 1].contains(&number)), "seed {seed}: each once in a round");
    }
    let starts: BTreeSet<_> = (0..20).map(|seed| playlist(seed, SaverOptions::default()).first(0)).collect();
    assert!(starts.len() > 8, "{starts:?}");
}

#[test]
fn scenes_that_are_listed_come_in_that_order_unless_they_are_shuffled() {
    let listed = |shuffle| SaverOptions {
        scenes: Some(["lava", "dam", "u-tube"].map(str::to_owned).into()),
        shuffle,
        ..SaverOptions::default()
    };
    let play = |seed, shuffle| {
        let mut playlist = playlist(seed, listed(shuffle));
        let mut current = playlist.first(0).expect("a scene");
        let mut names = vec![SCENES[current].name.clone()];
        for _ in 0..5 {
            current = playlist.next(current).expect("another");
            names.push(SCENES[current].name.clone());
        }
        names
    };
    assert_eq!(play(1, false), ["lava", "dam", "u-tube", "lava", "dam", "u-tube"]);
    assert!((0..10).any(|seed| play(seed, true) != play(0, true)), "shuffled by the seed");
    assert!((0..10).all(|seed| play(seed, true).windows(2).all(|pair| pair[0] != pair[1])));
}

#[test]
fn the_autopilot_stays_within_its_limits() {
    for (calm, fastest, furthest) in [(false, 0.351, 0.61), (true, 0.101, 0.21)] {
        for seed in 0..10 {
            let deeds = deeds(seed, calm, 1800.0);
            let mut before = 0.0;
            let mut over = 0;
            for (at, action) in &deeds {
                match *action {
                    Action::SetTilt(angle) => {
                        let rate = (angle - before).abs() / STEP;
                        assert!(rate <= fastest, "seed {seed} turns by {rate} rad/s in second {at}");
                        over += usize::from(angle.abs() > furthest);
                        before = angle;
                    }
                    Action::SetScene(_) => before = 0.0,
                    _ => {}
                }
            }
            assert!(!calm || over == 0, "seed {seed} tilts too far for reduced motion");
            let shakes = times(&deeds, |action| matches!(action, Action::Shake(_)));
            assert!(least_gap(&shakes) > 25.0 && (!calm || shakes.is_empty()), "seed {seed} shakes at {shakes:?}");
            let changes = times(&deeds, |action| matches!(action, Action::SetScene(_) | Action::SetPalette(_)));
            assert!(least_gap(&changes) > 12.0, "seed {seed} changes at {changes:?}");
        }
    }
}

fn saver(seed: u64, exit_on: ExitOn) -> App {
    saver_with(seed, SaverOptions { from_start: true, exit_on, ..SaverOptions::default() })
}

fn saver_with(seed: u64, saver: SaverOptions) -> App {
    let scenes: Vec<Scene> = scene::EMBEDDED.iter().map(|(name, text)| Scene::parse(text, name).unwrap()).collect();
    let mut options = Options::new(scenes[0].clone(), scenes);
    options.saver = saver;
    options.simulation = SimulationOptions { seed, particles: Some(300), ..SimulationOptions::default() };
    let mut app = App::new(options);
    let glyphs = GlyphMode::Quadrant;
    let depth = ColorDepth::TrueColor;
    app.update(Action::Terminal(TerminalCaps { glyphs, depth, ..TerminalCaps::default() }));
    app.update(Action::Resize(Window { columns: 40, rows: 12, cell: [8, 16] }));
    app
}

#[test]
fn a_dark_room_stays_dark_and_a_light_one_light() {
    let light = |Rgb(r, g, b)| [r, g, b].map(u32::from).iter().sum::<u32>() > 3 * 128;
    for terminal in [Rgb::BLACK, Rgb(253, 246, 227)] {
        let mut app = saver(3, ExitOn::Key);
        let (depth, background) = (ColorDepth::TrueColor, Some(terminal));
        app.update(Action::Terminal(TerminalCaps {
            glyphs: GlyphMode::Quadrant,
            unicode: true,
            depth,
            background,
            hides_background: false,
            key_release: false,
        }));
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..60 {
            app.update(Action::SetPalette(number));
            let ground = app.palette().background.unwrap_or(terminal);
            assert_eq!(light(ground), light(terminal), "{} on {terminal:?}", app.palette().name());
            seen.insert(app.palette().name().to_owned());
        }
        assert!(seen.len() >= 16, "{seen:?}");
    }
}

fn picture(app: &mut App) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 12));
    app.draw(&mut buffer);
    buffer
}

#[test]
fn the_same_seed_gives_the_same_frames_at_any_frame_rate() {
    let play = |fps: u32, seed: u64| {
        // Two scenes.
        let every = Duration::from_secs(5);
        let mut app = saver_with(seed, SaverOptions { from_start: true, every, ..SaverOptions::default() });
        for _ in 0..fps * 10 {
            app.tick(Duration::from_secs(1) / fps, u32::MAX);
        }
        app
    };
    let (mut a, mut b, mut c) = (play(60, 3), play(60, 3), play(60, 4));
    assert_eq!(picture(&mut a), picture(&mut b));
    assert_ne!(picture(&mut a), picture(&mut c));
    let slow = play(20, 3);
    assert_eq!(slow.world().steps(), a.world().steps());
    assert_eq!(slow.world().stats(), a.world().stats(), "the actions do not depend on the frame rate");
    assert_ne!(a.scene().name, "dam", "in 10 s another scene has come");
}

/// The user's frame rate is the upper limit, and the screensaver draws no more than its own rate.
#[test]
fn the_screensaver_draws_fewer_frames_than_the_toy_and_never_more_than_asked() {
    for (asked, toy, piloted) in [(60, 60, 30), (240, 240, 30), (12, 12, 12)] {
        let load = |from_start| {
            let scene = Scene::parse(scene::find("dam").expect("embedded"), "dam").expect("sound");
            let saver = SaverOptions { from_start, ..SaverOptions::default() };
            App::new(Options {
                look: LookOptions { fps: asked, ..LookOptions::default() },
                saver,
                ..Options::new(scene.clone(), vec![scene])
            })
        };
        assert_eq!((load(false).fps(), load(true).fps()), (toy, piloted), "--fps {asked}");
    }
}

fn luminance(buffer: &Buffer) -> Vec<f32> {
    let light = |color: Color| match color {
        Color::Rgb(r, g, b) => {
            let [r, g, b] = slosh::view::Rgb(r, g, b).linear();
            0.2126 * r + 0.7152 * g + 0.0722 * b
        }
        _ => 0.0,
    };
    let cell = |x: u16, y: u16| {
        let cell = &buffer[(x, y)];
        match cell.symbol() {
            " " => light(cell.bg),
            "█" => light(cell.fg),
            _ => 0.5 * (light(cell.fg) + light(cell.bg)),
        }
    };
    let region = |n: u16| {
        let (left, top) = (n % 8 * 5, n / 8 * 3);
        (0..15).map(|of| cell(left + of % 5, top + of / 5)).sum::<f32>() / 15.0
    };
    (0..32).map(region).collect()
}

/// The worst number of flashes in a second: changes of a quarter of the picture by a tenth of the luminance and back.
fn worst_flashing(frames: &[Vec<f32>], fps: usize) -> usize {
    let mut turns = vec![0; frames.len()];
    for region in 0..frames[0].len() {
        let (mut extreme, mut rising) = (frames[0][region], None);
        for (number, frame) in frames.iter().enumerate() {
            let change = frame[region] - extreme;
            if change.abs() >= 0.1 && rising != Some(change > 0.0) {
                turns[number] += 1;
                rising = Some(change > 0.0);
            }
            let further = rising.is_none_or(|rising| (change > 0.0) == rising);
            if further || change.abs() >= 0.1 {
                extreme = frame[region];
            }
        }
    }
    let seconds = turns.windows(fps.min(turns.len())).map(|second| second.iter().sum::<usize>());
    // A flash is two opposite changes, of a quarter of the regions.
    seconds.max().unwrap_or(0) / (2 * frames[0].len() / 4)
}

#[test]
fn nothing_flashes_more_than_three_times_a_second() {
    let flicker: Vec<Vec<f32>> = (0..60).map(|frame| vec![f32::from(u8::from(frame % 6 < 3)); 32]).collect();
    assert!(worst_flashing(&flicker, 30) > 3, "the measure detects flashing: {}", worst_flashing(&flicker, 30));
    // All change to another scene meanwhile, the first one twice.
    for (seed, seconds) in [(0, 65), (1, 30), (2, 30)] {
        let mut app = saver(seed, ExitOn::Key);
        let mut frames = Vec::new();
        for _ in 0..30 * seconds {
            app.tick(Duration::from_secs(1) / 30, u32::MAX);
            frames.push(luminance(&picture(&mut app)));
        }
        assert!(worst_flashing(&frames, 30) <= 3, "seed {seed}: {} times", worst_flashing(&frames, 30));
        let brightest = frames.iter().flatten().copied().fold(0.0, f32::max);
        assert!(brightest > 0.1, "there is something to see");
    }
}

#[test]
fn no_key_held_down_makes_the_toy_flash() {
    for action in [Action::Palette, Action::NextScene, Action::Reset, Action::NextColorBy, Action::Glyphs] {
        let mut app = saver(1, ExitOn::Key);
        app.tick(ARMING * 2, 300);
        // The initial splash, which is bright by itself, is over by then.
        for _ in 0..15 * 30 {
            app.tick(Duration::from_secs(1) / 30, u32::MAX);
        }
        let mut frames = Vec::new();
        for _ in 0..90 {
            app.update(action);
            app.tick(Duration::from_secs(1) / 30, u32::MAX);
            frames.push(luminance(&picture(&mut app)));
        }
        assert!(worst_flashing(&frames, 30) <= 3, "{action:?}: {} times", worst_flashing(&frames, 30));
    }
}

#[test]
fn each_policy_ends_at_its_input_and_not_before_it_is_armed() {
    let far = Activity::Pointer([30.0, 9.0]);
    let touches = [Activity::Key, Activity::Button, far, Activity::Focus(true), Activity::Focus(false)];
    for (dismissal, ends) in [
        (ExitOn::Key, [true, false, false, false, false]),
        (ExitOn::KeyOrMouse, [true, true, true, false, false]),
        (ExitOn::Focus, [true, true, true, true, false]),
        (ExitOn::None, [false; 5]),
    ] {
        for (touch, ends) in touches.into_iter().zip(ends) {
            let mut app = saver(1, dismissal);
            let touched = |app: &mut App, touch| {
                app.update(Action::UserActivity(touch));
                app.take_request()
            };
            app.tick(ARMING - Duration::from_millis(50), u32::MAX);
            assert_eq!(touched(&mut app, touch), None, "{dismissal:?} heeds {touch:?} before it is armed");
            app.tick(Duration::from_millis(60), u32::MAX);
            assert_eq!(touched(&mut app, Activity::Pointer([5.0, 5.0])), None, "the first position is not a movement");
            assert_eq!(touched(&mut app, Activity::Pointer([5.9, 5.0])), None, "a tremble is not a movement either");
            assert_eq!(touched(&mut app, touch), ends.then_some(Request::Quit), "{dismissal:?}, {touch:?}");
        }
    }
}

/// A toy that plays by itself after 20 s without input.
fn idle_toy(name: &str) -> App {
    let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap();
    let mut options = Options::new(scene, SCENES.clone());
    options.saver.idle = Some(Duration::from_secs(20));
    options.simulation = SimulationOptions { particles: Some(60), seed: 5, ..SimulationOptions::default() };
    App::new(options)
}

/// Lets seconds pass with few steps in each.
fn pass(app: &mut App, seconds: u32) {
    (0..seconds).for_each(|_| _ = app.tick(Duration::from_secs(1), 2));
}

#[test]
fn without_input_the_autopilot_plays_gently_until_the_next_input() {
    let mut app = idle_toy("circle");
    let second = |app: &mut App, count: u32| (0..60 * count).for_each(|_| _ = app.tick(Duration::from_secs(1) / 60, 9));
    app.update(Action::SetTilt(0.3));
    second(&mut app, 19);
    app.update(Action::Palette);
    let palette = app.palette().name().to_owned();
    second(&mut app, 19);
    assert!(!app.is_played_idly(), "the input has delayed it");
    second(&mut app, 2);
    assert!(app.is_played_idly() && !app.is_piloted());
    let (mut furthest, mut pushes, mut particles) = (0.0_f32, 0, 0);
    for _ in 0..120 {
        second(&mut app, 1);
        furthest = furthest.max((app.world().tilt_target() - 0.3).abs());
        pushes += usize::from(app.hand().grip() == Some(PointerMode::Push));
        particles = particles.max(app.world().particles());
    }
    assert!((0.05..=0.31).contains(&furthest), "a slow tilt of {furthest} rad");
    assert!(pushes > 0 && particles > 60, "{pushes} seconds of breeze, {particles} particles");
    assert_eq!((app.scene().name.as_str(), app.palette().name()), ("circle", palette.as_str()));
    // The key that ends it also has its usual effect.
    app.update(Action::Brush(true));
    assert!(!app.is_played_idly() && app.hand().grip().is_none());
    assert_eq!(app.world().tilt_target(), 0.3, "as the user left it");

    app.update(Action::Pause);
    pass(&mut app, 60);
    assert!(!app.is_played_idly(), "it does not play while paused");
    app.update(Action::Pause);
    app.update(Action::Help);
    pass(&mut app, 60);
    assert!(!app.is_played_idly(), "it does not play while the help is open");
}

/// One scene of each kind, coarsely; .ci/run plays all of them.
#[test]
fn a_scene_that_nobody_touches_is_never_still() {
    for name in ["circle", "seiche", "chain"] {
        let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap();
        let quietest = stillness::quietest(scene, Duration::from_secs(8), Some(200));
        assert!(quietest.share >= stillness::LIMIT, "{name}: {quietest:?}");
    }
}

#[test]
fn an_experiment_starts_again_while_nobody_touches_it() {
    let mut app = idle_toy("seiche");
    let repeat = app.scene().world.repeat.expect("it repeats");
    pass(&mut app, 19);
    let steps = app.world().steps();
    assert!(steps as f32 / 60.0 < repeat, "two steps a second");
    (0..60 * 30).for_each(|_| _ = app.tick(Duration::from_secs(1) / 60, 9));
    assert!(app.is_played_idly() && app.world().time() < f64::from(repeat) + 1.0, "{} s", app.world().time());
    assert_eq!((app.world().tilt_target(), app.hand().grip()), (0.0, None), "nothing else happens to it");
    app.update(Action::Brush(true));
    (0..60 * 15).for_each(|_| _ = app.tick(Duration::from_secs(1) / 60, 9));
    assert!(app.world().time() > f64::from(repeat) + 2.0, "it belongs to its user");
}

#[test]
fn after_ten_minutes_it_rests_until_the_next_input() {
    // A fountain never comes to rest by itself.
    let mut app = idle_toy("fountain");
    pass(&mut app, IDLE_PLAY.as_secs() as u32);
    assert!(app.is_played_idly() && !app.is_resting() && !app.is_idle());
    pass(&mut app, 21);
    assert!(!app.is_played_idly() && app.is_resting() && app.is_idle());
    assert_eq!(app.world().tilt_target(), 0.0);
    let steps = app.world().steps();
    pass(&mut app, 10);
    app.update(Action::Focus(false));
    app.rest(Duration::from_secs(3600));
    assert_eq!((app.world().steps(), app.is_resting()), (steps, true), "nothing moves");
    app.update(Action::Tilt(Direction::Left));
    assert!(!app.is_resting() && app.world().tilt_target() < 0.0, "the key has its usual effect");
    app.tick(Duration::from_secs(1), 2);
    assert_eq!(app.world().steps(), steps + 2);

    let mut still = idle_toy("fountain");
    still.update(Action::Focus(true));
    let mut options = still.options().clone();
    options.saver.idle = None;
    let mut still = App::new(options);
    pass(&mut still, 700);
    assert!(!still.is_played_idly() && !still.is_resting(), "--idle 0 switches both off");
}

#[cfg(unix)]
use crate::pty;

/// The real program in a terminal.
#[cfg(unix)]
mod session {
    use super::pty::{ECHO, Pty, Setup};
    use super::*;

    fn start(args: &[&str]) -> Pty {
        let small = ["--particles", "200"];
        let mut pty = Setup::new([SLOSH].into_iter().chain(args.iter().copied()).chain(small)).answering().start();
        pty.wait_for_picture();
        pty
    }

    #[track_caller]
    fn assert_plays(pty: &mut Pty, time: Duration) {
        assert_eq!(pty.end(time), None, "it has ended: {}", pty.tail());
    }

    #[test]
    fn stray_bytes_and_late_answers_do_not_end_it_and_a_key_does() {
        for args in [&["saver"][..], &["--screensaver"]] {
            // A scene with characters in its first frame, which is how a picture is recognized.
            let scene = ["--scenes", "cork"];
            let mut pty = Setup::new([SLOSH].into_iter().chain(args.iter().copied()).chain(scene)).start();
            // Input typed ahead, the release of the key that started it, and replies to queries of other programs.
            pty.send(b"\r\nls\x1b[13;1:3u\x1b[I\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;22c\x1b[24;80R");
            pty.wait_for_picture();
            pty.send(b" x\x1b");
            assert_plays(&mut pty, Duration::from_millis(1500));
            // Late replies, whole and in two pieces; focus; mouse; a key release.
            pty.send(b"\x1b]11;rgb:1c1c/1c1c/1c1c\x07\x1b[?62;22c\x1b[0n\x1bP>|late 1.0\x1b\\\x1b[?2026;2$y");
            pty.send(b"\x1b]10;rgb:ffff/");
            assert_plays(&mut pty, Duration::from_millis(100));
            pty.send(b"ffff/ffff\x1b\\\x1b[O\x1b[I\x1b[<35;20;10M\x1b[<0;20;10M\x1b[<0;20;10m\x1b[97;1:3u");
            assert_plays(&mut pty, Duration::from_millis(500));
            pty.send(b"x");
            let status = pty.end(SOON).expect("it should have ended by now");
            assert_eq!(Pty::code(status), 0, "{}", pty.tail());
            // The terminal's driver has echoed input that came before the session.
            let traces: Vec<String> = pty.traces().into_iter().filter(|trace| trace != ECHO).collect();
            assert_eq!(traces, [""; 0], "{:?}", pty.tail());
        }
    }

    /// The keys that quit and suspend act from the first moment on; other keys only later.
    #[test]
    fn control_c_and_q_end_it_at_once_and_control_z_suspends_it() {
        for key in [&b"\x03"[..], b"q", b"\x1b[99;5u"] {
            let mut pty = start(&["saver"]);
            pty.send(key);
            assert!(pty.end(ARMING * 20).is_some(), "{key:?}");
            assert_eq!(pty.traces(), [""; 0]);
        }
        let script = "set -m; \"$0\" saver --particles 200; echo stopped; read x; fg; echo ended";
        let mut pty = Setup::new(["/bin/sh", "-c", script, SLOSH]).answering().start();
        pty.wait_for_picture();
        pty.pump(ARMING + Duration::from_millis(200));
        pty.send(b"\x1a");
        assert!(pty.pump_until(SOON, |pty| pty.screen().contents().contains("stopped")), "{}", pty.tail());
        pty.send(b"\n");
        assert!(pty.pump_until(SOON, |pty| pty.screen().alternate_screen()), "{}", pty.tail());
        assert_plays(&mut pty, Duration::from_millis(300));
        pty.send(b"x");
        assert!(pty.pump_until(SOON, |pty| pty.screen().contents().contains("ended")), "{}", pty.tail());
    }

    /// A slow link delivers the replies to the first queries in pieces.
    #[test]
    fn a_reply_that_is_split_after_its_first_byte_does_not_end_it() {
        for reply in [&b"]11;rgb:1c1c/1c1c/1c1c\x1b\\"[..], b"[?62;22c"] {
            for command in ["saver", "dam"] {
                let mut pty = Setup::new([SLOSH, command, "--particles", "200"]).start();
                pty.wait_for_picture();
                if command == "saver" {
                    assert_plays(&mut pty, ARMING + Duration::from_millis(300));
                }
                pty.send(b"\x1b");
                assert_plays(&mut pty, Duration::from_millis(70));
                pty.send(reply);
                assert_plays(&mut pty, Duration::from_millis(500));
            }
        }
    }

    #[test]
    fn any_key_ends_it() {
        for key in [&b"\x1b[57427u"[..], b"\x1b[57361u", b"\x1b[57358u", b"\x1b[R", b"\x1b[3$", b"\x1bOa", b"\xe4"] {
            let mut pty = start(&["saver"]);
            assert_plays(&mut pty, ARMING + Duration::from_millis(100));
            pty.send(key);
            assert!(pty.end(SOON).is_some(), "{key:?}");
        }
    }

    #[test]
    fn exit_policies_hold_in_a_terminal() {
        let armed = ARMING + Duration::from_millis(500);
        let mut pty = start(&["saver", "--exit-on", "key+mouse"]);
        assert_plays(&mut pty, armed);
        pty.send(b"\x1b[<35;20;10M");
        assert_plays(&mut pty, Duration::from_millis(200));
        pty.send(b"\x1b[<35;60;20M");
        pty.assert_ends(SOON, 0);

        let mut pty = start(&["saver", "--exit-on", "none"]);
        assert_plays(&mut pty, armed);
        pty.send(b"xq\x1b[<0;20;10M\x1b[I\x03");
        assert_plays(&mut pty, Duration::from_millis(500));
        pty.signal(rustix::process::Signal::TERM);
        pty.assert_ends(SOON, 143);

        let mut pty = start(&["saver", "--exit-on", "focus"]);
        assert_plays(&mut pty, armed);
        pty.send(b"\x1b[O");
        assert_plays(&mut pty, Duration::from_millis(300));
        pty.send(b"\x1b[I");
        pty.assert_ends(SOON, 0);
    }

    /// A rested session writes nothing, and a key still gets its frame. The level shows that the toy is tilted, and is
    /// hidden while the autopilot plays.
    #[test]
    fn the_idle_toy_plays_by_itself_until_a_key() {
        let mut pty = start(&["--idle", "2", "--quiet", "circle"]);
        pty.send(b" ");
        assert!(pty.pump_until(SOON, |pty| pty.screen().contents().contains("paused")), "{}", pty.tail());
        pty.send(b" \x1b[C");
        let level = |pty: &Pty| pty.screen().contents().contains('●');
        assert!(pty.pump_until(SOON, level), "{}", pty.screen().contents());
        assert!(pty.pump_until(SOON, |pty| !level(pty)), "it plays by itself: {}", pty.screen().contents());
        pty.send(b"\x1b[C");
        assert!(pty.pump_until(SOON, level), "{}", pty.screen().contents());
        pty.send(b"q");
        pty.assert_ends(SOON, 0);
    }

    #[test]
    fn the_screensaver_starts_with_the_first_of_its_scenes() {
        let mut pty = start(&["saver", "--scenes", "curtain,lava", "--every", "3600"]);
        assert_plays(&mut pty, ARMING + Duration::from_millis(500));
        pty.send(b"x");
        pty.assert_ends(SOON, 0);
    }
}
