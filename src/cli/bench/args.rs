//! The arguments of `slosh bench`.

use crate::cli::args::LookArgs;
use crate::cli::args::headless::HeadlessArgs;
use clap::Args;

/// Measure where the time goes
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub headless: HeadlessArgs,
    #[command(flatten)]
    pub look: LookArgs,
    /// How near every glyph set comes to the ideal picture, at three sizes, and chafa where it is installed
    #[arg(long, help_heading = "Sections")]
    pub fidelity: bool,
    /// Bytes a frame by ratatui's encoder and by ours, of the same frames, at three sizes
    #[arg(long, help_heading = "Sections")]
    pub bytes: bool,
    /// Measure the solver alone: pools of 1k, 5k, 20k and 100k particles at rest, or of --particles
    #[arg(long, help_heading = "Sections")]
    pub solver: bool,
    /// Measure the scene alone: its steps, its frames and their bytes
    #[arg(long, help_heading = "Sections")]
    pub play: bool,
    /// The share of one core that the toy takes while its tank moves, at three sizes
    #[arg(long, help_heading = "Sections")]
    pub motion: bool,
    /// As JSON, for scripts
    #[arg(long)]
    pub json: bool,
    /// The solver's table for docs/performance.md
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}
