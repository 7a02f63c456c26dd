//! What is changed in a message because it is played elsewhere: process id, paths, stated values, secrets.

use std::collections::BTreeMap;

use super::options::Rewrite;
use super::splice::{self, Edits, quote};
use crate::json::lenient_string;
use crate::protocol::Profile;

/// How a redacted secret stands in a recording.
const MARK: &str = "<<secret:";

/// What was changed, in words, and in how many places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewritten(BTreeMap<String, u32>);

impl Rewritten {
    fn note(&mut self, what: String) {
        *self.0.entry(what).or_default() += 1;
    }

    /// One line for each kind of change.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |(what, count): (&String, &u32)| match count {
            1 => what.clone(),
            count => format!("{what} ({count} places)"),
        };
        self.0.iter().map(line).collect()
    }
}

/// Puts the changes that a message needs into `edits`. `Err` names a secret that nobody gave.
pub(crate) fn rewrite(
    profile: &Profile,
    method: &str,
    text: &str,
    options: &Rewrite,
    edits: &mut Edits,
    done: &mut Rewritten,
) -> Result<(), String> {
    if let Some(pointer) = profile.process_id().filter(|_| profile.opening.initialize == Some(method)) {
        process_id(text, pointer, options, edits, done);
    }
    if let (Some(asked), Some(pointer)) = (&options.ask_version, profile.asked_revision(method)) {
        ask_version(text, pointer, asked, edits, done);
    }
    if options.map_path.is_empty() && !text.contains(MARK) {
        return Ok(());
    }
    let mut all = Vec::new();
    splice::scalars(text, 0..text.len(), "", &mut all);
    for (_, range) in all {
        let raw = &text[range.clone()];
        if !raw.starts_with('"') {
            continue;
        }
        if raw.contains(MARK) {
            let filled = secrets(raw, options)?;
            if edits.put(range, filled) {
                done.note("secrets filled in".to_string());
            }
            continue;
        }
        let plain = lenient_string(raw);
        let mapped = |(old, new): &(String, String)| Some((format!("{old} -> {new}"), map(&plain, old, new)?));
        if let Some((what, mapped)) = options.map_path.iter().find_map(mapped)
            && edits.put(range, quote(&mapped))
        {
            done.note(what);
        }
    }
    Ok(())
}

/// What the user put in so many words; done first, so that it wins.
pub(crate) fn set(text: &str, options: &Rewrite, edits: &mut Edits, done: &mut Rewritten) {
    for (pointer, json) in &options.set {
        if let Some(range) = splice::locate(text, pointer)
            && edits.put(range, json.clone())
        {
            done.note(format!("{pointer} set to {json}"));
        }
    }
}

/// A server may exit when the process it was told of is not alive. `null` says that there is none, and stays.
fn process_id(text: &str, pointer: &str, options: &Rewrite, edits: &mut Edits, done: &mut Rewritten) {
    let Some(range) = splice::locate(text, pointer) else { return };
    let old = &text[range.clone()];
    let integer = old.bytes().all(|byte| byte.is_ascii_digit()) && !old.is_empty();
    if integer && options.pid != 0 && edits.put(range, options.pid.to_string()) {
        done.note(format!("processId {old} -> {}", options.pid));
    }
}

/// The version keeps its JSON type: ACP counts, MCP writes dates.
fn ask_version(text: &str, pointer: &str, asked: &str, edits: &mut Edits, done: &mut Rewritten) {
    let Some(range) = splice::locate(text, pointer) else { return };
    let old = &text[range.clone()];
    let new = if old.starts_with('"') { quote(asked) } else { asked.to_string() };
    if new != old && edits.put(range, new.clone()) {
        done.note(format!("protocol version {old} -> {new}"));
    }
}

/// A path or URI below `old` as it is below `new`; `None` for one that is not.
fn map(text: &str, old: &str, new: &str) -> Option<String> {
    if at_border(text, old) {
        return Some(format!("{new}{}", &text[old.len()..]));
    }
    let (old, new) = (file_uri(old)?, file_uri(new)?);
    at_border(text, &old).then(|| format!("{new}{}", &text[old.len()..]))
}

/// The URI of a path from the root (RFC 8089): what no path of a URI may hold is encoded.
pub(crate) fn file_uri(path: &str) -> Option<String> {
    let mut uri = path.starts_with('/').then(|| "file://".to_string())?;
    for byte in path.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte) => uri.push(byte.into()),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(uri)
}

/// True if a path or URI is `prefix` or lies below it.
fn at_border(text: &str, prefix: &str) -> bool {
    let Some(rest) = text.strip_prefix(prefix) else { return false };
    !prefix.is_empty()
        && (rest.is_empty() || prefix.ends_with(['/', '\\']) || rest.starts_with(['/', '\\', '#', '?', ':']))
}

/// A JSON string with its placeholders filled in. `Err` names the first that nobody gave.
fn secrets(raw: &str, options: &Rewrite) -> Result<String, String> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let inner = &rest[at + MARK.len()..];
        let Some(end) = inner.find(">>") else {
            rest = &rest[at..];
            break;
        };
        let name = &inner[..end];
        let kind = name.split('#').next().unwrap_or(name);
        let given = |wanted: &str| options.secrets.iter().find(|(known, _)| known == wanted).map(|(_, value)| value);
        let value = given(name).or_else(|| given(kind)).ok_or_else(|| name.to_string())?;
        let quoted = quote(value);
        out.push_str(&quoted[1..quoted.len() - 1]);
        rest = &inner[end + 2..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::by_name;

    fn done(protocol: &str, method: &str, text: &str, options: &Rewrite) -> Result<(String, Vec<String>), String> {
        let profile = by_name(protocol, None).expect("a profile");
        let (mut edits, mut rewritten) = (Edits::default(), Rewritten::default());
        set(text, options, &mut edits, &mut rewritten);
        rewrite(profile, method, text, options, &mut edits, &mut rewritten)?;
        Ok((edits.apply(text), rewritten.lines()))
    }

    #[test]
    fn a_process_id_is_ours_and_paths_are_mapped_at_their_borders() {
        let options =
            Rewrite { pid: 991, map_path: vec![("file:///old".into(), "file:///new".into())], ..Rewrite::default() };
        let text = r#"{"id":1,"params":{"processId":4242,"rootUri":"file:///old","a":["file:///old/x","file:///older"],"file:///old":1}}"#;
        let (out, lines) = done("lsp", "initialize", text, &options).expect("no secrets");
        let want = r#"{"id":1,"params":{"processId":991,"rootUri":"file:///new","a":["file:///new/x","file:///older"],"file:///old":1}}"#;
        assert_eq!(out, want);
        assert_eq!(lines, ["file:///old -> file:///new (2 places)", "processId 4242 -> 991"]);
        let null = r#"{"params":{"processId":null}}"#;
        assert_eq!(done("lsp", "initialize", null, &options).expect("fine").0, null);
        let other = r#"{"params":{"processId":4242}}"#;
        assert_eq!(done("mcp", "initialize", other, &options).expect("fine").0, other);
    }

    #[test]
    fn a_path_is_mapped_in_its_uri_too() {
        let map_path = vec![("/old dir".into(), "/new ü".into())];
        let options = Rewrite { map_path, ..Rewrite::default() };
        let text = r#"{"params":{"rootUri":"file:///old%20dir","rootPath":"/old dir/x","uri":"file:///old%20dir/a%20b#1","other":"http:///old%20dir"}}"#;
        let want = r#"{"params":{"rootUri":"file:///new%20%C3%BC","rootPath":"/new ü/x","uri":"file:///new%20%C3%BC/a%20b#1","other":"http:///old%20dir"}}"#;
        let (out, lines) = done("lsp", "initialize", text, &options).expect("no secrets");
        assert_eq!((out.as_str(), lines.as_slice()), (want, ["/old dir -> /new ü (3 places)".to_string()].as_slice()));
    }

    #[test]
    fn a_secret_is_filled_in_or_named() {
        let mut options = Rewrite { secrets: vec![("authz#1".into(), "a\"b".into())], ..Rewrite::default() };
        let text = r#"{"params":{"t":"Bearer <<secret:authz#1>>!"}}"#;
        assert_eq!(done("mcp", "m", text, &options).expect("known").0, r#"{"params":{"t":"Bearer a\"b!"}}"#);
        options.secrets.clear();
        assert_eq!(done("mcp", "m", text, &options), Err("authz#1".to_string()));
    }

    #[test]
    fn what_was_said_in_so_many_words_wins() {
        let options = Rewrite {
            set: vec![("/params/protocolVersion".into(), "\"x\"".into())],
            ask_version: Some("2025-06-18".into()),
            ..Rewrite::default()
        };
        let text = r#"{"params":{"protocolVersion":"2025-11-25"}}"#;
        assert_eq!(done("mcp", "initialize", text, &options).expect("fine").0, r#"{"params":{"protocolVersion":"x"}}"#);
    }
}
