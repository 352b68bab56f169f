//! A frame of the app: the picture, and the overlay over it.

use crate::app::App;
use crate::app::action::{TerminalCaps, Window};
use crate::app::demo::Demo;
use crate::app::layers::{OverlayTheme, OverlayView, panel};
use crate::app::picture::look;
use crate::app::record::replay::event_log::{LogEntry, sum};
use crate::app::tank::Source;
use crate::view::{Camera, PaintStage};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

impl App {
    pub fn draw(&mut self, buf: &mut Buffer) {
        self.draw_observed(buf, |_| ());
    }

    pub fn draw_observed(&mut self, buf: &mut Buffer, finished: impl FnMut(PaintStage)) {
        match &self.tank.source {
            Source::Here => self.paint(buf, finished),
            Source::Remote(remote) => remote.draw(self.picture.window.area(), buf),
            Source::Replay(replay) => replay.draw(self.picture.terminal.unicode, buf),
        }
        let camera = self.camera();
        let TerminalCaps { unicode, key_release, .. } = self.picture.terminal;
        let (background, _) = self.picture.look.background.resolve(&self.picture.look.palette);
        let view = OverlayView {
            options: &self.options,
            tank: &self.tank,
            input: &self.input,
            resting: self.is_resting(),
            key_release,
            look: &self.picture.look,
            brush: self.overlay.status.tools.is_running() || self.input.pointer_shown,
            palette: look::palette_name(&self.tank, &self.options, &self.picture),
            theme: OverlayTheme::new(self.options.look.overlay, background, self.picture.look.depth, unicode),
            free: buf.area.width.saturating_sub(if self.overlay.panel.open { panel::WIDTH } else { 0 }),
            camera,
        };
        // Nothing is written over what the autopilot plays.
        if self.saver.pilot.is_none() {
            self.overlay.draw(&view, buf);
        }
        (self.picture.stale, self.picture.drift) = (false, 0.0);
        self.log.push(|| LogEntry::Frame(sum(buf)));
    }

    fn paint(&mut self, buf: &mut Buffer, finished: impl FnMut(PaintStage)) {
        let cell = self.picture.window.cell.into();
        let area = self.tank_window().area().intersection(buf.area);
        self.picture.painter.decor = self.tank.demo.as_ref().map(|demo| demo.decor().clone());
        self.picture.painter.paint_observed(&self.tank.world, &self.picture.look, cell, area, buf, finished);
        if let Some(fade) = &mut self.picture.fade {
            fade.draw(cell, self.picture.look.depth, area, buf);
        }
        let camera = self.camera();
        if let Some(page) = self.tank.demo.as_mut().and_then(Demo::page) {
            page.overprint(&self.tank.world, &camera, &self.picture.terminal, buf);
        }
    }

    pub fn window_area(&self) -> Rect {
        self.picture.window.area()
    }

    /// The part of the window for the tank: the panel is beside it if there is room for both.
    pub(in crate::app) fn tank_window(&self) -> Window {
        let window = self.picture.window;
        let beside = self.overlay.panel.open && self.tank.is_here() && self.tank.demo.is_none();
        let taken = if beside { panel::columns_beside(window.columns) } else { 0 };
        Window { columns: window.columns - taken, ..window }
    }

    pub fn camera(&self) -> Camera {
        Camera::of(&self.tank.world, self.tank_window().area(), self.picture.window.cell.into())
    }
}
