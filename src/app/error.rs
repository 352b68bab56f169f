//! How the program ends when it does not end well: the one place where failures are reported.
//!
//! Messages quote names, keys and values that somebody else may have written, so they are sanitized here, whatever they
//! quote.

use crate::data;
use crate::term::sanitize;
use std::fmt;
use std::io::{self, Write};
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
                warn(message);
                ExitCode::from(2)
            }
            Failure::Run(message) => {
                warn(message);
                ExitCode::from(1)
            }
            Failure::Unread => ExitCode::SUCCESS,
        }
    }
}

/// Says something on standard error. Where that is closed or full, nobody reads it.
pub fn warn(message: &str) {
    let _ = writeln!(io::stderr().lock(), "slosh: {}", sanitize::message(message));
}

/// Says what clap has to say: help and the version on standard output, errors on standard error. clap quotes arguments
/// as they are, so a message that holds anything hidden is printed plain and escaped, and others in clap's own colours.
pub fn report_usage(said: &clap::Error) -> ExitCode {
    let plain = said.render().to_string();
    let clean: Vec<_> = plain.lines().map(sanitize::message).collect();
    let printed = match plain.lines().eq(clean.iter().map(String::as_str)) {
        true => said.print(),
        false => writeln!(io::stderr().lock(), "{}", clean.join("\n")),
    };
    match printed {
        // Whoever stops reading the help has read enough.
        Err(error) if !said.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => Failure::from(error).report(),
        _ => ExitCode::from(said.exit_code() as u8),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Input(message) | Failure::Run(message) => f.write_str(message),
            Failure::Unread => f.write_str("output closed"),
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
