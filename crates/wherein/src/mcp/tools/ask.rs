//! One question to the served roots: the way that every searching tool goes.

use wherein_engine::{Answer, Area, Engine, Query, Scope};

use crate::mcp::served::Ready;
use crate::settings::segment_globs;

use super::files::Places;
use super::{Call, told};

/// What is asked.
#[derive(Default)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) k: usize,
    /// A root, by name or path.
    pub(super) root: Option<String>,
    /// Folders, files or globs.
    pub(super) paths: Vec<String>,
    pub(super) languages: Vec<String>,
    pub(super) areas: Vec<Area>,
    /// Fragments of paths.
    pub(super) exclude: Vec<String>,
    pub(super) segment: Option<String>,
    pub(super) min_score: Option<f32>,
    /// Whether what the configuration leaves out is asked too.
    pub(super) all: bool,
}

/// The answer, with the roots that gave it.
pub(super) struct Asked {
    pub(super) answer: Answer,
    pub(super) ready: Vec<Ready>,
}

impl Asked {
    /// What the reader should know beside the answer.
    pub(super) fn caveats(&self) -> Vec<String> {
        told(self.answer.notes.clone(), &self.answer.coverage)
    }
}

/// Asks all roots that are meant as one corpus.
pub(super) fn ask(call: &Call<'_>, question: &Question) -> anyhow::Result<Asked> {
    let (ready, notes) = call.ready(&call.session.named(question.root.as_deref())?)?;
    let places = Places::new(&question.paths, &ready)?;
    let queries = ready.iter().map(|ready| query(question, ready, &places));
    let queries: Vec<Query> = queries.collect::<anyhow::Result<_>>()?;
    let parts: Vec<_> =
        ready.iter().zip(&queries).map(|(ready, query)| (ready.engine(), &*ready.snapshot, query)).collect();
    let mut answer = Engine::search_corpus(&parts)?;
    ready.iter().for_each(|ready| ready.tell(&mut answer.coverage));
    answer.notes.extend(notes);
    Ok(Asked { answer, ready })
}

fn query(question: &Question, ready: &Ready, places: &Places) -> anyhow::Result<Query> {
    let like = ready.served.project.query(question.all);
    let (within, globs) = places.of(ready);
    Ok(Query {
        scope: Scope {
            within,
            globs,
            exclude: [&question.exclude[..], &like.scope.exclude].concat(),
            segment: segment_globs(ready.engine(), question.segment.as_deref())?,
            languages: question.languages.clone(),
            areas: question.areas.clone(),
        },
        k: question.k,
        min_score: question.min_score.or(like.min_score),
        text: question.text.clone(),
        ..like
    })
}
