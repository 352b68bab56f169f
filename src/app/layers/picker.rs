//! The picker of scenes: a list in groups that typing filters. Digits select the favourites.

use crate::app::action::{Action, Direction};
use crate::app::input::state::Input;
use crate::app::layers::{Layer, LayerContext, OverlayView};
use crate::app::options::Options;
use crate::scene::{self, Scene};
use glam::Vec2;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

const YOURS: &str = "your own";

/// Columns of the list if the window is wide enough, and of a name with a blank on each side.
const WIDTH: u16 = 76;
const NAME: usize = 14;

/// Rows besides those of the list: the border, the typed text, and the keys.
const OTHER_ROWS: u16 = 4;

const FAR: usize = 8;

/// Upper limit on the typed text: a longer one matches nothing.
const MAX_TYPED: usize = 40;

#[derive(Clone, Debug, Default)]
pub struct Picker {
    pub open: bool,
    typed: String,
    /// Index among the entries that match.
    selected: usize,
}

struct SceneRow<'a> {
    scene: &'a Scene,
    /// Index among the scenes of the toy.
    index: usize,
    group: &'static str,
    digit: Option<char>,
}

enum ListLine<'a> {
    Heading(&'static str),
    /// An entry, and its number among those that match.
    Entry(usize, SceneRow<'a>),
}

impl Picker {
    fn type_in(&mut self, typed: char, options: &Options) -> Option<usize> {
        if self.typed.is_empty() && typed.is_ascii_digit() {
            return favorite(options, typed);
        }
        if !typed.is_control() && self.typed.chars().count() < MAX_TYPED {
            self.typed.push(typed);
            self.select_best(options);
        }
        None
    }

    /// Moves the selection; far to the left and right are the ends of the list.
    fn step(&mut self, options: &Options, side: Direction, far: bool) {
        let count = self.entries(options).len();
        let step = if far { FAR } else { 1 };
        match (side, count) {
            (_, 0) => {}
            (Direction::Up, _) if far => self.selected = self.selected.saturating_sub(step),
            (Direction::Down, _) if far => self.selected = (self.selected + step).min(count - 1),
            (Direction::Up, _) => self.selected = (self.selected + count - 1) % count,
            (Direction::Down, _) => self.selected = (self.selected + 1) % count,
            (Direction::Left, _) if far => self.selected = 0,
            (Direction::Right, _) if far => self.selected = count - 1,
            (Direction::Left | Direction::Right, _) => {}
        }
    }

    fn look_at(&self, options: &Options, window: Rect, at: Vec2) -> (bool, Option<usize>) {
        let lines = self.lines(options);
        let (area, first) = self.layout(&lines, window);
        let (x, y) = (at.x.max(0.0) as u16, at.y.max(0.0) as u16);
        // Rows are below the border and what is typed, and above the keys.
        let row = y.checked_sub(area.y + 2).filter(|_| y + 2 < area.bottom());
        let scene = match row.and_then(|row| lines.get(first + usize::from(row))) {
            Some(ListLine::Entry(_, entry)) => Some(entry.index),
            _ => None,
        };
        let inside = area.contains((x, y).into());
        (inside, scene.filter(|_| inside))
    }

    /// Selects a name that begins with the typed text, if there is one: it is most likely the intended one.
    fn select_best(&mut self, options: &Options) {
        let typed = self.typed.to_lowercase();
        let begins = |entry: &SceneRow| entry.scene.name.to_lowercase().starts_with(&typed);
        let holds = |entry: &SceneRow| entry.scene.name.to_lowercase().contains(&typed);
        let entries = self.entries(options);
        let best = entries.iter().position(begins).or_else(|| entries.iter().position(holds));
        self.selected = best.unwrap_or(0);
    }

    /// The scenes of which every typed word is in the name, the group or the description.
    fn entries<'a>(&self, options: &'a Options) -> Vec<SceneRow<'a>> {
        let typed = self.typed.to_lowercase();
        let matches = |entry: &SceneRow| {
            let text = format!("{} {} {}", entry.scene.name, entry.group, entry.scene.about).to_lowercase();
            typed.split_whitespace().all(|word| text.contains(word))
        };
        let all = options.scenes.iter().enumerate().map(|(index, scene)| entry(index, scene, options));
        let mut entries: Vec<SceneRow> = all.filter(matches).collect();
        // The user's own scenes are in none of these groups, and so come first.
        entries.sort_by_key(|entry| scene::GROUPS.iter().position(|group| group.name == entry.group));
        entries
    }

    fn lines<'a>(&self, options: &'a Options) -> Vec<ListLine<'a>> {
        let (mut lines, mut group) = (Vec::new(), "");
        for (number, entry) in self.entries(options).into_iter().enumerate() {
            if entry.group != group {
                group = entry.group;
                lines.push(ListLine::Heading(group));
            }
            lines.push(ListLine::Entry(number, entry));
        }
        lines
    }

    /// The area of the box, and the first line that is shown: the selected line is visible, with its heading if that is directly
    /// above.
    fn layout(&self, lines: &[ListLine], window: Rect) -> (Rect, usize) {
        let (width, height) =
            (WIDTH.min(window.width), (lines.len().max(1) as u16).saturating_add(OTHER_ROWS).min(window.height));
        let shown = usize::from(height.saturating_sub(OTHER_ROWS)).max(1);
        let is_selected = |line: &ListLine| matches!(line, ListLine::Entry(number, _) if *number == self.selected);
        let selected = lines.iter().position(is_selected).unwrap_or(0);
        // In the middle, as far as the ends of the list allow.
        let first = selected.saturating_sub(shown / 2).min(lines.len().saturating_sub(shown));
        let area =
            Rect::new(window.x + (window.width - width) / 2, window.y + (window.height - height) / 2, width, height);
        (area, first)
    }
}

impl Layer for Picker {
    fn is_open(&self, _: &Input) -> bool {
        self.open
    }

    fn set_open(&mut self, open: bool, context: &mut LayerContext) {
        let is_demo = context.tank.demo.is_some();
        if is_demo {
            context.message = Some("there are no scenes here");
        }
        *self = Self { open: open && !is_demo, ..Self::default() };
        let is_current = |entry: &SceneRow| entry.index == context.tank.scene_index;
        self.selected = self.entries(context.options).iter().position(is_current).unwrap_or(0);
    }

    fn take(&mut self, action: Action, context: &mut LayerContext) -> bool {
        let options = context.options;
        match action {
            Action::Type(typed) => context.scene = self.type_in(typed, options),
            Action::Erase => {
                self.typed.pop();
                self.select_best(options);
            }
            Action::Choose => context.scene = self.entries(options).get(self.selected).map(|entry| entry.index),
            Action::Tilt(direction) | Action::HoldDirection(direction) => self.step(options, direction, false),
            Action::Shake(direction) => self.step(options, direction, true),
            Action::Brush(up) => self.step(options, if up { Direction::Up } else { Direction::Down }, false),
            Action::PressTool(at) | Action::Press(_, at) => {
                (self.open, context.scene) = self.look_at(options, context.window, at.into());
            }
            _ => return false,
        }
        if context.scene.is_some() {
            *self = Self::default();
        }
        true
    }

    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        if !self.open {
            return;
        }
        let (options, theme) = (view.options, &view.theme);
        let list = self.lines(options);
        let (area, first) = self.layout(&list, buf.area);
        let room = usize::from(area.width.saturating_sub(2));
        let cursor = if theme.unicode { '▏' } else { '_' };
        let mut lines = vec![Line::styled(format!(" / {}{cursor}", self.typed), theme.strong)];
        if list.is_empty() {
            lines.push(Line::styled("   no scene matches", theme.faint));
        }
        let shown = usize::from(area.height.saturating_sub(OTHER_ROWS)).max(1);
        lines.extend(list.iter().skip(first).take(shown).map(|line| match line {
            ListLine::Heading(group) => Line::styled(format!(" {group}"), theme.faint),
            ListLine::Entry(number, entry) => {
                let text = entry_text(entry, room, theme.unicode);
                let selected = *number == self.selected;
                Line::styled(text, if selected { theme.text.add_modifier(Modifier::REVERSED) } else { theme.text })
            }
        }));
        let inner = usize::from(area.height.saturating_sub(2));
        lines.resize(inner.saturating_sub(1).max(1), Line::default());
        let keys = [" enter go  esc leave  1-9 favourites", " enter go  esc leave", " enter, esc"];
        let keys = keys.into_iter().find(|keys| keys.len() <= room).unwrap_or_default();
        lines.push(Line::from(Span::styled(keys, theme.faint)));
        theme.boxed("scenes", lines, area, buf);
    }
}

fn entry<'a>(index: usize, scene: &'a Scene, options: &Options) -> SceneRow<'a> {
    let digit = ('1'..='9').find(|&digit| favorite(options, digit) == Some(index));
    SceneRow { scene, index, group: scene::group_of(&scene.name).unwrap_or(YOURS), digit }
}

fn favorite(options: &Options, digit: char) -> Option<usize> {
    let number = digit.to_digit(10)?.checked_sub(1)?;
    let name = options.controls.favorites.get(number as usize)?;
    options.scenes.iter().position(|scene| scene.name == *name)
}

fn entry_text(entry: &SceneRow, room: usize, unicode: bool) -> String {
    let digit = entry.digit.unwrap_or(' ');
    let mut text = format!(" {digit} {:<NAME$} {}", entry.scene.name, entry.scene.about);
    if Line::raw(&*text).width() > room {
        let end = if unicode { "…" } else { "..." };
        while !text.is_empty() && Line::raw(&*text).width() + end.chars().count() > room {
            text.pop();
        }
        text = text.trim_end().to_owned() + end;
    }
    let width = Line::raw(&*text).width();
    text + &" ".repeat(room.saturating_sub(width))
}
