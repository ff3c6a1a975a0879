//! Who runs where: the driver on one half of the processors, the servers on the other, as they were
//! machines of their own in the paper. Where there is one processor, or nobody may choose, all share.

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this process could use, divided.
pub(super) struct Processors {
    #[cfg(target_os = "linux")]
    sets: Option<Sets>,
    /// How many the servers have.
    pub(super) of_servers: u32,
}

#[cfg(target_os = "linux")]
struct Sets {
    all: CpuSet,
    driver: CpuSet,
    servers: CpuSet,
}

#[cfg(target_os = "linux")]
impl Processors {
    /// Divides them; this thread, and those that it starts, get the half of the driver.
    pub(super) fn divide() -> Self {
        let Ok(all) = sched_getaffinity(None) else { return Self { sets: None, of_servers: 1 } };
        let numbers: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&it| all.is_set(it)).collect();
        let (driver, servers) = numbers.split_at(numbers.len() / 2);
        if driver.is_empty() {
            return Self { sets: None, of_servers: 1 };
        }
        let set = |numbers: &[usize]| {
            let mut set = CpuSet::new();
            numbers.iter().for_each(|&number| set.set(number));
            set
        };
        let of_servers = servers.len() as u32;
        let sets = Sets { all, driver: set(driver), servers: set(servers) };
        let divided = Self { sets: Some(sets), of_servers };
        divided.run_on(|sets| &sets.driver);
        divided
    }

    /// What `start` starts runs with the servers.
    pub(super) fn among_servers<T>(&self, start: impl FnOnce() -> T) -> T {
        self.run_on(|sets| &sets.servers);
        let started = start();
        self.run_on(|sets| &sets.driver);
        started
    }

    fn run_on(&self, which: impl FnOnce(&Sets) -> &CpuSet) {
        if let Some(sets) = &self.sets {
            // Where it is not allowed, the scheduler goes on choosing.
            let _ = sched_setaffinity(None, which(sets));
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Processors {
    fn drop(&mut self) {
        self.run_on(|sets| &sets.all);
    }
}

#[cfg(not(target_os = "linux"))]
impl Processors {
    pub(super) fn divide() -> Self {
        Self { of_servers: 2 }
    }

    pub(super) fn among_servers<T>(&self, start: impl FnOnce() -> T) -> T {
        start()
    }
}
