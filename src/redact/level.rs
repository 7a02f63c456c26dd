//! What the members of an object say of each other: `name` and `value`, a field and what is typed into it, the parts of a key.

use std::borrow::Cow;

use super::names::{self, Said};
use super::unescape::Unescaped;
use super::words::is_random;

/// How many values wait for a neighbour that says what they are.
const WAITING: usize = 8;

/// Members that hold what the `name` beside them says, or the object that holds them.
const VALUES: [&str; 5] = ["value", "Value", "secretValue", "plaintext", "default"];

/// Members that say what the value beside them is, and those that hold that.
const NAMED: [&str; 9] = ["name", "key", "Name", "Key", "setting", "fieldName", "parameter", "variable", "property"];
const BESIDE: [&str; 6] = ["value", "Value", "new_value", "newValue", "fieldValue", "val"];

/// Members that are true where the value beside them is a secret.
const FLAGS: [&str; 5] = ["secret", "sensitive", "masked", "isSecret", "is_secret"];

/// Members that hold what is typed into a field.
const TYPED: [&str; 3] = ["text", "input", "value"];

/// Members that say which field that is.
const FIELDS: [&str; 8] = ["selector", "element", "locator", "field", "placeholder", "target", "label", "ref"];

/// Members that say who somebody is, and those that hold a password beside them, and many other things elsewhere.
const USERS: [&str; 7] = ["user", "username", "userName", "login", "email", "User", "uid"];
const PASSES: [&str; 4] = ["pass", "pw", "Pass", "PASS"];

/// Words of fields into which a secret is typed.
const OF_FIELDS: [&str; 14] = [
    "password",
    "passwort",
    "passcode",
    "passphrase",
    "passwd",
    "contrase",
    "mot de passe",
    "senha",
    "wachtwoord",
    "парол",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
];

/// Members that say which program is started, and those that hold its arguments.
const PROGRAMS: [&str; 4] = ["command", "cmd", "program", "executable"];
const ARGUMENTS: [&str; 3] = ["args", "argv", "arguments"];

/// How many arguments are looked at together.
const WORDS: usize = 64;

/// Members of a JSON web key that are secret.
const OF_KEYS: [&str; 7] = ["d", "k", "p", "q", "dp", "dq", "qi"];

/// An object or an array that is open.
#[derive(Default)]
pub(super) struct Level<'t> {
    pub(super) object: bool,
    /// The name of the member that is being read, as it is written.
    pub(super) key: &'t str,
    pub(super) key_is_next: bool,
    pub(super) index: usize,
    /// What the members hold by the name of the array or the object.
    pub(super) holds: Option<Said>,
    /// What the name of the object says of its `value`.
    pub(super) named: Option<Said>,
    /// What `value` holds by the `name` beside it, or the next element by the flag or the header before it.
    beside: Option<Said>,
    /// True beside a field into which a secret is typed.
    typed: bool,
    /// True beside the name of a user.
    user: bool,
    /// True for a JSON web key.
    key_set: bool,
    /// Values whose neighbour may come behind them: by which name, what, and where.
    waiting: Vec<(&'t str, &'t str, usize)>,
    /// Of an object, the program that it says is started; of an array, a program and its arguments, each with its place.
    pub(super) words: Vec<(&'t str, usize)>,
}

impl<'t> Level<'t> {
    /// One that opens: what its name says of its members, and of their `value`.
    pub(super) fn opening(object: bool, holds: Option<Said>, named: Option<Said>) -> Level<'t> {
        Level { object, key_is_next: object, holds, named, ..Level::default() }
    }

    /// An array in this one that may be the arguments of its program begins with that.
    pub(super) fn program_of(&mut self, outer: Option<&Level<'t>>) {
        if let Some(outer) = outer.filter(|outer| !self.object && outer.object && ARGUMENTS.contains(&outer.key)) {
            self.words.clone_from(&outer.words);
        }
    }

    /// Takes a string that may be a program, or one of its arguments.
    pub(super) fn take_word(&mut self, content: &'t str, start: usize) {
        let is_first = match self.object {
            true => PROGRAMS.contains(&self.key),
            false => self.index == 0 && self.words.is_empty(),
        };
        if is_first && is_program(content) {
            self.words = vec![(content, start)];
        } else if !self.object && !self.words.is_empty() && self.words.len() < WORDS && !content.contains('\\') {
            self.words.push((content, start));
        }
    }

    /// The name of the member that is being read.
    pub(super) fn name(&self) -> Cow<'t, str> {
        match self.key.contains('\\').then(|| Unescaped::of(self.key)).flatten() {
            Some(plain) => Cow::Owned(plain.text),
            None => Cow::Borrowed(self.key),
        }
    }

    pub(super) fn take_beside(&mut self) -> Option<Said> {
        match self.object {
            true => self.said_of(self.key),
            false => self.beside.take(),
        }
    }

    /// What the neighbours say of a member of this name.
    fn said_of(&self, key: &str) -> Option<Said> {
        match key {
            key if self.key_set && OF_KEYS.contains(&key) => Some(Said { kind: "private-key", sure: false }),
            key if self.typed && TYPED.contains(&key) => Some(Said { kind: "password", sure: true }),
            key if self.user && PASSES.contains(&key) => Some(Said { kind: "password", sure: true }),
            key if BESIDE.contains(&key) => self.beside,
            _ => None,
        }
    }

    /// What this string says of its neighbours: the `name` of the `value` after it, a flag or a header of the next element.
    /// Those that stood before it and that it makes secrets.
    pub(super) fn pair(&mut self, content: &'t str, start: usize, own: &[String]) -> Vec<(Said, &'t str, usize)> {
        if !self.object {
            let flag = content.starts_with('-') && !content.contains([' ', '=']);
            let said = names::said(content, own).filter(|_| flag || is_header(content));
            // A list of names is no list of pairs: behind one of them stands what looks like a secret.
            self.beside = said.map(|said| Said { sure: said.sure && flag, ..said });
            return Vec::new();
        }
        match self.key {
            key if NAMED.contains(&key) => self.beside = names::said(content, own),
            // The place in a document; a file of this name is something else.
            "path" if self.beside.is_none() && content.starts_with(['/', '$']) => {
                let said = content.rsplit(['/', '.']).next().and_then(|name| names::said(name, own));
                self.beside = said.map(|said| Said { sure: said.sure && said.kind == "password", ..said });
            }
            // Azure calls a secret by where it is kept.
            "id" if content.contains(".vault.azure.net/secrets/") => {
                self.beside = Some(Said { kind: "secret", sure: true });
            }
            "label" if self.beside.is_none() => self.beside = names::said(content, own),
            // An id may speak of a secret and be one of something else: then the value has to look like one.
            "id" if self.beside.is_none() => {
                self.beside = names::said(content, own).map(|said| Said { sure: false, ..said });
            }
            "type" | "Type" if matches!(content, "CONCEALED" | "password" | "SecureString") => {
                self.beside = self.beside.or(Some(Said { kind: "password", sure: true }));
            }
            // The keys of an account: `key1`, `key2`.
            "keyName" => self.beside = Some(Said { kind: "api-key", sure: false }),
            "kty" => self.key_set = true,
            key if USERS.contains(&key) => self.user = true,
            _ => {}
        }
        if FIELDS.contains(&self.key) {
            let lower = content.to_ascii_lowercase();
            self.typed |= OF_FIELDS.iter().any(|word| is_for(&lower, word));
        }
        let waits = TYPED.contains(&self.key)
            || VALUES.contains(&self.key)
            || BESIDE.contains(&self.key)
            || PASSES.contains(&self.key)
            || OF_KEYS.contains(&self.key) && is_random(content, 16);
        if waits && self.waiting.len() < WAITING {
            self.waiting.push((self.key, content, start));
        }
        self.told()
    }

    /// What waits and is a secret if the member that is being read is true: `"sensitive": true`.
    pub(super) fn flagged(&mut self) -> Vec<(Said, &'t str, usize)> {
        if !self.object || !FLAGS.contains(&self.key) {
            return Vec::new();
        }
        self.beside = self.beside.or(Some(Said { kind: "secret", sure: true }));
        self.told()
    }

    /// What waited for what is known now.
    fn told(&mut self) -> Vec<(Said, &'t str, usize)> {
        let (key, waiting) = (self.key, std::mem::take(&mut self.waiting));
        let told = |(name, value, at): &(&'t str, &'t str, usize)| {
            let said = self.said_of(name).filter(|said| *name != key && said.fits(value))?;
            Some((said, *value, *at))
        };
        let found: Vec<_> = waiting.iter().filter_map(told).collect();
        self.waiting =
            waiting.into_iter().filter(|(_, _, at)| !found.iter().any(|(_, _, taken)| taken == at)).collect();
        found
    }
}

/// True for a field into which what a word names is typed: not one of a form or of a program that is called after it.
fn is_for(field: &str, word: &str) -> bool {
    const OTHERS: [&str; 6] = [" reset", " manager", " hint", " length", " generator", " recovery"];
    let Some((before, behind)) = field.split_once(word) else { return false };
    let within = [" of ", " in ", " on "].iter().any(|word| before.contains(word));
    !within && !OTHERS.iter().any(|word| behind.starts_with(word))
}

/// True for a word that may be the name of a program, perhaps with its folder.
fn is_program(content: &str) -> bool {
    let name = content.rsplit('/').next().unwrap_or(content);
    (2..=24).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// True for a name of a header that holds a secret.
fn is_header(content: &str) -> bool {
    let named = ["authorization", "proxy-authorization", "cookie", "set-cookie", "token"];
    named.iter().any(|name| content.eq_ignore_ascii_case(name))
        || content.get(..2).is_some_and(|is| is.eq_ignore_ascii_case("x-"))
}

/// True for a member that holds what its object is named after.
pub(super) fn holds_value(key: &str) -> bool {
    VALUES.contains(&key)
}

/// True for the token of a message about progress, which ties it to a request, whatever it looks like.
pub(super) fn is_progress(levels: &[Level<'_>]) -> bool {
    matches!(levels, [.., outer, inner] if outer.key == "params" && inner.object && inner.key == "token")
}

/// True for the place in a list that a server hands out and a client hands back.
pub(super) fn is_place(levels: &[Level<'_>]) -> bool {
    let keys = |outer: &Level<'_>, inner: &Level<'_>| {
        inner.object && matches!((outer.key, inner.key), ("params", "cursor") | ("result", "nextCursor"))
    };
    matches!(levels, [.., outer, inner] if keys(outer, inner))
}
