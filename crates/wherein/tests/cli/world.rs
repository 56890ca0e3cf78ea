//! A world of its own for each test: an own home, no user configuration, no colours, nothing of the machine's environment but PATH.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run printed, and how it ended.
#[derive(Debug)]
#[must_use]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// A home, and a folder to search.
pub(crate) struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// An empty folder.
    pub(crate) fn new() -> World {
        let world = World { dir: tempfile::tempdir().unwrap() };
        for folder in [world.home(), world.root()] {
            fs::create_dir(folder).unwrap();
        }
        world
    }

    /// Two python files, two documents and a picture.
    pub(crate) fn with_sample() -> World {
        let world = World::new();
        world.write(
            "src/retry.py",
            "import time\n\n\ndef retry_with_backoff(call, attempts=5):\n    \"\"\"Call again after a failure, waiting longer each time.\"\"\"\n    for attempt in range(attempts):\n        try:\n            return call()\n        except IOError:\n            time.sleep(2 ** attempt)\n    raise TimeoutError(\"gave up\")\n",
        );
        world.write(
            "src/session_cache.py",
            "class SessionCache:\n    \"\"\"Keeps sessions until they expire.\"\"\"\n\n    def __init__(self, ttl):\n        self.ttl = ttl\n        self.entries = {}\n\n    def evict_expired(self, now):\n        for key, entry in list(self.entries.items()):\n            if entry.created + self.ttl < now:\n                del self.entries[key]\n",
        );
        world.write("docs/deploy.md", "# Deployment\n\nHow to roll out a release.\n\n## Rollback\n\nPut the previous image back and retry the health check.\n");
        world.write("README.md", "# Sample\n\nA payment service.\n");
        fs::write(world.root().join("logo.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
        world
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("root")
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let full = self.root().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, content).unwrap();
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let mut command = Command::new("git");
        self.environment(&mut command);
        command.args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args).current_dir(self.root());
        assert!(command.status().unwrap().success(), "git {args:?}");
    }

    pub(crate) fn environment(&self, command: &mut Command) {
        command.env_clear().env("HOME", self.home()).env("GIT_CONFIG_NOSYSTEM", "1");
        // A busy machine must not make an answer another one.
        command.env("WHEREIN_REFRESH_MS", "120000");
        command.env("GIT_CEILING_DIRECTORIES", self.dir.path().canonicalize().unwrap());
        #[expect(clippy::disallowed_methods, reason = "git is found on the machine's PATH")]
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    }

    /// The program, ready to run in the folder.
    pub(crate) fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherein"));
        self.environment(&mut command);
        command.args(args).current_dir(folder);
        command
    }

    pub(crate) fn run_in(&self, folder: &Path, args: &[&str]) -> Output {
        finish(&mut self.command(folder, args))
    }

    /// Runs as somebody whom permissions bind: root without the rights that make it exempt.
    #[cfg(unix)]
    pub(crate) fn run_bound(&self, args: &[&str]) -> Output {
        let is_root = rustix::process::geteuid().is_root();
        let plain = self.command(&self.root(), args);
        let mut command = if is_root { Command::new("setpriv") } else { Command::new(plain.get_program()) };
        if is_root {
            let without = "-dac_override,-dac_read_search";
            command.args([format!("--bounding-set={without}"), format!("--inh-caps={without}")]);
            command.arg(plain.get_program());
        }
        self.environment(&mut command);
        finish(command.args(args).current_dir(self.root()))
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_in(&self.root(), args)
    }

    /// Indexes the folder.
    pub(crate) fn index(&self) {
        let out = self.run(&["index"]);
        assert_eq!(out.code, 0, "{}", out.stderr);
    }

    /// Runs and reads the one JSON object on stdout.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let out = self.run(args);
        assert_eq!(out.code, 0, "{args:?}: {} {}", out.stdout, out.stderr);
        serde_json::from_str(&out.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", out.stdout))
    }

    /// The paths that a query finds, whatever their score.
    pub(crate) fn found(&self, query: &str) -> Vec<String> {
        let answer = self.json(&["search", "--json", "--", query]);
        answer["results"].as_array().unwrap().iter().map(|h| h["path"].as_str().unwrap().to_owned()).collect()
    }

    /// Runs with a stdout whose reader is gone.
    pub(crate) fn run_closing_stdout(&self, args: &[&str]) -> i32 {
        let mut child =
            self.command(&self.root(), args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        child.wait().unwrap().code().unwrap()
    }
}

/// Runs a program without input to its end.
fn finish(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Output {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}
