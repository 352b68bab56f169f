//! The options of a guest's session.

use crate::app::options::{ControlOptions, LookOptions};
use crate::term::TermOptions;

/// The options of a guest's session.
#[derive(Debug)]
pub struct JoinConfig {
    /// The name of the tank, for messages.
    pub tank: String,
    /// The name of the guest.
    pub name: String,
    pub look: LookOptions,
    pub controls: ControlOptions,
    pub terminal: TermOptions,
    /// For strangers: no program is run, no file is written, and the session cannot be suspended.
    pub restricted: bool,
    /// The command with which others join, for the host's own session.
    pub invitation: Option<String>,
}
