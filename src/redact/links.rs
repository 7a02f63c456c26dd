//! What stands between a label and its value: a sign, a word, a type, an element, a call.

use super::blocks;
use super::label::{Label, Link};
use super::labels::IS;
use super::near::{end_of, start_of};

/// How many letters a type or a word has before its value, at most.
const LONGEST: usize = 31;

/// How much stands behind the name of an element before its tag is closed, at most, in bytes.
const ATTRIBUTES: usize = 300;

/// Commands that set the variable behind them.
const SETS: [&str; 5] = ["env ", "setx ", "set -gx ", "set -x ", "requestheader set "];

impl<'t> Label<'t> {
    /// What follows the name, and where the value begins.
    pub(super) fn link(&self) -> Option<(Link, usize)> {
        let rest = &self.text[self.name.end..];
        let closed = past(rest);
        let closing = &rest[..rest.len() - closed.len()];
        if closing.bytes().filter(|byte| !byte.is_ascii_alphanumeric()).count() > 8 {
            return None;
        }
        let gap = closed.trim_start_matches([' ', '\t']);
        let (link, rest) = self.by_structure(closed, closing, gap).or_else(|| self.by_sign(closed, closing, gap))?;
        let value = past_marks(past_size(rest));
        // A block of YAML stands on the next line.
        let block = value.strip_prefix(['|', '>']).map(|rest| rest.trim_start_matches(['-', '+']));
        let block = block.filter(|rest| link == Link::Colon && rest.starts_with(['\n', '\r'])).map(str::trim_start);
        if let (Link::Colon, None, true) = (link, block, value.starts_with(['\n', '\r']))
            && !closing.contains('"')
        {
            return Some((Link::Below, self.text.len() - value.trim_start().len()));
        }
        Some((link, self.text.len() - block.unwrap_or(value).len()))
    }

    /// Links that more than a sign makes.
    fn by_structure(&self, closed: &'t str, closing: &str, gap: &'t str) -> Option<(Link, &'t str)> {
        let part = || {
            let is_part = closing.contains('"') && self.before().ends_with("name=\"");
            ["\r\n\r\n", "\n\n"].iter().find_map(|gap| closed.strip_prefix(gap)).filter(|_| is_part)
        };
        let sets = || {
            let before = self.before().trim_end_matches(['"', '\'']);
            let is_set = gap.len() < closed.len() && !gap.starts_with(['=', ':']);
            (is_set && SETS.iter().any(|word| ends_in(before, word))).then_some(gap)
        };
        if let Some(content) = self.element(closed).or_else(|| blocks::entry(closed)) {
            return Some((Link::Element, content));
        }
        if let Some(value) = self.attribute(closed) {
            return Some((Link::Listed, value));
        }
        blocks::default_of(self.before(), gap)
            .or_else(part)
            .or_else(|| typed(gap).filter(|_| closing.is_empty()))
            .or_else(sets)
            .map(|rest| (Link::Assigned, rest))
    }

    /// What follows the `value=` of an element of HTML that is called so: `<input name="csrf_token" type="hidden" value="...">`.
    fn attribute(&self, closed: &'t str) -> Option<&'t str> {
        let mut rest = start_of(closed, ATTRIBUTES);
        self.before().ends_with("name=\"").then_some(())?;
        loop {
            let (name, value) = rest.trim_start().split_once("=\"")?;
            if matches!(name, "value" | "content") {
                return Some(&closed[start_of(closed, ATTRIBUTES).len() - value.len() - 1..]);
            }
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            rest = value.split_once('"').filter(|_| is_name)?.1;
        }
    }

    fn by_sign(&self, closed: &'t str, closing: &str, gap: &'t str) -> Option<(Link, &'t str)> {
        // What a password is compared with is one, where it looks like one.
        let compared = gap.trim_start_matches(['=', '!']);
        if gap.len() - compared.len() > 1 && gap[1..].starts_with('=') && compared.starts_with([' ', '"', '\'']) {
            return Some((Link::Listed, compared));
        }
        if let Some(rest) = assigned(gap) {
            return Some((Link::Assigned, rest));
        }
        if let Some(rest) =
            gap.strip_prefix(':').or_else(|| gap.strip_prefix('：')).filter(|rest| !rest.starts_with(':'))
        {
            return Some((Link::Colon, rest.strip_prefix("**").unwrap_or(rest)));
        }
        if let Some(rest) = valued(gap) {
            return Some((Link::Assigned, rest));
        }
        let quoted = closing.ends_with(['"', '\'']);
        if let Some(rest) = gap.strip_prefix(',').filter(|_| quoted) {
            return Some((if sets(self.before()) { Link::Set } else { Link::Listed }, rest));
        }
        if let Some(rest) = closed.strip_prefix('(').filter(|rest| closing.is_empty() && rest.starts_with(['"', '\'']))
        {
            return Some((Link::Called, rest));
        }
        if let Some(rest) = gap.strip_prefix('|') {
            return Some((Link::Words, rest));
        }
        self.by_word(closed, gap)
    }

    /// What follows `changed the root password to`.
    fn set_to(&self, gap: &'t str) -> Option<&'t str> {
        let line = self.before().rsplit(['.', '\n']).next().unwrap_or_default();
        let is_set = ["changed ", "set ", "reset ", "updated ", "rotated "].iter().any(|word| line.contains(word));
        gap.strip_prefix("to ").filter(|_| is_set)
    }

    fn by_word(&self, closed: &'t str, gap: &'t str) -> Option<(Link, &'t str)> {
        // A path of a program goes on.
        if gap.starts_with("::") {
            return None;
        }
        if let Some(rest) = self.set_to(gap).or_else(|| whose(gap)) {
            return Some((Link::Said, rest));
        }
        let shown = gap.strip_prefix('(').filter(|rest| rest.starts_with(['"', '\'', '`']));
        if let Some(rest) = told(closed).or(shown) {
            return Some((Link::Said, rest));
        }
        let said = ["has been", "is", "was", "equals", "ist", "lautet", "est", "es", "é", "è"].iter();
        let said = said.filter_map(|word| gap.strip_prefix(word)).find(|rest| rest.starts_with([' ', '\t', ':', '`']));
        let said = said.or_else(|| gap.strip_prefix(IS));
        let rest = said.map_or(gap, past_setting);
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let flag = self.is_flag();
        // A sentence may quote a flag: `unexpected argument '--password' found`.
        if flag && closed.len() < self.text.len() - self.name.end && !gap.starts_with(['"', '\'', '`']) {
            return None;
        }
        // Below a flag stands its value where a backslash says so, and otherwise what has nothing to do with it as often.
        let below = flag && gap.starts_with(['\n', '\r']);
        let rest = if flag { rest.trim_start_matches(['\\', ' ', '\n', '\r', '\t']) } else { rest };
        if below {
            return Some((Link::Below, rest));
        }
        if !rest.starts_with([' ', '\t', '`']) && rest.len() == closed.len() {
            return None;
        }
        let link = match (flag, said) {
            (true, _) => Link::Assigned,
            (false, Some(_)) => Link::Said,
            (false, None) => Link::Words,
        };
        Some((link, rest))
    }

    /// What follows `<password>`, `<ns:password type="x">` or `name="password">`, where `</` ends it.
    fn element(&self, rest: &'t str) -> Option<&'t str> {
        let opened = self.before().rsplit(['<', '>', ';']).next().unwrap_or_default();
        let of_tag = self.before().ends_with('<')
            || self.before().ends_with("&lt;")
            || opened.ends_with(':') && self.before().ends_with(&format!("<{opened}"))
            || opened.ends_with("name=\"") && self.before().contains('<');
        let (open, close, ends) = match self.before().ends_with("&lt;") {
            true => ("&gt;", "&lt;/", "&"),
            false => (">", "</", "<"),
        };
        if !of_tag {
            return None;
        }
        let tag = &rest[..start_of(rest, ATTRIBUTES).find(open)?];
        let attributes = tag.starts_with(' ') && !tag.contains(['<', '\n']);
        if !tag.is_empty() && !attributes {
            return None;
        }
        let content = &rest[tag.len() + open.len()..];
        let content = content.strip_prefix("<Value>").or_else(|| content.strip_prefix("<value>")).unwrap_or(content);
        let content = content.strip_prefix("<![CDATA[").unwrap_or(content);
        let end = content.find(ends)?;
        (content[end..].starts_with(close) || content[..end].ends_with("]]>")).then_some(content)
    }
}

/// True if a text ends in a word, whatever its case.
fn ends_in(text: &str, word: &str) -> bool {
    let end = text.len().checked_sub(word.len()).and_then(|at| text.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// What follows the signs that close a name: quotation marks, brackets, the stars of Markdown, the colours of a terminal.
fn past(rest: &str) -> &str {
    let mut rest = rest;
    loop {
        let next = rest.trim_start_matches(['\\', '"', '\'', '`', ']', '*']);
        let next = past_colour(next);
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

fn past_colour(rest: &str) -> &str {
    let Some(colour) = rest.strip_prefix("\x1b[") else { return rest };
    let end = colour.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    end.strip_prefix('m').unwrap_or(rest)
}

/// What follows blanks, colours, and the anchor or the tag of YAML.
fn past_marks(rest: &str) -> &str {
    let value = past_colour(rest.trim_start_matches([' ', '\t']));
    let mark = value.strip_prefix("!!").or_else(|| value.strip_prefix('&')).or_else(|| value.strip_prefix('!'));
    let after = mark.map(|mark| mark.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    match after.and_then(|after| after.strip_prefix(' ')) {
        Some(after) if after.len() + 1 < value.len() => after.trim_start_matches(' '),
        _ => value,
    }
}

/// What follows the type and the size of a text, as PHP prints them on a line of their own.
fn past_size(rest: &str) -> &str {
    let digits = rest.trim_start().strip_prefix("string(");
    digits.and_then(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(") ")).unwrap_or(rest)
}

/// The quotation mark behind a type and a sign: `let password: &str = "..."`, `param password string = '...'`.
fn typed(gap: &str) -> Option<&str> {
    let kind = gap.strip_prefix(':').or_else(|| gap.strip_prefix("As ")).unwrap_or(gap).trim_start_matches(' ');
    let of_kind =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '<' | '>' | '[' | ']' | '\'' | '.' | '?' | '&');
    let length = kind.chars().take(LONGEST + 1).take_while(|c| of_kind(*c)).count();
    let is_kind = kind.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '&' | '_' | '\''));
    let value = kind[length..].trim_start_matches(' ').strip_prefix('=')?.trim_start_matches(' ');
    (is_kind && length <= LONGEST && value.starts_with(['"', '\'', '`'])).then_some(value)
}

/// What follows the words that something was set with: `the token was set to ...`.
fn past_setting(rest: &str) -> &str {
    const SET: [&str; 5] = [" now ", " set to ", " reset to ", " changed to ", " updated to "];
    SET.iter().find_map(|set| rest.strip_prefix(set)).map_or(rest, |behind| &rest[rest.len() - behind.len() - 1..])
}

/// True for the beginning of a call that sets the name behind it, perhaps with its type before it: `buildConfigField("String", `.
fn sets(before: &str) -> bool {
    const CALLS: [&str; 6] = ["define", "set", "put", "add", "buildconfigfield", "resvalue"];
    let Some((call, given)) = end_of(before, ATTRIBUTES).rsplit_once('(') else { return false };
    let given = given.trim().trim_end_matches(['"', '\'', '\\', ' ']).trim_end_matches(',');
    let is_type = given.trim_matches(['"', '\'', '\\']).bytes().all(|byte| byte.is_ascii_alphabetic());
    let name =
        call.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    is_type && CALLS.iter().any(|known| name.starts_with(known))
}

/// What follows `for the admin account is`.
fn whose(gap: &str) -> Option<&str> {
    let whose = start_of(gap.strip_prefix("for ")?, 2 * LONGEST);
    let said = |word: &str| Some((whose.find(word)?, word.len()));
    let (end, length) = [" has been set to ", " was set to ", " is "].iter().find_map(|word| said(word))?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '@' | '.' | '\'' | '"' | '`');
    whose[..end].chars().all(is_name).then(|| &gap["for ".len() + end + length..])
}

/// What is said of a secret before it is shown: `key provided: ...`, `password for jo: ...`.
fn told(closed: &str) -> Option<&str> {
    let mut rest = closed;
    for _ in 0..3 {
        let word = rest.trim_start_matches(' ');
        let of_word = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '-');
        let length = word.chars().take(LONGEST + 1).take_while(of_word).count();
        let is_word = word.len() < rest.len() && word.starts_with(|c: char| c.is_ascii_lowercase());
        if !is_word || length > LONGEST {
            return None;
        }
        rest = &word[length..];
        if let Some(value) = rest.strip_prefix(' ').unwrap_or(rest).strip_prefix(": ") {
            return Some(value);
        }
    }
    None
}

/// What follows a sign that assigns; a comparison does not. What stands in for a variable that is not set is its value, too.
fn assigned(rest: &str) -> Option<&str> {
    if rest.starts_with("==") {
        return None;
    }
    let sign = ["=>", ":=", "->", "?=", "+=", "::=", "="].iter().find_map(|sign| rest.strip_prefix(sign));
    let or = || {
        let rest = ["||", "??", "or "].iter().find_map(|or| rest.strip_prefix(or))?.trim_start_matches(' ');
        rest.starts_with(['"', '\'', '`']).then_some(rest)
    };
    sign.or_else(or)
}

/// What follows the `value` of a pair: `- name: TOKEN` and below it `value: ...`, `key="token" value="..."`.
fn valued(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([',', '\r', '\n', ' ', '\t', '"', '\'', '\\']);
    let rest = rest.strip_prefix("value").or_else(|| rest.strip_prefix("content"))?;
    let rest = rest.trim_start_matches(['"', '\'', '\\', ' ']);
    rest.strip_prefix([':', '='])
}
