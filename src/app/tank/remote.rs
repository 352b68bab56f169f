//! The tank of a host as the source of a session: the user's input becomes actions for the host, and the host's cells are the
//! picture. The session requests a frame when the terminal has room for one, and the host answers with the newest, so a slow link
//! gets fewer frames, none of them old.

use crate::app::action::{Action, PointerMode, TerminalCaps, Window};
use crate::app::error::Error;
use crate::app::host::protocol::{self, GuestView, TankStatus, ToGuest, ToHost};
use crate::app::input::tilt::upright;
use crate::app::join::connection::HostConnection;
use crate::app::shared_tank::{GuestAction, GuestStatus, LinkMeters};
use crate::app::tank::{Source, empty_scene};
use crate::app::{App, ControlOptions, LookOptions, Options, Request};
use crate::scene::Scene;
use crate::sim::{World, WorldOptions};
use crate::term::{TermOptions, sanitize};
use glam::Vec2;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::f32::consts::{PI, TAU};

const MAX_CODE: usize = 1000;

const ASPECTS: (f32, f32) = (0.01, 100.0);

const MAX_SCENES: usize = 1000;

pub struct JoinConfig {
    pub tank: String,
    pub name: String,
    pub look: LookOptions,
    pub controls: ControlOptions,
    pub terminal: TermOptions,
    /// For strangers: no program is run, no file is written, and the session cannot be suspended.
    pub restricted: bool,
    /// The command with which others join, for the host's own session.
    pub invitation: Option<String>,
}

pub struct RemoteTank {
    pub host: HostConnection,
    pub config: JoinConfig,
    picture: Buffer,
    pub status: TankStatus,
    pub roster: Vec<GuestStatus>,
    /// A limit on bytes a second that the host has set.
    pub bandwidth: Option<Option<u32>>,
    pub(super) code: Option<String>,
    /// Whether a frame is requested that has not come.
    pub asked: bool,
    /// What the host knows: the view, the tilt (`None`: not held), the pointer, metres, whether keys move it, and whether the
    /// list of guests is shown.
    view: GuestView,
    tilt: Option<f32>,
    pointer: Vec2,
    by_keys: bool,
    lists_guests: bool,
    pressed: Option<PointerMode>,
    meters: Option<LinkMeters>,
}

impl RemoteTank {
    /// The app of a guest. Introduces it to the host.
    pub fn app(host: HostConnection, config: JoinConfig, window: Window, terminal: TerminalCaps) -> App {
        let scene = empty_scene(&config.tank);
        let (look, controls) = (config.look.clone(), config.controls.clone());
        let view = GuestView { window, terminal, look: look.clone() };
        let hello = ToHost::Hello { name: config.name.clone(), view: view.clone(), remote: config.terminal.caps.ssh };
        let mut remote = Self {
            host,
            config,
            picture: Buffer::default(),
            status: TankStatus::default(),
            roster: Vec::new(),
            bandwidth: None,
            code: None,
            asked: false,
            view,
            tilt: None,
            pointer: Vec2::ZERO,
            by_keys: false,
            lists_guests: false,
            pressed: None,
            meters: None,
        };
        remote.host.send(&hello);
        let options = Options { look, controls, window, ..Options::new(scene, Vec::new()) };
        let mut app = App::with_source(options, Source::Remote(Box::new(remote)));
        app.forget_pointer();
        app
    }

    /// The line that tells a host who is alone how others join.
    pub fn invitation(&self) -> Option<String> {
        let command = self.config.invitation.as_ref().filter(|_| self.status.guests <= 1)?;
        Some(format!("others join with {command}"))
    }

    /// The reason for which an Action is not possible in a shared tank.
    pub fn refusal(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Pause | Action::Step | Action::Slower | Action::Faster => Some("time runs for all guests alike"),
            Action::Pour | Action::Drain | Action::Drop | Action::DrainDrop => {
                Some("3 and 4 let the pointer pour and drain")
            }
            Action::Suspend | Action::Record if self.config.restricted => Some("not in this session"),
            Action::Save | Action::Undo | Action::ResetSettings | Action::Melt => Some("not in a shared tank"),
            _ => None,
        }
    }

    /// After a change of the size, the old picture is stretched, cell by cell, until the host has drawn a new one.
    pub fn draw(&self, area: Rect, buf: &mut Buffer) {
        let picture = &self.picture;
        buf.area = area;
        if picture.area == area {
            // `Buffer::clone_from` would allocate all cells again.
            buf.content.clone_from(&picture.content);
            return;
        }
        buf.content.clear();
        let [from, to] = [picture.area, area].map(|area| (usize::from(area.width), usize::from(area.height)));
        if picture.area.is_empty() {
            buf.content.resize(to.0 * to.1, Default::default());
            return;
        }
        // The middle of each cell.
        let nearest = |at: usize, to: usize, from: usize| (2 * at + 1) * from / (2 * to);
        for y in 0..to.1 {
            let row = nearest(y, to.1, from.1) * from.0;
            buf.content.extend((0..to.0).map(|x| picture.content[row + nearest(x, to.0, from.0)].clone()));
        }
    }

    pub fn report(&mut self, delay: Option<f32>) {
        if let Some(meters) = self.meters.take() {
            self.host.send(&ToHost::Meters(LinkMeters { delay, ..meters }));
        }
    }

    pub fn ask(&mut self) {
        if !self.asked {
            self.asked = true;
            self.host.send(&ToHost::Next);
        }
    }

    fn act(&mut self, action: GuestAction) {
        self.host.send(&ToHost::Act(action));
    }

    fn send_pointer(&mut self, at: Vec2, size: Vec2, tool: PointerMode) {
        self.pointer = at;
        let at = at / size;
        if at.is_finite() {
            let (tool, pressed) = (self.pressed.unwrap_or(tool), self.pressed.is_some());
            self.act(GuestAction::Pointer { x: at.x, y: 1.0 - at.y, tool, pressed });
        }
    }
}

fn scenes(names: &[String]) -> Vec<Scene> {
    let about = |name: &str| Scene::embedded(name).map(|scene| scene.about).unwrap_or_default();
    let names = names.iter().take(MAX_SCENES).map(|name| sanitize::message(name));
    names.map(|name| Scene { about: about(&name), ..empty_scene(&name) }).collect()
}

impl App {
    pub(in crate::app) fn host_takes(&mut self, action: Action) -> bool {
        let camera = self.camera();
        let (tool, size) = (self.input.tools.selected, self.tank.world.size());
        let at = self.input.pointer.target;
        let Source::Remote(remote) = &mut self.tank.source else { return false };
        match action {
            Action::NextScene => self.ask_for_scene(1),
            Action::PreviousScene => self.ask_for_scene(self.options.scenes.len().saturating_sub(1)),
            Action::SetScene(number) => remote.act(GuestAction::Scene(number)),
            Action::Reset => remote.act(GuestAction::Reset),
            Action::Shake(side) => remote.act(GuestAction::Shake { direction: side.unit().into() }),
            Action::Brush(larger) => remote.act(GuestAction::Brush { larger }),
            Action::CopyShareCode => remote.host.send(&ToHost::Copy),
            Action::NextFluid => {
                remote.act(GuestAction::NextFluid);
                self.select_tool(PointerMode::Pour);
            }
            Action::Explode => {
                remote.send_pointer(at, size, tool);
                remote.act(GuestAction::Burst);
            }
            Action::PressTool(at) => self.press_in_host(tool, camera.to_world(at.into())),
            Action::Press(tool, at) => self.press_in_host(tool, camera.to_world(at.into())),
            Action::Grab | Action::Pull => {
                let tool = if action == Action::Pull { PointerMode::Pull } else { tool };
                if remote.pressed == Some(tool) {
                    self.release_in_host(at);
                    return true;
                }
                if !self.input.pointer_shown {
                    self.layers_take(Action::TogglePointer);
                }
                self.press_in_host(tool, at);
            }
            Action::Move(at) => self.input.pointer.go_to(&mut self.tank.world, camera.to_world(at.into()), 0.0),
            Action::Release(at) => self.release_in_host(camera.to_world(at.into())),
            Action::Focus(focused) => {
                let held = remote.pressed.is_some();
                self.set_focus(focused);
                if held {
                    self.release_in_host(at);
                }
            }
            Action::Resize(window) => self.change_view(|app| app.picture.window = window),
            Action::Terminal(terminal) => self.change_view(|app| app.apply_caps(terminal)),
            Action::Measured(metrics) => {
                remote.meters = Some(LinkMeters { frames: metrics.frames, bytes: metrics.bytes, delay: None });
            }
            _ => return false,
        }
        true
    }

    fn forget_pointer(&mut self) {
        let middle = self.tank.world.size() / 2.0;
        self.input.pointer.go_to(&mut self.tank.world, middle, 0.0);
        self.remote().into_iter().for_each(|remote| remote.pointer = middle);
    }

    fn ask_for_scene(&mut self, forward: usize) {
        let next = (self.tank.scene_index + forward).checked_rem(self.options.scenes.len());
        if let (Some(next), Some(remote)) = (next, self.remote()) {
            remote.act(GuestAction::Scene(next as u16));
        }
    }

    /// The host gets the pointer's place at the press, not its way there.
    fn press_in_host(&mut self, tool: PointerMode, at: Vec2) {
        let size = self.tank.world.size();
        self.input.pointer.go_to(&mut self.tank.world, at, 0.0);
        if let Some(remote) = self.remote() {
            for pressed in [None, Some(tool)] {
                remote.pressed = pressed;
                remote.send_pointer(at, size, tool);
            }
        }
    }

    /// The last place of a drag is sent before the release: the fluid keeps the speed of the drag.
    fn release_in_host(&mut self, at: Vec2) {
        let (size, tool) = (self.tank.world.size(), self.input.tools.selected);
        self.input.pointer.go_to(&mut self.tank.world, at, 0.0);
        if let Some(remote) = self.remote() {
            if remote.pressed.is_some() {
                remote.send_pointer(at, size, tool);
            }
            remote.pressed = None;
            remote.send_pointer(at, size, tool);
        }
    }

    /// Changes the picture, and tells the host of it where there is one.
    pub(in crate::app) fn change_view(&mut self, change: impl FnOnce(&mut Self)) {
        change(self);
        if self.remote().is_none() {
            return;
        }
        let look = self.options.look.clone();
        let view = GuestView { window: self.picture.window, terminal: self.picture.terminal, look };
        if let Some(remote) = self.remote()
            && remote.view != view
        {
            remote.host.send(&ToHost::View(view.clone()));
            remote.view = view;
        }
    }

    pub(in crate::app) fn advance_remote(&mut self) {
        if let Err(reason) = self.hear_host() {
            let name = self.remote().map_or(String::new(), |remote| remote.config.tank.clone());
            self.fail(Error::Run(format!("{name}: {reason}")));
        }
        let lists_guests = self.overlay.stats.open;
        let by_keys = self.input.pointer_shown;
        let (at, size, tool) = (self.input.pointer.target, self.tank.world.size(), self.input.tools.selected);
        let angle = self.tank.world.tilt_target();
        let Source::Remote(remote) = &mut self.tank.source else { return };
        let tilt = (angle != upright(angle)).then(|| (angle - TAU * (angle / TAU).round()).clamp(-PI, PI));
        if std::mem::replace(&mut remote.tilt, tilt) != tilt {
            remote.act(tilt.map_or(GuestAction::ReleaseTilt, |radians| GuestAction::Tilt { radians }));
        }
        if std::mem::replace(&mut remote.lists_guests, lists_guests) != lists_guests {
            remote.host.send(&ToHost::Roster(lists_guests));
        }
        let toggled = std::mem::replace(&mut remote.by_keys, by_keys) != by_keys;
        let hides = toggled && !by_keys;
        if hides {
            remote.pressed = None;
        }
        if toggled || at != remote.pointer {
            remote.send_pointer(at, size, tool);
        }
        if hides {
            remote.act(GuestAction::HidePointer);
        }
        remote.host.flush();
    }

    fn hear_host(&mut self) -> Result<(), String> {
        let Some(remote) = self.remote() else { return Ok(()) };
        let closed = remote.host.read();
        while let Some(message) = self.remote().map_or(Ok(None), |remote| remote.host.input.next())? {
            let invalid = |error| format!("the host sent an invalid message: {error}");
            self.hear(protocol::read(&message).map_err(invalid)?)?;
        }
        if closed { Err("the host has ended".to_owned()) } else { Ok(()) }
    }

    fn hear(&mut self, message: ToGuest) -> Result<(), String> {
        let Source::Remote(remote) = &mut self.tank.source else { return Ok(()) };
        match message {
            ToGuest::Frame(frame) => {
                remote.asked = false;
                // It may be smaller than the window, or have its former size: it is stretched then.
                let area = Rect::new(0, 0, frame.columns, frame.rows);
                if remote.picture.area != area {
                    frame.apply(|_, _| ())?;
                    remote.picture = Buffer::empty(area);
                }
                let picture = &mut remote.picture.content;
                frame.apply(|at, cell| cell.put(&mut picture[at]))?;
            }
            ToGuest::Bandwidth(bandwidth) => remote.bandwidth = Some(bandwidth),
            ToGuest::Welcome { name, scenes: names } => {
                self.options.scenes = scenes(&names);
                self.overlay.status.queue_message(format!("you are {name}"));
            }
            ToGuest::Status(status) => {
                let reshaped = remote.status.aspect != status.aspect;
                let aspect = status.aspect.clamp(ASPECTS.0, ASPECTS.1);
                remote.status = status;
                self.tank.scene_index = usize::from(status.scene).min(self.options.scenes.len().saturating_sub(1));
                if reshaped {
                    let tilt = self.tank.world.tilt_target();
                    let options = WorldOptions { aspect, ..WorldOptions::default() };
                    self.tank.world = World::new(&empty_scene("").world, &options);
                    self.tank.world.tilt_to(tilt);
                    self.forget_pointer();
                }
            }
            ToGuest::Tell(line) => self.overlay.status.queue_message(line),
            ToGuest::Roster(rows) => remote.roster = rows,
            ToGuest::Copy(code) => {
                let is_code = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                if !code.is_empty() && code.len() <= MAX_CODE && code.chars().all(is_code) {
                    remote.code = Some(code);
                    self.request = Some(Request::CopyShareCode);
                }
            }
            ToGuest::Goodbye(reason) => return Err(reason),
        }
        self.picture.stale = true;
        Ok(())
    }
}
