//! The user's files: none is overwritten without --force, and texts are read up to a limit.

use crate::app::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Upper limit on texts, in bytes: no scene and no drawing needs more.
const MAX_TEXT: u64 = 1 << 20;

/// Upper limit on the characters of a file name that is made from a scene's name.
const MAX_NAME: usize = 60;

/// Refuses anything but a regular file or /dev/null: a pipe or a device may never end, and opening a pipe waits.
pub fn open(path: &Path) -> io::Result<File> {
    let about = std::fs::metadata(path)?;
    match about.is_file() || path == Path::new("/dev/null") {
        true => File::open(path),
        false if about.is_dir() => Err(io::Error::other("is a directory")),
        false => Err(io::Error::other("is not a regular file")),
    }
}

/// Reads the text of a file; `what` names its kind in errors.
pub fn text(path: &Path, what: &str) -> Result<String, Error> {
    let text = open(path).and_then(|file| read_text(file, what));
    text.map_err(|error| Error::Input(format!("{}: {error}", path.display())))
}

pub fn read_text(from: impl Read, what: &str) -> io::Result<String> {
    let bytes = read(from, MAX_TEXT, what)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("is not a text file in UTF-8"))
}

/// Reads up to `most` bytes; `what` names their kind in errors.
pub fn read(from: impl Read, most: u64, what: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let size = if most < 1 << 20 { format!("{} KiB", most >> 10) } else { format!("{} MiB", most >> 20) };
        return Err(io::Error::other(format!("is longer than a {what} can be ({size})")));
    }
    Ok(bytes)
}

pub fn create(path: &Path, force: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(!force).create(force).truncate(force).open(path)
}

/// Writes a whole file. A file that could not be written whole is removed.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    let mut file = create(path, force)?;
    file.write_all(bytes).inspect_err(|_| {
        // The previous content is lost already, and a partial file would be taken for a whole one.
        let _ = std::fs::remove_file(path);
    })
}

/// A file name in the current folder for an item whose `name` may come from an untrusted file: letters, digits, blanks and a few
/// signs stay.
pub fn name_for(name: &str, ending: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || " -_.+()".contains(c) { c } else { '-' };
    let clean: String = name.chars().map(plain).take(MAX_NAME).collect();
    // A leading point hides a file, a leading hyphen makes it a flag, and Windows drops points and blanks at the end.
    let clean = clean.trim_start_matches(['.', '-', ' ']).trim_end_matches(['.', ' ']);
    format!("{}.{ending}", if clean.is_empty() { "scene" } else { clean })
}

pub fn failed(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::Input(format!("{} exists already; --force overwrites it", path.display()))
        }
        _ => Error::Run(format!("{}: {error}", path.display())),
    }
}

/// The first free name of `slosh-1.cast`, `slosh-2.cast` and so on, for `slosh.cast`.
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
    fn a_file_name_stays_in_its_folder() {
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
