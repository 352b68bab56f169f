//! Several fluids in one tank: the numbers that they, their solids and their vapour have.

use crate::play::{run, world};
use glam::Vec2;
use slosh::scene::{find, fluids};
use slosh::sim::World;
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::liquid::phases::PhaseDef;

/// Requests the number of a fluid that is to be poured.
fn request(world: &mut World, name: &str) -> Option<u8> {
    let fluid = fluids::embedded().iter().find(|it| it.name == name).expect("a fluid of this name");
    world.find_or_add_phase(PhaseDef { fluid: &fluid.fluid, label: Some(&fluid.palette) })
}

/// Pours a stream of the fluid with this number for a second.
fn pour(world: &mut World, number: u8, at: [f32; 2]) {
    let at = Vec2::from(at) * world.size();
    for _ in 0..60 {
        let kind = PointerForceKind::Pour { velocity: Vec2::NEG_Y, number };
        world.add_pointer_force(PointerForce { at, radius: 0.06, kind });
        world.step();
    }
}

fn count(world: &World, counts: impl Fn(u8) -> bool) -> usize {
    let liquid = world.liquid().expect("a tank of liquid");
    let p = liquid.particles();
    p.alive().filter(|&slot| counts(liquid.phases().phase_of(p.id[slot]))).count()
}

#[test]
fn water_still_freezes_after_other_fluids_were_poured() {
    let mut world = world(find("dam").expect("an embedded scene"), 300);
    run(&mut world, 2.0);
    for (name, x) in [("oil", 0.3), ("honey", 0.5), ("mercury", 0.7)] {
        let number = request(&mut world, name).unwrap_or_else(|| panic!("no room for {name}"));
        pour(&mut world, number, [x, 0.8]);
        assert!(count(&world, |phase| phase == number) > 5, "no {name} was poured");
    }
    assert_eq!(request(&mut world, "lava"), None, "there are four fluids");
    assert_eq!(world.liquid().expect("a liquid").phases().params.len(), 4);
    for _ in 0..60 * 12 {
        let (at, kind) = (Vec2::new(0.5, 0.1) * world.size(), PointerForceKind::HeatBrush { rate: -1.0 });
        world.add_pointer_force(PointerForce { at, radius: 0.6, kind });
        world.step();
    }
    let phases = world.liquid().expect("a liquid").phases();
    let ice = phases.solid_of(0).expect("a number for ice");
    assert!(count(&world, |phase| phase == ice) > 20, "the water does not freeze");
}

/// Without a particle of it, the number of what an inlet pours is not given to another fluid.
#[test]
fn the_number_of_an_inlets_fluid_is_kept() {
    let mut world = world(
        "[[liquid]]\nbox = [0, 0, 1, 0.3]\n[[inlet]]\nat = [0.5, 0.9]\ntoward = [0, -1]\nwidth = 0.1\nspeed = 1\nfluid = \"honey\"\n",
        200,
    );
    assert_eq!(count(&world, |phase| phase == 1), 0);
    assert_eq!(request(&mut world, "honey"), Some(1), "the inlet's own fluid");
    let others = ["oil", "mercury", "lava", "mud"].map(|name| request(&mut world, name));
    assert_eq!(others, [Some(2), Some(3), Some(2), Some(2)], "no particle has 2");
    for number in [2, 3] {
        pour(&mut world, number, [0.5, 0.7]);
    }
    assert_eq!(request(&mut world, "oil"), None);
    assert_eq!(request(&mut world, "honey"), Some(1));
}

/// All of a fluid may be vapour: what it condenses to has the number that it had.
#[test]
fn the_number_of_what_may_be_vapour_is_kept() {
    let mut world =
        world("[fluid]\npreset = \"oil\"\n[[liquid]]\nbox = [0, 0, 1, 0.3]\n[heat]\ntemperature = 90\n", 200);
    let water = request(&mut world, "water");
    assert_eq!(water, Some(1));
    let others = ["honey", "mercury", "lava"].map(|name| request(&mut world, name));
    assert_eq!(others, [Some(2), Some(3), Some(2)], "honey neither boils nor is in the tank");
    assert_eq!(request(&mut world, "water"), water);
}

/// Water poured into hot oil under air of its own boils, and the air carries its vapour.
#[test]
fn what_is_poured_later_boils_into_the_air() {
    let mut world = world(
        "[fluid]\npreset = \"oil\"\n[[liquid]]\nbox = [0, 0, 1, 0.3]\n[heat]\ntemperature = 250\nair_loss = 10\n\
         [smoke]\ncells = 400\n",
        300,
    );
    run(&mut world, 0.5);
    let water = request(&mut world, "water").expect("room for water");
    pour(&mut world, water, [0.5, 0.8]);
    run(&mut world, 6.0);
    let smoke = world.smoke().expect("air");
    assert!(world.stats().vapor > 0.0, "nothing has boiled");
    let airborne = smoke.stats().vapor;
    assert!(airborne > 0.5 * world.stats().vapor, "the air carries {airborne} of {}", world.stats().vapor);
}
