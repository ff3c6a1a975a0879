//! Where data is kept that must reach a disk.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// File systems that are in memory.
const IN_MEMORY: [&str; 4] = ["tmpfs", "ramfs", "devtmpfs", "zram"];

/// A folder on a disk.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// What is mounted there, such as `ext4 on /dev/vda`.
    pub(crate) file_system: String,
}

impl Place {
    /// The first of the folder of temporary files, the working folder and `/var/tmp` that is not in
    /// memory.
    ///
    /// # Errors
    /// All are, or the system does not tell.
    pub(crate) fn find() -> io::Result<Self> {
        let mounts = fs::read_to_string("/proc/self/mounts")?;
        let folders = [Some(env::temp_dir()), env::current_dir().ok(), Some("/var/tmp".into())];
        for folder in folders.into_iter().flatten() {
            let Ok(folder) = folder.canonicalize() else { continue };
            if let Some((kind, device)) = mounted_at(&mounts, &folder)
                && !IN_MEMORY.contains(&kind)
            {
                return Ok(Self { file_system: format!("{kind} on {device}"), folder });
            }
        }
        Err(io::Error::new(io::ErrorKind::Unsupported, "no folder here is on a disk"))
    }
}

/// The kind and the device of the file system in which a folder is: the longest mount point that leads to
/// it, the last of those that are mounted over one another.
fn mounted_at<'a>(mounts: &'a str, folder: &Path) -> Option<(&'a str, &'a str)> {
    let mut found: Option<(&str, &str, &str)> = None;
    for line in mounts.lines() {
        let mut words = line.split(' ');
        let (Some(device), Some(point), Some(kind)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let is_longer = found.is_none_or(|(known, ..)| point.len() >= known.len());
        if folder.starts_with(point) && is_longer {
            found = Some((point, kind, device));
        }
    }
    found.map(|(_, kind, device)| (kind, device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_where_the_longest_mount_point_leads() {
        let mounts =
            "/dev/vda / ext4 rw 0 0\ntmpfs /run tmpfs rw 0 0\n/dev/vdb /run/data xfs rw 0 0\n";
        let at = |folder: &str| mounted_at(mounts, Path::new(folder)).expect("a root");
        assert_eq!(at("/srv"), ("ext4", "/dev/vda"));
        assert_eq!(at("/run/other"), ("tmpfs", "tmpfs"));
        assert_eq!(at("/run/data/log"), ("xfs", "/dev/vdb"));
        assert_eq!(at("/runner"), ("ext4", "/dev/vda"));
    }
}
