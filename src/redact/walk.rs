//! One pass over a text: JSON is read token by token (also where it is cut off), everything else is searched as it is.

use super::level::{Level, holds_value, is_place, is_progress};
use super::lines::Lines;
use super::names::{self, Said};
use super::packed;
use super::shapes::Shapes;
use super::stand_ins::{is_plain_word, is_stand_in};
use super::unescape::Unescaped;
use crate::json::scan::closing_quote;

/// JSON inside a string inside JSON is followed this deep.
const DEEPEST: u8 = 3;

/// A secret.
#[derive(Debug)]
pub struct Hit {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its kind.
    pub kind: &'static str,
    /// What it is.
    pub secret: String,
    /// The string that holds it.
    pub pointer: String,
    /// The pointer inside that string.
    pub inner: String,
    /// The quotation mark of a string at this place, for what is none so far.
    pub mark: String,
}

/// What is looked for, and the placeholders that were met.
pub struct Walk<'w> {
    /// Names of a user's own.
    pub keys: &'w [String],
    /// Places of a user's own.
    pub paths: &'w [String],
    /// Shapes.
    pub shapes: &'w Shapes,
    /// Kinds and numbers.
    pub placeholders: Vec<(&'static str, u64)>,
    /// Kinds of what looks like a secret and stays, because it ties messages together.
    pub tied: Vec<&'static str>,
    /// How deep in base64 the text stands that is being looked at.
    pub packed: u8,
    /// A private key whose lines come one by one.
    pub lines: &'w mut Lines,
    /// True for the line of a recording that tells of an event of a stream: its id is a server's text, and pairs nothing.
    pub stream: bool,
}

impl Walk<'_> {
    /// The secrets of a text, in no order.
    pub fn hits(&mut self, text: &str) -> Vec<Hit> {
        self.within(text, 0)
    }

    fn within(&mut self, text: &str, depth: u8) -> Vec<Hit> {
        match is_json(text) {
            true if is_escaped(text) => self.escaped(text, depth),
            true => self.json(text, depth),
            false => self.shaped(text, 0, &|offset| offset, &String::new),
        }
    }

    /// JSON as the content of a string of JSON, without the string: `{\"password\":\"...\"}`.
    fn escaped(&mut self, text: &str, depth: u8) -> Vec<Hit> {
        let Some(plain) = Unescaped::of(text).filter(|_| depth < DEEPEST) else {
            return self.shaped(text, 0, &|offset| offset, &String::new);
        };
        let found = self.within(&plain.text, depth + 1).into_iter();
        found.map(|hit| Hit { start: plain.before(hit.start), end: plain.before(hit.end), ..hit }).collect()
    }

    fn json(&mut self, text: &str, depth: u8) -> Vec<Hit> {
        // Some writers escape the slash.
        let sealed = memchr::memmem::find(text.as_bytes(), b"\"Secret\"").is_some();
        let progress = ["$/progress", "$\\/progress", "workDoneProgress"].iter().any(|name| text.contains(name));
        let (mut hits, mut levels) = (Vec::new(), Vec::<Level<'_>>::new());
        let (bytes, mut at) = (text.as_bytes(), 0);
        while at < bytes.len() {
            match bytes[at] {
                open @ (b'{' | b'[') => {
                    let object = open == b'{';
                    let named = levels.last().and_then(|level| self.by_name(level));
                    // An object has names of its own, which say more than its own does; of a Secret of Kubernetes they say nothing.
                    let data = sealed && levels.last().is_some_and(|level| matches!(level.key, "data" | "stringData"));
                    let holds = match data && object {
                        true => Some(Said { kind: "secret", sure: true }),
                        false => named.map(|said| Said { sure: said.sure && !object, ..said }),
                    };
                    let mut level = Level::opening(object, holds, named);
                    level.program_of(levels.last());
                    levels.push(level);
                }
                b'}' | b']' => {
                    if let Some(level) = levels.pop().filter(|level| !level.object && level.words.len() > 1) {
                        self.command(&level.words, &levels, &mut hits);
                    }
                }
                b',' => {
                    if let Some(level) = levels.last_mut() {
                        level.key_is_next = level.object;
                        level.index += 1;
                    }
                }
                b'"' => {
                    // A text that was cut ends in its last string.
                    let end =
                        closing_quote(bytes, at + 1).unwrap_or(text.trim_end_matches(['\n', '\r']).len().max(at + 1));
                    let content = &text[at + 1..end];
                    match levels.last_mut() {
                        Some(level) if level.key_is_next => {
                            level.key = content;
                            level.key_is_next = false;
                            self.of_name(content, at + 1, &mut hits);
                        }
                        _ => self.value(content, at + 1, &mut levels, progress, depth, &mut hits),
                    }
                    at = end;
                }
                b't' if bytes[at..].starts_with(b"true") => {
                    let flagged = levels.last_mut().map(Level::flagged).unwrap_or_default();
                    for (said, value, start) in flagged {
                        self.whole(value, start, said.kind, &levels, &mut hits);
                    }
                }
                b'-' | b'0'..=b'9' => {
                    let end = at + bytes[at..].iter().take_while(|byte| is_of_number(**byte)).count();
                    self.number(&text[at..end], at, &levels, depth, &mut hits);
                    at = end - 1;
                }
                _ => {}
            }
            at += 1;
        }
        hits
    }

    /// A number that is a password by its name. It becomes a string, so that JSON stays JSON.
    fn number(&self, content: &str, start: usize, levels: &[Level<'_>], depth: u8, hits: &mut Vec<Hit>) {
        let Some(level) = levels.last().filter(|level| level.object && depth < DEEPEST && content.len() >= 4) else {
            return;
        };
        let said = names::said(&level.name(), self.keys);
        let Some(said) = said.filter(|said| said.sure && matches!(said.kind, "password" | "custom")) else { return };
        hits.push(Hit {
            start,
            end: start + content.len(),
            kind: said.kind,
            secret: content.to_string(),
            pointer: pointer(levels),
            inner: String::new(),
            mark: format!("{}\"", "\\".repeat((1 << depth) - 1)),
        });
    }

    fn by_name(&self, level: &Level<'_>) -> Option<Said> {
        match level.object {
            false => level.holds,
            true => match names::said(&level.name(), self.keys) {
                Some(said) => Some(Said { sure: said.sure || level.holds.is_some(), ..said }),
                None if holds_value(level.key) && level.named.is_some() => level.named,
                None => level.holds.filter(|_| !names::describes(level.key)),
            },
        }
    }

    /// A name of a member that is a secret itself: tables by token. It is only ever known by its form, or to the user.
    fn of_name(&mut self, content: &str, start: usize, hits: &mut Vec<Hit>) {
        // What a message has in any case tells nothing.
        if names::is_of_envelope(content) {
            return;
        }
        if content.len() >= 20 && !content.contains('\\') {
            return hits.extend(self.shaped(content, start, &|offset| offset, &String::new));
        }
        let plain = if self.shapes.has_own() { Unescaped::of(content) } else { None };
        let Some(plain) = plain else { return };
        let own = self.shapes.find_own(&plain.text).into_iter();
        hits.extend(own.map(|(kind, range)| Hit {
            start: start + plain.before(range.start),
            end: start + plain.before(range.end),
            kind,
            secret: plain.text[range].to_string(),
            pointer: String::new(),
            inner: String::new(),
            mark: String::new(),
        }));
    }

    /// A string that is a value: a secret by its name or its place, or a text that holds some.
    fn value<'t>(
        &mut self,
        content: &'t str,
        start: usize,
        levels: &mut [Level<'t>],
        progress: bool,
        depth: u8,
        hits: &mut Vec<Hit>,
    ) {
        let ties = progress && is_progress(levels) || is_place(levels);
        let named = levels.last().filter(|level| !ties && !names::is_folder(level.key, content));
        let named = named.and_then(|level| self.by_name(level));
        let beside = levels.last_mut().and_then(Level::take_beside);
        // A message may stand in a record, or in a list: a path of it holds there, too.
        let is_wished = |path: &String| !path.is_empty() && pointer(levels).ends_with(path.as_str());
        let placed = self.paths.iter().any(is_wished).then_some(Said { kind: "custom", sure: true });
        // What its own `name` says of a value says more than the name of what holds both.
        if let Some(said) = [placed, beside, named].into_iter().flatten().find(|said| said.fits(content)) {
            return self.whole(content, start, said.kind, levels, hits);
        }
        if let Some(level) = levels.last_mut() {
            level.take_word(content, start);
        }
        let beside = levels.last_mut().map(|level| level.pair(content, start, self.keys)).unwrap_or_default();
        for (said, value, at) in beside {
            self.whole(value, at, said.kind, levels, hits);
        }
        let is_id =
            |level: &Level<'_>| names::ties(level.key) || level.key == "id" && levels.len() <= 2 && !self.stream;
        if ties || levels.last().is_some_and(is_id) {
            self.tied.extend(self.shapes.find(content).first().map(|(kind, _)| *kind));
            return;
        }
        let place = || pointer(levels);
        if !content.contains('\\') && !is_json(content) {
            return hits.extend(self.shaped(content, start, &|offset| offset, &place));
        }
        let Some(plain) = Unescaped::of(content) else {
            return hits.extend(self.shaped(content, start, &|offset| offset, &place));
        };
        let text = plain.text.as_str();
        if depth < DEEPEST && is_json(text) {
            for hit in self.within(text, depth + 1) {
                let (from, to) = (start + plain.before(hit.start), start + plain.before(hit.end));
                hits.push(Hit { start: from, end: to, pointer: place(), inner: hit.pointer, ..hit });
            }
            return;
        }
        hits.extend(self.shaped(text, start, &|offset| plain.before(offset), &place));
    }

    /// The words of a command, one by one, hold what the command holds as a line.
    fn command(&self, words: &[(&str, usize)], levels: &[Level<'_>], hits: &mut Vec<Hit>) {
        if !words[1..].iter().any(|(word, _)| word.starts_with('-')) {
            return;
        }
        // A space in an argument is no end of it.
        let line = words.iter().map(|(word, _)| word.replace(' ', "\u{1}")).collect::<Vec<_>>().join(" ");
        let mut places = Vec::with_capacity(words.len());
        let mut from = 0;
        for (word, _) in words {
            places.push(from);
            from += word.len() + 1;
        }
        for (kind, range) in self.shapes.find(&line) {
            let at = places.partition_point(|place| *place <= range.start).saturating_sub(1);
            let (word, start) = words[at];
            let Some(secret) = word.get(range.start - places[at]..range.end - places[at]) else { continue };
            // What was found before the command ends before it.
            let mut within = hits.iter().rev().take_while(|hit| hit.end > words[0].1);
            let is_found = within.any(|hit| hit.start < start + word.len() && start < hit.end);
            if names::placeholders(word).is_empty() && !is_found {
                let start = start + range.start - places[at];
                let (end, secret, pointer) = (start + secret.len(), secret.to_string(), pointer(levels));
                hits.push(Hit { start, end, kind, secret, pointer, inner: String::new(), mark: String::new() });
            }
        }
    }

    /// A value that is a secret as a whole, but for a scheme before it and a placeholder.
    fn whole(&mut self, content: &str, start: usize, kind: &'static str, levels: &[Level<'_>], hits: &mut Vec<Hit>) {
        let scheme = ["Bearer ", "bearer ", "Basic ", "basic ", "token ", "Token ", "ApiKey ", "Bot "]
            .into_iter()
            .find(|word| content.starts_with(word));
        let skip = scheme.map_or(0, str::len);
        let secret = &content[skip..];
        // A placeholder of ours looks like one of others.
        let placeholders = names::placeholders(secret);
        let innocent = is_stand_in(secret) || kind == "token" && is_plain_word(secret);
        if secret.is_empty() || placeholders.is_empty() && innocent {
            return;
        }
        if let [(range, kind, number)] = &placeholders[..]
            && *range == (0..secret.len())
        {
            return self.placeholders.push((kind, *number));
        }
        let plain = Unescaped::of(secret).map_or_else(|| secret.to_string(), |plain| plain.text);
        let (start, end) = (start + skip, start + content.len());
        hits.push(Hit {
            start,
            end,
            kind,
            secret: plain,
            pointer: pointer(levels),
            inner: String::new(),
            mark: String::new(),
        });
    }

    /// Secrets by their shape. `back` leads from an offset in the text to one in what it was unescaped from.
    fn shaped(
        &mut self,
        text: &str,
        start: usize,
        back: &dyn Fn(usize) -> usize,
        place: &dyn Fn() -> String,
    ) -> Vec<Hit> {
        let known = names::placeholders(text);
        self.placeholders.extend(known.iter().map(|(_, kind, number)| (*kind, *number)));
        let taken = |range: &std::ops::Range<usize>| {
            let next = known.partition_point(|(known, ..)| known.end <= range.start);
            known.get(next).is_some_and(|(known, ..)| known.start < range.end)
        };
        let mut found = self.shapes.find(text);
        found.extend(self.lines.find(text));
        found.extend(self.packed(text));
        found.extend(self.percent(text));
        found.extend(self.embedded(text));
        let found = found.into_iter().filter(|(_, range)| !taken(range));
        let hit = |(kind, range): (&'static str, std::ops::Range<usize>)| Hit {
            start: start + back(range.start),
            end: start + back(range.end),
            kind,
            secret: text[range].to_string(),
            pointer: place(),
            inner: String::new(),
            mark: String::new(),
        };
        found.map(hit).collect()
    }
}

impl Walk<'_> {
    /// What holds a secret in base64: all of it goes, because a part cannot be cut out.
    fn packed(&mut self, text: &str) -> Vec<(&'static str, std::ops::Range<usize>)> {
        if self.packed >= DEEPEST {
            return Vec::new();
        }
        self.packed += 1;
        let texts = packed::texts(text).into_iter();
        let found = texts.filter_map(|(range, text)| Some((self.hits(&text).first()?.kind, range))).collect();
        self.packed -= 1;
        found
    }

    /// What the names of an object in a text say: `sent {"token": ...}`.
    fn embedded(&mut self, text: &str) -> Vec<(&'static str, std::ops::Range<usize>)> {
        let Some(at) = opening(text).filter(|_| !is_json(text)) else { return Vec::new() };
        // A program is full of brackets; an object is JSON from its first to its last one.
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<serde::de::IgnoredAny>();
        let Some(Ok(_)) = values.next() else { return Vec::new() };
        let found = self.json(&text[at..at + values.byte_offset()], DEEPEST).into_iter();
        found.map(|hit| (hit.kind, at + hit.start..at + hit.end)).collect()
    }

    /// What a URL spells with `%3A`.
    fn percent(&self, text: &str) -> Vec<(&'static str, std::ops::Range<usize>)> {
        let Some(plain) = Unescaped::of_url(text) else { return Vec::new() };
        let found = self.shapes.find(&plain.text).into_iter();
        found.map(|(kind, range)| (kind, plain.before(range.start)..plain.before(range.end))).collect()
    }
}

/// The first brackets behind which a quoted text stands.
fn opening(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'{', b'[', &text.as_bytes()[from..])?;
        let rest = text[at + 1..].trim_start_matches([' ', '\n', '{', '[']);
        if rest.starts_with('"') {
            return Some(at);
        }
        // What stands behind several brackets is the same for each of them.
        from = text.len() - rest.len();
    }
}

/// True for the beginning of an object or an array, which may be cut off there; `[section]` of an INI file is none.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let Some(rest) = text.strip_prefix(['{', '[']).map(str::trim_start) else { return false };
    match (text.as_bytes()[0], rest.as_bytes().first()) {
        (_, None) | (b'{', Some(b'"' | b'}' | b'\\')) => true,
        (b'[', Some(b'"' | b'{' | b'[' | b']' | b'-' | b'\\' | b'0'..=b'9')) => true,
        (b'[', _) => ["true", "false", "null"].iter().any(|word| rest.starts_with(word)),
        _ => false,
    }
}

/// True where what looks like JSON has its quotation marks escaped.
fn is_escaped(text: &str) -> bool {
    text.trim_start().trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']).starts_with('\\')
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// The JSON pointer of the value that is being read. Names stand in it as they are written.
fn pointer(levels: &[Level<'_>]) -> String {
    let mut pointer = String::new();
    for level in levels {
        pointer.push('/');
        match level.object {
            true => pointer.push_str(&crate::json::pointer::escape(level.key)),
            false => pointer.push_str(&level.index.to_string()),
        }
    }
    pointer
}
