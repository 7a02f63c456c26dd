//! Names of rotated logs, in the order in which they were written: `a.log.2.gz`, `a.log.1`, `a.log`; `a.log.2026-09-02`, `a.log`;
//! `a-2026-09-02T15-04-05.000.log`, `a.log`.

use std::sync::LazyLock;

use regex::Regex;

/// Endings of compressed files.
const COMPRESSED: [&str; 4] = [".gz", ".zst", ".bz2", ".xz"];

/// What recordings end in.
const RECORDING: &str = ".rec.jsonl";

/// The most digits of a number that counts parts; more are a date.
const DIGITS: usize = 5;

/// The day in the name of a log, mostly with a time, and the how-manieth part of that day it is: as loggers of Python, Java, Go, Rust
/// and .NET, logrotate and the kubelet write it.
static DATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let day = r"(?:19|20)[0-9]{2}[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12][0-9]|3[01])";
    let time = r"[T_.-]{0,2}(?:[01][0-9]|2[0-3])(?:[-:_.]?[0-5][0-9]){0,2}(?:\.[0-9]{1,9})?Z?";
    let name = r"^(|.*?[^0-9._-])[._-]*";
    Regex::new(&format!(r"{name}({day}(?:{time})?)(?:[._-]([0-9]{{1,5}}))?(|[^0-9/][^/]*)$")).ok()
});

/// The digits of a day.
const DAY: usize = 8;

/// Which part of a log a file is.
enum Part {
    /// The higher, the older.
    Count(u32),
    /// What it is from; such parts sort by it.
    Date(String),
    /// What is written to.
    Last,
}

/// What names sort by, bytewise: as they are, and of one log the oldest part first. A shell's `a.log*` has the newest first.
pub fn name_order(name: &str) -> String {
    if let Some(order) = recorded(name) {
        return order;
    }
    let (log, part) = rotated(name);
    match part {
        Part::Count(age) => format!("{log}\u{2}{:05}", 10_u32.pow(DIGITS as u32) - 1 - age),
        Part::Date(date) => format!("{log}\u{2}{date}"),
        Part::Last => format!("{log}\u{3}"),
    }
}

/// The same of a recording: `a.rec.jsonl`, `a.2.rec.jsonl`, as recorders name the parts, the higher the newer.
fn recorded(name: &str) -> Option<String> {
    let plain = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let stem = plain.strip_suffix(RECORDING)?;
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= DIGITS && !part.starts_with('0'));
    let part = stem.rsplit_once('.').and_then(|(log, part)| Some((log, number(part).filter(|part| *part > 1)?)));
    let (log, part) = part.unwrap_or((stem, 1));
    Some(format!("{log}{RECORDING}\u{2}{part:05}"))
}

/// The log that a file is of, and which part.
fn rotated(name: &str) -> (String, Part) {
    let plain = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    // Most names have no digits enough.
    let is_dated = plain.bytes().filter(u8::is_ascii_digit).count() >= DAY;
    is_dated
        .then(|| dated(plain))
        .flatten()
        .or_else(|| counted(plain))
        .unwrap_or_else(|| (name.to_string(), Part::Last))
}

/// `a.log.2026-09-02`, `a-20260902.3.log`. Where a name begins with a date and goes on with words, it is no part of anything.
fn dated(plain: &str) -> Option<(String, Part)> {
    let parts = DATED.as_ref()?.captures(plain)?;
    let part = |at: usize| parts.get(at).map_or("", |part| part.as_str());
    let (before, behind) = (part(1), part(4));
    if (before.is_empty() || before.ends_with('/')) && !behind.starts_with('.') {
        return None;
    }
    let date: String = part(2).chars().filter(char::is_ascii_digit).collect();
    Some((format!("{before}{behind}"), Part::Date(format!("{date}.{:0>5}", part(3)))))
}

/// `a.log.1`, `a.log-1756800000`, `a.log.old`.
fn counted(plain: &str) -> Option<(String, Part)> {
    if let Some(log) = plain.strip_suffix(".old") {
        return Some((log.to_string(), Part::Count(1)));
    }
    let log = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &plain[log.len()..];
    let log = log.strip_suffix(['.', '-']).filter(|log| !log.is_empty() && !log.ends_with('/'))?;
    let part = match number.len() {
        0 => return None,
        1..=DIGITS => Part::Count(number.parse().ok()?),
        _ => Part::Date(number.to_string()),
    };
    Some((log.to_string(), part))
}

/// True for two parts of one log that was rotated.
pub fn is_same_log(one: &str, other: &str) -> bool {
    !one.is_empty() && log_of(one) == log_of(other)
}

/// True if the name is that of a part behind which others were written.
pub(super) fn is_earlier(name: &str) -> bool {
    !matches!(rotated(name).1, Part::Last)
}

/// True if `next` is the part that was written behind `one`: none between them is missing, as far as names show it.
pub fn goes_on(one: &str, next: &str) -> bool {
    if one.is_empty() {
        return false;
    }
    let ((log, before), (of, part)) = (rotated(one), rotated(next));
    log == of
        && match (before, part) {
            (Part::Count(older), Part::Count(newer)) => older == newer + 1,
            (Part::Count(last), Part::Last) => last <= 1,
            (Part::Date(older), Part::Date(newer)) => older < newer,
            (Part::Date(_), Part::Last) => true,
            (Part::Last, _) | (Part::Count(_), Part::Date(_)) | (Part::Date(_), Part::Count(_)) => false,
        }
}

/// The name of the log that a file is a part of, or its own.
pub fn log_of(path: &str) -> String {
    rotated(path).0
}

/// Puts the parts of each log among `paths` into their order; they take the places that they have together.
pub(super) fn put_in_order(paths: &mut [String]) {
    if paths.len() < 2 {
        return;
    }
    let logs: Vec<String> = paths.iter().map(|path| log_of(path)).collect();
    for (at, log) in logs.iter().enumerate() {
        if logs[..at].contains(log) {
            continue;
        }
        let places: Vec<usize> = (at..logs.len()).filter(|place| logs[*place] == *log).collect();
        let mut parts: Vec<String> = places.iter().map(|place| paths[*place].clone()).collect();
        parts.sort_by_key(|part| name_order(part));
        places.into_iter().zip(parts).for_each(|(place, part)| paths[place] = part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(names: &[&str]) -> Vec<String> {
        let mut names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        put_in_order(&mut names);
        names
    }

    #[test]
    fn parts_of_a_log_come_oldest_first_and_others_stay_where_they_are() {
        assert_eq!(
            sorted(&["a.log", "a.log.1", "a.log.10.gz", "a.log.2.gz"]),
            ["a.log.10.gz", "a.log.2.gz", "a.log.1", "a.log"]
        );
        assert_eq!(
            sorted(&["a.log", "a.log-20260903", "a.log-20260902.gz"]),
            ["a.log-20260902.gz", "a.log-20260903", "a.log"]
        );
        assert_eq!(sorted(&["b.log", "a.log", "c.log", "a.log.1"]), ["b.log", "a.log.1", "c.log", "a.log"]);
        assert_eq!(sorted(&["z", "x/2", "x/1", "-"]), ["z", "x/2", "x/1", "-"]);
        assert_eq!(sorted(&["2026-09-02-b", "2026-09-01-a"]), ["2026-09-02-b", "2026-09-01-a"]);
    }

    #[test]
    fn parts_of_a_recording_sort_by_their_numbers() {
        let mut names = ["b.rec.jsonl", "a.10.rec.jsonl", "a.rec.jsonl", "a.2.rec.jsonl", "a.3.rec.jsonl.gz"];
        names.sort_by_key(|name| name_order(name));
        assert_eq!(names, ["a.rec.jsonl", "a.2.rec.jsonl", "a.3.rec.jsonl.gz", "a.10.rec.jsonl", "b.rec.jsonl"]);
        assert!(!goes_on("a.rec.jsonl", "a.2.rec.jsonl"), "whether it does is told by their headers");
    }

    #[test]
    fn days_in_names_are_those_of_parts() {
        for parts in [
            ["a.log.2026-09-01", "a.log.2026-09-02", "a.log"],
            ["a.log.2026-09-01_13", "a.log.2026-09-01_14", "a.log"],
            ["x/a-2026-09-01T15-04-05.000.log.gz", "x/a-2026-09-02T01-04-05.120.log", "x/a.log"],
            ["a.2026-09-02.2.log", "a.2026-09-02.10.log", "a.log"],
            ["log20260901.txt", "log20260901_001.txt", "log20260902.txt"],
            ["0.log.20260901-150405.gz", "0.log.20260901-160405", "0.log"],
            ["x/2026-09-01.log", "x/2026-09-02.log", "x/2026-09-03.log"],
            ["a.log.2", "a.log.old", "a.log"],
        ] {
            let turned = [parts[2], parts[0], parts[1]];
            assert_eq!(sorted(&turned), parts);
            assert!(goes_on(parts[0], parts[1]) && goes_on(parts[1], parts[2]) && !goes_on(parts[2], parts[1]));
        }
    }

    #[test]
    fn a_part_that_is_missing_is_not_passed_over() {
        assert!(goes_on("a.log.2.gz", "a.log.1") && !goes_on("a.log.3", "a.log.1") && !goes_on("a.log.2", "a.log"));
        assert!(!goes_on("a.log.1", "b.log") && !goes_on("a.log", "a.log"));
    }
}
