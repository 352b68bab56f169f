//! Acts: tanks in which liquid is cast in a shape and something happens to it, instead of a scene.
//!
//! ```text
//! Setup ──→ Act::set                 a tank for this window, the shape filled
//! Action ─→ Act::tell, melt, gather  what was asked for
//!           Act::direct              before every step: who is let go, who is called home
//!           Act::overprint           what lies over the picture: the page that was melted
//! ```
//!
//! Like the autopilot an act knows no clock but the steps, and the toy and `render` play it alike.

pub mod clock;
pub mod glyph_outlines;
pub mod screen_capture;
pub mod text;
pub mod wall_clock;

use crate::app::action::Window;
use crate::scene::Scene;
use crate::sim::definition::WorldDef;
use crate::sim::{Setup, World};
use crate::view::Camera;
use clock::{Clock, Face};
use ratatui_core::buffer::Buffer;
use screen_capture::{Ink, Page};
use serde::{Deserialize, Serialize};
use text::Words;

/// What an act is about: all that it takes to play it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Plot {
    /// The time, from so many seconds past midnight on.
    Clock { face: Face, now: u32 },
    /// Words.
    Text(String),
    /// What such a window shows of a text in colours.
    Page { text: String, window: Window },
}

impl Plot {
    /// The act.
    ///
    /// # Errors
    /// If there is nothing to write or to melt, or nothing that can be.
    pub fn act(&self) -> Result<Act, String> {
        Ok(match self {
            Plot::Clock { face, now } => Act::Clock(Clock::new(*face, *now)),
            Plot::Text(text) => Act::Words(Words::of_text(text)?),
            Plot::Page { text, window } => Act::Words(Words::of_page(Page::read(text, *window)?)),
        })
    }

    /// When it begins, in seconds past midnight, if that matters.
    pub fn begins(&self) -> Option<u32> {
        if let Plot::Clock { now, .. } = self { Some(*now) } else { None }
    }
}

#[derive(Clone, Debug)]
pub enum Act {
    Clock(Clock),
    Words(Words),
}

impl Act {
    /// The tank as scenes describe it, without what is cast in it.
    pub fn scene(&self) -> Scene {
        match self {
            Act::Clock(_) => Clock::scene(),
            Act::Words(words) => words.scene(),
        }
    }

    /// Sets the tank up as `setup` says, from `scene`, with everything in its place.
    pub fn set(&mut self, definition: &WorldDef, setup: &Setup) -> World {
        match self {
            Act::Clock(clock) => clock.set(definition, setup),
            Act::Words(words) => words.set(definition, setup),
        }
    }

    /// Whether it is laid out anew for every shape of the window.
    pub fn follows_window(&self) -> bool {
        match self {
            Act::Clock(_) => true,
            Act::Words(words) => !words.is_page(),
        }
    }

    /// Before a step.
    pub fn direct(&mut self, world: &mut World) {
        match self {
            Act::Clock(clock) => clock.direct(world),
            Act::Words(words) => words.direct(world),
        }
    }

    /// It is so many seconds past midnight.
    pub fn tell(&mut self, seconds: u32) {
        if let Act::Clock(clock) = self {
            clock.tell(seconds);
        }
    }

    /// Lets the shape go, or calls everything back into it. Says which, if it is the one or the other.
    pub fn toggle(&mut self, world: &mut World) -> Option<&'static str> {
        match self {
            Act::Clock(_) => None,
            Act::Words(words) => Some(words.toggle(world)),
        }
    }

    /// Calls everything back, to end with. Says whether that takes a while.
    pub fn leave(&mut self, world: &mut World) -> bool {
        match self {
            Act::Clock(_) => false,
            Act::Words(words) => words.leave(world),
        }
    }

    /// Whether it has been left, and something is still on its way back.
    pub fn is_leaving(&self) -> bool {
        match self {
            Act::Clock(_) => false,
            Act::Words(words) => words.is_leaving(),
        }
    }

    /// Whether it has been left and everything is back, or has had its time.
    pub fn has_left(&self, world: &World) -> bool {
        match self {
            Act::Clock(_) => false,
            Act::Words(words) => words.has_left(world),
        }
    }

    /// Whether something is going to happen though the tank is at rest.
    pub fn is_waiting(&self) -> bool {
        match self {
            Act::Clock(clock) => clock.is_changing(),
            Act::Words(words) => words.is_waiting(),
        }
    }

    /// Draws what lies over the picture.
    pub fn overprint(&mut self, world: &World, camera: &Camera, ink: &Ink, buf: &mut Buffer) {
        if let Act::Words(words) = self
            && let Some(page) = words.page_mut()
        {
            page.overprint(world, camera, ink, buf);
        }
    }
}
