//! Timestamps of logs to microseconds since the epoch.
//!
//! A time without a zone is taken as UTC and a time of day as 1970-01-01, unless the user says otherwise
//! ([`Zoning`]): the reader's own zone and the file's date never enter, so that the same log gives the same answer
//! everywhere. Times of day that pass midnight go on with the next day.

mod own;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use own::{Stamp, own};
use words::{compact, spoken};

/// A time, and how fine the clock that wrote it shows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time {
    /// Microseconds since the epoch.
    pub us: i64,
    /// Microseconds of one unit of its last digit, at least 1.
    pub resolution_us: i64,
    /// True if the text has a date (or counts from the epoch).
    pub dated: bool,
    /// True if the text tells its zone.
    pub zoned: bool,
}

/// What the user says of times that do not say it themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Zoning {
    /// Microseconds east of UTC, for times without a zone.
    pub offset_us: i64,
    /// Microseconds from the epoch to the day on which a log of times of day begins.
    pub date_us: i64,
}

/// A second in microseconds: a clock of this or more is coarse.
pub(crate) const SECOND: i64 = 1_000_000;

pub(crate) const DAY_US: i64 = 86_400_000_000;

/// Times below are those of a day or a year that nobody named.
pub(crate) const YEAR_US: i64 = 365 * DAY_US;

impl Time {
    /// The instant, with what the user says of the zone and the day.
    pub(crate) fn placed(&self, zoning: &Zoning) -> i64 {
        let date = if self.dated { 0 } else { zoning.date_us };
        let offset = if self.zoned { 0 } else { zoning.offset_us };
        self.us + date - offset
    }
}

/// True for a word that is a time of day, with or without its date, as lines begin with: a count of seconds may be any number.
pub(crate) fn is_time(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(':') && parse(word).is_some()
}

/// Reads a timestamp in any of the shapes that logs have: RFC 3339 and its relatives (`T` or blank, `-` or `/`,
/// dot or comma, zone or none), a number since the epoch, a time of day, and what else programs and people write ([`words`]).
pub(crate) fn parse(text: &str) -> Option<Time> {
    let bytes = text.as_bytes();
    date_time(bytes).or_else(|| epoch(text)).or_else(|| time_of_day(bytes)).or_else(|| spoken(text))
}

/// Reads one timestamp after the other, most of them in the same second as the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    second: [u8; 19],
    us: i64,
    days: Days,
}

impl Clock {
    /// A timestamp, in microseconds since the epoch.
    pub(crate) fn read(&mut self, text: &str) -> Option<i64> {
        self.read_in(text, &Zoning::default())
    }

    /// The same, with what the user says of zone and day.
    pub(crate) fn read_in(&mut self, text: &str, zoning: &Zoning) -> Option<i64> {
        let Some((head, rest)) = text.as_bytes().split_first_chunk::<19>() else {
            return self.other(text, zoning);
        };
        if *head != self.second {
            let Some(us) = second(head) else { return self.other(text, zoning) };
            (self.second, self.us) = (*head, us);
        }
        let (fraction, _, used) = fraction(rest);
        match &rest[used..] {
            b"Z" => Some(self.us + fraction),
            rest => match zone(rest) {
                Some(zone) => Some(self.us + fraction - zone.unwrap_or(zoning.offset_us)),
                None => self.other(text, zoning),
            },
        }
    }

    fn other(&mut self, text: &str, zoning: &Zoning) -> Option<i64> {
        parse(text).map(|time| self.days.place(&time, zoning))
    }
}

/// Counts the midnights in a log of times of day: a step back is one, but for what threads that write late and clocks that are
/// set back or leave summer time explain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Days {
    passed_us: i64,
    last: Option<i64>,
}

/// How late a line from before midnight may be written after one from after it. A longer step ahead is a pause.
const LATE_US: i64 = 600_000_000;

/// The longest step back that is no midnight: an hour of summer time, and something more.
const BACK_US: i64 = 2 * 3_600_000_000;

impl Days {
    /// The instant of a time.
    pub(crate) fn place(&mut self, time: &Time, zoning: &Zoning) -> i64 {
        match time.dated {
            true if time.us < YEAR_US => time.placed(zoning) + self.years(time.us),
            true => time.placed(zoning),
            false => time.placed(zoning) + self.passed(time.us),
        }
    }

    /// The years before a date that names none, which is one of 1970, in microseconds.
    #[cold]
    fn years(&mut self, us: i64) -> i64 {
        let step = us - self.last.replace(us).unwrap_or(us);
        if step < -YEAR_US / 2 {
            self.passed_us += YEAR_US;
        } else if step > YEAR_US / 2 && self.passed_us > 0 {
            self.passed_us -= YEAR_US;
        }
        self.passed_us
    }

    /// The instant of a time of day, in microseconds since the first midnight.
    pub(crate) fn of_day(&mut self, us: i64) -> i64 {
        us + self.passed(us)
    }

    /// The midnights before a time of day, in microseconds. One that is late says nothing of those after it.
    fn passed(&mut self, us: i64) -> i64 {
        let step = us - *self.last.get_or_insert(us);
        if step > DAY_US - LATE_US && self.passed_us > 0 {
            return self.passed_us - DAY_US;
        }
        if step < -BACK_US {
            self.passed_us += DAY_US;
        }
        self.last = Some(us);
        self.passed_us
    }
}

/// A zone as people write it (`utc`, `Z`, `+02:00`, `-0530`), in minutes east of UTC.
pub fn zone_minutes(text: &str) -> Option<i32> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("utc") || text.eq_ignore_ascii_case("gmt") {
        return Some(0);
    }
    let us = zone(text.as_bytes())??;
    i32::try_from(us / 60_000_000).ok().filter(|minutes| minutes.abs() <= 18 * 60)
}

fn two(bytes: &[u8], at: usize) -> Option<i64> {
    let (tens, ones) = (bytes.get(at)?.wrapping_sub(b'0'), bytes.get(at + 1)?.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then_some(i64::from(tens) * 10 + i64::from(ones))
}

fn date_time(bytes: &[u8]) -> Option<Time> {
    let (head, rest) = bytes.split_first_chunk::<19>()?;
    let (fraction, resolution_us, used) = fraction(rest);
    let zone = zone(&rest[used..])?;
    let us = second(head)? + fraction - zone.unwrap_or(0);
    Some(Time { us, resolution_us, dated: true, zoned: zone.is_some() })
}

/// `YYYY-MM-DDTHH:MM:SS`, in microseconds since the epoch.
fn second(head: &[u8; 19]) -> Option<i64> {
    if !matches!((head[4], head[7]), (b'-', b'-') | (b'/', b'/')) || !matches!(head[10], b'T' | b't' | b' ' | b'_') {
        return None;
    }
    let (year, month, day) = (two(head, 0)? * 100 + two(head, 2)?, two(head, 5)?, two(head, 8)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (of_day, _) = clock(&head[11..])?;
    Some(days(year, month, day) * DAY_US + of_day)
}

/// `HH:MM:SS` at the start of `bytes`, in microseconds, and its length.
fn clock(bytes: &[u8]) -> Option<(i64, usize)> {
    let (hour, minute, second) = (two(bytes, 0)?, two(bytes, 3)?, two(bytes, 6)?);
    if bytes[2] != b':' || bytes[5] != b':' || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    Some((((hour * 60 + minute) * 60 + second) * 1_000_000, 8))
}

/// Digits after a dot or a comma: microseconds, resolution, and how many bytes they take.
fn fraction(bytes: &[u8]) -> (i64, i64, usize) {
    if !matches!(bytes.first(), Some(b'.' | b',')) {
        return (0, 1_000_000, 0);
    }
    let (mut us, mut unit, mut at) = (0, 1_000_000, 1);
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        if unit > 1 {
            unit /= 10;
            us += i64::from(digit) * unit;
        }
        at += 1;
    }
    // mcp-proxy prints its milliseconds twice: `,743.743`.
    if bytes[0] == b',' && at == 4 && bytes.get(4) == Some(&b'.') && bytes.get(5..8) == bytes.get(1..4) {
        at = 8;
    }
    (us, unit, at)
}

/// What follows the fraction: the offset from UTC in microseconds, `Some(None)` where there is no zone.
fn zone(bytes: &[u8]) -> Option<Option<i64>> {
    let sign = match bytes {
        [] => return Some(None),
        b"Z" | b"z" | b" UTC" | b" Z" => return Some(Some(0)),
        [b'+', ..] => 1,
        [b'-', ..] => -1,
        [b' ', rest @ ..] if matches!(rest.first(), Some(b'+' | b'-')) => return zone(rest),
        _ => return None,
    };
    let hours = two(bytes, 1)?;
    let minutes = match bytes.len() {
        3 => 0,
        5 => two(bytes, 3)?,
        6 if bytes[3] == b':' => two(bytes, 4)?,
        _ => return None,
    };
    Some(Some(sign * (hours * 60 + minutes) * 60_000_000))
}

/// Days from 1970-01-01 in the civil calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 306 + 5) / 10 + day
        - 719_469
}

/// A number since the epoch, in the unit its magnitude tells: seconds up to the year 5138, then milliseconds,
/// microseconds, nanoseconds. A number too small for a date of ours has no unit that could be told. What would be far from our days
/// and in them as digits of a date, or as Windows counts, is that.
pub(crate) fn epoch(text: &str) -> Option<Time> {
    if text.contains(['e', 'E']) {
        let value: f64 = text.parse().ok()?;
        return (value.is_finite() && value.abs() < 9e18).then(|| epoch(&format!("{value}")))?;
    }
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || !whole.bytes().chain(digits.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let unit_ns: i64 = match whole {
        0..100_000_000 => return None,
        19_700_101_000_000..21_010_101_000_000 | 19_700_101_000_000_000..21_010_101_000_000_000 => {
            return compact(text);
        }
        count if FILE_TIMES.contains(&count) && digits.is_empty() => return Some(ticks(whole - FILE_EPOCH)),
        count if NET_TICKS.contains(&count) && digits.is_empty() => return Some(ticks(whole - NET_EPOCH)),
        100_000_000..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        _ => 1,
    };
    let mut us = if unit_ns >= 1_000 { whole.checked_mul(unit_ns / 1_000)? } else { whole / 1_000 };
    let mut step_ns = unit_ns;
    for digit in digits.bytes() {
        step_ns /= 10;
        us += i64::from(digit - b'0') * (step_ns / 1_000);
    }
    Some(Time { us, resolution_us: (step_ns / 1_000).max(1), dated: true, zoned: true })
}

/// What Windows counts from 1601, in the years 1981 to 2108, and .NET from the year 1, in 2000 to 2092, which no clock of
/// nanoseconds shows any more.
const FILE_TIMES: std::ops::Range<i64> = 120_000_000_000_000_000..160_000_000_000_000_000;
const FILE_EPOCH: i64 = 116_444_736_000_000_000;
const NET_TICKS: std::ops::Range<i64> = 630_822_816_000_000_000..660_000_000_000_000_000;
const NET_EPOCH: i64 = 621_355_968_000_000_000;

/// Tenths of microseconds since the epoch.
fn ticks(count: i64) -> Time {
    Time { us: count / 10, resolution_us: 1, dated: true, zoned: true }
}

/// `HH:MM:SS` or `H:MM:SS` with or without a fraction and `AM` or `PM`.
fn time_of_day(bytes: &[u8]) -> Option<Time> {
    let (of_day, length) = clock(bytes).or_else(|| {
        let head = bytes.get(..7)?;
        let (of_day, _) = clock(&[b'0', head[0], head[1], head[2], head[3], head[4], head[5], head[6]])?;
        Some((of_day, 7))
    })?;
    let rest = &bytes[length..];
    let (fraction, resolution_us, used) = fraction(rest);
    let noon = 12 * 3_600_000_000;
    let suffix = rest[used..].to_ascii_uppercase();
    let of_day = match suffix.as_slice() {
        b"" | b"Z" => of_day,
        b" AM" if of_day >= noon => of_day - noon,
        b" AM" => of_day,
        b" PM" if of_day < noon => of_day + noon,
        b" PM" => of_day,
        _ => return None,
    };
    Some(Time { us: of_day + fraction, resolution_us, dated: false, zoned: suffix == b"Z" })
}
