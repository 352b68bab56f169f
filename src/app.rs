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
pub mod bench;
pub mod capture;
pub mod config;
pub mod failure;
pub mod help;
pub mod keymap;
pub mod list;
pub mod meters;
pub mod overlay;
pub mod pointer;
pub mod probe;
pub mod run;
pub mod scenes;
pub mod settings;
pub mod stage;
pub mod term;
pub mod tilt;
pub mod toy;

use crate::sim::clock::{Clock, STEP};
use crate::sim::scene::Scene;
use crate::sim::{Matter, Setup, World, watch};
use crate::view::{self, Background, Camera, ColorDepth, Drive, Glyphs, Look, Painter, Palette, Rgb, palette};
use action::{Action, Grip, Side, Terminal, Window};
use glam::Vec2;
use keymap::Keymap;
use overlay::Overlay;
use pointer::Hand;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::time::Duration;
use tilt::Tilt;

/// How far (in samples of the picture) the fastest particle may move before the picture must be painted again.
const STILL: f32 = 0.25;

/// The liquid that may be poured in by hand, as a share of the tank.
const FULL: f32 = 0.9;

/// Cells that a struck direction moves the hand, across and down; and how many times as far with shift.
const NUDGE: Vec2 = Vec2::new(2.0, 1.0);
const FAR: f32 = 4.0;

/// Cells a second that a held direction moves the hand.
const GLIDE: Vec2 = Vec2::new(40.0, 20.0);

/// With what the app starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is shown first.
    pub scene: Scene,
    /// What `n` and `p` walk through; `scene` joins them if it is not among them.
    pub scenes: Vec<Scene>,
    /// The user's choice; the best that the terminal shows where there is none.
    pub glyphs: Option<Glyphs>,
    /// The user's choice; each scene's own where there is none.
    pub palette: Option<Palette>,
    pub drive: Drive,
    /// Instead of the scenes' own number.
    pub particles: Option<usize>,
    pub seed: u64,
    /// Frames a second, at most; 1 to 240.
    pub fps: u32,
    pub keymap: Keymap,
    /// Whether the mouse is listened to.
    pub mouse: bool,
}

impl Options {
    /// Everything as it is without flags.
    pub fn new(scene: Scene, scenes: Vec<Scene>) -> Self {
        Self {
            scene,
            scenes,
            glyphs: None,
            palette: None,
            drive: Drive::default(),
            particles: None,
            seed: 0,
            fps: 60,
            keymap: Keymap::default(),
            mouse: true,
        }
    }
}

/// What the app cannot do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Quit,
    Suspend,
}

/// All state of the toy.
#[derive(Debug)]
pub struct App {
    options: Options,
    /// Which of the scenes is shown.
    current: usize,
    world: World,
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
    focused: bool,
    request: Option<Request>,
    /// The picture is not what it was when it was drawn last.
    stale: bool,
    /// How far the fastest particle may have moved since, in samples.
    drift: f32,
    /// The version of the walls and the number of particles when last looked at.
    seen: (u64, usize),
}

impl App {
    pub fn new(mut options: Options) -> Self {
        let current = match options.scenes.iter().position(|scene| *scene == options.scene) {
            Some(current) => current,
            None => {
                options.scenes.insert(0, options.scene.clone());
                0
            }
        };
        let window = Window { columns: 80, rows: 24, cell: [0, 0] };
        let terminal = Terminal {
            glyphs: Glyphs::default(),
            unicode: true,
            depth: ColorDepth::default(),
            background: None,
            key_release: false,
        };
        let mut app = Self {
            current,
            world: World::new(&options.scene, &setup(&options, window)),
            clock: Clock::default(),
            tilt: Tilt::default(),
            hand: Hand::default(),
            hand_shown: false,
            walling: false,
            look: Look { drive: options.drive, ..Look::default() },
            painter: Painter::default(),
            window,
            terminal,
            overlay: Overlay::default(),
            help: help::columns(&options.keymap, false),
            focused: true,
            request: None,
            stale: true,
            drift: 0.0,
            seen: (0, 0),
            options,
        };
        app.learn(terminal);
        app.choose_palette();
        app
    }

    /// Does what is asked for: the only way to change the app, besides the time that passes.
    pub fn update(&mut self, action: Action) {
        self.stale |= self.shows(action);
        match action {
            Action::Tilt(side) => self.direct(side, 1.0),
            Action::Hold(side) => self.hold(side),
            Action::LetGo(side) => self.tilt.let_go(side),
            Action::Upright => self.tilt_to(tilt::upright(self.world.tilt_target())),
            Action::Shake(side) => self.shake(side),

            Action::Pause => self.clock.toggle_pause(),
            Action::Step => self.step_once(),
            Action::Slower => self.set_speed(self.clock.speed() / 2.0),
            Action::Faster => self.set_speed(self.clock.speed() * 2.0),
            Action::Reset => self.reset(),
            Action::NextScene => self.show_scene(self.current + 1),
            Action::PreviousScene => self.show_scene(self.current + self.options.scenes.len() - 1),
            Action::Pour => self.pour(),
            Action::Drain => self.drain(),

            Action::Glyphs => self.next_glyphs(),
            Action::Palette => self.next_palette(),
            Action::Drive => self.next_drive(),
            Action::Stats => self.overlay.stats = !self.overlay.stats,
            Action::Help => self.overlay.toggle_help(),

            Action::Hand => self.show_hand(!self.hand_shown),
            Action::Grab => self.grip(self.main_grip()),
            Action::Pull => self.grip(Grip::Pull),
            Action::Burst => self.hand.burst(),
            Action::Walls => self.toggle_walls(),
            Action::Brush(larger) => self.resize_brush(larger),

            Action::Back => self.back(),
            Action::Quit => self.request = Some(Request::Quit),
            Action::Suspend => self.request = Some(Request::Suspend),

            Action::Press(grip, at) => self.press(grip, at.into()),
            Action::Move(at) => self.move_hand(at.into()),
            Action::Release(at) => self.release(at.into()),
            Action::Focus(focused) => self.set_focus(focused),
            Action::Resize(window) => self.resize(window),
            Action::Terminal(terminal) => self.learn(terminal),
            Action::Measured(meters) => self.overlay.meters = meters,
        }
    }

    /// Whether an Action changes the picture at once.
    fn shows(&self, action: Action) -> bool {
        match action {
            Action::Measured(_) => self.overlay.stats,
            Action::Move(_) => self.hand_shown || self.hand.grip().is_some() || self.overlay.is_fading(),
            _ => true,
        }
    }

    /// Time passes: as many fixed steps as are due, and at most `most`. Returns how many there were.
    pub fn tick(&mut self, elapsed: Duration, most: u32) -> u32 {
        self.tick_watched(elapsed, most, &mut ())
    }

    /// As [`App::tick`], under the eyes of `watch`.
    pub fn tick_watched(&mut self, elapsed: Duration, most: u32, watch: &mut impl watch::Watch) -> u32 {
        self.lean(elapsed);
        let due = self.clock.advance(elapsed);
        let steps = due.min(most);
        for _ in 0..steps {
            self.step(watch);
        }
        if steps < due {
            // Too much for this machine: time runs slow rather than frames stall.
            self.clock.forgive();
        }
        self.look_for_motion(steps);
        self.stale |= self.overlay.advance(elapsed);
        steps
    }

    fn step(&mut self, watch: &mut impl watch::Watch) {
        self.hand.act(&mut self.world, STEP / self.clock.speed());
        self.world.step_watched(watch);
    }

    /// Paints the picture into all of `buf`, and what lies over it.
    pub fn draw(&mut self, buf: &mut Buffer) {
        self.draw_watched(buf, &mut ());
    }

    /// As [`App::draw`], under the eyes of `watch`.
    pub fn draw_watched(&mut self, buf: &mut Buffer, watch: &mut impl view::Watch) {
        let cell = self.window.cell.into();
        self.painter.paint_watched(&self.world, &self.look, cell, buf.area, buf, watch);
        let camera = self.camera();
        let pointer = camera.to_cell(self.hand.target);
        let scene = overlay::Scene {
            unicode: self.terminal.unicode,
            help: &self.help,
            particles: self.world.particles(),
            speed: self.clock.speed(),
            paused: self.clock.paused(),
            tilt: self.world.tilt(),
            hand: self.hand_shown.then_some((pointer, self.hand.grip())),
            pointer,
            brush: camera.scale() * self.hand.radius(&self.world),
        };
        self.overlay.draw(&scene, buf);
        (self.stale, self.drift) = (false, 0.0);
    }

    /// Whether a picture drawn now would differ, as far as anybody can see, from the last.
    pub fn wants_frame(&self) -> bool {
        self.stale || self.drift > STILL
    }

    /// Whether nothing will change before the next Action.
    pub fn is_idle(&self) -> bool {
        self.clock.paused() && !self.overlay.is_fading() && !self.tilt.is_held()
    }

    pub fn is_focused(&self) -> bool {
        self.focused
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

    /// How the tank lies in the window.
    pub fn camera(&self) -> Camera {
        let area = Rect::new(0, 0, self.window.columns, self.window.rows);
        Camera::new(area, self.window.cell.into(), self.world.size())
    }
}

fn setup(options: &Options, window: Window) -> Setup {
    let area = Rect::new(0, 0, window.columns, window.rows);
    Setup { particles: options.particles, seed: options.seed, aspect: Camera::aspect(area, window.cell.into()) }
}

/// Tilting, and what else the direction keys do.
impl App {
    fn direct(&mut self, side: Side, times: f32) {
        if self.overlay.help {
            self.overlay.scroll(side);
        } else if self.hand_shown {
            self.nudge_hand(side, times);
        } else {
            self.tilt_to(tilt::notched(self.world.tilt_target(), side));
        }
    }

    fn hold(&mut self, side: Side) {
        if self.overlay.help || self.hand_shown {
            self.direct(side, 1.0);
        }
        let angle = self.tilt.hold(self.world.tilt_target(), side);
        if !self.overlay.help && !self.hand_shown {
            self.tilt_to(angle);
        }
    }

    fn shake(&mut self, side: Side) {
        if self.hand_shown {
            self.nudge_hand(side, FAR);
        } else {
            self.world.shake(direction(side));
        }
    }

    fn tilt_to(&mut self, angle: f32) {
        self.world.tilt_to(angle);
        self.overlay.show_level();
    }

    /// Held directions tilt on, or move the hand on.
    fn lean(&mut self, elapsed: Duration) {
        let seconds = elapsed.as_secs_f32().min(0.25);
        if self.hand_shown {
            let (x, y) = self.tilt.direction();
            if (x, y) != (0.0, 0.0) {
                self.shift_hand(Vec2::new(x, -y) * GLIDE * seconds);
            }
            return;
        }
        let before = self.world.tilt_target();
        let angle = self.tilt.advance(before, seconds);
        if angle != before {
            self.tilt_to(angle);
        }
        if self.world.tilt() != self.world.tilt_target() || angle != tilt::upright(angle) {
            self.overlay.show_level();
        }
    }
}

fn direction(side: Side) -> Vec2 {
    match side {
        Side::Left => Vec2::NEG_X,
        Side::Right => Vec2::X,
        Side::Up => Vec2::Y,
        Side::Down => Vec2::NEG_Y,
    }
}

/// The hand, moved by the mouse or by keys.
impl App {
    fn main_grip(&self) -> Grip {
        if self.walling { Grip::Wall } else { Grip::Push }
    }

    fn show_hand(&mut self, shown: bool) {
        if shown && !self.hand_shown {
            if self.hand.target == Vec2::ZERO {
                self.hand.put(self.world.size() / 2.0);
            }
            self.overlay.say("the hand: directions move it, ? says more");
        }
        self.hand_shown = shown;
        self.hand.drop_all();
        self.tilt.let_go_all();
    }

    /// Closes the hand, or opens it if it is closed.
    fn grip(&mut self, grip: Grip) {
        if !self.hand_shown {
            self.show_hand(true);
        }
        match self.hand.grip() {
            Some(held) => {
                // Keys have a key for bursting; opening in place is only opening.
                self.hand.drop_all();
                if held == grip {
                    return;
                }
            }
            None => {}
        }
        self.hand.close(&mut self.world, grip, self.hand.target);
    }

    fn nudge_hand(&mut self, side: Side, times: f32) {
        let direction = direction(side);
        self.shift_hand(Vec2::new(direction.x, -direction.y) * NUDGE * times);
    }

    /// Moves the hand by so many cells, within the tank.
    fn shift_hand(&mut self, cells: Vec2) {
        let camera = self.camera();
        let there = camera.to_world(camera.to_cell(self.hand.target) + cells);
        let inside = there.clamp(Vec2::ZERO, self.world.size());
        self.hand.go_to(&mut self.world, inside, 0.0);
        self.stale = true;
    }

    fn toggle_walls(&mut self) {
        self.walling = !self.walling;
        self.hand.drop_all();
        self.overlay.say(if self.walling { "left draws walls" } else { "left carries the fluid" });
    }

    fn resize_brush(&mut self, larger: bool) {
        self.hand.resize(larger);
        self.overlay.show_ring();
    }

    fn press(&mut self, grip: Grip, at: Vec2) {
        let grip = if grip == Grip::Push { self.main_grip() } else { grip };
        let at = self.camera().to_world(at);
        self.hand.close(&mut self.world, grip, at);
    }

    fn move_hand(&mut self, at: Vec2) {
        let camera = self.camera();
        // Half a cell is where a click ends and a drag begins.
        let slack = 0.5 / camera.scale().x;
        self.hand.go_to(&mut self.world, camera.to_world(at), slack);
    }

    fn release(&mut self, at: Vec2) {
        self.move_hand(at);
        self.hand.open();
    }
}

/// Time, scenes and what is in the tank.
impl App {
    fn step_once(&mut self) {
        if !self.clock.paused() {
            self.clock.toggle_pause();
        }
        self.step(&mut ());
    }

    fn set_speed(&mut self, speed: f32) {
        self.clock.set_speed(speed);
        self.overlay.say(format!("speed {}x", self.clock.speed()));
    }

    fn reset(&mut self) {
        self.world = World::new(self.world.scene(), &setup(&self.options, self.window));
        self.clock.forgive();
        self.hand.drop_all();
        self.tilt = Tilt::default();
    }

    fn show_scene(&mut self, number: usize) {
        self.current = number % self.options.scenes.len();
        let scene = &self.options.scenes[self.current];
        self.world = World::new(scene, &setup(&self.options, self.window));
        self.overlay.say(format!("{}: {}", scene.name, scene.about));
        self.clock.forgive();
        self.hand.drop_all();
        self.tilt = Tilt::default();
        self.choose_palette();
    }

    /// About a twentieth of what the scene starts with.
    fn portion(&self) -> usize {
        (self.options.particles.unwrap_or(self.world.scene().particles) / 20).max(1)
    }

    fn pour(&mut self) {
        let Some(Matter::Liquid(liquid)) = self.world.matter().first() else { return };
        let size = self.world.size();
        let room = (FULL * size.x * size.y / liquid.particle_area()) as usize;
        if self.world.particles() + self.portion() > room {
            self.overlay.say("the tank is full");
        } else {
            self.world.pour(self.portion());
            self.overlay.say(format!("pouring {} in", self.portion()));
        }
    }

    fn drain(&mut self) {
        self.world.drain(self.portion().min(self.world.particles()));
        self.overlay.say(format!("draining {} out", self.portion().min(self.world.particles())));
    }
}

/// The picture, the window and the terminal.
impl App {
    fn next_glyphs(&mut self) {
        if self.terminal.unicode {
            self.look.glyphs = after(&Glyphs::ALL, self.look.glyphs);
        }
        self.options.glyphs = Some(self.look.glyphs);
        self.overlay.say(format!("glyphs: {}", self.look.glyphs.name()));
    }

    fn next_palette(&mut self) {
        let all = palette::embedded();
        let at = all.iter().position(|palette| palette.name() == self.look.palette.name());
        self.look.palette = all[at.map_or(0, |at| at + 1) % all.len()].clone();
        self.options.palette = Some(self.look.palette.clone());
        self.overlay.say(format!("palette: {}", self.look.palette.name()));
    }

    fn next_drive(&mut self) {
        self.look.drive = after(&Drive::ALL, self.look.drive);
        self.overlay.say(format!("colour: {}", self.look.drive.name()));
    }

    /// The user's palette, else the scene's, else the first.
    fn choose_palette(&mut self) {
        let scene = self.world.scene().palette.as_deref();
        let own = || scene.and_then(palette::find).cloned();
        self.look.palette = self.options.palette.clone().or_else(own).unwrap_or_default();
    }

    fn learn(&mut self, terminal: Terminal) {
        self.terminal = terminal;
        self.look.glyphs = self.options.glyphs.unwrap_or(terminal.glyphs);
        self.look.depth = terminal.depth;
        self.look.background =
            terminal.background.map_or(Background::Palette, |[r, g, b]| Background::Terminal(Rgb(r, g, b)));
        self.help = help::columns(&self.options.keymap, terminal.key_release);
    }

    fn resize(&mut self, window: Window) {
        let fresh = self.world.steps() == 0;
        self.window = window;
        let aspect = setup(&self.options, window).aspect;
        if fresh {
            // The first size we hear of: no need to begin in another shape and be squeezed into it.
            self.world = World::new(self.world.scene(), &setup(&self.options, window));
        }
        self.world.reshape(aspect);
    }

    fn set_focus(&mut self, focused: bool) {
        self.focused = focused;
        // Whatever is let go while we have no focus, nobody tells us.
        self.tilt.let_go_all();
        self.hand.drop_all();
    }

    fn back(&mut self) {
        if self.overlay.help {
            self.overlay.toggle_help();
        } else if self.hand_shown {
            self.show_hand(false);
        } else {
            self.request = Some(Request::Quit);
        }
    }

    /// Adds up how far the picture may have moved.
    fn look_for_motion(&mut self, steps: u32) {
        let samples = (self.camera().scale() * Vec2::new(view::SAMPLES.0 as f32, view::SAMPLES.1 as f32)).max_element();
        self.drift += fastest(&self.world) * steps as f32 * STEP * samples;
        let seen = (self.world.walls().version(), self.world.particles());
        self.stale |= seen != self.seen || (steps > 0 && self.world.tilt() != self.world.tilt_target());
        self.seen = seen;
    }
}

/// Speed of the fastest particle, m/s.
fn fastest(world: &World) -> f32 {
    let mut most = 0.0;
    for Matter::Liquid(liquid) in world.matter() {
        let particles = liquid.particles();
        most = particles.alive().map(|slot| particles.velocity(slot).length_squared()).fold(most, f32::max);
    }
    most.sqrt()
}

fn after<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|item| *item == current).unwrap_or(0);
    all[(at + 1) % all.len()]
}
