//! Measures the latency from key to screen: watched guests move their pointers, and the bench looks for their names on
//! the screen.

use crate::guests::terminal::Terminal;
use std::time::{Duration, Instant};

/// Seconds between a movement that was seen and the next one of that guest, spread evenly over this range. Without it
/// the movements would be in step with the frames, and all latencies would be equal.
const PAUSE: (f64, f64) = (0.06, 0.14);

/// The fraction of the golden ratio. Its multiples are spread evenly over the range.
const SPREAD: f64 = 0.618_034;

/// A movement that has no effect within this time counts as lost.
const LOST: Duration = Duration::from_secs(5);

/// Columns and rows of the pointers' positions, as fractions of the window. They lie in the tank whatever the window's
/// shape, and the names of no two guests overlap there.
const COLUMNS: [f32; 4] = [0.08, 0.3, 0.52, 0.74];
const ROWS: [[f32; 3]; 2] = [[0.25, 0.35, 0.45], [0.55, 0.65, 0.75]];

/// Upper limit on the guests that can be watched at the same time.
pub const MAX_WATCHED: usize = COLUMNS.len() * ROWS.len();

/// The movements of one guest, and their latencies.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    pub sent: usize,
    /// Latencies in milliseconds.
    pub times: Vec<f64>,
    /// The row in which the name is expected, and since when.
    waiting: Option<(u16, Instant)>,
    due: Option<Instant>,
}

impl Keys {
    /// Checks whether the last movement is on the screen, and makes the next one if it is due. `place` is the guest's
    /// number among those that are watched.
    pub fn press_and_look(&mut self, guest: &mut Terminal, place: usize) {
        let now = Instant::now();
        if let Some((row, pressed)) = self.waiting {
            let shown = guest.shows_own_name_in(row);
            if shown {
                self.times.push(1e3 * now.duration_since(pressed).as_secs_f64());
            }
            if !shown && now.duration_since(pressed) < LOST {
                return;
            }
            self.waiting = None;
            let share = ((self.sent + place) as f64 * SPREAD).fract();
            self.due = Some(now + Duration::from_secs_f64(PAUSE.0 + (PAUSE.1 - PAUSE.0) * share));
        }
        if self.due.is_some_and(|due| now < due) {
            return;
        }
        // Each movement goes to another row; each guest has its own column.
        let rows = ROWS[place / COLUMNS.len() % ROWS.len()];
        let row = guest.point((COLUMNS[place % COLUMNS.len()], rows[self.sent % rows.len()]));
        self.sent += 1;
        self.waiting = Some((row, now));
    }
}

/// Returns the quantile `share` of `sorted`; NaN if it is empty.
pub fn share_of(sorted: &[f64], share: f64) -> f64 {
    sorted.get(((sorted.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or(f64::NAN)
}
