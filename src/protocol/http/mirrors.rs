//! Headers that mirror what the body says (MCP 2026-07-28): arguments that tools want mirrored, how values are encoded, and what is wrong
//! with those of a request.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{NAME, PARAM, RequestHead, decoded, mirrored, object, string};
use crate::jsonrpc::Message;
use crate::protocol::{Facts, Flaw};

/// How many tools are remembered.
const TOOLS: usize = 4096;
/// What stands before and behind an encoded value.
const SENTINEL: (&str, &str) = ("=?base64?", "?=");
/// The largest integer that every number of JavaScript tells from its neighbours.
const SAFE: i128 = (1 << 53) - 1;

/// Arguments that tools want mirrored into headers (`x-mcp-header` in their input schema), as the server lists them.
#[derive(Clone, Debug, Default)]
pub struct Mirrors {
    /// Per tool: where an argument stands, and the header that mirrors it.
    tools: BTreeMap<String, Vec<(Vec<String>, String)>>,
}

impl Mirrors {
    /// None are known.
    pub const NONE: Mirrors = Mirrors { tools: BTreeMap::new() };

    /// True if a message may be a list of tools that want some.
    pub fn are_told(message: &[u8]) -> bool {
        memchr::memmem::find(message, b"x-mcp-header").is_some()
    }

    /// Learns from a message of the server, if it is a list of tools.
    pub fn learn(&mut self, message: &[u8]) {
        let value: Value = serde_json::from_slice(message).unwrap_or_default();
        for tool in value.pointer("/result/tools").and_then(Value::as_array).into_iter().flatten() {
            if self.tools.len() >= TOOLS {
                return;
            }
            let (Some(name), Some(schema)) = (tool["name"].as_str(), tool.get("inputSchema")) else { continue };
            let mut found = Vec::new();
            annotated(schema, &mut Vec::new(), &mut found);
            self.tools.insert(name.to_string(), found);
        }
    }

    /// The arguments of a tool that are mirrored, each with its header.
    fn designated(&self, tool: &str) -> &[(Vec<String>, String)] {
        self.tools.get(tool).map_or(&[], Vec::as_slice)
    }

    /// The headers for a call; an argument that is null or not there has none.
    pub(super) fn of(&self, tool: &str, arguments: Option<&RawValue>) -> Vec<(String, String)> {
        let mirrored = self.tools.get(tool).into_iter().flatten();
        let header = |(path, name): &(Vec<String>, String)| {
            let found =
                path.iter().try_fold(arguments?, |value, member| object(Some(value)).get(member.as_str()).copied())?;
            let text = string(found).or_else(|| Some(found.get().to_string()).filter(|text| text != "null"))?;
            Some((name.clone(), plain(&text)))
        };
        mirrored.filter_map(header).collect()
    }
}

/// Collects the annotated properties of a schema that are reached through `properties` alone.
fn annotated(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    let token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        path.push(name.clone());
        if let Some(header) = property["x-mcp-header"].as_str().filter(|header| token(header)) {
            found.push((path.clone(), format!("{PARAM}{}", header.to_ascii_lowercase())));
        }
        annotated(property, path, found);
        path.pop();
    }
}

/// A value as a header can carry it: visible ASCII as it is, anything else as `=?base64?...?=`.
pub(super) fn plain(value: &str) -> String {
    if is_safe(value) && value.trim() == value && !is_wrapped(value) {
        return value.to_string();
    }
    format!("{}{}{}", SENTINEL.0, crate::base64::encode(value.as_bytes()), SENTINEL.1)
}

/// What a server must refuse a request for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadFault {
    /// A header says something else than the body.
    Mismatch,
    /// A header that mirrors an argument has signs that no header may have.
    Characters,
}

/// What is wrong with the headers that mirror the body of a request, and what its server must refuse it for.
pub fn mirror_flaws(
    head: &RequestHead,
    message: &Message<'_>,
    facts: &Facts<'_>,
    known: &Mirrors,
) -> (Vec<Flaw>, Option<HeadFault>) {
    let method = message.method();
    let member = mirrored(method);
    let name = member.and_then(|member| Facts::text(if member == "uri" { facts.uri() } else { facts.name() }));
    let mut found = Found::default();
    let says = |said: &Option<Box<str>>, body: Option<&str>| said.as_deref().zip(body).is_some_and(|(a, b)| a != b);
    let written = |wanted: &str| head.mirrors.iter().find(|(header, _)| **header == *wanted).map(|(_, value)| &**value);
    if says(&head.method, Some(method)) || says(&head.name, name.as_deref()) && written(NAME) != name.as_deref() {
        found.fault = Some(HeadFault::Mismatch);
    }
    if let (Some(raw), Some(name)) = (written(NAME), name.as_deref()) {
        found.name(raw, name);
    }
    let params: Value = facts.body().and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    let arguments = &params["arguments"];
    for (header, raw) in head.mirrors.iter().filter(|(header, _)| header.starts_with(PARAM)) {
        found.param(header, raw, arguments);
    }
    if let (Some(tool), true, true) =
        (name.as_deref(), method == "tools/call", head.method.is_some() && arguments.is_object())
    {
        for (path, header) in known.designated(tool) {
            let argument =
                path.iter().try_fold(arguments, |value, member| value.get(member)).filter(|value| !value.is_null());
            if let Some(argument) = argument {
                found.designated(header, argument, written(header));
            }
        }
    }
    (found.flaws, found.fault)
}

/// What was found so far.
#[derive(Default)]
struct Found {
    flaws: Vec<Flaw>,
    fault: Option<HeadFault>,
}

impl Found {
    fn add(&mut self, ruling: &'static str, words: String) {
        self.flaws.push(Flaw { ruling, words, unless: None });
    }

    /// The header with the name, as it stands, and the name in the body.
    fn name(&mut self, raw: &str, name: &str) {
        if !is_safe(raw) {
            self.add("TRN015/name", format!("Mcp-Name is not encoded: {raw:?}"));
        } else if raw == name && is_wrapped(raw) {
            self.add("TRN015/sentinel", format!("the name {name} looks encoded, and is not encoded in Mcp-Name"));
        } else if misspelled(raw).is_some_and(|inner| inner == name) {
            self.add("TRN015/marker", format!("Mcp-Name {raw} has the marker of an encoded value in other letters"));
        }
    }

    /// A header with an argument.
    fn param(&mut self, header: &str, raw: &str, arguments: &Value) {
        if !is_safe(raw) {
            self.add("TRN015", format!("{header} is not encoded: {raw:?}"));
        }
        let number = raw.parse::<i128>().ok().filter(|number| !(-SAFE..=SAFE).contains(number));
        if number.is_some() && holds(arguments, raw) {
            self.add("TRN015/integer", format!("{header} mirrors {raw}, which is no safe integer"));
        }
    }

    /// An argument that a tool wants mirrored, and the header as it stands.
    fn designated(&mut self, header: &str, argument: &Value, raw: Option<&str>) {
        let Some(raw) = raw else {
            return self
                .add("TRN015/mirrored", format!("{header} is missing, and the tool wants that argument mirrored"));
        };
        if !is_safe(raw) {
            self.fault = Some(HeadFault::Characters);
        } else if !says(&decoded(raw.into()), argument) {
            self.add("TRN015/mirrored", format!("{header} says {raw}, and the argument is {argument}"));
            self.fault.get_or_insert(HeadFault::Mismatch);
        }
    }
}

/// True if a header says what an argument is; numbers by their values.
fn says(header: &str, argument: &Value) -> bool {
    match argument {
        Value::String(text) => text == header,
        Value::Number(number) => {
            number.to_string() == header || number.as_f64().is_some_and(|number| header.parse() == Ok(number))
        }
        Value::Bool(is) => header.parse() == Ok(*is),
        // What is no primitive cannot be mirrored: another clause is about that.
        _ => true,
    }
}

/// True if a number stands somewhere in a value, by its digits.
fn holds(value: &Value, digits: &str) -> bool {
    match value {
        Value::Number(number) => number.to_string() == digits,
        Value::Object(members) => members.values().any(|value| holds(value, digits)),
        _ => false,
    }
}

/// True for visible ASCII, blanks and tabs: what a header carries as it is.
fn is_safe(raw: &str) -> bool {
    raw.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

fn is_wrapped(value: &str) -> bool {
    value.len() >= SENTINEL.0.len() + SENTINEL.1.len() && value.starts_with(SENTINEL.0) && value.ends_with(SENTINEL.1)
}

/// What stands in a value whose marker is spelled in other letters.
fn misspelled(raw: &str) -> Option<String> {
    let (marker, rest) = raw.split_at_checked(SENTINEL.0.len())?;
    let inner =
        rest.strip_suffix(SENTINEL.1).filter(|_| marker.eq_ignore_ascii_case(SENTINEL.0) && marker != SENTINEL.0)?;
    String::from_utf8(crate::base64::decode(inner)?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::posted;
    use super::*;

    fn stateless(rest: &str) -> String {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let (before, behind) = rest.split_once(';').unwrap();
        format!(r#"{{"jsonrpc":"2.0","id":1,{before}"params":{{{meta}{behind}}}}}"#)
    }

    #[test]
    fn arguments_are_mirrored_as_the_tool_asks() {
        let mut mirrors = Mirrors::default();
        let schema = r#"{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},
            "deep":{"properties":{"on":{"type":"boolean","x-mcp-header":"On"}}},"bad":{"x-mcp-header":"a b"},"gone":{"x-mcp-header":"Gone"}}}"#;
        mirrors
            .learn(format!(r#"{{"id":1,"result":{{"tools":[{{"name":"sql","inputSchema":{schema}}}]}}}}"#).as_bytes());
        let call = stateless(
            r#""method":"tools/call",;,"name":"sql","arguments":{"region":" eu","n":9007199254740993,"deep":{"on":true},"bad":"x","gone":null}"#,
        );
        let mut headers = posted(call.as_bytes(), None, &mirrors).headers.split_off(3);
        headers.sort();
        let expected =
            [("mcp-param-n", "9007199254740993"), ("mcp-param-on", "true"), ("mcp-param-region", "=?base64?IGV1?=")];
        assert_eq!(headers, expected.map(|(name, value)| (name.to_string(), value.to_string())));
    }

    #[test]
    fn headers_that_say_what_the_body_says_are_left_alone() {
        let mut known = Mirrors::default();
        known.learn(
            br#"{"result":{"tools":[{"name":"t","inputSchema":{"properties":{
            "n":{"type":"integer","x-mcp-header":"N"},"s":{"type":"string","x-mcp-header":"S"}}}}]}}"#,
        );
        let flaws = |headers: &str, params: &str| {
            let head = format!(r#"{{"method":"POST","headers":{{"mcp-method":"tools/call",{headers}}}}}"#);
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            let Ok(crate::jsonrpc::Parsed::One(message, facts)) = crate::jsonrpc::parse::<Facts<'_>>(&line) else {
                panic!("{line}")
            };
            let (flaws, fault) = mirror_flaws(&RequestHead::read(&head).unwrap(), &message, &facts, &known);
            (flaws.into_iter().map(|flaw| flaw.ruling).collect::<Vec<_>>(), fault)
        };
        let call = r#"{"name":"t","arguments":{"n":42,"s":"ä"}}"#;
        let good = r#""mcp-name":"t","mcp-param-n":"42.0","mcp-param-s":"=?base64?w6Q=?=""#;
        assert_eq!(flaws(good, call), (vec![], None));
        assert_eq!(flaws(&good.replace("42.0", "41"), call), (vec!["TRN015/mirrored"], Some(HeadFault::Mismatch)));
        let raw = good.replace("=?base64?w6Q=?=", "ä");
        assert_eq!(flaws(&raw, call), (vec!["TRN015"], Some(HeadFault::Characters)));
        assert_eq!(flaws(r#""mcp-name":"t","mcp-param-n":"42""#, call), (vec!["TRN015/mirrored"], None));
        let big = r#"{"name":"t","arguments":{"n":9007199254740993}}"#;
        assert_eq!(flaws(r#""mcp-name":"t","mcp-param-n":"9007199254740993""#, big), (vec!["TRN015/integer"], None));
        let odd = r#"{"name":"=?base64?dA==?=","arguments":{}}"#;
        assert_eq!(flaws(r#""mcp-name":"=?base64?dA==?=""#, odd), (vec!["TRN015/sentinel"], None));
        assert_eq!(flaws(r#""mcp-name":"=?BASE64?dA==?=""#, call).0[0], "TRN015/marker");
    }
}
