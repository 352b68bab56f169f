//! Processor time and memory of a process, from /proc on Linux. Elsewhere both are unknown.

use std::fs;

/// Processor time since the start, in seconds, and private memory, in MB.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub cpu: f64,
    pub memory: Option<f64>,
}

impl Usage {
    /// Returns the processor time since an earlier reading, and the present memory.
    pub fn since(&self, before: &Self) -> Self {
        Self { cpu: self.cpu - before.cpu, memory: self.memory }
    }
}

/// Reads the usage of the process with this id.
pub fn usage(process: u32) -> Usage {
    let read = |file: &str| fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let stat = read("stat");
    // The name, in brackets, may contain anything. User and system time are the 12th and 13th word after it.
    let words = stat.rsplit_once(')').map_or("", |(_, words)| words).split_whitespace();
    let cpu: f64 = words.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    let smaps = read("smaps_rollup");
    let private = smaps.lines().filter(|line| line.starts_with("Private_"));
    let kilobytes = private.map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).sum::<Option<f64>>();
    Usage { cpu: cpu / ticks, memory: kilobytes.filter(|_| !smaps.is_empty()).map(|kilobytes| kilobytes / 1024.0) }
}
