//! The arguments of prompts: those that a list calls required, and those that a request gives.

use serde_json::Value;

use super::text;
use crate::protocol::{Facts, is_placeholder};

/// The prompts of a list, each with the names of the arguments that it requires. What a filter has written in is not among them.
pub fn required_arguments(facts: &Facts<'_>) -> Vec<(String, Vec<String>)> {
    let Some(body) = facts.body().filter(|_| facts.listed.has("prompts")) else { return Vec::new() };
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let prompts = value["prompts"].as_array().into_iter().flatten();
    prompts.filter_map(|prompt| Some((text(&prompt["name"])?.to_string(), required(prompt)))).collect()
}

fn required(prompt: &Value) -> Vec<String> {
    let arguments = prompt["arguments"].as_array().into_iter().flatten();
    let names =
        arguments.filter(|argument| argument["required"] == true).filter_map(|argument| text(&argument["name"]));
    names.filter(|name| !is_placeholder(&format!("\"{name}\""))).map(str::to_string).collect()
}

/// The first of these arguments that a request does not give; `None` where what it gives is not to be seen.
pub fn missing_argument<'a>(facts: &Facts<'_>, required: &'a [Box<str>]) -> Option<&'a str> {
    let body: Value = serde_json::from_str(facts.body()?).ok()?;
    let given = &body["arguments"];
    let seen = given.is_null() || given.is_object();
    required.iter().map(|name| &**name).find(|name| seen && given.get(*name).is_none())
}
