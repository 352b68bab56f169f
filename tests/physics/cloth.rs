//! Cloth: the laws that it obeys, and robustness.

use crate::picture;
use crate::play::assert_shared;
use glam::{DVec2, DVec3, Vec2};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::boundary::{Container, Walls};
use slosh::sim::cloth::integrator::Integrator;
use slosh::sim::cloth::{Cloth, ClothDef};
use slosh::sim::definition::WorldDef;
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::{StepContext, World, WorldOptions};
use slosh::view::{ClothStyle, Painter, RenderStyle};

const G: f64 = 9.81;

fn parsed(text: &str) -> WorldDef {
    Scene::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error} in\n{text}")).world
}

/// A tank of 2 m by 2 m with this in it.
fn tank(text: &str) -> World {
    let top: String = text.lines().take_while(|line| !line.starts_with('[')).map(|line| format!("{line}\n")).collect();
    let text = format!("{top}[tank]\narea = 4\naspect = 1\n{}", &text[top.len().min(text.len())..]);
    World::new(&parsed(&text), &WorldOptions { particles: Some(600), ..WorldOptions::default() })
}

fn embedded(name: &str, setup: &WorldOptions) -> World {
    World::new(&parsed(scene::find(name).expect("an embedded scene")), setup)
}

fn run(world: &mut World, seconds: f64) {
    let end = world.time() + seconds;
    while world.time() < end - 1e-6 {
        world.step();
    }
}

fn cloth(world: &World) -> &Cloth {
    world.cloth().expect("a cloth")
}

/// Kinetic, potential and elastic energy together, joules.
fn energy(world: &World) -> f64 {
    let stats = world.stats();
    stats.kinetic + stats.potential + stats.elastic
}

/// The height of a hanging chain of length `length` over a span, at `x` from its middle, above its lowest point.
fn catenary(length: f64, span: f64) -> impl Fn(f64) -> f64 {
    // length = 2 a sinh(span / 2a), by bisection.
    let (mut low, mut high) = (1e-3, 100.0);
    for _ in 0..200 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * (span / (2.0 * a)).sinh() > length { low = a } else { high = a }
    }
    let a = 0.5 * (low + high);
    move |x| a * ((x / a).cosh() - 1.0)
}

/// The maximum vertical distance between a chain of this many nodes and the catenary, as a fraction of the sag.
fn sag_error(nodes: usize) -> f64 {
    let mut world = tank(&format!(
        "[cloth]\nmass = 0.1\nstretch = 4000\nshear = 0\nbend = 0\nlinear_damping = 3\ndrag_coefficient = 0\ndamping = 1e-4\n\
         [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [1.6, 0]\nspan = 1.0\nnodes = [{nodes}, 1]\npins = \"ends\""
    ));
    run(&mut world, 12.0);
    let (curve, places) = (catenary(1.6, 1.0), &cloth(&world).at);
    let (sag, top) = (curve(0.5), places[0].y);
    places.iter().map(|at| ((top - at.y) - (sag - curve(at.x - 1.0))).abs() / sag).fold(0.0, f64::max)
}

#[test]
fn a_hanging_chain_is_a_catenary() {
    let errors = [9, 17, 33].map(sag_error);
    println!("chain of 9, 17 and 33 nodes: farthest from the catenary by {errors:.5?} of its sag");
    assert!(errors[2] < 0.003, "{errors:?}");
    assert!(errors[0] > 3.0 * errors[1] && errors[1] > 2.5 * errors[2], "it does not fall with the nodes: {errors:?}");
}

#[test]
fn a_pendulum_swings_as_galileo_said() {
    for length in [0.4, 0.9] {
        let mut world = tank(&format!(
            "substeps = 8\n[cloth]\nmass = 1\nstretch = 4000\nbend = 0\nlinear_damping = 0\ndrag_coefficient = 0\ndamping = 0\n[[cloth.sheet]]\n\
             at = [0.5, 0.9]\nanchor = 0\nsize = [{length}, 0]\nangle = -86\nnodes = [2, 1]\npins = [[0, 0]]"
        ));
        // The times at which it passes the middle from the right, interpolated between steps.
        let (mut passages, mut before) = (Vec::new(), 1.0);
        for _ in 0..60 * 10 {
            world.step();
            let x = cloth(&world).at[1].x - 1.0;
            if before > 0.0 && x <= 0.0 {
                passages.push(world.time() - x / (x - before) / 60.0);
            }
            before = x;
        }
        let period = (passages[passages.len() - 1] - passages[0]) / (passages.len() - 1) as f64;
        let due = std::f64::consts::TAU * (length / G).sqrt();
        println!("pendulum of {length} m: {period:.5} s, 2π√(L/g) = {due:.5} s");
        assert!((period / due - 1.0).abs() < 0.002, "{period} s instead of {due} s");
    }
}

/// A soft sheet that falls and swings freely in space, after half a second in steps of `1/steps` s.
fn swung(integrator: Integrator, is_damped: bool, steps: u32) -> Vec<DVec3> {
    let scene = parsed(
        "[cloth]\nmass = 1\nstretch = 20\nshear = 8\nbend = 4\ndamping = 2e-3\nlinear_damping = 0.3\ndrag_coefficient = 0.2\nbreak_strain = 100\n\
         wind = [0.3, 0, 0.8]\n\
         [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [0.8, 0.6]\nspan = 0.7\nfolds = 1\nnodes = [7, 6]\npins = \"corners\"",
    );
    let size = Vec2::new(4.0, 4.0);
    let walls = Walls::new(size, Container::Box, Vec::new(), 0.1);
    let mut definition = ClothDef { integrator, ..scene.cloth.expect("a cloth") };
    if !is_damped {
        (definition.damping, definition.linear_damping, definition.drag_coefficient) = (0.0, 0.0, 0.0);
    }
    let mut cloth = Cloth::new(definition, size);
    let dt = 1.0 / steps as f32;
    assert_eq!(cloth.min_substeps(dt), 1, "the step is divided any further");
    let env = StepContext { dt, gravity: Vec2::new(0.0, -9.81), walls: &walls, pointer_forces: &[] };
    (0..steps / 2).for_each(|_| cloth.step(&env, &mut ()));
    cloth.at.to_vec()
}

#[test]
fn integrators_converge_with_their_orders() {
    // Powers of two are exact in single precision, the type of the world's step.
    // Verlet is of first order in damping.
    for (integrator, is_damped, steps, expected) in [
        (Integrator::Rk4, true, [64, 128, 256, 512], 3.7..4.3),
        (Integrator::Verlet, false, [256, 512, 1024, 2048], 1.9..2.1),
        (Integrator::Euler, true, [2048, 4096, 8192, 16384], 0.9..1.1),
    ] {
        let exact = swung(Integrator::Rk4, is_damped, 4096);
        let errors = steps.map(|steps| {
            let off = |(a, b): (&DVec3, &DVec3)| a.distance_squared(*b);
            swung(integrator, is_damped, steps).iter().zip(&exact).map(off).sum::<f64>().sqrt()
        });
        let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
        println!("{}: errors {errors:?} m, orders {orders:.2?}", integrator.name());
        assert!(orders[1..].iter().all(|order| expected.contains(order)), "orders {orders:?} of errors {errors:?}");
    }
}

/// A sheet that an integrator advances, with these settings; for Euler a soft one in thick air.
fn integrated(integrator: &str, settings: &str) -> String {
    let (stretch, linear) = if integrator == "euler" { (20, 30) } else { (2000, 1) };
    format!(
        "{settings}\n[cloth]\nintegrator = \"{integrator}\"\nmass = 1\nstretch = {stretch}\nshear = 3\nbend = 1\n\
         linear_damping = {linear}\nbreak_strain = 9\n\
         [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [0.7, 0.5]\nspan = 0.6\nnodes = [12, 9]\npins = \"corners\""
    )
}

#[test]
fn an_unstable_integrator_is_refused_with_the_substeps_that_would_do() {
    for integrator in ["verlet", "euler"] {
        let error = Scene::parse(&integrated(integrator, "substeps = 1"), "my.toml").expect_err("unstable").to_string();
        println!("{error}");
        let substeps = error.split("substeps = ").nth(1).and_then(|rest| rest.split(',').next()).expect("advice");
        let substeps: u32 = substeps.parse().expect("a number");
        assert!(Scene::parse(&integrated(integrator, &format!("substeps = {}", substeps - 1)), "my.toml").is_err());
        let mut world = tank(&integrated(integrator, &format!("substeps = {substeps}")));
        let start = energy(&world);
        run(&mut world, 2.0);
        println!("{integrator}: energy from {start:.4} to {:.4}", energy(&world));
        assert!(energy(&world) < start && cloth(&world).max_speed() < 3.0, "{integrator} exploded");
    }
}

/// Makes 200 steps; returns the largest change of the energy, and of its potential part.
fn watch_energy(world: &mut World) -> (f64, f64) {
    let (start, low) = (energy(world), world.stats().potential);
    let (mut off, mut swing) = (0.0f64, 0.0f64);
    for _ in 0..200 {
        world.step();
        off = off.max((energy(world) - start).abs());
        swing = swing.max((world.stats().potential - low).abs());
    }
    (off, swing)
}

#[test]
fn verlet_conserves_energy_and_euler_is_refused_without_damping() {
    let undamped = |integrator| {
        let text = integrated(integrator, "substeps = 256").replace("linear_damping = 30", "linear_damping = 1");
        text.replace("linear_damping = 1", "damping = 0\nlinear_damping = 0\ndrag_coefficient = 0")
    };
    let error = Scene::parse(&undamped("euler"), "my.toml").expect_err("unstable").to_string();
    assert!(error.contains("unstable at any step") && error.contains("rk4"), "{error}");
    let mut world = tank(&undamped("verlet"));
    let (off, swing) = watch_energy(&mut world);
    println!("verlet: energy is off by {:.2e} of the exchanged energy", off / swing);
    assert!(off < 0.02 * swing, "off by {off} of {swing}");
}

/// The program reads the files.
#[cfg(feature = "app")]
mod textures {
    use super::*;
    use ratatui_core::style::Color;
    use slosh::cli::args::texture;
    use std::path::PathBuf;

    /// Writes a file for a test, into a folder of the test's own.
    fn file(test: &str, name: &str, bytes: &[u8]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("slosh-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }

    /// A PNG picture: red on the left, green on the right, and transparent below.
    fn png_of_two_colors() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 16, 8);
        encoder.set_color(png::ColorType::Rgba);
        let pixel = |at: usize| if at % 16 < 8 { [255, 0, 0] } else { [0, 255, 0] };
        let values: Vec<u8> =
            (0..128).flat_map(|at| [&pixel(at)[..], &[if at < 64 { 255 } else { 0 }]].concat()).collect();
        encoder.write_header().and_then(|mut writer| writer.write_image_data(&values)).expect("a picture");
        bytes
    }

    const SQUARE: &str = "[cloth]\nstretch = 300\ncolor = \"#0000ff\"\n[[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [1.6, 1.6]\n\
                          nodes = [20, 20]\npins = \"top\"";

    #[test]
    fn a_texture_covers_the_sheet_and_lets_its_color_through() {
        let text = "\x1b[41m        \x1b[42m        \x1b[0m\n\x1b[41m        \x1b[42m        \x1b[0m\n";
        for (name, bytes) in [("flag.png", png_of_two_colors()), ("banner.txt", text.as_bytes().to_vec())] {
            let path = file("texture", name, &bytes);
            let mut scene = parsed(&format!("[tank]\narea = 4\naspect = 1\n{SQUARE}"));
            texture::apply(scene.cloth.as_mut().expect("a cloth"), &path).expect("a sound file");
            std::fs::remove_file(&path).expect("written above");
            let world = World::new(&scene, &WorldOptions { particles: Some(600), ..WorldOptions::default() });
            let frame = painted(&world, ClothStyle::Surface);
            // The channel that is the strongest in a cell.
            let strongest = |column: u16, row: u16| match frame[(column, row)].bg {
                Color::Rgb(r, g, b) => {
                    ["red", "green", "blue"][[r, g, b].iter().rposition(|it| *it == r.max(g).max(b)).unwrap()]
                }
                other => panic!("{name}: {other:?} at {column}, {row}"),
            };
            let (width, height) = (frame.area.width, frame.area.height);
            assert_eq!(strongest(width * 3 / 10, height / 4), "red", "{name}");
            assert_eq!(strongest(width * 7 / 10, height / 4), "green", "{name}");
            let below = if name == "flag.png" { "blue" } else { "red" };
            assert_eq!(strongest(width * 3 / 10, height * 7 / 10), below, "{name}");
        }
    }

    #[test]
    fn an_invalid_texture_is_an_error_that_names_the_file() {
        let whole = png_of_two_colors();
        for (name, bytes, expected) in [
            ("cut.png", &whole[..60], "no sound PNG picture"),
            ("photo.jpg", &[0xff, 0xd8, 0xff, 0xe0, 0x80][..], "neither a PNG picture nor text"),
            ("empty.txt", &b"\n\n"[..], "is empty"),
        ] {
            let path = file("bad-texture", name, bytes);
            let error = texture::apply(parsed(SQUARE).cloth.as_mut().expect("a cloth"), &path).expect_err(name);
            std::fs::remove_file(&path).expect("written above");
            assert!(error.contains(name) && error.contains(expected), "{error}");
            let error = texture::apply(parsed(SQUARE).cloth.as_mut().expect("a cloth"), &path).expect_err(name);
            assert!(error.contains(name) && error.contains("No such file"), "{error}");
        }
    }
}

#[test]
fn without_damping_energy_is_conserved() {
    let mut world = tank(
        "substeps = 64\n[cloth]\nmass = 0.5\nstretch = 60\nshear = 20\nbend = 5\ndamping = 0\nlinear_damping = 0\ndrag_coefficient = 0\nbreak_strain = 9\n\
         [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [0.7, 0.5]\nspan = 0.6\nnodes = [12, 9]\npins = \"corners\"",
    );
    let (off, swing) = watch_energy(&mut world);
    println!("energy is off by {:.2e} of the exchanged energy", off / swing);
    assert!(off < 1e-3 * swing, "off by {off} J of {swing} J");
}

#[test]
fn torn_cloth_separates_and_keeps_its_nodes() {
    let mut world = tank(
        "[cloth]\nmass = 0.5\nstretch = 30\nbend = 0\nbreak_strain = 0.12\n\
         [[cloth.sheet]]\nat = [0.5, 0.95]\nsize = [0.6, 0.8]\nnodes = [12, 16]\npins = \"top\"",
    );
    let weight: f64 = cloth(&world).mass.iter().sum();
    let initial_springs = world.stats().springs;
    run(&mut world, 3.0);
    let (stats, cloth) = (world.stats(), cloth(&world));
    assert!(
        stats.torn > 20 && stats.springs + stats.torn == initial_springs,
        "{} of {initial_springs} springs are torn",
        stats.torn
    );
    assert_eq!(cloth.mass.iter().sum::<f64>(), weight);
    let lowest = cloth.at.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
    assert!(lowest < 0.05, "nothing has fallen to the floor: the lowest is at {lowest} m");
    assert!((cloth.at[0].y - 1.9).abs() < 1e-3, "the pins hold");
}

#[test]
fn a_drawn_wall_cuts_a_sheet_in_two() {
    let mut world = tank(
        "[cloth]\nbreak_strain = 9\n[[cloth.sheet]]\nat = [0.5, 0.95]\nsize = [0.8, 0.8]\nnodes = [20, 20]\npins = \"top\"",
    );
    run(&mut world, 0.5);
    world.draw_wall(Vec2::new(0.3, 1.5), Vec2::new(1.7, 1.5), 0.02);
    assert!(world.stats().torn > 20, "only {} springs are cut", world.stats().torn);
    assert!(world.erase_walls(Vec2::new(1.0, 1.5), 0.1));
    run(&mut world, 2.0);
    let places = &cloth(&world).at;
    assert!(places[399].y < 0.5 && places[21].y > 1.5, "{} and {}", places[399], places[21]);
}

#[test]
fn no_parameters_make_cloth_explode() {
    let extremes = [
        "stretch = 1e6\nmass = 1",
        "stretch = 0.1\nshear = 0\nbend = 0\ndamping = 0\nlinear_damping = 0\ndrag_coefficient = 0\nbreak_strain = 1000",
        "stretch = 1e4\nshear = 1e5\nbend = 1e5\ndamping = 0\nbreak_strain = 1000",
        "mass = 0.001\ndrag_coefficient = 1\nwind = [30, 30, 30]\ngusts = 1",
        "mass = 100\nstretch = 10\nbreak_strain = 0.01",
        "damping = 0.1\nlinear_damping = 100",
        "stretch = 1000\ndamping = 0.02\ndrag_coefficient = 10\nwind = [-30, 0, 30]\nbreak_strain = 1000",
        "break_strain = 0.01\nwind = [30, 0, 0]\ngusts = 1",
    ];
    for (number, extreme) in extremes.into_iter().enumerate() {
        let gravity = [9.81, 1000.0][number % 2];
        let mut world = tank(&format!(
            "gravity = {gravity}\n[cloth]\n{extreme}\n\
             [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [0.6, 0.5]\nspan = 0.4\nnodes = [8, 6]\npins = \"corners\"\n\
             [[cloth.sheet]]\nat = [0.5, 0.5]\nsize = [0.6, 0]\nspan = 0.5\nnodes = [8, 1]\npins = \"ends\""
        ));
        for step in 0..30 {
            if step % 15 == 5 {
                world.shake(Vec2::X);
                let kind = PointerForceKind::Explode { strength: 1.0 };
                world.add_pointer_force(PointerForce { at: Vec2::new(1.0, 1.6), radius: 0.4, kind });
            }
            world.step();
            let (low, high) = (DVec3::new(-1e-3, -1e-3, -0.31), DVec3::new(2.001, 2.001, 0.31));
            for (at, v) in cloth(&world).at.iter().zip(&cloth(&world).velocity) {
                let inside = at.cmpge(low).all() && at.cmple(high).all();
                assert!(inside && v.length() < 41.0, "{at} with {v} in step {step} of\n{extreme}");
            }
        }
    }
}

/// Momentum of liquid and cloth together, and of the liquid alone.
fn momenta(world: &World) -> (DVec2, DVec2) {
    let cloth = cloth(world).stats(Vec2::ZERO).momentum;
    let all = world.stats().momentum;
    (all, all - cloth)
}

#[test]
fn liquid_and_cloth_together_conserve_momentum() {
    let edge_on = "size = [1.0, 0]\nnodes = [40, 1]\nangle = 20";
    let front = "size = [1.0, 0.5]\nnodes = [20, 10]";
    for sheet in [edge_on, front] {
        let mut world = tank(&format!(
            "gravity = 0\nparticles = 600\n[[liquid]]\ncircle = {{ at = [0.5, 0.75], radius = 0.15 }}\n\
             velocity = [0.3, -1.5]\n[cloth]\nmass = 0.1\nlinear_damping = 0\ndrag_coefficient = 0\nbend = 0\nbreak_strain = 9\n\
             [[cloth.sheet]]\nat = [0.5, 0.6]\n{sheet}\npins = \"none\""
        ));
        let (start, liquid) = momenta(&world);
        run(&mut world, 0.4);
        let (end, slowed) = momenta(&world);
        println!("momentum {start:.6} → {end:.6}, of the liquid {liquid:.4} → {slowed:.4}");
        assert!((liquid - slowed).length() > 0.1 * liquid.length(), "the cloth gained no momentum: {liquid} {slowed}");
        assert!((end - start).length() < 1e-5 * start.length(), "{start} became {end}");
    }
}

/// A drop that falls onto a falling sheet in an empty tank.
#[test]
fn a_drop_and_a_sheet_in_free_fall_keep_their_momentum_on_a_grid() {
    let mut world = World::new(
        &parsed(
            "[tank]\narea = 8\naspect = 1\n[[liquid]]\ncircle = { at = [0.5, 0.85], radius = 0.08 }\nvelocity = [0.5, -2.5]\n\
             [cloth]\nmass = 0.2\nlinear_damping = 0\ndrag_coefficient = 0\nbend = 0\nbreak_strain = 9\n\
             [[cloth.sheet]]\nat = [0.5, 0.72]\nsize = [1.0, 0]\nnodes = [40, 1]\nangle = 20\npins = \"none\"",
        ),
        &WorldOptions { particles: Some(1500), ..WorldOptions::default() },
    );
    let (start, liquid) = momenta(&world);
    run(&mut world, 0.4);
    let (end, slowed) = momenta(&world);
    assert!(world.liquid().expect("water").is_on_grid());
    let mass = cloth(&world).mass.iter().sum::<f64>() + liquid.y / -2.5;
    let fallen = DVec2::new(0.0, -G * 0.4);
    let exchanged = (slowed - liquid - fallen * (liquid.y / -2.5)).length();
    let error = (end - start - fallen * mass).length();
    println!("the drop gave {exchanged:.4} kg m/s, of which {error:.5} were lost");
    assert!(exchanged > 0.02, "the drop gave {exchanged}");
    assert!(error < 0.004 * end.length(), "{error} of {end} was lost");
}

#[test]
fn a_sheet_holds_the_water_that_is_poured_on_it_and_sags() {
    let setup = WorldOptions { particles: Some(900), ..WorldOptions::default() };
    // The scene's initial state: without the leak and the drops.
    let mut scene = parsed(scene::find("hammock").expect("a scene"));
    scene.inlet.clear();
    scene.outlet.clear();
    let mut wet = World::new(&scene, &setup);
    let dry = {
        scene.liquid.clear();
        let mut world = World::new(&scene, &setup);
        run(&mut world, 5.0);
        world
    };
    run(&mut wet, 8.0);
    let lowest = |world: &World| cloth(world).at.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
    let (sheet, p) = (cloth(&wet), wet.liquid().expect("a liquid").particles());
    let held = p.alive().filter(|&slot| {
        let at = p.position(slot).as_dvec2();
        let nearest = sheet.at.iter().min_by(|a, b| (a.x - at.x).abs().total_cmp(&(b.x - at.x).abs()));
        nearest.is_some_and(|node| at.y > node.y - 0.01)
    });
    let held = held.count() as f64 / p.len() as f64;
    println!("it holds {:.1} % of the water and sags from {:.3} to {:.3} m", 100.0 * held, lowest(&dry), lowest(&wet));
    assert!(held > 0.97, "{held} of the water is on the sheet");
    assert!(lowest(&wet) < lowest(&dry) - 0.025, "it sags from {} to {}", lowest(&dry), lowest(&wet));
}

/// A pool of 0.15 m² in a sheet of 80 nodes, on a grid.
fn pool_in_a_sheet(mass: f64, stretch: f64, particles: usize) -> World {
    let text = format!(
        "[tank]\naspect = 1.667\n[[liquid]]\nbox = [0.3, 0.62, 0.7, 0.8]\n\
         [cloth]\nmass = {mass}\nstretch = {stretch}\nbend = 0\nbreak_strain = 9\n\
         [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [2.15, 0]\nspan = 1.72\nnodes = [80, 1]\npins = \"ends\""
    );
    World::new(&parsed(&text), &WorldOptions { particles: Some(particles), ..WorldOptions::default() })
}

#[test]
fn a_sheet_of_any_mass_bears_the_weight_of_a_pool_on_a_grid() {
    for (mass, stretch, particles) in [(0.15, 45.0, 1200), (0.15, 45.0, 2500), (0.02, 60.0, 1200)] {
        let mut world = pool_in_a_sheet(mass, stretch, particles);
        run(&mut world, 8.0);
        assert!(world.liquid().expect("water").is_on_grid());
        assert_eq!(world.substeps(), 1);
        let pitch = 2.15 / 79.0;
        let pull = |from: DVec3, to: DVec3| stretch / pitch * (from.distance(to) - pitch) * (from - to).normalize().y;
        let (mut load, steps) = (0.0, 120);
        for _ in 0..steps {
            world.step();
            let at = &cloth(&world).at;
            load += (pull(at[0], at[1]) + pull(at[79], at[78])) / f64::from(steps);
        }
        let p = world.liquid().expect("water").particles();
        let dry = G * mass * (2.15 - pitch);
        let due = G * 0.4 * 0.18 * 2.0;
        let lowest = cloth(&world).at.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
        let leaked = p.alive().filter(|slot| f64::from(p.position(*slot).y) < lowest).count();
        let density = world.stats().density_mean;
        println!(
            "{mass} kg/m², {stretch} N/m, {particles}: {:.4} N instead of {due:.4}, density {density:.3}, {leaked} leaked",
            load - dry
        );
        assert!(((load - dry) / due - 1.0).abs() < 0.05, "the water weighs {} N instead of {due}", load - dry);
        assert!((density - 1.0).abs() < 0.06, "a density of {density}");
        assert_eq!(leaked, 0);
    }
}

#[test]
fn no_particle_passes_a_sheet_at_any_speed() {
    let mut world = tank(
        "gravity = 0\n[[liquid]]\nbox = [0.3, 0.6, 0.7, 0.8]\nvelocity = [0, -20]\n\
         [cloth]\nmass = 20\nstretch = 5000\nlinear_damping = 0\nbreak_strain = 9\nthickness = 0.02\n\
         [[cloth.sheet]]\nat = [0.5, 0.4]\nsize = [1.96, 0]\nnodes = [60, 1]\npins = \"ends\"",
    );
    let mut through = 0;
    for _ in 0..60 {
        world.step();
        let (sheet, p) = (cloth(&world), world.liquid().expect("a liquid").particles());
        let lowest = sheet.at.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
        // A sheet leaves gaps to the walls at its ends.
        let below = |slot: &usize| {
            f64::from(p.position(*slot).y) < lowest - 0.02 && (0.15..1.85).contains(&p.position(*slot).x)
        };
        through = through.max(p.alive().filter(below).count());
    }
    assert!(through < 6, "{through} of 600 particles went through");
}

/// A sheet that falls onto a thin plate stays above it, and so does the water that it strikes there.
#[test]
fn no_plate_lets_a_falling_sheet_or_the_water_under_it_through() {
    for thickness in [0.0015, 0.002, 0.003] {
        let mut world = tank(&format!(
            "particles = 600\nobstacle = [{{ box = [0.1, 0.2, 0.9, {}] }}, {{ box = [0.1, 0.2, 0.102, 1] }}, \
             {{ box = [0.898, 0.2, 0.9, 1] }}]\n[[liquid]]\nbox = [0.103, 0.202, 0.897, 0.22]\n\
             [cloth]\nmass = 8\nstretch = 2000\nbreak_strain = 9\n\
             [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [1.4, 0]\nnodes = [60, 1]\nangle = 5\npins = \"none\"",
            0.2 + thickness / 2.0
        ));
        let is_out = |at: Vec2| at.y < 0.4 || (at.x - 1.0).abs() > 0.8;
        for step in 0..240 {
            world.step();
            let p = world.liquid().expect("water").particles();
            let nodes = cloth(&world).at.iter().filter(|at| is_out(at.truncate().as_vec2())).count();
            let drops = p.alive().filter(|&slot| is_out(p.position(slot))).count();
            assert_eq!((nodes, drops), (0, 0), "nodes and particles out of a cup of {thickness} m in step {step}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_cloth() {
    let outcome = |threads| {
        let mut world =
            embedded("hammock", &WorldOptions { particles: Some(2500), threads, ..WorldOptions::default() });
        assert_shared(&world);
        (0..40).for_each(|_| world.step());
        cloth(&world).at.to_vec()
    };
    assert!(outcome(1) == outcome(3), "threads change the result");
}

#[test]
fn cloth_at_rest_sleeps_and_a_push_wakes_it() {
    let mut world = tank(
        "[cloth]\nlinear_damping = 4\n[[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [0.8, 0.4]\nnodes = [16, 9]\npins = \"top\"",
    );
    run(&mut world, 12.0);
    assert!(world.is_asleep(), "it still moves at {} m/s", world.max_speed());
    let before = cloth(&world).at.to_vec();
    run(&mut world, 1.0);
    assert_eq!(cloth(&world).at, before, "asleep, it keeps its place");
    world.add_pointer_force(PointerForce {
        at: Vec2::new(1.0, 1.5),
        radius: 0.2,
        kind: PointerForceKind::Explode { strength: 1.0 },
    });
    world.step();
    assert!(!world.is_asleep() && world.max_speed() > 0.2);
}

/// Sheets that are pinned nowhere fall, crumple on the floor and come to rest there.
#[test]
fn a_fallen_sheet_lies_still() {
    let front = "size = [0.6, 0.4]\nnodes = [35, 12]";
    let soft = "mass = 0.2\nstretch = 20\nbend = 2\nbreak_strain = 3";
    for (cloth, sheet) in [
        (soft, front),
        ("mass = 0.2\nstretch = 60\nbend = 2", front),
        ("", front),
        ("", "size = [0.6, 0.4]\nnodes = [35, 12]\nangle = 30"),
        ("", "size = [0.8, 0]\nnodes = [60, 1]\nangle = 40"),
        (soft, "size = [1.2, 0]\nnodes = [40, 1]\nangle = 80"),
    ] {
        let mut world = tank(&format!("[cloth]\n{cloth}\n[[cloth.sheet]]\nat = [0.4, 0.9]\n{sheet}\npins = \"none\""));
        run(&mut world, 25.0);
        assert!(world.is_asleep(), "{cloth} {sheet}: it still moves at {} m/s", world.max_speed());
    }
}

#[test]
fn pins_follow_the_window() {
    let mut world = World::new(
        &parsed(
            "[cloth]\n[[cloth.sheet]]\nat = [0.5, 0.93]\nsize = [2.0, 0.8]\nspan = 1.4\nfolds = 4\nnodes = [33, 13]\n\
             pins = \"top\"",
        ),
        &WorldOptions::default(),
    );
    run(&mut world, 0.5);
    for aspect in [0.5, 3.0, 80.0 / 48.0] {
        world.set_aspect(aspect);
        run(&mut world, 2.0);
        let top = cloth(&world).pinned().map(|node| cloth(&world).at[node]);
        let (mut middle, mut count) = (DVec3::ZERO, 0.0);
        for at in top {
            (middle, count) = (middle + at, count + 1.0);
        }
        let due = (Vec2::new(0.5, 0.93) * world.size()).as_dvec2();
        assert!((middle / count).truncate().distance(due) < 0.02, "{} instead of {due}", middle / count);
    }
    assert_eq!(world.stats().torn, 0, "it tore");
}

/// Drags the pointer along a line in this many steps.
fn drag(world: &mut World, from: Vec2, to: Vec2, steps: u32) {
    let velocity = (to - from) * 60.0 / steps as f32;
    for step in 0..steps {
        let at = from.lerp(to, step as f32 / steps as f32);
        world.add_pointer_force(PointerForce { at, radius: 0.15, kind: PointerForceKind::Push { velocity } });
        world.step();
    }
}

#[test]
fn the_pointer_carries_cloth_and_tears_it_at_too_high_a_strain() {
    let text = "[cloth]\nbreak_strain = 1.0\n[[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [0.8, 0.5]\nnodes = [20, 13]\npins = \"top\"";
    let mut world = tank(text);
    run(&mut world, 0.5);
    let corner = cloth(&world).at[259];
    drag(&mut world, corner.truncate().as_vec2(), corner.truncate().as_vec2() + Vec2::new(0.2, 0.1), 20);
    let carried = cloth(&world).at[259].truncate() - corner.truncate();
    assert!(carried.distance(DVec2::new(0.2, 0.1)) < 0.03, "it was carried {carried}");
    assert_eq!(world.stats().torn, 0);
    drag(&mut world, Vec2::new(1.0, 1.5), Vec2::new(1.0, 0.1), 25);
    assert!(world.stats().torn > 10, "only {} springs are torn", world.stats().torn);
}

#[test]
fn water_on_a_curtain_is_slowed_and_stretches_it() {
    let mut world = tank(
        "particles = 1500\n[cloth]\nmass = 0.3\n\
         [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [1.2, 0.9]\nnodes = [30, 20]\npins = \"top\"",
    );
    run(&mut world, 2.0);
    let dry = world.stats().elastic;
    world.pour(30);
    let (mut heaviest, mut speeds) = (0.0f64, Vec::new());
    for _ in 0..90 {
        world.step();
        let p = world.liquid().expect("an empty liquid").particles();
        speeds
            .extend(p.alive().filter(|&slot| (1.0..1.2).contains(&p.position(slot).y)).map(|slot| -p.velocity(slot).y));
        heaviest = heaviest.max(world.stats().elastic);
    }
    let speed = speeds.iter().sum::<f32>() / speeds.len() as f32;
    assert_eq!(world.liquid().expect("a liquid").particles().len(), 30);
    assert!(heaviest > 1.02 * dry, "{heaviest} J in the springs, {dry} J before");
    // In free fall from 2 m/s it would reach 4.3 m/s there. Each drop weighs as much as eleven nodes.
    assert!((0.2..3.4).contains(&speed), "the film runs at {speed} m/s");
}

fn painted(world: &World, cloth_style: ClothStyle) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
    Painter::default().paint(
        world,
        &RenderStyle { cloth_style, ..RenderStyle::default() },
        (8, 16),
        buffer.area,
        &mut buffer,
    );
    buffer
}

#[test]
fn cloth_is_drawn_as_surface_as_threads_or_as_both() {
    let mut world = embedded("curtain", &WorldOptions::default());
    run(&mut world, 1.0);
    let [surface, wire, both] = ClothStyle::ALL.map(|style| painted(&world, style));
    let hashes = [&surface, &wire, &both].map(picture::hash);
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
    let blank = |buffer: &Buffer| picture::text(buffer).concat().matches(' ').count();
    // Gaps between threads are transparent.
    assert!(blank(&surface) < 1400 && blank(&wire) > blank(&surface) + 30, "{} {}", blank(&surface), blank(&wire));
    // It is shaded: one colour gives many shades.
    let shades: std::collections::HashSet<_> = surface.content.iter().map(|cell| format!("{:?}", cell.fg)).collect();
    assert!(shades.len() > 100, "only {} shades", shades.len());
}
