//! The pointer's effect on the fluid, in quantities: clicks, drags, stirs, lumps, pouring and draining.

use glam::Vec2;
use ratatui::buffer::Buffer;
use slosh::app::action::{Action, PointerMode, Window};
use slosh::app::{App, Options, SimulationOptions};
use slosh::scene;
use slosh::scene::Scene;
use std::time::Duration;

const FRAME: Duration = Duration::from_nanos(16_666_667);

/// As much water as `dam` has, at rest: 0.36 of the tank.
const POOL: &str = "name = \"pool\"\nabout = \"Still water\"\n[[liquid]]\nbox = [0.0, 0.0, 1.0, 0.36]";

/// A tank in a window of 120×40. Positions are fractions of the tank's size.
struct Tank {
    app: App,
}

impl Tank {
    fn new(name: &str, particles: usize) -> Self {
        let scene = Scene::parse(scene::find(name).unwrap_or(POOL), name).expect("a scene");
        let simulation = SimulationOptions { particles: Some(particles), ..SimulationOptions::default() };
        let mut app = App::new(Options { simulation, ..Options::new(scene.clone(), vec![scene]) });
        app.update(Action::Resize(Window { columns: 120, rows: 40, cell: [8, 16] }));
        Self { app }
    }

    fn settled() -> Self {
        let mut tank = Self::new("pool", 1200);
        tank.wait(3.0);
        tank
    }

    fn wait(&mut self, seconds: f32) {
        for _ in 0..(seconds * 60.0).round() as u32 {
            self.app.tick(FRAME, u32::MAX);
        }
    }

    fn cell(&self, at: Vec2) -> [f32; 2] {
        self.app.camera().to_cell(at * self.size()).into()
    }

    fn press(&mut self, at: Vec2) {
        self.app.update(Action::PressTool(self.cell(at)));
    }

    fn press_as(&mut self, mode: PointerMode, at: Vec2) {
        self.app.update(Action::Press(mode, self.cell(at)));
    }

    fn release(&mut self, at: Vec2) {
        self.app.update(Action::Release(self.cell(at)));
    }

    /// Moves along a path, with a report in each frame.
    fn follow(&mut self, seconds: f32, path: impl Fn(f32) -> Vec2) {
        let frames = (seconds * 60.0).round() as u32;
        for frame in 1..=frames {
            self.app.update(Action::Move(self.cell(path(frame as f32 / frames as f32))));
            self.wait(1.0 / 60.0);
        }
    }

    fn size(&self) -> Vec2 {
        self.app.world().size()
    }

    /// Positions, in metres, and velocities.
    fn particles(&self) -> Vec<(Vec2, Vec2)> {
        let p = self.app.world().liquid().expect("a tank of liquid").particles();
        p.alive().map(|slot| (p.position(slot), p.velocity(slot))).collect()
    }

    fn above(&self, share: f32) -> usize {
        let y = share * self.size().y;
        self.particles().iter().filter(|(at, _)| at.y > y).count()
    }

    /// Particles within a radius in metres.
    fn within(&self, at: Vec2, radius: f32) -> usize {
        let centre = at * self.size();
        self.particles().iter().filter(|(p, _)| p.distance(centre) < radius).count()
    }

    /// Angular velocity about a point of the particles within a radius in metres: angular momentum over moment of
    /// inertia, rad/s.
    fn spin(&self, at: Vec2, radius: f32) -> f32 {
        let centre = at * self.size();
        let (mut momentum, mut inertia) = (0.0, 0.0);
        for (p, v) in self.particles().into_iter().filter(|(p, _)| p.distance(centre) < radius) {
            momentum += (p - centre).perp_dot(v);
            inertia += (p - centre).length_squared();
        }
        momentum / inertia
    }

    /// The numbers of the liquid's particles of each fluid, molten or not.
    fn phases(&self) -> [usize; 4] {
        let liquid = self.app.world().liquid().expect("a tank of liquid");
        let (p, phases) = (liquid.particles(), liquid.phases());
        let mut counts = [0; 4];
        p.alive().for_each(|slot| counts[usize::from(phases.melt_of(phases.phase_of(p.id[slot])))] += 1);
        counts
    }

    /// Whether every particle is in the tank.
    fn is_inside(&self) -> bool {
        let size = self.size();
        let inside = |p: Vec2| p.cmpge(Vec2::splat(-1e-3)).all() && p.cmple(size + 1e-3).all();
        self.particles().iter().all(|(p, v)| p.is_finite() && v.is_finite() && inside(*p))
    }

    /// Whether every particle is in the tank and none is fast.
    fn is_sound(&self) -> bool {
        self.is_inside() && self.particles().iter().all(|(_, v)| v.length() < 7.0)
    }
}

#[test]
fn a_click_throws_drops_above_half_the_tank() {
    for depth in [0.1, 0.2, 0.3, 0.36] {
        let mut tank = Tank::settled();
        let at = Vec2::new(0.5, depth);
        tank.press(at);
        tank.wait(0.07);
        tank.release(at);
        let mut highest = 0;
        for _ in 0..40 {
            tank.wait(1.0 / 60.0);
            highest = highest.max(tank.above(0.5));
        }
        assert!(highest > 50, "{highest} of 1200 particles rose above half, from {depth}");
        assert!(tank.is_sound());
    }
}

#[test]
fn holding_the_button_keeps_the_water_away() {
    let mut tank = Tank::settled();
    let at = Vec2::new(0.5, 0.2);
    let before = tank.within(at, 0.15);
    tank.press(at);
    tank.wait(0.3);
    for step in 0..25 {
        tank.wait(0.1);
        // A hand is unsteady.
        let tremble = Vec2::new(0.004, 0.006) * if step % 2 == 0 { 1.0 } else { -1.0 };
        tank.app.update(Action::Move(tank.cell(at + tremble)));
        let there = tank.within(at, 0.15);
        assert!(there < before / 4, "{there} of {before} particles are back after {} s", 0.3 + 0.1 * step as f32);
    }
    tank.release(at);
    tank.wait(1.5);
    assert!(tank.within(at, 0.15) > before / 2, "after the release, the water returns");
    assert!(tank.is_sound());
}

#[test]
fn a_drag_upwards_throws_water_to_the_lid_and_leaves_drops() {
    let mut tank = Tank::settled();
    tank.press(Vec2::new(0.5, 0.1));
    tank.follow(0.3, |t| Vec2::new(0.5, 0.1 + 0.85 * t));
    tank.release(Vec2::new(0.5, 0.95));
    let (mut lid, mut high) = (0, 0);
    for _ in 0..20 {
        tank.wait(1.0 / 60.0);
        (lid, high) = (lid.max(tank.above(0.95)), high.max(tank.above(0.6)));
    }
    assert!(lid > 20 && high > 120, "{lid} particles reached the lid, {high} rose above 0.6");
    tank.wait(1.0);
    assert!(tank.above(0.6) < high / 4, "they fall back");
}

#[test]
fn a_stir_leaves_a_vortex_that_lives_for_more_than_two_seconds() {
    for (radius, turns, seconds) in [(0.1, 2.0, 1.5), (0.1, 3.0, 1.5), (0.15, 3.0, 2.0), (-0.15, 3.0, 2.0)] {
        let mut tank = Tank::settled();
        let middle = Vec2::new(0.5, 0.18);
        let size = tank.size();
        let ring = |t: f32| {
            let angle = std::f32::consts::TAU * turns * t * f32::signum(radius);
            middle + Vec2::from_angle(angle) * radius.abs() / size
        };
        tank.press(ring(0.0));
        tank.follow(seconds, ring);
        tank.release(ring(1.0));
        let spins = [0.0, 1.0, 1.25].map(|wait| {
            tank.wait(wait);
            tank.spin(middle, 0.2) * f32::signum(radius)
        });
        assert!(spins[0] > 2.0, "{radius} m: {spins:?} rad/s");
        assert!(spins[2] > 0.25 * spins[0] && spins[2] > 0.8, "{radius} m, {turns} turns: {spins:?} rad/s");
    }
}

#[test]
fn the_right_button_draws_a_lump_together_and_carries_it() {
    let mut tank = Tank::settled();
    let (from, to) = (Vec2::new(0.4, 0.25), Vec2::new(0.65, 0.65));
    tank.press_as(PointerMode::Pull, from);
    tank.wait(0.5);
    tank.follow(0.7, |t| from.lerp(to, t));
    for _ in 0..4 {
        tank.wait(0.4);
        let lump = tank.within(to, 0.32);
        // Two thirds of the circle are full.
        let full = std::f32::consts::PI * 0.32 * 0.32 / tank.app.world().liquid().expect("liquid").particle_area();
        assert!(lump as f32 > 0.66 * full, "{lump} particles of {full}");
    }
    tank.release(to);
    tank.wait(1.2);
    assert!(tank.above(0.6) < 60, "after the release, it falls");
    assert!(tank.is_sound());
}

#[test]
fn pouring_fills_the_tank_and_stops_when_it_is_full() {
    // In the air, deep in the water, in a corner, and while moving.
    for (from, to) in
        [((0.3, 0.8), (0.3, 0.8)), ((0.6, 0.1), (0.6, 0.1)), ((0.0, 0.0), (1.0, 1.0)), ((-0.3, 0.5), (1.3, 0.5))]
    {
        let (from, to) = (Vec2::from(from), Vec2::from(to));
        let mut tank = Tank::new("pool", 600);
        tank.app.update(Action::Tool(PointerMode::Pour));
        tank.press(from);
        let (mut before, mut most) = (600, 0);
        for lap in 0..9 {
            let (a, b) = if lap % 2 == 0 { (from, to) } else { (to, from) };
            tank.follow(1.0, |t| a.lerp(b, t));
            let now = tank.app.world().particles();
            assert!(now >= before, "{before} became {now}");
            assert!(tank.is_sound(), "{from} {to}, {now} particles, {} m/s", tank.app.world().max_speed());
            (before, most) = (now, most.max(now));
        }
        let capacity = tank.size().element_product() / tank.app.world().liquid().expect("liquid").particle_area();
        assert!(most > 700 && most as f32 <= 0.9 * capacity + 1.0, "{most} of {capacity}");
        tank.release(to);
        tank.wait(0.5);
        assert_eq!(tank.app.world().particles(), before);
    }
}

#[test]
fn draining_takes_out_what_is_under_the_pointer() {
    let mut tank = Tank::settled();
    tank.app.update(Action::Tool(PointerMode::Drain));
    tank.press(Vec2::new(0.5, 0.1));
    tank.wait(1.0);
    let left = tank.app.world().particles();
    assert!((300..1000).contains(&left), "{left} of 1200 are left");
    tank.release(Vec2::new(0.5, 0.1));
    tank.wait(0.5);
    assert_eq!(tank.app.world().particles(), left);
    assert!(tank.is_sound());
}

#[test]
fn any_named_fluid_can_be_poured_into_water_four_at_most_at_a_time() {
    let mut tank = Tank::settled();
    tank.app.update(Action::Tool(PointerMode::Pour));
    assert_eq!(tank.app.tool_label(), "pour water");
    let mut labels = Vec::new();
    for _ in 0..3 {
        tank.app.update(Action::NextFluid);
        labels.push(tank.app.tool_label());
        tank.press(Vec2::new(0.5, 0.7));
        tank.wait(0.4);
        tank.release(Vec2::new(0.5, 0.7));
    }
    assert_eq!(labels, ["pour oil", "pour honey", "pour lava"]);
    let phases = tank.phases();
    assert!(phases[0] == 1200 && phases[1..].iter().all(|&count| count > 20), "{phases:?}");
    // A fifth fluid is refused, and nothing changes.
    tank.app.update(Action::NextFluid);
    tank.press(Vec2::new(0.5, 0.7));
    let mut buffer = Buffer::empty(tank.app.window_area());
    tank.app.draw(&mut buffer);
    let screen: String = buffer.content().iter().map(|cell| cell.symbol()).collect();
    assert!(screen.contains("no room for another fluid"), "{screen}");
    tank.wait(0.4);
    tank.release(Vec2::new(0.5, 0.7));
    assert_eq!(tank.phases(), phases);
    assert!(tank.is_sound());
    tank.wait(2.0);
    assert_eq!(tank.phases(), phases, "no particle is lost, and none becomes another fluid");
    // By now the lava boils water, which throws drops.
    assert!(tank.is_inside());
    // A phase without particles makes room for another.
    let mut tank = Tank::settled();
    for _ in 0..3 {
        tank.app.update(Action::NextFluid);
        tank.press(Vec2::new(0.5, 0.7));
        tank.release(Vec2::new(0.5, 0.7));
    }
    tank.app.update(Action::NextFluid);
    assert_eq!(tank.app.tool_label(), "pour mud");
}

#[test]
fn oil_poured_into_water_floats_on_it() {
    let mut tank = Tank::settled();
    tank.app.update(Action::NextFluid);
    tank.press(Vec2::new(0.5, 0.3));
    tank.wait(1.0);
    tank.release(Vec2::new(0.5, 0.3));
    tank.wait(5.0);
    let liquid = tank.app.world().liquid().expect("liquid");
    let (p, phases) = (liquid.particles(), liquid.phases());
    let mean = |number: u8| {
        let heights: Vec<f32> =
            p.alive().filter(|&slot| phases.phase_of(p.id[slot]) == number).map(|slot| p.position(slot).y).collect();
        heights.iter().sum::<f32>() / heights.len() as f32
    };
    assert!(mean(1) > mean(0) + 0.05, "oil at {} m, water at {} m", mean(1), mean(0));
}

#[test]
fn dye_is_poured_into_smoke_and_drained_from_it() {
    let mut tank = Tank::new("ink", 1);
    let at = Vec2::new(0.25, 0.3);
    let dye = |tank: &Tank, number: usize| tank.app.world().smoke().expect("a grid").dye(number, at * tank.size());
    let dyes = tank.app.world().definition().smoke.as_ref().expect("a grid").dye.len();
    for number in 0..dyes {
        if number > 0 {
            tank.app.update(Action::NextFluid);
        } else {
            tank.app.update(Action::Tool(PointerMode::Pour));
        }
        let before = dye(&tank, number);
        tank.press(at);
        tank.wait(0.3);
        tank.release(at);
        assert!(dye(&tank, number) > before + 0.3, "{}: {before} became {}", tank.app.tool_label(), dye(&tank, number));
        tank.app.update(Action::Tool(PointerMode::Drain));
        tank.press(at);
        tank.wait(0.8);
        tank.release(at);
        assert!(dye(&tank, number) < 0.1, "{} of it is left", dye(&tank, number));
    }
}

#[test]
fn every_scene_remains_sound_under_every_tool() {
    for &(name, _) in scene::EMBEDDED.iter() {
        let mut tank = Tank::new(name, 200);
        for tool in PointerMode::ALL {
            tank.app.update(Action::Tool(tool));
            tank.press(Vec2::new(0.5, 0.4));
            tank.follow(0.1, |t| Vec2::new(0.5 + 0.2 * t, 0.4 + 0.2 * t));
            tank.release(Vec2::new(0.7, 0.6));
        }
        tank.app.update(Action::NextFluid);
        tank.press(Vec2::new(0.5, 0.8));
        tank.wait(0.1);
        tank.release(Vec2::new(0.5, 0.8));
        assert!(tank.app.world().max_speed().is_finite(), "{name}");
    }
}
