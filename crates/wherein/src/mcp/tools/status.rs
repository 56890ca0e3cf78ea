//! `status`: what can be found, and what can't.

use serde_json::Value;

use crate::mcp::schema::Param;

use crate::render;

use super::{Call, Reply, Tool};

pub(super) static STATUS: Tool = Tool {
    name: "status",
    about: "Tells what is indexed: folders, files, languages, what was skipped and why, what is being indexed.",
    tells_content: false,
    reads_only: true,
    params: &[Param::text("root", "Only this folder, where several are served: its name or path")],
    run,
};

fn run(call: &Call<'_>) -> anyhow::Result<Reply> {
    let (mut text, mut roots) = (String::new(), Vec::new());
    for target in call.session.named(call.arguments.text("root"))? {
        let root = target.root.display().to_string();
        let status = match call.session.served(&target).and_then(|served| Ok(served.engine.status()?)) {
            Ok(status) => status,
            Err(error) => {
                text += &format!("{root}: {error:#}\n");
                roots.push(serde_json::json!({"root": root, "error": format!("{error:#}")}));
                continue;
            }
        };
        let coverage = &status.coverage;
        let state = match (status.writing, coverage.partial, status.stale) {
            (true, ..) => "being indexed at this moment",
            (_, true, _) => "not everything found is indexed yet",
            (_, _, true) => "files changed since; the next question brings it up to date",
            _ => "up to date",
        };
        text += &format!("{root}: {state}\n");
        text += &format!(
            "  {} files, {} passages, generation {}\n",
            coverage.files, coverage.chunks, coverage.generation
        );
        text += &format!("  languages: {}\n", render::counts(&status.languages));
        text += &format!("  skipped: {}\n", render::counts(&coverage.skipped));
        if let Some(share) = coverage.deep {
            text += &format!("  prose known to the deep model: {:.0} %\n", share * 100.0);
        }
        roots.push(serde_json::to_value(&status)?);
    }
    let (done, total) = call.session.progress();
    if total > 0 {
        text += &format!("indexing: {done} of {total}\n");
    }
    Ok(Reply::new(text, serde_json::json!({"roots": Value::Array(roots)})))
}
