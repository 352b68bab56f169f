//! The pictures of a shared tank: one for each distinct view, whatever the number of guests that have it.
//!
//! A cell remembers the version of the picture in which it changed last. So a guest is sent what changed since the version
//! that it has, however old, without a copy of its screen; and guests with the same version get the same bytes.

use crate::app::host::protocol;
use crate::app::host::protocol::{ViewBackground, ViewSettings, WireCell};
use crate::app::options::{BackgroundSetting, LookOptions};
use crate::app::shared_tank::SharedTank;
use crate::app::shared_tank::panes::Pane;
use crate::app::shared_tank::view::SharedView;
use crate::view::{ClothStyle, ColorBy, Rgb, palette};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::sync::Arc;

/// Upper limit on the cells of all views together: one window of the largest size and many of the usual ones. A view takes
/// about 600 bytes for each cell, samples of the picture included.
pub const MAX_CELLS: usize = 700_000;

/// A view among [`Views`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewId(usize);

impl ViewId {
    /// No view.
    pub const NONE: Self = Self(usize::MAX);
}

/// All views that guests have.
#[derive(Debug, Default)]
pub struct Views {
    views: Vec<Option<View>>,
}

#[derive(Debug)]
struct View {
    settings: ViewSettings,
    guests: usize,
    picture: SharedView,
    buffer: Buffer,
    cells: Vec<WireCell>,
    /// The version in which each cell changed last.
    changed: Vec<u32>,
    version: u32,
    /// What the tank's state was when it was drawn last, as the server counts it.
    drawn: Option<u64>,
    /// Frames from older versions to this one: the versions, the parts that they show, and the bytes.
    encoded: Vec<(u32, Rect, Arc<[u8]>)>,
}

impl Views {
    /// The view with these settings, for one guest more.
    ///
    /// # Errors
    /// If all views together would be too large.
    pub fn acquire(&mut self, settings: ViewSettings) -> Result<ViewId, &'static str> {
        let known = |view: &&mut View| view.settings == settings;
        if let Some((id, view)) = self.numbered_mut().find(|(_, view)| known(view)) {
            view.guests += 1;
            return Ok(id);
        }
        let area = |settings: &ViewSettings| usize::from(settings.window.columns) * usize::from(settings.window.rows);
        let taken: usize = self.views.iter().flatten().map(|view| area(&view.settings)).sum();
        if taken + area(&settings) > MAX_CELLS {
            return Err("the windows of all guests are too large together");
        }
        let view = Some(View::new(settings));
        if let Some(free) = self.views.iter().position(Option::is_none) {
            self.views[free] = view;
            return Ok(ViewId(free));
        }
        self.views.push(view);
        Ok(ViewId(self.views.len() - 1))
    }

    /// A guest no longer has the view.
    pub fn release(&mut self, id: ViewId) {
        let Some(Some(view)) = self.views.get_mut(id.0) else { return };
        view.guests -= 1;
        if view.guests == 0 {
            self.views[id.0] = None;
        }
    }

    /// The number of distinct views.
    pub fn len(&self) -> usize {
        self.views.iter().flatten().count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Brings the views that are `wanted` up to the tank's state of this number, on as many threads as the pool has.
    pub fn draw(&mut self, wanted: &[ViewId], tank: &SharedTank, state: u64, pool: &rayon_core::ThreadPool) {
        let due: Vec<&mut View> = self
            .numbered_mut()
            .filter(|(id, view)| wanted.contains(id) && view.drawn != Some(state))
            .map(|(_, view)| view)
            .collect();
        if due.len() <= 1 || pool.current_num_threads() == 1 {
            due.into_iter().for_each(|view| view.draw(tank, state));
        } else {
            pool.scope(|scope| due.into_iter().for_each(|view| scope.spawn(move |_| view.draw(tank, state))));
        }
    }

    /// The version of a view, and the frame that leads to it from another, of all or a part of it; none if nothing has changed
    /// since.
    pub fn frame(&mut self, id: ViewId, from: Option<u32>, part: Option<Rect>) -> (u32, Option<Arc<[u8]>>) {
        let Some(Some(view)) = self.views.get_mut(id.0) else { return (0, None) };
        let version = view.version;
        match from {
            Some(from) if from == version => (version, None),
            // Version 0 is that of a screen on which nothing has been drawn.
            from => (version, Some(view.frame(from.unwrap_or(0), part))),
        }
    }

    fn numbered_mut(&mut self) -> impl Iterator<Item = (ViewId, &mut View)> {
        self.views.iter_mut().enumerate().filter_map(|(id, view)| Some((ViewId(id), view.as_mut()?)))
    }
}

impl View {
    fn new(settings: ViewSettings) -> Self {
        let area = Rect::new(0, 0, settings.window.columns, settings.window.rows);
        let picture = SharedView::new(look(&settings), settings.terminal, settings.window.cell.into());
        let cells = area.area() as usize;
        Self {
            settings,
            guests: 1,
            picture,
            buffer: Buffer::empty(area),
            cells: vec![WireCell::default(); cells],
            changed: vec![0; cells],
            version: 0,
            drawn: None,
            encoded: Vec::new(),
        }
    }

    fn draw(&mut self, tank: &SharedTank, state: u64) {
        self.drawn = Some(state);
        self.picture.draw(tank, &mut self.buffer);
        let next = self.version + 1;
        let mut any = false;
        for ((cell, known), changed) in self.buffer.content.iter().zip(&mut self.cells).zip(&mut self.changed) {
            let now = WireCell::of(cell);
            if now != *known {
                (*known, *changed, any) = (now, next, true);
            }
        }
        if any {
            self.version = next;
            self.encoded.clear();
        }
    }

    fn frame(&mut self, from: u32, part: Option<Rect>) -> Arc<[u8]> {
        let part = part.unwrap_or(self.buffer.area).intersection(self.buffer.area);
        if let Some((.., bytes)) = self.encoded.iter().find(|(known, of, _)| (*known, *of) == (from, part)) {
            return Arc::clone(bytes);
        }
        let (stride, changed) = (self.buffer.area.width, &self.changed);
        let bytes: Arc<[u8]> = protocol::frame(part, stride, &self.cells, |at| changed[at] > from).into();
        self.encoded.push((from, part, Arc::clone(&bytes)));
        bytes
    }
}

/// The look that a guest's settings stand for. What the host does not know is as by default.
fn look(settings: &ViewSettings) -> LookOptions {
    let palette = settings.palette.as_deref();
    LookOptions {
        glyphs: settings.glyphs,
        palette: palette.and_then(|name| palette::embedded().iter().find(|it| it.name() == name).cloned()),
        background: match settings.background {
            ViewBackground::Auto => BackgroundSetting::Auto,
            ViewBackground::Terminal => BackgroundSetting::Terminal,
            ViewBackground::Color([r, g, b]) => BackgroundSetting::Color(Rgb(r, g, b)),
        },
        color_by: ColorBy::ALL.into_iter().find(|it| it.name() == settings.color_by).unwrap_or_default(),
        cloth_style: ClothStyle::ALL.into_iter().find(|it| it.name() == settings.cloth_style).unwrap_or_default(),
        light: settings.light.parse().unwrap_or_default(),
        ..LookOptions::default()
    }
}

/// What a look asks of the host.
pub fn view_settings(
    look: &LookOptions,
    window: crate::app::action::Window,
    terminal: crate::app::action::TerminalCaps,
    pane: Option<Pane>,
) -> ViewSettings {
    ViewSettings {
        window,
        terminal,
        glyphs: look.glyphs,
        palette: look.palette.as_ref().map(|palette| palette.name().to_owned()),
        background: match look.background {
            BackgroundSetting::Auto => ViewBackground::Auto,
            BackgroundSetting::Terminal => ViewBackground::Terminal,
            BackgroundSetting::Color(Rgb(r, g, b)) => ViewBackground::Color([r, g, b]),
        },
        color_by: look.color_by.name().to_owned(),
        cloth_style: look.cloth_style.name().to_owned(),
        light: look.light.to_string(),
        pane,
    }
}
