//! Files of the user's: none is overwritten unless somebody insists, and no text is read beyond what it can be.

use super::failure::Failure;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// No scene and no drawing needs more; whatever does is none.
const LONGEST_TEXT: u64 = 1 << 20;

/// Reads a text; `what` is what it is to be, for errors.
pub fn read_text(from: impl Read, what: &str) -> io::Result<String> {
    let bytes = read(from, LONGEST_TEXT, what)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("is not a text file in UTF-8"))
}

/// Reads all there is, which may be `most` bytes; `what` is what it is to be, for errors.
pub fn read(from: impl Read, most: u64, what: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("is longer than a {what} can be ({} MiB)", most >> 20)));
    }
    Ok(bytes)
}

/// Opens a file for writing; one that is there already only by force.
pub fn create(path: &Path, force: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force { options.create(true).truncate(true) } else { options.create_new(true) }.open(path)
}

/// What could not be done to a file.
pub fn failed(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::Input(format!("{} exists already; --force overwrites it", path.display()))
        }
        _ => Failure::Run(format!("{}: {error}", path.display())),
    }
}

/// The first of `slosh-1.cast`, `slosh-2.cast` and so on that is not there yet, for `slosh.cast`.
pub fn free_name(like: &Path) -> PathBuf {
    let stem = like.file_stem().unwrap_or_default().to_string_lossy();
    let ending = like.extension().unwrap_or_default().to_string_lossy();
    let name = |number: u32| like.with_file_name(format!("{stem}-{number}.{ending}"));
    (1..).map(name).find(|path| !path.exists()).expect("numbers do not end")
}
