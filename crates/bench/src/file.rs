//! Files that are there as a whole or not at all.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files that are being written, for [`remove_partial`].
static PARTIAL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn partial() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what is being written: for the very end, by a signal, when nothing is dropped. Whoever
/// begins to write afterwards waits for the end.
pub fn remove_partial() {
    let all = partial();
    // The process ends: nobody is left to be told.
    all.iter().for_each(|file| _ = fs::remove_file(file));
    std::mem::forget(all);
}

/// Lets `write` write what will stand in `file`. What was there before stays until the new content is
/// complete on disk. A device or a pipe is written to as it is.
///
/// # Errors
/// The operating system's, or that of `write`; nothing is left behind then.
pub fn replace(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match Target::of(file)? {
        Target::Stream => write_out(File::options().write(true).open(file)?, write).map(|_| ()),
        Target::File(file) => {
            let name = partial_name(&file);
            partial().insert(name.clone());
            let written = create(&name)
                .and_then(|created| write_out(created, write)?.sync_all())
                .and_then(|()| fs::rename(&name, file));
            if written.is_err() {
                // There may be nothing to remove; the first error is the one to report.
                let _ = fs::remove_file(&name);
            }
            partial().remove(&name);
            written
        }
    }
}

/// Finds out whether [`replace`] could put a file at `file`, and leaves nothing there.
///
/// # Errors
/// As those of [`replace`].
pub fn try_place(file: &Path) -> io::Result<()> {
    match Target::of(file)? {
        Target::Stream => Ok(()),
        Target::File(file) => {
            let partial = partial_name(&file);
            create(&partial).and_then(|_| fs::remove_file(&partial))
        }
    }
}

/// Writes files of these names and contents into `folder`, which is made if it is not there.
///
/// # Errors
/// The path and the operating system's reason. Files and folders that were not there before are
/// removed then.
pub fn write_folder(
    folder: &Path,
    files: &[(String, Vec<u8>)],
) -> Result<(), (PathBuf, io::Error)> {
    let is_new_folder = !folder.exists();
    fs::create_dir_all(folder).map_err(|cause| (folder.to_owned(), cause))?;
    let mut new_files = Vec::new();
    for (name, content) in files {
        let file = folder.join(name);
        let is_new = !file.exists();
        match replace(&file, |out| out.write_all(content)) {
            Ok(()) => new_files.extend(is_new.then_some(file)),
            Err(cause) => {
                // What cannot be removed either is told by the error that there is.
                new_files.iter().for_each(|file| _ = fs::remove_file(file));
                if is_new_folder {
                    let _ = fs::remove_dir(folder);
                }
                return Err((file, cause));
            }
        }
    }
    Ok(())
}

/// What a path stands for, once links are followed.
enum Target {
    /// A file, there or not, that a rename may replace.
    File(PathBuf),
    /// A device, a pipe or a socket, which a rename would destroy.
    Stream,
}

impl Target {
    fn of(file: &Path) -> io::Result<Self> {
        match fs::metadata(file) {
            Ok(found) if found.is_file() || found.is_dir() => {
                fs::canonicalize(file).map(Self::File)
            }
            Ok(_) => Ok(Self::Stream),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Self::File(file.into())),
            Err(cause) => Err(cause),
        }
    }
}

fn write_out(file: File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
    let mut out = io::BufWriter::new(file);
    write(&mut out)?;
    Ok(out.into_inner()?)
}

fn create(file: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(file)
}

/// Beside the file, because a rename does not cross file systems.
fn partial_name(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", process::id()));
    file.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("trunkline-{}-{test}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_folder_is_written_whole_or_not_at_all() {
        let folder = folder("write-folder");
        let files = [("one".to_owned(), b"1".to_vec()), ("two".to_owned(), b"2".to_vec())];
        write_folder(&folder, &files).expect("a temporary folder");
        assert_eq!(fs::read(folder.join("two")).expect("written"), b"2");
        fs::remove_dir_all(&folder).expect("our own");
        // A file cannot stand in a folder that is not there.
        let wrong = [files[0].clone(), ("no/two".to_owned(), b"2".to_vec())];
        let (path, _) = write_folder(&folder, &wrong).expect_err("no folder");
        assert_eq!(path, folder.join("no/two"));
        assert!(!folder.exists(), "nothing is left");
    }

    #[test]
    fn a_failed_writer_leaves_what_was_there() {
        let folder = folder("replace");
        fs::create_dir(&folder).expect("a temporary folder");
        let file = folder.join("kept");
        fs::write(&file, "before").expect("our own");
        let failed = replace(&file, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&file).expect("there"), b"before");
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 1);
        fs::remove_dir_all(&folder).expect("our own");
    }
}
