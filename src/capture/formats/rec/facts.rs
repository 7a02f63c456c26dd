//! What is known of a connection beside its frames, as a recording or an export carries it: an object that reads back as
//! the same [`Channel`].

use serde::{Deserialize, Serialize};

use crate::capture::{Channel, Proof, Transport, Vantage};
use crate::protocol::by_name;
use crate::wire::Framing;

/// The names of what a log can prove, as they are written.
const PROOFS: [(Proof, &str); 15] = [
    (Proof::PAYLOAD, "payload"),
    (Proof::CANCEL_TARGET, "cancel_target"),
    (Proof::ERROR_CODE, "error_code"),
    (Proof::DIRECTION, "direction"),
    (Proof::ENVELOPE, "envelope"),
    (Proof::ALL_ANSWERS, "all_answers"),
    (Proof::STREAMS, "streams"),
    (Proof::BOTH_SIDES, "both_sides"),
    (Proof::CLIENT, "client"),
    (Proof::PAIRING, "pairing"),
    (Proof::ORDER, "order"),
    (Proof::ANSWER_TIME, "answer_time"),
    (Proof::COUNTED, "counted"),
    (Proof::WHOLE, "whole"),
    (Proof::IN_FLIGHT, "in_flight"),
];

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Facts {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay_of: Option<String>,
    /// The profile that the log itself declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    vantage: String,
    /// `ordered` or `http`.
    transport: String,
    /// Whether the capture starts with the first message, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<bool>,
    /// True if its connection, where it begins one, is there from the first message on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    from_first: bool,
    /// True if the format separates connections.
    one: bool,
    /// What the log can prove.
    proves: Vec<String>,
    /// What of that it proves only where it goes on with a connection that began before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    midway: Vec<String>,
    /// Resolution of its clock in microseconds.
    resolution_us: i64,
    /// How its messages were told apart on the wire, where the log shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    framing: Option<String>,
}

/// What is known of a channel, as a JSON object.
pub fn write(channel: &Channel) -> String {
    let facts = Facts {
        name: channel.name.clone(),
        session: channel.session.clone(),
        replay_of: channel.replay_of.clone(),
        profile: channel.profile.map(|profile| profile.label()),
        vantage: channel.vantage.as_str().to_string(),
        transport: if channel.transport == Transport::Http { "http" } else { "ordered" }.to_string(),
        head: channel.complete_head,
        from_first: channel.shown_whole,
        one: channel.one_connection,
        proves: names_of(channel.proof),
        midway: names_of(channel.midway),
        resolution_us: channel.resolution_us,
        framing: channel.framing.map(|framing| framing.as_str().to_string()),
    };
    serde_json::to_string(&facts).unwrap_or_default()
}

/// Reads it back. `None` for what is no such object.
pub fn read(text: &str) -> Option<Channel> {
    let facts: Facts = serde_json::from_str(text).ok()?;
    Some(Channel {
        profile: facts.profile.and_then(|label| match label.split_once(' ') {
            Some((name, revision)) => by_name(name, Some(revision)),
            None => by_name(&label, None),
        }),
        name: facts.name,
        session: facts.session,
        replay_of: facts.replay_of,
        vantage: Vantage::from_name(&facts.vantage).unwrap_or(Vantage::Unknown),
        transport: if facts.transport == "http" { Transport::Http } else { Transport::Ordered },
        complete_head: facts.head,
        shown_whole: facts.from_first,
        one_connection: facts.one,
        by_time: false,
        counts_ids: false,
        sends_late: false,
        proof: proof_of(&facts.proves),
        midway: proof_of(&facts.midway),
        resolution_us: facts.resolution_us.max(1),
        framing: facts.framing.as_deref().and_then(Framing::from_name),
    })
}

fn names_of(proof: Proof) -> Vec<String> {
    PROOFS.iter().filter(|(one, _)| proof.covers(*one)).map(|(_, name)| (*name).into()).collect()
}

fn proof_of(names: &[String]) -> Proof {
    let named = PROOFS.iter().filter(|(_, name)| names.iter().any(|known| known == name));
    named.fold(Proof::NONE, |all, (proof, _)| all.and(*proof))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_comes_back_as_it_was() {
        let channel = Channel {
            name: Some("a/1".into()),
            session: Some("s".into()),
            profile: crate::protocol::by_name("mcp", Some("2025-06-18")),
            vantage: Vantage::Client,
            transport: Transport::Http,
            complete_head: Some(false),
            shown_whole: true,
            one_connection: true,
            by_time: false,
            counts_ids: false,
            sends_late: false,
            proof: Proof::FULL.and(Proof::STREAMS).without(Proof::ENVELOPE),
            midway: Proof::PAIRING.and(Proof::CLIENT),
            resolution_us: 1_000,
            replay_of: None,
            framing: None,
        };
        assert_eq!(format!("{:?}", read(&write(&channel))), format!("{:?}", Some(&channel)));
        let plain = Channel::default();
        assert_eq!(format!("{:?}", read(&write(&plain))), format!("{:?}", Some(&plain)));
        assert!(read("[1]").is_none());
    }
}
