//! Making a definition ready: expressions are compiled, words resolved, and what does not fit together is refused.

use memchr::memmem::Finder;
use regex::Regex;
use toml::{Table, Value};

use super::clock::Times;
use super::condition::{Condition, term};
use super::parts::{Ids, Kind, Made, Part};
use super::pointer::Pointer;
use super::ready::{ConnectionKey, Definition, Meaning, Pattern, Payload, Unwrap};
use super::schema::{self, Encoding, Holds, broken};
use crate::capture::{Direction, Proof, Transport, Vantage};
use crate::error::Result;
use crate::protocol::{Profile, Side, by_name_alone};

/// Compiles a definition; `file` names it in errors.
pub(super) fn compile(file: &str, text: &schema::File) -> Result<Definition> {
    let standing = text.record.message;
    if standing.is_none() && text.record.start.is_empty() {
        return Err(broken(file, "there is no record.start and no table exchange").hint(
            "give the expression that starts a record, or record.message = \"anywhere\", or say in [exchange] where a \
             record keeps a request and its response",
        ));
    }
    let start = Pattern::new(regex(file, "record.start", &text.record.start)?);
    let optional = |key: &str, text: &Option<String>| text.as_ref().map(|text| regex(file, key, text)).transpose();
    let made = made(file, text)?;
    let (direction, stderr) = (&text.direction, optional("record.stderr", &text.record.stderr)?);
    let definition = Definition {
        name: Box::leak(text.name.clone().into_boxed_str()),
        about: Box::leak(text.about.clone().into_boxed_str()),
        score: text.detect.score.unwrap_or(70).clamp(1, 99),
        strip: text.layers.strip.iter().map(|text| regex(file, "layers.strip", text)).collect::<Result<_>>()?,
        unwrap: unwrap(file, &text.layers.unwrap)?,
        standing,
        arrays: text.record.arrays,
        contains: text.record.contains.iter().map(|text| Finder::new(text).into_owned()).collect(),
        continuation: text.record.continuation,
        sticky: !text.record.sticky.is_empty(),
        duplicate: optional("record.duplicate", &text.record.duplicate)?,
        header: optional("record.header", &text.record.header)?,
        stderr: stderr.map(Pattern::new),
        splits: splits(file, &text.connection.split_on)?,
        payload: payload(file, text)?,
        proof: proof(file, text, &start, &made)?,
        midway: named(file, "proof.midway", &text.proof.midway)?,
        made,
        makes: makes(text),
        kinds: kinds(file, &text.kind.map)?,
        kind_default: text.kind.default.as_deref().map(|word| kind(file, "kind.default", word)).transpose()?,
        directions: said(file, words(&direction.map))?,
        direction_rules: direction_rules(file, &direction.rules)?,
        direction_default: match &direction.default {
            None => Meaning::Frame(Direction::Unknown),
            Some(word) => said(file, meaning(word))?,
        },
        vantage: vantage(direction.vantage),
        otherwise: vantage(direction.otherwise).unwrap_or(Vantage::Unknown),
        sent_late: direction.sent_late,
        profile: text.protocol.as_deref().map(|name| protocol(file, name)).transpose()?,
        times: said(file, Times::new(&text.time))?,
        keys: text.connection.key.iter().map(|key| said_key(file, key)).collect::<Result<_>>()?,
        transport: match text.connection.transport.as_deref() {
            None if exchanges(text) => Transport::Http,
            None | Some("ordered") => Transport::Ordered,
            Some("http") => Transport::Http,
            Some(other) => {
                return Err(broken(file, &format!("connection.transport is {other:?}; write ordered or http")));
            }
        },
        start,
    };
    groups_exist(file, &definition, text)?;
    Ok(definition)
}

pub(super) fn vantage(word: schema::Vantage) -> Option<Vantage> {
    match word {
        schema::Vantage::Client => Some(Vantage::Client),
        schema::Vantage::Server => Some(Vantage::Server),
        schema::Vantage::Proxy => Some(Vantage::Proxy),
        schema::Vantage::Infer => None,
    }
}

fn said<T>(file: &str, result: std::result::Result<T, String>) -> Result<T> {
    result.map_err(|what| broken(file, &what))
}

fn said_key(file: &str, key: &str) -> Result<ConnectionKey> {
    ConnectionKey::parse(key).map_err(|what| broken(file, &format!("connection.key: {what}")))
}

fn regex(file: &str, key: &str, text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|error| {
        // The last line of the library's answer says what is wrong; those before draw the place with carets.
        let said = error.to_string();
        let what = said.lines().last().unwrap_or_default().trim_start_matches("error: ");
        broken(file, &format!("{key} is no regular expression: {what}")).hint(format!("it is: {text}"))
    })
}

fn unwrap(file: &str, list: &[schema::Unwrap]) -> Result<Option<Unwrap>> {
    let pointer = |text: &str| {
        Pointer::parse(text).ok_or_else(|| broken(file, &format!("layers.unwrap: {text:?} is no JSON pointer")))
    };
    match list {
        [] => Ok(None),
        [one] => Ok(Some(Unwrap {
            pointer: pointer(&one.json_pointer)?,
            until_newline: one.join == "until_newline",
            ts: one.ts.as_deref().map(pointer).transpose()?,
        })),
        _ => Err(broken(file, "layers.unwrap has more than one layer")
            .hint("wrappers that are known are peeled by themselves")),
    }
}

fn splits(file: &str, list: &[String]) -> Result<Vec<Regex>> {
    let mut found = Vec::new();
    for text in list {
        let parts = text.split_once('~').map(|(what, expression)| (what.trim(), expression.trim().trim_matches('\'')));
        match (parts, text.replace(' ', "").as_str()) {
            (Some(("line", expression)), _) => found.push(regex(file, "connection.split_on", expression)?),
            // A second `initialize` begins a new connection in every format.
            (_, "method==initialize") => {}
            _ => {
                let what = format!("connection.split_on: {text:?} is not known");
                return Err(broken(file, &what).hint("write \"method == initialize\" or \"line ~ 'EXPRESSION'\""));
            }
        }
    }
    Ok(found)
}

fn payload(file: &str, text: &schema::File) -> Result<Payload> {
    let pointer = |key: &str, text: &str| {
        Pointer::parse(text).ok_or_else(|| broken(file, &format!("{key} is {text:?}, which is no JSON pointer")))
    };
    let own = &text.payload;
    let drop_if = own.drop_if.as_deref().map(Condition::parse).transpose();
    Ok(Payload {
        encoding: if text.record.message.is_some() { Encoding::Found } else { own.encoding },
        pointer: pointer("payload.pointer", &own.pointer)?,
        direction: text.direction.pointer.as_deref().map(|text| pointer("direction.pointer", text)).transpose()?,
        from: text.direction.from.as_deref().map(|text| pointer("direction.from", text)).transpose()?,
        to: text.direction.to.as_deref().map(|text| pointer("direction.to", text)).transpose()?,
        time: text.time.pointer.as_deref().map(|text| pointer("time.pointer", text)).transpose()?,
        start: text.time.start.as_deref().map(|text| pointer("time.start", text)).transpose()?,
        took: text.time.took.as_deref().map(|text| said(file, term(text))).transpose()?,
        after: own.after.clone(),
        allow_trailing: own.allow_trailing.unwrap_or(false),
        may_be_cut: own.may_be_cut.unwrap_or(true),
        or_header: own.or_header,
        drop_if: drop_if.map_err(|what| broken(file, &format!("payload.drop_if: {what}")))?,
        strings: own.strings.iter().map(|key| key.trim_start_matches('/').to_string()).collect(),
    })
}

/// True if messages are made of what records tell.
fn makes(text: &schema::File) -> bool {
    let named = text.message.parts().iter().any(|(_, places, _)| places.is_some());
    named || text.payload.encoding == Encoding::None || text.payload.is == Holds::Params
}

/// True if a record may be a request with its answer: the order of such records tells nothing of what is in them.
fn exchanges(text: &schema::File) -> bool {
    let words = text.kind.map.values().filter_map(Value::as_str).chain(text.kind.default.as_deref());
    words.chain(text.kind.rules.iter().map(|rule| rule.is.as_str())).any(|word| word == "exchange")
}

/// Where the parts of a message stand; groups called as a part are its place where nothing else is said.
fn made(file: &str, text: &schema::File) -> Result<Made> {
    let own = &text.message;
    let mut made = Made::new(text.payload.is == Holds::Params, own.ids, own.cut_marks.clone());
    let named = own.methods.iter().filter_map(|(name, method)| Some((name.clone(), method.as_str()?.to_string())));
    made.methods = named.collect();
    for (name, places, part) in own.parts() {
        let usual = match part {
            Part::Text => Some("error"),
            Part::Kind | Part::Id | Part::Method | Part::Code => Some(name),
            Part::Params | Part::Result | Part::Error => None,
        };
        let usual = usual.filter(|name| text.record.start.contains(&format!("<{name}>")));
        for place in places.or(usual).iter().flat_map(|places| places.split('|')) {
            let place = term(place.trim()).map_err(|what| broken(file, &format!("message.{name}: {what}")))?;
            made.add(part, place);
        }
    }
    for rule in &text.kind.rules {
        let condition = Condition::parse(&rule.condition);
        let condition = condition.map_err(|what| broken(file, &format!("kind.rules: {what}")))?;
        made.rules.push((condition, kind(file, "kind.rules", &rule.is)?));
    }
    Ok(made)
}

fn kinds(file: &str, map: &Table) -> Result<Vec<(String, Kind)>> {
    let value = |word: &String, value: &Value| kind(file, &format!("kind.map, {word:?}"), &word_of(value));
    map.iter().map(|(word, named)| Ok((word.clone(), value(word, named)?))).collect()
}

/// A value where a word is wanted, as it is to be quoted if it is none.
fn word_of(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(answer) => answer.to_string(),
        other => other.type_str().to_string(),
    }
}

fn kind(file: &str, key: &str, word: &str) -> Result<Kind> {
    let what = || format!("{key}: {word:?} is no kind; write request, notification, response, error, exchange or skip");
    Kind::from_name(word).ok_or_else(|| broken(file, &what()))
}

fn words(map: &Table) -> std::result::Result<Vec<(String, Meaning)>, String> {
    map.iter().map(|(word, value)| Ok((word.clone(), meaning(&word_of(value))?))).collect()
}

fn direction_rules(file: &str, rules: &[schema::Rule]) -> Result<Vec<(Condition, Meaning)>> {
    let one = |rule: &schema::Rule| Ok((Condition::parse(&rule.condition)?, meaning(&rule.is)?));
    let rules = rules.iter().map(one).collect::<std::result::Result<_, String>>();
    rules.map_err(|what| broken(file, &format!("direction.rules: {what}")))
}

fn meaning(word: &str) -> std::result::Result<Meaning, String> {
    Ok(Meaning::Frame(match word {
        "c2s" => Direction::By(Side::Client),
        "s2c" => Direction::By(Side::Server),
        "sent" => Direction::Sent,
        "received" => Direction::Received,
        "unknown" => Direction::Unknown,
        "stderr" => return Ok(Meaning::Stderr),
        "skip" => return Ok(Meaning::Skip),
        _ => return Err(format!("a direction is {word:?}; write c2s, s2c, sent, received, stderr or skip")),
    }))
}

/// The protocol of an emitter, by its name alone: its revision is for the messages to tell.
fn protocol(file: &str, name: &str) -> Result<&'static Profile> {
    let known = by_name_alone(name).filter(|profile| profile.unknown_revision);
    known.ok_or_else(|| broken(file, &format!("protocol is {name:?}; write mcp, or leave it to the messages")))
}

fn proof(file: &str, text: &schema::File, start: &Pattern, made: &Made) -> Result<Proof> {
    let proof = Proof::FULL.without(named(file, "proof.lost", &text.proof.lost)?);
    let direction = &text.direction;
    let sided = [&direction.pointer, &direction.default, &direction.from].iter().any(|key| key.is_some());
    let sided = sided || !direction.rules.is_empty();
    let proof = if sided || start.roles.dir.is_some() { proof } else { proof.without(Proof::DIRECTION) };
    Ok(proof.without(unproven(text, made)))
}

/// What a list names that a log may prove.
fn named(file: &str, key: &str, words: &[String]) -> Result<Proof> {
    let mut named = Proof::NONE;
    for word in words {
        named = named.and(match word.as_str() {
            "payload" => Proof::PAYLOAD,
            "cancel_target" => Proof::CANCEL_TARGET,
            "error_code" => Proof::ERROR_CODE,
            "direction" => Proof::DIRECTION,
            "envelope" => Proof::ENVELOPE,
            "all_answers" => Proof::ALL_ANSWERS,
            "both_sides" => Proof::BOTH_SIDES,
            "client" => Proof::CLIENT,
            "order" => Proof::ORDER,
            "answer_time" => Proof::ANSWER_TIME,
            _ => {
                let what = format!("{key}: {word:?} is not known");
                let hint = "write payload, cancel_target, error_code, direction, envelope, all_answers, both_sides, client, order or answer_time";
                return Err(broken(file, &what).hint(hint));
            }
        });
    }
    Ok(named)
}

/// What a definition cannot prove because it makes its messages, or parts of them, itself.
fn unproven(text: &schema::File, made: &Made) -> Proof {
    let mut lost = Proof::NONE;
    if !makes(text) {
        return if text.payload.or_header { Proof::ENVELOPE } else { lost };
    }
    lost = lost.and(Proof::ENVELOPE);
    if !made.payload_is_body {
        if !made.has(Part::Params) {
            lost = lost.and(Proof::PAYLOAD).and(Proof::CANCEL_TARGET);
        }
        if !made.has(Part::Result) {
            lost = lost.and(Proof::PAYLOAD);
        }
        if !made.has(Part::Error) && !made.has(Part::Code) {
            lost = lost.and(Proof::ERROR_CODE);
        }
    }
    match made.ids {
        Ids::Wire | Ids::Text => lost,
        Ids::Logger => lost.and(Proof::CANCEL_TARGET).and(Proof::ALL_ANSWERS),
    }
}

/// Every group that is named elsewhere must be in `record.start`.
fn groups_exist(file: &str, definition: &Definition, text: &schema::File) -> Result<()> {
    let known = |name: &str| definition.start.roles.names.iter().any(|(known, _)| known == name);
    let in_keys = definition.keys.iter().filter_map(|key| match key {
        ConnectionKey::Groups(names) => Some(names),
        ConnectionKey::Pointer(_) | ConnectionKey::Expression(_) => None,
    });
    let in_keys = in_keys.flatten().map(|name| ("connection.key", name.as_str()));
    let in_tests = definition.payload.drop_if.iter().flat_map(Condition::groups).map(|name| ("payload.drop_if", name));
    let in_parts = definition.made.groups().map(|name| ("message", name));
    let in_rules = definition.made.rules.iter().flat_map(|(condition, _)| condition.groups());
    let sides = definition.direction_rules.iter().flat_map(|(condition, _)| condition.groups());
    let in_rules = in_rules.map(|name| ("kind.rules", name)).chain(sides.map(|name| ("direction.rules", name)));
    let in_tests = in_tests.chain(in_parts).chain(in_rules);
    let in_sticky = text.record.sticky.iter().map(|name| ("record.sticky", name.as_str()));
    match in_keys.chain(in_tests).chain(in_sticky).find(|(_, name)| !known(name)) {
        None => Ok(()),
        Some((key, name)) => {
            let names: Vec<&str> = definition.start.roles.names.iter().map(|(name, _)| name.as_str()).collect();
            let what = format!("{key} names the group {name:?}, which record.start does not have");
            Err(broken(file, &what).hint(format!("its groups are: {}", names.join(", "))))
        }
    }
}
