//! Moments and spans as users name them: `14:03`, `06:14:58.250`, `2026-04-12T06:14:58+02:00`, the last five minutes.

use chrono::{DateTime, NaiveDate, NaiveTime};
use rpctape::capture;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::store::Store;

const SECOND_US: i64 = 1_000_000;
const MINUTE_US: i64 = 60 * SECOND_US;
const DAY_US: i64 = 1_440 * MINUTE_US;

/// Days that a log may run for and still be asked by a time of day.
const DAYS: usize = 400;

/// From one moment to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Beginning.
    pub from_us: i64,
    /// End.
    pub to_us: i64,
}

impl Span {
    /// True if something that began and ended then was under way in this span; without an end it never ended.
    pub fn meets(&self, began: Option<i64>, ended: Option<i64>) -> bool {
        began.is_some_and(|began| began <= self.to_us) && ended.is_none_or(|ended| ended >= self.from_us)
    }
}

/// The time that a log covers, and how times without a zone are meant: as the log's own.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Its first and its last time.
    pub first_us: i64,
    /// See `first_us`.
    pub last_us: i64,
    /// Minutes east of UTC; none where the log tells no zone, and its times were taken for UTC.
    pub zone: Option<i32>,
}

impl Extent {
    /// True if any part of a span is in it.
    pub fn meets(&self, span: Span) -> bool {
        span.from_us <= self.last_us && span.to_us >= self.first_us
    }

    fn local(&self, us: i64) -> i64 {
        us + i64::from(self.zone.unwrap_or(0)) * MINUTE_US
    }

    /// The days on which it has this time, as days since the epoch.
    fn days(&self, named: &Named) -> Vec<i64> {
        let (first, last) = (self.local(self.first_us).div_euclid(DAY_US), self.local(self.last_us).div_euclid(DAY_US));
        // A zone that is not the log's own may be a day off.
        let days = (first - 1..=last + 1).take(DAYS);
        days.filter(|day| self.meets(named.wide(named.on(*day, self.zone)))).collect()
    }
}

/// A moment as it was written.
struct Named {
    date: Option<NaiveDate>,
    time_us: i64,
    /// What its last digit stands for.
    unit_us: i64,
    /// Minutes east of UTC.
    zone: Option<i32>,
}

impl Named {
    fn read(text: &str) -> Option<Named> {
        let (rest, zone) = zone(text.trim());
        let (date, time) = match rest.split_once(['T', 't', ' ']) {
            Some((date, time)) => (Some(date.parse().ok()?), time.trim()),
            None => (None, rest),
        };
        let time = time.replace(',', ".");
        let digits = time.split_once('.').map_or(0, |(_, digits)| digits.len() as u32);
        let unit_us = match (time.matches(':').count(), digits) {
            (1, _) => MINUTE_US,
            (_, 0) => SECOND_US,
            (_, digits) => 10_i64.pow(6_u32.saturating_sub(digits)),
        };
        let time: NaiveTime = time.parse().or_else(|_| NaiveTime::parse_from_str(&time, "%H:%M")).ok()?;
        Some(Named { date, time_us: (time - NaiveTime::MIN).num_microseconds()?, unit_us, zone })
    }

    /// Microseconds since the epoch, on this day since the epoch.
    fn on(&self, day: i64, zone: Option<i32>) -> i64 {
        day * DAY_US + self.time_us - i64::from(self.zone.or(zone).unwrap_or(0)) * MINUTE_US
    }

    /// All that the words may mean.
    fn wide(&self, us: i64) -> Span {
        Span { from_us: us, to_us: us + self.unit_us - 1 }
    }

    /// A moment; of a minute its first second that is in the log.
    fn narrow(&self, us: i64, extent: &Extent) -> Span {
        let wide = self.wide(us);
        let from_us =
            if extent.meets(wide) { us.max(extent.first_us - extent.first_us.rem_euclid(SECOND_US)) } else { us };
        let from_us = if self.unit_us > SECOND_US { from_us } else { us };
        Span { from_us, to_us: wide.to_us.min(from_us + SECOND_US - 1) }
    }
}

/// The text without its zone, and the zone in minutes east of UTC.
fn zone(text: &str) -> (&str, Option<i32>) {
    if let Some(rest) = text.strip_suffix(['Z', 'z']).or_else(|| text.strip_suffix("UTC")) {
        return (rest.trim_end(), Some(0));
    }
    let of_time = text.find(':').and_then(|colon| Some(colon + text[colon..].find(['+', '-'])?));
    let split = of_time.and_then(|at| Some((&text[..at], capture::zone_minutes(&text[at..])?)));
    split.map_or((text, None), |(rest, zone)| (rest.trim_end(), Some(zone)))
}

/// The moment that a user names. A time of day is one of the days of the log; a time without a zone is in that of the log.
pub fn moment(text: &str, extent: &Extent) -> Result<Span> {
    let Some(named) = Named::read(text) else {
        let error = Error::new(ErrorKind::Usage, format!("`{text}` is no time"));
        return Err(error.hint("write 14:03, 14:03:58.250 or 2026-04-12T14:03:58Z"));
    };
    if let Some(date) = named.date {
        let day = (date - NaiveDate::default()).num_days();
        return Ok(named.narrow(named.on(day, extent.zone), extent));
    }
    match extent.days(&named)[..] {
        [] => {
            let day = extent.local(extent.first_us).div_euclid(DAY_US);
            Ok(named.narrow(named.on(day, extent.zone), extent))
        }
        [day] => Ok(named.narrow(named.on(day, extent.zone), extent)),
        ref days => Err(several(text, days)),
    }
}

/// The days on which a log has this time of day, each as it has to be typed; none of a time that names its day.
pub fn choices(text: &str, extent: &Extent) -> Vec<String> {
    let days = match Named::read(text) {
        Some(named) if named.date.is_none() => extent.days(&named),
        _ => Vec::new(),
    };
    days.iter().filter_map(|day| Some(format!("{} {}", date(*day)?, text.trim()))).collect()
}

/// The zone in which a log writes its times, where it tells one.
pub fn log_zone(store: &Store) -> Result<Option<i32>> {
    Ok(store.sources()?.iter().find_map(|source| zone_of(source.first_time.as_deref()?)))
}

/// The zone in which a time is written, in minutes east of UTC, where it tells one. A number counts from an instant.
fn zone_of(written: &str) -> Option<i32> {
    match written.trim().parse::<f64>() {
        Ok(_) => Some(0),
        Err(_) => zone(written.trim()).1,
    }
}

/// The same time of day, said to be UTC: screens write times so. Nothing where the time names its own zone.
pub fn in_utc(text: &str) -> Option<String> {
    zone(text.trim()).1.is_none().then(|| format!("{}Z", text.trim()))
}

fn date(day: i64) -> Option<String> {
    DateTime::from_timestamp_micros(day * DAY_US).map(|time| time.format("%Y-%m-%d").to_string())
}

fn several(text: &str, days: &[i64]) -> Error {
    let dates: Vec<String> = days.iter().take(5).filter_map(|day| date(*day)).collect();
    let more = if days.len() > dates.len() { ", ..." } else { "" };
    let error = format!("the log has {text} on {} days: {}{more}", days.len(), dates.join(", "));
    let first = dates.first().map_or("2026-04-12", String::as_str);
    Error::new(ErrorKind::Usage, error).hint(format!("name the day, too: --at '{first} {text}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: i64 = 1_775_974_262_500_000; // 2026-04-12T06:11:02.5Z

    fn extent(hours: i64, zone: i32) -> Extent {
        Extent { first_us: FIRST, last_us: FIRST + hours * 3_600 * SECOND_US, zone: Some(zone) }
    }

    fn at(text: &str, extent: &Extent) -> (i64, i64) {
        let span = moment(text, extent).expect("a time");
        ((span.from_us - FIRST) / 1_000, span.to_us - span.from_us + 1)
    }

    #[test]
    fn as_long_as_its_last_digit() {
        let log = extent(2, 0);
        assert_eq!(at("06:11:02", &log), (-500, SECOND_US));
        assert_eq!(at("06:11:04.25", &log), (1_750, 10_000));
        assert_eq!(at("06:11:04,250", &log), (1_750, 1_000));
        assert_eq!(at("06:12", &log), (57_500, SECOND_US));
        // The minute in which the log begins is in it from there on.
        assert_eq!(at("06:11", &log), (-500, SECOND_US));
    }

    #[test]
    fn zones_and_days() {
        let log = extent(2, 0);
        for text in [
            "2026-04-12T06:12:00Z",
            "2026-04-12 06:12:00",
            "08:12:00+02:00",
            "2026-04-12T01:12:00-05:00",
            "06:12:00 UTC",
        ] {
            assert_eq!(at(text, &log).0, 57_500, "{text}");
        }
        // The log's own zone, where the user names one.
        assert_eq!(at("08:12:00", &extent(2, 120)).0, 57_500);
        assert!(!log.meets(moment("06:10", &log).expect("a time")));
        assert!(!log.meets(moment("2026-04-13T06:12:00Z", &log).expect("a time")));
        let days = moment("07:00", &extent(50, 0)).expect_err("three days");
        assert!(days.message.contains("on 3 days: 2026-04-12, 2026-04-13"), "{}", days.message);
        assert_eq!(at("05:00", &extent(30, 0)).0 / 3_600_000, 22);
        assert!(moment("soon", &log).is_err());
        assert_eq!(choices("07:00", &extent(50, 0)), ["2026-04-12 07:00", "2026-04-13 07:00", "2026-04-14 07:00"]);
        assert_eq!(choices("07:00", &log), ["2026-04-12 07:00"]);
        assert!(choices("2026-04-12 07:00", &extent(50, 0)).is_empty() && choices("05:00", &log).is_empty());
        assert_eq!([zone_of("2026-04-12T08:12:00.5+02:00"), zone_of("2026-04-12T06:12:00Z")], [Some(120), Some(0)]);
        assert_eq!([zone_of("2026-04-12 06:12:00"), zone_of("1775974262500")], [None, Some(0)]);
        assert_eq!([in_utc("06:12"), in_utc("06:12+02:00")], [Some("06:12Z".to_string()), None]);
    }

    #[test]
    fn what_never_ended_is_under_way() {
        let span = Span { from_us: 10_000_000, to_us: 10_999_999 };
        assert!(span.meets(Some(0), None) && span.meets(Some(10_500_000), Some(11_000_000)));
        assert!(
            !span.meets(Some(0), Some(9_000_000)) && !span.meets(Some(12_000_000), None) && !span.meets(None, None)
        );
    }
}
