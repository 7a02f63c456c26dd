//! The keys of `rpctape.toml`. Only those that do something exist; every other one is an error.

use chrono::NaiveDate;
use clap::ValueEnum;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::policy::Suppression;
use rpctape::protocol::Severity;
use rpctape::rules::{self, RULES, Rule, Selection};
use toml::de::{DeTable, DeValue};

use super::super::values::{FailOn, compare, duration};
use super::walk::{FileText, Value};
use super::{Config, replay};

const TABLES: [&str; 4] = ["audit", "suppress", "redact", "replay"];
const AUDIT: [&str; 8] = ["fail-on", "select", "ignore", "schema", "stuck-after", "race-slack", "race-factor", "rule"];
const SUPPRESS: [&str; 6] = ["rule", "method", "name", "connection", "reason", "until"];
const REDACT: [&str; 5] = ["set", "keys", "paths", "values", "emails"];

/// Reads a file's text.
pub fn config(text: &str, file: &str) -> Result<Config> {
    let place = FileText { file, text };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Error::new(ErrorKind::Usage, format!("{}: {}", place.at(at), error.message().trim_end()))
            .hint("the file is TOML; `rpctape init` writes one with comments")
    })?;
    let mut config = Config::default();
    for (key, value) in place.members(table.get_ref(), "", &TABLES)? {
        match key {
            "audit" => {
                config.has_audit = says(value);
                audit(&place, value, &mut config)?;
            }
            "redact" => redact(&place, value, &mut config)?,
            "replay" => {
                config.has_replay = says(value);
                replay::read(&place, value, &mut config.replay)?;
            }
            _ => suppressions(&place, value, &mut config)?,
        }
    }
    Ok(config)
}

/// True for a table with anything in it.
fn says(value: &Value<'_>) -> bool {
    matches!(value.get_ref(), DeValue::Table(table) if !table.is_empty())
}

fn audit(place: &FileText<'_>, value: &Value<'_>, config: &mut Config) -> Result<()> {
    for (key, value) in place.table(value, "[audit]", &AUDIT)? {
        let at = value.span().start;
        let time = || duration(&place.string(key, value)?).map_err(|why| place.fault(at, format!("{key}: {why}")));
        match key {
            "fail-on" => {
                let word = place.string(key, value)?;
                let known = ["error", "warning", "note", "none"];
                let read = FailOn::from_str(&word, false);
                config.fail_on = Some(read.map_err(|_| place.unknown(at, "severity", &word, &known))?);
            }
            "select" => config.select = Some(selection(place, key, value)?),
            "ignore" => config.ignore = Some(selection(place, key, value)?),
            "schema" => config.schema = place.boolean(key, value)?,
            "stuck-after" => config.stuck_after = Some(time()?),
            "race-slack" => config.slack = Some(time()?),
            "race-factor" => config.factor = Some(place.number(key, value)?),
            _ => own_severities(place, value, config)?,
        }
    }
    Ok(())
}

fn selection(place: &FileText<'_>, key: &str, value: &Value<'_>) -> Result<Vec<String>> {
    let list = place.list(key, value)?;
    for (at, id) in &list {
        let one = Selection { select: vec![id.clone()], ..Selection::default() };
        if one.unknown().is_some() {
            return Err(no_rule(place, *at, id));
        }
    }
    Ok(list.into_iter().map(|(_, id)| id).collect())
}

fn no_rule(place: &FileText<'_>, at: usize, id: &str) -> Error {
    let known: Vec<&str> = RULES.iter().flat_map(|rule| [rule.name, rule.code]).collect();
    place.unknown(at, "rule", id, &known)
}

fn rule(place: &FileText<'_>, at: usize, id: &str) -> Result<&'static Rule> {
    rules::find(id).ok_or_else(|| no_rule(place, at, id))
}

fn own_severities(place: &FileText<'_>, value: &Value<'_>, config: &mut Config) -> Result<()> {
    for (id, value) in place.table(value, "[audit.rule]", &[])? {
        let rule = rule(place, value.span().start, id)?;
        for (key, value) in place.table(value, &format!("[audit.rule.\"{id}\"]"), &["severity"])? {
            let word = place.string(key, value)?;
            let unknown = || place.unknown(value.span().start, "severity", &word, &["error", "warning", "note"]);
            config.severities.insert(rule.code.to_string(), Severity::from_name(&word).ok_or_else(unknown)?);
        }
    }
    Ok(())
}

fn suppressions(place: &FileText<'_>, value: &Value<'_>, config: &mut Config) -> Result<()> {
    let DeValue::Array(entries) = value.get_ref() else {
        return Err(place.fault(value.span().start, "suppress is a list: write [[suppress]]"));
    };
    for entry in entries.iter() {
        config.suppressions.push(suppression(place, entry)?);
    }
    Ok(())
}

fn suppression(place: &FileText<'_>, entry: &Value<'_>) -> Result<Suppression> {
    let at = entry.span().start;
    let (mut about, mut reason, mut until) = (None, None, None);
    let (mut method, mut name, mut connection) = (None, None, None);
    for (key, value) in place.table(entry, "[[suppress]]", &SUPPRESS)? {
        match key {
            "rule" => about = Some(rule(place, value.span().start, &place.string(key, value)?)?),
            "method" => method = Some(place.string(key, value)?),
            "name" => name = Some(place.string(key, value)?),
            "connection" => connection = Some(place.string(key, value)?),
            "reason" => reason = Some(place.string(key, value)?).filter(|reason| !reason.trim().is_empty()),
            _ => until = Some(date(place, key, value)?),
        }
    }
    let required = |key: &str, why: &str| place.fault(at, format!("this [[suppress]] has no {key}: {why}"));
    let about = about.ok_or_else(|| required("rule", "one excuse is about one rule"))?;
    Ok(Suppression {
        code: about.code.to_string(),
        rule: about.name.to_string(),
        method,
        name,
        connection,
        reason: reason.ok_or_else(|| required("reason", "say why it is accepted"))?,
        until: until.ok_or_else(|| required("until", "give the last day on which it holds, such as 2027-01-31"))?,
        place: place.at(at),
    })
}

/// A date of TOML, or the same as a string.
fn date(place: &FileText<'_>, key: &str, value: &Value<'_>) -> Result<NaiveDate> {
    let text = match value.get_ref() {
        DeValue::Datetime(date) => date.to_string(),
        other => other.as_str().unwrap_or_default().to_string(),
    };
    let day = text.get(..10).unwrap_or(&text).parse();
    day.map_err(|_| place.fault(value.span().start, format!("{key} is a day such as 2027-01-31")))
}

fn redact(place: &FileText<'_>, value: &Value<'_>, config: &mut Config) -> Result<()> {
    for (key, value) in place.table(value, "[redact]", &REDACT)? {
        let at = value.span().start;
        let strings = || Ok::<_, Error>(place.list(key, value)?.into_iter().map(|(_, text)| text).collect());
        match key {
            "set" => match place.string(key, value)?.as_str() {
                "default" => config.redact = Some(true),
                "off" => config.redact = Some(false),
                word => return Err(place.unknown(at, "redaction set", word, &["default", "off"])),
            },
            "keys" => config.secrets.keys = strings()?,
            "paths" => {
                config.secrets.paths = place.checked(key, value, |text| compare::pointer(text).map(str::to_string))?;
            }
            "emails" => match value.get_ref().as_bool() {
                Some(emails) => config.secrets.emails = emails,
                None => return Err(place.fault(at, "emails is true or false")),
            },
            _ => {
                config.secrets.values = strings()?;
                config.secrets.check().map_err(|why| place.fault(at, format!("values: {why}")))?;
            }
        }
    }
    Ok(())
}
