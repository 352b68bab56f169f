//! How the program ends when it does not end well.

use crate::data;
use std::fmt;
use std::io;
use std::process::ExitCode;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for is not right: an unknown name, a value out of range, a file that does not parse.
    Input(String),
    /// What was asked for is right and could not be done.
    Run(String),
    /// Whoever read our output has stopped reading: no failure at all.
    Unread,
}

impl Failure {
    /// Says on standard error what was wrong, and with what code the program is to end.
    pub fn report(&self) -> ExitCode {
        match self {
            Failure::Input(message) => {
                eprintln!("slosh: {message}");
                ExitCode::from(2)
            }
            Failure::Run(message) => {
                eprintln!("slosh: {message}");
                ExitCode::from(1)
            }
            Failure::Unread => ExitCode::SUCCESS,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Input(message) | Failure::Run(message) => f.write_str(message),
            Failure::Unread => f.write_str("nobody reads the output"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<data::Error> for Failure {
    fn from(error: data::Error) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::Run(error.to_string()),
        }
    }
}
