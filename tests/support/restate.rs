//! Traces of one revision, said in another.

use rpctape::protocol::{Profile, by_name};
use serde_json::{Value, json};

use super::trace::{Step, Trace, What, parse_trace, shorthand};

/// What the handshake of MCP in `trace` speaks.
const HANDSHAKE_REVISION: &str = "2025-11-25";

/// The trace in this profile, where it can be said there: in another revision of its protocol, or in bare JSON-RPC, which they all are.
/// What was written in bare JSON-RPC can be said behind the handshake of any.
pub fn in_profile(profile: &'static Profile, label: &str, trace: &Trace) -> Option<Trace> {
    let (name, of) = label.split_once(' ')?;
    let mut said = trace.clone();
    said.channel.profile = Some(profile);
    if label == profile.label() || profile.label() == "jsonrpc 2.0" && name != "dap" {
        return Some(said);
    }
    if label == "jsonrpc 2.0" && matches!(profile.name, "mcp" | "acp" | "lsp") {
        return behind_handshake(profile, said);
    }
    if name != profile.name || by_name(name, Some(of))?.revision_per_request {
        return None;
    }
    in_revision(profile, of, said)
}

fn behind_handshake(profile: &Profile, mut trace: Trace) -> Option<Trace> {
    let (info, body) = shorthand(&format!("{} handshake", profile.label()), "");
    let mut steps = parse_trace(&info, &body).steps;
    let later = |step: Step| Step { at_ms: step.at_ms + 100, ..step };
    steps.extend(std::mem::take(&mut trace.steps).into_iter().map(later));
    trace.timed = true;
    in_revision(profile, HANDSHAKE_REVISION, Trace { steps, ..trace })
}

fn in_revision(profile: &Profile, of: &str, mut trace: Trace) -> Option<Trace> {
    for step in &mut trace.steps {
        if let What::Json(text) | What::Http(text) = &mut step.what {
            *text = match profile.name {
                "acp" if profile.revision == "2" => text.replace(r#""protocolVersion":1"#, r#""protocolVersion":2"#),
                "acp" => text.replace(r#""protocolVersion":2"#, r#""protocolVersion":1"#),
                _ => text.replace(of, profile.revision),
            };
        }
    }
    match profile.revision_per_request {
        true => without_handshake(profile, trace),
        false => Some(trace),
    }
}

/// What a handshake settled is said with every request (MCP 2026-07-28).
fn without_handshake(profile: &Profile, mut trace: Trace) -> Option<Trace> {
    if trace.steps.iter().any(|step| matches!(step.what, What::Http(_)) || step.stream.is_some()) {
        return None;
    }
    let steps = std::mem::take(&mut trace.steps);
    let (mut ids, mut client, mut told) = (Vec::new(), json!({}), false);
    for mut step in steps {
        let Some(mut message) = read(&step) else {
            trace.steps.push(step);
            continue;
        };
        match message["method"].as_str() {
            Some("initialize") => {
                client = message["params"]["capabilities"].take();
                ids.push(message["id"].clone());
                continue;
            }
            Some("notifications/initialized") => continue,
            Some(_) if !message["id"].is_null() => add_meta(profile, &client, &mut message),
            None if !told && ids.contains(&message["id"]) => {
                told = true;
                trace.steps.extend(discovery(profile, &client, &message, &step));
                continue;
            }
            None if message["result"].is_object() && message["result"].get("resultType").is_none() => {
                message["result"]["resultType"] = "complete".into();
            }
            _ => {}
        }
        step.what = What::Json(message.to_string());
        trace.steps.push(step);
    }
    Some(trace)
}

/// The message of a step that can be written anew without a loss.
fn read(step: &Step) -> Option<Value> {
    let What::Json(text) = &step.what else { return None };
    let value: Value = serde_json::from_str(text).ok()?;
    let members = |text: &str| text.matches("\":").count();
    (value.is_object() && members(&value.to_string()) == members(text)).then_some(value)
}

fn meta(profile: &Profile, client: &Value) -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": profile.revision, "io.modelcontextprotocol/clientCapabilities": client})
}

fn add_meta(profile: &Profile, client: &Value, message: &mut Value) {
    if message.get("params").is_none_or(Value::is_object) {
        if message.get("params").is_none() {
            message["params"] = json!({});
        }
        let given = message["params"]["_meta"].take();
        let mut all = meta(profile, client);
        if let (Some(all), Some(given)) = (all.as_object_mut(), given.as_object()) {
            all.extend(given.clone());
        }
        message["params"]["_meta"] = all;
    }
}

/// What the server said of itself, asked for by a request of its own.
fn discovery(profile: &Profile, client: &Value, answer: &Value, step: &Step) -> [Step; 2] {
    let asked = json!({"jsonrpc": "2.0", "id": answer["id"], "method": "server/discover", "params": {"_meta": meta(profile, client)}});
    let result = json!({"resultType": "complete", "supportedVersions": [profile.revision], "ttlMs": 0, "cacheScope": "private",
        "capabilities": answer["result"]["capabilities"], "serverInfo": answer["result"]["serverInfo"]});
    let answer = json!({"jsonrpc": "2.0", "id": answer["id"], "result": result});
    let side = step.side.map(|side| side.peer());
    [
        Step { side, what: What::Json(asked.to_string()), ..step.clone() },
        Step { what: What::Json(answer.to_string()), ..step.clone() },
    ]
}
