//! The system calls by which bytes and names get onto the disk. Tests see which were made.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::Path;

use rustix::io::{Errno, ReadWriteFlags, pwritev2};

/// Writes some bytes; with `DSYNC` they are on the disk then.
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
        if is_through && REFUSES.get() {
            return Err(Errno::OPNOTSUPP);
        }
    }
    pwritev2(file, &[IoSlice::new(bytes)], offset, flags)
}

/// All of a file is on the disk.
pub(super) fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    note(format!("sync {}", name(file)));
    file.sync_all()
}

/// The names in a folder are on the disk.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    note(format!("sync folder {}", path.file_name().unwrap_or_default().display()));
    File::open(path)?.sync_all()
}

#[cfg(test)]
thread_local! {
    static CALLS: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };

    /// Whether writes with `DSYNC` are refused, as some file systems and older kernels do.
    static REFUSES: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// From now on writes of this thread with `DSYNC` are refused, or are not.
#[cfg(test)]
pub(super) fn refuse(refuses: bool) {
    REFUSES.set(refuses);
}

#[cfg(test)]
fn note(call: String) {
    CALLS.with_borrow_mut(|calls| calls.push(call));
}

/// The calls of this thread since it was asked last.
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
