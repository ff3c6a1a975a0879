//! A folder of files for a journal: real, or simulated.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod system;

use rustix::io::{Errno, ReadWriteFlags};

/// A folder of files. Every change is on disk when its call returns.
pub trait Disk {
    /// Names of all files.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    fn names(&mut self) -> io::Result<Vec<String>>;

    /// Bytes of a file.
    ///
    /// # Errors
    ///
    /// The file does not exist, or cannot be examined.
    fn length(&mut self, name: &str) -> io::Result<u64>;

    /// Creates a file of this length that begins with `head` and continues with zeros. Its room is
    /// allocated, so that a later write does not fail because the disk is full. It replaces a file of the
    /// same name; if it fails, no file of the name is left.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::StorageFull`] if there is no room; others.
    fn create(&mut self, name: &str, head: &[u8], bytes: u64) -> io::Result<()>;

    /// Writes into a file.
    ///
    /// # Errors
    ///
    /// Any; it is then unknown what is on disk.
    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Creates a file of these bytes, or leaves everything unchanged.
    ///
    /// # Errors
    ///
    /// Any.
    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// Truncates a file.
    ///
    /// # Errors
    ///
    /// Any.
    fn truncate(&mut self, name: &str, bytes: u64) -> io::Result<()>;

    /// Reads from a file into `buffer`: some bytes, or none at the end of the file.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be read.
    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Removes a file. It does not wait for the removal: if the machine fails, the file may come back, and
    /// with it all that were removed later.
    ///
    /// # Errors
    ///
    /// There is no such file, or it cannot be removed.
    fn remove(&mut self, name: &str) -> io::Result<()>;
}

/// A whole file.
///
/// # Errors
///
/// Those of [`Disk::length`] and [`Disk::read`].
pub fn read_all(disk: &mut dyn Disk, name: &str) -> io::Result<Vec<u8>> {
    let length = usize::try_from(disk.length(name)?).map_err(io::Error::other)?;
    read_part(disk, name, 0, length)
}

/// So many bytes of a file from an offset on; fewer only at the end of the file.
///
/// # Errors
///
/// Those of [`Disk::read`].
pub(crate) fn read_part(
    disk: &mut dyn Disk,
    name: &str,
    offset: u64,
    length: usize,
) -> io::Result<Vec<u8>> {
    // Memory that stays zero costs nothing, and a segment's file may be mostly zeros: only non-zero bytes
    // are written.
    let mut bytes = vec![0; length];
    let mut piece = vec![0; length.min(PIECE)];
    let mut filled = 0;
    while filled < length {
        let room = piece.len().min(length - filled);
        match disk.read(name, offset + filled as u64, &mut piece[..room]) {
            Ok(0) => break,
            Ok(read) => {
                let piece = &piece[..read];
                if piece.iter().fold(0, |all, byte| all | byte) != 0 {
                    bytes[filled..filled + read].copy_from_slice(piece);
                }
                filled += read;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Bytes that are read at a time.
const PIECE: usize = 256 << 10;

/// Name of the file that marks a journal as in use.
const LOCK: &str = "lock";

/// Zeros that are written at a time. Few, so that other writers come between.
const ZEROS: usize = 256 << 10;

/// Files that are kept open.
const OPEN: usize = 8;

/// A real folder.
///
/// Files are overwritten, not appended to: they are filled with zeros when they are created. With a growing
/// file, or room that was never written, each write changes the length or the extents of the file, and
/// syncing that takes up to twice as long (`trunkline journal measure`).
#[derive(Debug)]
pub struct Folder {
    path: Arc<Path>,
    /// Holds the lock as long as any clone exists.
    lock: Option<Arc<File>>,
    open: BTreeMap<String, File>,
}

impl Clone for Folder {
    fn clone(&self) -> Self {
        Self { path: Arc::clone(&self.path), lock: self.lock.clone(), open: BTreeMap::new() }
    }
}

impl Folder {
    /// Takes a folder for this process alone, and creates it if needed.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if another process has it; the errors of creating and opening files.
    pub fn open(path: &Path) -> io::Result<Self> {
        make_folders(path)?;
        let lock = new_file().truncate(false).open(path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let what = "another process uses it";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, what));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let folder = Self { path: path.into(), lock: Some(Arc::new(lock)), open: BTreeMap::new() };
        folder.sync()?;
        Ok(folder)
    }

    /// A folder for reading, which another process may be using.
    ///
    /// # Errors
    ///
    /// The folder does not exist.
    pub fn look(path: &Path) -> io::Result<Self> {
        std::fs::read_dir(path)?;
        Ok(Self { path: path.into(), lock: None, open: BTreeMap::new() })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Closes its files: a removed file takes room on the disk as long as it is open.
    pub(crate) fn close(&mut self) {
        self.open.clear();
    }

    fn of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Syncs the entries of the folder.
    fn sync(&self) -> io::Result<()> {
        system::sync_folder(&self.path)
    }

    /// A file, open.
    fn file(&mut self, name: &str) -> io::Result<&File> {
        if !self.open.contains_key(name) {
            if self.open.len() >= OPEN {
                self.open.pop_first();
            }
            let can_write = self.lock.is_some();
            let file = OpenOptions::new().read(true).write(can_write).open(self.of(name))?;
            self.open.insert(name.to_owned(), file);
        }
        Ok(&self.open[name])
    }

    fn fill(&self, name: &str, head: &[u8], bytes: u64) -> io::Result<()> {
        let path = self.of(name);
        let file = new_file().truncate(true).open(path)?;
        // If a file system cannot do this, the room is allocated when the zeros are written.
        let whole = rustix::fs::FallocateFlags::empty();
        if let Err(error @ Errno::NOSPC) = rustix::fs::fallocate(&file, whole, 0, bytes) {
            return Err(error.into());
        }
        let zeros = vec![0; ZEROS];
        let mut offset = 0;
        while offset < bytes {
            let length = (bytes - offset).min(ZEROS as u64) as usize;
            write_through(&file, offset, &zeros[..length])?;
            offset += length as u64;
        }
        write_through(&file, 0, head)?;
        system::sync(&file)?;
        self.sync()
    }
}

/// Creates a folder and its parents; their entries are on disk then.
fn make_folders(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|it| !it.exists()).collect();
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    // Nobody else may read the messages.
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    for made in missing {
        let parent = made.parent().filter(|it| !it.as_os_str().is_empty());
        system::sync_folder(parent.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// A file for writing, created if needed, unreadable for others then.
fn new_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).write(true).mode(0o600);
    options
}

/// Writes, and returns when it is on disk.
fn write_through(file: &File, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match system::write(file, offset, bytes, ReadWriteFlags::DSYNC) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
            Err(Errno::INTR) => {}
            // A file system or a kernel without such writes.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
                file.write_all_at(bytes, offset)?;
                return system::sync(file);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

impl Disk for Folder {
    fn names(&mut self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            // A name that is not text is not one of our files.
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn length(&mut self, name: &str) -> io::Result<u64> {
        Ok(std::fs::metadata(self.of(name))?.len())
    }

    fn create(&mut self, name: &str, head: &[u8], bytes: u64) -> io::Result<()> {
        self.open.remove(name);
        self.fill(name, head, bytes).inspect_err(|_| {
            // If even this fails, the journal removes the file when it is opened.
            let _ = std::fs::remove_file(self.of(name));
        })
    }

    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if !self.open.contains_key(name) {
            // A removed file takes room on the disk as long as it is open, and a log is written in one
            // place at a time.
            self.open.clear();
        }
        write_through(self.file(name)?, offset, bytes)
    }

    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (path, new) = (self.of(name), self.of(&format!("{name}.new")));
        self.open.remove(name);
        let file = new_file().truncate(true).open(&new)?;
        file.write_all_at(bytes, 0)?;
        system::sync(&file)?;
        std::fs::rename(&new, &path)?;
        self.sync()
    }

    fn truncate(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        let file = self.file(name)?;
        file.set_len(bytes)?;
        system::sync(file)
    }

    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file(name)?.read_at(buffer, offset)
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        self.open.remove(name);
        std::fs::remove_file(self.of(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_process_s_at_a_time() {
        let path = std::env::temp_dir().join(format!("trunkline-folder-{}", std::process::id()));
        let folder = Folder::open(&path).expect("a folder");
        let second = Folder::open(&path).expect_err("it is in use");
        assert_eq!(second.kind(), io::ErrorKind::WouldBlock);
        let clone = folder.clone();
        drop(folder);
        assert!(Folder::open(&path).is_err(), "a clone has it still");
        drop(clone);
        let mut folder = Folder::open(&path).expect("it is free again");
        folder.create("a", b"head", 600_000).expect("a file");
        folder.write("a", 100, b"bytes").expect("written");
        let bytes = read_all(&mut folder, "a").expect("all of it");
        assert_eq!(
            (bytes.len(), &bytes[..5], &bytes[99..106]),
            (600_000, &b"head\0"[..], &b"\0bytes\0"[..])
        );
        folder.truncate("a", 104).expect("cut");
        folder.replace("b", b"new").expect("made");
        assert_eq!(folder.length("a").expect("there"), 104);
        let mut names = folder.names().expect("names");
        names.sort();
        assert_eq!(names, ["a", "b", "lock"]);
        folder.remove("a").expect("removed");
        assert!(folder.read("a", 0, &mut [0; 4]).is_err());
        drop(folder);
        std::fs::remove_dir_all(&path).expect("removed");
    }

    /// Whether the file system of a folder rejects writes with `DSYNC`.
    fn rejects_dsync(folder: &Path) -> bool {
        let path = folder.join("probe");
        let file = new_file().open(&path).expect("a file");
        let written = system::write(&file, 0, b"probe", ReadWriteFlags::DSYNC);
        std::fs::remove_file(path).expect("removed");
        written.is_err()
    }

    /// Checks what is synced, with writes with `DSYNC` accepted or rejected.
    fn check_syncs(rejects: bool) {
        let name = format!("trunkline-sync-{rejects}-{}", std::process::id());
        let path = std::env::temp_dir().join(&name);
        let mut folder = Folder::open(&path).expect("a folder");
        system::reject(rejects);
        let is_rejected = rejects_dsync(&path);
        assert!(is_rejected || !rejects);
        let mut calls = |work: &mut dyn FnMut(&mut Folder) -> io::Result<()>| {
            system::take();
            work(&mut folder).expect("it works");
            system::take()
        };
        // After a rejected write the bytes are written without it, and the file is synced.
        let through = || -> Vec<String> {
            let all = ["write DSYNC", "sync a"];
            all[..1 + usize::from(is_rejected)].iter().map(|it| (*it).to_owned()).collect()
        };
        let mut made = [through(), through(), through(), through()].concat();
        let entries = format!("sync folder {name}");
        made.extend(["sync a".into(), entries.clone()]);
        assert_eq!(calls(&mut |it| it.create("a", b"head", 600_000)), made);
        assert_eq!(calls(&mut |it| it.write("a", 100, b"bytes")), through());
        assert_eq!(calls(&mut |it| it.truncate("a", 105)), ["sync a"]);
        // The bytes are synced before the name, and the name when it is done.
        assert_eq!(calls(&mut |it| it.replace("b", b"new")), ["sync b.new", &entries]);
        let bytes = read_all(&mut folder, "a").expect("readable");
        assert_eq!((&bytes[..4], &bytes[100..]), (&b"head"[..], &b"bytes"[..]));
        drop(folder);
        system::take();
        drop(Folder::open(&path.join("c/d")).expect("folders"));
        let of_folders = system::take();
        // The parents of both created folders, and its own.
        assert_eq!(of_folders, ["sync folder c", &entries, "sync folder d"]);
        system::reject(false);
        std::fs::remove_dir_all(&path).expect("removed");
    }

    #[test]
    fn what_is_said_to_be_on_disk_was_synced() {
        check_syncs(false);
    }

    #[test]
    fn what_is_said_to_be_on_disk_was_synced_where_writes_cannot_be() {
        check_syncs(true);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_is_asked_to_sync() {
        // A pipe cannot be synced: the system says so.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let pipe = File::from(std::os::fd::OwnedFd::from(writer));
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert!(system::sync(&pipe).is_err());
        assert!(system::sync_folder(Path::new(&path)).is_err());
        // It does not support this flag either.
        let path = Path::new("/dev/null");
        let file = OpenOptions::new().write(true).open(path).expect("it is there");
        let unknown = ReadWriteFlags::from_bits_retain(1 << 30);
        assert!(system::write(&file, 0, b"x", unknown).is_err());
        assert_eq!(system::write(&file, 0, b"x", ReadWriteFlags::empty()), Ok(1));
    }

    #[test]
    fn nobody_else_can_read_a_journal() {
        use std::os::unix::fs::PermissionsExt as _;
        let path = std::env::temp_dir().join(format!("trunkline-mode-{}", std::process::id()));
        let mode = |path: &Path| {
            std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
        };
        let mut folder = Folder::open(&path.join("journal")).expect("a folder");
        folder.create("a", b"head", 4_096).expect("a file");
        folder.replace("b", b"index").expect("a file");
        assert_eq!(mode(&path.join("journal")), 0o700);
        for name in ["a", "b", "lock"] {
            assert_eq!(mode(&path.join("journal").join(name)), 0o600, "{name}");
        }
        drop(folder);
        // The owner decides about an existing folder.
        let kept = path.join("kept");
        std::fs::create_dir(&kept).expect("a folder");
        std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o750))
            .expect("it is ours");
        Folder::open(&kept).expect("a folder").create("a", b"head", 4_096).expect("a file");
        assert_eq!((mode(&kept), mode(&kept.join("a"))), (0o750, 0o600));
        std::fs::remove_dir_all(&path).expect("removed");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_removed_is_held_open_by_nobody() {
        let path = std::env::temp_dir().join(format!("trunkline-room-{}", std::process::id()));
        let mut tasks = Folder::open(&path).expect("a folder");
        let mut writer = tasks.clone();
        for name in ["a", "b", "c"] {
            tasks.create(name, b"head", 4_096).expect("a file");
            writer.write(name, 4, b"bytes").expect("written");
            tasks.read(name, 0, &mut [0; 4]).expect("read");
        }
        for name in ["a", "b"] {
            tasks.remove(name).expect("removed");
        }
        let handles = std::fs::read_dir("/proc/self/fd").expect("its own handles").flatten();
        let targets = handles.filter_map(|it| std::fs::read_link(it.path()).ok());
        let open: Vec<PathBuf> = targets.filter(|it| it.starts_with(&path)).collect();
        assert!(open.contains(&path.join("c")), "{open:?}");
        assert!(!open.iter().any(|it| it.to_string_lossy().ends_with("(deleted)")), "{open:?}");
        std::fs::remove_dir_all(&path).expect("removed");
    }
}
