//! Secrets: finding what looks like one in the text of a message, and replacing its bytes, and no others, by a typed
//! placeholder: `<<secret:token#1>>`. The same secret has the same placeholder within one run, so that what is equal stays equal.
//!
//! Best effort: what no name and no shape gives away is not found. Nothing here parses a message into a tree or writes
//! one anew: a secret's bytes are cut out, and JSON stays the JSON that it was.

mod bare;
mod blocks;
#[cfg(test)]
mod bounds;
mod commands;
#[cfg(test)]
mod corpus;
mod given;
mod hints;
mod label;
mod labels;
mod level;
mod lines;
mod links;
mod made;
mod names;
mod near;
mod packed;
mod shapes;
mod stand_ins;
mod tables;
#[cfg(test)]
mod tests;
mod unescape;
mod values;
mod vendors;
mod vocabulary;
mod walk;
mod words;

pub use given::is_secret;
pub use names::{TIED, is_of_envelope, is_visible, kind_named};

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use regex::Regex;

/// What a user adds to the usual set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Custom {
    /// Names of members that hold a secret.
    pub keys: Vec<String>,
    /// Places of secrets in a message, as JSON pointers.
    pub paths: Vec<String>,
    /// Shapes of secrets, as regular expressions.
    pub values: Vec<String>,
    /// True to take e-mail addresses too.
    pub emails: bool,
}

impl Custom {
    /// Says which expression is broken, and how.
    pub fn check(&self) -> Result<(), String> {
        let broken = |value: &String| {
            let error = Regex::new(value).err()?;
            let text = error.to_string();
            Some(format!("`{value}`: {}", text.lines().last().unwrap_or("no regular expression").trim()))
        };
        self.values.iter().find_map(broken).map_or(Ok(()), Err)
    }
}

/// A secret that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// JSON pointer of the string that held it; empty where the text is not JSON.
    pub pointer: String,
    /// The pointer inside that string, where it holds JSON itself.
    pub inner: String,
    /// What stands there now, without what is around it: `token#1`.
    pub name: String,
}

/// Finds and replaces; remembers what it has replaced.
#[derive(Clone, Debug)]
pub struct Redactor {
    keys: Vec<String>,
    paths: Vec<String>,
    shapes: shapes::Shapes,
    /// True where a text is looked into only if it holds a hint; a user's own wishes go beyond what these tell.
    hinted: bool,
    /// The kind and the name of each secret.
    seen: HashMap<String, (&'static str, String)>,
    numbers: BTreeMap<&'static str, u64>,
    /// A private key that has begun in an earlier text.
    lines: lines::Lines,
    counts: BTreeMap<&'static str, u64>,
    kept: BTreeMap<&'static str, u64>,
}

impl Default for Redactor {
    fn default() -> Redactor {
        Redactor::new(&Custom::default())
    }
}

impl Redactor {
    /// The usual set, and what a user adds. An expression that is broken is left out: see [`Custom::check`].
    pub fn new(custom: &Custom) -> Redactor {
        Redactor {
            keys: custom.keys.iter().map(|key| names::plain(key)).collect(),
            paths: custom.paths.clone(),
            shapes: shapes::Shapes::new(custom),
            hinted: *custom == Custom::default(),
            seen: HashMap::new(),
            numbers: BTreeMap::new(),
            lines: lines::Lines::default(),
            counts: BTreeMap::new(),
            kept: BTreeMap::new(),
        }
    }

    /// The same without the shapes that a user adds: for a text in which they were replaced piece by piece. They may be words that stand
    /// in any text.
    pub fn without_values(mut self) -> Redactor {
        self.shapes = shapes::Shapes::new(&Custom::default());
        self
    }

    /// The text without its secrets. It may be a message, a part of one that was cut off, or no JSON at all.
    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.replace(text).0
    }

    /// The same, with what was replaced, in order.
    pub fn replace<'t>(&mut self, text: &'t str) -> (Cow<'t, str>, Vec<Replaced>) {
        let hits = self.hits(text);
        if hits.is_empty() {
            return (Cow::Borrowed(text), Vec::new());
        }
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        let mut replaced = Vec::with_capacity(hits.len());
        for hit in hits {
            let name = self.name(hit.kind, &hit.secret);
            out.push_str(&text[from..hit.start]);
            out.push_str(&hit.mark);
            out.push_str(&names::written(&name));
            out.push_str(&hit.mark);
            from = hit.end;
            replaced.push(Replaced { pointer: hit.pointer, inner: hit.inner, name });
        }
        out.push_str(&text[from..]);
        (Cow::Owned(out), replaced)
    }

    /// A text that was redacted before: its numbers are taken.
    pub fn note_placeholders(&mut self, text: &str) {
        self.hits(text);
    }

    /// The kind of the first secret in a text, where there is one; [`TIED`] where one is an id, and stays. Nothing is remembered of it.
    pub fn first_kind(&mut self, text: &str) -> Option<&'static str> {
        let (lines, kept) = (self.lines, self.kept_in_all());
        let first = self.hits(text).first().map(|hit| hit.kind);
        self.lines = lines;
        first.or((self.kept_in_all() > kept).then_some(TIED))
    }

    fn kept_in_all(&self) -> u64 {
        self.kept.values().sum()
    }

    /// A command line without its secrets; what follows `--token` is one, whatever it looks like.
    pub fn args(&mut self, args: &[String]) -> Vec<String> {
        let mut secret = None;
        let mut clean = Vec::with_capacity(args.len());
        let fitting =
            |said: names::Said, value: &str| (said.fits(value) && !stand_ins::names_place(value)).then_some(said.kind);
        for arg in args {
            let kind = secret.take().and_then(|said| fitting(said, arg));
            if let Some(name) = arg.strip_prefix('-').map(|arg| arg.trim_start_matches('-')) {
                secret = names::said(name, &self.keys);
                let value = name
                    .split_once('=')
                    .and_then(|(name, value)| Some((fitting(names::said(name, &self.keys)?, value)?, value)));
                clean.push(match value {
                    Some((kind, value)) if !value.is_empty() => {
                        format!("{}{}", &arg[..arg.len() - value.len()], self.placeholder(kind, value))
                    }
                    _ => self.text(arg).into_owned(),
                });
                continue;
            }
            clean.push(match kind {
                Some(kind) => self.placeholder(kind, arg),
                None => self.text(arg).into_owned(),
            });
        }
        clean
    }

    fn placeholder(&mut self, kind: &'static str, secret: &str) -> String {
        names::written(&self.name(kind, secret))
    }

    /// How many were replaced, by kind.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    /// What looks like a secret and was kept, because it is an id, a progress token or what names one: how many times, by kind.
    pub fn kept(&self) -> &BTreeMap<&'static str, u64> {
        &self.kept
    }

    /// The secrets of a text, in order and apart from each other.
    fn hits(&mut self, text: &str) -> Vec<walk::Hit> {
        if self.hinted && !self.lines.are_open() && !shapes::is_hinted(text) && !packed::stands_in(text) {
            return Vec::new();
        }
        let mut walk = walk::Walk {
            keys: &self.keys,
            paths: &self.paths,
            shapes: &self.shapes,
            placeholders: Vec::new(),
            tied: Vec::new(),
            packed: 0,
            lines: &mut self.lines,
            stream: tells_of_a_stream(text),
        };
        let mut hits = walk.hits(text);
        walk.tied.iter().for_each(|kind| *self.kept.entry(kind).or_default() += 1);
        for (kind, number) in walk.placeholders {
            // A text that was redacted before: its numbers are taken.
            let highest = self.numbers.entry(kind).or_default();
            *highest = (*highest).max(number);
        }
        // What was cut off ends before the break of its line.
        let end = text.trim_end_matches(['\n', '\r']).len();
        hits.iter_mut().for_each(|hit| hit.end = hit.end.min(end));
        hits.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end)));
        apart(hits)
    }

    fn name(&mut self, kind: &'static str, secret: &str) -> String {
        if let Some((kind, name)) = self.seen.get(secret) {
            *self.counts.entry(kind).or_default() += 1;
            return name.clone();
        }
        let kind = names::kind_of(kind, secret);
        *self.counts.entry(kind).or_default() += 1;
        let number = self.numbers.entry(kind).or_default();
        *number += 1;
        let name = format!("{kind}#{number}");
        self.seen.insert(secret.to_string(), (kind, name.clone()));
        name
    }
}

/// True for an event of a stream, by itself or as the line of a recording. Its id is a server's text, and pairs nothing: that
/// of a message stands beside one of the words of JSON-RPC.
fn tells_of_a_stream(text: &str) -> bool {
    let line =
        text.starts_with("{\"q\":") && ["\"k\":\"sse\"", "\"k\": \"sse\""].iter().any(|kind| text.contains(kind));
    line || !["jsonrpc", "\"method\"", "\"result\"", "\"error\""].iter().any(|word| text.contains(word))
}

/// For a line of text: `14 values (authz 9, password 5)`.
pub fn told(counts: &BTreeMap<&'static str, u64>) -> String {
    let all: u64 = counts.values().sum();
    let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    match all {
        0 => "nothing".to_string(),
        1 => format!("1 value ({})", kinds.join(", ")),
        all => format!("{all} values ({})", kinds.join(", ")),
    }
}

/// Secrets apart from each other, of those in order. Two that share something go together: what is left of one of them would be
/// a part of a secret.
fn apart(hits: Vec<walk::Hit>) -> Vec<walk::Hit> {
    let mut apart: Vec<walk::Hit> = Vec::with_capacity(hits.len());
    for hit in hits.into_iter().filter(|hit| hit.end > hit.start) {
        match apart.last_mut() {
            Some(last) if hit.start < last.end && hit.end > last.end => {
                last.end = hit.end;
                last.secret.push_str(&hit.secret);
            }
            Some(last) if hit.start < last.end => {}
            _ => apart.push(hit),
        }
    }
    apart
}
