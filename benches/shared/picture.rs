//! The arguments of the benches of pictures, and their sizes.

use clap::Parser;
use slosh::app::action::Window;
use slosh::app::error::Error;
use slosh::cli::args::LookArgs;
use slosh::cli::args::headless::HeadlessArgs;
use slosh::cli::headless::HeadlessJob;

#[derive(Parser)]
pub struct BenchArgs {
    #[command(flatten)]
    headless: HeadlessArgs,
    #[command(flatten)]
    look: LookArgs,
    #[arg(long)]
    pub json: bool,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
    /// Given by `cargo test --benches`, which only starts it
    #[arg(long, hide = true)]
    pub test: bool,
}

impl BenchArgs {
    /// Prepares the scene in a window of this size.
    ///
    /// # Errors
    /// If a setting or the scene is invalid.
    pub fn job(&self, size: Window) -> Result<HeadlessJob, Error> {
        HeadlessJob::new(&HeadlessArgs { size: Some(size), ..self.headless.clone() }, self.look.settings())
    }
}
