//! Scenes, time and what is in the tank; and how it is shown: the look, the window, the terminal.

use crate::app::action::tilt::Tilt;
use crate::app::action::{Terminal, Window};
use crate::app::auto_particles;
use crate::app::demo::Act;
use crate::app::options::{MAX_GRID_CELLS, picture_samples};
use crate::app::overlay::frame_metrics::Meters;
use crate::app::overlay::help;
use crate::app::saver::fade::{Fade, QUICK_COLORS, Recolor, SLOW_COLORS};
use crate::app::{App, Request};
use crate::scene;
use crate::sim::clock::STEP;
use crate::sim::grid_fluid::Smoke;
use crate::sim::liquid::particle_liquid::Grains;
use crate::view::{ClothStyle, ColorBy, GlyphMode, Palette, Rgb};
use std::time::Duration;

/// Liquid that moves faster than this (m/s) somewhere costs what it costs when it is played with.
const LIVELY: f32 = 0.1;

/// The liquid that may be poured in by hand, as a share of the tank.
const FULL: f32 = 0.9;

/// The longest that flowing back may hold up the end: what the steps that it has take at full speed, and a little. A page
/// of 1000×500 cells is half a million particles, and its steps took over a minute.
const LEAVING: Duration = Duration::from_secs(3);

/// Time, scenes and what is in the tank.
impl App {
    pub(super) fn toggle_pause(&mut self) {
        self.clock.toggle_pause();
        // The way that the pointer went meanwhile is not made good in one shove.
        self.hand.catch_up();
    }

    pub(super) fn step_once(&mut self) {
        if !self.clock.paused() {
            self.clock.toggle_pause();
        }
        self.step(&mut ());
    }

    pub(super) fn set_speed(&mut self, speed: f32) {
        self.clock.set_speed(speed);
        self.overlay.say(format!("speed {}x", self.clock.speed()));
    }

    pub(super) fn share(&mut self, threads: usize) {
        self.options.simulation.threads = threads;
        self.world.set_threads(threads);
    }

    pub(super) fn reset(&mut self) {
        self.world = self.options.build_world(&self.world.definition().clone(), self.act.as_mut(), self.window);
        self.clock.forgive();
        self.hand.drop_all();
        self.tilt = Tilt::default();
    }

    /// How many scenes keys and the screensaver go through: those before the laboratory's, which come last.
    pub(super) fn tour(&self) -> usize {
        self.options
            .scenes
            .iter()
            .position(|scene| scene::is_of_laboratory(&scene.name))
            .unwrap_or(self.options.scenes.len())
    }

    /// The scene so many places on in the tour; from the laboratory, its first or its last.
    pub(super) fn neighbor_scene(&self, by: isize) -> usize {
        // A laboratory scene that was asked for by name may be all there is.
        let tour = if self.tour() == 0 { self.options.scenes.len() } else { self.tour() };
        match (self.current < tour, by > 0) {
            (true, _) => (self.current as isize + by).rem_euclid(tour as isize) as usize,
            (false, true) => 0,
            (false, false) => tour - 1,
        }
    }

    pub(super) fn show_scene(&mut self, number: usize) {
        self.current = number % self.options.scenes.len();
        self.scene = self.options.scenes[self.current].clone();
        let scene = &self.scene;
        self.world = self.options.build_world(&scene.world, self.act.as_mut(), self.window);
        let drive = self.look.color_by;
        let lack = if drive.is_in(&self.world) { String::new() } else { format!("; no {} here", drive.name()) };
        self.overlay.say(format!("{}: {}{lack}", scene.name, scene.about));
        self.clock.forgive();
        self.hand.drop_all();
        self.panel.forget();
        self.tilt = Tilt::default();
        self.choose_palette();
    }

    pub(super) fn undo(&mut self) {
        let undone = self.panel.undo(&mut self.world);
        self.overlay.say(undone.unwrap_or_else(|| "nothing to undo".to_owned()));
    }

    /// The scene's own numbers.
    pub(super) fn restore(&mut self) {
        self.panel.reset(&mut self.world, &self.options.scenes[self.current].world);
        self.overlay.say("as the scene has it");
    }

    /// Shows another scene while the one that was shown fades.
    pub(super) fn cross_to(&mut self, number: usize) {
        let (world, look) = (self.world.clone(), self.look.clone());
        self.show_scene(number);
        self.fade = Some(Fade::new(world, look));
    }

    /// What goes over into something else goes on.
    pub(super) fn fade_on(&mut self, elapsed: Duration) {
        self.stale |= self.fade.is_some() || self.recolor.is_some();
        self.fade = self.fade.take().and_then(|mut fade| (!fade.advance(elapsed)).then_some(fade));
        if let Some(recolor) = &mut self.recolor {
            let (palette, arrived) = recolor.advance(elapsed);
            self.look.palette = palette;
            if arrived {
                self.recolor = None;
            }
        }
    }

    /// How many particles fill the tank.
    fn capacity(&self, liquid: Grains) -> usize {
        (self.world.size().element_product() / liquid.particle_area()) as usize
    }

    /// About a twentieth of what the scene starts with.
    fn portion(&self) -> usize {
        let whole = match &self.options.simulation.auto_particles {
            Some(_) if self.world.particles() == 0 => self.world.grains().map_or(0, |it| self.capacity(it)),
            Some(_) => self.world.particles(),
            None => self.options.simulation.particles.unwrap_or(self.world.definition().particles),
        };
        (whole / 20).max(1)
    }

    /// Notes what the last moment took, and makes the liquid finer or coarser if that is to be adapted.
    pub(super) fn measured(&mut self, meters: Meters) {
        self.overlay.meters = meters;
        // A tank at rest costs next to nothing, which says nothing about one that moves; and two that fade cost double.
        let telling = meters.steps > 0.0 && !self.world.is_asleep() && self.fade.is_none() && !self.clock.paused();
        let lively = self.world.fastest() > LIVELY;
        let (count, most) = (self.world.particles(), self.finest());
        let stepping = self.stepping(&meters);
        let load = stepping.max(self.load(&meters) - auto_particles::DRAWING);
        if telling && (lively || stepping > auto_particles::GRID * auto_particles::MOST) {
            self.suit_grid(stepping / auto_particles::GRID);
        }
        let Some(fineness) = self.options.simulation.auto_particles.as_mut().filter(|_| telling && count > 0) else {
            return;
        };
        if (lively || load > auto_particles::MOST)
            && let Some(wanted) = fineness.judge(load, count, most)
        {
            self.world.refine(wanted);
            self.stale = true;
        }
    }

    /// Makes a grid coarser where this machine cannot keep up with it, and finer again where it can, up to the picture's
    /// samples. What was found holds for other scenes and windows too. `load` is that of simulating alone: what a picture
    /// of smoke takes does not depend on the cells, and where it is too much there are fewer of them a second.
    fn suit_grid(&mut self, load: f32) {
        let own = self.world.definition().smoke.as_ref().is_none_or(|medium| medium.cells.is_some());
        let Some(mac) = self.world.smoke().map(Smoke::mac).filter(|_| !own) else { return };
        let (count, most) = (mac.nx * mac.ny, picture_samples(self.window).min(MAX_GRID_CELLS));
        if let Some(wanted) = self.grain.judge(load, count, most) {
            self.options.simulation.max_grid_cells = if wanted < most { wanted } else { MAX_GRID_CELLS };
            self.world.set_cells(wanted);
            self.stale = true;
        }
    }

    /// The share of a frame's time that simulating and drawing take at full speed.
    fn load(&self, meters: &Meters) -> f32 {
        let drawing = (meters.stages.iter().sum::<f32>() + meters.send) * self.fps() as f32;
        self.stepping(meters) + drawing / 1e3
    }

    /// The share of the time that simulating takes at full speed.
    fn stepping(&self, meters: &Meters) -> f32 {
        meters.passes.iter().sum::<f32>() * self.clock.speed() / STEP / 1e3
    }

    /// As many particles as the picture can show: see [`auto_particles::PER_CELL`]. The scene's own number may be more.
    fn finest(&self) -> usize {
        let Some(liquid) = self.world.grains() else { return 0 };
        let area = liquid.particle_area() * self.world.particles() as f32;
        let cells = area * self.camera().scale().element_product();
        ((auto_particles::PER_CELL * cells) as usize).max(self.world.definition().particles)
    }

    pub(super) fn pour(&mut self) {
        let room = |liquid: Grains| (FULL * self.capacity(liquid) as f32) as usize;
        let room = self.world.grains().map_or(usize::MAX, room);
        if self.world.particles() + self.portion() > room {
            self.overlay.say("the tank is full");
        } else {
            self.world.pour(self.portion());
            self.overlay.say(format!("pouring {} in", self.portion()));
        }
    }

    pub(super) fn drain(&mut self) {
        let portion =
            if self.world.grains().is_some() { self.portion().min(self.world.particles()) } else { self.portion() };
        self.world.drain(portion);
        self.overlay.say(format!("draining {portion} out"));
    }
}

/// What is played instead of a scene.
impl App {
    pub(super) fn tell(&mut self, seconds: u32) {
        if let Some(act) = &mut self.act {
            act.tell(seconds);
        }
    }

    pub(super) fn melt(&mut self) {
        let done = self.act.as_mut().and_then(|act| act.toggle(&mut self.world));
        self.overlay.say(done.unwrap_or("nothing here is held in a shape"));
    }

    /// Ends, once everything has flowed back that can; at once if that is asked for again.
    pub(super) fn quit(&mut self) {
        let flowing = self.act.as_mut().is_some_and(|act| act.leave(&mut self.world));
        if !flowing {
            self.request = Some(Request::Quit);
        } else if self.clock.paused() {
            self.clock.toggle_pause();
        }
    }

    pub(super) fn end_if_left(&mut self, elapsed: Duration) {
        let Some(act) = &self.act else { return };
        if act.is_leaving() {
            self.leaving += elapsed;
        }
        if act.has_left(&self.world) || self.leaving > LEAVING {
            self.request = Some(Request::Quit);
        }
    }
}

/// The picture, the window and the terminal.
impl App {
    pub(super) fn next_glyphs(&mut self) {
        if self.terminal.unicode {
            self.look.glyphs = after(&GlyphMode::ALL, self.look.glyphs);
        }
        self.options.look.glyphs = Some(self.look.glyphs);
        self.overlay.say(format!("glyphs: {}", self.look.glyphs.name()));
    }

    pub(super) fn next_palette(&mut self) {
        let all = &self.options.look.palettes;
        let at = all.iter().position(|palette| palette.name() == self.palette().name());
        let next = all[at.map_or(0, |at| at + 1) % all.len()].clone();
        self.overlay.say(format!("palette: {}", next.name()));
        self.options.look.palette = Some(next.clone());
        self.recolor_to(next, QUICK_COLORS);
    }

    /// The palette of that number comes, slowly: of those on whose ground the room stays as light or as dark as it is.
    /// A screen that turns white at night is no screensaver.
    pub(super) fn recolor(&mut self, number: usize) {
        let count = self.alike().count().max(1);
        let chosen = self.alike().nth(number % count).cloned();
        if let Some(palette) = chosen {
            self.recolor_to(palette, SLOW_COLORS);
        }
    }

    /// The palettes whose ground is light if this one's is, and dark if it is dark.
    pub(super) fn alike(&self) -> impl Iterator<Item = &Palette> {
        let ground = |palette: &Palette| self.look.background.resolve(palette).0;
        let is_light = |ground: Rgb| ground.oklab()[0] > 0.5;
        let own = ground(self.palette());
        let light = is_light(own);
        // The autopilot looks in every step, and nearly all have the ground that the terminal has.
        self.options
            .look
            .palettes
            .iter()
            .filter(move |palette| ground(palette) == own || is_light(ground(palette)) == light)
    }

    pub(super) fn recolor_to(&mut self, palette: Palette, lasts: Duration) {
        if palette != *self.palette() {
            self.recolor = Some(Recolor::new(self.look.palette.clone(), palette, lasts));
        }
    }

    /// The palette that is shown, or is on its way.
    pub fn palette(&self) -> &Palette {
        self.recolor.as_ref().map_or(&self.look.palette, Recolor::target)
    }

    pub(super) fn next_drive(&mut self) {
        // What the tank has nothing of is passed over.
        self.look.color_by = after(&ColorBy::ALL, self.look.color_by);
        while !self.look.color_by.is_in(&self.world) {
            self.look.color_by = after(&ColorBy::ALL, self.look.color_by);
        }
        self.overlay.say(format!("colour: {}", self.look.color_by.name()));
    }

    pub(super) fn next_weave(&mut self) {
        self.look.cloth_style = after(&ClothStyle::ALL, self.look.cloth_style);
        self.overlay.say(format!("cloth: {}", self.look.cloth_style.name()));
    }

    /// The user's palette, else the scene's, else the first.
    pub(super) fn choose_palette(&mut self) {
        let scene = self.world.definition().appearance.as_deref();
        let named = |name: &str| self.options.look.palettes.iter().find(|palette| palette.name() == name).cloned();
        let own = || scene.and_then(named);
        self.look.palette = self.options.look.palette.clone().or_else(own).unwrap_or_default();
        self.recolor = None;
    }

    pub(super) fn learn(&mut self, terminal: Terminal) {
        self.terminal = terminal;
        self.look.glyphs = self.options.look.glyphs.unwrap_or(terminal.glyphs);
        self.look.depth = terminal.depth;
        let told = terminal.background.map_or(Rgb::BLACK, |[r, g, b]| Rgb(r, g, b));
        self.look.background = self.options.look.background.on(told);
        self.help = help::columns(&self.options.keymap, terminal.key_release);
    }

    pub(super) fn resize(&mut self, window: Window) {
        if window == self.window {
            return;
        }
        // What is cast for the window is cast anew for another one.
        let fresh = self.world.steps() == 0 || self.act.as_ref().is_some_and(Act::follows_window);
        self.window = window;
        let aspect = self.window_aspect();
        if fresh {
            // The first size we hear of: no need to begin in another shape and be squeezed into it.
            self.world = self.options.build_world(&self.world.definition().clone(), self.act.as_mut(), window);
        }
        self.world.reshape(aspect);
        if let Some(cells) = self.options.world_options(window).cells {
            self.world.set_cells(cells);
        }
    }

    pub(super) fn window_aspect(&self) -> f32 {
        self.options.world_options(self.window).aspect
    }

    pub(super) fn set_focus(&mut self, focused: bool) {
        self.focused = focused;
        // Whatever is let go while we have no focus, nobody tells us.
        self.tilt.let_go_all();
        self.hand.drop_all();
    }

    pub(super) fn back(&mut self) {
        if self.overlay.help {
            self.overlay.toggle_help();
        } else if self.panel.open {
            self.panel.toggle();
        } else if self.hand_shown {
            self.show_hand(false);
        } else {
            self.quit();
        }
    }
}

fn after<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|item| *item == current).unwrap_or(0);
    all[(at + 1) % all.len()]
}
