//! Keys → Actions, as data.
//!
//! [`VERBS`] names every Action that a key can stand for; `keys.toml` gives them keys, and a user's file, read by the
//! same function, is laid over it. The help is made from what came out of that.

use crate::app::action::{Action, Side};
use crate::data::{Entry, Error, Fields, Node};
use crate::term::{Key, KeyCode, KeyKind, Mods};
use std::fmt;
use std::str::FromStr;

/// The keys that slosh comes with.
pub const EMBEDDED: &str = include_str!("../../data/keys.toml");

/// More keys for one action than anybody has fingers.
const MOST_KEYS: usize = 8;

/// What keys can stand for, by the names that key files use.
pub const VERBS: [(&str, Action); 41] = [
    ("tilt-left", Action::Tilt(Side::Left)),
    ("tilt-down", Action::Tilt(Side::Down)),
    ("tilt-up", Action::Tilt(Side::Up)),
    ("tilt-right", Action::Tilt(Side::Right)),
    ("upright", Action::Upright),
    ("shake-left", Action::Shake(Side::Left)),
    ("shake-down", Action::Shake(Side::Down)),
    ("shake-up", Action::Shake(Side::Up)),
    ("shake-right", Action::Shake(Side::Right)),
    ("pause", Action::Pause),
    ("step", Action::Step),
    ("slower", Action::Slower),
    ("faster", Action::Faster),
    ("reset", Action::Reset),
    ("next-scene", Action::NextScene),
    ("previous-scene", Action::PreviousScene),
    ("pour", Action::Pour),
    ("drain", Action::Drain),
    ("melt", Action::Melt),
    ("glyphs", Action::Glyphs),
    ("palette", Action::Palette),
    ("color-by", Action::Drive),
    ("cloth-style", Action::Weave),
    ("stats", Action::Stats),
    ("help", Action::Help),
    ("panel", Action::Panel),
    ("undo", Action::Undo),
    ("original", Action::Original),
    ("save", Action::Save),
    ("hand", Action::Hand),
    ("grab", Action::Grab),
    ("pull", Action::Pull),
    ("burst", Action::Burst),
    ("walls", Action::Walls),
    ("brush-smaller", Action::Brush(false)),
    ("brush-larger", Action::Brush(true)),
    ("record", Action::Record),
    ("share", Action::Code),
    ("back", Action::Back),
    ("quit", Action::Quit),
    ("suspend", Action::Suspend),
];

/// A key with the modifiers held beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    pub code: KeyCode,
    pub mods: Mods,
}

/// Which chord stands for which Action.
#[derive(Clone, Debug, PartialEq)]
pub struct Keymap {
    bindings: Vec<(Chord, Action)>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self { bindings: Vec::new() }.overlaid(EMBEDDED, "keys.toml").expect("the embedded keys are tested")
    }
}

impl Keymap {
    /// Lays a key file over this map: the actions it names have the keys it gives and no others, and its keys mean
    /// what it says. `source` is the name that errors give to it.
    ///
    /// # Errors
    /// Names line and key of an unknown action, of what is no key, and of a key that is given twice.
    pub fn overlaid(self, toml: &str, source: &str) -> Result<Self, Error> {
        self.overlaid_by(Node::parse(toml, source)?.fields()?)
    }

    /// The same with a table that has been read already.
    ///
    /// # Errors
    /// As for [`Keymap::overlaid`].
    pub fn overlaid_by(mut self, mut fields: Fields) -> Result<Self, Error> {
        let mut over = Self { bindings: Vec::new() };
        for (name, action) in VERBS {
            let Some(entry) = fields.get(name) else { continue };
            self.bindings.retain(|&(_, bound)| bound != action);
            for key in keys(&entry)? {
                over.bind(&key, action)?;
            }
        }
        fields.done()?;
        self.bindings.retain(|&(chord, _)| over.lookup(chord).is_none());
        self.bindings.extend(over.bindings);
        Ok(self)
    }

    fn bind(&mut self, key: &Entry, action: Action) -> Result<(), Error> {
        let chord: Chord = key.text()?.parse().map_err(|message: String| key.error(message))?;
        if let Some(other) = self.lookup(chord) {
            return Err(key.error(format_args!("gives {chord} to a second action; {} has it already", name_of(other))));
        }
        self.bindings.push((chord, action));
        Ok(())
    }

    fn lookup(&self, chord: Chord) -> Option<Action> {
        self.bindings.iter().find(|(bound, _)| *bound == chord).map(|&(_, action)| action)
    }

    /// What a key event stands for. `release` says that the terminal reports when keys are let go, so that directions
    /// are held instead of struck.
    pub fn action(&self, key: &Key, release: bool) -> Option<Action> {
        let chord = Chord { code: key.code, mods: key.mods };
        match key.kind {
            // Whatever modifiers have come and gone since, the key that was held is held no more.
            KeyKind::Release => match self.lookup(Chord { mods: Mods::NONE, ..chord }.unshifted())? {
                Action::Tilt(side) if release => Some(Action::LetGo(side)),
                _ => None,
            },
            KeyKind::Repeat => self.lookup(chord).filter(|action| action.repeats() && !(release && is_tilt(action))),
            KeyKind::Press => match self.lookup(chord)? {
                Action::Tilt(side) if release => Some(Action::Hold(side)),
                action => Some(action),
            },
        }
    }

    /// The keys for `action`, as they are written in key files.
    pub fn chords(&self, action: Action) -> impl Iterator<Item = Chord> + '_ {
        self.bindings.iter().filter(move |(_, bound)| *bound == action).map(|&(chord, _)| chord)
    }
}

fn is_tilt(action: &Action) -> bool {
    matches!(action, Action::Tilt(_))
}

fn name_of(action: Action) -> &'static str {
    VERBS.iter().find(|(_, verb)| *verb == action).map_or("another", |&(name, _)| name)
}

/// One key or a list of keys.
fn keys<'a>(entry: &Entry<'a>) -> Result<Vec<Entry<'a>>, Error> {
    if entry.text().is_ok() { Ok(vec![entry.clone()]) } else { entry.list(MOST_KEYS) }
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

const MODS: [(&str, Mods); 3] = [("ctrl+", Mods::CTRL), ("alt+", Mods::ALT), ("shift+", Mods::SHIFT)];

impl Chord {
    /// The terminal folds shift into characters; what is let go later may come in either case.
    fn unshifted(self) -> Self {
        match self.code {
            KeyCode::Char(c) => Self { code: KeyCode::Char(c.to_ascii_lowercase()), ..self },
            _ => self,
        }
    }
}

impl FromStr for Chord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut rest, mut mods) = (text, Mods::NONE);
        while let Some((name, held)) = MODS.iter().find(|(name, _)| rest.len() > name.len() && rest.starts_with(name)) {
            (rest, mods) = (&rest[name.len()..], mods.with(*held));
        }
        let code = code(rest).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|&(name, _)| name).collect();
            format!("is {text:?}, which is no key: write a character, f1 to f12, or {}", names.join(", "))
        })?;
        match code {
            KeyCode::Char(c) if mods.contains(Mods::SHIFT) => {
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

impl fmt::Display for Chord {
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
