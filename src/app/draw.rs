//! A frame of the app: the picture, and the overlay over it.

use crate::app::App;
use crate::app::action::TerminalCaps;
use crate::app::demo::screen_capture::CellColors;
use crate::app::overlay;
use crate::app::overlay::{OverlayTheme, OverlayView};
use crate::app::replay::event_log::{LogEntry, sum};
use crate::view;
use crate::view::Camera;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

impl App {
    /// Draws picture and overlay into all of `buf`.
    pub fn draw(&mut self, buf: &mut Buffer) {
        self.draw_observed(buf, &mut ());
    }

    /// As [`App::draw`], with an observer of the stages.
    pub fn draw_observed(&mut self, buf: &mut Buffer, observer: &mut impl view::FrameObserver) {
        let cell = self.picture.window.cell.into();
        self.picture.painter.paint_observed(&self.tank.world, &self.picture.look, cell, buf.area, buf, observer);
        if let Some(fade) = &mut self.picture.fade {
            fade.draw(cell, self.picture.look.depth, buf);
        }
        let camera = self.camera();
        if let Some(act) = &mut self.tank.demo {
            let ink = CellColors { depth: self.picture.look.depth, unicode: self.picture.terminal.unicode };
            act.overprint(&self.tank.world, &camera, &ink, buf);
        }
        let TerminalCaps { unicode, key_release, .. } = self.picture.terminal;
        let (background, _) = self.picture.look.background.resolve(&self.picture.look.palette);
        let view = OverlayView {
            options: &self.options,
            tank: &self.tank,
            input: &self.input,
            key_release,
            theme: OverlayTheme::new(self.options.look.overlay, background, self.picture.look.depth, unicode),
            camera,
        };
        overlay::draw(&mut self.overlay, &view, buf);
        (self.picture.stale, self.picture.drift) = (false, 0.0);
        self.log_event(|| LogEntry::Frame(sum(buf)));
    }

    /// The whole window.
    pub fn window_area(&self) -> Rect {
        Rect::new(0, 0, self.picture.window.columns, self.picture.window.rows)
    }

    /// The projection of the tank to the window.
    pub fn camera(&self) -> Camera {
        Camera::new(self.window_area(), self.picture.window.cell.into(), self.tank.world.size())
    }
}
