//! What must happen before a clause can be kept or broken: the occasions that a log shows for each side.
//!
//! A rule that is silent has two meanings: the clause was kept, or nothing happened that it speaks of. Occasions tell
//! them apart. They are noted as events pass, as bits; nothing is judged here.

use crate::protocol::Side;

/// A set of occasions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occasions(u128);

/// One constant for each occasion, and the list of them with their words.
macro_rules! occasions {
    ($($(#[$about:meta])* $name:ident = $bit:literal, $words:literal;)*) => {
        impl Occasions {
            $($(#[$about])* pub const $name: Occasions = Occasions(1 << $bit);)*
        }
        /// Each occasion, and what would have to happen for it, as the end of "needs".
        const WORDS: &[(Occasions, &str)] = &[$((Occasions::$name, $words)),*];
    };
}

occasions! {
    /// It sends anything.
    MESSAGES = 0, "a message";
    /// It sends a request.
    REQUESTS = 1, "a request";
    /// It sends a notification.
    NOTIFIES = 2, "a notification";
    /// It sends a response.
    ANSWERS = 3, "a response";
    /// It sends a result.
    RESULTS = 4, "a result";
    /// It sends an error.
    ERRORS = 5, "an error";
    /// It is sent a request.
    ASKED = 6, "a request to it";
    /// It is sent a notification.
    NOTIFIED = 7, "a notification to it";
    /// It cancels something, in the dialect that is spoken.
    CANCELS = 8, "a cancel";
    /// A request to it is cancelled.
    CANCELLED = 9, "a cancel of a request to it";
    /// It answers a request that was cancelled, by an error.
    ANSWERS_CANCELLED = 10, "an error that answers a cancelled request";
    /// It reports progress.
    PROGRESS = 11, "progress";
    /// It asks for progress.
    GIVES_TOKEN = 12, "a request with a progress token";
    /// It sends a batch.
    BATCHES = 13, "a batch";
    /// It answers by a batch.
    ANSWERS_BATCH = 14, "a batch of responses";
    /// A handshake is asked for.
    HANDSHAKE = 15, "a handshake";
    /// A handshake is answered.
    HANDSHAKE_ANSWERED = 16, "a handshake that is answered";
    /// The end is asked for.
    SHUTDOWN = 17, "a shutdown";
    /// The last notification.
    EXIT = 18, "an exit";
    /// It answers what was asked after the end was asked for.
    ANSWERS_AFTER_SHUTDOWN = 19, "an answer to a request after the shutdown";
    /// It answers what was asked before the handshake.
    ANSWERS_EARLY = 20, "an answer to a request before the handshake";
    /// It answers a ping.
    ANSWERS_PING = 21, "an answer to a ping";
    /// It answers a request whose method begins with `$/`.
    ANSWERS_DOLLAR = 22, "an answer to a request that begins with $/";
    /// It answers a request that does not state its revision and capabilities.
    ANSWERS_UNSTATED = 23, "an answer to a request that does not state its revision";
    /// It asks the same again while the first is in flight.
    REPEATS = 24, "a request that is sent again while it is in flight";
    /// It asks for a task.
    ASKS_TASK = 25, "a request for a task";
    /// It cancels a task by request.
    CANCELS_TASK = 26, "a cancel of a task";
    /// It reports a task's status.
    REPORTS_TASK = 27, "a report of a task's status";
    /// It reports on a task that it has reported on before.
    REPORTS_TASK_AGAIN = 107, "another report of a task's status";
    /// It creates a task.
    CREATES_TASK = 108, "a task that it creates";
    /// It reports on a task that was cancelled before.
    TASK_CANCELLED = 28, "another report on a cancelled task";
    /// It serves the cancel of a task.
    ANSWERS_TASK_CANCEL = 29, "a result that answers the cancel of a task";
    /// It answers the cancel of a task that had ended.
    ANSWERS_LATE_TASK_CANCEL = 30, "an answer to the cancel of a task that had ended";
    /// A turn of it is cancelled.
    TURN_CANCELLED = 31, "a session/cancel while a prompt is in work";
    /// It is asked for permission in a turn that is cancelled.
    PERMISSION_CANCELLED = 32, "a permission request of a cancelled turn";
    /// It cancels a turn.
    CANCELS_TURN = 34, "a session/cancel";
    /// It serves a request for a task that it has declared.
    ANSWERS_TASK = 35, "a result that answers a request for a task";
    /// It delivers the result of a task.
    DELIVERS_TASK = 36, "a result that answers tasks/result";
    /// It brings the input that it was asked for.
    CONTINUES = 37, "a request that brings input";
    /// It asks for input.
    ASKS_INPUT = 38, "a result that asks for input";
    /// It asks for what the other side must have declared.
    NEEDS_CAPABILITY = 39, "a request that needs a capability";
    /// It creates a token for progress.
    CREATES_TOKEN = 40, "a progress token that it creates";
    /// It cancels progress that the server has created.
    CANCELS_WORK = 41, "a window/workDoneProgress/cancel";
    /// It is asked for a subscription.
    LISTENED = 42, "a subscription";
    /// It reports a result in parts.
    GIVES_PARTIAL = 43, "a result in parts";
    /// The session of a prompt to it is closed.
    TURN_CLOSED = 44, "a session/close while a prompt is in work";
    /// It refuses a request about a task.
    REFUSES_TASK = 45, "an error that answers a request about a task";
    /// It sends a message by a POST whose headers the log shows.
    POSTS = 46, "a POST whose headers the log shows";
    /// It responds to an HTTP request, and the log shows the status.
    RESPONDS = 47, "an HTTP response whose status the log shows";
    /// It opens a text document.
    OPENS_DOCUMENT = 48, "a document that is opened";
    /// It changes a text document.
    CHANGES_DOCUMENT = 84, "a document that is changed";
    /// It closes a text document.
    CLOSES_DOCUMENT = 85, "a document that is closed";
    /// It goes on in a list.
    PAGES = 49, "a request that goes on from a cursor";
    /// It gives a list of tools, prompts or resources, or the contents of a resource.
    LISTS = 50, "a list or a resource that it gives";
    /// It asks a person for something.
    ASKS_PERSON = 51, "an elicitation";
    /// It asks a language model for something.
    ASKS_MODEL = 52, "a request for sampling";
    /// It gives what it may have had to declare.
    GIVES = 53, "a result that shows what it supports";
    /// It sends parameters that the schema describes, and they were held against it.
    SHAPED_PARAMS = 54, "a message whose parameters the schema describes";
    /// It sends a result that the schema describes.
    SHAPED_RESULT = 55, "a result that the schema describes";
    /// It sends the result of a tool with an output schema.
    TOOL_OUTPUT = 56, "a result of a tool with an output schema";
    /// It serves a call of a tool with an input schema.
    TOOL_INPUT = 57, "a call of a tool with an input schema, served";
    /// It sends what a user filled in.
    FILLS_FORM = 58, "a form that a user filled in";
    /// It sends a prompt (ACP).
    PROMPTS = 59, "a prompt";
    /// It sends what the other side must have declared to take (ACP).
    SENDS_KIND = 60, "a prompt or a session with a kind that must be declared";
    /// It names a file, or the folder of a command (ACP).
    NAMES_PATH = 61, "a request with a path";
    /// It names the folder of a session (ACP).
    NAMES_FOLDER = 86, "a session in a folder";
    /// It names more folders for a session (ACP).
    NAMES_ROOTS = 87, "a session with additional directories";
    /// It answers a prompt (ACP).
    ANSWERS_PROMPT = 88, "a result that answers a prompt";
    /// It answers a request for permission (ACP).
    ANSWERS_PERMISSION = 89, "a result that answers a permission request";
    /// It chooses a mode (ACP).
    CHOOSES_MODE = 90, "a mode that is set";
    /// It chooses a value of a config option (ACP).
    CHOOSES_VALUE = 91, "a config option that is set";
    /// It logs in (ACP).
    LOGS_IN = 92, "a login";
    /// It tells of a session (ACP).
    UPDATES = 93, "an update of a session";
    /// It asks about a terminal (ACP).
    ASKS_TERMINAL = 94, "a request about a terminal";
    /// It asks for a file (ACP).
    ASKS_FILE = 95, "a request for a file";
    /// It gives the diagnostics of a document (LSP).
    GIVES_DIAGNOSTICS = 62, "a result that gives diagnostics";
    /// It is asked to go on in a list.
    ASKED_PAGE = 63, "a request to it that goes on from a cursor";
    /// It issues a session over HTTP.
    ISSUES_SESSION = 64, "a session that it issues";
    /// It opens a stream by a GET, and the log shows what it accepts.
    OPENS_STREAM = 65, "a GET that opens a stream, whose headers the log shows";
    /// It mirrors an argument or a name in a header (MCP 2026-07-28).
    MIRRORS = 67, "a POST with a header that mirrors a name or an argument";
    /// It answers a request by a stream of events, and the log shows its head.
    STREAMS = 68, "a stream of events that answers a request, whose headers the log shows";
    /// It sends log messages, or answers a request for some.
    LOGS = 69, "a log message, or an answer to a request that asks for some";
    /// It answers what it speaks, where it is asked by the method for that.
    TELLS_ERA = 70, "an answer to a server/discover";
    /// It refuses a handshake, which its revision does not know.
    REFUSES_OTHER_ERA = 96, "an error that answers a handshake of an earlier revision";
    /// It is told that its version is not spoken.
    VERSION_REFUSED = 97, "a refusal of its version";
    /// It answers a request that was cancelled.
    ENDS_CANCELLED = 98, "an answer to a cancelled request";
    /// It says who it is (MCP 2026-07-28).
    NAMES_ITSELF = 71, "a message that says who sends it";
    /// It sends a request of a revision without a handshake.
    STATELESS = 72, "a request that states its revision";
    /// It cancels a tool call or a terminal by itself (ACP 2).
    CANCELS_PART = 73, "a cancel of a tool call or a terminal";
    /// It answers the cancel of a tool call or a terminal (ACP 2).
    ANSWERS_CANCEL = 74, "an answer to the cancel of a tool call or a terminal";
    /// It tells what may be asked of a tool call or a terminal (ACP 2).
    OFFERS_CANCEL = 75, "an update that tells whether a tool call or a terminal may be cancelled";
    /// It closes a session at the client's request (ACP 2).
    CLOSES_SESSION = 76, "a session that it closes";
    /// It gives a prompt.
    GIVES_PROMPT = 77, "a prompt that it gives";
    /// It is asked again, with input.
    ASKED_AGAIN = 78, "a request to it that brings input";
    /// It gives ranges or edits (LSP).
    GIVES_RANGES = 79, "a result with ranges or edits";
    /// It gives items that the specification says how to make (LSP).
    GIVES_ITEMS = 80, "a result with symbols, signatures, completions or actions, or the begin of a progress";
    /// It lists what must have a name or an address of its own.
    NAMES_MANY = 81, "a list of commands, of options or of cells";
    /// It tells of a plan (ACP 2).
    PLANS = 82, "a plan that it tells of";
    /// It answers the call of a tool.
    CALLED = 83, "a result of a tool";
    /// It ends a subscription.
    ENDS_SUBSCRIPTION = 66, "a result that answers a subscription";
    /// It answers a request whose HTTP stream was closed.
    ANSWERS_CLOSED_STREAM = 33, "an answer to a request whose HTTP stream was closed";
    /// Its cancel names something.
    CANCELS_BY_NAME = 99, "a cancel that names a request";
    /// Its cancel names a request that the log shows as its own.
    CANCELS_OWN = 100, "a cancel that names a request of its own";
    /// It goes on behind the cancel of a request or a turn, or can say nothing more.
    PAST_CANCEL = 101, "what it does behind a cancel of a request to it";
    /// It goes on behind a notification, or can say nothing more.
    PAST_NOTIFICATION = 102, "what it does behind a notification to it";
    /// It goes on with notifications behind a request for some.
    PAST_LISTENED = 103, "a notification of it behind a subscription";
    /// It tells of a session behind the cancel of a turn.
    PAST_TURN_CANCEL = 104, "an update of a session behind a session/cancel";
    /// It answers a request on which it had reported.
    ANSWERS_REPORTED = 105, "an answer to a request on which it had reported";
    /// The same, more than once.
    REPORTS_AGAIN = 106, "an answer to a request on which it had reported more than once";
    /// It begins to report on something.
    BEGINS_WORK = 109, "the begin of a progress";
    /// The token that it has created is refused.
    TOKEN_REFUSED = 110, "a refusal of a progress token that it creates";
    /// It ends a turn that was cancelled.
    ENDS_TURN = 111, "an answer to a prompt whose turn was cancelled";
    /// It says that a list has changed.
    TELLS_CHANGE = 112, "a notification that a list has changed";
}

/// Not occasions, and in no list: it does something that no cancel is about, or can do nothing more; the log does not show how the
/// connection began; it goes over HTTP.
pub(super) const GOES_ON: Occasions = Occasions(1 << 125);
pub(super) const NO_HEAD: Occasions = Occasions(1 << 126);
pub(super) const HTTP: Occasions = Occasions(1 << 127);

/// What a side makes of a thing shows behind it: the thing, what of the side comes after it, and what both are an occasion of.
const BEHIND: [(Occasions, Occasions, Occasions); 4] = {
    use Occasions as O;
    [
        (O::CANCELLED.and(O::TURN_CANCELLED), GOES_ON, O::PAST_CANCEL),
        (O::NOTIFIED, GOES_ON, O::PAST_NOTIFICATION),
        (O::LISTENED, O::NOTIFIES, O::PAST_LISTENED),
        (O::TURN_CANCELLED, O::UPDATES, O::PAST_TURN_CANCEL),
    ]
};

/// All things of these, and all that may come after one.
const THINGS: Occasions = BEHIND[0].0.and(BEHIND[1].0).and(BEHIND[2].0).and(BEHIND[3].0);
const AFTER: Occasions = BEHIND[0].1.and(BEHIND[1].1).and(BEHIND[2].1).and(BEHIND[3].1);

impl Occasions {
    /// None.
    pub const NONE: Occasions = Occasions(0);

    /// Both together.
    pub const fn and(self, other: Occasions) -> Occasions {
        Occasions(self.0 | other.0)
    }

    /// These, and those that came after them. Asked of every event: what few sides have cause for is looked at behind two short questions.
    #[inline]
    pub(super) fn then(self, later: Occasions) -> Occasions {
        let both = self.and(later);
        if !later.any(AFTER) || !self.any(THINGS) {
            return both;
        }
        let shown = |all: Occasions, &(thing, after, shown): &(Occasions, Occasions, Occasions)| {
            if self.any(thing) && later.any(after) { all.and(shown) } else { all }
        };
        BEHIND.iter().fold(both, shown)
    }

    /// True if any of `other` is among them.
    pub const fn any(self, other: Occasions) -> bool {
        self.0 & other.0 != 0
    }

    /// True if the log does not show how the connection began, so that an occasion of its beginning may be missing.
    pub const fn lacks_head(self) -> bool {
        self.any(NO_HEAD)
    }

    /// True if the connection goes over HTTP.
    pub const fn over_http(self) -> bool {
        self.any(HTTP)
    }

    /// Only of the beginning of a connection.
    pub const fn of_beginning(self) -> bool {
        let beginning = Occasions::HANDSHAKE.and(Occasions::HANDSHAKE_ANSWERED).and(Occasions::ANSWERS_EARLY);
        self.0 != 0 && self.0 & !beginning.0 == 0
    }

    /// What would have to happen, in words.
    pub fn words(self) -> String {
        self.list().collect::<Vec<_>>().join(" or ")
    }

    /// The same, one by one.
    pub fn list(self) -> impl Iterator<Item = &'static str> {
        WORDS.iter().filter(move |(one, _)| self.any(*one)).map(|(_, words)| *words)
    }

    /// As two numbers, the lower half first, for the store.
    pub const fn bits(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// From these numbers.
    pub const fn from_bits([low, high]: [u64; 2]) -> Occasions {
        Occasions(low as u128 | (high as u128) << 64)
    }
}

/// Who can break a rule, and on which occasions: without one of them the rule had nothing to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duty {
    /// The side; `None` for either.
    pub whose: Option<Side>,
    /// The occasions, seen from that side.
    pub on: Occasions,
    /// True for what can only be kept or broken over HTTP.
    pub over_http: bool,
}

impl Duty {
    /// Of nobody: the rule is about the capture.
    pub const NONE: Duty = Duty { whose: None, on: Occasions::NONE, over_http: false };

    /// Of the client.
    pub const fn client(on: Occasions) -> Duty {
        Duty { whose: Some(Side::Client), on, over_http: false }
    }

    /// Of the server.
    pub const fn server(on: Occasions) -> Duty {
        Duty { whose: Some(Side::Server), on, over_http: false }
    }

    /// Of either side.
    pub const fn either(on: Occasions) -> Duty {
        Duty { whose: None, on, over_http: false }
    }

    /// Only over HTTP.
    pub const fn over_http(self) -> Duty {
        Duty { over_http: true, ..self }
    }

    /// The sides that have it.
    pub fn sides(self) -> impl Iterator<Item = Side> {
        Side::BOTH.into_iter().filter(move |side| self.whose.is_none_or(|whose| whose == *side))
    }
}
