//! Times as programs and people write them that are none of RFC 3339: `Sep 3, 2026 @ 08:15:00.118`,
//! `03/Sep/2026:08:15:00 +0000`, `9/3/2026, 8:15:00 AM`, `Thu Sep  3 08:15:00 UTC 2026`, `Sep  3 08:15:00`, `I0903 08:15:00.118`,
//! `20260903T081500.118Z`, `@4000000068b7f3a4075bca00`, `/Date(1788423300118)/`.
//!
//! What no such text has is no time: these are looked for among all that stands beside messages. A date without its year is one of
//! 1970, and of one whose order nothing tells (`02/03/04`) the time of day is all that is taken.

use chrono::DateTime;

use super::{DAY_US, Time, date_time, days, epoch, parse, time_of_day, zone};

/// The longest text that is taken for a time, in bytes.
const LONGEST: usize = 80;

/// A time in any of these shapes.
#[cold]
pub(super) fn spoken(text: &str) -> Option<Time> {
    let text = text.trim();
    if text.len() > LONGEST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    unenclosed(text)
        .and_then(parse)
        .or_else(|| of_net(text))
        .or_else(|| tai(text))
        .or_else(|| rfc2822(text))
        .or_else(|| compact(text))
        .or_else(|| by_words(text))
}

/// What stands in a pair of brackets or quotes.
fn unenclosed(text: &str) -> Option<&str> {
    let pairs = [('[', ']'), ('(', ')'), ('<', '>'), ('"', '"'), ('\'', '\'')];
    pairs.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close))
}

/// `/Date(1788423300118)/`, `\/Date(1788423300118+0200)\/`: milliseconds since the epoch, whatever zone stands behind them.
fn of_net(text: &str) -> Option<Time> {
    let count = text.trim_matches(['\\', '/']).strip_prefix("Date(")?.strip_suffix(')')?;
    epoch(&count[..count.find(['+', '-']).unwrap_or(count.len())])
}

/// `@40000000...`: the labels of TAI64 and TAI64N, by clocks that count no leap seconds.
fn tai(text: &str) -> Option<Time> {
    const EPOCH: u64 = 0x4000_0000_0000_000a;
    let digits = text.strip_prefix('@').filter(|digits| digits.is_ascii() && matches!(digits.len(), 16 | 24))?;
    let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let seconds = i64::try_from(number(&digits[..16])?.checked_sub(EPOCH)?).ok()?;
    let nanos = digits.get(16..).filter(|digits| !digits.is_empty()).map(number);
    let us = nanos.map_or(Some(0), |nanos| Some((nanos? / 1_000) as i64))?;
    let resolution_us = if nanos.is_some() { 1 } else { 1_000_000 };
    Some(Time { us: seconds.checked_mul(1_000_000)?.checked_add(us)?, resolution_us, dated: true, zoned: true })
}

fn rfc2822(text: &str) -> Option<Time> {
    let time = DateTime::parse_from_rfc2822(text).ok()?;
    Some(Time { us: time.timestamp_micros(), resolution_us: 1_000_000, dated: true, zoned: true })
}

/// Fourteen digits of a date and a time with little between them: `20260903T081500.118Z`, `20260903-08:15:00`,
/// `2026-09-03T08-15-00`, `20260903081500118`.
pub(super) fn compact(text: &str) -> Option<Time> {
    let bytes = text.as_bytes();
    let is_between = |byte: &u8| b"-_Tt :".contains(byte);
    let (mut digits, mut end) = (String::with_capacity(14), 0);
    while digits.len() < 14 {
        match bytes.get(end)? {
            digit if digit.is_ascii_digit() => digits.push(char::from(*digit)),
            other if is_between(other) && end > 0 => {}
            _ => return None,
        }
        end += 1;
    }
    let (date, clock, rest) = (&digits[..8], &digits[8..], &text[end..]);
    let dot = if rest.starts_with(|c: char| c.is_ascii_digit()) { "." } else { "" };
    let rest = rest.trim_start();
    date_time(
        format!(
            "{}-{}-{}T{}:{}:{}{dot}{rest}",
            &date[..4],
            &date[4..6],
            &date[6..],
            &clock[..2],
            &clock[2..4],
            &clock[4..]
        )
        .as_bytes(),
    )
    .filter(|_| date.starts_with("20") || date.starts_with("19"))
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A date before a time of day, or before and behind it.
fn by_words(text: &str) -> Option<Time> {
    let (date, clock) = text.split_at_checked(clock_at(text)?)?;
    let (length, suffix) = clock_and_zone(clock)?;
    let american = clock[..length].ends_with(['m', 'M']);
    let (year, zone) = behind(suffix)?;
    let date = format!("{} {year}", date.strip_suffix('T').unwrap_or(date));
    let (of_day, resolution_us) = of_clock(&clock[..length])?;
    let us = of_day - zone.unwrap_or(0);
    let time = |us: i64, dated: bool| Time { us, resolution_us, dated, zoned: zone.is_some() };
    match of_words(&date, american) {
        // Minutes without a year may count anything.
        day if resolution_us > 1_000_000 && day.is_none_or(|day| day < 365) => None,
        Some(day) => Some(time(day * DAY_US + us, true)),
        None => names_no_day(&date).then(|| time(us.rem_euclid(DAY_US), false)),
    }
}

/// Where a time of day begins. A colon may stand between it and its date, too: `03/Sep/2026:08:15:00`.
fn clock_at(text: &str) -> Option<usize> {
    let colon = text.find(':')?;
    let is_year = colon >= 4 && text.as_bytes()[colon - 4..colon].iter().all(u8::is_ascii_digit);
    let colon = if is_year { colon + 1 + text[colon + 1..].find(':')? } else { colon };
    let digits = text[..colon].bytes().rev().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits).then_some(colon - digits)
}

/// The length of a time of day with its fraction and AM or PM, and what follows.
fn clock_and_zone(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | ',')).unwrap_or(text.len());
    let half =
        text.get(end..end + 3).filter(|half| [" am", " pm"].iter().any(|known| half.eq_ignore_ascii_case(known)));
    let end = end + half.map_or(0, str::len);
    Some((end, text.get(end..)?))
}

/// A time of day and how fine it is: with a fraction behind a third colon, or of minutes, too.
fn of_clock(clock: &str) -> Option<(i64, i64)> {
    let read = |clock: &str| time_of_day(clock.as_bytes()).map(|time| (time.us, time.resolution_us));
    let clock = clock.trim_end_matches([',', '.']);
    match clock.bytes().filter(|byte| *byte == b':').count() {
        1 if clock.len() <= 5 => read(&format!("{clock}:00")).map(|(us, _)| (us, 60_000_000)),
        3 => clock.rsplit_once(':').and_then(|(clock, fraction)| read(&format!("{clock}.{fraction}"))),
        _ => read(clock),
    }
}

/// What stands behind a time of day: the year, or nothing, and the offset from UTC in microseconds, where they tell one. Nothing where
/// that is something else.
fn behind(suffix: &str) -> Option<(&str, Option<i64>)> {
    let (mut year, mut offset) = ("", None);
    let end = suffix.find(['[', '(']).unwrap_or(suffix.len());
    for word in suffix[..end].trim_end_matches(']').split_ascii_whitespace() {
        if word.starts_with("m=") {
            break;
        }
        let signed = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let name = &word[..word.len() - signed.len()];
        match signed {
            "" => offset = offset.or(zone_of(name)?),
            _ if signed.starts_with(['+', '-']) => offset = zone(signed.as_bytes())?,
            _ if name.is_empty() && is_year(signed) && year.is_empty() => year = signed,
            _ => return None,
        }
    }
    Some((year, offset))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The offset of a zone by its name; no offset where several have the name.
fn zone_of(name: &str) -> Option<Option<i64>> {
    let hours = match name {
        "Z" | "UTC" | "GMT" | "UT" | "WET" => 0,
        "CET" | "WEST" => 1,
        "CEST" | "EET" => 2,
        "EEST" | "MSK" => 3,
        "JST" | "KST" => 9,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        "CST" | "IST" | "BST" | "AST" | "SST" => return Some(None),
        _ => return None,
    };
    Some(Some(hours * 3_600_000_000))
}

/// The day that words name, from the epoch.
pub(super) fn of_words(date: &str, american: bool) -> Option<i64> {
    let words: Vec<&str> = date.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let named = words.iter().find_map(|word| month_of(word));
    let numbers: Vec<i64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let others = words.len() - numbers.len() - usize::from(named.is_some());
    let (year, month, day) = match (named, &numbers[..]) {
        (Some(month), [a, b]) if *a > 31 => (*a, month, *b),
        (Some(month), [a, b]) => (of_century(*b), month, *a),
        // A day without its year, as syslog writes it; nobody knows the years that have this one.
        (Some(month), [day]) if words.len() <= 3 && (month, *day) != (2, 29) => (1970, month, *day),
        (None, [a, b, year]) if others == 0 && *year > 31 => match day_is_first(date, *a, *b, american)? {
            true => (*year, *b, *a),
            false => (*year, *a, *b),
        },
        (None, [year, month, day]) if others == 0 && *year > 31 => (*year, *month, *day),
        (None, [number]) if words.len() == 1 && words[0].len() == 8 => apart(*number),
        (None, []) => of_glog(&words)?,
        _ => return None,
    };
    let is_day = (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_day.then(|| days(year, month, day))
}

/// A year of two digits.
fn of_century(year: i64) -> i64 {
    match year {
        0..70 => 2000 + year,
        70..100 => 1900 + year,
        _ => year,
    }
}

/// Of a date in numbers whose order nothing tells the month stands first where the clock says AM or PM, as in America. Hyphens are
/// written in both orders.
fn day_is_first(date: &str, first: i64, second: i64, american: bool) -> Option<bool> {
    match (second <= 12, date.contains('/')) {
        (false, _) => Some(false),
        (true, true) => Some(!american),
        (true, false) => (first > 12 || date.contains('.')).then_some(true),
    }
}

/// The month that a word names, from 1.
fn month_of(word: &str) -> Option<i64> {
    let head = word.get(..3)?;
    let at = MONTHS.iter().position(|month| head.eq_ignore_ascii_case(month))?;
    Some(at as i64 + 1)
}

/// Year, month and day of the number that their digits make.
fn apart(number: i64) -> (i64, i64, i64) {
    (number / 10_000, number / 100 % 100, number % 100)
}

/// `I0903`, `W20260903`: how grave a line is and its date, as glog writes them.
fn of_glog(words: &[&str]) -> Option<(i64, i64, i64)> {
    let [word] = words else { return None };
    let digits = word.strip_prefix(['I', 'W', 'E', 'F', 'D'])?;
    let date = apart(digits.parse().ok()?);
    match digits.len() {
        4 if date != (0, 2, 29) => Some((1970, date.1, date.2)),
        8 => Some(date),
        _ => None,
    }
}

/// True for no date, or one in short numbers whose order nothing tells.
fn names_no_day(date: &str) -> bool {
    let mut words = date.split(['/', '-', '.', ' ', ',', '[']).filter(|word| !word.is_empty());
    let is_short = |word: &str| word.len() == 2 && word.parse::<u8>().is_ok_and(|number| number > 0);
    match words.clone().count() {
        0 => true,
        3 => words.all(is_short),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time in microseconds and whether it has a date.
    fn read(text: &str) -> Option<(i64, bool)> {
        parse(text).map(|time| (time.us, time.dated))
    }

    #[test]
    fn one_instant_in_many_words() {
        let want = parse("2026-11-29T10:00:05.123Z").map(|time| time.us);
        for text in [
            "2026-11-29 10:00:05.123 GMT",
            "2026-11-29 10:00:05.123 +0000 UTC",
            "2026-11-29 10:00:05.123 +0000 UTC m=+0.001",
            "2026-11-29T11:00:05.123+01:00[Europe/Berlin]",
            "2026-11-29 11:00:05.123 CET",
            "2026-11-29 10:00:05:123",
            "2026/11/29-10:00:05.123",
            "2026.11.29 10:00:05.123",
            "[2026-11-29 10:00:05,123]",
            "2026-11-29 [10:00:05.123",
            "2026-11-29T10-00-05.123Z",
            "20261129T100005.123Z",
            "20261129-10:00:05.123",
            "20261129100005.123",
            "20261129100005123",
            "29.11.2026 10:00:05,123",
            "29-11-2026 10:00:05.123",
            "29-Nov-2026 10:00:05.123",
            "11/29/2026 10:00:05.123 AM",
            "Nov 29, 2026 @ 10:00:05.123",
            "Sun Nov 29 10:00:05.123 2026",
            "Sun Nov 29 10:00:05.123 UTC 2026",
            "2026 Nov 29 10:00:05.123",
            "I20261129 10:00:05.123",
            "@400000006b0bf7af0754d4c0",
            "/Date(1795946405123)/",
            "\\/Date(1795946405123+0100)\\/",
            "134404200051230000",
            "639315432051230000",
        ] {
            assert_eq!(parse(text).map(|time| time.us), want, "{text}");
        }
    }

    #[test]
    fn whole_seconds_and_minutes() {
        let want = parse("2026-11-29T10:00:05Z");
        for text in [
            "Sun, 29 Nov 2026 10:00:05 GMT",
            "Sunday, 29-Nov-26 10:00:05 GMT",
            "Sun Nov 29 10:00:05 +0000 2026",
            "Sun Nov 29 2026 10:00:05 GMT+0000 (Coordinated Universal Time)",
            "[29/Nov/2026:03:00:05 -0700]",
        ] {
            assert_eq!(parse(text), want, "{text}");
        }
        let minute = parse("2026-11-29T10:01Z").map(|time| (time.us, time.resolution_us));
        assert_eq!(minute, Some((1_795_946_460_000_000, 60_000_000)));
    }

    #[test]
    fn what_leaves_out_its_year_or_its_order() {
        let nov_29 = 332 * DAY_US + 36_005_000_000;
        assert_eq!(read("Nov 29 10:00:05"), Some((nov_29, true)));
        assert_eq!(read("I1129 10:00:05.000000"), Some((nov_29, true)));
        assert_eq!(read("Feb 29 10:00:05"), None);
        assert_eq!(read("26/11/29 10:00:05"), Some((36_005_000_000, false)));
        assert_eq!(read("[10:00:05.123]"), Some((36_005_123_000, false)));
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "2025-11-25",
            "10:00",
            "at 10:00:05",
            "step 3 10:00:05",
            "127.0.0.1:8080",
            "20261129-100005-7f",
            "20269929100005",
            "@400",
            "@40000000000000\u{e9}\u{e9}1234567",
            "@400000000000000\u{e9}1234567",
            "/Date(7)/",
            "Nov 29 10:00",
            "2026-11-29 10:00:05 INFO",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_without_its_year_goes_on_into_the_next() {
        let mut clock = super::super::Clock::default();
        let days = ["Dec 31 23:59:59", "Jan  1 00:00:01", "Dec 31 23:59:59.5", "Jan  2 00:00:00"];
        let days = days.map(|text| clock.read(text).expect("a time") / DAY_US);
        assert_eq!(days, [364, 365, 364, 366]);
    }
}
