//! One tank across several panes of tmux: real processes on real terminals.
#![cfg(unix)]

use crate::program::{self, SLOSH, SOON};
use crate::servers::Tmux;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A host without a session.
struct Host(Child);

impl Host {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut host = program::slosh();
        host.args(["host", "dam", "--no-session", "--particles", "500", "--seed", "1"]).args(args);
        host.env("XDG_RUNTIME_DIR", folder).env("XDG_CONFIG_HOME", folder);
        let host = host.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("slosh starts");
        Self(host)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < SOON, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The shapes of the tank so far: its aspect, and its walls between panes.
fn shapes(recording: &Path) -> Vec<(f64, usize)> {
    let text = fs::read_to_string(recording).unwrap_or_default();
    let events = text.lines().skip(1).filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let shape = |event: Value| {
        let reshape = event.get("host")?.get("reshape")?.clone();
        Some((reshape["aspect"].as_f64()?, reshape["seams"].as_array()?.len()))
    };
    events.filter_map(shape).collect()
}

#[test]
fn panes_of_tmux_show_one_tank_that_follows_them() {
    let Some(tmux) = Tmux::start() else { return };
    let folder = tmux.folder();
    // tmux's status line would take a row of the window.
    tmux.run(&["set", "-g", "status", "off"]);
    tmux.run(&["resize-window", "-x", "80", "-y", "24"]);
    let recording = folder.join("span.slosh");
    let record = recording.to_str().expect("text");
    let _host = Host::start(folder, &["--span", "--seams", "walls", "--record", record]);
    wait_until("the host listens", || folder.join("slosh/tank").exists());
    let settings = format!("XDG_RUNTIME_DIR={} XDG_CONFIG_HOME=/nowhere", folder.display());
    let join = |name: &str| format!("env {settings} {SLOSH} join --as {name}");
    tmux.run(&["respawn-pane", "-k", "-t", ":0.0", &join("anna")]);
    tmux.run(&["split-window", "-h", "-t", ":0.0", &join("ben")]);
    // Cells are 1:2 unless tmux reports otherwise.
    let aspect = |columns: f64| columns / 48.0;
    let is_shaped = |columns: f64, seams: usize| {
        let last = shapes(&recording).last().copied();
        last.is_some_and(|(now, walls)| (now - aspect(columns)).abs() < 0.01 && walls == seams)
    };
    wait_until("the tank spans both panes, with one wall", || is_shaped(80.0, 1));
    let water =
        |pane: &str| tmux.run(&["capture-pane", "-p", "-t", pane]).chars().filter(|c| !c.is_whitespace()).count();
    wait_until("both panes show it", || water(":0.0") > 50 && water(":0.1") > 50);

    // Moving the border between the panes moves the wall. When a pane closes, the other one shows the entire tank.
    let before = shapes(&recording).len();
    tmux.run(&["resize-pane", "-t", ":0.0", "-x", "20"]);
    wait_until("the wall moves", || shapes(&recording).len() > before && is_shaped(80.0, 1));
    tmux.run(&["kill-pane", "-t", ":0.0"]);
    wait_until("one pane has it all", || is_shaped(80.0, 0));
    tmux.run(&["resize-window", "-x", "40", "-y", "24"]);
    wait_until("it follows the window", || is_shaped(40.0, 0));
}
