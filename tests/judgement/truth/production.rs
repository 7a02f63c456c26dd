//! What gateways, proxies, monitors and log shippers write.
//!
//! A file says how many messages of each kind are in it, how they are spread over connections, how many requests got
//! their answer, and which rules are broken; all sessions are clean but those that name one. `refused`: it holds no
//! message, and nobody is accused.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Said, call, folder, objects, rpctape};

/// What does not hold of a file, in words.
pub fn wrong(name: &str, want: &Value) -> Vec<String> {
    let (list, check) = (ask(&["ls", "--format", "json"], name), ask(&["check", "--format", "jsonl"], name));
    let listed: Option<Value> = serde_json::from_str(&list.out).ok();
    let source = listed.map(|listed| listed["sources"][0].clone()).filter(Value::is_object);
    let accused = accused(&check.out);
    let read = source.as_ref().is_some_and(|source| source["messages"].as_u64() > Some(0));
    if want["refused"] == true || want["or_refused"] == true && !read {
        return refused(want, read, &accused, &check);
    }
    let Some(source) = source else { return vec![format!("not read: {}", list.err)] };
    let parts: [(&str, Option<String>); 4] = [
        ("counts", counts(&source, want)),
        ("connections", connections(&source, want)),
        ("answered", answered(name, want)),
        ("findings", findings(accused, want)),
    ];
    let only = want["only"].as_array();
    let counts = |part: &str| only.is_none_or(|only| only.iter().any(|name| name == part));
    parts.into_iter().filter(|(part, _)| counts(part)).filter_map(|(_, fault)| fault).collect()
}

fn ask(words: &[&str], name: &str) -> Said {
    let mut args: Vec<String> = words.iter().map(|word| word.to_string()).collect();
    args.insert(words.len().min(3), folder("production").join(name).display().to_string());
    call(rpctape(), &args, &folder("production"), None)
}

/// The rules that were found broken: proven, and above a note.
fn accused(out: &str) -> BTreeSet<String> {
    let is_proven = |finding: &&Value| finding["type"] == "finding" && finding["certainty"] == "violation";
    let proven = objects(out);
    let loud = proven.iter().filter(is_proven).filter(|finding| finding["severity"] != "note");
    loud.filter_map(|finding| finding["rule"].as_str().map(String::from)).collect()
}

fn refused(want: &Value, read: bool, accused: &BTreeSet<String>, check: &Said) -> Vec<String> {
    if !accused.is_empty() {
        return vec![format!("accuses: {accused:?}")];
    }
    if read && want["or"] != "read" && want["refused"] == true {
        return vec!["it was read although it holds no message".to_string()];
    }
    if !read && !matches!(check.code, Some(0 | 2)) {
        return vec![format!("check ends with {:?}", check.code)];
    }
    Vec::new()
}

const KINDS: [&str; 4] = ["request", "response", "error-response", "notification"];

fn kinds(source: &Value) -> Vec<u64> {
    let sides = || source["by_direction"].as_object().into_iter().flat_map(|sides| sides.values());
    KINDS.iter().map(|kind| sides().filter_map(|side| side[*kind].as_u64()).sum()).collect()
}

fn cancels(source: &Value) -> u64 {
    source["cancellations"].as_array().into_iter().flatten().filter_map(|cancel| cancel["count"].as_u64()).sum()
}

/// Counts are exact, unless more is right, too.
fn counts(source: &Value, want: &Value) -> Option<String> {
    let (got, least) = (source["messages"].as_u64()?, want["messages"].as_u64()?);
    let most = want["messages_at_most"].as_u64().unwrap_or(least);
    let same_kinds = most > least || kinds(source) == kinds(want);
    let right = (least..=most).contains(&got) && cancels(source) == cancels(want) && same_kinds;
    (!right).then(|| {
        let (got_kinds, want_kinds) = (kinds(source), kinds(want));
        format!(
            "{got} messages {got_kinds:?} with {} cancels, not {least} {want_kinds:?} with {}",
            cancels(source),
            cancels(want)
        )
    })
}

fn connections(source: &Value, want: &Value) -> Option<String> {
    let list = source["connections"].as_array();
    let mut sizes: Vec<u64> =
        list.into_iter().flatten().filter_map(|connection| connection["messages"].as_u64()).collect();
    sizes.sort_unstable();
    let exact = want["messages_at_most"].is_null() || want["messages_at_most"] == want["messages"];
    let right = match (&want["connection_messages"], exact) {
        (Value::Array(wanted), true) => *wanted == sizes.iter().map(|n| Value::from(*n)).collect::<Vec<_>>(),
        _ => want["connections"].as_u64() == Some(sizes.len() as u64),
    };
    (!right).then(|| {
        format!("connections of {sizes:?} messages, not {} {}", want["connections"], want["connection_messages"])
    })
}

fn answered(name: &str, want: &Value) -> Option<String> {
    let wanted = want["answered"].as_u64()?;
    let sql = "SELECT count(*) AS n FROM exchanges WHERE response_id IS NOT NULL";
    let rows = ask(&["query", "--format", "jsonl", sql], name);
    let got = objects(&rows.out).first().and_then(|row| row["n"].as_u64());
    (got != Some(wanted)).then(|| format!("{got:?} answered, not {wanted}"))
}

fn findings(accused: BTreeSet<String>, want: &Value) -> Option<String> {
    let must = want["findings"]["must"].as_array().into_iter().flatten();
    let must: BTreeSet<String> = must.filter_map(|rule| rule.as_str().map(String::from)).collect();
    (accused != must).then(|| format!("accuses {accused:?}, not {must:?}"))
}
