//! What is drawn over the picture: help, stats, the level, the hand, and short messages.
//!
//! Everything is cut to the window, however small, and brings its own ground, so it can be read over any fluid.

pub mod frame_metrics;
pub mod help;
mod hud;
mod keys;
mod stats;

use crate::app::action::{Grip, Side};
use crate::app::auto_particles::Fineness;
use crate::app::options::OverlayColors;
use crate::app::panel::Panel;
use crate::cell::color::mix;
use crate::term::sanitize;
use crate::view::{ColorDepth, Rgb};
use frame_metrics::Meters;
use glam::Vec2;
use help::Line as HelpLine;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;
use ratatui_widgets::block::Block;
use ratatui_widgets::borders::BorderType;
use ratatui_widgets::clear::Clear;
use ratatui_widgets::paragraph::Paragraph;
use std::time::Duration;
use textwrap::WordSplitter;

/// How long the shortest message stays, and how much longer for every character there is to read, or to copy.
const TOAST: Duration = Duration::from_millis(2000);
const READING: Duration = Duration::from_millis(20);
const COPYING: Duration = Duration::from_millis(200);
/// How long the level and the ring of the brush stay once nothing moves them any more.
const LINGER: Duration = Duration::from_millis(1500);

/// With what is written over the picture.
#[derive(Clone, Copy, Debug)]
pub struct Pens {
    pub text: Style,
    pub strong: Style,
    pub faint: Style,
}

impl Pens {
    /// Text and its ground in these colours, as far as `depth` has them; without them, white on black.
    pub fn new(colors: Option<OverlayColors>, depth: ColorDepth) -> Self {
        let near = |rgb: Rgb| depth.nearest(Color::Rgb(rgb.0, rgb.1, rgb.2));
        let [text, ground, faint] = match colors {
            None => [Color::White, Color::Black, Color::DarkGray],
            Some(OverlayColors { text, background: ground }) => {
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
    pub panel: Option<(&'a Panel, &'a crate::sim::definition::WorldDef, &'a str)>,
    pub pointer: Vec2,
    pub brush: Vec2,
}

impl Overlay {
    /// Says something for as long as it takes to read; or, where it is a code and no sentence, to copy.
    pub fn say(&mut self, message: impl Into<String>) {
        self.toast = sanitize::message(&message.into());
        let pace = if self.toast.contains(' ') { READING } else { COPYING };
        self.toast_left = TOAST + pace * self.toast.chars().count().min(100) as u32;
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
            hud::ring(scene, buf);
        }
        if let Some((at, grip)) = scene.hand {
            hud::hand(at, grip, &scene.pens, buf);
        }
        if scene.tilted || !self.level_left.is_zero() {
            hud::level(scene, buf);
        }
        if self.stats {
            stats::stats(&self.meters, scene, buf);
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
            self.scroll = keys::help(scene, self.scroll, buf);
        }
    }
}

/// A message at the foot of the window, in as many lines as it needs: of a share code or a path no end may be missing.
fn note(message: &str, pens: &Pens, buf: &mut Buffer) {
    let window = buf.area;
    // A hyphen in a code or a path is a letter like any other.
    let room = usize::from(window.width.saturating_sub(2)).max(1);
    let lines = textwrap::wrap(message, textwrap::Options::new(room).word_splitter(WordSplitter::NoHyphenation));
    let width = lines.iter().map(|line| Line::raw(&**line).width() + 2).max().unwrap_or(0) as u16;
    let x = window.x + window.width.saturating_sub(width) / 2;
    let first = window.bottom().saturating_sub(lines.len() as u16).max(window.y);
    for (y, text) in (first..).zip(&lines) {
        line(&format!(" {text}"), pens.strong, Rect::new(x, y, width, 1), buf);
    }
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
