//! An MCP server on rmcp: `echo`, and `slow`, which tells its progress. `changed` makes `echo` say something else.

use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ProgressNotificationParam, RequestMetaObject};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Slow {
    seconds: f64,
}

struct Server;

#[tool_router]
impl Server {
    #[tool(description = "says it again", annotations(read_only_hint = true, idempotent_hint = true))]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        if std::env::args().any(|arg| arg == "changed") { format!("you said {text}") } else { text }
    }

    #[tool(description = "takes its time", annotations(read_only_hint = true, idempotent_hint = true))]
    async fn slow(
        &self,
        Parameters(Slow { seconds }): Parameters<Slow>,
        meta: RequestMetaObject,
        context: RequestContext<RoleServer>,
    ) -> String {
        for step in 1..=10 {
            tokio::select! {
                () = context.ct.cancelled() => return "stopped".into(),
                () = tokio::time::sleep(Duration::from_secs_f64(seconds / 10.0)) => {}
            }
            if let Some(token) = meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, f64::from(step)).with_total(10.0);
                let _ = context.peer.notify_progress(progress).await;
            }
        }
        "done".into()
    }
}

#[tool_handler]
impl ServerHandler for Server {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
