//! What a check did not look at, in the words of every output for people: a verdict says nothing about it.

use std::collections::{BTreeMap, BTreeSet};

use super::summary::{NotFollowed, Skipped};
use super::{Summary, number};

/// Up to so many sources each says what was passed over in it.
const FEW: usize = 3;

/// All of it in words. `name` says how the output names sources.
pub(super) fn unseen(summary: &Summary, name: &dyn Fn(&str) -> String) -> String {
    let mut parts = all_passed_over(summary, name);
    parts.extend(left_out(summary));
    if let Some(first) = summary.files.first() {
        let files = number::plural(summary.files.len() as u64, "file");
        parts.push(format!("{files} ({}: {})", name(&first.source), first.why));
    }
    let counts = [
        (lost_elsewhere(summary), "lost message"),
        (summary.suppressed, "suppressed finding"),
        (summary.baselined, "known finding"),
        (summary.stale, "stale baseline line"),
        (summary.expired, "expired suppression"),
    ];
    for (n, word) in counts {
        if n > 0 {
            parts.push(number::plural(n, word));
        }
    }
    for NotFollowed { from, to, requests } in &summary.not_followed {
        parts.push(format!("{} that could not be followed from {from} to {to}", number::plural(*requests, "request")));
    }
    if parts.is_empty() { "nothing".to_string() } else { parts.join(", ") }
}

/// The rules that were not run, as whoever left them out names them.
pub(super) fn left_out(summary: &Summary) -> Vec<String> {
    let all = |list: &[String]| list.iter().any(|name| name.eq_ignore_ascii_case("all"));
    let selected = Some(&summary.selected).filter(|names| !names.is_empty() && !all(names));
    let ignored = Some(&summary.ignored).filter(|names| !names.is_empty());
    let selected = selected.map(|names| format!("all rules but {}", names.join(", ")));
    let ignored = ignored.map(|names| match all(names) {
        true => "all rules (ignored)".to_string(),
        false => format!("the rules {} (ignored)", names.join(", ")),
    });
    selected.into_iter().chain(ignored).collect()
}

/// Messages that were lost, without those in lines that are named already.
fn lost_elsewhere(summary: &Summary) -> u64 {
    let cut: u64 = summary.skipped.iter().filter(|skipped| skipped.why == "cut off").map(|skipped| skipped.lines).sum();
    let unread: u64 = summary.unread.iter().map(|unread| unread.lines).sum();
    summary.lost.saturating_sub(cut + unread)
}

/// What was passed over, source by source; of many sources each reason once, with the first of them.
fn all_passed_over(summary: &Summary, name: &dyn Fn(&str) -> String) -> Vec<String> {
    let sources: BTreeSet<&str> = summary.skipped.iter().map(|skipped| skipped.source.as_str()).collect();
    if sources.len() <= FEW {
        return summary.skipped.iter().map(|skipped| passed_over(skipped, name)).collect();
    }
    let mut reasons: BTreeMap<&str, (u64, u64, &Skipped)> = BTreeMap::new();
    for skipped in &summary.skipped {
        let (lines, files, _) = reasons.entry(skipped.why.as_str()).or_insert((0, 0, skipped));
        (*lines, *files) = (*lines + skipped.lines, *files + 1);
    }
    let told = reasons.into_values().map(|(lines, files, first)| match files {
        1 => passed_over(first, name),
        _ => format!("in {} files {}", number::count(files), passed_over(&Skipped { lines, ..first.clone() }, name)),
    });
    told.collect()
}

fn passed_over(skipped: &Skipped, name: &dyn Fn(&str) -> String) -> String {
    let source = name(&skipped.source);
    let place = format!("{source}:{}", skipped.first);
    match skipped.why.as_str() {
        "torn" => format!("what stood behind {place}, where the file is cut off"),
        "shrank while it was read" => format!("what stood behind {place}: the file {}", skipped.why),
        "rewritten while it was read" => format!("what stands in {source} now: the file was {}", skipped.why),
        "replaced while it was read" => format!("the file that took the name of {source} meanwhile"),
        "without its end" => format!("what passed behind {place}, where the recording has no end"),
        "without its next part" => format!("the part of the recording behind {place}, which was not read"),
        why => format!("{} {} (from {place})", number::plural(skipped.lines, "line"), skipped_text(why)),
    }
}

fn skipped_text(why: &str) -> &str {
    match why {
        "not a message" => "without a message",
        "duplicate" => "logged twice",
        why => why,
    }
}
