//! Clocks of any locale: what `toLocaleTimeString()` and its relatives print, on days that the log does not name.

/// Words that languages with 12-hour clocks use for the second half of the day; the dots are left out.
const AFTERNOON: [&str; 11] = ["pm", "μμ", "下午", "晚上", "오후", "午後", "م", "بعدازظهر", "ptg", "petang", "अपराह्न"];

/// And for the first half.
const MORNING: [&str; 9] = ["am", "πμ", "上午", "凌晨", "早上", "오전", "午前", "ص", "पूर्वाह्न"];

/// A time of day in microseconds, and the resolution that it shows.
pub(super) fn time_of_day(text: &str) -> Option<(i64, i64)> {
    let mut fields: Vec<(i64, u32)> = Vec::new();
    let (mut digits, mut words) = (false, String::new());
    for c in text.chars() {
        match digit(c) {
            Some(value) if digits => {
                let (number, length) = fields.last_mut()?;
                *number = number.checked_mul(10)?.checked_add(value)?;
                *length += 1;
            }
            Some(value) => fields.push((value, 1)),
            None if c.is_whitespace() || c.is_ascii_punctuation() => {}
            None => words.extend(c.to_lowercase()),
        }
        digits = digit(c).is_some();
    }
    let (hour, minute, second) = (fields.first()?.0, fields.get(1)?.0, fields.get(2)?.0);
    if hour > 24 || minute > 59 || second > 60 || fields.len() > 4 {
        return None;
    }
    let (fraction, resolution) = match fields.get(3) {
        Some((value, length @ 1..=6)) => (value * 10i64.pow(6 - length), 10i64.pow(6 - length)),
        Some(_) => return None,
        None => (0, 1_000_000),
    };
    let hour = of_24(hour, &words);
    Some((((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction, resolution))
}

fn of_24(hour: i64, words: &str) -> i64 {
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    match hour {
        0..12 if says(&AFTERNOON) => hour + 12,
        12 if says(&MORNING) && !says(&AFTERNOON) => 0,
        _ => hour,
    }
}

/// A decimal digit in the scripts that clocks are printed in.
fn digit(c: char) -> Option<i64> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        '\u{966}'..='\u{96f}' => '\u{966}',
        '\u{9e6}'..='\u{9ef}' => '\u{9e6}',
        _ => return None,
    };
    Some(i64::from(c as u32 - zero as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Option<String> {
        let (us, _) = time_of_day(text)?;
        let seconds = us / 1_000_000;
        Some(format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60))
    }

    #[test]
    fn clocks_of_many_places() {
        for text in [
            "4:21:27 PM",
            "16:21:27",
            "04:21:27 pm",
            "4:21:27\u{202f}PM",
            "16.21.27",
            "下午4:21:27",
            "오후 4:21:27",
            "4:21:27 μ.μ.",
            "٤:٢١:٢٧ م",
            "16 h 21 min 27 s",
            "16:21:27 PM",
            "4:21:27 p.\u{a0}m.",
        ] {
            assert_eq!(shown(text).as_deref(), Some("16:21:27"), "{text}");
        }
        assert_eq!(shown("12:05:00 AM").as_deref(), Some("00:05:00"));
        assert_eq!(shown("12:05:00 PM").as_deref(), Some("12:05:00"));
        assert_eq!(shown("00:05:00 PM").as_deref(), Some("12:05:00"), "the hours of LSP4J run from 0 to 11");
        assert_eq!(time_of_day("19:46:15.449 PM"), Some((71_175_449_000, 1_000)));
        for text in ["", "noon", "12:05", "12:99:00", "1:2:3:4:5"] {
            assert_eq!(time_of_day(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}", digits in "[0-9:. APM]{0,40}") {
            let _ = (time_of_day(&text), time_of_day(&digits));
        }
    }
}
