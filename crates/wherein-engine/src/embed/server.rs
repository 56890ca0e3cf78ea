//! Models that a server runs: Ollama, and whatever speaks OpenAI's `/embeddings` (TEI, vLLM, llama.cpp, LM Studio).

use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use ureq::Agent;

use crate::config::{Api, Server};
use crate::error::{Error, Result};

use super::{Embedder, Role, TEXT_FORM};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(2);
/// How long an answer to some passages may take; a server may have to load its model first.
const PATIENCE: Duration = Duration::from_secs(120);
/// The same for a question: somebody waits.
const QUESTION_PATIENCE: Duration = Duration::from_secs(5);
/// Pauses between tries for passages.
const PAUSES: [Duration; 3] = [Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(4)];
/// Texts of one call.
const BATCH: usize = 32;

/// A model on a server.
pub(super) struct ServerModel {
    server: Server,
    identity: String,
    dimensions: usize,
    /// For passages, and for questions.
    agents: (Agent, Agent),
}

/// Why a call failed, and whether it may be tried again.
struct Failure {
    message: String,
    passes: bool,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

impl ServerModel {
    /// Asks the server for one vector, to know how long they are.
    ///
    /// # Errors
    /// [`Error::Model`] where it is down or has no such model.
    pub(super) fn connect(server: &Server) -> Result<ServerModel> {
        let agent = |patience: Duration| {
            let config = Agent::config_builder()
                .timeout_connect(Some(CONNECT))
                .timeout_global(Some(patience))
                .http_status_as_error(false)
                // No redirect leads anywhere else.
                .max_redirects(0)
                .build();
            Agent::new_with_config(config)
        };
        let mut out = ServerModel {
            server: server.clone(),
            identity: identity(server),
            dimensions: 0,
            agents: (agent(PATIENCE), agent(QUESTION_PATIENCE)),
        };
        let one = out.call(Role::Question, &["dimensions"]).map_err(|failure| out.error(&failure.message))?;
        out.dimensions = one.first().map_or(0, Vec::len);
        if out.dimensions == 0 { Err(out.error("it gave an empty vector")) } else { Ok(out) }
    }

    fn error(&self, message: &str) -> Error {
        let Server { url, model, .. } = &self.server;
        Error::Model { model: format!("{model} at {url}"), message: message.to_owned() }
    }

    /// The vectors of some texts, as the server gives them.
    fn call(&self, role: Role, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, Failure> {
        let (prefix, agent) = match role {
            Role::Question => (&self.server.prefixes.0, &self.agents.1),
            Role::Passage => (&self.server.prefixes.1, &self.agents.0),
        };
        let input: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        let base = self.server.url.trim_end_matches('/');
        let (url, body) = match self.server.api {
            Api::Ollama => (
                format!("{base}/api/embed"),
                json!({"model": self.server.model, "input": input, "truncate": true}),
            ),
            Api::OpenAi => {
                (format!("{base}/embeddings"), json!({"model": self.server.model, "input": input}))
            }
        };
        let mut request = agent.post(&url);
        if let Some(key) = &self.server.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = request
            .send_json(&body)
            .map_err(|error| Failure { message: format!("no answer: {error}"), passes: true })?;
        let status = response.status();
        if !status.is_success() {
            let text = response.body_mut().read_to_string().unwrap_or_default();
            let passes = status.is_server_error() || status.as_u16() == 429;
            return Err(Failure { message: format!("it answered {status}: {}", said(&text)), passes });
        }
        let read = |error: ureq::Error| Failure {
            message: format!("its answer is no vectors: {error}"),
            passes: false,
        };
        let vectors = match self.server.api {
            Api::Ollama => response.body_mut().read_json::<OllamaAnswer>().map_err(read)?.embeddings,
            Api::OpenAi => {
                let mut data = response.body_mut().read_json::<OpenAiAnswer>().map_err(read)?.data;
                data.sort_by_key(|one| one.index);
                data.into_iter().map(|one| one.embedding).collect()
            }
        };
        let message = format!("it gave {} vectors for {} texts", vectors.len(), texts.len());
        if vectors.len() == texts.len() { Ok(vectors) } else { Err(Failure { message, passes: false }) }
    }

    /// Tries again what may pass, but for questions.
    fn call_again(&self, role: Role, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut pauses = PAUSES.iter().filter(|_| role == Role::Passage);
        loop {
            match (self.call(role, texts), pauses.next()) {
                (Ok(vectors), _) => return Ok(vectors),
                (Err(failure), Some(pause)) if failure.passes => thread::sleep(*pause),
                (Err(failure), _) => return Err(self.error(&failure.message)),
            }
        }
    }
}

impl Embedder for ServerModel {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn pieces(&self, _text: &str) -> Option<usize> {
        None
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn embed(&self, role: Role, texts: &[&str], out: &mut [f32]) -> Result<()> {
        let groups = texts.chunks(BATCH).zip(out.chunks_mut(BATCH * self.dimensions));
        for (texts, out) in groups {
            let vectors = self.call_again(role, texts)?;
            for (vector, out) in vectors.iter().zip(out.chunks_exact_mut(self.dimensions)) {
                if vector.len() != out.len() {
                    return Err(self.error(&format!(
                        "it gave {} numbers, before {}",
                        vector.len(),
                        out.len()
                    )));
                }
                out.copy_from_slice(vector);
                super::kernel::normalise(out);
            }
        }
        Ok(())
    }
}

/// Names a server's vectors. Its weights can't be seen: a model that is replaced under its name goes unnoticed.
pub(super) fn identity(server: &Server) -> String {
    let api = match server.api {
        Api::Ollama => "ollama",
        Api::OpenAi => "openai",
    };
    let (question, passage) = &server.prefixes;
    format!(
        "{api}:{}@{}/{question:?},{passage:?}/{TEXT_FORM}",
        server.model,
        server.url.trim_end_matches('/')
    )
}

/// What an error says, out of JSON where it is JSON, in one line.
fn said(text: &str) -> String {
    let json: Option<Value> = serde_json::from_str(text).ok();
    let message = json.as_ref().and_then(|json| {
        let error = &json["error"];
        error.as_str().or_else(|| error["message"].as_str())
    });
    message.unwrap_or(text).split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

#[cfg(test)]
mod tests;
