//! Laws of smoothed particle hydrodynamics: kernels, conservation, hydrostatics, drops, and that nothing explodes.

use crate::play::{assert_shared, run};
use crate::scenes::with_errors;
use glam::{DVec2, Vec2};
use slosh::data::Setting;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::boundary::region::Region;
use slosh::sim::definition::{LiquidRegion, SphDef, WorldDef};
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::liquid::Liquid;
use slosh::sim::liquid::pressure::Force;
use slosh::sim::liquid::pressure::wcsph::SphMaterial;
use slosh::sim::liquid::pressure::wcsph::kernels::Kernel;
use slosh::sim::{World, WorldOptions};
use slosh::view::ColorBy;
use std::f64::consts::PI;
use std::thread;

/// A tank 1.83 m wide and 1.1 m high.
fn tank(substance: SphMaterial, pool: Region, gravity: f32, particles: usize) -> World {
    let sph = Some(SphDef { material: substance, liquid: vec![pool.into()] });
    World::new(&WorldDef { particles, gravity, substeps: 1, sph, ..WorldDef::default() }, &WorldOptions::default())
}

fn sph(world: &World) -> &Liquid {
    world.liquid().expect("a tank with SPH in it")
}

#[test]
fn kernels_integrate_to_one_in_the_plane() {
    for kernel in Kernel::ALL {
        let slices = 20_000;
        let ring = |slice: i32| {
            let q = (f64::from(slice) + 0.5) / f64::from(slices);
            2.0 * PI * q * f64::from(kernel.at(q as f32)) / f64::from(slices)
        };
        let whole: f64 = (0..slices).map(ring).sum();
        assert!((whole - 1.0).abs() < 1e-4, "{kernel:?} integrates to {whole}");
        assert!(kernel.at(1.0).abs() < 1e-6 && kernel.at(1.5) == 0.0, "{kernel:?} does not end at h");
    }
}

fn angular_momentum(world: &World) -> f64 {
    let p = sph(world).particles();
    let of = |slot| DVec2::perp_dot(p.position(slot).as_dvec2() - DVec2::new(0.9, 0.5), p.velocity(slot).as_dvec2());
    p.alive().map(of).sum()
}

/// Two drops collide off-centre, merge and spin.
#[test]
fn both_momenta_are_conserved_in_zero_gravity() {
    let substance =
        SphMaterial { stiffness: 40_000.0, viscosity: 1.0, surface_tension: 11.0, ..SphMaterial::default() };
    let pool = |at, velocity| LiquidRegion { velocity, ..LiquidRegion::from(Region::Circle { at, radius: 0.14 }) };
    let sph = Some(SphDef {
        material: substance,
        liquid: vec![pool([0.4, 0.55], [0.5, 0.0]), pool([0.6, 0.43], [-0.3, 0.0])],
    });
    let scene = WorldDef { particles: 500, gravity: 0.0, substeps: 1, sph, ..WorldDef::default() };
    let mut world = World::new(&scene, &WorldOptions::default());
    let (momentum, spin) = (world.stats().momentum, angular_momentum(&world));
    run(&mut world, 1.5);
    let drift = (world.stats().momentum - momentum).length() / momentum.length();
    assert!(drift < 1e-4, "the momentum changed by {drift} of itself");
    let turn = (angular_momentum(&world) / spin - 1.0).abs();
    assert!(turn < 2e-3, "the angular momentum changed by {turn} of itself");
}

#[test]
fn a_pool_at_rest_is_as_high_as_it_was_filled_and_hardly_compressed() {
    let mut world =
        tank(SphMaterial { viscosity: 10.0, ..SphMaterial::default() }, Region::Box([0.0, 0.0, 1.0, 0.5]), 9.81, 1200);
    run(&mut world, 6.0);
    let (stats, sph) = (world.stats(), sph(&world));
    assert!(stats.density_max < 1.03, "compressed to {}", stats.density_max);
    // The centre of mass lies at half the height.
    let (height, fill) = (2.0 * stats.centre_of_mass.y, 0.5 * f64::from(world.size().y));
    assert!((height / fill - 1.0).abs() < 0.03, "{height} m high, filled to {fill} m");
    // Pressure grows with depth, in proportion to g.
    let p = sph.particles();
    let points: Vec<(f64, f64)> = p
        .alive()
        .filter(|&slot| {
            p.position(slot).x > 0.2
                && p.position(slot).x < 1.6
                && p.position(slot).y > 0.06
                && p.position(slot).y < 0.45
        })
        .map(|slot| (f64::from(p.position(slot).y), f64::from(sph.pressure(slot))))
        .collect();
    let slope = -regression(&points);
    assert!((slope / 9.81 - 1.0).abs() < 0.05, "pressure grows by {slope} m²/s² a metre");
}

/// Pressure divided by the weight above, averaged over a pool without its rims. The pool's height is twice that of its
/// centre of mass.
fn pressure_by_weight(world: &World, gravity: f32) -> f64 {
    let (p, size) = (sph(world).particles(), world.size());
    let height = 2.0 * world.stats().centre_of_mass.y as f32;
    let inside = p.alive().filter(|&slot| {
        let at = p.position(slot);
        (0.1..0.9).contains(&(at.x / size.x)) && (0.1..0.8).contains(&(at.y / height))
    });
    let (sum, told) = inside.fold((0.0, 0.0), |(sum, told), slot| {
        (sum + f64::from(sph(world).pressure(slot)), told + f64::from(gravity * (height - p.position(slot).y)))
    });
    sum / told
}

/// In every single step: the pool does not collapse first, does not oscillate, and the shaken lattice does not fly
/// apart.
#[test]
fn a_pool_begins_at_rest() {
    for fill in [0.5, 1.0] {
        let mut world = tank(SphMaterial::default(), Region::Box([0.0, 0.0, 1.0, fill]), 9.81, 1200);
        for step in 0..90 {
            world.step();
            let (speed, pressure) = (world.stats().mean_speed, pressure_by_weight(&world, 9.81));
            assert!(speed < 0.08, "filled to {fill}, in step {step} it moves at {speed} m/s in the mean");
            assert!((pressure - 1.0).abs() < 0.08, "filled to {fill}, in step {step} {pressure} of what lies above");
        }
    }
}

/// It is a law of the forces, which were calibrated on none of these pools.
#[test]
fn pressure_is_the_weight_of_what_lies_above_in_any_pool() {
    let thin = SphMaterial::default();
    let pools = [
        ("hardly viscous", SphMaterial { viscosity: 0.5, ..thin }, 9.81),
        ("thick", SphMaterial { viscosity: 20.0, ..thin }, 9.81),
        ("of many neighbours", SphMaterial { neighbours: 40.0, ..thin }, 9.81),
        ("of few neighbours", SphMaterial { neighbours: 15.0, ..thin }, 9.81),
        ("of another equation of state", SphMaterial { gamma: 1.0, stiffness: 4e5, ..thin }, 9.81),
        ("on the Moon", thin, 1.62),
        ("under twice the gravity", thin, 19.6),
    ];
    for (name, substance, gravity) in pools {
        let mut world = tank(substance, Region::Box([0.0, 0.0, 1.0, 0.4]), gravity, 800);
        run(&mut world, 1.0);
        let share = pressure_by_weight(&world, gravity);
        println!("{name}: {share}");
        assert!((share - 1.0).abs() < 0.05, "{name}: {share} of what lies above");
    }
}

/// The slope of the regression line.
fn regression(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / count, points.iter().map(|p| p.1).sum::<f64>() / count);
    points.iter().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
        / points.iter().map(|(x, _)| (x - mx).powi(2)).sum::<f64>()
}

/// Measures ν on a slab far from any wall, of two layers that slide over each other at 0.05 m/s each. The amplitude of
/// its slowest mode, `sin (π y/H)` about its middle, decays as `exp(−ν (π/H)² t)`; ν follows from the time in which it
/// falls to a fifth.
fn viscosity_of_sliding_layers(nu: f64, particles: usize, substeps: u32) -> f64 {
    let text = format!(
        "gravity = 0\nparticles = {particles}\nsubsteps = {substeps}\n[tank]\narea = 2\naspect = 2\n\
         [sph]\nviscosity = {}\n\
         [[sph.liquid]]\nbox = [0.1, 0.4, 0.9, 0.5]\nvelocity = [-0.05, 0]\n\
         [[sph.liquid]]\nbox = [0.1, 0.5, 0.9, 0.6]\nvelocity = [0.05, 0]\n",
        1000.0 * nu
    );
    let scene = Scene::parse(&text, "layers.toml").expect("a scene").world;
    let mut world = World::new(&scene, &WorldOptions::default());
    // The spread of a level slab is its height divided by √12.
    let height = world.stats().spread.y * 12f64.sqrt();
    let share = |world: &World| {
        let (p, middle) = (sph(world).particles(), world.stats().centre_of_mass);
        let inner = p.alive().filter(|&slot| (f64::from(p.position(slot).x) - middle.x).abs() < 0.4);
        let (sum, weight) = inner.fold((0.0, 0.0), |(sum, weight), slot| {
            let mode = (PI / height * (f64::from(p.position(slot).y) - middle.y)).sin();
            (sum + mode * f64::from(p.velocity(slot).x), weight + mode * mode)
        });
        sum / weight
    };
    run(&mut world, 0.05);
    let (start, begin) = (share(&world), world.time());
    while share(&world) > 0.2 * start {
        world.step();
    }
    (start / share(&world)).ln() / (world.time() - begin) * (height / PI).powi(2)
}

/// The viscosity is kinematic, in m²/s, and the same at any resolution of space and time. (It fell to between 0.0013
/// and 0.0066 for 0.002 and 0.005 m²/s when pools did not begin at rest: the jitter of particles has a viscosity of its
/// own.)
#[test]
fn viscosity_has_its_nominal_value() {
    let cases = [
        (0.002, 800, 1),
        (0.002, 3000, 1),
        (0.005, 400, 1),
        (0.005, 1600, 1),
        (0.005, 400, 100),
        (0.02, 400, 1),
        (0.02, 1600, 1),
    ];
    // All at once: this is among the last tests to start, and nothing else would use the other cores.
    thread::scope(|scope| {
        for (nu, particles, substeps) in cases {
            scope.spawn(move || {
                let measured = viscosity_of_sliding_layers(nu, particles, substeps);
                let off = (measured / nu - 1.0).abs();
                assert!(off < 0.1, "{nu} m²/s acts as {measured} with {particles} particles and {substeps} substeps");
            });
        }
    });
}

/// Second moments about the centre of mass: xx, yy and xy.
fn moments(world: &World) -> [f64; 3] {
    let (p, middle) = (sph(world).particles(), world.stats().centre_of_mass);
    p.alive()
        .map(|slot| p.position(slot).as_dvec2() - middle)
        .fold([0.0; 3], |[xx, yy, xy], d| [xx + d.x * d.x, yy + d.y * d.y, xy + d.x * d.y])
}

/// The ratio of the long to the short axis.
fn aspect(world: &World) -> f64 {
    let [xx, yy, xy] = moments(world);
    let (mean, off) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
    ((mean + off) / (mean - off)).sqrt()
}

fn drop(viscosity: f32, particles: usize, sides: [f32; 2]) -> World {
    let substance = SphMaterial { stiffness: 40_000.0, viscosity, surface_tension: 11.0, ..SphMaterial::default() };
    let size = Vec2::new(1.826, 1.095);
    let half = Vec2::from(sides) / 2.0 / size;
    tank(substance, Region::Box([0.5 - half.x, 0.5 - half.y, 0.5 + half.x, 0.5 + half.y]), 0.0, particles)
}

#[test]
fn a_square_drop_becomes_round() {
    let mut world = drop(5.0, 500, [0.4, 0.4]);
    run(&mut world, 4.0);
    assert!(aspect(&world) < 1.05, "its axes are as {} to 1", aspect(&world));
}

#[test]
fn nothing_explodes_within_the_ranges() {
    let mut rng = fastrand::Rng::with_seed(11);
    for round in 0..24 {
        let mut pick = |choices: &[f32]| choices[rng.usize(..choices.len())];
        let substance = SphMaterial {
            rest_density: pick(&[1.0, 1000.0, 20_000.0]),
            stiffness: pick(&[100.0, 57_000.0, 1e7]),
            gamma: pick(&[1.0, 3.0, 7.0]),
            viscosity: pick(&[0.0, 1.0, 1000.0]),
            surface_tension: pick(&[0.0, 20.0, 1000.0]),
            surface_threshold: pick(&[0.02, 0.1, 0.4]),
            neighbours: pick(&[12.0, 21.0, 60.0]),
            restitution: pick(&[0.0, 1.0]),
            wall_friction: pick(&[0.0, 10.0]),
            adhesion: pick(&[0.0, 1.0]),
            ..SphMaterial::default()
        };
        let gravity = pick(&[0.0, 9.81, 1000.0]);
        let mut world = tank(substance, Region::Box([0.1, 0.2, 0.5, 0.9]), gravity, 60);
        let count = world.particles();
        for step in 0..20 {
            if step == 8 {
                world.shake(Vec2::X);
                world.set_aspect(0.6);
            }
            world.step();
        }
        let context = format!("in round {round} with {substance:?} under {gravity} m/s²");
        assert_eq!(world.particles(), count, "{context}");
        let p = sph(&world).particles();
        for slot in p.alive() {
            assert!(p.position(slot).is_finite() && p.velocity(slot).is_finite(), "{context}");
            assert!(world.walls().distance(p.position(slot)) > -1e-3, "one is in a wall {context}");
        }
        // Twice the speed of a fall through the tank, and the speeds from surface tension and from a shake; the last is
        // at most 3 m/s.
        let capillary = (substance.surface_tension / substance.rest_density / sph(&world).h()).sqrt();
        let most = 2.0 * (2.0 * gravity * 2.0).sqrt() + 4.0 + 4.0 * capillary;
        assert!(world.max_speed() < most, "{} m/s {context}", world.max_speed());
    }
}

#[test]
fn wrong_values_are_named_with_file_line_and_key() {
    let pool = "[[sph.liquid]]\nbox = [0, 0, 1, 0.5]";
    let values = [
        "viscosity = -1",
        "stiffness = nan",
        "surface_tension = 1e9",
        "neighbours = 3",
        "density_kernel = \"cubic\"",
        "surface_tensoin = 3",
    ];
    let tables = [
        "[heat]\ntemperature = 40",
        "[[heater]]\nbox = [0, 0, 1, 0.1]\npower = 100",
        "[[inlet]]\nat = [0.5, 1]\ntoward = [0, -1]\nwidth = 0.1\nspeed = 1\nfluid = \"oil\"",
        "[[inlet]]\nat = [0.5, 1]\ntoward = [0, -1]\nwidth = 0.1\nspeed = 1\npalette = \"lava\"",
    ];
    let values = values.map(|line| format!("[sph]\n{line}\n{pool}"));
    let tables = tables.map(|table| format!("[sph]\n{pool}\n{table}"));
    let scenes = values.iter().chain(&tables).map(String::as_str).chain(["[sph]\nviscosity = 1"]);
    insta::assert_snapshot!("errors_of_sph", with_errors(scenes));
    let setting = Setting::parse("surface_tension=3", "--set").expect("a setting");
    let text = scene::find("sph-dam").expect("an embedded scene");
    let scene = Scene::parse_with(text, "sph-dam.toml", &[setting], &[]).expect("a scene").world;
    assert_eq!(scene.sph.expect("its table").material.surface_tension, 3.0);
}

#[test]
fn forces_are_separate_and_a_tank_without_them_shows_density() {
    let text = |name| Scene::parse(scene::find(name).expect("an embedded scene"), name).expect("a scene").world;
    let few = WorldOptions { particles: Some(300), ..WorldOptions::default() };
    let mut world = World::new(&text("sph-droplets"), &few);
    run(&mut world, 0.5);
    let sph = sph(&world);
    for force in Force::ALL {
        assert!(
            sph.particles().alive().any(|slot| sph.force(force, slot).unwrap_or_default().length() > 0.01),
            "no {force:?}"
        );
        assert!(ColorBy::Force(force).is_in(&world));
    }
    let (p, middle) = (sph.particles(), sph.particles().alive().filter(|&slot| sph.surface(slot) == 0.0).count());
    assert!(middle > p.len() / 4 && middle < p.len(), "{middle} of {} are inside", p.len());
    let dam = World::new(&text("dam"), &few);
    assert_eq!(ColorBy::Force(Force::Tension).within(&dam), ColorBy::Density);
    assert!(ColorBy::Surface.is_in(&dam));
}

#[test]
fn threads_and_instructions_change_no_bit() {
    use slosh::sim::parallel::instructions::Instructions;
    let bits = |threads, instructions| {
        let text = scene::find("sph-splash").expect("an embedded scene");
        let scene = Scene::parse(text, "sph-splash").expect("a scene").world;
        let setup = WorldOptions { particles: Some(2100), threads, instructions, ..WorldOptions::default() };
        let mut world = World::new(&scene, &setup);
        assert_shared(&world);
        run(&mut world, 0.1);
        let p = sph(&world).particles();
        p.alive().map(|slot| (p.id[slot], p.x[slot].to_bits(), p.vy[slot].to_bits())).collect::<Vec<_>>()
    };
    let alone = bits(1, Instructions::Best);
    assert!(alone == bits(3, Instructions::Best), "three threads differ from one");
    assert!(alone == bits(1, Instructions::Sse2), "SSE2 differs");
}

/// A particle that has been removed is no longer in the tank, and bounces off nothing.
#[test]
fn smoothed_particles_are_drained_beside_a_wall() {
    let scene = Scene::embedded("sph-dam").expect("embedded").world;
    let mut world = World::new(&scene, &WorldOptions { particles: Some(400), ..WorldOptions::default() });
    let size = world.size();
    world.draw_wall(Vec2::new(0.3, 0.0) * size, Vec2::new(0.3, 0.5) * size, 0.02);
    for _ in 0..60 {
        let at = Vec2::new(0.28, 0.1) * size;
        world.add_pointer_force(PointerForce { at, radius: 0.3, kind: PointerForceKind::Drain });
        world.step();
    }
    assert!(world.particles() < 350, "{} of 400 particles are left", world.particles());
    let far = Vec2::new(1e9, 0.25 * size.y);
    let (end, _) = world.walls().end_of_way(0.1 * size, far);
    assert!(end.cmple(size).all(), "a way that leads far away ends at {end}");
}
