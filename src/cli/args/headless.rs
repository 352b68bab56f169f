use crate::app::action::Window;
use crate::app::demo::timer::duration;
use crate::app::demo::wall_clock::TimeOfDay;
use crate::app::record::headless::timeline::TimelineEntry;
use crate::cli::args::scene::SceneArgs;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

/// A scene that runs without a terminal.
#[derive(Clone, Args)]
pub struct HeadlessArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Size of the window in cells, which are twice as high as wide [default: 80x24]
    #[arg(short, long, value_name = "WxH")]
    pub size: Option<Window>,
    /// Turn gravity by this many degrees, from this second on; may be repeated
    #[arg(long, value_name = "DEG[@T]", value_parser = TimelineEntry::read_tilt, allow_hyphen_values = true)]
    pub tilt: Vec<TimelineEntry>,
    /// Perform an action at a given second, such as 2 tilt 10deg or 3 gravity 0; may be repeated
    #[arg(long, value_names = ["T", "ACTION"], num_args = 1..=6, allow_negative_numbers = true)]
    pub at: Vec<String>,
    /// Show the clock instead of a scene, starting at this time, as 12:34, 12:34:50 or 9:34pm
    #[arg(long, value_name = "TIME", conflicts_with_all = ["text", "melt"])]
    pub clock: Option<TimeOfDay>,
    /// Show a timer instead of a scene, as 25m or 1:30:00
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["clock", "text", "melt"])]
    pub timer: Option<u32>,
    /// Show these words instead of a scene
    #[arg(long, value_name = "WORDS")]
    pub text: Option<String>,
    /// Show the text of this file in its colours instead of a scene; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub melt: Option<PathBuf>,
}

impl HeadlessArgs {
    pub fn window(&self) -> Window {
        self.size.unwrap_or(Window { columns: 80, rows: 24, cell: [0, 0] })
    }

    /// The flag of the demo that is shown instead of a scene.
    pub fn demo_flag(&self) -> Option<&'static str> {
        let Self { clock, timer, text, melt, .. } = self;
        let given = [
            ("clock", clock.is_some()),
            ("timer", timer.is_some()),
            ("text", text.is_some()),
            ("melt", melt.is_some()),
        ];
        given.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }
}

pub fn seconds(least: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let valid = text.parse().ok().filter(|seconds| (least..=36_000.0).contains(seconds));
        valid.ok_or_else(|| format!("must be seconds, from {least} to 36000"))
    }
}

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (columns, rows) = text.split_once(['x', 'X', '×']).unwrap_or((text, ""));
        let cells = columns.parse().ok().zip(rows.parse().ok());
        let window = cells.map(|(columns, rows)| Window { columns, rows, cell: [0, 0] }.validated());
        window.and_then(Result::ok).ok_or_else(|| "must be COLUMNSxROWS, as 80x24, from 1x1 to 1000x500".to_owned())
    }
}
