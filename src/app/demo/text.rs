//! Words that hold, melt and flow back, for ever: letters of a text, or a page of a terminal.

use crate::app::demo::glyph_outlines::Font;
use crate::app::demo::screen_capture::ScreenCapture;
use crate::app::demo::{glyph_outlines, set_targets, soft_scene};
use crate::cell::color::TerminalColors;
use crate::scene::Scene;
use crate::sim::boundary::Shape;
use crate::sim::definition::{TankDef, WorldDef};
use crate::sim::{ASPECTS, World, WorldOptions};
use crate::term::sanitize::is_hidden;
use crate::view::Decor;
use glam::Vec2;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

const PARTICLES: usize = 3200;

/// Lower left and upper right corner of the letters, in sizes of the tank.
const TEXT_AREA: [Vec2; 2] = [Vec2::new(0.04, 0.12), Vec2::new(0.96, 0.92)];

/// Letters smaller than this are not legible, metres for each pixel of the font.
const MIN_PITCH: f32 = 0.005;

/// Upper limit on letters that are laid out: several times as many as are legible.
const MAX_LETTERS: usize = 500;

const HOLD_LETTERS: u32 = 150;
const HOLD_PAGE: u32 = 90;

/// Steps over which a melt spreads: by height, by position across, and at random.
const SPREAD: [f32; 3] = [50.0, 40.0, 30.0];

/// Number of steps from the beginning of a melt to the return by itself.
const MOLTEN: u32 = 300;

/// Upper limit on the duration of a return, in steps. Particles that are stuck at that time are moved to their targets.
const MAX_GATHER_STEPS: u32 = 150;

/// A particle within this distance of its target, in spacings, has arrived.
const ARRIVED: f32 = 0.6;

#[derive(Clone, Debug)]
enum TextSource {
    Letters(String),
    ScreenCapture(ScreenCapture),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// In shape, for this number of steps, or until the user melts it.
    Held(Option<u32>),
    Melting(u32),
    Gathering {
        steps: u32,
        /// Whether the end waits for it.
        leaving: bool,
    },
    Left,
}

#[derive(Clone, Debug)]
pub struct TextDemo {
    source: TextSource,
    /// Whether it returns and melts again by itself, for ever.
    loops: bool,
    phase: Phase,
    spacing: f32,
    /// By particle: its target, and the step of a melt at which it is released.
    targets: Vec<Vec2>,
    delays: Vec<u32>,
    pub decor: Arc<Decor>,
}

impl TextDemo {
    pub fn from_text(text: &str) -> Result<Self, String> {
        let text = plain(text);
        if text.trim().is_empty() {
            return Err("nothing to write: give words, as in slosh text \"HELLO\"".to_owned());
        }
        let count = text.chars().filter(|character| !character.is_whitespace()).count();
        let too_long = || format!("{count} letters are too many to be legible: about 100 fit, in words of up to 18");
        // The time for layout grows faster than the text.
        if count > MAX_LETTERS || text.chars().count() > 4 * MAX_LETTERS {
            return Err(too_long());
        }
        let missing = |&character: &char| !character.is_whitespace() && glyph_outlines::is_missing(character);
        if let Some(missing) = text.chars().find(missing) {
            return Err(format!("no letter for {missing:?}: words are written in Latin letters, digits and signs"));
        }
        let words = Self::new(TextSource::Letters(text.clone()), true);
        let usual = World::new(&words.scene().world, &WorldOptions::default()).size();
        let letters = place(&text, usual);
        if letters.first().is_none_or(|letter| letter.pitch < MIN_PITCH) { Err(too_long()) } else { Ok(words) }
    }

    pub fn from_capture(page: ScreenCapture, loops: bool) -> Self {
        Self::new(TextSource::ScreenCapture(page), loops)
    }

    fn new(source: TextSource, loops: bool) -> Self {
        Self {
            source,
            loops,
            phase: Phase::Held(None),
            spacing: 0.01,
            targets: Vec::new(),
            delays: Vec::new(),
            decor: Arc::default(),
        }
    }

    pub fn is_page(&self) -> bool {
        matches!(self.source, TextSource::ScreenCapture(_))
    }

    pub fn set_terminal_colors(&mut self, colors: &TerminalColors) {
        if let Some(page) = self.page_mut() {
            page.set_terminal_colors(colors);
            self.color_particles();
        }
    }

    fn color_particles(&mut self) {
        let particle_colors = self.page_mut().map_or_else(Vec::new, |page| page.particle_colors());
        self.decor = Arc::new(Decor { particle_colors, ..Decor::default() });
    }

    pub fn page_mut(&mut self) -> Option<&mut ScreenCapture> {
        if let TextSource::ScreenCapture(page) = &mut self.source { Some(page) } else { None }
    }

    pub fn scene(&self) -> Scene {
        let (name, about, aspect) = match &self.source {
            TextSource::Letters(_) => ("text", "words made of liquid", None),
            TextSource::ScreenCapture(page) => ("melt", "what was on the screen", Some(page.aspect())),
        };
        let aspect = aspect.map(|it| it.clamp(*ASPECTS.start(), *ASPECTS.end()));
        soft_scene(name, about, TankDef { aspect, ..TankDef::default() })
    }

    pub fn set(&mut self, definition: &WorldDef, setup: &WorldOptions) -> World {
        let mut world = World::new(definition, setup);
        (self.targets, self.spacing) = match &self.source {
            TextSource::Letters(text) => fill(text, world.size()),
            TextSource::ScreenCapture(page) => page.fill(world.size()),
        };
        self.phase = Phase::Held(Some(self.hold()));
        world.spawn_at(self.spacing, &self.targets, setup.instructions);
        self.color_particles();
        self.gather(&mut world);
        self.draw_delays(world.size(), setup.seed);
        world
    }

    /// The release of each particle: the lowest first, in waves across, with a random part.
    fn draw_delays(&mut self, size: Vec2, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let [phase, tempo] = [rng.f32() * 6.3, 3.0 + 3.0 * rng.f32()];
        self.delays.clear();
        self.delays.extend(self.targets.iter().map(|&home| {
            let fraction = home / size;
            let wave = 0.5 + 0.25 * ((fraction.x * 6.3 * tempo + phase).sin() + (fraction.x * 14.0 - phase).sin());
            (SPREAD[0] * fraction.y + SPREAD[1] * wave + SPREAD[2] * rng.f32()) as u32
        }));
    }

    fn hold(&self) -> u32 {
        if self.is_page() { HOLD_PAGE } else { HOLD_LETTERS }
    }

    pub fn before_step(&mut self, world: &mut World) {
        self.phase = match self.phase {
            Phase::Held(Some(0)) => Phase::Melting(0),
            Phase::Held(Some(left)) => Phase::Held(Some(left - 1)),
            Phase::Melting(MOLTEN..) if self.loops => {
                self.gather(world);
                Phase::Gathering { steps: 0, leaving: false }
            }
            Phase::Melting(step) => {
                self.release(world, step);
                Phase::Melting(step.saturating_add(1))
            }
            Phase::Gathering { steps, leaving } if steps < MAX_GATHER_STEPS && !self.is_whole(world) => {
                Phase::Gathering { steps: steps + 1, leaving }
            }
            Phase::Gathering { leaving, .. } => {
                world.settle_at_targets();
                if leaving { Phase::Left } else { Phase::Held(self.loops.then(|| self.hold())) }
            }
            held @ (Phase::Held(None) | Phase::Left) => held,
        };
    }

    fn release(&self, world: &mut World, step: u32) {
        if !self.delays.contains(&step) {
            return;
        }
        let due = self.delays.iter().enumerate().filter(|&(_, &delay)| delay == step);
        set_targets(world, due.map(|(id, _)| (id, None)));
    }

    fn gather(&self, world: &mut World) {
        set_targets(world, self.targets.iter().map(|&target| Some(target)).enumerate());
    }

    pub fn toggle(&mut self, world: &mut World) -> &'static str {
        if let Phase::Melting(_) = self.phase {
            self.gather(world);
            self.phase = Phase::Gathering { steps: 0, leaving: false };
            "flowing back"
        } else {
            self.phase = Phase::Melting(0);
            "melting"
        }
    }

    /// Lets molten words flow back before the end, and returns whether the end waits for that.
    pub fn leave(&mut self, world: &mut World) -> bool {
        let molten = !self.is_whole(world);
        if molten && !self.is_leaving() {
            self.gather(world);
            self.phase = Phase::Gathering { steps: 0, leaving: true };
            return true;
        }
        false
    }

    pub fn is_molten(&self) -> bool {
        matches!(self.phase, Phase::Melting(_))
    }

    pub fn is_leaving(&self) -> bool {
        matches!(self.phase, Phase::Gathering { leaving: true, .. } | Phase::Left)
    }

    pub fn has_left(&self) -> bool {
        self.phase == Phase::Left
    }

    /// Whether nearly all particles have arrived; a few may be stuck or drained.
    fn is_whole(&self, world: &World) -> bool {
        let Some(liquid) = world.liquid() else { return true };
        let p = liquid.particles();
        let near = (ARRIVED * self.spacing).powi(2);
        let arrived = p.alive().filter(|&slot| {
            let home = self.targets.get(p.id[slot] as usize);
            home.is_some_and(|home| home.distance_squared(p.position(slot)) <= near)
        });
        (self.targets.len() - arrived.count()) * 1000 <= self.targets.len()
    }

    pub fn is_waiting(&self) -> bool {
        match self.phase {
            Phase::Held(left) => left.is_some(),
            Phase::Melting(step) => self.loops || step as f32 <= SPREAD.iter().sum(),
            Phase::Gathering { .. } => true,
            Phase::Left => false,
        }
    }
}

/// The text in characters of the font, without controls. Accents are composed; signs that the font lacks get a plain form.
fn plain(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string().replace('\t', " ");
    let mut plain = String::new();
    for character in text.nfc().filter(|&character| character == '\n' || !is_hidden(character)) {
        if character.is_whitespace() || !glyph_outlines::is_missing(character) {
            plain.push(character);
        } else {
            match plain_form(character) {
                Some(form) => plain += form,
                None => plain.extend(character.nfkc()),
            }
        }
    }
    plain.trim_matches('\n').to_owned()
}

fn plain_form(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' => "-",
        '\u{2018}'..='\u{201b}' | '\u{2032}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{2033}' => "\"",
        '\u{2039}' => "<",
        '\u{203a}' => ">",
        '\u{2022}' => "\u{b7}",
        '\u{20ac}' => "EUR",
        'Œ' => "OE",
        'œ' => "oe",
        'ẞ' => "SS",
        _ => return None,
    })
}

fn place(text: &str, size: Vec2) -> Vec<glyph_outlines::Letter> {
    let area = TEXT_AREA.map(|corner| corner * size);
    glyph_outlines::place(&glyph_outlines::wrap(text, area[1] - area[0]), area)
}

fn fill(text: &str, size: Vec2) -> (Vec<Vec2>, f32) {
    let mut font = Font::default();
    let shapes: Vec<Shape> = place(text, size).iter().filter_map(|letter| font.shape(letter)).collect();
    let spacing = glyph_outlines::spacing(&shapes, PARTICLES);
    (shapes.iter().flat_map(|shape| glyph_outlines::sites(shape, spacing)).collect(), spacing)
}
