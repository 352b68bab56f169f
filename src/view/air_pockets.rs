//! Air that clear liquid encloses: what is seen through a bubble is the liquid behind it, and steam in a liquid that boils. Liquid
//! may close round air in one frame and open in the next, so what is seen there follows gradually.

use crate::cell::color::{LinearRgb, mix};
use crate::math::{Elementary, ramp};
use crate::sim::World;
use crate::sim::liquid::Liquid;
use crate::view::field::Field;
use crate::view::grid_layout::LANES;
use crate::view::light::{COARSE, Light, element};
use crate::view::render_style::RenderStyle;
use crate::view::sample::Lit;
use crate::view::shade::Shade;
use crate::view::smoke::MIN_OPACITY;
use crate::view::wall_layer::WallLayer;

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

/// The fraction of liquid in a sample below which it is air.
const AIR: f32 = 0.5;

/// The largest region of air, in samples, that any liquid closes. A third of the outline of a larger one has to be liquid: a chamber
/// with a level top is open.
const GAP: usize = 6;

/// Time in which what is seen through air comes to 1/e of its difference from what it becomes, in steps: a quarter of a second.
const FADE: f32 = 15.0;

/// What is seen through a sample: red, green and blue in linear light, each times the opacity; and the opacity. These are square
/// roots, nearly what the eye sees, so that one frame of them is faint. A sample that is not air has [`NO_AIR`].
type Veil = [f32; 4];
const NO_AIR: Veil = [0.0, 0.0, 0.0, -1.0];
const OPEN: Veil = [0.0; 4];

/// The difference from what it becomes at which a veil has become it: less than a code value.
const INVISIBLE: f32 = 1e-3;

/// What a sample of light holds most of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matter {
    /// Air, of a region that has been found or not.
    Air(bool),
    Liquid,
    Solid,
}

/// The air of one picture, on the grid of the light.
#[derive(Clone, Debug, Default)]
pub struct AirPockets {
    veils: Vec<Veil>,
    /// The step of the picture.
    step: u64,
    /// The samples of a region of air.
    region: Vec<u32>,
    matter: Vec<Matter>,
}

impl AirPockets {
    /// Forgets what is seen: the next picture shows all of it as it becomes.
    pub fn forget(&mut self) {
        self.veils.clear();
    }

    /// Finds what is seen through the air of a field and its light. The counters of letters, which liquid is held in, are open.
    pub fn find(&mut self, field: &mut Field, walls: &WallLayer, light: &Light, style: &RenderStyle, world: &World) {
        let liquid = world.liquid();
        let clarity = style.palette.optics.drawn_in(style.light).clarity;
        if clarity == 0.0 || field.reach == 0.0 || liquid.is_some_and(Liquid::holds_shapes) {
            self.forget();
            return;
        }
        let boils = liquid.is_some_and(Liquid::boils);
        let (columns, wet) = (light.columns, &light.wet);
        field.smoke.reserve(&field.grid);
        self.region.clear();
        self.region.reserve(wet.len());
        let steps = world.steps().checked_sub(std::mem::replace(&mut self.step, world.steps()));
        // A world that has been reset begins anew.
        if steps.is_none() {
            self.forget();
        }
        self.veils.resize(wet.len(), NO_AIR);
        let left = (-(steps.unwrap_or_default() as f32) / FADE).exponential();
        let shade = Shade::new(style, field);
        let here = |sample: usize| element(&field.grid, sample % columns, sample / columns);
        self.matter.clear();
        self.matter.extend(wet.iter().enumerate().map(|(sample, &wet)| {
            let first = here(sample);
            let samples = [first, first + 1, first + field.grid.stride, first + field.grid.stride + 1];
            let is_solid =
                |at: usize| walls.distance[at] < 0.0 || field.bodies.distance.get(at).is_some_and(|&own| own < 0.0);
            // Beside solids, gaps are smaller than a sample of light.
            let has_gap = || {
                samples.iter().any(|&at| is_solid(at))
                    && samples.iter().any(|&at| field.coverage[at] < AIR && !is_solid(at))
            };
            if (0.0..AIR).contains(&wet) || has_gap() {
                Matter::Air(false)
            // Smoke counts as wet: it is lit as liquid is. At the edge of a pocket, only some of the samples hold liquid.
            } else if wet >= AIR && samples.iter().any(|&at| field.coverage[at] >= AIR) {
                Matter::Liquid
            } else {
                Matter::Solid
            }
        }));
        for seed in 0..wet.len() {
            if self.matter[seed] != Matter::Air(false) {
                continue;
            }
            let (mut liquid, mut solid, mut roof) = (0, 0, 0);
            self.matter[seed] = Matter::Air(true);
            self.region.clear();
            self.region.push(seed as u32);
            let mut next = 0;
            while let Some(&sample) = self.region.get(next) {
                next += 1;
                for (side, beside) in around(sample as usize, columns, wet.len()).into_iter().enumerate() {
                    let closes = match beside.map(|beside| (beside, &mut self.matter[beside])) {
                        Some((air, Matter::Air(found))) => {
                            if !std::mem::replace(found, true) {
                                self.region.push(air as u32);
                            }
                            0
                        }
                        Some((_, Matter::Liquid)) => {
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
            let area = next as f32 / wet.len() as f32;
            // Liquid lies over it.
            let is_steam = boils && roof > 0;
            let opacity = if is_steam {
                STEAM_OPACITY * (1.0 - ramp(area, OPEN_STEAM))
            } else {
                OPACITY * (CLEAR * clarity).min(1.0) * (1.0 - ramp(area, OPEN_AIR))
            };
            let mut settled = OPEN;
            if opacity > 0.0 && (is_steam || liquid > 0 && (2 * liquid >= solid || next <= GAP)) {
                let mut color = [0.0; 3];
                let beside = self.region.iter().flat_map(|&sample| around(sample as usize, columns, wet.len()));
                let mut full = beside.flatten().filter(|&beside| self.matter[beside] == Matter::Liquid).peekable();
                while full.peek().is_some() {
                    let eight: [Option<usize>; LANES] = std::array::from_fn(|_| full.next());
                    let places = eight.map(Option::unwrap_or_default);
                    let lit = places.map(|full| {
                        let (x, y) = (1 + COARSE * (full % columns), 1 + COARSE * (full / columns));
                        Lit { sky: 0.0, ground: 0.0, ..light.at(x as f32, y as f32) }
                    });
                    let bodies = shade.bodies_at(places.map(here), lit);
                    let count = eight.iter().flatten().count();
                    for (color, lanes) in color.iter_mut().zip(&bodies) {
                        lanes[..count].iter().for_each(|body| *color += body);
                    }
                }
                let behind = color.map(|sum| sum / liquid as f32);
                let [red, green, blue] = if is_steam { mix(behind, STEAM_COLOR, STEAM_FRACTION) } else { behind };
                settled = [red, green, blue, 1.0].map(|part| (part * opacity).sqrt());
            }
            for &sample in &self.region {
                let from = seen_before(&self.veils, sample as usize, columns).unwrap_or(settled);
                self.veils[sample as usize] = std::array::from_fn(|part| {
                    let rest = (from[part] - settled[part]) * left;
                    settled[part] + if rest.abs() < INVISIBLE { 0.0 } else { rest }
                });
            }
        }
        for (veil, _) in self.veils.iter_mut().zip(&self.matter).filter(|(_, matter)| **matter != Matter::Air(true)) {
            *veil = NO_AIR;
        }
    }

    /// Lays what is seen over the air of a field, which may be denser than the one that it was found in.
    pub fn fill(&self, field: &mut Field) {
        let veils = self.veils.iter().enumerate().filter(|(_, veil)| veil[3] * veil[3].abs() > MIN_OPACITY);
        if veils.clone().next().is_none() {
            return;
        }
        let grid = field.grid;
        field.smoke.resize(&grid);
        let width = COARSE * grid.oversampling;
        let columns = (grid.columns - 2) / width;
        // An ordinary sample more on each side: the edge of the liquid lies there.
        let margin = grid.oversampling;
        let reach =
            |at: usize, end: usize| (1 + width * at).saturating_sub(margin)..(1 + width * (at + 1) + margin).min(end);
        for (sample, veil) in veils {
            let veil = veil.map(|part| part * part);
            for y in reach(sample / columns, grid.rows) {
                for x in reach(sample % columns, grid.columns) {
                    let here = grid.index(x, y);
                    if field.smoke.planes[3][here] < veil[3] {
                        field.smoke.planes.iter_mut().zip(veil).for_each(|(plane, part)| plane[here] = part);
                    }
                }
            }
        }
    }
}

/// What was seen through a sample of air; where it was not air, the mean of what was seen through the air around it.
fn seen_before(veils: &[Veil], sample: usize, columns: usize) -> Option<Veil> {
    let is_air = |veil: &&Veil| veil[3] >= 0.0;
    if let Some(veil) = veils.get(sample).filter(is_air) {
        return Some(*veil);
    }
    let beside = around(sample, columns, veils.len()).into_iter().flatten().filter_map(|beside| veils.get(beside));
    let (sum, count) = beside
        .filter(is_air)
        .fold((OPEN, 0.0), |(sum, count), veil| (std::array::from_fn(|part| sum[part] + veil[part]), count + 1.0));
    (count > 0.0).then(|| sum.map(|part| part / count))
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
