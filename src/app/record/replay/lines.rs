//! The lines of a recording, read one at a time. An untrusted file may have lines of any number and length.

use crate::app::files;
use crate::app::record::MAX_HEADER;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Upper limit on the file, in bytes: a day of the toy, at 7 kB a second, is 600 MB.
const MAX_FILE: u64 = 1 << 30;

/// Upper limit on every other line, in bytes; most have about a hundred.
const MAX_LINE: usize = 64 << 10;

pub struct LineReader {
    from: Box<dyn BufRead>,
    line: Vec<u8>,
    pub count: usize,
    /// Upper limit on every line but the first, in bytes.
    pub max_line: usize,
}

impl LineReader {
    /// The lines of a file. Devices and pipes may have no end and are refused.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = files::open(path)?;
        if file.metadata()?.len() > MAX_FILE {
            let most = MAX_FILE >> 20;
            return Err(io::Error::other(format!("is longer than a recording can be ({most} MiB)")));
        }
        Ok(Self::new(BufReader::with_capacity(1 << 16, file)))
    }

    pub fn new(from: impl BufRead + 'static) -> Self {
        Self { from: Box::new(from), line: Vec::new(), count: 0, max_line: MAX_LINE }
    }

    /// The next line. An incomplete last line, of a recording that was cut off, is dropped.
    pub fn read(&mut self) -> io::Result<Option<&str>> {
        let most = if self.count == 0 { MAX_HEADER } else { self.max_line };
        self.line.clear();
        self.count += 1;
        (&mut self.from).take(most as u64 + 1).read_until(b'\n', &mut self.line)?;
        if self.line.len() > most {
            return Err(io::Error::other(format!("the line is longer than one can be ({most} bytes)")));
        }
        let Some(line) = self.line.strip_suffix(b"\n") else { return Ok(None) };
        std::str::from_utf8(line).map(Some).map_err(|_| io::Error::other("is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn lines_are_bounded_and_the_last_one_must_be_whole() {
        let mut lines = LineReader::new(Cursor::new("one\ntwo\nthr"));
        assert_eq!(lines.read().expect("read"), Some("one"));
        assert_eq!(lines.read().expect("read"), Some("two"));
        assert_eq!(lines.read().expect("read"), None);
        let mut long = LineReader::new(BufReader::new(io::repeat(b'x')));
        assert!(long.read().expect_err("endless").to_string().contains("longer"));
        assert!(long.line.capacity() < 3 * MAX_HEADER);
    }
}
