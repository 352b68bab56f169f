//! The current scene: changing it, its parameters, and its amount of liquid.

use crate::app::App;
use crate::app::input::tilt::Tilt;
use crate::app::saver::fade::Fade;
use crate::app::tank::feed::Feed;

impl App {
    pub(in crate::app) fn reset(&mut self) {
        self.rebuild();
        self.tank.clock.drop_backlog();
        self.input.pointer.drop_all();
        self.input.tilt = Tilt::default();
    }

    /// Builds the world as it was at first, with its present parameters, for the present window.
    pub(in crate::app) fn rebuild(&mut self) {
        let window = self.tank_window();
        self.tank.world =
            self.options.build_world(&self.tank.world.definition().clone(), self.tank.demo.as_mut(), window);
    }

    pub(in crate::app) fn show_scene(&mut self, number: usize) {
        self.tank.scene_index = number % self.options.scenes.len();
        let window = self.tank_window();
        let scene = &self.options.scenes[self.tank.scene_index];
        self.tank.world = self.options.build_world(&scene.world, self.tank.demo.as_mut(), window);
        self.tank.feed = Feed::new(scene);
        let drive = self.picture.look.color_by;
        let lack = if drive.is_in(&self.tank.world) { String::new() } else { format!("; no {} here", drive.name()) };
        self.overlay.status.show_scene(&scene.name, &format!("{}{lack}", scene.about));
        self.tank.clock.drop_backlog();
        self.input.pointer.drop_all();
        self.overlay.panel.forget();
        self.input.tools.fluid = None;
        self.input.tilt = Tilt::default();
        self.choose_palette();
    }

    /// The scene `by` places further in the tour; from a laboratory scene, the tour's first or last one.
    pub(in crate::app) fn neighbor_scene(&self, by: isize) -> usize {
        let tour = self.options.tour();
        match (self.tank.scene_index < tour, by > 0) {
            (true, _) => (self.tank.scene_index as isize + by).rem_euclid(tour as isize) as usize,
            (false, true) => 0,
            (false, false) => tour - 1,
        }
    }

    pub(in crate::app) fn cross_to(&mut self, number: usize) {
        let (world, look) = (self.tank.world.clone(), self.picture.look.clone());
        self.show_scene(number);
        self.picture.fade = Some(Fade::new(world, look));
    }

    pub(in crate::app) fn undo(&mut self) {
        let undone = self.overlay.panel.undo(&mut self.tank.world);
        self.overlay.status.show_message(undone.unwrap_or_else(|| "nothing to undo".to_owned()));
    }

    pub(in crate::app) fn restore(&mut self) {
        self.overlay.panel.reset(&mut self.tank.world, &self.options.scenes[self.tank.scene_index].world);
        self.overlay.status.show_message("parameters reset");
    }

    pub(in crate::app) fn pour(&mut self) {
        if !self.tank.world.has_room_for(self.pour_amount()) {
            self.overlay.status.show_message("the tank is full");
        } else {
            self.tank.world.pour(self.pour_amount());
            self.overlay.status.show_message(self.amount_text('+', self.pour_amount()));
        }
    }

    pub(in crate::app) fn drop_size(&self) -> usize {
        (self.pour_amount() / 5).max(1)
    }

    pub(in crate::app) fn drain(&mut self) {
        let portion = if self.tank.world.liquid().is_some() {
            self.pour_amount().min(self.tank.world.particles())
        } else {
            self.pour_amount()
        };
        self.tank.world.drain(portion);
        self.overlay.status.show_message(self.amount_text('-', portion));
    }

    fn amount_text(&self, sign: char, amount: usize) -> String {
        match self.tank.world.liquid() {
            Some(_) => format!("{sign}{amount} particle{}", if amount == 1 { "" } else { "s" }),
            None => format!("{sign} dye"),
        }
    }

    /// The count of one pour: about a twentieth of the scene's initial count.
    fn pour_amount(&self) -> usize {
        let world = &self.tank.world;
        let whole = match (&self.options.simulation.auto_particles, world.liquid()) {
            (Some(_), Some(liquid)) if world.particles() == 0 => {
                (world.size().element_product() / liquid.particle_area()) as usize
            }
            (Some(_), Some(_)) => world.particles(),
            // Without a liquid, for a stream of dye.
            _ => self.options.simulation.particles.unwrap_or(world.definition().particles),
        };
        (whole / 20).max(1)
    }
}
