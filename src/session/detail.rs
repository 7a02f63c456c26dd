//! What events tell in detail: strays, faults of cancels, of progress and of documents, reports of tasks, notes on the capture.

use super::exchange::Exchange;
use super::race::Judgement;
use super::seen::Seen;
use crate::jsonrpc::Id;
use crate::protocol::Side;

/// A batch as the rules see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// How many members, malformed ones included.
    pub members: u32,
    /// How many requests.
    pub requests: u32,
    /// How many responses.
    pub responses: u32,
    /// True if an `initialize` request is among them.
    pub has_initialize: bool,
    /// True if a request that opens or closes a session or a turn is among them (ACP).
    pub has_lifecycle: bool,
}

/// What may have caused a response with the id `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The notification: its POST is the one that it answers.
    Posted,
    /// Nothing but a notification.
    Alone,
    /// A notification, or something that has another id.
    Whichever,
}

/// Why a response settles nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stray {
    /// The request was answered before.
    Duplicate {
        /// The request.
        request: Seen,
        /// The first answer.
        answer: Option<Seen>,
        /// How sure it is that this is a second one, and not the first once more.
        judgement: Judgement,
    },
    /// Nobody issued that id.
    UnknownId {
        /// What the log allows to conclude.
        judgement: Judgement,
        /// The request on whose HTTP stream it came, where no other answer belongs.
        foreign_stream: Option<Seen>,
    },
    /// The id has the other JSON type: it settles the twin.
    TypeMismatch {
        /// The request it settles.
        request: Seen,
        /// Undecidable where the log may lack a request with that very id; then it settles nothing.
        judgement: Judgement,
        /// It came as the response to the POST of that request.
        own_stream: bool,
    },
    /// The id is the same number in another spelling: it settles the request.
    OtherSpelling {
        /// The request it settles.
        request: Seen,
    },
    /// A client's answer where no server may ask (MCP 2026-07-28).
    ClientAnswer {
        /// The server's request, where there is one.
        request: Option<Seen>,
    },
}

/// What is wrong with a cancel. One cancel, one cause: the first that applies, in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CancelFault {
    /// CAN007. What is missing or wrong, in words; `null_in_schema` lowers it.
    Malformed {
        /// What, in words.
        what: &'static str,
        /// True if the id is `null` and the schema allows that.
        null_in_schema: bool,
        /// True if the id stands under another dialect's member.
        foreign_member: bool,
        /// True if null stands where the parameters should.
        null_params: bool,
    },
    /// CAN008. Another protocol's or revision's method.
    ForeignDialect,
    /// CAN003. The handshake itself; undecidable where the id may have been that of another request.
    Initialize(Judgement),
    /// CAN017. A task-augmented request; undecidable while the task's id was not known to the canceller.
    TaskAugmented(Judgement),
    /// CAN015. Before capabilities were exchanged.
    BeforeCapabilities,
    /// CAN016. The receiver declared no support; undecidable where the declaration was not seen.
    WithoutCapability(Judgement),
    /// CAN002. A server's cancel where only a subscription may be cancelled by it.
    ServerForbidden(Judgement),
    /// CAN001. The id belongs to the other side.
    WrongDirection(Judgement),
    /// CAN030. The id has the other JSON type; undecidable where the log may lack a request with that very id.
    TypeMismatch(Judgement),
    /// CAN004. Nobody issued that id.
    UnknownId(Judgement),
    /// CAN005. The request was answered before.
    Completed(Judgement),
    /// CAN006. Cancelled before by the same side, and still in flight.
    Duplicate,
    /// SES006. Nothing in the log names that session.
    UnknownSession(Judgement),
    /// SES007. The session has no prompt in work.
    NothingInWork {
        /// What ended the turn before, where there was one.
        over: Option<Seen>,
        /// Whether the client had that.
        judgement: Judgement,
    },
    /// PRG010. The server has not created that token.
    UnknownToken(Judgement),
}

/// The request that a cancel names or comes near to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The request.
    pub request: Seen,
    /// Who issued it.
    pub issuer: Side,
    /// Its id.
    pub id: &'a Id,
    /// Its method.
    pub method: &'a str,
    /// Its answer, where it has one.
    pub answer: Option<Seen>,
    /// The first cancel of it, where there is one.
    pub first_cancel: Option<Seen>,
}

/// What is wrong with a progress notification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProgressFault {
    /// PRG001. The request was answered before; undecidable across HTTP streams.
    AfterAnswer {
        /// The answer.
        answer: Seen,
        /// The report that its task had ended, where it had created one: as long as that goes on there may be progress.
        task_ended: Option<Seen>,
        /// Exact, or undecidable across streams.
        judgement: Judgement,
    },
    /// PRG003. Nobody gave that token.
    UnknownToken(Judgement),
    /// PRG004. The value did not increase.
    NotIncreasing {
        /// The notification before it.
        previous: Seen,
        /// Exact, or undecidable across streams.
        judgement: Judgement,
    },
    /// PRG006. The token was given by the side that now uses it.
    WrongDirection,
    /// PRG007. The token is neither string nor integer.
    BadToken,
    /// PRG008. Out of the order begin, report, end.
    Sequence {
        /// The message that it goes against: the begin before, the end before, or the request that created the token.
        before: Seen,
        /// What is wrong, in words.
        what: &'static str,
    },
    /// PRG008. It begins with an id that had begun something before (DAP).
    BegunAgain {
        /// What came last with that id.
        before: Seen,
    },
    /// PRG013. The client had refused the token.
    Refused {
        /// The refusal.
        answer: Seen,
        /// Whether the server had it.
        judgement: Judgement,
    },
}

/// A cancel that is none of a request, and may have led to its end all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearCancel {
    /// It spells the id of the request in the other JSON type.
    OtherType(Seen),
    /// It is of progress, which may be that of the request.
    Progress(Seen),
}

/// What is wrong with a notification about a text document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFault {
    /// DOC001. It is open.
    Opened {
        /// Since this message.
        before: Seen,
        /// The close of what may be the same document in another spelling, where one came since.
        closed: Option<Seen>,
    },
    /// DOC002. It is not open.
    NotOpen {
        /// Its close, where there was one.
        closed: Option<Seen>,
        /// True for a change, false for a close.
        changes: bool,
    },
    /// DOC003. Its version did not increase.
    Version {
        /// The notification with the version before.
        before: Seen,
        /// That version.
        was: i64,
        /// The version now.
        now: i64,
    },
}

/// What is wrong with a request that continues one which its server has answered with questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundFault {
    /// It brings another state than it was given.
    Changed,
    /// It leaves out the state.
    Dropped,
    /// It brings a state, and was given none.
    Added,
    /// It brings the state of a request to another callee.
    Elsewhere,
    /// It answers nothing of what was asked.
    Unanswered,
}

/// What can be cancelled by itself in a session (ACP 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A tool call.
    ToolCall,
    /// A terminal.
    Terminal,
}

impl Thing {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Thing::ToolCall => "tool call",
            Thing::Terminal => "terminal",
        }
    }
}

/// What is wrong with the cancel of a tool call or a terminal, or with the offer of it (ACP 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlFault {
    /// It is cancelled, and that is not offered.
    NotOffered {
        /// What took the offer back, where there was one.
        withdrawn: Option<Seen>,
    },
    /// Its cancel is taken, and it was reported as ended before.
    EndedTaken {
        /// The report.
        ended: Seen,
    },
    /// Its cancel is offered, and it was reported as ended before, or is by the same message.
    StillOffered {
        /// The report.
        ended: Seen,
    },
}

/// What is wrong with the subscription that a notification is for (MCP 2026-07-28).
#[derive(Clone, Copy, Debug)]
pub enum SubscriptionFault<'a> {
    /// It names none.
    Unnamed,
    /// Nothing in the log has asked for the one that it names.
    Unknown {
        /// Its id.
        id: &'a Id,
        /// How sure that is.
        judgement: Judgement,
    },
    /// The server has ended it.
    Ended {
        /// The subscription.
        exchange: &'a Exchange,
        /// What ended it.
        end: Seen,
        /// How sure it is that this came before.
        judgement: Judgement,
    },
}

/// What is wrong with a log message, or with the answer to a request that asks for some (MCP 2026-07-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// It was not asked for.
    Unasked,
    /// It comes for a subscription.
    OnSubscription,
    /// A level that there is not was taken.
    LevelTaken,
}

/// What is wrong where revisions with a handshake meet those without one (MCP 2026-07-28).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EraFault {
    /// A server of this revision does not know `server/discover`.
    Undiscovered,
    /// It refuses a handshake and names no version in the refusal.
    Unnamed,
    /// A client that speaks both has not asked first which the server speaks.
    Unprobed,
    /// A side named itself, and then does not.
    Nameless,
    /// A client was told which versions its server speaks, and asks by none of them.
    Unlisted {
        /// It asks by the version that was refused, and nothing shows that it speaks one of the others.
        same: bool,
        /// Whether it had been told.
        judgement: Judgement,
    },
}

/// What a client chooses from (ACP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The ways to log in that a handshake lists.
    Login,
    /// Those of them that are for a terminal.
    Terminal,
    /// The modes of a session.
    Mode,
    /// The config options of a session and their values.
    Value,
    /// The options of a permission request.
    Option,
}

/// A task's status, as reported by its owner.
#[derive(Clone, Copy, Debug)]
pub struct TaskReport<'a> {
    /// The task's name.
    pub task: &'a str,
    /// Status reported before, and where.
    pub before: Option<(Seen, &'a str)>,
    /// Status reported now.
    pub status: &'a str,
    /// The answer to a `tasks/result` of it, where there was one (rule TSK008).
    pub delivered: Option<Seen>,
    /// Exact, or undecidable, whether it was reported behind that answer: the two may have come on different streams.
    pub behind_delivery: Judgement,
    /// True if this is the answer that created the task.
    pub created: bool,
    /// The request whose answer had created a task of the same name before (rule TSK013).
    pub recreated: Option<Seen>,
    /// The exchange whose answer reported it, where it was an answer.
    pub exchange: Option<&'a Exchange>,
    /// Exact, or undecidable across HTTP streams.
    pub judgement: Judgement,
}

/// What was held against a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Parameters, against the schema of the protocol.
    Params,
    /// A result, against the schema of the protocol.
    Result,
    /// The structured content of a tool's result, against the schema that the server declared for it.
    Output,
    /// The arguments of a call that was served, against the schema that the server declared for them.
    Input,
    /// What a user filled in, against the schema that the server asked with.
    Form,
}

/// What a schema says of a message. Whoever reads payloads tells it: the fold and the rules do not.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// What was held against it.
    pub part: Part,
    /// The method of the message, or of the request that it answers.
    pub method: &'a str,
    /// The exchange, where there is one.
    pub exchange: Option<&'a Exchange>,
    /// The message that declared the schema, where a side did.
    pub declared: Option<Seen>,
    /// What is not as the schema says, one place each; empty where all is.
    pub faults: &'a [String],
    /// Why that may come of the log, and not of the message.
    pub doubt: Option<&'static str>,
}

/// Something about the capture itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CaptureNote {
    /// CAP001. The capture starts in the middle.
    StartsMidway,
    /// CAP002. It ends with requests in flight and no close.
    EndsOpen {
        /// How many requests are in flight.
        in_flight: u64,
    },
    /// CAP003. The clock of the log ran backwards.
    ClockBackwards {
        /// How often.
        times: u64,
        /// The largest step in microseconds.
        worst_us: i64,
    },
    /// CAP006. The revision is not in the log; the weakest rules of all revisions were used.
    RevisionUnknown,
    /// CAP007. No message has a `jsonrpc` member: the logger dropped it.
    VersionDropped,
    /// CAP008. There is no usable time in the log.
    NoTime,
    /// CAP010. A message seems to hold a credential.
    PossibleSecret {
        /// What kind: `authz`, `password`, `token` ...
        kind: &'static str,
    },
}
