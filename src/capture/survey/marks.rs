//! Signs in a message of what its logger, or a filter behind it, did to it.

use std::hash::{Hash, Hasher};

use memchr::memmem::{self, Finder};
use rustc_hash::FxHasher;

use crate::json::scan::{members, skip_white, value_end};
use crate::jsonrpc::{Defect, Kind, Message};
use crate::protocol::{Facts, is_placeholder, may_be_null};

/// Signs of what a logger does to messages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub null_id: bool,
    pub null_params: bool,
    /// The id null on a method that is a notification.
    pub null_on_notification: bool,
    /// The id, by its hash, on a method that is a notification.
    pub id_on_notification: Option<u64>,
    /// A notification as it should be: without an id.
    pub notification: bool,
    /// Has a method, and members of an answer as well: its logger prints what a message may have.
    pub printed: bool,
    /// The same, and all of them.
    pub printed_whole: bool,
    /// An answer whose result is null or not there.
    pub void: bool,
    /// An answer with an error.
    pub fails: bool,
    /// Stands where the answer to a handshake should, and is none.
    pub answers_other: bool,
    /// An error by which its sender says that it was told to cancel.
    pub cancelled: bool,
    /// A notification that cancels.
    pub cancels: bool,
    /// The id is the text of a number.
    pub id_in_text: bool,
    /// The id is what a hash function gives, in hexadecimal digits.
    pub id_is_digest: bool,
    /// Names what it cancels by a number.
    pub target_is_number: bool,
    /// Names what it cancels by what a hash function gives.
    pub target_is_digest: bool,
    /// Ends a handshake.
    pub greets: bool,
    /// Opens a handshake of the kind that a notification of the client ends: those declare `capabilities` by that name.
    pub is_to_be_ended: bool,
    /// Says goodbye.
    pub closes: bool,
    /// Its token lives only as long as the request that gives it.
    pub borrowed: bool,
    /// Progress that no request introduces, but an event of its own (DAP).
    pub self_introduced: bool,
    /// Ends a handshake, or asks what is asked only after one.
    pub opened: bool,
    /// Has a method and no member for parameters.
    pub bare: bool,
    /// The same, and nothing else that holds more than a value either: not every protocol calls them parameters.
    pub hollow: bool,
    /// Has `{}` for parameters or a result.
    pub emptied: bool,
    /// Has the text of an object, or of a list of them, for parameters or a result.
    pub quoted: bool,
    /// Has a method that says nothing without parameters: whom to call, what to read, what to cancel.
    pub needy: bool,
    /// Has a method that says enough without parameters.
    pub says_enough: bool,
    /// Has a method whose answer says something.
    pub asks_much: bool,
    /// Digest of the keys of its parameters; 0 where it has none.
    pub shape: u64,
    /// An answer with an error that is null, or whose message is.
    pub null_error: bool,
    /// An answer with an error that is no object with a code and a message.
    pub bad_error: bool,
    /// A message without `jsonrpc`, which says that it is one by its other members.
    pub unversioned: bool,
    /// What its parameters, its result or its error hold: texts, and nulls.
    pub holds: Leaves,
    /// Digest of the word that stands where parameters or a result, an id, the target of a cancel, or an error should, and of
    /// a text that is no such word where parameters should.
    pub word: [u64; 5],
    /// Has parameters that are an object or a list.
    pub structured: bool,
}

/// Which values stand in a part of a message, at any depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leaves {
    pub texts: bool,
    pub nulls: bool,
}

/// What is looked for in every message, made once.
#[derive(Clone)]
pub(super) struct Signs {
    pub(super) params: Finder<'static>,
    pub(super) result: Finder<'static>,
    error: Finder<'static>,
}

impl Default for Signs {
    fn default() -> Signs {
        Signs { params: Finder::new("\"params\""), result: Finder::new("\"result\""), error: Finder::new("\"error\"") }
    }
}

impl Signs {
    /// Which members of an answer an object has at its top, and are null: any, and both.
    pub(super) fn printed(&self, text: &str) -> (bool, bool) {
        let (result, error) = (self.is_void(text), has_null(&self.error, "error", text));
        (result || error, result && error)
    }

    /// True for an answer whose result is null.
    pub(super) fn is_void(&self, text: &str) -> bool {
        has_null(&self.result, "result", text)
    }
}

/// True if an object has a member at its top that is null. Nearly none has one at any depth: they are not taken apart.
fn has_null(sign: &Finder<'_>, key: &str, text: &str) -> bool {
    let is_null = |at: usize| {
        let value = text[at + sign.needle().len()..].trim_start().strip_prefix(':');
        value.is_some_and(|value| value.trim_start().starts_with("null"))
    };
    sign.find_iter(text.as_bytes()).any(is_null)
        && members(text).any(|member| member.key == key && member.value == "null")
}

/// Digest of the keys of a message's parameters; 0 where it has none.
pub(super) fn shape(text: &str) -> u64 {
    let params = members(text).find(|member| member.key == "params");
    params.map_or(0, |params| digest(members(params.value).map(|member| member.key).collect::<Vec<_>>()))
}

/// The length of `"params"`, and of `"result"`.
const KEY: usize = 8;

/// What follows the key of parameters, or of a result, that stands at `at`.
fn value_behind(text: &str, at: usize) -> &[u8] {
    let bytes = text.as_bytes();
    let colon = skip_white(bytes, at + KEY);
    if bytes.get(colon) == Some(&b':') { &bytes[skip_white(bytes, colon + 1)..] } else { &[] }
}

/// True where `{}` follows the key that stands at `at`.
pub(super) fn is_emptied(text: &str, at: usize) -> bool {
    let value = value_behind(text, at);
    value.first() == Some(&b'{') && value.get(skip_white(value, 1)) == Some(&b'}')
}

/// True where the text of an object, or of a list of them, follows the key that stands at `at`.
pub(super) fn is_quoted(text: &str, at: usize) -> bool {
    let value = value_behind(text, at);
    value.starts_with(b"\"{\\\"") || value.starts_with(b"\"[{\\\"")
}

/// True for methods that say nothing without parameters.
pub(super) fn is_needy(method: &str) -> bool {
    const CALLS: [&str; 6] = [
        "tools/call",
        "prompts/get",
        "resources/read",
        "completion/complete",
        "session/prompt",
        "workspace/executeCommand",
    ];
    CALLS.contains(&method) || method.starts_with("textDocument/")
}

/// True for methods that say enough without parameters.
pub(super) fn says_enough(method: &str) -> bool {
    const METHODS: [&str; 7] = [
        "ping",
        "initialized",
        "notifications/initialized",
        "shutdown",
        "exit",
        "logout",
        "workspace/workspaceFolders",
    ];
    const ENDS: [&str; 4] = ["/list", "/list_changed", "/refresh", "/discover"];
    METHODS.contains(&method) || ENDS.iter().any(|end| method.ends_with(end))
}

/// True for methods that are never answered by nothing.
pub(super) fn asks_much(method: &str, needy: bool) -> bool {
    needy && !method.starts_with("textDocument/") || method.ends_with("/list") || method == "server/discover"
}

/// True for an answer whose error is null and stands alone, or whose error has the message null.
pub(super) fn is_null_error(text: &str) -> bool {
    let is_null =
        |value: &str| value == "null" || members(value).any(|one| one.key == "message" && one.value == "null");
    members(text).any(|member| member.key == "error" && is_null(member.value))
}

/// What the parameters, the result and the error of a message hold. A result that is null itself is an answer to who asked for nothing,
/// and some members say by null that there is none: no text stood there.
pub(super) fn leaves(text: &str) -> Leaves {
    let is_void = |key: &str, value: &str| key == "result" && value == "null";
    let payload = members(text).filter(|member| matches!(member.key, "params" | "result" | "error"));
    let payload = payload.filter(|member| !is_void(member.key, member.value));
    payload.fold(Leaves::default(), |known, member| {
        let found = leaves_of(member.value.as_bytes());
        Leaves { texts: known.texts || found.texts, nulls: known.nulls || found.nulls }
    })
}

fn leaves_of(value: &[u8]) -> Leaves {
    let (mut found, mut at, mut key): (_, _, &[u8]) = (Leaves::default(), 0, b"");
    while let Some(byte) = value.get(at) {
        match byte {
            b'"' => {
                let Some(end) = value_end(value, at) else { break };
                let is_key = value.get(skip_white(value, end)) == Some(&b':');
                key = if is_key { &value[at + 1..end - 1] } else { b"" };
                found.texts |= !is_key;
                at = end;
                continue;
            }
            b'n' => found.nulls |= !may_be_null(key),
            b'[' | b'{' => key = b"",
            _ => {}
        }
        at += 1;
    }
    found
}

/// The words that stand where parameters or a result, an id, the target of a cancel, an error, and again parameters should.
pub(super) fn words(message: &Message<'_>, facts: &Facts<'_>, text: &str) -> [u64; 5] {
    let known = |word: Option<&str>| word.filter(|word| is_placeholder(word)).map_or(0, digest);
    let cancelled = facts.request_id().or(facts.param_id().filter(|_| message.kind == Kind::Notification));
    let (id, target) = (known(message.id_text), known(cancelled));
    match message.kind {
        Kind::Result => [known(text_at(text, "\"result\"")), id, target, 0, 0],
        Kind::Error => [0, id, target, word_of_error(text).map_or(0, digest), 0],
        _ if message.defects.has(Defect::Params) => {
            let params = text_at(text, "\"params\"");
            [known(params), id, target, 0, params.filter(|text| !is_placeholder(text)).map_or(0, text_in_place)]
        }
        _ => [0, id, target, 0, 0],
    }
}

/// Digest of a text where parameters should stand. How much was taken out is one text, whatever the number.
fn text_in_place(text: &str) -> u64 {
    const UNITS: [&str; 8] = ["b", "byte", "bytes", "kb", "kib", "mb", "chars", "characters"];
    let said = text.trim_matches('"');
    let unit = said.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    let is_size = said.starts_with(|sign: char| sign.is_ascii_digit())
        && UNITS.iter().any(|known| unit.trim().eq_ignore_ascii_case(known));
    if is_size { digest("size") } else { digest(text) }
}

/// The string at the member `key` (with its quotes) of a message, as written.
fn text_at<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let at = memmem::find(bytes, key.as_bytes())? + key.len();
    let at = skip_white(bytes, at);
    let at = skip_white(bytes, (bytes.get(at) == Some(&b':')).then_some(at + 1)?);
    let end = if bytes.get(at) == Some(&b'"') { value_end(bytes, at)? } else { return None };
    text.get(at..end)
}

/// The word that stands where an error should, or its code.
fn word_of_error(text: &str) -> Option<&str> {
    let error = members(text).find(|member| member.key == "error")?;
    let code = || members(error.value).find(|member| member.key == "code" && is_placeholder(member.value));
    text_at(text, "\"error\"").filter(|text| is_placeholder(text)).or_else(|| Some(code()?.value))
}

/// True for an object of JSON that holds nothing but single values.
pub(super) fn is_hollow(text: &str) -> bool {
    let mut all = members(text).peekable();
    all.peek().is_some() && all.all(|member| !member.value.starts_with(['{', '[']))
}

/// The fewest digits of a digest that is shown for an id.
const DIGITS: usize = 8;

/// True for what a hash function gives, with or without its name before a colon.
pub(super) fn is_digest(text: &str) -> bool {
    let digits = text.rsplit(':').next().unwrap_or(text);
    digits.len() >= DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn digest(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish().max(1)
}
