//! The overlays over the picture: help, stats, the pointer, the panel, the status row, and the hint.
//!
//! A new overlay is a file here with an implementation of [`Layer`] that holds its state, and a line in the list below;
//! a short text is an entry of `status::ITEMS` instead. Every layer is cut to the window, however small, and is legible
//! over any fluid.

pub mod help;
pub mod hint;
mod hud;
pub mod panel;
pub mod picker;
mod ring;
mod stats;
pub mod status;
mod theme;
mod timer;
mod view;

use ratatui::buffer::Buffer;
use std::time::Duration;
pub use theme::OverlayTheme;
pub use view::OverlayView;

/// Duration for which the level, the speed, the tools and the brush outline stay after the last change.
const LINGER: Duration = Duration::from_millis(1500);

/// One layer of the overlay.
pub trait Layer {
    /// Draws the layer, unless it is closed.
    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer);

    /// Whether a part of it will disappear by itself.
    fn is_fading(&self) -> bool {
        false
    }

    /// Advances its timers; returns whether something has disappeared.
    fn advance(&mut self, _elapsed: Duration) -> bool {
        false
    }
}

macro_rules! layers {
    ($($name:ident: $layer:ty,)*) => {
        /// All layers, in drawing order.
        #[derive(Clone, Debug, Default)]
        pub struct Overlay {
            /// Nothing is drawn for now.
            pub quiet: bool,
            $(pub $name: $layer,)*
        }

        impl Overlay {
            /// Draws all layers.
            pub fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
                if !self.quiet {
                    $(self.$name.draw(view, buf);)*
                }
            }

            /// Whether something will disappear by itself.
            pub fn is_fading(&self) -> bool {
                $(self.$name.is_fading())||*
            }

            /// Advances the timers; returns whether something has disappeared.
            pub fn advance(&mut self, elapsed: Duration) -> bool {
                // All of them, also after one that has.
                $(self.$name.advance(elapsed))|*
            }
        }
    };
}

layers! {
    ring: ring::Ring,
    pointer: hud::KeyPointer,
    stats: stats::StatsBox,
    panel: panel::Panel,
    hint: hint::Hint,
    status: status::StatusRow,
    picker: picker::Picker,
    help: help::Help,
}

impl Overlay {
    /// Ends everything that would disappear by itself.
    pub fn clear(&mut self) {
        self.advance(Duration::MAX);
    }

    /// Shows the tool and the brush after a change.
    pub fn show_brush(&mut self) {
        self.ring.show();
        self.status.show_tools();
    }
}
