//! Labels inside texts: `DB_PASSWORD=...`, `api_key: ...` in YAML, `<password>...</password>`, `--token ...`, `The access token
//! is ...`. A label is a name as of a member (see `names`); what stands between it and the value says how sure it is.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::blocks;
use super::names::{self, Said};
use super::stand_ins::{is_code, is_stand_in};
use super::words::{is_mixed, is_random, is_uuid};

/// A part of a name without which no name is one of a secret.
const PARTS: &str = r"(?i-u)pass|pwd|secret|token|key|auth|cookie|credential|jwt|bearer|mnemonic|phrase|otp|code|assertion|pat\b|\bpw\b|webhook|saml|psk|\bsas\b";

/// What a text must hold before a label can stand in it.
pub(super) const HINT: &str = r"(?i-u:pass|pwd|secret|token|key|auth|cookie|credential|jwt|bearer|mnemonic|phrase|otp|code|assertion|pat|\bpw\b|webhook|saml|psk|sas)";

/// Names longer than this, in bytes, are none.
const LONGEST_NAME: usize = 64;

/// A label, and what may be said of it.
struct Label<'t> {
    text: &'t str,
    name: Range<usize>,
    said: Said,
}

/// What stands between a label and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// An equals sign, an arrow, an element of XML, the value of a flag: whatever follows is the value.
    Assigned,
    /// A colon, which explains as often as it assigns.
    Colon,
    /// Words or blanks.
    Words,
    /// A comma between two quoted words: `define('DB_PASSWORD', '...')`, or a list of names.
    Listed,
}

/// The secrets behind labels.
pub(super) fn find(text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    static LABEL: OnceLock<Option<Regex>> = OnceLock::new();
    let Some(parts) = LABEL.get_or_init(|| Regex::new(PARTS).ok()) else { return };
    let mut behind = 0;
    for part in parts.find_iter(text) {
        if part.start() < behind {
            continue;
        }
        let name = around(text, part.range());
        behind = name.end;
        if names::opens_placeholder(&text[..name.start]) {
            continue;
        }
        let Some(label) = Label::of(text, name) else { continue };
        for secret in label.secrets() {
            behind = secret.end;
            found.push((label.said.kind, secret));
        }
    }
}

/// The whole name around a part of one.
fn around(text: &str, part: Range<usize>) -> Range<usize> {
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let before = text[..part.start].chars().rev().take(LONGEST_NAME).take_while(|c| of_name(*c)).count();
    let after = text[part.end..].chars().take(LONGEST_NAME).take_while(|c| of_name(*c)).count();
    let end = part.end + text[part.end..part.end + after].trim_end_matches(['.', '-']).len();
    part.start - before..end
}

impl<'t> Label<'t> {
    /// A name that speaks of a secret, with up to two words before it: `aws secret access key`.
    fn of(text: &'t str, mut name: Range<usize>) -> Option<Label<'t>> {
        let mut best = names::said(&text[name.clone()], &[]);
        // `token` alone may be one of many things, which the word before it says.
        let before =
            text[..name.start].strip_suffix(' ').map(|text| text.rsplit(|c: char| !c.is_alphanumeric()).next());
        if let (Some(said), Some(Some(word))) = (best, before)
            && said.kind == "token"
            && !word.is_empty()
        {
            best = names::said(&text[name.start - 1 - word.len()..name.end], &[])
                .or(best.filter(|_| !names::is_harmless(word)));
        }
        for _ in 0..2 {
            let Some(before) = text[..name.start].strip_suffix(' ').filter(|_| best.is_none_or(|said| !said.sure))
            else {
                break;
            };
            let word = before.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
            if word == 0 || word > 16 {
                break;
            }
            name.start = before.len() - word;
            best = names::said(&text[name.clone()], &[]).or(best);
        }
        Some(Label { text, said: best?, name })
    }

    /// The secrets behind this label: one, or the items of a list.
    fn secrets(&self) -> Vec<Range<usize>> {
        let is_secret = |item: &Range<usize>| {
            let shown = &self.text[item.clone()];
            is_random(shown, 16) && self.said.fits(shown) && !is_stand_in(shown)
        };
        match self.secret() {
            Some(secret) => vec![secret],
            None => blocks::items(self.text, self.name.end).into_iter().filter(is_secret).collect(),
        }
    }

    /// The secret, where one stands behind this label.
    fn secret(&self) -> Option<Range<usize>> {
        let (link, at) = self.link()?;
        let name = self.text[self.name.clone()].to_ascii_lowercase();
        let is_phrase = name.ends_with("phrase") || name.ends_with("mnemonic");
        if let Some(phrase) = blocks::phrase(self.text, at).filter(|_| is_phrase) {
            return Some(phrase);
        }
        let header = matches!(self.said.kind, "cookie" | "authz");
        let value = match header && link != Link::Words {
            true => self.of_header(at)?,
            false => self.value(at)?,
        };
        let (secret, quoted) = value;
        let shown = &self.text[secret.clone()];
        let then = &self.text[secret.end..];
        // The folder that a shell is in.
        if matches!(&self.text[self.name.clone()], "PWD" | "OLDPWD") && shown.starts_with(['/', '~']) {
            return None;
        }
        if shown.len() < 4 || is_stand_in(shown) || !quoted && is_code(shown, then) || !self.said.fits(shown) {
            return None;
        }
        let told = match link {
            Link::Assigned => true,
            Link::Colon => quoted || has_digit(shown) || is_random(shown, 16) || self.is_alone(&secret),
            Link::Listed => quoted && is_random(shown, 12),
            Link::Words => {
                (self.is_long_name() || !is_uuid(shown))
                    && is_mixed(shown, 6)
                    && (self.said.kind == "password" || is_random(shown, 16) || is_long(shown))
            }
        };
        told.then_some(secret)
    }

    /// What follows the name, and where the value begins.
    fn link(&self) -> Option<(Link, usize)> {
        let rest = &self.text[self.name.end..];
        let closed = rest.trim_start_matches(['\\', '"', '\'', '`', ']']);
        let closing = &rest[..rest.len() - closed.len()];
        if closing.len() > 4 {
            return None;
        }
        let flag = self.is_flag();
        let gap = closed.trim_start_matches([' ', '\t']);
        let (link, rest) = if let Some(rest) = self.element(closed) {
            (Link::Assigned, rest)
        } else if let Some(rest) = blocks::default_of(self.before(), gap).or_else(|| blocks::entry(closed)) {
            (Link::Assigned, rest)
        } else if let Some(rest) = assigned(gap) {
            (Link::Assigned, rest)
        } else if let Some(rest) = gap.strip_prefix(':') {
            (Link::Colon, rest)
        } else if let Some(rest) = valued(gap) {
            (Link::Assigned, rest)
        } else if let Some(rest) = gap.strip_prefix(',').filter(|_| closing.ends_with(['"', '\''])) {
            (Link::Listed, rest)
        } else if let Some(rest) = gap.strip_prefix('|') {
            (Link::Words, rest)
        } else {
            let rest = ["is", "was", "equals"].iter().find_map(|word| gap.strip_prefix(word)).unwrap_or(gap);
            let rest = rest.strip_prefix(':').unwrap_or(rest);
            let broken = rest.trim_start_matches(['\\', ' ', '\n', '\r', '\t']);
            let rest = if flag { broken } else { rest };
            if !rest.starts_with([' ', '\t', '`']) && rest.len() == closed.len() {
                return None;
            }
            (if flag { Link::Assigned } else { Link::Words }, rest)
        };
        let value = rest.trim_start_matches([' ', '\t']);
        // A block of YAML stands on the next line.
        let block = value.strip_prefix(['|', '>']).map(|rest| rest.trim_start_matches(['-', '+']));
        let block = block.filter(|rest| link == Link::Colon && rest.starts_with(['\n', '\r'])).map(str::trim_start);
        Some((link, self.text.len() - block.unwrap_or(value).len()))
    }

    /// True for a name of several words: `heroku api key` says more than `token`.
    fn is_long_name(&self) -> bool {
        self.text[self.name.clone()].contains(|c: char| !c.is_alphanumeric())
    }

    fn before(&self) -> &str {
        &self.text[..self.name.start]
    }

    /// What follows `<password>`, where `</` ends it.
    fn element(&self, rest: &'t str) -> Option<&'t str> {
        let rest = rest.strip_prefix('>').filter(|_| self.before().ends_with('<'))?;
        rest[rest.find('<')?..].starts_with("</").then_some(rest)
    }

    /// `--token`, whose value is the next word.
    fn is_flag(&self) -> bool {
        self.text[self.name.clone()].starts_with('-')
            && !self.before().ends_with(|c: char| !c.is_whitespace() && c != '\'' && c != '"' && c != '(')
    }

    /// The value that begins at a place: what stands between quotation marks, or up to a blank or a sign; and whether it
    /// was quoted.
    fn value(&self, at: usize) -> Option<(Range<usize>, bool)> {
        let rest = &self.text[at..];
        let open = rest.trim_start_matches('\\');
        let quote = open.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        if let Some(quote) = quote {
            let start = at + rest.len() - open.len() + 1;
            let inner = &self.text[start..];
            let escaped = rest.len() - open.len();
            let end = closing(inner, quote, escaped)?;
            let value = without_scheme(&inner[..end]);
            return Some((start + end - value.len()..start + end, true));
        }
        let plain = without_scheme(rest);
        let start = at + rest.len() - plain.len();
        // On a line of its own a value goes to the end of the word, whatever signs it has.
        let whole = self.starts_line();
        let ends = |c: char| {
            c.is_whitespace()
                || matches!(c, '"' | '\'' | '<' | '>' | '&' | '`' | '|')
                || !whole && matches!(c, ',' | ';' | '{' | '}' | '[' | ']' | '(' | ')')
        };
        let end = plain.find(ends).unwrap_or(plain.len());
        let trimmed = match plain.starts_with(['$', '{', '<', '%']) {
            // `${TOKEN}` and `<your token>` are whole only with what closes them.
            true => plain[..plain.find(['}', '>', '\n']).map_or(end, |at| at + 1).max(end)].trim_end(),
            false => plain[..end].trim_end_matches(['.', ',', ';', ':', '\\', '!', '?']),
        };
        Some((start..start + trimmed.len(), false))
    }

    /// The value of a header goes to the end of the line, or to the quotation mark that closes the header.
    fn of_header(&self, at: usize) -> Option<(Range<usize>, bool)> {
        let rest = &self.text[at..];
        if rest.trim_start_matches('\\').starts_with(['"', '\'']) {
            return self.value(at);
        }
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        let opened = self.before().trim_end_matches("Proxy-").chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let line = opened.and_then(|quote| line.split_once(quote)).map_or(line, |(line, _)| line);
        if self.said.kind == "cookie" {
            let pair = line.split_once('=').filter(|(name, _)| !name.contains(' '));
            // A value alone is one where it looks like a key: `cookie=enabled` is a setting.
            return match pair {
                Some(_) => Some((at..at + line.trim_end().len(), true)),
                None => self.value(at).filter(|(value, _)| is_random(&self.text[value.clone()], 16)),
            };
        }
        let value = without_scheme(line);
        let start = at + line.len() - value.len();
        // Schemes with parameters (Digest, signatures) go on over blanks.
        let one = value.split([' ', '"', '\'', ',', '<', '\\']).next().unwrap_or_default();
        let all = value.trim_end();
        let parameters = one.len() < all.len() && (all.contains("=\"") || all.contains('=') && all.contains(", "));
        let end = if parameters || all.starts_with(['<', '{', '$']) { all.len() } else { one.len() };
        Some((start..start + end, parameters || value.len() < line.len()))
    }

    fn starts_line(&self) -> bool {
        let line = self.before().rsplit('\n').next().unwrap_or_default();
        let line = line.trim_start().trim_start_matches("export ").trim_start_matches("ENV ");
        line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '"' | '\'' | '+' | '>')).is_empty()
    }

    /// True if label and value are all that stands on a line of several, as in YAML.
    fn is_alone(&self, secret: &Range<usize>) -> bool {
        let behind = self.text[secret.end..].trim_start_matches(['"', '\'', ',', ' ', '\r']);
        self.starts_line() && (behind.is_empty() || behind.starts_with('\n')) && self.text.contains('\n')
    }
}

/// What follows a sign that assigns; a comparison does not.
fn assigned(rest: &str) -> Option<&str> {
    if rest.starts_with("==") {
        return None;
    }
    ["=>", ":=", "->", "="].iter().find_map(|sign| rest.strip_prefix(sign))
}

/// What follows the `value` of a pair: `- name: TOKEN` and below it `value: ...`, `key="token" value="..."`.
fn valued(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([',', '\r', '\n', ' ', '\t', '"', '\'', '\\']);
    let rest = rest.strip_prefix("value")?.trim_start_matches(['"', '\'', '\\', ' ']);
    rest.strip_prefix([':', '='])
}

/// A value without the scheme before it, which is no secret.
fn without_scheme(value: &str) -> &str {
    const SCHEMES: [&str; 9] =
        ["ssws ", "bearer ", "basic ", "token ", "apikey ", "api-key ", "digest ", "bot ", "key "];
    let scheme =
        SCHEMES.iter().find(|scheme| value.get(..scheme.len()).is_some_and(|is| is.eq_ignore_ascii_case(scheme)));
    scheme.map_or(value, |scheme| value[scheme.len()..].trim_start())
}

/// Where a quoted value ends: at its quotation mark, with as many backslashes before it as the opening one had.
fn closing(inner: &str, quote: char, escaped: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = inner[at..].find(quote) {
        let end = at + found;
        let slashes = inner[..end].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if slashes == escaped || escaped == 0 && slashes % 2 == 0 {
            return Some(end - slashes.min(escaped));
        }
        at = end + 1;
    }
    // A text may be cut off; a quotation mark far away belongs to something else.
    Some(inner.find(['\n', ' ']).unwrap_or(inner.len()))
}

/// True for a word that is longer than any of a language.
fn is_long(text: &str) -> bool {
    text.len() >= 24 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}
