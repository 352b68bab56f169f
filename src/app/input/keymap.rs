//! Keys → Actions, as data. The [table of actions](crate::app::action::table) has every Action that a key can trigger, and its
//! default keys; the `[keys]` of the user's settings are merged over them.

use crate::app::action::table::ActionSpec;
use crate::app::action::{Action, table};
use crate::data::{DataError, Fields};
use crate::term::{Key, KeyCode, KeyModifiers, with_shift};
use std::fmt;
use std::str::FromStr;

const MAX_KEYS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyCombo {
    pub code: KeyCode,
    pub mods: KeyModifiers,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Keymap {
    bindings: Vec<(KeyCombo, Action)>,
}

impl Default for Keymap {
    fn default() -> Self {
        let mut keymap = Self { bindings: Vec::new() };
        for spec in table::actions() {
            for key in spec.keys {
                keymap.bind(key, spec.action).expect("a test makes the default keymap");
            }
        }
        keymap
    }
}

impl Keymap {
    /// An action in the table gets exactly the keys that it gives, and a key in it triggers the action that it gives.
    pub fn merged_with(mut self, mut fields: Fields) -> Result<Self, DataError> {
        let mut over = Self { bindings: Vec::new() };
        for &ActionSpec { name, action, .. } in table::actions() {
            let Some(entry) = fields.get(name) else { continue };
            self.bindings.retain(|&(_, bound)| bound != action);
            for key in entry.one_or_list(MAX_KEYS)? {
                over.bind(key.text()?, action).map_err(|message| key.error(message))?;
            }
        }
        fields.done()?;
        self.bindings.retain(|&(chord, _)| over.lookup(chord).is_none());
        self.bindings.extend(over.bindings);
        Ok(self)
    }

    fn bind(&mut self, key: &str, action: Action) -> Result<(), String> {
        let chord: KeyCombo = key.parse()?;
        if let Some(other) = self.lookup(chord) {
            let other = table::find(other).map_or("another", |spec| spec.name);
            return Err(format!("gives {chord} to a second action; {other} has it already"));
        }
        self.bindings.push((chord, action));
        Ok(())
    }

    /// The Action of a combination, if it has one.
    pub fn lookup(&self, chord: KeyCombo) -> Option<Action> {
        self.bindings.iter().find(|(bound, _)| *bound == chord).map(|&(_, action)| action)
    }

    /// The Action of a key. A character beyond ASCII that has none is taken for what its key types on a US layout.
    pub fn action(&self, key: &Key) -> Option<Action> {
        let typed = KeyCombo { code: key.code, mods: key.mods };
        let on_us_layout = || match (key.code, key.base) {
            (KeyCode::Char(typed), KeyCode::Char(base)) if !typed.is_ascii() => {
                let code = KeyCode::Char(if typed.is_uppercase() { with_shift(base) } else { base });
                self.lookup(KeyCombo { code, mods: key.mods })
            }
            _ => None,
        };
        self.lookup(typed).or_else(on_us_layout)
    }

    pub fn combos(&self, action: Action) -> impl Iterator<Item = KeyCombo> + '_ {
        self.bindings.iter().filter(move |(_, bound)| *bound == action).map(|&(chord, _)| chord)
    }
}

const NAMES: [(&str, KeyCode); 16] = [
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("insert", KeyCode::Insert),
    ("delete", KeyCode::Delete),
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("esc", KeyCode::Esc),
    ("space", KeyCode::Char(' ')),
    ("plus", KeyCode::Char('+')),
];

const MODS: [(&str, KeyModifiers); 3] =
    [("ctrl+", KeyModifiers::CONTROL), ("alt+", KeyModifiers::ALT), ("shift+", KeyModifiers::SHIFT)];

impl FromStr for KeyCombo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut rest, mut mods) = (text, KeyModifiers::NONE);
        while let Some((name, held)) = MODS.iter().find(|(name, _)| rest.len() > name.len() && rest.starts_with(name)) {
            (rest, mods) = (&rest[name.len()..], mods | *held);
        }
        let code = code(rest).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|&(name, _)| name).collect();
            format!("is {text:?}, which is not a key: write a character, f1 to f12, or {}", names.join(", "))
        })?;
        match code {
            KeyCode::Char(c) if mods.contains(KeyModifiers::SHIFT) => {
                Err(format!("is {text:?}: write the character that shift gives, such as {:?}", c.to_ascii_uppercase()))
            }
            _ => Ok(Self { code, mods }),
        }
    }
}

fn code(text: &str) -> Option<KeyCode> {
    let mut characters = text.chars();
    if let (Some(c), None) = (characters.next(), characters.next()) {
        return (!c.is_control()).then_some(KeyCode::Char(c));
    }
    let function = || text.strip_prefix('f')?.parse().ok().filter(|n| (1..=12).contains(n)).map(KeyCode::F);
    NAMES.iter().find(|(name, _)| *name == text).map(|&(_, code)| code).or_else(function)
}

impl fmt::Display for KeyCombo {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (name, _) in MODS.iter().filter(|(_, mods)| self.mods.contains(*mods)) {
            f.write_str(name)?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("space"),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "f{n}"),
            code => f.write_str(NAMES.iter().find(|(_, named)| *named == code).map_or("", |&(name, _)| name)),
        }
    }
}
