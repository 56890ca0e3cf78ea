//! A watched root is fresh without being asked.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use crate::world::World;

/// Long enough for the busiest machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Watching {
    child: Child,
    lines: Receiver<Value>,
}

impl Watching {
    fn begin(world: &World) -> Watching {
        let mut command = world.command(&world.root(), &["watch", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                drop(send.send(serde_json::from_str(&line).unwrap()));
            }
        });
        Watching { child, lines }
    }

    /// Waits for an event.
    fn next(&self, name: &str) -> Value {
        loop {
            let event = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {name}"));
            if event["event"] == name {
                return event;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What is found without looking at the disk.
fn found(world: &World, query: &str) -> Vec<String> {
    let answer = world.json(&["search", "--no-refresh", "--json", "--min-score", "0", query]);
    let texts = answer["results"].as_array().unwrap().iter();
    texts
        .filter(|hit| hit["text"].as_str().unwrap().contains(query))
        .map(|hit| hit["path"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn changes_are_indexed_as_they_come() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    world.write(".gitignore", "out/\n");
    world.index();
    // Changed while nobody watched.
    world.write("src/retry.py", "def before_the_watch():\n    pass\n");
    let watching = Watching::begin(&world);
    assert_eq!(watching.next("indexed")["indexed"], 1);
    let folders = watching.next("ready")["folders"].as_u64().unwrap();
    assert_eq!(found(&world, "before_the_watch"), ["src/retry.py"]);

    world.write("src/retry.py", "def changed_quokka():\n    pass\n");
    assert_eq!(watching.next("indexed")["indexed"], 1);
    assert_eq!(found(&world, "changed_quokka"), ["src/retry.py"]);

    world.write("deep/er/new.py", "def new_wombat():\n    pass\n");
    watching.next("indexed");
    assert_eq!(found(&world, "new_wombat"), ["deep/er/new.py"]);
    // Its folder is watched from now on.
    world.write("deep/er/new.py", "def newer_numbat():\n    pass\n");
    watching.next("indexed");
    assert_eq!(found(&world, "newer_numbat"), ["deep/er/new.py"]);

    // What git ignores wakes nobody, and is not watched.
    world.write("out/log.txt", "ignored_bilby\n");
    fs::rename(world.root().join("src/retry.py"), world.root().join("src/moved.py")).unwrap();
    assert_eq!(watching.next("indexed")["deleted"], 1);
    assert_eq!(found(&world, "changed_quokka"), ["src/moved.py"]);
    assert!(found(&world, "ignored_bilby").is_empty());

    fs::remove_dir_all(world.root().join("deep")).unwrap();
    assert_eq!(watching.next("indexed")["deleted"], 1);
    assert!(found(&world, "newer_numbat").is_empty());
    assert!(folders >= 4, "the root, docs, src, .git: {folders}");
}

#[test]
fn deep_vectors_are_filled_in_beside_it() {
    let world = World::with_sample();
    let watching = Watching::begin(&world);
    watching.next("ready");
    assert!(watching.next("deepened")["embedded"].as_u64().unwrap() > 0);
    let share = || world.json(&["status", "--json"])["coverage"]["deep"].as_f64().unwrap();
    assert!((share() - 1.0).abs() < 1e-6);
    world.write("docs/new.md", "# Quokkas\n\nThey live on an island.\n");
    assert_eq!(watching.next("deepened")["embedded"], 1);
    assert!((share() - 1.0).abs() < 1e-6);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_well() {
    let world = World::with_sample();
    let mut watching = Watching::begin(&world);
    watching.next("ready");
    let interrupt =
        std::process::Command::new("kill").args(["-INT", &watching.child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    assert_eq!(watching.child.wait().unwrap().code(), Some(0));
}
