//! The text of a definition: TOML to plain data. An unknown key is an error that names the nearest known one.

use serde::Deserialize;
use toml::{Table, Value};

use super::parts::{Ids, PARTS, Part};
use crate::error::{Error, ErrorKind, Result, nearest};

/// One definition as it is written; `docs/formats.md` says what every key means.
#[derive(Debug, Deserialize)]
pub(super) struct File {
    pub name: String,
    #[serde(default)]
    pub about: String,
    pub protocol: Option<String>,
    #[serde(default)]
    pub detect: Detect,
    #[serde(default)]
    pub layers: Layers,
    #[serde(default)]
    pub record: Record,
    pub exchange: Option<Exchange>,
    #[serde(default)]
    pub payload: Payload,
    #[serde(default)]
    pub message: Message,
    #[serde(default)]
    pub kind: Kinds,
    #[serde(default)]
    pub direction: Directions,
    #[serde(default)]
    pub time: Time,
    #[serde(default)]
    pub connection: Connection,
    #[serde(default)]
    pub proof: Proof,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code))]
    pub sample: Vec<Sample>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Detect {
    #[serde(default)]
    pub contains: Vec<String>,
    pub score: Option<u8>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Layers {
    #[serde(default)]
    pub strip: Vec<String>,
    #[serde(default)]
    pub unwrap: Vec<Unwrap>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Unwrap {
    pub json_pointer: String,
    #[serde(default)]
    pub join: String,
    pub ts: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Record {
    #[serde(default)]
    pub start: String,
    pub message: Option<Standing>,
    /// Brackets around one message are those of an array that was sent.
    #[serde(default)]
    pub arrays: bool,
    #[serde(default)]
    pub contains: Vec<String>,
    /// An object with all of these members is a record, wherever it stands.
    #[serde(default)]
    pub members: Vec<String>,
    #[serde(default)]
    pub continuation: Continuation,
    #[serde(default)]
    pub sticky: Vec<String>,
    pub duplicate: Option<String>,
    pub header: Option<String>,
    pub stderr: Option<String>,
}

/// Where messages stand that are looked for, and what `start` is held against.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Standing {
    /// Anywhere in a line: `start` reads the text before it.
    Anywhere,
    /// The same, and where nothing stands before it, `start` reads the line above.
    Below,
}

/// Where a record keeps the parts of an HTTP exchange; of several paths the first that has a value counts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Exchange {
    pub request: Vec<String>,
    pub response: Vec<String>,
    pub method: Vec<String>,
    pub url: Vec<String>,
    pub status: Vec<String>,
    pub session: Vec<String>,
    pub start: Vec<String>,
    pub first_byte: Vec<String>,
    pub end: Vec<String>,
    pub duration: Vec<String>,
    pub duration_unit: Option<String>,
    pub request_cut: Vec<String>,
    pub response_cut: Vec<String>,
    pub response_in_pieces: bool,
}

/// Where the payload of a record ends.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Continuation {
    /// At the end of the line.
    #[default]
    Line,
    /// Where the next record starts.
    UntilNextStart,
    /// Where its JSON value ends, on whatever line.
    JsonValue,
    /// At a blank line.
    BlankLine,
    /// After as many bytes as a `Content-Length` header says.
    ContentLength,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Payload {
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub is: Holds,
    #[serde(default)]
    pub pointer: String,
    pub after: Option<String>,
    pub allow_trailing: Option<bool>,
    pub may_be_cut: Option<bool>,
    #[serde(default)]
    pub or_header: bool,
    pub drop_if: Option<String>,
    #[serde(default)]
    pub strings: Vec<String>,
}

/// How a payload is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Encoding {
    #[default]
    Json,
    JsonPretty,
    JsonString,
    Lua,
    Elisp,
    PythonRepr,
    PythonBytes,
    NodeInspect,
    None,
    /// Any form in which a message can be found ([`Standing`]); no word of a definition.
    #[serde(skip)]
    Found,
}

/// What a payload holds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Holds {
    /// The message.
    #[default]
    Message,
    /// The parameters of a call, the result or the error of an answer.
    Params,
}

/// Where the parts of a message stand that the record tells without holding it: groups and pointers, the first that
/// holds something counts (`"/event | /type"`).
#[derive(Debug, Default, Deserialize)]
pub(super) struct Message {
    pub kind: Option<String>,
    pub id: Option<String>,
    pub method: Option<String>,
    pub params: Option<String>,
    pub result: Option<String>,
    pub error: Option<String>,
    pub code: Option<String>,
    pub text: Option<String>,
    #[serde(default)]
    pub ids: Ids,
    #[serde(default)]
    pub cut_marks: Vec<String>,
    #[serde(default)]
    pub methods: Table,
}

impl Message {
    /// The parts with their places, as written.
    pub(super) fn parts(&self) -> [(&'static str, Option<&str>, Part); PARTS] {
        [
            ("kind", self.kind.as_deref(), Part::Kind),
            ("id", self.id.as_deref(), Part::Id),
            ("method", self.method.as_deref(), Part::Method),
            ("params", self.params.as_deref(), Part::Params),
            ("result", self.result.as_deref(), Part::Result),
            ("error", self.error.as_deref(), Part::Error),
            ("code", self.code.as_deref(), Part::Code),
            ("text", self.text.as_deref(), Part::Text),
        ]
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Kinds {
    #[serde(default)]
    pub map: Table,
    #[serde(default)]
    pub rules: Vec<Rule>,
    pub default: Option<String>,
}

/// A test that tells the kind or the direction of a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    #[serde(rename = "if")]
    pub condition: String,
    pub is: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Directions {
    #[serde(default)]
    pub map: Table,
    #[serde(default)]
    pub rules: Vec<Rule>,
    pub pointer: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub default: Option<String>,
    #[serde(default)]
    pub vantage: Vantage,
    #[serde(default)]
    pub otherwise: Vantage,
    #[serde(default)]
    pub sent_late: bool,
}

/// Whose log it is.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Vantage {
    Client,
    Server,
    Proxy,
    #[default]
    Infer,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Time {
    pub format: Option<String>,
    pub tz: Option<String>,
    pub pointer: Option<String>,
    pub start: Option<String>,
    pub took: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Connection {
    #[serde(default)]
    pub key: Vec<String>,
    #[serde(default)]
    pub split_on: Vec<String>,
    pub transport: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Proof {
    #[serde(default)]
    pub lost: Vec<String>,
    #[serde(default)]
    pub midway: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(not(test), allow(dead_code))]
pub(super) struct Sample {
    pub text: String,
    pub messages: usize,
}

/// The keys of each table; a table of the user's own words has none.
const KEYS: [(&str, &[&str]); 13] = [
    (
        "",
        &[
            "name",
            "about",
            "protocol",
            "detect",
            "layers",
            "record",
            "exchange",
            "payload",
            "message",
            "kind",
            "direction",
            "time",
            "connection",
            "proof",
            "sample",
        ],
    ),
    ("detect", &["contains", "score"]),
    ("layers", &["strip", "unwrap"]),
    (
        "record",
        &[
            "start",
            "message",
            "arrays",
            "contains",
            "members",
            "continuation",
            "sticky",
            "duplicate",
            "header",
            "stderr",
        ],
    ),
    (
        "exchange",
        &[
            "request",
            "response",
            "method",
            "url",
            "status",
            "session",
            "start",
            "first_byte",
            "end",
            "duration",
            "duration_unit",
            "request_cut",
            "response_cut",
            "response_in_pieces",
        ],
    ),
    (
        "payload",
        &["encoding", "is", "pointer", "after", "allow_trailing", "may_be_cut", "or_header", "drop_if", "strings"],
    ),
    ("message", &["kind", "id", "method", "params", "result", "error", "code", "text", "ids", "cut_marks", "methods"]),
    ("kind", &["map", "rules", "default"]),
    ("direction", &["map", "rules", "pointer", "from", "to", "default", "vantage", "otherwise", "sent_late"]),
    ("time", &["format", "tz", "pointer", "start", "took"]),
    ("connection", &["key", "split_on", "transport"]),
    ("proof", &["lost", "midway"]),
    ("sample", &["text", "messages"]),
];

/// What a definition says that a text must hold, read without the rest of it; nothing where it does not stand in a table of its own.
pub(super) fn signs(text: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Head {
        detect: Detect,
    }
    let start = text.find("\n[detect]\n")?;
    let length = text[start + 1..].find("\n[").map_or(text.len() - start, |end| end + 1);
    toml::from_str(&text[start..start + length]).ok().map(|head: Head| head.detect.contains)
}

/// Reads the text of the definition in `file`.
pub(super) fn parse(file: &str, text: &str) -> Result<File> {
    let table: Table = toml::from_str(text).map_err(|error| unreadable(file, text, &error))?;
    check(file, "", &table)?;
    if table.get("name").is_none_or(|name| name.as_str().is_some_and(|name| name.trim().is_empty())) {
        return Err(broken(file, "there is no `name`").hint("write name = \"my-log\" in its first line"));
    }
    for (key, value) in &table {
        match value {
            Value::Table(inner) => check(file, key, inner)?,
            Value::Array(items) => {
                for inner in items.iter().filter_map(Value::as_table) {
                    check(file, key, inner)?;
                }
            }
            _ => {}
        }
    }
    toml::from_str(text).map_err(|error: toml::de::Error| unreadable(file, text, &error))
}

/// What is wrong with the text, in one line; the line of the file stands in the hint.
fn unreadable(file: &str, text: &str, error: &toml::de::Error) -> Error {
    let what = plainly(&error.message().lines().collect::<Vec<_>>().join(", "));
    let Some(span) = error.span() else { return broken(file, &what) };
    let number = 1 + text[..span.start.min(text.len())].matches('\n').count();
    let line = text.lines().nth(number - 1).unwrap_or_default().trim();
    let error = broken(file, &format!("line {number}: {what}"));
    if line.is_empty() { error } else { error.hint(format!("the line is: {line}")) }
}

/// What the reader of TOML says of a value, in the words of this page.
fn plainly(what: &str) -> String {
    let words = [
        ("unknown variant ", "there is no "),
        (", expected one of ", " here; write one of "),
        ("invalid type: ", "the value is the "),
        ("missing field ", "there is no "),
        (", expected a sequence", "; write a list, as in [\"a\", \"b\"]"),
        (", expected a map", "; write a table, as in { a = \"b\" }"),
        (", expected a string", "; write a text in quotes"),
        (", expected a boolean", "; write true or false"),
    ];
    words.iter().fold(what.to_string(), |text, (word, plain)| text.replace(word, plain))
}

fn check(file: &str, table: &str, inner: &Table) -> Result<()> {
    let Some((_, known)) = KEYS.iter().find(|(name, _)| *name == table) else { return Ok(()) };
    let Some(key) = inner.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let shown = if table.is_empty() { key.clone() } else { format!("{table}.{key}") };
    let error = broken(file, &format!("there is no key {shown}"));
    let near = nearest(key, known.iter().copied());
    let place = if table.is_empty() { "at the top".to_string() } else { format!("in [{table}]") };
    Err(error.hint(match near {
        Some(near) => format!("did you mean {near}? {place} there are: {}", known.join(", ")),
        None => format!("{place} there are: {}", known.join(", ")),
    }))
}

/// The error for a definition that cannot be used.
pub(super) fn broken(file: &str, what: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("format definition {file}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_names_file_key_and_the_nearest_known_one() {
        let text = "name = \"x\"\n[record]\nstart = 'a'\ncontinuaton = \"line\"\n";
        let error = parse("mine.toml", text).expect_err("a typo");
        assert_eq!(error.message, "format definition mine.toml: there is no key record.continuaton");
        assert!(error.hint.expect("a hint").starts_with("did you mean continuation? in [record] there are: start,"));
        let error = parse("mine.toml", "nam = \"x\"\n").expect_err("a typo");
        assert!(error.hint.expect("a hint").starts_with("did you mean name? at the top there are:"));
        for nameless in ["[record]\nstart = 'a'\n", "name = \" \"\n[record]\nstart = 'a'\n"] {
            let error = parse("mine.toml", nameless).expect_err("a name is wanted");
            assert_eq!(error.message, "format definition mine.toml: there is no `name`");
        }
        let error = parse("mine.toml", "name = \"x\"\n[record]\nstart = 'a'\nzzzzzzzz = 1\n").expect_err("nonsense");
        assert!(error.hint.expect("a hint").starts_with("in [record] there are:"), "nothing is near to that");
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_told_with_its_line() {
        let error =
            parse("m.toml", "name = \"x\"\n[record]\nstart = 'a'\ncontinuation = \"lines\"\n").expect_err("wrong");
        assert!(error.message.contains("line 4"), "{}", error.message);
        assert!(!error.message.contains('\n'), "{}", error.message);
        assert_eq!(error.hint.as_deref(), Some("the line is: continuation = \"lines\""));
        let told = |text: &str| parse("m.toml", text).expect_err("wrong").message;
        let record = "name = \"x\"\n[record]\nstart = 'a'\n";
        let said = [
            (
                format!("{record}continuation = \"lines\"\n"),
                "there is no `lines` here; write one of `line`, `until_next",
            ),
            (
                format!("{record}contains = \"IN\"\n"),
                "the value is the string \"IN\"; write a list, as in [\"a\", \"b\"]",
            ),
            ("name = 7\n".to_string(), "the value is the integer `7`; write a text in quotes"),
            (String::new(), "there is no `name`"),
            (format!("{record}[payload]\nallow_trailing = \"yes\"\n"), "; write true or false"),
        ];
        for (text, want) in said {
            assert!(told(&text).contains(want), "{}", told(&text));
        }
    }
}
