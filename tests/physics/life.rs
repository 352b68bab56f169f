//! What lives in a tank: momentum, schools, food, fear, and where nobody is ever stranded.

use glam::Vec2;
use slosh::scene::fish::embedded;
use slosh::scene::{Scene, find};
use slosh::sim::life::{Fish, Life};
use slosh::sim::world::pointer::{Pointer, PointerMode};
use slosh::sim::{World, WorldOptions};

fn world(text: &str, particles: usize) -> World {
    let scene = Scene::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}")).world;
    World::new(&scene, &WorldOptions { particles: Some(particles), seed: 3, ..WorldOptions::default() })
}

/// A tank of water with fish, given as lines of `[[fish]]`.
fn tank(fish: &str) -> World {
    let text = "[tank]\naspect = 1.7\n[fluid]\nthermal_speed = 0.1\n[[liquid]]\nbox = [0, 0, 1, 0.85]\n";
    world(&format!("{text}{fish}"), 900)
}

fn play(world: &mut World, seconds: f32) {
    (0..(seconds * 60.0).round() as usize).for_each(|_| world.step());
}

fn life(world: &World) -> &Life {
    world.life().expect("something lives here")
}

/// The places of the fish of a species, by its number in the scene.
fn places(world: &World, species: usize) -> Vec<Vec2> {
    let of_species = |fish: &&Fish| fish.species == species;
    life(world).fish.iter().filter(of_species).map(|fish| world.bodies()[fish.body].at).collect()
}

/// In a drop that floats without weight and touches nothing, a school swims, and the momentum of fish and water stays zero.
#[test]
fn a_school_and_its_water_keep_their_momentum() {
    let text = "gravity = 0\n[tank]\narea = 4\naspect = 1\n[[liquid]]\n[liquid.circle]\nat = [0.5, 0.5]\nradius = 0.45\n\
                [[fish]]\nspecies = \"tetra\"\ncount = 6\n[[fish]]\nspecies = \"clownfish\"";
    let mut world = world(text, 1500);
    let mut moved = 0f32;
    for _ in 0..30 {
        world.step();
        let stats = world.stats();
        let fish: f32 = world.bodies().iter().map(|body| body.mass * body.velocity.length()).sum();
        moved = moved.max(fish);
        assert!(stats.momentum.length() < 1e-5, "{} after {} steps", stats.momentum, world.steps());
    }
    assert!(moved > 2e-4, "the fish hardly swam: {moved}");
}

#[test]
fn fish_cruise_and_none_is_stranded() {
    let scene = Scene::parse(find("aquarium").expect("it is embedded"), "aquarium").expect("it is sound").world;
    let mut world = World::new(&scene, &WorldOptions { seed: 5, ..WorldOptions::default() });
    let (mut speed, mut samples) = (0.0, 0.0);
    for second in 0..20 {
        play(&mut world, 1.0);
        let stats = life(&world).stats(world.bodies());
        assert_eq!(stats.fish, 17, "all have room");
        assert_eq!(stats.stranded, 0, "after {second} seconds");
        if second > 3 {
            (speed, samples) = (speed + stats.speed, samples + 1.0);
        }
    }
    let mean = speed / samples;
    assert!((0.5..2.0).contains(&mean), "they cruise at {mean} body lengths a second");
}

#[test]
fn a_school_stays_together_and_returns_to_its_ways_after_a_wave() {
    let mut world = tank("[[fish]]\nspecies = \"tetra\"\ncount = 6\n");
    let spread = |world: &World| {
        let places = places(world, 0);
        let middle = places.iter().sum::<Vec2>() / places.len() as f32;
        places.iter().map(|place| place.distance(middle)).sum::<f32>() / places.len() as f32
    };
    play(&mut world, 4.0);
    world.shake(Vec2::X);
    play(&mut world, 8.0);
    assert!(spread(&world) < 0.45, "they are {} m from their middle", spread(&world));
    assert_eq!(life(&world).stats(world.bodies()).stranded, 0);
}

/// A click drops food; fish come, eat and grow, and the food is gone.
#[test]
fn fish_come_to_food_eat_and_grow() {
    let mut world = tank("[[fish]]\nspecies = \"clownfish\"\ncount = 2\n");
    play(&mut world, 2.0);
    let young = life(&world).stats(world.bodies()).length;
    let at = Vec2::new(0.5, 0.75) * world.size();
    let mut hand = Pointer::new(at);
    hand.close(&mut world, PointerMode::Push, at);
    hand.open();
    for _ in 0..60 {
        hand.act(&mut world, 1.0 / 60.0);
        world.step();
    }
    let dropped = life(&world).crumbs.len();
    assert!(dropped >= 3, "a click dropped {dropped} crumbs");
    play(&mut world, 14.0);
    let grown = life(&world).stats(world.bodies()).length;
    assert!(grown > 1.005 * young, "they were {young} m and are {grown} m long");
    assert!(life(&world).crumbs.len() < dropped, "none was eaten");
}

#[test]
fn a_shy_fish_flees_from_a_pointer_and_others_do_not_care() {
    let distance = |fish: &str| {
        let mut world = tank(fish);
        play(&mut world, 2.0);
        let start = places(&world, 0)[0];
        let mut hand = Pointer::new(start + Vec2::new(0.2, 0.0));
        for step in 0..80 {
            hand.go_to(&mut world, start + Vec2::new(0.15, 0.0005 * step as f32), 0.0);
            hand.act(&mut world, 1.0 / 60.0);
            world.step();
        }
        places(&world, 0)[0].distance(start)
    };
    let (shy, calm) = (distance("[[fish]]\nspecies = \"goby\"\n"), distance("[[fish]]\nspecies = \"angelfish\"\n"));
    assert!(shy > 0.1 && shy > 1.3 * calm, "the shy one swam {shy} m, the other {calm} m");
}

#[test]
fn fish_are_poured_until_the_tank_holds_no_more() {
    let mut world = tank("[[fish]]\nspecies = \"tetra\"\ncount = 0\n");
    let mut poured = 0;
    for nth in 0..6 {
        poured += usize::from(world.stock(0, Vec2::new(0.2 + 0.25 * nth as f32, 0.5)));
        play(&mut world, 0.25);
    }
    assert_eq!((poured, life(&world).fish.len()), (6, 6));
    assert!(!world.stock(1, Vec2::splat(0.5)), "there is no such species");
    assert!(world.stats().max_speed < 6.0, "the water bursts: {} m/s", world.stats().max_speed);
}

#[test]
fn weeds_stand_up_and_bend_with_the_stream() {
    let mut world = tank("[[weed]]\nat = 0.5\nlength = 0.4\n");
    let tip = |world: &World| *life(world).weeds[0].nodes.last().expect("a tip") - life(world).weeds[0].nodes[0];
    play(&mut world, 4.0);
    assert!(tip(&world).y > 0.36, "it stands {} m high", tip(&world).y);
    let before = tip(&world).x;
    world.tilt_to(0.5);
    play(&mut world, 0.8);
    assert!((tip(&world).x - before).abs() > 0.03, "its tip moved from {before} to {} m", tip(&world).x);
}

#[test]
fn every_species_has_a_body_of_its_length() {
    for species in embedded() {
        let outline = species.outline(species.length);
        let (min, max) = outline.bounds();
        let width = (max.x - min.x) / species.length;
        assert!((0.3..1.0).contains(&width), "{}: its body is {width} of its length", species.name);
        let drawn = species.part.iter().map(|part| part.shape.bounds());
        let (min, max) = drawn.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).expect("a part");
        let length = max.x - min.x;
        assert!((0.7..1.1).contains(&length), "{}: it is drawn {length} lengths long", species.name);
    }
}

#[test]
fn a_wrong_species_is_one_error() {
    let error = |text: &str| Scene::parse(text, "tank.toml").expect_err("it is wrong").to_string();
    let water = "[[liquid]]\nbox = [0, 0, 1, 0.8]\n[[fish]]\n";
    assert!(error(&format!("{water}species = \"tetar\"")).starts_with("tank.toml:4: `fish.0.species` is \"tetar\""));
    assert!(error("[smoke]\n[[fish]]\nspecies = \"tetra\"").contains("lives in a liquid"));
    let inline = format!("{water}species = {{ name = \"eel\", length = 9 }}");
    assert!(error(&inline).contains("`fish.0.species"), "{}", error(&inline));
}
