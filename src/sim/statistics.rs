//! What can be measured about what is in a tank: the columns of `slosh probe`.
//!
//! SI units with y up, and masses such that one square metre of liquid at rest has mass 1. Each statistic is declared once:
//! its field, what it means, what two matters in one tank have of it together, and its columns with their units. So none
//! can be measured and not shown, or be lost where there are several matters.

use crate::sim::liquid::particle_liquid::Grains;
use glam::{DVec2, Vec2};

/// A number that can be read off a `T`: one column of a table.
#[derive(Debug)]
pub struct Column<T> {
    pub name: &'static str,
    /// SI; empty for a number without one. A square metre of liquid at rest is the unit of mass.
    pub unit: &'static str,
    /// A count, which is written without decimals.
    pub whole: bool,
    pub value: fn(&T) -> f64,
}

impl<T> Column<T> {
    pub const fn new(name: &'static str, unit: &'static str, value: fn(&T) -> f64) -> Self {
        Self { name, unit, whole: false, value }
    }

    pub const fn count(name: &'static str, value: fn(&T) -> f64) -> Self {
        Self { name, unit: "", whole: true, value }
    }
}

/// How two matters' shares of a statistic become the whole tank's.
mod together {
    use crate::sim::statistics::Stats;
    use glam::DVec2;
    use std::ops::{Add, Div, Mul};

    pub fn sum<T: Add<Output = T>>([a, b]: [&Stats; 2], of: impl Fn(&Stats) -> T) -> T {
        of(a) + of(b)
    }

    pub fn greatest([a, b]: [&Stats; 2], of: impl Fn(&Stats) -> f64) -> f64 {
        of(a).max(of(b))
    }

    pub fn greatest_each([a, b]: [&Stats; 2], of: impl Fn(&Stats) -> [f64; 3]) -> [f64; 3] {
        let (a, b) = (of(a), of(b));
        [0, 1, 2].map(|each| a[each].max(b[each]))
    }

    /// A mean, each matter's share of which counts by `weight`; where none weighs anything, the first's.
    fn mean<T>([a, b]: [&Stats; 2], of: impl Fn(&Stats) -> T, weight: fn(&Stats) -> f64) -> T
    where
        T: Add<Output = T> + Mul<f64, Output = T> + Div<f64, Output = T>,
    {
        let whole = weight(a) + weight(b);
        if whole > 0.0 { (of(a) * weight(a) + of(b) * weight(b)) / whole } else { of(a) }
    }

    pub fn mean_of_samples(both: [&Stats; 2], of: impl Fn(&Stats) -> f64) -> f64 {
        mean(both, of, |stats| stats.samples)
    }

    pub fn mean_of_dense(both: [&Stats; 2], of: impl Fn(&Stats) -> f64) -> f64 {
        mean(both, of, |stats| stats.dense)
    }

    pub fn mean_by_mass(both: [&Stats; 2], of: impl Fn(&Stats) -> DVec2) -> DVec2 {
        mean(both, of, |stats| stats.mass)
    }

    /// Root mean squares about a middle that is another's for each.
    pub fn about_the_middle(both: [&Stats; 2], of: impl Fn(&Stats) -> DVec2) -> DVec2 {
        let about = |stats: &Stats| of(stats) * of(stats) + stats.centre_of_mass * stats.centre_of_mass;
        let middle = mean_by_mass(both, |stats| stats.centre_of_mass);
        (mean_by_mass(both, about) - middle * middle).max(DVec2::ZERO).powf(0.5)
    }
}

macro_rules! statistics {
    ($($(#[$help:meta])+ $field:ident: $kind:ty, $together:ident, [$($column:expr),*];)+) => {
        /// One sample.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Stats {
            $($(#[$help])+ pub $field: $kind,)+
        }

        impl Stats {
            /// Everything that is shown of a sample, in order.
            pub const COLUMNS: &[Column<Stats>] = &[$($($column,)*)+];

            /// Two matters in one tank: what they have together.
            pub fn and(self, other: Stats) -> Stats {
                Stats { $($field: together::$together([&self, &other], |stats| stats.$field),)+ }
            }
        }
    };
}

statistics! {
    /// Of all liquids.
    particles: usize, sum, [Column::count("particles", |stats| stats.particles as f64)];
    /// ½ Σ m v².
    kinetic: f64, sum, [Column::new("kinetic", "m⁴/s²", |stats| stats.kinetic)];
    /// −Σ m g·x, zero at the tank's lower left corner.
    potential: f64, sum, [Column::new("potential", "m⁴/s²", |stats| stats.potential)];
    /// Σ m v.
    momentum: DVec2, sum, [
        Column::new("momentum_x", "m³/s", |stats| stats.momentum.x),
        Column::new("momentum_y", "m³/s", |stats| stats.momentum.y)
    ];
    /// Of all that has weight; of a fluid on a grid, which is everywhere, that of its dyes, where nothing else is.
    centre_of_mass: DVec2, mean_by_mass, [
        Column::new("com_x", "m", |stats| stats.centre_of_mass.x),
        Column::new("com_y", "m", |stats| stats.centre_of_mass.y)
    ];
    /// Of the fastest point of anything.
    max_speed: f64, greatest, [Column::new("max_speed", "m/s", |stats| stats.max_speed)];
    /// Of all particles, cells and nodes alike.
    mean_speed: f64, mean_of_samples, [Column::new("mean_speed", "m/s", |stats| stats.mean_speed)];
    /// Relative to the liquid at rest; of a fluid on a grid, its dyes.
    density_mean: f64, mean_of_dense, [Column::new("density_mean", "", |stats| stats.density_mean)];
    /// The greatest of the same.
    density_max: f64, greatest, [Column::new("density_max", "", |stats| stats.density_max)];
    /// Rightmost extent of the connected liquid that touches the floor.
    front_x: f64, greatest, [Column::new("front_x", "m", |stats| stats.front_x)];
    /// Height of the liquid's surface at the left wall, in the middle and at the right wall.
    surface: [f64; 3], greatest_each, [
        Column::new("surface_left", "m", |stats| stats.surface[0]),
        Column::new("surface_mid", "m", |stats| stats.surface[1]),
        Column::new("surface_right", "m", |stats| stats.surface[2])
    ];
    /// The greatest divergence of a grid's cell that the last projection left.
    divergence_max: f64, greatest, [Column::new("divergence_max", "1/s", |stats| stats.divergence_max)];
    /// The one that it found.
    divergence_before: f64, greatest, [Column::new("divergence_before", "1/s", |stats| stats.divergence_before)];
    /// Of cloth.
    nodes: usize, sum, [Column::count("nodes", |stats| stats.nodes as f64)];
    /// Springs of cloth that hold.
    springs: usize, sum, [Column::count("springs", |stats| stats.springs as f64)];
    /// And that are torn.
    torn: usize, sum, [Column::count("torn", |stats| stats.torn as f64)];
    /// The energy that is stored in springs.
    elastic: f64, sum, [Column::new("elastic", "m⁴/s²", |stats| stats.elastic)];
    /// Root mean square distance from the centre of mass, along x and along y: a disc's is half its radius.
    spread: DVec2, about_the_middle, [
        Column::new("spread_x", "m", |stats| stats.spread.x),
        Column::new("spread_y", "m", |stats| stats.spread.y)
    ];
    /// What the centre of mass is that of; none for a fluid on a grid, which has none of its own.
    mass: f64, sum, [];
    /// Of how many particles, cells and nodes the mean speed is the mean.
    samples: f64, sum, [];
    /// And the mean density.
    dense: f64, sum, [];
}

impl Stats {
    /// Measures `liquid` under `gravity` in a tank of `size`.
    pub fn of(liquid: Grains, gravity: Vec2, size: Vec2) -> Self {
        let p = liquid.particles();
        let count = p.len() as f64;
        let mut stats = Self { particles: p.len(), samples: count, dense: count, ..Self::default() };
        if p.is_empty() {
            return stats;
        }
        let gravity = gravity.as_dvec2();
        for slot in p.alive() {
            let mass = f64::from(liquid.mass(slot));
            stats.mass += mass;
            let (at, v) = (p.at(slot).as_dvec2(), p.velocity(slot).as_dvec2());
            let density = f64::from(liquid.relative_density(slot));
            stats.kinetic += 0.5 * mass * v.length_squared();
            stats.potential -= mass * gravity.dot(at);
            stats.momentum += mass * v;
            stats.centre_of_mass += mass * at;
            stats.spread += mass * at * at;
            stats.mean_speed += v.length();
            stats.max_speed = stats.max_speed.max(v.length());
            stats.density_mean += density;
            stats.density_max = stats.density_max.max(density);
        }
        stats.centre_of_mass /= stats.mass;
        stats.spread =
            (stats.spread / stats.mass - stats.centre_of_mass * stats.centre_of_mass).max(DVec2::ZERO).powf(0.5);
        stats.mean_speed /= count;
        stats.density_mean /= count;
        let silhouette = Silhouette::of(liquid, size);
        stats.front_x = silhouette.front();
        stats.surface = [0.0, 0.5, 1.0].map(|share| silhouette.surface(share));
        stats
    }
}

/// The liquid as a raster of occupied squares, fine enough to see gaps and coarse enough to have none inside.
struct Silhouette {
    columns: usize,
    rows: usize,
    /// The highest and the rightmost particle of each occupied square.
    extent: Vec<Option<Vec2>>,
    half_spacing: f32,
}

impl Silhouette {
    fn of(liquid: Grains, size: Vec2) -> Self {
        let squares = (size / (0.8 * liquid.h())).floor().max(Vec2::ONE);
        let (columns, rows) = (squares.x as usize, squares.y as usize);
        let mut extent = vec![None; columns * rows];
        let p = liquid.particles();
        for slot in p.alive() {
            let at = p.at(slot);
            let square = (at / size * squares).max(Vec2::ZERO).as_usizevec2();
            let (column, row) = (square.x.min(columns - 1), square.y.min(rows - 1));
            let seen: &mut Option<Vec2> = &mut extent[row * columns + column];
            *seen = Some(seen.map_or(at, |old| old.max(at)));
        }
        Self { columns, rows, extent, half_spacing: 0.5 * liquid.spacing() }
    }

    /// Right edge of the largest body of liquid that stands on the floor: the tip of a dam break, not its spray.
    fn front(&self) -> f64 {
        let mut seen = vec![false; self.extent.len()];
        let (mut most, mut front) = (0, 0.0);
        for column in 0..self.columns {
            let (size, right) = self.flood(column, &mut seen);
            if size > most {
                (most, front) = (size, right);
            }
        }
        f64::from(front)
    }

    /// Size and right edge of the body of liquid at the floor square `column`, unless it has been seen.
    fn flood(&self, column: usize, seen: &mut [bool]) -> (usize, f32) {
        let (mut size, mut right) = (0, 0.0f32);
        let mut todo = vec![(column, 0)];
        while let Some((column, row)) = todo.pop() {
            let square = row * self.columns + column;
            let Some(extent) = self.extent[square] else { continue };
            if std::mem::replace(&mut seen[square], true) {
                continue;
            }
            size += 1;
            right = right.max(extent.x + self.half_spacing);
            for (dx, dy) in [(-1i32, 0i32), (1, 0), (0, -1), (0, 1)] {
                let (x, y) = (column as i32 + dx, row as i32 + dy);
                if (0..self.columns as i32).contains(&x) && (0..self.rows as i32).contains(&y) {
                    todo.push((x as usize, y as usize));
                }
            }
        }
        (size, right)
    }

    /// Height of the liquid that stands on the floor at this share of the tank's width, averaged over three columns
    /// of squares.
    fn surface(&self, share: f32) -> f64 {
        let middle = (share * self.columns as f32) as usize;
        let first = middle.saturating_sub(1).min(self.columns.saturating_sub(3));
        let columns = first..(first + 3).min(self.columns);
        let count = columns.len() as f64;
        columns.map(|column| f64::from(self.height(column))).sum::<f64>() / count
    }

    /// Top of the liquid that stands on the floor in this column; a single empty square is not yet a gap.
    fn height(&self, column: usize) -> f32 {
        let mut top = 0.0;
        let mut empty = 0;
        for row in 0..self.rows {
            match self.extent[row * self.columns + column] {
                Some(extent) => (top, empty) = (extent.y + self.half_spacing, 0),
                None => empty += 1,
            }
            if empty > 1 {
                break;
            }
        }
        top
    }
}
