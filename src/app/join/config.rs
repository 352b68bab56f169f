use crate::app::options::{ControlOptions, LookOptions};
use crate::term::TermOptions;

#[derive(Debug)]
pub struct JoinConfig {
    pub tank: String,
    pub name: String,
    pub look: LookOptions,
    pub controls: ControlOptions,
    pub terminal: TermOptions,
    /// For strangers: no program is run, no file is written, and the session cannot be suspended.
    pub restricted: bool,
    /// The command with which others join, for the host's own session.
    pub invitation: Option<String>,
}
