//! The system calls that put bytes and names on the disk. Tests record them.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::Path;

use rustix::io::{Errno, ReadWriteFlags, pwritev2};

/// Writes some bytes; with `DSYNC` they are then on the disk.
pub(super) fn write(
    file: &File,
    offset: u64,
    bytes: &[u8],
    flags: ReadWriteFlags,
) -> Result<usize, Errno> {
    #[cfg(test)]
    {
        let is_through = flags.contains(ReadWriteFlags::DSYNC);
        note(format!("write {}", if is_through { "DSYNC" } else { "" }));
        if is_through && REJECTS.get() {
            return Err(Errno::OPNOTSUPP);
        }
    }
    pwritev2(file, &[IoSlice::new(bytes)], offset, flags)
}

/// Syncs a file.
pub(super) fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    note(format!("sync {}", name(file)));
    file.sync_all()
}

/// Syncs the entries of a folder.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    note(format!("sync folder {}", path.file_name().unwrap_or_default().display()));
    File::open(path)?.sync_all()
}

#[cfg(test)]
thread_local! {
    static CALLS: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };

    /// Whether writes with `DSYNC` are rejected, as some file systems and older kernels do.
    static REJECTS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Sets whether writes of this thread with `DSYNC` are rejected from now on.
#[cfg(test)]
pub(super) fn reject(rejects: bool) {
    REJECTS.set(rejects);
}

#[cfg(test)]
fn note(call: String) {
    CALLS.with_borrow_mut(|calls| calls.push(call));
}

/// The calls of this thread since the last query.
#[cfg(test)]
pub(super) fn take() -> Vec<String> {
    CALLS.take()
}

#[cfg(test)]
fn name(file: &File) -> String {
    use std::os::fd::AsRawFd as _;
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let name = path.ok().and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
    name.unwrap_or_default()
}
