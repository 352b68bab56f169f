//! The cores that a bench runs on.

use slosh::app::error::Error;

/// The cores of the host and its guests, and those of the bench.
pub struct Cores {
    processor: String,
    #[cfg(target_os = "linux")]
    sets: Option<(rustix::thread::CpuSet, rustix::thread::CpuSet)>,
    count: usize,
}

#[cfg(target_os = "linux")]
impl Cores {
    /// All cores for both; or one core for the host and its guests, and the others for the bench.
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

    /// Runs `start`, which starts processes, on the cores that are measured; then returns to the cores of the bench.
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
    /// All cores for both.
    ///
    /// # Errors
    /// If one core is requested.
    pub fn new(core: Option<usize>) -> Result<Self, Error> {
        if core.is_some() {
            return Err(Error::Run("--core needs Linux, which can keep programs on a core".to_owned()));
        }
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self { processor: "an unknown processor".to_owned(), count })
    }

    /// Runs `start`, which starts processes.
    ///
    /// # Errors
    /// As `start`.
    pub fn measured<T>(&self, start: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        start()
    }
}

impl Cores {
    /// The name of the processor.
    pub fn processor(&self) -> &str {
        &self.processor
    }

    /// The number of cores that the host and its guests have.
    pub fn count(&self) -> usize {
        self.count
    }
}
