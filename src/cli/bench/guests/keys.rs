//! From key to screen: watched guests move their pointers, and look where their names are.

use crate::cli::bench::guests::terminal::Terminal;
use std::time::{Duration, Instant};

/// After a movement was seen, the next one of that guest comes within this range, spread evenly: in step with the frames,
/// all movements would wait equally long.
const PAUSE: (f64, f64) = (0.06, 0.14);

/// The golden ratio's fraction, by whose multiples the range is spread.
const SPREAD: f64 = 0.618_034;

/// A movement without effect by then is lost.
const LOST: Duration = Duration::from_secs(5);

/// Columns and rows of the places that pointers go to, as fractions of the window. They lie in the tank whatever the
/// window's shape, and no two guests' names meet there.
const COLUMNS: [f32; 4] = [0.08, 0.3, 0.52, 0.74];
const ROWS: [[f32; 3]; 2] = [[0.25, 0.35, 0.45], [0.55, 0.65, 0.75]];

/// Guests that can be watched at once.
pub const MAX_WATCHED: usize = COLUMNS.len() * ROWS.len();

/// The keys of one guest, and how soon each was seen.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    pub sent: usize,
    /// Milliseconds.
    pub times: Vec<f64>,
    /// The row in which the name is to be, and since when.
    waiting: Option<(u16, Instant)>,
    due: Option<Instant>,
}

impl Keys {
    /// Looks whether the last movement is on the screen, and makes the next one if it is due. `place` tells watched guests
    /// apart.
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
        // Another row every time, and a column of its own.
        let rows = ROWS[place / COLUMNS.len() % ROWS.len()];
        let row = guest.point((COLUMNS[place % COLUMNS.len()], rows[self.sent % rows.len()]));
        self.sent += 1;
        self.waiting = Some((row, now));
    }
}

/// The value below which this share of `sorted` lies; NaN where there is none.
pub fn share_of(sorted: &[f64], share: f64) -> f64 {
    sorted.get(((sorted.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or(f64::NAN)
}
