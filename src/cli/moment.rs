//! Moments and spans as users name them: `06:14:58`, `2026-04-12T06:14:58Z`, the last five minutes.

use chrono::{DateTime, NaiveDateTime, NaiveTime};
use rpctape::error::{Error, ErrorKind, Result};

/// A day in microseconds.
const DAY_US: i64 = 86_400_000_000;

/// From one moment to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Beginning.
    pub from_us: i64,
    /// End.
    pub to_us: i64,
}

impl Span {
    /// One moment, as long as the last digit that a user writes: a second.
    pub fn at(us: i64) -> Span {
        Span { from_us: us, to_us: us + 999_999 }
    }

    /// True if something that began and ended then was under way in this span; without an end it never ended.
    pub fn meets(&self, began: Option<i64>, ended: Option<i64>) -> bool {
        began.is_some_and(|began| began <= self.to_us) && ended.is_none_or(|ended| ended >= self.from_us)
    }
}

/// A moment in microseconds. A time of day is the first one at or after the beginning of the log, to the second.
pub fn instant(text: &str, first_us: Option<i64>) -> Result<i64> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(at.timestamp_micros());
    }
    if let Ok(at) = text.parse::<NaiveDateTime>() {
        return Ok(at.and_utc().timestamp_micros());
    }
    let short = || NaiveTime::parse_from_str(text, "%H:%M").ok();
    let Some(time) = text.parse::<NaiveTime>().ok().or_else(short) else {
        let error = Error::new(ErrorKind::Usage, format!("`{text}` is no time"));
        return Err(error.hint("write 06:14:58 or 2026-04-12T06:14:58Z"));
    };
    let of_day = (time - NaiveTime::MIN).num_microseconds().unwrap_or(0);
    // The second in which the log begins counts as in it.
    let first = first_us.map_or(0, |us| us - us.rem_euclid(1_000_000));
    let day = first - first.rem_euclid(DAY_US);
    Ok(if day + of_day < first { day + DAY_US + of_day } else { day + of_day })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_in_the_log() {
        let first = 1_775_974_262_500_000; // 2026-04-12T06:11:02.5Z
        let at = |text| instant(text, Some(first)).expect("a time");
        assert_eq!(at("06:11:02"), 1_775_974_262_000_000);
        assert_eq!(at("2026-04-12T06:11:02Z"), 1_775_974_262_000_000);
        assert_eq!(at("2026-04-12T06:11:02"), 1_775_974_262_000_000);
        assert_eq!(at("06:10"), 1_775_974_200_000_000 + DAY_US);
        assert!(instant("soon", None).is_err());
    }

    #[test]
    fn what_never_ended_is_under_way() {
        let span = Span::at(10_000_000);
        assert!(span.meets(Some(0), None) && span.meets(Some(10_500_000), Some(11_000_000)));
        assert!(
            !span.meets(Some(0), Some(9_000_000)) && !span.meets(Some(12_000_000), None) && !span.meets(None, None)
        );
    }
}
