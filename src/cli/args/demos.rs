//! What clocks, words and pages that melt take.

use crate::app::demo::wall_clock::TimeOfDay;
use crate::cli::ShowArgs;
use crate::cli::args::output::flag;
use crate::data::Setting;
use clap::Args;

/// How an act is played in this terminal.
#[derive(Debug, Args)]
pub struct ActArgs {
    #[command(flatten)]
    pub show: ShowArgs,
    /// Where chance begins: the same seed gives the same frames
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<String>,
    /// How many threads share the simulation, or auto for as many as there are free cores; all give the same frames
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<String>,
}

impl ActArgs {
    /// What the flags say, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        let flags = [flag("seed", self.seed.as_ref()), flag("threads", self.threads.as_ref())];
        self.show.settings().into_iter().chain(flags.into_iter().flatten()).collect()
    }
}

/// Show the time: digits are vessels, and what they hold falls and is poured anew
///
/// In the time zone that TZ names, or the system's.
#[derive(Debug, Args)]
pub struct ClockArgs {
    /// Show seconds too
    #[arg(long)]
    pub seconds: bool,
    /// Hours from 1 to 12
    #[arg(long = "12h")]
    pub twelve: bool,
    /// Another time zone, as Europe/Paris or UTC
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// As if it were this time now, as 12:34, 12:34:50 or 9:34pm
    #[arg(long, value_name = "TIME")]
    pub time: Option<TimeOfDay>,
    #[command(flatten)]
    pub act: ActArgs,
}

/// Write words in liquid: they hold, melt, and flow back at m and at the end
#[derive(Debug, Args)]
pub struct TextArgs {
    /// What to write; - reads standard input
    #[arg(required = true, value_name = "WORDS")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub act: ActArgs,
}

/// Melt what is on the screen: what is piped in, with its colours, or in tmux this pane
///
/// It flows back at m and at the end.
#[derive(Debug, Args)]
pub struct MeltArgs {
    #[command(flatten)]
    pub act: ActArgs,
}
