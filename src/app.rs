//! The app: a world, how it is looked at, and one door for change, [`App::update`].
//!
//! ```text
//! Event ── keymap, pointer ──→ Action ──→ App::update    what was asked for
//!                              elapsed ──→ App::tick      fixed steps, and what fades with time
//!                              Buffer ───→ App::draw      the picture, overlays last
//! ```
//!
//! There is no terminal and no clock in here: [`run`] brings both. The same Actions and ticks give the same frames.

pub mod act;
pub mod action;
pub mod autopilot;
pub mod bench;
pub mod capture;
pub mod clock;
pub mod config;
pub mod configure;
pub mod dial;
pub mod doctor;
mod drawing;
mod fade;
pub mod failure;
mod files;
pub mod fineness;
pub mod help;
pub mod journal;
pub mod keymap;
pub mod lettering;
pub mod list;
pub mod manual;
pub mod meters;
mod named;
pub mod overlay;
pub mod page;
pub mod panel;
pub mod perform;
pub mod playback;
pub mod pointer;
pub mod probe;
mod progress;
pub mod record;
pub mod reel;
pub mod replay;
pub mod run;
pub mod saver;
pub mod scenes;
pub mod script;
pub mod settings;
pub mod share;
mod show;
pub mod snippet;
pub mod sources;
pub mod stage;
mod steady;
mod steer;
pub mod term;
pub mod theme;
pub mod threads;
pub mod tilt;
pub mod toy;
#[cfg(unix)]
pub mod wait;
pub mod words;

use crate::sim::clock::{Clock, STEP};
use crate::sim::hand::Hand;
use crate::sim::instructions::Instructions;
use crate::sim::scene::Scene;
use crate::sim::scene::knobs::Knob;
use crate::sim::{Setup, World, watch};
use crate::view::{self, Camera, Drive, Glyphs, Look, Painter, Palette, Rgb, Weave, palette};
use act::Act;
use action::{Action, Grip, Terminal, Window};
use dial::Dial;
use fade::{Fade, Recolor};
use fineness::Fineness;
use glam::Vec2;
use journal::{Counted, Journal, Note, nanos, sum};
use keymap::Keymap;
use overlay::{Overlay, Pens};
use page::Ink;
use panel::Panel;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use saver::{Dismissal, Saver};
use settings::{Ground, Settings};
use std::time::Duration;
use steady::Steady;
use term::Event;
use tilt::Tilt;

/// How far (in samples of the picture) the fastest particle may move before the picture must be painted again.
const STILL: f32 = 0.25;

/// Cells of a grid at the most: with these a step takes some 10 ms of a core.
const MOST_CELLS: usize = 60_000;

/// With what the app starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is shown first.
    pub scene: Scene,
    /// What `n` and `p` walk through; `scene` joins them, or takes the place of its namesake.
    pub scenes: Vec<Scene>,
    /// The user's choice; the best that the terminal shows where there is none.
    pub glyphs: Option<Glyphs>,
    /// The user's choice; each scene's own where there is none.
    pub palette: Option<Palette>,
    /// What can be chosen from.
    pub palettes: Vec<Palette>,
    pub background: Ground,
    /// Text and ground of what is written over the picture; white on black where there is none.
    pub overlay: Option<[Rgb; 2]>,
    pub drive: Drive,
    pub weave: Weave,
    /// Instead of the scenes' own number.
    pub particles: Option<usize>,
    /// How many threads share the simulation, and whether that follows what else the machine has to do.
    pub threads: usize,
    pub threads_follow: bool,
    /// Which vector instructions the simulation uses.
    pub instructions: Instructions,
    /// How many particles there are is chosen and adapted, beginning with a guess.
    pub fineness: Option<Fineness>,
    pub seed: u64,
    /// The window as it is at the start.
    pub window: Window,
    /// Frames a second, at most; 1 to 240.
    pub fps: u32,
    pub keymap: Keymap,
    /// The autopilot plays from the start, and what ends it ends the program.
    pub saver: bool,
    /// After how long without a touch the autopilot takes over.
    pub idle: Option<Duration>,
    pub dismiss: Dismissal,
    /// Reduced motion.
    pub calm: bool,
    /// What is played instead of scenes.
    pub act: Option<Act>,
    /// Where that is told the time from.
    pub dial: Option<Dial>,
    /// What was laid over the scenes, as `KEY=VALUE`, for share codes.
    pub set: Vec<String>,
}

impl Options {
    /// Everything as it is without flags.
    pub fn new(scene: Scene, scenes: Vec<Scene>) -> Self {
        Self {
            scene,
            scenes,
            glyphs: None,
            palette: None,
            palettes: palette::embedded().to_vec(),
            background: Ground::default(),
            overlay: None,
            drive: Drive::default(),
            weave: Weave::default(),
            particles: None,
            threads: 1,
            threads_follow: false,
            instructions: Instructions::Best,
            fineness: None,
            seed: 0,
            window: Window { columns: 80, rows: 24, cell: [0, 0] },
            fps: 60,
            keymap: Keymap::default(),
            saver: false,
            idle: None,
            dismiss: Dismissal::default(),
            calm: false,
            act: None,
            dial: None,
            set: Vec::new(),
        }
    }

    /// What the settings say.
    pub fn of(settings: &Settings, scene: Scene, scenes: Vec<Scene>) -> Self {
        Self {
            glyphs: settings.glyphs,
            palette: settings.palette.clone(),
            palettes: settings.palettes.clone(),
            background: settings.background,
            overlay: settings.overlay,
            drive: settings.drive,
            weave: settings.weave,
            threads: settings.threads.unwrap_or_else(threads::suitable),
            threads_follow: settings.threads.is_none(),
            instructions: settings.instructions,
            fps: settings.fps,
            keymap: settings.keymap.clone(),
            idle: settings.idle,
            dismiss: settings.dismiss,
            calm: settings.calm,
            ..Self::new(scene, scenes)
        }
    }

    /// Puts the first scene among the others, in the place of its namesake, and says where.
    fn join(&mut self) -> usize {
        let namesake = self.scenes.iter().position(|scene| scene.name == self.scene.name);
        if let Some(at) = namesake {
            self.scenes[at] = self.scene.clone();
        } else {
            self.scenes.insert(0, self.scene.clone());
        }
        namesake.unwrap_or(0)
    }
}

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
    world: World,
    act: Option<Act>,
    clock: Clock,
    tilt: Tilt,
    hand: Hand,
    /// The hand is moved by keys, and shown.
    hand_shown: bool,
    /// The hand and the left button draw walls.
    walling: bool,
    look: Look,
    painter: Painter,
    window: Window,
    terminal: Terminal,
    overlay: Overlay,
    help: [Vec<help::Line>; 2],
    panel: Panel,
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
        let current = options.join();
        let window = options.window;
        let terminal = Terminal::default();
        let mut act = options.act.take();
        let world = set_scene(&options.scene, &options, act.as_mut(), window);
        let mut app = Self {
            current,
            hand: Hand::new(world.size() / 2.0),
            world,
            act,
            clock: Clock::default(),
            tilt: Tilt::default(),
            hand_shown: false,
            walling: false,
            look: Look { drive: options.drive, weave: options.weave, ..Look::default() },
            painter: Painter::default(),
            window,
            terminal,
            overlay: Overlay::default(),
            help: help::columns(&options.keymap, false),
            panel: Panel::default(),
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
        if app.options.saver {
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
            Event::Mouse(mouse) => pointer::action(mouse),
            Event::Focus(focused) => Some(Action::Focus(*focused)),
            // Sizes and answers are for the run loop; pasted text is never taken for keys.
            _ => None,
        }
    }

    /// Does what is asked for: the only way to change the app, besides the time that passes.
    pub fn update(&mut self, action: Action) {
        self.note(|| Note::Do(action));
        self.stale |= self.shows(action);
        use Action::{Measured, Resize, Share, Time};
        if !matches!(action, Measured(_) | Resize(_) | Action::Terminal(_) | Share(_) | Time(_)) {
            self.untouched = Duration::ZERO;
        }
        if !self.steady.admits(action) {
            return;
        }
        match action {
            Action::Tilt(side) => self.direct(side, 1.0),
            Action::Hold(side) => self.hold(side),
            Action::LetGo(side) => self.tilt.let_go(side),
            Action::Upright => self.tilt_to(tilt::upright(self.world.tilt_target())),
            Action::Lean(angle) => self.tilt_to(angle),
            Action::Shake(side) => self.shake(side),

            Action::Pause => self.toggle_pause(),
            Action::Step => self.step_once(),
            Action::Slower => self.set_speed(self.clock.speed() / 2.0),
            Action::Faster => self.set_speed(self.clock.speed() * 2.0),
            Action::Reset => self.reset(),
            Action::NextScene => self.show_scene(self.current + 1),
            Action::PreviousScene => self.show_scene(self.current + self.options.scenes.len() - 1),
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

    /// Time passes: as many fixed steps as are due, and at most `most`. Returns how many there were.
    pub fn tick(&mut self, elapsed: Duration, most: u32) -> u32 {
        self.tick_watched(elapsed, most, &mut ())
    }

    /// As [`App::tick`], under the eyes of `watch`.
    pub fn tick_watched(&mut self, elapsed: Duration, most: u32, watch: &mut impl watch::Watch) -> u32 {
        let mut counted = Counted::new(watch);
        let steps = self.simulate(elapsed, most, &mut counted);
        let stopped = counted.stopped_after;
        self.note(|| Note::Tick(nanos(elapsed), most, stopped));
        steps
    }

    fn simulate(&mut self, elapsed: Duration, most: u32, watch: &mut impl watch::Watch) -> u32 {
        self.lean(elapsed);
        let due = self.clock.advance(elapsed);
        let mut steps = 0;
        while steps < due.min(most) && self.step(watch) {
            steps += 1;
        }
        // Half a step may be seen, on a machine that takes seconds for one.
        self.stale |= self.world.is_in_a_step();
        if steps < due {
            // Too much for this machine: time runs slow rather than frames stall.
            self.clock.forgive();
        }
        self.look_for_motion(steps);
        self.stale |= self.overlay.advance(elapsed);
        self.end_if_left();
        self.fade_on(elapsed);
        self.steady.advance(elapsed);
        self.wait_for_touch(elapsed);
        steps
    }

    /// Time passes in which the app was idle: nothing changes, but somebody may be gone.
    pub fn rest(&mut self, elapsed: Duration) {
        self.note(|| Note::Rest(nanos(elapsed)));
        self.steady.advance(elapsed);
        self.wait_for_touch(elapsed);
    }

    /// One step, or as much of one as `watch` allows. Says whether it is over.
    fn step(&mut self, watch: &mut impl watch::Watch) -> bool {
        if !self.world.is_in_a_step() {
            self.autopilot();
            if let Some(act) = &mut self.act {
                act.direct(&mut self.world);
            }
            if let Some(fade) = &mut self.fade {
                fade.world.step();
            }
            self.hand.act(&mut self.world, STEP / self.clock.speed());
        }
        self.world.step_watched(watch)
    }

    /// Paints the picture into all of `buf`, and what lies over it.
    pub fn draw(&mut self, buf: &mut Buffer) {
        self.draw_watched(buf, &mut ());
    }

    /// As [`App::draw`], under the eyes of `watch`.
    pub fn draw_watched(&mut self, buf: &mut Buffer, watch: &mut impl view::Watch) {
        let cell = self.window.cell.into();
        self.painter.paint_watched(&self.world, &self.look, cell, buf.area, buf, watch);
        if let Some(fade) = &mut self.fade {
            fade.draw(cell, self.look.depth, buf);
        }
        let camera = self.camera();
        if let Some(act) = &mut self.act {
            let ink = Ink { depth: self.look.depth, unicode: self.terminal.unicode };
            act.overprint(&self.world, &camera, &ink, buf);
        }
        let pointer = camera.to_cell(self.hand.target);
        let hint = if self.panel.open { help::panel(&self.options.keymap) } else { String::new() };
        let scene = overlay::Scene {
            unicode: self.terminal.unicode,
            pens: Pens::new(self.options.overlay, self.look.depth),
            help: &self.help,
            particles: self.world.particles(),
            awake: self.world.awake(),
            facts: if self.overlay.stats { self.world.facts() } else { Vec::new() },
            fineness: self.options.fineness.as_ref(),
            speed: self.clock.speed(),
            paused: self.clock.paused(),
            tilt: self.world.tilt(),
            tilted: self.world.tilt_target() != tilt::upright(self.world.tilt_target()),
            hand: self.hand_shown.then_some((pointer, self.hand.grip())),
            panel: self.panel.open.then_some((&self.panel, self.world.scene(), &hint)),
            pointer,
            brush: camera.scale() * self.hand.radius(&self.world),
        };
        self.overlay.draw(&scene, buf);
        (self.stale, self.drift) = (false, 0.0);
        self.note(|| Note::Frame(sum(buf)));
    }

    /// Adds up how far the picture may have moved.
    fn look_for_motion(&mut self, steps: u32) {
        let samples = (self.camera().scale() * Vec2::new(view::SAMPLES.0 as f32, view::SAMPLES.1 as f32)).max_element();
        self.drift += self.world.fastest() * steps as f32 * STEP * samples;
        let seen = (self.world.walls().version(), self.world.particles());
        self.stale |= seen != self.seen || (steps > 0 && self.world.tilt() != self.world.tilt_target());
        self.seen = seen;
    }

    /// Whether a picture drawn now would differ, as far as anybody can see, from the last.
    pub fn wants_frame(&self) -> bool {
        self.stale || self.drift > STILL
    }

    /// Whether nothing will change before the next Action.
    pub fn is_idle(&self) -> bool {
        let resting = self.clock.paused() || self.world.is_asleep();
        let changing = self.is_piloted() || self.fade.is_some() || self.recolor.is_some();
        let waiting = !self.clock.paused() && self.act.as_ref().is_some_and(Act::is_waiting);
        resting && !changing && !waiting && !self.overlay.is_fading() && !self.tilt.is_held() && !self.overlay.stats
    }

    pub fn is_focused(&self) -> bool {
        self.focused
    }

    /// What is shown, as share codes hold it.
    pub fn recipe(&self) -> share::Recipe {
        share::Recipe {
            scene: self.world.scene().name.clone(),
            seed: self.options.seed,
            palette: self.palette().name().to_owned(),
            drive: self.look.drive.name().to_owned(),
            set: self.options.set.iter().cloned().chain(self.changed()).collect(),
        }
    }

    /// What was changed by the panel, as `KEY=VALUE`.
    fn changed(&self) -> Vec<String> {
        let (original, now) = (&self.options.scenes[self.current], self.world.scene());
        let changed = |knob: &Knob| knob.value(original) != knob.value(now);
        let mut settings: Vec<String> =
            now.knobs().iter().filter(|knob| changed(knob)).map(|knob| knob.setting(now)).collect();
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

    pub fn look(&self) -> &Look {
        &self.look
    }

    pub fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    pub fn hand(&self) -> &Hand {
        &self.hand
    }

    fn window_area(&self) -> Rect {
        Rect::new(0, 0, self.window.columns, self.window.rows)
    }

    /// How the tank lies in the window.
    pub fn camera(&self) -> Camera {
        Camera::new(self.window_area(), self.window.cell.into(), self.world.size())
    }
}

/// A scene's tank as the options want it in this window.
fn set_scene(scene: &Scene, options: &Options, act: Option<&mut Act>, window: Window) -> World {
    let setup = setup(options, window);
    if let Some(act) = act {
        return act.set(scene, &setup);
    }
    let suited = options.fineness.as_ref().map(|fineness| fineness.suited_to(scene, setup.aspect));
    World::new(scene, &Setup { particles: suited.or(setup.particles), ..setup })
}

fn setup(options: &Options, window: Window) -> Setup {
    let area = Rect::new(0, 0, window.columns, window.rows);
    // Grids are as fine as the picture's samples.
    let cells = usize::from(window.columns) * usize::from(window.rows) * view::SAMPLES.0 * view::SAMPLES.1;
    let aspect = Camera::aspect(area, window.cell.into());
    Setup {
        particles: options.particles,
        cells: Some(cells.min(MOST_CELLS)),
        seed: options.seed,
        aspect,
        threads: options.threads,
        instructions: options.instructions,
    }
}
