//! The exhibits of the articles that the program comes from, with the articles' own numbers (docs/sources.md).

use crate::play::run;
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::data::Setting;
use slosh::scene::{GROUPS, Scene, find, parameters};
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::liquid::pressure::Force;
use slosh::sim::{World, WorldOptions};
use slosh::view::{Painter, RenderStyle};

fn with(name: &str, settings: &[&str], options: &WorldOptions) -> World {
    let settings = settings.iter().map(|text| Setting::parse(text, "a test").expect("a setting"));
    let text = find(name).unwrap_or_else(|| panic!("no scene {name}"));
    let scene =
        Scene::parse_with(text, name, &settings.collect::<Vec<_>>(), &[]).unwrap_or_else(|error| panic!("{error}"));
    World::new(&scene.world, options)
}

fn exhibit(name: &str) -> World {
    with(name, &[], &WorldOptions { cells: Some(1500), ..WorldOptions::default() })
}

fn exhibits() -> impl Iterator<Item = &'static str> {
    let group = GROUPS.iter().find(|group| group.name == "sources").expect("the group");
    group.scenes.iter().map(|&(name, _)| name)
}

#[test]
fn every_exhibit_runs_for_ten_seconds_and_loses_nothing() {
    for name in exhibits() {
        let mut world = exhibit(name);
        let before = world.particles();
        run(&mut world, 10.0);
        let stats = world.stats();
        assert!(stats.kinetic.is_finite() && stats.max_speed < 20.0, "{name}: {} m/s", stats.max_speed);
        assert_eq!(world.particles(), before, "{name}");
        let Some(liquid) = world.liquid() else { continue };
        let p = liquid.particles();
        let lost =
            p.alive().filter(|&slot| !p.position(slot).is_finite() || world.walls().distance(p.position(slot)) < -1e-4);
        assert_eq!(lost.count(), 0, "{name}");
    }
}

#[test]
fn the_panel_of_an_exhibit_begins_with_the_knobs_that_its_article_names() {
    for name in exhibits() {
        let definition = exhibit(name).definition().clone();
        let mut active = parameters::active(&definition, "");
        let main = parameters::main_first(&mut active);
        for (key, label) in &definition.labels {
            let at = active.iter().position(|it| it.key == *key).unwrap_or_else(|| panic!("{name}: {key} is idle"));
            assert!(at < main && active[at].label == *label, "{name}: {key} is row {at} of {main}");
        }
        assert!(!definition.labels.is_empty(), "{name}");
    }
    let wrong = "[labels]\ngravty = \"g\"\n[[liquid]]\nbox = [0, 0, 1, 0.5]";
    let error = Scene::parse(wrong, "my.toml").expect_err("an unknown key").to_string();
    for word in ["my.toml:1:", "`labels`", "\"gravty\"", "did you mean gravity, "] {
        assert!(error.contains(word), "{error}");
    }
}

/// The largest group of particles that are nearer to each other than h, as positions.
fn largest_blob(world: &World) -> Vec<Vec2> {
    let liquid = world.liquid().expect("a liquid");
    let p = liquid.particles();
    let mut left: Vec<Vec2> = p.alive().map(|slot| p.position(slot)).collect();
    let mut largest = Vec::new();
    while let Some(first) = left.pop() {
        let (mut blob, mut next) = (vec![first], 0);
        while next < blob.len() {
            let from = blob[next];
            let near = left.extract_if(.., |at| at.distance(from) < liquid.h()).collect::<Vec<_>>();
            blob.extend(near);
            next += 1;
        }
        if blob.len() > largest.len() {
            largest = blob;
        }
    }
    largest
}

/// Ratio of the axes of the ellipse that has a blob's second moments.
fn aspect(blob: &[Vec2]) -> f32 {
    let count = blob.len() as f32;
    let mean = blob.iter().sum::<Vec2>() / count;
    let moment = |of: fn(Vec2) -> f32| blob.iter().map(|&at| of(at - mean)).sum::<f32>() / count;
    let (xx, yy, xy) = (moment(|d| d.x * d.x), moment(|d| d.y * d.y), moment(|d| d.x * d.y));
    let (half, root) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
    ((half + root) / (half - root)).sqrt()
}

#[test]
fn blobs_round_off() {
    let long = "liquid=[{ capsule = { from = [0.5, 0.42], to = [0.5, 0.6], radius = 0.2 } }]";
    let few = WorldOptions { particles: Some(500), ..WorldOptions::default() };
    let mut world = with("blobs", &["gravity=0", long], &few);
    let before = aspect(&largest_blob(&world));
    run(&mut world, 10.0);
    let blob = largest_blob(&world);
    assert!(before > 1.4 && aspect(&blob) <= 1.1, "{before} before, {} of {} after", aspect(&blob), blob.len());
}

/// A single particle falls freely, and is reflected with the fraction e of its speed.
#[test]
fn a_bounce_keeps_the_square_of_the_restitution_of_its_height() {
    for e in [0.5f32, 0.8] {
        let drop = "liquid=[{ circle = { at = [0.5, 0.7], radius = 0.05 } }]";
        let one = WorldOptions { particles: Some(1), ..WorldOptions::default() };
        let mut world = with("metaballs", &[drop, &format!("restitution={e}")], &one);
        let height = |world: &World| world.stats().centre_of_mass.y as f32;
        let start = height(&world);
        while world.stats().momentum.y <= 0.0 {
            world.step();
        }
        let mut top = 0f32;
        while world.stats().momentum.y > 0.0 {
            world.step();
            top = top.max(height(&world));
        }
        let ratio = top / start;
        assert!((ratio / (e * e) - 1.0).abs() < 0.04, "e = {e}: it rises to {ratio} of its height");
    }
}

#[test]
fn confinement_raises_enstrophy() {
    let enstrophy = |epsilon: f32| {
        let mut world = with(
            "swirl",
            &[&format!("vorticity_confinement={epsilon}")],
            &WorldOptions { cells: Some(1500), ..WorldOptions::default() },
        );
        run(&mut world, 4.0);
        let smoke = world.smoke().expect("a grid");
        let d = 0.02;
        let curl = |at: Vec2| {
            let v = |x: f32, y: f32| smoke.velocity(at + Vec2::new(x, y));
            (v(d, 0.0).y - v(-d, 0.0).y - v(0.0, d).x + v(0.0, -d).x) / (2.0 * d)
        };
        let places = (0..900).map(|n| (Vec2::new((n % 30) as f32, (n / 30) as f32) + 0.5) / 30.0);
        places.map(|at| curl(at * world.size()).powi(2)).sum::<f32>() / 900.0
    };
    let (without, with) = (enstrophy(0.0), enstrophy(4.0));
    assert!(with > 1.2 * without, "{with} 1/s² with confinement, {without} without");
}

/// Seconds until the front of the dam has run to x = 1.8 m.
fn arrival(options: &WorldOptions) -> f64 {
    let mut world = with("sph-dam", &[], options);
    while world.stats().front_x < 1.8 {
        world.step();
        assert!(world.time() < 3.0, "the front is at {} m", world.stats().front_x);
    }
    world.time()
}

#[test]
fn the_dam_of_the_article_runs_as_a_finer_one() {
    let (own, fine) = (
        arrival(&WorldOptions::default()),
        arrival(&WorldOptions { particles: Some(2000), ..WorldOptions::default() }),
    );
    assert!((own / fine - 1.0).abs() < 0.12, "{own} s with the article's radius, {fine} s with 2,000 particles");
}

#[test]
fn droplets_coalesce_to_one() {
    let mut world = exhibit("sph-droplets");
    let all = world.particles();
    assert!(largest_blob(&world).len() < 2 * all / 3);
    run(&mut world, 10.0);
    assert_eq!(largest_blob(&world).len(), all);
}

#[test]
fn the_dam_has_a_tension() {
    let mut world = exhibit("sph-dam");
    run(&mut world, 0.5);
    let liquid = world.liquid().expect("a liquid");
    let drawn = liquid
        .particles()
        .alive()
        .filter(|&slot| liquid.force(Force::Tension, slot).unwrap_or_default().length() > 0.5)
        .count();
    assert!(drawn > 20, "{drawn} particles feel the tension");
}

/// What leaves through an open top falls back.
#[test]
fn a_tank_with_an_open_top_has_no_ceiling() {
    let jet = "sph.liquid=[{ box = [0.4, 0.6, 0.6, 0.9], velocity = [0, 4] }]";
    let mut world = with("sph-dam", &[jet], &WorldOptions::default());
    let highest = |world: &World| {
        let p = world.liquid().expect("a liquid").particles();
        p.alive().map(|slot| p.position(slot).y).fold(0.0, f32::max)
    };
    run(&mut world, 0.3);
    assert!(highest(&world) > 1.1 * world.size().y, "{} m", highest(&world));
    run(&mut world, 5.0);
    assert!(highest(&world) < world.size().y, "{} m", highest(&world));
}

#[test]
fn the_strength_of_the_pointer_scales_its_push() {
    let speed = |strength: f32| {
        let one = WorldOptions { particles: Some(1), ..WorldOptions::default() };
        let drop = "liquid=[{ circle = { at = [0.5, 0.7], radius = 0.05 } }]";
        let mut world = with("metaballs", &["gravity=0", drop], &one);
        let kind = PointerForceKind::Repel { strength };
        world.add_pointer_force(PointerForce { at: Vec2::new(0.5, 0.6) * world.size(), radius: 0.4, kind });
        world.step();
        world.max_speed()
    };
    let (weak, strong) = (speed(0.5), speed(1.0));
    assert!(speed(0.0) < 0.01 * weak && (strong / weak - 2.0).abs() < 0.1, "{weak} and {strong} m/s");
}

#[test]
fn metaballs_grow_with_a_lower_threshold_and_with_their_radius() {
    let painted = |settings: &[&str]| {
        let world = with("metaballs", settings, &WorldOptions { particles: Some(60), ..WorldOptions::default() });
        let mut frame = Buffer::empty(Rect::new(0, 0, 60, 24));
        Painter::default().paint(&world, &RenderStyle::default(), (8, 16), frame.area, &mut frame);
        frame.content.iter().filter(|cell| cell.symbol() != " ").count()
    };
    let usual = painted(&[]);
    assert!(painted(&["metaballs.threshold=0.15"]) > usual && painted(&["metaballs.threshold=0.9"]) < usual);
    assert_ne!(painted(&["metaballs.radius=2"]), usual);
}
