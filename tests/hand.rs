//! What the pointer does to the water, measured from outside.

use glam::Vec2;
use slosh::app::action::{Action, PointerMode, Window};
use slosh::app::{App, Options, SimulationOptions};
use slosh::scene;
use slosh::scene::Scene;
use std::time::Duration;

const FRAME: Duration = Duration::from_nanos(16_666_667);
const COLUMNS: u16 = 120;
const ROWS: u16 = 40;

struct Tank {
    app: App,
}

impl Tank {
    fn settled(name: &str, particles: usize, seconds: f32) -> Self {
        let scene = Scene::parse(scene::find(name).expect("a scene"), name).expect("it parses");
        let simulation = SimulationOptions { particles: Some(particles), ..SimulationOptions::default() };
        let mut app = App::new(Options { simulation, ..Options::new(scene.clone(), vec![scene]) });
        app.update(Action::Resize(Window { columns: COLUMNS, rows: ROWS, cell: [8, 16] }));
        let mut tank = Self { app };
        tank.wait(seconds);
        tank
    }

    fn wait(&mut self, seconds: f32) {
        for _ in 0..(seconds * 60.0).round() as u32 {
            self.app.tick(FRAME, u32::MAX);
        }
    }

    fn cell(&self, at: Vec2) -> [f32; 2] {
        self.app.camera().to_cell(at * self.app.world().size()).into()
    }

    fn press(&mut self, at: Vec2) {
        let cell = self.cell(at);
        self.app.update(Action::PressTool(cell));
    }

    fn release(&mut self, at: Vec2) {
        let cell = self.cell(at);
        self.app.update(Action::Release(cell));
    }

    /// Moves along a path in a time, with a report in each frame.
    fn follow(&mut self, seconds: f32, path: impl Fn(f32) -> Vec2) {
        let frames = (seconds * 60.0).round() as u32;
        for frame in 1..=frames {
            let cell = self.cell(path(frame as f32 / frames as f32));
            self.app.update(Action::Move(cell));
            self.wait(1.0 / 60.0);
        }
    }

    fn positions(&self) -> Vec<(Vec2, Vec2)> {
        let p = self.app.world().liquid().expect("liquid").particles();
        p.alive().map(|slot| (p.position(slot), p.velocity(slot))).collect()
    }

    fn size(&self) -> Vec2 {
        self.app.world().size()
    }

    fn above(&self, share: f32) -> usize {
        let y = share * self.size().y;
        self.positions().iter().filter(|(at, _)| at.y > y).count()
    }

    fn within(&self, at: Vec2, radius: f32) -> usize {
        let centre = at * self.size();
        self.positions().iter().filter(|(p, _)| p.distance(centre) < radius).count()
    }

    /// Mean angular velocity about a point within a radius, rad/s.
    fn spin(&self, centre: Vec2, radius: f32) -> f32 {
        let (mut l, mut i) = (0.0, 0.0);
        for (p, v) in self.positions() {
            let r = p - centre;
            if r.length() < radius {
                l += r.perp_dot(v);
                i += r.length_squared();
            }
        }
        l / i
    }
}

#[test]
fn measure() {
    let start = Tank::settled("dam", 1500, 20.0);
    println!("size {} radius {}", start.size(), start.app.hand().radius(start.app.world()));
    drop(start);
    for y in [0.1, 0.2, 0.3, 0.36, 0.45] {
        let mut tank = Tank::settled("dam", 1500, 15.0);
        let at = Vec2::new(0.5, y);
        tank.press(at);
        tank.wait(0.08);
        tank.release(at);
        let mut most = 0;
        let mut top = 0f32;
        for _ in 0..60 {
            tank.wait(1.0 / 60.0);
            most = most.max(tank.above(0.5));
            top = top.max(tank.positions().iter().map(|(p, _)| p.y).fold(0.0, f32::max));
        }
        println!("click {y}: above half {most}, top {:.2}", top / tank.size().y);
    }
    {
        let mut tank = Tank::settled("dam", 1500, 15.0);
        let at = Vec2::new(0.5, 0.2);
        print!("pull: within .3 of pointer:");
        let cell = tank.cell(at);
        tank.app.update(Action::Press(PointerMode::Pull, cell));
        tank.wait(0.5);
        print!(" {}", tank.within(at, 0.3));
        tank.follow(0.6, |t| Vec2::new(0.5 + 0.2 * t, 0.2 + 0.45 * t));
        let to = Vec2::new(0.7, 0.65);
        for _ in 0..8 {
            print!(" {} ({} above half)", tank.within(to, 0.3), tank.above(0.5));
            tank.wait(0.2);
        }
        tank.release(to);
        tank.wait(1.0);
        println!(" then {}", tank.above(0.5));
    }
    {
        let mut tank = Tank::settled("dam", 1500, 15.0);
        let at = Vec2::new(0.3, 0.7);
        tank.app.update(Action::Tool(PointerMode::Pour));
        tank.press(at);
        print!("pour:");
        for _ in 0..40 {
            tank.wait(0.25);
            print!(" {}", tank.app.world().particles());
        }
        tank.release(at);
        tank.wait(1.0);
        println!(" max speed {}", tank.app.world().max_speed());
    }
    {
        let mut tank = Tank::settled("dam", 1500, 15.0);
        let at = Vec2::new(0.3, 0.1);
        tank.app.update(Action::NextFluid);
        println!("{}", tank.app.tool_label());
        tank.press(at);
        print!("pour under water:");
        for _ in 0..60 {
            tank.wait(0.25);
            print!(" {} {:.1}", tank.app.world().particles(), tank.app.world().max_speed());
        }
        println!();
        tank.release(at);
        tank.app.update(Action::Tool(PointerMode::Drain));
        print!("drain");
        tank.press(at);
        for _ in 0..20 {
            tank.wait(0.25);
            print!(" {} {:.1}", tank.app.world().particles(), tank.app.world().max_speed());
        }
        println!();
    }
    {
        let mut tank = Tank::settled("dam", 1500, 15.0);
        let at = Vec2::new(0.5, 0.2);
        print!("hold: before {}", tank.within(at, 0.15));
        tank.press(at);
        for _ in 0..10 {
            tank.wait(0.2);
            print!(" {}", tank.within(at, 0.15));
        }
        println!();
    }
    for (from, to, seconds) in [(0.1, 0.95, 0.3), (0.1, 0.95, 0.5), (0.2, 0.8, 0.3)] {
        let mut tank = Tank::settled("dam", 1500, 15.0);
        tank.press(Vec2::new(0.5, from));
        tank.follow(seconds, |t| Vec2::new(0.5, from + (to - from) * t));
        tank.release(Vec2::new(0.5, to));
        print!("up {from}-{to} in {seconds}:");
        for _ in 0..8 {
            print!(" {}/{}", tank.above(0.95), tank.above(0.6));
            tank.wait(0.1);
        }
        println!();
    }
    for (centre, radius, turns, seconds) in
        [((0.5, 0.18), 0.1, 2.0, 1.5), ((0.5, 0.18), 0.1, 3.0, 1.5), ((0.5, 0.18), 0.2, 3.0, 1.5), ((0.5, 0.2), 0.15, 4.0, 2.0), ((0.3, 0.2), 0.3, 3.0, 2.0)]
    {
        let mut tank = Tank::settled("dam", 1500, 15.0);
        let size = tank.size();
        let c = Vec2::from(centre);
        let ring = |t: f32| c + Vec2::from_angle(std::f32::consts::TAU * turns * t) * radius / size;
        tank.press(ring(0.0));
        tank.follow(seconds, ring);
        tank.release(ring(1.0));
        print!("stir {centre:?} {radius} {turns} turns in {seconds} s:");
        for _ in 0..14 {
            print!(" {:.2}", tank.spin(c * size, 0.2));
            tank.wait(0.3);
        }
        println!();
    }
}
