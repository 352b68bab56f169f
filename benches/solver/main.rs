//! The liquid solver: pools at rest by particles, threads and viscosity, against the peaks of this machine; and water
//! against the former method for water.
//!
//! `cargo bench --bench solver [-- --particles N] [--markdown | --json]`

mod machine_peaks;
mod pools;
mod price;
#[allow(dead_code)]
#[path = "../shared/stopwatch.rs"]
mod stopwatch;
mod work;

use clap::Parser;
use serde::Serialize;
use slosh::cli::settings::layers;
use std::error::Error;

#[derive(Parser)]
struct BenchArgs {
    /// One pool of this many particles in place of 1k, 5k, 20k and 100k
    #[arg(long)]
    particles: Option<usize>,
    #[arg(long)]
    json: bool,
    /// The table of docs/performance.md
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
    /// Given by `cargo test --benches`, which only starts it
    #[arg(long, hide = true)]
    test: bool,
}

#[derive(Serialize)]
struct Report {
    solver: pools::Report,
    price: [price::Price; 2],
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = BenchArgs::parse();
    if args.test {
        return Ok(());
    }
    let instructions = layers::settings(Vec::new())?.instructions;
    let sizes = args.particles.map_or(pools::SIZES.to_vec(), |particles| vec![particles]);
    let solver = pools::measure(&sizes, instructions);
    if args.markdown {
        print!("{}", pools::markdown(&solver));
        return Ok(());
    }
    let price = price::measure(instructions);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&Report { solver, price })?);
    } else {
        print!("{}\n{}", pools::table(&solver), price::table(&price));
    }
    Ok(())
}
