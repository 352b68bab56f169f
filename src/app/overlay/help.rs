//! The help: what there is to do, and the keys that the keymap has for it.

use crate::app::action::keymap::{Chord, Keymap};
use crate::app::action::{Action, Side};
use crate::term::{KeyCode, Mods};

/// One line of the help: a heading, or what something does and how to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Heading(&'static str),
    Entry { keys: String, about: &'static str },
    Blank,
}

/// Actions that share a line, and what they do.
type Entry = (&'static [Action], &'static str);

const SIDES: [Side; 4] = [Side::Left, Side::Down, Side::Up, Side::Right];

const TANK: [Entry; 5] = [
    (&[Action::Upright], "upright again"),
    (
        &[Action::Shake(Side::Left), Action::Shake(Side::Down), Action::Shake(Side::Up), Action::Shake(Side::Right)],
        "shake",
    ),
    (&[Action::Pour, Action::Drain], "pour in, drain out"),
    (&[Action::Reset], "start again"),
    (&[Action::NextScene, Action::PreviousScene], "next, previous scene"),
];

const TIME: [Entry; 2] =
    [(&[Action::Pause, Action::Step], "pause, one step"), (&[Action::Slower, Action::Faster], "slower, faster")];

const LOOK: [Entry; 6] = [
    (&[Action::Glyphs], "glyphs"),
    (&[Action::Palette], "palette"),
    (&[Action::Drive], "what colour means"),
    (&[Action::Weave], "cloth or threads"),
    (&[Action::Stats], "stats"),
    (&[Action::Help], "this help"),
];

const END: [Entry; 3] =
    [(&[Action::Back], "close; then quit"), (&[Action::Quit], "quit"), (&[Action::Suspend], "suspend (fg resumes)")];

const MOUSE: [(&str, &str); 6] = [
    ("left drag", "carry the fluid"),
    ("click", "burst"),
    ("right", "pull"),
    ("wheel", "brush size"),
    ("middle/shift+left", "draw walls"),
    ("begun on a wall", "erase it"),
];

const HAND: [Entry; 4] = [
    (&[Action::Grab], "take hold (left)"),
    (&[Action::Burst, Action::Pull], "burst, pull"),
    (&[Action::Brush(false), Action::Brush(true)], "brush size (wheel)"),
    (&[Action::Walls], "left draws walls"),
];

const PANEL: [Entry; 2] = [(&[Action::Panel], "settings"), (&[Action::Undo, Action::Original], "undo, as it was")];

const KEEP: [Entry; 4] = [
    (&[Action::Melt], "words: melt, return"),
    (&[Action::Record], "record, stop"),
    (&[Action::Code], "copy a share code"),
    (&[Action::Save], "save as a scene"),
];

/// The help in two columns.
pub fn columns(keymap: &Keymap, release: bool) -> [Vec<Line>; 2] {
    let tilts = SIDES.map(Action::Tilt);
    let how = if release { "hold to tilt" } else { "tilt; down: back" };
    let mut left = vec![Line::Heading("The tank")];
    left.extend(entry(keymap, &tilts, how));
    left.extend(entries(keymap, &TANK));
    left.extend(entries(keymap, &TIME));
    left.extend([Line::Blank, Line::Heading("The picture")]);
    left.extend(entries(keymap, &LOOK));
    left.extend(entries(keymap, &PANEL));
    left.extend(entries(keymap, &END));

    let mut right = vec![Line::Heading("The mouse")];
    right.extend(MOUSE.map(|(keys, about)| Line::Entry { keys: keys.to_owned(), about }));
    right.extend([Line::Blank, Line::Heading("The hand, a pointer moved by keys")]);
    right.extend(entry(keymap, &[Action::Hand], "show, hide"));
    right.extend(entry(keymap, &tilts, "move it"));
    right.extend(entry(keymap, &SIDES.map(Action::Shake), "move it far"));
    right.extend(entries(keymap, &HAND));
    right.extend([Line::Blank, Line::Heading("To keep")]);
    right.extend(entries(keymap, &KEEP));
    [left, right]
}

fn entries(keymap: &Keymap, entries: &[Entry]) -> Vec<Line> {
    entries.iter().filter_map(|(actions, about)| entry(keymap, actions, about)).collect()
}

/// What the panel's own keys do, in one line.
pub fn panel(keymap: &Keymap) -> String {
    let key = |action| keymap.chords(action).next().map_or_else(String::new, |chord| chord.to_string());
    let [undo, original, save] = [Action::Undo, Action::Original, Action::Save].map(key);
    format!(" arrows change  {undo} undo  {original} as it was  {save} save")
}

/// The line for some actions; none if no key stands for any of them.
fn entry(keymap: &Keymap, actions: &[Action], about: &'static str) -> Option<Line> {
    let keys = keys(keymap, actions);
    (!keys.is_empty()).then_some(Line::Entry { keys, about })
}

/// The keys for some actions: the first of each together, then the second of each, and so on.
fn keys(keymap: &Keymap, actions: &[Action]) -> String {
    let chords: Vec<Vec<Chord>> = actions.iter().map(|&action| keymap.chords(action).collect()).collect();
    let most = chords.iter().map(Vec::len).max().unwrap_or(0);
    let together = (0..most).map(|nth| chords.iter().filter_map(|of| of.get(nth).copied()).collect::<Vec<_>>());
    together.map(|chords| label(&chords)).collect::<Vec<_>>().join(" ")
}

/// Chords that belong together, as short as they can be said.
fn label(chords: &[Chord]) -> String {
    const ARROWS: [KeyCode; 4] = [KeyCode::Left, KeyCode::Down, KeyCode::Up, KeyCode::Right];
    let arrows = |mods: Mods| chords.iter().map(|c| (c.code, c.mods)).eq(ARROWS.map(|code| (code, mods)));
    if arrows(Mods::NONE) {
        return "arrows".to_owned();
    }
    if arrows(Mods::SHIFT) {
        return "shift+arrows".to_owned();
    }
    let labels: Vec<String> = chords.iter().map(Chord::to_string).collect();
    let letters = labels.len() > 2 && labels.iter().all(|label| label.len() == 1);
    labels.join(if letters { "" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::keymap::VERBS;

    fn entries_of(release: bool) -> Vec<(String, &'static str)> {
        let columns = columns(&Keymap::default(), release);
        let entry = |line| match line {
            Line::Entry { keys, about } => Some((keys, about)),
            _ => None,
        };
        columns.into_iter().flatten().filter_map(entry).collect()
    }

    #[test]
    fn every_action_that_has_a_key_is_in_the_help() {
        let shown: String = entries_of(false).into_iter().map(|(keys, _)| format!(" {keys} ")).collect();
        for (name, action) in VERBS {
            let together = matches!(action, Action::Tilt(_) | Action::Shake(_));
            for chord in Keymap::default().chords(action) {
                let said = if together { "arrows".to_owned() } else { format!(" {chord} ") };
                assert!(shown.contains(&said), "{name}: {chord} is not in the help");
            }
        }
    }

    #[test]
    fn keys_that_belong_together_are_said_together() {
        let keys: Vec<String> = entries_of(false).into_iter().map(|(keys, _)| keys).collect();
        for expected in ["arrows hjkl", "shift+arrows HJKL", "[ ]", "n p", "+ - = _", "q ctrl+c", "space .", "< >"] {
            assert!(keys.iter().any(|keys| keys == expected), "{expected} is not among {keys:?}");
        }
    }

    #[test]
    fn an_action_without_keys_is_left_out_and_another_key_is_shown() {
        let keymap = Keymap::default().overlaid("glyphs = []\nstats = \"f5\"", "mine.toml").unwrap();
        let lines = columns(&keymap, false).concat();
        let keys_for = |what: &str| {
            lines.iter().find_map(|line| match line {
                Line::Entry { keys, about } if *about == what => Some(keys.as_str()),
                _ => None,
            })
        };
        assert_eq!(keys_for("glyphs"), None);
        assert_eq!(keys_for("stats"), Some("f5"));
    }
}
