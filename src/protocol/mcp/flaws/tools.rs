//! Definitions of tools: their names, their schemas, and the headers that their arguments are mirrored into.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use serde_json::Value;

use super::{Flaws, is_blotted, schema, shown, text};
use crate::protocol::Facts;

/// The longest name of a tool.
const LONGEST: usize = 128;
/// The name of the header that mirrors a parameter.
const HEADER: &str = "x-mcp-header";

/// The result of `tools/list`.
pub(super) fn list(raw: &str, flaws: &mut Flaws) {
    let tools: Vec<Value> = serde_json::from_str(raw).unwrap_or_default();
    let mut names = HashSet::new();
    for tool in tools.iter().filter(|tool| tool.is_object()) {
        let name = text(&tool["name"]).unwrap_or_default();
        if tool["name"].is_string() && !is_blotted(&tool["name"]) {
            name_flaws(name, flaws);
            flaws.add_if(!names.insert(name), "PAY002/name-unique", || format!("two tools are named {}", shown(name)));
        }
        schema_flaws(tool, name, flaws);
    }
}

/// True for the notification by which a server says that its tools have changed.
pub fn changes_tools(method: &str) -> bool {
    method == "notifications/tools/list_changed"
}

/// True for the same of prompts.
pub fn changes_prompts(method: &str) -> bool {
    method == "notifications/prompts/list_changed"
}

/// The names of the tools of a list, as a set and in their order, by hashes; `None` where it is no such list, or a filter has written in
/// it.
pub fn order(facts: &Facts<'_>) -> Option<(u64, u64)> {
    let body: Value =
        serde_json::from_str(facts.body().filter(|_| !facts.is_brief && facts.listed.has("tools"))?).ok()?;
    let names: Option<Vec<&str>> = body["tools"].as_array()?.iter().map(|tool| text(&tool["name"])).collect();
    let hash = |names: &[&str]| {
        let mut hasher = rustc_hash::FxHasher::default();
        names.hash(&mut hasher);
        hasher.finish()
    };
    let mut names = names?;
    let order = hash(&names);
    names.sort_unstable();
    Some((hash(&names), order))
}

/// What the definition of a tool says of calls that ask for a task (MCP 2025-11-25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskSupport {
    /// None may; it is the same to say nothing.
    Forbidden,
    /// Each may.
    Optional,
    /// Each must.
    Required,
}

impl TaskSupport {
    fn of(tool: &Value) -> Option<TaskSupport> {
        match &tool["execution"]["taskSupport"] {
            Value::Null => Some(TaskSupport::Forbidden),
            Value::String(said) => match said.as_str() {
                "forbidden" => Some(TaskSupport::Forbidden),
                "optional" => Some(TaskSupport::Optional),
                "required" => Some(TaskSupport::Required),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The tools of a list and what each says of tasks; those that say it in no way that is known are left out.
pub fn task_support(facts: &Facts<'_>) -> Vec<(String, TaskSupport)> {
    let body = facts.body().filter(|_| !facts.is_brief && facts.listed.has("tools"));
    let body: Value = body.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    let tools = body["tools"].as_array().into_iter().flatten();
    let named = |tool: &Value| Some((text(&tool["name"])?.to_string(), TaskSupport::of(tool)?));
    tools.filter(|tool| !is_blotted(&tool["name"]) && !is_blotted(&tool["execution"])).filter_map(named).collect()
}

fn name_flaws(name: &str, flaws: &mut Flaws) {
    let length = name.chars().count();
    flaws.add_if(!(1..=LONGEST).contains(&length), "PAY002/name-length", || {
        format!("the name of the tool {} has {length} characters", shown(name))
    });
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if let Some(odd) = name.chars().find(|c| !allowed(*c)) {
        flaws.add("PAY002/name-characters", || format!("the name of the tool {} has {odd:?} in it", shown(name)));
    }
}

fn schema_flaws(tool: &Value, name: &str, flaws: &mut Flaws) {
    let input = &tool["inputSchema"];
    if is_blotted(input) {
        return;
    }
    flaws.add_if(!input.is_object(), "PAY002", || format!("the inputSchema of the tool {} is no object", shown(name)));
    for (member, schema) in [("inputSchema", input), ("outputSchema", &tool["outputSchema"])] {
        if let Some(fault) = schema.as_object().and_then(|_| schema::fault(schema)) {
            flaws.add("PAY002/schema-valid", || {
                format!("the {member} of the tool {} is no JSON Schema: {fault}", shown(name))
            });
        }
    }
    let mut headers = Headers { tool: name, seen: HashSet::new() };
    headers.walk(input, true, 0, flaws);
}

/// The headers of one tool.
struct Headers<'a> {
    tool: &'a str,
    seen: HashSet<String>,
}

impl Headers<'_> {
    /// Looks at a schema and all in it; `reachable` while only `properties` lead there. What is data and no schema is left alone.
    fn walk(&mut self, schema: &Value, reachable: bool, depth: u32, flaws: &mut Flaws) {
        let Some(members) = schema.as_object().filter(|_| depth < 32) else { return };
        if let Some(header) = members.get(HEADER).filter(|header| !is_blotted(header)) {
            self.header(header, schema, reachable && depth > 0, flaws);
        }
        for (key, value) in members {
            match (key.as_str(), value) {
                ("properties", Value::Object(parts)) => {
                    parts.values().for_each(|part| self.walk(part, reachable, depth + 1, flaws));
                }
                ("patternProperties" | "$defs" | "definitions", Value::Object(parts)) => {
                    parts.values().for_each(|part| self.walk(part, false, depth + 1, flaws));
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(parts)) => {
                    parts.iter().for_each(|part| self.walk(part, false, depth + 1, flaws));
                }
                ("items" | "not" | "if" | "then" | "else" | "contains" | "additionalProperties", part) => {
                    self.walk(part, false, depth + 1, flaws);
                }
                _ => {}
            }
        }
    }

    fn header(&mut self, header: &Value, schema: &Value, reachable: bool, flaws: &mut Flaws) {
        let name = header.as_str().unwrap_or_default();
        let about = |words: &str| format!("x-mcp-header {} of the tool {} {words}", shown(name), shown(self.tool));
        let control = name.chars().any(char::is_control);
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        flaws.add_if(name.is_empty(), "PAY002/header-empty", || about("is empty"));
        flaws.add_if(control, "PAY002/header-control", || about("has a control character in it"));
        flaws.add_if(!control && !name.bytes().all(token), "PAY002/header-token", || about("is no name of a header"));
        let primitive = schema["type"].as_str().is_none_or(|kind| matches!(kind, "integer" | "string" | "boolean"));
        flaws.add_if(!primitive, "PAY002/header-type", || about("stands at a parameter that is not primitive"));
        flaws.add_if(!reachable, "PAY002/header-reachable", || about("is not reached by properties alone"));
        let again = !self.seen.insert(name.to_ascii_lowercase());
        let tool = self.tool;
        flaws.add_if(again, "PAY002/header-unique", || {
            format!("x-mcp-header {} stands twice in the tool {}", shown(name), shown(tool))
        });
    }
}
