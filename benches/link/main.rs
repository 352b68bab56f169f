//! Latency from a key to its effect on the screen, in milliseconds: slosh, and a plain ratatui loop with the same
//! picture, on fast and slow links. `cargo bench --bench link [-- LINK]...`, where LINK is one of the names below.
//!
//! A pty holds the program, or a client of ssh or tmux; an emulator reads and answers. While the liquid is shaken, a
//! key changes the speed, which the program shows as a line of text; the latency ends when the emulator shows that
//! line. ssh connects through this program as its ProxyCommand, which limits the rate to 160 kbit/s. A key without an
//! effect within five seconds counts as lost.

#[cfg(unix)]
#[path = "../../tests/support/program.rs"]
#[allow(dead_code)]
mod program;
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
    // The launcher of the pty, if this process was started as one.
    pty::launch();
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["plain", scene] => plain::run(scene).expect("a terminal"),
        ["pump", port, rate] => pump::run(port, rate.parse().expect("bytes a second")).expect("a server"),
        // `cargo test --benches` only checks that it starts.
        ["--test"] => {}
        ref links => timing::run(links),
    }
}

#[cfg(not(unix))]
fn main() {}
