//! From samples of the field to colours: one pure function, used by every glyph mode and by the ideal picture.

use crate::cell::color::{LinearRgb, mix};
use crate::view::field::OTHERS;
use crate::view::palette::Palette;

/// How much of the deep colour the darkest liquid takes on.
const DEPTH: f32 = 0.92;

/// How much of the foam's colour the line of the surface and foam itself take on.
const LINE: f32 = 0.55;
const FOAM: f32 = 0.9;

/// How far up the palette light lifts the liquid right under the surface.
const GLOW: f32 = 0.3;

/// How much darker liquid of its own colour is where no light gets, and how much lighter under the surface.
const SHADOW: f32 = 0.55;
const SHINE: f32 = 0.1;

/// How wide the line of the surface is, in samples; and the largest share of the field's rise it may take.
const LINE_WIDTH: (f32, f32) = (1.4, 0.33);

/// Slope of the field across a calm surface, per R: from one side of the kernel to the other it rises from 0 to 1.
const SLOPE: f32 = 1.4;

/// Where fluids are mixed: a share that counts as all, and the least light that a paint leaves.
const NEARLY_ALL: f32 = 0.998;
const DARKEST: f32 = 0.01;

/// What a sample of the picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The field: ½ on the surface.
    pub cover: f32,
    /// Place on the palette, 0 to 1.
    pub drive: f32,
    /// Share of foam, 0 to 1.
    pub foam: f32,
    /// Light that gets here, 0 to 1.
    pub light: f32,
    /// Shares of other fluids than the first, 0 to 1.
    pub tint: [f32; OTHERS],
}

/// The shading of one frame.
#[derive(Clone, Copy, Debug)]
pub struct Shade<'a> {
    palette: &'a Palette,
    /// Those of the other fluids.
    others: [Option<&'static Palette>; OTHERS],
    /// Samples per unit of the field, across the surface.
    pub distance: f32,
    /// How much the field rises across the line of the surface.
    pub width: f32,
}

impl<'a> Shade<'a> {
    /// For a field whose kernel spans `reach` samples, of a fluid that looks like `palette`, and others.
    pub fn new(palette: &'a Palette, others: [Option<&'static Palette>; OTHERS], reach: f32) -> Self {
        let distance = reach.max(1.0) / SLOPE;
        Self { palette, others, distance, width: (LINE_WIDTH.0 / distance).min(LINE_WIDTH.1) }
    }

    /// Distance below the surface, in samples; negative above it. Good near the surface only.
    #[inline(always)]
    pub fn depth(&self, cover: f32) -> f32 {
        (cover - 0.5) * self.distance
    }

    /// The field above which there is neither edge nor surface line.
    pub fn interior(&self) -> f32 {
        0.5 + self.width.max(0.5 / self.distance)
    }

    /// The field below which there is nothing.
    pub fn exterior(&self) -> f32 {
        0.5 - 0.5 / self.distance
    }

    /// The colour of liquid.
    #[inline(always)]
    pub fn liquid(&self, sample: Sample) -> LinearRgb {
        mix(self.body(sample), self.rim(sample.tint), self.line(sample.cover, sample.light))
    }

    /// The colour of liquid without the line of its surface: what changes slowly from sample to sample.
    #[inline(always)]
    pub fn body(&self, sample: Sample) -> LinearRgb {
        self.blend(
            sample.tint,
            #[inline(always)]
            |palette| body(palette, sample),
        )
    }

    /// `body` where a share of the liquid has a colour of its own: darker with depth, lighter right under the surface.
    pub fn dyed(&self, body: LinearRgb, own: LinearRgb, share: f32, light: f32) -> LinearRgb {
        let lit = light * light;
        let shaded = own.map(|part| part * (1.0 - SHADOW * (1.0 - light)));
        mix(body, mix(shaded, [1.0; 3], SHINE * lit * lit), share)
    }

    /// The line of the surface tends to this.
    #[inline(always)]
    pub fn rim(&self, tint: [f32; OTHERS]) -> LinearRgb {
        self.blend(
            tint,
            #[inline(always)]
            |palette| mix(palette.at(1.0), palette.foam, 0.2),
        )
    }

    /// What palettes say, mixed as paints are: each takes its share of the light away, so what is left is the product, and
    /// cyan and yellow make green. Their mean makes grey.
    #[inline(always)]
    fn blend(&self, tint: [f32; OTHERS], says: impl Fn(&Palette) -> LinearRgb) -> LinearRgb {
        let own = (1.0 - tint.iter().sum::<f32>()).max(0.0);
        if own > NEARLY_ALL { says(self.palette) } else { self.mixed(own, tint, says) }
    }

    #[inline(never)]
    fn mixed(&self, own: f32, tint: [f32; OTHERS], says: impl Fn(&Palette) -> LinearRgb) -> LinearRgb {
        let mut mixed = says(self.palette).map(|light| light.max(DARKEST).powf(own));
        for (share, palette) in tint.into_iter().zip(self.others).filter(|(share, _)| *share > 0.0) {
            let other = says(palette.unwrap_or(self.palette));
            (0..3).for_each(|k| mixed[k] *= other[k].max(DARKEST).powf(share));
        }
        mixed
    }

    /// How much of the line of the surface a place shows.
    #[inline(always)]
    pub fn line(&self, cover: f32, light: f32) -> f32 {
        let above = 1.0 - ((cover - 0.5) / self.width).clamp(0.0, 1.0);
        above * above * self.brightest_line(light)
    }

    /// The same right at the surface.
    #[inline(always)]
    pub fn brightest_line(&self, light: f32) -> f32 {
        LINE * light * light
    }
}

/// The colour of liquid of one palette.
#[inline(always)]
fn body(palette: &Palette, Sample { drive, foam, light, .. }: Sample) -> LinearRgb {
    let lit = light * light;
    let body = mix(palette.at(drive + GLOW * lit * lit), palette.deep, DEPTH * (1.0 - light));
    // Little is foam.
    if foam == 0.0 {
        return body;
    }
    // By way of the palette's light end: a straight mixture of deep blue and white is lilac.
    mix(mix(body, palette.at(1.0), foam), palette.foam, FOAM * foam * foam)
}
