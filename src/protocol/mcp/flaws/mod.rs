//! What is wrong with payloads, by what the pages say of their members: the second look at a message of which a cheap fact says that it
//! may be worth one.
//!
//! A flaw names the ruling that speaks of it (`PAY002/name-length`); whether a revision has such a ruling is its own affair. Words of a
//! filter, and what a logger may have cut, are held against nobody.

mod content;
mod cursor;
mod elicitation;
mod input;
mod meta;
mod sampling;
mod schema;
mod tasks;
mod tools;
mod version;

use serde_json::Value;

use crate::json::each_member;
use crate::jsonrpc::{Kind, Message};
use crate::protocol::{Facts, Family, Profile, is_placeholder};

pub use input::questions;
pub use tools::{TaskSupport, changes_tools, order as tool_order, task_support};

/// One thing that is wrong with a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The ruling that speaks of it.
    pub ruling: &'static str,
    /// What is wrong, in words.
    pub words: String,
    /// A capability of its sender with which nothing would be wrong.
    pub unless: Option<&'static str>,
}

/// Flaws as they are found: of each kind the first.
#[derive(Default)]
struct Flaws(Vec<Flaw>);

impl Flaws {
    fn add(&mut self, ruling: &'static str, words: impl FnOnce() -> String) {
        if self.0.iter().all(|known| known.ruling != ruling) {
            self.0.push(Flaw { ruling, words: words(), unless: None });
        }
    }

    /// What is wrong only in who has not declared a capability.
    fn add_unless(&mut self, declared: &'static str, ruling: &'static str, words: &str) {
        self.0.push(Flaw { ruling, words: words.to_string(), unless: Some(declared) });
    }

    fn add_if(&mut self, wrong: bool, ruling: &'static str, words: impl FnOnce() -> String) {
        if wrong {
            self.add(ruling, words);
        }
    }
}

impl Profile {
    /// What is wrong with the payload of a message; `asked` is the method of the request that a response answers.
    pub fn flaws(&self, message: &Message<'_>, facts: &Facts<'_>, asked: Option<&str>) -> Vec<Flaw> {
        let mut found = Vec::new();
        if self.family == Family::Mcp && facts.is_worth_a_look(message) {
            found = look(message, facts, asked);
            found.retain(|flaw| self.ruling(flaw.ruling).is_some());
        }
        found
    }
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
    each_member(body, |key, raw| match key {
        "tools" if answers("tools/list") => tools::list(raw, flaws),
        "messages" if answers("prompts/get") => content::messages(raw, flaws),
        "contents" if answers("resources/read") => content::contents(raw, flaws),
        "resources" if answers("resources/list") => content::resources(raw, flaws),
        "roots" if answers("roots/list") => content::roots(raw, flaws),
        "task" => tasks::task(raw, flaws),
        "structuredContent" => structured = true,
        "content" => content = Some(raw),
        _ => {}
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

/// A string, unless a filter has written it.
fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !is_placeholder(&format!("\"{text}\"")))
}

/// True if a filter has written a value, or a part of it was taken out.
fn is_blotted(value: &Value) -> bool {
    value.as_str().is_some_and(|text| is_placeholder(&format!("\"{text}\"")))
}

/// A text as it is shown in words: short, and in quotation marks.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let cut: String = text.chars().take(LONGEST).collect();
    let more = if cut.len() < text.len() { "..." } else { "" };
    format!("\"{cut}{more}\"")
}

/// True for what RFC 3986 takes for an absolute URI: a scheme, and something behind it, without blanks and control characters.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(sound)
        && !rest.is_empty()
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}
