//! Messages as lines of JSON. The SDK's own transport passes over what is no JSON in silence; here each such line gets an error, a message before
//! the handshake that is none of it does not end the connection, and an `initialize` that lacks what it should have is taken all the same.

use std::collections::VecDeque;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The longest line that is read.
const LONGEST: u64 = 16 << 20;

/// A connection of two streams.
pub(super) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is still to be passed over.
    skips: bool,
    write: Arc<Mutex<W>>,
    /// What is left of a batch, which revision 2025-03-26 has.
    batch: VecDeque<Value>,
    /// Whether anything but a notification has come.
    has_begun: bool,
    /// An error of ours that is being written. It has a task of its own, since who waits for the next message may give that up at any moment.
    reply: Option<JoinHandle<std::io::Result<()>>>,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        let (read, write) = (BufReader::new(read), Arc::new(Mutex::new(write)));
        Lines {
            read,
            line: Vec::new(),
            skips: false,
            batch: VecDeque::new(),
            write,
            has_begun: false,
            reply: None,
        }
    }

    /// The next line, without its end; `None` at the end of input. A wait that is given up loses nothing.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, ErrorData>> {
        loop {
            let left = (LONGEST + 1).saturating_sub(self.line.len() as u64);
            let count = (&mut self.read).take(left).read_until(b'\n', &mut self.line).await.ok()?;
            let is_whole = self.line.last() == Some(&b'\n');
            if count == 0 && left > 0 {
                // A last line without an end was no whole message.
                return None;
            }
            if !is_whole && self.line.len() as u64 <= LONGEST {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let was_skipping = std::mem::replace(&mut self.skips, !is_whole);
            if was_skipping {
                continue;
            }
            if !is_whole {
                return Some(Err(ErrorData::new(
                    ErrorCode::INVALID_REQUEST,
                    "the message is too long",
                    None,
                )));
            }
            return Some(Ok(line));
        }
    }

    /// The next message as JSON, or what is wrong with it and the id to say it under; `None` at the end of input.
    async fn next_value(&mut self) -> Option<Result<Value, (ErrorData, Value)>> {
        loop {
            if let Some(value) = self.batch.pop_front() {
                return Some(Ok(value));
            }
            let line = match self.next_line().await? {
                Ok(line) => line,
                Err(error) => return Some(Err((error, Value::Null))),
            };
            let text = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
            if text.is_empty() {
                continue;
            }
            match serde_json::from_slice(text) {
                Ok(Value::Array(all)) if !all.is_empty() && all.iter().all(Value::is_object) => {
                    self.batch.extend(all);
                }
                Ok(value) => return Some(Ok(value)),
                Err(error) => {
                    let error =
                        ErrorData::new(ErrorCode::PARSE_ERROR, format!("this is no JSON: {error}"), None);
                    // Half of a surrogate pair, which JavaScript writes, hides nothing but itself.
                    let id = serde_json::from_slice::<OnlyId>(text).ok().map(|message| message.id);
                    let id = id.filter(|id| id.is_string() || id.is_number());
                    return Some(Err((error, id.unwrap_or_default())));
                }
            }
        }
    }

    /// A message, or what is wrong with it and the id to say it under; `None` for what nobody needs to hear of.
    fn read_message(&mut self, mut value: Value) -> Option<Result<ClientJsonRpcMessage, (ErrorData, Value)>> {
        complete_initialize(&mut value);
        let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
        let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
        match serde_json::from_value::<ClientJsonRpcMessage>(value) {
            Ok(message) => {
                let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
                // Before the handshake there is nothing that a notification or a response could be about.
                if !self.has_begun && !is_request {
                    return None;
                }
                self.has_begun |= is_request;
                Some(Ok(message))
            }
            // Nobody waits for an answer to a notification that we don't know.
            Err(_) if id.is_none() && method.as_deref().is_some_and(|m| m.starts_with("notifications/")) => {
                None
            }
            Err(error) => {
                let error =
                    ErrorData::new(ErrorCode::INVALID_REQUEST, format!("this is no request: {error}"), None);
                Some(Err((error, id.unwrap_or_default())))
            }
        }
    }
}

/// What of a message is read where the whole can't be.
#[derive(Deserialize)]
struct OnlyId {
    id: Value,
    /// Only who asks waits for an answer under that id.
    #[serde(rename = "method")]
    _method: IgnoredAny,
}

/// A version, a name and capabilities are asked for by later revisions only; who leaves them out is answered.
fn complete_initialize(value: &mut Value) {
    if value.get("method").and_then(Value::as_str) != Some("initialize") {
        return;
    }
    let Some(message) = value.as_object_mut() else { return };
    let params = message.entry("params").or_insert_with(|| json!({}));
    let Some(params) = params.as_object_mut() else { return };
    params.entry("protocolVersion").or_insert_with(|| json!("2024-11-05"));
    params.entry("capabilities").or_insert_with(|| json!({}));
    params.entry("clientInfo").or_insert_with(|| json!({"name": "unknown", "version": "0"}));
}

async fn write<W: AsyncWrite + Unpin>(out: Arc<Mutex<W>>, mut line: Vec<u8>) -> std::io::Result<()> {
    line.push(b'\n');
    let mut out = out.lock().await;
    out.write_all(&line).await?;
    out.flush().await
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer>
    for Lines<R, W>
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let out = Arc::clone(&self.write);
        async move { write(out, serde_json::to_vec::<ServerJsonRpcMessage>(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(reply) = &mut self.reply {
                // A reader that is gone ends the connection.
                reply.await.ok()?.ok()?;
                self.reply = None;
            }
            let (error, id) = match self.next_value().await? {
                Err(failed) => failed,
                Ok(value) => match self.read_message(value) {
                    None => continue,
                    Some(Ok(message)) => return Some(message),
                    Some(Err(failed)) => failed,
                },
            };
            let reply = json!({"jsonrpc": "2.0", "id": id, "error": error});
            let line = serde_json::to_vec(&reply).ok()?;
            self.reply = Some(tokio::spawn(write(Arc::clone(&self.write), line)));
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.write.lock().await.shutdown().await
    }
}
