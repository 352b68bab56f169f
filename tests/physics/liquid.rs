//! Laws of the liquid, from outside.

use crate::oracle;
use crate::play::assert_shared;
use fearless_simd::Level;
use glam::{DVec2, Vec2};
use slosh::scene::{Scene, find};
use slosh::sim::boundary::region::Region;
use slosh::sim::boundary::{Container, Shape, Walls};
use slosh::sim::clock::STEP;
use slosh::sim::definition::{GateDef, WorldDef};
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::liquid::Liquid;
use slosh::sim::liquid::fluid::{Fluid, ViscousParams, WallParams, WallResponse};
use slosh::sim::neighbors::Grid;
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::particles::Particles;
use slosh::sim::{StepContext, World, WorldOptions};
use std::sync::OnceLock;

/// A tank with the paper's own liquid in one region and nothing else. `laws.rs` tests the default water.
fn scene(liquid: Region, particles: usize) -> WorldDef {
    WorldDef { particles, fluid: Fluid::blob(), liquid: vec![liquid.into()], ..WorldDef::default() }
}

fn dam(particles: usize) -> WorldDef {
    scene(Region::Box([0.0, 0.0, 0.4, 0.9]), particles)
}

fn world(scene: &WorldDef, seed: u64) -> World {
    World::new(scene, &WorldOptions { seed, ..WorldOptions::default() })
}

fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds * 60.0) as u32 {
        world.step();
    }
}

fn liquid(world: &World) -> &Liquid {
    world.liquid().expect("a tank of liquid")
}

fn assert_contained(world: &World, particles: usize) {
    let p = liquid(world).particles();
    assert_eq!(p.len(), particles, "particles got lost or were made");
    assert_eq!(p.alive().count(), particles);
    let slack = 1e-4;
    for slot in p.alive() {
        assert!(p.position(slot).is_finite() && p.velocity(slot).is_finite(), "slot {slot} is not finite");
        assert!(world.walls().distance(p.position(slot)) > -slack, "slot {slot} at {} is in a wall", p.position(slot));
    }
}

/// A settled dam break, shared by the tests that look at still water.
fn still_water() -> &'static World {
    static STILL: OnceLock<World> = OnceLock::new();
    STILL.get_or_init(|| {
        let mut world = world(&dam(1200), 5);
        run(&mut world, 20.0);
        world
    })
}

/// Also particles that the shaking of the lattice has moved slightly out of the pool.
#[test]
fn all_of_a_thrown_pool_begins_with_its_velocity() {
    for seed in 0..4 {
        let mut scene = scene(Region::Circle { at: [0.5, 0.5], radius: 0.25 }, 800);
        scene.liquid[0].velocity = [1.5, -0.5];
        let world = world(&scene, seed);
        let p = liquid(&world).particles();
        let still = p.alive().filter(|&slot| p.velocity(slot) != Vec2::new(1.5, -0.5)).count();
        assert_eq!(still, 0, "of {} particles, with seed {seed}", p.len());
    }
}

#[test]
fn water_comes_to_rest_and_stays_there() {
    let mut world = world(&dam(3000), 7);
    run(&mut world, 20.0);
    for second in 0..4 {
        let mean = world.stats().mean_speed;
        assert!(mean < 0.002, "mean speed {mean} m/s after {} s", 20 + second);
        run(&mut world, 1.0);
    }
}

#[test]
fn water_at_rest_sleeps_and_wakes() {
    let places = |world: &World| {
        let p = liquid(world).particles();
        p.alive().map(|slot| (p.id[slot], p.position(slot))).collect::<Vec<_>>()
    };
    let mut asleep = still_water().clone();
    run(&mut asleep, 10.0);
    assert!(asleep.is_asleep(), "still awake at {} m/s", asleep.stats().max_speed);
    let before = places(&asleep);
    run(&mut asleep, 5.0);
    assert_eq!(places(&asleep), before, "sleeping water moved");
    assert!((asleep.time() - 35.0).abs() < 0.1, "time did not advance");
    let disturbances: [fn(&mut World); 6] = [
        |world| world.tilt_to(0.3),
        |world| world.shake(Vec2::X),
        |world| world.set_aspect(1.2),
        |world| world.pour(30),
        |world| world.draw_wall(Vec2::new(0.5, 0.2), Vec2::new(1.0, 0.2), 0.05),
        |world| {
            world.add_pointer_force(PointerForce {
                at: Vec2::new(0.9, 0.2),
                radius: 0.3,
                kind: PointerForceKind::Explode { strength: 1.0 },
            })
        },
    ];
    for (number, disturb) in disturbances.into_iter().enumerate() {
        let mut world = asleep.clone();
        disturb(&mut world);
        world.step();
        run(&mut world, 0.2);
        assert!(world.stats().max_speed > 0.05, "disturbance {number} woke no particle");
    }
}

#[test]
fn still_water_is_level() {
    let stats = still_water().stats();
    let [left, middle, right] = stats.surface;
    let spread = left.max(middle).max(right) - left.min(middle).min(right);
    assert!(spread < 0.04, "surface at {:?}", stats.surface);
    let centre = f64::from(still_water().size().x) / 2.0;
    assert!((stats.centre_of_mass.x - centre).abs() < 0.01 * centre, "centre of mass {}", stats.centre_of_mass);
}

#[test]
fn still_water_is_hardly_compressed() {
    let world = still_water();
    let liquid = liquid(world);
    let mut densities: Vec<f32> = liquid.particles().alive().map(|slot| liquid.relative_density(slot)).collect();
    densities.sort_by(f32::total_cmp);
    let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
    let ratio = mean(&densities[densities.len() * 9 / 10..]) / mean(&densities);
    assert!(ratio < 1.15, "densest tenth at {ratio} of the mean");
    assert!((mean(&densities) - 1.0).abs() < 0.1, "mean density {}", mean(&densities));
}

#[test]
fn still_water_does_not_crowd_onto_the_walls() {
    let world = still_water();
    let liquid = liquid(world);
    let close = |slot: &usize| world.walls().distance(liquid.particles().position(*slot)) < 0.02 * liquid.h();
    let share = liquid.particles().alive().filter(close).count() as f64 / liquid.particles().len() as f64;
    assert!(share <= 0.04, "{:.1} % of the particles lie on a wall", 100.0 * share);
}

#[test]
fn no_particle_ever_leaves_the_tank() {
    let mut rng = fastrand::Rng::with_seed(11);
    for wall in [WallResponse::Bounce, WallResponse::AntiStick, WallResponse::HalfPlane] {
        let mut scene = dam(400);
        scene.fluid.walls.response = wall;
        scene.fluid.walls.restitution = 0.7;
        scene.obstacle = vec![
            Region::Circle { at: [0.5, 0.3], radius: 0.1 },
            Region::Box([0.7, 0.0, 0.75, 0.5]),
            Region::Capsule { from: [0.1, 0.95], to: [0.9, 0.95], radius: 0.02 },
            Region::Polygon(vec![[0.8, 0.7], [0.95, 0.6], [0.9, 0.85]]),
        ];
        let mut world = world(&scene, 1);
        for step in 0..600 {
            match rng.u32(0..40) {
                0 => world.tilt_to(rng.f32() * 6.3),
                1 => world.shake(Vec2::from_angle(rng.f32() * 6.3)),
                2 => world.set_aspect(10f32.powf(rng.f32() * 4.0 - 2.0)),
                3 => {
                    let velocity = 200.0 * Vec2::new(rng.f32() - 0.5, rng.f32() - 0.5);
                    let at = Vec2::new(rng.f32(), rng.f32()) * world.size();
                    world.add_pointer_force(PointerForce {
                        at,
                        radius: 0.5,
                        kind: PointerForceKind::Push { velocity },
                    });
                }
                _ => {}
            }
            world.step();
            if step % 50 == 0 {
                assert_contained(&world, 400);
            }
        }
        assert_contained(&world, 400);
    }
}

/// The water moves from the step on that begins nearest to the gate's opening, asleep or awake.
#[test]
fn a_gate_opens_at_the_nearest_step() {
    let front = |at: f32, opening_time: f32| {
        let mut scene = dam(400);
        scene.liquid = vec![Region::Box([0.0, 0.0, 0.3, 0.8]).into()];
        scene.obstacle = vec![Region::Box([0.3, -0.1, 0.35, 1.1])];
        scene.gate = Some(GateDef { at, opening_time });
        let mut world = world(&scene, 1);
        run(&mut world, 1.3);
        assert!(world.walls().obstacles().is_empty(), "the gate is still there");
        world.stats().front_x
    };
    let [early, near, late] = [0.0, 0.4 * STEP, STEP].map(|opening_time| front(1.0, opening_time));
    assert!(early == near && near > late + 0.01, "fronts at {early}, {near}, {late}");
}

#[test]
fn many_resizes_lose_no_particle() {
    let mut world = world(&dam(800), 2);
    for aspect in [0.001, 300.0, 1.0, 0.5, 7.0, f32::NAN, -3.0, 0.0, 1.7] {
        world.set_aspect(aspect);
        run(&mut world, 0.7);
        assert_contained(&world, 800);
    }
    run(&mut world, 3.0);
    let size = world.size();
    assert!((size.x / size.y - 1.7).abs() < 0.01, "the tank ended {} wide and {} high", size.x, size.y);
    assert!((size.x * size.y - 2.0).abs() < 1e-3, "the tank's area changed");
}

/// Momentum of a free cloud of liquid, relative to the sum of its particles' momenta.
#[test]
fn momentum_is_conserved_in_zero_gravity() {
    for seed in 0..3 {
        let mut scene = scene(Region::Circle { at: [0.3, 0.5], radius: 0.18 }, 600);
        scene.gravity = 0.0;
        scene.liquid.push(Region::Circle { at: [0.7, 0.5], radius: 0.12 }.into());
        let mut world = world(&scene, seed);
        let at = Vec2::new(0.25, 0.5) * world.size();
        for _ in 0..20 {
            world.add_pointer_force(PointerForce {
                at,
                radius: 0.3,
                kind: PointerForceKind::Push { velocity: Vec2::new(0.6, 0.1) },
            });
            world.step();
        }
        let before = world.stats();
        run(&mut world, 0.6);
        let after = world.stats();
        let scale = before.mean_speed * before.particles as f64 * f64::from(liquid(&world).particle_area());
        let drift = (after.momentum - before.momentum).length() / scale;
        assert!(before.momentum.length() > 0.1 * scale, "the cloud was not pushed");
        assert!(drift < 1e-4, "momentum drifted by {drift} of itself");
        assert_eq!(after.particles, 600);
    }
}

/// Two drops collide off-centre, merge and spin far from the walls.
#[test]
fn angular_momentum_is_conserved_in_zero_gravity() {
    let with_tension = Scene::parse(find("zero-g").expect("a scene"), "zero-g").expect("a scene").world.fluid;
    for fluid in [Fluid::blob(), with_tension] {
        let mut scene =
            WorldDef { fluid, gravity: 0.0, ..scene(Region::Circle { at: [0.45, 0.47], radius: 0.1 }, 500) };
        scene.liquid.push(Region::Circle { at: [0.55, 0.53], radius: 0.1 }.into());
        (scene.liquid[0].velocity, scene.liquid[1].velocity) = ([0.1, 0.0], [-0.1, 0.0]);
        let mut world = world(&scene, 1);
        let spin = |world: &World| -> f64 {
            let (p, center) = (liquid(world).particles(), world.stats().centre_of_mass);
            let of = |slot| (p.position(slot).as_dvec2() - center).perp_dot(p.velocity(slot).as_dvec2());
            p.alive().map(of).sum()
        };
        let before = spin(&world);
        run(&mut world, 20.0);
        let kept = spin(&world) / before;
        println!("{kept} of the angular momentum is left");
        assert!((kept - 1.0).abs() < 0.02, "{kept} of the angular momentum is left");
    }
}

#[test]
fn a_drop_without_gravity_becomes_round_and_stays_where_it_is() {
    let mut scene = scene(Region::Box([0.4, 0.25, 0.6, 0.75]), 500);
    scene.gravity = 0.0;
    let mut world = world(&scene, 1);
    let centre = world.stats().centre_of_mass;
    run(&mut world, 15.0);
    assert!((world.stats().centre_of_mass - centre).length() < 1e-3);
    let p = liquid(&world).particles();
    let mut spread = DVec2::ZERO;
    for slot in p.alive() {
        spread += (p.position(slot).as_dvec2() - centre).powf(2.0);
    }
    let aspect = (spread.max_element() / spread.min_element()).sqrt();
    assert!(aspect < 1.1, "the drop is {aspect} times as long as it is wide");
}

#[test]
fn energy_never_grows_by_itself() {
    let mut world = world(&dam(800), 4);
    let total = |world: &World| {
        let stats = world.stats();
        stats.kinetic + stats.potential
    };
    let mut least = total(&world);
    // The initial column stores a little elastic energy, which it releases in the first moments.
    let allowance = 0.02 * least;
    for _ in 0..40 {
        run(&mut world, 0.25);
        let now = total(&world);
        assert!(now < least + allowance, "energy went from {least} to {now}");
        least = least.min(now);
    }
}

#[test]
fn more_substeps_give_the_same_flow() {
    let measure = |substeps: u32| {
        let mut world = world(&WorldDef { substeps, ..dam(800) }, 1);
        assert!(world.substeps() >= substeps);
        run(&mut world, 0.5);
        let early = world.stats();
        run(&mut world, 11.5);
        (early.front_x, early.centre_of_mass.x, world.stats().centre_of_mass.y)
    };
    let (front, com, height) = measure(1);
    let (fine_front, fine_com, fine_height) = measure(24);
    assert!((front - fine_front).abs() < 0.05 * front, "front {front} against {fine_front}");
    assert!((com - fine_com).abs() < 0.03 * com, "centre {com} against {fine_com}");
    assert!((height - fine_height).abs() < 0.02 * height, "height {height} against {fine_height}");
}

#[test]
fn more_particles_give_the_same_flow() {
    let settled = |particles: usize| {
        let mut world = world(&dam(particles), 1);
        run(&mut world, 12.0);
        world.stats().centre_of_mass.y
    };
    let (coarse, fine) = (settled(500), settled(2000));
    assert!((coarse - fine).abs() < 0.06 * fine, "settled at {coarse} against {fine}");
}

#[test]
fn coincident_particles_separate() {
    let (size, h) = (Vec2::new(2.0, 1.0), 0.05);
    let walls = Walls::new(size, Container::Box, Vec::new(), h);
    let mut liquid = Liquid::new(Fluid::blob(), h);
    for number in 0..120 {
        // Sixty particles on each of two points, one of them a corner.
        let spot = if number % 2 == 0 { Vec2::new(1.2, 0.6) } else { Vec2::ZERO };
        liquid.add(spot, Vec2::ZERO);
    }
    liquid.fit(&walls);
    let dt = STEP / liquid.required_substeps(STEP, 0.0, walls.size()).ceil().max(1.0);
    for _ in 0..(4.0 / dt) as u32 {
        liquid.step(&StepContext { dt, gravity: Vec2::ZERO, walls: &walls, pointer_forces: &[] }, &mut ());
    }
    let p = liquid.particles();
    let slots: Vec<usize> = p.alive().collect();
    assert_eq!(slots.len(), 120);
    for &a in &slots {
        let others = slots.iter().filter(|&&b| b != a);
        let closest = others.map(|&b| p.position(a).distance(p.position(b))).fold(f32::INFINITY, f32::min);
        assert!(closest > 0.2 * liquid.spacing(), "two particles are still {closest} m apart");
    }
}

/// One particle thrown at the floor returns with the speed that each response leaves.
#[test]
fn each_wall_response_reflects_as_specified() {
    let (size, h) = (Vec2::new(1.0, 1.0), 0.05);
    let walls = Walls::new(size, Container::Box, Vec::new(), h);
    let rebound = |wall: WallResponse, loss: f32| {
        let blob = Fluid::blob();
        let walls_of = WallParams { response: wall, restitution: 1.0 - loss, release_speed: 2.0, ..blob.walls };
        let mut liquid = Liquid::new(Fluid { walls: walls_of, ..blob }, h);
        liquid.add(Vec2::new(0.5, 0.1), Vec2::new(0.3, -1.0));
        liquid.fit(&walls);
        for _ in 0..150 {
            liquid.step(&StepContext { dt: 0.001, gravity: Vec2::ZERO, walls: &walls, pointer_forces: &[] }, &mut ());
        }
        let p = liquid.particles();
        p.velocity(p.alive().next().expect("the particle is still there"))
    };
    assert!(rebound(WallResponse::Bounce, 0.0).abs_diff_eq(Vec2::new(0.3, 1.0), 1e-3), "an elastic bounce");
    assert!(rebound(WallResponse::Bounce, 0.4).abs_diff_eq(Vec2::new(0.3, 0.6), 1e-3), "a bounce with loss");
    assert!(rebound(WallResponse::Bounce, 1.0).abs_diff_eq(Vec2::new(0.3, 0.0), 1e-3), "no bounce at all");
    assert!(rebound(WallResponse::AntiStick, 1.0).abs_diff_eq(Vec2::new(0.3, 2.0 * h), 1e-3), "let go at 2 h/s");
    let adhesion = rebound(WallResponse::HalfPlane, 1.0);
    assert!(
        adhesion.y.abs() < 0.05 && (0.0..0.3).contains(&adhesion.x),
        "a droplet that wets the wall slides: {adhesion}"
    );
}

#[test]
fn distances_and_normals_agree_with_each_other() {
    let shapes = [
        Shape::Circle { at: Vec2::new(0.4, 0.6), radius: 0.2 },
        Shape::Box { min: Vec2::new(0.2, 0.3), max: Vec2::new(0.7, 0.5) },
        Shape::Capsule { from: Vec2::new(0.2, 0.2), to: Vec2::new(0.8, 0.5), radius: 0.1 },
        Shape::Polygon([[0.2, 0.2], [0.9, 0.3], [0.5, 0.5], [0.6, 0.9], [0.1, 0.7]].map(Vec2::from).to_vec()),
        Shape::Polygon([[0.1, 0.7], [0.6, 0.9], [0.5, 0.5], [0.9, 0.3], [0.2, 0.2]].map(Vec2::from).to_vec()),
    ];
    let mut rng = fastrand::Rng::with_seed(8);
    for shape in shapes {
        let (mut inside, mut outside) = (0, 0);
        for _ in 0..2000 {
            let p = Vec2::new(rng.f32(), rng.f32());
            let contact = shape.contact(p);
            if contact.distance < 0.0 {
                inside += 1
            } else {
                outside += 1
            }
            assert!((contact.normal.length() - 1.0).abs() < 1e-4);
            // Moving by the distance against the normal ends on the surface.
            let foot = shape.contact(p - contact.normal * contact.distance);
            assert!(foot.distance.abs() < 1e-4, "{shape:?} at {p}: foot at {}", foot.distance);
        }
        assert!(inside > 50 && outside > 50);
    }
}

#[test]
fn pouring_and_draining_count_exactly() {
    let mut world = world(&dam(500), 1);
    world.pour(120);
    run(&mut world, 4.0);
    assert_contained(&world, 620);
    world.drain(300);
    run(&mut world, 6.0);
    assert_contained(&world, 320);
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let bits = |seed: u64| {
        let mut world = world(&dam(600), seed);
        run(&mut world, 2.0);
        let p = liquid(&world).particles();
        p.alive().map(|slot| (p.id[slot], p.x[slot].to_bits(), p.y[slot].to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(1));
    assert_ne!(bits(1), bits(2));
}

#[test]
fn the_grid_finds_every_pair_once() {
    let mut rng = fastrand::Rng::with_seed(3);
    for (size, h, count) in
        [(Vec2::new(2.0, 1.0), 0.1, 500), (Vec2::new(0.3, 5.0), 0.11, 300), (Vec2::new(4.0, 0.05), 0.09, 200)]
    {
        let mut particles = Particles::default();
        for id in 0..count {
            particles.push(id, Vec2::new(rng.f32(), rng.f32()) * size, Vec2::ZERO);
        }
        let mut grid = Grid::default();
        grid.resize(size, h);
        grid.sort(Level::new(), &mut particles);
        let near = |a: usize, b: usize| particles.position(a).distance(particles.position(b)) < h;
        let mut found = Vec::new();
        for row in 0..grid.rows() {
            for i in grid.row(row) {
                let candidates = grid.candidate_ranges(row, i, particles.x[i], particles.x[i]).into_iter().flatten();
                found.extend(candidates.filter(|&j| near(i, j)).map(|j| (i.min(j), i.max(j))));
            }
        }
        found.sort_unstable();
        let slots: Vec<usize> = particles.alive().collect();
        let mut expected: Vec<(usize, usize)> = slots
            .iter()
            .flat_map(|&a| slots.iter().map(move |&b| (a, b)))
            .filter(|&(a, b)| a < b && near(a, b))
            .collect();
        expected.sort_unstable();
        assert!(expected.len() > 100);
        assert_eq!(found, expected);
    }
}

/// Walls look at those edges of a polygon only that may matter at a place: exactly the contact of the whole polygon.
#[test]
fn a_contact_with_a_polygon_is_that_with_all_of_its_edges() {
    let mut rng = fastrand::Rng::with_seed(4);
    let size = Vec2::new(1.5, 1.0);
    for h in [0.02, 0.05, 0.3] {
        let mut star = |middle: Vec2, count: usize| {
            let angle = |number: usize| std::f32::consts::TAU * number as f32 / count as f32;
            Shape::Polygon((0..count).map(|n| middle + (0.1 + 0.3 * rng.f32()) * Vec2::from_angle(angle(n))).collect())
        };
        let stars = vec![star(Vec2::new(0.4, 0.4), 40), star(Vec2::new(1.2, 0.7), 5), star(Vec2::new(0.8, 0.9), 17)];
        let walls = Walls::new(size, Container::Box, stars, h);
        let mut met = 0;
        for _ in 0..20_000 {
            let p = size * (1.4 * Vec2::new(rng.f32(), rng.f32()) - 0.2);
            let Some(contact) = walls.obstacle(p) else { continue };
            let all = walls.obstacles().iter().map(|shape| shape.contact(p));
            assert_eq!(Some(contact), all.min_by(|a, b| a.distance.total_cmp(&b.distance)), "at {p}, h {h}");
            met += 1;
        }
        assert!(met > 2000, "only {met} places are near the polygons");
    }
}

/// The rim of a glass that is turned over is drawn out there.
#[test]
fn an_obstacle_goes_on_beyond_each_side_of_the_tank() {
    let walls = |min, max| Walls::new(Vec2::ONE, Container::Box, vec![Shape::Box { min, max }], 0.03);
    let (upright, level) = (walls(Vec2::ZERO, Vec2::new(0.2, 1.0)), walls(Vec2::ZERO, Vec2::new(1.0, 0.2)));
    for beyond in [0.01, 0.05, 0.08] {
        for across in [0.19, 0.205] {
            let depth = |walls: &Walls, x: f32, y: f32| walls.obstacle(Vec2::new(x, y)).map(|contact| contact.distance);
            let expected = depth(&upright, across, 0.5);
            for found in [
                depth(&upright, across, -beyond),
                depth(&upright, across, 1.0 + beyond),
                depth(&level, -beyond, across),
                depth(&level, 1.0 + beyond, across),
            ] {
                assert_eq!(found, expected, "{beyond} beyond, at {across}");
            }
        }
    }
}

/// The quantities that are compared: kinetic energy per mass, m²/s²; the position that the first 2 % have passed to the
/// right; and the heights below which 10, 30, 50, 70 and 90 % lie, which is the density profile. Lengths in metres.
#[derive(Debug)]
struct Portrait {
    kinetic: f32,
    front: f32,
    profile: [f32; 5],
}

impl Portrait {
    fn of(at: &[Vec2], velocity: &[Vec2]) -> Self {
        let sorted = |of: fn(&Vec2) -> f32| {
            let mut values: Vec<f32> = at.iter().map(of).collect();
            values.sort_by(f32::total_cmp);
            values
        };
        let (x, y) = (sorted(|at| at.x), sorted(|at| at.y));
        let kinetic = velocity.iter().map(|v| 0.5 * v.length_squared()).sum::<f32>() / at.len() as f32;
        let profile = [10, 30, 50, 70, 90].map(|percent| y[y.len() * percent / 100]);
        Self { kinetic, front: x[x.len() * 98 / 100], profile }
    }

    fn of_world(world: &World) -> Self {
        let p = liquid(world).particles();
        let (at, velocity): (Vec<Vec2>, Vec<Vec2>) = p.alive().map(|slot| (p.position(slot), p.velocity(slot))).unzip();
        Self::of(&at, &velocity)
    }
}

/// The two-pass update against the paper's sequential one: the same flow, from the dam's break until it has settled.
#[test]
fn two_passes_give_the_flow_of_the_papers_sequence() {
    let mut fluid = Fluid::blob();
    fluid.walls.response = WallResponse::Bounce;
    let scene = WorldDef { fluid, substeps: 16, ..dam(500) };
    let mut world = world(&scene, 1);
    let mut oracle = oracle::Sequential::of(&world);
    let (mut time, mut settled) = (0.0, f32::INFINITY);
    for until in [0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 10.0] {
        run(&mut world, until - time);
        oracle.run(until - time);
        time = until;
        let (ours, theirs) = (Portrait::of_world(&world), Portrait::of(oracle.places(), oracle.velocities()));
        let story = format!("after {until} s ours is {ours:?}, the sequence's {theirs:?}");
        assert!((ours.front - theirs.front).abs() < 0.02, "fronts: {story}");
        assert!((ours.kinetic - theirs.kinetic).abs() < 0.3 * theirs.kinetic + 0.001, "kinetic energies: {story}");
        // Fractions of a depth of 0.35 m. During the splash, the highest percentiles are far up in the air.
        let most = if until < 4.0 { 0.03 } else { 0.012 };
        let apart = ours.profile.iter().zip(theirs.profile).map(|(ours, theirs)| (ours - theirs).abs());
        assert!(apart.fold(0.0, f32::max) < most, "profiles: {story}");
        settled = ours.kinetic;
    }
    assert!(settled < 0.001, "ours still moves: {settled} m²/s²");
}

/// The instructions of this machine.
fn instructions() -> impl Iterator<Item = Instructions> {
    Instructions::ALL.into_iter().filter(|instructions| instructions.available())
}

/// The sum over all pairs in double precision: density and near-density of each particle, and its displacement by
/// pressure and viscosity, divided by dt².
fn brute_force(fluid: &Fluid, h: f64, dt: f64, at: &[DVec2], v: &[DVec2]) -> Vec<(f64, f64, DVec2)> {
    let others = |i: usize| (0..at.len()).filter(move |&j| j != i && at[i].distance(at[j]) < h);
    let kernel = |i: usize, j: usize| 1.0 - at[i].distance(at[j]) / h;
    let sum = |i: usize, power: i32| others(i).map(|j| kernel(i, j).powi(power)).sum::<f64>();
    let sums: Vec<(f64, f64)> = (0..at.len()).map(|i| (sum(i, 2), sum(i, 3))).collect();
    let pressure =
        |i: usize| f64::from(fluid.pressure.stiffness) / h * (sums[i].0 - f64::from(fluid.pressure.rest_density));
    let near_pressure = |i: usize| f64::from(fluid.pressure.near_stiffness) / h * sums[i].1;
    let push = |i: usize, j: usize| {
        let (g, away) = (kernel(i, j), (at[i] - at[j]).normalize());
        let u = (v[j] - v[i]).dot(away).max(0.0);
        let viscous =
            (f64::from(fluid.phase.viscous.sigma) / (h * h) + f64::from(fluid.phase.viscous.beta) / h * u) * u;
        assert!(viscous * dt * dt / 2.0 < 0.1 * u * dt + 1e-30, "the test is too fast for unlimited viscosity");
        let pressed = (pressure(i) + pressure(j)) * g + (near_pressure(i) + near_pressure(j)) * g * g;
        away * (pressed + g * viscous) / 2.0
    };
    (0..at.len()).map(|i| (sums[i].0, sums[i].1, others(i).map(|j| push(i, j)).sum())).collect()
}

#[test]
fn densities_and_displacements_are_those_of_brute_force() {
    let (size, h, dt) = (Vec2::new(2.0, 1.0), 0.1, 5e-4);
    let walls = Walls::new(size, Container::Box, Vec::new(), h);
    for (instructions, sigma) in instructions().flat_map(|instructions| [(instructions, 0.0), (instructions, 0.004)]) {
        let beta = 50.0 * sigma;
        let mut fluid = Fluid::blob();
        fluid.walls.response = WallResponse::Bounce;
        fluid.phase.viscous = ViscousParams { viscosity: 0.0, sigma, beta };
        let mut liquid = Liquid::new(fluid, h);
        liquid.use_instructions(instructions);
        let mut rng = fastrand::Rng::with_seed(5);
        let (mut at, mut v) = (Vec::new(), Vec::new());
        for _ in 0..700 {
            let place = 0.1 * size + 0.8 * size * Vec2::new(rng.f32(), rng.f32());
            let velocity = Vec2::new(rng.f32() - 0.5, rng.f32() - 0.5);
            liquid.add(place, velocity);
            at.push((place + velocity * dt).as_dvec2());
            v.push(velocity.as_dvec2());
        }
        liquid.fit(&walls);
        liquid.step(&StepContext { dt, gravity: Vec2::ZERO, walls: &walls, pointer_forces: &[] }, &mut ());
        let expected = brute_force(&fluid, f64::from(h), f64::from(dt), &at, &v);
        let strongest = expected.iter().map(|(.., push)| push.length()).fold(0.0, f64::max) * f64::from(dt);
        let p = liquid.particles();
        for slot in p.alive() {
            let number = p.id[slot] as usize;
            let (density, near_density, push) = expected[number];
            let pressure = f64::from(fluid.pressure.stiffness) * (density - f64::from(fluid.pressure.rest_density))
                + f64::from(fluid.pressure.near_stiffness) * near_density;
            let scale = f64::from(fluid.pressure.stiffness) * density
                + f64::from(fluid.pressure.near_stiffness) * near_density
                + 25.0;
            let [own, near] = liquid.pressures(slot);
            let off = (f64::from(own + near) - pressure).abs() / scale;
            assert!(off < 1e-5, "{instructions:?}: pressure of {number} is off by {off}");
            let kick = p.velocity(slot).as_dvec2() - v[number];
            let off = (kick - push * f64::from(dt)).length() / strongest;
            assert!(off < 1e-5, "{instructions:?}, σ {sigma}: displacement of {number} is off by {off}");
        }
    }
}

#[test]
fn all_instructions_give_the_same_bits_and_keep_the_laws() {
    let mut outcomes = instructions().map(|instructions| {
        let setup = WorldOptions { seed: 3, instructions, ..WorldOptions::default() };
        let mut world = World::new(&dam(900), &setup);
        world.tilt_to(0.4);
        run(&mut world, 2.0);
        world.tilt_to(0.0);
        run(&mut world, 12.0);
        let stats = world.stats();
        assert_contained(&world, 900);
        assert!(stats.mean_speed < 0.01, "{instructions:?}: still {} m/s", stats.mean_speed);
        let [left, middle, right] = stats.surface;
        assert!((left - right).abs() < 0.05 && (left - middle).abs() < 0.05, "{instructions:?}: {:?}", stats.surface);
        let p = liquid(&world).particles();
        let bits = |slot: usize| [p.x[slot], p.y[slot], p.vx[slot], p.vy[slot]].map(f32::to_bits);
        (instructions, p.alive().map(|slot| (p.id[slot], bits(slot))).collect::<Vec<_>>())
    });
    let (_, best) = outcomes.next().expect("there is always a best one");
    for (instructions, bits) in outcomes {
        assert!(bits == best, "{instructions:?} computes other bits");
    }
}

/// Two drops of honey, and one of honey and one of oil, collide off-centre. Viscosity in one stage and in many
/// conserves both momenta, with the same bits for all instructions and any number of threads.
#[test]
fn viscosity_conserves_both_momenta_with_the_same_bits() {
    for second in ["honey", "oil"] {
        let text = format!(
            "particles = 2600\ngravity = 0\n\
             [[liquid]]\ncircle = {{ at = [0.38, 0.48], radius = 0.12 }}\nfluid = \"honey\"\nvelocity = [1, 0.1]\n\
             [[liquid]]\ncircle = {{ at = [0.6, 0.55], radius = 0.12 }}\nfluid = \"{second}\"\nvelocity = [-0.8, 0]\n"
        );
        let scene = Scene::parse(&text, "drops").unwrap_or_else(|error| panic!("{error}")).world;
        let outcome = |instructions, threads| {
            let mut world = World::new(&scene, &WorldOptions { instructions, ..WorldOptions::default() });
            world.set_threads(threads);
            assert_shared(&world);
            let momenta = |world: &World| {
                let (liquid, middle) = (liquid(world), 0.5 * world.size().as_dvec2());
                let p = liquid.particles();
                p.alive().fold((DVec2::ZERO, 0.0), |(momentum, turning), slot| {
                    let own = f64::from(liquid.mass(slot)) * p.velocity(slot).as_dvec2();
                    (momentum + own, turning + (p.position(slot).as_dvec2() - middle).perp_dot(own))
                })
            };
            let before = momenta(&world);
            run(&mut world, 0.1);
            let after = momenta(&world);
            assert!((after.0 - before.0).length() < 1e-4, "{second}: momentum {before:?} became {after:?}");
            assert!((after.1 / before.1 - 1.0).abs() < 0.02, "{second}: angular momentum {before:?} became {after:?}");
            let p = liquid(&world).particles();
            let bits = |slot: usize| [p.x[slot], p.y[slot], p.vx[slot], p.vy[slot]].map(f32::to_bits);
            p.alive().map(|slot| (p.id[slot], bits(slot))).collect::<Vec<_>>()
        };
        let first = outcome(Instructions::default(), 1);
        for (instructions, threads) in
            instructions().skip(1).take(1).map(|instructions| (instructions, 1)).chain([(Instructions::default(), 3)])
        {
            assert!(
                outcome(instructions, threads) == first,
                "{second}: {instructions:?}, {threads} threads: other bits"
            );
        }
    }
}

/// While the tank changes its shape, its walls and obstacles move. Each contact reports the velocity of its own wall,
/// and not of the side of the tank with the same normal.
#[test]
fn a_contact_has_the_velocity_of_its_moving_wall() {
    let text = "[[liquid]]\nbox = [0, 0, 1, 0.1]\n[[obstacle]]\nbox = [0.3, 0.3, 0.5, 0.6]\n[[obstacle]]\ncircle = { at = [0.75, 0.5], radius = 0.02 }";
    let scene = Scene::parse(text, "walls").expect("a scene").world;
    let mut world = World::new(&scene, &WorldOptions { particles: Some(100), aspect: 1.5, ..WorldOptions::default() });
    world.set_aspect(0.8);
    world.step();
    let before = world.walls().clone();
    world.step();
    let walls = world.walls();
    for share in
        [[0.3, 0.45], [0.5, 0.45], [0.4, 0.3], [0.4, 0.6], [0.715, 0.5], [0.999, 0.5], [0.5, 0.999], [0.001, 0.5]]
    {
        let at = Vec2::from(share) * walls.size();
        let (mut moved, mut told, mut nearest) = (0.0, 0.0, f32::INFINITY);
        walls.contacts(at, 0.1, |contact| {
            if contact.distance.abs() < nearest {
                nearest = contact.distance.abs();
                // The reported speed is that at which the distance shrinks.
                let same = |other: Vec2| other.dot(contact.normal) > 0.9;
                before.contacts(at, 0.1, |old| {
                    if same(old.normal) {
                        moved = 60.0 * (old.distance - contact.distance)
                    }
                });
                let place = at - contact.distance * contact.normal;
                told = walls.wall_velocity(place, contact.normal).dot(contact.normal);
            }
        });
        assert!(nearest < 0.1, "{share:?}: no wall there");
        assert!((told - moved).abs() < 0.03, "{share:?}: moves at {moved} m/s and says {told}");
    }
}

/// Lines of `/` and `\` touch at the corners of their characters only.
#[test]
fn a_funnel_of_slashes_holds_water() {
    let mut drawing = String::new();
    for line in 0..12 {
        drawing += &format!("{}\\{}/\n", " ".repeat(line + 2), " ".repeat(2 * (12 - line)));
    }
    drawing += &format!("{}__\n\n", " ".repeat(14));
    let text = format!(
        "particles = 1500\n[tank]\narea = 2\naspect = 1\n[[liquid]]\nbox = [0.4, 0.5, 0.6, 0.8]\n\
         [[obstacle]]\nart = '''\n{drawing}'''\n\
         # Lids over the gaps between its rims and the ceiling, through which drops fly.\n\
         [[obstacle]]\nbox = [0, 0.97, 0.13, 1]\n[[obstacle]]\nbox = [0.9, 0.97, 1, 1]\n"
    );
    let scene = Scene::parse(&text, "test.toml").unwrap_or_else(|error| panic!("{error}")).world;
    let mut world = world(&scene, 1);
    run(&mut world, 5.0);
    let liquid = liquid(&world);
    let below = liquid.particles().alive().filter(|&slot| liquid.particles().position(slot).y < 0.12).count();
    assert_eq!(below, 0, "particles have leaked");
}

#[test]
fn a_tank_takes_a_limited_number_of_drawn_walls() {
    let scene = Scene::parse("[[liquid]]\nbox = [0, 0, 1, 0.3]", "test.toml").expect("a sound scene").world;
    let mut world = World::new(&scene, &WorldOptions { particles: Some(20), ..WorldOptions::default() });
    for number in 0..World::MAX_DRAWN_WALLS + 10 {
        let at = Vec2::new(0.1 + 0.0005 * number as f32, 0.9);
        world.draw_wall(at, at, 0.001);
    }
    assert_eq!(world.drawn_walls(), World::MAX_DRAWN_WALLS);
}

/// The number of particles is a resolution: the jet carries the same energy, and nothing is thrown out faster than a
/// drop that is hit by the jet.
#[test]
fn a_jet_is_the_same_with_any_number_of_particles() {
    let scene = Scene::parse(find("fountain").expect("an embedded scene"), "fountain").expect("a sound scene").world;
    let jet = |particles: usize| {
        let mut world =
            World::new(&scene, &WorldOptions { particles: Some(particles), seed: 1, ..WorldOptions::default() });
        let (mut fastest, mut kinetic) = (0f32, 0.0);
        for step in 0..120 {
            world.step();
            // The pool at the start closes over the mouth, and is thrown up.
            fastest = if step > 30 { fastest.max(world.max_speed()) } else { 0.0 };
            kinetic += if step == 59 { world.stats().kinetic } else { 0.0 };
        }
        assert!(fastest < 8.5, "{particles} particles: {fastest} m/s");
        kinetic
    };
    let energies = [2000, 4000, 8000].map(jet);
    let mean = energies.iter().sum::<f64>() / 3.0;
    assert!(energies.iter().all(|energy| (energy / mean - 1.0).abs() < 0.08), "{energies:?}");
}

/// A pool whose weight the particles carry alone comes to rest, whatever the viscosity of the fluids in it.
#[test]
fn viscous_liquid_on_the_particles_alone_comes_to_rest() {
    let pool = |area: f32, fluid: &str| {
        format!(
            "[tank]\narea = {area}\naspect = 1\n[fluid]\ngrid_pressure = false\n{fluid}\n[[liquid]]\nbox = [0, 0, 1, 0.4]\n"
        )
    };
    let mut pools =
        vec![pool(2.0, "") + "[[liquid]]\nbox = [0, 0.4, 1, 0.5]\nfluid = { preset = \"honey\", density = 0.9 }\n"];
    for area in [0.5, 2.0] {
        for fluid in ["oil", "wax", "lamp-oil", "tallow"] {
            pools.push(pool(area, &format!("preset = \"{fluid}\"")));
        }
        for viscosity in [0.002, 0.05, 0.4] {
            pools.push(pool(area, &format!("viscosity = {viscosity}")));
        }
    }
    for text in pools {
        let scene = Scene::parse(&text, "test.toml").expect("a sound scene").world;
        let mut world = World::new(&scene, &WorldOptions { particles: Some(1500), ..WorldOptions::default() });
        run(&mut world, 10.0);
        assert!(!world.liquid().expect("liquid").is_on_grid());
        assert!(world.max_speed() < 0.05, "it moves at {} m/s after ten seconds: {text}", world.max_speed());
    }
}

/// A wide outlet drains all of its region alike: it leaves no hole in a corner.
#[test]
fn an_outlet_across_the_floor_leaves_no_hole() {
    let text = "[tank]\narea = 1\naspect = 1.6\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n[[outlet]]\nbox = [0, 0, 1, 0.08]\nrate = 0.02\n\
                [[inlet]]\nat = [0.5, 0.9]\ntoward = [0, -1]\nwidth = 0.1\nspeed = 1\ndrops = { every = 2, for = 0.1 }";
    let scene = Scene::parse(text, "test.toml").expect("a sound scene").world;
    for seed in [1, 6, 7] {
        let mut world = World::new(&scene, &WorldOptions { particles: Some(2000), seed, ..WorldOptions::default() });
        run(&mut world, 4.0);
        let (width, mut farthest) = (world.size().x, [0f32; 3]);
        for _ in 0..120 {
            world.step();
            let liquid = world.liquid().expect("water");
            let p = liquid.particles();
            for (place, farthest) in [0.0, 0.5 * width, width].into_iter().zip(&mut farthest) {
                let distances = p.alive().map(|slot| p.position(slot).distance(Vec2::new(place, 0.0)));
                *farthest = farthest.max(distances.fold(f32::INFINITY, f32::min) / liquid.spacing());
            }
        }
        assert!(
            farthest.iter().all(|&spacings| spacings < 1.7),
            "seed {seed}: left, middle and right: {farthest:?} spacings"
        );
    }
}

/// Outlets and the key that drains keep their rates whatever the number of particles.
#[test]
fn outlets_drain_at_their_rate_with_any_number_of_particles() {
    let text =
        "[tank]\narea = 1\naspect = 1\n[[liquid]]\nbox = [0, 0, 1, 0.6]\n[[outlet]]\nbox = [0, 0, 1, 0.3]\nrate = 0.5";
    for (text, rate) in [(text, 0.5), (&text[..text.find("[[outlet]]").expect("an outlet")], 0.24)] {
        let scene = Scene::parse(text, "test.toml").expect("a sound scene").world;
        for particles in [500, 12_000] {
            let setup = WorldOptions { particles: Some(particles), ..WorldOptions::default() };
            let mut world = World::new(&scene, &setup);
            let area = world.liquid().expect("water").particle_area();
            if rate != 0.5 {
                world.drain(particles);
            }
            run(&mut world, 0.25);
            let drained = 4.0 * area * (particles - world.particles()) as f32;
            assert!((drained / rate - 1.0).abs() < 0.12, "{particles} particles: {drained} of {rate} m²/s");
        }
    }
}
