//! Which processors a process, or this thread, may use. Where nobody may choose, the scheduler goes on choosing.

/// The processors that this thread may use; empty where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn allowed() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(allowed) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|&number| allowed.is_set(number)).collect()
}

/// Lets a process, or this thread, run on these only. One that is gone already is no error.
#[cfg(target_os = "linux")]
pub(crate) fn run_on(process: Option<u32>, numbers: &[usize]) {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut chosen = CpuSet::new();
    numbers.iter().for_each(|&number| chosen.set(number));
    let process = process.and_then(|process| rustix::process::Pid::from_raw(process as i32));
    if !numbers.is_empty() {
        let _ = sched_setaffinity(process, &chosen);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn allowed() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run_on(_process: Option<u32>, _numbers: &[usize]) {}
