//! Which occasions an event and a connection give: what happened, for its sender and for the other side. Nothing is judged here.

use super::occasion::{GOES_ON, HTTP, NO_HEAD, Occasions};
use crate::capture::Transport;
use crate::jsonrpc::Kind;
use crate::protocol::{Facts, Inquiry, Mechanism, ReportStage, Side, cancels_part, closes, is_log};
use crate::session::{CancelFault, Cancellation, Connection, End, Event, Exchange, Part, Target, TaskState, What};

/// What a server says of a version that it does not speak (MCP 2026-07-28).
const VERSION_NOT_SPOKEN: i64 = -32022;

/// The occasions of one event: for its sender, and for the other side.
pub(super) fn of_event(event: &Event<'_>) -> (Occasions, Occasions) {
    use Occasions as O;
    match &event.what {
        What::Message { message, facts, .. } => {
            let (own, others) = match message.kind {
                Kind::Request => (O::MESSAGES.and(O::REQUESTS).and(GOES_ON), O::NONE),
                Kind::Notification => {
                    let told = event.profile.progress_step(message.method());
                    let progress =
                        told.is_some() || event.profile.progress.is_some_and(|method| method == message.method());
                    let own = O::MESSAGES.and(O::NOTIFIES).and(GOES_ON).and(when(progress, O::PROGRESS));
                    let own = own.and(when(told == Some(ReportStage::Begin), O::CREATES_TOKEN.and(O::BEGINS_WORK)));
                    let begins = Facts::is(facts.value_kind(), "begin");
                    let own = own.and(when(begins, O::GIVES_ITEMS.and(O::BEGINS_WORK)));
                    let own = own.and(when(message.method().ends_with("/list_changed"), O::TELLS_CHANGE));
                    let documents = if facts.document().is_some() { of_document(message.method()) } else { O::NONE };
                    (own.and(documents), O::NOTIFIED)
                }
                Kind::Result => (O::MESSAGES.and(O::ANSWERS).and(O::RESULTS), O::NONE),
                Kind::Error => (O::MESSAGES.and(O::ANSWERS).and(O::ERRORS), O::NONE),
                Kind::Unclassified => (O::MESSAGES, O::NONE),
            };
            let named = when(event.sender.is_some_and(|side| facts.says_of_itself(side).is_some()), O::NAMES_ITSELF);
            let own = own.and(named).and(when(is_log(message.method()), O::LOGS));
            let own = own.and(when(facts.controls().is_some(), O::OFFERS_CANCEL));
            let own = own.and(when(names_many(message.method(), facts), O::NAMES_MANY));
            let own = own.and(when(facts.update().is_some(), O::UPDATES));
            let own = own.and(when(Facts::is(facts.update(), "plan_update"), O::PLANS));
            let token = if facts.progress_token().is_some() { O::GIVES_TOKEN } else { O::NONE };
            (own.and(token), others)
        }
        What::Request { exchange, repeats, facts, .. } => {
            let own = when(repeats.is_some(), O::REPEATS)
                .and(when(facts.meta_revision().is_some(), O::STATELESS))
                .and(when(exchange.task != TaskState::None, O::ASKS_TASK))
                .and(when(&*exchange.method == "tasks/cancel", O::CANCELS_TASK))
                .and(when(&*exchange.method == "window/workDoneProgress/create", O::CREATES_TOKEN))
                .and(when(cancels_part(&exchange.method), O::CANCELS_PART))
                .and(when(facts.retries, O::CONTINUES))
                .and(when(facts.cursor().is_some(), O::PAGES))
                .and(when(event.profile.needs(&exchange.method).is_some(), O::NEEDS_CAPABILITY))
                .and(when(&*exchange.method == "session/prompt", O::PROMPTS))
                .and(when(facts.kinds.needs().next().is_some(), O::SENDS_KIND))
                .and(if event.profile.turns { of_session(&exchange.method, facts) } else { O::NONE })
                .and(when(&*exchange.method == "elicitation/create", O::ASKS_PERSON))
                .and(when(&*exchange.method == "sampling/createMessage", O::ASKS_MODEL));
            let others = asked(exchange).and(when(facts.retries, O::ASKED_AGAIN));
            (own, others.and(when(facts.cursor().is_some(), O::ASKED_PAGE)))
        }
        What::Answer { exchange, message, facts, partial, request_has_meta, .. } => {
            let result = message.kind == Kind::Result;
            let own = answered(exchange, event.connection, !result)
                .and(when(!request_has_meta, O::ANSWERS_UNSTATED))
                .and(if result { gives(event, exchange, facts, *partial) } else { O::NONE });
            let refused = !result && &*exchange.method == "window/workDoneProgress/create";
            let version = exchange.error_code == Some(VERSION_NOT_SPOKEN);
            (own, when(version, O::VERSION_REFUSED).and(when(refused, O::TOKEN_REFUSED)))
        }
        What::Cancel { cancel, fault, target } => match cancel.mechanism {
            Mechanism::TasksCancel => (O::NONE, O::NONE),
            Mechanism::WorkDoneProgressCancel => (O::CANCELS_WORK, O::NONE),
            // A cancel of a turn in work is no cancel of one request: it names none, and its effect is open.
            Mechanism::SessionCancel => {
                let in_work = fault.is_none() && cancel.exchange.is_none() && cancel.effect.is_none();
                (O::CANCELS_TURN, when(in_work, O::TURN_CANCELLED))
            }
            _ => of_cancel(cancel, *fault, target.as_ref()),
        },
        What::Shape(shape) => (of_part(shape.part), O::NONE),
        What::Posted { head, .. } => {
            let mirrors = when(!head.mirrors.is_empty(), O::MIRRORS);
            (O::POSTS.and(mirrors), mirrors)
        }
        What::Responded { stream, .. } => {
            let issues = stream.response.as_ref().is_some_and(|(_, head)| head.session.is_some());
            let own = O::RESPONDS.and(when(issues, O::ISSUES_SESSION)).and(when(stream.streams(), O::STREAMS));
            (own, when(stream.opens_events(), O::OPENS_STREAM))
        }
        What::LateAnswer { is_error, cancel, .. } => {
            let turn = when(cancel.mechanism == Mechanism::SessionCancel, O::ENDS_TURN);
            (O::ENDS_CANCELLED.and(when(*is_error, O::ANSWERS_CANCELLED)).and(turn), O::NONE)
        }
        What::Batch(batch) => (O::BATCHES.and(when(batch.responses > 0, O::ANSWERS_BATCH)), O::NONE),
        What::Task(report) => {
            let was = report.before.is_some_and(|(_, status)| status == "cancelled");
            let own = O::REPORTS_TASK
                .and(when(report.before.is_some(), O::REPORTS_TASK_AGAIN))
                .and(when(report.created, O::CREATES_TASK))
                .and(when(was, O::TASK_CANCELLED));
            // The extension of MCP 2026-07-28 makes tasks that nobody asked for: whoever has one can cancel it.
            (own, when(report.created, O::ASKS_TASK))
        }
        What::TaskCancelAnswer { terminal, delivered, is_error, .. } => {
            let served = when(!is_error, O::ANSWERS_TASK_CANCEL);
            let late = terminal.is_some() || delivered.is_some() && !is_error;
            (served.and(when(late, O::ANSWERS_LATE_TASK_CANCEL)), O::NONE)
        }
        What::PermissionAnswer { .. } | What::Unanswered { permission_of_cancelled_turn: Some(_), .. } => {
            (O::PERMISSION_CANCELLED, O::NONE)
        }
        _ => (O::NONE, O::NONE),
    }
}

/// What a cancel of a request is an occasion of, for who sends it and for who answers the request. One that comes when it was
/// answered can stop nothing.
fn of_cancel(cancel: &Cancellation, fault: Option<CancelFault>, target: Option<&Target<'_>>) -> (Occasions, Occasions) {
    use Occasions as O;
    let own = cancel.exchange.is_some() && target.is_some();
    let named = match fault {
        Some(CancelFault::ForeignDialect) => return (O::NONE, O::NONE),
        Some(CancelFault::Malformed { .. }) => O::NONE,
        _ => O::CANCELS_BY_NAME.and(when(own, O::CANCELS_OWN)),
    };
    let stops = fault.is_none() && target.is_some_and(|target| target.answer.is_none());
    (O::CANCELS.and(named), when(stops, O::CANCELLED))
}

/// What any answer is an occasion of, for its sender.
fn answered(exchange: &Exchange, connection: &Connection, is_error: bool) -> Occasions {
    use Occasions as O;
    let (method, asked) = (&*exchange.method, exchange.request.frame);
    let steps = &connection.lifecycle;
    let by_client = exchange.issuer == Side::Client;
    let later = by_client && steps.shutdown.is_some_and(|shutdown| asked > shutdown.frame);
    // In a log without its beginning the handshake may have come before.
    let none_before = steps.first_initialize.is_none_or(|initialize| asked < initialize.frame);
    let early = steps.early_request.is_some_and(|early| asked >= early.frame) && none_before;
    when(exchange.cancel().is_none(), GOES_ON)
        .and(when(exchange.progress > 0, O::ANSWERS_REPORTED))
        .and(when(exchange.progress > 1, O::REPORTS_AGAIN))
        .and(when(exchange.stream_closed.is_some(), O::ANSWERS_CLOSED_STREAM))
        .and(when(exchange.session_closed.is_some(), O::TURN_CLOSED))
        .and(when(later, O::ANSWERS_AFTER_SHUTDOWN))
        .and(when(early && by_client && connection.complete_head(), O::ANSWERS_EARLY))
        .and(of_method(method, is_error))
}

/// What an answer to a certain method is an occasion of.
fn of_method(method: &str, is_error: bool) -> Occasions {
    use Occasions as O;
    match method {
        // What most logs are full of.
        "tools/call" => O::NONE,
        "ping" => O::ANSWERS_PING,
        "tasks/get" | "tasks/result" | "tasks/cancel" => when(is_error, O::REFUSES_TASK),
        _ if method.starts_with("$/") => O::ANSWERS_DOLLAR,
        _ if cancels_part(method) => O::ANSWERS_CANCEL,
        _ => match Inquiry::of(method) {
            Some(Inquiry::Discovery) => O::TELLS_ERA,
            Some(Inquiry::Handshake) => when(is_error, O::REFUSES_OTHER_ERA),
            None => O::NONE,
        },
    }
}

/// What a result is an occasion of, for its sender.
fn gives(event: &Event<'_>, exchange: &Exchange, facts: &Facts<'_>, partial: bool) -> Occasions {
    use Occasions as O;
    let method = &*exchange.method;
    when(partial, O::GIVES_PARTIAL)
        .and(when(matches!(exchange.task, TaskState::Asked | TaskState::Created(_)), O::ANSWERS_TASK))
        .and(when(method == "tasks/result", O::DELIVERS_TASK))
        .and(when(Facts::is(facts.result_type(), "input_required"), O::ASKS_INPUT))
        .and(when(asks(facts, "elicitation/create"), O::ASKS_PERSON))
        .and(when(asks(facts, "sampling/createMessage"), O::ASKS_MODEL))
        .and(when(lists(exchange, facts), O::LISTS))
        .and(gives_items(method))
        .and(when(closes(method), O::CLOSES_SESSION))
        .and(if event.profile.turns { answers_session(method) } else { O::NONE })
        .and(when(method == "prompts/get", O::GIVES_PROMPT))
        .and(when(method == "tools/call", O::CALLED))
        .and(when(method == "textDocument/diagnostic", O::GIVES_DIAGNOSTICS))
        .and(when(exchange.known.is_some_and(|known| known.long_lived), O::ENDS_SUBSCRIPTION))
        .and(when(event.profile.offered(method, facts).is_some(), O::GIVES))
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

/// What a request about a session, its terminals or its files is an occasion of (ACP).
fn of_session(method: &str, facts: &Facts<'_>) -> Occasions {
    use Occasions as O;
    let roots = when(facts.roots().is_some(), O::NAMES_ROOTS);
    match method {
        "session/new" | "session/load" | "session/resume" => O::NAMES_FOLDER.and(roots),
        "session/set_mode" => O::CHOOSES_MODE,
        "session/set_config_option" => O::CHOOSES_VALUE,
        "authenticate" | "auth/login" => O::LOGS_IN,
        "terminal/create" => O::ASKS_TERMINAL.and(O::NAMES_PATH),
        _ if method.starts_with("terminal/") => O::ASKS_TERMINAL,
        _ if method.starts_with("fs/") => O::ASKS_FILE.and(O::NAMES_PATH),
        _ => roots,
    }
}

/// What an answer about a session is an occasion of (ACP).
fn answers_session(method: &str) -> Occasions {
    match method {
        "session/prompt" => Occasions::ANSWERS_PROMPT,
        "session/request_permission" => Occasions::ANSWERS_PERMISSION,
        _ => Occasions::NONE,
    }
}

/// What a notification about a document is an occasion of (LSP).
fn of_document(method: &str) -> Occasions {
    match method {
        "textDocument/didOpen" => Occasions::OPENS_DOCUMENT,
        "textDocument/didChange" => Occasions::CHANGES_DOCUMENT,
        "textDocument/didClose" => Occasions::CLOSES_DOCUMENT,
        _ => Occasions::NONE,
    }
}

/// True for a message that tells several things apart by their names.
fn names_many(method: &str, facts: &Facts<'_>) -> bool {
    let commands = Facts::is(facts.update(), "available_commands_update");
    commands || matches!(method, "session/request_permission" | "notebookDocument/didOpen")
}

/// What a language server gives by a result.
fn gives_items(method: &str) -> Occasions {
    match method {
        "textDocument/selectionRange" => Occasions::GIVES_RANGES,
        "textDocument/completion" | "completionItem/resolve" => Occasions::GIVES_RANGES.and(Occasions::GIVES_ITEMS),
        "textDocument/documentSymbol" | "textDocument/signatureHelp" | "textDocument/rename" | "codeAction/resolve" => {
            Occasions::GIVES_ITEMS
        }
        _ => Occasions::NONE,
    }
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
        .and(when(matches!(connection.end, End::Closed(_)), GOES_ON))
        .and(when(steps.initialize.is_some(), O::HANDSHAKE))
        .and(when(steps.initialize_answer.is_some(), O::HANDSHAKE_ANSWERED));
    let client = when(steps.shutdown.is_some(), O::SHUTDOWN).and(when(steps.exit.is_some(), O::EXIT));
    (both.and(client), both)
}

/// What a request is an occasion of for the side that has to answer it.
fn asked(exchange: &Exchange) -> Occasions {
    use Occasions as O;
    O::ASKED.and(when(exchange.known.is_some_and(|known| known.long_lived), O::LISTENED))
}

const fn when(is: bool, occasions: Occasions) -> Occasions {
    if is { occasions } else { Occasions::NONE }
}
