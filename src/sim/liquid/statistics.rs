//! Statistics of a particle liquid.

use crate::sim::liquid::Liquid;
use crate::sim::statistics::Stats;
use glam::Vec2;

impl Liquid {
    /// Measures it under `gravity` (m/s²) in a tank of `size` metres, in which places are solid.
    pub fn stats(&self, gravity: Vec2, size: Vec2, is_solid: impl Fn(Vec2) -> bool) -> Stats {
        let p = self.particles();
        let count = p.len() as f64;
        let mut stats = Stats {
            particles: p.len(),
            samples: count,
            dense: count,
            interaction_radius: self.h().into(),
            on_grid: if self.is_on_grid() { 1.0 } else { 0.0 },
            ..Stats::default()
        };
        if p.is_empty() {
            return stats;
        }
        let gravity = gravity.as_dvec2();
        for slot in p.alive() {
            let mass = f64::from(self.mass(slot));
            let v = p.velocity(slot).as_dvec2();
            let density = f64::from(self.relative_density(slot));
            stats.add_mass(mass, p.position(slot).as_dvec2(), v, gravity);
            stats.mean_speed += v.length();
            stats.max_speed = stats.max_speed.max(v.length());
            stats.density_mean += density;
            stats.density_max = stats.density_max.max(density);
            if let Some(heat) = self.heat() {
                let id = p.id[slot];
                let temperature = f64::from(heat.temperature(id));
                let mass = self.thermal_mass(self.phases().phase_of(id));
                stats.add_warm_mass(mass, temperature, mass * heat.enthalpy(id));
            }
        }
        stats.divide_by_mass();
        if let Some(heat) = self.heat() {
            // Latent heat of the vapour that has left the surface and is not yet a full particle.
            stats.heat += heat.boiling.pending;
            stats.heat_in = heat.received;
        }
        stats.mean_speed /= count;
        stats.density_mean /= count;
        let silhouette = Silhouette::of(self, size);
        stats.front_x = silhouette.front();
        stats.surface = [0.0, 0.5, 1.0].map(|share| silhouette.surface(share, &is_solid));
        stats
    }
}

/// The liquid as a raster of occupied squares, large enough that liquid has no gaps.
struct Silhouette {
    columns: usize,
    rows: usize,
    /// The highest and the rightmost particle of each occupied square.
    extent: Vec<Option<Vec2>>,
    /// Width and height of a square in metres.
    side: Vec2,
    half_spacing: f32,
}

impl Silhouette {
    fn of(liquid: &Liquid, size: Vec2) -> Self {
        let squares = (size / (0.8 * liquid.h())).floor().max(Vec2::ONE);
        let (columns, rows) = (squares.x as usize, squares.y as usize);
        let mut extent = vec![None; columns * rows];
        let p = liquid.particles();
        for slot in liquid.liquid_slots() {
            let at = p.position(slot);
            let square = (at / size * squares).max(Vec2::ZERO).as_usizevec2();
            let (column, row) = (square.x.min(columns - 1), square.y.min(rows - 1));
            let seen: &mut Option<Vec2> = &mut extent[row * columns + column];
            *seen = Some(seen.map_or(at, |old| old.max(at)));
        }
        Self { columns, rows, extent, side: size / squares, half_spacing: 0.5 * liquid.spacing() }
    }

    /// Right edge of the largest connected body of liquid that stands on the floor.
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

    /// Size and right edge of the connected liquid at the floor square `column`, unless it has been visited.
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

    /// Height of the liquid that stands on the floor or on solids at this fraction of the tank's width, averaged over three columns.
    fn surface(&self, share: f32, is_solid: impl Fn(Vec2) -> bool) -> f64 {
        let middle = (share * self.columns as f32) as usize;
        let first = middle.saturating_sub(1).min(self.columns.saturating_sub(3));
        let columns = first..(first + 3).min(self.columns);
        let count = columns.len() as f64;
        columns.map(|column| f64::from(self.height(column, &is_solid))).sum::<f64>() / count
    }

    /// Top of the liquid that stands on the floor or on solids in this column; a single empty square does not count as a gap.
    fn height(&self, column: usize, is_solid: impl Fn(Vec2) -> bool) -> f32 {
        let mut top = 0.0;
        let mut empty = 0;
        for row in 0..self.rows {
            match self.extent[row * self.columns + column] {
                Some(extent) => (top, empty) = (extent.y + self.half_spacing, 0),
                None if is_solid(self.side * (Vec2::new(column as f32, row as f32) + 0.5)) => empty = 0,
                None => empty += 1,
            }
            if empty > 1 {
                break;
            }
        }
        top
    }
}
