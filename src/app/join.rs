//! A guest's session on a shared tank: the app, with the host's tank as its source.

pub(crate) mod connection;
pub mod ssh;

use crate::app::error::Error;
use crate::app::record::session::Recorder;
use crate::app::session;
use crate::app::tank::remote::{JoinConfig, RemoteTank};
use connection::HostConnection;
use std::os::unix::net::UnixStream;

pub fn run(stream: UnixStream, config: JoinConfig) -> Result<Option<i32>, Error> {
    // The terminal is left alone if the host does not answer or has another version.
    let host = HostConnection::open(stream, &config.tank)?;
    let terminal = config.terminal.clone();
    let recorder = Recorder::new(None, false, config.controls.recording)?;
    session::run(&terminal, recorder, |window, caps, _| RemoteTank::app(host, config, window, caps))
}
