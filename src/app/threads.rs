//! How many threads the simulation should be shared among, where nobody said: as many as there are cores that have
//! nothing else to do, and one on battery, where two cores at work draw more than one that works for longer.
//!
//! What the machine does is read from Linux's files; elsewhere all cores are taken to be free, and the mains to be there.

use crate::sim::crew;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

/// How many threads of all programs run or want to, among other things.
const LOAD: &str = "/proc/loadavg";

/// A folder for each battery and mains adapter.
const POWER: &str = "/sys/class/power_supply";

/// Between two looks at who is running, and between two decisions.
const GLANCE: Duration = Duration::from_millis(100);
const PERIOD: Duration = Duration::from_secs(1);

/// How many threads suit the machine as it is at this moment.
pub fn suitable() -> usize {
    suiting(crew::cores(), others(LOAD).unwrap_or(0.0), on_battery(Path::new(POWER)))
}

/// Decides anew while the machine has more or less to do.
#[derive(Debug)]
pub struct Watcher {
    glanced: Instant,
    decided: Instant,
    /// Threads of others that were running, and how often that was looked at.
    seen: f32,
    glances: u32,
}

impl Watcher {
    pub fn new(now: Instant) -> Self {
        Self { glanced: now, decided: now, seen: 0.0, glances: 0 }
    }

    /// To be told often, and while our own workers sleep. Says once a second how many threads suit the machine.
    pub fn look(&mut self, now: Instant) -> Option<usize> {
        if now - self.glanced < GLANCE {
            return None;
        }
        self.glanced = now;
        self.seen += others(LOAD).unwrap_or(0.0);
        self.glances += 1;
        if now - self.decided < PERIOD {
            return None;
        }
        let others = self.seen / self.glances as f32;
        *self = Self::new(now);
        Some(suiting(crew::cores(), others, on_battery(Path::new(POWER))))
    }
}

/// One thread for each core that is free, `others` being busy on average.
fn suiting(cores: usize, others: f32, on_battery: bool) -> usize {
    if on_battery { 1 } else { (cores as f32 - others).round().max(1.0) as usize }
}

/// How many threads run or want to, besides this one.
fn others(load: &str) -> Option<f32> {
    // Fields of a few digits each; read without a String, because frames are drawn meanwhile.
    let mut text = [0; 128];
    let length = File::open(load).ok()?.read(&mut text).ok()?;
    running(std::str::from_utf8(&text[..length]).ok()?).map(|running| running.saturating_sub(1) as f32)
}

/// The fourth field, as in `0.20 0.18 0.12 1/80 11206`, is who runs out of how many.
fn running(load: &str) -> Option<u32> {
    load.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// Whether a battery of the machine itself, rather than of its mouse, is being discharged.
fn on_battery(supplies: &Path) -> bool {
    let Ok(supplies) = fs::read_dir(supplies) else { return false };
    supplies.flatten().any(|supply| {
        let says = |file: &str| fs::read_to_string(supply.path().join(file)).unwrap_or_default();
        says("type").trim() == "Battery" && says("scope").trim() != "Device" && says("status").trim() == "Discharging"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_cores_are_left_alone() {
        assert_eq!(suiting(8, 0.0, false), 8);
        assert_eq!(suiting(8, 2.9, false), 5);
        assert_eq!(suiting(2, 0.3, false), 2);
        assert_eq!(suiting(2, 7.0, false), 1);
        assert_eq!(suiting(8, 0.0, true), 1);
    }

    #[test]
    fn the_load_is_read_as_linux_writes_it() {
        assert_eq!(running("0.20 0.18 0.12 3/80 11206\n"), Some(3));
        assert_eq!(running("nonsense"), None);
        assert_eq!(others("/nowhere"), None);
    }

    #[test]
    fn a_battery_counts_while_it_empties() {
        let folder = std::env::temp_dir().join(format!("slosh-power-{}", std::process::id()));
        let supply = |name: &str, files: [(&str, &str); 3]| {
            fs::create_dir_all(folder.join(name)).expect("a folder for a test");
            for (file, text) in files {
                fs::write(folder.join(name).join(file), format!("{text}\n")).expect("a file for a test");
            }
        };
        assert!(!on_battery(&folder), "a machine without any");
        supply("AC", [("type", "Mains"), ("online", "0"), ("scope", "System")]);
        supply("mouse", [("type", "Battery"), ("status", "Discharging"), ("scope", "Device")]);
        supply("BAT0", [("type", "Battery"), ("status", "Charging"), ("scope", "System")]);
        assert!(!on_battery(&folder), "a battery that is charged, and a mouse's");
        supply("BAT0", [("type", "Battery"), ("status", "Discharging"), ("scope", "System")]);
        assert!(on_battery(&folder));
        fs::remove_dir_all(&folder).expect("the folder is still there");
    }
}
