//! A scene that runs without a terminal: the base of `probe`, `render` and `bench`.

pub mod timeline;

use crate::app::action::TerminalCaps;
use crate::app::demo::{Demo, DemoSpec};
use crate::scene::Scene;
use crate::sim::clock::STEP;
use crate::sim::world::pointer::Pointer;
use crate::sim::{World, WorldOptions};
use crate::view::camera::CELL_PIXELS;
use crate::view::{Camera, Decor, RenderStyle};
use ratatui::buffer::Buffer;
use std::sync::Arc;
use timeline::TimelineEntry;

pub struct HeadlessRun {
    pub scene: Scene,
    pub world: World,
    demo: Option<(Demo, DemoSpec)>,
    pub timeline: Vec<TimelineEntry>,
    pointer: Pointer,
}

impl HeadlessRun {
    pub fn new(scene: Scene, options: &WorldOptions) -> Self {
        Self::of(World::new(&scene.world, options), scene)
    }

    pub fn of_demo(spec: &DemoSpec, options: &WorldOptions) -> Result<Self, String> {
        let mut demo = spec.build()?;
        let scene = demo.scene();
        let world = demo.set(&scene.world, options);
        Ok(Self { demo: Some((demo, spec.clone())), ..Self::of(world, scene) })
    }

    fn of(world: World, scene: Scene) -> Self {
        let pointer = Pointer::new(world.size() / 2.0);
        Self { scene, world, demo: None, timeline: Vec::new(), pointer }
    }

    /// Runs up to the fixed step that is nearest to `seconds`.
    pub fn play_to(&mut self, seconds: f64) {
        let due = (seconds / f64::from(STEP)).round() as u64;
        while self.world.steps() < due {
            let now = self.world.time();
            for entry in self.timeline.extract_if(.., |entry| entry.at <= now + 0.5 * f64::from(STEP)) {
                (entry.effect)(&mut self.world, &mut self.pointer);
            }
            if let Some((demo, spec)) = &mut self.demo {
                if let Some(time) = spec.time_at(now) {
                    demo.show_time(time);
                }
                demo.before_step(&mut self.world);
            }
            self.pointer.act(&mut self.world, STEP);
            self.world.step();
        }
    }

    pub fn decor(&self) -> Option<Arc<Decor>> {
        self.demo.as_ref().map(|(demo, _)| demo.decor().clone())
    }

    pub fn overprint(&mut self, look: &RenderStyle, buf: &mut Buffer) {
        if let Some(page) = self.demo.as_mut().and_then(|(demo, _)| demo.page()) {
            let camera = Camera::new(buf.area, CELL_PIXELS, self.world.size());
            let terminal = TerminalCaps { depth: look.depth, ..TerminalCaps::default() };
            page.overprint(&self.world, &camera, &terminal, buf);
        }
    }
}
