//! Laws of rigid bodies: Archimedes, Newton, Coulomb, and those of the tank.

use crate::play::assert_shared;
use crate::scenes::with_errors;
use glam::{DVec2, Vec2};
use slosh::scene::{Scene, find};
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::rigid::Body;
use slosh::sim::statistics::Stats;
use slosh::sim::{World, WorldOptions};

fn world(text: &str, particles: impl Into<Option<usize>>) -> World {
    let scene = Scene::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}")).world;
    World::new(&scene, &WorldOptions { particles: particles.into(), ..WorldOptions::default() })
}

fn play(world: &mut World, seconds: f32) {
    (0..(seconds * 60.0).round() as usize).for_each(|_| world.step());
}

/// The height of the surface is measured over terrain and over bodies too, not only where liquid reaches the floor.
#[test]
fn the_surface_is_measured_over_terrain_and_bodies() {
    let text = "[tank]\narea = 2\naspect = 2\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n\
                [[obstacle]]\npolygon = [[0.3, 0], [0.4, 0.3], [0.6, 0.3], [0.7, 0]]\n\
                [[body]]\nbox = [0.3, 0.2]\nat = [0.9, 0.1]\ndensity = 3\n";
    let mut world = world(text, 3000);
    play(&mut world, 20.0);
    let [left, mid, right] = world.stats().surface;
    assert!(left > 0.45, "{left}");
    assert!((mid - left).abs() < 0.02 && (right - left).abs() < 0.02, "{left} {mid} {right}");
}

/// Momentum, and angular momentum about the origin, of everything in the tank.
fn momenta(world: &World) -> (Vec2, f32) {
    let liquid = world.liquid().expect("there is liquid");
    let p = liquid.particles();
    let (mut momentum, mut angular) = (Vec2::ZERO, 0.0);
    for slot in p.alive() {
        momentum += liquid.mass(slot) * p.velocity(slot);
        angular += liquid.mass(slot) * p.position(slot).perp_dot(p.velocity(slot));
    }
    for body in world.bodies() {
        momentum += body.mass * body.velocity;
        angular += body.mass * body.at.perp_dot(body.velocity) + body.inertia * body.angular_velocity;
    }
    (momentum, angular)
}

/// Cork, wood and ice float at their theoretical depth, within 6 % of their height, which is less than the spacing of
/// particles. The depth is the mean over three seconds after they have settled.
#[test]
fn a_body_floats_at_the_depth_of_its_density() {
    let text = "[tank]\narea = 2\naspect = 1.6666667\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n\
                [[body]]\nbox = [0.42, 0.26]\nat = [0.18, 0.6]\ndensity = 0.3\n\
                [[body]]\nbox = [0.42, 0.26]\nat = [0.5, 0.56]\ndensity = 0.5\n\
                [[body]]\nbox = [0.42, 0.26]\nat = [0.82, 0.5]\ndensity = 0.9\n";
    // A single run gives 0.8 to 0.95 for the heaviest: a remaining swell, and the phase of the particle spacing.
    let runs = [2400, 2500, 2600];
    let mut sums = [0.0; 3];
    for particles in runs {
        let mut world = world(text, particles);
        play(&mut world, 7.0);
        let mut own = [0.0; 3];
        for _ in 0..30 {
            play(&mut world, 0.1);
            for (sum, body) in own.iter_mut().zip(world.bodies()) {
                *sum += world.submerged(body) / 30.0;
            }
        }
        println!("{particles} particles: {own:.3?}");
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own / runs.len() as f32);
    }
    for (share, density) in sums.into_iter().zip([0.3, 0.5, 0.9]) {
        assert!((share - density).abs() < 0.06, "of {sums:?} should be {density}");
    }
}

/// Also a disc that is no wider than two cells of the pressure's grid, and a square turns to the angle at which it is stable:
/// tan θ = ½ for a density of 0.25.
#[test]
fn small_bodies_float_at_their_depth_and_angle() {
    let pool = |body: &str| {
        let text = format!(
            "[tank]\narea = 2\naspect = 1.6666667\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n[[body]]\nat = [0.5, 0.5]\n{body}\n"
        );
        let mut world = world(&text, 3000);
        play(&mut world, 10.0);
        let body = &world.bodies()[0];
        (world.submerged(body), body.angle.to_degrees().rem_euclid(90.0))
    };
    for (density, is) in
        [0.2, 0.5, 0.8, 0.95].map(|density| (density, pool(&format!("disc = 0.05\ndensity = {density}")).0))
    {
        println!("{density}: {is:.3}");
        assert!((is - density).abs() < 0.04, "a disc of density {density} is submerged by {is}");
    }
    let (share, angle) = pool("box = [0.15, 0.15]\ndensity = 0.25\nangle = 10");
    println!("a square: {share:.3}, {angle:.1} degrees");
    assert!((share - 0.25).abs() < 0.04, "a square of density 0.25 is submerged by {share}");
    assert!((angle - 26.6).abs().min((angle - 63.4).abs()) < 5.0, "it floats at {angle} degrees");
}

/// The scene that shows this agrees too, with its own number of particles.
#[test]
fn the_bodies_of_the_cork_scene_float_at_the_depth_of_their_density() {
    // Without its swell, in which the level at a wall differs from that at a body.
    let still = find("cork").expect("an embedded scene").replace("roll =", "# roll =");
    let mut world = world(&still, None);
    play(&mut world, 10.0);
    let mut shares = vec![0.0; world.bodies().len()];
    // Relative to the highest level: two of them drift so close together that there is no level between them, and one may
    // drift so near to a wall that the level there is too low.
    for _ in 0..30 {
        play(&mut world, 0.1);
        let level = world.stats().surface.into_iter().fold(0.0, f64::max) as f32;
        for (share, body) in shares.iter_mut().zip(world.bodies()) {
            *share += body.hull.fraction_below(Vec2::Y, level) / 30.0;
        }
    }
    for (share, density) in shares.iter().zip([0.3, 0.6, 0.9]) {
        assert!((share - density).abs() < 0.06, "of {shares:?} should be {density}");
    }
    assert_eq!(shares.len(), 3);
}

/// Also in an SPH liquid.
#[test]
fn a_body_floats_in_an_sph_liquid() {
    let mut world = world(
        "[tank]\narea = 1.2\naspect = 2\n[sph]\n[[sph.liquid]]\nbox = [0, 0, 1, 0.5]\n\
         [[body]]\nbox = [0.5, 0.3]\nat = [0.5, 0.5]\ndensity = 0.5\n",
        900,
    );
    play(&mut world, 1.5);
    let mut sum = 0.0;
    for _ in 0..15 {
        play(&mut world, 0.1);
        sum += world.submerged(&world.bodies()[0]) / 15.0;
    }
    assert!((sum / 0.5 - 1.0).abs() < 0.05, "{sum} of it should be under water");
}

/// Moving drops hit a disc and a box far from any wall. Their momentum gain is the liquid's loss, for one fluid, for
/// several, and for SPH.
#[test]
fn bodies_and_liquid_together_conserve_momentum() {
    let drop = "circle = { at = [0.4, 0.45], radius = 0.2 }\nvelocity = [1, 0.2]\n";
    let other = "circle = { at = [0.63, 0.6], radius = 0.08 }\nvelocity = [-0.5, -1]\n";
    keep_their_momentum(&format!("[[liquid]]\n{drop}"));
    keep_their_momentum(&format!("[[liquid]]\n{drop}[[liquid]]\n{other}fluid = \"mercury\"\n"));
    keep_their_momentum(&format!("[sph]\nsurface_tension = 2\n[[sph.liquid]]\n{drop}"));
}

/// An SPH drop contracts around a corner of a box; both are initially at rest. The total momentum and angular momentum
/// stay zero.
#[test]
fn a_drop_around_a_body_does_not_accelerate_itself() {
    let mut world = world(
        "gravity = 0\n[tank]\narea = 4\naspect = 1\n[sph]\nsurface_tension = 11\n\
         [[sph.liquid]]\ncircle = { at = [0.5, 0.5], radius = 0.1 }\n\
         [[body]]\nbox = [0.2, 0.1]\nat = [0.6, 0.52]\ndensity = 0.5\n",
        150,
    );
    play(&mut world, 4.0);
    let ((momentum, angular), mass) = (momenta(&world), 0.13 + 0.01);
    assert!(momentum.length() < 1e-6 * mass, "it accelerates itself to {} m/s", momentum.length() / mass);
    assert!(angular.abs() < 1e-5 * mass, "it turns itself: {} m²/s", angular / mass);
}

fn keep_their_momentum(liquid: &str) {
    let text = format!(
        "gravity = 0\n[fluid]\npreset = \"blob\"\n[tank]\narea = 4\naspect = 1\n{liquid}\
         [[body]]\nbox = [0.2, 0.15]\nat = [0.57, 0.5]\ndensity = 0.4\nangular_velocity = 60\nstickiness = 10\n\
         [[body]]\ndisc = 0.08\nat = [0.56, 0.38]\ndensity = 2\nvelocity = [-0.4, 0]\n"
    );
    let mut world = world(&text, 600);
    let (momentum, angular) = momenta(&world);
    let speeds = |world: &World| -> Vec<Vec2> { world.bodies().iter().map(|body| body.velocity).collect() };
    let before = speeds(&world);
    play(&mut world, 0.5);
    let (now, angular_now) = momenta(&world);
    assert!(now.distance(momentum) < 1e-4 * momentum.length(), "{momentum} became {now} with {liquid}");
    assert!((angular_now - angular).abs() < 0.01 * angular.abs(), "{angular} became {angular_now} with {liquid}");
    for (before, after) in before.iter().zip(speeds(&world)) {
        assert!(before.distance(after) > 0.1, "a body was not hit: {before} became {after} by {liquid}");
    }
}

/// The tank's statistics cover all of its matter: kinetic energy, centre of mass and mean velocity.
#[test]
fn statistics_include_every_matter() {
    let mut world = world(
        "gravity = 0\n[tank]\narea = 4\naspect = 1\n\
         [[liquid]]\ncircle = { at = [0.25, 0.5], radius = 0.1 }\nvelocity = [1, 0]\n\
         [[liquid]]\ncircle = { at = [0.75, 0.5], radius = 0.1 }\nvelocity = [-3, 0]\n\
         [[body]]\ndisc = 0.1\nat = [0.5, 0.9]\ndensity = 4\nvelocity = [0, 0.5]\n",
        300,
    );
    world.step();
    let stats = world.stats();
    let liquid = world.liquid().expect("a liquid").stats(Vec2::ZERO, world.size(), |_| false);
    let body = &world.bodies()[0];
    let of_body = Stats {
        mass: body.mass.into(),
        centre_of_mass: body.at.as_dvec2(),
        spread: DVec2::splat((0.5 * f64::from(body.inertia) / f64::from(body.mass)).sqrt()),
        ..Stats::default()
    };
    let each = [liquid, of_body];
    let mass: f64 = each.iter().map(|stats| stats.mass).sum();
    let middle = each.iter().map(|stats| stats.mass * stats.centre_of_mass).sum::<glam::DVec2>() / mass;
    assert_eq!(stats.particles, 300);
    assert!(stats.centre_of_mass.distance(middle) < 1e-6 && (stats.mass - mass).abs() < 1e-6, "{stats:?}");
    assert!(stats.centre_of_mass.y > 1.2, "the body does not count: {stats:?}");
    assert!((stats.mean_speed - 2.0).abs() < 0.1, "half of the particles are at 1 m/s, half at 3: {stats:?}");
    let spread = each.iter().map(|one| one.mass * (one.spread.x.powi(2) + (one.centre_of_mass.x - middle.x).powi(2)));
    assert!((stats.spread.x.powi(2) * mass - spread.sum::<f64>()).abs() < 1e-6, "{stats:?}");
}

/// A disc of three times the fluid's density, in a periodic fluid at rest. After it is released, the fluid gives way,
/// and the added mass is that of the displaced fluid (potential flow): 3 / (3 + 1) of its speed remains. Then drag
/// slows it, and the fluid gains the momentum that it loses, within 5 %: the advection of momentum interpolates.
#[test]
fn a_body_and_a_grid_fluid_together_conserve_momentum() {
    let mut world = world(
        "gravity = 0\n[tank]\narea = 1\naspect = 1\n[smoke]\nviscosity = 0\ncells = 4096\nleft = \"periodic\"\n\
         right = \"periodic\"\nfloor = \"periodic\"\nceiling = \"periodic\"\n\
         [[body]]\ndisc = 0.1\nat = [0.3, 0.5]\ndensity = 3\nvelocity = [1, 0]\n",
        None,
    );
    let whole = world.stats().momentum;
    world.step();
    let speed = world.bodies()[0].velocity.x;
    assert!((speed / 0.75 - 1.0).abs() < 0.05, "{speed} m/s are left");
    play(&mut world, 0.4);
    let (now, slower) = (world.stats().momentum, world.bodies()[0].velocity.x);
    assert!(now.distance(whole) < 0.05 * whole.length(), "{whole} became {now}");
    assert!(slower < 0.95 * speed && slower > 0.5 * speed, "from {speed} it came to {slower} m/s");
}

/// In a grid fluid, lighter bodies rise and heavier ones sink, and stay there. No body is too light.
#[test]
fn bodies_rise_and_sink_in_a_grid_fluid() {
    let mut world = world(
        "[tank]\narea = 1\naspect = 1\n[smoke]\ncells = 2500\n\
         [[body]]\ndisc = 0.1\nat = [0.25, 0.5]\ndensity = 0.02\n\
         [[body]]\nbox = [0.2, 0.1]\nat = [0.75, 0.5]\ndensity = 3\n",
        None,
    );
    for _ in 0..120 {
        world.step();
        assert_inside(&world, "in smoke");
    }
    let [light, heavy] = world.bodies() else { panic!("two bodies") };
    assert!((light.at.y - 0.9).abs() < 0.02, "the light one is at {}", light.at);
    assert!((heavy.at.y - 0.05).abs() < 0.01 && heavy.velocity.length() < 0.1, "the heavy one is at {}", heavy.at);
}

#[test]
fn equal_discs_exchange_their_velocities_in_an_elastic_collision() {
    let mut world = world(
        "gravity = 0\n[[body]]\ndisc = 0.1\nat = [0.2, 0.5]\nvelocity = [1, 0]\nrestitution = 1\nfriction = 0\n\
         [[body]]\ndisc = 0.1\nat = [0.6, 0.5]\nrestitution = 1\nfriction = 0\n",
        1,
    );
    play(&mut world, 0.8);
    let [one, other] = world.bodies() else { panic!("two bodies") };
    assert!(one.velocity.length() < 1e-4 && other.velocity.distance(Vec2::X) < 1e-4, "{one:?} {other:?}");
}

/// A tank of 3 m × 3 m with one object, released `height` metres above its rest position.
fn let_go(thing: &str, half: f32, height: f32) -> World {
    let at = (half + height) / 3.0;
    world(&format!("[tank]\narea = 9\naspect = 1\n[[body]]\n{thing}\nat = [0.5, {at}]\ndensity = 1\n"), 1)
}

/// The heights above rest that it reaches after each bounce in this time.
fn bounces(world: &mut World, half: f32, seconds: f32) -> Vec<f32> {
    let (mut tops, mut before) = (Vec::new(), [f32::INFINITY; 2]);
    for _ in 0..(seconds * 60.0) as usize {
        world.step();
        let body = &world.bodies()[0];
        // Its height plus the height that its velocity still gives it, because a top lies between two steps.
        let height = body.at.y - half + body.velocity.y.powi(2) / (2.0 * 9.81);
        if before[1] < 0.0 && body.velocity.y >= 0.0 {
            tops.push(height);
        }
        before = [before[1], body.velocity.y];
    }
    tops
}

/// ½ g t² at any substep: the trapezoidal rule is exact for a constant force.
#[test]
fn a_body_falls_by_half_g_t_squared() {
    for (liquid, what) in [("", "alone"), ("[[liquid]]\nbox = [0, 0, 1, 0.05]\n", "above a liquid")] {
        let text = format!("[tank]\narea = 9\naspect = 1\n{liquid}[[body]]\ndisc = 0.1\nat = [0.5, 0.9]\n");
        let mut world = world(&text, 300);
        let from = world.bodies()[0].at.y;
        play(&mut world, 0.6);
        let (fallen, told) = (from - world.bodies()[0].at.y, 0.5 * 9.81 * 0.36);
        assert!((fallen - told).abs() < 2e-4, "{what} it fell {fallen} m, not {told} m");
    }
}

/// A disc with a restitution of 1 keeps its height for half a minute; one with e returns to e² of its height each time.
#[test]
fn a_disc_bounces_by_its_restitution() {
    let mut elastic = let_go("disc = 0.1\nrestitution = 1", 0.1, 1.0);
    let tops = bounces(&mut elastic, 0.1, 30.0);
    assert!(tops.len() > 25, "it bounced {} times", tops.len());
    for top in &tops {
        assert!((top - 1.0).abs() < 0.01, "let go 1 m up it came back to {tops:?}");
    }
    for e in [0.5f32, 0.8, 0.9] {
        let tops = bounces(&mut let_go(&format!("disc = 0.1\nrestitution = {e}"), 0.1, 1.5), 0.1, 6.0);
        let is = (tops[2] / 1.5).powf(1.0 / 6.0);
        assert!((is / e - 1.0).abs() < 0.005, "restitution {e} acts as {is}: {tops:?}");
    }
}

/// A box with a restitution of 1 that falls flat returns flat: both corners bounce at the same time.
#[test]
fn a_flat_box_bounces_flat() {
    let mut world = let_go("box = [0.4, 0.2]\nrestitution = 1", 0.1, 1.0);
    let tops = bounces(&mut world, 0.1, 5.0);
    assert!(tops.len() > 4 && tops.iter().all(|top| (top - 1.0).abs() < 0.02), "it came back to {tops:?}");
    assert!(world.bodies()[0].angle.abs() < 0.02, "it turned by {}", world.bodies()[0].angle);
}

/// Just below the friction angle a box rests. Well above it, the box slides with the acceleration that friction leaves.
#[test]
fn friction_holds_a_box_up_to_the_friction_angle() {
    let slid = |friction: f32, degrees: f32| {
        let text = format!("[[body]]\nbox = [0.2, 0.1]\nat = [0.5, 0.05]\ndensity = 1\nfriction = {friction}\n");
        let mut world = world(&text, 1);
        world.tilt_to(degrees.to_radians());
        play(&mut world, 0.4);
        let begin = world.bodies()[0].at.x;
        play(&mut world, 0.3);
        (world.bodies()[0].at.x - begin, world.bodies()[0].velocity.x)
    };
    let angle = 0.4f32.atan().to_degrees();
    let (far, speed) = slid(0.4, 0.95 * angle);
    assert!(far.abs() < 1e-4 && speed.abs() < 1e-3, "it slid {far} m, at {speed} m/s");
    let (far, speed) = slid(0.1, angle);
    // g (sin α − μ cos α) for 0.7 s, less the time in which the tank tilts.
    let expected = 9.81 * (angle.to_radians().sin() - 0.1 * angle.to_radians().cos()) * 0.7;
    assert!(far > 0.3 && (0.75..1.0).contains(&(speed / expected)), "it slid {far} m, at {speed} of {expected} m/s");
}

#[test]
fn a_stack_of_three_boxes_stays() {
    let block = |y: f32| format!("[[body]]\nbox = [0.2, 0.2]\nat = [0.5, {y}]\ndensity = 1\n");
    let text = format!("[tank]\narea = 1\naspect = 1\n{}{}{}", block(0.1), block(0.3), block(0.5));
    let mut world = world(&text, 1);
    play(&mut world, 1.0);
    let places = |world: &World| -> Vec<(Vec2, f32)> { world.bodies().iter().map(|b| (b.at, b.angle)).collect() };
    let before = places(&world);
    let mut fastest = 0f32;
    for _ in 0..600 {
        world.wake();
        world.step();
        fastest = fastest.max(world.max_speed());
    }
    for (number, (now, before)) in places(&world).into_iter().zip(before).enumerate() {
        assert!(now.0.distance(before.0) < 1e-3 && (now.1 - before.1).abs() < 1e-3, "{before:?} became {now:?}");
        assert!((now.0.y - 0.1 - 0.2 * number as f32).abs() < 3e-3, "box {number} is at {now:?}");
    }
    assert!(fastest < 0.003, "it jitters at {fastest} m/s");
}

/// A sticky disc keeps a ring of liquid while it hangs in the air and is shaken; another one loses it.
#[test]
fn stickiness_holds_liquid_to_a_body() {
    let held = |stickiness: f32| {
        let text = format!(
            "gravity = 0\n[tank]\narea = 2\naspect = 1\n[[liquid]]\ncircle = {{ at = [0.5, 0.5], radius = 0.2 }}\n\
             [[body]]\ndisc = 0.15\nat = [0.5, 0.5]\ndensity = 20\nfriction = 1\nstickiness = {stickiness}\n"
        );
        let mut world = world(&text, 600);
        world.set_gravity(5.0);
        // The body is held up from above.
        for _ in 0..120 {
            let at = world.bodies()[0].at;
            world.add_pointer_force(PointerForce {
                at,
                radius: 0.01,
                kind: PointerForceKind::Push { velocity: Vec2::ZERO },
            });
            world.step();
        }
        let (body, liquid) = (&world.bodies()[0], world.liquid().expect("liquid"));
        let p = liquid.particles();
        p.alive().filter(|&slot| body.hull.contact(p.position(slot)).distance < liquid.h()).count()
    };
    let (dry, sticky) = (held(0.0), held(60.0));
    assert!(sticky > 100 && 2 * sticky > 3 * dry, "it holds {sticky} particles, and {dry} without stickiness");
}

const CROWD: &str = "[[liquid]]\nbox = [0, 0, 1, 0.4]\n\
    [[body]]\ndisc = 0.09\nat = [0.2, 0.7]\ndensity = 0.5\n[[body]]\nbox = [0.24, 0.1]\nat = [0.5, 0.7]\ndensity = 0.3\n\
    [[body]]\npolygon = [[0, 0], [0.2, 0], [0.1, 0.17]]\nat = [0.8, 0.7]\ndensity = 3\n\
    [[obstacle]]\npolygon = [[0.6, 0], [0.7, 0.3], [0.8, 0], [0.7, 0.1]]\n";

fn assert_inside(world: &World, context: &str) {
    for (number, body) in world.bodies().iter().enumerate() {
        let (min, max) = body.hull.bounds();
        let out = (-min).max(max - world.size()).max_element();
        assert!(out < 0.002, "body {number} is {out} m outside {context}");
        assert!(body.velocity.is_finite() && body.velocity.length() < 16.0, "{body:?} {context}");
    }
}

#[test]
fn no_body_ever_leaves_the_tank() {
    for shape in ["box", "circle"] {
        let mut world = world(&format!("{CROWD}[tank]\nshape = \"{shape}\"\n"), 400);
        for step in 0..300u32 {
            let at = world.bodies()[step as usize / 100].at;
            let velocity = 8.0 * Vec2::from_angle(step as f32 * 0.05);
            match step % 100 {
                0 => world.tilt_to(step as f32),
                10 => world.shake(Vec2::from_angle(step as f32)),
                20 => world.set_aspect(if step < 100 { 0.4 } else { 4.0 }),
                30..60 => {
                    world.add_pointer_force(PointerForce { at, radius: 0.1, kind: PointerForceKind::Push { velocity } })
                }
                60..70 => world.add_pointer_force(PointerForce {
                    at: at + 0.02,
                    radius: 0.1,
                    kind: PointerForceKind::Explode { strength: 1.0 },
                }),
                70 => world.drain(200),
                80 => world.pour(100),
                90 => world.draw_wall(Vec2::new(0.1, 0.1), at, 0.02),
                _ => {}
            }
            world.step();
            assert_inside(&world, &format!("after {step} steps in a {shape}"));
        }
        assert_eq!(world.bodies().len(), 3);
    }
}

#[test]
fn the_pointer_carries_a_body() {
    let mut world = world("[tank]\narea = 2\n[[body]]\nbox = [0.2, 0.2]\nat = [0.3, 0.2]\ndensity = 1\n", 1);
    for _ in 0..30 {
        let at = world.bodies()[0].at;
        world.add_pointer_force(PointerForce {
            at,
            radius: 0.1,
            kind: PointerForceKind::Push { velocity: Vec2::new(1.0, 1.0) },
        });
        world.step();
    }
    let body = &world.bodies()[0];
    assert!(body.velocity.x > 0.8 && body.velocity.y > 0.6 && body.at.x > 0.75, "{body:?}");
}

#[test]
fn bodies_are_the_same_for_any_number_of_threads() {
    let run = |threads: usize| {
        let mut world = world(CROWD, 2500);
        world.set_threads(threads);
        assert_shared(&world);
        play(&mut world, 0.5);
        let bits =
            |body: &Body| [body.at.x, body.at.y, body.angle, body.velocity.x, body.angular_velocity].map(f32::to_bits);
        world.bodies().iter().map(bits).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(2));
}

/// When everything is calm, it sleeps. The pointer on a body wakes it.
#[test]
fn bodies_fall_asleep_and_wake() {
    let mut world =
        world("[[liquid]]\nbox = [0, 0, 1, 0.3]\n[[body]]\ndisc = 0.1\nat = [0.5, 0.3]\ndensity = 0.5\n", 400);
    let asleep = (0..2700).any(|_| {
        world.step();
        world.is_asleep()
    });
    assert!(asleep, "still at {} m/s", world.max_speed());
    let before = world.bodies()[0].at;
    for _ in 0..20 {
        let at = world.bodies()[0].at;
        world.add_pointer_force(PointerForce { at, radius: 0.1, kind: PointerForceKind::Push { velocity: Vec2::Y } });
        world.step();
    }
    assert!(world.bodies()[0].at.y > before.y + 0.1, "it stayed at {}", world.bodies()[0].at);
}

#[test]
fn an_invalid_body_is_refused_with_line_and_key() {
    let bodies = [
        "disc = 0",
        "disc = nan",
        "box = [0.2, -1]",
        "disc = 0.1\ndensity = -1",
        "disc = 0.1\nfriction = nan",
        "polygon = [[0, 0], [0.2, 0.2], [0.2, 0], [0, 0.2]]",
        "polygon = [[0, 0], [0.2, 0], [0.05, 0.05], [0, 0.2]]",
        "polygon = [[0, 0], [0.2, 0], [0.1, 0]]",
        "density = 1",
        "disc = 3",
        "disc = 0.1\ncolour = \"#fff\"",
    ];
    let scenes = bodies.map(|body| format!("[[body]]\n{body}\nat = [0.5, 0.5]"));
    insta::assert_snapshot!("errors_of_bodies", with_errors(scenes.iter().map(String::as_str)));
}

/// Of 4, 5 and 8 boxes, left alone for 20 s.
#[test]
fn a_high_stack_stands_still_and_sleeps() {
    for count in [4, 5, 8] {
        let block = |number: usize| format!("[[body]]\nbox = [0.1, 0.1]\nat = [0.5, {}]\n", 0.05 + 0.1 * number as f32);
        let text = format!("[tank]\narea = 1\naspect = 1\n{}", (0..count).map(block).collect::<String>());
        let mut world = world(&text, 1);
        play(&mut world, 20.0);
        for (number, body) in world.bodies().iter().enumerate() {
            let shift = body.at.distance(Vec2::new(0.5, 0.05 + 0.1 * number as f32));
            assert!(shift < 4e-3, "box {number} of {count} has moved by {shift} m");
        }
        assert!(world.is_asleep(), "{count} boxes move at {} m/s", world.max_speed());
    }
}

/// Archimedes in a liquid that is alone in its tank: its own density counts, not water's.
#[test]
fn a_body_floats_in_a_liquid_alone_by_that_liquids_density() {
    for (liquid, body) in [(13.6, 7.8), (0.5, 0.25), (13.6, 13.6 * 0.8)] {
        let text = format!(
            "[tank]\narea = 1\naspect = 1\n[fluid]\ndensity = {liquid}\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n\
             [[body]]\ndisc = 0.12\nat = [0.5, 0.4]\ndensity = {body}\n"
        );
        let mut world = world(&text, 1200);
        play(&mut world, 6.0);
        let submerged = (0..20).map(|_| {
            play(&mut world, 0.1);
            world.submerged(&world.bodies()[0]) / 20.0
        });
        let (submerged, expected): (f32, f32) = (submerged.sum(), body / liquid);
        assert!((submerged - expected).abs() < 0.08, "{submerged} of {body} in {liquid} is below, not {expected}");
    }
    for (liquid, body) in [(0.5, 0.6), (2.0, 2.6)] {
        let text = format!(
            "[tank]\narea = 1\naspect = 1\n[fluid]\ndensity = {liquid}\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n\
             [[body]]\ndisc = 0.12\nat = [0.5, 0.3]\ndensity = {body}\n"
        );
        let mut world = world(&text, 1200);
        play(&mut world, 6.0);
        let y = world.bodies()[0].at.y;
        assert!(y < 0.15, "a disc of {body} in {liquid} is at {y} m");
    }
}

/// Archimedes at mid-depth, where a grid carries the water: 2 % of the density decide, in one substep a step. Neither hovers.
#[test]
fn a_disc_rises_or_sinks_by_its_density() {
    for (density, rises) in [(0.98, true), (1.02, false)] {
        let text = format!(
            "[tank]\narea = 2\naspect = 1.6666667\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n\
             [[body]]\ndisc = 0.1\nat = [0.5, 0.27]\ndensity = {density}\n"
        );
        let mut world = world(&text, 2000);
        play(&mut world, 25.0);
        assert!(world.liquid().is_some_and(slosh::sim::liquid::Liquid::is_on_grid) && world.substeps() == 1);
        let (height, level) = (world.bodies()[0].at.y, 0.5 * world.size().y);
        let arrived = if rises { height > level - 0.12 } else { height < 0.101 };
        assert!(arrived, "a disc of density {density} is at {height} m");
    }
}

/// A disc of radius a that sinks in honey between two walls has the speed of Stokes and Faxén, with k = 2a/W the blockage:
/// (ρ/ρ₀ − 1) g a² (−ln k − 0.9157 + 1.7244 k² − 1.7302 k⁴) / 4ν.
#[test]
fn a_disc_sinks_in_honey_at_the_speed_of_stokes() {
    let text = "[tank]\narea = 4\naspect = 1\n[fluid]\npreset = \"honey\"\n[[liquid]]\nbox = [0, 0, 1, 0.95]\n\
                [[body]]\ndisc = 0.1\nat = [0.5, 0.75]\ndensity = 2.8\n";
    let mut world = world(text, 2000);
    play(&mut world, 1.0);
    assert!(world.liquid().is_some_and(slosh::sim::liquid::Liquid::is_on_grid));
    let start = world.bodies()[0].at.y;
    play(&mut world, 2.5);
    let (k, speed) = (0.1f32, (start - world.bodies()[0].at.y) / 2.5);
    let told = 9.81 * 0.1 * 0.1 * (-k.ln() - 0.9157 + 1.7244 * k * k - 1.7302 * k.powi(4)) / (4.0 * 0.4);
    println!("{speed} m/s, {told} by Stokes and Faxén");
    assert!((speed / told - 1.0).abs() < 0.08, "{speed} m/s, {told} by Stokes and Faxén");
}

/// Bodies that a scene puts into an obstacle or into each other lie beside them when the liquid is filled in around them.
#[test]
fn bodies_that_overlap_at_the_start_do_not_throw_the_liquid() {
    let obstacle = "[[obstacle]]\npolygon = [[0.059, 0.294], [0.230, 0.337], [0.145, 0.466]]\n";
    let other = "[[body]]\ndisc = 0.077\nat = [0.12, 0.26]\ndensity = 7\n";
    for (more, is_on_grid) in [(obstacle, false), (obstacle, true), (other, false), (other, true)] {
        let text = format!(
            "[tank]\narea = 0.5\naspect = 1\n[fluid]\ngrid_pressure = {is_on_grid}\n[[liquid]]\nbox = [0, 0, 0.6, 0.45]\n{more}\
             [[body]]\nbox = [0.132, 0.042]\nat = [0.15, 0.39]\nangle = 279\ndensity = 2\n"
        );
        let mut world = world(&text, 1500);
        let mut fastest = 0f32;
        for _ in 0..6 {
            world.step();
            fastest = fastest.max(world.max_speed());
        }
        assert!(fastest < 3.0, "{fastest} m/s: {text}");
    }
}

/// Thirty bodies, more than fit beside each other on the surface: the grid carries them, and they come to rest.
#[test]
fn a_crowd_falls_asleep() {
    let body = |number: usize| {
        let at = Vec2::new(0.05 + 0.1 * (number % 10) as f32, 0.45 + 0.13 * (number / 10) as f32);
        let (radius, density) = (0.035 + 0.005 * (7 * number % 6) as f32, 0.2 + 0.1 * (5 * number % 8) as f32);
        let shape = if number.is_multiple_of(3) {
            format!("box = [{0}, {0}]", 1.6 * radius)
        } else {
            format!("disc = {radius}")
        };
        format!("[[body]]\n{shape}\nat = [{}, {}]\ndensity = {density}\n", at.x, at.y)
    };
    let bodies: String = (0..30).map(body).collect();
    let text = format!("[tank]\narea = 2\naspect = 1.6666667\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n{bodies}");
    for particles in [1500, 3000] {
        let mut world = world(&text, particles);
        assert!(world.liquid().is_some_and(slosh::sim::liquid::Liquid::is_on_grid));
        let asleep = (0..3600).any(|_| {
            world.step();
            world.is_asleep()
        });
        assert!(asleep, "with {particles} particles it still moves at {} m/s", world.max_speed());
    }
}

/// Heavy boxes on the floor and on each other leave the liquid around them at rest.
#[test]
fn liquid_around_heavy_boxes_falls_asleep() {
    let text = "[tank]\narea = 2\naspect = 1.6666667\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n\
                [[body]]\nbox = [0.14, 0.08]\nat = [0.2, 0.1]\ndensity = 2.5\n\
                [[body]]\nbox = [0.14, 0.08]\nat = [0.5, 0.1]\ndensity = 1.5\n\
                [[body]]\nbox = [0.14, 0.08]\nat = [0.8, 0.05]\ndensity = 2.5\n\
                [[body]]\nbox = [0.14, 0.08]\nat = [0.83, 0.2]\ndensity = 2.5\n";
    let mut world = world(text, 8000);
    play(&mut world, 20.0);
    assert!(world.is_asleep(), "it still moves at {} m/s", world.max_speed());
}

/// Thirty discs and boxes sink onto each other, and the liquid between them comes to rest: it is thrown into no gap.
#[test]
fn liquid_in_a_heap_of_bodies_falls_asleep() {
    let mut text = "tank = { area = 2, aspect = 1 }\nliquid = [{ box = [0, 0, 1, 0.45] }]\n".to_owned();
    for number in 0..30usize {
        let (column, row) = (number % 10, number / 10);
        let shape = match number % 2 {
            0 => format!("box = [{:.2}, {:.2}]", 0.06 + 0.01 * (number % 4) as f32, 0.05 + 0.01 * (number % 3) as f32),
            _ => format!("disc = {:.3}", 0.03 + 0.004 * (number % 5) as f32),
        };
        let at = [0.06 + 0.088 * (column as f32 + 0.25 * (row % 2) as f32), 0.12 + 0.1 * row as f32];
        text += &format!("[[body]]\n{shape}\nat = {at:?}\ndensity = {:.1}\n", 1.2 + 0.1 * (number % 7) as f32);
    }
    let mut world = world(&text, 2000);
    play(&mut world, 40.0);
    assert!(world.is_asleep(), "it still moves at {} m/s", world.max_speed());
}

/// A loaded raft comes to rest in fine water.
#[test]
fn a_loaded_raft_falls_asleep() {
    let text = "[tank]\narea = 2\naspect = 1.6666667\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n\
                [[body]]\nbox = [0.3, 0.1]\nat = [0.5, 0.5]\ndensity = 0.5\n\
                [[body]]\nbox = [0.1, 0.05]\nat = [0.5, 0.6]\ndensity = 0.5\n";
    let mut world = world(text, 3000);
    play(&mut world, 30.0);
    assert!(world.is_asleep(), "it still moves");
    let [raft, load] = world.bodies() else { panic!("there are two bodies") };
    assert!(load.at.y - raft.at.y > 0.07, "it has lost its load");
    // It carries both: (0.5 · 0.3 · 0.1 + 0.5 · 0.1 · 0.05) / (0.3 · 0.1).
    let share = world.submerged(raft);
    assert!((share - 0.583).abs() < 0.06, "it is submerged by {share}");
}

/// At a wall with room beside it, it is moved out.
#[test]
fn a_body_without_room_beside_a_piston_is_refused() {
    let text = |piston: &str| {
        format!(
            "[tank]\narea = 1\naspect = 2\n[[body]]\nbox = [0.1, 0.1]\nat = [0.5, 0.15]\n\
             [[piston]]\nbox = [{piston}]\ntravel = [0.1, 0]\n"
        )
    };
    for piston in ["0.4, 0.02, 0.6, 0.5", "0.4, 0.1, 0.6, 0.9", "0.02, 0.02, 0.98, 0.98"] {
        let error = Scene::parse(&text(piston), "my.toml").expect_err(piston).to_string();
        assert!(error.starts_with("my.toml:6: `body.0.at` is in an [[obstacle]] or a [[piston]]"), "{error}");
    }
    let free = world(&text("0.4, -0.1, 0.6, 0.5"), None);
    assert!(free.bodies()[0].at.x < 0.52, "{}", free.bodies()[0].at);
}

/// Also at 5 m/s, at which it moves by more than a body's width in a step.
#[test]
fn a_piston_pushes_bodies() {
    for (speed, period) in [(1.0, 4.0), (5.0, 0.6)] {
        let text = format!(
            "[tank]\narea = 1\naspect = 2\n[[body]]\nbox = [0.1, 0.1]\nat = [0.6, 0.1]\n[[body]]\ndisc = 0.03\nat = [0.7, 0.1]\n\
             [[piston]]\nbox = [0, 0, 0.1, 0.5]\ntravel = [0.7, 0]\nposition = 0.5\nspeed = {speed}\n\
             swing = {{ amplitude = 0.5, period = {period}, phase = 0.75 }}\n"
        );
        let mut world = world(&text, None);
        for _ in 0..240 {
            world.step();
            for body in world.bodies() {
                let front = world.walls().obstacles().last().expect("the piston").bounds().1.x;
                assert!(body.at.x > front, "{} is behind {front} at {speed} m/s", body.at);
            }
        }
    }
}

/// In a tank without a ceiling a body that is thrown rises as high as it would in the open, above the sides and a lid of nothing.
#[test]
fn a_body_leaves_an_open_tank_and_comes_back() {
    let text = "gravity = 9.81\ntank = { area = 1, aspect = 1, shape = \"open-top\" }\n[[liquid]]\nbox = [0, 0, 1, 0.1]\n\
                [[body]]\ndisc = 0.05\nat = [0.5, 0.8]\nvelocity = [0, 4]\ndensity = 2\n";
    let mut world = world(text, 300);
    let mut highest = 0f32;
    for _ in 0..48 {
        world.step();
        highest = highest.max(world.bodies()[0].at.y);
    }
    let expected = 0.8 + 4.0 * 4.0 / (2.0 * 9.81);
    assert!((highest - expected).abs() < 0.01, "{highest} m, {expected} m in theory");
    play(&mut world, 3.0);
    assert!(world.bodies()[0].at.y < 0.3, "it lies at {} m", world.bodies()[0].at.y);
}
