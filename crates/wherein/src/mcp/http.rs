//! The server over HTTP: one process for several clients. For this machine alone, unless an address and a token say otherwise; pages of a browser
//! are kept out by their origin.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, ensure};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::Ui;

use super::server::Server;
use super::session::{Asked, Session};
use super::tools::Profile;

/// Bytes of a request.
const LARGEST: usize = 4 << 20;
/// Pages of this machine may ask; others may not.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// Serves until the system says stop; calls under way are answered first.
pub(crate) fn serve_http(
    settings: Settings,
    asked: Asked,
    profile: Profile,
    address: SocketAddr,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let token = settings.http_token();
    let is_local = address.ip().is_loopback();
    ensure!(
        is_local || token.is_some(),
        "{address} is not this machine alone; set WHEREIN_HTTP_TOKEN to what clients have to name as a bearer token"
    );
    // Nothing is served that could not be served at all.
    let session = Arc::new(Session::new(settings, asked, false));
    session.targets()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.with_context(|| format!("listen on {address}"))?;
        ui.say(format!("listening on http://{}/mcp", listener.local_addr()?));
        let config = StreamableHttpServerConfig::default()
            .with_max_request_body_bytes(LARGEST)
            .with_allowed_origins(ORIGINS)
            .enforce_origin_validation();
        // Of another address the token decides; this machine's names are no others'.
        let config = if is_local { config } else { config.disable_allowed_hosts() };
        let stopping = config.cancellation_token.clone();
        let server = Server::new(session, profile);
        let new = move || Ok(server.for_another());
        let service = StreamableHttpService::new(new, Arc::new(LocalSessionManager::default()), config);
        let router = Router::new()
            .route_service("/mcp", service)
            .layer(from_fn_with_state(Arc::new(token), authorised));
        let stop = async move {
            super::stop().await;
            stopping.cancel();
        };
        axum::serve(listener, router).with_graceful_shutdown(stop).await?;
        Ok(Exit::Done)
    });
    runtime.shutdown_background();
    done
}

/// Lets through who names the token, where there is one.
async fn authorised(State(token): State<Arc<Option<String>>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.split_once(' '));
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token);
    match token.as_deref() {
        Some(token) if !given.is_some_and(|given| is_same(given, token)) => {
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response()
        }
        _ => next.run(request).await,
    }
}

/// Compares hashes, so that the time it takes tells nothing of the token.
fn is_same(given: &str, token: &str) -> bool {
    use sha2::{Digest, Sha256};
    Sha256::digest(given) == Sha256::digest(token)
}
