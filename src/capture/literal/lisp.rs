//! Property lists as Emacs prints them: `(:id 1 :params (:a t))`.
//!
//! `nil` is null, an empty object or an empty list, whichever the member calls for; false prints as `:json-false`. An
//! `:error nil` beside a result says that there is none. Hash tables, association lists and vectors are read as well.

use super::Dialect;
use super::reader::{Done, Reader, is_object, push_string};

fn is_symbol(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'(' | b')' | b'[' | b']' | b'"' | b'\'' | b';')
}

impl Reader<'_, '_> {
    /// The value at the cursor, which belongs to `member`.
    pub(super) fn lisp(&mut self, member: &str) -> Done {
        match self.next() {
            Some(b'(') => self.lisp_list(member),
            Some(b'[') => self.lisp_vector(),
            Some(b'"') => self.string(Dialect::Lisp),
            Some(b'#') => self.lisp_hash(member),
            Some(b'\'' | b'`') => {
                self.at += 1;
                self.enter()?;
                self.lisp(member)?;
                self.leave();
                Ok(())
            }
            Some(byte) if is_symbol(byte) => {
                let word = self.run(is_symbol);
                self.lisp_symbol(word, member);
                Ok(())
            }
            _ => Err(self.fault("a Lisp value was expected")),
        }
    }

    fn lisp_symbol(&mut self, word: &str, member: &str) {
        // Numbers are by far the most.
        if word.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            self.number_or_text(word);
            return;
        }
        match word {
            "nil" if is_object(member) => self.out.push_str("{}"),
            "nil" | ":null" | ":json-null" => self.out.push_str("null"),
            "t" | ":json-true" => self.out.push_str("true"),
            ":json-false" | ":false" => self.out.push_str("false"),
            "..." => self.lose(),
            _ if word.starts_with(['-', '+', '.']) => self.number_or_text(word),
            _ => push_string(self.out, word.strip_prefix(':').unwrap_or(word)),
        }
    }

    fn lisp_vector(&mut self) -> Done {
        self.enter()?;
        self.at += 1;
        let open = self.out.len();
        self.out.push('[');
        while !self.take(b']') {
            self.comma(open + 1);
            self.lisp("")?;
        }
        self.out.push(']');
        self.leave();
        Ok(())
    }

    fn lisp_list(&mut self, member: &str) -> Done {
        self.at += 1;
        self.lisp_rest(member)
    }

    /// A list from its first element on.
    fn lisp_rest(&mut self, member: &str) -> Done {
        self.enter()?;
        match self.next() {
            Some(b':') => self.lisp_members(b')', true)?,
            Some(b')') => {
                self.at += 1;
                self.lisp_symbol("nil", member);
            }
            Some(b'(') if self.lisp_is_pair() => self.lisp_pairs()?,
            _ => {
                let open = self.out.len();
                self.out.push('[');
                while !self.take(b')') {
                    self.comma(open + 1);
                    self.lisp("")?;
                }
                self.out.push(']');
            }
        }
        self.leave();
        Ok(())
    }

    /// Keys and values up to `close`.
    fn lisp_members(&mut self, close: u8, keywords: bool) -> Done {
        let open = self.out.len();
        self.out.push('{');
        while !self.take(close) {
            let start = self.out.len();
            self.comma(open + 1);
            let written = self.out.len();
            let from = self.at;
            if keywords && self.next() != Some(b':') {
                return Err(self.fault("a keyword was expected"));
            }
            if self.next() == Some(b':') {
                let name = self.run(is_symbol);
                push_string(self.out, &name[1..]);
            } else {
                self.lisp("")?;
                self.as_key(written);
            }
            let name = self.text[from..self.at].trim().trim_start_matches(':');
            self.out.push(':');
            let value = self.out.len();
            self.lisp(name)?;
            if name == "error" && &self.out[value..] == "null" {
                self.out.truncate(start);
            }
        }
        self.out.push('}');
        Ok(())
    }

    /// True at the first element of an association list: `(name . value)` with a symbol for a name.
    fn lisp_is_pair(&self) -> bool {
        let rest = &self.bytes[self.at + 1..];
        let name = rest.iter().take(200).take_while(|byte| is_symbol(**byte)).count();
        name > 0 && rest[name..].starts_with(b" . ")
    }

    fn lisp_pairs(&mut self) -> Done {
        let open = self.out.len();
        self.out.push('{');
        while !self.take(b')') {
            self.expect(b'(', "a pair was expected")?;
            self.comma(open + 1);
            let written = self.out.len();
            self.next();
            let name = self.run(is_symbol);
            self.lisp_symbol(name, "");
            self.as_key(written);
            self.out.push(':');
            self.next();
            if self.word(". ") {
                self.lisp(name.trim_start_matches(':'))?;
                self.expect(b')', "a pair has two parts")?;
            } else {
                // `(name a b)` is a pair whose value is the list of the rest.
                self.lisp_rest(name.trim_start_matches(':'))?;
            }
        }
        self.out.push('}');
        Ok(())
    }

    /// `#s(hash-table ... data (k v))`, `#<buffer x>`, `#1=`.
    fn lisp_hash(&mut self, member: &str) -> Done {
        self.enter()?;
        self.at += 1;
        if self.word("s(") {
            self.lisp_table()?;
        } else if self.word("(") {
            self.lisp_propertied()?;
        } else if self.word("<") {
            self.skip_past(b'<', b'>')?;
            self.lose();
        } else if self.word("'") || self.word("s") || self.word("^") {
            self.lisp(member)?;
        } else {
            self.run(|byte| byte.is_ascii_digit());
            match self.word("=") {
                true => self.lisp(member)?,
                false => {
                    self.run(is_symbol);
                    self.lose();
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// `#("text" 0 4 (face bold))`: a text with properties, which were never sent.
    fn lisp_propertied(&mut self) -> Done {
        self.lisp("")?;
        let (end, lost) = (self.out.len(), self.lost);
        while !self.take(b')') {
            self.lisp("")?;
            self.out.truncate(end);
        }
        self.lost = lost;
        Ok(())
    }

    fn lisp_table(&mut self) -> Done {
        let open = self.out.len();
        let mut found = false;
        while !self.take(b')') {
            self.next();
            if !found && self.word("data") && self.take(b'(') {
                found = true;
                self.lisp_members(b')', false)?;
            } else {
                let start = self.out.len();
                self.lisp("")?;
                self.out.truncate(start);
            }
        }
        if !found {
            self.out.truncate(open);
            self.out.push_str("{}");
        }
        Ok(())
    }
}
