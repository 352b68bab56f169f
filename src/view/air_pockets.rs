//! Air that clear liquid encloses: what is seen through a bubble is the liquid behind it, and steam in a liquid that boils.

use crate::cell::color::{LinearRgb, mix};
use crate::math::ramp;
use crate::sim::liquid::Liquid;
use crate::view::field::Field;
use crate::view::light::{COARSE, Light, element};
use crate::view::render_style::RenderStyle;
use crate::view::shade::Shade;

/// Fractions of the picture between which a pocket becomes open air, through which the background is seen.
const OPEN_AIR: [f32; 2] = [0.006, 0.012];

/// The opacity of the liquid behind a pocket, which has lost some of its light on the way through the air.
const OPACITY: f32 = 0.72;

/// The colour of steam, its fraction in the colour of a bubble, and the bubble's opacity, below these fractions of the picture.
const STEAM_COLOR: LinearRgb = [0.72, 0.78, 0.84];
const STEAM_FRACTION: f32 = 0.3;
const STEAM_OPACITY: f32 = 0.92;
const OPEN_STEAM: [f32; 2] = [0.03, 0.05];

/// The inverse of the clarity from which on a liquid hides nothing behind a pocket.
const CLEAR: f32 = 1.7;

/// The fraction of liquid in a sample of light below which it is air.
const AIR: f32 = 0.5;

#[derive(Clone, Copy, Debug)]
struct Pocket {
    end: usize,
    color: LinearRgb,
    opacity: f32,
}

/// The pockets of one picture, on the grid of the light.
#[derive(Clone, Debug, Default)]
pub struct AirPockets {
    pockets: Vec<Pocket>,
    /// Their samples, pocket by pocket.
    samples: Vec<u32>,
    seen: Vec<bool>,
}

impl AirPockets {
    /// Finds the pockets of a field and its light. The counters of letters, which liquid is held in, are open.
    pub fn find(&mut self, field: &mut Field, light: &Light, style: &RenderStyle, liquid: Option<&Liquid>) {
        self.pockets.clear();
        self.samples.clear();
        let clarity = style.palette.optics.drawn_in(style.light).clarity;
        if clarity == 0.0 || field.reach == 0.0 || liquid.is_some_and(Liquid::holds_shapes) {
            return;
        }
        let boils = liquid.is_some_and(Liquid::boils);
        let (columns, wet) = (light.columns, &light.wet);
        field.smoke.reserve(&field.grid);
        self.samples.reserve(wet.len());
        self.pockets.reserve(wet.len() / 4);
        self.seen.clear();
        self.seen.extend(wet.iter().map(|wet| !(0.0..AIR).contains(wet)));
        let shade = Shade::new(style, field);
        let here = |sample: usize| element(&field.grid, sample % columns, sample / columns);
        // Smoke counts as wet: it is lit as liquid is. At the edge of a pocket, only some of the samples hold liquid.
        let is_liquid = |sample: usize| {
            let (first, below) = (here(sample), here(sample) + field.grid.stride);
            let held = [first, first + 1, below, below + 1].map(|at| field.coverage[at]);
            wet[sample] >= AIR && held.iter().any(|&held| held >= AIR)
        };
        for seed in 0..wet.len() {
            if self.seen[seed] {
                continue;
            }
            let first = self.samples.len();
            let (mut liquid, mut solid, mut roof) = (0, 0, 0);
            self.seen[seed] = true;
            self.samples.push(seed as u32);
            let mut next = first;
            while let Some(&sample) = self.samples.get(next) {
                next += 1;
                for (side, beside) in around(sample as usize, columns, wet.len()).into_iter().enumerate() {
                    let closes = match beside {
                        Some(air) if (0.0..AIR).contains(&wet[air]) => {
                            if !self.seen[air] {
                                self.seen[air] = true;
                                self.samples.push(air as u32);
                            }
                            0
                        }
                        Some(beside) if is_liquid(beside) => {
                            liquid += 1;
                            1
                        }
                        _ => {
                            solid += 1;
                            -1
                        }
                    };
                    roof += if side == ABOVE { closes } else { 0 };
                }
            }
            let area = (next - first) as f32 / wet.len() as f32;
            // Liquid lies over it.
            let is_steam = boils && roof > 0;
            let opacity = if is_steam {
                STEAM_OPACITY * (1.0 - ramp(area, OPEN_STEAM))
            } else {
                OPACITY * (CLEAR * clarity).min(1.0) * (1.0 - ramp(area, OPEN_AIR))
            };
            if (liquid < solid && !is_steam) || opacity == 0.0 {
                self.samples.truncate(first);
                continue;
            }
            let mut color = [0.0; 3];
            let beside = self.samples[first..].iter().flat_map(|&sample| around(sample as usize, columns, wet.len()));
            for full in beside.flatten().filter(|&beside| is_liquid(beside)) {
                let (x, y) = (1 + COARSE * (full % columns), 1 + COARSE * (full / columns));
                let body = shade.body(field.sample(here(full), light.at(x as f32, y as f32)));
                (0..3).for_each(|channel| color[channel] += body[channel]);
            }
            let behind = color.map(|sum| sum / liquid as f32);
            let color = if is_steam { mix(behind, STEAM_COLOR, STEAM_FRACTION) } else { behind };
            self.pockets.push(Pocket { end: next, color, opacity });
        }
    }

    /// Lays the liquid behind the pockets over the air of a field, which may be denser than the one that they were found in.
    pub fn fill(&self, field: &mut Field) {
        if self.pockets.is_empty() {
            return;
        }
        let grid = field.grid;
        field.smoke.resize(&grid);
        let width = COARSE * grid.oversampling;
        let columns = (grid.columns - 2) / width;
        let mut first = 0;
        for &Pocket { end, color, opacity } in &self.pockets {
            for &sample in &self.samples[first..end] {
                let (column, row) = (sample as usize % columns, sample as usize / columns);
                // An ordinary sample more on each side: the edge of the liquid lies there.
                let margin = grid.oversampling;
                let reach = |at: usize, end: usize| {
                    (1 + width * at).saturating_sub(margin)..(1 + width * (at + 1) + margin).min(end)
                };
                for y in reach(row, grid.rows) {
                    for x in reach(column, grid.columns) {
                        let here = grid.index(x, y);
                        if field.smoke.planes[3][here] < opacity {
                            field.smoke.put(here, color, opacity);
                        }
                    }
                }
            }
            first = end;
        }
    }
}

/// The place of the sample above among those [`around`] one.
const ABOVE: usize = 2;

/// The samples beside one of `len`, `columns` in a row.
fn around(here: usize, columns: usize, len: usize) -> [Option<usize>; 4] {
    let column = here % columns;
    [
        (column > 0).then(|| here - 1),
        (column + 1 < columns).then(|| here + 1),
        here.checked_sub(columns),
        (here + columns < len).then_some(here + columns),
    ]
}
