//! A tank that several guests share: gravity, permissions, several pointers at once, and its recordings.

use crate::overlay::layers;
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::app::LookOptions;
use slosh::app::action::{PointerMode, TerminalCaps, Window};
use slosh::app::record::WriteOptions;
use slosh::app::record::replay::Replay;
use slosh::app::record::replay::lines::LineReader;
use slosh::app::shared_tank::recording::TankRecorder;
use slosh::app::shared_tank::view::{RecordedView, SharedView};
use slosh::app::shared_tank::{
    DEFAULT_ASPECT, GuestAction, GuestId, GuestName, MAX_WALL_PIECES, Permissions, SharedTank, TankConfig,
};
use slosh::cli::launch::recorded_options;
use slosh::scene;
use slosh::scene::Scene;
use slosh::view::{ColorDepth, GlyphMode};
use std::fs;
use std::path::{Path, PathBuf};

fn scene_called(name: &str) -> Scene {
    Scene::parse(scene::find(name).expect("an embedded scene"), name).expect("a right scene")
}

fn config(name: &str) -> TankConfig {
    let mut ink = scene_called("ink");
    ink.world.smoke.as_mut().expect("a grid").cells = Some(1000);
    TankConfig {
        scenes: vec![scene_called(name), ink],
        aspect: DEFAULT_ASPECT,
        allow: Permissions::ALL,
        particles: Some(600),
        ..TankConfig::default()
    }
}

fn tank(name: &str) -> SharedTank {
    SharedTank::new(config(name)).expect("a right start")
}

fn join(tank: &mut SharedTank, name: &str) -> GuestId {
    tank.join(GuestName::clean(name), false).expect("there is room")
}

fn tilt(radians: f32) -> GuestAction {
    GuestAction::Tilt { radians }
}

fn press(tool: PointerMode, x: f32, y: f32) -> GuestAction {
    GuestAction::Pointer { x, y, tool, pressed: true }
}

fn steps(tank: &mut SharedTank, count: u32) {
    (0..count).for_each(|_| tank.step());
}

#[test]
fn gravity_is_the_mean_direction_of_the_tilts_that_are_held() {
    let mut tank = tank("dam");
    let [anna, ben, cy] = ["anna", "ben", "cy"].map(|name| join(&mut tank, name));
    assert_eq!(tank.act(anna, tilt(0.6)), None);
    assert!((tank.world.tilt_target() - 0.6).abs() < 1e-6, "cy and ben hold no tilt and do not count");
    tank.act(ben, tilt(-0.6));
    assert_eq!(tank.world.tilt_target(), 0.0, "two opposite tilts are level");
    tank.act(cy, tilt(0.3));
    let mean = (2.0 * 0.6_f32.sin() - 0.6_f32.sin() * 2.0 + 0.3_f32.sin()) / (2.0 * 0.6_f32.cos() + 0.3_f32.cos());
    assert!((tank.world.tilt_target() - mean.atan()).abs() < 1e-6);
    tank.act(ben, GuestAction::ReleaseTilt);
    assert!((tank.world.tilt_target() - 0.45).abs() < 1e-6);
    tank.leave(anna);
    assert!((tank.world.tilt_target() - 0.3).abs() < 1e-6, "a guest that leaves releases its tilt");
    tank.act(cy, GuestAction::ReleaseTilt);
    assert_eq!(tank.world.tilt_target(), 0.0);
    steps(&mut tank, 120);
    assert_eq!(tank.world.tilt(), 0.0);
}

#[test]
fn forbidden_actions_are_refused_and_watching_is_always_allowed() {
    let [tilts, scenes] = [tilt(0.2), GuestAction::Scene(1)];
    let asked = [
        ("tilt", tilts),
        ("tilt", GuestAction::Shake { direction: [1.0, 0.0] }),
        ("push", press(PointerMode::Push, 0.5, 0.5)),
        ("push", press(PointerMode::Pull, 0.5, 0.5)),
        ("push", GuestAction::Burst),
        ("pour", press(PointerMode::Pour, 0.5, 0.5)),
        ("pour", press(PointerMode::Drain, 0.5, 0.5)),
        ("walls", press(PointerMode::Wall, 0.5, 0.5)),
        ("heat", press(PointerMode::Heat, 0.5, 0.5)),
        ("heat", press(PointerMode::Cool, 0.5, 0.5)),
        ("scene", scenes),
        ("reset", GuestAction::Reset),
    ];
    for allowed in Permissions::NAMES {
        let allow: Permissions = allowed.parse().expect("a permission");
        let mut tank = SharedTank::new(TankConfig { allow, ..config("dam") }).expect("a right start");
        let anna = join(&mut tank, "anna");
        join(&mut tank, "ben");
        for (needs, action) in asked {
            let accepted = tank.act(anna, action).is_none();
            assert_eq!(accepted, needs == allowed, "{action:?} with --allow {allowed}");
        }
        let looking = GuestAction::Pointer { x: 0.2, y: 0.3, tool: PointerMode::Push, pressed: false };
        assert_eq!(tank.act(anna, looking), None);
        let at = tank.hands().next().map(|hand| hand.at / tank.world.size());
        assert!(at.is_some_and(|at| at.distance(Vec2::new(0.2, 0.7)) < 1e-6), "{at:?}");
    }
    assert_eq!("all".parse(), Ok(Permissions::ALL));
    assert_eq!("none".parse(), Ok(Permissions::default()));
    assert_eq!("copy,all".parse(), Ok(Permissions { copy: true, ..Permissions::ALL }));
    assert!("tilt,none".parse::<Permissions>().is_err());
    let wrong = "tilt,pore".parse::<Permissions>().expect_err("no permission");
    assert!(wrong.contains("\"pore\"") && wrong.contains("did you mean pour"), "{wrong}");
}

/// +135° and −135° are the same distance from upside down. A direction that passes upside down goes on.
#[test]
fn tilts_are_directions_and_the_tank_turns_the_shorter_way() {
    let degrees = |angle: f32| angle.to_degrees().round();
    let mut shared = tank("dam");
    let [anna, ben] = ["anna", "ben"].map(|name| join(&mut shared, name));
    shared.act(anna, tilt(135_f32.to_radians()));
    shared.act(ben, tilt(-135_f32.to_radians()));
    assert_eq!(degrees(shared.world.tilt_target()).abs(), 180.0);

    let mut turned = tank("dam");
    let anna = join(&mut turned, "anna");
    for angle in [90.0, 170.0, 180.0, -170.0, -90.0_f32] {
        let before = turned.world.tilt_target();
        turned.act(anna, tilt(angle.to_radians()));
        let by = turned.world.tilt_target() - before;
        assert!(by > 0.0 && by < 1.8, "{angle}°: {} in a step", by.to_degrees());
    }
    assert_eq!(degrees(turned.world.tilt_target()), 270.0);
    turned.act(anna, GuestAction::ReleaseTilt);
    assert_eq!(degrees(turned.world.tilt_target()), 360.0, "upright by the shorter way");
}

#[test]
fn guests_choose_scenes_and_the_host_may_do_what_guests_may_not() {
    let allow = "tilt,scene".parse().expect("permissions");
    let mut tank = SharedTank::new(TankConfig { allow, ..config("dam") }).expect("a right start");
    let anna = join(&mut tank, "anna");
    let owner = tank.join(GuestName::clean("owner"), true).expect("there is room");
    tank.announcements.clear();
    assert_eq!(tank.act(anna, GuestAction::Scene(1)), None);
    assert_eq!(tank.scene().name, "ink");
    assert_eq!(tank.announcements, ["anna chose the scene ink"]);
    steps(&mut tank, 2);
    assert_ne!(tank.act(anna, GuestAction::Reset), None);
    assert_eq!(tank.world.steps(), 2);
    assert_eq!(tank.act(owner, GuestAction::Reset), None);
    assert_eq!(tank.world.steps(), 0);
    assert_ne!(tank.act(anna, press(PointerMode::Wall, 0.5, 0.5)), None);
    assert_eq!(tank.act(owner, press(PointerMode::Wall, 0.5, 0.5)), None);
}

/// The mean horizontal velocity of the liquid within 0.15 m of a position, m/s.
fn stream(tank: &SharedTank, x: f32, y: f32) -> f32 {
    let world = &tank.world;
    let at = Vec2::new(x, 1.0 - y) * world.size();
    let particles = world.liquid().expect("a liquid").particles();
    let near: Vec<f32> = particles
        .alive()
        .filter(|&slot| particles.position(slot).distance(at) < 0.15)
        .map(|slot| particles.velocity(slot).x)
        .collect();
    assert!(near.len() > 3, "there is liquid at {x}, {y}");
    near.iter().sum::<f32>() / near.len() as f32
}

#[test]
fn pointers_of_several_guests_act_in_the_same_step() {
    let streams = |hands: [bool; 2]| {
        let mut tank = tank("seiche");
        let [anna, ben] = ["anna", "ben"].map(|name| join(&mut tank, name));
        steps(&mut tank, 60);
        for step in 0..20 {
            let way = 0.15 * step as f32 / 20.0;
            let pushes = [(anna, 0.2 + way), (ben, 0.8 - way)].into_iter().zip(hands).filter(|(_, pushes)| *pushes);
            for ((guest, x), _) in pushes {
                tank.act(guest, press(PointerMode::Push, x, 0.85));
            }
            tank.step();
        }
        [stream(&tank, 0.3, 0.85), stream(&tank, 0.7, 0.85)]
    };
    let [[left, right], [own_left, own_right]] = [streams([true; 2]), streams([false; 2])];
    assert!(left - own_left > 0.1, "{left} m/s instead of {own_left}");
    assert!(right - own_right < -0.1, "{right} m/s instead of {own_right}");
}

#[test]
fn several_guests_pour_more_than_one_and_no_more_than_the_tank_holds() {
    let poured = |pourers: &[f32], seconds: u32| {
        let mut tank = tank("dam");
        let before = tank.world.particles();
        for (nth, x) in pourers.iter().enumerate() {
            let guest = join(&mut tank, &format!("guest{nth}"));
            tank.act(guest, press(PointerMode::Pour, *x, 0.2));
        }
        steps(&mut tank, 60 * seconds);
        let area = tank.world.liquid().expect("a liquid").particle_area();
        let share = tank.world.particles() as f32 * area / tank.world.size().element_product();
        (tank.world.particles() - before, share)
    };
    let (one, two) = (poured(&[0.8], 1).0, poured(&[0.6, 0.9], 1).0);
    assert!(one > 10 && two > one * 17 / 10, "{one} and {two} particles");
    let (_, share) = poured(&[0.1, 0.3, 0.5, 0.7, 0.9], 12);
    assert!((0.7..=0.901).contains(&share), "{share} of the tank");
}

/// Two guests drop food into one aquarium, and its fish eat and grow.
#[test]
fn everybody_feeds_the_same_fish() {
    let mut tank = tank("aquarium");
    let size = tank.world.size();
    let mass = |tank: &SharedTank| tank.world.bodies().iter().map(|body| body.mass).sum::<f32>();
    let before = mass(&tank);
    // Water, the species, food.
    let food = 1 + tank.world.definition().fish.len();
    for (name, x) in [("anna", 0.3), ("ben", 0.7)] {
        let guest = join(&mut tank, name);
        (0..food).for_each(|_| _ = tank.act(guest, GuestAction::NextFluid));
        tank.act(guest, press(PointerMode::Pour, x, 0.3));
    }
    steps(&mut tank, 60);
    let crumbs = &tank.world.life().expect("life").crumbs;
    for x in [0.3, 0.7] {
        let near = crumbs.iter().filter(|crumb| (crumb.at.x / size.x - x).abs() < 0.1).count();
        assert!(near > 0, "no food at {x}: {:?}", crumbs.iter().map(|crumb| crumb.at).collect::<Vec<_>>());
    }
    steps(&mut tank, 600);
    assert!(mass(&tank) > 1.001 * before, "the fish had {before} kg and have {} kg", mass(&tank));
}

#[test]
fn two_pointers_hold_a_cloth_at_two_points() {
    let mut tank = tank("curtain");
    let [anna, ben] = ["anna", "ben"].map(|name| join(&mut tank, name));
    let place = |tank: &SharedTank, x: f32| {
        let (size, cloth) = (tank.world.size(), tank.world.cloth().expect("a cloth"));
        let target = Vec2::new(x, 0.4) * size;
        let nodes = &cloth.at;
        let nearest = (0..nodes.len()).min_by(|&a, &b| {
            let off = |node: usize| nodes[node].truncate().as_vec2().distance(target);
            off(a).total_cmp(&off(b))
        });
        nearest.expect("a cloth has nodes")
    };
    let held = [0.3, 0.7].map(|x| place(&tank, x));
    let at = |tank: &SharedTank, node: usize| tank.world.cloth().expect("a cloth").at[node].x;
    let before = held.map(|node| at(&tank, node));
    // Ben presses later than Anna and releases earlier; each drags its own piece.
    for step in 0..60 {
        let way = 0.1 * step as f32 / 60.0;
        tank.act(anna, press(PointerMode::Push, 0.3 - way, 0.6));
        if (5..50).contains(&step) {
            tank.act(ben, press(PointerMode::Push, 0.7 + way, 0.6));
        } else if step == 50 {
            tank.act(ben, GuestAction::HidePointer);
        }
        tank.step();
    }
    let moved = [0, 1].map(|hand| at(&tank, held[hand]) - before[hand]);
    assert!(moved[0] < -0.05 && moved[1] > 0.02, "{moved:?} m");
}

#[test]
fn hostile_numbers_are_refused_and_names_are_cleaned() {
    let mut tank = tank("dam");
    let anna = join(&mut tank, "anna");
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30];
    for number in bad {
        let with_number = [
            tilt(number),
            press(PointerMode::Push, number, 0.5),
            press(PointerMode::Wall, 0.5, number),
            GuestAction::Shake { direction: [number, 0.0] },
        ];
        for action in with_number {
            assert_ne!(tank.act(anna, action), None, "{action:?}");
        }
        assert!(SharedTank::new(TankConfig { aspect: number, ..config("dam") }).is_err());
    }
    assert_ne!(tank.act(anna, GuestAction::Scene(2)), None);
    assert_ne!(tank.act(GuestId(77), GuestAction::Burst), None);
    for (given, clean) in [
        ("anna", "anna"),
        ("\x1b[31mred\x07", "31mred"),
        ("a b\u{202e}c/../d", "abc..d"),
        ("日本", "guest"),
        ("", "guest"),
        ("0123456789abcdefXYZ", "0123456789abcdef"),
    ] {
        assert_eq!(GuestName::clean(given).as_str(), clean);
    }
    // A guest cannot draw an unlimited number of walls.
    let mut wild = fastrand::Rng::with_seed(5);
    for _ in 0..3 * MAX_WALL_PIECES {
        let [x, y] = [wild.f32(), wild.f32()];
        tank.act(anna, GuestAction::Pointer { x, y, tool: PointerMode::Wall, pressed: wild.u8(0..9) > 0 });
    }
    assert!(tank.world.drawn_walls() <= MAX_WALL_PIECES);
}

/// Three guests perform all kinds of actions.
fn play(tank: &mut SharedTank, mut after_step: impl FnMut(&mut SharedTank)) {
    let mut random = fastrand::Rng::with_seed(11);
    let mut guests: Vec<GuestId> = Vec::new();
    for step in 0..150_u32 {
        if step % 40 == 0 {
            guests.push(join(tank, &format!("guest{step}")));
        }
        if step == 130 {
            tank.leave(guests.remove(0));
        }
        if step == 90 {
            tank.act(guests[0], GuestAction::Reset);
        }
        for guest in &guests {
            let [x, y] = [random.f32(), random.f32()];
            let tool = PointerMode::ALL[random.usize(0..PointerMode::ALL.len())];
            let action = match random.u8(0..8) {
                0 => tilt(random.f32() - 0.5),
                1 => GuestAction::Burst,
                2 => GuestAction::Brush { larger: random.bool() },
                3 => GuestAction::NextFluid,
                4 => GuestAction::Shake { direction: [random.f32() - 0.5, random.f32() - 0.5] },
                5 if step % 7 == 0 => GuestAction::ReleaseTilt,
                6 if step % 11 == 0 => GuestAction::HidePointer,
                _ => GuestAction::Pointer { x, y, tool, pressed: random.u8(0..4) > 0 },
            };
            tank.act(*guest, action);
        }
        tank.step();
        after_step(tank);
    }
}

#[test]
fn a_recorded_session_plays_again_frame_for_frame_on_any_number_of_threads() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-tank");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("session.slosh");
    // Enough particles for more than one thread.
    let mut config = config("dam");
    config.particles = Some(2500);
    config.idle = Some(0.5);
    let mut tank = SharedTank::new(config).expect("a right start");
    let look = RecordedView {
        look: LookOptions::default(),
        settings: String::new(),
        window: Window { columns: 60, rows: 14, cell: [0, 0] },
    };
    let write = WriteOptions { force: true, ..WriteOptions::default() };
    let mut recorder = TankRecorder::begin(&file, write, &mut tank, &look).expect("a recording");
    play(&mut tank, |tank| recorder.after_step(tank).expect("written"));
    // Then there is no input, and the tank plays by itself.
    (0..60).for_each(|_| {
        tank.step();
        recorder.after_step(&mut tank).expect("written");
    });
    assert!(tank.is_played_idly());
    recorder.finish().expect("written");
    for threads in [1, 2] {
        let mut replay = Replay::open(&file, threads, recorded_options).expect("a recording");
        let mut frames = 0;
        while let Some(at) = replay.advance().unwrap_or_else(|error| panic!("{threads} threads: {error}")) {
            frames += 1;
            assert!(at.as_secs_f64() < 3.6);
        }
        assert_eq!(frames, 106, "one at the start and 30 a second");
    }

    // Manual changes are detected, and the error names the line.
    let refused = |text: String| {
        let changed: PathBuf = folder.join("changed.slosh");
        fs::write(&changed, text).expect("a file");
        let mut replay = match Replay::open(&changed, 1, recorded_options) {
            Ok(replay) => replay,
            Err(error) => return error.to_string(),
        };
        loop {
            match replay.advance() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("no error was found"),
                Err(error) => return error.to_string(),
            }
        }
    };
    let text = fs::read_to_string(&file).expect("a file");
    let named = text.replace("\"radians\":0.", "\"radians\":1.");
    assert_ne!(named, text);
    assert!(refused(named).contains("differs from the recorded one"));
    assert!(refused(text.replacen("{\"steps\":", "{\"steps\":90000", 1)).contains("steps are out of range"));
    assert!(refused(text.replacen("\"aspect\":2.4", "\"aspect\":99", 1)).contains("aspect"));
    assert!(refused(text.replacen("\"columns\":60", "\"columns\":0", 1)).contains("0×14"));
    assert!(refused(text.replacen("\"tank\":[[\"dam\"", "\"tank\":[[\"damn\"", 1)).contains(":1"));
}

#[test]
fn without_input_the_shared_tank_plays_by_itself() {
    let mut tank = SharedTank::new(TankConfig { idle: Some(2.0), ..config("dam") }).expect("a right start");
    steps(&mut tank, 200);
    assert!(!tank.is_played_idly(), "no guest is left");
    let anna = join(&mut tank, "anna");
    tank.act(anna, tilt(0.5));
    steps(&mut tank, 119);
    assert!(!tank.is_played_idly());
    let mut leans: f32 = 0.0;
    for _ in 0..15 * 60 {
        tank.step();
        leans = leans.max(tank.world.tilt().abs());
    }
    assert!(tank.is_played_idly() && leans > 0.05, "{leans} radians");
    tank.act(anna, GuestAction::ReleaseTilt);
    assert!(!tank.is_played_idly());
    assert_eq!(tank.world.tilt_target(), 0.0);
}

#[test]
fn the_hosts_aspect_overrides_that_of_a_scene() {
    let own = |config: TankConfig| {
        let tank = SharedTank::new(config).expect("a right start");
        let size = tank.world.size();
        size.x / size.y
    };
    let scene = scene_called("hourglass");
    let aspect = scene.world.tank.aspect.expect("a scene with an aspect of its own");
    let config = TankConfig { scenes: vec![scene], aspect: 3.0, particles: Some(100), ..TankConfig::default() };
    assert!((own(config.clone()) - aspect).abs() < 1e-3);
    assert!((own(TankConfig { overrides_aspect: true, ..config }) - 3.0).abs() < 1e-3);
}

#[test]
fn every_window_shows_the_entire_tank_with_pointers_and_names() {
    let mut tank = tank("dam");
    let [anna, ben] = ["anna", "ben"].map(|name| join(&mut tank, name));
    steps(&mut tank, 10);
    tank.act(anna, GuestAction::Pointer { x: 0.3, y: 0.4, tool: PointerMode::Push, pressed: false });
    tank.act(ben, press(PointerMode::Pour, 0.97, 0.7));
    for (depth, glyphs, unicode) in [
        (ColorDepth::TrueColor, GlyphMode::default(), true),
        (ColorDepth::Ansi16, GlyphMode::Half, true),
        (ColorDepth::Mono, GlyphMode::Ascii, false),
    ] {
        let caps = TerminalCaps { glyphs, unicode, depth, ..TerminalCaps::default() };
        for (columns, rows) in [(80, 24), (30, 40), (200, 20)] {
            let mut buf = Buffer::empty(Rect::new(0, 0, columns, rows));
            SharedView::new(LookOptions::default(), caps, (0, 0)).draw(&tank, &mut buf);
            let text: Vec<String> = buf
                .content
                .chunks(columns.into())
                .map(|row| row.iter().map(|cell| cell.symbol().to_owned()).collect())
                .collect();
            for name in ["anna", "ben"] {
                assert!(text.iter().any(|row| row.contains(name)), "{name} at {columns}×{rows}: {text:#?}");
            }
            if (columns, rows, depth) == (80, 24, ColorDepth::TrueColor) {
                insta::assert_snapshot!("guests", layers(&text));
            }
            let named = buf.content.iter().find(|cell| cell.symbol() == "b").expect("a name");
            assert!(depth == ColorDepth::Mono || named.fg != named.bg, "{named:?}");
        }
    }
    for (columns, rows) in [(1, 1), (1, 500), (1000, 1), (1000, 500), (3, 2)] {
        let mut buf = Buffer::empty(Rect::new(0, 0, columns, rows));
        SharedView::new(LookOptions::default(), TerminalCaps::default(), (0, 0)).draw(&tank, &mut buf);
    }
}

#[test]
fn a_mangled_recording_is_an_error_and_never_a_panic() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mangled.slosh");
    let mut start = config("drop");
    start.particles = Some(80);
    let mut tank = SharedTank::new(start).expect("a right start");
    let look = RecordedView {
        look: LookOptions::default(),
        settings: String::new(),
        window: Window { columns: 20, rows: 5, cell: [0, 0] },
    };
    let write = WriteOptions { force: true, ..WriteOptions::default() };
    let mut recorder = TankRecorder::begin(&file, write, &mut tank, &look).expect("a recording");
    let anna = join(&mut tank, "anna");
    for step in 0..20 {
        let x = 0.05 * step as f32;
        tank.act(anna, press(PointerMode::ALL[step / 4], x, 0.5));
        tank.act(anna, tilt(x));
        tank.act(anna, GuestAction::Scene(1));
        tank.step();
        recorder.after_step(&mut tank).expect("written");
    }
    recorder.finish().expect("written");
    let text = fs::read(&file).expect("a file");
    let mut random = fastrand::Rng::with_seed(3);
    let bits: [&[u8]; 10] = [
        b"null",
        b"-1",
        b"1e39",
        b"65536",
        b"\"",
        b"{",
        b"[[]]",
        b"{\"join\":{\"name\":\"\\u001b[2J\",\"host\":false}}\n",
        b"{\"steps\":600}\n",
        b"\n",
    ];
    let mut refused = 0;
    for _ in 0..120 {
        let mut mangled = text.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..mangled.len());
            let end = (at + random.usize(0..6)).min(mangled.len());
            mangled.splice(at..end, bits[random.usize(0..bits.len())].iter().copied());
        }
        let lines = LineReader::new(std::io::Cursor::new(mangled));
        let replay = Replay::read(lines, Path::new("mangled.slosh"), 1, recorded_options);
        let Ok(mut replay) = replay else {
            refused += 1;
            continue;
        };
        for _ in 0..60 {
            match replay.play_line() {
                Ok(slosh::app::record::replay::Played::All) => break,
                Ok(_) => {}
                Err(error) => {
                    assert!(error.to_string().starts_with("mangled.slosh:"), "{error}");
                    refused += 1;
                    break;
                }
            }
        }
    }
    assert!(refused > 90, "{refused} of 120 were detected");
}
