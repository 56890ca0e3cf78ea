//! Killed at any moment, the generation before or after answers, and the next run goes on.

use std::process::Stdio;
use std::time::Duration;

use crate::world::World;

/// Enough work that moments spread over listing, parsing, storing and committing.
fn world(files: usize) -> World {
    let world = World::new();
    for i in 0..files {
        let body: String = (0..12)
            .map(|j| {
                format!(
                    "def step_{i}_{j}(x):\n    '''Does step {j} of job {i}.'''\n    return x * {j} + {i}\n\n"
                )
            })
            .collect();
        world.write(&format!("pkg{}/job{i}.py", i % 7), body);
    }
    world
}

pub(crate) fn killed_after(world: &World, args: &[&str], moment: Duration) {
    let mut child =
        world.command(&world.root(), args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(moment);
    // One that is done already was not killed; both must leave an index that answers.
    drop(child.kill());
    child.wait().unwrap();
}

#[test]
fn a_first_index_killed_anywhere_goes_on() {
    let world = world(150);
    for moment in 0..20 {
        killed_after(&world, &["index"], Duration::from_millis(5 + moment * 23));
        let out = world.run(&["search", "--no-refresh", "--json", "step_3_4"]);
        let never = out.code == 1 && out.stdout.contains("not_indexed");
        assert!(out.code == 0 || never, "{moment}: {} {}", out.stdout, out.stderr);
        if moment % 5 == 4 {
            std::fs::remove_dir_all(world.home().join(".local")).unwrap();
        }
    }
    assert_eq!(world.found("step_3_4")[0], "pkg3/job3.py");
    assert_eq!(world.json(&["status", "--json"])["coverage"]["files"], 150);
}

#[test]
fn an_update_killed_anywhere_leaves_old_or_new() {
    let world = world(60);
    assert_eq!(world.run(&["index"]).code, 0);
    for moment in 0..20 {
        let word = format!("quokka{moment}");
        for i in 0..60 {
            world.write(
                &format!("pkg{}/job{i}.py", i % 7),
                format!("def {word}_{i}():\n    return {moment}\n"),
            );
        }
        killed_after(&world, &["index"], Duration::from_millis(3 + moment * 9));
        let out = world.run(&["search", "--no-refresh", "--json", "--min-score", "0", "-k", "100", "step"]);
        assert_eq!(out.code, 0, "{moment}: {} {}", out.stdout, out.stderr);
        assert_eq!(world.json(&["status", "--json"])["coverage"]["files"], 60);
    }
    assert_eq!(world.found("quokka19_7")[0], "pkg0/job7.py");
}
