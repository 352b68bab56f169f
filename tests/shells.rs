//! What slosh prints for shells, tried in the real ones.
#![cfg(all(unix, feature = "app"))]

#[path = "support/pty.rs"]
#[allow(dead_code)]
mod pty;

use pty::{Pty, Setup};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const SLOSH: &str = env!("CARGO_BIN_EXE_slosh");

/// How long a shell may take, on a machine that is busy with other tests.
const SOON: Duration = Duration::from_secs(15);

/// Not a test: what `Setup::start` runs first.
#[test]
#[ignore = "started by the pty harness"]
fn launcher() {
    pty::launch();
}

/// Whether a program is there to test with. Where everything must be tested (CI is set) it has to be.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        let message = format!("{program} is not installed (Debian: apt-get install {program})");
        assert!(std::env::var_os("CI").is_none(), "{message}");
        eprintln!("\n*** NOT TESTED: {message} ***\n");
    }
    found
}

/// A folder of this test's own, on no account anybody's real home.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What a program prints.
fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {said}");
    assert_eq!(said, "", "{program} {args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The completions for a shell, in a file.
fn completions(shell: &str) -> String {
    let file = folder(&format!("completions-{shell}")).join(if shell == "zsh" { "_slosh" } else { "slosh" });
    fs::write(&file, output(SLOSH, &["completions", shell])).expect("written");
    file.to_str().expect("UTF-8").to_owned()
}

// ---- completions ----

#[test]
fn bash_completes_commands_flags_and_names() {
    if !is_installed("bash") {
        return;
    }
    let file = completions("bash");
    let complete = |words: &[&str]| {
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let line = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let cword = words.len() - 1;
        let ask = format!(
            "source {file}; COMP_WORDS=({line}); COMP_CWORD={cword}; _slosh slosh '{last}' '{before}'; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"; complete -p slosh"
        );
        output("bash", &["--norc", "-c", &ask])
    };
    assert!(complete(&["slosh", "ren"]).starts_with("render\n"));
    assert!(complete(&["slosh", "--pal"]).starts_with("--palette\n"));
    assert!(complete(&["slosh", "--palette", "lav"]).starts_with("lava\n"));
    assert!(complete(&["slosh", "render", "--glyphs", "sex"]).starts_with("sextant\n"));
    assert!(complete(&["slosh", "hourg"]).starts_with("hourglass\n"));
    assert!(complete(&["slosh", "completions", "fi"]).starts_with("fish\n"));
    assert!(complete(&["slosh", ""]).contains("-F _slosh"), "it is registered");
}

#[test]
fn fish_completes_commands_flags_and_names() {
    if !is_installed("fish") {
        return;
    }
    let (file, home) = (completions("fish"), folder("fish-home"));
    let complete = |line: &str| {
        let ask = format!("set -g fish_user_paths; source {file}; complete -C '{line}'");
        let mut fish = Command::new("fish");
        fish.args(["--no-config", "-c", &ask]).env("HOME", &home).env("XDG_DATA_HOME", &home).stdin(Stdio::null());
        String::from_utf8(fish.output().expect("fish starts").stdout).expect("UTF-8")
    };
    assert!(complete("slosh ren").starts_with("render\t"), "{:?}", complete("slosh ren"));
    assert!(complete("slosh --pal").starts_with("--palette\t"));
    assert!(complete("slosh --palette lav").starts_with("lava"));
    assert!(complete("slosh render --glyphs sex").starts_with("sextant"));
}

#[test]
fn zsh_completes_commands_flags_and_names() {
    if !is_installed("zsh") {
        return;
    }
    let (file, home) = (completions("zsh"), folder("zsh-home"));
    let folder = Path::new(&file).parent().expect("a folder").display();
    let mut zsh = Setup::new(["zsh", "-f", "-i"]).var("HOME", home.to_str().expect("UTF-8")).var("PS1", "").start();
    zsh.send(
        format!("PS1=; fpath=({folder} $fpath); autoload -U compinit; compinit -D -u; echo ready''now\n").as_bytes(),
    );
    assert!(zsh.pump_until(SOON, |zsh| zsh.screen().contents().contains("readynow")), "{}", zsh.tail());
    for (typed, completed) in [
        ("slosh ren\t", "slosh render"),
        ("slosh --palette lav\t", "slosh --palette lava"),
        ("slosh render --glyphs sex\t", "slosh render --glyphs sextant"),
        ("slosh hourg\t", "slosh hourglass"),
    ] {
        zsh.send(typed.as_bytes());
        let done = |zsh: &Pty| zsh.screen().contents().contains(completed);
        assert!(zsh.pump_until(SOON, done), "{typed:?} gives {:?}", zsh.screen().contents());
        zsh.send(b"\x15");
    }
}

#[test]
fn elvish_reads_its_completions() {
    if !is_installed("elvish") {
        return;
    }
    let script = output(SLOSH, &["completions", "elvish"]);
    let registers = "set edit:completion:arg-completer[slosh] =";
    assert!(script.contains(registers));
    // The module `edit:` is there only in front of a terminal; a stand-in shows what the script gives to it.
    let script = script.replace(registers, "var completer =").replace("edit:complex-candidate", "candidate");
    let stand_in = "fn candidate {|&display='' word| echo $word }\n";
    let ask = format!("{stand_in}{script}\n$completer slosh ''");
    let output = Command::new("elvish").args(["-norc", "-c", &ask]).stdin(Stdio::null()).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    for word in ["render", "completions", "--palette"] {
        assert!(said.lines().any(|line| line == word), "{word} is not in {said}");
    }
}

#[test]
fn powershell_gets_its_completions() {
    let script = output(SLOSH, &["completions", "powershell"]);
    for word in ["Register-ArgumentCompleter", "'slosh;render'", "'--palette'", "'completions'"] {
        assert!(script.contains(word), "no {word}");
    }
}

#[test]
fn completions_for_no_shell_are_refused_with_the_shells_there_are() {
    let output = Command::new(SLOSH).args(["completions", "tcsh"]).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(said.contains(shell), "{said}");
    }
}

// ---- the manual ----

#[test]
fn the_manual_names_every_flag_key_and_setting() {
    let page = output(SLOSH, &["man"]);
    let plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "");
    let help = output(SLOSH, &["--help"]);
    for flag in help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
        assert!(plain.contains(flag.trim_end_matches([',', '.'])), "{flag} is not in the manual");
    }
    for word in ["slosh(1)", ".TH slosh 1", "SLOSH RENDER", "KEYS AND MOUSE", "shift+arrows", "SLOSH_PALETTE", "tilt"] {
        assert!(plain.contains(word) || word == "slosh(1)", "{word} is not in the manual");
    }
    if is_installed("man") {
        let file = folder("manual").join("slosh.1");
        fs::write(&file, &page).expect("written");
        let shown = output("man", &["--warnings", "-l", file.to_str().expect("UTF-8")]);
        assert!(shown.contains("--palette <P>") && shown.contains("KEYS AND MOUSE"), "{shown}");
    }
}
