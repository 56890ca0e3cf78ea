//! Where indexes lie when the data folder can't be written, as in the sandboxes of coding agents: inside the project, else in the
//! folder for temporary files.

use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use wherein_engine::{Config, Engine};

/// The folder inside a project.
const FOLDER: &str = ".wherein";

/// Whether indexes can be kept in a data folder.
pub(super) fn is_usable(data_dir: &Path) -> bool {
    is_writable(&data_dir.join("roots"))
}

/// Another data folder for a root, and what to say of it, the first time.
///
/// # Errors
/// Where nothing can be written anywhere.
pub(super) fn data_dir(config: &Config, root: &Path) -> anyhow::Result<(PathBuf, Option<String>)> {
    let usual = &config.data_dir;
    let inside = inside(root);
    let dir = if is_writable(&inside) {
        // git is not to see it.
        let ignore = inside.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").with_context(|| format!("write {}", ignore.display()))?;
        }
        inside
    } else {
        temporary()
            .with_context(|| format!("neither {} nor {} can be written", usual.display(), root.display()))?
    };
    let other = Engine::open(root, Config { data_dir: dir.clone(), ..config.clone() })?;
    if other.is_indexed() {
        return Ok((dir, None));
    }
    // What the usual folder knows is a good start; one that was being written is found out by its checksums.
    let known = Engine::open(root, config.clone())?;
    if known.is_indexed() {
        copy(known.index_dir(), other.index_dir())?;
    }
    let note = format!(
        "{} can't be written; the index of this folder is kept in {}",
        usual.display(),
        dir.display()
    );
    Ok((dir, Some(note)))
}

/// The data folder inside a project.
pub(super) fn inside(root: &Path) -> PathBuf {
    root.join(FOLDER)
}

/// Whether a folder is there, or can be made, and takes files.
fn is_writable(folder: &Path) -> bool {
    check_writable(folder).is_ok()
}

/// Tries it.
///
/// # Errors
/// What keeps the folder from being made or written.
pub(crate) fn check_writable(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop))
}

/// The user's own folder for temporary files.
fn temporary() -> anyhow::Result<PathBuf> {
    let dir = temporary_dir();
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    if let Err(error) = builder.create(&dir)
        && error.kind() != std::io::ErrorKind::AlreadyExists
    {
        return Err(error).with_context(|| format!("create {}", dir.display()));
    }
    // Anybody may have made a folder of that name.
    let meta = fs::symlink_metadata(&dir).with_context(|| format!("open {}", dir.display()))?;
    ensure!(meta.is_dir() && is_own(&meta), "{} belongs to somebody else", dir.display());
    Ok(dir)
}

/// The same, where it is there already.
pub(super) fn temporary_if_there() -> Option<PathBuf> {
    let dir = temporary_dir();
    fs::symlink_metadata(&dir).is_ok_and(|meta| meta.is_dir() && is_own(&meta)).then_some(dir)
}

fn temporary_dir() -> PathBuf {
    std::env::temp_dir().join(format!("wherein-{}", user()))
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(unix)]
fn is_own(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(meta) == user()
}

#[cfg(not(unix))]
fn user() -> &'static str {
    "user"
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("read {}", from.display()))? {
        let (from, to) = (entry?.path(), to);
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to).with_context(|| format!("copy {}", from.display()))?;
        }
    }
    Ok(())
}
