//! A folder of our own, among the temporary files or elsewhere.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, io, process};

/// A new folder that only this user can read; removed with its content when dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    /// Makes a folder in the system's place for temporary files.
    ///
    /// # Errors
    /// The operating system's reason.
    pub fn new() -> io::Result<Self> {
        Self::below(&env::temp_dir())
    }

    /// Makes a folder in another.
    ///
    /// # Errors
    /// The operating system's reason.
    pub fn below(parent: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // A name may be taken by an earlier process with our id; making a folder fails then, so that
        // nobody can have prepared it for us.
        for _ in 0..1000 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("trunkline-{}-{number}", process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(cause),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "every name in the folder is taken"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What cannot be removed stays for the system to clean up: nobody is left to be told.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_is_private_and_goes_with_its_content() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let path = folder.path().to_owned();
        fs::write(path.join("file"), "content").expect("a file in it");
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        drop(folder);
        assert!(!path.exists());
    }
}
