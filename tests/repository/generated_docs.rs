//! The tables in README and docs that are generated from declarations in the code.
//!
//! `UPDATE_DOCS=1 cargo test --test repository generated_docs` writes them.

#![cfg(feature = "app")]

use slosh::app::action::help;
use slosh::app::input::keymap::Keymap;
use slosh::cli::settings::table;
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
    let keymap = Keymap::default();
    assert_generated("docs/keys.md", "keys", &help::markdown(&keymap));
    assert_generated("README.md", "keys", &help::essential_markdown(&keymap));
}

#[test]
fn the_table_of_settings_follows_their_declarations() {
    assert_generated("docs/settings.md", "settings", &table::markdown());
}
