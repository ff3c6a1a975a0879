//! How much memory there is, and the parts of it that do not give way.

use std::fs;
use std::path::Path;

use crate::config::Config;

/// Where no ceiling is configured it is half of what the machine or the control group has, where that is known. The
/// journal's memory is a quarter of it at most: what is acknowledged stays.
pub(super) fn resolve(config: &mut Config) {
    let ceiling = &mut config.limits.memory_bytes;
    if *ceiling == 0 {
        *ceiling = of_machine().into_iter().chain(of_group()).min().unwrap_or(0) / 2;
    }
    let (ceiling, journal) = (*ceiling, &mut config.journal);
    if ceiling == 0 {
        return;
    }
    if journal.directory.is_none() {
        journal.bytes = journal.bytes.min(ceiling / 4);
    } else {
        journal.memory_bytes = journal.memory_bytes.min(ceiling / 8);
        journal.pending_bytes = journal.pending_bytes.min(ceiling / 8);
    }
}

/// `MemTotal:       24683532 kB`.
fn of_machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The least limit of the control group (version 2) and those above it.
fn of_group() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = Path::new("/sys/fs/cgroup");
    let group = root.join(path);
    let limits = group.ancestors().take_while(|folder| folder.starts_with(root));
    let limit = |folder: &Path| fs::read_to_string(folder.join("memory.max")).ok();
    limits.filter_map(limit).filter_map(|text| text.trim().parse().ok()).min()
}
