//! The help as text: the actions, and their keys in a keymap.

use crate::app::action::table::{ActionLine, HOLD_TO_TILT, LineInput, RIGHT_COLUMN, SECTIONS};
use crate::app::action::{Action, Direction};
use crate::app::input::keymap::{KeyCombo, Keymap};
use crate::term::{KeyCode, KeyModifiers};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpLine {
    Heading(&'static str),
    /// `label` fits the overlay, `help` is a sentence.
    Entry {
        keys: String,
        label: &'static str,
        help: &'static str,
    },
    Blank,
}

/// The help in two columns. `release`: the terminal reports key releases.
pub fn columns(keymap: &Keymap, release: bool) -> [Vec<HelpLine>; 2] {
    let (left, right) = SECTIONS.split_at(SECTIONS.len() - RIGHT_COLUMN);
    [left, right].map(|sections| {
        let mut lines = Vec::new();
        for section in sections {
            if !lines.is_empty() {
                lines.push(HelpLine::Blank);
            }
            lines.push(HelpLine::Heading(section.heading));
            lines.extend(section.lines.iter().filter_map(|line| entry(line, keymap, release)));
        }
        lines
    })
}

fn entry(line: &ActionLine, keymap: &Keymap, release: bool) -> Option<HelpLine> {
    let keys = keys_of(line, keymap);
    let is_tilt = matches!(line.input, LineInput::Actions([spec, ..]) if spec.action == Action::Tilt(Direction::Left));
    let label = if release && is_tilt { HOLD_TO_TILT } else { line.label };
    (!keys.is_empty()).then_some(HelpLine::Entry { keys, label, help: line.help })
}

pub fn keys_of(line: &ActionLine, keymap: &Keymap) -> String {
    match line.input {
        LineInput::Actions(specs) => keys(keymap, specs.iter().map(|spec| spec.action)),
        LineInput::Directions => keys(keymap, Direction::ALL.into_iter().map(Action::Tilt)),
        LineInput::Mouse(gesture) => gesture.to_owned(),
    }
}

pub fn panel(keymap: &Keymap, has_numbers: bool) -> String {
    if !has_numbers {
        return "arrows change".to_owned();
    }
    let key = |action| keymap.combos(action).next().map_or_else(String::new, |chord| chord.to_string());
    let [undo, original, save] = [Action::Undo, Action::ResetSettings, Action::Save].map(key);
    format!("arrows change  {undo} undo  {original} reset  {save} save")
}

/// The first keys to know, as short texts. `mouse` and `scenes`: the mouse, or a list of scenes, is available.
pub fn hint(keymap: &Keymap, mouse: bool, scenes: bool, unicode: bool) -> Vec<String> {
    let first = |action| keymap.combos(action).next().map(|combo| short(combo, unicode));
    let both = |one, other| Some(format!("{} {}", first(one)?, first(other)?));
    let tilt = both(Action::Tilt(Direction::Left), Action::Tilt(Direction::Right)).map(|keys| format!("{keys} tilt"));
    let push = mouse.then(|| "drag push".to_owned());
    let next = first(Action::NextScene).filter(|_| scenes).map(|key| format!("{key} next scene"));
    let help = first(Action::Help).map(|key| format!("{key} help"));
    [tilt, push, next, help].into_iter().flatten().collect()
}

fn short(combo: KeyCombo, unicode: bool) -> String {
    match (combo.code, combo.mods == KeyModifiers::NONE && unicode) {
        (KeyCode::Left, true) => "←".to_owned(),
        (KeyCode::Right, true) => "→".to_owned(),
        _ => combo.to_string(),
    }
}

fn keys(keymap: &Keymap, actions: impl Iterator<Item = Action>) -> String {
    let chords: Vec<Vec<KeyCombo>> = actions.map(|action| keymap.combos(action).collect()).collect();
    let most = chords.iter().map(Vec::len).max().unwrap_or(0);
    let together = (0..most).map(|nth| chords.iter().filter_map(|of| of.get(nth).copied()).collect::<Vec<_>>());
    together.map(|chords| label(&chords)).collect::<Vec<_>>().join(" ")
}

fn label(chords: &[KeyCombo]) -> String {
    const ARROWS: [KeyCode; 4] = [KeyCode::Left, KeyCode::Down, KeyCode::Up, KeyCode::Right];
    let arrows = |mods: KeyModifiers| chords.iter().map(|c| (c.code, c.mods)).eq(ARROWS.map(|code| (code, mods)));
    if arrows(KeyModifiers::NONE) {
        return "arrows".to_owned();
    }
    if arrows(KeyModifiers::SHIFT) {
        return "shift+arrows".to_owned();
    }
    let labels: Vec<String> = chords.iter().map(KeyCombo::to_string).collect();
    let letters =
        labels.len() > 2 && labels.iter().all(|label| label.len() == 1 && label.chars().all(char::is_alphabetic));
    labels.join(if letters { "" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::table;
    use crate::data::Node;

    fn entries_of(release: bool) -> Vec<(String, &'static str)> {
        let columns = columns(&Keymap::default(), release);
        let entry = |line| match line {
            HelpLine::Entry { keys, label, .. } => Some((keys, label)),
            _ => None,
        };
        columns.into_iter().flatten().filter_map(entry).collect()
    }

    #[test]
    fn every_action_that_has_a_key_is_in_the_help() {
        let shown: String = entries_of(false).into_iter().map(|(keys, _)| format!(" {keys} ")).collect();
        for table::ActionSpec { name, action, .. } in table::actions() {
            let together = matches!(action, Action::Tilt(_) | Action::Shake(_));
            for chord in Keymap::default().combos(*action) {
                let said = if together { "arrows".to_owned() } else { format!(" {chord} ") };
                assert!(shown.contains(&said), "{name}: {chord} is not in the help");
            }
        }
    }

    #[test]
    fn keys_of_one_line_are_listed_together() {
        let keys: Vec<String> = entries_of(false).into_iter().map(|(keys, _)| keys).collect();
        for expected in ["arrows hjkl", "shift+arrows HJKL", "space . [ ]", "n p", "+ - = _", "q ctrl+c", "< >"] {
            assert!(keys.iter().any(|keys| keys == expected), "{expected} is not among {keys:?}");
        }
    }

    #[test]
    fn an_action_without_keys_is_left_out_and_another_key_is_shown() {
        let keys = Node::parse("glyphs = []\nstats = \"f5\"", "mine.toml").unwrap();
        let keymap = Keymap::default().merged_with(keys.fields().unwrap()).unwrap();
        let lines = columns(&keymap, false).concat();
        let keys_for = |what: &str| {
            lines.iter().find_map(|line| match line {
                HelpLine::Entry { keys, label, .. } if *label == what => Some(keys.as_str()),
                _ => None,
            })
        };
        assert_eq!(keys_for("glyphs"), None);
        assert_eq!(keys_for("stats"), Some("f5"));
    }
}
