//! A frame of the app: the picture, and what lies over it.

use crate::app::App;
use crate::app::action::Terminal;
use crate::app::demo::screen_capture::Ink;
use crate::app::overlay;
use crate::app::overlay::{OverlayTheme, OverlayView};
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
        let cell = self.picture.window.cell.into();
        self.picture.painter.paint_observed(&self.tank.world, &self.picture.look, cell, buf.area, buf, watch);
        if let Some(fade) = &mut self.picture.fade {
            fade.draw(cell, self.picture.look.depth, buf);
        }
        let camera = self.camera();
        if let Some(act) = &mut self.tank.demo {
            let ink = Ink { depth: self.picture.look.depth, unicode: self.picture.terminal.unicode };
            act.overprint(&self.tank.world, &camera, &ink, buf);
        }
        let Terminal { unicode, key_release, .. } = self.picture.terminal;
        let view = OverlayView {
            options: &self.options,
            tank: &self.tank,
            input: &self.input,
            key_release,
            theme: OverlayTheme::new(self.options.look.overlay, self.picture.look.depth, unicode),
            camera,
        };
        overlay::draw(&mut self.overlay, &view, buf);
        (self.picture.stale, self.picture.drift) = (false, 0.0);
        self.note(|| Note::Frame(sum(buf)));
    }

    pub(super) fn window_area(&self) -> Rect {
        Rect::new(0, 0, self.picture.window.columns, self.picture.window.rows)
    }

    /// How the tank lies in the window.
    pub fn camera(&self) -> Camera {
        Camera::new(self.window_area(), self.picture.window.cell.into(), self.tank.world.size())
    }
}
