//! What the answers that create a task or report on one must say of it (2025-11-25).

use serde_json::Value;

use super::{Flaws, is_blotted};
use crate::json::each_member;
use crate::protocol::Facts;

/// The tasks of a list, and the status of each; those of which either was taken out are left out.
pub fn listed_tasks(facts: &Facts<'_>) -> Vec<(String, String)> {
    let list: Value = facts.tasks().and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    let told = |task: &Value| {
        let whole = !is_blotted(&task["taskId"]) && !is_blotted(&task["status"]);
        whole.then_some(())?;
        Some((task["taskId"].as_str()?.to_string(), task["status"].as_str()?.to_string()))
    };
    list.as_array().into_iter().flatten().filter_map(told).collect()
}

/// A task, as JSON text.
pub(super) fn task(raw: &str, flaws: &mut Flaws) {
    let (mut created, mut updated, mut ttl) = (false, false, false);
    each_member(raw, |key, _| match key {
        "createdAt" => created = true,
        "lastUpdatedAt" => updated = true,
        "ttl" => ttl = true,
        _ => {}
    });
    if raw.starts_with('{') {
        flaws.add_if(!created, "PAY011", || "a task does not say when it was created".to_string());
        flaws.add_if(!updated, "PAY011/updated", || "a task does not say when it was updated".to_string());
        flaws.add_if(!ttl, "PAY011/ttl", || "a task does not say how long it is kept".to_string());
    }
}
