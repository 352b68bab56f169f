//! The style of a picture: glyphs, palette, the quantity that colours represent, and the background.

use crate::cell::color::{ColorDepth, Rgb, from_oklab, mix, xterm_rgb};
use crate::cell::glyph_mode::GlyphMode;
use crate::sim::World;
use crate::sim::liquid::pressure::Force;
use crate::view::light_mode::LightMode;
use crate::view::palette::{self, Palette};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::Arc;

/// The quantity that the matter's colour represents, from the palette's deep end to its light one.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// From the lowest to the highest temperature in the scene's description.
    Temperature,
}

impl ColorBy {
    /// All quantities, in the order of lists and of the key that switches between them.
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
            // The amount is that of dye; cloth has a plain colour for it. In a liquid it would equal density.
            Self::Amount => world.smoke().is_some() || world.cloth().is_some(),
            Self::Force(_) => world.liquid().is_some_and(|liquid| liquid.material().is_some()),
            Self::Surface => world.liquid().is_some(),
            Self::Temperature => world.has_temperature(),
        }
    }

    /// Returns the quantity for this tank: density if nothing in the tank has this one.
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

named! {
    /// What a liquid is drawn as.
    #[non_exhaustive]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum LiquidStyle {
        /// One body with a surface.
        #[default]
        Surface => "surface",
        /// A dot for each particle.
        Particles => "particles",
        /// Its body, and on all matter that flows arrows for the velocity, or for the force that colours represent.
        Arrows => "arrows",
    }
}

named! {
    /// The parts of a cloth that are drawn.
    #[non_exhaustive]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ClothStyle {
        /// Its surface, shaded.
        #[default]
        Surface => "surface",
        /// Its threads.
        Wire => "wire",
        /// Threads on the surface.
        Both => "both",
    }
}

/// The background behind the matter.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Background {
    /// The palette's, if it has one; otherwise the terminal's own, of this colour if it is known. Then a part of a cell at an edge
    /// is painted in it where no glyph leaves that part bare.
    Palette(Option<Rgb>),
    /// The palette's, if it has one; otherwise this colour, painted: for a terminal that does not tell its own.
    PaletteOr(Rgb),
    /// The terminal's own. It is never painted; edges are mixed with this colour.
    Terminal(Rgb),
    /// This colour, painted.
    Painted(Rgb),
}

impl Default for Background {
    fn default() -> Self {
        Self::Palette(None)
    }
}

impl Background {
    /// Returns the same background over that of a terminal with this colour, if it is known.
    #[must_use]
    pub fn over(self, terminal: Option<Rgb>) -> Self {
        match self {
            Self::Palette(_) => Self::Palette(terminal),
            Self::Terminal(_) => Self::Terminal(terminal.unwrap_or(Rgb::BLACK)),
            Self::PaletteOr(_) | Self::Painted(_) => self,
        }
    }

    /// Returns the colour, and whether it is painted.
    pub fn resolve(self, palette: &Palette) -> (Rgb, bool) {
        match self {
            Self::Palette(terminal) => {
                palette.background.map_or((terminal.unwrap_or(Rgb::BLACK), false), |rgb| (rgb, true))
            }
            Self::PaletteOr(rgb) => (palette.background.unwrap_or(rgb), true),
            Self::Terminal(rgb) => (rgb, false),
            Self::Painted(rgb) => (rgb, true),
        }
    }
}

/// The style of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderStyle {
    /// The glyphs that the picture consists of.
    pub glyphs: GlyphMode,
    /// The colours of liquid, foam and walls.
    pub palette: Palette,
    /// Palettes that the other fluids of a tank may name, besides those that slosh comes with.
    pub palettes: Arc<[Palette]>,
    /// The quantity that colours represent.
    pub color_by: ColorBy,
    /// What a liquid is drawn as.
    pub liquid_style: LiquidStyle,
    /// The parts of a cloth that are drawn.
    pub cloth_style: ClothStyle,
    /// The elements of light that are drawn.
    pub light: LightMode,
    /// The colour depth of the terminal.
    pub depth: ColorDepth,
    /// The background.
    pub background: Background,
}

impl RenderStyle {
    /// The palette of that name, for a fluid other than the first.
    pub(super) fn find_palette(&self, name: Option<&str>) -> Option<&Palette> {
        let name = name?;
        self.palettes.iter().chain(palette::embedded()).find(|palette| palette.name() == name)
    }

    /// The background of a row of cells, of `rows`, and whether it is painted. There is a gradient only in true colour.
    pub(super) fn background_of_row(&self, row: usize, rows: usize) -> (Rgb, bool) {
        match (self.background, self.palette.background, self.palette.background_low) {
            (Background::Palette(_) | Background::PaletteOr(_), Some(top), Some(low))
                if self.depth == ColorDepth::TrueColor && rows > 1 =>
            {
                let down = row as f32 / (rows - 1) as f32;
                (Rgb::from_linear(from_oklab(mix(top.oklab(), low.oklab(), down))), true)
            }
            _ => self.background.resolve(&self.palette),
        }
    }

    /// The colour of a background that is not painted, if it is known and if this depth has exactly that colour.
    pub(super) fn bare_color(&self) -> Option<Rgb> {
        let Background::Palette(Some(bare)) = self.background else { return None };
        let is_exact = match self.depth {
            ColorDepth::TrueColor => true,
            ColorDepth::Ansi256 => xterm_rgb(self.depth.nearest(bare), bare) == bare,
            ColorDepth::Ansi16 | ColorDepth::Mono => false,
        };
        (is_exact && self.palette.background.is_none()).then_some(bare)
    }

    /// Returns the same style, with colours that are distinct from the background.
    pub(super) fn legible(&self) -> Self {
        let ground = self.background.resolve(&self.palette).0;
        let palettes = if palette::is_very_light(ground) {
            let is_own = |embedded: &&Palette| self.palettes.iter().any(|own| own.name() == embedded.name());
            let others = palette::embedded().iter().filter(|embedded| !is_own(embedded));
            self.palettes.iter().chain(others).map(|palette| palette.on(ground)).collect()
        } else {
            Arc::clone(&self.palettes)
        };
        // Flat if colours represent a quantity, so that its values can be read.
        let lit = matches!(self.color_by, ColorBy::Density | ColorBy::Amount);
        Self {
            palette: self.palette.on(ground),
            palettes,
            light: if lit { self.light } else { LightMode::FLAT },
            ..self.clone()
        }
    }
}
