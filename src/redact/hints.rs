//! What a text must hold before a shape can fit it: words, all looked for in one look that needs no expression.
//!
//! Nearly every text holds none, and most runs meet only a few kinds. An expression for each hint, or one for all, costs more
//! to make than many small logs cost to read.

/// A place at which a word stands is looked at once more: the text, and where the word begins and ends.
pub(super) type Look = fn(&[u8], usize, usize) -> bool;

/// A word of a hint.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// `#` stands for a small hex digit, `@` for a letter, a digit, `_` or `-`.
    text: &'static [u8],
    any_case: bool,
    look: Option<Look>,
    /// Which hint it is of.
    of: u8,
}

impl Word {
    /// A word as it is written, for the hint of that number.
    pub(super) fn exact(text: &'static str, of: u8) -> Word {
        Word { text: text.as_bytes(), any_case: false, look: None, of }
    }

    /// The same in small and capital letters.
    pub(super) fn any_case(text: &'static str, of: u8) -> Word {
        Word { any_case: true, ..Word::exact(text, of) }
    }

    /// The same, where `look` agrees.
    pub(super) fn any_case_where(text: &'static str, of: u8, look: Look) -> Word {
        Word { look: Some(look), ..Word::any_case(text, of) }
    }

    /// Which hint it is of.
    #[cfg(test)]
    pub(super) fn hint(&self) -> u8 {
        self.of
    }

    fn stands_at(&self, text: &[u8], at: usize) -> bool {
        let end = at + self.text.len();
        let Some(there) = text.get(at..end) else { return false };
        there.iter().zip(self.text).all(|(byte, want)| self.takes(*want, *byte))
            && self.look.is_none_or(|look| look(text, at, end))
    }

    fn takes(&self, want: u8, byte: u8) -> bool {
        match want {
            b'#' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            b'@' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            _ if self.any_case => byte.eq_ignore_ascii_case(&want),
            _ => byte == want,
        }
    }
}

/// A separator between the words of a name.
fn is_joint(byte: &u8) -> bool {
    matches!(byte, b'_' | b' ' | b'-')
}

/// True where what is called so is given a value: `key = ...`, `"key": ...`.
pub(super) fn is_assigned(text: &[u8], _: usize, end: usize) -> bool {
    let rest = &text[end..];
    let white = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
    matches!(rest.first(), Some(b'\'' | b'"')) || matches!(rest.get(white), Some(b':' | b'='))
}

/// True for the last word of a longer name: `sshKey`, `api_key`.
pub(super) fn ends_a_name(text: &[u8], start: usize, _: usize) -> bool {
    let before = &text[..start];
    let before = match before.split_last() {
        Some((last, before)) if is_joint(last) => before,
        _ => before,
    };
    before.last().is_some_and(u8::is_ascii_alphanumeric)
}

/// True where a URL goes on with what may be a user and a password.
pub(super) fn holds_user(text: &[u8], _: usize, end: usize) -> bool {
    let ends = |byte: &&u8| !(byte.is_ascii_whitespace() || matches!(byte, b'/' | b'<' | b'>'));
    text[end..].iter().take_while(ends).any(|byte| *byte == b'@')
}

/// True where a name goes on.
pub(super) fn goes_on(text: &[u8], _: usize, end: usize) -> bool {
    text.get(end).is_some_and(is_joint)
}

/// True for the id of a session.
pub(super) fn before_id(text: &[u8], _: usize, end: usize) -> bool {
    let rest = &text[end..];
    let rest = if rest.first().is_some_and(is_joint) { &rest[1..] } else { rest };
    rest.get(..2).is_some_and(|id| id.eq_ignore_ascii_case(b"id"))
}

/// Looks for words.
pub(super) struct Hints {
    /// By its first two bytes, the group of words that a place may be the beginning of; 0 for none.
    group: Vec<u16>,
    groups: Vec<Vec<Word>>,
}

impl Hints {
    /// A look for words of two bytes and more.
    pub(super) fn new(words: impl Iterator<Item = Word>) -> Hints {
        let mut hints = Hints { group: vec![0; 1 << 16], groups: vec![Vec::new()] };
        for word in words {
            hints.add(word);
        }
        hints
    }

    fn add(&mut self, word: Word) {
        let [first, second, ..] = *word.text else { return };
        let spelled = |want: u8| (0..=u8::MAX).filter(move |byte| word.takes(want, *byte));
        for pair in spelled(first).flat_map(|a| spelled(second).map(move |b| pair(a, b))) {
            if self.group[pair] == 0 {
                self.group[pair] = self.groups.len() as u16;
                self.groups.push(Vec::new());
            }
            self.groups[usize::from(self.group[pair])].push(word);
        }
    }

    /// Calls `found` with the hint of every word in a text, until it says that this is enough.
    pub(super) fn search(&self, text: &str, mut found: impl FnMut(u8) -> bool) {
        let bytes = text.as_bytes();
        for (at, two) in bytes.windows(2).enumerate() {
            let group = usize::from(self.group[pair(two[0], two[1])]);
            let words = if group == 0 { continue } else { &self.groups[group] };
            if words.iter().any(|word| word.stands_at(bytes, at) && found(word.of)) {
                return;
            }
        }
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}
