//! `slosh probe`: a scene measured over time, as CSV.

use super::config::ProbeArgs;
use super::failure::Failure;
use super::stage::Stage;
use crate::sim::World;
use std::io::{self, Write};

/// The columns, in order. SI units, y up, masses such that a square metre of liquid has mass 1.
const COLUMNS: &str = "time,particles,kinetic,potential,momentum_x,momentum_y,com_x,com_y,max_speed,mean_speed,\
                       density_mean,density_max,front_x,surface_left,surface_mid,surface_right";

/// Plays the scene and writes one row per sample.
pub fn run(args: &ProbeArgs) -> Result<(), Failure> {
    let mut stage = Stage::new(&args.stage)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{COLUMNS}")?;
    // A hair of tolerance: 1 s in tenths is ten samples after the first, whatever 1 / 0.1 rounds to.
    for sample in 0..=(args.seconds / args.every + 1e-6) as u64 {
        stage.play_to(sample as f64 * args.every);
        writeln!(out, "{}", row(&stage.world))?;
    }
    Ok(())
}

fn row(world: &World) -> String {
    let stats = world.stats();
    let measured = [
        stats.kinetic,
        stats.potential,
        stats.momentum.x,
        stats.momentum.y,
        stats.centre_of_mass.x,
        stats.centre_of_mass.y,
        stats.max_speed,
        stats.mean_speed,
        stats.density_mean,
        stats.density_max,
        stats.front_x,
        stats.surface[0],
        stats.surface[1],
        stats.surface[2],
    ];
    let mut row = format!("{:.6},{}", world.time(), stats.particles);
    for value in measured {
        // Adding zero turns −0 into 0. Nine places show a momentum's rounding error.
        row += &format!(",{:.9}", value + 0.0);
    }
    row
}
