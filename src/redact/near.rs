//! How far around a label is looked: what stands further away says nothing of it, and a text may hold a label on each of its
//! many lines. What only the whole text tells is found out once.

use std::cell::{OnceCell, RefCell};

/// How far is looked for what belongs to a name, in bytes: tags, sentences and names of resources are shorter.
pub(super) const NEAR: usize = 1024;

/// How long the value of a header is at most, in bytes: servers take no longer one.
pub(super) const HEADER: usize = 16 << 10;

/// Signs between which texts stand.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The beginning of a text, of at most so many bytes.
pub(super) fn start_of(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

/// The end of a text, of at most so many bytes.
pub(super) fn end_of(text: &str, most: usize) -> &str {
    let start = (text.len().saturating_sub(most)..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[start.unwrap_or_default()..]
}

/// What is known of a whole text.
pub(super) struct Whole<'t> {
    pub(super) text: &'t str,
    program: OnceCell<bool>,
    marks: RefCell<Marks>,
}

/// How many quotation marks of each kind stand on a line before a place.
#[derive(Default)]
struct Marks {
    to: usize,
    counts: [usize; QUOTES.len()],
}

impl<'t> Whole<'t> {
    pub(super) fn new(text: &'t str) -> Whole<'t> {
        Whole { text, program: OnceCell::new(), marks: RefCell::default() }
    }

    /// True for a text that holds a piece of a program.
    pub(super) fn is_program(&self) -> bool {
        *self.program.get_or_init(|| is_program(self.text))
    }

    /// True if this quotation mark has opened a text on its line that goes on at a place. Places are asked for in order.
    pub(super) fn is_open(&self, quote: char, at: usize) -> bool {
        let mut marks = self.marks.borrow_mut();
        marks.go(self.text, at);
        QUOTES.iter().position(|known| *known == quote).is_some_and(|kind| marks.counts[kind] % 2 == 1)
    }
}

impl Marks {
    fn go(&mut self, text: &str, at: usize) {
        let mut before = text[..self.to].chars().next_back();
        let mut letters = text[self.to..at.max(self.to)].chars().peekable();
        while let Some(c) = letters.next() {
            let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            // An apostrophe, and a mark that is one of a text in a text.
            let other = c == '\'' && beside(before) && beside(letters.peek().copied()) || before == Some('\\');
            match QUOTES.iter().position(|quote| *quote == c) {
                Some(kind) if !other => self.counts[kind] += 1,
                _ if c == '\n' => self.counts = Default::default(),
                _ => {}
            }
            before = Some(c);
        }
        self.to = at.max(self.to);
    }
}

fn is_program(text: &str) -> bool {
    const SIGNS: [&str; 14] = [
        "def ",
        "fn ",
        "let ",
        "const ",
        "var ",
        "return ",
        "import ",
        "self.",
        "();",
        " = new ",
        "=> {",
        "function ",
        "class ",
        "if (",
    ];
    SIGNS.iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_asked_for_is_given_and_no_letter_is_cut() {
        assert_eq!((start_of("aé☃b", 2), start_of("aé☃b", 3), start_of("ab", 9)), ("a", "aé", "ab"));
        assert_eq!((end_of("aé☃b", 3), end_of("aé☃b", 4), end_of("ab", 9)), ("b", "☃b", "ab"));
    }

    #[test]
    fn marks_are_counted_on_their_line_and_once() {
        let text = "it's \"a\\\" b\nc 'd é\" e";
        let whole = Whole::new(text);
        let open = |at: usize| QUOTES.map(|quote| whole.is_open(quote, at));
        assert_eq!(open(4), [false, false, false]);
        assert_eq!(open(text.find(" b").expect("there")), [true, false, false]);
        assert_eq!(open(text.find("d é").expect("there")), [false, true, false]);
        assert_eq!(open(text.len()), [true, true, false]);
        assert_eq!(whole.marks.borrow().to, text.len());
    }

    /// What is looked at for one label does not grow with the text.
    #[test]
    fn a_label_sees_what_is_near() {
        use super::super::{label::Label, names::Said};
        for before in [10, 100_000] {
            let text = format!("{}token {}", "a ".repeat(before), "b ".repeat(before));
            let name = 2 * before..2 * before + 5;
            let whole = Whole::new(&text);
            let label = Label { whole: &whole, text: &text, name, said: Said { kind: "token", sure: true } };
            assert!(label.before().len() <= NEAR, "{before}");
        }
    }
}
