//! Content: images, sounds and resources in prompts, contents of resources, what stands beside structured content, and roots.

use serde_json::Value;

use super::{Flaws, is_blotted, is_uri, shown, text};
use crate::jsonrpc::{Kind, Message};
use crate::protocol::Facts;

/// The type of an embedded resource, as it stands in a message.
const EMBEDDED: &str = "\"resource\"";

/// What a logger may have put where it cut a text.
const CUT: &[char] = &['.', '…', '<', '>', '[', ']', '(', ')', '*', '#', ' '];

/// The messages of `prompts/get`.
pub(super) fn messages(raw: &str, flaws: &mut Flaws) {
    if !["\"image\"", "\"audio\"", "\"resource\""].iter().any(|kind| raw.contains(kind)) {
        return;
    }
    let messages: Vec<Value> = serde_json::from_str(raw).unwrap_or_default();
    for content in messages.iter().map(|message| &message["content"]) {
        match content["type"].as_str() {
            Some("image") => media(content, "image", "PAY003", flaws),
            Some("audio") => media(content, "audio", "PAY003/audio", flaws),
            Some("resource") => resource(&content["resource"], flaws),
            _ => {}
        }
    }
}

fn media(content: &Value, kind: &str, ruling: &'static str, flaws: &mut Flaws) {
    if let Some(fault) = base64_fault(&content["data"]) {
        flaws.add(ruling, || format!("the data of an {kind} {fault}"));
    }
    let mime = &content["mimeType"];
    let wrong = !is_blotted(mime) && !mime.as_str().is_some_and(is_mime);
    flaws.add_if(wrong, ruling, || format!("the MIME type of an {kind} is {mime}"));
}

fn resource(resource: &Value, flaws: &mut Flaws) {
    if !resource.is_object() {
        return;
    }
    let uri = &resource["uri"];
    let wrong = !is_blotted(uri) && !uri.as_str().is_some_and(is_uri);
    flaws.add_if(wrong, "PAY003/resource", || format!("the URI of an embedded resource is {uri}"));
    let empty = resource.get("text").is_none() && resource.get("blob").is_none();
    flaws.add_if(empty, "PAY003/resource", || "an embedded resource has neither text nor blob".to_string());
    blob(resource, flaws);
}

/// The binary data of a resource, where it has any.
fn blob(resource: &Value, flaws: &mut Flaws) {
    if let Some(fault) = resource.get("blob").and_then(base64_fault) {
        flaws.add("PAY003/blob", || format!("the blob of {} {fault}", shown(text(&resource["uri"]).unwrap_or("?"))));
    }
}

/// The resources of `resources/list`: their addresses.
pub(super) fn resources(raw: &str, flaws: &mut Flaws) {
    let resources: Vec<Value> = serde_json::from_str(raw).unwrap_or_default();
    let bad = resources.iter().filter_map(|resource| text(&resource["uri"])).find(|uri| !is_uri(uri));
    if let Some(uri) = bad {
        flaws.add("PAY014", || format!("the address of a resource, {}, is no URI by RFC 3986", shown(uri)));
    }
}

/// The contents of `resources/read`.
pub(super) fn contents(raw: &str, flaws: &mut Flaws) {
    let empty = raw.trim_start_matches('[').trim_start() == "]";
    flaws.add_if(empty, "PAY017", || "a resource is read, and has no contents".to_string());
    if !raw.contains("\"blob\"") {
        return;
    }
    let contents: Vec<Value> = serde_json::from_str(raw).unwrap_or_default();
    contents.iter().for_each(|content| blob(content, flaws));
}

/// True for a result that may hold an embedded resource.
pub(super) fn embeds(message: &Message<'_>, facts: &Facts<'_>) -> bool {
    message.kind == Kind::Result && facts.body().is_some_and(|body| body.contains(EMBEDDED))
}

/// The content of a tool's result.
pub(super) fn of_tool(raw: &str, structured: bool, flaws: &mut Flaws) {
    if !structured && !raw.contains(EMBEDDED) {
        return;
    }
    let Ok(Value::Array(blocks)) = serde_json::from_str(raw) else { return };
    let says = blocks.iter().any(|block| block["type"] == "text" || !block.is_object());
    let words = || "structured content without a text block that says the same".to_string();
    flaws.add_if(structured && !says, "PAY009", words);
    let embedded = || blocks.iter().filter(|block| block["type"] == "resource" && block["resource"].is_object());
    embedded().for_each(|block| blob(&block["resource"], flaws));
    if embedded().next().is_some() {
        flaws.add_unless("resources", "PAY016", "a tool gives an embedded resource, and resources were not declared");
    }
}

/// The roots of a client.
pub(super) fn roots(raw: &str, flaws: &mut Flaws) {
    let roots: Vec<Value> = serde_json::from_str(raw).unwrap_or_default();
    for uri in roots.iter().filter_map(|root| text(&root["uri"])) {
        let file = uri.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://"));
        flaws.add_if(!file, "PAY008", || format!("the root {} is no file:// URI", shown(uri)));
    }
}

/// What makes a value no base64, if anything. One that a logger may have cut is left alone.
fn base64_fault(value: &Value) -> Option<String> {
    let Some(data) = value.as_str() else { return Some("is missing".to_string()) };
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=' | '\r' | '\n');
    let odd = data.chars().find(|c| !known(*c))?;
    (!is_blotted(value) && !data.contains(CUT)).then(|| format!("is not base64: it has {odd:?} in it"))
}

/// `type/subtype`, with whatever parameters.
fn is_mime(text: &str) -> bool {
    let media = text.split(';').next().unwrap_or_default().trim();
    let token = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    media.split_once('/').is_some_and(|(kind, sub)| token(kind) && token(sub))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn base64_that_was_cut_is_nobodys_fault() {
        for fine in ["", "aGk=", "a-_b", "iVBORw0... (20 kB)", "***", "<data>", "aGVs\nbG8="] {
            assert_eq!(base64_fault(&json!(fine)), None, "{fine}");
        }
        assert!(base64_fault(&json!("data:image/png;base64,aGk=")).is_some());
        assert!(base64_fault(&Value::Null).is_some());
    }

    #[test]
    fn mime_types() {
        assert!(is_mime("image/png") && is_mime("text/html; charset=utf-8") && is_mime("image/svg+xml"));
        assert!(!is_mime("png") && !is_mime("/") && !is_mime("a/b/c") && !is_mime(""));
    }
}
