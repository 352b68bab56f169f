//! How a world is to be shown: glyphs, palette, what colours stand for, and what lies behind.

use crate::cell::color::{ColorDepth, Rgb};
use crate::cell::glyph_mode::GlyphMode;
use crate::sim::World;
use crate::sim::liquid::particle_liquid::Grains;
use crate::sim::liquid::sph::Force;
use crate::view::palette::Palette;
use std::str::FromStr;

/// What the liquid's colour stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Drive {
    /// From the densest to the thinnest.
    #[default]
    Density,
    /// From the slowest to the fastest.
    Speed,
    /// From the highest to the lowest.
    Pressure,
    /// As density, with all dyes in the palette's colours instead of their own.
    Amount,
    /// From where it is least to where it is greatest: one of the forces between particles, where they are told apart.
    Force(Force),
    /// The inside, and the particles of the surface.
    Surface,
}

impl Drive {
    pub const ALL: [Drive; 8] = [
        Self::Density,
        Self::Speed,
        Self::Pressure,
        Self::Amount,
        Self::Force(Force::Pressure),
        Self::Force(Force::Viscosity),
        Self::Force(Force::Tension),
        Self::Surface,
    ];

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
        }
    }

    /// Whether anything in the tank has what the colour is to stand for.
    pub fn is_in(self, world: &World) -> bool {
        match self {
            Self::Density | Self::Speed | Self::Pressure => true,
            // Of dye; cloth has its own plain colour for it. In a liquid it would be density by another name.
            Self::Amount => world.smoke().is_some() || world.cloth().is_some(),
            Self::Force(_) => world.matter().iter().any(|matter| matter.grains().is_some_and(Grains::tells_forces)),
            Self::Surface => world.grains().is_some(),
        }
    }

    /// What the colour stands for in this tank: density where it has nothing else of the sort.
    pub fn within(self, world: &World) -> Self {
        if self.is_in(world) { self } else { Self::default() }
    }
}

impl FromStr for Drive {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|drive| drive.name() == name)
            .ok_or_else(|| format!("no drive `{name}`: choose {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// What of a cloth is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Weave {
    /// Its surface, shaded.
    #[default]
    Surface,
    /// Its threads.
    Wire,
    Both,
}

impl Weave {
    pub const ALL: [Weave; 3] = [Self::Surface, Self::Wire, Self::Both];

    pub fn name(self) -> &'static str {
        match self {
            Self::Surface => "surface",
            Self::Wire => "wire",
            Self::Both => "both",
        }
    }
}

/// What lies behind the liquid.
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
pub struct Look {
    pub glyphs: GlyphMode,
    pub palette: Palette,
    pub drive: Drive,
    pub weave: Weave,
    pub depth: ColorDepth,
    pub background: Background,
}

impl Look {
    /// The same with colours that can be told from the ground.
    pub(super) fn legible(&self) -> Self {
        let palette = self.palette.on(self.background.resolve(&self.palette).0);
        Self { palette, ..self.clone() }
    }
}
