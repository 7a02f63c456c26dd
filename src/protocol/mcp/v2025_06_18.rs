//! MCP 2025-06-18: its sentences, its rulings, and what of it no rule judges.

use super::HANDSHAKE;
use super::clauses::{
    described, logging, no_batch, offered, one_kind_of_response, paged, revision, schema, shared, streamable_http,
};
use super::features::{features, lifecycle, since_2025_03_26, since_2025_06_18};
use super::rulings::{remarks, rulings};
use super::table::{http, log_messages, open_streams, version_header};
use crate::protocol::tables::{bare, error, in_part, note, warning};
use crate::protocol::{Profile, Remark, Ruling, Severity};

/// The revision.
pub static PROFILE: Profile = Profile {
    revision: "2025-06-18",
    stream_close_is_no_cancel: true,
    gates: super::GATES_2025_03_26,
    rulings: RULINGS,
    remarks: TABLE,
    ..HANDSHAKE
};

shared!("2025-06-18", "/basic");
one_kind_of_response!("2025-06-18", "/basic");
streamable_http!("2025-06-18");
paged!("2025-06-18");
logging!("2025-06-18");
no_batch!("2025-06-18");
schema!("2025-06-18");
offered!("2025-06-18");
described!("2025-06-18");

revision! { "2025-06-18";
    CURSORS_OPAQUE Must "cursors-opaque" "/server/utilities/pagination"
        "Clients MUST treat cursors as opaque tokens: Don't make assumptions about cursor format; Don't attempt to parse or modify cursors; Don't persist cursors across sessions";
    ERROR_FIELD Must "error-field" "/basic"
        "errors MUST include an error code and message at minimum";
    FORM_NO_SECRETS Must "form-not-for-secrets" "/client/elicitation"
        "Servers MUST NOT use elicitation to request sensitive information.";
    ELICITATION_FLAT Stated "elicitation-flat" "/client/elicitation"
        "elicitation schemas are limited to flat objects with primitive properties only";
}

static REMARKS: &[Remark] = remarks![
    in_part(
        &SCHEMA_TRUTH,
        "methods that the schema does not have and values that a filter took are not judged, and nothing without --schema"
    ),
    in_part(
        &OUTPUT_CONFORMS,
        "patterns, formats and conditions of a schema are not judged, and nothing without --schema"
    ),
    in_part(
        &PROMPT_ARGUMENTS,
        "what is looked at is inside the server; that an argument is missing which it has listed as required is seen"
    ),
    in_part(&FOLLOW_JSONRPC, "each clause of JSON-RPC is judged by itself as well"),
    in_part(&NO_RESPONSE, "a reply that carries an id is a reply to nothing, which another clause is about"),
    in_part(&EMBEDDED_RESOURCE, "which MIME type is appropriate is known to the server alone"),
    in_part(&STRUCTURED_TEXT, "that the text says the same is not looked at"),
    in_part(&FORM_NO_SECRETS, "what is sensitive and does not say so by its name is known to persons"),
    in_part(&CURSOR_CODE, "that a cursor was invalid is known to the server alone; an error that says it is judged"),
    in_part(&OWN_POST, "that it was a new one shows only where a log tells requests apart"),
    in_part(&VERSION_SENT, "which versions a client supports is known to it alone; that it names one is judged"),
    in_part(&SAME_VERSION, "which versions a server supports is known to it alone; that it names one is judged"),
    in_part(&EMBEDDED_DECLARED, "what a server implements beyond what it declares is not in the messages"),
    in_part(
        &CUSTOM_SCHEME,
        "that an address is a URI is judged; what a scheme of its own means is known to the server alone"
    ),
];

static RULINGS: &[Ruling] = rulings![
    error("SCH001", &SCHEMA_TRUTH),
    error("SCH002", &SCHEMA_TRUTH),
    error("SCH003", &OUTPUT_CONFORMS),
    bare("SCH004", Severity::Note),
    bare("SCH005", Severity::Warning),
    error("RPC003", &RESULT_OR_ERROR),
    error("RPC004", &RESULT_OR_ERROR),
    error("CAN007", &CANCEL_SAME_DIRECTION),
    warning("CAN024", &DISCONNECT_IS_NO_CANCEL),
    error("LIF019", &CAPABILITIES),
    error("LIF027", &CAPABILITIES),
    error("RPC013", &SINGLE_MESSAGES),
    error("RPC013/http", &NO_BATCH),
    error("RPC021", &SAME_ID),
    error("LIF023", &LOGGING_DECLARED),
    error("LIF022", &CURSORS_OPAQUE),
    warning("PAY015", &CURSOR_CODE),
    error("TRN001", &GET_STREAM_NO_RESPONSE),
    error("TRN002", &NO_BROADCAST),
    error("TRN004", &SESSION_HEADER),
    error("TRN005", &VERSION_HEADER),
    warning("TRN005/negotiated", &VERSION_NEGOTIATED),
    error("TRN007", &ACCEPTED_202),
    error("TRN008", &RESPONSE_TYPE),
    error("TRN009", &ENDED_SESSION),
    error("TRN011", &ACCEPT_BOTH),
    error("RPC005/members", &ERROR_FIELD),
    error("RPC019", &FOLLOW_JSONRPC),
    error("RPC023", &NO_RESPONSE),
    error("LIF024/completions", &COMPLETIONS_DECLARED),
    error("LIF024/elicitation", &ELICITATION_DECLARED),
    error("LIF024/prompts", &PROMPTS_DECLARED),
    error("LIF024/sampling", &SAMPLING_DECLARED),
    error("PAY001", &META_PREFIX),
    error("PAY001/label", &META_LABEL),
    error("PAY001/name", &META_NAME),
    error("PAY003", &IMAGE_ENCODED),
    error("PAY003/audio", &AUDIO_ENCODED),
    error("PAY003/resource", &EMBEDDED_RESOURCE),
    error("PAY004/secret", &FORM_NO_SECRETS),
    warning("PAY009", &STRUCTURED_TEXT),
    note("PAY004/flat", &ELICITATION_FLAT),
    error("TRN012", &GET_ACCEPT),
    error("TRN013", &SESSION_ASCII),
    error("TRN014", &OWN_POST),
    error("PAY013", &VERSION_SENT),
    error("PAY013/server", &SAME_VERSION),
    error("PAY014", &CUSTOM_SCHEME),
    warning("PAY016", &EMBEDDED_DECLARED),
    warning("PAY019", &PROMPT_ARGUMENTS),
];

static TABLE: &[&[Remark]] = &[
    REMARKS,
    http!("2025-06-18"),
    open_streams!("2025-06-18"),
    version_header!("2025-06-18"),
    log_messages!("2025-06-18"),
    features!("2025-06-18"),
    lifecycle!("2025-06-18"),
    since_2025_03_26!("2025-06-18"),
    since_2025_06_18!("2025-06-18"),
    super::features::V2025_06_18,
];
