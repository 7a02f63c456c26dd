//! Results that ask for input, requests that bring it, and hints for caches (2026-07-28).

use serde_json::Value;

use super::{Flaws, content, elicitation, sampling, shown, text};
use crate::json::each_member;
use crate::protocol::Facts;

/// What a server may ask for.
const ASKED: [&str; 3] = ["elicitation/create", "sampling/createMessage", "roots/list"];
/// Results that say how long they may be kept.
const CACHED: [(&str, &str); 5] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("resources/read", "contents"),
];

/// A question in a result that asks for input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its method.
    pub method: String,
    /// A capability beyond that of its method which it needs of the client.
    pub needs: Option<&'static str>,
}

/// The questions of `result.inputRequests`.
pub fn questions(raw: &str) -> Vec<Question> {
    let asked: Value = serde_json::from_str(raw).unwrap_or_default();
    let question = |(_, request): (&String, &Value)| {
        let method = request["method"].as_str()?.to_string();
        let params = &request["params"];
        let needs = match method.as_str() {
            "elicitation/create" if params["mode"] == "url" => Some("elicitation.url"),
            "elicitation/create" if params["mode"].is_null() || params["mode"] == "form" => Some("elicitation.form"),
            "sampling/createMessage" if params["tools"].is_array() => Some("sampling.tools"),
            "sampling/createMessage"
                if ["thisServer", "allServers"].iter().any(|it| params["includeContext"] == *it) =>
            {
                Some("sampling.context")
            }
            _ => None,
        };
        Some(Question { method, needs })
    };
    asked.as_object().into_iter().flatten().filter_map(question).collect()
}

/// A result: its type, and what it asks for.
pub(super) fn result(facts: &Facts<'_>, flaws: &mut Flaws) {
    if !Facts::is(facts.result_type(), "input_required") {
        return;
    }
    let empty = facts.input_requests().is_none() && facts.request_state().is_none();
    let words = || "a result asks for input and has neither inputRequests nor requestState".to_string();
    flaws.add_if(empty, "PAY006", words);
    let Some(raw) = facts.input_requests() else { return };
    let mut keys: Vec<String> = Vec::new();
    each_member(raw, |key, request| {
        let again = keys.iter().any(|known| known == key);
        flaws.add_if(again, "PAY006/key", || format!("two inputs are asked for as {}", shown(key)));
        keys.push(key.to_string());
        one(request, flaws);
    });
}

fn one(raw: &str, flaws: &mut Flaws) {
    let request: Value = serde_json::from_str(raw).unwrap_or_default();
    let Some(method) = text(&request["method"]) else {
        return flaws
            .add_if(request.is_object(), "PAY006/method", || "an input is asked for without a method".to_string());
    };
    flaws.add_if(!ASKED.contains(&method), "PAY006/method", || format!("input is asked for by {}", shown(method)));
    match method {
        "elicitation/create" => elicitation::request(&request["params"], flaws),
        "sampling/createMessage" => sampling::request(&request["params"], flaws),
        _ => {}
    }
}

/// Input that a request brings: roots among it.
pub(super) fn responses(facts: &Facts<'_>, flaws: &mut Flaws) {
    let Some(raw) = facts.input_responses() else { return };
    each_member(raw, |_, response| {
        each_member(response, |key, list| {
            if key == "roots" {
                content::roots(list, flaws);
            }
        })
    });
}

/// Hints for caches, on the results that must have them.
pub(super) fn hints(facts: &Facts<'_>, asked: Option<&str>, flaws: &mut Flaws) {
    let Some(body) = facts.body().filter(|_| facts.suspect) else { return };
    let (mut kind, mut ttl, mut scope) = (None, None, None);
    each_member(body, |key, raw| match key {
        "ttlMs" => ttl = Some(raw),
        "cacheScope" => scope = Some(raw),
        _ => {
            let known = CACHED.iter().find(|(method, list)| *list == key && asked.is_none_or(|asked| asked == *method));
            kind = kind.or(known.map(|(method, _)| *method));
        }
    });
    let Some(kind) = kind else { return };
    let lacks = match (ttl, scope) {
        (None, None) => Some("neither ttlMs nor cacheScope"),
        (None, _) => Some("no ttlMs"),
        (_, None) => Some("no cacheScope"),
        _ => None,
    };
    if let Some(lacks) = lacks {
        flaws.add("PAY007", || format!("the result of {kind} has {lacks}"));
    }
    let negative = ttl.is_some_and(|raw| raw.starts_with('-') && raw.parse::<f64>().is_ok_and(|ttl| ttl < 0.0));
    flaws.add_if(negative, "PAY007/negative", || format!("ttlMs is {}", ttl.unwrap_or_default()));
}
