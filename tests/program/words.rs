//! The text and melt demos: words and pages hold, melt and flow back. Hostile bytes have no effect. Pages come from a
//! pipe or from tmux.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH};
use crate::pty::Setup as TerminalCaps;
use crate::servers::Tmux;
use crate::{pty, reader};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use slosh::app::action::{Action, Window};
use slosh::app::demo::Demo;
use slosh::app::demo::screen_capture::ScreenCapture;
use slosh::app::demo::text::TextDemo;
use slosh::app::{App, Options, Request};
use std::io::Write;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

const WINDOW: Window = Window { columns: 80, rows: 24, cell: [8, 16] };
const STEP: Duration = Duration::from_nanos(1_000_000_000 / 60 + 1);

/// The toy with these words in a window of 80×24.
fn toy(words: TextDemo) -> App {
    let demo = Demo::Text(words);
    let mut app = App::new(Options { demo: Some(demo.clone()), ..Options::new(demo.scene(), Vec::new()) });
    app.update(Action::Resize(WINDOW));
    app
}

fn play(app: &mut App, steps: u32) {
    (0..steps).for_each(|_| assert_eq!(app.tick(STEP, 1), 1));
}

fn draw(app: &mut App) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
    app.draw(&mut buf);
    buf
}

fn letters(app: &mut App) -> String {
    reader::read(&draw(app), 21, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

#[test]
fn words_hold_melt_and_flow_back() {
    let mut app = toy(TextDemo::from_text("HELLO").expect("words"));
    play(&mut app, 100);
    assert_eq!(letters(&mut app), "HELLO");
    play(&mut app, 270);
    let molten = draw(&mut app);
    assert!((0..80 * 12).all(|at| molten.content[at].symbol() == " "), "a part still does not fall");
    app.update(Action::Melt);
    play(&mut app, 120);
    assert_eq!(letters(&mut app), "HELLO", "two seconds after they were called back");
    play(&mut app, 60);
    assert_eq!(letters(&mut app), "HELLO", "they hold until the next request");
    app.update(Action::Melt);
    play(&mut app, 120);
    assert_ne!(letters(&mut app), "HELLO");

    // The end waits until they have flowed back.
    app.update(Action::Quit);
    assert_eq!(app.take_request(), None);
    let steps = (0..160).find(|_| {
        play(&mut app, 1);
        app.take_request() == Some(Request::Quit)
    });
    assert!(steps.is_some_and(|steps| steps > 20), "it ended after {steps:?} steps");
    assert_eq!(letters(&mut app), "HELLO");
}

/// Whether the words are whole, every half second: for how many in turn.
fn turns(app: &mut App, seconds: u32, is_whole: impl Fn(&mut App) -> bool) -> Vec<(bool, u32)> {
    let mut turns: Vec<(bool, u32)> = Vec::new();
    for _ in 0..2 * seconds {
        let whole = is_whole(app);
        match turns.last_mut() {
            Some((last, count)) if *last == whole => *count += 1,
            _ => turns.push((whole, 1)),
        }
        play(app, 30);
    }
    turns
}

/// Nobody touches it: it melts and flows back, again and again.
#[test]
fn words_melt_again_and_again() {
    let words = turns(&mut toy(TextDemo::from_text("HELLO").expect("words")), 30, |app| letters(app) == "HELLO");
    assert!(words.len() >= 6 && words[..words.len() - 1].iter().all(|&(_, halves)| halves >= 2), "{words:?}");
}

/// So does a page, and the status row says how to call it back.
#[test]
fn piped_pages_melt_again_and_again() {
    let page = |loops| toy(TextDemo::from_capture(ScreenCapture::read(PAGE, WINDOW).expect("a page"), loops));
    let first = |app: &mut App| draw(app)[(6, 0)].symbol() == "r";
    let piped = turns(&mut page(true), 30, first);
    assert!(piped.len() >= 6, "{piped:?}");
    assert_eq!(turns(&mut page(false), 20, first).len(), 2, "a page of tmux stays molten until m");

    let row = |app: &mut App| draw(app).content[23 * 80..].iter().map(|cell| cell.symbol()).collect::<String>();
    let mut app = page(true);
    play(&mut app, 60);
    assert!(!row(&mut app).contains("m:"), "a page that holds has no row over it");
    play(&mut app, 90);
    assert!(row(&mut app).contains("m: flow back"), "{}", row(&mut app));
}

/// On a machine that takes a second per step, as with a page of 1000×500 cells, the end does not wait for 150 of them.
#[test]
fn the_end_waits_for_seconds_and_not_for_steps() {
    let mut app = toy(TextDemo::from_text("HELLO").expect("words"));
    play(&mut app, 300);
    app.update(Action::Quit);
    let ended = (1..=5).find(|_| {
        app.tick(Duration::from_secs(1), 1);
        app.take_request() == Some(Request::Quit)
    });
    assert_eq!(ended, Some(4), "seconds until it ends");
}

#[test]
fn a_second_request_ends_at_once_and_complete_words_do_not_return() {
    let mut app = toy(TextDemo::from_text("HI").expect("words"));
    play(&mut app, 20);
    app.update(Action::Quit);
    assert_eq!(app.take_request(), Some(Request::Quit));
    let mut app = toy(TextDemo::from_text("HI").expect("words"));
    play(&mut app, 300);
    app.update(Action::Back);
    assert_eq!(app.take_request(), None);
    app.update(Action::Quit);
    assert_eq!(app.take_request(), Some(Request::Quit));
}

#[test]
fn lines_wrap_and_fit_every_window() {
    let mut app = toy(TextDemo::from_text("MAKE\nWAVES NOT WAR").expect("words"));
    play(&mut app, 30);
    let whole = draw(&mut app);
    let is_blank = |row: &u16| whole.content[usize::from(*row) * 80..][..80].iter().all(|it| it.symbol() == " ");
    let mut lines = Vec::new();
    for pair in [vec![0], (0..24).filter(is_blank).collect(), vec![24]].concat().windows(2) {
        if let [first, last] = *pair
            && last > first + 1
        {
            let mut line = Buffer::empty(Rect::new(0, 0, 80, last - first));
            line.content.clone_from_slice(&whole.content[usize::from(first) * 80..usize::from(last) * 80]);
            lines.push(reader::read(&line, last - first, "AEKMNORSTVW").len());
        }
    }
    assert_eq!(lines, [4, 5, 6], "letters of MAKE, WAVES, NOT WAR");
    for (columns, rows) in [(20, 60), (200, 10), (3, 2), (1, 1), (120, 40)] {
        app.update(Action::Resize(Window { columns, rows, cell: [8, 16] }));
        play(&mut app, 3);
        app.draw(&mut Buffer::empty(Rect::new(0, 0, columns, rows)));
    }
}

fn slosh(args: &[&str], input: &[u8]) -> Output {
    let mut command = program::slosh();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("TMUX");
    let mut child = command.spawn().expect("slosh starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    program::finish(child)
}

#[track_caller]
fn good(args: &[&str], input: &[u8]) -> String {
    let output = slosh(args, input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[track_caller]
fn refused(args: &[&str], input: &[u8], reason: &str) {
    let output = slosh(args, input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.trim_end().lines().count()), (Some(2), 1), "{args:?}: {said}");
    assert!(said.contains(reason), "{args:?}: {said}");
}

#[test]
fn text_comes_from_arguments_or_a_pipe_without_its_controls() {
    let plain = good(&["render", "--text", "HI THERE", "--seconds", "0"], b"");
    assert_eq!(good(&["render", "--text", "-", "--seconds", "0"], b"HI THERE\n"), plain);
    let dressed = b"\x1b[1;38;2;9;9;9mHI\x1b[0m\x1b]0;title\x07 \x1bP$q\x1b\\THE\x07\x08RE\r\n\x1b(B";
    assert_eq!(good(&["render", "--text", "-", "--seconds", "0"], dressed), plain);
    for (words, reason) in [("", "nothing to write"), (" \n ", "nothing to write"), ("水", "no letter for '水'")] {
        refused(&["text", words], b"", reason);
        refused(&["text", "-"], words.as_bytes(), reason);
    }
    refused(&["text", &"word ".repeat(200)], b"", "800 letters are too many to be legible");
    refused(&["text", &"w".repeat(60)], b"", "are too many to be legible");
    refused(&["text", "HI"], b"", "not a terminal");
}

/// All kinds of colours, with backgrounds, and characters of two columns.
const PAGE: &str = "plain \x1b[31mred\x1b[0m \x1b[1;38;5;208mbold 208\x1b[0m\n\
                    \x1b[48;2;0;90;0m\x1b[38;2;250;240;10mon green\x1b[0m \x1b[7minverse\x1b[0m 水 \x1b[4mline\x1b[0m\n\n   end";

/// The content of a page's cells.
fn contents(screen: &vt100::Screen) -> Vec<(u16, u16, String, vt100::Color, vt100::Color)> {
    let all = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
    let cells = all.filter_map(|(row, column)| {
        let cell = screen.cell(row, column)?;
        let shown = !cell.contents().trim().is_empty() || cell.bgcolor() != vt100::Color::Default;
        let (fg, bg) = (cell.fgcolor(), cell.bgcolor());
        // The text colour of a blank is invisible.
        let fg = if cell.contents().trim().is_empty() { vt100::Color::Default } else { fg };
        shown.then(|| (row, column, cell.contents().trim().to_owned(), fg, bg))
    });
    cells.collect()
}

fn terminal(text: &str) -> vt100::Parser {
    let size = |cells: u16| std::num::NonZeroU16::new(cells).expect("cells");
    let mut parser = vt100::Parser::new(size(24), size(80), 0);
    parser.process(text.trim_end().replace('\n', "\r\n").as_bytes());
    parser
}

#[test]
fn a_page_holds_melts_in_its_colours_and_returns() {
    let shown = good(&["render", "--melt", "-", "--seconds", "0"], PAGE.as_bytes());
    assert_eq!(contents(terminal(&shown).screen()), contents(terminal(PAGE).screen()));

    let mut app = toy(TextDemo::from_capture(ScreenCapture::read(PAGE, WINDOW).expect("a page"), false));
    let before = draw(&mut app);
    assert_eq!(before[(6, 0)].symbol(), "r");
    assert_eq!((before[(6, 0)].fg, before[(11, 0)].fg), (Color::Indexed(1), Color::Indexed(208)));
    assert!(before[(9, 1)].modifier.contains(Modifier::REVERSED) && before[(17, 1)].symbol() == "水");
    play(&mut app, 400);
    let molten = draw(&mut app);
    assert!(molten.content[..80 * 3].iter().all(|cell| cell.symbol() == " " && cell.bg == Color::Reset));
    // Most of the liquid has the background of "on green".
    let green = |cell: &&ratatui_core::buffer::Cell| matches!(cell.fg, Color::Rgb(r, g, b) if g > r && g > b.max(40));
    let (greens, all) =
        (molten.content.iter().filter(green).count(), molten.content.iter().filter(|it| it.symbol() != " ").count());
    assert!(greens > 3 && greens * 10 > all, "{greens} green cells of {all}");
    app.update(Action::Quit);
    assert_eq!(app.take_request(), None);
    let back = (0..160).any(|_| {
        play(&mut app, 1);
        app.take_request() == Some(Request::Quit)
    });
    assert!(back);
    let after = draw(&mut app);
    let missing = (0..after.content.len())
        .filter(|&at| before.content[at].symbol() != " " && after.content[at].symbol() != before.content[at].symbol());
    assert!(missing.count() <= 1, "{after:?}");
}

#[test]
fn a_full_page_returns() {
    let text: String = (0..24)
        .map(|row| format!("{}\n", "the quick brown fox jumps over ".repeat(3).split_at(row % 7).1.split_at(78).0))
        .collect();
    let mut app = toy(TextDemo::from_capture(ScreenCapture::read(&text, WINDOW).expect("a page"), false));
    let before = draw(&mut app);
    play(&mut app, 200);
    app.update(Action::Quit);
    let steps = (0..200).find(|_| {
        play(&mut app, 1);
        app.take_request() == Some(Request::Quit)
    });
    let after = draw(&mut app);
    let same = before.content.iter().zip(&after.content).filter(|(a, b)| a.symbol() == b.symbol()).count();
    assert!(same > 1880, "{same} of 1920 cells after {steps:?} steps");
}

#[test]
fn hostile_bytes_have_no_effect() {
    let mut rng = fastrand::Rng::with_seed(7);
    let pieces: [&[u8]; 14] = [
        b"\x1b[",
        b"\x1b]52;c;",
        b"\x1bP",
        b"\x1b[?1049h",
        b"\x1b[99999999999999;5H",
        b"\x1b[38;2;",
        b"\x1b[48;5;999m",
        b"\xf0\x9f",
        "水\u{301}".as_bytes(),
        b"\x1b[2J",
        b"\x1b[1;1r\x1bM\x1b[200L",
        b"\x9b31m",
        b"\x1b(0\x0e",
        b"\x1b[!p\x1bc",
    ];
    for round in 0..250u32 {
        let mut bytes = Vec::new();
        for _ in 0..rng.usize(1..120) {
            if rng.bool() {
                bytes.extend_from_slice(pieces[rng.usize(..pieces.len())]);
            } else {
                bytes.extend((0..rng.usize(1..9)).map(|_| rng.u8(..)));
            }
        }
        let (columns, rows) = [(80, 24), (1, 1), (2, 3), (500, 1)][round as usize % 4];
        let text = String::from_utf8_lossy(&bytes);
        let Ok(page) = ScreenCapture::read(&text, Window { columns, rows, cell: [0, 0] }) else { continue };
        let mut app = toy(TextDemo::from_capture(page, false));
        let drawn = draw(&mut app);
        let stray = drawn.content.iter().find(|cell| cell.symbol().chars().any(char::is_control));
        assert!(stray.is_none(), "round {round}: {stray:?}");
    }
    let output = slosh(&["render", "--melt", "-", "--seconds", "0.1"], b"a\x1b]0;x\x07\x1b[6n\x9b5n\x1bP+q\x1b\\\x05b");
    assert!(output.status.success());
    let controls = String::from_utf8_lossy(&output.stdout).split("\x1b[").skip(1).any(|rest| {
        !rest.split_once('m').is_some_and(|(code, _)| code.chars().all(|it| it.is_ascii_digit() || it == ';'))
    });
    assert!(!controls, "{:?}", String::from_utf8_lossy(&output.stdout));
    refused(&["render", "--melt", "-"], b"\x1b[31m \n\x07\n", "nothing to melt");
    refused(&["render", "--melt", "no-such-file"], b"", "no-such-file: No such file");
}

#[test]
fn a_pipe_melts_in_the_terminal_and_leaves_it_whole() {
    let script = format!("printf 'one \\033[35mtwo\\033[0m three' | {SLOSH} melt");
    let mut terminal = TerminalCaps::new(["sh", "-c", &script]).var("COLORTERM", "truecolor").answering().start();
    terminal.wait_for_picture();
    let stands = |it: &pty::Pty| it.screen().contents().starts_with("one two three");
    let falls = |it: &pty::Pty| it.screen().contents().lines().next().is_none_or(|line| line.trim().is_empty());
    assert!(terminal.pump_until(Duration::from_secs(15), falls), "it never melts");
    // On a busy machine the page may already have melted; m restores it.
    terminal.send(b"m");
    assert!(terminal.pump_until(Duration::from_secs(15), stands), "{:?}", terminal.screen().contents());
    assert_eq!(terminal.screen().cell(0, 4).map(vt100::Cell::fgcolor), Some(vt100::Color::Idx(5)));
    terminal.send(b"q");
    terminal.assert_ends(Duration::from_secs(8), 0);
}

#[test]
fn without_a_pipe_and_tmux_it_gives_advice() {
    let mut terminal = TerminalCaps::new([SLOSH, "melt"]).start();
    let status = terminal.end(Duration::from_secs(8)).expect("it ends");
    assert_eq!(pty::Pty::code(status), 2);
    let said = terminal.screen().contents();
    assert!(said.contains("| slosh melt") && said.contains("tmux"), "{said}");
}

fn wait_until(what: &str, met: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !met() {
        assert!(Instant::now() < end, "no {what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn in_tmux_the_pane_melts_and_is_restored() {
    let Some(tmux) = Tmux::start() else { return };
    // Blue blanks end the line.
    tmux.send(&["clear; printf 'here \\033[32mgreen\\033[0m stood\\033[44m    \\033[0m\\n'", "Enter"]);
    wait_until("an echo", || tmux.screen().starts_with("here green stood\nprompt>"));
    let script = tmux.folder().join("melt");
    std::fs::write(&script, format!("exec {SLOSH} melt\n")).expect("our own folder");
    tmux.send(&[&format!("sh {}", script.display()), "Enter"]);
    let first_line = || tmux.screen().lines().next().unwrap_or_default().to_owned();
    // The first line is also empty in a picture of the page that tmux has read in part. Then m would melt the page.
    let melted = || first_line().is_empty() && tmux.screen().contains("m: flow back");
    wait_until("a melt", || tmux.format("#{alternate_on}") == "1" && melted());
    tmux.send(&["m"]);
    // Letters may return before blanks.
    let coloured = || {
        let colours = tmux.run(&["capture-pane", "-epN"]);
        terminal(&format!("{}\x1b[m|", colours.lines().next().unwrap_or_default()))
    };
    let blue = || {
        let shown = coloured();
        let ground = |column| shown.screen().cell(0, column).map(vt100::Cell::bgcolor);
        (0..40).filter(|column| ground(*column) == Some(vt100::Color::Idx(4))).collect::<Vec<u16>>()
    };
    // The colour of the blanks between them does not matter.
    let green = || {
        let shown = coloured();
        (5..10).all(|column| shown.screen().cell(0, column).map(vt100::Cell::fgcolor) == Some(vt100::Color::Idx(2)))
    };
    wait_until("a page with its blanks and its ink", || {
        first_line() == "here green stood" && blue() == [16, 17, 18, 19] && green()
    });
    tmux.send(&["m"]);
    wait_until("another melt", || !first_line().contains("stood"));
    tmux.send(&["q"]);
    wait_until("an end", || tmux.format("#{alternate_on}") == "0");
    wait_until("a prompt", || tmux.screen().matches("prompt>").count() == 2);
    assert!(tmux.screen().starts_with("here green stood\nprompt> sh "), "{}", tmux.screen());
}

/// A pane of tmux that is higher than the popup in which it melts ends in empty lines.
#[test]
fn empty_lines_below_a_page_do_not_scroll_it_away() {
    let page = program::folder("words-empty").join("page");
    std::fs::write(&page, format!("words above\n{}", "\n".repeat(40))).expect("our own folder");
    let mut render = program::slosh();
    render.arg("render").arg("--melt").arg(&page).args(["--seconds", "0.1", "--format", "text", "--size", "40x12"]);
    let output = render.finished();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("words above"), "{output:?}");
}

/// Text as word processors write it.
#[test]
fn composed_and_plain_forms_are_written() {
    let frame = |text: &str| {
        let args = ["render", "--text", text, "--seconds", "0.1", "--format", "text", "--size", "60x14"];
        let output = program::slosh().args(args).finished();
        assert!(output.status.success(), "{text:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    for (given, plain) in [
        ("e\u{301}a\u{300}", "éà"),
        ("\u{201c}a\u{201d}", "\"a\""),
        ("it\u{2019}s", "it's"),
        ("a\u{2013}b\u{2014}c", "a-b-c"),
        ("\u{fb01}ne\u{2026}", "fine..."),
        ("5 \u{20ac}", "5 EUR"),
    ] {
        assert_eq!(frame(given), frame(plain), "{given:?}");
    }
}
