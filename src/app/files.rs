//! Files of the user's: none is overwritten unless somebody insists, and no text is read beyond what it can be.

use crate::app::error::Failure;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// No scene and no drawing needs more; whatever does is none.
const LONGEST_TEXT: u64 = 1 << 20;

/// Characters of a name that a file gets from what is in it.
const LONGEST_NAME: usize = 60;

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
        let size = if most < 1 << 20 { format!("{} KiB", most >> 10) } else { format!("{} MiB", most >> 20) };
        return Err(io::Error::other(format!("is longer than a {what} can be ({size})")));
    }
    Ok(bytes)
}

/// Opens a file for writing; one that is there already only by force.
pub fn create(path: &Path, force: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force { options.create(true).truncate(true) } else { options.create_new(true) }.open(path)
}

/// Writes a whole file; what could not be written is not left behind half.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    let mut file = create(path, force)?;
    file.write_all(bytes).inspect_err(|_| {
        // What was there before is lost already; what is left would be taken for a file of its kind.
        let _ = std::fs::remove_file(path);
    })
}

/// A file's name, in this folder and no other, for something that calls itself `name`: whoever wrote the name does not
/// choose where we write. Letters, digits, blanks and a few signs stay; others become a hyphen.
pub fn name_for(name: &str, ending: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || " -_.+()".contains(c) { c } else { '-' };
    let clean: String = name.chars().map(plain).take(LONGEST_NAME).collect();
    // A name that begins with a point is hidden, one that begins with a hyphen is a flag, and Windows drops what is at
    // the end.
    let clean = clean.trim_start_matches(['.', '-', ' ']).trim_end_matches(['.', ' ']);
    format!("{}.{ending}", if clean.is_empty() { "scene" } else { clean })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else() {
        for (name, file) in [
            ("dam", "dam.toml"),
            ("My scene (2)", "My scene (2).toml"),
            ("/etc/cron.d/x", "etc-cron.d-x.toml"),
            ("../../.ssh/config", "ssh-config.toml"),
            ("..", "scene.toml"),
            ("", "scene.toml"),
            ("a\u{202e}b\x1b\\c", "a-b--c.toml"),
            ("--force", "force.toml"),
        ] {
            let clean = name_for(name, "toml");
            assert_eq!(clean, file, "{name:?}");
            assert_eq!(Path::new(&clean).components().count(), 1, "{clean:?}");
            assert!(!clean.starts_with(['.', '-']), "{clean:?}");
        }
        assert!(name_for(&"x".repeat(9999), "toml").len() < 100);
    }
}
