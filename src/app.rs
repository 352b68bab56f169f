//! The app: a world, how it is looked at, and one door for change, [`App::update`]. This module uses no terminal and no clock:
//! `session` brings both. The same Actions and ticks give the same frames.

pub mod action;
pub mod demo;
pub mod error;
pub mod files;
pub mod host;
pub mod input;
pub mod join;
pub mod layers;
mod options;
mod picture;
pub mod record;
pub mod saver;
pub mod session;
pub mod shared_tank;
pub mod tank;

use crate::scene::parameters::Parameter;
use crate::scene::share_code::ShareCode;
use crate::scene::{Scene, parameters};
use crate::sim::World;
use crate::sim::clock::Clock;
use crate::sim::world::pointer::Pointer;
use crate::term::Event;
use crate::view::RenderStyle;
use action::{Action, PointerMode, TerminalCaps};
use demo::Demo;
use input::event_map::EventMap;
use input::state::Input;
use layers::panel::Look;
use layers::{LINGER, Overlay, status};
pub use options::{ControlOptions, LookOptions, Options, SaverOptions, SimulationOptions};
use picture::Picture;
use record::replay::event_log::{EventLog, LogEntry};
use saver::SaverState;
use tank::Tank;

/// A request of the app to the run loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Quit,
    Suspend,
    Record,
    Save,
    CopyShareCode,
    Ring,
}

pub struct App {
    options: Options,
    tank: Tank,
    input: Input,
    picture: Picture,
    overlay: Overlay,
    saver: SaverState,
    events: EventMap,
    request: Option<Request>,
    pub log: EventLog,
}

impl App {
    pub fn new(mut options: Options) -> Self {
        let tank = Tank::new(&mut options);
        let mut app = Self {
            input: Input::new(tank.world.size() / 2.0),
            picture: Picture { window: options.window, stale: true, ..Picture::default() },
            overlay: Overlay::default(),
            saver: SaverState::default(),
            events: EventMap::default(),
            request: None,
            log: EventLog::default(),
            tank,
            options,
        };
        app.apply_caps(TerminalCaps::default());
        app.choose_palette();
        // A demo shows its shape first, without a hint over it.
        if app.options.controls.hint && app.tank.demo.is_none() {
            app.overlay.status.hint.start(status::HINT_AT_START);
        }
        if app.options.saver.from_start {
            app.start_saver();
        }
        app
    }

    pub fn map_event(&mut self, event: &Event) -> Option<Action> {
        if self.is_piloted() {
            return saver::user_activity(event, &self.options.controls.keymap, self.options.saver.exit_on);
        }
        let releases = self.picture.terminal.key_release;
        self.events.action(event, &self.options.controls.keymap, releases, self.overlay.picker.open)
    }

    /// Performs an Action. This and [`App::tick`] are the only ways to change the app.
    pub fn update(&mut self, action: Action) {
        self.log.push(|| LogEntry::Do(action));
        use Action::{Feed, FeedReport, Focus, Measured, Resize, SetThreads, SetTimeLeft, SetWallClock};
        match action {
            Measured(_) | Resize(_) | Action::Terminal(_) | Action::TerminalColors(_) | SetThreads(_) => {}
            SetWallClock(_) | SetTimeLeft(_) | Feed(..) | FeedReport(..) | Focus(false) => {}
            _ => self.touched(),
        }
        self.apply(action);
    }

    /// The autopilot's Actions follow from the tick, which is logged, so they are not logged themselves.
    fn apply(&mut self, action: Action) {
        self.picture.stale |= self.shows(action);
        if !self.saver.flash_limiter.allows(action) {
            return;
        }
        if self.refuses(action) || self.layers_take(action) || self.host_takes(action) {
            return;
        }
        match action {
            Action::Tilt(side) if self.input.tilt.holds(side) => {}
            Action::Tilt(side) => {
                let angle = self.input.tilt.press(self.tank.world.tilt_target(), side);
                self.tilt_to(angle);
            }
            Action::HoldDirection(side) => {
                let angle = self.input.tilt.hold(self.tank.world.tilt_target(), side);
                self.tilt_to(angle);
            }
            Action::ReleaseDirection(side) => self.input.tilt.let_go(side),
            Action::Upright => self.set_tilt(input::tilt::upright(self.tank.world.tilt_target())),
            Action::SetTilt(angle) => self.set_tilt(angle),
            Action::Shake(side) => self.tank.world.shake(side.unit()),

            Action::Pause => self.toggle_pause(),
            Action::Step => self.step_once(),
            Action::Slower => self.set_speed(self.tank.clock.speed() / 2.0),
            Action::Faster => self.set_speed(self.tank.clock.speed() * 2.0),
            Action::Reset => self.reset(),
            Action::NextScene => self.show_scene(self.neighbor_scene(1)),
            Action::PreviousScene => self.show_scene(self.neighbor_scene(-1)),
            Action::SetScene(number) => self.cross_to(number.into()),
            Action::Pour => self.pour(),
            Action::Drain => self.drain(),
            Action::Drop if self.tank.world.has_room_for(self.drop_size()) => self.tank.world.pour(self.drop_size()),
            Action::Drop => {}
            Action::DrainDrop => self.tank.world.drain(self.drop_size()),

            Action::Melt => self.melt(),

            Action::Glyphs => self.turn_look(Look::Glyphs, true),
            Action::Palette => self.turn_look(Look::Palette, true),
            Action::SetPalette(number) => self.recolor(number.into()),
            Action::NextColorBy => self.turn_look(Look::ColorBy, true),
            Action::NextClothStyle => self.turn_look(Look::Matter, true),
            Action::UnknownKey if self.options.controls.hint && !self.overlay.is_open(&self.input) => {
                self.overlay.status.hint.extend(status::HINT_AFTER_UNKNOWN_KEY);
            }
            Action::UnknownKey => {}

            Action::Undo => self.undo(),
            Action::ResetSettings => self.restore(),
            Action::Save => self.request = Some(Request::Save),

            Action::Grab => self.grip(self.input.tools.selected),
            Action::Pull => self.grip(PointerMode::Pull),
            Action::Explode => self.input.pointer.burst(),
            Action::Tool(tool) => self.select_tool(tool),
            Action::Walls => self.select_tool(self.input.tools.walls_or_back()),
            Action::NextFluid => self.next_fluid(),
            Action::Brush(larger) => {
                self.input.pointer.resize(larger);
                self.overlay.status.tools.start(LINGER);
            }

            Action::CopyShareCode => self.request = Some(Request::CopyShareCode),
            Action::Record => self.request = Some(Request::Record),
            Action::Back => self.back(),
            Action::Quit => self.quit(),
            Action::Suspend => self.request = Some(Request::Suspend),

            Action::PressTool(at) => self.press(self.input.tools.selected, at.into()),
            Action::Press(grip, at) => self.press(grip, at.into()),
            Action::Move(at) => self.move_hand(at.into()),
            Action::Release(at) => self.release(at.into()),
            Action::UserActivity(touch) => self.on_activity(touch),
            Action::Focus(focused) => self.set_focus(focused),
            Action::Resize(window) => self.resize(window),
            Action::Terminal(terminal) => self.apply_caps(terminal),
            Action::TerminalColors(colors) => {
                self.tank.demo.iter_mut().filter_map(Demo::text).for_each(|words| words.set_terminal_colors(&colors));
            }
            Action::Measured(meters) => self.measured(meters),
            Action::SetThreads(threads) => self.set_threads(threads),
            Action::SetWallClock(_) | Action::SetTimeLeft(_) => {
                self.picture.stale |= self.tank.demo.as_mut().is_some_and(|demo| demo.show_time(action));
            }
            Action::Feed(index, number) => self.tank.feed.set(index, number),
            Action::FeedReport(bad, ended) => (self.tank.feed.bad_lines, self.tank.feed.ended) = (bad, ended),

            // Those of the layers.
            Action::Help | Action::Stats | Action::Panel | Action::TogglePointer => {}
            Action::PickScene | Action::Type(_) | Action::Erase | Action::Choose => {}
        }
    }

    fn shows(&self, action: Action) -> bool {
        match action {
            Action::Measured(_) => self.overlay.stats.open,
            Action::UserActivity(_) | Action::SetThreads(_) | Action::SetWallClock(_) | Action::SetTimeLeft(_) => false,
            Action::Feed(..) => false,
            Action::Move(_) => {
                self.input.pointer_shown
                    || self.overlay.panel.open
                    || self.input.pointer.grip().is_some()
                    || self.overlay.status.vanishes_in().is_some()
            }
            _ => true,
        }
    }

    pub fn scene(&self) -> &Scene {
        &self.options.scenes[self.tank.scene_index]
    }

    /// The scene with all changes and drawn walls since its start.
    pub fn scene_now(&self) -> Scene {
        Scene { world: self.tank.world.definition_now(), ..self.scene().clone() }
    }

    pub fn share_code(&self) -> ShareCode {
        ShareCode {
            scene: self.scene_in_share_code(),
            seed: self.options.simulation.seed,
            palette: self.palette().name().to_owned(),
            color_by: self.picture.look.color_by.name().to_owned(),
            set: self.options.set.iter().cloned().chain(self.changed()).collect(),
        }
    }

    /// With walls from a file, or drawn by hand, a tank is more than an embedded scene of its name, so a code cannot describe it.
    fn scene_in_share_code(&self) -> String {
        let scene = self.scene_now();
        match Scene::embedded(&scene.name) {
            Some(embedded) if scene.world.obstacle.len() > embedded.world.obstacle.len() => {
                format!("{} with other walls", scene.name)
            }
            _ => scene.name,
        }
    }

    fn changed(&self) -> Vec<String> {
        let (original, now) = (&self.options.scenes[self.tank.scene_index].world, self.tank.world.definition());
        let changed = |parameter: &Parameter| parameter.value(original) != parameter.value(now);
        let all = parameters::all(now);
        let changed = all.iter().filter(|parameter| changed(parameter));
        let mut settings: Vec<String> = changed.map(|parameter| parameter.setting(now)).collect();
        // The components of a vector are one setting.
        settings.dedup();
        settings
    }

    /// Shows a message for a few seconds: the result of a request to the run loop.
    pub fn show_message(&mut self, message: impl Into<String>) {
        let message = message.into();
        self.log.push(|| LogEntry::Say(message.clone()));
        self.overlay.status.show_message(message);
        self.picture.stale = true;
    }

    pub fn take_request(&mut self) -> Option<Request> {
        self.request.take()
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub fn world(&self) -> &World {
        &self.tank.world
    }

    pub fn clock(&self) -> &Clock {
        &self.tank.clock
    }

    pub fn look(&self) -> &RenderStyle {
        &self.picture.look
    }

    pub fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    pub fn hand(&self) -> &Pointer {
        &self.input.pointer
    }
}
