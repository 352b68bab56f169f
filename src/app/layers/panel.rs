//! The panel: the parameters of the scene as sliders, moved by keys and by the mouse, with undo, and the looks of the picture. The
//! most important parameters come first, the others under "more". In a wide window the panel is beside the tank, otherwise over
//! it. A tank that is simulated elsewhere has looks alone.

use crate::app::action::{Action, Direction, help};
use crate::app::input::state::Input;
use crate::app::layers::{Layer, LayerContext, OverlayView};
use crate::app::tank::Tank;
use crate::scene::parameters::{self, Parameter};
use crate::sim::World;
use crate::sim::definition::WorldDef;
use glam::Vec2;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use std::borrow::Cow;

/// Columns of a name, of a slider and of a value, with a blank between them.
const NAME: usize = 18;
const SLIDER: u16 = 14;
const VALUE: usize = 7;

/// Columns in front of the sliders, with the border, a mark and a blank; and of the whole panel.
const BEGIN: u16 = 1 + 2 + NAME as u16 + 1;
pub const WIDTH: u16 = BEGIN + SLIDER + 1 + VALUE as u16 + 1 + 1;

/// The narrowest tank that has the panel beside it, in columns. A narrower one would be taller than wide.
const MIN_TANK: u16 = 56;

/// Rows for the description of the selected parameter, which may need two; below it are the keys.
const ABOUT: usize = 2;
const KEYS: usize = 1;

/// Change by a direction key, as a fraction of a slider; and with shift.
const STEP: f32 = 1.0 / 40.0;
const FAR_STEP: f32 = 0.2;

/// Fluid parameters lie near the lower ends of their ranges, so sliders follow their cube root, on both sides of zero.
const ROOT: f32 = 3.0;
const MAX_GRAVITY: f32 = 40.0;

const MAX_UNDONE: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub open: bool,
    more: bool,
    selected: usize,
    undone: Vec<(Cow<'static, str>, f32)>,
    held: Option<usize>,
    /// The key that was changed last stays in the list, even if it has no effect at its present value.
    turned: Cow<'static, str>,
}

#[derive(Clone, Debug)]
enum PanelRow {
    Parameter(Parameter),
    Look(Look),
    /// Lists this many other parameters, or hides them.
    More(usize),
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Look {
        Palette => "palette",
        Glyphs => "glyphs",
        ColorBy => "colour by",
        Matter => "view",
    }
}

impl Look {
    fn about(self) -> &'static str {
        match self {
            Self::Palette => "The colours of the picture",
            Self::Glyphs => "The characters that it is made of",
            Self::ColorBy => "The quantity that colours show",
            Self::Matter => "What liquid or cloth is drawn as",
        }
    }

    fn value<'a>(self, view: &OverlayView<'a>) -> &'a str {
        match self {
            Self::Palette => view.palette,
            Self::Glyphs => view.look.glyphs.name(),
            Self::ColorBy => view.look.color_by.name(),
            Self::Matter if view.tank.world.cloth().is_some() => view.look.cloth_style.name(),
            Self::Matter => view.look.liquid_style.name(),
        }
    }
}

struct Layout {
    area: Rect,
    first: usize,
    shown: usize,
    /// Rows for the line about the selected number.
    about: usize,
    /// Columns of a name and of a slider: in a narrow window there are no sliders, and names are cut, so that values are whole.
    name: usize,
    slider: u16,
}

/// The columns that the panel takes from the tank in a window of `columns`; 0 if it is over the tank.
pub fn columns_beside(columns: u16) -> u16 {
    if columns >= WIDTH + MIN_TANK { WIDTH } else { 0 }
}

impl Panel {
    pub fn forget(&mut self) {
        *self = Self { open: self.open, more: self.more, ..Self::default() };
    }

    fn step(&mut self, context: &mut LayerContext, side: Direction, far: bool) {
        let rows = self.rows(context.tank);
        let step = if far { FAR_STEP } else { STEP };
        match side {
            Direction::Up => self.selected = (self.selected + rows.len() - 1) % rows.len(),
            Direction::Down => self.selected = (self.selected + 1) % rows.len(),
            Direction::Left => self.shift(context, &rows, -step),
            Direction::Right => self.shift(context, &rows, step),
        }
    }

    fn rows(&self, tank: &Tank) -> Vec<PanelRow> {
        let looks = Look::ALL.into_iter().map(PanelRow::Look);
        if !tank.is_here() {
            return looks.collect();
        }
        let mut parameters = parameters::active(tank.world.definition(), &self.turned);
        let main = parameters::main_first(&mut parameters);
        let others = parameters.split_off(main);
        let mut rows: Vec<PanelRow> = parameters.into_iter().map(PanelRow::Parameter).collect();
        if !others.is_empty() {
            rows.push(PanelRow::More(others.len()));
        }
        if self.more {
            rows.extend(others.into_iter().map(PanelRow::Parameter));
        }
        rows.extend(looks);
        rows
    }

    fn shift(&mut self, context: &mut LayerContext, rows: &[PanelRow], by: f32) {
        let world = &mut context.tank.world;
        match rows.get(self.selected) {
            Some(PanelRow::Parameter(parameter)) => {
                let to = slider_position(parameter, parameter.value(world.definition())) + by;
                self.turn(world, parameter, value(parameter, to));
                self.follow(context.tank, parameter);
            }
            Some(PanelRow::Look(look)) => context.look = Some((*look, by > 0.0)),
            Some(PanelRow::More(_)) => self.more = by > 0.0,
            None => {}
        }
    }

    fn press(&mut self, context: &mut LayerContext, at: Vec2) -> bool {
        let rows = self.rows(context.tank);
        let Layout { area, first, shown, .. } = self.layout(&rows, context.window);
        let (x, y) = (at.x.max(0.0) as u16, at.y.max(0.0) as u16);
        if !area.contains((x, y).into()) {
            return false;
        }
        let row = first + usize::from((y - area.y).saturating_sub(1));
        if y > area.y && row < first + shown {
            match rows.get(row) {
                Some(PanelRow::Parameter(parameter)) => {
                    (self.selected, self.held) = (row, Some(row));
                    self.note(parameter, &context.tank.world);
                    self.drag(context, at);
                }
                Some(other) => {
                    self.selected = row;
                    self.click(context, other);
                }
                None => {}
            }
        }
        true
    }

    /// Turns a row by one click or by enter. A slider has no one step, so enter stays the pointer's button there.
    fn click(&mut self, context: &mut LayerContext, row: &PanelRow) -> bool {
        match row {
            PanelRow::Look(look) => context.look = Some((*look, true)),
            PanelRow::More(_) => self.more = !self.more,
            PanelRow::Parameter(_) => return false,
        }
        true
    }

    fn drag(&mut self, context: &mut LayerContext, at: Vec2) -> bool {
        let Some(held) = self.held else { return false };
        let rows = self.rows(context.tank);
        let Layout { area, slider, .. } = self.layout(&rows, context.window);
        if let Some(PanelRow::Parameter(parameter)) = rows.get(held).filter(|_| slider > 0) {
            let to = (at.x - f32::from(area.x + BEGIN)) / f32::from(slider);
            parameters::set(&mut context.tank.world, parameter, value(parameter, to));
            self.follow(context.tank, parameter);
        }
        true
    }

    /// Keeps the selection on the same parameter, although the list may depend on the values.
    fn follow(&mut self, tank: &Tank, parameter: &Parameter) {
        self.turned = parameter.key.clone();
        let is_it = |row: &PanelRow| matches!(row, PanelRow::Parameter(other) if other.key == parameter.key);
        let row = self.rows(tank).iter().position(is_it);
        // Other parameters may now come before it.
        self.more |= row.is_none();
        if let Some(row) = row.or_else(|| self.rows(tank).iter().position(is_it)) {
            (self.selected, self.held) = (row, self.held.map(|_| row));
        }
    }

    pub fn undo(&mut self, world: &mut World) -> Option<String> {
        let (key, before) = self.undone.pop()?;
        let parameter = parameters::all(world.definition()).into_iter().find(|parameter| parameter.key == key)?;
        parameters::set(world, &parameter, before);
        Some(format!("{} {}", parameter.label, text(before)))
    }

    pub fn reset(&mut self, world: &mut World, original: &WorldDef) {
        for parameter in parameters::all(world.definition()) {
            let before = parameter.value(original);
            if before != parameter.value(world.definition()) {
                self.turn(world, &parameter, before);
            }
        }
    }

    fn turn(&mut self, world: &mut World, parameter: &Parameter, to: f32) {
        self.note(parameter, world);
        parameters::set(world, parameter, to);
    }

    fn note(&mut self, parameter: &Parameter, world: &World) {
        if self.undone.len() == MAX_UNDONE {
            self.undone.remove(0);
        }
        self.undone.push((parameter.key.clone(), parameter.value(world.definition())));
    }

    fn layout(&self, rows: &[PanelRow], window: Rect) -> Layout {
        let wanted = (rows.len() + ABOUT + KEYS + 2) as u16;
        let has_numbers = rows.iter().any(|row| matches!(row, PanelRow::Parameter(_)));
        let beside = has_numbers && columns_beside(window.width) > 0;
        let height = if beside { window.height } else { wanted.min(window.height) };
        let inner = usize::from(height.saturating_sub(2));
        // If there is little room, the parameters get it.
        let about = ABOUT.min(inner.saturating_sub(rows.len().min(3) + KEYS));
        let shown = inner.saturating_sub(about + KEYS).min(rows.len());
        let width = WIDTH.min(window.width);
        let name =
            if width < WIDTH { (usize::from(width) + NAME).saturating_sub((WIDTH - SLIDER).into()) } else { NAME };
        Layout {
            area: Rect::new(window.right() - width, window.y + (window.height - height) / 2, width, height),
            first: (self.selected + 1).saturating_sub(shown),
            shown,
            about,
            name: name.clamp(1, NAME),
            slider: if width < WIDTH { 0 } else { SLIDER },
        }
    }

    fn row_text(&self, row: &PanelRow, view: &OverlayView, selected: bool, layout: &Layout) -> String {
        let &Layout { name: columns, slider, .. } = layout;
        let values = VALUE + if slider > 0 { usize::from(slider) + 1 } else { 0 };
        let (full, empty, mark, open, closed) =
            if view.theme.unicode { ('━', '─', '›', '▾', '▸') } else { ('=', '-', '>', '-', '+') };
        let mark = if selected { mark } else { ' ' };
        match row {
            PanelRow::More(others) => {
                let sign = if self.more { open } else { closed };
                let width = columns + 1 + values;
                format!("{mark} {:<width$} ", format!("{sign} more ({others})"))
            }
            PanelRow::Look(look) => {
                format!("{mark} {:<columns$.columns$} {:>values$.values$} ", look.name(), look.value(view))
            }
            PanelRow::Parameter(parameter) => {
                let value = parameter.value(view.tank.world.definition());
                let place = (slider_position(parameter, value) * f32::from(slider)).round() as u16;
                let slider: String = (0..slider).map(|cell| if cell < place { full } else { empty }).collect();
                let value = format!("{slider}{:>width$}", text(value), width = values - slider.chars().count());
                format!("{mark} {:<columns$.columns$} {value} ", parameter.label)
            }
        }
    }
}

impl Layer for Panel {
    fn is_open(&self, _: &Input) -> bool {
        self.open
    }

    fn set_open(&mut self, open: bool, _: &mut LayerContext) {
        (self.open, self.held) = (open, None);
    }

    fn take(&mut self, action: Action, context: &mut LayerContext) -> bool {
        match action {
            Action::Tilt(direction) | Action::HoldDirection(direction) => self.step(context, direction, false),
            Action::Shake(direction) => self.step(context, direction, true),
            Action::PressTool(at) | Action::Press(_, at) => return self.press(context, at.into()),
            Action::Grab => {
                let rows = self.rows(context.tank);
                return rows.get(self.selected).is_some_and(|row| self.click(context, row));
            }
            Action::Move(at) => return self.drag(context, at.into()),
            Action::Release(at) => {
                self.drag(context, at.into());
                return self.held.take().is_some();
            }
            _ => return false,
        }
        true
    }

    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        if !self.open {
            return;
        }
        let theme = &view.theme;
        let rows = self.rows(view.tank);
        let layout = self.layout(&rows, buf.area);
        let Layout { area, first, shown, about, .. } = layout;
        let line = |(number, row): (usize, &PanelRow)| {
            let selected = number == self.selected;
            let style = if selected { theme.text.add_modifier(Modifier::REVERSED) } else { theme.text };
            Line::styled(self.row_text(row, view, selected, &layout), style)
        };
        let mut lines: Vec<Line> = rows.iter().enumerate().skip(first).take(shown).map(line).collect();
        let room = usize::from(area.width.saturating_sub(3)).max(1);
        let selected = rows.get(self.selected).and_then(|row| match row {
            PanelRow::Parameter(parameter) => Some(parameter.about),
            PanelRow::Look(look) => Some(look.about()),
            PanelRow::More(_) => None,
        });
        if let Some(text) = selected {
            let text = textwrap::wrap(text, room);
            lines.extend(text.into_iter().take(about).map(|text| Line::styled(format!(" {text}"), theme.text)));
        }
        // The keys are at the bottom.
        let inner = usize::from(area.height.saturating_sub(2));
        lines.resize(inner.saturating_sub(KEYS).max(lines.len()), Line::default());
        let mut keys = help::panel(&view.options.controls.keymap, view.tank.is_here());
        while keys.chars().count() > room
            && let Some(last) = keys.rfind("  ")
        {
            keys.truncate(last);
        }
        lines.push(Line::from(Span::styled(format!(" {keys}"), theme.faint)));
        theme.boxed(&view.options.scenes[view.tank.scene_index].name, lines, area, buf);
    }
}

fn text(value: f32) -> String {
    let size = if value == 0.0 { 1.0 } else { value.abs() };
    match [100.0, 10.0, 1.0, 0.1, 0.01, 0.001].iter().position(|&least| size >= least) {
        Some(decimals) => format!("{value:.decimals$}"),
        None => format!("{value:.2e}"),
    }
}

fn slider_position(parameter: &Parameter, value: f32) -> f32 {
    let (least, most) = ends(parameter);
    let root = |size: f32| size.powf(1.0 / ROOT);
    if least < 0.0 {
        let side = if value < 0.0 { -root(value / least) } else { root(value / most) };
        return (0.5 + 0.5 * side).clamp(0.0, 1.0);
    }
    root(((value - least) / (most - least)).clamp(0.0, 1.0))
}

fn value(parameter: &Parameter, position: f32) -> f32 {
    let ((least, most), position) = (ends(parameter), position.clamp(0.0, 1.0));
    if least < 0.0 {
        let side = 2.0 * position - 1.0;
        return side.abs().powf(ROOT) * if side < 0.0 { least } else { most };
    }
    least + (most - least) * position.powf(ROOT)
}

fn ends(parameter: &Parameter) -> (f32, f32) {
    let most = if parameter.key == "gravity" { MAX_GRAVITY } else { *parameter.range.end() };
    (*parameter.range.start(), most)
}
