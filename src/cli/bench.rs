//! `slosh bench`: where the time goes, and the bytes. A file for each section of the report.

mod args;
mod encoders;
mod fidelity;
mod machine_peaks;
mod playing;
mod price;
mod scene;
mod solver;
mod stopwatch;
mod work;

use crate::app::error::Failure;
use crate::cli::args::headless::HeadlessArgs;
use crate::cli::headless::HeadlessJob;
pub use args::BenchArgs;
use serde::Serialize;
use std::io::{self, Write};

/// What was measured; a section that was not asked for is not there.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    solver: Option<solver::Report>,
    #[serde(flatten)]
    scene: Option<scene::Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<Vec<playing::Playing>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<[price::Price; 2]>,
}

/// Measures and reports.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    if args.fidelity {
        return fidelity::run(args);
    }
    if args.bytes {
        return bytes(args);
    }
    let report = measure(args)?;
    let text = if args.json {
        json(&report)?
    } else if args.markdown {
        report.solver.as_ref().map_or_else(String::new, solver::markdown)
    } else {
        table(&report)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Bytes and time of the same frames by ratatui's encoder and by ours, at three sizes.
fn bytes(args: &BenchArgs) -> Result<(), Failure> {
    let mut sizes = Vec::new();
    for size in fidelity::SIZES {
        let mut job =
            HeadlessJob::new(&HeadlessArgs { size: Some(size), ..args.headless.clone() }, args.look.settings())?;
        let look = job.look()?;
        sizes.push(scene::measure_frames(&mut job.run.world, look, size));
    }
    let text = if args.json { json(&sizes)? } else { scene::bytes_table(&sizes) };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn json(report: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(report).map_err(io::Error::from)? + "\n")
}

/// Measures the sections that were asked for; all of them if none was.
fn measure(args: &BenchArgs) -> Result<Report, Failure> {
    // Even where the scene is not measured, what is wrong with it is said.
    let job = HeadlessJob::new(&args.headless, args.look.settings())?;
    let look = job.look()?;
    let solver_wanted = args.solver || args.markdown;
    let all = !(solver_wanted || args.play || args.motion);
    let sizes = match args.headless.scene.particles_given() {
        true => vec![job.run.world.particles()],
        false => solver::SIZES.to_vec(),
    };
    let fps = job.settings.fps;
    let given = args.headless.scene.particles_given();
    let playing = || playing::measure(&job.run.scene, given, fps, job.settings.instructions);
    Ok(Report {
        motion: (all || args.motion).then(playing),
        price: (all || args.motion).then(|| price::measure(job.settings.instructions)),
        version: env!("CARGO_PKG_VERSION"),
        solver: (all || solver_wanted).then(|| solver::measure(&sizes, job.settings.instructions)),
        scene: (all || args.play)
            .then(|| scene::measure(job.run.scene.name.clone(), job.run.world, look, args.headless.size())),
    })
}

fn table(report: &Report) -> String {
    let mut sections = vec![format!("slosh {}\n", report.version)];
    sections.extend(report.solver.as_ref().map(solver::table));
    sections.extend(report.scene.as_ref().map(scene::table));
    sections.extend(report.motion.as_ref().map(|motion| playing::table(motion)));
    sections.extend(report.price.as_ref().map(price::table));
    sections.join("\n")
}
