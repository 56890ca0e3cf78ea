//! The deep tier: filled in behind the first answer, resumed after a kill, shared by equal passages, left out where it is not wanted.

use std::time::Duration;

use serde_json::Value;

use crate::kill::killed_after;
use crate::world::World;

/// Documents about different things, each with some sections.
fn handbook(world: &World, documents: usize) {
    for i in 0..documents {
        let section = |j: usize| {
            format!(
                "## Part {j} of {i}\n\nA valve of kind {i} is opened by hand, turned {j} times and left for {} minutes.\n\n",
                i * 7 + j
            )
        };
        world.write(
            &format!("docs/valve{i}.md"),
            format!("# Valve {i}\n\n{}", (0..24).map(section).collect::<String>()),
        );
    }
}

/// The share of prose that has deep vectors, as `status` tells it.
fn share(world: &World) -> f64 {
    world.json(&["status", "--json"])["coverage"]["deep"].as_f64().unwrap()
}

/// The passages, and what a run did for the deep tier.
fn indexed(world: &World, args: &[&str]) -> (u64, Value) {
    let out = world.json(&[&["index", "--json"], args].concat());
    let root = &out["roots"][0];
    (root["coverage"]["chunks"].as_u64().unwrap(), root["deep"].clone())
}

#[test]
fn prose_is_found_by_what_it_means() {
    let world = World::with_sample();
    world.write("docs/pets.md", "# Housekeeping\n\nPlease keep your dog on a lead inside the building.\n");
    let question = ["search", "--json", "--min-score", "0", "where may animals walk"];
    // A search does not wait for the deep tier.
    assert_eq!(world.json(&question)["coverage"]["deep"], 0.0);
    let (_, deep) = indexed(&world, &[]);
    assert_eq!(deep["embedded"], 3, "{deep}");
    let answer = world.json(&question);
    assert_eq!(
        (&answer["coverage"]["deep"], &answer["results"][0]["path"]),
        (&Value::from(1.0), &"docs/pets.md".into())
    );
    assert!(answer["results"][0]["signals"]["deep"].as_f64().unwrap() > 0.2, "{answer}");
    // A changed section is embedded alone.
    world.write(
        "docs/deploy.md",
        "# Deployment\n\nHow to roll out a release.\n\n## Rollback\n\nRestore the image of the day before.\n",
    );
    assert_eq!(indexed(&world, &[]).1["embedded"], 1);
    assert_eq!(indexed(&world, &[]).1["embedded"], 0);
}

#[test]
fn killed_anywhere_it_goes_on_and_claims_no_more_than_there_is() {
    let world = World::new();
    handbook(&world, 8);
    let (chunks, deep) = indexed(&world, &["--no-wait"]);
    assert_eq!((share(&world), deep["embedded"].as_u64()), (0.0, Some(0)));
    let mut before = 0.0;
    for moment in 0..10 {
        killed_after(&world, &["index"], Duration::from_millis(30 + moment * 110));
        let now = share(&world);
        assert!((before..=1.0).contains(&now), "{moment}: {before} {now}");
        before = now;
        assert!(!world.found("valve 3 part 7").is_empty());
    }
    let (_, deep) = indexed(&world, &[]);
    let had = chunks - deep["embedded"].as_u64().unwrap();
    assert!((had as f64 / chunks as f64 - before).abs() < 1e-3, "{had} of {chunks}, but {before} was said");
    assert_eq!(share(&world), 1.0);
}

#[test]
fn equal_passages_of_another_folder_are_known() {
    let world = World::new();
    handbook(&world, 2);
    let (chunks, deep) = indexed(&world, &[]);
    assert_eq!(deep["embedded"].as_u64(), Some(chunks));
    // A rebuild takes over what the index had.
    assert_eq!(indexed(&world, &["--rebuild"]).1["embedded"], 0);
    let copy = world.home().join("copy");
    std::fs::create_dir_all(copy.join("docs")).unwrap();
    for entry in std::fs::read_dir(world.root().join("docs")).unwrap() {
        let file = entry.unwrap().path();
        std::fs::copy(&file, copy.join("docs").join(file.file_name().unwrap())).unwrap();
    }
    // The first search already.
    let out = world.run_in(&copy, &["search", "--json", "valve"]);
    let answer: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(answer["coverage"]["deep"], 1.0, "{}", out.stderr);
}

#[test]
fn the_policy_says_what_gets_deep_vectors() {
    let world = World::with_sample();
    world.write(".wherein.toml", "[index]\ndeep = \"all\"\n");
    let (chunks, deep) = indexed(&world, &[]);
    assert_eq!(deep["embedded"].as_u64(), Some(chunks));
    world.write(".wherein.toml", "[index]\ndeep = \"none\"\n");
    assert_eq!(world.json(&["search", "--json", "retry"])["coverage"]["deep"], Value::Null);
    world.write(".wherein.toml", "[index]\ndeep = \"some\"\n");
    let out = world.run(&["index"]);
    assert_eq!(out.code, 1);
    assert!(out.stderr.contains(".wherein.toml") && out.stderr.contains("prose"), "{}", out.stderr);
}
