//! From a key to its effect on the screen, in milliseconds: slosh, and a plain ratatui loop with the same picture, on
//! links fast and slow. `cargo bench --bench link [-- LINK]...`, where LINK is one of the names below.
//!
//! A pty holds the program, or a client of ssh or tmux; an emulator reads it and answers. While the liquid is shaken,
//! a key changes the speed, which the program tells in a line of text, and the time is taken until the emulator shows
//! that. ssh goes through this program again, as its ProxyCommand, which lets 160 kbit/s pass. A key that has no effect
//! within five seconds is not shown.

#[cfg(unix)]
#[path = "../../tests/support/pty.rs"]
#[allow(dead_code)]
mod pty;
#[cfg(unix)]
#[path = "../../tests/support/servers.rs"]
#[allow(dead_code)]
mod servers;

#[cfg(unix)]
mod plain;
#[cfg(unix)]
mod pump;
#[cfg(unix)]
mod timing;

#[cfg(unix)]
fn main() {
    // The launcher of the pty, if that is what we were started for.
    pty::launch();
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["plain", scene] => plain::run(scene).expect("a terminal"),
        ["pump", port, rate] => pump::run(port, rate.parse().expect("bytes a second")).expect("a server"),
        // `cargo test --benches` only wants to know that it starts.
        ["--test"] => {}
        ref links => timing::run(links),
    }
}

#[cfg(not(unix))]
fn main() {}
