//! The program as users run it: without a terminal, in ptys, over ssh, in tmux and in their shells.
#![cfg(feature = "app")]

mod app;
mod cli;
mod clock;
mod cmd;
mod config;
mod contract;
mod feed;
mod hand;
mod host;
mod hostile;
mod melt;
mod obstacles;
mod overlay;
mod panel;
mod record;
mod remote;
mod replay;
mod saver;
mod share;
mod shared_tank;
mod shells;
mod terminal;
mod timer;
mod untrusted;
mod words;

#[path = "../support/program.rs"]
mod program;
#[cfg(unix)]
#[path = "../support/pty.rs"]
mod pty;
#[cfg(unix)]
#[path = "../support/reader.rs"]
mod reader;
#[allow(dead_code)]
#[path = "../../examples/scene_page.rs"]
mod scene_page;
#[cfg(unix)]
#[path = "../support/servers.rs"]
mod servers;
#[allow(dead_code)]
#[path = "../../examples/stillness.rs"]
mod stillness;

/// Not a test: `pty::Setup::start` runs this first.
#[cfg(unix)]
#[test]
#[ignore = "started by the pty harness"]
fn launcher() {
    pty::launch();
}
