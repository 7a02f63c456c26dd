//! MCP 2025-11-25: its sentences, its rulings, and what of it no rule judges.

use super::HANDSHAKE;
use super::clauses::{
    described, elicited, logging, no_batch, offered, paged, revision, schema, shared, streamable_http,
};
use super::features::{features, lifecycle, since_2025_03_26, since_2025_06_18};
use super::rulings::{remarks, rulings};
use super::table::{http, log_messages, pages, polled_streams, version_header};
use crate::protocol::jsonrpc::{self as jr};
use crate::protocol::tables::{bare, error, in_part, note, unseen, warning};
use crate::protocol::{Profile, Remark, Ruling, Severity};

/// The revision.
pub static PROFILE: Profile = Profile {
    revision: "2025-11-25",
    stream_close_is_no_cancel: true,
    server_may_hang_up: true,
    tasks: true,
    gates: super::GATES_2025_11_25,
    features: super::FEATURES_2025_11_25,
    codes: super::CODES_2025_11_25,
    rulings: RULINGS,
    remarks: TABLE,
    ..HANDSHAKE
};

shared!("2025-11-25", "/basic");
paged!("2025-11-25");
streamable_http!("2025-11-25");
logging!("2025-11-25");
elicited!("2025-11-25");
no_batch!("2025-11-25");
schema!("2025-11-25");
revision! { "2025-11-25";
    FORM_VALIDATED Should "form-validated" "/client/elicitation"
        "Clients SHOULD validate all responses against the provided schema";
    SAME_ID Must "same-id" "/basic" "responses MUST include the same ID as the request they correspond to";
    RESULT_FIELD Must "result-field" "/basic" "Result responses MUST include a `result` field";
    CANCEL_NAMES_REQUEST Must "cancel-names-request" "/schema"
        "This MUST be provided for cancelling non-task requests. This MUST NOT be used for cancelling tasks";
    CANCEL_TASK Must "cancel-task" "/basic/utilities/cancellation"
        "For task-augmented requests, the `tasks/cancel` request MUST be used instead of the `notifications/cancelled` notification";
    TASK_CANCEL_TERMINAL Must "task-cancel-terminal" "/basic/utilities/tasks"
        "MUST reject cancellation requests for tasks already in a terminal status ... with error code `-32602`";
    TASK_CANCELLED_STATUS Must "task-cancelled-status" "/basic/utilities/tasks"
        "MUST transition the task to `cancelled` status before sending the response";
    TASK_STAYS_CANCELLED Must "task-stays-cancelled" "/basic/utilities/tasks"
        "Once a task is cancelled, it MUST remain in `cancelled`";
    TASK_TERMINAL Must "task-terminal" "/basic/utilities/tasks" "MUST NOT transition";
    TASK_BEGINS Must "task-begins" "/basic/utilities/tasks" "MUST begin in the `working` status";
    TASK_RESULT_BLOCKS Must "task-result-blocks" "/basic/utilities/tasks"
        "MUST block the response until the task reaches a terminal status";
    TASK_IGNORED Must "task-ignored" "/basic/utilities/tasks"
        "MUST process requests of that type normally, ignoring any task-augmentation metadata";
    ELICITATION_MODE Must "elicitation-mode" "/client/elicitation"
        "Servers MUST NOT send elicitation requests with modes that are not supported by the client";
    SAMPLING_TOOLS Must "sampling-tools" "/client/sampling"
        "Servers MUST NOT send tool-enabled sampling requests to Clients that have not declared support for tool use via the `sampling.tools` capability";
    CURSORS_OPAQUE Must "cursors-opaque" "/server/utilities/pagination"
        "Clients MUST treat cursors as opaque tokens: Don't make assumptions about cursor format; Don't attempt to parse or modify cursors; Don't persist cursors across sessions";
    TASK_UNKNOWN Must "task-unknown" "/basic/utilities/tasks"
        "Receivers MUST return standard JSON-RPC errors for the following protocol error cases: Invalid or nonexistent `taskId` in `tasks/get`, `tasks/result`, or `tasks/cancel`: `-32602`";
    TASK_ID_UNIQUE Must "task-id-unique" "/basic/utilities/tasks"
        "Task IDs MUST be unique among all tasks controlled by the receiver";
    TASK_CREATED Must "task-created" "/basic/utilities/tasks"
        "Receivers that accept a task-augmented request MUST return a `CreateTaskResult` as the response";
    TASK_RELATED Must "task-related" "/basic/utilities/tasks"
        "The `tasks/result` operation MUST include this metadata in its response";
    TASK_CAPABILITY Must "task-capability" "/basic/utilities/tasks"
        "clients MUST NOT attempt to use task augmentation on that server's tools";
    TOOL_FORBIDS_TASK Must "tool-forbids-task" "/basic/utilities/tasks"
        "clients MUST NOT attempt to invoke the tool as a task";
    TOOL_REQUIRES_TASK Must "tool-requires-task" "/basic/utilities/tasks" "clients MUST invoke the tool as a task";
}
offered!("2025-11-25");
described!("2025-11-25");

revision! { "2025-11-25";
    GET_TYPE Must "get-response-type" "/basic/transports"
        "The server MUST either return `Content-Type: text/event-stream` in response to this HTTP GET, or else return HTTP 405 Method Not Allowed";
    ERROR_FIELD Must "error-field" "/basic"
        "Error responses MUST include an `error` field with a `code` and `message`";
    SCHEMA_VALID Must "schema-valid" "/basic"
        "Schemas MUST be valid according to their declared or default dialect";
    TOOL_SCHEMA Must "input-schema-valid" "/server/tools"
        "MUST be a valid JSON Schema object (not `null`)";
    TOOL_NAME_LENGTH Should "tool-name-length" "/server/tools"
        "Tool names SHOULD be between 1 and 128 characters in length";
    TOOL_NAME_CHARACTERS Should "tool-name-characters" "/server/tools"
        "Tool names SHOULD NOT contain spaces, commas, or other special characters";
    TOOL_NAME_UNIQUE Should "tool-name-unique" "/server/tools"
        "Tool names SHOULD be unique within a server";
    ONLY_TOOL_RESULTS Must "only-tool-results" "/client/sampling"
        "it MUST contain ONLY tool results";
    TOOL_RESULTS_FOLLOW Must "tool-results-follow" "/client/sampling"
        "every assistant message containing `ToolUseContent` blocks MUST be followed by a user message that consists entirely of `ToolResultContent` blocks";
    SAMPLING_CONTEXT Should "context-avoided" "/client/sampling"
        "Servers SHOULD avoid using these values";
    URL_VALID Must "url-valid" "/client/elicitation"
        "The `url` parameter MUST contain a valid URL";
    COMPLETE_NAMES_ID Must "complete-names-id" "/client/elicitation"
        "MUST include the `elicitationId` established in the original `elicitation/create` request";
    FORM_NO_SECRETS Must "form-not-for-secrets" "/client/elicitation"
        "Servers MUST NOT use form mode elicitation to request sensitive information";
    CREATED_AT Must "created-at" "/basic/utilities/tasks"
        "Receivers MUST include a `createdAt`";
    UPDATED_AT Must "last-updated-at" "/basic/utilities/tasks"
        "Receivers MUST include a `lastUpdatedAt`";
    TTL Must "ttl" "/basic/utilities/tasks"
        "Receivers MUST include the actual `ttl` duration (or `null` for unlimited) in `tasks/get` responses";
}

/// What of a tool that is called against its word is not judged.
const SERVED_AS_TASK: &str =
    "only where the server refuses the call for it: of one that is served the list may be out of date";

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
    in_part(&FORM_VALIDATED, "that a client looks is not seen; what it sends is, with --schema"),
    unseen(&TASK_IGNORED, "that a receiver looked at the member is not in the messages"),
    in_part(&FOLLOW_JSONRPC, "each clause of JSON-RPC is judged by itself as well"),
    in_part(&NO_RESPONSE, "a reply that carries an id is a reply to nothing, which another clause is about"),
    in_part(&EMBEDDED_RESOURCE, "which MIME type is appropriate is known to the server alone"),
    in_part(&STRUCTURED_TEXT, "that the text says the same is not looked at"),
    in_part(&SCHEMA_VALID, "what all dialects have in common is judged"),
    in_part(&TOOL_NAME_UNIQUE, "names on two pages of one list are not compared"),
    in_part(&TOOL_FORBIDS_TASK, SERVED_AS_TASK),
    in_part(&TOOL_REQUIRES_TASK, SERVED_AS_TASK),
    in_part(&SAMPLING_CONTEXT, "where the client declares `sampling.context` they are left alone"),
    in_part(&COMPLETE_NAMES_ID, "that it was established in the same log is not looked at"),
    in_part(&FORM_NO_SECRETS, "what is sensitive and does not say so by its name is known to persons"),
    in_part(&CREATED_AT, "of answers that create a task or report on one"),
    in_part(&UPDATED_AT, "of answers that create a task or report on one"),
    in_part(&OWN_POST, "that it was a new one shows only where a log tells requests apart"),
    in_part(&VERSION_SENT, "which versions a client supports is known to it alone; that it names one is judged"),
    in_part(&SAME_VERSION, "which versions a server supports is known to it alone; that it names one is judged"),
    in_part(&EMBEDDED_DECLARED, "what a server implements beyond what it declares is not in the messages"),
    in_part(
        &CUSTOM_SCHEME,
        "that an address is a URI is judged; what a scheme of its own means is known to the server alone"
    ),
    in_part(&CURSOR_CODE, "that a cursor was invalid is known to the server alone; an error that says it is judged"),
];

// No RPC021: from here on an error may lack its id, "in error cases where the ID could not be read".
static RULINGS: &[Ruling] = rulings![
    error("SCH001", &SCHEMA_TRUTH),
    error("SCH002", &SCHEMA_TRUTH),
    error("SCH003", &OUTPUT_CONFORMS),
    bare("SCH004", Severity::Note),
    warning("SCH005", &FORM_VALIDATED),
    // That a response has not both is left to JSON-RPC since results and errors have a section each.
    error("RPC003", &jr::RESULT_OR_ERROR),
    error("RPC004", &RESULT_FIELD),
    error("CAN007", &CANCEL_NAMES_REQUEST),
    error("CAN017", &CANCEL_TASK),
    warning("CAN024", &DISCONNECT_IS_NO_CANCEL),
    error("LIF019", &CAPABILITIES),
    error("LIF027", &CAPABILITIES),
    error("RPC013", &SINGLE_MESSAGES),
    error("RPC013/http", &NO_BATCH),
    error("RPC021/result", &SAME_ID),
    error("LIF023", &LOGGING_DECLARED),
    bare("LIF021", Severity::Error),
    error("LIF021/elicitation.form", &ELICITATION_MODE),
    error("LIF021/elicitation.url", &ELICITATION_MODE),
    error("LIF021/sampling.tools", &SAMPLING_TOOLS),
    error("LIF022", &CURSORS_OPAQUE),
    error("TRN001", &GET_STREAM_NO_RESPONSE),
    error("TRN002", &NO_BROADCAST),
    error("TRN004", &SESSION_HEADER),
    error("TRN005", &VERSION_HEADER),
    warning("TRN005/negotiated", &VERSION_NEGOTIATED),
    error("TRN007", &ACCEPTED_202),
    error("TRN008", &RESPONSE_TYPE),
    error("TRN009", &ENDED_SESSION),
    error("TRN011", &ACCEPT_BOTH),
    error("TSK001", &TASK_CANCEL_TERMINAL),
    error("TSK002", &TASK_CANCEL_TERMINAL),
    error("TSK003", &TASK_STAYS_CANCELLED),
    error("TSK004", &TASK_TERMINAL),
    error("TSK004/first", &TASK_BEGINS),
    error("TSK005", &TASK_CANCELLED_STATUS),
    error("TSK006", &TASK_UNKNOWN),
    error("TSK007", &CAPABILITIES),
    error("TSK008", &TASK_RESULT_BLOCKS),
    warning("TSK009", &TASK_CREATED),
    error("TSK011", &TASK_RELATED),
    error("TSK012", &TASK_CAPABILITY),
    error("TSK013", &TASK_ID_UNIQUE),
    error("TSK014", &TOOL_FORBIDS_TASK),
    error("TSK014/required", &TOOL_REQUIRES_TASK),
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
    warning("LIF021/sampling.context", &SAMPLING_CONTEXT),
    error("PAY002", &TOOL_SCHEMA),
    warning("PAY002/name-characters", &TOOL_NAME_CHARACTERS),
    warning("PAY002/name-length", &TOOL_NAME_LENGTH),
    warning("PAY002/name-unique", &TOOL_NAME_UNIQUE),
    error("PAY002/schema-valid", &SCHEMA_VALID),
    error("PAY004", &ELICITATION_MEMBERS),
    error("PAY004/complete", &COMPLETE_NAMES_ID),
    error("PAY004/elicitation-id", &ELICITATION_URL),
    note("PAY004/flat", &ELICITATION_FLAT),
    error("PAY004/form", &ELICITATION_FORM),
    error("PAY004/url", &ELICITATION_URL),
    error("PAY004/url-valid", &URL_VALID),
    error("PAY005", &ONLY_TOOL_RESULTS),
    error("PAY005/balance", &TOOL_RESULTS_FOLLOW),
    error("PAY011", &CREATED_AT),
    error("PAY011/ttl", &TTL),
    error("PAY011/updated", &UPDATED_AT),
    error("TRN012", &GET_ACCEPT),
    error("TRN013", &SESSION_ASCII),
    error("TRN014", &OWN_POST),
    error("PAY013", &VERSION_SENT),
    error("PAY013/server", &SAME_VERSION),
    error("PAY014", &CUSTOM_SCHEME),
    warning("PAY016", &EMBEDDED_DECLARED),
    warning("PAY019", &PROMPT_ARGUMENTS),
    warning("PAY015", &CURSOR_CODE),
    error("TRN008/get", &GET_TYPE),
];

static TABLE: &[&[Remark]] = &[
    REMARKS,
    http!("2025-11-25"),
    polled_streams!("2025-11-25"),
    version_header!("2025-11-25"),
    log_messages!("2025-11-25"),
    pages!("2025-11-25"),
    features!("2025-11-25"),
    lifecycle!("2025-11-25"),
    since_2025_03_26!("2025-11-25"),
    since_2025_06_18!("2025-11-25"),
    super::features::V2025_11_25,
];
