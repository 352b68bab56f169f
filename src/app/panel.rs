//! The panel: the scene's numbers as sliders, moved by keys and by the mouse, with undo; and what it saves.

use crate::app::action::Side;
use crate::app::overlay::{Pens, boxed};
use crate::scene::parameters;
use crate::scene::parameters::Knob;
use crate::sim::World;
use crate::sim::definition::WorldDef;
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Modifier;
use ratatui_core::text::Line;
use std::borrow::Cow;

/// Columns of a name at the least, of a slider and of a value, with a blank between them.
const NAME: usize = 14;
const SLIDER: u16 = 20;
const VALUE: usize = 8;

/// What a struck direction changes, as a share of a slider; and with shift.
const STEP: f32 = 1.0 / 40.0;
const LEAP: f32 = 0.2;

/// Values of fluids lie near the lower end of what is possible: sliders go with their cube root, to both sides of zero
/// where a value may be negative. That of gravity ends well above Jupiter's.
const ROOT: f32 = 3.0;
const STRONGEST_GRAVITY: f32 = 40.0;

/// What can be undone.
const MOST_UNDONE: usize = 200;

/// What of the panel is not the world's.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub open: bool,
    selected: usize,
    /// Keys and what they were.
    undone: Vec<(Cow<'static, str>, f32)>,
    /// The slider that the mouse holds.
    held: Option<usize>,
    /// The key that was turned last: it stays, even where it does nothing at the value it has now.
    turned: Cow<'static, str>,
}

/// Where the panel is in a window.
struct Layout {
    area: Rect,
    /// The first of the rows that are shown, and how many these are.
    first: usize,
    shown: usize,
    /// Columns for names, and where the sliders begin within the panel.
    name: usize,
    begin: u16,
}

impl Panel {
    pub fn toggle(&mut self) {
        self.open = !self.open;
        self.held = None;
    }

    /// Another scene came: nothing of the last one can be undone in it.
    pub fn forget(&mut self) {
        *self = Self { open: self.open, ..Self::default() };
    }

    /// A direction was struck: up and down choose, left and right change.
    pub fn direct(&mut self, world: &mut World, side: Side, far: bool) {
        let knobs = self.knobs(world.definition());
        let step = if far { LEAP } else { STEP };
        match side {
            Side::Up => self.selected = (self.selected + knobs.len() - 1) % knobs.len(),
            Side::Down => self.selected = (self.selected + 1) % knobs.len(),
            Side::Left => self.shift(world, &knobs, -step),
            Side::Right => self.shift(world, &knobs, step),
        }
    }

    fn knobs(&self, definition: &WorldDef) -> Vec<Knob> {
        parameters::active_and(definition, &self.turned)
    }

    fn shift(&mut self, world: &mut World, knobs: &[Knob], by: f32) {
        let Some(knob) = knobs.get(self.selected) else { return };
        let to = share(knob, knob.value(world.definition())) + by;
        self.turn(world, knob, value(knob, to));
        self.follow(world, knob);
    }

    /// The button goes down here, in cells. Says whether that was on the panel.
    pub fn press(&mut self, world: &mut World, window: Rect, at: Vec2) -> bool {
        let knobs = self.knobs(world.definition());
        let Layout { area, first, .. } = self.layout(&knobs, window);
        let (x, y) = (at.x.max(0.0) as u16, at.y.max(0.0) as u16);
        if !self.open || !area.contains((x, y).into()) {
            return false;
        }
        let row = first + usize::from((y - area.y).saturating_sub(1));
        if y > area.y && y + 2 < area.bottom() && row < knobs.len() {
            (self.selected, self.held) = (row, Some(row));
            self.note(&knobs[row], world);
            self.drag(world, window, at);
        }
        true
    }

    /// The pointer moves. Says whether it holds a slider.
    pub fn drag(&mut self, world: &mut World, window: Rect, at: Vec2) -> bool {
        let Some(held) = self.held else { return false };
        let knobs = self.knobs(world.definition());
        let Layout { area, begin, .. } = self.layout(&knobs, window);
        if let Some(knob) = knobs.get(held) {
            let to = (at.x - f32::from(area.x + begin)) / f32::from(SLIDER);
            parameters::set(world, knob, value(knob, to));
            self.follow(world, knob);
        }
        true
    }

    /// Which numbers there are may depend on what has been turned: the one that was chosen stays it.
    fn follow(&mut self, world: &World, knob: &Knob) {
        self.turned = knob.key.clone();
        if let Some(row) = self.knobs(world.definition()).iter().position(|other| other.key == knob.key) {
            (self.selected, self.held) = (row, self.held.map(|_| row));
        }
    }

    /// The button goes up. Says whether it held a slider.
    pub fn release(&mut self) -> bool {
        self.held.take().is_some()
    }

    /// Takes the last change back, and says of what.
    pub fn undo(&mut self, world: &mut World) -> Option<String> {
        let (key, before) = self.undone.pop()?;
        let knob = parameters::all(world.definition()).into_iter().find(|knob| knob.key == key)?;
        parameters::set(world, &knob, before);
        Some(format!("{key} {}", text(before)))
    }

    /// Everything as it is in `original`; can be undone, number by number.
    pub fn reset(&mut self, world: &mut World, original: &WorldDef) {
        for knob in parameters::all(world.definition()) {
            let before = knob.value(original);
            if before != knob.value(world.definition()) {
                self.turn(world, &knob, before);
            }
        }
    }

    fn turn(&mut self, world: &mut World, knob: &Knob, to: f32) {
        self.note(knob, world);
        parameters::set(world, knob, to);
    }

    fn note(&mut self, knob: &Knob, world: &World) {
        if self.undone.len() == MOST_UNDONE {
            self.undone.remove(0);
        }
        self.undone.push((knob.key.clone(), knob.value(world.definition())));
    }

    fn layout(&self, knobs: &[Knob], window: Rect) -> Layout {
        let height = (knobs.len() as u16 + 3).min(window.height);
        let shown = usize::from(height.saturating_sub(3));
        let name = knobs.iter().map(|knob| knob.key.len()).fold(NAME, usize::max);
        // Behind the border, a mark and a name.
        let begin = 1 + 2 + name as u16 + 1;
        let width = (begin + SLIDER + 1 + VALUE as u16 + 1).min(window.width);
        Layout {
            area: Rect::new(window.right() - width, window.y + (window.height - height) / 2, width, height),
            first: (self.selected + 1).saturating_sub(shown),
            shown,
            name,
            begin,
        }
    }

    pub fn draw(&self, definition: &WorldDef, hint: &str, unicode: bool, pens: &Pens, buf: &mut Buffer) {
        let knobs = self.knobs(definition);
        let Layout { area, first, shown, name, .. } = self.layout(&knobs, buf.area);
        let row = |(number, knob): (usize, &Knob)| {
            let style = if number == self.selected { pens.text.add_modifier(Modifier::REVERSED) } else { pens.text };
            Line::styled(row(knob, knob.value(definition), number == self.selected, (name, unicode)), style)
        };
        let mut lines: Vec<Line> = knobs.iter().enumerate().skip(first).take(shown).map(row).collect();
        lines.push(Line::styled(hint.to_owned(), pens.strong));
        boxed("settings", lines, area, (unicode, pens), buf);
    }
}

fn row(knob: &Knob, at: f32, selected: bool, (name, unicode): (usize, bool)) -> String {
    let (full, empty, mark) = if unicode { ('━', '─', '›') } else { ('=', '-', '>') };
    let place = (share(knob, at) * f32::from(SLIDER)).round() as u16;
    let slider: String = (0..SLIDER).map(|cell| if cell < place { full } else { empty }).collect();
    let mark = if selected { mark } else { ' ' };
    format!("{mark} {:<name$} {slider} {:>VALUE$}", knob.key, text(at))
}

/// Three digits that count.
fn text(value: f32) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 || size == 0.0 => format!("{value:.2}"),
        size if size >= 0.1 => format!("{value:.3}"),
        size if size >= 0.01 => format!("{value:.4}"),
        size if size >= 0.001 => format!("{value:.5}"),
        _ => format!("{value:.2e}"),
    }
}

/// Where a value lies on its slider, 0 to 1.
fn share(knob: &Knob, value: f32) -> f32 {
    let (least, most) = ends(knob);
    let root = |size: f32| size.powf(1.0 / ROOT);
    if least < 0.0 {
        let side = if value < 0.0 { -root(value / least) } else { root(value / most) };
        return (0.5 + 0.5 * side).clamp(0.0, 1.0);
    }
    root(((value - least) / (most - least)).clamp(0.0, 1.0))
}

/// The value at a place on the slider.
fn value(knob: &Knob, share: f32) -> f32 {
    let ((least, most), share) = (ends(knob), share.clamp(0.0, 1.0));
    if least < 0.0 {
        let side = 2.0 * share - 1.0;
        return side.abs().powf(ROOT) * if side < 0.0 { least } else { most };
    }
    least + (most - least) * share.powf(ROOT)
}

fn ends(knob: &Knob) -> (f32, f32) {
    let most = if knob.key == "gravity" { STRONGEST_GRAVITY } else { *knob.range.end() };
    (*knob.range.start(), most)
}
