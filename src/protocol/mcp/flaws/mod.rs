//! What is wrong with payloads, by what the pages say of their members: the second look at a message of which a cheap fact says that it
//! may be worth one.

mod content;
mod cursor;
mod elicitation;
mod input;
mod meta;
mod prompts;
mod sampling;
mod schema;
mod tasks;
mod tools;
mod version;

use serde_json::Value;

use crate::json::each_member;
use crate::jsonrpc::{Kind, Message};
use crate::protocol::flaw::{Flaw, Flaws, is_blotted, is_uri, shown, text};
use crate::protocol::{Facts, is_placeholder};

pub use input::questions;
pub use prompts::{missing_argument, required_arguments};
pub use tasks::listed_tasks;
pub use tools::{TaskSupport, changes_prompts, changes_tools, order as tool_order, task_support};

/// What is wrong with a message; `asked` is the method of the request that a response answers.
pub(in crate::protocol) fn of(message: &Message<'_>, facts: &Facts<'_>, asked: Option<&str>) -> Vec<Flaw> {
    if facts.is_worth_a_look(message) { look(message, facts, asked) } else { Vec::new() }
}

/// True if there is something wrong with a message in some revision, whatever it answers.
pub fn any(message: &Message<'_>, facts: &Facts<'_>) -> bool {
    facts.is_worth_a_look(message) && (facts.mirrors_arguments() || !look(message, facts, None).is_empty())
}

impl Facts<'_> {
    /// True for a list of tools that want arguments mirrored into headers.
    fn mirrors_arguments(&self) -> bool {
        self.listed.has("tools") && self.body().is_some_and(|body| body.contains("x-mcp-header"))
    }

    fn is_worth_a_look(&self, message: &Message<'_>) -> bool {
        let tells = self.suspect
            || self.odd_meta().is_some()
            || self.input_requests().is_some()
            || self.result_type().is_some();
        let tells = tells || self.capabilities().is_some() || self.meta_capabilities().is_some();
        let told = matches!(message.error_code(), Some(-32022 | -32021)) || message.method() == COMPLETE;
        let told = told || message.method() == "initialize" || cursor::is_named(message);
        !self.is_brief && (tells || told || content::embeds(message, self))
    }
}

/// The notification that an elicitation by URL is done.
const COMPLETE: &str = "notifications/elicitation/complete";

fn look(message: &Message<'_>, facts: &Facts<'_>, asked: Option<&str>) -> Vec<Flaw> {
    let mut flaws = Flaws::default();
    meta::keys(facts, &mut flaws);
    meta::extensions(facts, &mut flaws);
    match (message.kind, message.method()) {
        (Kind::Request, "elicitation/create") => body(facts, |params| elicitation::request(params, &mut flaws)),
        (Kind::Request, "sampling/createMessage") => body(facts, |params| sampling::request(params, &mut flaws)),
        (Kind::Request, "initialize") => version::asked(facts, &mut flaws),
        (Kind::Request, _) => input::responses(facts, &mut flaws),
        (Kind::Notification, COMPLETE) => elicitation::complete(facts, &mut flaws),
        (Kind::Result, _) => result(facts, asked, &mut flaws),
        (Kind::Error, _) => {
            error(message, &mut flaws);
            cursor::refused(message, asked, &mut flaws);
        }
        _ => {}
    }
    flaws.0
}

fn body(facts: &Facts<'_>, look: impl FnOnce(&Value)) {
    if let Some(value) = facts.body().filter(|_| facts.suspect).and_then(|raw| serde_json::from_str::<Value>(raw).ok())
    {
        look(&value);
    }
}

/// Members of results whose items have a `_meta` of their own.
const HOLDS_META: [&str; 7] = ["tools", "prompts", "resources", "resourceTemplates", "contents", "messages", "content"];

/// The members of a result by their names, as far as they belong to what was asked.
fn result(facts: &Facts<'_>, asked: Option<&str>, flaws: &mut Flaws) {
    let answers = |method: &str| asked.is_none_or(|asked| asked == method);
    input::result(facts, flaws);
    version::answered(facts, asked, flaws);
    if Facts::is(facts.result_type(), "complete") {
        input::hints(facts, asked, flaws);
    }
    let Some(body) = facts.body() else { return };
    let (mut structured, mut content) = (false, None);
    each_member(body, |key, raw| {
        if HOLDS_META.contains(&key) {
            meta::nested(raw, flaws);
        }
        match key {
            "tools" if answers("tools/list") => tools::list(raw, flaws),
            "messages" if answers("prompts/get") => content::messages(raw, flaws),
            "contents" if answers("resources/read") => content::contents(raw, flaws),
            "resources" if answers("resources/list") => content::resources(raw, flaws),
            "roots" if answers("roots/list") => content::roots(raw, flaws),
            "task" => tasks::task(raw, flaws),
            "structuredContent" => structured = raw != "null",
            "content" => content = Some(raw),
            _ => {}
        }
    });
    if facts.task_status().is_some() && (asked == Some("tasks/get") || asked.is_none() && !facts.task_created) {
        tasks::task(body, flaws);
    }
    if let Some(raw) = content.filter(|_| answers("tools/call")) {
        content::of_tool(raw, structured, flaws);
    }
}

/// The data of errors that must say what would have been needed (2026-07-28).
fn error(message: &Message<'_>, flaws: &mut Flaws) {
    let Some(error) = &message.error else { return };
    let data: Value = error.data.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    if data.as_str().is_some_and(|text| is_placeholder(&format!("{text:?}"))) {
        return;
    }
    match error.code {
        Some(-32022) => {
            let listed = data["supported"].as_array().is_some_and(|list| list.iter().any(Value::is_string));
            flaws
                .add_if(!listed, "PAY010", || "error -32022 does not list the versions that are supported".to_string());
        }
        Some(-32021) => {
            let named = data["requiredCapabilities"].as_object().is_some_and(|needs| !needs.is_empty());
            let words = || "error -32021 does not say which capabilities are required".to_string();
            flaws.add_if(!named, "PAY010/capabilities", words);
        }
        _ => {}
    }
}
