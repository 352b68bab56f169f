//! The actions that keys stand for, one declaration each: name, help, and whether a held key repeats it.
//!
//! Key files, the help, the manual page, README and `docs/keys.md` are made from [`SECTIONS`]. A new action for a key is
//! a variant of [`Action`], an entry here, its key in `data/keys.toml`, and what `App::apply` does with it.

use crate::app::action::{Action, Direction, PointerMode};

/// A part of the help, with a heading.
pub struct HelpSection {
    pub heading: &'static str,
    pub lines: &'static [ActionLine],
}

/// A line of the help: actions that belong together.
pub struct ActionLine {
    /// What the keys do, in the 20 cells that the help has for it.
    pub label: &'static str,
    /// The same as a sentence, for documents.
    pub help: &'static str,
    /// It is one of the few that README names.
    pub essential: bool,
    pub input: LineInput,
}

/// What brings the actions of a line about.
pub enum LineInput {
    Actions(&'static [ActionSpec]),
    /// Keys of actions that are declared elsewhere, where they do something else.
    SameKeysAs(&'static [Action]),
    Mouse(&'static str),
}

/// An action that a key can stand for.
pub struct ActionSpec {
    /// The name in key files.
    pub name: &'static str,
    pub action: Action,
    /// It goes on for as long as its key is held.
    pub repeats: bool,
}

const fn once(name: &'static str, action: Action) -> ActionSpec {
    ActionSpec { name, action, repeats: false }
}

const fn repeated(name: &'static str, action: Action) -> ActionSpec {
    ActionSpec { name, action, repeats: true }
}

const fn line(label: &'static str, help: &'static str, actions: &'static [ActionSpec]) -> ActionLine {
    ActionLine { label, help, essential: false, input: LineInput::Actions(actions) }
}

const fn essential(label: &'static str, help: &'static str, actions: &'static [ActionSpec]) -> ActionLine {
    ActionLine { label, help, essential: true, input: LineInput::Actions(actions) }
}

const fn same_keys(label: &'static str, help: &'static str, actions: &'static [Action]) -> ActionLine {
    ActionLine { label, help, essential: false, input: LineInput::SameKeysAs(actions) }
}

const fn mouse(gesture: &'static str, label: &'static str, help: &'static str) -> ActionLine {
    ActionLine { label, help, essential: false, input: LineInput::Mouse(gesture) }
}

const TILTS: &[Action] = &[
    Action::Tilt(Direction::Left),
    Action::Tilt(Direction::Down),
    Action::Tilt(Direction::Up),
    Action::Tilt(Direction::Right),
];

/// The label of the tilting keys on a terminal that reports when keys are released.
pub const HOLD_TO_TILT: &str = "hold to tilt";

/// All actions that keys stand for, in the order of the help. The last [`RIGHT_COLUMN`] sections are its right column.
pub const SECTIONS: &[HelpSection] = &[
    HelpSection {
        heading: "The tank",
        lines: &[
            essential(
                "tilt; down: back",
                "tilt the tank; it returns when the key is released, or after three seconds where that is not reported",
                &[
                    repeated("tilt-left", Action::Tilt(Direction::Left)),
                    repeated("tilt-down", Action::Tilt(Direction::Down)),
                    repeated("tilt-up", Action::Tilt(Direction::Up)),
                    repeated("tilt-right", Action::Tilt(Direction::Right)),
                ],
            ),
            line("upright again", "bring the tank upright", &[once("upright", Action::Upright)]),
            line(
                "shake",
                "shake the tank",
                &[
                    once("shake-left", Action::Shake(Direction::Left)),
                    once("shake-down", Action::Shake(Direction::Down)),
                    once("shake-up", Action::Shake(Direction::Up)),
                    once("shake-right", Action::Shake(Direction::Right)),
                ],
            ),
            line(
                "pour in, drain out",
                "pour liquid in, drain it out",
                &[repeated("pour", Action::Pour), repeated("drain", Action::Drain)],
            ),
            line("start again", "reset the scene", &[once("reset", Action::Reset)]),
            essential(
                "next, previous scene",
                "show the next or the previous scene",
                &[once("next-scene", Action::NextScene), once("previous-scene", Action::PreviousScene)],
            ),
            essential(
                "pick a scene",
                "list the scenes: type to narrow, enter goes, 1 to 9 go to the favourites",
                &[once("pick-scene", Action::PickScene)],
            ),
            essential(
                "pause step slow fast",
                "pause and resume; make a single step; halve or double the speed",
                &[
                    once("pause", Action::Pause),
                    repeated("step", Action::Step),
                    repeated("slower", Action::Slower),
                    repeated("faster", Action::Faster),
                ],
            ),
        ],
    },
    HelpSection {
        heading: "The picture",
        lines: &[
            line("glyphs", "switch to the next glyph set", &[once("glyphs", Action::Glyphs)]),
            essential("palette", "switch to the next palette", &[once("palette", Action::Palette)]),
            line("what colour means", "show the next quantity as colour", &[once("color-by", Action::NextColorBy)]),
            line(
                "cloth or threads",
                "draw cloth as surface, as threads, or as both",
                &[once("cloth-style", Action::NextClothStyle)],
            ),
            line("stats", "show or hide the statistics", &[once("stats", Action::Stats)]),
            essential("this help", "show or hide the help; directions scroll it", &[once("help", Action::Help)]),
            essential(
                "settings",
                "open or close the panel with the scene's numbers in words, for keys and mouse",
                &[once("panel", Action::Panel)],
            ),
            line(
                "undo, reset",
                "undo the last change of a parameter; reset all parameters",
                &[once("undo", Action::Undo), once("reset-settings", Action::ResetSettings)],
            ),
            line("close; then quit", "close what is open; with nothing open, quit", &[once("back", Action::Back)]),
            essential("quit", "quit", &[once("quit", Action::Quit)]),
            line("suspend (fg resumes)", "suspend; fg resumes", &[once("suspend", Action::Suspend)]),
        ],
    },
    HelpSection {
        heading: "The mouse",
        lines: &[
            mouse("left drag", "carry the fluid", "carry the fluid along; take hold of cloth, and tear it"),
            mouse("click, hold", "push it away", "throw the fluid away from the pointer; held, keep it away"),
            mouse("right", "pull and carry", "draw the fluid together at the pointer and carry it"),
            mouse("wheel", "brush size", "change the size of the brush"),
            mouse(
                "middle drag",
                "draw, erase walls",
                "draw a wall, which cuts cloth; begun on a drawn wall, erase (also shift and the left button, where the \
                 terminal does not keep them for selecting text)",
            ),
            essential(
                "push pull pour drain",
                "let the left button push the fluid (drag, click, hold), pull it, pour or drain",
                &[
                    once("tool-push", Action::Tool(PointerMode::Push)),
                    once("tool-pull", Action::Tool(PointerMode::Pull)),
                    once("tool-pour", Action::Tool(PointerMode::Pour)),
                    once("tool-drain", Action::Tool(PointerMode::Drain)),
                ],
            ),
            line(
                "left draws walls",
                "let the left button draw walls; begun on a drawn wall, it erases",
                &[once("tool-wall", Action::Tool(PointerMode::Wall)), once("walls", Action::Walls)],
            ),
            line(
                "left heats, cools",
                "let the left button heat or cool what is under the brush",
                &[
                    once("tool-heat", Action::Tool(PointerMode::Heat)),
                    once("tool-cool", Action::Tool(PointerMode::Cool)),
                ],
            ),
            line(
                "pour another fluid",
                "pour the next fluid that the tank can hold, or the next dye",
                &[once("next-fluid", Action::NextFluid)],
            ),
        ],
    },
    HelpSection {
        heading: "The pointer, moved by keys",
        lines: &[
            line("show, hide", "show or hide the pointer that keys move", &[once("pointer", Action::TogglePointer)]),
            same_keys("move it; shift: far", "move the pointer; with shift, far", TILTS),
            line("the left button", "press or release the left button", &[once("grab", Action::Grab)]),
            line(
                "explode, pull",
                "push the fluid away; pull it",
                &[once("explode", Action::Explode), once("pull", Action::Pull)],
            ),
            line(
                "brush size (wheel)",
                "make the brush smaller or larger",
                &[repeated("brush-smaller", Action::Brush(false)), repeated("brush-larger", Action::Brush(true))],
            ),
        ],
    },
    HelpSection {
        heading: "To keep",
        lines: &[
            line("words: melt, return", "melt words and pages, or let them flow back", &[once("melt", Action::Melt)]),
            essential("record, stop", "start or stop a recording", &[once("record", Action::Record)]),
            line("copy a share code", "copy a code that shows this elsewhere", &[once("share", Action::CopyShareCode)]),
            line("save as a scene", "save the scene as it is now to a file", &[once("save", Action::Save)]),
        ],
    },
];

/// Sections in the right column of the help.
pub const RIGHT_COLUMN: usize = 3;

/// All actions that keys stand for.
pub fn actions() -> impl Iterator<Item = &'static ActionSpec> {
    let lines = SECTIONS.iter().flat_map(|section| section.lines);
    lines.flat_map(|line| match line.input {
        LineInput::Actions(actions) => actions,
        _ => &[],
    })
}

/// The declaration of an action, if keys stand for it.
pub fn find(action: Action) -> Option<&'static ActionSpec> {
    actions().find(|spec| spec.action == action)
}
