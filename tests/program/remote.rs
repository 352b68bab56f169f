//! The toy in tmux and over ssh. Every server is started by the test, on a private socket or a loopback port, with all
//! its files in a temporary folder, and ends with the test.
//!
//! Debian's packages are tmux and openssh-server. If one is missing, its tests are skipped with a message, and fail
//! only if the variable CI is set.
#![cfg(unix)]

use crate::program::{SLOSH, SOON};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::pty::{Link, Pty, Setup};
use crate::servers::{Sshd, Tmux};
use rustix::process::{Pid, Signal, kill_process};

/// Checks repeatedly until `so` is true.
#[track_caller]
fn wait_until(what: &str, so: impl Fn() -> bool) {
    let end = Instant::now() + SOON;
    while !so() {
        assert!(Instant::now() < end, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A shell command that writes its process id to `file`, and then executes the toy.
fn toy(file: &Path) -> String {
    format!("sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec {SLOSH} dam'", file.display())
}

fn read_pid(file: &Path) -> Pid {
    wait_until("its process id", || file.exists());
    let text = fs::read_to_string(file).expect("written");
    fs::remove_file(file).expect("ours");
    Pid::from_raw(text.trim().parse().expect("a number")).expect("not zero")
}

/// Whether the process has ended; it may still be a zombie.
fn is_gone(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid()));
    let zombie = stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")));
    zombie || rustix::process::test_kill_process(pid).is_err()
}

fn is_ink(text: &str) -> bool {
    !text.trim().is_empty()
}

fn is_drawn(text: &str) -> bool {
    text.chars().filter(|c| ('▀'..='▟').contains(c)).count() > 20
}

// ---- tmux ----

/// The state of a pane that a program could leave behind.
const PANE: &str = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{wrap_flag} \
                    #{keypad_flag} #{origin_flag} #{pane_dead}";
const AS_FOUND: &str = "0 1 0 0 1 0 0 0";

#[track_caller]
fn wait_for_picture(tmux: &Tmux) {
    wait_until("a picture", || tmux.format("#{alternate_on}") == "1" && is_drawn(&tmux.screen()));
}

#[track_caller]
fn assert_restored(tmux: &Tmux, before: &str, pid: Pid) {
    wait_until("its end", || is_gone(pid) && tmux.format("#{alternate_on}") == "0");
    wait_until("a prompt", || tmux.screen().matches("prompt>").count() > before.matches("prompt>").count());
    assert_eq!(tmux.format(PANE), AS_FOUND);
    let (before, after) = (before.trim_end(), tmux.screen());
    assert!(after.starts_with(before), "{after}");
    assert!(!after.contains("^["), "an answer was left to the shell: {after}");
}

#[test]
fn in_tmux_it_plays_and_leaves_the_pane_as_it_was() {
    let Some(tmux) = Tmux::start() else { return };
    let file = tmux.folder().join("pid");
    // Short enough for one line of the screen.
    let script = tmux.folder().join("play");
    fs::write(&script, toy(&file)).expect("our own folder");
    assert_eq!(tmux.format(PANE), AS_FOUND);
    for ending in ["q", "SIGTERM"] {
        tmux.send(&[&format!("clear; echo here before {ending}"), "Enter"]);
        wait_until("an echo", || tmux.screen().starts_with(&format!("here before {ending}\nprompt>")));
        tmux.send(&[&format!("sh {}", script.display())]);
        wait_until("the command", || tmux.screen().trim_end().ends_with("play"));
        let before = tmux.screen();
        tmux.send(&["Enter"]);
        wait_for_picture(&tmux);
        let pid = read_pid(&file);
        tmux.send(&["?"]);
        wait_until("the help", || tmux.screen().contains("Ctrl-Z") || tmux.screen().contains("quit"));
        tmux.send(&["?"]);
        wait_until("no help", || !tmux.screen().contains("quit"));
        match ending {
            "q" => tmux.send(&["q"]),
            _ => kill_process(pid, Signal::TERM).expect("running"),
        }
        assert_restored(&tmux, &before, pid);
    }
}

/// The window is closed, or the server dies: no process remains.
#[test]
fn in_tmux_it_ends_with_its_pane() {
    let Some(tmux) = Tmux::start() else { return };
    let file = tmux.folder().join("pid");
    for end in ["kill-pane", "kill-server"] {
        tmux.run(&["new-window", &toy(&file)]);
        wait_for_picture(&tmux);
        let pid = read_pid(&file);
        tmux.run(&[end]);
        wait_until("its end", || is_gone(pid));
    }
}

/// Through a client of tmux: the picture arrives whole, also after the client was detached, and at another size.
#[test]
fn a_client_of_tmux_sees_the_picture_and_comes_back_to_it() {
    let Some(tmux) = Tmux::start() else { return };
    let file = tmux.folder().join("pid");
    tmux.run(&["new-window", &toy(&file)]);
    let pid = read_pid(&file);
    for size in [(80, 25), (100, 31)] {
        let argv = tmux.attach();
        let mut client = Setup::new(argv.iter().map(String::as_str)).size(size.0, size.1).answering().start();
        let drawn = |pty: &Pty| is_drawn(&pty.screen().contents());
        assert!(client.pump_until(SOON, drawn), "{}", client.tail());
        let right_size = |_: &Pty| tmux.format("#{pane_width} #{pane_height}") == format!("{} {}", size.0, size.1 - 1);
        assert!(client.pump_until(SOON, right_size), "{}", client.tail());
        // The client detaches, and the toy continues.
        tmux.run(&["detach-client"]);
        assert!(client.end(SOON).is_some_and(|status| status.success()), "{}", client.tail());
        assert!(!is_gone(pid));
    }
    tmux.send(&["q"]);
    wait_until("its end", || is_gone(pid));
}

/// The variables in a pane do not tell the colours of the client's terminal, but tmux knows them.
#[test]
fn in_tmux_it_has_the_colours_of_the_client() {
    let Some(tmux) = Tmux::start() else { return };
    let file = tmux.folder().join("pid");
    tmux.run(&["new-window", &toy(&file)]);
    let pid = read_pid(&file);
    for (feature, true_color) in [("256", false), ("RGB", true)] {
        let mut argv = tmux.attach();
        let command = argv.len() - 1;
        argv.splice(command..command, ["-T".to_owned(), feature.to_owned()]);
        let mut client = Setup::new(argv.iter().map(String::as_str)).size(80, 25).answering().start();
        let drawn = |pty: &Pty| is_drawn(&pty.screen().contents());
        assert!(client.pump_until(SOON, drawn), "{}", client.tail());
        let colored = |pty: &Pty| {
            let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
            let mut colors = cells.filter_map(|(row, column)| Some(pty.screen().cell(row, column)?.fgcolor()));
            colors.any(|color| matches!(color, vt100::Color::Rgb(..)))
        };
        // tmux is asked once a second.
        let seen = client.pump_until(if true_color { SOON } else { Duration::from_millis(2500) }, colored);
        assert_eq!(seen, true_color, "with {feature}: {}", client.tail());
        tmux.run(&["detach-client"]);
        assert!(client.end(SOON).is_some_and(|status| status.success()), "{}", client.tail());
    }
    tmux.send(&["q"]);
    wait_until("its end", || is_gone(pid));
}

/// Ctrl-Z at the shell of a pane, and back. The toy queries tmux's clients as soon as it draws. Here starting tmux
/// takes long, so the toy is stopped during that query.
#[test]
fn in_tmux_it_suspends_and_continues() {
    let Some(tmux) = Tmux::start() else { return };
    let file = tmux.folder().join("pid");
    let script = tmux.folder().join("play");
    let lost = "/-:".repeat(30_000);
    fs::write(&script, format!("PATH={lost}$PATH exec {}", toy(&file))).expect("our own folder");
    tmux.send(&[&format!("sh {}", script.display()), "Enter"]);
    wait_for_picture(&tmux);
    let pid = read_pid(&file);
    for _ in 0..3 {
        tmux.send(&["C-z"]);
        wait_until("a prompt", || tmux.format(PANE) == AS_FOUND && tmux.screen().trim_end().ends_with("prompt>"));
        assert!(!tmux.screen().contains("^["), "an answer was left to the shell: {}", tmux.screen());
        tmux.send(&["clear; fg", "Enter"]);
        wait_for_picture(&tmux);
    }
    tmux.send(&["q"]);
    wait_until("its end", || is_gone(pid) && tmux.format(PANE) == AS_FOUND);
}

/// Processor time of a process in clock ticks.
fn ticks(pid: Pid) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields.get(11..13).map_or(0, |used| used.iter().filter_map(|n| n.parse::<u64>().ok()).sum())
}

/// The number of children of all of a process's threads, zombies included.
fn children(pid: Pid) -> usize {
    let threads = fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.map(|list| list.split_whitespace().count()).sum()
}

/// Without a client it stops and does next to nothing; a returning client gets a picture at once.
#[test]
fn detached_from_tmux_it_is_idle_and_returns_at_once() {
    let Some(tmux) = Tmux::start() else { return };
    let file = tmux.folder().join("pid");
    // Few particles, so that playing takes little of a core, and a busy loop is visible: it takes 100 ticks.
    tmux.run(&["new-window", &toy(&file).replace(" dam'", " dam --particles 300'")]);
    let pid = read_pid(&file);
    let attach = || {
        let argv = tmux.attach();
        Setup::new(argv.iter().map(String::as_str)).answering().start()
    };
    let mut client = attach();
    assert!(client.pump_until(SOON, |pty| is_drawn(&pty.screen().contents())), "{}", client.tail());
    // It checks once per second whether a client is attached.
    client.pump(Duration::from_millis(2500));
    tmux.run(&["detach-client"]);
    assert!(client.end(SOON).is_some(), "{}", client.tail());
    wait_until("it does not advance", || {
        let before = tmux.screen();
        std::thread::sleep(Duration::from_millis(300));
        tmux.screen() == before
    });
    let before = ticks(pid);
    std::thread::sleep(Duration::from_millis(1000));
    let used = ticks(pid) - before;
    // If it continued to simulate, it would take 15 to 23.
    assert!(used <= 8, "{used} ticks of processor time in a second");
    wait_until("tmux that was asked has been waited for", || children(pid) == 0);

    let mut client = attach();
    assert!(client.pump_until(SOON, |pty| is_drawn(&pty.screen().contents())), "{}", client.tail());
    let before = client.output.len();
    client.send(b"[");
    assert!(client.pump_until(SOON, |pty| pty.screen().contents().contains("speed 0.5x")), "{}", client.tail());
    let bytes = client.output.len() - before;
    assert!(bytes <= 100_000, "{bytes} bytes until a key had effect");
    client.send(b"q");
    wait_until("its end", || is_gone(pid));
}

/// A client that reads 20 KB/s: after the first seconds tmux buffers little for it and discards nothing.
///
/// The measure is the number of bytes that arrive after the toy is stopped, which a busy machine changes little. Tried
/// and dropped: the bytes until a key has an effect; they depend on the time that the toy waits for a processor.
#[test]
fn a_slow_client_of_tmux_is_not_flooded() {
    let Some(tmux) = Tmux::start() else { return };
    let file = tmux.folder().join("pid");
    // Not as the pane's own process, because tmux continues that one when it stops.
    let script = tmux.folder().join("play");
    fs::write(&script, format!("{}\n:\n", toy(&file))).expect("our own folder");
    tmux.run(&["new-window", &format!("sh {}", script.display())]);
    let pid = read_pid(&file);
    let argv = tmux.attach();
    let setup = Setup::new(argv.iter().map(String::as_str)).answering();
    let mut client = setup.link(Link::shallow(20e3)).start();
    for _ in 0..10 {
        client.send(b"L");
        client.pump(Duration::from_millis(500));
    }
    let discarded = || tmux.run(&["list-clients", "-F", "#{client_discarded}"]);
    let discarded_at_first = discarded();
    let mut queued: Vec<usize> = (0..3)
        .map(|_| {
            client.send(b"L");
            client.pump(Duration::from_millis(400));
            kill_process(pid, Signal::STOP).expect("running");
            let before = client.output.len();
            let silent = (0..60).any(|_| {
                let before = client.output.len();
                client.pump(Duration::from_millis(300));
                client.output.len() == before
            });
            assert!(silent, "tmux still draws what is stopped: {}", client.tail());
            kill_process(pid, Signal::CONT).expect("stopped");
            client.output.len() - before
        })
        .collect();
    queued.sort_unstable();
    // The median of three: 0.2 to 5 KB, idle and beside two busy loops; 39 to 46 KB without the throttle.
    assert!(queued[1] <= 15_000, "{queued:?} bytes were queued");
    assert_eq!(discarded(), discarded_at_first, "tmux discards what the client cannot take");
    client.send(b"q");
    wait_until("its end", || is_gone(pid));
}

// ---- ssh ----

fn over_ssh(sshd: &Sshd, file: &Path) -> (Pty, Pid) {
    let argv = sshd.client(&format!("LANG=C.UTF-8 {}", toy(file)));
    let mut pty = Setup::new(argv.iter().map(String::as_str)).answering().start();
    assert!(pty.pump_until(SOON, |pty| is_drawn(&pty.screen().contents())), "{}", pty.tail());
    (pty, read_pid(file))
}

#[test]
fn over_ssh_it_plays_and_leaves_nothing_behind() {
    let Some(sshd) = Sshd::start() else { return };
    let file = sshd.folder().join("pid");

    let (mut pty, pid) = over_ssh(&sshd, &file);
    pty.send(b"?");
    assert!(pty.pump_until(SOON, |pty| pty.screen().contents().contains("quit")), "{}", pty.tail());
    pty.send(b"?");
    assert!(pty.pump_until(SOON, |pty| !pty.screen().contents().contains("quit")), "{}", pty.tail());
    assert!(pty.terminal().requests > 0, "no frame was fenced");
    pty.resize(100, 31);
    let at_the_edge =
        |pty: &Pty| (60..100).any(|x| pty.screen().cell(30, x).is_some_and(|cell| is_ink(cell.contents())));
    assert!(pty.pump_until(SOON, at_the_edge), "{}", pty.tail());
    pty.send(b"q");
    let status = pty.end(SOON).expect("it should have ended by now");
    assert_eq!(Pty::code(status), 0, "{}", pty.tail());
    assert_eq!(pty.traces(), [""; 0], "{:?}", pty.tail());
    wait_until("its end", || is_gone(pid));

    let (mut pty, pid) = over_ssh(&sshd, &file);
    kill_process(pid, Signal::TERM).expect("running");
    assert!(pty.end(SOON).is_some(), "{}", pty.tail());
    assert_eq!(pty.traces(), [""; 0], "{:?}", pty.tail());
    wait_until("its end", || is_gone(pid));

    // The link is cut: the client dies without closing the connection.
    let (pty, pid) = over_ssh(&sshd, &file);
    pty.signal(Signal::KILL);
    wait_until("its end", || is_gone(pid));
}
