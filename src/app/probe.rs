//! `slosh probe`: a scene measured over time, as CSV.

use super::config::ProbeArgs;
use super::failure::Failure;
use super::stage::Stage;
use crate::sim::World;
use crate::sim::gauge::Gauge;
use crate::sim::scene::Region;
use glam::Vec2;
use std::io::{self, Write};
use std::str::FromStr;

/// The columns, in order. SI units, y up, masses such that a square metre of liquid has mass 1.
const COLUMNS: &str = "time,particles,kinetic,potential,momentum_x,momentum_y,com_x,com_y,max_speed,mean_speed,\
                       density_mean,density_max,front_x,surface_left,surface_mid,surface_right,\
                       divergence_max,divergence_before,nodes,springs,torn,elastic,spread_x,spread_y";

/// What is added for each piece of the tank that is asked about, with its number in front.
const OF_A_PIECE: [&str; 7] = ["area", "x", "y", "velocity_x", "velocity_y", "speed", "level"];

/// What is said of every body: its centre of mass, radians, m/s, radians a second, and the share under the liquid's level.
const BODY: [&str; 7] = ["x", "y", "angle", "velocity_x", "velocity_y", "spin", "submerged"];

/// Points of a velocity profile.
const POINTS: usize = 129;

/// An upright or a level line across the tank, at a share of its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    X(f32),
    Y(f32),
}

impl FromStr for Section {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |text: &str| text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        let section = match text.split_once('=') {
            Some(("x", at)) => share(at).map(Section::X),
            Some(("y", at)) => share(at).map(Section::Y),
            _ => None,
        };
        section.ok_or_else(|| "must be x=SHARE or y=SHARE of the tank, as x=0.5, from 0 to 1".to_owned())
    }
}

/// A piece of the tank, in shares of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece(Region);

impl FromStr for Piece {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        let corners = numbers.and_then(|numbers| <[f32; 4]>::try_from(numbers).ok());
        let corners = corners.filter(|[left, bottom, right, top]| left < right && bottom < top);
        corners
            .filter(|corners| corners.iter().all(|corner| (0.0..=1.0).contains(corner)))
            .map(|corners| Piece(Region::Box(corners)))
            .ok_or_else(|| "must be LEFT,BOTTOM,RIGHT,TOP in shares of the tank, as 0,0,0.5,1".to_owned())
    }
}

/// Plays the scene and writes one row per sample.
pub fn run(args: &ProbeArgs) -> Result<(), Failure> {
    let mut stage = Stage::new(&args.stage, Vec::new())?;
    stage.ends_at(args.seconds)?;
    let mut out = io::stdout().lock();
    if let Some(section) = args.line {
        stage.play_to(args.seconds);
        return Ok(out.write_all(profile(&stage.world, section).as_bytes())?);
    }
    if args.nodes {
        stage.play_to(args.seconds);
        return Ok(out.write_all(nodes(&stage.world).as_bytes())?);
    }
    let bodies = (0..stage.world.bodies().len()).flat_map(|number| BODY.map(|key| format!(",body{number}_{key}")));
    let pieces = (1..=args.within.len()).flat_map(|number| OF_A_PIECE.map(|column| format!(",{number}_{column}")));
    writeln!(out, "{COLUMNS}{}", pieces.chain(bodies).collect::<String>())?;
    // A hair of tolerance: 1 s in tenths is ten samples after the first, whatever 1 / 0.1 rounds to.
    for sample in 0..=(args.seconds / args.every + 1e-6) as u64 {
        stage.play_to(sample as f64 * args.every);
        writeln!(out, "{}", row(&stage.world, &args.within))?;
    }
    Ok(())
}

/// Where the nodes of the cloth are, as CSV in metres and m/s, z towards the viewer. Sheets, columns and rows count from 0.
fn nodes(world: &World) -> String {
    let mut text = "sheet,column,row,x,y,z,velocity_x,velocity_y,velocity_z\n".to_owned();
    let Some(cloth) = world.cloth() else { return text };
    for (sheet, piece) in cloth.pieces().iter().enumerate() {
        for (number, node) in piece.nodes().enumerate() {
            let (at, v) = (cloth.places()[node], cloth.velocities()[node]);
            text += &format!("{sheet},{},{}", number % piece.columns, number / piece.columns);
            [at.x, at.y, at.z, v.x, v.y, v.z].iter().for_each(|value| text += &format!(",{:.6}", value + 0.0));
            text.push('\n');
        }
    }
    text
}

/// Velocities and pressures at evenly spaced points of a line, as CSV in metres, m/s and m²/s². Where there is
/// nothing, nothing is said.
fn profile(world: &World, section: Section) -> String {
    let mut text = "x,y,velocity_x,velocity_y,pressure\n".to_owned();
    for point in 0..POINTS {
        let along = point as f32 / (POINTS - 1) as f32;
        let share = match section {
            Section::X(x) => Vec2::new(x, along),
            Section::Y(y) => Vec2::new(along, y),
        };
        let at = share * world.size();
        if let Some(v) = world.velocity(at) {
            let pressure = world.pressure(at).map_or_else(String::new, |pressure| format!("{pressure:.6}"));
            text += &format!("{:.6},{:.6},{:.6},{:.6},{pressure}\n", at.x, at.y, v.x + 0.0, v.y + 0.0);
        }
    }
    text
}

fn row(world: &World, pieces: &[Piece]) -> String {
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
        stats.divergence_max,
        stats.divergence_before,
        stats.nodes as f64,
        stats.springs as f64,
        stats.torn as f64,
        stats.elastic,
        stats.spread.x,
        stats.spread.y,
    ];
    let bodies = world.bodies().iter().flat_map(|body| {
        let (at, v) = (body.at, body.velocity);
        [at.x, at.y, body.angle, v.x, v.y, body.spin, world.submerged(body)].map(f64::from)
    });
    let pieces = pieces.iter().flat_map(|Piece(piece)| {
        let Gauge { area, at, velocity, speed, level } = world.gauge(piece);
        [area, at.x, at.y, velocity.x, velocity.y, speed, level]
    });
    let mut row = format!("{:.6},{}", world.time(), stats.particles);
    for value in measured.into_iter().chain(pieces).chain(bodies) {
        // Adding zero turns −0 into 0. Nine places show a momentum's rounding error.
        row += &format!(",{:.9}", value + 0.0);
    }
    row
}
