//! The protocol's side of a server: what it says of itself, its tools, and how a call is made one of the engine, which knows no waiting.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    self, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, Implementation, JsonObject, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler};
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::JoinError;
use wherein_engine::Cancel;

use super::describe;
use super::schema::{Arguments, schema};
use super::session::Session;
use super::tools::{Call, Profile, Reply, Tool};

/// How often a client that asked for it is told how far an index is.
const TELL: Duration = Duration::from_millis(500);
/// How long the client's folders are waited for.
const ROOTS: Duration = Duration::from_secs(2);

/// A server of one connection.
#[derive(Clone)]
pub(super) struct Server {
    session: Arc<Session>,
    profile: Profile,
    /// Whether the client has been asked for its folders.
    roots: Arc<OnceCell<()>>,
    /// Calls that the client may have under way.
    calls: Arc<Semaphore>,
    /// Calls that all clients of the process may.
    all_calls: Arc<Semaphore>,
}

/// How many calls of one client are worked on at once; the others wait.
const CALLS: usize = 8;
/// How many of all clients. Those of the revision without a handshake come one by one and are only counted here.
const ALL_CALLS: usize = 32;

impl Server {
    pub(super) fn new(session: Arc<Session>, profile: Profile) -> Server {
        Server {
            session,
            profile,
            roots: Arc::default(),
            calls: Arc::new(Semaphore::new(CALLS)),
            all_calls: Arc::new(Semaphore::new(ALL_CALLS)),
        }
    }

    /// A server of the same for another client.
    pub(super) fn for_another(&self) -> Server {
        Server { roots: Arc::default(), calls: Arc::new(Semaphore::new(CALLS)), ..self.clone() }
    }

    /// Asks the client for its folders, once, where it has some and they count.
    async fn ask_for_roots(&self, context: &RequestContext<RoleServer>) {
        let has_roots = |info: &model::InitializeRequestParams| info.capabilities.roots.is_some();
        if !self.session.wants_client_roots()
            || !context.peer.peer_info().is_some_and(|info| has_roots(&info))
        {
            return;
        }
        self.roots
            .get_or_init(|| async {
                self.take_roots(&context.peer).await;
            })
            .await;
    }

    /// A client that says it has folders and does not name them is served as if it had none.
    #[expect(deprecated, reason = "clients of the revisions before have nothing else to name folders with")]
    async fn take_roots(&self, peer: &Peer<RoleServer>) {
        if let Ok(Ok(listed)) = tokio::time::timeout(ROOTS, peer.list_roots()).await {
            self.session
                .set_client_roots(listed.roots.iter().filter_map(|root| folder_of(&root.uri)).collect());
        }
    }

    /// Runs a tool on a thread that may wait, telling the client how far an index is where it asked for that. Work that the client gives up ends
    /// as soon as it can, and counts as a call under way until then.
    async fn run(
        &self,
        tool: &'static Tool,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Reply {
        let turn = Arc::clone(&self.calls).acquire_owned().await;
        let turn = (turn, Arc::clone(&self.all_calls).acquire_owned().await);
        let session = Arc::clone(&self.session);
        let cancel = Arc::new(Cancel::new());
        let given_up = Arc::clone(&cancel);
        let mut work = tokio::task::spawn_blocking(move || {
            let done = (tool.run)(&Call { session: &session, arguments: &arguments, cancel: &given_up });
            drop(turn);
            done
        });
        let token = context.meta.get_progress_token();
        let mut tick = tokio::time::interval(TELL);
        loop {
            tokio::select! {
                done = &mut work => return outcome(done),
                () = context.ct.cancelled() => {
                    cancel.cancel();
                    return Reply::refused("cancelled".to_owned());
                }
                _ = tick.tick() => {
                    let (done, total) = self.session.progress();
                    if let Some(token) = token.clone().filter(|_| total > 0) {
                        let told = ProgressNotificationParam::new(token, done as f64)
                            .with_total(total as f64)
                            .with_message("indexing");
                        // Who does not listen gets the answer all the same.
                        drop(context.peer.notify_progress(told).await);
                    }
                }
            }
        }
    }
}

/// What became of a tool's work. A panic is a bug of ours; the server goes on.
fn outcome(done: Result<anyhow::Result<Reply>, JoinError>) -> Reply {
    match done {
        Ok(Ok(reply)) => reply,
        Ok(Err(error)) => Reply::refused(words(&error)),
        Err(error) => Reply::refused(format!("internal error: {error}")),
    }
}

/// A failure with what to do about it.
fn words(error: &anyhow::Error) -> String {
    let hint = error.downcast_ref::<wherein_engine::Error>().and_then(wherein_engine::Error::hint);
    hint.map_or_else(|| format!("{error:#}"), |hint| format!("{error:#}; {hint}"))
}

/// The folder of a `file:` address: percent-encoded, of any script, on Windows with its drive.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // An empty host or this machine.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    let drive =
        path.as_bytes().get(2) == Some(&b':') && path.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
    Some(PathBuf::from(if drive && cfg!(windows) { &path[1..] } else { &path[..] }))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let (name, instructions) = describe::server(&self.session, self.profile);
        let mut server = Implementation::new(name, env!("CARGO_PKG_VERSION"));
        server.title = Some("wherein".to_owned());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.ask_for_roots(&context).await;
        let session = Arc::clone(&self.session);
        let content = tokio::task::spawn_blocking(move || describe::content(&session));
        let content = content.await.unwrap_or_default();
        let describe = |tool: &&Tool| {
            let mut about = tool.about.to_owned();
            if tool.tells_content && !content.is_empty() {
                about = format!("{about}\n\n{content}");
            }
            let mut out = model::Tool::new(tool.name, about, Arc::new(schema(tool.params)));
            out.annotations =
                Some(ToolAnnotations::new().read_only(tool.reads_only).destructive(false).open_world(false));
            // Claude Code hides tools until the model looks for them; the one that everything begins with should be seen.
            out.meta = tool.tells_content.then(|| {
                model::MetaObject(JsonObject::from_iter([("anthropic/alwaysLoad".to_owned(), true.into())]))
            });
            out
        };
        Ok(ListToolsResult::with_all_items(self.profile.tools().iter().map(describe).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = self.profile.tools();
        let Some(tool) = tools.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
            let message = format!("no tool {:?}; there are {}", request.name, names.join(", "));
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        };
        self.ask_for_roots(&context).await;
        let reply = match Arguments::new(tool.params, request.arguments) {
            Ok(arguments) => self.run(tool, arguments, &context).await,
            Err(message) => Reply::refused(message),
        };
        let notes = reply.notes.iter().map(|note| format!("note: {note}")).collect::<Vec<_>>().join("\n");
        let content = [reply.text, notes].into_iter().filter(|text| !text.is_empty());
        let content = content.map(ContentBlock::text).collect();
        let mut result =
            if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = reply.data;
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // What is no request of the protocol for its parameters comes here too.
        let known =
            ["tools/call", "tools/list", "initialize", "ping", "server/discover"].contains(&method.as_str());
        Err(if known {
            ErrorData::invalid_params(format!("the parameters of {method} are not as they should be"), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("no method {method:?}"), None)
        })
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if self.session.wants_client_roots() {
            self.take_roots(&context.peer).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let work = tokio::task::spawn_blocking(|| -> anyhow::Result<Reply> { panic!("a bug") });
        let reply = outcome(work.await);
        assert!(reply.is_error && reply.text.contains("internal error"), "{}", reply.text);
    }

    #[test]
    fn addresses_of_folders_are_decoded() {
        for (uri, folder) in [
            ("file:///home/me/app", Some("/home/me/app")),
            ("file:///home/me/My%20D%C3%BCrre", Some("/home/me/My Dürre")),
            ("file://localhost/srv", Some("/srv")),
            ("https://example.org/x", None),
            ("file:///bad%FFbytes", None),
        ] {
            assert_eq!(folder_of(uri), folder.map(PathBuf::from), "{uri}");
        }
        let drive = if cfg!(windows) { "c:/My Dir" } else { "/c:/My Dir" };
        assert_eq!(folder_of("file:///c%3A/My%20Dir"), Some(PathBuf::from(drive)));
    }
}
