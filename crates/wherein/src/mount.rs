//! Which folders lie on mounts of other machines, where locks may be shams, mapped files can vanish, and nobody tells of changes.

use std::path::Path;

/// File systems that are, or may be, of another machine, by the numbers that Linux gives them (statfs(2), linux/magic.h).
#[cfg(target_os = "linux")]
const REMOTE: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "SMB"),
    (0xfe53_4d42, "SMB"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9p"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0bd0_0bd0, "Lustre"),
    (0x786f_4256, "VirtualBox"),
];

/// What kind of mount of another machine holds a folder, or will when it is made; `None` where none does, or the system does not say.
pub(crate) fn remote(folder: &Path) -> Option<&'static str> {
    let there = folder.ancestors().find(|at| at.exists())?;
    kind_of(there)
}

#[cfg(target_os = "linux")]
fn kind_of(folder: &Path) -> Option<&'static str> {
    let number = rustix::fs::statfs(folder).ok()?.f_type;
    // The numbers are of 32 bits; how long the field is depends on the machine.
    #[expect(clippy::cast_sign_loss, reason = "bits, not an amount")]
    let number = number as u64 & 0xffff_ffff;
    REMOTE.iter().find(|(magic, _)| *magic == number).map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
fn kind_of(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn folders_here_are_here_and_names_are_told_once() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(remote(folder.path()), None);
        assert_eq!(remote(&folder.path().join("not/there/yet")), None);
        let mut numbers: Vec<u64> = REMOTE.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), REMOTE.len());
    }
}
