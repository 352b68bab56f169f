use crate::app::App;

impl App {
    pub(super) fn toggle_pause(&mut self) {
        self.tank.clock.toggle_pause();
        // The pointer's movement during the pause must not act as one large push.
        self.input.pointer.catch_up();
    }

    pub(super) fn step_once(&mut self) {
        if !self.tank.clock.paused() {
            self.tank.clock.toggle_pause();
        }
        self.step(&mut ());
    }

    pub(super) fn set_speed(&mut self, speed: f32) {
        self.tank.clock.set_speed(speed);
        self.overlay.status.show_speed();
    }
}
