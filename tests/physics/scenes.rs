//! Every embedded scene, and the errors for invalid scenes.

use glam::Vec2;
use insta::assert_snapshot;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::data::Setting;
use slosh::scene::{EMBEDDED, Scene};
use slosh::sim::boundary::region::Region;
use slosh::sim::definition::WorldDef;
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{MAX_PARTICLES, World, WorldOptions};
use slosh::view::{Painter, RenderStyle};
use std::panic::resume_unwind;
use std::thread;

fn scene(name: &str) -> Scene {
    let (_, text) = EMBEDDED.iter().find(|(known, _)| *known == name).expect("an embedded scene");
    Scene::parse(text, &format!("{name}.toml")).unwrap_or_else(|error| panic!("{error}"))
}

/// Applies `work` to every embedded scene, several at a time.
fn of_every_scene<T: Send>(work: impl Fn(&'static str) -> T + Sync) -> Vec<T> {
    let work = &work;
    let some = move |some: &'static [(&str, &str)]| -> Vec<T> { some.iter().map(|(name, _)| work(name)).collect() };
    thread::scope(|scope| {
        let shares = EMBEDDED.chunks(EMBEDDED.len().div_ceil(4)).map(|scenes| scope.spawn(move || some(scenes)));
        let shares: Vec<_> = shares.collect();
        shares.into_iter().flat_map(|share| share.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

#[test]
fn every_embedded_scene_parses_and_has_a_description() {
    for &(name, _) in EMBEDDED.iter() {
        let scene = scene(name);
        assert_eq!(scene.name, name);
        assert!((10..=70).contains(&scene.about.chars().count()), "the description of {name} is {:?}", scene.about);
    }
}

#[test]
fn a_scene_survives_being_written_and_read_again() {
    for &(name, _) in EMBEDDED.iter() {
        let scene = scene(name);
        let text = scene.to_toml();
        assert_eq!(Scene::parse(&text, "again.toml").as_ref(), Ok(&scene), "{name} as\n{text}");
    }
}

/// Asserts that no particle is lost, none is outside the walls, and all values are finite.
fn assert_sound(world: &World, count: usize, context: &str) {
    let wet = !world.definition().liquid.is_empty() || world.definition().sph.is_some();
    let count = if wet { count } else { 0 };
    // Only water boils: 1000 kg per square metre, for a depth of one metre.
    let mass = world.liquid().map_or(1.0, |liquid| 1000.0 * f64::from(liquid.particle_area()));
    let steam = (world.stats().vapor / mass).round() as usize;
    assert_eq!(world.particles() + world.pool_count() + steam, count, "particles, reserve and steam {context}");
    assert!(world.stats().kinetic.is_finite() && world.max_speed() < 100.0, "{} m/s {context}", world.max_speed());
    let Some(liquid) = world.liquid() else { return };
    let p = liquid.particles();
    for slot in p.alive() {
        let (at, velocity) = (p.position(slot), p.velocity(slot));
        assert!(at.is_finite() && velocity.is_finite(), "particle {slot} at {at} with {velocity} {context}");
        let depth = -world.walls().distance(at);
        assert!(depth < 1e-4, "particle {slot} is {depth} m inside a wall, at {at} {context}");
    }
}

#[test]
fn every_scene_stays_in_its_tank_whatever_its_shape_and_tilt() {
    of_every_scene(|name| {
        for (aspect, tilt) in [(80.0 / 48.0, 0.0), (0.4, 2.0), (4.0, -1.2)] {
            let setup =
                WorldOptions { particles: Some(300), cells: Some(1000), seed: 7, aspect, ..WorldOptions::default() };
            let mut world = World::new(&scene(name).world, &setup);
            world.tilt_to(tilt);
            for step in 0..100 {
                world.step();
                if step % 10 == 0 {
                    assert_sound(&world, 300, &format!("in {name}, aspect {aspect}, step {step}"));
                }
            }
        }
    });
}

#[test]
fn inlets_and_outlets_run_a_closed_circuit() {
    for name in ["fountain", "pegs"] {
        let mut world =
            World::new(&scene(name).world, &WorldOptions { particles: Some(800), ..WorldOptions::default() });
        let mut in_the_pipes = 0;
        for _ in 0..480 {
            world.step();
            in_the_pipes = in_the_pipes.max(world.pool_count());
        }
        assert_sound(&world, 800, name);
        assert!(in_the_pipes > 0, "{name}: nothing was ever drained");
        assert!(world.particles() > 400, "{name}: {} particles are between outlet and inlet", world.pool_count());
        assert!(world.stats().max_speed > 0.5, "{name} has come to a stop");
    }
}

#[test]
fn an_inlet_pours_round_drops_of_drained_liquid() {
    let text = "[tank]\narea = 1\naspect = 1\n[[liquid]]\nbox = [0, 0, 1, 0.1]\n[[outlet]]\nbox = [0, 0, 1, 0.3]\nrate = 10\n\
                [[inlet]]\nat = [0.5, 0.9]\ntoward = [0, -1]\nwidth = 0.2\nspeed = 1\ndrops = { every = 1.5, for = 0.2, first = 1 }";
    let scene = Scene::parse(text, "drops.toml").expect("a sound scene").world;
    let mut world = World::new(&scene, &WorldOptions { particles: Some(2000), ..WorldOptions::default() });
    let mut counts = Vec::new();
    for _ in 0..165 {
        world.step();
        assert_eq!(world.particles() + world.pool_count(), 2000);
        counts.push(world.particles());
    }
    // One particle may have been thrown above the outlet's region.
    let left = [counts[55], counts[130]];
    assert!(left.iter().all(|&left| left <= 2), "all is drained before either drop, but {left:?}");
    // π r² of the 0.1 m² of the tank, less 15 % because rows hold whole particles only.
    let whole = std::f32::consts::PI * 0.01 / 0.1 * 2000.0;
    for (nth, count) in [(1, counts[73]), (2, counts[163])] {
        assert!((count as f32 / whole - 1.0).abs() < 0.2, "drop {nth} has {count} particles, a round one {whole}");
    }
}

#[test]
fn the_hourglass_runs_through_and_can_be_turned_over() {
    // Turned over by command only.
    let mut by_hand = scene("hourglass").world;
    by_hand.tank.motion = Default::default();
    let mut world = World::new(&by_hand, &WorldOptions { particles: Some(800), ..WorldOptions::default() });
    let height = |world: &World| world.stats().centre_of_mass.y / f64::from(world.size().y);
    let full = height(&world);
    for _ in 0..60 * 12 {
        world.step();
    }
    let through = height(&world);
    assert!(full > 0.6 && through < 0.4, "the centre of mass went from {full} to {through}");
    world.tilt_to(std::f32::consts::PI);
    for _ in 0..60 * 12 {
        world.step();
    }
    assert!(height(&world) > 0.6, "turned over, the centre of mass is at {}", height(&world));
}

#[test]
fn droplets_in_zero_gravity_become_one() {
    // Without the droplets that fly in later.
    let mut alone = scene("zero-g").world;
    alone.inlet.clear();
    alone.outlet.clear();
    let mut world = World::new(&alone, &WorldOptions { particles: Some(800), ..WorldOptions::default() });
    for _ in 0..60 * 16 {
        world.step();
    }
    let liquid = world.liquid().expect("a tank of liquid");
    let centre = world.stats().centre_of_mass.as_vec2();
    let area = liquid.particle_area() * world.particles() as f32;
    let round = 1.35 * (area / std::f32::consts::PI).sqrt();
    let outside =
        liquid.particles().alive().filter(|&slot| liquid.particles().position(slot).distance(centre) > round).count();
    assert!(outside < 8, "{outside} of {} particles are not in the one drop", world.particles());
}

#[test]
fn a_scene_whose_liquid_finds_no_room_in_a_narrow_window_is_an_empty_tank() {
    let text = "liquid = [{ box = [0.45, 0, 0.55, 0.01] }]\nobstacle = [{ circle = { at = [0.5, 0], radius = 0.08 } }]";
    let scene = Scene::parse(text, "narrow.toml").expect("there is room in an ordinary window");
    let mut world = World::new(&scene.world, &WorldOptions { aspect: 0.125, ..WorldOptions::default() });
    world.step();
    assert_eq!(world.particles(), 0);
}

#[test]
fn a_scene_without_a_name_has_that_of_its_file() {
    let scene = Scene::parse("liquid = [{ box = [0, 0, 1, 0.5] }]", "/home/me/my-tank.toml").expect("a scene");
    assert_eq!(scene.name, "my-tank");
}

/// Scenes that are refused, each with its error, for a snapshot.
pub fn with_errors<'a>(scenes: impl IntoIterator<Item = &'a str>) -> String {
    let with_error = |text: &str| {
        let error = Scene::parse(text, "my.toml").expect_err(text).to_string();
        assert_eq!(error.lines().count(), 1, "for\n{text}\nthe error is\n{error}");
        format!("{text}\n→ {error}\n")
    };
    scenes.into_iter().map(with_error).collect::<Vec<_>>().join("\n")
}

/// Invalid scenes.
const WRONG: &[&str] = &[
    "gate = 2\nliquid = [{ box = [0, 0, 0.4, 1] }]",
    "gate = { at = 2, opening_time = -1 }",
    "gate = { opening_time = 1 }",
    "\n[[body]]\ndisc = 5\nat = [0.5, 0.5]",
    "gravity = ",
    "gravity = 1\ngravity = 2",
    "liquid = 3",
    "\n\ngravty = 3",
    "gravity = -1",
    "gravity = nan",
    "gravity = inf",
    "gravity = \"moon\"",
    "gravity = 1979-05-27",
    "particles = 0",
    "particles = 2000001",
    "particles = 99999999999999999999999",
    "particles = 2.5",
    "substeps = 0",
    "substeps = 1001",
    "name = 3",
    "[tank]\naspect = 0",
    "[tank]\naspect = -2",
    "[tank]\narea = 0",
    "[tank]\nshape = \"round\"",
    "tank = 3",
    "[fluid]\nstiffness = -3",
    "[fluid]\nstifness = 3",
    "[fluid]\nwall = \"bonce\"",
    "[fluid]\nrestitution = 1.5",
    "",
    "liquid = []",
    "[cloth]\nmass = 0.1",
    "[cloth]\nintegrator = \"rk5\"\nsheet = []",
    "[cloth]\ntexture = 3\nsheet = []",
    "[cloth]\nstretch = -3\nsheet = []",
    "[cloth]\nbreak_strain = nan\nsheet = []",
    "[cloth]\nstrech = 3\nsheet = [{ at = [0, 0], size = [1, 0], nodes = [9, 1], pins = \"ends\" }]",
    "[[cloth.sheet]]\nsize = [1, 1]\nnodes = [9, 9]\npins = \"top\"",
    "[[cloth.sheet]]\nnodes = [1, 9]",
    "[[cloth.sheet]]\nnodes = [9.5, 9]",
    "[[cloth.sheet]]\nnodes = [9, 1]\nsize = [1, 1]",
    "[[cloth.sheet]]\nnodes = [9, 9]\nsize = [1, 0]",
    "[[cloth.sheet]]\nnodes = [9, 1]\nsize = [1, 0]\nat = [0.5, 2]",
    "[[cloth.sheet]]\nnodes = [9, 1]\nsize = [1, 0]\nat = [0.5, 1]\nspan = 2\npins = \"ends\"",
    "[[cloth.sheet]]\nnodes = [9, 1]\nsize = [1, 0]\nat = [0.5, 1]\npins = \"end\"",
    "[[cloth.sheet]]\nnodes = [900, 900]\nsize = [1, 1]\nat = [0.5, 1]\npins = \"top\"",
    "[cloth]\nstretch = 1e6\nmass = 0.001\n[[cloth.sheet]]\nnodes = [50, 50]\nsize = [1, 1]\nat = [0.5, 1]\npins = \"top\"",
    "[smoke]\nviscosity = -1",
    "[smoke]\nviscosity = nan",
    "[smoke]\ncells = 3",
    "[smoke]\nleft = \"periodic\"",
    "[smoke]\nleft = \"inflow\"",
    "[smoke]\nleft = \"no-slp\"",
    "[[smoke.dye]]\ncolor = \"red\"",
    "[smoke]\n[[smoke.source]]\nbox = [0,0,1,1]\ndye = \"pink\"",
    "[smoke]\nlid_speed = 99",
    "[[liquid]]\nbox = [0, 0, 1]",
    "[[liquid]]\nbox = [0, 0, 0, 1]",
    "[[liquid]]\nbox = [0, 1, 1, 0]",
    "[[liquid]]\nbox = [1.1, 0, 1.4, 1]",
    "[[liquid]]\nbox = [0, 0, 1, 900]",
    "[[liquid]]\n",
    "[[liquid]]\nbox = [0,0,1,1]\ncircle = { at = [0,0], radius = 1 }",
    "[[liquid]]\nbox = [0,0,1,1]\nspeed = 1",
    "[[liquid]]\nbox = [0,0,1,1]\nvelocity = [99, 0]",
    "particles = 500\ninteraction_radius = 0.1\n[[liquid]]\nbox = [0, 0, 1, 1]",
    "interaction_radius = 0.005\n[tank]\narea = 100\n[[liquid]]\nbox = [0, 0, 1, 1]",
    "[[liquid]]\ncircle = { at = [0.5, 0.5] }",
    "[[liquid]]\ncircle = { at = [0.5, 0.5], radius = 0 }",
    "[[liquid]]\ncircle = { at = [1.3, 0.5], radius = 0.01 }",
    "[[liquid]]\ncapsule = { from = [0, 0], to = [1, 1], radius = -1 }",
    "[[liquid]]\npolygon = [[0, 0], [1, 1]]",
    "[[liquid]]\npolygon = [[0, 0], [1, 1], [1, 0], [0, 1]]",
    "[[liquid]]\npolygon = [[0, 0], [0.5, 0.5], [1, 1]]",
    "[[liquid]]\npolygon = [[0, 0], [1, 0, 3], [1, 1]]",
    "liquid = [{ box = [0.4, 0.4, 0.5, 0.5] }]\nobstacle = [{ box = [0.3, 0.3, 0.6, 0.6] }]",
    "particles = 2000000\nliquid = [{ box = [0, 0, 0.02, 0.02] }]",
    "liquid = [{ box = [0,0,1,1] }]\n[[inlet]]\nat = [0.5, 0.5]",
    "liquid = [{ box = [0,0,1,1] }]\n[[inlet]]\nat = [0.5, 0.5]\ntoward = [0, 0]\nwidth = 1\nspeed = 1",
    "liquid = [{ box = [0,0,1,1] }]\n[[inlet]]\nat = [0.5, 0.5]\ntoward = [0, -1]\nwidth = 1\nspeed = 1\ndrops = { every = 2, for = 3 }",
    "liquid = [{ box = [0,0,1,1] }]\n[[inlet]]\nat = [0.5, 0.5]\ntoward = [0, -1]\nwidth = 1\nspeed = 1\ngas = true\npalette = \"ink\"",
    "liquid = [{ box = [0,0,1,1] }]\n[[outlet]]\nbox = [0,0,1,1]\nrate = -1",
    "liquid = [{ box = [0,0,1,1] }]\n[[heater]]\nbox = [0,0,1,0.1]\npower = 9\n[[heater]]\npower = 9\ncircle = { at = [1.4, 0], radius = 0.1 }",
];

#[test]
fn an_invalid_scene_gets_a_one_line_error_with_advice() {
    assert_snapshot!("errors_of_scenes", with_errors(WRONG.iter().copied()));
}

#[test]
fn arbitrary_text_is_an_error_and_never_a_panic() {
    let mut rng = fastrand::Rng::with_seed(1);
    let whole: String = EMBEDDED.iter().map(|(_, text)| *text).collect();
    for _ in 0..2000 {
        let mut bytes = whole.as_bytes().to_vec();
        for _ in 0..rng.usize(1..6) {
            let (from, to) = (rng.usize(..bytes.len()), rng.usize(..bytes.len()));
            bytes.swap(from, to);
        }
        bytes.truncate(rng.usize(..bytes.len()));
        // Whatever the result, it must not panic.
        let _ = Scene::parse(&String::from_utf8_lossy(&bytes), "noise.toml");
    }
    let deep = format!("gravity = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Scene::parse(&deep, "deep.toml").is_err());
}

fn with(settings: &[&str]) -> Result<Scene, String> {
    let settings: Result<Vec<Setting>, _> = settings.iter().map(|text| Setting::parse(text, "--set")).collect();
    let settings = settings.map_err(|error| error.to_string())?;
    Scene::parse_with(EMBEDDED[0].1, "dam.toml", &settings, &[]).map_err(|error| error.to_string())
}

#[test]
fn a_setting_can_change_every_key_of_a_scene() {
    let scene = with(&[
        "gravity=1.6",
        "stiffness = 8",
        "fluid.sigma=0.5",
        "wall=bounce",
        "area=1",
        "tank.aspect=2",
        "liquid.0.velocity=[1, 2]",
        "obstacle=[{circle={at=[0.5,0.5],radius=0.1}}]",
        "about=new",
        "substeps=2",
        "substeps=3",
    ])
    .expect("good settings");
    assert_eq!(
        (scene.world.gravity, scene.world.fluid.pressure.stiffness, scene.world.fluid.phase.viscous.sigma),
        (1.6, 8.0, 0.5)
    );
    assert_eq!((scene.world.tank.area, scene.world.tank.aspect), (1.0, Some(2.0)));
    assert_eq!((scene.world.liquid[0].velocity, scene.world.obstacle.len()), ([1.0, 2.0], 1));
    assert_eq!((scene.about.as_str(), scene.world.substeps), ("new", 3));
}

#[test]
fn an_interaction_radius_gives_the_particle_count() {
    let circle = "interaction_radius = 0.1\n[tank]\narea = 2\n[[liquid]]\ncircle = { at = [0.5, 0.5], radius = 0.5 }";
    for set in ["", "[sph]\n"] {
        let text =
            circle.replace("[[liquid]]", &format!("{set}[[{}liquid]]", if set.is_empty() { "" } else { "sph." }));
        let scene = Scene::parse(&text, "radius.toml").expect("a scene");
        let world = World::new(&scene.world, &WorldOptions::default());
        let liquid = world.liquid().expect("a liquid");
        assert!((liquid.h() - 0.1).abs() < 1e-6, "{}", liquid.h());
        assert!((world.stats().interaction_radius - 0.1).abs() < 1e-6);
        // The particles fill the circle, and the definition's count is about theirs.
        let area = liquid.particle_area() * world.particles() as f32;
        assert!((area / (std::f32::consts::PI * 0.25) - 1.0).abs() < 0.1, "{area} m²");
        assert!((scene.world.particles as f32 / world.particles() as f32 - 1.0).abs() < 0.1);
        assert_eq!(Scene::parse(&scene.to_toml(), "radius.toml").expect("written"), scene);
        let options = WorldOptions { particles: Some(700), ..WorldOptions::default() };
        assert_eq!(World::new(&scene.world, &options).particles(), 700);
    }
    // A setting replaces the file's other key, and two settings exclude each other.
    let set = |keys: &[&str]| {
        let settings = keys.iter().map(|text| Setting::parse(text, "--set").expect("a setting"));
        Scene::parse_with(circle, "radius.toml", &settings.collect::<Vec<_>>(), &[]).map(|scene| scene.world)
    };
    let world = set(&["particles=80"]).expect("a count");
    assert_eq!((world.particles, world.interaction_radius), (80, None));
    assert_eq!(with(&["interaction_radius=0.2"]).expect("a radius").world.interaction_radius, Some(0.2));
    let error = set(&["particles=80", "interaction_radius=0.2"]).expect_err("both").to_string();
    assert!(error.contains("--set particles=80") && error.contains("--set interaction_radius=0.2"), "{error}");
}

#[test]
fn an_error_in_a_setting_names_the_setting() {
    let settings = [
        "gravity",
        "=3",
        "fluid..sigma=3",
        "gravity=fast",
        "gravty=1",
        "fluid.stiffness=-3",
        "stiffness=NaN",
        "liquid.9.velocity=[0,0]",
        "gravity.x=1",
        "liquid.0.box=[0,0,0,1]",
        "liquid=[{box=[0,0,1,1],colour=1}]",
        "liquid=[]",
    ];
    let with_error = |setting| format!("{setting}\n→ {}\n", with(&[setting]).expect_err(setting));
    assert_snapshot!("errors_of_settings", settings.map(with_error).join("\n"));
}

/// The state of each scene: FNV-1a over the bits of all positions and velocities after a second and a half.
///
/// A change here is a change of the physics, of at least one bit. If it is intended, replace the table by the one that
/// the failing test prints.
const STATES: &[(&str, u64)] = &[
    ("dam", 0x6eac1a3426b71143),
    ("circle", 0x89d4c036aad89c44),
    ("drop", 0x86246cc3434df6e0),
    ("rain", 0x38828d21135bb4f7),
    ("beach", 0x63d93c6de9c94a1d),
    ("waterfall", 0xd8920d0767acc587),
    ("aquarium", 0xdb526fc32ba456a1),
    ("zero-g", 0xa871b73e4fb3f86b),
    ("fountain", 0x005f1f6a3ee4ffe6),
    ("pegs", 0x71211eadaee947d9),
    ("levels", 0x642201279ceaa792),
    ("spectrum", 0x7bda53bb694dc58c),
    ("hourglass", 0xde514ebf299f9b61),
    ("honey", 0x34a976cd6334dcf3),
    ("lava", 0x6dc156bea2ba65e3),
    ("jelly", 0x0e2088847b0505cb),
    ("clay", 0xd9f77b6805428e60),
    ("mercury", 0x0d6a37b8972097e5),
    ("oil", 0x2fa004d733a393bf),
    ("paint", 0x33f1aadd832339a3),
    ("cork", 0x27be127fee004559),
    ("boats", 0x04e6782923ac7ee5),
    ("marbles", 0xaae71f3a6a4db925),
    ("bottle", 0x5b7cdc27c421ed3c),
    ("smoke", 0x918adf510531a9c3),
    ("ink", 0xd601c1e7f1ea0b25),
    ("balloons", 0x93398a22acaf476c),
    ("karman", 0xfbac0cc0e431057d),
    ("curtain", 0xd46c5161b418a83a),
    ("flag", 0x2b08bcc7a2df251b),
    ("hammock", 0x437f8b40c7984fbd),
    ("chain", 0xf2aa964a1e6d8c20),
    ("lava-lamp", 0x9a70cc91870bde90),
    ("kettle", 0xfe9dda5d8d2b5a3c),
    ("fire", 0x14d0bb692543101a),
    ("ice", 0xca1897bf4886aaa3),
    ("frost", 0xa009febed4f9c43b),
    ("iceberg", 0x403fc278198a7182),
    ("volcano", 0xa54fb9e794b2e36c),
    ("candle", 0xefa16f5bced071e3),
    ("geyser", 0x8126c3709f94ffdf),
    ("convection", 0x10a727c29d8d08b0),
    ("blobs", 0xdd52362d5474e1a9),
    ("metaballs", 0xc1bf203855364905),
    ("swirl", 0x82c7abf10d21e649),
    ("sph-dam", 0x90786b61334f26ec),
    ("sph-splash", 0x63977f5bedd18255),
    ("sph-honey", 0x57870f9341e1fae7),
    ("sph-droplets", 0xec35257c7872a9ef),
    ("dam-break", 0xe1b31d5efebed763),
    ("seiche", 0xab4c8b12095c2a28),
    ("u-tube", 0x6102e86ee00957af),
    ("vessels", 0x43735a7264e81de6),
    ("torricelli", 0xe9274e3325217bbe),
    ("quiver", 0xbcd81fcde92af991),
    ("cavity", 0x6a38919aa1643ec7),
];

/// The step in which everything falls asleep, as in Box2D's determinism test: it depends on all steps before. For some
/// scenes that do so soon; 0 if not within 3,000 steps.
const SLEEP: [(&str, u64); 2] = [("boats", 1878), ("clay", 904)];

/// FNV-1a.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Fnv {
    const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn floats<const N: usize>(&mut self, values: [f32; N]) {
        values.iter().for_each(|value| self.add(&value.to_bits().to_le_bytes()));
    }
}

/// Everything that moves: particles by id, bodies, cloth, and the velocity of a grid at 600 positions.
fn state(world: &World) -> u64 {
    let mut hash = Fnv::NEW;
    if let Some(liquid) = world.liquid() {
        let p = liquid.particles();
        let mut slots: Vec<usize> = p.alive().collect();
        slots.sort_unstable_by_key(|&slot| p.id[slot]);
        slots.iter().for_each(|&slot| hash.floats([p.x[slot], p.y[slot], p.vx[slot], p.vy[slot]]));
    }
    for body in world.bodies() {
        hash.floats([body.at.x, body.at.y, body.angle, body.velocity.x, body.velocity.y, body.angular_velocity]);
    }
    if let Some(cloth) = world.cloth() {
        for value in cloth.at.iter().chain(&cloth.velocity).flat_map(|at| at.to_array()) {
            hash.add(&value.to_bits().to_le_bytes());
        }
    }
    if let Some(smoke) = world.smoke() {
        let places = (0..600).map(|n| Vec2::new((n % 30) as f32 + 0.5, (n / 30) as f32 + 0.5) / Vec2::new(30.0, 20.0));
        for at in places.map(|at| at * world.size()) {
            hash.floats([smoke.velocity(at).x, smoke.velocity(at).y, smoke.pressure(at)]);
        }
    }
    hash.0
}

fn small(name: &str) -> World {
    small_of(&scene(name).world, Instructions::Best)
}

fn small_of(definition: &WorldDef, instructions: Instructions) -> World {
    let options = WorldOptions { particles: Some(300), cells: Some(600), seed: 1, instructions, ..Default::default() };
    World::new(definition, &options)
}

/// Particles, a grid with and without heat, cloth, and cloth in a liquid. The other scenes are made of these.
#[test]
fn every_instruction_set_gives_the_recorded_state() {
    let is_other = |it: &Instructions| it.available() && *it != Instructions::Best.found();
    let others = || Instructions::ALL.into_iter().filter(|it| *it != Instructions::Best).filter(is_other);
    for (name, recorded) in
        STATES.iter().filter(|(name, _)| ["dam", "karman", "candle", "curtain", "hammock"].contains(name))
    {
        for instructions in others() {
            let mut world = small_of(&scene(name).world, instructions);
            (0..90).for_each(|_| world.step());
            assert_eq!(state(&world), *recorded, "{name} differs with {}", instructions.name());
        }
    }
}

/// What a program may pass by mistake: numbers that are not finite, too large, or of another order than a tank's.
#[test]
fn no_command_breaks_a_tank() {
    for name in ["dam", "aquarium", "curtain", "cork", "smoke"] {
        let scene = Scene::embedded(name).expect("embedded");
        let mut world = World::new(&scene.world, &WorldOptions { aspect: f32::NAN, ..WorldOptions::default() });
        let at = world.size() / 2.0;
        let kinds = [
            PointerForceKind::HeatBrush { rate: f32::NAN },
            PointerForceKind::Attract { strength: 1e6 },
            PointerForceKind::Push { velocity: Vec2::NAN },
            PointerForceKind::Whirl { spin: f32::INFINITY, core: 0.1 },
        ];
        for step in 0..40 {
            let far = Vec2::splat([1e30, f32::NAN, -1e30, f32::INFINITY][step % 4]);
            world.add_pointer_force(PointerForce { at, radius: 0.3, kind: kinds[step % 4] });
            world.add_pointer_force(PointerForce { at: far, radius: 0.3, kind: kinds[1] });
            world.feed(far);
            world.draw_wall(at, far, 0.01);
            world.draw_wall(at, at, [f32::INFINITY, f32::NAN, -1.0, 1e9][step % 4]);
            world.set_fill_level(f32::NAN);
            world.step();
        }
        assert!(!world.has_room_for(usize::MAX) || world.liquid().is_none(), "{name}");
        world.pour(usize::MAX);
        world.pour(1);
        (0..3).for_each(|_| world.drain(usize::MAX));
        world.step();
        assert!(world.stats().kinetic.is_finite(), "{name}");
        assert_eq!(world.drawn_walls(), 0, "{name}");
        let now = Scene { world: world.definition_now(), ..scene };
        now.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let dam = Scene::embedded("dam").expect("embedded").world;
    let crowded = World::new(&dam, &WorldOptions { particles: Some(usize::MAX), ..WorldOptions::default() });
    assert!(crowded.particles() <= MAX_PARTICLES);
}

/// A definition that a program has filled in is refused as a file is, by the key.
#[test]
fn a_definition_is_checked_as_a_file_is() {
    let dam = Scene::embedded("dam").expect("embedded");
    dam.check().expect("a sound scene");
    type Break = fn(&mut WorldDef);
    let broken: [(&str, Break); 7] = [
        ("substeps", |world| world.substeps = 0),
        ("obstacle.0.polygon", |world| world.obstacle = vec![Region::Polygon(Vec::new())]),
        ("tank.aspect", |world| world.tank.aspect = Some(0.0)),
        ("tank.area", |world| world.tank.area = f32::NAN),
        ("liquid.0.temperature", |world| world.liquid[0].temperature = Some(f32::NAN)),
        ("gravity", |world| world.gravity = f32::INFINITY),
        ("interaction_radius", |world| world.interaction_radius = Some(-1.0)),
    ];
    for (key, break_it) in broken {
        let mut scene = dam.clone();
        break_it(&mut scene.world);
        let error = scene.check().expect_err(key).to_string();
        assert!(error.contains(key), "{key}: {error}");
    }
    let mut scene = dam;
    scene.world.particles = usize::MAX;
    scene.check().expect_err("more than a file can say");
}

#[test]
fn every_scene_has_its_recorded_state() {
    let now = of_every_scene(|name| {
        let mut world = small(name);
        (0..90).for_each(|_| world.step());
        (name, state(&world))
    });
    let table: String = now.iter().map(|(name, hash)| format!("    ({name:?}, {hash:#018x}),\n")).collect();
    assert!(now == STATES, "the physics has changed; it is now\n{table}");
}

#[test]
fn some_scenes_fall_asleep_in_the_recorded_step() {
    let now = SLEEP.map(|(name, _)| {
        // Without the roll, the shocks and the inlets that keep some of them awake.
        let mut still = scene(name).world;
        still.tank.motion = Default::default();
        (still.inlet, still.outlet) = Default::default();
        let mut world = small_of(&still, Instructions::Best);
        let asleep = (1..=3000).find(|_| {
            world.step();
            world.is_asleep()
        });
        (name, asleep.unwrap_or(0))
    });
    let table: String = now.iter().map(|(name, step)| format!("    ({name:?}, {step}),\n")).collect();
    assert!(now == SLEEP, "they fall asleep at other times; it is now\n{table}");
}

/// The pictures of some scenes after a second and a half, one for each kind of matter: FNV-1a over every cell's glyph
/// and colours. Only these few, so that another palette does not change the hash of every scene.
///
/// A change here is a change of the picture or of the physics. Look at it (`slosh render SCENE`). If it is intended,
/// replace the table by the one that the failing test prints.
const PICTURES: [(&str, u64); 5] = [
    ("dam", 0x6150007c63dd980e),
    ("boats", 0x6c71d8f27c8a017d),
    ("oil", 0x00406980e5b1e0f0),
    ("smoke", 0x6e67fc0213d3372b),
    ("curtain", 0x59e0ec5602e9b64d),
];

fn picture(name: &str) -> Buffer {
    let mut world =
        World::new(&scene(name).world, &WorldOptions { particles: Some(1000), seed: 1, ..WorldOptions::default() });
    for _ in 0..90 {
        world.step();
    }
    let mut frame = Buffer::empty(Rect::new(0, 0, 80, 24));
    Painter::default().paint(&world, &RenderStyle::default(), (8, 16), frame.area, &mut frame);
    frame
}

fn hash(frame: &Buffer) -> u64 {
    let mut hash = Fnv::NEW;
    for cell in &frame.content {
        hash.add(format!("{}{:?}{:?}", cell.symbol(), cell.fg, cell.bg).as_bytes());
    }
    hash.0
}

#[test]
fn some_scenes_have_their_recorded_picture() {
    let now = PICTURES.map(|(name, _)| (name, hash(&picture(name))));
    let table: String = now.iter().map(|(name, hash)| format!("    ({name:?}, {hash:#018x}),\n")).collect();
    assert!(now == PICTURES, "the pictures have changed; they are now\n{table}");
}
