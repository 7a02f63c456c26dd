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
mod layers;
mod pending;
mod place;
mod pointer;
mod probe;
mod reader;
mod repeats;
mod schema;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, OnceLock};

use memchr::memmem;

pub(super) use builtin::BUILT_IN;

use super::format::{Format, Match, Reader};
use super::sample::Sample;
use super::{Proof, Vantage};
use crate::error::{Error, Result};
use compile::Definition;
use schema::Continuation;

/// A format that is a definition.
pub(crate) struct Defined {
    name: &'static str,
    text: &'static str,
    file: OnceLock<schema::File>,
    ready: OnceLock<Arc<Definition>>,
}

impl Defined {
    const fn new(name: &'static str, text: &'static str) -> Defined {
        Defined { name, text, file: OnceLock::new(), ready: OnceLock::new() }
    }

    fn file(&self) -> &schema::File {
        self.file.get_or_init(|| {
            schema::parse(self.name, self.text).expect("definitions are checked when loaded, built-in ones by a test")
        })
    }

    fn ready(&self) -> &Arc<Definition> {
        self.ready.get_or_init(|| {
            let definition = compile::compile(self.name, self.file());
            Arc::new(definition.expect("definitions are checked when loaded, built-in ones by a test"))
        })
    }
}

impl Format for Defined {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.ready().about
    }

    fn proof(&self) -> Proof {
        self.ready().proof
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let signs = &self.file().detect.contains;
        let text = sample.text().as_bytes();
        if !signs.iter().any(|sign| memmem::find(text, sign.as_bytes()).is_some()) {
            return None;
        }
        let definition = self.ready();
        let seen = probe::probe(definition, sample);
        if seen.messages == 0 {
            return None;
        }
        let many = if seen.messages == 1 { "1 message" } else { &format!("{} messages", seen.messages) };
        Match::new(
            definition.score,
            format!("its head holds {many} in this form, the first at line {}", sample.lines_before + seen.first),
        )
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let definition = self.ready();
        let seen = probe::probe(definition, sample);
        let vantage = definition.vantage.or(match seen.logger {
            Some((crate::protocol::Side::Client, _)) => Some(Vantage::Client),
            Some((crate::protocol::Side::Server, _)) => Some(Vantage::Server),
            None => None,
        });
        let reader =
            Box::new(reader::DefinitionReader::new(Arc::clone(definition), vantage.unwrap_or(definition.otherwise)));
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
        let ready = Arc::new(compile::compile("text-log", &file).ok()?);
        Some((file, ready))
    });
    if let Some((file, ready)) = ready {
        let (file, ready) = (defined.file.set(file), defined.ready.set(ready));
        debug_assert!(file.is_ok() && ready.is_ok(), "a new definition is empty");
    }
    defined
}

/// Loads a definition from a file of the user's. Each text is compiled and kept once for the life of the program.
pub(super) fn load(path: &str) -> Result<&'static Defined> {
    static LOADED: Mutex<Vec<(String, &'static Defined)>> = Mutex::new(Vec::new());
    let hint = "--format-in takes the name of a format (`rpctape formats` lists them) or the file of a definition";
    let text = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, &error).hint(hint))?;
    let file = schema::parse(path, &text)?;
    let ready = Arc::new(compile::compile(path, &file)?);
    let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, known)) = loaded.iter().find(|(known, _)| *known == text) {
        return Ok(known);
    }
    let defined = Defined::new(ready.name, "");
    let (file, ready) = (defined.file.set(file), defined.ready.set(ready));
    debug_assert!(file.is_ok() && ready.is_ok(), "a new definition is empty");
    let defined: &'static Defined = Box::leak(Box::new(defined));
    loaded.push((text, defined));
    Ok(defined)
}
