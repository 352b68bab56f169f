//! The cores on which a bench runs.

use crate::app::error::Error;

/// Which cores the host and its guests have, and which the bench.
pub struct Cores {
    processor: String,
    #[cfg(target_os = "linux")]
    sets: Option<(rustix::thread::CpuSet, rustix::thread::CpuSet)>,
    count: usize,
}

#[cfg(target_os = "linux")]
impl Cores {
    /// All cores for all; or one core for the host and its guests, and the others for the bench.
    ///
    /// # Errors
    /// If there is no such core, or no other.
    pub fn new(core: Option<usize>) -> Result<Self, Error> {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let all = sched_getaffinity(None).map_err(|error| Error::Run(format!("the cores are unknown: {error}")))?;
        let count = all.count() as usize;
        let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let processor = model.map_or_else(|| "an unknown processor".to_owned(), |(_, name)| name.to_owned());
        let Some(core) = core else { return Ok(Self { processor, sets: None, count }) };
        if core >= CpuSet::MAX_CPU || !all.is_set(core) || count < 2 {
            return Err(Error::Input(format!(
                "--core {core} needs that core for the host and another one for the bench; there are {count}"
            )));
        }
        let (mut measured, mut others) = (CpuSet::new(), all);
        measured.set(core);
        others.unset(core);
        Ok(Self { processor, sets: Some((measured, others)), count: 1 })
    }

    /// Starts processes where those that are measured run, and returns where the bench runs.
    ///
    /// # Errors
    /// As `start`.
    pub fn measured<T>(&self, start: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        use rustix::thread::sched_setaffinity;
        let Some((measured, others)) = &self.sets else { return start() };
        let move_to = |cores| sched_setaffinity(None, cores).map_err(|error| Error::Run(format!("--core: {error}")));
        move_to(measured)?;
        let started = start();
        move_to(others)?;
        started
    }
}

#[cfg(not(target_os = "linux"))]
impl Cores {
    /// All cores for all.
    ///
    /// # Errors
    /// If one is asked for.
    pub fn new(core: Option<usize>) -> Result<Self, Error> {
        if core.is_some() {
            return Err(Error::Run("--core needs Linux, which can keep programs on a core".to_owned()));
        }
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self { processor: "an unknown processor".to_owned(), count })
    }

    /// Starts processes.
    ///
    /// # Errors
    /// As `start`.
    pub fn measured<T>(&self, start: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        start()
    }
}

impl Cores {
    /// What the processor calls itself.
    pub fn processor(&self) -> &str {
        &self.processor
    }

    /// The number of cores that the host and its guests have.
    pub fn count(&self) -> usize {
        self.count
    }
}
