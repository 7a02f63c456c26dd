//! Messages out of whose middle a logger cut something, and left a mark: `{"jsonrpc":"2.0","id":1,"resu... 78 bytes ...e"}`.

use crate::json::scan::{closing_quote, members, skip_white};
use crate::jsonrpc::{NoLift, parse_at};

/// What loggers write where they cut.
const MARKS: [&str; 2] = ["...", "…"];

/// How much of a text behind a mark may say how much was cut, in bytes.
const COUNT: usize = 24;

/// True for a text with a mark, where what stands before the mark does not go on behind it: the name of a member holds the mark, or the
/// text is no JSON from there on. A string that ends in dots does no more than that.
#[cold]
pub(crate) fn is_within(text: &str) -> bool {
    if !has_mark(text) || !text.trim_start().starts_with(['{', '[']) {
        return false;
    }
    match parse_at::<NoLift>(text, 0) {
        Ok(_) => members(text).any(|member| has_mark(member.key)),
        Err(fault) => breaks_at_mark(text, fault.column),
    }
}

fn has_mark(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// True if a mark stands where JSON has no text, says how much was cut, or stands in the last string before a fault.
fn breaks_at_mark(text: &str, fault: usize) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at <= fault {
        let Some(start) = text[at..].find('"').map(|start| at + start) else { return has_mark(&text[at..]) };
        let Some(end) = closing_quote(bytes, start + 1) else { return has_mark(&text[at..]) };
        let within = &text[start..end];
        let fails_behind = || fault <= skip_white(bytes, end + 1) + 1;
        if has_mark(&text[at..start]) || is_counted(within) || has_mark(within) && fails_behind() {
            return true;
        }
        at = end + 1;
    }
    false
}

/// True for a mark that says how much was cut.
fn is_counted(text: &str) -> bool {
    let words = ["byte", "char", "more", "omitted", "truncated"];
    let counts = |rest: &str| {
        let rest: String = rest.chars().take(COUNT).collect();
        rest.contains(|c: char| c.is_ascii_digit()) && words.iter().any(|word| rest.contains(word))
    };
    MARKS.iter().any(|mark| text.split(mark).skip(1).any(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_out_of_the_middle() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"resu... 78 bytes ...t"}}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"resu...":"object"}}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":[1,...,9]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"text":"a...b","c"...}}"#,
            r#"{"jsonrpc":"2.0","id":0,"result":{"name...t","version":"1"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"result":{"a":"x… (12 more chars) …y"]}"#,
            r#"{"jsonrpc":"2.0","id":1,"meth...ams":{}}"#,
        ] {
            assert!(is_within(text), "{text}");
        }
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"text":"wait..."},}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"text":"wait...","ok":tru}}"#,
            r#"{"jsonrpc":"2.0","id":1,"res":{"...":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":tru}"#,
            "Loading...",
        ] {
            assert!(!is_within(text), "{text}");
        }
    }
}
