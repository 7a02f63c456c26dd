//! Values as they stand on the command line and in the configuration: each has one parser.

pub mod compare;

use clap::ValueEnum;
use rpctape::finding::Severity;
use rpctape::replay::options::Speed;

/// `30s`, `500ms`, `2m`, `1.5s`, `1m30s` in microseconds.
pub fn duration(text: &str) -> std::result::Result<i64, String> {
    let fault = || format!("`{text}` is no duration: write 30s, 500ms, 2m or 1m30s");
    let (mut us, mut rest) = (0.0, text.trim());
    loop {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(fault)?;
        let end = rest[unit..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |end| unit + end);
        let scale = match &rest[unit..end] {
            "us" => 1.0,
            "ms" => 1e3,
            "s" | "sec" => 1e6,
            "m" | "min" => 60e6,
            "h" => 3600e6,
            _ => return Err(fault()),
        };
        let number: f64 = rest[..unit].trim().parse().ok().filter(|number| *number >= 0.0).ok_or_else(fault)?;
        us += number * scale;
        rest = rest[end..].trim_start();
        if rest.is_empty() {
            break;
        }
    }
    if us < 1e15 { Ok(us as i64) } else { Err(fault()) }
}

/// The least severity that fails a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A MUST is broken
    #[default]
    Error,
    /// A SHOULD is broken, or worse
    Warning,
    /// Anything at all
    Note,
    /// Nothing fails the check
    None,
}

impl FailOn {
    /// The least severity that fails; `None` where nothing does.
    pub fn severity(self) -> Option<Severity> {
        match self {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Note => Some(Severity::Note),
            FailOn::None => None,
        }
    }
}

/// `recorded`, `fast`, `wall`, `x2`, `x0.5`, `2`.
pub fn speed(text: &str) -> Result<Speed, String> {
    let fault = || format!("`{text}` is no speed: write recorded, fast, wall, or a factor such as x2 or x0.5");
    match text {
        "recorded" => Ok(Speed::Recorded),
        "fast" => Ok(Speed::Fast),
        "wall" => Ok(Speed::Wall),
        _ => {
            let factor = text.strip_prefix('x').or_else(|| text.strip_suffix('x')).unwrap_or(text);
            let factor: f64 = factor.parse().map_err(|_| fault())?;
            if factor.is_finite() && factor > 0.0 { Ok(Speed::Times(factor)) } else { Err(fault()) }
        }
    }
}

/// A duration, or `0` for no limit. Microseconds.
pub fn max_idle(text: &str) -> Result<Option<i64>, String> {
    if text == "0" { Ok(None) } else { duration(text).map(|us| Some(us).filter(|us| *us > 0)) }
}

/// A duration, or a bare `0`. Microseconds.
#[cfg(feature = "live")]
pub fn span(text: &str) -> Result<i64, String> {
    if text == "0" { Ok(0) } else { duration(text) }
}

/// `OLD=NEW`, or `NAME=VALUE`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() => Ok((old.to_string(), new.to_string())),
        _ => Err("an equals sign stands between its two parts".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(duration("30s"), Ok(30_000_000));
        assert_eq!(duration("1.5ms"), Ok(1_500));
        assert_eq!(duration("2m"), Ok(120_000_000));
        assert_eq!((duration("1m30s"), duration("1 min 500 ms")), (Ok(90_000_000), Ok(60_500_000)));
        for bad in ["30", "s", "-1s", "1y", "", "infs", "1m30", "1m-5s", "nans"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn speeds_and_pauses() {
        assert_eq!(speed("recorded"), Ok(Speed::Recorded));
        assert_eq!((speed("x2"), speed("0.5x")), (Ok(Speed::Times(2.0)), Ok(Speed::Times(0.5))));
        assert_eq!(speed("2"), Ok(Speed::Times(2.0)));
        for bad in ["x0", "x-1", "xinf", "quick", ""] {
            assert!(speed(bad).is_err(), "{bad}");
        }
        assert_eq!((max_idle("0"), max_idle("2s")), (Ok(None), Ok(Some(2_000_000))));
        assert!(max_idle("2").is_err());
        #[cfg(feature = "live")]
        assert_eq!((span("0"), span("50ms")), (Ok(0), Ok(50_000)));
        assert_eq!(pair("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert!(pair("a").is_err() && pair("=b").is_err());
    }
}
