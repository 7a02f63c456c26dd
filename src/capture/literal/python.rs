//! Python's `repr`: dictionaries, lists, tuples, bytes, and models as pydantic and dataclasses print them.
//!
//! `Name(a=1)` is an object of its arguments; one that is `None` was not sent, as the models leave it out. A name with
//! one plain argument is that argument (`AnyUrl('file:///a')`), one with several is a string (`datetime.date(2024, 1, 2)`).

use super::Dialect;
use super::reader::{Done, Reader, push_string};

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || byte >= 0x80
}

impl<'t> Reader<'t, '_> {
    /// The value at the start of a text; `root=` stands before it where a model without fields of its own printed it.
    pub(super) fn python_document(&mut self) -> Done {
        self.next();
        self.word("root=");
        self.python()
    }

    pub(super) fn python(&mut self) -> Done {
        match self.next() {
            Some(b'{') => self.python_braces(),
            Some(b'[') => self.python_list(b']'),
            Some(b'(') => self.python_list(b')'),
            Some(b'"' | b'\'') => self.string(Dialect::Python),
            Some(b'<') => self.python_angle(),
            Some(b'-' | b'+' | b'0'..=b'9') => {
                let token = self.run(|byte| is_name(byte) || matches!(byte, b'-' | b'+'));
                match token {
                    "-inf" | "-nan" => self.lose(),
                    _ => self.number_or_text(token),
                }
                Ok(())
            }
            Some(byte) if is_name(byte) => self.python_word(),
            _ => Err(self.fault("a Python value was expected")),
        }
    }

    fn python_word(&mut self) -> Done {
        let start = self.at;
        let word = self.run(is_name);
        if matches!(self.peek(), Some(b'"' | b'\'')) && word.len() <= 2 {
            self.at = start;
            return self.string(Dialect::Python);
        }
        match word {
            "None" => self.out.push_str("null"),
            "True" => self.out.push_str("true"),
            "False" => self.out.push_str("false"),
            "nan" | "inf" | "..." => self.lose(),
            _ if self.peek() == Some(b'(') => return self.python_call(start),
            _ => push_string(self.out, word),
        }
        Ok(())
    }

    fn python_list(&mut self, close: u8) -> Done {
        self.enter()?;
        self.at += 1;
        let open = self.out.len();
        self.out.push('[');
        let (mut count, mut commas) = (0, 0);
        while !self.take(close) {
            self.comma(open + 1);
            self.python()?;
            count += 1;
            if self.take(b',') {
                commas += 1;
            } else if self.next() != Some(close) {
                return Err(self.fault("a comma or the end of a list was expected"));
            }
        }
        if close == b')' && count == 1 && commas == 0 {
            self.out.remove(open);
        } else {
            self.out.push(']');
        }
        self.leave();
        Ok(())
    }

    /// A dictionary or a set.
    fn python_braces(&mut self) -> Done {
        self.enter()?;
        self.at += 1;
        let open = self.out.len();
        self.out.push('{');
        let (mut pairs, mut is_set) = (0, false);
        while !self.take(b'}') {
            self.comma(open + 1);
            let start = self.out.len();
            self.python()?;
            if !is_set && self.take(b':') {
                self.as_key(start);
                self.out.push(':');
                self.python()?;
                pairs += 1;
            } else if pairs > 0 {
                return Err(self.fault("a colon was expected"));
            } else {
                is_set = true;
            }
            if !self.take(b',') && self.next() != Some(b'}') {
                return Err(self.fault("a comma or } was expected"));
            }
        }
        if is_set {
            self.out.replace_range(open..=open, "[");
        }
        self.out.push(if is_set { ']' } else { '}' });
        self.leave();
        Ok(())
    }

    /// A call whose name starts at `start`, the cursor at its parenthesis.
    fn python_call(&mut self, start: usize) -> Done {
        self.enter()?;
        self.at += 1;
        let open = self.out.len();
        let inside = self.at;
        let done = if self.next() == Some(b')') || self.python_argument().is_some() {
            self.at = inside;
            self.python_arguments(open)
        } else {
            self.python()?;
            if self.take(b')') {
                self.leave();
                return Ok(());
            }
            self.out.truncate(open);
            self.at = inside;
            self.skip_past(b'(', b')')?;
            push_string(self.out, &self.text[start..self.at]);
            Ok(())
        };
        self.leave();
        done
    }

    /// The name before `=`, passed over with it.
    fn python_argument(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.next();
        let name = self.run(is_name);
        if !name.is_empty() && self.take(b'=') {
            return Some(name);
        }
        self.at = start;
        None
    }

    fn python_arguments(&mut self, open: usize) -> Done {
        self.out.push('{');
        let mut only_root = None;
        while !self.take(b')') {
            let start = self.out.len();
            let Some(name) = self.python_argument() else {
                return Err(self.fault("an argument was expected"));
            };
            self.comma(open + 1);
            push_string(self.out, name);
            self.out.push(':');
            let value = self.out.len();
            only_root = (name == "root" && start == open + 1).then_some(value);
            self.python()?;
            if &self.out[value..] == "null" && name != "id" && name != "result" {
                self.out.truncate(start);
            }
            if !self.take(b',') && self.next() != Some(b')') {
                return Err(self.fault("a comma or ) was expected"));
            }
        }
        match only_root {
            Some(value) => self.out.replace_range(open..value, ""),
            None => self.out.push('}'),
        }
        Ok(())
    }

    /// `<Level.info: 'info'>` is its value; `<object at 0x7f>` is nothing that was ever sent.
    fn python_angle(&mut self) -> Done {
        self.enter()?;
        let (start, open, lost) = (self.at, self.out.len(), self.lost);
        self.at += 1;
        self.run(is_name);
        if self.take(b':') && self.python().is_ok() && self.take(b'>') {
            self.leave();
            return Ok(());
        }
        self.out.truncate(open);
        self.lost = lost;
        self.at = start + 1;
        self.skip_past(b'<', b'>')?;
        self.lose();
        self.leave();
        Ok(())
    }
}
