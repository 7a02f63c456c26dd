//! Request ids: their JSON type and their exact value, never a float.
//!
//! `1`, `1.0` and `10e-1` are one id; `"1"` is another; `0` and `""` are ids like any other.

use std::fmt;

use crate::json::lenient_string;

/// An id by value. Two ids are equal when their JSON type and their exact value are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    /// An integer that fits 64 bits, however it was spelled.
    Int(i64),
    /// Any other number, as canonical decimal text: plain where that is short (`1.5`), else digits, then `e` and a power of ten.
    Number(Box<str>),
    /// A string, unescaped.
    Text(Box<str>),
}

impl Id {
    /// Reads an id from raw JSON text. `None` for anything that is neither number nor string.
    pub fn from_json(raw: &str) -> Option<Id> {
        match raw.as_bytes().first()? {
            b'"' => Some(Id::Text(lenient_string(raw).into_owned().into_boxed_str())),
            b'-' | b'0'..=b'9' => Some(canonical_number(raw)),
            _ => None,
        }
    }

    /// A hash of it, its type included, which is the same in every run.
    pub fn hashed(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        std::hash::Hash::hash(self, &mut hasher);
        std::hash::Hasher::finish(&hasher)
    }

    /// The id as JSON text in its canonical spelling.
    pub fn to_json(&self) -> String {
        match self {
            Id::Int(n) => n.to_string(),
            Id::Number(n) => n.to_string(),
            Id::Text(s) => serde_json::Value::from(&**s).to_string(),
        }
    }

    /// True for a number with a fraction that is not zero.
    pub fn is_fractional(&self) -> bool {
        matches!(self, Id::Number(n) if n.contains("e-") || n.contains('.'))
    }

    /// The id of the other JSON type that prints alike: `1` for `"1"` and `"1"` for `1`.
    pub fn twin(&self) -> Option<Id> {
        match self {
            Id::Int(n) => Some(Id::Text(n.to_string().into_boxed_str())),
            Id::Number(_) => None,
            Id::Text(s) => match s.parse::<i64>() {
                Ok(n) if n.to_string() == **s => Some(Id::Int(n)),
                _ => None,
            },
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

/// The `id` member as it stands in a message.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum IdField {
    /// No such member.
    #[default]
    Absent,
    /// `null`, which is never a key for pairing.
    Null,
    /// A string or a number.
    Value(Id),
    /// A boolean, an object or an array.
    Bad,
}

impl IdField {
    /// Reads the member from its raw JSON text.
    pub fn from_json(raw: &str) -> IdField {
        match Id::from_json(raw) {
            Some(id) => IdField::Value(id),
            None if raw == "null" => IdField::Null,
            None => IdField::Bad,
        }
    }

    /// The id, where there is one that can be a key.
    pub fn value(&self) -> Option<&Id> {
        match self {
            IdField::Value(id) => Some(id),
            _ => None,
        }
    }
}

/// So many places behind the point are written out, as people do.
const PLAIN: i64 = 18;

/// Brings a JSON number to one spelling per value without going through a float.
fn canonical_number(raw: &str) -> Id {
    if raw != "-0"
        && let Ok(n) = raw.parse::<i64>()
    {
        return Id::Int(n);
    }
    let (negative, rest) = match raw.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, raw),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], rest[at + 1..].parse::<i64>()),
        None => (rest, Ok(0)),
    };
    // An exponent beyond 64 bits names a number nobody counts with: its own spelling is its key.
    let Ok(mut exponent) = exponent else {
        return Id::Number(raw.to_ascii_lowercase().into_boxed_str());
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = String::with_capacity(whole.len() + fraction.len());
    digits.push_str(whole);
    digits.push_str(fraction);
    exponent = exponent.saturating_sub(fraction.len() as i64);
    let kept = digits.trim_end_matches('0').len();
    exponent = exponent.saturating_add((digits.len() - kept) as i64);
    digits.truncate(kept);
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Id::Int(0);
    }
    let sign = if negative { "-" } else { "" };
    if (0..=18).contains(&exponent) {
        let plain = format!("{sign}{digits}{}", "0".repeat(exponent as usize));
        return match plain.parse::<i64>() {
            Ok(n) => Id::Int(n),
            Err(_) => Id::Number(plain.into_boxed_str()),
        };
    }
    let text = match exponent {
        0 => format!("{sign}{digits}"),
        _ if (-PLAIN..0).contains(&exponent) => {
            format!("{sign}{}", with_point(digits, exponent.unsigned_abs() as usize))
        }
        _ => format!("{sign}{digits}e{exponent}"),
    };
    Id::Number(text.into_boxed_str())
}

/// Digits with so many places behind the point.
fn with_point(digits: &str, places: usize) -> String {
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(raw: &str) -> Id {
        Id::from_json(raw).expect("an id")
    }

    #[test]
    fn spelling_does_not_matter_but_type_and_value_do() {
        for one in ["1", "1.0", "1e0", "10e-1", "0.1e1", "1E+0"] {
            assert_eq!(id(one), Id::Int(1), "{one}");
        }
        assert_ne!(id("1"), id("\"1\""));
        assert_eq!(id("\"a\""), id(r#""\u0061""#));
        assert_eq!(id("0"), id("-0"));
        assert_ne!(id("9007199254740993"), id("9007199254740992"));
        assert_ne!(id("18446744073709551617"), id("18446744073709551616"));
        assert_eq!(id("18446744073709551617"), id("18446744073709551617.0"));
        assert!(id("1.5").is_fractional() && id("1e-30").is_fractional() && !id("1e30").is_fractional());
        let spelled = ["1.5", "-15e-1", "0.050", "5e-19"].map(|raw| id(raw).to_json());
        assert_eq!(spelled, ["1.5", "-1.5", "0.05", "5e-19"]);
        assert_eq!(id("1.5"), id("15E-1"));
        assert_eq!(id("1e99999999999999999999"), id("1E99999999999999999999"));
    }

    #[test]
    fn what_is_no_id_is_said() {
        assert_eq!(IdField::from_json("null"), IdField::Null);
        assert_eq!(IdField::from_json("true"), IdField::Bad);
        assert_eq!(IdField::from_json("[1]"), IdField::Bad);
        assert_eq!(IdField::from_json("\"\"").value(), Some(&Id::Text("".into())));
    }

    #[test]
    fn twins_print_alike() {
        assert_eq!(id("5").twin(), Some(id("\"5\"")));
        assert_eq!(id("\"5\"").twin(), Some(id("5")));
        assert_eq!(id("\"05\"").twin(), None);
    }
}
