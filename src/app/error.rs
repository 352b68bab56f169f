//! Errors that end the program, and the single place where they are reported and sanitized: they quote untrusted names.

use crate::data;
use crate::term::sanitize;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

#[derive(Debug)]
pub enum Error {
    /// The input is invalid: an unknown name, a value out of range, a file that does not parse.
    Input(String),
    Run(String),
    /// The reader of the output has closed it. The exit code is 0.
    BrokenPipe,
}

impl Error {
    pub fn report(&self) -> ExitCode {
        let code = match self {
            Error::Input(_) => 2,
            Error::Run(_) => 1,
            Error::BrokenPipe => return ExitCode::SUCCESS,
        };
        warn(&self.to_string());
        ExitCode::from(code)
    }
}

pub fn warn(message: &str) {
    let _ = writeln!(io::stderr().lock(), "slosh: {}", sanitize::message(message));
}

/// Prints a message of clap: help and version on standard output, errors on standard error. clap quotes arguments unchanged, so a
/// message with hidden characters is printed plain and escaped.
pub fn report_usage(said: &clap::Error) -> ExitCode {
    let plain = said.render().to_string();
    let clean: Vec<_> = plain.lines().map(sanitize::message).collect();
    let printed = match plain.lines().eq(clean.iter().map(String::as_str)) {
        true => said.print(),
        false => writeln!(io::stderr().lock(), "{}", clean.join("\n")),
    };
    match printed {
        // A closed pipe is no error for help text.
        Err(error) if !said.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => Error::from(error).report(),
        _ => ExitCode::from(said.exit_code() as u8),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Input(message) | Error::Run(message) => f.write_str(message),
            Error::BrokenPipe => f.write_str("output closed"),
        }
    }
}

impl std::error::Error for Error {}

impl From<data::DataError> for Error {
    fn from(error: data::DataError) -> Self {
        Error::Input(error.to_string())
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Error::BrokenPipe } else { Error::Run(error.to_string()) }
    }
}
