//! Which peers are on this machine.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{env, error, fmt, fs};

use trunkline_experiment::subjects::{Known, PEERS};

/// Where `make peers` puts them.
const DEFAULT_FOLDER: &str = "peers/build/bin";
/// Names another folder.
const FOLDER_VARIABLE: &str = "TRUNKLINE_PEERS";

/// The result of looking for the known peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// Where they were looked for.
    pub folder: PathBuf,
    /// Every known peer, in the order of [`PEERS`], with its program if that is there.
    pub peers: Vec<(Known, Option<PathBuf>)>,
    /// Nobody takes part, whoever is there.
    pub is_none: bool,
}

/// The folder that the user named is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchFolder {
    folder: PathBuf,
    named_by: &'static str,
}

impl fmt::Display for NoSuchFolder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {} is not a folder", self.named_by, self.folder.display())
    }
}

impl error::Error for NoSuchFolder {}

impl Discovery {
    /// None of the known peers, wherever they are.
    pub fn none() -> Self {
        let peers = PEERS.map(|known| (known, None)).into();
        Self { folder: DEFAULT_FOLDER.into(), peers, is_none: true }
    }

    /// Looks for the known peers in `folder`, else where the environment's `TRUNKLINE_PEERS` says,
    /// else in `peers/build/bin` below the current folder, which need not be there.
    ///
    /// # Errors
    /// If the user named a folder, one way or the other, and it is not there.
    pub fn of(folder: Option<&Path>) -> Result<Self, NoSuchFolder> {
        let from_environment = env::var_os(FOLDER_VARIABLE).filter(|value| !value.is_empty());
        let (folder, named_by) = match (folder, from_environment) {
            (Some(folder), _) => (folder.to_owned(), Some("--peers")),
            (None, Some(folder)) => (folder.into(), Some(FOLDER_VARIABLE)),
            (None, None) => (DEFAULT_FOLDER.into(), None),
        };
        if let Some(named_by) = named_by
            && !folder.is_dir()
        {
            return Err(NoSuchFolder { folder, named_by });
        }
        let mut found = Self { folder, peers: Vec::new(), is_none: false };
        found.peers = PEERS.map(|known| (known, found.program(known.name))).into();
        Ok(found)
    }

    /// The program of this name, if it is there.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        // Without a slash in it, a program would be searched for in the system's folders.
        let program = std::path::absolute(self.folder.join(name)).ok()?;
        (!self.is_none && is_executable(&program)).then_some(program)
    }

    /// The peers that are there.
    pub fn found(&self) -> impl Iterator<Item = (Known, &Path)> {
        self.peers.iter().filter_map(|(known, program)| Some((*known, program.as_deref()?)))
    }

    /// The peers that are not there.
    pub fn absent(&self) -> impl Iterator<Item = Known> {
        self.peers.iter().filter(|(_, program)| program.is_none()).map(|(known, _)| *known)
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
