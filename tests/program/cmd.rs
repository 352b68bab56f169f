//! Help and errors: the files in `cmd` have each command as a user types it, its exit code, and its answer.
//!
//! On Unix alone: other systems word their errors differently, and Windows has no `slosh feed`.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH};
use std::path::Path;
use std::process::Stdio;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/cmd");
const STARTED: &str = "TRYCMD_STARTED";

/// Not a test: [`every_command_answers_as_written`] starts it.
#[test]
#[ignore = "started by another test"]
fn cases() {
    if std::env::var_os(STARTED).is_some() {
        trycmd::TestCases::new().register_bin("slosh", Path::new(SLOSH)).case(format!("{FOLDER}/*.trycmd")).run();
    }
}

/// Commands in files of trycmd inherit its environment, so it runs in a process that has the environment of the tests.
#[test]
fn every_command_answers_as_written() {
    let mut cases = program::command(std::env::current_exe().expect("a path"));
    cases.args(["--exact", "cmd::cases", "--ignored", "--nocapture"]).env(STARTED, "1").stdin(Stdio::null());
    // Accepts the answers that differ, if it is set so.
    cases.envs(std::env::var_os("TRYCMD").map(|mode| ("TRYCMD", mode)));
    let output = cases.finished();
    let (ran, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let (right, rest): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.contains(" ... ok "));
    assert!(output.status.success() && ran.contains("1 passed") && !right.is_empty(), "{ran}{}", rest.join("\n"));
    // trycmd passes over a program that it does not know.
    assert!(!said.contains(" ... ignored"), "{}", rest.join("\n"));
}

/// In these files both streams are one.
#[test]
fn errors_are_on_standard_error_alone_and_their_lines_are_short() {
    for line in include_str!("cmd/errors.trycmd").lines().filter_map(|line| line.strip_prefix("$ ")) {
        let words = shlex::split(line).expect("words");
        let (variables, words) = words.split_at(words.iter().position(|word| word == "slosh").expect("the program"));
        let mut command = program::slosh();
        command.args(&words[1..]).envs(variables.iter().filter_map(|variable| variable.split_once('=')));
        let output = command.current_dir(format!("{FOLDER}/errors.in")).stdin(Stdio::null()).finished();
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{line}");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(said.lines().all(|line| line.len() < 250) && !said.contains("panicked"), "{line}:\n{said}");
    }
}
