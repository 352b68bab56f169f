//! The guest's end of the socket. It never blocks once it is open. Only Unix has a host that could accept it; elsewhere another
//! kind of stream lets it compile.

use crate::app::error::Error;
use crate::app::host::protocol::{self, GREETING, MAX_TO_GUEST, Splitter, ToGuest, ToHost, VERSION};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
#[cfg(not(unix))]
pub use std::net::TcpStream as Stream;
#[cfg(unix)]
pub use std::os::unix::net::UnixStream as Stream;
use std::time::Duration;

/// Time limit for the host's first bytes: a host answers between two steps.
const GREETING_WITHIN: Duration = Duration::from_secs(15);

/// Upper limit on the bytes that wait for a host that does not read. Further messages are dropped.
const MAX_WAITING: usize = 64 << 10;

pub struct HostConnection {
    pub stream: Stream,
    pub input: Splitter,
    /// Messages, and parts of them, that the host has not taken yet.
    pub out: VecDeque<u8>,
}

impl HostConnection {
    pub fn open(mut stream: Stream, tank: &str) -> Result<Self, Error> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Run(format!("{tank}: the host closed the connection")),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                Error::Run(format!("{tank}: the host does not answer"))
            }
            _ => Error::Run(format!("{tank}: {error}")),
        };
        stream.set_read_timeout(Some(GREETING_WITHIN)).map_err(failed)?;
        stream.write_all(&protocol::greeting()).map_err(failed)?;
        let mut greeting = [0; GREETING];
        stream.read_exact(&mut greeting).map_err(failed)?;
        match protocol::version_of(greeting) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(Error::Run(format!(
                    "{tank}: its host speaks version {version} of the protocol, this slosh version {VERSION}; use the same slosh for both"
                )));
            }
            None => return Err(Error::Run(format!("{tank}: the program that answers there is not slosh"))),
        }
        stream.set_nonblocking(true).map_err(failed)?;
        Ok(Self { stream, input: Splitter::new(MAX_TO_GUEST), out: VecDeque::new() })
    }

    /// Asks the host to remove a guest, as its user, and returns the host's answer.
    pub fn kick(mut self, guest: &str) -> Result<String, Error> {
        self.stream.set_nonblocking(false)?;
        self.send(&ToHost::Kick(guest.to_owned()));
        let mut bytes = [0; 4096];
        loop {
            while let Some(answer) = self.input.next().map_err(Error::Run)? {
                match protocol::read(&answer).map_err(Error::Run)? {
                    ToGuest::Tell(answer) => return Ok(answer),
                    ToGuest::Goodbye(reason) => return Err(Error::Run(reason)),
                    _ => {}
                }
            }
            match self.stream.read(&mut bytes)? {
                0 => return Err(Error::Run("the host has ended".to_owned())),
                count => self.input.feed(&bytes[..count]),
            }
        }
    }

    /// Sends a message, or as much of it as fits now.
    pub fn send(&mut self, message: &ToHost) {
        if self.out.len() < MAX_WAITING {
            self.out.extend(protocol::framed(message));
        }
        self.flush();
    }

    pub fn flush(&mut self) {
        // The next read finds out whether the host has closed.
        let _ = protocol::send(&mut self.out, &self.stream);
    }

    /// Reads what has arrived. Returns whether the host has closed the connection.
    pub fn read(&mut self) -> bool {
        let mut bytes = [0; 16 << 10];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return true,
                Ok(count) => self.input.feed(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
            }
        }
    }
}
