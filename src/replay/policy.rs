//! What may be sent to a live peer, and which part of a recording was asked for. Data in, a ruling out.

use std::collections::HashMap;

use super::options::Policy;
use super::recording::{Connection, Exchange};
use super::splice;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::{Access, Profile, Side};

/// Whether a recorded request of the client is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It is sent.
    Send,
    /// It is sent because the recorded list of tools says that it only reads, and the live one does not say otherwise.
    ByHint,
    /// The recording has no list that names its tool: it is sent if the live list says that it only reads. Else it is refused, and why.
    UnlessHinted(String),
    /// Policy refuses it, and why.
    Refused(String),
    /// It is not among those asked for.
    Skipped,
    /// It is a request of the live side.
    Live,
}

impl Ruling {
    /// True if it goes out as far as planning can tell.
    pub fn sends(&self) -> bool {
        matches!(self, Ruling::Send | Ruling::ByHint)
    }
}

/// What a list of tools says of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`; false where it is missing, or beside `destructiveHint`.
    pub read_only: bool,
    /// `idempotentHint`.
    pub idempotent: bool,
}

/// What an answer says of the tools that it lists.
pub(crate) fn hints(profile: &Profile, method: &str, answer: &str) -> Vec<(String, Hints)> {
    let Some((lists, at)) = profile.tools() else { return Vec::new() };
    if lists != method {
        return Vec::new();
    }
    let text = |raw: Option<&str>| raw.map(|raw| crate::json::lenient_string(raw).into_owned());
    splice::each(answer, &format!("{at}/*"))
        .into_iter()
        .filter_map(|(_, range)| {
            let tool = &answer[range];
            let yes = |pointer: &str| splice::at(tool, pointer) == Some("true");
            // Hints that contradict each other are none.
            let read_only = yes("/annotations/readOnlyHint") && !yes("/annotations/destructiveHint");
            let hints = Hints { read_only, idempotent: yes("/annotations/idempotentHint") };
            Some((text(splice::at(tool, "/name"))?, hints))
        })
        .collect()
}

/// The hints of all recorded lists of tools; the last word counts.
pub(crate) fn recorded_hints(connection: &Connection) -> HashMap<String, Hints> {
    let asked = connection.exchanges.iter().filter(|exchange| exchange.issuer == Side::Client);
    asked
        .filter_map(|exchange| Some((exchange, connection.response(exchange)?)))
        .flat_map(|(exchange, answer)| hints(connection.profile, &exchange.method, answer))
        .collect()
}

/// Rules on every exchange of a connection.
pub(crate) fn rule(connection: &Connection, policy: &Policy) -> Result<Vec<Ruling>> {
    let hints = recorded_hints(connection);
    let chosen = selection(connection, policy)?;
    Ok(connection
        .exchanges
        .iter()
        .zip(chosen)
        .map(|(exchange, chosen)| match exchange.issuer {
            Side::Server => Ruling::Live,
            Side::Client if !chosen => Ruling::Skipped,
            Side::Client => allowed(connection.profile, exchange, policy, &hints),
        })
        .collect())
}

/// What the policy says of one request, whether it was asked for or not.
pub(crate) fn allowed(
    profile: &Profile,
    exchange: &Exchange,
    policy: &Policy,
    hints: &HashMap<String, Hints>,
) -> Ruling {
    let fits = |patterns: &[String]| patterns.iter().any(|pattern| fits(pattern, exchange));
    if fits(&policy.deny) {
        return Ruling::Refused("denied".to_string());
    }
    if policy.allow_all || fits(&policy.allow) {
        return Ruling::Send;
    }
    let tool = exchange.name.as_deref();
    match profile.access(&exchange.method) {
        Access::Handshake | Access::ReadOnly => Ruling::Send,
        Access::Hinted if policy.untrusted_hints => {
            Ruling::Refused("a remote server's hints are not trusted".to_string())
        }
        Access::Hinted => match tool.and_then(|tool| hints.get(tool)) {
            Some(hints) if hints.read_only => Ruling::ByHint,
            Some(_) => Ruling::Refused("not read-only".to_string()),
            None => Ruling::UnlessHinted("not known to be read-only".to_string()),
        },
        Access::Unknown => Ruling::Refused("not known to be read-only".to_string()),
    }
}

/// Why a notification at `event` is left out; those of the handshake never are.
pub(crate) fn notification(connection: &Connection, event: usize, method: &str, policy: &Policy) -> Option<String> {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| wild(pattern, method));
    if any(&policy.deny) {
        return Some("policy: denied".to_string());
    }
    if connection.profile.access(method) == Access::Handshake {
        return None;
    }
    let last = policy.to.as_ref().and_then(|name| find(connection, name).ok());
    let after = last.is_some_and(|last| connection.exchanges[last].request < event);
    (any(&policy.skip) || after).then(|| "not selected".to_string())
}

/// True if a request may be sent a second time: read-only, idempotent by its hint, or by the user's word.
pub(crate) fn repeatable(connection: &Connection, exchange: &Exchange, policy: &Policy) -> bool {
    if policy.allow_repeat {
        return true;
    }
    match connection.profile.access(&exchange.method) {
        Access::Handshake | Access::ReadOnly => true,
        Access::Hinted => {
            let hints = recorded_hints(connection);
            let hint = exchange.name.as_ref().and_then(|tool| hints.get(tool)).copied().unwrap_or_default();
            !policy.untrusted_hints && (hint.read_only || hint.idempotent)
        }
        Access::Unknown => false,
    }
}

/// The pattern that names requests like this one, and no others.
pub fn pattern(exchange: &Exchange) -> String {
    naming(&exchange.method, exchange.name.as_deref())
}

/// The pattern that names requests of a method, and of a name where they have one. What would mean something in it is escaped: a star,
/// and what would begin the place that may stand behind a pattern.
pub fn naming(method: &str, name: Option<&str>) -> String {
    whole(method, name).replace('\\', "\\\\").replace('*', "\\*").replace(" /", " \\/")
}

fn whole(method: &str, name: Option<&str>) -> String {
    name.map_or_else(|| method.to_string(), |name| format!("{method}:{name}"))
}

/// True if a pattern (`method`, `method:name`, `#7`) names an exchange.
pub(crate) fn fits(pattern: &str, exchange: &Exchange) -> bool {
    if pattern.starts_with('#') {
        return pattern == exchange.label();
    }
    wild(pattern, &whole(&exchange.method, exchange.name.as_deref()))
        || !pattern.contains(':') && wild(pattern, &exchange.method)
}

/// The texts between the stars of a pattern. Behind a backslash a star, a slash and a backslash are themselves.
fn parts(pattern: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = pattern.chars().peekable();
    while let Some(read) = rest.next() {
        let escaped = rest.peek().copied().filter(|next| read == '\\' && matches!(next, '*' | '/' | '\\'));
        if read == '*' {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(escaped.unwrap_or(read));
        }
        if escaped.is_some() {
            rest.next();
        }
    }
    parts
}

/// `*` stands for any run of characters.
fn wild(pattern: &str, text: &str) -> bool {
    let parts = parts(pattern);
    let mut parts = parts.iter().map(String::as_str);
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            match rest.find(before) {
                Some(at) => rest = &rest[at + before.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |tail| rest.ends_with(tail))
}

/// Which requests of the client were asked for. The handshake, and what ends a session, always are.
fn selection(connection: &Connection, policy: &Policy) -> Result<Vec<bool>> {
    let place = |name: &Option<String>| match name {
        None => Ok(None),
        Some(name) => find(connection, name).map(Some),
    };
    let (from, to) = (place(&policy.from)?, place(&policy.to)?);
    let any = |patterns: &[String], exchange: &Exchange| patterns.iter().any(|pattern| fits(pattern, exchange));
    Ok(connection
        .exchanges
        .iter()
        .enumerate()
        .map(|(at, exchange)| {
            connection.profile.access(&exchange.method) == Access::Handshake
                || (policy.only.is_empty() || any(&policy.only, exchange))
                    && !any(&policy.skip, exchange)
                    && from.is_none_or(|from| from <= at)
                    && to.is_none_or(|to| at <= to)
        })
        .collect())
}

/// The request of the client that a user means: `#7`, `7`, or the first that a pattern fits.
pub(crate) fn find(connection: &Connection, name: &str) -> Result<usize> {
    let label = format!("#{name}");
    let mine = |exchange: &&Exchange| exchange.issuer == Side::Client;
    let all = || connection.exchanges.iter();
    let exact = all().position(|exchange| mine(&exchange) && (exchange.label() == name || exchange.label() == label));
    exact.or_else(|| all().position(|exchange| mine(&exchange) && fits(name, exchange))).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("no request of {} is named {name}", connection.key))
            .hint("`rpctape ls` and `rpctape show` list the requests; write #7, or a method, or method:tool")
    })
}

#[cfg(test)]
mod tests {
    use super::{naming, wild};

    #[test]
    fn a_name_is_named_by_itself_alone() {
        for (name, other) in [("get*", "getx"), ("a /b", "a b"), ("a\\b", "a\\\\b"), ("\\*", "\\x"), ("* /*", "x /y")] {
            let pattern = naming("tools/call", Some(name));
            assert!(wild(&pattern, &format!("tools/call:{name}")), "{pattern}");
            assert!(!wild(&pattern, &format!("tools/call:{other}")), "{pattern} {other}");
            assert_eq!(crate::replay::compare::scoped(&format!("{pattern} /result/x")), (Some(&*pattern), "/result/x"));
        }
        assert!(wild(r"a\b", r"a\b") && wild(r"c:\x*", r"c:\xyz"), "a backslash before anything else is one");
    }

    #[test]
    fn a_star_is_any_run_of_characters() {
        for (pattern, text) in
            [("*", ""), ("a*", "abc"), ("*c", "abc"), ("a*c", "ac"), ("a*b*c", "aXbYc"), ("abc", "abc")]
        {
            assert!(wild(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a*c", "a"), ("ab*ba", "aba"), ("", "a"), ("*b", "a")] {
            assert!(!wild(pattern, text), "{pattern} {text}");
        }
    }
}
