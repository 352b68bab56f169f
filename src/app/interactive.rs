//! A run in this terminal, of the app or of a recording.

use crate::app::demo::DemoSpec;
use crate::app::error::Error;
use crate::app::recorder::session::Recorder;
use crate::app::recorder::{Header, WriteOptions};
use crate::app::replay::{Replay, playback};
use crate::app::{ControlOptions, Options, run};
use crate::term;
use crate::term::{Caps, Env, TermOptions};
use crate::view::ColorDepth;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The configuration of a run in a terminal.
pub struct LaunchConfig {
    pub options: Options,
    pub terminal: TerminalSettings,
    pub recording: RecordingOptions,
}

/// The use of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TerminalSettings {
    /// `None` for the terminal's own.
    pub color: Option<ColorDepth>,
    /// Upper limit on bytes per second; `None` follows the rate of the link.
    pub bandwidth: Option<u32>,
    /// Send no queries and switch on no modes.
    pub output_only: bool,
}

/// The recording from the start, and the format of recordings.
pub struct RecordingOptions {
    pub path: Option<PathBuf>,
    pub write: WriteOptions,
    /// The settings in force as a settings file, and the current demo, for a `.slosh`.
    pub settings: String,
    pub demo: Option<DemoSpec>,
}

/// Runs until it is ended. Does not return if a signal ended it.
///
/// # Errors If there is no terminal, or the recording cannot be written.
pub fn play(config: LaunchConfig) -> Result<(), Error> {
    let RecordingOptions { path, write, settings, demo } = config.recording;
    let mut recorder = Recorder::new(path, write)?;
    let terminal = open_options(&config.terminal, &config.options.controls)?;
    if recorder.is_log() {
        recorder.set_header(Header::new(&config.options, settings, demo));
    }
    end(run::run(config.options, &terminal, recorder)?)
}

/// Plays a `.slosh` recording. Does not return if a signal ended it.
///
/// # Errors If there is no terminal, or the recording is invalid.
pub fn replay(replay: Replay, terminal: &TerminalSettings, controls: &ControlOptions) -> Result<(), Error> {
    end(playback::run(replay, &open_options(terminal, controls)?, &controls.keymap)?)
}

/// Returns the options for opening this terminal, if there is one.
///
/// # Errors
/// If standard output is not a terminal.
pub fn open_options(options: &TerminalSettings, controls: &ControlOptions) -> Result<TermOptions, Error> {
    if !io::stdout().is_terminal() {
        let message = "standard output is not a terminal; `slosh render` draws frames without one";
        return Err(Error::Input(message.to_owned()));
    }
    let env = Env::read();
    let caps = Caps::from_env(&if options.output_only { env.for_output_only() } else { env }, options.color);
    Ok(TermOptions { caps, mouse: controls.mouse, bandwidth: options.bandwidth })
}

/// Ends the program by the signal that ended a run, if one did.
///
/// # Errors
/// None.
pub fn end(signal: Option<i32>) -> Result<(), Error> {
    signal.map_or(Ok(()), |signal| term::end_by(signal))
}
