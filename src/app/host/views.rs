//! The pictures of a shared tank: one for each distinct view, whatever the number of guests that have it. Each cell has the
//! version in which it changed last, so a guest gets the changes since the version on its screen, however old, without a copy of
//! its screen.

use crate::app::action::Window;
use crate::app::host::protocol::{self, Frame, GuestView, ToGuest, WireCell};
use crate::app::shared_tank::SharedTank;
use crate::app::shared_tank::view::SharedView;
use ratatui::buffer::Buffer;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Weak, mpsc};

/// Upper limit on the cells of all views together: one window of the largest size and many of the usual ones.
pub const MAX_CELLS: usize = 700_000;

/// Views with more cells are drawn on a separate thread, from a copy of the tank.
const LARGE: usize = 16_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ViewId(u32);

impl ViewId {
    pub const NONE: Self = Self(u32::MAX);
}

#[derive(Default)]
pub struct Views {
    views: BTreeMap<ViewId, View>,
    next: u32,
    /// A thread that draws a large view holds it.
    drawing: Weak<()>,
}

struct Canvas {
    picture: SharedView,
    buffer: Buffer,
}

enum Place {
    Here(Box<Canvas>),
    /// With the thread that draws it.
    Away(Receiver<Box<Canvas>>),
}

struct View {
    settings: GuestView,
    guests: usize,
    place: Place,
    cells: Vec<WireCell>,
    changed: Vec<u32>,
    version: u32,
    /// The server's count of the tank's changes when it was drawn last.
    drawn: Option<u64>,
    /// Frames from older versions to this one: the versions and the messages.
    encoded: Vec<(u32, Arc<[u8]>)>,
}

impl Views {
    /// The view with these settings, for a further guest, and whether its window had to be halved because all views together
    /// would be too large. Fails if there is no room for a single cell.
    pub fn acquire(&mut self, mut settings: GuestView) -> Result<(ViewId, bool), &'static str> {
        let area = |window: Window| usize::from(window.columns) * usize::from(window.rows);
        let taken: usize = self.views.values().map(|view| area(view.settings.window)).sum();
        let mut is_smaller = false;
        loop {
            if let Some((id, view)) = self.views.iter_mut().find(|(_, view)| view.settings == settings) {
                view.guests += 1;
                return Ok((*id, is_smaller));
            }
            let window = &mut settings.window;
            if taken + area(*window) <= MAX_CELLS {
                break;
            }
            if area(*window) == 1 {
                return Err("the windows of all guests are too large together");
            }
            (window.columns, window.rows) = (window.columns.div_ceil(2), window.rows.div_ceil(2));
            is_smaller = true;
        }
        let id = ViewId(self.next);
        self.next += 1;
        self.views.insert(id, View::new(settings));
        Ok((id, is_smaller))
    }

    pub fn release(&mut self, id: ViewId) {
        let Some(view) = self.views.get_mut(&id) else { return };
        view.guests -= 1;
        if view.guests == 0 {
            self.views.remove(&id);
        }
    }

    /// Updates the `wanted` views to the tank's state of number `state`. Large views are only begun, and ready in a later turn.
    pub fn draw(&mut self, wanted: &[ViewId], tank: &SharedTank, state: u64, pool: &rayon_core::ThreadPool) {
        let is_free = self.drawing.strong_count() == 0;
        let due = self.views.iter_mut().filter_map(|(id, view)| {
            let is_due = view.is_here() && wanted.contains(id) && view.drawn != Some(state);
            is_due.then_some(view)
        });
        let (large, due): (Vec<&mut View>, Vec<&mut View>) = due.partition(|view| view.is_large());
        if due.len() <= 1 || pool.current_num_threads() == 1 {
            due.into_iter().for_each(|view| view.draw(tank, state));
        } else {
            pool.scope(|scope| due.into_iter().for_each(|view| scope.spawn(move |_| view.draw(tank, state))));
        }
        // One after the other, first the one that has waited longest.
        if let Some(view) = large.into_iter().min_by_key(|view| view.drawn).filter(|_| is_free) {
            let drawing = Arc::new(());
            let mark = Arc::downgrade(&drawing);
            view.draw_apart(tank, state, drawing);
            self.drawing = mark;
        }
    }

    /// The version of a view, and the frame that leads to it from another; none if nothing has changed since.
    /// Version 0 is that of a screen on which nothing has been drawn.
    pub fn frame(&mut self, id: ViewId, from: u32) -> Option<(u32, Arc<[u8]>)> {
        let view = self.views.get_mut(&id).filter(|view| view.version != from)?;
        Some((view.version, view.frame(from)))
    }

    /// Whether a view is drawn on the separate thread, and so is ready in a later turn.
    pub fn is_large(&self, id: ViewId) -> bool {
        self.views.get(&id).is_some_and(View::is_large)
    }
}

impl View {
    fn new(settings: GuestView) -> Self {
        let place = Place::Here(Canvas::new(&settings));
        let cells = settings.window.area().area() as usize;
        Self {
            settings,
            guests: 1,
            place,
            cells: vec![WireCell::default(); cells],
            changed: vec![0; cells],
            version: 0,
            drawn: None,
            encoded: Vec::new(),
        }
    }

    fn is_large(&self) -> bool {
        self.cells.len() > LARGE
    }

    fn draw(&mut self, tank: &SharedTank, state: u64) {
        self.drawn = Some(state);
        let Place::Here(canvas) = &mut self.place else { return };
        canvas.picture.draw(tank, &mut canvas.buffer);
        self.compare();
    }

    /// Draws a copy of the tank while it moves on. If no thread can be started the canvas is lost, and the next turn makes another.
    fn draw_apart(&mut self, tank: &SharedTank, state: u64, drawing: Arc<()>) {
        self.drawn = Some(state);
        let (done, answer) = mpsc::channel();
        let Place::Here(mut canvas) = std::mem::replace(&mut self.place, Place::Away(answer)) else { return };
        let (world, scene, hands) = (tank.world.clone(), tank.scene().clone(), tank.hands().collect::<Vec<_>>());
        let draw = move || {
            canvas.picture.paint(&world, &scene, hands.into_iter(), &mut canvas.buffer);
            // The view may be gone by now.
            let _ = done.send(canvas);
            drop(drawing);
        };
        let _ = std::thread::Builder::new().name("large view".to_owned()).spawn(draw);
    }

    /// Whether its canvas is here, and was here before this call: one that has just returned must be sent first.
    fn is_here(&mut self) -> bool {
        let Place::Away(answer) = &self.place else { return true };
        match answer.try_recv() {
            Ok(canvas) => {
                self.place = Place::Here(canvas);
                self.compare();
                false
            }
            Err(TryRecvError::Empty) => false,
            Err(TryRecvError::Disconnected) => {
                self.place = Place::Here(Canvas::new(&self.settings));
                true
            }
        }
    }

    fn compare(&mut self) {
        let Place::Here(canvas) = &self.place else { return };
        let next = self.version + 1;
        let mut any = false;
        for ((cell, known), changed) in canvas.buffer.content.iter().zip(&mut self.cells).zip(&mut self.changed) {
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

    fn frame(&mut self, from: u32) -> Arc<[u8]> {
        if let Some((_, bytes)) = self.encoded.iter().find(|(known, _)| *known == from) {
            return Arc::clone(bytes);
        }
        let Window { columns, rows, .. } = self.settings.window;
        let frame = Frame::new(columns, rows, &self.cells, &self.changed, from);
        let bytes: Arc<[u8]> = protocol::framed(&ToGuest::Frame(frame)).into();
        self.encoded.push((from, Arc::clone(&bytes)));
        bytes
    }
}

impl Canvas {
    fn new(settings: &GuestView) -> Box<Self> {
        let picture = SharedView::new(settings.look.clone(), settings.terminal, settings.window.cell.into());
        Box::new(Self { picture, buffer: Buffer::empty(settings.window.area()) })
    }
}
