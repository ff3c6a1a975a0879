//! Documents in files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Reads the documents of a description from files: the first one as it is named, be it a pipe, and those
/// that it imports only if they are regular and in the folder of the first or the folders inside it,
/// wherever links lead. The author of a description must not make users read files that they did not mean.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    first: PathBuf,
    /// Without links; none where every folder may be read.
    top: Option<PathBuf>,
}

impl Folder {
    /// The folder of the description's first document; with `other_folders`, all others too.
    ///
    /// # Errors
    /// There is no such folder.
    pub(super) fn of(first: &Path, other_folders: bool) -> io::Result<Self> {
        let parent = first.parent().filter(|it| !it.as_os_str().is_empty());
        let top = match other_folders {
            true => None,
            false => Some(parent.unwrap_or(Path::new(".")).canonicalize()?),
        };
        Ok(Self { first: first.to_owned(), top })
    }

    /// The bytes of a document.
    ///
    /// # Errors
    /// Says why it is not read: there is none, it is no regular file, it is elsewhere, or it is longer than
    /// `most` bytes.
    pub(super) fn read(&self, path: &Path, most: usize) -> Result<Vec<u8>, String> {
        let file = match path == self.first {
            true => File::open(path).map_err(|cause| cause.to_string())?,
            false => self.imported(path)?,
        };
        let mut bytes = Vec::new();
        let most_read = (most as u64).saturating_add(1);
        file.take(most_read).read_to_end(&mut bytes).map_err(|cause| cause.to_string())?;
        match bytes.len() > most {
            true => Err(format!("there are more than {most} bytes")),
            false => Ok(bytes),
        }
    }

    fn imported(&self, path: &Path) -> Result<File, String> {
        let found = path.canonicalize().map_err(|cause| cause.to_string())?;
        if let Some(top) = self.top.as_ref().filter(|it| !found.starts_with(it)) {
            let top = top.display();
            return Err(format!("it is outside of the folder {top} (--other-folders)"));
        }
        let kind = |file: std::fs::Metadata| match file.is_file() {
            true => Ok(()),
            false => Err("it is no regular file".to_owned()),
        };
        // Before it is opened, since opening a pipe waits; and what was opened, since it may be another.
        found.metadata().map_err(|cause| cause.to_string()).and_then(kind)?;
        let file = File::open(&found).map_err(|cause| cause.to_string())?;
        file.metadata().map_err(|cause| cause.to_string()).and_then(kind)?;
        Ok(file)
    }
}
