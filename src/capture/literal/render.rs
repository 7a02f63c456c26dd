//! Values as each language prints them; for tests.

use serde_json::Value;

use super::Dialect;

/// A value in a dialect; `member` is where it belongs.
pub(crate) fn render(dialect: Dialect, value: &Value, member: &str) -> String {
    match dialect {
        Dialect::Lua => lua(value),
        Dialect::Lisp => lisp(value, member),
        Dialect::Python => python(value),
        Dialect::Node => node(value, 0),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A quoted string; what is no graphic character is escaped by `escape`.
fn quoted(text: &str, prefer: char, escape: impl Fn(char) -> String) -> String {
    let other = if prefer == '"' { '\'' } else { '"' };
    let quote = if text.contains(prefer) && !text.contains(other) { other } else { prefer };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&escape(c)),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn lua(value: &Value) -> String {
    let text =
        |text: &str| quoted(text, '"', |c| if c.is_ascii() { format!("\\{:03}", c as u32) } else { c.to_string() });
    match value {
        Value::Null => "vim.NIL".into(),
        Value::String(string) => text(string),
        Value::Array(items) if items.is_empty() => "{}".into(),
        Value::Array(items) => format!("{{ {} }}", items.iter().map(lua).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "vim.empty_dict()".into(),
        Value::Object(map) => {
            let key =
                |key: &str| if is_name(key) && key != "end" { key.to_string() } else { format!("[{}]", text(key)) };
            let members: Vec<_> = map.iter().map(|(name, value)| format!("{} = {}", key(name), lua(value))).collect();
            format!("{{  {}}}", members.join(",  "))
        }
        other => other.to_string(),
    }
}

fn lisp(value: &Value, member: &str) -> String {
    let text = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    match value {
        Value::Null => "nil".into(),
        Value::Bool(yes) => if *yes { "t" } else { ":json-false" }.into(),
        Value::String(string) => text(string),
        Value::Array(items) => format!("[{}]", items.iter().map(|item| lisp(item, "")).collect::<Vec<_>>().join(" ")),
        Value::Object(map) if map.is_empty() && super::reader::is_object(member) => "nil".into(),
        Value::Object(map) if !map.is_empty() && map.keys().all(|key| is_name(key)) => {
            let members: Vec<_> = map.iter().map(|(name, value)| format!(":{name} {}", lisp(value, name))).collect();
            format!("({})", members.join("\n "))
        }
        Value::Object(map) => {
            let members: Vec<_> =
                map.iter().map(|(name, value)| format!("{} {}", text(name), lisp(value, name))).collect();
            format!("#s(hash-table size 65 test equal rehash-size 1.5 data\n({}))", members.join(" "))
        }
        other => other.to_string(),
    }
}

fn python(value: &Value) -> String {
    let text = |text: &str| quoted(text, '\'', |c| format!("\\x{:02x}", c as u32));
    match value {
        Value::Null => "None".into(),
        Value::Bool(yes) => if *yes { "True" } else { "False" }.into(),
        Value::String(string) => text(string),
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let members: Vec<_> =
                map.iter().map(|(name, value)| format!("{}: {}", text(name), python(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}

fn node(value: &Value, depth: usize) -> String {
    let text = |text: &str| quoted(text, '\'', |c| format!("\\x{:02X}", c as u32));
    let (line, end) = (format!("\n{}", "  ".repeat(depth + 1)), format!("\n{}", "  ".repeat(depth)));
    let list = |items: Vec<String>, open: &str, close: &str| match items.is_empty() {
        true => format!("{open}{close}"),
        false => format!("{open}{line}{}{end}{close}", items.join(&format!(",{line}"))),
    };
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => list(items.iter().map(|item| node(item, depth + 1)).collect(), "[", "]"),
        Value::Object(map) => {
            let key = |key: &str| if is_name(key) { key.to_string() } else { text(key) };
            list(
                map.iter().map(|(name, value)| format!("{}: {}", key(name), node(value, depth + 1))).collect(),
                "{",
                "}",
            )
        }
        other => other.to_string(),
    }
}
