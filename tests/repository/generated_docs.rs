//! The tables in README and docs that are generated from declarations in the code.
//!
//! `UPDATE_DOCS=1 cargo test --test repository generated_docs` writes them.

#![cfg(feature = "app")]

use slosh::app::action::help;
use slosh::app::action::table::{ActionLine, LineInput, SECTIONS};
use slosh::app::input::keymap::Keymap;
use slosh::cli::settings::table::{FlagForm, SETTINGS, SettingSpec};
use std::fs;
use std::path::Path;

/// Compares the part of a file between `<!-- NAME -->` and `<!-- /NAME -->` with the generated text, or writes it.
#[track_caller]
fn assert_generated(file: &str, name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path).expect("the file");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{file} has no {begin}"));
    let (written, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{file} has no {end}"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{before}{begin}{expected}{end}{after}")).expect("written");
    } else {
        assert_eq!(written, expected, "{file}: run UPDATE_DOCS=1 cargo test --test repository generated_docs");
    }
}

#[test]
fn key_tables_follow_the_table_of_actions() {
    let table = |rows: String| format!("| | |\n|---|---|\n{rows}");
    let sections = SECTIONS
        .iter()
        .map(|section| format!("## {}\n\n{}", section.heading, table(section.lines.iter().map(key_row).collect())));
    assert_generated("docs/keys.md", "keys", &sections.collect::<Vec<_>>().join("\n"));
    let essential = SECTIONS.iter().flat_map(|section| section.lines).filter(|line| line.essential);
    assert_generated("README.md", "keys", &table(essential.map(key_row).collect()));
}

fn key_row(line: &ActionLine) -> String {
    let keys = help::keys_of(line, &Keymap::default());
    let keys = match line.input {
        LineInput::Mouse(_) => keys,
        _ => keys.split(' ').map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" "),
    };
    format!("| {keys} | {} |\n", line.help)
}

#[test]
fn the_table_of_settings_follows_their_declarations() {
    let row = |spec: &SettingSpec| {
        let flag = match spec.flag.as_ref().map(|flag| &flag.form) {
            Some(FlagForm::Positional(name)) => format!("`{name}`"),
            Some(FlagForm::Value(value)) => format!("`--{} {value}`", spec.name),
            Some(FlagForm::Switch { flag, .. }) => format!("`--{flag}`"),
            None => String::new(),
        };
        format!("| `{}` | {flag} | {} | `{}` |\n", spec.name, spec.help, spec.default)
    };
    let rows: String = SETTINGS.iter().map(row).collect();
    assert_generated(
        "docs/settings.md",
        "settings",
        &format!("| setting | flag | | default |\n|---|---|---|---|\n{rows}"),
    );
}
