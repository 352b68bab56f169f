//! The panel: the scene's parameters as sliders, moved by keys and by the mouse, with undo.

use crate::app::action::Direction;
use crate::app::action::help;
use crate::app::overlay::view::OverlayView;
use crate::scene::parameters;
use crate::scene::parameters::Parameter;
use crate::sim::World;
use crate::sim::definition::WorldDef;
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Modifier;
use ratatui_core::text::Line;
use std::borrow::Cow;

/// Columns of a name (at least), of a slider and of a value, with a blank between them.
const NAME: usize = 14;
const SLIDER: u16 = 20;
const VALUE: usize = 8;

/// Change by a direction key, as a fraction of a slider; and with shift.
const STEP: f32 = 1.0 / 40.0;
const FAR_STEP: f32 = 0.2;

/// Fluid parameters lie near the lower ends of their ranges, so sliders follow their cube root, on both sides of zero
/// where a value may be negative. The slider of gravity ends well above Jupiter's.
const ROOT: f32 = 3.0;
const MAX_GRAVITY: f32 = 40.0;

/// Upper limit on the changes that can be undone.
const MAX_UNDONE: usize = 200;

/// The state of the panel.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub open: bool,
    selected: usize,
    /// Keys and their previous values.
    undone: Vec<(Cow<'static, str>, f32)>,
    /// The slider that the mouse holds.
    held: Option<usize>,
    /// The key that was turned last: it stays, even where it does nothing at the value it has now.
    turned: Cow<'static, str>,
}

/// Where the panel is in a window.
struct Layout {
    area: Rect,
    /// The first row that is shown, and the number of rows.
    first: usize,
    shown: usize,
    /// Columns of the names, and the column of the sliders within the panel.
    name: usize,
    begin: u16,
}

impl Panel {
    pub fn toggle(&mut self) {
        self.open = !self.open;
        self.held = None;
    }

    /// Clears selection and undo list for another scene.
    pub fn forget(&mut self) {
        *self = Self { open: self.open, ..Self::default() };
    }

    /// Handles a direction key: up and down select, left and right change.
    pub fn handle_direction(&mut self, world: &mut World, side: Direction, far: bool) {
        let parameters = self.parameters(world.definition());
        let step = if far { FAR_STEP } else { STEP };
        match side {
            Direction::Up => self.selected = (self.selected + parameters.len() - 1) % parameters.len(),
            Direction::Down => self.selected = (self.selected + 1) % parameters.len(),
            Direction::Left => self.shift(world, &parameters, -step),
            Direction::Right => self.shift(world, &parameters, step),
        }
    }

    fn parameters(&self, definition: &WorldDef) -> Vec<Parameter> {
        parameters::active_and(definition, &self.turned)
    }

    fn shift(&mut self, world: &mut World, parameters: &[Parameter], by: f32) {
        let Some(parameter) = parameters.get(self.selected) else { return };
        let to = slider_position(parameter, parameter.value(world.definition())) + by;
        self.turn(world, parameter, value(parameter, to));
        self.follow(world, parameter);
    }

    /// Handles a button press at a position in cells. Returns whether it was on the panel.
    pub fn press(&mut self, world: &mut World, window: Rect, at: Vec2) -> bool {
        let parameters = self.parameters(world.definition());
        let Layout { area, first, .. } = self.layout(&parameters, window);
        let (x, y) = (at.x.max(0.0) as u16, at.y.max(0.0) as u16);
        if !self.open || !area.contains((x, y).into()) {
            return false;
        }
        let row = first + usize::from((y - area.y).saturating_sub(1));
        if y > area.y && y + 2 < area.bottom() && row < parameters.len() {
            (self.selected, self.held) = (row, Some(row));
            self.note(&parameters[row], world);
            self.drag(world, window, at);
        }
        true
    }

    /// Handles a movement of the pointer. Returns whether it holds a slider.
    pub fn drag(&mut self, world: &mut World, window: Rect, at: Vec2) -> bool {
        let Some(held) = self.held else { return false };
        let parameters = self.parameters(world.definition());
        let Layout { area, begin, .. } = self.layout(&parameters, window);
        if let Some(parameter) = parameters.get(held) {
            let to = (at.x - f32::from(area.x + begin)) / f32::from(SLIDER);
            parameters::set(world, parameter, value(parameter, to));
            self.follow(world, parameter);
        }
        true
    }

    /// The list of parameters may depend on their values: keeps the selection on the same parameter.
    fn follow(&mut self, world: &World, parameter: &Parameter) {
        self.turned = parameter.key.clone();
        if let Some(row) = self.parameters(world.definition()).iter().position(|other| other.key == parameter.key) {
            (self.selected, self.held) = (row, self.held.map(|_| row));
        }
    }

    /// Handles a button release. Returns whether it held a slider.
    pub fn release(&mut self) -> bool {
        self.held.take().is_some()
    }

    /// Undoes the last change, and returns a message for it.
    pub fn undo(&mut self, world: &mut World) -> Option<String> {
        let (key, before) = self.undone.pop()?;
        let parameter = parameters::all(world.definition()).into_iter().find(|parameter| parameter.key == key)?;
        parameters::set(world, &parameter, before);
        Some(format!("{key} {}", text(before)))
    }

    /// Resets all parameters to those of `original`; each can be undone.
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

    fn layout(&self, parameters: &[Parameter], window: Rect) -> Layout {
        let height = (parameters.len() as u16 + 3).min(window.height);
        let shown = usize::from(height.saturating_sub(3));
        let name = parameters.iter().map(|parameter| parameter.key.len()).fold(NAME, usize::max);
        // After the border, a mark and a name.
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

    /// Draws the panel at the right side of the window.
    pub fn draw(&self, view: &OverlayView, buf: &mut Buffer) {
        if !self.open {
            return;
        }
        let (definition, theme) = (view.tank.world.definition(), &view.theme);
        let parameters = self.parameters(definition);
        let Layout { area, first, shown, name, .. } = self.layout(&parameters, buf.area);
        let row = |(number, parameter): (usize, &Parameter)| {
            let selected = number == self.selected;
            let style = if selected { theme.text.add_modifier(Modifier::REVERSED) } else { theme.text };
            let row = Row { parameter, value: parameter.value(definition), selected, name_width: name };
            Line::styled(row.text(theme.unicode), style)
        };
        let mut lines: Vec<Line> = parameters.iter().enumerate().skip(first).take(shown).map(row).collect();
        lines.push(Line::styled(help::panel(&view.options.keymap), theme.strong));
        theme.boxed("settings", lines, area, buf);
    }
}

/// A parameter in the panel.
struct Row<'a> {
    parameter: &'a Parameter,
    value: f32,
    selected: bool,
    name_width: usize,
}

impl Row<'_> {
    fn text(&self, unicode: bool) -> String {
        let (full, empty, mark) = if unicode { ('━', '─', '›') } else { ('=', '-', '>') };
        let place = (slider_position(self.parameter, self.value) * f32::from(SLIDER)).round() as u16;
        let slider: String = (0..SLIDER).map(|cell| if cell < place { full } else { empty }).collect();
        let mark = if self.selected { mark } else { ' ' };
        let name_width = self.name_width;
        format!("{mark} {:<name_width$} {slider} {:>VALUE$}", self.parameter.key, text(self.value))
    }
}

/// Three significant digits.
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

/// The position of a value on its slider, 0 to 1.
fn slider_position(parameter: &Parameter, value: f32) -> f32 {
    let (least, most) = ends(parameter);
    let root = |size: f32| size.powf(1.0 / ROOT);
    if least < 0.0 {
        let side = if value < 0.0 { -root(value / least) } else { root(value / most) };
        return (0.5 + 0.5 * side).clamp(0.0, 1.0);
    }
    root(((value - least) / (most - least)).clamp(0.0, 1.0))
}

/// The value at a position on the slider.
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
