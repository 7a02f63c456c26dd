//! Learning what stands beside the bodies: verb, URL, status, session, and what else tells connections apart.

use std::collections::BTreeSet;

use serde_json::Value;

use super::claim::is_name;
use super::layout::{SESSION_HEADER, Slot, session};
use super::learn_bodies::PLACES;
use super::path::{self, Path};
use super::scalars::{Scalars, is_status};
use crate::capture::words::{self, Meaning};

/// True if something shows that this is HTTP.
pub(super) fn is_http(places: &[(Slot, Path)]) -> bool {
    let has = |slot| places.iter().any(|(known, _)| *known == slot);
    has(Slot::Status) && (has(Slot::Verb) || has(Slot::Session)) || has(Slot::Verb) && has(Slot::Url)
}

/// The places of verb, URL, status, session and key.
pub(super) fn beside(scalars: &Scalars<'_>, requests: &[Path], responses: &[Path]) -> Vec<(Slot, Path)> {
    let mut found = Vec::new();
    let request = &requests[0];
    // What lies nearest to the body, and then what lies highest.
    let near = |path: &Path, body: Option<&Path>| {
        let shared = body.map_or(0, |body| path.0.iter().zip(&body.0).take_while(|(a, b)| a == b).count());
        (std::cmp::Reverse(shared), path.0.len())
    };
    let best = |fits: &dyn Fn(&str, &[&Value]) -> bool, body: Option<&Path>| {
        let all = scalars.iter().filter(|(path, values)| fits(&path.plain_key(), values));
        all.map(|(path, _)| path).min_by_key(|path| near(path, body)).cloned()
    };
    let verb = best(&|_, values| values.iter().all(|value| value.as_str().is_some_and(is_verb)), Some(request));
    found.extend(verb.map(|path| (Slot::Verb, path)));
    let is_url = |key: &str, values: &[&Value]| {
        const KEYS: [&str; 9] =
            ["path", "uri", "url", "endpoint", "requesturi", "requesturl", "requestpath", "httptarget", "urlpath"];
        KEYS.contains(&key) && values.iter().all(|value| value.as_str().is_some_and(|text| text.contains('/')))
    };
    found.extend(best(&is_url, Some(request)).map(|path| (Slot::Url, path)));
    let status = |key: &str, values: &[&Value]| values.iter().all(|value| is_status(key, value));
    found.extend(best(&status, responses.first()).map(|path| (Slot::Status, path)));
    let cut = |body: Option<&Path>, slot: Slot| cut_flag(body).map(|path| (slot, path));
    found.extend(cut(Some(request), Slot::RequestCut));
    found.extend(cut(responses.first(), Slot::ResponseCut));
    let sessions = sessions(scalars, request);
    let keyless = sessions.is_empty();
    found.extend(sessions.into_iter().map(|path| (Slot::Session, path)));
    if keyless {
        found.extend(key(scalars).map(|path| (Slot::Key, path)));
    }
    found
}

pub(super) fn is_verb(text: &str) -> bool {
    ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].iter().any(|verb| verb.eq_ignore_ascii_case(text))
}

/// A member beside a body that says that it was cut: booleans are no scalars here, so it is named without being seen.
fn cut_flag(body: Option<&Path>) -> Option<Path> {
    let mut keys = body?.0.clone();
    *keys.last_mut()? = "truncated".into();
    Some(Path(keys))
}

/// Where records name the session: its header, and a field beside it that says the same or says it where the header was blotted out.
fn sessions(scalars: &Scalars<'_>, request: &Path) -> Vec<Path> {
    let shared = |path: &Path| path.0.iter().zip(&request.0).take_while(|(a, b)| a == b).count();
    let nearest_first = |paths: &mut Vec<&Path>| {
        paths.sort_by_key(|path| (std::cmp::Reverse(shared(path)), path.0.len()));
    };
    let mut found: Vec<&Path> =
        scalars.iter().filter(|(path, values)| is_header(path, values)).map(|(path, _)| path).collect();
    let in_headers: BTreeSet<String> = found.iter().flat_map(|path| named_at(path, scalars)).collect();
    nearest_first(&mut found);
    // A response to a handshake may name under the same key what its request could not.
    let fields = || scalars.keys().filter(|path| is_named(path) && !found.contains(path));
    let key = fields().min_by_key(|path| path.0.len()).map(Path::plain_key);
    let mut fields: Vec<&Path> = fields().filter(|path| Some(path.plain_key()) == key).collect();
    if in_headers.is_empty()
        || fields.iter().flat_map(|path| named_at(path, scalars)).any(|name| in_headers.contains(&name))
    {
        nearest_first(&mut fields);
        found.extend(fields);
    }
    found.into_iter().take(PLACES).cloned().collect()
}

/// True for a header that names the session, or for headers of which one does.
fn is_header(path: &Path, values: &[&Value]) -> bool {
    let text = |value: &&Value| value.as_str().is_some_and(|text| text.to_ascii_lowercase().contains(SESSION_HEADER));
    path.0.iter().rev().take(2).any(|key| path::plain(key).ends_with("mcpsessionid")) || values.iter().any(text)
}

fn is_named(path: &Path) -> bool {
    let is_session = |key: &String| matches!(words::meaning(key), Some((Meaning::Session, _)));
    names(path).iter().any(is_session) || path.plain_key().contains("mcpsession")
}

/// The names of sessions that stand at a place.
fn named_at(path: &Path, scalars: &Scalars<'_>) -> Vec<String> {
    let names = scalars[path].iter().filter_map(|value| Some(session(&value.to_string())?.into_owned()));
    names.filter(|name| is_name(name)).collect()
}

/// What a value is called: its key, and where that says little (`session/id`, `pod/name`) the one around it with it.
fn names(path: &Path) -> Vec<String> {
    let around = path.0.iter().rev().nth(1).map(|outer| path::plain(outer) + &path.plain_key());
    std::iter::once(path.plain_key()).chain(around).collect()
}

/// What else names a server or a client, where it is the same for several exchanges.
fn key(scalars: &Scalars<'_>) -> Option<Path> {
    let few = |values: &[&Value]| {
        let mut all: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        all.sort_unstable();
        all.dedup();
        all.len() == 1 || all.len() * 2 <= values.len()
    };
    let rank = |path: &Path| {
        let meanings = names(path).into_iter().filter_map(|name| words::meaning(&name));
        meanings.filter(|(meaning, _)| *meaning == Meaning::Connection).map(|(_, rank)| rank).min()
    };
    let ranked = scalars.iter().filter(|(_, values)| few(values));
    let ranked = ranked.filter_map(|(path, _)| Some(((path.0.len(), rank(path)?), path)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, path)| path.clone())
}
