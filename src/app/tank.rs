//! Where the tank of a session is simulated: here, by the host of a shared tank, or by a recording. A tank that is simulated
//! elsewhere has an empty world here, of its shape, which takes the user's tilt and pointer.

pub mod auto_particles;
mod demos;
pub mod feed;
pub mod remote;
pub mod replay;
mod resolution;
mod scenes;
pub mod tick;

use crate::app::action::Action;
use crate::app::demo::Demo;
use crate::app::error::Error;
use crate::app::{App, Options, Request};
use crate::scene::Scene;
use crate::sim::World;
use crate::sim::clock::Clock;
use crate::sim::definition::WorldDef;
use auto_particles::AutoCells;
use feed::Feed;
use remote::RemoteTank;
use replay::ReplayTank;
use std::time::Duration;

#[derive(Default)]
pub enum Source {
    #[default]
    Here,
    Remote(Box<RemoteTank>),
    Replay(Box<ReplayTank>),
}

pub struct Tank {
    pub scene_index: usize,
    pub world: World,
    pub demo: Option<Demo>,
    pub leaving: Duration,
    pub clock: Clock,
    /// Since the first step of the world, without pauses.
    pub real_time: Duration,
    pub source: Source,
    pub failure: Option<Error>,
    pub auto_cells: AutoCells,
    pub feed: Feed,
}

impl Tank {
    pub fn new(options: &mut Options) -> Self {
        let mut demo = options.demo.take();
        let scene = &options.scenes[options.first];
        Self {
            scene_index: options.first,
            world: options.build_world(&scene.world, demo.as_mut(), options.window),
            demo,
            leaving: Duration::ZERO,
            clock: Clock::default(),
            real_time: Duration::ZERO,
            source: Source::default(),
            failure: None,
            auto_cells: AutoCells::default(),
            feed: Feed::new(scene),
        }
    }

    pub fn is_here(&self) -> bool {
        matches!(self.source, Source::Here)
    }

    pub fn tilt(&self) -> (f32, f32) {
        match &self.source {
            Source::Remote(remote) => (remote.status.tilt, remote.status.tilt),
            _ => (self.world.tilt(), self.world.tilt_target()),
        }
    }
}

/// A scene without content, for the world of a tank that is simulated elsewhere.
pub fn empty_scene(name: &str) -> Scene {
    Scene { name: name.to_owned(), world: WorldDef { particles: 0, ..WorldDef::default() }, ..Scene::default() }
}

impl App {
    pub fn with_source(options: Options, source: Source) -> Self {
        let mut app = Self::new(options);
        app.tank.source = source;
        app
    }

    pub fn remote(&mut self) -> Option<&mut RemoteTank> {
        if let Source::Remote(remote) = &mut self.tank.source { Some(remote) } else { None }
    }

    /// Time until a tank that is simulated elsewhere changes by itself; `None` if it does not.
    pub fn next_change(&self) -> Option<Duration> {
        let input = match &self.tank.source {
            Source::Here => None,
            Source::Remote(remote) => {
                /// Interval in which held keys act.
                const HELD: Duration = Duration::from_millis(16);
                (!remote.host.out.is_empty() || self.input.tilt.is_pending(self.tilt_returns())).then_some(HELD)
            }
            Source::Replay(replay) => replay.next_frame(&self.tank.clock),
        };
        [input, self.overlay.status.vanishes_in()].into_iter().flatten().min()
    }

    pub fn share_text(&mut self) -> Result<String, String> {
        if let Some(remote) = self.remote() {
            return remote.code.take().ok_or_else(|| "the host has sent no code".to_owned());
        }
        self.share_code().code()
    }

    /// Ends the session with an error, after the terminal is restored.
    pub(super) fn fail(&mut self, error: Error) {
        self.tank.failure.get_or_insert(error);
        self.request = Some(Request::Quit);
    }

    pub(super) fn refuses(&mut self, action: Action) -> bool {
        let refused = match &self.tank.source {
            Source::Here => None,
            Source::Remote(remote) => remote.refusal(action),
            Source::Replay(_) => replay::refusal(action),
        };
        let said = refused.filter(|message| !message.is_empty());
        said.into_iter().for_each(|message| self.overlay.status.show_message(message));
        refused.is_some()
    }
}
