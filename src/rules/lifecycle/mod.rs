//! Rules about the handshake, the orderly end, and who may ask whom.

pub mod after_shutdown_wrong_answer;
pub mod capability_not_negotiated;
pub mod change_not_declared;
pub mod client_sent_response;
pub mod cursor_not_issued;
pub mod declared_not_served;
pub mod duplicate_initialize;
pub mod era_not_told;
pub mod exit_before_shutdown_response;
pub mod feature_not_declared;
pub mod initialized_missing_or_early;
pub mod input_not_declared;
pub mod input_required_on_wrong_method;
pub mod log_not_asked;
pub mod logging_not_declared;
pub mod message_after_shutdown;
pub mod message_before_initialize_response;
pub mod missing_meta_accepted;
pub mod missing_request_meta;
pub mod missing_result_type;
pub mod mrtr_id_reused;
pub mod name_dropped;
pub mod not_initialized_wrong_code;
pub mod ping_answer;
pub mod probe_skipped;
pub mod removed_method;
pub mod request_before_initialize;
pub mod round_not_continued;
pub mod server_initiated_request;
pub mod server_message_too_early;
pub mod shortfall_refused;
pub mod support_not_declared;
pub mod unregister_unknown;
pub mod version_not_listed;

use crate::capture::Transport;
use crate::protocol::Side;
use crate::session::{Event, Exchange, Judgement, Outcome};

/// Whether the log shows in which order `side` sent and received: one ordered channel, or a tap at that side.
fn order_of(event: &Event<'_>, side: Side) -> Judgement {
    let connection = event.connection;
    let known = connection.transport == Transport::Ordered || connection.vantage.side() == Some(side);
    Judgement::exact_if(known, "the messages came on different HTTP streams, whose order is not known")
}

/// What answered an exchange: `a result`, `error -32601`.
fn answer_in_words(exchange: &Exchange) -> String {
    match (exchange.outcome, exchange.error_code) {
        (_, Some(code)) => format!("error {code}"),
        (Outcome::Error, None) => "an error without a code".to_string(),
        _ => "a result".to_string(),
    }
}
