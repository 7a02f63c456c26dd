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

/// A duration for a sentence: `3 ms`, `4.20 s`, `3m 46s`.
pub fn duration(us: i64) -> String {
    let sign = if us < 0 { "-" } else { "" };
    let us = us.unsigned_abs();
    match us {
        0..1_000 => format!("{sign}{us} us"),
        1_000..10_000 => format!("{sign}{:.1} ms", us as f64 / 1e3),
        10_000..1_000_000 => format!("{sign}{} ms", us / 1_000),
        1_000_000..10_000_000 => format!("{sign}{:.2} s", us as f64 / 1e6),
        10_000_000..60_000_000 => format!("{sign}{:.1} s", us as f64 / 1e6),
        60_000_000..3_600_000_000 => format!("{sign}{}m {:02}s", us / 60_000_000, us / 1_000_000 % 60),
        _ => format!("{sign}{}h {:02}m", us / 3_600_000_000, us / 60_000_000 % 60),
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
}
