//! How a world is to be shown: glyphs, palette, what colours stand for, and what lies behind.

use crate::cell::color::{ColorDepth, Rgb, from_oklab};
use crate::cell::glyph_mode::GlyphMode;
use crate::sim::World;
use crate::sim::liquid::particle_liquid::Force;
use crate::view::light_mode::LightMode;
use crate::view::palette::Palette;
use std::str::FromStr;

/// What the matter's colour stands for, from the palette's deep end to its light one.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorBy {
    /// From the densest to the thinnest.
    #[default]
    Density,
    /// From the slowest to the fastest.
    Speed,
    /// From the highest to the lowest.
    Pressure,
    /// As density, with all dyes in the palette's colours instead of their own.
    Amount,
    /// From the weakest to the strongest: one of the forces between particles, in liquids that record them.
    Force(Force),
    /// The inside, and the particles of the surface.
    Surface,
    /// From the coldest to the hottest that the scene speaks of.
    Temperature,
}

impl ColorBy {
    /// All quantities, in the order in which they are listed and chosen one after the other.
    pub const ALL: [ColorBy; 9] = [
        Self::Density,
        Self::Speed,
        Self::Pressure,
        Self::Amount,
        Self::Force(Force::Pressure),
        Self::Force(Force::Viscosity),
        Self::Force(Force::Tension),
        Self::Surface,
        Self::Temperature,
    ];

    /// The name by which it is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::Speed => "speed",
            Self::Pressure => "pressure",
            Self::Amount => "amount",
            Self::Force(Force::Pressure) => "pressure-force",
            Self::Force(Force::Viscosity) => "viscosity-force",
            Self::Force(Force::Tension) => "tension-force",
            Self::Surface => "surface",
            Self::Temperature => "temperature",
        }
    }

    /// Whether anything in the tank has this quantity.
    pub fn is_in(self, world: &World) -> bool {
        match self {
            Self::Density | Self::Speed | Self::Pressure => true,
            // Of dye; cloth has its own plain colour for it. In a liquid it would be density by another name.
            Self::Amount => world.smoke().is_some() || world.cloth().is_some(),
            Self::Force(_) => world
                .matter()
                .iter()
                .any(|matter| matter.particle_liquid().is_some_and(|liquid| liquid.has_force_breakdown())),
            Self::Surface => world.particle_liquid().is_some(),
            Self::Temperature => world.matter().iter().any(|matter| matter.has_temperature()),
        }
    }

    /// What the colour stands for in this tank: density where nothing has the quantity.
    pub fn within(self, world: &World) -> Self {
        if self.is_in(world) { self } else { Self::default() }
    }
}

impl FromStr for ColorBy {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|color_by| color_by.name() == name).ok_or_else(|| {
            format!("no quantity `{name}` to colour by: choose {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// What of a cloth is drawn.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClothStyle {
    /// Its surface, shaded.
    #[default]
    Surface,
    /// Its threads.
    Wire,
    /// Threads on the surface.
    Both,
}

impl ClothStyle {
    /// All styles, in the order in which they are chosen one after the other.
    pub const ALL: [ClothStyle; 3] = [Self::Surface, Self::Wire, Self::Both];

    /// The name by which it is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Surface => "surface",
            Self::Wire => "wire",
            Self::Both => "both",
        }
    }
}

/// What lies behind the matter.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// The palette's where it has one, else the terminal's own, taken to be of this colour.
    Palette(Rgb),
    /// The terminal's own. It is never painted; the colour is what it is taken to have where edges are mixed.
    Terminal(Rgb),
    /// This colour, painted.
    Painted(Rgb),
}

impl Default for Background {
    fn default() -> Self {
        Self::Palette(Rgb::BLACK)
    }
}

impl Background {
    /// The colour, and whether it is painted.
    pub fn resolve(self, palette: &Palette) -> (Rgb, bool) {
        match self {
            Self::Palette(terminal) => palette.background.map_or((terminal, false), |rgb| (rgb, true)),
            Self::Terminal(rgb) => (rgb, false),
            Self::Painted(rgb) => (rgb, true),
        }
    }
}

/// How a world is to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderStyle {
    /// Which glyphs the picture is made of.
    pub glyphs: GlyphMode,
    /// The colours of liquid, foam and walls.
    pub palette: Palette,
    /// What these colours stand for.
    pub color_by: ColorBy,
    /// What of a cloth is drawn.
    pub cloth_style: ClothStyle,
    /// How it answers light.
    pub light: LightMode,
    /// How many colours the terminal shows.
    pub depth: ColorDepth,
    /// What lies behind.
    pub background: Background,
}

impl RenderStyle {
    /// The background of a row of cells of `rows`, and whether it is painted. A gradient needs colours that lie close together.
    pub(super) fn background_of_row(&self, row: usize, rows: usize) -> (Rgb, bool) {
        match (self.background, self.palette.background, self.palette.background_low) {
            (Background::Palette(_), Some(top), Some(low)) if self.depth == ColorDepth::TrueColor && rows > 1 => {
                let (top, low, down) = (top.oklab(), low.oklab(), row as f32 / (rows - 1) as f32);
                (Rgb::from_linear(from_oklab([0, 1, 2].map(|axis| top[axis] + (low[axis] - top[axis]) * down))), true)
            }
            _ => self.background.resolve(&self.palette),
        }
    }

    /// A quantity is read from colours, so nothing is reflected before them.
    fn light_of_quantity(&self) -> LightMode {
        if matches!(self.color_by, ColorBy::Density | ColorBy::Amount) { self.light } else { LightMode::FLAT }
    }

    /// The same with colours that can be told from the background.
    pub(super) fn legible(&self) -> Self {
        let palette = self.palette.on(self.background.resolve(&self.palette).0);
        Self { palette, light: self.light_of_quantity(), ..self.clone() }
    }
}
