//! Files that are written for the user: none is overwritten unless somebody insists.

use super::failure::Failure;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

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
