//! An ACP agent on the Rust SDK: a prompt takes a second; a cancel of the request ends it with the SDK's own error, `session/cancel` as a cancelled
//! turn.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, Implementation, InitializeRequest, InitializeResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, StopReason,
};
use agent_client_protocol::{Agent, Result, Stdio};
use tokio::sync::Notify;

#[tokio::main]
async fn main() -> Result<()> {
    let ended = Arc::new(Notify::new());
    let ends = Arc::clone(&ended);
    Agent
        .v1()
        .name("real-acp-rust")
        .on_receive_request(
            async move |asked: InitializeRequest, responder, _connection| {
                let welcome = InitializeResponse::new(asked.protocol_version);
                responder.respond(
                    welcome
                        .agent_capabilities(AgentCapabilities::new())
                        .agent_info(Implementation::new("real-acp-rust", "5.0.0")),
                )
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _connection| responder.respond(NewSessionResponse::new("s-1")),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_: PromptRequest, responder, connection| {
                let (cancellation, ended) = (responder.cancellation(), Arc::clone(&ended));
                connection.spawn(async move {
                    let turn = async {
                        let reason = tokio::select! {
                            () = ended.notified() => StopReason::Cancelled,
                            () = tokio::time::sleep(Duration::from_secs(1)) => StopReason::EndTurn,
                        };
                        Ok(PromptResponse::new(reason))
                    };
                    responder.respond_with_result(cancellation.run_until_cancelled(turn).await)
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |_: CancelNotification, _connection| {
                ends.notify_waiters();
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}
