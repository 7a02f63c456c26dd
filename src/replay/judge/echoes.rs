//! What was put into requests in the place of what was recorded, and what their answers may say of it, or must.

use std::borrow::Cow;
use std::collections::HashSet;

use super::run::One;
use crate::protocol::Side;
use crate::replay::rewrite::file_uri;
use crate::replay::splice;

/// Values of fewer bytes of JSON text are taken for an echo only in the answer to the request that they were put into.
const TELLING: usize = 6;

/// True for a value that became another one, and that others are hardly equal to by chance.
fn is_telling((old, new): &(String, String)) -> bool {
    old != new && old.len() >= TELLING
}

impl One<'_> {
    /// What was put into a request: values that flowed there, and those that were set.
    pub(super) fn put_into(&self, place: usize) -> impl Iterator<Item = (String, String)> {
        let flowed = self.log.exchanges[place].substituted.iter().filter_map(|it| it.values.clone());
        let request = self.connection.request(&self.connection.exchanges[place]);
        let set = self.options.rewrite.set.iter();
        flowed.chain(set.filter_map(|(pointer, new)| Some((splice::at(request, pointer)?.to_string(), new.clone()))))
    }

    /// Paths that were mapped, as JSON: as they are written, and as URIs have them.
    fn mapped(&self) -> Vec<(String, String)> {
        let json = |text: &String| serde_json::Value::from(text.as_str()).to_string();
        let maps = || self.options.rewrite.map_path.iter();
        let paths = maps().map(|(old, new)| (json(old), json(new)));
        // A URI in which nothing is encoded holds the path as it is.
        let is_encoded = |path: &String| file_uri(path).is_some_and(|uri| !uri.ends_with(path.as_str()));
        let encoded = maps().filter(|(old, new)| is_encoded(old) || is_encoded(new));
        let uris = encoded.filter_map(|(old, new)| Some((json(&file_uri(old)?), json(&file_uri(new)?))));
        paths.chain(uris).collect()
    }

    /// What an answer may say instead of the recorded value: what was put into requests, and paths that were mapped.
    pub(super) fn echoes(&self) -> Vec<(String, String)> {
        let mut seen = HashSet::new();
        let asked = (0..self.connection.exchanges.len())
            .filter(|place| self.connection.exchanges[*place].issuer == Side::Client);
        let values = asked.flat_map(|place| self.put_into(place)).chain(self.mapped());
        let mut echoes: Vec<_> = values.filter(is_telling).collect();
        echoes.retain(|echo| seen.insert(echo.clone()));
        // The longest first: a value may be a part of another.
        echoes.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
        echoes
    }

    /// Those of one request, in the answer to which the live value is due.
    pub(super) fn due(&self, place: usize) -> Vec<(String, String)> {
        let request = self.connection.request(&self.connection.exchanges[place]);
        let asked_there = |(old, _): &(String, String)| request.contains(old.trim_matches('"'));
        let mapped = self.mapped().into_iter().filter(asked_there);
        self.put_into(place).chain(mapped).filter(is_telling).collect()
    }

    /// The same for one exchange: its own answer may echo short values too, elsewhere they would be equal by chance.
    pub(super) fn echoes_of<'e>(&self, place: usize, all: &'e [(String, String)]) -> Cow<'e, [(String, String)]> {
        let short: Vec<_> = self.put_into(place).filter(|(old, new)| old != new && old.len() < TELLING).collect();
        if short.is_empty() { Cow::Borrowed(all) } else { Cow::Owned([all, &short].concat()) }
    }
}
