//! What must happen before a clause can be kept or broken: the occasions that a log shows for each side.
//!
//! A rule that is silent has two meanings: the clause was kept, or nothing happened that it speaks of. Occasions tell
//! them apart. They are noted as events pass, as bits; nothing is judged here.

use crate::capture::Transport;
use crate::jsonrpc::Kind;
use crate::protocol::{Facts, Mechanism, ReportStage, Side};
use crate::session::{Connection, Event, Exchange, Part, TaskState, What};

/// A set of occasions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occasions(u64);

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
    /// It cancels something.
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
    /// It is sent a batch with requests.
    ASKED_BATCH = 14, "a batch of requests to it";
    /// A handshake is asked for.
    HANDSHAKE = 15, "a handshake";
    /// A handshake is answered.
    HANDSHAKE_ANSWERED = 16, "a handshake that is answered";
    /// The end is asked for.
    SHUTDOWN = 17, "a shutdown";
    /// The last notification.
    EXIT = 18, "an exit";
    /// It is asked something after the end was asked for.
    ASKED_AFTER_SHUTDOWN = 19, "a request after the shutdown";
    /// It is asked something before the handshake.
    ASKED_EARLY = 20, "a request before the handshake";
    /// It is sent a ping.
    PINGED = 21, "a ping to it";
    /// It is sent a request whose method begins with `$/`.
    ASKED_DOLLAR = 22, "a request to it that begins with $/";
    /// It is sent a request that does not state its revision and capabilities.
    ASKED_UNSTATED = 23, "a request that does not state its revision";
    /// It asks the same again while the first is in flight.
    REPEATS = 24, "a request that is sent again while it is in flight";
    /// It asks for a task.
    ASKS_TASK = 25, "a request for a task";
    /// It cancels a task by request.
    CANCELS_TASK = 26, "a cancel of a task";
    /// It reports a task's status.
    REPORTS_TASK = 27, "a report of a task's status";
    /// A task of it is cancelled.
    TASK_CANCELLED = 28, "a report that a task is cancelled";
    /// It answers the cancel of a task.
    ANSWERS_TASK_CANCEL = 29, "an answer to the cancel of a task";
    /// It answers the cancel of a task that had ended.
    ANSWERS_LATE_TASK_CANCEL = 30, "an answer to the cancel of a task that had ended";
    /// A turn of it is cancelled.
    TURN_CANCELLED = 31, "a session/cancel while a prompt is in work";
    /// It is asked for permission in a turn that is cancelled.
    PERMISSION_CANCELLED = 32, "a permission request of a cancelled turn";
    /// It cancels a turn.
    CANCELS_TURN = 34, "a session/cancel";
    /// It is asked for a task that it has declared.
    ASKED_TASK = 35, "a request for a task to it";
    /// It delivers the result of a task.
    DELIVERS_TASK = 36, "an answer to tasks/result";
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
    /// It is asked about a task.
    ASKED_OF_TASK = 45, "a request about a task";
    /// It sends a message by a POST whose headers the log shows.
    POSTS = 46, "a POST whose headers the log shows";
    /// It responds to an HTTP request, and the log shows the status.
    RESPONDS = 47, "an HTTP response whose status the log shows";
    /// It tells of a text document.
    TELLS_OF_DOCUMENT = 48, "a document that is opened, changed or closed";
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
    /// It answers a request whose HTTP stream was closed.
    ANSWERS_CLOSED_STREAM = 33, "an answer to a request whose HTTP stream was closed";
}

/// Not occasions, and in no list: the log does not show how the connection began; it goes over HTTP.
const NO_HEAD: Occasions = Occasions(1 << 61);
const HTTP: Occasions = Occasions(1 << 62);

impl Occasions {
    /// None.
    pub const NONE: Occasions = Occasions(0);

    /// Both together.
    pub const fn and(self, other: Occasions) -> Occasions {
        Occasions(self.0 | other.0)
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
        let beginning = Occasions::HANDSHAKE.and(Occasions::HANDSHAKE_ANSWERED).and(Occasions::ASKED_EARLY);
        self.0 != 0 && self.0 & !beginning.0 == 0
    }

    /// What would have to happen, in words.
    pub fn words(self) -> String {
        let words: Vec<&str> = WORDS.iter().filter(|(one, _)| self.any(*one)).map(|(_, words)| *words).collect();
        words.join(" or ")
    }

    /// As a number, for the store.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// From a number.
    pub const fn from_bits(bits: u64) -> Occasions {
        Occasions(bits)
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

/// The occasions of one event: for its sender, and for the other side.
pub(super) fn of_event(event: &Event<'_>) -> (Occasions, Occasions) {
    use Occasions as O;
    match &event.what {
        What::Message { message, facts, .. } => {
            let (own, others) = match message.kind {
                Kind::Request => (O::MESSAGES.and(O::REQUESTS), O::NONE),
                Kind::Notification => {
                    let told = event.profile.progress_step(message.method());
                    let progress =
                        told.is_some() || event.profile.progress.is_some_and(|method| method == message.method());
                    let own = O::MESSAGES.and(O::NOTIFIES).and(when(progress, O::PROGRESS));
                    let own = own.and(when(told == Some(ReportStage::Begin), O::CREATES_TOKEN));
                    (own.and(when(facts.document().is_some(), O::TELLS_OF_DOCUMENT)), O::NOTIFIED)
                }
                Kind::Result => (O::MESSAGES.and(O::ANSWERS).and(O::RESULTS), O::NONE),
                Kind::Error => (O::MESSAGES.and(O::ANSWERS).and(O::ERRORS), O::NONE),
                Kind::Unclassified => (O::MESSAGES, O::NONE),
            };
            let token = if facts.progress_token().is_some() { O::GIVES_TOKEN } else { O::NONE };
            (own.and(token), others)
        }
        What::Request { exchange, repeats, facts, .. } => {
            let stated = facts.meta_revision().is_some() && facts.meta_capabilities().is_some();
            let own = when(repeats.is_some(), O::REPEATS)
                .and(when(exchange.task != TaskState::None, O::ASKS_TASK))
                .and(when(&*exchange.method == "tasks/cancel", O::CANCELS_TASK))
                .and(when(&*exchange.method == "window/workDoneProgress/create", O::CREATES_TOKEN))
                .and(when(facts.retries, O::CONTINUES))
                .and(when(facts.cursor().is_some(), O::PAGES))
                .and(when(event.profile.needs(&exchange.method).is_some(), O::NEEDS_CAPABILITY))
                .and(when(&*exchange.method == "elicitation/create", O::ASKS_PERSON))
                .and(when(&*exchange.method == "sampling/createMessage", O::ASKS_MODEL));
            (own, asked(exchange, event.connection).and(when(!stated, O::ASKED_UNSTATED)))
        }
        What::Answer { exchange, facts, partial, .. } => {
            let own = when(exchange.stream_closed.is_some(), O::ANSWERS_CLOSED_STREAM)
                .and(when(*partial, O::GIVES_PARTIAL))
                .and(when(exchange.session_closed.is_some(), O::TURN_CLOSED))
                .and(when(&*exchange.method == "tasks/result", O::DELIVERS_TASK))
                .and(when(Facts::is(facts.result_type(), "input_required"), O::ASKS_INPUT))
                .and(when(asks(facts, "elicitation/create"), O::ASKS_PERSON))
                .and(when(asks(facts, "sampling/createMessage"), O::ASKS_MODEL))
                .and(when(lists(exchange, facts), O::LISTS))
                .and(when(event.profile.offered(&exchange.method, facts).is_some(), O::GIVES));
            (own, O::NONE)
        }
        What::Cancel { cancel, fault, target } => match cancel.mechanism {
            Mechanism::TasksCancel => (O::NONE, O::NONE),
            Mechanism::WorkDoneProgressCancel => (O::CANCELS_WORK, O::NONE),
            Mechanism::SessionCancel => (O::CANCELS_TURN, when(cancel.exchange.is_some(), O::TURN_CANCELLED)),
            _ => (O::CANCELS, when(fault.is_none() && target.is_some(), O::CANCELLED)),
        },
        What::Shape(shape) => (of_part(shape.part), O::NONE),
        What::Posted { .. } => (O::POSTS, O::NONE),
        What::Responded { .. } => (O::RESPONDS, O::NONE),
        What::LateAnswer { is_error, .. } => (when(*is_error, O::ANSWERS_CANCELLED), O::NONE),
        What::Batch(batch) => (O::BATCHES, when(batch.requests > 0, O::ASKED_BATCH)),
        What::Task(report) => {
            let was = report.before.is_some_and(|(_, status)| status == "cancelled");
            (O::REPORTS_TASK.and(when(was || report.status == "cancelled", O::TASK_CANCELLED)), O::NONE)
        }
        What::TaskCancelAnswer { terminal, .. } => {
            (O::ANSWERS_TASK_CANCEL.and(when(terminal.is_some(), O::ANSWERS_LATE_TASK_CANCEL)), O::NONE)
        }
        What::PermissionAnswer { .. } | What::Unanswered { permission_of_cancelled_turn: Some(_), .. } => {
            (O::PERMISSION_CANCELLED, O::NONE)
        }
        _ => (O::NONE, O::NONE),
    }
}

/// True if a result asks for input by this method (MCP 2026-07-28).
fn asks(facts: &Facts<'_>, method: &str) -> bool {
    facts.input_requests().is_some_and(|raw| raw.contains(method))
}

/// True for a list, or the contents of a resource.
fn lists(exchange: &Exchange, facts: &Facts<'_>) -> bool {
    let list =
        matches!(&*exchange.method, "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list");
    facts.result_members && (list || &*exchange.method == "resources/read")
}

/// What a part of a message that was held against a schema is an occasion of.
fn of_part(part: Part) -> Occasions {
    match part {
        Part::Params => Occasions::SHAPED_PARAMS,
        Part::Result => Occasions::SHAPED_RESULT,
        Part::Output => Occasions::TOOL_OUTPUT,
        Part::Input => Occasions::TOOL_INPUT,
        Part::Form => Occasions::FILLS_FORM,
    }
}

/// What the connection as a whole gave occasion to: for the client, and for the server.
pub(super) fn of_connection(connection: &Connection) -> (Occasions, Occasions) {
    use Occasions as O;
    let steps = &connection.lifecycle;
    let both = when(connection.transport == Transport::Http, HTTP)
        .and(when(!connection.complete_head(), NO_HEAD))
        .and(when(steps.initialize.is_some(), O::HANDSHAKE))
        .and(when(steps.initialize_answer.is_some(), O::HANDSHAKE_ANSWERED));
    let client = when(steps.shutdown.is_some(), O::SHUTDOWN).and(when(steps.exit.is_some(), O::EXIT));
    (both.and(client), both.and(when(steps.early_request.is_some(), O::ASKED_EARLY)))
}

/// What a request is an occasion of for the side that has to answer it.
fn asked(exchange: &Exchange, connection: &Connection) -> Occasions {
    use Occasions as O;
    let later = exchange.issuer == Side::Client && connection.lifecycle.shutdown.is_some();
    O::ASKED
        .and(when(&*exchange.method == "ping", O::PINGED))
        .and(when(matches!(&*exchange.method, "tasks/get" | "tasks/result" | "tasks/cancel"), O::ASKED_OF_TASK))
        .and(when(exchange.task == TaskState::Asked, O::ASKED_TASK))
        .and(when(exchange.known.is_some_and(|known| known.long_lived), O::LISTENED))
        .and(when(exchange.method.starts_with("$/"), O::ASKED_DOLLAR))
        .and(when(later, O::ASKED_AFTER_SHUTDOWN))
}

const fn when(is: bool, occasions: Occasions) -> Occasions {
    if is { occasions } else { Occasions::NONE }
}
