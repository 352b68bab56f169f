use crate::app::error::Error;
use crate::cli::args::headless::{HeadlessArgs, seconds};
use crate::cli::headless::HeadlessJob;
use crate::sim::World;
use crate::sim::boundary::region::Region;
use crate::sim::life::LifeStats;
use crate::sim::liquid::region_probe::RegionProbe;
use crate::sim::rigid::Body;
use crate::sim::statistics::{Column, Stats};
use clap::Args;
use glam::{DVec3, Vec2};
use std::io::{self, Write};
use std::time::Instant;

/// Measure a scene over time and print it as CSV
#[derive(Args)]
pub struct ProbeArgs {
    #[command(flatten)]
    pub headless: HeadlessArgs,
    /// Simulated seconds of the run
    #[arg(long, value_name = "T", default_value = "10", value_parser = seconds(0.0), allow_negative_numbers = true)]
    pub seconds: f64,
    /// Simulated seconds between two rows
    #[arg(long, value_name = "DT", default_value = "0.1", value_parser = seconds(0.001), allow_negative_numbers = true)]
    pub every: f64,
    /// Print velocities, pressures and temperatures along a line at the end instead: x=0.5 is a vertical line through
    /// the middle, y=0.5 a horizontal one
    #[arg(long, value_name = "x=S|y=S", value_parser = sample_line)]
    pub line: Option<SampleLine>,
    /// Also measure a region of the tank, given as fractions of its size; may be repeated
    #[arg(long, value_name = "LEFT,BOTTOM,RIGHT,TOP", value_parser = region)]
    pub within: Vec<Region>,
    /// Print the positions of the cloth's nodes at the end instead
    #[arg(long, conflicts_with = "line")]
    pub nodes: bool,
    /// Also print the wall time of the run, and of a step, to standard error
    #[arg(long)]
    pub time: bool,
}

const OF_A_PIECE: [Column<RegionProbe>; 7] = [
    Column::new("area", "m²", |piece| piece.area),
    Column::new("x", "m", |piece| piece.at.x),
    Column::new("y", "m", |piece| piece.at.y),
    Column::new("velocity_x", "m/s", |piece| piece.velocity.x),
    Column::new("velocity_y", "m/s", |piece| piece.velocity.y),
    Column::new("speed", "m/s", |piece| piece.speed),
    Column::new("level", "m", |piece| piece.level),
];

const OF_LIFE: [Column<LifeStats>; 4] = [
    Column::count("fish", |life| life.fish as f64),
    Column::count("stranded", |life| life.stranded as f64),
    Column::new("fish_speed", "body lengths/s", |life| life.speed.into()),
    Column::new("fish_length", "m", |life| life.length.into()),
];

struct Floating {
    body: Body,
    submerged: f32,
}

const OF_A_BODY: [Column<Floating>; 7] = [
    Column::new("x", "m", |it| it.body.at.x.into()),
    Column::new("y", "m", |it| it.body.at.y.into()),
    Column::new("angle", "rad", |it| it.body.angle.into()),
    Column::new("velocity_x", "m/s", |it| it.body.velocity.x.into()),
    Column::new("velocity_y", "m/s", |it| it.body.velocity.y.into()),
    Column::new("spin", "rad/s", |it| it.body.angular_velocity.into()),
    Column::new("submerged", "", |it| it.submerged.into()),
];

/// A node of a cloth, z towards the viewer. Sheets, columns and rows count from 0.
struct ClothNode {
    place: [usize; 3],
    at: DVec3,
    velocity: DVec3,
}

const OF_A_NODE: [Column<ClothNode>; 9] = [
    Column::count("sheet", |node| node.place[0] as f64),
    Column::count("column", |node| node.place[1] as f64),
    Column::count("row", |node| node.place[2] as f64),
    Column::new("x", "m", |node| node.at.x),
    Column::new("y", "m", |node| node.at.y),
    Column::new("z", "m", |node| node.at.z),
    Column::new("velocity_x", "m/s", |node| node.velocity.x),
    Column::new("velocity_y", "m/s", |node| node.velocity.y),
    Column::new("velocity_z", "m/s", |node| node.velocity.z),
];

struct LinePoint {
    at: Vec2,
    velocity: Vec2,
    /// Pressure, kPa; of a grid fluid over its density, m²/s². NaN, written as an empty field, where there is no value.
    pressure: f32,
    /// °C. NaN where there is no value.
    temperature: f32,
}

const OF_A_POINT: [Column<LinePoint>; 6] = [
    Column::new("x", "m", |point| point.at.x.into()),
    Column::new("y", "m", |point| point.at.y.into()),
    Column::new("velocity_x", "m/s", |point| point.velocity.x.into()),
    Column::new("velocity_y", "m/s", |point| point.velocity.y.into()),
    Column::new("pressure", "kPa", |point| point.pressure.into()),
    Column::new("temperature", "°C", |point| point.temperature.into()),
];

const POINTS: usize = 129;

/// A vertical or a horizontal line across the tank, at a fraction of its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleLine {
    X(f32),
    Y(f32),
}

fn sample_line(text: &str) -> Result<SampleLine, String> {
    let fraction = |text: &str| text.parse().ok().filter(|fraction| (0.0..=1.0).contains(fraction));
    let section = match text.split_once('=') {
        Some(("x", at)) => fraction(at).map(SampleLine::X),
        Some(("y", at)) => fraction(at).map(SampleLine::Y),
        _ => None,
    };
    section.ok_or_else(|| "must be x or y as a fraction of the tank's size from 0 to 1, as x=0.5".to_owned())
}

fn region(text: &str) -> Result<Region, String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let corners = numbers.and_then(|numbers| <[f32; 4]>::try_from(numbers).ok());
    let inside = corners.filter(|corners| corners.iter().all(|corner| (0.0..=1.0).contains(corner)));
    let region = inside.filter(|[left, bottom, right, top]| left < right && bottom < top).map(Region::Box);
    region.ok_or_else(|| "must be LEFT,BOTTOM,RIGHT,TOP as fractions of the tank's size, as 0,0,0.5,1".to_owned())
}

pub fn run(args: &ProbeArgs) -> Result<(), Error> {
    let start = Instant::now();
    let steps = measure(args)?;
    if args.time {
        let ms = 1e3 * start.elapsed().as_secs_f64();
        writeln!(io::stderr(), "{steps} steps in {:.3} s, {:.3} ms a step", ms / 1e3, ms / steps.max(1) as f64)?;
    }
    Ok(())
}

fn measure(args: &ProbeArgs) -> Result<u64, Error> {
    let job = HeadlessJob::new(&args.headless, Vec::new())?;
    job.check_end(args.seconds)?;
    let mut run = job.run;
    let mut out = io::stdout().lock();
    if args.line.is_some() || args.nodes {
        run.play_to(args.seconds);
        let table = args.line.map_or_else(|| nodes(&run.world), |line| profile(&run.world, line));
        out.write_all(table.as_bytes())?;
        return Ok(run.world.steps());
    }
    let life = if run.world.life().is_some() { header(&OF_LIFE, "") } else { String::new() };
    let bodies = (0..run.world.definition().body.len()).map(|number| header(&OF_A_BODY, &format!("body{number}_")));
    let pieces = (1..=args.within.len()).map(|number| header(&OF_A_PIECE, &format!("{number}_")));
    writeln!(out, "time{}{life}{}", header(Stats::COLUMNS, ""), pieces.chain(bodies).collect::<String>())?;
    // A tolerance for rounding: 1 s in steps of 0.1 s is ten samples after the first, although 1 / 0.1 may round down.
    for sample in 0..=(args.seconds / args.every + 1e-6) as u64 {
        run.play_to(sample as f64 * args.every);
        writeln!(out, "{}", row(&run.world, &args.within))?;
    }
    Ok(run.world.steps())
}

fn header<T>(columns: &[Column<T>], before: &str) -> String {
    columns.iter().map(|column| format!(",{before}{}", column.name)).collect()
}

fn values<T>(columns: &[Column<T>], of: &T, decimals: usize) -> String {
    let text = |column: &Column<T>| match (column.value)(of) {
        value if value.is_nan() => ",".to_owned(),
        value if column.whole => format!(",{value:.0}"),
        // Adding zero turns −0 into 0.
        value => format!(",{:.decimals$}", value + 0.0),
    };
    columns.iter().map(text).collect()
}

fn table<T>(columns: &[Column<T>], rows: impl Iterator<Item = T>) -> String {
    let lines = std::iter::once(header(columns, "")).chain(rows.map(|row| values(columns, &row, 6)));
    lines.map(|line| format!("{}\n", &line[1..])).collect()
}

fn nodes(world: &World) -> String {
    let pieces = world.cloth().into_iter().flat_map(|cloth| {
        cloth.topology.sheets.iter().enumerate().flat_map(move |(sheet, piece)| {
            piece.nodes().enumerate().map(move |(number, node)| ClothNode {
                place: [sheet, number % piece.columns, number / piece.columns],
                at: cloth.at[node],
                velocity: cloth.velocity[node],
            })
        })
    });
    table(&OF_A_NODE, pieces)
}

/// Returns velocities, pressures and temperatures at evenly spaced points of a line. Points without fluid are left out.
fn profile(world: &World, section: SampleLine) -> String {
    let points = (0..POINTS).filter_map(|point| {
        let along = point as f32 / (POINTS - 1) as f32;
        let fraction = match section {
            SampleLine::X(x) => Vec2::new(x, along),
            SampleLine::Y(y) => Vec2::new(along, y),
        };
        let at = fraction * world.size();
        let pressure = world.pressure(at).unwrap_or(f32::NAN);
        let temperature = world.temperature(at).unwrap_or(f32::NAN);
        world.velocity(at).map(|velocity| LinePoint { at, velocity, pressure, temperature })
    });
    table(&OF_A_POINT, points)
}

/// One sample. Nine decimals show the rounding error of the momentum.
fn row(world: &World, pieces: &[Region]) -> String {
    let mut row = format!("{:.6}{}", world.time(), values(Stats::COLUMNS, &world.stats(), 9));
    if let Some(life) = world.life() {
        row += &values(&OF_LIFE, &life.stats(world.bodies()), 9);
    }
    for piece in pieces {
        row += &values(&OF_A_PIECE, &world.probe_region(piece), 9);
    }
    for body in world.bodies().iter().take(world.definition().body.len()) {
        row += &values(&OF_A_BODY, &Floating { body: body.clone(), submerged: world.submerged(body) }, 9);
    }
    row
}
