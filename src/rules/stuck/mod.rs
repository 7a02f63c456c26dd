//! Rules about requests that nobody answers. How their connection ended is said alike by all of them; it stands here.

pub mod head_of_line;
pub mod never_answered;
pub mod server_died;
pub mod stuck_live;

use crate::number::duration;
use crate::protocol::Side;
use crate::session::{End, Event, What};

/// How the log ends for a request that was never answered, as the second half of a sentence.
pub(super) fn ending(event: &Event<'_>) -> Option<String> {
    let What::Unanswered { exchange, judgement, age_us, answers_after, .. } = event.what else { return None };
    let peer = exchange.issuer.peer();
    let died = event.connection.died().map(|(_, exit)| exit);
    let end = match (event.connection.end, died) {
        (_, Some(exit)) => format!("the server {exit}"),
        (End::Open, _) => "the log ends".to_string(),
        (End::Closed(None), _) => "the connection ended".to_string(),
        (End::Closed(Some(side)), _) => format!("the {} ended the connection", side.as_str()),
    };
    let age = age_us.map_or(String::new(), |us| format!(" {} after the request", duration(us)));
    let lived = match answers_after {
        0 => String::new(),
        count => format!("; the {} answered others after it: {count}", peer.as_str()),
    };
    // A server that answers others has not crashed; where its process is seen to end, the log says how.
    let gone = peer == Side::Server && event.connection.end == End::Closed(Some(peer));
    let crash = match gone && answers_after == 0 && died.is_none() && judgement.reason.is_none() {
        true => "; that is more likely a crash than a refusal",
        false => "",
    };
    let unsure = judgement.reason.map_or(String::new(), |reason| format!("; not decidable: {reason}"));
    Some(format!("{end}{age}{lived}{crash}{unsure}"))
}
