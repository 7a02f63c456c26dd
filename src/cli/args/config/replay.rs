//! `[replay]`: what a team has settled on for replays.

use std::path::PathBuf;

use rpctape::error::Result;
use rpctape::replay::options::{FlowRule, Matcher, Speed};
use toml::de::DeValue;

use super::super::values::compare::{self, Failing};
use super::super::values::{self, duration};
use super::walk::{FileText, Value};

const KEYS: [&str; 20] = [
    "speed",
    "max-idle",
    "linger",
    "stuck-min",
    "max-request",
    "deadline",
    "allow",
    "deny",
    "ignore",
    "set-list",
    "set",
    "tolerance",
    "fail-on",
    "match",
    "flow",
    "capture",
    "map-path",
    "command",
    "url",
    "connect",
];
const FLOW: [&str; 2] = ["from", "to"];

/// What the file says; `None` and empty where it says nothing. Times are microseconds.
#[derive(Clone, Debug, Default)]
pub struct ReplayConfig {
    /// How fast.
    pub speed: Option<Speed>,
    /// The longest pause; `Some(None)` for no limit.
    pub max_idle: Option<Option<i64>>,
    /// How long an answer after a cancel is watched for.
    pub linger: Option<i64>,
    /// When a request without a sign of life is stuck.
    pub stuck_min: Option<i64>,
    /// When any request is.
    pub max_request: Option<i64>,
    /// The whole run.
    pub deadline: Option<i64>,
    /// Sent although not known to be read-only.
    pub allow: Vec<String>,
    /// Never sent.
    pub deny: Vec<String>,
    /// Places that are not compared.
    pub ignore: Vec<String>,
    /// Lists that are compared as maps.
    pub sets: Vec<(String, String)>,
    /// Matchers.
    pub matches: Vec<(String, Matcher)>,
    /// How far numbers may be off.
    pub tolerances: Vec<(String, Matcher)>,
    /// What fails.
    pub fail_on: Option<Vec<Failing>>,
    /// Values that flow from a response into a later request.
    pub flows: Vec<FlowRule>,
    /// Paths: recorded, live.
    pub map_path: Vec<(String, String)>,
    /// The server to start, its program and arguments.
    pub command: Vec<String>,
    /// The folder that it is run in: that of the file, where this was found on the way up.
    pub folder: Option<PathBuf>,
    /// The server to connect to: over HTTP, or as `--connect` has it.
    pub url: Option<String>,
    /// As `--connect` has it.
    pub connect: Option<String>,
}

pub fn read(place: &FileText<'_>, value: &Value<'_>, config: &mut ReplayConfig) -> Result<()> {
    for (key, value) in place.table(value, "[replay]", &KEYS)? {
        let at = value.span().start;
        let wrong = |why: String| place.fault(at, format!("{key}: {why}"));
        let time = || duration(&place.string(key, value)?).map(Some).map_err(wrong);
        let strings = || Ok(place.list(key, value)?.into_iter().map(|(_, text)| text).collect::<Vec<_>>());
        match key {
            "speed" => config.speed = Some(values::speed(&place.string(key, value)?).map_err(wrong)?),
            "max-idle" => config.max_idle = Some(values::max_idle(&place.string(key, value)?).map_err(wrong)?),
            "linger" => config.linger = time()?,
            "stuck-min" => config.stuck_min = time()?,
            "max-request" => config.max_request = time()?,
            "deadline" => config.deadline = time()?,
            "command" => config.command = strings()?,
            "url" => config.url = Some(place.string(key, value)?),
            "connect" => config.connect = Some(place.string(key, value)?),
            "allow" => config.allow = place.checked(key, value, pattern)?,
            "deny" => config.deny = place.checked(key, value, pattern)?,
            "ignore" => {
                let at = |text: &str| compare::place(text).map(str::to_string);
                config.ignore = one_by_one(place, key, value, &["at"], |[at]| Ok(at), at)?;
            }
            "set-list" | "set" => {
                let both = |[at, by]: [String; 2]| compare::set_list(&format!("{at} by {by}"));
                config.sets = one_by_one(place, key, value, &["at", "by"], both, compare::set_list)?;
            }
            "tolerance" => {
                let limit = |[at, limit]: [String; 2]| compare::tolerance(&format!("{at}={limit}"));
                let tolerances = one_by_one(place, key, value, &["at", "limit"], limit, compare::tolerance)?;
                config.tolerances = tolerances;
            }
            "fail-on" => config.fail_on = Some(verdicts(place, key, value)?),
            "map-path" => config.map_path = place.checked(key, value, values::pair)?,
            "match" => {
                let matching = |[at, kind]: [String; 2]| {
                    compare::place(&at)?;
                    Ok((at, Matcher::read(&kind)?))
                };
                config.matches = one_by_one(place, key, value, &["at", "kind"], matching, |_| {
                    Err("write [[replay.match]] with at and kind".to_string())
                })?;
            }
            // `capture` is the word of people who come from other tools.
            _ => {
                for entry in entries(place, key, value)? {
                    config.flows.push(flow(place, key, entry)?);
                }
            }
        }
    }
    Ok(())
}

/// What names requests.
fn pattern(text: &str) -> std::result::Result<String, String> {
    match text.is_empty() {
        true => Err("an empty text names no request; write a method, or method:tool".to_string()),
        false => Ok(text.to_string()),
    }
}

/// Verdicts, one by one or as the flag has them: with commas.
fn verdicts(place: &FileText<'_>, key: &str, value: &Value<'_>) -> Result<Vec<Failing>> {
    let all = place.checked(key, value, |text| {
        text.split(',').map(compare::verdict).collect::<std::result::Result<Vec<_>, _>>()
    })?;
    Ok(all.into_iter().flatten().collect())
}

fn entries<'v, 't>(
    place: &FileText<'_>,
    key: &str,
    value: &'v Value<'t>,
) -> Result<impl Iterator<Item = &'v Value<'t>> + use<'v, 't>> {
    match value.get_ref() {
        DeValue::Array(entries) => Ok(entries.iter()),
        _ => Err(place.fault(value.span().start, format!("{key} is a list: write [[replay.{key}]]"))),
    }
}

/// The two members that an entry must have.
fn both(place: &FileText<'_>, name: &str, entry: &Value<'_>, keys: [&str; 2]) -> Result<[(usize, String); 2]> {
    let mut found = [None, None];
    for (key, value) in place.table(entry, name, &keys)? {
        let text = (value.span().start, place.string(key, value)?);
        found[usize::from(key == keys[1])] = Some(text);
    }
    let missing = |key: &str| place.fault(entry.span().start, format!("this {name} has no {key}"));
    let [first, second] = found;
    Ok([first.ok_or_else(|| missing(keys[0]))?, second.ok_or_else(|| missing(keys[1]))?])
}

/// A list whose members are texts, or tables with these members and perhaps `for`, the requests that the rule holds for.
fn one_by_one<T, const N: usize>(
    place: &FileText<'_>,
    key: &str,
    value: &Value<'_>,
    members: &[&'static str; N],
    table: impl Fn([String; N]) -> std::result::Result<T, String>,
    text: impl Fn(&str) -> std::result::Result<T, String>,
) -> Result<Vec<T>> {
    let name = format!("[[replay.{key}]]");
    let known: Vec<&str> = members.iter().copied().chain(["for"]).collect();
    let one = |entry: &Value<'_>| {
        let mut at = entry.span().start;
        let wrong = |at: usize, why: String| place.fault(at, format!("{key}: {why}"));
        if !matches!(entry.get_ref(), DeValue::Table(_)) {
            return text(&place.string(key, entry)?).map_err(|why| wrong(at, why));
        }
        let mut found: [Option<String>; N] = std::array::from_fn(|_| None);
        let mut scope = None;
        for (member, value) in place.table(entry, &name, &known)? {
            let said = place.string(member, value)?;
            at = if member == members[0] { value.span().start } else { at };
            match members.iter().position(|known| *known == member) {
                Some(nth) => found[nth] = Some(said),
                None => scope = Some(said),
            }
        }
        if let Some(nth) = found.iter().position(Option::is_none) {
            return Err(place.fault(entry.span().start, format!("this {name} has no {}", members[nth])));
        }
        let mut found = found.map(Option::unwrap_or_default);
        if let Some(scope) = scope {
            let scope = pattern(scope.trim()).map_err(|why| wrong(entry.span().start, format!("for: {why}")))?;
            found[0] = format!("{scope} {}", found[0]);
        }
        table(found).map_err(|why| wrong(at, why))
    };
    match value.get_ref() {
        // One text alone is a list of one.
        DeValue::String(_) => Ok(vec![one(value)?]),
        _ => entries(place, key, value)?.map(one).collect(),
    }
}

/// `from = "create_order /result/structuredContent/id"`.
fn flow(place: &FileText<'_>, key: &str, entry: &Value<'_>) -> Result<FlowRule> {
    let name = format!("[[replay.{key}]]");
    let ends = both(place, &name, entry, FLOW)?;
    let [from, to] = ends.map(|(at, text)| {
        let (method, path) = text.trim().split_once(char::is_whitespace).unwrap_or((&text, ""));
        match FlowRule::path(path) {
            Some((path, pointers)) if !method.is_empty() => Ok((at, method.to_string(), path, pointers)),
            _ => Err(place
                .fault(at, "write a method or tool and a JSON pointer: \"create_order /result/structuredContent/id\"")),
        }
    });
    let ((_, from, from_at, _), (at, to, to_at, pointers)) = (from?, to?);
    if pointers > 1 {
        return Err(
            place.fault(at, "a value is put in the place of another one in the request, not into the text of a string")
        );
    }
    Ok(FlowRule { from, from_at, to, to_at })
}
