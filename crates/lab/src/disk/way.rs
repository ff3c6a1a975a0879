//! Ways of appending to a log so that it is on the disk afterwards.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use trunkline_experiment::definition::Append;

/// What is written at once without the system's cache, and where it must begin.
const BLOCK: usize = 4_096;

/// A file that is appended to.
pub(super) struct Log {
    file: File,
    way: Append,
    /// Where the next bytes go; it begins again at the end.
    at: usize,
    length: usize,
    /// The block that is being filled, for those who write whole ones, aligned within it.
    block: Vec<u8>,
}

impl Log {
    /// A new log in a folder, gone with it.
    pub(super) fn new(folder: &Path, way: Append, length: usize) -> io::Result<Self> {
        let path = folder.join(format!("{}.log", way.name()));
        let file = OpenOptions::new().create(true).truncate(true).write(true).open(&path)?;
        match way {
            Append::Grown => {}
            Append::Allocated => allocate(&file, length)?,
            _ => fill(&file, length)?,
        }
        file.sync_all()?;
        let file = if way == Append::ZeroedDirect { direct(&path)? } else { file };
        Ok(Self { file, way, at: 0, length, block: vec![0; 2 * BLOCK] })
    }

    /// Appends; when it returns, the disk has it.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.at + bytes.len() > self.length && self.way != Append::Grown {
            self.at = 0;
        }
        let at = self.at as u64;
        match self.way {
            Append::Grown | Append::Allocated | Append::Zeroed => {
                self.file.write_all_at(bytes, at)?;
                self.file.sync_data()?;
            }
            Append::ZeroedDsync => write_synced(&self.file, bytes, at)?,
            Append::ZeroedDirect => self.write_block(bytes)?,
        }
        self.at += bytes.len();
        Ok(())
    }

    /// The last block again, with more in it.
    fn write_block(&mut self, bytes: &[u8]) -> io::Result<()> {
        let start = self.block.as_ptr().align_offset(BLOCK);
        let (inside, first) = (self.at % BLOCK, self.at - self.at % BLOCK);
        let room = self.block[start + inside..start + BLOCK].get_mut(..bytes.len());
        let text = "more than a block has room for";
        room.ok_or_else(|| io::Error::other(text))?.copy_from_slice(bytes);
        self.file.write_all_at(&self.block[start..start + BLOCK], first as u64)
    }
}

fn fill(file: &File, length: usize) -> io::Result<()> {
    let zeros = vec![0; 1 << 20];
    for at in (0..length).step_by(zeros.len()) {
        file.write_all_at(&zeros[..zeros.len().min(length - at)], at as u64)?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn allocate(file: &File, length: usize) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::empty(), 0, length as u64)?)
}

#[cfg(target_os = "linux")]
fn write_synced(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    use rustix::io::{ReadWriteFlags, pwritev2};
    let written = pwritev2(file, &[io::IoSlice::new(bytes)], at, ReadWriteFlags::DSYNC)?;
    match written == bytes.len() {
        true => Ok(()),
        false => Err(io::ErrorKind::WriteZero.into()),
    }
}

#[cfg(target_os = "linux")]
fn direct(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let flags = OFlags::DIRECT | OFlags::DSYNC;
    OpenOptions::new().write(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(target_os = "linux"))]
fn allocate(_file: &File, _length: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn write_synced(_file: &File, _bytes: &[u8], _at: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn direct(_path: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
