//! Dates as people's locales and log handlers write them, brought into one notation.
//!
//! `Sat May 21 11:50:27 2022`, `Sun 28 Feb 2021 09:16:57 PM UTC`, `月  9/23 22:04:05 2019`, `25-09-01 10:27:05.865`. A month is
//! known by the names of the larger European languages and by number; where year or month stay unknown, the time of day
//! is all that is taken.

use super::time::{Clock, Zoning, parse};

/// Beginnings of names of months, in lower case: January first.
const MONTHS: [&[&str]; 12] = [
    &["jan", "gen", "ene", "янв", "sty", "oca", "led", "led"],
    &["feb", "fév", "fev", "фев", "lut", "şub", "úno"],
    &["mar", "mär", "mrz", "maa", "мар", "bře"],
    &["apr", "avr", "abr", "апр", "kwi", "nis", "dub"],
    &["may", "mai", "mag", "mei", "maj", "мая", "май", "kvě"],
    &["jun", "juin", "giu", "июн", "cze", "haz", "čer"],
    &["jul", "juil", "lug", "июл", "lip", "tem"],
    &["aug", "aoû", "ago", "авг", "sie", "ağu", "srp"],
    &["sep", "set", "сен", "wrz", "eyl", "zář"],
    &["oct", "okt", "ott", "out", "окт", "paź", "eki", "říj"],
    &["nov", "ноя", "lis", "kas"],
    &["dec", "dez", "déc", "dic", "дек", "gru", "ara", "pro"],
];

/// Reads dates one after the other, most of them in the same second as the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dates {
    /// What stood before the fraction of the last one, and after it.
    head: String,
    tail: String,
    us: Option<i64>,
    clock: Clock,
}

/// A date without its fraction: what stands before it, its microseconds, and what stands after it.
fn apart(text: &str) -> (&str, i64, &str) {
    let second = text.rfind(':').map_or(0, |at| at + 1);
    let Some(dot) = text[second..].find(['.', ',']).filter(|length| *length <= 2) else { return (text, 0, "") };
    let (head, rest) = text.split_at(second + dot);
    let digits = rest[1..].bytes().take_while(u8::is_ascii_digit);
    let (mut us, mut unit) = (0, 100_000);
    for digit in digits {
        us += i64::from(digit - b'0') * unit;
        unit /= 10;
    }
    (head, us, rest[1..].trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')))
}

impl Dates {
    /// A date, in microseconds since the epoch.
    pub(crate) fn read(&mut self, text: &str, zoning: &Zoning) -> Option<i64> {
        let (head, fraction, tail) = apart(text);
        if self.head != head || self.tail != tail || self.us.is_none() {
            let read = plain(text).and_then(|date| self.clock.read_in(&date, zoning));
            self.us = read.map(|us| us - fraction);
            (self.head, self.tail) = (head.to_string(), tail.to_string());
        }
        self.us.map(|us| us + fraction)
    }
}

/// Microseconds that one unit of a date's last digit takes.
pub(crate) fn resolution_us(text: &str) -> Option<i64> {
    parse(&plain(text)?).map(|time| time.resolution_us)
}

/// What a text says of a date.
#[derive(Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    clock: Option<String>,
    half: Option<bool>,
    zone: String,
    /// True if the month was given by a word, which a later word may correct.
    worded: bool,
}

/// A date as `2022-05-21 11:50:27.000 +0200`, or a time of day where there is no more.
pub(crate) fn plain(text: &str) -> Option<String> {
    let mut parts = Parts::default();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')')) {
        let word = word.trim_matches([',', ';']);
        // A date and a time in one word.
        match word.split_once('T').filter(|(date, time)| date.len() >= 8 && time.contains(':')) {
            Some((date, time)) => {
                parts.word(date);
                parts.word(time);
            }
            None => parts.word(word),
        }
    }
    parts.written()
}

impl Parts {
    fn word(&mut self, word: &str) {
        if word.is_empty() {
        } else if word.bytes().filter(|byte| *byte == b':').count() >= 1 && word.as_bytes()[0].is_ascii_digit() {
            self.clock(word);
        } else if word.contains(['時', '시', '时']) {
            self.spoken(word);
        } else if word.chars().filter(char::is_ascii_digit).count() > 0 {
            self.numbers(word);
        } else {
            self.name(word);
        }
    }

    /// `9:16:57`, `10:27:05,743.743`, `06:44:16+00:00`.
    fn clock(&mut self, word: &str) {
        if self.clock.is_some() {
            return;
        }
        let end = word.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | ',')).unwrap_or(word.len());
        let (clock, zone) = word.split_at(end);
        let clock = clock.trim_end_matches([':', '.', ',']);
        let (whole, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
        let fields: Vec<&str> = whole.split(':').collect();
        if fields.len() < 2 || fields.len() > 3 || fields.iter().any(|field| field.is_empty() || field.len() > 2) {
            return;
        }
        let second = fields.get(2).copied().unwrap_or("00");
        let fraction: String = fraction.chars().take_while(char::is_ascii_digit).collect();
        let dot = if fraction.is_empty() { "" } else { "." };
        self.clock = Some(format!("{:0>2}:{:0>2}:{second:0>2}{dot}{fraction}", fields[0], fields[1]));
        match zone.to_lowercase().as_str() {
            "am" => self.half = Some(false),
            "pm" => self.half = Some(true),
            zone if zone == "z" || zone.starts_with(['+', '-']) => self.zone = zone.to_uppercase(),
            _ => {}
        }
    }

    /// `22時04分05秒`.
    fn spoken(&mut self, word: &str) {
        let fields: Vec<&str> = word.split(|c: char| !c.is_ascii_digit()).filter(|field| !field.is_empty()).collect();
        self.clock(&fields.join(":"));
    }

    /// `2019`, `21`, `9/23`, `25-09-01`, `2019年`, `21.`, `+0200`.
    fn numbers(&mut self, word: &str) {
        if word.starts_with(['+', '-']) && matches!(word.len(), 5 | 6) {
            self.zone = word.to_string();
            return;
        }
        let fields: Vec<&str> = word.split(|c: char| !c.is_ascii_digit()).filter(|field| !field.is_empty()).collect();
        let numbers: Vec<i64> =
            fields.iter().filter_map(|field| field.parse().ok().filter(|number| *number < 10_000)).collect();
        match numbers[..] {
            [year, month, day] if fields[0].len() == 4 => self.date(year, month, day),
            // A date of two digits has its year first where it is written with hyphens.
            [year, month, day] if word.contains('-') && month <= 12 => self.date(year, month, day),
            [day, month, year] if word.contains('.') || day > 12 => self.date(year, month, day),
            [month, day, year] => self.date(year, month, day),
            [month, day] if self.day.is_none() => (self.month, self.day) = (Some(month), Some(day)),
            [year] if fields[0].len() == 4 => self.year = self.year.or(Some(year)),
            [month] if word.contains(['月', '월']) => self.month = Some(month),
            [day] if self.day.is_none() => self.day = Some(day),
            _ => {}
        }
    }

    fn date(&mut self, year: i64, month: i64, day: i64) {
        let year = if year < 100 { year + 2000 } else { year };
        (self.year, self.month, self.day) = (Some(year), Some(month), Some(day));
    }

    fn name(&mut self, word: &str) {
        let name = word.to_lowercase();
        match name.trim_matches('.') {
            "am" | "a.m" => self.half = Some(false),
            "pm" | "p.m" => self.half = Some(true),
            "utc" | "gmt" | "z" => self.zone = "Z".into(),
            name => {
                let found = MONTHS.iter().position(|names| names.iter().any(|known| name.starts_with(known)));
                // The day of the week stands first and may look like a month (`mar` is Tuesday in Italian).
                let later = self.month.is_none() || self.worded;
                if let Some(month) = found.filter(|_| later) {
                    self.month = Some(month as i64 + 1);
                    self.worded = true;
                }
            }
        }
    }

    fn written(self) -> Option<String> {
        let mut clock = self.clock?;
        let hour: i64 = clock.get(..2)?.parse().ok()?;
        let hour = match self.half {
            Some(false) if hour == 12 => 0,
            Some(true) if hour < 12 => hour + 12,
            _ => hour,
        };
        clock.replace_range(..2, &format!("{hour:02}"));
        let date = match (self.year, self.month, self.day) {
            (Some(year), Some(month @ 1..=12), Some(day @ 1..=31)) => format!("{year:04}-{month:02}-{day:02} "),
            _ => return parse(&clock).map(|_| clock),
        };
        let written = format!("{date}{clock}{}", self.zone);
        parse(&written).map(|_| written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_of_many_places() {
        for (text, want) in [
            ("Sat May 21 11:50:27 2022", "2022-05-21 11:50:27"),
            ("Sun 28 Feb 2021 09:16:57 PM UTC", "2021-02-28 21:16:57Z"),
            ("月  9/23 22:04:05 2019", "2019-09-23 22:04:05"),
            ("2019年09月23日 22時04分05秒", "2019-09-23 22:04:05"),
            ("Di 23 Mär 2021 07:04:05 CET", "2021-03-23 07:04:05"),
            ("mar 23 nov 2021, 07:04:05", "2021-11-23 07:04:05"),
            ("9/23/2019 10:04:05 PM", "2019-09-23 22:04:05"),
            ("23.09.2019 22:04:05", "2019-09-23 22:04:05"),
            ("25-09-01 10:27:05.865", "2025-09-01 10:27:05.865"),
            ("2026-11-21 06:50:17,743.743", "2026-11-21 06:50:17.743"),
            ("2026-11-21T06:44:16.663+02:00", "2026-11-21 06:44:16.663+02:00"),
            ("[09/01/25 10:27:05]", "2025-09-01 10:27:05"),
            ("xyz 7:04:05", "07:04:05"),
        ] {
            assert_eq!(plain(text).as_deref(), Some(want), "{text}");
        }
        for text in ["", "INFO:", "12", "12:", "a:b:c", "99:99:99"] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn dates_in_one_second_are_read_as_each_alone() {
        let mut dates = Dates::default();
        for text in [
            "09/01/25 10:27:05",
            "09/01/25 10:27:05.5",
            "09/01/25 10:27:05,25 PM",
            "09/01/25 10:27:05,750.750 PM",
            "x",
            "10:27:05.1",
        ] {
            let alone = Dates::default().read(text, &Zoning::default());
            assert_eq!(dates.read(text, &Zoning::default()), alone, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}", digits in "[0-9.:,/ +TZ月-]{0,40}") {
            let _ = (plain(&text), plain(&digits), resolution_us(&text));
        }
    }
}
