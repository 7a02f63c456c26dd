//! Resources: the logs of the folder, and the pages of the rules.

use std::fs::File;
use std::io::Read;

use rpctape::capture::{self, Overrides};
use rpctape::report::escape_block;
use rpctape::rules::{self, RULES};
use serde_json::{Value, json};

use super::folder::Folder;
use super::page::page;
use super::wire::{INTERNAL, INVALID_PARAMS, NO_RESOURCE, Refusal};

/// How many resources a page lists.
const PAGE: usize = 100;

/// How much of a log is given, in bytes; the tools give the rest.
const HEAD: usize = 16 << 10;

const LOG: &str = "rpctape://log/";
const RULE: &str = "rpctape://rule/";

/// What `resources/list` answers: logs first.
pub fn list(folder: &Folder, params: &Value) -> Result<Value, Refusal> {
    let at: usize = match params.get("cursor") {
        None | Some(Value::Null) => 0,
        Some(cursor) => cursor
            .as_str()
            .and_then(|cursor| cursor.parse().ok())
            .ok_or_else(|| Refusal(INVALID_PARAMS, format!("there is no cursor {cursor}")))?,
    };
    let all: Vec<Value> =
        logs(folder)?.into_iter().map(|log| log_entry(&log)).chain(RULES.iter().map(|rule| rule_entry(rule))).collect();
    let shown: Vec<&Value> = all.iter().skip(at).take(PAGE).collect();
    let next = at + shown.len();
    Ok(match next < all.len() {
        true => json!({"resources": shown, "nextCursor": next.to_string()}),
        false => json!({"resources": shown}),
    })
}

/// Paths of the logs in the folder, from it on.
fn logs(folder: &Folder) -> Result<Vec<String>, Refusal> {
    let top = capture::name_of(folder.path().as_os_str());
    let within = Overrides { within: Some(folder.path().to_path_buf()), ..Overrides::default() };
    let found =
        capture::expand(std::slice::from_ref(&top), &within).map_err(|error| Refusal(INTERNAL, error.message))?;
    let inside = |path: &String| path.strip_prefix(&top).map(|path| path.trim_start_matches('/').to_string());
    Ok(found.paths.iter().filter_map(inside).filter(|path| folder.inside(path).is_ok()).collect())
}

fn log_entry(log: &str) -> Value {
    json!({"uri": format!("{LOG}{}", encoded(log)), "name": log, "description": "A log", "mimeType": "text/plain"})
}

fn rule_entry(rule: &rules::Rule) -> Value {
    json!({
        "uri": format!("{RULE}{}", rule.code), "name": rule.code, "title": rule.name,
        "description": format!("What {} finds", rule.code), "mimeType": "text/markdown",
    })
}

/// What `resources/templates/list` answers.
pub fn templates() -> Value {
    json!({"resourceTemplates": [
        {"uriTemplate": format!("{LOG}{{+path}}"), "name": "log", "description": "The beginning of a log in the folder", "mimeType": "text/plain"},
        {"uriTemplate": format!("{RULE}{{code}}"), "name": "rule", "description": "The page of a rule", "mimeType": "text/markdown"},
    ]})
}

/// What `resources/read` answers, and its text, from which secrets are still to be taken.
pub fn read(folder: &Folder, uri: &str) -> Result<(String, &'static str), Refusal> {
    let unknown = || Refusal(NO_RESOURCE, format!("there is no resource {uri}"));
    if let Some(code) = uri.strip_prefix(RULE) {
        return rules::find(code).map(|rule| (rule.page.to_string(), "text/markdown")).ok_or_else(unknown);
    }
    let name = uri.strip_prefix(LOG).and_then(decoded).ok_or_else(unknown)?;
    let path = folder.path().join(folder.inside(&name).map_err(|why| Refusal(NO_RESOURCE, why))?);
    if !path.is_file() {
        return Err(unknown());
    }
    let fault = |error: std::io::Error| Refusal(INTERNAL, format!("{name} cannot be read: {error}"));
    let mut head = Vec::new();
    let file = File::open(&path).map_err(fault)?;
    let whole = file.metadata().map_err(fault)?.len();
    file.take(HEAD as u64 + 4).read_to_end(&mut head).map_err(fault)?;
    if head.contains(&0) {
        return Ok((format!("{name} holds no plain text ({whole} bytes): ask the tools about it\n"), "text/plain"));
    }
    let text = String::from_utf8_lossy(&head);
    let shown = page(&text, None, HEAD).map_err(|why| Refusal(INTERNAL, why))?;
    let rest = if shown.next.is_some() {
        format!("[rpctape: the beginning of {whole} bytes; the tools have the rest]\n")
    } else {
        String::new()
    };
    Ok((format!("{}{rest}", escape_block(shown.text)), "text/plain"))
}

/// A path in a URI.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'%' => {
                let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &rest[2..];
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_into_addresses_and_back() {
        for name in ["a.jsonl", "b c/ä%#?.log", "%41"] {
            assert_eq!(decoded(&encoded(name)).as_deref(), Some(name));
        }
        assert_eq!((decoded("%"), decoded("%zz"), decoded("%ff")), (None, None, None));
    }

    #[test]
    fn what_is_not_in_the_folder_is_no_resource() {
        let top = tempfile::tempdir().expect("a folder");
        std::fs::write(top.path().join("a b.jsonl"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
            .expect("a file");
        let folder = Folder::open(top.path()).expect("a folder");
        let all = list(&folder, &Value::Null).expect("a list");
        assert_eq!(all["resources"][0]["uri"], "rpctape://log/a%20b.jsonl");
        assert!(read(&folder, "rpctape://log/a%20b.jsonl").expect("a log").0.contains("ping"));
        assert!(read(&folder, "rpctape://rule/CAN010").expect("a page").0.starts_with('#'));
        for bad in [
            "rpctape://log/..%2Fx",
            "rpctape://log//etc/passwd",
            "rpctape://rule/XX",
            "file:///etc/passwd",
            "rpctape://log/.",
        ] {
            assert_eq!(read(&folder, bad).expect_err(bad).0, NO_RESOURCE, "{bad}");
        }
    }
}
