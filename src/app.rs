//! The app: a world, how it is looked at, and one door for change, [`App::update`].
//!
//! ```text
//! Event ── keymap, pointer ──→ Action ──→ App::update    what was asked for
//!                              elapsed ──→ App::tick      fixed steps, and what fades with time
//!                              Buffer ───→ App::draw      the picture, overlays last
//! ```
//!
//! There is no terminal and no clock in here: [`run`] brings both. The same Actions and ticks give the same frames.

pub mod action;
pub mod auto_particles;
pub mod demo;
mod draw;
pub mod error;
pub mod files;
pub mod headless;
mod input;
pub mod interactive;
mod options;
pub mod overlay;
pub mod panel;
pub mod recorder;
pub mod replay;
pub mod run;
pub mod saver;
pub mod share_code;
mod show;
pub mod threads;
mod tick;

use crate::scene::Scene;
use crate::scene::parameters;
use crate::scene::parameters::Knob;
use crate::sim::World;
use crate::sim::clock::Clock;
use crate::sim::world::pointer::Hand;
use crate::term::Event;
use crate::view::{Painter, RenderStyle};
use action::tilt::Tilt;
use action::{Action, Grip, Terminal, Window};
use auto_particles::Fineness;
use demo::Act;
pub use options::{BackgroundChoice, LookOptions, Options, OverlayColors, SaverOptions, SimulationOptions};
use overlay::Overlay;
use panel::Panel;
use replay::event_log::{Journal, Note};
use saver::Saver;
use saver::fade::{Fade, Recolor};
use saver::flash_limiter::Steady;
use std::time::Duration;

/// What the app cannot do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Quit,
    Suspend,
    /// Recording is to start, or to stop.
    Record,
    /// The scene as it is now is to be written into a file.
    Save,
    /// The share code is to be copied and shown.
    Code,
}

/// All state of the toy.
#[derive(Debug)]
pub struct App {
    options: Options,
    /// Which of the scenes is shown.
    current: usize,
    /// Its name; what it is now, the world knows.
    scene: Scene,
    world: World,
    act: Option<Act>,
    /// For how long it has been left.
    leaving: Duration,
    clock: Clock,
    tilt: Tilt,
    hand: Hand,
    /// The hand is moved by keys, and shown.
    hand_shown: bool,
    /// The hand and the left button draw walls.
    walling: bool,
    look: RenderStyle,
    painter: Painter,
    window: Window,
    terminal: Terminal,
    overlay: Overlay,
    help: [Vec<overlay::help::Line>; 2],
    panel: Panel,
    /// Decides how fine a grid is.
    grain: Fineness,
    saver: Option<Saver>,
    /// How long nobody has touched anything.
    untouched: Duration,
    /// The scene and the palette that go.
    fade: Option<Fade>,
    recolor: Option<Recolor>,
    steady: Steady,
    focused: bool,
    request: Option<Request>,
    journal: Option<Journal>,
    /// The picture is not what it was when it was drawn last.
    stale: bool,
    /// How far the fastest particle may have moved since, in samples.
    drift: f32,
    /// The version of the walls and the number of particles when last looked at.
    seen: (u64, usize),
}

impl App {
    pub fn new(mut options: Options) -> Self {
        let current = options.insert_first_scene();
        let window = options.window;
        let terminal = Terminal::default();
        let mut act = options.demo.take();
        let world = options.build_world(&options.scene.world, act.as_mut(), window);
        let mut app = Self {
            scene: options.scene.clone(),
            current,
            hand: Hand::new(world.size() / 2.0),
            world,
            act,
            leaving: Duration::ZERO,
            clock: Clock::default(),
            tilt: Tilt::default(),
            hand_shown: false,
            walling: false,
            look: RenderStyle {
                color_by: options.look.color_by,
                cloth_style: options.look.cloth_style,
                ..RenderStyle::default()
            },
            painter: Painter::default(),
            window,
            terminal,
            overlay: Overlay::default(),
            help: overlay::help::columns(&options.keymap, false),
            panel: Panel::default(),
            grain: Fineness::new(1.0),
            saver: None,
            untouched: Duration::ZERO,
            fade: None,
            recolor: None,
            steady: Steady::default(),
            focused: true,
            request: None,
            journal: None,
            stale: true,
            drift: 0.0,
            seen: (0, 0),
            options,
        };
        app.learn(terminal);
        app.choose_palette();
        if app.options.saver.from_start {
            app.take_over(true);
        }
        app
    }

    /// What an event asks for, if anything.
    pub fn hear(&self, event: &Event) -> Option<Action> {
        if self.is_piloted() {
            return saver::touch(event);
        }
        match event {
            Event::Key(key) => self.options.keymap.action(key, self.terminal.key_release),
            Event::Mouse(mouse) => action::pointer::action(mouse),
            Event::Focus(focused) => Some(Action::Focus(*focused)),
            // Sizes and answers are for the run loop; pasted text is never taken for keys.
            _ => None,
        }
    }

    /// Does what is asked for: the only way to change the app, besides the time that passes.
    pub fn update(&mut self, action: Action) {
        self.note(|| Note::Do(action));
        use Action::{Measured, Resize, Share, Time};
        if !matches!(action, Measured(_) | Resize(_) | Action::Terminal(_) | Share(_) | Time(_)) {
            self.untouched = Duration::ZERO;
        }
        self.apply(action);
    }

    /// Does it without a note. What the autopilot asks for goes this way: it follows from the tick, which is noted, and
    /// a replayed tick asks for it again.
    fn apply(&mut self, action: Action) {
        self.stale |= self.shows(action);
        if !self.steady.admits(action) {
            return;
        }
        match action {
            Action::Tilt(side) => self.direct(side, 1.0),
            Action::Hold(side) => self.hold(side),
            Action::LetGo(side) => self.tilt.let_go(side),
            Action::Upright => self.tilt_to(action::tilt::upright(self.world.tilt_target())),
            Action::Lean(angle) => self.tilt_to(angle),
            Action::Shake(side) => self.shake(side),

            Action::Pause => self.toggle_pause(),
            Action::Step => self.step_once(),
            Action::Slower => self.set_speed(self.clock.speed() / 2.0),
            Action::Faster => self.set_speed(self.clock.speed() * 2.0),
            Action::Reset => self.reset(),
            Action::NextScene => self.show_scene(self.neighbor_scene(1)),
            Action::PreviousScene => self.show_scene(self.neighbor_scene(-1)),
            Action::Scene(number) => self.cross_to(number.into()),
            Action::Pour => self.pour(),
            Action::Drain => self.drain(),

            Action::Melt => self.melt(),

            Action::Glyphs => self.next_glyphs(),
            Action::Palette => self.next_palette(),
            Action::Colors(number) => self.recolor(number.into()),
            Action::Drive => self.next_drive(),
            Action::Weave => self.next_weave(),
            Action::Stats => self.overlay.stats = !self.overlay.stats,
            Action::Help => self.overlay.toggle_help(),

            Action::Panel => self.panel.toggle(),
            Action::Undo => self.undo(),
            Action::Original => self.restore(),
            Action::Save => self.request = Some(Request::Save),

            Action::Hand => self.show_hand(!self.hand_shown),
            Action::Grab => self.grip(self.main_grip()),
            Action::Pull => self.grip(Grip::Pull),
            Action::Burst => self.hand.burst(),
            Action::Walls => self.toggle_walls(),
            Action::Brush(larger) => self.resize_brush(larger),

            Action::Code => self.request = Some(Request::Code),
            Action::Record => self.request = Some(Request::Record),
            Action::Back => self.back(),
            Action::Quit => self.quit(),
            Action::Suspend => self.request = Some(Request::Suspend),

            Action::Press(grip, at) => self.press(grip, at.into()),
            Action::Move(at) => self.move_hand(at.into()),
            Action::Release(at) => self.release(at.into()),
            Action::Touch(touch) => self.touched(touch),
            Action::Focus(focused) => self.set_focus(focused),
            Action::Resize(window) => self.resize(window),
            Action::Terminal(terminal) => self.learn(terminal),
            Action::Measured(meters) => self.measured(meters),
            Action::Share(threads) => self.share(threads),
            Action::Time(seconds) => self.tell(seconds),
        }
    }

    /// Whether an Action changes the picture at once.
    fn shows(&self, action: Action) -> bool {
        match action {
            Action::Measured(_) => self.overlay.stats,
            Action::Touch(_) | Action::Share(_) | Action::Time(_) => false,
            Action::Move(_) => {
                self.hand_shown || self.panel.open || self.hand.grip().is_some() || self.overlay.is_fading()
            }
            _ => true,
        }
    }

    /// Whether something else than a scene is played.
    pub fn has_act(&self) -> bool {
        self.act.is_some()
    }

    pub fn is_focused(&self) -> bool {
        self.focused
    }

    /// The scene that is shown, as it began.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene with what has been changed and drawn since, as it would begin again.
    pub fn scene_now(&self) -> Scene {
        Scene { world: self.world.definition_now(), ..self.scene.clone() }
    }

    /// What is shown, as share codes hold it.
    pub fn recipe(&self) -> share_code::Recipe {
        share_code::Recipe {
            scene: self.scene.name.clone(),
            seed: self.options.simulation.seed,
            palette: self.palette().name().to_owned(),
            drive: self.look.color_by.name().to_owned(),
            set: self.options.set.iter().cloned().chain(self.changed()).collect(),
        }
    }

    /// What was changed by the panel, as `KEY=VALUE`.
    fn changed(&self) -> Vec<String> {
        let (original, now) = (&self.options.scenes[self.current].world, self.world.definition());
        let changed = |knob: &Knob| knob.value(original) != knob.value(now);
        let mut settings: Vec<String> =
            parameters::all(now).iter().filter(|knob| changed(knob)).map(|knob| knob.setting(now)).collect();
        // The parts of a vector are given together, once.
        settings.dedup();
        settings
    }

    /// Says something for a moment: how what was asked of the run loop went.
    pub fn say(&mut self, message: impl Into<String>) {
        let message = message.into();
        self.note(|| Note::Say(message.clone()));
        self.overlay.say(message);
        self.stale = true;
    }

    /// Notes from now on what happens, for a recording that can be played again.
    pub fn keep_journal(&mut self) {
        self.journal = Some(Journal::default());
    }

    /// What was noted since the last call.
    pub fn take_notes(&mut self) -> String {
        self.journal.as_mut().map_or_else(String::new, Journal::take)
    }

    fn note(&mut self, note: impl FnOnce() -> Note) {
        if let Some(journal) = &mut self.journal {
            journal.note(&note());
        }
    }

    /// What the app asks of the run loop, told once.
    pub fn take_request(&mut self) -> Option<Request> {
        self.request.take()
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub fn look(&self) -> &RenderStyle {
        &self.look
    }

    pub fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    pub fn hand(&self) -> &Hand {
        &self.hand
    }
}
