//! Share codes: their content, and the errors for invalid ones.
#![cfg(unix)]

use crate::program::{SLOSH, SOON};
use crate::pty::{Pty, Setup};
use crate::servers::Tmux;
use base64::Engine;
use slosh::scene::share_code::ShareCode;
use std::time::{Duration, Instant};

fn sample() -> ShareCode {
    let set = vec!["gravity=1.6".to_owned(), "particles=300".to_owned()];
    ShareCode { scene: "circle".into(), seed: u64::MAX >> 1, palette: "lava".into(), color_by: "speed".into(), set }
}

#[test]
fn a_code_is_one_word_with_all_values() {
    let code = sample().code().expect("an embedded scene");
    assert!(code.len() < 110 && code.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)), "{code}");
    assert_eq!(ShareCode::parse(&code), Ok(sample()));
    assert_eq!(ShareCode::parse(&format!(" {code}\n")), Ok(sample()), "as it is copied from a mail");
    let own = ShareCode { scene: "my-scene".into(), ..sample() };
    assert!(own.code().expect_err("a file").contains("my-scene"));
    for broken in [
        ShareCode { palette: String::new(), ..sample() },
        ShareCode { color_by: "a\nb".into(), ..sample() },
        ShareCode { set: vec![String::new()], ..sample() },
    ] {
        assert!(broken.code().expect_err("it would not be read back").contains("one line"));
    }
}

#[test]
fn an_invalid_code_is_refused_with_a_reason() {
    let code = sample().code().expect("a code");
    for wrong in (8..code.len()).map(|at| code[..at].to_owned()).chain([code.replace('R', "S"), code.clone() + "AAAA"])
    {
        let reason = ShareCode::parse(&wrong).expect_err(&wrong);
        assert!(reason.contains("copied whole"), "{wrong}: {reason}");
    }
}

fn text(pty: &Pty) -> String {
    // Without the glyphs of the picture, which may stand beside the lines of a message.
    pty.screen().contents().chars().filter(char::is_ascii_graphic).collect()
}

/// By default tmux ignores the sequence of a program in a pane.
#[test]
fn in_tmux_the_code_is_in_a_buffer_of_tmux() {
    let Some(tmux) = Tmux::start() else { return };
    let script = tmux.folder().join("play");
    std::fs::write(&script, format!("exec {SLOSH} dam --particles 100 --quiet\n")).expect("our own folder");
    tmux.send(&[&format!("sh {}", script.display()), "Enter"]);
    let end = Instant::now() + SOON;
    let mut copied = String::new();
    while !copied.starts_with("slosh play slosh1-") && Instant::now() < end {
        if tmux.format("#{alternate_on}") == "1" {
            tmux.send(&["y"]);
        }
        std::thread::sleep(Duration::from_millis(200));
        copied = tmux.run(&["show-buffer"]);
    }
    assert!(copied.starts_with("slosh play slosh1-"), "{copied:?}: {}", tmux.screen());
}

/// A terminal that reports clipboard access in its reply to DA1 needs no copy of the command on its screen.
#[test]
fn a_confirmed_copy_is_not_printed() {
    let mut pty = Setup::new([SLOSH, "circle", "--seed", "1", "--particles", "200"]).start();
    pty.wait_for_picture();
    pty.tell(b"\x1b[?62;22;52c");
    pty.send(b"y");
    let shown = |pty: &Pty| ["copied: slosh play", "slosh1-"].iter().all(|part| pty.screen().contents().contains(part));
    assert!(pty.pump_until(SOON, shown), "{}", pty.screen().contents());
    pty.send(b"q");
    pty.end(SOON);
    assert!(!text(&pty).contains("slosh1-"), "{}", pty.screen().contents());
}

#[test]
fn y_copies_a_code_that_play_accepts() {
    let args = ["circle", "--seed", "77", "--palette", "lava", "--set", "gravity=2.5", "--particles", "200"];
    let mut pty = Setup::new([SLOSH].into_iter().chain(args)).answering().start();
    pty.wait_for_picture();
    pty.send(b"y");
    let shown = |pty: &Pty| ["copied: slosh play", "slosh1-"].iter().all(|part| pty.screen().contents().contains(part));
    assert!(pty.pump_until(SOON, shown), "{}", pty.screen().contents());
    pty.send(b"q");
    pty.end(SOON);
    let said = String::from_utf8_lossy(&pty.output).into_owned();
    let (_, copied) = said.split_once("\x1b]52;c;").expect("OSC 52");
    let copied = copied.split_once('\x07').expect("its end").0;
    let command =
        String::from_utf8(base64::engine::general_purpose::STANDARD.decode(copied).expect("base64")).expect("text");
    let code = command.strip_prefix("slosh play ").expect("the command").to_owned();
    // The terminal did not report clipboard access, so the command is on the restored screen.
    assert!(text(&pty).contains(&format!("slosh play {code}").replace(' ', "")), "{}", pty.screen().contents());
    let recipe = ShareCode::parse(&code).expect("a good code");
    assert_eq!((&*recipe.scene, recipe.seed, &*recipe.palette), ("circle", 77, "lava"));
    assert_eq!(recipe.set, ["gravity=2.5", "particles=200"]);

    // The window is narrower than the code, which is shown in as many lines as it needs.
    let mut pty = Setup::new([SLOSH, "play", &code]).size(50, 24).answering().start();
    pty.wait_for_picture();
    pty.send(b"y");
    assert!(pty.pump_until(SOON, |pty| text(pty).contains(&code)), "the code of the scene of a code: {}", text(&pty));
    pty.send(b"q");
    pty.end(SOON);
}
