//! Rules about payloads, by what the pages say of their members. What is wrong is found by `protocol`; which clause it breaks is said here.

pub mod bad_content;
pub mod bad_elicitation;
pub mod bad_input_request;
pub mod bad_item;
pub mod bad_range;
pub mod bad_sampling_message;
pub mod bad_tool_definition;
pub mod bad_uri;
pub mod cache_hint_missing;
pub mod cache_scope_changes;
pub mod cursor_error_code;
pub mod embedded_not_declared;
pub mod empty_contents;
pub mod error_data_missing;
pub mod meta_key_name;
pub mod not_unique;
pub mod prompt_argument_missing;
pub mod root_not_file;
pub mod structured_content_alone;
pub mod task_members_missing;
pub mod tools_reordered;
pub mod version_not_named;

use super::{Build, found_by};
use crate::finding::Finding;
use crate::session::{Event, What};

/// The finding for a flaw that belongs to this rule: by the ruling that speaks of it.
pub(in crate::rules) fn flawed(code: &'static str, event: &Event<'_>) -> Option<Finding> {
    let What::Flawed { flaw, exchange } = event.what else { return None };
    if flaw.ruling.split('/').next() != Some(code) {
        return None;
    }
    let finding = found_by(code, event.profile.ruling(flaw.ruling)?, event, flaw.words.clone());
    Some(match exchange {
        Some(exchange) => finding.about(exchange).with("response", event.seen),
        None => finding.with("message", event.seen),
    })
}
