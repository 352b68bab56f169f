//! A run in this terminal: of the app, of a recording, or in the tank of a host.

use crate::app::error::Error;
use crate::app::join::connection::{HostConnection, Stream};
use crate::app::record::Header;
use crate::app::record::replay::Replay;
use crate::app::record::session::Recorder;
use crate::app::tank::remote::{JoinConfig, RemoteTank};
use crate::app::tank::replay::ReplayTank;
use crate::app::{App, ControlOptions, Options, session};
use crate::term::{self, Caps, Env, TermOptions};
use crate::view::ColorDepth;
use std::io::{self, IsTerminal};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TerminalSettings {
    /// `None` for the terminal's own.
    pub color: Option<ColorDepth>,
    pub bandwidth: Option<u32>,
    pub asks_colors: bool,
    /// Send no queries and switch on no modes.
    pub output_only: bool,
}

pub fn play(options: Options, terminal: &TerminalSettings, recorder: Recorder) -> Result<(), Error> {
    let terminal = open_options(terminal, &options.controls)?;
    end(session::run(&terminal, recorder, |window, _, recorder| {
        let options = Options { window, ..options };
        recorder.header = recorder.is_log().then(|| Header::new(&options));
        App::new(options)
    })?)
}

/// Plays a `.slosh` recording. Does not return if a signal ended it.
pub fn replay(replay: Replay, terminal: &TerminalSettings, controls: &ControlOptions) -> Result<(), Error> {
    let terminal = open_options(terminal, controls)?;
    let recorder = Recorder::new(None, false, controls.recording)?;
    end(session::run(&terminal, recorder, |_, _, _| ReplayTank::app(replay, controls.clone()))?)
}

/// Plays in the tank of a host. Returns the signal that ended it.
pub fn join(stream: Stream, config: JoinConfig) -> Result<Option<i32>, Error> {
    // The terminal is left alone if the host does not answer or has another version.
    let host = HostConnection::open(stream, &config.tank)?;
    let terminal = config.terminal.clone();
    let recorder = Recorder::new(None, false, config.controls.recording)?;
    session::run(&terminal, recorder, |window, caps, _| RemoteTank::app(host, config, window, caps))
}

pub fn open_options(options: &TerminalSettings, controls: &ControlOptions) -> Result<TermOptions, Error> {
    if !io::stdout().is_terminal() {
        let message = "standard output is not a terminal; `slosh render` draws frames without one";
        return Err(Error::Input(message.to_owned()));
    }
    let env = Env::read();
    let mut caps = Caps::from_env(&if options.output_only { env.for_output_only() } else { env }, options.color);
    caps.asks_colors = options.asks_colors;
    Ok(TermOptions { caps, mouse: controls.mouse, bandwidth: options.bandwidth })
}

pub fn end(signal: Option<i32>) -> Result<(), Error> {
    signal.map_or(Ok(()), |signal| term::end_by(signal))
}
