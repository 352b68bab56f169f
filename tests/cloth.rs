//! Cloth against the laws that it must obey.

use slosh::sim::scene::Scene;
use slosh::sim::{Setup, World};

const G: f64 = 9.81;

/// A tank with this in its `[cloth]`, and what else.
fn tank(text: &str) -> World {
    let text = format!("[tank]\narea = 4\naspect = 1\n{text}");
    World::new(&Scene::parse(&text, "test.toml").unwrap_or_else(|error| panic!("{error}")), &Setup::default())
}

fn run(world: &mut World, seconds: f64) {
    let end = world.time() + seconds;
    while world.time() < end - 1e-6 {
        world.step();
    }
}

fn xy(world: &World, node: usize) -> (f64, f64) {
    let at = world.cloth().expect("a cloth").places()[node];
    (at.x, at.y)
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

/// The greatest distance in height between a chain of so many nodes and the catenary, as a share of its sag.
fn sag_error(nodes: usize) -> f64 {
    let mut world = tank(&format!(
        "[cloth]\nmass = 0.1\nstretch = 4000\nshear = 0\nbend = 0\ndrag = 3\nair = 0\ndamping = 1e-4\n\
         [[cloth.sheet]]\nat = [0.5, 0.9]\nsize = [1.6, 0]\nspan = 1.0\nnodes = [{nodes}, 1]\npins = \"ends\""
    ));
    run(&mut world, 12.0);
    let curve = catenary(1.6, 1.0);
    let sag = curve(0.5);
    let top = xy(&world, 0).1;
    let error = |node: usize| {
        let (x, y) = xy(&world, node);
        ((top - y) - (sag - curve(x - 1.0))).abs() / sag
    };
    (0..nodes).map(error).fold(0.0, f64::max)
}

#[test]
fn a_hanging_chain_is_a_catenary() {
    let errors = [9, 17, 33].map(sag_error);
    println!("{errors:?}");
    assert!(errors[2] < 0.01 && errors[0] > errors[1] && errors[1] > errors[2], "{errors:?}");
}
