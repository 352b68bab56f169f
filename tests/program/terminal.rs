//! The terminal contract, from outside: the real program in a pty, and the frame encoder with a terminal emulator in
//! the loop. contract.rs tests the endings and sizes for all commands; the rest is here.
#![cfg(unix)]

use crate::program::{SLOSH, SOON};
use crate::pty;
use std::time::Duration;

use crate::pty::{Link, Pty, Setup};
use proptest::prelude::*;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use rustix::process::Signal;
use slosh::term::encoder::{FrameEncoder, OutputCaps};
use slosh::view::ColorDepth;

fn slosh() -> Setup {
    Setup::new([SLOSH])
}

// ---- endings ----

#[test]
fn keys_that_quit() {
    for key in [&b"q"[..], b"\x1b", b"\x03", b"\x1b[27u", b"\x1b[113;1:1u", b"\x1b[99;5u", b"\x1b[1089::99;5u"] {
        for setup in [slosh(), slosh().answering()] {
            let mut pty = setup.start();
            pty.wait_for_picture();
            pty.send(key);
            pty.assert_ends(SOON, 0);
        }
    }
}

#[test]
fn a_key_typed_before_the_first_frame_quits() {
    let mut pty = slosh().start();
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

#[test]
fn a_signal_sent_twice_still_ends_it_well() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    pty.signal(Signal::TERM);
    pty.signal(Signal::TERM);
    pty.assert_ends(SOON, 128 + Signal::TERM.as_raw());
}

/// With `nohup`, or if the session leader outlives the terminal, there is no SIGHUP either.
#[test]
fn the_terminal_goes_away_and_the_signal_is_ignored() {
    let mut pty = Setup::new(["/bin/sh", "-c", "trap '' HUP; \"$0\"; :", SLOSH]).start();
    pty.wait_for_picture();
    pty.hang_up();
    assert!(pty.end(SOON).is_some(), "still running without a terminal");
}

/// Bytes that the reader's end of a pty already holds (4 KiB on Linux) cannot be taken back. All other unread bytes are
/// dropped, so a terminal that reads again later finds no queries to which it would reply to the shell.
#[test]
fn a_terminal_that_does_not_read_does_not_block_the_end() {
    for (setup, answers) in [(slosh(), false), (slosh().answering(), true)] {
        let mut pty = setup.start();
        pty.wait_for_picture();
        // Replies are on their way; then wait until the pty's buffer is full of frames.
        pty.pump(Duration::from_millis(300));
        let read = pty.output.len();
        std::thread::sleep(Duration::from_millis(600));
        pty.signal(Signal::TERM);
        let status = pty.end_unread(SOON).expect("blocked by a terminal that does not read");
        assert_eq!(Pty::code(status), 128 + Signal::TERM.as_raw());
        pty.pump(Duration::from_millis(50));
        let questions = |bytes: &[u8]| bytes.windows(4).filter(|bytes| *bytes == b"\x1b[5n").count();
        let (held, dropped) = pty.output[read..].split_at(pty.output[read..].len().min(4096));
        assert!(!answers || questions(dropped) == 0, "{:?}", pty.tail());
        let answered = pty.output[read..].windows(5).filter(|bytes| *bytes == b"^[[0n").count();
        assert!(answered <= questions(held), "{:?}", pty.tail());
        let mut traces = pty.traces();
        traces.retain(|trace| answered == 0 || trace != pty::ECHO);
        assert_eq!(traces, [""; 0], "{:?}", pty.tail());
    }
}

#[test]
fn quitting_on_a_slow_link_with_a_backlog() {
    for link in [Link::shallow(20e3), Link::deep(20e3)] {
        let mut pty = slosh().size(200, 60).answering().link(link).start();
        pty.pump(Duration::from_millis(2500));
        let before = pty.output.len();
        pty.send(b"q");
        pty.assert_ends(SOON, 0);
        // Bytes that were on their way, and the restoring sequences.
        let bytes = pty.output.len() - before;
        assert!(bytes <= 25_000, "{bytes} bytes after q");
        let farewell = pty.output.windows(8).rposition(|bytes| bytes == b"\x1b[?1049l").expect("it left");
        assert!(
            !pty.output[farewell..].windows(4).any(|bytes| bytes == b"\x1b[2J"),
            "frames after the end of the session"
        );
    }
}

/// Mouse reports that the terminal sends before it has read the end of mouse reporting are read, and not left to the
/// shell. On links of 60 ms and more they used to be left, and on links of 700 ms and more replies too.
#[test]
fn mouse_reports_at_the_end_leave_no_trace() {
    for delay in [60, 150, 800] {
        let link = Link { delay: Duration::from_millis(delay), ..Link::LOCAL };
        let mut pty = slosh().answering().link(link).start();
        pty.wait_for_picture();
        assert!(pty.pump_until(SOON, |pty| pty.terminal().requests > 4), "{}", pty.tail());
        pty.pump(Duration::from_millis(2 * delay));
        pty.tell(b"q");
        let mut ended = None;
        for number in 0..SOON.as_millis() / 5 {
            if pty.screen().mouse_protocol_mode() != vt100::MouseProtocolMode::None {
                pty.tell(format!("\x1b[<35;{};9M", 1 + number % 80).as_bytes());
            }
            ended = pty.end(Duration::from_millis(5));
            if ended.is_some() {
                break;
            }
        }
        assert_eq!(ended.map(Pty::code), Some(0), "{}", pty.tail());
        // Bytes that are still on their way arrive at the shell.
        pty.pump(Duration::from_millis(3 * delay));
        assert_eq!(pty.traces(), [""; 0], "{delay} ms: {:?}", pty.tail());
    }
}

/// The rate of a slow link, bytes per second.
const RATE: f64 = 20e3;
/// Upper limit on one frame's bytes: .75/15 s and half as much again, cut off within a cell.
const FRAME: usize = (RATE * 0.75 / 15.0 * 1.5) as usize + 200;

/// Few bytes are on their way when a key is pressed: at most two unacknowledged frames, or on a long link those of its delay.
#[test]
fn on_a_slow_link_little_is_queued() {
    for delay in [0, 100] {
        little_is_queued(Duration::from_millis(delay));
    }
}

fn little_is_queued(delay: Duration) {
    let mut pty = slosh().answering().var("COLORTERM", "truecolor").link(Link { delay, ..Link::deep(RATE) }).start();
    // The rate is not known yet: a first frame or two of 4500 bytes, and the queries. Counts frames here as below.
    assert!(pty.pump_until(SOON, |pty| pty.frames() >= 6), "{}", pty.tail());
    let at_start = pty.wire().most_queued;
    pty.wire().reset();
    // Counts frames, not seconds, because a busy machine makes fewer of them.
    let enough = pty.frames() + 12;
    let goes_on = (0..50).any(|_| {
        pty.send(b"L");
        pty.pump_until(Duration::from_millis(400), |pty| pty.frames() >= enough)
    });
    assert!(goes_on, "fewer than 12 frames in 20 s");
    let (queued, flying) = (pty.wire().most_queued, pty.wire().most_in_flight);
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
    let said =
        format!("{at_start} bytes queued at the start, then {queued}, {flying} frames, with {delay:?} for an answer");
    assert!(
        at_start <= 10_000 && (1..=2 + delay.as_millis() / 30).contains(&(flying as u128)) && queued <= 2 * FRAME,
        "{said}"
    );
}

/// The effect of a key comes after the bytes on their way and one more frame. It is measured in bytes, which a busy
/// machine changes little.
#[test]
fn on_a_slow_link_a_key_has_an_early_effect() {
    let mut pty = slosh().answering().var("COLORTERM", "truecolor").link(Link::deep(RATE)).start();
    pty.pump(Duration::from_millis(1500));
    let keys: [(&[u8], _); 3] = [(b"[", "speed 0.5x"), (b"]", "speed 1x"), (b"[", "speed 0.5x")];
    let enough = 3 * FRAME + Link::deep(RATE).burst() as usize;
    for (key, effect) in keys {
        let before = pty.output.len();
        pty.send(key);
        let shown = pty.pump_until(SOON, |pty| pty.screen().contents().contains(effect));
        assert!(shown, "{}", pty.tail());
        let bytes = pty.output.len() - before;
        assert!(bytes <= enough, "{bytes} bytes until the key shows");
        pty.pump(Duration::from_millis(300));
    }
}

/// The frame rate falls on a slow link, and rises again on a fast one.
#[test]
fn the_frame_rate_falls_with_the_link_and_rises_with_it() {
    let mut pty = slosh().answering().var("COLORTERM", "truecolor").link(Link::deep(15e3)).start();
    let frames = |pty: &mut Pty, seconds: u64| {
        let before = pty.frames();
        pty.send(b"L");
        pty.pump(Duration::from_secs(seconds));
        (pty.frames() - before) as u64 / seconds
    };
    frames(&mut pty, 3);
    let slow = frames(&mut pty, 2);
    assert!(slow <= 20, "{slow} frames a second");
    pty.set_link(Link::LOCAL);
    assert!((0..10).any(|_| frames(&mut pty, 1) >= slow + 5), "no more than {slow} frames a second on a fast link");
}

/// At any size, a coarse picture comes first, within a fifth of a second on a slow link.
#[test]
fn the_first_picture_is_small_and_whole() {
    for setup in [slosh(), slosh().answering()] {
        let mut pty = setup.size(120, 40).var("COLORTERM", "truecolor").link(Link::deep(20e3)).start();
        assert!(pty.pump_until(SOON, |pty| first_picture(pty).is_some()), "{}", pty.tail());
        let bytes = first_picture(&pty).expect("waited for");
        assert!(bytes <= 4_000, "{bytes} bytes");
    }
}

/// The bytes up to the end of the first frame that shows water. The part of the next frame that has been read by then
/// depends on the machine, so it is not included.
fn first_picture(pty: &Pty) -> Option<usize> {
    const END: &[u8] = b"\x1b[?2026l";
    let (rows, columns) = pty.screen().size();
    let mut screen = vt100::Parser::new(rows, columns, 0);
    let mut read = 0;
    let ends = pty.output.windows(END.len()).enumerate().filter(|(_, bytes)| *bytes == END);
    ends.map(|(start, _)| start + END.len()).find(|end| {
        screen.process(&pty.output[read..*end]);
        read = *end;
        shows_water(screen.screen())
    })
}

#[test]
fn a_bandwidth_setting_is_not_exceeded() {
    for setup in [Setup::new([SLOSH, "--bandwidth", "8K"]), slosh().var("SLOSH_BANDWIDTH", "8K")] {
        let mut pty = setup.answering().var("COLORTERM", "truecolor").start();
        pty.pump(Duration::from_millis(500));
        let (before, start) = (pty.output.len(), std::time::Instant::now());
        for _ in 0..4 {
            pty.send(b"L");
            pty.pump(Duration::from_millis(500));
        }
        let rate = (pty.output.len() - before) as f64 / start.elapsed().as_secs_f64();
        assert!((1e3..10e3).contains(&rate), "{rate} bytes a second");
    }
}

// ---- doctor ----

fn doctor() -> Setup {
    Setup::new([SLOSH, "doctor"]).size(80, 40)
}

/// Gaps between block glyphs are visible in a strip, which is left out if the terminal draws the glyphs itself.
#[test]
fn doctor_shows_a_strip_of_blocks_where_the_font_draws_them() {
    for (name, strip) in [("XTerm(379)", true), ("quux 3", true), ("kitty(0.42.0)", false)] {
        let mut pty = doctor().start();
        assert!(pty.pump_until(SOON, |pty| pty.output.ends_with(b"\x1b[c")), "{}", pty.tail());
        pty.tell(format!("\x1bP>|{name}\x1b\\\x1b[?62c").as_bytes());
        pty.assert_ends(SOON, 0);
        let text = pty.screen().contents();
        assert_eq!(text.contains("▐██▛▀▜██▛▀▜▌") && text.contains("in xterm: Inconsolata"), strip, "{text}");
        assert_eq!(text.contains("tile in any font"), !strip, "{text}");
    }
}

#[test]
fn doctor_reports_the_terminals_replies() {
    let mut pty = doctor().answering().start();
    pty.assert_ends(SOON, 0);
    let text = pty.screen().contents();
    let lines = ["tester 1.0", "8x16 pixels", "terminal's answer: CSI 16 t", "#1c1c1c", "terminal's answer: OSC 11"];
    for said in lines.into_iter().chain(["in pixels", "environment: TERM", "80x40 cells", "by replies"]) {
        assert!(text.contains(said), "no {said:?} in\n{text}");
    }
    assert!(!text.contains('\u{1cd00}'), "the probe is still visible:\n{text}");
}

#[test]
fn doctor_does_not_wait_for_ever() {
    let mut pty = doctor().start();
    pty.assert_ends(SOON, 0);
    let text = pty.screen().contents();
    assert!(text.contains("waited 1000 ms") && text.contains("no replies"), "{text}");
}

#[test]
fn doctor_uses_80x24_for_a_window_without_a_size() {
    let mut pty = doctor().size(0, 0).start();
    pty.assert_ends(SOON, 0);
    let text = String::from_utf8_lossy(&pty.output);
    assert!(text.contains("80x24 cells") && !text.contains("0x0"), "{text}");
}

#[test]
fn doctor_sends_no_queries_to_a_terminal_that_would_print_them() {
    let mut pty = doctor().var("TERM", "dumb").start();
    pty.assert_ends(SOON, 0);
    assert!(!pty.output.contains(&0x1b), "{}", pty.tail());
}

#[test]
fn doctor_distinguishes_settings_from_findings() {
    let mut pty = Setup::new([SLOSH, "doctor", "--color", "16", "--bandwidth", "20K"]).size(80, 40).answering().start();
    pty.assert_ends(SOON, 0);
    let text = pty.screen().contents();
    assert!(text.contains("20000 bytes a second") && text.matches("slosh config tells").count() == 2, "{text}");
}

#[test]
fn keys_come_from_the_terminal_though_standard_input_does_not() {
    let mut pty = Setup::new(["/bin/sh", "-c", "exec \"$0\" < /dev/null", SLOSH]).start();
    pty.wait_for_picture();
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

/// Non-blocking mode on the shared description would make the shell's next program fail.
#[test]
fn the_shell_keeps_its_blocking_terminal() {
    let script = "\"$0\"; cat";
    let mut pty = Setup::new(["/bin/sh", "-c", script, SLOSH]).start();
    pty.wait_for_picture();
    pty.send(b"q");
    assert!(pty.pump_until(SOON, |pty| !pty.screen().alternate_screen()), "{}", pty.tail());
    // Input typed while replies are awaited is dropped with them.
    pty.pump(Duration::from_millis(800));
    pty.send(b"still here\n\x04");
    assert!(pty.end(SOON).is_some_and(|status| status.success()), "{}", pty.tail());
    assert!(pty.screen().contents().matches("still here").count() == 2, "{}", pty.screen().contents());
}

// ---- stopping ----

#[test]
fn control_z_hands_the_terminal_to_the_shell_and_fg_takes_it_back() {
    let script = "set -m; \"$0\"; stty -a | grep -c -- -echo; echo stopped; read x; fg; echo ended";
    for setup in
        [Setup::new(["/bin/sh", "-c", script, SLOSH]), Setup::new(["/bin/sh", "-c", script, SLOSH]).answering()]
    {
        let mut pty = setup.start();
        pty.wait_for_picture();
        pty.send(b"\x1a");
        assert!(pty.pump_until(SOON, |pty| pty.screen().contents().contains("stopped")), "{}", pty.tail());
        assert_eq!(pty.traces(), [""; 0], "{}", pty.tail());
        let before = pty.output.len();
        pty.send(b"\n");
        assert!(pty.pump_until(SOON, |pty| whole_since(pty, before)), "{}", pty.tail());
        pty.send(b"q");
        assert!(pty.pump_until(SOON, |pty| pty.screen().contents().contains("ended")), "{}", pty.tail());
        pty.assert_ends(SOON, 0);
    }
}

/// Typed at a prompt, stopped, listed in jobs, continued, quit: in the user's own shell.
#[test]
fn control_z_and_fg_at_an_interactive_shell() {
    for setup in [Setup::new(["/bin/sh", "-i"]), Setup::new(["/bin/sh", "-i"]).answering()] {
        let mut pty = setup.var("PS1", "prompt> ").var("SLOSH", SLOSH).start();
        // Input typed before the prompt is back may be dropped with the terminal's last replies.
        let prompts = |count| {
            move |pty: &Pty| {
                let shown = !pty.screen().alternate_screen();
                shown && pty.screen().contents().matches("prompt>").count() == count
            }
        };
        assert!(pty.pump_until(SOON, prompts(1)), "{}", pty.tail());
        pty.send(b"\"$SLOSH\"\r");
        pty.wait_for_picture();
        pty.send(b"\x1a");
        assert!(pty.pump_until(SOON, prompts(2)), "{}", pty.tail());
        pty.send(b"jobs\r");
        assert!(pty.pump_until(SOON, prompts(3)), "{}", pty.tail());
        assert!(pty.screen().contents().contains("Stopped"), "{}", pty.screen().contents());
        let before = pty.output.len();
        pty.send(b"fg\r");
        assert!(pty.pump_until(SOON, |pty| whole_since(pty, before)), "{}", pty.tail());
        pty.send(b"q");
        assert!(pty.pump_until(SOON, prompts(4)), "{}", pty.tail());
        pty.send(b"exit 7\r");
        let status = pty.end(SOON).expect("the shell should have ended by now");
        assert_eq!(Pty::code(status), 7, "{}", pty.tail());
        assert!(!pty.screen().contents().contains("^["), "{}", pty.screen().contents());
    }
}

/// The shell has the terminal meanwhile: nothing is written to it, and its modes are left alone.
#[test]
fn a_suspended_program_is_ended_by_a_signal() {
    // A shell may continue what it kills, or not.
    for kill in ["kill %1; kill -CONT %1", "bg; kill %1; kill -CONT %1"] {
        let mut pty = Setup::new(["/bin/sh", "-i"]).answering().var("PS1", "prompt> ").var("SLOSH", SLOSH).start();
        let shell = |pty: &Pty| !pty.screen().alternate_screen() && pty.screen().contents().ends_with("prompt> ");
        pty.pump_until(SOON, |pty| pty.screen().contents().contains("prompt>"));
        pty.send(b"\"$SLOSH\"\r");
        pty.wait_for_picture();
        pty.send(b"\x1a");
        assert!(pty.pump_until(SOON, shell), "{}", pty.tail());
        let before = pty.output.len();
        pty.send(format!("{kill}\r").as_bytes());
        let ended = (0..40).any(|_| {
            pty.send(b"jobs\r");
            pty.pump_until(Duration::from_millis(500), |pty| pty.screen().contents().contains("Terminated"))
        });
        assert!(ended, "{kill}: {}", pty.tail());
        assert!(!pty.output[before..].windows(8).any(|bytes| bytes == b"\x1b[?1049h"), "{kill}: {}", pty.tail());
        pty.send(b"exit 7\r");
        assert_eq!(pty.end(SOON).map(Pty::code), Some(7), "{}", pty.tail());
    }
}

/// Whether an entire frame was drawn since the output had this length, and something is visible.
fn whole_since(pty: &Pty, before: usize) -> bool {
    let cleared = pty.output[before..].windows(4).any(|bytes| bytes == b"\x1b[2J");
    cleared && pty.screen().alternate_screen() && has_water(pty)
}

fn has_water(pty: &Pty) -> bool {
    shows_water(pty.screen())
}

fn shows_water(screen: &vt100::Screen) -> bool {
    let (rows, columns) = screen.size();
    // Deep water may be blanks over its colour.
    let is_water = |cell: &vt100::Cell| !cell.contents().trim().is_empty() || cell.bgcolor() != vt100::Color::Default;
    let seen = |x| screen.cell(rows.get() - 1, x).is_some_and(is_water);
    (0..columns.get()).any(seen)
}

/// Without a shell to continue it, a stop would be for ever. The kernel prevents it, and slosh continues.
#[test]
fn control_z_without_a_shell_goes_on() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    pty.send(b"\x1a");
    pty.pump(Duration::from_millis(300));
    pty.wait_for_picture();
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

// ---- input ----

#[test]
fn late_answers_are_not_keys() {
    let answers: &[&[u8]] = &[
        b"\x1b[0n",
        b"\x1b[?62;22c",
        b"\x1b]11;rgb:qqqq/qqqq/qqqq\x1b\\",
        b"\x1b]11;rgb:1c1c/1c1c/1c1c\x07",
        b"\x1bP>|quux q\x1b\\",
        b"\x1bP1+r524742=38\x1b\\",
        b"\x1b[?2026;2$y",
        b"\x1b[12;34R",
        b"\x1b[6;16;8t",
        b"\x1b[?3u",
        b"\x1b_Gi=31;q\x1b\\",
    ];
    let mut pty = slosh().start();
    pty.wait_for_picture();
    for answer in answers {
        // Whole, and byte by byte with pauses.
        pty.send(answer);
        pty.pump(Duration::from_millis(10));
        for byte in *answer {
            pty.send(&[*byte]);
            // After a longer pause, a single ESC would be a key.
            pty.pump(Duration::from_millis(2));
        }
    }
    let ended = pty.end(Duration::from_millis(200));
    assert!(ended.is_none(), "an answer was taken for a key");
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

/// A terminal whose ambiguous characters are wide reports column 3 after a block.
#[test]
fn where_blocks_are_wide_the_picture_is_ascii() {
    let mut pty = slosh().var("LANG", "ja_JP.UTF-8").start();
    pty.wait_for_picture();
    pty.send(b"\x1b[1;3R\x1b[1;3R\x1b[1;73R\x1b[?62c");
    let ascii = |pty: &Pty| {
        let shown = pty.screen().contents();
        shown.is_ascii() && shown.chars().filter(|character| !character.is_whitespace()).count() > 200
    };
    assert!(pty.pump_until(SOON, ascii), "{}", pty.screen().contents());
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

/// tmux before 3.4, GNU screen and mosh reply, but do not tell their background: shades toward an assumed black would be dark
/// outlines on a light one.
#[test]
fn where_the_background_is_not_told_it_is_painted() {
    let is_painted = |pty: &Pty| {
        let is_black = |color| matches!(color, vt100::Color::Idx(0 | 16) | vt100::Color::Rgb(0, 0, 0));
        pty.screen().cell(0, 79).is_some_and(|corner| is_black(corner.bgcolor()))
    };
    let mut pty = slosh().start();
    pty.wait_for_picture();
    assert!(!is_painted(&pty), "before any reply");
    pty.send(b"\x1b[?62;4c");
    assert!(pty.pump_until(SOON, is_painted), "{}", pty.screen().contents());
    pty.send(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    assert!(pty.pump_until(SOON, |pty| !is_painted(pty)), "{}", pty.screen().contents());
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

/// Mode 2031: the terminal reports a change to light colours; slosh queries the colour, and paints on it.
#[test]
fn a_change_from_dark_to_light_is_followed() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    pty.send(b"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?2031;2$y");
    assert!(pty.pump_until(SOON, |pty| contains(&pty.output, b"\x1b[?2031h")));
    let before = pty.output.len();
    pty.send(b"\x1b[?997;2n");
    assert!(pty.pump_until(SOON, |pty| contains(&pty.output[before..], b"\x1b]11;?")));
    let before = pty.output.len();
    pty.send(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    // The help is written in the background's colours.
    pty.send(b"?");
    // White, as one of 16 colours or as one of all.
    let is_white = |output: &[u8]| [&b"107"[..], b"48;5;15", b"48;2;255;255;255"].iter().any(|it| contains(output, it));
    assert!(pty.pump_until(SOON, |pty| is_white(&pty.output[before..])));
    pty.send(b"?q");
    pty.assert_ends(SOON, 0);
    assert!(contains(&pty.output, b"\x1b[?2031l"), "the reports are switched off at the end");
}

fn contains(output: &[u8], bytes: &[u8]) -> bool {
    output.windows(bytes.len()).any(|window| window == bytes)
}

#[test]
fn garbage_does_not_stop_input() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..50 {
        // High bytes, unfinished sequences and unterminated strings; none of them is a key.
        let start: &[u8] =
            random.choice([&b"\x1b["[..], b"\x1b]", b"\x1bP", b"\xf0\x9f", b"\xff\xfe", b"\x1b[200~"]).expect("some");
        pty.send(start);
        let rest: Vec<u8> = (0..random.usize(0..40)).map(|_| random.u8(b'0'..b':')).collect();
        pty.send(&rest);
    }
    // An unfinished paste times out after a second of silence; then keys are keys again.
    pty.pump(Duration::from_millis(1300));
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

#[test]
fn a_paste_and_a_string_have_no_effect() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    pty.send(b"\x1b[200~q\x03\x1b[113u q\x1b[201~");
    pty.send(b"\x1b]11;");
    for _ in 0..300 {
        pty.send(&[b'q'; 1000]);
        pty.pump(Duration::from_millis(1));
    }
    pty.send(b"\x07");
    assert!(pty.end(Duration::from_millis(200)).is_none(), "text was taken for keys");
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

#[test]
fn control_c_quits_though_a_paste_never_ends() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    pty.send(b"\x1b[200~abc");
    for _ in 0..8 {
        pty.send(b"x");
        pty.pump(Duration::from_millis(150));
    }
    pty.send(b"\x03");
    pty.assert_ends(SOON, 0);
}

#[test]
fn the_rest_of_a_paste_that_stalls_has_no_effect() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    pty.send(b"\x1b[200~abc");
    pty.pump(Duration::from_millis(1500));
    pty.send(b"q and q\x1b[201~");
    assert!(pty.end(Duration::from_millis(600)).is_none(), "text was taken for keys");
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

/// Waiting without work must not be a busy loop.
#[test]
fn waiting_for_a_terminal_is_no_busy_loop() {
    let mut pty = slosh().start();
    pty.wait_for_picture();
    pty.send(b" ");
    std::thread::sleep(Duration::from_millis(400));
    let Some(before) = pty.ticks() else { return };
    std::thread::sleep(Duration::from_millis(500));
    let used = pty.ticks().expect("as before") - before;
    // A busy loop takes 50 ticks; slosh takes one.
    assert!(used <= 8, "{used} ticks of processor time in half a second");
}

/// Without the focus there are a few frames per second, in slow motion.
#[test]
fn without_focus_few_frames_are_drawn() {
    let mut pty = Setup::new([SLOSH, "fountain", "--particles", "300"]).answering().start();
    pty.wait_for_picture();
    pty.send(b"\x1b[O");
    pty.pump(Duration::from_millis(500));
    let before = pty.frames();
    pty.pump(Duration::from_secs(2));
    let frames = pty.frames() - before;
    assert!((1..=14).contains(&frames), "{frames} frames in 2 s");
    pty.send(b"\x1b[I");
    let before = pty.frames();
    assert!(pty.pump_until(SOON, |pty| pty.frames() > before + 20), "it does not wake");
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
}

/// A resting picture becomes exact, and then no more bytes are sent.
#[test]
fn a_paused_toy_sends_nothing() {
    for setup in [slosh(), slosh().answering().var("COLORTERM", "truecolor").size(120, 40)] {
        let mut pty = setup.start();
        pty.wait_for_picture();
        pty.send(b" ");
        let silent = (0..100).any(|_| {
            let before = pty.output.len();
            pty.pump(Duration::from_millis(300));
            pty.output.len() == before
        });
        assert!(silent, "{}", pty.tail());
        assert!(has_water(&pty));
        // It wakes.
        let before = pty.output.len();
        pty.send(b" ");
        assert!(pty.pump_until(SOON, |pty| pty.output.len() > before), "{}", pty.tail());
        pty.send(b"q");
        pty.assert_ends(SOON, 0);
    }
}

// ---- the encoder ----

/// Cells of the kinds that the app draws, and some that no app should draw.
fn any_cell() -> impl Strategy<Value = (String, Color, Color, Modifier)> {
    let symbol = prop_oneof![
        8 => Just(" ".to_owned()),
        4 => prop::sample::select(vec!["x", "▀", "▌", "█", "⣿", "🬓", "é", "\u{1fb3c}"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["漢", "e\u{301}", "😀", "\x07", "\x1b[2J", "", "\u{301}", "\u{200b}"]).prop_map(str::to_owned),
    ];
    let color = || {
        prop_oneof![
            4 => Just(Color::Reset),
            2 => prop::sample::select(vec![Color::Red, Color::White, Color::Indexed(99), Color::DarkGray]),
            2 => (0..3u8, 0..3u8).prop_map(|(r, b)| Color::Rgb(r * 100, 7, b * 90)),
        ]
    };
    let modifier = prop_oneof![
        8 => Just(Modifier::empty()),
        1 => prop::sample::select(vec![Modifier::BOLD, Modifier::REVERSED, Modifier::ITALIC | Modifier::BOLD, Modifier::UNDERLINED]),
    ];
    (symbol, color(), color(), modifier)
}

type Cell = (String, Color, Color, Modifier);

/// A frame: a size, a background cell, and runs of other cells on it.
fn any_frame() -> impl Strategy<Value = Buffer> {
    let size = prop::sample::select(vec![(1u16, 1u16), (2, 1), (7, 3), (30, 5), (30, 5), (30, 5)]);
    let runs = prop::collection::vec((0..200usize, 1..40usize, any_cell()), 0..12);
    (size, any_cell(), runs).prop_map(|((width, height), ground, runs)| {
        let mut frame = Buffer::empty(Rect::new(0, 0, width, height));
        let cells = frame.content.len();
        let mut set = |i: usize, cell: &Cell| {
            let slot = &mut frame.content[i];
            slot.set_symbol(&cell.0).set_fg(cell.1).set_bg(cell.2);
            slot.modifier = cell.3;
        };
        (0..cells).for_each(|i| set(i, &ground));
        for (start, length, cell) in &runs {
            (*start..start + length).filter(|&i| i < cells).for_each(|i| set(i, cell));
        }
        frame
    })
}

/// The expected content of a terminal's cell: text and, where visible, colours.
fn intended(frame: &Buffer, x: u16, y: u16) -> Option<(String, vt100::Color, vt100::Color)> {
    let cell = &frame[(x, y)];
    let symbol = cell.symbol();
    let strange =
        symbol.chars().any(char::is_control) || symbol.is_empty() || ["\u{301}", "\u{200b}"].contains(&symbol);
    let wide = |x: u16| ["漢", "😀"].contains(&frame[(x, y)].symbol());
    // Runs of wide characters pair up from the left.
    let mut lefts = 0;
    while lefts <= x && wide(x - lefts) {
        lefts += 1;
        if lefts > x {
            break;
        }
    }
    let before = if wide(x) { lefts - 1 } else { (1..=x).take_while(|d| wide(x - d)).count() as u16 };
    if before % 2 == 1 {
        return None;
    }
    let text = if strange || (wide(x) && x + 1 >= frame.area.width) { " " } else { symbol };
    Some((text.to_owned(), color(cell.fg), color(cell.bg)))
}

fn color(color: Color) -> vt100::Color {
    match color {
        Color::Reset => vt100::Color::Default,
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        Color::Indexed(i) => vt100::Color::Idx(i),
        Color::Red => vt100::Color::Idx(1),
        Color::DarkGray => vt100::Color::Idx(8),
        Color::White => vt100::Color::Idx(15),
        other => unreachable!("{other}"),
    }
}

fn assert_shows(screen: &vt100::Screen, frame: &Buffer) -> Result<(), TestCaseError> {
    for y in 0..frame.area.height {
        for x in 0..frame.area.width {
            let cell = screen.cell(y, x).expect("within the screen");
            let Some((text, fg, bg)) = intended(frame, x, y) else {
                prop_assert!(cell.is_wide_continuation(), "at {x},{y}");
                continue;
            };
            let shown = if cell.has_contents() { cell.contents() } else { " " };
            let modifier = frame[(x, y)].modifier;
            prop_assert_eq!(shown, &text, "at {},{}", x, y);
            prop_assert_eq!(cell.bgcolor(), bg, "background at {},{}", x, y);
            if text != " " || modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED) {
                prop_assert_eq!(cell.fgcolor(), fg, "text at {},{}", x, y);
                prop_assert_eq!(cell.bold(), modifier.contains(Modifier::BOLD), "bold at {},{}", x, y);
                prop_assert_eq!(cell.inverse(), modifier.contains(Modifier::REVERSED), "reverse at {},{}", x, y);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// After the encoder's bytes, the emulator's screen equals the frame, whatever was there before.
    #[test]
    fn the_screen_becomes_the_frame(
        frames in prop::collection::vec(any_frame(), 1..6), erase: bool, repeat: bool, sync: bool
    ) {
        let dialect = OutputCaps { depth: ColorDepth::TrueColor, sync, row_order: !sync, erase, repeat, tabs: !erase };
        let mut screen = FrameEncoder::new(dialect);
        let mut emulator = vt100::Parser::default();
        for frame in &frames {
            let size = |n: u16| n.try_into().expect("not zero");
            emulator.set_size(size(frame.area.height), size(frame.area.width));
            emulator.process(screen.encode(frame));
            assert_shows(emulator.screen(), frame)?;
            prop_assert!(screen.encode(frame).is_empty(), "the same frame again is no bytes");
        }
    }
}

#[test]
fn mono_sends_no_colours() {
    let mut frame = Buffer::empty(Rect::new(0, 0, 20, 4));
    frame.content.iter_mut().for_each(|cell| {
        cell.set_symbol("▀").set_fg(Color::Rgb(1, 2, 3)).set_bg(Color::Blue);
    });
    let mut screen = FrameEncoder::new(OutputCaps { depth: ColorDepth::Mono, ..OutputCaps::default() });
    let mut emulator = vt100::Parser::default();
    emulator.process(screen.encode(&frame));
    let cell = emulator.screen().cell(2, 3).expect("within the screen");
    assert_eq!((cell.contents(), cell.fgcolor(), cell.bgcolor()), ("▀", vt100::Color::Default, vt100::Color::Default));
}
