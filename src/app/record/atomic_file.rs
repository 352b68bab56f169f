//! A file that is complete at all times. An append replaces the file's tail (the end that its format requires) and writes the
//! tail again, in one write. An interruption, by a signal or a full disk, leaves the previous state.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

pub struct AtomicFile {
    file: File,
    tail: &'static [u8],
    length: u64,
}

impl AtomicFile {
    pub fn new(file: File, tail: &'static [u8]) -> Self {
        Self { file, tail, length: 0 }
    }

    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut all = bytes.to_vec();
        all.extend_from_slice(self.tail);
        let written = self.patch(self.length, &all);
        match written {
            Ok(()) => self.length += bytes.len() as u64,
            // Restores the tail after the last complete append, where it fitted before.
            Err(_) if self.length > 0 => {
                self.file.set_len(self.length + self.tail.len() as u64)?;
                self.patch(self.length, self.tail)?;
            }
            Err(_) => {}
        }
        written
    }

    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)
    }
}
