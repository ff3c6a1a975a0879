//! Processes of others that end with ours, whichever way it ends.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

use rustix::process::{Pid, Signal, kill_process_group};

/// Process groups that are alive, and their folders: for [`stop_all`].
static ALIVE: Mutex<BTreeMap<i32, PathBuf>> = Mutex::new(BTreeMap::new());

/// Kills every child that is alive and removes their folders: for the very end, by a signal, when nothing
/// is dropped. Whoever starts or waits for a child afterwards waits for the end, so that no new one is left
/// behind and none is reported as killed.
pub fn stop_all() {
    let mut alive = locked(&ALIVE);
    for (group, folder) in std::mem::take(&mut *alive) {
        kill(group);
        // The process ends: nobody is left to be told.
        let _ = fs::remove_dir_all(folder);
    }
    std::mem::forget(alive);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A group that is gone already is as good as killed.
fn kill(group: i32) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Starts a process in a group of its own, so that what it starts is killed with it. [`stop_all`] will
/// kill it, and remove the folder.
///
/// # Errors
/// The operating system's.
pub fn spawn(command: &mut Command, folder: &Path) -> io::Result<Child> {
    let mut alive = locked(&ALIVE);
    let child = command.process_group(0).spawn()?;
    alive.insert(child.id() as i32, folder.to_owned());
    Ok(child)
}

/// Kills the group of a process that [`spawn`] started, if it is alive, and reaps it.
pub fn end(child: &mut Child) {
    // Out of the list first: once reaped, the number may be another's.
    if locked(&ALIVE).remove(&(child.id() as i32)).is_some() {
        kill(child.id() as i32);
    }
    let _ = child.wait();
}
