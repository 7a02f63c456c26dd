//! Matchers: what a value must be, instead of being equal to the recorded one.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use regex::Regex;

use super::tree::{Node, Tree};
use crate::replay::options::Matcher;

impl Matcher {
    /// Reads a matcher as it stands in flags and in the configuration: `uuid`, `datetime`, `type`, `present`, `absent`, `1%`, `0.01`,
    /// `len>=1`, `regex:^a+$`.
    pub fn read(text: &str) -> Result<Matcher, String> {
        let text = text.trim();
        let fault = || {
            format!(
                "`{text}` is no matcher: write uuid, datetime, type, present, absent, a tolerance (0.01 or 1%), \
                 len>=1 or regex:EXPRESSION"
            )
        };
        let positive = |number: &str| {
            number.trim().parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0).ok_or_else(fault)
        };
        Ok(match text {
            "type" => Matcher::Type,
            "uuid" => Matcher::Uuid,
            "datetime" => Matcher::Datetime,
            "present" => Matcher::Present,
            "absent" => Matcher::Absent,
            _ => {
                if let Some(expression) = text.strip_prefix("regex:") {
                    check(expression)?;
                    Matcher::Regex(expression.to_string())
                } else if let Some(least) = text.strip_prefix("len>=") {
                    Matcher::LengthAtLeast(least.trim().parse().map_err(|_| fault())?)
                } else if let Some(percent) = text.strip_suffix('%') {
                    Matcher::Relative(positive(percent)? / 100.0)
                } else {
                    Matcher::Absolute(positive(text)?)
                }
            }
        })
    }

    /// The matcher as [`Matcher::read`] reads it.
    pub fn text(&self) -> String {
        match self {
            Matcher::Type => "type".into(),
            Matcher::Regex(expression) => format!("regex:{expression}"),
            Matcher::Uuid => "uuid".into(),
            Matcher::Datetime => "datetime".into(),
            Matcher::Present => "present".into(),
            Matcher::Absent => "absent".into(),
            Matcher::Absolute(distance) => distance.to_string(),
            Matcher::Relative(part) => format!("{}%", part * 100.0),
            Matcher::LengthAtLeast(least) => format!("len>={least}"),
        }
    }
}

/// Says what is wrong with a regular expression.
pub fn check(expression: &str) -> Result<(), String> {
    Regex::new(expression).map(|_| ()).map_err(|error| {
        let text = error.to_string();
        format!("`{expression}`: {}", text.lines().last().unwrap_or("no regular expression").trim())
    })
}

/// A matcher ready for use.
#[derive(Clone, Debug)]
pub struct Ready {
    matcher: Matcher,
    regex: Option<Regex>,
}

impl Ready {
    /// Prepares a matcher.
    pub fn new(matcher: &Matcher) -> Result<Ready, String> {
        let regex = match matcher {
            Matcher::Regex(expression) => {
                check(expression)?;
                Regex::new(expression).ok()
            }
            _ => None,
        };
        Ok(Ready { matcher: matcher.clone(), regex })
    }

    /// `None` if the pair is as it must be, else what is wrong with it. At least one of the two is there.
    pub fn fault(&self, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>) -> Option<String> {
        let Some(live) = live else {
            return (self.matcher != Matcher::Absent).then(|| "it is not there".to_string());
        };
        let fits = match &self.matcher {
            Matcher::Absent => return Some("it must not be there".into()),
            Matcher::Present => true,
            Matcher::Type => recorded.is_some_and(|recorded| recorded.kind() == live.kind()),
            Matcher::Regex(_) => {
                live.string().is_some_and(|text| self.regex.as_ref().is_some_and(|regex| regex.is_match(&text)))
            }
            Matcher::Uuid => live.string().is_some_and(|text| is_uuid(&text)),
            Matcher::Datetime => live.string().is_some_and(|text| is_datetime(&text)),
            Matcher::Absolute(_) | Matcher::Relative(_) => recorded.is_some_and(|recorded| self.near(recorded, live)),
            Matcher::LengthAtLeast(least) => length(live).is_some_and(|length| length >= *least),
        };
        (!fits).then(|| match &self.matcher {
            Matcher::Type => format!("it is of another type ({})", live.kind()),
            matcher => format!("it does not fit {}", matcher.text()),
        })
    }

    fn near(&self, recorded: &Tree<'_>, live: &Tree<'_>) -> bool {
        if super::tree::same_scalar(recorded, live) {
            return true;
        }
        let finite = |tree: &Tree<'_>| tree.number().filter(|number| number.is_finite());
        let (Some(a), Some(b)) = (finite(recorded), finite(live)) else { return false };
        let bound = match self.matcher {
            Matcher::Relative(part) => a.abs() * part,
            Matcher::Absolute(distance) => distance,
            _ => return false,
        };
        // A little more than the bound: 0.3 - 0.2 is not 0.1 in binary.
        (a - b).abs() <= bound * (1.0 + 1e-9)
    }
}

fn length(tree: &Tree<'_>) -> Option<usize> {
    match &tree.node {
        Node::List(members) => Some(members.len()),
        Node::Map(members) => Some(members.len()),
        Node::Text => tree.string().map(|text| text.chars().count()),
        _ => None,
    }
}

/// True for `8-4-4-4-12` hexadecimal digits.
pub fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// True for RFC 3339 and its near relatives: a date, or a date and a time with or without a zone.
pub fn is_datetime(text: &str) -> bool {
    let local = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
    DateTime::parse_from_rfc3339(text).is_ok()
        || DateTime::parse_from_rfc2822(text).is_ok()
        || NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
        || local.iter().any(|format| NaiveDateTime::parse_from_str(text, format).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(matcher: &str, recorded: &str, live: &str) -> bool {
        let ready = Matcher::read(matcher).and_then(|matcher| Ready::new(&matcher)).expect("a matcher");
        ready.fault(Tree::read(recorded).as_ref(), Tree::read(live).as_ref()).is_none()
    }

    #[test]
    fn each_matcher_has_its_own_idea() {
        for (matcher, recorded, live, fit) in [
            ("uuid", "\"x\"", "\"123e4567-e89b-12d3-a456-426614174000\"", true),
            ("uuid", "\"x\"", "\"123e4567-e89b-12d3-a456-42661417400g\"", false),
            ("datetime", "1", "\"2026-01-01T00:00:00Z\"", true),
            ("datetime", "1", "\"2026-01-01\"", true),
            ("datetime", "1", "\"2026-13-01T00:00:00Z\"", false),
            ("datetime", "1", "1767225600", false),
            ("type", "1", "2.5", true),
            ("type", "1", "\"1\"", false),
            ("0.1", "0.2", "0.3", true),
            ("0.1", "0.2", "0.31", false),
            ("1%", "-200", "-202", true),
            ("1%", "200", "203", false),
            ("0.1", "1", "1.1", true),
            ("0", "3", "3.0", true),
            ("0", "3", "3.0000001", false),
            ("len>=2", "\"\"", "\"\u{e4}\u{f6}\"", true),
            ("len>=3", "\"\"", "\"\u{e4}\u{f6}\"", false),
            ("len>=2", "\"\"", "\"\\u00e4\"", false),
            ("len>=1", "{}", "{\"a\":1}", true),
            ("len>=0", "1", "1", false),
            ("1%", "1e400", "1e400", true),
            ("1%", "1e400", "1", false),
            ("len>=2", "[]", "[1,2]", true),
            ("len>=2", "[]", "[1]", false),
            ("regex:^a+$", "\"\"", "\"aa\"", true),
            ("regex:^a+$", "\"\"", "7", false),
            ("present", "1", "null", true),
            ("absent", "1", "null", false),
            ("absent", "1", "", true),
            ("present", "1", "", false),
        ] {
            assert_eq!(fits(matcher, recorded, live), fit, "{matcher}: {recorded} {live}");
        }
    }

    #[test]
    fn a_matcher_that_does_not_exist_is_named() {
        assert!(Matcher::read("regex:(").is_err_and(|text| text.contains("`(`")));
        for bad in ["uid", "-1", "len>=x", "nan", "inf%"] {
            assert!(Matcher::read(bad).is_err_and(|text| text.contains(bad)), "{bad}");
        }
        for good in ["uuid", "regex:^a$", "0.01", "1%", "len>=3"] {
            assert_eq!(Matcher::read(good).map(|matcher| matcher.text()), Ok(good.to_string()));
        }
    }
}
