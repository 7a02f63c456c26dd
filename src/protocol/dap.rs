//! The Debug Adapter Protocol. It is no JSON-RPC: a reader makes a request of `seq` and `command`, a notification of an event, an
//! answer of `request_seq` and `success` (`capture::formats::dap`), and this profile judges those.
//!
//! A cancel is a request with an answer of its own. The request that it names is answered as well, in either way. Nothing is said
//! of envelopes, and nothing of the numbers in `seq`: adapters that leave them at 0 are many.

use super::Sender::{Client, Server};
use super::jsonrpc::BASE;
use super::tables::{bare, clauses, error, unseen, warning};
use super::{AfterCancel, Bound, Facts, Family, Method, Opening, Profile, Remark, Ruling, Severity, Waits};
use crate::jsonrpc::Kind;

/// The protocol. Its messages carry no revision: what may be sent is told by capabilities.
pub static PROFILE: Profile = Profile {
    family: Family::Dap,
    name: "dap",
    revision: "1",
    cancel: Some((CANCEL, "requestId")),
    after_cancel: AfterCancel::Answer,
    // The reader's own, for an answer whose `message` is "cancelled".
    cancelled_code: Some(-32800),
    opening: Opening { initialize: Some("initialize"), initialized: None, shutdown: None, exit: None },
    cancel_needs_capability: true,
    after_initialize: Bound::AllBut(&[]),
    client_waits: Waits::MessagesBut(&[]),
    server_waits: Waits::MessagesBut(&[]),
    methods: METHODS,
    codes: &[],
    rulings: RULINGS,
    remarks: &[REMARKS],
    ..BASE
};

const CANCEL: &str = "cancel";

clauses! { "dap-1/", "https://microsoft.github.io/debug-adapter-protocol/specification";
    CANCEL_CAPABILITY Should "cancel-capability" "#Base_Protocol_Cancel"
        "Clients should only call this request if the corresponding capability `supportsCancelRequest` is true.";
    CANCEL_ANSWERED Must "cancel-answered" "#Base_Protocol_Cancel"
        "The request that got cancelled still needs to send a response back.";
    CANCEL_ANSWER Stated "cancel-answer" "#Base_Protocol_Cancel"
        "This can either be a normal result (`success` attribute true) or an error response (`success` attribute false and the `message` set to `cancelled`).";
    CANCEL_PROGRESS Must "cancel-progress" "#Base_Protocol_Cancel"
        "The progress that got cancelled still needs to send a `progressEnd` event back.";
    CANCEL_HINT Stated "cancel-hint" "#Base_Protocol_Cancel"
        "This request has a hint characteristic: a debug adapter can only be expected to make a 'best effort' in honoring this request but there are no guarantees.";
    CLIENT_WAITS Must "client-waits" "#Requests_Initialize"
        "Until the debug adapter has responded with an `initialize` response, the client must not send any additional requests or events to the debug adapter.";
    SERVER_WAITS Must "server-waits" "#Requests_Initialize"
        "In addition the debug adapter is not allowed to send any requests or events to the client until it has responded with an `initialize` response.";
    INITIALIZE_ONCE Must "initialize-once" "#Requests_Initialize" "The `initialize` request may only be sent once.";
    PROGRESS_ID_ONCE Must "progress-id-once" "#Events_ProgressStart" "IDs must be unique within a debug session.";
    PROGRESS_ID_KNOWN Stated "progress-id-known" "#Events_ProgressUpdate"
        "The ID that was introduced in the initial `progressStart` event.";
    PROGRESS_ENDS Stated "progress-ends" "#Events_ProgressEnd"
        "The event signals the end of the progress reporting with a final message.";
    REQUEST_SEQ Stated "request-seq" "#Base_Protocol_Response" "Sequence number of the corresponding request.";
}

static REMARKS: &[Remark] = &[
    unseen(&CANCEL_ANSWER, "an error of another kind may be the request's own failure"),
    unseen(&CANCEL_PROGRESS, "until when the end of a progress has to come is not said"),
    unseen(&CANCEL_HINT, "how hard an adapter tries is not in its messages"),
];

static RULINGS: &[Ruling] = &[
    // No sentence forbids a cancel of an unknown, finished or foreign request.
    bare("CAN001", Severity::Warning),
    bare("CAN004", Severity::Warning),
    bare("CAN005", Severity::Note),
    bare("CAN006", Severity::Note),
    bare("CAN007", Severity::Warning),
    error("CAN011", &CANCEL_ANSWERED),
    warning("CAN016", &CANCEL_CAPABILITY),
    bare("CAN030", Severity::Warning),
    error("RPC008", &REQUEST_SEQ),
    error("RPC009", &REQUEST_SEQ),
    error("RPC012", &REQUEST_SEQ),
    // That a request is answered is stated nowhere.
    bare("STK001", Severity::Warning),
    bare("STK002", Severity::Note),
    bare("STK003", Severity::Note),
    bare("STK004", Severity::Warning),
    bare("HOP001", Severity::Note),
    bare("HOP002", Severity::Note),
    bare("HOP003", Severity::Note),
    bare("HOP004", Severity::Note),
    error("LIF001", &CLIENT_WAITS),
    error("LIF002", &CLIENT_WAITS),
    error("LIF003", &SERVER_WAITS),
    error("LIF004", &INITIALIZE_ONCE),
    warning("PRG003", &PROGRESS_ID_KNOWN),
    warning("PRG008", &PROGRESS_ENDS),
    error("PRG008/again", &PROGRESS_ID_ONCE),
];

/// A step of progress that is told by events of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportStage {
    /// It begins: its id is introduced here.
    Begin,
    /// It goes on.
    Report,
    /// It ends.
    End,
}

impl Profile {
    /// True if a cancel is a request with an answer of its own, and only the server tells anything unasked.
    pub fn cancels_by_request(&self) -> bool {
        self.family == Family::Dap
    }

    /// False for a protocol that is read, and not spoken: its messages are not those that were sent.
    pub fn is_spoken(&self) -> bool {
        self.family != Family::Dap
    }

    /// True for a request that is a cancel.
    pub fn is_cancel_request(&self, method: &str) -> bool {
        self.cancels_by_request() && method == CANCEL
    }

    /// True if progress is introduced by events of its own, and not by a request.
    pub fn introduces_progress(&self) -> bool {
        self.family == Family::Dap
    }

    /// The step of progress that an event tells, where progress is introduced by its own events.
    pub fn progress_step(&self, method: &str) -> Option<ReportStage> {
        match method {
            _ if !self.introduces_progress() => None,
            "progressStart" => Some(ReportStage::Begin),
            "progressUpdate" => Some(ReportStage::Report),
            "progressEnd" => Some(ReportStage::End),
            _ => None,
        }
    }

    /// True for an event that changes what the server has declared.
    pub fn declares_anew(&self, kind: Kind, method: &str, facts: &Facts<'_>) -> bool {
        self.family == Family::Dap
            && kind == Kind::Notification
            && method == "capabilities"
            && facts.capabilities().is_some()
    }
}

/// Requests and events, sorted by name.
static METHODS: &[Method] = &[
    Method::request("attach", Client),
    Method::notification("breakpoint", Server),
    Method::request("breakpointLocations", Client),
    Method::request(CANCEL, Client),
    Method::notification("capabilities", Server),
    Method::request("completions", Client),
    Method::request("configurationDone", Client),
    Method::request("continue", Client),
    Method::notification("continued", Server),
    Method::request("dataBreakpointInfo", Client),
    Method::request("disassemble", Client),
    Method::request("disconnect", Client),
    Method::request("evaluate", Client),
    Method::request("exceptionInfo", Client),
    Method::notification("exited", Server),
    Method::request("goto", Client),
    Method::request("gotoTargets", Client),
    Method::quick("initialize", Client),
    Method::notification("initialized", Server),
    Method::notification("invalidated", Server),
    Method::request("launch", Client),
    Method::notification("loadedSource", Server),
    Method::request("loadedSources", Client),
    Method::request("locations", Client),
    Method::notification("memory", Server),
    Method::notification("module", Server),
    Method::request("modules", Client),
    Method::request("next", Client),
    Method::notification("output", Server),
    Method::request("pause", Client),
    Method::notification("process", Server),
    Method::notification("progressEnd", Server),
    Method::notification("progressStart", Server),
    Method::notification("progressUpdate", Server),
    Method::request("readMemory", Client),
    Method::request("restart", Client),
    Method::request("restartFrame", Client),
    Method::request("reverseContinue", Client),
    Method::asking("runInTerminal", Server),
    Method::request("scopes", Client),
    Method::request("setBreakpoints", Client),
    Method::request("setDataBreakpoints", Client),
    Method::request("setExceptionBreakpoints", Client),
    Method::request("setExpression", Client),
    Method::request("setFunctionBreakpoints", Client),
    Method::request("setInstructionBreakpoints", Client),
    Method::request("setVariable", Client),
    Method::request("source", Client),
    Method::request("stackTrace", Client),
    Method::request("startDebugging", Server),
    Method::request("stepBack", Client),
    Method::request("stepIn", Client),
    Method::request("stepInTargets", Client),
    Method::request("stepOut", Client),
    Method::notification("stopped", Server),
    Method::request("terminate", Client),
    Method::request("terminateThreads", Client),
    Method::notification("terminated", Server),
    Method::notification("thread", Server),
    Method::request("threads", Client),
    Method::request("variables", Client),
    Method::request("writeMemory", Client),
];
