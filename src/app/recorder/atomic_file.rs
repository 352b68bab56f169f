//! A file that is whole at all times.
//!
//! What is appended replaces the file's tail (the end that its format asks for) and brings the tail with it, in one
//! write. Whatever stops us in between, a signal or a full disk, leaves what was there before.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// A growing file and its end.
#[derive(Debug)]
pub struct Whole {
    file: File,
    tail: &'static [u8],
    /// Bytes before the tail.
    length: u64,
}

impl Whole {
    pub fn new(file: File, tail: &'static [u8]) -> Self {
        Self { file, tail, length: 0 }
    }

    /// Appends all of `bytes`, or nothing.
    ///
    /// # Errors
    /// If there is no room.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut all = bytes.to_vec();
        all.extend_from_slice(self.tail);
        let written = self.write_at(self.length, &all);
        match written {
            Ok(()) => self.length += bytes.len() as u64,
            Err(_) if self.length > 0 => self.repair()?,
            Err(_) => {}
        }
        written
    }

    /// Overwrites bytes that were appended before.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_at(at, bytes)
    }

    /// The end goes where the last whole append ended: there was room for it before.
    fn repair(&mut self) -> io::Result<()> {
        self.file.set_len(self.length + self.tail.len() as u64)?;
        self.write_at(self.length, self.tail)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)
    }
}
