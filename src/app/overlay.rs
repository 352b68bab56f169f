//! What is drawn over the picture: help, stats, the level, the hand, and short messages.
//!
//! Everything is cut to the window, however small, and brings its own ground, so it can be read over any fluid.

use super::action::{Grip, Side};
use super::fineness::Fineness;
use super::help::Line as HelpLine;
use super::meters::Meters;
use super::panel::Panel;
use crate::sim;
use crate::sim::watch::Pass;
use crate::view::color::mix;
use crate::view::{ColorDepth, Rgb, Stage};
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use ratatui_core::widgets::Widget;
use ratatui_widgets::block::Block;
use ratatui_widgets::borders::BorderType;
use ratatui_widgets::clear::Clear;
use ratatui_widgets::paragraph::Paragraph;
use std::time::Duration;

/// How long a message stays, and the level and the ring of the brush once nothing moves them any more.
const TOAST: Duration = Duration::from_millis(2000);
const LINGER: Duration = Duration::from_millis(1500);

/// Cells of the level's tube, odd so that it has a middle.
const TUBE: u16 = 9;

/// With what is written over the picture.
#[derive(Clone, Copy, Debug)]
pub struct Pens {
    pub text: Style,
    pub strong: Style,
    pub faint: Style,
}

impl Pens {
    /// Text and its ground in these colours, as far as `depth` has them; without them, white on black.
    pub fn new(colors: Option<[Rgb; 2]>, depth: ColorDepth) -> Self {
        let near = |rgb: Rgb| depth.nearest(Color::Rgb(rgb.0, rgb.1, rgb.2));
        let [text, ground, faint] = match colors {
            None => [Color::White, Color::Black, Color::DarkGray],
            Some([text, ground]) => {
                [near(text), near(ground), near(Rgb::from_linear(mix(ground.linear(), text.linear(), 0.65)))]
            }
        };
        let pen = |color| Style::new().fg(color).bg(ground);
        Self { text: pen(text), strong: pen(text).add_modifier(Modifier::BOLD), faint: pen(faint) }
    }
}

/// What is open, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    pub help: bool,
    pub stats: bool,
    /// Nothing is shown for now.
    pub quiet: bool,
    pub meters: Meters,
    /// Lines by which the help is scrolled, where it does not fit.
    scroll: u16,
    toast: String,
    toast_left: Duration,
    level_left: Duration,
    ring_left: Duration,
}

/// What the overlay shows of the app, besides its own.
pub struct Scene<'a> {
    pub unicode: bool,
    pub pens: Pens,
    pub help: &'a [Vec<HelpLine>; 2],
    pub particles: usize,
    /// How many of them do not sleep.
    pub awake: usize,
    /// What else there is to say of what is in the tank, by name.
    pub facts: Vec<(&'static str, String)>,
    /// What decides how many, if they are not a given number.
    pub fineness: Option<&'a Fineness>,
    pub speed: f32,
    pub paused: bool,
    /// Angle of gravity from straight down, radians.
    pub tilt: f32,
    /// Gravity is to stay turned.
    pub tilted: bool,
    /// Where the hand is on the screen, its brush's radius in cells, and what it does.
    pub hand: Option<(Vec2, Option<Grip>)>,
    /// The panel, the scene that it is about, and what its keys are, while it is open.
    pub panel: Option<(&'a Panel, &'a sim::scene::Scene, &'a str)>,
    pub pointer: Vec2,
    pub brush: Vec2,
}

impl Overlay {
    /// Says something for a moment.
    pub fn say(&mut self, message: impl Into<String>) {
        self.toast = message.into();
        self.toast_left = TOAST;
    }

    /// The message that is shown.
    pub fn message(&self) -> Option<&str> {
        (!self.toast_left.is_zero()).then_some(&*self.toast)
    }

    /// Gravity turns, or has just been turned.
    pub fn show_level(&mut self) {
        self.level_left = LINGER;
    }

    pub fn show_ring(&mut self) {
        self.ring_left = LINGER;
    }

    pub fn toggle_help(&mut self) {
        self.help = !self.help;
        self.scroll = 0;
    }

    pub fn scroll(&mut self, side: Side) {
        match side {
            Side::Up => self.scroll = self.scroll.saturating_sub(1),
            Side::Down => self.scroll = self.scroll.saturating_add(1),
            Side::Left | Side::Right => {}
        }
    }

    /// Whether something will go away by itself.
    pub fn is_fading(&self) -> bool {
        !(self.toast_left + self.level_left + self.ring_left).is_zero()
    }

    /// Time passes; says whether something has gone.
    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let mut gone = false;
        for left in [&mut self.toast_left, &mut self.level_left, &mut self.ring_left] {
            let before = *left;
            *left = left.saturating_sub(elapsed);
            gone |= left.is_zero() && !before.is_zero();
        }
        gone
    }

    /// Draws it all.
    pub fn draw(&mut self, scene: &Scene, buf: &mut Buffer) {
        if self.quiet {
            return;
        }
        if !self.ring_left.is_zero() || scene.hand.is_some() {
            ring(scene, buf);
        }
        if let Some((at, grip)) = scene.hand {
            hand(at, grip, &scene.pens, buf);
        }
        if scene.tilted || !self.level_left.is_zero() {
            level(scene, buf);
        }
        if self.stats {
            stats(&self.meters, scene, buf);
        }
        if let Some((panel, about, hint)) = scene.panel {
            panel.draw(about, hint, scene.unicode, &scene.pens, buf);
        }
        if let Some(message) = self.message() {
            note(message, &scene.pens, buf);
        } else if scene.paused {
            note("paused", &scene.pens, buf);
        }
        if self.help {
            self.scroll = help(scene, self.scroll, buf);
        }
    }
}

/// The brush: a circle of dots around the pointer, over whatever colours are there.
fn ring(scene: &Scene, buf: &mut Buffer) {
    let dot = if scene.unicode { '·' } else { '.' };
    let around = (scene.brush.max_element() * 10.0).clamp(16.0, 512.0) as u32;
    for nth in 0..around {
        let angle = std::f32::consts::TAU * nth as f32 / around as f32;
        if let Some(cell) = cell_at(scene.pointer + scene.brush * Vec2::from_angle(angle), buf) {
            let ground = if cell.symbol() == "█" { cell.fg } else { cell.bg };
            cell.set_char(dot).set_style(Style::new().fg(Color::White).bg(ground));
        }
    }
}

fn hand(at: Vec2, grip: Option<Grip>, pens: &Pens, buf: &mut Buffer) {
    let sign = match grip {
        None => '+',
        Some(Grip::Push) => '@',
        Some(Grip::Pull) => 'o',
        Some(Grip::Wall) => '#',
    };
    if let Some(cell) = cell_at(at, buf) {
        cell.set_char(sign).set_style(pens.strong.add_modifier(Modifier::REVERSED));
    }
}

fn cell_at(at: Vec2, buf: &mut Buffer) -> Option<&mut ratatui_core::buffer::Cell> {
    let inside = at.cmpge(Vec2::ZERO).all() && at.max_element() < f32::from(u16::MAX);
    inside.then(|| buf.cell_mut((at.x as u16, at.y as u16))).flatten()
}

/// A marble in a tube runs to the lower side, and an arrow points where gravity does.
fn level(scene: &Scene, buf: &mut Buffer) {
    let text = level_text(scene.tilt, scene.unicode);
    let width = text.chars().count() as u16;
    let area = Rect::new(buf.area.right().saturating_sub(width + 1), buf.area.y, width, 1);
    line(&text, scene.pens.text, area, buf);
}

fn level_text(tilt: f32, unicode: bool) -> String {
    let (marble, rail, arrows) = if unicode {
        ('●', '─', ['↓', '↘', '→', '↗', '↑', '↖', '←', '↙'])
    } else {
        ('o', '-', ['v', '\\', '>', '/', '^', '\\', '<', '/'])
    };
    let octant = (tilt / std::f32::consts::FRAC_PI_4).round().rem_euclid(8.0) as usize % 8;
    let middle = f32::from(TUBE / 2);
    let place = (middle + middle * tilt.sin()).round() as u16;
    let tube: String = (0..TUBE).map(|cell| if cell == place { marble } else { rail }).collect();
    let degrees = (tilt.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
    format!("({tube}) {} {:3.0}{}", arrows[octant], degrees.abs(), if unicode { "°" } else { "" })
}

/// A message at the foot of the window.
fn note(message: &str, pens: &Pens, buf: &mut Buffer) {
    let text = format!(" {message} ");
    let width = Line::raw(&text).width().min(usize::from(buf.area.width)) as u16;
    let area = Rect::new(buf.area.x + (buf.area.width - width) / 2, buf.area.bottom().saturating_sub(1), width, 1);
    line(&text, pens.strong, area, buf);
}

fn line(text: &str, style: Style, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    Clear.render(area, buf);
    Line::styled(text, style).render(area, buf);
    buf.set_style(area, style);
}

/// A box with lines in it, as much of it as fits at `at`; returns nothing where there is no room for a line.
pub fn boxed(title: &str, lines: Vec<Line>, area: Rect, (unicode, pens): (bool, &Pens), buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    let block = Block::bordered().title(Line::styled(format!(" {title} "), pens.strong)).style(pens.text);
    let block = if unicode { block.border_type(BorderType::Rounded) } else { block.border_set(ASCII) };
    // In a window of three rows a border would leave nothing to read.
    let block = if area.height < 4 || area.width < 12 { Block::new().style(pens.text) } else { block };
    Clear.render(area, buf);
    Paragraph::new(lines).style(pens.text).block(block).render(area, buf);
}

const ASCII: ratatui_core::symbols::border::Set = ratatui_core::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

fn stats(meters: &Meters, scene: &Scene, buf: &mut Buffer) {
    let row = |name: &str, value: String| Line::raw(format!("{name:<12}{value:>9}"));
    let bytes = |bytes: f32| if bytes < 9999.5 { format!("{bytes:.0}") } else { format!("{:.0}k", bytes / 1e3) };
    let mut lines = vec![
        row("particles", scene.particles.to_string()),
        row("  awake", scene.awake.to_string()),
        row("speed", format!("{}x", scene.speed)),
        row("steps/s", format!("{:.0}", meters.steps)),
        row("frames/s", format!("{:.0}", meters.frames)),
        row("bytes/frame", bytes(meters.bytes / meters.frames.max(1.0))),
        row("bytes/s", bytes(meters.bytes)),
        row("ms a step", format!("{:.2}", meters.passes.iter().sum::<f32>())),
    ];
    lines.extend(scene.facts.iter().map(|(name, value)| row(name, value.clone())));
    if let Some(fineness) = scene.fineness {
        let mut notes = vec![row("  of a frame", format!("{:.0} %", 100.0 * fineness.load()))];
        notes.extend(fineness.coarsened().map(|from| row("  coarser", format!("than {from}"))));
        lines.splice(2..2, notes);
    }
    let cost = |(name, ms): (&str, &f32)| Line::styled(format!("  {name:<12}{ms:>7.2}"), scene.pens.text);
    // Passes that no matter in the tank makes take no time at all.
    let passes = Pass::ALL.map(Pass::name).into_iter().zip(&meters.passes);
    lines.extend(passes.filter(|(_, ms)| **ms > 0.0).map(cost));
    lines.push(row("ms a frame", format!("{:.2}", meters.stages.iter().sum::<f32>() + meters.send)));
    lines.extend(Stage::ALL.map(Stage::name).into_iter().zip(&meters.stages).map(cost));
    lines.push(cost(("send", &meters.send)));
    let area = Rect::new(buf.area.x, buf.area.y, 23, lines.len() as u16 + 2);
    boxed("stats", lines, area, (scene.unicode, &scene.pens), buf);
}

/// Cells for keys and for what they do, and between columns.
const KEYS: usize = 18;
const ABOUT: usize = 20;
const COLUMN: u16 = (KEYS + ABOUT) as u16;

/// Draws the help, in two columns where there is room, and scrolled where there is not. Returns how far it really is
/// scrolled.
fn help(scene: &Scene, scroll: u16, buf: &mut Buffer) -> u16 {
    let [left, right] = scene.help;
    let wide = buf.area.width >= 2 * COLUMN + 3;
    let lines: Vec<Line> = if wide {
        let pair = |nth: usize| {
            let mut spans = spans(left.get(nth), &scene.pens);
            spans.push(Span::raw(" "));
            spans.extend(self::spans(right.get(nth), &scene.pens));
            Line::from(spans)
        };
        (0..left.len().max(right.len())).map(pair).collect()
    } else {
        left.iter()
            .chain([&HelpLine::Blank])
            .chain(right)
            .map(|line| Line::from(spans(Some(line), &scene.pens)))
            .collect()
    };
    let (width, height) = (if wide { 2 * COLUMN + 3 } else { COLUMN + 2 }, lines.len() as u16 + 2);
    let (width, height) = (width.min(buf.area.width), height.min(buf.area.height));
    let scroll = scroll.min((lines.len() as u16 + 2).saturating_sub(height));
    let corner = (buf.area.x + (buf.area.width - width) / 2, buf.area.y + (buf.area.height - height) / 2);
    let shown = lines.into_iter().skip(usize::from(scroll)).collect();
    boxed("slosh", shown, Rect::new(corner.0, corner.1, width, height), (scene.unicode, &scene.pens), buf);
    scroll
}

fn spans(line: Option<&HelpLine>, pens: &Pens) -> Vec<Span<'static>> {
    match line {
        None | Some(HelpLine::Blank) => vec![Span::raw(" ".repeat(KEYS + ABOUT))],
        Some(HelpLine::Heading(text)) => vec![Span::styled(format!("{text:<0$}", KEYS + ABOUT), pens.faint)],
        Some(HelpLine::Entry { keys, about }) => {
            vec![
                Span::styled(format!("{keys:<KEYS$}"), pens.strong),
                Span::styled(format!("{about:<ABOUT$}"), pens.text),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_points_where_gravity_does() {
        for (degrees, unicode, expected) in [
            (0, true, "(────●────) ↓   0°"),
            (15, true, "(─────●───) ↓  15°"),
            (-90, true, "(●────────) ←  90°"),
            (45, true, "(───────●─) ↘  45°"),
            (180, true, "(────●────) ↑ 180°"),
            (-405, true, "(─●───────) ↙  45°"),
            (-45, false, "(-o-------) /  45"),
        ] {
            assert_eq!(level_text((degrees as f32).to_radians(), unicode), expected);
        }
    }
}
