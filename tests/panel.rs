//! The panel with the scene's numbers: keys and mouse move sliders, and what they changed can be undone and kept.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::app::action::{Action, Grip, Side, Window};
use slosh::app::{App, Options, Request};
use slosh::sim::scene::{self, Scene};

fn app(name: &str, columns: u16, rows: u16) -> App {
    let scenes: Vec<Scene> =
        ["dam", "smoke"].map(|name| Scene::parse(scene::find(name).unwrap(), name).unwrap()).into();
    let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap();
    let mut app = App::new(Options { particles: Some(200), ..Options::new(scene, scenes) });
    app.update(Action::Resize(Window { columns, rows, cell: [8, 16] }));
    app
}

fn screen(app: &mut App) -> Vec<String> {
    let mut buffer = Buffer::empty(app.camera().area());
    app.draw(&mut buffer);
    let Rect { width, height, .. } = buffer.area;
    (0..height).map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect()).collect()
}

/// The line of the panel that shows `key`, and where it stands.
fn line(app: &mut App, key: &str) -> (u16, String) {
    let screen = screen(app);
    let row = screen.iter().position(|line| line.contains(key)).unwrap_or_else(|| panic!("no {key} in {screen:#?}"));
    (row as u16, screen[row].clone())
}

fn value(line: &str) -> f32 {
    let shown = line.trim_end_matches(['│', ' ', '|']).rsplit(' ').next().expect("a value");
    shown.parse().unwrap_or_else(|_| panic!("no value in {line:?}"))
}

#[test]
fn arrows_choose_and_change_and_the_fluid_follows() {
    let mut app = app("dam", 80, 24);
    let before = app.world().scene().fluid.stiffness;
    app.update(Action::Panel);
    // Gravity, rest density, stiffness.
    app.update(Action::Tilt(Side::Down));
    app.update(Action::Tilt(Side::Down));
    assert_eq!(app.world().tilt_target(), 0.0, "the panel has the arrows");
    for _ in 0..3 {
        app.update(Action::Tilt(Side::Right));
    }
    let now = app.world().scene().fluid.stiffness;
    assert!(now > 1.1 * before, "{before} became {now}");
    let liquid = app.world().liquid().expect("water").fluid().stiffness;
    assert_eq!(liquid, now, "the water itself is stiffer");
    let (_, shown) = line(&mut app, "stiffness");
    assert!((value(&shown) - now).abs() < 0.01 * now, "{shown}");
    app.update(Action::Shake(Side::Left));
    assert!(app.world().scene().fluid.stiffness < 0.5 * now, "with shift it is a leap");
    app.update(Action::Panel);
    app.update(Action::Tilt(Side::Right));
    assert!(app.world().tilt_target() > 0.0, "closed, it leaves the arrows to the tank");
}

#[test]
fn every_change_is_undone_in_turn_and_all_of_them_at_once() {
    let mut app = app("dam", 80, 24);
    let original = app.world().scene().clone();
    app.update(Action::Panel);
    for side in [Side::Right, Side::Right, Side::Down, Side::Left, Side::Down, Side::Right] {
        app.update(Action::Tilt(side));
    }
    let changed = app.world().scene().clone();
    assert!(changed.gravity > original.gravity && changed.fluid.rest_density < original.fluid.rest_density);
    app.update(Action::Original);
    assert_eq!(*app.world().scene(), original);
    for _ in 0..3 {
        app.update(Action::Undo);
    }
    assert_eq!(*app.world().scene(), changed, "going back to the original can be undone too");
    for _ in 0..4 {
        app.update(Action::Undo);
    }
    assert_eq!(*app.world().scene(), original);
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
    app.update(Action::Press(Grip::Push, at(start)));
    assert_eq!(app.world().scene().gravity, 0.0, "at the left end");
    app.update(Action::Move(at(start + 10.0)));
    let half = app.world().scene().gravity;
    app.update(Action::Move(at(start + 60.0)));
    assert_eq!(app.world().scene().gravity, 40.0, "at the right end");
    app.update(Action::Move([start + 10.0, 0.0]));
    assert_eq!(app.world().scene().gravity, half, "it is held until the button goes up");
    app.update(Action::Release([start + 10.0, 0.0]));
    app.update(Action::Move(at(start)));
    assert_eq!(app.world().scene().gravity, half);
    assert_eq!(app.hand().grip(), None, "no hand was in the water");
    app.update(Action::Undo);
    assert_eq!(app.world().scene().gravity, 9.81, "one drag is one change");
    // Beside the panel the water is in reach.
    app.update(Action::Press(Grip::Pull, [5.0, 20.0]));
    assert_eq!(app.hand().grip(), Some(Grip::Pull));
}

#[test]
fn each_scene_has_numbers_of_its_own_and_nothing_is_undone_across_scenes() {
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    app.update(Action::Tilt(Side::Right));
    app.update(Action::NextScene);
    assert_eq!(app.world().scene().name, "smoke");
    app.update(Action::Undo);
    assert_eq!(app.world().scene().gravity, 9.81);
    let screen = screen(&mut app);
    assert!(screen.iter().any(|line| line.contains("confinement")), "{screen:#?}");
    assert!(!screen.iter().any(|line| line.contains("stiffness")), "{screen:#?}");
}

#[test]
fn in_a_low_window_the_chosen_line_is_in_sight() {
    let mut app = app("dam", 50, 8);
    app.update(Action::Panel);
    let keys: Vec<&str> = app.world().scene().knobs().iter().map(|knob| knob.key).collect();
    for key in keys {
        line(&mut app, key);
        app.update(Action::Tilt(Side::Down));
    }
    for (columns, rows) in [(1, 1), (3, 2), (20, 4), (200, 60)] {
        app.update(Action::Resize(Window { columns, rows, cell: [8, 16] }));
        screen(&mut app);
        app.update(Action::Press(Grip::Push, [f32::from(columns) - 0.5, 0.5]));
        app.update(Action::Release([0.0, 0.0]));
    }
}

#[test]
fn what_was_changed_is_in_the_share_code_and_can_be_saved() {
    let mut app = app("dam", 80, 24);
    app.update(Action::Panel);
    app.update(Action::Tilt(Side::Right));
    let gravity = app.world().scene().gravity;
    assert_eq!(app.recipe().set, [format!("gravity={gravity}")]);
    app.update(Action::Press(Grip::Wall, [5.0, 5.0]));
    app.update(Action::Release([5.0, 5.0]));
    app.update(Action::Save);
    assert_eq!(app.take_request(), Some(Request::Save));
    let kept = Scene::parse(&app.world().scene_now().to_toml(), "kept").expect("a scene");
    assert_eq!(kept.gravity, gravity);
    assert_eq!(kept.obstacle.len(), 1, "the wall that was drawn");
}
