//! Items of answers and of notifications: names, labels, and what they must or may not have.

use serde_json::Value;

use super::edits;
use crate::protocol::flaw::{Flaws, list, shown, text, twice};

/// How deep symbols may be nested to be looked at.
const DEEPEST: usize = 64;

/// The cells of a notebook that is opened: an address each.
pub(super) fn cells(params: &Value, flaws: &mut Flaws) {
    let addresses = list(&params["notebookDocument"]["cells"]).filter_map(|cell| text(&cell["document"]));
    if let Some(address) = twice(addresses) {
        flaws.add("PAY022", || format!("two cells of a notebook have the address {}", shown(address)));
    }
}

/// The begin of a progress: what it has to tell.
pub(super) fn begins(value: &Value, flaws: &mut Flaws) {
    flaws.add_if(!value["title"].is_string(), "PAY021/begin", || "a progress begins without a title".to_string());
}

/// The answer to `textDocument/completion`, whole or a bare list.
pub(super) fn completions(result: &Value, flaws: &mut Flaws) {
    let items = if result.is_array() { result } else { &result["items"] };
    list(items).for_each(|item| completion(item, flaws));
    commit_characters(&result["itemDefaults"], flaws);
}

/// One item of it, or a resolved one.
pub(super) fn completion(item: &Value, flaws: &mut Flaws) {
    edits::completion(item, flaws);
    commit_characters(item, flaws);
}

fn commit_characters(item: &Value, flaws: &mut Flaws) {
    let mut long = list(&item["commitCharacters"]).filter_map(text).filter(|sign| sign.encode_utf16().count() != 1);
    if let Some(sign) = long.next() {
        flaws.add("PAY021/commit", || format!("the commit character {} is not one character", shown(sign)));
    }
}

/// The answer to `textDocument/signatureHelp`.
pub(super) fn signatures(result: &Value, flaws: &mut Flaws) {
    for signature in list(&result["signatures"]) {
        let Some(whole) = text(&signature["label"]) else { continue };
        let labels = list(&signature["parameters"]).filter_map(|parameter| text(&parameter["label"]));
        if let Some(label) = labels.into_iter().find(|label| !whole.contains(label)) {
            let words = || format!("the parameter {} is no part of its signature, {}", shown(label), shown(whole));
            flaws.add("PAY021/label", words);
        }
    }
}

/// The answer to `textDocument/documentSymbol`.
pub(super) fn symbols(result: &Value, flaws: &mut Flaws) {
    let has = |member: &str| list(result).any(|symbol| symbol.get(member).is_some());
    let words = || "a list of symbols has some of either kind".to_string();
    flaws.add_if(has("location") && has("selectionRange"), "PAY021/mixed", words);
    list(result).for_each(|symbol| named(symbol, 0, flaws));
}

fn named(symbol: &Value, depth: usize, flaws: &mut Flaws) {
    let blank = symbol["name"].as_str().is_some_and(|name| name.trim().is_empty());
    let words = || "the name of a symbol is empty".to_string();
    flaws.add_if(blank && symbol.get("selectionRange").is_some(), "PAY021/name", words);
    if depth < DEEPEST {
        list(&symbol["children"]).for_each(|child| named(child, depth + 1, flaws));
    }
}

/// The answer to `textDocument/codeAction`.
pub(super) fn actions(result: &Value, flaws: &mut Flaws) {
    list(result).for_each(|action| edits::workspace(&action["edit"], flaws));
}

/// A code action that is resolved: there is no more to come.
pub(super) fn resolved(action: &Value, flaws: &mut Flaws) {
    let lacks = |member: &str| action.get(member).is_none_or(Value::is_null);
    let words = || "a code action has neither an edit nor a command when it is resolved".to_string();
    flaws.add_if(action.is_object() && lacks("edit") && lacks("command"), "PAY021", words);
    edits::workspace(&action["edit"], flaws);
}
