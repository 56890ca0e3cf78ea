//! The server for agents, by the Model Context Protocol. It owns the connection and the only code that waits without a thread; questions are the
//! engine's, answers the renderer's.

mod attention;
mod describe;
mod http;
mod lines;
mod schema;
mod served;
mod server;
mod session;
mod sync;
mod tools;

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;

use crate::report::Exit;
use crate::settings::Settings;

pub(crate) use http::serve_http;
pub(crate) use session::Asked;
pub(crate) use tools::Profile;

use lines::Lines;
use server::Server;
use session::Session;

/// Serves one client over stdin and stdout until the input ends, the client goes, or the system says stop.
pub(crate) fn serve_stdio(settings: Settings, asked: Asked, profile: Profile) -> anyhow::Result<Exit> {
    let session = Arc::new(Session::new(settings, asked, true));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let (read, write) = stdio_pipes();
        tokio::select! {
            done = serve(Server::new(session, profile), Lines::new(read, write)) => done,
            () = stop() => Ok(Exit::Done),
        }
    });
    // A question or an index under way holds nobody up: what it commits, it commits whole.
    runtime.shutdown_background();
    done
}

async fn serve<T>(server: Server, transport: T) -> anyhow::Result<Exit>
where
    T: rmcp::transport::Transport<rmcp::RoleServer, Error = std::io::Error> + 'static,
{
    match server.serve(transport).await {
        Ok(running) => running.waiting().await.map(|_| Exit::Done).map_err(anyhow::Error::from),
        // Who comes and goes without a word has not been failed.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. }) => {
            Ok(Exit::Done)
        }
        Err(error) => Err(error.into()),
    }
}

/// Until the system says stop.
async fn stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut term), Ok(mut hup)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = term.recv() => {}
                _ = hup.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    drop(tokio::signal::ctrl_c().await);
}
