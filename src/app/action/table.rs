//! The actions and their keys, one declaration each, in the sections of the help. From this the macro generates the enum, the
//! default keymap, the help, the manual page, `docs/keys.md`, README's table and the `[keys]` of `slosh config --init`. A new
//! action is a line here, and an arm in `App::apply`, which the compiler requires.

use crate::app::action::{Activity, Direction, PointerMode, TerminalCaps, Window};
use crate::app::session::frame_metrics::FrameMetrics;
use crate::cell::color::TerminalColors;
use serde::{Deserialize, Serialize};

pub struct HelpSection {
    pub heading: &'static str,
    pub lines: &'static [ActionLine],
}

pub struct ActionLine {
    /// Description of the keys, for the 20 cells in the help.
    pub label: &'static str,
    pub help: &'static str,
    pub essential: bool,
    pub input: LineInput,
}

pub enum LineInput {
    Actions(&'static [ActionSpec]),
    /// The keys of the tilts, where they have another effect.
    Directions,
    Mouse(&'static str),
}

pub struct ActionSpec {
    pub name: &'static str,
    pub keys: &'static [&'static str],
    pub action: Action,
    /// Whether it continues while its key is held.
    pub repeats: bool,
}

const fn once(name: &'static str, keys: &'static [&'static str], action: Action) -> ActionSpec {
    ActionSpec { name, keys, action, repeats: false }
}

const fn repeated(name: &'static str, keys: &'static [&'static str], action: Action) -> ActionSpec {
    ActionSpec { name, keys, action, repeats: true }
}

const fn line(label: &'static str, help: &'static str, actions: &'static [ActionSpec]) -> ActionLine {
    ActionLine { label, help, essential: false, input: LineInput::Actions(actions) }
}

const fn essential(label: &'static str, help: &'static str, actions: &'static [ActionSpec]) -> ActionLine {
    ActionLine { label, help, essential: true, input: LineInput::Actions(actions) }
}

const fn directions(label: &'static str, help: &'static str) -> ActionLine {
    ActionLine { label, help, essential: false, input: LineInput::Directions }
}

const fn mouse(gesture: &'static str, label: &'static str, help: &'static str) -> ActionLine {
    ActionLine { label, help, essential: false, input: LineInput::Mouse(gesture) }
}

pub const HOLD_TO_TILT: &str = "hold to tilt";

/// Sections in the right column of the help: the last of [`SECTIONS`].
pub const RIGHT_COLUMN: usize = 3;

/// A line is `kind(text …)`, followed by its actions in brackets, if any. An action is `once` or `repeated`, name, keys, and
/// after `=` either a variant that this declares, or in parentheses a value of one of `others`.
macro_rules! actions {
    (
        $( $heading:literal { $(
            $line:ident($($text:expr),* $(,)?)
            $([ $( $spec:ident $name:literal $keys:tt = $($variant:ident)? $(($value:expr))? ),* $(,)? ])?
        )* } )*
        others { $($others:tt)* }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Action {
            $($($($( $($variant,)? )*)?)*)*
            $($others)*
        }

        pub const SECTIONS: &[HelpSection] = &[$(
            HelpSection {
                heading: $heading,
                lines: &[$(
                    $line($($text,)* $(&[$( $spec($name, &$keys, $(Action::$variant)? $($value)?) ),*])?)
                ),*],
            }
        ),*];
    };
}

actions! {
    "The tank" {
        essential(
            "tilt; down: back",
            "tilt the tank; it returns when the key is released, or after three seconds where the terminal does not report that",
        ) [
            repeated "tilt-left" ["left", "h"] = (Action::Tilt(Direction::Left)),
            repeated "tilt-down" ["down", "j"] = (Action::Tilt(Direction::Down)),
            repeated "tilt-up" ["up", "k"] = (Action::Tilt(Direction::Up)),
            repeated "tilt-right" ["right", "l"] = (Action::Tilt(Direction::Right)),
        ]
        line("upright again", "bring the tank upright") [once "upright" ["u", "home", "0"] = Upright]
        line("shake", "shake the tank") [
            once "shake-left" ["shift+left", "H"] = (Action::Shake(Direction::Left)),
            once "shake-down" ["shift+down", "J"] = (Action::Shake(Direction::Down)),
            once "shake-up" ["shift+up", "K"] = (Action::Shake(Direction::Up)),
            once "shake-right" ["shift+right", "L"] = (Action::Shake(Direction::Right)),
        ]
        line("pour in, drain out", "pour liquid in, drain it out") [
            repeated "pour" ["+", "="] = Pour,
            repeated "drain" ["-", "_"] = Drain,
        ]
        line("start again", "reset the scene") [once "reset" ["r"] = Reset]
        essential("next, previous scene", "show the next or the previous scene") [
            once "next-scene" ["n"] = NextScene,
            once "previous-scene" ["p"] = PreviousScene,
        ]
        essential("pick a scene", "list the scenes: type to search, enter shows the selected one, 1 to 9 the favourites") [
            once "pick-scene" ["/"] = PickScene,
        ]
        essential("pause step slow fast", "pause and resume; make a single step; halve or double the speed") [
            once "pause" ["space"] = Pause,
            repeated "step" ["."] = Step,
            repeated "slower" ["["] = Slower,
            repeated "faster" ["]"] = Faster,
        ]
    }

    "The picture" {
        line("glyphs", "switch to the next glyph set") [once "glyphs" ["g"] = Glyphs]
        essential("palette", "switch to the next palette") [once "palette" ["c"] = Palette]
        line("what colour means", "show the next quantity as colour") [once "color-by" ["v"] = NextColorBy]
        line("cloth, particles", "draw cloth as surface, as threads, or as both; liquid as a surface, as particles, or with arrows") [
            once "cloth-style" ["f"] = NextClothStyle,
        ]
        line("stats", "show or hide the statistics") [once "stats" ["s"] = Stats]
        essential("this help", "show or hide the help; directions scroll it") [once "help" ["?", "f1"] = Help]
        line("settings", "open or close the panel of the scene's parameters, for keys and mouse") [
            once "panel" ["tab"] = Panel,
        ]
        line("undo, reset", "undo the last change of a parameter; reset all parameters") [
            once "undo" ["z", "backspace"] = Undo,
            once "reset-settings" ["o"] = ResetSettings,
        ]
        line("close; then quit", "close what is open; with nothing open, quit") [once "back" ["esc"] = Back]
        essential("quit", "quit") [once "quit" ["q", "ctrl+c"] = Quit]
        line("suspend (fg resumes)", "suspend; fg resumes") [once "suspend" ["ctrl+z"] = Suspend]
    }

    "The mouse" {
        mouse("left drag", "carry the fluid", "carry the fluid along; take hold of cloth, and tear it")
        mouse("click, hold", "push it away", "a click throws the fluid outwards, or feeds the fish in it; holding keeps it away")
        mouse("right", "pull and carry", "pull the fluid together at the pointer and carry it")
        mouse("wheel", "brush size", "change the size of the brush")
        mouse(
            "middle drag",
            "draw, erase walls",
            "draw a wall, which cuts cloth; begun on a drawn wall, erase (also shift and the left button, where the \
             terminal does not keep them for selecting text)",
        )
        essential(
            "push pull pour drain",
            "let the left button push the fluid (drag, click, hold), pull it, pour or drain",
        ) [
            once "tool-push" ["1"] = (Action::Tool(PointerMode::Push)),
            once "tool-pull" ["2"] = (Action::Tool(PointerMode::Pull)),
            once "tool-pour" ["3"] = (Action::Tool(PointerMode::Pour)),
            once "tool-drain" ["4"] = (Action::Tool(PointerMode::Drain)),
        ]
        line(
            "walls, heat, cool",
            "let the left button draw walls (begun on a drawn wall, it erases), heat what is under the brush, or cool it",
        ) [
            once "tool-wall" ["5"] = (Action::Tool(PointerMode::Wall)),
            once "walls" ["x"] = Walls,
            once "tool-heat" ["6"] = (Action::Tool(PointerMode::Heat)),
            once "tool-cool" ["7"] = (Action::Tool(PointerMode::Cool)),
        ]
        line("pour another fluid", "pour the next fluid that the tank can hold, the next dye, or more fish and food where fish live") [
            once "next-fluid" ["i"] = NextFluid,
        ]
    }

    "The pointer, moved by keys" {
        line("show, hide", "show or hide the pointer that keys move") [once "pointer" ["w"] = TogglePointer]
        directions("move it; shift: far", "move the pointer; with shift, far")
        line("the left button", "press or release the left button") [once "grab" ["enter"] = Grab]
        line("explode, pull", "push the fluid away; pull it") [
            once "explode" ["b"] = Explode,
            once "pull" ["a"] = Pull,
        ]
        line("brush size (wheel)", "make the brush smaller or larger") [
            repeated "brush-smaller" ["<"] = (Action::Brush(false)),
            repeated "brush-larger" [">"] = (Action::Brush(true)),
        ]
    }

    "To keep" {
        line("melt; timer: digits", "melt words and pages, or let them flow back; show or hide the time left of a timer") [
            once "melt" ["m"] = Melt,
        ]
        line("record, stop", "start or stop a recording") [once "record" ["R"] = Record]
        line("copy a share code", "copy a code that shows this elsewhere") [once "share" ["y"] = CopyShareCode]
        line("save as a scene", "save the scene with its changes and drawn walls to a file") [once "save" ["S"] = Save]
    }

    others {
        /// A direction key was pressed: the tank tilts or the pointer moves by a step, or an open help scrolls.
        Tilt(Direction),
        /// A direction key is held from now on. Only on terminals that report key releases.
        HoldDirection(Direction),
        ReleaseDirection(Direction),
        /// Turns gravity to this angle: radians from straight down, positive to the right.
        SetTilt(f32),
        Shake(Direction),

        /// Cross-fades to the scene of this index.
        SetScene(u16),
        /// Adds or removes a drop: a fifth of the amount of pouring and draining.
        Drop,
        DrainDrop,

        /// In the picker: a character was typed, the last one is removed, the selected scene is shown.
        Type(char),
        Erase,
        Choose,

        /// Changes slowly to the palette of this index among those as light or as dark as the current one.
        SetPalette(u16),
        UnknownKey,

        Tool(PointerMode),
        /// Makes the brush larger (`true`) or smaller by a step.
        Brush(bool),

        /// The left mouse button applies the selected tool. Positions are in cells from the upper left corner, with a fraction.
        PressTool([f32; 2]),
        Press(PointerMode, [f32; 2]),
        Move([f32; 2]),
        Release([f32; 2]),
        UserActivity(Activity),
        Focus(bool),
        Resize(Window),
        Terminal(TerminalCaps),
        /// The terminal's own colours, for a page that is shown in them.
        TerminalColors(TerminalColors),
        /// Measurements of the run loop, for the stats and the particle count.
        Measured(FrameMetrics),
        SetWallClock(u32),
        /// The time left of a timer, milliseconds.
        SetTimeLeft(u32),
        SetThreads(usize),
        /// A number that a pipe gives for the fed parameter of this index.
        Feed(u16, f32),
        /// Lines of the pipe without numbers, and whether it has ended.
        FeedReport(u32, bool),
    }
}

pub fn actions() -> impl Iterator<Item = &'static ActionSpec> {
    let lines = SECTIONS.iter().flat_map(|section| section.lines);
    lines.flat_map(|line| match line.input {
        LineInput::Actions(actions) => actions,
        _ => &[],
    })
}

pub fn repeats(action: Action) -> bool {
    find(action).is_some_and(|spec| spec.repeats)
}

pub fn find(action: Action) -> Option<&'static ActionSpec> {
    actions().find(|spec| spec.action == action)
}
