//! Times of a definition: any shape that logs have, a number in a unit, or a format of one's own.

use chrono::NaiveDateTime;

use super::schema;
use crate::capture::time::{Clock, DAY_US, Days, Time, Zoning, parse, zone_minutes};

/// How times are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TimeRule {
    /// Told by the text itself.
    Auto,
    /// A number since the epoch, of units of so many nanoseconds.
    Epoch(i64),
    /// A format in strftime's letters, whether it has a date, and how fine it is.
    Format { format: String, dated: bool, resolution_us: i64 },
}

/// How times are written, and the zone they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) rule: TimeRule,
    offset_us: i64,
}

impl Times {
    /// From a definition; the error says what is wrong.
    pub(super) fn new(text: &schema::Time) -> Result<Times, String> {
        let offset = match text.tz.as_deref() {
            None | Some("utc") => 0,
            Some(zone) => zone_minutes(zone)
                .ok_or_else(|| format!("time.tz is {zone:?}; write \"utc\" or an offset such as \"+02:00\""))?,
        };
        let rule = match text.format.as_deref() {
            None | Some("auto") => TimeRule::Auto,
            Some("epoch_s") => TimeRule::Epoch(1_000_000_000),
            Some("epoch_ms") => TimeRule::Epoch(1_000_000),
            Some("epoch_us") => TimeRule::Epoch(1_000),
            Some("epoch_ns") => TimeRule::Epoch(1),
            Some(format) => own(format)?,
        };
        Ok(Times { rule, offset_us: i64::from(offset) * 60_000_000 })
    }
}

fn own(format: &str) -> Result<TimeRule, String> {
    use chrono::format::{Item, StrftimeItems};
    if StrftimeItems::new(format).any(|item| matches!(item, Item::Error)) {
        return Err(format!("time.format {format:?} has a letter that is not known"));
    }
    let has = |letters: &[&str]| letters.iter().any(|letter| format.contains(letter));
    let dated = has(&["%d", "%e", "%D", "%F", "%j", "%c", "%x", "%v", "%+", "%s"]);
    let year = has(&["%Y", "%y", "%F", "%D", "%c", "%x", "%v", "%+", "%s"]);
    let resolution_us = match format {
        _ if has(&["%3f", "%.3f"]) => 1_000,
        _ if has(&["%f", "%6f", "%9f", "%.f", "%.6f", "%.9f", "%+"]) => 1,
        _ => 1_000_000,
    };
    // What the format leaves out is filled in: the day 1970-01-01, or the year 1970.
    let prefix = match (dated, year) {
        (true, true) => "",
        (true, false) => "%Y ",
        (false, _) => "%F ",
    };
    Ok(TimeRule::Format { format: format!("{prefix}{format}"), dated, resolution_us })
}

/// Reads one time after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    auto: Clock,
    days: Days,
    filled: String,
}

impl Reader {
    /// A time in microseconds since the epoch; what the user says of the zone goes before what the definition says.
    pub(super) fn read(&mut self, text: &str, times: &Times, zoning: &Zoning) -> Option<i64> {
        let offset_us = if zoning.offset_us == 0 { times.offset_us } else { zoning.offset_us };
        let zoning = Zoning { offset_us, ..*zoning };
        match &times.rule {
            TimeRule::Auto => self.auto.read_in(text, &zoning),
            rule => self.time(text, rule).map(|time| self.days.place(&time, &zoning)),
        }
    }

    /// A time as it is written, with its resolution.
    pub(super) fn time(&mut self, text: &str, rule: &TimeRule) -> Option<Time> {
        match rule {
            TimeRule::Auto => parse(text),
            TimeRule::Epoch(unit_ns) => epoch(text, *unit_ns),
            TimeRule::Format { format, dated, resolution_us } => {
                self.filled.clear();
                if format.starts_with("%F ") && !dated {
                    self.filled.push_str("1970-01-01 ");
                } else if format.starts_with("%Y ") {
                    self.filled.push_str("1970 ");
                }
                self.filled.push_str(text);
                let time = NaiveDateTime::parse_from_str(&self.filled, format).ok()?.and_utc().timestamp_micros();
                let us = if *dated { time } else { time.rem_euclid(DAY_US) };
                Some(Time { us, resolution_us: *resolution_us, dated: *dated, zoned: false })
            }
        }
    }
}

/// A span of time in microseconds: a number of milliseconds, or numbers with units as Go prints them (`1m2.5s`).
pub(super) fn span_us(text: &str) -> Option<i64> {
    let text = text.trim_matches(['"', ' ']);
    if let Ok(ms) = text.parse::<f64>() {
        return Some((ms * 1e3) as i64);
    }
    let (mut rest, mut us) = (text, 0.0);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|end| *end > 0)?;
        let number: f64 = rest[..end].parse().ok()?;
        let after = &rest[end..];
        let unit = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        us += number
            * match &after[..unit] {
                "h" => 3.6e9,
                "m" | "min" => 6e7,
                "s" => 1e6,
                "ms" => 1e3,
                "µs" | "μs" | "us" => 1.0,
                "ns" => 1e-3,
                _ => return None,
            };
        rest = &after[unit..];
    }
    (!text.is_empty()).then_some(us as i64)
}

fn epoch(text: &str, unit_ns: i64) -> Option<Time> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    let mut ns = i128::from(whole.parse::<i64>().ok()?) * i128::from(unit_ns);
    let mut step = unit_ns;
    for digit in digits.bytes() {
        step /= 10;
        ns += i128::from(char::from(digit).to_digit(10)?) * i128::from(step);
    }
    let us = i64::try_from(ns / 1_000).ok()?;
    Some(Time { us, resolution_us: (step / 1_000).max(1), dated: true, zoned: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, text: &str) -> Option<i64> {
        let times = schema::Time {
            format: Some(format.into()),
            tz: Some("+01:00".into()),
            pointer: None,
            start: None,
            took: None,
        };
        let times = Times::new(&times).expect("a format");
        Reader::default().read(text, &times, &Zoning::default())
    }

    #[test]
    fn spans_are_milliseconds_or_have_units() {
        let spans = ["44", "1.02", "35.1µs", "1.2ms", "1m2.5s", "258.1ms"].map(span_us);
        assert_eq!(spans, [44_000, 1_020, 35, 1_200, 62_500_000, 258_100].map(Some));
        assert_eq!(["", "s", "1x", "-"].map(span_us), [None; 4]);
    }

    #[test]
    fn formats_of_ones_own_and_units() {
        let want = parse("2026-11-21T06:44:16.663Z").map(|time| time.us);
        assert_eq!(read("%Y-%m-%d %H:%M:%S%.3f", "2026-11-21 07:44:16.663"), want);
        assert_eq!(read("auto", "2026-11-21 07:44:16.663"), want);
        assert_eq!(read("epoch_ms", "1795243456663"), want);
        assert_eq!(read("epoch_s", "1795243456.663"), want);
        assert_eq!(read("%H:%M:%S", "01:00:01"), Some(1_000_000));
        assert_eq!(read("%b %d %H:%M:%S%.3f", "Jan 02 01:00:00.500"), Some(DAY_US + 500_000));
        assert_eq!(read("%H:%M:%S", "soon"), None);
        assert_eq!(read("epoch_s", "x"), None);
        let bad = schema::Time { format: Some("%Q%".into()), tz: None, pointer: None, start: None, took: None };
        assert!(Times::new(&bad).is_err());
    }
}
