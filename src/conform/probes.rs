//! The probes: what a client says, in a few words each. `template` writes them out.
//!
//! ```text
//! call 2          a slow request with the id 2        cancel 2        its cancel, as the protocol has it
//! witness         a request that is answered at once  answer 2        the server answers it, when its time is over
//! settle 2        what a cancelled request is owed    progress 2      the server tells of its progress
//! refuse 50       an error answers it
//! watch           until nothing can come any more     soon            for a moment; both end with a witness
//! task 2          the slow request, as a task     tasks/get 60 S  a request about that task, and its status
//! question        the server asks, and nobody answers
//! drop 2          its HTTP stream is closed           take-up 2       and asked for again, where that is no cancel
//! ```
//!
//! Each line is sent at once after the one before it, or at `30%` of the time that the slow request takes by itself. What a server says
//! is what an honest one would say: the engine waits for it, and what does not come is told.

/// What a probe needs to be played at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing but a server.
    Server,
    /// A request that takes its time.
    Slow,
    /// One that reports progress.
    Progress,
    /// A handshake.
    Hello,
    /// A slow prompt in a session.
    Turns,
    /// A slow request that can be made a task.
    Tasks,
    /// A slow request during which the server asks the client.
    Question,
    /// A slow prompt during which the agent asks the client.
    TurnQuestion,
    /// A request that takes its time, and a stream of its own for its answer (Streamable HTTP).
    Streams,
}

/// Whether what comes of a probe hangs on when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It does not: once is enough.
    Any,
    /// It does not, and what it waits for never comes from some servers: that takes its time.
    Patient,
    /// It does: it is played several times, and earlier where the cancel met the answer.
    Timed,
}

/// One probe.
#[derive(Debug)]
pub struct Probe {
    /// Its name.
    pub name: &'static str,
    /// What it sends, for people.
    pub about: &'static str,
    /// The template.
    pub script: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// Whether its moment matters.
    pub moment: Moment,
}

const fn any(name: &'static str, needs: Needs, about: &'static str, script: &'static str) -> Probe {
    Probe { name, about, script, needs, moment: Moment::Any }
}

const fn patient(name: &'static str, needs: Needs, about: &'static str, script: &'static str) -> Probe {
    Probe { name, about, script, needs, moment: Moment::Patient }
}

const fn timed(name: &'static str, needs: Needs, about: &'static str, script: &'static str) -> Probe {
    Probe { name, about, script, needs, moment: Moment::Timed }
}

/// All of them, in the order in which they are played.
pub static PROBES: &[Probe] = &[
    timed("mid", Needs::Slow, "a cancel at 30 % of its time", "call 2; 30% cancel 2; witness; settle 2; watch"),
    timed("early", Needs::Slow, "request and cancel at once", "call 2; cancel 2; witness; settle 2; watch"),
    timed("late", Needs::Slow, "a cancel at 90 % of its time", "call 2; 90% cancel 2; witness; settle 2; watch"),
    any("done", Needs::Slow, "a cancel behind the answer", "call 2; answer 2; cancel 2; soon"),
    any("unknown", Needs::Server, "a cancel of an id that was never used", "cancel 4711; soon"),
    any("first", Needs::Server, "a cancel as the first message behind the handshake", "greet; cancel 4711; soon"),
    patient("before", Needs::Slow, "a cancel before its request", "cancel 2; call 2; answer 2; soon"),
    patient("type", Needs::Slow, "a cancel of \"2\" where 2 is in flight", "call 2; 30% cancel \"2\"; answer 2; soon"),
    any(
        "zero",
        Needs::Slow,
        "cancels of 0 and \"\", which are ids",
        "call 0; call \"\"; 30% cancel 0; cancel \"\"; witness; settle 0; settle \"\"; watch",
    ),
    any("malformed-none", Needs::Server, "a cancel without parameters", "malformed; soon"),
    any("malformed-empty", Needs::Server, "a cancel without an id", "malformed {}; soon"),
    any("malformed-array", Needs::Server, "a cancel whose parameters are a list", "malformed []; soon"),
    any("malformed-null", Needs::Server, "a cancel of null", "malformed {\"ID\":null}; soon"),
    any("malformed-object", Needs::Server, "a cancel of an object", "malformed {\"ID\":{}}; soon"),
    patient(
        "as-request",
        Needs::Slow,
        "a cancel with an id of its own: a request that no server knows",
        "call 2; 30% request 50 2; refuse 50; watch",
    ),
    timed("twice", Needs::Slow, "two cancels at once", "call 2; 30% cancel 2; cancel 2; witness; settle 2; watch"),
    patient("initialize", Needs::Hello, "a cancel of the handshake", "hello; cancel HELLO; welcome; soon"),
    timed(
        "progress",
        Needs::Progress,
        "a cancel behind the first progress",
        "call 2; progress 2; cancel 2; witness; settle 2; watch",
    ),
    timed(
        "parallel",
        Needs::Slow,
        "three at once, the middle one cancelled",
        "call 2; call 3; call 4; 30% cancel 3; witness; settle 3; answer 2; answer 4; watch",
    ),
    any("storm", Needs::Slow, "many at once, all cancelled", "calls; 30% cancels; witness; settles; watch"),
    timed(
        "session",
        Needs::Turns,
        "the end of a turn in which a prompt is worked on",
        "call 2; 30% end-turn; witness; turned 2; watch",
    ),
    any(
        "task-cancel",
        Needs::Tasks,
        "the cancel of a task",
        "task 2; 30% tasks/cancel 60 cancelled; tasks/get 61 cancelled; watch; tasks/get 62 cancelled; soon",
    ),
    any(
        "task-ended",
        Needs::Tasks,
        "the cancel of a task that has ended",
        "task 2; 150% tasks/get 60 completed; tasks/cancel 61 refused; tasks/get 62 completed; soon",
    ),
    any(
        "task-notified",
        Needs::Tasks,
        "a cancel of the request that made a task",
        "task 2; 30% cancel 2; witness; watch; tasks/get 60 completed; soon",
    ),
    any(
        "nested",
        Needs::Question,
        "a cancel while the server waits for an answer of the client",
        "call 2; question; cancel 2; witness; settle 2; watch",
    ),
    any(
        "session-question",
        Needs::TurnQuestion,
        "the end of a turn while the agent waits for an answer of the client",
        "call 2; question; end-turn; witness; turned 2; watch",
    ),
    patient(
        "http-drop",
        Needs::Streams,
        "the stream of a request is dropped without a word, and taken up again where that is no cancel",
        "call 2; 30% drop 2; witness; take-up 2; watch",
    ),
    any("close", Needs::Slow, "a cancel, and the end of input", "call 2; 30% cancel 2; settle 2; end"),
];
