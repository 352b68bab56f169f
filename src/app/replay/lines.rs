//! The lines of a recording, of which anybody may have written as many and as long ones as he likes.
//!
//! They are read one at a time: an evening's recording is hundreds of megabytes.

use crate::app::recorder::LONGEST_HEADER;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A day of the toy, at 7 kB a second, is 600 MB.
const LONGEST_FILE: u64 = 1 << 30;

/// Bytes of every other line. They have some hundred.
const LONGEST_LINE: usize = 64 << 10;

/// Lines as they come.
pub struct Lines {
    from: Box<dyn BufRead>,
    line: Vec<u8>,
    /// How many were read.
    pub count: usize,
}

impl Lines {
    /// Those of a file. Anything else (a device, a pipe) may have no end, and is refused.
    ///
    /// # Errors
    /// If it cannot be read, or is no file, or longer than any recording.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::new(BufReader::with_capacity(1 << 16, opened(path)?)))
    }

    pub fn new(from: impl BufRead + 'static) -> Self {
        Self { from: Box::new(from), line: Vec::new(), count: 0 }
    }

    /// The next line. What stands after the last line's end was cut off, whatever stopped the recording, and is none.
    ///
    /// # Errors
    /// If it cannot be read, is longer than a line can be, or is no text.
    pub fn read(&mut self) -> io::Result<Option<&str>> {
        let most = if self.count == 0 { LONGEST_HEADER } else { LONGEST_LINE };
        self.line.clear();
        self.count += 1;
        (&mut self.from).take(most as u64 + 1).read_until(b'\n', &mut self.line)?;
        if self.line.len() > most {
            return Err(io::Error::other(format!("the line is longer than one can be ({most} bytes)")));
        }
        match self.line.strip_suffix(b"\n") {
            None => Ok(None),
            Some(line) => std::str::from_utf8(line).map(Some).map_err(|_| io::Error::other("is no text in UTF-8")),
        }
    }
}

/// Opens a recording, if it is a file that may be one. Looked at first: opening a pipe waits for somebody to write.
fn opened(path: &Path) -> io::Result<File> {
    let about = fs::metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::other("is no file: a recording is read from one"));
    }
    if about.len() > LONGEST_FILE {
        let most = LONGEST_FILE >> 20;
        return Err(io::Error::other(format!("is longer than a recording can be ({most} MiB)")));
    }
    File::open(path)
}

/// How many frames a recording has: the lines that begin as theirs do.
///
/// # Errors
/// As for [`Lines::open`].
pub fn count_frames(path: &Path) -> io::Result<usize> {
    const FRAME: &[u8] = b"{\"frame\"";
    let mut from = BufReader::with_capacity(1 << 16, opened(path)?);
    let (mut frames, mut at) = (0, 0);
    // Bytes of the line so far that are as a frame's; none of it can be if one was not.
    let mut alike = true;
    loop {
        let block = from.fill_buf()?;
        if block.is_empty() {
            return Ok(frames);
        }
        for &byte in block {
            if byte == b'\n' {
                frames += usize::from(alike && at >= FRAME.len());
                (at, alike) = (0, true);
            } else {
                alike &= FRAME.get(at).is_none_or(|&wanted| wanted == byte);
                at += 1;
            }
        }
        let read = block.len();
        from.consume(read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn lines_are_bounded_and_the_last_one_must_be_whole() {
        let mut lines = Lines::new(Cursor::new("one\ntwo\nthr"));
        assert_eq!(lines.read().expect("read"), Some("one"));
        assert_eq!(lines.read().expect("read"), Some("two"));
        assert_eq!(lines.read().expect("read"), None);
        let mut long = Lines::new(BufReader::new(io::repeat(b'x')));
        assert!(long.read().expect_err("endless").to_string().contains("longer"));
        assert!(long.line.capacity() < 3 * LONGEST_HEADER);
    }
}
