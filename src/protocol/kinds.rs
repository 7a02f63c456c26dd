//! Kinds of things in the parameters of a request, and paths that begin nowhere: what of them a rule asks for, and no more.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::placeholder::is_placeholder;
use crate::json::lenient_string;

/// Kinds of contents and of MCP servers, one bit each (ACP).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u8);

/// The kinds of contents that an agent need not take, and the capability that says that it does.
const CONTENTS: [(&str, &str); 3] = [
    ("image", "promptCapabilities.image"),
    ("audio", "promptCapabilities.audio"),
    ("resource", "promptCapabilities.embeddedContext"),
];

/// The same of MCP servers.
const SERVERS: [(&str, &str); 2] = [("http", "mcpCapabilities.http"), ("sse", "mcpCapabilities.sse")];

/// The bit of a prompt without contents.
const EMPTY: u8 = 1 << 7;

#[derive(Deserialize)]
struct Member<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
}

impl Kinds {
    /// Reads `params.prompt`.
    pub(super) fn add_prompt(&mut self, raw: &str) {
        let Some(found) = kinds_in(raw, &CONTENTS) else { return };
        self.0 |= found | if is_empty(raw) { EMPTY } else { 0 };
    }

    /// Reads `params.mcpServers`.
    pub(super) fn add_servers(&mut self, raw: &str) {
        self.0 |= kinds_in(raw, &SERVERS).unwrap_or_default() << CONTENTS.len();
    }

    /// The kinds, each with the capability that it needs.
    pub fn needs(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = CONTENTS.into_iter().chain(SERVERS).enumerate();
        all.filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, kind)| kind)
    }

    /// True for a prompt without contents.
    pub fn is_empty_prompt(self) -> bool {
        self.0 & EMPTY != 0
    }

    /// As the members that were read, for a brief: of the prompt, and of the servers.
    pub(super) fn as_members(self) -> [Option<String>; 2] {
        let list = |kinds: &[(&str, &str)], bits: u8| {
            let members: Vec<String> = kinds
                .iter()
                .enumerate()
                .filter(|(at, _)| bits >> at & 1 == 1)
                .map(|(_, (kind, _))| format!("{{\"type\":\"{kind}\"}}"))
                .collect();
            (!members.is_empty()).then(|| format!("[{}]", members.join(",")))
        };
        let prompt = list(&CONTENTS, self.0).or_else(|| self.is_empty_prompt().then(|| "[]".to_string()));
        [prompt, list(&SERVERS, self.0 >> CONTENTS.len())]
    }
}

/// The bits of the kinds that stand in a list of objects; `None` where it is no such list.
fn kinds_in(raw: &str, kinds: &[(&str, &str)]) -> Option<u8> {
    let members: Vec<Member<'_>> = serde_json::from_str(raw).ok()?;
    let bit = |member: &Member<'_>| {
        let at = kinds.iter().position(|(kind, _)| member.kind.as_deref() == Some(kind));
        at.map_or(0, |at| 1 << at)
    };
    Some(members.iter().fold(0, |bits, member| bits | bit(member)))
}

fn is_empty(raw: &str) -> bool {
    raw.trim_start_matches('[').trim_start().starts_with(']')
}

/// True for a list that is not empty.
pub(super) fn lists_something(raw: &str) -> bool {
    raw.starts_with('[') && !is_empty(raw)
}

/// The first path of a list that begins nowhere.
pub fn relative_in(list: &str) -> Option<String> {
    let paths: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    paths.into_iter().map(RawValue::get).find(|raw| is_relative(raw)).map(|raw| lenient_string(raw).into_owned())
}

/// True for a path that begins nowhere: `src/main.rs`, `.github/a`, `./a`, `..\\b`. What may be a word of a filter (`..` is one), what was
/// shortened (`.../a`), a name without a folder, an address, or a variable is none.
pub(super) fn is_relative(raw: &str) -> bool {
    if !raw.starts_with('"') || is_placeholder(raw) {
        return false;
    }
    let text = lenient_string(raw);
    let head = text.split(['/', '\\']).next().unwrap_or_default();
    let is_named = head.strip_prefix('.').unwrap_or(head).starts_with(char::is_alphanumeric);
    let begins = matches!(head, "." | "..") || is_named && head.len() < text.len();
    begins && !text.contains([':', '*', '<', '{', '$', '%'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_and_written() {
        let mut kinds = Kinds::default();
        kinds.add_prompt(r#"[{"type":"text","text":"a"},{"type":"image","data":"eA=="},{"type":"resource_link"}]"#);
        kinds.add_servers(r#"[{"name":"a","command":"/b"},{"type":"sse","url":"x"}]"#);
        let needs: Vec<_> = kinds.needs().map(|(kind, _)| kind).collect();
        assert_eq!(needs, ["image", "sse"]);
        let mut again = Kinds::default();
        let [prompt, servers] = kinds.as_members();
        again.add_prompt(&prompt.expect("an image"));
        again.add_servers(&servers.expect("a server"));
        assert_eq!(again, kinds);
        let mut none = Kinds::default();
        none.add_prompt("[ ]");
        assert!(none.is_empty_prompt() && none.as_members()[0].as_deref() == Some("[]"));
        for raw in ["\"***\"", "7", "[7]", "[{\"type\":7}]", "{}", "["] {
            let mut hostile = Kinds::default();
            hostile.add_prompt(raw);
            assert_eq!(hostile, Kinds::default(), "{raw}");
        }
    }

    #[test]
    fn a_relative_path_begins_nowhere() {
        for path in ["src/main.rs", "./a", "../a", ".", "a\\\\b", ".github/a", "\u{e4}/b"] {
            assert!(is_relative(&format!("\"{path}\"")), "{path}");
        }
        for path in [
            "/a/b",
            "C:\\\\a",
            "c:/a",
            "\\\\\\\\host\\\\a",
            "file:///a",
            "~/a",
            "$HOME/a",
            "workspace",
            "",
            "***",
            "<cwd>/a",
            "%APPDATA%/a",
            ".../src/main.rs",
            "\u{2026}/src/main.rs",
            "[cwd]/a",
        ] {
            assert!(!is_relative(&format!("\"{path}\"")), "{path}");
        }
    }
}
