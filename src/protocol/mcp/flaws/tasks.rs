//! What the answers that create a task or report on one must say of it (2025-11-25).

use super::Flaws;
use crate::json::each_member;

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
