//! Numbers for people: counts with commas, sizes, plurals, durations. Machines get plain digits.

/// `1,284`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 request`, `61 requests`.
pub fn plural(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", count(n)) }
}

/// `812 B`, `18.2 kB`, `3.4 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..999_950 => format!("{:.1} kB", bytes as f64 / 1e3),
        999_950..999_950_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A duration for a sentence: `3.0 ms`, `4.20 s`, `3m 46s`. Its last digit is rounded, half a unit up.
pub fn duration(us: i64) -> String {
    let sign = if us < 0 { "-" } else { "" };
    let us = us.unsigned_abs();
    let rounded = |unit: u64| us.saturating_add(unit / 2) / unit;
    match us {
        0..1_000 => format!("{sign}{us} us"),
        1_000..9_950 => format!("{sign}{}.{} ms", rounded(100) / 10, rounded(100) % 10),
        9_950..999_500 => format!("{sign}{} ms", rounded(1_000)),
        999_500..9_995_000 => format!("{sign}{}.{:02} s", rounded(10_000) / 100, rounded(10_000) % 100),
        9_995_000..59_950_000 => format!("{sign}{}.{} s", rounded(100_000) / 10, rounded(100_000) % 10),
        59_950_000..3_599_500_000 => format!("{sign}{}m {:02}s", rounded(1_000_000) / 60, rounded(1_000_000) % 60),
        _ => format!("{sign}{}h {:02}m", rounded(60_000_000) / 60, rounded(60_000_000) % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_write_them() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 999, 18_249, 999_999, 2_000_000_000].map(size), ["0 B", "999 B", "18.2 kB", "1.0 MB", "2.0 GB"]);
        assert_eq!([plural(1, "note"), plural(0, "note"), plural(2000, "note")], ["1 note", "0 notes", "2,000 notes"]);
    }

    #[test]
    fn the_last_digit_is_rounded_half_a_unit_up() {
        let told = [
            (999, "999 us"),
            (9_949, "9.9 ms"),
            (9_950, "10 ms"),
            (19_500, "20 ms"),
            (999_499, "999 ms"),
            (999_500, "1.00 s"),
            (9_994_999, "9.99 s"),
            (9_995_000, "10.0 s"),
            (59_949_999, "59.9 s"),
            (59_950_000, "1m 00s"),
            (226_500_000, "3m 47s"),
            (3_599_500_000, "1h 00m"),
            (7_530_000_000, "2h 06m"),
            (-3_000, "-3.0 ms"),
        ];
        for (us, text) in told {
            assert_eq!(duration(us), text, "{us}");
        }
    }
}
