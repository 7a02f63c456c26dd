//! Events: what `session` makes of frames. Rules are functions of one event.
//!
//! An event is complete: it carries the exchange, the judgement and the facts of its connection, so that a rule keeps no state.

use super::connection::Connection;
use super::detail::{
    Batch, CancelFault, CaptureNote, Cause, ControlFault, DocumentFault, EraFault, LogFault, NearCancel, Offer,
    ProgressFault, RoundFault, Shape, Stray, SubscriptionFault, Target, TaskReport, Thing,
};
use super::exchange::{Cancellation, Exchange};
use super::hop::Hop;
use super::http_stream::{HttpStream, Shown};
use super::ledger::Ledger;
use super::race::Judgement;
use super::seen::{FrameId, Seen};
use crate::capture::Exit;
use crate::jsonrpc::{Id, Message};
use crate::protocol::http::RequestHead;
use crate::protocol::{Capabilities, Facts, Flaw, Profile, Side};

/// One event: what happened, where, and in which connection.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The connection's facts as they were when the event was made.
    pub connection: &'a Connection,
    /// What the log does not show of it, as far as it was read; of what several hops show, that of the lowest.
    pub ledger: Ledger<'a>,
    /// The profile that judges it: that of the exchange, else of the connection.
    pub profile: &'static Profile,
    /// The frame that a finding would point at.
    pub seen: Seen,
    /// Who sent that frame, where it is a message.
    pub sender: Option<Side>,
    /// What happened.
    pub what: What<'a>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// Bytes that should have been a message and are none.
    Malformed {
        /// Why, in words.
        reason: &'a str,
    },
    /// Any message, before it is paired. For the envelope and for the order of the handshake.
    Message {
        /// The envelope.
        message: &'a Message<'a>,
        /// The facts.
        facts: &'a Facts<'a>,
        /// True if the message is an own-dialect cancel of the handshake request.
        cancels_initialize: bool,
        /// Whether it needs an id, were it a response without one; `None` where an error may do without (rule RPC021).
        owes_id: Option<Judgement>,
    },
    /// A message without `jsonrpc: "2.0"`, in a connection in which other messages have it.
    VersionMissing {
        /// How many of that sender's messages lacked it so far, this one included.
        nth: u32,
    },
    /// An array of messages.
    Batch(Batch),
    /// A response array whose members do not answer one request array, or a request array answered singly.
    BatchMismatch {
        /// What does not match, in words.
        detail: &'static str,
        /// Frame of the request array.
        requests: FrameId,
    },
    /// A request.
    Request {
        /// The exchange it opens.
        exchange: &'a Exchange,
        /// An older request in flight with the same method and parameters, never cancelled (rule CAN025).
        repeats: Option<Seen>,
        /// An older request in flight, by the same side and never cancelled, that gave the same progress token (rule PRG005).
        token_in_use: Option<Seen>,
        /// The prompt of the same session that is in work (rule SES011).
        overlaps: Option<Seen>,
        /// It goes on from a cursor that the server has not given, and how sure that is (rule LIF022).
        strange_cursor: Option<Judgement>,
        /// The request on whose response stream the server sent it, where that states the revision which it is of (rule LIF014).
        stated_by: Option<Seen>,
        /// The message's facts.
        facts: &'a Facts<'a>,
    },
    /// A request whose id the same side has used before.
    IdReused {
        /// The id.
        id: &'a Id,
        /// Who used it.
        issuer: Side,
        /// Method of the later request.
        method: &'a str,
        /// The earlier request.
        earlier: Seen,
        /// True if that one is still in flight.
        in_flight: bool,
        /// True if it continues that one, which was answered by a question for input (rule LIF017).
        continues: bool,
        /// Set where it is the same request once more on another HTTP stream (rule TRN002): how sure that is.
        broadcast: Option<Judgement>,
    },
    /// A request of the server that belongs to a prompt turn (or stream) that was cancelled before.
    NestedAfterCancel {
        /// The new request.
        exchange: &'a Exchange,
        /// The cancel.
        cancel: Seen,
        /// Whether the issuer can have known.
        judgement: Judgement,
    },
    /// A response that settles an exchange.
    Answer {
        /// The exchange, settled.
        exchange: &'a Exchange,
        /// The response.
        message: &'a Message<'a>,
        /// Its facts.
        facts: &'a Facts<'a>,
        /// True if it is a member of a response array.
        in_batch: bool,
        /// True if the request stated its revision and the client's capabilities in `_meta` (rules LIF012 and LIF013).
        request_has_meta: bool,
        /// True if nothing shows yet that this side speaks the revision by which it was asked (rule RPC017).
        revision_unshown: bool,
        /// True if the error text speaks of a cancel or an abort.
        says_cancelled: bool,
        /// A capability that the request needs and that this side had not declared; said once for each (rule LIF019).
        undeclared: Option<&'static str>,
        /// True if partial results were reported before (rule PRG012).
        partial: bool,
        /// True if the request refers to an earlier result (rule DOC005).
        previous_result: bool,
        /// Where its code says that the request was cancelled, a cancel that may have led to it and is none of the request (rule CAN013).
        near_cancel: Option<NearCancel>,
        /// The turn or task that the request names, where it names one (rule TSK011).
        topic: Option<&'a str>,
        /// The capabilities that the request stated of its issuer (MCP 2026-07-28).
        stated: Option<&'a Capabilities>,
        /// The HTTP status of the response that it came with, where the log shows it.
        status: Option<u16>,
        /// True if that response is an event stream, whose status was sent before the answer was known.
        streamed: bool,
    },
    /// A response without an id by a side that had been sent notifications, while no request can have caused it.
    NotificationAnswered {
        /// The last notification to that side, or the one whose POST it answers.
        notification: Seen,
        /// The error code, where it is an error that has one.
        error_code: Option<i64>,
        /// What may have caused it.
        cause: Cause,
        /// Undecidable for an error where a request of that time was never answered, for it may be meant, and over HTTP for one without a
        /// status.
        judgement: Judgement,
    },
    /// A response that settles nothing.
    Stray {
        /// Its id.
        id: &'a Id,
        /// Why it settles nothing.
        stray: Stray,
    },
    /// A cancel, judged at the moment it was sent: at most one thing is wrong with it.
    Cancel {
        /// The cancel.
        cancel: &'a Cancellation,
        /// What is wrong with it.
        fault: Option<CancelFault>,
        /// The request it names, or the one that it comes near to.
        target: Option<Target<'a>>,
    },
    /// The answer to a request that was cancelled before, with the verdict of the race.
    LateAnswer {
        /// The exchange, settled.
        exchange: &'a Exchange,
        /// The cancel that came first.
        cancel: &'a Cancellation,
        /// Whether the answering side can have known of the cancel.
        judgement: Judgement,
        /// The answer's error code, where it is an error that has one.
        error_code: Option<i64>,
        /// True if the answer is an error.
        is_error: bool,
        /// True if the error text speaks of a cancel or an abort.
        says_cancelled: bool,
        /// True if the answering side is known to support this cancel: it acknowledged one before.
        support_evident: bool,
    },
    /// A progress notification.
    Progress {
        /// What is wrong with it, if anything.
        fault: Option<ProgressFault>,
        /// The token as JSON text.
        token: &'a str,
        /// The exchange that owns the token, where there is one.
        exchange: Option<&'a Exchange>,
    },
    /// Progress that came after a cancel: one event per exchange and certainty, at the first such message.
    ProgressAfterCancel {
        /// The exchange.
        exchange: &'a Exchange,
        /// The cancel.
        cancel: Seen,
        /// Whether the sender can have known.
        judgement: Judgement,
        /// How many such messages.
        count: u32,
        /// The last of them.
        last: Seen,
    },
    /// Another notification that belongs to a request cancelled before (a subscription's message).
    NotificationAfterCancel {
        /// The exchange.
        exchange: &'a Exchange,
        /// The cancel.
        cancel: Seen,
        /// Whether the sender can have known.
        judgement: Judgement,
    },
    /// The first message for a subscription is not the one that acknowledges it.
    Unacknowledged {
        /// The subscription.
        exchange: &'a Exchange,
        /// Exact, or undecidable across HTTP streams.
        judgement: Judgement,
    },
    /// A notification about a text document that its state does not allow.
    Document {
        /// Its address.
        address: &'a str,
        /// What is wrong.
        fault: DocumentFault,
    },
    /// The first request of a client that had not asked for the handshake it must follow. Said once it is known which revision is
    /// spoken, or that nothing tells it.
    EarlyRequest {
        /// Its method.
        method: &'a str,
    },
    /// A handshake that was asked for where another one was. Said once its answer tells whether the server may be another one.
    AskedAnew {
        /// The handshake before it.
        first: Seen,
        /// What that was answered, if it was by then.
        answered: Option<Seen>,
        /// The refusal that shows that the server is the same one.
        refusal: Option<Seen>,
        /// Whether it is.
        judgement: Judgement,
    },
    /// A message that uses what had to be declared; said once for each capability.
    Undeclared {
        /// Its method.
        method: &'a str,
        /// The capability.
        needs: &'static str,
        /// The side that had to declare it.
        by: Side,
    },
    /// A log message that nobody asked for in its place, or a level that there is not (MCP 2026-07-28).
    Logged {
        /// The request that it belongs to, where that is known.
        exchange: Option<&'a Exchange>,
        /// What is wrong.
        fault: LogFault,
    },
    /// What a side shows of the revisions that it speaks does not go together (MCP 2026-07-28).
    Era {
        /// The request that was refused, where it is about one.
        exchange: Option<&'a Exchange>,
        /// What is wrong.
        fault: EraFault,
        /// The message that shows what the side speaks, or that it names itself.
        shown: Seen,
    },
    /// A request that continues another one, and not as its server asked (MCP 2026-07-28).
    Round {
        /// The request.
        exchange: &'a Exchange,
        /// What is wrong with it.
        fault: RoundFault,
        /// The result that asked for input.
        asked: Seen,
    },
    /// A choice that the agent has not offered (ACP).
    NotOffered {
        /// The request that chooses, or the settled one whose answer does.
        exchange: &'a Exchange,
        /// What was to be chosen from.
        offer: Offer,
        /// What was chosen.
        chosen: &'a str,
        /// What offered others first, where that is not the request itself.
        by: Option<Seen>,
        /// Whether the client had that.
        judgement: Judgement,
    },
    /// A page of a list that says otherwise than the pages before it who may keep it (MCP 2026-07-28).
    Rescoped {
        /// The request for the page.
        exchange: &'a Exchange,
        /// The first page.
        first: Seen,
    },
    /// A request about a terminal that was released (ACP).
    Released {
        /// The request.
        exchange: &'a Exchange,
        /// Where it was released.
        released: Seen,
        /// What says that it was.
        answer: Seen,
        /// Whether the agent had that.
        judgement: Judgement,
    },
    /// The cancel of a tool call or a terminal, or the offer of it, against what its agent reports (ACP 2).
    Control {
        /// What it is about.
        thing: Thing,
        /// The cancel, where it is about one.
        exchange: Option<&'a Exchange>,
        /// What is wrong.
        fault: ControlFault,
        /// Whether its sender had what makes it wrong.
        judgement: Judgement,
    },
    /// A request that brought less input than its server had asked for was refused (MCP 2026-07-28).
    Shortfall {
        /// The request, settled.
        exchange: &'a Exchange,
        /// The result that asked.
        asked: Seen,
        /// The name of the question that it does not answer, or the first of them.
        missing: &'a str,
        /// True if the refusal names it.
        named: bool,
    },
    /// A prompt was given although its request lacks an argument that its server has listed as required (MCP).
    Unvalidated {
        /// The request, settled.
        exchange: &'a Exchange,
        /// The list.
        listed: Seen,
        /// The argument.
        argument: &'a str,
    },
    /// A session was closed while its agent had reported that it is at work, and not since that it is not (ACP 2).
    ClosedAtWork {
        /// The close, settled.
        exchange: &'a Exchange,
        /// The report.
        at_work: Seen,
        /// Exact, or undecidable across HTTP streams.
        judgement: Judgement,
    },
    /// A refused call of a tool, made as a task or not, against what the tool says of that (MCP 2025-11-25).
    Unsupported {
        /// The call.
        exchange: &'a Exchange,
        /// The list that says it.
        listed: Seen,
        /// It must be a task; otherwise it must not.
        required: bool,
    },
    /// A prompt to a session that nothing has set up (ACP).
    NotSetUp {
        /// The prompt.
        exchange: &'a Exchange,
        /// The session.
        session: &'a str,
    },
    /// A side gave what it had to declare that it supports, and had not; said once for each capability.
    Unannounced {
        /// The request that it answers.
        exchange: &'a Exchange,
        /// The capability.
        offers: &'static str,
    },
    /// Something is wrong with the payload of a message; said once in a connection.
    Flawed {
        /// What.
        flaw: &'a Flaw,
        /// The request that the message answers, where it is a response.
        exchange: Option<&'a Exchange>,
    },
    /// A message of the client, as the body of a POST whose head the log shows.
    Posted {
        /// The head.
        head: &'a RequestHead,
        /// The message.
        message: &'a Message<'a>,
        /// Its facts.
        facts: &'a Facts<'a>,
        /// Headers that requests of the client before it had.
        shown: Shown,
        /// True if it belongs to a connection that is agreed on, as far as its own messages prove that.
        bound: bool,
        /// The revision that the handshake agreed on.
        negotiated: Option<&'a str>,
    },
    /// The head of an HTTP response.
    Responded {
        /// The request and what came so far.
        stream: &'a HttpStream,
        /// The response in which the server took the end of the session that the request names.
        ended: Option<Seen>,
        /// True if some response shows that the log keeps `X-Accel-Buffering`.
        shows_buffering: bool,
    },
    /// A message of the server came on an HTTP stream that it does not belong on.
    Misplaced {
        /// The request that it belongs to.
        exchange: &'a Exchange,
        /// The request whose response carried it; `None` for a stream that a GET opened.
        stream: Option<Seen>,
        /// How sure that is.
        judgement: Judgement,
    },
    /// A notification for subscribers that is for no subscription which the log shows.
    Unsubscribed {
        /// The notification's method.
        method: &'a str,
        /// Why it is for none.
        fault: SubscriptionFault<'a>,
    },
    /// A notification for a subscription that did not ask for it; said once for each kind.
    Unrequested {
        /// The subscription.
        exchange: &'a Exchange,
        /// The member of its filter that would have asked for it.
        member: &'static str,
        /// The notification's method.
        method: &'a str,
    },
    /// Work was begun with the token of a request that was answered since, and not ended.
    WorkLeftOpen {
        /// The request.
        exchange: &'a Exchange,
        /// The begin.
        begin: Seen,
    },
    /// A cancelled turn ended with another stop reason than `cancelled` (ACP 2).
    TurnNotCancelled {
        /// The prompt.
        exchange: &'a Exchange,
        /// The `session/cancel`.
        cancel: Seen,
        /// Whether the agent knew of the cancel when it reported the session idle.
        judgement: Judgement,
    },
    /// A session was closed while a prompt was in work, and that ended otherwise than as cancelled.
    TurnOutlivesClose {
        /// The prompt, settled.
        exchange: &'a Exchange,
        /// The `session/close`.
        close: Seen,
        /// Whether the agent knew of it.
        judgement: Judgement,
    },
    /// A receiver went into a task that nothing in the log has created; said once for each.
    UnknownTask {
        /// The request that names it, settled by a result.
        exchange: &'a Exchange,
        /// The task's name.
        task: &'a str,
        /// The answer in which the same receiver had refused that name before.
        refused: Option<Seen>,
    },
    /// A task's status was reported.
    Task(TaskReport<'a>),
    /// An answer to `tasks/cancel`.
    TaskCancelAnswer {
        /// The `tasks/cancel` exchange, settled.
        exchange: &'a Exchange,
        /// The task's name.
        task: &'a str,
        /// The terminal status reported before, and where, if any.
        terminal: Option<(Seen, &'a str)>,
        /// The answer in which its result had been delivered when it was cancelled: that is due at its end alone.
        delivered: Option<Seen>,
        /// The status in the answer, where there is one.
        status: Option<&'a str>,
        /// The error code, where it was rejected with one.
        error_code: Option<i64>,
        /// True if it was rejected.
        is_error: bool,
    },
    /// A permission request of a cancelled turn was answered.
    PermissionAnswer {
        /// The permission exchange, settled.
        exchange: &'a Exchange,
        /// The `session/cancel`.
        cancel: Seen,
        /// The outcome, where the answer is a result that has one.
        outcome: Option<&'a str>,
        /// The error code, where the answer is an error that has one.
        error_code: Option<i64>,
        /// True if the agent itself cancelled this request.
        cancelled_by_agent: bool,
    },
    /// A `session/update` after the answer to a cancelled prompt and before the next prompt.
    UpdateAfterTurn {
        /// The prompt.
        exchange: &'a Exchange,
        /// The answer that ended the turn.
        answer: Seen,
        /// Kind of the update.
        update: &'a str,
        /// The message with which the tool call that it reports on began in that turn.
        begun: Option<Seen>,
        /// Whether it was the turn's, and whether the agent knew of the cancel.
        judgement: Judgement,
    },
    /// A request that was never answered, at the end of its connection.
    Unanswered {
        /// The exchange.
        exchange: &'a Exchange,
        /// What the end of the connection allows to conclude.
        judgement: Judgement,
        /// Microseconds from the request to the end, where known.
        age_us: Option<i64>,
        /// How many answers the other side sent after this request: proof that it lived.
        answers_after: u64,
        /// True for a permission request whose turn was cancelled (rule SES004).
        permission_of_cancelled_turn: Option<Seen>,
    },
    /// The server's process ended of itself, or was ended, while requests of the client were in flight.
    ServerDied {
        /// The oldest of those requests.
        first: &'a Exchange,
        /// How many they are.
        open: u32,
        /// How it ended.
        exit: Exit,
        /// Whether the log shows that the client had no part in it.
        judgement: Judgement,
        /// The last lines that it wrote to stderr.
        stderr: &'a [Seen],
        /// The last of them, cut where it is long.
        last_words: &'a str,
    },
    /// A cancelled request was answered while requests that served it stayed open to the end.
    Orphans {
        /// The parent.
        parent: &'a Exchange,
        /// The cancel.
        cancel: Seen,
        /// The nested requests.
        orphans: &'a [Seen],
        /// What the end of the log allows to conclude.
        judgement: Judgement,
    },
    /// One side sent no answer for a while although requests kept coming.
    Stalled {
        /// The first request that had to wait.
        since: Seen,
        /// How many requests waited.
        requests: u32,
        /// Microseconds without any answer.
        for_us: i64,
    },
    /// What two hops of one request show together.
    Hop(Hop<'a>),
    /// What a schema says of a message.
    Shape(Shape<'a>),
    /// The end of the connection.
    End,
    /// Something about the capture itself, not about the parties.
    Capture(CaptureNote),
}
