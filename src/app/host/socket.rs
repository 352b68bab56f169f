//! The places of hosts' sockets, and how a socket is opened. A user's own: `$XDG_RUNTIME_DIR/slosh`, else `slosh-UID` in the
//! folder for temporary files, mode 0700, the socket 0600. A group's, with `--group`: the same with 0750 and 0660; a service sets
//! `XDG_RUNTIME_DIR=/run`. A guest looks in its own folders first, then in `/run/slosh`. Its own folders must belong to it, and
//! no other user may write to them.

use crate::app::error::Error;
use crate::app::files::failed;
use crate::term::sanitize;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

pub const DEFAULT_NAME: &str = "tank";

const SHARED_FOLDER: &str = "/run/slosh";

/// The longest name of a tank, in bytes: the path of a socket has at most 104 on some systems.
const MAX_NAME: usize = 32;

/// Letters, digits, `-`, `_` and `.`, and neither a dot nor a hyphen in front.
pub fn validated_name(name: &str) -> Result<&str, Error> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let valid = (1..=MAX_NAME).contains(&name.len()) && name.chars().all(allowed) && !name.starts_with(['.', '-']);
    if valid {
        return Ok(name);
    }
    let name = sanitize::escaped(name);
    Err(Error::Input(format!(
        "{name:?} cannot be the name of a tank: a name is 1 to {MAX_NAME} letters, digits, - _ and ., and begins with a letter, digit or _"
    )))
}

fn temporary_folder() -> PathBuf {
    std::env::temp_dir().join(format!("slosh-{}", rustix::process::getuid().as_raw()))
}

/// None if `XDG_RUNTIME_DIR` is not set, names no folder, or one whose path is too long for a socket.
fn runtime_folder(name: &str) -> Option<PathBuf> {
    let runtime = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
    let folder = runtime.join("slosh");
    (runtime.is_dir() && SocketAddr::from_pathname(folder.join(control_name(name))).is_ok()).then_some(folder)
}

pub struct Socket {
    pub guests: BoundSocket,
    /// For the host's user alone, who removes guests through it. No tank has a name that begins with a dot.
    pub control: BoundSocket,
}

impl Socket {
    pub fn open(name: &str, group: Option<&str>) -> Result<Self, Error> {
        Self::open_in(&runtime_folder(name).unwrap_or_else(temporary_folder), name, group)
    }

    pub fn open_in(folder: &Path, name: &str, group: Option<&str>) -> Result<Self, Error> {
        let name = validated_name(name)?;
        let control = folder.join(control_name(name));
        if SocketAddr::from_pathname(&control).is_err() {
            let path = control.display();
            let advice = "set XDG_RUNTIME_DIR or TMPDIR to a folder with a shorter path";
            return Err(Error::Run(format!("{path}: the path is too long for a socket; {advice}")));
        }
        make_folder(folder, group)?;
        let guests = BoundSocket::open(folder.join(name), name)?;
        if let Some(group) = group {
            give_to_group(&guests.path, group)?;
            guests.set_mode(0o660)?;
        }
        Ok(Self { guests, control: BoundSocket::open(control, name)? })
    }
}

fn control_name(name: &str) -> String {
    format!(".{name}")
}

/// A socket that others can connect to. Its file is removed when it is dropped.
pub struct BoundSocket {
    pub listener: UnixListener,
    pub path: PathBuf,
    /// Device and inode of its file.
    file: (u64, u64),
}

impl Drop for BoundSocket {
    fn drop(&mut self) {
        let is_ours = |about: &std::fs::Metadata| (about.dev(), about.ino()) == self.file;
        if std::fs::symlink_metadata(&self.path).is_ok_and(|about| is_ours(&about)) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl BoundSocket {
    fn open(path: PathBuf, name: &str) -> Result<Self, Error> {
        let failed = |error: io::Error| failed(&path, &error);
        let listener = match UnixListener::bind(&path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                if UnixStream::connect(&path).is_ok() {
                    let message = format!("a host named {name} is running already; `slosh join {name}` joins it");
                    return Err(Error::Run(message));
                }
                if !std::fs::symlink_metadata(&path).is_ok_and(|about| about.file_type().is_socket()) {
                    let path = path.display();
                    return Err(Error::Run(format!("{path} is in the way: it is not a socket; use another --name")));
                }
                // No host answers: a killed host has left the socket.
                std::fs::remove_file(&path).and_then(|()| UnixListener::bind(&path)).map_err(failed)?
            }
            other => other.map_err(failed)?,
        };
        let about = std::fs::symlink_metadata(&path).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let socket = Self { listener, file: (about.dev(), about.ino()), path };
        socket.set_mode(0o600)?;
        Ok(socket)
    }

    fn set_mode(&self, mode: u32) -> Result<(), Error> {
        std::fs::set_permissions(&self.path, Permissions::from_mode(mode)).map_err(|error| failed(&self.path, &error))
    }
}

fn check_folder(folder: &Path) -> Result<(), Error> {
    let about = std::fs::symlink_metadata(folder);
    let about = about.map_err(|error| failed(folder, &error))?;
    if about.is_dir() && about.uid() == rustix::process::getuid().as_raw() && about.mode() & 0o022 == 0 {
        return Ok(());
    }
    let folder = folder.display();
    Err(Error::Run(format!("{folder} must be a folder of your own that no other user can write to")))
}

fn make_folder(folder: &Path, group: Option<&str>) -> Result<(), Error> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(folder, &error)),
    }
    check_folder(folder)?;
    if let Some(group) = group {
        give_to_group(folder, group)?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o750)).map_err(|error| failed(folder, &error))?;
    }
    Ok(())
}

/// Gives a file to a group. `chgrp` knows all groups of the system, including those of a directory service.
fn give_to_group(path: &Path, group: &str) -> Result<(), Error> {
    if group.is_empty() || group.starts_with('-') {
        return Err(Error::Input(format!("--group {group:?}: is not the name of a group")));
    }
    let output = Command::new("chgrp").arg("--").arg(group).arg(path).output();
    let output = output.map_err(|error| Error::Run(format!("chgrp: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Input(format!("--group {group}: {}", String::from_utf8_lossy(&output.stderr).trim())))
}

pub fn connect(name: &str) -> Result<UnixStream, Error> {
    connect_to(validated_name(name)?, name)
}

pub fn connect_as_host(name: &str) -> Result<UnixStream, Error> {
    connect_to(&control_name(validated_name(name)?), name)
}

fn connect_to(file: &str, name: &str) -> Result<UnixStream, Error> {
    let mut refused = None;
    // The superuser made the last one for a service: no other user can write to /run.
    for folder in runtime_folder(name).into_iter().chain([temporary_folder(), PathBuf::from(SHARED_FOLDER)]) {
        if folder != Path::new(SHARED_FOLDER)
            && let Err(error) = check_folder(&folder)
        {
            // A folder that does not exist has no host.
            refused = refused.or_else(|| folder.symlink_metadata().is_ok().then_some(error));
            continue;
        }
        let path = folder.join(file);
        match UnixStream::connect(&path) {
            Ok(stream) => return Ok(stream),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                refused = refused.or(Some(failed(&path, &error)));
            }
            Err(_) => {}
        }
    }
    let missing = || Error::Run(format!("there is no host named {name}; `slosh host --name {name}` starts one"));
    Err(refused.unwrap_or_else(missing))
}
