//! A tank that several guests play in at once: the world, a hand for each guest, shared gravity and permissions. It uses no
//! socket, no terminal and no clock: the same start, and the same joins, leaves and actions before the same steps, give the same
//! world. A recording consists of these (see `record/replay/event_log.rs`).

pub mod action;
pub mod guest;
pub mod hands_layer;
mod idle_play;
pub mod permissions;
pub mod recording;
pub mod view;

use crate::app::error::Error;
use crate::app::input::tilt::upright;
use crate::app::input::tools::Tools;
use crate::app::record::replay::event_log::{EventLog, LogEntry};
use crate::math::{self, Elementary};
use crate::scene::Scene;
use crate::sim::clock::STEP;
use crate::sim::parallel::instructions::Instructions;
use crate::sim::world::pointer::{Pointer, PointerMode};
use crate::sim::{ASPECTS, World, WorldOptions};
use crate::view::camera::Turn;
pub use action::GuestAction;
use glam::Vec2;
pub use guest::{GuestId, GuestName, GuestStatus, Hand, LinkMeters};
use idle_play::SharedIdlePlay;
pub use permissions::Permissions;
use serde::{Deserialize, Serialize};

/// Default width over height of the tank: 80×24 cells of 1:2 have 1.67, wide windows 2 and more.
pub const DEFAULT_ASPECT: f32 = 2.4;

/// Cells of a grid, where the scene has no number of its own: the samples of a window of 120×32.
const GRID_CELLS: usize = 120 * 32 * 8;

/// Upper limit on the pieces of drawn walls. All are computed again when the tank changes.
pub const MAX_WALL_PIECES: usize = 400;

/// Upper limit on simultaneous guests: each takes time in every step.
pub const MAX_GUESTS: usize = 1000;

/// How long a hand is shown after its last movement or press, in steps: a minute.
const HAND_SHOWN: u64 = 60 * 60;

/// Upper limit on announcements that wait to be taken; older ones are dropped.
const MAX_ANNOUNCEMENTS: usize = 32;

/// Length of the sum of the directions of all held tilts below which they count as opposite.
const OPPOSITE: f32 = 1e-3;

/// The distance that a press may move and still be a click, as a fraction of the tank's width: half a cell of 80.
const CLICK_SLACK: f32 = 0.5 / 80.0;

/// The start of a tank. Recordings have the skipped fields in their headers, or take those of the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TankConfig {
    /// The scene at the start, as an index into `scenes`.
    pub scene: usize,
    #[serde(skip)]
    pub scenes: Vec<Scene>,
    pub aspect: f32,
    /// Whether `aspect` replaces the aspect of scenes that have their own. Older recordings do not have it.
    #[serde(default)]
    pub overrides_aspect: bool,
    pub allow: Permissions,
    #[serde(skip)]
    pub seed: u64,
    pub particles: Option<usize>,
    #[serde(skip)]
    pub threads: usize,
    #[serde(skip)]
    pub instructions: Instructions,
    /// Seconds without an action after which the autopilot plays; `None`: never.
    pub idle: Option<f32>,
    pub reduced_motion: bool,
}

impl TankConfig {
    fn validated(self) -> Result<Self, Error> {
        let (narrowest, widest) = (*ASPECTS.start(), *ASPECTS.end());
        if !ASPECTS.contains(&self.aspect) {
            let given = self.aspect;
            return Err(Error::Input(format!("the aspect must be a number from {narrowest} to {widest}, not {given}")));
        }
        if self.scene >= self.scenes.len() {
            let (count, scene) = (self.scenes.len(), self.scene);
            return Err(Error::Input(format!("there are {count} scenes, and none of number {scene}")));
        }
        if let Some(idle) = self.idle.filter(|idle| !(idle.is_finite() && *idle > 0.0)) {
            return Err(Error::Input(format!("the idle time must be a number of seconds above 0, not {idle}")));
        }
        Ok(self)
    }
}

#[derive(Clone, Debug)]
struct HandState {
    pointer: Pointer,
    tools: Tools,
    /// The tilt that the guest holds, radians.
    tilt: Option<f32>,
    /// The step of the last movement or press; none if there was none, or if the hand was hidden since.
    moved: Option<u64>,
    allow: Permissions,
}

pub struct SharedTank {
    pub config: TankConfig,
    /// Index among the scenes of `config`.
    pub scene_index: usize,
    pub world: World,
    /// Steps since the start, whatever scenes were shown.
    pub steps: u64,
    next_id: u16,
    pub roster: Vec<GuestStatus>,
    hands: Vec<HandState>,
    /// Joins, leaves, scenes and resets, one line each, that have not been taken.
    pub announcements: Vec<String>,
    /// Steps since a guest last acted.
    untouched: u64,
    idle_play: Option<SharedIdlePlay>,
    pub log: EventLog,
}

impl SharedTank {
    pub fn new(config: TankConfig) -> Result<Self, Error> {
        let config = config.validated()?;
        let world = build_world(&config, config.scene);
        Ok(Self {
            scene_index: config.scene,
            world,
            steps: 0,
            next_id: 0,
            roster: Vec::new(),
            hands: Vec::new(),
            announcements: Vec::new(),
            untouched: 0,
            idle_play: None,
            log: EventLog::default(),
            config,
        })
    }

    /// Adds a guest, or the host's own session, which may do everything. Returns none if there are [`MAX_GUESTS`] already.
    pub fn join(&mut self, name: GuestName, is_host: bool) -> Option<GuestId> {
        if self.roster.len() >= MAX_GUESTS {
            return None;
        }
        self.log.push(|| LogEntry::Join { name: name.clone(), host: is_host });
        while self.roster.iter().any(|guest| guest.id.0 == self.next_id) {
            self.next_id = self.next_id.wrapping_add(1);
        }
        let id = GuestId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        let users = |color: &u8| self.roster.iter().filter(|guest| guest.color == *color).count();
        let color = (0..guest::HAND_COLORS.len() as u8).min_by_key(users).unwrap_or(0);
        self.announce(format!("{name} joined"));
        self.roster.push(GuestStatus { id, name, color, link: LinkMeters::default() });
        let allow = if is_host { Permissions::EVERY } else { self.config.allow };
        let (pointer, tools) = (Pointer::new(self.world.size() / 2.0), Tools::default());
        self.hands.push(HandState { pointer, tools, tilt: None, moved: None, allow });
        Some(id)
    }

    pub fn leave(&mut self, guest: GuestId) {
        let Some(index) = self.index_of(guest) else { return };
        self.log.push(|| LogEntry::Leave(guest));
        let gone = self.roster.remove(index);
        self.hands.remove(index);
        self.announce(format!("{} left", gone.name));
        self.update_gravity();
    }

    /// Carries out a guest's action, or returns the reason for which it is refused.
    pub fn act(&mut self, guest: GuestId, action: GuestAction) -> Option<&'static str> {
        let Some(index) = self.index_of(guest) else { return Some("there is no such guest") };
        let action = match action.validated(self.config.scenes.len()) {
            Ok(action) => action,
            Err(reason) => return Some(reason),
        };
        self.log.push(|| LogEntry::Act(guest, action));
        let refusal = self.perform(index, action);
        if refusal.is_none() {
            self.untouched = 0;
            if self.idle_play.is_some() {
                self.update_gravity();
            }
        }
        refusal
    }

    fn perform(&mut self, index: usize, action: GuestAction) -> Option<&'static str> {
        let refusal = self.refusal(index, action);
        let hand = &mut self.hands[index];
        match action {
            GuestAction::Pointer { x, y, tool, pressed } => return self.point(index, [x, y], tool, pressed, refusal),
            _ if refusal.is_some() => return refusal,
            GuestAction::Tilt { radians } => {
                hand.tilt = Some(radians);
                self.update_gravity();
            }
            GuestAction::ReleaseTilt => {
                hand.tilt = None;
                self.update_gravity();
            }
            GuestAction::Shake { direction } => self.world.shake(Vec2::from(direction)),
            GuestAction::HidePointer => {
                hand.pointer.drop_all();
                hand.moved = None;
            }
            GuestAction::Burst => {
                hand.moved = Some(self.steps);
                hand.pointer.burst();
            }
            GuestAction::Brush { larger } => hand.pointer.resize(larger),
            GuestAction::NextFluid => {
                hand.pointer.drop_all();
                hand.tools.next_fluid(&self.world);
            }
            GuestAction::Scene(number) => {
                self.scene_index = usize::from(number);
                self.announce(format!("{} chose the scene {}", self.roster[index].name, self.scene().name));
                self.rebuild();
            }
            GuestAction::Reset => {
                self.announce(format!("{} reset the tank", self.roster[index].name));
                self.rebuild();
            }
        }
        None
    }

    /// The pointer moves also where its press is refused.
    fn point(
        &mut self,
        index: usize,
        at: [f32; 2],
        tool: PointerMode,
        pressed: bool,
        refusal: Option<&'static str>,
    ) -> Option<&'static str> {
        let size = self.world.size();
        // On the screen y points down.
        let at = Vec2::new(at[0], 1.0 - at[1]).clamp(Vec2::ZERO, Vec2::ONE) * size;
        let at = Turn::of(&self.world).back(at);
        let hand = &mut self.hands[index];
        hand.moved = Some(self.steps);
        hand.tools.selected = tool;
        let held = hand.pointer.grip();
        let slack = CLICK_SLACK * size.x;
        if refusal.is_some() {
            hand.pointer.drop_all();
            hand.pointer.go_to(&mut self.world, at, slack);
        } else if !pressed {
            hand.pointer.go_to(&mut self.world, at, slack);
            hand.pointer.open();
        } else if held == Some(tool) {
            hand.pointer.go_to(&mut self.world, at, slack);
        } else {
            hand.pointer.drop_all();
            if tool == PointerMode::Pour {
                let Ok(poured) = hand.tools.to_pour(&mut self.world) else {
                    return Some("there is nothing to pour here");
                };
                hand.pointer.pours = poured;
            }
            hand.pointer.close(&mut self.world, tool, at);
        }
        refusal
    }

    /// The reason for which a guest may not do that.
    fn refusal(&self, index: usize, action: GuestAction) -> Option<&'static str> {
        use GuestAction::{Burst, NextFluid, Pointer, Reset, Scene, Shake, Tilt};
        use PointerMode::{Cool, Drain, Heat, Pour, Pull, Push, Wall};
        let Permissions { tilt, push, pour, walls, heat, scene, reset, .. } = self.hands[index].allow;
        let (is_allowed, reason) = match action {
            Tilt { .. } | Shake { .. } => (tilt, "the host has locked gravity"),
            Burst | Pointer { tool: Push | Pull, pressed: true, .. } => (push, "the host does not allow pushing"),
            NextFluid | Pointer { tool: Pour | Drain, pressed: true, .. } => (pour, "the host does not allow pouring"),
            Pointer { tool: Heat | Cool, pressed: true, .. } => (heat, "the host does not allow heating and cooling"),
            Pointer { tool: Wall, pressed: true, .. } if !walls => (false, "the host has locked the walls"),
            Pointer { tool: Wall, pressed: true, .. } => {
                (self.world.drawn_walls() < MAX_WALL_PIECES, "the tank holds no more walls: reset it")
            }
            Scene(_) => (scene, "the host has locked the scene"),
            Reset => (reset, "the host does not allow resetting the tank"),
            _ => return None,
        };
        (!is_allowed).then_some(reason)
    }

    /// Sets gravity to the mean direction of the tilts that are held, or to upright without any. Turned the shorter way.
    /// Ends play by the autopilot.
    fn update_gravity(&mut self) {
        self.idle_play = None;
        let sum: Vec2 = self.hands.iter().filter_map(|hand| hand.tilt).map(math::direction).sum();
        // Opposite tilts have no mean.
        self.tilt_to(if sum.length() < OPPOSITE { 0.0 } else { sum.y.arc_tangent(sum.x) });
    }

    fn tilt_to(&mut self, angle: f32) {
        let now = self.world.tilt_target();
        self.world.tilt_to(angle + upright(now - angle));
    }

    fn rebuild(&mut self) {
        self.world = build_world(&self.config, self.scene_index);
        let middle = self.world.size() / 2.0;
        for hand in &mut self.hands {
            let brush = hand.pointer.brush();
            hand.pointer = Pointer::new(middle);
            hand.pointer.set_brush(brush);
            (hand.tools.fluid, hand.moved) = (None, None);
        }
        self.update_gravity();
    }

    pub fn step(&mut self) {
        self.untouched += 1;
        self.play_idly();
        for hand in &mut self.hands {
            hand.pointer.act(&mut self.world, STEP);
        }
        self.world.step();
        self.steps += 1;
        self.log.step();
    }

    pub fn scene(&self) -> &Scene {
        &self.config.scenes[self.scene_index]
    }

    pub fn hands(&self) -> impl Iterator<Item = Hand> {
        let turn = Turn::of(&self.world);
        let seen = move |hand: &HandState| hand.moved.is_some_and(|moved| self.steps < moved + HAND_SHOWN);
        self.roster.iter().zip(&self.hands).filter(move |(_, hand)| seen(hand)).map(move |(guest, hand)| Hand {
            name: guest.name.clone(),
            color: guest.color,
            at: turn.there(hand.pointer.target),
            tool: hand.pointer.grip().unwrap_or(hand.tools.selected),
            held: hand.pointer.grip().is_some(),
        })
    }

    fn announce(&mut self, line: String) {
        if self.announcements.len() == MAX_ANNOUNCEMENTS {
            self.announcements.remove(0);
        }
        self.announcements.push(line);
    }

    fn index_of(&self, guest: GuestId) -> Option<usize> {
        self.roster.iter().position(|status| status.id == guest)
    }
}

fn build_world(config: &TankConfig, scene: usize) -> World {
    let options = WorldOptions {
        particles: config.particles,
        cells: Some(GRID_CELLS),
        seed: config.seed,
        aspect: config.aspect,
        threads: config.threads,
        instructions: config.instructions,
    };
    let definition = &config.scenes[scene].world;
    if config.overrides_aspect {
        let mut chosen = definition.clone();
        chosen.tank.aspect = Some(config.aspect);
        World::new(&chosen, &options)
    } else {
        World::new(definition, &options)
    }
}
