//! Times for people and for JSON. Always UTC, so that the same log gives the same screen everywhere.

use chrono::{DateTime, Datelike, Utc};

use crate::number::duration;

fn utc(us: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros(us)
}

/// `06:12:50.114`.
pub fn clock(us: i64) -> String {
    utc(us).map_or_else(|| format!("{us} us"), |time| time.format("%H:%M:%S%.3f").to_string())
}

/// `2026-11-21`, or nothing where the log has only times of day (they stand on 1970-01-01).
pub fn date(us: i64) -> Option<String> {
    utc(us).filter(|time| time.year() != 1970).map(|time| time.format("%Y-%m-%d").to_string())
}

/// `2026-11-21 06:11:02 - 06:18:44 (7m 42s)`, with the date once where both have the same.
pub fn span(first: i64, last: i64) -> String {
    let second = |us: i64| utc(us).map_or_else(|| format!("{us} us"), |time| time.format("%H:%M:%S").to_string());
    let dated = |us: i64| date(us).map_or_else(|| second(us), |date| format!("{date} {}", second(us)));
    let end = if date(first) == date(last) { second(last) } else { dated(last) };
    match last >= first {
        true => format!("{} - {end} ({})", dated(first), duration(last.saturating_sub(first))),
        // A span that ends before it begins has no length.
        false => format!("{} - {end} (the clock was set back)", dated(first)),
    }
}

/// `+31.2 s`.
pub fn offset(us: i64) -> String {
    if us < 0 { duration(us) } else { format!("+{}", duration(us)) }
}

/// RFC 3339 in UTC with microseconds, for JSON.
pub fn rfc3339(us: i64) -> String {
    Digits::Micros.rfc3339(us)
}

/// How many digits after the second a log's times have. Writing more would claim a precision that it does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Digits {
    /// Whole seconds.
    #[default]
    None,
    /// Three.
    Millis,
    /// Six.
    Micros,
}

impl Digits {
    /// The digits that a time needs.
    pub fn of(us: i64) -> Digits {
        match (us % 1_000_000, us % 1_000) {
            (0, _) => Digits::None,
            (_, 0) => Digits::Millis,
            _ => Digits::Micros,
        }
    }

    /// RFC 3339 in UTC with so many digits.
    pub fn rfc3339(self, us: i64) -> String {
        let format = match self {
            Digits::None => "%Y-%m-%dT%H:%M:%SZ",
            Digits::Millis => "%Y-%m-%dT%H:%M:%S%.3fZ",
            Digits::Micros => "%Y-%m-%dT%H:%M:%S%.6fZ",
        };
        utc(us).map_or_else(|| us.to_string(), |time| time.format(format).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_stands_once_and_only_where_the_log_has_one() {
        let noon = 1_795_243_456_663_227;
        assert_eq!(span(noon, noon + 3_500_000), "2026-11-21 06:44:16 - 06:44:20 (3.50 s)");
        assert_eq!(span(5_000_000, 5_002_000), "00:00:05 - 00:00:05 (2.0 ms)");
        assert_eq!(rfc3339(noon), "2026-11-21T06:44:16.663227Z");
        assert_eq!([offset(31_200_000), offset(-3_000)], ["+31.2 s", "-3.0 ms"]);
    }
}
