//! Which frames of a connection make one exchange understandable alone: itself, what it caused, what proves its
//! findings, the handshake, and what the request speaks of (its session, its document).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::Result;
use crate::protocol;
use crate::store::{ConnectionRow, ExchangeFilter, ExchangeRow, FindingFilter, MessageRow, Raw, Store};

/// The frames of an exchange and all that it needs, by id.
pub fn chosen(store: &Store, exchange: &ExchangeRow, connection: &ConnectionRow) -> Result<BTreeSet<i64>> {
    let mut ids = BTreeSet::new();
    whole(store, exchange.id, &mut ids)?;
    for parent in ancestors(store, exchange)? {
        whole(store, parent, &mut ids)?;
    }
    let proof = proof(store, exchange)?;
    ids.extend(&proof);
    let revision = Some(connection.revision.as_str()).filter(|revision| !revision.is_empty());
    let opening = protocol::by_name(&connection.protocol, revision).map(|profile| &profile.opening);
    let first = opening.and_then(|opening| opening.initialize);
    let second = opening.and_then(|opening| opening.initialized);
    let subject = Subject::of(store.message(exchange.id, Raw::All)?);
    let (mut answers, mut tasks) = (Vec::new(), BTreeSet::new());
    let until = proof.last().copied().max(exchange.response_id).max(Some(exchange.id)).unwrap_or(exchange.id);
    store.messages_of_connection(connection.id, 0, until, Raw::All, |message| {
        let method = message.method.as_deref();
        let opens = method.is_some() && (method == first || method == second);
        let before = message.id < exchange.id;
        // A handshake behind the exchange is the one by which what proves its findings has to be read.
        if opens || before && message.kind == "notification" && subject.has_document(&message) {
            ids.insert(message.id);
        }
        if before && message.kind == "result" && subject.has_session(&message) {
            answers.push(message.id);
        }
        if subject.has_task(&message) {
            tasks.insert(message.id);
        }
        Ok(())
    })?;
    let mut needed = Vec::new();
    let filter = ExchangeFilter { connection: Some(connection.id), ..ExchangeFilter::default() };
    store.exchanges(filter, |row| {
        let answered = row.response_id.is_some_and(|id| answers.contains(&id));
        // A message that proves something is a request or an answer, and means nothing without the other.
        let proves = proof.contains(&row.id) || row.response_id.is_some_and(|id| proof.contains(&id));
        let made_the_task = subject.task.is_some() && row.response_id.is_some_and(|id| tasks.contains(&id));
        if answered || proves || made_the_task || row.id <= until && Some(row.method.as_str()) == first {
            needed.push(row.id);
        }
        Ok(())
    })?;
    for id in needed {
        whole(store, id, &mut ids)?;
    }
    ids.extend(tasks);
    Ok(ids)
}

/// The messages that prove the findings about an exchange.
fn proof(store: &Store, exchange: &ExchangeRow) -> Result<BTreeSet<i64>> {
    let about = FindingFilter { exchange: Some(exchange.id), ..FindingFilter::default() };
    let findings = store.all_findings(&about, Raw::None)?;
    Ok(findings.iter().flat_map(|finding| &finding.evidence).map(|evidence| evidence.message.id).collect())
}

/// The exchanges that an exchange served, the nearest first.
fn ancestors(store: &Store, exchange: &ExchangeRow) -> Result<Vec<i64>> {
    let (mut found, mut next) = (Vec::new(), exchange.parent_id);
    while let Some(id) = next.filter(|id| !found.contains(id)) {
        found.push(id);
        next = store.exchange(id)?.and_then(|row| row.parent_id);
    }
    Ok(found)
}

/// An exchange with its cancels, its progress, and the requests that served it, with theirs.
fn whole(store: &Store, id: i64, ids: &mut BTreeSet<i64>) -> Result<()> {
    let (mut queue, mut seen) = (vec![id], BTreeSet::new());
    while let Some(id) = queue.pop() {
        if seen.insert(id) {
            ids.extend(store.messages_of_exchange(id, Raw::None)?.iter().map(|message| message.id));
            queue.extend(store.nested_exchanges(id)?.iter().map(|row| row.id));
        }
    }
    Ok(())
}

/// What a request speaks of: a session that another exchange opened, a document that notifications told, a task.
#[derive(Default)]
struct Subject {
    session: Option<String>,
    document: Option<String>,
    task: Option<String>,
}

/// Where a message names a task.
const TASKS: [&str; 4] = ["/params/taskId", "/result/taskId", "/result/task/taskId", "/params/task/taskId"];

impl Subject {
    fn of(request: Option<MessageRow>) -> Subject {
        let json = request.and_then(|request| json(&request)).unwrap_or_default();
        let word = |pointer: &str| json.pointer(pointer).and_then(Value::as_str).map(str::to_string);
        Subject {
            session: word("/params/sessionId"),
            document: word("/params/textDocument/uri"),
            task: word("/params/taskId"),
        }
    }

    fn has_session(&self, answer: &MessageRow) -> bool {
        has(answer, self.session.as_deref(), "/result/sessionId")
    }

    fn has_task(&self, told: &MessageRow) -> bool {
        matches!(told.kind.as_str(), "notification" | "result")
            && TASKS.iter().any(|pointer| has(told, self.task.as_deref(), pointer))
    }

    fn has_document(&self, told: &MessageRow) -> bool {
        has(told, self.document.as_deref(), "/params/textDocument/uri")
    }
}

fn has(message: &MessageRow, wanted: Option<&str>, pointer: &str) -> bool {
    let Some(wanted) = wanted else { return false };
    let last = pointer.rsplit('/').next().unwrap_or(pointer);
    // Most messages do not even have the member: they are not parsed.
    message.raw.as_deref().is_some_and(|raw| raw.contains(last))
        && json(message).is_some_and(|json| json.pointer(pointer).and_then(Value::as_str) == Some(wanted))
}

fn json(message: &MessageRow) -> Option<Value> {
    serde_json::from_str(message.raw.as_deref()?).ok()
}
