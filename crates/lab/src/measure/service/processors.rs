//! Who runs where: the driver on one half of the processors, the servers on the other, as they were
//! machines of their own in the paper. Where there is one processor, or nobody may choose, all share.

use crate::processors::{allowed, run_on};

/// The processors that this process could use, divided.
pub(in crate::measure) struct Processors {
    all: Vec<usize>,
    driver: Vec<usize>,
    servers: Vec<usize>,
}

impl Processors {
    /// Divides them; this thread, and those that it starts, get the half of the driver.
    pub(in crate::measure) fn divide() -> Self {
        let all = allowed();
        let half = all.len() / 2;
        let (driver, servers) = match half {
            0 => (all.clone(), all.clone()),
            _ => (all[..half].to_vec(), all[half..].to_vec()),
        };
        run_on(None, &driver);
        Self { all, driver, servers }
    }

    /// How many the servers have.
    pub(in crate::measure) fn of_servers(&self) -> u32 {
        self.servers.len().max(1) as u32
    }

    /// What `start` starts runs with the servers.
    pub(in crate::measure) fn among_servers<T>(&self, start: impl FnOnce() -> T) -> T {
        run_on(None, &self.servers);
        let started = start();
        run_on(None, &self.driver);
        started
    }
}

impl Drop for Processors {
    fn drop(&mut self) {
        run_on(None, &self.all);
    }
}
