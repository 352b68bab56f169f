//! The layers over the picture: help, picker, panel, statistics, the pointer, and the status row. A layer is a file
//! here with an implementation of [`Layer`], and a line in the list below; a short text is an entry of `status::ITEMS`. Actions
//! go to the open layers, topmost first, and what none of them takes goes to the tank.

pub mod help;
pub mod key_pointer;
pub mod panel;
pub mod picker;
mod ring;
mod statistics;
pub mod status;
mod theme;

use crate::app::action::Action;
use crate::app::input::state::Input;
use crate::app::options::Options;
use crate::app::tank::Tank;
use crate::view::{Camera, RenderStyle};
use glam::Vec2;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Duration;
pub use theme::OverlayTheme;

/// Duration for which the level, the speed, the tools and the brush outline stay after a change.
pub const LINGER: Duration = Duration::from_millis(1500);

pub struct LayerContext<'a> {
    pub options: &'a Options,
    pub tank: &'a mut Tank,
    pub input: &'a mut Input,
    pub window: Rect,
    pub camera: Camera,
    pub message: Option<&'static str>,
    pub scene: Option<usize>,
    /// The look to turn, and whether forward.
    pub look: Option<(panel::Look, bool)>,
}

/// The state of the app that the overlay shows, besides its own.
pub struct OverlayView<'a> {
    pub options: &'a Options,
    pub tank: &'a Tank,
    pub input: &'a Input,
    /// The simulation is stopped until the next input.
    pub resting: bool,
    pub key_release: bool,
    pub theme: OverlayTheme,
    pub look: &'a RenderStyle,
    /// The outline of the brush is shown.
    pub brush: bool,
    /// Columns to the left of an open panel, or all.
    pub free: u16,
    pub palette: &'a str,
    pub camera: Camera,
}

impl OverlayView<'_> {
    pub fn pointer(&self) -> Vec2 {
        self.camera.to_cell(self.input.pointer.target)
    }
}

/// The time for which an item is still shown that disappears by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timer(Duration);

impl Timer {
    pub fn start(&mut self, duration: Duration) {
        self.0 = duration;
    }

    pub fn extend(&mut self, duration: Duration) {
        self.0 = self.0.max(duration);
    }

    pub fn left(&self) -> Option<Duration> {
        self.is_running().then_some(self.0)
    }

    pub fn is_running(&self) -> bool {
        !self.0.is_zero()
    }

    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let was_running = self.is_running();
        self.0 = self.0.saturating_sub(elapsed);
        was_running && !self.is_running()
    }
}

pub trait Layer {
    fn is_open(&self, _: &Input) -> bool {
        false
    }

    fn set_open(&mut self, _open: bool, _: &mut LayerContext) {}

    /// Takes an Action while it is open. Returns whether the Action was its own.
    fn take(&mut self, _: Action, _: &mut LayerContext) -> bool {
        false
    }

    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer);
}

macro_rules! layers {
    ($($name:ident: $layer:ty $(, toggled by $action:ident)?;)*) => {
        /// All layers, the topmost last.
        #[derive(Clone, Debug, Default)]
        pub struct Overlay {
            $(pub $name: $layer,)*
        }

        const TOGGLES: [&[Action]; [$(stringify!($name)),*].len()] = [$(&[$(Action::$action)?]),*];

        impl Overlay {
            fn layers(&self) -> [&dyn Layer; TOGGLES.len()] {
                [$(&self.$name),*]
            }

            fn layers_mut(&mut self) -> [&mut dyn Layer; TOGGLES.len()] {
                [$(&mut self.$name),*]
            }
        }
    };
}

layers! {
    ring: ring::Ring;
    pointer: key_pointer::KeyPointer, toggled by TogglePointer;
    stats: statistics::StatsBox, toggled by Stats;
    panel: panel::Panel, toggled by Panel;
    status: status::StatusRow;
    picker: picker::Picker, toggled by PickScene;
    help: help::Help, toggled by Help;
}

impl Overlay {
    pub fn take(&mut self, action: Action, context: &mut LayerContext) -> bool {
        for (layer, toggles) in self.layers_mut().into_iter().zip(TOGGLES).rev() {
            let open = layer.is_open(context.input);
            let closes = open && action == Action::Back;
            if closes || toggles.contains(&action) {
                layer.set_open(!open, context);
                return true;
            }
            if open && layer.take(action, context) {
                return true;
            }
        }
        false
    }

    pub fn is_open(&self, input: &Input) -> bool {
        self.layers().into_iter().any(|layer| layer.is_open(input))
    }

    pub fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        self.layers_mut().into_iter().for_each(|layer| layer.draw(view, buf));
    }
}
