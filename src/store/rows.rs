//! Rows as the layers above read them.

use serde::{Deserialize, Serialize};

/// A finding with everything a report needs; the lines are those of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingRow {
    /// Row id.
    pub id: i64,
    /// Code of the rule.
    pub code: String,
    /// Slug of the rule.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// `violation`, `race` or `undecidable`.
    pub certainty: String,
    /// `content`, `causal`, `vantage`, `rtt`, or nothing.
    pub basis: Option<String>,
    /// Profile, such as `mcp 2025-11-25`.
    pub profile: String,
    /// Key of the connection.
    pub connection: String,
    /// Name of the source.
    pub source: String,
    /// Line in it.
    pub line: u64,
    /// Frame of the offending message.
    pub message_id: i64,
    /// Exchange (frame of its request), where there is one.
    pub exchange_id: Option<i64>,
    /// Line of the request, where there is one in the same source.
    pub request_line: Option<u64>,
    /// `client` or `server`: who issued the request, or sent the offending message where there is no request.
    pub issuer: Option<String>,
    /// Method of the request, or of the offending message where there is no request.
    pub method: Option<String>,
    /// Tool or command of the request, where there is one.
    pub name: Option<String>,
    /// One sentence.
    pub summary: String,
    /// Level, text and link of the clause.
    pub clause: Option<ClauseRow>,
    /// The messages that prove it.
    pub evidence: Vec<EvidenceRow>,
}

/// A clause as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClauseRow {
    /// MUST, SHOULD or MAY.
    pub level: String,
    /// The quotation.
    pub text: String,
    /// The link.
    pub url: String,
}

/// One message that proves a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceRow {
    /// `request`, `cancel`, `response` ...
    pub role: String,
    /// The message.
    pub message: MessageRow,
}

/// One frame, as shown to people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageRow {
    /// Frame id.
    pub id: i64,
    /// Name of its source.
    pub source: String,
    /// Line in it.
    pub line: u64,
    /// Byte offset of the message in it.
    pub byte_offset: u64,
    /// Microseconds since the epoch.
    pub at_us: Option<i64>,
    /// `client` or `server`.
    pub sender: Option<String>,
    /// True if the sender was inferred.
    pub sender_inferred: bool,
    /// Kind, as in the `frames` view.
    pub kind: String,
    /// Method, where there is one.
    pub method: Option<String>,
    /// Id as JSON text, where there is one.
    pub rpc_id: Option<String>,
    /// Error code, where there is one.
    pub error_code: Option<i64>,
    /// Length in bytes.
    pub bytes: u64,
    /// The text as captured (at most as much as was asked for; lossy where it is not UTF-8).
    #[serde(skip)]
    pub raw: Option<String>,
}

/// A connection, as shown to people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionRow {
    /// Row id.
    #[serde(skip)]
    pub id: i64,
    /// Key.
    pub key: String,
    /// Recording it belongs to.
    pub session: String,
    /// Source it starts in.
    pub source: String,
    /// Format.
    pub format: String,
    /// `mcp`, `acp`, `lsp`, `jsonrpc`.
    pub protocol: String,
    /// Revision.
    pub revision: String,
    /// `stdio` (ordered) or `http`.
    pub transport: String,
    /// Where it was taken.
    pub vantage: String,
    /// Client, as it names itself.
    pub client_name: Option<String>,
    /// Server, as it names itself.
    pub server_name: Option<String>,
    /// First time.
    pub first_at_us: Option<i64>,
    /// Last time.
    pub last_at_us: Option<i64>,
    /// Messages.
    pub messages: u64,
    /// Requests.
    pub requests: u64,
    /// Cancels.
    pub cancels: u64,
    /// True if the capture starts with the first message.
    pub complete_head: bool,
    /// True if the end of the connection was seen.
    pub complete_tail: bool,
}

/// A source, as shown to people and in `ls`.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceRow {
    /// Row id.
    pub id: i64,
    /// Name as the user gave it.
    pub name: String,
    /// Format.
    pub format: String,
    /// Why it was taken for that.
    pub reason: String,
    /// Bytes of the decompressed text.
    pub bytes: u64,
    /// Time of the first message, as the log writes it.
    pub first_time: Option<String>,
    /// Time of the last message, as the log writes it.
    pub last_time: Option<String>,
    /// Lines passed over: why, how many, and the first of them.
    pub skipped: Vec<(String, u64, u64)>,
    /// Lines that hold something like messages and were not read, where there are any.
    pub unread: Option<UnreadRow>,
}

/// Lines that hold something like messages and were not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadRow {
    /// How many.
    pub lines: u64,
    /// The first of them.
    pub first: u64,
    /// What it says, cut.
    pub quote: String,
}

/// An exchange, as shown to people.
#[derive(Clone, Debug, PartialEq)]
pub struct ExchangeRow {
    /// Frame of its request.
    pub id: i64,
    /// Row of its connection.
    pub connection_id: i64,
    /// Key of its connection.
    pub connection: String,
    /// `client` or `server`.
    pub issuer: String,
    /// Id as JSON text.
    pub rpc_id: Option<String>,
    /// Profile, such as `mcp 2025-11-25`.
    pub profile: String,
    /// Method.
    pub method: String,
    /// Tool or command, where there is one.
    pub name: Option<String>,
    /// Name of the source of its request.
    pub source: String,
    /// Line of its request.
    pub line: u64,
    /// Frame of its response.
    pub response_id: Option<i64>,
    /// Line of its response.
    pub response_line: Option<u64>,
    /// The exchange that it served.
    pub parent_id: Option<i64>,
    /// When it was sent.
    pub sent_at_us: Option<i64>,
    /// When it was settled.
    pub settled_at_us: Option<i64>,
    /// Microseconds from the request to the response.
    pub latency_us: Option<i64>,
    /// How it ended, in one word.
    pub outcome: String,
    /// One letter a message.
    pub history: String,
    /// Error code of the response.
    pub error_code: Option<i64>,
}

/// A cancel, as shown to people.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CancellationRow {
    /// Row id.
    pub id: i64,
    /// Row of its connection.
    pub connection_id: i64,
    /// Key of its connection.
    pub connection: String,
    /// Frame of the cancel.
    pub message_id: i64,
    /// Name of its source.
    pub source: String,
    /// Line of the cancel.
    pub line: u64,
    /// `client` or `server`.
    pub sender: String,
    /// How it was sent.
    pub mechanism: String,
    /// The id it names, as JSON text.
    pub target_rpc_id: Option<String>,
    /// The exchange that it hits.
    pub exchange_id: Option<i64>,
    /// Method of that exchange.
    pub target_method: Option<String>,
    /// When it was sent.
    pub sent_at_us: Option<i64>,
    /// Microseconds from the request to the cancel.
    pub delay_us: Option<i64>,
    /// The reason it gives.
    pub reason: Option<String>,
    /// What became of it, in one word.
    pub effect: Option<String>,
    /// Frame that shows the effect.
    pub effect_message_id: Option<i64>,
    /// When that was.
    pub effect_at_us: Option<i64>,
    /// Microseconds from the cancel to the answer.
    pub settle_us: Option<i64>,
    /// Error code of the answer.
    pub response_code: Option<i64>,
    /// `violation`, `race` or `undecidable`: the strongest of what the rules say about it, where they say anything.
    pub certainty: Option<String>,
    /// True if it is another protocol's way to cancel: its target is then not held to be cancelled.
    pub is_foreign: bool,
    /// What the rules say about it: code and certainty of each finding.
    pub findings: Vec<(String, String)>,
}

/// How many messages of a source went which way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficRow {
    /// Row of the source.
    pub source_id: i64,
    /// `client->server`, `server->client`, `sent-by-logger`, `received-by-logger` or `undirected`: as stated, resolved or inferred.
    pub direction: String,
    /// `request`, `response`, `error-response`, `notification` or `malformed`.
    pub kind: String,
    /// Method of a cancel, and nothing for all other messages.
    pub cancel_method: Option<String>,
    /// Error code of an error response.
    pub error_code: Option<i64>,
    /// How many.
    pub count: u64,
}
