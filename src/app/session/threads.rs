//! Thread counts and frame rates that suit the machine. Unless it is set, the thread count is 1 while steps take a quarter of
//! the time at most, because threads cost a third more of it; else it is the number of free cores. On battery it is 1 and the
//! frame rate is halved, which saves energy. The load is read from files of Linux; elsewhere all cores count as free, and the
//! machine as plugged in.

use crate::app::tank::auto_particles;
use crate::sim::parallel;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LOAD: &str = "/proc/loadavg";

const POWER: &str = "/sys/class/power_supply";

/// Time between two readings of the load, and between two decisions.
const GLANCE: Duration = Duration::from_millis(100);
const PERIOD: Duration = Duration::from_secs(1);

/// Fraction of the time that steps take on one thread from which on there are more; and below which there is one again, by an
/// estimate: each further thread saves 40 % of the time of one.
const BUSY: f32 = auto_particles::MAX_LOAD;
const FREE: f32 = 0.8 * BUSY;
const SPEEDUP: f32 = 0.4;

pub fn suitable() -> usize {
    suiting(parallel::cores(), others(LOAD).unwrap_or(0.0), on_battery(Path::new(POWER)))
}

pub struct Watcher {
    load: &'static str,
    supplies: PathBuf,
    on_battery: bool,
    glanced: Instant,
    decided: Instant,
    /// Sum of the runnable threads of other programs, and the number of readings.
    seen: f32,
    glances: u32,
    /// Time that steps have taken since the last glance and since the last decision.
    worked: [Duration; 2],
    threads: usize,
}

impl Watcher {
    pub fn new(now: Instant) -> Self {
        Self::with_files(LOAD, Path::new(POWER), now)
    }

    pub fn with_files(load: &'static str, supplies: &Path, now: Instant) -> Self {
        let on_battery = on_battery(supplies);
        Self {
            load,
            supplies: supplies.to_owned(),
            on_battery,
            glanced: now,
            decided: now,
            seen: 0.0,
            glances: 0,
            worked: [Duration::ZERO; 2],
            threads: 1,
        }
    }

    pub fn worked(&mut self, time: Duration) {
        self.worked.iter_mut().for_each(|worked| *worked += time);
    }

    /// Must be called often, and while the workers sleep. Once a second, and as soon as one thread is busy, it returns the thread
    /// count that suits the machine, and updates whether the machine is on battery.
    pub fn look(&mut self, now: Instant) -> Option<usize> {
        let since_glance = now - self.glanced;
        if since_glance < GLANCE {
            return None;
        }
        self.glanced = now;
        self.seen += others(self.load).unwrap_or(0.0);
        self.glances += 1;
        let [at_once, worked] = self.worked;
        self.worked[0] = Duration::ZERO;
        let is_busy = self.threads == 1 && at_once.as_secs_f32() > BUSY * since_glance.as_secs_f32();
        let since_decision = now - self.decided;
        let is_due = since_decision >= PERIOD;
        if !is_due && !is_busy {
            return None;
        }
        if is_due {
            self.on_battery = on_battery(&self.supplies);
        }
        let suiting = suiting(parallel::cores(), self.seen / self.glances as f32, self.on_battery);
        if !is_due && suiting == 1 {
            return None;
        }
        (self.seen, self.glances, self.decided) = (0.0, 0, now);
        self.worked[1] = Duration::ZERO;
        let speedup = 1.0 + SPEEDUP * (self.threads - 1) as f32;
        let is_free = speedup * worked.as_secs_f32() < FREE * since_decision.as_secs_f32();
        self.threads = if is_busy {
            suiting
        } else if is_free {
            1
        } else {
            suiting.min(self.threads)
        };
        Some(self.threads)
    }

    pub fn interval(&self, fps: u32) -> Duration {
        let interval = Duration::from_secs(1) / fps.clamp(1, 240);
        if self.on_battery { 2 * interval } else { interval }
    }
}

/// One thread for each free core; `others` is the mean number of busy threads of other programs.
fn suiting(cores: usize, others: f32, on_battery: bool) -> usize {
    if on_battery { 1 } else { (cores as f32 - others).round().max(1.0) as usize }
}

fn others(load: &str) -> Option<f32> {
    // Fields of a few digits each, read without an allocation.
    let mut text = [0; 128];
    let length = File::open(load).ok()?.read(&mut text).ok()?;
    running(std::str::from_utf8(&text[..length]).ok()?).map(|running| running.saturating_sub(1) as f32)
}

/// The fourth field, as in `0.20 0.18 0.12 1/80 11206`, is runnable/all.
fn running(load: &str) -> Option<u32> {
    load.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// Whether a battery of the machine is being discharged; batteries of mice and the like do not count.
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

    /// A folder of power supplies in the format of Linux.
    struct Supplies(PathBuf);

    impl Supplies {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("slosh-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).expect("a folder for a test");
            Self(folder)
        }

        fn put(&self, name: &str, files: [(&str, &str); 3]) {
            fs::create_dir_all(self.0.join(name)).expect("a folder for a test");
            for (file, text) in files {
                fs::write(self.0.join(name).join(file), format!("{text}\n")).expect("a file for a test");
            }
        }

        fn battery(&self, status: &str) {
            self.put("BAT0", [("type", "Battery"), ("status", status), ("scope", "System")]);
        }
    }

    impl Drop for Supplies {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_battery_counts_while_it_discharges() {
        let supplies = Supplies::new("power");
        assert!(!on_battery(&supplies.0), "a machine without a battery");
        supplies.put("AC", [("type", "Mains"), ("online", "0"), ("scope", "System")]);
        supplies.put("mouse", [("type", "Battery"), ("status", "Discharging"), ("scope", "Device")]);
        supplies.battery("Charging");
        assert!(!on_battery(&supplies.0), "a battery that is charged, and a mouse's");
        supplies.battery("Discharging");
        assert!(on_battery(&supplies.0));
        assert!(!on_battery(Path::new("/nowhere")), "a system without such a folder");
    }

    #[test]
    fn there_are_more_threads_only_while_one_is_busy() {
        let mut now = Instant::now();
        let mut watcher = Watcher::with_files("/nowhere", Path::new("/nowhere"), now);
        // The last thread count of two seconds in which steps take this fraction of each frame's interval.
        let mut at = |load: f32| {
            let mut threads = None;
            for _ in 0..120 {
                watcher.worked(watcher.interval(60).mul_f32(load));
                now += watcher.interval(60);
                threads = watcher.look(now).or(threads);
            }
            threads.expect("a decision each second")
        };
        assert_eq!(at(0.9 * BUSY), 1);
        assert_eq!(at(1.1 * BUSY), parallel::cores());
        assert_eq!(at(FREE / (1.0 + SPEEDUP * parallel::cores() as f32)), 1);
    }

    /// Unplugging the machine halves the frame rate within a second, and plugging it in doubles the rate again, at any
    /// time.
    #[test]
    fn on_battery_half_as_many_frames_are_drawn() {
        let supplies = Supplies::new("frames");
        let mut now = Instant::now();
        let mut watcher = Watcher::with_files("/nowhere", &supplies.0, now);
        // Frames in a second of the run loop, which checks before each of them.
        let mut second = |fps: u32| {
            let (end, mut frames, mut threads) = (now + Duration::from_secs(1), 0, Vec::new());
            while now < end {
                now += watcher.interval(fps);
                threads.extend(watcher.look(now));
                frames += 1;
            }
            (frames, threads)
        };
        assert!((60..=61).contains(&second(60).0), "no battery, or not yet");
        supplies.battery("Discharging");
        second(60);
        for _ in 0..3 {
            let (frames, threads) = second(60);
            assert!((30..=31).contains(&frames), "{frames} frames a second on battery");
            assert!(threads.iter().all(|&threads| threads == 1), "{threads:?}");
        }
        assert!((10..=11).contains(&second(20).0), "half of the requested rate, not half of 60");
        supplies.battery("Full");
        second(60);
        assert!((60..=61).contains(&second(60).0), "the machine is plugged in again");
        // A start on battery has the lower rate from the first frame on.
        supplies.battery("Discharging");
        assert_eq!(Watcher::with_files("/nowhere", &supplies.0, now).interval(50), Duration::from_millis(40));
    }
}
