//! The panel with the scene's parameters: keys and mouse move sliders, and changes can be undone and saved.

use crate::overlay::layers;
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::app::action::{Action, Direction, PointerMode, Window};
use slosh::app::{App, ControlOptions, Options, Request, SimulationOptions};
use slosh::data::Setting;
use slosh::scene;
use slosh::scene::{Scene, parameters};
use slosh::sim::{World, WorldOptions};
use std::collections::BTreeSet;

fn app(name: &str, columns: u16, rows: u16) -> App {
    let scenes: Vec<Scene> = ["dam", "smoke", "sph-dam", "curtain", "flag", "boats", "karman"]
        .map(|name| Scene::parse(scene::find(name).unwrap(), name).unwrap())
        .into();
    let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap();
    let simulation = SimulationOptions { particles: Some(200), ..SimulationOptions::default() };
    let mut app = App::new(Options {
        simulation,
        controls: ControlOptions { hint: false, ..ControlOptions::default() },
        ..Options::new(scene, scenes)
    });
    app.update(Action::Resize(Window { columns, rows, cell: [8, 16] }));
    app
}

fn screen(app: &mut App) -> Vec<String> {
    let mut buffer = Buffer::empty(app.window_area());
    app.draw(&mut buffer);
    let Rect { width, height, .. } = buffer.area;
    (0..height).map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect()).collect()
}

/// The panel's line for a key, and its row.
fn line(app: &mut App, key: &str) -> (u16, String) {
    let numbers = parameters::all(app.world().definition());
    let label = &numbers.iter().find(|number| number.key == key).unwrap_or_else(|| panic!("no {key}")).label;
    let label: String = label.chars().take(18).collect();
    let screen = screen(app);
    let row = screen.iter().position(|line| line.contains(&*label));
    let row = row.unwrap_or_else(|| panic!("no {label} in {screen:#?}"));
    (row as u16, screen[row].clone())
}

fn value(line: &str) -> f32 {
    let shown = line.trim_end_matches(['│', ' ', '|']).rsplit(' ').next().expect("a value");
    shown.parse().unwrap_or_else(|_| panic!("no value in {line:?}"))
}

#[test]
fn arrows_choose_and_change_and_the_fluid_follows() {
    let mut app = app("dam", 80, 24);
    let before = app.world().definition().fluid.pressure.stiffness;
    app.update(Action::Panel);
    choose(&mut app, "stiffness");
    assert_eq!(app.world().tilt_target(), 0.0, "the panel has the arrows");
    for _ in 0..3 {
        app.update(Action::Tilt(Direction::Right));
    }
    let now = app.world().definition().fluid.pressure.stiffness;
    assert!(now > 1.1 * before, "{before} became {now}");
    let liquid = app.world().liquid().expect("water").fluid().pressure.stiffness;
    assert_eq!(liquid, now, "the water itself is stiffer");
    let (_, shown) = line(&mut app, "stiffness");
    assert!((value(&shown) - now).abs() < 0.01 * now, "{shown}");
    app.update(Action::Shake(Direction::Left));
    assert!(app.world().definition().fluid.pressure.stiffness < 0.5 * now, "with shift the step is larger");
    app.update(Action::Panel);
    app.update(Action::Tilt(Direction::Right));
    assert!(app.world().tilt_target() > 0.0, "closed, it leaves the arrows to the tank");
}

#[test]
fn the_panel_turns_the_looks_of_the_picture_both_ways() {
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    let before = (app.palette().name().to_owned(), app.look().glyphs, app.look().liquid_style, app.look().color_by);
    let now =
        |app: &App| (app.palette().name().to_owned(), app.look().glyphs, app.look().liquid_style, app.look().color_by);
    for label in ["palette", "glyphs", "view", "colour by"] {
        let marked = |app: &mut App| screen(app).iter().any(|line| line.contains(&format!("› {label}")));
        let rows = (0..30).take_while(|_| {
            app.update(Action::Tilt(Direction::Down));
            !marked(&mut app)
        });
        assert!(rows.count() < 30, "no row of {label}");
        app.update(Action::Tilt(Direction::Right));
        assert_ne!(now(&app), before, "{label}");
        app.update(Action::Tilt(Direction::Left));
        assert_eq!(now(&app), before, "{label}");
    }
    insta::assert_snapshot!("panel_at_the_looks", layers(&screen(&mut app)));
}

#[test]
fn every_change_is_undone_in_turn_and_all_of_them_at_once() {
    let mut app = app("dam", 80, 24);
    let original = app.world().definition().clone();
    app.update(Action::Panel);
    // Viscosity, gravity, restitution, wall_friction.
    for side in [
        Direction::Right,
        Direction::Right,
        Direction::Down,
        Direction::Left,
        Direction::Down,
        Direction::Down,
        Direction::Right,
    ] {
        app.update(Action::Tilt(side));
    }
    let changed = app.world().definition().clone();
    assert!(
        changed.gravity < original.gravity
            && changed.fluid.phase.viscous.viscosity > original.fluid.phase.viscous.viscosity
    );
    app.update(Action::ResetSettings);
    assert_eq!(*app.world().definition(), original);
    for _ in 0..3 {
        app.update(Action::Undo);
    }
    assert_eq!(*app.world().definition(), changed, "going back to the original can be undone too");
    for _ in 0..4 {
        app.update(Action::Undo);
    }
    assert_eq!(*app.world().definition(), original);
    app.update(Action::Undo);
    assert!(screen(&mut app).iter().any(|line| line.contains("nothing to undo")));
}

#[test]
fn the_mouse_drags_sliders_and_does_not_reach_through_the_panel() {
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    let (row, shown) = line(&mut app, "gravity");
    let column = |shown: &str, of: char| shown.chars().position(|c| c == of).expect("a slider") as f32;
    let start = column(&shown, '━');
    let at = |column: f32| [column, f32::from(row) + 0.5];
    app.update(Action::Press(PointerMode::Push, at(start)));
    assert_eq!(app.world().definition().gravity, 0.0, "at the left end");
    app.update(Action::Move(at(start + 10.0)));
    let half = app.world().definition().gravity;
    app.update(Action::Move(at(start + 60.0)));
    assert_eq!(app.world().definition().gravity, 40.0, "at the right end");
    app.update(Action::Move([start + 10.0, 0.0]));
    assert_eq!(app.world().definition().gravity, half, "it is held until the button goes up");
    app.update(Action::Release([start + 10.0, 0.0]));
    app.update(Action::Move(at(start)));
    assert_eq!(app.world().definition().gravity, half);
    assert_eq!(app.hand().grip(), None, "no hand was in the water");
    app.update(Action::Undo);
    assert_eq!(app.world().definition().gravity, 9.81, "one drag is one change");
    // The water beside the panel can be reached.
    app.update(Action::Press(PointerMode::Pull, [5.0, 20.0]));
    assert_eq!(app.hand().grip(), Some(PointerMode::Pull));
}

#[test]
fn each_scene_has_its_own_parameters_and_undo() {
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    choose(&mut app, "gravity");
    app.update(Action::Tilt(Direction::Right));
    app.update(Action::NextScene);
    assert_eq!(app.scene().name, "smoke");
    app.update(Action::Undo);
    assert_eq!(app.world().definition().gravity, 9.81);
    let screen = screen(&mut app);
    assert!(screen.iter().any(|line| line.contains("swirl")), "{screen:#?}");
    assert!(!screen.iter().any(|line| line.contains("bounce")), "{screen:#?}");
}

#[test]
fn in_a_low_window_the_chosen_line_is_in_sight() {
    let mut app = app("dam", 50, 8);
    app.update(Action::Panel);
    let mut numbers = parameters::active(app.world().definition(), "");
    let main = parameters::main_first(&mut numbers);
    for (row, number) in numbers.iter().enumerate() {
        if row == main {
            assert!(screen(&mut app).iter().any(|line| line.contains("more")));
            app.update(Action::Tilt(Direction::Right));
            app.update(Action::Tilt(Direction::Down));
        }
        line(&mut app, &number.key);
        app.update(Action::Tilt(Direction::Down));
    }
    for (columns, rows) in [(1, 1), (3, 2), (20, 4), (200, 60)] {
        app.update(Action::Resize(Window { columns, rows, cell: [8, 16] }));
        screen(&mut app);
        app.update(Action::Press(PointerMode::Push, [f32::from(columns) - 0.5, 0.5]));
        app.update(Action::Release([0.0, 0.0]));
    }
}

#[test]
fn what_was_changed_is_in_the_share_code_and_can_be_saved() {
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    choose(&mut app, "gravity");
    app.update(Action::Tilt(Direction::Right));
    let gravity = app.world().definition().gravity;
    assert_eq!(app.share_code().set, [format!("gravity={gravity}")]);
    app.update(Action::Press(PointerMode::Wall, [5.0, 5.0]));
    app.update(Action::Release([5.0, 5.0]));
    app.update(Action::Save);
    assert_eq!(app.take_request(), Some(Request::Save));
    let kept = Scene::parse(&app.scene_now().to_toml(), "kept").expect("a scene");
    assert_eq!(kept.world.gravity, gravity);
    assert_eq!(kept.world.obstacle.len(), 1, "the wall that was drawn");
    let refusal = app.share_code().code().expect_err("a code has no walls");
    assert!(refusal.contains("dam with other walls"), "{refusal}");
}

/// Moves from the first row of the open panel, which is selected, to another one.
fn choose(app: &mut App, key: &str) {
    let mut numbers = parameters::active(app.world().definition(), "");
    let main = parameters::main_first(&mut numbers);
    let row = numbers.iter().position(|number| number.key == key).unwrap_or_else(|| panic!("no {key}"));
    (0..row.min(main)).for_each(|_| app.update(Action::Tilt(Direction::Down)));
    if row >= main {
        app.update(Action::Tilt(Direction::Right));
        (main..=row).for_each(|_| app.update(Action::Tilt(Direction::Down)));
    }
}

#[test]
fn five_parameters_come_first_and_the_selected_one_is_explained() {
    for scene in ["dam", "smoke", "flag"] {
        let mut app = app(scene, 80, 24);
        app.update(Action::Panel);
        insta::assert_snapshot!(format!("panel_of_{scene}"), layers(&screen(&mut app)));
        for number in parameters::active(app.world().definition(), "") {
            assert!(number.about.len() <= 80 && number.label.chars().count() <= 20, "{}", number.key);
        }
    }
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    app.update(Action::Tilt(Direction::Down));
    assert!(screen(&mut app).iter().any(|line| line.contains("Gravitational acceleration")));
    // A click on "more" opens the rest, and another closes it.
    let more = |app: &mut App| screen(app).iter().position(|line| line.contains("more (")).expect("more") as f32;
    for open in [true, false] {
        let at = [60.0, more(&mut app) + 0.5];
        app.update(Action::Press(PointerMode::Push, at));
        app.update(Action::Release(at));
        assert_eq!(screen(&mut app).iter().any(|line| line.contains("firmness")), open);
        assert_eq!(app.hand().grip(), None);
    }
}

#[test]
fn enter_opens_more_and_turns_looks_as_a_click_does() {
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    let numbers = parameters::main_first(&mut parameters::active(app.world().definition(), ""));
    (0..numbers).for_each(|_| app.update(Action::Tilt(Direction::Down)));
    for open in [true, false] {
        app.update(Action::Grab);
        assert_eq!(screen(&mut app).iter().any(|line| line.contains("firmness")), open);
    }
    app.update(Action::Tilt(Direction::Down));
    let before = app.palette().name().to_owned();
    app.update(Action::Grab);
    assert_ne!(app.palette().name(), before);
    assert_eq!(app.hand().grip(), None);
    // On a slider it has nothing to do, and is the pointer's button.
    app.update(Action::Tilt(Direction::Up));
    app.update(Action::Tilt(Direction::Up));
    app.update(Action::Grab);
    assert_eq!(app.hand().grip(), Some(PointerMode::Push));
}

#[test]
fn in_a_wide_window_the_panel_is_beside_the_tank_and_no_particle_is_lost() {
    let mut app = app("dam", 120, 40);
    let particles = app.world().particles();
    let whole = app.camera().area;
    app.update(Action::Panel);
    let area = app.camera().area;
    assert!(area.width + 40 < whole.width && area.height == whole.height, "{area:?}");
    (0..180).for_each(|_| _ = app.tick(std::time::Duration::from_millis(17), 9));
    // The tank has taken on the remaining shape.
    let (size, scale) = (app.world().size(), app.camera().scale);
    let cells = size * scale;
    assert!((cells.x - f32::from(area.width)).abs() < 0.5 && (cells.y - 40.0).abs() < 0.5, "{cells}");
    assert_eq!(app.world().particles(), particles);
    let liquid = app.world().liquid().expect("water");
    let inside = |slot: usize| {
        let at = liquid.particles().position(slot);
        at.cmpge(Vec2::ZERO).all() && at.cmple(size).all()
    };
    assert!(liquid.particles().alive().all(inside));
    let shown = screen(&mut app);
    assert!(shown.iter().all(|line| line.chars().skip(usize::from(area.width)).all(|c| !"▀▄█▌▐".contains(c))));
    // The mouse reaches all of the tank, and nothing beyond.
    app.update(Action::Press(PointerMode::Pull, [f32::from(area.width) - 1.0, 20.0]));
    assert_eq!(app.hand().grip(), Some(PointerMode::Pull));
    app.update(Action::Release([1.0, 20.0]));
    app.update(Action::Press(PointerMode::Pull, [f32::from(area.width) + 1.0, 38.0]));
    assert_eq!(app.hand().grip(), None);
    app.update(Action::Back);
    assert_eq!(app.camera().area, whole);
    (0..180).for_each(|_| _ = app.tick(std::time::Duration::from_millis(17), 9));
    assert_eq!(app.world().particles(), particles);
    // A narrow window has no room for both.
    app.update(Action::Resize(Window { columns: 90, rows: 30, cell: [8, 16] }));
    app.update(Action::Panel);
    assert_eq!(app.camera().area.width, 90);
}

#[test]
fn every_parameter_of_every_matter_can_be_changed_saved_shared_and_undone() {
    for (scene, key) in [
        ("smoke", "vorticity_confinement"),
        ("karman", "wind right"),
        ("smoke", "dye.0.buoyancy"),
        ("smoke", "dye.1.decay_rate"),
        ("sph-splash", "viscosity"),
        ("curtain", "mass"),
        ("curtain", "wind up"),
        ("flag", "gusts"),
        ("flag", "sigma"),
        ("boats", "body.1.density"),
        ("boats", "near_stiffness"),
    ] {
        let mut app = app(scene, 80, 24);
        let original = app.world().definition().clone();
        let knob = parameters::active(&original, "")
            .into_iter()
            .find(|knob| knob.key == key)
            .unwrap_or_else(|| panic!("no {key}"));
        app.update(Action::Panel);
        choose(&mut app, key);
        // In the direction in which there is room.
        let way = if knob.value(&original) > *knob.range.start() { Direction::Left } else { Direction::Right };
        app.update(Action::Tilt(way));
        app.update(Action::Tilt(way));
        let turned = knob.value(app.world().definition());
        assert_ne!(turned, knob.value(&original), "{scene}: {key}");
        let (_, shown) = line(&mut app, key);
        assert!((value(&shown) - turned).abs() <= 0.005 * turned.abs(), "{scene}: {shown:?} is not {turned}");

        // The code, and the saved file, give the same scene to others.
        let set: Vec<Setting> =
            app.share_code().set.iter().map(|text| Setting::parse(text, "--set").unwrap()).collect();
        assert_eq!(set.len(), 1, "{:?}", app.share_code().set);
        let shared =
            Scene::parse_with(scene::find(scene).unwrap(), &format!("{scene}.toml"), &set, &[]).expect("a scene");
        assert_eq!(shared.world, *app.world().definition(), "{scene}: {key}");
        let kept = Scene::parse(&app.scene_now().to_toml(), "kept").expect("a scene");
        assert_eq!(kept.world, *app.world().definition(), "{scene}: {key}");
        (0..30).for_each(|_| _ = app.tick(std::time::Duration::from_millis(17), 9));

        app.update(Action::Undo);
        app.update(Action::Undo);
        assert_eq!(*app.world().definition(), original, "{scene}: {key}");
    }
}

/// All moving and visible quantities of a tank, as bits.
fn motion(world: &World) -> Vec<u32> {
    let mut numbers = Vec::new();
    for at in (1..24).flat_map(|x| (1..24).map(move |y| Vec2::new(x as f32, y as f32) / 24.0 * world.size())) {
        if let Some(smoke) = world.smoke() {
            let v = smoke.velocity(at);
            numbers.extend([v.x, v.y].into_iter().chain((0..smoke.definition.dye.len()).map(|dye| smoke.dye(dye, at))));
        }
    }
    numbers.extend(world.bodies().iter().flat_map(|body| [body.at.x, body.at.y, body.angle]));
    numbers.extend(world.liquid().iter().flat_map(|grains| grains.particles().x.iter().chain(&grains.particles().y)));
    if let Some(grains) = world.liquid() {
        let slots = || (0..grains.particles().slots()).filter(|&slot| grains.particles().is_alive(slot));
        numbers.extend(slots().map(|slot| grains.surface(slot)));
        numbers.extend(slots().flat_map(|slot| grains.phases().fractions(grains.particles().id[slot])));
    }
    numbers.extend(world.specks().iter().flat_map(|speck| speck.at.to_array()));
    numbers.extend(world.cloth().iter().flat_map(|cloth| &cloth.at).flat_map(|at| at.as_vec3().to_array()));
    numbers.into_iter().map(f32::to_bits).collect()
}

/// It is not enough that the definition has another value: the flow must change.
#[test]
fn every_changed_parameter_of_a_grid_changes_the_flow() {
    for name in ["smoke", "ink", "karman", "cavity", "balloons"] {
        let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap();
        let mut world = World::new(&scene.world, &WorldOptions { cells: Some(600), ..WorldOptions::default() });
        // The balloons' tank is tilted and shaken, because friction and restitution act only in contact.
        let looks = if name == "balloons" { 12 } else { 1 };
        (0..10).for_each(|_| world.step());
        let play = |mut world: World| {
            (0..looks).map(move |look| {
                if looks > 1 {
                    world.tilt_to(if look % 4 < 2 { 0.8 } else { -0.8 });
                    world.shake(Vec2::X);
                }
                (0..30).for_each(|_| world.step());
                motion(&world)
            })
        };
        let left_alone: Vec<_> = play(world.clone()).collect();
        for knob in parameters::active(world.definition(), "") {
            let (mut turned, before) = (world.clone(), knob.value(world.definition()));
            let to = if before == 0.0 { 0.02 * knob.range.end() } else { 10.0 * before };
            parameters::set(
                &mut turned,
                &knob,
                if to.clamp(*knob.range.start(), *knob.range.end()) == before { 0.1 * before } else { to },
            );
            assert_ne!(knob.value(turned.definition()), before, "{name}: {} cannot be turned", knob.key);
            assert!(play(turned).ne(left_alone.iter().cloned()), "{name}: {} does nothing", knob.key);
        }
    }
}

/// The states of a world, step by step, as far as they were requested.
struct Course {
    world: World,
    steps: Vec<Vec<u32>>,
}

/// A tank that is tilted and shaken so that everything hits walls; with `hard`, hard enough to pass walls.
fn play(world: &mut World, step: usize, hard: bool) -> Vec<u32> {
    if step.is_multiple_of(40) {
        world.tilt_to(0.6);
        world.shake(Vec2::X);
        if hard {
            world.set_gravity(300.0);
        }
    }
    world.step();
    motion(world)
}

impl Course {
    fn of(world: &World) -> Self {
        Self { world: world.clone(), steps: Vec::new() }
    }

    fn differs(&mut self, mut other: World, (steps, hard): (usize, bool)) -> bool {
        (0..steps).any(|step| {
            if step == self.steps.len() {
                self.steps.push(play(&mut self.world, step, hard));
            }
            play(&mut other, step, hard) != self.steps[step]
        })
    }
}

/// All other matters. Parameters that act only above a threshold, or in a contact, need some time or a shock; the
/// others have an effect in the first steps.
#[test]
fn every_parameter_that_a_scene_offers_has_an_effect() {
    let (mut idle, mut water) = (Vec::new(), BTreeSet::new());
    for &(name, text) in scene::EMBEDDED.iter() {
        let scene = Scene::parse(text, name).unwrap().world;
        if scene.smoke.is_some() {
            continue;
        }
        let mut world = World::new(&scene, &WorldOptions { particles: Some(150), ..WorldOptions::default() });
        if world.particles() == 0 {
            world.pour(60);
        }
        // Some parameters act on nearly resting matter: here gravity is low from the start.
        let mut still = world.clone();
        still.set_gravity(0.2);
        (0..10).for_each(|_| world.step());
        let (mut soft, mut hard) = (Course::of(&world), Course::of(&world));
        let mut gentle = Course::of(&still);
        // These change the picture, or what the pointer does: tests/physics/sources.rs.
        let elsewhere = ["pointer_strength", "radius", "threshold"];
        for knob in parameters::active(world.definition(), "").into_iter().filter(|it| !elsewhere.contains(&&*it.key)) {
            let (before, range) = (knob.value(world.definition()), knob.range.clone());
            let tries = [10.0 * before, 0.1 * before, 0.05 * range.end(), *range.start(), *range.end()];
            let tries = tries.map(|to| to.clamp(*range.start(), *range.end())).into_iter().filter(|&to| to != before);
            let turned: Vec<World> = tries
                .map(|to| {
                    let mut turned = world.clone();
                    parameters::set(&mut turned, &knob, to);
                    turned
                })
                .filter(|turned| knob.value(turned.definition()) != before)
                .collect();
            let acts = |course: &mut Course, how| turned.iter().any(|world| course.differs(world.clone(), how));
            let acts_at_rest = |course: &mut Course| {
                turned.iter().any(|turned| {
                    let mut world = still.clone();
                    parameters::set(&mut world, &knob, knob.value(turned.definition()));
                    course.differs(world, (60, false))
                })
            };
            // A fluid that is only poured in is tested in a full tank; so is a drop that a cloth keeps from the walls.
            let poured = (scene.liquid.is_empty() || scene.cloth.is_some()) && water.contains(&knob.key);
            let shows = acts(&mut soft, (15, false)) || acts_at_rest(&mut gentle) || poured;
            if shows || acts(&mut soft, (600, false)) || acts(&mut hard, (60, true)) {
                if name == "dam" {
                    water.insert(knob.key.clone());
                }
            } else {
                idle.push(format!("{name}: {}", knob.key));
            }
        }
    }
    assert!(idle.is_empty(), "offered, and they do nothing: {idle:?}");
}

/// A parameter whose value makes it ineffective stays visible and selected until another one is changed.
#[test]
fn a_parameter_being_changed_stays_visible() {
    let mut app = app("jelly", 80, 50);
    app.update(Action::Panel);
    choose(&mut app, "spring");
    let shown = |app: &mut App| screen(app).iter().any(|line| line.contains("springiness") && line.contains('│'));
    for _ in 0..40 {
        app.update(Action::Tilt(Direction::Left));
    }
    assert_eq!(app.world().definition().fluid.phase.elastic.spring, 0.0);
    assert!(shown(&mut app));
    app.update(Action::Tilt(Direction::Right));
    assert!(app.world().definition().fluid.phase.elastic.spring > 0.0);
    app.update(Action::Undo);
    app.update(Action::Tilt(Direction::Up));
    app.update(Action::Tilt(Direction::Left));
    assert!(!shown(&mut app), "without springs, plasticity is not offered: {:#?}", screen(&mut app));
}

/// A parameter without effect is hidden. When it has an effect it appears, and the selection does not change.
#[test]
fn parameters_without_effect_are_not_offered() {
    let keys = |app: &App| {
        parameters::active(app.world().definition(), "").iter().map(|knob| knob.key.to_string()).collect::<Vec<_>>()
    };
    let mut app = app("karman", 80, 24);
    let offered = keys(&app);
    assert!(
        !offered.iter().any(|key| key == "lid_speed" || key == "gravity"),
        "a free-slip ceiling, no buoyancy: {offered:?}"
    );
    app.update(Action::Panel);
    choose(&mut app, "dye.0.buoyancy");
    let turn = |app: &mut App| app.update(Action::Tilt(Direction::Right));
    turn(&mut app);
    assert!(keys(&app).iter().any(|key| key == "gravity"), "gravity acts on a buoyant dye: {:?}", keys(&app));
    let buoyancy = |app: &App| app.world().definition().smoke.as_ref().expect("smoke").dye[0].buoyancy;
    let once = buoyancy(&app);
    turn(&mut app);
    assert!(buoyancy(&app) > once, "the buoyancy is still selected");
}

/// Smoke without a declared dye has a dye too.
#[test]
fn a_default_dye_can_be_changed_and_saved() {
    let text = "[smoke]\n[[smoke.source]]\nbox = [0.4, 0, 0.6, 0.1]";
    let mut scene = Scene::parse(text, "plain.toml").expect("a scene");
    let knobs = parameters::active(&scene.world, "");
    let settings = ["dye.0.buoyancy", "dye.0.decay_rate"].map(|key| {
        let knob = knobs.iter().find(|knob| knob.key == key).unwrap_or_else(|| panic!("no {key}"));
        knob.set_value(&mut scene.world, 0.125);
        knob.setting(&scene.world)
    });
    let last = [Setting::parse(&settings[1], "--set").unwrap()];
    assert_eq!(Scene::parse_with(text, "plain.toml", &last, &[]).expect("a scene"), scene);
    assert_eq!(scene.world.smoke.expect("smoke").dye[0].buoyancy, 0.125);
}

#[test]
fn changed_bodies_sink_and_changed_cloth_stays_torn() {
    let mut app = app("boats", 80, 24);
    let knob = |app: &App, key: &str| {
        parameters::active(app.world().definition(), "").into_iter().find(|knob| knob.key == key).unwrap()
    };
    let density = knob(&app, "body.0.density");
    let mass = |app: &App| app.world().bodies()[0].mass;
    let before = mass(&app);
    let mut world = app.world().clone();
    let before_density = density.value(world.definition());
    parameters::set(&mut world, &density, 3.0 * before_density);
    let after = world.bodies()[0].mass;
    assert!((after / before - 3.0).abs() < 1e-4, "{before} became {after}");

    app.update(Action::SetScene(3));
    let mut world = app.world().clone();
    let springs = |world: &World| {
        let topology = &world.cloth().expect("a curtain").topology;
        (topology.springs.len(), topology.torn())
    };
    let Vec2 { x, y } = world.size();
    world.draw_wall(Vec2::new(0.0, 0.5 * y), Vec2::new(x, 0.5 * y), 0.02);
    let (whole, gone) = springs(&world);
    assert!(gone > 10, "{gone}");
    let stretch = knob(&app, "stretch");
    let stretch_before = stretch.value(world.definition());
    parameters::set(&mut world, &stretch, 2.0 * stretch_before);
    assert_eq!(springs(&world), (whole, gone));
    // A value that would make the scene too slow is rejected.
    let mass = knob(&app, "mass");
    let before = mass.value(world.definition());
    parameters::set(&mut world, &stretch, 1e6);
    parameters::set(&mut world, &mass, 0.001);
    let kept = Scene::parse(&Scene { world: world.definition().clone(), ..app.scene().clone() }.to_toml(), "kept");
    assert!(kept.is_ok() && mass.value(world.definition()) == before, "{kept:?}");
}

#[test]
fn no_two_parameters_of_a_scene_have_one_name() {
    for name in scene::names() {
        let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap();
        let mut labels: Vec<String> =
            parameters::active(&scene.world, "").into_iter().map(|parameter| parameter.label.into_owned()).collect();
        labels.sort();
        let twin = labels.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twin, None, "{name}");
    }
}
