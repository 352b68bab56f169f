//! A guest's input: directions that tilt, a pointer that the mouse or keys move, a tool. Changes become actions for the host.

use crate::app::action::tilt::{Tilt, TiltMode, upright};
use crate::app::action::{Action, Direction, PointerMode};
use crate::app::error::Error;
use crate::app::host::protocol::ToHost;
use crate::app::input::{HELD_CELLS, direction};
use crate::app::join::connection::HostConnection;
use crate::app::join::{Ended, GuestSession};
use crate::app::look::after;
use crate::app::overlay::hud::{FAR_FACTOR, STEP_CELLS};
use crate::app::shared_tank::GuestAction;
use crate::app::tools::Tools;
use crate::view::{Camera, ClothStyle, ColorBy, GlyphMode};
use glam::Vec2;
use std::f32::consts::{PI, TAU};
use std::time::Duration;

/// The state of keys, pointer and tool.
#[derive(Debug, Default)]
pub struct GuestInput {
    tilt: Tilt,
    /// The angle by the directions so far, and the one that the host has been sent; `None`: not held.
    angle: f32,
    sent: Option<f32>,
    pub tools: Tools,
    /// The pointer in cells, what is pressed, and whether keys move it.
    at: Vec2,
    pressed: Option<PointerMode>,
    pub by_keys: bool,
    /// It has moved since its place was last sent.
    moved: bool,
    /// The size of a cell in fractions of the tank, and the place of the first cell.
    scale: Option<(Vec2, Vec2)>,
}

impl GuestInput {
    /// Releases everything: the window has lost the focus.
    pub fn let_go(&mut self) {
        self.tilt.let_go_all();
    }

    /// Whether time alone leads to further actions, because a direction is held.
    pub fn is_changing(&self, mode: TiltMode) -> bool {
        self.moved || self.tilt.is_pending(mode == TiltMode::Return)
    }

    /// Tilts or moves the pointer further for held directions, and sends changes to the host.
    pub fn advance(&mut self, elapsed: Duration, mode: TiltMode, host: &mut HostConnection) {
        let seconds = elapsed.as_secs_f32().min(0.25);
        self.tilt.pass(seconds);
        if self.by_keys {
            let (x, y) = self.tilt.direction();
            if (x, y) != (0.0, 0.0) {
                self.at += Vec2::new(x, -y) * HELD_CELLS * seconds;
                self.moved = true;
            }
        } else {
            self.angle = self.tilt.advance(self.angle, seconds, mode == TiltMode::Return);
        }
        let held = (self.angle != upright(self.angle)).then(|| wrapped(self.angle));
        if held != self.sent {
            self.sent = held;
            host.send(&ToHost::Act(held.map_or(GuestAction::ReleaseTilt, |radians| GuestAction::Tilt { radians })));
        }
        if std::mem::take(&mut self.moved) {
            self.tell_pointer(host);
        }
    }

    fn tell_pointer(&self, host: &mut HostConnection) {
        let Some((origin, scale)) = self.scale else { return };
        let at = (self.at - origin) * scale;
        let tool = self.pressed.unwrap_or(self.tools.selected());
        if at.is_finite() {
            let pressed = self.pressed.is_some();
            host.send(&ToHost::Act(GuestAction::Pointer { x: at.x, y: at.y, tool, pressed }));
        }
    }

    fn press(&mut self, tool: PointerMode, at: Vec2, host: &mut HostConnection) {
        // The host gets the pointer's place at the press, not its way there.
        (self.at, self.pressed, self.moved) = (at, None, false);
        self.tell_pointer(host);
        self.pressed = Some(tool);
        self.tell_pointer(host);
    }

    fn release(&mut self, at: Vec2, host: &mut HostConnection) {
        self.at = at;
        self.moved = false;
        if self.pressed.is_some() {
            // The last place of the drag is sent first: the fluid keeps the speed of the drag.
            self.tell_pointer(host);
        }
        self.pressed = None;
        self.tell_pointer(host);
    }
}

/// The same direction, from −π to π.
fn wrapped(angle: f32) -> f32 {
    let turned = angle - TAU * (angle / TAU).round();
    turned.clamp(-PI, PI)
}

/// The message for an Action that a guest cannot perform in a shared tank.
fn unavailable(action: Action) -> Option<&'static str> {
    match action {
        Action::Pause | Action::Step | Action::Slower | Action::Faster => Some("time runs for all guests alike"),
        Action::PickScene => Some("n and p ask for another scene"),
        Action::Pour | Action::Drain | Action::Drop | Action::DrainDrop => {
            Some("3 and 4 let the pointer pour and drain")
        }
        Action::Record | Action::Save | Action::Panel | Action::Melt => Some("not in a shared tank"),
        _ => None,
    }
}

impl GuestSession {
    /// Carries out an Action in a shared tank.
    pub(super) fn perform(&mut self, action: Action) -> Result<Option<Ended>, Error> {
        self.place_tank();
        self.stale |= !matches!(action, Action::Move(_));
        let host = &mut self.host;
        let mut act = |action| host.send(&ToHost::Act(action));
        match action {
            Action::Quit => return Ok(Some(Ended::Left)),
            Action::Back => return Ok(self.back()),
            Action::Suspend if self.config.restricted => self.overlay.say("not in this session"),
            Action::Suspend => self.term.suspend()?,
            Action::Help => self.overlay.toggle_help(),
            Action::Stats => self.toggle_stats(),
            Action::UnknownKey => self.overlay.show_hint_again(self.config.controls.hint),

            Action::Tilt(_) | Action::HoldDirection(_) | Action::ReleaseDirection(_) | Action::Shake(_) => {
                self.turn(action)
            }
            Action::Upright => self.set_angle(0.0),
            Action::SetTilt(angle) => self.set_angle(angle),

            Action::NextScene => self.ask_for_scene(1),
            Action::PreviousScene => self.ask_for_scene(self.scenes.len().saturating_sub(1)),
            Action::SetScene(number) => act(GuestAction::Scene(number)),
            Action::Reset => act(GuestAction::Reset),

            Action::Tool(tool) => {
                self.input.tools.select(tool);
                self.overlay.show_tool();
            }
            Action::Walls => {
                self.input.tools.select(self.input.tools.walls_or_back());
                self.overlay.show_tool();
            }
            Action::NextFluid => {
                act(GuestAction::NextFluid);
                self.input.tools.select(PointerMode::Pour);
                self.overlay.show_tool();
            }
            Action::Brush(larger) => act(GuestAction::Brush { larger }),
            Action::Explode => {
                self.input.tell_pointer(&mut self.host);
                self.host.send(&ToHost::Act(GuestAction::Burst));
            }
            Action::TogglePointer => self.show_pointer(!self.input.by_keys),
            Action::Grab => self.grip(self.input.tools.selected()),
            Action::Pull => self.grip(PointerMode::Pull),
            Action::PressTool(at) => {
                let tool = self.input.tools.selected();
                self.input.press(tool, at.into(), &mut self.host);
            }
            Action::Press(tool, at) => self.input.press(tool, at.into(), &mut self.host),
            Action::Move(at) => {
                self.input.at = at.into();
                self.input.moved = true;
            }
            Action::Release(at) => self.input.release(at.into(), &mut self.host),

            Action::Glyphs | Action::Palette | Action::NextColorBy | Action::NextClothStyle => self.change_look(action),
            Action::CopyShareCode => self.host.send(&ToHost::Copy),
            _ => unavailable(action).into_iter().for_each(|message| self.overlay.say(message)),
        }
        Ok(None)
    }

    /// Closes what is open, or selects the usual tool again; else leaves the tank.
    fn back(&mut self) -> Option<Ended> {
        if self.overlay.help {
            self.overlay.help = false;
        } else if self.overlay.stats {
            self.toggle_stats();
        } else if self.input.by_keys {
            self.show_pointer(false);
        } else if self.input.tools.selected() != PointerMode::Push {
            self.input.tools.select(PointerMode::Push);
            self.overlay.show_tool();
        } else {
            return Some(Ended::Left);
        }
        None
    }

    /// Carries out the Action of a direction key: it scrolls the help, moves the pointer, or tilts or shakes the tank.
    fn turn(&mut self, action: Action) {
        match action {
            Action::Tilt(side) | Action::HoldDirection(side) if self.overlay.help => self.overlay.scroll(side),
            // A repetition of a held key.
            Action::Tilt(side) if self.input.tilt.holds(side) => {}
            Action::Tilt(side) if self.input.by_keys => self.nudge(side, 1.0),
            Action::HoldDirection(side) if self.input.by_keys => {
                self.input.tilt.mark(side);
                self.nudge(side, 1.0);
            }
            Action::Shake(side) if self.input.by_keys => self.nudge(side, FAR_FACTOR),
            Action::Tilt(side) => {
                self.input.angle = self.input.tilt.press(self.input.angle, side);
                self.overlay.show_tilt();
            }
            Action::HoldDirection(side) => {
                self.input.angle = self.input.tilt.hold(self.input.angle, side);
                self.overlay.show_tilt();
            }
            Action::ReleaseDirection(side) => self.input.tilt.let_go(side),
            Action::Shake(side) => {
                self.host.send(&ToHost::Act(GuestAction::Shake { direction: direction(side).into() }));
            }
            _ => {}
        }
    }

    /// Sets the angle of the tilt, for another source than the direction keys.
    fn set_angle(&mut self, angle: f32) {
        self.input.tilt.forget();
        self.input.angle = angle;
    }

    /// Changes the look of this guest's picture, and requests the view.
    fn change_look(&mut self, action: Action) {
        let look = &mut self.config.look;
        let message = match action {
            Action::Glyphs => {
                let now = look.glyphs.unwrap_or(self.terminal.glyphs);
                let next = if self.terminal.unicode { after(&GlyphMode::ALL, now) } else { now };
                look.glyphs = Some(next);
                format!("glyphs: {}", next.name())
            }
            Action::Palette => {
                let all = crate::view::palette::embedded();
                let now = look.palette.as_ref().map(|palette| palette.name());
                // After the last one, each scene has its own again.
                let at = now.map_or(0, |now| all.iter().position(|it| it.name() == now).map_or(0, |at| at + 1));
                look.palette = all.get(at).cloned();
                format!("palette: {}", all.get(at).map_or("each scene's own", |palette| palette.name()))
            }
            Action::NextColorBy => {
                look.color_by = after(&ColorBy::ALL, look.color_by);
                format!("colour: {}", look.color_by.name())
            }
            Action::NextClothStyle => {
                look.cloth_style = after(&ClothStyle::ALL, look.cloth_style);
                format!("cloth: {}", look.cloth_style.name())
            }
            _ => return,
        };
        self.overlay.say(message);
        self.change_view();
    }

    fn toggle_stats(&mut self) {
        self.overlay.stats = !self.overlay.stats;
        self.host.send(&ToHost::Roster(self.overlay.stats));
    }

    fn ask_for_scene(&mut self, forward: usize) {
        if let Some(next) = (usize::from(self.status.scene) + forward).checked_rem(self.scenes.len()) {
            self.host.send(&ToHost::Act(GuestAction::Scene(next as u16)));
        }
    }

    fn show_pointer(&mut self, shown: bool) {
        if shown {
            self.input.at = Vec2::new(f32::from(self.window.columns), f32::from(self.window.rows)) / 2.0;
            self.overlay.say("pointer: directions move it, ? shows its keys");
        }
        self.input.by_keys = shown;
        self.input.tilt.let_go_all();
        let at = self.input.at;
        self.input.release(at, &mut self.host);
        if !shown {
            self.host.send(&ToHost::Act(GuestAction::HidePointer));
        }
    }

    fn grip(&mut self, tool: PointerMode) {
        if !self.input.by_keys {
            self.show_pointer(true);
        }
        let at = self.input.at;
        if self.input.pressed == Some(tool) {
            self.input.release(at, &mut self.host);
        } else {
            self.input.press(tool, at, &mut self.host);
        }
    }

    fn nudge(&mut self, side: Direction, times: f32) {
        // Cells are counted downward.
        let by = direction(side) * Vec2::new(1.0, -1.0);
        let most = Vec2::new(f32::from(self.window.columns), f32::from(self.window.rows));
        self.input.at = (self.input.at + by * STEP_CELLS * times).clamp(Vec2::ZERO, most);
        self.input.moved = true;
    }

    /// Computes the place of the tank in the window: letterboxed, as the host draws it.
    fn place_tank(&mut self) {
        if self.status.aspect > 0.0 {
            let tank = Vec2::new(self.status.aspect, 1.0);
            let camera = Camera::new(self.area(), self.window.cell.into(), tank);
            let (first, last) = (camera.to_cell(Vec2::new(0.0, tank.y)), camera.to_cell(Vec2::new(tank.x, 0.0)));
            self.input.scale = Some((first, 1.0 / (last - first)));
        }
    }
}
