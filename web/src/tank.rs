//! The tank on the page: a world, its pointers, and its painter.

use crate::pixels::{self, Canvas};
use glam::Vec2;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use slosh::data::Setting;
use slosh::scene::parameters::{self, Parameter};
use slosh::scene::share_code::ShareCode;
use slosh::scene::{self, Scene};
use slosh::sim::clock::{Clock, STEP};
use slosh::sim::world::pointer::{Pointer, PointerMode};
use slosh::sim::{World, WorldOptions};
use slosh::view::image::Image;
use slosh::view::reference_image::paint_reference;
use slosh::view::{Background, Camera, ColorBy, GlyphMode, Painter, Palette, RenderStyle, Rgb, palette};
use std::fmt::Write;
use std::time::Duration;

/// Height of a cell in widths.
const CELL_RATIO: f32 = 2.0;

/// Fractions of a pixel in which cells are measured. Whole pixels would leave a margin beside the tank.
const FINE: f32 = 128.0;

/// Limits of the particle count in [`Tank::refine`].
const PARTICLES: (f32, f32) = (500.0, 12_000.0);

/// Cells of the smooth picture at the start, and their limits; each is 128 pixels of it.
const SMOOTH_CELLS: f32 = 900.0;
const SMOOTH_LIMITS: (f32, f32) = (300.0, 3600.0);

/// The shown scene and its state.
pub struct Tank {
    scene: Scene,
    seed: u64,
    /// The overrides from a share code.
    set: Vec<String>,
    /// The selected palette; `None` for each scene's own.
    palette: Option<Palette>,
    world: World,
    clock: Clock,
    /// The pointers that are down, with their ids.
    hands: Vec<(i32, Pointer)>,
    /// Parameters in the panel, the main ones first.
    panel: Vec<Parameter>,
    style: RenderStyle,
    /// The colour of the page.
    page: Rgb,
    /// Whether the ideal picture is drawn instead of cells.
    smooth: bool,
    smooth_cells: f32,
    /// Particle count over the scene's own: of this tank, and of the next one.
    fineness: f32,
    next_fineness: f32,
    painter: Painter,
    cells: Buffer,
    canvas: Canvas,
    image: Vec<u8>,
    image_size: (usize, usize),
}

impl Default for Tank {
    fn default() -> Self {
        let scene = parse(scene::EMBEDDED[0].0, &[]).expect("the embedded scenes are sound");
        let world = World::new(&scene.world, &WorldOptions::default());
        let style = RenderStyle { glyphs: GlyphMode::Wedge, ..RenderStyle::default() };
        let mut tank = Self {
            world,
            scene,
            style,
            page: Rgb::BLACK,
            seed: 0,
            set: Vec::new(),
            palette: None,
            clock: Clock::default(),
            hands: Vec::new(),
            panel: Vec::new(),
            smooth: false,
            smooth_cells: SMOOTH_CELLS,
            fineness: 1.0,
            next_fineness: 1.0,
            painter: Painter::default(),
            cells: Buffer::default(),
            canvas: Canvas::default(),
            image: Vec::new(),
            image_size: (0, 0),
        };
        tank.resize(640, 384, 8.0);
        tank
    }
}

fn parse(name: &str, set: &[String]) -> Result<Scene, String> {
    let text = scene::find(name).ok_or_else(|| format!("unknown scene {name:?}"))?;
    let settings: Result<Vec<Setting>, _> = set.iter().map(|text| Setting::parse(text, "--set")).collect();
    let scene = settings.and_then(|settings| Scene::parse_with(text, &format!("{name}.toml"), &settings, &[]));
    scene.map_err(|error| error.to_string())
}

/// Scenes by group, palettes with five of their colours, and quantities, as JSON.
pub fn choices() -> String {
    let mut json = "{\"groups\":[".to_owned();
    for (number, group) in scene::GROUPS.iter().enumerate() {
        let names: Vec<&str> = group.scenes.iter().map(|scene| scene.0).collect();
        let comma = if number > 0 { "," } else { "" };
        // Debug's form of these plain texts is valid JSON.
        _ = write!(json, "{comma}{{\"name\":{:?},\"scenes\":{names:?}}}", group.name);
    }
    json += "],\"palettes\":[";
    for (number, palette) in palette::embedded().iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let colors = [0.0, 0.25, 0.5, 0.75, 1.0].map(|at| hex(Rgb::from_linear(palette.at(at))));
        _ = write!(
            json,
            "{comma}{{\"name\":{:?},\"about\":{:?},\"colors\":{colors:?}}}",
            palette.name(),
            palette.about()
        );
    }
    _ = write!(json, "],\"colorBy\":{:?}}}", ColorBy::ALL.map(ColorBy::name));
    json
}

fn hex(Rgb(r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

impl Tank {
    pub fn resize(&mut self, width: usize, height: usize, cell_width: f32) {
        let (width, height) = (width.clamp(8, 8192), height.clamp(16, 8192));
        let count = |pixels: usize, cell: f32| ((pixels as f32 / cell).round() as u16).max(1);
        let cell_width = cell_width.max(4.0);
        let (columns, rows) = (count(width, cell_width), count(height, CELL_RATIO * cell_width));
        self.canvas.resize(width, height, columns, rows);
        self.cells = Buffer::empty(Rect::new(0, 0, columns, rows));
        self.fit();
    }

    /// Gives the tank the window's shape: at once before the first step, and by moving walls afterwards.
    fn fit(&mut self) {
        let aspect = self.canvas.aspect();
        if self.world.steps() == 0 {
            self.build();
        } else {
            self.world.set_aspect(aspect);
        }
    }

    fn build(&mut self) {
        self.fineness = self.next_fineness;
        let particles = (self.fineness != 1.0).then_some((self.scene.world.particles as f32 * self.fineness) as usize);
        let options =
            WorldOptions { particles, seed: self.seed, aspect: self.canvas.aspect(), ..WorldOptions::default() };
        self.world = World::new(&self.scene.world, &options);
        self.hands.clear();
        self.clock.drop_backlog();
        self.read_panel();
        self.choose_palette();
    }

    pub fn open_scene(&mut self, name: &str, seed: u64) -> Result<(), String> {
        self.show(parse(name, &[])?, seed, Vec::new());
        Ok(())
    }

    pub fn open_code(&mut self, code: &str) -> Result<(), String> {
        let code = ShareCode::parse(code)?;
        let scene = parse(&code.scene, &code.set)?;
        let palette = palette::find(&code.palette).ok_or_else(|| format!("unknown palette {:?}", code.palette))?;
        let color_by = code.color_by.parse()?;
        self.palette = Some(palette.clone());
        self.style.color_by = color_by;
        self.show(scene, code.seed, code.set);
        Ok(())
    }

    fn show(&mut self, scene: Scene, seed: u64, set: Vec<String>) {
        (self.scene, self.seed, self.set) = (scene, seed, set);
        self.build();
    }

    pub fn restart(&mut self) {
        self.scene.world = self.world.definition().clone();
        self.build();
    }

    /// Empty for a tank with drawn walls, which a code cannot describe.
    pub fn share_code(&self) -> String {
        if self.world.drawn_walls() > 0 {
            return String::new();
        }
        let original = parse(&self.scene.name, &self.set).map(|scene| scene.world).unwrap_or_default();
        let now = self.world.definition();
        let all = parameters::all(now);
        let changed = all.iter().filter(|parameter| parameter.value(&original) != parameter.value(now));
        let mut set: Vec<String> = self.set.iter().cloned().chain(changed.map(|it| it.setting(now))).collect();
        set.dedup();
        let code = ShareCode {
            scene: self.scene.name.clone(),
            seed: self.seed,
            palette: self.style.palette.name().to_owned(),
            color_by: self.style.color_by.name().to_owned(),
            set,
        };
        code.code().unwrap_or_default()
    }

    pub fn describe(&self) -> String {
        let centre = self.world.stats().centre_of_mass.as_vec2() / self.world.size();
        let mut json = format!(
            "{{\"scene\":{:?},\"about\":{:?},\"palette\":{:?},\"ground\":{:?},\"seed\":\"{}\",\"particles\":{},\"centre\":[{},{}],\"panel\":[",
            self.scene.name,
            self.scene.about,
            self.style.palette.name(),
            hex(self.style.background.resolve(&self.style.palette).0),
            self.seed,
            self.world.particles(),
            centre.x,
            centre.y,
        );
        for (number, parameter) in self.panel.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let (low, high) = (parameter.range.start(), parameter.range.end());
            let value = parameter.value(self.world.definition());
            let (label, about) = (&parameter.label, parameter.about);
            _ = write!(
                json,
                "{comma}{{\"label\":{label:?},\"about\":{about:?},\"low\":{low},\"high\":{high},\"value\":{value}}}"
            );
        }
        json + "]}"
    }

    fn read_panel(&mut self) {
        self.panel = parameters::active(self.world.definition(), "");
        let main = parameters::main_first(&mut self.panel);
        self.panel.truncate(main);
    }

    pub fn set_parameter(&mut self, number: usize, value: f32) {
        if let Some(parameter) = self.panel.get(number) {
            parameters::set(&mut self.world, parameter, value);
        }
    }

    fn choose_palette(&mut self) {
        let own = self.scene.world.fluid_label.as_deref().and_then(palette::find);
        self.style.palette = self.palette.as_ref().or(own).cloned().unwrap_or_default();
        self.choose_background();
    }

    /// The palette's, or the page's, which is never painted.
    fn choose_background(&mut self) {
        let has_own = self.style.palette.background.is_some();
        self.style.background = if has_own { Background::Palette(None) } else { Background::Terminal(self.page) };
    }

    pub fn set_palette(&mut self, name: &str) -> Result<(), String> {
        self.palette = match name {
            "" => None,
            name => Some(palette::find(name).ok_or_else(|| format!("unknown palette {name:?}"))?.clone()),
        };
        self.choose_palette();
        Ok(())
    }

    pub fn set_glyphs(&mut self, name: &str) -> Result<(), String> {
        self.smooth = name == "smooth";
        if !self.smooth {
            self.style.glyphs = name.parse()?;
        }
        self.canvas.forget();
        Ok(())
    }

    pub fn set_color_by(&mut self, name: &str) -> Result<(), String> {
        self.style.color_by = name.parse()?;
        Ok(())
    }

    pub fn set_background(&mut self, red: u8, green: u8, blue: u8) {
        self.page = Rgb(red, green, blue);
        self.choose_background();
    }

    pub fn pointer(&mut self, id: i32, what: u32, tool: usize, x: f32, y: f32) {
        let camera = self.camera(self.cells.area);
        let cell = Vec2::new(x, y) / self.canvas.cell();
        let at = camera.to_world(cell);
        if !at.is_finite() {
            return;
        }
        let found = self.hands.iter().position(|hand| hand.0 == id);
        match (what, found) {
            (0, _) => {
                let hand = found.unwrap_or_else(|| {
                    self.hands.push((id, Pointer::new(at)));
                    self.hands.len() - 1
                });
                let mode = PointerMode::ALL[tool.min(PointerMode::ALL.len() - 1)];
                self.hands[hand].1.close(&mut self.world, mode, at);
            }
            // Less than half a cell is not a movement.
            (1, Some(hand)) => self.hands[hand].1.go_to(&mut self.world, at, 0.5 / camera.scale.x),
            (2, Some(hand)) => self.hands[hand].1.open(),
            (_, Some(hand)) => self.hands[hand].1.drop_all(),
            _ => {}
        }
    }

    pub fn tilt(&mut self, angle: f32) {
        self.world.tilt_to(angle);
    }

    pub fn shake(&mut self, x: f32, y: f32) {
        self.world.shake(Vec2::new(x, y));
    }

    pub fn pour(&mut self, share: f32) {
        let count = (share.abs() * self.scene.world.particles as f32) as usize;
        if share > 0.0 {
            self.world.pour(count);
        } else {
            self.world.drain(count);
        }
    }

    /// Multiplies the present particle count by this factor from the next scene on; before the first step, also in this one.
    pub fn refine(&mut self, factor: f32) {
        let count = self.world.particles() as f32;
        if count > 0.0 && factor > 0.0 {
            let target = (count * factor).clamp(PARTICLES.0, PARTICLES.1);
            self.next_fineness = self.fineness * target / count;
        }
        if self.world.steps() == 0 {
            self.build();
        }
    }

    pub fn sharpen(&mut self, factor: f32) {
        self.smooth_cells = (self.smooth_cells * factor).clamp(SMOOTH_LIMITS.0, SMOOTH_LIMITS.1);
    }

    pub fn pause(&mut self) {
        self.clock.toggle_pause();
    }

    pub fn advance(&mut self, milliseconds: f64) -> u32 {
        let due = self.clock.advance(Duration::from_secs_f64(milliseconds.max(0.0) / 1000.0));
        let mut made = 0;
        for _ in 0..due {
            for (_, hand) in &mut self.hands {
                hand.act(&mut self.world, STEP / self.clock.speed());
            }
            self.world.step();
            made += u32::from(!self.world.is_asleep());
        }
        made
    }

    fn camera(&self, area: Rect) -> Camera {
        Camera::new(area, self.cell_pixels(area), self.world.size())
    }

    /// Width and height of a cell, in fractions of a pixel.
    fn cell_pixels(&self, area: Rect) -> (u16, u16) {
        let cell = FINE * self.canvas.size() / Vec2::new(area.width.into(), area.height.into());
        (cell.x.round() as u16, cell.y.round() as u16)
    }

    pub fn draw(&mut self) -> &[u8] {
        if self.smooth {
            self.draw_smooth();
            return &self.image;
        }
        let area = self.cells.area;
        self.cells.reset();
        self.painter.paint(&self.world, &self.style, self.cell_pixels(area), area, &mut self.cells);
        let (ground, _) = self.style.background.resolve(&self.style.palette);
        self.canvas.draw(&self.cells, ground)
    }

    /// Draws the ideal picture at 8×16 pixels per cell, with as many cells as this machine can draw.
    fn draw_smooth(&mut self) {
        let (size, cells) = (self.canvas.size(), self.cells.area);
        let scale = (self.smooth_cells / f32::from(cells.width) / f32::from(cells.height)).sqrt().min(1.0);
        let count = |cells: u16| ((f32::from(cells) * scale).round() as u16).max(1);
        let area = Rect::new(0, 0, count(cells.width), count(cells.height));
        let cell = FINE * size / Vec2::new(area.width.into(), area.height.into());
        let Image { width, height, rgb } =
            paint_reference(&self.world, None, &self.style, (cell.x.round() as u16, cell.y.round() as u16), area);
        self.image_size = (width, height);
        self.image.clear();
        self.image.extend(rgb.chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]));
    }

    pub fn frame_size(&self) -> u32 {
        let (width, height) = if self.smooth { self.image_size } else { self.canvas.pixels() };
        (width as u32) << 16 | height as u32
    }

    pub fn cells(&self) -> String {
        let mut text = String::new();
        for cell in &self.cells.content {
            let glyph = cell.symbol().chars().next().unwrap_or(' ');
            let [fg, bg] = [cell.fg, cell.bg].map(pixels::rgb);
            let name = |color: Option<Rgb>| color.map_or_else(|| "-".to_owned(), hex);
            _ = writeln!(text, "{:x} {} {}", u32::from(glyph), name(fg), name(bg));
        }
        text
    }
}
