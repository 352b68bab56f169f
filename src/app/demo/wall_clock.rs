//! The time of day in a time zone, by the crate jiff: it reads `TZ` and the system's zone as the C library does, and handles
//! changes to and from summer time.

use crate::app::action::Action;
use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Upper limit on a file with a time zone, in bytes; the longest has 4 KiB.
const MAX_ZONE: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOfDay {
    pub seconds: u32,
    pub exact: bool,
    pub twelve: bool,
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let formats = [
            ("%H:%M", false, false),
            ("%H:%M:%S", true, false),
            ("%I:%M %p", false, true),
            ("%I:%M:%S %p", true, true),
        ];
        let read = formats.into_iter().find_map(|(format, exact, twelve)| {
            let seconds = seconds_of_day(Time::strptime(format, text.trim()).ok()?);
            Some(Self { seconds, exact, twelve })
        });
        // jiff reads second 60, which is a leap second, as 59.
        read.filter(|_| !text.contains(":60"))
            .ok_or_else(|| format!("{text:?} is not a time of day such as 12:34, 12:34:50 or 9:34pm"))
    }
}

fn seconds_of_day(time: Time) -> u32 {
    (i32::from(time.hour()) * 3600 + i32::from(time.minute()) * 60 + i32::from(time.second())) as u32
}

#[derive(Clone, Debug)]
pub struct WallClock {
    zone: TimeZone,
    /// Seconds by which it is ahead of the zone's time.
    ahead: i64,
}

#[derive(Clone, Debug)]
pub enum DemoClock {
    TimeOfDay(WallClock),
    Countdown(Countdown),
}

impl DemoClock {
    pub fn action(&mut self, paused: bool) -> Action {
        match self {
            Self::TimeOfDay(clock) => Action::SetWallClock(clock.seconds()),
            Self::Countdown(countdown) => Action::SetTimeLeft(countdown.advance(paused)),
        }
    }

    pub fn until_next(&self) -> Duration {
        match self {
            Self::TimeOfDay(_) => until_second_after(SystemTime::now()),
            Self::Countdown(countdown) => Duration::from_millis(u64::from(countdown.left() % 1000) + 1),
        }
    }
}

/// The time to a moment. It goes on while the machine is suspended.
#[derive(Clone, Debug)]
pub struct Countdown {
    end: Duration,
    /// It ends at a time of day, whatever pauses there are.
    is_fixed: bool,
    left: Arc<AtomicU32>,
}

impl Countdown {
    pub fn new(left: u32, is_fixed: bool) -> Self {
        let end = Self::now(is_fixed) + Duration::from_millis(left.into());
        Self { end, is_fixed, left: Arc::new(AtomicU32::new(left)) }
    }

    /// The time left when it was last asked for, milliseconds. A clone has the same.
    pub fn left(&self) -> u32 {
        self.left.load(Ordering::Relaxed)
    }

    fn advance(&mut self, paused: bool) -> u32 {
        let now = Self::now(self.is_fixed);
        if paused && !self.is_fixed {
            self.end = now + Duration::from_millis(self.left().into());
        }
        let left = self.end.saturating_sub(now).as_millis().min(u32::MAX.into()) as u32;
        self.left.store(left, Ordering::Relaxed);
        left
    }

    /// The time of day for a fixed end; else the time since the machine started, which nobody sets.
    fn now(is_fixed: bool) -> Duration {
        #[cfg(target_os = "linux")]
        if !is_fixed {
            let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
            return Duration::new(now.tv_sec as u64, now.tv_nsec as u32);
        }
        let _ = is_fixed;
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl WallClock {
    /// The time from now to a time of day, today or tomorrow; milliseconds.
    pub fn until(&self, time: TimeOfDay) -> u32 {
        let now = moment(SystemTime::now()).to_zoned_datetime(self.zone.clone());
        let time = Time::midnight() + jiff::Span::new().seconds(i64::from(time.seconds));
        let end = [now.date(), now.date().tomorrow().unwrap_or(now.date())].into_iter().find_map(|date| {
            let end = date.to_datetime(time).to_zoned_datetime(self.zone.clone()).ok()?;
            (end > now).then_some(end)
        });
        end.map_or(0, |end| now.duration_until(&end).as_millis().clamp(0, u32::MAX.into()) as u32)
    }

    /// The clock of a zone by its name, or of the system's zone (which `TZ` may change).
    pub fn new(zone: Option<&str>, start: Option<TimeOfDay>) -> Result<Self, String> {
        let mut dial = Self { zone: zone.map_or_else(system, find)?, ahead: 0 };
        if let Some(start) = start {
            dial.ahead = i64::from(start.seconds) - i64::from(dial.seconds());
        }
        Ok(dial)
    }

    pub fn seconds(&self) -> u32 {
        let time = moment(SystemTime::now()).to_zoned_datetime(self.zone.clone()).time();
        (i64::from(seconds_of_day(time)) + self.ahead).rem_euclid(86_400) as u32
    }
}

/// jiff reads a file that `TZ` names to its end, so that must have one.
fn system() -> Result<TimeZone, String> {
    let named = std::env::var("TZ").unwrap_or_default();
    let path = Path::new(named.strip_prefix(':').unwrap_or(&named));
    if let Ok(about) = path.metadata()
        && !about.is_dir()
        && !(about.is_file() && about.len() < MAX_ZONE)
    {
        return Err(format!("TZ: {} is not a time zone file", path.display()));
    }
    Ok(TimeZone::system())
}

/// Seconds after which the Gregorian calendar repeats with its days of the week: 400 years.
const CALENDAR: u64 = 146_097 * 86_400;

/// A moment for jiff, which knows those up to 30 December 9999: all others are replaced by those of an equivalent year.
fn moment(now: SystemTime) -> Timestamp {
    Timestamp::try_from(now).or_else(|_| Timestamp::try_from(UNIX_EPOCH + since_epoch(now))).unwrap_or_default()
}

/// The time since 1970, or since a time with the same calendar.
fn since_epoch(now: SystemTime) -> Duration {
    let calendar = Duration::from_secs(CALENDAR);
    let cut = |time: Duration| Duration::new(time.as_secs() % CALENDAR, time.subsec_nanos());
    now.duration_since(UNIX_EPOCH).map_or_else(|before| calendar - cut(before.duration()), cut)
}

fn until_second_after(now: SystemTime) -> Duration {
    Duration::from_nanos(1_000_000_000 - u64::from(since_epoch(now).subsec_nanos()))
}

fn find(name: &str) -> Result<TimeZone, String> {
    let unknown = |_| format!("unknown time zone {name:?}: give one as Europe/Paris, UTC or CET-1CEST");
    TimeZone::get(name).or_else(|_| TimeZone::posix(name)).map_err(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_with_any_error_is_read() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        // From 9999-12-31T12:34:56Z on, in steps of 400 years, beyond the range of calendar programs.
        let late = 253_402_259_696;
        for years in [0, 1, 10, 1000] {
            let Some(now) = UNIX_EPOCH.checked_add(Duration::from_secs(late + years * CALENDAR)) else { continue };
            let time = moment(now).to_zoned_datetime(zone.clone()).time();
            assert_eq!((time.hour(), time.minute(), time.second()), (13, 34, 56), "{years}");
        }
        let before = UNIX_EPOCH.checked_sub(Duration::from_secs(60 * CALENDAR + 10)).expect("a moment");
        assert_eq!(moment(before).to_zoned_datetime(TimeZone::UTC).time().second(), 50);
    }

    #[test]
    fn the_wait_ends_at_the_next_second() {
        let after = |seconds: u64, nanos: u32| UNIX_EPOCH + Duration::new(seconds, nanos);
        // In some time zones, a clock that was never set starts before 1970.
        let unset = UNIX_EPOCH - Duration::new(7_200, 250_000_000);
        for (now, wait) in [
            (after(1_700_000_000, 0), 1_000_000_000),
            (after(1_700_000_000, 1), 999_999_999),
            (after(1_700_000_000, 400_000_000), 600_000_000),
            (after(1_700_000_000, 999_999_999), 1),
            (unset, 250_000_000),
        ] {
            let until = until_second_after(now);
            assert_eq!(until, Duration::from_nanos(wait), "{now:?}");
            let then = now + until;
            assert_eq!(since_epoch(then).subsec_nanos(), 0, "{then:?} is not a full second");
        }
    }
}
