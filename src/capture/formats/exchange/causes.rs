//! What a message of an exchange waits for, and what a request brings about: by id and by progress token, as text.

use super::steps::is_answer;
use crate::capture::formats::document::Elements;
use crate::json::scan::members;

/// The messages of a text: of an array each.
fn each(text: &str) -> Vec<&str> {
    if !text.trim_start().starts_with('[') {
        return vec![text];
    }
    Elements::new(text, Some(0), "list").into_iter().flatten().map(|(_, one)| one).collect()
}

/// What the messages of a text wait for: answers for a request of the other side, progress for one that gave its token.
pub(super) fn causes(text: &str) -> Vec<String> {
    each(text).into_iter().filter_map(cause).collect()
}

fn cause(text: &str) -> Option<String> {
    if is_answer(text) {
        return member(text, "id").filter(|id| *id != "null").map(|id| format!("id {id}"));
    }
    let token = member(member(text, "params")?, "progressToken")?;
    Some(format!("token {token}"))
}

/// What the requests of a text bring about.
pub(super) fn effects(text: &str) -> Vec<String> {
    each(text).into_iter().flat_map(effect).collect()
}

fn effect(text: &str) -> Vec<String> {
    let meta = member(text, "params").and_then(|params| member(params, "_meta"));
    let token = meta.and_then(|meta| member(meta, "progressToken")).map(|token| format!("token {token}"));
    request(text).into_iter().chain(token).collect()
}

/// The ids of the requests of a text.
pub(super) fn requests(text: &str) -> Vec<String> {
    each(text).into_iter().filter_map(request).collect()
}

fn request(text: &str) -> Option<String> {
    member(text, "method").and_then(|_| member(text, "id")).map(|id| format!("id {id}"))
}

/// The request of its own side that a cancel names.
pub(super) fn cancelled(text: &str) -> Option<String> {
    let params = member(text, "params").filter(|_| member(text, "id").is_none())?;
    let names = member(text, "method")?.to_ascii_lowercase().contains("cancel");
    names.then(|| member(params, "requestId").or(member(params, "id"))).flatten().map(|id| format!("id {id}"))
}

fn member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    members(text).find(|member| member.key == key).map(|member| member.value)
}
