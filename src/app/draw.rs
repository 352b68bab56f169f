//! A frame of the app: the picture, and what lies over it.

use crate::app::App;
use crate::app::action::tilt;
use crate::app::demo::screen_capture::Ink;
use crate::app::overlay;
use crate::app::overlay::Pens;
use crate::app::overlay::help;
use crate::app::replay::event_log::{Note, sum};
use crate::view;
use crate::view::Camera;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

impl App {
    /// Paints the picture into all of `buf`, and what lies over it.
    pub fn draw(&mut self, buf: &mut Buffer) {
        self.draw_watched(buf, &mut ());
    }

    /// As [`App::draw`], under the eyes of `watch`.
    pub fn draw_watched(&mut self, buf: &mut Buffer, watch: &mut impl view::FrameObserver) {
        let cell = self.window.cell.into();
        self.painter.paint_observed(&self.world, &self.look, cell, buf.area, buf, watch);
        if let Some(fade) = &mut self.fade {
            fade.draw(cell, self.look.depth, buf);
        }
        let camera = self.camera();
        if let Some(act) = &mut self.act {
            let ink = Ink { depth: self.look.depth, unicode: self.terminal.unicode };
            act.overprint(&self.world, &camera, &ink, buf);
        }
        let pointer = camera.to_cell(self.hand.target);
        let hint = if self.panel.open { help::panel(&self.options.keymap) } else { String::new() };
        let scene = overlay::Scene {
            unicode: self.terminal.unicode,
            pens: Pens::new(self.options.look.overlay, self.look.depth),
            help: &self.help,
            particles: self.world.particles(),
            awake: self.world.awake(),
            facts: if self.overlay.stats { self.world.facts() } else { Vec::new() },
            fineness: self.options.simulation.auto_particles.as_ref(),
            speed: self.clock.speed(),
            paused: self.clock.paused(),
            tilt: self.world.tilt(),
            tilted: self.world.tilt_target() != tilt::upright(self.world.tilt_target()),
            hand: self.hand_shown.then_some((pointer, self.hand.grip())),
            panel: self.panel.open.then_some((&self.panel, self.world.definition(), &hint)),
            pointer,
            brush: camera.scale() * self.hand.radius(&self.world),
        };
        self.overlay.draw(&scene, buf);
        (self.stale, self.drift) = (false, 0.0);
        self.note(|| Note::Frame(sum(buf)));
    }

    pub(super) fn window_area(&self) -> Rect {
        Rect::new(0, 0, self.window.columns, self.window.rows)
    }

    /// How the tank lies in the window.
    pub fn camera(&self) -> Camera {
        Camera::new(self.window_area(), self.window.cell.into(), self.world.size())
    }
}
