//! Formats as data: a definition in TOML tells where a record starts, what it holds and what that means.
//!
//! Most logs are a prefix and a message. Such a format is a file under `capture/definitions/`, or one of the user's
//! own (`--format-in FILE.toml`); `docs/formats.md` says what every key means. `schema` reads the text, `compile`
//! makes it ready, `reader` finds records, `emit` makes frames of them.
//!
//! One expression a line is tried, after a search for a literal that every record has (`record.contains`).

mod balance;
mod builtin;
mod clock;
mod compile;
mod condition;
mod decode;
mod emit;
mod exchange;
mod head;
mod layers;
mod made;
mod misfit;
mod pairing;
mod parties;
mod parts;
mod pending;
mod place;
mod pointer;
mod probe;
mod reader;
mod ready;
mod repeats;
mod schema;
mod tell;

#[cfg(test)]
mod tell_tests;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

pub(super) use builtin::BUILT_IN;

use super::format::{Format, LineReader, Match, Misfit, Reader};
use super::lines::Line;
use super::out::Out;
use super::sample::Sample;
use super::{Proof, Vantage};
use crate::error::{Error, ErrorKind, Result};
use exchange::Exchanges;
use ready::Definition;
use schema::Continuation;

/// How much it tells that a log has messages of one direction in a form, where others of it are not in that form: less than a form
/// that is learned from all.
const HALF_READ: u8 = 50;

/// A format that is a definition.
pub(crate) struct Defined {
    name: &'static str,
    text: &'static str,
    signs: OnceLock<Vec<String>>,
    file: OnceLock<schema::File>,
    ready: OnceLock<Ready>,
    /// True for a definition of the user's, which nobody has tried on other logs.
    own: bool,
    prefixes: OnceLock<misfit::Prefixes>,
}

/// A definition, ready to read with.
enum Ready {
    /// Records with a message each.
    Messages(Arc<Definition>),
    /// Records with an HTTP request and its response each.
    Exchanges(Exchanges),
}

impl Ready {
    /// Compiles a definition; `name` names its file in errors.
    fn new(name: &str, file: &schema::File) -> Result<Ready> {
        Ok(match &file.exchange {
            Some(own) => Ready::Exchanges(exchange::compile(name, file, own)?),
            None => Ready::Messages(Arc::new(compile::compile(name, file)?)),
        })
    }

    fn name(&self) -> &'static str {
        match self {
            Ready::Messages(definition) => definition.name,
            Ready::Exchanges(exchanges) => exchanges.name,
        }
    }
}

impl Defined {
    const fn new(name: &'static str, text: &'static str) -> Defined {
        Defined {
            name,
            text,
            signs: OnceLock::new(),
            file: OnceLock::new(),
            ready: OnceLock::new(),
            own: false,
            prefixes: OnceLock::new(),
        }
    }

    fn file(&self) -> &schema::File {
        self.file.get_or_init(|| {
            schema::parse(self.name, self.text).expect("definitions are checked when loaded, built-in ones by a test")
        })
    }

    /// What a text must hold. Most logs hold the signs of one format, so the others are read no further than to theirs.
    fn signs(&self) -> &[String] {
        if let Some(file) = self.file.get() {
            return &file.detect.contains;
        }
        self.signs.get_or_init(|| schema::signs(self.text).unwrap_or_else(|| self.file().detect.contains.clone()))
    }

    fn ready(&self) -> &Ready {
        self.ready.get_or_init(|| {
            let ready = Ready::new(self.name, self.file());
            ready.expect("definitions are checked when loaded, built-in ones by a test")
        })
    }
}

impl Format for Defined {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        match self.ready() {
            Ready::Messages(definition) => definition.about,
            Ready::Exchanges(exchanges) => exchanges.about,
        }
    }

    fn proof(&self) -> Proof {
        match self.ready() {
            Ready::Messages(definition) => definition.proof,
            Ready::Exchanges(_) => exchange::PROOF,
        }
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        if !self.is_near(sample) {
            return None;
        }
        let definition = match self.ready() {
            Ready::Messages(definition) => definition,
            Ready::Exchanges(exchanges) => return exchanges.detect(sample),
        };
        let seen = probe::probe(definition, sample);
        if seen.messages == 0 {
            return None;
        }
        let tells = |line: &&str| !line.starts_with('{') && line.contains("\"jsonrpc\"");
        let with_messages = || sample.lines().filter(tells).count();
        // The words of another program may be like these for one direction; what it calls the other one stays unread.
        let half = !seen.both_ways && with_messages() * 4 >= seen.messages * 5;
        let score = if half { definition.score.min(HALF_READ) } else { definition.score };
        let many = if seen.messages == 1 { "1 message" } else { &format!("{} messages", seen.messages) };
        Match::new(
            score,
            format!("its head holds {many} in this form, the first at line {}", sample.lines_before + seen.first),
        )
    }

    fn misfit(&self, sample: &Sample) -> Option<Misfit> {
        let Ready::Messages(definition) = self.ready() else { return None };
        let prefixes = self.prefixes.get_or_init(|| misfit::Prefixes::of(&definition.start.regex));
        misfit::misfit(definition, prefixes, sample)
    }

    fn is_near(&self, sample: &Sample) -> bool {
        self.signs().iter().any(|sign| sample.holds(sign))
    }

    fn members(&self, sample: &Sample) -> Option<&[String]> {
        // Most definitions have none, and are not read for them.
        let may_have = self.text.contains("\nmembers = ") && self.is_near(sample);
        let members = may_have.then(|| self.file().record.members.as_slice())?;
        members.iter().all(|member| sample.holds(&format!("\"{member}\""))).then_some(members)
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let definition = match self.ready() {
            Ready::Messages(definition) => definition,
            Ready::Exchanges(exchanges) => return exchanges.reader(sample),
        };
        let seen = probe::probe(definition, sample);
        let vantage = definition.vantage.or(match seen.logger {
            Some((crate::protocol::Side::Client, _)) => Some(Vantage::Client),
            Some((crate::protocol::Side::Server, _)) => Some(Vantage::Server),
            None => None,
        });
        if let Some(error) = self.turned_round(&seen) {
            return Reader::Ordered(Box::new(Refusal(Some(error))));
        }
        let reader = reader::DefinitionReader::new(Arc::clone(definition), vantage.unwrap_or(definition.otherwise));
        let reader = Box::new(reader.proving(self.proven(definition, &seen)));
        // Only single lines that need nothing from those before them can be taken up in the middle.
        let alone = definition.continuation == Continuation::Line
            && !definition.sticky
            && definition.unwrap.is_none()
            && definition.standing != Some(schema::Standing::Below);
        if alone && seen.dated { Reader::Lines(reader) } else { Reader::Ordered(reader) }
    }
}

/// A definition that was learned from a log; one that cannot be used reads nothing but messages.
pub(super) fn learned(text: &str) -> Defined {
    let defined = Defined::new("text-log", "");
    let plain = "name = \"text-log\"\n[record]\nmessage = \"anywhere\"\n";
    let ready = [text, plain].into_iter().find_map(|text| {
        let file = schema::parse("text-log", text).ok()?;
        let ready = Ready::new("text-log", &file).ok()?;
        Some((file, ready))
    });
    if let Some((file, ready)) = ready {
        let (file, ready) = (defined.file.set(file), defined.ready.set(ready));
        debug_assert!(file.is_ok() && ready.is_ok(), "a new definition is empty");
    }
    defined
}

impl Defined {
    /// What the log can prove, going by its head.
    fn proven(&self, definition: &Definition, seen: &probe::Probe) -> Proof {
        let mut proof = definition.proof;
        if definition.makes && seen.bare > 0 {
            proof = proof.without(Proof::PAYLOAD).without(Proof::CANCEL_TARGET);
        }
        // Where most messages lack the member, it is not the wire that lacks it.
        if self.own && seen.enveloped * 2 < seen.messages {
            proof = proof.without(Proof::ENVELOPE);
        }
        proof
    }

    /// A definition of the user's that has the two sides the wrong way round would accuse both of everything.
    fn turned_round(&self, seen: &probe::Probe) -> Option<Error> {
        let (right, wrong) = seen.sides;
        let (line, method) = seen.contrary.as_ref().filter(|_| self.own && wrong > right)?;
        let what = format!("by the definition {} the wrong side sends {method} (line {line})", self.name);
        let hint = "its [direction] names the two sides the wrong way round: swap c2s and s2c, sent and received, or \
                    the vantage";
        Some(Error::new(ErrorKind::Usage, what).hint(hint))
    }
}

/// Reads nothing, for a reason.
struct Refusal(Option<Error>);

impl LineReader for Refusal {
    fn line(&mut self, _: &Line<'_>, _: &mut Out<'_>) -> Result<()> {
        self.0.take().map_or(Ok(()), Err)
    }
}

/// Loads a definition from a file of the user's. Each text is compiled and kept once for the life of the program.
pub(super) fn load(path: &str) -> Result<&'static Defined> {
    static LOADED: Mutex<Vec<(String, &'static Defined)>> = Mutex::new(Vec::new());
    let hint = "--format-in takes the name of a format (`rpctape formats` lists them) or the file of a definition";
    let text =
        crate::output::read_small(Path::new(path)).map_err(|error| Error::io("read", path, &error).hint(hint))?;
    let file = schema::parse(path, &text)?;
    let ready = Ready::new(path, &file)?;
    let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, known)) = loaded.iter().find(|(known, _)| *known == text) {
        return Ok(known);
    }
    let defined = Defined { own: true, ..Defined::new(ready.name(), "") };
    let (file, ready) = (defined.file.set(file), defined.ready.set(ready));
    debug_assert!(file.is_ok() && ready.is_ok(), "a new definition is empty");
    let defined: &'static Defined = Box::leak(Box::new(defined));
    loaded.push((text, defined));
    Ok(defined)
}
