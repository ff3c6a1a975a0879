//! Memory that two processes share, as atomic words and as bytes that are copied in and out.
//!
//! The other process is not trusted: it may write anything at any time. So no code ever gets a reference to
//! bytes in here, only to atomic words, and every offset is checked against the size. The size cannot
//! change: the file is sealed against that, and every side that maps it has checked the seals.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// A mapping of a file in memory, for reading and writing; unmapped when dropped.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: the pages belong to no thread, and only the drop of this value unmaps them.
unsafe impl Send for Mapping {}

// SAFETY: the methods take `&self` and touch the pages by atomic words and by copies of bytes. Two
// threads that copy to and from the same bytes are kept apart by the cursors of a ring, as are two
// processes; where a hostile process is not, the bytes copied are of no certain value and nothing
// more: no reference to them exists, and any bytes are valid bytes.
unsafe impl Sync for Mapping {}

/// What nobody may do to the file: resize it, or allow it again.
fn seals() -> SealFlags {
    SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL
}

impl Mapping {
    /// New memory of so many bytes, all zero, and the file for the other process. The system allocates a
    /// page at its first access.
    pub(super) fn create(bytes: usize) -> io::Result<(OwnedFd, Self)> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create("trunkline-rings", flags)?;
        ftruncate(&file, bytes as u64)?;
        fcntl_add_seals(&file, seals())?;
        let mapping = Self::map(&file, bytes)?;
        Ok((file, mapping))
    }

    /// Maps memory of another process: rejected unless it has so many bytes and will keep them.
    pub(super) fn open(file: impl AsFd, bytes: usize) -> io::Result<Self> {
        if !fcntl_get_seals(&file)?.contains(seals()) {
            return Err(invalid("the memory handed over can change its size"));
        }
        if u64::try_from(fstat(&file)?.st_size) != Ok(bytes as u64) {
            return Err(invalid("the memory handed over is not as large as was said"));
        }
        Self::map(file, bytes)
    }

    fn map(file: impl AsFd, bytes: usize) -> io::Result<Self> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the system chooses the place, so no memory in use is mapped over.
        let start = unsafe { mmap(ptr::null_mut(), bytes, protection, MapFlags::SHARED, file, 0) }?;
        let start = NonNull::new(start).ok_or_else(|| invalid("mapped at address zero"))?;
        Ok(Self { start, bytes })
    }

    /// The word of eight bytes at `offset`.
    #[inline]
    pub(super) fn cursor(&self, offset: usize) -> &AtomicU64 {
        let word = self.place(offset, 8).cast::<AtomicU64>();
        assert!(word.is_aligned(), "a word stands at a multiple of its size");
        // SAFETY: `place` found eight bytes inside the mapping, which lives as long as `self`; the
        // word is aligned, and an atomic word may change under a shared reference.
        unsafe { &*word }
    }

    /// The word of four bytes at `offset`.
    #[inline]
    pub(super) fn flag(&self, offset: usize) -> &AtomicU32 {
        let word = self.place(offset, 4).cast::<AtomicU32>();
        assert!(word.is_aligned(), "a word stands at a multiple of its size");
        // SAFETY: as for `cursor`, with four bytes.
        unsafe { &*word }
    }

    /// Copies `bytes` to `offset`.
    #[inline]
    pub(super) fn copy_in(&self, offset: usize, bytes: &[u8]) {
        let place = self.place(offset, bytes.len());
        // SAFETY: `place` found that many bytes inside the mapping, which is writable; `bytes` is
        // memory of this process alone, as no reference to the mapping's bytes is given away.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) }
    }

    /// Copies the bytes at `offset` to `bytes`.
    #[inline]
    pub(super) fn copy_out(&self, offset: usize, bytes: &mut [u8]) {
        let place = self.place(offset, bytes.len());
        // SAFETY: as for `copy_in`, in the other direction.
        unsafe { ptr::copy_nonoverlapping(place, bytes.as_mut_ptr(), bytes.len()) }
    }

    /// The address of `offset`; so many bytes from there are inside.
    #[inline]
    fn place(&self, offset: usize, bytes: usize) -> *mut u8 {
        let fits = offset <= self.bytes && bytes <= self.bytes - offset;
        assert!(fits, "a place outside the shared memory");
        // SAFETY: `offset` is within the mapping or at its end.
        unsafe { self.start.as_ptr().cast::<u8>().add(offset) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `map` mapped exactly this, and nothing borrowed from `self` is left. Should the
        // system reject, the pages stay mapped.
        let _ = unsafe { munmap(self.start.as_ptr(), self.bytes) };
    }
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn two_mappings_are_one_memory() {
        let (file, one) = Mapping::create(8192).unwrap();
        let two = Mapping::open(&file, 8192).unwrap();
        one.copy_in(8190, b"ab");
        one.cursor(64).store(7, Ordering::Relaxed);
        let mut bytes = [0; 2];
        two.copy_out(8190, &mut bytes);
        assert_eq!((&bytes, two.cursor(64).load(Ordering::Relaxed)), (b"ab", 7));
    }

    #[test]
    fn the_size_is_what_was_said_and_stays_so() {
        let (file, _mapping) = Mapping::create(8192).unwrap();
        assert!(Mapping::open(&file, 4096).unwrap_err().to_string().contains("not as large"));
        let file = File::from(file);
        assert!(file.set_len(4096).is_err() && file.set_len(16384).is_err());
        let loose = rustix::fs::memfd_create("loose", MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&loose, 8192).unwrap();
        assert!(Mapping::open(&loose, 8192).unwrap_err().to_string().contains("change its size"));
    }

    #[test]
    #[should_panic(expected = "outside the shared memory")]
    fn nothing_is_copied_beyond_the_end() {
        let (_file, mapping) = Mapping::create(4096).unwrap();
        mapping.copy_in(4095, b"ab");
    }
}
