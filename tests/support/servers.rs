//! Servers for the tests: tmux on a private socket, sshd on a loopback port. Dropping one ends it.

use crate::program::{self, Finished};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A temporary folder, removed with its content.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("slosh-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        // With a very short name: the path of a socket has at most 107 bytes.
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

// ---- tmux ----

/// A tmux server with one window of 80×24, in which a shell waits.
pub struct Tmux {
    folder: Folder,
}

impl Tmux {
    /// Returns `None` if tmux is not installed.
    pub fn start() -> Option<Self> {
        program::is_installed("tmux", "tmux").then(|| {
            let tmux = Self { folder: Folder::new() };
            tmux.run(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh"]);
            let end = Instant::now() + Duration::from_secs(10);
            while !tmux.screen().contains("prompt>") && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(20));
            }
            tmux
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder.0
    }

    fn command(&self) -> Command {
        let mut command = program::command("tmux");
        command.args(["-L", "slosh", "-u"]).env("TMUX_TMPDIR", self.folder());
        command.env("PS1", "prompt> ").env("SHELL", "/bin/sh");
        command
    }

    /// Runs a tmux command and returns its output.
    pub fn run(&self, args: &[&str]) -> String {
        let output = self.command().args(args).finished();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Sends keys, by tmux's names, or text.
    pub fn send(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    pub fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    pub fn format(&self, format: &str) -> String {
        self.run(&["display-message", "-p", format]).trim_end().to_owned()
    }

    /// The command line of a client.
    pub fn attach(&self) -> Vec<String> {
        let dir = format!("TMUX_TMPDIR={}", self.folder().display());
        ["env", &dir, "tmux", "-L", "slosh", "-u", "attach"].map(str::to_owned).to_vec()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

// ---- sshd ----

const SSHD: &str = "/usr/sbin/sshd";
/// The folder into which the superuser's sshd confines its unprivileged half.
const EMPTY: &str = "/run/sshd";

/// A server that admits the present user, with a key that the test makes.
pub struct Sshd {
    folder: Folder,
    server: Child,
    port: u16,
}

impl Sshd {
    /// Returns `None` if sshd is not installed.
    pub fn start() -> Option<Self> {
        Self::start_with("")
    }

    /// The same with additional configuration.
    pub fn start_with(more: &str) -> Option<Self> {
        if !program::is_installed(SSHD, "openssh-server") || !program::is_installed("ssh", "openssh-client") {
            return None;
        }
        let folder = Folder::new();
        make_keys(&folder.0);
        if rustix::process::geteuid().is_root() {
            fs::create_dir_all(EMPTY).expect("sshd's empty folder");
        }
        // Another process may take the port between the search for a free one and its use.
        (0..5)
            .find_map(|_| listen(&folder.0, more))
            .map(|(server, port)| Self { folder, server, port })
            .or_else(|| panic!("sshd does not start"))
    }

    pub fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// Returns a folder with an `ssh` that uses this server's key and trusts the server, for programs that start `ssh`
    /// themselves; and the address of the server, as `USER@HOST:PORT`.
    pub fn own_ssh(&self) -> (PathBuf, String) {
        let bin = self.folder().join("bin");
        fs::create_dir_all(&bin).expect("our own folder");
        let folder = self.folder().display();
        let script = format!(
            "#!/bin/sh\nexec /usr/bin/ssh -q -F /dev/null -i {folder}/key -o IdentitiesOnly=yes -o IdentityAgent=none \
             -o StrictHostKeyChecking=no -o UserKnownHostsFile={folder}/known \"$@\"\n"
        );
        let ssh = bin.join("ssh");
        fs::write(&ssh, script).expect("our own folder");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&ssh, mode).expect("our own file");
        let user = program::command("id").arg("-un").finished().stdout;
        (bin, format!("{}@127.0.0.1:{}", String::from_utf8_lossy(&user).trim(), self.port))
    }

    /// The command line of a client that runs `command` in a terminal on the server.
    pub fn client(&self, command: &str) -> Vec<String> {
        self.client_by(&[], command)
    }

    /// The same with additional arguments for ssh.
    pub fn client_by(&self, more: &[&str], command: &str) -> Vec<String> {
        let folder = self.folder().display();
        let user = program::command("id").arg("-un").finished().stdout;
        let to = format!("{}@127.0.0.1", String::from_utf8_lossy(&user).trim());
        let (port, key, known) = (self.port.to_string(), format!("{folder}/key"), format!("{folder}/known"));
        let known = format!("UserKnownHostsFile={known}");
        let mut argv = vec!["ssh", "-tt", "-q", "-F", "/dev/null", "-p", &port, "-i", &key];
        for option in ["IdentitiesOnly=yes", "IdentityAgent=none", "StrictHostKeyChecking=no", &known] {
            argv.extend(["-o", option]);
        }
        argv.extend(more);
        argv.extend([to.as_str(), command]);
        argv.into_iter().map(str::to_owned).collect()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn make_keys(folder: &Path) {
    for name in ["host", "key"] {
        let file = folder.join(name);
        let status = program::command("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(file).status();
        assert!(status.is_ok_and(|status| status.success()), "ssh-keygen");
    }
    fs::copy(folder.join("key.pub"), folder.join("authorized")).expect("our own folder");
}

fn listen(folder: &Path, more: &str) -> Option<(Child, u16)> {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let path = folder.display();
    let config = format!(
        "ListenAddress 127.0.0.1:{port}\nHostKey {path}/host\nAuthorizedKeysFile {path}/authorized\nPidFile none\n\
         StrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n\
         KbdInteractiveAuthentication no\nPrintMotd no\nPrintLastLog no\n{more}"
    );
    fs::write(folder.join("config"), config).expect("our own folder");
    let log = fs::File::create(folder.join("log")).expect("our own folder");
    let mut server = program::command(SSHD);
    server.arg("-D").arg("-e").arg("-f").arg(folder.join("config"));
    let mut server = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("sshd");
    for _ in 0..250 {
        // Another server may answer at the port, if it took it first.
        if fs::read_to_string(folder.join("log")).is_ok_and(|log| log.contains("Server listening")) {
            return Some((server, port));
        }
        if server.try_wait().is_ok_and(|status| status.is_some()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = server.kill();
    let _ = server.wait();
    eprintln!("{}", fs::read_to_string(folder.join("log")).unwrap_or_default());
    None
}
