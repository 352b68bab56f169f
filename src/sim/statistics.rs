//! Statistics of the contents of a tank: the columns of `slosh probe`. SI units with y up, and masses such that one square metre
//! of water has mass 1. Each is declared once: its field, meaning, combination over two matters, and columns with units.

use glam::DVec2;

/// A number of a `T`: one column of a table.
#[derive(Debug)]
pub struct Column<T> {
    pub name: &'static str,
    /// SI unit; empty for a number without one. A square metre of water is the unit of mass.
    pub unit: &'static str,
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

/// Combinations of two matters' statistics into the whole tank's.
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

    /// Weighted mean of two; the first's where both weights are zero.
    pub fn mean<T>([a, b]: [&Stats; 2], of: impl Fn(&Stats) -> T, weight: fn(&Stats) -> f64) -> T
    where
        T: Add<Output = T> + Mul<f64, Output = T> + Div<f64, Output = T>,
    {
        let whole = weight(a) + weight(b);
        if whole > 0.0 { (of(a) * weight(a) + of(b) * weight(b)) / whole } else { of(a) }
    }

    fn warm(both: [&Stats; 2], of: impl Fn(&Stats) -> f64, better: fn(f64, f64) -> f64) -> f64 {
        both.into_iter().filter(|stats| stats.warm_mass > 0.0).map(of).reduce(better).unwrap_or(0.0)
    }

    pub fn least_warm(both: [&Stats; 2], of: impl Fn(&Stats) -> f64) -> f64 {
        warm(both, of, f64::min)
    }

    pub fn greatest_warm(both: [&Stats; 2], of: impl Fn(&Stats) -> f64) -> f64 {
        warm(both, of, f64::max)
    }

    /// Root mean squares about the common centre, from those about each one's own.
    pub fn about_the_middle(both: [&Stats; 2], of: impl Fn(&Stats) -> DVec2) -> DVec2 {
        let about = |stats: &Stats| of(stats) * of(stats) + stats.centre_of_mass * stats.centre_of_mass;
        let mean = |of: &dyn Fn(&Stats) -> DVec2| mean(both, of, |stats| stats.mass);
        let middle = mean(&|stats| stats.centre_of_mass);
        (mean(&about) - middle * middle).max(DVec2::ZERO).map(f64::sqrt)
    }
}

macro_rules! statistics {
    ($($(#[$help:meta])+ $field:ident: $kind:ty, $together:ident $(by $weight:ident)?, [$($column:expr),*];)+) => {
        /// One sample of the statistics.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Stats {
            $($(#[$help])+ pub $field: $kind,)+
        }

        impl Stats {
            /// Every column of a sample, in order.
            pub const COLUMNS: &[Column<Stats>] = &[$($($column,)*)+];

            /// A value that only matter with a temperature has: an empty field elsewhere.
            fn if_warm(&self, value: f64) -> f64 {
                if self.warm_mass > 0.0 { value } else { f64::NAN }
            }

            /// Combines the statistics of two matters in one tank.
            pub fn and(self, other: Stats) -> Stats {
                Stats { $($field: together::$together([&self, &other], |stats| stats.$field $(, |stats| stats.$weight)?),)+ }
            }
        }
    };
}

statistics! {
    /// Number of particles of all liquids.
    particles: usize, sum, [Column::count("particles", |stats| stats.particles as f64)];
    /// Kinetic energy, ½ Σ m v².
    kinetic: f64, sum, [Column::new("kinetic", "m⁴/s²", |stats| stats.kinetic)];
    /// Potential energy, −Σ m g·x, zero at the tank's lower left corner.
    potential: f64, sum, [Column::new("potential", "m⁴/s²", |stats| stats.potential)];
    /// Momentum, Σ m v.
    momentum: DVec2, sum, [
        Column::new("momentum_x", "m³/s", |stats| stats.momentum.x),
        Column::new("momentum_y", "m³/s", |stats| stats.momentum.y)
    ];
    /// Centre of mass of all that has weight; of a grid fluid, which fills the tank, that of its dyes, if there is nothing else.
    centre_of_mass: DVec2, mean by mass, [
        Column::new("com_x", "m", |stats| stats.centre_of_mass.x),
        Column::new("com_y", "m", |stats| stats.centre_of_mass.y)
    ];
    /// Largest speed of a particle, cell, node or point of a body.
    max_speed: f64, greatest, [Column::new("max_speed", "m/s", |stats| stats.max_speed)];
    /// Mean speed over all particles, cells and nodes.
    mean_speed: f64, mean by samples, [Column::new("mean_speed", "m/s", |stats| stats.mean_speed)];
    /// Mean density relative to the liquid at rest; of a grid fluid, that of its dyes.
    density_mean: f64, mean by dense, [Column::new("density_mean", "", |stats| stats.density_mean)];
    /// Largest such density.
    density_max: f64, greatest, [Column::new("density_max", "", |stats| stats.density_max)];
    /// Rightmost extent of the connected liquid that touches the floor.
    front_x: f64, greatest, [Column::new("front_x", "m", |stats| stats.front_x)];
    /// Height of the surface of the liquid that stands on the floor or on solids, at the left wall, in the middle and at the right one.
    surface: [f64; 3], greatest_each, [
        Column::new("surface_left", "m", |stats| stats.surface[0]),
        Column::new("surface_mid", "m", |stats| stats.surface[1]),
        Column::new("surface_right", "m", |stats| stats.surface[2])
    ];
    /// Largest divergence of a cell after the last projection.
    divergence_max: f64, greatest, [Column::new("divergence_max", "1/s", |stats| stats.divergence_max)];
    /// Largest divergence before it.
    divergence_before: f64, greatest, [Column::new("divergence_before", "1/s", |stats| stats.divergence_before)];
    /// Number of nodes of cloth.
    nodes: usize, sum, [Column::count("nodes", |stats| stats.nodes as f64)];
    /// Number of intact springs of cloth.
    springs: usize, sum, [Column::count("springs", |stats| stats.springs as f64)];
    /// Number of torn springs.
    torn: usize, sum, [Column::count("torn", |stats| stats.torn as f64)];
    /// Elastic energy of springs.
    elastic: f64, sum, [
        Column::new("elastic", "m⁴/s²", |stats| stats.elastic),
        Column::new("energy", "m⁴/s²", |stats| stats.kinetic + stats.potential + stats.elastic)
    ];
    /// Root mean square distance from the centre of mass, along x and along y: a disc's is half its radius.
    spread: DVec2, about_the_middle, [
        Column::new("spread_x", "m", |stats| stats.spread.x),
        Column::new("spread_y", "m", |stats| stats.spread.y)
    ];
    /// Whether a grid carries the weight of the liquid: 1, or 0 where its particles do.
    on_grid: f64, greatest, [
        Column::count("grid_pressure", |stats| if stats.interaction_radius == 0.0 { f64::NAN } else { stats.on_grid })
    ];
    /// Interaction radius h of the liquid.
    interaction_radius: f64, greatest, [
        Column::new("interaction_radius", "m", |stats| {
            if stats.interaction_radius == 0.0 { f64::NAN } else { stats.interaction_radius }
        })
    ];
    /// Mean over everything that has a temperature, weighted by mass.
    temperature: f64, mean by warm_mass, [Column::new("temperature", "°C", |stats| stats.if_warm(stats.temperature))];
    /// Lowest temperature.
    temperature_min: f64, least_warm, [
        Column::new("temperature_min", "°C", |stats| stats.if_warm(stats.temperature_min))
    ];
    /// Highest temperature.
    temperature_max: f64, greatest_warm, [
        Column::new("temperature_max", "°C", |stats| stats.if_warm(stats.temperature_max))
    ];
    /// Total heat above 0 °C, for each metre of the tank's depth.
    heat: f64, sum, [Column::new("heat", "J/m", |stats| stats.if_warm(stats.heat))];
    /// Heat received from heaters, through walls that are kept at a temperature, from the air and from brushes.
    heat_in: f64, sum, [Column::new("heat_in", "J/m", |stats| stats.if_warm(stats.heat_in))];
    /// Mass of the liquid, the bodies and the grid fluid that have a temperature.
    warm_mass: f64, sum, [Column::new("warm_mass", "kg/m", |stats| stats.if_warm(stats.warm_mass))];
    /// Mass of the vapour that has left the liquid: in the air, and as a film on cold walls.
    vapor: f64, sum, [Column::new("vapor", "kg/m", |stats| stats.if_warm(stats.vapor))];
    /// Nusselt number of a grid fluid between two walls: heat flow over that of conduction alone. 0 elsewhere.
    nusselt: f64, greatest, [
        Column::new("nusselt", "", |stats| if stats.nusselt == 0.0 { f64::NAN } else { stats.nusselt })
    ];
    /// Mass of the matter that the centre of mass is of; none for a grid fluid.
    mass: f64, sum, [];
    /// Number of particles, cells and nodes in the mean speed.
    samples: f64, sum, [];
    /// Number of those in the mean density.
    dense: f64, sum, [];
}

impl Stats {
    /// Adds a point mass to energy, momentum, centre of mass and spread.
    pub(in crate::sim) fn add_mass(&mut self, mass: f64, at: DVec2, velocity: DVec2, gravity: DVec2) {
        self.kinetic += 0.5 * mass * velocity.length_squared();
        self.potential -= mass * gravity.dot(at);
        self.momentum += mass * velocity;
        self.centre_of_mass += mass * at;
        self.spread += mass * at * at;
        self.mass += mass;
    }

    /// Adds a warm mass, kg, with its heat, J.
    pub(in crate::sim) fn add_warm_mass(&mut self, mass: f64, temperature: f64, heat: f64) {
        let first = self.warm_mass == 0.0;
        self.temperature_min = if first { temperature } else { self.temperature_min.min(temperature) };
        self.temperature_max = if first { temperature } else { self.temperature_max.max(temperature) };
        self.temperature += mass * temperature;
        self.heat += heat;
        self.warm_mass += mass;
    }

    /// Turns sums weighted by mass into means.
    pub(in crate::sim) fn divide_by_mass(&mut self) {
        if self.warm_mass > 0.0 {
            self.temperature /= self.warm_mass;
        }
        if self.mass > 0.0 {
            self.centre_of_mass /= self.mass;
            let variance = self.spread / self.mass - self.centre_of_mass * self.centre_of_mass;
            self.spread = variance.max(DVec2::ZERO).map(f64::sqrt);
        }
    }
}
