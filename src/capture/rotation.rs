//! Names of rotated logs, in the order in which they were written: `a.log.2.gz`, `a.log.1`, `a.log`.

/// Endings of compressed files.
const COMPRESSED: [&str; 4] = [".gz", ".zst", ".bz2", ".xz"];

/// The most digits of a number that counts parts; more are a date.
const DIGITS: usize = 5;

/// What names sort by, bytewise: as they are, and of one log the oldest part first. A shell's `a.log*` has the newest first.
pub fn name_order(name: &str) -> String {
    match rotated(name) {
        Some((log, part)) => format!("{log}\u{2}{part}"),
        None => format!("{name}\u{3}"),
    }
}

/// The log that a rotated part is of, and by what parts of it sort: the highest number is the oldest, the earliest day too.
fn rotated(name: &str) -> Option<(&str, String)> {
    let plain = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let log = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &plain[log.len()..];
    let log = log.strip_suffix(['.', '-']).filter(|log| !log.is_empty() && !log.ends_with('/'))?;
    match number.len() {
        0 => None,
        1..=DIGITS => {
            let age: u32 = number.parse().ok()?;
            Some((log, format!("{:05}", 10_u32.pow(DIGITS as u32) - 1 - age)))
        }
        _ => Some((log, number.to_string())),
    }
}

/// True for two parts of one log that was rotated.
pub fn is_same_log(one: &str, other: &str) -> bool {
    log_of(one) == log_of(other)
}

fn log_of(path: &str) -> String {
    name_order(path).split(['\u{2}', '\u{3}']).next().unwrap_or_default().to_string()
}

/// Puts the parts of each log among `paths` into their order; they take the places that they have together.
pub(super) fn put_in_order(paths: &mut [String]) {
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
    }
}
