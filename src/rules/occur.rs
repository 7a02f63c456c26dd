//! Which occasions an event and a connection give: what happened, for its sender and for the other side. Nothing is judged here.

use super::occasion::{HTTP, NO_HEAD, Occasions};
use crate::capture::Transport;
use crate::jsonrpc::Kind;
use crate::protocol::{Facts, Inquiry, Mechanism, ReportStage, Side, cancels_part, closes, is_log};
use crate::session::{Connection, Event, Exchange, Part, TaskState, What};

/// What a server says of a version that it does not speak (MCP 2026-07-28).
const VERSION_NOT_SPOKEN: i64 = -32022;

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
                    let own = own.and(when(Facts::is(facts.value_kind(), "begin"), O::GIVES_ITEMS));
                    let documents = if facts.document().is_some() { of_document(message.method()) } else { O::NONE };
                    (own.and(documents), O::NOTIFIED)
                }
                Kind::Result => (O::MESSAGES.and(O::ANSWERS).and(O::RESULTS), O::NONE),
                Kind::Error => (O::MESSAGES.and(O::ANSWERS).and(O::ERRORS), O::NONE),
                Kind::Unclassified => (O::MESSAGES, O::NONE),
            };
            let named = when(facts.names_itself, O::NAMES_ITSELF);
            let own = own.and(named).and(when(is_log(message.method()), O::LOGS));
            let own = own.and(when(facts.controls().is_some(), O::OFFERS_CANCEL));
            let own = own.and(when(names_many(message.method(), facts), O::NAMES_MANY));
            let own = own.and(when(facts.update().is_some(), O::UPDATES));
            let own = own.and(when(Facts::is(facts.update(), "plan_update"), O::PLANS));
            let token = if facts.progress_token().is_some() { O::GIVES_TOKEN } else { O::NONE };
            (own.and(token), others)
        }
        What::Request { exchange, repeats, facts, .. } => {
            let stated = facts.meta_revision().is_some() && facts.meta_capabilities().is_some();
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
            let others = asked(exchange, event.connection).and(when(!stated, O::ASKED_UNSTATED));
            let others = others.and(when(facts.retries, O::ASKED_AGAIN));
            (own, others.and(when(facts.cursor().is_some(), O::ASKED_PAGE)))
        }
        What::Answer { exchange, facts, partial, .. } => {
            let own = when(exchange.stream_closed.is_some(), O::ANSWERS_CLOSED_STREAM)
                .and(when(*partial, O::GIVES_PARTIAL))
                .and(when(exchange.session_closed.is_some(), O::TURN_CLOSED))
                .and(when(matches!(exchange.task, TaskState::Asked | TaskState::Created(_)), O::ANSWERS_TASK))
                .and(when(&*exchange.method == "tasks/result", O::DELIVERS_TASK))
                .and(when(Facts::is(facts.result_type(), "input_required"), O::ASKS_INPUT))
                .and(when(asks(facts, "elicitation/create"), O::ASKS_PERSON))
                .and(when(asks(facts, "sampling/createMessage"), O::ASKS_MODEL))
                .and(when(lists(exchange, facts), O::LISTS))
                .and(gives(&exchange.method))
                .and(when(closes(&exchange.method), O::CLOSES_SESSION))
                .and(if event.profile.turns { answers_session(&exchange.method) } else { O::NONE })
                .and(when(&*exchange.method == "prompts/get", O::GIVES_PROMPT))
                .and(when(&*exchange.method == "tools/call", O::CALLED))
                .and(when(&*exchange.method == "textDocument/diagnostic", O::GIVES_DIAGNOSTICS))
                .and(when(exchange.known.is_some_and(|known| known.long_lived), O::ENDS_SUBSCRIPTION))
                .and(when(event.profile.offered(&exchange.method, facts).is_some(), O::GIVES));
            (own, when(exchange.error_code == Some(VERSION_NOT_SPOKEN), O::VERSION_REFUSED))
        }
        What::Cancel { cancel, fault, target } => match cancel.mechanism {
            Mechanism::TasksCancel => (O::NONE, O::NONE),
            Mechanism::WorkDoneProgressCancel => (O::CANCELS_WORK, O::NONE),
            // A cancel of a turn in work is no cancel of one request: it names none, and its effect is open.
            Mechanism::SessionCancel => {
                let in_work = fault.is_none() && cancel.exchange.is_none() && cancel.effect.is_none();
                (O::CANCELS_TURN, when(in_work, O::TURN_CANCELLED))
            }
            _ => (O::CANCELS, when(fault.is_none() && target.is_some(), O::CANCELLED)),
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
        What::LateAnswer { is_error, .. } => (O::ENDS_CANCELLED.and(when(*is_error, O::ANSWERS_CANCELLED)), O::NONE),
        What::Batch(batch) => (O::BATCHES, when(batch.requests > 0, O::ASKED_BATCH)),
        What::Task(report) => {
            let was = report.before.is_some_and(|(_, status)| status == "cancelled");
            let own = O::REPORTS_TASK.and(when(was || report.status == "cancelled", O::TASK_CANCELLED));
            // The extension of MCP 2026-07-28 makes tasks that nobody asked for: whoever has one can cancel it.
            (own, when(report.created, O::ASKS_TASK))
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

/// What a language server gives by an answer.
fn gives(method: &str) -> Occasions {
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
        .and(when(steps.initialize.is_some(), O::HANDSHAKE))
        .and(when(steps.initialize_answer.is_some(), O::HANDSHAKE_ANSWERED));
    let client = when(steps.shutdown.is_some(), O::SHUTDOWN).and(when(steps.exit.is_some(), O::EXIT));
    // In a log without its beginning the handshake may have come before.
    let early = steps.early_request.is_some() && connection.complete_head();
    (both.and(client), both.and(when(early, O::ASKED_EARLY)))
}

/// What a request is an occasion of for the side that has to answer it.
fn asked(exchange: &Exchange, connection: &Connection) -> Occasions {
    use Occasions as O;
    let later = exchange.issuer == Side::Client && connection.lifecycle.shutdown.is_some();
    O::ASKED
        .and(when(&*exchange.method == "ping", O::PINGED))
        .and(when(matches!(&*exchange.method, "tasks/get" | "tasks/result" | "tasks/cancel"), O::ASKED_OF_TASK))
        .and(when(exchange.known.is_some_and(|known| known.long_lived), O::LISTENED))
        .and(when(exchange.method.starts_with("$/"), O::ASKED_DOLLAR))
        .and(of_inquiry(&exchange.method))
        .and(when(later, O::ASKED_AFTER_SHUTDOWN))
        .and(when(cancels_part(&exchange.method), O::ASKED_CANCEL))
}

/// What a request that finds out what its receiver speaks is an occasion of.
fn of_inquiry(method: &str) -> Occasions {
    match Inquiry::of(method) {
        Some(Inquiry::Discovery) => Occasions::ASKED_ERA,
        Some(Inquiry::Handshake) => Occasions::ASKED_OTHER_ERA,
        None => Occasions::NONE,
    }
}

const fn when(is: bool, occasions: Occasions) -> Occasions {
    if is { occasions } else { Occasions::NONE }
}
